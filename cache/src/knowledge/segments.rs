//! The pool's segments: which disk owns which, in which generation, how many of its pages are still known, and which goes
//! next when room is needed. All shards of a pool have these together.
//!
//! ```text
//!   Free ──take──> Open ──seal──> Sealed ──choose_victim, disown──> Reclaiming ──free──> Free
//! ```
//! Of one disk, the oldest segment always goes first: an older version of a page is gone before a newer one, and what a
//! segment says of earlier ones is no longer needed when it goes (rule I8).
//!
//! A disk's reservation is the flash that others cannot take from it; its limit is what it cannot exceed. In between
//! the pool is shared: the oldest segment of whoever holds more than reserved goes first.

mod dirtiness;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::holders::{self, Holder, Share};
use super::space::Space;
use crate::bytes::layout::Layout;
use crate::bytes::members::{Member, Members};
use crate::bytes::table::{NOTES, TableEntry, VOID};
use crate::words::canary::{self, Bug};
use crate::words::limits::{KEPT_BACK_SEGMENTS, NOTE_SEGMENTS};
use crate::words::units::{DiskId, FlashPage, MemberNumber, SegmentNumber, Sequence, ShardNumber};

pub(crate) struct Segments {
    layout: Layout,
    lines: Vec<Line>,
    space: Space,
    /// Sealed segments, oldest first.
    sealed: VecDeque<SegmentNumber>,
    holders: BTreeMap<DiskId, Holder>,
    generation: Sequence,
    /// Segments that are promised to disks, all together.
    reserved: u64,
    /// Disks of which what guests write stays on flash for a while.
    writing_back: u32,
}

#[derive(Clone, Copy)]
struct Line {
    state: State,
    /// Owner and generation; none while free.
    life: Option<(DiskId, Sequence)>,
    /// Pages that an index points to.
    live: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Free,
    Open,
    Sealed,
    Reclaiming,
}

/// What a segment is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// New content: within the disk's limit, and never the last segments.
    Promotion,
    /// What survives a reclaim; it may use the last segments, because a segment comes back for it.
    Survivors,
    /// Notes about regions; nobody else may take the last of all, because guests wait for notes.
    Notes,
}

impl Segments {
    /// A pool of these devices as its table says. Generations of this start come after `start`. What is owned counts as
    /// closed, oldest first; what is void counts as free, and what is on no device is nobody's.
    pub(crate) fn new(layout: Layout, members: &Members, start: Sequence, table: &[TableEntry]) -> Self {
        let mut segments = Self {
            layout,
            lines: Vec::new(),
            space: Space::new(members),
            sealed: VecDeque::new(),
            holders: BTreeMap::new(),
            generation: start,
            reserved: 0,
            writing_back: 0,
        };
        let mut sealed = Vec::new();
        for number in (0..members.end()).map(SegmentNumber) {
            let entry = table.get(number.0 as usize).copied().flatten();
            let life = entry.filter(|(owner, _)| *owner != VOID && segments.space.has(number));
            let state = if life.is_some() { State::Sealed } else { State::Free };
            segments.lines.push(Line { state, life, live: 0 });
            match life {
                None => segments.space.put_dropped(number),
                Some((owner, generation)) => {
                    segments.holders.entry(owner).or_insert(Holder::UNKNOWN).held += 1;
                    if owner != NOTES {
                        sealed.push((generation, number));
                    }
                }
            }
        }
        sealed.sort_unstable();
        segments.sealed = sealed.into_iter().map(|(_, segment)| segment).collect();
        segments
    }

    /// Free and used segments, by device.
    pub(crate) fn space(&self) -> &Space {
        &self.space
    }

    /// The same, to discard what is free.
    pub(crate) fn space_mut(&mut self) -> &mut Space {
        &mut self.space
    }

    /// Segments that disks can use together.
    pub(crate) fn usable(&self) -> u32 {
        self.space.used().saturating_sub(KEPT_BACK_SEGMENTS)
    }

    /// Adds the segments of a device, all of them free.
    pub(crate) fn add_device(&mut self, member: Member) {
        let end = (member.first.0 + member.segments) as usize;
        self.lines.resize(self.lines.len().max(end), Line::FREE);
        self.space.add(member);
    }

    /// Stops taking segments of a device: what is on it is to go.
    pub(crate) fn stop_using(&mut self, member: MemberNumber) {
        self.space.stop_using(member);
    }

    /// Forgets a device that nobody owns anything on.
    pub(crate) fn remove_device(&mut self, member: MemberNumber) {
        assert!(self.is_empty(member), "what is on device {member} goes before it does");
        self.space.remove(member);
    }

    /// True if nobody owns or uses anything on a device, nor discards it.
    pub(crate) fn is_empty(&self, member: MemberNumber) -> bool {
        self.space.is_empty(member)
    }

    /// Who owns something on a device, notes included.
    pub(crate) fn owners_on(&self, member: MemberNumber) -> BTreeSet<DiskId> {
        let Some(Member { first, segments, .. }) = self.space.member(member) else { return BTreeSet::new() };
        let lives = self.lines[first.0 as usize..][..segments as usize].iter().filter_map(|line| line.life);
        lives.map(|(owner, _)| owner).filter(|owner| *owner != VOID).collect()
    }

    /// Segments reserved by all disks but `disk`.
    pub(crate) fn reserved_by_others(&self, disk: DiskId) -> u32 {
        let own = self.holders.get(&disk).map_or(0, |holder| holder.share.reserve);
        (self.reserved - u64::from(own)) as u32
    }

    /// Segments that belong to no disk.
    pub(crate) fn free_count(&self) -> u32 {
        self.space.free()
    }

    /// Adds a disk or changes what it may hold.
    pub(crate) fn set_share(&mut self, disk: DiskId, share: Share) {
        assert!(share.reserve <= share.limit);
        let holder = self.holders.entry(disk).or_insert(Holder::UNKNOWN);
        self.reserved = self.reserved + u64::from(share.reserve) - u64::from(holder.share.reserve);
        holder.share = share;
        holder.leaving = false;
    }

    /// Notes whether a disk's index says what is in its segments.
    pub(crate) fn set_indexed(&mut self, disk: DiskId, indexed: bool) {
        if let Some(holder) = self.holders.get_mut(&disk) {
            holder.indexed = indexed;
        }
    }

    /// Every disk that holds segments, attached or not.
    pub(crate) fn owners(&self) -> Vec<DiskId> {
        let disks = self.holders.iter().filter(|(disk, holder)| **disk != NOTES && holder.held > 0);
        disks.map(|(disk, _)| *disk).collect()
    }

    /// The segments of an owner with their generations, newest first.
    pub(crate) fn owned_by(&self, owner: DiskId) -> Vec<(SegmentNumber, Sequence)> {
        let lives = (0u32..).map(SegmentNumber).zip(self.lives());
        let own = |(segment, life): (_, TableEntry)| {
            life.filter(|life| life.0 == owner).map(|(_, generation)| (segment, generation))
        };
        let mut owned: Vec<_> = lives.filter_map(own).collect();
        owned.sort_unstable_by_key(|(_, generation)| std::cmp::Reverse(*generation));
        owned
    }

    /// Notes that a disk is being detached.
    pub(crate) fn start_leaving(&mut self, disk: DiskId) {
        if let Some(holder) = self.holders.get_mut(&disk) {
            holder.leaving = true;
        }
    }

    /// True if the disk is being detached, or is not known at all.
    pub(crate) fn is_leaving(&self, disk: DiskId) -> bool {
        self.holders.get(&disk).is_none_or(|holder| holder.leaving)
    }

    /// Forgets a disk that holds nothing any more.
    pub(crate) fn forget(&mut self, disk: DiskId) {
        if let Some(holder) = self.holders.remove(&disk) {
            self.reserved -= u64::from(holder.share.reserve);
            self.writing_back -= u32::from(holder.writes_back);
            assert_eq!(holder.held, 0, "a disk gives up its segments before it is forgotten");
        }
    }

    /// Segments that a disk holds.
    pub(crate) fn held(&self, disk: DiskId) -> u32 {
        self.holders.get(&disk).map_or(0, |holder| holder.held)
    }

    /// Notes on which shard a disk is attached; none once it is not.
    pub(crate) fn set_home(&mut self, disk: DiskId, home: Option<ShardNumber>) {
        if let Some(holder) = self.holders.get_mut(&disk) {
            holder.home = home;
        }
    }

    /// The shard on which a disk is attached.
    pub(crate) fn home(&self, disk: DiskId) -> Option<ShardNumber> {
        self.holders.get(&disk).and_then(|holder| holder.home)
    }

    /// Disks that are attached, on whatever shard.
    pub(crate) fn attached(&self) -> usize {
        self.holders.values().filter(|holder| holder.home.is_some()).count()
    }

    /// Notes that a shard ended without having detached its disks: what it knew of their segments is gone.
    pub(crate) fn abandon(&mut self, shard: ShardNumber) {
        let mut abandoned = BTreeSet::new();
        for (disk, holder) in self.holders.iter_mut().filter(|(_, holder)| holder.home == Some(shard)) {
            holder.home = None;
            holder.indexed = false;
            holder.leaving = true;
            abandoned.insert(*disk);
        }
        for line in &mut self.lines {
            if line.life.is_some_and(|(owner, _)| abandoned.contains(&owner)) {
                line.live = 0;
            }
        }
    }

    /// True if the disk can take a segment for new content without anything being reclaimed.
    pub(crate) fn has_room(&self, disk: DiskId) -> bool {
        let below_limit = self.holders.get(&disk).is_some_and(|holder| holder.held < holder.share.limit);
        below_limit && self.free_count() > KEPT_BACK_SEGMENTS - self.noted()
    }

    /// Takes a free segment and opens its next life; the table must be durable before anything is written to it.
    pub(crate) fn take(&mut self, disk: DiskId, purpose: Purpose) -> Option<(SegmentNumber, Sequence)> {
        let may = match purpose {
            Purpose::Promotion => self.has_room(disk),
            Purpose::Survivors => self.free_count() > NOTE_SEGMENTS - self.noted(),
            Purpose::Notes => true,
        };
        if !may {
            return None;
        }
        let segment = self.space.take()?;
        self.generation = self.generation.next();
        let line = &mut self.lines[segment.0 as usize];
        assert_eq!((line.state, line.live), (State::Free, 0));
        line.state = State::Open;
        line.life = Some((disk, self.generation));
        self.holders.entry(disk).or_insert(Holder::UNKNOWN).held += 1;
        Some((segment, self.generation))
    }

    /// Closes an open segment: from now on it can be reclaimed, after all that were closed before.
    pub(crate) fn seal(&mut self, segment: SegmentNumber) {
        let line = &mut self.lines[segment.0 as usize];
        assert_eq!(line.state, State::Open);
        line.state = State::Sealed;
        self.sealed.push_back(segment);
    }

    /// Chooses what to reclaim so that `disk` gets room, and marks it; of each disk only its oldest can be chosen. One
    /// without known pages before any other, then the disk's own if it is at its limit, else the oldest of all who hold
    /// more than reserved.
    pub(crate) fn choose_victim(&mut self, disk: DiskId) -> Option<SegmentNumber> {
        let at_limit = self.holders.get(&disk).is_some_and(|holder| holder.held >= holder.share.limit);
        let owner = |segment: SegmentNumber| {
            self.lines[segment.0 as usize].life.expect("sealed segments are owned").0
        };
        let kept = holders::kept(self.reserved, self.usable());
        let mut seen = BTreeSet::new();
        let mut fit = None;
        let mut own = None;
        let mut chosen = None;
        for (position, &segment) in self.sealed.iter().enumerate() {
            let owner = owner(segment);
            if !seen.insert(owner) && !canary::has(Bug::EmptyFirst) || at_limit && owner != disk {
                continue;
            }
            let holder = &self.holders[&owner];
            if holder.dirty && !holder.indexed {
                // Nobody knows what of it the backing does not have.
                continue;
            }
            if holder.indexed && self.lines[segment.0 as usize].live == 0 {
                chosen = Some(position);
                break;
            }
            if at_limit || holder.held > kept(holder) {
                fit = fit.or(Some(position));
            }
            if owner == disk {
                own = Some(position);
            }
        }
        let segment = self.sealed.remove(chosen.or(fit).or(own)?).expect("found just now");
        self.lines[segment.0 as usize].state = State::Reclaiming;
        Some(segment)
    }

    /// Takes all segments away from a disk, because its content is void: none of them is open. Returns those that are to
    /// be freed once the table says so durably; what is being reclaimed is freed by whoever does that.
    pub(crate) fn disown(&mut self, disk: DiskId) -> Vec<SegmentNumber> {
        let mut disowned = Vec::new();
        for (number, line) in (0u32..).zip(&mut self.lines) {
            let Some((owner, generation)) = line.life.filter(|(owner, _)| *owner == disk) else { continue };
            assert_ne!(line.state, State::Open, "{owner}'s log gives up its open segment first");
            line.life = Some((VOID, generation));
            if line.state == State::Sealed {
                line.state = State::Reclaiming;
                disowned.push(SegmentNumber(number));
            }
        }
        let lines = &self.lines;
        self.sealed.retain(|segment| lines[segment.0 as usize].state == State::Sealed);
        if let Some(holder) = self.holders.get_mut(&disk) {
            holder.held = 0;
        }
        disowned
    }

    /// Gives up a segment of notes that a later one stands for.
    pub(crate) fn retire_notes(&mut self, segment: SegmentNumber) {
        self.lines[segment.0 as usize].state = State::Reclaiming;
        self.free(segment);
    }

    /// Gives a segment back that nothing points to and nobody reads.
    pub(crate) fn free(&mut self, segment: SegmentNumber) {
        let line = &mut self.lines[segment.0 as usize];
        assert_eq!(line.state, State::Reclaiming);
        assert_eq!(line.live, 0, "segment {segment:?} is still in use");
        let (owner, _) = line.life.take().expect("a segment in use has an owner");
        line.state = State::Free;
        if owner == VOID {
            return self.space.put_dropped(segment);
        }
        self.holders.get_mut(&owner).expect("owners stay until they hold nothing").held -= 1;
        self.space.put(segment);
    }

    /// Owner and generation of each segment, for the table.
    pub(crate) fn lives(&self) -> impl Iterator<Item = Option<(DiskId, Sequence)>> + '_ {
        self.lines.iter().map(|line| line.life)
    }

    /// The newest generation.
    pub(crate) fn generation(&self) -> Sequence {
        self.generation
    }

    /// Owner and generation of one segment.
    pub(crate) fn life(&self, segment: SegmentNumber) -> Option<(DiskId, Sequence)> {
        self.lines[segment.0 as usize].life
    }

    /// True if a segment is closed, and still in this life.
    pub(crate) fn is_sealed(&self, segment: SegmentNumber, life: (DiskId, Sequence)) -> bool {
        let line = &self.lines[segment.0 as usize];
        line.state == State::Sealed && line.life == Some(life)
    }

    /// Pages of a segment that an index points to.
    pub(crate) fn live(&self, segment: SegmentNumber) -> u32 {
        self.lines[segment.0 as usize].live
    }

    /// Notes that an index points to so many pages more, from `first` on.
    pub(crate) fn pages_known(&mut self, first: FlashPage, count: u32) {
        self.lines[self.layout.segment_of(first).0 as usize].live += count;
    }

    /// Segments of notes, as far as they are among those kept back.
    fn noted(&self) -> u32 {
        self.held(NOTES).min(NOTE_SEGMENTS)
    }

    /// Notes that no index points to these pages any more.
    pub(crate) fn pages_forgotten(&mut self, pages: &[FlashPage]) {
        for page in pages {
            self.lines[self.layout.segment_of(*page).0 as usize].live -= 1;
        }
    }
}

impl Line {
    const FREE: Self = Self { state: State::Free, life: None, live: 0 };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::layout::Shape;

    const A: DiskId = DiskId(1);
    const B: DiskId = DiskId(2);
    const DEVICE: u64 = 44 * (32 << 10);

    fn pool() -> Segments {
        let shape = Shape { segment_bytes: 32 << 10, region_bytes: 1 << 20 };
        let layout = Layout::for_first(DEVICE, shape).unwrap();
        let members = Members::one(DEVICE, layout.segments_on(DEVICE));
        let mut segments = Segments::new(layout, &members, Sequence::first_of(1), &[]);
        segments.set_share(A, Share { reserve: 16, limit: 24 });
        segments.set_share(B, Share { reserve: 16, limit: 40 });
        segments.set_indexed(A, true);
        segments.set_indexed(B, true);
        segments
    }

    fn fill(segments: &mut Segments, disk: DiskId, count: u32) {
        for _ in 0..count {
            let (segment, _) = segments.take(disk, Purpose::Promotion).expect("there is room");
            let first = segments.layout.segment_start(segment).plus(1);
            segments.pages_known(first, 1);
            segments.seal(segment);
        }
    }

    fn reclaim(segments: &mut Segments, disk: DiskId) -> DiskId {
        let victim = segments.choose_victim(disk).expect("something can go");
        let (owner, _) = segments.life(victim).unwrap();
        let page = segments.layout.segment_start(victim).plus(1);
        segments.pages_forgotten(&[page]);
        segments.free(victim);
        owner
    }

    #[test]
    fn the_last_segments_are_for_survivors_only() {
        let mut segments = pool();
        let free = segments.free_count();
        fill(&mut segments, B, free - KEPT_BACK_SEGMENTS);
        assert_eq!(segments.take(B, Purpose::Promotion), None);
        assert!(segments.take(B, Purpose::Survivors).is_some());
    }

    #[test]
    fn a_disk_at_its_limit_gives_up_its_own_oldest() {
        let mut segments = pool();
        fill(&mut segments, B, 4);
        fill(&mut segments, A, 24);
        assert!(!segments.has_room(A));
        assert_eq!(reclaim(&mut segments, A), A);
        assert!(segments.has_room(A));
    }

    #[test]
    fn a_disk_below_its_reservation_takes_from_whoever_holds_more_than_reserved() {
        let mut segments = pool();
        let free = segments.free_count();
        fill(&mut segments, B, free - KEPT_BACK_SEGMENTS);
        for _ in 0..16 {
            assert_eq!(reclaim(&mut segments, A), B);
            fill(&mut segments, A, 1);
        }
        assert!(segments.held(B) >= 16);
    }

    #[test]
    fn the_very_last_segments_are_for_notes_only() {
        let mut segments = pool();
        while segments.take(B, Purpose::Survivors).is_some() {}
        assert_eq!(segments.free_count(), NOTE_SEGMENTS);
        assert!(segments.take(NOTES, Purpose::Notes).is_some());
        assert_eq!(segments.take(B, Purpose::Survivors), None);
        assert!(segments.take(NOTES, Purpose::Notes).is_some());
    }

    #[test]
    fn a_disks_oldest_segment_goes_first_if_nothing_points_to_it() {
        let mut segments = pool();
        let (empty, _) = segments.take(A, Purpose::Promotion).unwrap();
        fill(&mut segments, B, 20);
        segments.seal(empty);
        assert_eq!(segments.choose_victim(B), Some(empty));
    }

    #[test]
    fn a_newer_segment_never_goes_before_an_older_one_of_the_same_disk() {
        let mut segments = pool();
        fill(&mut segments, B, 20);
        let oldest = segments.sealed[0];
        let (empty, _) = segments.take(B, Purpose::Promotion).unwrap();
        segments.seal(empty);
        assert_eq!(segments.choose_victim(B), Some(oldest));
    }

    #[test]
    fn what_a_table_says_is_closed_again_oldest_first() {
        let mut before = pool();
        fill(&mut before, B, 6);
        let victim = before.choose_victim(B).unwrap();
        before.pages_forgotten(&[before.layout.segment_start(victim).plus(1)]);
        before.free(victim);
        fill(&mut before, A, 3);
        before.disown(A);
        let expected: Vec<_> = before.sealed.iter().copied().collect();
        let table: Vec<_> = before.lives().collect();
        let members = Members::one(DEVICE, before.space.count());
        let after = Segments::new(before.layout, &members, Sequence::first_of(2), &table);
        assert_eq!(after.sealed, expected);
        assert_eq!((after.held(B), after.held(A), after.held(VOID)), (5, 0, 0));
        assert_eq!(after.free_count(), after.space.count() - 5);
        assert_eq!(after.owners(), [B]);
    }

    fn second(segments: &Segments) -> Member {
        let first = SegmentNumber(segments.space.count());
        Member { number: MemberNumber(1), first, segments: segments.space.count() / 2, device_bytes: DEVICE }
    }

    #[test]
    fn a_device_that_is_not_used_any_more_is_empty_once_its_owners_were_disowned() {
        let mut segments = pool();
        let member = second(&segments);
        segments.add_device(member);
        fill(&mut segments, B, 6);
        segments.stop_using(member.number);
        let usable = segments.usable();
        fill(&mut segments, A, 6);
        assert_eq!(segments.owners_on(member.number), [B].into());
        assert!(!segments.is_empty(member.number));
        let pages: Vec<_> = segments
            .owned_by(B)
            .into_iter()
            .map(|(segment, _)| segments.layout.segment_start(segment).plus(1))
            .collect();
        segments.pages_forgotten(&pages);
        for segment in segments.disown(B) {
            segments.free(segment);
        }
        assert!(segments.is_empty(member.number));
        segments.remove_device(member.number);
        assert_eq!(segments.usable(), usable);
    }

    #[test]
    fn generations_never_repeat() {
        let mut segments = pool();
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..100 {
            let (segment, generation) = segments.take(A, Purpose::Survivors).unwrap();
            assert!(seen.insert(generation));
            segments.seal(segment);
            let victim = segments.choose_victim(A).unwrap();
            segments.free(victim);
        }
    }

    #[test]
    #[should_panic(expected = "still in use")]
    fn a_segment_that_an_index_points_to_is_not_freed() {
        let mut segments = pool();
        fill(&mut segments, A, 1);
        let victim = segments.choose_victim(A).unwrap();
        segments.free(victim);
    }

    #[test]
    fn a_shard_that_ended_leaves_its_segments_to_whoever_needs_them() {
        let mut segments = pool();
        segments.set_home(A, Some(ShardNumber(0)));
        segments.set_home(B, Some(ShardNumber(1)));
        fill(&mut segments, A, 3);
        segments.abandon(ShardNumber(0));
        assert_eq!(
            (segments.home(A), segments.home(B), segments.attached()),
            (None, Some(ShardNumber(1)), 1)
        );
        let victim = segments.choose_victim(A).unwrap();
        segments.free(victim);
        assert_eq!(segments.held(A), 2);
    }

    #[test]
    fn only_an_attached_disk_is_asked_to_meet_a_lowered_limit() {
        let mut segments = pool();
        fill(&mut segments, A, 20);
        segments.set_share(A, Share { reserve: 16, limit: 18 });
        assert_eq!(segments.over_limit(), None);
        segments.set_home(A, Some(ShardNumber(0)));
        assert_eq!(segments.over_limit(), Some(A));
        segments.set_share(A, Share { reserve: 16, limit: 20 });
        assert_eq!(segments.over_limit(), None);
    }
}
