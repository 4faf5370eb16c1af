//! Before and after: measurements of pass-through, the effect of the cache, and the part that survives a
//! restart.

use std::fs;

use doors::nbd::Client;
use serde_json::{Value, json};

use crate::host::{Daemon, Host};

const MIB: u64 = 1 << 20;
const PAGE: u64 = 4 << 10;
const PAGES: u64 = 4 * MIB / PAGE;
/// Requests in pass-through that are enough for a measurement.
const ENOUGH: u64 = 1_000;

fn report(daemon: &Daemon, name: &str) -> Value {
    daemon.json(&["report", name])["report"].clone()
}

fn total(daemon: &Daemon, name: &str) -> Value {
    daemon.json(&["stats", name])["disks"][0]["total"].clone()
}

fn read(guest: &mut Client, pages: u64) {
    (0..pages).for_each(|page| drop(guest.read(page * PAGE, PAGE as u32).expect("the disk is served")));
}

fn write(guest: &mut Client, pages: u64) {
    (0..pages).for_each(|page| guest.write(page * PAGE, &[7; PAGE as usize]).expect("the disk is served"));
}

fn number(document: &Value, key: &str) -> u64 {
    document[key].as_u64().unwrap_or_else(|| panic!("{key} is no number: {document}"))
}

fn measured(side: &Value, kind: &str) -> u64 {
    let latency = &side["latency_us"][kind];
    let classes = latency["classes"].as_array().expect("a list").iter();
    let sum: u64 = classes.map(|class| number(class, "count")).sum();
    assert_eq!(sum, number(latency, "count"), "{latency}");
    sum
}

/// Checks that both sides together are the total counters of the disk.
fn check_sums(daemon: &Daemon, name: &str) {
    let (report, total) = (report(daemon, name), total(daemon, name));
    let (without, with) = (&report["without"], &report["with"]);
    for key in ["reads", "writes", "active_seconds"] {
        assert_eq!(number(without, key) + number(with, key), number(&total, key), "{key}: {report}");
    }
    let steps = report["hit_ratio_over_time"].as_array().expect("a list").iter();
    let in_steps = |key: &str| steps.clone().map(|step| number(step, key)).sum::<u64>();
    assert_eq!(in_steps("reads"), number(with, "reads"), "{report}");
    for key in ["read_hits_ram", "read_hits_flash"] {
        assert_eq!(in_steps(key), number(with, key));
        assert_eq!(number(with, key), number(&total, key), "pass-through hits nothing");
    }
    assert_eq!((&report["reads"], &report["hit_ratio"]), (&total["reads"], &total["hit_ratio"]));
    let saved = number(without, "backing_reads").cast_signed() - number(with, "backing_reads").cast_signed();
    assert_eq!(report["saved"]["backing_reads"], saved);
}

#[test]
fn what_was_measured_in_pass_through_is_compared_with_what_the_cache_does_and_outlasts_a_restart() {
    let host = Host::new();
    let image = host.image("a.img", 4 * MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image, "--mode", "pass-through"]).succeeded();
    daemon.run(&["disk", "set", "a", "ram=8MiB"]).succeeded();
    let mut guest = daemon.guest("a");
    read(&mut guest, PAGES);
    write(&mut guest, ENOUGH);
    let before = report(&daemon, "a");
    assert_eq!((&before["without"]["reads"], &before["with"]["reads"]), (&PAGES.into(), &0.into()));
    assert_eq!(before["times_faster"], Value::Null, "nothing was read with the cache: {before}");

    daemon.run(&["disk", "set", "a", "mode=write-through"]).succeeded();
    read(&mut guest, 100);
    read(&mut guest, 100);
    write(&mut guest, 10);
    let after = report(&daemon, "a");
    let (without, with) = (&after["without"], &after["with"]);
    assert_eq!((number(without, "reads"), number(without, "writes")), (PAGES, ENOUGH));
    assert_eq!((number(with, "reads"), number(with, "writes")), (200, 10));
    assert_eq!((measured(without, "read"), measured(without, "write")), (PAGES, ENOUGH));
    assert_eq!((measured(with, "read"), measured(with, "write")), (200, 10));
    assert_eq!((&without["reads_are"], &without["writes_are"]), (&json!("measured"), &json!("measured")));
    assert_eq!(without["latency_us"], before["without"]["latency_us"], "what comes later changes nothing");
    assert_eq!(after["measured_backing_reads"], PAGES);
    assert_eq!(number(with, "read_hits_ram") + number(with, "read_hits_flash"), 100);
    assert_eq!((&with["hit_ratio"], &without["hit_ratio"]), (&json!(0.5), &json!(0.0)));
    assert_eq!(after["saved"]["backing_reads"], 100);
    assert_eq!(after["warm_up"]["state"], "too-few-reads");
    check_sums(&daemon, "a");
    let text = daemon.run(&["report", "a"]).succeeded();
    for part in
        ["measured in pass-through", "1024 reads and 1000 writes in", "200 reads and 10 writes in", " 50.0 %"]
    {
        assert!(text.contains(part), "{part} is missing in:\n{text}");
    }

    // Back and forth: counts are attributed to the right side.
    daemon.run(&["disk", "set", "a", "mode=pass-through"]).succeeded();
    read(&mut guest, 5);
    daemon.run(&["disk", "set", "a", "mode=write-around"]).succeeded();
    read(&mut guest, 3);
    check_sums(&daemon, "a");
    let last = report(&daemon, "a");
    assert_eq!((number(&last["without"], "reads"), number(&last["with"], "reads")), (PAGES + 5, 203));
    drop(guest);
    assert!(daemon.stop().success());

    let daemon = host.serve_with(&[]);
    read(&mut daemon.guest("a"), 7);
    let again = report(&daemon, "a");
    assert_eq!((number(&again["without"], "reads"), number(&again["with"], "reads")), (PAGES + 5, 210));
    assert_eq!(again["without"]["latency_us"], last["without"]["latency_us"]);
    assert_eq!(again["compared_since"], before["since"]);
    check_sums(&daemon, "a");
}

#[test]
fn a_disk_that_was_never_in_pass_through_has_its_before_concluded_also_while_it_waits() {
    let host = Host::new();
    let image = host.image("a.img", 4 * MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    daemon.run(&["disk", "set", "a", "ram=8MiB"]).succeeded();
    let mut guest = daemon.guest("a");
    read(&mut guest, 10);
    read(&mut guest, 10);
    write(&mut guest, 3);
    drop(guest);
    let served = report(&daemon, "a");
    assert_eq!(
        (&served["without"]["reads_are"], &served["measured_backing_reads"]),
        (&json!("concluded"), &10.into())
    );
    assert_eq!(served["without"]["writes_are"], "unknown");
    assert!(
        served["without"]["iops"].is_null() && served["with"]["iops"].is_null(),
        "too short a time: {served}"
    );
    assert_eq!(served["dirty_bytes"], 0);
    assert!(daemon.stop().success());

    fs::rename(host.path("a.img"), host.path("away.img")).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    assert_eq!(daemon.disk("a")["state"], "waiting");
    let waiting = report(&daemon, "a");
    assert_eq!(waiting["dirty_bytes"], Value::Null);
    for key in ["since", "reads", "without", "saved", "times_faster"] {
        assert_eq!(waiting[key], served[key], "{key}");
    }
    // Time continued until the stop.
    let but_time = |report: &Value| {
        let mut with = report["with"].clone();
        with["seconds"].take();
        with
    };
    assert_eq!(but_time(&waiting), but_time(&served));
    assert!(
        daemon.run(&["report", "a"]).succeeded().contains("concluded from the 10 that went to the backing")
    );
}

#[test]
fn totals_of_an_older_version_count_and_are_not_compared() {
    let host = Host::new();
    let image = host.image("a.img", 4 * MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    read(&mut daemon.guest("a"), 10);
    assert!(daemon.stop().success());

    let path = host.path("d/totals.json");
    let text = fs::read(&path).expect("a clean stop wrote it");
    let mut kept: Value = serde_json::from_slice(&text).expect("it is JSON");
    let disks = kept["disks"].as_object_mut().expect("it has disks");
    for disk in disks.values_mut() {
        disk.as_object_mut().expect("it is an object").remove("course").expect("this version keeps it");
        disk["since"] = json!(7);
    }
    // Nor did it know checksums.
    kept.as_object_mut().expect("it is an object").remove("checksum").expect("this version keeps one");
    kept["schema"] = json!(1);
    fs::write(&path, kept.to_string()).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    read(&mut daemon.guest("a"), 4);
    let report = report(&daemon, "a");
    assert_eq!((number(&report, "reads"), number(&report["with"], "reads")), (14, 4));
    assert_eq!(report["since"], "1970-01-01T00:00:07Z");
    assert_ne!(report["compared_since"], report["since"]);
    assert!(daemon.run(&["report", "a"]).succeeded().contains("Compared is what was counted since 20"));
}
