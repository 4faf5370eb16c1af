//! The frame around all changes of the backing, which keeps the cache consistent with it.
//!
//! ```text
//! 1. wait for overlapping mutations (rule I2); nothing of the range is dirty; wait until the destaged entries for what was dirty
//!    are durable (rule I12)
//! 2. hide the cached pages, mark them as touched, and poison the fills under way (rules I3, I11)
//! 3. wait until the intents of its regions are durable (rule I11)
//! 4. change the backing                                       <- the operation's own step
//! 5. known good: the range may be cached again; anything else: it stays uncached for good
//! ```
//! A crash after 3 finds the intent, and the touched pages if only the process died: none of their log content
//! is trusted. Without flash there is no intent; then it must first be recorded elsewhere that the content of flash for
//! the disk is void (rule I14).
//!
//! Steps 2 and 5 are this type's birth and death, so that an operation that is dropped halfway counts as a failure: its
//! request may still land at any time.

use std::rc::Rc;

use block::{BlockError, ByteRange, ErrorKind, PAGE, RangeGuard, RangeLock};

use super::disk_cache::DiskCache;
use super::invalidate::remember_elsewhere;
use super::settle_log::settle_destaged;
use crate::state::fills::MutationNumber;
use crate::state::learned::Overwritten;
use crate::types::canary::{self, Bug};
use crate::types::env::Env;
use crate::types::stats::count;
use crate::types::units::Sequence;

pub(crate) struct Mutation<E: Env> {
    cache: Rc<DiskCache<E>>,
    number: MutationNumber,
    succeeded: bool,
    /// Drawn on acceptance (rule I1).
    pub(crate) sequence: Sequence,
    /// True if every page of the range was cached before.
    pub(crate) was_cached: bool,
    /// History of its blocks before the change.
    pub(crate) overwritten: Overwritten,
    /// Released last, when the range is either trusted again or distrusted.
    _guard: RangeGuard,
}

/// The right to mutate a range; nothing was hidden yet.
pub(crate) struct MutationPermit {
    guard: RangeGuard,
    range: ByteRange,
}

impl MutationPermit {
    /// Performs step 1: waits until no earlier mutation shares a page with the range, or a physical block of the backing, which the backing
    /// would read, change and write as a whole.
    pub(crate) async fn wait<E: Env>(
        cache: &DiskCache<E>,
        locks: &RangeLock,
        physical_block: u64,
        range: ByteRange,
    ) -> Self {
        let unit = range.widened(PAGE.max(physical_block));
        if locks.is_contended(&unit) {
            count(&cache.counters.overlaps_serialised, 1);
        }
        let held = if canary::has(Bug::OverlapsPass) { ByteRange::at(u64::MAX, 0) } else { unit };
        Self { guard: locks.acquire(held).await, range }
    }

    /// Returns the right alone, for a change that does not go to the backing.
    pub(super) fn into_guard(self) -> RangeGuard {
        self.guard
    }
}

impl<E: Env> Mutation<E> {
    /// Completes step 1, and performs steps 2 and 3.
    ///
    /// # Errors
    /// If the flash failed and that cannot be remembered: then the backing must not be changed.
    pub(crate) async fn begin(cache: &Rc<DiskCache<E>>, turn: MutationPermit) -> Result<Self, BlockError> {
        let range = turn.range;
        // Data that was destaged to the backing must not reappear as dirty, and be written over this (rule I12). Before anything is hidden:
        // if that fails, nothing has happened.
        if cache.back.has_destaged_behind(cache.log.durable())
            && let Err(error) = Box::pin(settle_destaged(cache)).await
        {
            if !cache.pool.notice_failure() {
                return Err(error);
            }
            Box::pin(remember_elsewhere(cache)).await?;
        }
        let number = cache.coherence.begin_mutation(&range);
        let was_cached = cache.has_all(&range);
        let overwritten = cache.drop_pages(&range);
        let sequence = cache.pool.draw_sequence();
        let mutation = Self {
            cache: Rc::clone(cache),
            number,
            succeeded: false,
            sequence,
            was_cached,
            overwritten,
            _guard: turn.guard,
        };
        // Together with hiding: a load must not bring the pages back meanwhile.
        let pages = range.start / PAGE..range.end.div_ceil(PAGE);
        if !canary::has(Bug::LateTouch) {
            cache.coherence.touch(pages.clone());
        }
        let past = !cache.settings.borrow().mode.row().writes_enter;
        if !(past && canary::has(Bug::NoIntentPastCache)) {
            intend(cache, &range).await?;
        }
        if canary::has(Bug::LateTouch) {
            cache.coherence.touch(pages);
        }
        Ok(mutation)
    }

    /// Performs step 5, if the backing completed the whole change.
    pub(crate) fn succeed(mut self) {
        self.succeeded = true;
    }
}

/// Performs step 3: opens the regions that are about to change; they are open durably once this returns.
async fn intend<E: Env>(cache: &DiskCache<E>, range: &ByteRange) -> Result<(), BlockError> {
    loop {
        if cache.flash_void.get().is_some() {
            // No later start trusts any of it, whatever flash holds.
            return Ok(());
        }
        let Err(closed) = cache.coherence.claim_regions(range) else { return Ok(()) };
        // Seldom, and large: not a part of each write's future.
        match Box::pin(cache.pool.open_regions_in_time(cache.id, &closed)).await {
            Ok(()) => {}
            // Its storage has no room, which passes: dirty data must not be dropped for that.
            Err(error) if error.kind == ErrorKind::Unanswered && cache.may_hold_dirty() => return Err(error),
            Err(_) => return Box::pin(remember_elsewhere(cache)).await,
        }
        count(&cache.counters.regions_opened, closed.len() as u64);
        // None of them was closed meanwhile: a mutation of it is in flight, this one.
        cache.coherence.open_regions(&closed);
    }
}

impl<E: Env> Drop for Mutation<E> {
    fn drop(&mut self) {
        // Also if it failed: it may be there all the same.
        self.cache.back.record_backing_change();
        self.cache.note_gone(&self.overwritten);
        if self.succeeded {
            self.cache.coherence.finish_mutation(&self.number);
        } else {
            self.cache.coherence.distrust_mutation(&self.number);
        }
    }
}
