// What the page knows: asked for every two seconds, kept, and given to whoever draws it.

import { Refusal, diskPath, historyPath, read, readBeside, readIfThere } from "./api";
import { type Advice, type Curve, type Disk, type Event, type FullDisk, type Histogram, type History, type Host, type Pool, type Report, type Statistics, histograms } from "./documents";
import { LIVE, type Past, type Period, past, sourceOf } from "./history";
import { Series } from "./series";

/** Between two looks, in milliseconds. */
export const LOOK_INTERVAL = 2_000;
/** Histograms, the curve, advice and the report change slowly and are larger: every so many looks. */
const LOOKS_PER_HISTOGRAM = 3;
/** A step of a day or a week is five minutes. */
const LOOKS_PER_PAST = 15;
/** Name and version change with a restart only; the token may be wrong sooner. */
const LOOKS_PER_HOST = 15;
const EVENTS_MAX = 500;

export interface Knowledge {
  /** Null until the first answer. */
  disks: Disk[] | null;
  statistics: Map<string, Statistics>;
  /** Those of the last five minutes, where the daemon knows windows. */
  windows: Map<string, Statistics>;
  pool: Pool | null;
  poolProblem: string | null;
  series: Map<string, Series>;
  /** Null where the daemon keeps no events. */
  events: Event[] | null;
  /** The disk that is looked at: null while it is not known, "missing" if there is none of its name. */
  disk: FullDisk | "missing" | null;
  histograms: [string, Histogram][] | null;
  /** Null where the daemon knows none. */
  curve: Curve | null;
  /** Null where the daemon gives none. */
  advice: Advice | null;
  /** Null where the daemon has none. */
  report: Report | null;
  /** The time that charts show of that disk, and what it did then if that is more than the page has seen; null until it is known. */
  period: Period;
  past: Past | null;
  /** Null until it is known, and where the daemon is older than this document. */
  host: Host | null;
  /** How far this browser's clock is ahead of the host's, in seconds. */
  ahead: number;
  /** When the last answer came, in milliseconds. */
  answeredAt: number | null;
  /** Since when there is none, and why. */
  away: { since: number; reason: string; status: number } | null;
}

export class Store {
  readonly known: Knowledge = {
    disks: null,
    statistics: new Map(),
    windows: new Map(),
    pool: null,
    poolProblem: null,
    series: new Map(),
    events: null,
    disk: null,
    histograms: null,
    curve: null,
    advice: null,
    report: null,
    period: LIVE,
    past: null,
    host: null,
    ahead: 0,
    answeredAt: null,
    away: null,
  };
  #name: string | null = null;
  #draw: () => void;
  #timer = 0;
  #looks = 0;
  #looksAtPast = 0;
  #looksAtHost = 0;
  /** Whether the daemon was asked what the disk did before the page was opened. */
  #isFilled = false;
  /** Only the newest look counts: an older one may answer late. */
  #turn = 0;

  constructor(draw: () => void) {
    this.#draw = draw;
  }

  /** Which disk is looked at besides the host; null for none. */
  watch(name: string | null): void {
    if (name === this.#name) return;
    this.#name = name;
    this.known.disk = null;
    this.known.histograms = null;
    this.known.curve = null;
    this.known.advice = null;
    this.known.report = null;
    this.known.period = LIVE;
    this.known.past = null;
    this.#isFilled = false;
    this.#looks = 0;
    void this.look();
  }

  /** Shows another time of that disk. What is known already is drawn at once. */
  show(period: Period): void {
    const isOther = sourceOf(period) !== sourceOf(this.known.period);
    this.known.period = period;
    if (isOther) {
      this.known.past = null;
      this.#looksAtPast = 0;
      void this.look();
    }
    this.#draw();
  }

  /** Looks at once, also at the host: the token is another one. */
  lookAtHost(): void {
    this.#looksAtHost = 0;
    // A token that was just accepted is not doubted for what the host said of the one before.
    if (this.known.host) this.known.host = { ...this.known.host, may_change: true };
    void this.look();
  }

  /** Looks at once, and from then on again and again. */
  async look(): Promise<void> {
    window.clearTimeout(this.#timer);
    const turn = ++this.#turn;
    try {
      await this.#ask(turn);
    } catch (error) {
      if (turn === this.#turn) this.#fail(error);
    }
    if (turn !== this.#turn) return;
    this.#draw();
    this.#timer = window.setTimeout(() => void this.look(), LOOK_INTERVAL);
  }

  async #ask(turn: number): Promise<void> {
    const name = this.#name;
    const lastEvent = this.known.events?.at(-1)?.id ?? 0;
    const [disks, statistics, windows, pool, events, disk, host] = await Promise.all([
      read<Disk[]>("/v1/disks", "disks"),
      read<Statistics[]>("/v1/stats", "disks"),
      read<Statistics[]>("/v1/stats?window=5m", "disks"),
      this.#pool(),
      readBeside<Event[]>(`/v1/events?after=${lastEvent}`, "events"),
      name === null ? null : readIfThere<FullDisk>(diskPath(name), "disk"),
      this.#looksAtHost++ % LOOKS_PER_HOST === 0 ? readBeside<Host>("/v1/host", "host") : this.known.host,
    ]);
    // Taken before anything else is asked for: rates are those between the moments at which documents came.
    const at = Date.now();
    const [shapes, curve, advice, report] =
      name !== null && disk !== null && this.#looks % LOOKS_PER_HISTOGRAM === 0
        ? await Promise.all([
            readBeside<unknown>(`${diskPath(name)}/histograms`, "histograms"),
            readBeside<Curve>(`${diskPath(name)}/curve`, "curve"),
            readBeside<Advice[]>(`${diskPath(name)}/advice`, "advice"),
            readBeside<Report>(`${diskPath(name)}/report`, "report"),
          ])
        : [undefined, undefined, undefined, undefined];
    const steps = name !== null && disk !== null ? await this.#history(name) : null;
    if (turn !== this.#turn) return;
    this.#looks += 1;
    this.#looksAtPast += 1;
    this.#isFilled ||= disk !== null && sourceOf(this.known.period) === "5m";
    Object.assign(this.known, { disks, ...pool, host, answeredAt: at, away: null });
    this.#takeStatistics(at / 1_000, statistics, windows);
    this.#takeEvents(events);
    if (name !== null) this.known.disk = disk ?? "missing";
    if (steps !== null) this.#takeHistory(steps, at / 1_000);
    if (curve !== undefined) this.known.curve = curve;
    if (advice !== undefined) this.known.advice = advice?.[0] ?? null;
    if (report !== undefined) this.known.report = report;
    if (shapes !== undefined) this.known.histograms = shapes === null ? null : histograms(shapes);
  }

  /** A pool that cannot be looked at is no reason to show nothing else. */
  async #pool(): Promise<{ pool: Pool | null; poolProblem: string | null }> {
    try {
      return { pool: await read<Pool>("/v1/pool", "pool"), poolProblem: null };
    } catch (error) {
      if (!(error instanceof Refusal) || error.status === 0) throw error;
      return { pool: null, poolProblem: error.message };
    }
  }

  #takeStatistics(at: number, statistics: Statistics[], windows: Statistics[]): void {
    const byName = (all: Statistics[]) => new Map(all.map((one) => [one.name, one]));
    this.known.statistics = byName(statistics);
    // A daemon that knows no windows answers with what it counted since a disk was attached.
    this.known.windows = byName(windows.filter((one) => one.window === "5m"));
    for (const name of this.known.series.keys()) {
      if (!this.known.statistics.has(name)) this.known.series.delete(name);
    }
    for (const one of statistics) {
      const series = this.known.series.get(one.name) ?? new Series();
      this.known.series.set(one.name, series);
      series.add(at, one, this.known.windows.get(one.name));
    }
  }

  /** The five minutes before the first look at a disk, once; a day or a week again and again. Null where there is nothing to be had. */
  #history(name: string): Promise<History | null> | null {
    const span = sourceOf(this.known.period);
    const isDue = span === "5m" ? !this.#isFilled : this.known.past === null || this.#looksAtPast % LOOKS_PER_PAST === 0;
    return isDue ? readBeside<History>(historyPath(name, span), "history") : null;
  }

  #takeHistory(steps: History, now: number): void {
    const found = past(steps, now);
    this.known.ahead = now - steps.now;
    if (found.span === "5m") this.known.series.get(steps.name)?.fill(found.points);
    else this.known.past = found;
  }

  #takeEvents(events: Event[] | null): void {
    // What is known stays known if only this look was refused.
    if (events !== null) this.known.events = eventsWith(this.known.events ?? [], events);
  }

  #fail(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#looksAtHost = 0;
    const status = error instanceof Refusal ? error.status : 0;
    this.known.away = { since: this.known.away?.since ?? Date.now(), reason, status };
  }
}

/**
 * The list with what came behind its last id, as long as the page keeps it. A daemon that lost its list counts anew and
 * answers with all of the new one: then nothing of the old one is kept, because its ids are those of other events now.
 */
export function eventsWith(kept: readonly Event[], fresh: readonly Event[]): Event[] {
  const [last, first] = [kept.at(-1), fresh[0]];
  const goesOn = last === undefined || first === undefined || first.id > last.id;
  return [...(goesOn ? kept : []), ...fresh].slice(-EVENTS_MAX);
}
