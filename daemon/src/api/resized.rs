//! What is said of a disk that was to take the size of its backing.

use serde::Serialize;
use utoipa::ToSchema;

/// The size of a disk, and what it was.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Resized {
    /// Its name.
    pub(crate) name: String,
    /// What it had before, in bytes. The same: its backing has not become larger.
    pub(crate) size_bytes_before: u64,
    /// What it has now, in bytes.
    pub(crate) size_bytes: u64,
}
