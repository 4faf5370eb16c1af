//! Properties of a backing that is not open, by its location. Each may block on a file system, if there is
//! one below.

use std::io;
use std::path::Path;

use base::units::Size;
use block::file::Access;

use super::kinds::Location;
use super::probe::{Images, volatility};
use super::{Identity, WantedStorage};
use crate::backing_identity::{Appearance, DirtyMark, UnopenedBacking};

impl Location {
    /// Returns true if it is this file or device, by its path.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        self.path() == Some(path)
    }

    /// Returns true if a helper process serves it, which needs folders.
    pub(crate) fn has_helper(&self) -> bool {
        matches!(self, Self::Rbd(_))
    }

    /// Returns the path of a file or device, else the whole location.
    pub(crate) fn shown(&self) -> String {
        self.path().map_or_else(|| self.to_string(), |path| path.display().to_string())
    }

    /// Returns true if both are the same image or volume by name, whatever the user.
    pub(crate) fn is_same_image(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Volume(one), Self::Volume(other)) => one == other,
            (Self::Rbd(one), Self::Rbd(other)) => one.plain() == other.plain() && one.conf == other.conf,
            _ => false,
        }
    }

    /// Returns true if its server listens in this folder of the host.
    pub(crate) fn is_served_in(&self, folder: &Path) -> bool {
        let served_in = self.socket().and_then(Path::parent).and_then(|folder| folder.canonicalize().ok());
        served_in.is_some_and(|served_in| folder.canonicalize().is_ok_and(|folder| folder == served_in))
    }

    /// Returns its appearance as far as it is known without a server: that of an export is empty, that of an image or volume is not known.
    pub(crate) fn unopened(&self) -> UnopenedBacking {
        if let Self::Rbd(_) | Self::Volume(_) = self {
            return UnopenedBacking { appearance: None, may_exist: true, is_guarded: self.fence().is_able() };
        }
        let path = self.path();
        UnopenedBacking {
            appearance: path
                .map_or_else(|| Some(Appearance::default()), |path| Appearance::from_path(path).ok()),
            may_exist: path.is_none_or(Path::exists),
            is_guarded: self.fence().is_able(),
        }
    }

    /// Removes this dirty mark, if the backing bears it. A backing that cannot bear marks has none.
    ///
    /// # Errors
    /// The error of the system, or that only an open backing can be reached; then the mark may still be there.
    pub(crate) fn remove_dirty_mark(&self, mark: &DirtyMark) -> io::Result<()> {
        if let Self::Rbd(_) | Self::Volume(_) = self {
            return Err(io::Error::new(io::ErrorKind::NotConnected, "it is not open"));
        }
        self.path().map_or(Ok(()), |path| mark.remove_at(path))
    }

    /// Returns the command that removes a dirty mark from it.
    pub(crate) fn unmark_command(&self) -> String {
        match self {
            Self::Rbd(image) => format!("rbd image-meta remove {} forebay.dirty", image.plain()),
            Self::Volume(name) => format!("forebay volume fence {name}"),
            _ => format!("setfattr -x user.forebay.dirty {}", self.shown()),
        }
    }

    /// Returns the free space of a file's file system; none for a device or an export.
    pub(crate) fn room(&self) -> Option<String> {
        let path = self.path()?;
        if !std::fs::metadata(path).ok()?.is_file() {
            return None;
        }
        let room = nix::sys::statvfs::statvfs(path).ok()?;
        let bytes = |blocks: u64| Size(blocks * room.fragment_size());
        Some(format!(
            "{} is on a file system with {} free of {}, and {} free inodes",
            path.display(),
            bytes(room.blocks_available()),
            bytes(room.blocks()),
            room.files_available()
        ))
    }

    /// Returns the reason for which its content is lost with this host, if it is in memory. `identity` is
    /// that of the open backing.
    pub(crate) fn volatility(&self, identity: &Identity) -> Option<String> {
        volatility(self.path()?, identity.local()?)
    }

    /// Returns its storage on this host, to find its users; none if it is remote.
    pub(crate) fn storage(
        &self,
        identity: &Identity,
        access: Access,
        images: Images,
    ) -> Option<WantedStorage> {
        let identity = Some(identity.local()?);
        Some(WantedStorage { path: self.path()?.to_owned(), identity, access, images })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use base::testing::TempDir;

    use super::*;

    #[test]
    fn a_file_answers_for_itself_and_an_export_that_nobody_knows() {
        let dir = TempDir::new();
        let path = dir.path().join("a.img");
        let file = Location::parse(&path.display().to_string()).expect("a path");
        assert!(!file.unopened().may_exist);
        fs::write(&path, [0; 512]).expect("the folder is ours");
        assert!(file.unopened().may_exist && file.unopened().is_guarded);
        assert_eq!(file.unopened().appearance.and_then(|appearance| appearance.bytes), Some(512));
        assert!(file.is_at(&path) && !file.is_at(dir.path()));
        assert_eq!(file.shown(), path.display().to_string());
        assert!(file.room().is_some_and(|room| room.contains("free inodes")));
        let identity = Identity::Local(block::file::Identity::of(&path).expect("it is there"));
        let storage = file.storage(&identity, Access::ReadOnly, Images::ServedAsRaw).expect("it is here");
        assert_eq!(storage.path, path);

        let export = Location::parse("nbd://store/vm").expect("a URI");
        assert_eq!(
            export.unopened(),
            UnopenedBacking { appearance: Some(Appearance::default()), may_exist: true, is_guarded: false }
        );
        let socket = dir.path().join("vm.sock");
        let local = Location::parse(&format!("nbd+unix:///vm?socket={}", socket.display())).expect("a URI");
        assert!(local.is_served_in(dir.path()) && !local.is_served_in(Path::new("/")));
        assert!(!export.is_served_in(dir.path()) && !file.is_served_in(dir.path()));
        assert_eq!((export.room(), export.shown()), (None, "nbd://store/vm".to_owned()));
        assert!(export.storage(&identity, Access::ReadOnly, Images::ServedAsRaw).is_none());
        let mark = DirtyMark { pool: "p".to_owned(), disk: 1, name: "web".to_owned() };
        export.remove_dirty_mark(&mark).expect("it bears none");
        assert!(file.remove_dirty_mark(&mark).is_ok(), "it bears none either");
    }
}
