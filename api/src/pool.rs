//! Documents about the pool: its devices, and the threads that use it.

use serde::Serialize;
use utoipa::ToSchema;

use crate::wear::{Budget, Wear};

/// State of the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PoolState {
    /// It is in use.
    Serving,
    /// All of its flash failed. Disks continue without it.
    Failed,
    /// It was missing, or could not be opened, when the daemon started.
    Missing,
}

/// The pool, and the threads that use it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Pool {
    pub path: String,
    /// Identity of the pool; null if it is missing and none is stored.
    pub id: Option<String>,
    /// True if two of its devices are large enough for two copies.
    pub can_mirror: bool,
    pub notes_mirrored: bool,
    /// Reason why two copies are no mirror: devices share a drive.
    pub not_mirrored_reason: Option<String>,
    pub segments_uncopied: u64,
    pub state: PoolState,
    /// Reason why it is missing, if it is.
    pub reason: Option<String>,
    /// Flash of all its devices; this value and the next ones, down to the minimum of a reservation, are null if they are not known,
    /// because the pool is missing.
    pub size_bytes: Option<u64>,
    pub usable_bytes: Option<u64>,
    pub reserved_bytes: Option<u64>,
    pub segment_bytes: Option<u64>,
    pub segments: Option<u64>,
    pub segments_free: Option<u64>,
    /// Minimum of a disk's reservation.
    pub reserve_bytes_min: Option<u64>,
    /// Number of disks that are served.
    pub disks: u64,
    /// Writes of each whole device that are allowed in a day, as set by the key `write-budget`; null for no budget.
    pub write_budget: Option<f64>,
    /// RAM of all disks, as divided among them by the key `ram`; null if each has its own.
    pub ram: Option<RamDivision>,
    /// Flash of the disks that share it, in the order in which they were added; empty with less than two of them, and until it was divided.
    pub flash: Vec<FlashOfDisk>,
    /// Reason why it goes through the page cache of the host, if it does.
    pub page_cache_reason: Option<String>,
    pub devices: Vec<Device>,
    /// Devices that failed or were missing.
    pub devices_lost: Vec<String>,
    /// Faults that an administrator has to mend: with any, `/healthz` and `forebay status` report that not all is well.
    pub faults: Vec<String>,
    pub warnings: Vec<String>,
    pub shards: Vec<Shard>,
}

/// One budget for the RAM of all disks.
#[derive(Debug, Serialize, ToSchema)]
pub struct RamDivision {
    /// Value of the key: `auto`, or a size.
    pub setting: String,
    /// RAM of all disks together at present: less than the key says if the host has less.
    pub budget_bytes: u64,
    /// The disks, in the order in which they were added.
    pub disks: Vec<RamOfDisk>,
}

/// RAM of a disk.
#[derive(Debug, Serialize, ToSchema)]
pub struct RamOfDisk {
    pub name: String,
    pub ram_bytes: u64,
    /// Key `ram-min`.
    pub ram_bytes_min: u64,
    /// Key `ram-max`; null for no limit.
    pub ram_bytes_max: Option<u64>,
    /// True if its own key `ram` sets it: then it does not take part in the division.
    pub is_fixed: bool,
    /// Reason for that much, in a few words.
    pub reason: String,
}

/// Flash of a disk among those that share it.
#[derive(Debug, Serialize, ToSchema)]
pub struct FlashOfDisk {
    pub name: String,
    /// Flash that it is to have: while the pool is full, the disk that is furthest beyond that gives room first.
    pub flash_bytes: u64,
    /// Flash that it holds.
    pub flash_bytes_held: u64,
    /// Key `reserve`.
    pub flash_bytes_min: u64,
    /// Key `limit`, or all of the pool.
    pub flash_bytes_max: u64,
    /// Reason for that much, in a few words.
    pub reason: String,
}

/// Device of the pool.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PoolDevice)]
pub struct Device {
    pub path: Option<String>,
    pub number: u32,
    pub state: DeviceState,
    pub size_bytes: u64,
    pub segments: u64,
    pub segments_free: u64,
    /// True if freed space is discarded.
    pub discards: bool,
    pub page_cache_reason: Option<String>,
    /// Drives below it, by their kernel names, or else the memory, server or ZFS pool that holds it; empty if not known.
    pub drives: Vec<String>,
    /// Bytes that were written to it since the daemon was started; `wear` has the total.
    pub written_bytes_since_start: u64,
    /// Wear of the device; null until it is known.
    pub wear: Option<Wear>,
    /// State of its write budget; null without one.
    pub budget: Option<Budget>,
    /// Progress of its shrinking; null if it keeps its size.
    pub shrinking: Option<Shrinking>,
    /// Reason why its last shrinking failed; null if it did not.
    pub kept_size_reason: Option<String>,
}

/// Device that is being shrunk.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Shrinking {
    /// Size in bytes after the shrinking.
    pub size_bytes: u64,
    /// Number of segments after the shrinking.
    pub segments: u64,
    /// Segments beyond the new end that are still in use.
    pub segments_left: u64,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DeviceState {
    Used,
    Failed,
    Leaving,
}

/// Thread that serves disks.
#[derive(Debug, Serialize, ToSchema)]
pub struct Shard {
    #[serde(rename = "shard")]
    pub number: u32,
    pub disks: usize,
    pub busy_ns: u64,
    pub age_ns: u64,
}
