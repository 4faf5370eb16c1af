//! The vhost-user door: guests of QEMU and its kin reach their disk through memory that they share with us, as a virtio block device.
//!
//! ```text
//!   VhostUserDoor::listen ──> serve (connection.rs) ──> Vring (vring.rs) ──> Chain, Request ──> BlockDevice ──> guest memory, used ring, call
//!     door.rs          messages, their order      one per queue       chain.rs request.rs              memory.rs      inflight.rs
//! ```
//! How it works:
//! - Control socket, kicks and calls all go through the ring of the shard. There is no other thread, and of what a front end
//!   passes only files that cannot block are used (`files.rs`); one connection, and each of its queues, is a task of the shard's executor.
//! - A request holds the map of memory that it began with, its share of the disk's budget, and its head in the record of
//!   what is in flight, until its answer is in the used ring. A map is unmapped when its last request has ended.
//! - Input of a guest or front end is read once, checked, and if invalid gets an error, or breaks its queue or connection.
//!   None of it is trusted, and nothing outside of the shared memory is touched.
//! - Stopping a queue (by its front end, the end of the connection, or the door) waits until all that was taken from it is
//!   answered. Requests that a process took and did not answer because it was killed, the next one does again.
//!
//! It knows no cache, makes no decision about the disk, and is for sockets that only the right front end can open.

pub mod limits;

mod adaptive_polling;
mod chain;
mod config;
mod connection;
mod door;
mod files;
mod guard;
mod inflight;
mod log;
mod memory;
mod message;
mod notices;
mod offered;
mod request;
mod request_batch;
mod rings;
mod setup;
mod signals;
mod stores;
mod vring;

pub use door::{PausedVhostUserDoor, VhostUserDoor};
