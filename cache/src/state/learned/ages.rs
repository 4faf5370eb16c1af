//! History of one block, and the classes that it belongs to. A history has the moment of the last use and the number of uses. Of a block
//! that was used once it has the kind and size of the request, of others the kind of the last use and the gap between the last two. All
//! times are accesses of the disk, not seconds: a disk at rest does not age.

use block::{ByteRange, PAGE};

/// Classes of ages, four in each octave.
pub(super) const AGES: usize = 56;
/// Classes of blocks: used once, by fourteen of requests; and six of uses by ten of gaps.
pub(super) const CLASSES: usize = ARRIVAL_CLASSES + (USES_READ + USES_WRITTEN) * GAPS;
/// Number of classes of requests: all sizes, read and written.
const ARRIVAL_CLASSES: usize = 2 * SIZES;
const SIZES: usize = 7;
/// Classes of gaps between the last two uses.
pub(super) const GAPS: usize = 10;
/// Classes of how often a block was used that was read last: up to 2, 4, 8 times, and more.
const USES_READ: usize = 4;
/// The same of one that was written last: twice, and more. Four close no more.
const USES_WRITTEN: usize = 2;

/// Uses are counted up to this.
const USES_MAX: u8 = 15;
/// Resolution of ages: the finest class is the cache's size divided by this.
const TICKS: f32 = 64.0;
/// Moments in a cache's size of accesses: quarters of a tick, as fine as the finest classes of ages are.
const MOMENTS: usize = 256;
/// Bits of a moment. A block that was not used for 4096 times as many accesses as the cache holds blocks looks young again: it stays a
/// little longer, once.
pub(super) const MOMENT_BITS: u32 = 20;
const MOMENT_MASK: u32 = (1 << MOMENT_BITS) - 1;
/// For a 32-bit float: the position of its exponent and the two bits behind it, and their value for 1.0.
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
    /// Length of a moment, in ticks.
    moment: f32,
}

/// History of a block, in 32 bits: from the lowest on, the moment of the last use, the number of uses, the manner of use, and its heat. The
/// manner is the [`ArrivalClass`] of a block that was used once, and for others the gap between the last two uses, and above it whether the last
/// one was a write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct History(u32);

const USES_SHIFT: u32 = MOMENT_BITS;
const HOW_SHIFT: u32 = USES_SHIFT + 4;
const WRITTEN_SHIFT: u32 = HOW_SHIFT + 4;
const HEAT_SHIFT: u32 = WRITTEN_SHIFT + 1;
const _: () = assert!(HEAT_MAX < 1 << (u32::BITS - HEAT_SHIFT) && USES_MAX < 1 << (HOW_SHIFT - USES_SHIFT));
const _: () =
    assert!(GAPS <= 1 << (WRITTEN_SHIFT - HOW_SHIFT) && ARRIVAL_CLASSES <= 1 << (HEAT_SHIFT - HOW_SHIFT));

/// Highest count of recent hits of a block on flash.
pub(crate) const HEAT_MAX: u8 = 3;

/// Kind of use of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    Read,
    Write,
}

/// Arrival class of a block: read or written, and the size of the request, in classes that double. Blocks of large reads are seldom read
/// again, and blocks that are written are more often written again than blocks that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ArrivalClass(u8);

/// Set for arrivals with a scan.
const SCANNED: u8 = 1 << 7;
const _: () = assert!(ARRIVAL_CLASSES <= SCANNED as usize);

impl ArrivalClass {
    /// Returns the class of a request for such a range of bytes: of 1, 2, 4, 8, 16, 32 pages at most, or more.
    pub(crate) fn with(by: By, request: &ByteRange) -> Self {
        let pages = request.widened(PAGE).len() / PAGE;
        let size = pages.next_power_of_two().ilog2().min(SIZES as u32 - 1) as u8;
        Self(if by == By::Read { size } else { SIZES as u8 + size })
    }

    /// Returns the kind of use.
    pub(super) fn by(self) -> By {
        if self.class() < SIZES { By::Read } else { By::Write }
    }

    /// Returns the same with a [scan](super::scans).
    pub(super) fn with_scan(self) -> Self {
        Self(self.0 | SCANNED)
    }

    /// Returns true for an arrival with a scan.
    pub(super) fn is_scanned(self) -> bool {
        self.0 & SCANNED != 0
    }

    fn class(self) -> usize {
        usize::from(self.0 & !SCANNED)
    }

    /// Returns the moment at which an arrival counts as used: for a scan, as long ago as the cache is large.
    fn moment(self, now: Moment) -> Moment {
        if self.is_scanned() { now.before(MOMENTS as u32) } else { now }
    }

    /// Read by a request of one page.
    #[cfg(test)]
    pub(crate) const ALONE: Self = Self(0);
}

impl Clock {
    pub(super) fn new(capacity: usize) -> Self {
        Self::with_unit((capacity / MOMENTS).clamp(1, u32::MAX as usize) as u32)
    }

    /// Returns a clock at its first moment, with so many accesses in a moment: at least one.
    pub(super) fn with_unit(unit: u32) -> Self {
        let unit = unit.max(1);
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
    /// Returns its number, counted from an arbitrary one on, and from 0 again after [`MOMENT_BITS`].
    pub(super) fn number(self) -> u32 {
        self.0
    }

    /// Returns the moment `moments` earlier.
    pub(super) fn before(self, moments: u32) -> Self {
        Self(self.0.wrapping_sub(moments) & MOMENT_MASK)
    }

    /// Moments from an earlier one to this.
    pub(super) fn since(self, earlier: u32) -> u32 {
        self.0.wrapping_sub(earlier) & MOMENT_MASK
    }
}

impl Ages {
    #[cfg(test)]
    pub(super) fn new(capacity: usize) -> Self {
        Self::with_moments(capacity, Clock::new(capacity).unit())
    }

    /// Creates the classes of a cache whose moments are `unit` accesses.
    #[expect(clippy::cast_precision_loss, reason = "classes are wide")]
    pub(super) fn with_moments(capacity: usize, unit: u32) -> Self {
        let capacity = capacity as f32;
        let tick = (capacity / TICKS).max(1.0);
        Self { capacity, tick, moment: unit as f32 / tick }
    }

    /// Returns the class of an age in moments.
    #[expect(clippy::cast_precision_loss, reason = "classes are wide")]
    fn of(&self, moments: u32) -> usize {
        let quarters = (moments as f32 * self.moment + 1.0).to_bits() >> QUARTERS_SHIFT;
        ((quarters - QUARTERS_OF_ONE) as usize).min(AGES - 1)
    }

    /// Returns the youngest of a class, in accesses.
    fn start(&self, age: usize) -> f32 {
        let quarters = age as u32 + QUARTERS_OF_ONE;
        (f32::from_bits(quarters << QUARTERS_SHIFT) - 1.0) * self.tick
    }

    /// Returns the class in `other` of a block that is in the middle of a class of ages here.
    pub(super) fn age_in(&self, other: &Self, age: usize) -> usize {
        let ticks = (self.start(age) + self.width(age) / 2.0) / other.tick;
        let quarters = (ticks + 1.0).to_bits() >> QUARTERS_SHIFT;
        ((quarters - QUARTERS_OF_ONE) as usize).min(AGES - 1)
    }

    /// Returns the class in `other` of blocks of a class here: gaps are counted in ticks, which differ.
    #[expect(clippy::cast_precision_loss, reason = "there are ten classes")]
    pub(super) fn class_in(&self, other: &Self, class: usize) -> usize {
        let Some(gap) = gap_of(class) else { return class };
        // The middle of a class of gaps, in ticks.
        let ticks = 1.5 * (gap as f32).exp2() - 1.0;
        class - gap + gap_class(ticks * self.tick / other.tick)
    }

    /// Returns the number of accesses after which a block grows out of a class.
    pub(super) fn width(&self, age: usize) -> f32 {
        self.start(age + 1) - self.start(age)
    }

    /// Returns accesses as a share of the time in which the whole cache is used once.
    pub(super) fn share(&self, accesses: f32) -> f32 {
        accesses / self.capacity
    }

    /// Returns the class of a block that is used at this age, by what it was used before, if it was of `class` then.
    pub(super) fn class_after(&self, class: usize, age: usize) -> usize {
        let gap = gap_class((self.start(age) + self.width(age) / 2.0) / self.tick);
        let (by, uses) = match class.checked_sub(ARRIVAL_CLASSES) {
            None if class < SIZES => (By::Read, 0),
            None => (By::Write, 0),
            Some(class) if class / GAPS < USES_READ => (By::Read, class / GAPS + 1),
            Some(class) => (By::Write, class / GAPS - USES_READ + 1),
        };
        class_of(by, uses, gap)
    }
}

/// Returns the class of a block that was used more than once, the last time by `by`, from the classes of its uses and of its gap.
fn class_of(by: By, uses: usize, gap: usize) -> usize {
    let row = match by {
        By::Read => uses.min(USES_READ - 1),
        By::Write => USES_READ + uses.min(USES_WRITTEN - 1),
    };
    ARRIVAL_CLASSES + row * GAPS + gap
}

/// Returns the class of a gap in ticks.
fn gap_class(ticks: f32) -> usize {
    let quarters = (ticks + 1.0).to_bits() >> QUARTERS_SHIFT;
    ((quarters - QUARTERS_OF_ONE) as usize / 4).min(GAPS - 1)
}

impl History {
    fn new(last: u32, uses: u8, how: usize, heat: u8) -> Self {
        let (uses, heat) = (u32::from(uses), u32::from(heat));
        Self(last & MOMENT_MASK | uses << USES_SHIFT | (how as u32) << HOW_SHIFT | heat << HEAT_SHIFT)
    }

    /// Returns the history of a block that is used at this moment, and had none.
    pub(super) fn first(now: Moment, arrival: ArrivalClass) -> Self {
        Self::new(arrival.moment(now).0, 1, arrival.class(), 0)
    }

    /// Returns the history of a block that enters again, with this history from before.
    pub(super) fn comes(self, now: Moment, ages: &Ages, arrival: ArrivalClass) -> Self {
        let Self(used) = self.used(now, ages, arrival.by());
        Self(used & !MOMENT_MASK | arrival.moment(now).0)
    }

    /// Returns the history of a block that left, and enters again: only the ghost's data is known.
    pub(super) fn of_ghost(last: Moment, uses: u8) -> Self {
        Self::new(last.0, uses, 0, 0)
    }

    /// Returns the history after one more use. A block without history is there because it was used before.
    #[expect(clippy::cast_precision_loss, reason = "classes are wide")]
    pub(super) fn used(self, now: Moment, ages: &Ages, by: By) -> Self {
        let uses = (self.uses().max(1) + 1).min(USES_MAX);
        let gap = gap_class(now.since(self.last()) as f32 * ages.moment);
        let written = usize::from(by == By::Write) << (WRITTEN_SHIFT - HOW_SHIFT);
        Self::new(now.0, uses, gap | written, self.heat())
    }

    /// Returns the history as a number, with its time as moments before `now`.
    pub(super) fn encode(self, now: Moment) -> u32 {
        self.0 & !MOMENT_MASK | now.since(self.last())
    }

    /// Returns the history of such a number. None if it is that of no history.
    pub(super) fn decode(bits: u32, now: Moment) -> Option<Self> {
        let history = Self(bits & !MOMENT_MASK | now.before(bits & MOMENT_MASK).0);
        let is_of_class = history.class() < CLASSES;
        is_of_class.then_some(history)
    }

    /// Returns true if it was used in this very moment.
    pub(super) fn is_of(self, now: Moment) -> bool {
        self.last() == now.0 && self.uses() > 0
    }

    /// Returns true if it contains uses that the other one does not.
    pub(crate) fn is_later_than(self, other: Self) -> bool {
        self.last() != other.last() || self.uses() > other.uses()
    }

    /// Returns the moment of the last use.
    pub(super) fn last(self) -> u32 {
        self.0 & MOMENT_MASK
    }

    /// Returns the number of uses, up to 15.
    pub(crate) fn uses(self) -> u8 {
        (self.0 >> USES_SHIFT) as u8 & USES_MAX
    }

    pub(super) fn class(self) -> usize {
        let how = (self.0 >> HOW_SHIFT & ((1 << (HEAT_SHIFT - HOW_SHIFT)) - 1)) as usize;
        let uses = match self.uses() {
            0..=1 => return how,
            2 => 0,
            3..=4 => 1,
            5..=8 => 2,
            _ => 3,
        };
        let by = if self.0 >> WRITTEN_SHIFT & 1 == 0 { By::Read } else { By::Write };
        class_of(by, uses, how & ((1 << (WRITTEN_SHIFT - HOW_SHIFT)) - 1))
    }

    /// Returns the class of its age.
    pub(super) fn age(self, now: Moment, ages: &Ages) -> usize {
        ages.of(now.since(self.last()))
    }

    /// Returns the number of recent reads from flash.
    pub(crate) fn heat(self) -> u8 {
        (self.0 >> HEAT_SHIFT) as u8
    }

    /// Returns the same with another heat, at most [`HEAT_MAX`].
    pub(crate) fn with_heat(self, heat: u8) -> Self {
        Self(self.0 & !(u32::from(HEAT_MAX) << HEAT_SHIFT) | u32::from(heat.min(HEAT_MAX)) << HEAT_SHIFT)
    }

    /// Returns the same, one step warmer.
    pub(crate) fn warmer(self) -> Self {
        self.with_heat(self.heat() + 1)
    }
}

/// Returns the gap of a class; none if it was used once.
pub(super) fn gap_of(class: usize) -> Option<usize> {
    class.checked_sub(ARRIVAL_CLASSES).map(|class| class % GAPS)
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
        let once = History::first(at(6), ArrivalClass::ALONE);
        let class_of = |bytes| {
            History::first(at(6), ArrivalClass::with(By::Read, &ByteRange::at(PAGE - 512, bytes))).class()
        };
        let classes = [512, 513, PAGE + 512, 8 * PAGE, 32 << 20].map(class_of);
        assert_eq!(classes, [0, 1, 1, 4, SIZES - 1], "of 1, 2, 2, 9 and many pages");
        let written =
            |bytes| History::first(at(6), ArrivalClass::with(By::Write, &ByteRange::at(0, bytes))).class();
        assert_eq!([PAGE, 32 << 20].map(written), [SIZES, ARRIVAL_CLASSES - 1]);
        assert_eq!(once.class(), 0);
        let twice = once.used(at(6 + 640), &ages, By::Read);
        assert_eq!(twice.class(), ARRIVAL_CLASSES + 6, "a gap of the whole cache is 64 ticks");
        assert_eq!(gap_of(twice.class()), Some(6));
        assert_eq!(twice.age(at(646), &ages), 0);
        let mut often = twice.with_heat(9);
        for now in 647..700 {
            often = often.used(at(now), &ages, By::Read);
        }
        assert_eq!(
            (often.class(), often.uses(), often.heat()),
            (ARRIVAL_CLASSES + 3 * GAPS, USES_MAX, HEAT_MAX)
        );
        assert_eq!(often.with_heat(0).warmer().heat(), 1);
        assert_eq!(ages.class_after(0, ages.of(320)), twice.class());
        assert_eq!(History::default().used(at(640), &ages, By::Read).class(), twice.class());
    }

    #[test]
    fn what_a_scan_reads_is_of_its_class_and_as_old_as_the_cache_is_large() {
        let ages = Ages::new(640);
        for request in [ByteRange::at(0, PAGE), ByteRange::at(0, 32 * PAGE)] {
            let arrival = ArrivalClass::with(By::Read, &request);
            let scanned = arrival.with_scan();
            assert!(scanned.is_scanned() && !arrival.is_scanned() && scanned.by() == By::Read);
            let now = Moment::at(7);
            let [plain, other] = [arrival, scanned].map(|arrival| History::first(now, arrival));
            assert_eq!(plain.class(), other.class());
            assert_eq!([plain, other].map(|block| block.age(now, &ages)), [0, ages.of(MOMENTS as u32)]);
            let [plain, other] =
                [arrival, scanned].map(|arrival| plain.comes(Moment::at(80), &ages, arrival));
            assert_eq!(
                (plain, plain.class()),
                (History::first(now, arrival).used(Moment::at(80), &ages, By::Read), other.class())
            );
            assert_eq!(other.age(Moment::at(80), &ages), ages.of(MOMENTS as u32));
        }
    }

    #[test]
    fn what_was_written_last_is_of_other_classes_and_the_class_after_is_that_of_one_more_use_of_the_kind() {
        let ages = Ages::new(640);
        let page = ByteRange::at(0, PAGE);
        for (by, other) in [(By::Read, By::Write), (By::Write, By::Read)] {
            let mut block = History::first(Moment::at(7), ArrivalClass::with(by, &page));
            let (mut now, mut classes) = (7, vec![block.class()]);
            for gap in [3, 700, 5, 90, 2, 1, 4, 4, 4] {
                now += gap;
                let at = Moment::at(now);
                let after = ages.class_after(block.class(), block.age(at, &ages));
                block = block.used(at, &ages, by);
                let rows = [after, block.class()].map(|class| (class - ARRIVAL_CLASSES) / GAPS);
                let gaps = [after, block.class()].map(|class| gap_of(class).expect("used twice"));
                assert!(rows[0] - rows[1] <= 1 && gaps[0].abs_diff(gaps[1]) <= 1, "{rows:?}, {gaps:?}");
                classes.push(block.class());
            }
            let changed = block.used(Moment::at(now + 4), &ages, other).class();
            assert!(!classes.contains(&changed) && changed < CLASSES && block.class() < CLASSES);
            let written = |class: usize| class >= ARRIVAL_CLASSES + USES_READ * GAPS;
            assert_eq!([block.class(), changed].map(written), [by == By::Write, other == By::Write]);
        }
    }

    #[test]
    fn time_goes_on_past_its_last_moment() {
        let mut clock = Clock::new(512);
        clock.moment = Moment(MOMENT_MASK);
        let (ages, block) = (Ages::new(512), History::first(clock.now(), ArrivalClass::ALONE));
        (0..6).for_each(|_| clock.tick());
        assert_eq!((clock.now(), clock.accesses()), (Moment(2), 6));
        assert_eq!(block.age(clock.now(), &ages), ages.of(3));
    }
}
