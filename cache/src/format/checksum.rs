//! CRC-32C (Castagnoli, RFC 3720 appendix B.4) of pages, seeded with where a page belongs.
//!
//! On flash each entry holds the checksum of its page *seeded* with owner, page and sequence: a page that was lost, misplaced or left over
//! from another generation of its segment fails it (rule I7). In RAM the index holds the *plain* checksum of the content, which needs no
//! sequence to be checked. One follows from the other, because the CRC of a concatenation is the combination of the CRCs of its parts.

use super::owner;
use crate::types::limits::PAGE_BYTES;
use crate::types::units::{PageNumber, SegmentOwner, Sequence};

/// The polynomial, the lowest bit being the highest power.
const POLYNOMIAL: u32 = 0x82f6_3b78;

/// Returns the plain checksum of a page's content.
pub fn page_checksum(page: &[u8]) -> u32 {
    append_page(0, page.try_into().expect("callers give whole pages"))
}

/// Returns the plain checksum of any number of bytes; the fastest for whole pages.
pub fn checksum(bytes: &[u8]) -> u32 {
    let (pages, rest) = bytes.as_chunks();
    crc32c::crc32c_append(pages.iter().fold(0, append_page), rest)
}

/// Returns the checksum extended by a page.
fn append_page(before: u32, page: &[u8; PAGE_BYTES]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("sse4.2") {
        // SAFETY: the function only requires this feature, which has just been detected.
        return unsafe { interleaved::append_page(before, page) };
    }
    crc32c::crc32c_append(before, page)
}

/// Returns the checksum that an entry on flash holds, from the plain one.
pub fn seeded(plain: u32, owner: SegmentOwner, page: PageNumber, sequence: Sequence) -> u32 {
    PAGE_SHIFT.of(seed(owner, page, sequence)) ^ plain
}

/// Returns the plain checksum, from what an entry on flash holds.
pub fn unseeded(stored: u32, owner: SegmentOwner, page: PageNumber, sequence: Sequence) -> u32 {
    stored ^ PAGE_SHIFT.of(seed(owner, page, sequence))
}

/// Extends a checksum by a page of zeroes. The CRC of seed and page together is this, exclusive-or the page's own.
static PAGE_SHIFT: Shift = Shift::by(PAGE_BYTES);

/// Extends a checksum by some number of zero bytes. This is linear in the bits, so four tables of bytes replace the general and slow
/// combination.
struct Shift([[u32; 256]; 4]);

impl Shift {
    const fn by(bytes: usize) -> Self {
        let factor = power_of_x(bytes * 8);
        let mut tables = [[0; 256]; 4];
        let mut at = 0;
        while at < 4 * 256 {
            tables[at / 256][at % 256] = multiply((at as u32 % 256) << (at / 256 * 8), factor);
            at += 1;
        }
        Self(tables)
    }

    fn of(&self, checksum: u32) -> u32 {
        let bytes = checksum.to_le_bytes().map(usize::from);
        bytes.iter().zip(&self.0).fold(0, |shifted, (byte, table)| shifted ^ table[*byte])
    }
}

/// Returns the product of two polynomials over the field of two elements, modulo ours.
const fn multiply(one: u32, mut other: u32) -> u32 {
    let (mut product, mut bit) = (0, 1 << 31);
    while bit != 0 {
        if one & bit != 0 {
            product ^= other;
        }
        other = if other & 1 == 0 { other >> 1 } else { other >> 1 ^ POLYNOMIAL };
        bit >>= 1;
    }
    product
}

/// Returns the power of x, modulo our polynomial: by squaring.
const fn power_of_x(mut exponent: usize) -> u32 {
    let (mut power, mut square) = (1 << 31, 1 << 30);
    while exponent != 0 {
        if exponent & 1 == 1 {
            power = multiply(power, square);
        }
        square = multiply(square, square);
        exponent >>= 1;
    }
    power
}

/// CRC by the processor's own instruction, with three streams interleaved, because the instruction has a latency of three cycles (Gopal and
/// others, "Fast CRC Computation for iSCSI Polynomial Using CRC32 Instruction", 2011). For whole pages only, so that all constants are
/// known at compile time, and the three parts are combined once.
#[cfg(target_arch = "x86_64")]
mod interleaved {
    use std::arch::x86_64::_mm_crc32_u64;

    use super::Shift;
    use crate::types::limits::PAGE_BYTES;

    const WORDS: usize = PAGE_BYTES / 8;
    /// Words of one turn, and of a third.
    const TURN: usize = 10;
    const THIRD: usize = 17 * TURN;
    const _: () = assert!(WORDS - 3 * THIRD == 2, "two words are left over");

    static THIRD_SHIFT: Shift = Shift::by(THIRD * 8);

    // No closures: with this feature, functions that are passed to the library are not inlined.
    #[target_feature(enable = "sse4.2")]
    pub(super) fn append_page(before: u32, page: &[u8; PAGE_BYTES]) -> u32 {
        let words: &[[u8; 8]; WORDS] = page.as_chunks().0.try_into().expect("a page has so many");
        let (mut one, mut two, mut three) = (u64::from(!before), 0, 0);
        for turn in 0..THIRD / TURN {
            for word in 0..TURN {
                let at = turn * TURN + word;
                one = _mm_crc32_u64(one, u64::from_le_bytes(words[at]));
                two = _mm_crc32_u64(two, u64::from_le_bytes(words[THIRD + at]));
                three = _mm_crc32_u64(three, u64::from_le_bytes(words[2 * THIRD + at]));
            }
        }
        let both = THIRD_SHIFT.of(one as u32) ^ two as u32;
        let mut all = u64::from(THIRD_SHIFT.of(both) ^ three as u32);
        for word in &words[3 * THIRD..] {
            all = _mm_crc32_u64(all, u64::from_le_bytes(*word));
        }
        !(all as u32)
    }
}

fn seed(owner: SegmentOwner, page: PageNumber, sequence: Sequence) -> u32 {
    let mut bytes = [0; 20];
    bytes[0..4].copy_from_slice(&owner::number(owner).to_le_bytes());
    bytes[4..12].copy_from_slice(&page.0.to_le_bytes());
    bytes[12..20].copy_from_slice(&sequence.0.to_le_bytes());
    crc32c::crc32c(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::units::DiskId;

    #[test]
    fn the_checksum_is_castagnolis() {
        assert_eq!(crc32c::crc32c(b"123456789"), 0xe306_9283, "check value of CRC-32C");
    }

    #[test]
    fn a_page_has_the_checksum_that_it_has_byte_by_byte() {
        let mut bytes = [0; PAGE_BYTES];
        assert_eq!(page_checksum(&bytes), crc32c::crc32c(&bytes));
        // Each bit by itself: the checksum is linear, so these are all cases.
        for bit in 0..PAGE_BYTES * 8 {
            bytes[bit / 8] = 1 << (bit % 8);
            assert_eq!(page_checksum(&bytes), crc32c::crc32c(&bytes), "bit {bit}");
            bytes[bit / 8] = 0;
        }
        let random: Vec<u8> =
            (0..PAGE_BYTES as u32).map(|at| (at.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect();
        assert_eq!(page_checksum(&random), crc32c::crc32c(&random));
        let bytes = random.repeat(3);
        for len in [0, 5, PAGE_BYTES - 1, PAGE_BYTES, 2 * PAGE_BYTES, 3 * PAGE_BYTES - 7] {
            assert_eq!(checksum(&bytes[..len]), crc32c::crc32c(&bytes[..len]), "{len} bytes");
        }
    }

    #[test]
    fn zeroes_that_follow_do_what_the_general_combination_says() {
        for (shift, bytes) in [(&PAGE_SHIFT, PAGE_BYTES), (&Shift::by(1), 1), (&Shift::by(1360), 1360)] {
            for bit in 0..32 {
                assert_eq!(shift.of(1 << bit), crc32c::crc32c_combine(1 << bit, 0, bytes), "{bytes} {bit}");
            }
        }
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
        let stored = seeded(page_checksum(&page), disk.into(), number, sequence);
        assert_eq!(stored, crc32c::crc32c(&bytes));
        assert_eq!(unseeded(stored, disk.into(), number, sequence), page_checksum(&page));
    }
}
