// A host of its own for the test: a daemon in a temporary folder, disks, and guests that read and write.
//
// Only processes that were started here are ended, each by its own handle; the folder is removed at the end.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
/** Far beyond what a start takes. */
const START_TIME_MAX = 30_000;
const LOOK_INTERVAL = 50;

export class Host {
  #forebay;
  #daemon = null;
  #guests = [];
  #log = "";

  constructor(forebay, dir) {
    this.#forebay = forebay;
    this.dir = dir;
  }

  static async make(forebay) {
    return new Host(forebay, await mkdtemp(join(tmpdir(), "forebay-browser-")));
  }

  /** Starts the daemon and waits until it says where it is; `address` keeps the one of a daemon before it. */
  async start(address = "127.0.0.1:0") {
    await rm(join(this.dir, "http"), { force: true });
    const options = ["serve", "--dir", this.dir, "--pool-size", "192MiB", "--listen-http", address, "--log", "warn"];
    this.#daemon = spawn(this.#forebay, options, { stdio: ["ignore", "ignore", "pipe"] });
    this.#daemon.stderr.on("data", (text) => (this.#log += text));
    const deadline = Date.now() + START_TIME_MAX;
    for (;;) {
      const said = await readFile(join(this.dir, "http"), "utf8").catch(() => "");
      if (said.endsWith("\n")) {
        this.address = said.trim();
        return;
      }
      if (this.#daemon.exitCode !== null || Date.now() > deadline) throw new Error(`The daemon did not start:\n${this.#log}`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_INTERVAL));
    }
  }

  get page() {
    return `http://${this.address}/`;
  }

  async token() {
    return (await readFile(join(this.dir, "token"), "utf8")).trim();
  }

  /** As a kernel that ran out of memory would do it. */
  async kill() {
    const ended = once(this.#daemon, "exit");
    this.#daemon.kill("SIGKILL");
    await ended;
  }

  /** What the command line prints. */
  async cli(...words) {
    const { stdout } = await run(this.#forebay, words, { env: { ...process.env, FOREBAY_SOCKET: join(this.dir, "control.sock") } });
    return stdout;
  }

  /** What the interface says at `path`, without the page. An error is one of the test: everything that is asked for is there. */
  async get(path) {
    const answer = await fetch(`http://${this.address}${path}`);
    if (!answer.ok) throw new Error(`${path} was answered with status ${answer.status}: ${await answer.text()}`);
    return answer.json();
  }

  async disk(name) {
    return (await this.get(`/v1/disks/${name}`)).disk;
  }

  /** Serves a new file as a disk; `profile` gives it the timing of an array. */
  async addDisk(name, size, profile, ...options) {
    const file = join(this.dir, `${name}.raw`);
    await writeFile(file, "");
    await truncate(file, size);
    const backing = profile ? `model:${profile}:${file}` : file;
    await this.cli("disk", "add", name, "--backing", backing, ...options);
  }

  /** A guest that reads and writes at a bounded rate, for a bounded time. */
  guest(name, options) {
    const uri = `nbd+unix:///${name}?socket=${join(this.dir, "nbd", `${name}.sock`)}`;
    const fixed = [`--name=${name}`, "--ioengine=nbd", `--uri=${uri}`, "--time_based", "--runtime=600", "--size=100%", "--group_reporting"];
    const guest = spawn("fio", [...fixed, ...options], { stdio: "ignore", cwd: this.dir });
    guest.ended = once(guest, "exit");
    this.#guests.push(guest);
  }

  async endGuests() {
    for (const guest of this.#guests) {
      guest.kill("SIGINT");
      await guest.ended;
    }
    this.#guests = [];
  }

  async end() {
    await this.endGuests();
    if (this.#daemon && this.#daemon.exitCode === null && this.#daemon.signalCode === null) await this.kill();
    await rm(this.dir, { recursive: true, force: true });
  }

  /** The end of what the daemon logged, for messages. */
  get log() {
    return this.#log.split("\n").slice(-30).join("\n");
  }
}
