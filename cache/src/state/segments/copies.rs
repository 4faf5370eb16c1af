//! Two copies of one segment on two devices (rule I13): of all notes, and, of mirrored disks, of all log records and writes of guests.
//!
//! ```text
//!   take:      both at once, one line of the table for each
//!   repair:    a free segment on another device ── copied, flushed (storage/copies.rs) ──> second copy, table
//!   a device fails:  its first copies: the second ones take their place; its second copies: given up
//! ```

use std::collections::BTreeMap;

use super::{Holder, SegmentEntry, SegmentPurpose, SegmentState, Segments, TableMention};
use crate::types::canary::{self, Bug};
use crate::types::limits::KEPT_BACK_SEGMENTS;
use crate::types::units::{DiskId, MemberNumber, SegmentNumber, SegmentOwner, Sequence};

/// Result for a segment of which a device that failed had a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RemainingCopy {
    /// The second copy, on a device that did not fail.
    Second,
    /// The first one.
    First,
    /// Nothing.
    Nothing,
}

impl Segments {
    /// Records whether writes of a disk's guests need two copies.
    pub(crate) fn set_mirrored(&mut self, disk: DiskId, mirrored: bool) {
        if let Some(holder) = self.holders.get_mut(&disk) {
            holder.mirrored = mirrored;
        }
    }

    /// Returns true if an owner's segments have two copies: those of notes, or of a disk that wants that and whose guests' data depends on
    /// flash; and two devices are large enough.
    pub(crate) fn is_mirrored(&self, owner: impl Into<SegmentOwner>) -> bool {
        let depends = |holder: &Holder| holder.mirrored && (holder.writes_back || holder.dirty);
        let wanted = match owner.into() {
            SegmentOwner::Disk(disk) => self.holders.get(&disk).is_some_and(depends),
            SegmentOwner::Notes => true,
            SegmentOwner::Invalid => false,
        };
        wanted && self.space.can_pair()
    }

    /// Returns true if notes stand in one copy, and could in two.
    pub(crate) fn notes_lack_copy(&self) -> bool {
        self.is_mirrored(SegmentOwner::Notes) && self.notes.held == 1
    }

    /// Copies of each segment that an owner takes.
    pub(super) fn copies_of(&self, owner: SegmentOwner) -> u32 {
        if self.is_mirrored(owner) { 2 } else { 1 }
    }

    /// Pairs of segments that each disk in write-back may take for its part.
    pub(crate) fn pairs_of_each(&self) -> u64 {
        u64::from(self.space.pairs().saturating_sub(KEPT_BACK_SEGMENTS) / self.writing_back.max(1))
    }

    /// Returns the second copy of a segment.
    pub(crate) fn second(&self, segment: SegmentNumber) -> Option<SegmentNumber> {
        let line = &self.lines[segment.0 as usize];
        line.other.filter(|_| line.state != SegmentState::Second)
    }

    /// Changes a segment, and counts whether its owner has one more with one copy, or one less. All changes that affect this go through
    /// here: owners, second copies, and which copy is the first.
    pub(super) fn change(&mut self, segment: SegmentNumber, change: impl FnOnce(&mut SegmentEntry)) {
        let line = &mut self.lines[segment.0 as usize];
        let before = line.is_single_of();
        change(line);
        let after = line.is_single_of();
        // An invalidated segment has no owner.
        if let Some(holder) = before.and_then(|owner| self.holder_mut(owner)) {
            holder.singles -= 1;
        }
        if let Some(holder) = after.and_then(|owner| self.holder_mut(owner)) {
            holder.singles += 1;
        }
    }

    /// Makes one segment the second copy of another.
    pub(super) fn join(&mut self, first: SegmentNumber, second: SegmentNumber) {
        self.change(first, |line| line.other = Some(second));
        self.change(second, |line| line.other = Some(first));
    }

    /// Takes two copies apart that go different ways. Returns the second one of a first.
    pub(super) fn part(&mut self, segment: SegmentNumber) -> Option<SegmentNumber> {
        let other = self.lines[segment.0 as usize].other?;
        self.change(segment, |line| line.other = None);
        if self.lines[other.0 as usize].state != SegmentState::Second {
            self.change(other, |line| line.other = None);
            return None;
        }
        self.change(other, |line| (line.state, line.other) = (SegmentState::Reclaiming, None));
        Some(other)
    }

    /// Finds the copies of each other in a table. A second copy whose first one is gone takes its place.
    pub(super) fn join_copies(&mut self) {
        let mut firsts = BTreeMap::new();
        let mut seconds = Vec::new();
        for (number, line) in (0u32..).map(SegmentNumber).zip(&self.lines) {
            match (line.life, line.state) {
                (Some(life), SegmentState::Second) => seconds.push((life, number)),
                (Some(life), _) => drop(firsts.insert(life, number)),
                (None, _) => {}
            }
        }
        for (life, second) in seconds {
            if let Some(first) = firsts.get(&life) {
                self.join(*first, second);
            } else {
                firsts.insert(life, second);
                self.change(second, |line| line.state = SegmentState::Sealed);
            }
        }
    }

    /// Returns the closed segments of a disk of which a device that failed had a copy, and the copies that are left.
    pub(crate) fn torn_by(&self, member: MemberNumber, disk: DiskId) -> Vec<(SegmentNumber, RemainingCopy)> {
        let Some(member) = self.space.member(member) else { return Vec::new() };
        let left = |number: SegmentNumber| {
            let line = &self.lines[number.0 as usize];
            if line.state != SegmentState::Sealed || !line.is_of(disk) {
                return None;
            }
            match (member.has(number), line.other) {
                (true, Some(_)) => Some((number, RemainingCopy::Second)),
                (true, None) => Some((number, RemainingCopy::Nothing)),
                (false, Some(other)) if member.has(other) => Some((number, RemainingCopy::First)),
                (false, _) => None,
            }
        };
        (0..self.lines.len() as u32).map(SegmentNumber).filter_map(left).collect()
    }

    /// Returns true if all segments of a disk of which a device has a copy have another one elsewhere.
    pub(crate) fn has_copies_of_all(&self, member: MemberNumber, disk: DiskId) -> bool {
        let Some(member) = self.space.member(member) else { return true };
        let mut own =
            member.numbers().map(|number| &self.lines[number.0 as usize]).filter(|line| line.is_of(disk));
        own.all(|line| line.other.is_some())
    }

    /// Gives back a segment that was to become a second copy.
    pub(crate) fn give_up_second(&mut self, second: SegmentNumber) {
        self.lines[second.0 as usize].state = SegmentState::Free;
        self.space.put(second);
    }

    /// Promotes the second copy of a closed segment to the first, whose device failed. Returns it: references to pages of the first one
    /// have to be changed to it.
    pub(crate) fn promote_second(&mut self, first: SegmentNumber) -> SegmentNumber {
        let lost = &mut self.lines[first.0 as usize];
        assert_eq!(lost.state, SegmentState::Sealed);
        let second = lost.other.expect("whoever asks looked");
        let live = std::mem::take(&mut lost.live);
        self.change(first, |line| (line.state, line.other) = (SegmentState::Reclaiming, None));
        self.change(second, |line| (line.state, line.live, line.other) = (SegmentState::Sealed, live, None));
        let place = self.sealed.iter_mut().find(|segment| **segment == first);
        *place.expect("closed segments are in order") = second;
        self.free_one(first);
        second
    }

    /// Gives up the second copy of a segment, on a device that failed.
    pub(crate) fn drop_second(&mut self, first: SegmentNumber) {
        if let Some(second) = self.part(first) {
            self.free_one(second);
        }
    }

    /// Returns the newest closed segment of a disk that lacks a second copy and is to have one.
    pub(crate) fn lacks_second(&self, disk: DiskId) -> Option<SegmentNumber> {
        if !self.is_mirrored(disk) {
            return None;
        }
        let own = |segment: &&SegmentNumber| {
            let line = &self.lines[segment.0 as usize];
            line.other.is_none() && !line.is_damaged && line.is_of(disk)
        };
        self.sealed.iter().rev().find(own).copied()
    }

    /// Records that headers or summary of a closed segment are damaged: no copy is made of it any more.
    pub(crate) fn note_damaged(&mut self, first: SegmentNumber) {
        self.lines[first.0 as usize].is_damaged = true;
    }

    /// Returns the number of segments of an owner of which no second copy is recorded; none if it is not mirrored.
    pub(crate) fn uncopied(&self, owner: impl Into<SegmentOwner>) -> u64 {
        let owner = owner.into();
        let Some(holder) = self.holder(owner).filter(|_| self.is_mirrored(owner)) else { return 0 };
        debug_assert_eq!(holder.singles as usize, self.count_singles(owner));
        let unrecorded = if canary::has(Bug::CopyCountsEarly) { 0 } else { holder.unrecorded };
        u64::from(holder.singles) + u64::from(unrecorded)
    }

    /// Recounts what is otherwise counted as it changes.
    pub(super) fn count_singles(&self, owner: SegmentOwner) -> usize {
        self.lines.iter().filter(|line| line.is_single_of() == Some(owner)).count()
    }

    /// Returns the number of segments of all mirrored disks of which no second copy is recorded.
    pub(crate) fn all_uncopied(&self) -> u64 {
        self.holders.keys().map(|disk| self.uncopied(*disk)).sum()
    }

    /// Records that a segment with one copy is freed. While the table names it, a start without its device misses it; of two copies the
    /// other one would be there. Of notes only the newest count.
    pub(super) fn note_single_freed(&mut self, segment: SegmentNumber) {
        let disk = self.lines[segment.0 as usize].life.and_then(|(owner, _)| owner.disk());
        if let Some(holder) = disk.and_then(|disk| self.holders.get_mut(&disk)) {
            holder.unrecorded += 1;
        }
    }

    /// Returns true if a disk is mirrored on the devices, and the table does not record that yet.
    pub(crate) fn is_unrecorded(&self, disk: DiskId) -> bool {
        self.is_mirrored(disk) && self.holders.get(&disk).is_some_and(|holder| holder.unrecorded > 0)
    }

    /// Records that the table is about to be written with the result of [`Self::lives`] at this moment.
    pub(crate) fn start_recording(&mut self) {
        self.holders.values_mut().for_each(|holder| holder.recording = holder.unrecorded);
        for line in self.lines.iter_mut().filter(|line| line.named == TableMention::Yes) {
            line.named = TableMention::UntilWritten;
        }
    }

    /// Records that this table is durable.
    pub(crate) fn recorded(&mut self) {
        for holder in self.holders.values_mut() {
            holder.unrecorded -= std::mem::take(&mut holder.recording);
        }
        for line in self.lines.iter_mut().filter(|line| line.named == TableMention::UntilWritten) {
            line.named = TableMention::No;
        }
    }

    /// Returns true if a table on flash may name an earlier generation of a segment: it has to be written before the segment is.
    pub(crate) fn may_be_named(&self, segment: SegmentNumber) -> bool {
        self.lines[segment.0 as usize].named != TableMention::No
    }

    /// Takes a free segment on another device for a second copy of a closed one. It has no owner in the table until
    /// [`Self::complete_second`].
    pub(crate) fn start_second(&mut self, first: SegmentNumber) -> Option<SegmentNumber> {
        let (owner, _) = self.lines[first.0 as usize].life?;
        let below_limit = self.holder(owner).is_some_and(|holder| holder.held < holder.share.limit);
        if !below_limit {
            return None;
        }
        let floor = self.floor(SegmentPurpose::Promotion);
        let second = self.space.take_beside(first, floor)?;
        let line = &mut self.lines[second.0 as usize];
        assert_eq!((line.state, line.live), (SegmentState::Free, 0));
        line.state = SegmentState::Reclaiming;
        Some(second)
    }

    /// Makes a complete copy the second one of a segment that is unchanged; else frees it. Returns which. It counts once the table records
    /// it.
    pub(crate) fn complete_second(
        &mut self,
        first: SegmentNumber,
        life: (SegmentOwner, Sequence),
        second: SegmentNumber,
    ) -> bool {
        let line = &self.lines[first.0 as usize];
        let is_wanted = line.state == SegmentState::Sealed && line.life == Some(life) && line.other.is_none();
        if !is_wanted {
            self.give_up_second(second);
            return false;
        }
        self.change(second, |line| (line.state, line.life) = (SegmentState::Second, Some(life)));
        self.join(first, second);
        let holder = self.holder_mut(life.0).expect("it holds the first");
        holder.held += 1;
        holder.unrecorded += 1;
        true
    }
}

impl SegmentEntry {
    /// Returns the owner, if this is the only copy.
    fn is_single_of(&self) -> Option<SegmentOwner> {
        let is_single = self.state != SegmentState::Second && self.other.is_none();
        self.life.filter(|_| is_single).map(|(owner, _)| owner)
    }
}
