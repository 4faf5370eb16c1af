//! Consistency sets of the disks of a shard.

use std::rc::Rc;

use base::error::{Error, Result};
use cache::{ConsistencySet, SetStatistics, SetWait};
use redo::SetId;

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

/// State of the consistency set of a disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SetReport {
    pub(crate) members: u32,
    /// Of these, disks that are part of its groups.
    pub(crate) promising: u32,
    /// Reason for which no group of it counts at present.
    pub(crate) waits_for: Option<String>,
}

impl ShardHandle {
    /// Sets the number of disks of a set.
    pub(super) async fn expect_members(&self, set: String, members: u32) -> Result<()> {
        self.ask(move |shard| {
            let mut sets = shard.sets.borrow_mut();
            if let Some(known) = sets.get(&set) {
                known.set_expected(members);
            }
            if members == 0 {
                sets.remove(&set);
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
            let known = sets.entry(set.clone()).or_insert_with(|| ConsistencySet::<Env>::new(*id, *members));
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

    /// Takes the disk out of its set, if it is in one: its ring goes on alone.
    ///
    /// # Errors
    /// If its ring fails. Then it is still a member.
    pub(super) async fn leave_set(&self, name: &str) -> Result<()> {
        self.cached.leave_set().await.map_err(|error| {
            Error::unavailable(format!(
                "Cannot take disk '{name}' out of its consistency set: {error}. Nothing was changed; repair the storage of its redo ring and try again"
            ))
        })
    }
}

impl SetReport {
    pub(crate) fn of(statistics: SetStatistics) -> Self {
        let SetStatistics { members, promising, waits_for, .. } = statistics;
        Self { members, promising, waits_for: waits_for.map(waiting) }
    }
}

fn waiting(wait: SetWait) -> String {
    match wait {
        SetWait::NotAttached(1) => "one of its disks is not served".to_owned(),
        SetWait::NotAttached(missing) => format!("{missing} of its disks are not served"),
        SetWait::Disk(disk) => match base::names::of(disk.0) {
            Some(name) => format!("disk '{name}' is not ready, or its redo ring takes nothing"),
            None => format!("disk {} is not ready, or its redo ring takes nothing", disk.0),
        },
    }
}
