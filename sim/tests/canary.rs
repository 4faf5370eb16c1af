//! The canary: a build with a planted bug that simulation must find.
//!
//! Run with `cargo test -p sim --features canary --test canary`. The bug: fills enter the cache although a write came
//! in between. If no seed notices, simulation has become blind.
#![cfg(feature = "canary")]

#[test]
fn simulation_finds_the_planted_bug() {
    let found = (0..500).find(|seed| sim::run_seed(*seed).failure.is_some());
    let seed = found.expect("500 seeds ran on a cache with a planted bug, and none noticed");
    println!("found by seed {seed}");
}
