//! Lost pages: dirty pages that flash cannot return. They are recorded in the log, so that they are known after a restart as well, `disk
//! show --lost` lists them, and everything else goes on: reads of these pages fail until they are written again, and no read returns an
//! older version.
//!
//! The code that finds a page damaged has read it twice, and RAM does not have it either. The page is checked once more under the lock of
//! the log: a guest may have written it again meanwhile.

use super::disk_cache::DiskCache;
use crate::format::batch::EntryKind;
use crate::state::segments::SegmentPurpose;
use crate::storage::log::WrittenBatch;
use crate::types::env::Env;
use crate::types::limits::ROOM_WAIT_NS;
use crate::types::units::{FlashPage, PageNumber, Sequence};

/// A dirty page that flash did not give back, and where it should have been.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DamagedPage {
    page: PageNumber,
    flash: FlashPage,
    /// The generation of its segment at that time.
    generation: Option<Sequence>,
}

impl DamagedPage {
    /// Records the place of a damaged page. To be called while the segment is still pinned, so that it cannot be used again.
    pub(super) fn at<E: Env>(cache: &DiskCache<E>, page: PageNumber, flash: FlashPage) -> Self {
        Self { page, flash, generation: cache.generation_at(flash) }
    }
}

/// Gives up those of the pages that are still dirty, and where they were. None if the log does not take that: then they stay
/// as they are.
pub(super) async fn give_up<E: Env>(
    cache: &DiskCache<E>,
    damaged: &[DamagedPage],
    purpose: SegmentPurpose,
) -> Option<()> {
    while damaged.iter().any(|damaged| is_there(cache, damaged)) {
        let appender = cache.log.begin_within(purpose, ROOM_WAIT_NS).await.ok()?;
        let lost: Vec<_> = damaged
            .iter()
            .filter(|damaged| is_there(cache, damaged))
            .take(appender.room())
            .map(|damaged| damaged.page.0..damaged.page.0 + 1)
            .collect();
        if lost.is_empty() {
            // Written again while this waited for its turn.
            return Some(());
        }
        let mut batch = appender.batch(0);
        for page in &lost {
            appender.add_range(&mut batch, EntryKind::Lost, page);
        }
        let WrittenBatch { number, .. } = appender.write(batch).await.ok()?;
        cache.back.record_dirty_batch(number);
        for page in &lost {
            cache.enter_lost(page);
        }
    }
    Some(())
}

/// Returns true if a page is still dirty, where it was, and RAM does not have it.
fn is_there<E: Env>(cache: &DiskCache<E>, damaged: &DamagedPage) -> bool {
    let DamagedPage { page, flash, generation } = *damaged;
    let located = cache.catalog.locate(page).filter(|located| located.flash == flash);
    let in_ram = || located.is_some_and(|located| cache.has_in_ram(page, located));
    let is_dirty = located.is_some() && cache.catalog.is_dirty(page);
    is_dirty && cache.generation_at(flash) == generation && !in_ram()
}
