//! Reasons why a volume cannot be used.

use block::{BlockError, ErrorKind, Operation};
use thiserror::Error;

use crate::store::{StoreError, StoreErrorKind};

/// Reason why a volume could not be used, with what to do.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum VolumeError {
    /// The name cannot be that of a volume.
    #[error("Cannot use volume name '{name}': {reason}")]
    BadName {
        /// The name.
        name: String,
        /// Its fault.
        reason: &'static str,
    },
    /// The size cannot be that of a volume.
    #[error("Cannot use a size of {bytes} bytes: a volume has 1 MiB to 64 TiB, in whole MiB")]
    BadSize {
        /// The size.
        bytes: u64,
    },
    /// There is none of this name.
    #[error("There is no volume '{name}' in this store; `forebay volume list` shows those that there are")]
    NotFound {
        /// The name.
        name: String,
    },
    /// There is one of this name.
    #[error("There is a volume '{name}' in this store already: choose another name, or delete it first")]
    Exists {
        /// The name.
        name: String,
    },
    /// The store failed.
    #[error("The store failed: {0}")]
    Store(#[from] StoreError),
    /// An object is not what it must be.
    #[error("Object {name} of the volume is damaged: {reason}")]
    Damaged {
        /// Name of the object.
        name: String,
        /// Its damage.
        reason: String,
    },
    /// An object is of a newer format.
    #[error("Object {name} has format {format}, and this Forebay knows up to {known}: use a newer Forebay")]
    NewerFormat {
        /// Name of the object.
        name: String,
        /// Its format.
        format: u32,
        /// The newest that is known.
        known: u32,
    },
    /// Its use ended.
    #[error("The volume is closed")]
    Closed,
    /// Another host opened the volume since.
    #[error("Another host opened the volume (epoch {epoch}): this one may not write it any more")]
    Fenced {
        /// Number of the other's epoch.
        epoch: u64,
    },
}

impl VolumeError {
    /// Returns true if an object is not there, or not what it must be.
    pub(crate) fn is_missing_or_damaged(&self) -> bool {
        match self {
            Self::Store(error) => error.kind == StoreErrorKind::NotFound,
            error => matches!(error, Self::Damaged { .. }),
        }
    }

    pub(crate) fn damaged(name: &str, reason: impl Into<String>) -> Self {
        Self::Damaged { name: name.to_owned(), reason: reason.into() }
    }
}

/// Returns the error of a device for that of a store.
pub(crate) fn block_error(error: &StoreError, operation: Operation) -> BlockError {
    let kind = match error.kind {
        StoreErrorKind::Full => ErrorKind::NoSpace,
        StoreErrorKind::Denied => ErrorKind::ReadOnly,
        _ => ErrorKind::Io,
    };
    BlockError::anywhere(kind, operation).because(error)
}

/// Returns the error of a device for that of a volume.
pub(crate) fn volume_error(error: &VolumeError, operation: Operation) -> BlockError {
    match error {
        VolumeError::Store(error) => block_error(error, operation),
        VolumeError::Fenced { .. } | VolumeError::Closed => {
            BlockError::anywhere(ErrorKind::Gone, operation).because(error)
        }
        VolumeError::Damaged { .. } => BlockError::anywhere(ErrorKind::Corrupt, operation).because(error),
        _ => BlockError::anywhere(ErrorKind::Io, operation).because(error),
    }
}
