//! Consistency sets: disks whose groups are of the same instant, so on one shard.
//!
//! ```text
//!   join:   record ── to the shard of the others, while nothing is promised ── ring ── the others know that it is expected
//!   leave:  ring void ── record ── the others do not wait for it any more
//! ```
//! As long as a disk of a set is recorded and not served, no group of the others counts: its flash may have what theirs follow from.

use std::collections::BTreeSet;
use std::sync::Arc;

use base::error::{Error, Result};
use redo::SetId;

use super::{Registry, log_if_failed};
use crate::backing::Location;
use crate::keys::Values;
use crate::shard::{Relocation, SetMembership, needs_ring};
use crate::state::{DiskRecord, State};

impl Registry {
    /// Puts a disk that is to be in a set from now on to the shard of the others.
    ///
    /// # Errors
    /// If it cannot be moved there now. Then it is where it was, and in no set.
    pub(super) async fn gather(self: &Arc<Self>, disk: &DiskRecord) -> Result<()> {
        self.know_set(disk).await?;
        let (name, Some(set)) = (disk.name.as_str(), set_of(disk)) else { return Ok(()) };
        let Some(to) = self.shards.join_set(name, Some(set)) else { return Ok(()) };
        let problem = match self.shards.relocate(name, to).await {
            Relocation::Moved => return Ok(()),
            Relocation::Stayed(problem) => problem,
            Relocation::Lost(problem) => {
                self.serve_again(name, &problem);
                problem
            }
        };
        self.leave_set(name);
        Err(Error::conflict(format!(
            "Cannot put disk '{name}' into consistency set '{set}', whose disks are served by one thread: {problem}. Try again later, or \
             remove the disk and add it with its keys"
        )))
    }

    /// Records that a disk is in no set.
    pub(super) fn leave_set(&self, name: &str) {
        self.shards.join_set(name, None);
    }

    /// Draws the identity of the set that a disk is to be in, durably, unless it has one.
    ///
    /// # Errors
    /// If that cannot be saved.
    pub(super) async fn know_set(&self, disk: &DiskRecord) -> Result<()> {
        let Some(set) = set_of(disk).map(str::to_owned) else { return Ok(()) };
        if self.remembered.read(|state| state.consistency_sets.contains_key(&set)) {
            return Ok(());
        }
        let drawing = self.remembered.change(move |state| {
            let mut random = [0; 16];
            getrandom::fill(&mut random).map_err(|error| {
                Error::failed(format!("The system has no random numbers: {error}; try again"))
            })?;
            state
                .consistency_sets
                .entry(set)
                .or_insert_with(|| format!("{:032x}", u128::from_be_bytes(random)));
            Ok(())
        });
        drawing.await
    }

    /// Lets the disks of a set know how many belong to it, after a change of a disk that may have been in it. A set without any is forgotten.
    pub(super) async fn settle_sets(&self, before: &DiskRecord) {
        let state = self.state();
        let now = state.disk(&before.name).and_then(set_of);
        if now.is_none() {
            self.leave_set(&before.name);
        }
        let sets: BTreeSet<&str> = [set_of(before), now].into_iter().flatten().collect();
        for set in sets {
            let members = members_of(&state, set);
            if let Err(problem) = self.shards.expect_members(set.to_owned(), members).await {
                tracing::warn!(
                    "The disks of consistency set '{set}' do not know how many there are: {problem}"
                );
            }
            let set = set.to_owned();
            let forgetting = self.remembered.change(move |state| {
                if members_of(state, &set) == 0 {
                    state.consistency_sets.remove(&set);
                }
                Ok(())
            });
            log_if_failed(&forgetting.await);
        }
    }

    /// Returns the set of a disk that is to be served with these values, with the number of its disks.
    pub(super) fn membership(&self, name: &str, values: &Values) -> Option<SetMembership> {
        let record = self.state().disk(name)?.clone();
        self.membership_of(&DiskRecord { settings: values.clone(), ..record })
    }

    /// Returns the set of a disk, which may not be recorded yet, with the number of its disks.
    pub(super) fn membership_of(&self, record: &DiskRecord) -> Option<SetMembership> {
        let (state, set) = (self.state(), set_of(record)?);
        let is_counted = state.disk(&record.name).is_some_and(|known| set_of(known) == Some(set));
        let id = u128::from_str_radix(state.consistency_sets.get(set)?, 16).ok()?;
        Some(SetMembership {
            set: set.to_owned(),
            id: SetId(id.to_be_bytes()),
            members: members_of(&state, set) + u32::from(!is_counted),
        })
    }
}

/// Returns the set that a disk is in.
pub(super) fn set_of(record: &DiskRecord) -> Option<&str> {
    let location = Location::parse(&record.backing).ok()?;
    let has_ring = !record.read_only && needs_ring(&record.settings, &location);
    record.settings.consistency_set().filter(|_| has_ring)
}

fn members_of(state: &State, set: &str) -> u32 {
    state.disks.iter().filter(|record| set_of(record) == Some(set)).count() as u32
}

/// Refuses another set for a disk whose ring may promise something: the rings of its set would not match.
pub(super) fn check_same_set(name: &str, before: &Values, now: &Values) -> Result<()> {
    let stays_consistent = before.is_consistent() && now.is_consistent();
    if !stays_consistent || before.consistency_set() == now.consistency_set() {
        return Ok(());
    }
    Err(Error::conflict(format!(
        "Cannot change 'consistency-set' of disk '{name}' while it is destaged in consistent order: first forebay disk set {name} \
         destage-order=address, then destage-order=consistent with the set"
    )))
}
