//! Replay: builds an index of trusted pages from the segments of a disk, newest first. Loading a disk and checking a pool offline both
//! decide by this code.
//!
//! The log of a disk is in order of versions, so the first entry that is found of a page, counted from the end of the log, decides: it
//! holds the content, or it is `forget` or `zeroes`, and nothing older is trusted. Only `destaged` applies to entries before it: the
//! backing has them, so they are clean. A write of a guest with no `destaged` behind it is dirty, and is trusted whatever the backing
//! may hold.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;

use block::Buffer;

use super::dirty::Dirty;
use super::index::Index;
use super::ranges::Ranges;
use super::write_intent_bitmap::LogEnd;
use crate::format::batch::{EntryKind, unmap_of_zeroes};
use crate::format::summary::{Content, SummaryRun};
use crate::types::limits::PAGE_BYTES;
use crate::types::units::{FlashPage, PageNumber};

/// Trust in previously cached data (recovery trust).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecoveryTrust {
    /// Nothing, and why: the disk is new, or its backing has changed. A disk with dirty data is not attached so: that belongs to the
    /// backing as it was.
    Nothing(String),
    /// Dirty data only, and why: the backing is the same one, and may have lost acknowledged writes.
    DirtyOnly(String),
    /// Nothing at all, and why: the flash failed, and the disk went on without it. Its dirty data is outdated.
    Invalidated(String),
    /// All but the pages whose bit is set: the bits are those that the last process left. Only for a backing that loses
    /// nothing but with the power of this host: one that may have lost its connection since, with writes that it had
    /// acknowledged, is another backing than the one that was cached.
    ByPage,
    /// All but the regions with an open intent: the power went, and the bits with it.
    ByRegion,
}

/// Change to the bits of a region when a disk is attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bits {
    /// They mark the pages that are not trusted.
    Kept,
    /// No page of the region is trusted.
    Set,
    /// Every page of it is.
    Cleared,
}

impl RecoveryTrust {
    /// Returns the change to the bits of a region, open or not.
    pub(crate) fn bits(&self, open: bool) -> Bits {
        match self {
            Self::ByPage if open => Bits::Kept,
            Self::ByRegion if open => Bits::Set,
            Self::DirtyOnly(_) => Bits::Set,
            // A closed region was at rest: its bits had no meaning any more. And for void content, none has any.
            _ => Bits::Cleared,
        }
    }

    /// Returns the possible state of the end of the log, if the process had written up to `end`.
    pub(crate) fn tail(&self, end: LogEnd) -> TailDamage {
        match self {
            // The end that the process had reached is in memory that a power cut erases. A process that appended nothing, perhaps because
            // it ended before it had loaded anything, has no information on what a power cut left to it.
            Self::ByPage | Self::DirtyOnly(_) if end != LogEnd::default() => TailDamage::Written(end),
            _ => TailDamage::NotFlushed,
        }
    }
}

/// Possible damage to the batches at the end of the newest segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TailDamage {
    /// The power went: each batch that was not flushed may be missing, whatever is behind it.
    NotFlushed,
    /// Only the process ended: each was written before the next one was begun, so only one may be missing, which is the
    /// last, and was not noted as written.
    Written(LogEnd),
}

/// Outcome for the pages that segments hold. Counted in versions of pages: one page may have several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReplayCounts {
    /// Newest versions that are not trusted, because the backing may have changed behind them.
    pub(crate) dropped: u64,
    /// Versions that the log itself invalidates.
    pub(crate) forgotten: u64,
}

/// State of the replay.
pub(crate) struct Replay {
    region_pages: u64,
    pub(crate) index: Index,
    pub(crate) dirty: Dirty,
    pub(crate) counts: ReplayCounts,
    /// Pages of all entries of the last segment that the index does not point to.
    pub(crate) dead: Vec<PageNumber>,
    /// Pages whose older versions are void, as bits, by region.
    forgotten: BTreeMap<u64, Buffer>,
    /// Pages whose older versions are void, because they were made zeroes or are lost.
    replaced: Ranges,
    /// Pages of which the backing has all earlier log entries.
    destaged: Ranges,
}

impl Replay {
    /// Creates the state for a disk with such blocks and regions; the salt is that of [`Index::new`].
    pub(crate) fn new(block_pages: u32, region_pages: u32, salt: u64) -> Self {
        Self {
            region_pages: u64::from(region_pages),
            index: Index::new(block_pages, salt),
            dirty: Dirty::default(),
            counts: ReplayCounts::default(),
            dead: Vec::new(),
            forgotten: BTreeMap::new(),
            replaced: Ranges::default(),
            destaged: Ranges::default(),
        }
    }

    /// Replays a segment, last entry first, and returns how many of its pages are in the index now. `forgets` are the bits of its `forget`
    /// entries in order; `entered` is called for each run of which some page was indexed.
    pub(crate) fn enter(
        &mut self,
        start: FlashPage,
        content: &Content,
        mut forgets: Vec<Buffer>,
        is_touched: impl Fn(PageNumber) -> bool,
        mut entered: impl FnMut(&SummaryRun, &[u32]),
    ) -> u32 {
        let mut total = 0;
        self.dead.clear();
        for run in content.runs.iter().rev() {
            let flash = start.plus(run.place);
            let checksums = content.checksums(run);
            match run.kind {
                EntryKind::Fill => {
                    let now = self.enter_run(run.page, flash, checksums, &is_touched);
                    if now > 0 {
                        entered(run, checksums);
                    }
                    total += now;
                    self.note_dead(run, flash, now);
                }
                EntryKind::Write => {
                    let now = self.enter_writes(run, flash, checksums, &is_touched);
                    total += now;
                    self.note_dead(run, flash, now);
                }
                EntryKind::Forget => {
                    for _ in 0..run.pages {
                        let bits = forgets.pop().expect("one for each line");
                        self.forget(run.page, bits);
                    }
                }
                EntryKind::Destaged => self.destaged.insert(pages_of(run)),
                EntryKind::Zeroes => {
                    let unmap = unmap_of_zeroes(run.place);
                    self.replace(pages_of(run), |dirty, pages| dirty.add_zeroes(pages, unmap));
                }
                EntryKind::Lost => self.replace(pages_of(run), Dirty::add_lost),
                // They stand among the notes of all disks.
                EntryKind::Intent | EntryKind::CloseIntent => {}
            }
        }
        total
    }

    /// Records which pages of a run the index did not take; `entered` is the number that it did.
    fn note_dead(&mut self, run: &SummaryRun, flash: FlashPage, entered: u32) {
        if entered as usize == run.pages {
            return;
        }
        for (page, flash) in
            (run.page.0..).map(PageNumber).zip((0..run.pages as u32).map(|at| flash.plus(at)))
        {
            if self.index.get(page).is_none_or(|located| located.flash != flash) {
                self.dead.push(page);
            }
        }
    }

    /// Replays writes of guests: clean if the backing has them, and dirty otherwise.
    fn enter_writes(
        &mut self,
        run: &SummaryRun,
        flash: FlashPage,
        checksums: &[u32],
        is_touched: impl Fn(PageNumber) -> bool,
    ) -> u32 {
        let mut entered = 0;
        let pages = pages_of(run);
        let mut at = pages.start;
        while at < pages.end {
            let destaged = self.destaged.first_within(at..pages.end);
            let dirty_end = destaged.as_ref().map_or(pages.end, |destaged| destaged.start);
            let part = |from: u64, to: u64| {
                let (skip, count) = ((from - pages.start) as usize, (to - from) as usize);
                (flash.plus(skip as u32), &checksums[skip..skip + count])
            };
            if at < dirty_end {
                let (flash, checksums) = part(at, dirty_end);
                let (forgotten, replaced, pages) = (&self.forgotten, &self.replaced, self.region_pages);
                let counted = RefCell::new(Vec::new());
                let wanted = |page: PageNumber| {
                    let wanted = !is_invalidated(forgotten, replaced, pages, page);
                    if wanted {
                        counted.borrow_mut().push(page.0);
                    }
                    wanted
                };
                entered += self.index.insert_absent(PageNumber(at), flash, checksums, wanted);
                counted.into_inner().into_iter().for_each(|page| self.dirty.add_page(page));
            }
            if let Some(destaged) = destaged {
                let (flash, checksums) = part(destaged.start, destaged.end);
                entered += self.enter_run(PageNumber(destaged.start), flash, checksums, &is_touched);
                at = destaged.end;
            } else {
                at = pages.end;
            }
        }
        entered
    }

    /// Invalidates older versions of these pages; this entry counts where it is dirty.
    fn replace(&mut self, pages: Range<u64>, add: impl Fn(&mut Dirty, Range<u64>)) {
        let mut left = Ranges::default();
        left.insert(pages.clone());
        for known in self.destaged.within(pages.clone()).chain(self.replaced.within(pages.clone())) {
            left.remove(&known);
        }
        self.index.pages_within(pages.clone(), |page| left.remove(&(page..page + 1)));
        let regions = pages.start / self.region_pages..pages.end.div_ceil(self.region_pages);
        for (region, bits) in self.forgotten.range(regions) {
            let first = region * self.region_pages;
            for page in (0..self.region_pages).filter(|at| is_set(bits, *at)).map(|at| first + at) {
                left.remove(&(page..page + 1));
            }
        }
        left.iter().for_each(|pages| add(&mut self.dirty, pages));
        self.replaced.insert(pages);
    }

    fn enter_run(
        &mut self,
        first: PageNumber,
        flash: FlashPage,
        checksums: &[u32],
        is_touched: impl Fn(PageNumber) -> bool,
    ) -> u32 {
        let (forgotten, replaced, region_pages) = (&self.forgotten, &self.replaced, self.region_pages);
        let (void, dropped) = (Cell::new(0), RefCell::new(Vec::new()));
        let wanted = |page: PageNumber| {
            if is_invalidated(forgotten, replaced, region_pages, page) {
                void.set(void.get() + 1);
                return false;
            }
            let touched = is_touched(page);
            if touched {
                dropped.borrow_mut().push(page);
            }
            !touched
        };
        let entered = self.index.insert_absent(first, flash, checksums, wanted);
        self.counts.forgotten += void.get();
        let dropped = dropped.into_inner();
        self.counts.dropped += dropped.len() as u64;
        for page in dropped {
            // Its older versions are not dropped a second time.
            let bits = self.forgotten.entry(page.0 / region_pages);
            let bits = bits.or_insert_with(|| Buffer::zeroed(PAGE_BYTES));
            let at = page.0 % region_pages;
            bits[(at / 8) as usize] |= 1 << (at % 8);
        }
        entered
    }

    /// Invalidates older versions of these pages. Those that are indexed already are newer.
    fn forget(&mut self, first: PageNumber, bits: Buffer) {
        match self.forgotten.entry(first.0 / self.region_pages) {
            Entry::Vacant(vacant) => drop(vacant.insert(bits)),
            Entry::Occupied(mut known) => {
                known.get_mut().iter_mut().zip(bits.iter()).for_each(|(known, more)| *known |= more);
            }
        }
    }
}

/// Returns the pages that a run speaks of.
fn pages_of(run: &SummaryRun) -> Range<u64> {
    run.page.0..run.page.0 + run.pages as u64
}

fn is_invalidated(
    forgotten: &BTreeMap<u64, Buffer>,
    replaced: &Ranges,
    region_pages: u64,
    page: PageNumber,
) -> bool {
    let bits = forgotten.get(&(page.0 / region_pages));
    bits.is_some_and(|bits| is_set(bits, page.0 % region_pages)) || replaced.contains(page.0)
}

fn is_set(bits: &[u8], at: u64) -> bool {
    bits[(at / 8) as usize] >> (at % 8) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::summary::SummaryEntry;
    use crate::types::units::Sequence;

    fn content(lines: &[(EntryKind, u64)]) -> Content {
        let mut content = Content::default();
        for ((kind, page), place) in lines.iter().zip(1u32..) {
            let (page, sequence) = (PageNumber(*page), Sequence(u64::from(place)));
            content.push(&SummaryEntry { page, kind: *kind, sequence, checksum: place, place });
        }
        content
    }

    fn bits(pages: &[u64]) -> Buffer {
        let mut bits = Buffer::zeroed(PAGE_BYTES);
        for at in pages {
            bits[(at / 8) as usize] |= 1 << (at % 8);
        }
        bits
    }

    #[test]
    fn the_first_line_from_the_end_says_all() {
        let mut replay = Replay::new(1, 64, 7);
        let touched = |page: PageNumber| page.0 == 9;
        let lines = [
            (EntryKind::Fill, 1),
            (EntryKind::Fill, 2),
            (EntryKind::Forget, 0),
            (EntryKind::Fill, 2),
            (EntryKind::Fill, 9),
        ];
        let newest = replay.enter(FlashPage(100), &content(&lines), vec![bits(&[1, 2])], touched, |_, _| {});
        assert_eq!(newest, 1, "page 2 behind the forget, not page 1 before it, nor page 9");
        let older = [(EntryKind::Fill, 1), (EntryKind::Fill, 2), (EntryKind::Fill, 3), (EntryKind::Fill, 9)];
        let mut runs = 0;
        let entered = replay.enter(FlashPage(200), &content(&older), Vec::new(), touched, |_, _| runs += 1);
        assert_eq!((entered, runs), (1, 1), "page 3 only");
        assert_eq!(replay.index.get(PageNumber(2)).map(|located| located.flash), Some(FlashPage(104)));
        assert_eq!(replay.counts.dropped, 1, "page 9 is dropped once, however many versions it has");
        assert_eq!(replay.counts.forgotten, 3, "page 1 twice, and page 9's older version");
    }

    #[test]
    fn what_guests_wrote_is_dirty_unless_home_stands_behind_it() {
        let mut content = content(&[(EntryKind::Write, 1), (EntryKind::Write, 2), (EntryKind::Write, 5)]);
        content.push_range(EntryKind::Destaged, PageNumber(2), Sequence(9), 2, 0);
        content.push_range(EntryKind::Zeroes, PageNumber(7), Sequence(10), 4, 0);
        let newer = self::content(&[(EntryKind::Write, 5), (EntryKind::Write, 8), (EntryKind::Fill, 9)]);
        let mut replay = Replay::new(1, 64, 7);
        assert_eq!(replay.enter(FlashPage(100), &newer, Vec::new(), |_| true, |_, _| {}), 2);
        assert_eq!(replay.enter(FlashPage(200), &content, Vec::new(), |_| true, |_, _| {}), 1);
        let dirty: Vec<u64> = replay.dirty.pages_within(0..64).collect();
        assert_eq!(dirty, [1, 5, 8], "2 is home, and touched");
        assert_eq!(replay.dirty.zeroes().iter().collect::<Vec<_>>(), [7..8, 10..11], "8 and 9 came later");
        let place = |page| replay.index.get(PageNumber(page)).map(|located| located.flash.0);
        assert_eq!([1, 2, 5, 7, 8, 9].map(place), [Some(201), None, Some(101), None, Some(102), None]);
        let mut older = Content::default();
        older.push_range(EntryKind::Lost, PageNumber(0), Sequence(1), 12, 0);
        replay.enter(FlashPage(300), &older, Vec::new(), |_| false, |_, _| {});
        let lost: Vec<_> = replay.dirty.lost().iter().collect();
        assert_eq!(lost, [0..1, 4..5, 6..7, 11..12], "2 and 3 are home, and the others have something newer");
    }

    #[test]
    fn only_a_process_that_appended_says_how_its_log_ends() {
        let end = LogEnd { generation: Sequence(7), place: 3 };
        for (belief, written) in [
            (RecoveryTrust::ByPage, true),
            (RecoveryTrust::DirtyOnly(String::new()), true),
            (RecoveryTrust::ByRegion, false),
            (RecoveryTrust::Nothing(String::new()), false),
        ] {
            let expected = if written { TailDamage::Written(end) } else { TailDamage::NotFlushed };
            assert_eq!(belief.tail(end), expected, "{belief:?}");
            assert_eq!(belief.tail(LogEnd::default()), TailDamage::NotFlushed, "{belief:?}");
        }
    }

    #[test]
    fn bits_count_only_in_open_regions_and_a_power_cut_sets_them_all() {
        for (belief, open, bits) in [
            (RecoveryTrust::ByPage, true, Bits::Kept),
            (RecoveryTrust::ByPage, false, Bits::Cleared),
            (RecoveryTrust::ByRegion, true, Bits::Set),
            (RecoveryTrust::ByRegion, false, Bits::Cleared),
            (RecoveryTrust::Nothing(String::new()), true, Bits::Cleared),
            (RecoveryTrust::DirtyOnly(String::new()), false, Bits::Set),
        ] {
            assert_eq!(belief.bits(open), bits, "{belief:?}, open: {open}");
        }
    }
}
