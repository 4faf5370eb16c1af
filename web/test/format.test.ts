import assert from "node:assert/strict";
import { test } from "node:test";

import { NOTHING, brief, byteRate, clock, count, decimal, duration, joined, micros, percent, rate, size, tail } from "../src/format";

test("sizes are those of the command line", () => {
  const expected: [number, string][] = [
    [0, "0"],
    [512, "512"],
    [4096, "4KiB"],
    [1536, "1.5KiB"],
    [1 << 20, "1MiB"],
    [3.2 * 2 ** 30, "3.2GiB"],
    [2 ** 40, "1TiB"],
    [2 ** 30 + 1, "1.0GiB"],
    [2 ** 30 - 1, "1024.0MiB"],
  ];
  for (const [bytes, text] of expected) assert.equal(size(bytes), text);
});

test("bytes of drives are in powers of ten", () => {
  for (const [bytes, text] of [[0, "0 bytes"], [1234, "1.2kB"], [6e14, "600TB"], [1.5e15, "1.5PB"]] as const) assert.equal(decimal(bytes), text);
});

test("what is not known is a dash, whatever the unit", () => {
  for (const figure of [size, decimal, byteRate, percent, count, rate, micros, duration]) {
    for (const unknown of [null, undefined, Number.NaN, Number.POSITIVE_INFINITY]) assert.equal(figure(unknown), NOTHING);
  }
});

test("figures are short and keep what matters", () => {
  assert.equal(percent(0.98765), "98.8%");
  assert.equal(percent(-0.12), "-12.0%");
  assert.equal(count(1234567), "1,234,567");
  assert.equal(rate(0), "0");
  assert.equal(rate(3.14), "3.1");
  assert.equal(rate(12_577.4), "12,577");
  assert.equal(byteRate(1 << 20), "1MiB/s");
  assert.equal(brief(12_500), "12.5k");
  assert.equal(brief(2_000_000), "2M");
});

test("times are in the unit that suits them", () => {
  assert.equal(micros(0), "0 us");
  assert.equal(micros(7.25), "7.25 us");
  assert.equal(micros(142.4), "142 us");
  assert.equal(micros(18_700), "18.7 ms");
  assert.equal(micros(2_500_000), "2.50 s");
  assert.equal(duration(0), "0 s");
  assert.equal(duration(61), "1 min 1 s");
  assert.equal(duration(7_200), "2 h");
  assert.equal(duration(90_061), "1 d 1 h");
  assert.match(clock(0), /^\d\d:\d\d:\d\d$/);
});

test("remarks stand beside each other, as far as there are any", () => {
  assert.equal(joined("of 1GiB", null, "+ 4KiB of zeroes"), "of 1GiB, + 4KiB of zeroes");
  assert.equal(joined(null, null), "");
});

test("long paths keep their end", () => {
  assert.equal(tail("short", 10), "short");
  assert.equal(tail("/srv/images/web1.raw", 9), "\u2026web1.raw");
});
