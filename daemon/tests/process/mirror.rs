//! Mirrored dirty data: writes of guests are on two devices of the pool, and either of them may be lost, at
//! any time, without an effect on guests.

use std::fs;

use serde_json::Value;

use crate::host::{Daemon, Host, content};
use crate::warm::{bytes_of, image};

const PAGE: u64 = 4096;
const PAGES: u64 = 100;
/// A page a second: dirty data stays on flash, however long a loaded machine takes for a test.
const SLOW_DESTAGE: &str = "destage-rate-max=4KiB";
const DEVICES: [&str; 2] = ["one.img", "two.img"];

fn place(number: u64) -> u64 {
    number * 7 % PAGES * 3 * PAGE
}

fn page(number: u64, version: u64) -> Vec<u8> {
    bytes_of(1000 * version + number + 7, PAGE)
}

fn write(daemon: &Daemon, version: u64) {
    let mut guest = daemon.guest("a");
    for number in 0..PAGES {
        guest.write(place(number), &page(number, version)).expect("no guest sees an error");
    }
    guest.flush().expect("no guest sees an error");
}

fn assert_served(daemon: &Daemon, version: u64) {
    let mut guest = daemon.guest("a");
    for number in 0..PAGES {
        let found = guest.read(place(number), PAGE as u32).expect("no guest sees an error");
        assert!(found == page(number, version), "page {number} is not version {version}");
    }
}

pub(crate) fn pool(daemon: &Daemon) -> Value {
    daemon.json(&["pool", "show"])["pool"].clone()
}

pub(crate) fn paths(daemon: &Daemon) -> Vec<String> {
    let devices = pool(daemon)["devices"].as_array().expect("a list").clone();
    devices.iter().map(|device| device["path"].as_str().expect("each has one").to_owned()).collect()
}

fn serve(host: &Host) -> Daemon {
    host.serve_with(&["--pool", &host.text(DEVICES[0]), "--pool-size", "64MiB"])
}

pub(crate) fn wait_for_copies(daemon: &Daemon) {
    loop {
        let disk = daemon.json(&["disk", "show", "a"])["disk"].clone();
        if disk["mirrored"] == true && disk["segments_uncopied"] == 0 {
            return;
        }
    }
}

/// Returns a disk in write-back whose pool has two devices, with version 1 of all pages on both of them, and
/// of hardly any on the backing.
fn mirrored(host: &Host) -> (Daemon, String) {
    let image = image(host, "a.img", 1);
    let daemon = serve(host);
    daemon.run(&["pool", "add", &host.text(DEVICES[1]), "--size", "64MiB", "--same-drive"]).succeeded();
    daemon
        .run(&["disk", "add", "a", "--backing", &image, "--mode", "write-back", "--reserve", "16MiB"])
        .succeeded();
    daemon.run(&["disk", "set", "a", SLOW_DESTAGE]).succeeded();
    write(&daemon, 1);
    wait_for_copies(&daemon);
    let is_home = |number: &u64| content(&image, place(*number), PAGE as usize) == page(*number, 1);
    let home = (0..PAGES).filter(is_home).count() as u64;
    assert!(home < PAGES / 2, "{home} of them are on the backing, though it is given one a second");
    let counted = daemon.json(&["stats", "a"])["disks"][0].clone();
    let bytes = |key: &str| counted[key].as_u64().expect("a number");
    assert!(bytes("flash_write_bytes") > 2 * bytes("write_bytes"), "both copies count: {counted}");
    (daemon, image)
}

#[test]
fn either_device_may_be_missing_at_a_start_and_a_new_one_takes_its_place() {
    for (missing, stays) in [(0, 1), (1, 0)] {
        let host = Host::new();
        let (daemon, image) = mirrored(&host);
        daemon.kill();
        fs::rename(host.path(DEVICES[missing]), host.path("away.img")).expect("it is there");

        let daemon = serve(&host);
        assert_served(&daemon, 1);
        assert_eq!(paths(&daemon), [host.text(DEVICES[stays])]);
        write(&daemon, 2);
        let new = host.text("three.img");
        let replace = [
            "pool",
            "replace",
            &host.text(DEVICES[missing]),
            &new,
            "--size",
            "64MiB",
            "--same-drive",
            "--wait",
        ];
        daemon.run(&replace).succeeded();
        wait_for_copies(&daemon);
        assert_served(&daemon, 2);

        // The new one can replace the old one; and that one is stale, and not trusted.
        daemon.kill();
        fs::remove_file(host.path(DEVICES[stays])).expect("it is there");
        fs::rename(host.path("away.img"), host.path(DEVICES[missing])).expect("it is there");
        let daemon = serve(&host);
        assert_eq!(paths(&daemon), [new]);
        assert_served(&daemon, 2);
        daemon.run(&["disk", "set", "a", "destage-rate-max=0"]).succeeded();
        daemon.run(&["disk", "destage", "a", "--wait"]).succeeded();
        for number in 0..PAGES {
            assert!(
                content(&image, place(number), PAGE as usize) == page(number, 2),
                "page {number} came home"
            );
        }
    }
}

#[test]
fn a_device_that_comes_back_alone_is_stale_and_its_disk_waits() {
    let host = Host::new();
    let (daemon, _image) = mirrored(&host);
    daemon.kill();
    fs::rename(host.path(DEVICES[1]), host.path("away.img")).expect("it is there");
    let daemon = serve(&host);
    write(&daemon, 2);
    daemon.kill();

    // The newest writes are on the device that is missing now.
    fs::rename(host.path(DEVICES[0]), host.path("newest.img")).expect("it is there");
    fs::rename(host.path("away.img"), host.path(DEVICES[1])).expect("it is there");
    let daemon = serve(&host);
    assert_eq!(daemon.disk("a")["state"], "waiting", "{}", daemon.disk("a"));
    assert_eq!(daemon.stop().code(), Some(0));

    fs::rename(host.path("newest.img"), host.path(DEVICES[0])).expect("it is there");
    let daemon = serve(&host);
    assert_served(&daemon, 2);
}

#[test]
fn without_redundancy_there_is_one_copy_and_with_it_the_second_is_made_while_guests_write() {
    let host = Host::new();
    let (daemon, _image) = mirrored(&host);
    daemon.run(&["disk", "set", "a", "redundancy=none"]).succeeded();
    assert_eq!(daemon.json(&["disk", "show", "a"])["disk"]["mirrored"], false);
    write(&daemon, 2);
    daemon.run(&["disk", "set", "a", "redundancy=mirror"]).succeeded();
    write(&daemon, 3);
    wait_for_copies(&daemon);
    assert_served(&daemon, 3);
}

#[test]
fn what_is_no_device_of_the_pool_is_not_replaced() {
    let host = Host::new();
    let daemon = serve(&host);
    let stranger = host.image("stranger.img", 1 << 20);
    let refused =
        daemon.run(&["pool", "replace", &stranger, &host.text("two.img"), "--size", "64MiB"]).failed();
    assert!(refused.contains("none of its devices"), "{refused}");
    assert_eq!(paths(&daemon), [host.text(DEVICES[0])]);
}

#[test]
fn two_files_on_one_drive_are_no_mirror_until_somebody_accepts_it() {
    let host = Host::new();
    let image = image(&host, "a.img", 1);
    let daemon = serve(&host);
    let two = host.text(DEVICES[1]);
    let said = daemon.run(&["pool", "add", &two, "--size", "64MiB"]).succeeded();
    if pool(&daemon)["devices"][0]["drives"].as_array().is_none_or(Vec::is_empty) {
        // The file system of this host does not report its drive.
        return;
    }
    assert!(said.contains("NOT mirrored: both on "), "{said}");
    assert!(daemon.run(&["pool", "show"]).succeeded().contains("NOT mirrored: both on "));

    let add = ["disk", "add", "a", "--backing", &image, "--mode", "write-back", "--reserve", "16MiB"];
    let refused = daemon.run(&add).failed();
    assert!(refused.contains("NOT mirrored: both on ") && refused.contains("--same-drive"), "{refused}");
    assert!(daemon.run(&["disk", "show", "a"]).failed().contains("'a'"), "nothing is left of it");

    daemon.run(&["pool", "add", &two, "--same-drive"]).succeeded();
    daemon.run(&add).succeeded();
    assert!(daemon.run(&["disk", "show", "a"]).succeeded().contains("NOT mirrored: both on "));
    // The acceptance is stored.
    assert!(daemon.stop().success());
    let daemon = serve(&host);
    daemon.run(&["disk", "set", "a", "mode=write-through"]).succeeded();
    daemon.run(&["disk", "set", "a", "mode=write-back"]).succeeded();
    assert!(pool(&daemon)["not_mirrored_reason"].is_string());
}

#[test]
fn a_file_on_the_drive_of_a_mirrored_disk_is_refused_and_not_left_behind() {
    let host = Host::new();
    let image = image(&host, "a.img", 1);
    let daemon = serve(&host);
    daemon.run(&["disk", "add", "a", "--backing", &image, "--mode", "write-back"]).succeeded();
    if pool(&daemon)["devices"][0]["drives"].as_array().is_none_or(Vec::is_empty) {
        return;
    }
    let two = host.text(DEVICES[1]);
    let refused = daemon.run(&["pool", "add", &two, "--size", "64MiB"]).failed();
    assert!(refused.contains("disk 'a'") && refused.contains("NOT mirrored: both on "), "{refused}");
    assert!(!host.path(DEVICES[1]).exists());
    assert_eq!(paths(&daemon), [host.text(DEVICES[0])]);
    daemon.run(&["pool", "add", &two, "--size", "64MiB", "--same-drive"]).succeeded();
    daemon.wait_for_log("mirror-on-one-drive");
}
