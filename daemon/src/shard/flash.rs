//! The flash of a shard: a device of the pool, or a placeholder.
//!
//! Each shard has its own handle of a device, and all refer to the one file that was opened and locked.
//! Remaining handles can be counted from outside, because a device that has left the pool is free
//! only when the last one is closed.
//!
//! A pool whose device is missing must not keep guests from their disks after a restart. They are then served
//! without flash: the cache is opened on an empty placeholder and immediately informed that its flash failed,
//! so that it is neither written nor trusted, and so that every disk records that it continued without (rule
//! I14).
//!
//! Only block devices discard, on a thread that may block. A file keeps its allocated storage, or other
//! programs could fill its file system and the next write to flash fail; discards to the flash below are up
//! to that file system.

use std::fs::File;
use std::io;
use std::sync::{Arc, Weak};

use base::blocking_pool::BlockingPool;
use base::error::{Error, Result};
use block::file::Handle;
use block::{
    BlockDevice, BlockError, Buffer, ByteRange, ErrorKind, FileDevice, Geometry, Memory, Operation, Outcome,
    Ring, Unmap,
};

/// Flash, or a placeholder.
pub(super) enum Flash {
    /// A device of the pool.
    Device(OpenDevice),
    /// The placeholder: memory that takes no space as long as nothing is written to it.
    Missing(Memory),
}

/// A device that is open on this shard.
pub(super) struct OpenDevice {
    // Dropped first, so that the file is closed once the other has no owner.
    device: FileDevice,
    held: Arc<()>,
    /// Threads for discards, which may take long.
    blocking: BlockingPool,
}

/// A handle of a device that moves to another shard.
pub(super) struct DeviceHandle {
    handle: Handle,
    held: Arc<()>,
    blocking: BlockingPool,
}

/// Shows whether a device is open on any shard.
#[derive(Clone, Debug)]
pub(crate) struct Openness(Weak<()>);

impl OpenDevice {
    /// Returns a device that was just opened.
    pub(super) fn new(device: FileDevice, blocking: BlockingPool) -> Self {
        Self { device, held: Arc::default(), blocking }
    }

    /// Returns the device itself.
    pub(super) fn device(&self) -> &FileDevice {
        &self.device
    }

    /// Returns a handle of the device, for another ring.
    pub(super) fn handle(&self) -> DeviceHandle {
        DeviceHandle {
            handle: self.device.handle(),
            held: Arc::clone(&self.held),
            blocking: self.blocking.clone(),
        }
    }

    /// Returns the device of a handle, on the thread of `ring`.
    pub(super) fn from_handle(ring: &Ring, handle: DeviceHandle) -> Self {
        let DeviceHandle { handle, held, blocking } = handle;
        Self { device: FileDevice::from_handle(ring, handle), held, blocking }
    }

    /// Changes the open file on a thread that may block.
    pub(super) async fn change_file(
        device: DeviceHandle,
        blocking: &BlockingPool,
        change: impl FnOnce(&File) -> io::Result<()> + Send + 'static,
    ) -> Result<io::Result<()>> {
        blocking.run(move || change(&device.handle.open_file())).await
    }

    /// Discards on a thread that may block. The device counts as open until that is over, also if the caller
    /// stops waiting.
    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        let failed = |problem: Error| {
            BlockError::new(ErrorKind::Io, Operation::Discard, range).because(problem.message)
        };
        let handle = self.handle();
        self.blocking.run(move || handle.discard(range)).await.map_err(failed)?
    }

    /// Returns an object that shows whether it is still open anywhere.
    pub(super) fn openness(&self) -> Openness {
        Openness(Arc::downgrade(&self.held))
    }
}

impl DeviceHandle {
    fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        self.handle.discard(range)
    }
}

impl Openness {
    /// Returns true as long as any shard has it open.
    pub(crate) fn is_open(&self) -> bool {
        self.0.strong_count() > 0
    }
}

/// Size of the placeholder in bytes: large enough for all reservations.
const STAND_IN_BYTES: u64 = 1 << 40;

impl Flash {
    /// Returns the open device, if it is one.
    pub(super) fn device(&self) -> Option<&OpenDevice> {
        match self {
            Self::Device(open) => Some(open),
            Self::Missing(_) => None,
        }
    }

    /// Returns a placeholder of flash.
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
            Self::Device(open) => open.discard(range).await,
            Self::Missing(memory) => memory.discard(range).await,
        }
    }

    fn wants_discards(&self) -> bool {
        match self {
            Self::Device(open) => open.device.is_block_device(),
            Self::Missing(_) => false,
        }
    }
}
