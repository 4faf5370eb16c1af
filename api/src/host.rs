//! Documents about the host: which machine and which Forebay answers, what happened there, and what could not be done.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The host, its daemon, and the rights of whoever asks.
#[derive(Debug, Serialize, ToSchema)]
pub struct Host {
    /// Name of the host.
    pub name: String,
    /// Version of the daemon.
    pub version: &'static str,
    /// Folder of what the daemon remembers.
    pub dir: String,
    /// File with the token that changes over TCP need.
    pub token_path: String,
    /// True if this request may also change something: it came with the token, or over the control socket.
    pub may_change: bool,
}

/// Something that happened and that an operator must know.
#[derive(Debug, Serialize, ToSchema)]
pub struct Event {
    /// Rises for ever, also across restarts.
    pub id: u64,
    /// In UTC.
    pub time: String,
    /// `info`, `warning` or `error`.
    pub level: &'static str,
    /// Kind of the event, in one word.
    pub kind: &'static str,
    /// The disk that it is about, if it is about one.
    pub disk: Option<String>,
    pub message: String,
    /// Advice: the next thing to do about it, if there is something.
    pub advice: Option<String>,
}

/// A failure, as RFC 9457 has it.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ProblemDocument {
    /// Always `about:blank`: the status says what kind it is.
    #[serde(rename = "type")]
    pub kind: String,
    /// The status in words.
    pub title: String,
    /// The status in digits.
    pub status: u16,
    /// The attempt that failed, and the next thing to do.
    pub detail: String,
}
