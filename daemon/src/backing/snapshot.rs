//! Snapshots that a backing makes of itself.

/// Snapshot of a backing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StorageSnapshot {
    /// Name of the backing that has it.
    pub(crate) of: String,
    pub(crate) name: String,
    /// Time in nanoseconds since 1970: it has everything that was acknowledged before. 0 if nothing was ever written.
    pub(crate) as_of: u64,
    /// Size of the disk in bytes.
    pub(crate) bytes: u64,
}
