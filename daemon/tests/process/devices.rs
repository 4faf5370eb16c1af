//! A pool of several devices: they are added and removed under load, one is missing at a start, one fails.

use std::fs::{self, File, OpenOptions};

use doors::nbd::Client;
use serde_json::Value;

use crate::host::{Daemon, Host, edited, forebay};

const MIB: u64 = 1 << 20;
/// Size of the image: more than RAM and either device alone.
const IMAGE: u64 = 48 * MIB;
const REQUEST: u64 = 64 << 10;
/// Devices of different size.
const FIRST: &str = "24MiB";
const SECOND: &str = "40MiB";
/// Far more than anything here takes.
const ROUNDS: usize = 100;

/// Returns the content of the image at a place after this many rounds of writing.
fn bytes(at: u64, round: u8) -> Vec<u8> {
    vec![((at / REQUEST * 31 + u64::from(round) * 7) % 251) as u8; REQUEST as usize]
}

/// Starts a daemon whose pool has one small device, with a disk that has [`bytes`] of round 0.
fn serve(host: &Host) -> Daemon {
    let image: Vec<u8> = (0..IMAGE).step_by(REQUEST as usize).flat_map(|at| bytes(at, 0)).collect();
    fs::write(host.path("a.img"), image).expect("the folder is ours");
    let pool = host.text("one.img");
    let daemon = host.serve_with(&["--pool", &pool, "--pool-size", FIRST, "--shards", "2"]);
    daemon.run(&["disk", "add", "a", "--backing", &host.text("a.img")]).succeeded();
    daemon.run(&["disk", "set", "a", "admission=always", "sequential-cutoff=0", "ram=1MiB"]).succeeded();
    daemon
}

/// Starts a daemon whose pool has two devices, with content on both.
fn serve_on_two(host: &Host) -> Daemon {
    let daemon = serve(host);
    daemon.run(&["pool", "add", &host.text("two.img"), "--size", SECOND]).succeeded();
    fill(&daemon, 0);
    daemon
}

/// Returns the pool, without the load of shards and counters of writes, which change all the time.
fn pool(daemon: &Daemon) -> Value {
    let mut pool = daemon.json(&["pool", "show"])["pool"].clone();
    pool.as_object_mut().expect("an object").remove("shards");
    for device in pool["devices"].as_array_mut().expect("a list") {
        let device = device.as_object_mut().expect("an object");
        device.retain(|key, _| key != "wear" && key != "written_bytes_since_start");
    }
    pool
}

fn devices(daemon: &Daemon) -> Vec<Value> {
    pool(daemon)["devices"].as_array().expect("a list").clone()
}

fn paths(daemon: &Daemon) -> Vec<String> {
    let path = |device: &Value| device["path"].as_str().expect("each has one").to_owned();
    devices(daemon).iter().map(path).collect()
}

/// Returns the segments in use of each device.
fn used(daemon: &Daemon) -> Vec<u64> {
    let used = |device: &Value| {
        let number = |key: &str| device[key].as_u64().expect("a number");
        number("segments") - number("segments_free")
    };
    devices(daemon).iter().map(used).collect()
}

/// Reads all of the disk, and compares it with the last writes.
fn read_all(daemon: &Daemon, round: u8) {
    read(&mut daemon.guest("a"), round);
}

fn read(guest: &mut Client, round: u8) {
    read_part(guest, IMAGE, round);
}

fn read_part(guest: &mut Client, end: u64, round: u8) {
    for at in (0..end).step_by(REQUEST as usize) {
        let read = guest.read(at, REQUEST as u32).expect("no guest sees an error");
        assert!(read == bytes(at, round), "at {at} in round {round}");
    }
}

fn write_all(daemon: &Daemon, round: u8) {
    write(&mut daemon.guest("a"), round);
}

fn write(guest: &mut Client, round: u8) {
    for at in (0..IMAGE).step_by(REQUEST as usize) {
        guest.write(at, &bytes(at, round)).expect("no guest sees an error");
    }
}

/// Reads until each device has content.
fn fill(daemon: &Daemon, round: u8) {
    for _ in 0..ROUNDS {
        read_all(daemon, round);
        if used(daemon).iter().all(|segments| *segments > 2) {
            return;
        }
    }
    panic!("the content stays on one device: {}", pool(daemon));
}

/// Reads until this many segments are in use: more than either device alone has.
fn fill_more(daemon: &Daemon) {
    daemon.run(&["disk", "set", "a", "limit=48MiB"]).succeeded();
    let enough = (0..ROUNDS).any(|_| {
        read_all(daemon, 0);
        used(daemon).iter().sum::<u64>() >= 170
    });
    assert!(enough, "{}", pool(daemon));
}

/// Makes a guest write and read, each read checked, while `change` runs. Returns the round that was written
/// last.
fn under_load(daemon: &Daemon, change: impl FnOnce()) -> u8 {
    let step = |guest: &mut Client, round| {
        write(guest, round);
        read(guest, round);
    };
    daemon.under_load(1, step, change)
}

fn loaded(daemon: &Daemon) -> Value {
    loop {
        let load = daemon.json(&["disk", "show", "a"])["disk"]["load"].clone();
        if load["state"] != "loading" {
            return load;
        }
    }
}

#[test]
fn a_disk_without_a_limit_may_take_a_device_that_is_added() {
    let host = Host::new();
    let daemon = serve(&host);
    let limit =
        |daemon: &Daemon| daemon.json(&["stats", "a"])["disks"][0]["limit_bytes"].as_u64().expect("a number");
    let before = limit(&daemon);
    daemon.run(&["pool", "add", &host.text("two.img"), "--size", SECOND]).succeeded();
    let after = limit(&daemon);
    assert!(after > before + 30 * MIB, "{before}, then {after}");
    assert_eq!(daemon.json(&["pool", "show"])["pool"]["usable_bytes"], after);
    daemon.run(&["disk", "set", "a", "limit=8MiB"]).succeeded();
    daemon.run(&["pool", "remove", &host.text("two.img")]).succeeded();
    assert_eq!(limit(&daemon), 8 * MIB, "one that was set stays");
}

#[test]
fn a_device_is_added_under_load_and_content_spreads_to_it() {
    let host = Host::new();
    let daemon = serve(&host);
    let before = pool(&daemon);
    let round = under_load(&daemon, || {
        let said = daemon.run(&["pool", "add", &host.text("two.img"), "--size", SECOND]).succeeded();
        assert!(said.contains("two.img is a device of the pool, which has 64MiB now"), "{said}");
    });
    fill(&daemon, round);
    let after = pool(&daemon);
    assert_eq!(before["id"], after["id"]);
    assert!(after["usable_bytes"].as_u64() > before["usable_bytes"].as_u64());
    assert_eq!(paths(&daemon), [host.text("one.img"), host.text("two.img")]);
    let shown = daemon.run(&["pool", "show"]).succeeded();
    assert!(shown.contains("DEVICE") && shown.contains("two.img") && shown.contains("used"), "{shown}");
    let metadata = fs::metadata(host.path("two.img")).expect("it was made");
    assert_eq!(metadata.len(), 40 * MIB);
    read_all(&daemon, round);
}

#[test]
fn a_device_is_taken_out_under_load_and_is_free_for_something_else() {
    let host = Host::new();
    let daemon = serve(&host);
    let blank = host.image("two.img", 40 * MIB);
    daemon.run(&["pool", "add", &blank]).succeeded();
    fill(&daemon, 0);
    // The device that the pool was made on can be removed too, and is found by another name.
    std::os::unix::fs::symlink(host.path("one.img"), host.path("link.img")).expect("the folder is ours");
    let round = under_load(&daemon, || {
        let said = daemon.run(&["pool", "remove", &host.text("link.img")]).succeeded();
        assert!(said.contains("one.img is no longer a device of the pool"), "{said}");
    });
    assert!(!host.path("one.img").exists(), "Forebay made it");
    assert_eq!((paths(&daemon).len(), &pool(&daemon)["path"]), (1, &Value::from(blank.as_str())));
    assert_eq!(pool(&daemon)["warnings"], serde_json::json!([]));
    read_all(&daemon, round);
    // A file that existed before stays, and belongs to no pool.
    let three = host.text("three.img");
    daemon.run(&["pool", "add", &three, "--size", FIRST]).succeeded();
    daemon.run(&["pool", "remove", &blank]).succeeded();
    let other = Host::new();
    let id = id_in(&other.serve_fails(&["--pool", &blank]));
    assert!(other.serve_with(&["--pool", &blank, "--erase", &id]).stop().success());
    read_all(&daemon, round);
    assert!(daemon.stop().success());
    // The user still names the device that the pool was made on.
    let daemon = host.serve_with(&["--pool", &host.text("one.img"), "--pool-size", FIRST]);
    assert_eq!(paths(&daemon), [three]);
    read_all(&daemon, round);
}

#[test]
fn both_devices_are_warm_after_a_stop_and_after_a_kill() {
    let host = Host::new();
    let daemon = serve_on_two(&host);
    fill_more(&daemon);
    assert!(daemon.stop().success());
    for how in ["stop", "kill"] {
        let daemon = host.serve_with(&[]);
        let load = loaded(&daemon);
        assert_eq!(load["state"], "done", "after a {how}: {load}");
        // More than the first device alone can hold.
        assert!(load["kept_bytes"].as_u64() > Some(26 * MIB), "after a {how}: {load}");
        assert!(used(&daemon).iter().all(|segments| *segments > 2));
        assert!(daemon.announcement.contains("pool of 2 devices and 64MiB"), "{}", daemon.announcement);
        read_all(&daemon, 0);
        daemon.kill();
    }
}

#[test]
fn a_start_without_one_device_believes_nothing_and_the_device_is_not_believed_when_it_is_back() {
    let host = Host::new();
    let daemon = serve_on_two(&host);
    assert!(daemon.stop().success());
    fs::rename(host.path("two.img"), host.path("away.img")).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    daemon.wait_for_log("two.img does not belong to the pool any more");
    assert_eq!(loaded(&daemon)["kept_bytes"], 0);
    assert_eq!(paths(&daemon), [host.text("one.img")]);
    write_all(&daemon, 1);
    read_all(&daemon, 1);
    assert!(daemon.stop().success());

    fs::rename(host.path("away.img"), host.path("two.img")).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    assert_eq!(paths(&daemon), [host.text("one.img")]);
    read_all(&daemon, 1);
    let message = daemon.run(&["pool", "add", &host.text("two.img")]).failed();
    assert!(message.contains("a part of this very pool"), "{message}");
    daemon.run(&["pool", "add", &host.text("two.img"), "--erase", &id_in(&message)]).succeeded();
    fill(&daemon, 1);
}

#[test]
fn a_device_that_was_overwritten_damaged_or_cut_is_as_one_that_is_gone() {
    for broken in ["one.img", "two.img"] {
        let host = Host::new();
        let daemon = serve_on_two(&host);
        assert!(daemon.stop().success());
        let good = fs::read(host.path(broken)).expect("it is there");
        let zeroes = vec![0; good.len()];
        let damages: [(&str, &[u8]); 4] = [
            ("zeroes", &zeroes),
            ("noise at its start", &[0xa5; 8192]),
            ("it was cut", &good[..good.len() / 2]),
            ("it is empty", &[]),
        ];
        for (how, content) in damages {
            let all = fs::read(host.path("d/state.json")).expect("it is there");
            let (one, two) = (fs::read(host.path("one.img")), fs::read(host.path("two.img")));
            let mut damaged = content.to_vec();
            if content.len() == 8192 {
                damaged.extend_from_slice(&good[8192..]);
            }
            fs::write(host.path(broken), &damaged).expect("the folder is ours");
            for start in 1..=2 {
                let daemon = host.serve_with(&[]);
                read_all(&daemon, 0);
                assert_eq!(devices(&daemon).len(), 1, "{broken}, {how}, start {start}");
                let shown = daemon.run(&["pool", "show"]).succeeded();
                assert!(shown.contains(broken) && shown.contains("forebay pool replace"), "{how}: {shown}");
                assert!(daemon.stop().success(), "{broken}, {how}");
            }
            let left = fs::read(host.path(broken)).expect("it is there");
            assert!(left == damaged, "{broken}, {how}: nothing of it was changed");
            // Undamaged again, for the next damage.
            fs::write(host.path("one.img"), one.expect("it was there")).expect("the folder is ours");
            fs::write(host.path("two.img"), two.expect("it was there")).expect("the folder is ours");
            fs::write(host.path("d/state.json"), all).expect("the folder is ours");
        }
    }
}

#[test]
fn disks_are_served_when_no_device_is_there_and_go_on_with_all_when_they_are_back() {
    let host = Host::new();
    let daemon = serve_on_two(&host);
    // Less than the least of a larger pool.
    daemon.run(&["disk", "set", "a", "reserve=5MiB", "limit=20MiB"]).succeeded();
    assert!(daemon.stop().success());
    let rename = |from: &str, to: &str| {
        for name in ["one", "two"] {
            let path = |end: &str| host.path(&format!("{name}{end}"));
            fs::rename(path(from), path(to)).expect("the folder is ours");
        }
    };
    rename(".img", ".away");
    let daemon = host.serve_with(&[]);
    assert_eq!((&pool(&daemon)["state"], devices(&daemon).len()), (&"missing".into(), 0));
    read_all(&daemon, 0);
    let message = daemon.run(&["pool", "add", &host.text("three.img"), "--size", FIRST]).failed();
    assert!(message.contains("disks are served without one"), "{message}");
    assert!(daemon.stop().success());
    rename(".away", ".img");
    let daemon = host.serve_with(&[]);
    assert_eq!(devices(&daemon).len(), 2);
    read_all(&daemon, 0);
}

#[test]
fn a_removal_that_a_stop_cut_short_goes_on_at_the_next_start() {
    let host = Host::new();
    let daemon = serve_on_two(&host);
    assert!(daemon.stop().success());
    let state = host.path("d/state.json");
    let text = fs::read_to_string(&state).expect("it is there");
    let (before, after) = text.split_once("two.img").expect("it is remembered");
    let after = after.replacen("\"leaving\": false", "\"leaving\": true", 1);
    fs::write(&state, edited(&format!("{before}two.img{after}"))).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    daemon.wait_for_log("two.img is no longer a device of the pool");
    assert_eq!((paths(&daemon), host.path("two.img").exists()), (vec![host.text("one.img")], false));
    read_all(&daemon, 0);
    // The last one cannot be removed, whatever the state says.
    assert!(daemon.stop().success());
    let text = fs::read_to_string(&state).expect("it is there");
    fs::write(&state, edited(&text.replace("\"leaving\": false", "\"leaving\": true")))
        .expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    daemon.wait_for_log("one.img stays in the pool");
    read_all(&daemon, 0);
}

#[test]
fn a_device_that_fails_leaves_and_guests_see_no_error() {
    let host = Host::new();
    let daemon = serve_on_two(&host);
    let file = OpenOptions::new().write(true).open(host.path("two.img")).expect("it was made");
    let has_left = (0..ROUNDS).any(|_| {
        // A truncated file is a missing device. A write makes it longer again.
        file.set_len(4 * MIB).expect("the folder is ours");
        read_all(&daemon, 0);
        pool(&daemon)["warnings"] != serde_json::json!([])
    });
    let after = pool(&daemon);
    assert!(has_left, "{after}");
    let warning = after["warnings"][0].as_str().expect("a text");
    assert!(warning.contains("two.img failed at 20") && warning.contains("and left the pool"), "{warning}");
    assert!(daemon.run(&["pool", "show"]).succeeded().contains(warning));
    assert_eq!((&after["state"], paths(&daemon)), (&"serving".into(), vec![host.text("one.img")]));
    let hits = || daemon.json(&["stats", "a"])["disks"][0]["read_hits_flash"].as_u64();
    let before = hits();
    let is_cached_again = (0..ROUNDS).any(|_| {
        // Less than the remaining device can hold.
        read_part(&mut daemon.guest("a"), 8 * MIB, 0);
        hits() > before
    });
    assert!(is_cached_again, "{}", pool(&daemon));
    daemon.wait_for_log("two.img is no longer a device of the pool");
    assert!(host.path("two.img").exists(), "somebody may want to know why it failed");
    assert!(daemon.stop().success());
    let daemon = host.serve_with(&[]);
    assert_eq!((loaded(&daemon)["state"].clone(), devices(&daemon).len()), ("done".into(), 1));
}

#[test]
fn what_cannot_be_added_or_taken_out_is_refused_and_changes_nothing() {
    let host = Host::new();
    let daemon = serve(&host);
    let backing = host.image("b.img", 24 * MIB);
    daemon.run(&["disk", "add", "b", "--backing", &backing]).succeeded();
    fs::write(host.path("data.img"), [1].repeat(24 << 20)).expect("the folder is ours");
    std::os::unix::fs::symlink(host.path("one.img"), host.path("again.img")).expect("the folder is ours");
    let (small, huge) = (host.image("small.img", 256 << 10), host.image("huge.img", 1 << 40));
    let before = (pool(&daemon), fs::read(host.path("d/state.json")).expect("it is there"));
    let data = host.text("data.img");
    for (words, reason) in [
        (&["add", &host.text("one.img")][..], "one of its devices already"),
        (&["add", &host.text("again.img")], "one of its devices already"),
        (&["add", &backing], "disk 'b' has its data there"),
        (&["add", &data], "data that is no pool. Nothing was changed"),
        (&["add", &data, "--erase", "foreign-00000000"], "Cannot erase 'foreign-00000000'"),
        (&["add", &data, "--size", FIRST], "it is there already"),
        (&["add", &host.text("none.img")], "give --size"),
        (&["add", &host.text("none.img"), "--size", FIRST, "--erase", "x"], "it does not exist"),
        (&["add", &host.text("none.img"), "--size", "256KiB"], "needs at least"),
        (&["add", &host.text("no/none.img"), "--size", FIRST], "No such file"),
        (&["add", &small], "needs at least"),
        (&["add", &huge], "table has room for"),
        (&["add", &host.text("")], "not a regular file or block device"),
        (&["remove", &host.text("one.img")], "add another"),
        (&["remove", &data], "it is none of its devices"),
    ] {
        let message = daemon.run(&[&["pool"], words].concat()).failed();
        assert!(message.contains(reason), "{words:?}: {message}");
        let after = (pool(&daemon), fs::read(host.path("d/state.json")).expect("it is there"));
        assert!(after == before, "{words:?} changed something");
        assert!(!host.path("none.img").exists(), "{words:?} left a file");
    }
    daemon.run(&["pool", "add", &host.text("two.img"), "--size", SECOND]).succeeded();
    let message = daemon.run(&["disk", "add", "c", "--backing", &host.text("two.img")]).failed();
    assert!(message.contains("it is the pool already"), "{message}");
    // The reservation does not fit without the second one.
    daemon.run(&["disk", "set", "a", "reserve=30MiB"]).succeeded();
    let message = daemon.run(&["pool", "remove", &host.text("two.img")]).failed();
    assert!(message.contains("lower their reservations"), "{message}");
    assert_eq!(devices(&daemon)[1]["state"], "used");
    read_all(&daemon, 0);
}

#[test]
fn data_in_the_middle_of_a_file_is_found_named_and_left_alone() {
    let host = Host::new();
    let daemon = serve(&host);
    let image = host.image("middle.img", 96 * MIB);
    let file = fs::OpenOptions::new().write(true).open(&image).expect("the folder is ours");
    std::os::unix::fs::FileExt::write_all_at(&file, b"_BHRfS_M", 64 * MIB + 64).expect("the folder is ours");
    let message = daemon.run(&["pool", "add", &image]).failed();
    assert!(message.contains("a btrfs file system") && message.contains("at byte 67108928"), "{message}");
    std::os::unix::fs::FileExt::write_all_at(&file, &[0; 8], 64 * MIB + 64).expect("the folder is ours");
    std::os::unix::fs::FileExt::write_all_at(&file, b"x", 40 * MIB).expect("the folder is ours");
    let message = daemon.run(&["pool", "add", &image]).failed();
    assert!(message.contains("not zero at byte 41943040"), "{message}");
}

#[test]
fn what_never_was_a_device_is_not_replaced_and_a_device_that_stays_is_said() {
    let host = Host::new();
    let daemon = serve_on_two(&host);
    let (one, two, new) = (host.text("one.img"), host.text("two.img"), host.text("new.img"));
    let replace = |old: &str| daemon.run(&["pool", "replace", old, &new, "--size", FIRST]).failed();
    let message = replace(&host.text("tow.img"));
    assert!(message.contains("none of its devices") && message.contains("forebay pool add"), "{message}");
    assert_eq!((paths(&daemon), host.path("new.img").exists()), (vec![one.clone(), two.clone()], false));

    // The reservation does not fit without the larger one.
    daemon.run(&["disk", "set", "a", "reserve=55MiB"]).succeeded();
    let message = replace(&two);
    assert!(message.contains(&format!("{new} was added")) && message.contains("lower their"), "{message}");
    assert_eq!(paths(&daemon), [one, two, new]);
}

#[test]
fn a_device_that_a_start_did_without_is_replaced_also_after_more_starts() {
    let host = Host::new();
    let daemon = serve_on_two(&host);
    assert!(daemon.stop().success());
    fs::rename(host.path("two.img"), host.path("away.img")).expect("the folder is ours");
    let (one, two, new) = (host.text("one.img"), host.text("two.img"), host.text("new.img"));
    assert!(host.serve_with(&[]).stop().success());
    fs::rename(host.path("away.img"), host.path("two.img")).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    let warning = pool(&daemon)["warnings"][0].as_str().expect("a text").to_owned();
    let advice = format!("forebay pool replace {two} NEW");
    assert!(warning.contains("two.img was missing") && warning.contains(&advice), "{warning}");
    daemon.run(&["pool", "replace", &two, &new, "--size", SECOND, "--wait"]).succeeded();
    assert_eq!(paths(&daemon), [one, new.clone()]);
    assert!(daemon.stop().success());
    let daemon = host.serve_with(&[]);
    assert_eq!(pool(&daemon)["warnings"], serde_json::json!([]));
    let message = daemon.run(&["pool", "replace", &two, &host.text("more.img"), "--size", FIRST]).failed();
    assert!(message.contains("none of its devices"), "{message}");
    // A device that was removed on request is not missing.
    daemon.run(&["pool", "remove", &new]).succeeded();
    assert_eq!(pool(&daemon)["warnings"], serde_json::json!([]));
    assert_eq!(pool(&daemon)["devices_lost"], serde_json::json!([]));
}

#[test]
fn waiting_for_second_copies_fails_where_none_can_be_made() {
    let host = Host::new();
    let image = host.image("a.img", 24 * MIB);
    let daemon = host.serve_with(&["--pool", &host.text("one.img"), "--pool-size", "64MiB"]);
    daemon.run(&["pool", "add", &host.text("two.img"), "--size", "64MiB", "--same-drive"]).succeeded();
    assert_eq!(pool(&daemon)["can_mirror"], true);
    let add = ["disk", "add", "a", "--backing", &image, "--mode", "write-back", "--reserve", "16MiB"];
    daemon.run(&add).succeeded();
    daemon.guest("a").write(0, &[7; 4096]).expect("it is served");
    let replace = |old: &str, new: &str, size: &str| {
        let (old, new) = (host.text(old), host.text(new));
        daemon.run(&["pool", "replace", &old, &new, "--size", size, "--same-drive", "--wait"])
    };
    // Too small for 21 segments.
    let ran = replace("two.img", "small.img", "4MiB");
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.stderr.contains("disk 'a'") && ran.stderr.contains("large enough"), "{ran:?}");
    assert!(!ran.stdout.contains("Everything"), "{ran:?}");
    // One copy is enough for that disk.
    daemon.run(&["disk", "set", "a", "redundancy=none"]).succeeded();
    replace("small.img", "smaller.img", "4MiB").succeeded();
    daemon.run(&["disk", "set", "a", "redundancy=mirror"]).succeeded();
    replace("smaller.img", "large.img", "64MiB").succeeded();
    assert_eq!(
        (&pool(&daemon)["notes_mirrored"], &pool(&daemon)["can_mirror"]),
        (&true.into(), &true.into())
    );
    assert_eq!(daemon.disk("a")["mirrored"], true);
}

#[test]
fn a_disk_that_waits_keeps_its_backing_from_becoming_a_device() {
    let host = Host::new();
    let daemon = serve(&host);
    let image = host.image("b.img", 24 * MIB);
    daemon.run(&["disk", "add", "b", "--backing", &image]).succeeded();
    assert!(daemon.stop().success());
    // Smaller than before, so that it is not served.
    File::options().write(true).open(&image).and_then(|file| file.set_len(20 * MIB)).expect("ours");
    let daemon = host.serve_with(&[]);
    assert_eq!(daemon.disk("b")["state"], "waiting");
    let message = daemon.run(&["pool", "add", &image]).failed();
    assert!(message.contains("disk 'b' has its data there"), "{message}");
}

#[test]
fn devices_of_one_pool_are_checked_together_and_a_missing_one_is_said() {
    let host = Host::new();
    let daemon = serve_on_two(&host);
    assert!(daemon.stop().success());
    let (dir, one, two) = (host.text("d"), host.text("one.img"), host.text("two.img"));
    let check = |devices: &[&str]| {
        let ran = forebay(&[&["check", "--dir", &dir, "--json"], devices].concat());
        let document: Value = serde_json::from_str(&ran.stdout).expect("--json prints JSON");
        (ran.status, document["pools"].as_array().expect("a list").clone(), ran.stderr)
    };
    let (status, pools, _) = check(&[&two, &one]);
    assert_eq!((status, pools.len()), (0, 1));
    assert_eq!(pools[0]["paths"], serde_json::json!([two, one]));
    assert_eq!((&pools[0]["state"], &pools[0]["devices"]), (&"whole".into(), &2.into()));
    assert_eq!((&pools[0]["devices_missing"], &pools[0]["reason"]), (&0.into(), &Value::Null));
    assert!(pools[0]["disks"][0]["pages_kept"].as_u64() > Some(0), "{pools:?}");
    let said = forebay(&["check", "--dir", &dir, &one, &two]).succeeded();
    assert!(said.contains("one.img, ") && said.contains("whole: every checksum holds"), "{said}");

    let (status, pools, stderr) = check(&[&one]);
    assert_eq!((status, &pools[0]["state"]), (1, &"incomplete".into()), "{pools:?}");
    assert_eq!(pools[0]["devices_missing"], 1);
    assert!(stderr.contains("1 of its 2 devices were not named"), "{stderr}");
    // It changed nothing.
    assert_eq!(loaded(&host.serve_with(&[]))["state"], "done");
}

/// Returns the id in a refusal, taken from the command that it prints.
fn id_in(message: &str) -> String {
    let (_, id) = message.split_once(" --erase ").expect("the command is there");
    id.trim().to_owned()
}
