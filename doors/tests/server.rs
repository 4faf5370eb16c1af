//! The door with well-behaved clients: their requests are done, as the protocol requires.

#![allow(clippy::unwrap_used)]

mod patience;
mod support;

use std::sync::mpsc;

use block::{ByteRange, ErrorKind, Geometry, Operation};
use doors::nbd::handshake::{Catalog, Refusal};
use doors::nbd::option::Replies;
use doors::nbd::reply::extent_flags;
use doors::nbd::wire::{Command, ReplyError, Request, command_flags, export_flags};
use doors::nbd::{Client, Export, Limits, NbdDoor};
use support::{MIB, Server, TestDevice};

/// Returns the error with which a single request fails.
fn failure(
    client: &mut Client,
    command: Command,
    flags: u16,
    offset: u64,
    length: u32,
) -> Option<ReplyError> {
    let payload = vec![7; if command == Command::Write { length as usize } else { 0 }];
    let cookie = client.send(command, flags, offset, length, &payload).unwrap();
    let answer = client.receive().unwrap();
    assert_eq!(answer.cookie, cookie);
    answer.error
}

#[test]
fn what_is_written_is_read_with_both_forms_of_replies() {
    let server = Server::start();
    for replies in [Replies::Simple, Replies::Structured] {
        let mut client = server.client(replies);
        assert_eq!(client.facts().size, 64 * MIB);
        for length in [512u32, 4096, 100 << 10, 5 << 20] {
            let bytes: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            client.write(MIB + 512, &bytes).unwrap();
            assert!(client.read(MIB + 512, length).unwrap() == bytes, "{length} bytes, {replies:?}");
        }
        client.write_zeroes(MIB, 4096).unwrap();
        client.trim(MIB + 4096, 4096).unwrap();
        assert_eq!(client.read(MIB, 8192).unwrap(), [0; 8192]);
        client.flush().unwrap();
        client.disconnect().unwrap();
    }
    server.until_nothing_is_left();
}

#[test]
fn reads_that_came_together_are_prefetched_once_each_in_halves_and_before_their_turn() {
    let server = Server::start();
    let mut client = server.client(Replies::Structured);
    let (entered, is_entered) = mpsc::channel();
    let (go_on, goes_on) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            server.run(move |_| {
                entered.send(()).unwrap();
                patience::hear(&goes_on);
            });
        });
        patience::hear(&is_entered);
        for offset in (0..10 * MIB).step_by(MIB as usize) {
            client.send(Command::Read, 0, offset, 4096, &[]).unwrap();
        }
        // Too long to be worth it.
        client.send(Command::Read, 0, 20 * MIB, 1 << 20, &[]).unwrap();
        go_on.send(()).unwrap();
    });
    (0..11).for_each(|_| assert_eq!(client.receive().unwrap().error, None));
    // The server may have received the first by itself; the others were all there at its next read.
    let prefetched = server.run(|world| world.export.device().prefetched.take());
    let from = if prefetched.len() == 14 { 3 } else { 4 };
    let halves = |place| [0, 2048].map(|half| ByteRange::at(place * MIB + half, 2048));
    let later: Vec<ByteRange> = (from..10).flat_map(halves).collect();
    assert_eq!(prefetched, later);
}

/// The door reads the bytes behind a request ahead, as a hint: bytes of a payload are never treated as requests.
#[test]
fn a_payload_that_looks_like_requests_is_a_payload() {
    let server = Server::start();
    let mut client = server.client(Replies::Structured);
    let of_the_client = |command, offset, length| Request { flags: 0, command, cookie: 9, offset, length };
    let requests = [
        of_the_client(Command::Read, u64::MAX, u32::MAX),
        of_the_client(Command::Read, u64::MAX - 1, 2),
        of_the_client(Command::Read, 3, 0),
        of_the_client(Command::Disconnect, 0, 0),
        of_the_client(Command::Trim, 0, 1 << 20),
        of_the_client(Command::Read, 1 << 40, 4096),
    ];
    let mut bytes: Vec<u8> = requests.iter().cycle().take(600).flat_map(Request::encode).collect();
    bytes.resize(16896, 0);
    for _ in 0..20 {
        client.write(MIB, &bytes).unwrap();
        assert!(client.read(MIB, 16896).unwrap() == bytes);
    }
    client.disconnect().unwrap();
    server.until_nothing_is_left();
}

#[test]
fn flags_tell_what_is_served() {
    let server = Server::start();
    let simple = server.client(Replies::Simple).facts().flags;
    let structured = server.client(Replies::Structured).facts().flags;
    assert_eq!(structured, simple | export_flags::SEND_DF);
    assert_eq!(simple & export_flags::READ_ONLY, 0);
    assert_ne!(simple & export_flags::CAN_MULTI_CONN, 0);
}

#[test]
fn fua_is_a_flush_after_the_write() {
    use Operation::{Discard, Flush, Write, WriteZeroes};
    let server = Server::start();
    let mut client = server.client(Replies::Structured);
    client.write_durably(0, &[1; 512]).unwrap();
    for command in [Command::Trim, Command::WriteZeroes] {
        assert_eq!(failure(&mut client, command, command_flags::FUA, 0, 512), None);
    }
    let log = server.run(|world| world.export.device().log.take());
    assert_eq!(log, [Write, Flush, Discard, Flush, WriteZeroes, Flush]);
}

#[test]
fn block_status_tells_holes_if_it_was_agreed_on() {
    let server = Server::start();
    let mut client = server.client(Replies::Structured);
    let hole = extent_flags::HOLE | extent_flags::ZERO;
    let mib = MIB as u32;
    assert_eq!(client.block_status(30 * MIB, 4 * mib).unwrap(), [(2 * mib, 0), (2 * mib, hole)]);
    client.send(Command::BlockStatus, command_flags::REQ_ONE, 30 * MIB, 4 * mib, &[]).unwrap();
    assert_eq!(client.receive().unwrap().extents, [(2 * mib, 0)]);
    let mut simple = server.client(Replies::Simple);
    assert_eq!(failure(&mut simple, Command::BlockStatus, 0, 0, 512), Some(ReplyError::Invalid));
}

#[test]
fn requests_that_make_no_sense_are_refused_and_the_connection_goes_on() {
    let server = Server::start();
    let end = 64 * MIB;
    let invalid = Some(ReplyError::Invalid);
    let no_space = Some(ReplyError::NoSpace);
    for replies in [Replies::Simple, Replies::Structured] {
        let mut client = server.client(replies);
        for (command, flags, offset, length, expected) in [
            (Command::Read, 0, end, 512, invalid),
            (Command::Read, 0, u64::MAX - 511, 512, invalid),
            (Command::Read, 0, u64::MAX, 512, invalid),
            (Command::Write, 0, end - 512, 1024, no_space),
            (Command::WriteZeroes, 0, end - 512, 1024, no_space),
            (Command::Trim, 0, end - 512, 1024, invalid),
            (Command::Read, 0, 100, 512, invalid),
            (Command::Write, 0, 0, 100, invalid),
            (Command::Read, 0, 0, (32 << 20) + 512, invalid),
            (Command::Write, 0, 0, (32 << 20) + 512, invalid),
            (Command::Flush, 0, 0, 512, invalid),
            (Command::Cache, 0, 0, 512, invalid),
            (Command::Unknown(99), 0, 0, 512, invalid),
            (Command::BlockStatus, 0, 0, 0, invalid),
            (Command::WriteZeroes, command_flags::FAST_ZERO, 0, 512, invalid),
            (Command::Write, command_flags::DF, 0, 512, invalid),
            (Command::Read, command_flags::FUA, 0, 512, None),
            (Command::Read, 0, 0, 0, None),
            (Command::Write, 0, end, 0, None),
            (Command::Trim, 0, 0, 0, None),
            (Command::WriteZeroes, command_flags::NO_HOLE, 0, 64 << 20, None),
            (Command::Read, 0, 0, 32 << 20, None),
            (Command::Write, 0, 0, 32 << 20, None),
        ] {
            let got = failure(&mut client, command, flags, offset, length);
            assert_eq!(got, expected, "{command:?} flags {flags} of {length} at {offset}, {replies:?}");
        }
    }
    assert_eq!(server.run(|world| world.export.counters().protocol_errors), 0);
}

#[test]
fn a_read_only_disk_refuses_every_change() {
    let geometry = Geometry { read_only: true, ..Geometry::plain(MIB) };
    let server = Server::with(geometry, Limits::default());
    let mut client = server.client(Replies::Structured);
    assert_ne!(client.facts().flags & export_flags::READ_ONLY, 0);
    for command in [Command::Write, Command::Trim, Command::WriteZeroes] {
        assert_eq!(failure(&mut client, command, 0, 0, 512), Some(ReplyError::Permission));
    }
    client.read(0, 512).unwrap();
    client.flush().unwrap();
}

#[test]
fn a_device_that_wants_4096_says_so_and_gets_it() {
    let geometry = Geometry { alignment: 4096, physical_block: 8192, ..Geometry::plain(MIB) };
    let server = Server::with(geometry, Limits::default());
    let mut client = server.client(Replies::Simple);
    let facts = client.facts();
    assert_eq!((facts.block_min, facts.block_preferred, facts.payload_max), (4096, 8192, 32 << 20));
    assert_eq!(failure(&mut client, Command::Read, 0, 512, 512), Some(ReplyError::Invalid));
    client.read(4096, 4096).unwrap();
}

#[test]
fn errors_of_the_device_reach_the_client_as_errors_of_the_specification() {
    let server = Server::start();
    for replies in [Replies::Simple, Replies::Structured] {
        let mut client = server.client(replies);
        for (kind, expected) in [
            (ErrorKind::Io, ReplyError::Io),
            (ErrorKind::Corrupt, ReplyError::Io),
            (ErrorKind::Gone, ReplyError::Io),
            (ErrorKind::NoSpace, ReplyError::NoSpace),
            (ErrorKind::ReadOnly, ReplyError::Permission),
            (ErrorKind::Unsupported, ReplyError::Unsupported),
        ] {
            server.run(move |world| world.export.device().failing.set(Some(kind)));
            for command in [Command::Read, Command::Write, Command::Trim, Command::WriteZeroes] {
                assert_eq!(failure(&mut client, command, 0, 0, 512), Some(expected));
            }
            assert_eq!(failure(&mut client, Command::Flush, 0, 0, 0), Some(expected));
        }
        server.run(|world| world.export.device().failing.set(None));
        client.read(0, 512).unwrap();
    }
}

#[test]
fn many_requests_in_flight_each_get_their_own_answer() {
    let server = Server::start();
    for replies in [Replies::Simple, Replies::Structured] {
        let mut client = server.client(replies);
        let count = 120u64;
        for block in 0..count {
            let payload = vec![block as u8; 4096];
            client.send(Command::Write, 0, block * 4096, 4096, &payload).unwrap();
        }
        (0..count).for_each(|_| assert_eq!(client.receive().unwrap().error, None));
        let mut blocks = std::collections::HashMap::new();
        for block in (0..count).rev() {
            blocks.insert(client.send(Command::Read, 0, block * 4096, 4096, &[]).unwrap(), block);
        }
        for _ in 0..count {
            let answer = client.receive().unwrap();
            let block = blocks.remove(&answer.cookie).unwrap();
            assert_eq!(answer.data, [block as u8; 4096]);
        }
    }
}

#[test]
fn what_is_at_hand_is_answered_while_others_wait() {
    let server = Server::start();
    for replies in [Replies::Simple, Replies::Structured] {
        let mut client = server.client(replies);
        let content: Vec<u8> = (0..1u32 << 20).map(|at| (at / 512 % 251) as u8).collect();
        client.write(0, &content).unwrap();
        server.run(|world| {
            world.export.device().log.take();
            world.export.device().at_hand.set(1 << 20);
            world.export.device().hold();
        });
        let waits = client.send(Command::Read, 0, 1 << 20, 512, &[]).unwrap();
        let places = (0..100u64)
            .map(|number| (number * 7 * 512, 512 * (number as u32 % 9 + 1)))
            .chain([(0, 256 << 10)]);
        let mut asked = std::collections::HashMap::new();
        for (offset, length) in places {
            asked.insert(client.send(Command::Read, 0, offset, length, &[]).unwrap(), (offset, length));
        }
        for _ in 0..101 {
            let answer = client.receive().unwrap();
            let (offset, length) = asked.remove(&answer.cookie).unwrap();
            assert!(answer.data == content[offset as usize..offset as usize + length as usize]);
        }
        server.run(|world| {
            assert!(world.export.device().log.borrow().is_empty(), "nothing was asked of the disk");
            world.export.device().release();
            world.export.device().at_hand.set(0);
        });
        assert_eq!(client.receive().unwrap().cookie, waits);
        client.disconnect().unwrap();
    }
    server.until_nothing_is_left();
}

#[test]
fn requests_that_wait_do_not_hold_up_a_flush_on_another_connection() {
    let server = Server::start();
    let (mut one, mut two) = (server.client(Replies::Simple), server.client(Replies::Simple));
    server.run(|world| world.export.device().hold());
    for block in 0..10 {
        one.send(Command::Read, 0, block * 512, 512, &[]).unwrap();
    }
    server.until(|world| world.export.device().held.get() == 10);
    server.run(|world| world.export.device().release());
    two.flush().unwrap();
    (0..10).for_each(|_| assert_eq!(one.receive().unwrap().error, None));
}

#[test]
fn one_listener_serves_several_disks_by_name() {
    let server = Server::start();
    server.run(|world| {
        let small = Export::new("small", "another disk", TestDevice::new(Geometry::plain(MIB)));
        assert!(world.door.add(small).is_none());
    });
    assert_eq!(Client::connect(&server.path(), "small", Replies::Simple).unwrap().facts().size, MIB);
    assert_eq!(Client::connect(&server.path(), "", Replies::Simple).unwrap().facts().size, 64 * MIB);
    let refused = Client::connect(&server.path(), "large", Replies::Simple).err().unwrap();
    assert!(refused.to_string().contains("No disk of this name"), "{refused}");
    server.run(|world| world.door.remove("small").map(drop));
    assert!(Client::connect(&server.path(), "small", Replies::Simple).is_err());
}

#[test]
fn a_shared_door_has_no_default_disk() {
    let door = NbdDoor::shared(Limits::default());
    door.add(Export::new("disk", "", TestDevice::new(Geometry::plain(MIB))));
    assert_eq!(door.names(), ["disk"]);
    assert_eq!(door.find("").unwrap_err(), Refusal::Unknown);
    assert_eq!(door.find("disk").unwrap().facts.size, MIB);
}
