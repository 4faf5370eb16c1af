//! Foundation of the daemon's crates: errors, units, and information about the host.
//!
//! Nothing here knows a disk, a cache, HTTP or the command line. Errors are [`Error`]s, texts for an administrator.
//!
//! | module | contents |
//! |---|---|
//! | [`error`] | the error type of the control plane, and suggestions for misspelt words |
//! | [`units`], [`moment`] | sizes, shares, durations and moments as people write them |
//! | [`plain`], [`wrap`] | text from outside, escaped before it is shown; text in lines that fit a terminal |
//! | [`names`] | names of disks, and the name of each number |
//! | [`bounded`] | reads of files and programs with a limit |
//! | [`descriptors`] | the limit of open files, and advice for the error |
//! | [`rights`], [`sockets`] | Unix sockets and the rights to connect to them |
//! | [`memory`], [`mounts`], [`qemu_process`] | kernel information on memory, mounts and a process |
//! | [`signals`] | signals that end the daemon, and those that do not |
//! | [`durable`], [`store`] | small files that are replaced as a whole, and the thread that replaces them |
//! | [`token`] | the secret that changes over TCP need |
//! | [`sysfs`] | block devices as the kernel lists them |
//! | [`blocking_pool`], [`patience`] | blocking work on other threads, limits of time and retries |

pub mod blocking_pool;
pub mod bounded;
pub mod descriptors;
pub mod durable;
pub mod error;
pub mod memory;
pub mod moment;
pub mod mounts;
pub mod names;
pub mod patience;
pub mod plain;
pub mod qemu_process;
pub mod rights;
pub mod signals;
pub mod sockets;
pub mod store;
pub mod sysfs;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod token;
pub mod units;
pub mod wrap;

pub use error::{Error, Result};
