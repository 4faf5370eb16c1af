//! The state of write-back of one disk: its commit queue, its throttle, the state of destage, the reason of a stop, and the
//! durable marker that flash may hold dirty data. Nothing here awaits, save the lock of that marker.

use std::cell::{Cell, RefCell};

use block::{BlockError, ErrorKind, Operation};
use tokio::sync::{Mutex, MutexGuard};

use super::commit_queue::CommitQueue;
use super::destage_state::DestageState;

/// The longest that one writer is held back at once, in nanoseconds.
pub(super) const WAIT_MAX_NS: u64 = 250_000_000;

/// Write-back of one disk.
#[derive(Default)]
pub(crate) struct WriteBack {
    pub(super) commits: CommitQueue,
    pub(super) throttle: Throttle,
    pub(crate) destage: DestageState,
    pub(crate) stop: StopReason,
    marker: DirtyMarker,
    /// The last batches of the log with something dirty, and with a record of destage.
    last_dirty_batch: Cell<u64>,
    last_destaged_batch: Cell<u64>,
    /// True if all segments were given up because everything was destaged, and no table is known to be durable that says so.
    is_given_up: Cell<bool>,
    /// Changes that the backing acknowledged to this process, and how many of them a flush has covered. None covers those that it
    /// acknowledged to earlier ones: guests outlive these, and mean them as well when they flush (rule I5).
    backing_changes: Cell<u64>,
    backing_changes_flushed: Cell<Option<u64>>,
}

/// The throttle of one disk: the pages that writers are about to make dirty, and when the next of them may go on.
#[derive(Default)]
pub(super) struct Throttle {
    /// Writers between the decision that they go to the log and their end.
    writers: Cell<usize>,
    /// Pages that they make dirty at most.
    dirty_reserved: Cell<u64>,
    /// Segments that were last reserved in the pool for dirty data; none before the first time.
    segments_kept: Cell<Option<u32>>,
    /// Time at which the next writer may go on, if writers are slowed down.
    next_writer: Cell<u64>,
}

/// The durable marker on flash that a disk may hold dirty data.
#[derive(Default)]
struct DirtyMarker {
    is_set: Cell<bool>,
    /// Held while it is changed.
    changing: Mutex<()>,
}

/// The reason why a disk stopped, if it did.
#[derive(Default)]
pub(crate) struct StopReason(RefCell<Option<String>>);

impl Throttle {
    /// Reserves room for a writer that makes at most `pages` pages dirty. Ends with [`Self::release`].
    pub(super) fn reserve(&self, pages: u64) {
        self.writers.set(self.writers.get() + 1);
        self.dirty_reserved.set(self.dirty_reserved.get() + pages);
    }

    /// Releases the room of a writer.
    pub(super) fn release(&self, pages: u64) {
        self.writers.set(self.writers.get() - 1);
        self.dirty_reserved.set(self.dirty_reserved.get() - pages);
    }

    /// Returns true while writes go to the log.
    pub(super) fn has_writers(&self) -> bool {
        self.writers.get() > 0
    }

    /// Returns the pages that writers make dirty at most.
    pub(super) fn dirty_reserved(&self) -> u64 {
        self.dirty_reserved.get()
    }

    /// Returns the segments that were last reserved in the pool for dirty data; none before the first time.
    pub(super) fn segments_kept(&self) -> Option<u32> {
        self.segments_kept.get()
    }

    /// Records the segments that are reserved in the pool for dirty data.
    pub(super) fn record_segments_kept(&self, segments: u32) {
        self.segments_kept.set(Some(segments));
    }

    /// Returns when the next writer may go on, after one that arrives `now` and has to wait `wait` nanoseconds. Waits are queued one after
    /// another: their sum is the cost of their pages.
    pub(super) fn take_turn(&self, now: u64, wait: u64) -> u64 {
        let next = self.next_writer.get().max(now).min(now + WAIT_MAX_NS) + wait;
        self.next_writer.set(next);
        next
    }
}

impl StopReason {
    /// Returns true if the disk stopped.
    pub(crate) fn is_set(&self) -> bool {
        self.0.borrow().is_some()
    }

    /// Returns the reason.
    pub(crate) fn get(&self) -> Option<String> {
        self.0.borrow().clone()
    }

    /// Checks that the disk has not stopped.
    ///
    /// # Errors
    /// `Io` with the reason, if it has.
    pub(super) fn check(&self, operation: Operation) -> Result<(), BlockError> {
        match &*self.0.borrow() {
            None => Ok(()),
            Some(reason) => Err(BlockError::anywhere(ErrorKind::Io, operation).because(reason)),
        }
    }

    /// Records the reason.
    pub(super) fn set(&self, reason: String) {
        self.0.replace(Some(reason));
    }

    /// Forgets the reason: the disk goes on.
    pub(super) fn clear(&self) {
        self.0.take();
    }
}

impl WriteBack {
    /// Sets whether the dirty mark is on flash.
    pub(super) fn set_marked_dirty(&self, is_set: bool) {
        self.marker.is_set.set(is_set);
    }

    /// Returns true if the dirty mark is on flash.
    pub(crate) fn is_marked_dirty(&self) -> bool {
        self.marker.is_set.get()
    }

    /// Locks the marker, to change it.
    pub(super) async fn lock_marker(&self) -> MutexGuard<'_, ()> {
        self.marker.changing.lock().await
    }

    /// Records that a batch of the log has something dirty.
    pub(super) fn record_dirty_batch(&self, number: u64) {
        self.last_dirty_batch.set(number);
    }

    /// Records that a batch of the log contains destaged entries.
    pub(super) fn record_destaged_batch(&self, number: u64) {
        self.last_destaged_batch.set(number);
    }

    /// Returns true if a batch behind `durable` has something dirty.
    pub(super) fn has_dirty_behind(&self, durable: u64) -> bool {
        self.last_dirty_batch.get() > durable
    }

    /// Records that all segments were given up instead of a record of destage, or that this is durable.
    pub(super) fn set_given_up(&self, is_given_up: bool) {
        self.is_given_up.set(is_given_up);
    }

    /// Returns true if all segments were given up, and that may not be durable.
    pub(super) fn is_given_up(&self) -> bool {
        self.is_given_up.get()
    }

    /// Returns true if a start could take for dirty what was destaged: the record of that is in a batch behind `durable`, or segments were
    /// given up and that is not durable.
    pub(super) fn has_destaged_behind(&self, durable: u64) -> bool {
        self.last_destaged_batch.get() > durable || self.is_given_up.get()
    }

    /// Records that the backing acknowledged a change, or may have done it.
    pub(super) fn record_backing_change(&self) {
        self.backing_changes.set(self.backing_changes.get() + 1);
    }

    /// Returns the number of changes that a flush of the backing submitted now covers; none if there is nothing to flush.
    pub(super) fn backing_changes_to_flush(&self) -> Option<u64> {
        Some(self.backing_changes.get()).filter(|changes| Some(*changes) > self.backing_changes_flushed.get())
    }

    /// Records the changes that a flush of the backing covered.
    pub(super) fn record_backing_flushed(&self, changes: u64) {
        self.backing_changes_flushed.set(self.backing_changes_flushed.get().max(Some(changes)));
    }

    /// Notifies all waiting tasks that the disk leaves.
    pub(crate) fn leave(&self) {
        self.commits.wake();
        self.destage.change_pace();
        self.destage.wake_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writers_take_their_turns_one_after_another_and_none_pays_for_more_than_one_wait_of_others() {
        let throttle = Throttle::default();
        assert_eq!([100, 100, 100].map(|now| throttle.take_turn(now, 10)), [110, 120, 130]);
        assert_eq!(throttle.take_turn(500, 10), 510, "nobody pays for what is over");
        throttle.take_turn(500, 9 * WAIT_MAX_NS);
        assert_eq!(throttle.take_turn(500, 10), 500 + WAIT_MAX_NS + 10);
    }

    #[test]
    fn the_room_of_writers_is_given_back_as_each_of_them_ends() {
        let throttle = Throttle::default();
        throttle.reserve(3);
        throttle.reserve(0);
        throttle.release(3);
        assert!(throttle.has_writers() && throttle.dirty_reserved() == 0);
        throttle.release(0);
        assert!(!throttle.has_writers());
    }

    #[test]
    fn the_first_flush_asks_the_backing_and_a_later_one_if_it_was_changed_since_that_was_submitted() {
        let back = WriteBack::default();
        assert_eq!(back.backing_changes_to_flush(), Some(0), "for the processes before");
        back.record_backing_flushed(0);
        assert_eq!(back.backing_changes_to_flush(), None);
        back.record_backing_change();
        let submitted = back.backing_changes_to_flush().expect("it was changed");
        back.record_backing_change();
        back.record_backing_flushed(submitted);
        back.record_backing_flushed(0);
        assert_eq!(back.backing_changes_to_flush(), Some(2), "the second change came after the flush");
    }

    #[test]
    fn a_batch_counts_as_durable_as_far_as_the_log_says_so() {
        let back = WriteBack::default();
        back.record_dirty_batch(7);
        back.record_destaged_batch(8);
        assert!(back.has_dirty_behind(6) && !back.has_dirty_behind(7));
        assert!(back.has_destaged_behind(7) && !back.has_destaged_behind(8));
        back.set_given_up(true);
        assert!(back.has_destaged_behind(8), "whatever the log has");
        back.set_given_up(false);
        assert!(!back.has_destaged_behind(8));
    }

    #[test]
    fn a_stopped_disk_fails_with_its_reason_until_that_is_given_up() {
        let stop = StopReason::default();
        assert!(stop.check(Operation::Read).is_ok() && !stop.is_set());
        stop.set("the flash failed".to_owned());
        let error = stop.check(Operation::Read).expect_err("it stopped");
        assert!(error.kind == ErrorKind::Io && error.to_string().contains("the flash failed"), "{error}");
        stop.clear();
        assert!(stop.check(Operation::Read).is_ok() && stop.get().is_none());
    }
}
