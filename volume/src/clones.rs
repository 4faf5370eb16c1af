//! Clones: volumes that begin with the content of a snapshot, and read through it where they have no content of their own.
//!
//! ```text
//! create:           a flag beside the snapshot ── its table: it is there, and not going ── the clone's name ── the clone's record
//! delete the clone: its record ── all that it has ── the flag is released ── its name
//! delete the snapshot: the table, in which it is going ── the flags, and the record of each
//! ```
//! **Why no order loses a clone.** Creator and deleter each write first and read then. If the flag is there before the deleter reads flags, the
//! deleter finds it. If not, the deleter's table was confirmed before the flag was there, and so before the creator reads the table: it finds the
//! snapshot going, or gone, and creates nothing. A table that is not confirmed, because another host took an epoch since, is not enough for
//! a creator: the one before must have the snapshot as well, or the creator waits until the other host has started.
//!
//! **A creator that dies** leaves a flag without a record. The deleter settles it: it creates the record of that clone itself, as a void one,
//! exclusively. Either it wins, and the creator, if it lives after all, fails; or it finds that there is a clone. The name comes before the
//! record, so each clone that there is can be found by its name and deleted; a name without a record is deleted in the same way.
//!
//! Flags are counted, and have the identity of the snapshot, not its name: they say nothing about a later snapshot of this name.

use block::Host;
use bytes::Bytes;
use futures_util::future::join_all;

use super::calls::Calls;
use super::canary::{self, Bug};
use super::epoch::last_without_gap;
use super::error::VolumeError;
use super::load::{find_volume, read_record};
use super::manage::VolumeOptions;
use super::names::{SnapshotId, VolumeId, pointer};
use super::record::{
    self, CloneRecord, ParentRecord, PointerRecord, SnapshotRecord, VoidRecord, VolumeRecord,
};
use super::store::{Store, StoreErrorKind};

/// Snapshots through which a clone reads at most.
pub(crate) const PARENTS_MAX: u32 = 8;
/// Flags that are read at once.
const READS_AT_ONCE: usize = 8;
/// Tries to read a table while another host opens the volume, and the rest between them in nanoseconds.
const TRIES: u32 = 8;
const REST_NS: u64 = 1_000_000_000;

/// Treatment of a flag whose clone is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settle {
    No,
    /// No clone of this flag can be there from then on.
    Yes,
}

/// Creates a volume with the content of a snapshot. Takes a few small requests, whatever its size.
///
/// # Errors
/// If there is no such snapshot, or it is being deleted; if it is one of a clone of a clone, and so on, eight times; if the name cannot be,
/// or is taken; if the store fails: then there may be a volume of the new name, or a part of one, which can be deleted.
pub async fn create_clone<S: Store + Clone, H: Host>(
    store: &S,
    host: &H,
    name: &str,
    snapshot: &str,
    new_name: &str,
    options: VolumeOptions,
) -> Result<VolumeId, VolumeError> {
    let calls = Calls { store: store.clone(), host: host.clone() };
    let exists = || VolumeError::Exists { name: new_name.to_owned() };
    let at = pointer(new_name)?;
    if calls.exists(&at).await? {
        return Err(exists());
    }
    let (parent, record) = find_volume(&calls, name).await?;
    let depth = 1 + record.parent.map_or(0, |parent| parent.depth);
    if depth > PARENTS_MAX {
        let (volume, snapshot) = (name.to_owned(), snapshot.to_owned());
        return Err(VolumeError::TooManyParents { volume, snapshot, most: PARENTS_MAX });
    }
    let found = calls.find_to_clone(parent, name, snapshot).await?;
    let id = SnapshotId::of_body(parent, found.body());
    let volume = VolumeId::from_random(|| host.random());
    let flag = calls.put_flag(id, volume, new_name).await?;
    let parent_record = ParentRecord {
        volume: parent.to_string(),
        name: name.to_owned(),
        snapshot: snapshot.to_owned(),
        body: found.body,
        taken_at: found.taken_at,
        flag,
        depth,
    };
    let named = async {
        // The flag is there: from now on the snapshot is not deleted, unless that began before.
        let again = if canary::has(Bug::NoSecondLook) {
            found.clone()
        } else {
            calls.find_to_clone(parent, name, snapshot).await?
        };
        if again.body != found.body {
            let (volume, snapshot) = (name.to_owned(), snapshot.to_owned());
            return Err(VolumeError::SnapshotIsGoing { volume, snapshot });
        }
        let named = PointerRecord { volume: volume.to_string(), parent: Some(parent_record.clone()) };
        match calls.create(&at, &record::encode(&named)).await {
            Err(error) if error.kind == StoreErrorKind::Exists => Err(exists()),
            created => Ok(created?),
        }
    };
    if let Err(error) = named.await {
        // No record of it will be there.
        drop(calls.release(id, flag).await);
        return Err(error);
    }
    let compression = options.compression.name().to_owned();
    let record = VolumeRecord {
        name: new_name.to_owned(),
        bytes: found.bytes,
        compression,
        deduplicate: options.deduplicate,
        parent: Some(parent_record),
    };
    match calls.create(&volume.volume(), &record::encode(&record)).await {
        Ok(()) => Ok(volume),
        // The one that deletes the snapshot settled it.
        Err(error) if error.kind == StoreErrorKind::Exists => {
            calls.delete(&at).await?;
            let (volume, snapshot) = (name.to_owned(), snapshot.to_owned());
            Err(VolumeError::SnapshotIsGoing { volume, snapshot })
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns the content of a record that stands for a clone that is never completed.
pub(crate) fn void() -> Bytes {
    record::encode(&VoidRecord { void: true })
}

impl<S: Store, H: Host> Calls<S, H> {
    /// Returns a snapshot that can be cloned, by its name.
    async fn find_to_clone(
        &self,
        volume: VolumeId,
        name: &str,
        snapshot: &str,
    ) -> Result<SnapshotRecord, VolumeError> {
        for _ in 0..TRIES {
            let table = self.newest_table(volume).await?;
            // While a volume is deleted, what is left of its tables is none. Its record goes first.
            read_record(self, volume).await?;
            let find = |table: &[SnapshotRecord]| table.iter().find(|found| found.name == snapshot).cloned();
            let found = find(&table.snapshots);
            let is_certain = table.before.as_deref().is_some_and(|before| find(before) == found);
            if !table.is_settled && !is_certain && !canary::has(Bug::DoubtfulTable) {
                // Another host that took an epoch may have found the one or the other.
                self.host.sleep(REST_NS).await;
                continue;
            }
            let (volume, snapshot) = (name.to_owned(), snapshot.to_owned());
            return match found {
                Some(found) if !found.is_going => Ok(found),
                Some(_) => Err(VolumeError::SnapshotIsGoing { volume, snapshot }),
                None => Err(VolumeError::SnapshotNotFound { volume, snapshot }),
            };
        }
        Err(VolumeError::Undecided { volume: name.to_owned(), snapshot: snapshot.to_owned() })
    }

    /// Puts the flag of a clone. Returns its number.
    async fn put_flag(&self, id: SnapshotId, volume: VolumeId, name: &str) -> Result<u64, VolumeError> {
        let flag = record::encode(&CloneRecord { volume: volume.to_string(), name: name.to_owned() });
        let exists = async |number| self.exists(&id.clone_flag(number)).await;
        let mut number = last_without_gap(0, exists).await?.map_or(0, |last| last + 1);
        if canary::has(Bug::NoCloneFlag) {
            return Ok(number);
        }
        loop {
            match self.create(&id.clone_flag(number), &flag).await {
                Ok(()) => return Ok(number),
                Err(error) if error.kind == StoreErrorKind::Exists => number += 1,
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Records that the clone of a flag is no more, or never was. If the flag is gone, so is the snapshot, and nobody asks.
    pub(crate) async fn release(&self, id: SnapshotId, flag: u64) -> Result<(), VolumeError> {
        let name = id.clone_flag(flag);
        let Some(bytes) = self.find(&name, None).await? else { return Ok(()) };
        Ok(self.create(&id.released(flag), &bytes).await?)
    }

    /// Returns the names of the clones of a snapshot.
    pub(crate) async fn clones_of(&self, id: SnapshotId, settle: Settle) -> Result<Vec<String>, VolumeError> {
        let exists = async |number| self.exists(&id.clone_flag(number)).await;
        let Some(last) = last_without_gap(0, exists).await? else { return Ok(Vec::new()) };
        let numbers: Vec<u64> = (0..=last).collect();
        let mut clones = Vec::new();
        for some in numbers.chunks(READS_AT_ONCE) {
            let found = join_all(some.iter().map(async |number| self.clone_of(id, *number, settle).await));
            for found in found.await {
                clones.extend(found?);
            }
        }
        Ok(clones)
    }

    /// Returns the name of the clone of a flag, if there is one.
    async fn clone_of(
        &self,
        id: SnapshotId,
        flag: u64,
        settle: Settle,
    ) -> Result<Option<String>, VolumeError> {
        if self.exists(&id.released(flag)).await? {
            return Ok(None);
        }
        let name = id.clone_flag(flag);
        let CloneRecord { volume, name: clone } = record::decode(&name, &self.get(&name, None).await?)?;
        let volume = VolumeId::parse(&volume)
            .ok_or_else(|| VolumeError::damaged(&name, "it names no volume"))?
            .volume();
        match self.find(&volume, None).await? {
            Some(bytes) => return Ok((bytes != void()).then_some(clone)),
            None if settle == Settle::No => return Ok(None),
            None => {}
        }
        match self.create(&volume, &void()).await {
            Ok(()) => Ok(None),
            Err(error) if error.kind == StoreErrorKind::Exists => Ok(Some(clone)),
            Err(error) => Err(error.into()),
        }
    }

    /// Deletes the flags of a snapshot that is gone.
    pub(crate) async fn delete_flags(&self, id: SnapshotId) -> Result<(), VolumeError> {
        let exists = async |number| self.exists(&id.clone_flag(number)).await;
        let Some(last) = last_without_gap(0, exists).await? else { return Ok(()) };
        for number in 0..=last {
            self.delete(&id.released(number)).await?;
        }
        // The last one first: what is left is counted from 0.
        for number in (0..=last).rev() {
            self.delete(&id.clone_flag(number)).await?;
        }
        Ok(())
    }
}
