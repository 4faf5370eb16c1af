//! The host as a document: which machine and which Forebay a page or a script talks to.

use std::path::Path;

use serde::Serialize;
use utoipa::ToSchema;

use crate::places::host_name;

/// The host, its daemon, and the rights of whoever asks.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Host {
    /// Name of the host.
    name: String,
    /// Version of the daemon.
    version: &'static str,
    /// Folder of what the daemon remembers.
    dir: String,
    /// File with the token that changes over TCP need.
    token_path: String,
    /// True if this request may also change something: it came with the token, or over the control socket.
    may_change: bool,
}

impl Host {
    /// Returns the document of this host, for a request that may change something or may not.
    pub(crate) fn for_request(dir: &Path, token_path: &Path, may_change: bool) -> Self {
        Self {
            name: host_name(),
            version: env!("CARGO_PKG_VERSION"),
            dir: dir.display().to_string(),
            token_path: token_path.display().to_string(),
            may_change,
        }
    }
}
