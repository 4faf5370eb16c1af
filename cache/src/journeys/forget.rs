//! How a disk forgets what it has: because it leaves, its flash failed, or it goes over to other blocks. Whoever forgets all of it looks at
//! nothing of it.

use std::ops::Range;

use block::{BlockDevice, Host};

use super::disk_cache::DiskCache;
use crate::knowledge::dirty::Dirty;
use crate::knowledge::index::Index;
use crate::words::units::{PageNumber, SegmentNumber};

impl<F: BlockDevice, H: Host> DiskCache<F, H> {
    /// Drops everything that is cached and clean, and whatever is on its way in.
    pub(crate) fn forget_everything(&self) {
        self.forget_ram();
        self.order.borrow_mut().all_in_order();
        self.drop_from_index(0..u64::MAX);
    }

    /// The same of a disk of which nothing is dirty, at once.
    pub(crate) fn forget_at_once(&self) {
        assert!(self.dirty.borrow().is_empty(), "what is dirty is not forgotten");
        self.forget_ram();
        self.drop_index();
    }

    /// Drops everything that is on flash, because the flash failed. RAM goes on.
    pub(crate) fn forget_flash(&self) {
        self.ram.borrow_mut().give_up_waiting();
        self.drop_index();
    }

    /// Drops all of the index save what is dirty, where nobody goes on with the count of dead lines. If nothing is dirty, no page is looked at:
    /// there may be millions, for whose time all disks of the shard would wait.
    fn drop_index(&self) {
        self.order.borrow_mut().all_in_order();
        if !self.dirty.borrow().is_empty() {
            return self.drop_from_index(0..u64::MAX);
        }
        let index = self.index.replace(Index::new(self.block_pages(), self.pool.id().salt()));
        let forgotten = self.pool.segments().all_forgotten(self.id);
        debug_assert_eq!(forgotten, index.pages(), "each page that is known is on a segment of the disk");
    }

    /// Drops what RAM has, and whatever is on its way in.
    fn forget_ram(&self) {
        self.fills.borrow_mut().poison_all();
        self.load_ticket.set(self.load_ticket.get() + 1);
        let capacity = self.ram.borrow().capacity();
        self.ram.borrow_mut().resize(capacity);
        self.zero_pages.borrow_mut().clear();
    }

    /// Forgets all that is cached and gives up the segments, which are returned: see [`Segments::disown`].
    ///
    /// [`Segments::disown`]: crate::knowledge::segments::Segments::disown
    pub(crate) fn disown(&self) -> Vec<SegmentNumber> {
        self.forget_at_once();
        let disowned = self.pool.segments().disown(self.id);
        self.count_anew();
        // There is nothing to be counted.
        self.order.borrow_mut().complete();
        disowned
    }

    /// Gives up what is dirty, for good: nobody wants it.
    pub(crate) fn give_up_dirty(&self) {
        self.back.set_noted(false);
        self.back.go_on();
        self.forget_dirty();
    }

    /// Forgets what is dirty, because nobody wants it, or somebody else knows it.
    pub(crate) fn forget_dirty(&self) {
        self.dirty.replace(Dirty::default());
        self.note_dirtiness();
        self.back.notify_all();
    }

    /// Drops what flash has of these pages, save what is dirty.
    pub(super) fn drop_from_index(&self, pages: Range<u64>) {
        let dirty = self.dirty.borrow();
        let stays = |page: PageNumber| dirty.has_page(page.0);
        let dropped = self.index.borrow_mut().remove(pages, stays);
        drop(dirty);
        self.forgotten(&dropped);
    }
}
