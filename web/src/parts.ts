// Small pieces that several views have.

import { h, keyed, say, svg } from "./dom";
import { percent } from "./format";
import { SIGNS, type Finding, type Tone } from "./words";

/** A state as a sign and a word. */
export function badge(): HTMLElement {
  return h("span", { class: "badge" }, h("span", { class: "sign", "aria-hidden": "true" }), h("span", {}));
}

export function setBadge(element: Element, tone: Tone, word: string): void {
  element.className = `badge badge-${tone}`;
  const [sign, text] = element.children;
  if (sign) say(sign, SIGNS[tone]);
  if (text) say(text, word);
}

/** A figure with its name above and a remark below. */
export interface Tile {
  element: HTMLElement;
  set(value: string, remark?: string): void;
}

export function tile(name: string, key: string): Tile {
  const value = h("div", { class: "tile-value", "data-figure": key });
  const remark = h("div", { class: "tile-remark" });
  const element = h("div", { class: "tile" }, h("div", { class: "tile-name" }, name), value, remark);
  return {
    element,
    set(text, more = "") {
      say(value, text);
      say(remark, more);
    },
  };
}

/** Findings as a list, the worst first. */
export function findingList(): { element: HTMLElement; set(findings: Finding[]): void } {
  const list = h("ul", { class: "findings", "aria-live": "polite", "aria-label": "Warnings" });
  return {
    element: list,
    set(findings) {
      list.hidden = findings.length === 0;
      keyed(
        list,
        findings,
        (finding) => `${finding.tone} ${finding.text.replace(/\d[\d.]*/g, "#")}`,
        () => h("li", {}, h("span", { class: "sign", "aria-hidden": "true" }), h("div", {}, h("div", { class: "finding-text" }), h("div", { class: "finding-advice" }))),
        (element, finding) => {
          element.className = `finding finding-${finding.tone}`;
          setIn(element, ".sign", SIGNS[finding.tone]);
          setIn(element, ".finding-text", finding.text);
          setIn(element, ".finding-advice", finding.advice ?? "");
        },
      );
    },
  };
}

/** Changes the text of the first match inside. */
export function setIn(element: Element, selector: string, text: string): void {
  const found = element.querySelector(selector);
  if (found) say(found, text);
}

const SPARK = { width: 120, height: 28 };

/** A line from 0 to 1 without an axis, as wide as the span that charts show. */
export function spark(label: string): { element: SVGElement; set(values: (number | null)[], slots: number): void } {
  const element = svg("svg", { class: "spark", viewBox: `0 0 ${SPARK.width} ${SPARK.height}`, role: "img", preserveAspectRatio: "none" });
  const line = svg("path", { fill: "none", "vector-effect": "non-scaling-stroke" });
  element.append(svg("path", { class: "spark-base", d: `M0 ${SPARK.height - 1}H${SPARK.width}`, fill: "none" }), line);
  return {
    element,
    set(values, slots) {
      line.setAttribute("d", path(values, slots));
      const newest = values.filter((value) => value !== null).at(-1);
      element.setAttribute("aria-label", newest === undefined ? `${label}: no reads in the last five minutes` : `${label} over the last five minutes, ${percent(newest)} lately`);
    },
  };
}

function path(values: (number | null)[], slots: number): string {
  const step = SPARK.width / Math.max(1, slots - 1);
  const first = SPARK.width - (values.length - 1) * step;
  let pen = "M";
  let drawn = "";
  values.forEach((value, index) => {
    if (value === null) {
      pen = "M";
      return;
    }
    drawn += `${pen}${(first + index * step).toFixed(1)} ${((1 - value) * (SPARK.height - 4) + 2).toFixed(1)}`;
    pen = "L";
  });
  return drawn;
}

/** Pairs of name and value. */
export function facts(names: readonly [string, string][]): { element: HTMLElement; set(values: Record<string, string>): void } {
  const cells = names.map(([key, name]) => ({ key, name, cell: h("dd", { "data-figure": key }) }));
  const element = h("dl", { class: "facts" }, ...cells.map(({ name, cell }) => h("div", {}, h("dt", {}, name), cell)));
  return {
    element,
    set(values) {
      for (const { key, cell } of cells) {
        say(cell, values[key] ?? "");
        if (cell.parentElement) cell.parentElement.hidden = values[key] === undefined;
      }
    },
  };
}
