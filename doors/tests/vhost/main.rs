//! The vhost-user door with a front end that is no guest: it drives queues as a driver does, and lies as a hostile one may.

#![allow(clippy::unwrap_used)]

#[path = "../at_hand/mod.rs"]
mod at_hand;
mod driver;
#[path = "../../../fuzz/vhost_checks.rs"]
mod fuzz_checks;
mod fuzz_smoke;
mod hostile;
mod log;
#[path = "../patience/mod.rs"]
mod patience;
#[path = "../random/mod.rs"]
mod random;
mod requests;
mod restart;
mod server;
