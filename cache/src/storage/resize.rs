//! Resizing a device of a pool while it is in use (rule I13).
//!
//! ```text
//!   grow:    superblocks with the new size, twice ── every shard knows it ── the new segments are free
//!   shrink:  nothing new goes behind the end ── what is there moves (ops/vacate.rs), or goes with reclaim ── none is left
//!            ── both slots of the table record that ── superblocks with the new size, twice ── the caller may cut the device
//! ```
//! Twice, so that neither slot of any superblock has the old size when this returns: a start that finds the newer one damaged
//! uses the other. Power may go at each step: the pool has its old size or its new one, and nothing that counts is on flash where only
//! the larger of them reaches. A start does not continue a shrink.

use std::cell::Cell;
use std::pin::pin;
use std::rc::Rc;

use block::{BlockError, Host};
use futures_util::future::select;

use super::copies::Gaps;
use super::pool::Pool;
use super::reading::{SegmentGeneration, Unreadable};
use super::shared::{LeaveReason, Shrink};
use crate::format::members::{Member, Members};
use crate::format::superblock::Superblock;
use crate::types::env::Env;
use crate::types::error::CacheError;
use crate::types::limits::MEMBER_SEGMENTS_MIN;
use crate::types::units::{MemberNumber, SegmentNumber, SegmentOwner, Sequence};

/// A segment that is copied to another place.
#[derive(Clone, Copy)]
pub(crate) struct SegmentMove {
    pub(crate) from: SegmentNumber,
    pub(crate) life: (SegmentOwner, Sequence),
    pub(crate) to: SegmentNumber,
}

impl<E: Env> Pool<E> {
    /// Returns the most bytes that the pool can use of a device, however large that is.
    ///
    /// # Errors
    /// `Settings` if there is no such device.
    pub(crate) fn largest_bytes(&self, number: MemberNumber) -> Result<u64, CacheError> {
        let member = self.member(number)?;
        let room = self.taken(&self.shared.superblock())?.room(self.layout().segments_max());
        Ok(self.layout().bytes_for(member.segments() + room + 1) - 1)
    }

    /// Makes a larger size of a device durable, in bytes: no smaller than before, and its handles reach that far. Its new segments are not
    /// used before every shard has called [`Self::know_sizes`], and one of them [`Self::use_grown`].
    ///
    /// # Errors
    /// `Settings` if there is no such device, or no room in the segment table; `FlashFailed` or `Flash`.
    pub(crate) async fn grow_device(
        &self,
        number: MemberNumber,
        device_bytes: u64,
    ) -> Result<(), CacheError> {
        let _membership = self.shared.membership.lock().await;
        let member = self.resizable(number)?;
        let before = self.shared.superblock();
        let layout = self.layout();
        let more = layout.segments_on(device_bytes).saturating_sub(member.segments());
        let taken = self.taken(&before)?;
        let grown = taken.grown(number, more, layout.segments_max()).ok_or_else(|| {
            let room = taken.room(layout.segments_max());
            let most = layout.bytes_for(member.segments() + room.min(more));
            CacheError::Settings(if room < more {
                format!(
                    "The pool's segment table has room for {most} bytes of the device at most, and not for {device_bytes}: give \
                     less, or make a new pool with a larger device as its first"
                )
            } else {
                format!(
                    "Device {number} was made larger so often that its segments lie in too many parts of the segment table: remove \
                     it from the pool and add it again"
                )
            })
        })?;
        let member = grown.with_bytes(device_bytes);
        if member == self.member(number)? {
            return Ok(());
        }
        self.change_members(&before.members.changed(member)).await
    }

    /// Updates the sizes of devices, on this shard.
    pub(crate) fn know_sizes(&self) {
        self.flash.borrow_mut().know_sizes(&self.shared.superblock().members);
    }

    /// Starts to put content on the segments that a device has more than before.
    ///
    /// # Errors
    /// `Settings` if there is no such device.
    pub(crate) fn use_grown(&self, number: MemberNumber) -> Result<(), CacheError> {
        let member = self.member(number)?;
        self.segments().grow_device(member);
        self.announce_room();
        self.shared.discarding.want();
        self.shared.reclaim.wake_all();
        Ok(())
    }

    /// Returns a device whose size can change now.
    fn resizable(&self, number: MemberNumber) -> Result<Member, CacheError> {
        if self.is_failed() {
            return Err(CacheError::FlashFailed);
        }
        let member = self.member(number)?;
        if self.shared.leaving(number).is_some() {
            return Err(CacheError::Settings(format!(
                "Device {number} is leaving the pool, so its size cannot change"
            )));
        }
        if let Some(shrink) = self.shared.shrink() {
            return Err(CacheError::Settings(format!(
                "Device {} is being made smaller: wait until that is over, or cancel it",
                shrink.member
            )));
        }
        Ok(member)
    }

    /// Makes durable that the pool has these devices, in both slots of every superblock.
    async fn change_members(&self, members: &Members) -> Result<(), CacheError> {
        let before = self.shared.superblock();
        let next = Superblock { epoch: before.epoch + 1, members: *members, ..before };
        // Set before it is written: should this be dropped halfway, later writes list the same.
        self.shared.set_superblock(&next);
        for turn in 1..=2 {
            self.write_superblock(&Superblock { turn: before.turn + turn, ..next }).await?;
        }
        self.know_sizes();
        self.see_sizes();
        Ok(())
    }

    /// Returns the fewest bytes that a device can have, as the pool stands now.
    ///
    /// # Errors
    /// `Settings` if there is no such device, or if it cannot lose anything.
    pub(crate) fn smallest_bytes(&self, number: MemberNumber) -> Result<u64, CacheError> {
        let member = self.member(number)?;
        let needed = self.segments().needed_on(number);
        let least = needed.map_or(member.segments(), |needed| needed.least);
        Ok(self.layout().bytes_for(least))
    }

    /// Stops taking segments of a device behind its new end. Dropping the returned guard goes on with all of them.
    ///
    /// # Errors
    /// `Settings` if there is no such device, if another one is being made smaller, or if the pool needs more; then nothing has changed.
    pub(crate) fn begin_shrink(
        self: &Rc<Self>,
        number: MemberNumber,
        device_bytes: u64,
    ) -> Result<DeviceShrink<E>, CacheError> {
        let member = self.resizable(number)?;
        let layout = self.layout();
        layout.check_device(device_bytes, MEMBER_SEGMENTS_MIN)?;
        let segments = layout.segments_on(device_bytes).min(member.segments());
        let mut locked = self.segments();
        let needed = locked.needed_on(number);
        let least = needed.map_or(member.segments(), |needed| needed.least);
        if segments < least {
            let kept = needed.map_or(0, |needed| u64::from(needed.kept) * layout.segment_bytes());
            return Err(CacheError::Settings(format!(
                "The pool can do with {} bytes of device {number} at least, not with {device_bytes}: {kept} bytes are reserved for \
                 disks or hold what their backings do not have, and reclaim and second copies need their room. Destage, or lower \
                 reservations first",
                layout.bytes_for(least)
            )));
        }
        let shrink = Shrink { member: number, device_bytes, segments, stopped: None, is_settled: false };
        if !self.shared.begin_shrink(shrink) {
            return Err(CacheError::Settings("Another device is being made smaller".to_owned()));
        }
        locked.begin_shrink(number, segments);
        drop(locked);
        self.shared.reclaim.wake_all();
        let after = member.shrunk(segments, device_bytes);
        Ok(DeviceShrink { pool: Rc::clone(self), before: member, after, is_listed: Cell::new(false) })
    }

    /// Copies a closed segment to a free place, durably. The caller holds it with a pin, and completes the move.
    ///
    /// # Errors
    /// The reason if it could not be copied.
    pub(crate) async fn copy_to_move(&self, moving: SegmentMove) -> Result<u64, BlockError> {
        let SegmentMove { from, life, to } = moving;
        let copied = self.copy_segment(from, to, Gaps::AreAwaited).await?;
        // A page that rotted on its way is no copy; one that had rotted before is unchanged.
        let of = |segment| SegmentGeneration { segment, second: None, owner: life.0, generation: life.1 };
        let (copy, before) =
            (self.reader().contained(of(to), None).await, self.reader().contained(of(from), None).await);
        match (copy, before) {
            (Err(Unreadable::Device), _) | (Err(_), Ok(_)) => Err(unlike(from)),
            _ => Ok(copied.bytes),
        }
    }
}

fn unlike(from: SegmentNumber) -> BlockError {
    BlockError::anywhere(block::ErrorKind::Io, block::Operation::Read)
        .because(format!("the copy of segment {} is not as it was", from.0))
}

/// A device that is being made smaller, as long as this lives.
pub(crate) struct DeviceShrink<E: Env> {
    pool: Rc<Pool<E>>,
    /// The device as it was.
    before: Member,
    /// The device as it is to be.
    after: Member,
    /// Set once the pool lists it as it is to be.
    is_listed: Cell<bool>,
}

impl<E: Env> DeviceShrink<E> {
    /// Returns why the device keeps its size, if it does.
    pub(crate) fn stopped(&self) -> Option<String> {
        let shared = &self.pool.shared;
        // Segments lost with another device may have to be where this one is to end.
        let has_failed = |device: &MemberNumber| shared.leaving(*device) == Some(LeaveReason::Failed);
        if self.pool.notice_failure() || shared.all_leaving().iter().any(has_failed) {
            return Some("a device of the pool failed, and what it had comes first".to_owned());
        }
        shared.shrink().and_then(|shrink| shrink.stopped)
    }

    /// Returns the segments behind the end that are in use.
    pub(crate) fn left(&self) -> u32 {
        self.pool.segments().space().not_retired(self.after.number)
    }

    /// Waits until segments became free, for at most `nanos` nanoseconds.
    pub(crate) async fn eased_within(&self, nanos: u64) {
        let eased = pin!(self.pool.shared.shrink_eased.notified());
        select(eased, pin!(self.pool.host.sleep(nanos))).await;
    }

    /// Makes durable that the device is smaller, if nothing is left behind its end. Returns false if something is.
    ///
    /// # Errors
    /// `Flash`.
    pub(crate) async fn finish(&self) -> Result<bool, CacheError> {
        let pool = &self.pool;
        let _membership = pool.shared.membership.lock().await;
        if self.stopped().is_some() {
            return Ok(false);
        }
        {
            let mut segments = pool.segments();
            let is_over = segments.space().not_retired(self.after.number) == 0;
            if !is_over || !pool.shared.settle_shrink() {
                return Ok(false);
            }
            // From here on none of them can be taken, not even in need.
            segments.end_shrink(self.after);
        }
        // A start may use either slot.
        for _ in 0..2 {
            pool.persist_table().await?;
        }
        // Later writes list it with its new size, even if this fails.
        self.is_listed.set(true);
        pool.change_members(&pool.shared.superblock().members.changed(self.after)).await?;
        Ok(true)
    }
}

impl<E: Env> Drop for DeviceShrink<E> {
    fn drop(&mut self) {
        let shared = &self.pool.shared;
        if !self.is_listed.get()
            && let Some(mut segments) = shared.segments_if_whole()
        {
            segments.cancel_shrink(self.before);
        }
        shared.forget_shrink();
        self.pool.announce_room();
        shared.reclaim.wake_all();
    }
}
