//! A raw file or a block device of this host.

use std::io;
use std::path::Path;
use std::sync::Arc;

use base::blocking_pool::BlockingPool;
use base::descriptors::advice_or;
use base::error::{Error, Result};
use block::file::{Cache, FileDevice, Handle, Lock, OpenError, OpenOptions};
use block::patient::HangPolicy;
use block::{Aligned, BlockDevice, BlockError};

use super::{HandOff, Location};
use crate::backing::device::Opening;
use crate::backing::storage::Storage;
use crate::backing::{Ability, Capabilities, Identity, let_in};
use crate::backing_identity::{Attributes, FileAttributes};

impl Storage for Aligned<FileDevice> {
    fn identity(&self) -> Identity {
        Identity::Local(self.inner().identity())
    }

    async fn current_size(&self) -> Result<u64, BlockError> {
        self.inner().current_size().await
    }

    fn set_size(&self, bytes: u64) {
        self.inner().set_size(bytes);
    }

    fn unit(&self) -> u64 {
        self.inner().geometry().alignment
    }

    fn capabilities(&self) -> Capabilities {
        let device = self.inner();
        let is_shared = device.lock() != Lock::Image;
        Capabilities {
            dirty_marker: Ability::unless(
                device.is_block_device().then_some("a block device has no extended attributes"),
            ),
            direct_io: Ability::unless(device.fallback_reason().map(str::to_owned)),
            shard_move: Ability::unless(is_shared.then_some("a QEMU may have it open as well")),
            ..Capabilities::from_geometry(&device.geometry())
        }
    }

    fn attributes(&self, location: &Location) -> Arc<dyn Attributes> {
        Arc::new(FileAttributes { file: self.inner().open_file(), path: opened_at(location).to_owned() })
    }

    fn is_write_protected(&self) -> bool {
        self.inner().is_write_protected()
    }

    fn lock(&self) -> Lock {
        self.inner().lock()
    }

    fn take_image_lock(&self, location: &Location) -> Result<()> {
        self.inner().take_image_lock(opened_at(location)).map_err(|error| problem(&error))
    }

    fn give_up_image_lock(&self, location: &Location) -> Result<()> {
        self.inner().give_up_image_lock(opened_at(location)).map_err(|error| problem(&error))
    }

    fn hand_off(&self) -> HandOff {
        HandOff::File(self.inner().handle())
    }

    fn hang(&self) -> HangPolicy {
        HangPolicy::GivenUp
    }
}

fn opened_at(location: &Location) -> &Path {
    location.path().expect("a file was opened at a path")
}

/// Opens a file or device, with direct I/O where the file system supports it.
pub(super) async fn open_file(blocking: &BlockingPool, path: &Path, opening: &Opening) -> Result<Handle> {
    let Opening { access, lock, .. } = *opening;
    let options = OpenOptions { access, cache: Cache::Direct, lock, create: None };
    let path = path.to_owned();
    blocking.run(move || Handle::open(&path, options).map_err(|error| problem(&error))).await?
}

fn problem(error: &OpenError) -> Error {
    match error {
        OpenError::Held { .. } => Error::conflict(error.to_string()),
        OpenError::System { path, source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
            Error::invalid(format!("Cannot use backing {}: {source}; {}", path.display(), let_in(path)))
        }
        OpenError::System { source, .. }
            if matches!(source.raw_os_error(), Some(libc::EMFILE | libc::ENFILE)) =>
        {
            Error::unavailable(format!("{error}; {}", advice_or(source, "try again")))
        }
        _ => Error::invalid(error.to_string()),
    }
}
