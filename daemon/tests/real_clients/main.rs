//! The real process with its real clients: fio, libnbd's tools and QEMU's.
//!
//! They verify from outside that a disk always returns the data that was written to it, in all operations of
//! RAM, flash, promotion, reclaim and changed settings. Each test has a folder and a daemon of its own.
//! Missing tools are failures, not reasons to skip: `cargo xtask test` installs them.

#[allow(dead_code, reason = "shared with the power cuts, which use more of it")]
mod busy;
mod ceph;
mod content;
#[path = "../../../objects/tests/all/contract.rs"]
mod contract;
mod crash;
mod crash_rounds;
mod fio;
mod flash_lost;
mod fleet;
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
#[path = "../process/numbered.rs"]
#[allow(dead_code, reason = "shared with the tests of the process, which use more of it")]
mod numbered;
mod online;
#[path = "../../../doors/tests/patience/mod.rs"]
#[allow(dead_code, reason = "shared with the tests of the doors, which use more of it")]
mod patience;
mod qemu;
mod rbd;
mod running_vm;
mod s3_page;
mod s3_store;
#[allow(dead_code, reason = "shared with the power cuts, which use more of it")]
mod stamps;
#[path = "../process/stopped_host.rs"]
mod stopped_host;
mod tls;
mod tools;
mod verify;
mod volume_rounds;
mod walkthrough;
