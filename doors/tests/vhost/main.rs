//! The vhost-user door with a front end that is no guest: it drives queues as a driver does, and lies as a hostile one may.

#![allow(clippy::unwrap_used)]

mod driver;
mod hostile;
mod requests;
mod restart;
mod server;
