//! Ranges that a guest gives up at once, in some worlds, as fstrim does.

use std::rc::Rc;

use block::{ByteRange, Operation, PAGE};
use futures_util::future::join_all;

use crate::clients::{trim, write};
use crate::rng::Rng;
use crate::settings::Kind;
use crate::world::{DISKS, Disk, World};

/// Ranges that a guest gives up at once.
const RANGES: u64 = 12;

/// Part of a disk that a guest fills, and then gives up every second page of at once, as fstrim does, while the backing takes no
/// zeroes: their segment says more of ranges than the next one may have room for. Drawn by themselves, as all of this.
pub(crate) struct Trims {
    rng: Rng,
    has_any: bool,
    filled: Option<(usize, u64)>,
}

impl Trims {
    pub(crate) fn of(world: &World, life: u64) -> Self {
        let mut rng = Rng::new(world.seed ^ 0x7472_696d_7321 ^ life << 56);
        let has_any = !world.is_mirrored() && world.kind != Kind::Through && rng.chance(150);
        Self { rng, has_any, filled: None }
    }

    pub(crate) async fn disturb(&mut self, world: &World, disks: &[Rc<Disk>]) {
        if !self.has_any {
            return;
        }
        let Some((number, first)) = self.filled else {
            let number = self.rng.below(DISKS as u64) as usize;
            // Behind where most of the others write.
            let first = 100 + self.rng.below(200);
            write(world, &disks[number], number, ByteRange::at(first * PAGE, 2 * RANGES * PAGE)).await;
            disks[number].start_destage();
            self.filled = Some((number, first));
            return;
        };
        if disks[number].statistics().dirty_bytes > 0 && self.rng.chance(900) {
            return;
        }
        self.has_any = false;
        world.unanswered[number].set(true);
        world.backings[number].fail_often(Operation::WriteZeroes, 1000);
        let trims = (0..RANGES).map(|range| ByteRange::at((first + 2 * range) * PAGE, PAGE));
        join_all(trims.map(|range| trim(world, &disks[number], number, range))).await;
        world.coverage.borrow_mut().trims += 1;
    }
}
