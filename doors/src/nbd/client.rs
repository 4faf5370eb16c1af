//! A small blocking client, for demonstrations, measurements and tests.
//!
//! One request at a time ([`Client::read`] and its kin), or many in flight on one connection: [`Client::send`] gives a
//! cookie, [`Client::receive`] the next answer that is complete, whichever it is. Not for serving guests: it trusts
//! the server not to send gigabytes, and has no timeouts.

use std::collections::HashMap;
use std::io::{self, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use super::limits::PAYLOAD_MAX;
use super::option::{
    ALLOCATION_CONTEXT, ContextRequest, ExportFacts, FLAG_FIXED_NEWSTYLE, FLAG_NO_ZEROES, GO,
    INFO_BLOCK_SIZE, Info, InfoRequest, OPTION_REPLY_BYTES, OptionReply, Replies, SET_META_CONTEXT,
    STRUCTURED_REPLY, decode_greeting, decode_option_reply, encode_option,
};
use super::reply::{CHUNK_DONE, ChunkHeader, Payload, ReplyHeader};
use super::wire::{Command, ReplyError, Request, command_flags};

/// More than any chunk may have: the longest data, and its header.
const CHUNK_MAX: u32 = PAYLOAD_MAX + 1024;

/// A connection to an export.
pub struct Client {
    stream: UnixStream,
    replies: BufReader<UnixStream>,
    facts: ExportFacts,
    cookies_made: u64,
    in_flight: HashMap<u64, Partial>,
}

/// A request whose answer is not complete.
struct Partial {
    request: Request,
    answer: ClientReply,
}

/// The server's answer to one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientReply {
    /// The one that [`Client::send`] gave.
    pub cookie: u64,
    /// The error, if it failed.
    pub error: Option<ReplyError>,
    /// Bytes of the disk, for a read.
    pub data: Vec<u8>,
    /// Length and [`super::reply::extent_flags`] of extents, for a `BlockStatus`.
    pub extents: Vec<(u32, u32)>,
}

impl Client {
    /// Connects to `export` behind the Unix socket at `path`. With structured replies, block status is negotiated too.
    ///
    /// # Errors
    /// If there is no listener, the server does not have the export, or does not follow the protocol.
    pub fn connect(path: &Path, export: &str, replies: Replies) -> io::Result<Self> {
        Self::over(UnixStream::connect(path)?, export, replies)
    }

    /// Returns the same over a socket that is connected already.
    ///
    /// # Errors
    /// As above.
    pub fn over(mut stream: UnixStream, export: &str, replies: Replies) -> io::Result<Self> {
        let mut from_server = BufReader::with_capacity(256 << 10, stream.try_clone()?);
        decode_greeting(&read_array(&mut from_server)?).ok_or_else(|| broken("greeting of an NBD server"))?;
        stream.write_all(&u32::from(FLAG_FIXED_NEWSTYLE | FLAG_NO_ZEROES).to_be_bytes())?;
        if replies == Replies::Structured {
            ask(&mut stream, &mut from_server, STRUCTURED_REPLY, &[], |_| {})?;
            let contexts = ContextRequest { name: export, queries: vec![ALLOCATION_CONTEXT] };
            ask(&mut stream, &mut from_server, SET_META_CONTEXT, &contexts.encode(), |_| {})?;
        }
        let mut facts = ExportFacts::UNTOLD;
        let request = InfoRequest { name: export, kinds: vec![INFO_BLOCK_SIZE] };
        ask(&mut stream, &mut from_server, GO, &request.encode(), |payload| match Info::decode(payload) {
            Some(Info::Export { size, flags }) => (facts.size, facts.flags) = (size, flags),
            Some(Info::BlockSize { min, preferred, max }) => {
                (facts.block_min, facts.block_preferred, facts.payload_max) = (min, preferred, max);
            }
            _ => {}
        })?;
        Ok(Self { stream, replies: from_server, facts, cookies_made: 0, in_flight: HashMap::new() })
    }

    /// Returns the connection, for another that sends requests over it.
    ///
    /// # Errors
    /// If requests are in flight, or the server sent something unrequested.
    pub fn into_stream(self) -> io::Result<UnixStream> {
        if self.in_flight.is_empty() && self.replies.buffer().is_empty() {
            Ok(self.stream)
        } else {
            Err(broken("nothing before the first request"))
        }
    }

    /// Returns the facts that the server reported about the export.
    pub fn facts(&self) -> ExportFacts {
        self.facts
    }

    /// Reads `length` bytes at `offset`. Only with nothing else in flight, like all of this kind.
    ///
    /// # Errors
    /// If the server answers with an error or not at all.
    pub fn read(&mut self, offset: u64, length: u32) -> io::Result<Vec<u8>> {
        Ok(self.one(Command::Read, 0, offset, length, &[])?.data)
    }

    /// Writes `bytes` at `offset`.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub fn write(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.one(Command::Write, 0, offset, length_of(bytes), bytes).map(drop)
    }

    /// Writes `bytes` at `offset` and makes them durable.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub fn write_durably(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.one(Command::Write, command_flags::FUA, offset, length_of(bytes), bytes).map(drop)
    }

    /// Makes everything durable that was answered so far, on any connection.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub fn flush(&mut self) -> io::Result<()> {
        self.one(Command::Flush, 0, 0, 0, &[]).map(drop)
    }

    /// Discards `length` bytes at `offset`.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub fn trim(&mut self, offset: u64, length: u32) -> io::Result<()> {
        self.one(Command::Trim, 0, offset, length, &[]).map(drop)
    }

    /// Makes `length` bytes at `offset` read as zeroes.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub fn write_zeroes(&mut self, offset: u64, length: u32) -> io::Result<()> {
        self.one(Command::WriteZeroes, 0, offset, length, &[]).map(drop)
    }

    /// Returns the parts of `length` bytes at `offset` that hold data; may describe fewer bytes.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub fn block_status(&mut self, offset: u64, length: u32) -> io::Result<Vec<(u32, u32)>> {
        Ok(self.one(Command::BlockStatus, 0, offset, length, &[])?.extents)
    }

    /// Disconnects in order and closes the connection; answers still in flight are lost.
    ///
    /// # Errors
    /// If the server is gone.
    pub fn disconnect(mut self) -> io::Result<()> {
        let request = Request { flags: 0, command: Command::Disconnect, cookie: 0, offset: 0, length: 0 };
        self.stream.write_all(&request.encode())
    }

    /// Sends a request, `payload` being that of a write, and returns its cookie. Blocks while the server does not
    /// read; answers must be received now and then.
    ///
    /// # Errors
    /// If the server is gone.
    pub fn send(
        &mut self,
        command: Command,
        flags: u16,
        offset: u64,
        length: u32,
        payload: &[u8],
    ) -> io::Result<u64> {
        let cookie = self.cookies_made;
        self.cookies_made += 1;
        let request = Request { flags, command, cookie, offset, length };
        let mut bytes = Vec::with_capacity(super::wire::REQUEST_BYTES + payload.len());
        bytes.extend_from_slice(&request.encode());
        bytes.extend_from_slice(payload);
        self.stream.write_all(&bytes)?;
        let answer = ClientReply { cookie, error: None, data: Vec::new(), extents: Vec::new() };
        self.in_flight.insert(cookie, Partial { request, answer });
        Ok(cookie)
    }

    /// Receives the next complete answer.
    ///
    /// # Errors
    /// If the server is gone or does not follow the protocol. That a request failed is in its answer.
    pub fn receive(&mut self) -> io::Result<ClientReply> {
        loop {
            let magic = read_array::<4>(&mut self.replies)?;
            let mut bytes = magic.to_vec();
            let header_bytes = ReplyHeader::bytes_after(magic).ok_or_else(|| broken("a reply"))?;
            bytes.resize(header_bytes, 0);
            self.replies.read_exact(&mut bytes[4..])?;
            let done = match ReplyHeader::decode(&bytes).ok_or_else(|| broken("a reply"))? {
                ReplyHeader::Simple { error, cookie } => self.simple(error, cookie)?,
                ReplyHeader::Chunk(header) => self.chunk(header)?,
            };
            if let Some(cookie) = done {
                let partial = self.in_flight.remove(&cookie).ok_or_else(|| broken("a known cookie"))?;
                return Ok(partial.answer);
            }
        }
    }

    fn simple(&mut self, error: Option<ReplyError>, cookie: u64) -> io::Result<Option<u64>> {
        let partial = self.in_flight.get_mut(&cookie).ok_or_else(|| broken("a known cookie"))?;
        partial.answer.error = error;
        if error.is_none() && partial.request.command == Command::Read {
            partial.answer.data.resize(partial.request.length as usize, 0);
            self.replies.read_exact(&mut partial.answer.data)?;
        }
        Ok(Some(cookie))
    }

    fn chunk(&mut self, header: ChunkHeader) -> io::Result<Option<u64>> {
        if header.length > CHUNK_MAX {
            return Err(broken("a chunk of reasonable length"));
        }
        let Partial { request, answer } =
            self.in_flight.get_mut(&header.cookie).ok_or_else(|| broken("a known cookie"))?;
        let mut bytes = vec![0; header.length as usize];
        self.replies.read_exact(&mut bytes)?;
        match Payload::decode(header.kind, &bytes).ok_or_else(|| broken("a chunk"))? {
            Payload::None => {}
            Payload::Data { offset, data } => {
                place(request, answer, offset, data.len())?.copy_from_slice(data);
            }
            Payload::Hole { offset, length } => place(request, answer, offset, length as usize)?.fill(0),
            Payload::Status { extents, .. } => answer.extents = extents,
            Payload::Error { error, .. } => answer.error = Some(error),
        }
        Ok((header.flags & CHUNK_DONE != 0).then_some(header.cookie))
    }

    fn one(
        &mut self,
        command: Command,
        flags: u16,
        offset: u64,
        length: u32,
        payload: &[u8],
    ) -> io::Result<ClientReply> {
        assert!(self.in_flight.is_empty(), "one request at a time, or `send` and `receive`");
        self.send(command, flags, offset, length, payload)?;
        let answer = self.receive()?;
        match answer.error {
            None => Ok(answer),
            Some(error) => {
                let text = format!("Cannot {command:?} {length} bytes at {offset}: server reports {error:?}");
                Err(io::Error::other(text))
            }
        }
    }
}

/// Returns the place in the answer for the bytes at `offset` of the disk.
fn place<'a>(
    request: &Request,
    answer: &'a mut ClientReply,
    offset: u64,
    length: usize,
) -> io::Result<&'a mut [u8]> {
    answer.data.resize(request.length as usize, 0);
    let start = offset.checked_sub(request.offset).and_then(|start| usize::try_from(start).ok());
    let range = start.and_then(|start| Some(start..start.checked_add(length)?));
    range.and_then(|range| answer.data.get_mut(range)).ok_or_else(|| broken("data that was asked for"))
}

/// Sends an option and reads its replies up to the last; calls back with the payload of each but that.
fn ask(
    to_server: &mut UnixStream,
    from_server: &mut impl Read,
    option: u32,
    payload: &[u8],
    mut told: impl FnMut(&[u8]),
) -> io::Result<()> {
    to_server.write_all(&encode_option(option, payload))?;
    loop {
        let head = read_array::<OPTION_REPLY_BYTES>(from_server)?;
        let Some((_, kind, length)) = decode_option_reply(&head).filter(|reply| reply.0 == option) else {
            return Err(broken("a reply to our option"));
        };
        if length > CHUNK_MAX {
            return Err(broken("a reply of reasonable length"));
        }
        let mut payload = vec![0; length as usize];
        from_server.read_exact(&mut payload)?;
        if kind.is_error() {
            let message = String::from_utf8_lossy(&payload);
            return Err(io::Error::other(format!("Server refuses option {option}: {kind:?} ({message})")));
        }
        if kind == OptionReply::Ack {
            return Ok(());
        }
        told(&payload);
    }
}

fn read_array<const N: usize>(source: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    source.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn broken(expected: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("Server broke the protocol: expected {expected}"))
}

fn length_of(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).expect("one request moves at most 32 MiB")
}
