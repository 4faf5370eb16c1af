//! The face: what doors and the daemon hold.

pub(crate) mod cache;
pub(crate) mod counting;
pub(crate) mod disk;
