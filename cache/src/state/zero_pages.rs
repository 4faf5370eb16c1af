//! Zero pages: pages that the backing is known to hold as zeroes, its holes among them. They are answered from here, and take neither RAM
//! nor flash. A restart forgets them; the first read of each detects it again.

use std::ops::Range;

use super::ranges::Ranges;
use crate::types::limits::ZERO_RANGES_KNOWN_MAX;

/// Bytes of RAM of one range, about.
const RANGE_BYTES: u64 = 22;

#[derive(Default)]
pub(crate) struct KnownZeroPages {
    ranges: Ranges,
    /// Ranges from this page on are the next to be forgotten.
    next: u64,
}

impl KnownZeroPages {
    /// Returns true if a page is known to be zeroes.
    pub(crate) fn contains(&self, page: u64) -> bool {
        !self.ranges.is_empty() && self.ranges.contains(page)
    }

    /// Returns true if any of these pages is known to be zeroes.
    pub(crate) fn overlaps(&self, pages: &Range<u64>) -> bool {
        self.ranges.overlaps(pages)
    }

    /// Records that pages are zeroes. If that makes too many ranges, another one is forgotten.
    pub(crate) fn insert(&mut self, pages: Range<u64>) {
        self.ranges.insert(pages);
        while self.ranges.len() > ZERO_RANGES_KNOWN_MAX {
            match self.ranges.first_within(self.next..u64::MAX) {
                None => self.next = 0,
                Some(range) => {
                    self.next = range.end;
                    self.ranges.remove(&range);
                }
            }
        }
    }

    /// Forgets pages.
    pub(crate) fn remove(&mut self, pages: &Range<u64>) {
        if !self.ranges.is_empty() {
            self.ranges.remove(pages);
        }
    }

    /// Returns the bytes of RAM taken, about.
    pub(crate) fn bytes(&self) -> u64 {
        self.ranges.len() as u64 * RANGE_BYTES
    }
}

/// Returns true if every byte is zero. Mostly fast for other pages, as an early byte differs.
pub(crate) fn is_zero(bytes: &[u8]) -> bool {
    // Words of a constant length, which compilers make wide instructions of.
    let (blocks, rest) = bytes.as_chunks::<64>();
    blocks.iter().all(|block| block.iter().fold(0, |all, byte| all | byte) == 0)
        && rest.iter().all(|byte| *byte == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::limits::PAGE_BYTES;

    #[test]
    fn as_many_ranges_are_known_as_there_is_room_for_and_no_page_that_was_not_noted() {
        let mut known = KnownZeroPages::default();
        let pages = 3 * ZERO_RANGES_KNOWN_MAX as u64;
        for page in (0..pages).map(|number| number * 2) {
            known.insert(page..page + 1);
            assert!(known.ranges.len() <= ZERO_RANGES_KNOWN_MAX);
        }
        assert_eq!(known.ranges.len(), ZERO_RANGES_KNOWN_MAX);
        assert!((0..pages).all(|number| !known.contains(number * 2 + 1)));
        known.remove(&(0..u64::MAX));
        assert_eq!(known.bytes(), 0);
    }

    #[test]
    fn one_byte_anywhere_makes_a_page_another_than_zeroes() {
        let mut page = vec![0; PAGE_BYTES];
        assert!(is_zero(&page) && is_zero(&page[..PAGE_BYTES - 512]) && is_zero(&page[..3]));
        for at in [0, 1, 63, 64, PAGE_BYTES - 1] {
            page[at] = 1;
            assert!(!is_zero(&page), "byte {at}");
            page[at] = 0;
        }
    }
}
