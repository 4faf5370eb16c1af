//! The door with clients that are broken, dead, greedy or many: they achieve nothing, and other clients notice nothing.

#![allow(clippy::unwrap_used)]

mod patience;
mod support;

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

use block::Geometry;
use doors::nbd::option::Replies;
use doors::nbd::wire::{Command, Request};
use doors::nbd::{Client, Limits};
use support::{MIB, Server};

/// Returns a client that has agreed on simple replies and from now on does as it likes.
fn raw(server: &Server) -> UnixStream {
    let socket = server.socket();
    let copy = socket.try_clone().unwrap();
    drop(Client::over(copy, "disk", Replies::Simple).unwrap());
    socket
}

fn request(command: Command, offset: u64, length: u32) -> [u8; 28] {
    Request { flags: 0, command, cookie: 1, offset, length }.encode()
}

/// Reads everything until the server closes; a connection that is reset has been closed, too.
fn read_to_end(socket: &mut UnixStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    match socket.read_to_end(&mut bytes) {
        Ok(_) => {}
        Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset),
    }
    bytes
}

#[test]
fn garbage_instead_of_a_handshake_closes_the_connection() {
    let server = Server::start();
    for garbage in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0; 4096], &vec![255; 100_000]] {
        let mut socket = server.socket();
        // The server may close before it has read everything.
        socket.write_all(garbage).unwrap_or(());
        assert_eq!(read_to_end(&mut socket).len(), 18, "a greeting and nothing else");
    }
    server.until_nothing_is_left();
    assert_eq!(server.run(|world| world.door.admissions().handshake_errors), 3);
    server.client(Replies::Simple).read(0, 512).unwrap();
}

#[test]
fn garbage_instead_of_a_request_closes_the_connection() {
    let server = Server::start();
    let mut socket = raw(&server);
    socket.write_all(&[7; 28]).unwrap();
    assert_eq!(read_to_end(&mut socket), [0; 0]);
    server.until_nothing_is_left();
    assert_eq!(server.run(|world| world.export.counters().protocol_errors), 1);
}

#[test]
fn a_write_that_announces_more_than_64_mib_closes_the_connection() {
    let server = Server::start();
    let mut socket = raw(&server);
    socket.write_all(&request(Command::Write, 0, (64 << 20) + 512)).unwrap();
    assert_eq!(read_to_end(&mut socket), [0; 0]);
    server.until_nothing_is_left();
    assert_eq!(server.run(|world| world.export.counters().protocol_errors), 1);
}

#[test]
fn a_client_that_takes_too_long_for_its_handshake_is_closed() {
    let server = Server::with(Geometry::plain(MIB), Limits { handshake_ns: 1_000_000, ..Limits::default() });
    let mut silent = server.socket();
    assert_eq!(read_to_end(&mut silent).len(), 18);
    server.until_nothing_is_left();
}

#[test]
fn a_client_that_dies_in_the_middle_of_a_request_leaves_nothing_behind() {
    let server = Server::start();
    let mut half_a_header = raw(&server);
    half_a_header.write_all(&request(Command::Read, 0, 512)[..20]).unwrap();
    let mut half_a_payload = raw(&server);
    half_a_payload.write_all(&request(Command::Write, 0, 1 << 20)).unwrap();
    half_a_payload.write_all(&vec![1; 300_000]).unwrap();
    server.until(|world| world.export.counters().payload_bytes == MIB);
    drop((half_a_header, half_a_payload));
    server.until_nothing_is_left();
    assert_eq!(server.client(Replies::Simple).read(0, 4096).unwrap(), [0; 4096], "half a write is none");
}

#[test]
fn a_client_that_dies_while_the_device_works_leaves_nothing_behind_once_that_is_over() {
    let server = Server::start();
    server.run(|world| world.export.device().hold());
    let mut client = server.client(Replies::Structured);
    for block in 0..20 {
        client.send(Command::Read, 0, block * MIB, 1 << 20, &[]).unwrap();
    }
    server.until(|world| world.export.device().held.get() == 20);
    drop(client);
    assert_eq!(server.run(|world| world.export.counters().payload_bytes), 20 * MIB);
    server.run(|world| world.export.device().release());
    server.until_nothing_is_left();
}

#[test]
fn a_client_that_never_reads_its_replies_holds_up_only_itself() {
    for (at_hand, length) in [(0, 1 << 20), (64 * MIB, 256 << 10)] {
        let limits = Limits { budget_bytes: 32 << 20, ..Limits::default() };
        let server = Server::with(Geometry::plain(64 * MIB), limits);
        server.run(move |world| world.export.device().at_hand.set(at_hand));
        never_read(&server, length);
    }
}

fn never_read(server: &Server, length: u32) {
    let mut greedy = raw(server);
    for _ in 0..400 {
        greedy.write_all(&request(Command::Read, 0, length)).unwrap();
    }
    // It has all of the budget, and its further requests are not even read.
    server.until(|world| world.export.counters().payload_bytes == 32 * MIB);
    let mut modest = server.client(Replies::Structured);
    for block in 0..64 {
        modest.write(block * MIB, &vec![block as u8; 1 << 20]).unwrap();
        assert_eq!(modest.read(block * MIB, 4096).unwrap(), [block as u8; 4096]);
    }
    assert!(server.run(|world| world.export.counters().payload_bytes) <= 32 * MIB);
    drop((greedy, modest));
    server.until_nothing_is_left();
}

#[test]
fn a_flood_of_tiny_requests_is_bounded_by_their_number() {
    let server = Server::start();
    server.run(|world| world.export.device().hold());
    let mut client = raw(&server);
    let flood: Vec<u8> = (0..5000).flat_map(|_| request(Command::Flush, 0, 0)).collect();
    let writer = {
        let mut client = client.try_clone().unwrap();
        std::thread::spawn(move || client.write_all(&flood).unwrap())
    };
    server.until(|world| world.export.device().held.get() == 128);
    assert!(server.run(|world| world.export.counters().requests) <= 129);
    server.run(|world| world.export.device().release());
    let mut replies = vec![0; 5000 * 16];
    client.read_exact(&mut replies).unwrap();
    writer.join().unwrap();
}

#[test]
fn of_a_thousand_connections_128_are_served_and_the_others_closed_at_once() {
    let server = Server::start();
    let mut served = Vec::new();
    let mut closed = 0;
    for _ in 0..1000 {
        match Client::over(server.socket(), "disk", Replies::Simple) {
            Ok(client) => served.push(client),
            Err(_) => closed += 1,
        }
    }
    assert_eq!((served.len(), closed), (128, 872));
    assert_eq!(server.run(|world| world.door.admissions().refused), 872);
    for client in &mut served {
        client.read(0, 4096).unwrap();
    }
    drop(served);
    server.until_nothing_is_left();
    server.client(Replies::Simple).read(0, 512).unwrap();
}

#[test]
fn draining_answers_what_is_in_flight_and_lets_nobody_in() {
    let server = Server::start();
    let mut busy = server.client(Replies::Structured);
    let mut idle = raw(&server);
    server.run(|world| world.export.device().hold());
    busy.send(Command::Write, 0, 0, 4096, &[9; 4096]).unwrap();
    busy.send(Command::Read, 0, MIB, 4096, &[]).unwrap();
    server.until(|world| world.export.device().held.get() == 2);
    let drained = server.drain();
    assert_eq!(read_to_end(&mut idle), [0; 0], "an idle connection ends at once");
    let refused = Client::connect(&server.path(), "disk", Replies::Simple).err().unwrap();
    assert!(refused.to_string().contains("about to stop"), "{refused}");
    assert!(drained.try_recv().is_err(), "the device still works");
    server.run(|world| world.export.device().release());
    assert_eq!(busy.receive().unwrap().error, None);
    assert_eq!(busy.receive().unwrap().error, None);
    busy.receive().expect_err("the connection ends after the last answer");
    patience::hear(&drained);
    let mut start = [0; 4096];
    start = server.run(move |world| {
        world.export.device().memory.peek(0, &mut start);
        start
    });
    assert_eq!(start, [9; 4096]);
    server.until_nothing_is_left();
}

#[test]
fn draining_waits_for_a_client_that_does_not_read_until_it_is_cut() {
    let server = Server::start();
    let mut stuck = raw(&server);
    for _ in 0..10 {
        stuck.write_all(&request(Command::Read, 0, 1 << 20)).unwrap();
    }
    server.until(|world| world.export.counters().payload_bytes >= 8 * MIB);
    let drained = server.drain();
    assert!(drained.try_recv().is_err());
    server.run(|world| world.export.sever());
    patience::hear(&drained);
    server.until_nothing_is_left();
}

#[test]
fn a_closed_door_ends_its_listener_and_keeps_its_connections() {
    let server = Server::start();
    let mut client = server.client(Replies::Simple);
    server.run(|world| world.door.close());
    // The listening task ends in its turn; from then on this address has no server.
    patience::until(|| UnixStream::connect(server.path()).is_err());
    client.read(0, 512).unwrap();
}
