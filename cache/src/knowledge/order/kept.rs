//! What is kept in RAM of each segment, so that it can be judged without being read.

use crate::words::units::{SegmentNumber, Sequence};

/// Pages that are remembered of a segment. What looks cheapest by few of them often is not (docs/hit-ratio.md). A pool of 1 GiB has segments
/// of 64 pages, where what is kept here is three bytes for each.
pub(super) const SAMPLES: usize = 32;
/// What is kept of so many segments lies in one piece of memory.
const CHUNK: usize = 32;
/// What the allocator keeps beside it.
const ALLOCATION_OVERHEAD: usize = 16;

pub(super) struct Kept {
    segment: SegmentNumber,
    pub(super) is_clean: bool,
    /// Whether it was settled that it goes next.
    is_next: bool,
    pub(super) generation: Sequence,
    /// Where it is in `free_to_go`.
    pub(super) place: Option<u32>,
    /// Pages of it that were appended again before its turn.
    moved: u32,
    lines: u32,
    /// Some of its pages, each line as likely as any other (Vitter, 1985, algorithm R).
    sample: [u32; SAMPLES],
}

const _: () = assert!(size_of::<Kept>() == 160, "the memory budget counts on it");

impl Kept {
    pub(super) fn new(segment: SegmentNumber, generation: Sequence) -> Self {
        Self {
            segment,
            is_clean: true,
            is_next: false,
            generation,
            place: None,
            moved: 0,
            lines: 0,
            sample: [0; SAMPLES],
        }
    }

    /// Its lines but for those that were appended again before its turn.
    pub(super) fn lines_left(&self) -> u64 {
        u64::from(self.lines - self.moved)
    }

    /// Settles that it goes next.
    pub(super) fn settle(&mut self) {
        self.is_next = true;
    }

    /// Notes that a page of it was appended again before its turn. Says whether that counts: not all lines are counted, for some of an oldest
    /// segment may be of pages past 16 TiB.
    pub(super) fn note_moved(&mut self) -> bool {
        let counts = self.is_next && self.lines_left() > 0;
        self.moved += u32::from(counts);
        counts
    }

    /// Pages of it that were appended again before its turn; none unless it was settled that it goes next.
    pub(super) fn moved(&self) -> Option<usize> {
        self.is_next.then_some(self.moved as usize)
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

/// What is kept of each segment, by its number: a pool has some thousand. There is no room between them: where one goes, the last one
/// comes.
#[derive(Default)]
pub(super) struct KeptSegments {
    /// Where each is, or [`NOWHERE`].
    places: Vec<u32>,
    /// Full, but for the last one.
    chunks: Vec<Vec<Kept>>,
}

const NOWHERE: u32 = u32::MAX;

impl KeptSegments {
    pub(super) fn len(&self) -> usize {
        let last = self.chunks.last().map_or(0, Vec::len);
        self.chunks.len().saturating_sub(1) * CHUNK + last
    }

    pub(super) fn get(&self, segment: SegmentNumber) -> Option<&Kept> {
        let (chunk, at) = self.find(segment)?;
        Some(&self.chunks[chunk][at])
    }

    pub(super) fn get_mut(&mut self, segment: SegmentNumber) -> Option<&mut Kept> {
        let (chunk, at) = self.find(segment)?;
        Some(&mut self.chunks[chunk][at])
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut Kept> {
        self.chunks.iter_mut().flatten()
    }

    /// Keeps this of a segment. Returns what was kept of it.
    pub(super) fn insert(&mut self, kept: Kept) -> Option<Kept> {
        if let Some(known) = self.get_mut(kept.segment) {
            return Some(std::mem::replace(known, kept));
        }
        let number = kept.segment.0 as usize;
        if self.places.len() <= number {
            self.places.resize(number + 1, NOWHERE);
        }
        self.places[number] = self.len() as u32;
        if self.chunks.last().is_none_or(|chunk| chunk.len() == CHUNK) {
            self.chunks.push(Vec::with_capacity(CHUNK));
        }
        self.chunks.last_mut()?.push(kept);
        None
    }

    pub(super) fn remove(&mut self, segment: SegmentNumber) -> Option<Kept> {
        let (chunk, at) = self.find(segment)?;
        let chunk_of_last = self.chunks.last_mut()?;
        let last = chunk_of_last.pop()?;
        if chunk_of_last.is_empty() {
            self.chunks.pop();
        }
        let place = std::mem::replace(&mut self.places[segment.0 as usize], NOWHERE);
        if last.segment == segment {
            return Some(last);
        }
        self.places[last.segment.0 as usize] = place;
        Some(std::mem::replace(&mut self.chunks[chunk][at], last))
    }

    /// Bytes of RAM taken, with what the allocator keeps beside them.
    pub(super) fn bytes(&self) -> u64 {
        let chunk = CHUNK * size_of::<Kept>() + ALLOCATION_OVERHEAD;
        let chunks = self.chunks.len() * chunk + self.chunks.capacity() * size_of::<Vec<Kept>>();
        (chunks + self.places.capacity() * size_of::<u32>()) as u64
    }

    fn find(&self, SegmentNumber(number): SegmentNumber) -> Option<(usize, usize)> {
        let place = *self.places.get(number as usize).filter(|place| **place != NOWHERE)? as usize;
        Some((place / CHUNK, place % CHUNK))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_kept_of_segments_is_as_in_a_plain_map(
            steps in prop::collection::vec((0..200_u32, 0..3_u64), 0..800),
        ) {
            let mut kept = KeptSegments::default();
            let mut plain: BTreeMap<u32, u64> = BTreeMap::new();
            for (number, generation) in steps {
                let segment = SegmentNumber(number);
                let (before, was) = if generation == 0 {
                    (kept.remove(segment), plain.remove(&number))
                } else {
                    (kept.insert(Kept::new(segment, Sequence(generation))), plain.insert(number, generation))
                };
                prop_assert_eq!(before.map(|before| before.generation.0), was);
                prop_assert_eq!(kept.len(), plain.len());
                for number in 0..200 {
                    let there = kept.get(SegmentNumber(number)).map(|kept| kept.generation.0);
                    prop_assert_eq!(there, plain.get(&number).copied());
                }
            }
            prop_assert_eq!(kept.values_mut().count(), plain.len());
        }
    }
}
