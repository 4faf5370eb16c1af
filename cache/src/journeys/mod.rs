//! Journeys: one file for each way that data takes.
//!
//! | journey | from | to |
//! |---|---|---|
//! | `read` | RAM, flash, backing | guest; a miss enters RAM behind the answer |
//! | `write` | guest | backing, then RAM |
//! | `zeroes` | guest (write-zeroes, discard) | backing |
//! | `flush` | guest | backing |
//! | `promote` | RAM | flash |
//! | `reclaim` | flash | flash again, or nowhere |
//!
//! All share one [`disk_cache::DiskCache`], what is cached of one disk. They meet only there.

pub(crate) mod disk_cache;
pub(crate) mod flush;
pub(crate) mod mutation;
pub(crate) mod promote;
pub(crate) mod read;
pub(crate) mod reclaim;
pub(crate) mod write;
pub(crate) mod zeroes;
