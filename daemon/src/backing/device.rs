//! An open backing: one of the kinds, behind the one face of a device.

use std::path::Path;

use block::file::{Access, Cache, FileDevice, Identity, Lock, OpenError, OpenOptions};
use block::{BlockDevice, BlockError, Buffer, ByteRange, Extent, Geometry, Outcome, Ring, SECTOR, Unmap};

use super::Location;
use crate::problem::{Answer, Problem};

/// How a backing is opened.
#[derive(Clone, Debug)]
pub(crate) struct Opening {
    /// Where it is.
    pub(crate) location: Location,
    /// Whether it is written.
    pub(crate) access: Access,
}

/// A backing that is open and locked. Belongs to the thread of its ring.
pub(crate) enum Backing {
    /// A raw file or a block device.
    File(FileDevice),
}

impl Backing {
    /// Opens and locks a backing.
    ///
    /// # Errors
    /// What stands in the way: somebody else has it open, its size is no disk's, the system refuses.
    pub(crate) fn open(ring: &Ring, opening: &Opening) -> Answer<Self> {
        match &opening.location {
            Location::File(path) => open_file(ring, path, opening.access).map(Self::File),
        }
    }

    /// Which storage it is on.
    pub(crate) fn identity(&self) -> Identity {
        self.file().identity()
    }

    /// Why it goes through the page cache of the host though it should not.
    pub(crate) fn fallback_reason(&self) -> Option<&str> {
        self.file().fallback_reason()
    }

    /// The size in bytes that it has now; if it shrank, later requests fail.
    pub(crate) async fn current_size(&self) -> Result<u64, BlockError> {
        self.file().current_size().await
    }

    fn file(&self) -> &FileDevice {
        match self {
            Self::File(file) => file,
        }
    }
}

fn open_file(ring: &Ring, path: &Path, access: Access) -> Answer<FileDevice> {
    let options = |cache| OpenOptions { access, cache, lock: Lock::Image, create: None };
    let direct = FileDevice::open(ring, path, options(Cache::Direct)).map_err(|error| problem(&error))?;
    if direct.geometry().alignment == SECTOR {
        return Ok(direct);
    }
    // Guests send sectors, and this device takes pages only. The page cache of the host serves both.
    drop(direct);
    FileDevice::open(ring, path, options(Cache::Buffered)).map_err(|error| problem(&error))
}

fn problem(error: &OpenError) -> Problem {
    match error {
        OpenError::Held { .. } => Problem::conflict(error.to_string()),
        _ => Problem::invalid(error.to_string()),
    }
}

impl BlockDevice for Backing {
    fn geometry(&self) -> Geometry {
        match self {
            Self::File(device) => device.geometry(),
        }
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        match self {
            Self::File(device) => device.read(offset, buffer).await,
        }
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        match self {
            Self::File(device) => device.write(offset, buffer).await,
        }
    }

    async fn flush(&self) -> Result<(), BlockError> {
        match self {
            Self::File(device) => device.flush().await,
        }
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        match self {
            Self::File(device) => device.write_zeroes(range, unmap).await,
        }
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        match self {
            Self::File(device) => device.discard(range).await,
        }
    }

    async fn extents(&self, range: ByteRange) -> Result<Vec<Extent>, BlockError> {
        match self {
            Self::File(device) => device.extents(range).await,
        }
    }
}
