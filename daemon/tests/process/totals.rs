//! Total counters of disks: kept across restarts, never an obstacle to one.

use std::fs;

use serde_json::Value;

use crate::host::{Daemon, Host};

const MIB: u64 = 1 << 20;

fn read(daemon: &Daemon, name: &str, times: u64) {
    let mut guest = daemon.guest(name);
    for _ in 0..times {
        guest.read(0, 4096).expect("the disk is served");
    }
}

fn report(daemon: &Daemon, name: &str) -> Value {
    daemon.json(&["report", name])["report"].clone()
}

fn serve_with_a(host: &Host) -> Daemon {
    let image = host.image("a.img", MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    daemon
}

#[test]
fn a_report_goes_on_after_a_restart_and_while_the_disk_waits() {
    let host = Host::new();
    let daemon = serve_with_a(&host);
    read(&daemon, "a", 10);
    let before = report(&daemon, "a");
    assert_eq!(before["reads"], 10);
    assert!(daemon.stop().success());

    let daemon = host.serve_with(&[]);
    read(&daemon, "a", 5);
    let after = report(&daemon, "a");
    assert_eq!((&after["reads"], &after["since"]), (&15.into(), &before["since"]));
    assert!(after["measured_backing_reads"].as_u64() >= before["measured_backing_reads"].as_u64());
    let statistics = daemon.json(&["stats", "a"])["disks"][0].clone();
    assert_eq!((&statistics["reads"], &statistics["total"]["reads"]), (&5.into(), &15.into()));
    assert!(daemon.stop().success());

    fs::rename(host.path("a.img"), host.path("away.img")).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    assert_eq!(daemon.disk("a")["state"], "waiting");
    assert_eq!(report(&daemon, "a")["reads"], 15);
    daemon.run(&["disk", "remove", "a"]).succeeded();
    fs::rename(host.path("away.img"), host.path("a.img")).expect("the folder is ours");
    daemon.run(&["disk", "add", "a", "--backing", &host.text("a.img")]).succeeded();
    assert_eq!(report(&daemon, "a")["reads"], 0, "it is another disk");
}

#[test]
fn a_kill_costs_what_was_counted_since_totals_were_written() {
    let host = Host::new();
    let daemon = serve_with_a(&host);
    read(&daemon, "a", 10);
    assert!(daemon.stop().success());
    let kept = fs::read(host.path("d/totals.json")).expect("a clean stop wrote it");
    let daemon = host.serve_with(&[]);
    read(&daemon, "a", 5);
    daemon.kill();
    // Unless a minute passed meanwhile.
    let lost = fs::read(host.path("d/totals.json")).expect("it is replaced as a whole") == kept;
    let daemon = host.serve_with(&[]);
    let reads = report(&daemon, "a")["reads"].as_u64().expect("a number");
    assert!(if lost { reads == 10 } else { (10..=15).contains(&reads) }, "{reads}");
}

#[test]
fn totals_that_cannot_be_read_begin_anew_and_keep_nobody_from_starting() {
    let host = Host::new();
    let daemon = serve_with_a(&host);
    read(&daemon, "a", 10);
    assert!(daemon.stop().success());
    fs::write(host.path("d/totals.json"), "{\"schema\":1,").expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    daemon.wait_for_log("The totals of disks restart from zero");
    assert_eq!(set_aside(&host, "totals.json"), ["{\"schema\":1,"], "it is kept as it was");
    read(&daemon, "a", 5);
    assert!(daemon.stop().success());
    let daemon = host.serve_with(&[]);
    assert_eq!(report(&daemon, "a")["reads"], 5);
    assert!(daemon.stop().success());
    // Nor is a place where they cannot be written.
    fs::create_dir(host.path("d/totals.json.new")).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    read(&daemon, "a", 1);
    assert!(daemon.stop().success());
}

/// Returns the content of files of this name that were renamed as damaged.
fn set_aside(host: &Host, name: &str) -> Vec<String> {
    let entries = fs::read_dir(host.path("d")).expect("the folder is ours").flatten();
    let is_aside = |entry: &fs::DirEntry| {
        entry.file_name().to_string_lossy().strip_prefix(name).is_some_and(|rest| rest.starts_with(".aside-"))
    };
    let text = |entry: fs::DirEntry| {
        String::from_utf8_lossy(&fs::read(entry.path()).expect("it is a file")).into_owned()
    };
    entries.filter(is_aside).map(text).collect()
}

#[test]
fn windows_go_on_after_a_restart_and_a_damaged_file_of_them_is_set_aside() {
    let host = Host::new();
    let daemon = serve_with_a(&host);
    read(&daemon, "a", 10);
    assert!(daemon.stop().success());

    let daemon = host.serve_with(&[]);
    read(&daemon, "a", 5);
    let lately = |daemon: &Daemon, window: &str| {
        let statistics = daemon.json(&["stats", "a", "--window", window])["disks"][0].clone();
        let latency = &statistics["latency_us"];
        let measured: u64 = ["read_hit_ram", "read_hit_flash", "read_miss"]
            .iter()
            .filter_map(|kind| latency[kind]["count"].as_u64())
            .sum();
        assert_eq!(statistics["reads"], measured, "{window}: {statistics}");
        measured
    };
    assert_eq!(["1h", "1d", "total", "start"].map(|window| lately(&daemon, window)), [15, 15, 15, 5]);
    // Unless the machine was slow, these are of the last five minutes too.
    assert!([5, 15].contains(&lately(&daemon, "5m")));
    assert!(daemon.stop().success());

    fs::write(host.path("d/series/disk-1.series"), "FOREBAYS is what it begins with")
        .expect("the folder is ours");
    // A file of an earlier version.
    fs::write(host.path("d/windows.bin"), "FOREBAYW is what it begins with").expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    daemon.wait_for_log("The recent counters of disks restart from zero");
    daemon.wait_for_log("disk-1.series: it is too short");
    assert_eq!(set_aside(&host, "windows.bin").len(), 1);
    assert_eq!(["1h", "total"].map(|window| lately(&daemon, window)), [0, 15]);
}
