import assert from "node:assert/strict";
import { test } from "node:test";

import type { Curve } from "../src/documents";
import { doublings, marks } from "../src/sizes";

function curve(more: Partial<Curve> = {}): Curve {
  const points = [...Array(17).keys()].map((step) => ({ cache_bytes: Math.round(2 ** (28 + step / 4)), hit_ratio: step / 20 }));
  return {
    name: "a",
    reads: 50_000,
    working_set_bytes: 2 ** 33,
    present: { cache_bytes: 2 ** 30, hit_ratio: 0.4 },
    held: { cache_bytes: 2 ** 20, hit_ratio: 0.01 },
    largest: { cache_bytes: 2 ** 32, hit_ratio: 0.8 },
    knee: null,
    points,
    wanted: [{ hit_ratio: 0.9, cache_bytes: null }],
    ...more,
  };
}

test("half and twice the present size are points of the curve", () => {
  const said = marks(curve());
  assert.equal(said["present"], "1GiB: 40.0%");
  assert.equal(said["half"], "512MiB: 20.0%");
  assert.equal(said["double"], "2GiB: 60.0%");
  assert.equal(said["knee"], "\u2013");
  assert.equal(said["wanted"], "no size has it");
  assert.equal(marks(curve({ wanted: [{ hit_ratio: 0.9, cache_bytes: 2 ** 31 }] }))["wanted"], "2GiB");
});

test("a size that is no point has nothing beside it", () => {
  const said = marks(curve({ present: { cache_bytes: 5, hit_ratio: null } }));
  assert.equal(said["present"], "5: \u2013");
  assert.equal(said["half"], "\u2013");
});

test("sizes lie evenly by doublings", () => {
  assert.equal(doublings(2 ** 40) - doublings(2 ** 39), 1);
});
