//! Groups on their way to the store.
//!
//! ```text
//! change: into the open layer ── full, and few objects on their way? ── sealed ── put, again and again, until it is there
//! commit: the open group is closed, its last layer says so ── all objects before its end are there ── a look at the epoch ── it counts
//! ```
//! A crash before the last object of a group is there leaves the group before; after that, this one. A store without an answer keeps a flush
//! waiting, and one that refuses fails it; the objects are put all the same, for numbers have no gaps. A flush that nobody waits for any more
//! goes on to its end.

use std::cell::RefCell;
use std::rc::Rc;

use block::{BlockError, ByteRange, ErrorKind, Host, Operation, PAGE, turn};
use bytes::Bytes;

use super::calls::rest_after;
use super::canary::{self, Bug};
use super::deduplication::referring_bytes;
use super::error::volume_error;
use super::group::{Encoding, Extent, Group, SharedLayer};
use super::names::ObjectKey;
use super::object::Header;
use super::range_map::RangeMap;
use super::references::Duplicates;
use super::state::{Shared, State};
use super::store::Store;

/// Pages that are compressed before others of the thread have a turn.
const STEP_PAGES: u64 = 32;
/// Bytes of memory that a range of zeroes counts for, so that many of them become an object as well.
const ZEROES_BYTES: u64 = 64;
/// Reason of the errors of an abandoned group.
const ABANDONED: &str = "the group was abandoned";

impl<S: Store, H: Host> Shared<S, H> {
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
            state.obstacle(operation).map(Err)
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
            counted: *counted,
            chunks: Vec::new(),
            zeroes: Vec::new(),
            sources: Vec::new(),
            references: Vec::new(),
        };
        drop(state);
        let ours = Rc::clone(shared);
        shared.calls.host.spawn(async move { ours.put(layer, header).await });
    }

    /// Encodes a layer and puts its object, until it is there.
    async fn put(&self, layer: SharedLayer, mut header: Header) {
        let sequence = header.key.sequence;
        let duplicates = self.state.borrow().deduplication.is_on().then(|| Duplicates::new(header.key));
        let mut encoding = Encoding::new(&layer.borrow(), self.compression, duplicates);
        while encoding.step(STEP_PAGES, |fingerprint| self.find_duplicate(fingerprint, sequence)) {
            turn().await;
        }
        header.chunks = encoding.chunks.entries;
        header.zeroes = encoding.zeroes;
        let zero_bytes = encoding.zero_pages * PAGE;
        let own = encoding.duplicates.map(|duplicates| {
            let own;
            (header.references, own) = duplicates.finish(&header.chunks);
            own
        });
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
            self.state.borrow_mut().failure = Some(error).filter(|error| !error.kind.is_transient());
            self.progress.notify_waiters();
            self.calls.host.sleep(rest_after(tries)).await;
            tries += 1;
        }
        let mut state = self.state.borrow_mut();
        state.failure = None;
        state.in_flight.remove(&header.key.sequence);
        state.statistics.put_bytes += bytes.len() as u64;
        state.header_bytes += header.header_bytes();
        state.statistics.deduplicated_bytes += referring_bytes(&header);
        state.statistics.zero_bytes += zero_bytes;
        let object = state.content.add(&header, bytes.len() as u64);
        state.deduplication.learn(&header, object, own.into_iter().flatten());
        let mut layer = layer.borrow_mut();
        let mut extents = RangeMap::default();
        header.zeroes.iter().for_each(|range| extents.insert(range.clone(), Extent::Zeroes));
        for chunk in &header.chunks {
            extents.insert(chunk.range(), Extent::Stored(chunk.location(object), chunk.page));
        }
        for reference in &header.references {
            let target = state.content.objects.index_of(reference.object).expect("it is pinned");
            let location = reference.location(target);
            let first = location.first_page(reference.page);
            extents.insert(reference.range(), Extent::Stored(location.at(0), first));
        }
        layer.extents = extents;
        layer.header = Some(header);
        self.progress.notify_waiters();
    }

    /// Makes durable what completed before.
    pub(crate) async fn commit(shared: &Rc<Self>) -> Result<(), BlockError> {
        let abandoned = shared.state.borrow().abandoned;
        let _turn = shared.turn.lock().await;
        Self::commit_in_turn(shared, abandoned).await
    }

    /// Makes durable what completed before, for a caller that has the turn, and asked when so many groups had been abandoned.
    pub(crate) async fn commit_in_turn(shared: &Rc<Self>, abandoned: u64) -> Result<(), BlockError> {
        loop {
            shared.usable(Operation::Flush)?;
            shared.check_abandoned(abandoned, Operation::Flush)?;
            let is_earlier = shared.state.borrow().closing.is_some();
            if !is_earlier {
                if shared.state.borrow().open.is_empty() {
                    return Ok(());
                }
                // Objects of groups that were abandoned may still be on their way, and are in the way of this one.
                Self::wait_for_room(shared, Operation::Flush, |_| true).await?;
                shared.check_abandoned(abandoned, Operation::Flush)?;
                Self::close_group(shared);
            }
            Self::confirm(shared).await?;
            // Behind a group of an earlier flush that failed is what completed since. What came later is for the next flush: a guest that
            // goes on writing would keep this one for ever.
            if !is_earlier {
                return Ok(());
            }
        }
    }

    /// Closes the open group, and puts its last layer.
    fn close_group(shared: &Rc<Self>) {
        {
            let mut state = shared.state.borrow_mut();
            let next = Group::new(state.open.number + 1);
            let mut group = std::mem::replace(&mut state.open, next);
            group.taken_at = (shared.settings.wall_time)();
            state.closing = Some(group);
        }
        Self::put_layer(shared, true);
    }

    /// Drops the groups that no flush confirmed. Objects of theirs that are on their way get there all the same, and count for nothing unless
    /// all of a closed group do.
    pub(crate) fn abandon(&self) {
        let mut state = self.state.borrow_mut();
        state.open = Group::new(state.open.number + 1);
        state.closing = None;
        state.abandoned += 1;
        state.bytes = state.content.bytes;
        if canary::has(Bug::PinsEndWithGroup) {
            state.deduplication.end_pins(u64::MAX);
        }
        drop(state);
        // A flush that waits for the group ends.
        self.progress.notify_waiters();
    }

    /// Fails if a group was abandoned since so many were.
    fn check_abandoned(&self, before: u64, operation: Operation) -> Result<(), BlockError> {
        if self.state.borrow().abandoned == before {
            return Ok(());
        }
        Err(BlockError::anywhere(ErrorKind::Io, operation).because(ABANDONED))
    }

    /// Waits until the closing group is there and may count, and lets it.
    async fn confirm(shared: &Rc<Self>) -> Result<(), BlockError> {
        let end = shared.state.borrow().closing.as_ref().and_then(|group| group.end).expect("one is closing");
        let abandoned = || BlockError::anywhere(ErrorKind::Io, Operation::Flush).because(ABANDONED);
        let is_there = |state: &mut State| {
            if state.closing.is_none() {
                return Some(Err(abandoned()));
            }
            if Self::all_below(state) >= end
                || canary::has(Bug::GroupWithHole) && !state.in_flight.contains(&(end - 1))
            {
                return Some(Ok(()));
            }
            state.obstacle(Operation::Flush).map(Err)
        };
        if canary::has(Bug::LookBeforeObjects) {
            shared.look().await.map_err(|error| volume_error(&error, Operation::Flush))?;
        }
        shared.until(is_there).await?;
        if !canary::has(Bug::LookBeforeObjects) {
            shared.look().await.map_err(|error| volume_error(&error, Operation::Flush))?;
        }
        let mut state = shared.state.borrow_mut();
        let group = state.closing.take().ok_or_else(abandoned)?;
        for layer in &group.sealed {
            let layer = layer.borrow();
            let Some(header) = &layer.header else { continue };
            let stored = header.stored_bytes();
            state.content.apply(header, stored).expect("it refers to what is pinned");
        }
        state.counted = end;
        state.deduplication.end_pins(end);
        state.statistics.groups += 1;
        drop(state);
        shared.progress.notify_waiters();
        Self::keep_in_shape(shared);
        Ok(())
    }

    /// Adds a change to the open layer.
    pub(crate) async fn change(
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
            // It was a part of that group, and must not become one of the next.
            shared.check_abandoned(abandoned, operation)?;
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
}
