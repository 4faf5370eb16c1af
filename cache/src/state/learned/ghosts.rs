//! Ghosts: records of blocks that left the cache, so that those that return have a history. The time that a block was away predicts more
//! than anything else.
//!
//! Two bytes each: a fingerprint, about when the block was used last, and about how often. A block has one bucket, a queue of [`PLACES`];
//! the newest ghost replaces the oldest, so old ghosts fade by themselves.

use std::ops::Range;

use super::ages::{Clock, History, MOMENT_BITS, Moment};
use crate::format::fields::{FieldWriter, Malformed};
use crate::state::hash::hash;

/// Ghosts of one bucket.
const PLACES: usize = 4;
const BUCKETS_MIN: u64 = 16;

/// From the highest bits on: a fingerprint, 0 for an empty place; the time of the last use; and the number of uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ghost(u16);

const FINGERPRINT_SHIFT: u32 = 8;
const LAST_SHIFT: u32 = 2;
const LAST_BITS: u32 = FINGERPRINT_SHIFT - LAST_SHIFT;
const LAST_MASK: u32 = (1 << LAST_BITS) - 1;
/// Number of steps in the time in which the whole cache is used once. Gaps are distinguished by octaves, and few are much shorter than that
/// where a block has left meanwhile.
const STEPS: u64 = 4;

/// Uses from which on a ghost is of the next class, and the count that it stands for: classes of blocks change with the next use.
const USES: [u8; 4] = [1, 2, 4, 8];

pub(super) struct Ghosts {
    buckets: Box<[[Ghost; PLACES]]>,
    /// Moments of a step, as a power of two.
    step: u32,
}

impl Ghosts {
    /// Creates room for `for_each` ghosts for each of the `blocks` that a cache holds.
    pub(super) fn new(blocks: u64, for_each: u64, clock: &Clock) -> Self {
        let buckets = (blocks.saturating_mul(for_each) / PLACES as u64).clamp(BUCKETS_MIN, 1 << 31) as usize;
        let step = (blocks / STEPS / u64::from(clock.unit())).max(1).ilog2().min(MOMENT_BITS - LAST_BITS);
        Self { buckets: vec![[Ghost(0); PLACES]; buckets].into_boxed_slice(), step }
    }

    /// Returns the ghosts of a cache of another size, as far as they fit. Of a bucket that is divided both parts have all, for which part
    /// a ghost belongs to is not known; those that are wrong there fade.
    pub(super) fn resized(&self, blocks: u64, for_each: u64, clock: &Clock) -> Self {
        let mut resized = Self::new(blocks, for_each, clock);
        let (before, after) = (self.buckets.len(), resized.buckets.len());
        let (step, now) = (resized.step, clock.now());
        for (number, bucket) in resized.buckets.iter_mut().enumerate() {
            // A bucket has the hashes of one stretch, so these have some of its hashes.
            let from = number * before / after..((number + 1) * before).div_ceil(after);
            let places = (0..PLACES).flat_map(|place| from.clone().map(move |old| (old, place)));
            let ghosts = places.filter_map(|(old, place)| {
                let ghost = self.buckets[old][place];
                let steps = self.moments_since(ghost, now) >> step;
                (ghost != Ghost(0) && steps <= LAST_MASK)
                    .then(|| ghost.at((now.number() >> step).wrapping_sub(steps)))
            });
            bucket.iter_mut().zip(ghosts).for_each(|(place, ghost)| *place = ghost);
        }
        resized
    }

    /// Returns how many buckets there are.
    pub(super) fn buckets(&self) -> usize {
        self.buckets.len()
    }

    /// Returns moments of a step, as a power of two.
    pub(super) fn step(&self) -> u32 {
        self.step
    }

    /// Appends some buckets, with times before `now`.
    pub(super) fn encode(&self, buckets: Range<usize>, now: Moment, to: &mut FieldWriter) {
        let step = now.number() >> self.step;
        for ghost in self.buckets[buckets].as_flattened() {
            to.u16(ghost.at(step.wrapping_sub(ghost.last())).0);
        }
    }

    /// Returns as many ghosts as bytes have that [`Self::encode`] appended, with steps as long as `step` says.
    pub(super) fn decode(step: u32, bytes: &[u8], now: Moment) -> Result<Self, Malformed> {
        let (buckets, rest) = bytes.as_chunks::<{ PLACES * size_of::<Ghost>() }>();
        let step = Self::check_step(step)?;
        if (buckets.len() as u64) < BUCKETS_MIN || !rest.is_empty() {
            return Err(Malformed("there cannot be so many ghosts"));
        }
        let now = now.number() >> step;
        let ghost = |bytes: &[u8; 2]| {
            let ghost = Ghost(u16::from_le_bytes(*bytes));
            if ghost.is_of(0) { Ghost(0) } else { ghost.at(now.wrapping_sub(ghost.last())) }
        };
        let bucket = |bytes: &[u8; PLACES * 2]| {
            let ghosts = bytes.as_chunks::<2>().0;
            std::array::from_fn(|place| ghost(&ghosts[place]))
        };
        Ok(Self { buckets: buckets.iter().map(bucket).collect(), step })
    }

    /// Returns a length of a step, if it can be one.
    pub(super) fn check_step(step: u32) -> Result<u32, Malformed> {
        if step > MOMENT_BITS - LAST_BITS { Err(Malformed("no step is so long")) } else { Ok(step) }
    }

    /// Returns about when a block was used last and about how often, in a byte: as a ghost has it, in steps of this length before
    /// `now`. None if nothing is known.
    pub(super) fn pack(history: History, step: u32, now: Moment) -> Option<u8> {
        let uses = uses_class(history)?;
        let steps = now.since(history.last()) >> step;
        Some((steps.min(LAST_MASK) << LAST_SHIFT) as u8 | uses as u8)
    }

    /// Returns the history in such a byte, with steps of this length.
    pub(super) fn unpack(packed: u8, step: u32, now: Moment) -> History {
        let ghost = Ghost(u16::from(packed));
        History::of_ghost(now.before(ghost.last() << step), USES[ghost.uses()])
    }

    /// Returns about how many moments ago a ghost was used: from the middle of the step in which it was.
    fn moments_since(&self, ghost: Ghost, now: Moment) -> u32 {
        let steps = (now.number() >> self.step).wrapping_sub(ghost.last()) & LAST_MASK;
        let into_step = now.number() & ((1 << self.step) - 1);
        let longest = (steps << self.step) + into_step;
        longest - longest.min(1 << self.step) / 2
    }

    /// Returns the bucket of a block, and its fingerprint there. Not by the highest bits, which the blocks of a sample have in common.
    fn place(&self, block: u64) -> (usize, u16) {
        let hash = hash(block);
        let bucket = ((hash & 0xFFFF_FFFF) * self.buckets.len() as u64) >> 32;
        (bucket as usize, u16::from((hash >> 32) as u8).max(1))
    }

    /// Records a block that leaves. One without history is not worth a place.
    pub(super) fn remember(&mut self, block: u64, history: History) {
        let Some(uses) = uses_class(history) else { return };
        let (bucket, fingerprint) = self.place(block);
        let last = (history.last() >> self.step & LAST_MASK) as u16;
        let bucket = &mut self.buckets[bucket];
        let is_its = |ghost: &Ghost| ghost.is_of(fingerprint);
        let goes = bucket.iter().position(is_its).unwrap_or(PLACES - 1);
        bucket[..=goes].rotate_right(1);
        bucket[0] = Ghost(fingerprint << FINGERPRINT_SHIFT | last << LAST_SHIFT | uses as u16);
    }

    /// Returns the recorded history of a block: about when it was used last, and about how often. One in sixty is mistaken for another one.
    pub(super) fn recall(&self, block: u64, now: Moment) -> Option<History> {
        let (bucket, fingerprint) = self.place(block);
        let ghost = self.buckets[bucket].iter().find(|ghost| ghost.is_of(fingerprint))?;
        Some(History::of_ghost(now.before(self.moments_since(*ghost, now)), USES[ghost.uses()]))
    }

    /// Returns the bytes of RAM taken.
    pub(super) fn bytes(&self) -> u64 {
        size_of_val(&*self.buckets) as u64
    }
}

/// Returns the class of how often a block was used. None if it is not known.
fn uses_class(history: History) -> Option<usize> {
    USES.iter().rposition(|least| history.uses() >= *least)
}

impl Ghost {
    /// Returns the same used in another step, or so many steps ago.
    fn at(self, last: u32) -> Self {
        Self(self.0 & !((LAST_MASK as u16) << LAST_SHIFT) | ((last & LAST_MASK) as u16) << LAST_SHIFT)
    }

    fn is_of(self, fingerprint: u16) -> bool {
        self.0 >> FINGERPRINT_SHIFT == fingerprint
    }

    /// Returns the step in which it was used last.
    fn last(self) -> u32 {
        u32::from(self.0 >> LAST_SHIFT) & LAST_MASK
    }

    /// Returns the class of its uses.
    fn uses(self) -> usize {
        usize::from(self.0) & (USES.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::learned::ages::{Ages, ArrivalClass, By, gap_of};

    const BLOCKS: usize = 100_000;

    fn ghosts() -> Ghosts {
        Ghosts::new(BLOCKS as u64, 1, &Clock::new(BLOCKS))
    }

    /// Returns a block that was used `times` times, the last time at this moment.
    fn used(times: u32, last: Moment) -> History {
        let ages = Ages::new(BLOCKS);
        (1..times)
            .fold(History::first(last, ArrivalClass::ALONE), |history, _| history.used(last, &ages, By::Read))
    }

    #[test]
    fn a_ghost_tells_the_class_of_its_block_and_few_others_are_taken_for_it() {
        let (mut ghosts, ages) = (ghosts(), Ages::new(BLOCKS));
        // In moments, of which a cache's size has 256: from an eighth of the cache's size to fourteen times it, also where moments wrap
        // around.
        for away in [32, 64, 100, 200, 256, 500, 1_000, 3_500] {
            for last in [1, 63, 64, (1 << MOMENT_BITS) - 20] {
                for times in 1..15 {
                    let (last, block) = (Moment::at(last), u64::from(times));
                    let now = last.before(0_u32.wrapping_sub(away));
                    ghosts.remember(block, used(times, last));
                    let recalled = ghosts.recall(block, now).expect("just remembered");
                    let comes = recalled.used(now, &ages, By::Read);
                    let known = used(times, last).used(now, &ages, By::Read);
                    let gaps = [comes, known].map(|history| gap_of(history.class()).expect("used twice"));
                    assert!(gaps[0].abs_diff(gaps[1]) <= 1, "{away} moments: {gaps:?}");
                    let without_gap = |history: History, gap: usize| history.class() - gap;
                    assert_eq!(without_gap(comes, gaps[0]), without_gap(known, gaps[1]), "{times} times");
                }
            }
        }
        let strangers = (100..10_100).filter(|block| ghosts.recall(*block, Moment::at(0)).is_some()).count();
        assert!(strangers < 10, "{strangers} of 10,000 where hardly any bucket has a ghost");
        ghosts.remember(8_000, History::default());
        assert_eq!(ghosts.recall(8_000, Moment::at(0)), None, "nothing was known of it");
    }

    #[test]
    fn what_left_last_stays_longest_and_two_bytes_each_are_taken() {
        let mut ghosts = ghosts();
        assert_eq!(ghosts.bytes(), 2 * BLOCKS as u64);
        for block in 0..2 * BLOCKS as u64 {
            ghosts.remember(block, used(1, Moment::at(7)));
        }
        let known = |blocks: std::ops::Range<u64>| {
            let count = blocks.clone().filter(|block| ghosts.recall(*block, Moment::at(7)).is_some()).count();
            100 * count / (blocks.end - blocks.start) as usize
        };
        let quarter = BLOCKS as u64 / 4;
        let parts = [7, 6, 5, 4, 0].map(|part| known(part * quarter..(part + 1) * quarter));
        assert!(parts.is_sorted_by(|later, earlier| later > earlier), "{parts:?}");
        assert!(parts[0] > 98 && parts[4] < 20, "{parts:?}");
    }

    #[test]
    fn ghosts_of_a_cache_that_grew_or_shrank_tell_about_how_long_they_were_away() {
        // Its clock goes on in the moments of the size that it had, of which a step has as many more or fewer.
        for (before, blocks) in [(1_000, 1_000_000), (1_000_000, 1_000), (256, 1 << 22)] {
            let clock = Clock::new(before);
            let mut ghosts = Ghosts::new(blocks, 1, &clock);
            let step = 1 << ghosts.step;
            for steps in [0, 1, 2, 10, 62] {
                let last = Moment::at(12_345);
                let now = last.before(0_u32.wrapping_sub(steps * step));
                ghosts.remember(7, used(1, last));
                let recalled = ghosts.recall(7, now).expect("just remembered");
                let away = now.number().wrapping_sub(recalled.last()) & ((1 << MOMENT_BITS) - 1);
                assert!(
                    away.abs_diff(steps * step) <= step / 2,
                    "{blocks} blocks: {away} of {}",
                    steps * step
                );
            }
        }
    }

    #[test]
    fn a_block_that_leaves_again_takes_its_own_place() {
        let mut ghosts = ghosts();
        for times in 1..9 {
            ghosts.remember(7, used(times, Moment::at(64 * times)));
        }
        let (bucket, _) = ghosts.place(7);
        assert_eq!(ghosts.buckets[bucket].iter().filter(|ghost| **ghost != Ghost(0)).count(), 1);
        let recalled = ghosts.recall(7, Moment::at(64 * 8)).expect("remembered");
        assert_eq!(recalled.uses(), 8);
    }
}
