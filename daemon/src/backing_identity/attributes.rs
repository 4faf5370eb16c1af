//! Attributes of an open backing: its appearance, its marks, and whether its path still refers to it. A kind
//! of backing implements [`Attributes`]; one that has none of them implements nothing of the trait.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::Arc;

use block::file::{self, PathStatus};

use super::appearance::{Appearance, DirtyMark, check_marks, write_session};

/// Attributes of an open backing, whatever its path refers to by now. Each call may block on a file system.
pub(crate) trait Attributes: Send + Sync {
    /// Returns its appearance; an empty one if this host cannot know it.
    ///
    /// # Errors
    /// The error of the system.
    fn appearance(&self) -> io::Result<Appearance> {
        Ok(Appearance::default())
    }

    /// Checks that it supports marks, and writes none.
    ///
    /// # Errors
    /// The reason for which it does not.
    fn check_marks(&self) -> Result<(), CannotMark> {
        Err(CannotMark::not_here())
    }

    /// Writes the session id of the attachment to it, durably.
    ///
    /// # Errors
    /// The reason for which it cannot bear one: then its use by another host is not detected.
    fn set_session(&self, _session: &str) -> Result<(), CannotMark> {
        Err(CannotMark::not_here())
    }

    /// Writes a dirty mark to it, durably.
    ///
    /// # Errors
    /// The reason for which it cannot bear one.
    fn set_dirty_mark(&self, _mark: &DirtyMark) -> Result<(), CannotMark> {
        Err(CannotMark::not_here())
    }

    /// Removes this mark, if it bears it.
    ///
    /// # Errors
    /// The error of the system; then the mark may still be there.
    fn remove_dirty_mark(&self, _mark: &DirtyMark) -> io::Result<()> {
        Ok(())
    }

    /// Returns true if it has a path, for [`Self::check_path`].
    fn has_path(&self) -> bool {
        false
    }

    /// Returns its present state; none if only the shard of the disk can determine it.
    fn state(&self) -> Option<BackingState> {
        None
    }

    /// Compares it with the file at the path where it was opened; none if it has no path.
    fn check_path(&self) -> Option<PathCheck> {
        None
    }
}

/// Reason for which a backing cannot be marked: a clause without a capital letter and a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CannotMark(pub(crate) String);

impl CannotMark {
    fn not_here() -> Self {
        Self("this host has no file or device of it".to_owned())
    }
}

/// State of an open backing at one moment.
pub(crate) struct BackingState {
    pub(crate) size: io::Result<u64>,
    /// True if the system allows no writes to it.
    pub(crate) is_write_protected: bool,
    pub(crate) standing: PathStatus,
}

/// A comparison of an open backing with the file at its path.
pub(crate) struct PathCheck {
    /// Path at which it was opened.
    pub(crate) path: PathBuf,
    pub(crate) standing: PathStatus,
    /// Present name of the open file, by the system.
    pub(crate) open_as: PathBuf,
    /// Path at which the open file can be read for as long as this process has it open.
    pub(crate) open_at: PathBuf,
}

/// Attributes of a backing that is not on this host.
pub(crate) struct NoAttributes;

impl Attributes for NoAttributes {}

/// Attributes of a file or block device of this host, with the path where it was opened.
pub(crate) struct FileAttributes {
    pub(crate) file: Arc<File>,
    pub(crate) path: PathBuf,
}

impl Attributes for FileAttributes {
    fn appearance(&self) -> io::Result<Appearance> {
        Appearance::of_open(&self.file)
    }

    fn check_marks(&self) -> Result<(), CannotMark> {
        check_marks(&self.file)
    }

    fn set_session(&self, session: &str) -> Result<(), CannotMark> {
        write_session(&self.file, session)
    }

    fn set_dirty_mark(&self, mark: &DirtyMark) -> Result<(), CannotMark> {
        mark.write(&self.file)
    }

    fn remove_dirty_mark(&self, mark: &DirtyMark) -> io::Result<()> {
        mark.remove(&self.file)
    }

    fn has_path(&self) -> bool {
        true
    }

    fn state(&self) -> Option<BackingState> {
        Some(BackingState {
            size: file::size_of(&self.file),
            is_write_protected: file::is_write_protected(&self.file),
            standing: PathStatus::of(&self.file, &self.path),
        })
    }

    fn check_path(&self) -> Option<PathCheck> {
        let Self { file, path } = self;
        let descriptor = file.as_raw_fd();
        let open_as = fs::read_link(format!("/proc/self/fd/{descriptor}"));
        Some(PathCheck {
            path: path.clone(),
            standing: PathStatus::of(file, path),
            open_as: open_as.unwrap_or_else(|_| path.clone()),
            open_at: format!("/proc/{}/fd/{descriptor}", std::process::id()).into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use base::testing::TempDir;

    use super::*;

    #[test]
    fn a_file_holds_marks_and_knows_its_path_and_what_is_elsewhere_does_neither() {
        let dir = TempDir::new();
        let path = dir.path().join("a.img");
        fs::write(&path, [0; 512]).expect("the folder is ours");
        let file = Arc::new(File::open(&path).expect("it is there"));
        let file = FileAttributes { file, path: path.clone() };
        let mark = DirtyMark { pool: "p".to_owned(), disk: 1, name: "web".to_owned() };
        assert_eq!(file.check_marks(), Ok(()), "the file system of temporary files has attributes");
        assert_eq!((file.set_session("1f"), file.set_dirty_mark(&mark)), (Ok(()), Ok(())));
        let appearance = file.appearance().expect("it is open");
        assert_eq!((appearance.session.as_deref(), appearance.dirty.as_ref()), (Some("1f"), Some(&mark)));
        file.remove_dirty_mark(&mark).expect("it is ours");
        assert_eq!(file.appearance().expect("it is open").dirty, None);
        assert_eq!(file.check_path().expect("it has one").standing, PathStatus::Named);
        fs::rename(&path, dir.path().join("b.img")).expect("the folder is ours");
        let check = file.check_path().expect("it has one");
        assert_eq!((check.path, check.open_as), (path, dir.path().join("b.img")));
        assert!(matches!(check.standing, PathStatus::Missing(_)));

        let cannot = NoAttributes.check_marks();
        assert!(cannot.is_err());
        assert_eq!(
            (&NoAttributes.set_session("1f"), &NoAttributes.set_dirty_mark(&mark)),
            (&cannot, &cannot)
        );
        assert_eq!(NoAttributes.appearance().expect("nobody is asked"), Appearance::default());
        NoAttributes.remove_dirty_mark(&mark).expect("it bears none");
        assert!(NoAttributes.check_path().is_none());
    }
}
