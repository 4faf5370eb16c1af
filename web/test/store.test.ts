import assert from "node:assert/strict";
import { test } from "node:test";

import type { Event } from "../src/documents";
import { eventsWith } from "../src/store";

function events(...ids: number[]): Event[] {
  return ids.map((id) => ({ id, time: "2026-11-22T07:00:00Z", level: "info", kind: "disk-added", disk: null, message: `${id}`, advice: null }));
}

test("events that came are appended, and nothing new leaves the list as it is", () => {
  assert.deepEqual(eventsWith([], events(1, 2)), events(1, 2));
  assert.deepEqual(eventsWith(events(1, 2), events(3)), events(1, 2, 3));
  assert.deepEqual(eventsWith(events(1, 2), []), events(1, 2));
});

test("a list that began anew takes the place of the old one", () => {
  assert.deepEqual(eventsWith(events(7, 8, 9), events(1, 2)), events(1, 2));
  assert.deepEqual(eventsWith(events(7, 8, 9), events(9, 10)), events(9, 10));
});

test("the newest events are kept, and no more than the page shows", () => {
  const ids = Array.from({ length: 800 }, (_, index) => index + 1);
  const kept = eventsWith(events(...ids.slice(0, 400)), events(...ids.slice(400)));
  assert.deepEqual([kept.length, kept[0]?.id, kept.at(-1)?.id], [500, 301, 800]);
});
