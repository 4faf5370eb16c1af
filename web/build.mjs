// Builds the page into web/dist, which is committed: cargo embeds it and needs no npm.
//
//   node build.mjs            web/dist
//   node build.mjs --check    builds elsewhere and fails if web/dist is something else
//   node build.mjs --tests    the unit tests of the pure parts, for `node --test`, into web/out
//
// The result depends on the source and the locked packages only: no source map, no date, no path, no outside address.

import { build } from "esbuild";
import { cp, mkdir, mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const FILES = ["index.html", "icon.svg"];

/** The licence of uPlot, which wants to be wherever a copy of it is. Its own header is no legal comment to esbuild. */
async function notice() {
  const licence = await readFile(join(here, "node_modules/uplot/LICENSE"), "utf8");
  return `/*! uPlot\n\n${licence.replaceAll("\r", "").trim()}\n*/`;
}

async function page(folder) {
  await mkdir(folder, { recursive: true });
  const licence = await notice();
  await build({
    absWorkingDir: here,
    entryPoints: { app: "src/main.ts" },
    outdir: folder,
    bundle: true,
    format: "iife",
    target: ["chrome100", "firefox100", "safari15"],
    minify: true,
    // Short lines: a change of the source then shows as a change of some lines.
    lineLimit: 140,
    legalComments: "inline",
    // The style sheet holds that of uPlot.
    banner: { js: licence, css: licence },
    charset: "ascii",
    logLevel: "warning",
  });
  for (const file of FILES) {
    await cp(join(here, "src", file), join(folder, file));
  }
}

async function tests() {
  const folder = join(here, "out");
  await rm(folder, { recursive: true, force: true });
  const names = (await readdir(join(here, "test"))).filter((name) => name.endsWith(".test.ts"));
  await build({
    absWorkingDir: here,
    entryPoints: names.map((name) => join("test", name)),
    outdir: folder,
    outExtension: { ".js": ".test.mjs" },
    entryNames: "[name]",
    bundle: true,
    format: "esm",
    platform: "node",
    logLevel: "warning",
  });
}

async function check() {
  const folder = await mkdtemp(join(tmpdir(), "forebay-web-"));
  try {
    await page(folder);
    const kept = join(here, "dist");
    const names = new Set([...(await readdir(folder)), ...(await readdir(kept))]);
    for (const name of names) {
      const [built, committed] = await Promise.all(
        [folder, kept].map((where) => readFile(join(where, name)).catch(() => Buffer.alloc(0))),
      );
      if (!built.equals(committed)) {
        throw new Error(`web/dist/${name} is not what its source builds: run \`npm run build\` in web and commit web/dist`);
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const [option] = process.argv.slice(2);
try {
  if (option === "--tests") await tests();
  else if (option === "--check") await check();
  else await page(join(here, "dist"));
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}
