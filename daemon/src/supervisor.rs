//! Notifications of the service manager that started the daemon: ready, status, stopping.
//!
//! The protocol is one datagram of `NAME=value` lines to the socket in `NOTIFY_SOCKET`. Without a service
//! manager the variable is not set, and nothing is sent. A failure here does not stop the daemon: it is
//! logged.

use std::ffi::OsStr;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

use crate::registry::Registry;

/// The most names of waiting disks in a status; `disk list` shows all.
const NAMES_MAX: usize = 3;

/// Number of served disks, and names of the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ServiceStatus {
    served: usize,
    waiting: Vec<String>,
}

impl ServiceStatus {
    /// Returns the present status.
    pub(crate) async fn from_registry(registry: &Registry) -> Self {
        let (served, waiting): (Vec<_>, Vec<_>) =
            registry.disks().await.into_iter().partition(|disk| disk.report.is_ok());
        let waiting = waiting.into_iter().map(|disk| disk.record.name).collect();
        Self { served: served.len(), waiting }
    }
}

impl std::fmt::Display for ServiceStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} disks served, {} waiting", self.served, self.waiting.len())?;
        match self.waiting.as_slice() {
            [] => Ok(()),
            few if few.len() <= NAMES_MAX => write!(f, " ({})", few.join(", ")),
            many => write!(f, " ({} and more)", many[..NAMES_MAX].join(", ")),
        }
    }
}

/// Reports that guests can use their disks from now on.
pub(crate) fn notify_ready(standing: &ServiceStatus) {
    notify(&format!("READY=1\nSTATUS={standing}"));
}

/// Reports the status that is shown with the service.
pub(crate) fn notify_status(standing: &ServiceStatus) {
    notify(&format!("STATUS={standing}"));
}

/// Reports that the end has begun.
pub(crate) fn notify_stopping() {
    notify("STOPPING=1\nSTATUS=Requests in flight are finished");
}

/// Reports that the end waits for data that would be lost with the pool, and may take this much longer.
pub(crate) fn notify_destaging(longer: Duration) {
    notify(&format!(
        "EXTEND_TIMEOUT_USEC={}\nSTATUS=Dirty data is destaged before the end",
        longer.as_micros()
    ));
}

fn notify(message: &str) {
    let Some(socket) = std::env::var_os("NOTIFY_SOCKET") else { return };
    if let Err(error) = send(&socket, message) {
        tracing::warn!("Cannot notify the service manager at {} ({error})", socket.display());
    }
}

/// Sends one datagram to a path, or to an abstract address if the first character is `@`.
fn send(socket: &OsStr, message: &str) -> io::Result<()> {
    let address = match socket.as_bytes() {
        [b'@', name @ ..] => SocketAddr::from_abstract_name(name)?,
        _ => SocketAddr::from_pathname(socket)?,
    };
    UnixDatagram::unbound()?.send_to_addr(message.as_bytes(), &address)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use base::testing::TempDir;

    use super::*;

    fn received(socket: &UnixDatagram) -> String {
        let mut bytes = [0; 256];
        let length = socket.recv(&mut bytes).expect("it was sent before");
        String::from_utf8(bytes[..length].to_vec()).expect("it is text")
    }

    #[test]
    fn a_message_reaches_a_path_and_an_abstract_address() {
        let dir = TempDir::new();
        let path = dir.path().join("notify");
        let socket = UnixDatagram::bind(&path).expect("the folder is ours");
        send(path.as_os_str(), "READY=1").expect("somebody listens");
        assert_eq!(received(&socket), "READY=1");

        let name = format!("forebay-notify-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&name).expect("it is short");
        let socket = UnixDatagram::bind_addr(&address).expect("nobody has it");
        send(OsStr::new(&format!("@{name}")), "STOPPING=1").expect("somebody listens");
        assert_eq!(received(&socket), "STOPPING=1");
        assert!(send(dir.path().join("nobody").as_os_str(), "READY=1").is_err());
    }

    #[test]
    fn a_standing_names_a_few_of_those_that_wait() {
        let standing = |waiting: &[&str]| ServiceStatus {
            served: 2,
            waiting: waiting.iter().map(|name| (*name).to_owned()).collect(),
        };
        assert_eq!(standing(&[]).to_string(), "2 disks served, 0 waiting");
        assert_eq!(standing(&["a", "b"]).to_string(), "2 disks served, 2 waiting (a, b)");
        let many = standing(&["a", "b", "c", "d"]).to_string();
        assert_eq!(many, "2 disks served, 4 waiting (a, b, c and more)");
    }
}
