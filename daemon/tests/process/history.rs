//! History of disks, step by step: all counters, across restarts, whatever happens to the file.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use serde_json::Value;

use crate::browser::{Browser, serve};
use crate::host::{Daemon, Host};

const MIB: u64 = 1 << 20;
/// Offset of the numbers of the first step in the file.
const FIRST_STEP_AT: u64 = 33;

fn read(daemon: &Daemon, name: &str, times: u64) {
    let mut guest = daemon.guest(name);
    for at in 0..times {
        guest.read(at % 4 * 4096, 4096).expect("the disk is served");
    }
}

fn history(daemon: &Daemon, span: &str) -> Value {
    daemon.json(&["history", "a", "--span", span])["history"].clone()
}

fn column(history: &Value, key: &str) -> Vec<u64> {
    let column = history[key].as_array().unwrap_or_else(|| panic!("{key} is no column: {history}"));
    column.iter().map(|figure| figure.as_u64().unwrap_or_else(|| panic!("{key}: {figure}"))).collect()
}

fn sum(history: &Value, key: &str) -> u64 {
    column(history, key).iter().sum()
}

fn serve_with_a(host: &Host) -> Daemon {
    let image = host.image("a.img", MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image, "--mode", "write-back"]).succeeded();
    daemon
}

/// Returns the path of the first disk's file.
fn file(host: &Host) -> PathBuf {
    host.path("d/series/disk-1.series")
}

#[test]
fn sums_of_the_steps_are_the_counters_in_every_span_and_across_restarts() {
    let host = Host::new();
    let daemon = serve_with_a(&host);
    read(&daemon, "a", 50);
    daemon.guest("a").write(0, &[1; 4096]).expect("the disk is served");
    // So that nothing changes between two queries.
    daemon.run(&["disk", "destage", "a", "--wait"]).succeeded();
    let check = |daemon: &Daemon, span: &str, window: &str| {
        let (told, counted) = (history(daemon, span), daemon.json(&["stats", "a", "--window", window]));
        let counted = &counted["disks"][0];
        for key in [
            "reads",
            "read_hits_ram",
            "read_hits_flash",
            "writes",
            "read_bytes",
            "write_bytes",
            "backing_reads",
            "backing_read_bytes",
            "destage_bytes",
        ] {
            assert_eq!(sum(&told, key), counted[key], "{key} in {span}: {told}");
        }
        let dirty = column(&told, "dirty_bytes");
        assert_eq!(dirty.last(), counted["dirty_bytes"].as_u64().as_ref(), "{told}");
        let (time, now) = (column(&told, "time"), told["now"].as_u64());
        assert!(time.is_sorted() && time.last() <= now.as_ref(), "{told}");
    };
    for span in ["5m", "1d", "7d"] {
        check(&daemon, span, "total");
    }
    assert!(daemon.stop().success());

    let daemon = host.serve_with(&[]);
    let before = history(&daemon, "7d");
    assert_eq!(
        (sum(&before, "reads"), sum(&before, "writes")),
        (50, 1),
        "the step that was not over is there"
    );
    read(&daemon, "a", 7);
    check(&daemon, "5m", "start");
    check(&daemon, "7d", "total");
    // Two runs in the same five minutes are one step, or two next to each other.
    assert!(column(&history(&daemon, "1d"), "time").len() <= 2);
    let shown = daemon.run(&["history", "a"]).succeeded();
    assert!(shown.contains("REQ/S") && shown.contains("TO FLASH"), "{shown}");
    let csv = daemon.run(&["history", "a", "--csv"]).succeeded();
    assert!(csv.starts_with("time_utc,seconds,reads,"), "{csv}");
    assert!(daemon.stop().success());

    // Its history is available also while it waits, and removed with the disk.
    fs::rename(host.path("a.img"), host.path("away.img")).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    assert_eq!(sum(&history(&daemon, "7d"), "reads"), 57);
    assert!(file(&host).exists());
    daemon.run(&["disk", "remove", "a", "--discard-dirty"]).succeeded();
    assert!(!file(&host).exists());
    fs::rename(host.path("away.img"), host.path("a.img")).expect("the folder is ours");
    daemon.run(&["disk", "add", "a", "--backing", &host.text("a.img")]).succeeded();
    assert_eq!(sum(&history(&daemon, "7d"), "reads"), 0, "it is another disk");
}

#[test]
fn a_kill_costs_what_was_counted_since_totals_were_written() {
    let host = Host::new();
    let daemon = serve_with_a(&host);
    read(&daemon, "a", 10);
    assert!(daemon.stop().success());
    let kept = fs::read(file(&host)).expect("a clean stop wrote it");
    let daemon = host.serve_with(&[]);
    read(&daemon, "a", 5);
    daemon.kill();
    // Unless minutes passed meanwhile.
    let lost = fs::read(file(&host)).expect("it is replaced as a whole") == kept;
    let daemon = host.serve_with(&[]);
    let reads = sum(&history(&daemon, "7d"), "reads");
    assert!(if lost { reads == 10 } else { (10..=15).contains(&reads) }, "{reads}");
    assert!(!daemon.run(&["events"]).succeeded().contains("history-"), "nothing of it is damaged");
}

#[test]
fn a_file_that_is_damaged_or_from_the_future_is_set_aside_and_the_daemon_goes_on() {
    for (at, what) in [(0, "no file of this kind"), (8, "version 255"), (12, "head is damaged")] {
        let host = Host::new();
        let daemon = serve_with_a(&host);
        read(&daemon, "a", 10);
        assert!(daemon.stop().success());
        let damaged = File::options().write(true).open(file(&host)).expect("a clean stop wrote it");
        damaged.write_all_at(&[255], at).expect("the folder is ours");
        let daemon = host.serve_with(&[]);
        daemon.wait_for_log(what);
        read(&daemon, "a", 5);
        assert_eq!(sum(&history(&daemon, "7d"), "reads"), 5, "{what}");
        let events = daemon.run(&["events"]).succeeded();
        assert!(events.contains("It is kept as"), "{events}");
        assert!(daemon.stop().success());
        let aside = fs::read_dir(host.path("d/series")).expect("the folder is ours").flatten();
        assert_eq!(aside.count(), 2, "the old one and the new one");
        let daemon = host.serve_with(&[]);
        assert_eq!(sum(&history(&daemon, "7d"), "reads"), 5, "{what}");
    }
}

#[test]
fn a_damaged_step_costs_itself_alone() {
    let host = Host::new();
    let daemon = serve_with_a(&host);
    read(&daemon, "a", 10);
    assert!(daemon.stop().success());
    let damaged = File::options().write(true).open(file(&host)).expect("a clean stop wrote it");
    damaged.write_all_at(&[255], FIRST_STEP_AT).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    daemon.wait_for_log("Cannot read 1 of the steps");
    read(&daemon, "a", 5);
    let told = history(&daemon, "7d");
    // Those ten are included if the step ended before they were counted.
    assert!([5, 15].contains(&sum(&told, "reads")), "{told}");
    let hour = daemon.json(&["stats", "a", "--window", "1h"])["disks"][0]["reads"].clone();
    assert_eq!(hour, 15, "windows are whole");
}

#[test]
fn a_place_where_history_cannot_be_written_is_said_once_and_keeps_nobody_from_serving() {
    let host = Host::new();
    fs::create_dir(host.path("d")).expect("the folder is ours");
    fs::write(host.path("d/series"), "a file").expect("the folder is ours");
    let daemon = serve_with_a(&host);
    read(&daemon, "a", 10);
    assert_eq!(sum(&history(&daemon, "1d"), "reads"), 10);
    assert!(daemon.stop().success());
    fs::remove_file(host.path("d/series")).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    let events = daemon.run(&["events"]).succeeded();
    assert_eq!(events.matches("Cannot save the history of disks").count(), 1, "{events}");
    read(&daemon, "a", 3);
    assert!(daemon.stop().success());
    let daemon = host.serve_with(&[]);
    assert_eq!(sum(&history(&daemon, "1d"), "reads"), 3);
}

#[test]
fn disks_and_spans_that_there_are_not_are_problems() {
    let host = Host::new();
    let daemon = serve(&host);
    daemon.run(&["disk", "add", "web1", "--backing", &host.image("a.img", MIB)]).succeeded();
    let browser = Browser::of(&daemon);
    assert!(browser.get("/v1/history/web2").problem(404).contains("did you mean 'web1'"));
    assert!(browser.get("/v1/history/web1?span=1h").problem(400).contains("5m, 1d, 7d"));
    assert!(browser.get("/v1/history/web1?window=1d").problem(400).contains("`span` is all"));
    assert_eq!(browser.get("/v1/history/web1").json()["history"]["span"], "1d");
    assert!(daemon.run(&["history", "web2"]).failed().contains("There is no disk 'web2'"));
}
