// How guests reach a disk: its sockets, and what a client types.

import { diskPath, readBeside } from "./api";
import type { ConnectForm, Door, FullDisk } from "./documents";
import { announce } from "./dialog";
import { h, keyed, show } from "./dom";
import { NOTHING } from "./format";
import { facts, setIn } from "./parts";

const FACTS: [string, string][] = [["connections", "Guests connected"]];

const DOORS: Record<string, string> = { "vhost-user": "vhost-user", nbd: "NBD", "nbd-tcp": "NBD over TCP" };

export class ConnectCard {
  readonly element: HTMLElement;
  readonly #facts = facts(FACTS);
  readonly #doors = h("dl", { class: "facts doors" });
  readonly #forms = h("div", { class: "stack" });
  readonly #client = h("select", { name: "client", "aria-label": "Client" });
  readonly #choice = h("label", { class: "inline" }, "For ", this.#client);
  readonly #name: string;
  #all: ConnectForm[] = [];
  #isAsked = false;

  constructor(name: string) {
    this.#name = name;
    this.element = h("section", { class: "card connect", "aria-label": "Connect" }, h("h2", {}, "How guests connect"), this.#facts.element, this.#doors, this.#choice, this.#forms);
    this.#choice.hidden = true;
    this.#client.addEventListener("change", () => this.#draw());
  }

  update(disk: FullDisk): void {
    this.#facts.set({
      connections: disk.connections === null ? NOTHING : String(disk.connections),
    });
    keyed(this.#doors, disk.doors ?? [], (door) => door.kind, makeDoor, (element, door) => {
      setIn(element, "dt", doorName(door));
      setIn(element, "dd", door.address);
    });
    if (!this.#isAsked) {
      this.#isAsked = true;
      void this.#ask();
    }
  }

  async #ask(): Promise<void> {
    // They depend on names alone, which stay: once is enough, unless nobody answered.
    const connect = await readBeside<{ forms: ConnectForm[] }>(`${diskPath(this.#name)}/connect`, "connect").catch(() => {
      this.#isAsked = false;
      return null;
    });
    this.#all = connect?.forms ?? [];
    const clients = [...new Set(this.#all.map((form) => form.client))];
    this.#client.replaceChildren(...clients.map((client) => h("option", { value: client }, client)));
    show(this.#choice, clients.length > 0);
    this.#draw();
  }

  /** Shows the ways of the client that is chosen, the fastest first. */
  #draw(): void {
    const forms = this.#all.filter((form) => form.client === this.#client.value);
    keyed(this.#forms, forms, (form) => `${form.client} ${form.door}`, make, (element, form) => {
      setIn(element, "h3", `${form.client}, over ${DOORS[form.door] ?? form.door}`);
      setIn(element, ".hint", form.note);
      setIn(element, "code", form.lines.trimEnd());
    });
  }
}

function makeDoor(door: Door): Element {
  return h("div", {}, h("dt", {}), h("dd", { "data-figure": `door-${door.kind}` }));
}

/** The name of a door, and how many guests came through it if any did. */
function doorName(door: Door): string {
  const name = door.address.startsWith("/") && door.address.endsWith(".sock") ? `${door.title} socket` : door.title;
  return (door.connections ?? 0) > 0 ? `${name} (${door.connections} connected)` : name;
}

function make(): Element {
  const code = h("code", {});
  const copy = () => {
    void navigator.clipboard?.writeText(code.textContent ?? "").then(() => announce("Copied"));
  };
  // Browsers give pages over plain HTTP no clipboard, unless they come from this very host.
  const button = h("button", { type: "button", class: "quiet", onclick: copy }, "Copy");
  button.hidden = navigator.clipboard === undefined;
  return h("div", {}, h("div", { class: "section-head" }, h("h3", {}), button), h("p", { class: "hint" }), h("pre", {}, code));
}
