//! An idle daemon sleeps, however many disks it has.

use std::fs;
use std::sync::mpsc::channel;
use std::time::Duration;

use crate::host::{Daemon, Host};

const MIB: u64 = 1 << 20;
const DISKS: u64 = 24;
const SECONDS: u64 = 10;

/// Returns how often the threads of shards fell asleep so far.
fn sleeps_of_shards(daemon: &Daemon) -> u64 {
    let tasks = fs::read_dir(format!("/proc/{}/task", daemon.id())).expect("it runs");
    let sleeps = tasks.flatten().filter_map(|task| {
        let name = fs::read_to_string(task.path().join("comm")).ok()?;
        let status = fs::read_to_string(task.path().join("status")).ok()?;
        let sleeps = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
        name.starts_with("shard-").then(|| sleeps.trim().parse::<u64>().expect("the kernel writes a number"))
    });
    sleeps.sum()
}

#[test]
fn shards_sleep_while_their_disks_have_nothing_to_do() {
    let host = Host::new();
    let daemon =
        host.serve_with(&["--pool", &host.text("pool.img"), "--pool-size", "256MiB", "--shards", "2"]);
    for number in 0..DISKS {
        let image = host.image(&format!("{number}.img"), MIB);
        daemon.run(&["disk", "add", &format!("d{number}"), "--backing", &image]).succeeded();
    }
    let before = sleeps_of_shards(&daemon);
    // Nothing is sent for this long: the test measures time, and waits for no event.
    let (_silent, nothing) = channel::<()>();
    nothing.recv_timeout(Duration::from_secs(SECONDS)).expect_err("nobody sends");
    let sleeps = sleeps_of_shards(&daemon) - before;
    // One query for a sample every 5 s, and the work of the disks after they were added. A timer for each
    // disk would be 50 and more.
    assert!(sleeps < SECONDS * 4, "shards woke up {sleeps} times in {SECONDS} s");
    assert!(daemon.stop().success());
}
