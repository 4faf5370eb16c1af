//! Consistency sets of the disks of a shard.

use std::rc::Rc;

use base::error::{Error, Result};
use cache::{ConsistencySet, ConsistencyStatistics, SetWait};
use redo::{RingError, SetId};

use super::disk::{Cached, Disk, Env};
use super::{Shard, ShardHandle};

/// Consistency set that a disk is to be in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SetMembership {
    pub(crate) set: String,
    pub(crate) id: SetId,
    /// Disks that belong to it, served or not.
    pub(crate) members: u32,
}

impl ShardHandle {
    /// Sets the number of disks of a set.
    pub(super) async fn expect_members(&self, set: String, members: u32) -> Result<()> {
        self.ask(move |shard| {
            if let Some(known) = shard.sets.borrow().get(&set) {
                known.set_expected(members);
            }
        })
        .await
    }
}

impl Shard {
    /// Makes a disk a member of a set, before it is handed its ring.
    pub(super) fn join_set(&self, cached: &Rc<Cached>, name: &str, membership: &SetMembership) -> Result<()> {
        let SetMembership { set, id, members } = membership;
        let joined = {
            let mut sets = self.sets.borrow_mut();
            let new = || ConsistencySet::<Env>::new(*id, *members);
            let known = sets.entry(set.clone()).or_insert_with(new);
            // One of this name was left by all its disks since.
            if known.id() != *id {
                *known = new();
            }
            known.set_expected(*members);
            cached.join_set(known)
        };
        joined.map_err(|error| {
            Error::conflict(format!("Cannot put disk '{name}' into consistency set '{set}': {error}; remove the disk and add it again"))
        })
    }
}

impl Disk {
    pub(super) fn is_in_set(&self) -> bool {
        self.cached.consistency().is_some_and(|state| state.set.is_some())
    }
}

/// Returns why the last group of a disk did not count, if it did not.
pub(crate) fn failure_of(state: &ConsistencyStatistics) -> Option<String> {
    let waits_for = state.set.and_then(|set| set.waits_for);
    match (state.failure.as_ref()?, waits_for) {
        (RingError::WaitsForDisk { .. } | RingError::WaitsForMissing { .. }, Some(wait)) => {
            Some(format!("The groups of its consistency set do not count: {}", waiting(wait)))
        }
        (failure, _) => Some(failure.to_string()),
    }
}

/// Returns the reason for which no group of a set counts.
pub(crate) fn waiting(wait: SetWait) -> String {
    match wait {
        SetWait::NotAttached(1) => "one of its disks is not served".to_owned(),
        SetWait::NotAttached(missing) => format!("{missing} of its disks are not served"),
        SetWait::Disk(disk) => match base::names::of(disk.0) {
            Some(name) => format!("disk '{name}' is not ready, or its redo ring takes nothing"),
            None => format!("disk {} is not ready, or its redo ring takes nothing", disk.0),
        },
    }
}
