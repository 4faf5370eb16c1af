//! Rounds in which RAM and flash are divided among the disks: by what each of them reads, and how long its tiers take.
//!
//! ```text
//!   every round: reports ──> reads a second ──> curves of disks that read ──┬── ram_budget.rs
//!                                                                           └── flash_division.rs
//! ```
//! Every figure is asked for once. A shard that does not answer in time keeps the others waiting for no longer than
//! any request does.

use std::collections::BTreeMap;
use std::sync::Weak;
use std::time::{Duration, Instant};

use advice::division::AnswerTimes;
use base::units::float;
use cache::{Curves, Latency};
use futures_util::future::join_all;

use super::Registry;
use super::ram_budget::Basis;
use crate::shard::{DiskReport, HostReport, PoolReport};

/// Reads a second below which a disk is idle.
const READS_MIN: f64 = 0.05;
/// Weight of the last round beside earlier ones.
const LAST_WEIGHT: f64 = 0.3;
/// Reads that curves need to be judged by.
const CURVE_USES_MIN: f64 = 200.0;
/// Latencies in nanoseconds that are assumed until they are measured: of RAM, flash and backing.
const USUAL_NS: [f64; 3] = [5e3, 1e5, 1e6];

/// Function that returns the time in nanoseconds that a read takes less on average with so many bytes of a tier.
pub(super) type Savings<'a> = Box<dyn Fn(u64) -> f64 + Send + Sync + 'a>;

/// Use of the disks that are served, as far as their shards have answered.
pub(super) struct HostUse {
    /// By the numbers of the disks.
    pub(super) disks: BTreeMap<u32, DiskUse>,
    /// Flash in bytes that these disks may have together, without what is promised to disks that are not served; none if no shard said.
    pub(super) flash_bytes: Option<u64>,
    /// True if all shards have answered.
    pub(super) is_complete: bool,
}

/// Use of a disk.
pub(super) struct DiskUse {
    pub(super) name: String,
    pub(super) report: DiskReport,
    /// Reads a second that a cache could answer; 0 for an idle disk, and until they were measured.
    pub(super) reads: f64,
    /// Curves of a disk that reads, once enough is behind them.
    pub(super) curves: Option<Curves>,
}

impl Registry {
    /// Divides RAM and flash at intervals, as long as the registry is in use.
    pub(crate) async fn keep_divided(registry: Weak<Self>, interval: Duration) {
        let mut rates = BTreeMap::new();
        loop {
            tokio::time::sleep(interval).await;
            let Some(registry) = registry.upgrade() else { return };
            let _dividing = registry.dividing.lock().await;
            let mut host = registry.host_use().await;
            registry.measure(&mut host, &mut rates).await;
            registry.divide_ram(Basis::Savings, &host, None).await;
            registry.divide_flash(&host).await;
            registry.save_shares_aside();
        }
    }

    /// Returns the use of the disks, of which no rates and curves are known yet.
    pub(super) async fn host_use(&self) -> HostUse {
        let HostReport { disks: reports, pool, .. } = self.shards.report().await;
        let is_complete = reports.values().all(Result::is_ok);
        let unmeasured = |(name, report): (String, DiskReport)| {
            (report.settings.id.0, DiskUse { name, report, reads: 0.0, curves: None })
        };
        let reports = reports.into_iter().filter_map(|(name, report)| Some((name, report.ok()?)));
        let flash_bytes = pool.map(|PoolReport { statistics, .. }| {
            statistics.usable_bytes.saturating_sub(statistics.absent_reserved_bytes)
        });
        HostUse { disks: reports.map(unmeasured).collect(), flash_bytes, is_complete }
    }

    /// Adds reads and curves, if there is something to compare by them.
    async fn measure(&self, host: &mut HostUse, rates: &mut BTreeMap<u32, ReadRate>) {
        let now = Instant::now();
        // A disk whose shard does not answer keeps its rate.
        rates.retain(|id, _| !host.is_complete || host.disks.contains_key(id));
        for (id, disk) in &mut host.disks {
            let rate = ReadRate::next(rates.get(id).copied(), &disk.report, now);
            rates.insert(*id, rate);
            disk.reads = if disk.report.settings.mode.row().reads_hit { rate.reads() } else { 0.0 };
        }
        if host.disks.len() < 2 && !self.divides_ram() {
            return;
        }
        let reading = host.disks.values_mut().filter(|disk| disk.reads > 0.0);
        let asked = reading.map(|disk| async {
            let curves = self.shards.curves(disk.name.clone()).await.ok();
            disk.curves =
                curves.map(|(curves, _)| curves).filter(|curves| curves.reads.uses() >= CURVE_USES_MIN);
        });
        join_all(asked).await;
    }
}

/// Rate of a disk's reads.
#[derive(Clone, Copy, Debug)]
struct ReadRate {
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
    fn next(before: Option<Self>, report: &DiskReport, at: Instant) -> Self {
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
    fn reads(self) -> f64 {
        self.per_second.filter(|rate| *rate >= READS_MIN).unwrap_or(0.0)
    }
}

impl DiskUse {
    /// Returns the mean times of answers that were measured of the disk, and usual ones of tiers that have not answered yet.
    pub(super) fn answer_times(&self) -> AnswerTimes {
        let report = &self.report;
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
        AnswerTimes { ram, flash, backing }
    }
}
