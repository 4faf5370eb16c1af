//! Types: names, units, limits, errors and counters that every floor above uses. No behaviour.

pub mod canary;
pub mod env;
pub mod error;
pub mod histograms;
pub mod latency;
pub mod limits;
pub mod settings;
pub mod stats;
pub mod units;
