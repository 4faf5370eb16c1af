//! Learned state of a disk, over stops and kills.

use std::fs;

use serde_json::Value;

use crate::host::{Daemon, Host};
use crate::warm::loaded;

const IMAGE: u64 = 16 << 20;
const PAGE: u64 = 4096;
/// Pages that guests read.
const PAGES: u64 = 1_000;

/// A daemon with a disk of which a guest read some pages three times.
fn used(host: &Host) -> Daemon {
    let image = host.image("a.img", IMAGE);
    let daemon = host.serve_with(&["--pool", &host.text("pool.img"), "--pool-size", "64MiB"]);
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    let mut guest = daemon.guest("a");
    for page in (0..PAGES).chain(0..PAGES).chain(0..PAGES) {
        guest.read(page * PAGE, PAGE as u32).expect("it is served");
    }
    drop(guest);
    daemon
}

fn again(host: &Host) -> Daemon {
    host.serve_with(&["--pool", &host.text("pool.img"), "--pool-size", "64MiB"])
}

/// Returns the number of samples and the working set of the curve.
fn samples(daemon: &Daemon) -> Value {
    let curve = daemon.json(&["curve", "a"])["curve"].clone();
    Value::from([curve["samples"].clone(), curve["working_set_bytes"].clone()].to_vec())
}

#[test]
fn what_was_learned_of_a_disk_survives_a_stop_and_a_kill_and_goes_with_the_disk() {
    let host = Host::new();
    let daemon = used(&host);
    let known = samples(&daemon);
    assert!(known[0].as_u64().is_some_and(|samples| samples >= PAGES), "{known}");
    assert!(daemon.stop().success());
    let file = host.path("d/learned/1.bin");
    assert!(file.exists(), "{}", file.display());
    let daemon = again(&host);
    assert_eq!(samples(&daemon), known, "after a stop");
    daemon.kill();
    let daemon = again(&host);
    assert_eq!(samples(&daemon), known, "after a kill");
    daemon.run(&["disk", "remove", "a"]).succeeded();
    assert!(!file.exists(), "nobody needs it any more");
}

#[test]
fn what_cannot_be_read_is_learned_again() {
    let host = Host::new();
    assert!(used(&host).stop().success());
    let file = host.path("d/learned/1.bin");
    let whole = fs::read(&file).expect("it was saved");
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    for damaged in [&whole[..whole.len() / 2], &flipped, &[]] {
        fs::write(&file, damaged).expect("the folder is ours");
        let daemon = again(&host);
        assert_eq!(samples(&daemon)[0], 0, "{} bytes", damaged.len());
        let mut guest = daemon.guest("a");
        assert_eq!(guest.read(0, PAGE as u32).expect("it is served").len() as u64, PAGE);
        drop(guest);
        daemon.kill();
    }
}

#[test]
fn what_was_learned_of_content_that_does_not_count_does_not_count() {
    let host = Host::new();
    assert!(used(&host).stop().success());
    // Another file in the place of the backing.
    fs::remove_file(host.path("a.img")).expect("it is there");
    host.image("a.img", IMAGE);
    let daemon = again(&host);
    assert_eq!(loaded(&daemon)["state"], "cold");
    assert_eq!(samples(&daemon)[0], 0);
}
