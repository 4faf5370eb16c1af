//! Object stores for volumes: a folder of this host, or a bucket by S3.
//!
//! Shards run executors of their own, so a [`Client`] hands each request to one thread with a runtime, and gets the answer by a channel.
//! [`probe()`] tests what a store promises before a volume relies on it.

mod budget;
mod client;
mod credentials;
mod folder;
mod options;
mod probe;
mod runtime;
mod s3;

pub use client::Client;
pub use options::{Address, OBJECT_BYTES_MAX, StoreOptions};
pub use probe::{ProbeReport, probe};
