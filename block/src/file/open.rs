//! Opening a file or block device: its kind, its other users, and the ways to read and write it.
//!
//! Order matters: (1) open, (2) lock that very description, (3) measure. Nothing is read from a file that another
//! process may be changing, and nothing is written here at all, save the size of a file that is newly made.

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nix::fcntl::{FcntlArg, OFlag, fcntl};

use super::lock::{self, Lock};
use super::reclaiming::Reclaiming;
use crate::{ALIGNMENT, Geometry, PAGE, SECTOR};

/// Access to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads only; writes are refused before they reach the system.
    ReadOnly,
    /// Reads and writes.
    ReadWrite,
}

/// Use of the page cache of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cache {
    /// Past it (`O_DIRECT`) where the file system can; buffered elsewhere, see [`OpenFile::fallback`].
    Direct,
    /// Through it.
    Buffered,
}

/// Options for opening a file.
#[derive(Clone, Copy, Debug)]
pub struct OpenOptions {
    /// Access to it.
    pub access: Access,
    /// Use of the page cache.
    pub cache: Cache,
    /// Lock that is held as long as it is open.
    pub lock: Lock,
    /// `Some(size)`: make a new file of `size` bytes, which must not exist, and make its name durable. No storage is reserved for it.
    pub create: Option<u64>,
}

/// Names one storage, however it was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// File system that the file or node is on.
    pub device: u64,
    /// Number of the file or node in it.
    pub inode: u64,
    /// Number of the block device; 0 for a file.
    pub rdev: u64,
}

impl Identity {
    /// Returns the identity of the storage behind `path`, links followed.
    ///
    /// # Errors
    /// If `path` cannot be examined.
    pub fn of(path: &Path) -> Result<Self, OpenError> {
        let metadata = fs::metadata(path).map_err(|error| system(path, "examine", error))?;
        Ok(Self::from(&metadata))
    }

    /// Returns true if both are one file, or one block device through any nodes. Does not see a partition in its whole disk, nor a file on
    /// the device itself.
    pub fn same_storage(&self, other: &Self) -> bool {
        if self.rdev != 0 || other.rdev != 0 {
            return self.rdev == other.rdev;
        }
        (self.device, self.inode) == (other.device, other.inode)
    }
}

impl From<&fs::Metadata> for Identity {
    fn from(metadata: &fs::Metadata) -> Self {
        let rdev = if metadata.file_type().is_block_device() { metadata.rdev() } else { 0 };
        Self { device: metadata.dev(), inode: metadata.ino(), rdev }
    }
}

/// Kind of storage that was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    BlockDevice,
}

/// A file that is open, locked and measured. Clones are the same open file.
#[derive(Clone)]
pub(crate) struct OpenFile {
    pub(crate) file: Arc<File>,
    pub(crate) kind: Kind,
    pub(crate) identity: Identity,
    pub(crate) geometry: Geometry,
    pub(crate) direct: bool,
    /// Reason why it is buffered although direct access was requested.
    pub(crate) fallback: Option<String>,
}

/// Reason why a file was not opened. Nothing has been changed then.
#[derive(Debug)]
pub enum OpenError {
    /// The system refused a step.
    System {
        /// The file.
        path: PathBuf,
        /// The attempted action: a verb.
        action: &'static str,
        /// Error of the system.
        source: io::Error,
    },
    /// Another process has the file open in a way that excludes this one.
    Held {
        /// The file.
        path: PathBuf,
    },
    /// It is neither a regular file nor a block device.
    NotADisk {
        /// The file.
        path: PathBuf,
    },
    /// It is a block device that the kernel has made read-only.
    ReadOnlyDevice {
        /// The device.
        path: PathBuf,
    },
    /// It is a file that its file system protects from writes, or from all writes but appends.
    Protected {
        /// The file.
        path: PathBuf,
        /// The attribute, as `chattr` has it.
        attribute: char,
    },
    /// Its size is zero or not a multiple of 512.
    BadSize {
        /// The file.
        path: PathBuf,
        /// Its size in bytes.
        size: u64,
    },
}

/// Opens, locks and measures.
pub(crate) fn open(path: &Path, options: OpenOptions) -> Result<OpenFile, OpenError> {
    if let Some(size) = options.create {
        check_size(path, size)?;
        create(path, size)?;
        return open_existing(path, options).inspect_err(|_| {
            // Ours, made just now; if it cannot even be removed, the first error is still the one that explains.
            fs::remove_file(path).unwrap_or(());
        });
    }
    open_existing(path, options)
}

fn open_existing(path: &Path, options: OpenOptions) -> Result<OpenFile, OpenError> {
    // Asked before opening, since opening other things has effects: a pipe would wait, a tape would move.
    let before = fs::metadata(path).map_err(|error| system(path, "examine", error))?;
    let kind = kind_of(path, &before)?;
    let (file, mut fallback) = open_description(path, options, kind)?;
    let metadata = file.metadata().map_err(|error| system(path, "examine", error))?;
    if kind_of(path, &metadata)? != kind {
        return Err(OpenError::NotADisk { path: path.to_owned() });
    }
    if !lock::acquire(&file, options.lock, options.access).map_err(|error| system(path, "lock", error))? {
        return Err(OpenError::Held { path: path.to_owned() });
    }

    // An image lock does not cover this, and opening a device for writing works all the same.
    if options.access == Access::ReadWrite && kind == Kind::BlockDevice {
        let read_only = device::is_read_only(&file).map_err(|error| system(path, "examine", error))?;
        if read_only {
            return Err(OpenError::ReadOnlyDevice { path: path.to_owned() });
        }
    }
    let measured = match kind {
        Kind::File => measure_file(&file),
        Kind::BlockDevice => device::measure(&file),
    };
    let measured = measured.map_err(|error| system(path, "measure", error))?;
    check_size(path, measured.size)?;
    let mut direct = options.cache == Cache::Direct && fallback.is_none();
    if direct && let Some(reason) = measured.obstacle_to_direct() {
        make_buffered(&file).map_err(|error| system(path, "leave direct access of", error))?;
        direct = false;
        fallback = Some(reason);
    }
    let alignment = if direct { measured.direct_alignment } else { SECTOR };
    let read_only = options.access == Access::ReadOnly;
    let reclaiming = match kind {
        _ if read_only => Reclaiming::NONE,
        Kind::File => Reclaiming::FILE,
        Kind::BlockDevice => Reclaiming::of_device(metadata.rdev()),
    };
    let geometry = Geometry {
        size: measured.size,
        alignment,
        physical_block: measured.physical_block.max(alignment),
        read_only,
        flushes: true,
        unmaps: reclaiming.unmaps,
        discards: reclaiming.discards,
        sector: measured.sector,
        atomic_flushes: false,
    };
    let file = Arc::new(file);
    Ok(OpenFile { file, kind, identity: Identity::from(&metadata), geometry, direct, fallback })
}

/// Opens directly if asked to and possible; else buffered, with the reason.
fn open_description(
    path: &Path,
    options: OpenOptions,
    kind: Kind,
) -> Result<(File, Option<String>), OpenError> {
    let writes = options.access == Access::ReadWrite;
    // On a block device this claims it against mounts and against others who claim it.
    let claims = writes && matches!(options.lock, Lock::Image | Lock::Exclusive);
    let claim = if kind == Kind::BlockDevice && claims { libc::O_EXCL } else { 0 };
    let attempt =
        |flags| fs::OpenOptions::new().read(true).write(writes).custom_flags(flags | claim).open(path);
    let (outcome, fallback) = match options.cache {
        Cache::Buffered => (attempt(0), None),
        Cache::Direct => match attempt(libc::O_DIRECT) {
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {
                (attempt(0), Some("the file system refuses direct access (O_DIRECT)".to_owned()))
            }
            other => (other, None),
        },
    };
    match outcome {
        Ok(file) => Ok((file, fallback)),
        Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {
            Err(OpenError::Held { path: path.to_owned() })
        }
        Err(error) if writes && kind == Kind::File && error.raw_os_error() == Some(libc::EPERM) => {
            Err(protection(path).map_or_else(
                || system(path, "open", error),
                |attribute| OpenError::Protected { path: path.to_owned(), attribute },
            ))
        }
        Err(error) => Err(system(path, "open", error)),
    }
}

/// Returns the attribute of a file that protects it from all writes, if it has one.
fn protection(path: &Path) -> Option<char> {
    let file = File::open(path).ok()?;
    let mut flags: libc::c_int = 0;
    // SAFETY: the kernel stores an int in `flags`.
    unsafe { file_attributes(file.as_raw_fd(), &raw mut flags) }.ok()?;
    [(IMMUTABLE, 'i'), (APPEND_ONLY, 'a')]
        .into_iter()
        .find(|(flag, _)| flags & flag != 0)
        .map(|(_, name)| name)
}

/// Attributes of files (`linux/fs.h`).
const APPEND_ONLY: libc::c_int = 0x20;
const IMMUTABLE: libc::c_int = 0x10;
nix::ioctl_read_bad!(file_attributes, libc::FS_IOC_GETFLAGS, libc::c_int);

/// Claims the block device at `path` as opening it with [`Lock::Image`] does, by a description that does no I/O. For a
/// device that was opened without the claim, which the description that does the I/O cannot be given later.
pub(super) fn claim(path: &Path, expected: Identity) -> Result<File, OpenError> {
    let opened = fs::OpenOptions::new().read(true).write(true).custom_flags(libc::O_EXCL).open(path);
    let file = opened.map_err(|error| match error.raw_os_error() {
        Some(libc::EBUSY) => OpenError::Held { path: path.to_owned() },
        _ => system(path, "claim", error),
    })?;
    let metadata = file.metadata().map_err(|error| system(path, "examine", error))?;
    if !Identity::from(&metadata).same_storage(&expected) {
        return Err(OpenError::NotADisk { path: path.to_owned() });
    }
    Ok(file)
}

/// Makes a new file and its name durable, or leaves nothing.
fn create(path: &Path, size: u64) -> Result<(), OpenError> {
    let mut options = fs::OpenOptions::new();
    // Guests' data: for the owner only.
    let made = options.write(true).create_new(true).mode(0o600).open(path);
    let file = made.map_err(|error| system(path, "create", error))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    overwrite_in_place(&file);
    let sized =
        file.set_len(size).and_then(|()| file.sync_all()).and_then(|()| File::open(folder)?.sync_all());
    sized.map_err(|error| {
        fs::remove_file(path).unwrap_or(());
        system(path, "size and sync", error)
    })
}

/// Makes a copy-on-write file system (btrfs) overwrite an empty file in place, if it can: rewriting a page then needs no room. File systems
/// without that attribute refuse it, and need none.
fn overwrite_in_place(file: &File) {
    let mut flags: libc::c_int = 0;
    // SAFETY: the kernel reads and writes one int, and the descriptor is open.
    if unsafe { inode_flags(file.as_raw_fd(), &raw mut flags) }.is_ok() {
        flags |= NO_COW;
        // SAFETY: as above.
        let set = unsafe { set_inode_flags(file.as_raw_fd(), &raw const flags) };
        // One that refuses needs no room for overwriting, or is watched for having none.
        set.unwrap_or(0);
    }
}

/// `FS_NOCOW_FL`.
const NO_COW: libc::c_int = 0x0080_0000;

// FS_IOC_GETFLAGS and FS_IOC_SETFLAGS: declared with a long, and take an int.
nix::ioctl_read_bad!(inode_flags, nix::request_code_read!(b'f', 1, size_of::<libc::c_long>()), libc::c_int);
nix::ioctl_write_ptr_bad!(
    set_inode_flags,
    nix::request_code_write!(b'f', 2, size_of::<libc::c_long>()),
    libc::c_int
);

fn kind_of(path: &Path, metadata: &fs::Metadata) -> Result<Kind, OpenError> {
    let kind = metadata.file_type();
    if kind.is_file() {
        Ok(Kind::File)
    } else if kind.is_block_device() {
        Ok(Kind::BlockDevice)
    } else {
        Err(OpenError::NotADisk { path: path.to_owned() })
    }
}

fn check_size(path: &Path, size: u64) -> Result<(), OpenError> {
    if size == 0 || !size.is_multiple_of(SECTOR) {
        return Err(OpenError::BadSize { path: path.to_owned(), size });
    }
    Ok(())
}

/// Properties of an open file, in bytes.
struct FileProperties {
    size: u64,
    /// The sector size that guests are shown: that of a block device; 512 of a file, on any storage.
    sector: u64,
    /// 512 or 4096, or 0 if there is no direct access in these units.
    direct_alignment: u64,
    physical_block: u64,
}

impl FileProperties {
    fn obstacle_to_direct(&self) -> Option<String> {
        if self.direct_alignment == 0 {
            return Some("the file system gives no direct access in units of at most 4096 bytes".to_owned());
        }
        if !self.size.is_multiple_of(self.direct_alignment) {
            let Self { size, direct_alignment, .. } = self;
            return Some(format!("its size, {size} bytes, is not a multiple of {direct_alignment}"));
        }
        None
    }
}

/// Returns the smaller of our two alignments that serves a device with this one; 0 if neither does.
fn alignment_for(asked: u64) -> u64 {
    if asked == 0 {
        return 0;
    }
    [SECTOR, PAGE].into_iter().find(|ours| ours.is_multiple_of(asked)).unwrap_or(0)
}

fn measure_file(file: &File) -> io::Result<FileProperties> {
    // SAFETY: zeroes are a valid `statx`, which is plain numbers.
    let mut about: libc::statx = unsafe { std::mem::zeroed() };
    let mask = libc::STATX_BASIC_STATS | libc::STATX_DIOALIGN;
    // SAFETY: the path is an empty C string, for which the flag takes the descriptor itself; `about` is ours.
    let outcome =
        unsafe { libc::statx(file.as_raw_fd(), c"".as_ptr(), libc::AT_EMPTY_PATH, mask, &raw mut about) };
    if outcome != 0 {
        return Err(io::Error::last_os_error());
    }
    let direct_alignment = if about.stx_mask & libc::STATX_DIOALIGN == 0 {
        // The file system does not report it. A page is right wherever direct access works at all.
        PAGE
    } else if u64::from(about.stx_dio_mem_align) > ALIGNMENT as u64 || about.stx_dio_mem_align == 0 {
        0
    } else {
        alignment_for(about.stx_dio_offset_align.into())
    };
    // File systems and the disks beneath change whole pages.
    Ok(FileProperties { size: about.stx_size, sector: SECTOR, direct_alignment, physical_block: PAGE })
}

fn make_buffered(file: &File) -> io::Result<()> {
    let flags = OFlag::from_bits_retain(fcntl(file, FcntlArg::F_GETFL)?);
    fcntl(file, FcntlArg::F_SETFL(flags - OFlag::O_DIRECT))?;
    Ok(())
}

/// Questions to block devices.
pub(super) mod device {
    use super::{AsRawFd, File, FileProperties, PAGE, SECTOR, alignment_for, io};

    nix::ioctl_read_bad!(block_device_read_only, nix::request_code_none!(0x12, 94), libc::c_int);
    nix::ioctl_read!(block_device_size, 0x12, 114, u64);
    nix::ioctl_read_bad!(logical_block, libc::BLKSSZGET, libc::c_int);
    nix::ioctl_read_bad!(physical_block, libc::BLKPBSZGET, libc::c_uint);

    /// Returns the size in bytes. Cheap: the kernel has it in memory.
    pub(in crate::file) fn size(file: &File) -> io::Result<u64> {
        let mut size = 0;
        // SAFETY: the kernel stores eight bytes in `size`.
        unsafe { block_device_size(file.as_raw_fd(), &raw mut size) }?;
        Ok(size)
    }

    /// Returns true if the kernel refuses all writes to it. Cheap.
    pub(in crate::file) fn is_read_only(file: &File) -> io::Result<bool> {
        let mut read_only = 0;
        // SAFETY: the kernel stores an int in `read_only`.
        unsafe { block_device_read_only(file.as_raw_fd(), &raw mut read_only) }?;
        Ok(read_only != 0)
    }

    pub(super) fn measure(file: &File) -> io::Result<FileProperties> {
        let (mut logical, mut physical) = (0, 0);
        // SAFETY: the kernel stores an int in `logical`.
        unsafe { logical_block(file.as_raw_fd(), &raw mut logical) }?;
        // SAFETY: the kernel stores an unsigned int in `physical`.
        unsafe { physical_block(file.as_raw_fd(), &raw mut physical) }?;
        let logical = u64::try_from(logical).unwrap_or(0);
        let direct_alignment = alignment_for(logical);
        let sector = logical.clamp(SECTOR, PAGE);
        Ok(FileProperties { size: size(file)?, sector, direct_alignment, physical_block: physical.into() })
    }
}

fn system(path: &Path, action: &'static str, source: io::Error) -> OpenError {
    OpenError::System { path: path.to_owned(), action, source }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System { path, action, source } => {
                write!(f, "Cannot {action} {}: {source}", path.display())?;
                f.write_str(match source.raw_os_error() {
                    Some(libc::ENOENT) => "; check the path",
                    Some(libc::EACCES | libc::EPERM) => {
                        "; give this user the right to it, or run as one who has it"
                    }
                    Some(libc::EROFS) => "; remount it writable, or open it read-only",
                    Some(libc::EEXIST) => "; choose another name, or use the file without making it",
                    Some(libc::ENOLCK) => {
                        "; start the lock service of this NFS mount, or mount it with NFS version 4"
                    }
                    _ => "",
                })
            }
            Self::Held { path } => {
                let path = path.display();
                write!(
                    f,
                    "Cannot lock {path}: another process (QEMU or Forebay), or a mount, has it open; stop that first \
                     (`fuser -v {path}` names it)"
                )
            }
            Self::NotADisk { path } => {
                write!(
                    f,
                    "Cannot open {}: not a regular file or block device; name one of these",
                    path.display()
                )
            }
            Self::ReadOnlyDevice { path } => {
                let path = path.display();
                write!(
                    f,
                    "Cannot write {path}: the device is read-only, as `blockdev --getro {path}` shows; make it writable (blockdev \
                     --setrw {path}; a loop device again, without -r), or add the disk with --read-only"
                )
            }
            Self::Protected { path, attribute } => {
                let (path, what) =
                    (path.display(), if *attribute == 'i' { "immutable" } else { "append-only" });
                write!(
                    f,
                    "Cannot write {path}: the file is {what}, as `lsattr {path}` shows; make it writable (chattr -{attribute} {path}), \
                     or add the disk with --read-only"
                )
            }
            Self::BadSize { path, size: 0 } => {
                write!(f, "Cannot open {}: its size is 0 bytes; give it a size first", path.display())
            }
            Self::BadSize { path, size } => {
                let (path, next) = (path.display(), size.next_multiple_of(SECTOR));
                write!(
                    f,
                    "Cannot open {path}: its size, {size} bytes, is not a multiple of 512; \
                     extend it (`truncate -s {next} {path}`)"
                )
            }
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::System { source, .. } => Some(source),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn direct_access_needs_units_of_a_page_at_most_and_a_size_of_whole_units() {
        assert_eq!([0, 1, 512, 520, 4096, 8192].map(alignment_for), [0, 512, 512, 0, 4096, 0]);
        let measured = |size, direct_alignment| FileProperties {
            size,
            sector: SECTOR,
            direct_alignment,
            physical_block: PAGE,
        };
        assert_eq!(measured(512, 512).obstacle_to_direct(), None);
        assert!(
            measured(4608, 4096).obstacle_to_direct().is_some_and(|reason| reason.contains("4608 bytes"))
        );
        assert!(
            measured(8192, 0).obstacle_to_direct().is_some_and(|reason| reason.contains("no direct access"))
        );
    }
}
