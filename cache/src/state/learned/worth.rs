//! Worth of a block: the hits that it brings for the room that it takes.
//!
//! - **Value**: hits to come less the rent of the room until the block is best given up (an optimal stopping problem, solved backwards
//!   over ages). It is 0 where the block is better given up at once. Rent goes up until as many blocks are worth nothing
//!   as room is needed.
//! - **Density**: the most hits per time that holding the block up to some age brings (Gittins' index: Journal of the Royal
//!   Statistical Society B 41(2), 1979). It does not depend on rent, and orders what is worth nothing.

use super::ages::{AGES, Ages, CLASSES, History, Moment};
use super::hazards::{HazardTable, Row, table};

/// Weight of a later use, compared to the next one, in the worth of a block.
const LATER: f32 = 0.8;
/// Sweeps of a refresh: values of classes depend on each other, and each sweep computes them from those of the one before.
const SWEEPS: usize = 2;
/// Solutions after which values that begin at 0 hardly change any more.
const SWEEPS_RESTORED: usize = 12;
/// Hits for the room of a block in the time in which the whole cache is used once.
const RENT_FIRST: f32 = 0.5;
const RENT_MIN: f32 = 1e-4;
const RENT_MAX: f32 = 1e4;

/// Worth of blocks by class and age.
pub(super) struct Worth {
    hazards: HazardTable,
    value: HazardTable,
    density: HazardTable,
    rent: f32,
}

impl Worth {
    pub(super) fn new(ages: &Ages, hazards: HazardTable) -> Self {
        let mut worth = Self { hazards, value: table(0.0), density: table(0.0), rent: RENT_FIRST };
        worth.refresh(ages);
        worth
    }

    /// Returns the worth of blocks at a rent that was learned. Takes some sweeps more than a refresh, which has values to begin with.
    pub(super) fn with_rent(ages: &Ages, hazards: HazardTable, rent: f32) -> Self {
        let mut worth = Self::new(ages, hazards);
        worth.rent = rent.clamp(RENT_MIN, RENT_MAX);
        (0..SWEEPS_RESTORED).for_each(|_| worth.solve(ages));
        worth
    }

    /// Returns the rent: hits for the room of a block in the time in which the whole cache is used once.
    pub(super) fn rent(&self) -> f32 {
        self.rent
    }

    pub(super) fn learn(&mut self, ages: &Ages, hazards: HazardTable) {
        self.hazards = hazards;
        self.refresh(ages);
    }

    /// Returns the bytes of RAM taken.
    pub(super) fn bytes(&self) -> u64 {
        3 * size_of_val(&*self.value) as u64
    }

    /// Multiplies the rent.
    pub(super) fn raise_rent(&mut self, ages: &Ages, by: f32) {
        self.rent = (self.rent * by).clamp(RENT_MIN, RENT_MAX);
        self.solve(ages);
    }

    /// Returns the number of hits that a block brings beyond its rent.
    pub(super) fn value(&self, block: History, now: Moment, ages: &Ages) -> f32 {
        self.value[block.class()][block.age(now, ages)]
    }

    /// Returns the number of hits that a block brings in the time in which the whole cache is used once.
    pub(super) fn density(&self, block: History, now: Moment, ages: &Ages) -> f32 {
        self.density[block.class()][block.age(now, ages)]
    }

    /// Returns the same, from 0 to 1, one half being equal to the rent.
    pub(super) fn relative_density(&self, block: History, now: Moment, ages: &Ages) -> f32 {
        let density = self.density(block, now, ages);
        density / (density + self.rent)
    }

    fn refresh(&mut self, ages: &Ages) {
        for (hazards, density) in self.hazards.iter().zip(self.density.iter_mut()) {
            *density = densities(ages, hazards);
        }
        self.solve(ages);
    }

    fn solve(&mut self, ages: &Ages) {
        for class in (0..SWEEPS).flat_map(|_| 0..CLASSES) {
            let mut older = 0.0_f32;
            for age in (0..AGES).rev() {
                let hazard = self.hazards[class][age];
                let once_used = 1.0 + LATER * self.value[ages.class_after(class, age)][0];
                let rent = self.rent * ages.share((1.0 - hazard / 2.0) * ages.width(age));
                older = (hazard * once_used - rent + (1.0 - hazard) * older).max(0.0);
                self.value[class][age] = older;
            }
        }
    }
}

/// A stretch of ages that a block is held through, seen from its beginning.
#[derive(Clone, Copy)]
struct AgeSpan {
    hits: f32,
    time: f32,
    /// Probability that the block is not used in it.
    unused: f32,
}

impl AgeSpan {
    fn then(self, next: Self) -> Self {
        Self {
            hits: self.hits + self.unused * next.hits,
            time: self.time + self.unused * next.time,
            unused: self.unused * next.unused,
        }
    }

    fn density(&self) -> f32 {
        self.hits / self.time
    }
}

/// Returns the best density from each age on: a stretch takes in the next one as long as that is denser.
fn densities(ages: &Ages, hazards: &Row) -> Row {
    let mut densities = [0.0; AGES];
    let mut later: Vec<AgeSpan> = Vec::with_capacity(AGES);
    for age in (0..AGES).rev() {
        let hazard = hazards[age];
        let time = ages.share((1.0 - hazard / 2.0) * ages.width(age));
        let mut stretch = AgeSpan { hits: hazard, time, unused: 1.0 - hazard };
        while let Some(next) = later.pop_if(|next| next.density() >= stretch.density()) {
            stretch = stretch.then(next);
        }
        densities[age] = stretch.density();
        later.push(stretch);
    }
    densities
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::learned::ages::ArrivalClass;

    /// Returns the blocks of class 0 that are used at one class of ages for sure, or never.
    fn used_at(age: usize) -> (Ages, Worth) {
        let ages = Ages::new(640);
        let mut hazards = table(0.0);
        hazards[0][age] = 1.0;
        let worth = Worth::new(&ages, hazards);
        (ages, worth)
    }

    #[test]
    fn a_block_is_worth_more_the_nearer_its_use_is_and_nothing_after_it() {
        let (ages, worth) = used_at(10);
        let block = History::first(Moment::at(0), ArrivalClass::ALONE);
        let at = |age: usize| {
            let mut moments = (0..100_000).map(Moment::at);
            moments.find(|now| block.age(*now, &ages) == age).expect("there is such an age")
        };
        let values = [0, 5, 10, 11].map(|age| worth.value(block, at(age), &ages));
        assert!(values[0] < values[1] && values[1] < values[2], "{values:?}");
        assert!(values[0] > 0.0 && values[3] == 0.0, "{values:?}");
        let densities = [0, 5, 10, 11].map(|age| worth.density(block, at(age), &ages));
        assert!(densities[..3].is_sorted() && densities[3] == 0.0, "{densities:?}");
    }

    #[test]
    fn rent_makes_what_is_used_late_worthless() {
        let (ages, mut worth) = used_at(40);
        let now = Moment::at(0);
        let block = History::first(now, ArrivalClass::ALONE);
        worth.raise_rent(&ages, 1e-3);
        let cheap = worth.value(block, now, &ages);
        worth.raise_rent(&ages, 1e6);
        assert!(cheap > 0.0 && worth.value(block, now, &ages) == 0.0, "{cheap}");
        let density = worth.density(block, now, &ages);
        assert!(density > 0.0, "density knows no rent: {density}");
    }
}
