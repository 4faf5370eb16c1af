//! NBD: the bytes of the protocol, for both sides, and the device that is a client of a server.
//!
//! [`wire`], [`option`] and [`reply`] are pure functions over bytes in both directions. The doors serve with them, the
//! clients ask with them, tests and fuzzers check them. [`negotiation`] and [`intake`] are the client's side of a
//! connection, pure as well. [`NbdDevice`] moves the bytes. The format is that of the specification of the NBD project
//! (`doc/proto.md`).

pub mod intake;
pub mod negotiation;
pub mod option;
pub mod reply;
pub mod wire;

mod coverage;
mod device;
mod fields;

pub use device::{Address, NbdDevice, NbdError, NbdHandle, NbdOptions, PORT, Target};
