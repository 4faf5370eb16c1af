//! Users of a block device that is to be removed, in words.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use base::sysfs::entries;
use block::file::{Access, Identity};
use nix::sys::stat::makedev;

use super::claim::within;
use crate::backing::{Images, KernelFolders};

/// Time that unmounting a file system may take, including write-back of its page cache.
const END_TIME_MAX: Duration = Duration::from_mins(1);

/// Returns a user of a device, in words that follow its path, or none: mounts, swap, volumes and loop devices
/// on it or a part of it, and processes that have it open. The device is found by its name in sysfs, since
/// its node may have been removed by hand.
pub(super) fn user_of(device: &Path) -> Option<String> {
    let rdev = rdev_of(device)?;
    let identity = Identity { device: 0, inode: 0, rdev };
    KernelFolders::default()
        .user_of(identity, Access::ReadWrite, Images::Refused)
        .or_else(|| opener_of(rdev).map(|process| format!("is open by {process}")))
}

/// Returns the path of swap space that needs a block device, if there is any.
pub(super) fn swap_on(device: &Path) -> Option<PathBuf> {
    KernelFolders::default().swap_needing(rdev_of(device)?)
}

/// Unmounts file systems of a device, and takes volumes on it apart (`blkdeactivate` of device-mapper's
/// tools). Anything that a process still uses stays; the remaining uses are in [`user_of`]. A file system
/// that stays is synced.
pub(super) fn end_uses(device: &Path) {
    let Some(rdev) = rdev_of(device) else { return };
    let volumes = has_volumes(device);
    if volumes {
        bounded(
            Command::new("blkdeactivate")
                .args(["-u", "-d", "retry", "-l", "retry,wholevg", "-r", "wait"])
                .arg(device),
        );
    }
    let identity = Identity { device: 0, inode: 0, rdev };
    for place in KernelFolders::default().mount_points_on(identity) {
        if !bounded(Command::new("umount").arg(&place)) {
            bounded(Command::new("sync").arg("-f").arg(&place));
        }
    }
}

/// Returns the sectors of 512 bytes written to a device so far (the seventh number of its statistics, Linux
/// iostats); 0 if unknown.
pub(super) fn sectors_written(device: &Path) -> u64 {
    let Some(name) = device.file_name() else { return 0 };
    let text = fs::read_to_string(Path::new("/sys/block").join(name).join("stat")).unwrap_or_default();
    text.split_whitespace().nth(6).and_then(|sectors| sectors.parse().ok()).unwrap_or(0)
}

/// Returns true if volumes are on a device or on a part of it.
fn has_volumes(device: &Path) -> bool {
    let Some(name) = device.file_name() else { return false };
    let folder = Path::new("/sys/block").join(name);
    let parts = entries(&folder).into_iter().filter(|entry| entry.join("partition").exists());
    parts.chain([folder]).any(|folder| !entries(&folder.join("holders")).is_empty())
}

/// Runs a command that may hang, and returns true if it succeeded in time.
fn bounded(command: &mut Command) -> bool {
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let ended = child.and_then(|mut child| within(END_TIME_MAX, move || child.wait()));
    ended.is_ok_and(|status| status.success())
}

/// Returns the device number of a block device by its name in the kernel.
fn rdev_of(device: &Path) -> Option<u64> {
    let text = fs::read_to_string(Path::new("/sys/block").join(device.file_name()?).join("dev")).ok()?;
    let (major, minor) = text.trim().split_once(':')?;
    Some(makedev(major.parse().ok()?, minor.parse().ok()?))
}

/// Names of processes of udev, which opens devices to probe them, and does not mind if they are removed.
const UDEV: [&str; 3] = ["(udev-worker)", "systemd-udevd", "udevadm"];

/// Returns a process that has a block device open, as far as this process may see.
fn opener_of(rdev: u64) -> Option<String> {
    let folders = fs::read_dir("/proc").ok()?.flatten();
    let processes = folders.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    processes.filter(|id| *id != std::process::id()).find_map(|id| {
        let files = fs::read_dir(format!("/proc/{id}/fd")).ok()?.flatten();
        let has_it = files
            .filter_map(|file| fs::metadata(file.path()).ok())
            .any(|file| file.file_type().is_block_device() && file.rdev() == rdev);
        let name = has_it.then(|| fs::read_to_string(format!("/proc/{id}/comm")).unwrap_or_default())?;
        let name = name.trim_end();
        (!UDEV.contains(&name)).then(|| format!("{name} (process {id})"))
    })
}
