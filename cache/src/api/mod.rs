//! API: the types that doors and the daemon use.

pub(crate) mod cache;
pub(crate) mod counting;
pub(crate) mod disk;
