//! The real process, from its command line and its sockets: as administrators and guests use it.
//!
//! Each test has a folder of its own with its own daemons; nothing outside of it is touched. Tests wait for
//! events (a line of output, the end of a process), with a deadline far beyond their usual time.

mod advise;
mod backings;
mod bad_input;
mod browser;
mod budget;
mod check;
mod command_line;
mod consistency_set;
mod consistent;
#[path = "../../../objects/tests/all/contract.rs"]
#[allow(dead_code, reason = "shared with the tests of stores, which use more of it")]
mod contract;
mod curve;
mod descriptors;
mod devices;
mod discards;
mod doors;
#[path = "../../../doors/tests/vhost/driver.rs"]
#[allow(clippy::unwrap_used, dead_code, reason = "shared with the tests of the door, which use more of it")]
mod driver;
mod events;
mod flash_division;
mod front_end;
mod history;
mod holds;
mod host;
mod http;
mod identity;
mod idle;
mod in_use;
mod learned;
mod lifecycle;
mod limits;
mod logs;
mod mirror;
mod mirror_fails;
mod moving;
mod numbered;
mod openapi;
#[path = "../../../doors/tests/patience/mod.rs"]
#[allow(dead_code, reason = "shared with the tests of the doors, which use more of it")]
mod patience;
mod pool;
mod pool_resize;
mod prediction;
mod ram_budget;
mod readers;
mod replay;
mod report;
mod resize;
mod rights;
mod shards;
mod side_by_side;
mod signals;
mod simulate;
mod sockets;
mod statistics;
mod stopped_host;
mod storage;
mod top;
mod totals;
#[path = "../../src/replay/testing.rs"]
mod trace_records;
mod traces;
mod volumes;
mod warm;
mod wear;
mod write_back;
