//! The lock of data that shards share.

use std::sync::{Mutex, MutexGuard};

/// Locks for a moment.
///
/// # Panics
/// If a shard panicked while it held the lock: the state may be inconsistent, and the others must not go on with it. No acknowledged data
/// depends on them.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no shard panicked while it changed what all have together")
}
