//! The devices of a pool, as each of its superblocks lists them.
//!
//! ```text
//! 0   4   number; 0xffff_ffff = none
//! 4   4   its first segment
//! 8   4   its segments
//! 12  4   zero
//! 16  8   bytes of the device that the pool uses
//! ```
//! Sixteen such lines. Segments keep their numbers for as long as their device belongs to the pool; what another one
//! leaves is a gap, for the next that fits.

use super::codec::{Decoder, Encoder, FrameError};
use crate::words::limits::MEMBERS_MAX;
use crate::words::units::{MemberNumber, SegmentNumber};

/// A device of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its number.
    pub number: MemberNumber,
    /// The first of its segments.
    pub first: SegmentNumber,
    /// How many it has.
    pub segments: u32,
    /// Bytes of the device that the pool uses.
    pub device_bytes: u64,
}

/// All devices of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Members([Option<Member>; MEMBERS_MAX]);

const NONE: u32 = u32::MAX;

impl Member {
    /// True if a segment is on this device.
    pub fn has(&self, segment: SegmentNumber) -> bool {
        segment >= self.first && segment.0 - self.first.0 < self.segments
    }
}

impl Members {
    /// The only device of a new pool.
    pub fn one(device_bytes: u64, segments: u32) -> Self {
        let member = Member { number: MemberNumber(0), first: SegmentNumber(0), segments, device_bytes };
        let mut members = Self([None; MEMBERS_MAX]);
        members.0[0] = Some(member);
        members
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Member> + '_ {
        self.0.iter().flatten().copied()
    }

    /// The device with this number.
    pub fn get(&self, number: MemberNumber) -> Option<Member> {
        self.iter().find(|member| member.number == number)
    }

    /// With one more; none if there are as many as there may be.
    #[must_use]
    pub fn with(mut self, member: Member) -> Option<Self> {
        let place = self.0.iter_mut().find(|place| place.is_none())?;
        *place = Some(member);
        Some(self)
    }

    /// Without one of them.
    #[must_use]
    pub fn without(mut self, number: MemberNumber) -> Self {
        self.0.iter_mut().for_each(|place| *place = place.filter(|member| member.number != number));
        self
    }

    /// One behind the last segment of all.
    pub fn end(&self) -> u32 {
        self.iter().map(|member| member.first.0 + member.segments).max().unwrap_or(0)
    }

    /// The first place for so many segments more, below `end`.
    pub fn gap(&self, segments: u32, end: u32) -> Option<SegmentNumber> {
        let mut starts: Vec<u32> = self.iter().map(|member| member.first.0 + member.segments).collect();
        starts.push(0);
        starts.sort_unstable();
        let fits = |start: &u32| {
            let after = start.checked_add(segments).filter(|after| *after <= end);
            after.is_some_and(|after| {
                self.iter().all(|other| other.first.0 + other.segments <= *start || after <= other.first.0)
            })
        };
        starts.into_iter().find(fits).map(SegmentNumber)
    }

    pub(super) fn encode(&self, encoder: &mut Encoder<'_>) {
        for member in &self.0 {
            encoder.u32(member.map_or(NONE, |member| member.number.0));
            encoder.u32(member.map_or(0, |member| member.first.0));
            encoder.u32(member.map_or(0, |member| member.segments));
            encoder.u32(0);
            encoder.u64(member.map_or(0, |member| member.device_bytes));
        }
    }

    /// Takes a list whose checksum was verified. `segments_max` is what the table has room for.
    pub(super) fn decode(decoder: &mut Decoder<'_>, segments_max: u32) -> Result<Self, FrameError> {
        let mut members = Self([None; MEMBERS_MAX]);
        for place in 0..MEMBERS_MAX {
            let (number, first, segments) = (decoder.u32(), decoder.u32(), decoder.u32());
            let (_, device_bytes) = (decoder.u32(), decoder.u64());
            if number == NONE {
                continue;
            }
            let member =
                Member { number: MemberNumber(number), first: SegmentNumber(first), segments, device_bytes };
            let overlaps = members.iter().any(|other| {
                first < other.first.0 + other.segments && other.first.0 < first.saturating_add(segments)
            });
            let end = first.checked_add(segments).filter(|end| *end <= segments_max);
            if overlaps || end.is_none() || segments == 0 || members.get(member.number).is_some() {
                return Err(FrameError::Field("devices"));
            }
            members.0[place] = Some(member);
        }
        Ok(members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(number: u32, first: u32, segments: u32) -> Member {
        let device_bytes = u64::from(segments) << 20;
        Member { number: MemberNumber(number), first: SegmentNumber(first), segments, device_bytes }
    }

    #[test]
    fn a_new_device_takes_the_first_gap_that_fits() {
        let members = Members::one(1 << 30, 10);
        assert_eq!(members.gap(5, 20), Some(SegmentNumber(10)));
        assert_eq!(members.gap(11, 20), None);
        let members = members.with(member(1, 10, 5)).unwrap().with(member(2, 15, 3)).unwrap();
        let members = members.without(MemberNumber(1));
        assert_eq!(members.gap(5, 20), Some(SegmentNumber(10)));
        assert_eq!(members.gap(6, 24), Some(SegmentNumber(18)));
        assert_eq!(members.end(), 18);
    }

    #[test]
    fn there_are_at_most_sixteen() {
        let mut members = Members::one(1 << 30, 1);
        for number in 1..16 {
            members = members.with(member(number, number, 1)).unwrap();
        }
        assert_eq!(members.with(member(16, 16, 1)), None);
    }
}
