//! The devices of a pool, as each of its superblocks lists them.
//!
//! ```text
//! 0   4   number; 0xffff_ffff = none
//! 4   4   its first segment
//! 8   4   its segments
//! 12  4   zero
//! 16  8   bytes of the device that the pool uses
//! ```
//! Sixteen such entries. Segments keep their numbers for as long as their device belongs to the pool; what another one
//! leaves is a gap, for the next that fits.
//!
//! A device that was made larger may have segments in several ranges of numbers, in the order in which they stand on the device. The
//! superblock is of version 5 then, the entry has the first range, and seven further ones of each entry follow all entries:
//!
//! ```text
//! 0   4   first segment of the range
//! 4   4   its segments; 0 = no range
//! ```

use super::codec::{Decoder, Encoder, FrameError};
use crate::types::limits::MEMBERS_MAX;
use crate::types::units::{MemberNumber, SegmentNumber};

/// Segments whose numbers follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    first: u32,
    count: u32,
}

impl Range {
    const NONE: Self = Self { first: 0, count: 0 };

    fn end(self) -> u32 {
        self.first + self.count
    }
}

/// A device of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its number.
    pub number: MemberNumber,
    /// Bytes of the device that the pool uses.
    pub device_bytes: u64,
    /// Its segments in the order in which they stand on it; empty ranges are last.
    ranges: [Range; RANGES_MAX],
}

/// All devices of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Members([Option<Member>; MEMBERS_MAX]);

const NONE: u32 = u32::MAX;
/// Ranges of segment numbers that a device may have.
const RANGES_MAX: usize = 8;

impl Member {
    /// Returns a device whose segments are numbered from `first` on.
    pub fn new(number: MemberNumber, first: SegmentNumber, segments: u32, device_bytes: u64) -> Self {
        let mut ranges = [Range::NONE; RANGES_MAX];
        ranges[0] = Range { first: first.0, count: segments };
        Self { number, device_bytes, ranges }
    }

    /// Returns the number of its segments.
    pub fn segments(&self) -> u32 {
        self.ranges.iter().map(|range| range.count).sum()
    }

    /// Returns the place of a segment among those of the device; none if it is on another one.
    pub fn place_of(&self, segment: SegmentNumber) -> Option<u32> {
        let mut before = 0;
        for range in &self.ranges {
            if segment.0 >= range.first && segment.0 - range.first < range.count {
                return Some(before + segment.0 - range.first);
            }
            before += range.count;
        }
        None
    }

    /// Returns true if a segment is on this device.
    pub fn has(&self, segment: SegmentNumber) -> bool {
        self.place_of(segment).is_some()
    }

    /// Returns its segments in the order in which they stand on it.
    pub fn numbers(&self) -> impl Iterator<Item = SegmentNumber> + use<> {
        self.ranges.into_iter().flat_map(|range| range.first..range.end()).map(SegmentNumber)
    }

    /// Returns the device with its first segments only, as it is once it has `device_bytes`.
    #[must_use]
    pub fn shrunk(mut self, segments: u32, device_bytes: u64) -> Self {
        let mut left = segments;
        for range in &mut self.ranges {
            range.count = range.count.min(left);
            left -= range.count;
            if range.count == 0 {
                *range = Range::NONE;
            }
        }
        Self { device_bytes, ..self }
    }

    /// Returns the device with the same segments, as it is once it has `device_bytes`.
    #[must_use]
    pub fn with_bytes(self, device_bytes: u64) -> Self {
        Self { device_bytes, ..self }
    }

    /// Returns one behind the last number of its segments.
    pub fn end(&self) -> u32 {
        self.ranges.iter().map(|range| range.end()).max().unwrap_or(0)
    }

    fn last(&mut self) -> &mut Range {
        let used = self.ranges.iter().filter(|range| range.count > 0).count();
        &mut self.ranges[used.max(1) - 1]
    }
}

impl Members {
    /// Returns the only device of a new pool.
    pub fn one(device_bytes: u64, segments: u32) -> Self {
        let mut members = Self([None; MEMBERS_MAX]);
        members.0[0] = Some(Member::new(MemberNumber(0), SegmentNumber(0), segments, device_bytes));
        members
    }

    /// Returns all of them.
    pub fn iter(&self) -> impl Iterator<Item = Member> + '_ {
        self.0.iter().flatten().copied()
    }

    /// Returns the device with this number.
    pub fn get(&self, number: MemberNumber) -> Option<Member> {
        self.iter().find(|member| member.number == number)
    }

    /// Returns the list with one more; none if there are as many as there may be.
    #[must_use]
    pub fn with(mut self, member: Member) -> Option<Self> {
        let place = self.0.iter_mut().find(|place| place.is_none())?;
        *place = Some(member);
        Some(self)
    }

    /// Returns the list without one of them.
    #[must_use]
    pub fn without(mut self, number: MemberNumber) -> Self {
        self.0.iter_mut().for_each(|place| *place = place.filter(|member| member.number != number));
        self
    }

    /// Returns the list with a device as it is now, in the place of the one with its number.
    #[must_use]
    pub fn changed(mut self, member: Member) -> Self {
        let listed = self.0.iter_mut().flatten().filter(|listed| listed.number == member.number);
        listed.for_each(|listed| *listed = member);
        self
    }

    /// Returns the number behind the last segment of all.
    pub fn end(&self) -> u32 {
        self.iter().map(|member| member.end()).max().unwrap_or(0)
    }

    /// Returns the first place for `segments` more segments, below `end`.
    pub fn gap(&self, segments: u32, end: u32) -> Option<SegmentNumber> {
        self.gaps(end).find(|gap| gap.count >= segments).map(|gap| SegmentNumber(gap.first))
    }

    /// Returns how many numbers below `end` are those of no device.
    pub fn room(&self, end: u32) -> u32 {
        self.gaps(end).map(|gap| gap.count).sum()
    }

    /// Returns a device of the list with `more` segments more, numbered below `end`. None if there is no room for them, or only in more
    /// parts than a device may have.
    pub fn grown(&self, number: MemberNumber, more: u32, end: u32) -> Option<Member> {
        let mut member = self.get(number)?;
        let mut left = more;
        while left > 0 {
            let others = self.changed(member);
            let behind = others.gaps(end).find(|gap| gap.first == member.last().end());
            if let Some(gap) = behind {
                let taken = gap.count.min(left);
                member.last().count += taken;
                left -= taken;
                continue;
            }
            let fits = others.gaps(end).find(|gap| gap.count >= left);
            let gap = fits.or_else(|| others.gaps(end).max_by_key(|gap| gap.count))?;
            let place = member.ranges.iter_mut().find(|range| range.count == 0)?;
            let taken = gap.count.min(left);
            *place = Range { first: gap.first, count: taken };
            left -= taken;
        }
        Some(member)
    }

    /// Returns the numbers below `end` that no device has, in order.
    fn gaps(&self, end: u32) -> impl Iterator<Item = Range> + use<> {
        let mut taken: Vec<Range> = self.iter().flat_map(|member| member.ranges).collect();
        taken.retain(|range| range.count > 0);
        taken.sort_unstable_by_key(|range| range.first);
        taken.push(Range { first: end, count: 0 });
        let mut start = 0;
        let mut gaps = Vec::new();
        for range in taken {
            if range.first.min(end) > start {
                gaps.push(Range { first: start, count: range.first.min(end) - start });
            }
            start = start.max(range.end());
        }
        gaps.into_iter()
    }

    /// Returns true if a device has segments in several ranges, which versions before 5 cannot express.
    pub(super) fn are_in_ranges(&self) -> bool {
        self.iter().any(|member| member.ranges[1].count > 0)
    }

    pub(super) fn encode(&self, encoder: &mut Encoder<'_>) {
        for member in &self.0 {
            encoder.u32(member.map_or(NONE, |member| member.number.0));
            encoder.u32(member.map_or(0, |member| member.ranges[0].first));
            encoder.u32(member.map_or(0, |member| member.ranges[0].count));
            encoder.u32(0);
            encoder.u64(member.map_or(0, |member| member.device_bytes));
        }
        if !self.are_in_ranges() {
            return;
        }
        for member in &self.0 {
            for place in 1..RANGES_MAX {
                let range = member.map_or(Range::NONE, |member| member.ranges[place]);
                encoder.u32(range.first);
                encoder.u32(range.count);
            }
        }
    }

    /// Decodes a list whose checksum was verified. `segments_max` is the capacity of the table, `further_ranges` whether its version has
    /// further ranges of each entry.
    pub(super) fn decode(
        decoder: &mut Decoder<'_>,
        segments_max: u32,
        further_ranges: FurtherRanges,
    ) -> Result<Self, FrameError> {
        let mut read = [None; MEMBERS_MAX];
        for place in &mut read {
            let (number, first, segments) = (decoder.u32(), decoder.u32(), decoder.u32());
            let (_, device_bytes) = (decoder.u32(), decoder.u64());
            let first = SegmentNumber(first);
            if number != NONE {
                *place = Some(Member::new(MemberNumber(number), first, segments, device_bytes));
            }
        }
        if further_ranges == FurtherRanges::Follow {
            for place in &mut read {
                let mut ranges = [Range::NONE; RANGES_MAX - 1];
                for range in &mut ranges {
                    *range = Range { first: decoder.u32(), count: decoder.u32() };
                }
                if let Some(member) = place {
                    member.ranges[1..].copy_from_slice(&ranges);
                }
            }
        }
        let mut members = Self([None; MEMBERS_MAX]);
        for (place, member) in members.0.iter_mut().zip(read) {
            *place = member;
        }
        if members.are_valid(segments_max) { Ok(members) } else { Err(FrameError::Field("devices")) }
    }

    /// Returns true if numbers are those of one device each, and below the capacity of the table.
    fn are_valid(&self, segments_max: u32) -> bool {
        let mut ranges: Vec<Range> = self.iter().flat_map(|member| member.ranges).collect();
        ranges.retain(|range| range.count > 0);
        ranges.sort_unstable_by_key(|range| range.first);
        let fit = |range: &Range| range.first.checked_add(range.count).is_some_and(|end| end <= segments_max);
        let is_whole = |member: Member| {
            let used = member.ranges.iter().take_while(|range| range.count > 0).count();
            used > 0 && member.ranges[used..].iter().all(|range| range.count == 0)
        };
        let is_alone =
            |member: Member| self.iter().filter(|other| other.number == member.number).count() == 1;
        ranges.iter().all(fit)
            && ranges.windows(2).all(|pair| pair[0].end() <= pair[1].first)
            && self.iter().all(|member| is_whole(member) && is_alone(member))
    }
}

/// Presence of further ranges behind the entries of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FurtherRanges {
    Follow,
    AreNone,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(number: u32, first: u32, segments: u32) -> Member {
        Member::new(MemberNumber(number), SegmentNumber(first), segments, u64::from(segments) << 20)
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

    #[test]
    fn a_device_grows_behind_itself_first_and_then_into_gaps_and_its_places_follow_each_other() {
        let members = Members::one(1 << 30, 10).with(member(1, 10, 5)).unwrap();
        let grown = members.grown(MemberNumber(1), 3, 40).unwrap();
        assert_eq!(
            grown.numbers().map(|number| number.0).collect::<Vec<_>>(),
            [10, 11, 12, 13, 14, 15, 16, 17]
        );
        let members = members.changed(grown);
        let grown = members.grown(MemberNumber(0), 4, 40).unwrap();
        assert_eq!((grown.segments(), grown.end()), (14, 22));
        assert_eq!(grown.numbers().skip(9).map(|number| number.0).collect::<Vec<_>>(), [9, 18, 19, 20, 21]);
        assert_eq!((grown.place_of(SegmentNumber(20)), grown.place_of(SegmentNumber(12))), (Some(12), None));
        let members = members.changed(grown);
        assert!(members.are_in_ranges() && members.are_valid(22) && !members.are_valid(21));
        assert_eq!(members.room(40), 18);
        assert_eq!(members.grown(MemberNumber(1), 19, 40), None);
        assert_eq!(grown.shrunk(10, 1 << 30), member(0, 0, 10).shrunk(10, 1 << 30));
        assert_eq!(grown.shrunk(12, 5).end(), 20);
    }

    #[test]
    fn a_device_has_eight_ranges_at_most() {
        let mut members = Members::one(1 << 30, 1).with(member(1, 1, 1)).unwrap();
        for round in 0..16 {
            let number = MemberNumber(round % 2);
            let Some(grown) = members.grown(number, 1, 100) else {
                assert_eq!(round, 14, "two devices in turns, from one range each");
                return;
            };
            members = members.changed(grown);
            assert!(members.are_valid(100));
        }
        unreachable!("there is an end");
    }
}
