//! Placement of open storage, which its path may name no longer: files are deleted, moved and replaced while they are open, and device
//! nodes vanish. An open file still works without its name, but cannot be found by that name again.

use std::io;
use std::path::Path;

use super::{Identity, OpenError};

/// The storage that a path names, compared with the one that was opened there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// The very storage.
    InPlace,
    /// Nothing: it was deleted or moved, or its device is gone.
    Gone,
    /// Another file or device.
    Replaced,
}

impl Placement {
    /// Compares the storage that `path` names now with `storage`, links followed. May wait for the file system.
    ///
    /// # Errors
    /// If the path cannot be examined: then the placement is unknown.
    pub fn of(storage: &Identity, path: &Path) -> Result<Self, OpenError> {
        match Identity::of(path) {
            Ok(found) if found.same_storage(storage) => Ok(Self::InPlace),
            Ok(_) => Ok(Self::Replaced),
            Err(OpenError::System { source, .. })
                if matches!(source.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
            {
                Ok(Self::Gone)
            }
            Err(error) => Err(error),
        }
    }
}
