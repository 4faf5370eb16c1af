//! Doors: the protocols by which guests reach a disk.
//!
//! A door serves anything that is a [`block::BlockDevice`]: a raw device, a cached disk, a fault injector. It knows nothing about the
//! cache, and the cache nothing about doors. NBD is for any client, vhost-user for guests on this host, [`ublk`] for programs of this host,
//! and a [`port::DiskPort`] for code of this process on another thread. All of them are a [`Door`].

mod door;
mod flights;
mod kernel_use;
mod log_throttle;
pub mod nbd;
mod phase;
pub mod port;
mod serial;
pub mod ublk;
pub mod vhost;

pub use door::{Door, DoorCounters, DoorShard, Entrance, PausedDoor, unsupported_entrance};
pub use kernel_use::kernel_uses;
pub use serial::{SERIAL_BYTES, serial_number};
