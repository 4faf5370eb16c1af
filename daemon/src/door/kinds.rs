//! The kinds of doors, in one list. A new kind takes:
//! - a module of the crate `doors` that implements [`Door`], and a variant with its arms here. Its socket in RUN,
//!   its reports, counters and metrics follow from that;
//! - an entrance in `mod.rs`, if it is no Unix socket: [`Entrances`](super::Entrances) has a socket for each kind;
//! - the field of its socket in the document of a disk (`documents/disk.rs`), and its path for `connect.rs` in
//!   `control/disks.rs`: both name kinds one by one;
//! - the lines of its clients, in `connect.rs`, and its name on the web page, in `web/src/connect.ts`.

use std::rc::Rc;

use block::BlockDevice;
use doors::Door;
use doors::nbd::{Export, NbdDoor};
use doors::ublk::UblkDoor;
use doors::vhost::VhostUserDoor;

/// Description of every disk for NBD clients.
const DESCRIPTION: &str = "Forebay disk";

/// A protocol by which clients reach a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DoorKind {
    /// NBD over a Unix socket, and over TCP where the daemon listens.
    Nbd,
    /// vhost-user, for guests that share their memory.
    VhostUser,
    /// A block device of this host, once `forebay map` has handed one over.
    BlockDevice,
}

impl DoorKind {
    /// Every kind, in the order in which doors are opened and listed.
    pub(crate) const ALL: [Self; 3] = [Self::Nbd, Self::VhostUser, Self::BlockDevice];

    /// Returns the name in documents.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Nbd => "nbd",
            Self::VhostUser => "vhost-user",
            Self::BlockDevice => "block-device",
        }
    }

    /// Returns the name in messages.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Nbd => "NBD",
            Self::VhostUser => "vhost-user",
            Self::BlockDevice => "block device",
        }
    }

    /// Returns the folder in RUN that has the sockets of this kind.
    pub(crate) fn folder(self) -> &'static str {
        match self {
            Self::Nbd => "nbd",
            Self::VhostUser => "vhost",
            Self::BlockDevice => "map",
        }
    }

    /// Returns true if a disk is not served without this door. Others are omitted if the path of their socket
    /// is too long.
    pub(crate) fn is_required(self) -> bool {
        self == Self::Nbd
    }

    /// Returns true if clients connect to the socket. The socket of another kind is for commands of this program, and clients use a
    /// device node.
    pub(crate) fn is_for_clients(self) -> bool {
        self != Self::BlockDevice
    }

    /// Returns the name in documents and that in messages of the shared address over TCP whose clients are handed to this door, if
    /// there is one for its protocol.
    pub(crate) fn over_network(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Nbd => Some(("nbd-tcp", "NBD over TCP")),
            Self::VhostUser | Self::BlockDevice => None,
        }
    }

    /// Makes a door of this kind to `device`, the disk `name`. It is still closed to clients.
    pub(super) fn make<D: BlockDevice>(self, name: &str, device: &Rc<D>) -> Rc<dyn Door> {
        let device = Rc::clone(device);
        match self {
            Self::Nbd => NbdDoor::for_disk(Export::new(name, DESCRIPTION, device)),
            Self::VhostUser => VhostUserDoor::new(name, device),
            Self::BlockDevice => UblkDoor::new(name, device),
        }
    }
}
