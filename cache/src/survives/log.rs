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
//! **The log is in order of versions.** What is appended of a page is current at that moment, under the lock of the log;
//! so of two versions the one that was appended later is the later one, whatever is copied when. Recovery relies on it.

use std::cell::Cell;
use std::rc::Rc;

use block::{BlockDevice, BlockError, Buffer, Host};
use tokio::sync::{Mutex, MutexGuard};

use super::pool::{NoSegment, Pool};
use crate::bytes::batch::{self, Entry, Head, Kind};
use crate::bytes::checksum::{page_checksum, seeded};
use crate::bytes::summary::{Content, Line};
use crate::knowledge::index::Located;
use crate::knowledge::segments::Purpose;
use crate::words::limits::{BATCH_PAGES_MAX, PAGE_BYTES};
use crate::words::units::{DiskId, PageNumber, SegmentNumber, Sequence};

pub(crate) struct Log<F, H> {
    pool: Rc<Pool<F, H>>,
    disk: DiskId,
    open: Mutex<Option<Open>>,
    /// Batches that were written, counted, and how many of them something proves that was written later.
    written: Cell<u64>,
    proven: Cell<u64>,
    /// Set once it was closed. The disk may have another log by then, and only one may append.
    closed: Cell<bool>,
}

/// The segment that is being written.
struct Open {
    segment: SegmentNumber,
    generation: Sequence,
    /// The next page to write, counted from the segment's start.
    next: u32,
    /// Pages that are known to be flushed.
    durable: u32,
    /// Everything so far, for the summary.
    content: Content,
}

/// The right to append one batch to a segment that has room for it. Nobody else appends meanwhile.
pub(crate) struct Appender<'a, F, H> {
    log: &'a Log<F, H>,
    open: MutexGuard<'a, Option<Open>>,
    room: usize,
}

/// A batch that was written.
pub(crate) struct Written {
    /// Where its pages are, in the order in which they were added.
    pub(crate) located: Vec<Located>,
    /// Bytes written.
    pub(crate) bytes: u64,
    /// Which batch of this log it is; see [`Log::proven`].
    pub(crate) number: u64,
}

/// A batch that is being put together.
pub(crate) struct Batch {
    buffer: Buffer,
    entries: Vec<Entry>,
    lines: Vec<Line>,
    located: Vec<Located>,
}

impl<F: BlockDevice, H: Host> Log<F, H> {
    pub(crate) fn new(pool: Rc<Pool<F, H>>, disk: DiskId) -> Self {
        Self {
            pool,
            disk,
            open: Mutex::new(None),
            written: Cell::new(0),
            proven: Cell::new(0),
            closed: Cell::new(false),
        }
    }

    /// Waits for its turn, and if it is for promotion for room: for at least one page.
    ///
    /// # Errors
    /// `Exhausted` for survivors only.
    pub(crate) async fn begin(&self, purpose: Purpose) -> Result<Appender<'_, F, H>, NoSegment> {
        loop {
            match self.try_begin(purpose).await {
                // The log is not held here: reclaim makes room by appending survivors to this very log.
                Err(NoSegment::Exhausted) if purpose == Purpose::Promotion => {
                    self.pool.wait_for_room(self.disk).await;
                }
                outcome => return outcome,
            }
        }
    }

    async fn try_begin(&self, purpose: Purpose) -> Result<Appender<'_, F, H>, NoSegment> {
        let mut open = self.open.lock().await;
        if self.closed.get() {
            return Err(NoSegment::Leaving);
        }
        if let Some(full) = open.take_if(|open| self.room(open) == 0) {
            self.seal(full).await.map_err(|_| NoSegment::Failed)?;
        }
        if open.is_none() {
            let (segment, generation) = self.pool.take_segment(self.disk, purpose).await?;
            *open = Some(Open { segment, generation, next: 0, durable: 0, content: Content::default() });
        }
        let room = open.as_ref().map_or(0, |open| self.room(open));
        Ok(Appender { log: self, open, room })
    }

    /// Closes the open segment and the log, so that nothing more is appended: because the disk leaves.
    pub(crate) async fn close(&self) -> Result<(), BlockError> {
        let mut open = self.open.lock().await;
        self.closed.set(true);
        match open.take() {
            Some(open) => self.seal(open).await,
            None => Ok(()),
        }
    }

    /// Gives up the open segment without a summary, because nobody wants the content, and does something before anything
    /// else can be appended.
    pub(crate) async fn give_up<T>(&self, then: impl FnOnce() -> T) -> T {
        let mut open = self.open.lock().await;
        if let Some(open) = open.take() {
            self.pool.seal_segment(open.segment);
        }
        then()
    }

    /// Makes durable what was appended before this call, and says so on flash: in the summary, or in a header without
    /// data. Without that, damage to the last batch would look like the end of the log (rule I6).
    pub(crate) async fn flush(&self) -> Result<(), BlockError> {
        let end = self.open.lock().await.as_ref().map(|open| (open.segment, open.next));
        self.pool.flush().await?;
        let mut open = self.open.lock().await;
        let Some(ours) = open.as_mut().filter(|open| end.is_some_and(|end| end.0 == open.segment)) else {
            return Ok(());
        };
        ours.durable = ours.durable.max(end.map_or(0, |end| end.1));
        if self.room(ours) == 0 {
            return match open.take() {
                Some(full) => self.seal(full).await,
                None => Ok(()),
            };
        }
        let appender = Appender { log: self, open, room: 0 };
        let nothing = appender.batch(0);
        appender.write(nothing).await.map(drop)
    }

    /// So many batches are proven by a header behind them, or by a summary: if one of them cannot be read after a kill, that
    /// is damage. The last one could be taken for one that never was.
    pub(crate) fn proven(&self) -> u64 {
        self.proven.get()
    }

    /// Data pages that fit behind one more header.
    fn room(&self, open: &Open) -> usize {
        let left = self.pool.layout().batch_pages() - open.next;
        (left as usize).saturating_sub(1).min(BATCH_PAGES_MAX)
    }

    async fn seal(&self, open: Open) -> Result<(), BlockError> {
        let layout = *self.pool.layout();
        // 1. The data is durable. Crash before: the segment has no summary and is read header by header.
        let flushed = self.pool.flush().await;
        // 2. The summary. Crash during: a torn summary fails its checksum, and headers are read as above.
        let (segment, generation) = (open.segment, open.generation);
        let mut content = open.content;
        content.end = open.next;
        let buffer = Buffer::copy_of(&encode_summary(&self.pool, self.disk, segment, generation, &content));
        let mut written = match flushed {
            Ok(()) => self.pool.write(layout.summary_start(open.segment), buffer).await,
            Err(error) => Err(error),
        };
        // 3. Durable before the next one is taken. Else a power cut could keep the table that names the next segment and lose
        // this summary, which would look like damage to a segment that has one.
        if written.is_ok() {
            written = self.pool.flush().await;
        }
        if written.is_ok() {
            self.proven.set(self.written.get());
        }
        // Whatever happened, the segment is closed: a failed flash is never written again.
        self.pool.seal_segment(open.segment);
        written
    }
}

impl<F: BlockDevice, H: Host> Appender<'_, F, H> {
    /// Pages that the batch may hold; at least one.
    pub(crate) fn room(&self) -> usize {
        self.room
    }

    /// Starts a batch of up to `pages` pages.
    pub(crate) fn batch(&self, pages: usize) -> Batch {
        assert!(pages <= self.room);
        let entries = Vec::with_capacity(pages);
        Batch {
            buffer: Buffer::zeroed((1 + pages) * PAGE_BYTES),
            entries,
            lines: Vec::with_capacity(pages),
            located: Vec::with_capacity(pages),
        }
    }

    /// Puts a page into the batch, which must be current now. Copies keep their sequence (rule I1).
    pub(crate) fn add(&self, batch: &mut Batch, page: PageNumber, sequence: Sequence, bytes: &[u8]) {
        self.put(batch, Kind::Fill, page, sequence, bytes);
    }

    /// Says that what the log holds so far of some pages is void: one bit for each page from `first` on.
    pub(crate) fn forget(&self, batch: &mut Batch, first: PageNumber, bits: &[u8]) {
        self.put(batch, Kind::Forget, first, self.log.pool.draw_sequence(), bits);
    }

    fn put(&self, batch: &mut Batch, kind: Kind, page: PageNumber, sequence: Sequence, bytes: &[u8]) {
        let open = self.open.as_ref().expect("begin opened a segment");
        let place = 1 + batch.entries.len();
        batch.buffer[place * PAGE_BYTES..(place + 1) * PAGE_BYTES].copy_from_slice(bytes);
        let checksum = page_checksum(bytes);
        let in_segment = open.next + place as u32;
        let seeded_checksum = seeded(checksum, self.log.disk, page, sequence);
        batch.entries.push(Entry { page, kind, sequence, seeded_checksum, place: in_segment });
        batch.lines.push(Line { page, kind, sequence, checksum, place: in_segment });
        let flash = self.log.pool.layout().segment_start(open.segment).plus(in_segment);
        batch.located.push(Located { flash, checksum });
    }

    /// Writes the batch, header and data in one.
    pub(crate) async fn write(mut self, mut batch: Batch) -> Result<Written, BlockError> {
        assert_eq!(
            batch.buffer.len(),
            (1 + batch.entries.len()) * PAGE_BYTES,
            "a batch is as large as announced"
        );
        let open = self.open.as_mut().expect("begin opened a segment");
        let head = Head {
            disk: self.log.disk,
            segment: open.segment,
            generation: open.generation,
            place: open.next,
            sequence: self.log.pool.draw_sequence(),
            durable: open.durable,
        };
        batch::encode_header(&mut batch.buffer[..PAGE_BYTES], self.log.pool.id(), &head, &batch.entries);
        let first = self.log.pool.layout().segment_start(open.segment).plus(open.next);
        // The place is used up before the write starts: whatever becomes of the write, nothing else goes there.
        open.next += 1 + batch.entries.len() as u32;
        let bytes = batch.buffer.len() as u64;
        self.log.pool.write(first, batch.buffer).await?;
        for line in &batch.lines {
            open.content.push(line);
        }
        // Batches of a segment are written one after another, and a closed segment has a summary.
        let before = self.log.written.get();
        self.log.proven.set(before);
        self.log.written.set(before + 1);
        Ok(Written { located: batch.located, bytes, number: before + 1 })
    }
}

/// The summary of a segment.
pub(crate) fn encode_summary<F: BlockDevice, H: Host>(
    pool: &Pool<F, H>,
    disk: DiskId,
    segment: SegmentNumber,
    generation: Sequence,
    content: &Content,
) -> Vec<u8> {
    let place = pool.layout().batch_pages();
    let head = Head { disk, segment, generation, place, sequence: Sequence(0), durable: content.end };
    content.encode(pool.id(), &head)
}
