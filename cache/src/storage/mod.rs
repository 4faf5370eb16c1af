//! Durable state: all code that writes to flash, and the order in which it does.

pub(crate) mod blank;
mod budgets;
pub(crate) mod check;
pub(crate) mod comparison;
pub(crate) mod copies;
pub(crate) mod dirty_first;
mod discarding;
pub(crate) mod discards;
pub(crate) mod flash;
pub(crate) mod full_storage;
mod lock;
pub(crate) mod log;
pub(crate) mod membership;
pub(crate) mod metered;
mod note_state;
mod notes;
pub(crate) mod opening;
pub(crate) mod pool;
pub(crate) mod reading;
mod reclaim_queue;
pub(crate) mod reclaim_slot;
pub(crate) mod resize;
pub(crate) mod shared;
mod space;
pub(crate) mod start;
mod superblock;
mod write_budget;
