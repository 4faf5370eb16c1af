//! What survives: everything that writes to flash, and the order in which it does.

pub(crate) mod blank;
pub(crate) mod budgets;
pub(crate) mod check;
pub(crate) mod comparison;
pub(crate) mod copies;
pub(crate) mod dirty_first;
pub(crate) mod discards;
pub(crate) mod flash;
pub(crate) mod log;
pub(crate) mod membership;
pub(crate) mod metered;
pub(crate) mod notes;
pub(crate) mod opening;
pub(crate) mod pool;
pub(crate) mod reading;
pub(crate) mod room;
pub(crate) mod shared;
mod space;
pub(crate) mod start;
