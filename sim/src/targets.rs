//! Targets of flash of a world: in some processes disks are to have certain parts of the pool, which change while clients run.
//!
//! Drawn from a generator of its own, so that worlds without targets do not depend on it.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::rng::Rng;
use crate::world::{Disk, SimCache, World};

/// Processes of a thousand that have targets.
const TARGETS_PER_MILLE: u64 = 250;
/// Disturbances of a thousand that change them.
const CHANGES_PER_MILLE: u64 = 300;

/// Targets of one process.
pub(crate) struct Targets {
    rng: Rng,
    has_any: bool,
}

impl Targets {
    pub(crate) fn of(world: &World, life: u64) -> Self {
        let mut rng = Rng::new(world.seed ^ 0x7461_7267_6574 ^ life << 56);
        let has_any = rng.chance(TARGETS_PER_MILLE);
        Self { rng, has_any }
    }

    /// Sets others now and then, on any shard: of some disks only, and more or less than the pool has.
    pub(crate) fn disturb(&mut self, world: &World, caches: &[Rc<SimCache>], disks: &[Rc<Disk>]) {
        if !self.has_any || !self.rng.chance(CHANGES_PER_MILLE) {
            return;
        }
        let cache = &caches[self.rng.below(caches.len() as u64) as usize];
        let usable = cache.usable_bytes();
        let mut targets = BTreeMap::new();
        for disk in disks {
            if self.rng.chance(800) {
                targets.insert(disk.settings().id, self.rng.below(usable + 1));
            }
        }
        cache.set_flash_targets(&targets);
        world.coverage.borrow_mut().targets_changed += 1;
    }
}
