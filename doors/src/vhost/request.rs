//! One request of a virtio block device: decoding a chain of descriptors, performing it, and its status for the guest.
//!
//! ```text
//!   readable: header (type, sector) | data of a write, ranges      writable: data of a read, identity | status
//! ```
//! (Virtio 1.2, section 5.2.6.) The division of the bytes among descriptors has no meaning. [`Request::parse`] reads what the
//! guest wrote once and reads none of it again; [`perform`] moves data. Any error ends with its status, as long
//! as there is a place for it; a chain without one breaks its queue.
//!
//! Data that a disk has in memory goes from there to the guest's, by [`super::request_batch`], before any state is created that could wait. All
//! else is copied between guest memory and a buffer of ours, once: a guest can change its memory at any moment. Bytes that are verified
//! against a checksum, kept in RAM, or written to two places have to be out of its reach, or it could make a clean page differ from its
//! backing, one copy from the other, and flash look damaged.

use std::ops::Range;

use block::{BlockDevice, BlockError, Buffer, ByteRange, ErrorKind, Unmap};
use vm_memory::GuestAddress;

use super::chain::{Chain, Segment, Segments};
use super::config::SECTOR;
use super::limits::{
    AT_HAND_BYTES_MAX, CHANGE_BYTES, DATA_BYTES_MAX, DISCARD_SECTORS_MAX, RANGES_MAX, REQUEST_BYTES,
    TOGETHER_BYTES_MAX, ZEROES_SECTORS_MAX,
};
use super::memory::{Memory, Outside};

/// Bytes of the header: type, reserved, sector.
const HEADER_BYTES: usize = 16;
/// Bytes of one range of a discard or of zeroes: sector, sectors, flags.
const RANGE_BYTES: usize = 16;
/// Bytes of the text that names a disk.
pub(crate) const IDENTITY_BYTES: usize = crate::serial::SERIAL_BYTES;

/// The flag of a range of zeroes that lets storage go.
const UNMAP: u32 = 1;

mod kind {
    pub(super) const IN: u32 = 0;
    pub(super) const OUT: u32 = 1;
    pub(super) const FLUSH: u32 = 4;
    pub(super) const GET_ID: u32 = 8;
    pub(super) const DISCARD: u32 = 11;
    pub(super) const WRITE_ZEROES: u32 = 13;
}

/// Status of a request for the guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// It is done.
    Done = 0,
    /// It failed, and its data is unknown.
    Failed = 1,
    /// The device does not do such a thing.
    Unsupported = 2,
}

/// Operation of a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RequestOperation {
    Read {
        offset: u64,
        length: u64,
    },
    Write {
        offset: u64,
        length: u64,
    },
    Flush,
    Identify,
    Discard(Vec<ByteRange>),
    WriteZeroes(Vec<(ByteRange, Unmap)>),
    /// Nothing that can be done.
    Nothing(Status),
}

/// A request that was decoded, or that has at least a place for an error status.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) asked: RequestOperation,
    segments: Segments,
    /// Segments with the data of a write, or the room for the answer.
    data: Range<usize>,
    status_at: GuestAddress,
}

/// Terms for the execution of requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExecutionTerms {
    /// Every write is durable before it is answered, because the guest sends no flush.
    pub(crate) write_through: bool,
    /// The text that names the disk, filled with zeroes.
    pub(crate) identity: [u8; IDENTITY_BYTES],
}

impl Request {
    /// Understands a chain.
    ///
    /// # Errors
    /// Why there is no place for a status.
    #[inline]
    pub(crate) fn parse(memory: &Memory, chain: Chain) -> Result<Self, &'static str> {
        let Chain { mut segments, readable } = chain;
        let (read, written) = segments.split_at_mut(readable);
        let (status_at, answered) =
            take_last_byte(written).ok_or("a request without a place for its status")?;
        if !memory.holds(status_at, 1) {
            return Err("a request whose status lies outside of memory");
        }
        let mut read = Readable { memory, segments: read, from: 0 };
        let asked = understand(&mut read, &written[..answered]).unwrap_or_else(RequestOperation::Nothing);
        let data = match asked {
            RequestOperation::Read { .. } | RequestOperation::Identify => readable..readable + answered,
            RequestOperation::Write { .. } => read.from..readable,
            // Nothing is moved.
            _ => 0..0,
        };
        if segments.spilled() {
            // Segments of a guest that sends many small pieces are kept in exactly the memory that they take.
            segments = Segments::from_slice(&segments[data.clone()]);
            return Ok(Self { asked, data: 0..segments.len(), segments, status_at });
        }
        Ok(Self { asked, segments, data, status_at })
    }

    /// Returns the bytes that it counts for while it is in flight: its data, and the descriptors that are kept.
    pub(crate) fn held_bytes(&self) -> u64 {
        let data = match self.asked {
            RequestOperation::Read { length, .. } | RequestOperation::Write { length, .. } => length,
            RequestOperation::Discard(_) | RequestOperation::WriteZeroes(_) => CHANGE_BYTES,
            RequestOperation::Flush | RequestOperation::Identify | RequestOperation::Nothing(_) => 0,
        };
        data + REQUEST_BYTES + (self.data.len() * size_of::<Segment>()) as u64
    }

    /// Returns true for a read of so little that it may be taken together with others.
    pub(crate) fn is_short_read(&self) -> bool {
        self.cacheable_range().is_some() && self.held_bytes() <= TOGETHER_BYTES_MAX
    }

    /// Returns the range of a read that may be answered without waiting for the budget, if it is one. An empty read is none.
    pub(crate) fn cacheable_range(&self) -> Option<ByteRange> {
        let RequestOperation::Read { offset, length } = self.asked else { return None };
        let range = ByteRange::checked(offset, length)?;
        (!range.is_empty() && self.held_bytes() <= AT_HAND_BYTES_MAX).then_some(range)
    }

    /// Returns the segments with the data of a write, or the room for the answer.
    pub(crate) fn data(&self) -> &[Segment] {
        &self.segments[self.data.clone()]
    }

    /// Returns the address of its status.
    pub(crate) fn status_at(&self) -> GuestAddress {
        self.status_at
    }
}

/// The readable part of a request that was not taken yet.
struct Readable<'a> {
    memory: &'a Memory,
    segments: &'a mut [Segment],
    /// Those in front of this one were taken.
    from: usize,
}

fn understand(readable: &mut Readable<'_>, writable: &[Segment]) -> Result<RequestOperation, Status> {
    let memory = readable.memory;
    let header: [u8; HEADER_BYTES] = readable.take_bytes()?;
    let word = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let sector = u64::from(word(8)) | u64::from(word(12)) << 32;
    match word(0) {
        kind::IN => {
            let (offset, length) = place(memory, sector, writable)?;
            Ok(RequestOperation::Read { offset, length })
        }
        kind::OUT => {
            let (offset, length) = place(memory, sector, readable.left())?;
            Ok(RequestOperation::Write { offset, length })
        }
        kind::FLUSH => Ok(RequestOperation::Flush),
        kind::GET_ID => Ok(RequestOperation::Identify),
        kind::DISCARD => {
            let ranges = ranges(readable, DISCARD_SECTORS_MAX)?;
            let flagged = ranges.iter().any(|(_, flags)| *flags != 0);
            if flagged {
                Err(Status::Unsupported)
            } else {
                Ok(RequestOperation::Discard(ranges.into_iter().map(|(range, _)| range).collect()))
            }
        }
        kind::WRITE_ZEROES => {
            let ranges = ranges(readable, ZEROES_SECTORS_MAX)?;
            let unmap = |(range, flags): (ByteRange, u32)| match flags {
                0 => Ok((range, Unmap::Forbidden)),
                UNMAP => Ok((range, Unmap::Allowed)),
                _ => Err(Status::Unsupported),
            };
            Ok(RequestOperation::WriteZeroes(ranges.into_iter().map(unmap).collect::<Result<_, _>>()?))
        }
        _ => Err(Status::Unsupported),
    }
}

/// Returns offset and length in bytes of the data of a read or write on the disk; the segments are memory then.
fn place(memory: &Memory, sector: u64, segments: &[Segment]) -> Result<(u64, u64), Status> {
    let length = length_of(segments);
    let offset = sector.checked_mul(SECTOR).ok_or(Status::Failed)?;
    let possible = length <= DATA_BYTES_MAX
        && length.is_multiple_of(SECTOR)
        && offset.checked_add(length).is_some()
        && segments.iter().all(|segment| memory.holds(segment.at, segment.length.into()));
    if possible { Ok((offset, length)) } else { Err(Status::Failed) }
}

/// Returns the ranges of a discard or of zeroes, with their flags.
fn ranges(readable: &mut Readable<'_>, sectors_max: u32) -> Result<Vec<(ByteRange, u32)>, Status> {
    let length = length_of(readable.left());
    let count = length / RANGE_BYTES as u64;
    if count == 0 || count > u64::from(RANGES_MAX) || !length.is_multiple_of(RANGE_BYTES as u64) {
        return Err(Status::Failed);
    }
    let mut ranges = Vec::with_capacity(count as usize);
    for _ in 0..count {
        let bytes: [u8; RANGE_BYTES] = readable.take_bytes()?;
        let (sector, rest) = bytes.split_first_chunk::<8>().expect("a range has sixteen bytes");
        let (sectors, flags) = rest.split_first_chunk::<4>().expect("a range has sixteen bytes");
        let flags = u32::from_le_bytes([flags[0], flags[1], flags[2], flags[3]]);
        let sectors = u32::from_le_bytes(*sectors);
        let start = u64::from_le_bytes(*sector).checked_mul(SECTOR);
        let range = start.and_then(|start| ByteRange::checked(start, u64::from(sectors) * SECTOR));
        let range = range.filter(|_| sectors <= sectors_max).ok_or(Status::Failed)?;
        ranges.push((range, flags));
    }
    Ok(ranges)
}

fn length_of(segments: &[Segment]) -> u64 {
    segments.iter().map(|segment| u64::from(segment.length)).sum()
}

/// Takes the last byte off. Returns where it is, and how many segments have the rest.
fn take_last_byte(segments: &mut [Segment]) -> Option<(GuestAddress, usize)> {
    let index = segments.iter().rposition(|segment| segment.length > 0)?;
    let last = &mut segments[index];
    last.length -= 1;
    let at = last.at.0.checked_add(last.length.into()).map(GuestAddress)?;
    Some((at, index + usize::from(last.length > 0)))
}

impl Readable<'_> {
    /// Returns the segments that were not taken.
    fn left(&self) -> &[Segment] {
        &self.segments[self.from..]
    }

    /// Reads the first bytes and takes them off.
    fn take_bytes<const N: usize>(&mut self) -> Result<[u8; N], Status> {
        let (mut bytes, mut have) = ([0; N], 0);
        while have < N {
            let segment = self.segments.get_mut(self.from).ok_or(Status::Failed)?;
            let count = (N - have).min(segment.length as usize);
            let part = &mut bytes[have..have + count];
            self.memory.read(segment.at, part).map_err(|Outside| Status::Failed)?;
            have += count;
            // It does not exceed the largest address: as many bytes have just been there.
            segment.at.0 = segment.at.0.wrapping_add(count as u64);
            segment.length -= count as u32;
            self.from += usize::from(segment.length == 0);
        }
        Ok(bytes)
    }
}

/// Performs a request and writes its status for the guest. Returns how many bytes were written to its memory.
pub(crate) async fn perform(
    device: &impl BlockDevice,
    memory: &Memory,
    request: Request,
    terms: ExecutionTerms,
) -> u32 {
    let Request { asked, segments, data, status_at } = request;
    let segments = &segments[data];
    let outcome = match asked {
        RequestOperation::Nothing(status) => Err(status),
        RequestOperation::Read { offset, length } => read(device, memory, offset, length, segments).await,
        RequestOperation::Identify => scatter(memory, segments, &terms.identity),
        RequestOperation::Flush => device.flush().await.map(|()| 0).map_err(|error| status_of(&error)),
        asked => change(device, memory, asked, segments, terms.write_through).await.map(|()| 0),
    };
    conclude(memory, status_at, outcome)
}

/// Writes the status of a request for the guest. Returns how many bytes were written to its memory.
pub(crate) fn conclude(memory: &Memory, status_at: GuestAddress, outcome: Result<u32, Status>) -> u32 {
    let (status, written) = match outcome {
        Ok(written) => (Status::Done, written),
        Err(status) => (status, 0),
    };
    // That it is memory was seen before, and this map of it does not change.
    memory.write(status_at, &[status as u8]).unwrap_or(());
    written + 1
}

async fn read(
    device: &impl BlockDevice,
    memory: &Memory,
    offset: u64,
    length: u64,
    answer: &[Segment],
) -> Result<u32, Status> {
    if length == 0 {
        return Ok(0);
    }
    let (buffer, result) = device.read(offset, Buffer::zeroed(length as usize)).await;
    result.map_err(|error| status_of(&error))?;
    scatter(memory, answer, &buffer)
}

async fn change(
    device: &impl BlockDevice,
    memory: &Memory,
    asked: RequestOperation,
    data: &[Segment],
    durable: bool,
) -> Result<(), Status> {
    let failed = |error: BlockError| status_of(&error);
    match asked {
        RequestOperation::Write { length: 0, .. } => {}
        RequestOperation::Write { offset, length } => {
            let buffer = gather(memory, data, length)?;
            device.write(offset, buffer).await.1.map_err(failed)?;
        }
        RequestOperation::Discard(ranges) => {
            for range in ranges.into_iter().filter(|range| !range.is_empty()) {
                device.discard(range).await.map_err(failed)?;
            }
        }
        RequestOperation::WriteZeroes(ranges) => {
            for (range, unmap) in ranges.into_iter().filter(|(range, _)| !range.is_empty()) {
                device.write_zeroes(range, unmap).await.map_err(failed)?;
            }
        }
        other => unreachable!("{other:?} changes nothing"),
    }
    if durable {
        // Only a flush that starts after the write completed covers it.
        device.flush().await.map_err(failed)?;
    }
    Ok(())
}

/// Copies the content of the segments.
fn gather(memory: &Memory, segments: &[Segment], length: u64) -> Result<Buffer, Status> {
    let mut buffer = Buffer::zeroed(length as usize);
    let mut rest = &mut buffer[..];
    for segment in segments {
        let (part, behind) = rest.split_at_mut(segment.length as usize);
        memory.read(segment.at, part).map_err(|Outside| Status::Failed)?;
        rest = behind;
    }
    Ok(buffer)
}

/// Copies as many bytes as the segments take. Returns how many.
fn scatter(memory: &Memory, segments: &[Segment], bytes: &[u8]) -> Result<u32, Status> {
    let mut answer = Scatter::new(memory, segments);
    answer.put(bytes);
    answer.finish()
}

/// Bytes on their way to segments of guest memory, piece by piece.
pub(crate) struct Scatter<'a> {
    memory: &'a Memory,
    segments: std::slice::Iter<'a, Segment>,
    /// Rest of the segment that is being filled.
    rest: Segment,
    written: u32,
    failed: bool,
}

impl<'a> Scatter<'a> {
    pub(crate) fn new(memory: &'a Memory, segments: &'a [Segment]) -> Self {
        let rest = Segment { at: GuestAddress(0), length: 0 };
        Self { memory, segments: segments.iter(), rest, written: 0, failed: false }
    }

    /// Copies the next bytes, as many as the segments take.
    pub(crate) fn put(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && !self.failed {
            if self.rest.length == 0 {
                let Some(next) = self.segments.next() else { return };
                self.rest = *next;
                continue;
            }
            let (part, behind) = bytes.split_at(bytes.len().min(self.rest.length as usize));
            self.failed = self.memory.write(self.rest.at, part) == Err(Outside);
            let count = part.len() as u32;
            // It does not exceed the largest address: as many bytes have just been there.
            self.rest.at = GuestAddress(self.rest.at.0.wrapping_add(count.into()));
            self.rest.length -= count;
            self.written += count;
            bytes = behind;
        }
    }

    /// Returns how many bytes were copied.
    pub(crate) fn finish(self) -> Result<u32, Status> {
        if self.failed { Err(Status::Failed) } else { Ok(self.written) }
    }
}

fn status_of(error: &BlockError) -> Status {
    tracing::debug!(%error, "a request of a guest failed");
    if error.kind == ErrorKind::Unsupported { Status::Unsupported } else { Status::Failed }
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
