//! Claims of reports, and their sources.

use base::moment::Moment;
use cache::Latencies as Recorder;
use telemetry::series::lifetime::{Lifetime, Passed};

use super::*;

/// Returns the counters of a disk: hits in RAM of 10 us, reads and writes that took the backing this long.
fn counted(hits: u64, misses: u64, writes: u64, micros: u64) -> Counted {
    let recorder = Recorder::default();
    (0..hits).for_each(|_| recorder.record(Latencies::ReadHitRam, 10_000));
    (0..misses).for_each(|_| recorder.record(Latencies::ReadMiss, micros * 1_000));
    (0..writes).for_each(|_| recorder.record(Latencies::Write, micros * 1_000));
    let mut counted = Counted { latencies: recorder.snapshot(), ..Counted::default() };
    let counts = &mut counted.counts;
    (counts.reads, counts.read_hits_ram, counts.read_misses) = (hits + misses, hits, misses);
    (counts.writes, counts.backing_reads, counts.backing_writes) = (writes, misses, writes);
    (counts.read_bytes, counts.backing_read_bytes) = ((hits + misses) * 4_096, misses * 4_096);
    (counts.write_bytes, counts.backing_write_bytes) = (writes * 4_096, writes * 4_096);
    counted
}

/// Returns the report on a disk with these counters in pass-through, and with the cache.
fn gain(passed: &Counted, cached: &Counted) -> serde_json::Value {
    let mut all = passed.clone();
    all.add(cached);
    let mut lifetime = Lifetime::new(Moment(7), Counted::default());
    let time = std::time::Duration::from_secs(100);
    lifetime.see(time * 2, &Passed { counted: passed.clone(), time }, &all.counts);
    let comparison = lifetime.compare(&all);
    let total = Total { since: Moment(7), counted: all };
    serde_json::to_value(disk_gain("a", &total, &comparison, Some(4_096))).expect("plain data")
}

#[test]
fn what_pass_through_measured_is_compared_with_what_the_cache_did() {
    let mut passed = counted(0, 1_000, 1_200, 5_000);
    passed.counts.active_seconds = 60;
    let mut cached = counted(900, 100, 50, 4_000);
    cached.counts.active_seconds = 60;
    let gain = gain(&passed, &cached);
    let (without, with) = (&gain["without"], &gain["with"]);
    assert_eq!((&without["reads_are"], &without["writes_are"]), (&"measured".into(), &"measured".into()));
    assert_eq!((&without["read_mean_us"], &with["read_mean_us"]), (&5_000.0.into(), &409.0.into()));
    assert!((gain["times_faster"].as_f64().expect("both are known") - 5_000.0 / 409.0).abs() < 1e-9);
    assert_eq!(gain["writes_times_faster"], 1.25);
    assert_eq!((&without["iops"], &with["iops"]), (&(2_200.0 / 60.0).into(), &17.5.into()));
    assert_eq!(
        (&without["reads"], &with["reads"], &gain["reads"]),
        (&1_000.into(), &1_000.into(), &2_000.into())
    );
    assert_eq!((&without["seconds"], &with["seconds"]), (&100.into(), &100.into()));
    assert_eq!((&without["backing_reads"], &with["backing_reads"]), (&1_000.into(), &100.into()));
    assert_eq!((&gain["saved"]["backing_reads"], &gain["saved"]["backing_writes"]), (&900.into(), &0.into()));
    assert_eq!(gain["saved"]["backing_read_bytes"], 900 * 4_096);
    assert_eq!((&with["hit_ratio"], &with["read_hits_ram"]), (&0.9.into(), &900.into()));
    assert_eq!((&gain["hit_ratio"], &gain["dirty_bytes"]), (&0.45.into(), &4_096.into()));
}

#[test]
fn without_enough_pass_through_only_reads_are_concluded() {
    let mut passed = counted(0, 999, 999, 5_000);
    passed.counts.active_seconds = 59;
    let gain = gain(&passed, &counted(900, 1, 7, 6_000));
    let without = &gain["without"];
    assert_eq!((&without["reads_are"], &without["writes_are"]), (&"concluded".into(), &"unknown".into()));
    assert_eq!(gain["measured_backing_reads"], 1_000, "all that went to the backing, in pass-through or not");
    assert_eq!(without["read_mean_us"], 5_001.0);
    let unknown = [&without["iops"], &without["latency_us"]["write"], &gain["writes_times_faster"]];
    assert_eq!(unknown, [&serde_json::Value::Null; 3]);
    assert_eq!(gain["with"]["writes_are"], "measured");
}

#[test]
fn nothing_is_claimed_that_nobody_measured_and_nothing_is_divided_by_zero() {
    let none = gain(&Counted::default(), &Counted::default());
    for key in ["times_faster", "writes_times_faster", "hit_ratio"] {
        assert!(none[key].is_null(), "{key}");
    }
    for side in ["without", "with"] {
        assert_eq!(none[side]["reads_are"], "unknown");
        assert!(none[side]["iops"].is_null() && none[side]["read_mean_us"].is_null(), "{none}");
    }
    assert_eq!(none["warm_up"]["state"], "too-few-reads");
    let all_hits = gain(&Counted::default(), &counted(50, 0, 0, 0));
    assert_eq!(all_hits["without"]["reads_are"], "unknown");
    assert!(all_hits["times_faster"].is_null());
}

#[test]
fn a_cache_that_costs_the_backing_more_is_said_to() {
    let mut cached = counted(1, 9, 0, 100);
    cached.counts.backing_reads = 15;
    assert_eq!(gain(&Counted::default(), &cached)["saved"]["backing_reads"], -5);
}

#[test]
fn classes_are_those_of_vscsi_stats_and_have_every_request_once() {
    let recorder = Recorder::default();
    for micros in [1, 9, 50, 400, 900, 4_000, 14_000, 29_000, 45_000, 90_000, 200_000] {
        recorder.record(Latencies::Write, micros * 1_000);
    }
    let classes = classes(&recorder.snapshot()[Latencies::Write as usize]);
    let bounds: Vec<Option<i64>> = classes.iter().map(|class| class.upto).collect();
    let expected = [1, 10, 100, 500, 1_000, 5_000, 15_000, 30_000, 50_000, 100_000].map(Some);
    assert_eq!(bounds, [&expected[..], &[None]].concat());
    assert!(classes.iter().all(|class| class.count == 1), "{classes:?}");
}
