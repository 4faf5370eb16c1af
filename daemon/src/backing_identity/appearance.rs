//! Appearance of a backing: properties that show whether it may be another one, or another version, than the
//! one that was cached.

use std::fmt;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use base::durable::survive;
use serde::{Deserialize, Serialize};
use xattr::FileExt;

use super::attributes::CannotMark;
use super::device::{DeviceIdentity, sectors_written};

/// The attribute with the session id of the attachment that the file is in, or was in last: 32 hexadecimal
/// digits. Earlier versions wrote `DISK EPOCH`, in decimal digits, which two hosts can have in common.
const SESSION: &str = "user.forebay.epoch";

/// The attribute of a dirty mark: `POOL DISK NAME`.
const DIRTY: &str = "user.forebay.dirty";

/// A mark on a backing whose newer data may be in a pool. Guests do not see it; other programs that would
/// serve the backing as if it were complete do.
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
    /// Returns the mark of a backing; none if it bears none, or cannot.
    ///
    /// # Errors
    /// The error of the system: it may bear one.
    fn read(file: &File) -> io::Result<Option<Self>> {
        let text = match file.get_xattr(DIRTY) {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => None,
            found => found?,
        };
        Ok(text.map(|text| Self::parse(&String::from_utf8_lossy(&text))))
    }

    /// Parses the text of a mark. An unreadable mark still counts, as that of an unknown pool.
    pub(crate) fn parse(text: &str) -> Self {
        let mut words = text.splitn(3, ' ');
        let mut word = || words.next().unwrap_or("?").to_owned();
        let (pool, disk, name) = (word(), word(), word());
        Self { pool, disk: disk.parse().unwrap_or(u32::MAX), name }
    }

    /// Writes the mark to a backing, durably.
    ///
    /// # Errors
    /// The reason for which it cannot bear a mark: it is a raw device, or its file system has no attributes
    /// or refuses this one.
    pub(super) fn write(&self, file: &File) -> Result<(), CannotMark> {
        set_attribute(file, DIRTY, &self.to_string())
    }

    /// Removes this mark from a backing, if it bears it.
    ///
    /// # Errors
    /// The error of the system; then the mark may still be there.
    pub(super) fn remove(&self, file: &File) -> io::Result<()> {
        if Self::read(file)?.as_ref() != Some(self) {
            return Ok(());
        }
        file.remove_xattr(DIRTY)?;
        file.sync_all()
    }

    /// Removes this mark from the backing at `path`, which is not served, if it bears it.
    ///
    /// # Errors
    /// The error of the system; then the mark may still be there.
    pub(crate) fn remove_at(&self, path: &Path) -> io::Result<()> {
        self.remove(&File::open(path)?)
    }
}

impl fmt::Display for DirtyMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.pool, self.disk, self.name)
    }
}

/// Appearance of a backing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Appearance {
    /// Its size in bytes.
    pub(crate) bytes: Option<u64>,
    /// Its identity, if it is a block device.
    pub(crate) device: Option<DeviceIdentity>,
    /// Its identity, if it is a file.
    pub(crate) file: Option<FileIdentity>,
    /// Its identity among all clusters, if it is an image of one.
    pub(crate) image: Option<String>,
    /// Knowledge of the storage itself whether anything can have changed it since this host released it. Not recorded.
    pub(crate) unchanged: Option<bool>,
    /// Its last change, and the amount of writes.
    pub(crate) changes: Changes,
    /// Metadata of its file, if it is one.
    pub(crate) circumstances: Option<FileMetadata>,
    /// The session id of its last attachment, as it is on the backing.
    pub(crate) session: Option<String>,
    /// The dirty mark, if it bears one.
    pub(crate) dirty: Option<DirtyMark>,
}

/// A file within its file system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileIdentity {
    /// Inode number, which another file may get once this one is deleted.
    pub(super) inode: u64,
    /// Time of creation, in nanoseconds since 1970, if its file system has it.
    pub(super) born_ns: Option<i64>,
}

/// Signs of a change of content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Changes {
    /// Time of the last modification of a file's content, in nanoseconds since 1970. Programs can set it
    /// back.
    pub(super) modified_ns: Option<i64>,
    /// Time of the last change of a file or its metadata: programs cannot set it back.
    pub(super) changed_ns: Option<i64>,
    /// Sectors written to a device since it was created.
    pub(super) sectors_written: Option<u64>,
}

/// Metadata of a file that can change, together with its time of change, while its content stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileMetadata {
    pub(super) links: u64,
    pub(super) mode: u32,
    pub(super) owner: (u32, u32),
    pub(super) path: Option<PathBuf>,
}

impl Appearance {
    /// Returns true if its kind bears session ids. One that cannot bear one all the same reports that when it is written.
    pub(super) fn bears_sessions(&self) -> bool {
        self.file.is_some() || self.image.is_some()
    }

    /// Returns the appearance of a path. That of a missing path, or of neither file nor block device, is
    /// empty.
    ///
    /// # Errors
    /// The error of the system: the backing cannot be served as it is.
    pub(crate) fn from_path(path: &Path) -> io::Result<Self> {
        let Ok(about) = fs::metadata(path) else { return Ok(Self::default()) };
        if !about.is_file() && !about.file_type().is_block_device() {
            return Ok(Self::default());
        }
        // Without blocking, for a device may have no medium.
        Self::of_open(&File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path)?)
    }

    /// Returns the appearance of an open file or device, whatever its path refers to by now.
    ///
    /// # Errors
    /// The error of the system.
    pub(crate) fn of_open(file: &File) -> io::Result<Self> {
        let about = file.metadata()?;
        let dirty = if about.is_file() { DirtyMark::read(file)? } else { None };
        Ok(Self::new(&about, file, dirty))
    }

    fn new(about: &Metadata, file: &File, dirty: Option<DirtyMark>) -> Self {
        if about.file_type().is_block_device() {
            let rdev = about.rdev();
            let changes = Changes { sectors_written: sectors_written(rdev), ..Changes::default() };
            return Self {
                device: Some(DeviceIdentity::from_device(rdev, Some(file))),
                changes,
                ..Self::default()
            };
        }
        let born = about.created().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let born_ns = born.and_then(|since| i64::try_from(since.as_nanos()).ok());
        let nanoseconds = |seconds: i64, rest: i64| seconds.checked_mul(1_000_000_000).map(|ns| ns + rest);
        Self {
            bytes: Some(about.len()),
            device: None,
            file: Some(FileIdentity { inode: about.ino(), born_ns }),
            changes: Changes {
                modified_ns: nanoseconds(about.mtime(), about.mtime_nsec()),
                changed_ns: nanoseconds(about.ctime(), about.ctime_nsec()),
                sectors_written: None,
            },
            circumstances: Some(FileMetadata {
                links: about.nlink(),
                mode: about.mode(),
                owner: (about.uid(), about.gid()),
                path: fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok(),
            }),
            session: read_session(file),
            dirty,
            image: None,
            unchanged: None,
        }
    }
}

/// Returns a new session id, which is unique.
///
/// # Errors
/// If the system has no random numbers.
pub(super) fn new_session() -> Result<String, String> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|error| error.to_string())?;
    Ok(format!("{:032x}", u128::from_be_bytes(random)))
}

/// Returns true for session ids of earlier versions: numbers, which two hosts can have in common.
pub(super) fn is_numbered(session: &str) -> bool {
    session.contains(' ')
}

fn read_session(file: &File) -> Option<String> {
    let text = file.get_xattr(SESSION).ok()??;
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// Checks that a backing supports attributes, and changes none.
///
/// # Errors
/// The reason for which it does not.
pub(super) fn check_marks(file: &File) -> Result<(), CannotMark> {
    let about = file.metadata().map_err(|error| cannot_mark(&error))?;
    if !about.is_file() {
        return Err(CannotMark("a block device has no extended attributes".to_owned()));
    }
    match file.get_xattr(DIRTY) {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => Err(cannot_mark(&error)),
        // An unreadable attribute may still be writable.
        Ok(_) | Err(_) => Ok(()),
    }
}

fn cannot_mark(error: &io::Error) -> CannotMark {
    CannotMark(format!("its file system takes no extended attribute ({error})"))
}

/// Writes the session id of the attachment to the backing, durably.
///
/// # Errors
/// The reason for which it cannot bear one, as [`DirtyMark::write`].
pub(super) fn write_session(file: &File, session: &str) -> Result<(), CannotMark> {
    set_attribute(file, SESSION, session)
}

fn set_attribute(file: &File, attribute: &str, text: &str) -> Result<(), CannotMark> {
    check_marks(file)?;
    let path = || fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()));
    let write = || {
        survive(&path()?)?;
        file.set_xattr(attribute, text.as_bytes())?;
        file.sync_all()
    };
    write().map_err(|error| cannot_mark(&error))
}

#[cfg(test)]
mod tests {
    use base::testing::TempDir;

    use super::*;

    fn mark(disk: u32) -> DirtyMark {
        DirtyMark { pool: "00ff".to_owned(), disk, name: "web".to_owned() }
    }

    fn at(path: &Path) -> Appearance {
        Appearance::from_path(path).expect("it can be examined")
    }

    /// Returns a file that is open for reading only, as that of a disk may be.
    fn file(dir: &TempDir) -> (PathBuf, File) {
        let path = dir.path().join("disk.img");
        fs::write(&path, "content").expect("the folder is ours");
        let file = File::open(&path).expect("it is there");
        (path, file)
    }

    #[test]
    fn a_mark_is_read_back_and_removed_by_its_owner_alone() {
        let dir = TempDir::new();
        let (path, file) = file(&dir);
        assert_eq!(at(&path).dirty, None);
        assert_eq!(mark(3).write(&file), Ok(()), "the file system of temporary files has attributes");
        let modified = at(&path).changes.modified_ns;
        mark(4).remove(&file).expect("there is nothing to do");
        assert_eq!(at(&path).dirty, Some(mark(3)));
        mark(3).remove_at(&path).expect("it is ours");
        let now = at(&path);
        assert_eq!(
            (now.dirty, now.changes.modified_ns),
            (None, modified),
            "a mark is no change of the content"
        );
    }

    #[test]
    fn a_mark_that_cannot_be_read_is_somebodys() {
        let dir = TempDir::new();
        let (path, file) = file(&dir);
        assert_eq!(set_attribute(&file, DIRTY, "garbage"), Ok(()));
        let found = at(&path).dirty.expect("there is one");
        assert_eq!((found.pool.as_str(), found.disk), ("garbage", u32::MAX));
        file.set_xattr(DIRTY, b"\xff\xfe").expect("it holds attributes");
        let open = Appearance::of_open(&file).expect("it is open");
        assert_eq!(open.dirty.expect("there is one").disk, u32::MAX, "though it is no text");
    }

    #[test]
    fn what_is_no_file_holds_no_mark() {
        let null = File::open("/dev/null").expect("it is there");
        assert!(
            mark(3).write(&null).is_err_and(|CannotMark(reason)| reason.contains("no extended attributes"))
        );
        assert_eq!(at(Path::new("/nowhere/at/all")), Appearance::default());
    }

    #[test]
    fn an_open_file_looks_as_it_does_whatever_its_path_names() {
        let dir = TempDir::new();
        let (path, file) = file(&dir);
        let session = new_session().expect("there is chance");
        assert_eq!(write_session(&file, &session), Ok(()));
        assert!(!is_numbered(&session) && session.len() == 32);
        assert_ne!(new_session().expect("there is chance"), session);
        let before = Appearance::of_open(&file).expect("it is open");
        assert_eq!((before.session.as_ref(), &before), (Some(&session), &at(&path)));
        fs::remove_file(&path).and_then(|()| fs::write(&path, "another")).expect("the folder is ours");
        let (open, named) = (Appearance::of_open(&file).expect("it is open"), at(&path));
        assert_eq!((&open.file, &open.session), (&before.file, &before.session));
        assert_eq!(named.session, None);
    }
}
