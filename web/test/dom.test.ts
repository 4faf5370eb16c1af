import assert from "node:assert/strict";
import { test } from "node:test";

import { distinct } from "../src/dom";

test("names that repeat bear a turn, and the same list always gets the same names", () => {
  assert.deepEqual(distinct([]), []);
  assert.deepEqual(distinct(["a", "b"]), ["a", "b"]);
  assert.deepEqual(distinct(["a", "b", "a", "a"]), ["a", "b", "a (1)", "a (2)"]);
});

test("a name that looks like a turn is no other's", () => {
  for (const names of [["a", "a", "a (1)"], ["a (1)", "a", "a"]]) assert.equal(new Set(distinct(names)).size, 3);
});
