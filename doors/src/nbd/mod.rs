//! The NBD door: fixed newstyle handshake, simple and structured replies, several connections per disk.
//!
//! ```text
//!   NbdDoor::listen ──> serve_connection ──> negotiate ──> read requests ──> run each on the device ──> send replies
//!                                         handshake.rs   connection.rs     request.rs                 outbox.rs
//! ```
//! [`wire`], [`reply`] and [`option`] are the codec of `block`, which the server, the [`client`] and the device for
//! backings share; [`handshake`] is the server's side of the negotiation. All of it is pure functions over bytes.
//!
//! A door itself has no encryption: its socket is one that only the right guest can open. Over TCP a [`Reception`] stands in front of the
//! doors of all disks, which requires TLS and checks addresses, and hands clients over:
//!
//! ```text
//!   Reception::listen ──> negotiate, STARTTLS ──> Directory ──> the door of the disk, on its thread
//!      reception.rs         connection.rs, tls.rs   directory.rs     door.rs
//! ```

pub mod client;
pub mod handshake;
pub mod limits;

mod connection;
mod directory;
mod door;
mod export;
mod line;
mod outbox;
mod pause;
mod receiver;
mod reception;
mod request;
mod tls;
mod window;

pub use block::nbd::{option, reply, wire};
pub use client::Client;
pub use connection::serve_connection;
pub use directory::{Directory, Listing};
pub use door::{AdmissionCounters, NbdDoor};
pub use export::{Export, ExportCounters};
pub use limits::Limits;
pub use pause::PausedNbdDoor;
pub use reception::{Conditions, Reception, ReceptionCounters};
pub use tls::{Identities, Identity, Unfit};
