//! Forebay's own format: a few bytes a request, in frames with checksums. `docs/dev/trace-format.md` has every byte.
//!
//! ```text
//!   head 16 bytes │ frame │ frame │ ... │ last frame, with the totals
//!   frame: payload bytes u32 │ requests u32 │ number u32 │ CRC-32C u32 │ payload
//! ```
//! Frames are independent, so that damage is found where it is, and a file that was cut off lacks its last frame. Numbers are little
//! endian.

use crate::binary::varint::{difference, moved, put, take};
use crate::format::Records;
use crate::input::Input;
use crate::request::{Kind, Request, SECTOR};
use crate::trace::Record;

/// First bytes of a file.
pub(crate) const MAGIC: [u8; 8] = *b"FBTRACE\x1a";
pub(crate) const VERSION: u16 = 1;
pub(crate) const HEAD_BYTES: usize = 16;
pub(crate) const FRAME_HEAD_BYTES: usize = 16;
/// Maximum size of a payload in bytes.
pub(crate) const PAYLOAD_BYTES_MAX: usize = 64 << 10;
/// Maximum size of a request in bytes: a tag, a device, a time, a latency, an offset and a length.
pub(crate) const REQUEST_BYTES_MAX: usize = 1 + 5 + 10 + 10 + 10 + 5;

/// Bits of the tag. The two lowest are the kind.
const KIND: u8 = 0b11;
const OTHER_DEVICE: u8 = 1 << 2;
const SAME_LENGTH: u8 = 1 << 3;
const FOLLOWS: u8 = 1 << 4;
const HAS_TIME: u8 = 1 << 5;
const HAS_LATENCY: u8 = 1 << 6;
/// Kinds in the order of their bits.
const KINDS: [Kind; 3] = [Kind::Read, Kind::Write, Kind::Unknown];

/// Returns the head of a file.
pub(crate) fn head() -> [u8; HEAD_BYTES] {
    let mut head = [0; HEAD_BYTES];
    head[..8].copy_from_slice(&MAGIC);
    head[8..10].copy_from_slice(&VERSION.to_le_bytes());
    let crc = crc32c::crc32c(&head[..12]);
    head[12..].copy_from_slice(&crc.to_le_bytes());
    head
}

/// Returns true if a trace with this front is one.
pub(crate) fn fits(front: &[u8]) -> bool {
    front.starts_with(&MAGIC)
}

/// Values that a request inherits from the one before it in the same frame.
#[derive(Clone, Copy, Default)]
pub(crate) struct Previous {
    at_us: u64,
    device: u32,
    end_sector: u64,
    sectors: u64,
}

impl Previous {
    /// Appends a request, which must be valid.
    pub(crate) fn encode(&mut self, request: &Request, bytes: &mut Vec<u8>) {
        let Request { at_us, latency_us, kind, device, offset, length } = *request;
        let (sector, sectors) = (offset / SECTOR, u64::from(length) / SECTOR);
        let kind = KINDS.iter().position(|known| *known == kind).unwrap_or(0) as u8;
        let bit = |mask: u8, is_set: bool| if is_set { mask } else { 0 };
        bytes.push(
            kind | bit(OTHER_DEVICE, device != self.device)
                | bit(SAME_LENGTH, sectors == self.sectors)
                | bit(FOLLOWS, sector == self.end_sector)
                | bit(HAS_TIME, at_us.is_some())
                | bit(HAS_LATENCY, latency_us.is_some()),
        );
        if device != self.device {
            put(bytes, u64::from(device));
        }
        if let Some(at_us) = at_us {
            put(bytes, difference(self.at_us, at_us));
            self.at_us = at_us;
        }
        if let Some(latency_us) = latency_us {
            put(bytes, latency_us);
        }
        if sector != self.end_sector {
            put(bytes, difference(self.end_sector, sector));
        }
        if sectors != self.sectors {
            put(bytes, sectors);
        }
        (self.device, self.sectors, self.end_sector) = (device, sectors, sector + sectors);
    }

    /// Takes a request off the front; returns `None` if there is no valid one.
    fn decode(&mut self, bytes: &mut &[u8]) -> Option<Request> {
        let (tag, rest) = bytes.split_first()?;
        *bytes = rest;
        let kind = *KINDS.get(usize::from(tag & KIND))?;
        if tag & 0x80 != 0 {
            return None;
        }
        if tag & OTHER_DEVICE != 0 {
            self.device = take(bytes)?.try_into().ok()?;
        }
        let mut at_us = None;
        if tag & HAS_TIME != 0 {
            self.at_us = moved(self.at_us, take(bytes)?);
            at_us = Some(self.at_us);
        }
        let latency_us = if tag & HAS_LATENCY != 0 { Some(take(bytes)?) } else { None };
        let sector = if tag & FOLLOWS != 0 { self.end_sector } else { moved(self.end_sector, take(bytes)?) };
        if tag & SAME_LENGTH == 0 {
            self.sectors = take(bytes)?;
        }
        self.end_sector = sector.checked_add(self.sectors)?;
        let length = self.sectors.checked_mul(SECTOR)?.try_into().ok()?;
        let offset = sector.checked_mul(SECTOR)?;
        Some(Request { at_us, latency_us, kind, device: self.device, offset, length })
    }
}

/// Returns the head of a frame for its payload.
pub(crate) fn frame(number: u32, requests: u32, payload: &[u8]) -> [u8; FRAME_HEAD_BYTES] {
    assert!(payload.len() <= PAYLOAD_BYTES_MAX, "a frame was ended in time");
    let mut head = [0; FRAME_HEAD_BYTES];
    head[..4].copy_from_slice(&(payload.len() as u32).to_le_bytes());
    head[4..8].copy_from_slice(&requests.to_le_bytes());
    head[8..12].copy_from_slice(&number.to_le_bytes());
    let crc = crc32c::crc32c_append(crc32c::crc32c(&head[..12]), payload);
    head[12..].copy_from_slice(&crc.to_le_bytes());
    head
}

/// Totals of the whole file, in its last frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    /// Requests in all frames.
    pub(crate) requests: u64,
    /// Requests that are missing because its writer had no room for them.
    pub(crate) dropped: u64,
}

impl Totals {
    pub(crate) fn encode(self) -> Vec<u8> {
        let mut bytes = Vec::new();
        put(&mut bytes, self.requests);
        put(&mut bytes, self.dropped);
        bytes
    }

    fn decode(mut bytes: &[u8]) -> Option<Self> {
        let (requests, dropped) = (take(&mut bytes)?, take(&mut bytes)?);
        bytes.is_empty().then_some(Self { requests, dropped })
    }
}

/// The frames of a trace.
#[derive(Default)]
pub(crate) struct Compact {
    has_head: bool,
    payload: Vec<u8>,
    /// Position of the next request in the payload.
    at: usize,
    /// Requests that are left in the payload.
    left: u32,
    previous: Previous,
    frame: u32,
    requests: u64,
    dropped: u64,
}

impl Records for Compact {
    fn next(&mut self, input: &mut Input) -> Result<Option<Record>, String> {
        if !self.has_head {
            check_head(input)?;
            self.has_head = true;
        }
        while self.left == 0 {
            if !self.next_frame(input)? {
                return Ok(None);
            }
        }
        let mut rest = &self.payload[self.at..];
        let before = rest.len();
        let request = self.previous.decode(&mut rest);
        self.at += before - rest.len();
        self.left -= 1;
        if self.left == 0 && !rest.is_empty() {
            return Err(format!("expected its requests to fill it, found {} bytes more", rest.len()));
        }
        let request =
            request.ok_or_else(|| format!("expected a request at byte {} of its payload", self.at))?;
        self.requests += 1;
        Ok(Some(Record::Request(request)))
    }

    fn place(&self) -> String {
        // The frame that is being read; its number is counted up once its head is valid.
        format!("frame {}", self.frame.saturating_sub(u32::from(self.at > 0)))
    }

    fn dropped(&self) -> u64 {
        self.dropped
    }
}

impl Compact {
    /// Reads and checks a frame; returns false at the end of the trace.
    fn next_frame(&mut self, input: &mut Input) -> Result<bool, String> {
        self.at = 0;
        let mut head = [0; FRAME_HEAD_BYTES];
        if !input.fill(&mut head)? {
            return Err("expected a frame, but the file ends without its last one: it was cut off, or is still written".to_owned());
        }
        let (words, _) = head.as_chunks::<4>();
        let [payload_bytes, requests, number, crc] = [0, 1, 2, 3].map(|at| u32::from_le_bytes(words[at]));
        if payload_bytes as usize > PAYLOAD_BYTES_MAX || requests > payload_bytes {
            return Err(format!(
                "expected at most {PAYLOAD_BYTES_MAX} bytes, found a frame of {payload_bytes} with {requests} requests"
            ));
        }
        self.payload.resize(payload_bytes as usize, 0);
        if payload_bytes > 0 && !input.fill(&mut self.payload)? {
            return Err(format!("expected {payload_bytes} bytes, but the file ends after none of them"));
        }
        let found = crc32c::crc32c_append(crc32c::crc32c(&head[..12]), &self.payload);
        if found != crc {
            return Err(format!("expected the checksum {crc:08x}, found {found:08x}: it is damaged"));
        }
        if number != self.frame {
            return Err(format!(
                "expected number {}, found {number}: frames are missing or in disorder",
                self.frame
            ));
        }
        if requests == 0 {
            self.end(input)?;
            return Ok(false);
        }
        (self.left, self.previous) = (requests, Previous::default());
        self.frame += 1;
        Ok(true)
    }

    /// Checks the payload of the last frame: it must agree with the requests read, and nothing may follow.
    fn end(&mut self, input: &mut Input) -> Result<(), String> {
        let totals = Totals::decode(&self.payload).ok_or("expected totals, found something else")?;
        if totals.requests != self.requests {
            return Err(format!("expected {} requests in all, found {}", totals.requests, self.requests));
        }
        if input.fill(&mut [0])? {
            return Err("expected nothing after the last frame, found more".to_owned());
        }
        self.dropped = totals.dropped;
        Ok(())
    }
}

fn check_head(input: &mut Input) -> Result<(), String> {
    let mut found = [0; HEAD_BYTES];
    if !input.fill(&mut found)? {
        return Err(format!("expected a head of {HEAD_BYTES} bytes, but the file is empty"));
    }
    if found[..8] != MAGIC {
        return Err("expected a file that begins with FBTRACE, found another".to_owned());
    }
    let (version, expected) = (u16::from_le_bytes([found[8], found[9]]), head());
    match version {
        VERSION if found == expected => Ok(()),
        VERSION => Err("expected the checksum of its head, found another: it is damaged".to_owned()),
        _ => Err(format!("expected version {VERSION}, found version {version}; a newer forebay may read it")),
    }
}
