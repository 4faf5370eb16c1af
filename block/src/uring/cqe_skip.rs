//! Operations without a completion on success (`IOSQE_CQE_SKIP_SUCCESS`). They have no slot and no completion, so that they end no wait,
//! and what they point to must live for ever. Their files are held until the kernel has taken the entry, and by it from then on.
//!
//! Only on kernels that are recent. The caller bounds how many of them may wait in the kernel.

use std::os::fd::OwnedFd;
use std::sync::Arc;

use io_uring::{squeue, types};

use super::{CANCEL_TAG, Ring, RingState};

/// Marks completions of such operations, which report a failure.
const CQE_SKIP_BIT: u64 = 1 << 63;

/// Operations on one file without a completion on success.
pub(crate) struct CqeSkip {
    ring: Ring,
    file: Arc<OwnedFd>,
    tag: u64,
}

impl Ring {
    /// Returns a sender of such operations on `file`.
    pub(crate) fn cqe_skip(&self, file: Arc<OwnedFd>) -> CqeSkip {
        assert!(self.is_recent(), "older kernels would tell of each success");
        let number = u64::from(self.shared.next_number());
        CqeSkip { ring: self.clone(), file, tag: CQE_SKIP_BIT | number }
    }
}

impl CqeSkip {
    /// Starts an operation on the file.
    ///
    /// # Safety
    /// The entry points only to memory that is never written and never freed.
    pub(crate) unsafe fn start(&self, entry: squeue::Entry) {
        let shared = &self.ring.shared;
        shared.cqe_skip_files.borrow_mut().push(Arc::clone(&self.file));
        shared.push(entry.flags(squeue::Flags::SKIP_SUCCESS).user_data(self.tag));
    }

    /// Cancels operations that wait in the kernel. Those that the kernel has not taken yet are begun before.
    pub(crate) fn cancel(&self) {
        let all = types::CancelBuilder::user_data(self.tag).all();
        self.ring.shared.push(io_uring::opcode::AsyncCancel2::new(all).build().user_data(CANCEL_TAG));
    }
}

impl Drop for CqeSkip {
    fn drop(&mut self) {
        self.cancel();
    }
}

impl RingState {
    /// Returns true if a completion is one of such an operation.
    pub(super) fn is_cqe_skip(tag: u64) -> bool {
        tag & CQE_SKIP_BIT != 0
    }

    /// Releases the files: the kernel has taken all entries there were, and has their files.
    pub(super) fn release_cqe_skip_files(&self) {
        // Closed after the borrow: closing the last file of a kind may do anything.
        let files = self.cqe_skip_files.take();
        drop(files);
    }
}
