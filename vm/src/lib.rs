//! Moving a running guest's disk behind Forebay and back: no copy, no reboot.
//!
//! ```text
//!   attach                                                         detach
//!   1 Forebay opens the file beside QEMU, caches nothing           1 Forebay caches nothing, releases the lock
//!   2 QEMU gets a node for Forebay's socket                        2 QEMU gets a node for the file, as before
//!   3 every write goes to both; the guest changes over             3 every write goes to both; the guest changes over
//!   4 QEMU closes the file                                         4 QEMU closes the socket
//!   5 Forebay locks the file and begins to cache                   5 Forebay removes the disk
//! ```
//!
//! # Why the content stays right
//! Step 3 is QEMU's job `blockdev-mirror` with `sync=none` and `copy-mode=write-blocking`. Both ends are one file, so nothing has to be
//! copied, and one write is enough. The hazard is a second write that arrives late:
//!
//! - QEMU writes to the old end, then the same bytes to the new end, and completes the guest's request when both are done. Requests that
//!   share a chunk of 64 KiB wait for each other, writes, zeroes and discards alike. So no write of older data is in flight to a place
//!   where newer data was acknowledged, and two writes of parts of one page never overlap.
//! - It works on a copy of the guest's memory; a guest that changes a buffer while it is written gets the same bytes twice.
//! - Zeroes and discards go both ways by the same commands. The new node has the `discard` option of the old one, so that nothing is
//!   discarded that was not before. Both are idempotent.
//! - Reads, and the guest's flushes, go to the old end. A flush there covers all writes of the file, and so does a flush at the new end
//!   afterwards.
//! - Where QEMU uses the host's page cache and Forebay does not, the kernel keeps the two coherent: a direct write writes out and drops the
//!   cached pages beneath it, a direct read writes them out first; and requests to one chunk never overlap.
//! - A broken connection to Forebay leaves the write unacknowledged: QEMU waits until it can connect again and repeats the write. Requests
//!   of a killed Forebay in the kernel are over by then, since its successor waits for the lock that is released with the last request
//!   ([`block::file::Lock::Beside`]). For the same reason a job is first *asked* to end, which lets running requests finish; force, which
//!   does not, is used only after longer than QEMU waits for a lost connection.
//! - Forebay caches nothing while both have the file: it takes its lock of the image after QEMU has released its own, and then begins to
//!   cache; on the way back the order is reversed.
//!
//! The procedure does not survive another file under the same name: both would be written from then on, and neither would be complete. So
//! before mirroring begins, the process of that QEMU must be seen to have the file open that Forebay has open.
//!
//! # What QEMU makes of it
//! Two defects of QEMU 7.2 are known, and configurations that trigger them are refused or avoided: it aborts if requests wait while it
//! changes over to a node with another one below ([`original`], [`graph::Device::check_holds_requests_back`]), and it locks up if a filter
//! is combined with a thread ([`graph::Device::check_threads`]).
//!
//! # When a step fails
//! The guest gets its disk as before, by the steps of `vm detach`: check the state, and undo what was done. The same steps clean up after a
//! command that was killed. Nothing here touches data.

mod attach;
mod command_line;
mod detach;
mod forebay;
mod graph;
mod mirror;
mod original;
mod process;
pub mod qmp;
#[cfg(test)]
mod tests;

pub use attach::attach;
pub use detach::detach;
pub use forebay::{DiskRequest, Forebay, MovedDisk};

use crate::qmp::{Monitor, Patience, Qmp};
use base::error::Result;
use graph::Device;
use process::Process;

/// The two sides between which a disk moves.
pub struct AttachContext<'a> {
    qmp: Qmp,
    process: Process,
    forebay: &'a dyn Forebay,
}

impl<'a> AttachContext<'a> {
    /// Connects to the QEMU behind `monitor`.
    ///
    /// # Errors
    /// If it cannot be reached, or its process is not found.
    pub fn new(monitor: &Monitor, forebay: &'a dyn Forebay) -> Result<Self> {
        let mut qmp = Qmp::open(monitor, Patience::default())?;
        let process = Process::behind(&mut qmp)?;
        Ok(Self { qmp, process, forebay })
    }

    /// Returns the id of the only disk of this guest.
    ///
    /// # Errors
    /// If there are more, which are listed, or there is none.
    pub fn only_device(&mut self) -> Result<String> {
        Device::only(&mut self.qmp)
    }
}
