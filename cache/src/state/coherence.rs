//! Coherence: which cached data of a disk is trusted while its backing is changed.
//!
//! | part | records | keeps rule |
//! |---|---|---|
//! | fills | reads of the backing on their way into the cache, changes in flight, ranges of failed changes | I3 |
//! | regions | regions with an open intent: a power cut may leave the backing other than the log | I11 |
//! | touched bits | pages that a kill may leave so | I11 |
//! | uncommitted tail | pages of the log whose bits stay until a later header commits them | I11 |
//! | backing | the epoch of its connection, and whether it was flushed since the disk was attached | I11 |
//!
//! A change of the backing takes the parts in this order: [`Coherence::begin_mutation`], [`Coherence::touch`],
//! [`Coherence::claim_regions`] with durable intents for those that it returns, and at its end
//! [`Coherence::finish_mutation`] or [`Coherence::distrust_mutation`].

#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use block::ByteRange;

use super::fills::{FillNumber, Fills, MutationNumber};
use super::regions::Regions;
use super::replay::{Bits, RecoveryTrust};
use super::uncommitted_tail::UncommittedTail;
use super::write_intent_bitmap::{LogEnd, SharedBits, WriteIntentBitmap};
use crate::format::note::Intent;
use crate::types::limits::PAGE_BYTES;
use crate::types::units::{FlashPage, PageNumber};

/// The coherence of one disk with its backing.
pub(crate) struct Coherence {
    fills: RefCell<Fills>,
    regions: RefCell<Regions>,
    touched: Rc<WriteIntentBitmap>,
    uncommitted: RefCell<UncommittedTail>,
    /// The epoch of the backing to which everything cached belongs.
    epoch: Cell<u64>,
    /// Set once the backing was flushed since the disk was attached: what it returns outside of open regions is durable there from then on,
    /// regardless of who wrote it and with which intents.
    is_settled: Cell<bool>,
}

/// Writes that a lost connection may have taken from the backing.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LostWrites {
    /// The regions in which it may have. Their pages count as touched.
    pub(crate) ranges: Vec<ByteRange>,
    /// True if any region may be affected, also one without a durable record.
    pub(crate) is_anywhere: bool,
}

/// Regions without recent changes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ClosedRegions {
    pub(crate) regions: Vec<u32>,
    /// True if no region of the disk is open any more.
    pub(crate) are_all_closed: bool,
}

impl Coherence {
    /// Returns the coherence of a disk of `disk_bytes`, of which all regions are closed.
    pub(crate) fn new(bits: Rc<dyn SharedBits>, region_pages: u32, disk_bytes: u64) -> Self {
        Self {
            fills: RefCell::default(),
            regions: RefCell::new(Regions::new(region_pages, disk_bytes)),
            touched: Rc::new(WriteIntentBitmap::new(bits, disk_bytes)),
            uncommitted: RefCell::default(),
            epoch: Cell::new(0),
            is_settled: Cell::new(false),
        }
    }

    /// Takes over a larger size of the disk; `bits` begin with those that it has, in the same memory.
    pub(crate) fn grow(&self, bits: Rc<dyn SharedBits>, disk_bytes: u64) {
        self.touched.grow(bits, disk_bytes);
        self.regions.borrow_mut().grow(disk_bytes);
    }

    /// Restores the open intents that a start found, and sets or clears the bits of each region as `belief` requires.
    pub(crate) fn restore(&self, open: &BTreeSet<Intent>, belief: &RecoveryTrust) {
        let mut regions = self.regions.borrow_mut();
        if open.contains(&Intent::AllRegions) {
            regions.open_all();
        }
        open.iter().filter_map(|intent| intent.region()).for_each(|region| regions.open(region));
        for region in 0..regions.count() {
            let pages = regions.pages(region);
            match belief.bits(regions.is_open(region)) {
                Bits::Kept => {}
                Bits::Set => self.touched.set(pages),
                Bits::Cleared => self.touched.clear(pages),
            }
        }
    }

    /// Returns the bits, in which the log records how far it was written.
    pub(crate) fn log_end_record(&self) -> Rc<WriteIntentBitmap> {
        Rc::clone(&self.touched)
    }

    /// Returns how far the log was written, by the bits.
    pub(crate) fn log_end(&self) -> LogEnd {
        self.touched.end()
    }
}

/// Changes of the backing, and fills.
impl Coherence {
    /// Begins a change of a range: fills of it that are under way do not enter.
    pub(crate) fn begin_mutation(&self, range: &ByteRange) -> MutationNumber {
        self.fills.borrow_mut().begin_mutation(range)
    }

    /// Ends a change that took effect as a whole.
    pub(crate) fn finish_mutation(&self, mutation: &MutationNumber) {
        self.fills.borrow_mut().finish_mutation(mutation);
    }

    /// Ends a change that failed, or whose outcome is unknown: its range never enters the cache again.
    pub(crate) fn distrust_mutation(&self, mutation: &MutationNumber) {
        self.fills.borrow_mut().distrust_mutation(mutation);
    }

    /// Begins a fill of a range, before the backing is asked.
    pub(crate) fn begin_fill(&self, range: &ByteRange) -> FillNumber {
        self.fills.borrow_mut().begin_fill(range)
    }

    /// Ends a fill. Returns true if it may enter, with nothing awaited in between.
    pub(crate) fn finish_fill(&self, fill: &FillNumber) -> bool {
        self.fills.borrow_mut().finish_fill(fill)
    }

    /// Refuses all fills that are under way.
    pub(crate) fn poison_fills(&self) {
        self.fills.borrow_mut().poison_all();
    }

    /// Returns true if a change of the range is in flight.
    pub(crate) fn is_mutating(&self, range: &ByteRange) -> bool {
        self.fills.borrow().is_mutating(range)
    }

    /// Returns true if a change of the range failed, so that it must not enter the cache.
    pub(crate) fn distrusts(&self, range: &ByteRange) -> bool {
        self.fills.borrow().distrusts(range)
    }

    /// Returns true if a change of any range failed.
    pub(crate) fn distrusts_anything(&self) -> bool {
        self.fills.borrow().distrusts_anything()
    }
}

/// Touched pages and regions.
impl Coherence {
    /// Marks pages as touched: the backing is about to hold another version of them than the log.
    pub(crate) fn touch(&self, pages: Range<u64>) {
        self.touched.set(pages);
    }

    /// Marks pages as untouched.
    pub(crate) fn untouch(&self, pages: Range<u64>) {
        self.touched.clear(pages);
    }

    /// Returns true if a page is touched.
    pub(crate) fn is_touched(&self, page: PageNumber) -> bool {
        self.touched.is_set(page)
    }

    /// Returns the runs of touched pages.
    pub(crate) fn touched_runs(&self) -> Vec<Range<u64>> {
        self.touched.runs()
    }

    /// Returns true if a page is touched and its region closed: its log entries count after a power cut.
    pub(crate) fn is_touched_without_intent(&self, page: PageNumber) -> bool {
        self.touched.is_set(page) && !self.regions.borrow().is_open_at(page)
    }

    /// Claims the regions of a range for a change, if all of them are open. Claims none and returns those that are not, if there
    /// are any: the caller makes their intents durable, opens them and claims again, with nothing awaited in between.
    pub(crate) fn claim_regions(&self, range: &ByteRange) -> Result<(), Vec<u32>> {
        let mut regions = self.regions.borrow_mut();
        let closed = regions.closed_in(range);
        if closed.is_empty() {
            regions.mutate(range);
            return Ok(());
        }
        Err(closed)
    }

    /// Opens regions, whose intents are durable.
    pub(crate) fn open_regions(&self, opened: &[u32]) {
        let mut regions = self.regions.borrow_mut();
        for region in opened {
            regions.open(*region);
        }
    }

    /// Returns the open regions at rest: nothing changed there since the last call, nothing is in flight, and everything that was is known
    /// to have succeeded.
    pub(crate) fn idle_regions(&self) -> Vec<u32> {
        let mut idle = self.regions.borrow_mut().look();
        idle.retain(|region| self.is_at_rest(*region));
        idle
    }

    /// Closes those of the regions that are still at rest, and marks their pages as untouched.
    pub(crate) fn close_idle(&self, mut idle: Vec<u32>) -> ClosedRegions {
        idle.retain(|region| self.regions.borrow().is_idle(*region) && self.is_at_rest(*region));
        let mut regions = self.regions.borrow_mut();
        for region in &idle {
            self.touched.clear(regions.pages(*region));
            regions.close(*region);
        }
        ClosedRegions { regions: idle, are_all_closed: regions.all_closed() }
    }

    /// Returns the pages of a region with their bits, the first in the lowest bit of the first byte; none if none is touched.
    pub(crate) fn touched_in(&self, region: u32) -> Option<(Range<u64>, [u8; PAGE_BYTES])> {
        let pages = self.regions.borrow().pages(region);
        let bits = self.touched.copy(&pages)?;
        Some((pages, bits))
    }

    fn is_at_rest(&self, region: u32) -> bool {
        let range = self.regions.borrow().range(region);
        let fills = self.fills.borrow();
        !fills.is_mutating(&range) && !fills.distrusts(&range)
    }
}

/// The end of the log.
impl Coherence {
    /// Records that pages are in the log, in this batch. Their bits stay until it is committed.
    pub(crate) fn record_appended(&self, batch: u64, pages: impl Iterator<Item = (PageNumber, FlashPage)>) {
        self.uncommitted.borrow_mut().add(batch, pages);
    }

    /// Marks the pages of all batches up to `batch`, which are committed, as untouched if `is_current` returns true: the newest version is
    /// where it was written.
    pub(crate) fn commit_up_to(&self, batch: u64, is_current: impl Fn(PageNumber, FlashPage) -> bool) {
        for (page, flash) in self.uncommitted.borrow_mut().take(batch) {
            if is_current(page, flash) {
                self.touched.clear(page.0..page.0 + 1);
            }
        }
    }
}

/// The connection to the backing.
impl Coherence {
    /// Returns the epoch of the backing to which everything cached belongs.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.get()
    }

    /// Takes over the epoch of the backing. Returns true if it is another one: the caller asks [`Self::lose_connection`].
    pub(crate) fn observe_epoch(&self, epoch: u64) -> bool {
        self.epoch.replace(epoch) != epoch
    }

    /// Refuses all fills under way, and marks the writes as touched that a lost connection may have taken from the backing: those in open
    /// regions; in any region if the backing was not flushed before, or is changed without intents.
    pub(crate) fn lose_connection(&self, has_intents: bool) -> LostWrites {
        self.poison_fills();
        let is_anywhere = !has_intents || !self.is_settled.get();
        let regions = self.regions.borrow();
        let lost = (0..regions.count()).filter(|region| is_anywhere || regions.is_open(*region));
        let ranges = lost.map(|region| {
            self.touched.set(regions.pages(region));
            regions.range(region)
        });
        LostWrites { ranges: ranges.collect(), is_anywhere }
    }

    /// Records that the backing was flushed since the disk was attached.
    pub(crate) fn settle_backing(&self) {
        self.is_settled.set(true);
    }

    /// Returns true once the backing was flushed since the disk was attached.
    pub(crate) fn is_backing_settled(&self) -> bool {
        self.is_settled.get()
    }
}
