//! `forebay check`: it changes nothing, predicts the result of a start, and detects every damaged page.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;

use serde_json::Value;

use crate::host::{Daemon, Host, Ran, forebay};
use crate::warm::{IMAGE_BYTES, bytes_of, change, image, loaded, warm, warmed};

const MIB: u64 = 1 << 20;
const OLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../cache/tests/format-1.pool");

fn check(host: &Host, words: &[&str]) -> Ran {
    let dir = host.text("d");
    forebay(&[&["check", "--dir", &dir][..], words].concat())
}

/// Returns the document of a check, successful or not, and the exit status.
fn document(host: &Host, pool: &str) -> (Value, i32) {
    let ran = check(host, &[pool, "--json"]);
    let document: Value = serde_json::from_str(&ran.stdout).expect("--json prints JSON");
    assert_eq!(document["schema"], 1);
    let errors = ran.stderr.lines().filter(|line| line.starts_with("error: ")).count();
    assert_eq!(errors, usize::from(ran.status == 1), "{ran:?}");
    (document["pools"][0].clone(), ran.status)
}

/// Returns the result of a check of a whole pool for its one disk; checks that nothing was changed.
fn whole(host: &Host) -> Value {
    let pool = host.text("pool.img");
    let before = fs::read(&pool).expect("it is there");
    let (checked, status) = document(host, &pool);
    assert_eq!((&checked["state"], status), (&"whole".into(), 0), "{checked}");
    assert!(fs::read(&pool).expect("it is there") == before, "a check changes nothing");
    assert_eq!(checked["disks"].as_array().map(Vec::len), Some(1), "{checked}");
    assert_eq!(checked["disks"][0]["name"], "a");
    checked["disks"][0].clone()
}

/// Compares the result with that of a start.
fn is_found(host: &Host, said: &Value) -> Daemon {
    let daemon = host.serve_with(&[]);
    let load = loaded(&daemon);
    if said["cold"].is_null() {
        assert_eq!(load["state"], "done", "{said}");
    } else {
        assert_eq!(load["reason"], said["cold"]);
    }
    for key in ["pages_kept", "pages_dropped"] {
        assert_eq!(load[key], said[key], "{said}");
    }
    daemon
}

#[test]
fn a_start_finds_what_a_check_said_after_a_stop_a_kill_and_a_power_cut() {
    let (host, daemon, image) = warmed();
    assert!(daemon.stop().success());
    let said = whole(&host);
    assert!(said["pages_kept"].as_u64() > Some(0) && said["regions_open"] == 0, "{said}");
    let daemon = is_found(&host, &said);

    // Writes are not cached, so the log has none of them as the backing does.
    daemon.run(&["disk", "set", "a", "mode=write-around"]).succeeded();
    let mut guest = daemon.guest("a");
    for offset in (0..IMAGE_BYTES).step_by(MIB as usize) {
        guest.write(offset, &bytes_of(3, MIB)).expect("the disk is served");
    }
    daemon.kill();
    let killed = whole(&host);
    assert_eq!(
        (&killed["pages_dropped"], &killed["regions_open"]),
        (&said["pages_kept"], &1.into()),
        "{killed}"
    );
    let daemon = is_found(&host, &killed);

    warm(&daemon);
    daemon.guest("a").write(0, &[1; 4096]).expect("the disk is served");
    daemon.kill();
    fs::remove_dir_all(host.path("d/touched")).expect("the folder is ours");
    let cut = whole(&host);
    assert_eq!(cut["pages_kept"], 0, "its one region was open: {cut}");
    assert!(cut["pages_dropped"].as_u64() > Some(0), "{cut}");
    let daemon = is_found(&host, &cut);

    warm(&daemon);
    assert!(daemon.stop().success());
    change(&image, 77, b"fsck");
    let cold = whole(&host);
    assert!(cold["cold"].as_str().is_some_and(|reason| reason.contains("was modified")), "{cold}");
    is_found(&host, &cold);
}

#[test]
fn a_pool_in_use_is_refused() {
    let (host, daemon, _) = warmed();
    let pool = host.text("pool.img");
    let message = check(&host, &[&pool]).failed();
    assert!(message.contains("a Forebay uses it now") && message.contains("fuser"), "{message}");
    let (checked, status) = document(&host, &pool);
    assert_eq!((&checked["state"], status), (&"in-use".into(), 1));
    assert!(daemon.stop().success());
    let said = check(&host, &[&pool]).succeeded();
    assert!(said.contains("whole: every checksum holds") && said.contains("warm"), "{said}");
}

#[test]
fn a_flipped_bit_in_a_page_is_damage_and_guests_read_on() {
    let (host, daemon, _) = warmed();
    assert!(daemon.stop().success());
    let (pool, image) = (host.text("pool.img"), bytes_of(1, IMAGE_BYTES));
    let flash = fs::read(&pool).expect("it is there");
    // A page of the image that is on flash, wherever it is.
    let cached = flash.chunks(4096).position(|page| image.chunks(4096).any(|other| other == page));
    let place = cached.expect("it was warmed") * 4096;
    change(&pool, place as u64 + 100, &[!flash[place + 100]]);
    let (checked, status) = document(&host, &pool);
    assert_eq!((&checked["state"], status), (&"damaged".into(), 1));
    let disk = &checked["disks"][0];
    assert_eq!((&disk["pages_damaged"], &disk["pages_kept_damaged"]), (&1.into(), &1.into()), "{disk}");
    let ran = check(&host, &[&pool]);
    assert_eq!(ran.status, 1);
    assert!(ran.stdout.contains("damaged") && ran.stderr.contains("error: Found damage in"), "{ran:?}");

    let daemon = is_found(&host, disk);
    let mut guest = daemon.guest("a");
    for offset in (0..IMAGE_BYTES).step_by(64 << 10) {
        let bytes = guest.read(offset, 64 << 10).expect("the disk is served");
        assert!(bytes == image[offset as usize..][..64 << 10], "at {offset}");
    }
    assert_eq!(daemon.json(&["stats", "a"])["disks"][0]["checksum_errors"], 1);
}

#[test]
fn a_damaged_summary_is_damage_and_the_disk_would_start_cold() {
    let (host, daemon, _) = warmed();
    assert!(daemon.stop().success());
    let pool = host.text("pool.img");
    let flash = fs::read(&pool).expect("it is there");
    let summaries = flash.chunks(4096).zip(0u64..).filter(|(page, _)| page.starts_with(b"FBYSUMRY"));
    for (_, page) in summaries {
        change(&pool, page * 4096 + 200, &[0xff; 8]);
    }
    let (checked, status) = document(&host, &pool);
    let disk = &checked["disks"][0];
    assert_eq!((&checked["state"], status), (&"damaged".into(), 1));
    assert!(disk["cold"].as_str().is_some_and(|reason| reason.contains("summary of segment")), "{disk}");
    is_found(&host, disk);
}

#[test]
fn without_the_folder_of_its_daemon_a_pool_is_verified_and_disks_have_numbers() {
    let (host, daemon, _) = warmed();
    assert!(daemon.stop().success());
    let pool = host.text("pool.img");
    let empty = host.text("empty");
    fs::create_dir(&empty).expect("the folder is ours");
    let said = forebay(&["check", &pool, "--dir", &empty]).succeeded();
    assert!(said.contains("number 1") && said.contains("whole"), "{said}");
    // Neither does a folder with the record of another pool give it names.
    let other = Host::new();
    assert!(other.serve().stop().success());
    assert!(check(&other, &[&pool]).succeeded().contains("number 1"));
}

#[test]
fn what_is_no_pool_is_named_as_what_it_is() {
    let host = Host::new();
    let [blank, foreign, newer] = ["blank.img", "foreign.img", "newer.img"].map(|name| host.text(name));
    File::create(&blank).and_then(|file| file.set_len(MIB)).expect("the folder is ours");
    image(&host, "foreign.img", 9);
    fs::copy(OLDER, &newer).expect("the folder is ours");
    let file = File::options().write(true).open(&newer).expect("the folder is ours");
    for slot in [0, 4096] {
        file.write_all_at(&99u32.to_le_bytes(), slot + 8).expect("the folder is ours");
    }
    for (path, state, reason) in [
        (blank.as_str(), "blank", "it holds nothing"),
        (&foreign, "foreign", "data that is no pool"),
        (OLDER, "older", "format 1"),
        (&newer, "newer", "format 99"),
        ("/nonexistent/pool", "unreadable", "check the path"),
    ] {
        let message = forebay(&["check", path]).failed();
        assert!(message.contains(reason) && message.contains(path), "{message}");
        let ran = forebay(&["check", path, "--json"]);
        let document: Value = serde_json::from_str(&ran.stdout).expect("--json prints JSON");
        assert_eq!((&document["pools"][0]["state"], ran.status), (&state.into(), 1), "{document}");
    }
}

#[test]
fn several_devices_are_checked_in_one_go_and_one_that_is_none_does_not_hide_the_others() {
    let (host, daemon, _) = warmed();
    assert!(daemon.stop().success());
    let pool = host.text("pool.img");
    let ran = check(&host, &[&pool, OLDER]);
    assert_eq!(ran.status, 1);
    assert!(ran.stdout.contains("whole: every checksum holds"), "{ran:?}");
    assert!(ran.stderr.contains("format 1") && !ran.stderr.contains(&pool), "{ran:?}");
}
