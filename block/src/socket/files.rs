//! Open files that are passed along with the bytes of a Unix socket, as vhost-user passes memory and events.
//!
//! Files belong to the first byte of the message that they were sent with: a receiver reads up to the end of a message and no further. A
//! file that arrives when nothing waits for it any more is closed.

use std::future::Future;
use std::io;
use std::ops::Range;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::pin::pin;
use std::sync::Arc;

use io_uring::{opcode, types};

use super::{Stream, ended_early, outcome, passes};
use crate::Buffer;
use crate::uring::{IfDropped, Keep, Ring};

/// The most files in one message: the limit of the system, rounded down to what any client sends.
const FILES_MAX: usize = 64;

/// Bytes and files received with one system call.
pub struct Received {
    /// Bytes; 0 if the other side has finished.
    pub count: usize,
    /// Files, closed on exec, in the order in which they were sent.
    pub files: Vec<OwnedFd>,
}

impl Stream {
    /// Receives at least one byte into `buffer[range]`, and the files passed along, or until `stop` is ready; then nothing was received,
    /// and later bytes are still available.
    ///
    /// # Errors
    /// Those of recvmsg(2); `InvalidData` if more than 64 files arrived. The buffer is always returned.
    pub async fn receive_with_files(
        &self,
        buffer: Buffer,
        range: Range<usize>,
        stop: impl Future<Output = ()>,
    ) -> (Buffer, io::Result<Option<Received>>) {
        assert!(range.start <= range.end && range.end <= buffer.len(), "{range:?} of {buffer:?}");
        let mut keep = FileReceive { _socket: Arc::clone(&self.socket), buffer, message: FileMessage::new() };
        let mut stop = pin!(stop);
        loop {
            let target = &mut keep.buffer[range.clone()];
            keep.message.aim(target.as_mut_ptr(), target.len(), FILES_MAX);
            let entry = opcode::RecvMsg::new(self.fd(), &raw mut keep.message.header)
                .flags(libc::MSG_CMSG_CLOEXEC as u32)
                .build();
            // SAFETY: `keep` owns the socket, the boxed header with vector and control bytes, and the buffer, whose bytes lie
            // on the heap; `target` bounds the write.
            let receiving = unsafe { self.ring.run(entry, keep) };
            let ended = receiving.unless(stop.as_mut()).await;
            keep = ended.keep;
            match outcome(ended.result) {
                Err(error) if ended.stopped && ended_early(&error) => return (keep.buffer, Ok(None)),
                Err(error) if passes(&error) => {}
                Err(error) => return (keep.buffer, Err(error)),
                Ok(count) => {
                    let files = keep.message.take_files();
                    let whole = keep.message.header.msg_flags & libc::MSG_CTRUNC == 0;
                    let received = if whole {
                        Ok(Some(Received { count, files }))
                    } else {
                        Err(io::Error::new(io::ErrorKind::InvalidData, "more files than a message may have"))
                    };
                    return (keep.buffer, received);
                }
            }
        }
    }

    /// Sends `bytes` with a file along, which the other side gets as one of its own.
    ///
    /// # Errors
    /// Those of sendmsg(2); how much went out before is then unknown. Never raises `SIGPIPE`.
    pub async fn send_with_file(&self, bytes: &[u8], file: Arc<OwnedFd>) -> io::Result<()> {
        assert!(!bytes.is_empty(), "a file needs a byte to go with");
        let buffer = Buffer::copy_of(bytes);
        let mut keep =
            FileSend { _socket: Arc::clone(&self.socket), buffer, file, message: FileMessage::new() };
        let mut sent = 0;
        while sent < bytes.len() {
            let rest = &mut keep.buffer[sent..];
            keep.message.aim(rest.as_mut_ptr(), rest.len(), usize::from(sent == 0));
            if sent == 0 {
                keep.message.put_file(keep.file.as_raw_fd());
            }
            let entry = opcode::SendMsg::new(self.fd(), &raw const keep.message.header)
                .flags((libc::MSG_NOSIGNAL | libc::MSG_WAITALL) as u32)
                .build();
            // SAFETY: as for receiving; the file stays open as long as `keep` is there.
            let (back, result) = unsafe { self.ring.run(entry, keep) }.await;
            keep = back;
            match outcome(result) {
                Ok(count) => sent += count,
                Err(error) if passes(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Closes a file, which may be of a kind whose closing takes for ever. Spawn it, so as not to wait for that.
pub async fn close(ring: &Ring, file: OwnedFd) {
    let entry = opcode::Close::new(types::Fd(file.into_raw_fd())).build();
    // SAFETY: the entry points to nothing, and nothing else uses its descriptor any more.
    let (Closing, _) = unsafe { ring.run(entry, Closing) }.await;
}

struct Closing;

impl Keep for Closing {
    const IF_DROPPED: IfDropped = IfDropped::Cancel;
}

struct FileReceive {
    _socket: Arc<OwnedFd>,
    buffer: Buffer,
    message: Box<FileMessage>,
}

impl Keep for FileReceive {
    const IF_DROPPED: IfDropped = IfDropped::Cancel;

    fn abandoned(mut self: Box<Self>, result: i32) {
        if result >= 0 {
            drop(self.message.take_files());
        }
    }
}

struct FileSend {
    _socket: Arc<OwnedFd>,
    buffer: Buffer,
    file: Arc<OwnedFd>,
    message: Box<FileMessage>,
}

impl Keep for FileSend {
    const IF_DROPPED: IfDropped = IfDropped::Cancel;
}

/// The header of recvmsg(2) and sendmsg(2) with the one vector and the control bytes that it points to. Boxed, so that they
/// stay where they are.
struct FileMessage {
    header: libc::msghdr,
    vector: libc::iovec,
    /// Words, so that the control header inside is aligned.
    control: [u64; CONTROL_WORDS],
}

/// Room for a control message with the most files.
const CONTROL_WORDS: usize = (size_of::<libc::cmsghdr>() + FILES_MAX * size_of::<RawFd>()).div_ceil(8) + 1;

impl FileMessage {
    fn new() -> Box<Self> {
        Box::new(Self {
            // SAFETY: a `msghdr` is numbers and pointers, for which zero is "none".
            header: unsafe { std::mem::zeroed() },
            vector: libc::iovec { iov_base: std::ptr::null_mut(), iov_len: 0 },
            control: [0; CONTROL_WORDS],
        })
    }

    /// Points to `length` bytes at `start`, with room for `files` files.
    fn aim(&mut self, start: *mut u8, length: usize, files: usize) {
        self.vector = libc::iovec { iov_base: start.cast(), iov_len: length };
        self.header.msg_iov = &raw mut self.vector;
        self.header.msg_iovlen = 1;
        self.header.msg_flags = 0;
        if files == 0 {
            (self.header.msg_control, self.header.msg_controllen) = (std::ptr::null_mut(), 0);
            return;
        }
        // SAFETY: computes a length only.
        let space = unsafe { libc::CMSG_SPACE((files * size_of::<RawFd>()) as u32) } as usize;
        assert!(space <= size_of_val(&self.control), "the room was made for the most files");
        self.header.msg_control = self.control.as_mut_ptr().cast();
        self.header.msg_controllen = space;
    }

    /// Adds the one file that there is room for.
    fn put_file(&mut self, file: RawFd) {
        // SAFETY: `aim` made the header point to control bytes, aligned and ours, with room for one file, so the first control
        // message lies inside of them.
        unsafe {
            let control = libc::CMSG_FIRSTHDR(&raw const self.header);
            (*control).cmsg_level = libc::SOL_SOCKET;
            (*control).cmsg_type = libc::SCM_RIGHTS;
            (*control).cmsg_len = libc::CMSG_LEN(size_of::<RawFd>() as u32) as usize;
            libc::CMSG_DATA(control).cast::<RawFd>().write_unaligned(file);
        }
    }

    /// Takes ownership of the files that the kernel has put here. They are here once.
    fn take_files(&mut self) -> Vec<OwnedFd> {
        let mut files = Vec::new();
        // SAFETY: the kernel has filled the control bytes and set their length; the macros stay inside of that. Each descriptor is new, and
        // nothing else knows it; the length is cleared below, so that none is taken twice.
        unsafe {
            let mut control = libc::CMSG_FIRSTHDR(&raw const self.header);
            while !control.is_null() {
                if ((*control).cmsg_level, (*control).cmsg_type) == (libc::SOL_SOCKET, libc::SCM_RIGHTS) {
                    let bytes = (*control).cmsg_len - libc::CMSG_LEN(0) as usize;
                    let data = libc::CMSG_DATA(control);
                    for index in 0..bytes / size_of::<RawFd>() {
                        files.push(OwnedFd::from_raw_fd(
                            data.add(index * size_of::<RawFd>()).cast::<RawFd>().read_unaligned(),
                        ));
                    }
                }
                control = libc::CMSG_NXTHDR(&raw const self.header, control);
            }
        }
        self.header.msg_controllen = 0;
        files
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::io::{Read, Seek, Write};
    use std::os::unix::net::UnixStream;

    use nix::sys::memfd::{MFdFlags, memfd_create};

    use super::*;
    use crate::Ring;
    use crate::executor::{Executor, Order};

    #[test]
    fn a_file_arrives_with_the_bytes_that_it_was_sent_with() {
        let ring = Ring::new(8).unwrap();
        let executor = Executor::new(ring.clone(), Order::Fifo);
        let (one, other) = UnixStream::pair().unwrap();
        let (one, other) = (Stream::from_std(&ring, one).unwrap(), Stream::from_std(&ring, other).unwrap());
        let mut file = std::fs::File::from(memfd_create(c"content", MFdFlags::empty()).unwrap());
        file.write_all(b"content").unwrap();
        let run = async {
            one.send_with_file(b"first", Arc::new(file.into())).await.unwrap();
            let (buffer, received) = other.receive_with_files(Buffer::zeroed(16), 0..5, pending()).await;
            let received = received.unwrap().unwrap();
            assert_eq!((received.count, received.files.len(), &buffer[..5]), (5, 1, &b"first"[..]));
            let mut file = std::fs::File::from(received.files.into_iter().next().unwrap());
            file.rewind().unwrap();
            let mut text = String::new();
            file.read_to_string(&mut text).unwrap();
            assert_eq!(text, "content");
            // And none without one.
            let chunk = super::super::Chunk::inline(b"second");
            one.send(vec![chunk]).await.1.unwrap();
            let (_, received) = other.receive_with_files(buffer, 0..16, pending()).await;
            let received = received.unwrap().unwrap();
            assert_eq!((received.count, received.files.len()), (6, 0));
        };
        executor.run(run).unwrap();
    }

    #[test]
    fn who_stops_waiting_has_lost_nothing() {
        let ring = Ring::new(8).unwrap();
        let executor = Executor::new(ring.clone(), Order::Fifo);
        let (one, other) = UnixStream::pair().unwrap();
        let (one, other) = (Stream::from_std(&ring, one).unwrap(), Stream::from_std(&ring, other).unwrap());
        let run = async {
            let (buffer, received) =
                other.receive_with_files(Buffer::zeroed(8), 0..8, std::future::ready(())).await;
            assert!(received.unwrap().is_none());
            let file = memfd_create(c"content", MFdFlags::empty()).unwrap();
            one.send_with_file(b"x", Arc::new(file)).await.unwrap();
            let (_, received) = other.receive_with_files(buffer, 0..8, pending()).await;
            assert_eq!(received.unwrap().unwrap().files.len(), 1);
        };
        executor.run(run).unwrap();
    }
}
