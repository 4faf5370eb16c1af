//! Measurements over time: counters of disks, wear of flash, and events.
//!
//! Nothing here serves a disk or answers a request: the engine passes its counters in, and queries the results later.
//!
//! | module | contents |
//! |---|---|
//! | [`counted`] | counters and latencies of a disk, to be added and subtracted |
//! | [`totals`] | the same since a disk was added, across restarts |
//! | [`series`] | windows, history and warm-up: queries on one store of samples |
//! | [`wear`] | bytes written to flash, lifetime of drives, write budgets |
//! | [`events`] | events for operators, kept across restarts |

pub mod counted;
pub mod events;
pub mod series;
pub mod totals;
pub mod wear;
