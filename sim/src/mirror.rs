//! Worlds in which guests' writes have two copies: one device at a time fails, rots, is removed or missing, and no guest may notice.
//!
//! A device is harmed only while the other one has everything. A failed one is replaced by a new one, and once all copies are complete,
//! either may be next.

use std::rc::Rc;

use block::executor::LocalHost;
use block::{BlockError, Operation};

use crate::devices::{FLASH_DEVICES, add_device, take_out_device};
use crate::rng::Rng;
use crate::settings::Kind;
use crate::world::{Disk, SimCache, World};

/// State of the copies of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Copies {
    /// Both devices have everything.
    Two,
    /// The device at this place may lack some; the other one has everything.
    Lacking {
        place: usize,
        /// True if some of it rotted, so that it can only be replaced.
        rotten: bool,
    },
}

impl World {
    pub(crate) fn is_mirrored(&self) -> bool {
        self.kind == Kind::Mirrored
    }

    /// Checks whether everything has two copies. To be called whenever that may have changed.
    pub(crate) fn look_for_copies(&self, caches: &[Rc<SimCache>], disks: &[Rc<Disk>]) {
        let pool = caches[0].pool_statistics();
        let both = pool.devices.len() == FLASH_DEVICES && self.numbers.borrow().iter().all(Option::is_some);
        let used = pool.devices.iter().all(|device| device.state == cache::DeviceState::Used);
        let copied = disks.iter().all(|disk| disk.statistics().segments_uncopied == 0);
        // Clean data has one copy, and the whole log of a disk is needed once something in it is dirty.
        self.can_rot.set(disks.iter().all(|disk| disk.statistics().mirrored));
        let is_whole = both && used && copied && pool.notes_mirrored;
        match self.copies.get() {
            Copies::Lacking { place, rotten: false } if is_whole => {
                // A fault that was planned, and did not occur.
                self.flash[place].fail_no_more();
                self.copies.set(Copies::Two);
                self.coverage.borrow_mut().mirrors_whole += 1;
            }
            // Settings changed, and data without a mirror is to get one.
            Copies::Two if !is_whole => self.can_harm.set(false),
            _ => self.can_harm.set(is_whole),
        }
    }

    /// Returns a device to leave out from now on, if the other one has everything.
    pub(crate) fn device_to_miss(&self, rng: &mut Rng) -> Option<usize> {
        let place = self.device_to_harm(rng)?;
        let rotten = matches!(self.copies.get(), Copies::Lacking { rotten: true, .. });
        self.copies.set(Copies::Lacking { place, rotten });
        self.numbers.borrow_mut()[place] = None;
        self.coverage.borrow_mut().mirrors_degraded += 1;
        Some(place)
    }

    /// Records an error that a guest saw.
    pub(crate) fn note_error(&self, number: usize, error: &BlockError) {
        if self.is_mirrored() {
            self.fail(format!("a guest of disk {number}, which is mirrored, sees an error: {error}"));
        }
    }

    fn device_to_harm(&self, rng: &mut Rng) -> Option<usize> {
        match self.copies.get() {
            Copies::Two if self.can_harm.get() => Some(rng.below(FLASH_DEVICES as u64) as usize),
            Copies::Lacking { place, rotten: true } if self.can_harm.get() => Some(place),
            Copies::Two | Copies::Lacking { .. } => None,
        }
    }
}

/// Makes a device fail, rot or leave, or replaces one that is missing.
pub(crate) async fn harm_or_mend(world: &World, host: &LocalHost, caches: &[Rc<SimCache>], rng: &mut Rng) {
    if let Some(place) = world.device_to_harm(rng) {
        let flash = &world.flash[place];
        if world.can_rot.get() && rng.chance(300) {
            world.copies.set(Copies::Lacking { place, rotten: true });
            flash.rot(&world.segments_area(place), 1 + rng.below(40));
            world.coverage.borrow_mut().mirrors_rotten += 1;
        } else if rng.chance(200) {
            // Like `pool replace`.
            let rotten = matches!(world.copies.get(), Copies::Lacking { rotten: true, .. });
            world.copies.set(Copies::Lacking { place, rotten });
            take_out_device(world, host, caches, place, rng).await;
        } else {
            let failing = [Operation::Write, Operation::Flush][rng.below(2) as usize];
            flash.fail_after(failing, rng.below(8));
            let rotten = matches!(world.copies.get(), Copies::Lacking { rotten: true, .. });
            world.copies.set(Copies::Lacking { place, rotten });
            world.coverage.borrow_mut().mirrors_degraded += 1;
        }
        return;
    }
    let Copies::Lacking { place, .. } = world.copies.get() else { return };
    let number = world.numbers.borrow()[place];
    let devices = caches[0].pool_statistics().devices;
    if number.is_some_and(|number| devices.iter().any(|device| device.number == number.0)) {
        return;
    }
    // Another device in its place.
    world.flash[place].fail_no_more();
    world.flash[place].land_late();
    world.numbers.borrow_mut()[place] = None;
    add_device(world, host, caches).await;
    if world.numbers.borrow()[place].is_some() {
        world.copies.set(Copies::Lacking { place, rotten: false });
    }
}
