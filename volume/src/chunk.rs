//! Chunks: up to 32 KiB of a disk, compressed, each with a checksum and its place.
//!
//! ```text
//! 0    4 bytes  CRC-32C of what follows here and of the plain content
//! 4    1        codec: 0 none, 1 LZ4 block, 2 Zstandard
//! 5    1        pages
//! 6    2        zero
//! 8    8        first page
//! 16            content
//! ```

use block::PAGE;

/// Pages of the largest chunk.
pub(crate) const CHUNK_PAGES: u64 = 8;
/// Bytes before the content of a chunk.
const PREFIX_BYTES: usize = 16;
/// Bytes that a chunk takes at most.
pub(crate) const CHUNK_BYTES_MAX: usize = PREFIX_BYTES + (CHUNK_PAGES * PAGE) as usize;

/// Compression of a volume's content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// None.
    None,
    /// LZ4: fast.
    #[default]
    Lz4,
    /// Zstandard at level 1: smaller, and several times slower.
    Zstd,
}

impl Compression {
    /// All, in the order of their effort.
    pub const ALL: [Self; 3] = [Self::None, Self::Lz4, Self::Zstd];

    /// Returns the name that users meet.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Lz4 => "lz4",
            Self::Zstd => "zstd",
        }
    }

    /// Returns the one with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|compression| compression.name() == name)
    }

    fn compress(self, plain: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::None => None,
            Self::Lz4 => Some(lz4_flex::block::compress(plain)),
            Self::Zstd => zstd::bulk::compress(plain, 1).ok(),
        }
    }

    fn decompress(self, stored: &[u8], len: usize) -> Option<Vec<u8>> {
        match self {
            Self::None => Some(stored.to_vec()),
            Self::Lz4 => lz4_flex::block::decompress(stored, len).ok(),
            Self::Zstd => zstd::bulk::decompress(stored, len).ok(),
        }
    }
}

/// Appends a chunk that begins at `page`. Content that does not become smaller by a sixteenth stays as it is.
pub(crate) fn append(to: &mut Vec<u8>, compression: Compression, page: u64, plain: &[u8]) {
    debug_assert!(plain.len().is_multiple_of(PAGE as usize) && plain.len() <= (CHUNK_PAGES * PAGE) as usize);
    let compressed = compression.compress(plain).filter(|stored| stored.len() * 16 <= plain.len() * 15);
    let codec = if compressed.is_some() { compression } else { Compression::None };
    let mut prefix = [0; PREFIX_BYTES];
    prefix[4] = codec as u8;
    prefix[5] = (plain.len() / PAGE as usize) as u8;
    prefix[8..].copy_from_slice(&page.to_le_bytes());
    let checksum = crc32c::crc32c_append(crc32c::crc32c(&prefix[4..]), plain);
    prefix[..4].copy_from_slice(&checksum.to_le_bytes());
    to.extend(prefix);
    to.extend(compressed.as_deref().unwrap_or(plain));
}

/// Returns the content of the chunk that begins at `page`, or at whichever page it says; none if it is damaged, or another one.
pub(crate) fn open(stored: &[u8], page: Option<u64>, pages: u64) -> Option<Vec<u8>> {
    let (prefix, content) = stored.split_at_checked(PREFIX_BYTES)?;
    let codec = *Compression::ALL.get(usize::from(prefix[4]))?;
    let is_another = page.is_some_and(|page| prefix[8..] != page.to_le_bytes());
    if u64::from(prefix[5]) != pages || is_another {
        return None;
    }
    let len = (pages * PAGE) as usize;
    let plain = codec.decompress(content, len).filter(|plain| plain.len() == len)?;
    let checksum = crc32c::crc32c_append(crc32c::crc32c(&prefix[4..]), &plain);
    (prefix[..4] == checksum.to_le_bytes()).then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_reads_back_and_no_changed_byte_or_other_place_passes() {
        let noise: Vec<u8> =
            (0..PAGE as u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for compression in Compression::ALL {
            for plain in [noise.clone(), [vec![7; PAGE as usize], noise.clone()].concat()] {
                let mut stored = Vec::new();
                append(&mut stored, compression, 9, &plain);
                assert!(stored.len() <= CHUNK_BYTES_MAX);
                let pages = plain.len() as u64 / PAGE;
                for page in [Some(9), None] {
                    assert_eq!(open(&stored, page, pages).as_deref(), Some(&plain[..]), "{compression:?}");
                }
                assert_eq!((open(&stored, Some(10), pages), open(&stored, None, pages + 1)), (None, None));
                for at in (0..stored.len()).step_by(97) {
                    let mut changed = stored.clone();
                    changed[at] ^= 0x10;
                    assert_eq!(open(&changed, None, pages), None, "{compression:?}, byte {at}");
                }
                assert_eq!(open(&stored[..stored.len() - 1], None, pages), None);
            }
        }
    }
}
