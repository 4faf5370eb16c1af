//! The cache: RAM and a flash log in front of a backing device, as one block device.
//!
//! ```text
//! api         CachedDisk, Cache                       for doors and the daemon
//! ops         read, write, destage, flush, promote, reclaim, load ...      one file per path of data
//! storage     log, notes, pool, shared, superblock, start     the content of flash, and the order of writes
//! state       index, dirty set, RAM tier, segments, fills, policy         state in RAM; pure
//! format      superblock, table, batch, checksum      structures to bytes and back; pure
//! types       environment, settings, limits, errors, counters, units
//! ```
//! Imports only go down these floors; `cargo xtask tidy` checks it.
//!
//! The crate makes no system call, starts no thread, reads no clock and knows no protocol: devices, time and random numbers are supplied
//! through the traits of `block`. So simulation runs this very code.

mod api;
pub mod format;
mod ops;
mod state;
mod storage;
pub mod types;

pub use api::cache::{Cache, DirtyData, Opened, check_disk_bytes};
pub use api::counting::RequestTimes;
pub use api::disk::{AtRest, CachedDisk, HeldFlushes};
pub use format::PoolId;
pub use format::fields::Malformed;
pub use format::layout::Shape;
pub use ops::cached_copy::CachedCopy;
pub use ops::consistency_set::ConsistencySet;
pub use ops::consistent_state::{ConsistencyStatistics, WallClock};
pub use ops::grow::DiskGrowth;
pub use ops::learned_state::{LearnedShape, LearnedState};
pub use ops::load::RecoveryContext;
pub use ops::set_link::{SetStatistics, SetWait};
pub use state::curve::{Curve, Curves, Prediction, Use};
pub use state::replay::RecoveryTrust;
pub use state::write_intent_bitmap::{SharedBits, words_for};
pub use storage::check::{CheckedDisk, CheckedPool, DiskExpectation, Knowledge, Progress, check};
pub use storage::comparison::Comparison;
pub use storage::opening::{Claim, Identified, check_size, format, identify};
pub use storage::pool::{FlashLost, Witness};
pub use storage::shared::SharedPool;
pub use storage::start::{IgnoredDevice, PoolContent, SessionIds};
pub use types::env::Env;
pub use types::error::CacheError;
pub use types::histograms::{DirectionHistograms, Histogram, Histograms};
pub use types::latency::{Latencies, LatencyCounts, LatencySummary};
pub use types::settings::{
    Admission, DestageOrder, DiskSettings, DriveWrites, Mode, ReadBalancing, Redundancy, ReservePolicy,
    SequentialCutoff, ZeroPages,
};
pub use types::stats::{
    BudgetStatistics, DestageFailure, DeviceState, DeviceStatistics, DirtyBound, DirtyRoom, DiskCounts,
    DiskStatistics, Latency, LoadProgress, LoadStatistics, PoolStatistics, ShrinkStatistics, SizeBounds,
    Tally,
};
pub use types::units::{DiskId, MemberNumber};
