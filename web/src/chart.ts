// A chart over the last five minutes, a day or a week: uPlot draws, the legend below says the figures in words.
//
// Lines differ in dash as well as in colour. Without a canvas one still reads the figures: they are the legend.

import uPlot from "uplot";
import { clock, day } from "./format";
import { SPAN_SECONDS } from "./series";
import { h, say } from "./dom";
import { colour, onTheme } from "./theme";

/** Patterns of lines. */
export const DASH = [7, 4];
export const DOT = [2, 3];

/** What the time axis shows if it is not what was seen lately: up to which moment, and how many seconds before it. */
export interface Range {
  end: number;
  seconds: number;
}

export type Values = (number | null)[];

export interface Line {
  label: string;
  /** Name of a colour of the style sheet. */
  colour: string;
  dash?: number[];
  /** Fills down to the line before it, or to zero. */
  fill?: "stacked" | "area";
}

export interface Options {
  title: string;
  /** What the lines mean, in a sentence. */
  about: string;
  lines: Line[];
  /** Text of a figure in the legend. */
  figure: (value: number | null) => string;
  /** Text of a tick, where that is shorter. */
  tick?: (value: number) => string;
  /** The axis ends here at least. */
  least?: number;
  /** The axis ends here always. */
  most?: number;
  /** Ticks are powers of two: for bytes. */
  isBinary?: boolean;
}

const HEIGHT = 190;
/** The least that the time axis spans: until five minutes were seen, it grows with what was. */
const SPAN_SECONDS_MIN = 60;
/** Below that, minutes are too coarse for the ticks. */
const SPAN_SECONDS_SHORT = 180;
/** Above that, a time needs its day. */
const SPAN_SECONDS_DAY = 86_400;
const POWERS_OF_TWO = Array.from({ length: 50 }, (_, power) => 2 ** power);

export class Chart {
  readonly element: HTMLElement;
  readonly #options: Options;
  readonly #canvas = h("div", { class: "chart-canvas" });
  readonly #figures: HTMLElement[] = [];
  readonly #when = h("span", { class: "chart-when" });
  readonly #observer: ResizeObserver;
  readonly #forget: () => void;
  #plot: uPlot | null = null;
  #times: number[] = [];
  #values: Values[] = [];
  #range: Range | null = null;
  #width = 0;

  constructor(options: Options, controls: HTMLElement | null = null) {
    this.#options = options;
    const legend = options.lines.map((line) => {
      const figure = h("span", { class: "figure" });
      this.#figures.push(figure);
      const sample = h("span", { class: `sample sample-${line.colour}${line.dash ? ` sample-${line.dash[0] === DOT[0] ? "dot" : "dash"}` : ""}`, "aria-hidden": "true" });
      return h("li", {}, sample, h("span", {}, line.label), figure);
    });
    this.element = h(
      "figure",
      { class: "chart card" },
      h("figcaption", {}, h("div", {}, h("h3", {}, options.title), h("p", {}, options.about)), controls),
      this.#canvas,
      h("div", { class: "legend" }, h("ul", {}, ...legend), this.#when),
    );
    this.#canvas.setAttribute("role", "img");
    this.#describe();
    this.#observer = new ResizeObserver(() => this.#fit());
    this.#observer.observe(this.#canvas);
    this.#forget = onTheme(() => this.#remake());
  }

  /** Shows these values; `times` are seconds since 1970, and each line has as many values. */
  set(times: number[], values: Values[], range: Range | null = null): void {
    this.#times = times;
    this.#values = values;
    this.#range = range;
    this.#describe();
    this.#canvas.dataset["points"] = String(times.length);
    if (this.#plot) this.#plot.setData(this.#data());
    else this.#fit();
    this.#legend(null);
  }

  #describe(): void {
    const over = this.#range === null ? "the last five minutes" : this.#range.seconds > SPAN_SECONDS_DAY ? "the last week" : "the last day";
    this.#canvas.setAttribute("aria-label", `${this.#options.title}: lines over ${over}; the newest figures follow`);
  }

  leave(): void {
    this.#observer.disconnect();
    this.#forget();
    this.#plot?.destroy();
    this.#plot = null;
  }

  #fit(): void {
    const width = Math.floor(this.#canvas.clientWidth);
    if (width === 0) return;
    if (!this.#plot) this.#make(width);
    else if (width !== this.#width) this.#plot.setSize({ width, height: HEIGHT });
    this.#width = width;
  }

  #remake(): void {
    if (!this.#plot) return;
    this.#plot.destroy();
    this.#plot = null;
    this.#fit();
  }

  /** What is drawn: a stacked line stands on the one before it. */
  #data(): uPlot.AlignedData {
    const drawn: Values[] = [];
    this.#options.lines.forEach((line, index) => {
      const own = this.#values[index] ?? [];
      const below = line.fill === "stacked" ? drawn[index - 1] : undefined;
      drawn.push(below ? own.map((value, at) => (value === null ? null : value + (below[at] ?? 0))) : own);
    });
    return [this.#times, ...drawn] as uPlot.AlignedData;
  }

  #make(width: number): void {
    const { lines, tick, figure, least, most, isBinary } = this.#options;
    const axis = { stroke: colour("ink-soft"), font: `12px ${colour("font")}`, ticks: { show: false }, grid: { stroke: colour("rule"), width: 1 } };
    const options: uPlot.Options = {
      width,
      height: HEIGHT,
      legend: { show: false },
      cursor: { sync: { key: "forebay" }, drag: { x: false, y: false } },
      scales: {
        x: { time: true, range: () => this.#span() },
        y: { range: (_plot, _low, high) => [0, most ?? Math.max((high ?? 0) * 1.1, least ?? 1)] },
      },
      axes: [
        { ...axis, grid: { show: false }, size: 26, space: 110, values: (_plot, splits) => splits.map((at) => this.#time(at)) },
        { ...axis, size: 62, space: 36, values: (_plot, splits) => splits.map((value) => (tick ?? figure)(value)), ...(isBinary ? { incrs: POWERS_OF_TWO } : {}) },
      ],
      series: [{}, ...lines.map((line) => this.#line(line))],
      bands: lines.flatMap((line, index) => (line.fill === "stacked" && index > 0 ? [{ series: [index + 1, index] as [number, number] }] : [])),
      hooks: { setCursor: [(plot) => this.#legend(plot.cursor.idx ?? null)] },
    };
    this.#plot = new uPlot(options, this.#data(), this.#canvas);
  }

  #line(line: Line): uPlot.Series {
    const stroke = colour(line.colour);
    return {
      label: line.label,
      stroke,
      width: 2,
      points: { show: false },
      ...(line.dash ? { dash: line.dash } : {}),
      ...(line.fill ? { fill: `${stroke}40` } : {}),
    };
  }

  #span(): [number, number] {
    if (this.#range) return [this.#range.end - this.#range.seconds, this.#range.end];
    const end = this.#times.at(-1) ?? Date.now() / 1_000;
    const seen = end - (this.#times[0] ?? end);
    return [end - Math.min(SPAN_SECONDS, Math.max(SPAN_SECONDS_MIN, seen)), end];
  }

  #time(at: number): string {
    const [start, end] = this.#span();
    const text = clock(at * 1_000);
    if (end - start > SPAN_SECONDS_DAY && text === "00:00:00") return day(at * 1_000);
    return end - start < SPAN_SECONDS_SHORT ? text : text.slice(0, 5);
  }

  /** The figures at a point, or the newest ones. */
  #legend(index: number | null): void {
    const at = index ?? this.#times.length - 1;
    const time = this.#times[at];
    this.#figures.forEach((element, line) => say(element, this.#options.figure(this.#values[line]?.[at] ?? null)));
    const text = time === undefined ? "" : clock(time * 1_000);
    say(this.#when, index === null || time === undefined ? "now" : this.#range ? `${day(time * 1_000)} ${text.slice(0, 5)}` : text);
  }
}
