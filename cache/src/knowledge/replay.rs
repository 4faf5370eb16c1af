//! Replay: from what the segments of a disk say, newest first, to an index of what is believed. Loading a disk and
//! checking a pool offline decide by these very lines.
//!
//! The log of a disk is in order of versions, so the first line that is found of a page, counted from its end, says all:
//! it holds the content, or it says `forget`, and nothing older is believed.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use block::Buffer;

use super::index::Index;
use crate::bytes::batch::Kind;
use crate::bytes::summary::{Content, Run};
use crate::words::limits::PAGE_BYTES;
use crate::words::units::{FlashPage, PageNumber};

/// How much of what was cached before is believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Belief {
    /// Nothing, and why: the disk is new, or its backing is not what it was.
    Nothing(String),
    /// All but the pages whose bit is set: the bits are those that the last process left. Only for a backing that loses
    /// nothing but with the power of this host: one that may have lost its connection since, with writes that it had
    /// acknowledged, is another backing than the one that was cached.
    ByPage,
    /// All but the regions with an open intent: the power went, and the bits with it.
    ByRegion,
}

/// What becomes of the bits of a region when a disk is taken up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bits {
    /// They say which pages are not believed.
    Kept,
    /// No page of the region is believed.
    Set,
    /// Every page of it is.
    Cleared,
}

impl Belief {
    /// What becomes of the bits of a region, open or not.
    pub(crate) fn bits(&self, open: bool) -> Bits {
        match self {
            Self::ByPage if open => Bits::Kept,
            Self::ByRegion if open => Bits::Set,
            // A closed region was at rest: its bits were of no meaning any more. And of what is void, none has any.
            _ => Bits::Cleared,
        }
    }

    /// What may have become of the end of the log.
    pub(crate) fn tail(&self) -> Tail {
        if *self == Self::ByPage { Tail::Written } else { Tail::NotFlushed }
    }
}

/// What may have become of the batches at the end of the newest segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tail {
    /// The power went: each that was not flushed may be missing, whatever stands behind it.
    NotFlushed,
    /// Only the process ended: each was written before the next one was begun, so only the last one may be missing.
    Written,
}

/// What became of the pages that segments hold. Counted in versions of pages: one page may have several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Newest versions that are not believed, because the backing may have changed behind them.
    pub(crate) dropped: u64,
    /// Versions that the log itself says are void.
    pub(crate) forgotten: u64,
}

/// What is known so far.
pub(crate) struct Replay {
    region_pages: u64,
    pub(crate) index: Index,
    pub(crate) counts: Counts,
    /// Pages whose older versions are void, as bits, by region.
    forgotten: BTreeMap<u64, Buffer>,
}

impl Replay {
    pub(crate) fn new(block_pages: u32, region_pages: u32) -> Self {
        Self {
            region_pages: u64::from(region_pages),
            index: Index::new(block_pages),
            counts: Counts::default(),
            forgotten: BTreeMap::new(),
        }
    }

    /// Takes over what a segment holds, last line first, and returns how many pages of it the index knows now. `forgets`
    /// are the bits of its `forget` lines in order; `entered` is told of each run of which some page became known.
    pub(crate) fn enter(
        &mut self,
        start: FlashPage,
        content: &Content,
        mut forgets: Vec<Buffer>,
        is_touched: impl Fn(PageNumber) -> bool,
        mut entered: impl FnMut(&Run, &[u32]),
    ) -> u32 {
        let mut total = 0;
        for run in content.runs.iter().rev() {
            match run.kind {
                Kind::Fill => {
                    let checksums = content.checksums(run);
                    let now = self.enter_run(run, start.plus(run.place), checksums, &is_touched);
                    if now > 0 {
                        entered(run, checksums);
                    }
                    total += now;
                }
                Kind::Forget => {
                    for _ in 0..run.pages {
                        let bits = forgets.pop().expect("one for each line");
                        self.forget(run.page, bits);
                    }
                }
                // Nobody writes others into the log of a disk yet.
                _ => {}
            }
        }
        total
    }

    fn enter_run(
        &mut self,
        run: &Run,
        flash: FlashPage,
        checksums: &[u32],
        is_touched: impl Fn(PageNumber) -> bool,
    ) -> u32 {
        let (forgotten, region_pages) = (&self.forgotten, self.region_pages);
        let (void, dropped) = (Cell::new(0), RefCell::new(Vec::new()));
        let wanted = |page: PageNumber| {
            let bits = forgotten.get(&(page.0 / region_pages));
            if bits.is_some_and(|bits| is_set(bits, page.0 % region_pages)) {
                void.set(void.get() + 1);
                return false;
            }
            let touched = is_touched(page);
            if touched {
                dropped.borrow_mut().push(page);
            }
            !touched
        };
        let entered = self.index.insert_absent(run.page, flash, checksums, wanted);
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

    /// Nothing older of these pages counts. Those that are known already came later.
    fn forget(&mut self, first: PageNumber, bits: Buffer) {
        match self.forgotten.entry(first.0 / self.region_pages) {
            Entry::Vacant(vacant) => drop(vacant.insert(bits)),
            Entry::Occupied(mut known) => {
                known.get_mut().iter_mut().zip(bits.iter()).for_each(|(known, more)| *known |= more);
            }
        }
    }
}

fn is_set(bits: &[u8], at: u64) -> bool {
    bits[(at / 8) as usize] >> (at % 8) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::summary::Line;
    use crate::words::units::Sequence;

    fn content(lines: &[(Kind, u64)]) -> Content {
        let mut content = Content::default();
        for ((kind, page), place) in lines.iter().zip(1u32..) {
            let (page, sequence) = (PageNumber(*page), Sequence(u64::from(place)));
            content.push(&Line { page, kind: *kind, sequence, checksum: place, place });
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
        let mut replay = Replay::new(1, 64);
        let touched = |page: PageNumber| page.0 == 9;
        let lines = [(Kind::Fill, 1), (Kind::Fill, 2), (Kind::Forget, 0), (Kind::Fill, 2), (Kind::Fill, 9)];
        let newest = replay.enter(FlashPage(100), &content(&lines), vec![bits(&[1, 2])], touched, |_, _| {});
        assert_eq!(newest, 1, "page 2 behind the forget, not page 1 before it, nor page 9");
        let older = [(Kind::Fill, 1), (Kind::Fill, 2), (Kind::Fill, 3), (Kind::Fill, 9)];
        let mut runs = 0;
        let entered = replay.enter(FlashPage(200), &content(&older), Vec::new(), touched, |_, _| runs += 1);
        assert_eq!((entered, runs), (1, 1), "page 3 only");
        assert_eq!(replay.index.get(PageNumber(2)).map(|located| located.flash), Some(FlashPage(104)));
        assert_eq!(replay.counts.dropped, 1, "page 9 is dropped once, however many versions it has");
        assert_eq!(replay.counts.forgotten, 3, "page 1 twice, and page 9's older version");
    }

    #[test]
    fn bits_count_only_in_open_regions_and_a_power_cut_sets_them_all() {
        for (belief, open, bits) in [
            (Belief::ByPage, true, Bits::Kept),
            (Belief::ByPage, false, Bits::Cleared),
            (Belief::ByRegion, true, Bits::Set),
            (Belief::ByRegion, false, Bits::Cleared),
            (Belief::Nothing(String::new()), true, Bits::Cleared),
        ] {
            assert_eq!(belief.bits(open), bits, "{belief:?}, open: {open}");
        }
    }
}
