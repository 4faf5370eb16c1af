//! What is known of one block, and the classes that it belongs to: how large the request was that brought it, or how often it
//! was used and how far apart the last two uses were; and how long ago the last one is. All times are accesses of the disk, not
//! seconds: a disk at rest does not age.

use block::{ByteRange, PAGE};

/// Classes of ages, four in each octave.
pub(super) const AGES: usize = 56;
/// Classes of blocks: used once, by seven of requests; and four of uses by ten of gaps.
pub(super) const CLASSES: usize = COMINGS + USES * GAPS;
/// Classes of requests.
const COMINGS: usize = 7;
/// Classes of gaps between the last two uses.
pub(super) const GAPS: usize = 10;
const USES: usize = 4;

/// Uses are counted up to this.
const USES_MAX: u8 = 15;
/// The finest age that is told apart by itself is the cache's size by this.
const TICKS: f32 = 64.0;
/// Moments in a cache's size of accesses: quarters of a tick, as fine as the finest classes of ages are.
const MOMENTS: usize = 256;
/// Moments are counted in so many bits. A block that was not used for 4096 times as many accesses as the cache holds blocks looks
/// young again: it stays a little longer, once.
pub(super) const MOMENT_BITS: u32 = 20;
const MOMENT_MASK: u32 = (1 << MOMENT_BITS) - 1;
/// Of a number of 32 bits with a binary point that floats: where its exponent and the two bits behind it begin, and what they are
/// for 1.0.
const QUARTERS_SHIFT: u32 = 21;
const QUARTERS_OF_ONE: u32 = 127 << 2;

/// A point in the time of a disk, in moments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment(u32);

/// The time of a disk: goes on by one with each access.
#[derive(Clone)]
pub(super) struct Clock {
    accesses: u64,
    moment: Moment,
    /// Accesses until the next moment.
    left: u32,
    /// Accesses in a moment.
    unit: u32,
}

/// The classes of ages of a cache, whose size is their unit.
pub(super) struct Ages {
    capacity: f32,
    tick: f32,
    /// So much of a tick is a moment.
    moment: f32,
}

/// What is known of a block, in 32 bits: from the lowest on, when it was used last, how often, its class, and its heat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct History(u32);

const USES_SHIFT: u32 = MOMENT_BITS;
const CLASS_SHIFT: u32 = USES_SHIFT + 4;
const HEAT_SHIFT: u32 = CLASS_SHIFT + 6;
const _: () =
    assert!(CLASSES <= 1 << (HEAT_SHIFT - CLASS_SHIFT) && USES_MAX < 1 << (CLASS_SHIFT - USES_SHIFT));

/// How often a block was hit on flash lately, at most.
pub(crate) const HEAT_MAX: u8 = 3;

/// How a block came: by how large a request, in classes that double. What is read with much else is seldom read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Coming(u8);

impl Coming {
    /// With a request of such a range of bytes.
    pub(crate) fn with(request: &ByteRange) -> Self {
        Self::with_pages(request.widened(PAGE).len() / PAGE)
    }

    /// With a request of 1, 2, 4, 8, 16, 32 pages at most, or more.
    pub(crate) fn with_pages(pages: u64) -> Self {
        Self(pages.next_power_of_two().ilog2().min(COMINGS as u32 - 1) as u8)
    }

    /// With a request of one page.
    #[cfg(test)]
    pub(crate) const ALONE: Self = Self(0);
}

impl Clock {
    pub(super) fn new(capacity: usize) -> Self {
        let unit = (capacity / MOMENTS).clamp(1, u32::MAX as usize) as u32;
        Self { accesses: 0, moment: Moment(0), left: unit, unit }
    }

    /// Accesses in a moment.
    pub(super) fn unit(&self) -> u32 {
        self.unit
    }

    pub(super) fn tick(&mut self) {
        self.accesses += 1;
        self.left -= 1;
        if self.left == 0 {
            self.left = self.unit;
            self.moment = Moment((self.moment.0 + 1) & MOMENT_MASK);
        }
    }

    pub(super) fn accesses(&self) -> u64 {
        self.accesses
    }

    /// Accesses from a moment to this one, rounded down to moments.
    pub(super) fn accesses_since(&self, earlier: u32) -> u64 {
        u64::from(self.moment.since(earlier)) * u64::from(self.unit)
    }

    pub(super) fn now(&self) -> Moment {
        self.moment
    }
}

impl Moment {
    /// Counted from an arbitrary one on, and from 0 again after [`MOMENT_BITS`].
    pub(super) fn number(self) -> u32 {
        self.0
    }

    /// So many moments earlier.
    pub(super) fn before(self, moments: u32) -> Self {
        Self(self.0.wrapping_sub(moments) & MOMENT_MASK)
    }

    /// Moments from an earlier one to this.
    fn since(self, earlier: u32) -> u32 {
        self.0.wrapping_sub(earlier) & MOMENT_MASK
    }
}

impl Ages {
    #[cfg(test)]
    pub(super) fn new(capacity: usize) -> Self {
        Self::with_moments(capacity, Clock::new(capacity).unit())
    }

    /// Of a cache whose moments are so many accesses.
    #[expect(clippy::cast_precision_loss, reason = "classes are wide")]
    pub(super) fn with_moments(capacity: usize, unit: u32) -> Self {
        let capacity = capacity as f32;
        let tick = (capacity / TICKS).max(1.0);
        Self { capacity, tick, moment: unit as f32 / tick }
    }

    /// The class of an age in moments.
    #[expect(clippy::cast_precision_loss, reason = "classes are wide")]
    fn of(&self, moments: u32) -> usize {
        let quarters = (moments as f32 * self.moment + 1.0).to_bits() >> QUARTERS_SHIFT;
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
        let uses = class.checked_sub(COMINGS).map_or(0, |class| (class / GAPS + 1).min(USES - 1));
        COMINGS + uses * GAPS + gap_class((self.start(age) + self.width(age) / 2.0) / self.tick)
    }
}

/// The class of a gap in ticks.
fn gap_class(ticks: f32) -> usize {
    let quarters = (ticks + 1.0).to_bits() >> QUARTERS_SHIFT;
    ((quarters - QUARTERS_OF_ONE) as usize / 4).min(GAPS - 1)
}

impl History {
    fn new(last: u32, uses: u8, class: usize, heat: u8) -> Self {
        let (uses, heat) = (u32::from(uses), u32::from(heat));
        Self(last & MOMENT_MASK | uses << USES_SHIFT | (class as u32) << CLASS_SHIFT | heat << HEAT_SHIFT)
    }

    /// A block that is used at this moment, and of which nothing was known.
    pub(super) fn first(now: Moment, coming: Coming) -> Self {
        Self::new(now.0, 1, usize::from(coming.0), 0)
    }

    /// A block that left, and comes back: only what a ghost tells of it is known.
    pub(super) fn of_ghost(last: Moment, uses: u8) -> Self {
        Self::new(last.0, uses, 0, 0)
    }

    /// The same block used once more.
    #[expect(clippy::cast_precision_loss, reason = "classes are wide")]
    pub(super) fn used(self, now: Moment, ages: &Ages) -> Self {
        let uses = (self.uses() + 1).min(USES_MAX);
        let class_of_uses = match uses {
            0..=2 => 0,
            3..=4 => 1,
            5..=8 => 2,
            _ => 3,
        };
        let gap = gap_class(now.since(self.last()) as f32 * ages.moment);
        Self::new(now.0, uses, COMINGS + class_of_uses * GAPS + gap, self.heat())
    }

    /// True if it was used in this very moment.
    pub(super) fn is_of(self, now: Moment) -> bool {
        self.last() == now.0 && self.uses() > 0
    }

    /// True if it knows of uses that the other one does not know of.
    pub(crate) fn is_later_than(self, other: Self) -> bool {
        self.last() != other.last() || self.uses() > other.uses()
    }

    /// When it was used last.
    pub(super) fn last(self) -> u32 {
        self.0 & MOMENT_MASK
    }

    /// How often it was used, up to 15.
    pub(crate) fn uses(self) -> u8 {
        (self.0 >> USES_SHIFT) as u8 & USES_MAX
    }

    pub(super) fn class(self) -> usize {
        (self.0 >> CLASS_SHIFT & ((1 << (HEAT_SHIFT - CLASS_SHIFT)) - 1)) as usize
    }

    /// The class of its age.
    pub(super) fn age(self, now: Moment, ages: &Ages) -> usize {
        ages.of(now.since(self.last()))
    }

    /// How often it was read from flash lately.
    pub(crate) fn heat(self) -> u8 {
        (self.0 >> HEAT_SHIFT) as u8
    }

    /// The same with another heat, at most [`HEAT_MAX`].
    pub(crate) fn with_heat(self, heat: u8) -> Self {
        Self(self.0 & !(u32::from(HEAT_MAX) << HEAT_SHIFT) | u32::from(heat.min(HEAT_MAX)) << HEAT_SHIFT)
    }

    /// One step warmer.
    pub(crate) fn warmer(self) -> Self {
        self.with_heat(self.heat() + 1)
    }
}

/// The gap of a class; none if it was used once.
pub(super) fn gap_of(class: usize) -> Option<usize> {
    class.checked_sub(COMINGS).map(|class| class % GAPS)
}

#[cfg(test)]
impl Moment {
    pub(super) fn at(moments: u32) -> Self {
        Self(moments & MOMENT_MASK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_ages_follow_each_other_without_a_gap() {
        for capacity in [16, 640, 100_000] {
            let ages = Ages::new(capacity);
            let unit = (capacity / MOMENTS).max(1);
            let mut before = 0;
            for moments in 0..100_000 {
                let age = ages.of(moments);
                assert!((before..=AGES - 1).contains(&age), "{moments}");
                #[expect(clippy::cast_precision_loss, reason = "small")]
                let at = (moments as usize * unit) as f32;
                assert!(ages.start(age) <= at * 1.001 + 1.0, "{moments} is in {age}");
                assert!(age == AGES - 1 || at <= ages.start(age + 1) * 1.001 + 1.0, "{moments} is in {age}");
                before = age;
            }
        }
    }

    #[test]
    fn a_block_is_known_by_its_uses_and_the_gap_between_the_last_two() {
        let ages = Ages::new(640);
        let at = |accesses: u32| Moment::at(accesses / 2);
        let once = History::first(at(6), Coming::ALONE);
        let class_of = |bytes| History::first(at(6), Coming::with(&ByteRange::at(PAGE - 512, bytes))).class();
        let classes = [512, 513, PAGE + 512, 8 * PAGE, 32 << 20].map(class_of);
        assert_eq!(classes, [0, 1, 1, 4, COMINGS - 1], "of 1, 2, 2, 9 and many pages");
        assert_eq!(once.class(), 0);
        let twice = once.used(at(6 + 640), &ages);
        assert_eq!(twice.class(), COMINGS + 6, "a gap of the whole cache is 64 ticks");
        assert_eq!(gap_of(twice.class()), Some(6));
        assert_eq!(twice.age(at(646), &ages), 0);
        let mut often = twice.with_heat(9);
        for now in 647..700 {
            often = often.used(at(now), &ages);
        }
        assert_eq!((often.class(), often.uses(), often.heat()), (COMINGS + 3 * GAPS, USES_MAX, HEAT_MAX));
        assert_eq!(often.with_heat(0).warmer().heat(), 1);
        assert_eq!(ages.class_after(0, ages.of(320)), twice.class());
    }

    #[test]
    fn time_goes_on_past_its_last_moment() {
        let mut clock = Clock::new(512);
        clock.moment = Moment(MOMENT_MASK);
        let (ages, block) = (Ages::new(512), History::first(clock.now(), Coming::ALONE));
        (0..6).for_each(|_| clock.tick());
        assert_eq!((clock.now(), clock.accesses()), (Moment(2), 6));
        assert_eq!(block.age(clock.now(), &ages), ages.of(3));
    }
}
