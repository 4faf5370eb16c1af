//! Catalog: the content of one disk on flash, and the part of it that the backing lacks.
//!
//! | part | records |
//! |---|---|
//! | index | the place of each page on flash, its checksum and its use |
//! | dirty set | pages, zeroes and lost pages that the backing does not have |
//! | zero pages | pages that the backing holds as zeroes, of which nothing else is cached |
//! | stale versions | log entries that the index does not point to (`reclaim_eligibility.rs`) |
//! | live pages | for each segment, the pages that the index points to (`segments.rs`) |
//!
//! These agree after every verb, and only a verb changes them: [`Catalog::insert_clean`], [`Catalog::insert_dirty`],
//! [`Catalog::insert_zeroes`], [`Catalog::mark_destaged`], [`Catalog::mark_lost`], [`Catalog::invalidate`],
//! [`Catalog::relocate`], and those that replace all of it. No borrow leaves a method. [`Catalog::check`] compares the parts.

#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::{Arc, MutexGuard};

use block::Unmap;

use super::dirty::Dirty;
use super::index::{FlashLocation, Index, RemovedPage};
use super::journal::Journal;
use super::learned::{Dice, History};
use super::reclaim_eligibility::{AppendRecord, CountToken, ReclaimEligibility};
use super::segments::Segments;
use super::zero_pages::KnownZeroPages;
use crate::format::layout::Layout;
use crate::format::summary::Content;
use crate::types::canary::{self, Bug};
use crate::types::units::{DiskId, FlashPage, PageNumber, SegmentNumber, Sequence};

/// All pages that a disk can have.
pub(crate) const ALL_PAGES: Range<u64> = 0..u64::MAX;

/// A holder of the segments of a pool, which all disks and shards share.
pub(crate) trait SegmentsHolder {
    /// Locks the segments. The caller holds the guard for a moment, and never across an await.
    fn lock_segments(&self) -> MutexGuard<'_, Segments>;
}

/// The catalog of one disk.
pub(crate) struct Catalog<S> {
    disk: DiskId,
    layout: Layout,
    /// A number unknown to guests, for the index.
    salt: u64,
    segments: Arc<S>,
    entries: RefCell<Entries>,
    /// The log records its appends here.
    eligibility: Rc<RefCell<ReclaimEligibility>>,
    /// Self-checks that are due.
    checks: CheckCredit,
}

/// Pages that each call of [`Catalog::check_in_debug`] may visit on average. A disk of a simulation has fewer, and is checked at each
/// call; without a bound, each reclaim and each second of a large disk would cost as much as the disk has pages.
const CHECKED_PAGES: u64 = 4096;

/// Credit for self-checks, in pages.
#[derive(Default)]
struct CheckCredit(Cell<u64>);

impl CheckCredit {
    /// Counts a call. Returns true if a check of so many pages is due.
    fn take(&self, pages: u64) -> bool {
        let credit = self.0.get() + CHECKED_PAGES;
        let is_due = credit >= pages;
        self.0.set(if is_due { 0 } else { credit });
        is_due
    }
}

/// Records of pages.
struct Entries {
    index: Index,
    dirty: Dirty,
    /// In consistent write-back: what of it a group of the redo ring has.
    journal: Option<Box<Journal>>,
    zero_pages: KnownZeroPages,
}

impl Entries {
    /// Records a change of what is dirty, there and in the journal.
    fn change_dirty(&mut self, change: impl Fn(&mut Dirty)) {
        change(&mut self.dirty);
        if let Some(journal) = &mut self.journal {
            change(journal.fresh_mut());
        }
    }
}

/// Numbers of a catalog, for statistics.
pub(crate) struct CatalogCounts {
    /// Pages on flash.
    pub(crate) pages: u64,
    /// Blocks with at least one page on flash.
    pub(crate) blocks: u64,
    /// Dirty pages with content.
    pub(crate) dirty_pages: u64,
    /// Dirty pages of zeroes.
    pub(crate) dirty_zero_pages: u64,
    /// Pages whose content was damaged before the backing had it.
    pub(crate) lost_pages: u64,
    /// True if the backing has everything.
    pub(crate) is_clean: bool,
    /// RAM taken, in bytes.
    pub(crate) bytes: u64,
}

/// A segment that a load has read.
#[derive(Clone, Copy)]
pub(crate) struct LoadedSegment {
    pub(crate) segment: SegmentNumber,
    pub(crate) generation: Sequence,
    /// Pages of it that entered the new index.
    pub(crate) entered: u32,
}

/// A run of neighbours on the disk and on flash.
#[derive(Clone, Copy)]
pub(crate) struct FlashExtent<'a> {
    pub(crate) first: PageNumber,
    pub(crate) flash: FlashPage,
    /// The checksum of each page.
    pub(crate) checksums: &'a [u32],
}

impl FlashExtent<'_> {
    fn pages(&self) -> Range<u64> {
        self.first.0..self.first.0 + self.checksums.len() as u64
    }
}

/// Verbs.
impl<S: SegmentsHolder> Catalog<S> {
    /// Returns an empty catalog of a disk of `disk_pages` that holds at most `flash_pages` on flash, in blocks of `block_pages`.
    pub(crate) fn new(
        disk: DiskId,
        layout: Layout,
        salt: u64,
        segments: Arc<S>,
        block_pages: u32,
        (disk_pages, flash_pages): (u64, u64),
    ) -> Self {
        Self {
            disk,
            layout,
            salt,
            segments,
            entries: RefCell::new(Entries {
                index: Index::new(block_pages, salt),
                dirty: Dirty::default(),
                journal: None,
                zero_pages: KnownZeroPages::default(),
            }),
            eligibility: Rc::new(RefCell::new(ReclaimEligibility::new(disk_pages, flash_pages))),
            checks: CheckCredit::default(),
        }
    }

    /// Returns the part in which the log records its appends.
    pub(crate) fn append_record(&self) -> AppendRecord {
        AppendRecord::new(Rc::clone(&self.eligibility))
    }

    /// Records the place of clean pages that were written to the log just now.
    pub(crate) fn insert_clean(&self, extent: FlashExtent<'_>) {
        debug_assert!(!self.is_dirty_within(&extent.pages()), "a clean version never replaces a dirty one");
        self.set_places(extent);
    }

    /// Records the place of pages that a guest wrote to the log just now: the backing does not have them.
    pub(crate) fn insert_dirty(&self, extent: FlashExtent<'_>) {
        let pages = extent.pages();
        self.set_places_and(extent, |entries| {
            entries.zero_pages.remove(&pages);
            entries.change_dirty(|dirty| pages.clone().for_each(|page| dirty.add_page(page)));
        });
    }

    /// Records that a guest made pages zeroes, which are dirty. Their storage may be deallocated if `unmap` permits it.
    pub(crate) fn insert_zeroes(&self, pages: &Range<u64>, unmap: Unmap) {
        {
            let mut entries = self.entries.borrow_mut();
            entries.zero_pages.remove(pages);
            entries.change_dirty(|dirty| dirty.add_zeroes(pages.clone(), unmap));
        }
        self.drop_clean(pages.clone());
    }

    /// Records that the backing durably has the content of these pages.
    pub(crate) fn mark_destaged(&self, pages: &Range<u64>) {
        let mut entries = self.entries.borrow_mut();
        entries.dirty.remove(pages);
        if let Some(journal) = &mut entries.journal {
            journal.mark_destaged(pages);
        }
    }

    /// Records that the content of dirty pages was damaged.
    pub(crate) fn mark_lost(&self, pages: &Range<u64>) {
        {
            let mut entries = self.entries.borrow_mut();
            entries.zero_pages.remove(pages);
            entries.change_dirty(|dirty| dirty.add_lost(pages.clone()));
        }
        self.drop_clean(pages.clone());
    }

    /// Removes the clean ones of these pages, remembered zeroes included.
    pub(crate) fn invalidate(&self, pages: Range<u64>) {
        self.entries.borrow_mut().zero_pages.remove(&pages);
        self.drop_clean(pages);
    }

    /// Removes a clean page if it is still at `flash`. Returns true if it was.
    pub(crate) fn invalidate_at(&self, page: PageNumber, flash: FlashPage) -> bool {
        {
            let mut entries = self.entries.borrow_mut();
            if entries.dirty.has_page(page.0) || !entries.index.remove_if_at(page, flash) {
                return false;
            }
        }
        self.forget_places(&[RemovedPage { page, flash }]);
        true
    }

    /// Removes a clean page whose copy at `flash` is damaged, if it is still there. Returns true if it was. This is not recorded on flash:
    /// if the log holds other versions of the page, this one stays there until they are gone.
    pub(crate) fn invalidate_damaged(&self, page: PageNumber, flash: FlashPage) -> bool {
        let is_removed = self.invalidate_at(page, flash);
        let mut eligibility = self.eligibility.borrow_mut();
        if is_removed && eligibility.stale_versions(page) > 1 && !canary::has(Bug::DamageOutOfOrder) {
            eligibility.all_in_order();
        }
        is_removed
    }

    /// Removes every page that lies in a segment, whether clean or dirty. Returns how many. Visits every block: for a segment whose
    /// summary cannot be read.
    pub(crate) fn invalidate_segment(&self, segment: SegmentNumber) -> usize {
        let dropped = self.entries.borrow_mut().index.remove_on_flash(self.places_of(segment));
        self.forget_places(&dropped);
        dropped.len()
    }

    /// Records the new places of pages that have just been appended to the log again. Dirty pages stay dirty.
    pub(crate) fn relocate(&self, extent: FlashExtent<'_>) {
        self.set_places(extent);
    }

    /// Records that a segment is at another place, with all its content: `located` pages of it are indexed. `content` is from its summary;
    /// without one every block is visited.
    pub(crate) fn relocate_segment(
        &self,
        (from, to): (SegmentNumber, SegmentNumber),
        live: u32,
        content: Option<&Content>,
    ) {
        let (start, end) = (self.layout.segment_start(from), self.layout.segment_start(to));
        let mut left = live;
        {
            let mut entries = self.entries.borrow_mut();
            let index = &mut entries.index;
            for line in content.into_iter().flat_map(Content::lines).filter(|line| line.kind.has_data()) {
                let (before, after) = (start.plus(line.place), end.plus(line.place));
                left -= u32::from(left > 0 && index.relocate(line.page, before, after));
            }
            if left > 0 {
                let places = self.places_of(from);
                index.rearrange(|_, flash| {
                    let is_there = places.contains(&flash.0);
                    Some(if is_there { end.plus(flash.0 - start.0) } else { flash })
                });
            }
        }
        self.eligibility.borrow_mut().moved(from, to);
    }

    /// Moves dirty pages to the second copies of their segments, which took the place of the first ones, and removes the clean
    /// pages of these, which have no second copy. On flash they stay named, as the newest of their pages.
    pub(crate) fn relocate_to_copies(&self, copies: &BTreeMap<SegmentNumber, SegmentNumber>) {
        let layout = self.layout;
        let copy_of = |flash: FlashPage| {
            let segment = layout.segment_of(flash);
            let to = copies.get(&segment)?;
            Some(layout.segment_start(*to).plus(flash.0 - layout.segment_start(segment).0))
        };
        let dropped = {
            let mut entries = self.entries.borrow_mut();
            let Entries { index, dirty, .. } = &mut *entries;
            index.rearrange(|page, flash| match copy_of(flash) {
                Some(_) if !dirty.has_page(page.0) => None,
                Some(copy) => Some(copy),
                None => Some(flash),
            })
        };
        {
            let mut eligibility = self.eligibility.borrow_mut();
            eligibility.all_in_order();
            for segment in copies.keys() {
                eligibility.gone(*segment, None, None);
            }
        }
        // Live pages were counted where the others went.
        let counted = |gone: RemovedPage| copy_of(gone.flash).map(|flash| RemovedPage { flash, ..gone });
        let dropped: Vec<_> = dropped.into_iter().filter_map(counted).collect();
        self.forget_places(&dropped);
    }

    /// Removes all clean pages, at once if nothing is dirty: there may be millions of pages, which would delay all disks of the shard. The
    /// count of stale versions ends with that. Remembered zeroes stay.
    pub(crate) fn invalidate_flash(&self) {
        self.eligibility.borrow_mut().all_in_order();
        if !self.is_clean() {
            return self.drop_clean(ALL_PAGES);
        }
        {
            let mut entries = self.entries.borrow_mut();
            let empty = entries.index.emptied(self.salt);
            let index = std::mem::replace(&mut entries.index, empty);
            let forgotten = self.segments.lock_segments().all_forgotten(self.disk);
            debug_assert_eq!(forgotten, index.pages(), "each page that is known is on a segment of the disk");
        }
        self.check_in_debug();
    }

    /// Removes all that is dirty: it is discarded, or another shard knows it.
    pub(crate) fn discard_dirty(&self) {
        let mut entries = self.entries.borrow_mut();
        entries.dirty = Dirty::default();
        if let Some(journal) = &mut entries.journal {
            **journal = Journal::default();
        }
    }

    /// Begins or ends the journal of consistent write-back. At first, everything that is dirty is fresh.
    pub(crate) fn keep_journal(&self, is_kept: bool) {
        let mut entries = self.entries.borrow_mut();
        entries.journal = is_kept.then(|| Box::new(Journal::of(&entries.dirty)));
    }

    /// Records that no group is needed any more: the backing has what they had, except for these pages, which are fresh again if
    /// they are dirty.
    pub(crate) fn end_groups(&self, missing: &[Range<u64>]) {
        let mut entries = self.entries.borrow_mut();
        let Entries { dirty, journal, .. } = &mut *entries;
        if let Some(journal) = journal {
            journal.end_groups();
            for pages in missing {
                journal.fresh_mut().add_missing(&dirty.part(pages));
            }
        }
    }

    /// Changes the journal, if there is one.
    pub(crate) fn with_journal_mut<T>(&self, change: impl FnOnce(&mut Journal) -> T) -> Option<T> {
        self.entries.borrow_mut().journal.as_deref_mut().map(change)
    }

    /// Returns what `read` finds in the journal, if there is one.
    pub(crate) fn with_journal<T>(&self, read: impl FnOnce(&Journal) -> T) -> Option<T> {
        self.entries.borrow().journal.as_deref().map(read)
    }

    /// Replaces the index by one of another block size. Keeps dirty pages; the caller has removed the rest.
    pub(crate) fn change_block(&self, block_pages: u32) {
        let mut entries = self.entries.borrow_mut();
        let mut index = Index::new(block_pages, self.salt);
        for page in entries.dirty.pages_within(ALL_PAGES).map(PageNumber) {
            let Some(FlashLocation { flash, checksum }) = entries.index.get(page) else { continue };
            index.insert_run(page, flash, &[checksum]);
        }
        entries.index = index;
    }

    /// Remembers that the backing holds pages as zeroes. Nothing else is cached of them.
    pub(crate) fn remember_zeroes(&self, pages: Range<u64>) {
        self.entries.borrow_mut().zero_pages.insert(pages);
    }

    /// Forgets that the backing holds pages as zeroes.
    pub(crate) fn forget_zeroes(&self, pages: &Range<u64>) {
        self.entries.borrow_mut().zero_pages.remove(pages);
    }

    /// Records the use of the block of a page, if the page is at `flash`. Returns the history from before.
    pub(crate) fn use_if_at(
        &self,
        page: PageNumber,
        flash: FlashPage,
        used: impl FnOnce(History) -> History,
    ) -> Option<History> {
        self.entries.borrow_mut().index.use_if_at(page, flash, used)
    }

    /// Updates the history of the block of a page by `used`, if the block is indexed. Returns the new history; without a block `used` gets
    /// an empty one.
    pub(crate) fn update_history(&self, page: PageNumber, used: impl FnOnce(History) -> History) -> History {
        self.entries.borrow_mut().index.update_history(page, used)
    }

    /// Sets the history of the block of a page, if the block is indexed.
    pub(crate) fn set_history(&self, page: PageNumber, history: History) {
        self.entries.borrow_mut().index.set_history(page, history);
    }

    /// Returns the blocks of one of the index's parts, by number, and how they were used.
    pub(crate) fn histories(&self, part: usize) -> Vec<(u32, History)> {
        self.entries.borrow().index.histories(part)
    }

    /// Records the new places of pages, in the index, in the counts of live pages and in those of stale versions.
    fn set_places(&self, extent: FlashExtent<'_>) {
        self.set_places_and(extent, |_| {});
    }

    /// Does the same, and changes the other entries of the pages by `change` under the same borrow: used for writes of guests.
    fn set_places_and(&self, extent: FlashExtent<'_>, change: impl FnOnce(&mut Entries)) {
        let FlashExtent { first, flash, checksums } = extent;
        let replaced = {
            let mut entries = self.entries.borrow_mut();
            change(&mut entries);
            entries.index.insert_run(first, flash, checksums)
        };
        {
            let mut segments = self.segments.lock_segments();
            segments.pages_known(flash, checksums.len() as u32);
            segments.pages_forgotten(replaced.iter().map(|gone| gone.flash));
        }
        let mut eligibility = self.eligibility.borrow_mut();
        extent.pages().for_each(|page| eligibility.came_alive(PageNumber(page)));
        replaced.iter().for_each(|gone| eligibility.died(gone.page));
    }

    /// Counts pages that the index does not locate any more. Every log entry that becomes stale is counted here or by
    /// [`Self::set_places_and`]; `reclaim_eligibility.rs` explains what keeps older ones from reappearing.
    fn forget_places(&self, gone: &[RemovedPage]) {
        if gone.is_empty() {
            return;
        }
        self.segments.lock_segments().pages_forgotten(gone.iter().map(|gone| gone.flash));
        let mut eligibility = self.eligibility.borrow_mut();
        for gone in gone {
            eligibility.died(gone.page);
        }
    }

    /// Removes these pages from the index, except dirty ones.
    fn drop_clean(&self, pages: Range<u64>) {
        let dropped = {
            let mut entries = self.entries.borrow_mut();
            let Entries { index, dirty, .. } = &mut *entries;
            index.remove(pages, |page| dirty.has_page(page.0))
        };
        self.forget_places(&dropped);
    }

    /// Returns the places of a segment that can hold pages.
    fn places_of(&self, segment: SegmentNumber) -> Range<u32> {
        self.layout.segment_start(segment).0..self.layout.summary_start(segment).0
    }
}

/// Loading the content of flash at a start.
impl<S: SegmentsHolder> Catalog<S> {
    /// Forgets all stale versions, before they are counted again.
    pub(crate) fn restart_counting(&self, disk_pages: u64, flash_pages: u64) {
        self.eligibility.borrow_mut().clear(disk_pages, flash_pages);
    }

    /// Declares all log entries counted: there are none.
    pub(crate) fn complete_counting(&self) {
        self.eligibility.borrow_mut().complete();
    }

    /// Counts the log entries of a closed segment that a load has read; `stale` are those that the new index does not point to.
    pub(crate) fn count_loaded(
        &self,
        segment: (SegmentNumber, Sequence),
        content: &Content,
        stale: &[PageNumber],
    ) {
        self.eligibility.borrow_mut().loaded(segment, content, stale);
    }

    /// Takes over the index and the dirty set that a load has built, in one step. Leaves out the clean ones of the pages in `changed`, and
    /// of segments that are not closed any more; forgets remembered zeroes. Returns how many pages of `changed` were left out.
    pub(crate) fn take_over(
        &self,
        mut index: Index,
        dirty: Dirty,
        loaded: &[LoadedSegment],
        changed: Vec<Range<u64>>,
    ) -> u64 {
        let mut dropped = Vec::new();
        for pages in changed {
            dropped.extend(index.remove(pages, |page| dirty.has_page(page.0)));
        }
        {
            let mut eligibility = self.eligibility.borrow_mut();
            let mut segments = self.segments.lock_segments();
            let is_closed = |segments: &Segments, it: &LoadedSegment| {
                segments.is_sealed(it.segment, (self.disk.into(), it.generation))
            };
            for it in loaded.iter().filter(|it| !is_closed(&segments, it)) {
                let removed = index.remove_on_flash(self.places_of(it.segment));
                if segments.life(it.segment) == Some((self.disk.into(), it.generation)) {
                    // Another shard was asked to reclaim it before the disk was attached here, and may put it back.
                    eligibility.bind(it.segment);
                    for removed in &removed {
                        eligibility.died(removed.page);
                    }
                } else {
                    // Its stale versions stay counted, which costs copies at most: it is not known any more which they were.
                    eligibility.gone(it.segment, None, None);
                }
            }
            let mut gone: BTreeMap<SegmentNumber, u32> = BTreeMap::new();
            for dropped in &dropped {
                *gone.entry(self.layout.segment_of(dropped.flash)).or_default() += 1;
                eligibility.died(dropped.page);
            }
            for it in loaded.iter().filter(|it| is_closed(&segments, it)).copied().collect::<Vec<_>>() {
                let left = it.entered - gone.get(&it.segment).copied().unwrap_or(0);
                segments.pages_known(self.layout.segment_start(it.segment), left);
            }
            // One that another shard was about to reclaim was not read, and may have been put back since.
            if segments.owned_by(self.disk).iter().all(|segment| eligibility.knows(*segment)) {
                eligibility.complete();
            }
            let mut entries = self.entries.borrow_mut();
            debug_assert_eq!(entries.index.pages(), 0, "nothing enters while it is loaded");
            // Pages that were read as zeroes meanwhile may be on flash, too.
            // What groups have of it is not known any more.
            let fresh = || {
                if canary::has(Bug::DirtyTakenForJournaled) {
                    Journal::default()
                } else {
                    Journal::of(&dirty)
                }
            };
            let journal = entries.journal.is_some().then(|| Box::new(fresh()));
            *entries = Entries { index, dirty, journal, zero_pages: KnownZeroPages::default() };
        }
        self.check_in_debug();
        dropped.len() as u64
    }
}

/// Questions about pages.
impl<S: SegmentsHolder> Catalog<S> {
    /// Returns the place of a page on flash.
    pub(crate) fn locate(&self, page: PageNumber) -> Option<FlashLocation> {
        self.entries.borrow().index.get(page)
    }

    /// Returns the place of a page on flash, and how its block was used.
    pub(crate) fn locate_with_history(&self, page: PageNumber) -> Option<(FlashLocation, History)> {
        self.entries.borrow().index.get_with_history(page)
    }

    /// Returns true if a page is at `flash`.
    pub(crate) fn is_at(&self, page: PageNumber, flash: FlashPage) -> bool {
        self.locate(page).is_some_and(|located| located.flash == flash)
    }

    /// Returns the history of the block of a page; an empty one, if the block is not indexed.
    pub(crate) fn history(&self, page: PageNumber) -> History {
        self.entries.borrow().index.history(page)
    }

    /// Returns how some block was used, by chance; none if there is no block.
    pub(crate) fn draw(&self, dice: &mut Dice) -> Option<History> {
        self.entries.borrow().index.draw(dice)
    }

    /// Returns true if the newest version of a page is in the log only.
    pub(crate) fn is_dirty(&self, page: PageNumber) -> bool {
        self.entries.borrow().dirty.has_page(page.0)
    }

    /// Returns true if a page is zeroes that the backing does not have.
    pub(crate) fn is_dirty_zeroes(&self, page: PageNumber) -> bool {
        self.entries.borrow().dirty.is_zeroes(page.0)
    }

    /// Returns true if the newest version of a page is in the log only, or was damaged there.
    pub(crate) fn is_dirty_or_lost(&self, page: PageNumber) -> bool {
        let entries = self.entries.borrow();
        entries.dirty.has_page(page.0) || entries.dirty.is_lost(page.0)
    }

    /// Returns true if the backing holds a page as zeroes, and nothing else is cached of it.
    pub(crate) fn is_remembered_zeroes(&self, page: PageNumber) -> bool {
        self.entries.borrow().zero_pages.contains(page.0)
    }

    /// Returns true if any of these pages is dirty, zeroed or lost.
    pub(crate) fn is_dirty_within(&self, pages: &Range<u64>) -> bool {
        self.entries.borrow().dirty.overlaps(pages)
    }

    /// Returns true if the content of any of these pages was damaged before the backing had it.
    pub(crate) fn is_lost_within(&self, pages: &Range<u64>) -> bool {
        self.entries.borrow().dirty.lost().overlaps(pages)
    }

    /// Returns true if destage can give the backing any of these pages.
    pub(crate) fn can_destage(&self, pages: Range<u64>) -> bool {
        self.entries.borrow().dirty.can_be_destaged(pages)
    }

    /// Returns true if the backing has everything.
    pub(crate) fn is_clean(&self) -> bool {
        self.entries.borrow().dirty.is_empty()
    }

    /// Returns the number of dirty pages with content.
    pub(crate) fn dirty_pages(&self) -> u64 {
        self.entries.borrow().dirty.pages()
    }

    /// Returns the number of ranges of dirty zeroes.
    pub(crate) fn dirty_zero_ranges(&self) -> usize {
        self.entries.borrow().dirty.zeroes().len()
    }

    /// Returns the result of `read` on the dirty set, which does not change.
    pub(crate) fn with_dirty<T>(&self, read: impl FnOnce(&Dirty) -> T) -> T {
        read(&self.entries.borrow().dirty)
    }

    /// Returns the dirty pages that lie in a segment, each with its place and use. Visits everything that is dirty.
    pub(crate) fn dirty_in_segment(
        &self,
        segment: SegmentNumber,
    ) -> Vec<(PageNumber, FlashLocation, History)> {
        let entries = self.entries.borrow();
        let located = entries.dirty.pages_within(ALL_PAGES).map(PageNumber).filter_map(|page| {
            let (located, history) = entries.index.get_with_history(page)?;
            (self.layout.segment_of(located.flash) == segment).then_some((page, located, history))
        });
        located.collect()
    }

    /// Returns numbers for statistics.
    pub(crate) fn counts(&self) -> CatalogCounts {
        let Entries { index, dirty, journal, zero_pages } = &*self.entries.borrow();
        CatalogCounts {
            pages: index.pages(),
            blocks: index.blocks(),
            dirty_pages: dirty.pages(),
            dirty_zero_pages: dirty.zeroes().pages(),
            lost_pages: dirty.lost().pages(),
            is_clean: dirty.is_empty(),
            bytes: index.bytes()
                + dirty.bytes()
                + journal.as_ref().map_or(0, |journal| journal.bytes())
                + zero_pages.bytes()
                + self.eligibility.borrow().bytes(),
        }
    }

    /// Returns the share of the log entries on flash that the index points to.
    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    pub(crate) fn live_share(&self) -> f32 {
        let (live, all) = (self.entries.borrow().index.pages(), self.eligibility.borrow().lines());
        (live as f32 / all.max(1) as f32).min(1.0)
    }
}

/// Reclaim: the choice of segments, and what may reappear without them.
impl<S: SegmentsHolder> Catalog<S> {
    /// Forces all segments that exist now to be reclaimed in order of their age: something became stale without a durable record of it.
    pub(crate) fn require_age_order(&self) {
        self.eligibility.borrow_mut().all_in_order();
    }

    /// Gives up counting stale versions until the next load: counters that were made for much less flash are full.
    pub(crate) fn stop_counting(&self) {
        self.eligibility.borrow_mut().give_up();
    }

    /// Returns a number that changes whenever all present segments are forced to go in order of age.
    pub(crate) fn order_ticket(&self) -> u64 {
        self.eligibility.borrow().ticket()
    }

    /// Returns the stale versions of a page in the log, or more.
    pub(crate) fn stale_versions(&self, page: PageNumber) -> u8 {
        self.eligibility.borrow().stale_versions(page)
    }

    /// Returns the segment to reclaim instead of the oldest, if one may be: the one that was settled, or the cheapest. `cost_of` is the
    /// cost of losing a clean page: 0 is nothing, 1 a page that is written again.
    pub(crate) fn choose_cheaper(
        &self,
        oldest: SegmentNumber,
        cost_of: impl Fn(History) -> f32,
    ) -> Option<(SegmentNumber, Sequence)> {
        let cost =
            |eligibility: &ReclaimEligibility, segment, page| self.cost(eligibility, segment, page, &cost_of);
        let mut eligibility = self.eligibility.borrow_mut();
        let next = eligibility.take_next(oldest).or_else(|| eligibility.cheaper_than(oldest, cost));
        next.filter(|(segment, _)| *segment != oldest)
    }

    /// Settles which segment goes after those of which that is settled.
    pub(crate) fn settle_next(
        &self,
        oldest: SegmentNumber,
        cost_of: impl Fn(History) -> f32,
    ) -> Option<SegmentNumber> {
        let cost =
            |eligibility: &ReclaimEligibility, segment, page| self.cost(eligibility, segment, page, &cost_of);
        self.eligibility.borrow_mut().settle_next(oldest, cost)
    }

    /// Returns true if it is settled of some segment that it goes next.
    pub(crate) fn has_next(&self) -> bool {
        self.eligibility.borrow().has_next()
    }

    /// Returns the pages of a segment that were appended again before its turn; none unless it is settled that it goes next.
    pub(crate) fn moved_ahead(&self, segment: SegmentNumber) -> Option<usize> {
        self.eligibility.borrow().moved_of(segment)
    }

    /// Records that a page of a segment was appended again before the segment's turn.
    pub(crate) fn record_moved_ahead(&self, flash: FlashPage) {
        self.eligibility.borrow_mut().note_moved(self.layout.segment_of(flash));
    }

    /// Begins the reclaim of a segment, which does not go out of order any more. Returns a token if its log entries are counted.
    pub(crate) fn begin_reclaim(&self, segment: SegmentNumber) -> Option<CountToken> {
        self.eligibility.borrow_mut().bind(segment)
    }

    /// Ends the reclaim of a segment that is empty: its log entries, which are all stale, go with it.
    pub(crate) fn end_reclaim(
        &self,
        segment: SegmentNumber,
        content: Option<&Content>,
        counted: Option<CountToken>,
    ) {
        self.eligibility.borrow_mut().gone(segment, content, counted);
    }

    /// Returns the cost of losing a page with a segment.
    fn cost(
        &self,
        eligibility: &ReclaimEligibility,
        segment: SegmentNumber,
        page: PageNumber,
        cost_of: impl Fn(History) -> f32,
    ) -> f64 {
        let known = self.locate_with_history(page);
        let is_there = |located: &FlashLocation| self.layout.segment_of(located.flash) == segment;
        let Some((_, history)) = known.filter(|(located, _)| is_there(located)) else { return 0.0 };
        let must_stay = eligibility.stale_versions(page) > 0 || self.is_dirty(page);
        if must_stay { 1.0 } else { f64::from(cost_of(history)) }
    }
}

/// Self-check.
impl<S: SegmentsHolder> Catalog<S> {
    /// As [`Self::check`], in builds with assertions. Visits [`CHECKED_PAGES`] in a call on average at most: with more pages, only some of
    /// the calls check.
    pub(crate) fn check_in_debug(&self) {
        if cfg!(debug_assertions) && self.checks.take(self.pages()) {
            self.check();
        }
    }

    /// Returns the number of pages on flash.
    fn pages(&self) -> u64 {
        self.entries.borrow().index.pages()
    }

    /// Compares the parts with each other. Visits every page.
    ///
    /// # Panics
    /// If the live pages of a segment are not those of the index; if a dirty page is not in the index, or zeroes or a lost page are; or if
    /// a page that is dirty or on flash is recorded as zeroes.
    pub(crate) fn check(&self) {
        let Entries { index, dirty, zero_pages, .. } = &*self.entries.borrow();
        let mut live: BTreeMap<SegmentNumber, u32> = BTreeMap::new();
        index.pages_within(ALL_PAGES, |page| {
            let located = index.get(PageNumber(page)).expect("listed just now");
            *live.entry(self.layout.segment_of(located.flash)).or_default() += 1;
            assert!(!zero_pages.contains(page), "page {page} is on flash, and remembered as zeroes");
            assert!(
                !dirty.is_zeroes(page) && !dirty.is_lost(page),
                "page {page} is on flash, and dirty without content"
            );
        });
        assert_eq!(live.values().map(|pages| u64::from(*pages)).sum::<u64>(), index.pages());
        for page in dirty.pages_within(ALL_PAGES) {
            assert!(index.get(PageNumber(page)).is_some(), "dirty page {page} is nowhere");
            assert!(!zero_pages.contains(page), "dirty page {page} is remembered as zeroes");
        }
        for pages in dirty.zeroes().iter().chain(dirty.lost().iter()) {
            assert!(!zero_pages.overlaps(&pages), "dirty pages {pages:?} are remembered as zeroes");
        }
        let counted = self.segments.lock_segments().live_of(self.disk);
        assert_eq!(live, counted, "live pages of segments of disk {}", self.disk);
    }
}
