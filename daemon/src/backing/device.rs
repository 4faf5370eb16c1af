//! An open backing: one of the kinds, behind the one face of a device.

use block::executor::LocalHost;
use block::file::{Access, Cache, FileDevice, Identity, Lock, OpenError, OpenOptions};
use block::model::Model;
use block::{Aligned, BlockDevice, BlockError, Buffer, ByteRange, Extent, Geometry, Outcome, Ring, Unmap};
use std::io;

use super::{Location, let_in};
use crate::problem::{Answer, Problem};

/// How a backing is opened.
#[derive(Clone, Debug)]
pub(crate) struct Opening {
    /// Where it is.
    pub(crate) location: Location,
    /// Whether it is written.
    pub(crate) access: Access,
    /// Which lock is taken.
    pub(crate) lock: Lock,
}

/// A backing that is open and locked. Belongs to the thread of its ring.
pub(crate) enum Backing {
    /// A raw file or a block device.
    File(Aligned<FileDevice>),
    /// The same with the timing of a spinning array.
    Model(Model<Aligned<FileDevice>, LocalHost>),
}

impl Backing {
    /// Opens and locks a backing.
    ///
    /// # Errors
    /// What stands in the way: somebody else has it open, its size is no disk's, the system refuses.
    pub(crate) fn open(ring: &Ring, host: &LocalHost, opening: &Opening) -> Answer<Self> {
        let device = open_file(ring, opening)?;
        Ok(match &opening.location {
            Location::File(_) => Self::File(device),
            Location::Model(profile, _) => Self::Model(Model::new(device, host.clone(), *profile)),
        })
    }

    /// Which storage it is on.
    pub(crate) fn identity(&self) -> Identity {
        self.file().identity()
    }

    /// Why it goes through the page cache of the host though it should not.
    pub(crate) fn fallback_reason(&self) -> Option<&str> {
        self.file().fallback_reason()
    }

    /// When it had been modified last when it was opened, in nanoseconds since 1970, if that is known.
    pub(crate) fn modified_ns_at_open(&self) -> Option<i64> {
        self.file().modified_ns_at_open()
    }

    /// The size in bytes that it has now; if it shrank, later requests fail.
    pub(crate) async fn current_size(&self) -> Result<u64, BlockError> {
        self.file().current_size().await
    }

    /// Which lock is held.
    pub(crate) fn lock(&self) -> Lock {
        self.file().lock()
    }

    /// Locks the image that was opened beside a QEMU. `location` is where it was opened.
    ///
    /// # Errors
    /// A conflict as long as that QEMU, or anybody else, has it open; then nothing has changed.
    pub(crate) fn take_image_lock(&self, location: &Location) -> Answer<()> {
        self.file().take_image_lock(location.path()).map_err(|error| problem(&error))
    }

    /// Unlocks the image, so that a QEMU can open it beside us. `location` is where it was opened.
    ///
    /// # Errors
    /// What the system said; then nothing has changed.
    pub(crate) fn give_up_image_lock(&self, location: &Location) -> Answer<()> {
        self.file().give_up_image_lock(location.path()).map_err(|error| problem(&error))
    }

    fn file(&self) -> &FileDevice {
        match self {
            Self::File(device) => device.inner(),
            Self::Model(model) => model.inner().inner(),
        }
    }
}

/// Past the page cache of the host where that can be, in whatever units the device takes: guests may send sectors.
fn open_file(ring: &Ring, opening: &Opening) -> Answer<Aligned<FileDevice>> {
    let Opening { location, access, lock } = opening;
    let options = OpenOptions { access: *access, cache: Cache::Direct, lock: *lock, create: None };
    FileDevice::open(ring, location.path(), options).map(Aligned::new).map_err(|error| problem(&error))
}

fn problem(error: &OpenError) -> Problem {
    match error {
        OpenError::Held { .. } => Problem::conflict(error.to_string()),
        OpenError::System { path, source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
            Problem::invalid(format!("Cannot use backing {}: {source}; {}", path.display(), let_in(path)))
        }
        _ => Problem::invalid(error.to_string()),
    }
}

impl BlockDevice for Backing {
    fn geometry(&self) -> Geometry {
        match self {
            Self::File(device) => device.geometry(),
            Self::Model(device) => device.geometry(),
        }
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        match self {
            Self::File(device) => device.read(offset, buffer).await,
            Self::Model(device) => device.read(offset, buffer).await,
        }
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        match self {
            Self::File(device) => device.write(offset, buffer).await,
            Self::Model(device) => device.write(offset, buffer).await,
        }
    }

    async fn flush(&self) -> Result<(), BlockError> {
        match self {
            Self::File(device) => device.flush().await,
            Self::Model(device) => device.flush().await,
        }
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        match self {
            Self::File(device) => device.write_zeroes(range, unmap).await,
            Self::Model(device) => device.write_zeroes(range, unmap).await,
        }
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        match self {
            Self::File(device) => device.discard(range).await,
            Self::Model(device) => device.discard(range).await,
        }
    }

    async fn extents(&self, range: ByteRange) -> Result<Vec<Extent>, BlockError> {
        match self {
            Self::File(device) => device.extents(range).await,
            Self::Model(device) => device.extents(range).await,
        }
    }
}
