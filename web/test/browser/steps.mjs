// The steps of the browser test, in the order in which a day goes. Each is a sentence that holds.

import assert from "node:assert/strict";
import { copyFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import { join } from "node:path";

import { writeWeek } from "./past.mjs";

const MIB = 1 << 20;
/** Names of disks are plain; what a backing is called is not. */
const NASTY = "<img src=x onerror=alert(1)>";
/** How long figures may take to move, and charts to fill: ten looks are 20 s on a machine that does nothing else. */
const FIGURE_TIME_MAX = 120_000;
/** How long the page and the interface may differ. */
const SAME_TIME_MAX = 60_000;

/** Screens of a phone that a view may be high. The first needs the charts; a table of settings is as long as there are keys. */
const PHONE_SCREENS_MAX = { host: 3, disk: 5, sizing: 3, requests: 4, connect: 3, settings: 5.7, events: 30 };

export const STEPS = [
  ["a host without disks says how to add one", emptyHost],
  ["disks appear by themselves and figures move", disksAppear],
  ["charts draw what guests do", chartsDraw],
  ["charts are full at once of what happened before the page was opened", chartsAreFilled],
  ["histograms and events are there", histogramsAndEvents],
  ["the curve of sizes is drawn with the present size", curveIsDrawn],
  ["advice is given, or what it lacks", adviceIsGiven],
  ["before and after stand beside each other, with the figures of the interface", reportIsShown],
  ["text from elsewhere stays text", untrustedText],
  ["shares of RAM and flash are shown with their reasons, and fit a phone", sharesAreShown],
  ["views fit a phone and are readable in the dark", phoneAndDark],
  ["the keyboard reaches everything, and dialogs keep the focus", keyboard],
  ["signing in takes the token of this host alone, and names its file", signIn],
  ["a change without the token, or with a wrong one, is refused", tokenIsNeeded],
  ["every action does what its dialog says", actions],
  ["settings are changed after they were said, and refusals are shown", settings],
  ["a size that is tried on the curve becomes the limit of the disk", sizeIsChosen],
  ["disks are added and removed as by commands, with the same refusals", disksComeAndGo],
  ["what vm attach refuses is refused in its words", guestIsRefused],
  ["devices of the pool are added and taken out", devicesComeAndGo],
  ["at rest the page, the interface and the command line say the same", sameFigures],
  ["a disk that waits says why", waitingDisk],
  ["a day and a week are drawn, with a hole where nothing is known", pastIsDrawn],
  ["any time of the week is shown, typed or drawn, with what happened in it", anyPeriodIsShown],
  ["a page of another origin can neither read nor change anything", otherOrigin],
  ["a daemon that is away is said, and forgotten once it is back", daemonAway],
  ["nothing was asked elsewhere and the browser complained of nothing", quietBrowser],
];

async function emptyHost({ host, page, shoot }) {
  await page.goto(host.page);
  await page.getByText("No disks yet").waitFor();
  await page.getByText("forebay disk add").waitFor();
  await shoot("empty");
}

async function disksAppear({ host, page }) {
  await host.addDisk("web1", 64 * MIB, "hdd-7k2-raid5x8", "--mode", "write-back", "--block-size", "4KiB");
  await host.addDisk("mail", 64 * MIB, "hdd-7k2-raid5x8", "--block-size", "16KiB");
  await page.getByRole("link", { name: "web1", exact: true }).waitFor();
  await page.getByRole("link", { name: "mail", exact: true }).waitFor();
  // Little RAM, so that flash has something to answer.
  for (const name of ["web1", "mail"]) await host.cli("disk", "set", name, "ram=1MiB");
  const usual = ["--bs=4k", "--random_distribution=zipf:1.2", "--iodepth=8", "--randrepeat=1"];
  host.guest("web1", [...usual, "--rw=randrw", "--rwmixread=75", "--rate_iops=300,100"]);
  host.guest("mail", [...usual, "--rw=randrw", "--rwmixread=90", "--rate_iops=180,20"]);
  await until(page, () => /^[1-9]/.test(document.querySelector('[data-figure="web1.operations"]').textContent));
  await until(page, () => document.querySelector('[data-figure="web1.hit_ratio"]').textContent.endsWith("%"));
}

async function chartsDraw({ host, page, shoot }) {
  await page.getByRole("link", { name: "web1", exact: true }).click();
  await page.getByRole("heading", { name: "web1" }).waitFor();
  const lines = { "Hit ratio": ["ram"], "Requests a second": ["read", "write"], Latency: ["read"], "Dirty data": ["dirty"], "Backing requests saved": ["read"], "Written to flash": ["flash"] };
  // Enough of the time axis that a picture is worth looking at.
  await until(page, () => document.querySelectorAll(".charts .u-over").length === 6 && Number(document.querySelector(".chart-canvas").dataset.points) >= 10);
  for (const [title, colours] of Object.entries(lines)) {
    for (const colour of colours) {
      const drawn = await inked(page, title, colour);
      assert.ok(drawn >= 20, `${title}: only ${drawn} pixels in the colour of ${colour}`);
    }
  }
  await page.getByLabel("Latency of").selectOption("write");
  const figure = page.locator("figure:not([hidden])", { hasText: "So many in a hundred" });
  await until(page, () => [...document.querySelectorAll("figure")].find((one) => one.textContent.includes("So many in a hundred")).querySelector(".figure").textContent.match(/\d/));
  assert.match(await figure.textContent(), /Write/);
  await shoot("disk");
  await shoot("disk-whole", { fullPage: true });
  await page.getByRole("link", { name: "Host", exact: true }).click();
  await page.getByRole("heading", { name: "Host" }).waitFor();
  await shoot("host", { fullPage: true });
}

async function chartsAreFilled({ host, page }) {
  // The daemon counts in steps of its own, fewer than the page has points: how many there are by now depends on how long all before took.
  const history = await eventually(async () => {
    const { history } = await host.get("/v1/history/web1?span=5m");
    assert.ok(history.time.length >= 4, `${history.time.length} steps`);
    return history;
  });
  const newest = await host.get("/v1/stats/web1");
  const sum = history.reads.reduce((all, one) => all + one, 0);
  assert.ok(sum > 0 && sum <= newest.disks[0].total.reads, "what is drawn was counted");
  await openDisk(page, host, "web1");
  await page.reload();
  await page.getByRole("region", { name: "Charts" }).waitFor();
  // Two looks would bring two points.
  const points = await until(page, () => Number(document.querySelector(".chart-canvas").dataset.points)).then((shown) => shown.jsonValue());
  assert.ok(points >= history.time.length - 1, `${points} points of ${history.time.length} steps at once`);
}

async function histogramsAndEvents({ host, page, shoot }) {
  // The page shows neither where the daemon has none, which this one has: an error would look the same.
  const document = await host.get("/v1/disks/web1/histograms");
  const { events } = await host.get("/v1/events?after=0");
  await openDisk(page, host, "web1", "Requests");
  const section = page.getByRole("region", { name: "Histograms" });
  await section.waitFor();
  const tabs = await section.getByRole("button").all();
  assert.equal(tabs.length, 5);
  assert.ok(Object.keys(document.histograms).length >= tabs.length);
  for (const tab of tabs) {
    await tab.click();
    assert.equal(await tab.getAttribute("aria-pressed"), "true");
    await section.locator("table").first().waitFor();
    await section.locator(".bar-text", { hasText: "%" }).first().waitFor();
  }
  await tabs[1].click();
  await section.scrollIntoViewIfNeeded();
  await shoot("histograms");
  await page.getByRole("link", { name: "Events" }).click();
  await page.getByRole("heading", { name: "Events" }).waitFor();
  const list = page.getByRole("list", { name: "Events" });
  for (const { message } of events) await list.getByText(message, { exact: true }).first().waitFor();
  await shoot("events");
}

async function adviceIsGiven({ host, page }) {
  const { advice } = await host.get("/v1/disks/web1/advice");
  assert.equal(advice.length, 1);
  const verdicts = { "can-help": "A cache helps", "cannot-help": "A cache can", "too-little-seen": "Too little was observed" };
  assert.ok(advice[0].verdict in verdicts, advice[0].verdict);
  // It may have become another one meanwhile.
  const text = await page.locator("section.advice .advice-text").textContent();
  assert.ok(Object.values(verdicts).some((begin) => text.startsWith(begin)), text);
}

async function reportIsShown({ host, page, shoot }) {
  // Both sides measured: the disk passes through for as many reads as that takes.
  await host.cli("disk", "set", "mail", "mode=pass-through");
  await eventually(async () => {
    const { report } = await host.get("/v1/disks/mail/report");
    assert.equal(report.without.reads_are, "measured", `${report.without.reads} reads passed through`);
  });
  await host.cli("disk", "set", "mail", "mode=write-through");
  await openDisk(page, host, "mail", "Requests");
  const section = page.getByRole("region", { name: "Before and after" });
  await section.waitFor();
  assert.match(await section.getByRole("status").textContent(), /times faster|gains nothing/);
  // Guests go on: the page may show the figures of a moment ago, so what it shows lies between two answers.
  const shown = (key, side) => section.locator(`[data-figure="report.${key}.${side}"]`).textContent();
  const number = (text) => Number(text.replaceAll(",", ""));
  const counts = async () => (await host.get("/v1/disks/mail/report")).report;
  const before = await counts();
  await eventually(async () => assert.ok(number(await shown("backing_reads", "with")) >= before.with.backing_reads, "it is shown anew"));
  const after = await counts();
  const told = number(await shown("backing_reads", "with"));
  assert.ok(told <= after.with.backing_reads, `${told} of ${after.with.backing_reads}`);
  // Nothing passes through any more, so this side stands still.
  const micros = after.without.latency_us.read.mean;
  const unit = micros >= 1_000 ? [micros / 1_000, "ms"] : [micros, "us"];
  const digits = unit[0] >= 100 ? 0 : unit[0] >= 10 ? 1 : 2;
  assert.equal(await shown("read.mean", "without"), `${Number.isInteger(unit[0]) ? unit[0] : unit[0].toFixed(digits)} ${unit[1]}`);
  assert.match(await shown("read.mean", "change"), /^([+\u2212]\d+\.\d|0\.0)%$/);
  for (const name of ["Writes", "Reads"]) {
    const tab = section.getByRole("button", { name, exact: true });
    await tab.click();
    assert.equal(await tab.getAttribute("aria-pressed"), "true");
    await section.locator(".report-classes .bar-text", { hasText: "%" }).first().waitFor();
  }
  await section.evaluate((card) => card.scrollIntoView());
  await shoot("report");
}

async function curveIsDrawn({ host, page, shoot }) {
  const { curve } = await host.get("/v1/disks/web1/curve");
  assert.ok(curve.reads > 0 && curve.points.length >= 16, `${curve.reads} reads, ${curve.points.length} points`);
  assert.ok(curve.points.some((point) => point.cache_bytes === curve.present.cache_bytes));
  await openDisk(page, host, "web1", "Sizing");
  const section = page.getByRole("region", { name: "Curve" });
  await section.waitFor();
  await section.locator(".u-over").waitFor();
  assert.match(await section.locator('[data-figure="present"]').textContent(), /iB: \d+\.\d%$/);
  await section.scrollIntoViewIfNeeded();
  await shoot("curve");
}

async function untrustedText({ host, page }) {
  await host.addDisk("odd", MIB, null);
  const path = `${host.dir}/${NASTY}.raw`;
  await host.cli("disk", "remove", "odd");
  await copyFile(`${host.dir}/odd.raw`, path);
  await host.cli("disk", "add", "odd", "--backing", path);
  await openDisk(page, host, "odd");
  assert.ok((await page.locator('[data-figure="backing"]').textContent()).includes(NASTY));
  await page.goto(host.page);
  await page.getByRole("link", { name: "odd", exact: true }).waitFor();
  assert.equal(await page.locator('main img').count(), 0);
  await host.cli("disk", "remove", "odd");
}

async function sharesAreShown({ host, page, shoot }) {
  await host.cli("pool", "set", "ram=8MiB");
  await page.setViewportSize({ width: 360, height: 780 });
  await page.goto(`${host.page}#/`);
  // Flash is divided in one of the rounds once the curves have seen enough reads.
  await eventually(async () => {
    const { pool } = await host.get("/v1/pool");
    const lines = (figure) => page.locator(`[data-figure="${figure}"] li`).allTextContents();
    const [ram, flash] = [await lines("pool.ram"), await lines("pool.flash")];
    assert.deepEqual([pool.ram.disks.length, pool.flash.length], [2, 2]);
    for (const disk of pool.ram.disks) assert.ok(ram.some((line) => line.startsWith(`${disk.name}: `) && line.endsWith(`, ${disk.reason}`)), `${disk.name}: ${ram}`);
    for (const disk of pool.flash) assert.ok(flash.some((line) => line.startsWith(`${disk.name}: `) && line.endsWith(` held, ${disk.reason}`)), `${disk.name}: ${flash}`);
  });
  const tall = await page.evaluate(() => document.documentElement.scrollHeight / window.innerHeight);
  assert.ok(tall <= PHONE_SCREENS_MAX.host, `the host with all shares is ${tall.toFixed(2)} screens of a phone high`);
  await shoot("phone-shares", { fullPage: true });
  await page.setViewportSize({ width: 1280, height: 900 });
  await host.cli("pool", "set", "ram=off");
  await page.locator('[data-figure="pool.ram"]').waitFor({ state: "hidden" });
}

async function phoneAndDark({ host, page, shoot }) {
  const views = { host: "#/", disk: "#/disk/web1", sizing: "#/disk/web1/sizing", requests: "#/disk/web1/requests", connect: "#/disk/web1/connect", settings: "#/disk/web1/settings", events: "#/events" };
  for (const scheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: scheme });
    for (const [name, address] of Object.entries(views)) {
      await page.setViewportSize({ width: 360, height: 780 });
      await page.goto(host.page + address);
      await page.locator("h1").waitFor();
      await until(page, () => document.querySelector(".loading") === null || document.querySelector(".loading").hidden);
      const { wide, room } = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth, room: window.innerWidth }));
      assert.ok(wide <= room, `${name} is ${wide} pixels wide and has ${room}`);
      const narrow = await page.evaluate(() => [...document.querySelectorAll("tbody th")].filter((one) => one.clientHeight > 100).map((one) => one.textContent));
      assert.deepEqual(narrow, [], `${name}: names that have no room`);
      const tall = await page.evaluate(() => document.documentElement.scrollHeight / window.innerHeight);
      assert.ok(tall <= PHONE_SCREENS_MAX[name], `${name} is ${tall.toFixed(2)} screens of a phone high`);
      const broken = await page.evaluate(() => [...document.querySelectorAll(".tile-value, .legend .figure")].filter((one) => one.getClientRects().length > 0 && one.scrollHeight > 1.9 * Number.parseFloat(getComputedStyle(one).lineHeight)).map((one) => one.textContent));
      assert.deepEqual(broken, [], `${name}: figures that are broken between lines`);
      if (name !== "events") await shoot(`phone-${name}-${scheme}`, { fullPage: true });
    }
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(`${host.page}#/disk/web1`);
  await page.getByRole("region", { name: "Charts" }).waitFor();
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await ground();
  await shoot("disk-dark", { fullPage: true });
  await page.goto(`${host.page}#/`);
  await shoot("host-dark", { fullPage: true });
  const button = page.getByRole("button", { name: /^Theme/ });
  await button.click();
  assert.notEqual(await ground(), dark, "the choice goes before the system's wish");
  await page.reload();
  assert.notEqual(await ground(), dark, "it is remembered");
  await button.click();
  await button.click();
  assert.match(await button.textContent(), /system/);
  assert.equal(await ground(), dark);
  await page.emulateMedia({ colorScheme: "light" });
}

async function keyboard({ host, page }) {
  await page.goto(host.page);
  await page.getByRole("link", { name: "web1", exact: true }).waitFor();
  await page.keyboard.press("Tab");
  assert.equal(await focused(page), "To the content");
  const reached = new Set();
  for (let step = 0; step < 14; step += 1) {
    await page.keyboard.press("Tab");
    reached.add(await focused(page));
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    if (await page.evaluate(() => document.activeElement !== document.body)) assert.notEqual(outline, "none", "the focus is seen");
  }
  for (const name of ["Forebay", "Host", "Theme: system", "Sign in", "web1", "mail"]) assert.ok(reached.has(name), `${name} of ${[...reached]}`);
  await openDisk(page, host, "web1");
  const opener = page.getByRole("button", { name: "Destage now" });
  await opener.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  for (let step = 0; step < 8; step += 1) {
    await page.keyboard.press("Tab");
    const place = await page.evaluate(() => document.activeElement === document.body || document.activeElement.closest("dialog") !== null);
    assert.ok(place, "the focus stays in the dialog");
  }
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  assert.equal(await focused(page), await opener.textContent(), "the focus goes back to where it was");
}

async function signIn({ host, page, shoot }) {
  const { host: told } = await host.get("/v1/host");
  await page.goto(host.page);
  const named = page.locator('header [data-figure="host"]');
  await named.getByText(told.name).waitFor();
  await page.locator("footer").getByText(`Forebay ${told.version} on ${told.name}`).waitFor();
  assert.ok((await page.title()).includes(told.name));
  await page.getByRole("button", { name: "Sign in" }).click();
  const dialog = page.getByRole("dialog");
  assert.equal(await dialog.locator('[data-figure="token_path"]').textContent(), `cat ${told.token_path}`);
  for (const wrong of ["anything", "0123456789abcdef0123456789abcdef"]) {
    await dialog.getByLabel("Token").fill(wrong);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.getByText("This is not the token of this host").waitFor();
  }
  await shoot("sign-in");
  await dialog.getByLabel("Token").fill(await host.token());
  await dialog.getByRole("button", { name: "Sign in" }).click();
  await dialog.waitFor({ state: "detached" });
  const signedIn = page.getByRole("button", { name: "Signed in" });
  await signedIn.click();
  await dialog.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
  // A token of another host, or of an earlier day, is not called signed in either.
  await page.evaluate(() => sessionStorage.setItem("forebay-token", "an earlier one"));
  await page.reload();
  await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
}

async function sizeIsChosen({ host, page, shoot }) {
  const before = await host.disk("web1");
  await openDisk(page, host, "web1", "Sizing");
  const section = page.getByRole("region", { name: "Curve" });
  const slider = section.getByLabel("Try a size");
  await slider.focus();
  for (let step = 0; step < 6; step += 1) await page.keyboard.press("ArrowLeft");
  const chosen = await section.locator('[data-figure="chosen"]').textContent();
  assert.match(chosen, /^[\d.]+MiB of flash: [\d.]+% hits, reads [\d.]+ (us|ms) on average$/);
  await section.scrollIntoViewIfNeeded();
  await shoot("slider");
  await section.getByRole("button", { name: "Use this size" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("What it holds above that is evicted").waitFor();
  await dialog.getByRole("button", { name: "Change" }).click();
  await dialog.waitFor({ state: "detached" });
  const after = await host.disk("web1");
  assert.ok(after.limit_bytes < before.limit_bytes, `${after.limit_bytes} of ${before.limit_bytes}`);
  assert.ok(chosen.startsWith(`${after.limit_bytes / MIB}MiB of flash`), chosen);
  await eventually(async () => assert.match(await section.locator('[data-figure="chosen"]').textContent(), /as it is/));
  await host.cli("disk", "set", "web1", `limit=${before.settings.limit}`);
}

async function disksComeAndGo({ host, page, shoot }) {
  await writeFile(join(host.dir, "new.raw"), "");
  await truncate(join(host.dir, "new.raw"), 16 * MIB);
  await page.goto(`${host.page}#/`);
  await page.getByRole("button", { name: "Add a disk" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("new");
  await dialog.getByLabel("Backing", { exact: true }).fill(join(host.dir, "not-there.raw"));
  await dialog.getByRole("button", { name: "Add" }).click();
  await dialog.locator(".dialog-failed", { hasText: "not-there.raw" }).waitFor();
  await dialog.getByLabel("Backing", { exact: true }).fill(join(host.dir, "new.raw"));
  await dialog.getByLabel("mode", { exact: true }).selectOption("write-back");
  await dialog.getByText("More", { exact: true }).click();
  await dialog.getByLabel("block-size", { exact: true }).selectOption("16KiB");
  await shoot("add-disk");
  await dialog.getByRole("button", { name: "Add" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("heading", { name: "new", exact: true }).waitFor();
  const added = await host.disk("new");
  assert.deepEqual([added.mode, added.settings["block-size"], added.size_bytes], ["write-back", "16KiB", 16 * MIB]);
  const connect = page.getByRole("region", { name: "Connect" });
  await connect.getByText(added.nbd_socket, { exact: true }).waitFor();
  // The lines are those of the command line.
  const { forms } = JSON.parse(await host.cli("disk", "show", "new", "--connect", "--json")).connect;
  for (const form of forms) {
    await connect.getByLabel("Client").selectOption(form.client);
    await connect.locator("code", { hasText: form.lines.trim().split("\n")[0] }).first().waitFor();
  }
  await shoot("connect", { fullPage: true });
  await openTab(page, "Settings");
  await page.getByRole("button", { name: "Remove this disk" }).click();
  await dialog.getByText("The content of the backing stays").waitFor();
  await shoot("remove-disk");
  await dialog.getByRole("button", { name: "Remove" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("No such disk").waitFor();
  assert.ok(!(await host.get("/v1/disks")).disks.some((disk) => disk.name === "new"));
}

async function guestIsRefused({ host, page }) {
  await page.goto(`${host.page}#/`);
  await page.getByRole("button", { name: "Attach a running guest" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Attach" }).click();
  // In the words of the command, which also says what can be done.
  await dialog.locator(".dialog-failed", { hasText: /--qmp|--libvirt/ }).waitFor();
  await dialog.getByLabel("QEMU's monitor socket").fill(join(host.dir, "no.qmp"));
  await dialog.getByRole("button", { name: "Attach" }).click();
  await dialog.locator(".dialog-failed", { hasText: "Cannot find QEMU's socket" }).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
}

async function devicesComeAndGo({ host, page, shoot }) {
  await page.goto(`${host.page}#/`);
  const pool = page.getByRole("region", { name: "Pool" });
  await pool.getByRole("button", { name: "Add a device" }).click();
  const dialog = page.getByRole("dialog");
  await writeFile(join(host.dir, "full.img"), Buffer.alloc(MIB, "somebody's data"));
  await dialog.getByLabel("Path").fill(join(host.dir, "full.img"));
  await dialog.getByRole("button", { name: "Add" }).click();
  await dialog.locator(".dialog-failed").waitFor();
  await shoot("add-device");
  await dialog.getByLabel("Path").fill(join(host.dir, "second.img"));
  await dialog.getByLabel("Size in GiB").fill("1");
  await dialog.getByRole("button", { name: "Add" }).click();
  const row = pool.getByRole("row", { name: "second.img" });
  // A disk has two copies, and both files are on one drive, if the file system has a drive.
  const refused = dialog.locator(".dialog-failed", { hasText: "NOT mirrored: both on" });
  await refused.or(row).first().waitFor();
  if (await refused.isVisible()) {
    await dialog.getByText("More").click();
    await dialog.getByLabel("It may be on the drive of another device").check();
    await dialog.getByRole("button", { name: "Add" }).click();
  }
  await dialog.waitFor({ state: "detached" });
  await row.waitFor();
  assert.equal((await host.get("/v1/pool")).pool.devices.length, 2);
  await row.getByRole("button", { name: "Take out" }).click();
  await dialog.getByRole("button", { name: "Take out" }).click();
  await dialog.waitFor({ state: "detached" });
  await row.waitFor({ state: "detached" });
  assert.equal((await host.get("/v1/pool")).pool.devices.length, 1);
}

async function anyPeriodIsShown({ host, page, shoot }) {
  await openDisk(page, host, "web1");
  const charts = page.getByRole("region", { name: "Charts" });
  await charts.getByText("Another time").click();
  const hour = 3_600_000;
  const local = (at) => new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
  const now = Date.now();
  await charts.getByLabel("From", { exact: true }).fill(local(now - 10 * hour));
  await charts.getByLabel("To", { exact: true }).fill(local(now));
  await charts.getByRole("button", { name: "Show" }).click();
  await until(page, () => document.querySelectorAll("figure:not([hidden]) .u-over").length === 7);
  await eventually(async () => assert.ok((await inked(page, "Hit ratio", "ram")) >= 100, "the past is drawn"));
  assert.equal(await charts.locator('[aria-pressed="true"]').count(), 0, "none of the usual periods is shown");
  // This day's events are within: each has a number on every chart, and a line below them.
  await until(page, () => Number(document.querySelector(".chart-canvas").dataset.marks) > 0);
  const listed = charts.getByRole("list", { name: "Events in this time" }).getByRole("listitem");
  const inkOf = async (colours) => (await Promise.all(colours.map((colour) => inked(page, "Hit ratio", colour)))).reduce((all, one) => all + one, 0);
  await eventually(async () => {
    assert.equal(String(await listed.count()), await page.locator(".chart-canvas").first().getAttribute("data-marks"));
    assert.ok((await inkOf(["busy", "warning", "bad"])) >= 5, "a mark is drawn");
  });
  await shoot("period", { fullPage: true });
  // Drawn over the left half: the time that is shown is half as long.
  const seconds = () => charts.evaluate((section) => new Date(section.querySelector('[name="to"]').value) - new Date(section.querySelector('[name="from"]').value)).then((milliseconds) => milliseconds / 1_000);
  const before = await seconds();
  const box = await page.locator("figure:not([hidden]) .u-over").first().boundingBox();
  await page.mouse.move(box.x + 2, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + 60, { steps: 5 });
  await page.mouse.up();
  await eventually(async () => {
    const after = await seconds();
    assert.ok(after > 0.4 * before && after < 0.6 * before, `${after} of ${before} seconds`);
  });
  await charts.getByLabel("From", { exact: true }).fill(local(now - 30 * 24 * hour));
  await charts.getByLabel("To", { exact: true }).fill(local(now - 29 * 24 * hour));
  await charts.getByRole("button", { name: "Show" }).click();
  await charts.getByText("must be within the last week").waitFor();
  await charts.getByRole("button", { name: "5 minutes", exact: true }).click();
  await page.getByText("So many in a hundred were faster.", { exact: true }).waitFor();
}

async function tokenIsNeeded({ host, page, shoot }) {
  await openDisk(page, host, "web1");
  const dialog = await press(page, "Destage now", "Destage now");
  const field = dialog.getByLabel("Token for changes");
  await field.waitFor();
  await field.fill("0123456789abcdef0123456789abcdef");
  await dialog.getByRole("button", { name: "Destage now" }).click();
  await dialog.locator(".dialog-failed").waitFor();
  await field.fill(await host.token());
  await shoot("token");
  await dialog.getByRole("button", { name: "Destage now" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Signed in" }).waitFor();
}

async function actions({ host, page, shoot }) {
  await openDisk(page, host, "web1");
  await done(page, "Destage at normal pace", "Normal pace");
  await done(page, "Destage now", "Destage now");
  await done(page, "Destage at normal pace", "Normal pace");
  const dialog = await press(page, "Quiesce", null);
  await dialog.getByLabel("For so many seconds").fill("300");
  await shoot("dialog");
  await dialog.getByRole("button", { name: "Quiesce" }).click();
  await dialog.waitFor({ state: "detached" });
  await eventually(async () => assert.equal((await host.disk("web1")).quiesce.state, "quiesced"));
  await until(page, () => document.querySelector('[data-figure="quiesce"]').textContent.includes("Quiesced for another"));
  await done(page, "Resume", "Resume");
  assert.equal((await host.disk("web1")).quiesce.state, "none");
  await eventually(async () => assert.ok((await host.disk("web1")).dirty_bytes > 0, "guests write again"));
  const before = await cached(host);
  await done(page, "Evict", "Evict");
  const after = await host.disk("web1");
  assert.equal(after.quiesce.state, "none", "it goes on afterwards");
  // Guests fill it again from that moment on, but not with all that they had read since the start.
  assert.ok(after.statistics.cached_bytes < before, `${after.statistics.cached_bytes} bytes are cached after ${before}`);
  // Asked for as if for a backup, which an evict that comes meanwhile must not end.
  await done(page, "Quiesce", "Quiesce");
  await done(page, "Evict", "Evict");
  assert.equal((await host.disk("web1")).quiesce.state, "quiesced", "it is held as before");
  await done(page, "Resume", "Resume");
}

async function settings({ host, page, shoot }) {
  await openDisk(page, host, "web1", "Settings");
  const form = page.getByRole("form", { name: "Settings" });
  for (const key of Object.keys((await host.disk("web1")).settings)) await form.getByLabel(key, { exact: true }).waitFor();
  await form.getByLabel("sequential-cutoff", { exact: true }).fill("much");
  await form.getByRole("button", { name: "Review changes" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Change" }).click();
  await dialog.getByText("Cannot set sequential-cutoff=much").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await form.getByRole("button", { name: "Undo" }).click();
  await form.getByLabel("sequential-cutoff", { exact: true }).fill("8MiB");
  await form.getByLabel("mode", { exact: true }).selectOption("write-through");
  await form.getByRole("button", { name: "Review changes" }).click();
  await dialog.getByText("the backing is always complete").waitFor();
  await shoot("settings");
  await dialog.getByRole("button", { name: "Change" }).click();
  await dialog.waitFor({ state: "detached" });
  const now = (await host.disk("web1")).settings;
  assert.deepEqual([now.mode, now["sequential-cutoff"]], ["write-through", "8MiB"]);
  await form.getByLabel("mode", { exact: true }).selectOption("write-back");
  await form.getByRole("button", { name: "Review changes" }).click();
  await dialog.getByText("flash alone").waitFor();
  await dialog.getByRole("button", { name: "Change" }).click();
  await dialog.waitFor({ state: "detached" });
  await until(page, () => document.querySelector(".mode").textContent === "write-back");
}

async function sameFigures({ host, page }) {
  await host.endGuests();
  await host.cli("disk", "destage", "web1", "--wait");
  await openDisk(page, host, "web1");
  await eventually(async () => {
    const told = pairs(await host.cli("disk", "show", "web1"));
    const disk = await host.disk("web1");
    const shown = (key) => page.locator(`[data-figure="${key}"]`).first().textContent();
    assert.equal(await shown("cached_bytes"), told["cached on flash"]);
    assert.equal(await shown("ram_bytes"), told["cached in RAM"]);
    assert.equal(await shown("size_bytes"), told["size"]);
    assert.equal(await shown("limit_bytes"), told["flash at most"]);
    assert.equal(await shown("backing"), told["backing"]);
    assert.equal(await shown("door-nbd"), told["NBD socket"]);
    assert.equal(await shown("door-vhost-user"), told["vhost-user socket"]);
    assert.equal(told["vhost-user socket"], disk.vhost_socket);
    assert.equal(await shown("dirty_bytes"), "0");
    assert.equal(told["dirty"].split(";")[0], "nothing");
    assert.equal(await shown("operations"), "0/s");
    const window = await recent(host, "web1");
    assert.equal(await shown("hit_ratio"), `${(window.hit_ratio * 100).toFixed(1)}%`);
    const asked = window.reads + window.writes;
    const saved = 1 - (window.backing_reads + window.backing_writes) / asked;
    assert.equal(await shown("saved"), `${(saved * 100).toFixed(1)}%`);
    assert.equal(window.reads, window.read_hits_ram + window.read_hits_flash + window.read_partial_hits + window.read_misses + window.reads_bypassed);
    assert.equal(disk.statistics.cached_bytes, JSON.parse(await host.cli("stats", "web1", "--json")).disks[0].cached_bytes);
  });
  await page.goto(`${host.page}#/`);
  await eventually(async () => {
    for (const name of ["web1", "mail"]) {
      const window = await recent(host, name);
      assert.equal(await page.locator(`[data-figure="${name}.hit_ratio"]`).textContent(), `${(window.hit_ratio * 100).toFixed(1)}%`);
    }
    const windows = [await recent(host, "web1"), await recent(host, "mail")];
    const sum = (key) => windows.reduce((all, one) => all + one[key], 0);
    const ratio = (sum("read_hits_ram") + sum("read_hits_flash")) / sum("reads");
    assert.equal(await page.locator('[data-figure="host.hit_ratio"]').textContent(), `${(ratio * 100).toFixed(1)}%`);
  });
}

async function waitingDisk({ host, page, shoot }) {
  // Two of the same trouble, whose names differ in digits alone: each is a warning of its own.
  const names = ["spare1", "spare2"];
  for (const name of names) await host.addDisk(name, MIB, null);
  await host.kill();
  for (const name of names) await rename(`${host.dir}/${name}.raw`, `${host.dir}/${name}.away`);
  await host.start(host.address);
  await page.goto(`${host.page}#/`);
  for (const name of names) await page.getByText(`Disk ${name} is waiting`).waitFor();
  await looks(page, 3);
  const found = await page.locator(".findings li", { hasText: "is waiting" }).allTextContents();
  assert.equal(found.length, names.length, `no warning is left over from an earlier look: ${found}`);
  for (const name of names) assert.equal(found.filter((text) => text.includes(`Disk ${name} is waiting`)).length, 1, name);
  await shoot("waiting");
  await openDisk(page, host, "spare1");
  await page.getByText("Disk spare1 is waiting").waitFor();
  assert.ok(await page.getByRole("button", { name: "Evict" }).isDisabled());
  for (const name of names) await host.cli("disk", "remove", name);
  await page.getByText("No such disk").waitFor();
}

async function pastIsDrawn({ host, page, shoot }) {
  await host.kill();
  // What an earlier version kept is taken over as long as the disk has no file of this one.
  await rm(`${host.dir}/series/disk-1.series`, { force: true });
  const many = await writeWeek(`${host.dir}/history/disk-1.steps`, 1);
  await host.start(host.address);
  const { history } = await host.get("/v1/history/web1?span=7d");
  assert.ok([many, many + 1].includes(history.time.length), `${history.time.length} of ${many} steps were read`);
  await openDisk(page, host, "web1");
  const charts = page.getByRole("region", { name: "Charts" });
  const lines = { "Hit ratio": ["ram"], "Requests a second": ["read", "write"], "Mean latency": ["read", "write"], "Latency percentiles": ["read", "write", "limit"], "Dirty data": ["dirty"], "Backing requests saved": ["read"], "Written to flash": ["flash"] };
  for (const [name, span] of [["1 day", "1d"], ["1 week", "7d"]]) {
    const { time } = (await host.get(`/v1/history/web1?span=${span}`)).history;
    const button = charts.getByRole("button", { name, exact: true });
    await button.click();
    await page.waitForFunction((least) => Number(document.querySelector(".chart-canvas").dataset.points) >= least, time.length);
    assert.equal(await button.getAttribute("aria-pressed"), "true");
    await until(page, () => document.querySelectorAll("figure:not([hidden]) .u-over").length === 7);
    await charts.getByLabel("Percentiles of").selectOption("writeSpread");
    await charts.getByLabel("Percentiles of").selectOption("readSpread");
    for (const [title, colours] of Object.entries(lines)) {
      for (const colour of colours) {
        const drawn = await inked(page, title, colour);
        assert.ok(drawn >= 100, `${title} of ${name}: only ${drawn} pixels in the colour of ${colour}`);
      }
    }
    const shown = await page.locator("figure", { hasText: "Mean latency" }).locator(".figure").first().textContent();
    assert.match(shown, /\d (us|ms)|\u2013/);
    await shoot(`disk-${span}-whole`, { fullPage: true });
    await shoot(`disk-${span}`);
  }
  const isWithinHole = (at) => history.time.some((time, step) => time >= at && at > time - history.seconds[step]);
  assert.ok(!isWithinHole(history.now - 200 * 300), "the daemon tells nothing of the time in which it was away");
  await charts.getByRole("button", { name: "5 minutes", exact: true }).click();
  await page.getByText("So many in a hundred were faster.", { exact: true }).waitFor();
}

async function otherOrigin({ host, context }) {
  const foreign = createServer((_asked, answer) => answer.setHeader("content-type", "text/html").end("<!doctype html><title>other</title>"));
  await new Promise((resolve) => foreign.listen(0, "127.0.0.1", resolve));
  const page = await context.newPage();
  // No guest is there any more, so what is cached changes only if somebody drops it.
  await eventually(async () => assert.equal((await host.disk("web1")).load.state, "done"));
  const before = await cached(host);
  assert.ok(before > 0, "there is something to drop");
  try {
    await page.goto(`http://127.0.0.1:${foreign.address().port}/`);
    const tries = await page.evaluate(async (address) => {
      const attempt = async (options) => {
        try {
          const answer = await fetch(address, options);
          return answer.type === "opaque" ? "opaque" : `read ${answer.status}`;
        } catch {
          return "refused";
        }
      };
      return [
        await attempt({}),
        await attempt({ method: "POST", body: "null", headers: { "content-type": "application/json" } }),
        await attempt({ mode: "no-cors", method: "POST", body: "null" }),
      ];
    }, `${host.page}v1/disks/web1/evict`);
    assert.deepEqual(tries.slice(0, 2), ["refused", "refused"]);
    // The last one is sent, and only its answer kept from the page by the browser: the daemon must refuse it.
    assert.notEqual(tries[2].slice(0, 4), "read");
    assert.equal(await cached(host), before, "nothing was dropped");
  } finally {
    await page.close();
    foreign.close();
  }
  // As after DNS rebinding: the browser would send the other page's name.
  assert.equal(await status(host, "/v1/disks", "GET", { host: "evil.example" }), 403);
  assert.equal(await status(host, "/v1/disks/web1/evict", "POST", {}), 401, "no token");
  assert.equal(await status(host, "/v1/disks/web1/evict", "POST", { authorization: "Bearer wrong" }), 401);
  assert.equal(await status(host, "/v1/disks", "GET", { origin: "http://evil.example" }), 403);
}

async function daemonAway({ host, page, shoot }) {
  await page.goto(`${host.page}#/`);
  await page.getByRole("link", { name: "web1", exact: true }).waitFor();
  const banner = page.getByRole("alert");
  assert.equal(await banner.isVisible(), false);
  await host.kill();
  await banner.getByText("Forebay does not answer since").waitFor();
  assert.ok(await page.locator("main.stale").isVisible());
  await shoot("away");
  // What happened is known all the same, and looked for when something is wrong.
  await page.getByRole("link", { name: "Events" }).click();
  await page.getByRole("list", { name: "Events" }).getByRole("listitem").first().waitFor();
  assert.equal(await page.getByText("Nothing happened that an operator must know.").isVisible(), false);
  await page.getByRole("link", { name: "Host", exact: true }).click();
  await host.start(host.address);
  await banner.waitFor({ state: "hidden" });
  assert.equal(await page.locator("main.stale").count(), 0);
  await page.getByText("Live").waitFor();
}

async function quietBrowser({ host, complaints, asked }) {
  assert.deepEqual(complaints, []);
  const elsewhere = asked.filter((address) => !address.startsWith(host.page));
  assert.deepEqual(elsewhere, []);
}

// What steps have in common.

async function openDisk(page, host, name, tab = "Overview") {
  await page.goto(`${host.page}#/disk/${name}`);
  await page.getByRole("region", { name: "Actions" }).waitFor();
  await page.getByRole("heading", { name, exact: true }).waitFor();
  await openTab(page, tab);
}

async function openTab(page, tab) {
  const parts = page.getByRole("navigation", { name: "Parts of" });
  await parts.getByRole("link", { name: tab, exact: true }).click();
  await parts.locator('[aria-current="page"]', { hasText: tab }).waitFor();
}

/** Opens an action's dialog, and says yes to it if it is told what that is called. */
async function press(page, name, confirm) {
  await page.getByRole("region", { name: "Actions" }).getByRole("button", { name, exact: false }).click();
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  if (confirm) await dialog.getByRole("button", { name: confirm }).click();
  return dialog;
}

async function done(page, name, confirm) {
  const dialog = await press(page, name, confirm);
  await dialog.waitFor({ state: "detached" });
}

const until = (page, condition) => page.waitForFunction(condition, undefined, { timeout: FIGURE_TIME_MAX });

/** Waits until the page has looked so many times more, and has drawn what it saw all but the last time. */
async function looks(page, many) {
  for (let look = 0; look <= many; look += 1) await page.waitForResponse((answer) => answer.url().includes("/v1/stats?window="));
}

/** Tries until it holds: what the page shows may be two seconds old. */
async function eventually(check) {
  const deadline = Date.now() + SAME_TIME_MAX;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}

/** What the five minutes that the page shows hold. */
async function recent(host, name) {
  return (await host.get(`/v1/stats/${name}?window=5m`)).disks[0];
}

/** What flash has of the disk that guests use. */
async function cached(host) {
  return (await host.disk("web1")).statistics.cached_bytes;
}

/** How many pixels of a chart have the colour of a line. */
function inked(page, title, colour) {
  return page.evaluate(
    ([title, colour]) => {
      const figure = [...document.querySelectorAll("figure")].find((one) => one.querySelector("h3").textContent === title);
      const canvas = figure.querySelector("canvas");
      const hex = getComputedStyle(document.documentElement).getPropertyValue(`--${colour}`).trim();
      const wanted = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      let found = 0;
      for (let at = 0; at < data.length; at += 4) {
        if (data[at + 3] > 200 && wanted.every((part, index) => Math.abs(data[at + index] - part) < 24)) found += 1;
      }
      return found;
    },
    [title, colour],
  );
}

const focused = (page) => page.evaluate(() => document.activeElement.textContent.trim());

/** The pairs of a table of the command line. */
function pairs(text) {
  return Object.fromEntries(text.trimEnd().split("\n").map((line) => line.split(/ {2,}/)).map(([name, ...value]) => [name, value.join("  ")]));
}

function status(host, path, method, headers) {
  const [hostname, port] = host.address.split(":");
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path, method, headers: { "content-type": "application/json", ...headers } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asked.on("error", reject);
    asked.end(method === "POST" ? "null" : undefined);
  });
}
