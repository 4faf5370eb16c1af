//! The cache survives a stop and a kill, but not a change of the backing or the pool, or the loss of the
//! daemon's memory.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileExt, MetadataExt, symlink};
use std::process::Command;

use doors::nbd::Client;
use serde_json::Value;

use crate::host::{Daemon, Host, Loop, content, edited};

const MIB: u64 = 1 << 20;
/// Size of the image of most tests: more than RAM holds, so that most of it is promoted to flash.
pub(crate) const IMAGE_BYTES: u64 = 6 * MIB;
/// Bytes that must be on flash before a test continues.
const WARM_BYTES: u64 = 2 * MIB;
const REQUEST: u64 = 64 << 10;

/// Returns bytes without a pattern that another place could have too.
pub(crate) fn bytes_of(seed: u64, length: u64) -> Vec<u8> {
    let words = (1..=length / 8).map(|at| (at ^ seed << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    words.flat_map(u64::to_le_bytes).collect()
}

/// Makes an image with data.
pub(crate) fn image(host: &Host, name: &str, seed: u64) -> String {
    fs::write(host.path(name), bytes_of(seed, IMAGE_BYTES)).expect("the folder is ours");
    host.text(name)
}

pub(crate) fn add(daemon: &Daemon, backing: &str) {
    daemon.run(&["disk", "add", "a", "--backing", backing, "--block-size", "4KiB"]).succeeded();
    // What is cached is to answer, also where the backing would be faster.
    let settings = ["admission=always", "ram=1MiB", "sequential-cutoff=0", "read-balance=off"];
    daemon.run(&[&["disk", "set", "a"][..], &settings].concat()).succeeded();
}

fn cached_bytes(daemon: &Daemon) -> u64 {
    daemon.json(&["stats", "a"])["disks"][0]["cached_bytes"].as_u64().expect("it is served")
}

/// Reads `[start, end)` until this many bytes of the disk are on flash.
fn warm_range(daemon: &Daemon, [start, end]: [u64; 2], wanted: u64) {
    let mut guest = daemon.guest("a");
    for _ in 0..100 {
        // Half of what RAM holds at a time: promotions end before the rest arrives, or the next time.
        for part in (start..end).step_by(8 * REQUEST as usize) {
            for offset in (part..part + 8 * REQUEST).step_by(REQUEST as usize) {
                guest.read(offset, REQUEST as u32).expect("the disk is served");
            }
            if cached_bytes(daemon) >= wanted {
                return;
            }
        }
    }
    panic!("only {} bytes reach flash", cached_bytes(daemon));
}

pub(crate) fn warm(daemon: &Daemon) {
    warm_range(daemon, [0, IMAGE_BYTES], WARM_BYTES);
}

/// Returns a host with a disk, and content on flash.
pub(crate) fn warmed() -> (Host, Daemon, String) {
    let host = Host::new();
    let image = image(&host, "a.img", 1);
    let daemon = host.serve();
    add(&daemon, &image);
    warm(&daemon);
    (host, daemon, image)
}

/// Returns the result of loading the disk.
pub(crate) fn loaded(daemon: &Daemon) -> Value {
    loop {
        let load = daemon.json(&["disk", "show", "a"])["disk"]["load"].clone();
        if load["state"] != "loading" {
            return load;
        }
    }
}

/// Starts a daemon and checks that the cache is recovered; reads all of the disk and compares it with
/// `expected`.
fn comes_back(host: &Host, expected: &[u8]) -> Daemon {
    let daemon = host.serve_with(&[]);
    let load = loaded(&daemon);
    assert_eq!(load["state"], "done", "{load}");
    assert!(load["kept_bytes"].as_u64() >= Some(WARM_BYTES / 2), "{load}");
    let said = daemon.run(&["disk", "show", "a"]).succeeded();
    assert!(said.contains("from last time") && said.contains(" is back"), "{said}");
    read_all(&mut daemon.guest("a"), expected);
    let statistics = &daemon.json(&["stats", "a"])["disks"][0];
    assert!(statistics["read_hits_flash"].as_u64() > Some(0), "{statistics}");
    assert_eq!(statistics["checksum_errors"], 0);
    daemon
}

/// Starts a daemon and checks that the cache is empty for a reason that contains `reason`; reads must return
/// the content of the backing.
fn starts_cold(host: &Host, reason: &str) -> Daemon {
    let daemon = host.serve_with(&[]);
    let load = loaded(&daemon);
    assert_eq!((&load["state"], &load["kept_bytes"]), (&"cold".into(), &0.into()), "{load}");
    assert!(load["reason"].as_str().is_some_and(|said| said.contains(reason)), "{reason}: {load}");
    let said = daemon.run(&["disk", "show", "a"]).succeeded();
    assert!(said.contains("nothing: "), "{said}");
    reads_its_backing(host, &daemon);
    daemon
}

fn reads_its_backing(host: &Host, daemon: &Daemon) {
    read_all(&mut daemon.guest("a"), &fs::read(host.path("a.img")).expect("it is there"));
}

fn read_all(guest: &mut Client, expected: &[u8]) {
    for (part, offset) in expected.chunks(REQUEST as usize).zip((0..).step_by(REQUEST as usize)) {
        let bytes = guest.read(offset, part.len() as u32).expect("the disk is served");
        assert!(bytes == part, "at {offset}");
    }
}

/// Copies as `cp -a` does: into the existing file, with times and attributes.
fn copy(from: &str, to: &str) {
    let status = Command::new("cp").args(["-a", from, to]).status().expect("cp is everywhere");
    assert!(status.success());
}

/// Changes some bytes of a file as another program does.
pub(crate) fn change(path: &str, offset: u64, bytes: &[u8]) {
    let file = OpenOptions::new().write(true).open(path).expect("the folder is ours");
    file.write_all_at(bytes, offset).expect("the folder is ours");
}

#[test]
fn content_is_back_after_a_clean_stop_and_answers_instead_of_the_backing() {
    let (host, daemon, image) = warmed();
    assert!(daemon.stop().success());
    let daemon = host.serve_with(&[]);
    let load = loaded(&daemon);
    assert_eq!((&load["state"], &load["pages_dropped"]), (&"done".into(), &0.into()));
    let kept = load["pages_kept"].as_u64().expect("a number");
    assert!(daemon.wait_for_log("of its cache back").contains("Disk 'a' has"));
    // Without the daemon's knowledge, which is not permitted: reads of old data then are hits.
    change(&image, 0, &bytes_of(2, IMAGE_BYTES));
    let (old, mut guest) = (bytes_of(1, IMAGE_BYTES), daemon.guest("a"));
    let from_cache = old.chunks(4096).zip((0u64..).step_by(4096));
    let from_cache =
        from_cache.filter(|(page, offset)| guest.read(*offset, 4096).expect("the disk is served") == *page);
    assert!(from_cache.count() as u64 >= kept, "{kept} pages were said to be back");
}

#[test]
fn content_is_back_after_a_kill_save_what_was_written_and_not_cached_again() {
    let (host, daemon, _) = warmed();
    daemon.guest("a").write(4096, &[7; 8192]).expect("the disk is served");
    daemon.kill();
    let mut expected = bytes_of(1, IMAGE_BYTES);
    expected[4096..3 * 4096].fill(7);
    let daemon = comes_back(&host, &expected);
    // A second kill at once, and one after a clean stop.
    daemon.kill();
    assert!(comes_back(&host, &expected).stop().success());
    comes_back(&host, &expected).kill();
    comes_back(&host, &expected);
}

#[test]
fn a_power_cut_drops_the_regions_that_were_open_and_no_others() {
    let host = Host::new();
    let region = 64 * MIB;
    let image = image(&host, "a.img", 1);
    File::options().write(true).open(&image).and_then(|file| file.set_len(2 * region)).expect("it is ours");
    change(&image, region, &bytes_of(2, IMAGE_BYTES));
    let daemon = host.serve();
    add(&daemon, &image);
    warm(&daemon);
    let wanted = cached_bytes(&daemon) + WARM_BYTES;
    warm_range(&daemon, [region, region + IMAGE_BYTES], wanted);
    assert!(daemon.stop().success(), "every region is closed");
    let daemon = host.serve_with(&[]);
    let whole = loaded(&daemon)["kept_bytes"].as_u64().expect("a number");
    daemon.guest("a").write(region, &[7; 4096]).expect("the disk is served");
    daemon.kill();
    // The effect of a boot.
    fs::remove_dir_all(host.path("d/touched")).expect("the folder is ours");

    let daemon = host.serve_with(&[]);
    let load = loaded(&daemon);
    let [kept, dropped] = ["kept_bytes", "dropped_bytes"].map(|key| load[key].as_u64().expect("a number"));
    assert_eq!(load["state"], "done");
    assert!(
        kept >= WARM_BYTES / 2 && dropped >= WARM_BYTES / 2 && kept + dropped == whole,
        "{whole}: {load}"
    );
    let said = daemon.run(&["disk", "show", "a"]).succeeded();
    assert!(said.contains("may have changed and is not trusted"), "{said}");
    let mut guest = daemon.guest("a");
    read_all(&mut guest, &bytes_of(1, IMAGE_BYTES));
    assert_eq!(guest.read(region, 4096).expect("the disk is served"), [7; 4096]);
    assert!(daemon.json(&["stats", "a"])["disks"][0]["read_hits_flash"].as_u64() > Some(0));
}

#[test]
fn what_was_evicted_never_comes_back() {
    let (host, daemon, _) = warmed();
    let said = daemon.run(&["disk", "evict", "a"]).succeeded();
    assert!(said.contains("Nothing is cached of disk 'a' any more"), "{said}");
    daemon.kill();
    let daemon = host.serve_with(&[]);
    let load = loaded(&daemon);
    assert_eq!((&load["state"], &load["kept_bytes"]), (&"done".into(), &0.into()), "{load}");
    assert_eq!(cached_bytes(&daemon), 0);
    reads_its_backing(&host, &daemon);
    // It is cached again, and that is recovered.
    warm(&daemon);
    daemon.kill();
    comes_back(&host, &bytes_of(1, IMAGE_BYTES));
}

#[test]
fn a_disk_that_waits_can_be_evicted_too_and_one_that_is_none_cannot() {
    let (host, daemon, image) = warmed();
    assert!(daemon.stop().success());
    fs::rename(&image, host.path("away.img")).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    assert_eq!(daemon.json(&["disk", "show", "a"])["disk"]["load"], Value::Null);
    daemon.run(&["disk", "evict", "a"]).succeeded();
    assert!(daemon.run(&["disk", "evict", "b"]).failed().contains("There is no disk 'b'"));
    daemon.kill();
    fs::rename(host.path("away.img"), &image).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    assert_eq!(loaded(&daemon)["kept_bytes"], 0);
    reads_its_backing(&host, &daemon);
}

#[test]
fn a_snapshot_taken_while_attached_and_restored_drops_what_was_cached() {
    let (host, daemon, image) = warmed();
    let snapshot = host.text("snapshot.img");
    copy(&image, &snapshot);
    daemon.guest("a").write(0, &bytes_of(3, MIB)).expect("the disk is served");
    assert!(daemon.stop().success());
    copy(&snapshot, &image);
    starts_cold(&host, "of another time");
}

#[test]
fn a_snapshot_taken_while_detached_and_restored_drops_what_was_cached() {
    let (host, daemon, image) = warmed();
    let snapshot = host.text("snapshot.img");
    assert!(daemon.stop().success());
    copy(&image, &snapshot);
    let daemon = host.serve_with(&[]);
    daemon.guest("a").write(0, &bytes_of(3, MIB)).expect("the disk is served");
    warm(&daemon);
    // Neither a stop nor a kill makes a difference.
    daemon.kill();
    copy(&snapshot, &image);
    let daemon = starts_cold(&host, "of another time");
    assert!(daemon.stop().success());
    copy(&snapshot, &image);
    starts_cold(&host, "of another time");
}

#[test]
fn a_snapshot_that_is_put_in_the_place_of_the_file_drops_what_was_cached() {
    let (host, daemon, image) = warmed();
    let snapshot = host.text("snapshot.img");
    copy(&image, &snapshot);
    daemon.kill();
    fs::rename(&snapshot, &image).expect("the folder is ours");
    starts_cold(&host, "another file");
}

#[test]
fn a_repair_of_a_few_bytes_after_a_stop_drops_what_was_cached() {
    let (host, daemon, image) = warmed();
    assert!(daemon.stop().success());
    change(&image, 5 * MIB + 77, b"fsck");
    let daemon = starts_cold(&host, "modified while Forebay did not serve it");
    warm(&daemon);
    assert!(daemon.stop().success());
    let expected = fs::read(&image).expect("it is there");
    comes_back(&host, &expected);
}

#[test]
fn a_backing_that_was_overwritten_after_a_kill_is_found_by_samples() {
    let (host, daemon, image) = warmed();
    daemon.kill();
    change(&image, 0, &bytes_of(4, IMAGE_BYTES));
    starts_cold(&host, "differs from the cached one");
}

#[test]
fn a_backing_of_another_size_is_not_what_was_cached() {
    let (host, daemon, image) = warmed();
    assert!(daemon.stop().success());
    let resize = |bytes| {
        let file = File::options().write(true).open(&image).expect("the folder is ours");
        file.set_len(bytes).expect("the folder is ours");
    };
    resize(IMAGE_BYTES + MIB);
    let daemon = starts_cold(&host, "had 6291456 bytes and now has 7340032");
    warm(&daemon);
    assert!(daemon.stop().success());
    resize(IMAGE_BYTES);
    let daemon = host.serve_with(&[]);
    assert_eq!(daemon.disk("a")["state"], "waiting", "guests would miss its end");
    assert!(daemon.stop().success());
    // Its size is restored, and its end differs.
    resize(IMAGE_BYTES + MIB);
    starts_cold(&host, "modified");
}

#[test]
fn another_file_under_the_same_name_is_not_what_was_cached() {
    let (host, daemon, image) = warmed();
    assert!(daemon.stop().success());
    let other = self::image(&host, "other.img", 5);
    fs::rename(&other, &image).expect("the folder is ours");
    starts_cold(&host, "another file");
}

#[test]
fn another_file_under_the_same_name_and_number_is_not_what_was_cached() {
    let (host, daemon, image) = warmed();
    daemon.kill();
    let inode = || fs::metadata(&image).expect("it is there").ino();
    let before = inode();
    fs::remove_file(&image).expect("the folder is ours");
    // Most file systems give a freed inode number to the next file.
    self::image(&host, "a.img", 5);
    // Where the file system has times of creation, they differ; elsewhere only the session id does.
    let is_dated = fs::metadata(&image).is_ok_and(|about| about.created().is_ok());
    let reason = if inode() == before && !is_dated { "mark" } else { "another file" };
    starts_cold(&host, reason);
}

#[test]
fn the_same_file_by_other_ways_is_what_was_cached() {
    let (host, daemon, image) = warmed();
    assert!(daemon.stop().success());
    let moved = host.path("moved.img");
    fs::rename(&image, &moved).expect("the folder is ours");
    symlink(&moved, &image).expect("the folder is ours");
    assert!(comes_back(&host, &bytes_of(1, IMAGE_BYTES)).stop().success());
    fs::remove_file(&image).expect("the folder is ours");
    fs::hard_link(&moved, &image).expect("the folder is ours");
    comes_back(&host, &bytes_of(1, IMAGE_BYTES));
}

#[test]
fn a_disk_that_is_added_again_under_the_same_name_begins_anew() {
    let (host, daemon, image) = warmed();
    daemon.run(&["disk", "remove", "a"]).succeeded();
    add(&daemon, &image);
    let load = loaded(&daemon);
    assert_eq!((&load["state"], &load["kept_bytes"]), (&"cold".into(), &0.into()), "{load}");
    assert!(load["reason"].as_str().is_some_and(|reason| reason.contains("first time")), "{load}");
    assert_eq!(cached_bytes(&daemon), 0);
    drop(host);
}

#[test]
fn a_pool_that_another_folder_used_in_between_is_not_believed() {
    let (host, daemon, _) = warmed();
    assert!(daemon.stop().success());
    let pool = host.text("pool.img");
    copy(&host.text("d"), &host.text("e"));
    // The other host has the same disk, changes it, and caches it.
    let other = Daemon::start(&host.path("e"), &["--pool", &pool]);
    other.guest("a").write(0, &bytes_of(6, 2 * MIB)).expect("the disk is served");
    assert!(other.stop().success());
    let daemon = host.serve_with(&[]);
    daemon.wait_for_log("Another Forebay used the pool since");
    assert_eq!(loaded(&daemon)["kept_bytes"], 0);
    reads_its_backing(&host, &daemon);
}

#[test]
fn a_folder_that_is_restored_from_an_older_copy_does_not_believe_the_pool() {
    let (host, daemon, _) = warmed();
    assert!(daemon.stop().success());
    copy(&host.text("d"), &host.text("older"));
    let daemon = host.serve_with(&[]);
    daemon.guest("a").write(0, &bytes_of(6, 2 * MIB)).expect("the disk is served");
    assert!(daemon.stop().success());
    fs::remove_dir_all(host.path("d")).expect("the folder is ours");
    fs::rename(host.path("older"), host.path("d")).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    daemon.wait_for_log("older than the pool");
    assert_eq!(loaded(&daemon)["kept_bytes"], 0);
    reads_its_backing(&host, &daemon);
}

/// Changes all cached data, then replaces the pool by an older copy without these changes.
fn pool_is_replaced(host: &Host, daemon: Daemon) {
    daemon.guest("a").write(0, &bytes_of(6, IMAGE_BYTES)).expect("the disk is served");
    assert!(daemon.stop().success());
    copy(&host.text("older.img"), &host.text("pool.img"));
    let daemon = host.serve_with(&[]);
    daemon.wait_for_log("Another Forebay used the pool since");
    assert_eq!(loaded(&daemon)["kept_bytes"], 0);
    reads_its_backing(host, &daemon);
}

#[test]
fn a_pool_that_is_replaced_by_an_older_copy_of_itself_is_not_believed() {
    let (host, daemon, _) = warmed();
    assert!(daemon.stop().success());
    copy(&host.text("pool.img"), &host.text("older.img"));
    let daemon = host.serve_with(&[]);
    assert!(loaded(&daemon)["kept_bytes"].as_u64() > Some(0));
    pool_is_replaced(&host, daemon);
}

#[test]
fn a_pool_that_is_replaced_by_a_copy_made_while_it_was_in_use_is_not_believed() {
    let (host, daemon, _) = warmed();
    copy(&host.text("pool.img"), &host.text("older.img"));
    pool_is_replaced(&host, daemon);
}

#[test]
fn a_pool_of_the_format_before_is_made_anew_and_said() {
    let (host, daemon, _) = warmed();
    let id = daemon.json(&["pool", "show"])["pool"]["id"].as_str().expect("a text").to_owned();
    assert!(daemon.stop().success());
    let old = concat!(env!("CARGO_MANIFEST_DIR"), "/../cache/tests/format-1.pool");
    fs::copy(old, host.path("pool.img")).expect("the folder is ours");
    let grown =
        File::options().write(true).open(host.path("pool.img")).and_then(|file| file.set_len(64 * MIB));
    grown.expect("the folder is ours");
    let state = host.path("d/state.json");
    let text = fs::read_to_string(&state).expect("it was saved");
    fs::write(&state, edited(&text.replace(&id, &"11".repeat(16)))).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    assert!(daemon.announcement.contains("has format 1"), "{}", daemon.announcement);
    assert!(daemon.announcement.contains("making it again"), "{}", daemon.announcement);
    assert_eq!(daemon.json(&["pool", "show"])["pool"]["state"], "serving");
    assert_eq!(content(&host.text("a.img"), 0, IMAGE_BYTES as usize), bytes_of(1, IMAGE_BYTES));
}

#[test]
fn the_same_device_under_another_name_is_what_was_cached_and_another_one_under_its_name_is_not() {
    let host = Host::new();
    let (data, other) = (image(&host, "data.img", 1), image(&host, "other.img", 5));
    let Some(first) = Loop::over(&data) else { return };
    let name = host.path("a.img");
    symlink(&first.0, &name).expect("the folder is ours");
    let daemon = host.serve();
    add(&daemon, &host.text("a.img"));
    warm(&daemon);
    assert!(daemon.stop().success());
    // While the first one exists, so that the second one has another name.
    let second = Loop::over(&data).expect("there was one just now");
    drop(first);
    let rename = |device: &Loop| {
        fs::remove_file(&name).expect("the folder is ours");
        symlink(&device.0, &name).expect("the folder is ours");
    };
    rename(&second);
    assert!(comes_back(&host, &bytes_of(1, IMAGE_BYTES)).stop().success());
    drop(second);
    let another = Loop::over(&other).expect("there was one just now");
    rename(&another);
    let daemon = starts_cold(&host, "Its backing was ");
    drop(daemon);
}
