//! Quiet operations: those whose success is not reported. They have no slot and no completion, so that they end no wait, and what they
//! point to must live for ever. Their files are held until the kernel has taken the entry, and by it from then on.
//!
//! Only on kernels that are recent. The caller bounds how many of them may wait in the kernel.

use std::os::fd::OwnedFd;
use std::sync::Arc;

use io_uring::{squeue, types};

use super::{CANCEL_TAG, Ring, RingState};

/// Marks completions of quiet operations, which report a failure.
const QUIET_BIT: u64 = 1 << 63;

/// Quiet operations on one file.
pub(crate) struct Quiet {
    ring: Ring,
    file: Arc<OwnedFd>,
    tag: u64,
}

impl Ring {
    /// Returns a sender of quiet operations on `file`.
    pub(crate) fn quiet(&self, file: Arc<OwnedFd>) -> Quiet {
        assert!(self.is_recent(), "older kernels would tell of each success");
        let number = u64::from(self.shared.next_number());
        Quiet { ring: self.clone(), file, tag: QUIET_BIT | number }
    }
}

impl Quiet {
    /// Starts an operation on the file.
    ///
    /// # Safety
    /// The entry points only to memory that is never written and never freed.
    pub(crate) unsafe fn start(&self, entry: squeue::Entry) {
        let shared = &self.ring.shared;
        shared.quiet_files.borrow_mut().push(Arc::clone(&self.file));
        shared.push(entry.flags(squeue::Flags::SKIP_SUCCESS).user_data(self.tag));
    }

    /// Cancels operations that wait in the kernel. Those that the kernel has not taken yet are begun before.
    pub(crate) fn cancel(&self) {
        let all = types::CancelBuilder::user_data(self.tag).all();
        self.ring.shared.push(io_uring::opcode::AsyncCancel2::new(all).build().user_data(CANCEL_TAG));
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        self.cancel();
    }
}

impl RingState {
    /// Returns true if a completion is one of a quiet operation.
    pub(super) fn is_quiet(tag: u64) -> bool {
        tag & QUIET_BIT != 0
    }

    /// Releases the files: the kernel has taken all entries there were, and has their files.
    pub(super) fn release_quiet_files(&self) {
        // Closed after the borrow: closing the last file of a kind may do anything.
        let files = self.quiet_files.take();
        drop(files);
    }
}
