//! Loop devices: the file that one shows as a block device, by the kernel's own word.

use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::Identity;

/// `struct loop_info64` as words: device, inode and, if it is one, number of the block device that the file is.
type LoopStatus = [u64; 29];
const _: () = assert!(size_of::<LoopStatus>() == 232, "the kernel fills 232 bytes");

nix::ioctl_read_bad!(loop_get_status, 0x4c05, LoopStatus);

/// Returns the file below the loop device at `path`. None if it is no loop device, is not set up, or may not be opened by this
/// user. May wait for the file system of that file; opening for reading changes nothing.
pub fn loop_file(path: &Path) -> Option<Identity> {
    let device = fs::OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path).ok()?;
    let mut status: LoopStatus = [0; 29];
    // SAFETY: the kernel stores 232 bytes in `status`, which has them.
    unsafe { loop_get_status(device.as_raw_fd(), &raw mut status) }.ok()?;
    let [device, inode, rdev, ..] = status;
    Some(Identity { device, inode, rdev })
}
