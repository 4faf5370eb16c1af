//! Errors of communication with a QEMU, by the action that they require.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use base::error::Error;

/// Reason why a QEMU did not execute a command.
#[derive(Debug)]
pub enum QmpError {
    /// The socket cannot be reached, or the connection is lost: that QEMU may have ended.
    Unreachable {
        /// The socket.
        socket: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// There is no greeting: the monitor serves another client.
    Busy {
        /// The socket.
        socket: PathBuf,
    },
    /// The listener does not use the protocol.
    Garbled {
        /// The socket.
        socket: PathBuf,
        /// Begin of its answer.
        what: String,
    },
    /// QEMU refuses the command. Nothing was changed.
    Refused {
        /// The command.
        command: String,
        /// QEMU's message.
        message: String,
    },
    /// No answer in time. The command may have been executed, or be executed later.
    TimedOut {
        /// The socket.
        socket: PathBuf,
        /// The command.
        command: String,
        /// Time limit of the wait.
        seconds: u64,
    },
}

impl QmpError {
    pub(super) fn unreachable(socket: &Path, source: io::Error) -> Self {
        Self::Unreachable { socket: socket.to_owned(), source }
    }

    pub(super) fn refused(command: &str, error: &Value) -> Self {
        let message = error["desc"].as_str().unwrap_or("it gives no reason");
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
                    _ => "check whether that QEMU still runs",
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
                "Cannot talk to QEMU at {}: it sent '{}', which is not the QEMU Machine Protocol; name a socket made with \
                 -qmp",
                socket.display(),
                what.escape_debug()
            ),
            Self::Refused { command, message } => write!(f, "QEMU refused '{command}': {message}"),
            Self::TimedOut { socket, command, seconds } => write!(
                f,
                "QEMU at {} has not answered '{command}' for {seconds} s; check whether it still runs",
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

impl From<QmpError> for Error {
    fn from(error: QmpError) -> Self {
        let message = error.to_string();
        match error {
            QmpError::Unreachable { .. } | QmpError::TimedOut { .. } => Self::unavailable(message),
            QmpError::Busy { .. } | QmpError::Refused { .. } => Self::conflict(message),
            QmpError::Garbled { .. } => Self::invalid(message),
        }
    }
}
