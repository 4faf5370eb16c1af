import assert from "node:assert/strict";
import { test } from "node:test";

import { COUNTERS, LATENCIES, type Statistics } from "../src/documents";
import { SPAN_SECONDS, Series, goesOn, hitRatio, rates, saved, sums, together } from "../src/series";

function statistics(counts: Partial<Record<(typeof COUNTERS)[number], number>>, more: Partial<Statistics> = {}): Statistics {
  const zero = Object.fromEntries(COUNTERS.map((name) => [name, 0]));
  return { name: "a", mode: "write-back", state: "serving", size_bytes: 1, dirty_bytes: 0, ...zero, ...counts, ...more };
}

function latencies(count: number, mean: number): NonNullable<Statistics["latency_us"]> {
  const one = { count, mean, p50: mean, p95: mean, p99: mean, p999: mean, max: mean };
  return Object.fromEntries(LATENCIES.map((name) => [name, one])) as NonNullable<Statistics["latency_us"]>;
}

test("rates are differences of two documents by the time between them", () => {
  const now = rates({ at: 10, statistics: statistics({ reads: 100 }) }, { at: 12, statistics: statistics({ reads: 150, writes: 4 }) });
  assert.deepEqual([now?.reads, now?.writes, now?.flushes], [25, 2, 0]);
  assert.equal(rates({ at: 10, statistics: statistics({}) }, { at: 10, statistics: statistics({}) }), null, "no time went by");
});

test("a counter that went back is a new start, not a negative rate", () => {
  const [before, after] = [statistics({ reads: 100 }), statistics({ reads: 3 })];
  assert.equal(goesOn(before, after), false);
  const series = new Series();
  series.add(0, before);
  series.add(2, after);
  series.add(4, statistics({ reads: 13 }));
  assert.deepEqual(series.points.map((point) => point.rates?.reads ?? null), [null, null, 5]);
});

test("a document that comes too soon is left out, unless it is a new start", () => {
  const series = new Series();
  series.add(0, statistics({ reads: 10 }));
  series.add(0.1, statistics({ reads: 90 }));
  assert.equal(series.points.length, 1);
  series.add(0.2, statistics({ reads: 0 }));
  series.add(2.2, statistics({ reads: 20 }));
  assert.deepEqual(series.points.map((point) => point.rates?.reads ?? null), [null, null, 10]);
});

test("a clock that goes back is a new start: times of points rise", () => {
  const series = new Series();
  for (const at of [1_000, 1_002]) series.add(at, statistics({ reads: at }));
  series.add(500, statistics({ reads: 1_010 }));
  series.add(502, statistics({ reads: 1_020 }));
  assert.deepEqual(series.points.map((point) => [point.at, point.rates?.reads ?? null]), [[500, null], [502, 5]]);
});

test("a disk that is not served has points without figures", () => {
  const series = new Series();
  const waiting: Statistics = { name: "a", mode: "write-back", state: "waiting", size_bytes: null };
  series.add(0, statistics({ reads: 1 }));
  series.add(2, waiting);
  series.add(4, statistics({ reads: 2 }));
  assert.deepEqual(series.points.map((point) => point.rates), [null, null, null]);
  assert.equal(series.points[1]?.dirtyBytes, null);
});

test("the hit ratio is that of ten seconds, split, and nothing without reads", () => {
  const series = new Series();
  for (let at = 0; at <= 20; at += 2) series.add(at, statistics({ reads: at * 10, read_hits_ram: at * 5, read_hits_flash: at * 4 }));
  assert.deepEqual([series.last?.hitRam, series.last?.hitFlash], [0.5, 0.4]);
  for (let at = 22; at <= 34; at += 2) series.add(at, statistics({ reads: 200, read_hits_ram: 100, read_hits_flash: 80 }));
  assert.deepEqual([series.last?.hitRam, series.last?.hitFlash], [null, null]);
});

test("means are those of what was answered meanwhile", () => {
  const series = new Series();
  series.add(0, statistics({ reads: 0 }, { latency_us: latencies(10, 100) }));
  series.add(2, statistics({ reads: 1 }, { latency_us: latencies(20, 300) }));
  assert.equal(series.last?.readMicros, 500, "(20 * 300 - 10 * 100) / 10");
  series.add(14, statistics({ reads: 1 }, { latency_us: latencies(20, 300) }));
  assert.equal(series.last?.readMicros, null, "nothing was read meanwhile");
});

test("percentiles are those of the window where there is one", () => {
  const series = new Series();
  series.add(0, statistics({}, { latency_us: latencies(1, 1) }), statistics({}, { latency_us: latencies(1, 9) }));
  assert.equal(series.last?.latency?.read_miss.p99, 9);
});

test("what is drawn below the limit is what the limit is for: data without zeroes", () => {
  const series = new Series();
  series.add(0, statistics({}, { dirty_bytes: 4096, dirty_zeroes_bytes: 2 ** 30, dirty_limit_bytes: 8192 }));
  assert.deepEqual([series.last?.dirtyBytes, series.last?.dirtyLimitBytes], [4096, 8192]);
});

test("points are kept for as long as charts show", () => {
  const series = new Series();
  for (let at = 0; at <= 1_000; at += 2) series.add(at, statistics({ reads: at }));
  assert.equal(series.points[0]?.at, 1_000 - SPAN_SECONDS);
  assert.equal(series.points.length, SPAN_SECONDS / 2 + 1);
});

test("what the backing was spared counts its own work as well", () => {
  assert.equal(saved(sums([{ reads: 80, writes: 20, backing_reads: 5, backing_writes: 5 }])), 0.9);
  assert.equal(saved(sums([{ reads: 1, backing_reads: 2 }])), -1);
  assert.equal(saved(sums([])), null);
  assert.equal(saved(null), null);
});

test("disks are added up, and those that are not known are left out", () => {
  const one = rates({ at: 0, statistics: statistics({}) }, { at: 1, statistics: statistics({ reads: 10, read_hits_ram: 5 }) });
  const all = together([one, null, one]);
  assert.equal(all?.reads, 20);
  assert.equal(hitRatio(all ?? {}), 0.5);
  assert.equal(hitRatio({}), null);
  assert.equal(together([null]), null);
});
