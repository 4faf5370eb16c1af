// One disk: live charts, before and after, the curve, histograms, what it is, and what can be changed.

import { actions } from "../actions";
import { AdviceCard } from "../advice";
import { Charts } from "../charts";
import { CurveCard } from "../curve";
import { ConnectCard } from "../connect";
import { detachGuest, removeDisk } from "../changes";
import type { Disk, FullDisk } from "../documents";
import { h, say, show } from "../dom";
import { NOTHING, byteRate, duration, joined, micros, percent, rate, size } from "../format";
import { Histograms } from "../histogram";
import { badge, facts, findingList, setBadge, tile } from "../parts";
import { dirty, operations, saved } from "../series";
import { ReportCard } from "../report";
import { Settings } from "../settings";
import type { Knowledge } from "../store";
import type { Period } from "../history";
import { TABS, type Tab, type View, diskAddress } from "../view";
import { delayed, findings, load, remarksOf, tone, worst, zeroes } from "../words";

const FACTS = [
  ["backing", "Backing"],
  ["size_bytes", "Size"],
  ["block_bytes", "Block"],
  ["reserve_bytes", "Reserved flash"],
  ["limit_bytes", "Flash at most"],
  ["cached_bytes", "Cached on flash"],
  ["ram_bytes", "Cached in RAM"],
  ["load", "From last time"],
  ["mirrored", "Dirty data"],
  ["guest", "Taken from"],
  ["page_cache", "Page cache"],
  ["delayed", "Delayed by limits"],
  ["errors", "Errors"],
] as const;

export function diskView(name: string, look: () => void, choose: (period: Period) => void): View {
  let disk: FullDisk | null = null;
  const now = () => disk;
  const state = badge();
  const mode = h("span", { class: "mode" });
  const warnings = findingList();
  const tiles = {
    hits: tile("Hit ratio", "hit_ratio"),
    operations: tile("Requests", "operations"),
    bytes: tile("Throughput", "bytes"),
    latency: tile("Read latency, mean", "latency"),
    dirty: tile("Dirty", "dirty_bytes"),
    saved: tile("Backing requests saved", "saved"),
  };
  const charts = new Charts(choose);
  const histograms = new Histograms();
  const curve = new CurveCard(look);
  const advice = new AdviceCard(look);
  const report = new ReportCard();
  const noCurve = h("p", { class: "card empty", "data-figure": "no_curve" }, "Sizes are predicted from what guests read. Nothing was read since the disk was attached.");
  const about = facts(FACTS.map(([key, heading]) => [key, heading]));
  const settings = new Settings(now, look);
  const buttons = actions(now, look);
  const remarks = findingList();
  const connect = new ConnectCard(name);
  const remove = h("button", { type: "button", class: "danger", "data-action": "remove", onclick: () => disk && removeDisk(disk, look) }, "Remove this disk\u2026");
  const giveBack = h("button", { type: "button", "data-action": "detach", onclick: () => disk && detachGuest(disk, look) }, "Give it back to its guest\u2026");
  const panels: Record<Tab, HTMLElement> = {
    overview: panel("overview", h("div", { class: "tiles" }, ...Object.values(tiles).map((one) => one.element)), charts.element, buttons.element),
    sizing: panel("sizing", advice.element, curve.element, noCurve),
    requests: panel("requests", report.element, histograms.element),
    connect: panel("connect", connect.element),
    settings: panel("settings", remarks.element, settings.element, h("section", { class: "card", "aria-label": "Facts" }, h("h2", {}, "About this disk"), about.element), h("section", { class: "card", "aria-label": "Removal" }, h("h2", {}, "Removal"), h("p", { class: "hint" }, "The disk is served no more; the content of its backing stays."), h("div", { class: "buttons buttons-start" }, remove, giveBack))),
  };
  const links = TABS.map((tab) => [tab, h("a", { href: diskAddress(name, tab) }, TAB_NAMES[tab])] as const);
  const tabs = h("nav", { class: "tabs", "aria-label": `Parts of ${name}` }, ...links.map(([, link]) => link));
  const body = h("div", { class: "stack" }, warnings.element, tabs, ...Object.values(panels));
  const missing = h("div", { class: "card empty" }, h("h3", {}, "No such disk"), h("p", {}, `Forebay serves no disk of this name. It may have been removed: forebay disk list shows all.`));
  const waiting = h("p", { class: "loading" }, "Asking Forebay\u2026");
  const element = h("div", { class: "view" }, h("p", { class: "crumb" }, h("a", { href: "#/" }, "\u2190 Host")), h("div", { class: "title" }, h("h1", {}, name), state, mode), missing, waiting, body);
  return {
    element,
    title: name,
    open(tab) {
      for (const [name, link] of links) {
        link.setAttribute("aria-current", name === tab ? "page" : "false");
        show(panels[name], name === tab);
      }
    },
    leave: () => {
      charts.leave();
      curve.leave();
    },
    update(known) {
      const asked = known.disk;
      disk = asked === "missing" || asked === null ? null : asked;
      show(missing, asked === "missing");
      show(waiting, asked === null);
      show(body, disk !== null);
      show(state, disk !== null);
      if (!disk) return;
      const found = findings(disk);
      setBadge(state, worst([tone(disk.state), ...found.map((finding) => finding.tone)]), disk.state);
      say(mode, disk.read_only ? `${disk.mode}, read-only` : disk.mode);
      warnings.set(found);
      updateTiles(tiles, disk, known);
      charts.update(known, name, disk.mode);
      histograms.set(known.histograms);
      curve.set(known.curve, disk, known.windows.get(name) ?? disk.statistics);
      advice.set(known.advice, disk);
      show(noCurve, curve.element.hidden);
      connect.update(disk);
      show(giveBack, disk.guest !== null);
      report.set(known.report);
      about.set(factsOf(disk));
      settings.update(disk.settings);
      remarks.set(remarksOf(disk));
      buttons.update();
    },
  };
}

const TAB_NAMES: Record<Tab, string> = { overview: "Overview", sizing: "Sizing", requests: "Requests", connect: "Connect", settings: "Settings" };

function panel(tab: Tab, ...children: HTMLElement[]): HTMLElement {
  return h("div", { class: "stack", "data-tab": tab }, ...children);
}

type Tiles = Record<"hits" | "operations" | "bytes" | "latency" | "dirty" | "saved", ReturnType<typeof tile>>;

function updateTiles(tiles: Tiles, disk: FullDisk, known: Knowledge): void {
  const recent = known.windows.get(disk.name) ?? known.statistics.get(disk.name);
  const span = known.windows.has(disk.name) ? "last 5 minutes" : "since attached";
  const last = known.series.get(disk.name)?.last;
  const rates = last?.rates ?? null;
  const asked = operations(rates);
  tiles.hits.set(percent(recent?.hit_ratio), `of reads, ${span}`);
  tiles.operations.set(asked === null ? NOTHING : `${rate(asked)}/s`, rates ? `${rate(rates.reads)} reads, ${rate(rates.writes)} writes` : "");
  tiles.bytes.set(rates ? byteRate(rates.read_bytes + rates.write_bytes) : NOTHING, rates ? `${byteRate(rates.read_bytes)} read, ${byteRate(rates.write_bytes)} written` : "");
  tiles.latency.set(micros(last?.readMicros), last?.writeMicros == null ? "no writes lately" : `writes ${micros(last.writeMicros)}`);
  tiles.dirty.set(size(disk.dirty_bytes), dirtyRemark(disk));
  tiles.saved.set(percent(recent ? saved(recent) : null), span);
}

function dirtyRemark(disk: FullDisk): string {
  const limit = disk.mode === "write-back" ? `of at most ${size(disk.dirty_limit_bytes)}` : null;
  if (dirty(disk) === 0) return limit ?? "the backing is complete";
  const pace = disk.statistics.destage_bytes_per_second ?? 0;
  return joined(limit ?? `for ${duration(disk.dirty_for_seconds)}`, zeroes(disk.dirty_zeroes_bytes), pace > 0 ? `${byteRate(pace)} going home` : null);
}

function factsOf(disk: FullDisk): Record<string, string> {
  const { statistics } = disk;
  const told: Record<string, string> = {
    backing: disk.backing,
    size_bytes: size(disk.size_bytes),
    block_bytes: size(disk.block_bytes),
    reserve_bytes: size(disk.reserve_bytes),
    limit_bytes: size(disk.limit_bytes),
    cached_bytes: size(statistics.cached_bytes),
    ram_bytes: size(statistics.ram_bytes),
    load: load(disk),
    mirrored: copies(disk),
    delayed: delayed(disk),
    errors: errors(disk),
  };
  if (disk.guest) told["guest"] = `QEMU at ${disk.guest.qmp}, device ${disk.guest.device}`;
  if (disk.page_cache_reason) told["page_cache"] = `used, because ${disk.page_cache_reason}`;
  return told;
}

function copies(disk: Disk): string {
  if (disk.mirrored === null) return NOTHING;
  if (!disk.mirrored) return "on one device";
  return joined("on two devices", disk.not_mirrored_reason ?? null);
}

function errors(disk: FullDisk): string {
  const { checksum_errors: checksums, flash_errors: flash, backing_errors: backing, backing_retries: retries } = disk.statistics;
  if (checksums === undefined) return NOTHING;
  const kinds: [number | undefined, string][] = [[checksums, "checksums"], [flash, "flash"], [backing, "backing"], [retries, "backing, sent again"]];
  const some = kinds.filter(([many]) => (many ?? 0) > 0).map(([many, what]) => `${many} ${what}`);
  return some.length === 0 ? "none" : some.join(", ");
}
