// The host: pool, RAM, and every disk at one glance.

import { addDevice, addDisk, attachGuest, removeDevice } from "../changes";
import type { Device, Disk, Pool } from "../documents";
import { h, keyed, say, show } from "../dom";
import { NOTHING, byteRate, count, joined, micros, percent, rate, size, tail } from "../format";
import { badge, findingList, setBadge, setIn, spark, tile } from "../parts";
import { SPAN_SECONDS, hitRatio, operations, saved, sums, together } from "../series";
import { type Knowledge, LOOK_INTERVAL } from "../store";
import { type View, diskAddress } from "../view";
import { budget, findings, flashShares, poolFindings, ramShares, tone, wear, worst, zeroes } from "../words";

/** How many points fit a chart. */
const SLOTS = (SPAN_SECONDS * 1_000) / LOOK_INTERVAL;
/** The least that a small chart is wide, so that two points are no line across it. */
const SLOTS_MIN = 30;
const sparks = new WeakMap<Element, ReturnType<typeof spark>>();

export function hostView(look: () => void): View {
  const warnings = findingList();
  const tiles = {
    hits: tile("Hit ratio", "host.hit_ratio"),
    operations: tile("Requests", "host.operations"),
    bytes: tile("Throughput", "host.bytes"),
    dirty: tile("Dirty", "host.dirty_bytes"),
    saved: tile("Backing requests saved", "host.saved"),
  };
  const pool = poolCard(look);
  const rows = h("tbody", {});
  const headings = ["Disk", "State", "Hit ratio", "Requests/s", "Read latency, mean", "Dirty", "Last 5 min"];
  const table = h("table", { class: "disks" }, h("thead", {}, h("tr", {}, ...headings.map((heading) => h("th", { scope: "col" }, heading)))), rows);
  const empty = emptyState();
  const opened = (name: string) => {
    look();
    window.location.hash = diskAddress(name, "connect");
  };
  const attach = h("button", { type: "button", "data-action": "attach-guest", onclick: () => attachGuest(opened) }, "Attach a running guest\u2026");
  const add = h("button", { type: "button", "data-action": "add-disk", onclick: () => addDisk(opened) }, "Add a disk\u2026");
  const disks = h("section", { class: "card", "aria-label": "Disks" }, h("div", { class: "section-head" }, h("h2", {}, "Disks"), h("div", { class: "buttons" }, attach, add)), table, empty);
  const figures = h("div", { class: "tiles" }, ...Object.values(tiles).map((one) => one.element));
  const element = h("div", { class: "view" }, h("h1", {}, "Host"), warnings.element, figures, disks, pool.element);
  return {
    element,
    title: "Host",
    leave() {},
    update(known) {
      const all = known.disks ?? [];
      const found = [...(known.pool ? poolFindings(known.pool) : []), ...all.flatMap(findings)];
      if (known.poolProblem) found.unshift({ tone: "bad", text: known.poolProblem, advice: null });
      warnings.set(found);
      updateTiles(tiles, known);
      show(figures, all.length > 0);
      show(table, all.length > 0);
      show(empty, all.length === 0);
      keyed(rows, all, (disk) => disk.name, makeRow, (row, disk) => updateRow(row, disk, known));
      pool.update(known);
    },
  };
}

type Tiles = Record<"hits" | "operations" | "bytes" | "dirty" | "saved", ReturnType<typeof tile>>;

function updateTiles(tiles: Tiles, known: Knowledge): void {
  const all = [...known.statistics.values()];
  const now = together([...known.series.values()].map((series) => series.last?.rates ?? null));
  const recent = all.map((one) => known.windows.get(one.name) ?? one);
  const span = known.windows.size > 0 ? "last 5 minutes" : "since attached";
  const counted = sums(recent);
  tiles.hits.set(percent(hitRatio(counted)), `of reads, ${span}`);
  const asked = operations(now);
  tiles.operations.set(asked === null ? NOTHING : `${rate(asked)}/s`, now ? `${rate(now.reads)} reads, ${rate(now.writes)} writes` : "");
  tiles.bytes.set(now ? byteRate(now.read_bytes + now.write_bytes) : NOTHING, now ? `${byteRate(now.read_bytes)} read, ${byteRate(now.write_bytes)} written` : "");
  const left = all.reduce((sum, one) => sum + (one.dirty_bytes ?? 0), 0);
  const empty = all.reduce((sum, one) => sum + (one.dirty_zeroes_bytes ?? 0), 0);
  const limit = all.reduce((sum, one) => sum + (one.mode === "write-back" ? (one.dirty_limit_bytes ?? 0) : 0), 0);
  tiles.dirty.set(size(left), joined(limit > 0 ? `of at most ${size(limit)}` : "no disk is in write-back", zeroes(empty)));
  tiles.saved.set(percent(saved(counted)), span);
}

function makeRow(disk: Disk): Element {
  const line = spark(`Hit ratio of ${disk.name}`);
  const cell = (heading: string, ...children: (Node | string)[]) => h("td", { "data-heading": heading }, ...children);
  const figure = (key: string) => h("div", { "data-figure": `${disk.name}.${key}` });
  const sub = (name: string) => h("div", { class: `sub ${name}` });
  const row = h(
    "tr",
    {},
    h("th", { scope: "row" }, h("a", { href: diskAddress(disk.name) }, disk.name), sub("backing")),
    cell("State", badge(), sub("mode")),
    cell("Hit ratio", figure("hit_ratio"), sub("split")),
    cell("Requests/s", figure("operations"), sub("kinds")),
    cell("Read latency, mean", figure("latency"), sub("writes")),
    cell("Dirty", figure("dirty_bytes"), sub("limit")),
    h("td", { class: "spark-cell" }, line.element),
  );
  sparks.set(row, line);
  return row;
}

function updateRow(row: Element, disk: Disk, known: Knowledge): void {
  const statistics = known.statistics.get(disk.name);
  const recent = known.windows.get(disk.name) ?? statistics;
  const series = known.series.get(disk.name);
  const last = series?.last;
  const found = findings(disk);
  const state = row.querySelector(".badge");
  const overall = worst([tone(disk.state), ...found.map((finding) => finding.tone)]);
  if (state) setBadge(state, overall, disk.state === "serving" && overall !== "good" ? "serving, look" : disk.state);
  const figure = (key: string, text: string) => setIn(row, `[data-figure$=".${key}"]`, text);
  setIn(row, ".backing", disk.size_bytes === null ? tail(disk.backing, 34) : `${size(disk.size_bytes)} at ${tail(disk.backing, 34)}`);
  setIn(row, ".mode", disk.read_only ? `${disk.mode}, read-only` : disk.mode);
  figure("hit_ratio", percent(recent?.hit_ratio));
  const reads = recent?.reads ?? 0;
  setIn(row, ".split", reads > 0 ? `RAM ${percent((recent?.read_hits_ram ?? 0) / reads)}, flash ${percent((recent?.read_hits_flash ?? 0) / reads)}` : "no reads yet");
  figure("operations", rate(operations(last?.rates ?? null)));
  setIn(row, ".kinds", last?.rates ? `${rate(last.rates.reads)} r, ${rate(last.rates.writes)} w` : "");
  figure("latency", last?.readMicros == null ? NOTHING : micros(last.readMicros));
  setIn(row, ".writes", last?.writeMicros == null ? "" : `writes ${micros(last.writeMicros)}`);
  figure("dirty_bytes", size(disk.dirty_bytes));
  setIn(row, ".limit", joined(disk.mode === "write-back" && disk.dirty_limit_bytes ? `of ${size(disk.dirty_limit_bytes)}` : null, zeroes(disk.dirty_zeroes_bytes)));
  const values = (series?.points ?? []).map((point) => (point.hitRam === null || point.hitFlash === null ? null : point.hitRam + point.hitFlash));
  sparks.get(row)?.set(values, Math.max(SLOTS_MIN, Math.min(SLOTS, values.length)));
}

function emptyState(): HTMLElement {
  return h(
    "div",
    { class: "empty" },
    h("h3", {}, "No disks yet"),
    h("p", {}, "Nothing is cached until Forebay serves a disk. The button above adds one, and so does this on the host; nothing in the file changes:"),
    h("pre", {}, h("code", {}, "forebay disk add web1 --backing /srv/images/web1.raw")),
    h("p", {}, "A running QEMU guest's disk is moved behind Forebay without a reboot:"),
    h("pre", {}, h("code", {}, "forebay vm attach --qmp /run/web.qmp --device vda")),
    h("p", { class: "hint" }, "It appears here by itself."),
  );
}

function poolCard(look: () => void): { element: HTMLElement; update(known: Knowledge): void } {
  const state = badge();
  const used = h("span", { class: "meter-used" });
  const meter = h("div", { class: "meter", role: "img" }, used);
  const words = h("p", { class: "meter-words", "data-figure": "pool.used" });
  const memory = h("p", { class: "meter-words", "data-figure": "host.ram" });
  const ramParts = shareList("pool.ram");
  const flashParts = shareList("pool.flash");
  const rows = h("tbody", {});
  const headings = ["Device", "State", "Size", "Free", "Wear", "Remarks", ""];
  const add = h("button", { type: "button", "data-action": "add-device", onclick: () => addDevice(look) }, "Add a device\u2026");
  const table = h("table", { class: "devices" }, h("thead", {}, h("tr", {}, ...headings.map((heading) => h("th", { scope: "col" }, heading)))), rows);
  const element = h("section", { class: "card", "aria-label": "Pool" }, h("div", { class: "section-head" }, h("h2", {}, "Flash and RAM"), state, add), meter, words, flashParts.element, memory, ramParts.element, table);
  return {
    element,
    update({ pool, statistics }) {
      show(element, pool !== null);
      if (!pool) return;
      setBadge(state, tone(pool.state), pool.state);
      const [segments, segmentsFree, segment] = [pool.segments ?? 0, pool.segments_free ?? 0, pool.segment_bytes ?? 0];
      const inUse = (segments - segmentsFree) * segment;
      const free = segmentsFree * segment;
      used.style.width = `${segments > 0 ? ((100 * (segments - segmentsFree)) / segments).toFixed(2) : 0}%`;
      const text = pool.segments === null ? `Disks are served without the pool: ${pool.reason ?? "see the log"}` : `Pool of ${size(pool.size_bytes)}: ${size(inUse)} in use, ${size(free)} free; ${size(pool.reserved_bytes)} reserved by disks`;
      meter.setAttribute("aria-label", text);
      say(words, text);
      const all = [...statistics.values()];
      const content = all.reduce((sum, one) => sum + (one.ram_bytes ?? 0), 0);
      const index = all.reduce((sum, one) => sum + (one.index_bytes ?? 0), 0);
      say(memory, `RAM: ${size(content)} of content in front of the flash, ${size(index)} for the index of what is on it`);
      flashParts.set(flashShares(pool.flash));
      ramParts.set(ramShares(pool.ram));
      keyed(rows, pool.devices, (device) => String(device.number), (device) => makeDevice(device, look), (row, device) => updateDevice(row, device, pool));
    },
  };
}

/** A list of the shares of disks, a line each; hidden while there are none. */
function shareList(figure: string): { element: HTMLElement; set(lines: readonly string[]): void } {
  const element = h("ul", { class: "hint", "data-figure": figure });
  return {
    element,
    set(lines) {
      show(element, lines.length > 0);
      keyed(element, lines, (line) => line, (line) => h("li", {}, line), () => undefined);
    },
  };
}

function makeDevice(device: Device, look: () => void): Element {
  const cell = (heading: string, child: Node | null, name = "") => h("td", { "data-heading": heading, class: name }, child);
  return h("tr", {}, h("th", { scope: "row", class: "path" }), cell("State", badge()), cell("Size", null, "size"), cell("Free", null, "free"), cell("Wear", null, "wear"), cell("Remarks", null, "remarks"), h("td", {}, h("button", { type: "button", class: "quiet", onclick: () => removeDevice(device, look) }, "Take out\u2026")));
}

function updateDevice(row: Element, device: Device, pool: Pool): void {
  setIn(row, ".path", device.path ?? `device ${device.number}`);
  const state = row.querySelector(".badge");
  if (state) setBadge(state, tone(device.state), device.state);
  setIn(row, ".size", size(device.size_bytes));
  setIn(row, ".free", `${size(device.segments_free * (pool.segment_bytes ?? 0))}`);
  const worn = [wear(device.wear), budget(device.budget)].filter((text) => text !== "");
  setIn(row, ".wear", worn.join("; ") || NOTHING);
  const shrinking = device.shrinking && `becomes smaller, to ${size(device.shrinking.size_bytes)}: ${count(device.shrinking.segments_left)} segments left`;
  const kept = device.kept_size_reason && `kept its size: ${device.kept_size_reason}`;
  const remarks = [shrinking, kept, device.discards ? "discards" : null, device.page_cache_reason ? `page cache: ${device.page_cache_reason}` : null];
  setIn(row, ".remarks", remarks.filter((remark) => remark !== null).join("; ") || `${count(device.segments)} segments`);
}
