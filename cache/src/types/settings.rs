//! Settings that a user may choose for a disk.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use super::units::{DiskId, SECOND_NS};

/// Write budget of each flash device, in thousandths of a drive write a day: 500 is half a drive write a day. Never none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DriveWrites(NonZeroU32);

impl DriveWrites {
    /// Creates the budget from thousandths; none for 0.
    pub fn from_thousandths(thousandths: u32) -> Option<Self> {
        NonZeroU32::new(thousandths).map(Self)
    }

    /// Returns the budget in thousandths, at least one.
    pub fn thousandths(self) -> u32 {
        self.0.get()
    }

    /// Returns the budget for a device of this size, in bytes a day.
    pub fn bytes_a_day(self, device_bytes: u64) -> u64 {
        let bytes = u128::from(device_bytes) * u128::from(self.thousandths()) / 1000;
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

/// Handling of reads and writes of a disk. Never decides what cached content *means*: dirty data is served from the cache and destaged in
/// every mode, so modes can be changed at any time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Writes go to the backing first and then enter the cache. The default: nothing depends on the flash.
    #[default]
    WriteThrough,
    /// Writes go to flash, and from there to the backing later. Acknowledged data depends on the flash until then.
    WriteBack,
    /// Writes go to the backing only; reads are cached. For disks that are written and rarely read back.
    WriteAround,
    /// Neither reads nor writes touch the cache, except that writes drop cached pages that become stale.
    PassThrough,
}

/// Properties of a mode; the whole of the difference between modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a row of a table of yes and no")]
pub struct ModeRow {
    /// Reads are answered from the cache where it can.
    pub reads_hit: bool,
    /// Data that a read fetched from the backing enters the cache.
    pub reads_fill: bool,
    /// Written data enters the cache once the backing has it.
    pub writes_enter: bool,
    /// A write is acknowledged once flash has it.
    pub writes_back: bool,
}

impl Mode {
    /// Every mode with its name.
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::WriteThrough, "write-through"),
        (Self::WriteBack, "write-back"),
        (Self::WriteAround, "write-around"),
        (Self::PassThrough, "pass-through"),
    ];

    /// Returns the properties of this mode.
    pub fn row(self) -> ModeRow {
        let through = ModeRow { reads_hit: true, reads_fill: true, writes_enter: true, writes_back: false };
        match self {
            Self::WriteThrough => through,
            Self::WriteBack => ModeRow { writes_back: true, ..through },
            Self::WriteAround => ModeRow { writes_enter: false, ..through },
            Self::PassThrough => {
                ModeRow { reads_hit: false, reads_fill: false, writes_enter: false, writes_back: false }
            }
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (_, name) = Self::ALL.iter().find(|(mode, _)| mode == self).expect("ALL names every mode");
        f.write_str(name)
    }
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.iter().find(|(_, name)| *name == text);
        known.map(|(mode, _)| *mode).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|(_, name)| *name).collect();
            format!("Unknown mode '{text}': one of {}", names.join(", "))
        })
    }
}

/// Condition for data that leaves RAM to be written to flash, once the flash is full. While there is free flash everything enters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Admission {
    /// Forebay decides, by what it learned of the disk: most of the hits that can be had, for few flash writes.
    #[default]
    Adaptive,
    /// The same for the most hits, at any amount of flash writes.
    AdaptiveHits,
    /// Everything enters, as with vSphere Flash Read Cache. Best hit ratio for some workloads, most flash writes.
    Always,
    /// Pages used this often, as with FAST Cache.
    Repeated(u32),
}

impl Admission {
    /// Returns true if the learned policy decides.
    pub(crate) fn learns(self) -> bool {
        matches!(self, Self::Adaptive | Self::AdaptiveHits)
    }
}

impl fmt::Display for Admission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Adaptive => f.write_str("adaptive"),
            Self::AdaptiveHits => f.write_str("adaptive:hits"),
            Self::Always => f.write_str("always"),
            Self::Repeated(times) => write!(f, "repeated:{times}"),
        }
    }
}

impl FromStr for Admission {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "adaptive" => return Ok(Self::Adaptive),
            "adaptive:hits" => return Ok(Self::AdaptiveHits),
            "always" => return Ok(Self::Always),
            _ => {}
        }
        let times = text.strip_prefix("repeated:").and_then(|times| times.parse().ok());
        match times {
            Some(times @ 1..=15) => Ok(Self::Repeated(times)),
            _ => Err(format!(
                "Unknown admission '{text}': one of adaptive, adaptive:hits, always, repeated:N with N from 1 to 15"
            )),
        }
    }
}

/// Length up to which a sequential run of misses enters the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SequentialCutoff {
    /// Forebay decides. Where admission learns, it learns the worth of long runs as well, and their reads all enter: a limit of any length
    /// kept out blocks that were used again on some disks (docs/dev/notes/hit-ratio.md). Else, and for writes in write-back, it is
    /// [`Self::AUTO_BYTES`].
    #[default]
    Auto,
    /// A length in bytes; 0 for any length.
    Bytes(u64),
}

impl SequentialCutoff {
    /// 4 MiB, as with bcache.
    pub const AUTO_BYTES: u64 = 4 << 20;

    /// Returns the most of a run of reads that enters, in bytes; none if there is no limit.
    pub(crate) fn of_reads(self, admission: Admission) -> Option<u64> {
        if self == Self::Auto && admission.learns() { None } else { self.of_writes() }
    }

    /// Returns the most of a run of writes that goes to the log in write-back, in bytes; none if there is no limit.
    pub(crate) fn of_writes(self) -> Option<u64> {
        match self {
            Self::Auto => Some(Self::AUTO_BYTES),
            Self::Bytes(0) => None,
            Self::Bytes(bytes) => Some(bytes),
        }
    }
}

/// Copies of dirty data: on two devices it survives the loss of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Redundancy {
    /// Two devices have it, if the pool has two that are large enough. The default.
    #[default]
    Mirror,
    /// One has it: if that is lost, so is it.
    None,
}

impl fmt::Display for Redundancy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mirror => "mirror",
            Self::None => "none",
        })
    }
}

impl FromStr for Redundancy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "mirror" => Ok(Self::Mirror),
            "none" => Ok(Self::None),
            _ => Err(format!("Unknown redundancy '{text}': one of mirror, none")),
        }
    }
}

/// Policy for keeping more flash for a disk than its reservation, for dirty data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ReservePolicy {
    /// It may not: the reservation bounds the dirty limit.
    #[default]
    Fixed,
    /// It may, as long as the pool has flash that is not reserved: as much as the dirty data takes, up to the dirty limit. Destage gives it
    /// back.
    FollowsDirty,
}

/// Cache settings of a disk. Sizes in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskSettings {
    /// The disk's number, never used for another disk of the same pool.
    pub id: DiskId,
    /// Handling of reads and writes.
    pub mode: Mode,
    /// The unit of the index: a power of two, 4 KiB to 1 MiB. Changing it drops the disk's cached content.
    pub block_bytes: u32,
    /// Flash that the disk gets regardless of other disks; at least 16 segments.
    pub reserve_bytes: u64,
    /// Policy for reserving more while more is dirty.
    pub reserve_policy: ReservePolicy,
    /// Flash that the disk never exceeds; at least the reservation.
    pub limit_bytes: u64,
    /// RAM of the disk; at least 64 KiB.
    pub ram_bytes: u64,
    /// Admission to flash.
    pub admission: Admission,
    /// Misses of a sequential run longer than this bypass the cache.
    pub sequential_cutoff: SequentialCutoff,
    /// Dirty limit: the most that flash may hold and the backing does not have; writers slow down as dirty data approaches it. None: a
    /// tenth of the pool, divided among its disks in write-back, and no more than the disk. Never more than a quarter of the flash that is
    /// reserved for the disk, or an eighth of it if everything has two copies.
    pub dirty_limit_bytes: Option<u64>,
    /// Destage never goes slower than this while there is something to destage, in bytes a second, regardless of guests.
    pub destage_rate_min: u64,
    /// Destage never goes faster than this, in bytes a second; 0 for as fast as the backing takes it.
    pub destage_rate_max: u64,
    /// Copies of dirty data.
    pub redundancy: Redundancy,
    /// Longest wait of a guest's write for destage without progress, in nanoseconds; none: for ever.
    pub retry_ns: Option<u64>,
    /// Writes are refused.
    pub read_only: bool,
    /// Handling of pages that are all zeroes.
    pub zero_pages: ZeroPages,
    /// The sector size that guests are shown, 512 or 4096 bytes. None: that of the backing.
    pub sector_bytes: Option<u64>,
    /// Division of reads of clean blocks on flash, which the backing could answer as well.
    pub read_balance: ReadBalancing,
    /// Order in which dirty data comes to the backing.
    pub destage_order: DestageOrder,
    /// In consistent order: the longest time for which an acknowledged write is in no group of the redo ring, in nanoseconds. Writers wait
    /// before it is longer; none: as long as it takes.
    pub consistent_age_max_ns: Option<u64>,
}

/// Order in which dirty data comes to the backing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DestageOrder {
    /// By address: the fewest and shortest seeks. A backing without the flash is a mix of old and new. The default.
    #[default]
    Address,
    /// By address too, but only what a group of the redo ring has: backing and ring together are the disk as of an instant.
    Consistent,
}

/// Division of reads that flash and the backing could answer alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ReadBalancing {
    /// By measured latencies: the backing gets the share with which both answer equally soon. The default.
    #[default]
    Auto,
    /// Flash answers all of them.
    Off,
}

impl fmt::Display for ReadBalancing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Off => "off",
        })
    }
}

impl FromStr for ReadBalancing {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "off" => Ok(Self::Off),
            _ => Err(format!("Unknown balancing of reads '{text}': one of auto, off")),
        }
    }
}

/// Handling of pages of the backing that are all zeroes, its holes among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZeroPages {
    /// It is remembered that they are zeroes, and they take neither RAM nor flash. A restart forgets it.
    Remembered,
    /// They are cached as all others: for measurements and tests on devices that hold nothing else.
    Cached,
}

impl DiskSettings {
    /// Returns the plainest settings: write-through, and everything enters flash. Sizes are 0, so that callers set those that matter; no
    /// cache accepts these settings as they are. For tests and measurements, which change what they are about: the defaults for users are
    /// the daemon's.
    pub const fn plain(id: DiskId) -> Self {
        Self {
            id,
            mode: Mode::WriteThrough,
            block_bytes: 16 << 10,
            reserve_bytes: 0,
            reserve_policy: ReservePolicy::Fixed,
            limit_bytes: 0,
            ram_bytes: 0,
            admission: Admission::Always,
            sequential_cutoff: SequentialCutoff::Bytes(0),
            dirty_limit_bytes: None,
            destage_rate_min: 0,
            destage_rate_max: 0,
            redundancy: Redundancy::Mirror,
            retry_ns: Some(25 * SECOND_NS),
            read_only: false,
            zero_pages: ZeroPages::Cached,
            sector_bytes: None,
            read_balance: ReadBalancing::Off,
            destage_order: DestageOrder::Address,
            consistent_age_max_ns: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_and_admissions_read_what_they_print() {
        for (mode, _) in Mode::ALL {
            assert_eq!(mode.to_string().parse(), Ok(mode));
        }
        for admission in
            [Admission::Adaptive, Admission::AdaptiveHits, Admission::Always, Admission::Repeated(3)]
        {
            assert_eq!(admission.to_string().parse(), Ok(admission));
        }
        for redundancy in [Redundancy::Mirror, Redundancy::None] {
            assert_eq!(redundancy.to_string().parse(), Ok(redundancy));
        }
        for balancing in [ReadBalancing::Auto, ReadBalancing::Off] {
            assert_eq!(balancing.to_string().parse(), Ok(balancing));
        }
        assert!("repeated:0".parse::<Admission>().is_err());
        assert!("write-forth".parse::<Mode>().unwrap_err().contains("write-through"));
    }

    #[test]
    fn a_cutoff_that_nobody_set_is_none_for_reads_where_admission_learns() {
        let (auto, mebibyte, none) =
            (SequentialCutoff::Auto, SequentialCutoff::Bytes(1 << 20), SequentialCutoff::Bytes(0));
        for admission in [Admission::Adaptive, Admission::AdaptiveHits] {
            let of_reads = [auto, mebibyte, none].map(|cutoff| cutoff.of_reads(admission));
            assert_eq!(of_reads, [None, Some(1 << 20), None], "{admission}");
        }
        for admission in [Admission::Always, Admission::Repeated(3)] {
            let of_reads = [auto, mebibyte, none].map(|cutoff| cutoff.of_reads(admission));
            assert_eq!(of_reads, [Some(4 << 20), Some(1 << 20), None], "{admission}");
        }
        let of_writes = [auto, mebibyte, none].map(SequentialCutoff::of_writes);
        assert_eq!(of_writes, [Some(4 << 20), Some(1 << 20), None]);
    }
}
