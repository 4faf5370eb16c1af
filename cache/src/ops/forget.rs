//! Forgetting all cached data of a disk: because it leaves, its flash failed, or its block size changes. This needs no lookup of single
//! pages.

use super::disk_cache::DiskCache;
use crate::state::catalog::ALL_PAGES;
use crate::types::env::Env;
use crate::types::units::SegmentNumber;

impl<E: Env> DiskCache<E> {
    /// Drops all clean cached pages, and cancels fills under way.
    pub(crate) fn forget_everything(&self) {
        self.forget_ram();
        self.catalog.require_age_order();
        self.catalog.invalidate(ALL_PAGES);
    }

    /// Does the same for a disk of which nothing is dirty, at once.
    pub(crate) fn forget_at_once(&self) {
        assert!(self.catalog.is_clean(), "what is dirty is not forgotten");
        self.forget_ram();
        self.catalog.invalidate_flash();
    }

    /// Drops everything that is on flash, because the flash failed. RAM goes on.
    pub(crate) fn forget_flash(&self) {
        self.ram.borrow_mut().give_up_waiting();
        self.catalog.invalidate_flash();
    }

    /// Drops the content of RAM, and cancels fills under way.
    fn forget_ram(&self) {
        self.coherence.poison_fills();
        self.load_ticket.set(self.load_ticket.get() + 1);
        self.ram.borrow_mut().clear();
        self.catalog.forget_zeroes(&ALL_PAGES);
    }

    /// Forgets all cached data and releases the segments, which are returned: see [`Segments::disown`].
    ///
    /// [`Segments::disown`]: crate::state::segments::Segments::disown
    pub(crate) fn disown(&self) -> Vec<SegmentNumber> {
        self.forget_at_once();
        let disowned = self.pool.segments().disown(self.id);
        self.restart_counting();
        // There is nothing to be counted.
        self.catalog.complete_counting();
        disowned
    }

    /// Discards dirty data for good.
    pub(crate) fn give_up_dirty(&self) {
        self.back.set_marked_dirty(false);
        self.back.stop.clear();
        self.forget_dirty();
    }

    /// Forgets what is dirty, because it is discarded or another shard knows it.
    pub(crate) fn forget_dirty(&self) {
        self.catalog.discard_dirty();
        self.observe_dirty();
        self.back.destage.wake_all();
    }
}
