// What the daemon says, as far as the page reads it. Keys are those of the documentation; what is not known is null.

export interface Latency {
  count: number;
  mean: number;
  p50: number;
  p95: number;
  p99: number;
  p999: number;
  max: number;
}

export const LATENCIES = ["read_hit_ram", "read_hit_flash", "read_miss", "write", "flush", "destage"] as const;
export type LatencyClass = (typeof LATENCIES)[number];

/** Counters that the page uses. All of them only rise while a disk is attached. */
export const COUNTERS = [
  "reads",
  "writes",
  "flushes",
  "discards",
  "read_bytes",
  "write_bytes",
  "read_hits_ram",
  "read_hits_flash",
  "read_partial_hits",
  "read_misses",
  "reads_bypassed",
  "backing_reads",
  "backing_writes",
  "backing_read_bytes",
  "backing_write_bytes",
  "flash_read_bytes",
  "flash_write_bytes",
  "destage_bytes",
  "evictions",
] as const;
export type Counter = (typeof COUNTERS)[number];

/** An entry of `/v1/stats`. Of a disk that is not served, only the first three are there. */
export interface Statistics extends Partial<Record<Counter, number>> {
  name: string;
  mode: string;
  state: string;
  size_bytes: number | null;
  hit_ratio?: number | null;
  cached_bytes?: number;
  dirty_bytes?: number;
  dirty_zeroes_bytes?: number;
  dirty_limit_bytes?: number;
  ram_bytes?: number;
  flash_bytes?: number;
  index_bytes?: number;
  destage_bytes_per_second?: number;
  dirty_for_seconds?: number;
  checksum_errors?: number;
  flash_errors?: number;
  backing_errors?: number;
  backing_retries?: number;
  requests_delayed?: number;
  request_delay_ns?: number;
  latency_us?: Record<LatencyClass, Latency>;
  /** "5m" where the daemon knows windows, else "start" or nothing. */
  window?: string;
  window_seconds?: number | null;
}

/** An entry of `/v1/disks`. */
export interface Disk {
  name: string;
  mode: string;
  state: string;
  reason: string | null;
  size_bytes: number | null;
  block_bytes: number | null;
  reserve_bytes: number | null;
  limit_bytes: number | null;
  backing: string;
  backing_state: { state: string; for_seconds: number | null; reason: string | null } | null;
  read_only: boolean;
  nbd_socket: string;
  vhost_socket: string;
  connections: number | null;
  /** The ways to the disk, where the daemon lists them. */
  doors?: Door[];
  shard: number | null;
  dirty_bytes: number | null;
  dirty_zeroes_bytes: number | null;
  dirty_limit_bytes: number | null;
  dirty_for_seconds: number | null;
  depends_on_pool: boolean;
  mirrored: boolean | null;
  /** Why two copies are no mirror, where that is known. */
  not_mirrored_reason?: string | null;
  segments_uncopied: number | null;
  lost_bytes: number | null;
  quiesce: {
    state: string;
    number: number;
    seconds_left: number | null;
    backing_as_of: string | null;
    reason: string | null;
  } | null;
}

/** A way to a disk: a protocol, and where it is spoken. */
export interface Door {
  kind: string;
  title: string;
  address: string;
  connections: number | null;
}

/** `/v1/disks/NAME`. */
export interface FullDisk extends Disk {
  settings: Record<string, string>;
  /** What the backing cannot promise, where it is known. */
  backing_limitations?: string[];
  /** What the backing can do and what it cannot; empty while the disk is not served. */
  backing_capabilities?: { name: string; title: string; able: boolean; reason: string | null }[];
  /** Keys that have less effect than they say, and the risk of write-back. */
  remarks?: { key: string; text: string }[];
  page_cache_reason: string | null;
  guest: { qmp: string; device: string } | null;
  load: {
    state: string;
    reason: string | null;
    kept_bytes: number;
    dropped_bytes: number;
    took_us: number;
  } | null;
  statistics: Statistics;
}

/** One of `/v1/disks/NAME/connect`: what a client types to reach the disk over a door. */
export interface ConnectForm {
  client: string;
  door: string;
  note: string;
  lines: string;
}

/** `/v1/host`: the machine and the Forebay that answers, and whether the token of this tab is the right one. */
export interface Host {
  name: string;
  version: string;
  dir: string;
  token_path: string;
  may_change: boolean;
}

/** How far back the daemon tells what a disk did. */
export type Span = "5m" | "1d" | "7d";

/** `/v1/history/NAME`: columns with an entry for each step, the oldest first. Counters that are not kept are missing. */
export interface History extends Partial<Record<Counter, number[]>> {
  name: string;
  span: Span;
  step_seconds: number;
  /** By the host's clock, in seconds since 1970, as `time`, when each step ended. */
  now: number;
  time: number[];
  /** How much of a step was counted. */
  seconds: number[];
  hit_ratio: (number | null)[];
  read_latency_us: (number | null)[];
  write_latency_us: (number | null)[];
  /** Percentiles, where the daemon keeps them. */
  read_p50_us?: (number | null)[];
  read_p95_us?: (number | null)[];
  read_p99_us?: (number | null)[];
  write_p50_us?: (number | null)[];
  write_p95_us?: (number | null)[];
  write_p99_us?: (number | null)[];
  cached_bytes: number[];
  dirty_bytes: number[];
  dirty_bytes_max: number[];
  dirty_limit_bytes: number[];
}

/** How worn a device of the pool is. */
export interface Wear {
  written_bytes: number;
  rated_bytes: number | null;
  used_percent: number | null;
  days_left: number | null;
  worries: string[];
}

/** The write budget of a device of the pool, and what is spent of it. */
export interface Budget {
  bytes_per_day: number;
  written_bytes: number | null;
  used_ratio: number | null;
  promoted_batches_ratio: number;
}

export interface Device {
  path: string | null;
  number: number;
  state: string;
  size_bytes: number;
  segments: number;
  segments_free: number;
  discards: boolean;
  page_cache_reason: string | null;
  wear: Wear | null;
  budget: Budget | null;
  shrinking: { size_bytes: number; segments: number; segments_left: number } | null;
  kept_size_reason: string | null;
}

/** One budget for the RAM of all disks, and the share of each. */
export interface RamDivision {
  setting: string;
  budget_bytes: number;
  disks: { name: string; ram_bytes: number; reason: string }[];
}

/** The share of a disk in the flash that disks share. */
export interface FlashOfDisk {
  name: string;
  flash_bytes: number;
  flash_bytes_held: number;
  reason: string;
}

export interface Pool {
  path: string;
  state: string;
  reason: string | null;
  size_bytes: number | null;
  usable_bytes: number | null;
  reserved_bytes: number | null;
  segment_bytes: number | null;
  segments: number | null;
  segments_free: number | null;
  can_mirror: boolean;
  segments_uncopied: number;
  ram: RamDivision | null;
  flash: FlashOfDisk[];
  page_cache_reason: string | null;
  devices: Device[];
  devices_lost: string[];
  warnings: string[];
}

/** One class of a histogram: everything up to `upto`, which is null for all that is larger. */
export interface Bucket {
  upto: number | null;
  count: number;
}

/** What was measured of one thing, by kinds of requests. */
export interface Histogram {
  unit: string;
  kinds: [string, Bucket[]][];
}

/** A size of the cache and the hit ratio that it would have. */
export interface CurvePoint {
  cache_bytes: number;
  hit_ratio: number | null;
}

/** `/v1/disks/NAME/curve`, as far as it is shown. */
export interface Curve {
  name: string;
  reads: number;
  working_set_bytes: number;
  present: CurvePoint;
  held: CurvePoint;
  largest: CurvePoint;
  knee: CurvePoint | null;
  /** Four for each doubling of the size, the present one among them. */
  points: CurvePoint[];
  wanted: { hit_ratio: number; cache_bytes: number | null }[];
}

/** One of `/v1/disks/NAME/advice`, as far as it is shown. */
export interface Advice {
  verdict: string;
  sentences: { about: string; text: string }[];
  warnings: { kind: string; text: string }[];
  /** Settings that the daemon recommends; empty if nothing is to be changed. */
  keys: Record<string, string>;
  command: string | null;
}

/** How requests did with the cache, or without; null where that is not known. */
export interface ReportSide {
  reads_are: "measured" | "concluded" | "unknown";
  writes_are: "measured" | "concluded" | "unknown";
  reads: number;
  writes: number;
  read_hits_ram: number;
  read_hits_flash: number;
  iops: number | null;
  iops_busiest_minute: number | null;
  latency_us: Record<"read" | "write", (Latency & { classes: Bucket[] }) | null>;
  backing_reads: number;
  backing_read_bytes: number;
  backing_writes: number;
  backing_write_bytes: number;
}

/** `/v1/disks/NAME/report`, as far as it is shown. */
export interface Report {
  compared_since: string;
  without: ReportSide;
  with: ReportSide;
  requests_min: number;
  times_faster: number | null;
  writes_times_faster: number | null;
  measured_backing_reads: number;
  flash_write_bytes: number;
  warm_up: { state: string; seconds: number | null; hit_ratio: number | null; variation: number | null; variation_max: number; reads_min: number };
}

export interface Event {
  id: number;
  time: string;
  level: string;
  kind: string;
  disk: string | null;
  message: string;
  advice: string | null;
}

/** The histograms of a document, in its order; what has another shape is left out. */
export function histograms(document: unknown): [string, Histogram][] {
  const found: [string, Histogram][] = [];
  for (const [what, content] of Object.entries(record(document))) {
    const { unit, ...kinds } = record(content);
    if (typeof unit !== "string") continue;
    const lists = Object.entries(kinds).filter((kind): kind is [string, Bucket[]] => Array.isArray(kind[1]));
    if (lists.length > 0) found.push([what, { unit, kinds: lists }]);
  }
  return found;
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
