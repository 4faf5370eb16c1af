//! Consistent write-back: without its flash, the backing and its redo ring are the disk as of a moment ago, in every page.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use doors::nbd::Client;
use serde_json::Value;

use crate::host::{Daemon, Host, Loop, content, forebay};
use crate::numbered::{self, Numbered, PAGE, number_of};
use crate::warm::{bytes_of, change};

pub(crate) const PAGES: u64 = 48;
const NUMBERED: Numbered = Numbered { pages: PAGES };
const IMAGE_BYTES: u64 = 6 << 20;
/// The attribute of a dirty mark on a backing.
const MARK: &str = "user.forebay.dirty";
/// Settings with enough flash for the dirty data of the tests.
const ROOM: [&str; 4] = ["--reserve", "32MiB", "--dirty-limit", "7MiB"];
/// One write that a group has in several parts, behind the pages with numbers.
const LARGE_AT: u64 = 1 << 20;
const LARGE_BYTES: u64 = 3 << 20;
const RING: &str = ".a.img.forebay-ring";

fn add(daemon: &Daemon, backing: &str, more: &[&str]) {
    let add =
        ["disk", "add", "a", "--backing", backing, "--mode", "write-back", "--destage-order", "consistent"];
    daemon.run(&[&add[..], &ROOM, more].concat()).succeeded();
}

/// Returns the content of all pages after `last` writes.
pub(crate) fn state_after(last: u64) -> Vec<u64> {
    NUMBERED.state_after(last)
}

pub(crate) fn write(guest: &mut Client, k: u64) {
    NUMBERED.write(guest, k).expect("the disk is served");
}

/// Returns the number in each page of an image.
fn numbers(image: &str) -> Vec<u64> {
    NUMBERED.in_copy(&content(image, 0, (PAGES * PAGE) as usize))
}

fn as_of(daemon: &Daemon) -> Option<String> {
    daemon.disk("a")["consistent_as_of"].as_str().map(str::to_owned)
}

/// Writes numbers from `k` on until `until` says so, which is asked now and then. Returns the last number, and the seconds since 1970 at which
/// each of them was acknowledged.
fn write_until(daemon: &Daemon, mut k: u64, mut until: impl FnMut(&Daemon) -> bool) -> (u64, Vec<u64>) {
    let mut guest = daemon.guest("a");
    let mut acknowledged = Vec::new();
    loop {
        for _ in 0..50 {
            write(&mut guest, k);
            acknowledged.push(seconds_now());
            k += 1;
        }
        if until(daemon) {
            return (k - 1, acknowledged);
        }
    }
}

fn seconds_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("it is later").as_secs()
}

/// Returns a condition that holds once the time of the last group has changed this often.
fn after_groups(wanted: usize) -> impl FnMut(&Daemon) -> bool {
    let mut seen = Vec::new();
    move |daemon| {
        if let Some(time) = as_of(daemon).filter(|time| seen.last() != Some(time)) {
            seen.push(time);
        }
        seen.len() > wanted
    }
}

/// Returns a host whose disk wrote numbers from 1 on over several groups, and whose daemon was killed; with the image, the last number and the
/// times of all.
fn killed() -> (Host, String, u64, Vec<u64>) {
    let host = Host::new();
    let image = host.image("a.img", IMAGE_BYTES);
    let daemon = host.serve();
    add(&daemon, &image, &[]);
    daemon.guest("a").write(LARGE_AT, &bytes_of(9, LARGE_BYTES)).expect("the disk is served");
    let (last, acknowledged) = write_until(&daemon, 1, after_groups(3));
    daemon.kill();
    (host, image, last, acknowledged)
}

fn recovered(image: &str, more: &[&str]) -> Value {
    let ran = forebay(&[&["disk", "recover", "--backing", image, "--json"][..], more].concat());
    serde_json::from_str::<Value>(&ran.succeeded()).expect("it is JSON")["recovery"].clone()
}

/// Returns the number of the last write that an image has, all of whose pages are as of that.
pub(crate) fn last_of(image: &str) -> u64 {
    numbered::last_of(NUMBERED, &numbers(image))
}

/// Returns the seconds since 1970 of a time that a document has.
fn seconds_of(document: &Value) -> u64 {
    let text = document["as_of"].as_str().expect("there is a time");
    let at = |range: std::ops::Range<usize>| text[range].parse::<u64>().expect("digits");
    let (hours, minutes, seconds) = (at(11..13), at(14..16), at(17..19));
    let of_day = hours * 3600 + minutes * 60 + seconds;
    // The day is that of the test, or the one before.
    let now = seconds_now();
    let today = now - now % 86_400 + of_day;
    if today > now + 60 { today - 86_400 } else { today }
}

#[test]
fn without_its_flash_a_disk_is_as_of_a_moment_ago_in_every_page() {
    let (host, image, last, acknowledged) = killed();
    fs::remove_file(host.path("pool.img")).expect("the folder is ours");
    assert!(xattr::get(&image, MARK).expect("temporary files have attributes").is_some());

    let before = numbers(&image);
    let dry = recovered(&image, &["--dry-run"]);
    assert_eq!(dry["dry_run"], true);
    assert_eq!(numbers(&image), before, "a dry run changes nothing");
    let done = recovered(&image, &[]);
    assert_eq!(
        (&done["as_of"], &done["groups"], &done["lost_bytes"]),
        (&dry["as_of"], &dry["groups"], &0.into())
    );

    assert!(content(&image, LARGE_AT, LARGE_BYTES as usize) == bytes_of(9, LARGE_BYTES), "the large write");
    let reached = last_of(&image);
    let time = seconds_of(&done);
    let acknowledged_before = acknowledged.iter().filter(|at| **at < time).count() as u64;
    let acknowledged_by = acknowledged.iter().filter(|at| **at <= time).count() as u64;
    assert!(
        (acknowledged_before..=acknowledged_by + 1).contains(&reached),
        "{reached} as of {time}: {acknowledged_before}, {acknowledged_by}"
    );
    println!("{reached} of {last} writes, {} groups", done["groups"]);

    assert!(xattr::get(&image, MARK).expect("temporary files have attributes").is_none());
    let again = forebay(&["disk", "recover", "--backing", &image]).failed();
    assert!(again.contains("bears no mark"), "{again}");
    let again = forebay(&["disk", "recover", "--backing", &image, "--allow-unmarked"]).failed();
    assert!(again.contains("no complete group"), "{again}");

    // On this host or another: a disk with a ring of its own again.
    let other = host.path("other");
    let pool = host.text("other.img");
    let daemon = Daemon::start(&other, &["--pool", &pool, "--pool-size", "64MiB"]);
    add(&daemon, &image, &[]);
    let mut guest = daemon.guest("a");
    for (page, number) in (0..).zip(state_after(reached)) {
        let bytes = guest.read(page * PAGE, PAGE as u32).expect("the disk is served");
        assert_eq!(number_of(&bytes), Some(number));
    }
}

#[test]
fn with_its_flash_a_killed_disk_has_all_that_was_acknowledged_and_a_clean_stop_leaves_no_promise() {
    let (host, image, last, _) = killed();
    let daemon = host.serve();
    let mut guest = daemon.guest("a");
    for (page, number) in (0..).zip(state_after(last)) {
        let bytes = guest.read(page * PAGE, PAGE as u32).expect("the disk is served");
        assert_eq!(number_of(&bytes), Some(number));
    }
    drop(guest);
    let (last, _) = write_until(&daemon, last + 1, after_groups(1));
    let shown = daemon.run(&["disk", "show", "a"]).succeeded();
    assert!(shown.contains("consistent") && shown.contains("as of 20"), "{shown}");
    let disk = daemon.disk("a");
    assert_eq!(disk["ring_path"], host.text(RING));
    assert!(disk["ring_bytes"].as_u64().expect("there is one") > 8 << 20, "{disk}");

    daemon.run(&["disk", "destage", "a", "--wait"]).succeeded();
    assert!(daemon.stop().success());
    assert_eq!(last_of(&image), last);
    let refused = forebay(&["disk", "recover", "--backing", &image, "--allow-unmarked"]).failed();
    assert!(refused.contains("no complete group"), "{refused}");
}

#[test]
fn a_flash_that_comes_back_after_a_recovery_is_out_of_date() {
    let (host, image, ..) = killed();
    recovered(&image, &[]);
    let reached = last_of(&image);
    let daemon = host.serve();
    let disk = daemon.disk("a");
    assert_eq!(disk["state"], "waiting", "{disk}");
    let reason = disk["reason"].as_str().expect("it waits");
    assert!(
        reason.contains("recovered from its redo ring") && reason.contains("--discard-dirty"),
        "{reason}"
    );
    daemon.run(&["disk", "remove", "a", "--discard-dirty"]).succeeded();
    add(&daemon, &image, &[]);
    let (last, _) = write_until(&daemon, reached + 1, after_groups(1));
    daemon.run(&["disk", "remove", "a"]).succeeded();
    assert_eq!(last_of(&image), last);
    assert!(!host.path(RING).exists(), "it is not needed any more");
}

#[test]
fn a_ring_that_is_gone_is_replaced_as_long_as_the_flash_is_there_and_that_is_said() {
    let (host, image, last, _) = killed();
    fs::remove_file(host.path(RING)).expect("it was there");
    let daemon = host.serve();
    let events = daemon.run(&["events", "--json"]).succeeded();
    assert!(events.contains("ring-lost"), "{events}");
    let (last, _) = write_until(&daemon, last + 1, after_groups(1));
    daemon.kill();
    recovered(&image, &[]);
    assert!(last_of(&image) <= last);
}

/// Changes a key of the disk while a guest writes the numbers behind `last`. Returns the last number then.
fn set_while_writing(daemon: &Daemon, last: u64, setting: &str) -> u64 {
    const WRITES: u64 = 200;
    let step = |guest: &mut Client, round: u8| {
        let first = last + u64::from(round - 1) * WRITES;
        (first + 1..=first + WRITES).for_each(|k| write(guest, k));
    };
    let rounds = daemon.under_load(1, step, || {
        daemon.run(&["disk", "set", "a", setting]).succeeded();
    });
    last + u64::from(rounds) * WRITES
}

#[test]
fn the_order_of_destage_is_changed_while_guests_write_and_the_ring_goes_with_it() {
    let host = Host::new();
    let image = host.image("a.img", IMAGE_BYTES);
    let daemon = host.serve();
    let plain = ["disk", "add", "a", "--backing", &image, "--mode", "write-back"];
    daemon.run(&[&plain[..], &ROOM].concat()).succeeded();
    assert!(!host.path(RING).exists());
    let mut last = 0;
    for round in 0..2 {
        let (reached, _) = write_until(&daemon, last + 1, |_| true);
        let reached = set_while_writing(&daemon, reached, "destage-order=consistent");
        assert!(host.path(RING).exists(), "round {round}");
        let (reached, _) = write_until(&daemon, reached + 1, after_groups(1));
        last = set_while_writing(&daemon, reached, "destage-order=address");
        assert!(!host.path(RING).exists(), "round {round}");
        assert_eq!(as_of(&daemon), None);
    }
    daemon.run(&["disk", "remove", "a"]).succeeded();
    assert_eq!(last_of(&image), last);
}

#[test]
fn a_place_that_is_not_fit_for_a_ring_is_refused_and_nothing_of_it_is_changed() {
    let host = Host::new();
    let image = host.image("a.img", IMAGE_BYTES);
    let other = host.text("other.txt");
    let text = b"text of a user\n".repeat(1 << 16);
    fs::write(&other, &text[..768 << 10]).expect("the folder is ours");
    let daemon = host.serve();
    let consistent = ["--mode", "write-back", "--destage-order", "consistent"];
    let add = |backing: &str, more: &[&str]| {
        let words = ["disk", "add", "a", "--backing", backing, "--allow-unmarked"];
        daemon.run(&[&words[..], &consistent, &ROOM, more].concat())
    };
    let refused = |backing: &str, more: &[&str]| add(backing, more).failed();
    let problem = refused(&image, &["--ring", &other]);
    assert!(problem.contains("ring=PATH"), "{problem}");
    assert!(fs::read(&other).expect("it is there") == text[..768 << 10]);
    // As a device with some file systems has it.
    let late = host.image("late.img", 4 << 20);
    change(&late, 3 << 20, b"data of a user");
    let problem = refused(&image, &["--ring", &late]);
    assert!(problem.contains("holds something else"), "{problem}");
    assert_eq!(content(&late, 3 << 20, 14), b"data of a user");
    let problem = refused(&image, &["--ring", &host.text("nowhere/a.ring")]);
    assert!(problem.contains("redo ring") && problem.contains("nowhere"), "{problem}");
    let problem = refused(&image, &["--ring", &host.text("d")]);
    assert!(problem.contains("redo ring"), "{problem}");
    let problem = refused(&image, &["ring-size=64KiB"]);
    assert!(problem.contains("at least 1MiB"), "{problem}");
    if let Some(device) = Loop::over(&image) {
        let problem = refused(&device.0, &[]);
        assert!(problem.contains("name a place for the ring"), "{problem}");
    }
    assert!(!host.path(RING).exists(), "nothing is left behind");

    // What is in use, or is another's, is not recovered.
    add(&image, &[]).succeeded();
    write_until(&daemon, 1, after_groups(0));
    let problem = forebay(&["disk", "recover", "--backing", &image]).failed();
    assert!(problem.contains("use"), "{problem}");
    daemon.kill();
    let copy = host.text("b.img");
    fs::copy(&image, &copy).expect("the folder is ours");
    xattr::set(&copy, MARK, format!("{:032x} 9 b", 7).as_bytes()).expect("temporary files have attributes");
    let ring = host.text(RING);
    let problem = forebay(&["disk", "recover", "--backing", &copy, "--ring", &ring]).failed();
    assert!(problem.contains("this ring belongs to disk"), "{problem}");
    let problem = forebay(&["disk", "recover", "--backing", &image, "--ring", &other]).failed();
    assert!(problem.contains("no redo ring"), "{problem}");
    assert!(fs::read(&other).expect("it is there") == text[..768 << 10]);
}

fn quiesced(daemon: &Daemon, more: &[&str]) -> Value {
    let quiesce = [&["disk", "quiesce", "a", "--seconds", "600"][..], more].concat();
    daemon.run(&quiesce).succeeded();
    daemon.disk("a")["quiesce"].clone()
}

#[test]
fn a_quiesced_backing_is_as_of_one_time_while_guests_write_back() {
    let host = Host::new();
    let image = host.image("a.img", IMAGE_BYTES);
    let daemon = host.serve();
    add(&daemon, &image, &["consistent-age-max=30s"]);
    let shown = daemon.json(&["disk", "show", "a"]);
    assert_eq!(shown["disk"]["settings"]["consistent-age-max"], "30s");
    let (before, _) = write_until(&daemon, 1, after_groups(2));
    let quiesce = quiesced(&daemon, &[]);
    assert!(quiesce["state"] == "quiesced" && quiesce["backing_as_of"].is_string(), "{quiesce}");
    let on_backing = last_of(&image);
    assert_eq!(on_backing, before, "nothing came after it");
    for more in [&[][..], &["--write-through"]] {
        let problem = daemon.run(&[&["disk", "quiesce", "a"], more].concat()).failed();
        assert!(problem.contains("is quiesced already"), "{problem}");
    }
    let (last, _) = write_until(&daemon, before + 1, after_groups(3));
    assert_eq!((last_of(&image), as_of(&daemon).is_some()), (before, true));
    let problem = daemon.run(&["disk", "evict", "a"]).failed();
    assert!(problem.contains("forebay disk resume a"), "{problem}");
    daemon.run(&["disk", "resume", "a"]).succeeded();
    daemon.run(&["disk", "destage", "a", "--wait"]).succeeded();
    assert_eq!(last_of(&image), last);

    let quiesce = quiesced(&daemon, &["--write-through"]);
    assert!(quiesce["state"] == "quiesced" && quiesce["backing_as_of"].is_null(), "{quiesce}");
    assert_eq!(as_of(&daemon), None, "changes go past the ring");
    let (last, _) = write_until(&daemon, last + 1, |_| true);
    assert_eq!(last_of(&image), last);
    daemon.run(&["disk", "resume", "a"]).succeeded();
}

#[test]
fn a_quiesce_that_ended_before_it_was_resumed_is_said_to_who_resumes_it() {
    let host = Host::new();
    let image = host.image("a.img", IMAGE_BYTES);
    let daemon = host.serve();
    add(&daemon, &image, &[]);
    daemon.run(&["disk", "set", "a", "dirty-limit=2MiB"]).succeeded();
    write_until(&daemon, 1, after_groups(1));
    quiesced(&daemon, &[]);
    let mut guest = daemon.guest("a");
    // One request may go beyond the limit. The one behind it waits for destage.
    for _ in 0..2 {
        guest.write(LARGE_AT, &bytes_of(9, LARGE_BYTES)).expect("guests do not notice");
    }
    drop(guest);
    daemon.wait_for_log("no longer quiesced");
    let quiesce = daemon.disk("a")["quiesce"].clone();
    assert!(quiesce["state"] == "ended" && quiesce["backing_as_of"].is_null(), "{quiesce}");
    let problem = daemon.run(&["disk", "resume", "a"]).failed();
    assert!(problem.contains("as much as may be dirty"), "{problem}");
    let problem = daemon.run(&["disk", "resume", "a"]).failed();
    assert!(problem.contains("is not quiesced"), "{problem}");

    quiesced(&daemon, &[]);
    daemon.kill();
    let daemon = host.serve_with(&[]);
    let problem = daemon.run(&["disk", "resume", "a"]).failed();
    assert!(problem.contains("restarted"), "{problem}");
    assert_eq!(daemon.disk("a")["quiesce"]["state"], "none");
    daemon.run(&["disk", "quiesce", "a", "--seconds", "1"]).succeeded();
    daemon.wait_for_log("its 1 s are over");
    let problem = daemon.run(&["disk", "resume", "a"]).failed();
    assert!(problem.contains("its 1 s are over"), "{problem}");
}
