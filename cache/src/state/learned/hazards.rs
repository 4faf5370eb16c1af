//! Hazards: the probability that a block of a class is used at each age. Counted on a sample of blocks, cached or not, so that decisions of
//! the policy do not bias what it learns. Old counts fade.
//!
//! A block that is no longer watched, or still is and was not used again, is censored: it counts as there until then, half in its last
//! class of ages (the life table estimate: Cutler and Ederer, Journal of Chronic Diseases 8(6), 1958). Few counts lean on many: a class on
//! those of its gap, these on all, and all on a constant, which by itself is LRU.

use super::ages::{AGES, Ages, CLASSES, GAPS, gap_of};
use crate::format::fields::{FieldReader, FieldWriter, Malformed};

/// One number for each class of ages.
pub(super) type Row = [f32; AGES];
/// One number for each class of blocks and of ages.
pub(super) type HazardTable = Box<[Row]>;

/// Blocks for which a class counts as much as the estimate that it leans on, at full trust.
const LEANING: f32 = 8.0;
/// Prior probability that a block is used in each class of ages.
const CONSTANT: f32 = 0.03;

pub(super) fn table(value: f32) -> HazardTable {
    vec![[value; AGES]; CLASSES].into_boxed_slice()
}

/// Counts of the sample.
pub(super) struct ReuseCounts {
    used: HazardTable,
    /// No longer watched without having been used again.
    left: HazardTable,
}

impl ReuseCounts {
    pub(super) fn new() -> Self {
        Self { used: table(0.0), left: table(0.0) }
    }

    /// Returns the bytes of RAM taken.
    pub(super) fn bytes(&self) -> u64 {
        2 * size_of_val(&*self.used) as u64
    }

    /// Records that a block of this class was used at this age.
    pub(super) fn used(&mut self, class: usize, age: usize) {
        self.used[class][age] += 1.0;
    }

    /// Records that a block of this class is no longer watched at this age.
    pub(super) fn left(&mut self, class: usize, age: usize) {
        self.left[class][age] += 1.0;
    }

    /// Multiplies all counts by `factor`.
    pub(super) fn fade(&mut self, factor: f32) {
        let rows = self.used.iter_mut().chain(self.left.iter_mut());
        rows.flatten().for_each(|count| *count *= factor);
    }

    /// Returns the same counts in the classes of another size of the cache.
    pub(super) fn rescaled(&self, before: &Ages, now: &Ages) -> Self {
        let mut rescaled = Self::new();
        let tables = [(&self.used, &mut rescaled.used), (&self.left, &mut rescaled.left)];
        for (from, to) in tables {
            for (class, row) in from.iter().enumerate() {
                let to = &mut to[before.class_in(now, class)];
                row.iter().enumerate().for_each(|(age, count)| to[before.age_in(now, age)] += count);
            }
        }
        rescaled
    }

    /// Appends all counts.
    pub(super) fn encode(&self, to: &mut FieldWriter) {
        self.used.iter().chain(&self.left).flatten().for_each(|count| to.f32(*count));
    }

    /// Takes counts of as many classes.
    pub(super) fn decode(from: &mut FieldReader<'_>) -> Result<Self, Malformed> {
        let mut seen = Self::new();
        for count in seen.used.iter_mut().chain(&mut seen.left).flatten() {
            *count = from.f32()?;
        }
        Ok(seen)
    }

    /// Returns the probability that a block is used in each class of ages, if it was not before; `watched` counts the watched blocks by
    /// their present class and age. With less `trust`, which is above 0 and at most 1, classes lean the more on all: with little, age alone
    /// counts.
    pub(super) fn hazards(&self, watched: &HazardTable, trust: f32) -> HazardTable {
        let leaning = LEANING / trust;
        let mut all = ClassCounts::NONE;
        let mut gaps = [ClassCounts::NONE; GAPS];
        let counts = |class: usize| {
            let open = |age| self.left[class][age] + watched[class][age];
            ClassCounts { used: self.used[class], open: std::array::from_fn(open) }
        };
        for class in 0..CLASSES {
            all.add(&counts(class));
            if let Some(gap) = gap_of(class) {
                gaps[gap].add(&counts(class));
            }
        }
        let all = all.hazards(&[CONSTANT; AGES], LEANING);
        let gaps = gaps.map(|gap| gap.hazards(&all, leaning));
        let mut hazards = table(0.0);
        for (class, row) in hazards.iter_mut().enumerate() {
            *row = counts(class).hazards(gap_of(class).map_or(&all, |gap| &gaps[gap]), leaning);
        }
        hazards
    }
}

#[derive(Clone, Copy)]
struct ClassCounts {
    used: Row,
    /// Still watched: their next use is in the future.
    open: Row,
}

impl ClassCounts {
    const NONE: Self = Self { used: [0.0; AGES], open: [0.0; AGES] };

    fn add(&mut self, more: &Self) {
        for age in 0..AGES {
            self.used[age] += more.used[age];
            self.open[age] += more.open[age];
        }
    }

    fn hazards(&self, leaning_on: &Row, leaning: f32) -> Row {
        let mut hazards = [0.0; AGES];
        let mut there = 0.0;
        for age in (0..AGES).rev() {
            there += self.used[age] + self.open[age];
            let hazard =
                (self.used[age] + leaning * leaning_on[age]) / (there - self.open[age] / 2.0 + leaning);
            hazards[age] = hazard.min(1.0);
        }
        hazards
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_seen_is_the_constant_which_is_lru() {
        let hazards = ReuseCounts::new().hazards(&table(0.0), 1.0);
        assert!(hazards.iter().flatten().all(|hazard| (hazard - CONSTANT).abs() < 1e-6));
    }

    #[test]
    fn much_seen_of_a_class_is_what_it_is_and_little_is_what_others_are() {
        let mut seen = ReuseCounts::new();
        for _ in 0..1_000 {
            seen.used(12, 3);
            seen.left(12, 3);
        }
        seen.used(22, 3);
        let hazards = seen.hazards(&table(0.0), 1.0);
        // 1,000 of 2,000, of which 1,000 are there for half of the time.
        assert!((hazards[12][3] - 2.0 / 3.0).abs() < 0.01, "{}", hazards[12][3]);
        assert!(hazards[12][2] < 0.001, "none was used earlier");
        assert!((0.6..0.8).contains(&hazards[22][3]), "of the same gap: {}", hazards[22][3]);
        assert!((0.6..0.7).contains(&hazards[0][3]), "leans on all: {}", hazards[0][3]);
        for _ in 0..50 {
            seen.left(0, 9);
        }
        let [trusted, hardly] = [1.0, 0.02].map(|trust| seen.hazards(&table(0.0), trust)[0][3]);
        assert!(trusted < 0.1 && hardly > 0.5, "as its own, or as all are: {trusted} and {hardly}");
    }

    #[test]
    fn what_is_still_watched_counts_as_not_used() {
        let mut seen = ReuseCounts::new();
        (0..100).for_each(|_| seen.used(0, 5));
        let mut watched = table(0.0);
        watched[0][9] = 300.0;
        let hazards = seen.hazards(&watched, 1.0);
        assert!((hazards[0][5] - 0.25).abs() < 0.02, "{}", hazards[0][5]);
        seen.fade(0.0);
        assert!(seen.hazards(&table(0.0), 1.0)[0][5] < 0.031);
    }
}
