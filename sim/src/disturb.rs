//! Actions of operators, failures of hardware, and chance events while clients run.

use std::rc::Rc;

use block::executor::LocalHost;
use block::{Host, Operation};

use crate::devices::{FLASH_DEVICES, add_device, take_out_device};
use crate::mirror::harm_or_mend;
use crate::rng::Rng;
use crate::rot::rot;
use crate::settings::{Kind, draw_settings};
use crate::world::{DISKS, Disk, SimCache, World};

/// Idle time in nanoseconds of a world whose clients wait until regions are closed.
pub(crate) const REST_NS: u64 = 65_000_000_000;

/// Does one disturbance, drawn at random.
pub(crate) async fn disturb(
    world: &World,
    host: &LocalHost,
    caches: &[Rc<SimCache>],
    disks: &[Rc<Disk>],
    rng: &mut Rng,
) {
    let number = rng.below(DISKS as u64) as usize;
    let (disk, backing) = (&disks[number], &world.backings[number]);
    let what = rng.below(17);
    disk.check_catalog();
    world.say(&format!("disturbance {what} of disk {number}: {:?}", disk.statistics()));
    match what {
        4 | 5 | 8..=11 | 13 | 14 if world.is_mirrored() => harm_or_mend(world, host, caches, rng).await,
        12 => reconnect(world, number),
        0..=2 => {
            let settings = draw_settings(world.kind, number, rng);
            caches[number].reconfigure(disk, settings).expect("the settings fit");
            world.coverage.borrow_mut().reconfigurations += 1;
        }
        // Fails if the backing does not accept the dirty data.
        3 if rng.chance(300) => {
            let failed = disk.evict().await.is_err();
            world.coverage.borrow_mut().evictions_failed += u64::from(failed);
        }
        3 => disk.start_destage(),
        15 => disk.stop_destage(),
        16 if rng.chance(300) => quiesce(world, host, disk, rng).await,
        4 => {
            world.unanswered[number].set(true);
            backing.fail_after(Operation::Write, rng.below(8));
        }
        5 => backing.fail_after(Operation::Read, rng.below(8)),
        6 => {
            backing.hang();
            host.sleep(rng.below(2_000_000)).await;
            backing.release();
        }
        7 if rng.chance(500) => world.land_late(),
        7 => host.sleep(REST_NS).await,
        8..=11 => harm_flash(world, number, what, rng),
        13 if rng.chance(300) => add_device(world, host, caches).await,
        14 if rng.chance(200) => {
            let place = rng.below(FLASH_DEVICES as u64) as usize;
            take_out_device(world, host, caches, place, rng).await;
        }
        _ => world.set_weather(rng),
    }
}

/// Drops the connection of a backing, with its unflushed data.
fn reconnect(world: &World, number: usize) {
    let backing = &world.backings[number];
    world.coverage.borrow_mut().reconnects += 1;
    // Requests of the earlier connection end with it.
    world.models[number].borrow_mut().land_late();
    backing.land_late();
    world.models[number].borrow_mut().lose_unflushed();
    backing.lose_volatile();
    world.memories[number].reconnected.set(true);
}

/// Quiesces a disk for a while, as for a backup.
async fn quiesce(world: &World, host: &LocalHost, disk: &Rc<Disk>, rng: &mut Rng) {
    if disk.quiesce().await.is_err() {
        return;
    }
    let dirty = disk.statistics().dirty_bytes;
    host.sleep(rng.below(3_000_000)).await;
    let later = disk.statistics().dirty_bytes;
    if [dirty, later] != [0, 0] {
        world.fail(format!("a disk at rest is dirty: {dirty}, then {later} bytes"));
    }
    world.coverage.borrow_mut().quiesces += 1;
    disk.resume();
}

/// Makes flash fail a request, rot, or fail for good.
fn harm_flash(world: &World, number: usize, what: u64, rng: &mut Rng) {
    let flash = &world.flash[number];
    match what {
        8 => {
            let failing = if rng.chance(200) { Operation::Discard } else { Operation::Read };
            flash.fail_after(failing, rng.below(8));
        }
        9 | 10 if world.kind != Kind::BackWithPowerCuts => {
            world.rotten.set(true);
            rot(world, number, 1 + rng.below(40));
        }
        11 if rng.chance(60) => {
            let failing = [Operation::Write, Operation::Flush][rng.below(2) as usize];
            world.rotten.set(true);
            flash.fail_after(failing, rng.below(8));
        }
        _ => world.set_weather(rng),
    }
}
