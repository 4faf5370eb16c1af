//! A raw file or a block device of this host.

use std::io;
use std::path::Path;
use std::sync::Arc;

use base::aside::Aside;
use base::problem::{Answer, Problem};
use block::file::{Cache, FileDevice, Handle, Lock, OpenError, OpenOptions};
use block::patient::Hang;
use block::{Aligned, BlockDevice, BlockError};

use super::{HandOff, Location};
use crate::backing::device::Opening;
use crate::backing::storage::Storage;
use crate::backing::{Identity, let_in};
use crate::past::{Attributes, FileAttributes};

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

    fn attributes(&self, location: &Location) -> io::Result<Arc<dyn Attributes>> {
        let (file, path) = (self.inner().descriptor()?, opened_at(location).to_owned());
        Ok(Arc::new(FileAttributes { file, path }))
    }

    fn fallback_reason(&self) -> Option<&str> {
        self.inner().fallback_reason()
    }

    fn is_write_protected(&self) -> bool {
        self.inner().is_write_protected()
    }

    fn lock(&self) -> Lock {
        self.inner().lock()
    }

    fn take_image_lock(&self, location: &Location) -> Answer<()> {
        self.inner().take_image_lock(opened_at(location)).map_err(|error| problem(&error))
    }

    fn give_up_image_lock(&self, location: &Location) -> Answer<()> {
        self.inner().give_up_image_lock(opened_at(location)).map_err(|error| problem(&error))
    }

    fn can_rest(&self) -> bool {
        self.inner().lock() == Lock::Image
    }

    fn hand_off(&self) -> HandOff {
        HandOff::File(self.inner().handle())
    }

    fn is_guarded(&self) -> bool {
        true
    }

    fn hang(&self) -> Hang {
        Hang::GivenUp
    }
}

fn opened_at(location: &Location) -> &Path {
    location.path().expect("a file was opened at a path")
}

/// Past the page cache of the host where that can be.
pub(super) async fn open_file(aside: &Aside, path: &Path, opening: &Opening) -> Answer<Handle> {
    let Opening { access, lock, .. } = *opening;
    let options = OpenOptions { access, cache: Cache::Direct, lock, create: None };
    let path = path.to_owned();
    aside.run(move || Handle::open(&path, options).map_err(|error| problem(&error))).await?
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
