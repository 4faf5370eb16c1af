//! Unix sockets that the daemon listens on: who may connect, and what happens to what was there before.
//!
//! A socket file that a dead process left is replaced; one that somebody listens on never is. Sockets are born closed
//! to strangers (the process runs with a umask that sees to it) and are then opened to the group `forebay`, if there is one.

use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

use nix::unistd::{Group, chown};

use crate::problem::{Answer, Problem};

/// The longest path of a Unix socket in bytes, by the system's address format.
const PATH_MAX: usize = 107;
/// Owner and group may connect.
const MODE: u32 = 0o660;
/// Members of this group may connect, if the host has it.
const GROUP: &str = "forebay";

/// Refuses a path that the system cannot bind.
pub(crate) fn check_length(path: &Path) -> Answer<()> {
    let length = path.as_os_str().len();
    if length <= PATH_MAX {
        return Ok(());
    }
    Err(Problem::invalid(format!(
        "Cannot listen on socket {}: its path has {length} bytes and the system allows {PATH_MAX}; choose a shorter \
         folder (--run-dir) or a shorter name",
        path.display()
    )))
}

/// Listens at `path`.
///
/// # Errors
/// If the path is too long, somebody listens there, something else is there, or the system refuses.
pub(crate) fn listen(path: &Path) -> Answer<UnixListener> {
    check_length(path)?;
    remove_stale(path)?;
    let failed = |action: &str, error: io::Error| {
        Problem::failed(format!("Cannot {action} socket {}: {error}; check its folder", path.display()))
    };
    let listener = UnixListener::bind(path).map_err(|error| failed("listen on", error))?;
    let opened = give_to_group(path)
        .and_then(|()| fs::set_permissions(path, fs::Permissions::from_mode(MODE)))
        .map_err(|error| failed("set the rights of", error));
    opened.inspect_err(|_| remove(path))?;
    Ok(listener)
}

/// Removes the file of a socket that is no longer listened on. A missing file is as good.
pub(crate) fn remove(path: &Path) {
    if let Err(error) = fs::remove_file(path)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!("Cannot remove socket {}: {error}; the next start tries again", path.display());
    }
}

/// Removes what a dead process left at `path`, and nothing else.
fn remove_stale(path: &Path) -> Answer<()> {
    let Ok(found) = fs::symlink_metadata(path) else { return Ok(()) };
    if !found.file_type().is_socket() {
        return Err(Problem::conflict(format!(
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
        _ => Err(Problem::conflict(format!(
            "Cannot listen on socket {}: another process does so already; stop that one first, or use another folder \
             (--run-dir)",
            path.display()
        ))),
    }
}

fn give_to_group(path: &Path) -> io::Result<()> {
    // A host whose group file cannot be read is treated as one without the group: only the owner gets in.
    let Some(group) = Group::from_name(GROUP).ok().flatten() else { return Ok(()) };
    match chown(path, None, Some(group.gid)) {
        // One who is not in the group cannot give it anything, and runs the daemon for himself.
        Err(nix::errno::Errno::EPERM) => Ok(()),
        outcome => Ok(outcome?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TempDir;

    #[test]
    fn a_socket_that_a_dead_process_left_is_replaced_and_a_living_one_is_not() {
        let dir = TempDir::new();
        let path = dir.path().join("s.sock");
        let alive = listen(&path).expect("nothing is there");
        assert!(listen(&path).unwrap_err().message.contains("another process"));
        drop(alive);
        assert!(path.exists(), "the file outlives its listener");
        listen(&path).expect("nobody listens any more");
        let mode = fs::metadata(&path).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, MODE);
    }

    #[test]
    fn what_is_no_socket_is_left_alone() {
        let dir = TempDir::new();
        let path = dir.path().join("s.sock");
        fs::write(&path, "precious").expect("the folder is ours");
        assert!(listen(&path).unwrap_err().message.contains("no socket"));
        assert_eq!(fs::read(&path).expect("still there"), b"precious");
    }

    #[test]
    fn a_path_that_is_too_long_is_refused_with_that_reason() {
        let path = Path::new("/").join("x".repeat(PATH_MAX));
        let problem = listen(&path).unwrap_err();
        assert!(problem.message.contains("108 bytes") && problem.message.contains("107"), "{problem}");
    }
}
