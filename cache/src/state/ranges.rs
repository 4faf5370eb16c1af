//! Sets of pages as ranges that do not touch each other: for records that cover long stretches of a disk.

use std::collections::BTreeMap;
use std::ops::Range;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ranges {
    /// Ends by starts.
    ranges: BTreeMap<u64, u64>,
}

impl Ranges {
    /// Returns true if there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Returns the number of ranges.
    pub(crate) fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Returns true if a page is inside.
    pub(crate) fn contains(&self, page: u64) -> bool {
        self.ranges.range(..=page).next_back().is_some_and(|(_, end)| page < *end)
    }

    /// Returns true if any of these pages is inside.
    pub(crate) fn overlaps(&self, pages: &Range<u64>) -> bool {
        self.first_within(pages.clone()).is_some()
    }

    /// Returns the first part of a range that is inside.
    pub(crate) fn first_within(&self, pages: Range<u64>) -> Option<Range<u64>> {
        let around = self.ranges.range(..=pages.start).next_back().filter(|(_, end)| **end > pages.start);
        let (start, end) = around.or_else(|| self.ranges.range(pages.start..pages.end).next())?;
        let part = *start.max(&pages.start)..*end.min(&pages.end);
        (part.start < part.end).then_some(part)
    }

    /// Returns the parts of a range that are inside, in order.
    pub(crate) fn within(&self, pages: Range<u64>) -> impl Iterator<Item = Range<u64>> + '_ {
        let mut from = pages.start;
        std::iter::from_fn(move || {
            let part = (from < pages.end).then(|| self.first_within(from..pages.end)).flatten()?;
            from = part.end;
            Some(part)
        })
    }

    /// Returns all of them, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        self.ranges.iter().map(|(start, end)| *start..*end)
    }

    /// Returns the number of pages inside.
    pub(crate) fn pages(&self) -> u64 {
        self.iter().map(|range| range.end - range.start).sum()
    }

    /// Adds a range, joined with ranges that touch it.
    pub(crate) fn insert(&mut self, pages: Range<u64>) {
        if pages.is_empty() {
            return;
        }
        let (mut start, mut end) = (pages.start, pages.end);
        while let Some((other, other_end)) = self.ranges.range(..=end).next_back().map(|(a, b)| (*a, *b)) {
            if other_end < start {
                break;
            }
            self.ranges.remove(&other);
            (start, end) = (start.min(other), end.max(other_end));
        }
        self.ranges.insert(start, end);
    }

    /// Takes a range out.
    pub(crate) fn remove(&mut self, pages: &Range<u64>) {
        while let Some(part) = self.first_within(pages.clone()) {
            let (start, end) =
                self.ranges.range(..=part.start).next_back().map(|(a, b)| (*a, *b)).expect("it has a part");
            self.ranges.remove(&start);
            if start < part.start {
                self.ranges.insert(start, part.start);
            }
            if part.end < end {
                self.ranges.insert(part.end, end);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ranges_agree_with_a_plain_set(
            ops in proptest::collection::vec((any::<bool>(), 0..60u64, 0..20u64), 1..60),
            asked in 0..60u64,
            length in 0..30u64,
        ) {
            let mut ranges = Ranges::default();
            let mut model = BTreeSet::new();
            for (adds, start, length) in ops {
                let pages = start..start + length;
                if adds {
                    ranges.insert(pages.clone());
                    model.extend(pages);
                } else {
                    ranges.remove(&pages);
                    model.retain(|page| !pages.contains(page));
                }
            }
            let asked = asked..asked + length;
            for page in 0..90 {
                prop_assert_eq!(ranges.contains(page), model.contains(&page));
            }
            let inside: Vec<u64> = asked.clone().filter(|page| model.contains(page)).collect();
            prop_assert_eq!(ranges.within(asked.clone()).flatten().collect::<Vec<_>>(), inside.clone());
            prop_assert_eq!(ranges.overlaps(&asked), !inside.is_empty());
            prop_assert_eq!(ranges.pages(), model.len() as u64);
            let all: Vec<Range<u64>> = ranges.iter().collect();
            prop_assert!(all.windows(2).all(|two| two[0].end < two[1].start), "apart: {:?}", all);
        }
    }
}
