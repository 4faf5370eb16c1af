//! Dirty data in segments: which disks may hold some, how much of it has room, and which disks exceed their share.

use super::{SegmentPurpose, SegmentState, Segments};
use crate::state::holders::{self, Holder};
use crate::types::limits::{NOTE_SEGMENTS, RESERVE_SEGMENTS_MIN};
use crate::types::units::{DiskId, SegmentNumber, SegmentOwner, Sequence};

/// The part of a pool that is never kept for dirty data beyond a reservation: an eighth.
const SPARE_PART: u32 = 8;

/// Place of a segment among the closed ones: before the one at `next`.
enum ClosedPosition {
    /// It is the oldest of its disk.
    First { next: usize },
    /// It is not.
    Behind { next: usize },
}

impl Segments {
    /// Records whether a disk's segments may hold dirty data.
    pub(crate) fn set_dirty(&mut self, disk: DiskId, dirty: bool) {
        self.holders.entry(disk).or_insert(Holder::UNKNOWN).dirty = dirty;
    }

    /// Returns true if there may be.
    pub(crate) fn is_dirty(&self, disk: DiskId) -> bool {
        self.holders.get(&disk).is_some_and(|holder| holder.dirty)
    }

    /// Records whether writes of a disk's guests stay on flash for a while.
    pub(crate) fn set_writes_back(&mut self, disk: DiskId, writes_back: bool) {
        if let Some(holder) = self.holders.get_mut(&disk) {
            let before = std::mem::replace(&mut holder.writes_back, writes_back);
            self.writing_back = self.writing_back + u32::from(writes_back) - u32::from(before);
        }
    }

    /// Returns the number of disks of which that is so.
    pub(crate) fn writing_back(&self) -> u32 {
        self.writing_back
    }

    /// Returns true if not even reclaim gets a segment.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.space.left_in_need() <= NOTE_SEGMENTS - self.noted()
    }

    /// Returns true if no segment that is kept back for reclaim is in use.
    pub(crate) fn has_reserve(&self) -> bool {
        self.space.left() >= self.floor(SegmentPurpose::Promotion)
    }

    /// Returns the number of segments that a disk keeps when others need room.
    pub(crate) fn kept_by(&self, disk: DiskId) -> u32 {
        let kept = holders::kept(self.reserved, self.usable());
        self.holders.get(&disk).map_or(0, kept)
    }

    /// Reserves segments for the dirty data of a disk, in place of those reserved before.
    pub(crate) fn keep_for_dirty(&mut self, disk: DiskId, segments: u32) {
        if let Some(holder) = self.holders.get_mut(&disk) {
            let before = holder.promised();
            holder.for_dirty = segments;
            self.reserved = self.reserved + u64::from(holder.promised()) - u64::from(before);
        }
    }

    /// Returns the number of segments that can be reserved for the dirty data of a disk: those that no other disk has, except for a part
    /// that stays free so that further disks find room, and never more than the disk's limit.
    pub(crate) fn keepable(&self, disk: DiskId) -> u32 {
        let usable = self.usable();
        let spare = (usable / SPARE_PART).max(RESERVE_SEGMENTS_MIN);
        let left = usable.saturating_sub(self.reserved_by_others(disk)).saturating_sub(spare);
        let limit = self.holders.get(&disk).map_or(0, |holder| holder.share.limit);
        left.min(limit).max(self.kept_by(disk))
    }

    /// Returns the segments that are reserved for dirty data of other disks beyond their own reservations.
    pub(crate) fn dirty_beyond_reserve(&self, disk: DiskId) -> u32 {
        let own = self.holders.get(&disk).map_or(0, Holder::beyond_reserve);
        self.dirty_beyond_all_reserves() - own
    }

    /// Returns the segments that are reserved for dirty data of all disks beyond their own reservations.
    pub(crate) fn dirty_beyond_all_reserves(&self) -> u32 {
        self.holders.values().map(Holder::beyond_reserve).sum()
    }

    /// Puts back a victim that could not be emptied: it is where it was among those of its disk. One that was disowned meanwhile has no
    /// owner, and its readers are unknown: the next start finds it free.
    pub(crate) fn put_back(&mut self, segment: SegmentNumber) {
        let line = &mut self.lines[segment.0 as usize];
        assert_eq!(line.state, SegmentState::Reclaiming);
        if line.life.is_none_or(|(owner, _)| owner == SegmentOwner::Invalid) {
            return;
        }
        line.state = SegmentState::Sealed;
        match self.place_among_own(segment) {
            // The oldest of its disk is the next to go.
            ClosedPosition::First { .. } => self.sealed.push_front(segment),
            ClosedPosition::Behind { next } => self.sealed.insert(next, segment),
        }
    }

    /// Exchanges the victim for another segment of the same disk, if both are as the caller expects. The first one is closed again, where
    /// it was among those of its disk. Returns true if that was done.
    pub(crate) fn exchange(
        &mut self,
        victim: SegmentNumber,
        other: SegmentNumber,
        life: (SegmentOwner, Sequence),
    ) -> bool {
        let line = &self.lines[victim.0 as usize];
        let is_same_disk = line.life.is_some_and(|(owner, _)| owner == life.0);
        // Neither one that is damaged: it could not be taken back.
        let is_whole =
            !line.is_damaged && !self.lines[other.0 as usize].is_damaged && self.is_sealed(other, life);
        let place = self.sealed.iter().position(|segment| *segment == other);
        let (SegmentState::Reclaiming, true, true, Some(place)) = (line.state, is_same_disk, is_whole, place)
        else {
            return false;
        };
        self.sealed.remove(place);
        self.lines[other.0 as usize].state = SegmentState::Reclaiming;
        self.lines[victim.0 as usize].state = SegmentState::Sealed;
        let (ClosedPosition::First { next } | ClosedPosition::Behind { next }) = self.place_among_own(victim);
        self.sealed.insert(next, victim);
        true
    }

    /// Returns the place of a segment among the closed ones, so that those of its disk are in order of their age.
    fn place_among_own(&self, segment: SegmentNumber) -> ClosedPosition {
        let Some((owner, generation)) = self.lines[segment.0 as usize].life else {
            return ClosedPosition::First { next: 0 };
        };
        let mut is_first = true;
        for (at, other) in self.sealed.iter().enumerate() {
            match self.lines[other.0 as usize].life {
                Some((other, newer)) if other == owner && newer > generation => {
                    return if is_first {
                        ClosedPosition::First { next: at }
                    } else {
                        ClosedPosition::Behind { next: at }
                    };
                }
                Some((other, _)) if other == owner => is_first = false,
                _ => {}
            }
        }
        let next = self.sealed.len();
        if is_first { ClosedPosition::First { next } } else { ClosedPosition::Behind { next } }
    }

    /// Returns an attached disk that holds more than it may, after its limit was lowered.
    pub(crate) fn over_limit(&self) -> Option<DiskId> {
        let known = |holder: &Holder| !holder.dirty || holder.indexed;
        let over = |holder: &Holder| {
            holder.owner_shard.is_some() && holder.held > holder.share.limit && known(holder)
        };
        self.holders.iter().find(|(_, holder)| over(holder)).map(|(disk, _)| *disk)
    }

    /// Returns true if a disk holds more than it may, after its limit was lowered.
    pub(crate) fn exceeds_limit(&self, disk: DiskId) -> bool {
        self.holders.get(&disk).is_some_and(|holder| holder.held > holder.share.limit)
    }
}
