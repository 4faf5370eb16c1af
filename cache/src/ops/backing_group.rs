//! Groups that go to the backing, without a redo ring: its flushes are atomic ([`block::Geometry::atomic_flushes`]).
//!
//! ```text
//! locks of destage and of groups ── a group begins, as of T ── log durable
//!    ── gate of flushes held: content read from flash or RAM ── written ── flush ── gate released: it counts
//!    ── what did not change since is clean
//! failed:  the backing drops what it has of the group ── gate released ── what was not changed since is fresh again
//! ```
//! **Invariant**: between two flushes of the backing it gets either changes of guests, or one group, or content that it durably has.
//! It is the disk as of an instant, whatever it loses or drops. Four rules keep it:
//! - While the promise lasts, changes that would go past the log wait until nothing is dirty and no group is on its way (`write.rs`). A
//!   promise lasts from before anything becomes dirty: writes go to the log only once the changes that went past it have ended, and a flush
//!   covered them (`enter`). At a start it lasts if anything may be dirty.
//! - A group holds the gate of flushes, so nothing else makes a part of it durable.
//! - A group that fails is dropped before the gate is released. What may land of it later is dropped before the next flush, and no group begins
//!   as long as that may happen.
//! - Destage takes only versions that a group has which counts (`destage.rs`). There are few: those that the log did not record as clean.
//!
//! A flush that failed may have made its group durable all the same. The next group has all pages of it, so either of them is an instant.
//!
//! A replacement of lost content goes to the log also in other modes than write-back, without a promise: nothing is promised of such a disk.

use std::cell::Cell;
use std::rc::Rc;

use block::{BlockDevice, BlockError, ErrorKind, Host, Operation};
use redo::RingError;

use super::ctx::Ctx;
use super::destage::{DestagedPages, GivenVersions, complete_destage, connection_lost, give_all, log_full};
use super::disk_cache::DiskCache;
use super::lost;
use super::reconnect::{is_same, notice};
use crate::state::dirty::{Dirty, DirtyRun};
use crate::state::segments::SegmentPurpose;
use crate::types::canary::{self, Bug};
use crate::types::env::Env;
use crate::types::limits::ZEROES_PAGES_MAX;
use crate::types::stats::count;
use crate::types::units::SECOND_NS;

/// Pages of one request at most: 1 MiB.
const RUN_PAGES: u64 = 256;
/// Requests at once.
const WIDTH: usize = 8;
/// Longest rest after a group for the highest rate of destage, in nanoseconds: shorter than the waits of guests and administrators.
const REST_MAX_NS: u64 = 10 * SECOND_NS;

/// Returns the rest before the next group, in nanoseconds.
pub(super) fn rest<E: Env>(cache: &DiskCache<E>, now: u64) -> u64 {
    let until = cache.consistent.rest_until.get();
    let has_rate = cache.settings.borrow().destage_rate_max > 0 && !cache.back.destage.hurries();
    if has_rate { until.saturating_sub(now) } else { 0 }
}

/// Writes the group on its way, and flushes. Returns what the backing durably has. To be called under the locks of destage and of groups.
///
/// # Errors
/// If the backing fails any of it, or flash does not return all of it; then the backing is as before.
pub(super) async fn write<E: Env>(
    ctx @ Ctx { cache, backing, flushes, .. }: &Ctx<E>,
    group: &Dirty,
) -> Result<DestagedPages, RingError> {
    let mut gate = Some(flushes.hold().await);
    notice(ctx);
    may_begin(ctx).map_err(RingError::Backing)?;
    cache.back.destage.clear_stuck();
    let epoch = cache.coherence.epoch();
    if canary::has(Bug::FlushInGroup) {
        gate = None;
    }
    // The first failure is the end of it.
    let given = give_all(ctx, &runs_of(group), GivenVersions::OfGroup, WIDTH, &Cell::new(1)).await;
    // All of it is read: a flush that takes long must not hold up reclaim.
    cache.consistent.kept.borrow_mut().give_up();
    let gate = match gate {
        Some(gate) => gate,
        None => flushes.hold().await,
    };
    let is_flash_gone = cache.pool.notice_failure();
    let outcome = if is_flash_gone || given.failed || !given.damaged.is_empty() {
        Err(cause(cache, &given))
    } else if canary::has(Bug::HomeBeforeFlush) {
        Ok(())
    } else if is_same(ctx, epoch) {
        let flushed = flushes.flush_group(&gate, backing).await;
        let flushed = if is_same(ctx, epoch) { flushed } else { flushed.and(Err(connection_lost())) };
        flushed.map_err(RingError::Backing)
    } else {
        Err(RingError::Backing(connection_lost()))
    };
    let Err(error) = outcome else { return Ok(given) };
    flushes.abandon_group(&gate, backing);
    drop(gate);
    match lost::give_up(cache, &given.damaged, SegmentPurpose::LogRecord).await {
        Some(()) => Err(error),
        None => Err(RingError::Abandoned(log_full())),
    }
}

/// Checks that nothing of an earlier group can land in this one.
fn may_begin<E: Env>(Ctx { backing, flushes, .. }: &Ctx<E>) -> Result<(), BlockError> {
    flushes.drop_landed(backing)?;
    if backing.has_unanswered() && !canary::has(Bug::NewerBeforeLate) {
        return Err(BlockError::anywhere(ErrorKind::Unanswered, Operation::Write)
            .because("the backing did not answer an earlier write, which may still be done"));
    }
    Ok(())
}

/// Returns why a group did not reach the backing as a whole.
fn cause<E: Env>(cache: &DiskCache<E>, given: &DestagedPages) -> RingError {
    match cache.back.destage.failure() {
        Some(failure) if given.has_backing_failed() => RingError::Backing(failure.error),
        _ => RingError::Abandoned(BlockError::anywhere(ErrorKind::Io, Operation::Read).because(
            "flash does not return everything that the group has, or it took too long and guests overwrote pages meanwhile",
        )),
    }
}

/// Records as clean what the group that counts has, and did not change since. `took` is the duration of the group in nanoseconds.
pub(super) async fn complete<E: Env>(cache: &Rc<DiskCache<E>>, given: DestagedPages, took: u64) {
    let bytes = given.bytes();
    count(&cache.counters.destage_bytes, bytes);
    cache.back.destage.record_rate(bytes, took);
    let rate = u128::from(cache.settings.borrow().destage_rate_max.max(1));
    let takes = (u128::from(bytes) * u128::from(SECOND_NS) / rate).min(u128::from(REST_MAX_NS)) as u64;
    cache.consistent.rest_until.set(cache.pool.host.now() + takes.saturating_sub(took));
    if complete_destage(cache, given, false).await.is_some() {
        cache.back.destage.record_success();
    } else {
        // Destage writes it once more, which changes nothing at the backing.
        cache.back.destage.record_failure(cache.pool.host.now(), &log_full());
    }
    cache.catalog.end_groups(&[]);
}

/// Drops what landed of an abandoned group.
///
/// # Errors
/// If some of it may still land.
pub(super) async fn settle<E: Env>(Ctx { backing, flushes, .. }: &Ctx<E>) -> Result<(), BlockError> {
    let _gate = flushes.hold().await;
    flushes.drop_landed(backing)
}

/// Returns the requests of a group. What flash lost is in none of them.
fn runs_of(group: &Dirty) -> Vec<DirtyRun> {
    let (mut runs, mut at) = (Vec::new(), 0);
    while let Some(run) = group.next_run(at, RUN_PAGES) {
        let run = match run {
            DirtyRun::Zeroes(pages, unmap) => {
                DirtyRun::Zeroes(pages.start..pages.end.min(pages.start + ZEROES_PAGES_MAX), unmap)
            }
            pages @ DirtyRun::Pages(_) => pages,
        };
        let (DirtyRun::Pages(pages) | DirtyRun::Zeroes(pages, _)) = &run;
        at = pages.end;
        runs.push(run);
    }
    runs
}

#[cfg(test)]
mod tests {
    use block::Unmap;

    use super::*;

    #[test]
    fn a_group_is_given_in_requests_of_a_limited_size_without_what_is_lost() {
        let mut group = Dirty::default();
        (3..5 + RUN_PAGES).for_each(|page| group.add_page(page));
        group.add_lost(400..401);
        group.add_zeroes(500..501 + ZEROES_PAGES_MAX, Unmap::Forbidden);
        let zeroes = |pages| DirtyRun::Zeroes(pages, Unmap::Forbidden);
        assert_eq!(
            runs_of(&group),
            [
                DirtyRun::Pages(3..3 + RUN_PAGES),
                DirtyRun::Pages(3 + RUN_PAGES..5 + RUN_PAGES),
                zeroes(500..500 + ZEROES_PAGES_MAX),
                zeroes(500 + ZEROES_PAGES_MAX..501 + ZEROES_PAGES_MAX),
            ]
        );
    }
}
