//! A disk as a block device of this host, by Linux's ublk.
//!
//! ```text
//!   command, with privileges                                         door, without
//!     connect to the disk's socket  <── size, blocks, what it can ──   listener
//!     ADD_DEV, SET_PARAMS
//!     open /dev/ublkcN              ── number, queues, open file ──>   maps the queues, fetches all tags
//!                                   <── served, or why not ─────────
//!     START_DEV: /dev/ublkbN appears                                   one task for each tag, on the disk's shard
//! ```
//! A command that passes an open `/dev/ublkcN` had the privileges to open it, so the socket needs no rights of its own beyond those of the
//! disk's other sockets.
//!
//! A device stays when its server ends, orderly or not: requests wait until another process is handed the device, which is given those
//! that were not answered (user recovery). For a stop of the daemon that is a pause; a device goes away only by a command.
//!
//! Requests stay on the thread that fetched the tags. So a disk does not move to another shard while it is mapped.

mod client;
mod door;
mod handover;

pub use client::HandoverClient;
pub use door::UblkDoor;
pub use handover::{Answer, Greeting, Offer};

/// Bytes of the longest message of a handover.
const MESSAGE_BYTES_MAX: usize = 4096;
