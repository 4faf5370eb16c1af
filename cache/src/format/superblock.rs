//! The superblock: identity, devices and term of a pool. On each device two slots of one page each, written in turn.
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
//! 72  8  mark of the last start: drawn by the opener of the pool, who remembers it elsewhere
//! 80     the list of devices
//! ```
//! Its version is 4, or 5 if a device has segments in several ranges of numbers (`members.rs`): then versions of Forebay that know 4 only
//! refuse the pool, and name the version.

use block::PAGE;

use super::codec::{Decoder, Encoder, FrameError};
use super::layout::{Layout, Shape};
use super::members::{FurtherRanges, Member, Members};
use super::{FORMAT_VERSION, PoolId};
use crate::types::limits::PAGE_BYTES;
use crate::types::units::MemberNumber;

/// Marks a superblock.
pub const MAGIC: [u8; 8] = *b"FOREBAY1";

/// The version of a superblock that has a device with several ranges of segments.
const RANGES_VERSION: u32 = FORMAT_VERSION + 1;

/// Offsets of the two slots, in bytes.
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
    /// Layout of the pool.
    pub layout: Layout,
    /// The device that it stands on.
    pub own: MemberNumber,
    /// The number of the next device that will be added: numbers are never used again.
    pub next: u32,
    /// Rises when a device joins or leaves.
    pub epoch: u32,
    /// All devices of the pool.
    pub members: Members,
    /// Set durably before any dirty data is written: from then on the pool is never treated as worthless.
    pub may_be_dirty: bool,
    /// Drawn at the last start by the opener of the pool. An opener that remembers another mark was not the last one.
    pub mark: u64,
}

impl Superblock {
    /// Returns the slot that this turn is written to.
    pub fn slot(&self) -> u64 {
        SLOTS[(self.turn % 2) as usize]
    }

    /// Encodes the superblock as a page.
    pub fn encode(&self) -> [u8; PAGE_BYTES] {
        let mut page = [0; PAGE_BYTES];
        let version = if self.members.are_in_ranges() { RANGES_VERSION } else { FORMAT_VERSION };
        let mut encoder = Encoder::of_version(&mut page, MAGIC, version, self.pool);
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
        let (mut decoder, version) = Decoder::of_versions(page, MAGIC, &[FORMAT_VERSION, RANGES_VERSION])?;
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
        let further = if version == RANGES_VERSION { FurtherRanges::Follow } else { FurtherRanges::AreNone };
        let members = Members::decode(&mut decoder, layout.segments_max(), further)?;
        let fits = |member: &Member| member.segments() <= layout.segments_on(member.device_bytes);
        if members.get(own).is_none() || !members.iter().all(|member| fits(&member)) {
            return Err(FrameError::Field("devices"));
        }
        let may_be_dirty = dirty != 0;
        Ok(Self { pool: decoder.pool(), turn, term, layout, own, next, epoch, members, may_be_dirty, mark })
    }

    /// Returns the device that it stands on.
    pub fn own_device(&self) -> Member {
        self.members.get(self.own).expect("checked when it was read")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::limits::MEMBERS_MAX;
    use crate::types::units::SegmentNumber;

    fn superblock() -> Superblock {
        let shape = Shape { segment_bytes: 256 << 10, region_bytes: 1 << 20 };
        let layout = Layout::for_first(64 << 20, shape).unwrap();
        let segments = layout.segments_on(64 << 20);
        let number = MemberNumber(3);
        let second = Member::new(number, SegmentNumber(segments), 9, 16 << 20);
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
        page[8] = 6;
        assert_eq!(Superblock::decode(&page), Err(FrameError::Version(6)));
    }

    #[test]
    fn a_superblock_whose_devices_have_one_range_each_is_what_version_4_knows() {
        let superblock = superblock();
        let segments = superblock.layout.segments_on(64 << 20);
        let mut list = vec![0; PAGE_BYTES - 80];
        let lines = [(0, 0, segments, 64_u64 << 20), (3, segments, 9, 16 << 20)];
        for place in 0..MEMBERS_MAX {
            let (number, first, count, bytes) = lines.get(place).copied().unwrap_or((u32::MAX, 0, 0, 0));
            let line = &mut list[place * 24..][..24];
            line[..4].copy_from_slice(&number.to_le_bytes());
            line[4..8].copy_from_slice(&first.to_le_bytes());
            line[8..12].copy_from_slice(&count.to_le_bytes());
            line[16..].copy_from_slice(&bytes.to_le_bytes());
        }
        // Also once one of them was made larger and smaller in its place.
        let larger = superblock.members.grown(MemberNumber(3), 5, superblock.layout.segments_max()).unwrap();
        let members = superblock.members.changed(larger.shrunk(9, 16 << 20));
        for members in [superblock.members, members] {
            let page = Superblock { members, ..superblock }.encode();
            assert_eq!((&page[8..12], &page[80..]), (&4_u32.to_le_bytes()[..], &list[..]));
        }
    }

    #[test]
    fn only_a_superblock_with_a_device_in_several_ranges_is_of_version_5_and_reads_back() {
        let before = superblock();
        assert_eq!(before.encode()[8], 4);
        let grown = before.members.grown(MemberNumber(0), 5, before.layout.segments_max()).unwrap();
        let members = before.members.changed(grown.with_bytes(80 << 20));
        let grown = Superblock { members, ..before };
        let page = grown.encode();
        assert_eq!((page[8], Superblock::decode(&page)), (5, Ok(grown)));
    }
}
