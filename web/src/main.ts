// The page of Forebay: which view is shown, and the frame around it.
//
// Everything comes from the daemon that served the page; nothing else is asked, and nothing is kept beyond the tab but the
// choice of dark or light.

import "uplot/dist/uPlot.min.css";
import "./app.css";

import { token } from "./api";
import { setTokenPath, signIn, statusLine } from "./dialog";
import { h, say, show } from "./dom";
import { clock } from "./format";
import { type Knowledge, Store } from "./store";
import { nextTheme, startTheme, theme } from "./theme";
import { type View, parsed } from "./view";
import { diskView } from "./views/disk";
import { eventsView } from "./views/events";
import { hostView } from "./views/host";

const main = h("main", { id: "main", tabindex: -1 });
const loading = h("p", { class: "loading" }, "Asking Forebay\u2026");
const bannerText = h("span");
const bannerButton = h("button", { type: "button", onclick: signIn }, "Sign in\u2026");
const banner = h("div", { class: "banner", role: "alert", hidden: true }, bannerText, " ", bannerButton);
const pulse = h("span", { class: "pulse" });
const links = { host: h("a", { href: "#/" }, "Host"), events: h("a", { href: "#/events" }, "Events") };
const themeButton = h("button", { type: "button", class: "quiet", onclick: nextThemeAndSay });
const hostName = h("span", { class: "host-name", "data-figure": "host" });
const foot = h("footer", {}, h("span", { "data-figure": "version" }), h("a", { href: "/openapi.json" }, "Interface for programs"), h("a", { href: "/metrics" }, "Metrics"));
const tokenButton = h("button", { type: "button", class: "quiet", onclick: signIn });

const store = new Store(draw);
let view: View | null = null;
let shown: ReturnType<typeof parsed> | null = null;

function frame(): void {
  const skip = h("a", { class: "skip", href: "#main" }, "To the content");
  skip.addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
  });
  const brand = h("a", { href: "#/", class: "brand" }, h("img", { src: "/assets/icon.svg", alt: "", width: 24, height: 24 }), "Forebay");
  const header = h("header", {}, brand, hostName, h("nav", { "aria-label": "Views" }, links.host, links.events), h("div", { class: "header-end" }, pulse, themeButton, tokenButton));
  document.body.append(skip, header, banner, main, foot, statusLine());
  main.append(loading);
}

/** Shows the view that the address names. Another tab of the same disk keeps its view, with all that it knows. */
function route(): void {
  const address = parsed(window.location.hash);
  const isSame = view !== null && shown !== null && address.disk !== null && address.disk === shown.disk;
  if (!isSame) {
    view?.leave();
    const { disk } = address;
    view = disk !== null ? diskView(disk, () => void store.look(), (period) => store.show(period)) : address.view === "events" ? eventsView() : hostView(() => void store.look());
    main.replaceChildren(view.element);
    window.scrollTo(0, 0);
  }
  shown = address;
  view?.open?.(address.tab);
  title();
  links.host.setAttribute("aria-current", address.view === "host" ? "page" : "false");
  links.events.setAttribute("aria-current", address.view === "events" ? "page" : "false");
  store.watch(address.disk);
  draw();
}

function title(): void {
  const host = store.known.host ? ` on ${store.known.host.name}` : "";
  const text = `${view?.title ?? ""} \u2013 Forebay${host}`;
  if (document.title !== text) document.title = text;
}

function draw(): void {
  const { known } = store;
  drawConnection(known);
  drawHost(known);
  if (!view) return;
  const isKnown = known.disks !== null;
  show(view.element, isKnown);
  // A daemon without events has no view of them; whoever came by its address is told so there.
  show(links.events, !isKnown || known.events !== null);
  if (isKnown) {
    view.update(known);
    loading.remove();
  } else if (!loading.isConnected) {
    main.append(loading);
  }
}

function drawConnection({ away, answeredAt }: Knowledge): void {
  main.classList.toggle("stale", away !== null);
  show(banner, away !== null);
  say(bannerText, away ? trouble(away, answeredAt) : "");
  show(bannerButton, away?.status === 401);
  say(loading, away ? "Waiting for Forebay\u2026" : "Asking Forebay\u2026");
  pulse.classList.toggle("pulse-away", away !== null);
  say(pulse, away ? "No answer" : answeredAt === null ? "Connecting" : "Live");
}

/** Says on which host this is, and forgets a token that is another one's. */
function drawHost({ host }: Knowledge): void {
  if (!host) return;
  setTokenPath(host.token_path);
  say(hostName, host.name);
  const version = foot.firstElementChild;
  if (version) say(version, `Forebay ${host.version} on ${host.name}`);
  title();
  if (!host.may_change && token.get() !== null) token.clear();
  sayButtons();
}

/** Why nothing new is shown, from when the rest is, and what to do. */
function trouble({ status, reason, since }: NonNullable<Knowledge["away"]>, answeredAt: number | null): string {
  const last = answeredAt === null ? "" : ` What is shown is from ${clock(answeredAt)}.`;
  if (status === 401) return `Seen from here, this host shows its figures to those only who have its token.${last}`;
  if (status > 0) return `${reason}.${last}`;
  const advice = "On the host, systemctl status forebay says whether it runs. This page goes on by itself.";
  return `${reason} since ${clock(since)}.${last} ${advice}`;
}

function nextThemeAndSay(): void {
  nextTheme();
  sayButtons();
}

function sayButtons(): void {
  const names = { auto: "Theme: system", light: "Theme: light", dark: "Theme: dark" };
  say(themeButton, names[theme()]);
  say(tokenButton, token.get() === null ? "Sign in" : "Signed in");
}

startTheme();
frame();
sayButtons();
document.addEventListener("forebay-token", () => {
  sayButtons();
  store.lookAtHost();
});
window.addEventListener("hashchange", route);
route();
void store.look();
