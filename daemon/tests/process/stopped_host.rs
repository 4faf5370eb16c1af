//! Two hosts on one volume, the first of which stops for a while, as a machine does that is suspended, and does not notice.
//!
//! ```text
//! host 1:  writes ── stopped ······························································· goes on: fenced, changes nothing
//! host 2:            ······ fences ── is as of the last group ── writes ── all is in the store ── stopped ···· has what it wrote
//! ```
//! While host 1 goes on, host 2 is stopped: what changes in the store then, host 1 did.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use base::moment::Moment;
use bytes::Bytes;
use doors::nbd::Client as Guest;
use nix::sys::signal::Signal;
use objects::Client;
use volume::Store;

use crate::contract::wait;
use crate::host::{Daemon, Host, forebay};
use crate::numbered::{Numbered, PAGE, last_of};
use crate::patience::until;

/// More than one object takes, so that a group can have several.
const NUMBERED: Numbered = Numbered { pages: 3000 };
const VOLUME_BYTES: u64 = 16 << 20;
const DISK: &str = "web1";
/// Numbers that a guest writes at a time.
const BURST: u64 = 500;
/// Stops of the first host until one is in the middle of its activity.
const STOPS_MAX: u32 = 200;
/// Longest time in which an object is looked for that is on its way. Many are, one after another, unless the host is slow.
const LOOK_TIME_MAX: Duration = Duration::from_secs(1);
/// Folders of a store with volumes.
const FOLDERS: [&str; 2] = ["names/", "volumes/"];
/// Part of the names of objects that the first opening of a volume makes, but for its epoch and its start.
const OF_FIRST_EPOCH: &str = "/00000001.";

/// Activity of the first host when it stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activity {
    /// Nothing, and all is in the store.
    Idle,
    /// Nothing, and flash has dirty data.
    Dirty,
    /// It puts a group, while its guest writes as fast as it can.
    InGroup,
}

/// A store for one volume of two hosts.
pub(crate) struct Scene<'a> {
    /// File with the configuration, in which the store is `cold`.
    pub(crate) config: &'a str,
    pub(crate) client: &'a Client,
    pub(crate) activity: Activity,
    /// Least time for which the first host stops.
    pub(crate) stop_time: Duration,
    /// Returns true if an object may be on its way to the store.
    pub(crate) is_putting: &'a dyn Fn() -> bool,
}

/// Numbers that a guest writes.
#[derive(Clone, Default)]
struct Progress(Arc<AtomicU64>);

/// A stop of the first host.
struct Stop {
    at: Instant,
    /// A number that the store has.
    least: u64,
    /// The guest that writes, which ends when it fails.
    writer: Option<JoinHandle<()>>,
}

impl Progress {
    fn last(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }

    /// Writes the next numbers, and returns at the first one that fails.
    fn write(&self, guest: &mut Guest, count: u64) -> bool {
        let first = self.last() + 1;
        (first..first + count).all(|k| {
            let written = NUMBERED.write(guest, k).is_ok();
            if written {
                self.0.store(k, Ordering::SeqCst);
            }
            written
        })
    }
}

impl Scene<'_> {
    /// Plays it.
    pub(crate) fn play(&self) {
        let (one, two) = (Host::new(), Host::new());
        let (host1, host2) = (self.serve(&one), self.serve(&two));
        let bytes = VOLUME_BYTES.to_string();
        self.volume(&host1, "create", &[&bytes, "--compression", "none"]);
        add(&host1);
        let mut idle = host1.guest(DISK);
        let progress = Progress::default();
        let Some(Stop { at, least, writer }) = self.work_until_stopped(&host1, &two, &progress) else {
            // No object was on its way at any stop: the others of these scenes do not depend on that.
            println!("{:?}: never stopped in the middle of it, and left out", self.activity);
            host1.kill();
            return;
        };

        self.volume(&host2, "fence", &[]);
        add(&host2);
        let found = last(&host2);
        let most = progress.last();
        println!("{:?}: as of {found}, which is one of {least} to {most}", self.activity);
        // One more was on its way.
        assert!((least..=most + 1).contains(&found), "{found} of {least} to {most}");
        let written = write_until(&host2, found, at + self.stop_time);

        host2.pause();
        let before = self.objects();
        host1.signal(Signal::SIGCONT);
        self.assert_is_fenced(&host1, &mut idle);
        if let Some(writer) = writer {
            writer.join().expect("it ends with an error of its disk");
        }
        host1.kill();
        let host1 = self.serve(&one);
        let waiting = host1.run(&["disk", "show", DISK]).succeeded();
        assert!(waiting.contains("has it open"), "{waiting}");
        host1.run(&["disk", "remove", DISK, "--discard-dirty"]).succeeded();
        assert_only_late_objects(&before, &self.objects());
        host2.signal(Signal::SIGCONT);

        assert_eq!(last(&host2), written);
        host2.kill();
        let host2 = self.serve(&two);
        until(|| host2.disk(DISK)["state"] == "serving");
        assert_eq!(last(&host2), written);
        host2.run(&["disk", "remove", DISK]).succeeded();
        let checked = self.volume(&host2, "check", &[]);
        assert!(checked.contains("nothing"), "{checked}");
        // Flash of this host has nothing of it.
        add(&host1);
        assert_eq!(last(&host1), written);
    }

    fn serve(&self, host: &Host) -> Daemon {
        host.serve_with(&["--config", self.config])
    }

    fn volume(&self, host: &Daemon, command: &str, more: &[&str]) -> String {
        host.run(&[&["volume", command, "cold/web1"], more, &["--config", self.config]].concat()).succeeded()
    }

    /// Returns the last number that the store has.
    fn last_in_store(&self, host: &Host) -> u64 {
        let copy = host.text("copy.img");
        forebay(&["volume", "export", "cold/web1", &copy, "--config", self.config]).succeeded();
        let bytes = fs::read(&copy).expect("it was made");
        fs::remove_file(&copy).expect("the folder is ours");
        last_of(NUMBERED, &NUMBERED.in_copy(&bytes))
    }

    /// Has guests of the first host work, and stops that in the middle of its activity. None if no stop was.
    fn work_until_stopped(&self, host1: &Daemon, two: &Host, progress: &Progress) -> Option<Stop> {
        let mut guest = host1.guest(DISK);
        assert!(progress.write(&mut guest, BURST), "it is served");
        until(|| host1.disk(DISK)["dirty_bytes"] == 0);
        match self.activity {
            Activity::Idle => {
                host1.pause();
                let least = self.last_in_store(two);
                assert_eq!(least, BURST);
                Some(Stop { at: Instant::now(), least, writer: None })
            }
            Activity::Dirty => self.stop_when_dirty(host1, two, progress, None, || {
                assert!(progress.write(&mut guest, BURST), "it is served");
            }),
            Activity::InGroup => {
                let ours = progress.clone();
                let writer = thread::spawn(move || while ours.write(&mut guest, BURST) {});
                let reached = wait_for_group(host1, progress);
                let stop = self.stop_when_dirty(host1, two, progress, Some(writer), || {
                    let target = progress.last() + BURST;
                    until(|| progress.last() >= target);
                })?;
                assert!(
                    stop.least >= reached,
                    "{reached} was in a group, and {} is the last one",
                    stop.least
                );
                Some(stop)
            }
        }
    }

    /// Stops the first host after `work`, again and again until the store lacks something that was acknowledged. None if it never does.
    fn stop_when_dirty(
        &self,
        host1: &Daemon,
        two: &Host,
        progress: &Progress,
        writer: Option<JoinHandle<()>>,
        mut work: impl FnMut(),
    ) -> Option<Stop> {
        for _ in 0..STOPS_MAX {
            work();
            let start = Instant::now();
            while !(self.is_putting)() && start.elapsed() < LOOK_TIME_MAX {
                thread::yield_now();
            }
            host1.pause();
            let at = Instant::now();
            if (self.is_putting)() {
                let least = self.last_in_store(two);
                if least < progress.last() {
                    return Some(Stop { at, least, writer });
                }
            }
            host1.signal(Signal::SIGCONT);
        }
        None
    }

    /// Waits until the first host, which goes on, has noticed that it lost the volume.
    fn assert_is_fenced(&self, host1: &Daemon, guest: &mut Guest) {
        until(|| guest.flush().is_err());
        guest.write(0, &[7; PAGE as usize]).expect_err("it is fenced");
        guest.read(0, PAGE as u32).expect_err("it may be old");
        until(|| host1.disk(DISK)["state"] == "stopped");
        let shown = host1.run(&["disk", "show", DISK]).succeeded();
        assert!(shown.contains("fenced") && shown.contains("another host opened the volume"), "{shown}");
        until(|| {
            let events = host1.run(&["events"]).succeeded();
            events.contains("The backing is lost to this host: this host is fenced")
                && events.contains("--discard-dirty")
        });
        let disk = host1.disk(DISK);
        let dirty = disk["dirty_bytes"].as_u64().expect("a number");
        assert!(dirty > 0 || self.activity == Activity::Idle, "{disk}");
    }

    /// Returns the objects of the store.
    fn objects(&self) -> BTreeMap<String, Bytes> {
        let mut names = Vec::new();
        for folder in FOLDERS {
            let mut after: Option<String> = None;
            loop {
                let some = wait(self.client.list(folder, after.as_deref())).expect("the store answers");
                let Some(last) = some.last() else { break };
                after = Some(last.name.clone());
                names.extend(some.into_iter().map(|listed| listed.name));
            }
        }
        let content = |name: String| {
            let bytes = wait(self.client.get(&name, None)).expect("the store answers");
            (name, bytes)
        };
        names.into_iter().map(content).collect()
    }
}

fn add(host: &Daemon) {
    host.run(&["disk", "add", DISK, "--backing", "volume:cold/web1"]).succeeded();
}

/// Returns the last number that the disk of a host has, which must be as of one instant.
fn last(host: &Daemon) -> u64 {
    last_of(NUMBERED, &NUMBERED.of_disk(host, DISK))
}

/// Fails unless all that the store had is there, and what is new was put by the first opening of the volume, which counts for nothing any more.
fn assert_only_late_objects(before: &BTreeMap<String, Bytes>, after: &BTreeMap<String, Bytes>) {
    for (name, bytes) in before {
        assert!(after.get(name) == Some(bytes), "{name} is gone, or changed");
    }
    let new: Vec<_> = after.keys().filter(|name| !before.contains_key(*name)).collect();
    println!("late: {new:?}");
    assert!(new.iter().all(|name| name.contains(OF_FIRST_EPOCH)), "{new:?}");
}

/// Waits until what was written by now is reported to be in a group. Returns its last number.
fn wait_for_group(host: &Daemon, progress: &Progress) -> u64 {
    let reached = progress.last();
    let now = Moment::now().to_string();
    until(|| host.disk(DISK)["consistent_as_of"].as_str().is_some_and(|as_of| *as_of > *now));
    reached
}

/// Has a guest write numbers behind `last` until this time, and waits until the store has them. Returns the last one.
fn write_until(host: &Daemon, last: u64, time: Instant) -> u64 {
    let mut guest = host.guest(DISK);
    let progress = Progress(Arc::new(AtomicU64::new(last)));
    assert!(progress.write(&mut guest, BURST), "it is served");
    while Instant::now() < time {
        assert!(progress.write(&mut guest, 1), "it is served");
        guest.flush().expect("it is served");
        assert_eq!(host.disk(DISK)["state"], "serving");
    }
    until(|| host.disk(DISK)["dirty_bytes"] == 0);
    progress.last()
}
