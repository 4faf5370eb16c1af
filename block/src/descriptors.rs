//! Descriptors that connections leave to the process, which opens files of its own for a moment: durable records above all, and files for
//! changes of a disk.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use nix::sys::resource::{Resource, getrlimit};

/// Descriptors that are kept back, at most.
const RESERVE_MAX: u64 = 64;
/// Inverse of the share that is kept back where the process may have few.
const RESERVE_SHARE: u64 = 8;

/// Checks that there is room for a connection beside the descriptors that are kept back. `open` is any descriptor of the process.
///
/// # Errors
/// Out of files (EMFILE), with the limit, the number that is kept back and a remedy.
pub(crate) fn check_room(open: impl AsFd) -> io::Result<()> {
    let (limit, _) = getrlimit(Resource::RLIMIT_NOFILE)?;
    let reserve = (limit / RESERVE_SHARE).min(RESERVE_MAX);
    // The system assigns the lowest free number, so this one is the number of those in use.
    let next = open.as_fd().try_clone_to_owned().map(|next| u64::from(next.as_raw_fd().unsigned_abs()));
    match next {
        Ok(next) if next < limit - reserve => Ok(()),
        Err(error) if error.raw_os_error() != Some(libc::EMFILE) => Err(error),
        Ok(_) | Err(_) => Err(io::Error::other(format!(
            "too many open files: the process may have {limit}, {reserve} of which are for its own; raise the limit \
             (`LimitNOFILE=` of the service, `ulimit -n`), or disconnect guests"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn there_is_room_for_a_connection_as_long_as_few_files_are_open() {
        check_room(File::open("/dev/null").expect("it is there")).expect("this process has few files");
    }
}
