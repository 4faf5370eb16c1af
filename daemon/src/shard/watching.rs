//! The check of a served backing, whenever the monitor of backings finds that it may not be what it was: a write does not notice that
//! a file was cut short, and would put it back to its length with zeroes before it. Reports what it finds, and repairs nothing.

use std::sync::Arc;

use base::problem::Answer;
use block::{BlockDevice, BlockError, Host};
use telemetry::events::{self, Kind};

use super::disk::{Cached, Disk};
use super::{Shard, ShardHandle};
use crate::backing::MonitoredBacking;
use crate::past::History;

/// Why a disk is no longer what was attached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The backing was cut: what guests had behind its end is gone, whatever size it is given later.
    Shrunk(String),
    /// The backing does not tell its size. Lasts until a check finds it again.
    Unmeasured(String),
    /// The system lets nobody write the backing any more, which was writable when it was attached. Lasts until it does.
    WriteProtected,
}

impl Failure {
    /// The reason, for whoever looks at the disk.
    pub(super) fn reason(&self) -> &str {
        match self {
            Self::Shrunk(reason) | Self::Unmeasured(reason) => reason,
            Self::WriteProtected => {
                "its backing is read-only now, and writes to it fail; make it writable again (blockdev --setrw), or look for the \
                 reason in the kernel's log (dmesg)"
            }
        }
    }

    /// Returns the failure that follows `before` once a check found this, where `expected` bytes are needed.
    fn after(before: Option<&Self>, expected: u64, found: Checked) -> Option<Self> {
        match (before, found.size) {
            (Some(Self::Shrunk(_)), _) => before.cloned(),
            (_, Ok(size)) if size >= expected => found.write_protected.then_some(Self::WriteProtected),
            (_, Ok(size)) => Some(Self::Shrunk(format!(
                "the backing shrank from {expected} to {size} bytes, and what was behind that is gone from it; put that back from a copy, or \
                 give the backing its size back if nothing was there, then restart Forebay: what flash has is kept"
            ))),
            (_, Err(error)) => {
                Some(Self::Unmeasured(format!("the size of the backing cannot be read: {error}")))
            }
        }
    }
}

/// A backing at one check.
struct Checked {
    size: Result<u64, BlockError>,
    /// It was attached to be written, and cannot be.
    write_protected: bool,
}

impl Disk {
    /// Checks the size of the backing once, and reports a failure that begins, changes or ends.
    pub(super) async fn check(&self, name: &str) {
        // As it is now: the disk may be larger when the answer comes, which is then of an earlier time.
        let expected = self.cached.geometry().size;
        let backing = self.cached.backing();
        let size = backing.current_size().await;
        let write_protected = !self.cached.geometry().read_only && backing.is_write_protected();
        let before = self.failure.borrow().clone();
        let now = Failure::after(before.as_ref(), expected, Checked { size, write_protected });
        let kind = |failure: &Option<Failure>| failure.as_ref().map(std::mem::discriminant);
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

    /// Has checks from outside go on until nothing is wrong with the backing.
    pub(super) fn update_doubt(&self) {
        let is_sound = self.failure.borrow().is_none() && self.displaced.borrow().is_none();
        self.monitored.set_in_doubt(!is_sound);
    }
}

impl Shard {
    /// Has the backing of a disk checked from outside, for as long as its history has it open.
    pub(super) fn monitor_backing(
        &self,
        name: &str,
        cached: &Cached,
        history: &History,
    ) -> Arc<MonitoredBacking> {
        let (needed_bytes, is_written) = (cached.backing().geometry().size, !cached.geometry().read_only);
        self.monitor.register(name, history.attributes(), needed_bytes, is_written)
    }

    fn start_check(&self, name: String) {
        // One that hangs is not asked for again.
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
    /// Begins to check disks, beside each other. Ignores those that are not here.
    ///
    /// # Errors
    /// If the shard does not answer.
    pub(super) async fn start_checks(&self, disks: Vec<String>) -> Answer<()> {
        self.ask(move |shard| disks.into_iter().for_each(|disk| shard.start_check(disk))).await
    }
}

#[cfg(test)]
mod tests {
    use block::{ErrorKind, Operation};

    use super::*;

    fn unanswered() -> Checked {
        sized(Err(BlockError::anywhere(ErrorKind::Io, Operation::Open)))
    }

    fn sized(size: Result<u64, BlockError>) -> Checked {
        Checked { size, write_protected: false }
    }

    #[test]
    fn a_failed_look_at_a_size_passes_with_the_next_one_that_works() {
        let failed = Failure::after(None, 4096, unanswered());
        assert!(matches!(failed, Some(Failure::Unmeasured(_))), "{failed:?}");
        assert_eq!(Failure::after(failed.as_ref(), 4096, sized(Ok(4096))), None);
        assert_eq!(Failure::after(failed.as_ref(), 4096, sized(Ok(8192))), None, "it grew meanwhile");
        assert_eq!(Failure::after(failed.as_ref(), 4096, unanswered()), failed);
    }

    #[test]
    fn a_backing_that_was_cut_stays_failed_whatever_size_it_is_given() {
        let failed = Failure::after(None, 4096, sized(Ok(512)));
        assert!(matches!(failed, Some(Failure::Shrunk(_))), "{failed:?}");
        for later in [sized(Ok(4096)), sized(Ok(1024)), unanswered()] {
            assert_eq!(Failure::after(failed.as_ref(), 4096, later), failed);
        }
        let unmeasured = Failure::after(None, 4096, unanswered());
        let cut = Failure::after(unmeasured.as_ref(), 4096, sized(Ok(512)));
        assert!(matches!(cut, Some(Failure::Shrunk(_))), "{cut:?}");
    }

    #[test]
    fn a_backing_that_turns_read_only_fails_its_disk_until_it_is_writable_again() {
        let failed = Failure::after(None, 4096, Checked { size: Ok(4096), write_protected: true });
        assert_eq!(failed, Some(Failure::WriteProtected));
        assert_eq!(Failure::after(failed.as_ref(), 4096, sized(Ok(4096))), None);
        let cut = Failure::after(failed.as_ref(), 4096, sized(Ok(512)));
        assert!(matches!(cut, Some(Failure::Shrunk(_))), "{cut:?}");
    }
}
