//! What is said of the pool: its devices, and the threads that use it.

use cache::{DeviceStatistics, MemberNumber};
use serde::Serialize;
use utoipa::ToSchema;

use super::wear::{Budget, Wear};
use crate::pool::DeviceInUse;
use crate::registry::PoolView;
use crate::shard::{PoolReport, ShardReport};

/// In which state the pool is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum PoolState {
    /// It is used.
    Serving,
    /// All of its flash failed. Disks go on without it.
    Failed,
    /// It was not there, or not to be opened, when the daemon started.
    Missing,
}

/// The pool, and the threads that use it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Pool {
    path: String,
    /// Its identity; null if the pool is missing and none is remembered.
    id: Option<String>,
    /// Two of its devices are large enough for two copies of things.
    can_mirror: bool,
    notes_mirrored: bool,
    /// Reason for which two copies are no mirror: devices share a drive.
    not_mirrored_reason: Option<String>,
    segments_uncopied: u64,
    state: PoolState,
    /// Why it is missing, if it is.
    reason: Option<String>,
    /// Flash of all its devices; this and what follows down to the least reservation is null as far as it is not known, because the
    /// pool is missing.
    size_bytes: Option<u64>,
    usable_bytes: Option<u64>,
    reserved_bytes: Option<u64>,
    segment_bytes: Option<u64>,
    segments: Option<u64>,
    segments_free: Option<u64>,
    /// The least that can be reserved for a disk.
    reserve_bytes_min: Option<u64>,
    /// Disks that are served.
    disks: u64,
    /// How often a day each device may be written over, as set by the key `write-budget`; null for no budget.
    write_budget: Option<f64>,
    /// Why it goes through the page cache of the host, if it does.
    page_cache_reason: Option<String>,
    devices: Vec<Device>,
    /// Devices that failed or were missing.
    devices_lost: Vec<String>,
    warnings: Vec<String>,
    shards: Vec<Shard>,
}

/// A device of the pool.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PoolDevice)]
struct Device {
    path: Option<String>,
    number: u32,
    state: DeviceState,
    size_bytes: u64,
    segments: u64,
    segments_free: u64,
    /// What is free is discarded.
    discards: bool,
    page_cache_reason: Option<String>,
    /// The drives below it, as the kernel names them, or else the memory, server or ZFS pool that it is in; empty if not known.
    drives: Vec<String>,
    /// Everything that was written to it since the daemon was started; `wear` has what was written in all.
    written_bytes_since_start: u64,
    /// How worn it is; null as long as that is not known.
    wear: Option<Wear>,
    /// How its write budget stands; null without one.
    budget: Option<Budget>,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DeviceState {
    Used,
    Failed,
    Leaving,
}

/// A thread that serves disks.
#[derive(Debug, Serialize, ToSchema)]
struct Shard {
    #[serde(rename = "shard")]
    number: u32,
    disks: usize,
    busy_ns: u64,
    age_ns: u64,
}

/// In which state the pool is, and why if there is a reason.
pub(crate) fn standing_of_pool(view: &PoolView) -> (PoolState, Option<&str>) {
    match (&view.in_use.missing, view.report.statistics.failed) {
        (Some(missing), _) => (PoolState::Missing, Some(&missing.reason)),
        (None, true) => (PoolState::Failed, None),
        (None, false) => (PoolState::Serving, None),
    }
}

impl Pool {
    pub(crate) fn of(view: &PoolView) -> Self {
        let PoolView { report: PoolReport { statistics, reserve_bytes_min }, in_use, shards, .. } = view;
        let (state, reason) = standing_of_pool(view);
        // What stands in for a pool that is missing has figures that say nothing.
        let missing = in_use.missing.as_ref();
        let known = |value: u64| missing.is_none().then_some(value);
        Self {
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
            shards: shards.iter().map(Shard::of).collect(),
        }
    }
}

impl Shard {
    fn of(report: &ShardReport) -> Self {
        let ShardReport { number, disks, busy_ns, age_ns } = *report;
        Self { number, disks, busy_ns, age_ns }
    }
}

/// What somebody should know: of devices that are lost, and of those that wear out.
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

/// The devices of the pool; none of one that is missing.
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
            wear: worn.get(&device.number).map(Wear::of),
            budget: device.budget.map(|budget| Budget::of(budget, worn.get(&device.number))),
        }
    };
    statistics.devices.iter().map(device).collect()
}
