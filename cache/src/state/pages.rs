//! The memory of the RAM tier: pages by number. It is mapped as a whole, and grows with the pages that are used.
//!
//! Memory that is used next is requested ahead of time, so that another thread populates it, with a huge page if there is one
//! ([`block::Arena`]). If the pages are needed sooner, this thread populates them, page by page.

use block::{Arena, Part};

use crate::types::limits::PAGE_BYTES;

const PART_PAGES: usize = Arena::PART_BYTES / PAGE_BYTES;

/// Pages from number 0 on.
pub(crate) struct Pages {
    /// Number of pages.
    capacity: usize,
    memory: Arena,
    /// Parts of the memory, from the first on, that were requested, or are not to be.
    asked: usize,
}

impl Pages {
    /// Allocates `capacity` pages, of zeroes. The first part of them is used at once.
    pub(crate) fn new(capacity: usize) -> Self {
        Self { capacity, memory: Arena::new(capacity * PAGE_BYTES), asked: 1 }
    }

    /// Changes the number of pages. The first `used` keep their content; memory of pages that there are no more is given back.
    pub(crate) fn resize(&mut self, capacity: usize, used: usize) {
        if capacity > self.capacity {
            self.memory.grow(capacity * PAGE_BYTES, used * PAGE_BYTES);
        } else {
            self.memory.release(capacity * PAGE_BYTES);
            self.asked = self.asked.min(capacity.div_ceil(PART_PAGES)).max(1);
        }
        self.capacity = capacity;
    }

    /// Returns the part of the memory that is used next after `count` pages, if it was not requested yet, and all of it will be used: no
    /// more is in memory than these pages take.
    pub(crate) fn wants_in_memory(&mut self, count: usize) -> Option<Part> {
        let next = count.div_ceil(PART_PAGES);
        let is_news = next >= self.asked && (next + 1) * PART_PAGES <= self.capacity;
        is_news.then(|| {
            self.asked = next + 1;
            self.memory.part(next)
        })
    }

    /// Copies the content of a page to another one.
    pub(crate) fn copy(&mut self, from: usize, to: usize) {
        let start = from * PAGE_BYTES;
        self.memory.copy_within(start..start + PAGE_BYTES, to * PAGE_BYTES);
    }

    pub(crate) fn bytes(&self, number: usize) -> &[u8] {
        &self.memory[number * PAGE_BYTES..(number + 1) * PAGE_BYTES]
    }

    pub(crate) fn bytes_mut(&mut self, number: usize) -> &mut [u8] {
        &mut self.memory[number * PAGE_BYTES..(number + 1) * PAGE_BYTES]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the page counts at which a part is requested, if `capacity` pages are used one after the other.
    fn asked_after(capacity: usize) -> Vec<usize> {
        let mut pages = Pages::new(capacity);
        (0..=capacity).filter(|&count| pages.wants_in_memory(count).is_some()).collect()
    }

    #[test]
    fn each_part_is_asked_for_once_when_the_one_before_comes_into_use() {
        assert_eq!(asked_after(4 * PART_PAGES), [1, PART_PAGES + 1, 2 * PART_PAGES + 1]);
    }

    #[test]
    fn what_would_not_be_used_as_a_whole_is_not_asked_for() {
        assert!(asked_after(PART_PAGES).is_empty());
        assert!(asked_after(2 * PART_PAGES - 1).is_empty());
        assert_eq!(asked_after(3 * PART_PAGES - 1), [1]);
    }

    #[test]
    fn pages_are_kept_with_another_size_and_memory_is_asked_for_again_where_it_was_given_back() {
        let mut pages = Pages::new(3 * PART_PAGES);
        (0..3 * PART_PAGES).for_each(|number| pages.bytes_mut(number).fill(number as u8));
        let asked = |pages: &mut Pages, upto: usize| {
            (0..=upto).filter(|&count| pages.wants_in_memory(count).is_some()).collect::<Vec<_>>()
        };
        assert_eq!(asked(&mut pages, 3 * PART_PAGES), [1, PART_PAGES + 1]);
        pages.resize(PART_PAGES, PART_PAGES);
        pages.resize(8 * PART_PAGES, PART_PAGES);
        assert!((0..PART_PAGES).all(|number| pages.bytes(number).iter().all(|&byte| byte == number as u8)));
        assert_eq!(asked(&mut pages, 2 * PART_PAGES), [1, PART_PAGES + 1]);
    }

    #[test]
    fn pages_keep_what_they_hold_and_lie_side_by_side() {
        let mut pages = Pages::new(PART_PAGES + 3);
        for number in 0..PART_PAGES + 3 {
            assert!(pages.bytes(number).iter().all(|&byte| byte == 0));
            pages.bytes_mut(number).fill((number % 251) as u8 + 1);
        }
        for number in 0..PART_PAGES + 3 {
            assert!(pages.bytes(number).iter().all(|&byte| byte == (number % 251) as u8 + 1), "{number}");
        }
    }
}
