//! Rates of reads and times of their answers, by which RAM and flash are divided among disks.

use std::time::Instant;

use base::units::float;
use cache::{Curves, Latency};

use crate::shard::DiskReport;

/// Reads a second below which a disk is idle.
const READS_MIN: f64 = 0.05;
/// Weight of the last round beside earlier ones.
const LAST_WEIGHT: f64 = 0.3;
/// Reads that a curve needs to be judged by.
const CURVE_USES_MIN: f64 = 200.0;
/// Latencies in nanoseconds that are assumed until they are measured: of RAM, flash and backing.
const USUAL_NS: [f64; 3] = [5e3, 1e5, 1e6];

/// Returns the time in nanoseconds that a read takes less on average with so many bytes of a cache.
pub(super) type Savings = Box<dyn Fn(u64) -> f64 + Send + Sync>;

/// Returns true if enough reads are behind the curves to judge by them.
pub(super) fn is_known(curves: &Curves) -> bool {
    curves.reads.uses() >= CURVE_USES_MIN
}

/// Rate of a disk's reads.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadRate {
    /// The attachment that counts.
    attachment: u64,
    /// Reads up to the last round.
    reads: u64,
    at: Instant,
    /// Reads a second, later rounds weighing more; none in the first round.
    per_second: Option<f64>,
}

impl ReadRate {
    /// Returns the rate as of now.
    pub(super) fn next(before: Option<Self>, report: &DiskReport, at: Instant) -> Self {
        let (attachment, reads) = (report.attachment, report.statistics.counts.reads);
        let before = before.filter(|before| before.attachment == attachment && before.reads <= reads);
        let per_second = before.map(|before| {
            let seconds = at.saturating_duration_since(before.at).as_secs_f64().max(1e-3);
            let last = float(reads - before.reads) / seconds;
            before.per_second.map_or(last, |earlier| earlier + LAST_WEIGHT * (last - earlier))
        });
        Self { attachment, reads, at, per_second }
    }

    /// Returns reads a second; 0 for an idle disk.
    pub(super) fn reads(self) -> f64 {
        self.per_second.filter(|rate| *rate >= READS_MIN).unwrap_or(0.0)
    }
}

/// Mean times of answers in nanoseconds: none is shorter than that of a faster tier.
#[derive(Clone, Copy, Debug)]
pub(super) struct AnswerTimes {
    pub(super) ram: f64,
    pub(super) flash: f64,
    pub(super) backing: f64,
}

impl AnswerTimes {
    /// Returns those that were measured of a disk, and usual ones of tiers that have not answered yet.
    pub(super) fn of(report: &DiskReport) -> Self {
        let mean = |latency: Latency, usual: f64| {
            let at = Latency::ALL.iter().position(|(known, _)| *known == latency);
            let counted = at.map(|at| &report.statistics.latencies[at]);
            let count: u64 = counted.map_or(0, |counted| counted.classes().map(|(_, count)| count).sum());
            counted.filter(|_| count > 0).map_or(usual, |counted| float(counted.sum_ns()) / float(count))
        };
        let [ram, flash, backing] = USUAL_NS;
        let ram = mean(Latency::ReadHitRam, ram);
        let flash = mean(Latency::ReadHitFlash, flash).max(ram);
        let backing = mean(Latency::ReadMiss, backing).max(flash);
        Self { ram, flash, backing }
    }
}
