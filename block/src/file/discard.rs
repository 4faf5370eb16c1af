//! Discard of a block device, for a thread that may wait: the system call takes as long as the device does.
//!
//! Uses `BLKDISCARD`, and nothing that falls back to writing zeroes, as punching holes through `fallocate` does on a block device: that
//! would wear the flash which a discard is to spare. Never touches a regular file, whose storage stays reserved.

use std::fs::File;
use std::os::fd::AsRawFd;

use super::{Handle, Kind, failed};
use crate::{BlockError, ByteRange, ErrorKind, Operation};

nix::ioctl_write_ptr_bad!(discard_bytes, nix::request_code_none!(0x12, 119), [u64; 2]);

impl Handle {
    /// Discards `range` on a block device: afterwards each sector reads as before or as zeroes. Waits for the device, and blocks other
    /// users of the open file meanwhile; its locks are kept until this returns.
    ///
    /// # Errors
    /// `Unsupported` for a regular file, and for a device that cannot; another try is pointless. `InvalidRequest`, `ReadOnly`, or the error
    /// of the device.
    pub fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        let range = self.opened.geometry.check(Operation::Discard, range.start, range.len())?;
        if self.opened.kind != Kind::BlockDevice {
            return Err(BlockError::new(ErrorKind::Unsupported, Operation::Discard, range)
                .because("a file keeps its storage"));
        }
        if range.is_empty() {
            return Ok(());
        }
        discard_range(&self.opened.file, range)
    }
}

/// Discards a range of an open block device, and waits for the device.
pub(super) fn discard_range(file: &File, range: ByteRange) -> Result<(), BlockError> {
    let place = [range.start, range.len()];
    // SAFETY: the kernel reads two numbers from `place`, which outlives the call.
    let done = unsafe { discard_bytes(file.as_raw_fd(), &raw const place) };
    done.map(drop).map_err(|errno| failed(errno as i32, Operation::Discard, Some(range)))
}
