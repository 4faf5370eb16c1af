//! Many seeds against the model, and the proof that a seed is a schedule.
//!
//! `FOREBAY_SEEDS` sets how many seeds run (default 300), `FOREBAY_SEED` runs just one and prints what it met.
#![cfg(not(feature = "canary"))]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use sim::{Coverage, run_seed};

fn number(name: &str) -> Option<u64> {
    std::env::var(name)
        .ok()
        .map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

/// Runs seeds on all cores; each world stays on one thread. Returns what was met and the lowest seed that failed.
fn run_seeds(seeds: u64) -> (Coverage, Option<(u64, String)>) {
    let next = AtomicU64::new(0);
    let met = Mutex::new((Coverage::default(), None::<(u64, String)>));
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds || met.lock().unwrap().1.is_some() {
                        return;
                    }
                    let report = run_seed(seed);
                    let mut met = met.lock().unwrap();
                    met.0.add(&report.coverage);
                    if let Some(failure) = report.failure {
                        let lowest = met.1.as_ref().is_none_or(|(other, _)| seed < *other);
                        if lowest {
                            met.1 = Some((seed, failure));
                        }
                    }
                }
            });
        }
    });
    met.into_inner().unwrap()
}

#[test]
fn no_seed_shows_a_value_that_it_must_not() {
    if let Some(seed) = number("FOREBAY_SEED") {
        let report = run_seed(seed);
        println!("seed {seed}: {report:#?}");
        assert_eq!(report.failure, None, "seed {seed}");
        return;
    }
    let seeds = number("FOREBAY_SEEDS").unwrap_or(300);
    let (coverage, failure) = run_seeds(seeds);
    if let Some((seed, failure)) = failure {
        panic!("seed {seed} failed: {failure}\nreplay with FOREBAY_SEED={seed}");
    }
    println!("{seeds} seeds:");
    for (name, count) in coverage.named() {
        println!("  {name}: {count}");
    }
    let missing: Vec<_> = coverage.named().filter(|(_, count)| *count == 0).collect();
    assert!(missing.is_empty(), "never met in {seeds} seeds: {missing:?}");
    assert!(coverage.operations >= 500 * seeds, "at least 500 operations a seed");
}

#[test]
fn one_seed_is_one_schedule() {
    for seed in [1, 2, 3] {
        assert_eq!(run_seed(seed), run_seed(seed));
    }
    assert_ne!(run_seed(1).digest, run_seed(2).digest);
}
