// Dialogs: what a change will do, whether it is wanted, how far it is, and what became of it.
//
// The browser's own dialog keeps the focus inside and closes on Escape.

import { Refusal, acceptToken, token } from "./api";
import { freshId, h, say } from "./dom";

export interface Work {
  title: string;
  sentences: string[];
  confirm: string;
  /** What can be set before, such as a time. */
  fields?: HTMLElement;
  /** True where data is lost or a guest loses its disk: the button says so by its colour as well. */
  isDangerous?: boolean;
  /** Does it. `progress` says how far it is; the answer is what is said at the end. */
  run: (progress: (text: string) => void, signal: AbortSignal) => Promise<string>;
}

let status: HTMLElement | null = null;

/** Where results are said, for eyes and for screen readers. */
export function statusLine(): HTMLElement {
  status = h("div", { class: "status", role: "status", "aria-live": "polite" });
  return status;
}

let fading = 0;
const STATUS_TIME = 8_000;

export function announce(text: string): void {
  if (!status) return;
  say(status, text);
  status.classList.add("status-shown");
  window.clearTimeout(fading);
  fading = window.setTimeout(() => status?.classList.remove("status-shown"), STATUS_TIME);
}

/** Shows a dialog until it is closed; it is gone afterwards. */
function open(dialog: HTMLDialogElement): void {
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** Asks whether something is wanted, and does it. */
export function perform(work: Work): void {
  const title = freshId();
  const cancel = h("button", { type: "button" }, "Cancel");
  const confirm = h("button", { type: "submit", class: work.isDangerous ? "danger" : "primary" }, work.confirm);
  const said = h("p", { class: "dialog-said", "aria-live": "assertive" });
  const sign = tokenField();
  const form = h(
    "form",
    {},
    h("h2", { id: title }, work.title),
    ...work.sentences.map((sentence) => h("p", {}, sentence)),
    work.fields ?? null,
    sign.element,
    said,
    h("div", { class: "buttons" }, cancel, confirm),
  );
  const dialog = h("dialog", { "aria-labelledby": title }, form);
  const stopping = new AbortController();
  cancel.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => stopping.abort());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    confirm.disabled = true;
    said.className = "dialog-said";
    say(said, "Working\u2026");
    sign
      .take()
      .then(() => work.run((text) => say(said, text), stopping.signal))
      .then((text) => {
        announce(text);
        dialog.close();
      })
      .catch((error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        // Somebody closed the dialog meanwhile, and must know all the same.
        if (!dialog.open) return announce(message);
        confirm.disabled = false;
        said.className = "dialog-said dialog-failed";
        say(said, message);
        if (error instanceof Refusal && error.wantsToken) sign.ask();
      });
  });
  open(dialog);
}

/** A field for the token that shows itself when it is needed. */
function tokenField(): { element: HTMLElement; ask(): void; take(): Promise<void> } {
  const id = freshId();
  const input = h("input", { id, type: "password", autocomplete: "off", spellcheck: "false" });
  const element = h("div", { class: "field" }, h("label", { for: id }, "Token for changes"), input, whereTheTokenIs());
  element.hidden = true;
  return {
    element,
    ask() {
      token.clear();
      element.hidden = false;
      input.focus();
      document.dispatchEvent(new Event("forebay-token"));
    },
    async take() {
      if (element.hidden || input.value.trim() === "") return;
      if (!(await acceptToken(input.value))) throw new Refusal(401, "This is not the token of this host");
      document.dispatchEvent(new Event("forebay-token"));
    },
  };
}

let tokenPath: string | null = null;

/** Sets the file that holds the token of this host, once the daemon told it. */
export function setTokenPath(path: string): void {
  tokenPath = path;
}

function whereTheTokenIs(): HTMLElement {
  const path = tokenPath ?? "/var/lib/forebay/token";
  return h(
    "p",
    { class: "hint" },
    "On the host, as root or the user that runs Forebay: ",
    h("code", { "data-figure": "token_path" }, `cat ${path}`),
    tokenPath === null ? " (or the folder that serve was given with --dir)." : ".",
    " It is kept until this tab is closed.",
  );
}

/** Asks for the token, and keeps it if it is the right one; or forgets it. */
export function signIn(): void {
  const title = freshId();
  const id = freshId();
  const input = h("input", { id, type: "password", autocomplete: "off", spellcheck: "false", required: true });
  const forget = h("button", { type: "button" }, "Sign out");
  const close = h("button", { type: "button" }, "Cancel");
  const confirm = h("button", { type: "submit", class: "primary" }, "Sign in");
  const said = h("p", { class: "dialog-said", "aria-live": "assertive" });
  forget.hidden = token.get() === null;
  const form = h(
    "form",
    {},
    h("h2", { id: title }, "Sign in for changes"),
    h("p", {}, "On the host itself, everything can be read without it. Changes need the token of the host, and from other hosts reading does too."),
    h("div", { class: "field" }, h("label", { for: id }, "Token"), input, whereTheTokenIs()),
    said,
    h("div", { class: "buttons" }, forget, close, confirm),
  );
  const dialog = h("dialog", { "aria-labelledby": title }, form);
  const finish = (text: string) => {
    document.dispatchEvent(new Event("forebay-token"));
    announce(text);
    dialog.close();
  };
  const refuse = (text: string) => {
    said.className = "dialog-said dialog-failed";
    say(said, text);
    confirm.disabled = false;
    input.select();
  };
  close.addEventListener("click", () => dialog.close());
  forget.addEventListener("click", () => {
    token.clear();
    finish("Signed out; on the host itself reading goes on");
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    confirm.disabled = true;
    acceptToken(input.value)
      .then((isRight) => {
        if (isRight) finish("Signed in until this tab is closed");
        else refuse(`This is not the token of this host${tokenPath === null ? "" : `, which is in ${tokenPath}`}.`);
      })
      .catch((error: unknown) => refuse(error instanceof Error ? error.message : String(error)));
  });
  open(dialog);
}
