//! Storage of the pool that has no room for a write: a file on a full or copy-on-write file system, a thin volume, a quota.
//!
//! ```text
//!   write ── no space ──> the same bytes at the same place, every 500 ms ── taken ──> as if the device had been slow
//!                 after 20 s: guests that wait get an error (write-back), or go on without flash (write-through)
//! ```
//! It is a condition that passes, and no failure of the device: nothing was lost, and nothing is on flash that is not known.
//! The write is repeated and never given up, so whatever counts on the order of writes (rules I4, I6, I7) sees a device that is
//! slow. What was acknowledged stays, and is read, as ever. A failed *flush* is another matter: it is final (rule I5).

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use block::{BlockDevice, BlockError, Buffer, ErrorKind, Host, Outcome};

use super::pool::Pool;
use super::shared::{Leaving, Shared};
use crate::words::limits::{SPACE_DEVICE_WAIT_NS, SPACE_RETRY_NS, SPACE_WAIT_NS};
use crate::words::units::MemberNumber;

/// Whether the pool's storage has room, for all shards.
#[derive(Debug, Default)]
pub(super) struct Space {
    /// Writes that wait for room.
    waiting: AtomicUsize,
    /// One of them has waited for longer than guests do.
    is_overdue: AtomicBool,
    /// Writes wait at all: not before a start has come to its end, which can go on without the pool.
    waits: AtomicBool,
}

impl Space {
    /// Has writes wait for room from now on.
    pub(super) fn begin_to_wait(&self) {
        self.waits.store(true, Ordering::SeqCst);
    }
}

/// A write that waits for room, also if it is dropped.
struct Waiting<'a>(&'a Space);

impl<'a> Waiting<'a> {
    fn enter(space: &'a Space) -> Self {
        space.waiting.fetch_add(1, Ordering::SeqCst);
        Self(space)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if self.0.waiting.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.0.is_overdue.store(false, Ordering::SeqCst);
        }
    }
}

impl Shared {
    /// True while the storage of the pool has no room for a write.
    pub(crate) fn lacks_space(&self) -> bool {
        self.space.waiting.load(Ordering::SeqCst) > 0
    }

    /// True once that has lasted for longer than guests wait.
    pub(crate) fn has_long_lacked_space(&self) -> bool {
        self.space.is_overdue.load(Ordering::SeqCst)
    }
}

impl<F: BlockDevice, H: Host> Pool<F, H> {
    /// Writes to a device, and again for as long as that has no room, unless the pool can do without it.
    pub(super) async fn write_with_patience(
        &self,
        member: MemberNumber,
        device: &impl BlockDevice,
        offset: u64,
        buffer: Buffer,
    ) -> Outcome {
        let (buffer, result) = device.write(offset, buffer).await;
        if !lacks_space(&result) || !self.shared.space.waits.load(Ordering::SeqCst) {
            return (buffer, result);
        }
        // Seldom, and large: not a part of what each write takes.
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
        let _waiting = Waiting::enter(space);
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
                space.is_overdue.store(true, Ordering::SeqCst);
            }
        }
    }

    /// True if other devices have everything of a device that no backing has.
    fn can_do_without(&self, member: MemberNumber) -> bool {
        let members = self.shared.superblock().members;
        let lives = |other: MemberNumber| self.shared.leaving(other) != Some(Leaving::Failed);
        let has_others = members.iter().any(|other| other.number != member && lives(other.number));
        let segments = self.segments();
        let has_second = |disk| segments.is_mirrored(disk) && segments.uncopied(disk) == 0;
        has_others && self.shared.notes.dirty_disks().into_iter().all(has_second)
    }
}

fn lacks_space(result: &Result<(), BlockError>) -> bool {
    result.as_ref().is_err_and(|error| error.kind == ErrorKind::NoSpace)
}
