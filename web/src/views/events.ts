// What an operator must know, newest first.

import type { Event } from "../documents";
import { h, keyed, show } from "../dom";
import { moment } from "../format";
import { badge, setBadge, setIn } from "../parts";
import { type View, diskAddress } from "../view";
import { LEVELS } from "../words";

export function eventsView(): View {
  const list = h("ol", { class: "events", "aria-label": "Events, newest first" });
  const level = h("select", { name: "level" }, h("option", { value: "info" }, "All"), h("option", { value: "warning" }, "Warnings and errors"), h("option", { value: "error" }, "Errors"));
  const nothing = h("p", { class: "empty" }, "Nothing happened that an operator must know.");
  const none = h("p", { class: "empty" }, "This Forebay keeps no list of events. Its log has them: journalctl --unit forebay");
  let draw = () => {};
  level.addEventListener("change", () => draw());
  const filter = h("label", { class: "inline" }, "Show ", level);
  const card = h("section", { class: "card" }, filter, list, nothing, none);
  return {
    element: h("div", { class: "view" }, h("h1", {}, "Events"), card),
    title: "Events",
    leave() {},
    update(known) {
      draw = () => {
        const ranks = ["info", "warning", "error"];
        const least = ranks.indexOf(level.value);
        const shown = (known.events ?? []).filter((event) => ranks.indexOf(event.level) >= least || !ranks.includes(event.level)).reverse();
        show(none, known.events === null);
        show(filter, known.events !== null);
        show(nothing, known.events !== null && shown.length === 0);
        // With the time, because ids begin anew if the daemon lost its list.
        keyed(list, shown, (event) => `${event.id} ${event.time}`, make, update);
      };
      draw();
    },
  };
}

function make(event: Event): Element {
  const disk = event.disk ? h("a", { href: diskAddress(event.disk), class: "event-disk" }, event.disk) : null;
  return h(
    "li",
    { class: "event" },
    h("div", { class: "event-head" }, badge(), h("time", { datetime: event.time }, moment(event.time)), disk, h("span", { class: "event-kind" })),
    h("div", { class: "event-message" }),
    h("div", { class: "finding-advice" }),
  );
}

function update(element: Element, event: Event): void {
  const level = element.querySelector(".badge");
  if (level) setBadge(level, LEVELS[event.level] ?? "warning", event.level);
  setIn(element, ".event-kind", event.kind);
  setIn(element, ".event-message", event.message);
  setIn(element, ".finding-advice", event.advice ?? "");
}
