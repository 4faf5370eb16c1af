//! Histories of blocks while pages of them are overwritten: the new version is the same block.
//!
//! A ghost has that too, but only approximately, and in the place of a block that left for good.

use std::ops::Range;

use smallvec::SmallVec;

use super::ages::History;

/// Blocks that follow each other.
pub(crate) struct Overwritten {
    first: u64,
    known: SmallVec<[Known; 2]>,
}

#[derive(Clone, Copy, Default)]
struct Known {
    history: History,
    is_back: bool,
}

impl Overwritten {
    /// Creates empty histories for these blocks.
    pub(crate) fn of(blocks: Range<u64>) -> Self {
        let count = blocks.end.saturating_sub(blocks.start) as usize;
        Self { first: blocks.start, known: SmallVec::from_elem(Known::default(), count) }
    }

    /// Sets the history of one of them.
    pub(crate) fn note(&mut self, block: u64, history: History) {
        if let Some(known) = self.find(block) {
            known.history = history;
        }
    }

    /// Takes the history of a block whose new version enters: perhaps an empty one.
    pub(crate) fn comes_back(&mut self, block: u64) -> History {
        self.find(block).map_or(History::default(), |known| {
            known.is_back = true;
            known.history
        })
    }

    /// Returns those that did not enter again.
    pub(crate) fn gone(&self) -> impl Iterator<Item = (u64, History)> {
        let known = (self.first..).zip(&self.known);
        known.filter(|(_, known)| !known.is_back).map(|(block, known)| (block, known.history))
    }

    fn find(&mut self, block: u64) -> Option<&mut Known> {
        let place = block.checked_sub(self.first)?;
        self.known.get_mut(place as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::learned::ages::{Ages, ArrivalClass, By, Moment};

    #[test]
    fn a_new_version_is_known_as_the_old_one_was_and_what_does_not_come_back_is_gone() {
        let used = |moment| History::first(Moment::at(moment), ArrivalClass::ALONE);
        let twice = used(1).used(Moment::at(9), &Ages::new(640), By::Write);
        let mut blocks = Overwritten::of(10..14);
        for (block, history) in
            [(10, used(1)), (11, used(2)), (11, twice), (13, used(3)), (9, used(4)), (14, used(5))]
        {
            blocks.note(block, history);
        }
        assert_eq!(
            [9, 11, 11, 12, 14].map(|block| blocks.comes_back(block)),
            [History::default(), twice, twice, History::default(), History::default()]
        );
        assert_eq!(blocks.gone().collect::<Vec<_>>(), [(10, used(1)), (13, used(3))]);
    }

    #[test]
    fn nothing_is_known_of_no_blocks() {
        let mut none = Overwritten::of(7..7);
        none.note(7, History::default());
        assert_eq!((none.comes_back(7), none.gone().count()), (History::default(), 0));
    }
}
