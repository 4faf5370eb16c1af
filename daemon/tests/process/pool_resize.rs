//! Devices of the pool that become larger and smaller while guests write, with dirty data, and through kills.

use std::fs;
use std::time::{Duration, Instant};

use doors::nbd::Client;
use serde_json::Value;

use crate::host::{Daemon, Host};

const MIB: u64 = 1 << 20;
const IMAGE: u64 = 24 * MIB;
const REQUEST: u64 = 64 << 10;
/// Dirty bytes when the pool is made smaller: their destage takes longer than the rest of the test.
const DIRTY: u64 = 8 * REQUEST;
/// Far longer than anything here takes.
const DEADLINE: Duration = Duration::from_mins(1);

/// Returns the content of the image at a place after this many rounds of writing.
fn bytes(at: u64, round: u8) -> Vec<u8> {
    vec![((at / REQUEST * 37 + u64::from(round) * 11) % 251) as u8; REQUEST as usize]
}

fn write(guest: &mut Client, round: u8) {
    for at in (0..IMAGE).step_by(REQUEST as usize) {
        guest.write(at, &bytes(at, round)).expect("no guest sees an error");
    }
}

fn read(guest: &mut Client, round: u8) {
    for at in (0..IMAGE).step_by(REQUEST as usize) {
        let read = guest.read(at, REQUEST as u32).expect("no guest sees an error");
        assert!(read == bytes(at, round), "at {at} in round {round}");
    }
}

/// Starts a daemon with a pool of 32 MiB in a file, and a disk in write-back before a backing.
fn serve(host: &Host) -> Daemon {
    let daemon = host.serve_with(&["--pool", &host.text("one.img"), "--pool-size", "32MiB", "--shards", "2"]);
    daemon.run(&["disk", "add", "a", "--backing", &host.image("a.img", IMAGE)]).succeeded();
    daemon.run(&["disk", "set", "a", "ram=1MiB", "mode=write-back"]).succeeded();
    daemon
}

fn device(daemon: &Daemon) -> Value {
    daemon.json(&["pool", "show"])["pool"]["devices"][0].clone()
}

fn size(daemon: &Daemon) -> u64 {
    device(daemon)["size_bytes"].as_u64().expect("a number")
}

fn length(host: &Host) -> u64 {
    fs::metadata(host.path("one.img")).expect("it is there").len()
}

/// Makes a guest write and read, each read checked, while `change` runs. Returns the round that was written
/// last.
fn under_load(daemon: &Daemon, first: u8, change: impl FnOnce()) -> u8 {
    let step = |guest: &mut Client, round| {
        write(guest, round);
        read(guest, round);
    };
    daemon.under_load(first, step, change)
}

#[test]
fn a_pool_file_grows_and_shrinks_under_load_with_dirty_data_and_stays_so_after_a_kill() {
    let host = Host::new();
    let daemon = serve(&host);
    let pool = host.text("one.img");
    let resize = |size: &str| daemon.run(&["pool", "resize", &pool, size]).succeeded();
    let round = under_load(&daemon, 1, || {
        let said = resize("48MiB");
        assert!(said.contains("The pool uses 48MiB of") && said.contains("has 48MiB now"), "{said}");
    });
    assert_eq!((size(&daemon), length(&host)), (48 * MIB, 48 * MIB));
    let round = under_load(&daemon, round + 1, || {
        let said = resize("20MiB");
        assert!(
            said.contains("The pool uses 20MiB of") && said.contains("20971520 bytes any more"),
            "{said}"
        );
    });
    assert_eq!((size(&daemon), length(&host)), (20 * MIB, 20 * MIB));
    assert_eq!(device(&daemon)["shrinking"], Value::Null);
    assert!(resize("20MiB").contains("has 20MiB in the pool already; nothing was changed"));
    assert!(resize("max").contains("nothing was changed"));
    daemon.wait_for_log("The pool uses 48MiB of");
    daemon.kill();
    // The options of a service still have the size with which the pool was made.
    let daemon = host.serve_with(&["--pool", &pool, "--pool-size", "32MiB"]);
    assert_eq!((size(&daemon), length(&host)), (20 * MIB, 20 * MIB));
    read(&mut daemon.guest("a"), round);
    daemon.run(&["disk", "destage", "a", "--wait"]).succeeded();
    let image = fs::read(host.path("a.img")).expect("it is there");
    for (at, piece) in (0..).step_by(REQUEST as usize).zip(image.chunks_exact(REQUEST as usize)) {
        assert!(piece == bytes(at, round), "the backing at {at}");
    }
    assert!(daemon.stop().success());
    let checked = host.serve_with(&[]);
    read(&mut checked.guest("a"), round);
}

#[test]
fn a_daemon_that_is_killed_while_a_device_becomes_smaller_finds_one_of_both_sizes_and_all_data() {
    let host = Host::new();
    let daemon = serve(&host);
    let pool = host.text("one.img");
    daemon.run(&["pool", "resize", &pool, "64MiB"]).succeeded();
    let mut round = 1;
    write(&mut daemon.guest("a"), round);
    let mut daemon = daemon;
    for _ in 0..4 {
        daemon.run(&["pool", "resize", &pool, "64MiB"]).succeeded();
        round += 1;
        write(&mut daemon.guest("a"), round);
        let resize = || daemon.spawn(&["pool", "resize", &pool, "16MiB"]);
        let mut resizing = resize();
        let deadline = Instant::now() + DEADLINE;
        while device(&daemon)["shrinking"].is_null() && size(&daemon) == 64 * MIB {
            if resizing.try_wait().expect("it is our child").is_some() && size(&daemon) == 64 * MIB {
                // Dirty data may need the space for a while.
                let ended = std::mem::replace(&mut resizing, resize()).wait_with_output();
                let said = String::from_utf8_lossy(&ended.expect("it has ended").stderr).into_owned();
                assert!(Instant::now() < deadline, "it never begins: {said}");
            }
        }
        daemon.kill();
        resizing.wait().expect("it is our child");
        daemon = host.serve_with(&[]);
        assert!([16 * MIB, 64 * MIB].contains(&size(&daemon)), "{}", device(&daemon));
        assert!(length(&host) >= size(&daemon));
        read(&mut daemon.guest("a"), round);
        // A second request completes it, whatever the kill left.
        daemon.run(&["pool", "resize", &pool, "16MiB"]).succeeded();
        assert_eq!((size(&daemon), length(&host)), (16 * MIB, 16 * MIB));
        read(&mut daemon.guest("a"), round);
    }
    assert!(daemon.stop().success());
}

#[test]
fn sizes_that_cannot_be_are_refused_with_what_can_and_change_nothing() {
    let host = Host::new();
    let daemon = serve(&host);
    let pool = host.text("one.img");
    let refuse = |words: &[&str]| daemon.run(&[&["pool", "resize"], words].concat()).failed();
    let unknown = refuse(&[&host.text("none.img"), "40MiB"]);
    assert!(
        unknown.contains("it is none of its devices, which are") && unknown.contains("one.img"),
        "{unknown}"
    );
    let small = refuse(&[&pool, "40"]);
    assert!(small.contains("is too small") && small.contains("has a unit: 10GiB"), "{small}");
    // The least size that it names works.
    let (_, least) = small.split_once("is too small: ").expect("it names the least");
    let least = least.split(" is the least").next().expect("as above").split(' ').next().expect("as above");
    let large = refuse(&[&pool, "900GiB"]);
    assert!(large.contains("segment table"), "{large}");
    let idle = refuse(&[&pool, "--cancel"]);
    assert!(idle.contains("is not being made smaller"), "{idle}");
    assert!(daemon.run(&["pool", "resize", &pool, "40Mib?"]).stderr.contains("or give max"));
    assert_eq!((size(&daemon), length(&host)), (32 * MIB, 32 * MIB));
    daemon.run(&["pool", "resize", &pool, least]).succeeded();
    let again = refuse(&[&pool, &(least.parse::<u64>().unwrap_or(4 * MIB) - 4096).to_string()]);
    assert!(again.contains("is too small"), "{again}");
    assert!(daemon.stop().success());
    assert_eq!(length(&host), size(&host.serve_with(&[])));
}

#[test]
fn a_device_that_was_cut_behind_the_pool_is_refused_and_what_is_dirty_waits_for_it() {
    let host = Host::new();
    let daemon = serve(&host);
    write(&mut daemon.guest("a"), 1);
    daemon.run(&["disk", "destage", "a", "--wait"]).succeeded();
    daemon.run(&["disk", "set", "a", "destage-rate-max=1KiB"]).succeeded();
    let mut guest = daemon.guest("a");
    for at in (0..DIRTY).step_by(REQUEST as usize) {
        guest.write(at, &bytes(at, 2)).expect("no guest sees an error");
    }
    drop(guest);
    daemon.kill();
    let whole = fs::read(host.path("one.img")).expect("it is there");
    fs::write(host.path("one.img"), &whole[..20 << 20]).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    let shown = daemon.json(&["pool", "show"])["pool"].clone();
    assert_eq!(shown["state"], "missing");
    let reason = shown["reason"].as_str().expect("it has one");
    assert!(reason.contains("It uses") && reason.contains("Nothing was changed"), "{reason}");
    assert_eq!(daemon.disk("a")["state"], "waiting", "{}", daemon.disk("a"));
    assert!(daemon.stop().success());
    // With its size restored nothing is lost.
    fs::write(host.path("one.img"), &whole).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    let mut guest = daemon.guest("a");
    for at in (0..IMAGE).step_by(REQUEST as usize) {
        let round = if at < DIRTY { 2 } else { 1 };
        assert!(guest.read(at, REQUEST as u32).expect("it is served") == bytes(at, round), "at {at}");
    }
}
