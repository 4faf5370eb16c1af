//! Real Linux guests for tests: a Debian kernel in QEMU that boots in seconds, runs a script and reports its result.
//!
//! Some tests need a kernel that the host does not have (device-mapper, NBD) or a machine whose power may be cut. A [`Kit`] is made once
//! from Debian packages; a [`Guest`] is one boot of it with programs of the host, files and disks. QEMU emulates in software, so that no
//! `/dev/kvm` is needed: take counts and correctness from guests, never times.
//!
//! ```text
//!   kernel of Debian ┐
//!   kit: busybox,    ├─> QEMU ──> sh /script ──> output, line by line, and exit status
//!        modules     │
//!   run: programs    │
//!        with their  │
//!        libraries,  ┘
//!        files, disks
//! ```
//! It is not part of the product, never touches the host beyond its own folders, and needs no root once the packages of [`PACKAGES`] are
//! installed.

mod archive;
mod boot;
mod cable;
mod kit;
mod programs;

pub use boot::{Bus, Ended, Guest, PowerSwitch, Running};
pub use cable::{Cable, CableEnd};
pub use kit::{Kernel, Kit};

/// Debian packages that the host needs to make and boot a guest, each with the programs that are used.
pub const PACKAGES: &[(&str, &[&str])] =
    &[("qemu-system-x86", &["qemu-system-x86_64"]), ("busybox-static", &["busybox"]), ("kmod", &["depmod"])];
