// The charts of a disk: live, of the last five minutes; or of any time of the last week, as the daemon kept it. What happened
// meanwhile is marked on all of them.

import { Chart, DASH, DOT, type Mark, type Range, type Values } from "./chart";
import { LATENCIES, type LatencyClass } from "./documents";
import { h, keyed, say, show } from "./dom";
import { brief, byteRate, micros, moment, percent, rate, size } from "./format";
import { type Period, between, sourceOf } from "./history";
import { type MarkedEvent, marked } from "./marks";
import { badge, setBadge, setIn } from "./parts";
import { type Point, operations } from "./series";
import type { Knowledge } from "./store";
import { LATENCY_NAMES, LEVELS } from "./words";

/** Periods up to now that one press chooses. */
const PERIODS: [string, number][] = [["5 minutes", 300], ["1 hour", 3_600], ["6 hours", 21_600], ["1 day", 86_400], ["1 week", 7 * 86_400]];

export class Charts {
  readonly element: HTMLElement;
  #choose: (period: Period) => void = () => {};
  readonly #drawnOver = (one: number, other: number) => {
    const period = between(one, other, Date.now() / 1_000);
    if (period) this.#choose(this.#isLive() ? { ...period, of: "5m" } : period);
  };
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
  }, this.#drawnOver);
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
  }, this.#drawnOver);
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
  }, this.#drawnOver);
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
  }, this.#drawnOver);
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
  }, this.#drawnOver);
  readonly #written = new Chart({
    title: "Written to flash",
    about: "Bytes a second, headers and second copies included.",
    lines: [{ label: "Flash", colour: "flash", fill: "area" }],
    figure: byteRate,
    tick: size,
    least: 64 * 1024,
    isBinary: true,
  }, this.#drawnOver);
  readonly #choice = h("select", { "aria-label": "Latency of", name: "latency-class" }, ...LATENCIES.map((name) => h("option", { value: name }, LATENCY_NAMES[name])));
  readonly #spreadChoice = h("select", { "aria-label": "Percentiles of", name: "latency-spread" }, h("option", { value: "readSpread" }, "Reads"), h("option", { value: "writeSpread" }, "Writes"));
  readonly #over = h("span", { class: "hint" });
  readonly #spans: HTMLElement;
  readonly #note = h("p", { class: "hint", role: "status" });
  #points: readonly Point[] = [];
  /** What is shown of a day or a week. */
  #steps: readonly Point[] = [];
  #range: Range | null = null;
  #marks: readonly Mark[] = [];
  #period: Period | null = null;
  #isChosen = false;
  readonly #from = h("input", { type: "datetime-local", name: "from", step: 1, required: true, "aria-label": "From" });
  readonly #to = h("input", { type: "datetime-local", name: "to", step: 1, required: true, "aria-label": "To" });
  readonly #happened = h("ol", { class: "happened", "aria-label": "Events in this time" });

  /** `choose` is called with the period that somebody wants to see. */
  constructor(choose: (period: Period) => void) {
    this.#choose = choose;
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
    this.#latency = new Chart(percentiles("Latency", "So many in a hundred were faster."), this.#drawnOver, controls);
    this.#spreadChoice.addEventListener("change", () => this.#drawSpread());
    this.#spread = new Chart(percentiles("Latency percentiles", "Of each step, so many in a hundred were faster."), this.#drawnOver, h("div", { class: "chart-controls" }, this.#spreadChoice));
    const button = ([name, seconds]: [string, number]) => h("button", { type: "button", "data-seconds": seconds, onclick: () => choose({ seconds, end: null }) }, name);
    this.#spans = h("div", { class: "segmented", role: "group", "aria-label": "How far back" }, ...PERIODS.map(button));
    const form = h("form", { class: "period", "aria-label": "Period" }, this.#from, h("span", {}, "to"), this.#to, h("button", { type: "submit" }, "Show"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const moments = [this.#from, this.#to].map((input) => new Date(input.value).getTime() / 1_000);
      const period = between(moments[0] ?? NaN, moments[1] ?? NaN, Date.now() / 1_000);
      if (period) choose(period);
      else say(this.#note, "The two moments must be within the last week, and at least ten seconds apart.");
    });
    this.element = h(
      "section",
      { class: "did", "aria-label": "Charts" },
      h("div", { class: "section-head" }, h("h2", {}, "What it did"), this.#spans),
      h("details", { class: "other-period" }, h("summary", {}, "Another time"), form),
      this.#note,
      h("div", { class: "charts" }, ...this.#all().map((chart) => chart.element)),
      this.#happened,
    );
  }

  /** Shows what the disk did in the period that is chosen, and what happened meanwhile. */
  update(known: Knowledge, name: string, mode: string): void {
    const { period } = known;
    const isShort = sourceOf(period) === "5m";
    const now = Date.now() / 1_000;
    const points = isShort ? (known.series.get(name)?.points ?? []) : (known.past?.points ?? []);
    const end = period.end ?? (isShort ? (points.at(-1)?.at ?? now) : (known.past?.end ?? now));
    const events = marked(known.events ?? [], name, known.ahead, end - period.seconds, end);
    // Live charts grow until five minutes were seen.
    this.#range = isShort && period.end === null ? null : { end, seconds: period.seconds };
    this.#marks = events.map(({ mark }) => mark);
    this.#setPeriod(period, isShort, !isShort && known.past === null);
    this.#list(events);
    this.#draw(points, mode);
    if (isShort) {
      this.#points = points;
      say(this.#over, known.windows.has(name) ? "over 5 minutes each" : "since attached");
      this.#drawLatency();
      return;
    }
    const line = (of: (point: Point) => number | null): Values => points.map(of);
    this.#means.set(points.map((point) => point.at), [line((point) => point.readMicros), line((point) => point.writeMicros)], this.#range, this.#marks);
    this.#steps = points;
    this.#drawSpread();
  }

  leave(): void {
    for (const chart of this.#all()) chart.leave();
  }

  #all(): Chart[] {
    return [this.#ratio, this.#operations, this.#latency, this.#means, this.#spread, this.#saved, this.#dirty, this.#written];
  }

  #isLive(): boolean {
    return this.#period !== null && sourceOf(this.#period) === "5m";
  }

  #setPeriod(period: Period, isShort: boolean, isWaiting: boolean): void {
    const isOther = period !== this.#period;
    this.#period = period;
    for (const button of this.#spans.children) {
      button.setAttribute("aria-pressed", String(period.end === null && button.getAttribute("data-seconds") === String(period.seconds)));
    }
    if (isOther && period.end !== null) {
      this.#from.value = local(period.end - period.seconds);
      this.#to.value = local(period.end);
    }
    const steps = isShort ? "" : "In steps of five minutes; of dirty data, the most in each. ";
    if (isOther || isWaiting) say(this.#note, isWaiting ? "Asking Forebay\u2026" : `${steps}Draw over a chart to see a part of it.`);
    else if (this.#note.textContent === "Asking Forebay\u2026") say(this.#note, `${steps}Draw over a chart to see a part of it.`);
    show(this.#latency.element, isShort);
    show(this.#means.element, !isShort);
    show(this.#spread.element, !isShort);
    // An odd number of charts between the first and the last: one has a row of its own.
    this.#dirty.element.classList.toggle("chart-wide", !isShort);
  }

  /** Lists what the numbers on the charts stand for. */
  #list(events: readonly MarkedEvent[]): void {
    show(this.#happened, events.length > 0);
    const make = () => h("li", {}, h("span", { class: "happened-number" }), badge(), h("time", {}), h("span", { class: "happened-text" }));
    keyed(this.#happened, events, ({ event }) => `${event.id} ${event.time}`, make, (element, { event, mark }) => {
      setIn(element, ".happened-number", mark.label);
      const level = element.querySelector(".badge");
      if (level) setBadge(level, LEVELS[event.level] ?? "warning", event.level);
      setIn(element, "time", moment(event.time));
      setIn(element, ".happened-text", event.message);
    });
  }

  #draw(points: readonly Point[], mode: string): void {
    const line = (of: (point: Point) => number | null): Values => points.map(of);
    const times = points.map((point) => point.at);
    const set = (chart: Chart, ...values: Values[]) => chart.set(times, values, this.#range, this.#marks);
    set(this.#ratio, line((point) => point.hitRam), line((point) => point.hitFlash));
    set(this.#operations, line((point) => point.rates?.reads ?? null), line((point) => point.rates?.writes ?? null));
    set(this.#saved, line((point) => operations(point.rates)), line((point) => (point.rates ? point.rates.backing_reads + point.rates.backing_writes : null)));
    set(this.#written, line((point) => point.rates?.flash_write_bytes ?? null));
    // Elsewhere the limit says nothing: nothing new becomes dirty.
    const limit = mode === "write-back" ? line((point) => point.dirtyLimitBytes) : points.map(() => null);
    set(this.#dirty, line((point) => point.dirtyBytes), limit);
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
    this.#latency.set(this.#points.map((point) => point.at), [line("p50"), line("p95"), line("p99")], this.#range, this.#marks);
  }

  #drawSpread(): void {
    const of = this.#spreadChoice.value === "writeSpread" ? "writeSpread" : "readSpread";
    const lines = [0, 1, 2].map((at): Values => this.#steps.map((point) => point[of]?.[at] ?? null));
    this.#spread.set(this.#steps.map((point) => point.at), lines, this.#range, this.#marks);
  }

  #class(): LatencyClass {
    return LATENCIES.find((name) => name === this.#choice.value) ?? "read_miss";
  }
}

/** A moment in seconds as a field for date and time has it. */
function local(seconds: number): string {
  const at = new Date(seconds * 1_000);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
