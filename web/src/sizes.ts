// What a curve of sizes says, in words and places: pure, so that it can be tested without a browser.

import type { Curve, CurvePoint, Latency, Statistics } from "./documents";
import { NOTHING, micros, percent, size } from "./format";

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

/** A size that a disk could have, and what it would then do. */
export interface Choice {
  /** Flash of it: the limit to set, in bytes. RAM stays as it is. */
  flashBytes: number;
  hitRatio: number | null;
  /** Mean of reads, in microseconds: hits and misses as fast as they were lately. Null until both were measured. */
  readMicros: number | null;
}

/** The least flash that a disk may be limited to here. Below, the curve is of RAM alone. */
const FLASH_BYTES_MIN = 2 ** 20;

/** Returns what a point of the curve would be as a choice; null where RAM alone is as large. */
export function choice(curve: Curve, point: CurvePoint, limitBytes: number, statistics: Statistics | undefined): Choice | null {
  const ramBytes = Math.max(0, curve.present.cache_bytes - limitBytes);
  const isPresent = point.cache_bytes === curve.present.cache_bytes;
  // A limit is a whole number of MiB: nobody wants to read a fourth root.
  const flashBytes = isPresent ? limitBytes : Math.round((point.cache_bytes - ramBytes) / 2 ** 20) * 2 ** 20;
  if (flashBytes < FLASH_BYTES_MIN) return null;
  return { flashBytes, hitRatio: point.hit_ratio, readMicros: expectedMicros(point.hit_ratio, statistics) };
}

function expectedMicros(hitRatio: number | null, statistics: Statistics | undefined): number | null {
  const latency = statistics?.latency_us;
  if (!latency || hitRatio === null) return null;
  const hit = meanOf([latency.read_hit_ram, latency.read_hit_flash]);
  const miss = meanOf([latency.read_miss]);
  return hit === null || miss === null ? null : hitRatio * hit + (1 - hitRatio) * miss;
}

function meanOf(classes: Latency[]): number | null {
  const count = classes.reduce((sum, one) => sum + one.count, 0);
  return count > 0 ? classes.reduce((sum, one) => sum + one.count * one.mean, 0) / count : null;
}

/** What a choice comes to, in words. */
export function described(choice: Choice): string {
  const latency = choice.readMicros === null ? "" : `, reads ${micros(choice.readMicros)} on average`;
  return `${size(choice.flashBytes)} of flash: ${percent(choice.hitRatio)} hits${latency}`;
}
