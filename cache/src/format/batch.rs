//! Batch headers: which page of which disk each data page behind the header holds.
//!
//! A batch is one header page and the data pages that it describes, in one write. Notes about regions have no data.
//!
//! ```text
//! 32  4   owner                       | the head, the same in headers and summary pages
//! 36  4   segment                     |
//! 40  8   generation of the segment   |
//! 48  4   own place in the segment, in pages
//! 52  4   entries in this page
//! 56  8   sequence: of the batch, or number of the summary page
//! 64  4   durable: pages of this segment known to be flushed when this was written
//! 68  12  zero
//! 80  24  per entry: page (8: 48 bits page, 8 bits zero, 8 bits kind), sequence (8), seeded CRC-32C (4),
//!         place of the data in the segment, in pages (4)
//! ```
//! | kind | page | checksum | place |
//! |---|---|---|---|
//! | `fill`, `write` | of the disk | of the data, seeded | of the data |
//! | `zeroes` | the first of a range | pages of the range | 1 if its storage may be given back, else 0 |
//! | `home`, `lost` | the first of a range | pages of the range | 0 |
//! | `forget` | first of the region | of the bitmap, seeded | of the bitmap: one bit for each page of the region |
//! | `intent`, `close-intent` | the intent (`note.rs`) | number of the disk | 0 |

use block::Unmap;

use super::PoolId;
use super::codec::{Decoder, Encoder, FRAME_BYTES, FrameError};
use super::owner;
use crate::types::limits::{BATCH_PAGES_MAX, PAGE_BYTES};
use crate::types::units::{PageNumber, SegmentNumber, SegmentOwner, Sequence};

const HEADER_MAGIC: [u8; 8] = *b"FBYBATCH";

/// Bytes of the head behind the frame.
pub const HEAD_BYTES: usize = 48;
/// Bytes of one entry.
pub const ENTRY_BYTES: usize = 24;
/// Entries in one batch header at most.
pub const ENTRIES_PER_PAGE: usize = (PAGE_BYTES - FRAME_BYTES - HEAD_BYTES) / ENTRY_BYTES;

const _: () = assert!(ENTRIES_PER_PAGE >= BATCH_PAGES_MAX, "one header page describes a whole batch");
const _: () = assert!(FRAME_BYTES + HEAD_BYTES == 80, "as the picture above says");

/// Meaning of an entry, for older entries in the log of the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum EntryKind {
    /// Clean content: the backing holds the same.
    Fill = 1,
    /// A guest's write that the backing may not have yet.
    Write = 2,
    /// Zeroes of a guest in a range of pages, which the backing may not have yet.
    Zeroes = 3,
    /// All earlier entries of a range of pages are on the backing, durably (destaged).
    Destaged = 4,
    /// All earlier entries of some pages of a region are void.
    Forget = 5,
    /// A region of the backing is about to change.
    Intent = 6,
    /// The region's intent is closed.
    CloseIntent = 7,
    /// Writes of a guest to a range of pages were damaged while they were dirty.
    Lost = 8,
}

impl EntryKind {
    /// Returns the kind of a number.
    pub(super) fn from_number(number: u8) -> Option<Self> {
        [
            Self::Fill,
            Self::Write,
            Self::Zeroes,
            Self::Destaged,
            Self::Forget,
            Self::Intent,
            Self::CloseIntent,
            Self::Lost,
        ]
        .into_iter()
        .find(|kind| *kind as u8 == number)
    }

    /// Returns true if an entry stands for a range of pages and has no data page.
    pub fn is_range(self) -> bool {
        matches!(self, Self::Zeroes | Self::Destaged | Self::Lost)
    }

    /// Returns true if an entry has a data page.
    pub fn has_data(self) -> bool {
        matches!(self, Self::Fill | Self::Write | Self::Forget)
    }

    /// Returns true for changes of guests that the backing may not have: such an entry goes only when something durable replaces it (rule
    /// I8).
    pub fn is_mutation(self) -> bool {
        matches!(self, Self::Write | Self::Zeroes | Self::Lost)
    }
}

/// One entry of a header or a summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The page of the disk.
    pub page: PageNumber,
    /// Meaning of the entry.
    pub kind: EntryKind,
    /// The version of the content. Copies keep it (rule I1).
    pub sequence: Sequence,
    /// Checksum of the content, seeded with disk, page and sequence; of a range, its pages.
    pub seeded_checksum: u32,
    /// Place of the data, in pages from the start of the segment; of zeroes, whether their storage may be deallocated.
    pub place: u32,
}

/// Returns the value in the place field of an entry of zeroes.
pub(crate) fn place_of_zeroes(unmap: Unmap) -> u32 {
    u32::from(unmap == Unmap::Allowed)
}

/// Reads it back. Before it had a meaning it was 0: such zeroes keep their storage, which is always right.
pub(crate) fn unmap_of_zeroes(place: u32) -> Unmap {
    if place == 1 { Unmap::Allowed } else { Unmap::Forbidden }
}

/// Segment and generation that a header or a summary belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Owner of the segment.
    pub owner: SegmentOwner,
    /// The segment.
    pub segment: SegmentNumber,
    /// Generation of the segment.
    pub generation: Sequence,
    /// Own place in the segment, in pages.
    pub place: u32,
    /// Sequence of the batch, or number of the summary page.
    pub sequence: Sequence,
    /// Pages of this segment that were known to be flushed.
    pub durable: u32,
}

/// Encodes a batch header into one page.
pub fn encode_header(page: &mut [u8], pool: PoolId, head: &Head, entries: &[Entry]) {
    assert!(entries.len() <= ENTRIES_PER_PAGE);
    let mut encoder = Encoder::new(page, HEADER_MAGIC, pool);
    head.encode(&mut encoder, entries.len() as u32);
    for entry in entries {
        assert!(entry.page.0 < 1 << 48);
        encoder.u64(entry.page.0 | (entry.kind as u64) << 56);
        encoder.u64(entry.sequence.0);
        encoder.u32(entry.seeded_checksum);
        encoder.u32(entry.place);
    }
    encoder.finish();
}

/// Returns true if a page begins as a header of a batch does, of any pool and version.
pub fn is_header(page: &[u8]) -> bool {
    page.starts_with(&HEADER_MAGIC)
}

/// Reads a batch header.
///
/// # Errors
/// Why the page is no header of this pool.
pub fn decode_header(page: &[u8], pool: PoolId) -> Result<(Head, Vec<Entry>), FrameError> {
    let mut decoder = Decoder::of_pool(page, HEADER_MAGIC, pool)?;
    let (head, count) = Head::decode(&mut decoder)?;
    if count as usize > ENTRIES_PER_PAGE {
        return Err(FrameError::Field("entries"));
    }
    let mut entries = Vec::with_capacity(count as usize);
    for _ in 0..count {
        let packed = decoder.u64();
        let kind = EntryKind::from_number((packed >> 56) as u8).ok_or(FrameError::Field("kind"))?;
        let page = PageNumber(packed & ((1 << 48) - 1));
        let (sequence, seeded_checksum) = (Sequence(decoder.u64()), decoder.u32());
        entries.push(Entry { page, kind, sequence, seeded_checksum, place: decoder.u32() });
    }
    Ok((head, entries))
}

impl Head {
    /// Puts the head behind the frame.
    pub(super) fn encode(&self, encoder: &mut Encoder<'_>, entries: u32) {
        encoder.u32(owner::number(self.owner));
        encoder.u32(self.segment.0);
        encoder.u64(self.generation.0);
        encoder.u32(self.place);
        encoder.u32(entries);
        encoder.u64(self.sequence.0);
        encoder.u32(self.durable);
        encoder.put(&[0; 12]);
    }

    /// Takes the head and the number of entries from behind the frame.
    ///
    /// # Errors
    /// `Field` if the segment has no owner.
    pub(super) fn decode(decoder: &mut Decoder<'_>) -> Result<(Self, u32), FrameError> {
        let owner = owner::from_number(decoder.u32()).ok_or(FrameError::Field("owner"))?;
        let segment = SegmentNumber(decoder.u32());
        let generation = Sequence(decoder.u64());
        let (place, entries) = (decoder.u32(), decoder.u32());
        let (sequence, durable) = (Sequence(decoder.u64()), decoder.u32());
        let _zero = (decoder.u64(), decoder.u32());
        Ok((Self { owner, segment, generation, place, sequence, durable }, entries))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::types::units::DiskId;

    fn entry() -> impl Strategy<Value = Entry> {
        (0..1u64 << 48, 1..=8u8, any::<u64>(), any::<u32>(), any::<u32>()).prop_map(
            |(page, kind, sequence, crc, place)| Entry {
                page: PageNumber(page),
                kind: EntryKind::from_number(kind).unwrap(),
                sequence: Sequence(sequence),
                seeded_checksum: crc,
                place,
            },
        )
    }

    proptest! {
        #[test]
        fn headers_read_back_as_they_were(
            entries in proptest::collection::vec(entry(), 0..=ENTRIES_PER_PAGE),
            generation: u64,
        ) {
            let head = Head {
                owner: DiskId(3).into(), segment: SegmentNumber(4), generation: Sequence(generation),
                place: 5, sequence: Sequence(6), durable: 7,
            };
            let mut page = vec![0xee; PAGE_BYTES];
            encode_header(&mut page, PoolId([1; 16]), &head, &entries);
            prop_assert_eq!(decode_header(&page, PoolId([1; 16])), Ok((head, entries)));
            prop_assert_eq!(decode_header(&page, PoolId([2; 16])), Err(FrameError::Pool));
        }

        #[test]
        fn arbitrary_bytes_are_refused_without_a_panic(page in proptest::collection::vec(any::<u8>(), PAGE_BYTES)) {
            prop_assert!(decode_header(&page, PoolId([1; 16])).is_err());
        }
    }
}
