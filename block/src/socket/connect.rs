//! Reaching a server, which a client's socket does and a door's does not; and how a socket over TCP is set up on either side.
//!
//! No names are looked up here: that blocks, and is done where blocking does no harm.

use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use io_uring::{opcode, types};
use nix::sys::socket::{
    AddressFamily, SockFlag, SockType, SockaddrIn, SockaddrIn6, SockaddrLike, UnixAddr, setsockopt, socket,
    sockopt,
};

use super::{Stream, outcome};
use crate::uring::{IfDropped, Keep, Ring};

/// Time in seconds after which a silent peer over TCP is probed, and between two such probes.
const KEEP_ALIVE_SECONDS: u32 = 7;
/// Number of unanswered probes that end the connection.
const KEEP_ALIVE_PROBES: u32 = 3;

impl Stream {
    /// Connects to the Unix socket at `path`, at once or not at all: through the ring, a connect that waits for a server whose queue is
    /// full cannot be cancelled reliably.
    ///
    /// # Errors
    /// Those of connect(2): `WouldBlock` if the server does not take the connections that wait for it already; and
    /// `InvalidInput` for a path of more than 107 bytes.
    pub fn connect_unix(ring: &Ring, path: &Path) -> io::Result<Self> {
        let address = UnixAddr::new(path)?;
        let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
        let socket = socket(AddressFamily::Unix, SockType::Stream, flags, None)?;
        nix::sys::socket::connect(socket.as_raw_fd(), &address)?;
        Self::from_std(ring, socket)
    }

    /// Connects to `address`; small messages are sent at once, and a peer that vanishes while the connection is idle is noticed within half
    /// a minute. Waits as long as the system tries, minutes if there is no answer; dropping the future cancels it.
    ///
    /// # Errors
    /// Those of connect(2).
    pub async fn connect_tcp(ring: &Ring, address: SocketAddr) -> io::Result<Self> {
        let stream = match address {
            SocketAddr::V4(address) => connect(ring, AddressFamily::Inet, SockaddrIn::from(address)).await?,
            SocketAddr::V6(address) => {
                connect(ring, AddressFamily::Inet6, SockaddrIn6::from(address)).await?
            }
        };
        stream.set_up_tcp()?;
        Ok(stream)
    }

    /// Sets up a TCP socket so that small messages are sent at once, and a peer that vanishes is noticed within half a minute while the
    /// connection is idle.
    ///
    /// # Errors
    /// Those of setsockopt(2).
    pub fn set_up_tcp(&self) -> io::Result<()> {
        let socket = self.as_fd();
        setsockopt(&socket, sockopt::TcpNoDelay, &true)?;
        setsockopt(&socket, sockopt::KeepAlive, &true)?;
        setsockopt(&socket, sockopt::TcpKeepIdle, &KEEP_ALIVE_SECONDS)?;
        setsockopt(&socket, sockopt::TcpKeepInterval, &KEEP_ALIVE_SECONDS)?;
        setsockopt(&socket, sockopt::TcpKeepCount, &KEEP_ALIVE_PROBES)?;
        Ok(())
    }
}

async fn connect<A: SockaddrLike + Unpin + 'static>(
    ring: &Ring,
    family: AddressFamily,
    address: A,
) -> io::Result<Stream> {
    let socket = Arc::new(socket(family, SockType::Stream, SockFlag::SOCK_CLOEXEC, None)?);
    let keep = Connecting { _socket: Arc::clone(&socket), address: Box::new(address) };
    let fd = types::Fd(socket.as_raw_fd());
    let entry = opcode::Connect::new(fd, keep.address.as_ptr(), keep.address.len()).build();
    // SAFETY: `keep` owns the socket and the boxed address that the entry points to.
    let (_, result) = unsafe { ring.run(entry, keep) }.await;
    outcome(result)?;
    Ok(Stream { ring: ring.clone(), socket })
}

struct Connecting<A> {
    _socket: Arc<OwnedFd>,
    address: Box<A>,
}

impl<A: Unpin + 'static> Keep for Connecting<A> {
    const IF_DROPPED: IfDropped = IfDropped::Cancel;
}
