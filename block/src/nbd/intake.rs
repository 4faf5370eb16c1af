//! Intake: decodes the replies of a server in the transmission phase, and matches them to requests.
//!
//! A pure state machine over bytes: it decides where data goes and when a request is answered, and the connection moves
//! the bytes. It trusts no server: data outside of the requested range, answers to no request, and answers that leave
//! bytes out are violations. It never allocates for what a server only claims to send.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::coverage::Coverage;
use super::option::Replies;
use super::reply::{
    CHUNK_BYTES, CHUNK_DONE, ChunkHeader, ChunkKind, EXTENT_BYTES, Payload, ReplyHeader, decode_extent,
};
use super::wire::{Command, ReplyError, Request};

/// The longest payload of a chunk that is decoded as a whole: errors, whose texts have at most 4096 bytes.
const WHOLE_PAYLOAD_MAX: usize = 8 << 10;
/// The most bytes that a step leaves in its input.
pub const MESSAGE_MAX: usize = WHOLE_PAYLOAD_MAX + CHUNK_BYTES;
/// Bytes of an [`ChunkKind::OffsetData`] before its data.
const DATA_OFFSET_BYTES: usize = 8;
/// Bytes of a [`ChunkKind::BlockStatus`] before its extents.
const CONTEXT_BYTES: usize = 4;
/// The most extents of one answer that are kept; the device asks again for the rest.
const EXTENTS_KEPT_MAX: usize = 1024;

/// All that the client waits for on one connection.
#[derive(Debug)]
pub struct Intake {
    replies: Replies,
    allocation: Option<u32>,
    awaited: HashMap<u64, PendingReply>,
    state: IntakeState,
}

/// A request whose answer is not complete.
#[derive(Debug)]
struct PendingReply {
    request: Request,
    /// Received parts of a read.
    covered: Coverage,
    answer: Answer,
}

/// The answer to one request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The first error that the server gave, with its message, if it failed.
    pub error: Option<(ReplyError, String)>,
    /// Length and [`super::reply::extent_flags`] of extents, for a `BlockStatus`.
    pub extents: Vec<(u32, u32)>,
}

/// Next step for the connection.
#[derive(Debug, PartialEq, Eq)]
pub enum IntakeStep {
    /// Wait for more input.
    NeedInput,
    /// The following bytes belong to this range in the buffer of this read; the next step is for the bytes behind them.
    Data(u64, Range<usize>),
    /// This part of the buffer of this read is zeroes.
    Zeroes(u64, Range<usize>),
    /// This request is answered.
    Answered(u64, Answer),
}

/// The server broke the protocol, in this way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation(pub Cow<'static, str>);

const UNKNOWN: Violation = violation("it answered a request that was not sent");

const fn violation(what: &'static str) -> Violation {
    Violation(Cow::Borrowed(what))
}

#[derive(Clone, Copy, Debug)]
enum IntakeState {
    /// A reply begins.
    Header,
    /// Number of bytes of extents that are left of a chunk.
    Extents { chunk: ChunkHeader, left: usize },
    /// A reply ends.
    End { cookie: u64 },
}

impl Intake {
    /// Creates an intake that awaits nothing yet. `allocation` is the number of the only context that was agreed on.
    pub fn new(replies: Replies, allocation: Option<u32>) -> Self {
        Self { replies, allocation, awaited: HashMap::new(), state: IntakeState::Header }
    }

    /// Expects an answer to `request` from now on. Its cookie must differ from all that are awaited.
    pub fn expect(&mut self, request: Request) {
        let awaited = PendingReply { request, covered: Coverage::default(), answer: Answer::default() };
        let before = self.awaited.insert(request.cookie, awaited);
        assert!(before.is_none(), "cookie {} is in use", request.cookie);
    }

    /// Takes bytes off the front of `input` until something is to be done. Leaves at most
    /// [`MESSAGE_MAX`] bytes there if it needs more.
    ///
    /// # Errors
    /// If the server broke the protocol. Nothing that follows can be understood then.
    pub fn step(&mut self, input: &mut &[u8]) -> Result<IntakeStep, Violation> {
        loop {
            let done = match self.state {
                IntakeState::Header => self.header(input)?,
                IntakeState::Extents { chunk, left } => self.extents(input, chunk, left)?,
                IntakeState::End { cookie } => Some(self.end(cookie)?),
            };
            if let Some(step) = done {
                return Ok(step);
            }
        }
    }

    /// Handles the start of a reply. Returns none if the state changed and nothing else is to be done.
    fn header(&mut self, input: &mut &[u8]) -> Result<Option<IntakeStep>, Violation> {
        let Some(magic) = input.first_chunk() else { return Ok(Some(IntakeStep::NeedInput)) };
        let length = ReplyHeader::bytes_after(*magic).ok_or(violation("it sent data that is not a reply"))?;
        let Some((head, rest)) = input.split_at_checked(length) else {
            return Ok(Some(IntakeStep::NeedInput));
        };
        match ReplyHeader::decode(head).ok_or(violation("it sent data that is not a reply"))? {
            ReplyHeader::Simple { error, cookie } => {
                *input = rest;
                self.simple(error, cookie)
            }
            ReplyHeader::Chunk(chunk) => self.chunk(chunk, rest, input),
        }
    }

    fn simple(&mut self, error: Option<ReplyError>, cookie: u64) -> Result<Option<IntakeStep>, Violation> {
        self.state = IntakeState::End { cookie };
        let awaited = self.awaited_mut(cookie)?;
        if let Some(error) = error {
            awaited.fail(error, "");
            return Ok(None);
        }
        if awaited.request.command != Command::Read {
            return Ok(None);
        }
        let Request { offset, length, .. } = awaited.request;
        Ok(Some(IntakeStep::Data(cookie, awaited.place(offset, length as usize)?)))
    }

    /// Handles a chunk whose payload begins with `rest`.
    fn chunk<'a>(
        &mut self,
        chunk: ChunkHeader,
        rest: &'a [u8],
        input: &mut &'a [u8],
    ) -> Result<Option<IntakeStep>, Violation> {
        if self.replies == Replies::Simple {
            return Err(violation("it sent a structured reply without having been asked for such"));
        }
        let length = chunk.length as usize;
        let head_bytes = match chunk.kind {
            ChunkKind::OffsetData => DATA_OFFSET_BYTES,
            ChunkKind::BlockStatus => CONTEXT_BYTES,
            _ if length > WHOLE_PAYLOAD_MAX => {
                let what = format!("it sent a text of {length} bytes, which has at most {WHOLE_PAYLOAD_MAX}");
                return Err(Violation(what.into()));
            }
            _ => length,
        };
        let Some((head, rest)) = rest.split_at_checked(head_bytes) else {
            return Ok(Some(IntakeStep::NeedInput));
        };
        let payload_is_whole = length >= head_bytes;
        let payload = Payload::decode(chunk.kind, head).filter(|_| payload_is_whole);
        let payload = payload.ok_or(violation("it sent a chunk that makes no sense"))?;
        *input = rest;
        let cookie = chunk.cookie;
        let ends = chunk.flags & CHUNK_DONE != 0;
        let allocation = self.allocation;
        let awaited = self.awaited_mut(cookie)?;
        let step = match payload {
            Payload::None => None,
            Payload::Data { offset, .. } => {
                Some(IntakeStep::Data(cookie, awaited.place(offset, length - DATA_OFFSET_BYTES)?))
            }
            Payload::Hole { offset, length } => {
                Some(IntakeStep::Zeroes(cookie, awaited.place(offset, length as usize)?))
            }
            Payload::Error { error, message, .. } => {
                awaited.fail(error, message);
                None
            }
            Payload::Status { context, .. } => {
                if awaited.request.command != Command::BlockStatus || Some(context) != allocation {
                    return Err(violation("it described extents that were not requested"));
                }
                self.state = IntakeState::Extents { chunk, left: length - CONTEXT_BYTES };
                return Ok(None);
            }
        };
        self.state = if ends { IntakeState::End { cookie } } else { IntakeState::Header };
        Ok(step)
    }

    /// Takes extents of a chunk, of which `left` bytes are missing.
    fn extents(
        &mut self,
        input: &mut &[u8],
        chunk: ChunkHeader,
        left: usize,
    ) -> Result<Option<IntakeStep>, Violation> {
        if left == 0 {
            let ends = chunk.flags & CHUNK_DONE != 0;
            self.state = if ends { IntakeState::End { cookie: chunk.cookie } } else { IntakeState::Header };
            return Ok(None);
        }
        let Some((extent, rest)) = input.split_first_chunk::<EXTENT_BYTES>() else {
            return Ok(Some(IntakeStep::NeedInput));
        };
        let left = left.checked_sub(EXTENT_BYTES).ok_or(violation("it sent a part of an extent"))?;
        let awaited = self.awaited_mut(chunk.cookie)?;
        if awaited.answer.extents.len() < EXTENTS_KEPT_MAX {
            awaited.answer.extents.push(decode_extent(*extent));
        }
        *input = rest;
        self.state = IntakeState::Extents { chunk, left };
        Ok(None)
    }

    /// Handles the end of a reply: returns the answer, if it is one.
    fn end(&mut self, cookie: u64) -> Result<IntakeStep, Violation> {
        self.state = IntakeState::Header;
        let awaited = self.awaited.remove(&cookie).ok_or(UNKNOWN)?;
        let PendingReply { request, covered, answer } = awaited;
        let whole = match request.command {
            Command::Read => covered.bytes() == request.length as usize,
            Command::BlockStatus => !answer.extents.is_empty(),
            _ => true,
        };
        if answer.error.is_none() && !whole {
            return Err(violation("it left something out of its answer"));
        }
        Ok(IntakeStep::Answered(cookie, answer))
    }

    fn awaited_mut(&mut self, cookie: u64) -> Result<&mut PendingReply, Violation> {
        self.awaited.get_mut(&cookie).ok_or(UNKNOWN)
    }
}

impl PendingReply {
    fn fail(&mut self, error: ReplyError, message: &str) {
        self.answer.error.get_or_insert_with(|| (error, message.to_owned()));
    }

    /// Returns the place in the buffer of a read for `length` bytes at `offset` of the disk. Counts them as received.
    fn place(&mut self, offset: u64, length: usize) -> Result<Range<usize>, Violation> {
        let Request { command, offset: first, length: asked, .. } = self.request;
        let start = offset.checked_sub(first).and_then(|start| usize::try_from(start).ok());
        let place = start.and_then(|start| Some(start..start.checked_add(length)?));
        let place = place.filter(|place| command == Command::Read && place.end <= asked as usize);
        let place = place.ok_or(violation("it sent data that was not requested"))?;
        self.covered.come(&place, asked as usize).map_err(violation)?;
        Ok(place)
    }
}

#[cfg(test)]
mod tests {
    use super::super::reply::simple_reply;
    use super::*;

    const READ: Request = Request { flags: 0, command: Command::Read, cookie: 7, offset: 4096, length: 1024 };
    const STATUS: Request = Request { command: Command::BlockStatus, cookie: 8, ..READ };
    const WRITE: Request = Request { command: Command::Write, cookie: 9, ..READ };

    fn intake() -> Intake {
        let mut intake = Intake::new(Replies::Structured, Some(3));
        for request in [READ, STATUS, WRITE] {
            intake.expect(request);
        }
        intake
    }

    /// Returns all steps for a server's bytes, their data skipped; the input arrives in pieces of `cut` bytes.
    fn steps(server: &[u8], cut: usize) -> Result<Vec<IntakeStep>, Violation> {
        let (mut intake, mut steps) = (intake(), Vec::new());
        let (mut consumed, mut known) = (0, cut.min(server.len()));
        loop {
            let mut input = &server[consumed..known];
            let step = intake.step(&mut input)?;
            consumed = known - input.len();
            match &step {
                IntakeStep::NeedInput if known == server.len() => return Ok(steps),
                IntakeStep::NeedInput => known = (known + cut).min(server.len()),
                IntakeStep::Data(_, place) => {
                    consumed += place.len();
                    known = known.max(consumed);
                }
                _ => {}
            }
            if step != IntakeStep::NeedInput {
                steps.push(step);
            }
        }
    }

    fn chunk(payload: &Payload, cookie: u64, flags: u16) -> Vec<u8> {
        let mut bytes = payload.encode_last(cookie);
        bytes[4..6].copy_from_slice(&flags.to_be_bytes());
        bytes
    }

    fn answered(cookie: u64) -> IntakeStep {
        IntakeStep::Answered(cookie, Answer::default())
    }

    #[test]
    fn a_read_comes_in_chunks_and_holes_in_any_order_and_amid_other_answers() {
        let server = [
            chunk(&Payload::Data { offset: 4608, data: &[1; 512] }, 7, 0),
            simple_reply(None, 9).to_vec(),
            chunk(&Payload::Status { context: 3, extents: vec![(512, 0), (512, 3)] }, 8, CHUNK_DONE),
            chunk(&Payload::Hole { offset: 4096, length: 512 }, 7, 0),
            chunk(&Payload::None, 7, CHUNK_DONE),
        ]
        .concat();
        let extents = vec![(512, 0), (512, 3)];
        let expected = [
            IntakeStep::Data(7, 512..1024),
            answered(9),
            IntakeStep::Answered(8, Answer { extents, ..Answer::default() }),
            IntakeStep::Zeroes(7, 0..512),
            answered(7),
        ];
        for cut in [1, 7, server.len()] {
            assert_eq!(steps(&server, cut).as_deref(), Ok(&expected[..]), "in pieces of {cut}");
        }
    }

    #[test]
    fn errors_come_in_both_forms_and_the_first_one_counts() {
        let error = |error, message| Payload::Error { error, message, offset: None };
        let server = [
            chunk(&error(ReplyError::NoSpace, "full"), 7, 0),
            chunk(&error(ReplyError::Io, "and more"), 7, CHUNK_DONE),
            simple_reply(Some(ReplyError::Permission), 9).to_vec(),
        ]
        .concat();
        let failed = |cookie, error, text: &str| {
            IntakeStep::Answered(cookie, Answer { error: Some((error, text.to_owned())), extents: vec![] })
        };
        let expected = [failed(7, ReplyError::NoSpace, "full"), failed(9, ReplyError::Permission, "")];
        assert_eq!(steps(&server, 5).as_deref(), Ok(&expected[..]));
    }

    #[test]
    fn a_simple_reply_brings_all_data_of_a_read() {
        let server = [simple_reply(None, 7).to_vec(), vec![5; 1024]].concat();
        assert_eq!(steps(&server, 3), Ok(vec![IntakeStep::Data(7, 0..1024), answered(7)]));
    }

    #[test]
    fn of_extents_without_end_the_first_ones_are_kept() {
        let mut intake = intake();
        // A chunk of 4 GiB, less the part that is no whole extent.
        let length = u32::MAX - 3;
        let mut head = chunk(&Payload::Status { context: 3, extents: vec![] }, 8, 0);
        head[16..20].copy_from_slice(&length.to_be_bytes());
        assert_eq!(intake.step(&mut &head[..]), Ok(IntakeStep::NeedInput));
        let some = [0, 0, 2, 0, 0, 0, 0, 3].repeat(4096);
        for _ in 0..16 {
            assert_eq!(intake.step(&mut &some[..]), Ok(IntakeStep::NeedInput));
        }
        assert_eq!(intake.awaited[&8].answer.extents, [(512, 3); EXTENTS_KEPT_MAX]);
        assert!(intake.awaited[&8].answer.extents.capacity() < 2 * EXTENTS_KEPT_MAX);
    }

    #[test]
    fn what_nobody_asked_for_and_what_is_left_out_are_violations() {
        let data =
            |offset, length: usize| chunk(&Payload::Data { offset, data: &vec![1; length] }, 7, CHUNK_DONE);
        let status = |context, extents| chunk(&Payload::Status { context, extents }, 8, CHUNK_DONE);
        for (what, server) in [
            ("no reply", vec![1; 16]),
            ("unknown cookie", simple_reply(None, 1).to_vec()),
            ("answered twice", simple_reply(None, 9).repeat(2)),
            ("data before the request", data(4095, 1024)),
            ("data behind the request", data(4097, 1024)),
            ("data far away", data(u64::MAX, 1024)),
            ("too few bytes", data(4096, 1023)),
            ("the same twice", chunk(&Payload::Hole { offset: 4096, length: 1000 }, 7, 0).repeat(2)),
            (
                "a part twice, and another not at all",
                [
                    chunk(&Payload::Hole { offset: 4096, length: 512 }, 7, 0),
                    chunk(&Payload::Hole { offset: 4096, length: 512 }, 7, CHUNK_DONE),
                ]
                .concat(),
            ),
            ("data for a write", chunk(&Payload::Hole { offset: 4096, length: 8 }, 9, 0)),
            ("nothing for a read", chunk(&Payload::None, 7, CHUNK_DONE)),
            ("no extents", status(3, vec![])),
            ("another context", status(4, vec![(1, 1)])),
            ("extents for a read", chunk(&Payload::Status { context: 3, extents: vec![] }, 7, 0)),
            ("a status without a chunk", simple_reply(None, 8).to_vec()),
            (
                "a part of an extent",
                [&status(3, vec![(1, 1)])[..19], &[9, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0]].concat(),
            ),
            ("a long text", chunk(&Payload::None, 7, 0)[..16].iter().copied().chain([0, 1, 0, 0]).collect()),
        ] {
            assert!(steps(&server, 1 << 20).is_err(), "{what}");
        }
        let text = [&chunk(&Payload::None, 7, 0)[..16], &0x0100_0000_u32.to_be_bytes()].concat();
        let Violation(what) = steps(&text, 1 << 20).expect_err("nobody takes 16 MiB of text");
        assert!(what.contains("16777216 bytes") && what.contains("at most 8192"), "{what}");
        let mut simple = Intake::new(Replies::Simple, None);
        simple.expect(READ);
        assert!(simple.step(&mut &data(4096, 1024)[..]).is_err(), "structured without agreement");
    }
}
