//! What comes from a client: bytes are received in large pieces, and handed out as requests and payloads.
//!
//! Payload that came along with requests is copied; what is still missing is received straight into the payload's
//! own buffer. Nothing here knows what a request means.

use std::io;

use block::Buffer;
use block::socket::Stream;

use super::limits::RECEIVE_BYTES;
use super::wire::{REQUEST_BYTES, Request};

/// The receiving half of a connection.
pub(crate) struct Receiver {
    stream: Stream,
    /// Empty while the kernel has it.
    buffer: Buffer,
    /// Bytes received and not handed out yet: `buffer[start..end]`.
    start: usize,
    end: usize,
}

/// Why nothing more comes.
#[derive(Debug)]
pub(crate) enum End {
    /// The client has finished, or the connection broke.
    Gone,
    /// The client broke the protocol.
    Violation(&'static str),
}

impl From<io::Error> for End {
    fn from(_: io::Error) -> Self {
        // Which error it was makes no difference: the client is not there any more.
        Self::Gone
    }
}

impl Receiver {
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream, buffer: Buffer::zeroed(RECEIVE_BYTES), start: 0, end: 0 }
    }

    /// What was received and not handed out yet.
    pub(crate) fn pending(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Marks the first `count` pending bytes as handed out.
    pub(crate) fn consume(&mut self, count: usize) {
        assert!(count <= self.end - self.start, "only what was received can be consumed");
        self.start += count;
    }

    /// Waits for at least one more byte.
    pub(crate) async fn fill(&mut self) -> Result<(), End> {
        // What is pending here is less than a request, so moving it costs nothing.
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        assert!(self.end < self.buffer.len(), "there is always room for a request");
        let buffer = std::mem::replace(&mut self.buffer, Buffer::zeroed(0));
        let room = self.end..buffer.len();
        let (buffer, received) = self.stream.receive(buffer, room).await;
        self.buffer = buffer;
        match received? {
            0 => Err(End::Gone),
            count => {
                self.end += count;
                Ok(())
            }
        }
    }

    /// The next request if all of it was received already.
    pub(crate) fn next_request(&mut self) -> Result<Option<Request>, End> {
        let Some(bytes) = self.pending().first_chunk::<REQUEST_BYTES>() else { return Ok(None) };
        let request = Request::decode(bytes).ok_or(End::Violation("Request without its magic"))?;
        self.consume(REQUEST_BYTES);
        Ok(Some(request))
    }

    /// The payload of `length` bytes that follows.
    pub(crate) async fn payload(&mut self, length: usize) -> Result<Buffer, End> {
        let mut payload = Buffer::zeroed(length);
        let mut have = length.min(self.pending().len());
        payload[..have].copy_from_slice(&self.pending()[..have]);
        self.consume(have);
        while have < length {
            let (back, received) = self.stream.receive(payload, have..length).await;
            payload = back;
            match received? {
                0 => return Err(End::Gone),
                count => have += count,
            }
        }
        Ok(payload)
    }

    /// Throws the next `length` bytes away.
    pub(crate) async fn skip(&mut self, length: u32) -> Result<(), End> {
        let mut left = length as usize;
        loop {
            let now = left.min(self.pending().len());
            self.consume(now);
            left -= now;
            if left == 0 {
                return Ok(());
            }
            self.fill().await?;
        }
    }
}
