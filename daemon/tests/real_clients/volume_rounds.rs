//! Repeated kills of a daemon whose disk is a volume, in the middle of a guest's work. At every other one its flash is lost as well, and
//! another host goes on. In the first of these rounds the store takes nothing at the end, so that the flash has something to lose.

use std::fs;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;

use base::moment::Moment;

use crate::busy::{Busy, Stopped, Told, read_all};
use crate::crash_rounds::{number_from, seed};
use crate::host::{Daemon, Host};
use crate::patience::until;
use crate::stamps::{Chance, Load, Windows};

const DISK_BYTES: u64 = 24 << 20;
const PAGE: usize = 4096;
const WINDOWS: Windows = Windows { count: 1, bytes: DISK_BYTES, stride: DISK_BYTES };
/// The first round that loses the flash.
const FIRST_LOSS: u64 = 1;
/// Kills of an ordinary run.
const ROUNDS_DEFAULT: u64 = 10;
/// Acknowledged writes of a round, behind the groups that it waits for, until the daemon is killed.
const WRITES_MAX: u64 = 1500;
/// The same without a store: flash has room for them.
const LOST_WRITES_MAX: u64 = 50;
/// Groups that a round waits for.
const GROUPS: u64 = 3;

fn serve(host: &Host, config: &str) -> Daemon {
    host.serve_with(&["--config", config, "--pool", &host.text("pool.img"), "--pool-size", "64MiB"])
}

fn add(daemon: &Daemon) {
    daemon.run(&["disk", "add", "disk", "--backing", "volume:cold/a", "--limit", "32MiB"]).succeeded();
    daemon.run(&["disk", "set", "disk", "ram=1MiB", "sequential-cutoff=0"]).succeeded();
}

/// A guest at work.
struct Work {
    guest: thread::JoinHandle<(Busy, Stopped)>,
    /// Times of acknowledged flushes, and the lowest write that each of them did not cover.
    flushes: Arc<Mutex<Vec<(String, u64)>>>,
}

impl Work {
    /// Begins to work on a disk with this content. Each acknowledged write is sent to `written`, until nobody receives it.
    fn begin(daemon: &Daemon, load: Load, before: Vec<u8>, written: std::sync::mpsc::Sender<()>) -> Self {
        let mut guest = Busy::new(daemon.guest("disk"), load, before);
        let flushes: Arc<Mutex<Vec<_>>> = Arc::default();
        let ours = Arc::clone(&flushes);
        let guest = thread::spawn(move || {
            let stopped = guest.work(|told| match told {
                Told::Written => written.send(()).unwrap_or(()),
                Told::Flushed(lowest) => {
                    let mut flushes = ours.lock().expect("no holder panics");
                    flushes.push((Moment::now().to_string(), lowest));
                }
            });
            (guest, stopped)
        });
        Self { guest, flushes }
    }

    /// Returns the lowest write that no flush before `as_of` covered.
    fn covered(&self, as_of: Option<&str>) -> u64 {
        let flushes = self.flushes.lock().expect("no holder panics");
        let covered = flushes.iter().filter(|(at, _)| as_of.is_some_and(|as_of| **at < *as_of));
        covered.map(|(_, lowest)| *lowest).max().unwrap_or(0)
    }

    /// Waits until the guest ends, as its daemon was killed. Returns it, and the lowest write that no flush before `as_of` covered.
    fn end(self, as_of: Option<&str>) -> (Busy, u64) {
        let covered = self.covered(as_of);
        let (guest, stopped) = self.guest.join().expect("the guest does not panic");
        if let Stopped::Wrong(why) = stopped {
            panic!("{why}");
        }
        (guest, covered)
    }
}

/// Returns an image with every other page of one image, and the others of another.
fn mixed(one: &[u8], other: &[u8]) -> Vec<u8> {
    let pages = one.chunks(PAGE).zip(other.chunks(PAGE)).enumerate();
    pages.flat_map(|(page, (one, other))| if page % 2 == 0 { one } else { other }).copied().collect()
}

fn as_of(daemon: &Daemon) -> Option<String> {
    daemon.disk("disk")["consistent_as_of"].as_str().map(str::to_owned)
}

#[test]
fn a_killed_host_has_all_of_its_volume_with_its_flash_and_an_instant_of_it_without() {
    let mut chance = Chance::new(seed());
    let (shared, mut host) = (Host::new(), Host::new());
    let config = shared.text("forebay.toml");
    let store = format!("[store.cold]\nurl = \"file://{}\"\n", shared.text("store"));
    fs::write(&config, store).expect("the folder is ours");
    let mut daemon = serve(&host, &config);
    let volume = |daemon: &Daemon, command: &str, more: &[&str]| {
        daemon.run(&[&["volume", command, "cold/a"], more, &["--config", &config]].concat()).succeeded()
    };
    volume(&daemon, "create", &["24MiB"]);
    add(&daemon);
    let mut content = vec![0; DISK_BYTES as usize];
    let (there, away) = (shared.path("store"), shared.path("away"));
    let rounds = number_from("FOREBAY_KILLS").unwrap_or(ROUNDS_DEFAULT);
    let (mut reported, mut lost) = (0, 0);
    for round in 0..rounds {
        let loses_flash = round % 2 == FIRST_LOSS;
        if loses_flash {
            // So that what was there before is in the store.
            until(|| daemon.disk("disk")["dirty_bytes"] == 0);
        }
        let load = Load::new(chance.below(u64::MAX), WINDOWS, 0..1);
        let (written, acknowledged) = channel();
        let before = content.clone();
        let work = Work::begin(&daemon, load, content, written);
        let mut shown = as_of(&daemon);
        for _ in 0..chance.below(GROUPS) {
            until(|| as_of(&daemon) != shown || work.guest.is_finished());
            assert!(!work.guest.is_finished(), "{}", daemon.run(&["disk", "show", "disk"]).stdout);
            shown = as_of(&daemon);
        }
        let is_decided = round == FIRST_LOSS;
        if is_decided {
            until(|| work.covered(as_of(&daemon).as_deref()) > 0 || work.guest.is_finished());
            assert!(!work.guest.is_finished(), "{}", daemon.run(&["disk", "show", "disk"]).stdout);
            fs::rename(&there, &away).expect("the folder is ours");
        }
        let so_far = acknowledged.try_iter().count();
        let most = if is_decided { LOST_WRITES_MAX } else { WRITES_MAX };
        let all = so_far + acknowledged.iter().take(chance.within(1..most) as usize).count();
        let shown = as_of(&daemon);
        daemon.kill();
        if is_decided {
            fs::rename(&away, &there).expect("the folder is ours");
        }
        let (guest, covered) = work.end(shown.as_deref());
        if loses_flash {
            host = Host::new();
        }
        daemon = serve(&host, &config);
        if loses_flash {
            volume(&daemon, "fence", &[]);
            add(&daemon);
        }
        until(|| daemon.disk("disk")["state"] == "serving");
        content = read_all(&mut daemon.guest("disk"), &WINDOWS).expect("the disk is served");
        let result =
            if loses_flash { guest.check_instant(&content, covered) } else { guest.model.check(0, &content) };
        assert_eq!(result, Ok(()), "round {round}");
        if covered > 0 {
            guest
                .check_instant(&mixed(&before, &content), 0)
                .expect_err("every other page is of another instant");
        }
        println!(
            "round {round}, flash lost {loses_flash}: {covered} of {all} writes were reported to be in a group"
        );
        if loses_flash {
            reported += u64::from(covered > 0);
            lost += u64::from(guest.model.check(0, &content).is_err());
        }
    }
    println!("{lost} losses of flash lost something");
    daemon.run(&["disk", "remove", "disk"]).succeeded();
    let checked = volume(&daemon, "check", &[]);
    assert!(checked.contains("nothing"), "{checked}");
    // Otherwise nothing could have been missed. One of the rounds sees to that.
    assert!(rounds <= FIRST_LOSS || reported > 0 && lost > 0, "no round showed anything");
}
