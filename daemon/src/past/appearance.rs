//! What a backing looks like from outside: enough to tell whether it may be another one, or another version, than the one
//! that was cached.

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use xattr::FileExt;

/// The attribute that holds the epoch: `DISK EPOCH` in decimal digits.
const ATTRIBUTE: &str = "user.forebay.epoch";

/// The attribute that says that flash has newer data: `POOL DISK NAME`.
const DIRTY: &str = "user.forebay.dirty";

/// Says on a backing that a pool may hold what it does not have. Not for guests: for whoever would serve it as if it were
/// complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DirtyMark {
    /// The pool's identity.
    pub(crate) pool: String,
    /// The disk's number.
    pub(crate) disk: u32,
    /// The disk's name.
    pub(crate) name: String,
}

impl DirtyMark {
    /// The mark of a backing; none if it bears none, or cannot.
    fn read(path: &Path) -> Option<Self> {
        let text = String::from_utf8(xattr::get_deref(path, DIRTY).ok()??).ok()?;
        let mut words = text.splitn(3, ' ');
        let mut word = || words.next().unwrap_or("?").to_owned();
        let (pool, disk, name) = (word(), word(), word());
        // One that cannot be read is somebody's all the same, and nobody's whom we know.
        Some(Self { pool, disk: disk.parse().unwrap_or(u32::MAX), name })
    }

    /// Marks a backing, durably. False if it holds no mark: a raw device, or a file system without attributes.
    pub(super) fn write(&self, path: &Path) -> bool {
        set_attribute(path, DIRTY, &self.to_string())
    }

    /// Takes this mark off a backing, if it bears it.
    ///
    /// # Errors
    /// What the system said; then it may bear it still.
    pub(crate) fn remove(&self, path: &Path) -> io::Result<()> {
        if Self::read(path).as_ref() != Some(self) {
            return Ok(());
        }
        let file = File::options().write(true).open(path)?;
        file.remove_xattr(DIRTY)?;
        file.sync_all()
    }
}

impl fmt::Display for DirtyMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.pool, self.disk, self.name)
    }
}

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
    /// Who has newer data of it, if anybody has.
    pub(crate) dirty: Option<DirtyMark>,
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
            dirty: DirtyMark::read(path),
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
    set_attribute(path, ATTRIBUTE, &format!("{disk} {epoch}"))
}

fn set_attribute(path: &Path, attribute: &str, text: &str) -> bool {
    let is_file = fs::metadata(path).is_ok_and(|about| about.is_file());
    let write = || {
        let file = File::options().write(true).open(path)?;
        file.set_xattr(attribute, text.as_bytes())?;
        file.sync_all()
    };
    is_file && write().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TempDir;

    fn mark(disk: u32) -> DirtyMark {
        DirtyMark { pool: "00ff".to_owned(), disk, name: "web".to_owned() }
    }

    #[test]
    fn a_mark_is_read_back_and_removed_by_its_owner_alone() {
        let dir = TempDir::new();
        let path = dir.path().join("disk.img");
        fs::write(&path, "content").expect("the folder is ours");
        assert_eq!(Appearance::of(&path).dirty, None);
        assert!(mark(3).write(&path), "the file system of temporary files has attributes");
        let modified = Appearance::of(&path).modified_ns;
        mark(4).remove(&path).expect("there is nothing to do");
        assert_eq!(Appearance::of(&path).dirty, Some(mark(3)));
        mark(3).remove(&path).expect("it is ours");
        let now = Appearance::of(&path);
        assert_eq!((now.dirty, now.modified_ns), (None, modified), "a mark is no change of the content");
    }

    #[test]
    fn a_mark_that_cannot_be_read_is_somebodys() {
        let dir = TempDir::new();
        let path = dir.path().join("disk.img");
        fs::write(&path, "content").expect("the folder is ours");
        assert!(set_attribute(&path, DIRTY, "garbage"));
        let found = Appearance::of(&path).dirty.expect("there is one");
        assert_eq!((found.pool.as_str(), found.disk), ("garbage", u32::MAX));
    }

    #[test]
    fn what_is_no_file_holds_no_mark() {
        assert!(!mark(3).write(Path::new("/dev/null")));
        assert!(!mark(3).write(Path::new("/nowhere/at/all")));
    }
}
