//! Write budgets of a world: in some processes promotions are limited, to a degree that changes while clients run.
//!
//! Drawn from a generator of its own, so that worlds without a budget do not depend on it.

use std::rc::Rc;

use cache::DriveWrites;

use crate::rng::Rng;
use crate::world::{SimCache, World};

/// Processes of a thousand that have a budget.
const BUDGETS_PER_MILLE: u64 = 250;
/// Disturbances of a thousand that change it.
const CHANGES_PER_MILLE: u64 = 300;

/// Write budgets of one process.
pub(crate) struct Budgets {
    rng: Rng,
    has_any: bool,
}

impl Budgets {
    pub(crate) fn of(world: &World, life: u64) -> Self {
        let mut rng = Rng::new(world.seed ^ 0x6275_6467_6574 ^ life << 56);
        let has_any = rng.chance(BUDGETS_PER_MILLE);
        Self { rng, has_any }
    }

    /// Sets another one now and then, on any shard: almost none, a part of the demand, enough, or no limit.
    pub(crate) fn disturb(&mut self, caches: &[Rc<SimCache>]) {
        if !self.has_any || !self.rng.chance(CHANGES_PER_MILLE) {
            return;
        }
        let cache = &caches[self.rng.below(caches.len() as u64) as usize];
        let thousandths = [1, 1, 30_000, 1_000_000, 0][self.rng.below(5) as usize];
        cache.set_write_budget(DriveWrites::from_thousandths(thousandths));
    }
}
