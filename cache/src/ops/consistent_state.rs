//! The state of consistent write-back of one disk: its ring, whether that may promise something, and versions that the group on its way
//! still needs. Nothing here awaits, save the lock of the ring.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use redo::{RedoRing, RingError};
use tokio::sync::futures::Notified;
use tokio::sync::{Mutex, MutexGuard, Notify};

use crate::state::index::FlashLocation;
use crate::storage::pool::OwnedPin;
use crate::types::env::Env;
use crate::types::settings::DestageOrder;

/// Consistent write-back of one disk.
pub(crate) struct ConsistentState<E: Env> {
    ring: RefCell<Option<Rc<RedoRing<E::Backing>>>>,
    /// True while the ring may promise something: then only what a group has changes the backing.
    pub(super) promises: Cell<bool>,
    /// True once direct changes ended and the backing was flushed.
    pub(super) is_entered: Cell<bool>,
    pub(super) is_wanted: Cell<bool>,
    /// Time at which the oldest fresh page became dirty.
    pub(super) fresh_since: Cell<Option<u64>>,
    wake: Notify,
    /// Held while a group is on its way, or the ring is made void.
    changing: Mutex<()>,
    /// Versions of the group on its way that were overwritten since it began.
    pub(super) kept: RefCell<BTreeMap<u64, KeptVersion<E>>>,
    /// Added to the clock for the time of a group: nanoseconds from 1970 to the clock's zero.
    pub(super) clock_offset: Cell<u64>,
    pub(super) failure: RefCell<Option<RingError>>,
}

/// An overwritten version, which its pin keeps on flash.
pub(super) struct KeptVersion<E: Env> {
    pub(super) located: FlashLocation,
    pub(super) _pin: OwnedPin<E>,
}

/// State of consistent write-back, for statistics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsistencyStatistics {
    /// Time of the last group that counts, in nanoseconds since 1970; none before the first.
    pub taken_at: Option<u64>,
    /// Dirty bytes that no group has.
    pub fresh_bytes: u64,
    /// Bytes of the ring that groups take, and that they can take.
    pub ring_bytes: [u64; 2],
    /// The last failure, if no group counted since.
    pub failure: Option<RingError>,
}

impl<E: Env> ConsistentState<E> {
    /// Returns the state of a disk that is attached. In consistent order its ring may promise something.
    pub(super) fn new(order: DestageOrder) -> Self {
        Self {
            ring: RefCell::default(),
            promises: Cell::new(order == DestageOrder::Consistent),
            is_entered: Cell::default(),
            is_wanted: Cell::default(),
            fresh_since: Cell::default(),
            wake: Notify::new(),
            changing: Mutex::default(),
            kept: RefCell::default(),
            clock_offset: Cell::default(),
            failure: RefCell::default(),
        }
    }

    /// Returns true while only what a group has may change the backing.
    pub(crate) fn promises(&self) -> bool {
        self.promises.get()
    }

    /// Hands over the ring.
    pub(crate) fn set_ring(&self, ring: RedoRing<E::Backing>, clock_offset: u64) {
        self.ring.replace(Some(Rc::new(ring)));
        self.clock_offset.set(clock_offset);
        self.wake.notify_one();
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

    /// Returns the ring, once it was handed over.
    pub(super) fn ring(&self) -> Option<Rc<RedoRing<E::Backing>>> {
        self.ring.borrow().clone()
    }
}
