//! What a world is like: which faults it has, and how its disks are cached.

use cache::{Admission, DiskId, DiskSettings, Mode, Redundancy, ReservePolicy, SequentialCutoff, ZeroPages};

use crate::rng::Rng;
use crate::world::{RESERVE_BYTES, SEGMENT_BYTES};

/// Which faults come together. Flash that rots between a flush and the next header that says so, and then loses power, is not
/// told from one whose last batch was not flushed: what guests wrote there is lost without a word. So in write-back power goes
/// in other worlds than those in which flash rots at any time; there a piece of it rots at most when logs are at rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// No disk is in write-back.
    Through,
    /// Disks are, and flash rots.
    BackWithRot,
    /// Disks are, and power goes, now and then just after a piece of flash rotted.
    BackWithPowerCuts,
    /// All disks are mirrored on two devices. One of them at a time fails, rots or is away, power goes, and backings do not
    /// fail: no guest may see an error.
    Mirrored,
}

/// Settings of a disk.
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
    // Only disks that learn have segments go out of order.
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
    }
}
