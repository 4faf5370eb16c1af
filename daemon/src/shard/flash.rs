//! The flash of a shard: a device of the pool, or nothing in its place.
//!
//! Each shard has its own handle of a device, and all are of the one file that was opened and locked. Whether any is left is
//! asked from outside, because a device that has left the pool is somebody else's only when the last one is closed.
//!
//! A pool whose device is gone must not keep guests from their disks after a restart. They are then served without flash:
//! the cache is opened on an empty stand-in and told at once that its flash failed, so that it is neither written nor
//! believed, and so that every disk remembers that it went on without (rule I14).

use std::sync::{Arc, Weak};

use block::file::Handle;
use block::{BlockDevice, BlockError, Buffer, ByteRange, FileDevice, Geometry, Memory, Outcome, Ring, Unmap};

use crate::problem::{Answer, Problem};

/// Flash, or nothing.
pub(super) enum Flash {
    /// A device of the pool.
    Device(OpenDevice),
    /// What stands in for it: memory that takes no room as long as nothing is written to it.
    Missing(Memory),
}

/// A device that is open on this shard.
pub(super) struct OpenDevice {
    // Dropped first, so that the file is closed once nobody has the other.
    device: FileDevice,
    held: Arc<()>,
}

/// A handle of a device on its way to another shard.
pub(super) struct DeviceHandle {
    handle: Handle,
    held: Arc<()>,
}

/// Says whether a device is open on any shard.
#[derive(Clone, Debug)]
pub(crate) struct Openness(Weak<()>);

impl OpenDevice {
    /// A device that was opened just now.
    pub(super) fn new(device: FileDevice) -> Self {
        Self { device, held: Arc::default() }
    }

    /// The device itself.
    pub(super) fn device(&self) -> &FileDevice {
        &self.device
    }

    /// The same device for another ring.
    ///
    /// # Errors
    /// If there are too many open files.
    pub(super) fn handle(&self) -> Answer<DeviceHandle> {
        let handle = self.device.handle().map_err(|error| {
            Problem::failed(format!(
                "Cannot use the pool on several shards: {error}; allow more open files (`LimitNOFILE=` of the service)"
            ))
        })?;
        Ok(DeviceHandle { handle, held: Arc::clone(&self.held) })
    }

    /// The device of a handle, on the thread of `ring`.
    pub(super) fn from_handle(ring: &Ring, handle: DeviceHandle) -> Self {
        let DeviceHandle { handle, held } = handle;
        Self { device: FileDevice::from_handle(ring, handle), held }
    }

    /// Says later whether it is still open anywhere.
    pub(super) fn openness(&self) -> Openness {
        Openness(Arc::downgrade(&self.held))
    }
}

impl Openness {
    /// True as long as some shard has it open.
    pub(crate) fn is_open(&self) -> bool {
        self.0.strong_count() > 0
    }
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
            Self::Device(open) => open.device.geometry(),
            Self::Missing(memory) => memory.geometry(),
        }
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        match self {
            Self::Device(open) => open.device.read(offset, buffer).await,
            Self::Missing(memory) => memory.read(offset, buffer).await,
        }
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        match self {
            Self::Device(open) => open.device.write(offset, buffer).await,
            Self::Missing(memory) => memory.write(offset, buffer).await,
        }
    }

    async fn flush(&self) -> Result<(), BlockError> {
        match self {
            Self::Device(open) => open.device.flush().await,
            Self::Missing(memory) => memory.flush().await,
        }
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        match self {
            Self::Device(open) => open.device.write_zeroes(range, unmap).await,
            Self::Missing(memory) => memory.write_zeroes(range, unmap).await,
        }
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        match self {
            Self::Device(open) => open.device.discard(range).await,
            Self::Missing(memory) => memory.discard(range).await,
        }
    }
}
