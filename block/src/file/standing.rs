//! Standing of a path: whether it still names the file or device that was opened there.
//!
//! An open file stays usable when its name is removed or given to another one: writers notice nothing, and their data is reachable by no
//! name. Only the comparison of path and open file shows it. Decides nothing about the consequences.

use std::fs::{self, File, Metadata};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::{Identity, Placement};

/// The relation between a path and the file that was opened there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathStatus {
    /// The path names the open file.
    Named,
    /// The path names another file or device.
    Replaced(Reachable),
    /// The path names nothing.
    Missing(Reachable),
    /// The path cannot be examined, for this reason.
    Unknown(String),
}

/// Reachability of the open file or device by another name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reachable {
    /// It has a name elsewhere: it was renamed, or a folder above it was.
    Elsewhere,
    /// It has no name any more. Its content is gone once it is closed.
    ByNobody,
}

impl PathStatus {
    /// Returns the relation between `path` and `file`. Waits for the file system of `path`: for a thread that may.
    pub fn of(file: &File, path: &Path) -> Self {
        let opened = match file.metadata() {
            Ok(opened) => opened,
            Err(error) => return Self::Unknown(error.to_string()),
        };
        let reachable = || {
            if is_unlinked(file, &opened) { Reachable::ByNobody } else { Reachable::Elsewhere }
        };
        let identity = Identity::from(&opened);
        match Placement::of(&identity, path) {
            Ok(Placement::InPlace) if is_same_device(file, &identity) => Self::Named,
            Ok(Placement::InPlace | Placement::Replaced) => Self::Replaced(reachable()),
            Ok(Placement::Gone) => Self::Missing(reachable()),
            Err(error) => Self::Unknown(error.to_string()),
        }
    }

    /// Returns true if the content of the open file is gone once it is closed.
    pub fn is_unreachable(&self) -> bool {
        matches!(self, Self::Replaced(Reachable::ByNobody) | Self::Missing(Reachable::ByNobody))
    }

    /// Returns true if the path is known not to name the open file.
    pub fn is_elsewhere(&self) -> bool {
        matches!(self, Self::Replaced(_) | Self::Missing(_))
    }
}

/// Returns false if the number of the device that is open was given to another one since.
fn is_same_device(file: &File, identity: &Identity) -> bool {
    identity.rdev == 0 || sequence_of_open(file).is_none_or(|open| Some(open) == sequence(identity.rdev))
}

/// Returns true if no name of the file is left. A client of NFS renames a file that is deleted and open.
fn is_unlinked(file: &File, opened: &Metadata) -> bool {
    opened.nlink() == 0
        || fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).is_ok_and(|name| is_silly(&name))
}

fn is_silly(name: &Path) -> bool {
    name.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".nfs"))
}

nix::ioctl_read!(disk_sequence, 0x12, 128, u64);

/// Returns the sequence number of the disk that is open; none if the kernel has none.
fn sequence_of_open(file: &File) -> Option<u64> {
    let mut number = 0;
    // SAFETY: the kernel stores eight bytes in `number`.
    unsafe { disk_sequence(file.as_raw_fd(), &raw mut number) }.ok()?;
    Some(number)
}

/// Returns the sequence number of the disk that has this device number now, or whose partition has it.
fn sequence(rdev: u64) -> Option<u64> {
    let (major, minor) = (nix::sys::stat::major(rdev), nix::sys::stat::minor(rdev));
    let folder = PathBuf::from(format!("/sys/dev/block/{major}:{minor}"));
    let read = |name: &str| fs::read_to_string(folder.join(name)).ok();
    read("diskseq").or_else(|| read("../diskseq"))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    struct StandingFolder(PathBuf);

    impl StandingFolder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("forebay-standing-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).expect("the temporary folder is ours");
            Self(path)
        }

        fn file(&self, name: &str) -> PathBuf {
            let path = self.0.join(name);
            fs::write(&path, name).expect("the folder is ours");
            path
        }
    }

    impl Drop for StandingFolder {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).expect("the temporary folder is ours");
        }
    }

    #[test]
    fn a_file_that_is_renamed_replaced_or_deleted_is_told_from_the_one_that_the_path_names() {
        let folder = StandingFolder::new("file");
        let path = folder.file("a");
        let file = File::open(&path).expect("it is there");
        assert_eq!(PathStatus::of(&file, &path), PathStatus::Named);

        let moved = folder.0.join("moved");
        fs::rename(&path, &moved).expect("the folder is ours");
        assert_eq!(PathStatus::of(&file, &path), PathStatus::Missing(Reachable::Elsewhere));
        folder.file("a");
        assert_eq!(PathStatus::of(&file, &path), PathStatus::Replaced(Reachable::Elsewhere));
        fs::rename(&moved, &path).expect("the folder is ours");
        assert_eq!(PathStatus::of(&file, &path), PathStatus::Named, "it is back");

        fs::rename(folder.file("b"), &path).expect("the folder is ours");
        assert_eq!(PathStatus::of(&file, &path), PathStatus::Replaced(Reachable::ByNobody));
        fs::remove_file(&path).expect("the folder is ours");
        assert_eq!(PathStatus::of(&file, &path), PathStatus::Missing(Reachable::ByNobody));
        assert!(is_silly(Path::new("/mnt/.nfs000000000012ab")));
    }

    #[test]
    fn a_link_that_leads_elsewhere_and_a_folder_that_is_moved_are_seen() {
        let folder = StandingFolder::new("link");
        let (a, b, link) = (folder.file("a"), folder.file("b"), folder.0.join("link"));
        symlink(&a, &link).expect("the folder is ours");
        let file = File::open(&link).expect("it is there");
        assert_eq!(PathStatus::of(&file, &link), PathStatus::Named);
        fs::remove_file(&link).and_then(|()| symlink(&b, &link)).expect("the folder is ours");
        assert_eq!(PathStatus::of(&file, &link), PathStatus::Replaced(Reachable::Elsewhere));
        let below = folder.0.join("sub");
        fs::create_dir(&below).expect("the folder is ours");
        let (path, moved) = (below.join("c"), folder.0.join("moved"));
        fs::write(&path, "c").expect("the folder is ours");
        let file = File::open(&path).expect("it is there");
        fs::rename(&below, &moved).expect("the folder is ours");
        assert_eq!(PathStatus::of(&file, &path), PathStatus::Missing(Reachable::Elsewhere));
    }
}
