//! A volume that is open: the block device. Everything that completed between two flushes becomes durable with the second one as a whole, or not
//! at all.
//!
//! ```text
//! write, flush:  groups on their way to the store (commit.rs)
//! read:          layers in memory, newest first ── the map ── one range of an object for neighbours ── checked, decompressed (read.rs), ahead of reads that follow
//!                each other (read_ahead.rs)
//! at rest:       checkpoints, cleaning, deletes (upkeep.rs), a look for another host every few seconds (state.rs)
//! ```

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use block::{
    BlockDevice, BlockError, Buffer, ByteRange, ErrorKind, Geometry, Host, Operation, Outcome, PAGE, Unmap,
};
use tokio::sync::{Mutex, Notify};

use super::base::{Base, open_base};
use super::calls::Calls;
use super::chunk::Compression;
use super::deduplication::Deduplication;
use super::error::VolumeError;
use super::group::{Extent, Group};
use super::load::{Loaded, find_volume, load, load_newest, read_record};
use super::mark::{Mark, Marks, Owner};
use super::names::{SnapshotId, VolumeId};
use super::read_ahead::ReadStreams;
use super::read_buffer::ReadBuffer;
use super::record::{self, StartRecord, TailRecord, VolumeRecord};
use super::settings::VolumeSettings;
use super::snapshots::Snapshots;
use super::state::{Shared, State, VolumeStatistics};
use super::store::Store;

/// A volume, or a snapshot of one, that is being opened.
pub(crate) struct Opening {
    pub(crate) name: String,
    pub(crate) volume: VolumeId,
    pub(crate) epoch: Option<u64>,
    pub(crate) snapshot: Option<SnapshotId>,
}

/// A disk as a log of objects, open for writing, or for reading alone.
pub struct Volume<S: Store, H: Host>(pub(crate) Rc<Shared<S, H>>);

impl<S: Store, H: Host> Volume<S, H> {
    /// Opens a volume for writing. It takes an epoch: from then on no other host that has it open can confirm anything. Whether that is
    /// wanted is the caller's to know, by [`peek`](super::peek).
    ///
    /// # Errors
    /// If there is none, the store fails, an object is damaged, or another host takes it at the same time.
    pub async fn open(
        store: S,
        host: H,
        name: &str,
        owner: &Owner,
        settings: VolumeSettings,
    ) -> Result<Self, VolumeError>
    where
        S: Clone,
    {
        Self::open_on(store, host, name, owner, settings, None).await
    }

    /// Opens a volume for writing as [`Self::open`] does. If it is a clone and `base` is given, that is read in the place of its parent's
    /// snapshot, and has the same content.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub async fn open_on(
        store: S,
        host: H,
        name: &str,
        owner: &Owner,
        settings: VolumeSettings,
        base: Option<Rc<dyn Base>>,
    ) -> Result<Self, VolumeError>
    where
        S: Clone,
    {
        let calls = Calls { store, host };
        let (volume, _) = find_volume(&calls, name).await?;
        let epoch = calls.take_epoch(volume, owner.after).await?;
        // A delete takes an epoch after the record is gone. So this is fenced by it, or finds no record here.
        let record = read_record(&calls, volume).await?;
        let load = async {
            let loaded = load(&calls, volume, epoch - 1).await?;
            let started = loaded.start.as_ref().map(|(epoch, _)| *epoch);
            if let Some(lost) = calls.lost_start(volume, epoch - 1, started).await? {
                return Err(lost);
            }
            let mark = calls.mark_since(volume, loaded.start.clone()).await?;
            let pins = calls.pins_of(volume, &loaded.snapshots).await?;
            let base = base_or(base, &calls, &record, settings).await?;
            Ok::<_, VolumeError>((loaded, mark, pins, base))
        };
        let (loaded, mark, pins, base) = match load.await {
            Ok(loaded) => loaded,
            Err(error) => {
                // Another one that took it since deletes what this one reads.
                calls.check_epoch(volume, epoch).await?;
                return Err(error);
            }
        };
        let start = StartRecord {
            checkpoint: loaded.checkpoint.map(|key| [key.epoch, key.number]),
            tail: loaded.tail.iter().copied().filter(|tail| !is_nothing(tail)).collect(),
            bytes: loaded.content.bytes,
            mark: mark.taken_by(owner),
            snapshots: loaded.snapshots.clone(),
        };
        calls.create(&volume.start(epoch), &record::encode(&start)).await?;
        calls.check_epoch(volume, epoch).await?;
        let opening = Opening { name: name.to_owned(), volume, epoch: Some(epoch), snapshot: None };
        let opened = Self::of(calls, opening, settings, (&record, base), loaded, start.mark);
        {
            let mut state = opened.0.state.borrow_mut();
            state.snapshots.pins = pins;
            state.count_snapshot_bytes();
        }
        Shared::watch(&opened.0);
        Shared::keep_in_shape(&opened.0);
        Ok(opened)
    }

    /// Opens a volume for reading, as of its last group. A host that writes it goes on; once cleaning deleted what this one reads, reads fail.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub async fn open_read_only(
        store: S,
        host: H,
        name: &str,
        settings: VolumeSettings,
    ) -> Result<Self, VolumeError>
    where
        S: Clone,
    {
        Self::open_read_only_on(store, host, name, settings, None).await
    }

    /// Opens a volume for reading as [`Self::open_read_only`] does, with `base` as in [`Self::open_on`].
    ///
    /// # Errors
    /// As [`Self::open`].
    pub async fn open_read_only_on(
        store: S,
        host: H,
        name: &str,
        settings: VolumeSettings,
        base: Option<Rc<dyn Base>>,
    ) -> Result<Self, VolumeError>
    where
        S: Clone,
    {
        let calls = Calls { store, host };
        let (volume, record) = find_volume(&calls, name).await?;
        let base = base_or(base, &calls, &record, settings).await?;
        let mut loaded = load_newest(&calls, volume).await?;
        let mark = std::mem::take(&mut loaded.mark);
        let opening = Opening { name: name.to_owned(), volume, epoch: None, snapshot: None };
        Ok(Self::of(calls, opening, settings, (&record, base), loaded, mark))
    }

    pub(crate) fn of(
        calls: Calls<S, H>,
        opening: Opening,
        settings: VolumeSettings,
        (record, base): (&VolumeRecord, Option<Rc<dyn Base>>),
        loaded: Loaded,
        mark: Mark,
    ) -> Self {
        let looked_at = calls.host.now();
        let Loaded { content, checkpoint, regions, header_bytes, tail, body, snapshots, .. } = loaded;
        let Opening { name, volume, epoch, snapshot } = opening;
        let len = |tail: &TailRecord| tail.data[1] - tail.data[0] + (tail.copies[1] - tail.copies[0]);
        let found_behind = tail.iter().map(len).sum();
        let deduplicates = record.deduplicate && epoch.is_some();
        let index_bytes = if deduplicates { settings.index_bytes } else { 0 };
        let state = State {
            bytes: content.bytes,
            content,
            open: Group::new(1),
            closing: None,
            next_sequence: 0,
            in_flight: BTreeSet::new(),
            counted: 0,
            next_copies: 0,
            failure: None,
            fenced: None,
            is_closed: false,
            looked_at,
            abandoned: 0,
            header_bytes,
            checkpoint,
            checkpointed: [0; 2],
            found_behind,
            next_part: 0,
            damaged: BTreeSet::new(),
            regions,
            doomed: BTreeSet::new(),
            doomed_parts: BTreeSet::new(),
            body,
            snapshots: Snapshots::new(snapshots),
            is_kept: false,
            upkeep_failure: None,
            upkeep_rests_until: 0,
            deduplication: Deduplication::new(index_bytes),
            statistics: VolumeStatistics::default(),
        };
        Self(Rc::new(Shared {
            calls,
            volume,
            name,
            snapshot,
            base,
            epoch,
            settings,
            compression: Compression::parse(&record.compression).unwrap_or_default(),
            state: RefCell::new(state),
            read_buffer: ReadBuffer::new(settings.read_ahead_bytes),
            read_streams: RefCell::new(ReadStreams::new(settings.read_ahead_bytes)),
            progress: Notify::new(),
            mark,
            turn: Mutex::default(),
            upkeep: Mutex::default(),
        }))
    }

    /// Returns true if all pages that a range touches come from the snapshot of which it is a clone, at present.
    pub fn is_inherited(&self, range: ByteRange) -> bool {
        self.0.is_inherited(&(range.start / PAGE..range.end.div_ceil(PAGE)))
    }

    /// Returns the size of the disk in bytes that is durable. The device may have another one already, which becomes durable with a flush.
    pub fn durable_bytes(&self) -> u64 {
        self.0.state.borrow().content.bytes
    }

    /// Makes a checkpoint unless nothing is behind the newest one, and deletes what is left to be: a snapshot has less to do then.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn prepare_snapshot(&self) -> Result<(), VolumeError> {
        self.0.checkpoint_if_behind().await
    }

    /// Returns its identity.
    pub fn id(&self) -> VolumeId {
        self.0.volume
    }

    /// Returns the mark with which it was opened; if that was for writing, as this opening changed it.
    pub fn mark(&self) -> &Mark {
        &self.0.mark
    }

    /// Returns what changes its mark; none if it is open for reading alone.
    pub fn marks(&self) -> Option<Marks<S>>
    where
        S: Clone,
    {
        Some(Marks::new(self.0.calls.store.clone(), self.0.volume, self.0.epoch?))
    }

    /// Returns the number of the other host's epoch, if one opened the volume for writing since.
    pub fn fenced(&self) -> Option<u64> {
        self.0.state.borrow().fenced
    }

    /// Returns what it did since it was opened, and what it is.
    pub fn statistics(&self) -> VolumeStatistics {
        let state = self.0.state.borrow();
        let alive = state.content.objects.alive();
        VolumeStatistics {
            epoch: self.0.epoch,
            taken_at: state.content.taken_at,
            mapped_bytes: state.content.map.mapped() * PAGE,
            stored_bytes: state.content.objects.stored(),
            packed_bytes: [alive.pages * PAGE, alive.stored],
            inherited_bytes: state.content.inherited_pages() * PAGE,
            referring_bytes: state.content.referring.count() * PAGE,
            snapshots: state.snapshots.table.len() as u64,
            compression: self.0.compression,
            deduplicates: state.deduplication.is_on(),
            map_bytes: state.content.map.bytes()
                + state.content.referring.bytes()
                + self.0.read_buffer.borrow().taken(),
            index_bytes: state.deduplication.index_bytes(),
            failure: state.failure.clone(),
            upkeep_failure: state.upkeep_failure.clone(),
            ..state.statistics.clone()
        }
    }

    /// Sets the size of the disk in bytes, a multiple of 1 MiB, with everything that completed before. What lies behind it is lost.
    ///
    /// # Errors
    /// `InvalidRequest` if a volume cannot have this size; those of a flush: then the size is the one before or this one.
    pub async fn resize(&self, bytes: u64) -> Result<(), BlockError> {
        self.0.usable(Operation::Write)?;
        super::manage::check_size(bytes).map_err(|error| {
            BlockError::anywhere(ErrorKind::InvalidRequest, Operation::Write).because(error)
        })?;
        {
            let mut state = self.0.state.borrow_mut();
            state.open.resizes = true;
            if bytes < state.bytes {
                let behind = bytes / PAGE..state.bytes / PAGE;
                state.open.open.extents.insert(behind, Extent::Zeroes);
            }
            state.bytes = bytes;
        }
        self.flush().await
    }

    /// Ends the use at once: later requests fail, and what no flush made durable is dropped.
    pub fn end(&self) {
        self.0.close();
    }

    /// Ends the use: makes a checkpoint if anything is behind the newest one, so that the next open is quick. What no flush made durable is
    /// dropped. Later requests fail.
    ///
    /// # Errors
    /// If the checkpoint could not be made: the volume is whole all the same.
    pub async fn close(&self) -> Result<(), VolumeError> {
        let made = match self.0.epoch {
            Some(_) if self.fenced().is_none() => {
                let shared = Rc::clone(&self.0);
                let checkpoint = async move { shared.checkpoint_if_behind().await };
                self.0.calls.host.to_its_end(checkpoint).await
            }
            _ => Ok(()),
        };
        self.0.close();
        made
    }
}

impl<S: Store, H: Host> Drop for Volume<S, H> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Returns the device below a volume: `base` if it is a clone and that is given, else its parent's snapshot; none if it is no clone.
async fn base_or<S: Store + Clone, H: Host>(
    base: Option<Rc<dyn Base>>,
    calls: &Calls<S, H>,
    record: &VolumeRecord,
    settings: VolumeSettings,
) -> Result<Option<Rc<dyn Base>>, VolumeError> {
    match base {
        Some(base) if record.parent.is_some() => Ok(Some(base)),
        _ => open_base(calls, record, settings).await,
    }
}

fn is_nothing(tail: &TailRecord) -> bool {
    tail.data[0] == tail.data[1] && tail.copies[0] == tail.copies[1]
}

impl<S: Store, H: Host> BlockDevice for Volume<S, H> {
    fn geometry(&self) -> Geometry {
        self.0.geometry()
    }

    async fn read(&self, offset: u64, mut buffer: Buffer) -> Outcome {
        let read = async {
            let range = self.geometry().check(Operation::Read, offset, buffer.len() as u64)?;
            self.0.usable(Operation::Read)?;
            Shared::read_into(&self.0, range, &mut buffer).await
        };
        let result = read.await;
        (buffer, result)
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        let range = match self.geometry().check(Operation::Write, offset, buffer.len() as u64) {
            Ok(range) => range,
            Err(error) => return (buffer, Err(error)),
        };
        let extent = || Extent::Memory(Rc::new(Buffer::copy_of(&buffer)), offset / PAGE);
        let result = Shared::change(&self.0, Operation::Write, range, extent).await;
        (buffer, result)
    }

    async fn flush(&self) -> Result<(), BlockError> {
        let shared = Rc::clone(&self.0);
        self.0.calls.host.to_its_end(async move { Shared::commit(&shared).await }).await
    }

    async fn write_zeroes(&self, range: ByteRange, _unmap: Unmap) -> Result<(), BlockError> {
        let range = self.geometry().check(Operation::WriteZeroes, range.start, range.len())?;
        Shared::change(&self.0, Operation::WriteZeroes, range, || Extent::Zeroes).await
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        let range = self.geometry().check(Operation::Discard, range.start, range.len())?;
        Shared::change(&self.0, Operation::Discard, range, || Extent::Zeroes).await
    }

    fn abandon_group(&self) {
        self.0.abandon();
    }

    async fn extents(&self, range: ByteRange) -> Result<Vec<block::Extent>, BlockError> {
        let range = self.geometry().check(Operation::Read, range.start, range.len())?;
        self.0.usable(Operation::Read)?;
        let mut extents: Vec<block::Extent> = Vec::new();
        let mut add = |bytes: ByteRange, allocated| match extents.last_mut() {
            Some(last) if last.allocated == allocated => last.range.end = bytes.end,
            _ => extents.push(block::Extent { range: bytes, allocated }),
        };
        for (pages, extent) in self.0.extents_of(&(range.start / PAGE..range.end / PAGE)).iter() {
            let bytes = ByteRange::new(pages.start * PAGE, pages.end * PAGE);
            match (extent, &self.0.base) {
                (Extent::Inherited, Some(base)) => {
                    base.extents(bytes).await?.iter().for_each(|extent| add(extent.range, extent.allocated));
                }
                _ => add(bytes, !matches!(extent, Extent::Zeroes)),
            }
        }
        Ok(extents)
    }
}
