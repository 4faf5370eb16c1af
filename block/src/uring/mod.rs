//! The ring: how a shard talks to the kernel, and the [`Driver`] of its executor.
//!
//! ```text
//!   operation ──entry──> backlog ──> submission queue ──┐ one system call for
//!       ^                                               │ submitting and waiting
//!       └──result── slots <── completion queue <────────┘
//! ```
//! Memory and files that the kernel uses while an operation runs (buffers, message headers, open files) are owned by the operation's
//! future, and by the ring as soon as that future is dropped early: memory is never freed under the kernel. Dropping
//! the last clone of a ring cancels all operations that can be and waits for the others, but for commands that only another party
//! can end, whose memory stays.
//!
//! The ring never retries, never interprets a result, and is used by one thread only.

mod cqe_skip;
mod operation;
mod park;
mod populate;
#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use io_uring::{IoUring, cqueue, opcode, squeue, types};
use nix::time::{ClockId, clock_gettime};
use slab::Slab;

pub(crate) use cqe_skip::CqeSkip;
pub(crate) use operation::{IfDropped, Keep, RepeatOutcome, Repeating, Running, StopOutcome};

use crate::Part;
use crate::executor::{Driver, Unpark};
use operation::Slot;
use park::Parker;

/// Completions that the kernel can hold per submission entry. More than that in flight is fine: the kernel keeps the
/// surplus in a list of its own, which costs it an allocation each.
const COMPLETIONS_PER_ENTRY: u32 = 8;
/// The largest depth that [`Ring::new`] takes: a tenth of the kernel's limit, far above what pays.
const DEPTH_MAX: u32 = 4096;

/// Number of queued entries that go to the kernel at once if some are for a disk. Measured at depth 32: batches of everything that
/// completed together left the device idle in between, with about 15 % fewer reads a second than batches of four.
const DISK_BATCH: usize = 4;

/// Marks the completion of the read that [`Parker`] uses to end a wait.
const WAKE_TAG: u64 = u64::MAX;
/// Marks completions that nothing waits for: those of cancellations.
const CANCEL_TAG: u64 = u64::MAX - 1;
/// Marks the completion of the [`Alarm`].
const ALARM_TAG: u64 = u64::MAX - 2;
/// Marks completions of setting it for an earlier time.
const EARLIER_TAG: u64 = u64::MAX - 3;

/// A ring of the kernel's `io_uring`. Clones are the same ring.
#[derive(Clone)]
pub struct Ring {
    shared: Rc<RingState>,
}

struct RingState {
    uring: RefCell<IoUring>,
    /// The kernel has all features of Linux 6.1 (see [`set_up`]).
    recent: bool,
    slots: RefCell<Slab<Slot>>,
    /// Entries that found the submission queue full, oldest first. Bounded by the operations in flight.
    backlog: RefCell<VecDeque<squeue::Entry>>,
    /// Distinguishes operations that used one slot after the other.
    operations_made: Cell<u32>,
    /// True if a `poll` has left queued entries to the `wait` that mostly follows it.
    held_back: Cell<bool>,
    parker: Arc<Parker>,
    /// Place where the kernel stores what it reads from the parker; written by it while `wake_armed`.
    wake_count: Box<Cell<u64>>,
    wake_armed: Cell<bool>,
    alarm: Alarm,
    /// Files of quiet operations that the kernel may not have taken yet.
    cqe_skip_files: RefCell<Vec<Arc<OwnedFd>>>,
    /// The system's clock when it was made, in nanoseconds.
    started: u64,
    /// Longest time that its thread may poll before it sleeps, in nanoseconds, and the number of polls in vain.
    poll_max: Cell<u64>,
    looks: Cell<u64>,
}

/// The one timer of a ring, which ends a wait. It stays set from one wait to the next: a timer for each would be made and removed each
/// time, with every request of a guest that sends one after the other. So it may go off for an outdated deadline, and is then set again: a
/// wait that ends too early costs a round, and there are few. It uses the time that is left, not the clock, which differs between kernels
/// in a time namespace.
struct Alarm {
    /// Time at which it goes off, by the ring's clock.
    set_for: Cell<Option<u64>>,
    /// The time left until then. Read by the kernel when it takes the entry.
    left: Box<Cell<types::Timespec>>,
    /// False as long as an entry that sets it may be queued: then it goes off later than it is set for, by as long as the kernel is short
    /// of memory.
    is_taken: Cell<bool>,
}

impl Alarm {
    /// Returns true if it goes off at a moment of the ring's clock, or before, with any queued entries.
    fn ends_by(&self, moment: u64) -> bool {
        self.is_taken.get() && self.set_for.get().is_some_and(|set_for| set_for <= moment)
    }
}

/// Wait of an entry into the kernel for a completion.
#[derive(Clone, Copy)]
enum Wait {
    No,
    Yes,
}

impl Ring {
    /// Returns a ring whose submission queue has `depth` entries (1 to 4096). More operations than that may be in flight.
    ///
    /// # Errors
    /// Those of the kernel, with advice for an administrator.
    pub fn new(depth: u32) -> io::Result<Self> {
        assert!((1..=DEPTH_MAX).contains(&depth), "a ring of {depth} entries");
        let SetUp { uring, recent } = set_up(depth).map_err(|error| explain(&error))?;
        let features = uring.params();
        // Without the first, more completions than fit would be lost; the second (Linux 5.11) introduced timers that can be set again.
        if !features.is_feature_nodrop() || !features.is_feature_ext_arg() {
            return Err(explain(&io::Error::from_raw_os_error(libc::ENOSYS)));
        }
        let recent = recent && features.is_feature_skip_cqe_on_success();
        let shared = RingState {
            recent,
            uring: RefCell::new(uring),
            slots: RefCell::new(Slab::with_capacity(depth as usize)),
            backlog: RefCell::new(VecDeque::new()),
            operations_made: Cell::new(0),
            held_back: Cell::new(false),
            parker: Arc::new(Parker::new()?),
            wake_count: Box::new(Cell::new(0)),
            wake_armed: Cell::new(false),
            cqe_skip_files: RefCell::default(),
            started: monotonic_nanos(),
            poll_max: Cell::new(0),
            looks: Cell::new(0),
            alarm: Alarm {
                set_for: Cell::new(None),
                left: Box::new(Cell::new(types::Timespec::new())),
                is_taken: Cell::new(false),
            },
        };
        Ok(Self { shared: Rc::new(shared) })
    }

    /// Hands queued entries to the kernel if they are enough to keep a disk busy while the next requests are prepared.
    pub(crate) fn feed_disk(&self) {
        let queued = self.shared.uring.borrow_mut().submission().len();
        if queued >= DISK_BATCH {
            self.shared.held_back.set(false);
            self.shared.enter(Wait::No);
        }
    }

    /// Hands queued entries to the kernel now, which costs a system call: for results that another party waits for while this thread goes
    /// on.
    pub fn submit(&self) {
        let (queued, _) = self.shared.pressure();
        if queued {
            self.shared.held_back.set(false);
            self.shared.enter(Wait::No);
        }
    }

    /// Lets tasks poll for events that would otherwise have to wake this thread, for at most `nanos` nanoseconds at a time; 0, the default,
    /// for not at all.
    pub fn set_poll_max(&self, nanos: u64) {
        self.shared.poll_max.set(nanos);
    }

    /// Returns for how many nanoseconds a task may poll instead of sleeping.
    pub fn poll_max(&self) -> u64 {
        self.shared.poll_max.get()
    }

    /// Records that the running task was woken, polled in vain, and does nothing else this time: that is no work.
    pub fn note_look(&self) {
        self.shared.looks.set(self.shared.looks.get() + 1);
    }

    /// Returns true if the kernel is Linux 6.1 or later, by its features.
    pub(crate) fn is_recent(&self) -> bool {
        self.shared.recent
    }

    /// Operations that the kernel has not finished, those of dropped futures included.
    pub fn in_flight(&self) -> usize {
        self.shared.slots.borrow().iter().filter(|(_, slot)| slot.is_in_flight()).count()
    }

    /// Waits until the kernel has finished all operations.
    #[cfg(test)]
    pub(crate) fn drain(&self) {
        while self.in_flight() > 0 {
            self.wait(None);
        }
    }
}

impl Driver for Ring {
    fn now(&self) -> u64 {
        monotonic_nanos().saturating_sub(self.shared.started)
    }

    /// Takes completions. Queued entries are submitted by every second call only, because a `wait` mostly follows and submits them in its
    /// own system call; a busy shard delays them by one round of tasks.
    fn poll(&self) -> bool {
        let shared = &*self.shared;
        shared.parker.clear();
        let (queued, kernel_asks) = shared.pressure();
        let submit = queued && shared.held_back.replace(queued) || kernel_asks;
        if submit {
            shared.held_back.set(false);
            shared.enter(Wait::No);
        }
        shared.reap() > 0 || submit
    }

    fn looks(&self) -> u64 {
        self.shared.looks.get()
    }

    fn populate(&self, part: Part) -> LocalBoxFuture<'static, ()> {
        populate::populate(self.clone(), part).boxed_local()
    }

    fn wait(&self, deadline: Option<u64>) -> bool {
        let shared = &*self.shared;
        // A ring of the newest kind gets completions only when it is entered, and those of the `poll` before were taken.
        if !shared.recent && shared.reap() > 0 {
            return true;
        }
        shared.held_back.set(false);
        shared.arm_wake();
        // Mostly the alarm of an earlier wait ends this one in time, and the clock, which costs as much as the rest of this, is left alone.
        let deadline = deadline.filter(|deadline| !shared.alarm.ends_by(*deadline));
        let is_over = deadline.is_some_and(|deadline| {
            let now = self.now();
            if deadline > now {
                shared.set_alarm(deadline, now);
            }
            deadline <= now
        });
        shared.enter(if !is_over && shared.parker.prepare() { Wait::Yes } else { Wait::No });
        if !shared.alarm.is_taken.get() {
            shared.alarm.is_taken.set(!shared.is_queueing());
        }
        shared.parker.clear();
        shared.reap();
        true
    }

    fn unparker(&self) -> Arc<dyn Unpark> {
        Arc::clone(&self.shared.parker) as Arc<dyn Unpark>
    }
}

impl RingState {
    /// Queues an entry; the next `poll` or `wait` hands it to the kernel.
    fn push(&self, entry: squeue::Entry) {
        let mut backlog = self.backlog.borrow_mut();
        let mut uring = self.uring.borrow_mut();
        // SAFETY: the creator of an entry guarantees that what it points to lives until it completes: `Keep` for operations, `wake_count`
        // for the parker and `left` for the alarm; cancellations point to nothing.
        if !backlog.is_empty() || unsafe { uring.submission().push(&entry) }.is_err() {
            backlog.push_back(entry);
        }
    }

    /// Returns whether entries are queued, and whether the kernel asks to be entered (it has completions to post).
    fn pressure(&self) -> (bool, bool) {
        let mut uring = self.uring.borrow_mut();
        let submission = uring.submission();
        (!submission.is_empty(), submission.taskrun() || submission.cq_overflow())
    }

    /// Returns true if the kernel has not taken all entries yet.
    fn is_queueing(&self) -> bool {
        self.pressure().0 || !self.backlog.borrow().is_empty()
    }

    /// Submits everything that is queued, then waits for a completion as `wait` requires.
    fn enter(&self, wait: Wait) {
        while self.fill_submission_queue() {
            if !self.enter_once(Wait::No) {
                // The kernel is short of something; the rest stays queued for the next call.
                return;
            }
        }
        self.enter_once(wait);
        if !self.cqe_skip_files.borrow().is_empty() && !self.pressure().0 {
            self.release_cqe_skip_files();
        }
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

    /// Enters the kernel by one system call. Returns false if the kernel took nothing for want of resources.
    fn enter_once(&self, wait: Wait) -> bool {
        let uring = self.uring.borrow();
        let outcome = match wait {
            Wait::No => uring.submit(),
            Wait::Yes => uring.submit_and_wait(1),
        };
        let Err(error) = outcome else { return true };
        match error.raw_os_error() {
            // Interrupted by a signal; what could be submitted was.
            Some(libc::EINTR) => true,
            // Too many completions wait to be taken, or memory is short: both pass.
            Some(libc::EBUSY | libc::EAGAIN) => false,
            _ => panic!("Cannot enter the ring of a shard, which cannot go on without it: {error}"),
        }
    }

    /// Takes every completion there is and wakes who waits for it. Returns how many there were.
    fn reap(&self) -> usize {
        let mut taken = 0;
        loop {
            // The borrow ends before anything is woken or dropped, both of which may call this again.
            let Some((tag, result, more)) = self.next_completion() else { return taken };
            taken += 1;
            match tag {
                WAKE_TAG => self.wake_armed.set(false),
                ALARM_TAG => self.alarm.set_for.set(None),
                EARLIER_TAG => self.note_alarm_set_earlier(result),
                CANCEL_TAG => {}
                tag if Self::is_cqe_skip(tag) => {
                    tracing::debug!(result, "a quiet operation of a ring failed");
                }
                _ => self.complete(tag, result, more),
            }
        }
    }

    /// Returns tag, result, and whether the same operation completes again.
    fn next_completion(&self) -> Option<(u64, i32, bool)> {
        let completion = self.uring.borrow_mut().completion().next()?;
        Some((completion.user_data(), completion.result(), cqueue::more(completion.flags())))
    }

    /// Asks the kernel to cancel an operation, which then completes early. Has no effect if it has completed.
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

    /// Makes a wait end at `deadline`, or before. An alarm that is set for an earlier time stays.
    fn set_alarm(&self, deadline: u64, now: u64) {
        let Alarm { set_for, left, is_taken } = &self.alarm;
        let before = set_for.get();
        let next = before.map_or(deadline, |before| before.min(deadline));
        set_for.set(Some(next));
        // Also for an entry of an earlier wait that the kernel has not taken yet. A time that is over would be no time at all.
        left.set(types::Timespec::from(Duration::from_nanos(next.saturating_sub(now).max(1))));
        let left = left.as_ptr().cast_const();
        match before {
            None => {
                is_taken.set(false);
                self.push(opcode::Timeout::new(left).build().user_data(ALARM_TAG));
            }
            Some(before) if next < before => {
                is_taken.set(false);
                // Fails if it is just going off, which ends the wait as well. That it was done would end the wait too.
                let flags = if self.recent { squeue::Flags::SKIP_SUCCESS } else { squeue::Flags::empty() };
                let entry = opcode::TimeoutUpdate::new(ALARM_TAG, left).build().flags(flags);
                self.push(entry.user_data(EARLIER_TAG));
            }
            Some(_) => {}
        }
    }

    /// Handles the result of setting the alarm for an earlier time. If that failed, there will be another alarm: this one goes off when it
    /// did before, and ends a wait for nothing.
    fn note_alarm_set_earlier(&self, result: i32) {
        if ![0, -libc::ENOENT, -libc::EALREADY].contains(&result) {
            self.alarm.set_for.set(None);
        }
    }
}

impl Drop for RingState {
    /// Waits for each operation that ends by itself or by being cancelled. Only operations of dropped futures can be left, since live ones
    /// hold the ring.
    fn drop(&mut self) {
        if self.pressure().0 {
            // Quiet operations have no slot.
            self.enter(Wait::No);
        }
        while self.wake_armed.get() || self.slots.borrow().iter().any(|(_, slot)| slot.will_end()) {
            if self.wake_armed.get() {
                self.cancel(WAKE_TAG);
            }
            // Once more, in case the kernel could not do the first cancellation at that moment.
            let tags: Vec<u64> =
                self.slots.borrow().iter().filter_map(|(_, slot)| slot.to_cancel()).collect();
            for tag in tags {
                self.cancel(tag);
            }
            self.enter(Wait::Yes);
            self.reap();
        }
        // Operations that are left in the kernel end with the ring, which takes a while: their memory stays.
        self.slots.take().into_iter().for_each(|(_, slot)| std::mem::forget(slot));
    }
}

/// A ring as the kernel gave it.
struct SetUp {
    uring: IoUring,
    /// It is of the newest kind.
    recent: bool,
}

/// Sets up the fastest kind of ring that this kernel has. The flags promise that one thread submits, and that it takes completions only
/// when it enters the kernel, so that the kernel never interrupts it. Linux 6.1 introduced them: where they are, all older features are
/// there too, some of which cannot be queried.
fn set_up(depth: u32) -> io::Result<SetUp> {
    let completions = depth * COMPLETIONS_PER_ENTRY;
    let newest = IoUring::builder()
        .setup_cqsize(completions)
        .setup_single_issuer()
        .setup_defer_taskrun()
        .setup_taskrun_flag()
        .build(depth);
    match newest {
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {
            let uring = IoUring::builder().setup_cqsize(completions).build(depth)?;
            Ok(SetUp { uring, recent: false })
        }
        other => Ok(SetUp { uring: other?, recent: true }),
    }
}

/// Returns the time since a fixed moment, without the conversion between nanoseconds and `Instant`: that takes half as long again.
fn monotonic_nanos() -> u64 {
    let time = clock_gettime(ClockId::CLOCK_MONOTONIC).expect("every Linux has this clock");
    // Five centuries of nanoseconds fit.
    time.tv_sec().cast_unsigned() * 1_000_000_000 + time.tv_nsec().cast_unsigned()
}

/// Explains how to fix a kernel that gives no ring.
fn explain(error: &io::Error) -> io::Error {
    let advice = match error.raw_os_error() {
        // Podman's profile hides a system call, where Docker's forbids it.
        Some(libc::ENOSYS) => {
            "this kernel has no io_uring, or too old a one: run Linux 5.19 or later, and in a container allow io_uring_setup, \
             io_uring_enter and io_uring_register in its seccomp profile"
        }
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
