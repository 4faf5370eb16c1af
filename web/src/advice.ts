// What would serve the disk best, as the daemon says: its verdict, what it warns of, and the change that it recommends.

import { change, diskPath } from "./api";
import { perform } from "./dialog";
import type { Advice, FullDisk } from "./documents";
import { h, say, show } from "./dom";
import { consequences } from "./words";

/** The sentences that are shown: the verdict, what is expected, and every warning; the rest is what `forebay advise` tells. */
export function spoken(advice: Advice): string[] {
  const about = ["verdict", "latency"];
  const sentences = advice.sentences.filter((sentence) => about.includes(sentence.about));
  return [...sentences, ...advice.warnings].map((said) => said.text);
}

export class AdviceCard {
  readonly element: HTMLElement;
  readonly #text = h("div", { class: "advice-text", role: "status" });
  readonly #command = h("code", {});
  readonly #set = h("p", { class: "hint" }, "The same on the host: ", this.#command);
  readonly #apply = h("button", { type: "button", class: "primary", onclick: () => this.#ask() }, "Apply\u2026");
  readonly #after: () => void;
  #advice: Advice | null = null;
  #disk: FullDisk | null = null;
  #shown = "";

  /** `after` is called when an advice was applied. */
  constructor(after: () => void) {
    this.#after = after;
    const buttons = h("div", { class: "buttons buttons-start" }, this.#apply);
    this.element = h("section", { class: "card advice", "aria-label": "Advice" }, h("h2", {}, "Advice"), this.#text, buttons, this.#set, h("p", { class: "hint" }, "On the host, forebay advise says why, with all figures."));
    this.element.hidden = true;
  }

  set(advice: Advice | null, disk: FullDisk): void {
    show(this.element, advice !== null);
    this.#advice = advice;
    this.#disk = disk;
    if (!advice) return;
    const sentences = spoken(advice);
    if (JSON.stringify(sentences) !== this.#shown) {
      this.#shown = JSON.stringify(sentences);
      this.#text.replaceChildren(...sentences.map((text) => h("p", {}, text)));
    }
    say(this.#command, advice.command ?? "");
    show(this.#set, advice.command !== null);
    show(this.#apply, Object.keys(advice.keys ?? {}).length > 0);
  }

  #ask(): void {
    const { keys: settings } = this.#advice ?? { keys: {} };
    const disk = this.#disk;
    if (!disk || Object.keys(settings).length === 0) return;
    const lines = Object.entries(settings).map(([key, value]) => h("li", {}, h("code", {}, key), `: ${disk.settings[key] ?? ""} \u2192 ${value}`));
    perform({
      title: `Apply the advice to ${disk.name}?`,
      sentences: consequences(disk, settings),
      confirm: "Apply",
      fields: h("ul", { class: "changes" }, ...lines),
      run: async () => {
        // The dialog said what another block size drops.
        await change("PATCH", diskPath(disk.name), { settings, drop_cached: true });
        this.#after();
        return `${disk.name} now has ${Object.entries(settings).map(([key, value]) => `${key}=${value}`).join(" ")}`;
      },
    });
  }
}
