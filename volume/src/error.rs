//! Reasons why a volume cannot be used.

use block::{BlockError, ErrorKind, Operation};
use thiserror::Error;

use crate::store::{StoreError, StoreErrorKind};

/// Reason why a volume could not be used, with what to do.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum VolumeError {
    /// The name cannot be that of a volume or a snapshot.
    #[error("Cannot use name '{name}': {reason}")]
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
    /// It was opened for reading alone.
    #[error("The volume is open for reading alone")]
    ReadOnly,
    /// Its use ended.
    #[error("The volume is closed")]
    Closed,
    /// Another host opened the volume since.
    #[error("Another host opened the volume (epoch {epoch}): this one may not write it any more")]
    Fenced {
        /// Number of the other's epoch.
        epoch: u64,
    },
    /// There is no snapshot of this name.
    #[error(
        "Volume '{volume}' has no snapshot '{snapshot}'; `forebay volume snapshots` shows those that it has"
    )]
    SnapshotNotFound {
        /// Name of the volume.
        volume: String,
        /// Name of the snapshot.
        snapshot: String,
    },
    /// There is a snapshot of this name.
    #[error("Volume '{volume}' has a snapshot '{snapshot}' already: choose another name, or delete it first")]
    SnapshotExists {
        /// Name of the volume.
        volume: String,
        /// Name of the snapshot.
        snapshot: String,
    },
    /// Deleting the snapshot began.
    #[error("Snapshot '{snapshot}' of volume '{volume}' is being deleted: use another one")]
    SnapshotIsGoing {
        /// Name of the volume.
        volume: String,
        /// Name of the snapshot.
        snapshot: String,
    },
    /// Another host is opening the volume, and it is not known yet whether that one found the snapshot.
    #[error(
        "Another host began to open volume '{volume}', so it is not certain that snapshot '{snapshot}' stays: try again once the volume is open"
    )]
    Undecided {
        /// Name of the volume.
        volume: String,
        /// Name of the snapshot.
        snapshot: String,
    },
    /// The volume has snapshots.
    #[error("Volume '{name}' has {count} snapshots: delete them first")]
    HasSnapshots {
        /// Name of the volume.
        name: String,
        /// Number of its snapshots.
        count: usize,
    },
    /// There are clones of the snapshot.
    #[error("Snapshot '{snapshot}' of volume '{volume}' has clones, which need it: {}. Delete them first", .clones.join(", "))]
    HasClones {
        /// Name of the volume.
        volume: String,
        /// Name of the snapshot.
        snapshot: String,
        /// Names of the clones.
        clones: Vec<String>,
    },
    /// The snapshot is one of a clone of a clone, and so on, too often.
    #[error(
        "Snapshot '{snapshot}' of volume '{volume}' cannot be cloned: it reads through {most} snapshots already; copy it instead"
    )]
    TooManyParents {
        /// Name of the volume.
        volume: String,
        /// Name of the snapshot.
        snapshot: String,
        /// The most that are possible.
        most: u32,
    },
    /// Changes that completed before could not be made durable.
    #[error("What was written before cannot be made durable: {0}")]
    NotDurable(BlockError),
    /// Content could not be read.
    #[error("The content cannot be read: {0}")]
    NotRead(BlockError),
}

impl VolumeError {
    /// Returns true if an object is not there, or not what it must be.
    pub(crate) fn is_missing_or_damaged(&self) -> bool {
        match self {
            Self::Store(error) => error.kind == StoreErrorKind::NotFound,
            error => matches!(error, Self::Damaged { .. }),
        }
    }

    /// Returns true if an object is missing, damaged or, as damage may have it too, of a newer format.
    pub(crate) fn is_of_object(&self) -> bool {
        self.is_missing_or_damaged() || matches!(self, Self::NewerFormat { .. })
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
        VolumeError::ReadOnly => BlockError::anywhere(ErrorKind::ReadOnly, operation).because(error),
        VolumeError::Damaged { .. } => BlockError::anywhere(ErrorKind::Corrupt, operation).because(error),
        _ => BlockError::anywhere(ErrorKind::Io, operation).because(error),
    }
}
