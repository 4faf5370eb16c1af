//! Waiting in tests for the work of another thread: by repeated checks, and not for ever.

use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// Far longer than anything takes that ends at all.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);

/// Checks until it is so. Panics at the caller's line if it is not for two minutes: a failing test explains more than one that hangs.
#[track_caller]
pub(crate) fn until(mut it_is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !it_is_so() {
        assert!(start.elapsed() < PATIENCE, "waited for {} s in vain", PATIENCE.as_secs());
        std::thread::yield_now();
    }
}

/// Receives a message of another thread. Panics at the caller's line if that ended, or sends nothing for as long.
#[track_caller]
pub(crate) fn hear<T>(told: &Receiver<T>) -> T {
    told.recv_timeout(PATIENCE).expect("it is told soon")
}
