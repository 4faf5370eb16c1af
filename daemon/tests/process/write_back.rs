//! Write-back: acknowledged writes survive a kill, are destaged on request, and are never silently ignored by
//! a host without them.

use std::fs;
use std::path::Path;

use doors::nbd::Client;
use doors::nbd::option::Replies;
use serde_json::Value;

use crate::host::{Daemon, Host, content};
use crate::warm::{IMAGE_BYTES, bytes_of, image};

const PAGE: u64 = 4096;
const MIB: u64 = 1 << 20;
/// Pages that are written: so few that destage delays them for some seconds.
const PAGES: u64 = 100;
/// The attribute of a dirty mark on a backing.
const MARK: &str = "user.forebay.dirty";
/// Settings with enough flash for the dirty data of the tests.
const ROOM: [&str; 4] = ["--reserve", "32MiB", "--dirty-limit", "7MiB"];

fn add(daemon: &Daemon, name: &str, backing: &str) {
    let add = ["disk", "add", name, "--backing", backing, "--mode", "write-back"];
    daemon.run(&[&add[..], &ROOM].concat()).succeeded();
}

/// Returns the place of written page `number`: apart from each other, in no order.
fn place(number: u64) -> u64 {
    number * 7 % PAGES * 3 * PAGE
}

fn page(number: u64, version: u64) -> Vec<u8> {
    bytes_of(1000 * version + number + 7, PAGE)
}

fn write(daemon: &Daemon, name: &str, version: u64) {
    let mut guest = daemon.guest(name);
    for number in 0..PAGES {
        guest.write(place(number), &page(number, version)).expect("the disk is served");
    }
}

fn assert_served(daemon: &Daemon, name: &str, version: u64) {
    let mut guest = daemon.guest(name);
    for number in 0..PAGES {
        let found = guest.read(place(number), PAGE as u32).expect("the disk is served");
        assert!(found == page(number, version), "page {number} is not version {version}");
    }
}

/// Returns the number of pages that the backing has.
fn pages_at_home(backing: &str, version: u64) -> u64 {
    let is_there = |number: &u64| content(backing, place(*number), PAGE as usize) == page(*number, version);
    (0..PAGES).filter(is_there).count() as u64
}

fn shown(daemon: &Daemon, name: &str) -> Value {
    daemon.json(&["disk", "show", name])["disk"].clone()
}

fn is_marked(backing: &str) -> bool {
    xattr::get(backing, MARK).expect("temporary files have attributes").is_some()
}

fn wait_for_state(daemon: &Daemon, name: &str, state: &str) -> Value {
    loop {
        let disk = daemon.disk(name);
        if disk["state"] == state {
            return disk;
        }
    }
}

/// Returns a host with a disk in write-back that has version 1 of all pages, on flash only.
fn dirty() -> (Host, Daemon, String) {
    let host = Host::new();
    let image = image(&host, "a.img", 1);
    let daemon = host.serve();
    add(&daemon, "a", &image);
    write(&daemon, "a", 1);
    assert_eq!(pages_at_home(&image, 1), 0, "they are written back later");
    (host, daemon, image)
}

#[test]
fn what_was_acknowledged_is_there_after_a_kill_and_comes_home() {
    let (host, daemon, image) = dirty();
    let disk = shown(&daemon, "a");
    assert_eq!(disk["dirty_bytes"], PAGES * PAGE, "{disk}");
    assert_eq!(disk["statistics"]["dirty_limit_bytes"], 7 << 20);
    daemon.kill();
    assert_eq!(pages_at_home(&image, 1), 0);

    let daemon = host.serve();
    assert_served(&daemon, "a", 1);
    daemon.run(&["disk", "destage", "a", "--wait"]).succeeded();
    assert_eq!(pages_at_home(&image, 1), PAGES);
    let disk = shown(&daemon, "a");
    assert_eq!((&disk["dirty_bytes"], &disk["lost_bytes"]), (&Value::from(0), &Value::from(0)));
    let statistics = &disk["statistics"];
    assert_eq!(statistics["destage_bytes"], PAGES * PAGE, "{statistics}");
    assert!(
        statistics["latency_us"]["destage"]["count"].as_u64().expect("it is counted") > 0,
        "{statistics}"
    );
    assert_served(&daemon, "a", 1);
}

/// Returns the pages of the disk `a` that a client which copies only data would leave out.
fn holes(daemon: &Daemon) -> Vec<u64> {
    let mut guest =
        Client::connect(&daemon.nbd_socket("a"), "a", Replies::Structured).expect("the disk is served");
    let (mut at, mut holes) = (0, Vec::new());
    while at < IMAGE_BYTES {
        let extents = guest.block_status(at, (IMAGE_BYTES - at) as u32).expect("the disk is served");
        for (length, flags) in extents {
            let end = at + u64::from(length);
            holes.extend((at / PAGE..end / PAGE).filter(|_| flags != 0));
            at = end;
        }
    }
    holes
}

#[test]
fn what_is_dirty_is_no_hole_for_whoever_copies_only_data_also_after_a_kill() {
    let host = Host::new();
    let image = host.image("sparse.img", IMAGE_BYTES);
    let daemon = host.serve();
    add(&daemon, "a", &image);
    assert_eq!(holes(&daemon).len() as u64, IMAGE_BYTES / PAGE, "nothing was written yet");
    write(&daemon, "a", 1);
    assert_eq!(pages_at_home(&image, 1), 0, "they are written back later");
    let written: Vec<u64> = (0..PAGES).map(|number| place(number) / PAGE).collect();
    let check = |daemon: &Daemon| {
        let holes = holes(daemon);
        assert!(!holes.is_empty() && !holes.iter().any(|page| written.contains(page)), "{holes:?}");
    };
    check(&daemon);
    daemon.kill();
    let daemon = host.serve();
    check(&daemon);
    daemon.run(&["disk", "destage", "a", "--wait"]).succeeded();
    check(&daemon);
}

#[test]
fn what_is_dirty_comes_home_also_before_anybody_knows_what_it_is() {
    for last in [&["disk", "destage", "a", "--wait"][..], &["disk", "remove", "a"]] {
        let (host, daemon, image) = dirty();
        daemon.kill();
        let daemon = host.serve();
        daemon.run(last).succeeded();
        assert_eq!(pages_at_home(&image, 1), PAGES, "{last:?}");
    }
}

#[test]
fn a_stop_keeps_what_is_dirty_and_a_check_lists_it() {
    let (host, daemon, image) = dirty();
    let dirty_bytes = shown_dirty(&daemon);
    assert!(daemon.stop().success());
    assert!(is_marked(&image));
    let events = fs::read_to_string(host.path("d/events.jsonl")).expect("it is there");
    let amount = format!("which has {}KiB that is not there", dirty_bytes >> 10);
    assert!(events.contains(&amount), "{amount}: {events}");
    let checked =
        crate::host::forebay(&["check", &host.text("pool.img"), "--dir", &host.text("d"), "--json"]);
    let checked: Value = serde_json::from_str(&checked.succeeded()).expect("it is JSON");
    assert_eq!(checked["pools"][0]["disks"][0]["pages_dirty"], PAGES, "{checked}");

    let daemon = host.serve();
    assert_served(&daemon, "a", 1);
    daemon.run(&["disk", "destage", "a", "--wait"]).succeeded();
    assert!(daemon.stop().success());
    assert!(!is_marked(&image), "it has everything");
    // Nothing is dirty, so the disk does not depend on the pool.
    fs::remove_file(host.path("pool.img")).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    assert_served(&daemon, "a", 1);
}

#[test]
fn while_a_disk_is_quiet_its_backing_has_everything() {
    let (_host, daemon, image) = dirty();
    let said = daemon.run(&["disk", "quiesce", "a", "--seconds", "600"]).succeeded();
    assert!(said.contains("600 s"), "{said}");
    assert_eq!(pages_at_home(&image, 1), PAGES);
    assert_eq!(shown(&daemon, "a")["quiesce"]["state"], "quiesced");
    write(&daemon, "a", 2);
    assert_eq!(pages_at_home(&image, 2), PAGES, "what is written meanwhile goes to the backing");
    daemon.run(&["disk", "evict", "a"]).succeeded();
    assert_eq!(shown(&daemon, "a")["quiesce"]["state"], "quiesced", "a backup goes on undisturbed");
    daemon.run(&["disk", "resume", "a"]).succeeded();
    assert_eq!(shown(&daemon, "a")["quiesce"]["state"], "none");
    write(&daemon, "a", 3);
    assert_eq!(pages_at_home(&image, 3), 0);
    assert_served(&daemon, "a", 3);
}

#[test]
fn a_quiet_disk_goes_on_by_itself() {
    let (_host, daemon, image) = dirty();
    daemon.run(&["disk", "quiesce", "a", "--seconds", "1"]).succeeded();
    daemon.wait_for_log("no longer quiesced");
    write(&daemon, "a", 2);
    assert_eq!(pages_at_home(&image, 2), 0);
}

#[test]
fn leaving_write_back_brings_everything_home_under_guests() {
    let (_host, daemon, image) = dirty();
    let mut guest = daemon.guest("a");
    let said = daemon.run(&["disk", "set", "a", "mode=write-through", "--wait"]).succeeded();
    assert!(said.contains("The backing of disk 'a' has everything"), "{said}");
    assert_eq!(pages_at_home(&image, 1), PAGES);
    guest.write(place(3), &page(3, 2)).expect("it stayed connected");
    assert_eq!(pages_at_home(&image, 2), 1);
    daemon.run(&["disk", "set", "a", "mode=write-back"]).succeeded();
    write(&daemon, "a", 3);
    assert_eq!(pages_at_home(&image, 3), 0);
}

#[test]
fn a_removed_or_evicted_disk_has_everything_at_home() {
    let (_host, daemon, image) = dirty();
    daemon.run(&["disk", "evict", "a"]).succeeded();
    assert_eq!(pages_at_home(&image, 1), PAGES);
    assert_served(&daemon, "a", 1);
    write(&daemon, "a", 2);
    assert_eq!(pages_at_home(&image, 2), 0, "it writes back as before");
    daemon.run(&["disk", "remove", "a"]).succeeded();
    assert_eq!(pages_at_home(&image, 2), PAGES);
    assert!(!is_marked(&image));
}

#[test]
fn dirty_data_that_the_backing_does_not_take_is_given_up_by_word_only() {
    let (host, behind, _) = dirty();
    behind.run(&["disk", "set", "a", "mode=write-through", "--wait"]).succeeded();
    let front =
        Daemon::start(&host.path("front"), &["--pool", &host.text("front.img"), "--pool-size", "64MiB"]);
    let backing = format!("nbd+unix:///a?socket={}", behind.nbd_socket("a").display());
    let add = ["disk", "add", "b", "--backing", &backing, "--mode", "write-back"];
    let add = [&add[..], &ROOM].concat();
    let refused = front.run(&add).failed();
    assert!(refused.contains("--allow-unmarked"), "{refused}");
    assert_eq!(front.disk("b"), Value::Null, "nothing is left of it");
    front.run(&[&add[..], &["--allow-unmarked"]].concat()).succeeded();
    front.run(&["disk", "set", "b", "retry-time=1s"]).succeeded();
    // Few, for each of them is tried for a second, repeatedly.
    let mut guest = front.guest("b");
    guest.write(place(1), &page(1, 2)).expect("the disk is served");
    behind.kill();

    front.run(&["disk", "set", "b", "dirty-limit=6MiB"]).succeeded();
    let refused = front.run(&["disk", "destage", "b", "--wait"]).failed();
    assert!(refused.contains("Cannot destage"), "{refused}");
    let refused = front.run(&["disk", "remove", "b", "--force"]).failed();
    assert!(refused.contains("--discard-dirty"), "{refused}");
    assert_eq!(front.disk("b")["state"], "serving");
    assert!(guest.read(place(1), PAGE as u32).expect("flash has it") == page(1, 2));
    front.run(&["disk", "remove", "b", "--discard-dirty", "--force"]).succeeded();
    assert_eq!(front.disk("b"), Value::Null);
}

#[test]
fn another_forebay_refuses_a_backing_that_lacks_data() {
    let (host, daemon, image) = dirty();
    let pool = daemon.json(&["pool", "show"])["pool"]["id"].as_str().expect("it has one").to_owned();
    daemon.kill();
    let other = Daemon::start(&host.path("e"), &["--pool", &host.text("other.img"), "--pool-size", "64MiB"]);
    let refused = other.run(&["disk", "add", "a", "--backing", &image]).failed();
    assert!(refused.contains(&pool) && refused.contains("disk 'a'"), "{refused}");
    assert!(other.stop().success());
    let daemon = host.serve();
    daemon.run(&["disk", "remove", "a"]).succeeded();
    let other = Daemon::start(&host.path("e"), &[]);
    other.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    assert_served(&other, "a", 1);
}

#[test]
fn without_its_pool_a_dirty_disk_waits_and_others_are_served() {
    let (host, daemon, _) = dirty();
    let plain = image(&host, "b.img", 2);
    daemon.run(&["disk", "add", "b", "--backing", &plain]).succeeded();
    daemon.kill();
    fs::rename(host.path("pool.img"), host.path("away.img")).expect("the folder is ours");
    // Also with an option to make one in its place.
    for options in [&["--pool", &host.text("pool.img"), "--pool-size", "64MiB"][..], &[]] {
        let daemon = host.serve_with(options);
        let disk = wait_for_state(&daemon, "a", "waiting");
        assert!(disk["reason"].as_str().expect("it has one").contains("--discard-dirty"), "{disk}");
        let guest = Client::connect(&daemon.nbd_socket("a"), "a", Replies::Simple);
        assert!(guest.is_err(), "nobody is shown old data");
        assert_eq!(daemon.disk("b")["state"], "serving");
        let refused = daemon.run(&["disk", "remove", "a"]).failed();
        assert!(refused.contains("--discard-dirty"), "{refused}");
        assert!(daemon.stop().success());
    }
    let refused = host.serve_fails(&["--pool", &host.text("another.img"), "--pool-size", "64MiB"]);
    assert!(refused.contains("disk 'a'"), "{refused}");
    fs::rename(host.path("away.img"), host.path("pool.img")).expect("the folder is ours");
    let daemon = host.serve();
    assert_served(&daemon, "a", 1);
}

/// The file of the pool is open and has no name any more: no start would find it.
#[test]
fn a_stop_destages_what_is_in_a_pool_file_that_was_deleted_moved_or_replaced() {
    type Move<'a> = (&'a str, &'a dyn Fn(&Host));
    let moves: [Move; 3] = [
        ("deleted", &|host| fs::remove_file(host.path("pool.img")).expect("the folder is ours")),
        ("moved", &|host| fs::rename(host.path("pool.img"), host.path("b.img")).expect("the folder is ours")),
        ("replaced", &|host| {
            image(host, "new.img", 64);
            fs::rename(host.path("new.img"), host.path("pool.img")).expect("the folder is ours");
        }),
    ];
    for (how, displace) in moves {
        let (host, daemon, image) = dirty();
        displace(&host);
        assert!(daemon.stop().success(), "{how}");
        assert_eq!(pages_at_home(&image, 1), PAGES, "{how}");
        assert!(!is_marked(&image), "{how}: the image has everything");
    }
}

#[test]
fn a_pool_that_is_deleted_is_said_at_once_and_what_is_dirty_is_destaged() {
    let (host, daemon, image) = dirty();
    // Data about to be lost is destaged faster than that.
    daemon.run(&["disk", "set", "a", "destage-rate-max=1KiB"]).succeeded();
    fs::rename(host.path("pool.img"), host.path("away.img")).expect("the folder is ours");
    daemon.wait_for_log("which the next start will not find. Dirty data is destaged at once: disk 'a'");
    let shown = daemon.run(&["pool", "show"]).succeeded();
    assert!(shown.contains("is not there any more"), "{shown}");
    while shown_dirty(&daemon) > 0 {}
    assert_eq!(pages_at_home(&image, 1), PAGES);
    fs::rename(host.path("away.img"), host.path("pool.img")).expect("the folder is ours");
    daemon.wait_for_log("is the pool's again");
    assert!(!daemon.run(&["pool", "show"]).succeeded().contains("is not there any more"));
}

#[test]
fn a_backing_that_was_cut_keeps_its_dirty_data_and_nobody_is_told_to_give_it_up() {
    let (host, daemon, image) = dirty();
    daemon.run(&["disk", "set", "a", "destage-rate-max=1KiB"]).succeeded();
    let whole = fs::read(&image).expect("it is there");
    fs::File::options().write(true).open(&image).and_then(|file| file.set_len(4096)).expect("it is ours");
    daemon.wait_for_log("then restart Forebay: the data on flash is kept");
    fs::write(&image, &whole).expect("it is ours");
    for _ in 0..2 {
        let refused = daemon.run(&["disk", "remove", "a"]).failed();
        assert!(
            refused.contains("then restart Forebay") && !refused.contains("--discard-dirty"),
            "{refused}"
        );
    }
    daemon.kill();
    let daemon = host.serve();
    assert_served(&daemon, "a", 1);
    daemon.run(&["disk", "set", "a", "destage-rate-max=0"]).succeeded();
    daemon.run(&["disk", "remove", "a"]).succeeded();
    assert_eq!(pages_at_home(&image, 1), PAGES);
}

fn shown_dirty(daemon: &Daemon) -> u64 {
    shown(daemon, "a")["dirty_bytes"].as_u64().expect("a number")
}

#[test]
fn a_stop_fails_and_names_the_disk_whose_data_is_in_a_deleted_pool_only() {
    let (host, daemon, image) = dirty();
    daemon.kill();
    fs::rename(&image, host.path("away.raw")).expect("the folder is ours");
    let daemon = host.serve();
    wait_for_state(&daemon, "a", "waiting");
    fs::remove_file(host.path("pool.img")).expect("the folder is ours");
    assert_eq!(daemon.stop().code(), Some(1), "it does not end as if all were well");
    fs::rename(host.path("away.raw"), &image).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    let events = daemon.json(&["events"]).to_string();
    assert!(
        events.contains("dirty-data-left-behind") && events.contains("Cannot destage everything of 'a'"),
        "{events}"
    );
}

/// The file with the records of disks, and of stale devices, is damaged in both copies. However often a start
/// is tried, the pool is unchanged for when the file is restored.
#[test]
fn a_state_that_rots_in_one_copy_costs_nothing_and_in_both_it_refuses_a_start_and_leaves_the_pool_alone() {
    let (host, daemon, _) = dirty();
    daemon.kill();
    let good = fs::read(host.path("d/state.json")).expect("it is there");
    let mut rotten = good.clone();
    rotten[good.len() / 2] ^= 1;
    let before = fs::read(host.path("pool.img")).expect("it is there");
    for name in ["d/state.json", "d/state.copy.json"] {
        fs::write(host.path(name), &rotten).expect("the folder is ours");
    }
    for _ in 0..3 {
        let message = host.serve_fails(&[]);
        assert!(message.contains("state.json") && message.contains("damaged"), "{message}");
    }
    assert!(before == fs::read(host.path("pool.img")).expect("it is there"), "it was left alone");
    let check = ["check", &host.text("pool.img"), "--dir", &host.text("d")];
    let refused = crate::host::forebay(&check).failed();
    assert!(refused.contains("state.json") && refused.contains("damaged"), "{refused}");

    fs::write(host.path("d/state.copy.json"), &good).expect("the folder is ours");
    crate::host::forebay(&check).succeeded();
    let daemon = host.serve();
    assert_served(&daemon, "a", 1);
    assert!(daemon.json(&["events"]).to_string().contains("state-restored"));
}

#[test]
fn a_disk_that_was_given_up_without_its_pool_does_not_come_back_with_it() {
    let (host, daemon, image) = dirty();
    daemon.kill();
    fs::rename(host.path("pool.img"), host.path("away.img")).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    wait_for_state(&daemon, "a", "waiting");
    daemon.run(&["disk", "remove", "a", "--discard-dirty"]).succeeded();
    assert!(!is_marked(&image));
    assert!(daemon.stop().success());
    fs::rename(host.path("away.img"), host.path("pool.img")).expect("the folder is ours");
    let daemon = host.serve();
    let pool = daemon.json(&["pool", "show"])["pool"].clone();
    assert_eq!(pool["state"], "serving");
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    assert_eq!(content(&image, 0, IMAGE_BYTES as usize), bytes_of(1, IMAGE_BYTES));
    let found = daemon.guest("a").read(place(1), PAGE as u32).expect("the disk is served");
    assert!(found == content(&image, place(1), PAGE as usize), "what was given up is gone");
}

#[test]
fn an_old_copy_of_the_pool_is_not_taken_for_it() {
    let (host, daemon, _) = dirty();
    daemon.run(&["disk", "destage", "a", "--wait"]).succeeded();
    assert!(daemon.stop().success());
    fs::copy(host.path("pool.img"), host.path("copy.img")).expect("the folder is ours");
    let daemon = host.serve();
    write(&daemon, "a", 2);
    daemon.kill();
    fs::rename(host.path("pool.img"), host.path("away.img")).expect("the folder is ours");
    fs::rename(host.path("copy.img"), host.path("pool.img")).expect("the folder is ours");
    let before = fs::read(host.path("pool.img")).expect("it is there");
    let daemon = host.serve();
    wait_for_state(&daemon, "a", "waiting");
    let pool = daemon.json(&["pool", "show"])["pool"].clone();
    assert!(pool["reason"].as_str().expect("it has one").contains("old copy"), "{pool}");
    assert!(daemon.stop().success());
    assert!(before == fs::read(host.path("pool.img")).expect("it is there"), "it was left alone");
    fs::rename(host.path("away.img"), host.path("pool.img")).expect("the folder is ours");
    assert_served(&host.serve(), "a", 2);
}

#[test]
fn a_dirty_disk_gets_its_own_backing_or_none() {
    let (host, daemon, backing) = dirty();
    daemon.kill();
    fs::rename(&backing, host.path("away.img")).expect("the folder is ours");
    fs::copy(host.path("away.img"), &backing).expect("the folder is ours");
    let daemon = host.serve();
    let disk = wait_for_state(&daemon, "a", "waiting");
    let reason = disk["reason"].as_str().expect("it has one");
    assert!(reason.contains("another file") && reason.contains("--discard-dirty"), "{reason}");
    let refused = daemon.run(&["disk", "evict", "a"]).failed();
    assert!(refused.contains("--discard-dirty"), "{refused}");
    fs::rename(host.path("away.img"), &backing).expect("the folder is ours");
    wait_for_state(&daemon, "a", "serving");
    assert_served(&daemon, "a", 1);
    daemon.run(&["disk", "remove", "a"]).succeeded();
    assert_eq!(pages_at_home(&backing, 1), PAGES);
}

#[test]
fn a_page_that_flash_damaged_is_an_error_alone_until_it_is_written_anew() {
    let (host, daemon, image) = dirty();
    daemon.kill();
    let mut pool = fs::read(host.path("pool.img")).expect("it is there");
    let damaged = page(5, 1);
    let at = pool.chunks(PAGE as usize).position(|found| found == damaged).expect("flash alone has it");
    pool[at * PAGE as usize] ^= 1;
    fs::write(host.path("pool.img"), pool).expect("the folder is ours");

    let daemon = host.serve();
    let refused = daemon.run(&["disk", "remove", "a"]).failed();
    assert!(refused.contains("--discard-dirty"), "{refused}");
    assert_eq!(pages_at_home(&image, 1), PAGES - 1);
    let mut guest = daemon.guest("a");
    guest.read(place(5), PAGE as u32).expect_err("nothing older is shown");
    assert!(guest.read(place(6), PAGE as u32).expect("it is whole") == page(6, 1));
    guest.write(place(5), &page(5, 2)).expect("it is written anew");
    daemon.run(&["disk", "remove", "a", "--force"]).succeeded();
    assert_eq!(pages_at_home(&image, 2), 1);
}

#[test]
fn a_disk_whose_flash_is_gone_with_its_data_stops_and_is_given_up_by_word_only() {
    let (host, daemon, image) = dirty();
    // None of it is in RAM then.
    daemon.kill();
    let daemon = host.serve();
    daemon.wait_for_log("of its cache back");
    // A truncated file is a missing device.
    let pool = fs::OpenOptions::new().write(true).open(host.path("pool.img")).expect("it is there");
    pool.set_len(1 << 20).expect("the folder is ours");
    let refused = daemon.run(&["disk", "destage", "a", "--wait"]).failed();
    assert!(refused.contains("--discard-dirty"), "{refused}");
    assert_eq!(daemon.disk("a")["state"], "stopped");
    daemon.guest("a").read(place(1), PAGE as u32).expect_err("old data is not shown");
    let refused = daemon.run(&["disk", "remove", "a"]).failed();
    assert!(refused.contains("--discard-dirty"), "{refused}");
    daemon.run(&["disk", "remove", "a", "--discard-dirty"]).succeeded();
    assert!(!is_marked(&image));
}

#[test]
fn what_is_lost_is_listed_and_a_pool_that_was_erased_serves_nothing_old() {
    let (host, daemon, _) = dirty();
    let lost = daemon.json(&["disk", "show", "a", "--lost"])["lost"].clone();
    assert_eq!((&lost["lost_bytes"], &lost["ranges"]), (&Value::from(0), &Value::from(Vec::<u8>::new())));
    let pool = daemon.json(&["pool", "show"])["pool"]["id"].as_str().expect("it has one").to_owned();
    daemon.kill();
    let refused = host.serve_fails(&["--pool", &host.text("pool.img"), "--erase", &pool]);
    assert!(refused.contains("--discard-dirty"), "{refused}");
    assert!(Path::new(&host.text("pool.img")).exists());
    assert_served(&host.serve(), "a", 1);
}

#[test]
fn write_back_out_of_the_box_may_hold_a_tenth_of_the_pool_dirty() {
    let host = Host::new();
    let (a, b) = (host.image("a.img", 64 * MIB), host.image("b.img", 64 * MIB));
    let daemon = host.serve_with(&["--pool", &host.text("pool.img"), "--pool-size", "256MiB"]);
    let added = daemon.run(&["disk", "add", "a", "--backing", &a, "mode=write-back"]).succeeded();
    assert!(added.contains("write-back on one device: losing this SSD loses up to 25."), "{added}");
    let limit = |name: &str| {
        let disk = daemon.disk(name);
        let bytes = |key: &str| disk[key].as_u64().expect("it is served");
        assert!(bytes("reserve_bytes") >= 4 * bytes("dirty_limit_bytes"), "the reservation follows: {disk}");
        bytes("dirty_limit_bytes") >> 20
    };
    assert_eq!(limit("a"), 25, "a tenth of 254 MiB");
    daemon.run(&["disk", "add", "b", "--backing", &b, "--mode", "write-back"]).succeeded();
    assert_eq!((limit("a"), limit("b")), (12, 12), "they share it");

    // It is really reserved: twice what the least reservation allows is written, and none of it waits for
    // destage.
    daemon.run(&["disk", "set", "a", "destage-rate-max=4KiB"]).succeeded();
    let mut guest = daemon.guest("a");
    for at in 0..10 {
        guest.write(at * 6 * MIB, &vec![7; MIB as usize]).expect("it has room");
    }
    assert!(daemon.disk("a")["dirty_bytes"].as_u64() > Some(4 * MIB), "{}", daemon.disk("a"));
    // Its space is refused to others meanwhile, and then given.
    let refused = daemon.run(&["disk", "set", "b", "reserve=240MiB"]).failed();
    assert!(refused.contains("kept for the dirty data of other disks"), "{refused}");
    daemon.run(&["disk", "set", "a", "destage-rate-max=0"]).succeeded();
    daemon.run(&["disk", "destage", "a", "--wait"]).succeeded();
    daemon.run(&["disk", "set", "b", "reserve=240MiB"]).succeeded();
    assert!(daemon.stop().success());
}

#[test]
fn a_key_that_has_less_effect_than_it_says_is_explained_with_the_command_that_changes_that() {
    let host = Host::new();
    let a = host.image("a.img", 64 * MIB);
    let daemon = host.serve_with(&["--pool", &host.text("pool.img"), "--pool-size", "256MiB"]);
    daemon.run(&["disk", "add", "a", "--backing", &a, "dirty-limit=20MiB"]).succeeded();
    let shown = daemon.run(&["disk", "show", "a"]).succeeded();
    assert!(shown.contains("dirty-limit 20MiB has no effect in write-through"), "{shown}");
    let set = daemon.run(&["disk", "set", "a", "mode=write-back", "reserve=8MiB"]).succeeded();
    let because = "dirty-limit 20MiB, in effect 1.9MiB, because the reservation is 8MiB and a quarter of it may be dirty";
    assert!(set.contains(because) && set.contains("loses up to 1.9MiB"), "{set}");
    let command = set.split_once("forebay disk set a ").expect("the command is said").1;
    let reserve = command.split([',', '\n']).next().expect("a key");
    daemon.run(&["disk", "set", "a", reserve]).succeeded();
    assert_eq!(daemon.disk("a")["dirty_limit_bytes"], 20 * MIB);
    let document = daemon.json(&["disk", "show", "a"]);
    let remarks = document["disk"]["remarks"].as_array().expect("a list");
    assert!(remarks.iter().all(|remark| remark["key"] != "dirty-limit"), "{document}");

    let set = daemon.run(&["disk", "set", "a", "dirty-limit=1TiB"]).succeeded();
    assert!(set.contains("and this disk can have 25") && !set.contains("reserve=4"), "{set}");
    let set = daemon.run(&["disk", "set", "a", "dirty-limit=1KiB"]).succeeded();
    assert!(set.contains("dirty-limit 1KiB, in effect 64KiB, because that is the least"), "{set}");
    assert!(daemon.stop().success());
}
