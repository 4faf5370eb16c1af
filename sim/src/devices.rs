//! Pool of a world: its flash devices, of which one is added and removed, and the shards that use them.

use std::rc::Rc;

use block::executor::LocalHost;
use block::{BlockDevice, Host};
use cache::{Cache, CacheError, Claim, MemberNumber, PoolContent, SessionIds};

use crate::rng::Rng;
use crate::world::{DISKS, SimCache, World};

/// The second one may or may not belong to the pool.
pub(crate) const FLASH_DEVICES: usize = 2;

/// Opens the pool on all devices, now and then without one of them. Returns which of them belong to it.
pub(crate) async fn open(
    world: &World,
    host: &LocalHost,
    life: u64,
    rng: &mut Rng,
) -> Option<(Rc<SimCache>, Vec<usize>)> {
    let mut named: Vec<usize> = (0..FLASH_DEVICES).collect();
    if world.is_mirrored() {
        if let Some(missed) = rng.chance(150).then(|| world.device_to_miss(rng)).flatten() {
            named.retain(|place| *place != missed);
            world.coverage.borrow_mut().starts_without_a_device += 1;
        }
    } else if rng.chance(20) {
        // The first one belongs to the pool, unless it was removed.
        named.remove(usize::from(world.numbers.borrow()[0].is_some()));
        world.rotten.set(true);
        world.coverage.borrow_mut().starts_without_a_device += 1;
    }
    if rng.chance(500) {
        named.reverse();
    }
    let handles = named.iter().map(|place| world.flash[*place].reopen(host.clone())).collect();
    // The mark is drawn before the pool is opened, and the last one is known.
    let marks = SessionIds { new: life + 1, known: (0..=life + 1).collect(), epoch: Some(world.epoch.get()) };
    let opened = match Cache::open(handles, host.clone(), &marks).await {
        Ok(opened) => opened,
        Err(CacheError::HoldsDirty(_)) if world.rotten.get() => {
            // The world ends here: an administrator would have to decide.
            world.coverage.borrow_mut().dirty_pools_refused += 1;
            world.refused.set(true);
            return None;
        }
        Err(error) => {
            world.fail(format!("the pool does not open: {error}"));
            return None;
        }
    };
    world.witness(&opened.cache).await;
    match opened.content {
        PoolContent::Kept { .. } => {}
        PoolContent::Dropped(_) if world.rotten.get() => world.coverage.borrow_mut().pools_dropped += 1,
        PoolContent::Dropped(reason) => {
            world.fail(format!("nothing is believed: {reason}"));
            return None;
        }
    }
    let ignored: Vec<usize> = opened.ignored.iter().map(|ignored| named[ignored.place]).collect();
    named.retain(|place| !ignored.contains(place));
    let devices = opened.cache.pool_statistics().devices;
    if world.resizing.is_on() {
        // Their sizes change. Read directly, not through the devices, which may discard by now.
        let mut numbers = world.numbers.borrow_mut();
        *numbers = [None; FLASH_DEVICES];
        for place in &named {
            let mut start = [0; Claim::BYTES];
            world.flash[*place].peek(0, &mut start);
            numbers[*place] = Claim::read(&start).and_then(|claim| claim.number);
        }
        drop(numbers);
        return Some((opened.cache, named));
    }
    let mut numbers = world.numbers.borrow_mut();
    *numbers = [None; FLASH_DEVICES];
    for place in &named {
        // Identified by their sizes.
        let size = world.flash[*place].handle(host.clone()).geometry().size;
        let device = devices.iter().find(|device| device.size_bytes == size);
        numbers[*place] = device.map(|device| MemberNumber(device.number));
    }
    Some((opened.cache, named))
}

/// Returns the caches, one for each shard.
fn shards(caches: &[Rc<SimCache>]) -> &[Rc<SimCache>] {
    if Rc::ptr_eq(&caches[0], &caches[1]) { &caches[..1] } else { caches }
}

/// Adds the flash device that does not belong to the pool.
pub(crate) async fn add_device(world: &World, host: &LocalHost, caches: &[Rc<SimCache>]) {
    let Some(place) = world.numbers.borrow().iter().position(Option::is_none) else { return };
    let [first, others @ ..] = shards(caches) else { return };
    // Whatever the outcome, it may be missing from now on.
    let Ok(number) = first.add_device(world.flash[place].handle(host.clone())).await else { return };
    for other in others {
        let known = other.know_device(number, world.flash[place].handle(host.clone()));
        known.expect("it was added just now, and nothing else lets it leave");
    }
    first.use_device(number).expect("as above");
    world.numbers.borrow_mut()[place] = Some(number);
    world.coverage.borrow_mut().devices_added += 1;
}

/// Removes one of two devices that work.
pub(crate) async fn take_out_device(
    world: &World,
    host: &LocalHost,
    caches: &[Rc<SimCache>],
    place: usize,
    rng: &mut Rng,
) {
    let Some(number) = world.numbers.borrow()[place] else { return };
    if caches[0].take_out_device(number).is_err() {
        return;
    }
    host.sleep(rng.below(200_000_000)).await;
    let listed = caches[0].pool_statistics().devices.iter().any(|device| device.number == number.0);
    if !listed {
        world.numbers.borrow_mut()[place] = None;
        world.coverage.borrow_mut().devices_taken_out += 1;
    }
}

/// Returns the cache of each disk: all on the shard that opened the pool, or each on one of its own. Shards are handles on one executor
/// here, so that the seed decides how their tasks interleave.
pub(crate) async fn spread(
    world: &World,
    host: &LocalHost,
    first: Rc<SimCache>,
    named: &[usize],
    rng: &mut Rng,
) -> Vec<Rc<SimCache>> {
    if rng.chance(500) {
        return vec![first; DISKS];
    }
    let handles = named.iter().map(|place| world.flash[*place].handle(host.clone())).collect();
    let joined = Cache::join(&first.shared(), handles, host.clone()).await;
    let second = joined.expect("nothing fails yet, and it is the same device");
    world.witness(&second).await;
    world.coverage.borrow_mut().lives_on_two_shards += 1;
    let mut caches = vec![first, second];
    if rng.chance(500) {
        caches.reverse();
    }
    caches
}
