//! Documents about the pool: its devices, and the threads that use it.

use serde::Serialize;
use utoipa::ToSchema;

use crate::wear::{Budget, Wear};

/// In which state the pool is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PoolState {
    /// It is used.
    Serving,
    /// All of its flash failed. Disks go on without it.
    Failed,
    /// It was not there, or not to be opened, when the daemon started.
    Missing,
}

/// The pool, and the threads that use it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Pool {
    pub path: String,
    /// Its identity; null if the pool is missing and none is remembered.
    pub id: Option<String>,
    /// Two of its devices are large enough for two copies of things.
    pub can_mirror: bool,
    pub notes_mirrored: bool,
    /// Reason for which two copies are no mirror: devices share a drive.
    pub not_mirrored_reason: Option<String>,
    pub segments_uncopied: u64,
    pub state: PoolState,
    /// Why it is missing, if it is.
    pub reason: Option<String>,
    /// Flash of all its devices; this and what follows down to the least reservation is null as far as it is not known, because the
    /// pool is missing.
    pub size_bytes: Option<u64>,
    pub usable_bytes: Option<u64>,
    pub reserved_bytes: Option<u64>,
    pub segment_bytes: Option<u64>,
    pub segments: Option<u64>,
    pub segments_free: Option<u64>,
    /// The least that can be reserved for a disk.
    pub reserve_bytes_min: Option<u64>,
    /// Disks that are served.
    pub disks: u64,
    /// Writes of each whole device that are allowed in a day, as set by the key `write-budget`; null for no budget.
    pub write_budget: Option<f64>,
    /// Why it goes through the page cache of the host, if it does.
    pub page_cache_reason: Option<String>,
    pub devices: Vec<Device>,
    /// Devices that failed or were missing.
    pub devices_lost: Vec<String>,
    pub warnings: Vec<String>,
    pub shards: Vec<Shard>,
}

/// A device of the pool.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PoolDevice)]
pub struct Device {
    pub path: Option<String>,
    pub number: u32,
    pub state: DeviceState,
    pub size_bytes: u64,
    pub segments: u64,
    pub segments_free: u64,
    /// Space that becomes free is discarded.
    pub discards: bool,
    pub page_cache_reason: Option<String>,
    /// The drives below it, as the kernel names them, or else the memory, server or ZFS pool that it is in; empty if not known.
    pub drives: Vec<String>,
    /// Everything that was written to it since the daemon was started; `wear` has what was written in all.
    pub written_bytes_since_start: u64,
    /// Wear of the device; null as long as that is not known.
    pub wear: Option<Wear>,
    /// State of its write budget; null without one.
    pub budget: Option<Budget>,
    /// Progress of making it smaller; null if it keeps its size.
    pub shrinking: Option<Shrinking>,
    /// Reason for which it kept its size when it was last to become smaller; null if it did not.
    pub kept_size_reason: Option<String>,
}

/// A device that is being made smaller.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Shrinking {
    /// Bytes that the pool is to use of it.
    pub size_bytes: u64,
    /// Segments that it is to have.
    pub segments: u64,
    /// Segments behind its new end that are still in use.
    pub segments_left: u64,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DeviceState {
    Used,
    Failed,
    Leaving,
}

/// A thread that serves disks.
#[derive(Debug, Serialize, ToSchema)]
pub struct Shard {
    #[serde(rename = "shard")]
    pub number: u32,
    pub disks: usize,
    pub busy_ns: u64,
    pub age_ns: u64,
}
