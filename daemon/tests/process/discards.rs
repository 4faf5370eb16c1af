//! Flash that a disk freed is discarded on a block device, and stays allocated in a file.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;

use serde_json::Value;

use crate::host::{Daemon, Host, Loop};

const MIB: u64 = 1 << 20;
const POOL_BYTES: u64 = 96 * MIB;
/// More than RAM holds, and less than the pool.
const IMAGE_BYTES: u64 = 48 * MIB;
const REQUEST: u64 = 1 << 20;
/// Far more than anything here takes.
const ROUNDS: usize = 1000;

/// Returns the allocated storage of a file, in bytes.
fn allocated(path: &str) -> u64 {
    fs::metadata(path).expect("it is there").blocks() * 512
}

fn device(daemon: &Daemon) -> Value {
    daemon.json(&["pool", "show"])["pool"]["devices"][0].clone()
}

/// Polls until a condition holds.
fn until(what: &str, daemon: &Daemon, is_so: impl Fn(&Value) -> bool) {
    assert!((0..ROUNDS).any(|_| is_so(&device(daemon))), "{what}: {}", device(daemon));
}

/// Caches most of the image on flash.
fn fill(daemon: &Daemon, host: &Host) {
    let bytes: Vec<u8> = (0..IMAGE_BYTES / 512).flat_map(|sector| [(sector % 251) as u8 | 1; 512]).collect();
    fs::write(host.path("a.img"), bytes).expect("the folder is ours");
    daemon.run(&["disk", "add", "a", "--backing", &host.text("a.img")]).succeeded();
    daemon.run(&["disk", "set", "a", "admission=always", "sequential-cutoff=0", "ram=1MiB"]).succeeded();
    daemon.run(&["disk", "set", "a", "limit=80MiB"]).succeeded();
    let used = || {
        let device = device(daemon);
        let number = |key: &str| device[key].as_u64().expect("a number");
        number("segments") - number("segments_free")
    };
    let filled = (0..ROUNDS).any(|_| {
        read_all(daemon);
        used() * 256 * 1024 > 36 * MIB
    });
    assert!(filled, "{}", device(daemon));
}

fn read_all(daemon: &Daemon) {
    let mut guest = daemon.guest("a");
    for at in (0..IMAGE_BYTES).step_by(REQUEST as usize) {
        let read = guest.read(at, REQUEST as u32).expect("the disk is served");
        let first = (at / 512 % 251) as u8 | 1;
        assert!(read[..512].iter().all(|&byte| byte == first), "at {at}");
    }
}

#[test]
fn a_block_device_gets_back_what_a_removed_disk_held_and_is_used_again() {
    let host = Host::new();
    let flash = host.text("flash.img");
    File::create(&flash).and_then(|file| file.set_len(POOL_BYTES)).expect("the folder is ours");
    let Some(node) = Loop::over(&flash) else { return };
    let daemon = host.serve_with(&["--pool", &node.0]);
    fill(&daemon, &host);
    let full = allocated(&flash);
    assert!(full > 32 * MIB, "{full} bytes");
    daemon.run(&["disk", "remove", "a"]).succeeded();
    until("what was given up is discarded", &daemon, |_| allocated(&flash) < 4 * MIB);
    assert_eq!(device(&daemon)["discards"], true);
    assert!(daemon.run(&["pool", "show"]).succeeded().contains("DISCARDS"));

    // Written again, and read by the next process.
    fill(&daemon, &host);
    assert!(allocated(&flash) > 32 * MIB);
    assert!(daemon.stop().success());
    let daemon = host.serve_with(&[]);
    read_all(&daemon);
    assert_eq!(daemon.json(&["stats"])["disks"][0]["checksum_errors"], 0);
    assert!(allocated(&flash) > 32 * MIB, "what is owned is not discarded");
    assert!(daemon.stop().success());
}

#[test]
fn a_new_pool_discards_what_the_device_held_before() {
    let host = Host::new();
    let flash = host.text("flash.img");
    fs::write(&flash, vec![0xa5; POOL_BYTES as usize]).expect("the folder is ours");
    let Some(node) = Loop::over(&flash) else { return };
    let refused = host.serve_fails(&["--pool", &node.0]);
    let (_, id) = refused.split_once(" --erase ").expect("it names the command");
    assert!(allocated(&flash) >= POOL_BYTES, "nothing was changed");
    let daemon = host.serve_with(&["--pool", &node.0, "--erase", id.trim()]);
    until("what is free is discarded", &daemon, |_| allocated(&flash) < 8 * MIB);
    assert!(daemon.stop().success());
}

#[test]
fn a_file_keeps_the_storage_that_was_reserved_for_it() {
    let host = Host::new();
    let flash = host.text("flash.img");
    let daemon = host.serve_with(&["--pool", &flash, "--pool-size", "96MiB"]);
    let reserved = allocated(&flash);
    assert!(reserved >= POOL_BYTES);
    until("it is known not to discard", &daemon, |device| device["discards"] == false);
    fill(&daemon, &host);
    daemon.run(&["disk", "remove", "a"]).succeeded();
    until("all but the notes is free", &daemon, |device| {
        device["segments"].as_u64() == device["segments_free"].as_u64().map(|free| free + 1)
    });
    assert_eq!(allocated(&flash), reserved);
    assert!(daemon.stop().success());
    assert_eq!(allocated(&flash), reserved);
}
