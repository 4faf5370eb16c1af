//! The segment table: who owns each segment and in which generation. Two slots, written in turn.
//!
//! The table is durable before the first batch of a segment's new generation (rule I7), so content of an earlier generation that is left in
//! the segment can be distinguished from the present one. Every device of a pool has a copy of the whole; the newest one counts.
//!
//! ```text
//! 32  8   turn: the slot with the higher turn is current
//! 40  4   segments
//! 44  4   zero
//! 48  16  per segment: owner (4; see `owner.rs`), copy (4; 0 the first, 1 the second), generation (8)
//! ```
//! A segment that is mirrored has two entries of the same owner and generation, on two devices.

use super::PoolId;
use super::codec::{Decoder, Encoder, FRAME_BYTES, FrameError};
use super::owner;
use crate::types::limits::PAGE_BYTES;
use crate::types::units::{SegmentOwner, Sequence};

const MAGIC: [u8; 8] = *b"FBYTABLE";
const HEAD_BYTES: usize = 16;
const ENTRY_BYTES: usize = 16;

/// One segment's entry: its owner, generation, and which copy it is; none while it is free.
pub type TableEntry = Option<(SegmentOwner, Sequence, CopyNumber)>;

/// Number of a copy of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CopyNumber {
    /// The one that is read; the only one if there is no second.
    First,
    /// A complete copy of all log records of the first one, and of writes of guests there; not of clean pages.
    Second,
}

/// Keeps the newest generation in a table though its segment may be free by now: content that is left there is then known to be from before
/// this table, and not behind a newer one that is damaged.
pub fn keep_newest(entries: &mut [TableEntry], newest: Sequence) {
    if entries.iter().flatten().all(|(_, generation, _)| *generation != newest)
        && let Some(free) = entries.iter_mut().find(|entry| entry.is_none())
    {
        *free = Some((SegmentOwner::Invalid, newest, CopyNumber::First));
    }
}

/// Returns the number of pages of one slot for `segments` segments.
pub fn pages_for(segments: u32) -> u32 {
    (FRAME_BYTES + HEAD_BYTES + segments as usize * ENTRY_BYTES).div_ceil(PAGE_BYTES) as u32
}

/// Encodes the table as bytes, to be written to the start of a slot.
pub fn encode(pool: PoolId, turn: u64, entries: &[TableEntry]) -> Vec<u8> {
    let segments = entries.len() as u32;
    let mut bytes = vec![0; pages_for(segments) as usize * PAGE_BYTES];
    let mut encoder = Encoder::new(&mut bytes, MAGIC, pool);
    encoder.u64(turn);
    encoder.u32(segments);
    encoder.u32(0);
    for (entry, line) in entries.iter().zip(encoder.lines::<ENTRY_BYTES>(entries.len())) {
        let (owner, copy, generation) = match *entry {
            Some((owner, generation, copied)) => {
                (owner::number(owner), u32::from(copied == CopyNumber::Second), generation.0)
            }
            None => (owner::FREE, 0, 0),
        };
        line[..4].copy_from_slice(&owner.to_le_bytes());
        line[4..8].copy_from_slice(&copy.to_le_bytes());
        line[8..].copy_from_slice(&generation.to_le_bytes());
    }
    encoder.finish();
    bytes
}

/// Returns the bytes of the table that a slot starts with, by its first page; none if there is no table. Nothing is checked yet.
pub fn length(first_page: &[u8], segments_max: u32) -> Option<usize> {
    let at = FRAME_BYTES + 8;
    let segments = u32::from_le_bytes(first_page[at..at + 4].try_into().expect("four bytes"));
    let is_table = first_page.starts_with(&MAGIC) && segments <= segments_max;
    is_table.then(|| pages_for(segments) as usize * PAGE_BYTES)
}

/// Reads a table: its turn and one entry per segment.
///
/// # Errors
/// Why it is no table of this pool.
pub fn decode(bytes: &[u8], pool: PoolId) -> Result<(u64, Vec<TableEntry>), FrameError> {
    let mut decoder = Decoder::of_pool(bytes, MAGIC, pool)?;
    let (turn, segments, _) = (decoder.u64(), decoder.u32(), decoder.u32());
    if pages_for(segments) as usize * PAGE_BYTES != bytes.len() {
        return Err(FrameError::Field("segments"));
    }
    let entries = (0..segments).map(|_| {
        let (owner, copy, generation) = (decoder.u32(), decoder.u32(), decoder.u64());
        let copied = if copy == 0 { CopyNumber::First } else { CopyNumber::Second };
        owner::from_number(owner).map(|owner| (owner, Sequence(generation), copied))
    });
    Ok((turn, entries.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::units::DiskId;

    #[test]
    fn the_newest_generation_stands_in_a_table_once() {
        let owned = Some((DiskId(1).into(), Sequence(7), CopyNumber::First));
        let mut entries = [owned, None, None];
        keep_newest(&mut entries, Sequence(7));
        assert_eq!(entries, [owned, None, None]);
        keep_newest(&mut entries, Sequence(9));
        assert_eq!(entries, [owned, Some((SegmentOwner::Invalid, Sequence(9), CopyNumber::First)), None]);
        let mut full = [owned];
        keep_newest(&mut full, Sequence(9));
        assert_eq!(full, [owned], "no segment is free that could hold anything");
    }

    #[test]
    fn a_table_reads_back_as_it_was() {
        let copied = |n| if n % 5 == 0 { CopyNumber::Second } else { CopyNumber::First };
        let entries: Vec<TableEntry> = (0..500)
            .map(|n| (n % 3 != 0).then_some((DiskId(n).into(), Sequence(u64::from(n) << 40 | 7), copied(n))))
            .collect();
        let mut bytes = encode(PoolId([1; 16]), 9, &entries);
        assert_eq!(length(&bytes[..PAGE_BYTES], 500), Some(bytes.len()));
        assert_eq!(length(&bytes[..PAGE_BYTES], 499), None);
        assert_eq!(decode(&bytes, PoolId([1; 16])), Ok((9, entries)));
        assert_eq!(decode(&bytes, PoolId([2; 16])), Err(FrameError::Pool));
        bytes[4000] ^= 1;
        assert_eq!(decode(&bytes, PoolId([1; 16])), Err(FrameError::Checksum));
    }
}
