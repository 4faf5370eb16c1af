//! One operation: a future that owns the memory and files that the kernel uses, and hands them to the ring if it is dropped early.

use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use futures_util::future::{Either, select};
use io_uring::{opcode, squeue};

use super::{Ring, RingState};

/// Memory and files that the kernel uses while an operation runs: buffers, headers, the open file.
///
/// Memory that the entry points to must be owned by the value and must stay where it is when the value moves (on the
/// heap, not inside the value).
pub(crate) trait Keep: Unpin + 'static {
    /// Handling of the operation if its future is dropped.
    const IF_DROPPED: IfDropped;

    /// Called when the operation completed with `result`, and its future is gone. Default: frees everything.
    fn abandoned(self: Box<Self>, result: i32) {
        let _ = result;
    }
}

/// Handling of an operation whose future is dropped before it completed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum IfDropped {
    /// It runs to its end: a write that was begun is done.
    Finish,
    /// It is cancelled: it might wait for another party for ever.
    Cancel,
    /// It stays in the kernel, with its memory and files, until another party ends it or the ring is gone.
    Leave,
}

/// State of an operation, as the ring sees it.
pub(super) enum Slot {
    /// In flight; the future waits.
    Waiting(Option<Waker>),
    /// Completed; the future has not polled yet.
    Done(i32),
    /// In flight, and completes again and again; `came` is the last result that was not taken.
    Repeating { waker: Option<Waker>, came: Option<i32> },
    /// In flight; the future is gone and has left the memory and files that the kernel uses.
    Abandoned { tag: u64, keep: Box<dyn Abandoned> },
}

impl Slot {
    pub(super) fn is_in_flight(&self) -> bool {
        !matches!(self, Self::Done(_))
    }

    /// Returns true if it is in flight, and ends by itself or by being cancelled.
    pub(super) fn will_end(&self) -> bool {
        match self {
            Self::Abandoned { keep, .. } => keep.if_dropped() != IfDropped::Leave,
            other => other.is_in_flight(),
        }
    }

    /// Returns the tag of the operation if its future is gone and it is one to be cancelled then.
    pub(super) fn to_cancel(&self) -> Option<u64> {
        match self {
            Self::Abandoned { tag, keep } if keep.if_dropped() == IfDropped::Cancel => Some(*tag),
            _ => None,
        }
    }
}

/// [`Keep`] with its type forgotten.
pub(super) trait Abandoned {
    fn completed(self: Box<Self>, result: i32);
    fn if_dropped(&self) -> IfDropped;
}

impl<K: Keep> Abandoned for K {
    fn completed(self: Box<Self>, result: i32) {
        self.abandoned(result);
    }

    fn if_dropped(&self) -> IfDropped {
        K::IF_DROPPED
    }
}

/// An operation in flight. Ready with the kernel's result: 0 or more on success, a negated errno otherwise.
pub(crate) struct Running<K: Keep> {
    ring: Ring,
    tag: u64,
    /// Present until handed back.
    keep: Option<K>,
}

impl Ring {
    /// Starts an operation and returns its future.
    ///
    /// # Safety
    /// Everything that `entry` points to, its file included, is owned by `keep` as [`Keep`] demands, and is fit for the operation
    /// (writable, long enough, initialised).
    pub(crate) unsafe fn run<K: Keep>(&self, entry: squeue::Entry, keep: K) -> Running<K> {
        let tag = self.start(entry, Slot::Waiting(None));
        Running { ring: self.clone(), tag, keep: Some(keep) }
    }

    /// Queues an entry for a new slot, and returns its tag.
    fn start(&self, entry: squeue::Entry, slot: Slot) -> u64 {
        let key = self.shared.slots.borrow_mut().insert(slot);
        let tag = tag(key, self.shared.next_number());
        self.shared.push(entry.user_data(tag));
        tag
    }
}

/// End of an operation that could be stopped.
pub(crate) struct StopOutcome<K> {
    pub(crate) keep: K,
    /// As of [`Running`]; `-ECANCELED` if it was stopped without an effect.
    pub(crate) result: i32,
    /// True if it was stopped, which may have been too late.
    pub(crate) stopped: bool,
}

impl<K: Keep> Running<K> {
    /// Waits for the operation, or until `stop` is ready, and then [ends it early](Self::end_early). Of both at once, the operation
    /// counts.
    pub(crate) async fn unless(self, stop: impl Future<Output = ()>) -> StopOutcome<K> {
        let ((keep, result), stopped) = match select(self, pin!(stop)).await {
            Either::Left((over, _)) => (over, false),
            Either::Right(((), running)) => (running.end_early().await, true),
        };
        StopOutcome { keep, result, stopped }
    }

    /// Ends the operation early if it still waits for something. Returns `-ECANCELED` if it had no effect, else its result, of which
    /// nothing is lost.
    async fn end_early(self) -> (K, i32) {
        while !self.is_over() {
            let entry = opcode::AsyncCancel::new(self.tag).build();
            // SAFETY: a cancellation points to nothing.
            let (Cancelling, answer) = unsafe { self.ring.run(entry, Cancelling) }.await;
            // The kernel was busy with it at that very moment: it may complete now, or begin to wait again.
            if answer != -libc::EALREADY {
                break;
            }
        }
        self.await
    }

    fn is_over(&self) -> bool {
        matches!(self.ring.shared.slots.borrow()[key(self.tag)], Slot::Done(_))
    }
}

/// Memory that a cancellation uses: none.
struct Cancelling;

impl Keep for Cancelling {
    const IF_DROPPED: IfDropped = IfDropped::Finish;
}

impl RingState {
    pub(super) fn next_number(&self) -> u32 {
        let number = self.operations_made.get();
        self.operations_made.set(number.wrapping_add(1));
        number
    }

    /// Records the result of the operation with this `tag` and wakes its future. `more` if it is still in flight.
    pub(super) fn complete(&self, tag: u64, result: i32, more: bool) {
        let key = key(tag);
        let mut slots = self.slots.borrow_mut();
        let waker = match &mut slots[key] {
            Slot::Repeating { waker, came } if more => {
                *came = Some(result);
                waker.take()
            }
            // A cancelled operation has completed once more before.
            Slot::Abandoned { .. } if more => None,
            slot => match std::mem::replace(slot, Slot::Done(result)) {
                Slot::Waiting(waker) | Slot::Repeating { waker, .. } => waker,
                Slot::Abandoned { keep, .. } => {
                    slots.remove(key);
                    drop(slots);
                    return keep.completed(result);
                }
                Slot::Done(_) => unreachable!("the kernel completes an operation once"),
            },
        };
        // Not under the borrow: the woken task may call this again.
        drop(slots);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<K: Keep> Future for Running<K> {
    type Output = (K, i32);

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<(K, i32)> {
        let key = key(self.tag);
        assert!(self.keep.is_some(), "polled after it was ready");
        let shared = &self.ring.shared;
        let result = match &mut shared.slots.borrow_mut()[key] {
            Slot::Done(result) => Ok(*result),
            Slot::Waiting(waker) if waker.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) => {
                return Poll::Pending;
            }
            Slot::Waiting(waker) => Err(waker.replace(context.waker().clone())),
            Slot::Repeating { .. } | Slot::Abandoned { .. } => {
                unreachable!("it is of one completion, and only dropping the future abandons it")
            }
        };
        let result = match result {
            Ok(result) => result,
            Err(old_waker) => {
                // Not under the borrow: the last waker of a task frees the task, which may drop operations.
                drop(old_waker);
                return Poll::Pending;
            }
        };
        self.ring.shared.slots.borrow_mut().remove(key);
        let keep = self.keep.take().expect("asserted above");
        Poll::Ready((keep, result))
    }
}

impl<K: Keep> Drop for Running<K> {
    fn drop(&mut self) {
        if let Some(keep) = self.keep.take() {
            self.ring.shared.abandon(self.tag, keep);
        }
    }
}

impl RingState {
    /// Abandons the operation with this `tag`: its future is gone.
    fn abandon<K: Keep>(&self, tag: u64, keep: K) {
        let mut slots = self.slots.borrow_mut();
        let key = key(tag);
        if let Slot::Done(result) = slots[key] {
            slots.remove(key);
            drop(slots);
            Box::new(keep).abandoned(result);
            return;
        }
        let abandoned = Slot::Abandoned { tag, keep: Box::new(keep) };
        let waiting = std::mem::replace(&mut slots[key], abandoned);
        drop(slots);
        // Its waker, like any, not under the borrow.
        drop(waiting);
        if K::IF_DROPPED == IfDropped::Cancel {
            self.cancel(tag);
        }
    }
}

/// An operation that completes again and again until it is dropped, or the kernel ends it.
pub(crate) struct Repeating<K: Keep> {
    ring: Ring,
    tag: u64,
    /// Present until dropped.
    keep: Option<K>,
}

/// Result of a repeating operation since the last poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RepeatOutcome {
    /// The last result of several, perhaps; it goes on.
    More(i32),
    /// The last one of all, negative mostly. It is not in flight any more, and not to be asked again.
    Last(i32),
}

impl Ring {
    /// Starts an operation that completes again and again. The kernel must be [recent](Ring::is_recent).
    ///
    /// # Safety
    /// As for [`Ring::run`].
    pub(crate) unsafe fn repeat<K: Keep>(&self, entry: squeue::Entry, keep: K) -> Repeating<K> {
        assert!(self.is_recent(), "repeating operations lose completions on older kernels");
        let tag = self.start(entry, Slot::Repeating { waker: None, came: None });
        Repeating { ring: self.clone(), tag, keep: Some(keep) }
    }
}

impl<K: Keep> Repeating<K> {
    /// Polls for a result that was not returned yet.
    pub(crate) fn poll_came(&mut self, context: &mut Context<'_>) -> Poll<RepeatOutcome> {
        let mut slots = self.ring.shared.slots.borrow_mut();
        let old_waker = match &mut slots[key(self.tag)] {
            Slot::Done(result) => return Poll::Ready(RepeatOutcome::Last(*result)),
            Slot::Repeating { came, waker } => {
                if let Some(result) = came.take() {
                    return Poll::Ready(RepeatOutcome::More(result));
                }
                if waker.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
                    return Poll::Pending;
                }
                waker.replace(context.waker().clone())
            }
            _ => unreachable!("it repeats, and only dropping it abandons it"),
        };
        drop(slots);
        // Not under the borrow, as above.
        drop(old_waker);
        Poll::Pending
    }
}

impl<K: Keep> Drop for Repeating<K> {
    fn drop(&mut self) {
        if let Some(keep) = self.keep.take() {
            self.ring.shared.abandon(self.tag, keep);
        }
    }
}

/// Packs slot and number in one word. The number keeps a late cancellation from hitting the next user of the slot; numbers have 31 bits so
/// that no tag is one of the ring's own.
fn tag(key: usize, number: u32) -> u64 {
    let key = u32::try_from(key).expect("operations in flight are limited by memory far below 2^32");
    u64::from(number & (u32::MAX >> 1)) << 32 | u64::from(key)
}

fn key(tag: u64) -> usize {
    (tag & u64::from(u32::MAX)) as usize
}
