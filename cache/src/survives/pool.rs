//! The pool: the flash device, its segments, and the two things about them that are written in place, superblock and
//! segment table.
//!
//! After the first failed write or flush the flash is *failed* for good: nothing is written to it or believed from it
//! any more, and disks go on without it. Failed reads are the reader's business, unless the device is gone.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use block::{BlockDevice, BlockError, Buffer, ErrorKind, Host};
use tokio::sync::{Mutex, Notify};

use super::opening::newest_superblock;
use crate::bytes::batch::{self, Entry};
use crate::bytes::layout::Layout;
use crate::bytes::superblock::Superblock;
use crate::bytes::{PoolId, table};
use crate::knowledge::segments::{Purpose, Segments};
use crate::words::error::CacheError;
use crate::words::limits::PAGE_BYTES;
use crate::words::units::{DiskId, FlashPage, SegmentNumber, Sequence};

pub(crate) struct Pool<F, H> {
    flash: F,
    pub(crate) host: H,
    superblock: Superblock,
    pub(crate) segments: RefCell<Segments>,
    table: TableWriter,
    /// The last sequence drawn. One counter for all disks, so that one which is attached anew cannot draw a value twice.
    sequence: Cell<Sequence>,
    failed: Cell<bool>,
    /// Disks that wait for a segment, in order of their asking. Whoever is woken is taken off and asks again: an entry
    /// that stayed would make reclaim give up content for nobody, and one of a disk that left would stand before all.
    waiting: RefCell<VecDeque<DiskId>>,
    /// Tells the reclaimer that somebody waits.
    pub(crate) room_wanted: Notify,
    /// Tells those who wait that a segment is free, or that there will be none.
    room_made: Notify,
    /// Tells whoever frees a segment that a reader is done.
    reader_done: Notify,
}

/// Which changes of the table are durable, counted.
struct TableWriter {
    turn: Cell<u64>,
    changes: Cell<u64>,
    durable: Cell<u64>,
    writing: Mutex<()>,
}

/// Why a disk gets no segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoSegment {
    /// The flash failed.
    Failed,
    /// The disk is leaving.
    Leaving,
    /// None is free for the purpose that was named.
    Exhausted,
}

impl<F: BlockDevice, H: Host> Pool<F, H> {
    /// Opens the pool on a device: the term rises durably, and then the table says that nothing is owned, because
    /// content is not recovered yet.
    pub(crate) async fn open(flash: F, host: H) -> Result<Rc<Self>, CacheError> {
        let (start, result) = flash.read(0, Buffer::zeroed(2 * PAGE_BYTES)).await;
        result?;
        let not_a_pool = |error| CacheError::NotAPool(format!("{error:?}"));
        let mut superblock = newest_superblock(&start).map_err(not_a_pool)?;
        let layout = superblock.layout;
        if layout.device_bytes() > flash.geometry().size {
            return Err(CacheError::NotAPool("the device is smaller than the pool on it".to_owned()));
        }
        superblock.turn += 1;
        superblock.term += 1;
        flash.write(superblock.slot(), Buffer::copy_of(&superblock.encode())).await.1?;
        flash.flush().await?;
        let turn = newest_table_turn(&flash, &superblock).await?;
        let pool = Self {
            flash,
            host,
            superblock,
            segments: RefCell::new(Segments::new(layout, Sequence::first_of(superblock.term))),
            table: TableWriter {
                turn: Cell::new(turn),
                changes: Cell::new(0),
                durable: Cell::new(0),
                writing: Mutex::new(()),
            },
            sequence: Cell::new(Sequence::first_of(superblock.term)),
            failed: Cell::new(false),
            waiting: RefCell::default(),
            room_wanted: Notify::new(),
            room_made: Notify::new(),
            reader_done: Notify::new(),
        };
        pool.persist_table().await?;
        Ok(Rc::new(pool))
    }

    pub(crate) fn id(&self) -> PoolId {
        self.superblock.pool
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.superblock.layout
    }

    /// Draws the next sequence (rule I1): mutations on acceptance, fills before their backing read.
    pub(crate) fn draw_sequence(&self) -> Sequence {
        self.sequence.set(self.sequence.get().next());
        self.sequence.get()
    }

    /// True once the flash failed.
    pub(crate) fn is_failed(&self) -> bool {
        self.failed.get()
    }

    /// Takes a segment for a disk and makes its new life durable. Never waits for room: see [`Self::wait_for_room`].
    pub(crate) async fn take_segment(
        &self,
        disk: DiskId,
        purpose: Purpose,
    ) -> Result<(SegmentNumber, Sequence), NoSegment> {
        if self.is_failed() {
            return Err(NoSegment::Failed);
        }
        if self.segments.borrow().is_leaving(disk) {
            return Err(NoSegment::Leaving);
        }
        let taken = self.segments.borrow_mut().take(disk, purpose).ok_or(NoSegment::Exhausted)?;
        // Crash here: the table still names the segment's earlier life or none, and nothing was written to it.
        if self.persist_table().await.is_err() {
            // Nobody will write to it, but the disk holds it until it leaves.
            self.seal_segment(taken.0);
            return Err(NoSegment::Failed);
        }
        Ok(taken)
    }

    /// Asks reclaim for room and waits until a segment was freed, the flash failed or a disk leaves; then it is time to
    /// look again. Must be awaited at once after [`Self::take_segment`] said that nothing is left, and without holding
    /// anything that reclaim needs to make that room.
    pub(crate) async fn wait_for_room(&self, disk: DiskId) {
        let room_made = self.room_made.notified();
        self.waiting.borrow_mut().push_back(disk);
        self.room_wanted.notify_one();
        room_made.await;
    }

    /// The disk that has waited longest for a segment.
    pub(crate) fn next_waiting(&self) -> Option<DiskId> {
        self.waiting.borrow_mut().pop_front()
    }

    /// Puts a disk back at the head of those who wait, because nothing can be reclaimed for it yet.
    pub(crate) fn wait_again(&self, disk: DiskId) {
        self.waiting.borrow_mut().push_front(disk);
    }

    /// Lets those who wait for a segment look again.
    pub(crate) fn announce_room(&self) {
        self.waiting.borrow_mut().clear();
        self.room_made.notify_waiters();
    }

    /// Ready after the next segment is freed. Counts from the call, also before it is awaited.
    pub(crate) fn room_change(&self) -> impl Future<Output = ()> + '_ {
        self.room_made.notified()
    }

    /// Closes a segment; whoever waits for something to reclaim may have found it.
    pub(crate) fn seal_segment(&self, segment: SegmentNumber) {
        self.segments.borrow_mut().seal(segment);
        self.room_wanted.notify_one();
    }

    /// Gives a segment back once nobody reads from it. Nothing must point to it any more.
    pub(crate) async fn free_segment(&self, segment: SegmentNumber) {
        loop {
            let reader_done = self.reader_done.notified();
            if !self.segments.borrow().is_pinned(segment) {
                break;
            }
            reader_done.await;
        }
        self.segments.borrow_mut().free(segment);
        self.announce_room();
    }

    /// Lets a disk's waits end, because it leaves.
    pub(crate) fn start_leaving(&self, disk: DiskId) {
        self.segments.borrow_mut().start_leaving(disk);
        self.announce_room();
    }

    /// Writes to flash. Any failure is the end of the flash.
    pub(crate) async fn write(&self, first: FlashPage, buffer: Buffer) -> Result<(), BlockError> {
        self.ensure_alive()?;
        let result = self.flash.write(first.offset(), buffer).await.1;
        self.judge(result)
    }

    /// Makes everything durable that was written before. Any failure is the end of the flash (rule I5).
    pub(crate) async fn flush(&self) -> Result<(), BlockError> {
        self.ensure_alive()?;
        let result = self.flash.flush().await;
        self.judge(result)
    }

    /// Keeps the segment of a page from being used anew until the pin is dropped. To be taken in the very step in which
    /// somebody decides to read the page.
    pub(crate) fn pin(&self, page: FlashPage) -> Pin<'_, F, H> {
        Pin { pool: self, segment: self.segments.borrow_mut().pin(page) }
    }

    /// Reads pages that lie next to each other, all within one segment, which the caller holds with a pin or by
    /// reclaiming it.
    pub(crate) async fn read(&self, first: FlashPage, buffer: Buffer) -> (Buffer, Result<(), BlockError>) {
        if let Err(error) = self.ensure_alive() {
            return (buffer, Err(error));
        }
        let (buffer, result) = self.flash.read(first.offset(), buffer).await;
        if let Err(error) = &result
            && error.kind == ErrorKind::Gone
        {
            self.fail(error);
        }
        (buffer, result)
    }

    /// Reads what a closed segment's summary says, if it belongs to the segment's present life.
    pub(crate) async fn read_summary(&self, segment: SegmentNumber) -> Option<Vec<Entry>> {
        let layout = self.layout();
        let bytes = layout.summary_pages() as usize * PAGE_BYTES;
        let (buffer, result) = self.read(layout.summary_start(segment), Buffer::zeroed(bytes)).await;
        result.ok()?;
        let life = self.segments.borrow().life(segment)?;
        let mut entries = Vec::new();
        for page in buffer.chunks_exact(PAGE_BYTES) {
            let (head, more) = batch::decode_summary(page, self.id()).ok()?;
            if (head.disk, head.generation) != life || head.segment != segment {
                return None;
            }
            entries.extend(more);
        }
        Some(entries)
    }

    /// Writes the segment table so that it covers every change made before this call. Changes that come together
    /// share a write.
    async fn persist_table(&self) -> Result<(), BlockError> {
        let change = self.table.changes.get() + 1;
        self.table.changes.set(change);
        let _writing = self.table.writing.lock().await;
        if self.table.durable.get() >= change {
            return Ok(());
        }
        let covers = self.table.changes.get();
        let turn = self.table.turn.get() + 1;
        let mut slot = Buffer::zeroed(self.layout().table_bytes());
        table::encode(&mut slot, self.id(), turn, self.segments.borrow().lives());
        // Power lost during the write: the other slot, one turn older, is whole, and no batch relies on this turn yet.
        self.write(FlashPage((self.layout().table_slot(turn) / PAGE_BYTES as u64) as u32), slot).await?;
        self.flush().await?;
        self.table.turn.set(turn);
        self.table.durable.set(covers);
        Ok(())
    }

    fn ensure_alive(&self) -> Result<(), BlockError> {
        if self.is_failed() {
            let error = BlockError::anywhere(ErrorKind::Gone, block::Operation::Write);
            return Err(error.because("the flash failed earlier"));
        }
        Ok(())
    }

    fn judge(&self, result: Result<(), BlockError>) -> Result<(), BlockError> {
        if let Err(error) = &result {
            self.fail(error);
        }
        result
    }

    fn fail(&self, error: &BlockError) {
        if !self.failed.replace(true) {
            tracing::error!(%error, pool = %self.id(), "The flash failed; disks go on without it. Replace it and restart");
        }
        self.announce_room();
        self.room_wanted.notify_one();
    }
}

/// Keeps a segment from being used anew while it is read, also if the reader gives up (rule I7).
pub(crate) struct Pin<'a, F, H> {
    pool: &'a Pool<F, H>,
    segment: SegmentNumber,
}

impl<F, H> Drop for Pin<'_, F, H> {
    fn drop(&mut self) {
        if self.pool.segments.borrow_mut().unpin(self.segment) {
            self.pool.reader_done.notify_waiters();
        }
    }
}

/// The turn of the current table; zero if neither slot is whole, which costs nothing while content is not recovered.
async fn newest_table_turn<F: BlockDevice>(flash: &F, superblock: &Superblock) -> Result<u64, BlockError> {
    let layout = superblock.layout;
    let mut newest = 0;
    for slot in [0, 1] {
        let (bytes, result) = flash.read(layout.table_slot(slot), Buffer::zeroed(layout.table_bytes())).await;
        result?;
        if let Ok((turn, _)) = table::decode(&bytes, superblock.pool, layout.segments()) {
            newest = newest.max(turn);
        }
    }
    Ok(newest)
}
