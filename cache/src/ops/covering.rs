//! Limit of what no group of the redo ring has: `consistent_age_max_ns` of the settings.
//!
//! A write is covered once the group that is on its way and the next one count. The ring took so many bytes a second lately; so what is
//! uncovered may be as much as it takes in the time that is allowed, less the time for which a group waits to begin. Writers are slowed down
//! from half of that on, as at the dirty limit, and wait at the limit. They wait as well once something is uncovered for that long, whatever
//! the ring took before.

use std::rc::Rc;

use block::{BlockError, Host};

use super::consistent_state::ConsistentState;
use super::destage_wait::{Patience, wait_until};
use super::disk_cache::DiskCache;
use super::throttle::{self, SLOWED_FROM_PART};
use crate::types::canary::{self, Bug};
use crate::types::env::Env;
use crate::types::limits::PAGE_BYTES;
use crate::types::stats::count;
use crate::types::units::SECOND_NS;

/// Bytes a second that a ring is assumed to take before a group counted.
const RATE_AT_FIRST: u64 = 16 << 20;
/// The least that may be uncovered, in pages: so a group is never too small to measure the ring.
const UNCOVERED_PAGES_MIN: u64 = 64;
/// Pages of a group that measures how slow a ring is. With fewer, the duration of a flush counts for most of it.
const MEASURED_PAGES: u64 = 256;

impl<E: Env> ConsistentState<E> {
    /// Records the duration of a group that counts, in nanoseconds.
    pub(super) fn record_rate(&self, pages: u64, took: u64) {
        if pages == 0 {
            return;
        }
        let bytes = u128::from(pages * PAGE_BYTES as u64);
        let now = (bytes * u128::from(SECOND_NS) / u128::from(took.max(1))).min(u128::from(u64::MAX)) as u64;
        let before = self.rate.get();
        self.rate.set(match before {
            0 => now.max(if pages < MEASURED_PAGES { RATE_AT_FIRST } else { 0 }),
            _ if pages < MEASURED_PAGES => before.max(now),
            // One that is slow counts at once: the promise is of time.
            _ => now.min(before / 4 * 3 + now / 4),
        });
    }
}

/// Limit of a disk whose ring promises something.
#[derive(Clone, Copy)]
struct AgeLimit {
    age_max: u64,
    pages: u64,
    rate: u64,
}

fn age_limit<E: Env>(cache: &DiskCache<E>) -> Option<AgeLimit> {
    let age_max = cache.settings.borrow().consistent_age_max_ns?;
    let state = &cache.consistent;
    if !state.promises() || state.taken_at().is_none() || canary::has(Bug::AgeNotLimited) {
        return None;
    }
    let rate = match state.rate.get() {
        0 => RATE_AT_FIRST,
        rate => rate,
    };
    let takes_ns = u128::from(age_max.saturating_sub(cache.group_age()));
    let bytes = u128::from(rate) * takes_ns / u128::from(SECOND_NS);
    let pages = u64::try_from(bytes / PAGE_BYTES as u128).unwrap_or(u64::MAX).max(UNCOVERED_PAGES_MIN);
    Some(AgeLimit { age_max, pages, rate })
}

/// Returns true if so many fresh pages are half of what may be uncovered: the next group is to begin.
pub(super) fn is_half<E: Env>(cache: &DiskCache<E>, pages: u64) -> bool {
    age_limit(cache).is_some_and(|limit| pages * SLOWED_FROM_PART >= limit.pages)
}

/// Waits until `pages` more may be uncovered. The request arrived at `since`.
///
/// # Errors
/// If no group counts within the retry time; or if the disk stops or leaves.
pub(super) async fn admit<E: Env>(
    cache: &Rc<DiskCache<E>>,
    pages: u64,
    since: u64,
) -> Result<(), BlockError> {
    let Some(limit) = age_limit(cache) else { return Ok(()) };
    let uncovered = || {
        let uncovered = cache.uncovered();
        let pages = uncovered.as_ref().map_or(0, |uncovered| uncovered.pages);
        (pages + cache.back.throttle.dirty_reserved(), uncovered.and_then(|uncovered| uncovered.since))
    };
    let (before, _) = uncovered();
    if before * SLOWED_FROM_PART > limit.pages {
        cache.consistent.wake();
        throttle::slow_down(cache, before, limit.pages, pages, limit.rate).await;
    }
    let has_room = || {
        let Some(limit) = age_limit(cache) else { return true };
        let (before, oldest) = uncovered();
        let is_old = oldest.is_some_and(|oldest| cache.pool.host.now() - oldest >= limit.age_max);
        // A write that is larger than half of it has room when as much as that is free.
        !is_old && (before == 0 || before + pages.min(limit.pages / 2) <= limit.pages)
    };
    if has_room() {
        return Ok(());
    }
    let started = cache.pool.host.now();
    let waited = wait_until(cache, Patience::Group { since }, || {
        let has_room = has_room();
        if !has_room {
            cache.consistent.want_group();
        }
        has_room
    })
    .await;
    count(&cache.counters.throttled_ns, cache.pool.host.now() - started);
    waited
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::testing::TestEnv;
    use crate::types::settings::DestageOrder;

    #[test]
    fn a_slow_group_counts_at_once_and_a_small_one_only_if_it_is_faster() {
        let state = ConsistentState::<TestEnv>::new(DestageOrder::Consistent);
        let rate = |pages, took| {
            state.record_rate(pages, took);
            state.rate.get()
        };
        assert_eq!(rate(0, SECOND_NS), 0, "it has no content");
        assert_eq!(rate(1, SECOND_NS), RATE_AT_FIRST, "a flush took most of it");
        assert_eq!(rate(25_600, SECOND_NS), RATE_AT_FIRST / 4 * 3 + 25_600 * 1024, "faster: by and by");
        assert_eq!(rate(2_560, SECOND_NS), 10 << 20);
        assert_eq!(rate(200, SECOND_NS), 10 << 20);
        assert_eq!(rate(200, SECOND_NS / 100), 200 * 4096 * 100);
    }
}
