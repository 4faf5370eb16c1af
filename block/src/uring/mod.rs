//! The ring: how a shard talks to the kernel, and the [`Driver`] of its executor.
//!
//! ```text
//!   operation ──entry──> backlog ──> submission queue ──┐ one system call for
//!       ^                                               │ submitting and waiting
//!       └──result── slots <── completion queue <────────┘
//! ```
//! What the kernel uses while an operation runs (buffers, message headers, open files) is owned by the operation's
//! future, and by the ring as soon as that future is dropped early: memory is never freed under the kernel. Dropping
//! the last clone of a ring cancels what can be cancelled and waits for everything else.
//!
//! The ring never retries, never interprets a result, and is used by one thread only.

mod operation;
mod park;
#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;
use std::os::fd::AsRawFd;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use io_uring::{IoUring, opcode, squeue, types};
use slab::Slab;

pub(crate) use operation::{Ended, IfDropped, Keep};

use crate::executor::{Driver, Unpark};
use operation::Slot;
use park::Parker;

/// Completions that the kernel can hold per submission entry. More than that in flight is fine: the kernel keeps the
/// surplus in a list of its own, which costs it an allocation each.
const COMPLETIONS_PER_ENTRY: u32 = 8;
/// The largest depth that [`Ring::new`] takes: a tenth of what the kernel allows, far above what pays.
const DEPTH_MAX: u32 = 4096;

/// So many queued entries go to the kernel at once if some are for a disk. Measured at depth 32: batches of everything
/// that completed together left the device idle in between, with about 15 % fewer reads a second than batches of four.
const DISK_BATCH: usize = 4;

/// Marks the completion of the read that [`Parker`] uses to end a wait.
const WAKE_TAG: u64 = u64::MAX;
/// Marks completions that nobody waits for: those of cancellations.
const CANCEL_TAG: u64 = u64::MAX - 1;

/// A ring of the kernel's `io_uring`. Clones are the same ring.
#[derive(Clone)]
pub struct Ring {
    shared: Rc<Shared>,
}

struct Shared {
    uring: RefCell<IoUring>,
    slots: RefCell<Slab<Slot>>,
    /// Entries that found the submission queue full, oldest first. Bounded by the operations in flight.
    backlog: RefCell<VecDeque<squeue::Entry>>,
    /// Tells the operations that used one slot after the other apart.
    operations_made: Cell<u32>,
    /// True if a `poll` has left queued entries to the `wait` that mostly follows it.
    held_back: Cell<bool>,
    parker: Arc<Parker>,
    /// Where the kernel stores what it reads from the parker; written by it while `wake_armed`.
    wake_count: Box<Cell<u64>>,
    wake_armed: Cell<bool>,
    started: Instant,
}

/// How long an entry into the kernel waits for a completion.
#[derive(Clone, Copy)]
enum Wait {
    No,
    AtMost(Duration),
    Forever,
}

impl Ring {
    /// A ring whose submission queue has `depth` entries (1 to 4096). More operations than that may be in flight.
    ///
    /// # Errors
    /// Whatever the kernel said, with what an administrator can do about it.
    pub fn new(depth: u32) -> io::Result<Self> {
        assert!((1..=DEPTH_MAX).contains(&depth), "a ring of {depth} entries");
        let uring = set_up(depth).map_err(|error| explain(&error))?;
        let features = uring.params();
        // Without the first, more completions than fit would be lost; without the second, a wait has no end.
        if !features.is_feature_nodrop() || !features.is_feature_ext_arg() {
            return Err(explain(&io::Error::from_raw_os_error(libc::ENOSYS)));
        }
        let shared = Shared {
            uring: RefCell::new(uring),
            slots: RefCell::new(Slab::with_capacity(depth as usize)),
            backlog: RefCell::new(VecDeque::new()),
            operations_made: Cell::new(0),
            held_back: Cell::new(false),
            parker: Arc::new(Parker::new()?),
            wake_count: Box::new(Cell::new(0)),
            wake_armed: Cell::new(false),
            started: Instant::now(),
        };
        Ok(Self { shared: Rc::new(shared) })
    }

    /// Hands what is queued to the kernel if it is enough to keep a disk busy while the next requests are prepared.
    pub(crate) fn feed_disk(&self) {
        let queued = self.shared.uring.borrow_mut().submission().len();
        if queued >= DISK_BATCH {
            self.shared.held_back.set(false);
            self.shared.enter(Wait::No);
        }
    }

    /// Hands what is queued to the kernel now, which costs a system call: for what somebody waits for while this thread goes on.
    pub fn submit(&self) {
        let (queued, _) = self.shared.pressure();
        if queued {
            self.shared.held_back.set(false);
            self.shared.enter(Wait::No);
        }
    }

    /// Operations that the kernel has not finished, those of dropped futures included.
    pub fn in_flight(&self) -> usize {
        self.shared.slots.borrow().iter().filter(|(_, slot)| slot.is_in_flight()).count()
    }
}

impl Driver for Ring {
    fn now(&self) -> u64 {
        // Five centuries of nanoseconds fit.
        self.shared.started.elapsed().as_nanos() as u64
    }

    /// Takes what completed. Queued entries are submitted by every second call only, because a `wait` mostly comes
    /// first and submits them in its own system call; a busy shard delays them by one round of tasks.
    fn poll(&self) {
        let shared = &*self.shared;
        shared.parker.clear();
        let (queued, kernel_asks) = shared.pressure();
        let submit = queued && shared.held_back.replace(queued) || kernel_asks;
        if submit {
            shared.held_back.set(false);
            shared.enter(Wait::No);
        }
        shared.reap();
    }

    fn wait(&self, deadline: Option<u64>) -> bool {
        let shared = &*self.shared;
        if shared.reap() > 0 {
            return true;
        }
        shared.held_back.set(false);
        shared.arm_wake();
        let wait = match deadline.map(|deadline| deadline.saturating_sub(self.now())) {
            Some(0) => Wait::No,
            Some(left) => Wait::AtMost(Duration::from_nanos(left)),
            None => Wait::Forever,
        };
        shared.enter(if shared.parker.prepare() { wait } else { Wait::No });
        shared.parker.clear();
        shared.reap();
        true
    }

    fn unparker(&self) -> Arc<dyn Unpark> {
        Arc::clone(&self.shared.parker) as Arc<dyn Unpark>
    }
}

impl Shared {
    /// Queues an entry; the next `poll` or `wait` hands it to the kernel.
    fn push(&self, entry: squeue::Entry) {
        let mut backlog = self.backlog.borrow_mut();
        let mut uring = self.uring.borrow_mut();
        // SAFETY: whoever makes an entry vouches for what it points to until it completes: `Keep` for operations,
        // `wake_count` for the parker; cancellations point to nothing.
        if !backlog.is_empty() || unsafe { uring.submission().push(&entry) }.is_err() {
            backlog.push_back(entry);
        }
    }

    /// Whether entries are queued, and whether the kernel asks to be entered (it has completions to post).
    fn pressure(&self) -> (bool, bool) {
        let mut uring = self.uring.borrow_mut();
        let submission = uring.submission();
        (!submission.is_empty(), submission.taskrun() || submission.cq_overflow())
    }

    /// Submits everything that is queued, then waits for a completion as told.
    fn enter(&self, wait: Wait) {
        while self.fill_submission_queue() {
            if !self.enter_once(Wait::No) {
                // The kernel is short of something; what is left stays queued for the next call.
                return;
            }
        }
        self.enter_once(wait);
    }

    /// Moves backlog to the submission queue. True if some is left.
    fn fill_submission_queue(&self) -> bool {
        let mut backlog = self.backlog.borrow_mut();
        if backlog.is_empty() {
            return false;
        }
        let mut uring = self.uring.borrow_mut();
        let mut submission = uring.submission();
        while let Some(entry) = backlog.front() {
            // SAFETY: as in `push`.
            if unsafe { submission.push(entry) }.is_err() {
                return true;
            }
            backlog.pop_front();
        }
        false
    }

    /// One system call. False if the kernel took nothing for want of resources.
    fn enter_once(&self, wait: Wait) -> bool {
        let uring = self.uring.borrow();
        let outcome = match wait {
            Wait::No => uring.submit(),
            Wait::Forever => uring.submit_and_wait(1),
            Wait::AtMost(left) => {
                let left = types::Timespec::from(left);
                uring.submitter().submit_with_args(1, &types::SubmitArgs::new().timespec(&left))
            }
        };
        let Err(error) = outcome else { return true };
        match error.raw_os_error() {
            // The time was up, or a signal came; what could be submitted was.
            Some(libc::ETIME | libc::EINTR) => true,
            // Too many completions wait to be taken, or memory is short: both pass.
            Some(libc::EBUSY | libc::EAGAIN) => false,
            _ => panic!("Cannot enter the ring of a shard, which cannot go on without it: {error}"),
        }
    }

    /// Takes every completion there is and wakes who waits for it. Returns how many there were.
    fn reap(&self) -> usize {
        let mut taken = 0;
        loop {
            // The borrow ends before anything is woken or dropped, both of which may come back here.
            let Some((tag, result)) = self.next_completion() else { return taken };
            taken += 1;
            match tag {
                WAKE_TAG => self.wake_armed.set(false),
                CANCEL_TAG => {}
                _ => self.complete(tag, result),
            }
        }
    }

    fn next_completion(&self) -> Option<(u64, i32)> {
        let mut uring = self.uring.borrow_mut();
        uring.completion().next().map(|completion| (completion.user_data(), completion.result()))
    }

    /// Asks the kernel to give up an operation, which then completes early. Nothing happens if it has completed.
    fn cancel(&self, tag: u64) {
        self.push(opcode::AsyncCancel::new(tag).build().user_data(CANCEL_TAG));
    }

    /// Keeps one read of the parker's eventfd in flight, so that a write to it ends a wait.
    fn arm_wake(&self) {
        if self.wake_armed.replace(true) {
            return;
        }
        let fd = types::Fd(self.parker.as_raw_fd());
        let entry = opcode::Read::new(fd, self.wake_count.as_ptr().cast(), size_of::<u64>() as u32).build();
        self.push(entry.user_data(WAKE_TAG));
    }
}

impl Drop for Shared {
    /// Only operations of dropped futures can be left, since live ones hold the ring: waits for each.
    fn drop(&mut self) {
        while self.wake_armed.get() || self.slots.borrow().iter().any(|(_, slot)| slot.is_in_flight()) {
            if self.wake_armed.get() {
                self.cancel(WAKE_TAG);
            }
            // Once more, in case the first cancellation came at a moment at which the kernel could not do it.
            let tags: Vec<u64> =
                self.slots.borrow().iter().filter_map(|(_, slot)| slot.to_cancel()).collect();
            for tag in tags {
                self.cancel(tag);
            }
            self.enter(Wait::Forever);
            self.reap();
        }
    }
}

/// Sets up the fastest kind of ring that this kernel knows. The flags say that one thread submits, and that it takes
/// completions only when it enters the kernel, so that the kernel never interrupts it.
fn set_up(depth: u32) -> io::Result<IoUring> {
    let completions = depth * COMPLETIONS_PER_ENTRY;
    let newest = IoUring::builder()
        .setup_cqsize(completions)
        .setup_single_issuer()
        .setup_defer_taskrun()
        .setup_taskrun_flag()
        .build(depth);
    match newest {
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {
            IoUring::builder().setup_cqsize(completions).build(depth)
        }
        other => other,
    }
}

/// Says what to do about a kernel that gives no ring.
fn explain(error: &io::Error) -> io::Error {
    let advice = match error.raw_os_error() {
        Some(libc::ENOSYS) => "this kernel has no io_uring, or too old a one: run Linux 5.19 or later",
        Some(libc::EPERM | libc::EACCES) => {
            "io_uring is forbidden here: set `sysctl kernel.io_uring_disabled=0`, and in a container allow \
             io_uring_setup, io_uring_enter and io_uring_register in its seccomp profile"
        }
        Some(libc::ENOMEM) => {
            "raise the limit of locked memory (`ulimit -l`, `LimitMEMLOCK=` of the service)"
        }
        Some(libc::EMFILE | libc::ENFILE) => {
            "raise the limit of open files (`ulimit -n`, `LimitNOFILE=` of the service)"
        }
        _ => "check that io_uring works on this host",
    };
    io::Error::new(error.kind(), format!("Cannot set up io_uring: {error}; {advice}"))
}
