//! Extents: the parts of a disk that hold data, for clients that copy only these, as backups do.
//!
//! The backing knows its holes, but not the dirty data on flash: that is data wherever it is. So are lost pages, which have to be an error
//! and not zeroes. To report a hole as data is always right; the reverse would leave acknowledged data out of a copy.

use block::{BlockDevice, BlockError, ByteRange, Extent, PAGE};

use super::ctx::Ctx;
use crate::state::dirty::Dirty;
use crate::state::ranges::Ranges;
use crate::types::env::Env;

/// Runs that are reported one by one; what follows them is reported as data.
const RUNS_MAX: usize = 16_384;

/// Returns the parts of `range` that hold data, in order and without gaps. The caller has checked the range, and has waited until it is
/// known what is dirty.
pub(crate) async fn extents<E: Env>(
    Ctx { cache, backing, .. }: &Ctx<E>,
    range: ByteRange,
) -> Result<Vec<Extent>, BlockError> {
    // Taken before the backing is asked: the backing has what is destaged in between.
    let away = cache.catalog.with_dirty(|dirty| away(dirty, &range));
    let extents = backing.extents(range).await?;
    Ok(if away.is_empty() { extents } else { overlay(&extents, &away) })
}

/// Returns the pages of which the backing lacks content.
fn away(dirty: &Dirty, range: &ByteRange) -> Ranges {
    let pages = range.start / PAGE..range.end.div_ceil(PAGE);
    let mut away = Ranges::default();
    dirty.lost().within(pages.clone()).for_each(|lost| away.insert(lost));
    for page in dirty.pages_within(pages.clone()) {
        if away.len() >= RUNS_MAX {
            away.insert(page..pages.end);
            break;
        }
        away.insert(page..page + 1);
    }
    away
}

/// Returns the same extents, in which these pages are data.
fn overlay(extents: &[Extent], away: &Ranges) -> Vec<Extent> {
    let mut all = Vec::with_capacity(extents.len());
    for Extent { range, allocated } in extents {
        if *allocated {
            push(&mut all, range.start, range.end, true);
            continue;
        }
        let mut from = range.start;
        for run in away.within(range.start / PAGE..range.end.div_ceil(PAGE)) {
            let (start, end) = ((run.start * PAGE).max(from), (run.end * PAGE).min(range.end));
            push(&mut all, from, start, false);
            push(&mut all, start, end, true);
            from = end;
        }
        push(&mut all, from, range.end, false);
    }
    all
}

/// Adds a stretch, to the one before if that is of the same kind.
fn push(all: &mut Vec<Extent>, start: u64, end: u64, allocated: bool) {
    if start >= end {
        return;
    }
    match all.last_mut() {
        Some(last) if last.allocated == allocated => last.range.end = end,
        _ => all.push(Extent { range: ByteRange::new(start, end), allocated }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(start: u64, end: u64, allocated: bool) -> Extent {
        Extent { range: ByteRange::new(start * PAGE, end * PAGE), allocated }
    }

    #[test]
    fn what_is_away_is_data_in_the_holes_of_the_backing() {
        let mut dirty = Dirty::default();
        for page in [2, 3, 7, 9] {
            dirty.add_page(page);
        }
        dirty.add_lost(12..13);
        dirty.add_zeroes(14..15, block::Unmap::Allowed);
        let all = ByteRange::new(0, 16 * PAGE);
        let holes = [extent(0, 6, false), extent(6, 8, true), extent(8, 16, false)];
        assert_eq!(
            overlay(&holes, &away(&dirty, &all)),
            [
                extent(0, 2, false),
                extent(2, 4, true),
                extent(4, 6, false),
                extent(6, 8, true),
                extent(8, 9, false),
                extent(9, 10, true),
                extent(10, 12, false),
                extent(12, 13, true),
                extent(13, 16, false),
            ]
        );
    }

    #[test]
    fn a_part_of_a_page_is_as_the_page_is() {
        let mut dirty = Dirty::default();
        dirty.add_page(1);
        let range = ByteRange::new(PAGE + 512, 3 * PAGE);
        let hole = [Extent { range, allocated: false }];
        assert_eq!(
            overlay(&hole, &away(&dirty, &range)),
            [Extent { range: ByteRange::new(PAGE + 512, 2 * PAGE), allocated: true }, extent(2, 3, false)]
        );
    }

    #[test]
    fn many_runs_become_one_at_the_end() {
        let mut dirty = Dirty::default();
        let pages = 3 * RUNS_MAX as u64;
        (0..pages).step_by(2).for_each(|page| dirty.add_page(page));
        let found = away(&dirty, &ByteRange::new(0, pages * PAGE));
        assert!(found.len() <= RUNS_MAX + 1);
        assert!((0..pages).step_by(2).all(|page| found.contains(page)));
        assert!(!found.contains(1) && found.contains(pages - 1));
    }
}
