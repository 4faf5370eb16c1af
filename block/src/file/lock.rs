//! Locks that keep two programs from writing one image, in the way QEMU takes them.
//!
//! ```text
//!   byte   0        pool files: Forebay alone
//!   bytes 100 + n   "I use the image in way n"        n: 0 read, 1 write, 3 resize
//!   bytes 200 + n   "nobody else may use it in way n"
//!   byte   300      a disk that a running QEMU has open too: the one Forebay that may write it beside that QEMU
//! ```
//! All are locks of the open file description (OFD), so they end with the last user of the very file that does the
//! I/O, requests still in the kernel included. QEMU takes shared locks on the bytes that apply to it and then asks
//! whether an exclusive lock on the opposite bytes would be possible, without taking it; so do we, and therefore both
//! refuse each other. Advisory: programs that take no locks are not held back.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, fcntl};

use super::{Access, Identity};

/// Lock that a file is opened with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    /// None: for examining files that others may be using.
    None,
    /// As a QEMU guest's disk is locked: one writer, or any number of readers. For backings.
    Image,
    /// Byte 0: one writer, or any number of readers. For files of Forebay's own.
    Exclusive,
    /// Byte 300: beside a QEMU that has the image locked, while its disk moves from there to here or back. Excludes a second Forebay, and
    /// outlasts the requests of a process that died; QEMU does not check it.
    Beside,
}

/// The byte of [`Lock::Exclusive`]; QEMU's begin at 100.
const EXCLUSIVE_BYTE: i64 = 0;
const USED_BASE: i64 = 100;
const UNSHARED_BASE: i64 = 200;
/// The byte of [`Lock::Beside`]: behind all of QEMU's.
const BESIDE_BYTE: i64 = 300;
/// Ways to use an image, numbered as QEMU numbers its permissions. The way between (2) writes existing content only.
const READ: i64 = 0;
const WRITE: i64 = 1;
const RESIZE: i64 = 3;
/// Ways in which no other program may use an image.
const UNSHARED: [i64; 2] = [WRITE, RESIZE];

/// Takes `lock` on the description of `file`. Returns false if another process's lock forbids it; locks taken so far
/// then stay until the file is closed.
pub(super) fn acquire(file: &File, lock: Lock, access: Access) -> io::Result<bool> {
    match lock {
        Lock::None => Ok(true),
        Lock::Exclusive => take(file, EXCLUSIVE_BYTE, kind_for(access)),
        Lock::Beside => take(file, BESIDE_BYTE, kind_for(access)),
        Lock::Image => acquire_image(file, used_by(access)),
    }
}

/// Changes from [`Lock::Beside`] to [`Lock::Image`]. Returns false, with nothing changed, if another process's lock forbids it.
pub(super) fn exchange_for_image(file: &File, access: Access) -> io::Result<bool> {
    let taken = acquire(file, Lock::Image, access);
    let left_over = if let Ok(true) = taken { BESIDE_BYTE..BESIDE_BYTE + 1 } else { USED_BASE..BESIDE_BYTE };
    release(file, left_over)?;
    taken
}

/// Changes from [`Lock::Image`] to [`Lock::Beside`]. Returns false, with nothing changed, if another process's lock forbids it.
pub(super) fn exchange_for_beside(file: &File, access: Access) -> io::Result<bool> {
    // In this order: at no moment can a second Forebay take it.
    if !acquire(file, Lock::Beside, access)? {
        return Ok(false);
    }
    release(file, USED_BASE..BESIDE_BYTE)?;
    Ok(true)
}

fn release(file: &File, bytes: Range<i64>) -> io::Result<()> {
    let lock = libc::flock { l_len: bytes.end - bytes.start, ..one_byte(bytes.start, libc::F_UNLCK) };
    fcntl(file, FcntlArg::F_OFD_SETLK(&lock))?;
    Ok(())
}

fn kind_for(access: Access) -> libc::c_int {
    match access {
        Access::ReadWrite => libc::F_WRLCK,
        Access::ReadOnly => libc::F_RDLCK,
    }
}

/// Takes first, then checks: of two processes that do this at once at least one sees the other.
fn acquire_image(file: &File, used: &[i64]) -> io::Result<bool> {
    for byte in used.iter().map(|way| USED_BASE + way).chain(UNSHARED.iter().map(|way| UNSHARED_BASE + way)) {
        if !take(file, byte, libc::F_RDLCK)? {
            return Ok(false);
        }
    }
    for byte in bytes_against(used) {
        if !could_take_alone(file, byte)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Ways in which an image is used.
fn used_by(access: Access) -> &'static [i64] {
    match access {
        Access::ReadWrite => &[READ, WRITE, RESIZE],
        Access::ReadOnly => &[READ],
    }
}

/// Returns the bytes that no other program may have locked for an image to be used in these ways.
fn bytes_against(used: &[i64]) -> impl Iterator<Item = i64> {
    UNSHARED.iter().map(|way| USED_BASE + way).chain(used.iter().map(|way| UNSHARED_BASE + way))
}

/// Returns true if no other lock forbids the use of the file, as an image or for the pool. Takes no lock; a description that reads is
/// enough.
fn is_free(file: &File, access: Access) -> io::Result<bool> {
    for byte in bytes_against(used_by(access)) {
        if !could_take_alone(file, byte)? {
            return Ok(false);
        }
    }
    let kind = kind_for(access);
    Ok(could_take(file, EXCLUSIVE_BYTE, kind)? && could_take(file, BESIDE_BYTE, kind)?)
}

/// Returns true if another process, or this one by another description, holds a lock of the file or device at `path` that forbids to use
/// its storage. `expected` is the storage that the path should name. False if that cannot be found out. May wait for its file system.
pub fn is_locked(path: &Path, expected: Identity, access: Access) -> bool {
    let opened = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path);
    let Ok(file) = opened else { return false };
    let is_it = file.metadata().is_ok_and(|about| Identity::from(&about).same_storage(&expected));
    is_it && is_free(&file, access).is_ok_and(|is_free| !is_free)
}

fn take(file: &File, byte: i64, kind: libc::c_int) -> io::Result<bool> {
    match fcntl(file, FcntlArg::F_OFD_SETLK(&one_byte(byte, kind))) {
        Ok(_) => Ok(true),
        Err(Errno::EAGAIN | Errno::EACCES) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn could_take_alone(file: &File, byte: i64) -> io::Result<bool> {
    could_take(file, byte, libc::F_WRLCK)
}

fn could_take(file: &File, byte: i64, kind: libc::c_int) -> io::Result<bool> {
    let mut answer = one_byte(byte, kind);
    fcntl(file, FcntlArg::F_OFD_GETLK(&mut answer))?;
    Ok(libc::c_int::from(answer.l_type) == libc::F_UNLCK)
}

fn one_byte(byte: i64, kind: libc::c_int) -> libc::flock {
    // The process id must be zero for locks of a description.
    libc::flock {
        l_type: kind as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: byte,
        l_len: 1,
        l_pid: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Turn, turn};
    use super::*;

    /// Opens one file again and again, each time with a description of its own. The file is gone at the end.
    struct Image(std::path::PathBuf, #[expect(dead_code, reason = "held until the test ends")] Turn);

    impl Image {
        fn new(name: &str) -> Self {
            let name = format!("forebay-lock-{name}-{}", std::process::id());
            Self(std::env::temp_dir().join(name), turn())
        }

        fn open(&self) -> File {
            let mut options = File::options();
            options.read(true).write(true).create(true).truncate(false).open(&self.0).expect("it is ours")
        }

        /// Returns the bytes that others hold.
        fn held(&self) -> Vec<i64> {
            let other = self.open();
            let is_held = |byte: &i64| !could_take_alone(&other, *byte).expect("the file system locks");
            (0..400).filter(is_held).collect()
        }
    }

    impl Drop for Image {
        fn drop(&mut self) {
            std::fs::remove_file(&self.0).expect("it is ours");
        }
    }

    #[test]
    fn the_locked_bytes_are_those_of_a_guest_of_qemu() {
        let image = Image::new("bytes");
        let held_with = |lock, access| {
            let holder = image.open();
            assert!(acquire(&holder, lock, access).expect("the file system locks"));
            image.held()
        };
        assert_eq!(held_with(Lock::Image, Access::ReadWrite), [100, 101, 103, 201, 203]);
        assert_eq!(held_with(Lock::Image, Access::ReadOnly), [100, 201, 203]);
        assert_eq!(held_with(Lock::Exclusive, Access::ReadWrite), [0]);
        assert_eq!(held_with(Lock::Beside, Access::ReadWrite), [300]);
        assert!(held_with(Lock::None, Access::ReadWrite).is_empty());
    }

    #[test]
    fn whoever_asks_finds_each_lock_that_forbids_the_use_and_takes_none() {
        let image = Image::new("asked");
        let asked = image.open();
        let identity = Identity::of(&image.0).expect("it is ours");
        let is_locked = |access| {
            let is_locked = is_locked(&image.0, identity, access);
            assert_eq!(is_locked, !is_free(&asked, access).expect("the file system locks"));
            is_locked
        };
        assert!(!is_locked(Access::ReadWrite) && !is_locked(Access::ReadOnly));
        let locks = [
            (Lock::Image, Access::ReadWrite, true),
            (Lock::Image, Access::ReadOnly, false),
            (Lock::Exclusive, Access::ReadWrite, true),
            (Lock::Exclusive, Access::ReadOnly, false),
            (Lock::Beside, Access::ReadWrite, true),
        ];
        for (lock, access, forbids_readers) in locks {
            let holder = image.open();
            assert!(acquire(&holder, lock, access).expect("the file system locks"));
            assert!(is_locked(Access::ReadWrite), "{lock:?} {access:?}");
            assert_eq!(is_locked(Access::ReadOnly), forbids_readers, "{lock:?} {access:?}");
        }
        assert!(image.held().is_empty());
        let elsewhere = Identity { inode: 0, ..identity };
        let _holder = acquire(&asked, Lock::Exclusive, Access::ReadWrite).expect("the file system locks");
        assert!(!super::is_locked(&image.0, elsewhere, Access::ReadWrite), "another file has that path");
    }

    #[test]
    fn beside_qemu_there_is_room_for_one_forebay_and_the_image_lock_comes_when_qemu_goes() {
        let image = Image::new("beside");
        let (qemu, ours, second) = (image.open(), image.open(), image.open());
        let with_qemu = [100, 101, 103, 201, 203, 300];
        assert!(acquire(&qemu, Lock::Image, Access::ReadWrite).expect("the file system locks"));
        assert!(acquire(&ours, Lock::Beside, Access::ReadWrite).expect("the file system locks"));
        assert!(!acquire(&second, Lock::Beside, Access::ReadWrite).expect("the file system locks"));

        assert!(!exchange_for_image(&ours, Access::ReadWrite).expect("the file system locks"));
        assert_eq!(image.held(), with_qemu, "a refusal changes nothing");
        drop(qemu);
        assert_eq!(image.held(), [300], "what was tried in vain is not left locked");
        assert!(exchange_for_image(&ours, Access::ReadWrite).expect("the file system locks"));
        assert_eq!(image.held(), [100, 101, 103, 201, 203]);
    }

    #[test]
    fn a_lock_that_is_given_up_lets_qemu_in_and_a_second_forebay_not() {
        let image = Image::new("given-up");
        let (ours, qemu, second) = (image.open(), image.open(), image.open());
        assert!(acquire(&ours, Lock::Image, Access::ReadWrite).expect("the file system locks"));
        assert!(exchange_for_beside(&ours, Access::ReadWrite).expect("the file system locks"));
        assert_eq!(image.held(), [300]);
        assert!(!acquire(&second, Lock::Beside, Access::ReadWrite).expect("the file system locks"));
        assert!(acquire(&qemu, Lock::Image, Access::ReadWrite).expect("the file system locks"));
    }
}
