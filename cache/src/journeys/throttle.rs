//! Throttle: writers slow down smoothly as what is dirty comes near its limit, so that none of them is stopped at once.
//!
//! Below half of the limit nobody waits. From there on, each page costs its writers a wait that grows with the square of how
//! far it is to the limit, up to twice what destage lately took for one: near the limit writers go at half the pace of
//! destage, so the limit is reached only if destage stands still.

use std::rc::Rc;

use block::{BlockDevice, BlockError, Host};

use super::back::{Writer, wait_until};
use super::disk_cache::{DiskCache, flash_pages};
use crate::knowledge::segments::Segments;
use crate::words::error::CacheError;
use crate::words::limits::{PAGE_BYTES, ZERO_RANGES_MAX, ZERO_RANGES_PART};
use crate::words::stats::count;

/// What destage is expected to achieve before it was measured, in bytes a second: a slow disk at random addresses.
const RATE_AT_FIRST: u64 = 1 << 20;
/// The longest that one writer is held back at once, in nanoseconds.
const WAIT_MAX_NS: u64 = 250_000_000;
const SECOND: u64 = 1_000_000_000;

impl<F: BlockDevice, H: Host> DiskCache<F, H> {
    /// So many ranges of zeroes may be unknown to the backing; whoever discards one more waits for destage. Each takes a line of a
    /// summary, of which a segment has one for each page, and is said again whenever its segment goes: so they fill an eighth of the
    /// disk's flash at most, or reclaim would do nothing else.
    pub(super) fn zero_ranges_max(&self) -> usize {
        let part = flash_pages(&self.pool, &self.settings.borrow()) / ZERO_RANGES_PART;
        usize::try_from(part).map_or(ZERO_RANGES_MAX, |part| part.clamp(1, ZERO_RANGES_MAX))
    }

    /// Says whether what is dirty fits into a reservation.
    ///
    /// # Errors
    /// `Settings` if it has to be destaged first.
    pub(crate) fn check_dirty_fits(&self, segments: &Segments, reserve_bytes: u64) -> Result<(), CacheError> {
        let dirty = self.dirty.borrow().pages();
        let most = self.dirty_most(segments, reserve_bytes.div_ceil(self.pool.layout().segment_bytes()));
        if dirty <= most {
            return Ok(());
        }
        let [dirty_bytes, most_bytes] = [dirty, most].map(|pages| pages * PAGE_BYTES as u64);
        Err(CacheError::Settings(format!(
            "{dirty_bytes} bytes are dirty, and a reservation of {reserve_bytes} bytes allows {most_bytes}: destage the disk first"
        )))
    }

    /// What may be dirty at most in so many segments that are kept for the disk, in pages: half of what half of them hold.
    /// Reclaim moves what is dirty along, in batches that may be smaller than those that it came in, and needs room to get
    /// ahead by that.
    fn dirty_most(&self, segments: &Segments, kept: u64) -> u64 {
        // Two copies take twice the room, on two devices.
        let most =
            if segments.is_mirrored(self.id) { (kept / 2).min(segments.pairs_of_each()) } else { kept };
        most / 2 * u64::from(self.pool.layout().batch_pages() / 2)
    }

    /// What may be dirty at most, in pages.
    pub(crate) fn dirty_limit(&self) -> u64 {
        let settings = self.settings.borrow();
        let layout = self.pool.layout();
        let segments = self.pool.segments();
        let sharing = segments.writing_back().max(1);
        let tenth = u64::from(segments.usable()) * layout.segment_bytes() / 10 / u64::from(sharing);
        let most = self.dirty_most(&segments, u64::from(segments.kept_by(self.id)));
        (settings.dirty_limit_bytes.unwrap_or(tenth) / PAGE_BYTES as u64).clamp(most.min(16), most)
    }
}

/// Waits until so many pages more may become dirty, at most [`largest`], and counts them from then on. `limit` is what may be
/// dirty at this moment; it may change while somebody waits.
///
/// # Errors
/// If the limit is reached, and destage fails; or if the disk stops or leaves.
pub(super) async fn admit<F: BlockDevice, H: Host>(
    cache: &Rc<DiskCache<F, H>>,
    pages: u64,
    limit: u64,
) -> Result<Writer<F, H>, BlockError> {
    let occupied = || cache.dirty.borrow().pages() + cache.back.coming.get();
    // A write that is larger has room when it is alone.
    let fits = |limit| occupied() == 0 || occupied() + pages <= limit;
    // Mostly there are none, and then the pool, which all shards share, need not be asked.
    let zeroes = || cache.dirty.borrow().zeroes().len();
    let has_room = |limit| fits(limit) && (zeroes() == 0 || zeroes() < cache.zero_ranges_max());
    let dirty = occupied();
    if dirty * 2 > limit {
        cache.back.destage_wanted.notify_one();
        slow_down(cache, dirty, limit, pages).await;
    }
    if !has_room(limit) {
        let started = cache.pool.host.now();
        cache.back.destage_wanted.notify_one();
        let waited = wait_until(cache, || has_room(cache.dirty_limit())).await;
        count(&cache.counters.throttled_ns, cache.pool.host.now() - started);
        waited?;
    }
    Ok(Writer::enter(cache, pages))
}

/// Pages of the largest write that goes to the log, if so many may be dirty: others would leave no room for any.
pub(super) fn largest(limit: u64) -> u64 {
    limit / 2
}

async fn slow_down<F: BlockDevice, H: Host>(cache: &DiskCache<F, H>, dirty: u64, limit: u64, pages: u64) {
    let now = cache.pool.host.now();
    let rate = match cache.back.rate.get() {
        0 => RATE_AT_FIRST,
        rate => rate,
    };
    let wait = wait_for(dirty, limit, pages, rate);
    // One after another: what all of them wait together is what their pages cost.
    let next = cache.back.next_writer.get().max(now).min(now + WAIT_MAX_NS) + wait;
    cache.back.next_writer.set(next);
    count(&cache.counters.throttled_ns, next - now);
    cache.pool.host.sleep_until(next.min(now + WAIT_MAX_NS)).await;
}

/// Nanoseconds that so many pages cost.
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
