//! A process that is killed after each of its stores, and the next one on the same memory and the same record.
//!
//! The guest is strict: unless it polls, it reads its used ring after an interrupt only, and it kicks only when the event index asks for
//! it. It works, and a migration copies its memory, between any two stores.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileExt;

use block::executor::{Executor, LocalHost, Order};
use block::{BlockError, Buffer, ByteRange, Geometry, Memory as Content, Outcome, Unmap, WantedRange};
use nix::sys::eventfd::{EfdFlags, EventFd};

use tokio::sync::Semaphore;
use vhost::vhost_user::message::VhostUserMemoryRegion;

use super::*;
use crate::vhost::inflight::{Inflight, Shape};
use crate::vhost::log::DirtyLog;
use crate::vhost::memory::Regions;
use crate::vhost::memory::tests::file_of;
use crate::vhost::stores::may_store;
use crate::vhost::stores::tests::{begin_process, end_process, is_killed};

/// Address at which the front end has the memory of the guest.
const USER: u64 = 0x7000_0000;
const MEMORY_BYTES: u64 = 0x10000;
const ENTRIES: u16 = 16;
const AVAILABLE: u64 = 0x400;
const USED: u64 = 0x1000;
const USED_EVENT: u64 = AVAILABLE + 4 + 2 * ENTRIES as u64;
const AVAILABLE_EVENT: u64 = USED + 4 + 8 * ENTRIES as u64;
/// Both indices of the queue at first: they wrap soon.
const FIRST_INDEX: u16 = u16::MAX - 2;
/// The heads of chains of three descriptors.
const HEADS: [u16; 4] = [0, 3, 6, 9];
const BLOCK: u64 = 4096;
/// Turns after which a guest counts as one that waits for ever.
const TURNS_MAX: u32 = 200_000;

/// Request of a guest. Content is one byte, repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    Read(u8),
    /// Writes the number of the request and one.
    Write,
    Zeroes,
    Flush,
}

/// One request of the guest.
struct Plan {
    ask: Ask,
    block: u64,
    /// It is not sent before this request is answered.
    after: Option<usize>,
}

const fn plan(ask: Ask, block: u64, after: Option<usize>) -> Plan {
    Plan { ask, block, after }
}

/// Each pair of kind and block is there once, but for the writes, which have numbers. Reads of even blocks are answered from
/// memory. A request that is done again after its answer undoes what follows it here.
const PLAN: [Plan; 12] = [
    plan(Ask::Write, 0, None),
    plan(Ask::Write, 1, None),
    plan(Ask::Read(0x88), 8, None),
    plan(Ask::Read(0x89), 9, None),
    plan(Ask::Write, 0, Some(0)),
    plan(Ask::Flush, 0, Some(1)),
    plan(Ask::Zeroes, 1, Some(1)),
    plan(Ask::Read(5), 0, Some(4)),
    plan(Ask::Write, 2, None),
    plan(Ask::Read(0), 1, Some(6)),
    plan(Ask::Write, 0, Some(7)),
    plan(Ask::Read(9), 2, Some(8)),
];
/// Blocks and their content in the end.
const CONTENT: [(u64, u8); 4] = [(0, 11), (1, 0), (2, 9), (8, 0x88)];

/// Use that a guest makes of its queue.
#[derive(Clone, Copy, Debug)]
struct Manner {
    event_index: bool,
    polls: bool,
}

const MANNERS: [Manner; 4] = [
    Manner { event_index: false, polls: false },
    Manner { event_index: true, polls: false },
    Manner { event_index: false, polls: true },
    Manner { event_index: true, polls: true },
];

/// A guest and its front end, which outlive the processes that serve them.
struct Guest {
    memory: File,
    kick: EventFd,
    call: EventFd,
    event_index: bool,
    /// It reads its used ring all the time, and not only after an interrupt.
    polls: bool,
    /// Pages that it has written itself, one bit each.
    written: Cell<u16>,
    state: RefCell<GuestState>,
}

struct GuestState {
    free: Vec<u16>,
    in_flight: BTreeMap<u16, usize>,
    sent: usize,
    /// Times that each request was answered, and was done.
    answers: [u32; PLAN.len()],
    done: [u32; PLAN.len()],
    available: u16,
    used: u16,
}

impl Guest {
    fn new(Manner { event_index, polls }: Manner) -> Rc<Self> {
        let event = || EventFd::from_flags(EfdFlags::EFD_NONBLOCK | EfdFlags::EFD_CLOEXEC).unwrap();
        let state = GuestState {
            free: HEADS.to_vec(),
            in_flight: BTreeMap::new(),
            sent: 0,
            answers: [0; PLAN.len()],
            done: [0; PLAN.len()],
            available: FIRST_INDEX,
            used: FIRST_INDEX,
        };
        let guest = Self {
            memory: File::from(file_of(MEMORY_BYTES)),
            kick: event(),
            call: event(),
            event_index,
            polls,
            written: Cell::new(0),
            state: RefCell::new(state),
        };
        for at in [AVAILABLE + 2, USED + 2, USED_EVENT, AVAILABLE_EVENT] {
            guest.put(at, &FIRST_INDEX.to_le_bytes());
        }
        Rc::new(guest)
    }

    fn put(&self, at: u64, bytes: &[u8]) {
        self.memory.write_all_at(bytes, at).unwrap();
        self.written.set(self.written.get() | 1 << (at / BLOCK));
    }

    fn get<const N: usize>(&self, at: u64) -> [u8; N] {
        let mut bytes = [0; N];
        self.memory.read_exact_at(&mut bytes, at).unwrap();
        bytes
    }

    fn word(&self, at: u64) -> u16 {
        u16::from_le_bytes(self.get(at))
    }

    /// Work that it does on its own processor while a process serves it.
    fn work_meanwhile(&self) {
        if self.polls {
            self.take_answers();
        }
        self.work();
    }

    /// Takes answers if there was an interrupt, and sends what may be sent.
    fn work(&self) {
        if self.call.read().is_ok() {
            self.take_answers();
        }
        while self.send_next() {}
    }

    fn take_answers(&self) {
        let mut state = self.state.borrow_mut();
        loop {
            while state.used != self.word(USED + 2) {
                let entry = USED + 4 + 8 * u64::from(state.used % ENTRIES);
                let head = self.word(entry);
                let number = state.in_flight.remove(&head).expect("a request that is in flight is answered");
                state.answers[number] += 1;
                state.used = state.used.wrapping_add(1);
                state.free.push(head);
                assert_eq!(self.get(status_at(head)), [0], "request {number} is done");
                if let Ask::Read(content) = PLAN[number].ask {
                    assert_eq!(self.get(data_at(head)), [content; BLOCK as usize], "request {number}");
                }
            }
            self.put(USED_EVENT, &state.used.to_le_bytes());
            if state.used == self.word(USED + 2) {
                return;
            }
        }
    }

    /// Sends a request, if there is one whose turn it is, and a chain for it.
    fn send_next(&self) -> bool {
        let mut state = self.state.borrow_mut();
        let number = state.sent;
        let Some(plan) = PLAN.get(number) else { return false };
        if plan.after.is_some_and(|before| state.answers[before] == 0) {
            return false;
        }
        let Some(head) = state.free.pop() else { return false };
        self.put_request(head, number);
        state.in_flight.insert(head, number);
        state.sent += 1;
        let before = state.available;
        self.put(AVAILABLE + 4 + 2 * u64::from(before % ENTRIES), &head.to_le_bytes());
        state.available = before.wrapping_add(1);
        self.put(AVAILABLE + 2, &state.available.to_le_bytes());
        let is_asked_for = !self.event_index || self.word(AVAILABLE_EVENT) == before;
        if is_asked_for {
            self.kick.write(1).unwrap();
        }
        true
    }

    fn put_request(&self, head: u16, number: usize) {
        const NEXT: u16 = 1;
        const WRITE: u16 = 2;
        let Plan { ask, block, .. } = PLAN[number];
        let sector = block * BLOCK / 512;
        let (kind, data, flags, length) = match ask {
            Ask::Read(_) => (0_u32, vec![0xee; BLOCK as usize], NEXT | WRITE, BLOCK as u32),
            Ask::Write => (1, vec![number as u8 + 1; BLOCK as usize], NEXT, BLOCK as u32),
            Ask::Flush => (4, Vec::new(), NEXT, 0),
            Ask::Zeroes => (13, [sector.to_le_bytes(), (BLOCK / 512).to_le_bytes()].concat(), NEXT, 16),
        };
        let header = 0x2000 + 0x40 * u64::from(head);
        self.put(header, &[u64::from(kind).to_le_bytes(), sector.to_le_bytes()].concat());
        self.put(data_at(head), &data);
        self.put(status_at(head), &[0xff]);
        let descriptors = [(header, 16, NEXT), (data_at(head), length, flags), (status_at(head), 1, WRITE)];
        for (number, (at, length, flags)) in (head..).zip(descriptors) {
            let descriptor = u128::from(at)
                | u128::from(length) << 64
                | u128::from(flags) << 96
                | u128::from(number + 1) << 112;
            self.put(16 * u64::from(number), &descriptor.to_le_bytes());
        }
    }

    /// Records that a process does a request: one that the guest waits for.
    fn note_done(&self, is_it: impl Fn(usize, &Plan) -> bool) {
        let number = PLAN.iter().enumerate().position(|(number, plan)| is_it(number, plan));
        let number = number.expect("the guest planned it");
        let mut state = self.state.borrow_mut();
        let end = self.word(USED + 2);
        let mut unseen = state.used;
        while unseen != end {
            let head = self.word(USED + 4 + 8 * u64::from(unseen % ENTRIES));
            assert_ne!(state.in_flight.get(&head), Some(&number), "its answer is in the used ring");
            unseen = unseen.wrapping_add(1);
        }
        assert_eq!(state.answers[number], 0, "request {number} is done again after its answer");
        state.done[number] += 1;
    }

    fn is_served(&self) -> bool {
        self.state.borrow().answers == [1; PLAN.len()]
    }
}

fn data_at(head: u16) -> u64 {
    0x4000 + 0x1000 * u64::from(head / 3)
}

fn status_at(head: u16) -> u64 {
    0x3000 + u64::from(head)
}

/// The disk that all processes serve. What a killed process has not done to it is never done.
struct Disk {
    guest: Rc<Guest>,
    content: Content,
}

impl Disk {
    /// Lets others go first, so that requests end in another order than they began in.
    async fn wait(&self, block: u64) {
        for _ in 0..(block * 7 + 3) % 5 {
            turn().await;
        }
    }

    async fn survive(&self) {
        if !may_store() {
            std::future::pending::<()>().await;
        }
    }
}

impl BlockDevice for Disk {
    fn geometry(&self) -> Geometry {
        self.content.geometry()
    }

    async fn read(&self, offset: u64, mut buffer: Buffer) -> Outcome {
        self.wait(offset / BLOCK).await;
        self.guest.note_done(|_, plan| matches!(plan.ask, Ask::Read(_)) && plan.block * BLOCK == offset);
        self.content.peek(offset, &mut buffer);
        (buffer, Ok(()))
    }

    fn try_read_cached(&self, wanted: &mut [WantedRange], take: &mut dyn FnMut(usize, &[u8])) {
        for (place, wanted) in wanted.iter_mut().enumerate() {
            let offset = wanted.range.start;
            if (offset / BLOCK).is_multiple_of(2) && !is_killed() {
                self.guest
                    .note_done(|_, plan| matches!(plan.ask, Ask::Read(_)) && plan.block * BLOCK == offset);
                let mut bytes = vec![0; wanted.range.len() as usize];
                self.content.peek(offset, &mut bytes);
                take(place, &bytes);
                wanted.given = true;
            }
        }
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.wait(offset / BLOCK + 1).await;
        self.survive().await;
        self.guest.note_done(|number, _| number + 1 == usize::from(buffer[0]));
        self.content.poke(offset, &buffer);
        (buffer, Ok(()))
    }

    async fn flush(&self) -> Result<(), BlockError> {
        self.wait(1).await;
        self.survive().await;
        self.guest.note_done(|_, plan| plan.ask == Ask::Flush);
        Ok(())
    }

    async fn write_zeroes(&self, range: ByteRange, _: Unmap) -> Result<(), BlockError> {
        self.wait(2).await;
        self.survive().await;
        self.guest.note_done(|_, plan| plan.ask == Ask::Zeroes && plan.block * BLOCK == range.start);
        self.content.clear(&range);
        Ok(())
    }

    async fn discard(&self, _: ByteRange) -> Result<(), BlockError> {
        Ok(())
    }
}

/// Part of a process that outlives it.
struct World {
    guest: Rc<Guest>,
    content: Content,
    record: (OwnedFd, Shape),
    migration: Rc<Migration>,
}

/// A front end that copies the memory while the guest runs.
struct Migration {
    bitmap: File,
    copy: RefCell<Vec<u8>>,
}

impl Migration {
    /// Copies all pages that guest or process have marked since the last time.
    fn copy_marked(&self, guest: &Guest) {
        let mut marked = [0; 2];
        self.bitmap.read_exact_at(&mut marked, 0).unwrap();
        self.bitmap.write_all_at(&[0; 2], 0).unwrap();
        let marked = u16::from_le_bytes(marked) | guest.written.take();
        for page in (0..16).filter(|page| marked & 1 << page != 0) {
            let (at, mut copy) = (page * BLOCK, self.copy.borrow_mut());
            let place = at as usize..(at + BLOCK) as usize;
            guest.memory.read_exact_at(&mut copy[place], at).unwrap();
        }
    }

    fn is_complete(&self, guest: &Guest) -> bool {
        self.copy_marked(guest);
        *self.copy.borrow() == guest.get::<{ MEMORY_BYTES as usize }>(0)
    }
}

/// End of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Killed,
    /// Everything was answered, and the queue was stopped.
    Stopped,
}

impl World {
    fn new(manner: Manner) -> Self {
        let content = Content::new(64 * BLOCK);
        for block in 0..64 {
            content.poke(block * BLOCK, &[0x80 | block as u8; BLOCK as usize]);
        }
        let (_, shape, file) = Inflight::create(1, ENTRIES).unwrap();
        let copy = RefCell::new(vec![0; MEMORY_BYTES as usize]);
        let migration = Rc::new(Migration { bitmap: File::from(file_of(4096)), copy });
        Self { guest: Guest::new(manner), content, record: (file, shape), migration }
    }

    /// Starts the queue in a process of its own.
    fn start(&self, ring: &Ring, host: &LocalHost) -> Rc<Vring<Disk>> {
        let Self { guest, content, record: (file, shape), migration } = self;
        let mut regions = Regions::default();
        let region = VhostUserMemoryRegion::new(0, MEMORY_BYTES, USER, 0);
        let room = Arc::new(Semaphore::new(1));
        regions.add(&region, guest.memory.try_clone().unwrap().into(), &room).unwrap();
        let log = Arc::new(DirtyLog::default());
        log.set(migration.bitmap.try_clone().unwrap().into(), 0, 4096).unwrap();
        log.turn(true);
        let event = |event: &EventFd| Some(Arc::new(event.as_fd().try_clone_to_owned().unwrap()));
        let setup = Setup {
            size: ENTRIES,
            addresses: Some(Addresses {
                descriptors: USER,
                available: USER + AVAILABLE,
                used: USER + USED,
                log: Some(USED),
            }),
            base: FIRST_INDEX,
            kick: event(&guest.kick),
            call: event(&guest.call),
            error: None,
            enabled: true,
            broken: false,
        };
        let record = Inflight::open(file.try_clone().unwrap(), *shape).unwrap().record(0);
        let disk = Disk { guest: Rc::clone(guest), content: content.clone() };
        let surroundings = Surroundings {
            door: VhostUserDoor::new("disk", disk),
            ring: ring.clone(),
            memory: Rc::new(regions.memory(&log).unwrap().unwrap()),
            record,
            terms: ExecutionTerms { write_through: false, identity: [0; 20] },
            event_index: guest.event_index,
            number: 0,
        };
        Vring::start(&setup, surroundings, host).unwrap()
    }

    /// Begins a process. The guest works, and the front end copies its memory, between any two of its stores.
    fn begin_process(&self, stores: Option<u64>) {
        let (guest, migration) = (Rc::clone(&self.guest), Rc::clone(&self.migration));
        let meanwhile = move || {
            guest.work_meanwhile();
            migration.copy_marked(&guest);
        };
        begin_process(stores, Rc::new(meanwhile));
    }

    /// Runs a process until it is killed after so many stores, or the guest has all its answers.
    fn live(&self, stores: Option<u64>) -> End {
        self.begin_process(stores);
        let ring = Ring::new(32).unwrap();
        let executor = Executor::new(ring.clone(), Order::Fifo);
        let host = executor.host();
        let end = executor.run(async {
            let vring = self.start(&ring, &host);
            for _ in 0..TURNS_MAX {
                if is_killed() {
                    return End::Killed;
                }
                self.guest.work();
                if self.guest.is_served() {
                    let base = vring.stop().await;
                    if is_killed() {
                        return End::Killed;
                    }
                    assert_eq!(base, self.guest.state.borrow().available, "all that was sent was taken");
                    assert!(!vring.is_broken());
                    return End::Stopped;
                }
                turn().await;
            }
            let state = self.guest.state.borrow();
            panic!("the guest waits for ever; answers: {:?}, done: {:?}", state.answers, state.done);
        });
        end.expect("a ring never stalls")
    }

    /// Runs a process whose front end starts the queue and stops it at once.
    fn start_and_stop(&self) {
        self.begin_process(None);
        let ring = Ring::new(32).unwrap();
        let executor = Executor::new(ring.clone(), Order::Fifo);
        let host = executor.host();
        let stopped = executor.run(async { self.start(&ring, &host).stop().await });
        stopped.expect("a ring never stalls");
        end_process();
    }

    /// Checks what is left when the guest has all its answers.
    fn check(&self, lives: u32) {
        assert!(self.guest.is_served(), "each request is answered once");
        let done = self.guest.state.borrow().done;
        assert!(done.iter().all(|&times| (1..=lives).contains(&times)), "{done:?} in {lives} lives");
        for (block, byte) in CONTENT {
            let mut content = [0xee; BLOCK as usize];
            self.content.peek(block * BLOCK, &mut content);
            assert_eq!(content, [byte; BLOCK as usize], "block {block}");
        }
        let record = Inflight::open(self.record.0.try_clone().unwrap(), self.record.1).unwrap();
        let used = self.guest.word(USED + 2);
        assert_eq!(record.record(0).unwrap().recover(used, ENTRIES), Ok(Vec::new()), "nothing is in flight");
        assert!(self.migration.is_complete(&self.guest), "a migration has everything that was stored");
    }
}

/// Kills a process after each number of stores, has `recover` run the next ones, and checks what is left. Returns how many stores
/// a process makes that is not killed.
fn kill_after_each_store(manner: Manner, recover: impl Fn(&World, u64) -> u32) -> u64 {
    for stores in 0.. {
        let world = World::new(manner);
        let end = world.live(Some(stores));
        let more = if end == End::Killed { recover(&world, stores) } else { 0 };
        end_process();
        world.check(1 + more);
        if end == End::Stopped {
            return stores;
        }
    }
    unreachable!("a process makes so many stores and no more");
}

#[test]
fn a_process_killed_after_any_store_leaves_each_request_to_be_answered_once_by_the_next_one() {
    for manner in MANNERS {
        let stores = kill_after_each_store(manner, |world, stores| {
            assert_eq!(world.live(None), End::Stopped, "after {stores} stores");
            1
        });
        // Of each request: two when it is taken, its status, five of record and ring, and the log.
        assert!(stores > 9 * PLAN.len() as u64, "{stores} stores");
    }
}

#[test]
fn a_second_process_killed_after_any_store_leaves_each_request_to_be_answered_once_by_a_third() {
    for manner in MANNERS {
        kill_after_each_store(manner, |world, stores| {
            // Each first cut meets other second ones, most of them while it is recovered.
            let second = stores * 7 % 19;
            if world.live(Some(second)) == End::Stopped {
                return 1;
            }
            assert_eq!(world.live(None), End::Stopped, "after {stores} and {second} stores");
            2
        });
    }
}

#[test]
fn a_queue_that_is_started_and_stopped_at_once_leaves_a_migration_every_store_of_a_killed_process() {
    for manner in MANNERS {
        kill_after_each_store(manner, |world, stores| {
            world.start_and_stop();
            assert!(world.migration.is_complete(&world.guest), "after {stores} stores");
            assert_eq!(world.live(None), End::Stopped, "after {stores} stores");
            2
        });
    }
}
