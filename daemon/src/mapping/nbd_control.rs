//! Commands of the kernel's NBD client, by generic netlink.
//!
//! Numbers are those of `include/uapi/linux/nbd-netlink.h`, the same from Linux 5.14 on. All commands need `CAP_SYS_ADMIN`.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType, bind, recv, send, setsockopt,
    socket, sockopt,
};
use nix::sys::time::TimeVal;

use super::netlink::{self, AttributeList, KernelMessage, attribute, attributes, u16_of, u32_of};

/// The family that resolves names of families (`GENL_ID_CTRL`).
const FAMILY_OF_FAMILIES: u16 = 16;
const GET_FAMILY: u8 = 3;
const FAMILY: &str = "nbd";
const GROUP: &[u8] = b"nbd_mc_group\0";
const DATAGRAM_BYTES_MAX: usize = 32 << 10;

/// Attributes of the family of families (`CTRL_ATTR_*`).
mod family_attribute {
    pub(super) const ID: u16 = 1;
    pub(super) const NAME: u16 = 2;
    pub(super) const GROUPS: u16 = 7;
    pub(super) const GROUP_NAME: u16 = 1;
    pub(super) const GROUP_ID: u16 = 2;
}

/// Commands (`NBD_CMD_*` of nbd-netlink.h).
mod command {
    pub(super) const CONNECT: u8 = 1;
    pub(super) const DISCONNECT: u8 = 2;
    pub(super) const RECONFIGURE: u8 = 3;
    pub(super) const LINK_DEAD: u8 = 4;
}

/// Attributes (`NBD_ATTR_*`).
mod nbd_attribute {
    pub(super) const INDEX: u16 = 1;
    pub(super) const SIZE_BYTES: u16 = 2;
    pub(super) const BLOCK_SIZE_BYTES: u16 = 3;
    pub(super) const TIMEOUT: u16 = 4;
    pub(super) const SERVER_FLAGS: u16 = 5;
    pub(super) const SOCKETS: u16 = 7;
    pub(super) const DEAD_CONN_TIMEOUT: u16 = 8;
    pub(super) const BACKEND_IDENTIFIER: u16 = 10;
    pub(super) const SOCKET_ITEM: u16 = 1;
    pub(super) const SOCKET_FD: u16 = 1;
}

/// The terms of a new device.
#[derive(Clone, Copy, Debug)]
pub(super) struct NbdTerms<'a> {
    /// Bytes of the disk.
    pub(super) size: u64,
    /// Logical and physical block size in bytes: a power of two from 512 to a page.
    pub(super) block_bytes: u64,
    /// The flags of the export, as it was negotiated.
    pub(super) export_flags: u16,
    /// Time that requests wait for a new connection if there is none.
    pub(super) reconnect_time_max: Duration,
    /// Identifier that the kernel keeps with the device, and requires of a new connection.
    pub(super) backend: &'a str,
}

/// The kernel's NBD client.
pub(super) struct NbdControl {
    socket: OwnedFd,
    family: u16,
    group: Option<u32>,
    sequence: u32,
}

impl NbdControl {
    /// Resolves the family `nbd`.
    ///
    /// # Errors
    /// `NotFound` if the module is not loaded; those of netlink sockets.
    pub(super) fn open() -> io::Result<Self> {
        let mut control =
            Self { socket: open_socket()?, family: FAMILY_OF_FAMILIES, group: None, sequence: 0 };
        let name = AttributeList::default().text(family_attribute::NAME, FAMILY);
        let (family, group) = control
            .request(GET_FAMILY, &name, |content| {
                let id = attribute(content, family_attribute::ID).and_then(u16_of);
                (id, attribute(content, family_attribute::GROUPS).and_then(group_of))
            })?
            .unwrap_or_default();
        control.family = family.ok_or(io::ErrorKind::NotFound)?;
        control.group = group;
        Ok(control)
    }

    /// Makes a device of a connection that is negotiated, and returns its number. The kernel keeps the connection.
    ///
    /// # Errors
    /// Errors of the kernel: `EPERM` without privileges, `EINVAL` for terms that it cannot keep.
    pub(super) fn connect(&mut self, terms: &NbdTerms, connection: BorrowedFd) -> io::Result<u32> {
        use nbd_attribute::{
            BACKEND_IDENTIFIER, BLOCK_SIZE_BYTES, DEAD_CONN_TIMEOUT, INDEX, SERVER_FLAGS, SIZE_BYTES, TIMEOUT,
        };
        let list = AttributeList::default()
            .u64(SIZE_BYTES, terms.size)
            .u64(BLOCK_SIZE_BYTES, terms.block_bytes)
            // A request may take as long as the storage does: no timeout ends a connection.
            .u64(TIMEOUT, 0)
            .u64(DEAD_CONN_TIMEOUT, terms.reconnect_time_max.as_secs())
            .u64(SERVER_FLAGS, u64::from(terms.export_flags))
            .text(BACKEND_IDENTIFIER, terms.backend);
        let index = self.request(command::CONNECT, &with_socket(list, connection), |content| {
            attribute(content, INDEX).and_then(u32_of)
        })?;
        index.flatten().ok_or_else(|| io::Error::other("the kernel does not say which device it made"))
    }

    /// Gives a device another connection in place of a broken one. If none is broken, the kernel reports
    /// success as well, and closes the new connection.
    ///
    /// # Errors
    /// Errors of the kernel: `EINVAL` for another `backend`, or after [`Self::disconnect`].
    pub(super) fn reconnect(&mut self, index: u32, backend: &str, connection: BorrowedFd) -> io::Result<()> {
        let list = AttributeList::default()
            .u32(nbd_attribute::INDEX, index)
            .text(nbd_attribute::BACKEND_IDENTIFIER, backend);
        self.request(command::RECONFIGURE, &with_socket(list, connection), |_| ()).map(drop)
    }

    /// Notifies the users of a device of its new size in bytes. Waits for requests in flight.
    ///
    /// # Errors
    /// Errors of the kernel.
    pub(super) fn resize(&mut self, index: u32, backend: &str, size_bytes: u64) -> io::Result<()> {
        use nbd_attribute::{BACKEND_IDENTIFIER, INDEX, SIZE_BYTES};
        let list = AttributeList::default()
            .u32(INDEX, index)
            .text(BACKEND_IDENTIFIER, backend)
            .u64(SIZE_BYTES, size_bytes);
        self.request(command::RECONFIGURE, &list, |_| ()).map(drop)
    }

    /// Ends a device. Requests in flight fail, and it is removed once no process has it open.
    ///
    /// # Errors
    /// Errors of the kernel.
    pub(super) fn disconnect(&mut self, index: u32) -> io::Result<()> {
        let list = AttributeList::default().u32(nbd_attribute::INDEX, index);
        self.request(command::DISCONNECT, &list, |_| ()).map(drop)
    }

    /// Subscribes to connections that break.
    ///
    /// # Errors
    /// Errors of netlink sockets.
    pub(super) fn listen(&self) -> io::Result<BrokenLinks> {
        let group = self.group.ok_or(io::ErrorKind::Unsupported)?;
        let socket = open_socket()?;
        join(&socket, group)?;
        Ok(BrokenLinks { socket, family: self.family })
    }

    /// Sends a request, and waits until it has ended. Returns the result of `read` for the last answer, if
    /// there was one.
    fn request<T>(
        &mut self,
        command: u8,
        attributes: &AttributeList,
        read: impl Fn(&[u8]) -> T,
    ) -> io::Result<Option<T>> {
        self.sequence += 1;
        let bytes = netlink::request(self.family, command, self.sequence, attributes);
        send(self.socket.as_raw_fd(), &bytes, MsgFlags::MSG_NOSIGNAL)?;
        let mut datagram = vec![0; DATAGRAM_BYTES_MAX];
        let mut answer = None;
        loop {
            let length = retry(|| recv(self.socket.as_raw_fd(), &mut datagram, MsgFlags::empty()))?;
            for message in netlink::messages(&datagram[..length]) {
                match message {
                    KernelMessage::Content { family, attributes, .. } if family == self.family => {
                        answer = Some(read(attributes));
                    }
                    KernelMessage::End { sequence, error } if sequence == self.sequence => {
                        return if error == 0 {
                            Ok(answer)
                        } else {
                            Err(io::Error::from_raw_os_error(error))
                        };
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Notifications of broken connections, from [`NbdControl::listen`] on.
pub(super) struct BrokenLinks {
    socket: OwnedFd,
    family: u16,
}

impl BrokenLinks {
    /// Waits until a connection breaks. Returns false if none does within `time`.
    ///
    /// # Errors
    /// Errors of netlink sockets.
    pub(super) fn wait(&self, time: Duration) -> io::Result<bool> {
        let time = TimeVal::new(time.as_secs().cast_signed(), time.subsec_micros().into());
        setsockopt(&self.socket, sockopt::ReceiveTimeout, &time)?;
        let mut datagram = vec![0; DATAGRAM_BYTES_MAX];
        match recv(self.socket.as_raw_fd(), &mut datagram, MsgFlags::empty()) {
            Ok(length) => Ok(netlink::messages(&datagram[..length]).any(|message| {
                matches!(message, KernelMessage::Content { family, command: command::LINK_DEAD, .. }
                    if family == self.family)
            })),
            // More broke than the socket can buffer.
            Err(Errno::ENOBUFS) => Ok(true),
            Err(Errno::EAGAIN | Errno::EINTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// Joins a multicast group of generic netlink.
fn join(socket: &OwnedFd, group: u32) -> io::Result<()> {
    let bytes = libc::socklen_t::try_from(size_of::<u32>()).expect("four bytes");
    // SAFETY: the pointer leads to `bytes` bytes that live longer than the call, which only reads them.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_NETLINK,
            libc::NETLINK_ADD_MEMBERSHIP,
            (&raw const group).cast(),
            bytes,
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn open_socket() -> io::Result<OwnedFd> {
    let protocol = SockProtocol::NetlinkGeneric;
    let socket = socket(AddressFamily::Netlink, SockType::Raw, SockFlag::SOCK_CLOEXEC, protocol)?;
    bind(socket.as_raw_fd(), &NetlinkAddr::new(0, 0))?;
    Ok(socket)
}

fn with_socket(list: AttributeList, connection: BorrowedFd) -> AttributeList {
    use nbd_attribute::{SOCKET_FD, SOCKET_ITEM, SOCKETS};
    let fd = u32::try_from(connection.as_raw_fd()).expect("an open file has a number");
    let item = AttributeList::default().u32(SOCKET_FD, fd);
    list.nested(SOCKETS, &AttributeList::default().nested(SOCKET_ITEM, &item))
}

/// Returns the number of the multicast group among those of the family.
fn group_of(groups: &[u8]) -> Option<u32> {
    attributes(groups).find_map(|(_, group)| {
        (attribute(group, family_attribute::GROUP_NAME)? == GROUP).then_some(())?;
        attribute(group, family_attribute::GROUP_ID).and_then(u32_of)
    })
}

fn retry<T>(mut call: impl FnMut() -> nix::Result<T>) -> nix::Result<T> {
    loop {
        match call() {
            Err(Errno::EINTR) => {}
            outcome => return outcome,
        }
    }
}
