//! What was counted and measured of a disk: since it was attached, in all, or in a window of time. Of two such, one can be
//! taken from the other or added to it, exactly; ratios and percentiles come afterwards.

mod kept;

use base::units::ratio;
use cache::{DiskCounts, DiskStatistics, Latency, LatencyCounts};

pub(crate) use kept::Kept;

/// Counters and latencies, the latter in the order of [`Latency::ALL`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) counts: DiskCounts,
    pub(crate) latencies: [LatencyCounts; Latency::ALL.len()],
}

impl Counted {
    /// Since the disk was attached.
    pub(crate) fn of(statistics: &DiskStatistics) -> Self {
        Self { counts: statistics.counts, latencies: statistics.latencies.clone() }
    }

    /// Adds what was counted elsewhere, or later.
    pub(crate) fn add(&mut self, more: &Self) {
        self.counts.add(&more.counts);
        for (latency, more) in self.latencies.iter_mut().zip(&more.latencies) {
            latency.add(more);
        }
    }

    /// What was counted since `earlier`, which is an earlier snapshot of the same.
    pub(crate) fn since(&self, earlier: &Self) -> Self {
        Self {
            counts: self.counts.since(&earlier.counts),
            latencies: std::array::from_fn(|at| self.latencies[at].since(&earlier.latencies[at])),
        }
    }

    /// Grows with everything that is counted: of two snapshots of the same disk, the earlier one has less.
    pub(crate) fn progress(&self) -> u64 {
        let counts: u64 = self.counts.named().map(|(_, count)| count).sum();
        counts + self.latencies.iter().map(LatencyCounts::count).sum::<u64>()
    }

    /// Reads that were answered from the cache alone.
    pub(crate) fn hits(&self) -> u64 {
        self.counts.read_hits_ram + self.counts.read_hits_flash
    }

    /// Full hits of all reads; none without reads.
    pub(crate) fn hit_ratio(&self) -> Option<f64> {
        ratio(self.hits(), self.counts.reads)
    }

    /// Every class of latencies with its name.
    pub(crate) fn latencies(&self) -> impl Iterator<Item = (&'static str, &LatencyCounts)> {
        Latency::ALL.iter().map(|(_, name)| *name).zip(&self.latencies)
    }
}
