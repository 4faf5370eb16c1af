//! Lifetime of a disk: its figures with the cache and in pass-through, which `forebay report` compares. Kept with the totals.
//!
//! ```text
//!   total = from (by a version without this distinction) + passed (in pass-through) + cached (in any other mode)
//! ```
//! Every sample is passed in; its counters and times are of one moment. Nothing here reads a clock.

mod busiest;
mod curve;
mod kept;
mod passed;
#[cfg(test)]
mod tests;

use std::time::Duration;

use base::moment::Moment;
use cache::DiskCounts;

use crate::counted::Counted;

pub use busiest::Rate;
use busiest::{Busiest, Edge, Requests};
use curve::{Curve, Point};
pub use curve::{READS_MIN, RatioSpan, VARIATION_MAX, Warmth, warmth};
pub use kept::KeptLifetime;
pub use passed::{Meter, Passed};

/// Course of a disk over all its attachments.
#[derive(Clone, Debug)]
pub struct Lifetime {
    /// Time at which it began to be kept.
    since: Moment,
    /// Counters and latencies of that moment.
    from: Counted,
    /// Earlier attachments: counters in pass-through, and time with the cache.
    passed_before: Passed,
    cached_before: Duration,
    /// Present attachment at the last sample: counters in pass-through, and its whole time.
    passed: Passed,
    attached_for: Duration,
    curve: Curve,
    busiest: Busiest,
    edge: Edge,
}

/// Figures to be compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Time at which it began to be kept.
    pub since: Moment,
    /// Figures in pass-through.
    pub passed: Side,
    /// Figures with the cache.
    pub cached: Side,
    /// Answers to reads over time since the disk is cached.
    pub steps: Vec<RatioSpan>,
}

/// Figures with the cache, or in pass-through.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// Counters and latencies.
    pub counted: Counted,
    /// Time for which the disk was served in this way.
    pub time: Duration,
    /// The busiest minute.
    pub busiest: Rate,
}

impl Lifetime {
    /// Creates the lifetime of a disk that has counted so much by now.
    pub fn new(since: Moment, from: Counted) -> Self {
        Self {
            since,
            from,
            passed_before: Passed::default(),
            cached_before: Duration::ZERO,
            passed: Passed::default(),
            attached_for: Duration::ZERO,
            curve: Curve::default(),
            busiest: Busiest::default(),
            edge: Edge::default(),
        }
    }

    /// Takes a sample: time since the attachment, counters in pass-through since then, and counters in all.
    pub fn see(&mut self, attached_for: Duration, passed: &Passed, total: &DiskCounts) {
        self.passed = passed.clone();
        // While a disk moves between shards both report it, with the same counters and slightly different times.
        self.attached_for = self.attached_for.max(attached_for);
        let requests = self.requests(total);
        self.busiest.see(&mut self.edge, self.attached_for, requests);
        self.curve.see(self.point(total));
    }

    /// Ends the last attachment; by its end so much was counted in all.
    pub fn end_attachment(&mut self, total: &DiskCounts) {
        self.cached_before = self.cached_for();
        self.passed_before.add(&std::mem::take(&mut self.passed));
        self.attached_for = Duration::ZERO;
        self.edge = Edge::new(self.requests(total));
    }

    /// Returns the figures to compare, if so much was counted in all.
    pub fn compare(&self, total: &Counted) -> Comparison {
        let passed = self.passed_in_all();
        let cached = total.since(&self.from).since(&passed.counted);
        let (time, busiest) = (self.cached_for(), self.busiest);
        Comparison {
            since: self.since,
            passed: Side { counted: passed.counted, time: passed.time, busiest: busiest.passed },
            cached: Side { counted: cached, time, busiest: busiest.cached },
            steps: self.curve.steps(self.point(&total.counts)),
        }
    }

    fn passed_in_all(&self) -> Passed {
        let mut passed = self.passed_before.clone();
        passed.add(&self.passed);
        passed
    }

    fn cached_for(&self) -> Duration {
        self.cached_before + self.attached_for.saturating_sub(self.passed.time)
    }

    /// Returns the counters with the cache.
    fn cached_counts(&self, total: &DiskCounts) -> DiskCounts {
        let without_earlier = total.since(&self.from.counts);
        without_earlier.since(&self.passed_before.counted.counts).since(&self.passed.counted.counts)
    }

    fn requests(&self, total: &DiskCounts) -> Requests {
        let requests = |counts: &DiskCounts| counts.reads + counts.writes;
        let passed = [&self.passed_before, &self.passed].map(|passed| requests(&passed.counted.counts));
        Requests { cached: requests(&self.cached_counts(total)), passed: passed.iter().sum() }
    }

    fn point(&self, total: &DiskCounts) -> Point {
        let cached = self.cached_counts(total);
        Point {
            seconds: self.cached_for().as_secs(),
            reads: cached.reads,
            hits_ram: cached.read_hits_ram,
            hits_flash: cached.read_hits_flash,
        }
    }
}
