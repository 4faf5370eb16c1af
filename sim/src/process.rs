//! Process of a world: it opens the pool, serves clients, and ends.

use std::cell::Cell;
use std::rc::Rc;

use block::executor::LocalHost;
use block::{ByteRange, Host};
use cache::{Admission, DeviceState, DirtyData, DiskSettings, Mode, SequentialCutoff, Shape, ZeroPages};

use crate::budget::Budgets;
use crate::clients::{read, run_client, verify};
use crate::devices::{FLASH_DEVICES, add_device, open, spread};
use crate::disturb::disturb;
use crate::growth;
use crate::last_minute::{LastMinute, write_anew};
use crate::resizing;
use crate::rng::Rng;
use crate::settings::{Kind, draw_settings};
use crate::targets::Targets;
use crate::trims::Trims;
use crate::world::{DISKS, Disk, End, POOL, REGION_BYTES, RESERVE_BYTES, SEGMENT_BYTES, SimCache, World};

const CLIENTS_PER_DISK: usize = 3;
/// Time in nanoseconds after which logs are idle, under any delays.
const REST_OF_LOGS_NS: u64 = 1_000_000_000;
/// Power cuts of a thousand with flash that rotted just before.
const ROT_PER_MILLE: u64 = 300;

/// Process that serves clients: its disks, and the cache of each.
struct Serving {
    world: Rc<World>,
    host: LocalHost,
    caches: Vec<Rc<SimCache>>,
    disks: Vec<Rc<Disk>>,
    /// Number of clients that have not finished.
    running: Rc<Cell<usize>>,
}

pub(crate) async fn serve(
    world: Rc<World>,
    host: LocalHost,
    [life, lives]: [u64; 2],
    end: End,
    mut rng: Rng,
) {
    let Some(serving) = Serving::start(world, host, life, &mut rng).await else { return };
    let Serving { world, host, caches, disks, .. } = &serving;
    let mut budgets = Budgets::of(world, life);
    let mut targets = Targets::of(world, life);
    let mut trims = Trims::of(world, life);
    write_anew(world, disks).await;
    while world.left.get() > 0 && world.failure.borrow().is_none() {
        host.sleep(rng.below(3_000_000)).await;
        world.say("clients run");
        // Before as well: a start may have changed settings, and thereby the data that should have two copies.
        world.look_for_copies(caches, disks);
        disturb(world, host, caches, disks, &mut rng).await;
        budgets.disturb(caches);
        targets.disturb(world, caches, disks);
        trims.disturb(world, disks).await;
        growth::disturb(world, host, disks).await;
        resizing::disturb(world, host, caches).await;
        world.look_for_copies(caches, disks);
    }
    if end != End::Clean {
        // The end is mostly while requests are in flight.
        if end == End::PowerCut && world.kind == Kind::BackWithPowerCuts && rng.chance(ROT_PER_MILLE) {
            serving.rest_and_rot(&mut rng).await;
        } else if end == End::PowerCut {
            serving.live_through_last_minute(life).await;
        }
        let interrupted = disks.iter().filter(|disk| disk.is_destaging()).count();
        world.coverage.borrow_mut().destages_interrupted += interrupted as u64;
        return world.count(&caches[0], disks);
    }
    serving.come_to_rest().await;
    serving.verify().await;
    // Otherwise the next process finds the content that this one cached.
    if life + 1 == lives || rng.chance(200) {
        serving.prove_all().await;
    }
    world.count(&caches[0], disks);
    if life + 1 == lives { serving.remove().await } else { serving.detach().await }
}

impl Serving {
    /// Opens the pool, attaches the disks and starts the clients.
    async fn start(world: Rc<World>, host: LocalHost, life: u64, rng: &mut Rng) -> Option<Self> {
        world.is_calm.set(false);
        resizing::end(&world);
        world.unanswered.iter().for_each(|unanswered| unanswered.set(false));
        if life == 0 {
            let shape = Shape { segment_bytes: SEGMENT_BYTES, region_bytes: REGION_BYTES };
            let first = world.flash[0].reopen(host.clone());
            cache::format(&first, POOL, Some(shape)).await.expect("no fault is set yet");
        }
        world.slow_down_load();
        let (cache, named) = open(&world, &host, life, rng).await?;
        // Not known before everything is attached.
        world.can_harm.set(false);
        let caches = spread(&world, &host, cache, &named, rng).await;
        if life == 0 && (world.is_mirrored() || rng.chance(500)) {
            add_device(&world, &host, &caches).await;
        }
        let mut serving = Self { world, host, caches, disks: Vec::new(), running: Rc::default() };
        serving.attach(rng).await;
        serving.world.set_weather(rng);
        serving.let_clients_go(rng);
        Some(serving)
    }

    async fn attach(&mut self, rng: &mut Rng) {
        let world = &self.world;
        for (number, backing) in world.backings.iter().enumerate() {
            let settings = draw_settings(world.kind, number, rng);
            let past = world.past(number, rng);
            let attached =
                self.caches[number].attach(settings, backing.reopen(self.host.clone()), past).await;
            let disk = attached.expect("the settings fit, and nothing fails yet");
            world.memories[number].void.set(false);
            world.coverage.borrow_mut().dirty_starts += u64::from(disk.holds_dirty());
            world.memories[number].reconnected.set(false);
            self.disks.push(disk);
        }
    }

    fn let_clients_go(&self, rng: &mut Rng) {
        for client in 0..DISKS * CLIENTS_PER_DISK {
            self.running.set(self.running.get() + 1);
            let (world, host, running) =
                (Rc::clone(&self.world), self.host.clone(), Rc::clone(&self.running));
            let (disk, rng) = (Rc::clone(&self.disks[client % DISKS]), Rng::new(rng.draw()));
            self.host.spawn(async move {
                run_client(&world, &host, &disk, client % DISKS, rng).await;
                running.set(running.get() - 1);
            });
        }
    }

    /// Waits for the end of the clients, and stops all failures.
    async fn come_to_rest(&self) {
        let all: Vec<_> = self.disks.iter().map(|disk| disk.statistics()).collect();
        self.world.say(&format!("clients end: {all:?}"));
        while self.running.get() > 0 {
            self.host.sleep(10_000_000).await;
        }
        self.world.calm();
        self.world.land_late();
    }

    /// Makes a piece of flash rot shortly before the end, when logs are idle: flushed data then differs from data that was never flushed.
    async fn rest_and_rot(&self, rng: &mut Rng) {
        self.come_to_rest().await;
        self.host.sleep(REST_OF_LOGS_NS).await;
        let world = &self.world;
        world.rotten.set(true);
        let place = rng.below(FLASH_DEVICES as u64) as usize;
        world.flash[place].rot(&world.segments_area(place), 1);
        world.coverage.borrow_mut().power_cuts_with_rot += 1;
    }

    async fn live_through_last_minute(&self, life: u64) {
        let last = LastMinute::of(&self.world, life);
        if last.is_calm() {
            self.come_to_rest().await;
            self.world.say("the last minute");
            last.pass(&self.world, &self.host, &self.caches, &self.disks).await;
            // A disk that is new in write-back has segments with one copy: no device may be missing at the next start.
            self.world.look_for_copies(&self.caches, &self.disks);
        }
    }

    async fn verify(&self) {
        for (number, disk) in self.disks.iter().enumerate() {
            self.world.say(&format!("verifying disk {number}: {:?}", disk.statistics()));
            verify(&self.world, disk, number).await;
            disk.check_catalog();
            if disk.statistics().stopped.is_some() {
                self.world.coverage.borrow_mut().disks_stopped += 1;
                if !self.world.rotten.get() {
                    self.world.fail(format!("disk {number} stopped: {:?}", disk.statistics().stopped));
                }
            }
        }
    }

    /// Destages everything and reads it from the backing, and then lets clients continue.
    async fn prove_all(&self) {
        let mut empty = Vec::new();
        for (number, disk) in self.disks.iter().enumerate() {
            evict_at_last(&self.world, disk, number).await;
            verify(&self.world, disk, number).await;
            empty.push(evict_at_last(&self.world, disk, number).await);
        }
        self.world.say("proving that it goes on");
        prove_alive(&self.world, &self.host, &self.caches, &self.disks, &empty).await;
        self.world.say("detaching or removing");
    }

    async fn detach(&self) {
        for ((cache, disk), memories) in self.caches.iter().zip(&self.disks).zip(&self.world.memories) {
            cache.detach(disk).await;
            memories.reconnected.set(false);
        }
    }

    /// Removes all disks, and checks that nothing is left of them.
    async fn remove(&self) {
        for (cache, disk) in self.caches.iter().zip(&self.disks) {
            let kept = cache.remove(disk, DirtyData::Refuse).await;
            if kept.is_err() {
                cache.remove(disk, DirtyData::Discard).await.expect("nothing is in the way of that");
            }
        }
        // Nothing keeps a device from leaving any more, once a discard that began before is over.
        self.host.sleep(200_000_000).await;
        let statistics = self.caches[0].pool_statistics();
        let leaving = statistics.devices.iter().any(|device| device.state != DeviceState::Used);
        if leaving && !statistics.failed {
            self.world.fail(format!("a device does not leave: {statistics:?}"));
        }
        // One segment holds notes, and another one its copy, if there is one. A failed flash returns nothing.
        let held = statistics.segments - statistics.segments_free;
        if held != 1 + u64::from(statistics.notes_mirrored) && !statistics.failed {
            self.world.fail(format!("segments leak: {statistics:?}"));
        }
    }
}

/// Evicts a disk without failures, so that everything is destaged; unless flash lost some of it, or the end of an unanswered request is not
/// known. Returns true if nothing is cached any more.
async fn evict_at_last(world: &World, disk: &Disk, number: usize) -> bool {
    let Err(error) = disk.evict().await else { return true };
    world.coverage.borrow_mut().evictions_failed += 1;
    if !world.rotten.get() && !world.unanswered[number].get() {
        world.fail(format!("disk {number} does not come home: {error}"));
    }
    false
}

/// Checks that each disk can still promote content to flash: no request waits for ever for room. If flash is not empty, the content that is
/// read may be there already.
async fn prove_alive(
    world: &World,
    host: &LocalHost,
    caches: &[Rc<SimCache>],
    disks: &[Rc<Disk>],
    empty: &[bool],
) {
    caches[0].set_write_budget(None);
    let enough = DISKS as u64 * RESERVE_BYTES;
    // A disk that stopped keeps its flash, and others may lack it.
    let stopped = disks.iter().any(|disk| disk.statistics().stopped.is_some());
    if caches[0].pool_statistics().failed || caches[0].usable_bytes() < enough || stopped {
        return;
    }
    for (number, disk) in disks.iter().enumerate() {
        let settings = DiskSettings {
            mode: Mode::WriteThrough,
            admission: Admission::Always,
            sequential_cutoff: SequentialCutoff::Bytes(0),
            // Few writes go there, and cached zeroes never reach flash.
            zero_pages: ZeroPages::Cached,
            ..disk.settings()
        };
        caches[number].reconfigure(disk, settings).expect("the settings fit");
        let before = disk.statistics().counts.promotions;
        // More than RAM holds, from places with few accesses of clients, so that no failed write keeps all of it out.
        for page in 0..2 * settings.ram_bytes / 4096 {
            read(world, disk, number, ByteRange::at((1 << 20) + page * 4096, 4096)).await;
            host.sleep(10_000).await;
        }
        // Longer than the time until a backing is flushed again.
        host.sleep(3_000_000_000).await;
        let may_fail = world.unanswered[number].get() || !empty[number];
        if disk.statistics().counts.promotions == before && !may_fail {
            world.fail(format!("disk {number} brings nothing to flash any more"));
        }
    }
}
