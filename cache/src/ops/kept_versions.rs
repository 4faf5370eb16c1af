//! Versions that the group on its way still needs, and that were overwritten since it began.
//!
//! Each keeps its segment from being freed, and reclaim of the whole pool waits for that. So they are kept for [`KEPT_NS`] at most: a ring
//! that hangs must not hold up other disks. Afterwards the group goes on without them, and fails if it needs one that it has not read.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::state::index::FlashLocation;
use crate::state::ranges::Ranges;
use crate::storage::pool::OwnedPin;
use crate::types::canary::{self, Bug};
use crate::types::env::Env;
use crate::types::units::SECOND_NS;

/// Time for which a group keeps overwritten versions on flash, from its beginning on, in nanoseconds.
pub(super) const KEPT_NS: u64 = 2 * SECOND_NS;

/// Overwritten versions of the group on its way.
pub(super) struct KeptVersions<E: Env> {
    kept: BTreeMap<u64, KeptVersion<E>>,
    /// Pages whose version is gone.
    dropped: Ranges,
    is_given_up: bool,
}

/// An overwritten version, which its pin keeps on flash.
struct KeptVersion<E: Env> {
    located: FlashLocation,
    _pin: OwnedPin<E>,
}

/// Place of the version of a page that a group has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GroupVersion {
    /// It was not overwritten.
    Newest,
    /// It is kept.
    Kept(FlashLocation),
    /// It may not be on flash any more.
    Dropped,
}

impl<E: Env> Default for KeptVersions<E> {
    fn default() -> Self {
        Self { kept: BTreeMap::new(), dropped: Ranges::default(), is_given_up: false }
    }
}

impl<E: Env> KeptVersions<E> {
    /// Keeps the present version of a page of the group, which `pinned` gives with its pin, unless an earlier one is kept: that is the
    /// group's.
    pub(super) fn keep(&mut self, page: u64, pinned: impl FnOnce() -> Option<(FlashLocation, OwnedPin<E>)>) {
        if self.is_given_up {
            self.dropped.insert(page..page + 1);
        } else if let Entry::Vacant(place) = self.kept.entry(page) {
            match pinned() {
                Some((located, pin)) => drop(place.insert(KeptVersion { located, _pin: pin })),
                // Flash lost it: the group must not take a newer one for it.
                None => self.dropped.insert(page..page + 1),
            }
        }
    }

    /// Keeps nothing any more, until the group has ended.
    pub(super) fn give_up(&mut self) {
        self.is_given_up = true;
        for page in std::mem::take(&mut self.kept).into_keys() {
            self.dropped.insert(page..page + 1);
        }
    }

    /// Returns the place of the group's version of a page.
    pub(super) fn version_of(&self, page: u64) -> GroupVersion {
        match self.kept.get(&page) {
            Some(_) if canary::has(Bug::GroupOfNewest) => GroupVersion::Newest,
            Some(kept) => GroupVersion::Kept(kept.located),
            None if self.dropped.contains(page) && !canary::has(Bug::DroppedForNewest) => {
                GroupVersion::Dropped
            }
            None => GroupVersion::Newest,
        }
    }
}
