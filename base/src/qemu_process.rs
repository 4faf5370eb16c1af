//! Process of a QEMU from which a disk was moved: recognised after a restart of the daemon, and observed until it ends.
//!
//! The kernel reports by the number whether a process runs, which needs no right to inspect it. The start time distinguishes it from a
//! later process of that number, and the boot of the host from one of a later boot.

use std::fs;
use std::future::pending;
use std::os::fd::OwnedFd;

use nix::errno::Errno;
use nix::sys::signal::kill;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use serde::{Deserialize, Serialize};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use utoipa::ToSchema;

/// Process of this host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct QemuProcess {
    /// Identity of the boot of the host in which it was started.
    boot: String,
    /// Number of the process.
    id: u32,
    /// Start time, in the kernel's ticks since that boot.
    started: u64,
}

impl QemuProcess {
    /// Returns the process of this number; none if this user can see no such process.
    pub fn of(id: u32) -> Option<Self> {
        Some(Self { boot: boot()?, id, started: started(id)? })
    }

    /// Returns true if it has certainly ended.
    pub fn has_ended(&self) -> bool {
        let other_boot = boot().is_some_and(|boot| boot != self.boot);
        let is_gone = || kill(nix::unistd::Pid::from_raw(self.id.cast_signed()), None) == Err(Errno::ESRCH);
        // Where processes of others are hidden, the start time is not visible, and the number alone counts.
        let is_another = || started(self.id).is_some_and(|started| started != self.started);
        other_boot || is_gone() || is_another()
    }

    /// Waits until it has ended; for ever if that cannot be observed.
    pub async fn ended(&self) {
        if self.has_ended() {
            return;
        }
        let Some(id) = Pid::from_raw(self.id.cast_signed()) else { return pending().await };
        let process = match pidfd_open(id, PidfdFlags::NONBLOCK) {
            // It has ended since.
            Err(rustix::io::Errno::SRCH) => return,
            opened => opened.ok().and_then(watched),
        };
        // It becomes readable when the process ends.
        if let Some(process) = process
            && process.readable().await.is_ok()
        {
            return;
        }
        pending::<()>().await;
    }
}

fn watched(process: OwnedFd) -> Option<AsyncFd<OwnedFd>> {
    // SAFETY: the descriptor is owned by what is returned, and stays the same one until that is dropped.
    unsafe { AsyncFd::register_with_interest(process, Interest::READABLE) }.ok()
}

/// Returns the identity of this boot of the host.
fn boot() -> Option<String> {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(text.trim().to_owned()).filter(|boot| !boot.is_empty())
}

/// Returns the start time of a process.
fn started(id: u32) -> Option<u64> {
    started_in(&fs::read_to_string(format!("/proc/{id}/stat")).ok()?)
}

/// Returns field 22 of a line in the form of proc(5). The name, which may contain anything, ends with the last parenthesis.
fn started_in(line: &str) -> Option<u64> {
    line.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_process_is_seen_to_end_and_no_other_is_taken_for_it() {
        let mut child = Command::new("sleep").arg("1000").spawn().expect("there is sleep");
        let process = QemuProcess::of(child.id()).expect("it is ours");
        assert!(!process.has_ended());
        let later = QemuProcess { started: process.started + 1, ..process.clone() };
        let other_boot = QemuProcess { boot: "another".to_owned(), ..process.clone() };
        assert!(later.has_ended() && other_boot.has_ended());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime for one thread").block_on(async {
            let ended = process.ended();
            child.kill().expect("it is ours");
            ended.await;
        });
        child.wait().expect("it is ours");
        assert!(process.has_ended());
    }

    #[test]
    fn the_time_of_a_start_is_found_behind_any_name() {
        let rest = (3..=30).map(|field| field.to_string()).collect::<Vec<_>>().join(" ");
        assert_eq!(started_in(&format!("7 (a) b) (c) {rest}")), Some(22));
        assert_eq!(started_in("7 (a) S 1"), None);
    }
}
