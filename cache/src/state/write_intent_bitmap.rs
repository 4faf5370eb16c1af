//! Touched pages (write-intent bitmap): the pages of a disk that the backing may hold in another version than the log. One bit a page, in
//! memory that outlives the process but not the host (rule I11).
//!
//! A bit is set before the backing is changed, and is cleared when the page's new content is in the log, or when the log durably
//! invalidates its content of the page. After a kill, exactly the pages whose bit is set are not trusted.

use std::cell::{Cell, Ref, RefCell};
use std::ops::Range;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::types::limits::PAGE_BYTES;
use crate::types::units::{PageNumber, Sequence};

/// Memory for one bit per page of a disk. To be of use it outlives the process, as a mapped file in memory does; if it
/// does not, more content is lost to a kill, and nothing else.
pub trait SharedBits {
    /// Returns the words, always the same; at least one bit for each page of the disk, all zero when they are new.
    fn words(&self) -> &[AtomicU64];
}

impl SharedBits for Box<[AtomicU64]> {
    fn words(&self) -> &[AtomicU64] {
        self
    }
}

/// Words that hold a bit for each page of a disk.
pub fn words_for(disk_bytes: u64) -> usize {
    bit_words(disk_bytes) + END_WORDS
}

fn bit_words(disk_bytes: u64) -> usize {
    disk_bytes.div_ceil(PAGE_BYTES as u64).div_ceil(64) as usize
}

/// Words before the bits: how far the log was written.
const END_WORDS: usize = 2;

/// Returns the end of the written log; the default if none was recorded.
pub(crate) fn log_end(bits: &dyn SharedBits) -> LogEnd {
    let word = |at: usize| bits.words()[at].load(Ordering::Relaxed);
    LogEnd { generation: Sequence(word(0)), place: word(1) as u32 }
}

/// Returns true if the bit of a page is set, or there is none.
pub(crate) fn is_set(bits: &dyn SharedBits, page: PageNumber) -> bool {
    let word = bits.words().get(END_WORDS + (page.0 / 64) as usize);
    word.is_none_or(|word| word.load(Ordering::Relaxed) >> (page.0 % 64) & 1 == 1)
}

/// End of the written log of a disk: a generation of a segment, and a page of it. Outlives the process as the bits do, so that after a kill
/// a damaged last batch can be distinguished from one that was never written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LogEnd {
    pub(crate) generation: Sequence,
    /// Behind the last batch, in pages from the start of the segment.
    pub(crate) place: u32,
}

pub(crate) struct WriteIntentBitmap {
    bits: RefCell<Rc<dyn SharedBits>>,
    /// Words that hold bits.
    count: Cell<usize>,
}

impl WriteIntentBitmap {
    pub(crate) fn new(bits: Rc<dyn SharedBits>, disk_bytes: u64) -> Self {
        assert!(bits.words().len() >= words_for(disk_bytes), "a bit for each page");
        Self { bits: RefCell::new(bits), count: Cell::new(bit_words(disk_bytes)) }
    }

    /// Continues with bits for a disk that grew: `bits` begin with the same words, in the same memory.
    pub(crate) fn grow(&self, bits: Rc<dyn SharedBits>, disk_bytes: u64) {
        assert!(bits.words().len() >= words_for(disk_bytes), "a bit for each page");
        assert!(bit_words(disk_bytes) >= self.count.get(), "a disk does not shrink");
        self.bits.replace(bits);
        self.count.set(bit_words(disk_bytes));
    }

    /// Records that a batch was written.
    pub(crate) fn note_end(&self, end: LogEnd) {
        let bits = self.bits.borrow();
        let [generation, place] = [&bits.words()[0], &bits.words()[1]];
        if generation.load(Ordering::Relaxed) != end.generation.0 {
            // After a kill in between, the recorded end is before the true one, never behind it.
            place.store(0, Ordering::Relaxed);
            generation.store(end.generation.0, Ordering::Relaxed);
        }
        place.store(u64::from(end.place), Ordering::Relaxed);
    }

    /// Returns the end of the written log.
    pub(crate) fn end(&self) -> LogEnd {
        log_end(&**self.bits.borrow())
    }

    pub(crate) fn is_set(&self, page: PageNumber) -> bool {
        self.words()[(page.0 / 64) as usize].load(Ordering::Relaxed) >> (page.0 % 64) & 1 == 1
    }

    pub(crate) fn set(&self, pages: Range<u64>) {
        self.change(pages, |word, mask| word | mask);
    }

    pub(crate) fn clear(&self, pages: Range<u64>) {
        self.change(pages, |word, mask| word & !mask);
    }

    /// Runs of pages whose bits are set.
    pub(crate) fn runs(&self) -> Vec<Range<u64>> {
        let mut runs: Vec<Range<u64>> = Vec::new();
        for (word, at) in self.words().iter().zip(0u64..) {
            let mut rest = word.load(Ordering::Relaxed);
            while rest != 0 {
                let first = at * 64 + u64::from(rest.trailing_zeros());
                let count = u64::from((rest >> (first % 64)).trailing_ones());
                rest &= !(u64::MAX >> (64 - count) << (first % 64));
                match runs.last_mut() {
                    Some(run) if run.end == first => run.end += count,
                    _ => runs.push(first..first + count),
                }
            }
        }
        runs
    }

    /// Returns the bits of some pages, the first in the lowest bit of the first byte; none if no bit is set. `pages` starts and ends with a
    /// word, or ends with the disk.
    pub(crate) fn copy(&self, pages: &Range<u64>) -> Option<[u8; PAGE_BYTES]> {
        assert_eq!(pages.start % 64, 0);
        let mut copy = [0; PAGE_BYTES];
        let words = self.words();
        let words = &words[(pages.start / 64) as usize..pages.end.div_ceil(64) as usize];
        for (bytes, word) in copy.chunks_exact_mut(8).zip(words) {
            bytes.copy_from_slice(&word.load(Ordering::Relaxed).to_le_bytes());
        }
        copy.iter().any(|byte| *byte != 0).then_some(copy)
    }

    fn words(&self) -> Ref<'_, [AtomicU64]> {
        Ref::map(self.bits.borrow(), |bits| &bits.words()[END_WORDS..END_WORDS + self.count.get()])
    }

    /// Changes bits. Only one thread writes; atomics are used because the memory is shared with the next process.
    fn change(&self, pages: Range<u64>, change: impl Fn(u64, u64) -> u64) {
        let words = self.words();
        let mut at = pages.start;
        while at < pages.end {
            let end = (at / 64 * 64 + 64).min(pages.end);
            let mask = u64::MAX >> (64 - (end - at)) << (at % 64);
            let word = &words[(at / 64) as usize];
            let before = word.load(Ordering::Relaxed);
            let after = change(before, mask);
            // Memory that was never written stays free of charge.
            if before != after {
                word.store(after, Ordering::Relaxed);
            }
            at = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touched() -> WriteIntentBitmap {
        let words: Box<[AtomicU64]> = (0..10).map(|_| AtomicU64::new(0)).collect();
        WriteIntentBitmap::new(Rc::new(words), 512 * PAGE_BYTES as u64)
    }

    #[test]
    fn the_end_of_the_log_is_noted_beside_the_bits() {
        let touched = touched();
        assert_eq!(touched.end(), LogEnd::default());
        for (generation, place) in [(7, 9), (7, 12), (8, 2)] {
            let end = LogEnd { generation: Sequence(generation), place };
            touched.note_end(end);
            assert_eq!(touched.end(), end);
        }
        assert!(touched.runs().is_empty());
    }

    #[test]
    fn bits_are_set_cleared_and_listed() {
        let touched = touched();
        touched.set(60..70);
        touched.set(128..256);
        touched.clear(64..66);
        touched.clear(129..256);
        assert_eq!(touched.runs(), [60..64, 66..70, 128..129]);
        touched.set(100..400);
        assert_eq!(touched.runs(), [60..64, 66..70, 100..400]);
        assert!(touched.is_set(PageNumber(69)) && !touched.is_set(PageNumber(70)));
    }

    #[test]
    fn bits_of_a_disk_that_grew_are_as_they_were_and_there_are_more() {
        let words: Rc<Box<[AtomicU64]>> = Rc::new((0..10).map(|_| AtomicU64::new(0)).collect());
        let touched =
            WriteIntentBitmap::new(Rc::clone(&words) as Rc<dyn SharedBits>, 100 * PAGE_BYTES as u64);
        touched.set(60..62);
        touched.set(90..100);
        touched.grow(words, 300 * PAGE_BYTES as u64);
        assert_eq!(touched.runs(), [60..62, 90..100]);
        touched.set(100..290);
        assert_eq!(touched.runs(), [60..62, 90..290]);
    }

    #[test]
    fn a_copy_starts_with_the_first_page_and_is_none_without_bits() {
        let touched = touched();
        assert!(touched.copy(&(64..512)).is_none());
        touched.set(64 + 9..64 + 10);
        let copy = touched.copy(&(64..500)).unwrap();
        assert_eq!((copy[0], copy[1], copy[2]), (0, 2, 0));
        assert!(touched.copy(&(128..512)).is_none());
    }
}
