//! What was counted and measured of a disk: since it was attached, in all, or in a window of time. Of two such, one can be
//! taken from the other or added to it, exactly; ratios and percentiles come afterwards.

mod kept;

use base::units::ratio;
use cache::{DiskCounts, DiskStatistics, Latency, LatencyCounts};

pub use kept::Kept;

/// Counters and latencies, the latter in the order of [`Latency::ALL`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Counters.
    pub counts: DiskCounts,
    /// Latencies by kind of request.
    pub latencies: [LatencyCounts; Latency::ALL.len()],
}

impl Counted {
    /// Returns the counters and latencies since the disk was attached.
    pub fn of(statistics: &DiskStatistics) -> Self {
        Self { counts: statistics.counts, latencies: statistics.latencies.clone() }
    }

    /// Adds what was counted elsewhere, or later.
    pub fn add(&mut self, more: &Self) {
        self.counts.add(&more.counts);
        for (latency, more) in self.latencies.iter_mut().zip(&more.latencies) {
            latency.add(more);
        }
    }

    /// Returns what was counted since `earlier`, which is an earlier snapshot of the same.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            counts: self.counts.since(&earlier.counts),
            latencies: std::array::from_fn(|at| self.latencies[at].since(&earlier.latencies[at])),
        }
    }

    /// Grows with everything that is counted: of two snapshots of the same disk, the earlier one has less.
    pub fn progress(&self) -> u64 {
        let counts: u64 = self.counts.named().map(|(_, count)| count).sum();
        counts + self.latencies.iter().map(LatencyCounts::count).sum::<u64>()
    }

    /// Reads that were answered from the cache alone.
    pub fn hits(&self) -> u64 {
        self.counts.read_hits_ram + self.counts.read_hits_flash
    }

    /// Full hits of all reads; none without reads.
    pub fn hit_ratio(&self) -> Option<f64> {
        ratio(self.hits(), self.counts.reads)
    }

    /// Every class of latencies with its name.
    pub fn latencies(&self) -> impl Iterator<Item = (&'static str, &LatencyCounts)> {
        Latency::ALL.iter().map(|(_, name)| *name).zip(&self.latencies)
    }
}
