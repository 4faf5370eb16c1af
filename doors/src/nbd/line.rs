//! A connection for requests and replies: in clear, or through TLS. Other code need not know which.

use std::cell::RefCell;
use std::future::Future;
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::rc::Rc;

use block::socket::{Chunk, Incoming, Stream, StreamHandle};
use block::{Buffer, Ring};
use futures_util::FutureExt;
use futures_util::future::FusedFuture;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{MsgFlags, recv};

use super::limits::RECEIVE_BYTES;
use super::tls::{Plain, TlsSession};
use block::turn;

/// The most bytes that are peeked at in a socket: more than the system buffers for one by default.
const PEEK_BYTES_MAX: usize = 16 << 20;

nix::ioctl_read_bad!(bytes_waiting, nix::libc::FIONREAD, nix::libc::c_int);

/// A connection. Clones are the same one.
#[derive(Clone)]
pub(crate) struct Line {
    stream: Stream,
    session: Option<Rc<RefCell<TlsSession>>>,
}

/// A connection on its way to the thread of another ring.
pub(crate) struct LineHandle {
    stream: StreamHandle,
    session: Option<TlsSession>,
}

impl Line {
    /// Creates a line in clear.
    pub(crate) fn clear(stream: Stream) -> Self {
        Self { stream, session: None }
    }

    /// Creates a line through TLS.
    pub(crate) fn encrypted(stream: Stream, session: TlsSession) -> Self {
        Self { stream, session: Some(Rc::new(RefCell::new(session))) }
    }

    /// Returns the socket under it.
    pub(crate) fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Returns a source that continues after another one stopped with `pending` not handed out yet.
    pub(crate) fn source(&self, pending: &[u8]) -> Source {
        let stream = self.stream.clone();
        match &self.session {
            None => Source::Clear(Incoming::resume(stream, RECEIVE_BYTES, pending)),
            Some(session) => Source::Encrypted(Deciphering::resume(stream, Rc::clone(session), pending)),
        }
    }

    /// Sends all `chunks`, in order, and returns them. One at a time.
    ///
    /// # Errors
    /// Those of sendmsg(2); how much went out before is then unknown.
    pub(crate) async fn send(&self, chunks: Vec<Chunk>) -> (Vec<Chunk>, io::Result<()>) {
        match &self.session {
            None => self.stream.send(chunks).await,
            Some(session) => {
                let outcome = send_sealed(&self.stream, session, &chunks).await;
                (chunks, outcome)
            }
        }
    }

    /// Returns true if nothing can be sent any more: the client is gone for good, or this end was shut down. A client that has only
    /// finished sending may still wait for answers. Bytes that were received before are handed out nevertheless.
    pub(crate) fn is_cut(&self) -> bool {
        self.poll_for(PollFlags::empty())
    }

    /// Returns true if one of `events` is pending, or the connection failed or was shut down at both ends: the system always reports that.
    fn poll_for(&self, events: PollFlags) -> bool {
        let mut asked = [PollFd::new(self.stream.as_fd(), events)];
        loop {
            match poll(&mut asked, PollTimeout::ZERO) {
                Ok(told) => return told > 0,
                Err(Errno::EINTR) => {}
                // A client whose state is unknown counts as gone: it can connect again.
                Err(_) => return true,
            }
        }
    }

    /// Returns true if the client sends nothing more: it finished sending, or it is gone. Over TCP the two look the same. Earlier bytes may
    /// still wait in the socket.
    pub(crate) fn has_hung_up(&self) -> bool {
        self.poll_for(PollFlags::from_bits_retain(nix::libc::POLLRDHUP))
    }

    /// Returns true if the last message that the client sent is the one for which `is_message` holds on its last `length` bytes: peeks at
    /// the bytes in the socket behind `pending`, without taking them. Call only once it [has hung up](Self::has_hung_up). Bytes of TLS that
    /// were not deciphered yet cannot be read: then false.
    pub(crate) fn ends_with(
        &self,
        pending: &[u8],
        length: usize,
        is_message: impl FnOnce(&[u8]) -> bool,
    ) -> bool {
        let Some(waiting) = self.waiting_bytes() else { return false };
        let mut rest = pending.to_vec();
        if waiting > 0 {
            if self.session.is_some() || waiting > PEEK_BYTES_MAX {
                return false;
            }
            let mut peeked = vec![0; waiting];
            let flags = MsgFlags::MSG_PEEK | MsgFlags::MSG_DONTWAIT;
            let seen = recv(self.stream.as_fd().as_raw_fd(), &mut peeked, flags);
            if seen != Ok(waiting) {
                return false;
            }
            rest.extend_from_slice(&peeked);
        }
        rest.len().checked_sub(length).is_some_and(|start| is_message(&rest[start..]))
    }

    /// Returns how many bytes wait in the socket, or none if the system does not report it.
    fn waiting_bytes(&self) -> Option<usize> {
        let mut count = 0;
        // SAFETY: the kernel stores an int in `count`.
        unsafe { bytes_waiting(self.stream.as_fd().as_raw_fd(), &raw mut count) }.ok()?;
        usize::try_from(count).ok()
    }

    /// Ends it in order: informs the client, if that is possible at once. Nothing may be on its way.
    pub(crate) fn end(&self) {
        if let Some(session) = &self.session {
            session.borrow_mut().end(&self.stream);
        }
        self.stream.shutdown();
    }

    /// Returns the connection, for another ring. It must be the last clone, sources included, and nothing of it in flight.
    pub(crate) fn into_handle(self) -> LineHandle {
        let session = self.session.map(|session| {
            let session =
                Rc::into_inner(session).expect("a connection at rest has neither reader nor sender");
            session.into_inner()
        });
        LineHandle { stream: self.stream.into_handle(), session }
    }

    /// Creates the connection of a handle, on the thread of `ring`.
    pub(crate) fn from_handle(ring: &Ring, handle: LineHandle) -> Self {
        let stream = Stream::from_handle(ring, handle.stream);
        match handle.session {
            None => Self::clear(stream),
            Some(session) => Self::encrypted(stream, session),
        }
    }
}

/// Sends piece by piece, so that a long reply takes little memory twice.
async fn send_sealed(stream: &Stream, session: &RefCell<TlsSession>, chunks: &[Chunk]) -> io::Result<()> {
    let length: usize = chunks.iter().map(|chunk| chunk.bytes().len()).sum();
    let mut sent = 0;
    loop {
        let (taken, sealed) = session.borrow_mut().seal(chunks, sent)?;
        let Some(sealed) = sealed else { return Ok(()) };
        sent += taken;
        stream.send(vec![sealed]).await.1?;
        if sent < length {
            // A client that takes as fast as this seals would keep others from their turn.
            turn().await;
        }
    }
}

/// Received bytes, plain, and the source of more.
pub(crate) enum Source {
    Clear(Incoming),
    Encrypted(Deciphering),
}

/// As [`Incoming`], through TLS.
pub(crate) struct Deciphering {
    stream: Stream,
    session: Rc<RefCell<TlsSession>>,
    buffer: Buffer,
    /// The bytes not handed out yet: `buffer[start..end]`.
    start: usize,
    end: usize,
}

impl Source {
    /// Returns the bytes that were received and not handed out yet.
    pub(crate) fn pending(&self) -> &[u8] {
        match self {
            Self::Clear(incoming) => incoming.pending(),
            Self::Encrypted(incoming) => &incoming.buffer[incoming.start..incoming.end],
        }
    }

    /// Marks the first `count` pending bytes as handed out.
    pub(crate) fn consume(&mut self, count: usize) {
        match self {
            Self::Clear(incoming) => incoming.consume(count),
            Self::Encrypted(incoming) => incoming.consume(count),
        }
    }

    /// Waits for at least one more byte, or until `stop` is ready; then nothing is lost.
    ///
    /// # Errors
    /// `UnexpectedEof` if the other side has finished, `InvalidData` if the bytes are no TLS, else those of recv(2).
    pub(crate) async fn fill_unless(&mut self, stop: impl Future<Output = ()>) -> io::Result<()> {
        match self {
            Self::Clear(incoming) => incoming.fill_unless(stop).await,
            Self::Encrypted(incoming) => incoming.fill_unless(stop).await,
        }
    }

    /// Fills `target[range]` with the next bytes, and returns `target` in any case.
    ///
    /// # Errors
    /// As for [`Self::fill_unless`].
    pub(crate) async fn take_into(
        &mut self,
        target: Buffer,
        range: Range<usize>,
    ) -> (Buffer, io::Result<()>) {
        match self {
            Self::Clear(incoming) => incoming.take_into(target, range).await,
            Self::Encrypted(incoming) => {
                let mut target = target;
                let outcome = incoming.take_into(&mut target[range]).await;
                (target, outcome)
            }
        }
    }
}

impl Deciphering {
    fn resume(stream: Stream, session: Rc<RefCell<TlsSession>>, pending: &[u8]) -> Self {
        let mut buffer = Buffer::zeroed(RECEIVE_BYTES);
        buffer[..pending.len()].copy_from_slice(pending);
        Self { stream, session, buffer, start: 0, end: pending.len() }
    }

    fn consume(&mut self, count: usize) {
        assert!(count <= self.end - self.start, "only what was received can be consumed");
        self.start += count;
    }

    async fn fill_unless(&mut self, stop: impl Future<Output = ()>) -> io::Result<()> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        assert!(self.end < self.buffer.len(), "there is always room for a message");
        let room = &mut self.buffer[self.end..];
        self.end += next_plain(&self.stream, &self.session, room, stop).await?;
        Ok(())
    }

    async fn take_into(&mut self, target: &mut [u8]) -> io::Result<()> {
        let have = target.len().min(self.end - self.start);
        target[..have].copy_from_slice(&self.buffer[self.start..self.start + have]);
        self.consume(have);
        let mut start = have;
        while start < target.len() {
            let never = std::future::pending();
            start += next_plain(&self.stream, &self.session, &mut target[start..], never).await?;
        }
        Ok(())
    }
}

/// Puts the next bytes into `target`, at least one; none if `stop` is ready before one has arrived. Polls `stop` no more once it is ready.
async fn next_plain(
    stream: &Stream,
    session: &RefCell<TlsSession>,
    target: &mut [u8],
    stop: impl Future<Output = ()>,
) -> io::Result<usize> {
    let mut stop = std::pin::pin!(stop.fuse());
    loop {
        match session.borrow_mut().read(target)? {
            Plain::Bytes(count) => return Ok(count),
            Plain::Finished => return Err(io::ErrorKind::UnexpectedEof.into()),
            // Bytes that were received when it was stopped are part of a record.
            Plain::NeedInput if stop.is_terminated() => return Ok(0),
            Plain::NeedInput => {}
        }
        let room = session.borrow_mut().take_room();
        let range = 0..room.len();
        let (room, received) = stream.receive_unless(room, range, stop.as_mut()).await;
        match received {
            Ok(Some(count)) => session.borrow_mut().put_received(room, count)?,
            Ok(None) => {
                session.borrow_mut().give_back(room);
                return Ok(0);
            }
            Err(error) => {
                session.borrow_mut().give_back(room);
                return Err(error);
            }
        }
    }
}
