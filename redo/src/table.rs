//! The table of a group: what changed, where its content is in the group, and a checksum of each page. Pure.
//!
//! ```text
//! 0    8 bytes  magic
//! 8    4        format version
//! 12   4        CRC-32C of the table with this field as zero
//! 16   16       ring id
//! 32   8        number of the group
//! 40   4        entries
//! 64   24 each  entry: first page (the highest 8 bits are its kind), pages, slot, CRC-32C, 4 bytes zero
//! ```
//! A slot is a page of the group's content. Tables are a whole number of pages long; a group has two that are equal.

use std::ops::Range;

use block::sealed::{Numbers, is_sealed, seal};
use block::{PAGE, Unmap};

use super::directory::{GroupRecord, RingId, VERSION};

const MAGIC: [u8; 8] = *b"FBREDO-G";
const HEAD_BYTES: usize = 64;
const ENTRY_BYTES: usize = 24;
const KIND_SHIFT: u32 = 56;

/// A change of a disk since the group before. Pages are those of the disk, of 4096 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A page with content.
    Content(u64),
    /// Pages that are zeroes, and whether their storage may be given back.
    Zeroes(Range<u64>, Unmap),
    /// Pages whose content flash lost before the group was taken.
    Lost(Range<u64>),
}

/// A line of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A page, its place among the pages of the group, and its checksum.
    Content {
        page: u64,
        slot: u32,
        checksum: u32,
    },
    Zeroes(Range<u64>, Unmap),
    Lost(Range<u64>),
}

impl GroupRecord {
    /// Returns the pages of one of its two tables.
    pub(crate) fn table_pages(&self) -> u64 {
        table_pages(self.entries as usize)
    }

    /// Returns the page behind its last one.
    pub(crate) fn end(&self) -> u64 {
        u64::from(self.start) + self.pages()
    }

    /// Returns the number of its pages.
    pub(crate) fn pages(&self) -> u64 {
        group_pages(self.entries as usize, u64::from(self.content_pages))
    }

    /// Returns the first page of its content.
    pub(crate) fn content_start(&self) -> u64 {
        u64::from(self.start) + self.table_pages()
    }

    /// Returns the first page of its second table.
    pub(crate) fn second_table(&self) -> u64 {
        self.content_start() + u64::from(self.content_pages)
    }
}

/// Returns the pages of a table with so many entries.
pub(crate) fn table_pages(entries: usize) -> u64 {
    ((HEAD_BYTES + entries * ENTRY_BYTES) as u64).div_ceil(PAGE)
}

/// Returns the pages of a group with so many entries and pages of content.
pub(crate) fn group_pages(entries: usize, content_pages: u64) -> u64 {
    2 * table_pages(entries) + content_pages
}

/// Returns the most pages of content, with an entry each, of a group of so many pages.
pub(crate) fn content_pages_within(pages: u64) -> u64 {
    let for_content = (pages * PAGE).saturating_sub(2 * HEAD_BYTES as u64);
    let most = for_content / (PAGE + 2 * ENTRY_BYTES as u64);
    (0..=most).rev().find(|content| group_pages(*content as usize, *content) <= pages).unwrap_or(0)
}

/// Encodes a table.
pub(crate) fn encode(ring: RingId, number: u64, entries: &[Entry]) -> Vec<u8> {
    let len = (table_pages(entries.len()) * PAGE) as usize;
    let mut bytes = Vec::with_capacity(len);
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend(ring.0);
    bytes.extend(number.to_le_bytes());
    bytes.extend((entries.len() as u32).to_le_bytes());
    bytes.resize(HEAD_BYTES, 0);
    for entry in entries {
        let (kind, pages, slot, checksum) = match entry {
            Entry::Content { page, slot, checksum } => (1_u64, *page..page + 1, *slot, *checksum),
            Entry::Zeroes(pages, Unmap::Allowed) => (2, pages.clone(), 0, 0),
            Entry::Zeroes(pages, Unmap::Forbidden) => (3, pages.clone(), 0, 0),
            Entry::Lost(pages) => (4, pages.clone(), 0, 0),
        };
        bytes.extend((pages.start | kind << KIND_SHIFT).to_le_bytes());
        for number in [(pages.end - pages.start) as u32, slot, checksum, 0] {
            bytes.extend(number.to_le_bytes());
        }
    }
    bytes.resize(len, 0);
    seal(&mut bytes);
    bytes
}

/// Decodes the table of a group, which is to be of this ring and to have the checksum that the directory has. None if it is damaged.
pub(crate) fn decode(bytes: &[u8], ring: RingId, group: &GroupRecord) -> Option<Vec<Entry>> {
    let mut fields = Numbers(bytes);
    let is_ours = fields.take::<8>() == MAGIC
        && fields.u32() == VERSION
        && fields.u32() == group.table_checksum
        && RingId(fields.take()) == ring
        && fields.u64() == group.number
        && fields.u32() == group.entries;
    if !is_ours || !is_sealed(bytes) {
        return None;
    }
    let lines = bytes[HEAD_BYTES..].chunks_exact(ENTRY_BYTES).take(group.entries as usize);
    lines.map(|line| decode_entry(line, group)).collect()
}

fn decode_entry(line: &[u8], group: &GroupRecord) -> Option<Entry> {
    let mut fields = Numbers(line);
    let first = fields.u64();
    let [pages, slot, checksum] = [0; 3].map(|_| fields.u32());
    let page = first & ((1 << KIND_SHIFT) - 1);
    let range = page..page + u64::from(pages);
    match first >> KIND_SHIFT {
        1 if slot < group.content_pages => Some(Entry::Content { page, slot, checksum }),
        2 => Some(Entry::Zeroes(range, Unmap::Allowed)),
        3 => Some(Entry::Zeroes(range, Unmap::Forbidden)),
        4 => Some(Entry::Lost(range)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use block::sealed::checksum_of;

    const RING: RingId = RingId([3; 16]);

    fn entries() -> impl Strategy<Value = Vec<Entry>> {
        let range = (0..1_u64 << 40, 1..1_u64 << 20).prop_map(|(start, pages)| start..start + pages);
        let entry = prop_oneof![
            (0..1_u64 << 40, 0..9_u32, any::<u32>()).prop_map(|(page, slot, checksum)| Entry::Content {
                page,
                slot,
                checksum
            }),
            range.clone().prop_map(|pages| Entry::Zeroes(pages, Unmap::Allowed)),
            range.clone().prop_map(|pages| Entry::Zeroes(pages, Unmap::Forbidden)),
            range.prop_map(Entry::Lost),
        ];
        proptest::collection::vec(entry, 0..400)
    }

    fn record(bytes: &[u8], entries: usize) -> GroupRecord {
        let table_checksum = checksum_of(bytes);
        GroupRecord {
            number: 8,
            taken_at: 0,
            start: 0,
            content_pages: 9,
            entries: entries as u32,
            table_checksum,
        }
    }

    #[test]
    fn a_group_of_as_much_content_as_fits_fits_and_one_of_more_does_not() {
        for pages in (3..400).chain([1 << 18, 1 << 24]) {
            let most = content_pages_within(pages);
            let taken = [most, most + 1].map(|content| group_pages(content as usize, content));
            assert!(taken[0] <= pages && pages < taken[1], "{pages}: {most} take {taken:?}");
        }
        assert_eq!([0, 1, 2].map(content_pages_within), [0; 3]);
    }

    proptest! {
        #[test]
        fn a_table_comes_back_and_no_changed_bit_passes(entries in entries(), bit in any::<prop::sample::Index>()) {
            let mut bytes = encode(RING, 8, &entries);
            let group = record(&bytes, entries.len());
            prop_assert_eq!(bytes.len() as u64, group.table_pages() * PAGE);
            prop_assert_eq!(decode(&bytes, RING, &group), Some(entries));
            prop_assert_eq!(decode(&bytes, RingId([4; 16]), &group), None);
            prop_assert_eq!(decode(&bytes, RING, &GroupRecord { number: 9, ..group }), None);
            let bit = bit.index(bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
            prop_assert_eq!(decode(&bytes, RING, &group), None);
        }
    }
}
