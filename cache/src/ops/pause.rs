//! Pause of destage in consistent write-back: the backing alone is the disk as of one time, for a snapshot or a copy of it, and guests go on
//! writing back.
//!
//! ```text
//! a group that began after the request counts ── destage of all earlier groups at full speed, a few times
//!    ── under the locks of destage and of the ring: what groups have is replayed, flush ── paused
//! paused:  groups go on ── destage and replays do not ── resumed, or a request has to wait for destage
//! ```
//! The last part has to be a replay: a page that was overwritten since its group is not destaged from flash, and each later group has
//! others. It is small, because destage did the most of it.
//!
//! If groups go to the backing (`backing_group.rs`), it is as of the last one all the time: a group is written, and then none is until the
//! pause ends.
//!
//! A request that has to wait for destage ends the pause: a guest at the dirty limit, a hold, an order of destage that is no longer the consistent
//! one. A full ring does not: then no group is written, and the age of the promise grows, up to its limit if there is one.

use std::rc::Rc;

use block::{BlockError, ErrorKind, Host, Operation};
use tokio::sync::MutexGuard;

use super::back::{check_lost, wait_until_known};
use super::backing_group;
use super::consistent_state::GroupTarget;
use super::ctx::Ctx;
use super::destage_wait::{Patience, wait_until};
use super::disk_cache::DiskCache;
use super::ring_replay::replay_locked;
use crate::state::catalog::ALL_PAGES;
use crate::state::dirty::Dirty;
use crate::state::journal::Journal;
use crate::types::canary::{self, Bug};
use crate::types::env::Env;

/// The most times that destage is to catch up with the groups that were written meanwhile.
const PASSES: u32 = 8;
/// Times that a group may be on its way when destage is held up for the end.
const LOCK_TRIES: u32 = 8;
/// Part of the ring that is replayed at the end without another pass: one of so many.
const REPLAYED_PART: u64 = 16;

/// A request for a pause. Dropping it before the pause began withdraws it.
pub(crate) struct PauseRequest<E: Env> {
    cache: Rc<DiskCache<E>>,
    turn: u64,
}

impl<E: Env> DiskCache<E> {
    /// Ends the pause, if there is one, because destage is needed.
    pub(super) fn end_pause(&self, reason: &str) {
        let pause = &self.consistent.pause;
        if pause.as_of().is_some() {
            tracing::debug!(disk = %self.id, reason, "The pause of destage ended early");
            pause.end(reason);
            self.back.destage.wake();
            self.consistent.wake();
        }
    }

    /// Returns true if destage is paused, and nothing needs it. Ends the pause otherwise.
    pub(super) fn stays_paused(&self) -> bool {
        if !self.consistent.pause.is_on() {
            return false;
        }
        if self.back.destage.is_waited_for() || !self.wants_consistency() {
            self.end_pause("everything has to be destaged");
            return false;
        }
        true
    }
}

impl<E: Env> PauseRequest<E> {
    /// Begins a request, which ends an earlier one and its pause.
    pub(crate) fn new(cache: &Rc<DiskCache<E>>) -> Self {
        cache.end_pause("another pause was requested");
        Self { cache: Rc::clone(cache), turn: cache.consistent.pause.take_turn() }
    }

    /// Returns its number.
    pub(crate) fn turn(&self) -> u64 {
        self.turn
    }
}

impl<E: Env> Drop for PauseRequest<E> {
    fn drop(&mut self) {
        self.cache.consistent.pause.withdraw(self.turn);
    }
}

/// Has destage catch up with the groups: most of what was acknowledged before is on the backing then.
///
/// # Errors
/// If destage or the ring fails, or the disk stopped or leaves. Then nothing is paused.
pub(crate) async fn catch_up<E: Env>(cache: &DiskCache<E>) -> Result<(), BlockError> {
    wait_until_known(cache).await?;
    check_lost(cache)?;
    let patience = || Patience::Administrator { since: cache.pool.host.now() };
    let state = &cache.consistent;
    let begun = state.groups_begun.get();
    wait_until(cache, patience(), || {
        let is_covered = state.counted.get() > begun || !holds_fresh(cache);
        if !is_covered {
            state.want_group();
        }
        is_covered && has_promise(cache) || !cache.wants_consistency()
    })
    .await?;
    for _ in 0..PASSES {
        let ring = match state.target().filter(|_| cache.wants_consistency()) {
            Some(GroupTarget::Ring(ring)) => ring,
            Some(GroupTarget::Backing) => break,
            None => return Err(left()),
        };
        if ring.used_bytes() <= ring.room_bytes() / REPLAYED_PART {
            break;
        }
        let last = cache.catalog.with_journal(Journal::last).flatten();
        wait_until(cache, patience(), || {
            let first = cache.catalog.with_journal(Journal::first_needed).flatten();
            let is_caught_up = first.is_none_or(|first| Some(first) > last) || !cache.wants_consistency();
            if !is_caught_up {
                cache.back.destage.want(ALL_PAGES);
            }
            is_caught_up
        })
        .await?;
    }
    Ok(())
}

/// Brings what groups have to the backing, and pauses destage, if the request of this number still counts. To be called after [`catch_up`],
/// and not to be dropped halfway.
///
/// # Errors
/// As [`catch_up`].
pub(crate) async fn pause<E: Env>(ctx @ Ctx { cache, .. }: &Ctx<E>, turn: u64) -> Result<(), BlockError> {
    let state = &cache.consistent;
    let target = state.target().ok_or_else(left)?;
    let _locks = both_locks(cache).await;
    if !cache.wants_consistency() || !has_promise(cache) {
        return Err(left());
    }
    let error = |reason: String| BlockError::anywhere(ErrorKind::Io, Operation::Write).because(reason);
    if let GroupTarget::Ring(ring) = &target
        && !canary::has(Bug::PauseWithoutReplay)
    {
        let missing = replay_locked(ctx, ring).await.map_err(|problem| error(problem.to_string()))?;
        if missing.iter().any(|pages| cache.catalog.is_dirty_within(pages)) {
            return Err(error("the redo ring lost pages, which the next group has: try again".to_owned()));
        }
    }
    if state.is_to_backing() && state.counted.get() != state.groups_begun.get() {
        // It may have reached the backing all the same.
        return Err(error("its last group failed: try again".to_owned()));
    }
    check_lost(cache)?;
    if cache.back.destage.hurries() {
        return Err(error("its flash is being left".to_owned()));
    }
    let as_of = state.taken_at().ok_or_else(left)?;
    if !state.pause.begin(turn, as_of) {
        return Err(error("it was withdrawn".to_owned()));
    }
    // What was requested before has been destaged. Who still waits wants it again, which ends the pause.
    cache.back.destage.cancel_request();
    cache.back.destage.forget_wanted();
    Ok(())
}

/// Runs `work` between two groups at the backing: it is the disk as of the last one, durably, and nothing changes it meanwhile. To be called
/// after [`catch_up`], and not to be dropped halfway. Returns the time of that group as well, in nanoseconds since 1970.
///
/// # Errors
/// If the disk left consistent write-back, or the last group failed; then `work` did not begin.
pub(crate) async fn between_groups<E: Env, T>(
    ctx @ Ctx { cache, .. }: &Ctx<E>,
    work: impl Future<Output = T>,
) -> Result<(T, u64), BlockError> {
    let state = &cache.consistent;
    if canary::has(Bug::SnapshotInGroup) {
        return Ok((work.await, state.taken_at().ok_or_else(left)?));
    }
    let _locks = both_locks(cache).await;
    if !cache.wants_consistency() || !state.is_to_backing() || !has_promise(cache) {
        return Err(left());
    }
    // What landed late of a group that failed must not become a part of this.
    backing_group::settle(ctx).await?;
    if state.counted.get() != state.groups_begun.get() {
        let error = BlockError::anywhere(ErrorKind::Io, Operation::Write);
        return Err(error.because("its last group failed: try again"));
    }
    check_lost(cache)?;
    let as_of = state.taken_at().ok_or_else(left)?;
    Ok((work.await, as_of))
}

/// Takes the locks of destage and of the ring, in the order in which a disk that is detached takes them. Destage goes on while a group is on its
/// way, unless groups follow each other all the time.
async fn both_locks<E: Env>(cache: &DiskCache<E>) -> (MutexGuard<'_, ()>, MutexGuard<'_, ()>) {
    for _ in 0..LOCK_TRIES {
        let destaging = cache.back.destage.lock().await;
        if let Some(changing) = cache.consistent.try_lock() {
            return (destaging, changing);
        }
        drop(destaging);
        drop(cache.consistent.lock().await);
    }
    (cache.back.destage.lock().await, cache.consistent.lock().await)
}

/// Ends the pause as requested. Returns true if there was one.
pub(crate) fn resume<E: Env>(cache: &Rc<DiskCache<E>>) -> bool {
    let was_paused = cache.consistent.pause.resume();
    cache.back.destage.wake();
    cache.consistent.wake();
    was_paused
}

fn has_promise<E: Env>(cache: &DiskCache<E>) -> bool {
    let state = &cache.consistent;
    state.is_entered.get() && state.promises() && state.taken_at().is_some()
}

fn holds_fresh<E: Env>(cache: &DiskCache<E>) -> bool {
    let is_some = |set: Option<&Dirty>| set.is_some_and(|set| !set.is_empty());
    cache.catalog.with_journal(|journal| is_some(Some(journal.fresh())) || is_some(journal.writing()))
        != Some(false)
}

fn left() -> BlockError {
    BlockError::anywhere(ErrorKind::Gone, Operation::Write)
        .because("the disk left consistent write-back meanwhile")
}
