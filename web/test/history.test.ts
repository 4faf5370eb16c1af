import assert from "node:assert/strict";
import { test } from "node:test";

import { COUNTERS, type History, type Statistics } from "../src/documents";
import { past } from "../src/history";
import { Series } from "../src/series";

const NOON = 1_800_000_000;

function history(more: Partial<History> & Pick<History, "time" | "seconds">): History {
  const zero = more.time.map(() => 0);
  const columns = Object.fromEntries(COUNTERS.map((name) => [name, zero]));
  const nulls = more.time.map(() => null);
  return {
    name: "a", span: "1d", step_seconds: 300, now: NOON, hit_ratio: nulls, read_latency_us: nulls, write_latency_us: nulls,
    cached_bytes: zero, dirty_bytes: zero, dirty_bytes_max: zero, dirty_limit_bytes: zero, ...columns, ...more,
  };
}

test("rates are what was counted by the time that a step covers, not by its length", () => {
  const { points } = past(history({ time: [NOON - 300, NOON], seconds: [150, 300], reads: [300, 300], read_hits_ram: [150, 30], read_hits_flash: [75, 0], read_latency_us: [250, null] }), NOON);
  assert.deepEqual(points.map((point) => point.rates?.reads), [2, 2, 1], "the first line begins where its step does");
  assert.deepEqual(points.map((point) => [point.hitRam, point.hitFlash]), [[0.5, 0.25], [0.5, 0.25], [0.1, 0]]);
  assert.deepEqual(points.map((point) => [point.at - NOON, point.readMicros]), [[-450, 250], [-300, 250], [0, null]]);
});

test("without reads there is no hit ratio, and a step that covers nothing has no rates", () => {
  const { points } = past(history({ time: [NOON - 300, NOON], seconds: [300, 0] }), NOON);
  assert.deepEqual(points.map((point) => [point.hitRam, point.rates?.reads ?? null]), [[null, 0], [null, 0], [null, null]]);
});

test("where the disk was not served nothing is drawn, and a restart leaves no hole", () => {
  const { points } = past(history({ time: [NOON - 7_200, NOON - 300, NOON], seconds: [300, 300, 260] }), NOON);
  assert.deepEqual(points.map((point) => [point.at - NOON, point.rates === null]), [[-7_500, false], [-7_200, false], [-7_200, true], [-600, false], [-300, false], [0, false]]);
});

test("the host's clock need not be that of the browser", () => {
  const { points, end } = past(history({ time: [NOON - 300, NOON], seconds: [300, 300] }), NOON + 3_600);
  assert.deepEqual([points.map((point) => point.at), end], [[NOON + 3_000, NOON + 3_300, NOON + 3_600], NOON + 3_600]);
});

test("of a long step the most that was dirty is told, of a short one the end", () => {
  const columns = { time: [NOON], seconds: [5], dirty_bytes: [3], dirty_bytes_max: [9] };
  assert.equal(past(history(columns), NOON).points[0]?.dirtyBytes, 9);
  assert.equal(past(history({ ...columns, span: "5m", step_seconds: 5 }), NOON).points[0]?.dirtyBytes, 3);
});

test("what the daemon kept stands before what the page has seen itself", () => {
  const zero = Object.fromEntries(COUNTERS.map((name) => [name, 0]));
  const document: Statistics = { name: "a", mode: "write-back", state: "serving", size_bytes: 1, dirty_bytes: 7, ...zero };
  const series = new Series();
  series.add(NOON, document);
  const { points } = past(history({ span: "5m", step_seconds: 5, time: [NOON - 600, NOON - 10, NOON - 5, NOON], seconds: [5, 5, 5, 5], reads: [9, 5, 10, 20], read_hits_ram: [0, 0, 5, 5] }), NOON);
  series.fill(points);
  assert.deepEqual(series.points.map((point) => [point.at - NOON, point.rates?.reads]), [[-15, 1], [-10, 1], [-5, 2], [0, 4]]);
  assert.deepEqual([series.last?.dirtyBytes, series.last?.hitRam], [7, 0.25], "the newest is the page's own, and has what it cannot know alone");
  series.add(NOON + 2, { ...document, reads: 6 });
  series.fill(points);
  assert.deepEqual(series.points.map((point) => point.at - NOON), [-15, -10, -5, 0, 2], "once");
  new Series().fill([]);
});

test("steps have the percentiles that are kept, and none of versions that kept none", () => {
  const kept = history({ time: [NOON], seconds: [300], read_p50_us: [10], read_p95_us: [20], read_p99_us: [null] });
  const { points } = past(kept, NOON);
  assert.deepEqual(points.map((point) => point.readSpread), [[10, 20, null], [10, 20, null]]);
  assert.deepEqual(points.at(-1)?.writeSpread, [null, null, null]);
});
