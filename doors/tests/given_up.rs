//! Requests that a client sent before it hung up, while the server did not read: they are done, unless another client has changed the disk
//! since, which they could undo.

#![allow(clippy::unwrap_used)]

mod patience;
mod support;

use std::net::Shutdown;
use std::os::unix::net::UnixStream;

use doors::nbd::Client;
use doors::nbd::option::Replies;
use doors::nbd::wire::{Command, Request};
use support::{Server, go_on};

/// Two servers, and on the first a client that goes on first and one that hangs up.
struct Rig {
    first: Server,
    second: Server,
    other: Client,
    leaving: Client,
    socket: UnixStream,
}

impl Rig {
    fn new() -> Self {
        let (first, second) = (Server::start(), Server::start());
        let other = first.client(Replies::Simple);
        let socket = first.socket();
        let leaving = Client::over(socket.try_clone().unwrap(), "disk", Replies::Simple).unwrap();
        Self { first, second, other, leaving, socket }
    }

    /// Runs `meanwhile` while nothing is read, and goes on then: with the other client first.
    fn while_nothing_is_read(&mut self, meanwhile: impl FnOnce(&mut Self)) {
        let paused = patience::hear(&self.first.pause());
        meanwhile(self);
        self.second.run(|world| go_on(world, paused));
    }

    fn write_old(&mut self) {
        self.leaving.send(Command::Write, 0, 4096, 512, &[1; 512]).unwrap();
    }

    fn write_new(&mut self) {
        self.other.send(Command::Write, 0, 4096, 512, &[2; 512]).unwrap();
    }

    fn writes(&self) -> usize {
        self.second.run(|world| world.export.device().log.borrow().len())
    }
}

#[test]
fn a_write_whose_client_hung_up_is_not_begun_after_a_newer_one_of_another_client() {
    for hang_up in [Shutdown::Write, Shutdown::Both] {
        let mut rig = Rig::new();
        rig.while_nothing_is_read(|rig| {
            rig.write_old();
            rig.socket.shutdown(hang_up).unwrap();
            rig.write_new();
        });
        assert_eq!(rig.other.receive().unwrap().error, None);
        assert!(rig.leaving.receive().is_err(), "it is not told that it was done");
        assert_eq!(rig.first.client(Replies::Simple).read(4096, 512).unwrap(), [2; 512]);
        assert_eq!(rig.second.run(|world| world.export.device().log.borrow().len()), 2, "a write and a read");
    }
}

#[test]
fn what_was_sent_before_a_disconnect_is_done_whatever_others_did() {
    let mut rig = Rig::new();
    rig.while_nothing_is_read(|rig| {
        rig.write_old();
        let request = Request { flags: 0, command: Command::Disconnect, cookie: 0, offset: 0, length: 0 };
        std::io::Write::write_all(&mut rig.socket, &request.encode()).unwrap();
        rig.socket.shutdown(Shutdown::Write).unwrap();
        rig.write_new();
    });
    assert_eq!(rig.other.receive().unwrap().error, None);
    assert_eq!(rig.leaving.receive().unwrap().error, None);
    assert_eq!(rig.writes(), 2);
}

#[test]
fn a_client_that_only_finished_sending_is_answered_if_nobody_else_changed_the_disk() {
    let mut rig = Rig::new();
    rig.other.write(0, &[3; 512]).unwrap();
    rig.while_nothing_is_read(|rig| {
        rig.write_old();
        rig.socket.shutdown(Shutdown::Write).unwrap();
    });
    assert_eq!(rig.leaving.receive().unwrap().error, None);
    assert_eq!(rig.first.client(Replies::Simple).read(4096, 512).unwrap(), [1; 512]);
}

#[test]
fn clients_that_are_there_change_the_disk_in_turns() {
    let mut rig = Rig::new();
    for _ in 0..3 {
        rig.other.write(0, &[4; 512]).unwrap();
        rig.leaving.write(0, &[5; 512]).unwrap();
    }
    assert_eq!(rig.other.read(0, 512).unwrap(), [5; 512]);
}
