//! The chain of a block: what is left of pages that were written together, of which some were overwritten since.
//!
//! On flash they lie in the order that they have on the disk: with holes where the others were, or without, if they were appended
//! again when their segment went. So of two runs of a chain the later one lies behind the other, and no further on flash than on the disk.
//!
//! ```text
//! page     0    1    2    3    4    5    6    7
//! flash   70   71  915   72   73  388   75   76     the chain is 70 71 72 73 75 76: page 2 was overwritten, what was left was
//! step     1    1         1    1    1    1          appended again, and then page 5 was overwritten
//! ```

use std::ops::Range;

use smallvec::SmallVec;

use super::Located;
use super::packed::BLOCK_PAGES_MAX;

/// Runs before one among which the one is looked for that it follows: seldom are more of them overwritten one beside the other.
const RUNS_BACK: usize = 6;

/// Pages that lie next to each other on the disk and on flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// The first of them, counted from the start of the block.
    pub(super) page: u32,
    pub(super) pages: u32,
    /// Where that is on flash.
    pub(super) flash: u32,
}

pub(super) type Runs = SmallVec<[Run; 16]>;

/// Some of the runs of a block, two at least.
pub(super) struct Chain {
    /// Their numbers, a bit each.
    runs: [u64; BLOCK_PAGES_MAX / u64::BITS as usize],
    len: usize,
    first: usize,
}

impl Run {
    /// All of a block, in the order of its pages.
    pub(super) fn all_of(places: &[Option<Located>]) -> Runs {
        let mut runs = Runs::new();
        let mut open: Option<Run> = None;
        for (page, place) in (0..).zip(places) {
            let flash = place.map(|located| located.flash.0);
            match (&mut open, flash) {
                (Some(run), Some(flash)) if run.flash.wrapping_add(run.pages) == flash => run.pages += 1,
                _ => {
                    runs.extend(open);
                    open = flash.map(|flash| Run { page, pages: 1, flash });
                }
            }
        }
        runs.extend(open);
        runs
    }

    pub(super) fn own_pages(&self) -> Range<usize> {
        self.page as usize..(self.page + self.pages) as usize
    }

    /// If it lies behind one that is before it on the disk, and no further on flash than there.
    fn follows(&self, before: &Self) -> bool {
        // It wraps: what lies before the end of the other is very far behind it, and does not follow.
        let further = self.flash.wrapping_sub(before.flash.wrapping_add(before.pages));
        further <= self.page - (before.page + before.pages)
    }
}

impl Chain {
    /// The longest one of those in which each run follows the nearest that it can, of [`RUNS_BACK`] before it. None if none does.
    pub(super) fn of(runs: &[Run]) -> Option<Self> {
        // Of each run, how many the chain has that ends with it, and which of them is the one before it.
        let mut ends: SmallVec<[(u16, u16); 16]> = SmallVec::with_capacity(runs.len());
        let mut longest = (1, 0);
        for (at, run) in runs.iter().enumerate() {
            let near = &runs[at.saturating_sub(RUNS_BACK)..at];
            let mut end = (1, 0);
            if let Some(back) = near.iter().rev().position(|before| run.follows(before)) {
                let before = at - 1 - back;
                end = (ends[before].0 + 1, before as u16);
                longest = longest.max((end.0, at));
            }
            ends.push(end);
        }
        let (len, mut at) = longest;
        if len == 1 {
            return None;
        }
        let mut chain = Self { runs: [0; _], len: usize::from(len), first: 0 };
        for _ in 0..len {
            chain.first = at;
            chain.runs[at / 64] |= 1 << (at % 64);
            at = usize::from(ends[at].1);
        }
        Some(chain)
    }

    /// Runs that are of it.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The number of its first run.
    pub(super) fn first(&self) -> usize {
        self.first
    }

    /// True if a run is of it, by its number.
    pub(super) fn has(&self, run: usize) -> bool {
        self.runs[run / 64] >> (run % 64) & 1 == 1
    }

    /// Tells of each page behind which the chain is one further on flash: as many between two pages of the chain as they are apart there.
    pub(super) fn steps(&self, runs: &[Run], mut tell: impl FnMut(usize)) {
        let mut chained =
            runs.iter().enumerate().filter(|(at, _)| self.has(*at)).map(|(_, run)| run).peekable();
        while let Some(run) = chained.next() {
            let steps = chained.peek().map_or(run.pages - 1, |next| next.flash.wrapping_sub(run.flash));
            (run.page..run.page + steps).for_each(|page| tell(page as usize));
        }
    }
}
