//! Traces of virtual SCSI disks, format 1, as the hypervisor that names them so writes them.
//!
//! ```text
//!   record of 32 bytes, little endian
//!    0 serial u32   4 bytes u32   8 pieces u32   12 command u16   14 version u16   16 sector u64   24 microseconds u64
//! ```

use crate::format::Records;
use crate::input::Input;
use crate::request::{Kind, Request, SECTOR};
use crate::trace::Record;

const RECORD_BYTES: usize = 32;
/// Operation codes of SCSI, for 6, 10, 12 and 16 bytes of command.
const READS: &[u16] = &[0x08, 0x28, 0xa8, 0x88];
const WRITES: &[u16] = &[0x0a, 0x2a, 0xaa, 0x8a];
/// Upper half of the version, for format 1. The meaning of the lower half is not known, and it is ignored.
const VERSION: u16 = 1;
/// Number of records that are checked to detect the format.
const RECORDS_TRIED: usize = 64;

/// The records of a trace.
#[derive(Default)]
pub(crate) struct Vscsi {
    record: u64,
}

impl Records for Vscsi {
    fn next(&mut self, input: &mut Input) -> Result<Option<Record>, String> {
        let mut record = [0; RECORD_BYTES];
        self.record += 1;
        if input.fill(&mut record)? { decode(&record).map(Some) } else { Ok(None) }
    }

    fn place(&self) -> String {
        format!("record {}", self.record)
    }
}

/// Returns true if a trace with this front can have this format: every record has the version, and a command of one byte.
pub(crate) fn fits(front: &[u8]) -> bool {
    let (records, _) = front.as_chunks::<RECORD_BYTES>();
    let is_one = |record: &[u8; RECORD_BYTES]| record[13] == 0 && decode(record).is_ok();
    !records.is_empty() && records.iter().take(RECORDS_TRIED).all(is_one)
}

fn decode(record: &[u8; RECORD_BYTES]) -> Result<Record, String> {
    let (words, _) = record.as_chunks::<8>();
    let word = |at: usize| u64::from_le_bytes(words[at]);
    // The serial number is the lower half of the first word, the version the upper one of the second.
    let version = (word(1) >> 56) as u16;
    if version != VERSION {
        return Err(format!("expected a record of version {VERSION}, found version {version}"));
    }
    let length = (word(0) >> 32) as u32;
    let command = (word(1) >> 32) as u16;
    let kind = match command {
        command if READS.contains(&command) => Kind::Read,
        command if WRITES.contains(&command) => Kind::Write,
        _ => return Ok(Record::Other),
    };
    if length == 0 {
        return Ok(Record::Other);
    }
    let sector = word(2);
    let offset =
        sector.checked_mul(SECTOR).ok_or_else(|| format!("expected a sector below 2^55, found {sector}"))?;
    Ok(Record::Request(Request { at_us: Some(word(3)), kind, offset, length, ..Request::default() }))
}
