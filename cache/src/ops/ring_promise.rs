//! The promise of a redo ring: how it ends, and what follows when a call to the ring fails.

use std::rc::Rc;

use block::Host;
use redo::{RedoRing, RingError};

use super::disk_cache::DiskCache;
use crate::state::catalog::ALL_PAGES;
use crate::state::journal::Journal;
use crate::types::canary::{self, Bug};
use crate::types::env::Env;
use crate::types::limits::DESTAGE_PAGES_MAX;
use crate::types::units::SECOND_NS;

/// Rest after a group that failed, in nanoseconds.
pub(super) const RETRY_NS: u64 = SECOND_NS / 4;

/// Makes the ring void, whatever is dirty. To be called under its lock.
pub(super) async fn make_void<E: Env>(
    cache: &DiskCache<E>,
    ring: Rc<RedoRing<E::Backing>>,
) -> Result<(), RingError> {
    let voided = cache.pool.host.to_its_end(async move { ring.void().await }).await;
    if voided.is_ok() {
        end_promise(cache);
    } else if cache.consistent.promises() && !canary::has(Bug::JournaledInVoidRing) {
        // It may promise something still, and has no group any more: what the next one lacks, none has.
        cache.catalog.keep_journal(true);
    }
    voided
}

/// Lets changes go to the backing in any way: the ring promises nothing, durably.
pub(super) fn end_promise<E: Env>(cache: &DiskCache<E>) {
    let state = &cache.consistent;
    cache.end_pause("consistent write-back ended");
    state.is_entered.set(false);
    state.promises.set(false);
    state.set_confirmed(None);
    state.fresh_since.set(None);
    cache.catalog.keep_journal(false);
    cache.back.destage.wake_all();
    if let Some(set) = state.set() {
        set.record_change();
    }
}

/// Has the first group destaged first once the ring is half full.
pub(super) fn tail_first<E: Env>(cache: &DiskCache<E>, ring: &RedoRing<E::Backing>) {
    if ring.used_bytes() * 2 > ring.room_bytes()
        && !cache.consistent.pause.is_on()
        && let Some(Some(page)) = cache.catalog.with_journal(Journal::first_page)
    {
        cache.back.destage.want(page..page + DESTAGE_PAGES_MAX);
    }
}

/// Records a failure. Returns the nanoseconds until the next step.
pub(super) fn failed<E: Env>(cache: &DiskCache<E>, error: RingError) -> u64 {
    failed_for(cache, error, RETRY_NS)
}

/// Records a failure, after which nothing is tried for `rest` nanoseconds. Returns these.
pub(super) fn failed_for<E: Env>(cache: &DiskCache<E>, error: RingError, rest: u64) -> u64 {
    if matches!(error, RingError::NoRoom { .. }) {
        // What makes room is destage.
        if let Some(ring) = cache.consistent.ring() {
            tail_first(cache, &ring);
        }
    } else {
        tracing::debug!(disk = %cache.id, %error, "A group failed; its data stays on flash");
    }
    if let RingError::Backing(cause) = &error
        && cache.consistent.is_to_backing()
        && cache.catalog.can_destage(ALL_PAGES)
    {
        // It is a failure of destage, which administrators and waiting guests get.
        cache.back.destage.record_failure(cache.pool.host.now(), cause);
        cache.back.destage.wake_waiters();
    }
    cache.consistent.failure.replace(Some(error));
    cache.consistent.retry_at.set(cache.pool.host.now() + rest);
    rest
}
