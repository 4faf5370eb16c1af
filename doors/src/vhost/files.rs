//! Kind of a file that a front end passed, determined without a call to the server of that file.
//!
//! Any process can pass any file, one of a file system in user space too, whose server may never answer: reading it, mapping it, waiting
//! for it or even closing it would then stop the thread of a shard, and all disks on it. So only files of the kernel's own memory, events
//! and Unix sockets are accepted; anything else is closed where blocking does no harm.

use std::os::fd::{AsRawFd, OwnedFd};

use nix::fcntl::{FcntlArg, fcntl};
use nix::sys::socket::{UnixAddr, getsockname};

/// Kind of a file, by its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An eventfd.
    Event,
    /// A memfd, or a file of tmpfs or hugetlbfs.
    Memory,
    /// A Unix socket.
    Socket,
}

impl Kind {
    /// Returns the kind of a file, if it is one that is taken.
    pub(crate) fn of(file: &OwnedFd) -> Option<Self> {
        // Linux answers this for files in memory only (fcntl(2), "File Sealing"), sealed or not.
        if fcntl(file, FcntlArg::F_GET_SEALS).is_ok() {
            return Some(Self::Memory);
        }
        if getsockname::<UnixAddr>(file.as_raw_fd()).is_ok() {
            return Some(Self::Socket);
        }
        // Reading a link of /proc follows nothing.
        let name = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()?;
        (name.as_os_str() == "anon_inode:[eventfd]").then_some(Self::Event)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::unix::net::UnixStream;

    use nix::sys::eventfd::EventFd;

    use super::*;
    use crate::vhost::memory::tests::file_of;

    #[test]
    fn only_memory_events_and_unix_sockets_are_taken() {
        assert_eq!(Kind::of(&file_of(4096)), Some(Kind::Memory));
        assert_eq!(Kind::of(&UnixStream::pair().unwrap().0.into()), Some(Kind::Socket));
        assert_eq!(Kind::of(&EventFd::new().unwrap().into()), Some(Kind::Event));
        for path in ["/dev/zero", "/dev/null", "/proc/self/stat", "/"] {
            assert_eq!(Kind::of(&File::open(path).unwrap().into()), None, "{path}");
        }
        assert_eq!(Kind::of(&std::io::pipe().unwrap().0.into()), None);
        let internet = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        assert_eq!(Kind::of(&internet.into()), None);
    }
}
