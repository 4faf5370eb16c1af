//! Receiver: hands out a client's bytes as requests and payloads.
//!
//! Payload that arrived along with requests is copied; the rest is received, or deciphered, straight into the payload's own buffer. Nothing
//! here knows the meaning of a request.

use std::future::Future;
use std::io;

use block::Buffer;

use super::line::{Line, Source};
use super::tls;
use super::wire::{Command, REQUEST_BYTES, Request};

/// The receiving half of a connection.
pub(crate) struct Receiver {
    source: Source,
}

/// Reason why nothing more is read.
#[derive(Debug)]
pub(crate) enum ReceiveEnd {
    /// The client has finished, or the connection broke.
    Gone,
    /// The client broke the protocol.
    Violation(&'static str),
    /// The export is held; more bytes arrive, and are left where they are.
    Held,
}

impl From<io::Error> for ReceiveEnd {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::InvalidData => Self::Violation(tls::reason(&error)),
            // Which error it was makes no difference: the client is not there any more.
            _ => Self::Gone,
        }
    }
}

impl Receiver {
    pub(crate) fn new(line: &Line) -> Self {
        Self::resume(line, &[])
    }

    /// Continues with a connection of which `pending` was received and not handed out.
    pub(crate) fn resume(line: &Line, pending: &[u8]) -> Self {
        Self { source: line.source(pending) }
    }

    /// Returns the bytes that were received and not handed out yet.
    pub(crate) fn pending(&self) -> &[u8] {
        self.source.pending()
    }

    /// Marks the first `count` pending bytes as handed out.
    pub(crate) fn consume(&mut self, count: usize) {
        self.source.consume(count);
    }

    /// Waits for at least one more byte.
    pub(crate) async fn fill(&mut self) -> Result<(), ReceiveEnd> {
        self.fill_unless(std::future::pending()).await
    }

    /// As [`Self::fill`], or until `stop` is ready.
    pub(crate) async fn fill_unless(&mut self, stop: impl Future<Output = ()>) -> Result<(), ReceiveEnd> {
        Ok(self.source.fill_unless(stop).await?)
    }

    /// Returns the next request if all of it was received already.
    pub(crate) fn next_request(&mut self) -> Result<Option<Request>, ReceiveEnd> {
        let Some(bytes) = self.pending().first_chunk::<REQUEST_BYTES>() else { return Ok(None) };
        let request = Request::decode(bytes).ok_or(ReceiveEnd::Violation("Request without its magic"))?;
        self.consume(REQUEST_BYTES);
        Ok(Some(request))
    }

    /// Returns the request that follows after `between` others, if it was received already and none of those has a payload. Else nothing,
    /// or a meaningless one: for hints only.
    pub(crate) fn glimpse(&self, between: usize) -> Option<Request> {
        glimpse(self.pending(), between)
    }

    /// Returns true if the client, which [has hung up](Line::has_hung_up), disconnected in order: its last message is a `DISC`, and the
    /// specification has everything before it done.
    pub(crate) fn ends_with_leave(&self, line: &Line) -> bool {
        let is_leave = |bytes: &[u8]| {
            let request = bytes.first_chunk().and_then(Request::decode);
            request.is_some_and(|request| request.command == Command::Disconnect)
        };
        line.ends_with(self.pending(), REQUEST_BYTES, is_leave)
    }

    /// Returns the payload of `length` bytes that follows.
    pub(crate) async fn payload(&mut self, length: usize) -> Result<Buffer, ReceiveEnd> {
        let (payload, received) = self.source.take_into(Buffer::zeroed(length), 0..length).await;
        received?;
        Ok(payload)
    }

    /// Throws the next `length` bytes away.
    pub(crate) async fn skip(&mut self, length: u32) -> Result<(), ReceiveEnd> {
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

fn glimpse(pending: &[u8], between: usize) -> Option<Request> {
    let bytes = pending.get(between * REQUEST_BYTES..)?;
    Request::decode(bytes.first_chunk()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_at(offset: u64) -> Request {
        Request { flags: 0, command: Command::Read, cookie: offset, offset, length: 4096 }
    }

    #[test]
    fn a_later_request_is_seen_when_all_of_it_is_there_and_what_is_none_is_nothing() {
        let bytes: Vec<u8> = (0..4).flat_map(|offset| read_at(offset).encode()).collect();
        for between in 0..4 {
            assert_eq!(glimpse(&bytes, between), Some(read_at(between as u64)));
        }
        assert_eq!(glimpse(&bytes, 4), None);
        assert_eq!(glimpse(&bytes[..bytes.len() - 1], 3), None, "its last byte is missing");
        assert_eq!(glimpse(&bytes[..REQUEST_BYTES], 3), None);
        assert_eq!(glimpse(&bytes[1..], 0), None, "payload, say");
    }
}
