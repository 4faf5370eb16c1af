//! The pool's segments: which disk owns which, in which generation, how many of its pages are still indexed, and which is reclaimed next
//! when room is needed. All shards of a pool share them.
//!
//! ```text
//!   Free ──take──> Open ──seal──> Sealed ──choose_victim, disown──> Reclaiming ──free──> Free
//! ```
//! Of one disk, the oldest segment goes first: an older version of a page is gone before a newer one, and what a
//! segment records about earlier ones is no longer needed when it goes (rule I8). One that holds only clean pages may go
//! instead of the oldest, when the disk knows that nothing older can reappear because of that (`reclaim_eligibility.rs`): it is exchanged
//! for it.
//!
//! Of a disk that is mirrored, and of notes, each segment has a second copy on another device if there is one. It goes where
//! the first one goes, and is owned, held and given back with it (`copies.rs`).
//!
//! A disk's reservation is the flash that others cannot take from it; its limit is what it cannot exceed. In between the pool is shared:
//! the oldest segment of the disk that is furthest beyond its target goes first, and where none is, the oldest one among the disks that
//! hold more than reserved.

mod copies;
mod dirtiness;
mod purpose;
mod resize;
#[cfg(test)]
mod tests;

pub(crate) use copies::RemainingCopy;
pub(crate) use purpose::SegmentPurpose;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::holders::{self, Holder, Share};
use super::space::Space;
use crate::format::layout::Layout;
use crate::format::members::{Member, Members};
use crate::format::table::{CopyNumber, TableEntry};
use crate::types::canary::{self, Bug};
use crate::types::limits::{KEPT_BACK_SEGMENTS, NOTE_SEGMENTS};
use crate::types::units::{
    DiskId, FlashPage, MemberNumber, SegmentNumber, SegmentOwner, Sequence, ShardNumber,
};

pub(crate) struct Segments {
    layout: Layout,
    lines: Vec<SegmentEntry>,
    space: Space,
    /// Sealed segments, oldest first.
    sealed: VecDeque<SegmentNumber>,
    holders: BTreeMap<DiskId, Holder>,
    notes: Holder,
    generation: Sequence,
    /// Segments that are promised to disks, all together.
    reserved: u64,
    /// Disks whose writes stay on flash for a while.
    writing_back: u32,
}

#[derive(Clone, Copy)]
struct SegmentEntry {
    state: SegmentState,
    /// Owner and generation; none while free.
    life: Option<(SegmentOwner, Sequence)>,
    /// Pages that an index points to.
    live: u32,
    /// The other copy, if there is one.
    other: Option<SegmentNumber>,
    /// True if its headers or summary were found damaged in this generation.
    is_damaged: bool,
    named: TableMention,
}

/// Mention of an earlier generation of a segment in the table on flash. A start after a crash would look there for its old content, so
/// nothing is written to the segment until the table was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TableMention {
    No,
    /// Freed after the table was written.
    Yes,
    /// A table that does not name it is being written.
    UntilWritten,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SegmentState {
    Free,
    Open,
    Sealed,
    Reclaiming,
    /// The second copy of another one.
    Second,
}

impl Segments {
    /// Creates the segments of these devices from the table. Generations of this start come after `start`. Owned segments count as closed,
    /// oldest first; invalidated ones count as free, and those on no device have no owner.
    pub(crate) fn new(layout: Layout, members: &Members, start: Sequence, table: &[TableEntry]) -> Self {
        let mut segments = Self {
            layout,
            lines: Vec::new(),
            space: Space::new(members),
            sealed: VecDeque::new(),
            holders: BTreeMap::new(),
            notes: Holder::UNKNOWN,
            generation: start,
            reserved: 0,
            writing_back: 0,
        };
        let mut sealed = Vec::new();
        for number in (0..members.end()).map(SegmentNumber) {
            let entry = table.get(number.0 as usize).copied().flatten();
            let entry =
                entry.filter(|(owner, ..)| *owner != SegmentOwner::Invalid && segments.space.knows(number));
            let life = entry.map(|(owner, generation, _)| (owner, generation));
            let state = match entry {
                None => SegmentState::Free,
                Some((_, _, CopyNumber::First)) => SegmentState::Sealed,
                Some((_, _, CopyNumber::Second)) => SegmentState::Second,
            };
            segments.lines.push(SegmentEntry { state, life, ..SegmentEntry::FREE });
            match life {
                None => segments.space.put_dropped(number),
                Some((owner, _)) => {
                    let holder = segments.holder_or_new(owner);
                    holder.held += 1;
                    holder.singles += u32::from(state != SegmentState::Second);
                }
            }
        }
        segments.join_copies();
        for (number, line) in (0u32..).map(SegmentNumber).zip(&segments.lines) {
            if let (SegmentState::Sealed, Some((owner, generation))) = (line.state, line.life)
                && owner != SegmentOwner::Notes
            {
                sealed.push((generation, number));
            }
        }
        sealed.sort_unstable();
        segments.sealed = sealed.into_iter().map(|(_, segment)| segment).collect();
        segments
    }

    /// Returns the free and used segments, by device.
    pub(crate) fn space(&self) -> &Space {
        &self.space
    }

    /// Returns the same, to discard free segments.
    pub(crate) fn space_mut(&mut self) -> &mut Space {
        &mut self.space
    }

    /// Returns the number of segments that disks can use together.
    pub(crate) fn usable(&self) -> u32 {
        let copies = if self.space.can_pair() { 2 } else { 1 };
        self.space.used().saturating_sub(copies * KEPT_BACK_SEGMENTS)
    }

    /// Returns the same without a device.
    pub(crate) fn usable_without(&self, member: MemberNumber) -> u32 {
        let (used, can_pair) = self.space.used_without(member);
        used.saturating_sub(if can_pair { 2 } else { 1 } * KEPT_BACK_SEGMENTS)
    }

    /// Adds the segments of a device, all of them free.
    pub(crate) fn add_device(&mut self, member: Member) {
        self.make_lines(member);
        self.space.add(member);
    }

    fn make_lines(&mut self, member: Member) {
        let end = member.end() as usize;
        self.lines.resize(self.lines.len().max(end), SegmentEntry::FREE);
    }

    /// Stops taking segments of a device: its content is to go.
    pub(crate) fn stop_using(&mut self, member: MemberNumber) {
        self.space.stop_using(member);
    }

    /// Removes a device on which no segment is owned.
    pub(crate) fn remove_device(&mut self, member: MemberNumber) {
        assert!(self.is_empty(member), "what is on device {member} goes before it does");
        self.space.remove(member);
    }

    /// Returns true if no segment of a device is owned, used or being discarded.
    pub(crate) fn is_empty(&self, member: MemberNumber) -> bool {
        self.space.is_empty(member)
    }

    /// Returns the disks that own segments on a device.
    pub(crate) fn disks_on(&self, member: MemberNumber) -> BTreeSet<DiskId> {
        self.owners_on(member).filter_map(SegmentOwner::disk).collect()
    }

    /// Returns true if a device has segments of notes.
    pub(crate) fn has_notes_on(&self, member: MemberNumber) -> bool {
        self.owners_on(member).any(|owner| owner == SegmentOwner::Notes)
    }

    fn owners_on(&self, member: MemberNumber) -> impl Iterator<Item = SegmentOwner> {
        let member = self.space.member(member);
        let lines = member.into_iter().flat_map(|member| member.numbers());
        lines.filter_map(|number| self.lines[number.0 as usize].life).map(|(owner, _)| owner)
    }

    /// Returns the holdings of an owner; none if it holds nothing and is not attached.
    fn holder(&self, owner: SegmentOwner) -> Option<&Holder> {
        match owner {
            SegmentOwner::Disk(disk) => self.holders.get(&disk),
            SegmentOwner::Notes => Some(&self.notes),
            SegmentOwner::Invalid => None,
        }
    }

    fn holder_mut(&mut self, owner: SegmentOwner) -> Option<&mut Holder> {
        match owner {
            SegmentOwner::Disk(disk) => self.holders.get_mut(&disk),
            SegmentOwner::Notes => Some(&mut self.notes),
            SegmentOwner::Invalid => None,
        }
    }

    fn holder_or_new(&mut self, owner: SegmentOwner) -> &mut Holder {
        if let SegmentOwner::Disk(disk) = owner {
            self.holders.entry(disk).or_insert(Holder::UNKNOWN);
        }
        self.holder_mut(owner).expect("invalid segments are taken by nobody")
    }

    /// Returns the segments reserved by all disks.
    pub(crate) fn reserved(&self) -> u32 {
        self.reserved as u32
    }

    /// Returns the number of segments reserved by disks that are not attached.
    pub(crate) fn reserved_by_absent(&self) -> u32 {
        let absent = self.holders.values().filter(|holder| holder.owner_shard.is_none());
        absent.map(Holder::promised).fold(0, u32::saturating_add)
    }

    /// Returns the number of segments reserved by all disks but `disk`.
    pub(crate) fn reserved_by_others(&self, disk: DiskId) -> u32 {
        let own = self.holders.get(&disk).map_or(0, Holder::promised);
        (self.reserved - u64::from(own)) as u32
    }

    /// Returns the number of segments that belong to no disk.
    pub(crate) fn free_count(&self) -> u32 {
        self.space.free()
    }

    /// Adds a disk or changes its share.
    pub(crate) fn set_share(&mut self, disk: DiskId, share: Share) {
        assert!(share.reserve <= share.limit);
        let holder = self.holders.entry(disk).or_insert(Holder::UNKNOWN);
        let before = holder.promised();
        holder.share = share;
        self.reserved = self.reserved + u64::from(holder.promised()) - u64::from(before);
        holder.leaving = false;
    }

    /// Records whether a disk's index covers its segments.
    pub(crate) fn set_indexed(&mut self, disk: DiskId, indexed: bool) {
        if let Some(holder) = self.holders.get_mut(&disk) {
            holder.indexed = indexed;
        }
    }

    /// Returns every disk that holds segments, attached or not.
    pub(crate) fn owners(&self) -> Vec<DiskId> {
        let disks = self.holders.iter().filter(|(_, holder)| holder.held > 0);
        disks.map(|(disk, _)| *disk).collect()
    }

    /// Returns the segments of an owner with their generations, newest first; of two copies the first.
    pub(crate) fn owned_by(&self, owner: impl Into<SegmentOwner>) -> Vec<(SegmentNumber, Sequence)> {
        let owner = owner.into();
        let own = |(segment, line): (SegmentNumber, &SegmentEntry)| match line.life {
            Some((other, generation)) if other == owner && line.state != SegmentState::Second => {
                Some((segment, generation))
            }
            _ => None,
        };
        let mut owned: Vec<_> = (0u32..).map(SegmentNumber).zip(&self.lines).filter_map(own).collect();
        owned.sort_unstable_by_key(|(_, generation)| std::cmp::Reverse(*generation));
        owned
    }

    /// Records that a disk is being detached.
    pub(crate) fn start_leaving(&mut self, disk: DiskId) {
        if let Some(holder) = self.holders.get_mut(&disk) {
            holder.leaving = true;
        }
    }

    /// Returns true if the disk is being detached, or is unknown.
    pub(crate) fn is_leaving(&self, disk: DiskId) -> bool {
        self.holders.get(&disk).is_none_or(|holder| holder.leaving)
    }

    /// Forgets a disk that holds nothing any more.
    pub(crate) fn forget(&mut self, disk: DiskId) {
        if let Some(holder) = self.holders.remove(&disk) {
            self.reserved -= u64::from(holder.promised());
            self.writing_back -= u32::from(holder.writes_back);
            assert_eq!(holder.held, 0, "a disk gives up its segments before it is forgotten");
        }
    }

    /// Returns the number of segments that an owner holds.
    pub(crate) fn held(&self, owner: impl Into<SegmentOwner>) -> u32 {
        self.holder(owner.into()).map_or(0, |holder| holder.held)
    }

    /// Records the shard on which a disk is attached; none once it is not.
    pub(crate) fn set_owner_shard(&mut self, disk: DiskId, owner_shard: Option<ShardNumber>) {
        if let Some(holder) = self.holders.get_mut(&disk) {
            holder.owner_shard = owner_shard;
        }
    }

    /// Returns the shard on which a disk is attached.
    pub(crate) fn owner_shard(&self, disk: DiskId) -> Option<ShardNumber> {
        self.holders.get(&disk).and_then(|holder| holder.owner_shard)
    }

    /// Returns the number of disks that are attached, on any shard.
    pub(crate) fn attached(&self) -> usize {
        self.holders.values().filter(|holder| holder.owner_shard.is_some()).count()
    }

    /// Records that a shard ended without having detached its disks: its knowledge of their segments is lost.
    pub(crate) fn abandon(&mut self, shard: ShardNumber) {
        let mut abandoned = BTreeSet::new();
        for (disk, holder) in self.holders.iter_mut().filter(|(_, holder)| holder.owner_shard == Some(shard))
        {
            holder.owner_shard = None;
            holder.indexed = false;
            holder.leaving = true;
            abandoned.insert(*disk);
        }
        for line in &mut self.lines {
            let disk = line.life.and_then(|(owner, _)| owner.disk());
            if disk.is_some_and(|disk| abandoned.contains(&disk)) {
                line.live = 0;
            }
        }
    }

    /// Returns true if the disk can take a segment for new content without anything being reclaimed.
    pub(crate) fn has_room(&self, disk: DiskId) -> bool {
        let owner = disk.into();
        let floor = self.floor(SegmentPurpose::Promotion);
        let has_space = || match self.copies_of(owner) {
            2 => self.space.has_pair(floor),
            _ => self.space.has(floor),
        };
        self.is_below_limit(owner) && has_space()
    }

    /// Returns true if the disk can take a sixteenth of its limit, and of the pool, without a reclaim.
    pub(crate) fn has_much_room(&self, disk: DiskId) -> bool {
        let below_limit =
            |holder: &Holder| holder.share.limit.saturating_sub(holder.held) >= holder.share.limit / 16;
        let is_below = self.holders.get(&disk).is_some_and(below_limit);
        is_below && self.has_room(disk) && self.space.free() > self.usable() / 16
    }

    /// Takes a free segment and begins its next generation; the table must be durable before anything is written to it.
    pub(crate) fn take(
        &mut self,
        owner: impl Into<SegmentOwner>,
        purpose: SegmentPurpose,
    ) -> Option<(SegmentNumber, Sequence)> {
        let owner = owner.into();
        assert_eq!(owner == SegmentOwner::Notes, purpose == SegmentPurpose::Notes, "{owner:?}, {purpose:?}");
        if purpose.is_limited() && !self.is_below_limit(owner) {
            return None;
        }
        let floor = self.floor(purpose);
        let copies = self.copies_of(owner);
        let take = |space: &mut Space| match copies {
            2 => space.take_pair(floor).map(|(first, second)| (first, Some(second))),
            _ => space.take(floor).map(|segment| (segment, None)),
        };
        let taken = take(&mut self.space);
        let (segment, second) = match taken {
            // Segments of reclaim and notes move later on; a device that becomes smaller must not leave them without room.
            None if !purpose.is_limited() => {
                // Notes can neither wait nor go without: one copy, until there is room for the second.
                let is_for_notes = purpose == SegmentPurpose::Notes;
                let in_need = self.space.in_need(take);
                in_need.or_else(|| {
                    is_for_notes.then(|| self.space.take(0)).flatten().map(|segment| (segment, None))
                })?
            }
            taken => taken?,
        };
        self.generation = self.generation.next();
        self.open(segment, SegmentState::Open, owner);
        if let Some(second) = second {
            self.open(second, SegmentState::Second, owner);
            self.join(segment, second);
        }
        Some((segment, self.generation))
    }

    fn open(&mut self, segment: SegmentNumber, state: SegmentState, owner: SegmentOwner) {
        let line = &self.lines[segment.0 as usize];
        assert_eq!((line.state, line.live), (SegmentState::Free, 0));
        self.holder_or_new(owner).held += 1;
        let life = Some((owner, self.generation));
        self.change(segment, |line| (line.state, line.life, line.is_damaged) = (state, life, false));
    }

    /// Returns how many must be left after a segment was taken. Segments that notes have taken already are not kept back for them.
    fn floor(&self, purpose: SegmentPurpose) -> u32 {
        purpose.kept_back().saturating_sub(self.noted())
    }

    /// Returns true if an owner may hold one segment more, in all its copies.
    fn is_below_limit(&self, owner: SegmentOwner) -> bool {
        let needed = self.copies_of(owner);
        self.holder(owner).is_some_and(|holder| holder.held + needed <= holder.share.limit)
    }

    /// Closes an open segment: from now on it can be reclaimed, after all that were closed before.
    pub(crate) fn seal(&mut self, segment: SegmentNumber) {
        let line = &mut self.lines[segment.0 as usize];
        assert_eq!(line.state, SegmentState::Open);
        line.state = SegmentState::Sealed;
        self.sealed.push_back(segment);
    }

    /// Returns the oldest closed segment of a disk, except one being reclaimed.
    pub(crate) fn oldest_of(&self, disk: DiskId) -> Option<SegmentNumber> {
        let is_own = |segment: &&SegmentNumber| self.lines[segment.0 as usize].is_of(disk);
        self.sealed.iter().find(is_own).copied()
    }

    /// Chooses a segment to reclaim so that `disk` gets room, and marks it; of each disk only its oldest can be chosen. One without indexed
    /// pages goes before any other, then the disk's own if it is at its limit, then that of the disk that is furthest beyond its target, else
    /// the oldest of all disks that hold more than reserved.
    pub(crate) fn choose_victim(&mut self, disk: DiskId) -> Option<SegmentNumber> {
        let at_limit = self.holders.contains_key(&disk) && !self.is_below_limit(disk.into());
        let owner = |segment: SegmentNumber| {
            let owner = self.lines[segment.0 as usize].life.and_then(|(owner, _)| owner.disk());
            owner.expect("sealed segments are those of disks")
        };
        let kept = holders::kept(self.reserved, self.usable());
        let mut seen = BTreeSet::new();
        let mut fit = None;
        let mut furthest = (0, None);
        let mut own = None;
        let mut chosen = None;
        for (position, &segment) in self.sealed.iter().enumerate() {
            let owner = owner(segment);
            if !seen.insert(owner) && !canary::has(Bug::EmptyFirst) || at_limit && owner != disk {
                continue;
            }
            let holder = &self.holders[&owner];
            if holder.dirty && !holder.indexed {
                // It is not known which of it is dirty.
                continue;
            }
            if holder.indexed && self.lines[segment.0 as usize].live == 0 {
                chosen = Some(position);
                break;
            }
            if at_limit || holder.held > kept(holder) {
                fit = fit.or(Some(position));
                if holder.beyond_target() > furthest.0 {
                    furthest = (holder.beyond_target(), Some(position));
                }
            }
            if owner == disk {
                own = Some(position);
            }
        }
        let segment = self.sealed.remove(chosen.or(furthest.1).or(fit).or(own)?).expect("found just now");
        self.lines[segment.0 as usize].state = SegmentState::Reclaiming;
        Some(segment)
    }

    /// Sets the bytes that disks are to have, of those that disks share; the others have no target.
    pub(crate) fn set_targets(&mut self, targets: &BTreeMap<DiskId, u64>) {
        let segment_bytes = self.layout.segment_bytes();
        for (disk, holder) in &mut self.holders {
            let segments = targets.get(disk).map(|bytes| bytes / segment_bytes);
            holder.target = segments.map(|segments| u32::try_from(segments).unwrap_or(u32::MAX));
        }
    }

    /// Takes all segments away from a disk, because its content is void: none of them is open. Returns those that are to be freed once the
    /// table records that durably; a segment that is being reclaimed is freed by the reclaimer.
    pub(crate) fn disown(&mut self, disk: DiskId) -> Vec<SegmentNumber> {
        let mut disowned = Vec::new();
        for (number, line) in (0u32..).zip(&mut self.lines) {
            let Some((_, generation)) = line.life.filter(|_| line.is_of(disk)) else { continue };
            assert_ne!(line.state, SegmentState::Open, "{disk}'s log gives up its open segment first");
            line.life = Some((SegmentOwner::Invalid, generation));
            if line.state == SegmentState::Sealed {
                line.state = SegmentState::Reclaiming;
                // Its second copy is freed with it.
                disowned.push(SegmentNumber(number));
            }
        }
        let lines = &self.lines;
        self.sealed.retain(|segment| lines[segment.0 as usize].state == SegmentState::Sealed);
        if let Some(holder) = self.holders.get_mut(&disk) {
            (holder.held, holder.singles) = (0, 0);
        }
        disowned
    }

    /// Releases a segment of notes that a later one replaces, or one that was never written.
    pub(crate) fn give_up(&mut self, segment: SegmentNumber) {
        self.lines[segment.0 as usize].state = SegmentState::Reclaiming;
        self.free(segment);
    }

    /// Frees a segment that nothing points to and no reader uses, with its second copy.
    pub(crate) fn free(&mut self, segment: SegmentNumber) {
        match self.part(segment) {
            Some(second) if canary::has(Bug::OneCopyFreed) => self.free_in_memory(second),
            Some(second) => self.free_one(second),
            None => self.note_single_freed(segment),
        }
        self.free_one(segment);
    }

    /// Plants the bug of freeing it while the table still names it.
    fn free_in_memory(&mut self, second: SegmentNumber) {
        self.change(second, |line| line.state = SegmentState::Second);
        let owner = self.lines[second.0 as usize].life.map(|(owner, _)| owner);
        let holder = owner.and_then(|owner| self.holder_mut(owner));
        holder.expect("it holds the first").held -= 1;
    }

    fn free_one(&mut self, segment: SegmentNumber) {
        let line = &self.lines[segment.0 as usize];
        assert_eq!(line.state, SegmentState::Reclaiming);
        assert_eq!(line.live, 0, "segment {segment:?} is still in use");
        let (owner, _) = line.life.expect("a segment in use has an owner");
        self.change(segment, |line| {
            (line.state, line.life, line.named) = (SegmentState::Free, None, TableMention::Yes);
        });
        if owner == SegmentOwner::Invalid {
            return self.space.put_dropped(segment);
        }
        self.holder_mut(owner).expect("owners stay until they hold nothing").held -= 1;
        self.space.put(segment);
    }

    /// Returns owner, generation and copy of each segment, for the table.
    pub(crate) fn lives(&self) -> impl Iterator<Item = TableEntry> + '_ {
        self.lines.iter().map(|line| {
            let copied =
                if line.state == SegmentState::Second { CopyNumber::Second } else { CopyNumber::First };
            line.life.map(|(owner, generation)| (owner, generation, copied))
        })
    }

    /// Returns the newest generation.
    pub(crate) fn generation(&self) -> Sequence {
        self.generation
    }

    /// Returns owner and generation of one segment.
    pub(crate) fn life(&self, segment: SegmentNumber) -> Option<(SegmentOwner, Sequence)> {
        self.lines[segment.0 as usize].life
    }

    /// Returns true if a segment of a disk is about to be freed or put back.
    pub(crate) fn is_being_reclaimed(&self, disk: DiskId) -> bool {
        self.lines.iter().any(|line| line.state == SegmentState::Reclaiming && line.is_of(disk))
    }

    /// Returns true if a segment is closed, and still in this generation.
    pub(crate) fn is_sealed(&self, segment: SegmentNumber, life: (SegmentOwner, Sequence)) -> bool {
        let line = &self.lines[segment.0 as usize];
        line.state == SegmentState::Sealed && line.life == Some(life)
    }

    /// Returns the number of pages of a segment that an index points to.
    pub(crate) fn live(&self, segment: SegmentNumber) -> u32 {
        self.lines[segment.0 as usize].live
    }

    /// Records that an index points to `count` more pages, from `first` on.
    pub(crate) fn pages_known(&mut self, first: FlashPage, count: u32) {
        self.lines[self.layout.segment_of(first).0 as usize].live += count;
    }

    /// Returns the number of segments of notes, as far as they are among those kept back; pairs if things have two copies.
    fn noted(&self) -> u32 {
        let copies = if self.space.can_pair() { 2 } else { 1 };
        (self.notes.held / copies).min(NOTE_SEGMENTS)
    }

    /// Records that no index points to these pages any more.
    pub(crate) fn pages_forgotten(&mut self, pages: impl IntoIterator<Item = FlashPage>) {
        for page in pages {
            self.lines[self.layout.segment_of(page).0 as usize].live -= 1;
        }
    }

    /// Returns the segments of a disk to which an index points, each with to how many of its pages.
    pub(super) fn live_of(&self, disk: DiskId) -> BTreeMap<SegmentNumber, u32> {
        let lines = (0u32..).map(SegmentNumber).zip(&self.lines).filter(|(_, line)| line.live > 0);
        lines.filter(|(_, line)| line.is_of(disk)).map(|(segment, line)| (segment, line.live)).collect()
    }

    /// Records that no index points to any page of a disk any more. Returns how many were pointed to.
    pub(crate) fn all_forgotten(&mut self, disk: DiskId) -> u64 {
        let its = self.lines.iter_mut().filter(|line| line.is_of(disk));
        its.map(|line| u64::from(std::mem::take(&mut line.live))).sum()
    }
}

impl SegmentEntry {
    const FREE: Self = Self {
        state: SegmentState::Free,
        life: None,
        live: 0,
        other: None,
        is_damaged: false,
        named: TableMention::No,
    };

    /// Returns true if a disk owns the segment.
    fn is_of(&self, disk: DiskId) -> bool {
        self.life.is_some_and(|(owner, _)| owner == SegmentOwner::Disk(disk))
    }
}
