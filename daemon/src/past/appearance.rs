//! What a backing looks like from outside: enough to tell whether it may be another one, or another version, than the one
//! that was cached.

use std::fs::{self, File};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use xattr::FileExt;

/// The attribute that holds the epoch: `DISK EPOCH` in decimal digits.
const ATTRIBUTE: &str = "user.forebay.epoch";

/// What a backing looks like.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Appearance {
    /// Its bytes.
    pub(crate) bytes: Option<u64>,
    /// What the system calls the device, whatever its node is called, if it is one and has such a name.
    pub(crate) device: Option<String>,
    /// Its number in its file system, if it is a file.
    pub(crate) inode: Option<u64>,
    /// When its content was modified last, in nanoseconds since 1970, if it is a file.
    pub(crate) modified_ns: Option<i64>,
    /// The disk and the epoch that were written to it, if there are any.
    pub(crate) epoch: Option<(u32, u64)>,
}

impl Appearance {
    /// What is behind a path. What cannot be examined looks like nothing, and like a raw device.
    pub(crate) fn of(path: &Path) -> Self {
        let Ok(about) = fs::metadata(path) else { return Self::default() };
        if about.file_type().is_block_device() {
            return Self { device: device_name(about.rdev()), ..Self::default() };
        }
        Self {
            bytes: Some(about.len()),
            device: None,
            inode: Some(about.ino()),
            modified_ns: about.mtime().checked_mul(1_000_000_000).map(|ns| ns + about.mtime_nsec()),
            epoch: read_epoch(path),
        }
    }
}

/// Places under a device's folder of sysfs that name it for good; a partition's are its disk's.
const DEVICE_NAMES: [&str; 7] =
    ["dm/uuid", "loop/backing_file", "wwid", "device/wwid", "device/serial", "../wwid", "../device/serial"];

fn device_name(rdev: u64) -> Option<String> {
    let (major, minor) = (nix::sys::stat::major(rdev), nix::sys::stat::minor(rdev));
    let folder = Path::new("/sys/dev/block").join(format!("{major}:{minor}"));
    let read = |name: &str| fs::read_to_string(folder.join(name)).ok();
    let name = DEVICE_NAMES.iter().find_map(|name| read(name).filter(|text| !text.trim().is_empty()))?;
    let partition = read("partition").unwrap_or_default();
    Some(format!("{} {}", name.trim(), partition.trim()).trim_end().to_owned())
}

/// Of the file itself where the path is a link to it, as everything else is.
fn read_epoch(path: &Path) -> Option<(u32, u64)> {
    let text = String::from_utf8(xattr::get_deref(path, ATTRIBUTE).ok()??).ok()?;
    let (disk, epoch) = text.split_once(' ')?;
    Some((disk.parse().ok()?, epoch.parse().ok()?))
}

/// Writes the epoch to the backing, durably. False if it holds none: a raw device, or a file system without attributes.
pub(super) fn write_epoch(path: &Path, disk: u32, epoch: u64) -> bool {
    let is_file = fs::metadata(path).is_ok_and(|about| about.is_file());
    let write = || {
        let file = File::options().write(true).open(path)?;
        file.set_xattr(ATTRIBUTE, format!("{disk} {epoch}").as_bytes())?;
        file.sync_all()
    };
    is_file && write().is_ok()
}
