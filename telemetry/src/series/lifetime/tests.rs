//! Disk that goes through modes, attachments and restarts.

use super::*;

/// Returns the counters of a disk: reads from RAM, and reads from the backing that took so many microseconds each.
fn counted(hits: u64, misses: u64, micros: u64) -> Counted {
    let mut counted = Counted::default();
    counted.counts.reads = hits + misses;
    counted.counts.read_hits_ram = hits;
    counted.counts.read_misses = misses;
    let latencies = cache::Latencies::default();
    (0..hits).for_each(|_| latencies.record(cache::Latency::ReadHitRam, 1_000));
    (0..misses).for_each(|_| latencies.record(cache::Latency::ReadMiss, micros * 1_000));
    counted.latencies = latencies.snapshot();
    counted
}

fn passed(misses: u64, micros: u64, seconds: u64) -> Passed {
    Passed { counted: counted(0, misses, micros), time: Duration::from_secs(seconds) }
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn restarted(lifetime: &Lifetime, total: &Counted) -> Lifetime {
    let text = serde_json::to_vec(&KeptLifetime::from(lifetime)).expect("plain data");
    let kept: KeptLifetime = serde_json::from_slice(&text).expect("it was written just now");
    kept.resume(&total.counts)
}

#[test]
fn what_was_counted_in_pass_through_and_what_with_the_cache_are_all_that_was_counted() {
    let mut lifetime = Lifetime::new(Moment(7), Counted::default());
    let mut total = counted(0, 40, 5_000);
    lifetime.see(seconds(20), &passed(40, 5_000, 20), &total.counts);
    total.add(&counted(90, 10, 9_000));
    lifetime.see(seconds(50), &passed(40, 5_000, 20), &total.counts);
    let Comparison { since, passed, cached, steps } = lifetime.compare(&total);
    assert_eq!((since, passed.time, cached.time), (Moment(7), seconds(20), seconds(30)));
    assert_eq!(passed.counted, counted(0, 40, 5_000));
    assert_eq!(cached.counted.counts, counted(90, 10, 9_000).counts);
    let mut sum = passed.counted;
    sum.add(&cached.counted);
    assert_eq!(sum.counts, total.counts);
    let [step] = steps.as_slice() else { panic!("one mark: {steps:?}") };
    assert_eq!((step.from, step.to, step.hit_ratio()), (0, 30, Some(0.9)), "pass-through is not in it");
}

#[test]
fn attachments_and_restarts_add_up() {
    let mut lifetime = Lifetime::new(Moment(7), Counted::default());
    let mut total = counted(0, 40, 5_000);
    lifetime.see(seconds(20), &passed(40, 5_000, 20), &total.counts);
    lifetime.end_attachment(&total.counts);
    // The next attachment begins in pass-through too, and continues with the cache.
    total.add(&counted(0, 2, 5_000));
    total.add(&counted(8, 0, 0));
    lifetime.see(seconds(15), &passed(2, 5_000, 5), &total.counts);
    let mut lifetime = restarted(&lifetime, &total);
    let before = lifetime.compare(&total);
    assert_eq!((before.passed.time, before.cached.time), (seconds(25), seconds(10)));
    assert_eq!((before.passed.counted.counts.reads, before.cached.counted.counts.reads), (42, 8));
    total.add(&counted(1, 0, 0));
    lifetime.see(seconds(60), &Passed::default(), &total.counts);
    let after = lifetime.compare(&total);
    assert_eq!((after.passed.time, after.cached.time), (seconds(25), seconds(70)));
    assert_eq!((after.passed.counted, after.cached.counted.counts.reads), (before.passed.counted, 9));
    let steps: Vec<(u64, u64, u64)> =
        after.steps.iter().map(|step| (step.from, step.to, step.reads)).collect();
    assert_eq!(steps, [(0, 70, 9)], "seen first a minute behind the first mark");
}

#[test]
fn what_was_counted_before_this_was_kept_is_on_neither_side() {
    let old = counted(500, 500, 1_000);
    let mut lifetime = Lifetime::new(Moment(9), old.clone());
    let mut total = old;
    total.add(&counted(0, 3, 5_000));
    total.add(&counted(7, 0, 0));
    lifetime.see(seconds(10), &passed(3, 5_000, 4), &total.counts);
    let lifetime = restarted(&lifetime, &total);
    let Comparison { since, passed, cached, steps } = lifetime.compare(&total);
    assert_eq!((since, passed.counted.counts.reads, cached.counted.counts.reads), (Moment(9), 3, 7));
    assert_eq!(steps.iter().map(|step| step.reads).sum::<u64>(), 7);
}

#[test]
fn busiest_minutes_are_kept_apart_and_outlast_a_restart() {
    let mut lifetime = Lifetime::new(Moment(7), Counted::default());
    let mut total = counted(0, 600, 100);
    lifetime.see(seconds(60), &passed(600, 100, 60), &total.counts);
    total.add(&counted(6_000, 0, 0));
    lifetime.see(seconds(120), &passed(600, 100, 60), &total.counts);
    let mut lifetime = restarted(&lifetime, &total);
    total.add(&counted(60, 0, 0));
    lifetime.see(seconds(60), &Passed::default(), &total.counts);
    let Comparison { passed, cached, .. } = lifetime.compare(&total);
    assert_eq!((passed.busiest.per_second(), cached.busiest.per_second()), (Some(10.0), Some(100.0)));
}

#[test]
fn a_disk_that_was_never_seen_has_nothing_to_compare() {
    let lifetime = Lifetime::new(Moment(7), Counted::default());
    let Comparison { passed, cached, steps, .. } = lifetime.compare(&Counted::default());
    assert_eq!((passed.counted, cached.counted), (Counted::default(), Counted::default()));
    assert_eq!((passed.busiest.per_second(), cached.busiest.per_second(), steps), (None, None, Vec::new()));
}
