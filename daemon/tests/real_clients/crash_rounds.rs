//! Repeated kills of the daemon in the middle of a guest's work, on one disk and one pool.

use std::fs;
use std::sync::mpsc::channel;
use std::thread;
use std::time::SystemTime;

use doors::nbd::Client;

use crate::busy::{Busy, Stopped, Told, first_difference, read_all};
use crate::host::{Daemon, Host};
use crate::stamps::{Chance, Load, Model, SECTOR, Windows};

const MIB: u64 = 1 << 20;
const DISK_BYTES: u64 = 24 * MIB;
const WINDOWS: Windows = Windows { count: 1, bytes: DISK_BYTES, stride: DISK_BYTES };
/// Kills of an ordinary run, in two modes together.
const ROUNDS_DEFAULT: u64 = 20;
/// Acknowledged writes of a round until the daemon is killed.
const WRITES_MAX: u64 = 1500;
/// Reads of one measurement of the hit ratio.
const READS: u64 = 4000;
/// Least part of its hit ratio that a killed daemon keeps.
const KEPT_MIN: f64 = 0.95;
/// Message of the daemon on the recovery of the pool.
const CAME_BACK: &str = "of its cache back";

pub(crate) fn number_from(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// Returns the seed of random choices, which is printed so that a failure can be repeated.
pub(crate) fn seed() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("it is later than 1970");
    let seed = number_from("FOREBAY_SEED").unwrap_or(u64::from(now.subsec_nanos()));
    println!("FOREBAY_SEED={seed} chooses the same moments again");
    seed
}

/// Lets a guest work on the disk and kills the daemon after `writes` of its writes. Returns the possible
/// content of the disk.
fn kill_after(daemon: Daemon, load: Load, before: Vec<u8>, writes: u64) -> Model {
    let mut guest = Busy::new(daemon.guest("disk"), load, before);
    let (enough, written_enough) = channel();
    let guest = thread::spawn(move || {
        let mut acknowledged = 0;
        let stopped = guest.work(|told| {
            acknowledged += u64::from(matches!(told, Told::Written));
            if acknowledged == writes {
                // Sent again if a flush is answered meanwhile; then there may be no receiver.
                enough.send(()).unwrap_or(());
            }
        });
        (guest.model, stopped)
    });
    written_enough.recv().expect("the guest goes on until the daemon is killed");
    daemon.kill();
    let (model, stopped) = guest.join().expect("the guest does not panic");
    match stopped {
        Stopped::Gone(_) => model,
        Stopped::Wrong(why) => panic!("{why}"),
    }
}

/// Returns a host, its image, and a daemon that serves it with little space, so that much is evicted, and
/// destaged while guests write.
fn small_cache(mode: &str) -> (Host, String, Daemon) {
    let host = Host::new();
    let image = host.image("disk.img", DISK_BYTES);
    let daemon = host.serve();
    let add = ["disk", "add", "disk", "--backing", &image, "--limit", "9MiB", "--block-size", "16KiB"];
    daemon.run(&add).succeeded();
    let mode = format!("mode={mode}");
    daemon.run(&["disk", "set", "disk", "ram=1MiB", "sequential-cutoff=0", &mode]).succeeded();
    (host, image, daemon)
}

/// Returns the number of kills of each mode.
fn rounds() -> u64 {
    number_from("FOREBAY_KILLS").unwrap_or(ROUNDS_DEFAULT) / 2
}

/// Reads all of the disk, whose content `model` must permit.
fn read_and_check(guest: &mut Client, model: &Model, told: &str) -> Vec<u8> {
    let served = read_all(guest, &WINDOWS).expect("the disk is served");
    assert_eq!(model.check(0, &served), Ok(()), "{told}");
    served
}

#[test]
fn nothing_acknowledged_is_lost_and_nothing_stale_is_served_after_kills() {
    let mut chance = Chance::new(seed());
    let (host, image, mut daemon) = small_cache("write-through");
    let mut something_came_back = false;
    for round in 0..rounds() {
        let load = Load::new(chance.below(u64::MAX), WINDOWS, 0..1);
        let before = fs::read(&image).expect("it is ours");
        let writes = chance.within(1..WRITES_MAX);
        let model = kill_after(daemon, load, before, writes);

        daemon = host.serve();
        let disk = daemon.disk("disk");
        assert_eq!(disk["state"], "serving", "{disk}");
        let mut guest = daemon.guest("disk");
        // Recovered data is served while the rest is still loading, and when all is loaded.
        if round % 2 == 1 {
            something_came_back |= !daemon.wait_for_log(CAME_BACK).contains("has 0 of");
        }
        // First from the recovered cache, then from the present one.
        for _ in 0..2 {
            let told = format!("round {round}, killed after {writes} writes");
            let served = read_and_check(&mut guest, &model, &told);
            let backing = fs::read(&image).expect("it is ours");
            let stale = first_difference(&served, &backing);
            assert_eq!(stale, None, "a page is not the backing's: {told}");
        }
    }
    // Otherwise nothing stale could have been served, and the test would prove nothing.
    assert!(something_came_back, "no start found anything of what was cached before");
}

#[test]
fn nothing_acknowledged_in_write_back_is_lost_after_kills_and_all_of_it_comes_home() {
    let mut chance = Chance::new(seed());
    let (host, image, mut daemon) = small_cache("write-back");
    let mut content = fs::read(&image).expect("it is ours");
    let mut was_dirty = false;
    for round in 0..rounds() {
        let load = Load::new(chance.below(u64::MAX), WINDOWS, 0..1);
        let writes = chance.within(1..WRITES_MAX);
        let model = kill_after(daemon, load, content, writes);
        let backing = fs::read(&image).expect("it is ours");

        daemon = host.serve();
        let disk = daemon.disk("disk");
        assert_eq!(disk["state"], "serving", "{disk}");
        let mut guest = daemon.guest("disk");
        let told = format!("round {round}, killed after {writes} writes");
        content = read_and_check(&mut guest, &model, &told);
        was_dirty |= first_difference(&content, &backing).is_some();
        // In every other round dirty data stays for the next kill.
        if round % 2 == 1 {
            daemon.run(&["disk", "destage", "disk", "--wait"]).succeeded();
            let backing = fs::read(&image).expect("it is ours");
            assert_eq!(first_difference(&content, &backing), None, "not all came home: {told}");
        }
        let again = read_and_check(&mut guest, &model, &told);
        assert_eq!(first_difference(&content, &again), None, "what was read is read again: {told}");
    }
    // Otherwise nothing could have been lost, and the test would prove nothing.
    assert!(was_dirty, "no kill came while flash had what the backing had not");
}

/// Reads places that `seed` chooses, and returns the share of reads that the cache answered.
fn hit_ratio(daemon: &Daemon, seed: u64) -> f64 {
    let statistic = |key: &str| {
        let document = daemon.json(&["stats", "disk"]);
        document["disks"][0][key].as_f64().expect("a counter")
    };
    let counters = || ["reads", "read_hits_ram", "read_hits_flash"].map(&statistic);
    let (mut guest, mut chance) = (daemon.guest("disk"), Chance::new(seed));
    let load = Load::new(seed, WINDOWS, 0..1);
    let [reads, from_ram, from_flash] = counters();
    for _ in 0..READS {
        let place = load.draw(&mut chance);
        let length = (place.end - place.start) * SECTOR;
        guest.read(place.start * SECTOR, length as u32).expect("the disk is served");
    }
    let [reads_later, from_ram_later, from_flash_later] = counters();
    (from_ram_later + from_flash_later - from_ram - from_flash) / (reads_later - reads)
}

#[test]
fn a_killed_daemon_keeps_the_hit_ratio_that_flash_gave() {
    let mut chance = Chance::new(seed());
    let host = Host::new();
    let image = host.image("disk.img", DISK_BYTES);
    // Pages of zeroes are never written to flash, and a hit on one proves nothing about it.
    fs::write(&image, vec![7; DISK_BYTES as usize]).expect("the folder is ours");
    let daemon = host.serve();
    daemon.run(&["disk", "add", "disk", "--backing", &image, "--limit", "20MiB"]).succeeded();
    // RAM is a twentieth of the cache: hits after the kill are from flash or not at all.
    daemon.run(&["disk", "set", "disk", "ram=1MiB"]).succeeded();
    let again = chance.below(u64::MAX);
    hit_ratio(&daemon, chance.below(u64::MAX));
    hit_ratio(&daemon, again);
    let before = hit_ratio(&daemon, again);

    let load = Load::new(chance.below(u64::MAX), WINDOWS, 0..1);
    let content = fs::read(&image).expect("it is ours");
    // Few writes, since each removes its pages from flash.
    kill_after(daemon, load, content, 10);
    let daemon = host.serve();
    daemon.wait_for_log(CAME_BACK);
    let after = hit_ratio(&daemon, again);
    println!("hit ratio {before:.3} before the kill, {after:.3} after it");
    assert!(after >= before * KEPT_MIN, "{after:.3} after the kill, {before:.3} before");
}
