//! Documents about the host: its machine and Forebay, its events, and failures of requests.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The host, its daemon, and the rights of the client.
#[derive(Debug, Serialize, ToSchema)]
pub struct Host {
    /// Name of the host.
    pub name: String,
    /// Version of the daemon.
    pub version: &'static str,
    /// Folder of the daemon's durable state.
    pub dir: String,
    /// File with the token that changes over TCP need.
    pub token_path: String,
    /// True if this request may also change something: it came with the token, or over the control socket.
    pub may_change: bool,
}

/// Event that an operator must know.
#[derive(Debug, Serialize, ToSchema)]
pub struct Event {
    /// Number that rises for ever, also across restarts.
    pub id: u64,
    /// In UTC.
    pub time: String,
    /// `info`, `warning` or `error`.
    pub level: &'static str,
    /// Kind of the event, in one word.
    pub kind: &'static str,
    /// Disk of the event, if it has one.
    pub disk: Option<String>,
    pub message: String,
    /// Next thing to do about it, if there is one.
    pub advice: Option<String>,
}

/// Failure, in the form of RFC 9457.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ProblemDocument {
    /// Always `about:blank`: the status has the kind.
    #[serde(rename = "type")]
    pub kind: String,
    /// Status in words.
    pub title: String,
    /// Status in digits.
    pub status: u16,
    /// Attempt that failed, and the next thing to do.
    pub detail: String,
}
