// A chart over the last five minutes, a day or a week: uPlot draws, the legend below says the figures in words.
//
// Lines differ in dash as well as in colour. Without a canvas one still reads the figures: they are the legend.

import uPlot from "uplot";
import { clock, day, duration } from "./format";
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

/** Something that happened at a moment, in seconds since 1970: a line across the charts with its number. */
export interface Mark {
  at: number;
  label: string;
  colour: string;
}

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

/** A chart is lower where they stand below each other. */
const NARROW = window.matchMedia("(max-width: 720px)");
const height = () => (NARROW.matches ? 140 : 190);
/** Closer marks share their label. */
const MARK_PIXELS_MIN = 16;
/** A shorter drag is a click that slipped. */
const DRAG_PIXELS_MIN = 8;
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
  #marks: readonly Mark[] = [];
  #width = 0;
  /** Called with two moments, in seconds, when somebody drew over the time between them. */
  readonly #choose: (one: number, other: number) => void;

  constructor(options: Options, choose: (one: number, other: number) => void, controls: HTMLElement | null = null) {
    this.#options = options;
    this.#choose = choose;
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
  set(times: number[], values: Values[], range: Range | null = null, marks: readonly Mark[] = []): void {
    this.#marks = marks;
    this.#canvas.dataset["marks"] = String(marks.length);
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
    const over = this.#range === null ? "the last five minutes" : `${duration(this.#range.seconds)} up to ${day(this.#range.end * 1_000)} ${clock(this.#range.end * 1_000)}`;
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
    else if (width !== this.#width) this.#plot.setSize({ width, height: height() });
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
      height: height(),
      legend: { show: false },
      cursor: { sync: { key: "forebay" }, drag: { x: true, y: false, setScale: false, dist: DRAG_PIXELS_MIN } },
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
      hooks: {
        setCursor: [(plot) => this.#legend(plot.cursor.idx ?? null)],
        setSelect: [(plot) => this.#select(plot)],
        draw: [(plot) => this.#drawMarks(plot)],
      },
    };
    this.#plot = new uPlot(options, this.#data(), this.#canvas);
  }

  #select(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < DRAG_PIXELS_MIN) return;
    const [one, other] = [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")];
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.#choose(one, other);
  }

  /** Draws a line with a number where something happened. The list below the charts says what. */
  #drawMarks(plot: uPlot): void {
    const { ctx, bbox } = plot;
    const scale = window.devicePixelRatio || 1;
    ctx.save();
    ctx.font = `600 ${11 * scale}px ${colour("font")}`;
    ctx.lineWidth = scale;
    ctx.setLineDash([2 * scale, 3 * scale]);
    ctx.textAlign = "center";
    let labels: string[] = [];
    this.#marks.forEach((mark, index) => {
      const at = plot.valToPos(mark.at, "x", true);
      labels.push(mark.label);
      // Numbers of marks that stand close together stand beside each other, at the last of them.
      const next = this.#marks[index + 1];
      if (next && plot.valToPos(next.at, "x", true) - at < MARK_PIXELS_MIN * scale) return;
      ctx.strokeStyle = ctx.fillStyle = colour(mark.colour);
      ctx.beginPath();
      ctx.moveTo(at, bbox.top + 14 * scale);
      ctx.lineTo(at, bbox.top + bbox.height);
      ctx.stroke();
      ctx.fillText(labels.length > 2 ? `${labels[0]}\u2013${mark.label}` : labels.join(","), at, bbox.top + 11 * scale);
      labels = [];
    });
    ctx.restore();
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
