//! Footprint of a trace: the blocks that it touches, how often and in which windows. All of them up to a bound, then a sample.
//!
//! The sample is of blocks, not of requests: a block is in it if the hash of its number is below a threshold, which halves whenever there
//! are too many (adaptive sampling; Flajolet, Computing 43, 1990). So a sampled block is known from its first access on, and counts of
//! blocks are the sample's times a power of two. The sample is the same in each run. The layout of the table differs, so that no trace can
//! be made whose blocks all collide in it.

use std::collections::HashMap;
use std::hash::RandomState;

use super::Directions;
use super::windows::WINDOWS_MAX;
use crate::request::Kind;

/// Maximum number of tracked blocks, so that a footprint below 1.75 GiB is exact: the capacity of a table of 2^19 entries without growing.
/// Beyond, the error of [`Touched::blocks`] is 0.2 % (one standard deviation, of half as many blocks). That of other figures is larger:
/// they are of fewer blocks, or depend on the few most touched.
pub const FOOTPRINT_BLOCKS_MAX: usize = (1 << 19) / 8 * 7;
/// Divisor of the number of blocks for the busiest share.
const BUSIEST_ONE_IN: usize = 10;

/// Touched blocks of [`super::BLOCK_BYTES`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Touched {
    /// Accesses: a block counts as often as it is touched.
    pub accesses: u64,
    /// Number of different blocks touched.
    pub blocks: u64,
    /// Blocks that are read, written, and touched by requests without a direction; a block may be in several of these.
    pub blocks_by: Directions,
    /// Blocks touched only once.
    pub blocks_once: u64,
    /// Share of accesses that go to the busiest tenth of blocks, 0 to 1.
    pub busiest_tenth: f64,
    /// True if these counts are exact. Otherwise all but `accesses` are estimates, which may exceed the whole.
    pub is_exact: bool,
}

#[derive(Clone, Copy, Default)]
struct Seen {
    accesses: u32,
    /// A bit for each window.
    windows: u32,
    by: u8,
}

const _: () = assert!(WINDOWS_MAX == u32::BITS as usize, "one bit a window");

/// Tracked blocks.
pub(super) struct Footprint {
    blocks: HashMap<u64, Seen, RandomState>,
    blocks_max: usize,
    /// Number of the hash's highest bits that must be zero for a block in the sample.
    halvings: u32,
    accesses: u64,
}

impl Footprint {
    pub(super) fn new(blocks_max: usize) -> Self {
        Self { blocks: HashMap::default(), blocks_max, halvings: 0, accesses: 0 }
    }

    /// Counts an access in a window.
    pub(super) fn touch(&mut self, block: u64, kind: Kind, window: usize) {
        self.accesses += 1;
        if !is_in(block, self.halvings) {
            return;
        }
        let seen = self.blocks.entry(block).or_default();
        seen.accesses = seen.accesses.saturating_add(1);
        seen.windows |= 1 << window;
        seen.by |= bit(kind);
        while self.blocks.len() >= self.blocks_max {
            self.halvings += 1;
            let halvings = self.halvings;
            // The new table has its final size at once: the old one would grow for the tombstones of removed entries.
            let mut blocks = HashMap::with_capacity_and_hasher(self.blocks_max, self.blocks.hasher().clone());
            blocks.extend(self.blocks.drain().filter(|(block, _)| is_in(*block, halvings)));
            self.blocks = blocks;
        }
    }

    /// Joins each pair of windows, so many times.
    pub(super) fn merge_windows(&mut self, times: u32) {
        for seen in self.blocks.values_mut() {
            seen.windows =
                (0..times.min(WINDOWS_MAX.ilog2())).fold(seen.windows, |windows, _| halve(windows));
        }
    }

    /// Returns the result; and for each window the blocks touched in it, and touched for the first time.
    pub(super) fn describe(self) -> (Touched, [(u64, u64); WINDOWS_MAX]) {
        // A trace can be made whose sample stands for an impossible number.
        let times = 1_u64.checked_shl(self.halvings).unwrap_or(u64::MAX);
        let scale = |count: u64| count.saturating_mul(times);
        let mut windows = [(0_u64, 0_u64); WINDOWS_MAX];
        let mut touched =
            Touched { accesses: self.accesses, is_exact: self.halvings == 0, ..Touched::default() };
        let mut counts: Vec<u32> = Vec::with_capacity(self.blocks.len());
        for seen in self.blocks.values() {
            counts.push(seen.accesses);
            touched.blocks += 1;
            touched.blocks_once += u64::from(seen.accesses == 1);
            for kind in [Kind::Read, Kind::Write, Kind::Unknown] {
                touched.blocks_by.add(kind, u64::from(seen.by & bit(kind) != 0));
            }
            windows[seen.windows.trailing_zeros() as usize].1 += 1;
            for (window, (distinct, _)) in windows.iter_mut().enumerate() {
                *distinct += u64::from(seen.windows >> window & 1);
            }
        }
        touched.busiest_tenth = busiest(&mut counts);
        let Directions { read, write, unknown } = &mut touched.blocks_by;
        for count in [&mut touched.blocks, &mut touched.blocks_once, read, write, unknown] {
            *count = scale(*count);
        }
        for (distinct, first) in &mut windows {
            (*distinct, *first) = (scale(*distinct), scale(*first));
        }
        (touched, windows)
    }
}

/// Returns the share of accesses of the busiest tenth, rounded up to whole blocks.
#[expect(clippy::cast_precision_loss, reason = "a share for people")]
fn busiest(counts: &mut [u32]) -> f64 {
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let sum = |counts: &[u32]| counts.iter().map(|count| u64::from(*count)).sum::<u64>();
    let some = sum(&counts[..counts.len().div_ceil(BUSIEST_ONE_IN)]);
    some as f64 / sum(counts).max(1) as f64
}

fn bit(kind: Kind) -> u8 {
    match kind {
        Kind::Read => 1,
        Kind::Write => 2,
        Kind::Unknown => 4,
    }
}

fn is_in(block: u64, halvings: u32) -> bool {
    mix(block).leading_zeros() >= halvings
}

/// Joins each pair of bits, in the lower half.
fn halve(windows: u32) -> u32 {
    (0..u32::BITS / 2).fold(0, |half, at| half | u32::from(windows >> (2 * at) & 0b11 != 0) << at)
}

/// Returns the hash of a number, by the end of `SplitMix64` (Steele, Lea and Flood, OOPSLA 2014): every bit of the number changes every bit
/// of its hash.
fn mix(mut number: u64) -> u64 {
    number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_windows_become_one() {
        for (before, after) in [(0, 0), (0b1, 0b1), (0b10, 0b1), (0b1_0100, 0b110), (u32::MAX, 0xffff)] {
            assert_eq!(halve(before), after, "{before:b}");
        }
    }

    #[test]
    fn nobody_knows_where_a_block_lies_in_the_table() {
        use std::hash::BuildHasher;
        let hash = || Footprint::new(64).blocks.hasher().hash_one(7_u64);
        assert_ne!(hash(), hash());
    }

    /// Returns the inverse of [`mix`], with which a trace can be made against it.
    fn unmix(hash: u64) -> u64 {
        let number = hash ^ hash >> 31 ^ hash >> 62;
        let number = number.wrapping_mul(inverse(0x94d0_49bb_1331_11eb));
        let number = number ^ number >> 27 ^ number >> 54;
        let number = number.wrapping_mul(inverse(0xbf58_476d_1ce4_e5b9));
        number ^ number >> 30 ^ number >> 60
    }

    /// Returns the inverse of an odd number modulo 2^64, by Newton's method.
    fn inverse(odd: u64) -> u64 {
        (0..6).fold(odd, |found, _| found.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(found))))
    }

    #[test]
    fn a_sample_that_was_made_to_stand_for_too_much_overflows_nothing() {
        let mut footprint = Footprint::new(8);
        for hash in 0..64 {
            let block = unmix(hash);
            assert_eq!(mix(block), hash);
            footprint.touch(block, Kind::Read, 0);
        }
        assert!(footprint.halvings > 60);
        let (touched, windows) = footprint.describe();
        assert_eq!((touched.blocks, windows[0].0), (u64::MAX, u64::MAX));
    }

    #[test]
    fn the_busiest_tenth_is_of_blocks() {
        let mut counts: Vec<u32> = (0..20).map(|at| if at % 10 == 3 { 41 } else { 1 }).collect();
        assert!((busiest(&mut counts) - 0.82).abs() < 1e-9);
        assert!(busiest(&mut []).abs() < 1e-9);
        assert!((busiest(&mut [7]) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_sample_estimates_what_is_beyond_the_bound() {
        let mut footprint = Footprint::new(4096);
        for round in 0..2 {
            for block in 0..100_000_u64 {
                // Every fourth block is touched only once.
                if round == 0 || block % 4 != 0 {
                    footprint.touch(block * 7, Kind::Write, round);
                }
            }
        }
        let (touched, windows) = footprint.describe();
        assert!(!touched.is_exact);
        assert_eq!(touched.accesses, 175_000);
        let is_near = |found: u64, expected: u64| found.abs_diff(expected) * 10 < expected;
        assert!(is_near(touched.blocks, 100_000) && is_near(touched.blocks_once, 25_000), "{touched:?}");
        assert_eq!(touched.blocks_by, Directions { write: touched.blocks, ..Directions::default() });
        assert_eq!(windows[0], (touched.blocks, touched.blocks));
        assert_eq!(windows[1], (touched.blocks - touched.blocks_once, 0));
    }
}
