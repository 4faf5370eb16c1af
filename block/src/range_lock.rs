//! One after another for requests that share bytes, in the order in which they came.
//!
//! Requests that share nothing pass each other freely. The lock is fair: a waiter is never overtaken by a later
//! request that overlaps it, so nobody starves. Single-threaded, as everything on a shard.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use crate::ByteRange;

/// Serialises overlapping ranges. Clones are the same lock.
#[derive(Clone, Default)]
pub struct RangeLock {
    state: Rc<RefCell<State>>,
}

#[derive(Default)]
struct State {
    next_ticket: u64,
    /// Holders and waiters in order of arrival. Short: bounded by the requests in flight on one disk.
    entries: Vec<Entry>,
}

struct Entry {
    ticket: u64,
    range: ByteRange,
    held: bool,
    waker: Option<Waker>,
}

/// Holds a range until dropped.
pub struct RangeGuard {
    lock: RangeLock,
    ticket: u64,
    range: ByteRange,
}

impl RangeLock {
    /// A lock that nobody holds.
    pub fn new() -> Self {
        Self::default()
    }

    /// Waits until every earlier overlapping request is done. Dropping the future gives up the place in the queue.
    pub fn acquire(&self, range: ByteRange) -> impl Future<Output = RangeGuard> + 'static {
        let mut state = self.state.borrow_mut();
        let ticket = state.next_ticket;
        state.next_ticket += 1;
        let held = !state.entries.iter().any(|entry| entry.range.overlaps(&range));
        state.entries.push(Entry { ticket, range, held, waker: None });
        Acquire { guard: Some(RangeGuard { lock: self.clone(), ticket, range }) }
    }

    /// True if a holder or a waiter shares a byte with `range`.
    pub fn is_contended(&self, range: &ByteRange) -> bool {
        self.state.borrow().entries.iter().any(|entry| entry.range.overlaps(range))
    }

    /// True if nobody holds or waits for anything.
    pub fn is_idle(&self) -> bool {
        self.state.borrow().entries.is_empty()
    }
}

impl State {
    /// Removes a ticket and wakes those who waited for it alone.
    fn remove(&mut self, ticket: u64) {
        let Some(position) = self.entries.iter().position(|entry| entry.ticket == ticket) else { return };
        let gone = self.entries.remove(position);
        for index in position..self.entries.len() {
            let (earlier, rest) = self.entries.split_at_mut(index);
            let entry = &mut rest[0];
            let concerned = !entry.held && entry.range.overlaps(&gone.range);
            if concerned && !earlier.iter().any(|other| other.range.overlaps(&entry.range)) {
                entry.held = true;
                if let Some(waker) = entry.waker.take() {
                    waker.wake();
                }
            }
        }
    }
}

impl RangeGuard {
    /// The range held.
    pub fn range(&self) -> ByteRange {
        self.range
    }
}

impl Drop for RangeGuard {
    fn drop(&mut self) {
        self.lock.state.borrow_mut().remove(self.ticket);
    }
}

struct Acquire {
    /// Present until handed out. Dropping it early removes the ticket, held or waiting.
    guard: Option<RangeGuard>,
}

impl Future for Acquire {
    type Output = RangeGuard;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<RangeGuard> {
        let guard = self.guard.as_ref().expect("polled after it was ready");
        let held = {
            let mut state = guard.lock.state.borrow_mut();
            let entry = state
                .entries
                .iter_mut()
                .find(|entry| entry.ticket == guard.ticket)
                .expect("only the guard removes its ticket");
            if !entry.held {
                entry.waker = Some(context.waker().clone());
            }
            entry.held
        };
        if held { Poll::Ready(self.guard.take().expect("checked above")) } else { Poll::Pending }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use super::*;

    fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
        future.poll(&mut Context::from_waker(Waker::noop()))
    }

    fn ready<T>(poll: Poll<T>) -> T {
        match poll {
            Poll::Ready(value) => value,
            Poll::Pending => panic!("expected to hold the lock at once"),
        }
    }

    #[test]
    fn overlapping_ranges_wait_their_turn_and_others_pass() {
        let lock = RangeLock::new();
        let first = ready(poll(pin!(lock.acquire(ByteRange::new(0, 10)))));
        let mut second = pin!(lock.acquire(ByteRange::new(5, 15)));
        assert!(poll(second.as_mut()).is_pending());
        let apart = ready(poll(pin!(lock.acquire(ByteRange::new(20, 30)))));
        drop(first);
        assert!(poll(second.as_mut()).is_ready());
        assert_eq!(apart.range(), ByteRange::new(20, 30));
    }

    #[test]
    fn a_waiter_is_not_overtaken_by_a_later_request_that_overlaps_it() {
        let lock = RangeLock::new();
        let first = ready(poll(pin!(lock.acquire(ByteRange::new(0, 10)))));
        let mut wide = pin!(lock.acquire(ByteRange::new(0, 100)));
        assert!(poll(wide.as_mut()).is_pending());
        let mut late = pin!(lock.acquire(ByteRange::new(50, 60)));
        assert!(poll(late.as_mut()).is_pending(), "free bytes, but an earlier request waits for them");
        drop(first);
        let wide = ready(poll(wide.as_mut()));
        assert!(poll(late.as_mut()).is_pending());
        drop(wide);
        assert!(poll(late.as_mut()).is_ready());
    }

    #[test]
    fn a_waiter_that_gives_up_lets_the_next_one_in() {
        let lock = RangeLock::new();
        let first = ready(poll(pin!(lock.acquire(ByteRange::new(0, 10)))));
        let mut late = pin!(lock.acquire(ByteRange::new(50, 60)));
        {
            let mut wide = Box::pin(lock.acquire(ByteRange::new(0, 100)));
            assert!(poll(wide.as_mut()).is_pending());
            late.set(lock.acquire(ByteRange::new(50, 60)));
            assert!(poll(late.as_mut()).is_pending());
        }
        assert!(poll(late.as_mut()).is_ready());
        drop(first);
    }
}
