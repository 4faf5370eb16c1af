//! Parameters of a world: its faults, and the settings of its disks.

use cache::{
    Admission, DiskId, DiskSettings, Mode, ReadBalancing, Redundancy, ReservePolicy, SequentialCutoff,
    ZeroPages,
};

use crate::rng::Rng;
use crate::world::{RESERVE_BYTES, SEGMENT_BYTES};

/// Combination of faults. If flash rots between a flush and the next header that records the flush, and then loses power, the state is the
/// same as after a last batch that was not flushed: guests' writes there are lost silently. So in write-back, worlds with power cuts differ
/// from those in which flash rots at any time; in the former a piece of it rots at most while logs are idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// No disk is in write-back.
    Through,
    /// Disks are in write-back, and flash rots.
    BackWithRot,
    /// Disks are in write-back, and power is cut, now and then right after a piece of flash rotted.
    BackWithPowerCuts,
    /// All disks are mirrored on two devices. One of them at a time fails, rots or is missing, power is cut, and backings do not fail: no
    /// guest may see an error.
    Mirrored,
}

/// Draws the settings of a disk.
pub(crate) fn draw_settings(kind: Kind, number: usize, rng: &mut Rng) -> DiskSettings {
    let modes = [
        Mode::WriteThrough,
        Mode::WriteAround,
        Mode::PassThrough,
        Mode::WriteBack,
        Mode::WriteBack,
        Mode::WriteBack,
    ];
    let modes = if kind == Kind::Through { &modes[..3] } else { &modes[..] };
    // Only disks with adaptive admission reclaim segments out of order.
    let admissions =
        [Admission::Adaptive, Admission::AdaptiveHits, Admission::Always, Admission::Repeated(3)];
    DiskSettings {
        id: DiskId(number as u32 + 1),
        mode: modes[rng.below(modes.len() as u64) as usize],
        block_bytes: 4096 << (rng.below(5) * 2),
        reserve_bytes: RESERVE_BYTES,
        reserve_policy: [ReservePolicy::Fixed, ReservePolicy::FollowsDirty][rng.below(2) as usize],
        limit_bytes: RESERVE_BYTES + rng.below(20) * SEGMENT_BYTES,
        ram_bytes: (16 + rng.below(48)) * 4096,
        admission: admissions[rng.below(4) as usize],
        sequential_cutoff: [
            SequentialCutoff::Bytes(0),
            SequentialCutoff::Bytes(64 << 10),
            SequentialCutoff::Auto,
        ][rng.below(3) as usize],
        dirty_limit_bytes: [None, Some(64 << 10), Some(1 << 20)][rng.below(3) as usize],
        destage_rate_min: 0,
        destage_rate_max: [0, 0, 1 << 20][rng.below(3) as usize],
        redundancy: if kind == Kind::Mirrored || rng.chance(700) {
            Redundancy::Mirror
        } else {
            Redundancy::None
        },
        retry_ns: Some(5_000_000_000),
        read_only: false,
        zero_pages: if number.is_multiple_of(2) { ZeroPages::Remembered } else { ZeroPages::Cached },
        sector_bytes: None,
        read_balance: ReadBalancing::Auto,
        destage_order: cache::DestageOrder::Address,
        consistent_age_max_ns: None,
    }
}
