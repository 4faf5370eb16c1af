import assert from "node:assert/strict";
import { test } from "node:test";

import { type FullDisk, histograms } from "../src/documents";
import { NOTHING } from "../src/format";
import { occupied, upto } from "../src/histogram";
import { actionWords, budget, consequences, delayed, findings, flashShares, load, quiesceWords, ramShares, remarksOf, tone, wear, worst, zeroes } from "../src/words";

function disk(more: Partial<FullDisk> = {}): FullDisk {
  return {
    name: "a",
    mode: "write-back",
    state: "serving",
    reason: null,
    size_bytes: 2 ** 30,
    block_bytes: 65_536,
    reserve_bytes: 2 ** 20,
    limit_bytes: 2 ** 30,
    backing: "file:/a",
    backing_state: { state: "good", for_seconds: null, reason: null },
    read_only: false,
    nbd_socket: "/run/nbd/a.sock",
    vhost_socket: "/run/vhost/a.sock",
    connections: 1,
    shard: 0,
    dirty_bytes: 0,
    dirty_zeroes_bytes: 0,
    dirty_limit_bytes: 2 ** 30,
    dirty_for_seconds: 0,
    depends_on_pool: false,
    mirrored: false,
    segments_uncopied: 0,
    lost_bytes: 0,
    quiesce: { state: "none", seconds_left: null, backing_as_of: null, reason: null },
    settings: { mode: "write-back" },
    page_cache_reason: null,
    guest: null,
    load: { state: "done", reason: null, kept_bytes: 2 ** 20, dropped_bytes: 0, took_us: 5 },
    statistics: { name: "a", mode: "write-back", state: "serving", size_bytes: 2 ** 30, cached_bytes: 2 ** 21, ram_bytes: 4096, flash_bytes: 2 ** 21 },
    ...more,
  };
}

test("a healthy disk has nothing to say", () => {
  assert.deepEqual(findings(disk()), []);
});

test("what is wrong is said with its reason and what to do, the worst first", () => {
  const found = findings(
    disk({
      state: "waiting",
      reason: "the file is missing",
      lost_bytes: 4096,
      backing_state: { state: "failing", for_seconds: 61, reason: "EIO" },
      mirrored: true,
      segments_uncopied: 3,
      dirty_bytes: 2 ** 30,
      quiesce: { state: "failed", seconds_left: null, backing_as_of: null, reason: "no room" },
    }),
  );
  const text = found.map((finding) => finding.text).join("\n");
  for (const part of ["waiting: the file is missing", "lost 4KiB", "fails for 1 min 1 s: EIO", "3 segments", "behind: 1GiB of at most 1GiB", "no room"]) {
    assert.ok(text.includes(part), part);
  }
  assert.equal(found[0]?.tone, "bad");
  assert.ok(found.some((finding) => finding.advice?.includes("--lost")));
});

test("zeroes are no sign that destage is behind, and are said apart", () => {
  const emptied = disk({ dirty_bytes: 4096, dirty_zeroes_bytes: 60 * 2 ** 30 });
  assert.deepEqual(findings(emptied), [], "the limit is one of data on flash");
  assert.equal(zeroes(emptied.dirty_zeroes_bytes), "+ 60GiB of zeroes");
  for (const none of [0, null, undefined]) assert.equal(zeroes(none), null);
});

test("an unknown state asks for a look, and the worst one counts", () => {
  assert.equal(tone("thinking"), "warning");
  assert.equal(worst(["good", "bad", "busy"]), "bad");
  assert.equal(worst([]), "good");
});

test("leaving write-back says what is dirty and where it goes", () => {
  const said = consequences(disk({ dirty_bytes: 3.2 * 2 ** 30 }), { mode: "write-through" }).join(" ");
  assert.ok(said.includes("3.2GiB is dirty"), said);
  assert.ok(!consequences(disk(), { mode: "write-through" }).join(" ").includes("dirty"));
  assert.ok(consequences(disk(), { "block-size": "4KiB" }).join(" ").includes("(2MiB) is dropped"));
  assert.ok(consequences(disk(), { "allow-unmarked": "yes" }).join(" ").includes("another Forebay"));
});

test("actions say figures in plain words", () => {
  const dirty = disk({ dirty_bytes: 4096, dirty_zeroes_bytes: 4096 });
  assert.ok(actionWords("evict", dirty).join(" ").includes("8KiB is dirty and is destaged first"));
  assert.ok(actionWords("evict", disk()).join(" ").includes("2MiB cached on flash"));
  assert.ok(actionWords("quiesce", disk()).join(" ").includes("Nothing is dirty"));
  for (const action of ["destage", "normal", "resume"] as const) assert.ok(actionWords(action, dirty).length > 0);
});

test("quiet and warm are said as they are", () => {
  assert.equal(quiesceWords(disk()), null);
  assert.equal(quiesceWords(disk({ quiesce: { state: "quiesced", seconds_left: 30, backing_as_of: null, reason: null } })), "Quiesced for another 30 s");
  const paused = { state: "quiesced", seconds_left: 30, backing_as_of: "2026-11-29T12:00:00Z", reason: null };
  assert.match(quiesceWords(disk({ quiesce: paused })) ?? "", /^Its backing is the disk as of .* 30 s at most$/);
  const ended = { state: "ended", seconds_left: null, backing_as_of: null, reason: "its 30 s are over" };
  assert.equal(quiesceWords(disk({ quiesce: ended })), "No longer quiesced: its 30 s are over");
  assert.equal(load(disk()), "1MiB came back");
  assert.equal(load(disk({ load: null })), "not known while the disk is not served");
  assert.ok(load(disk({ load: { state: "cold", reason: "the pool is new", kept_bytes: 0, dropped_bytes: 0, took_us: 0 } })).includes("the pool is new"));
});

test("histograms are taken as they come, and other shapes are left out", () => {
  const document = {
    name: "a",
    since: "2026-11-22T07:00:00Z",
    size: { unit: "bytes", read: [{ upto: 512, count: 0 }, { upto: 4096, count: 3 }, { upto: null, count: 0 }], write: [] },
    broken: { unit: 3 },
    outstanding: { unit: "requests", read: [] },
  };
  const found = histograms(document);
  assert.deepEqual(found.map(([what]) => what), ["size", "outstanding"]);
  assert.deepEqual(occupied(found[0]?.[1].kinds ?? []), [0, 3]);
  assert.deepEqual(occupied([["read", [{ upto: 1, count: 0 }]]]), [0, 0]);
  assert.deepEqual(histograms(null), []);
});

test("classes are named in their unit", () => {
  assert.equal(upto({ upto: 4096, count: 0 }, "bytes"), "4KiB");
  assert.equal(upto({ upto: 4095, count: 0 }, "bytes"), "4,095");
  assert.equal(upto({ upto: 5_000, count: 0 }, "microseconds"), "5 ms");
  assert.equal(upto({ upto: -64, count: 0 }, "sectors"), "\u221264");
  assert.equal(upto({ upto: null, count: 0 }, "sectors"), "more");
});

test("wear says what is known of it, in the units of data sheets", () => {
  const known = { written_bytes: 41_200_000_000_000, rated_bytes: 600e12, used_percent: 11.34, days_left: 3326, worries: [] };
  assert.equal(wear(known), "11.3% of its life used, 3,326 days left, 41.2TB written, rated for 600TB");
  assert.equal(wear({ ...known, rated_bytes: null, used_percent: null, days_left: null }), "41.2TB written");
  assert.equal(wear(null), "");
});

test("divided RAM is shown with each disk's part and why", () => {
  const ram = { setting: "auto", budget_bytes: 16 << 20, disks: [{ name: "web", ram_bytes: 12 << 20, reason: "grows" }] };
  assert.deepEqual(ramShares(ram), ["RAM of all disks: 16MiB, as the host has it available", "web: 12MiB, grows"]);
  assert.deepEqual(ramShares({ ...ram, setting: "16MiB", disks: [] }), ["RAM of all disks: 16MiB"]);
  assert.deepEqual(ramShares(null), []);
});

test("divided flash is shown with each disk's part, what it holds, and why", () => {
  const flash = [
    { name: "web", flash_bytes: 48 << 20, flash_bytes_held: 14 << 20, reason: "grows" },
    { name: "mail", flash_bytes: 16 << 20, flash_bytes_held: 0, reason: "at its reserve" },
  ];
  assert.deepEqual(flashShares(flash), ["Flash of all disks: 64MiB", "web: 48MiB, 14MiB held, grows", "mail: 16MiB, 0 held, at its reserve"]);
  assert.deepEqual([flashShares([]), flashShares(undefined), flashShares(null)], [[], [], []]);
});

test("a write budget says what is used of it and whether promotions wait", () => {
  const spent = { bytes_per_day: 500e9, written_bytes: 125e9, used_ratio: 0.25, promoted_batches_ratio: 1 };
  assert.equal(budget(spent), "25.0% of 500GB a day written");
  assert.equal(budget({ ...spent, used_ratio: 1.2, promoted_batches_ratio: 0.31 }), "120.0% of 500GB a day written, 31.0% of batches of promotions let in");
  assert.equal(budget({ ...spent, written_bytes: null, used_ratio: null, promoted_batches_ratio: 0 }), "at most 500GB a day, no promotions let in");
  assert.equal(budget(null), "");
});

test("a backing that is not what its path names is told apart from one that fails", () => {
  const of = (state: string) => findings(disk({ backing_state: { state, for_seconds: 5, reason: null } }))[0];
  assert.match(of("failing")?.text ?? "", /fails for 5 s/);
  assert.match(of("replaced")?.text ?? "", /Another file or device is at the path/);
  assert.match(of("missing")?.text ?? "", /Nothing is at the path/);
  assert.match(of("missing")?.advice ?? "", /Put it back/);
});

test("keys that have less effect than they say are explained", () => {
  const found = remarksOf(disk({ backing_limitations: ["It is volatile"], remarks: [{ key: "dirty-limit", text: "in effect 1MiB" }] }));
  assert.deepEqual(found.map(({ tone, text }) => [tone, text]), [["warning", "It is volatile"], ["busy", "dirty-limit: in effect 1MiB"]]);
  assert.deepEqual(remarksOf(disk()), []);
});

test("what waited for a limit is told with the time, and whether there is a limit", () => {
  const counted = (requests_delayed: number, request_delay_ns: number, settings = {}) =>
    delayed(disk({ settings, statistics: { ...disk().statistics, requests_delayed, request_delay_ns } }));
  assert.equal(counted(0, 0, { "iops-max": "off", "bandwidth-max": "off" }), "no limits");
  assert.equal(counted(0, 0, { "iops-max": "500", "bandwidth-max": "off" }), "nothing");
  assert.equal(counted(200, 2_500_000_000), "200 requests, 12.5 ms each on average");
  assert.equal(delayed(disk()), NOTHING);
});

test("what a backing cannot do is told with the reason, once", () => {
  const unable = (name: string, title: string) => ({ name, title, able: false, reason: "it is an export" });
  const able = { name: "resize", title: "growth under guests", able: true, reason: null };
  const found = remarksOf(disk({ backing_capabilities: [unable("fence", "fencing"), unable("flush", "flush"), able] }));
  assert.deepEqual(found.map(({ text }) => text), ["The backing is without fencing: it is an export"]);
});
