//! Forebay.
#![allow(dead_code, reason = "parts land before what uses them")]
mod config;
mod keys;
mod names;
mod places;
mod problem;
mod sockets;
mod state;
#[cfg(test)]
mod testing;
mod units;
fn main() {}
