// A week of a disk, as earlier versions kept it (daemon/src/series/earlier.rs): made up, because nobody waits a week for a picture.

import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

const STEP_SECONDS = 300;
const STEPS = 2016;
const HEAD_BYTES = 512;
const STEP_BYTES = 256;
const MIB = 1 << 20;

/** Writes a week up to now: days and nights, a hole of half a day, a cache that warms up after it. Returns how many steps it has. */
export async function writeWeek(path, disk) {
  const newest = Math.floor(Date.now() / 1_000 / STEP_SECONDS) - 1;
  const file = Buffer.alloc(HEAD_BYTES + STEPS * STEP_BYTES);
  file.write("FOREBAYH", "latin1");
  [1, disk, STEP_SECONDS, STEPS].forEach((number, at) => file.writeUInt32LE(number, 8 + 4 * at));
  file.writeUInt32LE(crc32c(file.subarray(0, 24)), 24);
  let written = 0;
  for (let ago = 0; ago < STEPS - 1; ago += 1) {
    const isHole = ago >= 160 && ago < 300;
    if (isHole) continue;
    const number = newest - ago;
    step(file, number, figures(number, ago < 160 ? 160 - ago : STEPS - ago));
    written += 1;
  }
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, file);
  return written;
}

function figures(number, age) {
  // Busy by day, with a wave of some hours on it; the hit ratio rises to its height within a quarter of a day.
  const day = 1 + Math.sin((2 * Math.PI * number) / 288);
  const wave = 1 + 0.3 * Math.sin(number / 10);
  const warm = 0.92 * (1 - Math.exp(-age / 30));
  const reads = Math.round(60_000 * (0.3 + day) * wave);
  const writes = Math.round(reads / 4);
  const hits = Math.round(reads * warm);
  const ram = Math.round(hits / 4);
  const misses = reads - hits;
  const dirty = Math.round((1 + day * wave) * 6 * MIB);
  const sums = [reads, ram, hits - ram, writes, reads * 4096, writes * 4096, writes * 5000, misses, Math.round(writes / 3), misses * 4096, writes * 4096, writes * 4096, reads * 400_000 + misses * 6_000_000, writes * 300_000];
  // Half, 95 and 99 in a hundred, in units of 16 ns, of reads and of writes.
  const units = (micros) => BigInt(Math.round((micros * 1_000) / 16));
  const percentiles = [[400, 200], [5_000 + misses / 20, 600], [9_000 + misses / 10, 2_000]].map(([read, write]) => units(read) | (units(write) << 32n));
  return [number, 300_000, ...sums, dirty, 40 * MIB, 50 * MIB, dirty + MIB, ...percentiles];
}

function step(file, number, words) {
  const bytes = file.subarray(HEAD_BYTES + (number % STEPS) * STEP_BYTES).subarray(0, STEP_BYTES);
  words.forEach((word, at) => bytes.writeBigUInt64LE(BigInt(word), 8 * at));
  bytes.writeUInt32LE(crc32c(bytes.subarray(0, STEP_BYTES - 4)), STEP_BYTES - 4);
}

/** Castagnoli's, bit by bit: half a megabyte, once. */
function crc32c(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
