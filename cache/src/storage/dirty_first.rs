//! Order of loading: disks with dirty data load first. Their guests wait for it, and those of other disks do not: until they are loaded the
//! backing answers.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

/// Counts the disks of a pool that are to be loaded before others, on any shard.
#[derive(Default)]
pub(crate) struct DirtyFirst(Arc<PendingLoads>);

#[derive(Default)]
struct PendingLoads {
    disks: AtomicUsize,
    done: Notify,
}

/// A disk that is loaded before others, until this is dropped.
pub(crate) struct First(Arc<PendingLoads>);

impl DirtyFirst {
    /// Records that a disk is to be loaded before others.
    pub(crate) fn enter(&self) -> First {
        self.0.disks.fetch_add(1, Ordering::SeqCst);
        First(Arc::clone(&self.0))
    }

    /// Waits until no disk is to be loaded before others.
    pub(crate) async fn passed(&self) {
        loop {
            let mut done = pin!(self.0.done.notified());
            // Joined first: the last one may end on another thread between the check and the wait.
            done.as_mut().enable();
            if self.0.disks.load(Ordering::SeqCst) == 0 {
                return;
            }
            done.await;
        }
    }
}

impl Drop for First {
    fn drop(&mut self) {
        if self.0.disks.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.0.done.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn others_wait_for_the_last_of_those_that_are_first() {
        let all = DirtyFirst::default();
        assert!(all.passed().now_or_never().is_some());
        let (one, other) = (all.enter(), all.enter());
        let mut waiting = Box::pin(all.passed());
        assert!(waiting.as_mut().now_or_never().is_none());
        drop(one);
        assert!(waiting.as_mut().now_or_never().is_none());
        drop(other);
        assert!(waiting.now_or_never().is_some());
        assert!(all.passed().now_or_never().is_some());
    }
}
