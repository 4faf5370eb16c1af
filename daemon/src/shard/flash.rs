//! The flash of a shard: the device of the pool, or nothing in its place.
//!
//! A pool whose device is gone must not keep guests from their disks after a restart. They are then served without flash:
//! the cache is opened on an empty stand-in and told at once that its flash failed, so that it is neither written nor
//! believed, and so that every disk remembers that it went on without (rule I14).

use block::{BlockDevice, BlockError, Buffer, ByteRange, FileDevice, Geometry, Memory, Outcome, Unmap};

/// Flash, or nothing.
pub(super) enum Flash {
    /// The device of the pool.
    Device(FileDevice),
    /// What stands in for it: memory that takes no room as long as nothing is written to it.
    Missing(Memory),
}

/// Large enough for whatever disks have reserved.
const STAND_IN_BYTES: u64 = 1 << 40;

impl Flash {
    /// Nothing in the place of flash.
    pub(super) fn missing() -> Self {
        Self::Missing(Memory::new(STAND_IN_BYTES))
    }
}

impl BlockDevice for Flash {
    fn geometry(&self) -> Geometry {
        match self {
            Self::Device(device) => device.geometry(),
            Self::Missing(memory) => memory.geometry(),
        }
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        match self {
            Self::Device(device) => device.read(offset, buffer).await,
            Self::Missing(memory) => memory.read(offset, buffer).await,
        }
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        match self {
            Self::Device(device) => device.write(offset, buffer).await,
            Self::Missing(memory) => memory.write(offset, buffer).await,
        }
    }

    async fn flush(&self) -> Result<(), BlockError> {
        match self {
            Self::Device(device) => device.flush().await,
            Self::Missing(memory) => memory.flush().await,
        }
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        match self {
            Self::Device(device) => device.write_zeroes(range, unmap).await,
            Self::Missing(memory) => memory.write_zeroes(range, unmap).await,
        }
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        match self {
            Self::Device(device) => device.discard(range).await,
            Self::Missing(memory) => memory.discard(range).await,
        }
    }
}
