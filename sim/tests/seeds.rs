//! Many seeds against the model, and the proof that a seed is a schedule.
//!
//! `FOREBAY_SEEDS` sets the number of seeds (default 300), `FOREBAY_SEEDS_SECONDS` the time after which no other one is begun once 300 ran;
//! the number that ran is printed. `FOREBAY_SEED` runs just one and prints its coverage.
//! `FOREBAY_SEED_RANGE=FROM..TO` runs those seeds to the end, with all failures, and prints its progress: `cargo xtask seeds`.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::any::Any;
use std::io::Write;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use sim::{Coverage, Report, run_seed};

/// Number of seeds between two messages of a long run.
const PROGRESS_SEEDS: u64 = 1000;
/// Number of seeds that cover every case.
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

/// Results of some seeds.
#[derive(Default)]
struct Met {
    seeds: u64,
    coverage: Coverage,
    failures: Vec<(u64, String)>,
}

/// Effect of a failure on the seeds that have not run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AfterFailure {
    Stop,
    GoOn,
}

/// Runs seeds on all cores, the first [`ENOUGH_SEEDS`] in any case and others until a moment; each world stays on one thread. A world that
/// panics has failed as any other.
fn run_seeds(
    seeds: Range<u64>,
    until: Option<Instant>,
    after_failure: AfterFailure,
    run: impl Fn(u64) -> Report + Sync,
) -> Met {
    let next = AtomicU64::new(seeds.start);
    let met = Mutex::new(Met::default());
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            let stops = after_failure == AfterFailure::Stop && !met.lock().unwrap().failures.is_empty();
            let is_late =
                seed - seeds.start >= ENOUGH_SEEDS && until.is_some_and(|until| Instant::now() > until);
            if seed >= seeds.end || stops || is_late {
                return;
            }
            let report = catch_unwind(AssertUnwindSafe(|| run(seed)));
            let mut met = met.lock().unwrap();
            met.seeds += 1;
            let failure = match report {
                Ok(report) => {
                    met.coverage.add(&report.coverage);
                    report.failure
                }
                Err(panic) => Some(said(&*panic)),
            };
            if let Some(failure) = failure {
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

/// Returns the message of a panic.
fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or(panic.downcast_ref::<&str>().copied());
    format!("panicked: {}", text.unwrap_or("without a text"))
}

#[test]
fn no_seed_shows_a_value_that_it_must_not() {
    if let Some(seed) = number("FOREBAY_SEED") {
        let report = run_seed(seed);
        println!("seed {seed}: {report:#?}");
        assert_eq!(report.failure, None, "seed {seed}");
        return;
    }
    let met = if let Some(seeds) = range("FOREBAY_SEED_RANGE") {
        run_seeds(seeds, None, AfterFailure::GoOn, run_seed)
    } else {
        let until =
            number("FOREBAY_SEEDS_SECONDS").map(|seconds| Instant::now() + Duration::from_secs(seconds));
        let seeds = 0..number("FOREBAY_SEEDS").unwrap_or(ENOUGH_SEEDS);
        run_seeds(seeds, until, AfterFailure::Stop, run_seed)
    };
    if let [(seed, failure), others @ ..] = &met.failures[..] {
        let others: Vec<u64> = others.iter().map(|(seed, _)| *seed).collect();
        panic!(
            "seed {seed} failed: {failure}\nreplay with FOREBAY_SEED={seed}; others that failed: {others:?}"
        );
    }
    let (seeds, coverage) = (met.seeds, met.coverage);
    // Not by the macro, whose output is shown of tests that fail only.
    writeln!(std::io::stdout(), "{seeds} seeds ran").unwrap();
    for (name, count) in coverage.named() {
        println!("  {name}: {count}");
    }
    let missing: Vec<_> = coverage.named().filter(|(_, count)| *count == 0).collect();
    assert!(missing.is_empty() || seeds < ENOUGH_SEEDS, "never met in {seeds} seeds: {missing:?}");
    assert!(coverage.operations >= 500 * seeds, "at least 500 operations a seed");
}

#[test]
fn every_seed_that_failed_is_named_also_if_its_world_panics() {
    let fail = |failure: Option<&str>| Report {
        digest: 0,
        coverage: Coverage::default(),
        failure: failure.map(str::to_owned),
    };
    let met = run_seeds(0..40, None, AfterFailure::GoOn, |seed| match seed {
        3 => panic!("of a text with the number {seed}"),
        5 => panic!("of a text"),
        7 => fail(Some("a wrong value")),
        _ => fail(None),
    });
    let expected =
        [(3, "panicked: of a text with the number 3"), (5, "panicked: of a text"), (7, "a wrong value")];
    assert_eq!(met.failures, expected.map(|(seed, text)| (seed, text.to_owned())));
    assert_eq!(met.seeds, 40);
}

#[test]
fn no_seed_is_begun_late_but_for_those_that_cover_every_case() {
    let run = |_| Report { digest: 0, coverage: Coverage::default(), failure: None };
    let met = run_seeds(10..10_000, Some(Instant::now()), AfterFailure::GoOn, run);
    assert_eq!(met.seeds, ENOUGH_SEEDS);
}

#[test]
fn one_seed_is_one_schedule() {
    for seed in [1, 2, 3] {
        assert_eq!(run_seed(seed), run_seed(seed));
    }
    assert_ne!(run_seed(1).digest, run_seed(2).digest);
}
