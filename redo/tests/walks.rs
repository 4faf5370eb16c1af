//! Random walks: a cache as small as can be writes groups to a ring, destages what groups have, and ends in one of four ways. Whatever is
//! left has to hold the disk as of an instant that is not older than what was promised.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::rc::Rc;

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::faulty::{Faults, Faulty};
use block::{BlockDevice, Buffer, Host, Memory, PAGE, Unmap};
use futures_util::future::{join, select};
use redo::{
    Bug, Change, GroupContent, RedoRing, RingError, RingId, RingOwner, recover, replay, smallest_bytes,
};

const PAGES: u64 = 5;
/// Seeds of the walks without a bug, and at most of those with a rule broken; with a bug, sixteen times as many.
const SEEDS: u64 = 1_500;
const RING: RingId = RingId([5; 16]);
const OWNER: RingOwner = RingOwner { pool: [6; 16], disk: 1 };

/// A rule that the user of a ring has to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Broken {
    /// Destage takes what no group that counts has.
    WriteAhead,
    /// Groups are released before the backing was flushed.
    ReleasedBeforeFlush,
    /// A group has what the power can still take from the log.
    LogNotDurable,
    /// The next group lacks pages that were dirty at the start.
    NotSentAgain,
    /// Writes go to the backing although the ring still promises something.
    NotVoid,
}

const BROKEN: [Broken; 5] = [
    Broken::WriteAhead,
    Broken::ReleasedBeforeFlush,
    Broken::LogNotDurable,
    Broken::NotSentAgain,
    Broken::NotVoid,
];

type Device = Faulty<LocalHost>;

/// Content of the disk: what each page reads as.
type Content = [u64; PAGES as usize];

struct Rng(u64);

impl Rng {
    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.draw() % end
    }
}

/// A line of the log on flash.
#[derive(Clone, Copy)]
enum Line {
    Dirty(u64, u64),
    Destaged(u64),
}

/// State that outlives a process.
struct World {
    broken: Option<Broken>,
    ring: Faults,
    backing: Faults,
    /// Content after each acknowledged write, the first being all zeroes.
    history: RefCell<Vec<Content>>,
    /// Place in the history that was promised last; none while nothing is.
    claim: Cell<Option<usize>>,
    log: RefCell<Vec<Line>>,
    durable: Cell<usize>,
    next: Cell<u64>,
    consistent: Cell<bool>,
    rng: RefCell<Rng>,
    /// A content that a guest read and should not have, or a failure of a replay.
    misread: RefCell<Option<String>>,
    replays: Cell<u64>,
}

/// State of a process.
#[derive(Default)]
struct Process {
    dirty: RefCell<BTreeMap<u64, u64>>,
    fresh: RefCell<BTreeSet<u64>>,
    /// Version of each page that a group has that counts.
    journaled: RefCell<BTreeMap<u64, u64>>,
    /// Pages of each group that counts and is not released.
    groups: RefCell<BTreeMap<u64, BTreeMap<u64, u64>>>,
    /// The mode is being left or entered: no group, no destage.
    changing: Cell<bool>,
    grouping: Cell<bool>,
    applying: Cell<bool>,
    /// Groups of the process before are needed: no group of this one has what they have.
    keeps_groups: Cell<bool>,
}

/// Returns what a version of a page reads as: every fifth is zeroes.
fn shown(version: u64) -> u64 {
    if version.is_multiple_of(5) { 0 } else { version }
}

fn page_of(version: u64) -> Buffer {
    Buffer::copy_of(&shown(version).to_le_bytes().repeat(PAGE as usize / 8))
}

impl World {
    fn new(seed: u64, broken: Option<Broken>) -> Self {
        let mut rng = Rng(seed);
        Self {
            broken,
            ring: Faults::new(Memory::new(smallest_bytes()), rng.draw()),
            backing: Faults::new(Memory::new(PAGES * PAGE), rng.draw()),
            history: RefCell::new(vec![[0; PAGES as usize]]),
            claim: Cell::new(None),
            log: RefCell::default(),
            durable: Cell::new(0),
            next: Cell::new(1),
            consistent: Cell::new(false),
            rng: RefCell::new(rng),
            misread: RefCell::default(),
            replays: Cell::default(),
        }
    }

    fn breaks(&self, rule: Broken) -> bool {
        self.broken == Some(rule)
    }

    fn below(&self, end: u64) -> u64 {
        self.rng.borrow_mut().below(end)
    }

    fn last(&self) -> Content {
        *self.history.borrow().last().expect("it begins with one")
    }

    fn content_of_backing(&self) -> Content {
        std::array::from_fn(|page| {
            let mut bytes = [0; PAGE as usize];
            self.backing.peek(page as u64 * PAGE, &mut bytes);
            let first = u64::from_le_bytes(*bytes.first_chunk().expect("a page"));
            let is_whole = bytes.as_chunks::<8>().0.iter().all(|word| u64::from_le_bytes(*word) == first);
            if is_whole { first } else { u64::MAX }
        })
    }

    fn dirty_of_log(&self) -> BTreeMap<u64, u64> {
        let mut dirty = BTreeMap::new();
        for line in &*self.log.borrow() {
            match line {
                Line::Dirty(page, version) => drop(dirty.insert(*page, *version)),
                Line::Destaged(page) => drop(dirty.remove(page)),
            }
        }
        dirty
    }
}

/// A write of a guest: to the log, or to the backing.
async fn write(world: &World, process: &Process, backing: &Device) {
    let page = world.below(PAGES);
    let version = world.next.replace(world.next.get() + 1);
    let mut content = world.last();
    content[page as usize] = shown(version);
    if world.consistent.get() {
        world.log.borrow_mut().push(Line::Dirty(page, version));
        process.dirty.borrow_mut().insert(page, version);
        process.fresh.borrow_mut().insert(page);
        world.history.borrow_mut().push(content);
    } else if !process.changing.get() {
        process.changing.set(true);
        let written = backing.write(page * PAGE, page_of(version)).await.1;
        written.expect("nothing fails here");
        backing.flush().await.expect("nothing fails here");
        process.changing.set(false);
        world.history.borrow_mut().push(content);
    }
}

/// Writes what is fresh as a group, and says what can be promised then.
async fn group(world: &World, process: &Process, ring: &RedoRing<Device>, backing: &Device) {
    if process.changing.get() || !world.consistent.get() || process.grouping.replace(true) {
        return;
    }
    if !world.breaks(Broken::LogNotDurable) {
        world.durable.set(world.log.borrow().len());
    }
    let taken_at = world.history.borrow().len() - 1;
    let fresh = std::mem::take(&mut *process.fresh.borrow_mut());
    let pages: BTreeMap<u64, u64> = process
        .dirty
        .borrow()
        .iter()
        .map(|(page, version)| (*page, *version))
        .filter(|(page, _)| fresh.contains(page))
        .collect();
    let changes: Vec<Change> = pages
        .iter()
        .map(|(page, version)| match shown(*version) {
            0 => Change::Zeroes(*page..*page + 1, Unmap::Allowed),
            _ => Change::Content(*page),
        })
        .collect();
    let content = async |wanted: &[u64]| {
        let bytes: Vec<u8> = wanted.iter().flat_map(|page| page_of(pages[page]).to_vec()).collect();
        Ok(GroupContent { bytes: Buffer::copy_of(&bytes), damaged: Vec::new() })
    };
    let written = ring.write_group(taken_at as u64, &changes, content).await;
    match &written {
        Ok(number) => {
            world.claim.set(Some(taken_at));
            process.journaled.borrow_mut().extend(&pages);
            process.groups.borrow_mut().insert(*number, pages);
        }
        Err(RingError::NoRoom { .. } | RingError::Storage(_)) => process.fresh.borrow_mut().extend(fresh),
        Err(error) => panic!("{error}"),
    }
    if matches!(written, Err(RingError::NoRoom { .. })) && world.below(4) == 0 {
        replay_groups(world, process, ring, backing).await;
    }
    process.grouping.set(false);
}

/// Empties the ring, whatever destage does at the same time.
async fn replay_groups(world: &World, process: &Process, ring: &RedoRing<Device>, backing: &Device) {
    match replay(ring, backing, async || backing.flush().await, || Ok(())).await {
        Ok(replay) => {
            assert_eq!(ring.used_bytes(), 0);
            if !replay.skipped.is_empty() {
                world.misread.replace(Some(format!("replay: pages {:?} are damaged", replay.skipped)));
            }
            process.groups.borrow_mut().clear();
            process.keeps_groups.set(false);
            world.replays.set(world.replays.get() + 1);
        }
        Err(RingError::Storage(_)) => {}
        Err(error) => drop(world.misread.replace(Some(format!("replay: {error}")))),
    }
}

/// A guest reads a page, which no other request of a guest changes meanwhile.
async fn read(world: &World, process: &Process, backing: &Device) {
    let page = world.below(PAGES);
    if process.dirty.borrow().contains_key(&page) {
        return;
    }
    let (bytes, read) = backing.read(page * PAGE, Buffer::zeroed(PAGE as usize)).await;
    read.expect("nothing fails here");
    let expected = world.last()[page as usize];
    // One that a power cut tore reads as anything.
    if expected != u64::MAX && bytes[..] != page_of(expected)[..] {
        let found = u64::from_le_bytes(*bytes.first_chunk().expect("a page"));
        world.misread.replace(Some(format!("a guest reads {found} in page {page}, not {expected}")));
    }
}

/// Brings to the backing what a group has, and releases groups.
async fn destage(world: &World, process: &Process, ring: &RedoRing<Device>, backing: &Device) {
    if process.changing.get() || process.applying.replace(true) {
        return;
    }
    let epoch = backing.epoch();
    let candidates: Vec<(u64, u64)> = process
        .dirty
        .borrow()
        .iter()
        .map(|(page, version)| (*page, *version))
        .filter(|of| world.breaks(Broken::WriteAhead) || process.journaled.borrow().get(&of.0) == Some(&of.1))
        .collect();
    let mut given = Vec::new();
    for (page, version) in candidates {
        if world.below(2) == 0 {
            continue;
        }
        backing.write(page * PAGE, page_of(version)).await.1.expect("nothing fails here");
        given.push((page, version));
    }
    let flushes = !world.breaks(Broken::ReleasedBeforeFlush);
    if !flushes || backing.flush().await.is_ok() && backing.epoch() == epoch {
        for (page, version) in given {
            if process.dirty.borrow().get(&page) == Some(&version) {
                process.dirty.borrow_mut().remove(&page);
                world.log.borrow_mut().push(Line::Destaged(page));
            }
        }
        let needed = |(number, pages): (&u64, &BTreeMap<u64, u64>)| {
            pages.iter().any(|(page, version)| {
                let dirty = process.dirty.borrow();
                let is_later =
                    process.groups.borrow().iter().any(|(n, of)| n > number && of.contains_key(page));
                // Destaged in this version, or replaced in one that a later group has.
                let is_destaged =
                    !dirty.contains_key(page) && process.journaled.borrow().get(page) == Some(version);
                !is_later && !is_destaged
            })
        };
        let first = process.groups.borrow().iter().find(|of| needed(*of)).map(|(number, _)| *number);
        let until = first.unwrap_or(u64::MAX);
        process.groups.borrow_mut().retain(|number, _| *number >= until);
        ring.release_before(until);
    }
    process.applying.set(false);
}

/// Leaves consistent write-back if nothing is dirty, or enters it.
async fn change_mode(world: &World, process: &Process, ring: &RedoRing<Device>, backing: &Device) {
    if process.changing.get() || process.grouping.get() || process.applying.get() {
        return;
    }
    if world.consistent.get() {
        if !process.dirty.borrow().is_empty() {
            return;
        }
        process.changing.set(true);
        world.consistent.set(false);
        world.durable.set(world.log.borrow().len());
        backing.flush().await.expect("nothing fails here");
        if !world.breaks(Broken::NotVoid) {
            world.claim.set(None);
            while ring.void().await.is_err() {}
        }
        process.groups.borrow_mut().clear();
        process.journaled.borrow_mut().clear();
        process.changing.set(false);
    } else {
        process.changing.set(true);
        backing.flush().await.expect("nothing fails here");
        world.consistent.set(true);
        process.changing.set(false);
    }
}

async fn serve(world: &World, host: &LocalHost) {
    let ring = RedoRing::open(world.ring.reopen(host.clone())).await.expect("a ring is there");
    let backing = world.backing.reopen(host.clone());
    if !world.consistent.get() && !world.breaks(Broken::NotVoid) {
        // The mode may have been left as far as that.
        world.claim.set(None);
        while ring.void().await.is_err() {}
    }
    let dirty = world.dirty_of_log();
    let fresh =
        if world.breaks(Broken::NotSentAgain) { BTreeSet::new() } else { dirty.keys().copied().collect() };
    let process = Process { dirty: RefCell::new(dirty), fresh: RefCell::new(fresh), ..Process::default() };
    for group in ring.groups() {
        // What they have is in the next group again, if it is dirty; else it is on the backing.
        process.groups.borrow_mut().insert(group.number, BTreeMap::new());
    }
    process.keeps_groups.set(!process.groups.borrow().is_empty());
    let keeps_groups = &process.keeps_groups;
    let one = async {
        for _ in 0..60 {
            host.sleep(world.below(300_000)).await;
            group(world, &process, &ring, &backing).await;
            if process.journaled.borrow().len() + 1 > 1 || process.dirty.borrow().is_empty() {
                keeps_groups.set(false);
            }
            if world.below(4) == 0 {
                drop(ring.settle().await);
            }
        }
    };
    let two = async {
        let mut quiet = 0_u64;
        for _ in 0..150 {
            host.sleep(world.below(120_000)).await;
            quiet = match quiet {
                0 if world.below(30) == 0 => 20,
                left => left.saturating_sub(1),
            };
            match world.below(20) {
                0 => world.durable.set(world.log.borrow().len()),
                // The server of the ring restarts, also while a group is on its way.
                1 => world.ring.lose_volatile(),
                2 => change_mode(world, &process, &ring, &backing).await,
                // Guests rest, so that everything can become clean.
                _ if quiet > 0 && world.below(3) == 0 => change_mode(world, &process, &ring, &backing).await,
                _ if quiet > 0 && !keeps_groups.get() => destage(world, &process, &ring, &backing).await,
                _ if quiet > 0 => {}
                3..11 if !keeps_groups.get() => destage(world, &process, &ring, &backing).await,
                11..13 => read(world, &process, &backing).await,
                _ => write(world, &process, &backing).await,
            }
        }
    };
    join(one, two).await;
}

/// Runs a seed. Returns what went wrong.
fn walk(seed: u64, broken: Option<Broken>) -> Result<(), String> {
    walk_in(&Rc::new(World::new(seed, broken)), seed)
}

fn walk_in(world: &Rc<World>, seed: u64) -> Result<(), String> {
    let made = Executor::new(VirtualTime::new(), Order::Seeded(seed));
    let host = made.host();
    made.run(async { RedoRing::create(world.ring.reopen(host.clone()), RING, OWNER).await.map(drop) })
        .expect("it ends")
        .expect("nothing fails");
    drop(made);
    loop {
        let executor = Executor::new(VirtualTime::new(), Order::Seeded(world.rng.borrow_mut().draw()));
        let host = executor.host();
        for device in [&world.ring, &world.backing] {
            device.delay(1_000, 1_000 + world.below(60_000));
        }
        let deadline = 200_000 + world.below(12_000_000);
        executor
            .run(async {
                let serving = pin!(serve(world, &host));
                select(serving, pin!(host.sleep(deadline))).await;
            })
            .expect("time goes on");
        drop(executor);
        if let Some(what) = world.misread.take() {
            return Err(what);
        }
        let end = world.below(5);
        let (is_power_cut, is_flash_lost) = (end >= 2, matches!(end, 1 | 4));
        for device in [&world.ring, &world.backing] {
            device.end_process(is_power_cut);
            device.delay(0, 0);
        }
        if is_flash_lost {
            return judge_recovery(world, seed);
        }
        if is_power_cut {
            let (durable, all) = (world.durable.get(), world.log.borrow().len());
            let kept = durable + world.below((all - durable) as u64 + 1) as usize;
            world.log.borrow_mut().truncate(kept);
        }
        world.durable.set(world.log.borrow().len());
        judge_start(world, is_power_cut)?;
    }
}

/// Checks what a guest sees that starts again with the flash, and takes back the history that a power cut took.
fn judge_start(world: &World, is_power_cut: bool) -> Result<(), String> {
    let mut content = world.content_of_backing();
    for (page, version) in world.dirty_of_log() {
        content[page as usize] = shown(version);
    }
    let at = world.history.borrow().iter().rposition(|then| *then == content);
    let is_mode_write_in_flight = !world.consistent.get() && at.is_none();
    match at {
        Some(at) if is_power_cut || at + 1 == world.history.borrow().len() => {
            if world.claim.get().is_some_and(|claim| at < claim) {
                return Err(format!("after the power cut the disk is older than the group: {at}"));
            }
            world.history.borrow_mut().truncate(at + 1);
            Ok(())
        }
        // A write that was in flight may be there or not, whole or in part.
        _ if is_mode_write_in_flight || !world.consistent.get() => {
            world.history.borrow_mut().push(content);
            Ok(())
        }
        _ => Err(format!("a guest sees what never was: {content:?}")),
    }
}

/// Checks what is left without the flash.
fn judge_recovery(world: &Rc<World>, seed: u64) -> Result<(), String> {
    let executor = Executor::new(VirtualTime::new(), Order::Seeded(seed));
    let host = executor.host();
    let recovered = executor
        .run(async {
            let ring = RedoRing::open(world.ring.reopen(host.clone())).await?;
            let backing = world.backing.reopen(host.clone());
            let found = recover(&ring, &backing).await?;
            assert_eq!((ring.epoch(), ring.taken_at()), (1, None));
            Ok(found)
        })
        .expect("it ends");
    match (recovered, world.claim.get()) {
        (Err(RingError::NotConsistent), None) => Ok(()),
        (Err(error), _) => Err(format!("recovery: {error}")),
        (Ok(found), claim) => {
            let content = world.content_of_backing();
            let at = world.history.borrow().iter().rposition(|then| *then == content);
            match at {
                None => Err(format!("{content:?} is a mix; the last was {:?}", world.last())),
                Some(at) if claim.is_some_and(|claim| at < claim) => {
                    Err(format!("it is as of {at}, and {claim:?} was promised"))
                }
                Some(_) if !found.lost.is_empty() => Err("pages are lost".to_owned()),
                Some(_) => Ok(()),
            }
        }
    }
}

#[test]
fn what_is_left_is_the_disk_as_of_an_instant_that_was_promised_or_later() {
    let mut replays = 0;
    for seed in 0..SEEDS {
        let world = Rc::new(World::new(seed, None));
        if let Err(what) = walk_in(&world, seed) {
            panic!("seed {seed}: {what}");
        }
        replays += world.replays.get();
    }
    assert!(replays > SEEDS / 10, "{replays} replays in {SEEDS} walks");
    println!("{replays} replays");
}

#[test]
fn walks_find_each_rule_of_the_caller_that_is_broken() {
    for rule in BROKEN {
        let found = (0..SEEDS).find_map(|seed| walk(seed, Some(rule)).err().map(|what| (seed, what)));
        let (seed, what) = found.unwrap_or_else(|| panic!("no seed finds {rule:?}"));
        println!("{rule:?}: seed {seed}: {what}");
    }
}

#[test]
fn walks_find_each_planted_bug() {
    // A directory of few groups is not torn: the story of that is in `stories.rs`.
    for bug in Bug::ALL.into_iter().filter(|bug| *bug != Bug::CopiesTogether) {
        redo::plant(Some(bug));
        let found = (0..16 * SEEDS).find_map(|seed| walk(seed, None).err().map(|what| (seed, what)));
        redo::plant(None);
        let (seed, what) = found.unwrap_or_else(|| panic!("no seed finds {bug:?}"));
        println!("{bug:?}: seed {seed}: {what}");
    }
}
