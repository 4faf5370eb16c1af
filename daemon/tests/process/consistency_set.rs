//! Consistency sets: disks whose backings are of one instant if all flash is lost.
//!
//! A guest writes each number to one disk and, once that is acknowledged, to the other one: at any instant the second has the same last number
//! as the first, or the one before.

use std::fs;

use serde_json::json;

use crate::consistent::{PAGES, last_of, write};
use crate::host::{Daemon, Host, forebay};
use crate::numbered::PAGE;
use crate::patience::until;

const IMAGE_BYTES: u64 = 6 << 20;
const ROOM: [&str; 4] = ["--reserve", "32MiB", "--dirty-limit", "7MiB"];

fn add(host: &Host, daemon: &Daemon, name: &str, keys: &[&str]) -> String {
    fs::create_dir(host.path(name)).expect("the folder is ours");
    let image = host.image(&format!("{name}/{name}.img"), IMAGE_BYTES);
    let add = ["disk", "add", name, "--backing", &image, "--mode", "write-back"];
    daemon.run(&[&add[..], &ROOM, keys].concat()).succeeded();
    image
}

/// Writes numbers to both disks, one after the other, until the time of their set has changed this often. Returns the last number.
fn write_for(daemon: &Daemon, first: u64, groups: usize) -> u64 {
    let (mut data, mut log) = (daemon.guest("data"), daemon.guest("log"));
    let (mut seen, mut k) = (Vec::new(), first);
    while seen.len() <= groups {
        for _ in 0..50 {
            write(&mut data, k);
            write(&mut log, k);
            k += 1;
        }
        let time = daemon.disk("data")["consistent_as_of"].as_str().map(str::to_owned);
        seen.extend(time.filter(|time| seen.last() != Some(time)));
    }
    k - 1
}

fn serve(host: &Host) -> Daemon {
    host.serve_with(&["--pool", &host.text("pool.img"), "--pool-size", "128MiB", "--shards", "2"])
}

fn assert_one_instant(data: &str, log: &str) -> u64 {
    let (of_data, of_log) = (last_of(data), last_of(log));
    assert!(of_data == of_log || of_data == of_log + 1, "data as of {of_data}, log as of {of_log}");
    of_log
}

#[test]
fn disks_of_a_set_are_of_one_instant_without_their_flash() {
    let host = Host::new();
    let daemon = serve(&host);
    // One that is added with its set, and one that was there before, on another shard. Alone, it would have groups at other times.
    let log = add(&host, &daemon, "log", &["consistent-age-max=3s"]);
    let data = add(&host, &daemon, "data", &["destage-order=consistent", "consistency-set=db"]);
    daemon.run(&["disk", "set", "log", "destage-order=consistent", "consistency-set=db"]).succeeded();
    let last = write_for(&daemon, 1, 4);
    let shown = daemon.run(&["disk", "show", "data"]).succeeded();
    assert!(shown.contains("set 'db'"), "{shown}");
    daemon.kill();
    // With its flash nothing is lost, also if that is killed again.
    let daemon = serve(&host);
    let last = write_for(&daemon, last + 1, 4);
    daemon.kill();
    let alone = forebay(&["disk", "recover", "--backing", &data]);
    assert_ne!(alone.status, 0);
    assert!(alone.stderr.contains("consistency set"), "{}", alone.stderr);
    let both = ["disk", "recover", "--backing", &data, "--backing", &log];
    let planned = forebay(&[&both[..], &["--dry-run"]].concat()).succeeded();
    assert!(planned.contains("Nothing was changed"), "{planned}");
    forebay(&both).succeeded();
    let recovered = assert_one_instant(&data, &log);
    assert!(recovered > 0 && recovered <= last, "{recovered} of {last}");
    assert!(fs::metadata(&data).is_ok_and(|about| about.len() == IMAGE_BYTES) && PAGES * PAGE < IMAGE_BYTES);
    let again = forebay(&both);
    assert_ne!(again.status, 0, "they bear no mark any more: {}", again.stdout);
}

#[test]
fn a_disk_that_is_missing_holds_back_its_set_and_is_named_until_it_is_there_or_removed() {
    let host = Host::new();
    let daemon = serve(&host);
    let keys = ["destage-order=consistent", "consistency-set=db"];
    let log = add(&host, &daemon, "log", &keys);
    add(&host, &daemon, "data", &keys);
    let last = write_for(&daemon, 1, 2);
    assert!(daemon.stop().success());
    // The folder, with the ring: an image that was renamed counts as modified.
    let elsewhere = host.path("elsewhere");
    fs::rename(host.path("log"), &elsewhere).expect("both are ours");

    let daemon = serve(&host);
    let set = |daemon: &Daemon, disk: &str| daemon.disk(disk)["consistency_set"].clone();
    write(&mut daemon.guest("data"), last + 1);
    until(|| set(&daemon, "data")["waits_for"] == "one of its disks is not served");
    let before = daemon.disk("data")["consistent_as_of"].clone();
    let shown = daemon.run(&["disk", "show", "data"]).succeeded();
    assert!(shown.contains("set 'db' (1 of 2 disks); WAITS: one of its disks is not served"), "{shown}");
    fs::rename(&elsewhere, host.path("log")).expect("both are ours");
    until(|| {
        daemon.disk("data")["consistent_as_of"] != before && set(&daemon, "data")["waits_for"].is_null()
    });
    assert_eq!((&set(&daemon, "log")["promising"], &set(&daemon, "log")["members"]), (&json!(2), &json!(2)));

    let refused = daemon.run(&["disk", "set", "data", "consistency-set=off"]).failed();
    assert!(refused.contains("first forebay disk set data destage-order=address"), "{refused}");
    write(&mut daemon.guest("log"), last + 1);
    daemon.run(&["disk", "remove", "log"]).succeeded();
    assert_eq!(last_of(&log), last + 1, "everything was destaged");
    let before = daemon.disk("data")["consistent_as_of"].clone();
    write(&mut daemon.guest("data"), last + 2);
    until(|| daemon.disk("data")["consistent_as_of"] != before);
    assert_eq!(set(&daemon, "data")["members"], 1);
    daemon.run(&["disk", "set", "data", "destage-order=address", "consistency-set=off"]).succeeded();
    assert!(set(&daemon, "data").is_null());
}
