//! Shadows: the number of stale versions of each page in the log of a disk, to which the index does not point. The next start reads them
//! too; if everything newer of the page were gone by then, a stale version would reappear.
//!
//! Counts go from 0 to 255 ([`Counts`]). Each page of the disk has one of its own if the disk has no more pages than its flash, else two
//! that pages share. So a count is never less than the truth, and an excess costs a copy of a page and never data. A count that is full
//! stays full. The shared counts are those of a counting Bloom filter (Fan, Cao, Almeida and Broder, "Summary cache", 1998).
//!
//! It does not know which log entry is meant, or what it contains.

use super::counts::Counts;
use super::hash::hash;
use crate::types::units::PageNumber;

/// Counts that are at least as high as the number of stale versions.
pub(crate) struct StaleVersions {
    counts: Counts,
    /// True if each page of the disk has a count of its own.
    is_exact: bool,
}

/// Places at least.
const PLACES_MIN: u64 = 64;

impl StaleVersions {
    /// Creates empty counts, for a disk of `disk_pages` that holds at most `flash_pages` on flash.
    pub(crate) fn new(disk_pages: u64, flash_pages: u64) -> Self {
        let is_exact = disk_pages <= flash_pages;
        let places = if is_exact { disk_pages } else { flash_pages }.max(PLACES_MIN);
        Self { counts: Counts::new(places.next_multiple_of(2)), is_exact }
    }

    /// Counts one more stale version of a page.
    pub(crate) fn add(&mut self, page: PageNumber) {
        for place in self.places(page) {
            self.counts.add(place);
        }
    }

    /// Counts one stale version less: it is gone, or the index points to it.
    pub(crate) fn remove(&mut self, page: PageNumber) {
        for place in self.places(page) {
            let was_counted = self.counts.remove(place);
            debug_assert!(was_counted, "a line of page {} goes that was never counted", page.0);
        }
    }

    /// Returns an upper bound of the number of stale versions of a page in the log.
    pub(crate) fn of(&self, page: PageNumber) -> u8 {
        self.places(page).map(|place| self.counts.get(place)).min().unwrap_or(u8::MAX)
    }

    /// Returns the bytes of RAM taken.
    pub(crate) fn bytes(&self) -> u64 {
        self.counts.bytes()
    }

    /// Returns one place, or two that are never the same.
    fn places(&self, page: PageNumber) -> impl Iterator<Item = u32> + use<> {
        let places = self.counts.len();
        // A disk that grew has pages without a place of their own.
        let (first, second) = if self.is_exact {
            (page.0 % places, None)
        } else {
            let (hash, half) = (hash(page.0), places / 2);
            ((hash >> 32) % half, Some(half + (hash & u64::from(u32::MAX)) % half))
        };
        [Some(first), second].into_iter().flatten().map(|place| place as u32)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn against_an_exact_count(disk_pages: u64, flash_pages: u64, changes: Vec<(u64, bool)>) -> StaleVersions {
        let mut stale = StaleVersions::new(disk_pages, flash_pages);
        let mut exact: BTreeMap<u64, u32> = BTreeMap::new();
        for (page, dies) in changes {
            let count = exact.entry(page).or_default();
            if dies {
                *count += 1;
                stale.add(PageNumber(page));
            } else if *count > 0 {
                *count -= 1;
                stale.remove(PageNumber(page));
            }
            for (page, count) in &exact {
                assert!(u32::from(stale.of(PageNumber(*page))) >= (*count).min(255), "page {page}: {count}");
            }
        }
        stale
    }

    proptest! {
        #[test]
        fn no_count_is_ever_less_than_the_truth(
            changes in prop::collection::vec((0_u64..400, any::<bool>()), 0..600),
            flash_pages in 1_u64..500,
        ) {
            against_an_exact_count(400, flash_pages, changes);
        }

        #[test]
        fn a_page_with_a_place_of_its_own_is_counted_exactly(
            changes in prop::collection::vec((0_u64..100, any::<bool>()), 0..200),
        ) {
            let mut left: BTreeMap<u64, u8> = BTreeMap::new();
            for (page, dies) in &changes {
                let count = left.entry(*page).or_default();
                *count = if *dies { *count + 1 } else { count.saturating_sub(1) };
            }
            let stale = against_an_exact_count(100, 100, changes);
            for page in 0..100 {
                assert_eq!(stale.of(PageNumber(page)), left.get(&page).copied().unwrap_or(0));
            }
        }

        #[test]
        fn what_dies_and_goes_leaves_nothing(pages in prop::collection::vec(any::<u64>(), 0..50)) {
            let mut stale = StaleVersions::new(u64::MAX, 4096);
            for page in &pages {
                stale.add(PageNumber(*page));
            }
            for page in &pages {
                stale.remove(PageNumber(*page));
            }
            assert!((0..4096).all(|place| stale.counts.get(place) == 0));
        }
    }

    #[test]
    fn one_line_counts_one_and_not_two() {
        let mut stale = StaleVersions::new(1 << 30, 4096);
        for page in (0..1 << 20).step_by(4097).map(PageNumber) {
            stale.add(page);
            assert_eq!(stale.of(page), 1);
            stale.remove(page);
        }
    }

    #[test]
    fn a_full_count_stays_full() {
        let changes = (0..300).map(|_| (7, true)).chain((0..300).map(|_| (7, false))).collect();
        assert_eq!(against_an_exact_count(64, 64, changes).of(PageNumber(7)), u8::MAX);
    }
}
