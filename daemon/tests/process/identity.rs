//! A backing is recognised, or its disk refused: two hosts on one image, files that are replaced, deleted,
//! moved or restored while their disk is served or while it is not.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::process::Command;

use serde_json::Value;

use crate::host::{Daemon, Host, Loop, content};
use crate::warm::{IMAGE_BYTES, add, bytes_of, change, image, loaded, warm, warmed};

const MIB: u64 = 1 << 20;
const PAGE: usize = 4096;

/// Returns a host with a disk `a` in write-back, and a dirty page that stays on flash until it is destaged on
/// request.
fn dirty() -> (Host, Daemon, String) {
    let host = Host::new();
    let image = image(&host, "a.img", 1);
    let daemon = host.serve();
    let keys = ["--mode", "write-back", "--reserve", "32MiB", "--dirty-limit", "7MiB"];
    daemon.run(&[&["disk", "add", "a", "--backing", &image][..], &keys].concat()).succeeded();
    daemon.guest("a").write(0, &[7; PAGE]).expect("the disk is served");
    assert_eq!(content(&image, 0, PAGE), bytes_of(1, IMAGE_BYTES)[..PAGE]);
    (host, daemon, image)
}

/// Waits until the backing of disk `a` is in this state, and returns the reason.
fn wait_for_backing(daemon: &Daemon, state: &str) -> String {
    loop {
        let backing = &daemon.disk("a")["backing_state"];
        if backing["state"] == state {
            return backing["reason"].as_str().unwrap_or_default().to_owned();
        }
    }
}

fn wait_for_reason(daemon: &Daemon) -> String {
    loop {
        let disk = daemon.disk("a");
        if disk["state"] == "waiting" && disk["reason"] != "its backing has not answered yet" {
            return disk["reason"].as_str().expect("it has one").to_owned();
        }
    }
}

/// Waits until there is an event of this kind, which is recorded a moment after its cause shows, and returns how many there are.
fn events_of_kind(daemon: &Daemon, kind: &str) -> usize {
    loop {
        let events = daemon.json(&["events"]);
        let events = events["events"].as_array().expect("a list");
        let count = events.iter().filter(|event| event["kind"] == kind).count();
        if count > 0 {
            return count;
        }
    }
}

fn start_cold(host: &Host, reason: &str) -> Daemon {
    let daemon = host.serve();
    let load = loaded(&daemon);
    assert_eq!(load["state"], "cold", "{load}");
    assert!(load["reason"].as_str().is_some_and(|given| given.contains(reason)), "{reason}: {load}");
    let now = fs::read(host.path("a.img")).expect("it is there");
    let mut guest = daemon.guest("a");
    for (page, offset) in now.chunks(PAGE).zip((0..).step_by(PAGE)) {
        assert!(guest.read(offset, PAGE as u32).expect("the disk is served") == page, "at {offset}");
    }
    daemon
}

#[test]
fn what_was_cached_before_another_host_wrote_the_image_is_not_shown_after_it() {
    let (host, daemon, image) = warmed();
    daemon.kill();
    let other = Daemon::start(&host.path("e"), &["--pool", &host.text("other.img"), "--pool-size", "64MiB"]);
    other.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    other.guest("a").write(5 * MIB, &[9; PAGE]).expect("the disk is served");
    assert!(other.stop().success());
    // Both hosts count from one; the session ids on the image do not depend on that.
    start_cold(&host, "another time");
}

#[test]
fn a_file_that_takes_the_place_of_a_served_one_is_never_shown_what_was_cached_of_that() {
    let (host, daemon, image) = warmed();
    let other = self::image(&host, "other.img", 5);
    fs::rename(&other, &image).expect("the folder is ours");
    let reason = wait_for_backing(&daemon, "replaced");
    assert!(reason.contains("another file is at") && reason.contains("qemu-img convert"), "{reason}");
    let listed = daemon.run(&["disk", "list"]).succeeded();
    let line = listed.lines().find(|line| line.starts_with("a ")).expect("the disk is listed");
    assert!(line.contains("replaced") && !line.contains("serving"), "{listed}");
    assert!(listed.contains(&format!("a is replaced: {reason}")), "{listed}");
    assert_eq!(events_of_kind(&daemon, "backing-replaced"), 1);
    assert!(daemon.stop().success());
    start_cold(&host, "another file");
}

#[test]
fn a_file_that_is_replaced_just_before_a_stop_is_not_remembered_as_the_one_that_was_served() {
    let (host, daemon, image) = warmed();
    let other = self::image(&host, "other.img", 5);
    fs::rename(&other, &image).expect("the folder is ours");
    assert!(daemon.stop().success());
    start_cold(&host, "another file");
}

#[test]
fn dirty_data_of_one_file_is_never_written_over_another_one() {
    let (host, daemon, image) = dirty();
    let other = self::image(&host, "other.img", 5);
    fs::rename(&other, &image).expect("the folder is ours");
    let refused = daemon.run(&["disk", "destage", "a", "--wait"]).failed();
    assert!(refused.contains("another file is at"), "{refused}");
    assert!(daemon.stop().success());
    let daemon = host.serve();
    let reason = wait_for_reason(&daemon);
    assert!(reason.contains("another file") && reason.contains("--discard-dirty"), "{reason}");
    daemon.run(&["disk", "remove", "a", "--discard-dirty"]).succeeded();
    assert_eq!(fs::read(&image).expect("it is there"), bytes_of(5, IMAGE_BYTES));
}

#[test]
fn of_an_image_that_was_deleted_nobody_is_told_that_it_has_everything() {
    let (_host, daemon, image) = dirty();
    fs::remove_file(&image).expect("the folder is ours");
    for command in
        [&["disk", "destage", "a", "--wait"][..], &["disk", "remove", "a"], &["disk", "quiesce", "a"]]
    {
        let refused = daemon.run(command).failed();
        assert!(refused.contains("was deleted") && refused.contains("without a name"), "{refused}");
    }
    assert_eq!(events_of_kind(&daemon, "backing-missing"), 1);
    // All data is available for a copy through the disk, or from the open file.
    let mut guest = daemon.guest("a");
    assert_eq!(guest.read(0, PAGE as u32).expect("the disk is served"), [7; PAGE]);
    assert_eq!(guest.read(MIB, PAGE as u32).expect("the disk is served"), content_of(1, MIB));
    let reason = wait_for_backing(&daemon, "missing");
    let at = reason.split(&['(', ')'][..]).find(|part| part.starts_with("/proc/")).expect("it says where");
    assert_eq!(fs::metadata(at).expect("it is open").len(), IMAGE_BYTES);
    drop(guest);
    daemon.run(&["disk", "remove", "a", "--discard-dirty"]).succeeded();
    assert_eq!(daemon.disk("a"), Value::Null);
}

fn content_of(seed: u64, offset: u64) -> Vec<u8> {
    bytes_of(seed, IMAGE_BYTES)[offset as usize..][..PAGE].to_vec()
}

#[test]
fn an_image_that_was_deleted_is_not_let_go_without_a_word_in_any_mode() {
    let (_host, daemon, image) = warmed();
    fs::remove_file(&image).expect("the folder is ours");
    let refused = daemon.run(&["disk", "remove", "a"]).failed();
    assert!(refused.contains("was deleted") && refused.contains("--discard-dirty"), "{refused}");
    daemon.run(&["disk", "remove", "a", "--discard-dirty"]).succeeded();
}

#[test]
fn an_image_that_is_moved_away_and_put_back_is_told_of_and_goes_on() {
    let (host, daemon, image) = dirty();
    fs::rename(&image, host.path("away.img")).expect("the folder is ours");
    let reason = wait_for_backing(&daemon, "missing");
    assert!(reason.contains("away.img") && reason.contains("Put it back"), "{reason}");
    let refused = daemon.run(&["disk", "resize", "a"]).failed();
    assert!(refused.contains("was moved"), "{refused}");
    daemon.guest("a").write(0, &[8; PAGE]).expect("guests go on");
    fs::rename(host.path("away.img"), &image).expect("the folder is ours");
    wait_for_backing(&daemon, "good");
    assert_eq!(events_of_kind(&daemon, "backing-in-place"), 1);
    daemon.run(&["disk", "destage", "a", "--wait"]).succeeded();
    assert_eq!(content(&image, 0, PAGE), [8; PAGE]);
    daemon.run(&["disk", "remove", "a"]).succeeded();
}

#[test]
fn an_older_copy_whose_time_of_modification_was_set_back_is_not_what_was_cached() {
    let (host, daemon, image) = warmed();
    daemon.guest("a").write(0, &[3; PAGE]).expect("the disk is served");
    warm(&daemon);
    assert!(daemon.stop().success());
    let (older, stamp) = (host.text("older.img"), host.text("stamp"));
    // Different in every page, whichever are cached: an equal page may be served.
    fs::write(&older, bytes_of(2, IMAGE_BYTES))
        .and_then(|()| fs::write(&stamp, ""))
        .expect("the folder is ours");
    let run = |command: &str, words: &[&str]| {
        assert!(Command::new(command).args(words).status().expect("it is everywhere").success());
    };
    // Into the same file, which keeps its inode number and its attributes.
    run("touch", &["-r", &image, &stamp]);
    run("cp", &[&older, &image]);
    run("touch", &["-r", &stamp, &image]);
    start_cold(&host, "set back");
}

#[test]
fn an_image_that_was_renamed_and_renamed_back_is_what_was_cached() {
    let (host, daemon, image) = warmed();
    assert!(daemon.stop().success());
    let changed = |image: &str| {
        fs::metadata(image).map(|about| (about.ctime(), about.ctime_nsec())).expect("it is there")
    };
    let before = changed(&image);
    let away = host.text("away.img");
    while changed(&image) == before {
        // The clock of a file system has coarse steps.
        fs::rename(&image, &away).and_then(|()| fs::rename(&away, &image)).expect("the folder is ours");
    }
    let daemon = host.serve();
    let load = loaded(&daemon);
    assert_eq!(load["state"], "done", "{load}");
    assert!(load["kept_bytes"].as_u64() > Some(MIB), "{load}");
}

#[test]
fn cached_pages_that_are_others_are_found_though_the_time_of_modification_was_set_back() {
    let (host, daemon, image) = warmed();
    assert!(daemon.stop().success());
    let modified = fs::metadata(&image).and_then(|about| about.modified()).expect("it is there");
    // Some of those that were read first, most of which were promoted to flash.
    for offset in (MIB / 4..MIB).step_by(PAGE) {
        change(&image, offset + 5, &[9]);
    }
    let file = File::options().write(true).open(&image).expect("it is there");
    file.set_modified(modified).expect("it is ours");
    start_cold(&host, "set back");
}

#[test]
fn dirty_data_waits_for_a_word_where_a_time_of_modification_may_have_been_set_back() {
    let (host, daemon, image) = dirty();
    assert!(daemon.stop().success());
    let away = host.text("away.img");
    fs::rename(&image, &away).and_then(|()| fs::rename(&away, &image)).expect("the folder is ours");
    let daemon = host.serve();
    let reason = wait_for_reason(&daemon);
    assert!(reason.contains("set back") && reason.contains("disk accept a"), "{reason}");
    daemon.run(&["disk", "accept", "a", "--yes"]).succeeded();
    assert_eq!(daemon.guest("a").read(0, PAGE as u32).expect("the disk is served"), [7; PAGE]);
}

#[test]
fn a_change_of_rights_or_of_a_name_is_no_change_of_content() {
    let (host, daemon, image) = warmed();
    assert!(daemon.stop().success());
    fs::hard_link(&image, host.path("second.img")).expect("the folder is ours");
    let daemon = host.serve();
    let load = loaded(&daemon);
    assert_eq!(load["state"], "done", "{load}");
    assert!(load["pages_compared"].as_u64() > Some(0), "it was looked at all the same: {load}");
}

#[test]
fn a_copy_that_bears_the_marks_of_its_original_is_not_taken_for_it() {
    let (host, daemon, image) = dirty();
    let copy = host.text("copy.img");
    let status = Command::new("cp").args(["-a", &image, &copy]).status().expect("cp is everywhere");
    assert!(status.success());
    // Its own Forebay does not serve it next to the disk that it is a copy of, nor in its place.
    let refused = daemon.run(&["disk", "add", "b", "--backing", &copy]).failed();
    assert!(refused.contains("lacks data"), "{refused}");
    assert!(daemon.stop().success());
    fs::rename(&copy, &image).expect("the folder is ours");
    let daemon = host.serve();
    assert!(wait_for_reason(&daemon).contains("another file"));
    assert_eq!(content(&image, 0, PAGE), content_of(1, 0));
}

#[test]
fn a_device_that_was_written_after_a_clean_stop_is_not_what_was_cached() {
    let host = Host::new();
    let data = image(&host, "data.img", 1);
    let Some(device) = Loop::over(&data) else { return };
    let daemon = host.serve();
    add(&daemon, &device.0);
    warm(&daemon);
    assert!(daemon.stop().success());
    let daemon = host.serve();
    assert_eq!(loaded(&daemon)["state"], "done");
    assert!(daemon.stop().success());
    change(&device.0, 5 * MIB, &[9; PAGE]);
    File::open(&device.0).and_then(|file| file.sync_all()).expect("the device is ours");
    let daemon = host.serve();
    let load = loaded(&daemon);
    assert!(load["reason"].as_str().is_some_and(|reason| reason.contains("modified")), "{load}");
}

/// Returns a host whose disk `a` has clean and dirty pages on flash, and whose image is another file now,
/// with the content that `other` makes of it. Its disk waits.
fn waiting(other: impl FnOnce(&mut Vec<u8>)) -> (Host, Daemon, String) {
    let (host, daemon, image) = dirty();
    daemon.run(&["disk", "set", "a", "admission=always", "ram=1MiB", "sequential-cutoff=0"]).succeeded();
    warm(&daemon);
    daemon.guest("a").write(0, &[8; PAGE]).expect("the disk is served");
    assert!(daemon.stop().success());
    let mut bytes = fs::read(&image).expect("it is there");
    other(&mut bytes);
    fs::write(host.path("other.img"), bytes).expect("the folder is ours");
    fs::rename(host.path("other.img"), &image).expect("the folder is ours");
    let daemon = host.serve();
    let reason = wait_for_reason(&daemon);
    assert!(reason.contains("another file") && reason.contains("disk accept a"), "{reason}");
    (host, daemon, image)
}

#[test]
fn a_disk_that_waits_goes_on_by_a_word_once_its_backing_was_compared() {
    let (_host, daemon, image) = waiting(|_| {});
    let refused = daemon.run(&["disk", "accept", "a"]).failed();
    assert!(refused.contains("and 0 differ"), "{refused}");
    assert!(refused.contains("--yes"), "nobody is asked where nobody is: {refused}");
    assert_eq!(daemon.disk("a")["state"], "waiting", "looking changes nothing");
    let accepted = daemon.run(&["disk", "accept", "a", "--yes"]).succeeded();
    assert!(accepted.contains("(0 of "), "{accepted}");
    assert_eq!(daemon.guest("a").read(0, PAGE as u32).expect("the disk is served"), [8; PAGE]);
    assert_eq!(events_of_kind(&daemon, "backing-accepted"), 1);
    assert!(daemon.run(&["disk", "accept", "a", "--yes"]).failed().contains("is served"));
    daemon.run(&["disk", "destage", "a", "--wait"]).succeeded();
    assert_eq!(content(&image, 0, PAGE), [8; PAGE]);
    assert_eq!(content(&image, MIB, PAGE), content_of(1, MIB));
}

#[test]
fn a_backing_that_is_not_what_was_cached_is_accepted_by_a_stronger_word_only() {
    let (_host, daemon, image) = waiting(|bytes| *bytes = bytes_of(5, IMAGE_BYTES));
    for word in [&["disk", "accept", "a"][..], &["disk", "accept", "a", "--yes"]] {
        let refused = daemon.run(word).failed();
        assert!(refused.contains("--despite-differences"), "{refused}");
    }
    assert_eq!(fs::read(&image).expect("it is there"), bytes_of(5, IMAGE_BYTES));
    daemon.run(&["disk", "accept", "a", "--yes", "--despite-differences"]).succeeded();
    let mut guest = daemon.guest("a");
    assert_eq!(guest.read(0, PAGE as u32).expect("the disk is served"), [8; PAGE], "what is dirty");
    assert_eq!(guest.read(MIB, PAGE as u32).expect("the disk is served"), content_of(5, MIB), "nothing else");
}
