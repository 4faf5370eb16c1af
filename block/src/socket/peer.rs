//! Identity of the other end of a connection.

use std::fmt;
use std::net::{IpAddr, SocketAddr};

use nix::sys::socket::{SockaddrStorage, getpeername, getsockopt, sockopt};

use super::Stream;

/// The other end of a connection, as far as the system knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// A process of this host that connected over a Unix socket. Others may have inherited the connection since.
    Process(u32),
    /// The kernel of this host, on behalf of users of a device that it shows.
    Kernel,
    /// An address of TCP.
    Address(SocketAddr),
    /// A process that is not visible from here, as from outside of a container, or a connection that has ended.
    Unknown,
}

/// The beginning of the abstract names of connections that a privileged command makes and gives to the kernel of this host.
pub const KERNEL_PEER: &str = "forebay-map/";

impl Stream {
    /// Returns who is at the other end.
    pub fn peer(&self) -> Peer {
        let address = getpeername::<SockaddrStorage>(std::os::fd::AsRawFd::as_raw_fd(&self.as_fd()));
        if let Ok(address) = address {
            let v4 = address.as_sockaddr_in().map(|v4| SocketAddr::new(IpAddr::V4(v4.ip()), v4.port()));
            let v6 = || address.as_sockaddr_in6().map(|v6| SocketAddr::new(IpAddr::V6(v6.ip()), v6.port()));
            if let Some(address) = v4.or_else(v6) {
                return Peer::Address(address);
            }
        }
        let credentials = getsockopt(&self.as_fd(), sockopt::PeerCredentials).ok();
        let name = address.ok().and_then(|address| Some(address.as_unix_addr()?.as_abstract()?.to_vec()));
        if is_of_kernel(name.as_deref(), credentials.map(|credentials| credentials.uid())) {
            return Peer::Kernel;
        }
        let id = credentials.and_then(|credentials| u32::try_from(credentials.pid()).ok());
        id.filter(|id| *id > 0).map_or(Peer::Unknown, Peer::Process)
    }
}

/// Returns true for the name of a connection that root made for the kernel. Others may take such a name too.
fn is_of_kernel(name: Option<&[u8]>, user: Option<u32>) -> bool {
    name.is_some_and(|name| name.starts_with(KERNEL_PEER.as_bytes())) && user == Some(0)
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Process(id) => write!(f, "process {id}"),
            Self::Kernel => f.write_str("programs of this host"),
            Self::Address(address) => write!(f, "{address}"),
            Self::Unknown => f.write_str("an unknown process"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_root_makes_connections_for_the_kernel() {
        let name = Some(&b"forebay-map/00ff/7-0"[..]);
        assert!(is_of_kernel(name, Some(0)));
        for (name, user) in
            [(name, Some(1000)), (name, None), (Some(&b"other"[..]), Some(0)), (None, Some(0))]
        {
            assert!(!is_of_kernel(name, user), "{name:?} of {user:?}");
        }
    }
}
