//! The door of a disk: its NBD socket, on which guests reach this disk and no other.

use std::cell::Cell;
use std::path::PathBuf;
use std::pin::pin;
use std::rc::Rc;

use block::executor::LocalHost;
use block::socket::Listener;
use block::{BlockDevice, Host, Ring};
use doors::nbd::{self, Export};
use futures_util::future::{Either, select};

use crate::problem::{Answer, Problem};
use crate::rights::Rights;
use crate::sockets;

/// How long guests may take to fetch the answers to their last requests, in nanoseconds.
const FETCH_TIME_MAX_NS: u64 = 2_000_000_000;

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
        let export = Export::new(name, "Forebay disk", device);
        let door = nbd::Door::for_disk(Rc::clone(&export));
        host.spawn(Rc::clone(&door).listen(listener, host.clone()));
        Ok(Self { socket, rights: Cell::new(rights), host: host.clone(), entrance: door, export })
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
