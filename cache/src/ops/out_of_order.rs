//! Out of order: if a disk's policy learns, reclaim may take a cheaper segment than the oldest one, provided that nothing older can
//! reappear because of that (rule I8; `state/reclaim_eligibility.rs` decides which may go, and explains why that is enough).
//!
//! ```text
//!   the oldest is chosen ── a cheaper one is exchanged for it
//!   warm pages, and cold ones that have a shadow, are appended again
//!   durable, if any of its pages has a shadow ── checked once more, in one step ── free
//! ```
//! A crash before the end leaves the segment, with newer copies beside it. If that fails, the oldest goes after
//! all, and this one when its turn comes.
//!
//! Such a segment never holds writes of guests, and this code never decides what is dirty.

use super::ahead::fill_up;
use super::disk_cache::DiskCache;
use super::range_tombstones::RangeTombstones;
use super::survivors::{Survivor, SurvivorPages, append_again, keep_warm};
use crate::format::batch::EntryKind;
use crate::format::summary::{Content, SummaryEntry};
use crate::storage::reclaim_slot::ReclaimTurn;
use crate::types::canary::{self, Bug};
use crate::types::env::Env;
use crate::types::limits::BATCH_PAGES_MAX;
use crate::types::stats::count;
use crate::types::units::{PageNumber, SegmentNumber, SegmentOwner, Sequence};

/// The segment that was chosen instead of the oldest one.
pub(super) struct ReclaimChoice {
    pub(super) oldest: SegmentNumber,
    pub(super) life: (SegmentOwner, Sequence),
    /// As long as this is the ticket of the order, the chosen segment may go out of order.
    ticket: u64,
}

/// Exchanges the victim, which is the oldest segment of a disk, for a cheaper one, if there is one that may go before it.
pub(super) fn choose<E: Env>(cache: &DiskCache<E>, work: &mut ReclaimTurn<'_>) -> Option<ReclaimChoice> {
    if !cache.policy.borrow().learns() || cache.leaving.get() || cache.is_loading() {
        return None;
    }
    let oldest = work.victim;
    let life = {
        let segments = cache.pool.segments();
        let is_free_for_nothing = segments.live(oldest) == 0;
        if is_free_for_nothing || segments.exceeds_limit(cache.id) || !segments.has_reserve() {
            return None;
        }
        segments.life(oldest).filter(|(owner, _)| owner.disk() == Some(cache.id))?
    };
    let cost = |history| cache.policy.borrow().cost(history);
    let (cheaper, generation) = cache.catalog.choose_cheaper(oldest, cost)?;
    let ticket = cache.catalog.order_ticket();
    work.exchange(cheaper, (cache.id.into(), generation)).then_some(ReclaimChoice { oldest, life, ticket })
}

/// Makes sure that the index no longer points to the segment, and that nothing older can reappear without it. Returns true if so.
pub(super) async fn empty<E: Env>(
    cache: &DiskCache<E>,
    victim: SegmentNumber,
    content: Option<&Content>,
    chosen: &ReclaimChoice,
) -> bool {
    let Some(content) = content.filter(|content| content.runs.iter().all(|run| run.kind == EntryKind::Fill))
    else {
        return false;
    };
    let survivors = keep_warm(cache, victim, content, SurvivorPages::Warm, |page| has_shadow(cache, page));
    // Held until all is appended.
    let (survivors, _pins) = fill_up(cache, victim, survivors).await;
    let mut nothing = RangeTombstones::from_content(Some(content));
    for chunk in survivors.chunks(BATCH_PAGES_MAX) {
        append_again(cache, chunk, &mut nothing).await;
    }
    if !drop_rest(cache, &survivors) {
        return false;
    }
    // Everything newer than the content here must survive a power cut, if something older is left.
    let lines = Lines::of(content);
    let is_exposed = lines.0.iter().any(|(page, lines)| cache.catalog.stale_versions(*page) > *lines);
    if is_exposed {
        count(&cache.headers_again, 1);
        if !canary::has(Bug::OutOfOrderBeforeDurable) && cache.log.flush().await.is_err() {
            return false;
        }
    }
    // From here on only readers of the segment are awaited: later changes of guests have something newer in the log that stays, or a region
    // that is open durably.
    let may_go = cache.catalog.order_ticket() == chosen.ticket
        && cache.pool.segments().live(victim) == 0
        && lines.0.iter().all(|(page, lines)| is_covered(cache, *page, *lines));
    count(&cache.counters.reclaims_out_of_order, u64::from(may_go));
    may_go
}

/// Returns true if the log holds versions of a page elsewhere than at the place in the index, and the page is cached.
fn has_shadow<E: Env>(cache: &DiskCache<E>, page: PageNumber) -> bool {
    !canary::has(Bug::ShadowedDropped) && cache.catalog.stale_versions(page) > 0
}

/// Drops survivors that could not be appended. False if one of them has a shadow, so that it stays.
fn drop_rest<E: Env>(cache: &DiskCache<E>, survivors: &[Survivor]) -> bool {
    for survivor in survivors.iter().filter(|survivor| !survivor.is_ahead && survivor.is_current(cache)) {
        if has_shadow(cache, survivor.page) {
            return false;
        }
        cache.drop_copy(survivor.page, survivor.located.flash);
        count(&cache.counters.evictions, 1);
    }
    true
}

/// Returns true if no older version of a page becomes trusted without these `lines` entries of it, none of which the index points to.
fn is_covered<E: Env>(cache: &DiskCache<E>, page: PageNumber, lines: u8) -> bool {
    if cache.catalog.stale_versions(page) <= lines || cache.catalog.locate(page).is_some() {
        return true;
    }
    // A guest is about to change it: until the region is open durably, the power leaves the page as it was.
    !cache.coherence.is_touched_without_intent(page)
}

/// The pages of a segment, each with the number of its log entries there.
struct Lines(Vec<(PageNumber, u8)>);

impl Lines {
    fn of(content: &Content) -> Self {
        let mut pages: Vec<PageNumber> = content.lines().map(|SummaryEntry { page, .. }| page).collect();
        pages.sort_unstable();
        let same = pages.chunk_by(|a, b| a == b);
        // One less is counted than the most: a full count stands for any number.
        Self(same.map(|same| (same[0], same.len().min(usize::from(u8::MAX - 1)) as u8)).collect())
    }
}
