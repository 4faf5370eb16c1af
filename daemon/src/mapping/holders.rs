//! Users of a block device that is to go, in words.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use block::file::{Access, Identity};
use nix::sys::stat::makedev;

use crate::backing::{Images, KernelFolders};

/// Returns who uses a device, in words that follow its path, or none: mounts, swap, volumes and loop devices on it or a part of it, and
/// processes that have it open. The device is found by its name in sysfs, since its node may have been removed by hand.
pub(super) fn user_of(device: &Path) -> Option<String> {
    let rdev = rdev_of(device)?;
    let identity = Identity { device: 0, inode: 0, rdev };
    KernelFolders::default()
        .user_of(identity, Access::ReadWrite, Images::Refused)
        .or_else(|| opener_of(rdev).map(|process| format!("is open by {process}")))
}

/// Returns the path of swap space that needs a block device, if there is some.
pub(super) fn swap_on(device: &Path) -> Option<PathBuf> {
    KernelFolders::default().swap_needing(rdev_of(device)?)
}

/// Returns the number of a block device by the name that the kernel gave it.
fn rdev_of(device: &Path) -> Option<u64> {
    let text = fs::read_to_string(Path::new("/sys/block").join(device.file_name()?).join("dev")).ok()?;
    let (major, minor) = text.trim().split_once(':')?;
    Some(makedev(major.parse().ok()?, minor.parse().ok()?))
}

/// Returns a process that has a block device open, as far as this process may see.
fn opener_of(rdev: u64) -> Option<String> {
    let folders = fs::read_dir("/proc").ok()?.flatten();
    let processes = folders.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    processes.filter(|id| *id != std::process::id()).find_map(|id| {
        let files = fs::read_dir(format!("/proc/{id}/fd")).ok()?.flatten();
        let has_it = files
            .filter_map(|file| fs::metadata(file.path()).ok())
            .any(|file| file.file_type().is_block_device() && file.rdev() == rdev);
        let name = || fs::read_to_string(format!("/proc/{id}/comm")).unwrap_or_default();
        has_it.then(|| format!("{} (process {id})", name().trim_end()))
    })
}
