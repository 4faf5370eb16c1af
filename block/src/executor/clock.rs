//! The clock of an executor: the time in which its thread runs.
//!
//! A process that is stopped (SIGSTOP, a freezer) and a host that is paused run no task, while the driver's clock goes on. All messages of
//! other parties wait meanwhile in sockets and in the ring. A deadline by the driver's clock would pass before they are read. So this clock
//! stands still while its thread does not run: a step that is longer than any task or wait takes is left out. This holds for every timer
//! and deadline of the thread alike.

use std::cell::Cell;

/// The shortest absence that is noticed, in nanoseconds. No task runs for as long; a cgroup that has used up its time waits for less.
const ABSENCE_MIN_NS: u64 = 500_000_000;
/// Least time between two log messages about absences, in nanoseconds.
const LOG_INTERVAL_NS: u64 = 60_000_000_000;

pub(super) struct Clock {
    /// Last reading of the driver's clock.
    driver: Cell<u64>,
    /// Time in which the thread did not run, in all.
    absent: Cell<u64>,
    /// Time of the last logged absence, by the driver's clock.
    logged: Cell<Option<u64>>,
}

impl Clock {
    /// Returns a clock for a driver whose clock shows `driver`.
    pub(super) fn new(driver: u64) -> Self {
        Self { driver: Cell::new(driver), absent: Cell::new(0), logged: Cell::new(None) }
    }

    /// Returns the time, given a reading of the driver's clock.
    pub(super) fn read(&self, driver: u64) -> u64 {
        let step = driver.saturating_sub(self.driver.replace(driver));
        if step >= ABSENCE_MIN_NS {
            self.leave_out(step);
        }
        self.last()
    }

    /// Returns the time of the last reading.
    pub(super) fn last(&self) -> u64 {
        self.driver.get() - self.absent.get()
    }

    /// Returns a deadline of this clock as one of the driver's.
    pub(super) fn of_driver(&self, deadline: u64) -> u64 {
        deadline.saturating_add(self.absent.get())
    }

    /// Begins to count at this reading, whatever the previous one was.
    pub(super) fn resume(&self, driver: u64) {
        self.driver.set(driver);
    }

    /// Takes the reading at the end of a wait that was to end at `deadline`, by the driver's clock. A wait without one may be of any
    /// length: no timer depends on it.
    pub(super) fn end_wait(&self, driver: u64, deadline: Option<u64>) {
        let began = self.driver.replace(driver);
        let late = deadline.map_or(0, |deadline| driver.saturating_sub(deadline.max(began)));
        if late >= ABSENCE_MIN_NS {
            self.leave_out(late);
        }
    }

    fn leave_out(&self, nanos: u64) {
        self.absent.set(self.absent.get() + nanos);
        let now = self.driver.get();
        if self.logged.get().is_some_and(|logged| now < logged + LOG_INTERVAL_NS) {
            return;
        }
        self.logged.set(Some(now));
        tracing::info!(
            "A thread of Forebay did not run for {}.{} s: the process or the host was stopped, or lacks CPU time. Time limits of \
             requests are longer by that",
            nanos / 1_000_000_000,
            nanos / 100_000_000 % 10
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn time_stands_still_while_the_thread_does_not_run() {
        let clock = Clock::new(7 * SECOND);
        assert_eq!(clock.read(7 * SECOND + 5), 7 * SECOND + 5);
        assert_eq!(clock.read(60 * SECOND + 5), 7 * SECOND + 5, "it was stopped in a task");
        assert_eq!(clock.of_driver(8 * SECOND), 61 * SECOND);
        clock.end_wait(63 * SECOND, Some(61 * SECOND));
        assert_eq!(clock.last(), 8 * SECOND, "it was stopped in a wait, which was to end then");
        clock.end_wait(90 * SECOND, None);
        assert_eq!(clock.last(), 35 * SECOND, "a wait for nothing but an event is as long as it is");
    }

    #[test]
    fn a_thread_that_is_only_slow_loses_no_time() {
        let clock = Clock::new(0);
        for tenths in 1..=100 {
            assert_eq!(clock.read(tenths * SECOND / 10), tenths * SECOND / 10);
        }
        clock.end_wait(12 * SECOND, Some(12 * SECOND - SECOND / 10));
        assert_eq!(clock.last(), 12 * SECOND);
    }
}
