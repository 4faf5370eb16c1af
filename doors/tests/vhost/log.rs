//! The log of written pages, as a migration needs it: each page of the guest that changed is marked, whatever changed it.
//!
//! Changes are determined by comparing memory, not by the door's records.

use std::collections::BTreeSet;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;

use block::ErrorKind;
use nix::sys::memfd::{MFdFlags, memfd_create};
use vhost::{VhostBackend, VhostUserDirtyLogRegion};

use crate::driver::{
    DISCARD, Data, Driver, EVENT_IDX, FLUSH, GET_ID, IN, MEMORY, NEXT, OUT, Options, USER, WRITE,
    WRITE_ZEROES,
};
use crate::patience;
use crate::server::{MIB, Server};

const PAGE: u64 = 4096;
/// The bitmap of all memory, and where it begins in its file.
const LOG_BYTES: u64 = MEMORY / PAGE / 8;
const LOG_AT: u64 = 4096;
/// Number of entries with which the used ring lies in two pages: its index in one, and the event index behind it in the other.
const ENTRIES: u16 = 512;

/// A bitmap that a front end shares.
struct Log(File);

impl Log {
    /// Shares a new one with the door, in the place of any that it has.
    fn share(driver: &Driver) -> Self {
        let file = File::from(memfd_create(c"log", MFdFlags::empty()).unwrap());
        file.set_len(LOG_AT + LOG_BYTES).unwrap();
        let region = VhostUserDirtyLogRegion {
            mmap_size: LOG_BYTES,
            mmap_offset: LOG_AT,
            mmap_handle: file.as_raw_fd(),
        };
        driver.frontend.set_log_base(0, Some(region)).unwrap();
        Self(file)
    }

    /// As a front end does that begins a migration while the guest runs.
    fn begin(driver: &mut Driver) -> Self {
        let log = Self::share(driver);
        let features = driver.frontend.get_features().unwrap() & !driver.options.without;
        driver.frontend.set_features(features).unwrap();
        for index in 0..driver.rings.len() {
            let used = driver.rings[index].addresses(None).used_ring_addr - USER;
            driver.frontend.set_vring_addr(index, &driver.rings[index].addresses(Some(used))).unwrap();
        }
        log
    }

    /// Returns the pages that are marked, which are not any more then.
    fn take(&self) -> BTreeSet<u64> {
        let mut bits = vec![0; LOG_BYTES as usize];
        self.0.read_exact_at(&mut bits, LOG_AT).unwrap();
        self.0.write_all_at(&vec![0; LOG_BYTES as usize], LOG_AT).unwrap();
        let is_marked = |page: &u64| bits[(page / 8) as usize] & 1 << (page % 8) != 0;
        (0..MEMORY / PAGE).filter(is_marked).collect()
    }
}

/// Returns all of the guest's memory as it is.
fn snapshot(driver: &Driver) -> Vec<u8> {
    let mut bytes = vec![0; MEMORY as usize];
    driver.file.read_exact_at(&mut bytes, 0).unwrap();
    bytes
}

/// Returns the pages that are others than in `before`.
fn changed_since(before: &[u8], driver: &Driver) -> BTreeSet<u64> {
    let now = snapshot(driver);
    let pages = before.chunks(PAGE as usize).zip(now.chunks(PAGE as usize));
    (0..).zip(pages).filter(|(_, (before, now))| before != now).map(|(page, _)| page).collect()
}

/// Returns the pages of these bytes.
fn pages(at: u64, length: u64) -> BTreeSet<u64> {
    if length == 0 { BTreeSet::new() } else { (at / PAGE..=(at + length - 1) / PAGE).collect() }
}

/// Returns the pages of the used ring: that of its index, and that of the event index, which is another one.
fn ring_pages(driver: &Driver) -> [u64; 2] {
    let used = driver.rings[0].addresses(None).used_ring_addr - USER;
    let ring = [used / PAGE, (used + 4 + 8 * u64::from(ENTRIES)) / PAGE];
    assert_ne!(ring[0], ring[1]);
    ring
}

/// Waits until the first queue has requested a kick for the next request.
fn until_kicks_are_asked_for(server: &Server, driver: &Driver) {
    if driver.options.without & EVENT_IDX == 0 {
        patience::until(|| driver.event_index(0) == driver.available_index(0));
    }
    // The door is through with what it did: this has its turn then.
    server.run(|_| ());
}

/// Returns a driver of one queue whose disk has sevens in its first MiB, and whose memory for data has other bytes everywhere.
fn driven(server: &Server, without: u64) -> Driver {
    let mut driver = Driver::with(server, Options { size: ENTRIES, without, ..Options::default() });
    for sector in (0..2048).step_by(128) {
        assert_eq!(driver.request(0, OUT, sector, &Data::Out(vec![7; 65536])), 0);
    }
    driver.file.write_all_at(&vec![0xee; MIB as usize], Driver::data_at(0, 0)).unwrap();
    until_kicks_are_asked_for(server, &driver);
    driver
}

/// One request in its slot, with its expected status and the bytes of its data that the door writes.
struct Case {
    name: &'static str,
    slot: u16,
    kind: u32,
    sector: u64,
    data: Data,
    status: u8,
    written: u64,
}

fn cases() -> [Case; 11] {
    let case = |name, slot, kind, sector, data, status, written| Case {
        name,
        slot,
        kind,
        sector,
        data,
        status,
        written,
    };
    let range = |sector: u64, flags: u32| {
        Data::Out([&sector.to_le_bytes()[..], &8u32.to_le_bytes(), &flags.to_le_bytes()].concat())
    };
    // Of the first MiB half is in RAM.
    [
        case("a cold read", 0, IN, 1024, Data::In(65536), 0, 65536),
        case("a short cold read", 1, IN, 1025, Data::In(512), 0, 512),
        case("a read at hand", 2, IN, 0, Data::In(16384), 0, 16384),
        case("a short read at hand", 3, IN, 1, Data::In(512), 0, 512),
        case("a read past the end", 4, IN, 64 * MIB / 512, Data::In(512), 1, 0),
        case("a write", 5, OUT, 100, Data::Out(vec![9; 4096]), 0, 0),
        case("a flush", 6, FLUSH, 0, Data::None, 0, 0),
        case("the name", 7, GET_ID, 0, Data::In(20), 0, 20),
        case("a discard", 8, DISCARD, 0, range(200, 0), 0, 0),
        case("zeroes", 9, WRITE_ZEROES, 0, range(300, 1), 0, 0),
        case("what there is not", 10, 77, 0, Data::None, 2, 0),
    ]
}

#[test]
fn each_page_that_a_request_of_any_kind_changes_is_marked_and_no_other() {
    for without in [0, EVENT_IDX] {
        let server = Server::start();
        let mut driver = driven(&server, without);
        server.run(|world| world.disk.at_hand.set(MIB / 2));
        let log = Log::begin(&mut driver);
        let ring = ring_pages(&driver);
        for Case { name, slot, kind, sector, data, status, written } in cases() {
            server.run(|world| drop(world.disk.done.take()));
            driver.submit(0, slot, kind, sector, &data);
            let before = snapshot(&driver);
            driver.kick(0);
            assert_eq!(driver.answer(0), (slot, written as u32 + 1), "{name}");
            assert_eq!(driver.status(0, slot), status, "{name}");
            until_kicks_are_asked_for(&server, &driver);
            let (changed, marked) = (changed_since(&before, &driver), log.take());
            let mut expected = pages(Driver::data_at(0, slot), written);
            expected.insert(driver.status_at(0, slot) / PAGE);
            expected.insert(ring[0]);
            if without == 0 {
                expected.insert(ring[1]);
            }
            assert_eq!(changed, expected, "{name}: what it is to change");
            assert!(marked.is_superset(&changed), "{name} changed {changed:?}, and {marked:?} are marked");
            expected.insert(ring[1]);
            assert_eq!(marked, expected, "{name}: nothing else, but that the ring is marked as a whole");
            let at_hand = server.run(|world| world.disk.done.borrow().is_empty());
            assert_eq!(at_hand, name.contains("at hand") || status == 2 || kind == GET_ID, "{name}");
        }
    }
}

/// Data that begins and ends inside of pages, in pieces that lie apart and out of order.
#[test]
fn each_page_of_an_answer_in_pieces_is_marked() {
    for at_hand in [0, MIB] {
        let server = Server::start();
        let mut driver = driven(&server, 0);
        server.run(move |world| world.disk.at_hand.set(at_hand));
        let log = Log::begin(&mut driver);
        let at = Driver::data_at(0, 0);
        let pieces = [(at + 9 * PAGE - 1, 2), (at + 3 * PAGE + 5, 5000), (at + PAGE - 7, 8192 - 5002)];
        let head = driver.status_at(0, 0) - 16;
        driver.put_header(head, IN, 0);
        driver.put(0, 0, (head, 16, NEXT, 1));
        for (index, (at, length)) in (1..).zip(pieces) {
            driver.put(0, index, (at, length as u32, NEXT | WRITE, index + 1));
        }
        driver.put(0, 4, (head + 16, 1, WRITE, 0));
        driver.file.write_all_at(&[0xff], head + 16).unwrap();
        driver.offer(0, 0);
        let before = snapshot(&driver);
        driver.kick(0);
        assert_eq!(driver.answer(0), (0, 8193));
        until_kicks_are_asked_for(&server, &driver);
        let mut expected: BTreeSet<u64> =
            pieces.into_iter().flat_map(|(at, length)| pages(at, length)).collect();
        expected.insert(driver.status_at(0, 0) / PAGE);
        expected.extend(ring_pages(&driver));
        assert_eq!(changed_since(&before, &driver), expected);
        assert_eq!(log.take(), expected);
    }
}

/// Makes the disk hold two cold reads, a write and a flush of the first queue, which has requested kicks by then.
fn with_requests_held(server: &Server, driver: &mut Driver) {
    server.run(|world| world.disk.hold());
    driver.submit(0, 0, IN, 0, &Data::In(8192));
    driver.submit(0, 1, IN, 64, &Data::In(512));
    driver.submit(0, 2, OUT, 128, &Data::Out(vec![3; 512]));
    driver.submit(0, 3, FLUSH, 0, &Data::None);
    driver.kick(0);
    server.until(|world| world.disk.held().len() == 4);
    until_kicks_are_asked_for(server, driver);
}

/// The event index is written also where nothing is answered.
#[test]
fn a_queue_that_asks_to_be_kicked_marks_where_it_does() {
    let server = Server::start();
    let mut driver = driven(&server, 0);
    let log = Log::begin(&mut driver);
    let [_, event] = ring_pages(&driver);
    server.run(|world| world.disk.hold());
    driver.submit(0, 0, FLUSH, 0, &Data::None);
    let before = snapshot(&driver);
    driver.kick(0);
    until_kicks_are_asked_for(&server, &driver);
    assert_eq!(changed_since(&before, &driver), [event].into());
    assert!(log.take().contains(&event));
    assert_eq!(server.run(|world| world.disk.held().len()), 1, "nothing is answered");
    server.run(|world| world.disk.release_all());
}

/// Returns the pages that the answers to these change.
fn changed_by_them(driver: &Driver) -> BTreeSet<u64> {
    let mut expected = pages(Driver::data_at(0, 0), 8192);
    expected.extend(pages(Driver::data_at(0, 1), 512));
    expected.insert(driver.status_at(0, 0) / PAGE);
    expected.insert(ring_pages(driver)[0]);
    expected
}

#[test]
fn what_was_in_flight_when_the_log_came_is_marked_in_it_when_it_is_answered() {
    let server = Server::start();
    let mut driver = driven(&server, 0);
    with_requests_held(&server, &mut driver);
    let before = snapshot(&driver);
    let first = Log::begin(&mut driver);
    server.run(|world| world.disk.release_all());
    assert!(driver.answers(0, 4).values().all(|&status| status == 0));
    server.run(|_| ());
    assert_eq!(changed_since(&before, &driver), changed_by_them(&driver));
    assert!(first.take().is_superset(&changed_by_them(&driver)));
    // Another log in its place, as a front end sends that begins another migration.
    driver.file.write_all_at(&vec![0xee; MIB as usize], Driver::data_at(0, 0)).unwrap();
    with_requests_held(&server, &mut driver);
    first.take();
    let before = snapshot(&driver);
    let second = Log::share(&driver);
    server.run(|world| world.disk.release_all());
    assert!(driver.answers(0, 4).values().all(|&status| status == 0));
    server.run(|_| ());
    assert_eq!(changed_since(&before, &driver), changed_by_them(&driver));
    assert!(second.take().is_superset(&changed_by_them(&driver)));
    assert_eq!(first.take(), BTreeSet::new(), "nobody looks at the old one any more");
}

#[test]
fn once_a_migration_has_ended_nothing_is_marked() {
    let server = Server::start();
    let mut driver = driven(&server, 0);
    let log = Log::begin(&mut driver);
    driver.read(0, 0, 512);
    until_kicks_are_asked_for(&server, &driver);
    assert!(!log.take().is_empty());
    let features = driver.frontend.get_features().unwrap();
    driver.frontend.set_features(features & !(1 << 26)).unwrap();
    driver.frontend.set_vring_addr(0, &driver.rings[0].addresses(None)).unwrap();
    driver.read(0, 0, 512);
    until_kicks_are_asked_for(&server, &driver);
    assert_eq!(log.take(), BTreeSet::new());
}

#[test]
fn the_log_goes_along_to_another_door_and_misses_nothing_on_the_way() {
    let (server, other) = (Server::start(), Server::start());
    let mut driver = driven(&server, 0);
    let log = Log::begin(&mut driver);
    with_requests_held(&server, &mut driver);
    let before = snapshot(&driver);
    log.take();
    let paused = server.pause();
    server.run(|world| world.disk.release_all());
    let paused = patience::hear(&paused);
    let changed = changed_since(&before, &driver);
    assert_eq!(changed, changed_by_them(&driver));
    assert!(log.take().is_superset(&changed), "what ended while the queue came to rest");
    // Later changes are found by the other one.
    driver.file.write_all_at(&vec![0xee; MIB as usize], Driver::data_at(0, 0)).unwrap();
    driver.submit(0, 4, IN, 0, &Data::In(8192));
    let before = snapshot(&driver);
    other.run(move |world| world.door.go_on(&world.ring, &world.host, paused));
    assert_eq!(driver.answers(0, 5).len(), 5);
    until_kicks_are_asked_for(&other, &driver);
    let mut expected = pages(Driver::data_at(0, 4), 8192);
    expected.insert(driver.status_at(0, 4) / PAGE);
    expected.extend(ring_pages(&driver));
    assert_eq!(changed_since(&before, &driver), expected);
    assert_eq!(log.take(), expected);
    // Another log is taken there as well.
    let next = Log::share(&driver);
    driver.read(0, 0, 512);
    until_kicks_are_asked_for(&other, &driver);
    assert!(next.take().is_superset(&ring_pages(&driver).into()));
    assert_eq!(log.take(), BTreeSet::new());
}

#[test]
fn a_disk_that_fails_has_its_status_marked() {
    let server = Server::start();
    let mut driver = driven(&server, 0);
    let log = Log::begin(&mut driver);
    server.run(|world| world.disk.failing.set(Some(ErrorKind::Io)));
    for (slot, kind, data) in
        [(0, IN, Data::In(512)), (1, OUT, Data::Out(vec![1; 512])), (2, FLUSH, Data::None)]
    {
        driver.submit(0, slot, kind, 0, &data);
        let before = snapshot(&driver);
        driver.kick(0);
        assert_eq!(driver.answer(0), (slot, 1));
        assert_eq!(driver.status(0, slot), 1);
        until_kicks_are_asked_for(&server, &driver);
        let changed = changed_since(&before, &driver);
        assert!(changed.contains(&(driver.status_at(0, slot) / PAGE)));
        assert_eq!(log.take(), changed);
    }
}
