//! The pool as a shard has it: the flash devices, their segments, and the two structures that are written in place, superblock and segment
//! table. The state that all shards share is in `shared.rs`, adding and removing devices in `membership.rs`, the flag for dirty data in
//! `superblock.rs`.
//!
//! After the first failed write or flush a device is *failed* for good: it is neither written nor trusted any more, and it leaves the pool.
//! When all have failed, the flash has, and disks go on without it. Failed reads are handled by the reader, unless the device is gone.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard};

use block::{BlockDevice, BlockError, Buffer, ErrorKind};
use futures_util::future::{LocalBoxFuture, join_all};
use tokio::sync::Notify;

use super::flash::{DeviceLocation, Flash, missing};
use super::reading::{Reader, SegmentGeneration};
use super::reclaim_slot::ReclaimSlot;
use super::shared::{LeaveReason, PoolState, RemainingDevices, TableState};
use crate::format::PoolId;
use crate::format::layout::Layout;
use crate::format::members::{Member, Members};
use crate::format::summary::Content;
use crate::format::table::{self, TableEntry};
use crate::state::pins::Pins;
use crate::state::segments::{SegmentPurpose, Segments};
use crate::types::env::Env;
use crate::types::units::{DiskId, FlashPage, MemberNumber, SegmentNumber, SegmentOwner, Sequence};

/// A pool as one shard has it: its own handles of the devices, and the state that all shards share.
pub(crate) struct Pool<E: Env> {
    pub(super) flash: RefCell<Flash<E::Flash>>,
    pub(crate) host: E::Host,
    pub(crate) shared: Arc<PoolState>,
    pub(crate) slot: ReclaimSlot,
    pins: RefCell<Pins>,
    /// Notifies tasks that free a segment when a reader is done.
    reader_done: Notify,
    /// True if this shard knows that all of the flash failed. A failure found by another shard counts here from the next request to flash
    /// on, or when the reclaimer is woken: never between a check and the step that relies on it.
    failed: Cell<bool>,
    /// Remembers elsewhere which lists of devices are too old; see [`Witness`].
    pub(crate) witness: RefCell<Option<Witness>>,
}

/// Callback that durably records, elsewhere than on flash, that no list of the pool's devices with a lower epoch is to be trusted any more
/// (rule I13): a device that failed, and returns alone, knows nothing of what was written without it.
pub type Witness = Rc<dyn Fn(u32) -> LocalBoxFuture<'static, Result<(), String>>>;

/// Callback that durably records, elsewhere than on flash, that no content of a disk on flash is to be trusted any more (rule I14).
pub type FlashLost = Rc<dyn Fn() -> LocalBoxFuture<'static, Result<(), String>>>;

/// Reason why a disk gets no segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoSegment {
    /// The flash failed.
    Failed,
    /// The disk is leaving.
    Leaving,
    /// None is free for the purpose that was named.
    Exhausted,
}

impl<E: Env> Pool<E> {
    /// Creates a place for one more shard; `flash` are its own handles of the pool's devices.
    pub(super) fn new(flash: Flash<E::Flash>, host: E::Host, shared: Arc<PoolState>) -> Self {
        Self {
            flash: RefCell::new(flash),
            host,
            slot: ReclaimSlot::take(Arc::clone(&shared)),
            pins: RefCell::default(),
            reader_done: Notify::new(),
            failed: Cell::new(shared.is_failed()),
            witness: RefCell::default(),
            shared,
        }
    }

    pub(crate) fn id(&self) -> PoolId {
        self.shared.pool
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.shared.layout
    }

    /// Locks the segments: not to be held across an await, nor while they are locked again.
    pub(crate) fn segments(&self) -> MutexGuard<'_, Segments> {
        self.shared.segments()
    }

    /// Draws the next sequence (rule I1): mutations on acceptance, fills before their backing read.
    pub(crate) fn draw_sequence(&self) -> Sequence {
        self.shared.draw_sequence()
    }

    /// Returns true once this shard knows that all of the flash failed.
    pub(crate) fn is_failed(&self) -> bool {
        self.failed.get()
    }

    /// Takes a segment for an owner and makes its new generation durable. Never waits for room: see
    /// [`Self::wait_for_room`].
    pub(crate) async fn take_segment(
        &self,
        owner: impl Into<SegmentOwner>,
        purpose: SegmentPurpose,
    ) -> Result<(SegmentNumber, Sequence), NoSegment> {
        if self.is_failed() {
            return Err(NoSegment::Failed);
        }
        let owner = owner.into();
        if owner.disk().is_some_and(|disk| self.segments().is_leaving(disk)) {
            return Err(NoSegment::Leaving);
        }
        let taken = self.segments().take(owner, purpose).ok_or(NoSegment::Exhausted)?;
        // It may have one copy because a device failed. Looked at after it was taken: that may have been on another thread.
        if self.record_out().await.is_err() {
            self.segments().give_up(taken.0);
            return Err(NoSegment::Failed);
        }
        // Crash here: the table still names the segment's earlier generation or none, and nothing was written to it.
        if self.persist_table().await.is_err() {
            // Nothing will be written to it. Its owner holds it, except for notes, of which only the written ones count.
            match owner {
                SegmentOwner::Disk(_) => self.seal_segment(taken.0),
                SegmentOwner::Notes | SegmentOwner::Invalid => self.segments().give_up(taken.0),
            }
            return Err(NoSegment::Failed);
        }
        Ok(taken)
    }

    /// Asks reclaim for room and waits until a segment was freed, the flash failed or a disk leaves; then the caller tries again. Must be
    /// awaited at once after [`Self::take_segment`] found nothing left, and without holding anything that reclaim needs to make that room.
    pub(crate) async fn wait_for_room(&self, disk: DiskId) {
        let room_made = self.shared.reclaim.join(disk);
        // Joined first: a failure that is not seen here is announced to all tasks that have joined.
        if self.notice_failure() {
            return;
        }
        self.slot.wake();
        room_made.await;
    }

    /// Asks reclaim for room, and does not wait for it.
    pub(crate) fn ask_for_room(&self, disk: DiskId) {
        drop(self.shared.reclaim.join(disk));
        self.slot.wake();
    }

    /// Wakes the reclaimers of all shards to check for work.
    pub(crate) fn wake_all(&self) {
        self.shared.reclaim.wake_all();
    }

    /// Returns true if there may be less room than reclaim needs, because a device takes it along or took it.
    pub(crate) fn lacks_room(&self) -> bool {
        !self.shared.all_leaving().is_empty()
            || self.shared.shrink().is_some()
            || self.segments().is_exhausted()
    }

    /// Wakes the tasks that wait for a segment.
    pub(crate) fn announce_room(&self) {
        self.shared.reclaim.announce();
    }

    /// Closes a segment; tasks that wait for something to reclaim may have it now.
    pub(crate) fn seal_segment(&self, segment: SegmentNumber) {
        self.segments().seal(segment);
        self.slot.wake();
    }

    /// Frees a segment once no reader uses it. Nothing must point to it any more.
    pub(crate) async fn free_segment(&self, segment: SegmentNumber) {
        loop {
            let reader_done = self.reader_done.notified();
            if !self.pins.borrow().has(segment) {
                break;
            }
            reader_done.await;
        }
        self.segments().free(segment);
        self.note_freed();
    }

    /// Wakes the tasks that wait for free segments: for one to take, or for all of a device.
    pub(super) fn note_freed(&self) {
        self.announce_room();
        self.shared.shrink_eased.notify_one();
        if !self.shared.all_leaving().is_empty() {
            self.slot.wake();
        }
    }

    /// Lets a disk's waits end, because it leaves.
    pub(crate) fn start_leaving(&self, disk: DiskId) {
        self.segments().start_leaving(disk);
        self.announce_room();
    }

    /// Returns the place of a page, if its device has not failed.
    pub(super) fn place(&self, first: FlashPage) -> Result<DeviceLocation<E::Flash>, BlockError> {
        self.ensure_alive()?;
        let place = self.flash.borrow().place(first).ok_or_else(missing)?;
        if self.shared.leaving(place.member) == Some(LeaveReason::Failed) {
            return Err(Self::gone());
        }
        Ok(place)
    }

    /// Runs something on this shard's handle of a device; none if it has none.
    pub(crate) fn on_device<T>(&self, number: MemberNumber, run: impl FnOnce(&E::Flash) -> T) -> Option<T> {
        let device = self.flash.borrow().device(number).map(Rc::clone)?;
        Some(run(device.device()))
    }

    /// Writes the same place of each device that has not failed, durably: for structures that all of them have a copy of. A device that
    /// fails is struck off.
    ///
    /// # Errors
    /// If no device is left.
    pub(super) async fn write_everywhere(
        &self,
        members: &Members,
        offset: u64,
        content: impl Fn(MemberNumber) -> Buffer,
    ) -> Result<(), BlockError> {
        self.ensure_alive()?;
        let is_live = |member: &Member| {
            members.get(member.number).is_some()
                && self.shared.leaving(member.number) != Some(LeaveReason::Failed)
        };
        let devices = self.flash.borrow().clone();
        let writes = devices.devices().filter(|(member, _)| is_live(member)).map(async |(member, device)| {
            let content = content(member.number);
            let written = self.write_with_patience(member.number, &**device, offset, content).await.1;
            let durable = match written {
                Ok(()) => device.flush().await,
                failed => failed,
            };
            self.judge(member.number, durable)
        });
        let some = join_all(writes).await.iter().any(Result::is_ok);
        if some { self.ensure_alive() } else { Err(Self::gone()) }
    }

    /// As [`Self::pin`], for a whole segment.
    pub(crate) fn pin_segment(&self, segment: SegmentNumber) -> Pin<'_, E> {
        self.pins.borrow_mut().add(segment);
        Pin { pool: self, segment }
    }

    /// Returns true if a segment is held by a pin.
    pub(crate) fn is_pinned(&self, segment: SegmentNumber) -> bool {
        self.pins.borrow().has(segment)
    }

    /// Keeps the segment of a page from being used again until the pin is dropped. To be taken in the same step, without an await, in which
    /// the caller decides to read the page.
    pub(crate) fn pin(&self, page: FlashPage) -> Pin<'_, E> {
        self.pin_segment(self.layout().segment_of(page))
    }

    /// Reads pages that lie next to each other, all within one segment, which the caller holds with a pin or by
    /// reclaiming it.
    pub(crate) async fn read(&self, first: FlashPage, buffer: Buffer) -> (Buffer, Result<(), BlockError>) {
        let (buffer, result) = self.read_copy(first, buffer).await;
        // A hit takes no lock that shards share.
        let second = if result.is_err() { self.second_copy(first) } else { None };
        let Some(second) = second else { return (buffer, result) };
        let _pin = self.pin(second);
        self.read_copy(second, buffer).await
    }

    /// Reads from just this place.
    pub(crate) async fn read_copy(
        &self,
        first: FlashPage,
        buffer: Buffer,
    ) -> (Buffer, Result<(), BlockError>) {
        let place = match self.place(first) {
            Ok(place) => place,
            Err(error) => return (buffer, Err(error)),
        };
        let (buffer, result) = place.device.read(place.offset, buffer).await;
        if let Err(error) = &result
            && error.kind == ErrorKind::Gone
        {
            self.fail(place.member, error);
        }
        (buffer, result)
    }

    /// Returns a reader of segments.
    pub(crate) fn reader(&self) -> Reader<E::Flash> {
        Reader { flash: self.flash.borrow().clone(), layout: *self.layout(), pool: self.id() }
    }

    /// Returns the content of a closed segment from its summary, if it has one of its present generation.
    pub(crate) async fn read_summary(&self, segment: SegmentNumber) -> Option<Content> {
        self.ensure_alive().ok()?;
        let wanted = SegmentGeneration::of(&self.segments(), segment)?;
        self.reader().summary(wanted).await.ok()
    }

    /// Returns the segments of a disk, for reading their content, newest first.
    pub(crate) fn all_wanted(&self, owner: DiskId) -> Vec<SegmentGeneration> {
        SegmentGeneration::all_of(&self.segments(), owner)
    }

    /// Makes durable that segments were disowned, and gives them back. Nothing must point to them. All at once: a crash
    /// leaves all of it or nothing, and never an older version of a page without the newer one.
    pub(crate) async fn free_disowned(&self, disowned: Vec<SegmentNumber>) -> Result<(), BlockError> {
        let durable = self.persist_table().await;
        for segment in disowned {
            self.free_segment(segment).await;
        }
        self.shared.discarding.want();
        durable
    }

    /// Writes the segment table so that it covers every change made before this call. Concurrent changes share a write.
    pub(crate) async fn persist_table(&self) -> Result<(), BlockError> {
        let table = &self.shared.table;
        let change = table.changes.fetch_add(1, Ordering::SeqCst) + 1;
        let mut written = table.written.lock().await;
        if written.changes >= change {
            return Ok(());
        }
        let covers = table.changes.load(Ordering::SeqCst);
        let turn = written.turn + 1;
        // Copied first, so that no task waits for the lock during the encoding.
        let (mut lives, newest) = {
            let mut segments = self.segments();
            segments.start_recording();
            (segments.lives().collect::<Vec<TableEntry>>(), segments.generation())
        };
        table::keep_newest(&mut lives, newest);
        let bytes = table::encode(self.id(), turn, &lives);
        // Power lost during the write: the other slot, one turn older, is whole, and no batch relies on this turn yet.
        // If only some devices have it, the newest one counts.
        let members = self.shared.superblock().members;
        self.write_everywhere(&members, self.layout().table_slot(turn), |_| Buffer::copy_of(&bytes)).await?;
        *written = TableState { turn, changes: covers };
        self.segments().recorded();
        Ok(())
    }

    fn ensure_alive(&self) -> Result<(), BlockError> {
        if self.shared.is_failed() {
            self.failed.set(true);
            return Err(Self::gone());
        }
        Ok(())
    }

    /// Returns the error for a flash that failed.
    pub(crate) fn gone() -> BlockError {
        let error = BlockError::anywhere(ErrorKind::Gone, block::Operation::Write);
        error.because("the flash failed earlier")
    }

    pub(super) fn judge(
        &self,
        member: MemberNumber,
        result: Result<(), BlockError>,
    ) -> Result<(), BlockError> {
        if let Err(error) = &result {
            self.fail(member, error);
        }
        result
    }

    /// Takes all of the flash for failed.
    pub(crate) fn give_up(&self) {
        self.fail_all(&Self::gone());
    }

    /// Takes a device for failed.
    pub(crate) fn fail(&self, member: MemberNumber, error: &BlockError) {
        match self.shared.let_leave(member, LeaveReason::Failed) {
            RemainingDevices::KnownBefore => {}
            RemainingDevices::Others => {
                tracing::error!(%error, pool = %self.id(), device = %member, "A device of the pool failed and leaves it");
                self.segments().stop_using(member);
                self.announce_room();
                self.shared.reclaim.wake_all();
            }
            RemainingDevices::Nothing => self.fail_all(error),
        }
    }

    /// As [`Self::pin`], for as long as the returned pin lives.
    pub(crate) fn pin_owned(self: &Rc<Self>, page: FlashPage) -> OwnedPin<E> {
        let segment = self.layout().segment_of(page);
        self.pins.borrow_mut().add(segment);
        OwnedPin { pool: Rc::clone(self), segment }
    }

    fn unpin(&self, segment: SegmentNumber) {
        if self.pins.borrow_mut().remove(segment) {
            self.reader_done.notify_waiters();
        }
    }

    fn fail_all(&self, error: &BlockError) {
        if self.shared.fail() {
            tracing::error!(%error, pool = %self.id(), "The flash failed; disks go on without it. Replace it and restart");
        }
        self.failed.set(true);
        self.announce_room();
        self.shared.reclaim.wake_all();
    }

    /// Observes a failure that another shard found.
    pub(crate) fn notice_failure(&self) -> bool {
        self.failed.set(self.shared.is_failed());
        self.is_failed()
    }
}

/// Keeps a segment from being used again while it is read, also if the reader is cancelled (rule I7).
pub(crate) struct Pin<'a, E: Env> {
    pool: &'a Pool<E>,
    segment: SegmentNumber,
}

impl<E: Env> Drop for Pin<'_, E> {
    fn drop(&mut self) {
        self.pool.unpin(self.segment);
    }
}

/// As [`Pin`], for who keeps it longer than a read.
pub(crate) struct OwnedPin<E: Env> {
    pool: Rc<Pool<E>>,
    segment: SegmentNumber,
}

impl<E: Env> Drop for OwnedPin<E> {
    fn drop(&mut self) {
        self.pool.unpin(self.segment);
    }
}
