//! Coverage: the bytes of a read that have arrived. A server has to send each of them once; the intake verifies that, because parts of a
//! buffer that were never filled may hold data of another client.

use std::collections::BTreeMap;
use std::ops::Range;

/// The most stretches with gaps between them that are kept: servers answer mostly in order, and then there is one.
const STRETCHES_MAX: usize = 1 << 16;

/// The received bytes of one read. Takes no memory for a reply in one piece.
#[derive(Debug, Default)]
pub(super) struct Coverage {
    /// Number of bytes, none of them counted twice.
    bytes: usize,
    /// Starts and ends of the received stretches, neither overlapping nor touching. Not kept for a reply in one piece.
    stretches: BTreeMap<usize, usize>,
}

impl Coverage {
    /// Returns the number of received bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Records that the bytes of `place`, which lies in the first `asked` bytes, arrive.
    ///
    /// # Errors
    /// Why it must not.
    pub(super) fn come(&mut self, place: &Range<usize>, asked: usize) -> Result<(), &'static str> {
        if place.is_empty() {
            return Ok(());
        }
        let before = self.stretches.range(..=place.start).next_back().map(|(start, end)| (*start, *end));
        let after = self.stretches.range(place.start..).next().map(|(start, end)| (*start, *end));
        let overlaps = before.is_some_and(|(_, end)| end > place.start)
            || after.is_some_and(|(start, _)| start < place.end);
        if overlaps || self.bytes + place.len() > asked {
            return Err("it sent some data twice");
        }
        self.bytes += place.len();
        if self.bytes == asked {
            // Nothing more may arrive, and the count is enough to detect it.
            self.stretches.clear();
            return Ok(());
        }
        let start = before.filter(|(_, end)| *end == place.start).map_or(place.start, |(start, _)| start);
        let end = after.filter(|(start, _)| *start == place.end).map_or(place.end, |(start, end)| {
            self.stretches.remove(&start);
            end
        });
        self.stretches.insert(start, end);
        if self.stretches.len() > STRETCHES_MAX {
            return Err("it sent the data of a read in more than 65,536 pieces with gaps between them");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_answer_in_one_piece_or_in_order_takes_no_more_than_one_stretch() {
        let mut whole = Coverage::default();
        assert_eq!(whole.come(&(0..100), 100), Ok(()));
        assert!(whole.stretches.is_empty());
        assert!(whole.come(&(0..1), 100).is_err(), "all of it has come");
        let mut pieces = Coverage::default();
        for start in [0, 1, 2, 9, 8, 7, 3] {
            assert_eq!(pieces.come(&(start..start + 1), 100), Ok(()));
        }
        assert_eq!(pieces.stretches, BTreeMap::from([(0, 4), (7, 10)]));
        assert_eq!(pieces.come(&(4..7), 100), Ok(()));
        assert_eq!((pieces.stretches, pieces.bytes), (BTreeMap::from([(0, 10)]), 10));
    }

    #[test]
    fn pieces_without_end_are_refused() {
        let mut coverage = Coverage::default();
        let asked = 4 * STRETCHES_MAX;
        let refused = (0..asked / 2).map(|piece| coverage.come(&(2 * piece..2 * piece + 1), asked));
        assert_eq!(refused.filter(Result::is_err).count() + STRETCHES_MAX, asked / 2);
    }

    proptest! {
        #[test]
        fn it_agrees_with_a_byte_for_each_byte(pieces in prop::collection::vec((0..32_usize, 0..12_usize), 1..24)) {
            let (mut coverage, mut come) = (Coverage::default(), [false; 32]);
            for (start, length) in pieces {
                let place = start..(start + length).min(32);
                let is_new = !come[place.clone()].contains(&true);
                prop_assert_eq!(coverage.come(&place, 32).is_ok(), is_new);
                if !is_new {
                    break;
                }
                come[place].fill(true);
                prop_assert_eq!(coverage.bytes(), come.iter().filter(|come| **come).count());
            }
        }
    }
}
