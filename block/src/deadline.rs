//! The time that a request may take. One timer serves all of them.
//!
//! A timer for each request would outlive it by most of the retry time, and there may be many thousands a second. So
//! one task ticks while there are waiters, and each waiter checks the clock then. Nothing ticks without waiters.

use std::cell::Cell;
use std::future::Future;
use std::pin::pin;

use futures_util::future::{Either, select};
use tokio::sync::Notify;

use crate::Host;

/// A deadline that is never reached.
pub(crate) const NEVER: u64 = u64::MAX;
/// Interval between checks of the clock, in nanoseconds: a deadline may be noticed late by as much.
const TICK_NS: u64 = 100_000_000;

/// The clock of one device.
pub(crate) struct Deadlines<H> {
    host: H,
    waiting: Cell<usize>,
    closed: Cell<bool>,
    /// Notified when a wait begins, and when it is closed.
    begun: Notify,
    tick: Notify,
}

impl<H: Host> Deadlines<H> {
    pub(crate) fn new(host: H) -> Self {
        Self {
            host,
            waiting: Cell::new(0),
            closed: Cell::new(false),
            begun: Notify::new(),
            tick: Notify::new(),
        }
    }

    /// Returns the moment that is `duration` nanoseconds from now, or never.
    pub(crate) fn after(&self, duration: Option<u64>) -> u64 {
        duration.map_or(NEVER, |duration| self.host.now().saturating_add(duration))
    }

    /// Returns true once `deadline` is reached.
    pub(crate) fn is_over(&self, deadline: u64) -> bool {
        deadline != NEVER && self.host.now() >= deadline
    }

    /// Returns the output of `future`, or `None` if `deadline` is reached first.
    pub(crate) async fn within<F: Future>(&self, deadline: u64, future: F) -> Option<F::Output> {
        if deadline == NEVER {
            return Some(future.await);
        }
        match select(pin!(future), pin!(self.until(deadline))).await {
            Either::Left((output, _)) => Some(output),
            Either::Right(((), _)) => None,
        }
    }

    async fn until(&self, deadline: u64) {
        let _waiting = DeadlineWaiter::new(&self.waiting);
        self.begun.notify_one();
        loop {
            let tick = self.tick.notified();
            if self.is_over(deadline) {
                return;
            }
            tick.await;
        }
    }

    /// Ticks until it is closed. Must run as a task.
    pub(crate) async fn run(&self) {
        while !self.closed.get() {
            if self.waiting.get() == 0 {
                self.begun.notified().await;
            } else {
                self.host.sleep(TICK_NS).await;
                self.tick.notify_waiters();
            }
        }
    }

    /// Ends [`Self::run`], at the latest a tick later.
    pub(crate) fn close(&self) {
        self.closed.set(true);
        self.begun.notify_one();
    }
}

/// Counts one who waits.
struct DeadlineWaiter<'a>(&'a Cell<usize>);

impl<'a> DeadlineWaiter<'a> {
    fn new(count: &'a Cell<usize>) -> Self {
        count.set(count.get() + 1);
        Self(count)
    }
}

impl Drop for DeadlineWaiter<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::rc::Rc;

    use super::*;
    use crate::executor::{Executor, LocalHost, Order, VirtualTime};

    const SECOND: u64 = 1_000_000_000;

    fn run<T>(test: impl AsyncFnOnce(&LocalHost, Rc<Deadlines<LocalHost>>) -> T) -> T {
        let executor = Executor::new(VirtualTime::new(), Order::Fifo);
        let host = executor.host();
        let deadlines = Rc::new(Deadlines::new(host.clone()));
        let ticking = Rc::clone(&deadlines);
        host.spawn(async move { ticking.run().await });
        let outcome = executor.run(test(&host, Rc::clone(&deadlines))).expect("the clock ticks");
        deadlines.close();
        assert_eq!(executor.run(pending::<()>()), None, "nothing ticks when it is closed");
        outcome
    }

    #[test]
    fn what_is_ready_in_time_is_had_and_what_is_not_is_given_up() {
        run(async |host, deadlines| {
            let deadline = deadlines.after(Some(SECOND));
            assert_eq!(deadlines.within(deadline, ready(7)).await, Some(7));
            assert_eq!(deadlines.within(deadline, host.sleep(SECOND / 2)).await, Some(()));
            assert_eq!(deadlines.within(deadline, pending::<()>()).await, None);
            assert!(host.now() >= SECOND && host.now() <= SECOND + TICK_NS, "{}", host.now());
            assert!(deadlines.is_over(deadline));
        });
    }

    #[test]
    fn without_a_deadline_one_waits_for_ever() {
        run(async |host, deadlines| {
            assert_eq!(deadlines.after(None), NEVER);
            assert_eq!(deadlines.within(NEVER, host.sleep(1_000_000 * SECOND)).await, Some(()));
            assert!(!deadlines.is_over(NEVER));
        });
    }
}
