//! Writes that wait to be committed to the log.

use std::cell::{Ref, RefCell, RefMut};
use std::collections::VecDeque;
use std::ops::Range;

use block::{BlockError, Buffer, Unmap};
use tokio::sync::futures::Notified;
use tokio::sync::{Notify, oneshot};

use crate::types::units::Sequence;

/// The commit queue of one disk: writes that are not in the log yet, in order.
#[derive(Default)]
pub(super) struct CommitQueue {
    waiting: RefCell<VecDeque<QueuedWrite>>,
    wake: Notify,
}

impl CommitQueue {
    /// Appends a write, and wakes the task that commits.
    pub(super) fn push(&self, pending: QueuedWrite) {
        self.waiting.borrow_mut().push_back(pending);
        self.wake();
    }

    /// Wakes the task that commits: there is a write, the log is at rest, or the disk leaves.
    pub(super) fn wake(&self) {
        self.wake.notify_one();
    }

    /// Waits for [`Self::wake`].
    pub(super) fn woken(&self) -> Notified<'_> {
        self.wake.notified()
    }

    /// Returns true if no write waits.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.borrow().is_empty()
    }

    /// Borrows the writes, for the task that commits.
    pub(super) fn borrow(&self) -> Ref<'_, VecDeque<QueuedWrite>> {
        self.waiting.borrow()
    }

    /// Borrows the writes, for the task that commits.
    pub(super) fn borrow_mut(&self) -> RefMut<'_, VecDeque<QueuedWrite>> {
        self.waiting.borrow_mut()
    }

    /// Ends all writes with an error.
    pub(super) fn fail_all(&self, error: &BlockError) {
        self.take().into_iter().for_each(|pending| pending.end(Err(error.clone())));
    }

    /// Takes all writes out.
    pub(super) fn take(&self) -> VecDeque<QueuedWrite> {
        self.waiting.take()
    }
}

/// Content for the log.
pub(super) enum LogContent {
    /// Content of whole pages.
    Content(Buffer),
    /// Zeroes, and whether their storage may be given back.
    Zeroes(Unmap),
}

/// A write on its way to the log.
pub(crate) struct QueuedWrite {
    pub(super) pages: Range<u64>,
    pub(super) change: LogContent,
    /// Drawn on acceptance (rule I1).
    pub(super) sequence: Sequence,
    /// Pages that are in the log.
    pub(super) done: usize,
    pub(super) acknowledge: oneshot::Sender<(LogContent, Result<(), BlockError>)>,
    /// Kept until the write is in the log or failed, even if its caller no longer waits.
    pub(super) _kept: Box<dyn std::any::Any>,
}

impl QueuedWrite {
    pub(super) fn end(self, result: Result<(), BlockError>) {
        let Self { change, acknowledge, _kept: kept, .. } = self;
        // The caller may have stopped waiting.
        drop(acknowledge.send((change, result)));
        drop(kept);
    }
}
