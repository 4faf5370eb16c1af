//! What code that must not touch the machine asks of its surroundings: time, chance and tasks.

use std::future::Future;

use tokio::sync::oneshot;

use crate::Part;

/// Time, chance and tasks for code that runs both on a shard and in simulation.
///
/// All of it is single-threaded: tasks run on the thread that spawned them, one at a time, and switch only at an
/// `.await`. In simulation the same calls give virtual time and a seeded order.
pub trait Host: Clone + 'static {
    /// Nanoseconds since some fixed moment before the start; never runs backwards.
    fn now(&self) -> u64;

    /// What `now()` of a host on this thread said last, to whomever that was: not later than now, and no longer ago than this thread
    /// has been awake and has let tasks have one turn each. For what is short, and comes so often that looking at the clock would be a
    /// part of it.
    fn recently(&self) -> u64;

    /// Ready once `now()` is at least `deadline`.
    fn sleep_until(&self, deadline: u64) -> impl Future<Output = ()> + 'static;

    /// Starts a task. It runs until it is done, or until the executor is dropped.
    fn spawn(&self, task: impl Future<Output = ()> + 'static);

    /// A number that nobody can guess on a shard, and that the seed decides in simulation.
    fn random(&self) -> u64;

    /// Brings a part of an arena into memory, in a large page of the processor if there is one and the system lets programs ask for
    /// them. It is done by somebody else, so that this thread has to wait neither for that page nor for its zeroes, and begun when it is
    /// first waited for. What the part holds stays as it is. Nobody has to wait for it: what is not in memory comes when it is touched.
    fn populate(&self, part: Part) -> impl Future<Output = ()> + 'static;

    /// Does something to its end, also if whoever waits for that gives up: for what must not be left half done, or whose failure
    /// must become known.
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

    /// Ready after `duration` nanoseconds.
    fn sleep(&self, duration: u64) -> impl Future<Output = ()> + 'static {
        self.sleep_until(self.now().saturating_add(duration))
    }
}
