//! Clients over TCP, in clear and through TLS: who is let in, and that they find their disk and nothing else.

#![allow(clippy::unwrap_used)]

mod patience;
mod reception_support;
mod support;

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};

use block::{Geometry, Operation};
use doors::nbd::handshake::Catalog;
use doors::nbd::option::{
    ABORT, EXPORT_NAME, GO, InfoRequest, LIST, OPTION_REPLY_BYTES, OptionReply, Replies, STARTTLS,
    STRUCTURED_REPLY, decode_option_reply, encode_option,
};
use doors::nbd::wire::{Command, Request};
use doors::nbd::{Client, Limits};
use reception_support::{Authority, Desk, through_tls};
use support::{MIB, Server, go_on};

/// Returns the kind of the next reply to an option; none if the server has closed.
fn reply(socket: &mut impl Read) -> Option<OptionReply> {
    let mut head = [0; OPTION_REPLY_BYTES];
    socket.read_exact(&mut head).ok()?;
    let (_, kind, length) = decode_option_reply(&head).unwrap();
    socket.read_exact(&mut vec![0; length as usize]).unwrap();
    Some(kind)
}

fn go(name: &str) -> Vec<u8> {
    encode_option(GO, &InfoRequest { name, kinds: vec![] }.encode())
}

#[test]
fn clients_over_tcp_get_the_disk_that_they_name_and_none_without_a_name() {
    let (server, desk) = (Server::start(), Desk::in_clear());
    server.list(&desk.directory);
    let mut client = Client::over(desk.bridged(), "disk", Replies::Structured).unwrap();
    client.write(MIB, &[5; 4096]).unwrap();
    assert_eq!(server.client(Replies::Simple).read(MIB, 4096).unwrap(), [5; 4096]);
    for name in ["", "other"] {
        assert!(Client::over(desk.bridged(), name, Replies::Simple).is_err(), "'{name}'");
    }
    let mut socket = desk.raw();
    socket.write_all(&encode_option(STARTTLS, &[])).unwrap();
    assert_eq!(reply(&mut socket), Some(OptionReply::Unsupported), "there is no encryption here");
    drop((socket, client));
    server.until_nothing_is_left();
    server.run(|world| world.door.close());
    desk.until_unlisted();
    assert!(Client::over(desk.bridged(), "disk", Replies::Simple).is_err(), "its door has closed");
}

#[test]
fn the_first_client_after_a_disk_grew_is_told_its_size_and_served() {
    let (server, desk) = (Server::start(), Desk::in_clear());
    server.list(&desk.directory);
    let client = || Client::over(desk.bridged(), "disk", Replies::Structured).unwrap();
    assert_eq!(client().facts().size, 64 * MIB);
    server.run(|world| {
        world.export.device().resized.set(Some(65 * MIB));
        world.door.resized();
    });
    patience::until(|| desk.directory.find("disk").unwrap().facts.size != 64 * MIB);
    assert_eq!(client().facts().size, 65 * MIB);
}

#[test]
fn everything_that_can_be_asked_of_a_disk_can_be_asked_through_tls() {
    let authority = Authority::new();
    let (server, desk) = (Server::start(), Desk::encrypted(&authority, true));
    server.list(&desk.directory);
    for replies in [Replies::Simple, Replies::Structured] {
        let mut client =
            Client::over(through_tls(desk.address, authority.client()).unwrap(), "disk", replies).unwrap();
        // Longer than any record and any piece, and of odd length.
        for (seed, length) in [(1, 512), (2, 4096), (3, 16 << 10), (4, (16 << 10) + 512), (5, 32 << 20)] {
            let content: Vec<u8> = (0..length).map(|at: u32| (at / 7 * seed % 251) as u8).collect();
            client.write(u64::from(seed) * 4096, &content).unwrap();
            assert!(client.read(u64::from(seed) * 4096, length).unwrap() == content, "{length} bytes");
        }
        client.flush().unwrap();
        client.write_zeroes(0, 4096).unwrap();
        assert_eq!(client.read(0, 512).unwrap(), [0; 512]);
        assert!(client.read(64 * MIB, 512).is_err(), "errors arrive as well");
        for block in 0..100 {
            client.send(Command::Read, 0, block * 4096, 4096, &[]).unwrap();
        }
        for _ in 0..100 {
            assert_eq!(client.receive().unwrap().data.len(), 4096);
        }
    }
    server.until_nothing_is_left();
}

#[test]
fn without_the_encryption_that_is_demanded_clients_learn_that_it_is_and_nothing_else() {
    let authority = Authority::new();
    let (server, desk) = (Server::start(), Desk::encrypted(&authority, true));
    server.list(&desk.directory);
    let mut socket = desk.raw();
    for option in [encode_option(LIST, &[]), go("disk"), encode_option(STRUCTURED_REPLY, &[])] {
        socket.write_all(&option).unwrap();
        assert_eq!(reply(&mut socket), Some(OptionReply::TlsRequired));
    }
    socket.write_all(&encode_option(ABORT, &[])).unwrap();
    assert_eq!(reply(&mut socket), Some(OptionReply::Ack));
    let mut old = desk.raw();
    old.write_all(&encode_option(EXPORT_NAME, b"disk")).unwrap();
    assert_eq!(reply(&mut old), None, "the old way has no answer that could say no");
    assert_eq!(server.run(|world| world.export.counters().connections_total), 0);
}

#[test]
fn options_that_somebody_puts_before_the_encryption_are_never_carried_out() {
    let authority = Authority::new();
    let (server, desk) = (Server::start(), Desk::encrypted(&authority, false));
    server.list(&desk.directory);
    // In the same packet as the request to encrypt.
    let mut socket = desk.raw();
    socket.write_all(&[encode_option(STARTTLS, &[]), go("disk")].concat()).unwrap();
    assert_eq!(reply(&mut socket), None);
    // Behind the answer, where the first record belongs.
    let mut socket = desk.raw();
    socket.write_all(&encode_option(STARTTLS, &[])).unwrap();
    assert_eq!(reply(&mut socket), Some(OptionReply::Ack));
    socket.write_all(&go("disk")).unwrap();
    let mut rest = Vec::new();
    // A reset is an end as well.
    socket.read_to_end(&mut rest).unwrap_or(0);
    assert!(rest.len() < 10 && rest.first().is_none_or(|first| *first == 21), "an alert at most: {rest:?}");
    desk.until(|counters| counters.waiting == 0);
    assert_eq!(server.run(|world| world.export.counters().connections_total), 0);
    assert_eq!(desk.counters().handshake_errors, 2);
}

#[test]
fn with_an_authority_clients_get_in_with_its_certificate_only() {
    let (authority, other) = (Authority::new(), Authority::new());
    let (server, desk) = (Server::start(), Desk::encrypted(&authority, true));
    server.list(&desk.directory);
    let reached = |config| {
        let socket = through_tls(desk.address, config)?;
        Client::over(socket, "disk", Replies::Simple)?.read(0, 512)
    };
    assert_eq!(reached(authority.client()).unwrap(), [0; 512]);
    assert!(reached(authority.client_without_certificate()).is_err());
    assert!(reached(authority.client_with_certificate_of(&other)).is_err());
    assert_eq!(desk.counters().handshake_errors, 2);
    // This one does not trust the server, and leaves by itself.
    assert!(reached(other.client()).is_err());
    desk.until(|counters| counters.waiting == 0);
    server.until_nothing_is_left();
    assert_eq!(server.run(|world| world.export.counters().connections_total), 1);
}

#[test]
fn without_an_authority_whoever_encrypts_gets_in() {
    let authority = Authority::new();
    let (server, desk) = (Server::start(), Desk::encrypted(&authority, false));
    server.list(&desk.directory);
    let socket = through_tls(desk.address, authority.client_without_certificate()).unwrap();
    Client::over(socket, "disk", Replies::Simple).unwrap().flush().unwrap();
}

#[test]
fn clients_that_break_tls_are_closed_and_nobody_else_notices() {
    let authority = Authority::new();
    let (server, desk) = (Server::start(), Desk::encrypted(&authority, false));
    server.list(&desk.directory);
    let mut good =
        Client::over(through_tls(desk.address, authority.client()).unwrap(), "disk", Replies::Simple)
            .unwrap();
    let record = |kind: u8, version: u8, length: u16| {
        let length = length.to_be_bytes();
        vec![kind, 3, version, length[0], length[1]]
    };
    let mut open = Vec::new();
    for (what, sent) in [
        ("garbage", vec![7; 100_000]),
        ("a record that is too long", [record(22, 3, u16::MAX), vec![1; 70_000]].concat()),
        ("data before any handshake", [record(23, 3, 100), vec![1; 100]].concat()),
        ("empty records for ever", record(22, 3, 0).repeat(10_000)),
        ("half a record", [record(22, 1, 500), vec![1; 20]].concat()),
    ] {
        let mut socket = desk.raw();
        socket.write_all(&encode_option(STARTTLS, &[])).unwrap();
        assert_eq!(reply(&mut socket), Some(OptionReply::Ack), "{what}");
        // The server may close before it has read everything.
        socket.write_all(&sent).unwrap_or(());
        if what == "half a record" {
            // As after a cut cable, except for the end that the system reports.
            socket.shutdown(Shutdown::Write).unwrap();
        }
        socket.read_to_end(&mut Vec::new()).unwrap_or(0);
        open.push(socket);
        assert_eq!(good.read(0, 512).unwrap(), [0; 512], "{what}");
    }
    desk.until(|counters| counters.waiting == 0);
    assert_eq!(desk.counters().handshake_errors, 4, "half a record is a client that has left");
}

#[test]
fn a_client_that_takes_too_long_until_it_encrypts_is_closed() {
    let authority = Authority::new();
    let desk =
        Desk::with(Some(authority.identity(true)), Limits { handshake_ns: 1_000_000, ..Limits::default() });
    let mut socket = std::net::TcpStream::connect(desk.address).unwrap();
    let mut all = Vec::new();
    socket.read_to_end(&mut all).unwrap_or(0);
    assert!(all.len() <= 18, "a greeting at most");
    desk.until(|counters| counters.waiting == 0 && counters.handshake_errors == 1);
}

#[test]
fn clients_of_one_address_that_wait_in_their_handshakes_are_so_many_and_no_more() {
    let desk = Desk::in_clear();
    let most = doors::nbd::limits::RECEPTION_MAX / 4;
    let waiting: Vec<_> = (0..most).map(|_| desk.raw()).collect();
    desk.until(|counters| counters.waiting == most);
    let mut one_more = std::net::TcpStream::connect(desk.address).unwrap();
    assert_eq!(one_more.read_to_end(&mut Vec::new()).unwrap_or(0), 0, "not even a greeting");
    assert_eq!(desk.counters().too_many, 1);
    drop(waiting);
    desk.until(|counters| counters.waiting == 0);
    drop(desk.raw());
}

#[test]
fn addresses_that_may_not_connect_get_nothing_at_all() {
    let (server, desk) = (Server::start(), Desk::in_clear());
    server.list(&desk.directory);
    let mut refused = desk.connect_from([127, 0, 0, 2]);
    assert_eq!(refused.read_to_end(&mut Vec::new()).unwrap_or(0), 0, "not even a greeting");
    assert_eq!(desk.counters().not_allowed, 1);
    Client::over(desk.bridged(), "disk", Replies::Simple).unwrap().flush().unwrap();
}

#[test]
fn a_client_that_never_reads_its_replies_through_tls_holds_up_only_itself() {
    let authority = Authority::new();
    let limits = Limits { budget_bytes: 32 << 20, ..Limits::default() };
    let server = Server::with(Geometry::plain(64 * MIB), limits);
    let desk = Desk::encrypted(&authority, false);
    server.list(&desk.directory);
    let (mut greedy, mut socket) =
        reception_support::encrypted_socket(desk.address, authority.client()).unwrap();
    let request = |cookie| Request { flags: 0, command: Command::Read, cookie, offset: 0, length: 1 << 20 };
    greedy.writer().write_all(&go("disk")).unwrap();
    for cookie in 0..100 {
        greedy.writer().write_all(&request(cookie).encode()).unwrap();
    }
    while greedy.wants_write() {
        greedy.write_tls(&mut socket).unwrap();
    }
    server.until(|world| world.export.counters().payload_bytes == 32 * MIB);
    let mut modest =
        Client::over(through_tls(desk.address, authority.client()).unwrap(), "disk", Replies::Structured)
            .unwrap();
    for block in 0..64 {
        assert_eq!(modest.read(block * 4096, 4096).unwrap(), [0; 4096]);
    }
    drop((greedy, socket, modest));
    server.until_nothing_is_left();
}

#[test]
fn connections_with_tls_go_on_on_another_thread_with_another_device() {
    let authority = Authority::new();
    let (first, second) = (Server::start(), Server::start());
    let desk = Desk::encrypted(&authority, true);
    first.list(&desk.directory);
    let mut guests = [Replies::Simple, Replies::Structured].map(|replies| {
        Client::over(through_tls(desk.address, authority.client()).unwrap(), "disk", replies).unwrap()
    });
    guests[0].write(0, &[1; 4096]).unwrap();
    for (from, to, mark) in [(&first, &second, 2), (&second, &first, 3)] {
        // The newcomer of the round before has left.
        from.until(|world| world.export.counters().connections == 2);
        let paused = patience::hear(&from.pause());
        assert_eq!(paused.connections(), 2);
        // Sent while the disk is on its way: it waits, and is read where it goes on.
        guests[1].send(Command::Read, 0, 0, 512, &[]).unwrap();
        // A client that connects meanwhile waits, too: this one is accepted once the disk is there.
        let address = desk.address;
        let config = authority.client();
        let newcomer = std::thread::spawn(move || {
            let socket = through_tls(address, config).unwrap();
            Client::over(socket, "disk", Replies::Simple).unwrap().flush().unwrap();
        });
        to.run(|world| go_on(world, paused));
        newcomer.join().unwrap();
        assert_eq!(guests[1].receive().unwrap().data.len(), 512);
        guests[0].write(0, &[mark; 4096]).unwrap();
        assert_eq!(guests[1].read(0, 512).unwrap(), [mark; 512]);
        from.until_nothing_is_left();
    }
}

#[test]
fn a_disk_that_stops_says_goodbye_within_the_encryption() {
    let authority = Authority::new();
    let (server, desk) = (Server::start(), Desk::encrypted(&authority, false));
    server.list(&desk.directory);
    let (mut client, mut socket) = chosen(&desk, &authority);
    let drained = server.drain();
    // An end that was not sent within the encryption would be an error.
    let mut rest = Vec::new();
    assert_eq!(rustls::Stream::new(&mut client, &mut socket).read_to_end(&mut rest).unwrap(), 0);
    patience::hear(&drained);
}

/// Returns a client inside of the encryption that has chosen the disk by hand, and the socket under it.
fn chosen(desk: &Desk, authority: &Authority) -> (rustls::ClientConnection, std::net::TcpStream) {
    let (mut client, mut socket) =
        reception_support::encrypted_socket(desk.address, authority.client()).unwrap();
    client.writer().write_all(&encode_option(EXPORT_NAME, b"disk")).unwrap();
    assert_eq!(plain(&mut client, &mut socket, 10)[..8], (64 * MIB).to_be_bytes());
    (client, socket)
}

/// Sends what there is to be sent, and returns the next `count` plain bytes.
fn plain(client: &mut rustls::ClientConnection, socket: &mut std::net::TcpStream, count: usize) -> Vec<u8> {
    let mut all = vec![0; count];
    rustls::Stream::new(client, socket).read_exact(&mut all).unwrap();
    all
}

#[test]
fn a_client_may_change_its_keys_as_often_as_it_likes() {
    let authority = Authority::new();
    let (server, desk) = (Server::start(), Desk::encrypted(&authority, true));
    server.list(&desk.directory);
    let (mut client, mut socket) = chosen(&desk, &authority);
    for cookie in 0..50 {
        let request = Request { flags: 0, command: Command::Read, cookie, offset: 0, length: 512 };
        client.refresh_traffic_keys().unwrap();
        client.writer().write_all(&request.encode()).unwrap();
        let reply = plain(&mut client, &mut socket, 16 + 512);
        assert_eq!(reply[8..16], cookie.to_be_bytes());
    }
}

#[test]
fn a_record_that_was_changed_on_its_way_ends_the_connection_and_nothing_of_it_is_done() {
    let authority = Authority::new();
    let (server, desk) = (Server::start(), Desk::encrypted(&authority, true));
    server.list(&desk.directory);
    let (mut client, mut socket) = chosen(&desk, &authority);
    let request = Request { flags: 0, command: Command::Write, cookie: 1, offset: 0, length: 512 };
    client.writer().write_all(&[&request.encode()[..], &[9; 512]].concat()).unwrap();
    let mut sealed = Vec::new();
    client.write_tls(&mut sealed).unwrap();
    let last = sealed.len() - 1;
    sealed[last] ^= 1;
    socket.write_all(&sealed).unwrap();
    socket.read_to_end(&mut Vec::new()).unwrap_or(0);
    server.until_nothing_is_left();
    let (protocol_errors, requests) = server.run(|world| {
        let counters = world.export.counters();
        (counters.protocol_errors, counters.requests)
    });
    assert_eq!((protocol_errors, requests), (1, 0));
    assert_eq!(server.client(Replies::Simple).read(0, 512).unwrap(), [0; 512]);
}

fn request(command: Command, length: u32) -> [u8; 28] {
    Request { flags: 0, command, cookie: 1, offset: 0, length }.encode()
}

/// Returns a client in clear that has chosen the disk by hand.
fn chosen_in_clear(desk: &Desk) -> TcpStream {
    let mut socket = desk.raw();
    socket.write_all(&encode_option(EXPORT_NAME, b"disk")).unwrap();
    socket.read_exact(&mut [0; 10]).unwrap();
    socket
}

/// Returns the outcome for a dead client: the device's log after all of its requests are over, and how many requests were accepted.
fn outcome(server: &Server) -> (Vec<Operation>, u64) {
    server.until_nothing_is_left();
    server.run(|world| (world.export.device().log.take(), world.export.counters().requests))
}

/// A client that sent a write and then died may long be at work elsewhere when that write has its turn: the block would be old again.
#[test]
fn a_write_that_waits_behind_replies_of_a_connection_that_broke_is_never_carried_out() {
    for (at_hand, length) in [(0, 1 << 20), (64 * MIB, 256 << 10)] {
        let (server, desk) = (Server::start(), Desk::in_clear());
        server.list(&desk.directory);
        server.run(move |world| world.export.device().at_hand.set(at_hand));
        let mut dead = chosen_in_clear(&desk);
        // More than window and system hold, and less than is read at once.
        let reads = 1000;
        let mut all = request(Command::Read, length).repeat(reads);
        all.extend([&request(Command::Write, 512)[..], &[7; 512]].concat());
        dead.write_all(&all).unwrap();
        server.until(|world| world.export.counters().payload_bytes == 32 * MIB);
        desk.reset(dead);
        let (log, requests) = outcome(&server);
        assert!(!log.contains(&Operation::Write), "{} reads of {length} bytes were served", log.len());
        assert!(requests < reads as u64, "reads for nobody cost time that others need: {requests}");
    }
}

/// As above, with nothing on its way that could have failed: others hold what the write waits for.
#[test]
fn a_write_that_waits_for_memory_while_its_client_dies_is_never_carried_out() {
    let limits = Limits { budget_bytes: 32 << 20, ..Limits::default() };
    let (server, desk) = (Server::with(Geometry::plain(64 * MIB), limits), Desk::in_clear());
    server.list(&desk.directory);
    server.run(|world| world.export.device().hold());
    let (mut greedy, mut dead) = (chosen_in_clear(&desk), chosen_in_clear(&desk));
    greedy.write_all(&request(Command::Read, 1 << 20).repeat(32)).unwrap();
    server.until(|world| world.export.device().held.get() == 32);
    dead.write_all(&[&request(Command::Flush, 0)[..], &request(Command::Write, 512), &[7; 512]].concat())
        .unwrap();
    // Both were read at once: the second waits from now on.
    server.until(|world| world.export.device().held.get() == 33);
    desk.reset(dead);
    server.run(|world| world.export.device().release_but(Operation::Flush));
    desk.reset(greedy);
    server.until(|world| world.export.counters().connections == 1);
    server.run(|world| world.export.device().release());
    assert!(!outcome(&server).0.contains(&Operation::Write));
}
