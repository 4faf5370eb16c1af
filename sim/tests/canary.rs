//! Canaries: known bugs are planted one after another, and simulation must find each within so many seeds.
//!
//! Needs debug assertions. A bug that is not found any more shows that simulation no longer covers its case. Some bugs are left to
//! scenarios, which reach the moment at which they do harm: `holes/planted.rs`.
#![cfg(debug_assertions)]

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use cache::types::canary::{Bug, plant};

/// Bugs, each with the seeds of which one must find it.
const FOUND_WITHIN: [(Bug, Range<u64>); 18] = [
    (Bug::StaleFill, 0..50),
    (Bug::EmptyFirst, 0..400),
    (Bug::CloseWithoutForget, 0..300),
    (Bug::DropInMemory, 0..500),
    (Bug::NoIntentPastCache, 0..300),
    (Bug::LateTouch, 0..200),
    (Bug::FlushFromMemory, 0..500),
    (Bug::AckBeforeWrite, 0..100),
    (Bug::BypassOverDirty, 0..300),
    (Bug::BalancedOverDirty, 0..300),
    (Bug::TombstoneDropped, 0..2000),
    (Bug::HomeBeforeFlush, 0..300),
    (Bug::HomeOfAnother, 0..300),
    (Bug::EarlyReuse, 0..50),
    (Bug::ZeroesBehindEnd, 0..200),
    (Bug::OverlapsPass, 0..50),
    (Bug::RangesSaidOnce, 0..500),
    // No earlier seed finds it, and each takes long.
    (Bug::CleanBeforeLog, 950..2000),
];

#[test]
fn simulation_finds_every_planted_bug() {
    assert_eq!(FOUND_WITHIN.map(|(bug, _)| bug), Bug::IN_WALKS);
    let blind: Vec<String> = FOUND_WITHIN.into_iter().filter_map(|(bug, seeds)| hunt(bug, &seeds)).collect();
    assert!(blind.is_empty(), "simulation is blind: {blind:#?}");
}

/// Searches for a bug on all cores; returns a message if none of the seeds found it.
fn hunt(bug: Bug, seeds: &Range<u64>) -> Option<String> {
    let (next, found) = (AtomicU64::new(seeds.start), AtomicU64::new(u64::MAX));
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                plant(Some(bug));
                while found.load(Ordering::Relaxed) == u64::MAX {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        return;
                    }
                    if let Some(what) = sim::run_seed(seed).failure {
                        println!("{bug:?}: seed {seed}: {what}");
                        found.fetch_min(seed, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    (found.into_inner() == u64::MAX).then(|| format!("{bug:?} is not found by seeds {seeds:?}"))
}
