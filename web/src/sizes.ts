// What a curve of sizes says, in words and places: pure, so that it can be tested without a browser.

import type { Curve, CurvePoint } from "./documents";
import { NOTHING, percent, size } from "./format";

/** Points of the document from a size to twice as much. */
const POINTS_PER_DOUBLING = 4;

/** Doublings: sizes lie evenly on a logarithmic axis. */
export function doublings(bytes: number): number {
  return Math.log2(bytes);
}

/** What stands out, in words. */
export function marks(curve: Curve): Record<string, string> {
  const at = (point: CurvePoint | null | undefined) => (point ? `${size(point.cache_bytes)}: ${percent(point.hit_ratio)}` : NOTHING);
  const present = curve.points.findIndex((point) => point.cache_bytes === curve.present.cache_bytes);
  const beside = (steps: number) => (present < 0 ? null : curve.points[present + steps]);
  const wanted = curve.wanted.find((one) => one.hit_ratio === 0.9)?.cache_bytes;
  return {
    present: at(curve.present),
    half: at(beside(-POINTS_PER_DOUBLING)),
    double: at(beside(POINTS_PER_DOUBLING)),
    held: at(curve.held),
    knee: at(curve.knee),
    largest: at(curve.largest),
    wanted: wanted == null ? "no size has it" : size(wanted),
    working_set: size(curve.working_set_bytes),
  };
}
