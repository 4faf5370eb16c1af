//! A map from ranges of pages to what they are; later insertions replace earlier ones. Pure.

use std::collections::BTreeMap;
use std::ops::Range;

/// A map from ranges of pages to values.
#[derive(Clone, Debug)]
pub(crate) struct RangeMap<V> {
    /// End and value, by start. No two overlap.
    ranges: BTreeMap<u64, (u64, V)>,
}

impl<V> Default for RangeMap<V> {
    fn default() -> Self {
        Self { ranges: BTreeMap::new() }
    }
}

impl<V: Clone> RangeMap<V> {
    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Replaces what is in `range`.
    pub(crate) fn insert(&mut self, range: Range<u64>, value: V) {
        if range.is_empty() {
            return;
        }
        if let Some((&start, (end, before))) = self.ranges.range_mut(..range.start).next_back()
            && *end > range.start
        {
            let (old_end, before) = (*end, before.clone());
            *end = range.start;
            debug_assert!(start < range.start);
            if old_end > range.end {
                self.ranges.insert(range.end, (old_end, before));
            }
        }
        while let Some((&start, _)) = self.ranges.range(range.clone()).next() {
            let (end, value) = self.ranges.remove(&start).expect("it was there");
            if end > range.end {
                self.ranges.insert(range.end, (end, value));
            }
        }
        self.ranges.insert(range.start, (range.end, value));
    }

    /// Returns the ranges that touch `range`, whole and in order.
    pub(crate) fn touching(&self, range: &Range<u64>) -> impl Iterator<Item = (Range<u64>, &V)> {
        let first = self.ranges.range(..range.start).next_back();
        let first = first.filter(|(_, (end, _))| *end > range.start).into_iter();
        first.chain(self.ranges.range(range.clone())).map(|(start, (end, value))| (*start..*end, value))
    }

    /// Returns all ranges in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Range<u64>, &V)> {
        self.ranges.iter().map(|(start, (end, value))| (*start..*end, value))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_what_an_array_of_pages_is(writes in proptest::collection::vec((0..40_u64, 0..9_u64), 0..40)) {
            let mut map = RangeMap::default();
            let mut pages = [None; 50];
            for (value, (start, len)) in writes.into_iter().enumerate() {
                map.insert(start..start + len, value);
                pages[start as usize..(start + len) as usize].fill(Some(value));
            }
            let mut found = [None; 50];
            for (range, value) in map.iter() {
                for page in range {
                    prop_assert_eq!(found[page as usize].replace(*value), None);
                }
            }
            prop_assert_eq!(found, pages);
            for (start, end) in [(0, 50), (3, 7), (10, 11)] {
                let within: Vec<_> = map.touching(&(start..end)).map(|(range, value)| (range, *value)).collect();
                let all = map.iter().filter(|(range, _)| range.start < end && range.end > start);
                prop_assert_eq!(within, all.map(|(range, value)| (range, *value)).collect::<Vec<_>>());
            }
        }
    }
}
