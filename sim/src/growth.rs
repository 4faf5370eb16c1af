//! Disks that grow: their backings are larger from the beginning, with content at the end that a cache must not invent.
//!
//! Only some worlds have such disks. They draw from a generator of their own, so that other worlds do not depend on it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use block::executor::LocalHost;
use block::{ByteRange, Host, Memory, SECTOR};
use cache::SharedBits;

use crate::model::{Model, Value, fill};
use crate::rng::Rng;
use crate::world::{DISKS, Disk, World};

/// Content of backings beyond the end of disks. No client writes it.
const BEHIND: Value = 1 << 40;

/// Sizes of disks, in durable state beside the pool.
pub(crate) struct Growth {
    sizes: [Cell<u64>; DISKS],
    /// Size of a backing in bytes.
    full: u64,
    first: u64,
    chance: RefCell<Rng>,
}

impl Growth {
    pub(crate) fn new(seed: u64, full: u64) -> Self {
        let mut chance = Rng::new(seed ^ 0x6772_6f77_7468);
        // Mostly not a whole number of pages.
        let first = if chance.chance(300) { (4 << 19) + chance.below(900) * SECTOR } else { full };
        let sizes = std::array::from_fn(|_| Cell::new(first));
        Self { sizes, full, first, chance: RefCell::new(chance) }
    }

    /// Returns true if disks grow.
    pub(crate) fn is_on(&self) -> bool {
        self.first < self.full
    }

    /// Returns the stored size of a disk, which a start reads.
    pub(crate) fn size(&self, number: usize) -> u64 {
        self.sizes[number].get()
    }

    /// Writes content beyond the end, and passes it to the model.
    pub(crate) fn backing(&self, backing: Memory, model: &mut Model) -> Memory {
        let range = ByteRange::new(self.first, self.full);
        let mut bytes = vec![0; range.len() as usize];
        fill(&range, BEHIND, &mut bytes);
        backing.poke(range.start, &bytes);
        model.hold(&range, BEHIND);
        backing
    }

    fn below(&self, limit: u64) -> u64 {
        self.chance.borrow_mut().below(limit)
    }
}

/// Grows a disk now and then.
pub(crate) async fn disturb(world: &World, host: &LocalHost, disks: &[Rc<Disk>]) {
    let growth = &world.growth;
    if !growth.is_on() || growth.below(4) > 0 {
        return;
    }
    let number = growth.below(DISKS as u64) as usize;
    let (disk, before) = (&disks[number], growth.size(number));
    if before == growth.full {
        return;
    }
    let size = before + (1 + growth.below((growth.full - before) / SECTOR)) * SECTOR;
    world.say(&format!("disk {number} grows from {before} to {size} bytes: {:?}", disk.statistics()));
    // Fails if the backing does not accept the dirty data.
    let Ok(growing) = disk.prepare_to_grow().await else { return };
    host.sleep(growth.below(500_000)).await;
    if growth.below(8) == 0 {
        // The new size could not be stored.
        world.coverage.borrow_mut().growths_given_up += 1;
        return;
    }
    growth.sizes[number].set(size);
    host.sleep(growth.below(100_000)).await;
    let bits = world.memories[number].touched.borrow().clone().expect("the disk is attached with them");
    disk.grow(growing, size, bits as Rc<dyn SharedBits>);
    world.coverage.borrow_mut().growths += 1;
}
