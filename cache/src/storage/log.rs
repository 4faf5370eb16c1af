//! The log of one disk: appending batches to its open segment, one write at a time.
//!
//! ```text
//!   begin ──> (segment full? flush, summary, seal; take a segment, table durable) ──> add pages ──> write
//! ```
//! Batches of a segment are written one after another, so that each counts as written only when all earlier ones are
//! (rule I4). A segment's data is flushed before its summary is written (rule I6): a summary never vouches for pages
//! that a power cut took. The summary is durable before the table names the next segment: only the newest segment of a
//! disk can lack one.
//!
//! **The log is in order of versions.** An appended page is current at that moment, under the lock of the log; so of two versions the one
//! that was appended later is the later one, whenever they were copied. Recovery relies on it.

use std::cell::{Cell, OnceCell};
use std::ops::Range;
use std::pin::pin;
use std::rc::Rc;

use block::{BlockError, Buffer, Filling, Host, Unmap};
use futures_util::future::select;
use tokio::sync::{Mutex, MutexGuard};

use super::pool::{NoSegment, Pool};
use crate::format::batch::{self, Entry, EntryKind, Head, place_of_zeroes};
use crate::format::checksum::{page_checksum, seeded};
use crate::format::summary::Content;
use crate::state::index::FlashLocation;
use crate::state::reclaim_eligibility::AppendRecord;
use crate::state::segments::SegmentPurpose;
use crate::state::write_intent_bitmap::{LogEnd, WriteIntentBitmap};
use crate::types::canary::{self, Bug};
use crate::types::env::Env;
use crate::types::limits::{BATCH_PAGES_MAX, PAGE_BYTES};
use crate::types::stats::{DiskCounters, count};
use crate::types::units::{DiskId, PageNumber, SegmentNumber, SegmentOwner, Sequence};

pub(crate) struct Log<E: Env> {
    pool: Rc<Pool<E>>,
    disk: DiskId,
    /// Counts what is written, in all copies.
    counters: Rc<DiskCounters>,
    open: Mutex<Option<OpenSegment>>,
    /// Batches that were written, counted, and how many of them something proves that was written later.
    written: Cell<u64>,
    proven: Cell<u64>,
    /// Number of them that are durable.
    durable: Cell<u64>,
    /// End of the last one.
    tail: Cell<Option<LogTail>>,
    /// End of the durable part of the open segment.
    known_durable: Cell<Option<LogTail>>,
    /// Records the end of the written log, in memory that outlives the process.
    touched: Rc<WriteIntentBitmap>,
    /// Set once batches that were not durable were on a device that failed: a flush of another one does not cover them.
    is_broken: Cell<bool>,
    /// Counts appended entries.
    lines: AppendRecord,
    /// Joins those who want it durable.
    durability: Gate,
    /// Set once it was closed. The disk may have another log by then, and only one may append.
    closed: Cell<bool>,
}

/// End of the last batch, in the open segment.
#[derive(Clone, Copy)]
struct LogTail {
    segment: SegmentNumber,
    generation: Sequence,
    end: u32,
}

/// Tasks that wait for earlier writes to become durable.
#[derive(Default)]
struct Gate {
    /// Number of arrivals.
    arrived: Cell<u64>,
    /// Number of arrivals that are served.
    covered: Cell<u64>,
    running: Mutex<()>,
}

/// The segment that is being written.
struct OpenSegment {
    segment: SegmentNumber,
    generation: Sequence,
    /// The next page to write, counted from the segment's start.
    next: u32,
    /// End of the last batch that has entries.
    announced: u32,
    /// Number of pages that a header has announced as durable.
    durable_marker: u32,
    /// Everything so far, for the summary.
    content: Content,
}

/// The right to append one batch to a segment that has room for it. No other task appends meanwhile.
pub(crate) struct Appender<'a, E: Env> {
    log: &'a Log<E>,
    open: MutexGuard<'a, Option<OpenSegment>>,
    room: usize,
    /// Result of asking the write budget, once, by promotions only.
    afforded: OnceCell<bool>,
}

/// A batch that was written.
pub(crate) struct WrittenBatch {
    /// Places of its pages, in the order in which they were added.
    pub(crate) located: Vec<FlashLocation>,
    /// Number of the batch in this log; see [`Log::proven`].
    pub(crate) number: u64,
}

/// A batch that is being put together.
pub(crate) struct Batch {
    /// Room for the header, and the data behind it.
    buffer: Filling,
    /// Data pages so far.
    pages: usize,
    entries: Vec<Entry>,
    located: Vec<FlashLocation>,
}

impl<E: Env> Log<E> {
    pub(crate) fn new(
        pool: Rc<Pool<E>>,
        disk: DiskId,
        touched: Rc<WriteIntentBitmap>,
        counters: Rc<DiskCounters>,
        lines: AppendRecord,
    ) -> Self {
        Self {
            pool,
            disk,
            counters,
            open: Mutex::new(None),
            written: Cell::new(0),
            proven: Cell::new(0),
            durable: Cell::new(0),
            tail: Cell::new(None),
            known_durable: Cell::new(None),
            touched,
            is_broken: Cell::new(false),
            lines,
            durability: Gate::default(),
            closed: Cell::new(false),
        }
    }

    /// As [`Self::try_begin`], waiting for room for at most `nanos` nanoseconds.
    pub(crate) async fn begin_within(
        &self,
        purpose: SegmentPurpose,
        nanos: u64,
    ) -> Result<Appender<'_, E>, NoSegment> {
        let deadline = self.pool.host.now() + nanos;
        loop {
            match self.try_begin(purpose).await {
                Err(NoSegment::Exhausted) if self.pool.host.now() < deadline => {
                    let room = pin!(self.pool.wait_for_room(self.disk));
                    select(room, pin!(self.pool.host.sleep_until(deadline))).await;
                }
                outcome => return outcome,
            }
        }
    }

    /// Waits for its turn, not for room.
    ///
    /// # Errors
    /// `Exhausted` if there is no room for a page.
    pub(crate) async fn try_begin(&self, purpose: SegmentPurpose) -> Result<Appender<'_, E>, NoSegment> {
        let mut open = self.open.lock().await;
        if self.closed.get() {
            return Err(NoSegment::Leaving);
        }
        if open.as_ref().is_some_and(|open| self.room(open) == 0 || self.lacks_copy(open)) {
            let sealed = self.seal(&mut open).await;
            // If it went with its device, another device takes the next segment.
            if sealed.is_err() && (open.is_some() || self.pool.notice_failure()) {
                return Err(NoSegment::Failed);
            }
        }
        if open.is_none() {
            let (segment, generation) = self.pool.take_segment(self.disk, purpose).await?;
            self.lines.open(segment, generation);
            *open = Some(OpenSegment {
                segment,
                generation,
                next: 0,
                announced: 0,
                durable_marker: 0,
                content: Content::default(),
            });
        }
        let room = open.as_ref().map_or(0, |open| self.room(open));
        Ok(self.appender(open, room))
    }

    /// Closes the open segment if it lacks a copy that it is to have: of one that is closed another can be made.
    pub(crate) async fn close_torn(&self) -> Result<(), BlockError> {
        let mut open = self.open.lock().await;
        if open.as_ref().is_some_and(|open| self.lacks_copy(open)) {
            self.seal(&mut open).await
        } else {
            Ok(())
        }
    }

    /// Closes the open segment if a copy of it is where its device is about to end.
    pub(crate) async fn close_behind_end(&self) -> Result<(), BlockError> {
        let mut open = self.open.lock().await;
        let is_to_go = |open: &OpenSegment| self.pool.segments().is_to_go(open.segment);
        if open.as_ref().is_some_and(is_to_go) { self.seal(&mut open).await } else { Ok(()) }
    }

    /// Closes the open segment and the log, so that nothing more is appended: because the disk leaves.
    pub(crate) async fn close(&self) -> Result<(), BlockError> {
        let mut open = self.open.lock().await;
        self.closed.set(true);
        let sealed = self.seal(&mut open).await;
        self.abandon(&mut open);
        sealed
    }

    /// Abandons the open segment without a summary, if `is_unwanted` returns true, and runs `then` before anything else can be appended.
    pub(crate) async fn give_up<T>(
        &self,
        is_unwanted: impl FnOnce() -> bool,
        then: impl FnOnce() -> T,
    ) -> Option<T> {
        let mut open = self.open.lock().await;
        if !is_unwanted() {
            return None;
        }
        self.abandon(&mut open);
        // Nothing of it has to be durable any more.
        self.tail.set(None);
        self.is_broken.set(false);
        self.durable.set(self.written.get());
        Some(then())
    }

    /// Makes everything durable that was appended before this call, and records that on flash: in the summary, or in a header without data.
    /// Without that, damage to the last batch would look like the end of the log (rule I6).
    pub(crate) async fn flush(&self) -> Result<(), BlockError> {
        self.make_durable().await?;
        self.write_durable_marker().await
    }

    /// Records on flash what is known to be durable, if that is not recorded yet.
    pub(crate) async fn write_durable_marker(&self) -> Result<(), BlockError> {
        let mut open = self.open.lock().await;
        let Some(ours) = open.as_ref().filter(|open| self.durable_marker_due(open) > open.durable_marker)
        else {
            // A segment is durable, and its summary records that, before the next one is taken.
            return Ok(());
        };
        if self.room(ours) == 0 {
            return self.seal(&mut open).await;
        }
        let appender = self.appender(open, 0);
        let nothing = appender.batch(0);
        appender.write(nothing).await.map(drop)
    }

    /// Returns true if something in the open segment is durable without a record on flash; or if an append is running.
    pub(crate) fn durable_marker_pending(&self) -> bool {
        let Ok(open) = self.open.try_lock() else { return true };
        open.as_ref().is_some_and(|open| self.durable_marker_due(open) > open.durable_marker)
    }

    /// Makes everything durable that was appended before this call, by a flush of the device that is submitted after it. Callers that
    /// arrive while one runs share the next one (rule I5).
    ///
    /// # Errors
    /// If it cannot be, or a part of it was lost with its device before that; then everything else is durable, if its device works.
    pub(crate) async fn make_durable(&self) -> Result<(), BlockError> {
        let gate = &self.durability;
        let ticket = gate.arrived.get() + 1;
        gate.arrived.set(ticket);
        let _running = gate.running.lock().await;
        if gate.covered.get() >= ticket {
            return Ok(());
        }
        let (covers, batches) = (gate.arrived.get(), self.written.get());
        if let Some(tail) = self.tail.get().filter(|_| self.durable.get() < batches) {
            self.pool.flush_segment(tail.segment).await?;
            self.known_durable.set(Some(tail));
            // As counted before the flush was submitted: it covers nothing that was written since.
            let flushed = if canary::has(Bug::FlushCoversLater) { self.written.get() } else { batches };
            self.note_durable(flushed);
        }
        if self.is_broken.get() {
            // Everything that can be durable is: the missing part was on a device that failed.
            return Err(Pool::<E>::gone());
        }
        gate.covered.set(gate.covered.get().max(covers));
        Ok(())
    }

    /// Returns the number of batches that are durable.
    pub(crate) fn durable(&self) -> u64 {
        self.durable.get()
    }

    /// Returns the number of batches that are proven by a header behind them, or by a summary: if one of them cannot be read after a kill,
    /// that is damage. The last one could be mistaken for one that was never written.
    pub(crate) fn proven(&self) -> u64 {
        self.proven.get()
    }

    fn appender<'a>(&'a self, open: MutexGuard<'a, Option<OpenSegment>>, room: usize) -> Appender<'a, E> {
        Appender { log: self, open, room, afforded: OnceCell::new() }
    }

    /// Returns the data pages that the next batch can have at most: in the open segment, or in another one if that is full, or being
    /// written.
    pub(crate) fn room_left(&self) -> usize {
        let whole = (self.pool.layout().batch_pages() as usize - 1).min(BATCH_PAGES_MAX);
        let Ok(open) = self.open.try_lock() else { return whole };
        open.as_ref().map(|open| self.room(open)).filter(|room| *room > 0).unwrap_or(whole)
    }

    /// Returns the data pages that fit in the rest of the open segment, none if it is being written, and in a whole one: in the largest
    /// batches.
    pub(crate) fn pages_left(&self) -> (usize, usize) {
        let data = |pages: usize| pages - pages.div_ceil(1 + BATCH_PAGES_MAX);
        let whole = self.pool.layout().batch_pages() as usize;
        let left = self.open.try_lock().ok().and_then(|open| Some(whole - open.as_ref()?.next as usize));
        (data(left.unwrap_or(0)), data(whole))
    }

    /// Waits for its turn to append to the open segment, if there is one that has room.
    pub(crate) async fn begin_in_open(&self) -> Option<Appender<'_, E>> {
        let open = self.open.lock().await;
        let has_room = |open: &&OpenSegment| self.room(open) > 0 && !self.lacks_copy(open);
        let room = open.as_ref().filter(has_room).map(|open| self.room(open))?;
        (!self.closed.get()).then(|| self.appender(open, room))
    }

    /// Returns the number of entries that fit behind one more header, each with a data page or without.
    fn room(&self, open: &OpenSegment) -> usize {
        let pages = self.pool.layout().batch_pages() as usize;
        let in_summary = pages - open.content.entries();
        (pages - open.next as usize).saturating_sub(1).min(in_summary).min(BATCH_PAGES_MAX)
    }

    /// Returns true if the open segment has one copy, of which there are to be two.
    fn lacks_copy(&self, open: &OpenSegment) -> bool {
        self.pool.lacks_copy(self.disk, open.segment)
    }

    /// Returns the pages of the open segment that are known to be durable.
    fn durable_end(&self, open: &OpenSegment) -> u32 {
        let known = self.known_durable.get().filter(|known| known.generation == open.generation);
        known.map_or(0, |known| known.end)
    }

    /// Returns the pages of the open segment that a header could announce as durable, up to the last batch that has entries.
    fn durable_marker_due(&self, open: &OpenSegment) -> u32 {
        self.durable_end(open).min(open.announced)
    }

    /// Closes the open segment, if there is one. If that fails, it stays open as long as a copy of it can be had: it is closed
    /// another time, before anything else is written.
    async fn seal(&self, open: &mut Option<OpenSegment>) -> Result<(), BlockError> {
        let Some(ours) = open.as_mut() else { return Ok(()) };
        let sealed = self.write_summary(ours).await;
        if sealed.is_ok() {
            self.lines.close(ours.segment);
        } else {
            // A start may find entries there that were not counted.
            self.lines.lose_count();
        }
        if sealed.is_ok() || !self.pool.has_copy(ours.segment) {
            self.abandon(open);
        }
        sealed
    }

    async fn write_summary(&self, open: &mut OpenSegment) -> Result<(), BlockError> {
        let batches = self.written.get();
        let (segment, generation) = (open.segment, open.generation);
        // 1. The data is durable. Crash before: the segment has no summary and is read header by header.
        self.pool.flush_segment(segment).await?;
        self.note_durable(batches);
        // 2. The summary. Crash during: a torn summary fails its checksum, and headers are read as above.
        open.content.end = open.next;
        let summary = encode_summary(&self.pool, self.disk.into(), segment, generation, &open.content);
        let start = self.pool.layout().summary_start(segment);
        let bytes = self.pool.write(start, Buffer::copy_of(&summary)).await?;
        count(&self.counters.flash_write_bytes, bytes);
        // 3. Durable before the next one is taken. Otherwise a power cut could keep the table that names the next segment and lose
        // this summary, which would look like damage to a segment that has one.
        self.pool.flush_segment(segment).await?;
        self.proven.set(batches);
        Ok(())
    }

    /// Records that batches are durable; if some before them are gone, that proves nothing.
    fn note_durable(&self, batches: u64) {
        if !self.is_broken.get() {
            self.durable.set(self.durable.get().max(batches));
        }
    }

    /// Closes the open segment as it is, if there is one. If no copy of it can be had any more, its part that is not durable is gone.
    fn abandon(&self, open: &mut Option<OpenSegment>) {
        let Some(open) = open.take() else { return };
        if !self.pool.has_copy(open.segment) && self.durable.get() < self.written.get() {
            self.is_broken.set(true);
        }
        self.pool.seal_segment(open.segment);
    }
}

impl<E: Env> Appender<'_, E> {
    /// Returns the number of entries that the batch may have; at least one.
    pub(crate) fn room(&self) -> usize {
        self.room
    }

    /// Returns whether the write budget of the device admits a page that admission has accepted: all pages of a batch, or none, which are
    /// counted. For promotions only: writes of guests and survivors do not ask.
    pub(crate) fn affords_one(&self) -> bool {
        let open = self.open.as_ref().expect("begin opened a segment");
        let is_afforded = *self.afforded.get_or_init(|| self.log.pool.affords_batch(open.segment));
        count(&self.log.counters.promotions_held_back, u64::from(!is_afforded));
        is_afforded
    }

    /// Starts a batch of `pages` data pages.
    pub(crate) fn batch(&self, pages: usize) -> Batch {
        assert!(pages <= self.room);
        let mut buffer = Filling::new((1 + pages) * PAGE_BYTES);
        buffer.put_zeroes(PAGE_BYTES);
        Batch { buffer, pages: 0, entries: Vec::with_capacity(pages), located: Vec::with_capacity(pages) }
    }

    /// Puts clean content of a page into the batch, which must be current now. Copies keep their sequence (rule I1).
    pub(crate) fn add(&self, batch: &mut Batch, page: PageNumber, sequence: Sequence, bytes: &[u8]) {
        self.put(batch, EntryKind::Fill, page, sequence, bytes);
    }

    /// As [`Self::add`], for content that the backing does not have.
    pub(crate) fn add_dirty(&self, batch: &mut Batch, page: PageNumber, sequence: Sequence, bytes: &[u8]) {
        self.put(batch, EntryKind::Write, page, sequence, bytes);
    }

    /// Adds an entry that invalidates all earlier ones of some pages: one bit for each page from `first` on.
    pub(crate) fn forget(&self, batch: &mut Batch, first: PageNumber, bits: &[u8]) {
        self.put(batch, EntryKind::Forget, first, self.log.pool.draw_sequence(), bits);
    }

    /// Adds an entry for a range of pages.
    pub(crate) fn add_range(&self, batch: &mut Batch, kind: EntryKind, pages: &Range<u64>) {
        assert!(kind.is_range() && kind != EntryKind::Zeroes);
        self.put_range(batch, kind, pages, 0);
    }

    /// Adds an entry for a range of zeroes, whose storage may be deallocated if `unmap` permits it.
    pub(crate) fn add_zeroes(&self, batch: &mut Batch, pages: &Range<u64>, unmap: Unmap) {
        self.put_range(batch, EntryKind::Zeroes, pages, place_of_zeroes(unmap));
    }

    fn put_range(&self, batch: &mut Batch, kind: EntryKind, pages: &Range<u64>, place: u32) {
        let sequence = self.log.pool.draw_sequence();
        let count = u32::try_from(pages.end - pages.start).expect("whoever says it cuts what is longer");
        let page = PageNumber(pages.start);
        batch.entries.push(Entry { page, kind, sequence, seeded_checksum: count, place });
    }

    fn put(&self, batch: &mut Batch, kind: EntryKind, page: PageNumber, sequence: Sequence, bytes: &[u8]) {
        let open = self.open.as_ref().expect("begin opened a segment");
        batch.pages += 1;
        let place = batch.pages;
        assert_eq!(bytes.len(), PAGE_BYTES, "pages are whole");
        batch.buffer.put(bytes);
        let checksum = page_checksum(bytes);
        let in_segment = open.next + place as u32;
        let seeded_checksum = seeded(checksum, self.log.disk.into(), page, sequence);
        batch.entries.push(Entry { page, kind, sequence, seeded_checksum, place: in_segment });
        let flash = self.log.pool.layout().segment_start(open.segment).plus(in_segment);
        batch.located.push(FlashLocation { flash, checksum });
    }

    /// Writes the batch, header and data in one. If that fails, nothing else goes to the segment but its summary.
    pub(crate) async fn write(mut self, batch: Batch) -> Result<WrittenBatch, BlockError> {
        // As large as announced: only a full one becomes a buffer.
        let mut buffer = batch.buffer.finish();
        assert!(batch.entries.len() <= self.room, "the summary has room for it");
        let log = self.log;
        let open = self.open.as_mut().expect("begin opened a segment");
        let durable = log.durable_end(open);
        let segment = open.segment;
        let head = Head {
            owner: log.disk.into(),
            segment,
            generation: open.generation,
            place: open.next,
            sequence: log.pool.draw_sequence(),
            durable,
        };
        batch::encode_header(&mut buffer[..PAGE_BYTES], log.pool.id(), &head, &batch.entries);
        let first = log.pool.layout().segment_start(open.segment).plus(open.next);
        // The place is used up before the write starts: nothing else goes there, even if the write fails.
        open.next += 1 + batch.pages as u32;
        // Clean pages have one copy.
        let is_clean = batch.entries.iter().all(|entry| entry.kind == EntryKind::Fill);
        let second_bytes = if is_clean { PAGE_BYTES } else { buffer.len() };
        match log.pool.write_most(first, buffer, second_bytes).await {
            Ok(bytes) => count(&log.counters.flash_write_bytes, bytes),
            Err(error) => {
                // As long as a copy can be had, its content is not gone: the segment gets its summary before the next one.
                if !log.pool.has_copy(segment) {
                    // A start may find entries there that were not counted.
                    log.lines.lose_count();
                    log.abandon(&mut self.open);
                }
                return Err(error);
            }
        }
        open.durable_marker = durable;
        let owner = log.disk.into();
        for entry in &batch.entries {
            open.content.push_entry(entry, owner);
        }
        log.lines.append(segment, batch.entries.iter().map(|entry| (entry.kind, entry.page)));
        let OpenSegment { segment, generation, next: end, .. } = *open;
        if !batch.entries.is_empty() {
            open.announced = end;
        }
        log.touched.note_end(LogEnd { generation, place: end });
        log.tail.set(Some(LogTail { segment, generation, end }));
        // Batches of a segment are written one after another, and a closed segment has a summary. No test could detect if this were one
        // batch ahead: after a kill, `touched` has the end of the written log, so a damaged last batch is noticed all the same. This stays
        // right without that memory.
        let before = log.written.get();
        log.proven.set(before);
        log.written.set(before + 1);
        Ok(WrittenBatch { located: batch.located, number: before + 1 })
    }
}

/// Returns the summary of a segment.
pub(crate) fn encode_summary<E: Env>(
    pool: &Pool<E>,
    owner: SegmentOwner,
    segment: SegmentNumber,
    generation: Sequence,
    content: &Content,
) -> Vec<u8> {
    let place = pool.layout().batch_pages();
    let head = Head { owner, segment, generation, place, sequence: Sequence(0), durable: content.end };
    content.encode(pool.id(), &head)
}
