//! Notices that the door sends unasked to a front end: the disk has another size now.
//!
//! The front end passes a socket for that (`SET_BACKEND_REQ_FD`) and reads the configuration after a notice. Notices are sent only while a
//! queue is at work: a suspended device sends nothing (QEMU, "Vhost-user Protocol"). A change meanwhile is sent when a queue starts. A
//! front end that has not read the size yet gets a notice too, once: after a restart of the daemon QEMU does not read it again, and has the
//! old size. A front end that does not read its notices delays nothing.

use std::cell::Cell;
use std::os::fd::OwnedFd;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;

use block::socket::{Chunk, Stream, StreamHandle};
use block::{BlockDevice, Buffer, Ring};
use futures_util::future::{Either, select};
use vhost::vhost_user::message::BackendReq;

use super::door::VhostUserDoor;
use super::message::notice;

/// Notices over the socket of one connection.
pub(crate) struct Notices {
    socket: Arc<OwnedFd>,
    /// The size of the disk in bytes, as the front end knows it; none if it did not read it over this connection.
    known: Cell<Option<u64>>,
    queues: Cell<usize>,
    ended: Cell<bool>,
}

impl Notices {
    /// Creates notices over `socket` of a size other than `known`.
    pub(crate) fn new(socket: Arc<OwnedFd>, known: Option<u64>) -> Rc<Self> {
        Rc::new(Self { socket, known: Cell::new(known), queues: Cell::new(0), ended: Cell::new(false) })
    }

    /// Records that the front end has this size now.
    pub(crate) fn set_known(&self, known: u64) {
        self.known.set(Some(known));
    }

    /// Returns the size that the front end knows.
    pub(crate) fn known(&self) -> Option<u64> {
        self.known.get()
    }

    /// Sets the number of queues at work.
    pub(crate) fn set_queues<D: BlockDevice>(&self, queues: usize, door: &VhostUserDoor<D>) {
        if self.queues.replace(queues) != queues {
            door.tell();
        }
    }

    /// Sends no more notices.
    pub(crate) fn end<D: BlockDevice>(&self, door: &VhostUserDoor<D>) {
        self.ended.set(true);
        door.tell();
    }

    /// Sends notices, until it is to end or the front end does not listen any more.
    pub(crate) async fn run<D: BlockDevice>(self: Rc<Self>, door: Rc<VhostUserDoor<D>>, ring: Ring) {
        let stream = Stream::from_handle(&ring, StreamHandle::from(Arc::clone(&self.socket)));
        loop {
            door.until(|door| self.ended.get() || self.is_due(door)).await;
            if self.ended.get() {
                return;
            }
            self.known.set(Some(door.device().geometry().size));
            let buffer = Buffer::copy_of(&notice(BackendReq::CONFIG_CHANGE_MSG));
            let range = 0..buffer.len();
            let sending = pin!(stream.send(vec![Chunk::Buffer { buffer, range }]));
            match select(sending, pin!(door.until(|_| self.ended.get()))).await {
                Either::Left(((_, Ok(())), _)) => {}
                _ => return,
            }
        }
    }

    fn is_due<D: BlockDevice>(&self, door: &VhostUserDoor<D>) -> bool {
        self.queues.get() > 0 && self.known.get() != Some(door.device().geometry().size)
    }
}
