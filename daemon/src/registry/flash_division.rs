//! Flash that disks share, divided among them by the time that it saves, while guests go on.
//!
//! ```text
//!   every round: use of the disks ──> demands ── division.rs ──> targets, for the whole pool
//! ```
//! A target takes nothing away at once: while the pool is full, the disk that is furthest beyond its own gives room to
//! those that want some. Reservations and limits are kept. With a single disk, and until there are figures, there are
//! no targets: the oldest content of all disks goes first. A round in which a shard does not answer changes nothing.

use std::collections::BTreeMap;

use cache::DiskId;

use super::dividing::{AnswerTimes, DiskUse, HostUse, Savings};
use super::{Registry, lock};
use crate::division::{Demand, DiskShare, divide};

/// Flash of a disk that shares the pool's.
#[derive(Clone, Debug)]
pub(crate) struct DiskFlash {
    pub(crate) name: String,
    pub(crate) share: DiskShare,
    /// Flash that it held in the last round.
    pub(crate) held_bytes: u64,
    pub(crate) bytes_min: u64,
    pub(crate) bytes_max: u64,
}

impl Registry {
    /// Divides the pool's flash once, and has the pool go by that.
    pub(super) async fn divide_flash(&self, host: &HostUse) {
        let Some(usable) = host.flash_bytes.filter(|usable| host.is_complete && *usable > 0) else { return };
        let before = lock(&self.flash_shares).clone();
        let has_figures = host.disks.values().any(|disk| disk.curves.is_some());
        let next = match host.disks.len() {
            0 | 1 => BTreeMap::new(),
            _ if before.is_empty() && !has_figures => return,
            _ => divided(usable, host, &before),
        };
        let targets = next.iter().map(|(id, disk)| (DiskId(*id), disk.share.bytes)).collect();
        match self.shards.set_flash_targets(targets).await {
            Ok(()) => *lock(&self.flash_shares) = next,
            Err(problem) => tracing::warn!("Flash is divided as before for now: {problem}"),
        }
    }

    /// Returns the flash of each disk, in the order of their numbers; none if it is not divided.
    pub(super) fn flash_view(&self) -> Vec<DiskFlash> {
        lock(&self.flash_shares).values().cloned().collect()
    }
}

/// Returns the next division after `before`.
fn divided(usable_bytes: u64, host: &HostUse, before: &BTreeMap<u32, DiskFlash>) -> BTreeMap<u32, DiskFlash> {
    // A disk that comes weighs as much as the others on average.
    let part = usable_bytes / host.disks.len().max(1) as u64;
    let at_first = |disk: &DiskUse| part.max(disk.report.statistics.flash_bytes);
    let demands: Vec<Demand<Savings<'_>>> = host
        .disks
        .iter()
        .map(|(id, disk)| Demand {
            now_bytes: before.get(id).map_or_else(|| at_first(disk), |flash| flash.share.bytes),
            bytes_min: disk.report.settings.reserve_bytes,
            bytes_max: disk.report.settings.limit_bytes,
            reads: disk.reads,
            saved_ns: savings(disk),
        })
        .collect();
    let shares = divide(usable_bytes, &demands);
    let flash = |(disk, share): (&DiskUse, DiskShare)| DiskFlash {
        name: disk.name.clone(),
        share,
        held_bytes: disk.report.statistics.flash_bytes,
        bytes_min: disk.report.settings.reserve_bytes,
        bytes_max: disk.report.settings.limit_bytes,
    };
    let all = host.disks.values().zip(shares).map(flash);
    host.disks.keys().copied().zip(all).collect()
}

/// Returns the time that flash of a disk saves, behind the RAM that it has.
fn savings(disk: &DiskUse) -> Option<Savings<'_>> {
    let (curves, times) = (disk.curves.as_ref()?, AnswerTimes::of(&disk.report));
    let ram_bytes = disk.report.settings.ram_bytes;
    let hits = |bytes: u64| curves.reads.hit_ratio(bytes).unwrap_or(0.0);
    let hits_ram = hits(ram_bytes);
    Some(Box::new(move |bytes| {
        (hits(ram_bytes.saturating_add(bytes)) - hits_ram).max(0.0) * (times.backing - times.flash)
    }))
}
