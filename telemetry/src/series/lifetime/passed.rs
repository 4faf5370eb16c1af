//! What was counted of a disk while it was pass-through: how it is without the cache, measured on the disk itself.
//!
//! ```text
//!   attached          pass-through                write-back       pass-through       now
//!   ───────────────|═════════════════════|──────────────────────|═════════════════·····>
//!                  began     counted here ends                  began
//! ```
//! Kept on the shard of the disk, where the mode changes: counters are read in the very step that changes it, so a request is
//! counted on one side or the other and never on both. One that is in flight then counts where it ends. Of one attachment,
//! from shard to shard, as counters are.

use std::time::Duration;

use cache::Mode;

use crate::counted::Counted;

/// Counters and time of pass-through. Or, of a disk as a whole: all that was counted, and the time since it began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// Counters and latencies.
    pub counted: Counted,
    /// Length of that time.
    pub time: Duration,
}

impl Passed {
    /// Adds what was counted elsewhere, or later.
    pub fn add(&mut self, more: &Self) {
        self.counted.add(&more.counted);
        self.time += more.time;
    }

    /// Returns the counters since `earlier`, which is an earlier reading of the same.
    fn since(&self, earlier: &Self) -> Self {
        Self { counted: self.counted.since(&earlier.counted), time: self.time.saturating_sub(earlier.time) }
    }
}

/// Keeps what is counted in pass-through apart.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    passed: Passed,
    /// Counters at the begin of the present stretch of pass-through, if it is one.
    began: Option<Passed>,
}

impl Meter {
    /// Of a disk that is attached now, in this mode.
    pub fn new(mode: Mode) -> Self {
        let mut meter = Self::default();
        meter.change(mode, Passed::default);
        meter
    }

    /// The mode is another from now on, or the same; `now` reads all that was counted since the disk was attached.
    pub fn change(&mut self, mode: Mode, now: impl FnOnce() -> Passed) {
        match (mode == Mode::PassThrough, self.began.take()) {
            (true, None) => self.began = Some(now()),
            (false, Some(began)) => self.passed.add(&now().since(&began)),
            (_, began) => self.began = began,
        }
    }

    /// Returns the counters of pass-through by now; `now` as with [`Self::change`].
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

    /// So many reads since the disk was attached, so many seconds ago.
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
