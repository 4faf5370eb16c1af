//! Blocking work on threads that do not serve guests: opening files, small durable writes.
//!
//! Such work is never cancelled. The caller may stop waiting; the work finishes all the same, so what it holds meanwhile, a lock for
//! example, is released only then.

use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

use crate::error::{Error, Result};

/// Handle of threads that may block, usable from any thread and any executor.
#[derive(Clone)]
pub struct BlockingPool(Handle);

impl BlockingPool {
    /// Returns a handle of the current runtime's threads.
    pub fn here() -> Self {
        Self(Handle::current())
    }

    /// Runs `work` on a thread of its own.
    ///
    /// # Errors
    /// If no thread can be started, or the process is ending; then nothing was done.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        // A task of the control plane starts the thread: a failure to start one is a panic, which must not happen on a shard.
        let asking = self.0.spawn(async { spawn_blocking(work).await });
        asking.await.flatten().map_err(|error| {
            Error::failed(format!(
                "Cannot do what may wait for a file system: {error}; if the daemon is not ending, free some memory"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use block::Ring;
    use block::executor::{Executor, Order};

    use super::*;

    /// Returns the answer that a shard would get.
    fn seven(blocking: &BlockingPool) -> Option<Result<u32>> {
        let executor = Executor::new(Ring::new(8).expect("io_uring is there"), Order::Fifo);
        executor.run(blocking.run(|| 7))
    }

    #[test]
    fn work_is_done_for_another_executor_and_refused_at_the_end() {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let runtime = runtime.expect("a runtime for one thread");
        let (blocking, got) = runtime.block_on(async {
            let blocking = BlockingPool::here();
            let shards = blocking.clone();
            (blocking, spawn_blocking(move || seven(&shards)).await.expect("it does not panic"))
        });
        assert_eq!(got, Some(Ok(7)));
        drop(runtime);
        assert!(seven(&blocking).is_some_and(|outcome| outcome.is_err()));
    }
}
