//! Parker: lets another thread end a shard's wait, at no cost while the shard runs.
//!
//! ```text
//!   RUNNING ──prepare──> SLEEPING ──unpark (writes the eventfd)──> NOTIFIED
//!      └────────────────unpark (no system call)──────────────────────^
//!   clear: back to RUNNING
//! ```
//! An unpark between `clear` and `prepare` is never lost: `prepare` finds `NOTIFIED` and the shard does not sleep.
//! One before `clear` is over with it, for the executor checks its queues after each `poll`, which clears. What a
//! thread stored before `unpark` is therefore seen by the shard after `clear`, or the shard does not sleep.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicU8, Ordering};

use nix::sys::eventfd::{EfdFlags, EventFd};

use crate::executor::Unpark;

const RUNNING: u8 = 0;
const SLEEPING: u8 = 1;
const NOTIFIED: u8 = 2;

pub(super) struct Parker {
    state: AtomicU8,
    /// Blocking on purpose: the ring's read of it then waits inside the kernel instead of failing at once.
    event: File,
}

impl Parker {
    pub(super) fn new() -> io::Result<Self> {
        let event = EventFd::from_flags(EfdFlags::EFD_CLOEXEC)?;
        Ok(Self { state: AtomicU8::new(RUNNING), event: File::from(OwnedFd::from(event)) })
    }

    /// Forgets unparks so far. Acquires everything that their threads stored before them.
    pub(super) fn clear(&self) {
        self.state.swap(RUNNING, Ordering::AcqRel);
    }

    /// Announces that the shard is about to sleep. Returns false if it must not, because of an unpark since `clear`.
    pub(super) fn prepare(&self) -> bool {
        self.state.compare_exchange(RUNNING, SLEEPING, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}

impl Unpark for Parker {
    fn unpark(&self) {
        if self.state.swap(NOTIFIED, Ordering::AcqRel) == SLEEPING {
            // One write per sleep, and the ring reads each: the counter stays far below the value that would block.
            (&self.event).write_all(&1u64.to_ne_bytes()).expect("an eventfd that we own takes eight bytes");
        }
    }
}

impl AsRawFd for Parker {
    fn as_raw_fd(&self) -> RawFd {
        self.event.as_raw_fd()
    }
}
