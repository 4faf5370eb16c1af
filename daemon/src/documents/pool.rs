//! Documents of the pool.

use api::pool::{Device, Shard, Shrinking};
use api::{DeviceState, Pool, PoolState};
use cache::{DeviceStatistics, MemberNumber};

use super::wear::{budget, wear};
use crate::pool::DeviceInUse;
use crate::registry::PoolView;
use crate::shard::{PoolReport, ShardReport};

/// Returns the state of the pool, with its reason if there is one.
pub(crate) fn standing_of_pool(view: &PoolView) -> (PoolState, Option<&str>) {
    match (&view.in_use.missing, view.report.statistics.failed) {
        (Some(missing), _) => (PoolState::Missing, Some(&missing.reason)),
        (None, true) => (PoolState::Failed, None),
        (None, false) => (PoolState::Serving, None),
    }
}

/// Returns the document of the pool.
pub(crate) fn pool(view: &PoolView) -> Pool {
    let PoolView { report: PoolReport { statistics, reserve_bytes_min }, in_use, shards, .. } = view;
    let (state, reason) = standing_of_pool(view);
    // Figures of the placeholder of a missing pool mean nothing.
    let missing = in_use.missing.as_ref();
    let known = |value: u64| missing.is_none().then_some(value);
    Pool {
        path: in_use.path().display().to_string(),
        id: missing.map_or_else(|| Some(statistics.id.clone()), |missing| missing.id.clone()),
        can_mirror: statistics.can_mirror && missing.is_none(),
        notes_mirrored: statistics.notes_mirrored,
        not_mirrored_reason: in_use.shared_drive().map(|shared| shared.reason()),
        segments_uncopied: statistics.segments_uncopied,
        state,
        reason: reason.map(str::to_owned),
        size_bytes: missing.map_or(Some(statistics.size_bytes), |missing| missing.size_bytes),
        usable_bytes: known(statistics.usable_bytes),
        reserved_bytes: known(statistics.reserved_bytes),
        segment_bytes: known(statistics.segment_bytes),
        segments: known(statistics.segments),
        segments_free: known(statistics.segments_free),
        reserve_bytes_min: known(*reserve_bytes_min),
        disks: statistics.disks,
        write_budget: view.write_budget.number(),
        page_cache_reason: in_use.devices.iter().find_map(|device| device.fallback.clone()),
        devices: devices(view),
        devices_lost: in_use.lost().iter().map(|lost| lost.path.display().to_string()).collect(),
        warnings: warnings(view),
        shards: shards.iter().map(shard).collect(),
    }
}

fn shard(report: &ShardReport) -> Shard {
    let ShardReport { number, disks, busy_ns, age_ns } = *report;
    Shard { number, disks, busy_ns, age_ns }
}

/// Returns warnings about devices that are lost, and about those that wear out.
fn warnings(view: &PoolView) -> Vec<String> {
    let wearing = view.worn.iter().filter_map(|(number, worn)| {
        let device = view.in_use.device(MemberNumber(*number))?;
        worn.warning(&device.path.display().to_string())
    });
    let full = view.report.statistics.lacks_space.then(|| {
        "Its storage has no room for a write (a full file system, thin volume or quota): writes to flash wait until there is"
            .to_owned()
    });
    full.into_iter().chain(view.in_use.warnings()).chain(wearing).collect()
}

/// Returns the devices of the pool; none of a missing pool.
fn devices(view: &PoolView) -> Vec<Device> {
    let PoolView { report: PoolReport { statistics, .. }, in_use, worn, .. } = view;
    if in_use.missing.is_some() {
        return Vec::new();
    }
    let device = |device: &DeviceStatistics| {
        let state = match device.state {
            _ if statistics.failed => DeviceState::Failed,
            cache::DeviceState::Used => DeviceState::Used,
            cache::DeviceState::Failed => DeviceState::Failed,
            cache::DeviceState::Leaving => DeviceState::Leaving,
        };
        let known = in_use.device(MemberNumber(device.number));
        Device {
            path: known.map(|known| known.path.display().to_string()),
            number: device.number,
            state,
            size_bytes: device.size_bytes,
            segments: device.segments,
            segments_free: device.segments_free,
            discards: device.discards,
            page_cache_reason: known.and_then(|known| known.fallback.clone()),
            drives: known.map(DeviceInUse::drives).unwrap_or_default(),
            written_bytes_since_start: device.written_bytes,
            wear: worn.get(&device.number).map(wear),
            budget: device.budget.map(|budget| self::budget(budget, worn.get(&device.number))),
            shrinking: device.shrinking.map(|shrinking| Shrinking {
                size_bytes: shrinking.size_bytes,
                segments: shrinking.segments,
                segments_left: shrinking.segments_left,
            }),
            kept_size_reason: view.kept_sizes.get(&device.number).cloned(),
        }
    };
    statistics.devices.iter().map(device).collect()
}
