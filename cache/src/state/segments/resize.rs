//! Devices that become larger or smaller: new segments are free; segments behind a new end are not taken any more, and their content moves.
//!
//! ```text
//!   shrink:  nothing new goes there ── each closed segment there: copied to a free one that stays ── the table names that one
//!            ── the old one is free once no reader uses it ── none is left ── forgotten
//! ```
//! A segment that moves keeps owner, generation, age, and its other copy: it is the same one at another place. Of one that is
//! mirrored there are two copies at each moment, because the old place is freed only once the table names the new one.

use super::{SegmentEntry, SegmentPurpose, SegmentState, Segments};
use crate::format::members::Member;
use crate::types::limits::{KEPT_BACK_SEGMENTS, MEMBER_SEGMENTS_MIN, PAIRS_MIN, RESERVE_SEGMENTS_MIN};
use crate::types::units::{DiskId, MemberNumber, SegmentNumber, SegmentOwner, Sequence};

/// Segments that a device has to keep, so that the pool has room for its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NeededSegments {
    /// The least that the device can have.
    pub(crate) least: u32,
    /// Segments that are reserved for disks, or hold dirty data.
    pub(crate) kept: u32,
}

impl Segments {
    /// Adds the segments that a device has more than before, all of them free.
    pub(crate) fn grow_device(&mut self, member: Member) {
        self.make_lines(member);
        self.space.grow(member);
    }

    /// Returns the least segments that a device of the pool can have; none if not even those that it has are enough.
    pub(crate) fn needed_on(&self, member: MemberNumber) -> Option<NeededSegments> {
        let most = self.space.member(member)?.segments();
        let kept = self.kept_in_all();
        let mirrored = self.kept_in_pairs();
        let is_alone = self.space.used_with(member, 0).0 == 0;
        let least = if is_alone { RESERVE_SEGMENTS_MIN + KEPT_BACK_SEGMENTS } else { MEMBER_SEGMENTS_MIN };
        let fits = |segments: &u32| {
            let (used, pairs) = self.space.used_with(member, *segments);
            let can_pair = pairs >= PAIRS_MIN;
            let kept_back = if can_pair { 2 } else { 1 } * KEPT_BACK_SEGMENTS;
            // Content with two copies has to keep them.
            (can_pair || !self.space.can_pair())
                && used.saturating_sub(kept_back) >= kept
                && (!can_pair || 2 * (pairs - KEPT_BACK_SEGMENTS) >= mirrored)
        };
        // Not by halves: where pairs become possible, more is kept back.
        (least..=most).find(fits).map(|least| NeededSegments { least, kept })
    }

    /// Returns the segments that are reserved, or hold dirty data of unknown size.
    fn kept_in_all(&self) -> u32 {
        self.holders.values().map(super::Holder::held_for_sure).sum()
    }

    /// Returns how many of these are to have two copies.
    fn kept_in_pairs(&self) -> u32 {
        let mirrored = self.holders.iter().filter(|(disk, _)| self.is_mirrored(**disk));
        mirrored.map(|(_, holder)| holder.held_for_sure()).sum()
    }

    /// Stops taking segments of a device behind its first `segments`: their content is to move.
    pub(crate) fn begin_shrink(&mut self, member: MemberNumber, segments: u32) {
        self.space.begin_shrink(member, segments);
    }

    /// Restores all segments that a device had.
    pub(crate) fn cancel_shrink(&mut self, before: Member) {
        self.space.cancel_shrink(before);
    }

    /// Forgets the segments that a device does not have any more, none of which is owned or used.
    pub(crate) fn end_shrink(&mut self, after: Member) {
        assert_eq!(self.space.not_retired(after.number), 0, "what is behind the end goes before it does");
        self.space.end_shrink(after);
    }

    /// Returns the disks that own segments that are to go.
    pub(crate) fn disks_to_move(&self) -> Vec<DiskId> {
        let mut disks: Vec<DiskId> = self.to_go().filter_map(|(_, line)| line.life?.0.disk()).collect();
        disks.sort_unstable();
        disks.dedup();
        disks
    }

    /// Returns true if notes stand in a segment that is to go.
    pub(crate) fn has_notes_to_move(&self) -> bool {
        self.to_go().any(|(_, line)| line.life.is_some_and(|(owner, _)| owner == SegmentOwner::Notes))
    }

    /// Returns true if a disk owns a segment that is to go, in any state.
    pub(crate) fn has_to_move(&self, disk: DiskId) -> bool {
        self.space.is_shrinking() && self.to_go().any(|(_, line)| line.is_of(disk))
    }

    /// Returns true if a copy of a segment is to go.
    pub(crate) fn is_to_go(&self, segment: SegmentNumber) -> bool {
        let other = self.lines[segment.0 as usize].other;
        [Some(segment), other].into_iter().flatten().any(|segment| self.space.is_to_go(segment))
    }

    /// Returns a segment of a disk that has to move and can, with its owner and generation: it is closed, or the second copy of one that
    /// is.
    pub(crate) fn next_to_move(&self, disk: DiskId) -> Option<(SegmentNumber, (SegmentOwner, Sequence))> {
        let own = self.to_go().filter(|(_, line)| line.is_of(disk));
        let mut movable = own.filter(|(_, line)| self.is_movable(line));
        movable.next().and_then(|(segment, line)| Some((segment, line.life?)))
    }

    fn is_movable(&self, line: &SegmentEntry) -> bool {
        let of_first = |other: SegmentNumber| self.lines[other.0 as usize].state;
        match line.state {
            SegmentState::Sealed => true,
            SegmentState::Second => line.other.map(of_first) == Some(SegmentState::Sealed),
            SegmentState::Free | SegmentState::Open | SegmentState::Reclaiming => false,
        }
    }

    fn to_go(&self) -> impl Iterator<Item = (SegmentNumber, &SegmentEntry)> {
        let lines = (0u32..).map(SegmentNumber).zip(&self.lines);
        lines.filter(|(segment, line)| line.life.is_some() && self.space.is_to_go(*segment))
    }

    /// Takes a free segment as the target of a move: not on the device of the other copy, if there are to be two. It has no owner in the
    /// table until [`Self::complete_move`].
    pub(crate) fn start_move(&mut self, from: SegmentNumber) -> Option<SegmentNumber> {
        let line = self.lines[from.0 as usize];
        let floor = self.floor(SegmentPurpose::Promotion);
        let taken = self.space.take_along(from, floor).or_else(|| match line.other {
            Some(other) => self.space.take_beside(other, floor),
            None => self.space.take(floor),
        });
        let to = taken?;
        let line = &mut self.lines[to.0 as usize];
        assert_eq!((line.state, line.live), (SegmentState::Free, 0));
        line.state = SegmentState::Reclaiming;
        Some(to)
    }

    /// Gives back a segment that something was to move to.
    pub(crate) fn give_up_move(&mut self, to: SegmentNumber) {
        self.give_up_second(to);
    }

    /// Makes a complete copy of a segment take its place, if it is unchanged; else frees the copy. Returns which. The old place is to be
    /// freed once the table records this durably, and references to it have to be changed to the new one.
    pub(crate) fn complete_move(
        &mut self,
        from: SegmentNumber,
        life: (SegmentOwner, Sequence),
        to: SegmentNumber,
    ) -> bool {
        let line = self.lines[from.0 as usize];
        if line.life != Some(life) || !self.is_movable(&line) {
            self.give_up_move(to);
            return false;
        }
        self.change(to, |place| *place = line);
        let left = SegmentEntry {
            life: Some((SegmentOwner::Invalid, life.1)),
            state: SegmentState::Reclaiming,
            ..SegmentEntry::FREE
        };
        self.change(from, |place| *place = left);
        if let Some(other) = line.other {
            self.lines[other.0 as usize].other = Some(to);
        }
        if line.state == SegmentState::Sealed {
            let place = self.sealed.iter_mut().find(|segment| **segment == from);
            *place.expect("closed segments are in order") = to;
        }
        true
    }
}
