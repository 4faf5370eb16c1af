//! Random walks of a consistency set: guests write to one disk after another, each write after the acknowledgement of the one before. Rings lose
//! their connections, disks leave and enter, processes end, and recoveries end halfway. Whatever is left has to hold all disks as of one
//! instant that is not older than what was promised.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::faulty::{Faults, Faulty};
use block::{BlockDevice, Buffer, Host, Memory, PAGE, Unmap};
use futures_util::future::{Either, join, join_all, select};
use redo::{
    Bug, Change, CutSummary, GroupContent, RedoRing, RingError, RingId, RingOwner, SetCompleteness, SetId,
    recover_set, replay, resolve_pending, smallest_bytes, verify_set,
};

const DISKS: usize = 3;
const PAGES: u64 = 4;
const SEEDS: u64 = 1_500;
const SET: SetId = SetId([9; 16]);

/// A rule that the user of the rings has to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Broken {
    /// A group counts once its own ring has it.
    CountsAlone,
    /// Time passes between the beginnings of the groups of a cut.
    NotOneInstant,
    /// A start withdraws what is pending, and does not look at the other rings.
    NotResolved,
}

const BROKEN: [Broken; 3] = [Broken::CountsAlone, Broken::NotOneInstant, Broken::NotResolved];

type Device = Faulty<LocalHost>;
type Content = [[u64; PAGES as usize]; DISKS];

struct Rng(u64);

impl Rng {
    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[derive(Clone, Copy)]
enum Entry {
    Dirty(usize, u64, u64),
    Destaged(usize, u64),
}

/// The last promise.
#[derive(Clone, Copy, Debug)]
struct Claim {
    at: usize,
    is_member: [bool; DISKS],
}

struct World {
    broken: Option<Broken>,
    rings: Vec<Faults>,
    backings: Vec<Faults>,
    history: RefCell<Vec<Content>>,
    claim: Cell<Option<Claim>>,
    /// The log on flash, which all disks share.
    log: RefCell<Vec<Entry>>,
    durable: Cell<usize>,
    next: Cell<u64>,
    /// Disks in consistent write-back.
    consistent: [Cell<bool>; DISKS],
    rng: RefCell<Rng>,
    problem: RefCell<Option<String>>,
    cuts: Cell<u64>,
    failed_cuts: Cell<u64>,
    replays: Cell<u64>,
    repeated: Cell<u64>,
}

#[derive(Default)]
struct DiskState {
    dirty: RefCell<BTreeMap<u64, u64>>,
    fresh: RefCell<BTreeSet<u64>>,
    journaled: RefCell<BTreeMap<u64, u64>>,
    groups: RefCell<BTreeMap<u64, BTreeMap<u64, u64>>>,
    /// The mode changes, or a write goes to the backing.
    changing: Cell<bool>,
    applying: Cell<bool>,
    /// True once the disk was part of a cut that counts.
    counted: Cell<bool>,
}

struct Process<'a> {
    world: &'a World,
    rings: &'a [RedoRing<Device>],
    backings: Vec<Device>,
    disks: Vec<DiskState>,
    cutting: Cell<bool>,
    last_members: Cell<Option<[bool; DISKS]>>,
}

fn page_of(version: u64) -> Buffer {
    Buffer::copy_of(&shown(version).to_le_bytes().repeat(PAGE as usize / 8))
}

fn shown(version: u64) -> u64 {
    if version.is_multiple_of(7) { 0 } else { version }
}

impl World {
    fn new(seed: u64, broken: Option<Broken>) -> Self {
        let mut rng = Rng(seed);
        let mut devices = |bytes| -> Vec<Faults> {
            (0..DISKS).map(|_| Faults::new(Memory::new(bytes), rng.draw())).collect()
        };
        Self {
            broken,
            rings: devices(smallest_bytes()),
            backings: devices(PAGES * PAGE),
            history: RefCell::new(vec![[[0; PAGES as usize]; DISKS]]),
            claim: Cell::default(),
            log: RefCell::default(),
            durable: Cell::default(),
            next: Cell::new(1),
            consistent: Default::default(),
            rng: RefCell::new(rng),
            problem: RefCell::default(),
            cuts: Cell::default(),
            failed_cuts: Cell::default(),
            replays: Cell::default(),
            repeated: Cell::default(),
        }
    }

    fn breaks(&self, rule: Broken) -> bool {
        self.broken == Some(rule)
    }

    fn below(&self, end: u64) -> u64 {
        self.rng.borrow_mut().draw() % end
    }

    fn last(&self) -> Content {
        *self.history.borrow().last().expect("it begins with one")
    }

    fn on_backing(&self, disk: usize) -> [u64; PAGES as usize] {
        std::array::from_fn(|page| {
            let mut bytes = [0; PAGE as usize];
            self.backings[disk].peek(page as u64 * PAGE, &mut bytes);
            let words = bytes.as_chunks::<8>().0;
            let first = u64::from_le_bytes(words[0]);
            if words.iter().all(|word| u64::from_le_bytes(*word) == first) { first } else { u64::MAX }
        })
    }

    fn dirty_of_log(&self, disk: usize) -> BTreeMap<u64, u64> {
        let mut dirty = BTreeMap::new();
        for entry in &*self.log.borrow() {
            match *entry {
                Entry::Dirty(of, page, version) if of == disk => drop(dirty.insert(page, version)),
                Entry::Destaged(of, page) if of == disk => drop(dirty.remove(&page)),
                _ => {}
            }
        }
        dirty
    }

    fn devices(&self) -> impl Iterator<Item = &Faults> {
        self.rings.iter().chain(&self.backings)
    }
}

impl Process<'_> {
    /// Writes a page of a disk, and waits for the acknowledgement.
    async fn write(&self) {
        let world = self.world;
        let (at, page) = (world.below(DISKS as u64) as usize, world.below(PAGES));
        let disk = &self.disks[at];
        let version = world.next.replace(world.next.get() + 1);
        if world.consistent[at].get() {
            let mut content = world.last();
            content[at][page as usize] = shown(version);
            world.log.borrow_mut().push(Entry::Dirty(at, page, version));
            disk.dirty.borrow_mut().insert(page, version);
            disk.fresh.borrow_mut().insert(page);
            world.history.borrow_mut().push(content);
        } else if !disk.changing.replace(true) {
            self.backings[at].write(page * PAGE, page_of(version)).await.1.expect("nothing fails here");
            self.backings[at].flush().await.expect("nothing fails here");
            disk.changing.set(false);
            let mut content = world.last();
            content[at][page as usize] = shown(version);
            world.history.borrow_mut().push(content);
        }
    }

    async fn cut(&self, host: &LocalHost) {
        let world = self.world;
        let is_ready = |at: usize| world.consistent[at].get() && !self.disks[at].changing.get();
        if (0..DISKS).any(|at| world.consistent[at].get() && self.disks[at].changing.get())
            || self.cutting.replace(true)
        {
            return;
        }
        let is_member: [bool; DISKS] = std::array::from_fn(is_ready);
        let members: Vec<usize> = (0..DISKS).filter(|at| is_member[*at]).collect();
        if !members.is_empty() && self.is_settled(&members, is_member).await {
            self.cut_of(host, &members, is_member).await;
        }
        self.cutting.set(false);
    }

    async fn is_settled(&self, members: &[usize], is_member: [bool; DISKS]) -> bool {
        if self.last_members.get() == Some(is_member) {
            return true;
        }
        self.last_members.set(None);
        for at in members {
            if self.rings[*at].settle_confirmed().await.is_err() {
                return false;
            }
        }
        self.last_members.set(Some(is_member));
        true
    }

    async fn cut_of(&self, host: &LocalHost, members: &[usize], is_member: [bool; DISKS]) {
        let world = self.world;
        let highest = members.iter().map(|at| self.rings[*at].last_number()).max().unwrap_or(0);
        let number = highest + 1;
        world.durable.set(world.log.borrow().len());
        let taken_at = world.history.borrow().len() - 1;
        let cut = CutSummary { number, taken_at: taken_at as u64, members: members.len() as u32 };
        let mut groups: Vec<BTreeMap<u64, u64>> = Vec::new();
        for at in members {
            let disk = &self.disks[*at];
            if world.breaks(Broken::NotOneInstant) {
                host.sleep(100_000).await;
                world.durable.set(world.log.borrow().len());
            }
            let fresh = std::mem::take(&mut *disk.fresh.borrow_mut());
            let dirty = disk.dirty.borrow();
            groups.push(fresh.iter().map(|page| (*page, dirty[page])).collect());
        }
        let writes = members.iter().zip(&groups).map(|(at, pages)| async {
            let written = write_group(&self.rings[*at], cut, pages).await;
            if world.breaks(Broken::CountsAlone) && written.is_ok() {
                self.count(*at, number, pages);
            }
            written
        });
        let written = join_all(writes).await;
        if written.iter().all(Result::is_ok) {
            for (at, pages) in members.iter().zip(&groups) {
                if !world.breaks(Broken::CountsAlone) {
                    self.count(*at, number, pages);
                }
            }
            world.claim.set(Some(Claim { at: taken_at, is_member }));
            world.cuts.set(world.cuts.get() + 1);
            return;
        }
        world.failed_cuts.set(world.failed_cuts.get() + 1);
        for (at, pages) in members.iter().zip(&groups) {
            if world.breaks(Broken::CountsAlone) {
                continue;
            }
            self.disks[*at].fresh.borrow_mut().extend(pages.keys());
            self.rings[*at].withdraw(number);
        }
        if world.breaks(Broken::CountsAlone) {
            for ((at, pages), written) in members.iter().zip(&groups).zip(&written) {
                if written.is_err() {
                    self.disks[*at].fresh.borrow_mut().extend(pages.keys());
                    self.rings[*at].withdraw(number);
                }
            }
        }
        for (at, written) in members.iter().zip(&written) {
            match written {
                Ok(()) | Err(RingError::Storage(_)) => {}
                Err(RingError::NoRoom { .. }) => self.replay(*at).await,
                Err(error) => drop(world.problem.replace(Some(format!("cut: {error}")))),
            }
        }
    }

    fn count(&self, at: usize, number: u64, pages: &BTreeMap<u64, u64>) {
        let disk = &self.disks[at];
        self.rings[at].confirm(number);
        disk.journaled.borrow_mut().extend(pages);
        disk.groups.borrow_mut().insert(number, pages.clone());
        disk.counted.set(true);
    }

    async fn replay(&self, at: usize) {
        let backing = &self.backings[at];
        match replay(&self.rings[at], backing, async || backing.flush().await, || Ok(())).await {
            Ok(replay) => {
                if !replay.skipped.is_empty() {
                    self.world.problem.replace(Some("a replay finds damage".to_owned()));
                }
                self.disks[at].groups.borrow_mut().clear();
                self.world.replays.set(self.world.replays.get() + 1);
            }
            Err(RingError::Storage(_) | RingError::Unresolved) => {}
            Err(error) => drop(self.world.problem.replace(Some(format!("replay: {error}")))),
        }
    }

    /// A guest reads a clean page.
    async fn read(&self) {
        let world = self.world;
        let (at, page) = (world.below(DISKS as u64) as usize, world.below(PAGES));
        if self.disks[at].dirty.borrow().contains_key(&page) || !world.consistent[at].get() {
            return;
        }
        let expected = world.last()[at][page as usize];
        let (bytes, read) = self.backings[at].read(page * PAGE, Buffer::zeroed(PAGE as usize)).await;
        read.expect("nothing fails here");
        let is_same = world.last()[at][page as usize] == expected;
        if is_same && expected != u64::MAX && bytes[..] != page_of_shown(expected)[..] {
            world.problem.replace(Some(format!("a guest does not read {expected} in page {page} of {at}")));
        }
    }

    async fn destage(&self) {
        let world = self.world;
        let at = world.below(DISKS as u64) as usize;
        let (disk, backing) = (&self.disks[at], &self.backings[at]);
        if disk.changing.get() || !disk.counted.get() || disk.applying.replace(true) {
            return;
        }
        let epoch = backing.epoch();
        let dirty: Vec<(u64, u64)> =
            disk.dirty.borrow().iter().map(|(page, version)| (*page, *version)).collect();
        let mut given = Vec::new();
        for (page, version) in dirty {
            if disk.journaled.borrow().get(&page) == Some(&version) && world.below(3) > 0 {
                backing.write(page * PAGE, page_of(version)).await.1.expect("nothing fails here");
                given.push((page, version));
            }
        }
        if backing.flush().await.is_ok() && backing.epoch() == epoch {
            for (page, version) in given {
                if disk.dirty.borrow().get(&page) == Some(&version) {
                    disk.dirty.borrow_mut().remove(&page);
                    world.log.borrow_mut().push(Entry::Destaged(at, page));
                }
            }
            let needed = |(number, pages): (&u64, &BTreeMap<u64, u64>)| {
                pages.iter().any(|(page, version)| {
                    let groups = disk.groups.borrow();
                    let is_later = groups.iter().any(|(other, of)| other > number && of.contains_key(page));
                    let is_destaged = !disk.dirty.borrow().contains_key(page)
                        && disk.journaled.borrow().get(page) == Some(version);
                    !is_later && !is_destaged
                })
            };
            let first = disk.groups.borrow().iter().find(|of| needed(*of)).map(|(number, _)| *number);
            let until = first.unwrap_or(u64::MAX);
            disk.groups.borrow_mut().retain(|number, _| *number >= until);
            self.rings[at].release_before(until);
        }
        disk.applying.set(false);
    }

    /// Takes a disk out of the promise if nothing of it is dirty, or into it.
    async fn change_mode(&self) {
        let world = self.world;
        let at = world.below(DISKS as u64) as usize;
        let (disk, backing) = (&self.disks[at], &self.backings[at]);
        if disk.changing.get() || disk.applying.get() || self.cutting.get() {
            return;
        }
        let leaves = world.consistent[at].get();
        if leaves && !disk.dirty.borrow().is_empty() {
            return;
        }
        disk.changing.set(true);
        // No cut meanwhile.
        self.cutting.set(true);
        if leaves {
            world.durable.set(world.log.borrow().len());
            world.consistent[at].set(false);
            if let Some(mut claim) = world.claim.get() {
                claim.is_member[at] = false;
                world.claim.set(Some(claim));
            }
        }
        backing.flush().await.expect("nothing fails here");
        if leaves {
            while self.rings[at].void().await.is_err() {}
            disk.groups.borrow_mut().clear();
            disk.journaled.borrow_mut().clear();
            disk.counted.set(false);
        } else {
            if world.below(2) == 0 {
                // It promises something alone, with numbers below those of the others.
                let taken_at = world.history.borrow().len() as u64 - 1;
                let nothing = async |_: &[u64]| unreachable!("it has no content");
                drop(self.rings[at].write_group(taken_at, &[], nothing).await);
            }
            // What went to the backing is not in the order of the log.
            world.durable.set(world.log.borrow().len());
            world.consistent[at].set(true);
        }
        self.cutting.set(false);
        disk.changing.set(false);
    }
}

fn page_of_shown(value: u64) -> Vec<u8> {
    value.to_le_bytes().repeat(PAGE as usize / 8)
}

async fn write_group(
    ring: &RedoRing<Device>,
    cut: CutSummary,
    pages: &BTreeMap<u64, u64>,
) -> Result<(), RingError> {
    let change = |(page, version): (&u64, &u64)| match shown(*version) {
        0 => Change::Zeroes(*page..*page + 1, Unmap::Allowed),
        _ => Change::Content(*page),
    };
    let changes: Vec<Change> = pages.iter().map(change).collect();
    let content = async |wanted: &[u64]| {
        let bytes: Vec<u8> = wanted.iter().flat_map(|page| page_of(pages[page]).to_vec()).collect();
        Ok(GroupContent { bytes: Buffer::copy_of(&bytes), damaged: Vec::new() })
    };
    ring.write_cut(SET, cut, &changes, content).await
}

async fn open_rings(world: &World, host: &LocalHost) -> Vec<RedoRing<Device>> {
    let mut rings = Vec::new();
    for ring in &world.rings {
        rings.push(RedoRing::open(ring.reopen(host.clone())).await.expect("a ring is there"));
    }
    rings
}

async fn serve(world: &World, host: &LocalHost) {
    let rings = open_rings(world, host).await;
    let backings: Vec<Device> = world.backings.iter().map(|backing| backing.reopen(host.clone())).collect();
    let mut disks = Vec::new();
    for (at, ring) in rings.iter().enumerate() {
        if !world.consistent[at].get() && ring.taken_at().is_some() {
            while ring.void().await.is_err() {}
        }
        let dirty = world.dirty_of_log(at);
        let fresh = dirty.keys().copied().collect();
        let disk =
            DiskState { dirty: RefCell::new(dirty), fresh: RefCell::new(fresh), ..DiskState::default() };
        disks.push(disk);
    }
    let process = Process {
        world,
        rings: &rings,
        backings,
        disks,
        cutting: Cell::default(),
        last_members: Cell::default(),
    };
    // Something replays a ring before all of them are there, as a command may.
    if world.below(2) == 0 {
        process.replay(world.below(DISKS as u64) as usize).await;
    }
    if world.breaks(Broken::NotResolved) {
        rings.iter().filter(|ring| ring.is_unresolved()).for_each(|ring| ring.withdraw(ring.last_number()));
    } else {
        let promising: Vec<&RedoRing<Device>> =
            rings.iter().filter(|ring| ring.taken_at().is_some()).collect();
        while resolve_pending(SET, &promising).await.is_err() {}
    }
    let cuts = async {
        for _ in 0..60 {
            host.sleep(world.below(300_000)).await;
            process.cut(host).await;
            if world.below(4) == 0 {
                drop(rings[world.below(DISKS as u64) as usize].settle().await);
            }
        }
    };
    let others = async {
        let mut quiet = 0_u64;
        for _ in 0..150 {
            host.sleep(world.below(120_000)).await;
            quiet = match quiet {
                0 if world.below(40) == 0 => 30,
                left => left.saturating_sub(1),
            };
            match world.below(20) {
                0 => world.durable.set(world.log.borrow().len()),
                1 => world.rings[world.below(DISKS as u64) as usize].lose_volatile(),
                2 => process.change_mode().await,
                3..10 => process.destage().await,
                10..12 => process.read().await,
                _ if quiet > 0 => process.change_mode().await,
                _ => process.write().await,
            }
        }
    };
    join(cuts, others).await;
}

fn walk(seed: u64, broken: Option<Broken>) -> Result<(), String> {
    walk_in(&World::new(seed, broken), seed)
}

fn end_devices(world: &World, is_power_cut: bool) {
    for device in world.devices() {
        device.end_process(is_power_cut);
        device.delay(0, 0);
    }
}

fn walk_in(world: &World, seed: u64) -> Result<(), String> {
    let made = Executor::new(VirtualTime::new(), Order::Seeded(seed));
    let host = made.host();
    made.run(async {
        for (at, ring) in world.rings.iter().enumerate() {
            let owner = RingOwner { pool: [6; 16], disk: at as u64 };
            RedoRing::create(ring.reopen(host.clone()), RingId([at as u8; 16]), owner)
                .await
                .expect("nothing fails");
        }
    })
    .expect("it ends");
    drop(made);
    loop {
        let executor = Executor::new(VirtualTime::new(), Order::Seeded(world.rng.borrow_mut().draw()));
        let host = executor.host();
        for device in world.devices() {
            device.delay(1_000, 1_000 + world.below(60_000));
        }
        let deadline = 200_000 + world.below(12_000_000);
        executor
            .run(async {
                select(pin!(serve(world, &host)), pin!(host.sleep(deadline))).await;
            })
            .expect("time goes on");
        drop(executor);
        if let Some(what) = world.problem.take() {
            return Err(what);
        }
        let end = world.below(5);
        let (is_power_cut, is_flash_lost) = (end >= 2, matches!(end, 1 | 4));
        end_devices(world, is_power_cut);
        if is_flash_lost {
            return judge_recovery(world);
        }
        if is_power_cut {
            let (durable, all) = (world.durable.get(), world.log.borrow().len());
            let kept = durable + world.below((all - durable) as u64 + 1) as usize;
            world.log.borrow_mut().truncate(kept);
        }
        world.durable.set(world.log.borrow().len());
        judge_start(world)?;
    }
}

/// Checks what a guest sees after a start, and takes back what a power cut took.
fn judge_start(world: &World) -> Result<(), String> {
    let mut content: Content = std::array::from_fn(|at| world.on_backing(at));
    for (at, content) in content.iter_mut().enumerate() {
        for (page, version) in world.dirty_of_log(at) {
            content[page as usize] = shown(version);
        }
    }
    let is_same = |then: &Content| {
        // What goes to a backing past the log is not in its order.
        (0..DISKS).all(|at| then[at] == content[at] || !world.consistent[at].get())
    };
    let at = world.history.borrow().iter().rposition(is_same);
    match at {
        Some(at) if world.claim.get().is_none_or(|claim| at >= claim.at) => {
            let mut history = world.history.borrow_mut();
            history.truncate(at + 1);
            *history.last_mut().expect("it is there") = content;
            Ok(())
        }
        _ => Err(format!("a guest sees {content:?}, of {at:?}, and {:?} was promised", world.claim.get())),
    }
}

/// Recovers the rings of the disks that promise something, after the flash was lost. Some attempts end halfway.
fn judge_recovery(world: &World) -> Result<(), String> {
    let Some(claim) = world.claim.get().filter(|claim| claim.is_member.contains(&true)) else {
        return Ok(());
    };
    let members: Vec<usize> = (0..DISKS).filter(|at| claim.is_member[*at]).collect();
    let mut found: Option<CutSummary> = None;
    for attempt in 0..6 {
        let executor = Executor::new(VirtualTime::new(), Order::Seeded(world.rng.borrow_mut().draw()));
        let host = executor.host();
        for device in world.devices() {
            device.delay(1_000, 60_000);
        }
        let deadline = if attempt == 5 { u64::MAX } else { world.below(1_500_000) };
        let recovered = executor.run(async {
            let recovering = async {
                let rings = open_rings(world, &host).await;
                let backings: Vec<Device> =
                    world.backings.iter().map(|backing| backing.reopen(host.clone())).collect();
                let sizes: Vec<_> = members.iter().map(|at| (&rings[*at], PAGES * PAGE)).collect();
                let pairs: Vec<_> = members.iter().map(|at| (&rings[*at], &backings[*at])).collect();
                let mut part = SetCompleteness::Whole;
                let mut checked = verify_set(&sizes, part).await;
                if let Err(error) = &checked
                    && matches!(error.error, RingError::MembersMissing { .. })
                {
                    // One of them has left the promise meanwhile.
                    part = SetCompleteness::Part;
                    checked = verify_set(&sizes, part).await;
                }
                let checked = checked?;
                if found.is_some_and(|found| found != checked.cut) {
                    return Ok(Err(format!("{:?} became {found:?}", checked.cut)));
                }
                let recovered = recover_set(&pairs, part).await?;
                assert_eq!(recovered, checked);
                found = Some(checked.cut);
                Ok(Ok(()))
            };
            let sleep = async {
                match deadline {
                    u64::MAX => std::future::pending::<()>().await,
                    deadline => host.sleep(deadline).await,
                }
            };
            match select(pin!(recovering), pin!(sleep)).await {
                Either::Left((recovered, _)) => Some(recovered),
                Either::Right(_) => None,
            }
        });
        drop(executor);
        match recovered.expect("it ends") {
            Some(Err(redo::SetError { member, error })) => {
                return Err(format!("recovery, {claim:?}: ring {member:?}: {error}"));
            }
            Some(Ok(Err(what))) => return Err(what),
            Some(Ok(Ok(()))) => {}
            None => world.repeated.set(world.repeated.get() + 1),
        }
        let is_power_cut = world.below(2) == 0;
        end_devices(world, is_power_cut);
    }
    let content: Content = std::array::from_fn(|at| world.on_backing(at));
    let history = world.history.borrow();
    let is_same = |then: &Content| members.iter().all(|at| then[*at] == content[*at]);
    match history.iter().rposition(is_same) {
        None => Err(format!("{content:?} is a mix; the last was {:?}", world.last())),
        Some(at) if at < claim.at => Err(format!("it is as of {at}, and {claim:?} was promised")),
        Some(_) => Ok(()),
    }
}

#[test]
fn all_disks_of_a_set_are_as_of_one_instant_that_was_promised_or_later() {
    let (mut cuts, mut failed, mut replays, mut repeated) = (0, 0, 0, 0);
    for seed in 0..SEEDS {
        let world = World::new(seed, None);
        if let Err(what) = walk_in(&world, seed) {
            panic!("seed {seed}: {what}");
        }
        cuts += world.cuts.get();
        failed += world.failed_cuts.get();
        replays += world.replays.get();
        repeated += world.repeated.get();
    }
    println!("{cuts} cuts, {failed} failed, {replays} replays, {repeated} recoveries ended halfway");
    assert!(cuts > 10 * SEEDS && failed > SEEDS && replays > SEEDS / 2 && repeated > SEEDS / 2);
}

#[test]
fn walks_find_each_rule_of_the_user_that_is_broken() {
    for rule in BROKEN {
        let found = (0..16 * SEEDS).find_map(|seed| walk(seed, Some(rule)).err().map(|what| (seed, what)));
        let (seed, what) = found.unwrap_or_else(|| panic!("no seed finds {rule:?}"));
        println!("{rule:?}: seed {seed}: {what}");
    }
}

#[test]
fn walks_find_each_planted_bug_of_sets() {
    for bug in Bug::OF_SETS {
        redo::plant(Some(bug));
        let found = (0..16 * SEEDS).find_map(|seed| walk(seed, None).err().map(|what| (seed, what)));
        redo::plant(None);
        let (seed, what) = found.unwrap_or_else(|| panic!("no seed finds {bug:?}"));
        println!("{bug:?}: seed {seed}: {what}");
    }
}
