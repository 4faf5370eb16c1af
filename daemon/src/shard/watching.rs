//! The backing of a served disk, looked at from time to time: a write does not notice that a file was cut short, and would put it
//! back to its length with zeroes before it. Says what it finds, and repairs nothing.

use std::rc::Weak;

use block::executor::LocalHost;
use block::{BlockDevice, BlockError, Host};

use super::disk::Disk;
use crate::events::{self, Kind};

/// How often a backing is looked at, to see whether it shrank: nanoseconds.
const WATCH_INTERVAL_NS: u64 = 5_000_000_000;

/// Why a disk is no longer what was attached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The backing was cut: what guests had behind its end is gone, whatever size it is given later.
    Shrunk(String),
    /// The backing does not tell its size. Lasts until a check finds it again.
    Unmeasured(String),
}

impl Failure {
    /// The reason, for whoever looks at the disk.
    pub(super) fn reason(&self) -> &str {
        match self {
            Self::Shrunk(reason) | Self::Unmeasured(reason) => reason,
        }
    }

    /// Returns the failure that follows `self` once a check found `size`, of which `expected` bytes are needed.
    fn after(before: Option<&Self>, expected: u64, size: Result<u64, BlockError>) -> Option<Self> {
        match (before, size) {
            (Some(Self::Shrunk(_)), _) => before.cloned(),
            (_, Ok(size)) if size >= expected => None,
            (_, Ok(size)) => Some(Self::Shrunk(format!(
                "the backing shrank from {expected} to {size} bytes; give it its size back, then remove the disk and add it again"
            ))),
            (_, Err(error)) => {
                Some(Self::Unmeasured(format!("the size of the backing cannot be read: {error}")))
            }
        }
    }
}

impl Disk {
    /// Checks the size of the backing once, and reports a failure that begins, changes or ends.
    pub(super) async fn check(&self, name: &str) {
        // As it is now: the disk may be larger when the answer comes, which is then of an earlier time.
        let expected = self.cached.geometry().size;
        let size = self.cached.backing().current_size().await;
        let before = self.failure.borrow().clone();
        let now = Failure::after(before.as_ref(), expected, size);
        match (&before, &now) {
            (Some(_), None) => {
                let recovered =
                    format!("Disk '{name}' is served as before: its backing has {expected} bytes or more");
                events::of_disk(Kind::DiskRecovered, name, recovered);
            }
            (None | Some(Failure::Unmeasured(_)), Some(Failure::Shrunk(reason)))
            | (None, Some(Failure::Unmeasured(reason))) => {
                events::of_disk(Kind::DiskFailed, name, format!("Disk '{name}' failed: {reason}"));
            }
            _ => {}
        }
        self.failure.replace(now);
    }
}

/// Looks at the backing of a disk from time to time, until the disk is gone.
pub(super) async fn watch(name: String, disk: Weak<Disk>, host: LocalHost) {
    loop {
        host.sleep(WATCH_INTERVAL_NS).await;
        let Some(disk) = disk.upgrade() else { return };
        disk.check(&name).await;
    }
}

#[cfg(test)]
mod tests {
    use block::{ErrorKind, Operation};

    use super::*;

    fn unanswered() -> Result<u64, BlockError> {
        Err(BlockError::anywhere(ErrorKind::Io, Operation::Open))
    }

    #[test]
    fn a_failed_look_at_a_size_passes_with_the_next_one_that_works() {
        let failed = Failure::after(None, 4096, unanswered());
        assert!(matches!(failed, Some(Failure::Unmeasured(_))), "{failed:?}");
        assert_eq!(Failure::after(failed.as_ref(), 4096, Ok(4096)), None);
        assert_eq!(Failure::after(failed.as_ref(), 4096, Ok(8192)), None, "it grew meanwhile");
        assert_eq!(Failure::after(failed.as_ref(), 4096, unanswered()), failed);
    }

    #[test]
    fn a_backing_that_was_cut_stays_failed_whatever_size_it_is_given() {
        let failed = Failure::after(None, 4096, Ok(512));
        assert!(matches!(failed, Some(Failure::Shrunk(_))), "{failed:?}");
        for later in [Ok(4096), Ok(1024), unanswered()] {
            assert_eq!(Failure::after(failed.as_ref(), 4096, later), failed);
        }
        let unmeasured = Failure::after(None, 4096, unanswered());
        assert!(matches!(Failure::after(unmeasured.as_ref(), 4096, Ok(512)), Some(Failure::Shrunk(_))));
    }
}
