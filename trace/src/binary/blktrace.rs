//! Binary output of blktrace: events of the block layer of Linux, version 7 of their format.
//!
//! ```text
//!   event of 48 bytes, in the byte order of the machine that wrote it, then `pdu length` bytes that are left out
//!    0 magic u32   4 sequence u32   8 nanoseconds u64   16 sector u64   24 bytes u32   28 action u32
//!   32 process u32   36 device u32   40 cpu u32   44 error u16   46 pdu length u16
//! ```
//! Source: `include/uapi/linux/blktrace_api.h` of Linux. One request makes several events; those of one action are taken:
//! queued if the trace has any, else issued, else completed. One file is read: join those of several CPUs with
//! `blkparse -i NAME -d FILE` first.

use crate::format::Records;
use crate::input::Input;
use crate::request::{Kind, Request, SECTOR};
use crate::trace::Record;

const EVENT_BYTES: usize = 48;
const MAGIC: u32 = 0x6561_7400;
const VERSION: u32 = 7;
/// Bits of the category, the upper half of the action.
const READ: u32 = 1 << 16;
const WRITE: u32 = 1 << 17;
/// Passed through by the block layer, so that the sector has no meaning; notified by the driver; returned.
const NO_TRANSFER: u32 = (1 << (9 + 16)) | (1 << (10 + 16)) | (1 << (13 + 16));
/// Actions, the lower half, best first: queued, issued, completed.
const ACTIONS: [u16; 3] = [1, 7, 8];

/// The events of a trace.
pub(crate) struct Blktrace {
    event: u64,
    action: u16,
}

/// Event, in either byte order.
struct Event {
    at_ns: u64,
    sector: u64,
    bytes: u32,
    action: u32,
    device: u32,
    follow: u16,
}

impl Blktrace {
    /// Selects events of the best action that occurs in the front of a trace.
    pub(crate) fn new(front: &[u8]) -> Self {
        let transfers = || events(front).filter(|event| event.kind().is_some());
        let occurs = |action: &u16| transfers().any(|event| event.action as u16 == *action);
        Self { event: 0, action: ACTIONS.into_iter().find(occurs).unwrap_or(ACTIONS[0]) }
    }
}

impl Records for Blktrace {
    fn next(&mut self, input: &mut Input) -> Result<Option<Record>, String> {
        let mut bytes = [0; EVENT_BYTES];
        self.event += 1;
        if !input.fill(&mut bytes)? {
            return Ok(None);
        }
        let event = Event::decode(&bytes)?;
        input.skip(event.follow)?;
        let Some(kind) = event.kind().filter(|_| event.action as u16 == self.action) else {
            return Ok(Some(Record::Other));
        };
        if event.bytes == 0 {
            return Ok(Some(Record::Other));
        }
        let sector = event.sector;
        let offset = sector
            .checked_mul(SECTOR)
            .ok_or_else(|| format!("expected a sector below 2^55, found {sector}"))?;
        Ok(Some(Record::Request(Request {
            at_us: Some(event.at_ns / 1000),
            latency_us: None,
            kind,
            device: event.device,
            offset,
            length: event.bytes,
        })))
    }

    fn place(&self) -> String {
        format!("event {}", self.event)
    }
}

impl Event {
    fn decode(bytes: &[u8; EVENT_BYTES]) -> Result<Self, String> {
        let (words, _) = bytes.as_chunks::<4>();
        let found = u32::from_le_bytes(words[0]);
        let is_little = match (found & !0xff == MAGIC, found.swap_bytes() & !0xff == MAGIC) {
            (true, _) => true,
            (_, true) => false,
            _ => {
                return Err(format!("expected an event that begins with 0x{MAGIC:08x}, found 0x{found:08x}"));
            }
        };
        let word =
            |at: usize| if is_little { u32::from_le_bytes(words[at]) } else { u32::from_be_bytes(words[at]) };
        let version = word(0) & 0xff;
        if version != VERSION {
            return Err(format!("expected events of version {VERSION}, found version {version}"));
        }
        // The halves of a 64-bit word are in the byte order, too.
        let long = |at: usize| {
            let (low, high) = if is_little { (word(at), word(at + 1)) } else { (word(at + 1), word(at)) };
            u64::from(high) << 32 | u64::from(low)
        };
        let last = word(11);
        let follow = if is_little { (last >> 16) as u16 } else { last as u16 };
        Ok(Self { at_ns: long(2), sector: long(4), bytes: word(6), action: word(7), device: word(9), follow })
    }

    /// Returns the direction of its transfer, if it is one.
    fn kind(&self) -> Option<Kind> {
        match self.action {
            action if action & NO_TRANSFER != 0 => None,
            action if action & WRITE != 0 => Some(Kind::Write),
            action if action & READ != 0 => Some(Kind::Read),
            _ => None,
        }
    }
}

/// Returns the whole events at the front of a trace, up to the first that is invalid.
fn events(mut front: &[u8]) -> impl Iterator<Item = Event> {
    std::iter::from_fn(move || {
        let (bytes, rest) = front.split_first_chunk()?;
        let event = Event::decode(bytes).ok()?;
        front = rest.get(usize::from(event.follow)..).unwrap_or_default();
        Some(event)
    })
}

/// Returns true if a trace with this front is one.
pub(crate) fn fits(front: &[u8]) -> bool {
    events(front).next().is_some()
}
