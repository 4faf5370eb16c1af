//! Devices of the pool that are shrunk, cut, and grown again.
//!
//! Only some worlds have such devices. They draw from a generator of their own, so that other worlds do not depend on it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use block::executor::LocalHost;
use block::{BlockDevice, ByteRange, Host};
use cache::MemberNumber;

use crate::devices::FLASH_DEVICES;
use crate::rng::Rng;
use crate::world::{SEGMENT_BYTES, SimCache, World};

/// Number of sectors that are overwritten where a device was cut.
const SPOILT_SECTORS: u64 = 400;

/// State of the changes of device sizes.
pub(crate) struct Resizing {
    is_on: bool,
    is_shrinking: Cell<bool>,
    chance: RefCell<Rng>,
}

impl Resizing {
    pub(crate) fn new(seed: u64) -> Self {
        let mut chance = Rng::new(seed ^ 0x7265_7369_7a65);
        Self { is_on: chance.chance(150), is_shrinking: Cell::new(false), chance: RefCell::new(chance) }
    }

    /// Returns true if devices change their size.
    pub(crate) fn is_on(&self) -> bool {
        self.is_on
    }

    fn below(&self, limit: u64) -> u64 {
        self.chance.borrow_mut().below(limit)
    }
}

/// Grows or shrinks a device now and then.
pub(crate) async fn disturb(world: &Rc<World>, host: &LocalHost, caches: &[Rc<SimCache>]) {
    let resizing = &world.resizing;
    if !resizing.is_on || resizing.is_shrinking.get() || resizing.below(3) > 0 {
        return;
    }
    let place = resizing.below(FLASH_DEVICES as u64) as usize;
    let Some(number) = world.numbers.borrow()[place] else { return };
    let full = world.flash[place].handle(host.clone()).geometry().size;
    let devices = caches[0].pool_statistics().devices;
    let Some(device) = devices.iter().find(|device| device.number == number.0) else { return };
    let Ok(bounds) = caches[0].size_bounds(number) else { return };
    let (least, before) = (bounds.least_bytes, device.size_bytes);
    if before < full && resizing.below(2) == 0 {
        return grow(world, caches, number, before + resizing.below(full - before + 1)).await;
    }
    if least < before {
        let size = least + resizing.below((before - least) / SEGMENT_BYTES + 1) * SEGMENT_BYTES;
        shrink(world, host, caches, (place, number), ByteRange::new(size, full));
    }
}

async fn grow(world: &World, caches: &[Rc<SimCache>], number: MemberNumber, size: u64) {
    world.say(&format!("device {number} becomes larger: {size} bytes"));
    if caches[0].grow_device(number, size).await.is_err() {
        return;
    }
    for cache in caches {
        cache.know_sizes();
    }
    if caches[0].use_grown(number).is_ok() {
        world.coverage.borrow_mut().devices_grown += 1;
    }
}

/// Shrinks a device as a task of its own, because it takes time. The content of `cut` is overwritten afterwards.
fn shrink(
    world: &Rc<World>,
    host: &LocalHost,
    caches: &[Rc<SimCache>],
    (place, number): (usize, MemberNumber),
    cut: ByteRange,
) {
    world.say(&format!("device {number} becomes smaller: {} bytes", cut.start));
    world.resizing.is_shrinking.set(true);
    let (world, caches) = (Rc::clone(world), caches.to_vec());
    host.spawn(async move {
        let outcome = caches[0].shrink_device(number, cut.start).await;
        if outcome.is_ok() {
            for cache in &caches {
                cache.know_sizes();
            }
            if !cut.is_empty() {
                world.flash[place].rot(&cut, SPOILT_SECTORS);
            }
            world.coverage.borrow_mut().devices_shrunk += 1;
        }
        world.say(&format!("device {number} becomes smaller: {outcome:?}"));
        world.resizing.is_shrinking.set(false);
    });
}

/// Ends the process.
pub(crate) fn end(world: &World) {
    if world.resizing.is_shrinking.replace(false) {
        world.coverage.borrow_mut().shrinks_interrupted += 1;
    }
}
