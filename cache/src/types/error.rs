//! Errors of a pool and of the settings of a disk. Failed requests are `BlockError`s.

use block::BlockError;
use thiserror::Error;

use super::units::DiskId;

/// Reason why a pool or a disk could not be used. Each message has the failed action, with values, and a remedy.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CacheError {
    /// The device that holds the pool failed.
    #[error("The pool's device failed: {0}")]
    Flash(#[from] BlockError),

    /// The device is too small for a pool.
    #[error("A pool needs at least {needed_bytes} bytes, and the device has {size_bytes}: use a larger one")]
    TooSmall {
        /// Size of the device.
        size_bytes: u64,
        /// Size of the smallest pool.
        needed_bytes: u64,
    },

    /// The device is larger than page addresses reach.
    #[error(
        "A device of a pool holds at most {max_bytes} bytes, and this one has {size_bytes}: use a part of it"
    )]
    TooLarge {
        /// Size of the device.
        size_bytes: u64,
        /// Size that page addresses reach.
        max_bytes: u64,
    },

    /// The device does not hold a pool that this version can use.
    #[error("The device holds no usable pool: {0}")]
    NotAPool(String),

    /// A setting that cannot be.
    #[error("{0}")]
    Settings(String),

    /// The reservations of all disks together exceed the pool.
    #[error(
        "A reservation of {wanted_bytes} bytes for disk {disk} does not fit: {free_bytes} of the pool's {pool_bytes} \
         bytes are not reserved yet. Reserve less, or lower another disk's reservation"
    )]
    ReservationTooLarge {
        /// The disk that asks.
        disk: DiskId,
        /// Requested size.
        wanted_bytes: u64,
        /// Size that is left to reserve.
        free_bytes: u64,
        /// Size that all disks can use together.
        pool_bytes: u64,
        /// Size kept for dirty data of other disks beyond their reservations, until that is destaged.
        for_dirty_bytes: u64,
        /// The smallest reservation that this pool has.
        minimum_bytes: u64,
    },

    /// A disk with this number is attached already.
    #[error("Disk {0} is attached already")]
    DiskAttached(DiskId),

    /// Flash holds data that no backing has, and the request would lose it.
    #[error("Flash holds data that its backing does not have yet: {0}")]
    HoldsDirty(String),

    /// The flash failed earlier; nothing can be written to it until it is replaced.
    #[error("The pool's flash failed earlier and is no longer used: replace it and restart")]
    FlashFailed,
}
