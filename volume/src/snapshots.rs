//! Snapshots of a volume: contents of it that stay.
//!
//! ```text
//! take:    confirm what completed ── a checkpoint while no group and no copy counts ── its body, with live objects only ── the table ── a look
//! delete:  the table, in which it is going ── a look ── flags of clones: none ── the table without it ── a look ── what it alone kept is free
//! ```
//! The **table** has all snapshots. Each change of it is an object of its own, counted within the epoch, with all of it; the record with which
//! an epoch starts has the table that it found. So what a host puts late that was overtaken does not count, and one that takes a volume over
//! either finds a table or is seen by the look behind it. A table is begun only after a look behind the one before: all but the newest one are
//! confirmed.
//!
//! **Power cut, or another host takes over.** Before the table is there: there is no snapshot, and its body and parts are garbage. After
//! that: there is one, though its caller may not know. While it is unknown whether a table is there (the store gave no answer), what the
//! snapshots of that one *or* of the one before need is kept, until a later table is confirmed: that has the number of the unknown one, or the
//! next, so the unknown one is without effect from then on. What a snapshot alone needed is deleted after the look behind a table without it, by
//! which no later host finds it. A snapshot that is going when its host dies goes on being so until it is deleted again.
//!
//! Objects that a snapshot needs stay in the table of objects of later checkpoints, so that they are deleted once nothing needs them.

use std::collections::BTreeSet;
use std::rc::Rc;

use block::{Host, Operation};
use futures_util::future::join_all;

use super::base::open_base;
use super::calls::Calls;
use super::canary::{self, Bug};
use super::checkpoint::{ObjectsListed, encode_root};
use super::clones::Settle;
use super::epoch::last_without_gap;
use super::error::VolumeError;
use super::load::{OPENINGS, find_volume, load_snapshot, opened_again, read_body};
use super::mark::Mark;
use super::names::{CheckpointKey, PartKey, SnapshotId, VolumeId, check_name};
use super::pins::{Pinned, Pins};
use super::record::{self, ParentRecord, SnapshotRecord, StartRecord, TableRecord};
use super::settings::VolumeSettings;
use super::state::Shared;
use super::store::{Store, StoreErrorKind};
use super::volume::{Opening, Volume};

/// Bodies of snapshots that are read at once.
const READS_AT_ONCE: usize = 8;
/// Loads of a snapshot while its volume may be changing, after which an object counts as missing.
const LOADS: u32 = 4;

/// A snapshot of a volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotSummary {
    /// Name.
    pub name: String,
    /// Identity.
    pub id: SnapshotId,
    /// Time of the group that it is as of, in nanoseconds since 1970; 0 before the first.
    pub taken_at: u64,
    /// Size of the disk in bytes.
    pub bytes: u64,
    /// True if deleting it began: it cannot be cloned any more.
    pub is_going: bool,
}

/// The snapshot of which a volume is a clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parent {
    /// Name of the volume that has the snapshot, when the clone was created.
    pub volume: String,
    /// Name of the snapshot.
    pub snapshot: String,
    /// Identity of the snapshot.
    pub id: SnapshotId,
    /// Time of the snapshot, in nanoseconds since 1970.
    pub taken_at: u64,
}

/// Snapshots of an open volume.
#[derive(Default)]
pub(crate) struct Snapshots {
    /// The newest table that is confirmed.
    pub(crate) table: Vec<SnapshotRecord>,
    /// The table that was put last, if it is not known whether it is there. It becomes the newest before another one is made.
    in_doubt: Option<Vec<SnapshotRecord>>,
    /// Number of the next table in this epoch.
    next: u64,
    /// Objects and parts that these need, or those of a table of which it is unknown whether it is there.
    pub(crate) pins: Pins,
}

/// A table that was found.
pub(crate) struct FoundTable {
    pub(crate) snapshots: Vec<SnapshotRecord>,
    /// The table before, if it is confirmed whatever other hosts do: the host that has the newest one had started.
    pub(crate) before: Option<Vec<SnapshotRecord>>,
    /// True if no host took an epoch behind the one that has it.
    pub(crate) is_settled: bool,
}

impl SnapshotRecord {
    /// Returns where its body is.
    pub(crate) fn body(&self) -> PartKey {
        body_of(self.body)
    }

    fn summary(&self, volume: VolumeId) -> SnapshotSummary {
        SnapshotSummary {
            name: self.name.clone(),
            id: SnapshotId::of_body(volume, self.body()),
            taken_at: self.taken_at,
            bytes: self.bytes,
            is_going: self.is_going,
        }
    }
}

/// Returns the place of a body that a record names.
pub(crate) fn body_of([epoch, number, part]: [u64; 3]) -> PartKey {
    // One that is no number of a part is not there.
    PartKey { checkpoint: CheckpointKey { epoch, number }, part: u32::try_from(part).unwrap_or(u32::MAX) }
}

impl ParentRecord {
    /// Returns the identity of the snapshot; none if it is damaged.
    pub(crate) fn id(&self) -> Option<SnapshotId> {
        Some(SnapshotId::of_body(VolumeId::parse(&self.volume)?, body_of(self.body)))
    }

    /// Returns what users see of it; none if it is damaged.
    pub(crate) fn parent(&self) -> Option<Parent> {
        let (volume, snapshot) = (self.name.clone(), self.snapshot.clone());
        Some(Parent { volume, snapshot, id: self.id()?, taken_at: self.taken_at })
    }
}

impl<S: Store, H: Host> Calls<S, H> {
    /// Returns the newest table of an epoch, and the one before if it made one. `found` is that with which it started.
    async fn tables_of(
        &self,
        volume: VolumeId,
        epoch: u64,
        found: Vec<SnapshotRecord>,
    ) -> Result<(Vec<SnapshotRecord>, Option<Vec<SnapshotRecord>>), VolumeError> {
        let exists = async |number| self.exists(&volume.snapshots(epoch, number)).await;
        let Some(last) = last_without_gap(0, exists).await? else { return Ok((found, None)) };
        let table = async |number| {
            let name = volume.snapshots(epoch, number);
            let TableRecord { snapshots } = record::decode(&name, &self.get(&name, None).await?)?;
            Ok::<_, VolumeError>(snapshots)
        };
        let before = if last == 0 { found } else { table(last - 1).await? };
        Ok((table(last).await?, Some(before)))
    }

    /// Returns the newest table of an epoch, which started with the table `found`.
    pub(crate) async fn table_since(
        &self,
        volume: VolumeId,
        epoch: u64,
        found: Vec<SnapshotRecord>,
    ) -> Result<Vec<SnapshotRecord>, VolumeError> {
        Ok(self.tables_of(volume, epoch, found).await?.0)
    }

    /// Returns the newest table of a volume, beside a host that may change it.
    pub(crate) async fn newest_table(&self, volume: VolumeId) -> Result<FoundTable, VolumeError> {
        for _ in 0..OPENINGS {
            let newest = self.newest_epoch(volume).await?;
            let start = self.newest_start::<StartRecord>(volume, 1..=newest).await?;
            let started = start.as_ref().map(|(epoch, _)| *epoch);
            let tables = match start {
                Some((epoch, start)) => self.tables_of(volume, epoch, start.snapshots).await,
                None => Ok(Default::default()),
            };
            // After the table was read.
            let is_settled = !self.exists(&volume.epoch(started.unwrap_or(0) + 1)).await?;
            // A record of a start that is gone was not the newest one.
            if self.is_newest(volume, newest, started).await? {
                let (snapshots, before) = tables?;
                return Ok(FoundTable { snapshots, before, is_settled });
            }
        }
        Err(opened_again(volume))
    }

    /// Returns what the snapshots of a table need. If a body is lost, everything is kept as long as its snapshot is there.
    pub(crate) async fn pins_of(
        &self,
        volume: VolumeId,
        table: &[SnapshotRecord],
    ) -> Result<Pins, VolumeError> {
        let mut pins = Pins::default();
        for some in table.chunks(READS_AT_ONCE) {
            let read = some.iter().map(async |snapshot| read_body(self, volume, snapshot.body()).await);
            for (snapshot, read) in some.iter().zip(join_all(read).await) {
                let pinned = match read {
                    Ok(root) => Some(Pinned::by(&root)),
                    Err(error) if error.is_missing_or_damaged() => None,
                    Err(error) => return Err(error),
                };
                pins.add(snapshot.body(), pinned);
            }
        }
        Ok(pins)
    }
}

impl Snapshots {
    /// Creates those of a volume that was opened with this table.
    pub(crate) fn new(table: Vec<SnapshotRecord>) -> Self {
        Self { table, ..Self::default() }
    }

    fn find(&self, name: &str) -> Option<&SnapshotRecord> {
        self.table.iter().find(|snapshot| snapshot.name == name)
    }
}

impl<S: Store, H: Host> Shared<S, H> {
    /// Takes a snapshot.
    async fn take_snapshot(shared: &Rc<Self>, name: &str) -> Result<SnapshotSummary, VolumeError> {
        check_name(name)?;
        let durable = VolumeError::NotDurable;
        shared.usable(Operation::Write).map_err(durable)?;
        let abandoned = shared.state.borrow().abandoned;
        let _upkeep = shared.upkeep.lock().await;
        shared.settle_table().await?;
        if shared.state.borrow().snapshots.find(name).is_some() {
            let volume = shared.name.clone();
            return Err(VolumeError::SnapshotExists { volume, snapshot: name.to_owned() });
        }
        // First beside the guest, so that its flushes wait for the rest only.
        if shared.is_behind() {
            shared.checkpoint_kept().await?;
        }
        let turn = shared.turn.lock().await;
        if !canary::has(Bug::SnapshotWithoutCommit) {
            Self::commit_in_turn(shared, abandoned).await.map_err(durable)?;
        }
        // As long as this has both locks, neither groups nor copies change the content.
        shared.checkpoint_kept().await?;
        let (checkpoint, body, pinned, taken_at, bytes) = {
            let state = shared.state.borrow();
            let (content, regions) = (&state.content, &state.regions);
            let checkpoint = state.checkpoint.expect("one was made");
            let body = encode_root(shared.volume, checkpoint, [0; 2], content, ObjectsListed::Live, regions);
            let live = content.objects.iter().filter(|(_, info)| info.live > 0);
            let objects = live.map(|(_, info)| info.key).collect();
            let pinned = Pinned { objects, parts: regions.values().map(|place| place.part).collect() };
            (checkpoint, body, pinned, content.taken_at, content.bytes)
        };
        drop(turn);
        let body = shared.put_body(checkpoint, body).await?;
        let record = SnapshotRecord {
            name: name.to_owned(),
            taken_at,
            bytes,
            body: [body.checkpoint.epoch, body.checkpoint.number, u64::from(body.part)],
            is_going: false,
        };
        let summary = record.summary(shared.volume);
        let mut table = shared.state.borrow().snapshots.table.clone();
        table.push(record);
        shared.state.borrow_mut().snapshots.pins.add(body, Some(pinned));
        shared.replace_table(table).await?;
        Ok(summary)
    }

    /// Deletes a snapshot, if there are no clones of it.
    async fn drop_snapshot(&self, name: &str) -> Result<(), VolumeError> {
        self.usable(Operation::Write).map_err(VolumeError::NotDurable)?;
        let _upkeep = self.upkeep.lock().await;
        self.settle_table().await?;
        let (volume, snapshot) = (self.name.clone(), name.to_owned());
        let found = self.state.borrow().snapshots.find(name).cloned();
        let Some(found) = found else { return Err(VolumeError::SnapshotNotFound { volume, snapshot }) };
        let id = SnapshotId::of_body(self.volume, found.body());
        if !found.is_going {
            let clones = self.calls.clones_of(id, Settle::No).await?;
            if !clones.is_empty() {
                return Err(VolumeError::HasClones { volume, snapshot, clones });
            }
            if !canary::has(Bug::NotGoingFirst) {
                self.replace_table(self.table_with(name, |snapshot| snapshot.is_going = true)).await?;
            }
        }
        let clones = self.calls.clones_of(id, Settle::Yes).await?;
        if !clones.is_empty() {
            self.replace_table(self.table_with(name, |snapshot| snapshot.is_going = false)).await?;
            return Err(VolumeError::HasClones { volume, snapshot, clones });
        }
        let mut table = self.state.borrow().snapshots.table.clone();
        table.retain(|snapshot| snapshot.name != name);
        self.replace_table(table).await?;
        // It is gone. What is left of it is garbage, which a volume takes along when it is deleted.
        drop(self.calls.delete_flags(id).await);
        drop(self.delete().await);
        Ok(())
    }

    fn table_with(&self, name: &str, change: impl Fn(&mut SnapshotRecord)) -> Vec<SnapshotRecord> {
        let mut table = self.state.borrow().snapshots.table.clone();
        table.iter_mut().filter(|snapshot| snapshot.name == name).for_each(change);
        table
    }

    /// Makes sure of a table that others may have found, though its author got an error: clones may exist by now that rely on it.
    async fn settle_table(&self) -> Result<(), VolumeError> {
        let in_doubt = self.state.borrow().snapshots.in_doubt.clone();
        match in_doubt.filter(|_| !canary::has(Bug::DoubtForgotten)) {
            Some(table) => self.replace_table(table).await,
            None => Ok(()),
        }
    }

    /// Replaces the table, durably. What snapshots need that are neither in this one nor in a later one is free from then on.
    ///
    /// # Errors
    /// If the store fails: then it may be replaced, and what it needs is kept. If another host took the volume over.
    async fn replace_table(&self, table: Vec<SnapshotRecord>) -> Result<(), VolumeError> {
        let epoch = self.epoch.expect("it is open for writing");
        let bytes = record::encode(&TableRecord { snapshots: table.clone() });
        loop {
            // Nobody doubts the table before.
            self.look().await?;
            self.check_open()?;
            let number = self.state.borrow().snapshots.next;
            let mut is_unanswered = false;
            let name = self.volume.snapshots(epoch, number);
            let doubt = self.state.borrow_mut().snapshots.in_doubt.replace(table.clone());
            let put = self.calls.create_watched(&name, &bytes, &mut is_unanswered).await;
            let snapshots = &mut self.state.borrow_mut().snapshots;
            match put {
                Ok(()) => {
                    snapshots.next += 1;
                    break;
                }
                // An earlier one of ours, of which the store gave no answer.
                Err(error) if error.kind == StoreErrorKind::Exists => {
                    snapshots.next += 1;
                    snapshots.in_doubt = doubt;
                }
                Err(error) => {
                    if !is_unanswered {
                        // The store refused it, and will not have it.
                        snapshots.in_doubt = doubt;
                    }
                    return Err(error.into());
                }
            }
        }
        if !canary::has(Bug::NoLookAfterTable) {
            self.look().await?;
        }
        let mut state = self.state.borrow_mut();
        let state = &mut *state;
        let bodies: BTreeSet<PartKey> = table.iter().map(SnapshotRecord::body).collect();
        state.snapshots.table = table;
        state.snapshots.in_doubt = None;
        let mut free = state.snapshots.pins.retain(&bodies);
        let needed: BTreeSet<PartKey> = state.regions.values().map(|place| place.part).collect();
        free.retain(|part| !needed.contains(part));
        state.doomed_parts.extend(free);
        state.count_snapshot_bytes();
        Ok(())
    }
}

impl<S: Store, H: Host> Volume<S, H> {
    /// Takes a snapshot: makes durable what completed before, and keeps that content under a name. Durable when it returns. Flushes wait for
    /// a part of it, in which a few objects are put.
    ///
    /// # Errors
    /// Those of a flush. If the name cannot be, or there is a snapshot of this name. If the store fails: then there may be one.
    pub async fn snapshot(&self, name: &str) -> Result<SnapshotSummary, VolumeError> {
        let (shared, name) = (Rc::clone(&self.0), name.to_owned());
        let taken = async move { Shared::take_snapshot(&shared, &name).await };
        self.0.calls.host.to_its_end(taken).await
    }

    /// Deletes a snapshot. It is refused while there are clones of it. One that fails is begun again with another call, of any host.
    ///
    /// # Errors
    /// If there is none, there are clones of it, or the store fails: then it may be going, which means that it cannot be cloned any more.
    pub async fn delete_snapshot(&self, name: &str) -> Result<(), VolumeError> {
        let (shared, name) = (Rc::clone(&self.0), name.to_owned());
        let dropped = async move {
            let dropped = shared.drop_snapshot(&name).await;
            if dropped.is_ok() {
                Shared::keep_in_shape(&shared);
            }
            dropped
        };
        self.0.calls.host.to_its_end(dropped).await
    }

    /// Returns the snapshots of the volume as this host knows them, the oldest first.
    pub fn snapshots(&self) -> Vec<SnapshotSummary> {
        let state = self.0.state.borrow();
        state.snapshots.table.iter().map(|snapshot| snapshot.summary(self.0.volume)).collect()
    }

    /// Returns the identity of the snapshot that this is, if it was opened as one.
    pub fn snapshot_id(&self) -> Option<SnapshotId> {
        self.0.snapshot
    }

    /// Opens a snapshot of a volume for reading alone. A host that writes the volume goes on; once the snapshot is deleted, reads fail.
    ///
    /// # Errors
    /// If there is none, the store fails, or an object is damaged.
    pub async fn open_snapshot(
        store: S,
        host: H,
        name: &str,
        snapshot: &str,
        settings: VolumeSettings,
    ) -> Result<Self, VolumeError>
    where
        S: Clone,
    {
        let calls = Calls { store, host };
        let (volume, record) = find_volume(&calls, name).await?;
        let base = open_base(&calls, &record, settings).await?;
        let mut tries = 0;
        loop {
            let table = calls.newest_table(volume).await?;
            let found = table.snapshots.iter().find(|found| found.name == snapshot);
            let found = found.ok_or_else(|| VolumeError::SnapshotNotFound {
                volume: name.to_owned(),
                snapshot: snapshot.to_owned(),
            })?;
            let loaded = match load_snapshot(&calls, volume, found.body()).await {
                Ok(loaded) => loaded,
                // Perhaps it was deleted meanwhile.
                Err(error) if error.is_missing_or_damaged() && tries < LOADS => {
                    tries += 1;
                    continue;
                }
                Err(error) => return Err(error),
            };
            let snapshot = SnapshotId::of_body(volume, found.body());
            let opening = Opening { name: name.to_owned(), volume, epoch: None, snapshot: Some(snapshot) };
            return Ok(Self::of(calls, opening, settings, (&record, base), loaded, Mark::default()));
        }
    }
}

/// Returns the snapshots of a volume, the oldest first. Any host may ask. One that is being taken may be among them.
///
/// # Errors
/// If there is no such volume, or the store fails.
pub async fn snapshots<S: Store + Clone, H: Host>(
    store: &S,
    host: &H,
    name: &str,
) -> Result<Vec<SnapshotSummary>, VolumeError> {
    let calls = Calls { store: store.clone(), host: host.clone() };
    let (volume, _) = find_volume(&calls, name).await?;
    let table = calls.newest_table(volume).await?;
    Ok(table.snapshots.iter().map(|snapshot| snapshot.summary(volume)).collect())
}
