//! The free segments of a device that are still to be discarded.
//!
//! ```text
//!   free when the pool was opened,  ──> freed ──covered by the table──> due ──begin──> held back ──> free
//!   or freed with a disk's content
//! ```
//! A segment that is taken is taken from here too: it will be overwritten and need not be discarded. A segment that reclaim frees
//! is never here, because it is next to be written.

use std::collections::BTreeSet;

use crate::types::units::SegmentNumber;

pub(crate) struct Discards {
    /// Turns false for good once the device refused one.
    are_possible: bool,
    /// Free, though one of the two copies of the table on flash may still name an owner.
    freed: BTreeSet<SegmentNumber>,
    /// Free in both copies, once these were written.
    due: BTreeSet<SegmentNumber>,
}

/// Segments of one device that follow each other there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SegmentRun {
    pub(crate) first: SegmentNumber,
    pub(crate) count: u32,
}

impl SegmentRun {
    pub(crate) fn segments(self) -> impl Iterator<Item = SegmentNumber> {
        (self.first.0..self.first.0 + self.count).map(SegmentNumber)
    }

    pub(crate) fn has(self, segment: SegmentNumber) -> bool {
        (self.first.0..self.first.0 + self.count).contains(&segment.0)
    }
}

impl Discards {
    pub(crate) fn new() -> Self {
        Self { are_possible: true, freed: BTreeSet::new(), due: BTreeSet::new() }
    }

    /// Returns false once the device refused one.
    pub(crate) fn are_possible(&self) -> bool {
        self.are_possible
    }

    /// Records that discards have no use any more.
    pub(crate) fn give_up(&mut self) {
        *self = Self { are_possible: false, freed: BTreeSet::new(), due: BTreeSet::new() };
    }

    /// Records that a segment was freed whose content is gone for good.
    pub(crate) fn add(&mut self, segment: SegmentNumber) {
        if self.are_possible {
            self.freed.insert(segment);
        }
    }

    /// Records that a segment is in use.
    pub(crate) fn remove(&mut self, segment: SegmentNumber) {
        self.freed.remove(&segment);
        self.due.remove(&segment);
    }

    /// Makes free segments due, once both copies of the table will have been written after this call.
    pub(crate) fn ripen(&mut self) {
        self.due.append(&mut self.freed);
    }

    /// Returns true if something is due.
    pub(crate) fn some_are_due(&self) -> bool {
        !self.due.is_empty()
    }

    /// Takes out the first segments that are due and follow each other on the device, `most` at most. Numbers that follow each other
    /// may be far apart there: in different ranges.
    pub(crate) fn next(
        &mut self,
        most: u32,
        place_of: impl Fn(SegmentNumber) -> Option<u32>,
    ) -> Option<SegmentRun> {
        let first = *self.due.first()?;
        let start = place_of(first)?;
        let mut count = 0;
        let follows = |count| place_of(SegmentNumber(first.0 + count)) == Some(start + count);
        while count < most && follows(count) && self.due.remove(&SegmentNumber(first.0 + count)) {
            count += 1;
        }
        (count > 0).then_some(SegmentRun { first, count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(segments: &[u32]) -> Discards {
        let mut discards = Discards::new();
        for segment in segments {
            discards.add(SegmentNumber(*segment));
        }
        discards
    }

    /// Returns the first and count of the next run.
    fn next(discards: &mut Discards, most: u32) -> Option<(u32, u32)> {
        discards.next(most, |segment| Some(segment.0)).map(|run| (run.first.0, run.count))
    }

    #[test]
    fn neighbours_are_discarded_together_up_to_what_one_call_may_take() {
        let mut discards = with(&[7, 3, 4, 5, 9, 8]);
        assert_eq!(
            discards.next(4, |segment| Some(segment.0)),
            None,
            "the table may say that they are owned"
        );
        discards.ripen();
        let runs = [2, 2, 4].map(|most| next(&mut discards, most));
        assert_eq!(runs, [Some((3, 2)), Some((5, 1)), Some((7, 3))]);
        assert!(!discards.some_are_due());
    }

    #[test]
    fn numbers_that_follow_each_other_in_different_ranges_are_discarded_apart() {
        let mut discards = with(&[3, 4, 5, 6]);
        discards.ripen();
        // The segments from 5 on stand before the others.
        let place_of =
            |segment: SegmentNumber| Some(if segment.0 < 5 { segment.0 + 9 } else { segment.0 - 5 });
        let run = |first, count| Some(SegmentRun { first: SegmentNumber(first), count });
        assert_eq!([8, 8, 8].map(|most| discards.next(most, place_of)), [run(3, 2), run(5, 2), None]);
    }

    #[test]
    fn what_is_in_use_again_is_not_discarded_even_if_it_was_freed_since() {
        let mut discards = with(&[3, 4]);
        discards.ripen();
        discards.remove(SegmentNumber(3));
        discards.add(SegmentNumber(3));
        assert_eq!([8, 8].map(|most| next(&mut discards, most)), [Some((4, 1)), None]);
        discards.ripen();
        assert_eq!(next(&mut discards, 8), Some((3, 1)));
    }

    #[test]
    fn a_device_that_refused_one_is_asked_for_no_other() {
        let mut discards = with(&[3]);
        discards.ripen();
        discards.give_up();
        discards.add(SegmentNumber(4));
        discards.ripen();
        assert_eq!(discards.next(8, |segment| Some(segment.0)), None);
        assert!(!discards.are_possible());
    }
}
