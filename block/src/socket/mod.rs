//! Stream sockets through the ring: for the listeners and connections of doors, and for devices that reach a server.
//!
//! Buffers move into an operation and return with its outcome. Dropping a future cancels the operation; bytes that were received or sent
//! until then are lost to the caller, so the stream can only be closed after that.
//!
//! No timeouts and no protocol here.

mod connect;
mod files;
mod incoming;
mod peer;
#[cfg(test)]
mod tests;

use std::future::Future;
use std::io;
use std::net::TcpListener;
use std::ops::Range;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::pin::{Pin, pin};
use std::ptr;
use std::sync::Arc;

use io_uring::{opcode, squeue, types};
use nix::errno::Errno;
use nix::sys::socket::Shutdown;

pub use files::{Received, close};
pub use incoming::Incoming;
pub use peer::{KERNEL_PEER, Peer};

use crate::Buffer;
use crate::descriptors::check_room;
use crate::uring::{IfDropped, Keep, Ring, StopOutcome};

/// The most chunks that one system call takes (`IOV_MAX` of Linux); longer sends take several.
const CHUNKS_PER_CALL: usize = 1024;
/// The longest path of a Unix socket in bytes, by the system's address format.
const PATH_MAX: usize = 107;
/// The most bytes that a [`Chunk::Inline`] holds: enough for the header of any reply.
pub const INLINE_MAX: usize = 64;

/// Flag: the kernel waits for bytes before it tries to receive (`IORING_RECVSEND_POLL_FIRST`, Linux 5.19).
const RECEIVE_WAITS_FIRST: u16 = 1;

/// Expected arrival of requested bytes. Either way bytes that are there are received at once.
#[derive(Clone, Copy)]
enum ArrivalHint {
    Now,
    /// The last time all was taken that there was.
    Later,
}

/// Waits for connections.
pub struct Listener {
    ring: Ring,
    socket: Arc<OwnedFd>,
}

/// A connection. Clones are the same one; it is closed when the last is gone and nothing is in flight.
#[derive(Clone)]
pub struct Stream {
    ring: Ring,
    socket: Arc<OwnedFd>,
}

/// A listener on its way to the thread of another ring. Connections meanwhile wait in the system's queue.
pub struct ListenerHandle(Arc<OwnedFd>);

/// A connection on its way to the thread of another ring. Bytes that the peer sends meanwhile wait in the system's buffers. Clones are the
/// same one.
#[derive(Clone)]
pub struct StreamHandle(Arc<OwnedFd>);

/// A socket from another party. Whether it is connected shows when it is used.
impl From<Arc<OwnedFd>> for StreamHandle {
    fn from(socket: Arc<OwnedFd>) -> Self {
        Self(socket)
    }
}

/// A piece of a message to send.
#[derive(Debug)]
pub enum Chunk {
    /// A few bytes, kept in place: headers.
    Inline {
        /// The bytes, from the start.
        bytes: [u8; INLINE_MAX],
        /// Number of bytes that are sent.
        len: u8,
    },
    /// A part of a buffer.
    Buffer {
        /// The buffer.
        buffer: Buffer,
        /// Range of the buffer that is sent.
        range: Range<usize>,
    },
    /// Bytes that were put together for this.
    Bytes(Vec<u8>),
}

impl Chunk {
    /// Returns a chunk that holds a copy of `bytes`, at most [`INLINE_MAX`] of them.
    pub fn inline(bytes: &[u8]) -> Self {
        assert!(bytes.len() <= INLINE_MAX, "{} bytes do not fit inline", bytes.len());
        let mut copy = [0; INLINE_MAX];
        copy[..bytes.len()].copy_from_slice(bytes);
        Self::Inline { bytes: copy, len: bytes.len() as u8 }
    }

    /// Returns the bytes that are sent.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Inline { bytes, len } => &bytes[..usize::from(*len)],
            Self::Buffer { buffer, range } => &buffer[range.clone()],
            Self::Bytes(bytes) => bytes,
        }
    }
}

impl Listener {
    /// Listens on a new Unix socket at `path`.
    ///
    /// # Errors
    /// Those of the system, with the path: it exists, its folder does not, or it is longer than 107 bytes.
    pub fn bind_unix(ring: &Ring, path: &Path) -> io::Result<Self> {
        let length = path.as_os_str().len();
        if length > PATH_MAX {
            let path = path.display();
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!(
                    "Cannot listen on socket {path}: its path has {length} bytes, and the system allows {PATH_MAX}; \
                     choose a shorter folder"
                ),
            ));
        }
        let listener = UnixListener::bind(path).map_err(|error| {
            io::Error::new(error.kind(), format!("Cannot listen on socket {}: {error}", path.display()))
        })?;
        Self::from_unix(ring, listener)
    }

    /// Takes over a Unix listener.
    ///
    /// # Errors
    /// If it cannot be made blocking, which is how the ring waits for it.
    pub fn from_unix(ring: &Ring, listener: UnixListener) -> io::Result<Self> {
        listener.set_nonblocking(false)?;
        Ok(Self { ring: ring.clone(), socket: Arc::new(listener.into()) })
    }

    /// Takes over a TCP listener.
    ///
    /// # Errors
    /// If it cannot be made blocking, which is how the ring waits for it.
    pub fn from_tcp(ring: &Ring, listener: TcpListener) -> io::Result<Self> {
        listener.set_nonblocking(false)?;
        Ok(Self { ring: ring.clone(), socket: Arc::new(listener.into()) })
    }

    /// Waits for the next connection. Dropping the future refuses one that arrives at that very moment.
    ///
    /// # Errors
    /// Those of accept(2), and out of files before the last ones are taken, which are for the process itself: clients wait in the queue of
    /// the system. `ConnectionAborted` concerns one client only; out of files and memory pass with time: wait before the next try.
    pub async fn accept(&self) -> io::Result<Stream> {
        loop {
            if let Some(stream) = self.accept_unless(std::future::pending()).await? {
                return Ok(stream);
            }
        }
    }

    /// Waits for the next connection, or until `stop` is ready; then there is none, and no client was refused.
    ///
    /// # Errors
    /// As for [`Self::accept`].
    pub async fn accept_unless(&self, stop: impl Future<Output = ()>) -> io::Result<Option<Stream>> {
        let mut stop = pin!(stop);
        let waiting = opcode::PollAdd::new(self.fd(), libc::POLLIN as u32).build();
        let watching = |socket| Watching { _socket: socket };
        let (_, stopped) = self.run_unless(waiting, watching, stop.as_mut()).await?;
        if stopped {
            // A client that arrives at that very moment waits in the system's queue.
            return Ok(None);
        }
        check_room(&self.socket)?;
        // The waiting client may be gone: then it is the next one.
        let accept =
            opcode::Accept::new(self.fd(), ptr::null_mut(), ptr::null_mut()).flags(libc::SOCK_CLOEXEC);
        let accepting = |socket| Accepting { _socket: socket };
        let (accepted, _) = self.run_unless(accept.build(), accepting, stop).await?;
        Ok(accepted.map(|socket| Stream { ring: self.ring.clone(), socket: Arc::new(own(socket)) }))
    }

    /// Runs an operation on the socket, again if a signal ended it, until `stop` is ready. Returns its result, none if it had no effect,
    /// and whether it was stopped: then `stop` has ended, and must not be polled again. `entry` must point to nothing.
    async fn run_unless<K: Keep>(
        &self,
        entry: squeue::Entry,
        keep: impl Fn(Arc<OwnedFd>) -> K,
        mut stop: Pin<&mut impl Future<Output = ()>>,
    ) -> io::Result<(Option<i32>, bool)> {
        loop {
            // SAFETY: the callers' entries point to nothing, and their `keep` holds the socket.
            let running = unsafe { self.ring.run(entry.clone(), keep(Arc::clone(&self.socket))) };
            let StopOutcome { keep: _, result, stopped } = running.unless(stop.as_mut()).await;
            match outcome(result) {
                Ok(_) => return Ok((Some(result), stopped)),
                Err(error) if stopped && ended_early(&error) => return Ok((None, stopped)),
                Err(error) if passes(&error) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Returns the listener, for another ring.
    pub fn into_handle(self) -> ListenerHandle {
        ListenerHandle(self.socket)
    }

    /// Creates the listener of a handle, on the thread of `ring`.
    pub fn from_handle(ring: &Ring, handle: ListenerHandle) -> Self {
        Self { ring: ring.clone(), socket: handle.0 }
    }

    fn fd(&self) -> types::Fd {
        types::Fd(self.socket.as_raw_fd())
    }
}

impl Stream {
    /// Takes over a connected stream socket, Unix or TCP.
    ///
    /// # Errors
    /// If it cannot be made blocking, which is how the ring waits for it.
    pub fn from_std(ring: &Ring, socket: impl Into<OwnedFd>) -> io::Result<Self> {
        let socket = std::os::unix::net::UnixStream::from(socket.into());
        // Only sets the flag of the file description; works for sockets of any family.
        socket.set_nonblocking(false)?;
        Ok(Self { ring: ring.clone(), socket: Arc::new(socket.into()) })
    }

    /// Receives at least one byte into `buffer[range]` and returns how many; 0 if the other side has finished, or if
    /// the range is empty.
    ///
    /// # Errors
    /// Those of recv(2). The buffer is always returned.
    pub async fn receive(&self, buffer: Buffer, range: Range<usize>) -> (Buffer, io::Result<usize>) {
        let (buffer, received) = self.receive_unless(buffer, range, std::future::pending()).await;
        (buffer, received.map(|received| received.expect("nothing can have stopped it")))
    }

    /// As [`Self::receive`], or until `stop` is ready; then nothing was received, and later bytes are still available.
    ///
    /// # Errors
    /// As for [`Self::receive`].
    pub async fn receive_unless(
        &self,
        buffer: Buffer,
        range: Range<usize>,
        stop: impl Future<Output = ()>,
    ) -> (Buffer, io::Result<Option<usize>>) {
        self.receive_expecting(ArrivalHint::Now, buffer, range, stop).await
    }

    /// Receives as above, with a hint when the bytes are expected.
    async fn receive_expecting(
        &self,
        expected: ArrivalHint,
        buffer: Buffer,
        range: Range<usize>,
        stop: impl Future<Output = ()>,
    ) -> (Buffer, io::Result<Option<usize>>) {
        assert!(range.start <= range.end && range.end <= buffer.len(), "{range:?} of {buffer:?}");
        let mut keep = SocketReceive { _socket: Arc::clone(&self.socket), buffer };
        let mut stop = pin!(stop);
        let how = match expected {
            ArrivalHint::Later if self.ring.is_recent() => RECEIVE_WAITS_FIRST,
            _ => 0,
        };
        loop {
            let target = &mut keep.buffer[range.clone()];
            let len = u32::try_from(target.len()).unwrap_or(u32::MAX);
            let entry = opcode::Recv::new(self.fd(), target.as_mut_ptr(), len).ioprio(how).build();
            // SAFETY: `keep` owns the buffer, whose bytes lie on the heap, and the socket; `target` bounds the write.
            let receiving = unsafe { self.ring.run(entry, keep) };
            let ended = receiving.unless(stop.as_mut()).await;
            keep = ended.keep;
            match outcome(ended.result) {
                Err(error) if ended.stopped && ended_early(&error) => return (keep.buffer, Ok(None)),
                Err(error) if passes(&error) => {}
                received => return (keep.buffer, received.map(Some)),
            }
        }
    }

    /// Returns the connection, for another ring. Nothing of it must be in flight.
    pub fn into_handle(self) -> StreamHandle {
        StreamHandle(self.socket)
    }

    /// Creates the connection of a handle, on the thread of `ring`.
    pub fn from_handle(ring: &Ring, handle: StreamHandle) -> Self {
        Self { ring: ring.clone(), socket: handle.0 }
    }

    /// Sends all `chunks`, in order, and returns them. Sends of clones at the same time would mix: one at a time. The system gets as much
    /// as it takes at once when this is first polled; the ring waits for the rest.
    ///
    /// # Errors
    /// Those of sendmsg(2); how much went out before is then unknown. Never raises `SIGPIPE`.
    pub async fn send(&self, chunks: Vec<Chunk>) -> (Vec<Chunk>, io::Result<()>) {
        self.send_unless(chunks, std::future::pending()).await
    }

    /// Sends as [`Self::send`], or until `stop` is ready. Nothing may be sent after chunks of which only a part went out.
    ///
    /// # Errors
    /// As for [`Self::send`]; `Interrupted` if it was stopped before everything went out.
    pub async fn send_unless(
        &self,
        chunks: Vec<Chunk>,
        stop: impl Future<Output = ()>,
    ) -> (Vec<Chunk>, io::Result<()>) {
        let mut stop = pin!(stop);
        let mut keep =
            SocketSend { _socket: Arc::clone(&self.socket), chunks, message: Box::new(SendMessage::empty()) };
        let mut sent = 0;
        if keep.message.aim(&keep.chunks, sent) {
            // The peer need not wait until this thread enters its ring, which then need not report that it is sent.
            match keep.message.send_at_once(&self.socket) {
                Ok(count) => sent = count,
                Err(Errno::EAGAIN | Errno::EINTR) => {}
                Err(error) => return (keep.chunks, Err(error.into())),
            }
        }
        loop {
            if !keep.message.aim(&keep.chunks, sent) {
                return (keep.chunks, Ok(()));
            }
            let entry = opcode::SendMsg::new(self.fd(), &raw const keep.message.header)
                .flags((libc::MSG_NOSIGNAL | libc::MSG_WAITALL) as u32)
                .build();
            // SAFETY: `keep` owns the socket, the boxed header with its vectors, and the chunks they point to, which lie in the heap memory
            // of a vector that is not changed until the operation is over.
            let sending = unsafe { self.ring.run(entry, keep) };
            let ended = sending.unless(stop.as_mut()).await;
            keep = ended.keep;
            match outcome(ended.result) {
                Ok(count) => sent += count,
                Err(error) if passes(&error) || ended.stopped && ended_early(&error) => {}
                Err(error) => return (keep.chunks, Err(error)),
            }
            if ended.stopped && keep.message.aim(&keep.chunks, sent) {
                return (keep.chunks, Err(io::ErrorKind::Interrupted.into()));
            }
        }
    }

    /// Hands all that is queued on its ring to the kernel: before a long piece of work, for others that wait for what the ring has.
    pub fn submit_queued(&self) {
        self.ring.submit();
    }

    /// Makes the system detect within half a minute that the other side has vanished, although nothing is sent. It knows by itself of
    /// sockets that are not TCP.
    pub fn keep_alive(&self) {
        use nix::sys::socket::{setsockopt, sockopt};
        // It only fails for a socket of another kind.
        let socket = &self.as_fd();
        setsockopt(socket, sockopt::KeepAlive, &true).unwrap_or(());
        setsockopt(socket, sockopt::TcpKeepIdle, &10).unwrap_or(());
        setsockopt(socket, sockopt::TcpKeepInterval, &5).unwrap_or(());
        setsockopt(socket, sockopt::TcpKeepCount, &4).unwrap_or(());
    }

    /// Shuts down sending: the other side finds the end behind the sent bytes, and may still answer.
    pub fn shutdown_sending(&self) {
        nix::sys::socket::shutdown(self.socket.as_raw_fd(), Shutdown::Write).unwrap_or(());
    }

    /// Ends the connection both ways: pending and later receives return 0, sends fail. A connection that has ended
    /// already stays so.
    pub fn shutdown(&self) {
        // The only failure that a socket of ours can report is that it is no longer connected, which is the aim.
        nix::sys::socket::shutdown(self.socket.as_raw_fd(), Shutdown::Both).unwrap_or(());
    }

    /// Returns the socket, for queries such as its peer.
    pub fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.socket.as_fd()
    }

    fn fd(&self) -> types::Fd {
        types::Fd(self.socket.as_raw_fd())
    }
}

/// A wait for a client.
struct Watching {
    _socket: Arc<OwnedFd>,
}

impl Keep for Watching {
    const IF_DROPPED: IfDropped = IfDropped::Cancel;
}

struct Accepting {
    _socket: Arc<OwnedFd>,
}

impl Keep for Accepting {
    const IF_DROPPED: IfDropped = IfDropped::Cancel;

    fn abandoned(self: Box<Self>, result: i32) {
        if result >= 0 {
            drop(own(result));
        }
    }
}

struct SocketReceive {
    _socket: Arc<OwnedFd>,
    buffer: Buffer,
}

impl Keep for SocketReceive {
    const IF_DROPPED: IfDropped = IfDropped::Cancel;
}

struct SocketSend {
    _socket: Arc<OwnedFd>,
    chunks: Vec<Chunk>,
    message: Box<SendMessage>,
}

impl Keep for SocketSend {
    const IF_DROPPED: IfDropped = IfDropped::Cancel;
}

/// The header of sendmsg(2) and the vectors that it points to.
struct SendMessage {
    header: libc::msghdr,
    vectors: Vec<libc::iovec>,
}

impl SendMessage {
    fn empty() -> Self {
        // SAFETY: a `msghdr` is numbers and pointers, for which zero is "none".
        Self { header: unsafe { std::mem::zeroed() }, vectors: Vec::new() }
    }

    /// Sends the bytes that it points to, or as many as the socket takes without waiting. Returns how many.
    fn send_at_once(&self, socket: &OwnedFd) -> nix::Result<usize> {
        let flags = libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT;
        // SAFETY: `aim` made the header point to vectors and these to bytes that are borrowed as long as the call takes; the kernel
        // reads them only.
        let count = unsafe { libc::sendmsg(socket.as_raw_fd(), &raw const self.header, flags) };
        Errno::result(count).map(isize::cast_unsigned)
    }

    /// Points to the part of `chunks` behind the first `sent` bytes. Returns false if there is none.
    fn aim(&mut self, chunks: &[Chunk], sent: usize) -> bool {
        let mut skip = sent;
        self.vectors.clear();
        for bytes in chunks.iter().map(Chunk::bytes) {
            let rest = &bytes[skip.min(bytes.len())..];
            skip -= bytes.len() - rest.len();
            if !rest.is_empty() {
                self.vectors
                    .push(libc::iovec { iov_base: rest.as_ptr().cast_mut().cast(), iov_len: rest.len() });
            }
            if self.vectors.len() == CHUNKS_PER_CALL {
                break;
            }
        }
        self.header.msg_iov = self.vectors.as_mut_ptr();
        self.header.msg_iovlen = self.vectors.len();
        !self.vectors.is_empty()
    }
}

/// Returns the socket that a successful accept returned.
fn own(result: i32) -> OwnedFd {
    // SAFETY: the kernel has just made this descriptor for us, and nothing else knows it.
    unsafe { OwnedFd::from_raw_fd(result) }
}

/// Returns the result of the kernel as a count or an error.
fn outcome(result: i32) -> io::Result<usize> {
    usize::try_from(result).map_err(|_| io::Error::from_raw_os_error(-result))
}

/// Returns true if an operation that was to end early did, without an effect.
fn ended_early(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ECANCELED) || passes(error)
}

/// Returns true if the same call can succeed at once: it was interrupted by a signal.
fn passes(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Interrupted
}
