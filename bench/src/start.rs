//! Time until the real daemon serves again after a stop and after a kill: from the start of the process to the first answered read, and
//! until all cached content is known; and the time that a guest waits over vhost-user, from the end of the previous process on. A disk on a
//! sparse file, a pool in a file beside it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use doors::nbd::Client;
use doors::nbd::option::Replies;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

const MIB: u64 = 1 << 20;
/// Interval of checks for a result.
const LOOK: Duration = Duration::from_micros(500);
/// Interval at which a guest's front end tries to connect again, as in the options of `forebay disk show NAME --connect`.
const RECONNECT: Duration = Duration::from_millis(100);
/// Time limit of every step.
const TIME_MAX: Duration = Duration::from_mins(2);
/// Minimum rate at which a cache fills, in bytes a second.
const SLOWEST_FILL: u64 = 20 << 20;

/// End of the previous process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProcessEnd {
    /// Like that by a service manager.
    Stop,
    /// By SIGKILL.
    Kill,
}

/// Daemon with one disk. Killed when dropped.
struct Daemon {
    program: PathBuf,
    dir: PathBuf,
    child: Child,
    started: Instant,
}

/// Fills the cache of a disk of so many bytes, ends the daemon, starts it again, and prints the times.
pub(crate) fn first_read(program: &Path, dir: &Path, bytes: u64, end: ProcessEnd) {
    let image = dir.join("backing.img");
    File::create(&image).and_then(|file| file.set_len(bytes)).expect("the folder can be written");
    let daemon = Daemon::start(program, dir, bytes / 10 * 12);
    drop(daemon.until_served("control.sock", || daemon.run(&["pool", "show", "--json"])));
    let image = image.to_string_lossy();
    daemon.tell(&["disk", "add", "a", "--backing", &image]);
    daemon.tell(&["disk", "set", "a", "ram=64MiB", "admission=always", "sequential-cutoff=0"]);
    daemon.fill(bytes);
    let socket = dir.join("vhost/a.sock");
    let guest = crate::vhost::read_page(&socket).expect("the disk is served");
    let told = Instant::now();
    daemon.end(end);
    let ended = told.elapsed();
    drop(guest);

    let daemon = Daemon::start(program, dir, bytes / 10 * 12);
    let guest = thread::spawn(move || until_answered(&socket, told));
    let first = daemon.until_served("disk a", || {
        let mut client = Client::connect(&dir.join("nbd/a.sock"), "a", Replies::Simple).ok()?;
        client.read(0, 4096).ok()?;
        Some(daemon.started.elapsed())
    });
    let pause = guest.join().expect("the disk is served over vhost-user again");
    let load = daemon.until_served("all that was cached", || {
        let load = daemon.ask(&["disk", "show", "a", "--json"])["disk"]["load"].clone();
        (load["state"] != "loading").then_some(load)
    });
    println!(
        "{{\"measurement\":\"start\",\"end\":\"{end:?}\",\"state\":{},\"kept_bytes\":{},\"first_read_us\":{},\"load_us\":{},\"end_us\":{},\"pause_us\":{}}}",
        load["state"],
        load["kept_bytes"],
        first.as_micros(),
        load["took_us"],
        ended.as_micros(),
        pause.as_micros()
    );
}

/// Tries repeatedly, like QEMU, to read a page of the disk, and returns the time since the daemon was ordered to end.
fn until_answered(socket: &Path, told: Instant) -> Duration {
    loop {
        sleep(RECONNECT);
        if crate::vhost::read_page(socket).is_ok() {
            return told.elapsed();
        }
        assert!(told.elapsed() < TIME_MAX, "the disk is not served over vhost-user");
    }
}

impl Daemon {
    fn start(program: &Path, dir: &Path, pool_bytes: u64) -> Self {
        let started = Instant::now();
        let pool_size = pool_bytes.div_ceil(MIB).to_string() + "MiB";
        let child = Command::new(program)
            .arg("serve")
            .arg("--dir")
            .arg(dir)
            .arg("--pool")
            .arg(dir.join("pool.img"))
            .args(["--pool-size", &pool_size, "--log", "error"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .expect("the daemon can be started");
        Self { program: program.to_owned(), dir: dir.to_owned(), child, started }
    }

    /// Polls until there is an answer.
    fn until_served<T>(&self, what: &str, look: impl Fn() -> Option<T>) -> T {
        loop {
            if let Some(answer) = look() {
                return answer;
            }
            assert!(self.started.elapsed() < TIME_MAX, "{what} is not served");
            sleep(LOOK);
        }
    }

    /// Returns the output of a command; none if it fails.
    fn run(&self, words: &[&str]) -> Option<String> {
        let socket = self.dir.join("control.sock");
        let output = Command::new(&self.program).args(words).env("FOREBAY_SOCKET", socket).output();
        let output = output.expect("the daemon's program is there");
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn tell(&self, words: &[&str]) {
        assert!(self.run(words).is_some(), "`forebay {}` failed", words.join(" "));
    }

    fn ask(&self, words: &[&str]) -> Value {
        let text = self.run(words).unwrap_or_else(|| panic!("`forebay {}` failed", words.join(" ")));
        serde_json::from_str(&text).expect("--json prints JSON")
    }

    /// Reads the disk from end to end until nearly all of it is on flash.
    fn fill(&self, bytes: u64) {
        let connected = Client::connect(&self.dir.join("nbd/a.sock"), "a", Replies::Simple);
        let mut client = connected.expect("the disk is served");
        let (begun, time_max) = (Instant::now(), TIME_MAX.max(Duration::from_secs(bytes / SLOWEST_FILL)));
        let on_flash = || self.ask(&["stats", "a", "--json"])["disks"][0]["cached_bytes"].as_u64();
        while on_flash().expect("a number") < bytes / 100 * 95 {
            assert!(begun.elapsed() < time_max, "the cache does not fill");
            for at in 0..bytes / MIB {
                client.read(at * MIB, MIB as u32).expect("the disk is served");
            }
        }
    }

    fn end(mut self, end: ProcessEnd) {
        let signal = match end {
            ProcessEnd::Stop => Signal::SIGTERM,
            ProcessEnd::Kill => Signal::SIGKILL,
        };
        let id = Pid::from_raw(self.child.id().cast_signed());
        kill(id, signal).expect("it is our child and was not waited for");
        self.child.wait().expect("it is our child");
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // Fails only if it has ended, which is the aim.
        self.child.kill().unwrap_or(());
        self.child.wait().expect("it is our child");
    }
}
