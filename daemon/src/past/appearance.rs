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
    /// Bytes, if it is a file.
    pub(crate) file_bytes: Option<u64>,
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
            return Self::default();
        }
        Self {
            file_bytes: Some(about.len()),
            inode: Some(about.ino()),
            modified_ns: about.mtime().checked_mul(1_000_000_000).map(|ns| ns + about.mtime_nsec()),
            epoch: read_epoch(path),
        }
    }
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
