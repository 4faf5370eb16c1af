//! Ghosts: what is remembered of blocks that left the cache, so that those that come back are not strangers.
//!
//! Four bytes each in a table in which every block has one place: a fingerprint of twelve bits, when the block was used last,
//! and how often. A newcomer takes the place of whoever was there, so old ghosts fade by themselves.

use super::ages::History;
use crate::knowledge::hash::hash;

/// Blocks of the cache for each ghost. More ghosts bring little: on the traces of docs/hit-ratio.md none at all close 0.004 less
/// of the gap than one for each block.
const BLOCKS_PER_GHOST: u64 = 2;
const GHOSTS_MIN: u64 = 64;

/// Moments are kept without their lowest bits: what left was not used for long.
const LAST_SHIFT: u32 = 4;
const LAST_BITS: u32 = 16;
const USES_BITS: u32 = 4;
const USES_MASK: u32 = (1 << USES_BITS) - 1;

pub(super) struct Ghosts {
    marks: Box<[u32]>,
}

impl Ghosts {
    pub(super) fn new(blocks: u64) -> Self {
        let places = (blocks / BLOCKS_PER_GHOST).clamp(GHOSTS_MIN, 1 << 31) as usize;
        Self { marks: vec![0; places].into_boxed_slice() }
    }

    fn place(&self, block: u64) -> (usize, u32) {
        let hash = hash(block);
        let place = ((hash & 0xFFFF_FFFF) * self.marks.len() as u64) >> 32;
        (place as usize, (hash >> 52) as u32)
    }

    /// Remembers a block that leaves. One of which nothing is known is not worth a place.
    pub(super) fn remember(&mut self, block: u64, history: History) {
        if history.uses() > 0 {
            let (place, fingerprint) = self.place(block);
            let last = history.last() >> LAST_SHIFT;
            self.marks[place] =
                fingerprint << (LAST_BITS + USES_BITS) | last << USES_BITS | u32::from(history.uses());
        }
    }

    /// What is remembered of a block: when it was used last, and how often.
    pub(super) fn recall(&self, block: u64) -> Option<History> {
        let (place, fingerprint) = self.place(block);
        let mark = self.marks[place];
        let uses = (mark & USES_MASK) as u8;
        let is_its = uses > 0 && mark >> (LAST_BITS + USES_BITS) == fingerprint;
        is_its.then(|| History::of_ghost((mark >> USES_BITS & ((1 << LAST_BITS) - 1)) << LAST_SHIFT, uses))
    }

    /// Bytes of RAM taken.
    pub(super) fn bytes(&self) -> u64 {
        size_of_val(&*self.marks) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::learned::ages::{Ages, Coming, Moment};

    #[test]
    fn a_ghost_tells_when_and_how_often_its_block_was_used_and_no_other_one() {
        let (mut ghosts, ages) = (Ghosts::new(100_000), Ages::new(100_000));
        let history = History::first(Moment::at(640), Coming::ALONE).used(Moment::at(6400), &ages);
        ghosts.remember(7, history);
        let recalled = ghosts.recall(7).expect("just remembered");
        assert_eq!((recalled.last(), recalled.uses()), (6400, 2));
        let strangers = (8..10_000).filter(|block| ghosts.recall(*block).is_some()).count();
        assert_eq!(strangers, 0);
        ghosts.remember(8, History::default());
        assert_eq!(ghosts.recall(8), None);
    }

    #[test]
    fn two_blocks_for_each_ghost_take_two_bytes_each() {
        assert_eq!(Ghosts::new(1_000_000).bytes(), 2_000_000);
    }
}
