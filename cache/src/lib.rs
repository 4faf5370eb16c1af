//! The cache: RAM and a flash log in front of a backing device, as one block device.
//!
//! ```text
//! face        CachedDisk, Cache                       for doors and the daemon
//! journeys    read, write, destage, flush, promote, reclaim, load ...      one file per path of data
//! survives    log, notes, pool, shared, superblock, start     the content of flash, and the order of writes
//! knowledge   index, dirty set, RAM tier, segments, fills, policy         state in RAM; pure
//! bytes       superblock, table, batch, checksum      structures to bytes and back; pure
//! words       environment, settings, limits, errors, counters, units
//! ```
//! Imports only go down these floors; `cargo xtask tidy` checks it.
//!
//! The crate makes no system call, starts no thread, reads no clock and knows no protocol: devices, time and random numbers are supplied
//! through the traits of `block`. So simulation runs this very code.

pub mod bytes;
mod face;
mod journeys;
mod knowledge;
mod survives;
pub mod words;

pub use bytes::PoolId;
pub use bytes::fields::Malformed;
pub use bytes::layout::Shape;
pub use face::cache::{Cache, Opened, WhatIsDirty, check_disk_bytes};
pub use face::counting::Measured;
pub use face::disk::{AtRest, CachedDisk, HeldFlushes};
pub use journeys::grow::Growing;
pub use journeys::learned_state::{LearnedShape, LearnedState};
pub use journeys::load::Past;
pub use knowledge::curve::{Curve, Curves, Prediction, Use};
pub use knowledge::replay::Belief;
pub use knowledge::touched::{SharedBits, words_for};
pub use survives::check::{CheckedDisk, CheckedPool, Expected, Knowledge, Progress, check};
pub use survives::comparison::Comparison;
pub use survives::opening::{Claim, Identified, check_size, format, identify};
pub use survives::pool::{FlashLost, Witness};
pub use survives::shared::SharedPool;
pub use survives::start::{Ignored, Marks, PoolContent};
pub use words::env::Env;
pub use words::error::CacheError;
pub use words::histograms::{DirectionHistograms, Histogram, Histograms};
pub use words::latency::{Latencies, LatencyCounts, LatencySummary};
pub use words::settings::{
    Admission, DiskSettings, DriveWrites, Mode, Redundancy, ReservePolicy, SequentialCutoff, ZeroPages,
};
pub use words::stats::{
    BudgetStatistics, DestageFailure, DeviceState, DeviceStatistics, DirtyBound, DirtyRoom, DiskCounts,
    DiskStatistics, Latency, Load, LoadStatistics, PoolStatistics, ShrinkStatistics, SizeBounds, Tally,
};
pub use words::units::{DiskId, MemberNumber};
