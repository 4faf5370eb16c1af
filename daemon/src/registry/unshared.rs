//! Checks that no storage is used by two disks, or by a disk and the pool.
//!
//! The locks of backings keep other processes away; these checks explain a conflict in words, before anything
//! is tried.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use base::error::{Error, Result};
use base::patience::{Late, within};
use block::file::{self, Access};
use telemetry::wear::parts_below;

use super::{ClaimGuard, Registry, lock};
use crate::backing::{Identity, Images, Location, OwnStorage, OwnUse, StorageUser, USERS_TIME_MAX, paths_of};
use crate::door::DoorKind;
use crate::keys::Values;
use crate::pool::DeviceInUse;
use crate::shard::RingPlace;
use crate::state::{DiskRecord, State};

impl Registry {
    /// Refuses a disk of this daemon as the backing of another one, for neither could be stopped before the
    /// other, and a device of its pool. Compares names only, before any access: other names of the same
    /// storage are found later.
    pub(super) fn check_not_own(&self, name: &str, location: &Location) -> Result<()> {
        if lock(&self.pool).devices.iter().any(|device| location.is_at(&device.path)) {
            return Err(shared(name, "it is the pool"));
        }
        if location.is_served_in(&self.places.run.join(DoorKind::Nbd.folder())) {
            return Err(Error::conflict(format!(
                "Cannot use backing {location}: this daemon serves it; name the backing of that disk instead"
            )));
        }
        Ok(())
    }

    /// Refuses a redo ring on a drive of the pool, unless the backing is on it too: it would be lost together with the flash. What is not known
    /// is not refused.
    ///
    /// # Errors
    /// A conflict that names the drive.
    pub(super) async fn check_ring_drive(
        &self,
        name: &str,
        values: &Values,
        location: &Location,
    ) -> Result<()> {
        let of_pool: BTreeSet<String> =
            lock(&self.pool).devices.iter().flat_map(DeviceInUse::drives).collect();
        let backing = location.path().map(Path::to_owned);
        let named = values.ring().map(RingPlace::at);
        if named.as_ref().is_some_and(|named| named.path().is_none()) {
            return Ok(());
        }
        let named = named.as_ref().and_then(Location::path).map(Path::to_owned);
        let Some(ring) = named.or_else(|| backing.clone()) else { return Ok(()) };
        let examining = tokio::task::spawn_blocking(move || {
            // A ring that is about to be made will be on the file system of its folder.
            let existing = if ring.exists() { Some(&*ring) } else { ring.parent() };
            let parts = |path: &Path| parts_below(path).unwrap_or_default();
            let of_ring = existing.map(parts).unwrap_or_default();
            let of_backing = backing.as_deref().map(parts).unwrap_or_default();
            let shared: Vec<String> = of_ring.intersection(&of_pool).cloned().collect();
            (shared.iter().all(|drive| !of_backing.contains(drive)), shared)
        });
        match within(USERS_TIME_MAX, examining).await {
            Ok(Ok((true, shared))) if !shared.is_empty() => Err(Error::conflict(format!(
                "Cannot use destage-order=consistent on disk '{name}': its redo ring would be on {}, as the pool is, and be lost together with \
                 the flash. Name a place on the storage of the backing: ring=PATH",
                shared.join(", ")
            ))),
            _ => Ok(()),
        }
    }

    /// Refuses storage that another disk, the pool or another program on this host uses, or that holds
    /// Forebay's own files, under any name and through layers: a loop device over the file, a partition of
    /// the device.
    ///
    /// # Errors
    /// A conflict that names the user.
    pub(super) async fn check_unshared(
        &self,
        wanted: BackingRequest<'_>,
        claimed: &ClaimGuard<'_>,
    ) -> Result<()> {
        let BackingRequest { name, location, identity, access, images, waiting } = wanted;
        // In this order: a disk that is attached in between is found in its report.
        let claims = self.claims.storage_before(claimed);
        let reports = self.shards.disks().await?.into_iter().filter(|(other, _)| other != name);
        let others = reports.map(|(other, report)| (OwnUse::Disk(other), report.identity)).chain(claims);
        let others: Vec<_> = others.collect();
        if let Some((user, _)) = others.iter().find(|(_, other)| other.same_storage(identity)) {
            return Err(shared(name, &words_of(user)));
        }
        let Some(wanted) = location.storage(identity, access, images) else { return Ok(()) };
        let in_pool = self.storage_of_pool();
        if in_pool
            .iter()
            .any(|(_, device)| wanted.identity.is_some_and(|wanted| device.same_storage(&wanted)))
        {
            return Err(shared(name, "it is the pool"));
        }
        let others = others.into_iter().filter_map(|(user, identity)| Some((user, identity.local()?)));
        let own = OwnStorage::new(&self.places, in_pool.into_iter().chain(others).collect(), waiting);
        match own.user_of(wanted).await {
            Ok(None) => Ok(()),
            Ok(Some(StorageUser::Own(user))) => Err(shared(name, &words_of(&user))),
            Ok(Some(StorageUser::Other(reason))) => {
                Err(Error::conflict(format!("Cannot use backing {location}: it {reason}")))
            }
            Err(Late) => {
                tracing::warn!(
                    "Cannot check who else uses {location}: a file that is in use as swap space or as a loop device, or that a waiting \
                     disk is on, did not answer within {} s; disk '{name}' continues without that check",
                    USERS_TIME_MAX.as_secs()
                );
                Ok(())
            }
        }
    }

    /// Returns the storage that the claim `claimed` may not add to the pool: that of the pool, and of all
    /// disks, served or not.
    pub(super) async fn own_storage(&self, claimed: &ClaimGuard<'_>) -> Result<OwnStorage> {
        // In this order: a disk that is attached in between is found in its report.
        let claims = self.claims.storage_before(claimed);
        let reports = self.shards.disks().await?;
        let is_attached = |disk: &DiskRecord| reports.iter().any(|(name, _)| *name == disk.name);
        let state = self.state();
        let awaited = paths_of(state.disks.iter().filter(|disk| !is_attached(disk)));
        let disks =
            reports.iter().map(|(disk, report)| (OwnUse::Disk(disk.clone()), report.identity.clone()));
        let in_use = disks.chain(claims).filter_map(|(user, identity)| Some((user, identity.local()?)));
        Ok(OwnStorage::new(&self.places, in_use.chain(self.storage_of_pool()).collect(), awaited))
    }

    fn storage_of_pool(&self) -> Vec<(OwnUse, file::Identity)> {
        let pool = lock(&self.pool);
        pool.devices.iter().map(|device| (OwnUse::Pool(device.path.clone()), device.identity)).collect()
    }

    /// Returns the files and devices that waiting disks will use, by the names of the disks. The present file
    /// may be another one than then.
    pub(super) fn awaited(&self, state: &State) -> Vec<(OwnUse, PathBuf)> {
        let waiting = lock(&self.waiting);
        paths_of(state.disks.iter().filter(|disk| waiting.contains_key(&disk.name)))
    }

    /// Refuses a backing that a waiting disk will use. Compares names only: the storage may not answer.
    pub(super) fn check_not_waited_for(&self, state: &State, name: &str, location: &Location) -> Result<()> {
        let waiting = lock(&self.waiting);
        let same =
            |other: &&DiskRecord| other.backing == location.to_string() && waiting.contains_key(&other.name);
        match state.disks.iter().find(same) {
            None => Ok(()),
            Some(other) => Err(shared(name, &words_of(&OwnUse::WaitingDisk(other.name.clone())))),
        }
    }
}

/// A backing that is about to be used.
pub(super) struct BackingRequest<'a> {
    pub(super) name: &'a str,
    pub(super) location: &'a Location,
    pub(super) identity: &'a Identity,
    pub(super) access: Access,
    pub(super) images: Images,
    /// Files and devices that other disks wait for.
    pub(super) waiting: Vec<(OwnUse, PathBuf)>,
}

/// Returns a use as a reason against a backing.
fn words_of(user: &OwnUse) -> String {
    match user {
        OwnUse::Pool(_) => "the pool is on it".to_owned(),
        OwnUse::Disk(disk) => format!("disk '{disk}' is on it"),
        OwnUse::WaitingDisk(disk) => format!("disk '{disk}' waits for it"),
    }
}

fn shared(name: &str, user: &str) -> Error {
    Error::conflict(format!(
        "Cannot use that backing for disk '{name}': {user} already; name another file or device"
    ))
}
