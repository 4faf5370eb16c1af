//! Ports: a disk of one shard as a block device on any other thread.
//!
//! ```text
//!   DiskPort (any thread) ── room for it? ── queue ──> PortDoor (the disk's shard) ──> device
//!         ^                                                                            │
//!         └────────────────── oneshot: outcome and buffer <────────────────────────────┘
//! ```
//! A [`DiskPort`] is for a door that reaches disks of several shards. A client that reaches one disk is better handed over to the
//! shard of that disk, as the NBD reception does: a request through a port wakes two threads, one there and one back.
//!
//! The serving side is a [`Door`](crate::Door) like any other. So a port follows its disk to another shard: the queue is the entrance that
//! travels in a [`PausedDoor`](crate::PausedDoor), and requests wait in it meanwhile. When the door closes, or its shard ends, every
//! request that waits or is sent later fails with `Gone`.

mod device;
mod door;
mod link;

pub use device::DiskPort;
pub use door::PortDoor;
pub use link::PortLimits;
