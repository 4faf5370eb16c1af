//! Stored bytes of objects that are on their way, or were read ahead. They are found by their place in the store, which the map has; objects never
//! change, so nothing here is ever out of date.
//!
//! A read whose bytes are on their way waits for them. If they do not arrive, it asks for them itself, and has the errors that it would have had.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::pin::pin;
use std::rc::Rc;

use bytes::Bytes;
use tokio::sync::Notify;

use super::canary::{self, Bug};

/// Bytes of RAM that a range takes besides its content, about.
const RANGE_BYTES: u64 = 256;
/// Bytes of the longest range.
pub(crate) const RANGE_BYTES_MAX: u64 = 4 << 20;
/// Requests that read ahead, at once.
pub(crate) const REQUESTS_AHEAD_MAX: usize = 16;

/// Object, first byte and number of a range.
type Key = (u32, u64, u64);

/// A range of an object.
pub(crate) struct StoredRange {
    key: Key,
    bytes: Range<u64>,
    /// Page behind the last one for which it was read ahead; none if it was not, and is dropped once it is there.
    last_page: Option<u64>,
    is_ended: Cell<bool>,
    content: RefCell<Option<Bytes>>,
    ended: Notify,
}

/// Ranges of the objects of a volume.
pub(crate) struct ReadBuffer {
    ranges: BTreeMap<Key, Rc<StoredRange>>,
    /// Those that may be dropped for others: first those that were read to their end, then the oldest.
    order: BTreeSet<(bool, u64, Key)>,
    next: u64,
    limit: u64,
    /// Bytes of RAM that what was read ahead takes, and what is on its way for that.
    taken: u64,
    ahead_pending: usize,
}

/// A range on its way. Dropped without its content, it failed.
pub(crate) struct PendingRange {
    buffer: Rc<RefCell<ReadBuffer>>,
    range: Rc<StoredRange>,
}

impl StoredRange {
    pub(crate) fn is_pending(&self) -> bool {
        !self.is_ended.get()
    }

    /// Waits until it is there. Returns a part of it, named by the bytes of the object; none if it failed.
    pub(crate) async fn part(&self, bytes: &Range<u64>) -> Option<Bytes> {
        while self.is_pending() {
            let mut ended = pin!(self.ended.notified());
            ended.as_mut().enable();
            if self.is_pending() {
                ended.await;
            }
        }
        let within = (bytes.start - self.bytes.start) as usize..(bytes.end - self.bytes.start) as usize;
        self.content.borrow().as_ref().map(|content| content.slice(within))
    }

    fn has(&self, bytes: &Range<u64>) -> bool {
        self.bytes.start <= bytes.start && bytes.end <= self.bytes.end
    }

    fn taken(&self) -> u64 {
        self.bytes.end - self.bytes.start + RANGE_BYTES
    }
}

impl ReadBuffer {
    /// Creates one that takes so many bytes of RAM at most.
    pub(crate) fn new(limit: u64) -> Rc<RefCell<Self>> {
        let (ranges, order) = Default::default();
        Rc::new(RefCell::new(Self { ranges, order, next: 0, limit, taken: 0, ahead_pending: 0 }))
    }

    /// Returns the bytes of RAM that it takes.
    pub(crate) fn taken(&self) -> u64 {
        self.taken
    }

    /// Returns the number of requests that may read ahead now.
    pub(crate) fn room(&self) -> usize {
        REQUESTS_AHEAD_MAX - self.ahead_pending
    }

    /// Returns a range with these bytes of an object that is there, or on its way.
    pub(crate) fn find(&self, object: u32, bytes: &Range<u64>) -> Option<Rc<StoredRange>> {
        if canary::has(Bug::BufferOfAnyObject) {
            return self.ranges.values().find(|range| range.has(bytes)).cloned();
        }
        let first = bytes.start.saturating_sub(RANGE_BYTES_MAX);
        let mut ranges = self.ranges.range((object, first, 0)..=(object, bytes.start, u64::MAX)).rev();
        ranges.find(|(_, range)| range.has(bytes)).map(|(_, range)| Rc::clone(range))
    }

    /// Adds a range of an object that is asked for by a read.
    pub(crate) fn add(buffer: &Rc<RefCell<Self>>, object: u32, bytes: Range<u64>) -> PendingRange {
        Self::add_pending(buffer, object, bytes, None)
    }

    /// Adds a range of an object that is read ahead for pages before `last_page`. None if it would take too much.
    pub(crate) fn add_ahead(
        buffer: &Rc<RefCell<Self>>,
        object: u32,
        bytes: Range<u64>,
        last_page: u64,
    ) -> Option<PendingRange> {
        let pending = Self::add_pending(buffer, object, bytes, Some(last_page));
        let mut ours = buffer.borrow_mut();
        ours.ahead_pending += 1;
        ours.taken += pending.range.taken();
        while ours.taken > ours.limit {
            let Some((_, _, oldest)) = ours.order.first().copied() else { break };
            ours.remove(oldest);
        }
        let fits = ours.taken <= ours.limit && ours.ahead_pending <= REQUESTS_AHEAD_MAX;
        drop(ours);
        fits.then_some(pending)
    }

    fn add_pending(
        buffer: &Rc<RefCell<Self>>,
        object: u32,
        bytes: Range<u64>,
        last_page: Option<u64>,
    ) -> PendingRange {
        debug_assert!(bytes.end - bytes.start <= RANGE_BYTES_MAX);
        let mut ours = buffer.borrow_mut();
        ours.next += 1;
        let range = Rc::new(StoredRange {
            key: (object, bytes.start, ours.next),
            bytes,
            last_page,
            is_ended: Cell::new(false),
            content: RefCell::default(),
            ended: Notify::new(),
        });
        ours.ranges.insert(range.key, Rc::clone(&range));
        PendingRange { buffer: Rc::clone(buffer), range }
    }

    /// Records that a page was read from a range: what has no page behind it is the first to be dropped.
    pub(crate) fn record_read(&mut self, range: &StoredRange, page: u64) {
        let (_, _, number) = range.key;
        if range.last_page.is_some_and(|last| page + 1 >= last)
            && self.order.remove(&(true, number, range.key))
        {
            self.order.insert((false, number, range.key));
        }
    }

    /// Drops a range that was read ahead, if it is there.
    pub(crate) fn drop_range(&mut self, range: &StoredRange) {
        if !range.is_pending() && range.last_page.is_some() {
            self.remove(range.key);
        }
    }

    /// Drops what is there. What is on its way is dropped when it ends.
    pub(crate) fn clear(&mut self) {
        self.limit = 0;
        while let Some((_, _, first)) = self.order.first().copied() {
            self.remove(first);
        }
    }

    fn remove(&mut self, key: Key) {
        let Some(range) = self.ranges.remove(&key) else { return };
        let (_, _, number) = key;
        for is_unread in [false, true] {
            self.order.remove(&(is_unread, number, key));
        }
        if range.last_page.is_some() {
            self.taken -= range.taken();
        }
    }

    /// Ends a request.
    fn end(&mut self, range: &StoredRange) {
        let (_, _, number) = range.key;
        if range.last_page.is_some() {
            self.ahead_pending -= 1;
            if range.content.borrow().is_some() && self.taken <= self.limit {
                self.order.insert((true, number, range.key));
                return;
            }
        }
        self.remove(range.key);
    }
}

impl PendingRange {
    pub(crate) fn bytes(&self) -> Range<u64> {
        self.range.bytes.clone()
    }

    /// Gives the content to those who wait. Shorter content is none.
    pub(crate) fn complete(self, content: &Bytes) {
        if content.len() as u64 == self.range.bytes.end - self.range.bytes.start {
            *self.range.content.borrow_mut() = Some(content.clone());
        }
    }
}

impl Drop for PendingRange {
    fn drop(&mut self) {
        self.buffer.borrow_mut().end(&self.range);
        self.range.is_ended.set(true);
        self.range.ended.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn content(len: u64) -> Bytes {
        Bytes::from((0..len).map(|at| at as u8).collect::<Vec<_>>())
    }

    fn ahead(buffer: &Rc<RefCell<ReadBuffer>>, object: u32, bytes: Range<u64>, last: u64) {
        let len = bytes.end - bytes.start;
        ReadBuffer::add_ahead(buffer, object, bytes, last).expect("there is room").complete(&content(len));
    }

    #[test]
    fn a_read_waits_for_what_is_on_its_way_and_learns_of_a_failure() {
        let buffer = ReadBuffer::new(10_000);
        for fails in [false, true] {
            let pending = ReadBuffer::add(&buffer, 3, 100..200);
            let found = buffer.borrow().find(3, &(120..140)).expect("it is on its way");
            let mut part = Box::pin(found.part(&(120..140)));
            assert_eq!((&mut part).now_or_never(), None);
            assert!(
                buffer.borrow().find(3, &(120..201)).is_none()
                    && buffer.borrow().find(2, &(120..140)).is_none()
            );
            if fails {
                drop(pending);
                assert_eq!((&mut part).now_or_never(), Some(None));
            } else {
                pending.complete(&content(100));
                assert_eq!((&mut part).now_or_never(), Some(Some(content(100).slice(20..40))));
            }
            assert!(buffer.borrow().find(3, &(120..140)).is_none(), "it was read for one who has it");
        }
        let found = {
            let pending = ReadBuffer::add(&buffer, 3, 100..200);
            let found = buffer.borrow().find(3, &(100..200)).expect("it is on its way");
            pending.complete(&content(99));
            found
        };
        assert_eq!(found.part(&(100..200)).now_or_never(), Some(None), "it is too short");
    }

    #[test]
    fn what_was_read_ahead_stays_until_others_need_the_room() {
        let buffer = ReadBuffer::new(4 * (1_000 + RANGE_BYTES));
        let has = |object, start| buffer.borrow().find(object, &(start..start + 10)).is_some();
        for at in 0..4 {
            ahead(&buffer, 1, at * 1_000..at * 1_000 + 1_000, at * 8 + 8);
        }
        assert!((0..4).all(|at| has(1, at * 1_000 + 990)) && !has(1, 995) && !has(1, 3_995));
        // One that was read to its end is dropped before an older one.
        let read = |start: u64, page| {
            let range = buffer.borrow().find(1, &(start..start + 1)).expect("it is there");
            buffer.borrow_mut().record_read(&range, page);
        };
        read(2_000, 23);
        read(1_000, 14);
        ahead(&buffer, 2, 0..1_000, 8);
        assert!(has(1, 0) && has(1, 1_000) && !has(1, 2_000) && has(2, 0));
        ahead(&buffer, 2, 1_000..2_000, 16);
        assert!(!has(1, 0) && has(1, 1_000));
        assert_eq!(buffer.borrow().taken(), 4 * (1_000 + RANGE_BYTES));
        let range = buffer.borrow().find(2, &(0..1)).expect("it is there");
        buffer.borrow_mut().drop_range(&range);
        assert!(!has(2, 0) && buffer.borrow().taken() == 3 * (1_000 + RANGE_BYTES));
        buffer.borrow_mut().clear();
        assert_eq!((buffer.borrow().taken(), buffer.borrow().ranges.len()), (0, 0));
    }

    #[test]
    fn what_is_on_its_way_takes_room_and_is_not_dropped() {
        let buffer = ReadBuffer::new(2 * (1_000 + RANGE_BYTES));
        let pending: Vec<_> =
            (0..2).map(|at| ReadBuffer::add_ahead(&buffer, 1, at * 1_000..at * 1_000 + 1_000, 8)).collect();
        assert!(pending.iter().all(Option::is_some) && ReadBuffer::add_ahead(&buffer, 2, 0..1, 8).is_none());
        buffer.borrow_mut().clear();
        assert_eq!(buffer.borrow().ranges.len(), 2);
        let found = buffer.borrow().find(1, &(0..10)).expect("it is on its way");
        pending.into_iter().flatten().for_each(|pending| pending.complete(&content(1_000)));
        assert!(found.part(&(0..10)).now_or_never().flatten().is_some(), "it arrived");
        assert_eq!((buffer.borrow().taken(), buffer.borrow().ranges.len()), (0, 0), "and is not kept");
        let buffer = ReadBuffer::new(1 << 20);
        let pending: Vec<_> =
            (0..20).filter_map(|at| ReadBuffer::add_ahead(&buffer, 1, at..at + 1, 8)).collect();
        assert_eq!((pending.len(), buffer.borrow().room()), (REQUESTS_AHEAD_MAX, 0));
        drop(pending);
        assert_eq!((buffer.borrow().room(), buffer.borrow().taken()), (REQUESTS_AHEAD_MAX, 0));
    }
}
