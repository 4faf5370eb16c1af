// What would serve the disk best, as the daemon says: its verdict, what it warns of, and the command.

import type { Advice } from "./documents";
import { h, say, show } from "./dom";

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
  readonly #set = h("p", { class: "hint" }, "To set it: ", this.#command);
  #shown = "";

  constructor() {
    this.element = h("section", { class: "card advice", "aria-label": "Advice" }, h("h2", {}, "Advice"), this.#text, this.#set, h("p", { class: "hint" }, "On the host, forebay advise says why, with all figures."));
    this.element.hidden = true;
  }

  set(advice: Advice | null): void {
    show(this.element, advice !== null);
    if (!advice) return;
    const sentences = spoken(advice);
    if (JSON.stringify(sentences) !== this.#shown) {
      this.#shown = JSON.stringify(sentences);
      this.#text.replaceChildren(...sentences.map((text) => h("p", {}, text)));
    }
    say(this.#command, advice.command ?? "");
    show(this.#set, advice.command !== null);
  }
}
