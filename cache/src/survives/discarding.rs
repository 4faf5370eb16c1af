//! Which shard of a pool discards, and whether there is anything to discard.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{Mutex, MutexGuard, Notify};

/// The state of discards that shards share.
pub(super) struct Discarding {
    /// Tells one of them, whichever has time.
    wanted: Notify,
    turn: Mutex<()>,
    is_over: AtomicBool,
}

impl Discarding {
    /// What is free at the start is wanted.
    pub(super) fn new() -> Self {
        let wanted = Notify::new();
        wanted.notify_one();
        Self { wanted, turn: Mutex::new(()), is_over: AtomicBool::new(false) }
    }

    /// Has what is free by now discarded.
    pub(super) fn want(&self) {
        self.wanted.notify_one();
    }

    /// Has nothing more discarded, because the pool is left; waits for the one discard that may be in flight.
    pub(super) async fn end(&self) {
        self.is_over.store(true, Ordering::SeqCst);
        drop(self.turn.lock().await);
    }

    /// Waits until somebody wants it.
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
