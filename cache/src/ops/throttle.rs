//! Throttle: slows writers down smoothly as dirty data approaches its limit, so that none of them is stopped at once.
//!
//! Below half of the limit no writer waits. From there on, each page costs its writers a wait that grows with the square of the distance
//! from half the limit, up to twice the recent destage time of a page: near the limit writers go at half the pace of destage, so the limit
//! is reached only if destage stands still.

use std::rc::Rc;

use block::{BlockError, Host};

use super::back::Writer;
use super::destage_wait::{Patience, wait_until};
use super::disk_cache::{DiskCache, flash_pages};
use super::write_back_state::WAIT_MAX_NS;
use crate::state::segments::Segments;
use crate::types::env::Env;
use crate::types::error::CacheError;
use crate::types::limits::{PAGE_BYTES, ZERO_RANGES_MAX, ZERO_RANGES_PART};
use crate::types::settings::{DestageOrder, ReservePolicy};
use crate::types::stats::{DirtyBound, DirtyRoom, count};

/// Assumed rate of destage before it was measured, in bytes a second: a slow disk at random addresses.
const RATE_AT_FIRST: u64 = 1 << 20;
/// The least that may be dirty where a reservation allows as much, in pages.
const DIRTY_PAGES_MIN: u64 = 16;
const SECOND: u64 = 1_000_000_000;
/// Part of the dirty limit from which on writers are slowed down: one of so many.
pub(super) const SLOWED_FROM_PART: u64 = 2;

/// Dirty limits, in pages.
struct DirtyBounds {
    effective: u64,
    wanted: u64,
    /// The redo ring takes less than flash.
    is_of_ring: bool,
}

impl<E: Env> DiskCache<E> {
    /// Returns the number of zero ranges that may be dirty; a discard beyond that waits for destage. Each range takes an entry of a
    /// summary, of which a segment has one for each page, and is appended again whenever its segment is reclaimed: so they fill an eighth
    /// of the disk's flash at most, or reclaim would do nothing else.
    pub(super) fn zero_ranges_max(&self) -> usize {
        let part = flash_pages(&self.pool, &self.settings.borrow()) / ZERO_RANGES_PART;
        usize::try_from(part).map_or(ZERO_RANGES_MAX, |part| part.clamp(1, ZERO_RANGES_MAX))
    }

    /// Checks that the dirty data fits into a reservation.
    ///
    /// # Errors
    /// `Settings` if it has to be destaged first.
    pub(crate) fn check_dirty_fits(&self, segments: &Segments, reserve_bytes: u64) -> Result<(), CacheError> {
        let dirty = self.catalog.dirty_pages();
        let most = self.dirty_most(segments, reserve_bytes.div_ceil(self.pool.layout().segment_bytes()));
        if dirty <= most {
            return Ok(());
        }
        let [dirty_bytes, most_bytes] = [dirty, most].map(|pages| pages * PAGE_BYTES as u64);
        Err(CacheError::Settings(format!(
            "{dirty_bytes} bytes are dirty, and a reservation of {reserve_bytes} bytes allows {most_bytes}: destage the disk first"
        )))
    }

    /// Returns the number of pages that may be dirty at most in `kept` segments that are reserved for the disk: half of what half of them
    /// hold. Reclaim moves dirty data along, in batches that may be smaller than the original ones, and needs room to make progress by
    /// that.
    fn dirty_most(&self, segments: &Segments, kept: u64) -> u64 {
        // Two copies take twice the room, on two devices.
        let most =
            if segments.is_mirrored(self.id) { (kept / 2).min(segments.pairs_of_each()) } else { kept };
        most / 2 * u64::from(self.pool.layout().batch_pages() / 2)
    }

    /// Returns the number of segments for `pages` dirty pages: the fewest of which [`Self::dirty_most`] allows these.
    fn segments_for(&self, segments: &Segments, pages: u64) -> u32 {
        let halves = pages.div_ceil(u64::from(self.pool.layout().batch_pages() / 2).max(1)) * 2;
        let copies = if segments.is_mirrored(self.id) { 2 } else { 1 };
        u32::try_from(halves * copies).unwrap_or(u32::MAX)
    }

    /// Returns the dirty limit, in pages.
    pub(crate) fn dirty_limit(&self) -> u64 {
        self.dirty_bounds(&self.pool.segments()).effective
    }

    fn dirty_bounds(&self, segments: &Segments) -> DirtyBounds {
        let settings = self.settings.borrow();
        let kept = match settings.reserve_policy {
            ReservePolicy::Fixed => segments.kept_by(self.id),
            ReservePolicy::FollowsDirty => segments.keepable(self.id),
        };
        let of_flash = self.dirty_most(segments, u64::from(kept));
        let of_ring = match settings.destage_order {
            DestageOrder::Address => u64::MAX,
            DestageOrder::Consistent => self.consistent.dirty_pages_max(),
        };
        let most = of_flash.min(of_ring);
        let wanted = settings.dirty_limit_bytes.map_or_else(
            || {
                let sharing = u64::from(segments.writing_back().max(1));
                let tenth = u64::from(segments.usable()) * self.pool.layout().segment_bytes() / 10 / sharing;
                (tenth / PAGE_BYTES as u64).min(self.size.get().div_ceil(PAGE_BYTES as u64))
            },
            |bytes| bytes / PAGE_BYTES as u64,
        );
        let effective = wanted.clamp(most.min(DIRTY_PAGES_MIN), most);
        DirtyBounds { effective, wanted, is_of_ring: of_ring < of_flash }
    }

    /// Returns the dirty limit in effect, with the reason for it.
    pub(crate) fn dirty_room(&self) -> DirtyRoom {
        let segments = self.pool.segments();
        let DirtyBounds { effective: pages, wanted, is_of_ring } = self.dirty_bounds(&segments);
        let settings = self.settings.borrow();
        let bytes_of = |segments: u32| u64::from(segments) * self.pool.layout().segment_bytes();
        let for_wanted = self.segments_for(&segments, wanted);
        let follows = settings.reserve_policy == ReservePolicy::FollowsDirty;
        let bound = match () {
            () if pages >= wanted => DirtyBound::Nothing,
            () if is_of_ring => DirtyBound::Ring,
            () if bytes_of(for_wanted) > settings.limit_bytes && follows => DirtyBound::Limit,
            () if follows => DirtyBound::Pool,
            () => DirtyBound::Reserve,
        };
        let entitled = if follows { self.segments_for(&segments, pages) } else { 0 };
        DirtyRoom {
            limit_bytes: pages * PAGE_BYTES as u64,
            wanted_bytes: wanted * PAGE_BYTES as u64,
            bound,
            reserve_bytes: bytes_of(entitled.max(segments.kept_by(self.id))).max(settings.reserve_bytes),
            reserve_bytes_wanted: bytes_of(for_wanted),
        }
    }

    /// Reserves room in the pool for `pages` dirty pages. Returns false if other disks leave too little: then nothing has changed.
    fn keep_room(&self, pages: u64) -> bool {
        if self.settings.borrow().reserve_policy == ReservePolicy::Fixed {
            // The limit follows the reservation.
            return true;
        }
        let mut segments = self.pool.segments();
        if self.dirty_most(&segments, u64::from(segments.kept_by(self.id))) >= pages {
            return true;
        }
        let needed = self.segments_for(&segments, pages);
        let fits = needed <= segments.keepable(self.id);
        if fits {
            segments.keep_for_dirty(self.id, needed);
            self.back.throttle.record_segments_kept(needed);
        }
        fits
    }

    /// Adjusts the room that the pool reserves for dirty data to the present and expected amount, so that others can have the rest.
    pub(super) fn adjust_kept(&self) {
        if self.is_loading() {
            return;
        }
        let pages = self.catalog.dirty_pages() + self.back.throttle.dirty_reserved();
        let before = self.back.throttle.segments_kept();
        if pages == 0 && before == Some(0) {
            return;
        }
        let mut segments = self.pool.segments();
        let needed = if pages == 0 { 0 } else { self.segments_for(&segments, pages) };
        if before != Some(needed) {
            // Not more than others leave, except for the segments that were reserved before.
            let kept = needed.min(segments.keepable(self.id).max(before.unwrap_or(0)));
            segments.keep_for_dirty(self.id, kept);
            self.back.throttle.record_segments_kept(kept);
        }
    }
}

/// Waits until `pages` more, at most [`largest`], may become dirty, and counts them from then on. `limit` is the dirty limit at this
/// moment; it may change during the wait. The request arrived at `since`.
///
/// # Errors
/// If the limit is reached, and destage makes no room within the retry time; or if the disk stops or leaves.
pub(super) async fn admit<E: Env>(
    cache: &Rc<DiskCache<E>>,
    pages: u64,
    limit: u64,
    since: u64,
) -> Result<Writer<E>, BlockError> {
    let occupied = || cache.catalog.dirty_pages() + cache.back.throttle.dirty_reserved();
    // A write that is larger has room when it is alone.
    let fits = |limit| occupied() == 0 || occupied() + pages <= limit;
    // Mostly there are none, and then the pool, which all shards share, need not be asked.
    let zeroes = || cache.catalog.dirty_zero_ranges();
    let has_room = |limit| {
        let room = zeroes() == 0 || zeroes() < cache.zero_ranges_max();
        // A single write goes on with the room that there is.
        room && fits(limit) && (cache.keep_room(occupied() + pages) || occupied() == 0)
    };
    let dirty = occupied();
    if dirty * SLOWED_FROM_PART > limit {
        cache.back.destage.wake();
        let rate = match cache.back.destage.rate() {
            0 => RATE_AT_FIRST,
            rate => rate,
        };
        slow_down(cache, dirty, limit, pages, rate).await;
    }
    if !has_room(limit) {
        let started = cache.pool.host.now();
        cache.back.destage.wake();
        let waited = wait_until(cache, Patience::Guest { since }, || has_room(cache.dirty_limit())).await;
        count(&cache.counters.throttled_ns, cache.pool.host.now() - started);
        waited?;
    }
    Ok(Writer::enter(cache, pages))
}

/// Returns the number of pages of the largest write that goes to the log, with this dirty limit: larger ones would leave no room for any
/// other.
pub(super) fn largest(limit: u64) -> u64 {
    limit / 2
}

/// Waits as a writer of `pages` pages does while `dirty` of at most `limit` pages are dirty, and `rate` bytes a second become clean.
pub(super) async fn slow_down<E: Env>(cache: &DiskCache<E>, dirty: u64, limit: u64, pages: u64, rate: u64) {
    let now = cache.pool.host.now();
    let wait = wait_for(dirty, limit, pages, rate);
    let next = cache.back.throttle.take_turn(now, wait);
    count(&cache.counters.throttled_ns, next - now);
    cache.pool.host.sleep_until(next.min(now + WAIT_MAX_NS)).await;
}

/// Returns the wait for `pages` dirty pages, in nanoseconds.
fn wait_for(dirty: u64, limit: u64, pages: u64, rate: u64) -> u64 {
    let half = limit.div_ceil(2).max(1);
    let above = dirty.saturating_sub(half).min(half);
    let one_page = u128::from(PAGE_BYTES as u64 * SECOND / rate.max(1));
    let wait = u128::from(pages) * one_page * 2 * u128::from(above * above) / u128::from(half * half);
    wait.min(u128::from(WAIT_MAX_NS)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_from_half_of_the_limit_on() {
        let rate = 4096 * 1000;
        let millisecond = 1_000_000;
        assert_eq!(wait_for(500, 1000, 1, rate), 0);
        assert_eq!(wait_for(750, 1000, 1, rate), millisecond / 2);
        assert_eq!(wait_for(1000, 1000, 1, rate), 2 * millisecond, "half the pace of destage");
        assert_eq!(wait_for(5000, 1000, 4, rate), 8 * millisecond);
        assert_eq!(wait_for(1000, 1000, u64::MAX, 0), WAIT_MAX_NS);
    }
}
