//! Counters and latencies of a disk: since it was attached, in all, or in a window of time. Two snapshots can be subtracted and added
//! exactly; ratios and percentiles are computed afterwards.

mod kept;

use base::units::ratio;
use cache::{DiskCounts, DiskStatistics, Latency, LatencyCounts};

pub use kept::StoredCounters;

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

    /// Adds counters of another part or a later time.
    pub fn add(&mut self, more: &Self) {
        self.counts.add(&more.counts);
        for (latency, more) in self.latencies.iter_mut().zip(&more.latencies) {
            latency.add(more);
        }
    }

    /// Returns the difference to `earlier`, an earlier snapshot of the same disk.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            counts: self.counts.since(&earlier.counts),
            latencies: std::array::from_fn(|at| self.latencies[at].since(&earlier.latencies[at])),
        }
    }

    /// Returns a number that grows with every count: of two snapshots of a disk, the earlier one has the smaller number.
    pub fn progress(&self) -> u64 {
        let counts: u64 = self.counts.named().map(|(_, count)| count).sum();
        counts + self.latencies.iter().map(LatencyCounts::count).sum::<u64>()
    }

    /// Returns the number of reads that the cache alone answered.
    pub fn hits(&self) -> u64 {
        self.counts.read_hits_ram + self.counts.read_hits_flash
    }

    /// Returns full hits divided by reads; none without reads.
    pub fn hit_ratio(&self) -> Option<f64> {
        ratio(self.hits(), self.counts.reads)
    }

    /// Returns every class of latencies with its name.
    pub fn latencies(&self) -> impl Iterator<Item = (&'static str, &LatencyCounts)> {
        Latency::ALL.iter().map(|(_, name)| *name).zip(&self.latencies)
    }
}
