//! The superblock: what a pool is, which devices it has and which term it is in. On each device two slots of one page
//! each, written in turn.
//!
//! ```text
//! 32  8  turn: the slot with the higher turn is current
//! 40  4  term of the last start
//! 44  4  pages of a region
//! 48  4  pages of a segment
//! 52  4  segments that the table has room for
//! 56  4  number of this device
//! 60  4  number of the next device that will be added
//! 64  4  epoch of the list of devices: of two lists the one with the higher epoch counts
//! 68  4  1 if a disk may have content here that its backing does not have, else 0
//! 72  8  mark of the last start: drawn by whoever opened the pool, and remembered by it elsewhere
//! 80     the list of devices
//! ```

use block::PAGE;

use super::PoolId;
use super::codec::{Decoder, Encoder, FrameError};
use super::layout::{Layout, Shape};
use super::members::{Member, Members};
use crate::words::limits::PAGE_BYTES;
use crate::words::units::MemberNumber;

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
    /// The device that it stands on.
    pub own: MemberNumber,
    /// The number of the next device that will be added: numbers are never used again.
    pub next: u32,
    /// Rises when a device comes or goes.
    pub epoch: u32,
    /// All devices of the pool.
    pub members: Members,
    /// Set durably before anything is written that no backing has: then nobody takes the pool for worthless.
    pub may_be_dirty: bool,
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
        encoder.u32((self.layout.segment_bytes() / PAGE) as u32);
        encoder.u32(self.layout.segments_max());
        for number in [self.own.0, self.next, self.epoch, u32::from(self.may_be_dirty)] {
            encoder.u32(number);
        }
        encoder.u64(self.mark);
        self.members.encode(&mut encoder);
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
        let (segment_pages, segments_max) = (decoder.u32(), decoder.u32());
        if term >= (1 << 24) - 1 {
            return Err(FrameError::Field("term"));
        }
        let shape = Shape {
            segment_bytes: u64::from(segment_pages) * PAGE,
            region_bytes: u64::from(region_pages) * PAGE,
        };
        let layout = Layout::new(shape, segments_max).map_err(|_| FrameError::Field("layout"))?;
        let [own, next, epoch, dirty] = [0; 4].map(|_| decoder.u32());
        let (own, mark) = (MemberNumber(own), decoder.u64());
        let members = Members::decode(&mut decoder, layout.segments_max())?;
        let fits = |member: &Member| member.segments <= layout.segments_on(member.device_bytes);
        if members.get(own).is_none() || !members.iter().all(|member| fits(&member)) {
            return Err(FrameError::Field("devices"));
        }
        let may_be_dirty = dirty != 0;
        Ok(Self { pool: decoder.pool(), turn, term, layout, own, next, epoch, members, may_be_dirty, mark })
    }

    /// The device that it stands on.
    pub fn own_device(&self) -> Member {
        self.members.get(self.own).expect("checked when it was read")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::units::SegmentNumber;

    fn superblock() -> Superblock {
        let shape = Shape { segment_bytes: 256 << 10, region_bytes: 1 << 20 };
        let layout = Layout::for_first(64 << 20, shape).unwrap();
        let segments = layout.segments_on(64 << 20);
        let number = MemberNumber(3);
        let second = Member { number, first: SegmentNumber(segments), segments: 9, device_bytes: 16 << 20 };
        let members = Members::one(64 << 20, segments).with(second).unwrap();
        let pool = PoolId([9; 16]);
        let mark = 0x1234_5678_9abc_def0;
        let (own, may_be_dirty) = (number, true);
        Superblock { pool, turn: 5, term: 3, layout, own, next: 4, epoch: 2, members, may_be_dirty, mark }
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
        page[8] = 5;
        assert_eq!(Superblock::decode(&page), Err(FrameError::Version(5)));
    }
}
