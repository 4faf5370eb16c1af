//! The NBD door: fixed newstyle handshake, simple and structured replies, several connections per disk.
//!
//! ```text
//!   Door::listen ──> serve_connection ──> negotiate ──> read requests ──> run each on the device ──> send replies
//!                                         handshake.rs   connection.rs     request.rs                 outbox.rs
//! ```
//! [`wire`], [`reply`] and [`option`] are the codec of `block`, which the server, the [`client`] and the device for
//! backings share; [`handshake`] is the server's side of the negotiation. All of it is pure functions over bytes.
//!
//! There is no encryption: a door is for sockets that only the right guest can open.

pub mod client;
pub mod handshake;
pub mod limits;

mod connection;
mod door;
mod export;
mod flight;
mod outbox;
mod pause;
mod receiver;
mod request;

pub use block::nbd::{option, reply, wire};
pub use client::Client;
pub use connection::serve_connection;
pub use door::{Door, DoorCounters};
pub use export::{Export, ExportCounters};
pub use limits::Limits;
pub use pause::Paused;
