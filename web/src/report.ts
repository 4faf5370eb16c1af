// Before and after: what the cache does for a disk, as `forebay report` tells it. Rows of figures, classes, and sentences are pure.

import type { Report, ReportSide } from "./documents";
import { h, say, show } from "./dom";
import { count, duration, micros, moment, percent, rate, size } from "./format";

const FIGURES = [
  ["mean", "mean"],
  ["median", "p50"],
  ["95 %", "p95"],
  ["99 %", "p99"],
] as const;

export interface Row {
  key: string;
  name: string;
  without: string;
  with: string;
  change: string;
}

/** How much more or less it is with the cache; nothing where one of both is not known. */
export function change(without: number | null, after: number | null): string {
  if (without === null || after === null || without <= 0) return "";
  const part = ((after - without) / without) * 100;
  // No sign in front of nothing.
  if (Math.abs(part) < 0.05) return "0.0%";
  return `${part > 0 ? "+" : "\u2212"}${Math.abs(part).toFixed(1)}%`;
}

/** The figures of both sides; rows of which neither is known are left out. */
export function rows(report: Report): Row[] {
  const all: Row[] = [];
  const row = (key: string, name: string, of: (side: ReportSide) => number | null, text: (value: number | null) => string) => {
    const [without, after] = [of(report.without), of(report.with)];
    if (without === null && after === null) return;
    all.push({ key, name, without: text(without), with: text(after), change: change(without, after) });
  };
  for (const kind of ["read", "write"] as const) {
    for (const [name, figure] of FIGURES) {
      row(`${kind}.${figure}`, `${kind === "read" ? "Read" : "Write"} latency, ${name}`, (side) => side.latency_us[kind]?.[figure] ?? null, micros);
    }
  }
  row("iops", "Requests a second, mean", (side) => side.iops, rate);
  row("iops_busiest_minute", "Requests a second, busiest minute", (side) => side.iops_busiest_minute, rate);
  row("backing_reads", "Reads from the backing", (side) => side.backing_reads, count);
  row("backing_read_bytes", "Bytes from the backing", (side) => side.backing_read_bytes, size);
  row("backing_writes", "Writes to the backing", (side) => side.backing_writes, count);
  row("backing_write_bytes", "Bytes to the backing", (side) => side.backing_write_bytes, size);
  return all;
}

/** What is most worth knowing, in a sentence or two. */
export function verdict(report: Report): string[] {
  const { times_faster: times, writes_times_faster: writes } = report;
  const said: string[] = [];
  if (times === null) {
    said.push(report.with.reads === 0 ? "Nothing was read with the cache yet, so there is nothing to compare with." : "No read went to the backing yet, so there is nothing to compare with.");
  } else if (times >= 1.05) {
    said.push(`The mean read is ${times.toFixed(1)} times faster with the cache.`);
  } else {
    said.push("The cache gains nothing for reads so far: most of what is read is read for the first time, or the backing is as fast.");
  }
  if (writes !== null && writes >= 1.05) said.push(`The mean write is ${writes.toFixed(1)} times faster.`);
  return said;
}

/** What "without" is of: measured, or concluded. */
export function sources(report: Report): string {
  const { without } = report;
  const reads = {
    measured: "measured while the disk was in pass-through",
    concluded: `concluded from the ${count(report.measured_backing_reads)} that went to the backing`,
    unknown: "not known",
  }[without.reads_are];
  const writes = without.writes_are === "measured" ? "measured in pass-through" : "not known";
  return `Without the cache: reads are ${reads}, writes are ${writes}.`;
}

/** Whether and since when it is warm. */
export function warmth({ warm_up: warm }: Report): string {
  const points = (share: number | null) => ((share ?? 0) * 100).toFixed(1);
  const most = (warm.variation_max * 100).toFixed(0);
  switch (warm.state) {
    case "warm":
      return `Warm after ${duration(warm.seconds)}: the next three steps hit ${percent(warm.hit_ratio)}, less than ${most} points apart.`;
    case "warming":
      return (warm.variation ?? 0) < warm.variation_max ? "Not warm yet: next to nothing hits." : `Not warm yet: the last three steps are ${points(warm.variation)} points apart, and ${most} are too many.`;
    default:
      return `Whether it is warm is not known: that takes three steps with ${count(warm.reads_min)} reads each.`;
  }
}

/** A class of latencies: how many in a hundred are in it on either side; null where nothing is known of a side. */
export interface ClassRow {
  upto: string;
  without: number | null;
  with: number | null;
}

/** Classes from the first to the last that holds anything on either side. */
export function classes(report: Report, kind: "read" | "write"): ClassRow[] {
  const sides = [report.without, report.with].map((side) => side.latency_us[kind]?.classes ?? null);
  const bounds = sides.find((side) => side !== null) ?? [];
  const shares = sides.map((side) => {
    const sum = side?.reduce((all, one) => all + one.count, 0) ?? 0;
    return bounds.map((_, at) => (side === null || sum === 0 ? null : (side[at]?.count ?? 0) / sum));
  });
  const all = bounds.map((bound, at) => ({ upto: bound.upto === null ? "more" : micros(bound.upto), without: shares[0]?.[at] ?? null, with: shares[1]?.[at] ?? null }));
  const used = all.flatMap((row, at) => ((row.without ?? 0) > 0 || (row.with ?? 0) > 0 ? [at] : []));
  const [first, last] = [used[0], used.at(-1)];
  return first === undefined || last === undefined ? [] : all.slice(first, last + 1);
}

export class ReportCard {
  readonly element: HTMLElement;
  readonly #verdict = h("p", { class: "report-verdict", role: "status" });
  readonly #sources = h("p", { class: "hint" });
  readonly #warm = h("p", { class: "report-warm" });
  readonly #measure = h("p", { class: "hint" });
  readonly #figures = h("tbody", {});
  readonly #classes = h("tbody", {});
  readonly #tabs: HTMLElement;
  readonly #share = h("p", { class: "hint", "data-figure": "report.share" });
  readonly #known = h("div", { class: "report-known" });
  #kind: "read" | "write" = "read";
  #report: Report | null = null;
  #drawn = "";

  constructor() {
    const tab = (kind: "read" | "write", name: string) => {
      const choose = () => {
        this.#kind = kind;
        this.#draw();
      };
      return h("button", { type: "button", "data-kind": kind, onclick: choose }, name);
    };
    this.#tabs = h("div", { class: "segmented", role: "group", "aria-label": "Classes of" }, tab("read", "Reads"), tab("write", "Writes"));
    const heads = (...names: string[]) => h("thead", {}, h("tr", {}, ...names.map((name) => h("th", { scope: "col" }, name))));
    this.#known.append(
      h("table", { class: "report-figures" }, heads("", "Without", "With the cache", "Change"), this.#figures),
      this.#share,
      this.#warm,
      h("div", { class: "section-head" }, h("h3", {}, "By latency"), this.#tabs),
      h("table", { class: "histogram report-classes" }, heads("Up to", "Without", "With the cache"), this.#classes),
    );
    this.element = h("section", { class: "card report", "aria-label": "Before and after" }, h("h2", {}, "Before and after"), this.#verdict, this.#sources, this.#known, this.#measure);
    this.element.hidden = true;
  }

  set(report: Report | null): void {
    show(this.element, report !== null);
    this.#report = report;
    this.#draw();
  }

  #draw(): void {
    const report = this.#report;
    if (!report) return;
    // Drawn anew only if something else is to be seen: a selection survives.
    const content = JSON.stringify([this.#kind, report]);
    if (content === this.#drawn) return;
    this.#drawn = content;
    const isUsed = [report.without, report.with].some((side) => side.reads + side.writes > 0);
    show(this.#known, isUsed);
    show(this.#sources, isUsed);
    const since = moment(report.compared_since);
    say(this.#verdict, isUsed ? verdict(report).join(" ") : `Nothing was read since ${since}, nor written: there is nothing to report yet.`);
    say(this.#sources, `Since ${since}: ${count(report.with.reads)} reads and ${count(report.with.writes)} writes with the cache, ${count(report.without.reads)} and ${count(report.without.writes)} in pass-through. ${sources(report)}`);
    this.#figures.replaceChildren(...rows(report).map(figureRow));
    const { reads, read_hits_ram: ram, read_hits_flash: flash } = report.with;
    const share = (hits: number) => percent(reads > 0 ? hits / reads : null);
    say(this.#share, `Of reads with the cache, ${share(ram + flash)} were answered by it: ${share(ram)} from RAM, ${share(flash)} from flash. Written to flash: ${size(report.flash_write_bytes)}.`);
    say(this.#warm, warmth(report));
    for (const tab of this.#tabs.children) tab.setAttribute("aria-pressed", String(tab.getAttribute("data-kind") === this.#kind));
    const all = classes(report, this.#kind);
    this.#classes.replaceChildren(...(all.length > 0 ? all.map(classRow) : [h("tr", {}, h("td", { colspan: 3 }, "Nothing was counted yet."))]));
    const isMeasured = report.without.reads_are === "measured" && report.without.writes_are === "measured";
    show(this.#measure, isUsed && !isMeasured);
    say(this.#measure, `To have "without" measured, let the disk run in pass-through for ${count(report.requests_min)} reads and as many writes: set mode below, and set it back.`);
  }
}

function figureRow(row: Row): HTMLElement {
  const cell = (side: "without" | "with" | "change") => h("td", { "data-figure": `report.${row.key}.${side}` }, row[side]);
  return h("tr", {}, h("th", { scope: "row" }, row.name), cell("without"), cell("with"), cell("change"));
}

function classRow(row: ClassRow): HTMLElement {
  const bar = (share: number | null, kind: number) => {
    const filled = h("span", { class: `bar bar-${kind}` });
    filled.style.width = `${((share ?? 0) * 100).toFixed(2)}%`;
    return h("td", {}, h("div", { class: "bar-cell" }, h("span", { class: "bar-track" }, filled), h("span", { class: "bar-text" }, percent(share))));
  };
  return h("tr", {}, h("th", { scope: "row" }, row.upto), bar(row.without, 1), bar(row.with, 0));
}
