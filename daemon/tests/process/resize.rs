//! A disk grows with its backing, while a guest uses it, and keeps its size however the daemon ends.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;

use doors::nbd::Client;
use serde_json::Value;

use crate::host::{Daemon, Host, content};

const MIB: u64 = 1 << 20;
/// A size that ends in the middle of a page.
const ODD: u64 = 16 * MIB + 3 * 512;

fn file(image: &str) -> File {
    OpenOptions::new().write(true).open(image).expect("the folder is ours")
}

/// Sets the size of a file as an administrator does: `truncate -s`.
fn set_size(image: &str, bytes: u64) {
    file(image).set_len(bytes).expect("the folder is ours");
}

fn size(guest: &Client) -> u64 {
    guest.facts().size
}

fn resize(daemon: &Daemon) -> Value {
    daemon.json(&["disk", "resize", "a"])["resized"].clone()
}

#[test]
fn a_disk_grows_with_its_backing_while_a_guest_goes_on_and_a_kill_does_not_take_that_back() {
    let host = Host::new();
    let image = host.image("a.img", 16 * MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image, "--limit", "50%"]).succeeded();
    let mut early = daemon.guest("a");
    early.write(0, &[1; 4096]).expect("the disk is served");
    let said = daemon.run(&["disk", "resize", "a"]).succeeded();
    assert_eq!(said, "Disk 'a' has 16MiB, as its backing: there is nothing to do\n");

    set_size(&image, 40 * MIB);
    assert_eq!(daemon.disk("a")["size_bytes"], 16 * MIB, "nobody said that it may");
    assert!(early.read(16 * MIB, 4096).is_err(), "the disk ends where it did");
    let said = daemon.run(&["disk", "resize", "a"]).succeeded();
    assert!(said.starts_with("Disk 'a' has 40MiB now and had 16MiB\n"), "{said}");
    let disk = daemon.disk("a");
    assert_eq!((&disk["size_bytes"], &disk["limit_bytes"]), (&(40 * MIB).into(), &(20 * MIB).into()));

    assert_eq!(size(&early), 16 * MIB, "NBD tells a connection its size once");
    early.write(4096, &[2; 4096]).expect("it goes on");
    let mut late = daemon.guest("a");
    assert_eq!(size(&late), 40 * MIB);
    late.write(40 * MIB - 512, &[3; 512]).expect("it goes so far");
    late.write(16 * MIB - 512, &[4; 1024]).expect("across the old end");
    late.flush().expect("the disk is served");
    assert!(late.read(40 * MIB, 512).is_err());
    daemon.kill();
    assert_eq!(content(&image, 40 * MIB - 512, 512), [3; 512]);

    let daemon = host.serve_with(&[]);
    let mut guest = daemon.guest("a");
    assert_eq!(size(&guest), 40 * MIB);
    assert_eq!(guest.read(16 * MIB - 512, 1024).expect("the disk is served"), [4; 1024]);
    assert_eq!(guest.read(0, 8192).expect("the disk is served"), [[1; 4096], [2; 4096]].concat());
    let expected = serde_json::json!({"name": "a", "size_bytes_before": 40 * MIB, "size_bytes": 40 * MIB});
    assert_eq!(resize(&daemon), expected);
    let events = daemon.json(&["events"])["events"].clone();
    let grew = events.as_array().expect("a list").iter().filter(|event| event["kind"] == "disk-resized");
    assert_eq!(grew.count(), 1, "{events}");
}

#[test]
fn a_disk_does_not_shrink_nor_take_a_size_that_it_cannot_have() {
    let host = Host::new();
    let image = host.image("a.img", 16 * MIB);
    let daemon = host.serve();
    let missing = daemon.run(&["disk", "resize", "b"]).failed();
    assert!(missing.contains("There is no disk 'b'"), "{missing}");
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    set_size(&image, 16 * MIB + 100);
    let odd = daemon.run(&["disk", "resize", "a"]).failed();
    assert!(odd.contains("from 16777216 to 16777316 bytes") && odd.contains("not a multiple of"), "{odd}");
    daemon.guest("a").write(0, &[1; 512]).expect("it is served as before");

    set_size(&image, 8 * MIB);
    let smaller = daemon.run(&["disk", "resize", "a"]);
    assert_eq!(smaller.status, 1);
    assert!(smaller.stderr.contains("has 8388608 bytes and it has 16777216"), "{}", smaller.stderr);
    assert_eq!(daemon.disk("a")["size_bytes"], 16 * MIB);
}

#[test]
fn a_backing_that_grows_beyond_all_bounds_is_refused_and_one_cut_to_nothing_ends_its_own_disk_only() {
    let host = Host::in_ram();
    let (image, other) = (host.image("a.img", 16 * MIB), host.image("b.img", 16 * MIB));
    let daemon = host.serve();
    for (name, image) in [("a", &image), ("b", &other)] {
        daemon.run(&["disk", "add", name, "--backing", image]).succeeded();
    }
    daemon.guest("a").write(0, &[1; 4096]).expect("the disk is served");
    // Files in memory have any size; the usual file system may not allow it.
    if file(&image).set_len(7 << 60).is_ok() {
        let message = daemon.run(&["disk", "resize", "a"]).failed();
        assert!(message.contains(&(7_u64 << 60).to_string()) && message.contains("256 TiB"), "{message}");
    }
    assert_eq!(size(&daemon.guest("a")), 16 * MIB);
    assert!(daemon.stop().success());
    let daemon = host.serve_with(&[]);
    assert_eq!(daemon.guest("a").read(0, 4096).expect("in the size that it had"), [1; 4096]);

    set_size(&image, 0);
    let message = daemon.run(&["disk", "resize", "a"]).failed();
    assert!(message.contains("disk 'a'"), "{message}");
    assert!(daemon.guest("b").read(0, 4096).is_ok(), "another disk goes on");
    assert!(daemon.json(&["disk", "list"])["disks"].as_array().is_some_and(|disks| disks.len() == 2));
}

#[test]
fn two_who_ask_at_once_both_learn_the_size() {
    let host = Host::new();
    let image = host.image("a.img", 16 * MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    set_size(&image, 32 * MIB);
    let mut asking = [(); 2].map(|()| daemon.spawn(&["disk", "resize", "a", "--json"]));
    assert!(asking.iter_mut().all(|one| one.wait().expect("it is our child").success()));
    assert_eq!(daemon.disk("a")["size_bytes"], 32 * MIB);
}

/// Returns a write-back disk of [`ODD`] bytes whose last page is dirty, at least until it is destaged.
fn odd_and_dirty(host: &Host) -> (Daemon, String) {
    let image = host.image("a.img", ODD);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image, "--mode", "write-back"]).succeeded();
    let mut guest = daemon.guest("a");
    guest.write(ODD - 1024, &[7; 1024]).expect("the disk is served");
    guest.write(0, &[6; 8192]).expect("the disk is served");
    guest.flush().expect("the disk is served");
    (daemon, image)
}

/// Grows the backing, with foreign data behind the old end.
fn grow_with_content(image: &str) {
    set_size(image, 24 * MIB);
    file(image).write_all_at(&[9; 8192], ODD).expect("the folder is ours");
}

/// Checks that no write of guests is lost, and that the data behind the old end is that of the backing.
fn holds_all(daemon: &Daemon) {
    let mut guest = daemon.guest("a");
    assert_eq!(size(&guest), 24 * MIB);
    assert_eq!(guest.read(ODD - 1024, 1024).expect("the disk is served"), [7; 1024]);
    assert_eq!(guest.read(ODD, 4096).expect("the disk is served"), [9; 4096], "zeroes were invented");
    assert_eq!(guest.read(0, 8192).expect("the disk is served"), [6; 8192]);
}

fn is_home(daemon: Daemon, image: &str) {
    daemon.run(&["disk", "destage", "a", "--wait"]).succeeded();
    assert!(daemon.stop().success());
    assert_eq!(content(image, ODD - 1024, 1024), [7; 1024]);
    assert_eq!(content(image, ODD, 4096), [9; 4096]);
}

#[test]
fn a_page_that_the_end_cut_holds_behind_it_what_the_backing_has() {
    let host = Host::new();
    let (daemon, image) = odd_and_dirty(&host);
    grow_with_content(&image);
    assert_eq!(resize(&daemon)["size_bytes"], 24 * MIB);
    holds_all(&daemon);
    daemon.kill();
    let daemon = host.serve_with(&[]);
    holds_all(&daemon);
    is_home(daemon, &image);
}

#[test]
fn a_backing_that_grew_before_a_kill_is_taken_at_the_next_start_with_all_that_is_dirty() {
    for grows_before in [true, false] {
        let host = Host::new();
        let (daemon, image) = odd_and_dirty(&host);
        if grows_before {
            grow_with_content(&image);
        }
        daemon.kill();
        if !grows_before {
            grow_with_content(&image);
        }
        let daemon = host.serve_with(&[]);
        assert_eq!(daemon.disk("a")["state"], "serving");
        holds_all(&daemon);
        is_home(daemon, &image);
    }
}

#[test]
fn a_size_that_cannot_be_remembered_is_not_taken() {
    let host = Host::new();
    let (daemon, image) = odd_and_dirty(&host);
    grow_with_content(&image);
    // Saving replaces the file, which fails for a folder.
    let state = host.path("d/state.json");
    let text = fs::read(&state).expect("it was saved");
    fs::remove_file(&state).expect("the folder is ours");
    fs::create_dir(&state).expect("the folder is ours");
    let refused = daemon.run(&["disk", "resize", "a"]).failed();
    assert!(refused.contains("state.json"), "{refused}");
    assert_eq!(daemon.disk("a")["size_bytes"], ODD);
    let mut guest = daemon.guest("a");
    guest.write(ODD - 512, &[7; 512]).expect("its last page is written as before");
    assert!(guest.read(ODD, 512).is_err());
    fs::remove_dir(&state).expect("the folder is ours");
    fs::write(&state, text).expect("the folder is ours");
    assert_eq!(resize(&daemon)["size_bytes"], 24 * MIB);
    holds_all(&daemon);
    is_home(daemon, &image);
}

#[test]
fn a_backing_that_is_cut_back_to_its_former_size_after_its_disk_grew_ends_the_disk() {
    let host = Host::new();
    let image = host.image("a.img", 16 * MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    set_size(&image, 32 * MIB);
    assert_eq!(resize(&daemon)["size_bytes"], 32 * MIB);
    set_size(&image, 16 * MIB);
    let line = daemon.wait_for_log("disk-failed");
    assert!(line.contains("shrank from 33554432 to 16777216 bytes"), "{line}");
    assert!(daemon.guest("a").write(0, &[1; 512]).is_err(), "a write would put the file back to its length");
}
