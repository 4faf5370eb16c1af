//! Flash that disks share, divided among them by the time that it saves, while guests go on.
//!
//! ```text
//!   every round: reports, curves ──> demands ── division.rs ──> targets, for the whole pool
//! ```
//! A target takes nothing away at once: while the pool is full, the disk that is furthest beyond its own gives room to
//! those that want some. Reservations and limits are kept. Without figures, and with a single disk, there are no targets: the oldest content of all
//! disks goes first.

use std::collections::BTreeMap;
use std::sync::MutexGuard;
use std::time::Instant;

use cache::{Curves, DiskId};
use futures_util::future::join_all;

use super::read_rate::{AnswerTimes, ReadRate, Savings, is_known};
use super::{Registry, lock};
use crate::division::{Demand, DiskShare, ShareReason, divide};
use crate::shard::DiskReport;

/// Flash of disks that share it.
#[derive(Debug, Default)]
pub(super) struct FlashShares {
    /// The disks, by number.
    disks: BTreeMap<u32, DiskFlash>,
}

/// Flash of a disk.
#[derive(Clone, Debug)]
struct DiskFlash {
    name: String,
    share: DiskShare,
    /// Flash that it holds, in bytes.
    held_bytes: u64,
    bytes_min: u64,
    bytes_max: u64,
    rate: ReadRate,
}

/// Flash of a disk, for people.
#[derive(Clone, Debug)]
pub(crate) struct DiskFlashView {
    pub(crate) name: String,
    /// Flash that it is to have.
    pub(crate) bytes: u64,
    /// Flash that it held in the last round.
    pub(crate) held_bytes: u64,
    pub(crate) bytes_min: u64,
    pub(crate) bytes_max: u64,
    pub(crate) reason: ShareReason,
}

impl Registry {
    fn flash_shares(&self) -> MutexGuard<'_, FlashShares> {
        lock(&self.flash_shares)
    }

    /// Divides the pool's flash once, and has the pool go by that.
    pub(super) async fn divide_flash(&self) {
        let Ok(pool) = self.shards.pool_report().await else { return };
        let reports = self.shards.disks_as_far_as_known().await;
        let reports: BTreeMap<u32, (String, DiskReport)> = reports
            .into_iter()
            .filter_map(|(name, report)| report.ok().map(|report| (report.settings.id.0, (name, report))))
            .collect();
        let (rates, demands): (Vec<ReadRate>, Vec<Demand<Savings>>) =
            self.flash_demands(pool.statistics.usable_bytes, &reports).await.into_iter().unzip();
        let shares = divide(pool.statistics.usable_bytes, &demands);
        let next = reports.iter().zip(rates).zip(&demands).zip(shares);
        let disks: BTreeMap<u32, DiskFlash> = next
            .map(|((((id, (name, report)), rate), demand), share)| {
                let flash = DiskFlash {
                    name: name.clone(),
                    share,
                    held_bytes: report.statistics.flash_bytes,
                    bytes_min: demand.bytes_min,
                    bytes_max: demand.bytes_max,
                    rate,
                };
                (*id, flash)
            })
            .collect();
        // One disk alone, or disks of which nothing is known, share as before.
        let is_divided = disks.len() > 1 && demands.iter().any(|demand| demand.saved_ns.is_some());
        let targets = disks.iter().filter(|_| is_divided).map(|(id, flash)| (DiskId(*id), flash.share.bytes));
        if let Err(problem) = self.shards.set_flash_targets(targets.collect()).await {
            tracing::warn!("Flash is divided as before for now: {problem}");
            return;
        }
        self.flash_shares().disks = disks;
    }

    /// Returns the flash of each disk; none with less than two disks.
    pub(super) fn flash_view(&self) -> Vec<DiskFlashView> {
        let shares = self.flash_shares();
        let view = |flash: &DiskFlash| DiskFlashView {
            name: flash.name.clone(),
            bytes: flash.share.bytes,
            held_bytes: flash.held_bytes,
            bytes_min: flash.bytes_min,
            bytes_max: flash.bytes_max,
            reason: flash.share.reason,
        };
        shares.disks.values().filter(|_| shares.disks.len() > 1).map(view).collect()
    }

    /// Returns the rates and demands of all disks, in the order of their numbers.
    async fn flash_demands(
        &self,
        usable_bytes: u64,
        reports: &BTreeMap<u32, (String, DiskReport)>,
    ) -> Vec<(ReadRate, Demand<Savings>)> {
        let asked = reports.iter().map(|(id, (name, report))| async move {
            let known = self.flash_shares().disks.get(id).cloned();
            let (settings, held) = (&report.settings, report.statistics.flash_bytes);
            let rate = ReadRate::next(known.as_ref().map(|flash| flash.rate), report, Instant::now());
            let reads = if settings.mode.row().reads_hit { rate.reads() } else { 0.0 };
            let curves = if reads > 0.0 { self.shards.curves(name.clone()).await.ok() } else { None };
            // A disk that comes weighs as much as the others on average.
            let part = (usable_bytes / reports.len() as u64).max(held);
            let demand = Demand {
                now_bytes: known.map_or(part, |flash| flash.share.bytes),
                bytes_min: settings.reserve_bytes,
                bytes_max: settings.limit_bytes,
                reads,
                saved_ns: curves.and_then(|(curves, _)| is_known(&curves).then(|| savings(curves, report))),
            };
            (rate, demand)
        });
        join_all(asked).await
    }
}

/// Returns the time in nanoseconds that a read takes less on average with so much flash.
fn savings(curves: Curves, report: &DiskReport) -> Savings {
    let times = AnswerTimes::of(report);
    let ram_bytes = report.settings.ram_bytes;
    let hits = move |bytes: u64| curves.reads.hit_ratio(bytes).unwrap_or(0.0);
    let hits_ram = hits(ram_bytes);
    Box::new(move |bytes| {
        (hits(ram_bytes.saturating_add(bytes)) - hits_ram).max(0.0) * (times.backing - times.flash)
    })
}
