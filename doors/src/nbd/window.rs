//! Limits of requests in flight: the window of a connection and the budget of an export.
//!
//! A [`Permit`] stands for one request and its payload, from before the payload is received until the client has taken
//! the reply. A connection that waits for one reads nothing more: that is all the back-pressure there is. Nothing here
//! fails or times out.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Poll, Waker};

use futures_util::future::{Either, select};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::limits::{Limits, OVERDRAFT_BYTES};

/// Bytes of payload that all connections of an export share, granted in the order of requests.
#[derive(Clone)]
pub(crate) struct Budget {
    free: Arc<Semaphore>,
}

/// Requests in flight of one connection.
pub(crate) struct Window {
    limits: Limits,
    budget: Budget,
    requests: Cell<usize>,
    bytes: Cell<u64>,
    /// The connection's reader, the only one that ever waits.
    waiter: RefCell<Option<Waker>>,
}

/// One request in flight. Dropping it gives everything back.
pub(crate) struct Permit {
    window: Rc<Window>,
    bytes: u32,
    _budget: Option<OwnedSemaphorePermit>,
}

impl Budget {
    pub(crate) fn new(bytes: u32) -> Self {
        Self { free: Arc::new(Semaphore::new(bytes as usize)) }
    }

    /// Returns the number of free bytes.
    pub(crate) fn free_bytes(&self) -> u64 {
        self.free.available_permits() as u64
    }

    async fn take(&self, bytes: u32) -> OwnedSemaphorePermit {
        Arc::clone(&self.free).acquire_many_owned(bytes).await.expect("the semaphore is never closed")
    }
}

impl Window {
    pub(crate) fn new(limits: Limits, budget: Budget) -> Rc<Self> {
        Rc::new(Self {
            limits,
            budget,
            requests: Cell::new(0),
            bytes: Cell::new(0),
            waiter: RefCell::default(),
        })
    }

    /// Waits until a request with `bytes` of payload may be in flight.
    pub(crate) async fn admit(self: &Rc<Self>, bytes: u32) -> Permit {
        // First the own window: while that is full, no other connection shall wait behind this one for the budget.
        self.until(|window| window.has_room(bytes)).await;
        let budget = if bytes == 0 { None } else { self.budget_for(bytes).await };
        self.requests.set(self.requests.get() + 1);
        self.bytes.set(self.bytes.get() + u64::from(bytes));
        Permit { window: Rc::clone(self), bytes, _budget: budget }
    }

    /// Waits until nothing is in flight.
    pub(crate) async fn idle(&self) {
        self.until(|window| window.requests.get() == 0).await;
    }

    /// Returns a share of the budget, or none if this connection may go on without.
    async fn budget_for(&self, bytes: u32) -> Option<OwnedSemaphorePermit> {
        let overdraft = self.until(|window| window.requests.get() == 0 && bytes <= OVERDRAFT_BYTES);
        match select(pin!(self.budget.take(bytes)), pin!(overdraft)).await {
            Either::Left((permit, _)) => Some(permit),
            Either::Right(_) => None,
        }
    }

    fn has_room(&self, bytes: u32) -> bool {
        let requests = self.requests.get();
        let fits = self.bytes.get() + u64::from(bytes) <= self.limits.window_bytes;
        requests == 0 || (requests < self.limits.requests_max && fits)
    }

    async fn until(&self, condition: impl Fn(&Self) -> bool) {
        poll_fn(|context| {
            if condition(self) {
                return Poll::Ready(());
            }
            *self.waiter.borrow_mut() = Some(context.waker().clone());
            Poll::Pending
        })
        .await;
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let window = &self.window;
        window.requests.set(window.requests.get() - 1);
        window.bytes.set(window.bytes.get() - u64::from(self.bytes));
        let waiter = window.waiter.borrow_mut().take();
        if let Some(waiter) = waiter {
            waiter.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::Pin;
    use std::task::Context;

    use super::*;

    const MIB: u32 = 1 << 20;

    fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
        future.poll(&mut Context::from_waker(Waker::noop()))
    }

    fn now<F: Future>(future: F) -> F::Output {
        match poll(pin!(future)) {
            Poll::Ready(value) => value,
            Poll::Pending => panic!("expected to be admitted at once"),
        }
    }

    fn window(budget: &Budget) -> Rc<Window> {
        Window::new(Limits { requests_max: 3, ..Limits::default() }, budget.clone())
    }

    #[test]
    fn a_connection_waits_when_its_window_is_full_of_requests_or_bytes() {
        let budget = Budget::new(256 * MIB);
        let window = window(&budget);
        let mut permits: Vec<_> = (0..3).map(|_| now(window.admit(0))).collect();
        assert!(poll(pin!(window.admit(0))).is_pending());
        permits.pop();
        let large = now(window.admit(32 * MIB));
        drop(permits);
        assert!(poll(pin!(window.admit(1))).is_pending());
        assert!(poll(pin!(window.idle())).is_pending());
        drop(large);
        now(window.idle());
        assert_eq!(budget.free_bytes(), u64::from(256 * MIB));
    }

    #[test]
    fn connections_share_the_budget_and_get_it_in_turn() {
        let budget = Budget::new(4 * MIB);
        let (one, two, three) = (window(&budget), window(&budget), window(&budget));
        let first = now(one.admit(3 * MIB));
        let mut second = pin!(two.admit(3 * MIB));
        assert!(poll(second.as_mut()).is_pending());
        let held = now(three.admit(0));
        let mut third = pin!(three.admit(MIB));
        assert!(poll(third.as_mut()).is_pending(), "the large request came first");
        drop(first);
        assert!(poll(second.as_mut()).is_ready());
        assert!(poll(third.as_mut()).is_ready());
        drop(held);
    }

    #[test]
    fn an_idle_connection_may_always_have_one_request_of_ordinary_size() {
        let budget = Budget::new(4 * MIB);
        let (greedy, modest) = (window(&budget), window(&budget));
        let _all = now(greedy.admit(4 * MIB));
        let one = now(modest.admit(MIB));
        let mut next = pin!(modest.admit(MIB));
        assert!(poll(next.as_mut()).is_pending());
        drop(one);
        assert!(poll(next.as_mut()).is_ready(), "idle again");
        let mut large = pin!(modest.admit(3 * MIB));
        assert!(poll(large.as_mut()).is_pending(), "too much for an overdraft");
    }
}
