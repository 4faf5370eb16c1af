//! How long requests of a step took: percentiles, which cannot be added up as sums can. So those of a step are worked out from all
//! that was measured since it began, each time that somebody looks, and only they are kept.
//!
//! A step that had some already, of an earlier run of the daemon or from before a clock was set back, keeps the larger ones: nothing
//! tells how many requests they were of.

use cache::{Latency, LatencyCounts};

use crate::counted::Counted;

/// What a number that is kept counts: nanoseconds. The longest that is measured just fits.
const UNIT_NS: f64 = 16.0;

/// Latencies that a disk measured in all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Measured {
    reads: LatencyCounts,
    writes: LatencyCounts,
}

impl Measured {
    /// Adds what was measured in another attachment.
    pub(crate) fn add(&mut self, counted: &Counted) {
        for class in [Latency::ReadHitRam, Latency::ReadHitFlash, Latency::ReadMiss] {
            self.reads.add(&counted.latencies[class as usize]);
        }
        self.writes.add(&counted.latencies[Latency::Write as usize]);
    }

    #[cfg(test)]
    pub(super) fn join(&mut self, more: &Self) {
        self.reads.add(&more.reads);
        self.writes.add(&more.writes);
    }

    fn since(&self, earlier: &Self) -> Self {
        Self { reads: self.reads.since(&earlier.reads), writes: self.writes.since(&earlier.writes) }
    }
}

/// Half, 95 and 99 of a hundred reads, or writes, took no longer; zero if there were none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Percentiles {
    reads: [u32; 3],
    writes: [u32; 3],
}

impl Percentiles {
    /// Numbers of 64 bits that it takes in a file.
    pub(super) const WORDS: usize = 3;

    fn of(measured: &Measured) -> Self {
        let kept = |counts: &LatencyCounts| {
            let summary = counts.summary();
            let is_any = u32::from(summary.count > 0);
            [summary.p50, summary.p95, summary.p99].map(|micros| unit(micros).max(is_any))
        };
        Self { reads: kept(&measured.reads), writes: kept(&measured.writes) }
    }

    /// The larger ones of both.
    fn or_more(self, other: Self) -> Self {
        let more = |one: [u32; 3], other: [u32; 3]| std::array::from_fn(|at| one[at].max(other[at]));
        Self { reads: more(self.reads, other.reads), writes: more(self.writes, other.writes) }
    }

    /// Of reads, in microseconds; none if there were none, or of a version that did not keep them.
    pub(crate) fn reads_us(&self) -> [Option<f64>; 3] {
        self.reads.map(micros)
    }

    /// Of writes.
    pub(crate) fn writes_us(&self) -> [Option<f64>; 3] {
        self.writes.map(micros)
    }

    pub(super) fn to_words(self) -> [u64; Self::WORDS] {
        std::array::from_fn(|at| u64::from(self.reads[at]) | u64::from(self.writes[at]) << 32)
    }

    pub(crate) fn from_words(words: [u64; Self::WORDS]) -> Self {
        Self { reads: words.map(|word| word as u32), writes: words.map(|word| (word >> 32) as u32) }
    }
}

#[expect(clippy::cast_sign_loss, reason = "a time is not negative")]
fn unit(micros: f64) -> u32 {
    (micros * 1_000.0 / UNIT_NS).round() as u32
}

fn micros(units: u32) -> Option<f64> {
    (units > 0).then(|| f64::from(units) * UNIT_NS / 1_000.0)
}

/// Works out the percentiles of the present step of a ring.
#[derive(Debug, Default)]
pub(super) struct Spread {
    /// The step.
    number: u64,
    /// What had been measured when it began.
    began: Measured,
    /// What the step had by then.
    before: Percentiles,
}

impl Spread {
    /// Those of step `number`, which has `now_has`, if `measured` is all by now and was `seen` by the look before, in whatever step
    /// that was.
    pub(super) fn look(
        &mut self,
        number: u64,
        now_has: Percentiles,
        seen: &Measured,
        measured: &Measured,
    ) -> Percentiles {
        if self.number != number {
            *self = Self { number, began: seen.clone(), before: now_has };
        }
        Percentiles::of(&measured.since(&self.began)).or_more(self.before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk that was read and written so often, each time for so many microseconds.
    fn measured(times: u64, read_us: u64, write_us: u64) -> Measured {
        let latencies = cache::Latencies::default();
        for _ in 0..times {
            latencies.record(Latency::ReadMiss, read_us * 1_000);
            latencies.record(Latency::ReadHitRam, read_us * 1_000);
            latencies.record(Latency::Write, write_us * 1_000);
        }
        let mut measured = Measured::default();
        measured.add(&Counted { latencies: latencies.snapshot(), ..Counted::default() });
        measured
    }

    fn with(mut one: Measured, more: &Measured) -> Measured {
        one.join(more);
        one
    }

    fn near(told: [Option<f64>; 3], meant: [f64; 3]) -> bool {
        told.iter().zip(meant).all(|(told, meant)| told.is_some_and(|told| (told / meant - 1.0).abs() < 0.02))
    }

    #[test]
    fn each_step_has_the_percentiles_of_what_was_measured_in_it() {
        let mut spread = Spread::default();
        let nothing = Measured::default();
        let fast = measured(98, 100, 50);
        let first = spread.look(7, Percentiles::default(), &nothing, &fast);
        assert!(near(first.reads_us(), [100.0; 3]) && near(first.writes_us(), [50.0; 3]), "{first:?}");
        let slow = with(fast.clone(), &measured(6, 9_000, 50));
        let both = spread.look(7, first, &fast, &slow);
        assert!(near(both.reads_us(), [100.0, 9_000.0, 9_000.0]), "of the whole step: {both:?}");
        let more = with(slow.clone(), &measured(1, 400, 1));
        let next = spread.look(8, Percentiles::default(), &slow, &more);
        assert!(near(next.reads_us(), [400.0; 3]), "{next:?}");
        let idle = spread.look(9, Percentiles::default(), &more, &more);
        assert_eq!((idle.reads_us(), idle.writes_us()), ([None; 3], [None; 3]));
    }

    #[test]
    fn a_step_that_goes_on_after_a_restart_keeps_the_larger_ones() {
        let nothing = Measured::default();
        let before = Spread::default().look(7, Percentiles::default(), &nothing, &measured(9, 100, 70));
        let after = Spread::default().look(7, before, &nothing, &measured(9, 300, 50));
        assert!(near(after.reads_us(), [300.0; 3]) && near(after.writes_us(), [70.0; 3]), "{after:?}");
    }

    #[test]
    fn what_is_kept_is_the_same_again_up_to_the_longest_that_is_measured() {
        for (reads, writes) in [(1, 2), (100, 68_000_000), (3_600_000_000, 0)] {
            let percentiles = Percentiles::of(&measured(3, reads, writes));
            assert_eq!(Percentiles::from_words(percentiles.to_words()), percentiles);
            assert!(percentiles.writes_us()[0].is_some(), "however short: {percentiles:?}");
        }
        assert_eq!(Percentiles::from_words([0; 3]), Percentiles::default(), "of files that have none");
    }
}
