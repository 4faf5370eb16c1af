// What the page has seen of a disk: documents become points, rates are differences between two documents.
//
// Counters begin anew when a disk is attached again, after a restart too; the first document after that is a new start.

import { COUNTERS, type Counter, type Latency, type LatencyClass, type Statistics } from "./documents";

/** How long points are kept, in seconds: what the charts show. */
export const SPAN_SECONDS = 300;
/** Ratios are those of so many seconds: of fewer, too few requests would make them jump. */
const RATIO_SECONDS = 10;
/** Rates over less than this would jump; a document that comes sooner is left out. */
const RATE_SECONDS_MIN = 1;
/** More than any daemon is asked in the span; a limit all the same. */
const SAMPLES_MAX = 1_000;

/** One document with the time at which it came, in seconds. */
export interface Sample {
  at: number;
  statistics: Statistics;
}

/** What happened a second, between two samples. */
export type Rates = Record<Counter, number>;

/** What charts draw. Rates are a second, ratios from 0 to 1; null where nothing is known. */
export interface Point {
  at: number;
  rates: Rates | null;
  hitRam: number | null;
  hitFlash: number | null;
  /** Means of what was answered lately, in microseconds. */
  readMicros: number | null;
  writeMicros: number | null;
  /** Without zeroes, as the limit is. */
  dirtyBytes: number | null;
  dirtyLimitBytes: number | null;
  latency: Record<LatencyClass, Latency> | null;
  /** Of a step that the daemon kept: half, 95 and 99 in a hundred were faster, in microseconds. */
  readSpread: Spread | null;
  writeSpread: Spread | null;
}

export type Spread = [number | null, number | null, number | null];

/** True if both are of one attachment: nothing that only rises went back. */
export function goesOn(earlier: Statistics, later: Statistics): boolean {
  return COUNTERS.every((name) => {
    const [before, after] = [earlier[name], later[name]];
    return before !== undefined && after !== undefined && after >= before;
  });
}

/** What happened a second between two samples; null if they do not belong together. */
export function rates(earlier: Sample, later: Sample): Rates | null {
  const seconds = later.at - earlier.at;
  if (seconds <= 0 || !goesOn(earlier.statistics, later.statistics)) return null;
  const all = COUNTERS.map((name) => [name, difference(earlier, later, name) / seconds] as const);
  return Object.fromEntries(all) as Rates;
}

function difference(earlier: Sample, later: Sample, name: Counter): number {
  return (later.statistics[name] ?? 0) - (earlier.statistics[name] ?? 0);
}

const READS: LatencyClass[] = ["read_hit_ram", "read_hit_flash", "read_miss"];

/** The mean of these classes between two samples, in microseconds; null if nothing was measured. */
export function meanMicros(earlier: Sample, later: Sample, classes: LatencyClass[]): number | null {
  const total = ({ statistics }: Sample, of: (latency: Latency) => number) =>
    classes.reduce((sum, name) => sum + (statistics.latency_us ? of(statistics.latency_us[name]) : 0), 0);
  const risen = (of: (latency: Latency) => number) => total(later, of) - total(earlier, of);
  const count = risen((latency) => latency.count);
  return count > 0 ? Math.max(0, risen((latency) => latency.count * latency.mean)) / count : null;
}

/** The share of what guests asked for that the backing was not asked for; null without requests. */
export function saved(counts: Partial<Rates> | null): number | null {
  if (counts === null) return null;
  const asked = (counts.reads ?? 0) + (counts.writes ?? 0);
  return asked > 0 ? 1 - ((counts.backing_reads ?? 0) + (counts.backing_writes ?? 0)) / asked : null;
}

/** Requests of guests a second. */
export function operations(rates: Rates | null): number | null {
  return rates === null ? null : rates.reads + rates.writes;
}

/** What several disks do together; null if nothing is known of any. */
export function together(all: (Rates | null)[]): Rates | null {
  const known = all.filter((rates): rates is Rates => rates !== null);
  if (known.length === 0) return null;
  return sums(known);
}

/** Full hits of all reads; null without reads. */
export function hitRatio(counts: Partial<Rates>): number | null {
  const { reads = 0, read_hits_ram = 0, read_hits_flash = 0 } = counts;
  return reads > 0 ? (read_hits_ram + read_hits_flash) / reads : null;
}

/** The counters of several disks, added up. */
export function sums(all: Partial<Rates>[]): Rates {
  return Object.fromEntries(COUNTERS.map((name) => [name, all.reduce((sum, one) => sum + (one[name] ?? 0), 0)])) as Rates;
}

/** The samples and points of one disk, the newest last. */
export class Series {
  #samples: Sample[] = [];
  #points: Point[] = [];

  get points(): readonly Point[] {
    return this.#points;
  }

  get last(): Point | undefined {
    return this.#points.at(-1);
  }

  /** Takes one more document; `window` has the percentiles if the daemon knows windows. */
  add(at: number, statistics: Statistics, window?: Statistics): void {
    const sample = { at, statistics };
    // A clock that was set back: times must rise for charts, and what lies ahead of now would stay for longer than it should.
    if (at < (this.#points.at(-1)?.at ?? at)) [this.#samples, this.#points] = [[], []];
    const before = this.#samples.at(-1);
    if (before && at - before.at < RATE_SECONDS_MIN && goesOn(before.statistics, statistics)) return;
    if (before && !goesOn(before.statistics, statistics)) this.#samples = [];
    this.#points.push(this.#point(sample, window ?? statistics));
    this.#samples.push(sample);
    this.#samples = recent(this.#samples, at);
    this.#points = recent(this.#points, at);
  }

  /** Takes what the daemon knows of the time before the first document. */
  fill(earlier: readonly Point[]): void {
    const first = this.#points[0];
    const before = earlier.filter((point) => first === undefined || point.at < first.at);
    const [newest, last] = [earlier.at(-1), first ?? earlier.at(-1)];
    if (last === undefined || newest === undefined) return;
    // The first document has none before it: what it cannot know alone, the daemon does.
    const own = first?.rates === null ? [{ ...newest, ...known(first) }, ...this.#points.slice(1)] : this.#points;
    this.#points = recent([...before, ...own], this.#points.at(-1)?.at ?? last.at);
  }

  #point(sample: Sample, window: Statistics): Point {
    const { at, statistics } = sample;
    const before = this.#samples.at(-1);
    const around = this.#samples.find((earlier) => at - earlier.at <= RATIO_SECONDS) ?? before;
    const smooth = around ? rates(around, sample) : null;
    const share = (hits: number) => (smooth && smooth.reads > 0 ? hits / smooth.reads : null);
    return {
      at,
      rates: before ? rates(before, sample) : null,
      hitRam: smooth && share(smooth.read_hits_ram),
      hitFlash: smooth && share(smooth.read_hits_flash),
      readMicros: smooth && around ? meanMicros(around, sample, READS) : null,
      writeMicros: smooth && around ? meanMicros(around, sample, ["write"]) : null,
      dirtyBytes: statistics.dirty_bytes ?? null,
      dirtyLimitBytes: statistics.dirty_limit_bytes ?? null,
      latency: window.latency_us ?? null,
      readSpread: null,
      writeSpread: null,
    };
  }
}

/** Bytes that the backing does not have, zeroes included. */
export function dirty(of: { dirty_bytes?: number | null; dirty_zeroes_bytes?: number | null }): number {
  return (of.dirty_bytes ?? 0) + (of.dirty_zeroes_bytes ?? 0);
}

/** Of a point, what is known. */
function known(point: Point): Partial<Point> {
  return Object.fromEntries(Object.entries(point).filter(([, value]) => value !== null));
}

function recent<T extends { at: number }>(all: T[], now: number): T[] {
  return all.filter((one) => now - one.at <= SPAN_SECONDS).slice(-SAMPLES_MAX);
}
