//! The state of consistent write-back of one disk: where its groups go, whether something may be promised, and versions that the group on
//! its way still needs. Nothing here awaits, save the lock of groups.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use redo::{RedoRing, RingError, content_pages_of};
use tokio::sync::futures::Notified;
use tokio::sync::{Mutex, MutexGuard, Notify};

use super::kept_versions::KeptVersions;
use super::pause_state::Pause;
use super::set_link::{SetLink, SetStatistics};
use crate::types::env::Env;
use crate::types::settings::DestageOrder;

/// Place where the groups of a disk go.
pub(crate) enum GroupTarget<E: Env> {
    /// A redo ring. Destage brings what they have to the backing, by address.
    Ring(Rc<RedoRing<E::Backing>>),
    /// The backing, the flushes of which are atomic.
    Backing,
}

impl<E: Env> Clone for GroupTarget<E> {
    fn clone(&self) -> Self {
        match self {
            Self::Ring(ring) => Self::Ring(Rc::clone(ring)),
            Self::Backing => Self::Backing,
        }
    }
}

/// Consistent write-back of one disk.
pub(crate) struct ConsistentState<E: Env> {
    /// None while groups have no place to go.
    target: RefCell<Option<GroupTarget<E>>>,
    /// Time of the last group that the backing confirmed, if groups go there.
    confirmed_at: Cell<Option<u64>>,
    /// Time before which no group goes to the backing, because of the highest rate of destage.
    pub(super) rest_until: Cell<u64>,
    /// True while direct changes end that began before anything was promised.
    pub(super) is_entering: Cell<bool>,
    /// True once the disk has a task that writes groups.
    has_task: Cell<bool>,
    /// True once the state of the ring that was handed over is that of this disk.
    pub(super) is_taken_over: Cell<bool>,
    /// True while the ring may promise something: then only what a group has changes the backing.
    pub(super) promises: Cell<bool>,
    /// True once direct changes ended and the backing was flushed.
    pub(super) is_entered: Cell<bool>,
    pub(super) is_wanted: Cell<bool>,
    /// Time at which the oldest fresh page became dirty, and the oldest one of the group on its way.
    pub(super) fresh_since: Cell<Option<u64>>,
    pub(super) writing_since: Cell<Option<u64>>,
    /// Time before which no group begins, because one failed.
    pub(super) retry_at: Cell<u64>,
    /// Bytes that were taken of the ring when it last had no room, if that was the last group.
    pub(super) used_when_full: Cell<Option<u64>>,
    pub(super) replays: Cell<u64>,
    /// [`Self::counted`] when destage last found that no group has anything that is dirty, and the time of that.
    pub(super) nothing_journaled: Cell<Option<(u64, u64)>>,
    /// Bytes a second that the ring took lately; 0 if that is not known.
    pub(super) rate: Cell<u64>,
    /// Time at which a group last asked for content, or began to count.
    pub(super) progress_at: Cell<u64>,
    /// Number of groups that began, and what it was when the last one began that counts.
    pub(super) groups_begun: Cell<u64>,
    pub(super) counted: Cell<u64>,
    /// Pause of destage.
    pub(crate) pause: Pause,
    /// The most pages that may be dirty with this ring.
    dirty_pages_max: Cell<u64>,
    wake: Notify,
    /// Held while a group is on its way, or the promise ends.
    changing: Mutex<()>,
    /// Versions of the group on its way that were overwritten since it began.
    pub(super) kept: RefCell<KeptVersions<E>>,
    /// Clock of the times of groups.
    wall_clock: RefCell<WallClock>,
    pub(super) failure: RefCell<Option<RingError>>,
    /// Consistency set of the disk.
    set: RefCell<Option<Rc<dyn SetLink>>>,
    /// Failure of the ring in the last cut of the set, which the disk has not handled yet.
    pub(super) cut_failure: RefCell<Option<RingError>>,
}

/// Clock for people: returns the nanoseconds since 1970. It may be set at any time, so no decision depends on it.
pub type WallClock = Rc<dyn Fn() -> u64>;

/// State of consistent write-back, for statistics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsistencyStatistics {
    /// Time of the last group that counts, in nanoseconds since 1970; none while nothing is promised.
    pub taken_at: Option<u64>,
    /// Nanoseconds since the oldest acknowledged write that no group has that counts; 0 if there is none. As of a start, the time of the
    /// start.
    pub uncovered_ns: u64,
    /// Dirty bytes that no group has.
    pub fresh_bytes: u64,
    /// Bytes of the ring that groups take, and that they can take; 0 if groups go to the backing.
    pub ring_bytes: [u64; 2],
    /// Time as of which the backing alone is the disk, while destage is paused, in nanoseconds since 1970.
    pub backing_as_of: Option<u64>,
    /// Times that the ring was full and was replayed, since the disk was attached.
    pub replays: u64,
    /// The last failure, if no group counted since.
    pub failure: Option<RingError>,
    /// State of the consistency set of the disk, if it has one.
    pub set: Option<SetStatistics>,
}

impl<E: Env> ConsistentState<E> {
    /// Returns the state of a disk that is attached. In consistent order its ring may promise something, until it says otherwise.
    pub(super) fn new(order: DestageOrder) -> Self {
        Self {
            target: RefCell::default(),
            confirmed_at: Cell::default(),
            rest_until: Cell::default(),
            is_entering: Cell::default(),
            has_task: Cell::default(),
            is_taken_over: Cell::default(),
            promises: Cell::new(order == DestageOrder::Consistent),
            is_entered: Cell::default(),
            is_wanted: Cell::default(),
            fresh_since: Cell::default(),
            writing_since: Cell::default(),
            retry_at: Cell::default(),
            used_when_full: Cell::default(),
            replays: Cell::default(),
            nothing_journaled: Cell::default(),
            rate: Cell::default(),
            progress_at: Cell::default(),
            groups_begun: Cell::default(),
            counted: Cell::default(),
            pause: Pause::default(),
            dirty_pages_max: Cell::new(u64::MAX),
            wake: Notify::new(),
            changing: Mutex::default(),
            kept: RefCell::default(),
            wall_clock: RefCell::new(Rc::new(|| 0)),
            failure: RefCell::default(),
            set: RefCell::default(),
            cut_failure: RefCell::default(),
        }
    }

    /// Returns the consistency set of the disk.
    pub(crate) fn set(&self) -> Option<Rc<dyn SetLink>> {
        self.set.borrow().clone()
    }

    /// Has the disk belong to a consistency set.
    pub(crate) fn join_set(&self, set: Rc<dyn SetLink>) {
        self.set.replace(Some(set));
    }

    pub(super) fn leave_set(&self) {
        self.set.take();
    }

    /// Returns true while only what a group has may change the backing.
    pub(crate) fn promises(&self) -> bool {
        self.promises.get()
    }

    /// Hands over the ring. Returns true if the disk has no task yet that writes groups: the caller begins one. Does nothing if groups go
    /// to the backing.
    pub(crate) fn set_ring(&self, ring: RedoRing<E::Backing>, wall_clock: WallClock) -> bool {
        if self.is_to_backing() {
            return false;
        }
        self.dirty_pages_max.set(content_pages_of(ring.room_bytes() / 2));
        self.target.replace(Some(GroupTarget::Ring(Rc::new(ring))));
        self.is_taken_over.set(false);
        self.cut_failure.take();
        self.wall_clock.replace(wall_clock);
        self.wake.notify_one();
        !self.has_task.replace(true)
    }

    /// Has groups go to the backing, from the beginning. It is as of a flush; so something is promised at once only if it may lack
    /// something.
    pub(super) fn use_backing(&self, may_lack: bool) {
        self.target.replace(Some(GroupTarget::Backing));
        self.promises.set(may_lack);
    }

    /// Returns true if groups go to the backing.
    pub(crate) fn is_to_backing(&self) -> bool {
        matches!(*self.target.borrow(), Some(GroupTarget::Backing))
    }

    /// Returns true if writes may go to the log now. They may not while changes go past it to a backing that gets groups: a flush there
    /// would make a part of what was acknowledged durable.
    pub(super) fn lets_write_back(&self) -> bool {
        !self.is_to_backing() || self.promises.get() && !self.is_entering.get()
    }

    /// Sets the clock of the times of groups.
    pub(crate) fn set_wall_clock(&self, wall_clock: WallClock) {
        self.wall_clock.replace(wall_clock);
    }

    /// Records that the backing confirmed the group of a time; none once it promises nothing.
    pub(super) fn set_confirmed(&self, taken_at: Option<u64>) {
        self.confirmed_at.set(taken_at);
    }

    /// Returns the time of the last group that counts; none while nothing is promised.
    pub(super) fn taken_at(&self) -> Option<u64> {
        match &*self.target.borrow() {
            Some(GroupTarget::Ring(ring)) => ring.confirmed_at(),
            Some(GroupTarget::Backing) => self.confirmed_at.get(),
            None => None,
        }
    }

    /// Returns the time for a group that begins now, in nanoseconds since 1970.
    pub(super) fn wall_time(&self) -> u64 {
        self.wall_clock.borrow()()
    }

    /// Forgets the ring, which promises nothing.
    pub(super) fn drop_ring(&self) {
        self.target.take();
        self.dirty_pages_max.set(u64::MAX);
        self.failure.take();
        self.cut_failure.take();
    }

    /// Returns true if groups still go there.
    pub(super) fn is_target(&self, target: &GroupTarget<E>) -> bool {
        match (target, &*self.target.borrow()) {
            (GroupTarget::Ring(ring), Some(GroupTarget::Ring(ours))) => Rc::ptr_eq(ring, ours),
            (GroupTarget::Backing, Some(GroupTarget::Backing)) => true,
            _ => false,
        }
    }

    /// Returns true if the last failure was one of what destage would do otherwise: of the backing, or of a group that goes there.
    pub(super) fn has_backing_failed(&self) -> bool {
        match &*self.failure.borrow() {
            Some(RingError::Backing(_)) => true,
            Some(_) => self.is_to_backing(),
            None => false,
        }
    }

    /// Returns true if the ring had no room for the last group.
    pub(super) fn is_full(&self) -> bool {
        matches!(*self.failure.borrow(), Some(RingError::NoRoom { .. }))
    }

    /// Returns the most pages that may be dirty with this ring: half of it is to take all of them as one group.
    pub(super) fn dirty_pages_max(&self) -> u64 {
        self.dirty_pages_max.get()
    }

    /// Wants a group of what is fresh, at once.
    pub(super) fn want_group(&self) {
        self.is_wanted.set(true);
        self.wake.notify_one();
    }

    /// Wakes the task that writes groups.
    pub(crate) fn wake(&self) {
        self.wake.notify_one();
    }

    /// Waits for [`Self::wake`].
    pub(crate) fn woken(&self) -> Notified<'_> {
        self.wake.notified()
    }

    /// Waits until no group is on its way, and lets none begin as long as the guard lives.
    pub(crate) async fn lock(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().await
    }

    /// Does the same if no group is on its way.
    pub(super) fn try_lock(&self) -> Option<MutexGuard<'_, ()>> {
        self.changing.try_lock().ok()
    }

    /// Returns the place where groups go, once there is one.
    pub(super) fn target(&self) -> Option<GroupTarget<E>> {
        self.target.borrow().clone()
    }

    /// Returns the ring, once it was handed over.
    pub(crate) fn ring(&self) -> Option<Rc<RedoRing<E::Backing>>> {
        match &*self.target.borrow() {
            Some(GroupTarget::Ring(ring)) => Some(Rc::clone(ring)),
            Some(GroupTarget::Backing) | None => None,
        }
    }
}
