//! Consistency sets: walks of a guest on two or three disks of one set. It writes to one, waits for the acknowledgement, then to another. Rings
//! fail, are full, hang and lose their connections; disks leave the promise and the set. A process ends by a kill or a power cut, and at last
//! the flash is lost, and the recovery ends halfway. The backings, with the rings applied, have to be all disks as of one instant, which is not
//! older than what statistics said.

use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::rc::Rc;
use std::sync::atomic::AtomicU64;

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::faulty::{Faults, Faulty};
use block::{BlockDevice, Buffer, ByteRange, Geometry, Host, Memory, Operation, PAGE, Unmap};
use cache::types::canary::{self, Bug};
use cache::{
    Cache, CachedDisk, ConsistencySet, DestageOrder, DiskId, DiskSettings, Mode, PoolId, RecoveryContext,
    RecoveryTrust, SessionIds, SetWait, Shape, WallClock, words_for,
};
use futures_util::future::{Either, select, try_join};
use redo::{
    CutSummary, RedoRing, RingError, RingId, RingOwner, SetCompleteness, SetId, recover_set, verify_set,
};
use sim::Rng;

const POOL: PoolId = PoolId([3; 16]);
const SET: SetId = SetId([5; 16]);
const SEGMENT: u64 = 32 << 10;
const FLASH_BYTES: u64 = (32 << 10) + 110 * SEGMENT;
const DISKS: usize = 3;
const PAGES: u64 = 8;
/// Pages of rings, behind the directory: in the small ones room is short all the time.
const RING_PAGES: [u64; 3] = [100, 40, 16];
const SECOND: u64 = 1_000_000_000;
/// Seeds of the walks without a bug; those with one have twenty times as many.
const SEEDS: u64 = 300;

type Touched = Rc<Box<[AtomicU64]>>;
type Device = Faulty<LocalHost>;
type Env = (Device, Device, LocalHost);
type Disk = CachedDisk<Env>;
type Pages = [u64; PAGES as usize];
type Content = [Pages; DISKS];

/// Content of all disks after a change of the guest.
#[derive(Clone, Copy)]
struct State {
    began: u64,
    /// None while the change is not acknowledged.
    ended: Option<u64>,
    content: Content,
}

/// The last promise in statistics.
#[derive(Clone, Copy, Debug)]
struct Claim {
    taken_at: u64,
    is_member: [bool; DISKS],
}

struct World {
    flash: Faults,
    backings: Vec<Faults>,
    rings: Vec<Faults>,
    disks: usize,
    states: RefCell<Vec<State>>,
    /// Place of the last state that a flush of each disk covered.
    flushed: [Cell<usize>; DISKS],
    claim: Cell<Option<Claim>>,
    /// True if power was cut since a guest last read all disks at a start.
    is_power_cut: Cell<bool>,
    touched: RefCell<Vec<Option<Touched>>>,
    elapsed: Cell<u64>,
    rng: RefCell<Rng>,
    next: Cell<u64>,
    is_slow: bool,
    has_faults: bool,
    age_max_ns: Option<u64>,
    cuts: Cell<u64>,
    waits: Cell<u64>,
    replays: Cell<u64>,
    pauses: Cell<u64>,
    repeated: Cell<u64>,
    recovered: Cell<u64>,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let geometry = Geometry { physical_block: 4096, unmaps: true, ..Geometry::plain(PAGES * PAGE) };
        let ring_pages = RING_PAGES[(seed % 3) as usize];
        let mut ring = |at: u64| {
            // One is smaller than the others.
            let pages = if at == seed % 2 { ring_pages } else { RING_PAGES[0] };
            Faults::new(Memory::new((32 << 10) + pages * PAGE), rng.draw())
        };
        Self {
            rings: (0..DISKS as u64).map(&mut ring).collect(),
            flash: Faults::new(Memory::new(FLASH_BYTES), rng.draw()),
            backings: (0..DISKS).map(|_| Faults::new(Memory::with_geometry(geometry), rng.draw())).collect(),
            disks: 2 + (seed / 2 % 2) as usize,
            states: RefCell::new(vec![State {
                began: 0,
                ended: Some(0),
                content: [[0; PAGES as usize]; DISKS],
            }]),
            flushed: Default::default(),
            claim: Cell::default(),
            is_power_cut: Cell::default(),
            touched: RefCell::new(vec![None; DISKS]),
            elapsed: Cell::new(1),
            rng: RefCell::new(rng),
            next: Cell::new(1),
            is_slow: seed % 8 >= 5,
            has_faults: !seed.is_multiple_of(4),
            age_max_ns: [None, Some(4 * SECOND)][(seed / 8 % 2) as usize],
            cuts: Cell::default(),
            waits: Cell::default(),
            replays: Cell::default(),
            pauses: Cell::default(),
            repeated: Cell::default(),
            recovered: Cell::default(),
        }
    }

    fn below(&self, end: u64) -> u64 {
        self.rng.borrow_mut().below(end)
    }

    fn disk(&self) -> usize {
        self.below(self.disks as u64) as usize
    }

    fn last(&self) -> Content {
        self.states.borrow().last().expect("there is a first one").content
    }

    fn devices(&self) -> impl Iterator<Item = &Faults> {
        [&self.flash].into_iter().chain(&self.backings).chain(&self.rings)
    }

    /// Returns the last of the states from `least` to `most` in which these disks are as found: a change that was not acknowledged by `until`
    /// may be there in part.
    fn state_of(
        &self,
        disks: &[usize],
        found: &Content,
        (least, most): (usize, usize),
        until: u64,
    ) -> Option<usize> {
        let states = self.states.borrow();
        (least..=most.min(states.len() - 1)).rev().find(|at| {
            let state = states[*at];
            let is_partial = *at > 0 && state.ended.is_none_or(|ended| ended >= until);
            let before = if is_partial { states[*at - 1].content } else { state.content };
            disks.iter().all(|disk| {
                let pages = found[*disk].iter().zip(before[*disk]).zip(state.content[*disk]);
                pages.into_iter().all(|((found, before), after)| {
                    let is_torn = before != after && *found == u64::MAX;
                    *found == before || *found == after || is_torn
                })
            })
        })
    }

    /// Returns the place of the last state that was acknowledged before a time.
    fn acknowledged_before(&self, time: u64) -> usize {
        let is_before = |state: &State| state.ended.is_some_and(|ended| ended < time);
        self.states.borrow().iter().rposition(is_before).unwrap_or(0)
    }

    /// Returns the places of the first and the last state that disks as of a time may be in.
    fn states_at(&self, time: u64) -> (usize, usize) {
        let most = self.states.borrow().iter().rposition(|state| state.began <= time).unwrap_or(0);
        (self.acknowledged_before(time), most)
    }

    fn on_backings(&self) -> Content {
        std::array::from_fn(|disk| {
            std::array::from_fn(|page| {
                let mut bytes = [0; PAGE as usize];
                self.backings[disk].peek(page as u64 * PAGE, &mut bytes);
                value_of(&bytes)
            })
        })
    }

    fn recovery(&self, disk: usize) -> RecoveryContext {
        let touched = &mut self.touched.borrow_mut()[disk];
        let belief = if touched.is_some() { RecoveryTrust::ByPage } else { RecoveryTrust::ByRegion };
        let words = || (0..words_for(PAGES * PAGE)).map(|_| AtomicU64::new(0)).collect();
        let touched = Rc::clone(touched.get_or_insert_with(|| Rc::new(words())));
        RecoveryContext { belief, touched, granted: true, ..RecoveryContext::none(PAGES * PAGE) }
    }

    /// Records that a disk promises nothing from now on.
    fn drop_claim(&self, disk: usize) {
        if let Some(mut claim) = self.claim.get() {
            claim.is_member[disk] = false;
            self.claim.set(Some(claim));
        }
    }
}

fn bytes_of(value: u64) -> Vec<u8> {
    value.to_le_bytes().repeat(PAGE as usize / 8)
}

/// Returns the value that fills a page; the largest number if none does.
fn value_of(bytes: &[u8]) -> u64 {
    let words = bytes.as_chunks::<8>().0;
    let first = u64::from_le_bytes(words[0]);
    if words.iter().all(|word| u64::from_le_bytes(*word) == first) { first } else { u64::MAX }
}

fn in_order(world: &World, disk: usize, destage_order: DestageOrder) -> DiskSettings {
    DiskSettings {
        destage_rate_max: if world.is_slow { 2 * PAGE } else { 0 },
        mode: Mode::WriteBack,
        reserve_bytes: 32 * SEGMENT,
        limit_bytes: 36 * SEGMENT,
        ram_bytes: 16 * PAGE,
        destage_order,
        consistent_age_max_ns: world.age_max_ns,
        retry_ns: Some(120 * SECOND),
        ..DiskSettings::plain(DiskId(disk as u32 + 1))
    }
}

/// A process with all disks of the set.
struct Process<'a> {
    world: &'a World,
    host: LocalHost,
    cache: Rc<Cache<Env>>,
    set: Rc<ConsistencySet<Env>>,
    disks: Vec<Rc<Disk>>,
    /// Disks that are in another order of destage, or about to be.
    is_other: [Cell<bool>; DISKS],
}

impl Process<'_> {
    fn now(&self) -> u64 {
        self.host.now() + self.world.elapsed.get()
    }

    fn wall_clock(&self) -> WallClock {
        let (host, elapsed) = (self.host.clone(), self.world.elapsed.get());
        Rc::new(move || host.now() + elapsed)
    }

    async fn hand_over(&self, disk: usize) -> RedoRing<Device> {
        let device = self.world.rings[disk].reopen(self.host.clone());
        RedoRing::open(device).await.expect("a ring is there")
    }

    async fn attach(&self, at: usize) -> Rc<Disk> {
        let backing = self.world.backings[at].reopen(self.host.clone());
        let settings = in_order(self.world, at, DestageOrder::Consistent);
        let disk = self.cache.attach(settings, backing, self.world.recovery(at)).await.expect("it fits");
        let ring = self.hand_over(at).await;
        disk.join_set(&self.set).expect("it has no other one");
        disk.set_redo_ring(ring, self.wall_clock());
        disk
    }

    async fn flush_all(&self) {
        let last = self.world.states.borrow().len() - 1;
        for (disk, flushed) in self.disks.iter().zip(&self.world.flushed) {
            disk.flush().await.expect("flash and backing do not fail");
            flushed.set(last);
        }
    }

    /// A guest: a request after another. Returns what it read that it should not have.
    async fn guest(&self) -> Result<(), String> {
        let world = self.world;
        for _ in 0..80 {
            self.host.sleep(world.below(150_000_000)).await;
            let at = world.disk();
            let disk = &self.disks[at];
            match world.below(12) {
                10.. => {
                    let page = world.below(PAGES);
                    let (bytes, result) = disk.read(page * PAGE, Buffer::zeroed(PAGE as usize)).await;
                    result.map_err(|error| format!("a read fails: {error}"))?;
                    let [found, expected] = [value_of(&bytes), world.last()[at][page as usize]];
                    if found != expected && expected != u64::MAX {
                        return Err(format!("a guest reads {found} in page {page} of {at}, not {expected}"));
                    }
                }
                0 => {
                    let last = world.states.borrow().len() - 1;
                    if disk.flush().await.is_ok() {
                        world.flushed[at].set(last);
                    }
                }
                kind => {
                    // It may go to the backing, past the order in which logs lose what no flush covers.
                    let is_direct =
                        self.is_other[at].get() || disk.consistency().is_none_or(|it| it.taken_at.is_none());
                    if is_direct {
                        self.flush_all().await;
                    }
                    let first = world.below(if world.is_slow { 3 } else { PAGES });
                    let pages = 1 + world.below(3).min(PAGES - first - 1);
                    let value = if kind < 3 { 0 } else { world.next.replace(world.next.get() + 1) };
                    let mut content = world.last();
                    content[at][first as usize..(first + pages) as usize].fill(value);
                    world.states.borrow_mut().push(State { began: self.now(), ended: None, content });
                    let range = ByteRange::at(first * PAGE, pages * PAGE);
                    let changed = match kind {
                        1 => disk.write_zeroes(range, Unmap::Forbidden).await,
                        2 => disk.write_zeroes(range, Unmap::Allowed).await,
                        _ => {
                            let bytes = Buffer::copy_of(&bytes_of(value).repeat(pages as usize));
                            disk.write(first * PAGE, bytes).await.1
                        }
                    };
                    changed.map_err(|error| format!("a write fails: {error}"))?;
                    let is_direct =
                        self.is_other[at].get() || disk.consistency().is_none_or(|it| it.taken_at.is_none());
                    if is_direct {
                        self.flush_all().await;
                    }
                    world.states.borrow_mut().last_mut().expect("it was pushed").ended = Some(self.now());
                }
            }
        }
        Ok(())
    }

    async fn administrator(&self) -> Result<(), String> {
        let world = self.world;
        let mut replays = 0;
        let mut before = None;
        for _ in 0..60 {
            self.host.sleep(world.below(250_000_000)).await;
            let at = world.disk();
            let disk = &self.disks[at];
            match world.below(16) {
                0 => world.rings[at].lose_volatile(),
                1 if disk.consistency().is_some_and(|it| it.taken_at.is_some()) => {
                    world.backings[at].lose_volatile();
                }
                2 => disk.start_destage(),
                3 => self.pause(at).await?,
                4 if world.below(3) == 0 => self.leave_promise(at).await,
                5 if world.below(3) == 0 => self.leave_set(at).await,
                6 | 7 if world.has_faults => {
                    world.rings[at].fail_often(Operation::Write, 200 + world.below(800));
                    self.host.sleep(world.below(2 * SECOND)).await;
                    world.rings[at].fail_no_more();
                }
                8 if world.has_faults => {
                    world.rings[at].hang();
                    self.host.sleep(world.below(4 * SECOND)).await;
                    world.rings[at].release();
                }
                _ => {}
            }
            let statistics = self.set.statistics();
            world.waits.set(world.waits.get() + u64::from(statistics.waits_for.is_some()));
            if let Some(taken_at) = statistics.taken_at {
                let promises = |at: usize| {
                    let consistency = self.disks.get(at).and_then(|disk| disk.consistency());
                    !self.is_other[at].get() && consistency.is_some_and(|it| it.taken_at == Some(taken_at))
                };
                world.claim.set(Some(Claim { taken_at, is_member: std::array::from_fn(promises) }));
                world.cuts.set(world.cuts.get() + u64::from(before != Some(taken_at)));
                before = Some(taken_at);
            }
            let sum = |disk: &Rc<Disk>| disk.consistency().map_or(0, |consistency| consistency.replays);
            let now = self.disks.iter().map(sum).sum::<u64>();
            world.replays.set(world.replays.get() + now.saturating_sub(replays));
            replays = now;
        }
        Ok(())
    }

    /// Quiesces a disk for a while: its backing is as of the last cut meanwhile.
    async fn pause(&self, at: usize) -> Result<(), String> {
        let (world, disk) = (self.world, &self.disks[at]);
        let acknowledged = world.acknowledged_before(u64::MAX);
        if disk.quiesce().await.is_err() {
            return Ok(());
        }
        let as_of = || disk.consistency().and_then(|consistency| consistency.backing_as_of);
        world.pauses.set(world.pauses.get() + u64::from(as_of().is_some()));
        for _ in 0..world.below(6) {
            let Some(time) = as_of() else { break };
            let (least, most) = world.states_at(time);
            let range = (least.max(acknowledged), most.max(acknowledged));
            let found = world.on_backings();
            if world.state_of(&[at], &found, range, time).is_none() {
                return Err(format!("{:?} is on a quiesced backing, of {range:?}", found[at]));
            }
            self.host.sleep(world.below(500_000_000)).await;
        }
        disk.resume();
        Ok(())
    }

    /// Has a disk be in another order of destage for a while: it promises nothing then, and the others go on.
    async fn leave_promise(&self, at: usize) {
        let (world, disk) = (self.world, &self.disks[at]);
        world.drop_claim(at);
        self.is_other[at].set(true);
        self.cache.reconfigure(disk, in_order(world, at, DestageOrder::Address)).expect("it fits");
        self.host.sleep(world.below(800_000_000)).await;
        let is_left = world.below(2) == 0 && disk.leave_redo_ring().await.is_ok();
        self.host.sleep(world.below(800_000_000)).await;
        // What is on the backing is not in the order of the logs.
        self.flush_all().await;
        self.cache.reconfigure(disk, in_order(world, at, DestageOrder::Consistent)).expect("it fits");
        if is_left {
            let ring = self.hand_over(at).await;
            disk.set_redo_ring(ring, self.wall_clock());
        }
        self.is_other[at].set(false);
    }

    /// Has a disk be alone for a while.
    async fn leave_set(&self, at: usize) {
        let (world, disk) = (self.world, &self.disks[at]);
        world.drop_claim(at);
        self.is_other[at].set(true);
        if disk.leave_set().await.is_ok() {
            self.set.set_expected(world.disks as u32 - 1);
            self.host.sleep(world.below(2 * SECOND)).await;
            self.flush_all().await;
            disk.join_set(&self.set).expect("it has no other one");
            self.set.set_expected(world.disks as u32);
        }
        self.is_other[at].set(false);
    }
}

/// Runs a process: judges what a guest reads at its start, and goes on.
async fn serve(world: &World, host: &LocalHost, life: u64) -> Result<(), String> {
    let marks = SessionIds { new: life + 1, known: (0..=life).collect(), epoch: None };
    let flash = world.flash.reopen(host.clone());
    let cache = Cache::open(vec![flash], host.clone(), &marks).await.expect("a pool is there").cache;
    let set = ConsistencySet::new(SET, world.disks as u32);
    let mut process =
        Process { world, host: host.clone(), cache, set, disks: Vec::new(), is_other: Default::default() };
    let mut found = [[0; PAGES as usize]; DISKS];
    for (at, content) in found.iter_mut().enumerate().take(world.disks) {
        // Others wait meanwhile.
        host.sleep(world.below(SECOND)).await;
        let disk = process.attach(at).await;
        for page in 0..PAGES {
            let (bytes, result) = disk.read(page * PAGE, Buffer::zeroed(PAGE as usize)).await;
            result.expect("nothing fails");
            content[page as usize] = value_of(&bytes);
        }
        process.disks.push(disk);
        if world.below(4) == 0 {
            // It has to wait for the others.
            let ours = Rc::clone(&process.disks[at]);
            host.spawn(async move { drop(ours.quiesce().await.map(|()| ours.resume())) });
        }
    }
    judge_start(world, &found, process.now())?;
    for device in world.devices() {
        device.delay(20_000, 20_000 + world.below(10_000_000));
    }
    if world.below(6) == 0 {
        // Groups take longer than overwritten versions are kept for them.
        world.rings[world.disk()].delay(20_000, SECOND);
    }
    try_join(process.guest(), process.administrator()).await?;
    Ok(())
}

/// Checks what a guest reads after a start with the flash. It is what the history goes on from; recoveries may find what was before.
fn judge_start(world: &World, found: &Content, now: u64) -> Result<(), String> {
    let is_power_cut = world.is_power_cut.take();
    let last = world.states.borrow().len() - 1;
    for at in 0..world.disks {
        let claimed = world.claim.get().filter(|claim| claim.is_member[at]);
        let claimed = claimed.map_or(0, |claim| world.acknowledged_before(claim.taken_at));
        let acknowledged = world.acknowledged_before(u64::MAX);
        let least = if is_power_cut { world.flushed[at].get().max(claimed) } else { acknowledged };
        let until = if is_power_cut { 0 } else { u64::MAX };
        if world.state_of(&[at], found, (least, last), until).is_none() {
            return Err(format!("a guest reads {:?} of {at}: no state from {least} to {last}", found[at]));
        }
    }
    let mut states = world.states.borrow_mut();
    states.push(State { began: now, ended: Some(now), content: *found });
    if is_power_cut {
        for flushed in &world.flushed {
            flushed.set(states.len() - 1);
        }
    }
    Ok(())
}

fn end_devices(world: &World, is_power_cut: bool) {
    for device in world.devices() {
        device.fail_no_more();
        device.release();
        device.end_process(is_power_cut);
        device.delay(0, 0);
    }
}

/// Makes a pool and the rings.
async fn prepare(world: &World, host: &LocalHost) {
    let shape = Shape { segment_bytes: SEGMENT, region_bytes: 64 * PAGE };
    cache::format(&world.flash.reopen(host.clone()), POOL, Some(shape)).await.expect("it fits");
    for (at, ring) in world.rings.iter().enumerate() {
        let owner = RingOwner { pool: POOL.0, disk: at as u64 + 1 };
        let id = RingId([at as u8; 16]);
        RedoRing::create(ring.reopen(host.clone()), id, owner).await.map(drop).expect("it fits");
    }
}

fn walk(seed: u64) -> Result<(), String> {
    walk_in(&World::new(seed), seed)
}

fn walk_in(world: &World, seed: u64) -> Result<(), String> {
    let executor = Executor::new(VirtualTime::new(), Order::Seeded(seed));
    let host = executor.host();
    executor.run(prepare(world, &host)).expect("it ends");
    drop(executor);
    for life in 0..6 {
        let executor = Executor::new(VirtualTime::new(), Order::Seeded(seed ^ (life + 1) << 40));
        let host = executor.host();
        let deadline = world.below(15 * SECOND);
        let ran = executor.run(async {
            let serving = pin!(serve(world, &host, life));
            let judged = match select(serving, pin!(host.sleep(deadline))).await {
                Either::Left((judged, _)) => judged,
                Either::Right(_) => Ok(()),
            };
            judged.map(|()| host.now())
        });
        let took = ran.ok_or("everything waits for something that never happens")??;
        drop(executor);
        world.elapsed.set(world.elapsed.get() + took + 1);
        let end = world.below(if life == 5 { 2 } else { 6 });
        let is_power_cut = matches!(end, 1..=3);
        end_devices(world, is_power_cut);
        if is_power_cut {
            world.is_power_cut.set(true);
            world.touched.borrow_mut().fill(None);
        }
        if end < 2 {
            return judge_recovery(world);
        }
    }
    Ok(())
}

/// Checks what is left without the flash. Some attempts to recover it end halfway.
fn judge_recovery(world: &World) -> Result<(), String> {
    let Some(claim) = world.claim.get().filter(|claim| claim.is_member.contains(&true)) else {
        return Ok(());
    };
    let members: Vec<usize> = (0..DISKS).filter(|at| claim.is_member[*at]).collect();
    let done: Cell<Option<CutSummary>> = Cell::default();
    for attempt in 0..3 {
        let executor = Executor::new(VirtualTime::new(), Order::Seeded(world.rng.borrow_mut().draw()));
        let host = executor.host();
        for device in world.devices() {
            device.delay(1_000, 60_000);
        }
        let deadline = if attempt == 2 { u64::MAX / 4 } else { world.below(1_500_000) };
        let recovered = executor.run(async {
            let recovering = pin!(recover_all(world, &host, &members));
            match select(recovering, pin!(host.sleep(deadline))).await {
                Either::Left((recovered, _)) => Some(recovered),
                Either::Right(_) => None,
            }
        });
        drop(executor);
        match recovered.expect("it ends") {
            None => world.repeated.set(world.repeated.get() + 1),
            Some(Err(error)) => return Err(format!("{claim:?} was promised: {error}")),
            Some(Ok(cut)) if done.get().is_some_and(|done| done != cut) => {
                return Err(format!("a recovery ended with {done:?}, and the next one with {cut:?}"));
            }
            Some(Ok(cut)) => done.set(Some(cut)),
        }
        end_devices(world, world.below(2) == 0);
    }
    let taken_at = done.get().expect("the last one ends").taken_at;
    if taken_at < claim.taken_at {
        return Err(format!("{claim:?} was promised, and it is as of {taken_at}"));
    }
    world.recovered.set(world.recovered.get() + 1);
    let (content, range) = (world.on_backings(), world.states_at(taken_at));
    match world.state_of(&members, &content, range, taken_at) {
        Some(_) => Ok(()),
        None => Err(format!("{content:?} of {members:?} is a mix: it is no state of {range:?}")),
    }
}

async fn recover_all(world: &World, host: &LocalHost, members: &[usize]) -> Result<CutSummary, String> {
    let (mut rings, mut backings) = (Vec::new(), Vec::new());
    for at in members {
        let ring = RedoRing::open(world.rings[*at].reopen(host.clone())).await;
        rings.push(ring.map_err(|error| error.to_string())?);
        backings.push(world.backings[*at].reopen(host.clone()));
    }
    let sizes: Vec<_> = rings.iter().map(|ring| (ring, PAGES * PAGE)).collect();
    let pairs: Vec<_> = rings.iter().zip(&backings).collect();
    let completeness = match verify_set(&sizes, SetCompleteness::Whole).await {
        // One of them left the promise, and no cut without it counts yet.
        Err(error) if matches!(error.error, RingError::MembersMissing { .. }) => SetCompleteness::Part,
        _ => SetCompleteness::Whole,
    };
    let recovered = recover_set(&pairs, completeness).await;
    recovered.map(|recovered| recovered.cut).map_err(|error| format!("ring {:?}: {error}", error.member))
}

#[test]
fn without_the_flash_all_disks_of_a_set_are_as_of_one_instant() {
    let [mut cuts, mut waits, mut replays, mut pauses, mut repeated, mut recovered] = [0; 6];
    for seed in 0..seeds() {
        let world = World::new(seed);
        if let Err(what) = walk_in(&world, seed) {
            panic!("seed {seed}: {what}");
        }
        cuts += world.cuts.get();
        waits += world.waits.get();
        replays += world.replays.get();
        pauses += world.pauses.get();
        repeated += world.repeated.get();
        recovered += world.recovered.get();
    }
    println!(
        "{cuts} cuts seen, {waits} waits, {replays} replays, {pauses} pauses, {recovered} recoveries, {repeated} ended halfway"
    );
    assert!(cuts > 5 * SEEDS && waits > SEEDS && replays > 0 && pauses > SEEDS / 2);
    assert!(recovered > SEEDS / 2 && repeated > SEEDS / 4);
}

/// Attaches two disks of a set for which three disks are expected, or fewer, and runs a story.
fn story(expected: u32, run: &impl AsyncFn(&World, &Process<'_>)) {
    let world = World::new(0);
    let executor = Executor::new(VirtualTime::new(), Order::Seeded(1));
    let host = executor.host();
    let ran = executor.run(async {
        prepare(&world, &host).await;
        let marks = SessionIds { new: 1, known: vec![0], epoch: None };
        let flash = world.flash.reopen(host.clone());
        let cache = Cache::open(vec![flash], host.clone(), &marks).await.expect("a pool is there").cache;
        let set = ConsistencySet::new(SET, expected);
        let is_other = Default::default();
        let mut process =
            Process { world: &world, host: host.clone(), cache, set, disks: Vec::new(), is_other };
        for at in 0..2 {
            process.disks.push(process.attach(at).await);
        }
        for device in world.devices() {
            device.delay(1_000, 100_000);
        }
        run(&world, &process).await;
    });
    assert!(ran.is_some(), "everything waits for something that never happens");
}

#[test]
fn no_group_counts_until_all_disks_of_the_set_are_attached() {
    story(3, &async |_: &World, process: &Process<'_>| {
        process.host.sleep(5 * SECOND).await;
        let found = process.set.statistics();
        assert_eq!((found.taken_at, found.attached), (None, 2));
        assert_eq!(found.waits_for, Some(SetWait::NotAttached(1)));
        let failure = process.disks[1].consistency().and_then(|it| it.failure);
        assert_eq!(failure, Some(RingError::WaitsForMissing { missing: 1 }));
        process.set.set_expected(2);
        process.host.sleep(SECOND).await;
        let found = process.set.statistics();
        assert_eq!((found.taken_at.is_some(), found.promising, found.waits_for), (true, 2, None));
    });
}

#[test]
fn a_ring_that_hangs_or_fails_holds_back_the_groups_of_the_other_disk_which_says_so() {
    story(2, &async |world: &World, process: &Process<'_>| {
        let write = async || process.disks[1].write(0, Buffer::zeroed(PAGE as usize)).await.1;
        process.host.sleep(2 * SECOND).await;
        let first = process.set.statistics().taken_at.expect("a cut counts");
        world.rings[0].hang();
        write().await.expect("flash takes it");
        process.host.sleep(5 * SECOND).await;
        let found = process.set.statistics();
        assert_eq!((found.taken_at, found.waits_for), (Some(first), Some(SetWait::Disk(DiskId(1)))));
        world.rings[0].release();
        process.host.sleep(SECOND).await;
        let second = process.set.statistics().taken_at.expect("a cut counts");
        assert!(second > first);
        world.rings[0].fail_often(Operation::Write, 1000);
        write().await.expect("flash takes it");
        process.host.sleep(5 * SECOND).await;
        assert_eq!(process.set.statistics().taken_at, Some(second));
        let failure = |at: usize| process.disks[at].consistency().and_then(|it| it.failure);
        assert_eq!(failure(1), Some(RingError::WaitsForDisk { disk: 1 }));
        assert!(matches!(failure(0), Some(RingError::Storage(_))));
        // Alone, it goes on.
        process.disks[1].leave_set().await.expect("its own ring works");
        process.host.sleep(2 * SECOND).await;
        let alone = process.disks[1].consistency().expect("it has a ring");
        assert!(alone.taken_at > Some(second) && alone.set.is_none() && alone.failure.is_none());
        world.rings[0].fail_no_more();
    });
}

/// Returns the number of seeds of the walks.
fn seeds() -> u64 {
    std::env::var("FOREBAY_SET_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(SEEDS)
}

#[test]
fn walks_find_each_rule_of_consistency_sets_that_is_broken() {
    let plants: [(&str, Option<Bug>, Option<redo::Bug>); 4] = [
        ("CountsAlone", Some(Bug::CountsAlone), None),
        ("CutNotAtOnce", Some(Bug::CutNotAtOnce), None),
        ("AboveTarget", None, Some(redo::Bug::AboveTarget)),
        ("TargetsOneByOne", None, Some(redo::Bug::TargetsOneByOne)),
    ];
    for (name, of_cache, of_redo) in plants {
        canary::plant(of_cache);
        redo::plant(of_redo);
        let found = (0..20 * SEEDS).find_map(|seed| walk(seed).err().map(|what| (seed, what)));
        canary::plant(None);
        redo::plant(None);
        let (seed, what) = found.unwrap_or_else(|| panic!("no seed finds {name}"));
        println!("{name}: seed {seed}: {what}");
    }
}
