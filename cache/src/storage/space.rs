//! Room on the storage of the pool for writes.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Room on the pool's storage, for all shards.
#[derive(Debug, Default)]
pub(super) struct StorageSpace {
    /// Writes that wait for room.
    waiting: AtomicUsize,
    /// One of them has waited for longer than guests do.
    is_overdue: AtomicBool,
    /// True if writes wait at all: not before the end of a start, which can go on without the pool.
    waits: AtomicBool,
}

impl StorageSpace {
    /// Returns true while a write waits for room.
    pub(super) fn is_lacking(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) > 0
    }

    /// Returns true once one waits for longer than guests do.
    pub(super) fn is_overdue(&self) -> bool {
        self.is_overdue.load(Ordering::SeqCst)
    }

    /// Records that one waits for longer than guests do.
    pub(super) fn set_overdue(&self) {
        self.is_overdue.store(true, Ordering::SeqCst);
    }

    /// Returns true once writes wait for room.
    pub(super) fn waits(&self) -> bool {
        self.waits.load(Ordering::SeqCst)
    }

    /// Counts a write that waits, until the returned guard is dropped.
    pub(super) fn enter(&self) -> WriteWaiter<'_> {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        WriteWaiter(self)
    }

    /// Lets writes wait for room from now on.
    pub(super) fn begin_to_wait(&self) {
        self.waits.store(true, Ordering::SeqCst);
    }
}

/// A write that waits for room, also if it is dropped.
pub(super) struct WriteWaiter<'a>(&'a StorageSpace);

impl Drop for WriteWaiter<'_> {
    fn drop(&mut self) {
        if self.0.waiting.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.0.is_overdue.store(false, Ordering::SeqCst);
        }
    }
}
