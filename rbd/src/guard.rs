//! Checks that this client still has the lock of its image, whether it has requests or not: one that is fenced off for an hour only, and is
//! idle meanwhile, would write again otherwise.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use nix::errno::Errno;

use crate::ceph::{Failure, Image};
use crate::device::{ImageState, now};

/// Interval of checks.
const INTERVAL: Duration = Duration::from_secs(5);

/// The thread that checks.
pub(crate) struct Guard {
    end: Sender<()>,
    thread: JoinHandle<()>,
}

/// Result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Check {
    Held,
    Lost,
    /// The cluster did not answer.
    Unknown,
}

impl Check {
    fn of(owner: Result<Option<&str>, Failure>, own: &str) -> Self {
        match owner {
            Ok(owner) if owner == Some(own) => Self::Held,
            Ok(_) | Err(Errno::ESHUTDOWN) => Self::Lost,
            Err(_) => Self::Unknown,
        }
    }
}

impl Guard {
    /// Starts checks that `own` has the lock.
    pub(crate) fn start(image: &Arc<Image>, state: &Arc<ImageState>, own: String) -> Self {
        let (end, ended) = channel();
        let (image, state) = (Arc::clone(image), Arc::clone(state));
        let thread = thread::spawn(move || {
            while ended.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                // Before the question: the answer may be read after the host was suspended.
                let asked = now();
                let owner = image.lock_owner();
                match Check::of(owner.as_ref().map(Option::as_deref).map_err(|error| *error), &own) {
                    Check::Held => state.confirm(asked),
                    Check::Lost => return state.fence(),
                    Check::Unknown => {}
                }
            }
        });
        Self { end, thread }
    }

    /// Ends the checks, before the lock is released.
    pub(crate) fn stop(self) {
        drop(self.end);
        self.thread.join().expect("the guard does not panic");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_lost_to_another_owner_or_a_fence_and_not_to_silence() {
        const OWN: &str = "10.0.0.1:0/7";
        for (owner, expected) in [
            (Ok(Some(OWN)), Check::Held),
            (Ok(Some("10.0.0.1:0/8")), Check::Lost),
            (Ok(None), Check::Lost),
            (Err(Errno::ESHUTDOWN), Check::Lost),
            (Err(Errno::ETIMEDOUT), Check::Unknown),
            (Err(Errno::EIO), Check::Unknown),
        ] {
            assert_eq!(Check::of(owner, OWN), expected, "{owner:?}");
        }
    }
}
