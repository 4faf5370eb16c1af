//! What is said of a backing whose disk waits for a word.

use serde::Serialize;
use utoipa::ToSchema;

use crate::shard::Evidence;

/// What a comparison of a backing with the clean pages on flash found.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Acceptance {
    name: String,
    /// True if the disk is served now.
    accepted: bool,
    /// Why the disk waits; null if nothing of its backing is in doubt.
    doubt: Option<String>,
    /// Clean pages on flash that the backing should have.
    pages_cached: u64,
    pages_compared: u64,
    pages_different: u64,
    /// What the backing does not have, and gets once the disk is served.
    dirty_bytes: u64,
}

impl Acceptance {
    pub(crate) fn of(name: String, evidence: Evidence) -> Self {
        let Evidence { doubt, comparison, is_accepted } = evidence;
        Self {
            name,
            accepted: is_accepted,
            doubt,
            pages_cached: comparison.pages_cached,
            pages_compared: comparison.pages_compared,
            pages_different: comparison.pages_different,
            dirty_bytes: comparison.pages_dirty * block::PAGE,
        }
    }
}
