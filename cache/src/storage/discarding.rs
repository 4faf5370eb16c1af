//! Discards of a pool: the shard whose turn it is, and whether there is anything to discard.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{Mutex, MutexGuard, Notify};

/// The state of discards that shards share.
pub(super) struct SharedDiscards {
    /// Wakes one of the shards, whichever is idle.
    wanted: Notify,
    turn: Mutex<()>,
    is_over: AtomicBool,
}

impl SharedDiscards {
    /// Creates the state with a discard due, for segments that are free at the start.
    pub(super) fn new() -> Self {
        let wanted = Notify::new();
        wanted.notify_one();
        Self { wanted, turn: Mutex::new(()), is_over: AtomicBool::new(false) }
    }

    /// Requests a discard of the segments that are free by now.
    pub(super) fn want(&self) {
        self.wanted.notify_one();
    }

    /// Ends discards, because the pool is left; waits for the one that may be in flight.
    pub(super) async fn end(&self) {
        self.is_over.store(true, Ordering::SeqCst);
        drop(self.turn.lock().await);
    }

    /// Waits until a discard is requested.
    pub(super) async fn wanted(&self) {
        self.wanted.notified().await;
    }

    /// Waits until no other shard discards.
    pub(super) async fn take_turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().await
    }

    /// Returns true once the pool is left.
    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::SeqCst)
    }
}
