//! Many seeds against the model, and the proof that a seed is a schedule.
//!
//! `FOREBAY_SEEDS` sets how many seeds run (default 300), `FOREBAY_SEED` runs just one and prints what it met.
//! `FOREBAY_SEED_RANGE=FROM..TO` runs those seeds to the end, whatever fails, and says how far it is: `cargo xtask seeds`.
#![cfg(not(feature = "canary"))]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use sim::{Coverage, run_seed};

/// So often a long run says how far it is.
const PROGRESS_SEEDS: u64 = 1000;
/// So many seeds meet every case.
const ENOUGH_SEEDS: u64 = 300;

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

fn range(name: &str) -> Option<Range<u64>> {
    let text = std::env::var(name).ok()?;
    let parts = text.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    Some(parts.unwrap_or_else(|| panic!("{name} is no range of seeds: {text}")))
}

/// What some seeds led to.
#[derive(Default)]
struct Met {
    seeds: u64,
    coverage: Coverage,
    failures: Vec<(u64, String)>,
}

/// What a failure means for the seeds that have not run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AfterFailure {
    Stop,
    GoOn,
}

/// Runs seeds on all cores; each world stays on one thread.
fn run_seeds(seeds: Range<u64>, after_failure: AfterFailure) -> Met {
    let next = AtomicU64::new(seeds.start);
    let met = Mutex::new(Met::default());
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            let stops = after_failure == AfterFailure::Stop && !met.lock().unwrap().failures.is_empty();
            if seed >= seeds.end || stops {
                return;
            }
            let report = run_seed(seed);
            let mut met = met.lock().unwrap();
            met.seeds += 1;
            met.coverage.add(&report.coverage);
            if let Some(failure) = report.failure {
                println!("seed {seed} failed: {failure}");
                met.failures.push((seed, failure));
            }
            if met.seeds.is_multiple_of(PROGRESS_SEEDS) {
                println!("{} seeds, {} failed", met.seeds, met.failures.len());
            }
        }
    };
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let mut met = met.into_inner().unwrap();
    met.failures.sort();
    met
}

#[test]
fn no_seed_shows_a_value_that_it_must_not() {
    if let Some(seed) = number("FOREBAY_SEED") {
        let report = run_seed(seed);
        println!("seed {seed}: {report:#?}");
        assert_eq!(report.failure, None, "seed {seed}");
        return;
    }
    let met = match range("FOREBAY_SEED_RANGE") {
        Some(seeds) => run_seeds(seeds, AfterFailure::GoOn),
        None => run_seeds(0..number("FOREBAY_SEEDS").unwrap_or(ENOUGH_SEEDS), AfterFailure::Stop),
    };
    if let [(seed, failure), others @ ..] = &met.failures[..] {
        let others: Vec<u64> = others.iter().map(|(seed, _)| *seed).collect();
        panic!(
            "seed {seed} failed: {failure}\nreplay with FOREBAY_SEED={seed}; others that failed: {others:?}"
        );
    }
    let (seeds, coverage) = (met.seeds, met.coverage);
    println!("{seeds} seeds:");
    for (name, count) in coverage.named() {
        println!("  {name}: {count}");
    }
    let missing: Vec<_> = coverage.named().filter(|(_, count)| *count == 0).collect();
    assert!(missing.is_empty() || seeds < ENOUGH_SEEDS, "never met in {seeds} seeds: {missing:?}");
    assert!(coverage.operations >= 500 * seeds, "at least 500 operations a seed");
}

#[test]
fn one_seed_is_one_schedule() {
    for seed in [1, 2, 3] {
        assert_eq!(run_seed(seed), run_seed(seed));
    }
    assert_ne!(run_seed(1).digest, run_seed(2).digest);
}
