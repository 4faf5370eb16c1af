//! State kept in RAM of each segment, so that its cost can be estimated without reading it.

use crate::types::units::{SegmentNumber, Sequence};

/// Pages that are sampled of a segment. A segment that seems cheapest by few of them often is not (docs/dev/notes/hit-ratio.md). A pool of
/// 1 GiB has segments of 64 pages, for which this state takes three bytes for each page.
pub(super) const SAMPLES: usize = 32;
/// Segments for which room is made at a time: doubling it would waste half a megabyte.
const ROOM: usize = 32;

pub(super) struct SegmentRecord {
    segment: SegmentNumber,
    pub(super) is_clean: bool,
    /// True if it is settled that it goes next.
    is_next: bool,
    pub(super) generation: Sequence,
    /// Its place in `free_to_go`.
    pub(super) place: Option<u32>,
    /// Pages of it that were appended again before its turn.
    moved: u32,
    lines: u32,
    /// Some of its pages, each entry as likely as any other (Vitter, 1985, algorithm R).
    sample: [u32; SAMPLES],
}

const _: () = assert!(size_of::<SegmentRecord>() == 160, "the memory budget counts on it");

impl SegmentRecord {
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

    /// Returns the same of a segment that is at another place now.
    pub(super) fn at(self, segment: SegmentNumber) -> Self {
        Self { segment, ..self }
    }

    /// Returns its entries, without those that were appended again before its turn.
    pub(super) fn lines_left(&self) -> u64 {
        u64::from(self.lines - self.moved)
    }

    /// Settles that it goes next.
    pub(super) fn settle(&mut self) {
        self.is_next = true;
    }

    /// Records that a page of it was appended again before its turn. Returns whether that counts: not all entries are counted, for some of
    /// an oldest segment may be of pages beyond 16 TiB.
    pub(super) fn note_moved(&mut self) -> bool {
        let counts = self.is_next && self.lines_left() > 0;
        self.moved += u32::from(counts);
        counts
    }

    /// Returns the pages of it that were appended again before its turn; none unless it was settled that it goes next.
    pub(super) fn moved(&self) -> Option<usize> {
        self.is_next.then_some(self.moved as usize)
    }

    /// Adds an entry of a page to the sample; `drawn` is random.
    pub(super) fn take(&mut self, page: u32, drawn: u64) {
        let lines = self.lines as usize;
        self.lines += 1;
        let at = if lines < SAMPLES { lines } else { (drawn % u64::from(self.lines)) as usize };
        if let Some(place) = self.sample.get_mut(at) {
            *place = page;
        }
    }

    /// Returns some of its pages.
    pub(super) fn sample(&self) -> &[u32] {
        &self.sample[..SAMPLES.min(self.lines as usize)]
    }
}

/// State of each segment, by its number: a pool has some thousand. There are no gaps: a removed entry is replaced by the last one.
#[derive(Default)]
pub(super) struct SegmentRecords {
    /// Place of each in `records`, or [`NOWHERE`].
    places: Vec<u32>,
    records: Vec<SegmentRecord>,
}

const NOWHERE: u32 = u32::MAX;

impl SegmentRecords {
    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    pub(super) fn get(&self, segment: SegmentNumber) -> Option<&SegmentRecord> {
        Some(&self.records[self.find(segment)?])
    }

    pub(super) fn get_mut(&mut self, segment: SegmentNumber) -> Option<&mut SegmentRecord> {
        let place = self.find(segment)?;
        Some(&mut self.records[place])
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut SegmentRecord> {
        self.records.iter_mut()
    }

    /// Inserts the state of a segment. Returns its earlier state.
    pub(super) fn insert(&mut self, record: SegmentRecord) -> Option<SegmentRecord> {
        if let Some(known) = self.get_mut(record.segment) {
            return Some(std::mem::replace(known, record));
        }
        let number = record.segment.0 as usize;
        if self.places.len() <= number {
            self.places.resize(number + 1, NOWHERE);
        }
        self.places[number] = self.records.len() as u32;
        if self.records.len() == self.records.capacity() {
            self.records.reserve_exact(ROOM);
        }
        self.records.push(record);
        None
    }

    pub(super) fn remove(&mut self, segment: SegmentNumber) -> Option<SegmentRecord> {
        let place = self.find(segment)?;
        let gone = self.records.swap_remove(place);
        self.places[segment.0 as usize] = NOWHERE;
        if let Some(moved) = self.records.get(place) {
            self.places[moved.segment.0 as usize] = place as u32;
        }
        if self.records.capacity() - self.records.len() > 2 * ROOM {
            self.records.shrink_to(self.records.len() + ROOM);
        }
        Some(gone)
    }

    /// Returns the bytes of RAM taken.
    pub(super) fn bytes(&self) -> u64 {
        (self.records.capacity() * size_of::<SegmentRecord>() + self.places.capacity() * size_of::<u32>())
            as u64
    }

    fn find(&self, SegmentNumber(number): SegmentNumber) -> Option<usize> {
        self.places.get(number as usize).filter(|place| **place != NOWHERE).map(|place| *place as usize)
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
            let mut record = SegmentRecords::default();
            let mut plain: BTreeMap<u32, u64> = BTreeMap::new();
            for (number, generation) in steps {
                let segment = SegmentNumber(number);
                let (before, was) = if generation == 0 {
                    (record.remove(segment), plain.remove(&number))
                } else {
                    (record.insert(SegmentRecord::new(segment, Sequence(generation))), plain.insert(number, generation))
                };
                prop_assert_eq!(before.map(|before| before.generation.0), was);
                prop_assert_eq!(record.len(), plain.len());
                for number in 0..200 {
                    let there = record.get(SegmentNumber(number)).map(|record| record.generation.0);
                    prop_assert_eq!(there, plain.get(&number).copied());
                }
            }
            prop_assert_eq!(record.values_mut().count(), plain.len());
            prop_assert!(record.records.capacity() <= plain.len() + 2 * ROOM, "{} places", record.records.capacity());
        }
    }
}
