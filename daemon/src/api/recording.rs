//! What is said of a recording that began.

use serde::Serialize;
use utoipa::ToSchema;

/// A disk that is recorded.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Recording {
    /// Its name.
    pub(crate) name: String,
}
