//! What keeps two disks off the same storage, and disks off each other and off the pool.
//!
//! The locks of backings keep other processes away; these checks say what is wrong in words, and before anything is tried.

use std::path::Path;

use block::nbd::{Address, Target};

use super::{Registry, lock};
use crate::backing::{Identity, Location};
use crate::problem::{Answer, Problem};
use crate::state::{DiskRecord, State};

impl Registry {
    /// Refuses a disk of this daemon as the backing of another one: neither could be stopped before the other.
    pub(super) fn check_not_own(&self, location: &Location) -> Answer<()> {
        let Location::Nbd(Target { address: Address::Unix(socket), .. }) = location else { return Ok(()) };
        let folder = |path: &Path| path.parent().and_then(|folder| folder.canonicalize().ok());
        match folder(socket) {
            Some(served) if Some(&served) == folder(&self.places.nbd_socket("any")).as_ref() => {
                Err(Problem::conflict(format!(
                    "Cannot use backing {location}: this daemon serves it; name the backing of that disk instead"
                )))
            }
            _ => Ok(()),
        }
    }

    /// Refuses storage that another disk or the pool is on, however it was named.
    pub(super) async fn check_unshared(&self, name: &str, identity: &Identity) -> Answer<()> {
        if identity.local().is_some_and(|identity| lock(&self.pool).is_on(identity)) {
            return Err(shared(name, "it is the pool"));
        }
        for (other, report) in self.shards.disks().await? {
            if other != name && report.identity.same_storage(identity) {
                return Err(shared(name, &format!("disk '{other}' is on it")));
            }
        }
        Ok(())
    }

    /// Refuses a backing that a waiting disk will use. Compares names only: what a disk waits for may not answer.
    pub(super) fn check_not_waited_for(&self, state: &State, name: &str, location: &Location) -> Answer<()> {
        let waiting = lock(&self.waiting);
        let same =
            |other: &&DiskRecord| other.backing == location.to_string() && waiting.contains_key(&other.name);
        match state.disks.iter().find(same) {
            None => Ok(()),
            Some(other) => Err(shared(name, &format!("disk '{}' waits for it", other.name))),
        }
    }
}

fn shared(name: &str, user: &str) -> Problem {
    Problem::conflict(format!(
        "Cannot use that backing for disk '{name}': {user} already; name another file or device"
    ))
}
