//! One budget for the RAM of all disks: divided by their use, kept within, changed in use and stored.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::host::{Daemon, Host};
use crate::warm::bytes_of;

const MIB: u64 = 1 << 20;
const REQUEST: u64 = 64 << 10;
const BUDGET: u64 = 16 * MIB;
const IMAGE_BYTES: u64 = 24 * MIB;
/// Bytes that are read over and over: they fit into the budget, and not into half of it.
const WORKING_SET: u64 = 12 * MIB;
const TIME_MAX: Duration = Duration::from_mins(2);

fn serve(host: &Host) -> Daemon {
    fs::write(host.path("forebay.toml"), "balance-interval = \"1s\"\n").expect("the folder is ours");
    host.serve_with(&["--config", &host.text("forebay.toml")])
}

/// Serves two disks, of which one is to be read.
fn serve_with_disks(host: &Host) -> Daemon {
    let daemon = serve(host);
    for (name, seed) in [("busy", 1), ("idle", 2)] {
        let backing = host.text(&format!("{name}.img"));
        fs::write(&backing, bytes_of(seed, IMAGE_BYTES)).expect("the folder is ours");
        daemon.run(&["disk", "add", name, "--backing", &backing]).succeeded();
    }
    daemon
}

fn set(daemon: &Daemon, setting: &str) -> String {
    daemon.run(&["pool", "set", &format!("ram={setting}")]).succeeded()
}

fn ram(daemon: &Daemon) -> Value {
    daemon.json(&["pool", "show"])["pool"]["ram"].clone()
}

/// Returns the RAM of a disk in bytes.
fn share(ram: &Value, name: &str) -> u64 {
    let disks = ram["disks"].as_array().expect("RAM is divided");
    let disk = disks.iter().find(|disk| disk["name"] == name).expect("it is among them");
    disk["ram_bytes"].as_u64().expect("a number")
}

fn sum(ram: &Value) -> u64 {
    let disks = ram["disks"].as_array().expect("RAM is divided");
    disks.iter().map(|disk| disk["ram_bytes"].as_u64().expect("a number")).sum()
}

/// Returns the remark on the RAM that a disk has at present; empty if it has the default.
fn remark(daemon: &Daemon, name: &str) -> String {
    let document = daemon.json(&["disk", "show", name]);
    let remarks = document["disk"]["remarks"].as_array().expect("a list");
    remarks
        .iter()
        .filter(|remark| remark["key"] == "ram")
        .filter_map(|remark| remark["text"].as_str())
        .collect()
}

/// Reads the working set repeatedly until the shares are as wanted; the data must be that of the image, and the
/// shares within the budget all the time.
fn read_until(daemon: &Daemon, is_wanted: impl Fn(&Value) -> bool) -> Value {
    let (mut guest, content) = (daemon.guest("busy"), bytes_of(1, IMAGE_BYTES));
    let began = Instant::now();
    loop {
        for offset in (0..WORKING_SET).step_by(REQUEST as usize) {
            let found = guest.read(offset, REQUEST as u32).expect("the disk is served");
            let expected = &content[offset as usize..(offset + REQUEST) as usize];
            assert!(found == expected, "what is read at {offset} is not what is there");
        }
        let now = ram(daemon);
        assert!(sum(&now) <= BUDGET, "{now}");
        if is_wanted(&now) {
            return now;
        }
        assert!(began.elapsed() < TIME_MAX, "the shares stay as they are: {now}");
    }
}

#[test]
fn ram_goes_from_an_idle_disk_to_one_that_is_read_within_the_budget() {
    let host = Host::new();
    let daemon = serve_with_disks(&host);
    assert_eq!((ram(&daemon), remark(&daemon, "busy")), (Value::Null, String::new()));
    assert_eq!(set(&daemon, "16MiB"), "RAM: 16MiB for all disks together\n");
    let before = ram(&daemon);
    assert_eq!(
        (share(&before, "busy"), share(&before, "idle"), sum(&before)),
        (BUDGET / 2, BUDGET / 2, BUDGET)
    );

    let after = read_until(&daemon, |now| share(now, "busy") >= WORKING_SET);
    assert!(share(&after, "idle") >= MIB && sum(&after) == BUDGET, "{after}");
    assert_eq!(after["setting"], "16MiB");
    let shown = daemon.run(&["pool", "show"]).succeeded();
    assert!(shown.contains("16MiB for all disks together") && shown.contains("RAM OF"), "{shown}");
    assert!(remark(&daemon, "idle").starts_with("auto, at present "), "{}", remark(&daemon, "idle"));

    // A disk that comes gets its part, of which the others make room.
    let third = host.image("third.img", IMAGE_BYTES);
    daemon.run(&["disk", "add", "third", "--backing", &third, "ram-max=2MiB"]).succeeded();
    let with_third = ram(&daemon);
    assert!(
        sum(&with_third) <= BUDGET && (MIB..=2 * MIB).contains(&share(&with_third, "third")),
        "{with_third}"
    );
    daemon.run(&["disk", "remove", "third"]).succeeded();
    read_until(&daemon, |now| sum(now) == BUDGET && share(now, "busy") >= WORKING_SET);

    assert!(daemon.stop().success());
    let daemon = serve(&host);
    let restarted = ram(&daemon);
    assert_eq!((restarted["setting"].as_str(), sum(&restarted)), (Some("16MiB"), BUDGET), "{restarted}");
    assert!(share(&restarted, "busy") >= WORKING_SET, "as before the restart: {restarted}");
    assert_ne!(remark(&daemon, "busy"), "");
    assert_eq!(set(&daemon, "off"), "RAM: off: each disk has its own\n");
    assert_eq!(
        (ram(&daemon), remark(&daemon, "busy"), remark(&daemon, "idle")),
        (Value::Null, String::new(), String::new())
    );
}

#[test]
fn a_disk_with_ram_of_its_own_keeps_that_as_a_part_of_the_budget() {
    let host = Host::new();
    let daemon = serve_with_disks(&host);
    set(&daemon, "16MiB");
    daemon.run(&["disk", "set", "idle", "ram=6MiB"]).succeeded();
    let fixed = read_until(&daemon, |now| share(now, "busy") == 10 * MIB);
    assert_eq!((share(&fixed, "idle"), &fixed["disks"][1]["is_fixed"]), (6 * MIB, &Value::Bool(true)));
    daemon.run(&["disk", "set", "idle", "ram=auto", "ram-max=3MiB"]).succeeded();
    let bounded = read_until(&daemon, |now| share(now, "busy") == 13 * MIB);
    assert!(share(&bounded, "idle") <= 3 * MIB, "{bounded}");
    daemon.run(&["disk", "set", "idle", "ram-max=off", "ram-min=7MiB"]).succeeded();
    let raised = ram(&daemon);
    assert!(share(&raised, "idle") >= 7 * MIB && sum(&raised) <= BUDGET, "{raised}");
    set(&daemon, "32MiB");
    assert_eq!(sum(&ram(&daemon)), 2 * BUDGET);
    // No disk gets more than holds all of it.
    set(&daemon, "64MiB");
    let all = ram(&daemon);
    assert_eq!((share(&all, "busy"), share(&all, "idle")), (IMAGE_BYTES, IMAGE_BYTES), "{all}");
    set(&daemon, "auto");
    let auto = ram(&daemon);
    assert_eq!(auto["setting"], "auto");
    assert!(sum(&auto) <= auto["budget_bytes"].as_u64().expect("a number").max(8 * MIB), "{auto}");
}

#[test]
fn budgets_and_bounds_that_cannot_be_are_refused_and_change_nothing() {
    let host = Host::new();
    let daemon = serve_with_disks(&host);
    let first = host.text("d/pool.img");
    set(&daemon, "16MiB");
    let refused = |words: &[&str], reason: &str| {
        let message = daemon.run(words).failed();
        assert!(message.starts_with(char::is_uppercase) && message.contains(reason), "{words:?}: {message}");
        let now = ram(&daemon);
        assert_eq!((now["setting"].as_str(), sum(&now)), (Some("16MiB"), BUDGET), "{words:?}");
    };
    refused(&["pool", "set", "ram=much"], "auto or off");
    refused(&["pool", "set", "ram=1000"], "at least 1MiB");
    refused(&["pool", "set", "ram=1MiB"], "at least 2MiB");
    refused(&["pool", "set", "ram=1000TiB"], "choose at most");
    refused(&["pool", "set", "ram=8MiB", "--device", &first], "leave the device out");
    refused(&["disk", "set", "busy", "ram=16MiB"], "at most 15MiB");
    refused(&["disk", "set", "busy", "ram-min=16MiB"], "at most 15MiB");
    refused(&["disk", "set", "busy", "ram-min=4MiB", "ram-max=3MiB"], "lower 'ram-min'");
    let third = host.image("third.img", IMAGE_BYTES);
    refused(&["disk", "add", "third", "--backing", &third, "ram=15MiB"], "at most 14MiB");
}
