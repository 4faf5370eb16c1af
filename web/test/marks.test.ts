import assert from "node:assert/strict";
import { test } from "node:test";

import type { Event } from "../src/documents";
import { LIVE, between, sourceOf } from "../src/history";
import { marked } from "../src/marks";

const event = (id: number, time: string, more: Partial<Event> = {}): Event => ({ id, time, level: "info", kind: "disk-added", disk: null, message: `event ${id}`, advice: null, ...more });
const at = (text: string) => new Date(text).getTime() / 1_000;

test("charts are marked with the events of their disk and of the host, within the time that is shown", () => {
  const events = [
    event(1, "2026-11-01T09:59:59Z"),
    event(2, "2026-11-01T10:00:00Z", { disk: "web1", level: "error" }),
    event(3, "2026-11-01T10:30:00Z", { disk: "mail" }),
    event(4, "2026-11-01T10:45:00Z", { level: "warning" }),
    event(5, "no time at all"),
    event(6, "2026-11-01T11:00:01Z"),
  ];
  const found = marked(events, "web1", 0, at("2026-11-01T10:00:00Z"), at("2026-11-01T11:00:00Z"));
  assert.deepEqual(found.map(({ event, mark }) => [event.id, mark.label, mark.colour]), [[2, "1", "bad"], [4, "2", "warning"]]);
});

test("marks stand at the times of the browser's clock", () => {
  const found = marked([event(1, "2026-11-01T10:00:00Z")], "web1", 3_600, at("2026-11-01T10:30:00Z"), at("2026-11-01T11:30:00Z"));
  assert.equal(found[0]?.mark.at, at("2026-11-01T11:00:00Z"));
});

test("of more events than fit the newest are marked", () => {
  const events = Array.from({ length: 30 }, (_, id) => event(id, `2026-11-01T10:00:${String(id).padStart(2, "0")}Z`));
  const found = marked(events, "web1", 0, 0, 1e12);
  assert.equal(found.length, 12);
  assert.equal(found.at(-1)?.event.id, 29);
});

test("a period comes from the finest document that reaches back to it", () => {
  const now = 1_000_000_000;
  assert.equal(sourceOf(LIVE, now), "5m");
  assert.equal(sourceOf({ seconds: 3_600, end: null }, now), "1d");
  assert.equal(sourceOf({ seconds: 7 * 86_400, end: null }, now), "7d");
  assert.equal(sourceOf({ seconds: 60, end: now - 100 }, now), "5m");
  assert.equal(sourceOf({ seconds: 60, end: now - 86_400 }, now), "7d");
  assert.equal(sourceOf({ seconds: 60, end: now - 30 * 86_400 }, now), "7d");
});

test("a period that is drawn or typed is within what is remembered, in either order", () => {
  const now = 1_000_000_000;
  assert.deepEqual(between(now - 50, now - 150, now), { seconds: 100, end: now - 50 });
  assert.deepEqual(between(now - 100, now + 500, now), { seconds: 100, end: now });
  assert.equal(between(now - 5, now, now), null);
  assert.equal(between(0, 1_000, now), null);
  assert.equal(between(Number.NaN, now, now), null);
});
