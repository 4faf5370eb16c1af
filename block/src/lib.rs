//! The block device trait, and the real devices.
//!
//! [`BlockDevice`] is the one face that everything in Forebay shows: a file through `io_uring`, memory, a fault
//! injector, the timing model of a spinning array, and the cached disk itself. A door can therefore serve any of
//! them, and a test can slip a layer in anywhere.
//!
//! The crate also holds what a shard needs to run: the single-threaded [`executor`], the [`Host`] trait that supplies
//! time and random numbers, and the ring that completes I/O. It knows no cache and no clients.

pub mod aligned;
mod arena;
pub mod buffer;
mod deadline;
mod descriptors;
pub mod device;
pub mod error;
pub mod event;
pub mod executor;
pub mod faulty;
pub mod file;
pub mod host;
pub mod limit;
pub mod memory;
pub mod model;
pub mod nbd;
pub mod patient;
mod prefetch;
pub mod range;
pub mod range_lock;
pub mod sealed;
pub mod shared_words;
pub mod socket;
pub mod sync_file;
mod turn;
pub mod ublk;
pub mod uring;

pub use aligned::Aligned;
pub use arena::{Arena, Part};
pub use buffer::{ALIGNMENT, Buffer, Filling};
pub use device::{BlockDevice, Extent, Geometry, Outcome, Unmap, WantedRange};
pub use error::{BlockError, ErrorKind, Operation};
pub use event::Event;
pub use file::FileDevice;
pub use host::Host;
pub use limit::{Delays, LimitsLifted, RateLimited, RateLimiter, RateLimiterState, RateLimits};
pub use memory::Memory;
pub use model::Model;
pub use nbd::NbdDevice;
pub use patient::RetryDevice;
pub use prefetch::prefetch;
pub use range::ByteRange;
pub use range_lock::{RangeGuard, RangeLock};
pub use shared_words::SharedWords;
pub use sync_file::SyncFile;
pub use turn::turn;
pub use uring::Ring;

/// The smallest unit that any request may address: 512 bytes, the sector of every disk protocol.
pub const SECTOR: u64 = 512;
/// The unit of validity and dirtiness: 4 KiB.
pub const PAGE: u64 = 4096;
