//! Host: the time, random numbers and tasks of code that must not use the machine directly.

use std::future::Future;

use tokio::sync::oneshot;

use crate::Part;

/// Time, chance and tasks for code that runs both on a shard and in simulation.
///
/// All of it is single-threaded: tasks run on the thread that spawned them, one at a time, and switch only at an
/// `.await`. In simulation the same calls give virtual time and a seeded order.
pub trait Host: Clone + 'static {
    /// Returns the nanoseconds since some fixed moment before the start; never runs backwards.
    fn now(&self) -> u64;

    /// Returns the last result of `now()` of a host on this thread, for any caller: not later than now, and no older than the time since
    /// this thread woke and let tasks have one turn each. For durations that are short, and measured so often that reading the clock would
    /// be a part of them.
    fn recently(&self) -> u64;

    /// Waits until `now()` is at least `deadline`.
    fn sleep_until(&self, deadline: u64) -> impl Future<Output = ()> + 'static;

    /// Starts a task. It runs until it is done, or until the executor is dropped.
    fn spawn(&self, task: impl Future<Output = ()> + 'static);

    /// Returns a number that is unpredictable on a shard, and that the seed decides in simulation.
    fn random(&self) -> u64;

    /// Populates a part of an arena, with a large page of the processor if there is one and the system lets programs ask for them. Another
    /// thread does it, so that this thread waits neither for that page nor for its zeroes; begins with the first poll. The content of the
    /// part does not change. Waiting for it is optional: other memory is populated when it is touched.
    fn populate(&self, part: Part) -> impl Future<Output = ()> + 'static;

    /// Runs a future to its end, also if the caller stops waiting: for work that must not be left half done, or whose failure must become
    /// known.
    fn to_its_end<T: 'static>(
        &self,
        work: impl Future<Output = T> + 'static,
    ) -> impl Future<Output = T> + 'static {
        let (told, outcome) = oneshot::channel();
        self.spawn(async move { drop(told.send(work.await)) });
        async move {
            match outcome.await {
                Ok(outcome) => outcome,
                // The executor ends, and all its tasks with it.
                Err(_) => std::future::pending().await,
            }
        }
    }

    /// Waits for `duration` nanoseconds.
    fn sleep(&self, duration: u64) -> impl Future<Output = ()> + 'static {
        self.sleep_until(self.now().saturating_add(duration))
    }
}
