//! A region in which nothing is being changed any more is closed, so that a power cut costs none of its content
//! (rule I11).
//!
//! ```text
//! 1. nothing was changed since the last check, nothing is in flight, no outcome is unknown
//! 2. flush of the backing: it holds what was acknowledged
//! 3. `forget` for every touched page whose content is not in the log ── flush
//! 4. if still nothing was changed: bits cleared, region closed ── `close-intent` ── flush
//! ```
//! A crash before 4 leaves the region open; what 3 wrote is true all the same.

use super::ctx::Ctx;
use super::disk_cache::DiskCache;
use super::reconnect::{is_same, notice};
use crate::format::note::Intent;
use crate::state::coherence::ClosedRegions;
use crate::state::segments::SegmentPurpose;
use crate::types::canary::{self, Bug};
use crate::types::env::Env;
use crate::types::limits::ROOM_WAIT_NS;
use crate::types::stats::count;
use crate::types::units::PageNumber;

/// Closes every region that nothing changed since the last call. Failures leave regions open.
pub(crate) async fn close_idle<E: Env>(ctx @ Ctx { cache, backing, flushes, .. }: &Ctx<E>) {
    notice(ctx);
    if cache.is_loading() || cache.pool.is_failed() || cache.back.stop.is_set() {
        return;
    }
    cache.catalog.check_in_debug();
    let epoch = cache.coherence.epoch();
    let idle = cache.coherence.idle_regions();
    if idle.is_empty() {
        return;
    }
    if !canary::has(Bug::CloseWithoutFlush) && flushes.flush(backing).await.is_err() {
        return;
    }
    if !canary::has(Bug::CloseWithoutForget) && write_forgets(cache, &idle).await.is_none() {
        return;
    }
    // Once it has left, its regions and their bits belong to the shard that attaches it next. No test can detect that the second check of
    // the epoch is missing, as long as a backing that lost its connection fails the flush above, and the epoch changes nowhere else. The
    // check keeps regions open if a connection is lost after the flush, or by a backing that hides a loss from the flush.
    if cache.leaving.get() || !is_same(ctx, epoch) {
        return;
    }
    let ClosedRegions { regions, are_all_closed } = cache.coherence.close_idle(idle);
    count(&cache.counters.regions_closed, regions.len() as u64);
    let closed = regions.into_iter().map(Intent::Region).chain(are_all_closed.then_some(Intent::AllRegions));
    // If this fails, the flash failed, and they count as open at the next start.
    drop(cache.pool.close_intents(cache.id, closed).await);
}

/// Makes durable everything that the backing acknowledged before the disk was attached: to processes that were killed, or that changed it
/// without intents. Until that has succeeded, nothing is promoted, and a lost connection invalidates the whole cache: flash would be newer
/// than the backing (rule I11). Returns true on success.
pub(crate) async fn settle_backing<E: Env>(ctx @ Ctx { cache, backing, flushes, .. }: &Ctx<E>) -> bool {
    notice(ctx);
    let epoch = cache.coherence.epoch();
    let through = cache.back.backing_changes_to_flush();
    let settled = flushes.flush(backing).await.is_ok() && is_same(ctx, epoch);
    if settled {
        if let Some(through) = through {
            cache.back.record_backing_flushed(through);
        }
        cache.coherence.settle_backing();
        cache.promotion_wanted.notify_one();
    }
    settled
}

/// Makes durable that log entries of touched pages are void; none if the flash failed or the disk leaves.
async fn write_forgets<E: Env>(cache: &DiskCache<E>, regions: &[u32]) -> Option<()> {
    let bits_of = |region: &u32| {
        let (pages, mut bits) = cache.coherence.touched_in(*region)?;
        // Dirty data is never void, whatever the backing holds.
        cache.catalog.with_dirty(|dirty| {
            for page in dirty.all_within(&pages) {
                let at = page - pages.start;
                bits[(at / 8) as usize] &= !(1 << (at % 8));
            }
        });
        bits.iter().any(|byte| *byte != 0).then_some((PageNumber(pages.start), bits))
    };
    if regions.iter().any(|region| bits_of(region).is_some()) {
        // A page in the log needs no `forget`, but its bit is set until a header stands behind it.
        cache.log.flush().await.ok()?;
        cache.clear_proven();
    }
    let mut rest = regions;
    while rest.iter().any(|region| bits_of(region).is_some()) {
        // If there is no room for long, they stay open: a disk that is detached must not wait for ever.
        let appender = cache.log.begin_within(SegmentPurpose::LogRecord, ROOM_WAIT_NS).await.ok()?;
        let (now, later) = rest.split_at(rest.len().min(appender.room()));
        // Read under the lock of the log: promotions from here on stand behind the `forget`.
        let forgets: Vec<_> = now.iter().filter_map(bits_of).collect();
        let mut batch = appender.batch(forgets.len());
        for (first, bits) in &forgets {
            appender.forget(&mut batch, *first, bits);
        }
        appender.write(batch).await.ok()?;
        rest = later;
    }
    cache.log.flush().await.ok()
}
