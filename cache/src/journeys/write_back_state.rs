//! The state of write-back of a disk beside what is dirty: writes on their way to the log, waits for destage, and whether flash
//! says that something may be dirty.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ops::Range;

use block::BlockError;
use tokio::sync::{Mutex, Notify};

use super::commit_queue::Pending;
use crate::knowledge::ranges::Ranges;
use crate::knowledge::width::Width;
use crate::words::stats::DestageFailure;
use crate::words::units::SECOND_NS;

/// The state of write-back.
#[derive(Default)]
pub(crate) struct WriteBack {
    /// Writes that are not in the log yet, in order.
    pub(super) queue: RefCell<VecDeque<Pending>>,
    /// Tells the committer that there are some.
    pub(super) queued: Notify,
    /// Writes between the decision that they go to the log and their end.
    pub(super) writers: Cell<usize>,
    /// Pages that they make dirty at most.
    pub(super) coming: Cell<u64>,
    /// Segments that were last kept in the pool for what is dirty; none before the first time.
    pub(super) kept: Cell<Option<u32>>,
    /// True if flash says, durably, that something may be dirty.
    pub(super) noted: Cell<bool>,
    pub(super) noting: Mutex<()>,
    /// Changes that the backing acknowledged to this process, and how many of them a flush has covered. None covers what it
    /// acknowledged to earlier ones: guests outlive those, and mean it as well when they flush (DURABILITY A26).
    pub(super) through: Cell<u64>,
    pub(super) through_flushed: Cell<Option<u64>>,
    /// The last batches with something dirty and with a `home`.
    pub(super) last_dirty_batch: Cell<u64>,
    pub(super) last_home_batch: Cell<u64>,
    /// Number of those that want nothing to become dirty.
    pub(super) holds: Cell<usize>,
    /// Nothing becomes dirty because a device is to leave.
    pub(super) device_leaves: Cell<bool>,
    /// Somebody asked for all of it to be destaged.
    pub(super) asked: Cell<bool>,
    /// Flash is about to be lost: the highest rate of the settings does not count until nothing is dirty.
    pub(super) hurries: Cell<bool>,
    /// Destage had nothing to do when it looked last.
    pub(super) asleep: Cell<bool>,
    /// Tells destage to look.
    pub(crate) destage_wanted: Notify,
    /// Tells destage, while it rests, that the settings changed or the disk leaves.
    pub(crate) pace_changed: Notify,
    /// Tells those who wait that something was destaged, or failed to be.
    pub(super) progress: Notify,
    /// Why destage fails, and since when.
    pub(super) failure: RefCell<Option<Failure>>,
    /// When something dirty became clean last.
    pub(super) came_home: Cell<u64>,
    /// The last round took what somebody waits for.
    pub(super) took_wanted: Cell<bool>,
    /// Held while destage has requests at the backing.
    pub(crate) destaging: Mutex<()>,
    /// Pages that somebody waits for.
    pub(super) wanted: RefCell<Ranges>,
    /// Pages whose destage may still land at any time: nothing newer is sent after it on the same connection.
    pub(super) stuck: RefCell<Ranges>,
    /// When the first of what is dirty became so.
    pub(super) dirty_since: Cell<Option<u64>>,
    /// When the next writer may go on, if writers are held back.
    pub(super) next_writer: Cell<u64>,
    /// What destage achieved lately, in bytes a second.
    pub(super) rate: Cell<u64>,
    /// How many requests it has at once while guests use the backing too.
    pub(super) width: RefCell<Width>,
    /// When a guest last waited for the backing.
    pub(super) guest_waited: Cell<u64>,
    /// Why the disk stopped.
    pub(super) stopped: RefCell<Option<String>>,
}

/// Why destage fails.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    /// When it began to.
    pub(super) since: u64,
    /// What the last request that failed said.
    pub(super) error: BlockError,
}

impl WriteBack {
    /// Notes that flash says that something may be dirty.
    pub(super) fn set_noted(&self, noted: bool) {
        self.noted.set(noted);
    }

    /// True if flash says that something may be dirty.
    pub(crate) fn is_noted(&self) -> bool {
        self.noted.get()
    }

    /// True if somebody wants nothing to become dirty.
    pub(crate) fn is_held(&self) -> bool {
        self.holds.get() > 0 || self.device_leaves.get()
    }

    /// Has nothing become dirty until no device leaves any more.
    pub(super) fn let_device_leave(&self) {
        self.device_leaves.set(true);
        self.destage_wanted.notify_one();
    }

    pub(super) fn no_device_leaves(&self) {
        self.device_leaves.set(false);
    }

    /// Notes that the backing acknowledged a change, or may have done it.
    pub(super) fn note_through(&self) {
        self.through.set(self.through.get() + 1);
    }

    /// What a flush of the backing that is submitted now covers; none if there is nothing that it has to.
    pub(super) fn through_to_flush(&self) -> Option<u64> {
        Some(self.through.get()).filter(|through| Some(*through) > self.through_flushed.get())
    }

    pub(super) fn note_through_flushed(&self, through: u64) {
        self.through_flushed.set(self.through_flushed.get().max(Some(through)));
    }

    /// Somebody asks for everything to be destaged, or does not any more.
    pub(crate) fn ask(&self, asked: bool) {
        self.asked.set(asked && self.dirty_since.get().is_some());
        self.hurries.set(self.hurries.get() && asked);
        self.destage_wanted.notify_one();
    }

    /// Asks for everything to be destaged as fast as the backing can.
    pub(crate) fn hurry(&self) {
        self.hurries.set(self.dirty_since.get().is_some());
        self.ask(true);
    }

    /// True if the highest rate of the settings does not count.
    pub(super) fn hurries(&self) -> bool {
        self.hurries.get()
    }

    /// Has pages destaged before anything else.
    pub(super) fn want(&self, pages: Range<u64>) {
        self.wanted.borrow_mut().insert(pages);
        self.destage_wanted.notify_one();
    }

    /// What destage achieved lately, in bytes a second.
    pub(crate) fn destage_rate(&self) -> u64 {
        self.rate.get()
    }

    /// Records a failure of destage. It lasts until a round without one.
    pub(super) fn record_failure(&self, now: u64, error: &BlockError) {
        let mut failure = self.failure.borrow_mut();
        let since = failure.as_ref().map_or(now, |failure| failure.since);
        *failure = Some(Failure { since, error: error.clone() });
    }

    /// Records that destage works.
    pub(super) fn record_success(&self) {
        self.failure.take();
    }

    /// True if the last round of destage failed.
    pub(super) fn is_failing(&self) -> bool {
        self.failure.borrow().is_some()
    }

    /// Why destage fails, if it does.
    pub(super) fn failure(&self) -> Option<Failure> {
        self.failure.borrow().clone()
    }

    /// When something dirty became clean last.
    pub(super) fn last_came_home(&self) -> u64 {
        self.came_home.get()
    }

    pub(super) fn note_came_home(&self, now: u64) {
        self.came_home.set(now);
        self.progress.notify_waiters();
    }

    /// Has everybody who waits for destage look again: what they wait for, or for how long, was changed.
    pub(super) fn let_waiters_look(&self) {
        self.progress.notify_waiters();
    }

    /// How destage fails, for whoever looks after the disk.
    pub(crate) fn destage_failure(&self, now: u64) -> Option<DestageFailure> {
        self.failure().map(|Failure { since, error }| DestageFailure {
            for_seconds: now.saturating_sub(since) / SECOND_NS,
            kind: error.kind,
            reason: error.to_string(),
        })
    }

    /// How long something was dirty, in nanoseconds.
    pub(crate) fn dirty_for(&self, now: u64) -> u64 {
        self.dirty_since.get().map_or(0, |since| now.saturating_sub(since))
    }

    /// True if the disk stopped.
    pub(crate) fn has_stopped(&self) -> bool {
        self.stopped.borrow().is_some()
    }

    /// Why the disk stopped.
    pub(crate) fn stopped(&self) -> Option<String> {
        self.stopped.borrow().clone()
    }

    /// Lets everybody notice that the disk leaves.
    pub(crate) fn leave(&self) {
        self.queued.notify_one();
        self.pace_changed.notify_waiters();
        self.notify_all();
    }

    /// Forgets why the disk stopped.
    pub(super) fn go_on(&self) {
        self.stopped.take();
    }

    pub(super) fn notify_all(&self) {
        self.progress.notify_waiters();
        self.destage_wanted.notify_one();
    }
}
