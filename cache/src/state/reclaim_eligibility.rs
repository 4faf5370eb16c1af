//! Order: the segments of a disk that may be reclaimed before older ones, and the cost of each (rule I8).
//!
//! A segment may go out of order if it holds nothing but copies of clean pages, and if nothing older than its content can reappear without
//! it. For that, stale versions of pages are counted ([`StaleVersions`]). **Every log entry is stale or what the index points to:**
//!
//! | event of a log entry | counted | what keeps older entries from being trusted |
//! |---|---|---|
//! | it is appended, or a start finds it | stale | |
//! | the index points to it | live | it does |
//! | a newer entry replaces it: promoted, appended again, written | stale | the newer one, made durable before a segment goes out of order |
//! | zeroes, or lost | stale | the log entry of that, made durable likewise |
//! | a guest changes the page at the backing, a connection is lost | stale | the open region and the bit in `touched`; later a durable `forget` |
//! | a start does not index it | stale | the reason for that: a newer entry, `forget`, `zeroes`, `lost`; or region and bit |
//! | its block is cold when its segment is reclaimed | stale | there are no older ones: the oldest segment goes, or the page has no shadow |
//! | it turns out damaged (`invalidate_damaged`) | stale | **nothing**: if there are others, what is closed now goes in order |
//! | block size changed, flash failed, device gone, a connection lost before the backing was flushed once | stale | **nothing**: what is closed now goes in order |
//! | all is invalidated (`disown`) | all is forgotten | there are no entries any more |
//! | its segment is reclaimed | no more | |
//!
//! Without complete counts, because a load was given up or a segment has no summary, all segments go in order of age.
//!
//! **The next segments** can be settled before they are due, so that their survivors can be appended again with those of others
//! (`ops/ahead.rs`). This is no promise: any segment is emptied by the same rules.

mod segment_records;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use super::stale_versions::StaleVersions;
use crate::format::batch::EntryKind;
use crate::format::summary::Content;
use crate::types::units::{PageNumber, SegmentNumber, Sequence};
use segment_records::{SegmentRecord, SegmentRecords};

/// Segments that are compared before one goes.
const CANDIDATES: usize = 32;

pub(crate) struct ReclaimEligibility {
    stale_versions: StaleVersions,
    /// True if all log entries are counted.
    is_complete: bool,
    /// Changes when everything is counted again.
    count: u64,
    /// Changes when all closed segments are forced to go in order.
    ticket: u64,
    segments: SegmentRecords,
    /// Log entries of all of them, without those that were appended again before their turn.
    lines: u64,
    /// The segments that may go out of order, in no order.
    free_to_go: Vec<SegmentNumber>,
    /// The segments that go next, in order: some of their pages were appended again already.
    next: VecDeque<SegmentNumber>,
    /// State of a generator of random numbers (Marsaglia, "Xorshift RNGs", 2003).
    random: u64,
}

/// Token: the entries of a segment were counted when its reclaim began.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct CountToken(u64);

impl ReclaimEligibility {
    /// Creates the state of a disk of `disk_pages` that holds at most `flash_pages` on flash. Nothing is known so far.
    pub(crate) fn new(disk_pages: u64, flash_pages: u64) -> Self {
        Self {
            stale_versions: StaleVersions::new(disk_pages, flash_pages),
            is_complete: false,
            count: 0,
            ticket: 0,
            segments: SegmentRecords::default(),
            lines: 0,
            free_to_go: Vec::new(),
            next: VecDeque::new(),
            random: 0x9e37_79b9_7f4a_7c15,
        }
    }

    /// Forgets everything, to be counted again.
    pub(crate) fn clear(&mut self, disk_pages: u64, flash_pages: u64) {
        let (count, ticket) = (self.count + 1, self.ticket + 1);
        *self = Self { count, ticket, ..Self::new(disk_pages, flash_pages) };
    }

    /// Declares every log entry counted from now on.
    pub(crate) fn complete(&mut self) {
        self.is_complete = true;
    }

    /// Declares some entries not counted, so that nothing goes out of order until all are counted again.
    pub(crate) fn give_up(&mut self) {
        self.is_complete = false;
        self.all_in_order();
    }

    /// Forces all segments that exist now to go in order of their age.
    pub(crate) fn all_in_order(&mut self) {
        self.ticket += 1;
        self.free_to_go.clear();
        self.next.clear();
        for record in self.segments.values_mut() {
            (record.is_clean, record.place) = (false, None);
        }
    }

    /// Returns a number that changes whenever all present segments are forced to go in order.
    pub(crate) fn ticket(&self) -> u64 {
        self.ticket
    }

    /// Records that a segment was opened.
    pub(crate) fn opened(&mut self, segment: SegmentNumber, generation: Sequence) {
        self.bind(segment);
        self.next.retain(|next| *next != segment);
        let before = self.segments.insert(SegmentRecord::new(segment, generation));
        self.lines -= before.map_or(0, |before| before.lines_left());
    }

    /// Records that an entry was appended to a segment.
    pub(crate) fn appended(&mut self, segment: SegmentNumber, kind: EntryKind, page: PageNumber) {
        if is_copy(kind) {
            self.stale_versions.add(page);
        }
        self.note(segment, kind, page);
    }

    /// Records that a segment was closed, with its summary.
    pub(crate) fn sealed(&mut self, segment: SegmentNumber) {
        let Some(record) = self.segments.get_mut(segment).filter(|record| record.is_clean) else { return };
        record.place = Some(self.free_to_go.len() as u32);
        self.free_to_go.push(segment);
    }

    /// Records that a start found a closed segment, and these of its entries stale.
    pub(crate) fn loaded(
        &mut self,
        (segment, generation): (SegmentNumber, Sequence),
        content: &Content,
        dead: &[PageNumber],
    ) {
        for page in dead {
            self.stale_versions.add(*page);
        }
        self.opened(segment, generation);
        for line in content.lines() {
            self.note(segment, line.kind, line.page);
        }
        let is_clean = content.runs.iter().all(|run| run.kind == EntryKind::Fill);
        if let Some(record) = self.segments.get_mut(segment) {
            record.is_clean = is_clean;
        }
        self.sealed(segment);
    }

    /// Returns the number of log entries that hold the content of a page, stale or live, of the counted segments; without those that are
    /// settled to go next and were appended again.
    pub(crate) fn lines(&self) -> u64 {
        self.lines
    }

    /// Returns true if the entries of a segment in this generation are counted.
    pub(crate) fn knows(&self, (segment, generation): (SegmentNumber, Sequence)) -> bool {
        self.segments.get(segment).is_some_and(|record| record.generation == generation)
    }

    /// Binds the order of a segment that is about to go, or is not what it was: it does not go out of order any more. Returns a token if
    /// its entries are counted.
    pub(crate) fn bind(&mut self, segment: SegmentNumber) -> Option<CountToken> {
        let counted = self.is_complete.then_some(CountToken(self.count));
        let Some(record) = self.segments.get_mut(segment) else { return counted };
        record.is_clean = false;
        if let Some(place) = record.place.take() {
            self.free_to_go.swap_remove(place as usize);
            if let Some(moved) = self.free_to_go.get(place as usize)
                && let Some(record) = self.segments.get_mut(*moved)
            {
                record.place = Some(place);
            }
        }
        counted
    }

    /// Records that a segment is reclaimed, and with it its entries, which are all stale.
    pub(crate) fn gone(
        &mut self,
        segment: SegmentNumber,
        content: Option<&Content>,
        counted: Option<CountToken>,
    ) {
        self.bind(segment);
        let gone = self.segments.remove(segment);
        self.lines -= gone.map_or(0, |gone| gone.lines_left());
        self.next.retain(|next| *next != segment);
        if counted != Some(CountToken(self.count)) {
            return;
        }
        for line in content.into_iter().flat_map(Content::lines).filter(|line| is_copy(line.kind)) {
            self.stale_versions.remove(line.page);
        }
    }

    /// Records that a segment is at another place from now on, with all its entries.
    pub(crate) fn moved(&mut self, from: SegmentNumber, to: SegmentNumber) {
        self.next.iter_mut().filter(|next| **next == from).for_each(|next| *next = to);
        let Some(record) = self.segments.remove(from) else { return };
        if let Some(at) = record.place.and_then(|place| self.free_to_go.get_mut(place as usize)) {
            *at = to;
        }
        let before = self.segments.insert(record.at(to));
        self.lines -= before.map_or(0, |before| before.lines_left());
    }

    /// Records that the index points to an entry of a page from now on.
    pub(crate) fn came_alive(&mut self, page: PageNumber) {
        self.stale_versions.remove(page);
    }

    /// Records that the index points to an entry of a page no more.
    pub(crate) fn died(&mut self, page: PageNumber) {
        self.stale_versions.add(page);
    }

    /// Returns an upper bound of the number of stale versions of a page.
    pub(crate) fn stale_versions(&self, page: PageNumber) -> u8 {
        self.stale_versions.of(page)
    }

    /// Returns the cheapest of some segments that may go out of order, if it is cheaper than the oldest one; `cost` is the cost of losing a
    /// page with a segment, from 0 on. None if too few may: then those that may not would fill the disk's flash in the end.
    pub(crate) fn cheaper_than(
        &mut self,
        oldest: SegmentNumber,
        cost: impl Fn(&Self, SegmentNumber, PageNumber) -> f64,
    ) -> Option<(SegmentNumber, Sequence)> {
        let cheapest = self.cheapest(oldest, &cost).filter(|cheapest| *cheapest != oldest)?;
        Some((cheapest, self.segments.get(cheapest)?.generation))
    }

    /// Settles that the cheapest of some segments, the oldest among them, goes after those of which that is settled.
    pub(crate) fn settle_next(
        &mut self,
        oldest: SegmentNumber,
        cost: impl Fn(&Self, SegmentNumber, PageNumber) -> f64,
    ) -> Option<SegmentNumber> {
        let cheapest = self.cheapest(oldest, &cost)?;
        self.segments.get_mut(cheapest)?.settle();
        self.next.push_back(cheapest);
        Some(cheapest)
    }

    /// Returns true if some segments are there of which it is settled that they go next.
    pub(crate) fn has_next(&self) -> bool {
        !self.next.is_empty()
    }

    /// Returns the segment that goes now, if that was settled and it still may: out of order, or because it is the oldest.
    pub(crate) fn take_next(&mut self, oldest: SegmentNumber) -> Option<(SegmentNumber, Sequence)> {
        while let Some(segment) = self.next.pop_front() {
            let may_go = |record: &&SegmentRecord| record.place.is_some() || segment == oldest;
            if let Some(record) = self.segments.get(segment).filter(may_go) {
                return Some((segment, record.generation));
            }
        }
        None
    }

    /// Records that a page of a segment that goes next was appended again.
    pub(crate) fn note_moved(&mut self, segment: SegmentNumber) {
        if self.segments.get_mut(segment).is_some_and(SegmentRecord::note_moved) {
            self.lines -= 1;
        }
    }

    /// Returns the pages of a segment that were appended again before its turn; none unless it was settled that it goes next.
    pub(crate) fn moved_of(&self, segment: SegmentNumber) -> Option<usize> {
        self.segments.get(segment)?.moved()
    }

    /// Returns the bytes of RAM taken.
    pub(crate) fn bytes(&self) -> u64 {
        let numbers = (self.free_to_go.capacity() + self.next.capacity()) * size_of::<SegmentNumber>();
        self.stale_versions.bytes() + self.segments.bytes() + numbers as u64
    }

    /// Returns the cheapest of some segments that may go out of order, and the oldest one, which may in any case; without those that go
    /// next. None if too few may.
    fn cheapest(
        &mut self,
        oldest: SegmentNumber,
        cost: &impl Fn(&Self, SegmentNumber, PageNumber) -> f64,
    ) -> Option<SegmentNumber> {
        if !self.is_complete || self.free_to_go.len() * 2 < self.segments.len() {
            return None;
        }
        let mut cheapest = None;
        let mut least = f64::INFINITY;
        if !self.next.contains(&oldest) {
            least = self.cost_below(least, oldest, cost)?;
            cheapest = Some(oldest);
        }
        for _ in 0..CANDIDATES {
            let at = self.draw() % self.free_to_go.len().max(1) as u64;
            let segment = *self.free_to_go.get(at as usize)?;
            let is_judged = cheapest == Some(segment) || self.next.contains(&segment);
            let costs = if is_judged { None } else { self.cost_below(least, segment, cost) };
            if let Some(costs) = costs {
                (least, cheapest) = (costs, Some(segment));
            }
        }
        cheapest
    }

    /// Returns the cost of an entry of a segment, from its sample, if that is less than `most`. Stops within the sample once it cannot be:
    /// the choice of a segment looks up a thousand pages, each somewhere else in memory.
    fn cost_below(
        &self,
        most: f64,
        segment: SegmentNumber,
        cost: impl Fn(&Self, SegmentNumber, PageNumber) -> f64,
    ) -> Option<f64> {
        let record = self.segments.get(segment)?;
        let lines = f64::from(record.sample().len().max(1) as u32);
        let mut sum = 0.0;
        for page in record.sample() {
            sum += cost(self, segment, PageNumber(u64::from(*page)));
            if sum >= most * lines {
                return None;
            }
        }
        Some(sum / lines).filter(|costs| *costs < most)
    }

    fn note(&mut self, segment: SegmentNumber, kind: EntryKind, page: PageNumber) {
        let drawn = self.draw();
        let Some(record) = self.segments.get_mut(segment) else { return };
        // A page number that does not fit in a sample is beyond 16 TiB: its segment goes in order.
        let page = u32::try_from(page.0);
        record.is_clean &= kind == EntryKind::Fill && page.is_ok();
        let (true, Ok(page)) = (is_copy(kind), page) else { return };
        record.take(page, drawn);
        self.lines += 1;
    }

    fn draw(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }
}

/// The part of an [`ReclaimEligibility`] in which the log records its appends.
pub(crate) struct AppendRecord(Rc<RefCell<ReclaimEligibility>>);

impl AppendRecord {
    /// Returns a part of `eligibility`.
    pub(super) fn new(eligibility: Rc<RefCell<ReclaimEligibility>>) -> Self {
        Self(eligibility)
    }

    /// Records that a segment was opened.
    pub(crate) fn open(&self, segment: SegmentNumber, generation: Sequence) {
        self.0.borrow_mut().opened(segment, generation);
    }

    /// Records that entries were appended to the open segment.
    pub(crate) fn append(
        &self,
        segment: SegmentNumber,
        lines: impl Iterator<Item = (EntryKind, PageNumber)>,
    ) {
        let mut eligibility = self.0.borrow_mut();
        lines.for_each(|(kind, page)| eligibility.appended(segment, kind, page));
    }

    /// Records that the open segment was closed, with its summary.
    pub(crate) fn close(&self, segment: SegmentNumber) {
        self.0.borrow_mut().sealed(segment);
    }

    /// Records that a start may find entries on flash that are not counted.
    pub(crate) fn lose_count(&self) {
        self.0.borrow_mut().give_up();
    }
}

/// Returns true for an entry that holds the content of a page.
fn is_copy(kind: EntryKind) -> bool {
    matches!(kind, EntryKind::Fill | EntryKind::Write)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Sequence = Sequence(1);

    /// Returns the segments that were closed one after another, each with a hundred pages of its own.
    fn closed(count: u32) -> ReclaimEligibility {
        let mut eligibility = ReclaimEligibility::new(1 << 20, 1 << 20);
        eligibility.complete();
        for segment in 0..count {
            eligibility.opened(SegmentNumber(segment), Sequence(u64::from(segment)));
            for page in 0..100 {
                eligibility.appended(
                    SegmentNumber(segment),
                    EntryKind::Fill,
                    PageNumber(u64::from(segment) * 100 + page),
                );
            }
            eligibility.sealed(SegmentNumber(segment));
        }
        eligibility
    }

    fn chosen(eligibility: &mut ReclaimEligibility, cheap: u32) -> Option<u32> {
        let cost = |_: &ReclaimEligibility, segment: SegmentNumber, page: PageNumber| {
            assert_eq!(page.0 / 100, u64::from(segment.0), "a sample is of its segment");
            if segment.0 == cheap { 0.1 } else { 1.0 }
        };
        eligibility.cheaper_than(SegmentNumber(0), cost).map(|(segment, _)| segment.0)
    }

    #[test]
    fn the_cheapest_goes_if_it_is_cheaper_than_the_oldest() {
        let mut eligibility = closed(4);
        assert_eq!(chosen(&mut eligibility, 2), Some(2));
        assert_eq!(chosen(&mut eligibility, 0), None);
        assert_eq!(chosen(&mut eligibility, 9), None, "as dear as the oldest is not cheaper");
    }

    #[test]
    fn what_is_settled_to_go_next_goes_next_in_that_order_and_is_not_settled_twice() {
        let mut eligibility = closed(8);
        let cost = |_: &ReclaimEligibility, segment: SegmentNumber, _| f64::from(segment.0.abs_diff(3));
        let oldest = SegmentNumber(0);
        assert!(!eligibility.has_next());
        let settled: Vec<_> =
            (0..3).filter_map(|_| eligibility.settle_next(oldest, cost)).map(|it| it.0).collect();
        assert_eq!(settled[0], 3);
        assert!(settled[1..].iter().all(|segment| [2, 4].contains(segment)), "{settled:?}");
        assert_ne!(settled[1], settled[2]);
        for segment in [3, 3, 7] {
            eligibility.note_moved(SegmentNumber(segment));
        }
        let moved = [3, settled[1], 7].map(|segment| eligibility.moved_of(SegmentNumber(segment)));
        assert_eq!(moved, [Some(2), Some(0), None]);
        // Segments that may not go any more are passed over, and the oldest one may in any case.
        eligibility.bind(SegmentNumber(settled[1]));
        let taken = |eligibility: &mut ReclaimEligibility| {
            eligibility.take_next(SegmentNumber(settled[2])).map(|(segment, _)| segment.0)
        };
        assert_eq!(taken(&mut eligibility), Some(3));
        eligibility.bind(SegmentNumber(settled[2]));
        assert_eq!(taken(&mut eligibility), Some(settled[2]));
        assert_eq!((taken(&mut eligibility), eligibility.has_next()), (None, false));
    }

    #[test]
    fn a_segment_in_another_life_is_not_the_one_that_was_to_go() {
        let mut eligibility = closed(4);
        let cost = |_: &ReclaimEligibility, segment: SegmentNumber, _| f64::from(segment.0.abs_diff(2));
        assert_eq!(eligibility.settle_next(SegmentNumber(0), cost), Some(SegmentNumber(2)));
        eligibility.gone(SegmentNumber(2), None, None);
        eligibility.opened(SegmentNumber(2), Sequence(77));
        eligibility.appended(SegmentNumber(2), EntryKind::Fill, PageNumber(200));
        eligibility.sealed(SegmentNumber(2));
        assert_eq!(eligibility.take_next(SegmentNumber(0)), None);
        assert_eq!(eligibility.moved_of(SegmentNumber(2)), None);
    }

    #[test]
    fn what_cannot_be_cheaper_is_not_looked_at_to_its_end() {
        let mut eligibility = closed(4);
        let asked = std::cell::Cell::new(0);
        let cost = |_: &ReclaimEligibility, segment: SegmentNumber, _| {
            asked.set(asked.get() + 1);
            if segment.0 == 0 { 0.1 } else { 1.0 }
        };
        assert_eq!(eligibility.cheaper_than(SegmentNumber(0), cost), None);
        let of_each_dear_one = 4;
        assert!(
            asked.get() <= segment_records::SAMPLES + CANDIDATES * of_each_dear_one,
            "{} pages",
            asked.get()
        );
    }

    #[test]
    fn what_is_bound_and_what_says_more_than_copies_goes_in_order() {
        let mut eligibility = closed(4);
        eligibility.bind(SegmentNumber(2));
        assert_eq!(chosen(&mut eligibility, 2), None);
        assert_eq!(chosen(&mut eligibility, 3), Some(3));
        for kind in
            [EntryKind::Write, EntryKind::Forget, EntryKind::Destaged, EntryKind::Zeroes, EntryKind::Lost]
        {
            let mut eligibility = closed(4);
            eligibility.opened(SegmentNumber(4), FIRST);
            eligibility.appended(SegmentNumber(4), EntryKind::Fill, PageNumber(400));
            eligibility.appended(SegmentNumber(4), kind, PageNumber(401));
            eligibility.sealed(SegmentNumber(4));
            assert_eq!(chosen(&mut eligibility, 4), None, "{kind:?}");
        }
    }

    #[test]
    fn what_is_there_when_that_is_asked_goes_in_order_and_what_comes_later_need_not() {
        let mut eligibility = closed(2);
        eligibility.opened(SegmentNumber(2), FIRST);
        let before = eligibility.ticket();
        eligibility.all_in_order();
        assert_ne!(eligibility.ticket(), before);
        eligibility.sealed(SegmentNumber(2));
        for segment in 3..8 {
            eligibility.opened(SegmentNumber(segment), FIRST);
            eligibility.appended(
                SegmentNumber(segment),
                EntryKind::Fill,
                PageNumber(u64::from(segment) * 100),
            );
            eligibility.sealed(SegmentNumber(segment));
        }
        assert_eq!([1, 2, 7].map(|cheap| chosen(&mut eligibility, cheap)), [None, None, Some(7)]);
    }

    #[test]
    fn nothing_goes_out_of_order_if_not_every_line_is_counted_or_most_segments_may_not() {
        let mut eligibility = closed(4);
        eligibility.give_up();
        assert_eq!(chosen(&mut eligibility, 2), None);
        let mut eligibility = closed(4);
        for segment in [0, 1, 3] {
            eligibility.bind(SegmentNumber(segment));
        }
        assert_eq!(chosen(&mut eligibility, 2), None, "three of four go in order");
    }

    #[test]
    fn lines_are_counted_as_long_as_their_segments_are_there() {
        let mut eligibility = closed(3);
        assert_eq!(eligibility.lines(), 300);
        eligibility.gone(SegmentNumber(1), None, None);
        assert_eq!(eligibility.lines(), 200);
        eligibility.settle_next(SegmentNumber(0), |_, segment, _| f64::from(segment.0));
        eligibility.note_moved(SegmentNumber(0));
        assert_eq!(eligibility.lines(), 199, "what stands elsewhere again is not counted twice");
        eligibility.gone(SegmentNumber(0), None, None);
        assert_eq!(eligibility.lines(), 100);
        // In another generation it has none yet, and range entries do not count.
        eligibility.opened(SegmentNumber(2), Sequence(77));
        eligibility.appended(SegmentNumber(2), EntryKind::Forget, PageNumber(1));
        eligibility.appended(SegmentNumber(2), EntryKind::Write, PageNumber(1));
        assert_eq!(eligibility.lines(), 1);
        eligibility.clear(1 << 20, 1 << 20);
        assert_eq!(eligibility.lines(), 0);
    }

    #[test]
    fn a_segment_that_goes_takes_its_lines_along_unless_they_are_counted_anew() {
        let (mut eligibility, page) = (closed(1), PageNumber(7));
        let mut content = Content::default();
        content.push(&crate::format::summary::SummaryEntry {
            page,
            kind: EntryKind::Fill,
            sequence: FIRST,
            checksum: 0,
            place: 1,
        });
        let counted = eligibility.bind(SegmentNumber(0));
        assert_eq!(eligibility.stale_versions(page), 1);
        eligibility.gone(SegmentNumber(0), Some(&content), counted);
        assert_eq!(eligibility.stale_versions(page), 0);
        eligibility.clear(1 << 20, 1 << 20);
        eligibility.complete();
        eligibility.died(page);
        eligibility.gone(SegmentNumber(0), Some(&content), counted);
        assert_eq!(eligibility.stale_versions(page), 1, "what was counted before is not counted any more");
    }
}
