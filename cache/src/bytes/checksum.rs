//! CRC-32C (Castagnoli, RFC 3720 appendix B.4) of pages, seeded with where a page belongs.
//!
//! On flash each entry holds the checksum of its page *seeded* with disk, page and sequence: a page that was lost,
//! misplaced or left over from another life of its segment fails it (rule I7). In RAM the index holds the *plain*
//! checksum of the content, which needs no sequence to be checked. One follows from the other, because the CRC of a
//! concatenation is the combination of the CRCs of its parts.

use std::sync::LazyLock;

use crate::words::limits::PAGE_BYTES;
use crate::words::units::{DiskId, PageNumber, Sequence};

/// Plain checksum of a page's content.
pub fn page_checksum(page: &[u8]) -> u32 {
    assert_eq!(page.len(), PAGE_BYTES);
    crc32c::crc32c(page)
}

/// The checksum that an entry on flash holds, from the plain one.
pub fn seeded(plain: u32, disk: DiskId, page: PageNumber, sequence: Sequence) -> u32 {
    shift_by_page(seed(disk, page, sequence)) ^ plain
}

/// The plain checksum, from what an entry on flash holds.
pub fn unseeded(stored: u32, disk: DiskId, page: PageNumber, sequence: Sequence) -> u32 {
    stored ^ shift_by_page(seed(disk, page, sequence))
}

/// What a checksum becomes when a page of zeroes follows. The CRC of seed and page together is this, exclusive-or the
/// page's own. It is linear in the bits, so four tables of bytes replace the general and slow combination.
fn shift_by_page(checksum: u32) -> u32 {
    static TABLES: LazyLock<Box<[[u32; 256]; 4]>> = LazyLock::new(|| {
        let mut tables = Box::new([[0; 256]; 4]);
        for (place, table) in tables.iter_mut().enumerate() {
            for (byte, shifted) in (0u32..).zip(table.iter_mut()) {
                *shifted = crc32c::crc32c_combine(byte << (8 * place), 0, PAGE_BYTES);
            }
        }
        tables
    });
    let bytes = checksum.to_le_bytes().map(usize::from);
    bytes.iter().zip(TABLES.iter()).fold(0, |shifted, (byte, table)| shifted ^ table[*byte])
}

fn seed(disk: DiskId, page: PageNumber, sequence: Sequence) -> u32 {
    let mut bytes = [0; 20];
    bytes[0..4].copy_from_slice(&disk.0.to_le_bytes());
    bytes[4..12].copy_from_slice(&page.0.to_le_bytes());
    bytes[12..20].copy_from_slice(&sequence.0.to_le_bytes());
    crc32c::crc32c(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_castagnolis() {
        assert_eq!(crc32c::crc32c(b"123456789"), 0xe306_9283, "check value of CRC-32C");
    }

    #[test]
    fn seeding_equals_checksumming_seed_and_page_together() {
        let page = [0xa5; PAGE_BYTES];
        let (disk, number, sequence) = (DiskId(7), PageNumber(123_456_789), Sequence(42));
        let mut bytes = Vec::new();
        bytes.extend_from_slice(&disk.0.to_le_bytes());
        bytes.extend_from_slice(&number.0.to_le_bytes());
        bytes.extend_from_slice(&sequence.0.to_le_bytes());
        bytes.extend_from_slice(&page);
        let stored = seeded(page_checksum(&page), disk, number, sequence);
        assert_eq!(stored, crc32c::crc32c(&bytes));
        assert_eq!(unseeded(stored, disk, number, sequence), page_checksum(&page));
    }
}
