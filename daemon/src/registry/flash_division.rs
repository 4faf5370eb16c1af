//! Flash that disks share, divided among them by the time that it saves, while guests go on.
//!
//! ```text
//!   every round: use of the disks ──> demands ── advice/src/division.rs ──> targets, for the whole pool
//! ```
//! A target takes nothing away at once: while the pool is full, the disk that is furthest beyond its own gives room to
//! those that want some. Reservations and limits are kept. With a single disk, and until there are figures, there are
//! no targets: the oldest content of all disks goes first. A round in which a shard does not answer changes nothing.

use std::collections::BTreeMap;

use advice::division::{Demand, DiskShare, divide};
use cache::DiskId;

use super::dividing::{DiskUse, HostUse, Savings};
use super::saved_shares::SavedShares;
use super::{Registry, lock};

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

/// Flash of the disks that share it.
#[derive(Debug, Default)]
pub(super) struct FlashShares {
    /// Those that are served, by number; empty while flash is not divided.
    disks: BTreeMap<u32, DiskFlash>,
    /// Shares in bytes of disks that are not served now, or were not divided since the start, by number.
    earlier: BTreeMap<u32, u64>,
}

impl FlashShares {
    /// Returns the shares at a start, before any disk is served.
    pub(super) fn at_start(saved: &SavedShares) -> Self {
        Self { disks: BTreeMap::new(), earlier: saved.flash.clone() }
    }

    /// Adds the shares to those that are saved.
    pub(super) fn save_into(&self, saved: &mut SavedShares) {
        saved.flash = self.earlier.clone();
        saved.flash.extend(self.disks.iter().map(|(id, disk)| (*id, disk.share.bytes)));
    }

    /// Returns the share of a disk in bytes, if it has or had one.
    fn bytes(&self, id: u32) -> Option<u64> {
        let now = self.disks.get(&id).map(|disk| disk.share.bytes);
        now.or_else(|| self.earlier.get(&id).copied())
    }

    /// Takes the next division. Disks without a share in it that are still recorded keep theirs until they are served again.
    fn replace(&mut self, next: BTreeMap<u32, DiskFlash>, is_recorded: impl Fn(u32) -> bool) {
        let before = std::mem::replace(&mut self.disks, next);
        self.earlier.extend(before.into_iter().map(|(id, disk)| (id, disk.share.bytes)));
        self.earlier.retain(|id, _| !self.disks.contains_key(id) && is_recorded(*id));
    }
}

impl Registry {
    /// Divides the pool's flash once, and has the pool go by that.
    pub(super) async fn divide_flash(&self, host: &HostUse) {
        let Some(usable) = host.flash_bytes.filter(|usable| host.is_complete && *usable > 0) else { return };
        let has_figures = host.disks.values().any(|disk| disk.curves.is_some());
        let next = {
            let before = lock(&self.flash_shares);
            let has_shares = host.disks.keys().any(|id| before.bytes(*id).is_some());
            match host.disks.len() {
                0 | 1 => BTreeMap::new(),
                _ if !has_shares && !has_figures => return,
                _ => divided(usable, host, |id| before.bytes(id)),
            }
        };
        let state = self.state();
        let is_recorded = |id| state.disks.iter().any(|disk| disk.id == id);
        let targets = next.iter().map(|(id, disk)| (DiskId(*id), disk.share.bytes)).collect();
        match self.shards.set_flash_targets(targets).await {
            Ok(()) => lock(&self.flash_shares).replace(next, is_recorded),
            Err(problem) => tracing::warn!("Flash is divided as before for now: {problem}"),
        }
    }

    /// Returns the flash of each disk, in the order of their numbers; none if it is not divided.
    pub(super) fn flash_view(&self) -> Vec<DiskFlash> {
        lock(&self.flash_shares).disks.values().cloned().collect()
    }
}

/// Returns the next division, after the one in which disks had the shares that `before` returns.
fn divided(
    usable_bytes: u64,
    host: &HostUse,
    before: impl Fn(u32) -> Option<u64>,
) -> BTreeMap<u32, DiskFlash> {
    // A disk that comes weighs as much as the others on average.
    let part = usable_bytes / host.disks.len().max(1) as u64;
    let at_first = |disk: &DiskUse| part.max(disk.report.statistics.flash_bytes);
    let demands: Vec<Demand<Savings<'_>>> = host
        .disks
        .iter()
        .map(|(id, disk)| Demand {
            now_bytes: before(*id).unwrap_or_else(|| at_first(disk)),
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
    let curves = disk.curves.as_ref()?;
    Some(Box::new(disk.answer_times().saved_by_flash(curves, disk.report.settings.ram_bytes)))
}
