//! Virtual time: waiting takes none, the clock jumps to the next deadline.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use super::{Driver, Unpark};

/// Rounds of tasks at one moment of virtual time from which on they are considered endless. Finite work takes some
/// thousands.
const ROUNDS_MAX: u32 = 2_000_000;

/// A driver with virtual time.
#[derive(Clone, Default)]
pub struct VirtualTime {
    now: Rc<Cell<u64>>,
    /// Rounds of tasks since it moved on.
    rounds: Rc<Cell<u32>>,
    /// The time by which the next wait lasts too long.
    late: Rc<Cell<u64>>,
}

impl VirtualTime {
    /// Creates a clock that starts at zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets time pass while no task runs, in the middle of one: the process is stopped.
    pub fn stop_for(&self, nanos: u64) {
        self.now.set(self.now.get() + nanos);
    }

    /// Makes the next wait for a deadline last longer by `nanos`: the process is stopped while it waits.
    pub fn stop_next_wait_for(&self, nanos: u64) {
        self.late.set(nanos);
    }
}

pub(super) struct NoUnpark;

impl Unpark for NoUnpark {
    fn unpark(&self) {}
}

impl Driver for VirtualTime {
    fn now(&self) -> u64 {
        self.now.get()
    }

    /// # Panics
    /// If tasks wake each other without end: a simulation that hangs has to fail visibly.
    fn poll(&self) -> bool {
        self.rounds.set(self.rounds.get() + 1);
        assert!(self.rounds.get() < ROUNDS_MAX, "without end: time stands still at {} ns", self.now());
        false
    }

    fn wait(&self, deadline: Option<u64>) -> bool {
        let Some(deadline) = deadline else { return false };
        if deadline > self.now() {
            self.now.set(deadline + self.late.take());
            self.rounds.set(0);
        }
        true
    }

    fn unparker(&self) -> Arc<dyn Unpark> {
        Arc::new(NoUnpark)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::task::Poll;

    use super::*;
    use crate::Host;
    use crate::executor::{Executor, Order};

    fn wake_itself(executor: &Executor, times: u32) {
        let mut left = times;
        let busy = poll_fn(move |context| {
            left -= 1;
            context.waker().wake_by_ref();
            if left == 0 { Poll::Ready(()) } else { Poll::Pending }
        });
        executor.run(busy).expect("it is always woken");
    }

    #[test]
    #[should_panic(expected = "without end: time stands still at 7 ns")]
    fn tasks_that_wake_each_other_without_end_are_noticed() {
        let executor = Executor::new(VirtualTime::new(), Order::Fifo);
        executor.run(executor.host().sleep(7)).expect("the timer ends it");
        wake_itself(&executor, u32::MAX);
    }

    #[test]
    fn what_takes_long_but_lets_time_pass_is_no_such_thing() {
        let executor = Executor::new(VirtualTime::new(), Order::Fifo);
        for _ in 0..3 {
            wake_itself(&executor, ROUNDS_MAX - 10);
            executor.run(executor.host().sleep(1)).expect("the timer ends it");
        }
    }
}
