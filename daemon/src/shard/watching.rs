//! Checks of a served backing, whenever the monitor finds that it may have changed: a write does not notice
//! that a file was truncated, and would extend it again, with zeroes before it. Findings are reported, and
//! nothing is repaired.

use std::sync::Arc;

use base::error::Result;
use block::{BlockDevice, BlockError, Host};
use telemetry::events::{self, Kind};

use super::disk::{Cached, Disk};
use super::{Shard, ShardHandle};
use crate::backing::MonitoredBacking;
use crate::backing_identity::BackingHistory;

/// Reason for which a disk no longer matches its attachment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BackingFailure {
    /// The backing was truncated: guests' data behind its end is lost, whatever size it is given later.
    Shrunk(String),
    /// The size of the backing cannot be read. Lasts until a check reads it again.
    Unmeasured(String),
    /// The backing became write-protected since it was attached. Lasts until it is writable.
    WriteProtected,
}

impl BackingFailure {
    /// Returns the reason, for reports.
    pub(super) fn reason(&self) -> &str {
        match self {
            Self::Shrunk(reason) | Self::Unmeasured(reason) => reason,
            Self::WriteProtected => {
                "its backing is read-only now, and writes to it fail; make it writable again (blockdev --setrw), or check the \
                 kernel's log (dmesg) for the reason"
            }
        }
    }

    /// Returns the failure that follows `before` after a check with this result, where `expected` bytes are
    /// needed.
    fn after(before: Option<&Self>, expected: u64, found: BackingCheck) -> Option<Self> {
        match (before, found.size) {
            (Some(Self::Shrunk(_)), _) => before.cloned(),
            (_, Ok(size)) if size >= expected => found.write_protected.then_some(Self::WriteProtected),
            (_, Ok(size)) => Some(Self::Shrunk(format!(
                "the backing shrank from {expected} to {size} bytes, and the data behind that is gone from it; restore it from a copy, or \
                 give the backing its old size if nothing was there, then restart Forebay: the data on flash is kept"
            ))),
            (_, Err(error)) => {
                Some(Self::Unmeasured(format!("the size of the backing cannot be read: {error}")))
            }
        }
    }
}

/// Result of one check.
struct BackingCheck {
    size: Result<u64, BlockError>,
    /// True if it was attached for writing, and is write-protected.
    write_protected: bool,
}

impl Disk {
    /// Checks the size of the backing once, and reports a failure that begins, changes or ends.
    pub(super) async fn check(&self, name: &str) {
        // Read now: the disk may be larger when the answer arrives, which then is of an earlier time.
        let expected = self.cached.geometry().size;
        let backing = self.cached.backing();
        if let Some(reason) = backing.lost() {
            // What flash has may be old, and what it takes may never reach the backing.
            self.cached.stop(format!("Its backing is lost to this host: {reason}"));
        }
        let size = backing.current_size().await;
        let write_protected = !self.cached.geometry().read_only && backing.is_write_protected();
        let before = self.failure.borrow().clone();
        let now = BackingFailure::after(before.as_ref(), expected, BackingCheck { size, write_protected });
        let kind = |failure: &Option<BackingFailure>| failure.as_ref().map(std::mem::discriminant);
        if kind(&before) != kind(&now) {
            match &now {
                None => events::of_disk(
                    Kind::DiskRecovered,
                    name,
                    format!("Disk '{name}' is served as before: its backing is whole and as it was"),
                ),
                Some(failure) => {
                    let reason = failure.reason();
                    events::of_disk(Kind::DiskFailed, name, format!("Disk '{name}' failed: {reason}"));
                }
            }
        }
        self.failure.replace(now);
        self.update_doubt();
    }

    /// Keeps the monitor's checks running until the backing is sound.
    pub(super) fn update_doubt(&self) {
        let is_sound = self.failure.borrow().is_none() && self.displaced.borrow().is_none();
        self.monitored.set_in_doubt(!is_sound);
    }
}

impl Shard {
    /// Registers the backing of a disk with the monitor, for as long as its history has it open.
    pub(super) fn monitor_backing(
        &self,
        name: &str,
        cached: &Cached,
        history: &BackingHistory,
    ) -> Arc<MonitoredBacking> {
        let (needed_bytes, is_written) = (cached.backing().geometry().size, !cached.geometry().read_only);
        self.monitor.register(name, history.attributes(), needed_bytes, is_written)
    }

    fn start_check(&self, name: String) {
        // A hanging check is not started again.
        let Some(disk) = self.disk(&name).filter(|disk| !disk.is_checking.replace(true)) else { return };
        let host = self.host.clone();
        self.host.spawn(async move {
            disk.check(&name).await;
            disk.observe_path(&name, &host).await;
            disk.is_checking.set(false);
        });
    }
}

impl ShardHandle {
    /// Begins to check disks, in parallel. Ignores those that are not on this shard.
    ///
    /// # Errors
    /// If the shard does not answer.
    pub(super) async fn start_checks(&self, disks: Vec<String>) -> Result<()> {
        self.ask(move |shard| disks.into_iter().for_each(|disk| shard.start_check(disk))).await
    }
}

#[cfg(test)]
mod tests {
    use block::{ErrorKind, Operation};

    use super::*;

    fn unanswered() -> BackingCheck {
        sized(Err(BlockError::anywhere(ErrorKind::Io, Operation::Open)))
    }

    fn sized(size: Result<u64, BlockError>) -> BackingCheck {
        BackingCheck { size, write_protected: false }
    }

    #[test]
    fn a_failed_look_at_a_size_passes_with_the_next_one_that_works() {
        let failed = BackingFailure::after(None, 4096, unanswered());
        assert!(matches!(failed, Some(BackingFailure::Unmeasured(_))), "{failed:?}");
        assert_eq!(BackingFailure::after(failed.as_ref(), 4096, sized(Ok(4096))), None);
        assert_eq!(BackingFailure::after(failed.as_ref(), 4096, sized(Ok(8192))), None, "it grew meanwhile");
        assert_eq!(BackingFailure::after(failed.as_ref(), 4096, unanswered()), failed);
    }

    #[test]
    fn a_backing_that_was_cut_stays_failed_whatever_size_it_is_given() {
        let failed = BackingFailure::after(None, 4096, sized(Ok(512)));
        assert!(matches!(failed, Some(BackingFailure::Shrunk(_))), "{failed:?}");
        for later in [sized(Ok(4096)), sized(Ok(1024)), unanswered()] {
            assert_eq!(BackingFailure::after(failed.as_ref(), 4096, later), failed);
        }
        let unmeasured = BackingFailure::after(None, 4096, unanswered());
        let cut = BackingFailure::after(unmeasured.as_ref(), 4096, sized(Ok(512)));
        assert!(matches!(cut, Some(BackingFailure::Shrunk(_))), "{cut:?}");
    }

    #[test]
    fn a_backing_that_turns_read_only_fails_its_disk_until_it_is_writable_again() {
        let failed =
            BackingFailure::after(None, 4096, BackingCheck { size: Ok(4096), write_protected: true });
        assert_eq!(failed, Some(BackingFailure::WriteProtected));
        assert_eq!(BackingFailure::after(failed.as_ref(), 4096, sized(Ok(4096))), None);
        let cut = BackingFailure::after(failed.as_ref(), 4096, sized(Ok(512)));
        assert!(matches!(cut, Some(BackingFailure::Shrunk(_))), "{cut:?}");
    }
}
