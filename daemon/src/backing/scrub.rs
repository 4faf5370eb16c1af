//! Scrubs of backings that have checksums of their own.

use block::ByteRange;

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
    pub(crate) damaged: Vec<DamagedPart>,
    /// Objects that nothing needed and that were deleted, and their bytes; or the reason why not all could be.
    pub(crate) deleted: Result<(u64, u64), String>,
}

/// Part of a backing that is missing or damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DamagedPart {
    /// Name of the object.
    pub(crate) object: String,
    pub(crate) reason: String,
    /// Ranges of the disk that cannot be read.
    pub(crate) ranges: Vec<ByteRange>,
}
