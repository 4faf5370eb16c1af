// Which hit ratio a cache of which size would have, as the daemon predicts it: a picture, and what stands out in words.

import uPlot from "uplot";
import { change, diskPath } from "./api";
import { perform } from "./dialog";
import type { Curve, CurvePoint, FullDisk, Statistics } from "./documents";
import { freshId, h, say, show } from "./dom";
import { count, percent, size } from "./format";
import { facts } from "./parts";
import { type Choice, choice, described, doublings, marks } from "./sizes";
import { colour, onTheme } from "./theme";

const HEIGHT = 230;
/** Below that, the picture may be chance. */
const READS_FEW = 10_000;

const FACTS: [string, string][] = [
  ["present", "Present size"],
  ["half", "Half of it"],
  ["double", "Twice as much"],
  ["held", "Held now"],
  ["knee", "More gains less above"],
  ["largest", "More gains nothing above"],
  ["wanted", "For 90 % hits"],
  ["working_set", "Used in 48 active hours"],
];

export class CurveCard {
  readonly element: HTMLElement;
  readonly #canvas = h("div", { class: "curve-canvas", role: "img" });
  readonly #hint = h("p", { class: "hint", role: "status" });
  readonly #pointed = h("span", { class: "chart-when" });
  readonly #facts = facts(FACTS);
  readonly #observer = new ResizeObserver(() => this.#fit());
  readonly #forget: () => void;
  #curve: Curve | null = null;
  #plot: uPlot | null = null;
  #width = 0;
  #drawn = "";
  readonly #slider: HTMLInputElement;
  readonly #chosen = h("output", { class: "chosen", "data-figure": "chosen" });
  readonly #use = h("button", { type: "button", class: "primary", onclick: () => this.#ask() }, "Use this size\u2026");
  /** Sizes of the slider, the present one among them. */
  #choices: Choice[] = [];
  #isMoved = false;
  #disk: FullDisk | null = null;
  readonly #after: () => void;

  /** `after` is called when a size was set. */
  constructor(after: () => void) {
    this.#after = after;
    const id = freshId();
    this.#slider = h("input", { id, type: "range", min: 0, max: 0, step: 1, value: 0, "aria-describedby": `${id}-chosen` });
    this.#chosen.id = `${id}-chosen`;
    this.#slider.addEventListener("input", () => {
      this.#isMoved = true;
      this.#showChoice();
    });
    this.element = h(
      "section",
      { class: "card curve", "aria-label": "Curve" },
      h("div", { class: "section-head" }, h("h2", {}, "With a cache of another size"), this.#pointed),
      h("p", { class: "hint" }, "The share of reads that flash and RAM of this size would answer, predicted from samples of what guests lately did."),
      this.#canvas,
      h("div", { class: "slider" }, h("label", { for: id }, "Try a size"), this.#slider, this.#chosen, this.#use),
      this.#hint,
      this.#facts.element,
    );
    this.element.hidden = true;
    this.#observer.observe(this.#canvas);
    this.#forget = onTheme(() => this.#remake());
  }

  /** Shows it, if the disk was read. */
  set(curve: Curve | null, disk: FullDisk, recent: Statistics | undefined): void {
    this.#disk = disk;
    this.#curve = curve !== null && curve.reads > 0 ? curve : null;
    show(this.element, this.#curve !== null);
    if (!this.#curve) return;
    this.#facts.set(marks(this.#curve));
    say(this.#hint, this.#curve.reads < READS_FEW ? `Read ${count(this.#curve.reads)} times only: this may be chance.` : "");
    this.#offer(this.#curve, disk, recent);
    this.#canvas.setAttribute("aria-label", `Hit ratio by the size of the cache; at the present size of ${marks(this.#curve)["present"]}`);
    const drawn = JSON.stringify([this.#curve.points, this.#curve.present, this.#curve.held]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#canvas.dataset["points"] = String(this.#curve.points.length);
    this.#remake();
    this.#fit();
  }

  leave(): void {
    this.#observer.disconnect();
    this.#forget();
    this.#plot?.destroy();
    this.#plot = null;
  }

  /** Offers sizes on the slider. It stays where somebody moved it, and else at the present size. */
  #offer(curve: Curve, disk: FullDisk, recent: Statistics | undefined): void {
    const before = this.#choices[Number(this.#slider.value)]?.flashBytes;
    const limit = disk.limit_bytes ?? 0;
    const found = curve.points.map((point) => choice(curve, point, limit, recent)).filter((one) => one !== null);
    this.#choices = found.filter((one, index) => index === 0 || one.flashBytes !== found[index - 1]?.flashBytes);
    this.#slider.max = String(Math.max(0, this.#choices.length - 1));
    const wanted = this.#isMoved && before !== undefined ? before : limit;
    const nearest = this.#choices.reduce((best, one, index) => (distance(one, wanted) < distance(this.#choices[best], wanted) ? index : best), 0);
    this.#slider.value = String(nearest);
    this.#showChoice();
  }

  #showChoice(): void {
    const chosen = this.#choices[Number(this.#slider.value)];
    const isPresent = chosen?.flashBytes === this.#disk?.limit_bytes;
    say(this.#chosen, chosen ? `${described(chosen)}${isPresent ? " (as it is)" : ""}` : "No other size can be chosen");
    this.#slider.setAttribute("aria-valuetext", this.#chosen.textContent ?? "");
    this.#use.disabled = chosen === undefined || isPresent;
  }

  #ask(): void {
    const chosen = this.#choices[Number(this.#slider.value)];
    const disk = this.#disk;
    if (!chosen || !disk) return;
    const limit = size(chosen.flashBytes);
    const isLess = chosen.flashBytes < (disk.limit_bytes ?? 0);
    perform({
      title: `Let ${disk.name} have ${limit} of flash at most?`,
      sentences: [
        `Predicted: ${described(chosen)}.`,
        isLess ? `What it holds above that is evicted; it holds ${size(disk.statistics.flash_bytes)} now.` : "It grows into it as guests read, if the pool has room that no other disk reserved.",
        "Guests stay connected and go on meanwhile.",
      ],
      confirm: "Change",
      run: async () => {
        await change("PATCH", diskPath(disk.name), { settings: { limit: String(chosen.flashBytes) } });
        this.#isMoved = false;
        this.#after();
        return `${disk.name} may have ${limit} of flash now`;
      },
    });
  }

  #remake(): void {
    this.#plot?.destroy();
    this.#plot = null;
    this.#fit();
  }

  #fit(): void {
    const width = Math.floor(this.#canvas.clientWidth);
    if (width === 0 || !this.#curve) return;
    if (!this.#plot) this.#make(width, this.#curve);
    else if (width !== this.#width) this.#plot.setSize({ width, height: HEIGHT });
    this.#width = width;
  }

  #make(width: number, { points }: Curve): void {
    const axis = { stroke: colour("ink-soft"), font: `12px ${colour("font")}`, ticks: { show: false }, grid: { stroke: colour("rule"), width: 1 } };
    const stroke = colour("flash");
    const sizes = points.map((point) => doublings(point.cache_bytes));
    const options: uPlot.Options = {
      width,
      height: HEIGHT,
      legend: { show: false },
      cursor: { drag: { x: false, y: false } },
      scales: { x: { time: false, range: [sizes[0] ?? 0, sizes.at(-1) ?? 1] }, y: { range: [0, 1] } },
      axes: [
        { ...axis, grid: { show: false }, size: 26, space: 80, incrs: [1, 2, 4, 8], values: (_plot, splits) => splits.map((at) => size(2 ** at)) },
        { ...axis, size: 62, space: 36, values: (_plot, splits) => splits.map((value) => `${Math.round(value * 100)}%`) },
      ],
      series: [{}, { label: "Hit ratio", stroke, width: 2, points: { show: false }, fill: `${stroke}40` }],
      hooks: { draw: [(plot) => this.#mark(plot)], setCursor: [(plot) => this.#point(plot.cursor.idx ?? null)] },
    };
    this.#plot = new uPlot(options, [sizes, points.map((point) => point.hit_ratio)], this.#canvas);
  }

  /** Lines at the present size, and at what is held. */
  #mark(plot: uPlot): void {
    if (!this.#curve) return;
    const { ctx, bbox } = plot;
    const scale = window.devicePixelRatio || 1;
    const lines: [CurvePoint, string, string, number[]][] = [
      [this.#curve.held, "held", colour("limit"), [4, 4]],
      [this.#curve.present, "present", colour("ink"), []],
    ];
    ctx.save();
    ctx.font = `${12 * scale}px ${colour("font")}`;
    for (const [{ cache_bytes: bytes }, name, ink, dash] of lines) {
      const at = plot.valToPos(doublings(bytes), "x", true);
      // What is held may be less than the smallest size shown.
      if (bytes <= 0 || at < bbox.left || at > bbox.left + bbox.width) continue;
      ctx.strokeStyle = ctx.fillStyle = ink;
      ctx.lineWidth = 1.5 * scale;
      ctx.setLineDash(dash.map((length) => length * scale));
      ctx.beginPath();
      ctx.moveTo(at, bbox.top);
      ctx.lineTo(at, bbox.top + bbox.height);
      ctx.stroke();
      const isLeft = name === "held";
      ctx.textAlign = isLeft ? "right" : "left";
      ctx.fillText(name, at + (isLeft ? -5 : 5) * scale, bbox.top + 12 * scale);
    }
    ctx.restore();
  }

  #point(index: number | null): void {
    const point = index === null ? undefined : this.#curve?.points[index];
    say(this.#pointed, point ? `${size(point.cache_bytes)}: ${percent(point.hit_ratio)}` : "");
  }
}

function distance(one: Choice | undefined, bytes: number): number {
  return one === undefined ? Infinity : Math.abs(Math.log(one.flashBytes / bytes));
}
