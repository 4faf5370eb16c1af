//! The receiving half of a stream: bytes arrive in large pieces, and are handed out as the protocol needs them.
//!
//! Bytes that arrived along with earlier messages are copied to their places; missing ones are received straight into
//! theirs. Knows no protocol.

use std::future::Future;
use std::io;
use std::ops::Range;

use super::{ArrivalHint, Stream};
use crate::Buffer;

/// Received bytes that were not handed out yet, and the stream that more arrive from.
pub struct Incoming {
    stream: Stream,
    /// Empty while the kernel has it.
    buffer: Buffer,
    /// The bytes not handed out yet: `buffer[start..end]`.
    start: usize,
    end: usize,
    expected: ArrivalHint,
}

impl Incoming {
    /// Receives from `stream`, up to `room` bytes with one system call. Messages that are decoded as a whole must be
    /// shorter than that.
    pub fn new(stream: Stream, room: usize) -> Self {
        Self::resume(stream, room, &[])
    }

    /// Continues where another one stopped that had `pending` not handed out yet, at most `room` bytes.
    pub fn resume(stream: Stream, room: usize, pending: &[u8]) -> Self {
        let mut buffer = Buffer::zeroed(room);
        buffer[..pending.len()].copy_from_slice(pending);
        Self { stream, buffer, start: 0, end: pending.len(), expected: ArrivalHint::Now }
    }

    /// Returns the bytes that were received and not handed out yet.
    pub fn pending(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Marks the first `count` pending bytes as handed out.
    pub fn consume(&mut self, count: usize) {
        assert!(count <= self.end - self.start, "only what was received can be consumed");
        self.start += count;
    }

    /// Waits for at least one more byte. There must be room for it.
    ///
    /// # Errors
    /// `UnexpectedEof` if the other side has finished, else those of recv(2).
    pub async fn fill(&mut self) -> io::Result<()> {
        self.fill_unless(std::future::pending()).await
    }

    /// As [`Self::fill`], or until `stop` is ready; then nothing more may be pending than before, and nothing is lost.
    ///
    /// # Errors
    /// As for [`Self::fill`].
    pub async fn fill_unless(&mut self, stop: impl Future<Output = ()>) -> io::Result<()> {
        // Pending bytes here are less than a message, so moving them costs nothing.
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        assert!(self.end < self.buffer.len(), "there is always room for a message");
        let buffer = std::mem::replace(&mut self.buffer, Buffer::zeroed(0));
        let room = self.end..buffer.len();
        let (buffer, received) = self.stream.receive_expecting(self.expected, buffer, room, stop).await;
        self.buffer = buffer;
        if let Some(count) = received? {
            self.end += some(Ok(count))?;
            self.expected = if self.end < self.buffer.len() { ArrivalHint::Later } else { ArrivalHint::Now };
        }
        Ok(())
    }

    /// Fills `target[range]` with the next bytes, and returns `target` in any case.
    ///
    /// # Errors
    /// As for [`Self::fill`].
    pub async fn take_into(&mut self, mut target: Buffer, range: Range<usize>) -> (Buffer, io::Result<()>) {
        let Range { mut start, end } = range;
        let have = (end - start).min(self.pending().len());
        target[start..start + have].copy_from_slice(&self.pending()[..have]);
        self.consume(have);
        start += have;
        while start < end {
            let received;
            (target, received) = self.stream.receive(target, start..end).await;
            match some(received) {
                Ok(count) => start += count,
                Err(error) => return (target, Err(error)),
            }
        }
        (target, Ok(()))
    }
}

/// Returns the number of received bytes; 0 is the end of the stream, and an error.
fn some(received: io::Result<usize>) -> io::Result<usize> {
    match received? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        count => Ok(count),
    }
}
