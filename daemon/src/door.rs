//! The door of a disk: its NBD socket, on which guests reach this disk and no other.

use std::cell::Cell;
use std::path::PathBuf;
use std::pin::pin;
use std::rc::Rc;

use block::executor::LocalHost;
use block::socket::Listener;
use block::{BlockDevice, Host, Ring};
use doors::nbd::{self, Export, Paused};
use futures_util::future::{Either, select};

use crate::problem::{Answer, Problem};
use crate::rights::Rights;
use crate::sockets;

/// How long guests may take to fetch the answers to their last requests, in nanoseconds.
const FETCH_TIME_MAX_NS: u64 = 2_000_000_000;

/// What clients are told of every disk.
const DESCRIPTION: &str = "Forebay disk";

/// An open door. Dropping it without [`Door::close`] leaves guests connected.
pub(crate) struct Door<D> {
    socket: PathBuf,
    rights: Cell<Rights>,
    host: LocalHost,
    entrance: Rc<nbd::Door<D>>,
    export: Rc<Export<D>>,
}

/// Where a door is, and for whom.
#[derive(Clone, Debug)]
pub(crate) struct Entrance {
    /// Path of the socket.
    pub(crate) socket: PathBuf,
    /// Who may connect.
    pub(crate) rights: Rights,
}

impl<D: BlockDevice> Door<D> {
    /// Listens at `entrance` for guests of `device`, the disk `name`.
    ///
    /// # Errors
    /// If the socket cannot be had; then nothing is left behind.
    pub(crate) fn open(
        ring: &Ring,
        host: &LocalHost,
        entrance: Entrance,
        name: &str,
        device: D,
    ) -> Answer<Self> {
        let Entrance { socket, rights } = entrance;
        let listener = sockets::listen(&socket, &rights)?;
        let listener = Listener::from_unix(ring, listener).map_err(|error| {
            sockets::remove(&socket);
            Problem::failed(format!("Cannot listen on socket {}: {error}", socket.display()))
        })?;
        let export = Export::new(name, DESCRIPTION, device);
        let door = nbd::Door::for_disk(Rc::clone(&export));
        host.spawn(Rc::clone(&door).listen(listener, host.clone()));
        Ok(Self { socket, rights: Cell::new(rights), host: host.clone(), entrance: door, export })
    }

    /// Goes on at `entrance` with the listener and the guests that another door of the disk `name` had at rest.
    pub(crate) fn resume(
        ring: &Ring,
        host: &LocalHost,
        entrance: Entrance,
        name: &str,
        device: D,
        guests: Paused,
    ) -> Self {
        let Entrance { socket, rights } = entrance;
        let export = Export::new(name, DESCRIPTION, device);
        let door = nbd::Door::for_disk(Rc::clone(&export));
        let door = Self { socket, rights: Cell::new(rights), host: host.clone(), entrance: door, export };
        door.go_on(ring, guests);
        door
    }

    /// Holds guests where they are; ready when what they sent before has ended. If that takes too long, the future is dropped,
    /// and what is at rest by then has to go on.
    pub(crate) async fn pause(&self) {
        self.entrance.pause().await;
    }

    /// Listener and guests, to go on with.
    pub(crate) fn take_paused(&self) -> Paused {
        self.entrance.take_paused()
    }

    /// Goes on with listener and guests that were at rest.
    pub(crate) fn go_on(&self, ring: &Ring, guests: Paused) {
        self.entrance.go_on(ring, &self.host, guests);
    }

    /// Where it is, and for whom.
    pub(crate) fn entrance(&self) -> Entrance {
        Entrance { socket: self.socket.clone(), rights: self.rights.get() }
    }

    /// Who may connect from now on. Guests that are connected stay.
    ///
    /// # Errors
    /// If the daemon may not give such rights. Then they are as before.
    pub(crate) fn set_rights(&self, rights: Rights) -> Answer<()> {
        if rights != self.rights.get() {
            sockets::change_rights(&self.socket, &self.rights.get(), &rights)?;
            self.rights.set(rights);
        }
        Ok(())
    }

    /// Who may connect.
    pub(crate) fn rights(&self) -> Rights {
        self.rights.get()
    }

    /// Lets nobody in any more, answers what is in flight, ends the connections. A guest that does not fetch its
    /// answers is cut off after two seconds; what the device works on is always waited for.
    pub(crate) async fn close(&self) {
        self.entrance.close();
        sockets::remove(&self.socket);
        let drained = pin!(self.export.drain());
        if let Either::Right(((), drained)) = select(drained, pin!(self.host.sleep(FETCH_TIME_MAX_NS))).await
        {
            self.export.sever();
            drained.await;
        }
    }

    /// Guests that are connected.
    pub(crate) fn connections(&self) -> u64 {
        self.export.counters().connections
    }
}
