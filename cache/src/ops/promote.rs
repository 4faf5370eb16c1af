//! Promote: pages that have become cold in RAM and have earned it are written to flash, a batch at a time.
//!
//! Pages stay readable in RAM while they are being written to flash. A page that a write replaced meanwhile is on flash without use and is
//! not indexed: [`Ram::settle`](crate::state::ram::Ram::settle) returns false, and the index is not updated.

use std::rc::Rc;

use smallvec::SmallVec;

use super::disk_cache::DiskCache;
use crate::state::catalog::FlashExtent;
use crate::state::index::FlashLocation;
use crate::state::learned::History;
use crate::state::ram::{PromotionOffer, PromotionState};
use crate::state::segments::SegmentPurpose;
use crate::storage::log::{Appender, Batch, WrittenBatch};
use crate::storage::pool::NoSegment;
use crate::types::canary::{self, Bug};
use crate::types::env::Env;
use crate::types::limits::BATCH_PAGES_MAX;
use crate::types::stats::count;
use crate::types::units::PageNumber;

/// Promotes for one disk until it leaves.
pub(crate) async fn run<E: Env>(cache: Rc<DiskCache<E>>) {
    while !cache.leaving.get() {
        cache.promotion_wanted.notified().await;
        while !cache.leaving.get() {
            // Pages that found no place in the queue, or were not allowed into it, when they entered RAM.
            cache.consider();
            if !cache.promotion_is_due() || promote_batch(&cache).await.is_err() {
                break;
            }
        }
    }
}

async fn promote_batch<E: Env>(cache: &DiskCache<E>) -> Result<(), NoSegment> {
    let appender = loop {
        match cache.log.try_begin(SegmentPurpose::Promotion).await {
            Err(NoSegment::Exhausted) => cache.pool.wait_for_room(cache.id).await,
            outcome => break outcome?,
        }
        // The waiting pages may have been dropped while room was made.
        if cache.leaving.get() || !cache.promotion_is_due() {
            return Ok(());
        }
    };
    let promotion = Promotion::choose(cache, &appender, appender.room().min(BATCH_PAGES_MAX));
    if promotion.len() == 0 {
        return Ok(());
    }
    let mut batch = appender.batch(promotion.len());
    promotion.stage(cache, &appender, &mut batch);
    let Ok(WrittenBatch { located, number }) = appender.write(batch).await else {
        promotion.abort(cache);
        count(&cache.counters.flash_errors, 1);
        return Err(NoSegment::Failed);
    };
    promotion.commit(cache, number, &located);
    Ok(())
}

/// Pages of RAM that are to be written to flash with one batch, from the choice to the end of the write. Their end has to be reported by
/// [`Self::commit`] or [`Self::abort`].
pub(super) struct Promotion(Vec<PromotionOffer>);

impl Promotion {
    /// Returns an empty promotion.
    pub(super) fn none() -> Self {
        Self(Vec::new())
    }

    /// Chooses at most `most` of the waiting pages, for the segment that the appender has open; none if its device may not be written to
    /// now.
    pub(super) fn choose<E: Env>(cache: &DiskCache<E>, appender: &Appender<'_, E>, most: usize) -> Self {
        let mut staged = cache.ram.borrow_mut().stage(most);
        staged.retain(|offer| {
            let is_afforded = appender.affords_one();
            if !is_afforded {
                cache.ram.borrow_mut().settle(offer, PromotionState::Rejected);
                count(&cache.counters.rejections, 1);
            }
            is_afforded
        });
        Self(staged)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Puts their content in the batch.
    pub(super) fn stage<E: Env>(&self, cache: &DiskCache<E>, appender: &Appender<'_, E>, batch: &mut Batch) {
        for offer in &self.0 {
            appender.add(batch, offer.page, offer.sequence, cache.ram.borrow().offered_bytes(offer));
            if canary::has(Bug::EarlyClear) {
                cache.coherence.untouch(offer.page.0..offer.page.0 + 1);
            }
        }
    }

    /// Ends a promotion whose batch is not written.
    pub(super) fn abort<E: Env>(self, cache: &DiskCache<E>) {
        for offer in &self.0 {
            cache.ram.borrow_mut().settle(offer, PromotionState::Rejected);
        }
    }

    /// Records that the batch is written; `located` has the places of its pages, in order.
    pub(super) fn commit<E: Env>(self, cache: &DiskCache<E>, batch: u64, located: &[FlashLocation]) {
        count(&cache.counters.promotions, self.0.len() as u64);
        cache.note_written_pages(self.0.len());
        settle(cache, batch, &self.0, located);
    }
}

/// Updates the index for written pages that are still current.
fn settle<E: Env>(cache: &DiskCache<E>, batch: u64, offered: &[PromotionOffer], located: &[FlashLocation]) {
    let mut ram = cache.ram.borrow_mut();
    let pairs = offered.iter().zip(located);
    let current = pairs.filter(|(offer, _)| ram.settle(offer, PromotionState::OnFlash));
    let current: Vec<_> = current.map(|(offer, located)| (offer.page, *located)).collect();
    let histories: Vec<_> =
        current.iter().filter_map(|(page, _)| Some((*page, ram.history(*page)?))).collect();
    drop(ram);
    record_places(cache, batch, &current, |extent| cache.catalog.insert_clean(extent));
    for (page, history) in histories {
        // Of several pages of a block the one that was used most speaks for it.
        let most_used = |known: History| {
            if history.uses() > known.uses() { history.with_heat(known.heat()) } else { known }
        };
        cache.catalog.update_history(page, most_used);
    }
}

/// Records in the catalog where the pages of a batch are, neighbours on disk and on flash together.
pub(super) fn record_places<E: Env>(
    cache: &DiskCache<E>,
    batch: u64,
    pages: &[(PageNumber, FlashLocation)],
    record: impl Fn(FlashExtent<'_>),
) {
    let adjacent = |a: &(PageNumber, FlashLocation), b: &(PageNumber, FlashLocation)| {
        a.0.0 + 1 == b.0.0 && a.1.flash.plus(1) == b.1.flash
    };
    for run in pages.chunk_by(adjacent) {
        let (first, FlashLocation { flash, .. }) = run[0];
        let checksums: SmallVec<[u32; 1]> = run.iter().map(|(_, located)| located.checksum).collect();
        record(FlashExtent { first, flash, checksums: &checksums });
    }
    cache.note_written(batch, pages.iter().map(|(page, located)| (*page, located.flash)));
}
