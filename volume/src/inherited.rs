//! Pages of a clone that show the snapshot below it. Pure.
//!
//! A page without content of its own shows the snapshot if it lies below `bytes`, and was not made zeroes since. Both only ever hide: `bytes`
//! becomes smaller with the disk and never larger again, and pages that were made zeroes stay so, whatever is written over them and cleared
//! later. So applying groups twice ends where applying them once does.

use std::collections::BTreeMap;
use std::ops::Range;

use block::PAGE;

use super::canary::{self, Bug};

/// Pages that show the snapshot below.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Inherited {
    /// Bytes of the disk within which a page can show the snapshot; 0 for a volume that is no clone.
    bytes: u64,
    /// Ranges of pages that were made zeroes: end by start. No two touch.
    zeroes: BTreeMap<u64, u64>,
    /// Pages of these.
    zero_pages: u64,
}

impl Inherited {
    /// Creates that of a volume that shows so many bytes of the snapshot below.
    pub(crate) fn new(bytes: u64) -> Self {
        Self { bytes, ..Self::default() }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the pages within `pages` that can show the snapshot.
    pub(crate) fn within(&self, pages: &Range<u64>) -> Range<u64> {
        pages.start..pages.end.min(self.bytes / PAGE).max(pages.start)
    }

    /// Returns true if a page shows the snapshot, unless it has content of its own.
    pub(crate) fn shows(&self, page: u64) -> bool {
        let before = || self.zeroes.range(..=page).next_back();
        page < self.bytes / PAGE && before().is_none_or(|(_, end)| *end <= page)
    }

    /// Returns the number of these pages.
    pub(crate) fn shown(&self) -> u64 {
        self.bytes / PAGE - self.zero_pages
    }

    /// Returns the ranges within `pages` that were made zeroes, in order.
    pub(crate) fn zeroes(&self, pages: &Range<u64>) -> impl Iterator<Item = Range<u64>> {
        let within = self.within(pages);
        let first = self.zeroes.range(..within.start).next_back();
        let first = first.filter(|(_, end)| **end > within.start).into_iter();
        let touching = first.chain(self.zeroes.range(within.clone()));
        touching.map(move |(start, end)| (*start).max(within.start)..(*end).min(within.end))
    }

    /// Makes pages zeroes. Returns those that can have changed.
    pub(crate) fn hide(&mut self, pages: &Range<u64>) -> Range<u64> {
        let within = self.within(pages);
        let Range { mut start, mut end } = within.clone();
        if start >= end || canary::has(Bug::ZeroesLost) {
            return 0..0;
        }
        if let Some((before, until)) = self.zeroes.range(..=start).next_back() {
            if *until >= end {
                return 0..0;
            }
            if *until >= start {
                start = *before;
            }
        }
        while let Some((&next, &until)) = self.zeroes.range(start..=end).next() {
            end = end.max(until);
            self.zeroes.remove(&next);
            self.zero_pages -= until - next;
        }
        self.zeroes.insert(start, end);
        self.zero_pages += end - start;
        within
    }

    /// Hides what lies behind the end of the disk.
    pub(crate) fn shrink(&mut self, bytes: u64) {
        if bytes >= self.bytes {
            return;
        }
        self.bytes = bytes;
        drop(self.zeroes.split_off(&(bytes / PAGE)));
        if let Some(mut last) = self.zeroes.last_entry() {
            let end = (*last.get()).min(bytes / PAGE);
            last.insert(end);
        }
        self.zero_pages = self.zeroes.iter().map(|(start, end)| end - start).sum();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_what_an_array_of_pages_is(
            changes in proptest::collection::vec((0..40_u64, 0..9_u64, any::<u8>()), 0..40),
        ) {
            let mut inherited = Inherited::new(40 * PAGE);
            let mut shown = [true; 60];
            shown[40..].fill(false);
            for (start, len, kind) in changes {
                if kind < 20 {
                    inherited.shrink((start + 20) * PAGE);
                    shown[start as usize + 20..].fill(false);
                } else {
                    let changed = inherited.hide(&(start..start + len));
                    let is_any = shown[start as usize..(start + len) as usize].contains(&true);
                    prop_assert!(!is_any || changed.start <= start);
                    shown[start as usize..(start + len) as usize].fill(false);
                }
                let ends: Vec<_> = inherited.zeroes.iter().collect();
                prop_assert!(ends.windows(2).all(|two| two[0].1 < two[1].0));
            }
            let of_pages = (0..60).map(|page| inherited.shows(page));
            prop_assert_eq!(of_pages.collect::<Vec<_>>(), shown);
            prop_assert_eq!(inherited.shown(), shown.iter().filter(|is_shown| **is_shown).count() as u64);
            let all = inherited.within(&(0..60));
            prop_assert_eq!(all.start, 0);
            prop_assert!(!shown[all.end as usize..].contains(&true));
            let within = inherited.within(&(3..50));
            let mut found = [false; 60];
            found[within.start as usize..within.end as usize].fill(true);
            inherited.zeroes(&(3..50)).for_each(|range| found[range.start as usize..range.end as usize].fill(false));
            prop_assert_eq!(&found[3..], &shown[3..]);
        }
    }
}
