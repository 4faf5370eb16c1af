//! A door that stands still and goes on elsewhere, or not: guests notice nothing but the time.

#![allow(clippy::unwrap_used)]

mod patience;
mod support;

use std::collections::HashMap;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

use doors::nbd::option::Replies;
use doors::nbd::wire::{Command, Request};
use doors::nbd::{Client, PausedNbdDoor};
use support::{MIB, Server, go_on};

/// Copies the writes of a guest to where the door goes on: the devices of the two servers are separate.
fn move_to(from: &Server, to: &Server) {
    let paused: PausedNbdDoor = patience::hear(&from.pause());
    to.run(|world| go_on(world, paused));
}

#[test]
fn connections_go_on_on_another_thread_with_another_device() {
    let (first, second) = (Server::start(), Server::start());
    let mut guests: Vec<Client> = [Replies::Simple, Replies::Structured].map(|r| first.client(r)).into();
    guests[0].write(0, &[1; 512]).unwrap();
    move_to(&first, &second);
    guests[0].write(0, &[2; 512]).unwrap();
    assert_eq!(guests[1].read(0, 512).unwrap(), [2; 512]);
    assert_eq!(guests[1].block_status(0, 512).unwrap().len(), 1, "what was agreed on goes along");
    first.until_nothing_is_left();
    assert_eq!(second.run(|world| world.export.counters().connections), 2);
    // And back.
    move_to(&second, &first);
    assert_eq!(guests[0].read(0, 512).unwrap(), [1; 512]);
    second.until_nothing_is_left();
}

#[test]
fn whoever_connects_meanwhile_is_let_in_where_it_goes_on() {
    let (first, second) = (Server::start(), Server::start());
    let paused = patience::hear(&first.pause());
    let waiting = first.socket();
    assert_eq!(paused.connections(), 0);
    second.run(|world| go_on(world, paused));
    let mut client = Client::over(waiting, "disk", Replies::Simple).unwrap();
    client.write(0, &[7; 512]).unwrap();
    assert_eq!(second.run(|world| world.export.counters().connections), 1);
    // The path of the socket leads there too.
    assert_eq!(first.client(Replies::Simple).read(0, 512).unwrap(), [7; 512]);
}

#[test]
fn a_handshake_that_began_is_finished_first() {
    let (first, second) = (Server::start(), Server::start());
    let mut socket = first.socket();
    socket.read_exact(&mut [0; 18]).unwrap();
    let pausing = first.pause();
    let mut client = Client::over(Replay::greeting(socket), "disk", Replies::Simple).unwrap();
    let paused = patience::hear(&pausing);
    assert_eq!(paused.connections(), 1);
    second.run(|world| go_on(world, paused));
    client.flush().unwrap();
    assert_eq!(second.run(|world| world.export.counters().requests), 1);
}

/// Gives a client the greeting that was read from its socket already.
struct Replay;

impl Replay {
    fn greeting(socket: UnixStream) -> UnixStream {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let (mut up, mut down) = (ours.try_clone().unwrap(), socket.try_clone().unwrap());
        std::thread::spawn(move || std::io::copy(&mut up, &mut down));
        let (mut up, mut down) = (ours, socket);
        up.write_all(&doors::nbd::option::greeting()).unwrap();
        std::thread::spawn(move || std::io::copy(&mut down, &mut up));
        theirs
    }
}

#[test]
fn a_request_of_which_only_a_part_has_come_is_taken_up_where_the_door_goes_on() {
    let (first, second) = (Server::start(), Server::start());
    let mut socket = first.socket();
    let mut guest = Client::over(socket.try_clone().unwrap(), "disk", Replies::Simple).unwrap();
    let request = Request { flags: 0, command: Command::Flush, cookie: 9, offset: 0, length: 0 };
    let bytes = request.encode();
    socket.write_all(&bytes[..10]).unwrap();
    move_to(&first, &second);
    socket.write_all(&bytes[10..]).unwrap();
    let mut reply = [0; 16];
    socket.read_exact(&mut reply).unwrap();
    assert_eq!(&reply[8..], 9u64.to_be_bytes());
    guest.flush().unwrap();
}

#[test]
fn what_is_in_flight_ends_first_and_what_was_sent_behind_it_goes_along() {
    let (first, second) = (Server::start(), Server::start());
    let mut guest = first.client(Replies::Simple);
    first.run(|world| world.export.device().hold());
    let early = guest.send(Command::Write, 0, 0, 512, &[1; 512]).unwrap();
    first.until(|world| world.export.device().held.get() == 1);
    let pausing = first.pause();
    let late = guest.send(Command::Write, 0, 0, 512, &[2; 512]).unwrap();
    assert!(pausing.try_recv().is_err(), "it waits for the write");
    first.run(|world| world.export.device().release());
    let paused = patience::hear(&pausing);
    assert_eq!(guest.receive().unwrap().cookie, early);
    second.run(|world| go_on(world, paused));
    assert_eq!(guest.receive().unwrap().cookie, late);
    let log = |server: &Server| server.run(|world| world.export.device().log.borrow().len());
    assert_eq!((log(&first), log(&second)), (1, 1), "each happened once");
}

#[test]
fn a_pause_that_is_called_off_leaves_everything_as_it_was() {
    let server = Server::start();
    let mut slow = server.client(Replies::Simple);
    let mut idle = server.client(Replies::Simple);
    server.run(|world| world.export.device().hold());
    slow.send(Command::Write, 0, 0, 512, &[1; 512]).unwrap();
    server.until(|world| world.export.device().held.get() == 1);
    for _ in 0..20 {
        server.run(|world| {
            let door = Rc::clone(&world.door);
            let (ring, host) = (world.ring.clone(), world.host.clone());
            block::Host::spawn(&world.host, async move {
                let limit = std::pin::pin!(block::Host::sleep(&host, 1_000_000));
                let pause = std::pin::pin!(door.pause());
                let ended = futures_util::future::select(pause, limit).await;
                assert!(matches!(ended, futures_util::future::Either::Right(_)), "a write is in flight");
                door.go_on(&ring, &host, door.take_paused());
                door.go_on(&ring, &host, door.take_paused());
            });
        });
    }
    idle.send(Command::Flush, 0, 0, 0, &[]).unwrap();
    server.until(|world| world.export.device().held.get() == 2);
    server.run(|world| world.export.device().release());
    assert_eq!(slow.receive().unwrap().error, None);
    assert_eq!(idle.receive().unwrap().error, None);
    server.client(Replies::Simple).flush().unwrap();
}

#[test]
fn a_guest_that_leaves_while_the_door_stands_still_is_noticed_where_it_goes_on() {
    let (first, second) = (Server::start(), Server::start());
    let guest = first.client(Replies::Simple);
    let paused = patience::hear(&first.pause());
    drop(guest);
    second.run(|world| go_on(world, paused));
    second.until_nothing_is_left();
    first.until_nothing_is_left();
}

/// Each request is answered once, in full, whatever moment a pause begins at.
#[test]
fn nothing_is_lost_and_nothing_happens_twice_while_a_door_goes_to_and_fro_under_load() {
    let servers = [Server::start(), Server::start()];
    let done = AtomicBool::new(false);
    let guests: Vec<Client> =
        [Replies::Simple, Replies::Structured, Replies::Simple].map(|r| servers[0].client(r)).into();
    let sent: usize = std::thread::scope(|scope| {
        let done = &done;
        let loads: Vec<_> = guests.into_iter().map(|guest| scope.spawn(move || load(guest, done))).collect();
        for round in 0..100 {
            let (from, to) = (&servers[round % 2], &servers[(round + 1) % 2]);
            // Both servers see some of it.
            let before = to.run(|world| world.export.counters().requests);
            move_to(from, to);
            patience::until(|| to.run(|world| world.export.counters().requests) >= before + 20);
        }
        done.store(true, Ordering::Relaxed);
        loads.into_iter().map(|load| load.join().unwrap()).sum()
    });
    for server in &servers {
        server.until_nothing_is_left();
    }
    let happened: usize =
        servers.iter().map(|s| s.run(|world| world.export.device().log.borrow().len())).sum();
    assert_eq!(happened, sent);
}

/// Keeps several requests of different sizes in flight; returns how many there were.
fn load(mut guest: Client, done: &AtomicBool) -> usize {
    let mut in_flight = HashMap::new();
    let mut sent = 0;
    while !done.load(Ordering::Relaxed) || !in_flight.is_empty() {
        while in_flight.len() < 8 && !done.load(Ordering::Relaxed) {
            // It takes no answers while it sends, so all that it sends fits into its socket: else it would wait for a paused server
            // to take the rest, and that one for it to take an answer.
            let (command, length) = if sent % 2 == 0 {
                (Command::Write, [512, 4096, 64 << 10][sent % 3])
            } else {
                (Command::Read, [512, 4096, 200 << 10][sent % 3])
            };
            let payload = if command == Command::Write { vec![3; length] } else { Vec::new() };
            let cookie = guest.send(command, 0, sent as u64 % 8 * MIB, length as u32, &payload).unwrap();
            in_flight.insert(cookie, if command == Command::Read { length } else { 0 });
            sent += 1;
        }
        let answer = guest.receive().unwrap();
        let expected = in_flight.remove(&answer.cookie).expect("each request is answered once");
        assert_eq!((answer.error, answer.data.len()), (None, expected));
    }
    guest.disconnect().unwrap();
    sent
}
