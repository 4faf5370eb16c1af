//! The pool's segments: which disk owns which, in which generation, how many of its pages are still known, who reads
//! from it, and which goes next when room is needed.
//!
//! ```text
//!   Free ──take──> Open ──seal──> Sealed ──choose_victim──> Reclaiming ──free──> Free
//! ```
//! A disk's reservation is the flash that others cannot take from it; its limit is what it cannot exceed. In between
//! the pool is shared: the oldest segment of whoever holds more than reserved goes first.

use std::collections::{BTreeMap, VecDeque};

use crate::bytes::layout::Layout;
use crate::words::limits::RECLAIM_SEGMENTS;
use crate::words::units::{DiskId, FlashPage, SegmentNumber, Sequence};

pub(crate) struct Segments {
    layout: Layout,
    lines: Vec<Line>,
    free: VecDeque<SegmentNumber>,
    /// Sealed segments, oldest first.
    sealed: VecDeque<SegmentNumber>,
    holders: BTreeMap<DiskId, Holder>,
    generation: Sequence,
}

#[derive(Clone, Copy)]
struct Line {
    state: State,
    /// Owner and generation; none while free.
    life: Option<(DiskId, Sequence)>,
    /// Pages that an index points to.
    live: u32,
    /// Reads under way. A segment is freed only without any (rule I7).
    pins: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Free,
    Open,
    Sealed,
    Reclaiming,
}

#[derive(Clone, Copy)]
struct Holder {
    held: u32,
    share: Share,
    /// Set when the disk is being detached: it gets no segments any more.
    leaving: bool,
}

/// What a disk may hold, in segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Share {
    pub(crate) reserve: u32,
    pub(crate) limit: u32,
}

/// What a segment is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// New content: within the disk's limit, and never the last segments.
    Promotion,
    /// What survives a reclaim; it may use the last segments, because a segment comes back for it.
    Survivors,
}

impl Segments {
    /// A pool of which nothing is used. Generations of this start come after `start`.
    pub(crate) fn new(layout: Layout, start: Sequence) -> Self {
        let line = Line { state: State::Free, life: None, live: 0, pins: 0 };
        Self {
            layout,
            lines: vec![line; layout.segments() as usize],
            free: (0..layout.segments()).map(SegmentNumber).collect(),
            sealed: VecDeque::new(),
            holders: BTreeMap::new(),
            generation: start,
        }
    }

    /// Segments that disks can use together.
    pub(crate) fn usable(&self) -> u32 {
        self.layout.segments() - RECLAIM_SEGMENTS
    }

    /// Segments reserved by all disks but `disk`.
    pub(crate) fn reserved_by_others(&self, disk: DiskId) -> u32 {
        self.holders.iter().filter(|(id, _)| **id != disk).map(|(_, holder)| holder.share.reserve).sum()
    }

    /// Segments that belong to no disk.
    pub(crate) fn free_count(&self) -> u32 {
        self.free.len() as u32
    }

    /// Adds a disk or changes what it may hold.
    pub(crate) fn set_share(&mut self, disk: DiskId, share: Share) {
        assert!(share.reserve <= share.limit);
        assert!(share.reserve + self.reserved_by_others(disk) <= self.usable());
        self.holders.entry(disk).or_insert(Holder { held: 0, share, leaving: false }).share = share;
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
            assert_eq!(holder.held, 0, "a disk gives up its segments before it is forgotten");
        }
    }

    /// Segments that a disk holds.
    pub(crate) fn held(&self, disk: DiskId) -> u32 {
        self.holders.get(&disk).map_or(0, |holder| holder.held)
    }

    /// True if a disk holds more than it may, after its limit was lowered.
    pub(crate) fn exceeds_limit(&self, disk: DiskId) -> bool {
        self.holders.get(&disk).is_some_and(|holder| holder.held > holder.share.limit)
    }

    /// True if the disk can take a segment for new content without anything being reclaimed.
    pub(crate) fn has_room(&self, disk: DiskId) -> bool {
        let below_limit = self.holders.get(&disk).is_some_and(|holder| holder.held < holder.share.limit);
        below_limit && self.free_count() > RECLAIM_SEGMENTS
    }

    /// Takes a free segment and opens its next life; the table must be durable before anything is written to it.
    pub(crate) fn take(&mut self, disk: DiskId, purpose: Purpose) -> Option<(SegmentNumber, Sequence)> {
        if purpose == Purpose::Promotion && !self.has_room(disk) {
            return None;
        }
        let segment = self.free.pop_front()?;
        self.generation = self.generation.next();
        let line = &mut self.lines[segment.0 as usize];
        assert_eq!((line.state, line.live, line.pins), (State::Free, 0, 0));
        line.state = State::Open;
        line.life = Some((disk, self.generation));
        self.holders.get_mut(&disk).expect("only attached disks take segments").held += 1;
        Some((segment, self.generation))
    }

    /// Closes an open segment: from now on it can be reclaimed, after all that were closed before.
    pub(crate) fn seal(&mut self, segment: SegmentNumber) {
        let line = &mut self.lines[segment.0 as usize];
        assert_eq!(line.state, State::Open);
        line.state = State::Sealed;
        self.sealed.push_back(segment);
    }

    /// Chooses what to reclaim so that `disk` gets room, and marks it: a segment without known pages before any other,
    /// then the disk's own oldest if it is at its limit, else the oldest of all who hold more than reserved.
    pub(crate) fn choose_victim(&mut self, disk: DiskId) -> Option<SegmentNumber> {
        let at_limit = self.holders.get(&disk).is_some_and(|holder| holder.held >= holder.share.limit);
        let owner = |segment: &SegmentNumber| {
            self.lines[segment.0 as usize].life.expect("sealed segments are owned").0
        };
        let fits = |segment: &SegmentNumber| {
            let owner = owner(segment);
            let holder = &self.holders[&owner];
            if at_limit { owner == disk } else { holder.held > holder.share.reserve }
        };
        let empty = |segment: &SegmentNumber| {
            self.lines[segment.0 as usize].live == 0 && (!at_limit || owner(segment) == disk)
        };
        let position = self
            .sealed
            .iter()
            .position(empty)
            .or_else(|| self.sealed.iter().position(fits))
            .or_else(|| self.sealed.iter().position(|segment| owner(segment) == disk))?;
        let segment = self.sealed.remove(position).expect("found just now");
        self.lines[segment.0 as usize].state = State::Reclaiming;
        Some(segment)
    }

    /// Marks all closed segments of a disk for reclaim, because it leaves.
    pub(crate) fn choose_all_of(&mut self, disk: DiskId) -> Vec<SegmentNumber> {
        let lines = &mut self.lines;
        let owned =
            |segment: &SegmentNumber| lines[segment.0 as usize].life.is_some_and(|life| life.0 == disk);
        let (chosen, kept): (Vec<_>, Vec<_>) = self.sealed.iter().copied().partition(owned);
        self.sealed = kept.into();
        for segment in &chosen {
            lines[segment.0 as usize].state = State::Reclaiming;
        }
        chosen
    }

    /// Gives a segment back that nothing points to and nobody reads.
    pub(crate) fn free(&mut self, segment: SegmentNumber) {
        let line = &mut self.lines[segment.0 as usize];
        assert_eq!(line.state, State::Reclaiming);
        assert_eq!((line.live, line.pins), (0, 0), "segment {segment:?} is still in use");
        let (owner, _) = line.life.take().expect("a segment in use has an owner");
        line.state = State::Free;
        self.holders.get_mut(&owner).expect("owners stay until they hold nothing").held -= 1;
        self.free.push_back(segment);
    }

    /// Owner and generation of each segment, for the table.
    pub(crate) fn lives(&self) -> impl Iterator<Item = Option<(DiskId, Sequence)>> + '_ {
        self.lines.iter().map(|line| line.life)
    }

    /// Owner and generation of one segment.
    pub(crate) fn life(&self, segment: SegmentNumber) -> Option<(DiskId, Sequence)> {
        self.lines[segment.0 as usize].life
    }

    /// Pages of a segment that an index points to.
    pub(crate) fn live(&self, segment: SegmentNumber) -> u32 {
        self.lines[segment.0 as usize].live
    }

    /// Notes that an index points to so many pages more, from `first` on.
    pub(crate) fn pages_known(&mut self, first: FlashPage, count: u32) {
        self.lines[self.layout.segment_of(first).0 as usize].live += count;
    }

    /// Notes that no index points to these pages any more.
    pub(crate) fn pages_forgotten(&mut self, pages: &[FlashPage]) {
        for page in pages {
            self.lines[self.layout.segment_of(*page).0 as usize].live -= 1;
        }
    }

    /// Notes a reader of the page's segment.
    pub(crate) fn pin(&mut self, page: FlashPage) -> SegmentNumber {
        let segment = self.layout.segment_of(page);
        self.lines[segment.0 as usize].pins += 1;
        segment
    }

    /// Notes that a reader is done. True if it was the last one.
    pub(crate) fn unpin(&mut self, segment: SegmentNumber) -> bool {
        let line = &mut self.lines[segment.0 as usize];
        line.pins -= 1;
        line.pins == 0
    }

    /// True if somebody reads from the segment.
    pub(crate) fn is_pinned(&self, segment: SegmentNumber) -> bool {
        self.lines[segment.0 as usize].pins > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: DiskId = DiskId(1);
    const B: DiskId = DiskId(2);

    fn pool() -> Segments {
        let layout = Layout::new(42 * (32 << 10), 32 << 10).unwrap();
        let mut segments = Segments::new(layout, Sequence::first_of(1));
        segments.set_share(A, Share { reserve: 16, limit: 24 });
        segments.set_share(B, Share { reserve: 16, limit: 40 });
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
        fill(&mut segments, B, free - RECLAIM_SEGMENTS);
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
        fill(&mut segments, B, free - RECLAIM_SEGMENTS);
        for _ in 0..16 {
            assert_eq!(reclaim(&mut segments, A), B);
            fill(&mut segments, A, 1);
        }
        assert!(segments.held(B) >= 16);
    }

    #[test]
    fn a_segment_that_nothing_points_to_goes_first() {
        let mut segments = pool();
        fill(&mut segments, B, 20);
        let (empty, _) = segments.take(B, Purpose::Promotion).unwrap();
        segments.seal(empty);
        assert_eq!(segments.choose_victim(B), Some(empty));
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
    fn a_segment_with_a_reader_is_not_freed() {
        let mut segments = pool();
        let (segment, _) = segments.take(A, Purpose::Promotion).unwrap();
        let first = segments.layout.segment_start(segment);
        segments.pin(first);
        segments.seal(segment);
        let victim = segments.choose_victim(A).unwrap();
        segments.free(victim);
    }
}
