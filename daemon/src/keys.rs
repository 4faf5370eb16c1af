//! Keys of a disk: values of `disk set NAME KEY=VALUE`, options of `disk add`, and part of the state.
//!
//! One table has every key; parsing, printing, hints and the documentation use it. A value is validated here
//! as far as it can be without the disk; limits of the pool are checked by the cache.

mod rates;

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU64;
use std::ops::RangeInclusive;
use std::path::Path;
use std::str::FromStr;

use base::error::{Error, Result, hint};
use base::names;
use base::rights::SocketRights;
use base::units::{BurstTime, RetryTime, Share, Size};
use base::wrap::hanging;
use block::{PAGE, RateLimits, SECTOR};
use cache::{
    Admission, DestageOrder, DiskId, DiskSettings, Mode, ReadBalancing, Redundancy, ReservePolicy,
    SequentialCutoff, ZeroPages,
};
use rbd::ImageName;
use serde::{Deserialize, Serialize};

use crate::renamed;
use rates::{bandwidth_text, iops_text, parse_bandwidth, parse_iops};

/// The smallest and largest block, in bytes.
const BLOCK_BYTES: RangeInclusive<u64> = 4096..=1 << 20;
/// The least RAM of a disk, in bytes.
const RAM_BYTES_MIN: u64 = 1 << 20;
/// The smallest redo ring in bytes, and the largest unless a size was set.
const RING_BYTES_MIN: u64 = 1 << 20;
const RING_BYTES_AUTO_MAX: u64 = 1 << 30;
/// Longest times for which a write may be in no group of the ring, in seconds. A group takes a flush of the storage and more.
const AGE_SECONDS: RangeInclusive<u64> = 2..=3600;
/// RAM of a disk by default, in bytes.
pub(crate) const RAM_BYTES_DEFAULT: u64 = 32 << 20;

/// A key: its name, its default as users write it, its values and its meaning.
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) default: &'static str,
    /// Words that it takes, which shells complete. Sizes, counts and times are not among them.
    pub(crate) words: &'static [&'static str],
    pub(crate) about: &'static str,
}

/// Every key that can be set, in the order in which they are shown.
pub(crate) const KEYS: [Key; 29] = [
    Key {
        name: "mode",
        default: "write-through",
        words: &["write-through", "write-back", "write-around", "pass-through"],
        about: "write-through, write-back, write-around or pass-through",
    },
    Key {
        name: "block-size",
        default: "64KiB",
        words: &["4KiB", "8KiB", "16KiB", "32KiB", "64KiB", "128KiB", "256KiB", "512KiB", "1MiB"],
        about: "unit of the index, a power of two from 4KiB to 1MiB; a change drops the cached data of the disk",
    },
    Key {
        name: "reserve",
        default: "auto",
        words: &["auto"],
        about: "flash that the disk gets whatever the others do; auto is the least that the pool allows, and as much more as dirty \
                data takes",
    },
    Key { name: "limit", default: "auto", words: &["auto"], about: "flash that the disk never exceeds" },
    Key {
        name: "ram",
        default: "auto",
        words: &["auto"],
        about: "RAM in front of the flash, at least 1MiB; auto is 32MiB, or a part of the pool's ram if that is set",
    },
    Key {
        name: "ram-min",
        default: "1MiB",
        words: &[],
        about: "the least that a disk with ram=auto gets of the pool's ram, at least 1MiB",
    },
    Key {
        name: "ram-max",
        default: "off",
        words: &["off"],
        about: "the most that a disk with ram=auto gets of the pool's ram; off = no limit",
    },
    Key {
        name: "admission",
        default: "adaptive",
        words: &["adaptive", "adaptive:hits", "always", "repeated:2"],
        about: "what may enter flash: adaptive, adaptive:hits, always or repeated:N",
    },
    Key {
        name: "sequential-cutoff",
        default: "auto",
        words: &["auto", "0"],
        about: "misses of a sequential run longer than this go past the cache; 0 = off; auto is 4MiB, but none for reads \
                where admission is adaptive, which learns what long runs are worth",
    },
    Key {
        name: "read-balance",
        default: "auto",
        words: &["auto", "off"],
        about: "auto lets the backing answer reads of clean blocks on flash as far as it is faster than flash, for example while flash is \
                busy; off = flash answers them",
    },
    Key {
        name: "dirty-limit",
        default: "auto",
        words: &["auto"],
        about: "write-back: the most that flash may hold and the backing does not have; never more than a quarter of reserve, or an \
                eighth if it is mirrored, unless that is auto; auto is a tenth of the pool, divided among its disks in write-back",
    },
    Key {
        name: "destage-rate-min",
        default: "0",
        words: &["0"],
        about: "write-back: the least rate of destage in bytes a second, whatever guests do; 0 = none",
    },
    Key {
        name: "destage-rate-max",
        default: "0",
        words: &["0"],
        about: "write-back: destage never goes faster than so many bytes a second; 0 = as fast as the backing takes it",
    },
    Key {
        name: "destage-order",
        default: "address",
        words: &["address", "consistent"],
        about: "write-back: consistent brings changes to the backing in groups through a redo ring, so that losing all flash leaves the \
                disk as of a moment ago; address is faster, and then the backing alone is a mix of old and new",
    },
    Key {
        name: "ring",
        default: "auto",
        words: &["auto"],
        about: "destage-order=consistent: the file, device or image of the redo ring, on the storage of the backing; auto is .NAME.forebay-ring \
                beside a backing that is a file, and IMAGE.forebay-ring, which must exist, for an image of Ceph RBD",
    },
    Key {
        name: "ring-size",
        default: "auto",
        words: &["auto"],
        about: "size of a new redo ring, at least 1MiB; no more is dirty than half of it takes; auto is twice the disk, 1GiB at most",
    },
    Key {
        name: "consistent-age-max",
        default: "off",
        words: &["off"],
        about: "destage-order=consistent: the longest time for which a write may be in no group of the redo ring, such as 5s; writers are \
                slowed down to that; off is no limit",
    },
    Key {
        name: "consistency-set",
        default: "off",
        words: &["off"],
        about: "destage-order=consistent: name of a set of disks whose groups are of the same instant, such as the disks of one guest: if all \
                flash is lost, forebay disk recover brings all of them to one time; off = the disk alone",
    },
    Key {
        name: "redundancy",
        default: "mirror",
        words: &["mirror", "none"],
        about: "write-back: mirror keeps dirty data on two devices of the pool, if it has two that are \
                large enough; none on one",
    },
    Key {
        name: "allow-unmarked",
        default: "no",
        words: &["no", "yes"],
        about: "yes allows write-back where the backing cannot be marked (NBD, devices): nothing then keeps another Forebay \
                from serving it while flash has newer data",
    },
    Key {
        name: "retry-time",
        default: "25s",
        words: &["wait"],
        about: "how long a request waits for a backing that fails, hangs or is away, then it is an error; wait = for ever",
    },
    Key {
        name: "iops-max",
        default: "off",
        words: &["off"],
        about: "requests a second that guests get at most: reads, writes, zeroes and discards, each as one whatever its length; off = \
                no limit",
    },
    Key {
        name: "bandwidth-max",
        default: "off",
        words: &["off"],
        about: "bytes a second that reads and writes of guests move at most, at least 1MiB; off = no limit",
    },
    Key {
        name: "burst-time",
        default: "1s",
        words: &[],
        about: "how long iops-max and bandwidth-max are saved up while guests ask for less, to be used at once later: 10ms to 1h",
    },
    Key {
        name: "sector-size",
        default: "auto",
        words: &["auto", "512", "4096"],
        about: "sector size in bytes that guests are shown from their next connection on, 512 or 4096: their partition tables count in \
                it; auto is what they were shown last, and for a new disk that of the backing (512 of a file)",
    },
    Key {
        name: "map",
        default: "off",
        words: &["off", "on", "scan"],
        about: "on makes the disk a block device of the host at each start of the service: /dev/forebay/NAME; scan does so too, and lets udev \
                and LVM of the host search it for file systems and volumes",
    },
    Key {
        name: "socket-owner",
        default: "auto",
        words: &["auto"],
        about: "user who owns the sockets that guests connect to, a name or number; auto is the user that the daemon runs as",
    },
    Key {
        name: "socket-group",
        default: "auto",
        words: &["auto"],
        about: "group of the sockets that guests connect to; auto is forebay if the host has it, else that of the daemon",
    },
    Key {
        name: "socket-mode",
        default: "0660",
        words: &[],
        about: "who may connect, as octal digits: the bits for writing count",
    },
];

/// Returns every key with its meaning and its default, for the help and the manual page.
pub(crate) fn table() -> String {
    let row = |Key { name, default, about, .. }: &Key| {
        hanging(&format!("  {name:17}  "), &format!("{about}. Default: {default}"), 21)
    };
    KEYS.iter().map(row).collect()
}

/// Values of all keys of one disk. JSON and the state have each as the text that a user would write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "BTreeMap<String, String>", try_from = "BTreeMap<String, String>")]
pub(crate) struct Values {
    mode: Mode,
    block_bytes: u32,
    reserve: Share,
    limit: Share,
    /// None: the default, or a part of the pool's RAM.
    ram: Option<Size>,
    ram_min: Size,
    /// None: no limit.
    ram_max: Option<Size>,
    admission: Admission,
    sequential_cutoff: SequentialCutoff,
    read_balance: ReadBalancing,
    dirty_limit: Share,
    destage_rate_min: Size,
    destage_rate_max: Size,
    destage_order: DestageOrder,
    /// None: beside the backing.
    ring: Option<String>,
    /// None: by the size of the disk.
    ring_size: Option<Size>,
    /// Seconds; none: no limit.
    consistent_age_max: Option<u64>,
    /// None: it is in no set.
    consistency_set: Option<String>,
    redundancy: Redundancy,
    unmarked: Unmarked,
    retry_time: RetryTime,
    iops_max: Option<NonZeroU64>,
    bandwidth_max: Option<NonZeroU64>,
    burst_time: BurstTime,
    sector_size: SectorSize,
    map: MapAtStart,
    socket: SocketRights,
}

/// The sector size for guests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SectorSize {
    /// The size that guests saw last; for a new disk that of the backing.
    #[default]
    Auto,
    /// This many bytes.
    Bytes(u64),
}

impl SectorSize {
    /// Returns the bytes, if they were set.
    pub(crate) fn bytes(self) -> Option<u64> {
        match self {
            Self::Auto => None,
            Self::Bytes(bytes) => Some(bytes),
        }
    }
}

impl FromStr for SectorSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "512" | "512B" => Ok(Self::Bytes(SECTOR)),
            "4096" | "4KiB" | "4K" | "4k" => Ok(Self::Bytes(PAGE)),
            _ => Err("write auto, 512 or 4096".to_owned()),
        }
    }
}

impl fmt::Display for SectorSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Bytes(bytes) => bytes.fmt(f),
        }
    }
}

/// Permission to use write-back on a backing that cannot bear a dirty mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Unmarked {
    /// Not permitted: another program could serve the backing as if it were complete.
    #[default]
    No,
    /// Permitted: the administrator prevents that.
    Allowed,
}

impl FromStr for Unmarked {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "no" => Ok(Self::No),
            "yes" => Ok(Self::Allowed),
            _ => Err("write yes or no".to_owned()),
        }
    }
}

impl fmt::Display for Unmarked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::No => "no",
            Self::Allowed => "yes",
        })
    }
}

/// Mapping of a disk at each start of the service.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum MapAtStart {
    /// Not mapped.
    #[default]
    Off,
    /// Mapped.
    On,
    /// Mapped, and scanned by udev and LVM.
    Scan,
}

impl FromStr for MapAtStart {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "off" => Ok(Self::Off),
            "on" => Ok(Self::On),
            "scan" => Ok(Self::Scan),
            _ => Err("write on, scan or off".to_owned()),
        }
    }
}

impl fmt::Display for MapAtStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Off => "off",
            Self::On => "on",
            Self::Scan => "scan",
        })
    }
}

/// Bounds of the pool for shares that Forebay chooses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PoolBounds {
    /// The least that can be reserved.
    pub(crate) reserve_bytes_min: u64,
    /// Bytes that all disks can use together.
    pub(crate) usable_bytes: u64,
}

impl Default for Values {
    fn default() -> Self {
        Self {
            mode: Mode::WriteThrough,
            block_bytes: 64 << 10,
            reserve: Share::Auto,
            limit: Share::Auto,
            ram: None,
            ram_min: Size(RAM_BYTES_MIN),
            ram_max: None,
            admission: Admission::Adaptive,
            sequential_cutoff: SequentialCutoff::Auto,
            read_balance: ReadBalancing::Auto,
            dirty_limit: Share::Auto,
            destage_rate_min: Size(0),
            destage_rate_max: Size(0),
            destage_order: DestageOrder::Address,
            ring: None,
            ring_size: None,
            consistent_age_max: None,
            consistency_set: None,
            redundancy: Redundancy::Mirror,
            unmarked: Unmarked::No,
            retry_time: RetryTime::default(),
            iops_max: None,
            bandwidth_max: None,
            burst_time: BurstTime::default(),
            sector_size: SectorSize::Auto,
            map: MapAtStart::Off,
            socket: SocketRights::default(),
        }
    }
}

impl Values {
    /// Returns the bytes of a block.
    pub(crate) fn block_bytes(&self) -> u32 {
        self.block_bytes
    }

    /// Returns the same values with at most this much RAM.
    pub(crate) fn with_ram_at_most(&self, bytes: u64) -> Self {
        self.with_ram(self.ram().0.min(bytes))
    }

    /// Returns the same values with this much RAM, but with the least that a disk has.
    pub(crate) fn with_ram(&self, bytes: u64) -> Self {
        Self { ram: Some(Size(bytes.max(RAM_BYTES_MIN))), ..self.clone() }
    }

    /// Returns the RAM of the disk, if the pool does not divide RAM among disks.
    pub(crate) fn ram(&self) -> Size {
        self.ram.unwrap_or(Size(RAM_BYTES_DEFAULT))
    }

    /// Returns the RAM that was set for the disk; none if it takes part where the pool divides RAM.
    pub(crate) fn fixed_ram(&self) -> Option<Size> {
        self.ram
    }

    /// Returns the least and the most bytes that it gets where the pool divides RAM.
    pub(crate) fn ram_bounds(&self) -> (u64, u64) {
        (self.ram_min.0, self.ram_max.map_or(u64::MAX, |max| max.0))
    }

    /// Returns true if a limit was set: without one, the disk may take the whole pool.
    pub(crate) fn has_limit(&self) -> bool {
        self.limit != Share::Auto
    }

    /// Returns the longest sequential run that still enters the cache.
    pub(crate) fn sequential_cutoff(&self) -> SequentialCutoff {
        self.sequential_cutoff
    }

    /// Returns the same values with `changes` (key, value as text) applied.
    ///
    /// # Errors
    /// Names the key that is unknown, or the value that is invalid. Then nothing is changed.
    pub(crate) fn with<'a>(&self, changes: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self> {
        let mut values = self.clone();
        for (key, text) in changes {
            values.put(key, text).map_err(Error::invalid)?;
        }
        match values.ram_max {
            Some(max) if max < values.ram_min => Err(Error::invalid(format!(
                "A disk cannot get {} of RAM at least and {max} at most: lower 'ram-min' or raise 'ram-max'",
                values.ram_min
            ))),
            _ => Ok(values),
        }
    }

    fn put(&mut self, key: &str, text: &str) -> Result<(), String> {
        let about = |message: String| format!("Cannot set {key}={text}: {message}");
        match key {
            "mode" => self.mode = text.parse().map_err(about)?,
            "block-size" => self.block_bytes = parse_block_bytes(text).map_err(about)?,
            "reserve" => self.reserve = text.parse().map_err(about)?,
            "limit" => self.limit = text.parse().map_err(about)?,
            "ram" => self.ram = parse_unless(text, "auto", parse_ram).map_err(about)?,
            "ram-min" => self.ram_min = parse_ram(text).map_err(about)?,
            "ram-max" => self.ram_max = parse_unless(text, "off", parse_ram).map_err(about)?,
            "admission" => self.admission = text.parse().map_err(about)?,
            "sequential-cutoff" => self.sequential_cutoff = parse_cutoff(text).map_err(about)?,
            "read-balance" => self.read_balance = text.parse().map_err(about)?,
            "dirty-limit" => self.dirty_limit = text.parse().map_err(about)?,
            "destage-rate-min" => self.destage_rate_min = text.parse().map_err(about)?,
            "destage-rate-max" => self.destage_rate_max = text.parse().map_err(about)?,
            "destage-order" => self.destage_order = parse_destage_order(text).map_err(about)?,
            "ring" => self.ring = parse_ring(text).map_err(about)?,
            "ring-size" => self.ring_size = parse_unless(text, "auto", parse_ring_size).map_err(about)?,
            "consistent-age-max" => {
                self.consistent_age_max = parse_unless(text, "off", parse_age).map_err(about)?;
            }
            "consistency-set" => self.consistency_set = parse_set(text).map_err(about)?,
            "redundancy" => self.redundancy = text.parse().map_err(about)?,
            "allow-unmarked" => self.unmarked = text.parse().map_err(about)?,
            "retry-time" => self.retry_time = text.parse().map_err(about)?,
            "iops-max" => self.iops_max = parse_iops(text).map_err(about)?,
            "bandwidth-max" => self.bandwidth_max = parse_bandwidth(text).map_err(about)?,
            "burst-time" => self.burst_time = text.parse().map_err(about)?,
            "sector-size" => self.sector_size = text.parse().map_err(about)?,
            "map" => self.map = text.parse().map_err(about)?,
            "socket-owner" => self.socket.owner = text.parse().map_err(about)?,
            "socket-group" => self.socket.group = text.parse().map_err(about)?,
            "socket-mode" => self.socket.mode = text.parse().map_err(about)?,
            _ => {
                return Err(match renamed::key(key) {
                    Some(now) => {
                        format!("Cannot set {key}={text}: the key is called '{now}' now; write {now}={text}")
                    }
                    None => format!("Unknown key '{key}': {}", hint(key, &KEYS.map(|key| key.name))),
                });
            }
        }
        Ok(())
    }

    /// Returns true if dirty data is to be on two devices.
    pub(crate) fn is_mirrored(&self) -> bool {
        self.writes_back() && self.redundancy == Redundancy::Mirror
    }

    /// Returns true if writes are acknowledged before the backing has them.
    pub(crate) fn writes_back(&self) -> bool {
        self.mode.row().writes_back
    }

    /// Returns the mode.
    pub(crate) fn mode(&self) -> Mode {
        self.mode
    }

    /// Returns true if destage is to go through a redo ring.
    pub(crate) fn is_consistent(&self) -> bool {
        self.destage_order == DestageOrder::Consistent
    }

    /// Returns the consistency set that the disk is in, if it is destaged in consistent order.
    pub(crate) fn consistency_set(&self) -> Option<&str> {
        self.consistency_set.as_deref().filter(|_| self.is_consistent())
    }

    /// Returns the path or image of the redo ring, if it was set.
    pub(crate) fn ring(&self) -> Option<&str> {
        self.ring.as_deref()
    }

    /// Returns the bytes of a new redo ring for a disk of `disk_bytes`.
    pub(crate) fn ring_bytes(&self, disk_bytes: u64) -> u64 {
        let auto = || disk_bytes.saturating_mul(2).clamp(RING_BYTES_MIN, RING_BYTES_AUTO_MAX);
        self.ring_size.map_or_else(auto, |size| size.0).next_multiple_of(PAGE)
    }

    /// Returns the same values without write-back.
    pub(crate) fn written_through(&self) -> Self {
        let mode = if self.writes_back() { Mode::WriteThrough } else { self.mode };
        Self { mode, ..self.clone() }
    }

    /// Returns the same values without caching.
    pub(crate) fn passing_through(&self) -> Self {
        Self { mode: Mode::PassThrough, ..self.clone() }
    }

    /// Returns the same values without reservation, limit and redo ring, for a host without flash.
    pub(crate) fn without_flash(&self) -> Self {
        Self {
            reserve: Share::Auto,
            limit: Share::Auto,
            destage_order: DestageOrder::Address,
            ..self.clone()
        }
    }

    /// Returns every key with its value as text, in the order of [`KEYS`].
    pub(crate) fn named(&self) -> [(&'static str, String); KEYS.len()] {
        [
            ("mode", self.mode.to_string()),
            ("block-size", Share::Bytes(self.block_bytes.into()).to_string()),
            ("reserve", self.reserve.to_string()),
            ("limit", self.limit.to_string()),
            ("ram", size_or(self.ram, "auto")),
            ("ram-min", Share::Bytes(self.ram_min.0).to_string()),
            ("ram-max", size_or(self.ram_max, "off")),
            ("admission", self.admission.to_string()),
            ("sequential-cutoff", cutoff_text(self.sequential_cutoff)),
            ("read-balance", self.read_balance.to_string()),
            ("dirty-limit", self.dirty_limit.to_string()),
            ("destage-rate-min", Share::Bytes(self.destage_rate_min.0).to_string()),
            ("destage-rate-max", Share::Bytes(self.destage_rate_max.0).to_string()),
            ("destage-order", destage_order_text(self.destage_order).to_owned()),
            ("ring", self.ring.clone().unwrap_or_else(|| "auto".to_owned())),
            ("ring-size", size_or(self.ring_size, "auto")),
            (
                "consistent-age-max",
                self.consistent_age_max.map_or_else(|| "off".to_owned(), |seconds| format!("{seconds}s")),
            ),
            ("consistency-set", self.consistency_set.clone().unwrap_or_else(|| "off".to_owned())),
            ("redundancy", self.redundancy.to_string()),
            ("allow-unmarked", self.unmarked.to_string()),
            ("retry-time", self.retry_time.to_string()),
            ("iops-max", iops_text(self.iops_max)),
            ("bandwidth-max", bandwidth_text(self.bandwidth_max)),
            ("burst-time", self.burst_time.to_string()),
            ("sector-size", self.sector_size.to_string()),
            ("map", self.map.to_string()),
            ("socket-owner", self.socket.owner.to_string()),
            ("socket-group", self.socket.group.to_string()),
            ("socket-mode", self.socket.mode.to_string()),
        ]
    }

    /// Returns the time that a request to the backing may take, in nanoseconds; none: without limit.
    pub(crate) fn retry_ns(&self) -> Option<u64> {
        self.retry_time.nanoseconds()
    }

    /// Returns the limits of guests' requests and bytes a second.
    pub(crate) fn rate_limits(&self) -> RateLimits {
        RateLimits {
            requests: self.iops_max,
            bytes: self.bandwidth_max,
            burst_ns: self.burst_time.nanoseconds(),
        }
    }

    /// Returns the sector size for guests in bytes, if it was set.
    pub(crate) fn sector_bytes(&self) -> Option<u64> {
        self.sector_size.bytes()
    }

    /// Returns the permission of write-back on a backing that cannot bear a dirty mark.
    pub(crate) fn unmarked(&self) -> Unmarked {
        self.unmarked
    }

    /// Returns owner, group and mode of the disk's sockets.
    pub(crate) fn socket_rights(&self) -> SocketRights {
        self.socket.clone()
    }

    /// Returns the cache settings of a disk of `disk_bytes` with these values.
    ///
    /// # Errors
    /// If the reservation would exceed the limit, or the least rate of destage the greatest.
    pub(crate) fn settings(&self, id: DiskId, disk_bytes: u64, pool: PoolBounds) -> Result<DiskSettings> {
        let reserve = self.reserve.of(disk_bytes);
        let limit = self.limit.of(disk_bytes);
        if let (Some(reserve), Some(limit)) = (reserve, limit)
            && reserve > limit
        {
            return Err(Error::invalid(format!(
                "A reservation of {} is above the limit of {}: lower 'reserve' or raise 'limit'",
                Size(reserve),
                Size(limit)
            )));
        }
        let (rate_min, rate_max) = (self.destage_rate_min, self.destage_rate_max);
        if rate_max.0 > 0 && rate_min > rate_max {
            return Err(Error::invalid(format!(
                "Destage cannot go at {rate_min} a second at least and {rate_max} at most: lower 'destage-rate-min' or raise \
                 'destage-rate-max'"
            )));
        }
        let reserve_bytes = reserve.unwrap_or(pool.reserve_bytes_min);
        Ok(DiskSettings {
            id,
            mode: self.mode,
            block_bytes: self.block_bytes,
            reserve_bytes,
            reserve_policy: if reserve.is_none() {
                ReservePolicy::FollowsDirty
            } else {
                ReservePolicy::Fixed
            },
            limit_bytes: limit.unwrap_or(pool.usable_bytes.max(reserve_bytes)),
            ram_bytes: self.ram().0,
            admission: self.admission,
            sequential_cutoff: self.sequential_cutoff,
            dirty_limit_bytes: self.dirty_limit.of(disk_bytes),
            destage_rate_min: rate_min.0,
            destage_rate_max: rate_max.0,
            redundancy: self.redundancy,
            retry_ns: self.retry_ns(),
            read_only: false,
            zero_pages: ZeroPages::Remembered,
            sector_bytes: self.sector_size.bytes(),
            read_balance: self.read_balance,
            destage_order: self.destage_order,
            consistent_age_max_ns: self.consistent_age_max.map(|seconds| seconds * 1_000_000_000),
        })
    }
}

fn parse_block_bytes(text: &str) -> Result<u32, String> {
    let Size(bytes) = text.parse()?;
    if !bytes.is_power_of_two() || !BLOCK_BYTES.contains(&bytes) {
        return Err(format!("a block of {bytes} bytes cannot be; use a power of two from 4KiB to 1MiB"));
    }
    Ok(bytes as u32)
}

fn parse_destage_order(text: &str) -> Result<DestageOrder, String> {
    match text {
        "address" => Ok(DestageOrder::Address),
        "consistent" => Ok(DestageOrder::Consistent),
        "arrival" => Err("this order is not available yet; write address or consistent".to_owned()),
        _ => Err("write address or consistent".to_owned()),
    }
}

fn destage_order_text(order: DestageOrder) -> &'static str {
    match order {
        DestageOrder::Address => "address",
        DestageOrder::Consistent => "consistent",
    }
}

fn parse_age(text: &str) -> Result<u64, String> {
    let seconds = base::units::parse_seconds(text)?;
    if AGE_SECONDS.contains(&seconds) {
        return Ok(seconds);
    }
    Err(format!("give from {}s to {}s, or off", AGE_SECONDS.start(), AGE_SECONDS.end()))
}

fn parse_set(text: &str) -> Result<Option<String>, String> {
    if text == "off" {
        return Ok(None);
    }
    let named = names::check(text).map(|()| Some(text.to_owned()));
    named.map_err(|_| {
        "write off, or a name of the characters a-z 0-9 . _ - that starts with a letter or digit".to_owned()
    })
}

fn parse_ring(text: &str) -> Result<Option<String>, String> {
    let path = text.strip_prefix("file:").unwrap_or(text);
    match text.strip_prefix("rbd:").map(ImageName::parse) {
        _ if text == "auto" => Ok(None),
        Some(Ok(image)) if image.conf.as_deref().is_none_or(Path::is_absolute) => Ok(Some(image.to_string())),
        Some(Ok(_)) => Err("name its configuration by an absolute path".to_owned()),
        Some(Err(reason)) => Err(reason),
        None if Path::new(path).is_absolute() => Ok(Some(path.to_owned())),
        None => Err("write auto, the absolute path of a file or block device, or rbd:POOL/IMAGE".to_owned()),
    }
}

fn parse_ring_size(text: &str) -> Result<Size, String> {
    let size: Size = text.parse()?;
    if size.0 < RING_BYTES_MIN {
        return Err(format!("a redo ring has at least {}", Size(RING_BYTES_MIN)));
    }
    Ok(size)
}

fn parse_cutoff(text: &str) -> Result<SequentialCutoff, String> {
    match text {
        "auto" => Ok(SequentialCutoff::Auto),
        _ => Ok(SequentialCutoff::Bytes(text.parse::<Size>()?.0)),
    }
}

fn cutoff_text(cutoff: SequentialCutoff) -> String {
    match cutoff {
        SequentialCutoff::Auto => Share::Auto,
        SequentialCutoff::Bytes(bytes) => Share::Bytes(bytes),
    }
    .to_string()
}

fn parse_ram(text: &str) -> Result<Size, String> {
    let size: Size = text.parse()?;
    if size.0 < RAM_BYTES_MIN {
        return Err(format!("{size} of RAM are too little; use at least {}", Size(RAM_BYTES_MIN)));
    }
    Ok(size)
}

/// Parses a value; none for a word.
fn parse_unless<T>(
    text: &str,
    word: &str,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, String> {
    if text == word { Ok(None) } else { parse(text).map(Some) }
}

fn size_or(size: Option<Size>, word: &str) -> String {
    size.map_or_else(|| word.to_owned(), |size| Share::Bytes(size.0).to_string())
}

impl From<Values> for BTreeMap<String, String> {
    fn from(values: Values) -> Self {
        values.named().into_iter().map(|(key, text)| (key.to_owned(), text)).collect()
    }
}

impl TryFrom<BTreeMap<String, String>> for Values {
    type Error = Error;

    fn try_from(texts: BTreeMap<String, String>) -> Result<Self> {
        // Versions without the pool's RAM recorded their default as a size.
        let is_earlier = !texts.contains_key("ram-min");
        let is_default = |key: &str, text: &str| is_earlier && key == "ram" && text == "32MiB";
        let texts =
            texts.iter().map(|(key, text)| (renamed::key(key).unwrap_or(key.as_str()), text.as_str()));
        Self::default().with(texts.filter(|(key, text)| !is_default(key, text)))
    }
}

#[cfg(test)]
mod tests;
