//! What can go wrong while talking to a QEMU, by what the caller should do.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use base::problem::Problem;

/// Why a QEMU did not do what it was asked for.
#[derive(Debug)]
pub enum QmpError {
    /// The socket cannot be reached, or the connection is gone: that QEMU may have ended.
    Unreachable {
        /// The socket.
        socket: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is no greeting: the monitor talks to another client.
    Busy {
        /// The socket.
        socket: PathBuf,
    },
    /// Whoever listens there does not speak the protocol.
    Garbled {
        /// The socket.
        socket: PathBuf,
        /// The beginning of what it said.
        what: String,
    },
    /// QEMU says why it did not do it. Nothing was changed.
    Refused {
        /// The command.
        command: String,
        /// QEMU's words.
        message: String,
    },
    /// No answer in time. It may have been done, or be done later.
    TimedOut {
        /// The socket.
        socket: PathBuf,
        /// The command.
        command: String,
        /// How long it was waited for.
        seconds: u64,
    },
}

impl QmpError {
    pub(super) fn unreachable(socket: &Path, source: io::Error) -> Self {
        Self::Unreachable { socket: socket.to_owned(), source }
    }

    pub(super) fn refused(command: &str, error: &Value) -> Self {
        let message = error["desc"].as_str().unwrap_or("it does not say why");
        Self::Refused { command: command.to_owned(), message: message.to_owned() }
    }
}

impl fmt::Display for QmpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable { socket, source } => {
                let advice = match source.kind() {
                    io::ErrorKind::PermissionDenied => "run as root, or as the user of that QEMU",
                    io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => {
                        "name the QMP socket of a QEMU that runs"
                    }
                    _ => "look whether that QEMU still runs",
                };
                write!(f, "Cannot talk to QEMU at {}: {source}; {advice}", socket.display())
            }
            Self::Busy { socket } => write!(
                f,
                "Cannot talk to QEMU at {}: there is no greeting, so this monitor has another client (libvirt?); give that \
                 QEMU a second QMP socket",
                socket.display()
            ),
            Self::Garbled { socket, what } => write!(
                f,
                "Cannot talk to QEMU at {}: it said '{}', which is not the QEMU Machine Protocol; name a socket made with \
                 -qmp",
                socket.display(),
                what.escape_debug()
            ),
            Self::Refused { command, message } => write!(f, "QEMU refused '{command}': {message}"),
            Self::TimedOut { socket, command, seconds } => write!(
                f,
                "QEMU at {} has not answered '{command}' for {seconds} s; look whether it still runs",
                socket.display()
            ),
        }
    }
}

impl std::error::Error for QmpError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unreachable { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl From<QmpError> for Problem {
    fn from(error: QmpError) -> Self {
        let message = error.to_string();
        match error {
            QmpError::Unreachable { .. } | QmpError::TimedOut { .. } => Self::unavailable(message),
            QmpError::Busy { .. } | QmpError::Refused { .. } => Self::conflict(message),
            QmpError::Garbled { .. } => Self::invalid(message),
        }
    }
}
