//! Scrubs of backings that have checksums of their own.

use block::ByteRange;
pub(crate) use volume::{Rescue, Rescued};

/// Most bytes that a scrub reads in a second unless another rate is wanted: 64 MiB.
pub(crate) const SCRUB_RATE: u64 = 64 << 20;

/// Result of a scrub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScrubResult {
    /// Size of the disk in bytes.
    pub(crate) bytes: u64,
    /// Time of the content, in nanoseconds since 1970; 0 if there is none.
    pub(crate) taken_at: u64,
    /// Objects that were read.
    pub(crate) objects: u64,
    /// Bytes of these.
    pub(crate) stored_bytes: u64,
    /// Bytes of the disk that have content.
    pub(crate) mapped_bytes: u64,
    /// Bytes of the disk whose content is whole.
    pub(crate) whole_bytes: u64,
    /// Bytes of the disk that were lost and were written again from the cache.
    pub(crate) repaired_bytes: u64,
    /// Bytes of the disk that were lost, and of which the cache has newer content to be destaged.
    pub(crate) replaced_bytes: u64,
    /// Reason why not all could be repaired that the cache has, if so.
    pub(crate) repair_error: Option<String>,
    pub(crate) damaged: Vec<DamagedPart>,
    /// Objects that nothing needed and that were deleted, and their bytes; or the reason why not all could be.
    pub(crate) deleted: Result<(u64, u64), String>,
}

/// Part of a backing that is missing or damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DamagedPart {
    /// Name of the object, or of the snapshot.
    pub(crate) object: String,
    pub(crate) reason: String,
    /// Ranges of the disk that cannot be read.
    pub(crate) ranges: Vec<ByteRange>,
    /// True if only a snapshot has it, and the disk does not.
    pub(crate) is_of_snapshot: bool,
}
