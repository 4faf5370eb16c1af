//! What is known of one block, and the classes that it belongs to: how often it was used, how far apart the last two uses were,
//! and how long ago the last one is. All times are accesses of the disk, not seconds: a disk at rest does not age.

/// Classes of ages, four in each octave.
pub(super) const AGES: usize = 56;
/// Classes of blocks: used once; used once, right behind its neighbour; and four of uses by ten of gaps.
pub(super) const CLASSES: usize = 2 + USES * GAPS;
/// Classes of gaps between the last two uses.
pub(super) const GAPS: usize = 10;
const USES: usize = 4;

/// Uses are counted up to this.
const USES_MAX: u8 = 15;
/// The finest age that is told apart is the cache's size by this.
const TICKS: f32 = 64.0;
/// Of a number of 32 bits with a binary point that floats: where its exponent and the two bits behind it begin, and what they are
/// for 1.0.
const QUARTERS_SHIFT: u32 = 21;
const QUARTERS_OF_ONE: u32 = 127 << 2;

/// The classes of ages of a cache, whose size is their unit.
pub(super) struct Ages {
    capacity: f32,
    tick: f32,
}

/// What is known of a block.
#[derive(Clone, Copy, Default)]
pub(super) struct History {
    /// The access that used it last.
    last: u32,
    uses: u8,
    class: u8,
}

/// Whether a block was asked for right behind its neighbour.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Coming {
    Alone,
    InRow,
}

impl Ages {
    #[expect(clippy::cast_precision_loss, reason = "classes are wide")]
    pub(super) fn new(capacity: usize) -> Self {
        let capacity = capacity as f32;
        Self { capacity, tick: (capacity / TICKS).max(1.0) }
    }

    /// The class of an age in accesses.
    #[expect(clippy::cast_precision_loss, reason = "classes are wide")]
    pub(super) fn of(&self, accesses: u32) -> usize {
        let quarters = (accesses as f32 / self.tick + 1.0).to_bits() >> QUARTERS_SHIFT;
        ((quarters - QUARTERS_OF_ONE) as usize).min(AGES - 1)
    }

    /// The youngest of a class, in accesses.
    fn start(&self, age: usize) -> f32 {
        let quarters = age as u32 + QUARTERS_OF_ONE;
        (f32::from_bits(quarters << QUARTERS_SHIFT) - 1.0) * self.tick
    }

    /// How many accesses it takes to grow out of a class.
    pub(super) fn width(&self, age: usize) -> f32 {
        self.start(age + 1) - self.start(age)
    }

    /// So much of the time in which the whole cache is used once.
    pub(super) fn share(&self, accesses: f32) -> f32 {
        accesses / self.capacity
    }

    /// The class of a block that is used at this age, if it was of `class` before.
    pub(super) fn class_after(&self, class: usize, age: usize) -> usize {
        let uses = class.checked_sub(2).map_or(0, |class| (class / GAPS + 1).min(USES - 1));
        2 + uses * GAPS + self.gap_class(self.start(age) + self.width(age) / 2.0)
    }

    fn gap_class(&self, accesses: f32) -> usize {
        let quarters = (TICKS * self.share(accesses) + 1.0).to_bits() >> QUARTERS_SHIFT;
        ((quarters - QUARTERS_OF_ONE) as usize / 4).min(GAPS - 1)
    }
}

impl History {
    /// A block that is used at this access, and of which nothing was known.
    pub(super) fn first(now: u32, coming: Coming) -> Self {
        Self { last: now, uses: 1, class: u8::from(coming == Coming::InRow) }
    }

    /// The same block used once more.
    #[expect(clippy::cast_precision_loss, reason = "classes are wide")]
    pub(super) fn used(self, now: u32, ages: &Ages) -> Self {
        let uses = (self.uses + 1).min(USES_MAX);
        let class_of_uses = match uses {
            0..=2 => 0,
            3..=4 => 1,
            5..=8 => 2,
            _ => 3,
        };
        let class = 2 + class_of_uses * GAPS + ages.gap_class((now - self.last) as f32);
        Self { last: now, uses, class: class as u8 }
    }

    pub(super) fn class(self) -> usize {
        self.class.into()
    }

    pub(super) fn age(self, now: u32, ages: &Ages) -> usize {
        ages.of(now - self.last)
    }
}

/// The gap of a class; none if it was used once.
pub(super) fn gap_of(class: usize) -> Option<usize> {
    class.checked_sub(2).map(|class| class % GAPS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_ages_follow_each_other_without_a_gap() {
        for capacity in [16, 640, 100_000] {
            let ages = Ages::new(capacity);
            let mut before = 0;
            for accesses in 0..200_000 {
                let age = ages.of(accesses);
                assert!((before..=AGES - 1).contains(&age), "{accesses}");
                #[expect(clippy::cast_precision_loss, reason = "small")]
                let at = accesses as f32;
                assert!(ages.start(age) <= at + 1.0, "{accesses} is in {age}");
                assert!(age == AGES - 1 || at <= ages.start(age + 1) + 1.0, "{accesses} is in {age}");
                before = age;
            }
        }
    }

    #[test]
    fn a_block_is_known_by_its_uses_and_the_gap_between_the_last_two() {
        let ages = Ages::new(640);
        let once = History::first(5, Coming::Alone);
        let in_row = History::first(5, Coming::InRow);
        assert_eq!([once, in_row].map(History::class), [0, 1]);
        let twice = once.used(5 + 640, &ages);
        assert_eq!(twice.class(), 2 + 6, "a gap of the whole cache is 64 ticks");
        assert_eq!(gap_of(twice.class()), Some(6));
        assert_eq!(twice.age(645, &ages), 0);
        let mut often = twice;
        for now in 646..700 {
            often = often.used(now, &ages);
        }
        assert_eq!((often.class(), often.uses), (2 + 3 * GAPS, USES_MAX));
        assert_eq!(ages.class_after(0, ages.of(640)), twice.class());
    }
}
