//! The context of an operation: one disk with all that its requests need.

use std::rc::Rc;

use block::{BlockDevice, RangeLock};

use super::disk_cache::DiskCache;
use super::flush_gate::FlushGate;
use crate::types::env::Env;

/// A disk: its cache, its backing, and the order of changes and flushes there.
pub(crate) struct Ctx<E: Env> {
    pub(crate) cache: Rc<DiskCache<E>>,
    pub(crate) backing: E::Backing,
    /// Ranges that are being changed.
    pub(crate) locks: RangeLock,
    pub(crate) flushes: FlushGate,
}

impl<E: Env> Ctx<E> {
    /// Returns the context of a disk of which nothing is in flight.
    pub(crate) fn new(cache: Rc<DiskCache<E>>, backing: E::Backing) -> Self {
        let flushes = FlushGate::new(backing.epoch());
        Self { cache, backing, locks: RangeLock::new(), flushes }
    }
}
