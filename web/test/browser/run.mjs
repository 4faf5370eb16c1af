// A real browser on a daemon under load: every view, every action, and what must be refused.
//
//   node test/browser/run.mjs FOREBAY SCREENSHOTS
//
// FOREBAY is the binary, SCREENSHOTS a folder for pictures of every view. The browser is Debian's chromium.

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { chromium } from "playwright-core";

import { Host } from "./host.mjs";
import { STEPS } from "./steps.mjs";

const OPTIONS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
/** How long anything on the page may take: the gate builds and tests other things on the same few cores. */
const PATIENCE = 60_000;

async function main(forebay, screenshots) {
  await mkdir(screenshots, { recursive: true });
  const profile = await mkdtemp(join(tmpdir(), "forebay-chromium-"));
  const host = await Host.make(forebay);
  let context;
  try {
    await host.start();
    context = await chromium.launchPersistentContext(profile, {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      headless: true,
      args: OPTIONS,
      viewport: { width: 1280, height: 900 },
      colorScheme: "light",
      reducedMotion: "reduce",
    });
    context.setDefaultTimeout(PATIENCE);
    const page = context.pages()[0] ?? (await context.newPage());
    const world = { host, page, context, complaints: listen(page), asked: [], shoot: shooter(page, screenshots) };
    page.on("request", (request) => world.asked.push(request.url()));
    return await all(world, screenshots);
  } finally {
    await context?.close();
    await host.end();
    await rm(profile, { recursive: true, force: true });
  }
}

/** What the browser complains of: errors of scripts, and what the policy of the page forbids. */
function listen(page) {
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    // Refused and failed requests are part of the test, and answered on the page.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) complaints.push(message.text());
  });
  return complaints;
}

function shooter(page, folder) {
  return async (name, options = {}) => {
    await page.screenshot({ path: join(folder, `${name}.png`), ...options });
  };
}

async function all(world, screenshots) {
  const began = Date.now();
  let passed = 0;
  for (const [name, step] of STEPS) {
    try {
      await step(world);
      passed += 1;
      console.log(`  ok  ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
    } catch (error) {
      await world.page.screenshot({ path: join(screenshots, "failed.png"), fullPage: true }).catch(() => {});
      console.error(`error: The browser test failed: ${name}: ${error.stack}\nThe page: ${screenshots}/failed.png\nThe browser: ${world.complaints.slice(0, 5).join("\n")}\nThe daemon:\n${world.host.log}`);
      console.log(`${passed} passed, 1 failed`);
      return 1;
    }
  }
  console.log(`${passed} passed, 0 failed`);
  return 0;
}

const [forebay, screenshots] = process.argv.slice(2);
if (!forebay || !screenshots) {
  console.error("error: node test/browser/run.mjs FOREBAY SCREENSHOTS");
  process.exit(2);
}
process.exitCode = await main(resolve(forebay), resolve(screenshots)).catch((error) => {
  console.error(`error: The browser test could not run: ${error.stack}`);
  return 1;
});
