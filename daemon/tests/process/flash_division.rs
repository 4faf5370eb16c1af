//! Flash of a pool, divided among its disks by their use.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::host::{Daemon, Host};
use crate::warm::bytes_of;

const MIB: u64 = 1 << 20;
const REQUEST: u64 = 64 << 10;
const IMAGE_BYTES: u64 = 56 * MIB;
/// Bytes that are read over and over: more than half of the pool.
const WORKING_SET: u64 = 44 * MIB;
const TIME_MAX: Duration = Duration::from_mins(2);

fn flash(daemon: &Daemon) -> Value {
    daemon.json(&["pool", "show"])["pool"]["flash"].clone()
}

/// Returns a figure of a disk; none before flash was divided.
fn figure(flash: &Value, name: &str, key: &str) -> Option<u64> {
    flash.as_array()?.iter().find(|disk| disk["name"] == name)?[key].as_u64()
}

fn share(flash: &Value, name: &str) -> Option<u64> {
    figure(flash, name, "flash_bytes")
}

#[test]
fn flash_goes_from_an_idle_disk_to_one_that_is_read_but_nothing_that_is_reserved() {
    let host = Host::new();
    fs::write(host.path("forebay.toml"), "balance-interval = \"1s\"\n").expect("the folder is ours");
    let arguments = ["--config", &host.text("forebay.toml"), "--pool", &host.text("own.pool"), "--pool-size"];
    let serve = || host.serve_with(&[&arguments[..], &["64MiB"]].concat());
    let daemon = serve();
    for (name, seed) in [("busy", 1), ("idle", 2)] {
        let backing = host.text(&format!("{name}.img"));
        fs::write(&backing, bytes_of(seed, IMAGE_BYTES)).expect("the folder is ours");
        daemon.run(&["disk", "add", name, "--backing", &backing, "ram=1MiB", "reserve=4MiB"]).succeeded();
    }
    let (mut guest, content) = (daemon.guest("busy"), bytes_of(1, IMAGE_BYTES));
    let began = Instant::now();
    let divided = loop {
        for offset in (0..WORKING_SET).step_by(REQUEST as usize) {
            let found = guest.read(offset, REQUEST as u32).expect("the disk is served");
            assert!(found == content[offset as usize..(offset + REQUEST) as usize], "at {offset}");
        }
        let now = flash(&daemon);
        // All of it, less what RAM has and what would save too little.
        if share(&now, "busy") >= Some(WORKING_SET - 4 * MIB) {
            break now;
        }
        assert!(began.elapsed() < TIME_MAX, "the shares stay as they are: {now}");
    };
    let usable = daemon.json(&["pool", "show"])["pool"]["usable_bytes"].as_u64().expect("a number");
    let (busy, idle) = (share(&divided, "busy").expect("a share"), share(&divided, "idle").expect("a share"));
    assert!(idle >= 4 * MIB && busy + idle <= usable, "{divided}");
    assert!(figure(&divided, "busy", "flash_bytes_held") > Some(0), "{divided}");
    let shown = daemon.run(&["pool", "show"]).succeeded();
    assert!(shown.contains("FLASH OF") && shown.contains("hardly reads"), "{shown}");
    // A restart goes on from these shares before anything is read.
    drop(guest);
    assert!(daemon.stop().success());
    let daemon = serve();
    let began = Instant::now();
    let restored = loop {
        let now = flash(&daemon);
        if share(&now, "busy").is_some() {
            break now;
        }
        assert!(began.elapsed() < TIME_MAX, "nothing is divided");
    };
    assert!(share(&restored, "busy") >= Some(WORKING_SET - 4 * MIB), "{divided}, then {restored}");
    let mut guest = daemon.guest("busy");
    // One disk alone has all of it, and there is nothing to say.
    daemon.run(&["disk", "remove", "idle"]).succeeded();
    let began = Instant::now();
    while flash(&daemon) != Value::Array(Vec::new()) {
        assert!(began.elapsed() < TIME_MAX, "{}", flash(&daemon));
        guest.read(0, REQUEST as u32).expect("the disk is served");
    }
}
