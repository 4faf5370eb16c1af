//! Ways out of a redo ring that takes no group, so that destage, which takes only what a group has, can go on.
//!
//! - **No room**: groups are there that are needed for pages which were overwritten since, or for what was dirty at a start. Once destage
//!   makes no room either, what the ring has last of each page is brought to the backing (`redo/src/replay.rs` says why that is right), and
//!   all groups are released. The promise stays.
//! - **Too large**, or a group is damaged: the ring is replayed if it can be, and made void. The promise ends, which statistics say, until a
//!   group counts again. Everything may be destaged meanwhile, as in address order.

use std::ops::Range;
use std::rc::Rc;

use block::{BlockDevice, BlockError, ErrorKind, Host, Operation};
use redo::{RedoRing, RingError};

use super::consistent_state::GroupTarget;
use super::ctx::Ctx;
use super::disk_cache::DiskCache;
use super::reconnect::{is_same, notice};
use super::ring_promise::{RETRY_NS, failed, failed_for, make_void};
use crate::state::catalog::ALL_PAGES;
use crate::types::env::Env;
use crate::types::units::SECOND_NS;

/// Rest after a replay that the backing failed, in nanoseconds.
const BACKING_RETRY_NS: u64 = SECOND_NS;

/// Handles the failure of a group. Returns the nanoseconds until the next step; none for the next wake-up.
pub(super) async fn handle_failure<E: Env>(
    ctx @ Ctx { cache, .. }: &Ctx<E>,
    ring: &Rc<RedoRing<E::Backing>>,
    error: RingError,
) -> Option<u64> {
    let state = &cache.consistent;
    let used = ring.used_bytes();
    let is_full = matches!(error, RingError::NoRoom { .. });
    if is_full && state.pause.is_on() {
        // No group until then. Dirty data has a limit, which ends the pause; in a consistency set, that of any member does.
        if let Some(set) = state.set() {
            failed_for(cache, error.clone(), BACKING_RETRY_NS);
            set.wake_waiters();
        }
        return Some(failed_for(cache, error, BACKING_RETRY_NS));
    }
    let was_used = state.used_when_full.replace(is_full.then_some(used));
    match error {
        RingError::NoRoom { .. } if was_used == Some(used) || !has_journaled(cache) => {
            failed(cache, error);
            match replay(ctx, ring).await {
                Err(RingError::GroupDamaged { number }) => {
                    end(cache, ring, RingError::GroupDamaged { number }).await
                }
                Err(error) => Some(failed_for(cache, error, BACKING_RETRY_NS)),
                Ok(()) => Some(0),
            }
        }
        RingError::TooLarge { .. } => match replay(ctx, ring).await {
            Err(error) if !matches!(error, RingError::GroupDamaged { .. }) => {
                Some(failed_for(cache, error, BACKING_RETRY_NS))
            }
            _ => end(cache, ring, error).await,
        },
        error => Some(failed(cache, error)),
    }
}

/// Ends the promise, with a reason that statistics say until a group counts again.
async fn end<E: Env>(
    cache: &DiskCache<E>,
    ring: &Rc<RedoRing<E::Backing>>,
    reason: RingError,
) -> Option<u64> {
    tracing::warn!(
        disk = %cache.id,
        %reason,
        "The redo ring promises nothing until its next group counts: without the flash the backing would be a mix"
    );
    let _changing = cache.consistent.lock().await;
    if !cache.may_use(&GroupTarget::Ring(Rc::clone(ring))) {
        return Some(RETRY_NS);
    }
    if let Err(error) = make_void(cache, Rc::clone(ring)).await {
        return Some(failed(cache, error));
    }
    cache.consistent.failure.replace(Some(reason));
    Some(RETRY_NS)
}

/// Returns true if something is dirty that a group has: destage can bring that to the backing, and so make room.
fn has_journaled<E: Env>(cache: &DiskCache<E>) -> bool {
    let dirty = cache.catalog.with_dirty(|dirty| (dirty.pages(), dirty.zeroes().pages()));
    let fresh =
        cache.catalog.with_journal(|journal| (journal.fresh().pages(), journal.fresh().zeroes().pages()));
    fresh != Some(dirty)
}

/// Brings the newest versions of the ring to the backing, and releases all groups. Nothing else goes to the backing meanwhile: destage waits,
/// and guests use the log.
async fn replay<E: Env>(
    ctx @ Ctx { cache, .. }: &Ctx<E>,
    ring: &Rc<RedoRing<E::Backing>>,
) -> Result<(), RingError> {
    // In the order in which a disk that is detached takes the two.
    let _destaging = cache.back.destage.lock().await;
    let _changing = cache.consistent.lock().await;
    // A pause may have begun before these locks were had.
    cache.end_pause("the redo ring takes no group");
    replay_locked(ctx, ring).await?;
    cache.consistent.replays.set(cache.consistent.replays.get() + 1);
    Ok(())
}

/// Does the same under the locks of destage and of the ring. Returns pages that the ring does not have any more.
pub(super) async fn replay_locked<E: Env>(
    ctx @ Ctx { cache, backing, flushes, .. }: &Ctx<E>,
    ring: &Rc<RedoRing<E::Backing>>,
) -> Result<Vec<Range<u64>>, RingError> {
    let may_go_on = || {
        if cache.may_use(&GroupTarget::Ring(Rc::clone(ring))) && cache.has_consistent_order() {
            // Those who wait for destage are not to give up: it goes on.
            cache.back.destage.record_destaged(cache.pool.host.now());
            return Ok(());
        }
        // The backing may belong to another shard by now; in another order of destage the ring is made void.
        Err(BlockError::anywhere(ErrorKind::Gone, Operation::Write).because("the redo ring is being left"))
    };
    may_go_on().map_err(RingError::Abandoned)?;
    notice(ctx);
    let (epoch, had_unanswered) = (cache.coherence.epoch(), backing.has_unanswered());
    let flush = async || {
        flushes.flush(backing).await?;
        let lost = || {
            BlockError::anywhere(ErrorKind::Io, Operation::Flush).because("the backing lost its connection")
        };
        if is_same(ctx, epoch) { Ok(()) } else { Err(lost()) }
    };
    match redo::replay(ring, backing, flush, may_go_on).await {
        Ok(replay) => {
            tracing::debug!(disk = %cache.id, ?replay, "The redo ring was replayed");
            cache.catalog.end_groups(&replay.skipped);
            // What the ring did not have any more is in no group, until the next one.
            cache.consistent.is_wanted.set(true);
            cache.consistent.used_when_full.set(None);
            cache.consistent.retry_at.set(0);
            cache.back.destage.record_success();
            cache.back.destage.wake_all();
            Ok(replay.skipped)
        }
        Err(error) => {
            if let RingError::Backing(cause) = &error {
                if backing.has_unanswered() && !had_unanswered {
                    // It may land on anything newer, wherever it is.
                    cache.back.destage.record_stuck(ALL_PAGES);
                }
                cache.back.destage.record_failure(cache.pool.host.now(), cause);
                cache.back.destage.wake_waiters();
            }
            Err(error)
        }
    }
}
