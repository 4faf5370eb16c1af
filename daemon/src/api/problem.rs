//! What is said where something could not be done.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A failure, as RFC 9457 has it.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub(crate) struct ProblemDocument {
    /// Always `about:blank`: the status says what kind it is.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// The status in words.
    pub(crate) title: String,
    /// The status in digits.
    pub(crate) status: u16,
    /// What was tried, and what to do next.
    pub(crate) detail: String,
}
