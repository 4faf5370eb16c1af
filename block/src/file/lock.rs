//! Locks that keep two programs from writing one image, in the way QEMU takes them.
//!
//! ```text
//!   byte   0        pool files: Forebay alone
//!   bytes 100 + n   "I use the image in way n"        n: 0 read, 1 write, 3 resize
//!   bytes 200 + n   "nobody else may use it in way n"
//! ```
//! All are locks of the open file description (OFD), so they end with the last user of the very file that does the
//! I/O, requests still in the kernel included. QEMU takes shared locks on the bytes that apply to it and then asks
//! whether an exclusive lock on the opposite bytes would be possible, without taking it; so do we, and therefore both
//! refuse each other. Advisory: programs that take no locks are not held back.

use std::fs::File;
use std::io;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, fcntl};

use super::Access;

/// Which lock a file is opened with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    /// None: for looking at files that others may be using.
    None,
    /// As a QEMU guest's disk is locked: one writer, or any number of readers. For backings.
    Image,
    /// Byte 0: one writer, or any number of readers. For files of Forebay's own.
    Exclusive,
}

/// The byte of [`Lock::Exclusive`]; QEMU's begin at 100.
const EXCLUSIVE_BYTE: i64 = 0;
const USED_BASE: i64 = 100;
const UNSHARED_BASE: i64 = 200;
/// Ways to use an image, numbered as QEMU numbers its permissions. The way between (2) writes what is there already.
const READ: i64 = 0;
const WRITE: i64 = 1;
const RESIZE: i64 = 3;

/// Takes `lock` on the description of `file`. Returns false if another process's lock forbids it; locks taken so far
/// then stay until the file is closed.
pub(super) fn acquire(file: &File, lock: Lock, access: Access) -> io::Result<bool> {
    match lock {
        Lock::None => Ok(true),
        Lock::Exclusive => {
            let kind = match access {
                Access::ReadWrite => libc::F_WRLCK,
                Access::ReadOnly => libc::F_RDLCK,
            };
            take(file, EXCLUSIVE_BYTE, kind)
        }
        Lock::Image => {
            let used: &[i64] = match access {
                Access::ReadWrite => &[READ, WRITE, RESIZE],
                Access::ReadOnly => &[READ],
            };
            acquire_image(file, used, &[WRITE, RESIZE])
        }
    }
}

/// First takes, then asks: of two who do this at once at least one sees the other.
fn acquire_image(file: &File, used: &[i64], unshared: &[i64]) -> io::Result<bool> {
    for byte in used.iter().map(|way| USED_BASE + way).chain(unshared.iter().map(|way| UNSHARED_BASE + way)) {
        if !take(file, byte, libc::F_RDLCK)? {
            return Ok(false);
        }
    }
    for byte in unshared.iter().map(|way| USED_BASE + way).chain(used.iter().map(|way| UNSHARED_BASE + way)) {
        if !could_take_alone(file, byte)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn take(file: &File, byte: i64, kind: libc::c_int) -> io::Result<bool> {
    match fcntl(file, FcntlArg::F_OFD_SETLK(&one_byte(byte, kind))) {
        Ok(_) => Ok(true),
        Err(Errno::EAGAIN | Errno::EACCES) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn could_take_alone(file: &File, byte: i64) -> io::Result<bool> {
    let mut answer = one_byte(byte, libc::F_WRLCK);
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
    use super::*;

    #[test]
    fn the_locked_bytes_are_those_of_a_guest_of_qemu() {
        let path = std::env::temp_dir().join(format!("forebay-lock-{}", std::process::id()));
        let held_with = |lock, access| {
            let open = || File::options().read(true).write(true).create(true).truncate(false).open(&path);
            let (holder, other) = (open().expect("it is ours"), open().expect("it is ours"));
            assert!(acquire(&holder, lock, access).expect("the file system locks"));
            let is_held = |byte: &i64| !could_take_alone(&other, *byte).expect("the file system locks");
            (0..400).filter(is_held).collect::<Vec<_>>()
        };
        assert_eq!(held_with(Lock::Image, Access::ReadWrite), [100, 101, 103, 201, 203]);
        assert_eq!(held_with(Lock::Image, Access::ReadOnly), [100, 201, 203]);
        assert_eq!(held_with(Lock::Exclusive, Access::ReadWrite), [0]);
        assert!(held_with(Lock::None, Access::ReadWrite).is_empty());
        std::fs::remove_file(&path).expect("it is ours");
    }
}
