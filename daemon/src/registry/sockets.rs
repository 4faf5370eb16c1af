//! Sockets whose files were deleted: created again, with their rights, and reported.
//!
//! ```text
//!   every 3 s:  the files at the paths ── unchanged? ──> nothing to do
//!                                             `── no ──> folders of RUN ── control socket, http ── sockets of disks ── event
//! ```
//! Connected guests do not notice: a connection needs no file. A file at a path that is not our socket stays
//! there; a conflict is reported once, and retried.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::time::Duration;

use base::error::Error;
use base::rights::Rights;
use base::sockets::{self, SocketFile};
use telemetry::events::{self, Kind};
use tokio::sync::{mpsc, watch};

use super::{Registry, lock};
use crate::door::DoorSocket;

/// Time until a socket is created again.
const INTERVAL: Duration = Duration::from_secs(3);

/// The control plane's files in RUN, which are checked and created again.
pub(crate) struct ControlFiles {
    /// The control socket.
    pub(crate) socket: Option<SocketFile>,
    /// Receives new listeners of it.
    pub(crate) listeners: mpsc::Sender<UnixListener>,
    /// Address of HTTP over TCP, which is in a file.
    pub(crate) http: Option<SocketAddr>,
    /// True once the daemon stops.
    pub(crate) stop: watch::Receiver<bool>,
}

/// Failures that were reported: each lasting one is reported once.
#[derive(Default)]
pub(super) struct ReportedFailures(BTreeMap<PathBuf, String>);

impl Registry {
    /// Checks the files of all sockets and creates missing ones again, as long as the registry is in use.
    pub(crate) async fn keep_sockets(registry: Weak<Self>, mut control: ControlFiles) {
        let Some(mut ticks) = registry.upgrade().map(|registry| registry.ticks(INTERVAL)) else { return };
        let mut losses = ReportedFailures::default();
        loop {
            ticks.tick().await;
            let Some(registry) = registry.upgrade() else { return };
            registry.renew_lost_sockets(&mut control, &mut losses).await;
        }
    }

    pub(super) async fn renew_lost_sockets(&self, control: &mut ControlFiles, losses: &mut ReportedFailures) {
        // As reported last: shards are not asked for this.
        let sockets = Arc::clone(&lock(&self.sockets));
        let (places, socket, has_http) = (self.places.clone(), control.socket, control.http.is_some());
        let looking = tokio::task::spawn_blocking(move || {
            let path = places.control_socket();
            let is_control_lost = sockets::file_at(&path) != socket || (has_http && !places.http().exists());
            let is_lost = |(_, sockets): &&(String, Vec<DoorSocket>)| sockets.iter().any(DoorSocket::is_lost);
            let lost: Vec<String> = sockets.iter().filter(is_lost).map(|(name, _)| name.clone()).collect();
            if is_control_lost || !lost.is_empty() {
                // All of RUN may have been deleted. A failure shows with the sockets.
                drop(places.make_run());
            }
            (is_control_lost, lost)
        });
        let Ok((is_control_lost, lost)) = looking.await else { return };
        if is_control_lost && !*control.stop.borrow() {
            self.renew_control(control, losses).await;
        }
        for name in lost {
            // A change may hang, which must not keep other sockets from being created. The next turn tries
            // again.
            let Some(changing) = self.locks.try_lock(&name) else { continue };
            // The disk may have been removed, or have created them again, since that report.
            let Ok(Some(report)) = self.shards.disk_report(name.clone()).await else { continue };
            let sockets = report.doors.into_iter().map(|door| door.socket).filter(DoorSocket::is_lost);
            let paths: Vec<PathBuf> = sockets.map(|socket| socket.path).collect();
            if paths.is_empty() {
                continue;
            }
            let outcome = self.shards.renew_sockets(name.clone()).await;
            drop(changing);
            for path in paths {
                losses.report(path, Some(&name), outcome.as_ref());
            }
        }
    }

    async fn renew_control(&self, control: &mut ControlFiles, losses: &mut ReportedFailures) {
        let path = self.places.control_socket();
        if sockets::file_at(&path) != control.socket {
            let outcome = sockets::listen(&path, &Rights::usual());
            losses.report(path.clone(), None, outcome.as_ref().map(|_| &()));
            if let Ok(listener) = outcome {
                control.socket = sockets::file_at(&path);
                // There is no receiver once the control plane stops.
                drop(control.listeners.send(listener).await);
            }
        }
        let path = self.places.http();
        if let Some(address) = control.http.filter(|_| !path.exists()) {
            losses.report(path, None, self.places.publish_http(address).as_ref());
        }
    }
}

impl ReportedFailures {
    fn report(&mut self, path: PathBuf, disk: Option<&str>, outcome: Result<&(), &Error>) {
        let shown = path.display();
        let (kind, message) = match outcome {
            Ok(()) => (Kind::SocketRenewed, format!("Socket {shown} was deleted, and is made again")),
            Err(problem) => {
                let message = format!("Socket {shown} was deleted, and cannot be made again: {problem}");
                (Kind::SocketLost, message)
            }
        };
        let is_known = match outcome {
            Ok(()) => {
                self.0.remove(&path);
                false
            }
            Err(problem) => {
                self.0.insert(path, problem.message.clone()).is_some_and(|known| known == problem.message)
            }
        };
        match disk {
            _ if is_known => {}
            Some(name) => events::of_disk(kind, name, message),
            None => events::of_host(kind, message),
        }
    }
}
