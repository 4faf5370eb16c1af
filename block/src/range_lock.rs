//! Range lock: requests that share bytes run one after another, in order of arrival.
//!
//! Requests that share nothing pass each other freely. The lock is fair: a waiter is never overtaken by a later request
//! that overlaps it, so none starves. Single-threaded, as everything on a shard.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use crate::ByteRange;

/// Serialises overlapping ranges. Clones are the same lock.
#[derive(Clone, Default)]
pub struct RangeLock {
    state: Rc<RefCell<LockState>>,
}

#[derive(Default)]
struct LockState {
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
    /// Creates a lock without holders.
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

    /// Returns true if a holder or a waiter shares a byte with `range`.
    pub fn is_contended(&self, range: &ByteRange) -> bool {
        self.state.borrow().entries.iter().any(|entry| entry.range.overlaps(range))
    }

    /// Returns true if there are no holders and no waiters.
    pub fn is_idle(&self) -> bool {
        self.state.borrow().entries.is_empty()
    }
}

impl LockState {
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
    /// Returns the range held.
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
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::task::Wake;

    use proptest::prelude::*;

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

    #[test]
    fn ranges_that_only_touch_or_are_empty_pass_and_one_byte_in_common_waits() {
        let lock = RangeLock::new();
        let _held = ready(poll(pin!(lock.acquire(ByteRange::new(10, 20)))));
        for (start, end, waits) in
            [(0, 10, false), (20, 30, false), (10, 10, false), (20, 20, false), (0, 11, true), (19, 30, true)]
        {
            let range = ByteRange::new(start, end);
            assert_eq!(lock.is_contended(&range), waits, "{range:?}");
            assert_eq!(poll(pin!(lock.acquire(range))).is_pending(), waits, "{range:?}");
        }
        assert!(poll(pin!(lock.acquire(ByteRange::new(12, 13)))).is_pending(), "inside");
        assert!(poll(pin!(lock.acquire(ByteRange::new(0, 40)))).is_pending(), "around");
    }

    #[test]
    fn a_lock_that_was_given_before_it_was_asked_for_again_is_not_lost_when_it_is_dropped() {
        let lock = RangeLock::new();
        let first = ready(poll(pin!(lock.acquire(ByteRange::new(0, 10)))));
        {
            let mut given = pin!(lock.acquire(ByteRange::new(0, 10)));
            assert!(poll(given.as_mut()).is_pending());
            drop(first);
        }
        assert!(lock.is_idle());
        assert!(poll(pin!(lock.acquire(ByteRange::new(0, 10)))).is_ready());
    }

    /// A request, with how often it was woken.
    struct LockRequest {
        range: ByteRange,
        future: Pin<Box<dyn Future<Output = RangeGuard>>>,
        guard: Option<RangeGuard>,
        woken: Arc<Woken>,
    }

    #[derive(Default)]
    struct Woken(AtomicU64);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    impl LockRequest {
        fn begin(lock: &RangeLock, range: ByteRange) -> Self {
            Self { range, future: Box::pin(lock.acquire(range)), guard: None, woken: Arc::default() }
        }

        /// Takes the lock, if it is not held yet.
        fn poll(&mut self) {
            if self.guard.is_none() {
                let waker = Waker::from(Arc::clone(&self.woken));
                if let Poll::Ready(guard) = self.future.as_mut().poll(&mut Context::from_waker(&waker)) {
                    assert_eq!(guard.range(), self.range);
                    self.guard = Some(guard);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn a_request_holds_its_range_as_soon_as_no_earlier_one_overlaps_it_and_is_woken_then(
            steps in proptest::collection::vec((any::<bool>(), 0..40u64, 1..12u64, any::<prop::sample::Index>()), 1..80)
        ) {
            let lock = RangeLock::new();
            // Holders and waiters, in order of arrival.
            let mut requests: Vec<LockRequest> = Vec::new();
            for (ends, start, length, which) in steps {
                let waited: Vec<bool> = requests.iter().map(|request| request.guard.is_none()).collect();
                if ends && !requests.is_empty() {
                    // One that holds its range, or waits and gives up.
                    let at = which.index(requests.len());
                    drop(requests.remove(at));
                    let waited = waited.iter().enumerate().filter(|(place, _)| *place != at).map(|(_, waited)| *waited);
                    for (place, waited) in waited.enumerate() {
                        let (earlier, rest) = requests.split_at(place);
                        let is_free = !earlier.iter().any(|other| other.range.overlaps(&rest[0].range));
                        let woken = rest[0].woken.0.load(Ordering::Relaxed);
                        prop_assert_eq!(woken, u64::from(waited && is_free), "woken once, and when it is its turn");
                    }
                } else {
                    let range = ByteRange::at(start, length);
                    prop_assert_eq!(lock.is_contended(&range), requests.iter().any(|other| other.range.overlaps(&range)));
                    requests.push(LockRequest::begin(&lock, range));
                }
                requests.iter_mut().for_each(LockRequest::poll);
                requests.iter().filter(|request| request.guard.is_some()).for_each(|request| {
                    request.woken.0.store(0, Ordering::Relaxed);
                });
                for (place, request) in requests.iter().enumerate() {
                    let is_free = !requests[..place].iter().any(|other| other.range.overlaps(&request.range));
                    prop_assert_eq!(request.guard.is_some(), is_free, "request {} of {:?}", place, request.range);
                }
            }
            requests.clear();
            prop_assert!(lock.is_idle());
        }
    }
}
