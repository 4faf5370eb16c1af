// What states mean in plain words, what is wrong with a disk, and what a change will do. Pure: documents in, text out.

import type { Budget, Disk, FlashOfDisk, FullDisk, LatencyClass, Pool, RamDivision, Wear } from "./documents";
import { NOTHING, count, decimal, duration, joined, micros, moment, percent, size } from "./format";
import { dirty } from "./series";

/** How something stands. Shown as a sign and a word, never as a colour alone. */
export type Tone = "good" | "busy" | "warning" | "bad";

export interface Finding {
  tone: Tone;
  text: string;
  advice: string | null;
}

export const SIGNS: Record<Tone, string> = { good: "\u2713", busy: "\u2026", warning: "!", bad: "\u2715" };

/** Levels of events. */
export const LEVELS: Record<string, Tone> = { info: "good", warning: "warning", error: "bad" };

const STATES: Record<string, Tone> = {
  serving: "good",
  attaching: "busy",
  detaching: "busy",
  removing: "busy",
  waiting: "warning",
  stopped: "bad",
  failed: "bad",
  missing: "bad",
  used: "good",
  leaving: "busy",
};

/** The tone of a state of a disk, pool or device; an unknown one asks for a look. */
export function tone(state: string): Tone {
  return STATES[state] ?? "warning";
}

const ADVICE: Record<string, string> = {
  waiting: "It is served by itself as soon as it can be; put right what the reason names.",
  stopped: "It answers nothing but errors, so that no guest sees old data. See what it lost, and the log of the daemon.",
  failed: "It answers errors. Put right what the reason names, then restart Forebay.",
};

/** The worse of two. */
const ORDER: Tone[] = ["good", "busy", "warning", "bad"];
export function worst(tones: Tone[]): Tone {
  return ORDER[Math.max(0, ...tones.map((one) => ORDER.indexOf(one)))] ?? "good";
}

/** Whatever an operator must know of a disk, the worst first. */
export function findings(disk: Disk): Finding[] {
  const found: Finding[] = [];
  const say = (tone: Tone, text: string, advice: string | null = null) => found.push({ tone, text, advice });
  if (tone(disk.state) !== "good") {
    const reason = disk.reason ? `: ${disk.reason}` : "";
    say(tone(disk.state), `Disk ${disk.name} is ${disk.state}${reason}`, ADVICE[disk.state] ?? null);
  }
  const lost = disk.lost_bytes ?? 0;
  if (lost > 0) {
    say("bad", `Flash lost ${size(lost)} of ${disk.name} before its backing had it`, `forebay disk show ${disk.name} --lost lists the ranges.`);
  }
  const backing = disk.backing_state;
  if (backing && backing.state !== "good") {
    say("bad", troubleOfBacking(disk.name, backing), BACKING_ADVICE[backing.state] ?? null);
  }
  if (disk.quiesce?.state === "failed") {
    say("warning", `${disk.name} could not be quiesced: ${disk.quiesce.reason ?? "no reason is known"}`, null);
  }
  const uncopied = disk.segments_uncopied ?? 0;
  if (disk.mirrored === true && uncopied > 0) {
    say("warning", `${count(uncopied)} segments of ${disk.name} lack a second copy`, "They are being copied; until then one device has that data alone.");
  }
  // Zeroes take no room on flash, and the limit is none of theirs.
  const data = disk.dirty_bytes ?? 0;
  if (disk.dirty_limit_bytes && data >= disk.dirty_limit_bytes * 0.9) {
    say("warning", `Destage of ${disk.name} is behind: ${size(data)} of at most ${size(disk.dirty_limit_bytes)} is dirty`, "Writes are slowed down to what the backing takes.");
  }
  return found.sort((one, other) => ORDER.indexOf(other.tone) - ORDER.indexOf(one.tone));
}

const BACKING_ADVICE: Record<string, string> = {
  failing: "Hits are answered; the rest waits for retry-time.",
  replaced: "Guests continue with the one that was opened. Put it back under its path, or copy it through the disk's NBD socket, before Forebay stops.",
  missing: "Guests continue with the one that was opened. Put it back under its path, or copy it through the disk's NBD socket, before Forebay stops.",
};

function troubleOfBacking(name: string, backing: NonNullable<Disk["backing_state"]>): string {
  const since = backing.for_seconds === null ? "" : ` for ${duration(backing.for_seconds)}`;
  const reason = backing.reason ? `: ${backing.reason}` : "";
  if (backing.state === "replaced") return `Another file or device is at the path of ${name}'s backing${reason}`;
  if (backing.state === "missing") return `Nothing is at the path of ${name}'s backing any more${reason}`;
  return `The backing of ${name} fails${since}${reason}`;
}

/** Capabilities whose lack is shown elsewhere: as what the backing cannot promise, or as the page cache. */
const TOLD_ELSEWHERE = ["flush", "persistence", "direct-io"];

/** What of a disk is less than its keys say, and what its backing cannot promise or do. */
export function remarksOf(disk: FullDisk): Finding[] {
  const limitations = (disk.backing_limitations ?? []).map((text): Finding => ({ tone: "warning", text, advice: null }));
  const unable = (disk.backing_capabilities ?? []).filter(({ name, able }) => !able && !TOLD_ELSEWHERE.includes(name));
  const inabilities = unable.map(({ title, reason }): Finding => ({ tone: "busy", text: `The backing is without ${title}: ${reason ?? "no reason is known"}`, advice: null }));
  const remarks = (disk.remarks ?? []).map(({ key, text }): Finding => ({ tone: "busy", text: `${key}: ${text}`, advice: null }));
  return [...limitations, ...inabilities, ...remarks];
}

/** Whatever an operator must know of the pool. */
export function poolFindings(pool: Pool): Finding[] {
  const found: Finding[] = pool.warnings.map((text) => ({ tone: "warning" as Tone, text, advice: null }));
  if (tone(pool.state) !== "good") {
    const advice = "Disks go on from their backings; what is dirty waits for the pool.";
    found.unshift({ tone: "bad", text: `The pool is ${pool.state}${pool.reason ? `: ${pool.reason}` : ""}`, advice });
  }
  if (pool.page_cache_reason) {
    found.push({ tone: "warning", text: `The pool goes through the page cache, because ${pool.page_cache_reason}`, advice: null });
  }
  return found;
}

/** How worn a device is and how long it lasts, in one line; what is not known is left out. */
export function wear(wear: Wear | null): string {
  if (wear === null) return "";
  const used = wear.used_percent === null ? null : `${percent(wear.used_percent / 100)} of its life used`;
  const left = wear.days_left === null ? null : `${count(wear.days_left)} days left`;
  const rated = wear.rated_bytes === null ? "" : `, rated for ${decimal(wear.rated_bytes)}`;
  return joined(used, left, `${decimal(wear.written_bytes)} written${rated}`);
}

/** How much of its write budget a device has used in a day, and what that does to promotions; nothing without a budget. */
export function budget(budget: Budget | null): string {
  if (budget === null) return "";
  const perDay = `${decimal(budget.bytes_per_day)} a day`;
  const used = budget.used_ratio === null ? `at most ${perDay}` : `${percent(budget.used_ratio)} of ${perDay} written`;
  const share = budget.promoted_batches_ratio;
  const held = share >= 1 ? null : share > 0 ? `${percent(share)} of batches of promotions let in` : "no promotions let in";
  return joined(used, held);
}

/** How RAM is divided among the disks, and why, in a line each; nothing if each has its own. */
export function ramShares(ram: RamDivision | null | undefined): string[] {
  if (!ram) return [];
  const total = `RAM of all disks: ${size(ram.budget_bytes)}${ram.setting === "auto" ? ", as the host has it available" : ""}`;
  return [total, ...ram.disks.map(({ name, ram_bytes, reason }) => `${name}: ${size(ram_bytes)}, ${reason}`)];
}

/** How flash is divided among the disks that share it, and why, in a line each; nothing if it is not divided. */
export function flashShares(flash: readonly FlashOfDisk[] | null | undefined): string[] {
  if (!flash || flash.length === 0) return [];
  const total = `Flash of all disks: ${size(flash.reduce((sum, disk) => sum + disk.flash_bytes, 0))}`;
  return [total, ...flash.map(({ name, flash_bytes, flash_bytes_held, reason }) => `${name}: ${size(flash_bytes)}, ${size(flash_bytes_held)} held, ${reason}`)];
}

export const LATENCY_NAMES: Record<LatencyClass, string> = {
  read_hit_ram: "Read, RAM hit",
  read_hit_flash: "Read, flash hit",
  read_miss: "Read, miss",
  write: "Write",
  flush: "Flush",
  destage: "Destage",
};

/** What is to be said of zeroes beside data that is dirty: they count on their own. */
export function zeroes(bytes: number | null | undefined): string | null {
  return bytes ? `+ ${size(bytes)} of zeroes` : null;
}

/** How far a disk is kept from being dirty; null where nobody asked for it. */
export function quiesceWords(disk: Disk): string | null {
  switch (disk.quiesce?.state) {
    case "destaging":
      return `Being quiesced: ${size(dirty(disk))} left to destage`;
    case "quiesced":
      return disk.quiesce.backing_as_of
        ? `Its backing is the disk as of ${moment(disk.quiesce.backing_as_of)}, for another ${duration(disk.quiesce.seconds_left)} at most`
        : `Quiesced for another ${duration(disk.quiesce.seconds_left)}`;
    case "failed":
      return `Could not be quiesced: ${disk.quiesce.reason ?? "no reason is known"}`;
    case "ended":
      return `No longer quiesced: ${disk.quiesce.reason ?? "no reason is known"}`;
    default:
      return null;
  }
}

/** What became of what was cached before the disk was attached. */
export function load(disk: FullDisk): string {
  const { load } = disk;
  if (!load) return "not known while the disk is not served";
  if (load.state === "loading") return "being loaded; reads come from the backing meanwhile";
  if (load.state === "cold") return `nothing: ${load.reason ?? "no reason is known"}`;
  const kept = `${size(load.kept_bytes)} came back`;
  return load.dropped_bytes > 0 ? `${kept}, ${size(load.dropped_bytes)} may have changed and is not trusted` : kept;
}

/** Requests that waited to stay within the limits of the disk, since it was attached. */
export function delayed(disk: FullDisk): string {
  const { requests_delayed: requests, request_delay_ns: nanos } = disk.statistics;
  if (requests === undefined || nanos === undefined) return NOTHING;
  if (requests > 0) return `${count(requests)} requests, ${micros(nanos / requests / 1000)} each on average`;
  return ["iops-max", "bandwidth-max"].some((key) => (disk.settings[key] ?? "off") !== "off") ? "nothing" : "no limits";
}

/** What `disk set` takes: what each key is for, and what may be chosen where that is a list. */
export interface Key {
  name: string;
  about: string;
  choices?: string[];
}

export const KEYS: Key[] = [
  { name: "mode", about: "What happens to reads and writes.", choices: ["write-through", "write-back", "write-around", "pass-through"] },
  { name: "block-size", about: "Unit of the index. A change drops what is cached of the disk.", choices: [4, 8, 16, 32, 64, 128, 256, 512, 1024].map((kib) => size(kib * 1024)) },
  { name: "reserve", about: "Flash that the disk gets whatever the others do: auto, a size or a share such as 20%." },
  { name: "limit", about: "Flash that the disk never exceeds: auto, a size or a share." },
  { name: "ram", about: "RAM in front of the flash, at least 1MiB: auto is 32MiB, or a part of the pool's ram if that is set." },
  { name: "ram-min", about: "The least that a disk with ram=auto gets of the pool's ram, at least 1MiB." },
  { name: "ram-max", about: "The most that ram=auto gets of the pool's ram; off: no limit." },
  { name: "admission", about: "What may enter flash: adaptive, adaptive:hits, always or repeated:N." },
  { name: "sequential-cutoff", about: "Longer runs of misses go past the cache; 0: off; auto: admission judges reads." },
  { name: "read-balance", about: "Whether a faster backing answers reads of clean blocks.", choices: ["auto", "off"] },
  { name: "dirty-limit", about: "Write-back: the most that flash may hold and the backing does not have." },
  { name: "destage-rate-min", about: "Write-back: least bytes a second of destage; 0 is none." },
  { name: "destage-rate-max", about: "Write-back: most bytes a second of destage; 0 is no limit." },
  { name: "destage-order", about: "Write-back: consistent leaves an older disk without its flash.", choices: ["address", "consistent"] },
  { name: "ring", about: "File or device of the redo ring; auto: a file." },
  { name: "ring-size", about: "Size of a new ring; auto: 1GiB at most." },
  { name: "consistent-age-max", about: "Age limit of the ring's promise; off: none." },
  { name: "consistency-set", about: "Disks of one instant; off: none." },
  { name: "redundancy", about: "Write-back: dirty data on two devices of the pool.", choices: ["mirror", "none"] },
  { name: "allow-unmarked", about: "Write-back where the backing cannot be marked against use by another Forebay.", choices: ["no", "yes"] },
  { name: "retry-time", about: "How long a request waits for a backing that fails or hangs, such as 25s, or wait." },
  { name: "iops-max", about: "Requests a second that guests get at most; off is no limit." },
  { name: "bandwidth-max", about: "Most bytes a second of reads and writes; off is no limit." },
  { name: "burst-time", about: "How long these two are saved up while guests ask for less, such as 1s." },
  { name: "sector-size", about: "Sector that guests are shown when they connect next; auto follows the backing.", choices: ["auto", "512", "4096"] },
  { name: "map", about: "Whether the disk is made a block device of the host at each start of the service.", choices: ["off", "on"] },
  { name: "socket-owner", about: "User who owns the sockets that guests connect to; auto is the daemon's." },
  { name: "socket-group", about: "Group of the sockets that guests connect to; auto is forebay if the host has it." },
  { name: "socket-mode", about: "Who may connect, as octal digits." },
];

const MODES: Record<string, string> = {
  "write-through": "Writes go to the backing first, then to the cache; the backing is always complete.",
  "write-back": "Writes are acknowledged when flash has them, and the backing gets them later. Until then the newest data is on flash alone.",
  "write-around": "Writes go to the backing only; what they replace in the cache is dropped.",
  "pass-through": "Every request goes to the backing. Guests have no cache until the mode is changed back.",
};

/** What a set of changes will do, one sentence each. */
export function consequences(disk: FullDisk, changes: Record<string, string>): string[] {
  const said = Object.entries(changes).map(([key, value]) => consequence(disk, key, value));
  return [...said.flat(), "Guests stay connected and go on meanwhile."];
}

function consequence(disk: FullDisk, key: string, value: string): string[] {
  const cached = size(disk.statistics.cached_bytes);
  switch (key) {
    case "mode":
      return [MODES[value] ?? `The mode becomes ${value}.`, ...leavesWriteBack(disk, value)];
    case "block-size":
      return [`What is cached of the disk on flash (${cached}) is dropped; it is read from the backing again.`];
    case "limit":
      return [`Flash that the disk holds above the new limit is evicted; it holds ${size(disk.statistics.flash_bytes)} now.`];
    case "allow-unmarked":
      return value === "yes" ? ["Nothing keeps another Forebay from serving this backing while flash has newer data. See to that yourself."] : [];
    case "redundancy":
      return [value === "none" ? "Dirty data is kept on one device only: if it fails, that data is lost." : "Dirty data is kept on two devices, if the pool has them."];
    case "sector-size":
      return ["Guests see it when they connect again. A guest that has partitions on the disk does not find them in sectors of another size."];
    case "iops-max":
    case "bandwidth-max":
      return [value === "off" ? "Guests are not held back by it any more." : "Requests of guests beyond it wait, from now on; no error comes of it."];
    case "socket-owner":
    case "socket-group":
    case "socket-mode":
      return ["Who may connect to the disk changes at once."];
    default:
      return [];
  }
}

function leavesWriteBack(disk: FullDisk, value: string): string[] {
  if (disk.mode !== "write-back" || value === "write-back" || dirty(disk) === 0) return [];
  return [`${size(dirty(disk))} is dirty; it is written to the backing while guests go on.`];
}

/** What giving a disk back to its running guest will do. */
export function detachWords(disk: FullDisk): string[] {
  const left = dirty(disk);
  return [
    left > 0 ? `${size(left)} is dirty and is written to the backing first.` : "Nothing is dirty: the backing has everything.",
    "The guest goes on meanwhile, and has its disk as it was before. What is cached of it is dropped.",
  ];
}

/** What removing a disk will do. */
export function removalWords(disk: FullDisk): string[] {
  const left = dirty(disk);
  const guests = disk.connections ?? 0;
  return [
    left > 0 ? `${size(left)} is dirty; it is written to the backing first. If that cannot be, the disk stays.` : "Nothing is dirty: the backing has everything.",
    ...(guests > 0 ? [`${count(guests)} ${guests === 1 ? "client is" : "clients are"} connected, so it is refused unless the box below is ticked.`] : []),
    ...(disk.guest ? ["It was taken from a running guest. `forebay vm detach` gives it back to that guest without errors."] : []),
    "What is cached of it is dropped. The content of the backing stays.",
  ];
}

/** What an action will do. */
export function actionWords(action: "destage" | "normal" | "quiesce" | "resume" | "evict", disk: FullDisk): string[] {
  const left = dirty(disk);
  const isDirty = left > 0 ? `${size(left)} is dirty: flash has it and the backing does not.` : "Nothing is dirty: the backing has everything.";
  switch (action) {
    case "destage":
      return [isDirty, "Dirty data is written to the backing at full speed. Guests go on and may notice a busier backing."];
    case "normal":
      return [isDirty, "Destage goes on at the pace that suits guests."];
    case "quiesce":
      return [
        isDirty,
        disk.settings["destage-order"] === "consistent"
          ? "It is destaged first. After that the backing stays as it is, as of one time, and guests go on writing back. If they write as much as may be dirty, this ends early."
          : "It is destaged first. After that, writes wait for the backing, so that a backup or snapshot of the backing is complete.",
        "This ends by itself after the time below, or when it is resumed.",
      ];
    case "resume":
      return ["Writes may lie on flash alone again, as the mode says."];
    case "evict":
      return [
        `${size(disk.statistics.cached_bytes)} cached on flash and ${size(disk.statistics.ram_bytes)} in RAM are dropped, and no restart brings them back.`,
        left > 0 ? `${size(left)} is dirty and is destaged first.` : "Nothing is dirty; nothing is lost.",
        "Guests go on from the backing, slower, until the cache is warm again.",
      ];
  }
}
