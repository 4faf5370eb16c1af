//! Locks of disks: one change of a disk at a time, and changes of different disks in parallel.
//!
//! A change may hold the lock of its disk for as long as a backing takes. A holder of one never takes a
//! second.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex as StdMutex, PoisonError};

use tokio::sync::{Mutex, OwnedMutexGuard};

/// Locks by the names of disks, including those that are being added.
#[derive(Debug, Default)]
pub(super) struct DiskLocks {
    /// Locks with a holder or waiters, and perhaps others.
    all: StdMutex<BTreeMap<String, Arc<Mutex<()>>>>,
    is_closed: AtomicBool,
}

/// The lock of a disk, until it is dropped.
#[derive(Debug)]
#[must_use]
pub(super) struct DiskLock(#[expect(dead_code, reason = "is held, not read")] OwnedMutexGuard<()>);

impl DiskLocks {
    /// Waits for the lock of a disk; for ever after [`Self::close`].
    pub(super) async fn lock(&self, disk: &str) -> DiskLock {
        let lock = self.lock_also_closed(disk).await;
        if self.is_closed.load(Ordering::SeqCst) {
            drop(lock);
            pending::<()>().await;
            unreachable!("nobody waits so long");
        }
        lock
    }

    /// Takes the lock of a disk without a change under way; returns none also after [`Self::close`].
    pub(super) fn try_lock(&self, disk: &str) -> Option<DiskLock> {
        let lock = self.of(disk).try_lock_owned().ok()?;
        (!self.is_closed.load(Ordering::SeqCst)).then_some(DiskLock(lock))
    }

    /// Prevents new changes: the daemon is to end. Those that have begun continue.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::SeqCst);
    }

    /// Waits for the lock of a disk, also after [`Self::close`].
    pub(super) async fn lock_also_closed(&self, disk: &str) -> DiskLock {
        DiskLock(self.of(disk).lock_owned().await)
    }

    fn of(&self, disk: &str) -> Arc<Mutex<()>> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, lock| Arc::strong_count(lock) > 1);
        Arc::clone(all.entry(disk.to_owned()).or_default())
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future::poll_immediate;

    use super::*;

    fn run<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.expect("a runtime for one thread").block_on(future)
    }

    #[test]
    fn changes_of_one_disk_go_one_after_another_and_those_of_two_side_by_side() {
        let locks = DiskLocks::default();
        run(async {
            let first = locks.lock("web").await;
            let mut second = Box::pin(locks.lock("web"));
            assert!(poll_immediate(&mut second).await.is_none());
            assert!(locks.try_lock("web").is_none() && locks.try_lock("mail").is_some());
            drop(locks.lock("mail").await);
            drop(first);
            assert!(poll_immediate(&mut second).await.is_some());
        });
        assert!(locks.all.lock().expect("nothing panicked").len() <= 2, "locks of nobody go");
    }

    #[test]
    fn once_they_are_closed_no_change_begins_and_whoever_waits_holds_up_nobody() {
        let locks = DiskLocks::default();
        run(async {
            let first = locks.lock("web").await;
            let mut waiting = Box::pin(locks.lock("web"));
            assert!(poll_immediate(&mut waiting).await.is_none());
            locks.close();
            drop(first);
            assert!(poll_immediate(&mut waiting).await.is_none());
            drop(locks.lock_also_closed("web").await);
            assert!(locks.try_lock("web").is_none(), "no change begins any more");
            assert!(poll_immediate(Box::pin(locks.lock("mail"))).await.is_none());
        });
    }
}
