//! The NBD door: fixed newstyle handshake, simple and structured replies, several connections per disk.
//!
//! ```text
//!   Door::listen ──> serve_connection ──> negotiate ──> read requests ──> run each on the device ──> send replies
//!                                         handshake.rs   connection.rs     request.rs                 outbox.rs
//! ```
//! [`wire`], [`reply`], [`option`] and [`handshake`] are pure functions over bytes, shared by the server, the
//! [`client`], tests and fuzzers. The format is that of the specification of the NBD project (`doc/proto.md`).
//!
//! There is no encryption: a door is for sockets that only the right guest can open.

pub mod client;
pub mod handshake;
pub mod limits;
pub mod option;
pub mod reply;
pub mod wire;

mod connection;
mod door;
mod export;
mod fields;
mod flight;
mod outbox;
mod receiver;
mod request;

pub use client::Client;
pub use connection::serve_connection;
pub use door::{Door, DoorCounters};
pub use export::{Export, ExportCounters};
pub use limits::Limits;
