//! The agent inside the guest: starts Forebay, compares the served disk with the backing, then writes until
//! the power fails.
//!
//! It prints lines for the test outside: `added`, `flash-hits N`, `same`, `flushed N` (all writes below N
//! were acknowledged before a flush that has completed), `wrong: WHY`. Between them is Forebay's log.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use doors::nbd::Client;
use doors::nbd::option::Replies;
use serde_json::Value;

use crate::busy::{Busy, Stopped, Told, first_difference, read_all, read_file};
use crate::stamps::Load;
use crate::{WINDOWS, says_what_came_back};

const BACKING: &str = "/dev/disk/backing";
const RUN: &str = "/run/forebay";
const STATE: &str = "/var/lib/forebay";

/// Runs until something is wrong or the power fails. Words: the seed of this boot's load, the first window
/// that it writes and the one after its last, whether the disk is new, the mode in which it was written last
/// and in which it is written now, and whether to compare at once or after the cache is loaded.
pub(crate) fn run(words: &[String]) -> Result<(), String> {
    let [seed, first, end, disk, last_mode, mode, begin] = words else {
        return Err(format!("wrong usage: {words:?}"));
    };
    let number = |word: &String| word.parse().map_err(|_| format!("{word} is no number"));
    let load = Load::new(number(seed)?, WINDOWS, number(first)?..number(end)?);
    // Before the daemon can change anything.
    let backing = read_backing()?;
    let daemon = Daemon::start()?;
    if disk == "new" {
        // Little RAM and little flash, so that both evict.
        let add = ["disk", "add", "disk", "--backing", BACKING, "--limit", "16MiB", "--block-size", "16KiB"];
        daemon.command(&add)?;
        daemon.command(&["disk", "set", "disk", "ram=1MiB", "sequential-cutoff=0", "allow-unmarked=yes"])?;
        println!("added");
    }
    // In any mode at the power failure: only some modes answer reads from the recovered cache.
    daemon.command(&["disk", "set", "disk", "mode=write-through"])?;
    let mut guest = daemon.guest()?;
    let backing = if last_mode == "write-back" { daemon.bring_home(&mut guest)? } else { backing };
    if begin == "loaded" {
        daemon.wait_until_loaded()?;
    }
    let hits = daemon.flash_hits()?;
    compare(&mut guest, &backing)?;
    println!("flash-hits {}", daemon.flash_hits()? - hits);
    // Once more, with the content that the first time left in RAM and on flash.
    compare(&mut guest, &backing)?;
    daemon.command(&["disk", "set", "disk", &format!("mode={mode}")])?;
    println!("same");
    let stopped = Busy::new(guest, load, backing).work(|told| {
        if let Told::Flushed(lowest) = told {
            println!("flushed {lowest}");
        }
    });
    match stopped {
        Stopped::Gone(why) | Stopped::Wrong(why) => Err(why),
    }
}

fn read_backing() -> Result<Vec<u8>, String> {
    let backing = File::open(BACKING).and_then(|file| read_file(&file, &WINDOWS));
    backing.map_err(|error| format!("cannot read the backing: {error}"))
}

/// Compares every served page with the backing: an older or a newer one would not be stable.
fn compare(guest: &mut Client, backing: &[u8]) -> Result<(), String> {
    let served = read_all(guest, &WINDOWS).map_err(|error| error.to_string())?;
    match first_difference(&served, backing) {
        None => Ok(()),
        Some(page) => Err(format!("page {page} is served with other content than its backing has")),
    }
}

struct Daemon {
    child: Child,
    control: PathBuf,
    door: PathBuf,
    loaded: Receiver<()>,
}

impl Daemon {
    fn start() -> Result<Self, String> {
        let words =
            ["serve", "--dir", STATE, "--run-dir", RUN, "--pool", "/dev/disk/pool", "--listen-http", "off"];
        let child = Command::new("forebay").args(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| format!("cannot start forebay: {error}"))?;
        let output = BufReader::new(child.stdout.take().expect("it was piped"));
        let log = BufReader::new(child.stderr.take().expect("it was piped"));
        let (tell, loaded) = channel();
        std::thread::spawn(move || {
            for line in log.lines().map_while(Result::ok) {
                println!("{line}");
                if says_what_came_back(&line) {
                    // There may be no receiver any more.
                    tell.send(()).unwrap_or(());
                }
            }
        });
        let run = Path::new(RUN);
        let (control, door) = (run.join("control.sock"), run.join("nbd/disk.sock"));
        let daemon = Self { child, control, door, loaded };
        let ready = output.lines().map_while(Result::ok).any(|line| line.contains("Forebay is ready"));
        if ready { Ok(daemon) } else { Err("forebay never became ready".to_owned()) }
    }

    fn wait_until_loaded(&self) -> Result<(), String> {
        self.loaded.recv().map_err(|_| "forebay ended and never said what it found in the pool".to_owned())
    }

    fn command(&self, words: &[&str]) -> Result<String, String> {
        let output = Command::new("forebay").args(words).env("FOREBAY_SOCKET", &self.control).output();
        let output = output.map_err(|error| format!("cannot start forebay: {error}"))?;
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }

    /// Destages everything, and returns the content of the backing, which is that served before.
    fn bring_home(&self, guest: &mut Client) -> Result<Vec<u8>, String> {
        let served = read_all(guest, &WINDOWS).map_err(|error| error.to_string())?;
        self.command(&["disk", "destage", "disk", "--wait"])?;
        let backing = read_backing()?;
        match first_difference(&served, &backing) {
            None => Ok(backing),
            Some(page) => Err(format!("page {page} came home with other content than was served before")),
        }
    }

    /// Returns the number of reads that flash answered, in whole or in part.
    fn flash_hits(&self) -> Result<u64, String> {
        let text = self.command(&["stats", "disk", "--json"])?;
        let document: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let count = |key: &str| {
            let count = document["disks"][0][key].as_u64();
            count.ok_or_else(|| format!("no {key} in {text}"))
        };
        Ok(count("read_hits_flash")? + count("read_partial_hits")?)
    }

    fn guest(&self) -> Result<Client, String> {
        Client::connect(&self.door, "disk", Replies::Simple).map_err(|error| format!("no disk: {error}"))
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // Fails only if it has ended, which is intended.
        self.child.kill().unwrap_or(());
        self.child.wait().expect("it is our child");
    }
}
