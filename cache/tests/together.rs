//! Tests of the cache from outside, all in one program: each file by itself would have the whole cache compiled once more.

mod below;
mod budget;
mod cached_copy;
mod destage_pace;
mod fills;
mod flash_targets;
mod opening;
mod overwrites;
mod read_balance;
mod scans;
mod shards;
mod statistics;
mod storm;
mod written;
