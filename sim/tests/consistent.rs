//! Consistent write-back: walks of a guest on the real cache with a redo ring. A process ends by a kill or a power cut, and at last the flash
//! is lost. The backing, with the ring applied, has to be the disk as of the time of the last group: all that was acknowledged before, and
//! nothing that began after. A backing with atomic flushes gets the groups itself, and has to be that by itself, at any time.

use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::rc::Rc;
use std::sync::atomic::AtomicU64;

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::faulty::{Faults, Faulty};
use block::{BlockDevice, Buffer, ByteRange, Geometry, Host, Memory, PAGE, Unmap};
use cache::types::canary::{self, Bug};
use cache::{
    Cache, CachedDisk, DestageOrder, DiskId, DiskSettings, Mode, PoolId, RecoveryContext, RecoveryTrust,
    SessionIds, Shape, WallClock, words_for,
};
use futures_util::future::{Either, select, try_join};
use redo::{RedoRing, RingError, RingId, RingOwner, recover};
use sim::Rng;
use sim::atomic::{AtomicFault, AtomicFaults, WalkBacking, WalkBackingFaults};

const POOL: PoolId = PoolId([3; 16]);
const SEGMENT: u64 = 32 << 10;
const FLASH_BYTES: u64 = (32 << 10) + 44 * SEGMENT;
const PAGES: u64 = 24;
const RING: RingId = RingId([4; 16]);
const OWNER: RingOwner = RingOwner { pool: POOL.0, disk: 1 };
/// Pages of rings, behind the directory: in the small ones room is short all the time.
const RING_PAGES: [u64; 4] = [200, 64, 40, 20];
const SECOND: u64 = 1_000_000_000;
/// Seeds of the walks without a bug; those with one have twenty times as many.
const SEEDS: u64 = 300;

type Env = (WalkBacking, Faulty<LocalHost>, LocalHost);
type Content = [u64; PAGES as usize];

/// Content of the disk after a change of the guest.
#[derive(Clone, Copy)]
struct State {
    began: u64,
    /// None while the change is not acknowledged.
    ended: Option<u64>,
    content: Content,
}

struct World {
    flash: Faults,
    backing: WalkBackingFaults,
    ring: Faults,
    /// Each state that the disk was in, the first being that of an empty backing. The last may not be acknowledged.
    states: RefCell<Vec<State>>,
    /// Place of the last state that a flush of the guest covered.
    flushed: Cell<usize>,
    /// Time of the last group that a process saw; none while nothing is promised.
    promised: Cell<Option<u64>>,
    touched: RefCell<Option<Rc<Box<[AtomicU64]>>>>,
    /// Nanoseconds of the processes before.
    elapsed: Cell<u64>,
    rng: RefCell<Rng>,
    next: Cell<u64>,
    ring_pages: u64,
    /// Destage has a limit.
    is_slow: bool,
    /// Limit of the age of writes that no group has.
    age_max_ns: Option<u64>,
    /// True once a group may have been too large for the ring: then the promise may end at any time.
    may_end: Cell<bool>,
    replays: Cell<u64>,
    /// Pauses of destage, and those that ended early.
    pauses: Cell<[u64; 2]>,
    /// Snapshots that were made of the backing.
    snapshots: Cell<u64>,
    dirty_limit_bytes: Option<u64>,
    /// Times of all groups that began.
    begun: Rc<RefCell<Vec<u64>>>,
    /// Times that everything was clean at the end of a process.
    rests: Cell<u64>,
}

/// Place where the groups of a walk go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Groups {
    Ring,
    Backing,
}

impl World {
    fn new(seed: u64, groups: Groups) -> Self {
        let mut rng = Rng::new(seed);
        let ring_pages = RING_PAGES[(seed % 4) as usize];
        let geometry = Geometry { physical_block: 4096, unmaps: true, ..Geometry::plain(PAGES * PAGE) };
        Self {
            flash: Faults::new(Memory::new(FLASH_BYTES), rng.draw()),
            backing: match groups {
                Groups::Ring => {
                    WalkBackingFaults::Plain(Faults::new(Memory::with_geometry(geometry), rng.draw()))
                }
                Groups::Backing => WalkBackingFaults::Atomic(AtomicFaults::new(
                    Geometry { physical_block: [512, 4096, 8192][(seed % 3) as usize], ..geometry },
                    rng.draw(),
                )),
            },
            ring: Faults::new(Memory::new((32 << 10) + ring_pages * PAGE), rng.draw()),
            states: RefCell::new(vec![State { began: 0, ended: Some(0), content: [0; PAGES as usize] }]),
            flushed: Cell::default(),
            promised: Cell::default(),
            touched: RefCell::default(),
            elapsed: Cell::new(1),
            rng: RefCell::new(rng),
            next: Cell::new(1),
            ring_pages,
            is_slow: seed % 8 >= 4,
            age_max_ns: [None, Some(SECOND), Some(4 * SECOND)][(seed / 8 % 3) as usize],
            may_end: Cell::default(),
            replays: Cell::default(),
            pauses: Cell::default(),
            snapshots: Cell::default(),
            dirty_limit_bytes: (groups == Groups::Backing && seed.is_multiple_of(3)).then_some(16 * PAGE),
            begun: Rc::default(),
            rests: Cell::default(),
        }
    }

    /// Returns the content of the disk as a guest knows it.
    fn last(&self) -> Content {
        self.states.borrow().last().expect("there is a first one").content
    }

    fn below(&self, end: u64) -> u64 {
        self.rng.borrow_mut().below(end)
    }

    fn atomic(&self) -> Option<&AtomicFaults> {
        self.backing.atomic()
    }

    fn delay(&self, least: u64, most: impl Fn() -> u64) {
        self.flash.delay(least, most());
        self.backing.delay(least, most());
        self.ring.delay(least, most());
    }

    /// Records the time of the last group that a process saw.
    fn promise(&self, taken_at: Option<u64>) {
        // A backing that gets groups is never older again.
        self.promised.set(if self.atomic().is_some() { self.promised.get().max(taken_at) } else { taken_at });
    }

    /// Checks that a backing with atomic flushes is the disk as of a group that is not older than the last one that a process saw, or as of
    /// a flush while changes went past the log.
    fn judge_atomic(&self) -> Result<(), String> {
        let (found, promised) = (self.on_backing(), self.promised.get());
        let is_of_group = self.begun.borrow().iter().rev().any(|time| {
            let [least, most] = self.states_at(*time);
            Some(*time) >= promised && self.state_of(&found, least, most, *time).is_some()
        });
        let least = promised.map_or(0, |promised| self.acknowledged_before(promised));
        let last = self.states.borrow().len() - 1;
        if is_of_group || self.state_of(&found, least, last, u64::MAX).is_some() {
            return Ok(());
        }
        Err(format!("{found:?} is on the backing: it is no state from {least} to {last}"))
    }

    /// Returns the last of the states from `least` to `most` in which a content that was found may be: a change that was not acknowledged by
    /// `until` may be there in part.
    fn state_of(&self, found: &Content, least: usize, most: usize, until: u64) -> Option<usize> {
        let states = self.states.borrow();
        (least..=most.min(states.len() - 1)).rev().find(|at| {
            let state = states[*at];
            let is_partial = *at > 0 && state.ended.is_none_or(|ended| ended >= until);
            let before = if is_partial { states[*at - 1].content } else { state.content };
            let mut pages = found.iter().zip(before).zip(state.content);
            pages.all(|((found, before), after)| {
                // A page whose sectors are of both is none of them.
                let is_torn = before != after && *found == u64::MAX;
                *found == before || *found == after || is_torn
            })
        })
    }

    /// Continues from a state that was found: what came after is over.
    fn continue_from(&self, at: usize, found: Content, now: u64) {
        let mut states = self.states.borrow_mut();
        states.truncate(at + 1);
        let last = states.last_mut().expect("there is a first one");
        // A torn page reads as it is from now on.
        last.content = found;
        last.ended.get_or_insert(now);
        self.flushed.set(self.flushed.get().min(at));
    }

    /// Returns the place of the last state that was acknowledged before a time.
    fn acknowledged_before(&self, time: u64) -> usize {
        self.states
            .borrow()
            .iter()
            .rposition(|state| state.ended.is_some_and(|ended| ended < time))
            .unwrap_or(0)
    }

    /// Returns the places of the first and the last state that a disk as of a time may be in.
    fn states_at(&self, time: u64) -> [usize; 2] {
        let most = self.states.borrow().iter().rposition(|state| state.began <= time).unwrap_or(0);
        [self.acknowledged_before(time), most]
    }

    fn on_backing(&self) -> Content {
        std::array::from_fn(|page| {
            let mut bytes = [0; PAGE as usize];
            self.backing.peek(page as u64 * PAGE, &mut bytes);
            value_of(&bytes)
        })
    }

    fn recovery(&self) -> RecoveryContext {
        let (belief, touched) = {
            let mut touched = self.touched.borrow_mut();
            let belief = if touched.is_some() { RecoveryTrust::ByPage } else { RecoveryTrust::ByRegion };
            let words = || (0..words_for(PAGES * PAGE)).map(|_| AtomicU64::new(0)).collect();
            (belief, Rc::clone(touched.get_or_insert_with(|| Rc::new(words()))))
        };
        RecoveryContext { belief, touched, granted: true, ..RecoveryContext::none(PAGES * PAGE) }
    }
}

fn bytes_of(value: u64) -> Vec<u8> {
    value.to_le_bytes().repeat(PAGE as usize / 8)
}

/// Returns the value that fills a page; the largest number if none does.
fn value_of(bytes: &[u8]) -> u64 {
    let mut words = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
    let first = words.next().expect("a page");
    if words.all(|word| word == first) { first } else { u64::MAX }
}

fn in_order(world: &World, destage_order: DestageOrder) -> DiskSettings {
    DiskSettings {
        // Room in the ring is short if destage is slower than guests.
        destage_rate_max: match (world.is_slow, world.atomic()) {
            (false, _) => 0,
            (true, None) => 2 * PAGE,
            (true, Some(_)) => 16 * PAGE,
        },
        dirty_limit_bytes: world.dirty_limit_bytes,
        mode: Mode::WriteBack,
        reserve_bytes: 32 * SEGMENT,
        limit_bytes: 40 * SEGMENT,
        ram_bytes: 16 * PAGE,
        destage_order,
        consistent_age_max_ns: world.age_max_ns,
        // Some rings take a second for each request.
        retry_ns: Some(60 * SECOND),
        ..DiskSettings::plain(DiskId(1))
    }
}

/// Guest of one process: a request after another. Returns what it read that it should not have.
async fn guest(world: &World, host: &LocalHost, disk: &CachedDisk<Env>) -> Result<(), String> {
    let now = || host.now() + world.elapsed.get();
    for _ in 0..if world.is_slow { 120 } else { 60 } {
        host.sleep(world.below(if world.is_slow { 200_000_000 } else { 400_000_000 })).await;
        match world.below(13) {
            10.. => {
                let page = world.below(PAGES);
                let (bytes, result) = disk.read(page * PAGE, Buffer::zeroed(PAGE as usize)).await;
                result.expect("nothing fails");
                let [found, expected] = [value_of(&bytes), world.last()[page as usize]];
                // A page that a power cut tore reads as anything.
                if found != expected && expected != u64::MAX {
                    return Err(format!("a guest reads {found} in page {page}, and not {expected}"));
                }
            }
            0 => {
                let last = world.states.borrow().len() - 1;
                if disk.flush().await.is_ok() {
                    world.flushed.set(last);
                }
            }
            kind => {
                // Some pages are overwritten all the time, in most groups.
                let first = world.below(if world.is_slow && kind < 8 { 4 } else { PAGES });
                let most = if world.below(40) == 0 { PAGES } else { 4 };
                let pages = 1 + world.below(most).min(PAGES - first - 1);
                if pages + 2 > world.ring_pages {
                    world.may_end.set(true);
                }
                let value = if kind < 3 { 0 } else { world.next.replace(world.next.get() + 1) };
                let mut content = world.last();
                content[first as usize..(first + pages) as usize].fill(value);
                world.states.borrow_mut().push(State { began: now(), ended: None, content });
                let at = first * PAGE;
                let range = ByteRange::at(at, pages * PAGE);
                let change = async || match kind {
                    1 => disk.write_zeroes(range, Unmap::Forbidden).await,
                    2 => disk.write_zeroes(range, Unmap::Allowed).await,
                    _ => disk.write(at, Buffer::copy_of(&bytes_of(value).repeat(pages as usize))).await.1,
                };
                until_it_works(world, host, change).await;
                let is_direct = disk.consistency().is_none_or(|state| state.taken_at.is_none());
                if is_direct {
                    // It may have gone to the backing, where a power cut takes any part of what no flush covers.
                    until_it_works(world, host, async || disk.flush().await).await;
                    world.flushed.set(world.states.borrow().len() - 1);
                }
                world.states.borrow_mut().last_mut().expect("it was pushed").ended = Some(now());
            }
        }
    }
    Ok(())
}

/// Repeats a request until it succeeds. Without faults it does at once.
async fn until_it_works(
    world: &World,
    host: &LocalHost,
    request: impl AsyncFn() -> Result<(), block::BlockError>,
) {
    for _ in 0..100 {
        match request().await {
            Ok(()) => return,
            Err(error) => assert!(world.atomic().is_some(), "nothing fails: {error}"),
        }
        // One that was not answered has landed by then: it would overwrite anything newer.
        host.sleep(SECOND).await;
    }
    panic!("a request fails, although the backing does not any more");
}

/// Administrator and time: the disk is quiesced, or has another order of destage for a while; what was promised is noted; the servers of ring
/// and backing restart.
async fn administrator(
    world: &World,
    host: &LocalHost,
    cache: &Cache<Env>,
    disk: &Rc<CachedDisk<Env>>,
) -> Result<(), String> {
    let mut replays = 0;
    for _ in 0..80 {
        host.sleep(world.below(300_000_000)).await;
        match world.below(14) {
            0 if !world.is_slow || world.below(3) == 0 => {
                // Changes go to the backing then, and the ring is void.
                world.promise(None);
                if let Some(backing) = world.atomic() {
                    backing.heal();
                }
                let destaged = disk.destage_all().await;
                assert!(destaged.is_ok() || world.atomic().is_some(), "nothing fails: {destaged:?}");
                host.sleep(world.below(500_000_000)).await;
                disk.resume();
            }
            kind @ (1 | 2 | 4 | 6 | 7) if let Some(backing) = world.atomic() => {
                trouble(world, host, cache, disk, backing, kind).await;
            }
            1 => world.ring.lose_volatile(),
            // What went to the backing past the ring is flushed then.
            2 if disk.consistency().is_some_and(|state| state.taken_at.is_some()) => {
                world.backing.lose_volatile();
            }
            3 => disk.start_destage(),
            5 => pause(world, host, disk).await?,
            8 if world.atomic().is_some() => snapshot(world, host, disk).await?,
            4 if world.below(4) == 0 => {
                world.promise(None);
                cache.reconfigure(disk, in_order(world, DestageOrder::Address)).expect("it fits");
                host.sleep(world.below(500_000_000)).await;
                let is_left = world.below(2) == 0;
                if is_left {
                    disk.leave_redo_ring().await.expect("nothing fails");
                    assert_eq!(disk.consistency(), None);
                    host.sleep(world.below(500_000_000)).await;
                }
                cache.reconfigure(disk, in_order(world, DestageOrder::Consistent)).expect("it fits");
                if is_left {
                    let ring = RedoRing::open(ring_of(world, host)).await.expect("a ring is there");
                    disk.set_redo_ring(ring, wall_clock(world, host));
                }
            }
            _ => {}
        }
        let consistency = disk.consistency().expect("it has a ring");
        world.replays.set(world.replays.get() + consistency.replays - replays);
        replays = consistency.replays;
        world.promise(consistency.taken_at);
        if world.atomic().is_some() {
            world.judge_atomic()?;
        }
    }
    Ok(())
}

/// Has something happen to a backing that gets groups.
async fn trouble(
    world: &World,
    host: &LocalHost,
    cache: &Cache<Env>,
    disk: &Rc<CachedDisk<Env>>,
    backing: &AtomicFaults,
    kind: u64,
) {
    match kind {
        4 if world.below(2) == 0 => {
            // Everything is destaged, and changes go to the backing then.
            backing.heal();
            let settings = in_order(world, DestageOrder::Address);
            let through = DiskSettings { mode: Mode::WriteThrough, ..settings };
            cache.reconfigure(disk, through).expect("it fits");
            host.sleep(world.below(1_500_000_000)).await;
            cache.reconfigure(disk, settings).expect("it fits");
        }
        6 => drop(disk.flush_for_ourselves().await),
        // Mostly one of a group.
        1 | 2 | 7 if disk.consistency().is_some_and(|state| state.taken_at.is_some()) => {
            backing.inject(match world.below(8) {
                0..3 => AtomicFault::Change,
                3 | 4 => AtomicFault::ChangeUnanswered,
                5 => AtomicFault::FlushBefore,
                6 => AtomicFault::FlushAfter,
                _ => AtomicFault::Hang(world.below(4 * SECOND)),
            });
        }
        _ => {}
    }
}

/// Quiesces the disk for a while. In consistent write-back the backing is the disk as of one time meanwhile, also after its server lost what
/// was not flushed.
async fn pause(world: &World, host: &LocalHost, disk: &Rc<CachedDisk<Env>>) -> Result<(), String> {
    let acknowledged = world.acknowledged_before(u64::MAX);
    if disk.quiesce().await.is_err() {
        // Its ring takes no group.
        return if world.may_end.get() || world.atomic().is_some() {
            Ok(())
        } else {
            Err("a disk is not quiesced".to_owned())
        };
    }
    let as_of = || disk.consistency().expect("it has a ring").backing_as_of;
    let [mut pauses, mut ended] = world.pauses.get();
    pauses += u64::from(as_of().is_some());
    if as_of().is_some() && world.below(2) == 0 {
        world.backing.lose_volatile();
    }
    for _ in 0..world.below(12) {
        let Some(as_of) = as_of() else { break };
        let (found, [least, most]) = (world.on_backing(), world.states_at(as_of));
        // A change that changed nothing is in no group: zeroes over zeroes.
        let (least, most) = (least.max(acknowledged), most.max(acknowledged));
        if world.state_of(&found, least, most, as_of).is_none() {
            return Err(format!("{found:?} is on a quiesced backing: it is no state from {least} to {most}"));
        }
        host.sleep(world.below(500_000_000)).await;
    }
    ended += u64::from(!disk.resume());
    world.pauses.set([pauses, ended]);
    Ok(())
}

/// Does what a snapshot of the backing needs: a flush of its own makes durable what it has, which is the disk as of one time with all that was
/// acknowledged before. If that time is known, nothing changes it meanwhile, and guests go on.
async fn snapshot(world: &World, host: &LocalHost, disk: &Rc<CachedDisk<Env>>) -> Result<(), String> {
    let acknowledged = world.acknowledged_before(u64::MAX);
    let (rest, ours, sleeping) = (world.below(500_000_000), Rc::clone(disk), host.clone());
    let durable: Rc<Cell<[Option<Content>; 2]>> = Rc::default();
    let seen = Rc::clone(&durable);
    let faults = world.atomic().expect("it is one").clone();
    let content = move || {
        std::array::from_fn(|page| {
            let mut bytes = [0; PAGE as usize];
            faults.peek(page as u64 * PAGE, &mut bytes);
            value_of(&bytes)
        })
    };
    let work = async move {
        let flushed = ours.backing().flush().await;
        let first = content();
        sleeping.sleep(rest).await;
        let flushed = flushed.and(ours.backing().flush().await);
        seen.set([Some(first), Some(content())]);
        flushed
    };
    let Ok((Ok(()), as_of)) = disk.with_settled_backing(work).await else { return Ok(()) };
    let [Some(first), Some(last)] = durable.get() else { return Err("a snapshot was not made".to_owned()) };
    world.snapshots.set(world.snapshots.get() + 1);
    if as_of.is_some() && first != last {
        return Err(format!("{first:?} became {last:?} while a snapshot was made"));
    }
    let (least, most) = match as_of {
        Some(time) => {
            let [least, most] = world.states_at(time);
            (least.max(acknowledged), most.max(acknowledged))
        }
        None => (acknowledged, world.states.borrow().len() - 1),
    };
    match world.state_of(&first, least, most, as_of.unwrap_or(u64::MAX)) {
        Some(_) => Ok(()),
        None => Err(format!("{first:?} is in a snapshot: it is no state from {least} to {most}")),
    }
}

/// Returns the clock of the world for a process that runs on `host`.
fn wall_clock(world: &World, host: &LocalHost) -> WallClock {
    let (host, elapsed, begun) = (host.clone(), world.elapsed.get(), Rc::clone(&world.begun));
    Rc::new(move || {
        begun.borrow_mut().push(host.now() + elapsed);
        host.now() + elapsed
    })
}

/// Runs a process: judges what a guest reads at its start, and goes on.
async fn serve(world: &World, host: &LocalHost, life: u64, is_power_cut: bool) -> Result<(), String> {
    let marks = SessionIds { new: life + 1, known: (0..=life).collect(), epoch: None };
    let flash = world.flash.reopen(host.clone());
    let opened = Cache::open(vec![flash], host.clone(), &marks).await.expect("a pool is there");
    let cache = opened.cache;
    let backing = world.backing.reopen(host.clone());
    let disk = cache
        .attach(in_order(world, DestageOrder::Consistent), backing, world.recovery())
        .await
        .expect("it fits");
    if world.atomic().is_some() {
        disk.set_wall_clock(wall_clock(world, host));
    } else {
        let ring = RedoRing::open(ring_of(world, host)).await.expect("a ring is there");
        disk.set_redo_ring(ring, wall_clock(world, host));
    }
    let mut content = [0; PAGES as usize];
    for page in 0..PAGES {
        let (bytes, result) = disk.read(page * PAGE, Buffer::zeroed(PAGE as usize)).await;
        result.expect("nothing fails");
        content[page as usize] = value_of(&bytes);
    }
    judge_start(world, &content, is_power_cut, host.now() + world.elapsed.get())?;
    world.delay(20_000, || 20_000 + world.below(20_000_000));
    if world.below(3) == 0 {
        // Clean pages are read from the backing, too.
        world.flash.delay(20_000, 50_000_000);
    }
    if world.below(8) == 0 {
        // Groups take longer than overwritten versions are kept for them.
        world.ring.delay(20_000, SECOND);
        if let Some(backing) = world.atomic() {
            backing.delay(20_000, SECOND);
        }
    }
    // The first error ends it: later ones may be consequences, and the process may end before both are done.
    try_join(guest(world, host, &disk), administrator(world, host, &cache, &disk)).await?;
    if let Some(backing) = world.atomic() {
        backing.heal();
        at_rest(world, host, &disk).await?;
    }
    Ok(())
}

/// Waits until everything is clean, because nothing fails any more and no guest writes. Then the backing has it.
async fn at_rest(world: &World, host: &LocalHost, disk: &CachedDisk<Env>) -> Result<(), String> {
    disk.resume();
    for _ in 0..60 {
        host.sleep(SECOND).await;
        if !disk.holds_dirty() {
            disk.flush().await.map_err(|error| error.to_string())?;
            world.rests.set(world.rests.get() + 1);
            let (found, last) = (world.on_backing(), world.states.borrow().len() - 1);
            return match world.state_of(&found, last, last, u64::MAX) {
                Some(_) => Ok(()),
                None => Err(format!("{found:?} is on the backing when nothing is dirty")),
            };
        }
    }
    Err("something stays dirty".to_owned())
}

fn ring_of(world: &World, host: &LocalHost) -> WalkBacking {
    WalkBacking::Plain(world.ring.reopen(host.clone()))
}

/// Runs a seed. Returns what went wrong.
fn walk(seed: u64, groups: Groups) -> Result<(), String> {
    walk_in(&World::new(seed, groups), seed)
}

fn walk_in(world: &World, seed: u64) -> Result<(), String> {
    let executor = Executor::new(VirtualTime::new(), Order::Seeded(seed));
    let host = executor.host();
    executor
        .run(async {
            let shape = Shape { segment_bytes: SEGMENT, region_bytes: 64 * PAGE };
            cache::format(&world.flash.reopen(host.clone()), POOL, Some(shape))
                .await
                .expect("it is large enough");
            RedoRing::create(world.ring.reopen(host.clone()), RING, OWNER)
                .await
                .map(drop)
                .expect("nothing fails");
        })
        .expect("it ends");
    drop(executor);
    let mut is_power_cut = false;
    for life in 0..6 {
        let executor = Executor::new(VirtualTime::new(), Order::Seeded(seed ^ (life + 1) << 40));
        let host = executor.host();
        // Some of those with a backing that gets groups come to rest.
        let deadline = world.below(20 * SECOND) * if world.atomic().is_some() { 2 } else { 1 };
        let ran = executor.run(async {
            let serving = pin!(serve(world, &host, life, is_power_cut));
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
        is_power_cut = matches!(end, 1..=3);
        for device in [&world.flash, &world.ring] {
            device.end_process(is_power_cut);
        }
        world.backing.end(is_power_cut);
        world.delay(0, || 0);
        if is_power_cut || world.atomic().is_some() {
            // A backing that gets groups loses what no flush covers with the process.
            world.touched.take();
        }
        if world.atomic().is_some() {
            world.judge_atomic()?;
            if end < 2 {
                return Ok(());
            }
        } else if end < 2 {
            return judge_recovery(world, seed);
        }
    }
    Ok(())
}

/// Checks what a guest reads after a start with the flash, and forgets what a power cut took.
fn judge_start(world: &World, found: &Content, is_power_cut: bool, now: u64) -> Result<(), String> {
    let last = world.states.borrow().len() - 1;
    let promised = world.promised.get().map_or(0, |time| world.acknowledged_before(time));
    let least =
        if is_power_cut { world.flushed.get().max(promised) } else { world.acknowledged_before(u64::MAX) };
    // The log may end within a change that was acknowledged and not flushed.
    let until = if is_power_cut { 0 } else { u64::MAX };
    let at = world.state_of(found, least, last, until);
    let at =
        at.ok_or_else(|| format!("a guest reads {found:?}, which is no state from {least} to {last}"))?;
    world.continue_from(at, *found, now);
    Ok(())
}

/// Checks what is left without the flash.
fn judge_recovery(world: &World, seed: u64) -> Result<(), String> {
    let executor = Executor::new(VirtualTime::new(), Order::Seeded(seed));
    let host = executor.host();
    let recovered = executor.run(async {
        let ring = RedoRing::open(ring_of(world, &host)).await?;
        recover(&ring, &world.backing.reopen(host.clone())).await
    });
    let found = match recovered.expect("it ends") {
        Err(RingError::NotConsistent) if world.promised.get().is_none() || world.may_end.get() => {
            return Ok(());
        }
        Err(error) => return Err(format!("{:?} was promised: {error}", world.promised.get())),
        Ok(found) => found,
    };
    if world.promised.get().is_some_and(|promised| found.taken_at < promised) {
        return Err(format!("{:?} was promised, and it is as of {}", world.promised.get(), found.taken_at));
    }
    if !found.lost.is_empty() {
        return Err(format!("pages {:?} are lost", found.lost));
    }
    let content = world.on_backing();
    let [least, most] = world.states_at(found.taken_at);
    match world.state_of(&content, least, most, found.taken_at) {
        Some(_) => Ok(()),
        None => Err(format!("{content:?} is a mix: it is no state from {least} to {most}")),
    }
}

#[test]
fn without_the_flash_the_backing_is_the_disk_as_of_the_last_group() {
    let (mut replays, mut pauses) = (0, [0, 0]);
    for seed in 0..SEEDS {
        let world = World::new(seed, Groups::Ring);
        if let Err(what) = walk_in(&world, seed) {
            panic!("seed {seed}: {what}");
        }
        replays += world.replays.get();
        pauses = std::array::from_fn(|at| pauses[at] + world.pauses.get()[at]);
    }
    println!("{replays} replays in {SEEDS} walks, and {pauses:?} pauses of destage, and ended early");
    let [paused, ended] = pauses;
    assert!(paused > SEEDS && ended > 0 && ended < paused, "{paused} pauses, {ended} ended early");
    assert!(replays > SEEDS / 10, "{replays} replays in {SEEDS} walks");
}

#[test]
fn a_backing_with_atomic_flushes_is_the_disk_as_of_a_group_at_any_time() {
    let (mut abandoned, mut rests, mut groups, mut pauses, mut snapshots) = (0, 0, 0, 0, 0);
    for seed in 0..seeds() {
        let world = World::new(seed, Groups::Backing);
        if let Err(what) = walk_in(&world, seed) {
            panic!("seed {seed}: {what}");
        }
        abandoned += world.atomic().expect("it is one").abandoned();
        rests += world.rests.get();
        groups += world.begun.borrow().len() as u64;
        pauses += world.pauses.get()[0];
        snapshots += world.snapshots.get();
    }
    println!(
        "{groups} groups, {abandoned} abandoned, {rests} processes at rest, {pauses} pauses, {snapshots} snapshots"
    );
    assert!(snapshots > SEEDS);
    assert!(abandoned > SEEDS && rests > SEEDS / 10 && groups > 10 * SEEDS && pauses > SEEDS / 2);
}

/// Returns the number of seeds of walks to a backing with atomic flushes.
fn seeds() -> u64 {
    std::env::var("FOREBAY_GROUP_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(SEEDS)
}

/// Walks until a seed finds what was planted.
fn find(what: &str, groups: Groups) {
    let found = (0..20 * SEEDS).find_map(|seed| walk(seed, groups).err().map(|found| (seed, found)));
    canary::plant(None);
    redo::plant(None);
    let (seed, found) = found.unwrap_or_else(|| panic!("no seed finds {what}"));
    println!("{what}: seed {seed}: {found}");
}

#[test]
fn walks_find_each_rule_of_consistent_write_back_that_is_broken() {
    let bugs = [
        Bug::AheadOfGroup,
        Bug::GroupOfNewest,
        Bug::DroppedForNewest,
        Bug::GroupBeforeLog,
        Bug::BypassOverRing,
        Bug::DirtyTakenForJournaled,
        Bug::DestageInPause,
        Bug::PauseWithoutReplay,
    ];
    for bug in bugs {
        canary::plant(Some(bug));
        find(&format!("{bug:?}"), Groups::Ring);
    }
}

#[test]
fn walks_find_each_rule_of_groups_that_go_to_the_backing_that_is_broken() {
    let bugs = [
        Bug::GroupOfNewest,
        Bug::GroupBeforeLog,
        Bug::HomeBeforeFlush,
        Bug::GroupNotAbandoned,
        Bug::FlushInGroup,
        Bug::NewerBeforeLate,
        Bug::BypassOverRing,
        Bug::DestageInPause,
        Bug::SnapshotInGroup,
    ];
    for bug in bugs {
        canary::plant(Some(bug));
        find(&format!("{bug:?}"), Groups::Backing);
    }
}

/// That it brings older versions to the backing is found by the walks of the crate `redo`, where guests read all clean pages there.
#[test]
fn walks_find_that_a_replay_does_not_flush() {
    redo::plant(Some(redo::Bug::ReplayNotFlushed));
    find("ReplayNotFlushed", Groups::Ring);
}
