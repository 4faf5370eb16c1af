//! One request on the device: checks, execution, and the reply.
//!
//! [`check`] decides before any payload is received; [`perform`] does it; [`Failure`] is the client's error if either fails. Nothing here
//! reads from or writes to a connection.

use std::borrow::Cow;

use block::socket::{Chunk, INLINE_MAX};
use block::{BlockDevice, BlockError, Buffer, ByteRange, ErrorKind, Extent, Geometry, Unmap};

use super::handshake::ALLOCATION_CONTEXT_ID;
use super::limits::{AT_HAND_BYTES_MAX, EXTENTS_MAX, PAYLOAD_MAX, PREFETCH_BYTES_MAX};
use super::option::Replies;
use super::reply::{Payload, data_head, extent_flags, simple_reply};
use super::wire::{Command, ReplyError, Request, command_flags};

/// Terms that client and server agreed on, as far as requests depend on them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NbdTerms {
    pub(crate) replies: Replies,
    pub(crate) block_status: bool,
    /// The smallest block that the client knows, in bytes: requests are whole ones.
    pub(crate) block_min: u32,
}

/// Error of a request, as sent to the client.
#[derive(Debug)]
pub(crate) struct Failure {
    error: ReplyError,
    message: Cow<'static, str>,
}

/// Result of a request that succeeded.
pub(crate) enum ReplyPayload {
    /// It is done.
    Done,
    /// Bytes of the disk.
    Data(Buffer),
    /// Length and flags of extents.
    Extents(Vec<(u32, u32)>),
}

/// The bytes of a reply.
pub(crate) struct ReplyBytes {
    pub(crate) head: Chunk,
    pub(crate) body: Option<Chunk>,
}

/// Checks everything that can be checked without the payload.
pub(crate) fn check(request: &Request, geometry: &Geometry, terms: NbdTerms) -> Result<(), Failure> {
    let Some(flags_allowed) = flags_allowed(request.command, terms) else {
        return Err(invalid("This command is not offered"));
    };
    if request.flags & !flags_allowed != 0 {
        return Err(invalid("A flag of this command is not offered"));
    }
    if geometry.read_only && changes(request.command) {
        return Err(Failure { error: ReplyError::Permission, message: "The disk is read-only".into() });
    }
    if request.command == Command::Flush {
        let empty = request.offset == 0 && request.length == 0;
        return if empty { Ok(()) } else { Err(invalid("A flush has no offset and no length")) };
    }
    let moves_payload = matches!(request.command, Command::Read | Command::Write);
    if moves_payload && request.length > PAYLOAD_MAX {
        let message =
            format!("The request has {} bytes, and requests have at most {PAYLOAD_MAX}", request.length);
        return Err(Failure { error: ReplyError::Invalid, message: message.into() });
    }
    if request.command == Command::BlockStatus && request.length == 0 {
        return Err(invalid("The request covers nothing"));
    }
    let range = ByteRange::checked(request.offset, request.length.into());
    let Some(range) = range.filter(|range| range.end <= geometry.size) else {
        let adds = matches!(request.command, Command::Write | Command::WriteZeroes);
        let error = if adds { ReplyError::NoSpace } else { ReplyError::Invalid };
        return Err(Failure { error, message: "The request ends past the end of the disk".into() });
    };
    if !range.is_aligned(geometry.alignment.max(terms.block_min.into())) {
        return Err(invalid("The request is not a multiple of the smallest block"));
    }
    Ok(())
}

/// Returns the flags that a command may carry, or `None` if it is not offered on these terms.
fn flags_allowed(command: Command, terms: NbdTerms) -> Option<u16> {
    use command_flags::{DF, FUA, NO_HOLE, REQ_ONE};
    // FUA is legal everywhere and means nothing where nothing is written.
    match command {
        Command::Read if terms.replies == Replies::Structured => Some(FUA | DF),
        Command::Read | Command::Write | Command::Flush | Command::Trim => Some(FUA),
        Command::WriteZeroes => Some(FUA | NO_HOLE),
        Command::BlockStatus if terms.block_status => Some(FUA | REQ_ONE),
        Command::BlockStatus | Command::Cache | Command::Disconnect | Command::Unknown(_) => None,
    }
}

/// Returns true if a command changes the content of the disk.
pub(crate) fn changes(command: Command) -> bool {
    matches!(command, Command::Write | Command::Trim | Command::WriteZeroes)
}

fn invalid(message: &'static str) -> Failure {
    Failure { error: ReplyError::Invalid, message: message.into() }
}

/// Puts the reply to a read of data that the disk has in RAM at the end of `out`. Returns false if this is for [`perform`]: then nothing
/// was done.
pub(crate) fn try_reply_cached(
    device: &impl BlockDevice,
    request: &Request,
    terms: NbdTerms,
    out: &mut Vec<u8>,
) -> bool {
    if request.command != Command::Read || request.length == 0 || request.length > AT_HAND_BYTES_MAX {
        return false;
    }
    let start = out.len();
    match terms.replies {
        Replies::Structured => {
            out.extend_from_slice(&data_head(request.cookie, request.offset, request.length));
        }
        Replies::Simple => out.extend_from_slice(&simple_reply(None, request.cookie)),
    }
    let range = ByteRange::at(request.offset, request.length.into());
    let given = device.try_read_cached_range(range, &mut |bytes| out.extend_from_slice(bytes));
    if !given {
        out.truncate(start);
    }
    given
}

/// Returns the two halves of the range of a short read, to be prefetched one after the other, with something in between: a processor
/// fetches half a page or so at a time and drops further hints. The request may be one that no client sent.
pub(crate) fn halves_of_short_read(request: &Request) -> Option<[ByteRange; 2]> {
    let is_short = request.command == Command::Read && request.length <= PREFETCH_BYTES_MAX;
    let ByteRange { start, end } = ByteRange::checked(request.offset, request.length.into())?;
    let middle = start + (end - start) / 2;
    is_short.then(|| [ByteRange::new(start, middle), ByteRange::new(middle, end)])
}

/// Performs a request that [`check`] has passed. `payload` is that of a write.
pub(crate) async fn perform(
    device: &impl BlockDevice,
    request: &Request,
    payload: Option<Buffer>,
) -> Result<ReplyPayload, Failure> {
    let range = ByteRange::at(request.offset, request.length.into());
    match request.command {
        Command::Read if range.is_empty() => Ok(ReplyPayload::Data(Buffer::zeroed(0))),
        Command::Read => {
            let (buffer, result) = device.read(range.start, Buffer::zeroed(request.length as usize)).await;
            result?;
            Ok(ReplyPayload::Data(buffer))
        }
        Command::BlockStatus => {
            let extents = device.extents(range).await?;
            Ok(ReplyPayload::Extents(descriptors(
                &extents,
                range,
                request.flags & command_flags::REQ_ONE != 0,
            )))
        }
        _ => {
            change(device, request, range, payload).await?;
            Ok(ReplyPayload::Done)
        }
    }
}

async fn change(
    device: &impl BlockDevice,
    request: &Request,
    range: ByteRange,
    payload: Option<Buffer>,
) -> Result<(), BlockError> {
    if request.command == Command::Flush {
        return device.flush().await;
    }
    if range.is_empty() {
        return Ok(());
    }
    match (request.command, payload) {
        (Command::Write, Some(payload)) => device.write(range.start, payload).await.1?,
        (Command::Trim, _) => device.discard(range).await?,
        (Command::WriteZeroes, _) => {
            let keep = request.flags & command_flags::NO_HOLE != 0;
            device.write_zeroes(range, if keep { Unmap::Forbidden } else { Unmap::Allowed }).await?;
        }
        (command, _) => unreachable!("{command:?} was checked and changes nothing"),
    }
    if request.flags & command_flags::FUA != 0 {
        // Only a flush that starts after the write completed covers it.
        device.flush().await?;
    }
    Ok(())
}

/// Returns the extents as the protocol wants them: from the start of `range` without gaps, equal neighbours joined.
fn descriptors(extents: &[Extent], range: ByteRange, only_one: bool) -> Vec<(u32, u32)> {
    let mut all: Vec<(u32, u32)> = Vec::new();
    let most = if only_one { 1 } else { EXTENTS_MAX };
    for extent in extents {
        let length = extent.range.intersection(&range).len() as u32;
        let flags = if extent.allocated { 0 } else { extent_flags::HOLE | extent_flags::ZERO };
        if length == 0 {
            continue;
        }
        if let Some(last) = all.last_mut()
            && last.1 == flags
        {
            last.0 += length;
        } else if all.len() < most {
            all.push((length, flags));
        } else {
            break;
        }
    }
    if all.is_empty() {
        // "Allocated" is always a true answer, and at least one extent is requested.
        all.push((range.len() as u32, 0));
    }
    all
}

impl From<BlockError> for Failure {
    fn from(error: BlockError) -> Self {
        tracing::debug!(%error, "a request of a guest failed");
        let number = match error.kind {
            ErrorKind::InvalidRequest => ReplyError::Invalid,
            ErrorKind::ReadOnly => ReplyError::Permission,
            ErrorKind::NoSpace => ReplyError::NoSpace,
            ErrorKind::Unsupported => ReplyError::Unsupported,
            ErrorKind::Io
            | ErrorKind::Gone
            | ErrorKind::Corrupt
            | ErrorKind::Unanswered
            | ErrorKind::Untried => ReplyError::Io,
        };
        // The reason stays here: it may name paths of the host.
        Self { error: number, message: error.kind.to_string().into() }
    }
}

/// Returns the reply to `request`.
pub(crate) fn reply(
    request: &Request,
    terms: NbdTerms,
    outcome: Result<ReplyPayload, Failure>,
) -> ReplyBytes {
    let cookie = request.cookie;
    let only = |bytes: &[u8]| ReplyBytes { head: chunk_of(bytes), body: None };
    match (outcome, terms.replies) {
        (Ok(ReplyPayload::Done), _) => only(&simple_reply(None, cookie)),
        (Ok(ReplyPayload::Data(data)), Replies::Structured) if data.is_empty() => {
            only(&Payload::None.encode_last(cookie))
        }
        (Ok(ReplyPayload::Data(data)), Replies::Structured) => {
            let head = Chunk::inline(&data_head(cookie, request.offset, request.length));
            ReplyBytes { head, body: Some(whole(data)) }
        }
        (Ok(ReplyPayload::Data(data)), Replies::Simple) => {
            ReplyBytes { head: Chunk::inline(&simple_reply(None, cookie)), body: Some(whole(data)) }
        }
        (Ok(ReplyPayload::Extents(extents)), _) => {
            only(&Payload::Status { context: ALLOCATION_CONTEXT_ID, extents }.encode_last(cookie))
        }
        (Err(failure), Replies::Simple) => only(&simple_reply(Some(failure.error), cookie)),
        (Err(failure), Replies::Structured) => {
            let payload = Payload::Error { error: failure.error, message: &failure.message, offset: None };
            only(&payload.encode_last(cookie))
        }
    }
}

fn whole(buffer: Buffer) -> Chunk {
    let range = 0..buffer.len();
    Chunk::Buffer { buffer, range }
}

fn chunk_of(bytes: &[u8]) -> Chunk {
    if bytes.len() <= INLINE_MAX { Chunk::inline(bytes) } else { whole(Buffer::copy_of(bytes)) }
}
