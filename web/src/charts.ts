// The charts of a disk: live, of the last five minutes; or of what the daemon kept of a day or a week.

import { Chart, DASH, DOT, type Range, type Values } from "./chart";
import { LATENCIES, type LatencyClass, type Span } from "./documents";
import { h, say, show } from "./dom";
import { brief, byteRate, micros, percent, rate, size } from "./format";
import { type Past, SPANS } from "./history";
import { type Point, operations } from "./series";
import { LATENCY_NAMES } from "./words";

const SPAN_NAMES: Record<Span, string> = { "5m": "5 minutes", "1d": "1 day", "7d": "1 week" };

export class Charts {
  readonly element: HTMLElement;
  readonly #ratio = new Chart({
    title: "Hit ratio",
    about: "Reads answered from the cache, of all reads.",
    lines: [
      { label: "RAM", colour: "ram", fill: "area" },
      { label: "Flash", colour: "flash", fill: "stacked", dash: DASH },
    ],
    figure: percent,
    tick: (value) => `${Math.round(value * 100)}%`,
    most: 1,
  });
  readonly #operations = new Chart({
    title: "Requests a second",
    about: "What guests asked for.",
    lines: [
      { label: "Reads", colour: "read" },
      { label: "Writes", colour: "write", dash: DASH },
    ],
    figure: rate,
    tick: brief,
    least: 10,
  });
  readonly #latency: Chart;
  readonly #means = new Chart({
    title: "Mean latency",
    about: "Of all reads, and of all writes.",
    lines: [
      { label: "Reads", colour: "read" },
      { label: "Writes", colour: "write", dash: DASH },
    ],
    figure: micros,
    least: 10,
  });
  readonly #spread: Chart;
  readonly #dirty = new Chart({
    title: "Dirty data",
    about: "What flash has and the backing does not, without zeroes.",
    lines: [
      { label: "Dirty", colour: "dirty", fill: "area" },
      { label: "Limit", colour: "limit", dash: DASH },
    ],
    figure: size,
    least: 64 * 1024,
    isBinary: true,
  });
  readonly #saved = new Chart({
    title: "Backing requests saved",
    about: "What guests asked for, and what reached the backing.",
    lines: [
      { label: "Guests", colour: "read" },
      { label: "Backing", colour: "limit", dash: DASH, fill: "area" },
    ],
    figure: rate,
    tick: brief,
    least: 10,
  });
  readonly #written = new Chart({
    title: "Written to flash",
    about: "Bytes a second, headers and second copies included.",
    lines: [{ label: "Flash", colour: "flash", fill: "area" }],
    figure: byteRate,
    tick: size,
    least: 64 * 1024,
    isBinary: true,
  });
  readonly #choice = h("select", { "aria-label": "Latency of", name: "latency-class" }, ...LATENCIES.map((name) => h("option", { value: name }, LATENCY_NAMES[name])));
  readonly #spreadChoice = h("select", { "aria-label": "Percentiles of", name: "latency-spread" }, h("option", { value: "readSpread" }, "Reads"), h("option", { value: "writeSpread" }, "Writes"));
  readonly #over = h("span", { class: "hint" });
  readonly #spans: HTMLElement;
  readonly #note = h("p", { class: "hint", role: "status" });
  #points: readonly Point[] = [];
  /** What is shown of a day or a week. */
  #steps: readonly Point[] = [];
  #range: Range | null = null;
  #isChosen = false;

  /** `choose` is told how far back somebody wants to look. */
  constructor(choose: (span: Span) => void) {
    const controls = h("div", { class: "chart-controls" }, this.#choice, this.#over);
    this.#choice.value = "read_miss";
    this.#choice.addEventListener("change", () => {
      this.#isChosen = true;
      this.#drawLatency();
    });
    const percentiles = (title: string, about: string) => ({
      title,
      about,
      lines: [
        { label: "Half", colour: "read" as const },
        { label: "95 %", colour: "write" as const, dash: DASH },
        { label: "99 %", colour: "limit" as const, dash: DOT },
      ],
      figure: micros,
      least: 10,
    });
    this.#latency = new Chart(percentiles("Latency", "So many in a hundred were faster."), controls);
    this.#spreadChoice.addEventListener("change", () => this.#drawSpread());
    this.#spread = new Chart(percentiles("Latency percentiles", "Of each step, so many in a hundred were faster."), h("div", { class: "chart-controls" }, this.#spreadChoice));
    const spans = Object.keys(SPANS) as Span[];
    const button = (span: Span) => h("button", { type: "button", "data-span": span, onclick: () => choose(span) }, SPAN_NAMES[span]);
    this.#spans = h("div", { class: "segmented", role: "group", "aria-label": "How far back" }, ...spans.map(button));
    this.element = h(
      "section",
      { class: "did", "aria-label": "Charts" },
      h("div", { class: "section-head" }, h("h2", {}, "What it did"), this.#note, this.#spans),
      h("div", { class: "charts" }, ...this.#all().map((chart) => chart.element)),
    );
    this.#setSpan("5m", false);
  }

  /** Shows what happened lately. */
  set(points: readonly Point[], hasWindows: boolean, mode: string): void {
    this.#setSpan("5m", false);
    this.#points = points;
    say(this.#over, hasWindows ? "over 5 minutes each" : "since attached");
    this.#draw(points, mode, null);
    this.#drawLatency();
  }

  /** Shows what is kept of a day or a week; nothing until that is known. */
  setPast(span: Span, past: Past | null, mode: string): void {
    const range = { end: past?.end ?? Date.now() / 1_000, seconds: SPANS[span] };
    const points = past?.points ?? [];
    this.#setSpan(span, past === null);
    this.#draw(points, mode, range);
    const line = (of: (point: Point) => number | null): Values => points.map(of);
    this.#means.set(points.map((point) => point.at), [line((point) => point.readMicros), line((point) => point.writeMicros)], range);
    [this.#steps, this.#range] = [points, range];
    this.#drawSpread();
  }

  leave(): void {
    for (const chart of this.#all()) chart.leave();
  }

  #all(): Chart[] {
    return [this.#ratio, this.#operations, this.#latency, this.#means, this.#spread, this.#saved, this.#dirty, this.#written];
  }

  #setSpan(span: Span, isWaiting: boolean): void {
    for (const button of this.#spans.children) button.setAttribute("aria-pressed", String(button.getAttribute("data-span") === span));
    say(this.#note, isWaiting ? "Asking Forebay\u2026" : span === "5m" ? "" : "In steps of five minutes; of dirty data, the most in each.");
    show(this.#latency.element, span === "5m");
    show(this.#means.element, span !== "5m");
    show(this.#spread.element, span !== "5m");
    // An odd number of charts between the first and the last: one has a row of its own.
    this.#dirty.element.classList.toggle("chart-wide", span !== "5m");
  }

  #draw(points: readonly Point[], mode: string, range: Range | null): void {
    const line = (of: (point: Point) => number | null): Values => points.map(of);
    const times = points.map((point) => point.at);
    this.#ratio.set(times, [line((point) => point.hitRam), line((point) => point.hitFlash)], range);
    this.#operations.set(times, [line((point) => point.rates?.reads ?? null), line((point) => point.rates?.writes ?? null)], range);
    this.#saved.set(times, [line((point) => operations(point.rates)), line((point) => (point.rates ? point.rates.backing_reads + point.rates.backing_writes : null))], range);
    this.#written.set(times, [line((point) => point.rates?.flash_write_bytes ?? null)], range);
    // Elsewhere the limit says nothing: nothing new becomes dirty.
    const limit = mode === "write-back" ? line((point) => point.dirtyLimitBytes) : points.map(() => null);
    this.#dirty.set(times, [line((point) => point.dirtyBytes), limit], range);
  }

  #drawLatency(): void {
    const newest = this.#points.at(-1)?.latency;
    // The first class that was measured at all, until somebody chooses.
    if (!this.#isChosen && newest && newest[this.#class()].count === 0) {
      const measured = LATENCIES.find((name) => newest[name].count > 0);
      if (measured) this.#choice.value = measured;
    }
    const chosen = this.#class();
    const line = (of: "p50" | "p95" | "p99"): Values =>
      this.#points.map((point) => (point.latency && point.latency[chosen].count > 0 ? point.latency[chosen][of] : null));
    this.#latency.set(this.#points.map((point) => point.at), [line("p50"), line("p95"), line("p99")]);
  }

  #drawSpread(): void {
    const of = this.#spreadChoice.value === "writeSpread" ? "writeSpread" : "readSpread";
    const lines = [0, 1, 2].map((at): Values => this.#steps.map((point) => point[of]?.[at] ?? null));
    this.#spread.set(this.#steps.map((point) => point.at), lines, this.#range);
  }

  #class(): LatencyClass {
    return LATENCIES.find((name) => name === this.#choice.value) ?? "read_miss";
  }
}
