//! Users of storage: whether a file or device is free to become a backing or a device of the pool.
//!
//! ```text
//!   storage ── a disk's or the pool's here? ── a file of this daemon's own? ── swap, mounted, a part of a volume, below a
//!   loop device? ── locked by another name? ──> free
//! ```
//! The same check is for backings and for the pool, at a start and later. It finds a use by whatever name the
//! storage has, and through layers (a loop device over the file, a partition of the device). It changes
//! nothing, and takes no lock.

use std::path::{Path, PathBuf};
use std::time::Duration;

use base::patience::{Late, within};
use block::file::{Access, Identity};

use super::Location;
use super::probe::Images;
use super::stack::KernelFolders;
use crate::door::DoorKind;
use crate::places::Places;
use crate::state::DiskRecord;

/// Time in which all files that others use are to be examined.
pub(crate) const USERS_TIME_MAX: Duration = Duration::from_secs(5);

/// A use of storage by this daemon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OwnUse {
    /// The pool, with the path of its device.
    Pool(PathBuf),
    /// A disk, with its name.
    Disk(String),
    /// A disk that is not served yet, with its name.
    WaitingDisk(String),
}

/// Returns the files and devices of recorded disks.
pub(crate) fn paths_of<'a>(disks: impl Iterator<Item = &'a DiskRecord>) -> Vec<(OwnUse, PathBuf)> {
    let path = |disk: &DiskRecord| {
        let location = Location::parse(&disk.backing).ok()?;
        Some((OwnUse::WaitingDisk(disk.name.clone()), location.path()?.to_owned()))
    };
    disks.filter_map(path).collect()
}

/// A user of storage that is wanted for something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StorageUser {
    /// This daemon.
    Own(OwnUse),
    /// Another program, or this daemon for its own files: words that follow "it ".
    Other(String),
}

/// Storage whose users are looked up.
#[derive(Clone, Debug)]
pub(crate) struct WantedStorage {
    /// A path that leads to it.
    pub(crate) path: PathBuf,
    /// Its identity, if it is open or was examined.
    pub(crate) identity: Option<Identity>,
    /// The access that is wanted.
    pub(crate) access: Access,
    /// `Refused` if it is used for the first time: then no loop device may change it either.
    pub(crate) images: Images,
}

/// Storage that this daemon uses, or will use.
#[derive(Clone, Debug)]
pub(crate) struct OwnStorage {
    in_use: Vec<(OwnUse, Identity)>,
    /// Paths whose storage is not known yet.
    awaited: Vec<(OwnUse, PathBuf)>,
    files: OwnFiles,
}

impl OwnStorage {
    /// Returns the storage of these uses, and the files in the folders of `places`. `awaited` are paths that
    /// are examined when users are looked up.
    pub(crate) fn new(
        places: &Places,
        in_use: Vec<(OwnUse, Identity)>,
        awaited: Vec<(OwnUse, PathBuf)>,
    ) -> Self {
        Self { in_use, awaited, files: OwnFiles::from_places(places) }
    }

    /// Returns the first user of a storage that is found, or none.
    ///
    /// # Errors
    /// [`Late`] if a file that may be a user's does not answer within 5 s.
    pub(crate) async fn user_of(self, wanted: WantedStorage) -> Result<Option<StorageUser>, Late> {
        let asking = tokio::task::spawn_blocking(move || self.find_user(&wanted));
        within(USERS_TIME_MAX, asking).await.map(|found| found.expect("asking the kernel does not panic"))
    }

    fn find_user(self, wanted: &WantedStorage) -> Option<StorageUser> {
        let WantedStorage { path, access, images, .. } = wanted;
        let identity = wanted.identity.or_else(|| Identity::of(path).ok())?;
        let kernel = KernelFolders::default();
        let stack = kernel.stack_of(identity);
        let awaited = self.awaited.into_iter();
        let awaited = awaited.filter_map(|(user, path)| Some((user, Identity::of(&path).ok()?)));
        let mut own = self.in_use.into_iter().chain(awaited);
        let own = own.find(|(_, other)| kernel.stack_of(*other).overlaps(&stack));
        if let Some((user, _)) = own {
            return Some(StorageUser::Own(user));
        }
        let other = self.files.reason(path).or_else(|| kernel.user_of(identity, *access, *images));
        other.map(StorageUser::Other)
    }
}

/// Files that this daemon keeps for itself.
#[derive(Clone, Debug)]
struct OwnFiles {
    /// Folders in which every file is the daemon's.
    folders: Vec<PathBuf>,
    /// DIR, which may hold images as well.
    dir: PathBuf,
}

impl OwnFiles {
    fn from_places(places: &Places) -> Self {
        let in_dir = ["past", "history", "series", "image-locks"].map(|name| places.dir.join(name));
        let in_run = DoorKind::ALL
            .map(DoorKind::folder)
            .into_iter()
            .chain(["touched", "helpers"])
            .map(|name| places.run.join(name));
        Self { folders: in_dir.into_iter().chain(in_run).collect(), dir: places.dir.clone() }
    }

    /// Returns the reason for which a file is one of them, if it is. May block on a file system.
    fn reason(&self, path: &Path) -> Option<String> {
        let path = path.canonicalize().ok()?;
        let within = |folder: &PathBuf| folder.canonicalize().is_ok_and(|folder| path.starts_with(folder));
        let in_dir = self.dir.canonicalize().is_ok_and(|dir| path.parent() == Some(&dir));
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_kept = ["lock", "token"].contains(&name)
            || [".json", ".jsonl", ".bin"].iter().any(|ending| name.ends_with(ending));
        (self.folders.iter().any(within) || in_dir && is_kept)
            .then(|| "is a file that this daemon keeps for itself: name another one".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use base::testing::TempDir;

    use super::*;

    #[test]
    fn files_of_the_daemon_are_no_backings_and_images_beside_them_are() {
        let dir = TempDir::new();
        let places = Places {
            dir: dir.path().into(),
            run: dir.path().join("run"),
            nbd_uri: None,
            stores: crate::stores::Stores::default(),
        };
        let own = OwnFiles::from_places(&places);
        for name in ["past", "history", "series", "run/touched", "images"] {
            fs::create_dir_all(dir.path().join(name)).expect("the folder is ours");
        }
        let reason = |name: &str| {
            let path = dir.path().join(name);
            fs::write(&path, [0; 512]).expect("the folder is ours");
            own.reason(&path)
        };
        for name in ["state.json", "lock", "token", "series/x", "past/1.json", "run/touched/1"] {
            assert!(reason(name).is_some_and(|reason| reason.contains("for itself")), "{name}");
        }
        for name in ["web.img", "images/web.img", "images/state.json"] {
            assert_eq!(reason(name), None, "{name}");
        }
        let link = dir.path().join("images/link.img");
        std::os::unix::fs::symlink(dir.path().join("state.json"), &link).expect("the folder is ours");
        assert!(own.reason(&link).is_some(), "by another name");
    }
}
