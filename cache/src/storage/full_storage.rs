//! Storage of the pool that has no room for a write: a file on a full or copy-on-write file system, a thin volume, a quota.
//!
//! ```text
//!   write ── no space ──> the same bytes at the same place, every 500 ms ── taken ──> as if the device had been slow
//!                 after 20 s: guests that wait get an error (write-back), or go on without flash (write-through)
//! ```
//! It is a condition that passes, and no failure of the device: nothing was lost, and all content of flash is known.
//! The write is repeated until it succeeds, so code that relies on the order of writes (rules I4, I6, I7) sees a device that is
//! slow. Acknowledged data stays, and is read, as ever. A failed *flush* is another matter: it is final (rule I5).

use std::pin::pin;
use std::rc::Rc;

use block::{BlockDevice, BlockError, Buffer, ErrorKind, Host, Outcome};
use futures_util::future::{Either, select};

use super::pool::Pool;
use super::shared::LeaveReason;
use crate::format::note::Intent;
use crate::types::env::Env;
use crate::types::limits::{SPACE_DEVICE_WAIT_NS, SPACE_RETRY_NS, SPACE_WAIT_NS};
use crate::types::units::{DiskId, MemberNumber};

impl<E: Env> Pool<E> {
    /// Writes to a device, and again for as long as that has no room, unless the pool can do without it.
    pub(super) async fn write_with_patience(
        &self,
        member: MemberNumber,
        device: &impl BlockDevice,
        offset: u64,
        buffer: Buffer,
    ) -> Outcome {
        let (buffer, result) = device.write(offset, buffer).await;
        if !lacks_space(&result) || !self.shared.space.waits() {
            return (buffer, result);
        }
        // Seldom, and large: not a part of each write's future.
        Box::pin(self.write_again(member, device, offset, buffer)).await
    }

    async fn write_again(
        &self,
        member: MemberNumber,
        device: &impl BlockDevice,
        offset: u64,
        mut buffer: Buffer,
    ) -> Outcome {
        let space = &self.shared.space;
        let _waiting = space.enter();
        let began = self.host.now();
        loop {
            self.host.sleep(SPACE_RETRY_NS).await;
            if self.shared.is_failed() {
                return (buffer, Err(Self::gone()));
            }
            let (back, result) = device.write(offset, buffer).await;
            buffer = back;
            if !lacks_space(&result) {
                return (buffer, result);
            }
            let waited = self.host.now() - began;
            if waited >= SPACE_DEVICE_WAIT_NS && self.can_do_without(member) {
                return (buffer, result);
            }
            if waited >= SPACE_WAIT_NS {
                space.set_overdue();
            }
        }
    }

    /// Opens the intents of regions for a guest's change. Waits for a limited time only if the storage of the pool has no room; the regions
    /// may become open all the same.
    ///
    /// # Errors
    /// `Unanswered` if the storage lacked room for so long.
    pub(crate) async fn open_regions_in_time(
        self: &Rc<Self>,
        disk: DiskId,
        regions: &[u32],
    ) -> Result<(), BlockError> {
        let ours = Rc::clone(self);
        let intents: Vec<_> = regions.iter().copied().map(Intent::Region).collect();
        self.in_time(async move { ours.open_intents(disk, &intents).await }).await
    }

    /// As [`Self::note_dirty`], in the same way.
    ///
    /// # Errors
    /// `Unanswered` if the storage lacked room for so long.
    pub(crate) async fn note_dirty_in_time(self: &Rc<Self>, disk: DiskId) -> Result<(), BlockError> {
        let ours = Rc::clone(self);
        self.in_time(async move { ours.note_dirty(disk).await }).await
    }

    /// Runs a future to its end, and waits for that unless the storage of the pool lacks room for too long.
    async fn in_time(
        &self,
        work: impl Future<Output = Result<(), BlockError>> + 'static,
    ) -> Result<(), BlockError> {
        let mut done = pin!(self.host.to_its_end(work));
        loop {
            let (limit, step) = (SPACE_WAIT_NS, pin!(self.host.sleep(SPACE_WAIT_NS)));
            match select(done.as_mut(), step).await {
                Either::Left((outcome, _)) => return outcome,
                Either::Right(_) if self.shared.lacks_space() => return Err(out_of_space(limit)),
                Either::Right(_) => {}
            }
        }
    }

    /// Returns true if other devices have everything of a device that no backing has.
    fn can_do_without(&self, member: MemberNumber) -> bool {
        let members = self.shared.superblock().members;
        let lives = |other: MemberNumber| self.shared.leaving(other) != Some(LeaveReason::Failed);
        let has_others = members.iter().any(|other| other.number != member && lives(other.number));
        let segments = self.segments();
        let has_second = |disk| segments.is_mirrored(disk) && segments.uncopied(disk) == 0;
        has_others && self.shared.notes.dirty_disks().into_iter().all(has_second)
    }
}

fn lacks_space(result: &Result<(), BlockError>) -> bool {
    result.as_ref().is_err_and(|error| error.kind == ErrorKind::NoSpace)
}

/// Returns the error for a guest's change that waited for room on the storage of the pool: it may still be done later.
pub(crate) fn out_of_space(waited_ns: u64) -> BlockError {
    let seconds = waited_ns / 1_000_000_000;
    BlockError::anywhere(ErrorKind::Unanswered, block::Operation::Write)
        .because(format!("the storage of the pool has had no room for {seconds} s: make room there"))
}
