//! What runs inside the guest: starts Forebay, compares what it serves with the backing, then writes until the power goes.
//!
//! It speaks in lines, which the test outside reads: `added`, `flash-hits N`, `same`, `flushed N` (all writes below N
//! were acknowledged before a flush that has completed), `wrong: WHY`.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use doors::nbd::Client;
use doors::nbd::option::Replies;
use serde_json::Value;

use crate::busy::{Busy, Stopped, Told, first_difference, read_all};
use crate::stamps::Load;

const BACKING: &str = "/dev/disk/backing";
const RUN: &str = "/run/forebay";
const STATE: &str = "/var/lib/forebay";

/// Runs until something is wrong or the power goes. Words: the seed of this boot's load, whether the disk is new, and
/// the mode in which it is written.
pub(crate) fn run(words: &[String]) -> Result<(), String> {
    let [seed, disk, mode] = words else { return Err(format!("wrong usage: {words:?}")) };
    let seed = seed.parse().map_err(|_| format!("{seed} is no seed"))?;
    // Before the daemon has a chance to change anything.
    let backing = fs::read(BACKING).map_err(|error| format!("cannot read the backing: {error}"))?;
    let daemon = Daemon::start()?;
    if disk == "new" {
        // Little RAM and little flash, so that both give way to what comes.
        let add = ["disk", "add", "disk", "--backing", BACKING, "--limit", "9MiB", "--block-size", "16KiB"];
        daemon.command(&add)?;
        daemon.command(&["disk", "set", "disk", "ram=1MiB", "sequential-cutoff=0"])?;
        println!("added");
    }
    let mut guest = daemon.guest()?;
    let hits = daemon.statistic("read_hits_flash")?;
    compare(&mut guest, &backing)?;
    println!("flash-hits {}", daemon.statistic("read_hits_flash")? - hits);
    // Once more, with what the first time left in RAM and on flash.
    compare(&mut guest, &backing)?;
    daemon.command(&["disk", "set", "disk", &format!("mode={mode}")])?;
    println!("same");
    let load = Load::new(seed, backing.len() as u64);
    let stopped = Busy::new(guest, load, backing).work(|told| {
        if let Told::Flushed(lowest) = told {
            println!("flushed {lowest}");
        }
    });
    match stopped {
        Stopped::Gone(why) | Stopped::Wrong(why) => Err(why),
    }
}

/// Every page that is served must be the backing's: an older or a newer one would not stay what it is.
fn compare(guest: &mut Client, backing: &[u8]) -> Result<(), String> {
    let served = read_all(guest).map_err(|error| error.to_string())?;
    match first_difference(&served, backing) {
        None => Ok(()),
        Some(page) => Err(format!("page {page} is served with other content than its backing has")),
    }
}

struct Daemon {
    child: Child,
    control: PathBuf,
    door: PathBuf,
}

impl Daemon {
    fn start() -> Result<Self, String> {
        let words = ["serve", "--dir", STATE, "--run-dir", RUN, "--pool", "/dev/disk/pool"];
        let child = Command::new("forebay").args(words).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| format!("cannot start forebay: {error}"))?;
        let output = BufReader::new(child.stdout.take().expect("it was piped"));
        let run = Path::new(RUN);
        let daemon = Self { child, control: run.join("control.sock"), door: run.join("nbd/disk.sock") };
        let ready = output.lines().map_while(Result::ok).any(|line| line.contains("Forebay is ready"));
        if ready { Ok(daemon) } else { Err("forebay never became ready".to_owned()) }
    }

    fn command(&self, words: &[&str]) -> Result<String, String> {
        let output = Command::new("forebay").args(words).env("FOREBAY_SOCKET", &self.control).output();
        let output = output.map_err(|error| format!("cannot start forebay: {error}"))?;
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }

    fn statistic(&self, key: &str) -> Result<u64, String> {
        let text = self.command(&["stats", "disk", "--json"])?;
        let document: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        document["disks"][0][key].as_u64().ok_or_else(|| format!("no {key} in {text}"))
    }

    fn guest(&self) -> Result<Client, String> {
        Client::connect(&self.door, "disk", Replies::Simple).map_err(|error| format!("no disk: {error}"))
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // Fails only if it has ended, which is the aim.
        self.child.kill().unwrap_or(());
        self.child.wait().expect("it is our child");
    }
}
