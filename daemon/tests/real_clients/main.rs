//! The real process with the real clients that people use: fio, libnbd's tools and QEMU's.
//!
//! They judge from outside what the cache must never get wrong: that a disk holds what was written to it, whatever RAM,
//! flash, promotion, reclaim and changed settings do meanwhile. Each test has a folder and a daemon of its own. Missing
//! tools are failures, not reasons to skip: `cargo xtask test` installs them.

#[allow(dead_code, reason = "shared with the power cuts, which use more of it")]
mod busy;
mod content;
mod crash;
mod crash_rounds;
mod fio;
mod guest_disks;
mod guest_system;
#[path = "../process/host.rs"]
#[allow(dead_code, reason = "shared with the tests of the process, which use more of it")]
mod host;
mod interface;
mod libvirt;
mod locks;
mod machine;
mod many;
mod mapped;
mod metrics;
mod migration;
mod nbd_backing;
mod online;
#[path = "../../../doors/tests/patience/mod.rs"]
#[allow(dead_code, reason = "shared with the tests of the doors, which use more of it")]
mod patience;
mod qemu;
mod running_vm;
#[allow(dead_code, reason = "shared with the power cuts, which use more of it")]
mod stamps;
mod tls;
mod tools;
mod verify;
