//! What is kept in RAM of each segment, so that it can be judged without being read.

use crate::words::units::{SegmentNumber, Sequence};

/// Pages that are remembered of a segment. What looks cheapest by few of them often is not (docs/hit-ratio.md). A pool of 1 GiB has segments
/// of 64 pages, where what is kept here is three bytes for each.
pub(super) const SAMPLES: usize = 32;
/// What the allocator keeps beside it.
const ALLOCATION_OVERHEAD: usize = 16;

pub(super) struct Kept {
    pub(super) generation: Sequence,
    /// Where it is in `free_to_go`.
    pub(super) place: Option<u32>,
    /// Pages of it that were appended again before its turn; none unless it was settled that it goes next.
    pub(super) moved: Option<u32>,
    pub(super) is_clean: bool,
    lines: u32,
    /// Some of its pages, each line as likely as any other (Vitter, 1985, algorithm R).
    sample: [u32; SAMPLES],
}

const _: () = assert!(size_of::<Kept>() == 160, "the memory budget counts on it");

impl Kept {
    pub(super) fn new(generation: Sequence) -> Self {
        Self { generation, place: None, moved: None, is_clean: true, lines: 0, sample: [0; SAMPLES] }
    }

    /// Its lines but for those that were appended again before its turn.
    pub(super) fn lines_left(&self) -> u64 {
        u64::from(self.lines - self.moved.unwrap_or(0))
    }

    /// Takes a line of a page; `drawn` by chance.
    pub(super) fn take(&mut self, page: u32, drawn: u64) {
        let lines = self.lines as usize;
        self.lines += 1;
        let at = if lines < SAMPLES { lines } else { (drawn % u64::from(self.lines)) as usize };
        if let Some(place) = self.sample.get_mut(at) {
            *place = page;
        }
    }

    /// Some of its pages.
    pub(super) fn sample(&self) -> &[u32] {
        &self.sample[..SAMPLES.min(self.lines as usize)]
    }
}

/// What is kept of each segment, by its number: a pool has some thousand.
#[derive(Default)]
pub(super) struct KeptSegments {
    by_number: Vec<Option<Box<Kept>>>,
    len: usize,
}

impl KeptSegments {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn get(&self, SegmentNumber(number): SegmentNumber) -> Option<&Kept> {
        self.by_number.get(number as usize)?.as_deref()
    }

    pub(super) fn get_mut(&mut self, SegmentNumber(number): SegmentNumber) -> Option<&mut Kept> {
        self.by_number.get_mut(number as usize)?.as_deref_mut()
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut Kept> {
        self.by_number.iter_mut().flatten().map(|kept| &mut **kept)
    }

    /// Keeps this of a segment. Returns what was kept of it.
    pub(super) fn insert(&mut self, SegmentNumber(number): SegmentNumber, kept: Kept) -> Option<Box<Kept>> {
        let number = number as usize;
        if self.by_number.len() <= number {
            self.by_number.resize_with(number + 1, || None);
        }
        let before = self.by_number[number].replace(Box::new(kept));
        self.len += usize::from(before.is_none());
        before
    }

    pub(super) fn remove(&mut self, SegmentNumber(number): SegmentNumber) -> Option<Box<Kept>> {
        let gone = self.by_number.get_mut(number as usize)?.take();
        self.len -= usize::from(gone.is_some());
        gone
    }

    /// Bytes of RAM taken, with what the allocator keeps beside them.
    pub(super) fn bytes(&self) -> u64 {
        let each = size_of::<Kept>() + ALLOCATION_OVERHEAD;
        (self.len * each + self.by_number.capacity() * size_of::<Option<Box<Kept>>>()) as u64
    }
}
