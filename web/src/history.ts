// What a disk did before the page was opened, and over a day or a week: the daemon's steps become points.

import { COUNTERS, type History, type Span } from "./documents";
import type { Point, Rates } from "./series";

/** How far back the daemon's documents reach, in seconds, the shortest first. */
export const SPANS: Record<Span, number> = { "5m": 300, "1d": 86_400, "7d": 7 * 86_400 };

/** A time that charts show: so many seconds up to a moment, in seconds of the browser's clock. Null is now, and moves with it. */
export interface Period {
  seconds: number;
  end: number | null;
  /** The document it was chosen from, where that is not the shortest that reaches far enough. */
  of?: Span;
}

/** What charts show unless somebody chooses otherwise. */
export const LIVE: Period = { seconds: SPANS["5m"], end: null };

/** Names the shortest document that reaches back to the beginning of a period. */
export function sourceOf(period: Period, now: number = Date.now() / 1_000): Span {
  if (period.of) return period.of;
  const back = period.end === null ? period.seconds : now - period.end + period.seconds;
  const spans = Object.keys(SPANS) as Span[];
  return spans.find((span) => SPANS[span] >= back) ?? "7d";
}

/** Returns the period between two moments in seconds, in their order, kept within what the daemon remembers; null if nothing is left. */
export function between(one: number, other: number, now: number): Period | null {
  const start = Math.max(Math.min(one, other), now - SPANS["7d"]);
  const end = Math.min(Math.max(one, other), now);
  return end - start >= PERIOD_SECONDS_MIN ? { seconds: end - start, end } : null;
}

/** A shorter time has fewer than two steps in the finest document. */
const PERIOD_SECONDS_MIN = 10;

/** A span that charts show, with what the daemon kept of it. */
export interface Past {
  span: Span;
  /** The newest moment, in seconds by the browser's clock. */
  end: number;
  points: Point[];
}

/**
 * The steps of a document as points, at times of the browser's clock, which may differ from the host's. Where the disk was not
 * served stands a point without figures: nothing is known, and a line is not drawn across it.
 */
export function past(history: History, now: number): Past {
  const ahead = now - history.now;
  const points: Point[] = [];
  let known: number | null = null;
  history.time.forEach((time, step) => {
    const begun = time - (history.seconds[step] ?? 0);
    const one = point(history, step, time + ahead);
    const isAfterHole = known !== null && begun - known > history.step_seconds;
    if (isAfterHole) points.push(nothing((known ?? 0) + ahead));
    // A line begins where its first step does: one step alone would be no line.
    if ((isAfterHole || known === null) && begun < time) points.push({ ...one, at: begun + ahead });
    points.push(one);
    known = time;
  });
  return { span: history.span, end: now, points };
}

function point(history: History, step: number, at: number): Point {
  const seconds = history.seconds[step] ?? 0;
  const figure = (column: (number | null)[] | undefined): number | null => column?.[step] ?? null;
  const reads = figure(history.reads) ?? 0;
  const share = (hits: number | null) => (reads > 0 && hits !== null ? hits / reads : null);
  return {
    at,
    // What is not kept counts as nothing: charts do not draw it.
    rates: seconds > 0 ? (Object.fromEntries(COUNTERS.map((name) => [name, (figure(history[name]) ?? 0) / seconds])) as Rates) : null,
    hitRam: share(figure(history.read_hits_ram)),
    hitFlash: share(figure(history.read_hits_flash)),
    readMicros: figure(history.read_latency_us),
    writeMicros: figure(history.write_latency_us),
    // Of five minutes, the most says more than the end.
    dirtyBytes: figure(history.span === "5m" ? history.dirty_bytes : history.dirty_bytes_max),
    dirtyLimitBytes: figure(history.dirty_limit_bytes),
    latency: null,
    readSpread: [figure(history.read_p50_us), figure(history.read_p95_us), figure(history.read_p99_us)],
    writeSpread: [figure(history.write_p50_us), figure(history.write_p95_us), figure(history.write_p99_us)],
  };
}

function nothing(at: number): Point {
  return { at, rates: null, hitRam: null, hitFlash: null, readMicros: null, writeMicros: null, dirtyBytes: null, dirtyLimitBytes: null, latency: null, readSpread: null, writeSpread: null };
}
