//! Guests and front ends that break the rules: queues and connections break, and nothing else does.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

use nix::sys::memfd::{MFdFlags, memfd_create};
use vhost::vhost_user::VhostUserFrontend;
use vhost::vhost_user::message::VhostUserInflight;
use vhost::{VhostBackend, VringConfigData};

use crate::driver::{Data, Driver, IN, MEMORY, NEXT, OUT, Options, USER, WRITE, region};
use crate::patience;
use crate::server::{MIB, Server};

/// Waits until the door has given a queue up, and its front end was notified; the other queue still works.
fn expect_broken(server: &Server, driver: &mut Driver) {
    server.until(|world| world.door.counters().broken_queues == 1);
    patience::until(|| driver.rings[0].error.read().is_ok());
    assert_eq!(driver.read(1, 0, 512), [0; 512], "the other queue works");
    driver.frontend.get_vring_base(0).expect("and the broken one can be stopped");
}

/// Breaks the first queue of a driver in one way.
fn broken_by(breaks: impl FnOnce(&mut Driver)) {
    let server = Server::start();
    let mut driver = Driver::with(&server, Options { queues: 2, ..Options::default() });
    breaks(&mut driver);
    driver.kick(0);
    expect_broken(&server, &mut driver);
    drop(driver);
    server.until_nothing_is_left();
}

#[test]
fn a_chain_that_runs_in_a_circle_breaks_its_queue() {
    broken_by(|driver| {
        driver.put(0, 0, (MIB, 16, NEXT, 1));
        driver.put(0, 1, (MIB, 16, NEXT, 0));
        driver.offer(0, 0);
    });
}

#[test]
fn descriptors_beyond_the_table_or_outside_of_memory_break_their_queue() {
    broken_by(|driver| driver.offer(0, 256));
    broken_by(|driver| {
        driver.put(0, 0, (MIB, 16, NEXT, 256));
        driver.offer(0, 0);
    });
    // An indirect table where there is no memory.
    broken_by(|driver| {
        driver.put(0, 0, (MEMORY - 16, 64, 4, 0));
        driver.offer(0, 0);
    });
}

#[test]
fn a_request_without_a_place_for_its_status_breaks_its_queue() {
    broken_by(|driver| {
        driver.put(0, 0, (MIB, 16, 0, 0));
        driver.offer(0, 0);
    });
    broken_by(|driver| {
        driver.put(0, 0, (MIB, 16, NEXT, 1));
        driver.put(0, 1, (MEMORY, 1, WRITE, 0));
        driver.offer(0, 0);
    });
}

#[test]
fn a_ring_that_claims_more_than_it_has_breaks() {
    broken_by(|driver| driver.claim(0, 257));
    broken_by(|driver| driver.claim(0, u16::MAX));
}

#[test]
fn a_request_that_is_sent_twice_breaks_its_queue_and_is_answered_once() {
    let server = Server::start();
    let mut driver = Driver::with(&server, Options { queues: 2, ..Options::default() });
    server.run(|world| world.disk.hold());
    driver.submit(0, 0, OUT, 9, &Data::Out(vec![1; 512]));
    driver.offer(0, 0);
    driver.kick(0);
    server.until(|world| world.disk.held().len() == 1 && world.door.counters().broken_queues == 1);
    server.run(|world| world.disk.release_all());
    expect_broken(&server, &mut driver);
    assert_eq!((driver.answer(0), driver.used_index(0)), ((0, 1), 1));
}

#[test]
fn what_was_taken_before_a_ring_lied_is_answered() {
    for at_hand in [0, MIB] {
        let server = Server::start();
        let mut driver = Driver::with(&server, Options { queues: 2, ..Options::default() });
        assert_eq!(driver.request(0, OUT, 1, &Data::Out(vec![7; 16384])), 0);
        server.run(move |world| world.disk.at_hand.set(at_hand));
        for slot in 1..6 {
            driver.submit(0, slot, IN, u64::from(slot), &Data::In(512));
        }
        driver.offer(0, 999);
        driver.submit(0, 7, IN, 0, &Data::In(512));
        driver.kick(0);
        let answers = driver.answers(0, 5);
        assert!(answers.into_iter().eq((1..6).map(|slot| (slot, 0))));
        assert!((1..6).all(|slot| driver.data(0, slot, 512) == [7; 512]));
        expect_broken(&server, &mut driver);
        assert_eq!(driver.used_index(0), 6, "nothing behind it");
    }
}

#[test]
fn data_outside_of_memory_is_an_error_and_the_queue_goes_on() {
    let server = Server::start();
    let mut driver = Driver::start(&server);
    for (at, length) in [(MEMORY, 512), (MEMORY - 511, 512), (u64::MAX - 511, 512), (0, u32::MAX)] {
        for (kind, flags) in [(IN, WRITE), (OUT, 0)] {
            driver.submit(0, 0, kind, 0, &Data::In(512));
            // The data is moved before the door reads the descriptor.
            driver.put(0, 1, (at, length, NEXT | flags, 2));
            driver.kick(0);
            assert_eq!((driver.answer(0), driver.status(0, 0)), ((0, 1), 1));
        }
    }
    assert_eq!(driver.read(0, 0, 512), [0; 512]);
    assert_eq!(server.run(|world| world.door.counters().broken_queues), 0);
}

#[test]
fn queues_that_cannot_be_are_refused() {
    let server = Server::start();
    let mut driver = Driver::start(&server);
    driver.frontend.get_vring_base(0).unwrap();
    for size in [0u16, 3, 2048] {
        assert!(driver.frontend.set_vring_num(0, size).is_err(), "{size} entries");
    }
    let mut starts = |addresses: VringConfigData| {
        let frontend = &mut driver.frontend;
        frontend.set_vring_addr(0, &addresses).unwrap();
        frontend.set_vring_kick(0, &driver.rings[0].kick).is_ok()
    };
    let good = driver.rings[0].addresses(None);
    let beyond = USER + MEMORY - 16;
    assert!(!starts(VringConfigData { used_ring_addr: beyond, ..good }));
    assert!(!starts(VringConfigData { avail_ring_addr: beyond, ..good }));
    assert!(!starts(VringConfigData { desc_table_addr: beyond, ..good }));
    assert!(!starts(VringConfigData { desc_table_addr: USER - 16, ..good }));
    assert!(starts(good));
    driver.frontend.set_vring_enable(0, true).unwrap();
    assert!(driver.frontend.set_vring_num(0, 128).is_err(), "it is at work");
    assert!(driver.frontend.set_vring_base(0, 5).is_err());
    assert_eq!(driver.read(0, 0, 512), [0; 512]);
}

/// Regression: addresses that were refused while the queue was at work were those that it began with the next time.
#[test]
fn addresses_that_are_refused_are_not_those_of_the_next_start() {
    let (server, other) = (Server::start(), Server::start());
    let mut driver = Driver::start(&server);
    let good = driver.rings[0].addresses(None);
    let elsewhere = VringConfigData { used_ring_addr: good.used_ring_addr + 0x1000, ..good };
    // Where no queue can be, so that a start there fails, and where one could be.
    for refused in [VringConfigData { desc_table_addr: USER - 16, ..good }, elsewhere] {
        assert!(driver.frontend.set_vring_addr(0, &refused).is_err(), "it is at work");
        assert_eq!(driver.read(0, 0, 512), [0; 512], "it stays at work");
        driver.frontend.get_vring_base(0).unwrap();
        driver.frontend.set_vring_kick(0, &driver.rings[0].kick).expect("it is where it was");
        assert_eq!(driver.read(0, 0, 512), [0; 512], "it answers where it did");
    }
    assert!(driver.frontend.set_vring_addr(0, &elsewhere).is_err());
    let paused = patience::hear(&server.pause());
    other.run(move |world| world.door.go_on(&world.ring, &world.host, paused));
    assert_eq!(driver.read(0, 0, 512), [0; 512], "at another door too");
}

#[test]
fn memory_and_records_that_cannot_be_are_refused() {
    let server = Server::start();
    let mut driver = Driver::start(&server);
    let small = File::from(memfd_create(c"small", MFdFlags::empty()).unwrap());
    small.set_len(MIB).unwrap();
    assert!(driver.frontend.set_mem_table(&[region(&small, 2 * MIB)]).is_err(), "longer than its file");
    assert!(
        driver.frontend.set_mem_table(&[region(&small, MIB), region(&small, MIB)]).is_err(),
        "they overlap"
    );
    assert_eq!(driver.read(0, 0, 512), [0; 512], "it goes on with what it has");
    let shape = VhostUserInflight::new(MIB, 0, 1, 256);
    assert!(driver.frontend.set_inflight_fd(&shape, small.as_raw_fd()).is_err(), "not sealed");
    assert!(driver.frontend.get_inflight_fd(&VhostUserInflight::new(0, 0, 1000, 256)).is_err());
}

#[test]
fn a_queue_whose_ring_is_taken_away_waits_until_it_is_back() {
    let server = Server::start();
    let mut driver = Driver::start(&server);
    let small = File::from(memfd_create(c"small", MFdFlags::empty()).unwrap());
    small.set_len(0x1000).unwrap();
    driver.frontend.set_mem_table(&[region(&small, 0x1000)]).unwrap();
    driver.submit(0, 0, IN, 0, &Data::In(512));
    driver.kick(0);
    for _ in 0..50 {
        server.run(|_| ());
    }
    assert_eq!(driver.used_index(0), 0);
    driver.frontend.set_mem_table(&[region(&driver.file, MEMORY)]).unwrap();
    assert_eq!(driver.answer(0), (0, 513));
    // The same address of the front end is another one of the guest.
    let mut moved = region(&driver.file, MEMORY);
    moved.guest_phys_addr = 1 << 32;
    driver.frontend.set_mem_table(&[moved]).unwrap();
    server.until(|world| world.door.counters().broken_queues == 1);
}

/// Regression: a front end that changes its memory while the guest runs removes regions before it adds them again, and the queue broke, or
/// lost the answers in between.
#[test]
fn a_region_that_is_exchanged_under_requests_loses_no_answer() {
    let server = Server::start();
    let mut driver = Driver::start(&server);
    server.run(|world| world.disk.hold());
    driver.submit(0, 0, IN, 0, &Data::In(512));
    driver.submit(0, 1, IN, 1, &Data::In(512));
    driver.kick(0);
    server.until(|world| world.disk.held().len() == 2);
    let all = region(&driver.file, MEMORY);
    driver.frontend.remove_mem_region(&all).unwrap();
    server.run(|world| world.disk.release(0));
    assert_eq!((driver.answer(0), driver.status(0, 0)), ((0, 513), 0));
    driver.submit(0, 2, IN, 2, &Data::In(512));
    driver.kick(0);
    driver.frontend.add_mem_region(&all).unwrap();
    server.run(|world| world.disk.release_all());
    assert!(driver.answers(0, 2).values().all(|&status| status == 0));
    assert_eq!(server.run(|world| world.door.counters().broken_queues), 0);
}

/// Regression: a full event that blocks delayed the end of its queue for ever, and with it that of the daemon.
#[test]
fn an_event_that_nobody_reads_holds_nobody_up() {
    let server = Server::start();
    let mut driver = Driver::start(&server);
    let full = vmm_sys_util::eventfd::EventFd::new(0).unwrap();
    full.write(u64::MAX - 1).unwrap();
    driver.frontend.set_vring_call(0, &full).unwrap();
    assert_eq!(driver.read(0, 0, 512), [0; 512]);
    assert_eq!(driver.frontend.get_vring_base(0).unwrap(), 1);
    driver.start_ring(0, 1);
    driver.frontend.set_vring_call(0, &full).unwrap();
    assert_eq!(driver.read(0, 0, 512), [0; 512]);
    patience::hear(&server.close());
}

/// Sends the bytes with these files.
fn send_with_files(socket: &UnixStream, bytes: &[u8], files: &[&File]) -> bool {
    let descriptors: Vec<_> = files.iter().map(|file| file.as_raw_fd()).collect();
    let rights = [nix::sys::socket::ControlMessage::ScmRights(&descriptors)];
    let flags = nix::sys::socket::MsgFlags::MSG_NOSIGNAL;
    nix::sys::socket::sendmsg::<()>(socket.as_raw_fd(), &[std::io::IoSlice::new(bytes)], &rights, flags, None)
        .is_ok()
}

#[test]
fn files_that_could_block_a_shard_and_more_than_a_message_may_have_end_their_connection() {
    let server = Server::start();
    let zero = File::open("/dev/zero").unwrap();
    let words = |words: [u32; 5]| words.into_iter().flat_map(u32::to_ne_bytes).collect::<Vec<u8>>();
    let mut socket = UnixStream::connect(server.path()).unwrap();
    // As the event of a queue.
    assert!(send_with_files(&socket, &words([12, 1, 8, 0, 0]), &[&zero]));
    assert_eq!(socket.read(&mut [0; 8]).unwrap_or(0), 0);
    // In small pieces, so that no single one has too many.
    let memory = File::from(memfd_create(c"memory", MFdFlags::empty()).unwrap());
    let mut socket = UnixStream::connect(server.path()).unwrap();
    for byte in words([5, 1, 4000, 0, 0]) {
        if !send_with_files(&socket, &[byte], &[&memory; 10]) {
            break;
        }
    }
    assert_eq!(socket.read(&mut [0; 8]).unwrap_or(0), 0);
    server.until(|world| world.door.counters().protocol_errors == 2);
    server.until_nothing_is_left();
}

/// The file of a driver's memory gets shorter while its queue is at work: the signal that this raises ends no process.
#[test]
fn memory_whose_file_is_truncated_breaks_its_queue_and_nothing_else() {
    let server = Server::start();
    let mut neighbour = Driver::start(&server);
    let mut driver = Driver::start(&server);
    assert_eq!(driver.request(0, OUT, 7, &Data::Out(vec![5; 512])), 0);
    server.run(|world| world.disk.hold());
    driver.submit(0, 1, IN, 7, &Data::In(512));
    driver.submit(0, 2, OUT, 7, &Data::Out(vec![6; 512]));
    driver.kick(0);
    server.until(|world| world.disk.held().len() == 2);
    driver.truncate(0);
    // An answer to a place without memory, then a read of a ring that is gone.
    server.run(|world| world.disk.release_all());
    driver.kick(0);
    server.until(|world| world.door.counters().broken_queues == 1);
    driver.frontend.get_vring_base(0).expect("the connection goes on");
    assert_eq!(neighbour.read(0, 7, 512), [6; 512]);
    drop((driver, neighbour));
    server.until_nothing_is_left();
}

/// Zeroes stand in for memory that is gone. They must not be taken for what the guest wants to have written.
#[test]
fn a_write_of_memory_that_is_gone_does_not_reach_the_disk() {
    let server = Server::start();
    let mut neighbour = Driver::start(&server);
    assert_eq!(neighbour.request(0, OUT, 9, &Data::Out(vec![5; 512])), 0);
    let mut driver = Driver::start(&server);
    driver.submit(0, 60, OUT, 9, &Data::Out(vec![6; 512]));
    // The ring, the header and the status stay; the data goes.
    driver.truncate(Driver::data_at(0, 60));
    driver.kick(0);
    server.until(|world| world.door.counters().broken_queues == 1);
    assert_eq!(neighbour.read(0, 9, 512), [5; 512]);
}

/// Many times, so that what is kept of each mapping is given back.
#[test]
fn memory_that_was_truncated_is_forgotten_with_its_connection() {
    let server = Server::start();
    for round in 1..=50 {
        let driver = Driver::start(&server);
        driver.truncate(0);
        driver.kick(0);
        server.until(move |world| world.door.counters().broken_queues == round);
    }
    assert_eq!(Driver::start(&server).read(0, 0, 512), [0; 512]);
}

#[test]
fn memory_comes_and_goes_in_pieces() {
    let server = Server::start();
    let mut driver = Driver::start(&server);
    assert_eq!(driver.frontend.get_max_mem_slots().unwrap(), 256);
    let more = File::from(memfd_create(c"more", MFdFlags::empty()).unwrap());
    more.set_len(MIB).unwrap();
    let mut region = region(&more, MIB);
    (region.guest_phys_addr, region.userspace_addr) = (1 << 32, USER + (1 << 32));
    driver.frontend.add_mem_region(&region).unwrap();
    assert!(driver.frontend.add_mem_region(&region).is_err(), "it is there already");
    let read = |driver: &mut Driver| {
        driver.submit(0, 0, IN, 0, &Data::In(512));
        driver.put(0, 1, (1 << 32, 512, NEXT | WRITE, 2));
        driver.kick(0);
        driver.answer(0);
        driver.status(0, 0)
    };
    assert_eq!(read(&mut driver), 0);
    driver.frontend.remove_mem_region(&region).unwrap();
    assert!(driver.frontend.remove_mem_region(&region).is_err(), "it is gone already");
    assert_eq!(read(&mut driver), 1);
}

#[test]
fn bytes_that_are_no_message_end_their_connection_only() {
    let server = Server::start();
    let mut driver = Driver::start(&server);
    let word = |value: u32| value.to_ne_bytes();
    let wrong: [Vec<u8>; 5] = [
        vec![0xff; 64],
        [word(1000), word(1), word(0)].concat(),
        [word(8), word(1), word(1 << 20)].concat(),
        // A queue that does not exist, without a request for an answer.
        [word(8), word(1), word(8), word(500), word(64)].concat(),
        // An event without one.
        [word(12), word(1), word(8), word(0), word(0)].concat(),
    ];
    for (count, bytes) in wrong.iter().enumerate() {
        let mut socket = UnixStream::connect(server.path()).unwrap();
        socket.write_all(bytes).unwrap();
        assert_eq!(socket.read(&mut [0; 64]).unwrap_or(0), 0, "closed");
        let seen = count as u64 + 1;
        server.until(move |world| world.door.counters().protocol_errors == seen);
    }
    // Half a message delays nothing, and its connection ends with it.
    let mut half = UnixStream::connect(server.path()).unwrap();
    half.write_all(&[1, 0, 0]).unwrap();
    assert_eq!(driver.read(0, 0, 512), [0; 512]);
    drop((half, driver));
    server.until_nothing_is_left();
}

#[test]
fn too_many_connections_are_refused_and_the_others_stay() {
    let server = Server::start();
    let mut driver = Driver::start(&server);
    let many: Vec<UnixStream> = (0..15).map(|_| UnixStream::connect(server.path()).unwrap()).collect();
    server.until(|world| world.door.counters().connections == 16);
    let mut one_more = UnixStream::connect(server.path()).unwrap();
    assert_eq!(one_more.read(&mut [0; 8]).unwrap(), 0);
    assert_eq!(driver.read(0, 0, 512), [0; 512]);
    drop((many, driver));
    server.until_nothing_is_left();
}

#[test]
fn a_migration_finds_every_page_that_was_written() {
    let server = Server::start();
    let mut driver = Driver::start(&server);
    let bytes = MEMORY / 4096 / 8;
    let log = File::from(memfd_create(c"log", MFdFlags::empty()).unwrap());
    log.set_len(bytes).unwrap();
    let shared =
        vhost::VhostUserDirtyLogRegion { mmap_size: bytes, mmap_offset: 0, mmap_handle: log.as_raw_fd() };
    driver.frontend.set_log_base(0, Some(shared)).unwrap();
    let features = driver.frontend.get_features().unwrap();
    driver.frontend.set_features(features).unwrap();
    let used = driver.rings[0].addresses(None).used_ring_addr - USER;
    driver.frontend.set_vring_addr(0, &driver.rings[0].addresses(Some(used))).unwrap();
    assert_eq!(driver.read(0, 0, 65536).len(), 65536);
    let mut bits = vec![0; bytes as usize];
    nix::sys::uio::pread(&log, &mut bits, 0).unwrap();
    let is_dirty = |at: u64| bits[(at / 4096 / 8) as usize] & 1 << (at / 4096 % 8) != 0;
    let data = Driver::data_at(0, 0);
    assert!((data..data + 65536).step_by(4096).all(is_dirty), "data");
    assert!(is_dirty(driver.status_at(0, 0)) && is_dirty(used), "status and ring");
    assert!(!is_dirty(0) && !is_dirty(data + 65536), "and nothing else");
}
