import assert from "node:assert/strict";
import { test } from "node:test";

import type { Bucket, Report, ReportSide } from "../src/documents";
import { change, classes, rows, sources, verdict, warmth } from "../src/report";

function times(mean: number, counts: number[]) {
  const bounds = [1, 1_000, 15_000, null];
  const buckets: Bucket[] = counts.map((count, at) => ({ upto: bounds[at] ?? null, count }));
  return { count: 10, mean, p50: mean, p95: mean * 2, p99: mean * 3, p999: mean * 4, max: mean * 5, classes: buckets };
}

function side(more: Partial<ReportSide>): ReportSide {
  return {
    reads_are: "unknown", writes_are: "unknown", reads: 0, writes: 0, read_hits_ram: 0, read_hits_flash: 0, iops: null, iops_busiest_minute: null,
    latency_us: { read: null, write: null }, backing_reads: 0, backing_read_bytes: 0, backing_writes: 0, backing_write_bytes: 0, ...more,
  };
}

function report(more: Partial<Report> = {}): Report {
  return {
    compared_since: "2026-11-21T17:15:09Z",
    without: side({ reads_are: "concluded", backing_reads: 1_000, latency_us: { read: times(12_000, [0, 0, 8, 2]), write: null } }),
    with: side({ reads: 1_000, backing_reads: 250, latency_us: { read: times(3_000, [0, 5, 5, 0]), write: times(300, [0, 4, 0, 0]) } }),
    requests_min: 1_000, times_faster: 4, writes_times_faster: null, measured_backing_reads: 250, flash_write_bytes: 4096,
    warm_up: { state: "too-few-reads", seconds: null, hit_ratio: null, variation: null, variation_max: 0.03, reads_min: 1_000 },
    ...more,
  };
}

test("each figure stands beside its other side, with how much it changed", () => {
  const told = rows(report());
  const row = (key: string) => told.find((one) => one.key === key);
  assert.deepEqual(row("read.mean"), { key: "read.mean", name: "Read latency, mean", without: "12 ms", with: "3 ms", change: "\u221275.0%" });
  assert.deepEqual([row("write.p99")?.without, row("write.p99")?.with, row("write.p99")?.change], ["\u2013", "900 us", ""], "what is not known is not guessed");
  assert.deepEqual([row("backing_reads")?.without, row("backing_reads")?.with], ["1,000", "250"]);
  assert.equal(row("iops"), undefined, "known of neither side");
  assert.deepEqual([change(100, 100.01), change(100, 150), change(0, 5), change(null, 5)], ["0.0%", "+50.0%", "", ""]);
});

test("the verdict says what is gained, or why nothing can be said", () => {
  assert.deepEqual(verdict(report({ writes_times_faster: 2.04 })), ["The mean read is 4.0 times faster with the cache.", "The mean write is 2.0 times faster."]);
  assert.match(verdict(report({ times_faster: 1.01 }))[0] ?? "", /gains nothing/);
  assert.match(verdict(report({ times_faster: null }))[0] ?? "", /No read went to the backing/);
  assert.match(verdict(report({ times_faster: null, with: side({}) }))[0] ?? "", /Nothing was read with the cache/);
});

test("it says what is measured and what concluded", () => {
  assert.equal(sources(report()), "Without the cache: reads are concluded from the 250 that went to the backing, writes are not known.");
  const measured = report({ without: side({ reads_are: "measured", writes_are: "measured" }) });
  assert.match(sources(measured), /reads are measured while.*writes are measured/);
});

test("classes run from the first to the last that is used on either side, as shares of it", () => {
  assert.deepEqual(classes(report(), "read"), [
    { upto: "1 ms", without: 0, with: 0.5 },
    { upto: "15 ms", without: 0.8, with: 0.5 },
    { upto: "more", without: 0.2, with: 0 },
  ]);
  assert.deepEqual(classes(report(), "write"), [{ upto: "1 ms", without: null, with: 1 }], "nothing is known of writes without");
  assert.deepEqual(classes(report({ with: side({}), without: side({}) }), "read"), []);
});

test("whether it is warm is told with the figures that say so", () => {
  const warm_up = report().warm_up;
  assert.match(warmth(report()), /three steps with 1,000 reads/);
  assert.equal(warmth(report({ warm_up: { ...warm_up, state: "warm", seconds: 240, hit_ratio: 0.912 } })), "Warm after 4 min: the next three steps hit 91.2%, less than 3 points apart.");
  assert.match(warmth(report({ warm_up: { ...warm_up, state: "warming", variation: 0.2 } })), /are 20\.0 points apart, and 3 are too many/);
  assert.match(warmth(report({ warm_up: { ...warm_up, state: "warming", variation: 0 } })), /next to nothing hits/);
});
