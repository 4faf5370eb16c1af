//! The chain of a block: the remaining pages that were written together, of which some were overwritten since.
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

use super::FlashLocation;

/// Runs before one among which its predecessor is searched: seldom are more of them overwritten one beside the other.
const RUNS_BACK: usize = 6;

/// Pages that lie next to each other on the disk and on flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IndexRun {
    /// The first of them, counted from the start of the block.
    pub(super) page: u32,
    pub(super) pages: u32,
    /// Its place on flash.
    pub(super) flash: u32,
    /// True if it is part of the chain.
    pub(super) is_chained: bool,
}

pub(super) type IndexRuns = SmallVec<[IndexRun; 16]>;

impl IndexRun {
    /// Returns all of a block, in the order of its pages; none is of a chain so far.
    pub(super) fn all_of(places: &[Option<FlashLocation>]) -> IndexRuns {
        let mut runs = IndexRuns::new();
        let mut open: Option<IndexRun> = None;
        for (page, place) in (0..).zip(places) {
            let flash = place.map(|located| located.flash.0);
            match (&mut open, flash) {
                (Some(run), Some(flash)) if run.flash.wrapping_add(run.pages) == flash => run.pages += 1,
                _ => {
                    runs.extend(open);
                    open = flash.map(|flash| IndexRun { page, pages: 1, flash, is_chained: false });
                }
            }
        }
        runs.extend(open);
        runs
    }

    pub(super) fn own_pages(&self) -> Range<usize> {
        self.page as usize..(self.page + self.pages) as usize
    }

    /// Returns true if it is behind `before` on the disk, and by no more on flash than there.
    fn follows(&self, before: &Self) -> bool {
        // It wraps: a place before the end of the other is very far behind it, and does not follow.
        let further = self.flash.wrapping_sub(before.flash.wrapping_add(before.pages));
        further <= self.page - (before.page + before.pages)
    }
}

/// Finds the longest chain of those in which each run follows the nearest that it can, of [`RUNS_BACK`] before it. Marks its runs if they
/// are at least `least`, and returns their number; else 0.
pub(super) fn mark_chain(runs: &mut [IndexRun], least: usize) -> usize {
    // Of each run, how many the chain has that ends with it, and which of them is the one before it.
    let mut ends: SmallVec<[(u16, u16); 16]> = SmallVec::with_capacity(runs.len());
    let mut longest = (0, 0);
    for (at, run) in runs.iter().enumerate() {
        let near = &runs[at.saturating_sub(RUNS_BACK)..at];
        let before = near.iter().rev().position(|before| run.follows(before)).map(|back| at - 1 - back);
        let end = before.map_or((1, 0), |before| (ends[before].0 + 1, before as u16));
        longest = longest.max((end.0, at));
        ends.push(end);
    }
    let (len, mut at) = longest;
    if usize::from(len) < least {
        return 0;
    }
    for _ in 0..len {
        runs[at].is_chained = true;
        at = usize::from(ends[at].1);
    }
    usize::from(len)
}

/// Calls back for each page behind which the chain is one further on flash: as many between two pages of the chain as they are apart there.
pub(super) fn chain_steps(runs: &[IndexRun], mut tell: impl FnMut(usize)) {
    let mut chained = runs.iter().filter(|run| run.is_chained).peekable();
    while let Some(run) = chained.next() {
        let steps = chained.peek().map_or(run.pages - 1, |next| next.flash.wrapping_sub(run.flash));
        (run.page..run.page + steps).for_each(|page| tell(page as usize));
    }
}
