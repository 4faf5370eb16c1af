//! Summaries of steps, the only thing kept of a week: sums and percentiles.
//!
//! Percentiles cannot be added up as sums can. They cover all measurements of a step; of two parts of a step, before and after a restart,
//! the larger ones are taken, because the number of requests behind them is not known.

use base::units::ratio;
use cache::{DiskStatistics, Latency, LatencyCounts};

use crate::counted::Counted;

use super::ring::Content;

/// Unit of the kept percentiles, in nanoseconds. The longest measured time just fits.
const UNIT_NS: f64 = 16.0;

/// Sums and percentiles of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Summary {
    pub(super) sums: Sums,
    pub(super) percentiles: Percentiles,
}

impl Content for Summary {
    fn of(counted: &Counted) -> Self {
        Self { sums: Sums::of(counted), percentiles: Percentiles::of(counted) }
    }

    fn summary(&self) -> Summary {
        *self
    }
}

/// Step of a disk's history: one stretch of the calendar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HistoryStep {
    /// Seconds since 1970 divided by the length of a step.
    pub number: u64,
    /// Time that it covers, in milliseconds: less than its length if the disk was not served for a part of it; more if its thread did not
    /// answer before it, or if the clock was set back.
    pub covered_ms: u64,
    /// Sums over the step.
    pub sums: Sums,
    /// Levels at the last sample.
    pub gauges: Gauges,
    /// Maximum of dirty bytes, of samples every five seconds.
    pub dirty_bytes_max: u64,
    /// Percentiles of latencies.
    pub percentiles: Percentiles,
}

impl HistoryStep {
    /// Numbers of 64 bits that a step takes in a file.
    pub(super) const WORDS: usize = 2 + Sums::COUNT + 4 + Percentiles::WORDS;

    /// Returns false if the step covers no time and has no counts.
    pub(super) fn is_known(&self) -> bool {
        self.covered_ms > 0 || self.sums != Sums::default()
    }

    /// Adds a later part of the same step.
    pub(super) fn merge(&mut self, later: &Self) {
        self.covered_ms = self.covered_ms.saturating_add(later.covered_ms);
        self.sums = self.sums.and(&later.sums);
        self.gauges = later.gauges;
        self.dirty_bytes_max = self.dirty_bytes_max.max(later.dirty_bytes_max);
        self.percentiles = self.percentiles.or_more(later.percentiles);
    }

    /// Returns the step as numbers, in the order of the file.
    pub(super) fn to_words(self) -> [u64; Self::WORDS] {
        let Self { number, covered_ms, sums, gauges, dirty_bytes_max, percentiles } = self;
        let Gauges { dirty_bytes, dirty_limit_bytes, cached_bytes } = gauges;
        let words = [number, covered_ms]
            .into_iter()
            .chain(sums.to_array())
            .chain([dirty_bytes, dirty_limit_bytes, cached_bytes, dirty_bytes_max])
            .chain(percentiles.to_words());
        let mut all = [0; Self::WORDS];
        all.iter_mut().zip(words).for_each(|(place, word)| *place = word);
        all
    }

    pub(super) fn from_words(words: [u64; Self::WORDS]) -> Self {
        let mut words = words.into_iter();
        let mut next = || words.next().expect("there are as many as are taken");
        Self {
            number: next(),
            covered_ms: next(),
            sums: Sums::from_array(std::array::from_fn(|_| next())),
            gauges: Gauges { dirty_bytes: next(), dirty_limit_bytes: next(), cached_bytes: next() },
            dirty_bytes_max: next(),
            percentiles: Percentiles::from_words(std::array::from_fn(|_| next())),
        }
    }
}

/// Levels of a disk at a moment, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gauges {
    /// Dirty bytes.
    pub dirty_bytes: u64,
    /// Dirty limit in bytes.
    pub dirty_limit_bytes: u64,
    /// Bytes on flash.
    pub cached_bytes: u64,
}

impl Gauges {
    /// Returns the levels at this moment.
    pub fn of(statistics: &DiskStatistics) -> Self {
        let DiskStatistics { dirty_bytes, dirty_limit_bytes, cached_bytes, .. } = *statistics;
        Self { dirty_bytes, dirty_limit_bytes, cached_bytes }
    }
}

macro_rules! sums {
    ($(#[doc = $doc:literal] $name:ident,)*) => {
        /// Sums over a step.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Sums { $(#[doc = $doc] pub $name: u64,)* }

        impl Sums {
            const COUNT: usize = [$(stringify!($name)),*].len();

            /// Returns both together.
            fn and(&self, more: &Self) -> Self {
                Self { $($name: self.$name.saturating_add(more.$name),)* }
            }

            fn to_array(self) -> [u64; Self::COUNT] {
                [$(self.$name),*]
            }

            fn from_array([$($name),*]: [u64; Self::COUNT]) -> Self {
                Self { $($name),* }
            }
        }
    };
}

// In the order of the file: adding one makes another version of it.
sums! {
    /// Reads.
    reads,
    /// Reads that RAM answered.
    read_hits_ram,
    /// Reads that flash answered.
    read_hits_flash,
    /// Writes.
    writes,
    /// Bytes read.
    read_bytes,
    /// Bytes written.
    write_bytes,
    /// Bytes written to flash.
    flash_write_bytes,
    /// Reads of the backing.
    backing_reads,
    /// Writes to the backing.
    backing_writes,
    /// Bytes read of the backing.
    backing_read_bytes,
    /// Bytes written to the backing.
    backing_write_bytes,
    /// Bytes destaged.
    destage_bytes,
    /// Time that all reads took, together, in nanoseconds.
    read_ns,
    /// Time that all writes took, together, in nanoseconds.
    write_ns,
}

impl Sums {
    /// Returns the sums of all counts of a disk.
    pub fn of(counted: &Counted) -> Self {
        let counts = &counted.counts;
        let nanos =
            |kinds: &[Latency]| kinds.iter().map(|kind| counted.latencies[*kind as usize].sum_ns()).sum();
        Self {
            reads: counts.reads,
            read_hits_ram: counts.read_hits_ram,
            read_hits_flash: counts.read_hits_flash,
            writes: counts.writes,
            read_bytes: counts.read_bytes,
            write_bytes: counts.write_bytes,
            flash_write_bytes: counts.flash_write_bytes,
            backing_reads: counts.backing_reads,
            backing_writes: counts.backing_writes,
            backing_read_bytes: counts.backing_read_bytes,
            backing_write_bytes: counts.backing_write_bytes,
            destage_bytes: counts.destage_bytes,
            read_ns: nanos(&[Latency::ReadHitRam, Latency::ReadHitFlash, Latency::ReadMiss]),
            write_ns: nanos(&[Latency::Write]),
        }
    }

    /// Returns full hits divided by reads; none without reads.
    pub fn hit_ratio(&self) -> Option<f64> {
        ratio(self.read_hits_ram.saturating_add(self.read_hits_flash), self.reads)
    }

    /// Returns the mean time of a read, in microseconds; none without reads.
    pub fn read_latency_us(&self) -> Option<f64> {
        ratio(self.read_ns, self.reads).map(|nanos| nanos / 1_000.0)
    }

    /// Returns the mean time of a write, in microseconds; none without writes.
    pub fn write_latency_us(&self) -> Option<f64> {
        ratio(self.write_ns, self.writes).map(|nanos| nanos / 1_000.0)
    }
}

/// Percentiles 50, 95 and 99 of reads and of writes; zero if there were none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Percentiles {
    reads: [u32; 3],
    writes: [u32; 3],
}

impl Percentiles {
    /// Numbers of 64 bits that it takes in a file.
    const WORDS: usize = 3;

    fn of(counted: &Counted) -> Self {
        let measured = |kind: Latency| &counted.latencies[kind as usize];
        let mut reads = measured(Latency::ReadHitRam).clone();
        reads.add(measured(Latency::ReadHitFlash));
        reads.add(measured(Latency::ReadMiss));
        let kept = |counts: &LatencyCounts| {
            let summary = counts.summary();
            let is_any = u32::from(summary.count > 0);
            [summary.p50, summary.p95, summary.p99].map(|micros| unit(micros).max(is_any))
        };
        Self { reads: kept(&reads), writes: kept(measured(Latency::Write)) }
    }

    /// Returns the larger ones of both.
    fn or_more(self, other: Self) -> Self {
        let more = |one: [u32; 3], other: [u32; 3]| std::array::from_fn(|at| one[at].max(other[at]));
        Self { reads: more(self.reads, other.reads), writes: more(self.writes, other.writes) }
    }

    /// Returns those of reads, in microseconds; none if there were no reads, or if a version did not keep them.
    pub fn reads_us(&self) -> [Option<f64>; 3] {
        self.reads.map(micros)
    }

    /// Returns those of writes, as with reads.
    pub fn writes_us(&self) -> [Option<f64>; 3] {
        self.writes.map(micros)
    }

    fn to_words(self) -> [u64; Self::WORDS] {
        std::array::from_fn(|at| u64::from(self.reads[at]) | u64::from(self.writes[at]) << 32)
    }

    /// Returns the percentiles of these words of a file.
    pub fn from_words(words: [u64; Self::WORDS]) -> Self {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_counters() {
        let mut counted = Counted { counts: cache::DiskCounts::from_names(|_| 3), ..Counted::default() };
        let latencies = cache::Latencies::default();
        for ((kind, _), number) in Latency::ALL.into_iter().zip(1..) {
            latencies.record(kind, number * 1_000);
        }
        counted.latencies = latencies.snapshot();
        let sums = Sums::of(&counted);
        assert_eq!(sums, Sums { read_ns: 6_000, write_ns: 4_000, ..Sums::from_array([3; Sums::COUNT]) });
    }

    #[test]
    fn percentiles_are_the_same_again_as_numbers_up_to_the_longest_that_is_measured() {
        for (read_us, write_us) in [(1, 2), (100, 68_000_000), (3_600_000_000, 1)] {
            let latencies = cache::Latencies::default();
            latencies.record(Latency::ReadMiss, read_us * 1_000);
            latencies.record(Latency::Write, write_us * 1_000);
            let percentiles =
                Percentiles::of(&Counted { latencies: latencies.snapshot(), ..Counted::default() });
            assert_eq!(Percentiles::from_words(percentiles.to_words()), percentiles);
            assert!(percentiles.writes_us()[0].is_some(), "however short: {percentiles:?}");
        }
        assert_eq!(Percentiles::from_words([0; 3]), Percentiles::default(), "of files that have none");
    }

    #[test]
    fn two_parts_of_a_step_add_up_and_keep_the_larger_percentiles_and_the_later_gauges() {
        let words = |number| HistoryStep::from_words(std::array::from_fn(|at| number + at as u64 % 3));
        let (mut step, later) = (words(7), words(9));
        step.merge(&later);
        assert_eq!((step.number, step.covered_ms, step.sums.reads), (7, 18, 20));
        assert_eq!((step.gauges, step.dirty_bytes_max), (later.gauges, later.dirty_bytes_max));
        assert_eq!(step.percentiles, later.percentiles);
        assert_eq!(HistoryStep::from_words(step.to_words()), step);
    }
}
