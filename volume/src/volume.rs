//! A volume that is open: the block device.
//!
//! ```text
//! write:  into the open layer in memory ── 8 MiB of it ── sealed: an object, put by a task of its own
//! flush:  the group is closed, its last object says so ── all objects up to it are there ── a look at the epoch ── it counts: the map
//! read:   layers in memory, newest first ── the map ── one range of an object for neighbours ── checked, decompressed
//! ```
//! Everything that completed between two flushes becomes durable with the second one as a whole, or not at all. Objects are put again and again while
//! the store does not take them; a flush fails when the store refuses, and waits while it gives no answer.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::pin::pin;
use std::rc::{Rc, Weak};

use block::{
    BlockDevice, BlockError, Buffer, ByteRange, ErrorKind, Geometry, Host, Operation, Outcome, PAGE, Unmap,
};
use bytes::Bytes;
use tokio::sync::{Mutex, Notify};

use super::calls::{Calls, rest_after};
use super::canary::{self, Bug};
use super::checkpoint::RegionPlace;
use super::chunk::Compression;
use super::content::Content;
use super::error::VolumeError;
use super::group::{Encoding, Extent, Group, Layer, SharedLayer};
use super::load::{Loaded, find_volume, load, load_newest, read_record};
use super::mark::{Mark, Marks, Owner};
use super::names::{CheckpointKey, ObjectKey, PartKey, VolumeId};
use super::object::Header;
use super::record::{self, StartRecord, TailRecord};
use super::settings::VolumeSettings;
use super::store::{Store, StoreError, StoreErrorKind};

/// Pages that are compressed before others of the thread have a turn.
const STEP_PAGES: u64 = 32;

/// Bytes of memory that a range of zeroes counts for, so that many of them become an object as well.
const ZEROES_BYTES: u64 = 64;

/// Reason of the errors of an abandoned group.
const ABANDONED: &str = "the group was abandoned";

/// A disk as a log of objects, open for writing, or for reading alone.
pub struct Volume<S: Store, H: Host>(pub(crate) Rc<Shared<S, H>>);

pub(crate) struct Shared<S, H> {
    pub(crate) calls: Calls<S, H>,
    pub(crate) volume: VolumeId,
    /// None if it is open for reading alone.
    pub(crate) epoch: Option<u64>,
    pub(crate) settings: VolumeSettings,
    pub(crate) compression: Compression,
    pub(crate) state: RefCell<State>,
    /// Notified when an object is there, or a put failed.
    pub(crate) progress: Notify,
    /// The mark with which it was opened.
    mark: RefCell<Mark>,
    /// Held by a flush.
    turn: Mutex<()>,
    /// Held by what makes checkpoints and copies.
    pub(crate) upkeep: Mutex<()>,
}

pub(crate) struct State {
    /// The content that groups which count made of it.
    pub(crate) content: Content,
    /// Size of the disk in bytes, as it becomes durable with the open group.
    bytes: u64,
    pub(crate) open: Group,
    pub(crate) closing: Option<Group>,
    next_sequence: u64,
    /// Sequences of objects that are not known to be there.
    in_flight: BTreeSet<u64>,
    /// Sequence behind the last group that counts, in this epoch.
    pub(crate) counted: u64,
    pub(crate) next_copies: u64,
    /// Answer of the store to the last try of a put, if it refused.
    pub(crate) failure: Option<StoreError>,
    pub(crate) fenced: Option<u64>,
    pub(crate) is_closed: bool,
    looked_at: u64,
    /// Groups that were abandoned.
    abandoned: u64,
    /// Bytes of headers behind the newest checkpoint.
    pub(crate) header_bytes: u64,
    pub(crate) checkpoint: Option<CheckpointKey>,
    /// Sequences of data and copies of this epoch that the newest checkpoint covers.
    pub(crate) checkpointed: [u64; 2],
    /// Objects of earlier epochs behind the newest checkpoint.
    pub(crate) found_behind: u64,
    /// Number of the last part of a checkpoint.
    pub(crate) next_part: u32,
    /// Objects with damaged content, which cleaning leaves alone.
    pub(crate) damaged: BTreeSet<u32>,
    pub(crate) regions: BTreeMap<u64, RegionPlace>,
    /// Body of the newest checkpoint.
    pub(crate) body: Option<PartKey>,
    /// Objects that the newest checkpoint does not need, and that are not deleted yet.
    pub(crate) doomed: BTreeSet<u32>,
    /// Parts of checkpoints of that kind.
    pub(crate) doomed_parts: BTreeSet<PartKey>,
    /// True while a task keeps it in shape.
    pub(crate) is_kept: bool,
    pub(crate) statistics: VolumeStatistics,
}

/// Counters of a volume since it was opened, and its size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VolumeStatistics {
    /// Number of this opening; none if it is for reading alone.
    pub epoch: Option<u64>,
    /// Time of the last group that counts, in nanoseconds since 1970; 0 before the first.
    pub taken_at: u64,
    /// Groups that became durable.
    pub groups: u64,
    /// Bytes that were written to it, without zeroes.
    pub written_bytes: u64,
    /// Bytes of objects that were put for that.
    pub put_bytes: u64,
    /// Bytes of objects that cleaning put.
    pub copied_bytes: u64,
    /// Bytes of checkpoints.
    pub checkpoint_bytes: u64,
    /// Checkpoints that were made.
    pub checkpoints: u64,
    /// Objects that were deleted.
    pub deleted: u64,
    /// Bytes that have content.
    pub mapped_bytes: u64,
    /// Bytes of objects with content.
    pub stored_bytes: u64,
    /// Bytes of RAM that the map takes.
    pub map_bytes: u64,
    /// Words of the store, if it refuses at present.
    pub failure: Option<String>,
}

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
    ) -> Result<Self, VolumeError> {
        let calls = Calls { store, host };
        let (volume, _) = find_volume(&calls, name).await?;
        let epoch = calls.take_epoch(volume, owner.after).await?;
        // A delete takes an epoch after the record is gone. So this is fenced by it, or finds no record here.
        let record = read_record(&calls, volume).await?;
        let loaded = match load(&calls, volume, epoch - 1).await {
            Ok(loaded) => loaded,
            Err(error) => {
                // Another one that took it since deletes what this one reads.
                calls.check_epoch(volume, epoch).await?;
                return Err(error);
            }
        };
        let start = StartRecord {
            nonce: calls.host.random(),
            checkpoint: loaded.checkpoint.map(|key| [key.epoch, key.number]),
            tail: loaded.tail.iter().copied().filter(|tail| !is_nothing(tail)).collect(),
            bytes: loaded.content.bytes,
            mark: calls.newest_mark(volume, epoch - 1).await?.taken_by(owner),
        };
        calls.create(&volume.start(epoch), &record::encode(&start)).await?;
        calls.check_epoch(volume, epoch).await?;
        let opened = Self::of(calls, volume, Some(epoch), settings, &record.compression, loaded);
        opened.0.mark.replace(start.mark);
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
    ) -> Result<Self, VolumeError> {
        let calls = Calls { store, host };
        let (volume, record) = find_volume(&calls, name).await?;
        let loaded = load_newest(&calls, volume).await?;
        let newest = calls.newest_epoch(volume).await?;
        let mark = calls.newest_mark(volume, newest).await?;
        let opened = Self::of(calls, volume, None, settings, &record.compression, loaded);
        opened.0.mark.replace(mark);
        Ok(opened)
    }

    fn of(
        calls: Calls<S, H>,
        volume: VolumeId,
        epoch: Option<u64>,
        settings: VolumeSettings,
        compression: &str,
        loaded: Loaded,
    ) -> Self {
        let looked_at = calls.host.now();
        let Loaded { content, checkpoint, regions, header_bytes, tail, body } = loaded;
        let len = |tail: &TailRecord| tail.data[1] - tail.data[0] + (tail.copies[1] - tail.copies[0]);
        let found_behind = tail.iter().map(len).sum();
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
            is_kept: false,
            statistics: VolumeStatistics::default(),
        };
        Self(Rc::new(Shared {
            calls,
            volume,
            epoch,
            settings,
            compression: Compression::parse(compression).unwrap_or_default(),
            state: RefCell::new(state),
            progress: Notify::new(),
            mark: RefCell::default(),
            turn: Mutex::default(),
            upkeep: Mutex::default(),
        }))
    }

    /// Returns its identity.
    pub fn id(&self) -> VolumeId {
        self.0.volume
    }

    /// Returns the mark that it had when it was opened, as this opening changed it.
    pub fn mark(&self) -> Mark {
        self.0.mark.borrow().clone()
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
        VolumeStatistics {
            epoch: self.0.epoch,
            taken_at: state.content.taken_at,
            mapped_bytes: state.content.map.mapped() * PAGE,
            stored_bytes: state.content.objects.stored(),
            map_bytes: state.content.map.bytes(),
            failure: state.failure.as_ref().map(ToString::to_string),
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

fn is_nothing(tail: &TailRecord) -> bool {
    tail.data[0] == tail.data[1] && tail.copies[0] == tail.copies[1]
}

impl<S: Store, H: Host> Shared<S, H> {
    fn close(&self) {
        self.state.borrow_mut().is_closed = true;
        self.progress.notify_waiters();
    }

    /// Fails if it must not be used, or written.
    pub(crate) fn usable(&self, operation: Operation) -> Result<(), BlockError> {
        let state = self.state.borrow();
        let error = |kind, reason: String| Err(BlockError::anywhere(kind, operation).because(reason));
        if let Some(epoch) = state.fenced {
            return error(ErrorKind::Gone, VolumeError::Fenced { epoch }.to_string());
        }
        if state.is_closed {
            return error(ErrorKind::Gone, "the volume is closed".to_owned());
        }
        if self.epoch.is_none() && operation != Operation::Read && operation != Operation::Flush {
            return error(ErrorKind::ReadOnly, "the volume is open for reading alone".to_owned());
        }
        Ok(())
    }

    /// Looks for another host. Records that there is one.
    pub(crate) async fn look(&self) -> Result<(), VolumeError> {
        let Some(epoch) = self.epoch else { return Ok(()) };
        let looked = self.calls.check_epoch(self.volume, epoch).await;
        let mut state = self.state.borrow_mut();
        match &looked {
            Ok(()) => state.looked_at = self.calls.host.now(),
            Err(VolumeError::Fenced { epoch }) => {
                state.fenced = Some(*epoch);
                self.progress.notify_waiters();
            }
            Err(_) => {}
        }
        looked
    }

    /// Looks for another host every few seconds at rest.
    fn watch(shared: &Rc<Self>) {
        let weak: Weak<Self> = Rc::downgrade(shared);
        let host = shared.calls.host.clone();
        let pause = shared.settings.look_ns;
        shared.calls.host.spawn(async move {
            loop {
                host.sleep(pause).await;
                let Some(shared) = weak.upgrade() else { return };
                let (is_over, looked_at) = {
                    let state = shared.state.borrow();
                    (state.is_closed || state.fenced.is_some(), state.looked_at)
                };
                if is_over {
                    return;
                }
                if host.now().saturating_sub(looked_at) >= pause {
                    drop(shared.look().await);
                }
            }
        });
    }

    /// Waits until `ready` returns something, asking whenever an object is there or a put failed.
    pub(crate) async fn until<T>(&self, mut ready: impl FnMut(&mut State) -> Option<T>) -> T {
        loop {
            let mut progress = pin!(self.progress.notified());
            progress.as_mut().enable();
            if let Some(result) = ready(&mut self.state.borrow_mut()) {
                return result;
            }
            progress.await;
        }
    }

    /// Returns the sequence below which all objects are there.
    fn all_below(state: &State) -> u64 {
        state.in_flight.first().copied().unwrap_or(state.next_sequence)
    }

    /// Seals the open layer once there is room for one more object on its way, if `wanted` says so then.
    async fn seal(shared: &Rc<Self>, wanted: impl Fn(&State) -> bool) -> Result<(), BlockError> {
        Self::wait_for_room(shared, Operation::Write, &wanted).await?;
        if wanted(&shared.state.borrow()) {
            Self::put_layer(shared, false);
        }
        Ok(())
    }

    /// Waits until one more object may be on its way, or it is not wanted any more. Fails while the store refuses.
    async fn wait_for_room(
        shared: &Rc<Self>,
        operation: Operation,
        wanted: impl Fn(&State) -> bool,
    ) -> Result<(), BlockError> {
        let most = shared.settings.puts_at_once;
        let ready = shared.until(|state| {
            if state.in_flight.len() < most || !wanted(state) {
                return Some(Ok(()));
            }
            let failure = state.failure.as_ref().map(|error| block_error(error, operation));
            let is_over = state.fenced.is_some() || state.is_closed;
            failure.or_else(|| is_over.then(|| gone(operation))).map(Err)
        });
        ready.await?;
        shared.usable(operation)
    }

    /// Seals the open layer of the open group, or of the closing one as its end, and puts it.
    fn put_layer(shared: &Rc<Self>, ends: bool) {
        let mut state = shared.state.borrow_mut();
        let State { open, closing, bytes, next_sequence, in_flight, counted, .. } = &mut *state;
        let group = if ends { closing.as_mut().expect("it is closing") } else { open };
        let layer: SharedLayer = Rc::new(RefCell::new(std::mem::take(&mut group.open)));
        let place = group.sealed.len() as u32;
        group.sealed.push(Rc::clone(&layer));
        let sequence = *next_sequence;
        *next_sequence += 1;
        in_flight.insert(sequence);
        if ends {
            group.end = Some(*next_sequence);
        }
        let header = Header {
            volume: shared.volume,
            key: ObjectKey {
                is_copies: false,
                epoch: shared.epoch.expect("it is open for writing"),
                sequence,
            },
            group: group.number,
            place,
            ends,
            taken_at: group.taken_at,
            bytes: *bytes,
            nonce: shared.calls.host.random(),
            counted: *counted,
            chunks: Vec::new(),
            zeroes: Vec::new(),
            sources: Vec::new(),
        };
        drop(state);
        let ours = Rc::clone(shared);
        shared.calls.host.spawn(async move { ours.put(layer, header).await });
    }

    /// Encodes a layer and puts its object, until it is there.
    async fn put(&self, layer: SharedLayer, mut header: Header) {
        let mut encoding = Encoding::new(&layer.borrow(), self.compression);
        while encoding.step(STEP_PAGES) {
            yield_now().await;
        }
        header.chunks = encoding.chunks.entries;
        header.zeroes = encoding.zeroes;
        let bytes = Bytes::from(header.encode(&encoding.chunks.bytes));
        drop(encoding.chunks.bytes);
        let name = self.volume.object(header.key);
        let mut tries = 0;
        loop {
            let error = match self.calls.create_once(&name, &bytes).await {
                Ok(()) => break,
                Err(error) => error,
            };
            if self.state.borrow().is_closed || self.state.borrow().fenced.is_some() {
                return;
            }
            if !error.kind.is_transient() {
                self.state.borrow_mut().failure = Some(error);
                self.progress.notify_waiters();
            }
            self.calls.host.sleep(rest_after(tries)).await;
            tries += 1;
        }
        let mut state = self.state.borrow_mut();
        state.failure = None;
        state.in_flight.remove(&header.key.sequence);
        state.statistics.put_bytes += bytes.len() as u64;
        state.header_bytes += header.header_bytes();
        let object = state.content.add(&header, bytes.len() as u64);
        let mut layer = layer.borrow_mut();
        let mut extents = super::range_map::RangeMap::default();
        header.zeroes.iter().for_each(|range| extents.insert(range.clone(), Extent::Zeroes));
        for chunk in &header.chunks {
            extents.insert(chunk.range(), Extent::Stored(chunk.location(object), chunk.page));
        }
        layer.extents = extents;
        layer.header = Some(header);
        self.progress.notify_waiters();
    }

    /// Makes durable what completed before.
    async fn commit(shared: &Rc<Self>) -> Result<(), BlockError> {
        let _turn = shared.turn.lock().await;
        loop {
            shared.usable(Operation::Flush)?;
            let is_earlier = shared.state.borrow().closing.is_some();
            if !is_earlier && !shared.state.borrow().open.is_empty() {
                // Objects of groups that were abandoned may still be on their way, and are in the way of this one.
                Self::wait_for_room(shared, Operation::Flush, |_| true).await?;
            }
            {
                let mut state = shared.state.borrow_mut();
                if !is_earlier {
                    if state.open.is_empty() {
                        return Ok(());
                    }
                    let next = Group::new(state.open.number + 1);
                    let mut group = std::mem::replace(&mut state.open, next);
                    group.taken_at = (shared.settings.wall_time)();
                    state.closing = Some(group);
                    drop(state);
                    Self::put_layer(shared, true);
                }
            }
            Self::confirm(shared).await?;
            // Behind a group of an earlier flush that failed is what completed since. What came later is for the next flush: a guest that
            // goes on writing would keep this one for ever.
            if !is_earlier {
                return Ok(());
            }
        }
    }

    /// Waits until the closing group is there and may count, and lets it.
    async fn confirm(shared: &Rc<Self>) -> Result<(), BlockError> {
        let of_closing =
            |state: &State| state.closing.as_ref().and_then(|group| Some((group.number, group.end?)));
        let (number, end) = of_closing(&shared.state.borrow()).expect("one is closing");
        let is_there = |state: &mut State| {
            if of_closing(state).map(|(number, _)| number) != Some(number) {
                return Some(Err(BlockError::anywhere(ErrorKind::Io, Operation::Flush).because(ABANDONED)));
            }
            if Self::all_below(state) >= end
                || canary::has(Bug::GroupWithHole) && !state.in_flight.contains(&(end - 1))
            {
                return Some(Ok(()));
            }
            let failure = state.failure.as_ref().map(|error| block_error(error, Operation::Flush));
            let is_over = state.fenced.is_some() || state.is_closed;
            failure.or_else(|| is_over.then(|| gone(Operation::Flush))).map(Err)
        };
        if canary::has(Bug::LookBeforeObjects) {
            shared.look().await.map_err(|error| volume_error(&error, Operation::Flush))?;
        }
        shared.until(is_there).await?;
        if !canary::has(Bug::LookBeforeObjects) {
            shared.look().await.map_err(|error| volume_error(&error, Operation::Flush))?;
        }
        let mut state = shared.state.borrow_mut();
        let Some(group) = state.closing.take_if(|group| group.number == number) else {
            return Err(BlockError::anywhere(ErrorKind::Io, Operation::Flush).because(ABANDONED));
        };
        for layer in &group.sealed {
            let layer = layer.borrow();
            let Some(header) = &layer.header else { continue };
            let stored = header.stored_bytes();
            state.content.apply(header, stored);
        }
        state.counted = end;
        state.statistics.groups += 1;
        drop(state);
        Self::keep_in_shape(shared);
        Ok(())
    }

    /// Adds a change to the open layer.
    async fn change(
        shared: &Rc<Self>,
        operation: Operation,
        range: ByteRange,
        extent: impl FnOnce() -> Extent,
    ) -> Result<(), BlockError> {
        shared.usable(operation)?;
        let is_full = |state: &State| state.open.open.bytes >= shared.settings.object_bytes;
        let abandoned = shared.state.borrow().abandoned;
        while is_full(&shared.state.borrow()) {
            Self::seal(shared, is_full).await?;
            if shared.state.borrow().abandoned != abandoned {
                // It was a part of that group, and must not become one of the next.
                return Err(BlockError::anywhere(ErrorKind::Io, operation).because(ABANDONED));
            }
        }
        // The disk may have become smaller meanwhile.
        shared.geometry().check(operation, range.start, range.len())?;
        let extent = extent();
        let mut state = shared.state.borrow_mut();
        if let Extent::Memory(buffer, _) = &extent {
            state.open.open.bytes += buffer.len() as u64;
            state.statistics.written_bytes += buffer.len() as u64;
        } else {
            state.open.open.bytes += ZEROES_BYTES;
        }
        state.open.open.extents.insert(range.start / PAGE..range.end / PAGE, extent);
        Ok(())
    }

    fn geometry(&self) -> Geometry {
        let bytes = self.state.borrow().bytes;
        Geometry {
            alignment: PAGE,
            physical_block: PAGE,
            read_only: self.epoch.is_none(),
            atomic_flushes: true,
            ..Geometry::plain(bytes)
        }
    }

    /// Returns what pages are, in order and without gaps.
    pub(crate) fn extents_of(&self, pages: &Range<u64>) -> super::range_map::RangeMap<Extent> {
        let state = self.state.borrow();
        let mut found = super::range_map::RangeMap::default();
        found.insert(pages.clone(), Extent::Zeroes);
        for run in state.content.map.runs(pages.clone()) {
            let first = run.pages.start - u64::from(run.location.index);
            found.insert(run.pages, Extent::Stored(run.location.at(0), first));
        }
        let mut add = |layer: &Layer| {
            for (range, extent) in layer.extents.touching(pages) {
                let within = range.start.max(pages.start)..range.end.min(pages.end);
                found.insert(within, extent.clone());
            }
        };
        for group in state.closing.iter().chain([&state.open]) {
            group.sealed.iter().for_each(|layer| add(&layer.borrow()));
            add(&group.open);
        }
        found
    }
}

impl<S: Store, H: Host> BlockDevice for Volume<S, H> {
    fn geometry(&self) -> Geometry {
        self.0.geometry()
    }

    async fn read(&self, offset: u64, mut buffer: Buffer) -> Outcome {
        let read = async {
            let range = self.geometry().check(Operation::Read, offset, buffer.len() as u64)?;
            self.0.usable(Operation::Read)?;
            self.0.read_into(range, &mut buffer).await
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
        let mut state = self.0.state.borrow_mut();
        let number = state.open.number + 1;
        state.open = Group::new(number);
        state.closing = None;
        state.abandoned += 1;
        drop(state);
        // A flush that waits for the group ends.
        self.0.progress.notify_waiters();
    }

    async fn extents(&self, range: ByteRange) -> Result<Vec<block::Extent>, BlockError> {
        let range = self.geometry().check(Operation::Read, range.start, range.len())?;
        self.0.usable(Operation::Read)?;
        let mut extents: Vec<block::Extent> = Vec::new();
        for (pages, extent) in self.0.extents_of(&(range.start / PAGE..range.end / PAGE)).iter() {
            let allocated = !matches!(extent, Extent::Zeroes);
            let bytes = ByteRange::new(pages.start * PAGE, pages.end * PAGE);
            match extents.last_mut() {
                Some(last) if last.allocated == allocated => last.range.end = bytes.end,
                _ => extents.push(block::Extent { range: bytes, allocated }),
            }
        }
        Ok(extents)
    }
}

/// Lets other tasks of the thread have a turn.
pub(crate) async fn yield_now() {
    let has_yielded = Cell::new(false);
    std::future::poll_fn(|context| {
        if has_yielded.replace(true) {
            return std::task::Poll::Ready(());
        }
        context.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
}

fn gone(operation: Operation) -> BlockError {
    BlockError::anywhere(ErrorKind::Gone, operation)
        .because("the volume is closed, or another host opened it")
}

/// Returns the error of a device for that of a store.
pub(crate) fn block_error(error: &StoreError, operation: Operation) -> BlockError {
    let kind = match error.kind {
        StoreErrorKind::Full => ErrorKind::NoSpace,
        StoreErrorKind::Denied => ErrorKind::ReadOnly,
        _ => ErrorKind::Io,
    };
    BlockError::anywhere(kind, operation).because(error)
}

pub(crate) fn volume_error(error: &VolumeError, operation: Operation) -> BlockError {
    match error {
        VolumeError::Store(error) => block_error(error, operation),
        VolumeError::Fenced { .. } => BlockError::anywhere(ErrorKind::Gone, operation).because(error),
        VolumeError::Damaged { .. } => BlockError::anywhere(ErrorKind::Corrupt, operation).because(error),
        _ => BlockError::anywhere(ErrorKind::Io, operation).because(error),
    }
}
