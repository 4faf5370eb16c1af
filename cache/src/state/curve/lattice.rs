//! Sampling: the blocks of a disk that are observed are a share of them, spread evenly, chosen by their numbers alone.
//!
//! ```text
//!   value of a block = upper 32 bits of ( hash(stretch) + number * 2^64 / golden ratio )      sampled if below a bound
//! ```
//! A hash of each block by itself, as in the paper (see [`super`]), leaves to chance how many of a file's blocks are
//! sampled, and neighbours on a disk are used alike. Multiples of the golden ratio fall evenly between 0 and 1 how many of
//! them there are (Knuth, The Art of Computer Programming 3, section 6.4, theorem S), so of each stretch of neighbours
//! the share is met almost exactly, which halves the error of curves; and each stretch begins at a place of its own. It is also
//! cheaper: one hash for each request, and an addition and a comparison for each block of it. Draws nothing from chance.

use crate::state::hash::hash;

/// Neighbours that one hash is for, in pages: 16 MiB, of which a request rarely meets two.
pub(super) const STRETCH_PAGES: u64 = 4096;

/// 2^64 divided by the golden ratio, odd.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// All values are below it.
pub(super) const ALL: u64 = 1 << 32;

/// Start of the values of a stretch, from the number of the stretch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch(u64);

/// The values of blocks that follow each other in one stretch.
pub(super) struct Values(u64);

impl Stretch {
    pub(super) fn of_page(page: u64) -> Self {
        Self(hash(page / STRETCH_PAGES))
    }

    /// Returns values from that of block `number` on.
    pub(super) fn values(self, number: u64) -> Values {
        Values(self.0.wrapping_add(number.wrapping_mul(STEP)))
    }

    /// Returns the value of block `number` of the stretch.
    pub(super) fn value(self, number: u64) -> u64 {
        self.values(number).next()
    }
}

impl Values {
    /// Returns the value of the next block, below [`ALL`].
    pub(super) fn next(&mut self) -> u64 {
        let value = self.0 >> 32;
        self.0 = self.0.wrapping_add(STEP);
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_each_stretch_the_share_is_met_almost_exactly() {
        for stretch in 0..200 {
            let first = stretch * STRETCH_PAGES;
            let mut values = Stretch::of_page(first).values(first);
            let below = (0..STRETCH_PAGES).filter(|_| values.next() < ALL / 32).count();
            assert!(below.abs_diff(128) <= 4, "{below} of stretch {stretch}");
        }
    }

    #[test]
    fn of_single_blocks_here_and_there_the_share_is_met_too() {
        for stride in [2, 8, 16, 256, STRETCH_PAGES, 5 * STRETCH_PAGES + 7] {
            let value = |at: u64| Stretch::of_page(at * stride).value(at * stride);
            let below = (0..64_000).filter(|at| value(*at) < ALL / 32).count();
            assert!(below.abs_diff(2_000) < 200, "{below} with stride {stride}");
        }
    }

    #[test]
    fn values_one_after_another_are_those_of_their_blocks() {
        let stretch = Stretch::of_page(77);
        let mut values = stretch.values(70);
        assert!((70..90).all(|number| values.next() == stretch.value(number)));
    }
}
