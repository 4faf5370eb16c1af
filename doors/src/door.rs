//! The seam between a disk and the protocols by which its clients reach it.
//!
//! ```text
//!   open(Entrance) ──> serving ── pause ──> at rest ── take_paused ──> PausedDoor ── resume ──> serving, on this shard or another
//!                         └────── close, sever after a while ──> closed
//! ```
//! The owner of a disk holds its doors as `Rc<dyn Door>` and treats all of them alike. The device behind a door is given to its
//! constructor, so the trait does not name it.

use std::any::Any;
use std::io;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::rc::Rc;

use block::Ring;
use block::executor::LocalHost;
use block::socket::Peer;
use futures_util::future::LocalBoxFuture;

use crate::nbd::Directory;

/// A protocol server of one disk, on the thread of the disk's shard.
///
/// Guarantees of every implementation:
/// - A request that a client has an answer to was done by the device, or failed there.
/// - No request begins once the future of [`Self::pause`] or [`Self::close`] was polled. It is ready when those that had begun have
///   ended, and does not fail.
/// - A client of a door that was paused and resumed stays connected. No request is lost, and none is done twice.
/// - Dropping a door closes nothing: its tasks hold it.
pub trait Door {
    /// Lets clients in at `entrance`, until the door is paused or closed. A second entrance of the same kind replaces the first;
    /// clients that are connected stay.
    ///
    /// The future of a socket or a directory is ready at once, and clients are let in even if it is dropped.
    ///
    /// # Errors
    /// `Unsupported` for an entrance that this kind of door cannot use; else the error of the system. The door stays closed to new clients
    /// then.
    fn open(self: Rc<Self>, shard: &DoorShard, entrance: Entrance)
    -> LocalBoxFuture<'static, io::Result<()>>;

    /// Stops taking clients and requests, and waits until requests in flight have ended. This takes as long as the device and the slowest
    /// client do. To cancel, drop the future and [resume](Self::resume) the result of [`Self::take_paused`].
    fn pause(&self) -> LocalBoxFuture<'_, ()>;

    /// Takes entrances and clients that are at rest, all of them once [`Self::pause`] is ready. Those that rest later, after a cancelled
    /// pause, continue by themselves.
    fn take_paused(&self) -> PausedDoor;

    /// Continues with the entrances and clients that this door, or another of its kind for the same disk, had at rest. No client
    /// notices more than the time that it took.
    ///
    /// # Panics
    /// If `paused` is of a door of another kind.
    fn resume(self: Rc<Self>, shard: &DoorShard, paused: PausedDoor);

    /// Closes all entrances at the call, lets no client in any more, answers requests in flight, and ends the connections. This
    /// takes as long as the device and the slowest client do; [`Self::sever`] cuts slow clients off.
    fn close(&self) -> LocalBoxFuture<'_, ()>;

    /// Ends all connections without waiting until clients have fetched their answers. Requests that the device works on still
    /// end before [`Self::close`] is ready.
    fn sever(&self);

    /// Informs clients that the size of the device has changed, as far as the protocol can.
    fn resized(&self);

    /// Returns the counters since the door was made. Cheap. A move to another shard resets them.
    fn counters(&self) -> DoorCounters;

    /// Returns the other end of each connection that uses the disk.
    fn peers(&self) -> Vec<Peer>;

    /// Returns true while clients cannot follow the disk to another thread. Such a door is not paused. Default: they always can.
    fn is_bound_to_thread(&self) -> bool {
        false
    }

    /// Returns the device node of this host by which programs use the disk, if there is one now. Default: none; clients connect.
    fn device_node(&self) -> Option<PathBuf> {
        None
    }
}

/// The ring and the tasks of the thread on which a door works.
#[derive(Clone)]
pub struct DoorShard {
    /// The ring of the thread.
    pub ring: Ring,
    /// Its tasks and its clock.
    pub host: LocalHost,
}

/// The place where clients connect.
pub enum Entrance {
    /// A Unix socket that is listened on. Its file and the rights to it belong to the caller.
    Socket(UnixListener),
    /// A shared address of several disks, in whose directory the disk is listed by its name.
    Directory(Directory),
    /// An entrance that the door makes and removes by itself, such as a device node or a queue.
    Own,
}

/// A door at rest on its way to another thread: entrances, clients, and requests that were received and not begun. Only a door of
/// the same kind can resume it. Dropping it ends the connections and closes the entrances.
pub struct PausedDoor(Box<dyn Any + Send>);

/// The counters of a door since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DoorCounters {
    /// Connections that use the disk now. Those that still negotiate do not count, if the protocol has a negotiation.
    pub connections: u64,
    /// Those of them over TCP.
    pub network_connections: u64,
    /// Those of them that the kernel of this host has, for a block device.
    pub kernel_connections: u64,
    /// Connections ever let in.
    pub connections_total: u64,
    /// Connections closed at once because there were too many.
    pub refused: u64,
    /// Connections closed because the client broke the protocol.
    pub protocol_errors: u64,
    /// Queues not served any more because their content has no meaning; 0 for a protocol without queues in shared memory.
    pub broken_queues: u64,
    /// Bytes of memory that requests in flight hold of the door's budget.
    pub data_bytes: u64,
}

impl PausedDoor {
    /// Wraps the state of a door at rest.
    pub fn new(state: impl Any + Send) -> Self {
        Self(Box::new(state))
    }

    /// Returns the state that a door of the same kind wrapped.
    ///
    /// # Panics
    /// If a door of another kind did.
    pub fn into_state<T: Any>(self) -> T {
        *self.0.downcast().expect("a paused door is resumed by one of its kind")
    }
}

/// Returns the answer of [`Door::open`] to an entrance that a kind of door has no use for.
pub fn unsupported_entrance(door: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::Unsupported,
        format!("Cannot open a door of {door} there: it has no such entrance"),
    )
}
