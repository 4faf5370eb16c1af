// What a disk did before the page was opened, and over a day or a week: the daemon's steps become points.

import { COUNTERS, type History, type Span } from "./documents";
import type { Point, Rates } from "./series";

/** How far back charts look, in seconds. */
export const SPANS: Record<Span, number> = { "5m": 300, "1d": 86_400, "7d": 7 * 86_400 };

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
