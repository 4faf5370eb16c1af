//! Documents of the pool.

use advice::division::{Divided, ShareReason};
use api::pool::{Device, FlashOfDisk, RamDivision, RamOfDisk, Shard, Shrinking};
use api::{DeviceState, Pool, PoolState};
use cache::{DeviceStatistics, MemberNumber};

use super::wear::{budget, wear};
use crate::pool::DeviceInUse;
use crate::registry::{DiskFlash, DiskRamView, PoolView, RamView, displaced_text};
use crate::shard::{PoolReport, ShardReport};

/// Returns the state of the pool, with its reason if there is one.
pub(crate) fn standing_of_pool(view: &PoolView) -> (PoolState, Option<&str>) {
    match (&view.in_use.missing, view.report.statistics.failed) {
        (Some(missing), _) => (PoolState::Missing, Some(&missing.reason)),
        (None, true) => (PoolState::Failed, None),
        (None, false) => (PoolState::Serving, None),
    }
}

/// Returns the faults of the pool that an administrator has to mend: none if it serves all that it promises.
pub(crate) fn faults_of_pool(view: &PoolView) -> Vec<String> {
    match standing_of_pool(view) {
        (PoolState::Serving, _) => {}
        (PoolState::Missing, reason) => {
            return vec![format!("the pool is missing: {}", reason.unwrap_or("see the log"))];
        }
        (PoolState::Failed, _) => {
            return vec!["the flash of the pool failed; see `forebay pool show`".to_owned()];
        }
    }
    let statistics = &view.report.statistics;
    let full = statistics.lacks_space.then(|| "the pool's storage is full".to_owned());
    let shared = view.in_use.shared_drive().filter(|shared| !shared.is_accepted && view.has_mirrored_disk);
    let displaced = view.in_use.displaced();
    let displaced = displaced.iter().map(|(path, found)| displaced_text(path, *found));
    let shared = shared.map(|shared| shared.warning());
    full.into_iter().chain(shared).chain(displaced).chain(not_mirrored(view)).collect()
}

/// Returns that mirrored disks depend on one device, if they do because another one was lost.
fn not_mirrored(view: &PoolView) -> Option<String> {
    let statistics = &view.report.statistics;
    let depends_on_one = statistics.segments_uncopied > 0 || !statistics.can_mirror;
    let lost = view.in_use.lost();
    if lost.is_empty() || !view.has_mirrored_disk || !depends_on_one {
        return None;
    }
    let lost: Vec<String> = lost.iter().map(|lost| lost.path.display().to_string()).collect();
    let copies = match statistics.segments_uncopied {
        0 => "what mirrored disks write next has no second copy".to_owned(),
        1 => "1 segment of mirrored disks has no second copy".to_owned(),
        many => format!("{many} segments of mirrored disks have no second copy"),
    };
    Some(format!("the pool lost {}, and {copies}: see `forebay pool replace`", lost.join(", ")))
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
        ram: view.ram.as_ref().map(ram),
        flash: view.flash.iter().filter(|_| missing.is_none()).map(flash).collect(),
        page_cache_reason: in_use.devices.iter().find_map(|device| device.fallback.clone()),
        devices: devices(view),
        devices_lost: in_use.lost().iter().map(|lost| lost.path.display().to_string()).collect(),
        faults: faults_of_pool(view),
        warnings: warnings(view),
        shards: shards.iter().map(shard).collect(),
    }
}

fn ram(view: &RamView) -> RamDivision {
    let disk = |disk: &DiskRamView| RamOfDisk {
        name: disk.name.clone(),
        ram_bytes: disk.bytes,
        ram_bytes_min: disk.bytes_min,
        ram_bytes_max: disk.bytes_max,
        is_fixed: disk.reason == ShareReason::Fixed,
        reason: disk.reason.text(Divided::Ram).to_owned(),
    };
    RamDivision {
        setting: view.setting.to_string(),
        budget_bytes: view.budget_bytes,
        disks: view.disks.iter().map(disk).collect(),
    }
}

fn flash(disk: &DiskFlash) -> FlashOfDisk {
    FlashOfDisk {
        name: disk.name.clone(),
        flash_bytes: disk.share.bytes,
        flash_bytes_held: disk.held_bytes,
        flash_bytes_min: disk.bytes_min,
        flash_bytes_max: disk.bytes_max,
        reason: disk.share.reason.text(Divided::Flash).to_owned(),
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
