//! Unix sockets of the daemon: access rights, and the replacement of existing files.
//!
//! A socket file that a dead process left is replaced, whatever its owner; one with a listener never is.
//!
//! ```text
//!   new:     bind, closed to all ── chmod, chown ── listen        no client can connect before the last step
//!   change:  chmod to the bits that old and new share ── chown ── chmod to the new
//! ```
//! At no moment can a user connect whom neither the old rights nor the new ones allow.

use std::fs;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

use nix::errno::Errno;
use nix::sys::socket::{self, AddressFamily, Backlog, SockFlag, SockType, UnixAddr};
use nix::sys::stat::{Mode, fchmod};
use nix::unistd::{Gid, chown, getegid, geteuid};

use crate::error::{Error, Result};
use crate::rights::{GroupChoice, Rights, own_user};

/// Maximum length of a Unix socket's path in bytes, by the system's address format.
const PATH_MAX: usize = 107;
/// Number of connections that may wait to be accepted; the system refuses more for a moment.
const BACKLOG: i32 = 128;

/// The system's table of Unix sockets.
const SOCKETS: &str = "/proc/net/unix";
/// Flag of a listening socket in that table (`__SO_ACCEPTCON`).
const ACCEPTS: u32 = 1 << 16;

/// Refuses a path to which the system cannot bind.
///
/// # Errors
/// If it has more bytes than an address can have.
pub fn check_length(path: &Path) -> Result<()> {
    let length = path.as_os_str().len();
    if length <= PATH_MAX {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "Cannot listen on socket {}: its path has {length} bytes and the system allows {PATH_MAX}; choose a shorter \
         folder (--run-dir) or a shorter name",
        path.display()
    )))
}

/// Listens at `path`, for users allowed by `rights`.
///
/// # Errors
/// If the path is too long, has a listener or is of another type, if the rights cannot be set, or if the system refuses. Then nothing is
/// left.
pub fn listen(path: &Path, rights: &Rights) -> Result<UnixListener> {
    check_free(path)?;
    let failed = |error: Errno| {
        Error::failed(format!("Cannot listen on socket {}: {error}; check its folder", path.display()))
    };
    let listener = socket::socket(AddressFamily::Unix, SockType::Stream, SockFlag::SOCK_CLOEXEC, None)
        .map_err(failed)?;
    // Linux gives the file the rights that the socket has when it is bound.
    fchmod(&listener, Mode::empty()).map_err(failed)?;
    let address = UnixAddr::new(path).map_err(failed)?;
    socket::bind(listener.as_raw_fd(), &address).map_err(failed)?;
    let backlog = Backlog::new(BACKLOG).expect("the number is within what the system takes");
    set_mode(path, rights.mode)
        .and_then(|()| give(path, rights))
        .and_then(|()| socket::listen(&listener, backlog).map_err(failed))
        .inspect_err(|_| remove(path))?;
    Ok(listener.into())
}

/// Identity of a socket's file. Its path may lead to another one later, or nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SocketFile {
    device: u64,
    inode: u64,
}

/// Returns the file of the socket at `path`; none if there is no socket.
pub fn file_at(path: &Path) -> Option<SocketFile> {
    let found = fs::symlink_metadata(path).ok().filter(|found| found.file_type().is_socket())?;
    Some(SocketFile { device: found.dev(), inode: found.ino() })
}

/// Changes the rights of the socket at `path` from `before` to `after`.
///
/// # Errors
/// If the daemon may not do so. Then it has the earlier rights.
pub fn change_rights(path: &Path, before: &Rights, after: &Rights) -> Result<()> {
    let change = |from: u32, to: &Rights| {
        set_mode(path, from & to.mode).and_then(|()| give(path, to)).and_then(|()| set_mode(path, to.mode))
    };
    change(before.mode, after).inspect_err(|_| {
        // The owner may be either one now: closed to all until it is known again.
        if let Err(problem) = change(0, before) {
            tracing::error!("While taking back a change of rights: {problem}");
        }
    })
}

/// Removes the file of a socket that no longer listens. A missing file is no error.
pub fn remove(path: &Path) {
    if let Err(error) = fs::remove_file(path)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!("Cannot remove socket {}: {error}; the next start tries again", path.display());
    }
}

/// Refuses a path that has a listener, or is of another type. A start calls it before it changes anything.
///
/// # Errors
/// As [`listen`].
pub fn check_free(path: &Path) -> Result<()> {
    check_length(path)?;
    remove_stale(path)
}

/// Removes the socket that a dead process left at `path`, and nothing else.
fn remove_stale(path: &Path) -> Result<()> {
    let Ok(found) = fs::symlink_metadata(path) else { return Ok(()) };
    if !found.file_type().is_socket() {
        return Err(Error::conflict(format!(
            "Cannot listen on socket {}: something that is no socket is there; move it away",
            path.display()
        )));
    }
    match UnixStream::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            remove(path);
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        // It belongs to another user, and this one may not connect to it: the system lists the listeners.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && !is_listened_on(path) => {
            remove(path);
            Ok(())
        }
        _ => Err(Error::conflict(format!(
            "Cannot listen on socket {}: another process does so already; stop that one first, or use another folder \
             (--run-dir)",
            path.display()
        ))),
    }
}

/// Returns true if some process of this host listens at `path`, or if that is unknown.
fn is_listened_on(path: &Path) -> bool {
    fs::read_to_string(SOCKETS).map_or(true, |table| lists_listener(&table, path))
}

/// Returns true if a table of the system's Unix sockets has a listener with the file name of `path`, in any folder: the table has paths as
/// they were bound, which may have been relative or through a link.
fn lists_listener(table: &str, path: &Path) -> bool {
    // Num RefCount Protocol Flags Type St Inode Path
    table.lines().skip(1).any(|line| {
        let mut fields = line.split_ascii_whitespace();
        let flags = fields.nth(3).and_then(|flags| u32::from_str_radix(flags, 16).ok());
        let bound = fields.nth(3).map(Path::new);
        flags.is_none_or(|flags| flags & ACCEPTS != 0)
            && bound.is_some_and(|bound| bound.file_name() == path.file_name())
    })
}

fn set_mode(path: &Path, mode: u32) -> Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).map_err(|error| {
        Error::failed(format!("Cannot set the mode of socket {} to {mode:04o}: {error}", path.display()))
    })
}

/// Sets the owner and the group of the socket.
fn give(path: &Path, rights: &Rights) -> Result<()> {
    let owner = rights.owner.unwrap_or_else(geteuid);
    let give_to = |group: Gid| chown(path, Some(owner), Some(group));
    let outcome = match rights.group {
        GroupChoice::Own => give_to(getegid()),
        GroupChoice::Demanded(group) => give_to(group),
        GroupChoice::IfAllowed(group) => match give_to(group) {
            // A user outside the group cannot set it, and runs the daemon for himself.
            Err(Errno::EPERM) => give_to(getegid()),
            outcome => outcome,
        },
    };
    outcome.map_err(|error| match error {
        Errno::EPERM => not_allowed(path, rights),
        error => Error::failed(format!("Cannot set the owner of socket {}: {error}", path.display())),
    })
}

fn not_allowed(path: &Path, rights: &Rights) -> Error {
    let (me, name) = (geteuid(), own_user());
    let (what, advice) = match (rights.owner, rights.group) {
        (Some(owner), _) if owner != me => (
            format!("user {owner}"),
            "only root may; use socket-group instead, with a group that this user is in".to_owned(),
        ),
        (_, GroupChoice::Demanded(group) | GroupChoice::IfAllowed(group)) => (
            format!("group {group}"),
            format!(
                "put this user in that group (`usermod -aG {group} {name}`, by the group's name) and restart the daemon"
            ),
        ),
        (_, GroupChoice::Own) => ("its own group".to_owned(), "run it as root".to_owned()),
    };
    Error::conflict(format!(
        "Cannot give socket {} to {what}: the daemon runs as user '{name}', which is not allowed to; {advice}",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TempDir;

    const OWN: Rights = Rights { owner: None, group: GroupChoice::Own, mode: 0o660 };

    fn mode_of(path: &Path) -> u32 {
        fs::metadata(path).expect("it is there").permissions().mode() & 0o7777
    }

    #[test]
    fn a_socket_that_a_dead_process_left_is_replaced_and_a_living_one_is_not() {
        let dir = TempDir::new();
        let path = dir.path().join("s.sock");
        let alive = listen(&path, &OWN).expect("nothing is there");
        assert!(listen(&path, &OWN).unwrap_err().message.contains("another process"));
        drop(alive);
        assert!(path.exists(), "the file outlives its listener");
        listen(&path, &OWN).expect("nobody listens any more");
        assert_eq!(mode_of(&path), 0o660);
    }

    #[test]
    fn the_table_of_the_system_says_who_listens_under_a_name_however_it_was_bound() {
        let dir = TempDir::new();
        let path = dir.path().join("listed-in-the-table.sock");
        let bound = UnixListener::bind(&path).expect("nothing is there");
        assert!(is_listened_on(&path));
        let elsewhere = Path::new("/another/folder/listed-in-the-table.sock");
        assert!(is_listened_on(elsewhere), "it may be the same one through a link");
        drop(bound);
        assert!(path.exists() && !is_listened_on(&path), "its process is gone");
        let head = "Num RefCount Protocol Flags Type St Inode Path\n";
        let line =
            |flags: &str| format!("{head}0000000000000000: 00000002 00000000 {flags} 0001 01 7 run/a.sock\n");
        assert!(lists_listener(&line("00010000"), Path::new("/run/a.sock")));
        assert!(
            !lists_listener(&line("00000000"), Path::new("/run/a.sock")),
            "a connection to one that is gone"
        );
        assert!(!lists_listener(&line("00010000"), Path::new("/run/b.sock")));
        assert!(!lists_listener(head, Path::new("/run/a.sock")));
    }

    #[test]
    fn what_is_no_socket_is_left_alone() {
        let dir = TempDir::new();
        let path = dir.path().join("s.sock");
        fs::write(&path, "precious").expect("the folder is ours");
        assert!(listen(&path, &OWN).unwrap_err().message.contains("no socket"));
        assert_eq!(fs::read(&path).expect("still there"), b"precious");
    }

    #[test]
    fn a_path_that_is_too_long_is_refused_with_that_reason() {
        let path = Path::new("/").join("x".repeat(PATH_MAX));
        let problem = listen(&path, &OWN).unwrap_err();
        assert!(problem.message.contains("108 bytes") && problem.message.contains("107"), "{problem}");
    }

    #[test]
    fn a_socket_has_exactly_the_mode_that_was_asked_for_whatever_the_umask() {
        let dir = TempDir::new();
        for mode in [0o777, 0o600, 0o000, 0o606] {
            let path = dir.path().join(format!("{mode:o}.sock"));
            let _listener = listen(&path, &Rights { mode, ..OWN }).expect("the folder is ours");
            assert_eq!(mode_of(&path), mode);
        }
    }

    #[test]
    fn rights_change_while_the_socket_is_listened_on() {
        let dir = TempDir::new();
        let path = dir.path().join("s.sock");
        let _listener = listen(&path, &OWN).expect("nothing is there");
        let after = Rights { mode: 0o606, ..OWN };
        change_rights(&path, &OWN, &after).expect("it is ours");
        assert_eq!(mode_of(&path), 0o606);
        UnixStream::connect(&path).expect("it is listened on as before");
    }
}
