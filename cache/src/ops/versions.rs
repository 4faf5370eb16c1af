//! Versions: the history of pages carries over from the overwritten version to the new one.

use std::ops::Range;

use super::disk_cache::DiskCache;
use crate::state::learned::{ArrivalClass, By, History, Overwritten};
use crate::types::env::Env;
use crate::types::units::PageNumber;

/// Pages of a change above which histories are forgotten: looking up each would take longer than it is worth.
const REMEMBERED_PAGES_MAX: u64 = 1024;

impl<E: Env> DiskCache<E> {
    /// Returns the history of a page that a guest wrote to flash, and updates it in the index.
    pub(super) fn note_rewritten(&self, page: PageNumber, arrival: ArrivalClass) -> History {
        let in_ram = self.ram.borrow().history(page);
        // The closure must not use the catalog.
        self.catalog
            .update_history(page, |on_flash| self.rewritten(in_ram.unwrap_or(on_flash), page, arrival))
    }

    /// Returns the history of a page that was written to the backing; `overwritten` has the history from before.
    pub(super) fn new_version(
        &self,
        page: PageNumber,
        arrival: ArrivalClass,
        overwritten: &mut Overwritten,
    ) -> History {
        let known = overwritten.comes_back(self.block_of(page));
        // Flash does not have this version, so there were no hits on it.
        self.rewritten(known, page, arrival).with_heat(0)
    }

    fn rewritten(&self, known: History, page: PageNumber, arrival: ArrivalClass) -> History {
        if known.uses() > 0 {
            self.policy.borrow().used(known, By::Write)
        } else {
            self.newcomer(page, arrival)
        }
    }

    /// Records the blocks that were overwritten and are not cached again.
    pub(super) fn note_gone(&self, overwritten: &Overwritten) {
        let mut policy = self.policy.borrow_mut();
        overwritten.gone().for_each(|(block, history)| policy.left(block, history));
    }

    /// Returns the histories of the blocks of pages.
    pub(super) fn histories(&self, pages: &Range<u64>) -> Overwritten {
        if pages.end.saturating_sub(pages.start) > REMEMBERED_PAGES_MAX {
            return Overwritten::of(0..0);
        }
        let block_pages = u64::from(self.block_pages());
        let blocks = pages.start / block_pages..pages.end.div_ceil(block_pages);
        let mut overwritten = Overwritten::of(blocks.clone());
        for block in blocks {
            overwritten.note(block, self.catalog.history(PageNumber(block * block_pages)));
        }
        let ram = self.ram.borrow();
        ram.histories(pages, |page, history| overwritten.note(self.block_of(page), history));
        overwritten
    }
}
