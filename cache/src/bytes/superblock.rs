//! The superblock: what a pool is and which term it is in. Two slots of one page each, written in turn.
//!
//! ```text
//! 32  8  turn: the slot with the higher turn is current
//! 40  4  term of the last start
//! 44  4  pages of a region
//! 48  8  bytes of the device that the pool uses
//! 56  8  segment size in bytes
//! 64  4  segments
//! 68  4  this device's number among the members
//! 72  4  members of the pool
//! 76  4  epoch of the member list
//! 80  8  mark of the last start: drawn by whoever opened the pool, and remembered by it elsewhere
//! ```

use block::PAGE;

use super::PoolId;
use super::codec::{Decoder, Encoder, FrameError};
use super::layout::{Layout, Shape};
use crate::words::limits::PAGE_BYTES;

/// Marks a superblock.
pub const MAGIC: [u8; 8] = *b"FOREBAY1";

/// Where the two slots are, in bytes.
pub const SLOTS: [u64; 2] = [0, PAGE];

/// A superblock whose checksum and fields were verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Superblock {
    /// The pool.
    pub pool: PoolId,
    /// Rises with each write of the superblock.
    pub turn: u64,
    /// Rises with each start of the pool (rule I1).
    pub term: u32,
    /// Where everything is.
    pub layout: Layout,
    /// Drawn at the last start by whoever opened the pool. Whoever remembers another mark was not the last one.
    pub mark: u64,
}

impl Superblock {
    /// The slot that this turn is written to.
    pub fn slot(&self) -> u64 {
        SLOTS[(self.turn % 2) as usize]
    }

    /// The superblock as a page.
    pub fn encode(&self) -> [u8; PAGE_BYTES] {
        let mut page = [0; PAGE_BYTES];
        let mut encoder = Encoder::new(&mut page, MAGIC, self.pool);
        encoder.u64(self.turn);
        encoder.u32(self.term);
        encoder.u32(self.layout.region_pages());
        encoder.u64(self.layout.device_bytes());
        encoder.u64(self.layout.segment_bytes());
        encoder.u32(self.layout.segments());
        for of_one_member in [0, 1, 0] {
            encoder.u32(of_one_member);
        }
        encoder.u64(self.mark);
        encoder.finish();
        page
    }

    /// Reads a superblock from a page.
    ///
    /// # Errors
    /// Why it is none, or which field cannot be.
    pub fn decode(page: &[u8]) -> Result<Self, FrameError> {
        let mut decoder = Decoder::new(page, MAGIC)?;
        let (turn, term, region_pages) = (decoder.u64(), decoder.u32(), decoder.u32());
        let (device_bytes, segment_bytes, segments) = (decoder.u64(), decoder.u64(), decoder.u32());
        if term >= (1 << 24) - 1 {
            return Err(FrameError::Field("term"));
        }
        let shape = Shape { segment_bytes, region_bytes: u64::from(region_pages) * PAGE };
        let layout = Layout::new(device_bytes, shape).map_err(|_| FrameError::Field("layout"))?;
        if layout.segments() != segments {
            return Err(FrameError::Field("segments"));
        }
        let _members = [decoder.u32(), decoder.u32(), decoder.u32()];
        Ok(Self { pool: decoder.pool(), turn, term, layout, mark: decoder.u64() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn superblock() -> Superblock {
        let layout =
            Layout::new(64 << 20, Shape { segment_bytes: 256 << 10, region_bytes: 1 << 20 }).unwrap();
        Superblock { pool: PoolId([9; 16]), turn: 5, term: 3, layout, mark: 0x1234_5678_9abc_def0 }
    }

    #[test]
    fn a_superblock_reads_back_as_it_was() {
        assert_eq!(Superblock::decode(&superblock().encode()), Ok(superblock()));
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let page = superblock().encode();
        for bit in 0..PAGE_BYTES * 8 {
            let mut damaged = page;
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(Superblock::decode(&damaged).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn a_newer_version_is_named() {
        let mut page = superblock().encode();
        page[8] = 3;
        assert_eq!(Superblock::decode(&page), Err(FrameError::Version(3)));
    }
}
