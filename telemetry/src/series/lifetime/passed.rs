//! Counters of a disk in pass-through: its figures without the cache, measured on the disk itself.
//!
//! ```text
//!   attached          pass-through                write-back       pass-through       now
//!   ───────────────|═════════════════════|──────────────────────|═════════════════·····>
//!                  began     counted here ends                  began
//! ```
//! Kept on the shard of the disk, where the mode changes: the step that changes the mode reads the counters, so a request counts on one
//! side or the other and never on both. A request that is in flight then counts where it ends. Belongs to one attachment, and moves between
//! shards as counters do.

use std::time::Duration;

use cache::Mode;

use crate::counted::Counted;

/// Counters and time of pass-through; or, of a disk as a whole, all its counters and the time since it began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// Counters and latencies.
    pub counted: Counted,
    /// Length of that time.
    pub time: Duration,
}

impl Passed {
    /// Adds counters of another part or a later time.
    pub fn add(&mut self, more: &Self) {
        self.counted.add(&more.counted);
        self.time += more.time;
    }

    /// Returns the difference to `earlier`, an earlier reading of the same.
    fn since(&self, earlier: &Self) -> Self {
        Self { counted: self.counted.since(&earlier.counted), time: self.time.saturating_sub(earlier.time) }
    }
}

/// Meter of the counters in pass-through.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    passed: Passed,
    /// Counters at the begin of the present stretch of pass-through, if there is one.
    began: Option<Passed>,
}

impl Meter {
    /// Creates the meter of a disk that is attached now, in this mode.
    pub fn new(mode: Mode) -> Self {
        let mut meter = Self::default();
        meter.change(mode, Passed::default);
        meter
    }

    /// Takes the mode that applies from now on; `now` reads all counters since the disk was attached.
    pub fn change(&mut self, mode: Mode, now: impl FnOnce() -> Passed) {
        match (mode == Mode::PassThrough, self.began.take()) {
            (true, None) => self.began = Some(now()),
            (false, Some(began)) => self.passed.add(&now().since(&began)),
            (_, began) => self.began = began,
        }
    }

    /// Returns the counters in pass-through by now; `now` as with [`Self::change`].
    pub fn read(&self, now: impl FnOnce() -> Passed) -> Passed {
        let mut passed = self.passed.clone();
        if let Some(began) = &self.began {
            passed.add(&now().since(began));
        }
        passed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the reading of a disk that was attached so many seconds ago, with so many reads since.
    fn now(reads: u64, seconds: u64) -> Passed {
        let mut counted = Counted::default();
        counted.counts.reads = reads;
        Passed { counted, time: Duration::from_secs(seconds) }
    }

    #[test]
    fn only_what_is_counted_between_two_changes_of_mode_counts() {
        let mut meter = Meter::new(Mode::WriteThrough);
        assert_eq!(meter.read(|| now(7, 10)), Passed::default());
        meter.change(Mode::PassThrough, || now(10, 20));
        assert_eq!(meter.read(|| now(14, 25)), now(4, 5));
        meter.change(Mode::WriteBack, || now(15, 30));
        assert_eq!(meter.read(|| now(90, 60)), now(5, 10));
        meter.change(Mode::WriteAround, || now(91, 61));
        meter.change(Mode::PassThrough, || now(100, 70));
        assert_eq!(meter.read(|| now(101, 72)), now(6, 12));
    }

    #[test]
    fn a_change_to_the_same_mode_changes_nothing() {
        let mut meter = Meter::new(Mode::PassThrough);
        meter.change(Mode::PassThrough, || now(3, 4));
        assert_eq!(meter.read(|| now(5, 6)), now(5, 6), "since it was attached");
        meter.change(Mode::WriteThrough, || now(6, 7));
        meter.change(Mode::WriteThrough, || now(8, 9));
        assert_eq!(meter.read(|| now(9, 10)), now(6, 7));
    }

    #[test]
    fn a_meter_that_moves_along_goes_on() {
        let mut meter = Meter::new(Mode::PassThrough);
        meter = meter.clone();
        meter.change(Mode::WriteThrough, || now(6, 7));
        assert_eq!(meter.clone().read(|| now(50, 50)), now(6, 7));
    }
}
