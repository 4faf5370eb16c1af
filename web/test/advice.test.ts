import assert from "node:assert/strict";
import { test } from "node:test";

import { spoken } from "../src/advice";

test("the verdict, what is expected and every warning are shown, and no more", () => {
  const said = (about: string) => ({ about, text: `about ${about}` });
  const advice = { verdict: "can-help", sentences: ["verdict", "size", "mode", "latency", "wear"].map(said), warnings: [{ kind: "too-large", text: "Too large." }], command: null };
  assert.deepEqual(spoken(advice), ["about verdict", "about latency", "Too large."]);
});
