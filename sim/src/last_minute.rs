//! The last minute before a power cut, in some worlds. Either changes complete while a flush is in flight, and then nothing happens; or
//! everything is destaged, and the host idles until the log marks the disk as clean.
//!
//! In other worlds, a later request makes durable what an earlier one should have, and so hides a fault. A random number generator of its
//! own draws all of this, so that other ends do not depend on it.

use std::rc::Rc;

use block::executor::LocalHost;
use block::{BlockDevice, ByteRange, Host, PAGE};
use cache::{DiskSettings, Mode, SequentialCutoff};
use futures_util::future::join_all;

use crate::clients::{flush, write};
use crate::devices::add_device;
use crate::disturb::REST_NS;
use crate::rng::Rng;
use crate::settings::Kind;
use crate::world::{DISKS, Disk, SimCache, World};

/// Time in nanoseconds after which everything is destaged, and logs are idle.
const DESTAGED_NS: u64 = 2_000_000_000;
/// Number of writes before the host idles: more than an open segment holds.
const WRITES: usize = 4;
/// Idle time in nanoseconds, shorter than the time until destage flushes the backing or the log is idle.
const QUIET_NS: u64 = 500_000;

/// Last minute of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// The end is mostly while requests are in flight.
    Sudden,
    /// Two clients write and flush at the same time, and then nothing happens.
    Overlaps,
    /// A few writes are destaged, and the host idles.
    Idle,
}

/// Last minute of one process.
pub(crate) struct LastMinute {
    ending: Ending,
    rng: Rng,
}

impl LastMinute {
    /// Draws the end of a process of a world.
    pub(crate) fn of(world: &World, life: u64) -> Self {
        let mut rng = Rng::new(world.seed ^ 0x6d69_6e75_7465 ^ life << 56);
        let ending = match rng.below(10) {
            _ if world.kind == Kind::Through => Ending::Sudden,
            0..=2 => Ending::Overlaps,
            3..=6 if world.kind == Kind::BackWithPowerCuts => Ending::Idle,
            _ => Ending::Sudden,
        };
        Self { ending, rng }
    }

    /// Returns true if clients finish before the power cut.
    pub(crate) fn is_calm(&self) -> bool {
        self.ending != Ending::Sudden
    }

    /// Runs the last minute. Clients have ended, and nothing fails.
    pub(crate) async fn pass(
        mut self,
        world: &World,
        host: &LocalHost,
        caches: &[Rc<SimCache>],
        disks: &[Rc<Disk>],
    ) {
        let number = self.rng.below(DISKS as u64) as usize;
        let disk = &disks[number];
        for disk in disks {
            disk.start_destage();
        }
        host.sleep(DESTAGED_NS).await;
        let settings = DiskSettings {
            mode: Mode::WriteBack,
            sequential_cutoff: SequentialCutoff::Bytes(0),
            destage_rate_max: 0,
            dirty_limit_bytes: None,
            ..disk.settings()
        };
        caches[number].reconfigure(disk, settings).expect("the settings fit");
        match self.ending {
            Ending::Sudden => {}
            Ending::Overlaps => {
                world.set_weather(&mut self.rng);
                // Destage would make the data durable.
                world.backings.iter().for_each(|backing| backing.delay(1_000_000, 5_000_000));
                overlap_flushes(world, host, disk, number, &mut self.rng).await;
                host.sleep(self.rng.below(QUIET_NS)).await;
                world.coverage.borrow_mut().power_cuts_after_overlaps += 1;
            }
            Ending::Idle => {
                // Logs continue where there is room, and notes stay where they are.
                add_device(world, host, caches).await;
                host.sleep(DESTAGED_NS).await;
                for _ in 0..WRITES {
                    let range = draw_pages(&mut self.rng);
                    world.last_ranges.borrow_mut().push((number, range));
                    write(world, disk, number, range).await;
                }
                disk.start_destage();
                host.sleep(REST_NS + self.rng.below(REST_NS)).await;
                world.coverage.borrow_mut().power_cuts_after_idling += 1;
            }
        }
    }
}

/// Draws some whole pages, which need no read of the backing.
fn draw_pages(rng: &mut Rng) -> ByteRange {
    ByteRange::at(rng.below(60) * PAGE, (1 + rng.below(3)) * PAGE)
}

/// Makes two clients of one disk write and flush at the same time. Other requests would make their data durable.
async fn overlap_flushes(world: &World, host: &LocalHost, disk: &Disk, number: usize, rng: &mut Rng) {
    let clients = [Rng::new(rng.draw()), Rng::new(rng.draw())].map(async |mut rng| {
        for _ in 0..=rng.below(2) {
            host.sleep(rng.below(500_000)).await;
            write(world, disk, number, draw_pages(&mut rng)).await;
            flush(world, disk, number).await;
        }
    });
    join_all(clients).await;
}

/// Repeats the writes of the last minute of the previous process, while disks are being loaded.
pub(crate) async fn write_anew(world: &World, disks: &[Rc<Disk>]) {
    let ranges = world.last_ranges.take();
    let size = |number: usize| disks[number].geometry().size;
    let writes = ranges.into_iter().filter(|(number, range)| range.end <= size(*number));
    join_all(writes.map(async |(number, range)| write(world, &disks[number], number, range).await)).await;
}
