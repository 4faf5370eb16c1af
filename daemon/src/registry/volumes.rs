//! Disks in volumes of object stores: their rules, and what only the host that has a volume open may do with it.

use base::error::{Error, Result};
use cache::Mode;

use super::locks::DiskLock;
use super::{NewDisk, Registry, being_removed, known};
use crate::backing::{Location, StorageSnapshot};
use crate::keys::Values;
use crate::state::DiskRecord;

impl Registry {
    /// Makes a snapshot of the volume of a disk, with everything that was acknowledged before.
    ///
    /// # Errors
    /// If there is no disk of this name, it is not served from a volume that it may write, or the volume refuses.
    pub(crate) async fn take_snapshot(&self, name: &str, snapshot: String) -> Result<StorageSnapshot> {
        let _changing = self.lock_of_volume(name).await?;
        let taken = self.shards.take_snapshot(name.to_owned(), snapshot.clone()).await?;
        tracing::info!("Made snapshot '{snapshot}' of the volume of disk '{name}'");
        Ok(taken)
    }

    /// Deletes a snapshot of the volume of a disk.
    ///
    /// # Errors
    /// As [`Self::take_snapshot`]; or if another disk serves it.
    pub(crate) async fn delete_snapshot(&self, name: &str, snapshot: String) -> Result<()> {
        let _changing = self.lock_of_volume(name).await?;
        self.check_not_served(name, &snapshot)?;
        self.shards.delete_snapshot(name.to_owned(), snapshot.clone()).await?;
        tracing::info!("Deleted snapshot '{snapshot}' of the volume of disk '{name}'");
        Ok(())
    }

    /// Refuses to delete a snapshot of a disk's volume that another disk serves.
    fn check_not_served(&self, name: &str, snapshot: &str) -> Result<()> {
        let state = self.state();
        let backing = format!("{}@{snapshot}", known(&state, name)?.backing);
        match state.disks.iter().find(|disk| disk.backing == backing) {
            None => Ok(()),
            Some(DiskRecord { name: other, .. }) => Err(Error::conflict(format!(
                "Cannot delete snapshot '{snapshot}': disk '{other}' serves it; remove that first, with `forebay disk remove {other}`"
            ))),
        }
    }

    /// Takes the lock of a disk that is not being removed.
    async fn lock_of_volume(&self, name: &str) -> Result<DiskLock> {
        let lock = self.locks.lock(name).await;
        known(&self.state(), name)?;
        if self.is_being_removed(name) {
            return Err(being_removed(name));
        }
        Ok(lock)
    }
}

/// Adds the settings that go with a volume, where a new disk has none.
pub(super) fn add_defaults(wanted: &mut NewDisk, location: &Location) {
    if location.has_atomic_flushes() && !wanted.read_only {
        for (key, value) in [("mode", "write-back"), ("destage-order", "consistent")] {
            wanted.settings.entry(key.to_owned()).or_insert_with(|| value.to_owned());
        }
    }
}

/// Refuses what does not go with a volume. In other modes than these, each flush of a guest would wait for several answers of its store; and it
/// gets groups in any order of destage.
pub(super) fn check(name: &str, values: &Values, location: &Location) -> Result<()> {
    if !location.has_atomic_flushes() {
        return Ok(());
    }
    let refuse =
        |what: &str| Err(Error::invalid(format!("Cannot serve disk '{name}' from a volume: {what}")));
    if !values.writes_back() && values.mode() != Mode::PassThrough {
        return refuse(&format!(
            "with mode={} each flush of a guest would wait for several answers of the object store. Use mode=write-back: if the flash is \
             lost, the volume is the disk as it was seconds before",
            values.mode()
        ));
    }
    if !values.is_consistent() {
        return refuse("it is always destaged in consistent order; leave destage-order out");
    }
    if values.consistency_set().is_some() {
        return refuse("a consistency set is for disks with redo rings; leave consistency-set out");
    }
    Ok(())
}
