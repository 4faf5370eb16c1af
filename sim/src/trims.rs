//! Discards of many ranges at once, in some worlds, as by fstrim.

use std::rc::Rc;

use block::faulty::Faults;
use block::{ByteRange, PAGE};
use cache::Mode;
use futures_util::future::join_all;

use crate::clients::{trim, write};
use crate::rng::Rng;
use crate::settings::Kind;
use crate::world::{DISKS, Disk, World};

/// Number of ranges that a guest discards at once: more than the entries of a segment.
const RANGES: u64 = 12;
/// Pages that a guest writes at once, one by one, and how often, so that the log advances.
const PAGES: u64 = 24;
const BURSTS: u64 = 6;
/// Error number of the system for a medium that fails.
const EIO: i32 = 5;

/// Guest that fills a part of a disk, and then discards every second page of it at once, like fstrim, while the backing refuses zeroes. The
/// log advances until the segments with these entries are reclaimed, and the open one may have room for few of them. Drawn from a generator
/// of its own.
pub(crate) struct Trims {
    rng: Rng,
    state: State,
}

enum State {
    /// No such guest in this process, or no more.
    None,
    /// Waiting for a disk in write-back.
    Wanted,
    /// The part of a disk that begins with this page is filled.
    Filled(usize, u64),
}

impl Trims {
    pub(crate) fn of(world: &World, life: u64) -> Self {
        // Backings still refuse the requests that they refused when the previous process was killed, up to here.
        world.backings.iter().for_each(Faults::fail_no_more);
        let mut rng = Rng::new(world.seed ^ 0x7472_696d_7321 ^ life << 56);
        let has_any = !world.is_mirrored() && world.kind != Kind::Through && rng.chance(150);
        Self { rng, state: if has_any { State::Wanted } else { State::None } }
    }

    pub(crate) async fn disturb(&mut self, world: &World, disks: &[Rc<Disk>]) {
        let writes_back = |number: usize| disks[number].settings().mode == Mode::WriteBack;
        match self.state {
            State::Wanted => {
                let number = self.rng.below(DISKS as u64) as usize;
                if writes_back(number) {
                    // Beyond the part that most others write.
                    let first = 100 + self.rng.below(200);
                    let part = ByteRange::at(first * PAGE, 2 * RANGES * PAGE);
                    write(world, &disks[number], number, part).await;
                    disks[number].start_destage();
                    self.state = State::Filled(number, first);
                }
            }
            // Mostly the backing has other content there by now.
            State::Filled(number, first)
                if disks[number].statistics().dirty_bytes == 0 || self.rng.chance(400) =>
            {
                world.backings[number].refuse_zeroes(EIO);
                let trims = (0..RANGES).map(|range| ByteRange::at((first + 2 * range) * PAGE, PAGE));
                join_all(trims.map(|range| trim(world, &disks[number], number, range))).await;
                world.coverage.borrow_mut().trims += 1;
                // Until the segments with these entries are reclaimed.
                for _ in 0..BURSTS {
                    let first = self.rng.below(PAGES);
                    let pages = (first..first + PAGES).map(|page| ByteRange::at(page * PAGE, PAGE));
                    join_all(pages.map(|page| write(world, &disks[number], number, page))).await;
                }
                self.state = State::None;
            }
            State::None | State::Filled(..) => {}
        }
    }
}
