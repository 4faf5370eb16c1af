//! Traces of virtual SCSI disks, format 1, as the hypervisor that names them so writes them.
//!
//! ```text
//!   record of 32 bytes, little endian
//!    0 serial u32   4 bytes u32   8 pieces u32   12 command u16   14 version u16   16 sector u64   24 microseconds u64
//! ```

use std::io::{ErrorKind, Read};

use super::{Kind, Record, Request, SECTOR};

const RECORD_BYTES: usize = 32;
/// Operation codes of SCSI, for 6, 10, 12 and 16 bytes of command.
const READS: &[u16] = &[0x08, 0x28, 0xa8, 0x88];
const WRITES: &[u16] = &[0x0a, 0x2a, 0xaa, 0x8a];

/// The records of a trace.
pub(super) struct Vscsi<R> {
    bytes: R,
}

impl<R: Read> Vscsi<R> {
    pub(super) fn new(bytes: R) -> Self {
        Self { bytes }
    }

    /// The next record; `None` at the end.
    ///
    /// # Errors
    /// Says what is wrong with it, without a full stop.
    pub(super) fn next_record(&mut self) -> Result<Option<Record>, String> {
        let mut record = [0; RECORD_BYTES];
        let mut filled = 0;
        while filled < RECORD_BYTES {
            match self.bytes.read(&mut record[filled..]) {
                Ok(0) if filled == 0 => return Ok(None),
                Ok(0) => return Err("the file ends in the middle of it".to_owned()),
                Ok(count) => filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.to_string()),
            }
        }
        decode(&record).map(Some)
    }
}

fn decode(record: &[u8; RECORD_BYTES]) -> Result<Record, String> {
    let word = |at: usize| u64::from_le_bytes(record[at..at + 8].try_into().expect("eight bytes"));
    // The serial number is the lower half of the first word, the version the upper one of the second.
    let length = (word(0) >> 32) as u32;
    let command = (word(8) >> 32) as u16;
    let kind = match command {
        command if READS.contains(&command) => Kind::Read,
        command if WRITES.contains(&command) => Kind::Write,
        _ => return Ok(Record::Other),
    };
    if length == 0 {
        return Ok(Record::Other);
    }
    let sector = word(16);
    let offset = sector.checked_mul(SECTOR).ok_or_else(|| format!("sector {sector} cannot be"))?;
    Ok(Record::Request(Request { at_us: word(24), kind, offset, length }))
}
