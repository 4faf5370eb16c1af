//! The pool as a shard has it: the flash device, its segments, and the two things about them that are written in place,
//! superblock and segment table. What all shards have together is in `shared.rs`.
//!
//! After the first failed write or flush the flash is *failed* for good: nothing is written to it or believed from it
//! any more, and disks go on without it. Failed reads are the reader's business, unless the device is gone.

use std::cell::{Cell, RefCell};
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard};

use block::{BlockDevice, BlockError, Buffer, ErrorKind, Host};
use tokio::sync::Notify;

use super::reading::{Reader, Wanted};
use super::room::Seat;
use super::shared::{Shared, Written};
use crate::bytes::PoolId;
use crate::bytes::layout::Layout;
use crate::bytes::summary::Content;
use crate::bytes::superblock::Superblock;
use crate::bytes::table::{self, TableEntry};
use crate::knowledge::pins::Pins;
use crate::knowledge::segments::{Purpose, Segments};
use crate::words::limits::PAGE_BYTES;
use crate::words::units::{DiskId, FlashPage, SegmentNumber, Sequence};

/// A pool as one shard has it: its own handle of the device, and what all shards have together.
pub(crate) struct Pool<F, H> {
    flash: F,
    pub(crate) host: H,
    superblock: Superblock,
    pub(crate) shared: Arc<Shared>,
    pub(crate) seat: Seat,
    pins: RefCell<Pins>,
    /// Tells whoever frees a segment that a reader is done.
    reader_done: Notify,
    /// Whether this shard knows that the flash failed. What another shard found out counts here from the next request to
    /// flash on, or when the reclaimer is told: never between a look and what is done upon it.
    failed: Cell<bool>,
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
    /// A place for one more shard; `flash` is its own handle of the pool's device.
    pub(super) fn new(flash: F, host: H, shared: Arc<Shared>) -> Self {
        let superblock = shared.superblock;
        Self {
            flash,
            host,
            superblock,
            seat: Seat::take(Arc::clone(&shared)),
            pins: RefCell::new(Pins::new(superblock.layout.segments())),
            reader_done: Notify::new(),
            failed: Cell::new(shared.is_failed()),
            shared,
        }
    }

    pub(crate) fn id(&self) -> PoolId {
        self.superblock.pool
    }

    /// Makes term and mark of this start durable.
    pub(super) async fn write_superblock(&self) -> Result<(), BlockError> {
        let page = Buffer::copy_of(&self.superblock.encode());
        self.write(FlashPage((self.superblock.slot() / PAGE_BYTES as u64) as u32), page).await?;
        self.flush().await
    }

    /// Leaves a mark, as the last thing that this start does.
    pub(crate) async fn leave(&self, mark: u64) -> Result<(), BlockError> {
        let last = Superblock { turn: self.superblock.turn + 1, mark, ..self.superblock };
        let page = Buffer::copy_of(&last.encode());
        self.write(FlashPage((last.slot() / PAGE_BYTES as u64) as u32), page).await?;
        self.flush().await
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.superblock.layout
    }

    /// The segments, for a moment: not to be held while anything is awaited, nor while they are asked for again.
    pub(crate) fn segments(&self) -> MutexGuard<'_, Segments> {
        self.shared.segments()
    }

    /// Draws the next sequence (rule I1): mutations on acceptance, fills before their backing read.
    pub(crate) fn draw_sequence(&self) -> Sequence {
        self.shared.draw_sequence()
    }

    /// True once this shard knows that the flash failed.
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
        if purpose != Purpose::Notes && self.segments().is_leaving(disk) {
            return Err(NoSegment::Leaving);
        }
        let taken = self.segments().take(disk, purpose).ok_or(NoSegment::Exhausted)?;
        // Crash here: the table still names the segment's earlier life or none, and nothing was written to it.
        if self.persist_table().await.is_err() {
            // Nobody will write to it, but its owner holds it.
            if purpose != Purpose::Notes {
                self.seal_segment(taken.0);
            }
            return Err(NoSegment::Failed);
        }
        Ok(taken)
    }

    /// Asks reclaim for room and waits until a segment was freed, the flash failed or a disk leaves; then it is time to
    /// look again. Must be awaited at once after [`Self::take_segment`] said that nothing is left, and without holding
    /// anything that reclaim needs to make that room.
    pub(crate) async fn wait_for_room(&self, disk: DiskId) {
        let room_made = self.shared.room.join(disk);
        // Joined first: a failure that is not seen here is announced to whoever has joined.
        if self.notice_failure() {
            return;
        }
        self.seat.ring();
        room_made.await;
    }

    /// Lets those who wait for a segment look again.
    pub(crate) fn announce_room(&self) {
        self.shared.room.announce();
    }

    /// Closes a segment; whoever waits for something to reclaim may have found it.
    pub(crate) fn seal_segment(&self, segment: SegmentNumber) {
        self.segments().seal(segment);
        self.seat.ring();
    }

    /// Gives a segment back once nobody reads from it. Nothing must point to it any more.
    pub(crate) async fn free_segment(&self, segment: SegmentNumber) {
        loop {
            let reader_done = self.reader_done.notified();
            if !self.pins.borrow().has(segment) {
                break;
            }
            reader_done.await;
        }
        self.segments().free(segment);
        self.announce_room();
    }

    /// Lets a disk's waits end, because it leaves.
    pub(crate) fn start_leaving(&self, disk: DiskId) {
        self.segments().start_leaving(disk);
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

    /// As [`Self::pin`], for a whole segment.
    pub(crate) fn pin_segment(&self, segment: SegmentNumber) -> Pin<'_, F, H> {
        self.pins.borrow_mut().add(segment);
        Pin { pool: self, segment }
    }

    /// Keeps the segment of a page from being used anew until the pin is dropped. To be taken in the very step in which
    /// somebody decides to read the page.
    pub(crate) fn pin(&self, page: FlashPage) -> Pin<'_, F, H> {
        self.pin_segment(self.layout().segment_of(page))
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

    /// Reads what segments hold.
    pub(crate) fn reader(&self) -> Reader<'_, F> {
        Reader { flash: &self.flash, layout: self.superblock.layout, pool: self.id() }
    }

    /// What the summary of a closed segment says, if it has one of its present life.
    pub(crate) async fn read_summary(&self, segment: SegmentNumber) -> Option<Content> {
        self.ensure_alive().ok()?;
        let (owner, generation) = self.segments().life(segment)?;
        self.reader().summary(Wanted { segment, owner, generation }).await.ok()
    }

    /// Opens regions of a disk, so that the backing may be changed there. Durable once this returns.
    pub(crate) async fn open_regions(&self, disk: DiskId, regions: &[u32]) -> Result<(), BlockError> {
        self.shared.notes.open(self, disk, regions).await
    }

    /// The regions of a disk with an open intent.
    pub(crate) fn regions_with_intent(&self, disk: DiskId) -> Vec<u32> {
        self.shared.notes.open_regions(disk)
    }

    /// Closes regions of a disk.
    pub(crate) async fn close_regions(&self, disk: DiskId, regions: &[u32]) -> Result<(), BlockError> {
        self.shared.notes.quiet(self, disk, regions).await
    }

    /// Makes durable that segments were disowned, and gives them back. Nothing must point to them. All at once: a crash
    /// leaves all of it or nothing, and never an older version of a page without the newer one.
    pub(crate) async fn free_disowned(&self, disowned: Vec<SegmentNumber>) -> Result<(), BlockError> {
        let durable = self.persist_table().await;
        for segment in disowned {
            self.free_segment(segment).await;
        }
        durable
    }

    /// Writes the segment table so that it covers every change made before this call. Changes that come together
    /// share a write.
    pub(super) async fn persist_table(&self) -> Result<(), BlockError> {
        let table = &self.shared.table;
        let change = table.changes.fetch_add(1, Ordering::SeqCst) + 1;
        let mut written = table.written.lock().await;
        if written.changes >= change {
            return Ok(());
        }
        let covers = table.changes.load(Ordering::SeqCst);
        let turn = written.turn + 1;
        // Copied first, so that nobody waits for the encoding.
        let lives: Vec<TableEntry> = self.segments().lives().collect();
        let mut slot = Buffer::zeroed(self.layout().table_bytes());
        table::encode(&mut slot, self.id(), turn, lives.into_iter());
        // Power lost during the write: the other slot, one turn older, is whole, and no batch relies on this turn yet.
        self.write(FlashPage((self.layout().table_slot(turn) / PAGE_BYTES as u64) as u32), slot).await?;
        self.flush().await?;
        *written = Written { turn, changes: covers };
        Ok(())
    }

    fn ensure_alive(&self) -> Result<(), BlockError> {
        if self.shared.is_failed() {
            self.failed.set(true);
            return Err(Self::gone());
        }
        Ok(())
    }

    /// What is said of a flash that failed.
    pub(crate) fn gone() -> BlockError {
        let error = BlockError::anywhere(ErrorKind::Gone, block::Operation::Write);
        error.because("the flash failed earlier")
    }

    fn judge(&self, result: Result<(), BlockError>) -> Result<(), BlockError> {
        if let Err(error) = &result {
            self.fail(error);
        }
        result
    }

    /// Takes the flash for failed.
    pub(crate) fn give_up(&self) {
        self.fail(&Self::gone());
    }

    fn fail(&self, error: &BlockError) {
        if self.shared.fail() {
            tracing::error!(%error, pool = %self.id(), "The flash failed; disks go on without it. Replace it and restart");
        }
        self.failed.set(true);
        self.announce_room();
        self.shared.room.ring_all();
    }

    /// Takes notice of a failure that another shard found.
    pub(crate) fn notice_failure(&self) -> bool {
        self.failed.set(self.shared.is_failed());
        self.is_failed()
    }
}

/// Keeps a segment from being used anew while it is read, also if the reader gives up (rule I7).
pub(crate) struct Pin<'a, F, H> {
    pool: &'a Pool<F, H>,
    segment: SegmentNumber,
}

impl<F, H> Drop for Pin<'_, F, H> {
    fn drop(&mut self) {
        if self.pool.pins.borrow_mut().remove(self.segment) {
            self.pool.reader_done.notify_waiters();
        }
    }
}
