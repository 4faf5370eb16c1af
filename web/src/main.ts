// The page of Forebay: which view is shown, and the frame around it.
//
// Everything comes from the daemon that served the page; nothing else is asked, and nothing is kept beyond the tab but the
// choice of dark or light.

import "uplot/dist/uPlot.min.css";
import "./app.css";

import { token } from "./api";
import { signIn, statusLine } from "./dialog";
import { h, say, show } from "./dom";
import { clock } from "./format";
import { type Knowledge, Store } from "./store";
import { nextTheme, startTheme, theme } from "./theme";
import type { View } from "./view";
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
const tokenButton = h("button", { type: "button", class: "quiet", onclick: signIn });

const store = new Store(draw);
let view: View | null = null;

function frame(): void {
  const skip = h("a", { class: "skip", href: "#main" }, "To the content");
  skip.addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
  });
  const brand = h("a", { href: "#/", class: "brand" }, h("img", { src: "/assets/icon.svg", alt: "", width: 24, height: 24 }), "Forebay");
  const header = h("header", {}, brand, h("nav", { "aria-label": "Views" }, links.host, links.events), h("div", { class: "header-end" }, pulse, themeButton, tokenButton));
  document.body.append(skip, header, banner, main, statusLine());
  main.append(loading);
}

/** Shows the view that the address names. */
function route(): void {
  const path = window.location.hash.replace(/^#/, "") || "/";
  const disk = /^\/disk\/([^/]+)$/.exec(path)?.[1];
  const name = disk === undefined ? null : decoded(disk);
  view?.leave();
  view = name !== null ? diskView(name, () => void store.look(), (span) => store.show(span)) : path === "/events" ? eventsView() : hostView();
  document.title = `${view.title} \u2013 Forebay`;
  links.host.setAttribute("aria-current", path === "/" ? "page" : "false");
  links.events.setAttribute("aria-current", path === "/events" ? "page" : "false");
  main.replaceChildren(view.element);
  window.scrollTo(0, 0);
  store.watch(name);
  draw();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function draw(): void {
  const { known } = store;
  drawConnection(known);
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
  void store.look();
});
window.addEventListener("hashchange", route);
route();
void store.look();
