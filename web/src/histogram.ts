// Histograms as tables of bars: one row for each class, one column for each kind of request.

import type { Bucket, Histogram } from "./documents";
import { h, say } from "./dom";
import { count, micros, size } from "./format";
import { LATENCY_NAMES } from "./words";

const WHAT: Record<string, string> = {
  size: "Request size",
  latency: "Latency",
  seek: "Seek distance",
  outstanding: "Outstanding requests",
  interarrival: "Time between requests",
};

const KINDS: Record<string, string> = { ...LATENCY_NAMES, read: "Reads", write: "Writes", all: "All" };

/** The class as text; the last one has no end. */
export function upto(bucket: Bucket, unit: string): string {
  if (bucket.upto === null) return "more";
  switch (unit) {
    case "bytes":
      // A class that ends beside a round size is not rounded to it.
      return bucket.upto % 1024 === 0 ? size(bucket.upto) : count(bucket.upto);
    case "microseconds":
      return micros(bucket.upto);
    default:
      return bucket.upto < 0 ? `\u2212${count(-bucket.upto)}` : count(bucket.upto);
  }
}

/** The rows from the first to the last that holds anything; one more on either side, so that ends are seen. */
export function occupied(kinds: [string, Bucket[]][]): [number, number] {
  const lengths = kinds.map(([, buckets]) => buckets.length);
  const isUsed = (row: number) => kinds.some(([, buckets]) => (buckets[row]?.count ?? 0) > 0);
  const rows = [...Array(Math.max(0, ...lengths)).keys()];
  const used = rows.filter(isUsed);
  const [first, last] = [used[0], used.at(-1)];
  return first === undefined || last === undefined ? [0, 0] : [Math.max(0, first - 1), Math.min(rows.length, last + 2)];
}

/** Kinds that share one list of classes, so that one table can hold them. */
function sameClasses(kinds: [string, Bucket[]][]): boolean {
  const classes = kinds.map(([, buckets]) => buckets.map((bucket) => bucket.upto).join());
  return classes.every((one) => one === classes[0]);
}

export class Histograms {
  readonly element = h("section", { class: "histograms", "aria-label": "Histograms" });
  readonly #tabs = h("div", { class: "segmented", role: "group", "aria-label": "What is counted" });
  readonly #tables = h("div", { class: "card histogram-tables" });
  #all: [string, Histogram][] = [];
  #chosen = "size";
  #drawn = "";

  constructor() {
    this.element.append(h("div", { class: "section-head" }, h("h2", {}, "Histograms"), this.#tabs), this.#tables);
    this.element.hidden = true;
  }

  set(all: [string, Histogram][] | null): void {
    this.element.hidden = all === null || all.length === 0;
    if (all === null || all.length === 0) return;
    this.#all = all;
    if (!all.some(([what]) => what === this.#chosen)) this.#chosen = all[0]?.[0] ?? "";
    const names = all.map(([what]) => what);
    if (this.#tabs.children.length !== names.length) this.#tabs.replaceChildren(...names.map((what) => this.#tab(what)));
    this.#draw();
  }

  #tab(what: string): HTMLElement {
    const choose = () => {
      this.#chosen = what;
      this.#draw();
    };
    return h("button", { type: "button", "data-what": what, onclick: choose }, WHAT[what] ?? what);
  }

  #draw(): void {
    for (const tab of this.#tabs.children) tab.setAttribute("aria-pressed", String(tab.getAttribute("data-what") === this.#chosen));
    const histogram = this.#all.find(([what]) => what === this.#chosen)?.[1];
    if (!histogram) return;
    // Drawn anew only if something else is to be seen: a selection survives.
    const content = JSON.stringify([this.#chosen, histogram]);
    if (content === this.#drawn) return;
    this.#drawn = content;
    const { unit, kinds } = histogram;
    // Reads and writes beside each other; of more kinds, each has a table of its own.
    const groups = kinds.length <= 2 && sameClasses(kinds) ? [kinds] : kinds.map((kind) => [kind]);
    this.#tables.replaceChildren(...groups.map((group) => table(unit, group)));
  }
}

function table(unit: string, kinds: [string, Bucket[]][]): HTMLElement {
  const [from, to] = occupied(kinds);
  const name = unit === "bytes" || unit === "microseconds" ? "Up to" : `Up to, ${unit}`;
  if (from === to) return h("p", { class: "hint" }, `${kinds.map(([kind]) => KINDS[kind] ?? kind).join(", ")}: nothing was counted yet.`);
  const sums = kinds.map(([, buckets]) => buckets.reduce((sum, bucket) => sum + bucket.count, 0));
  const head = h(
    "thead",
    {},
    h("tr", {}, h("th", { scope: "col" }, name), ...kinds.map(([kind], index) => h("th", { scope: "col" }, `${KINDS[kind] ?? kind}: ${count(sums[index])}`))),
  );
  const rows = [...Array(to - from).keys()].map((offset) => {
    const row = from + offset;
    const bucket = kinds[0]?.[1][row];
    return h("tr", {}, h("th", { scope: "row" }, bucket ? upto(bucket, unit) : ""), ...kinds.map(([, buckets], kind) => bar(buckets[row]?.count ?? 0, sums[kind] ?? 0, kind)));
  });
  return h("table", { class: "histogram" }, head, h("tbody", {}, ...rows));
}

function bar(amount: number, sum: number, kind: number): HTMLElement {
  const share = sum > 0 ? amount / sum : 0;
  const filled = h("span", { class: `bar bar-${kind % 6}` });
  filled.style.width = `${(share * 100).toFixed(2)}%`;
  const text = h("span", { class: "bar-text" });
  say(text, amount === 0 ? "" : `${count(amount)} (${(share * 100).toFixed(1)}%)`);
  return h("td", {}, h("div", { class: "bar-cell" }, h("span", { class: "bar-track" }, filled), text));
}
