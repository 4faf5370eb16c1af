//! Upkeep of a volume that is open for writing: checkpoints, cleaning, and deletes of what no checkpoint needs.
//!
//! ```text
//! checkpoint: regions that changed ── parts ── body ── root ── read back ── a look at the epoch ── what it does not need is deleted
//! cleaning:   objects of which little is live ── what is live of them, as an object of copies ── the map, where it still points there
//! ```
//! Only what was dead when the checkpoint began is deleted, and lies before what it covers: nobody who opens the volume from then on looks
//! for it. A host that took the volume over found this checkpoint, for it took its epoch after the look.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use block::{Host, turn};
use bytes::Bytes;
use futures_util::future::join_all;

use super::calls::REST_NS_MAX;
use super::canary::{self, Bug};
use super::checkpoint::{ObjectsListed, RegionPlace, encode_region, encode_root};
use super::copies::Copies;
use super::error::VolumeError;
use super::names::{CheckpointKey, ObjectKey, PartKey};
use super::object::Header;
use super::objects::ObjectInfo;
use super::record::{self, RootRecord};
use super::state::{Shared, State};
use super::store::{Store, StoreErrorKind};

/// Bytes of a part of a checkpoint, about.
const PART_BYTES: usize = 8 << 20;
/// Bytes of headers behind a checkpoint for each page of the map, beyond which the next one is made: it costs 1 % of what was written then.
const HEADER_BYTES_PER_PAGE: u64 = 6;
/// Objects behind a checkpoint beyond which the next one is made; a quarter of all if that is more, for its root has them all.
const OBJECTS_BEHIND_MAX: u64 = 512;
/// Objects that are deleted at once.
const DELETES_AT_ONCE: usize = 8;
/// Objects of which cleaning makes one at most.
const VICTIMS_MAX: usize = 64;

impl<S: Store, H: Host> Shared<S, H> {
    /// Starts a task that does what upkeep is due, unless there is one.
    pub(crate) fn keep_in_shape(shared: &Rc<Self>) {
        if shared.calls.host.now() < shared.state.borrow().upkeep_rests_until
            || std::mem::replace(&mut shared.state.borrow_mut().is_kept, true)
        {
            return;
        }
        let ours = Rc::clone(shared);
        shared.calls.host.spawn(async move {
            // What fails is tried again after a rest, with a group or a look at rest.
            while ours.usable(block::Operation::Write).is_ok() {
                let done = if ours.is_checkpoint_due() {
                    ours.checkpoint().await.map(|()| true)
                } else if ours.has_doomed() {
                    ours.delete_left().await.map(|()| true)
                } else {
                    ours.clean().await
                };
                let mut state = ours.state.borrow_mut();
                match done {
                    Ok(is_more) => {
                        state.upkeep_failure = None;
                        if !is_more {
                            break;
                        }
                    }
                    // Its user learns that another way.
                    Err(VolumeError::Fenced { .. } | VolumeError::Closed) => break,
                    Err(error) => {
                        state.upkeep_failure = Some(error);
                        state.upkeep_rests_until = ours.calls.host.now() + REST_NS_MAX;
                        break;
                    }
                }
            }
            ours.state.borrow_mut().is_kept = false;
        });
    }

    fn is_checkpoint_due(&self) -> bool {
        let state = self.state.borrow();
        let headers = self.settings.checkpoint_bytes.max(state.content.map.mapped() * HEADER_BYTES_PER_PAGE);
        if state.header_bytes > headers
            || state.behind() > OBJECTS_BEHIND_MAX.max(state.content.objects.len() as u64 / 4)
        {
            return true;
        }
        let objects = &state.content.objects;
        let much = (4 * self.settings.object_bytes).max(objects.stored() / 8);
        // All objects are looked at only if those without a live page are large enough: this is asked after each group.
        if objects.stored() - objects.alive().stored <= much {
            return false;
        }
        let dead = objects
            .iter()
            .filter(|(index, info)| self.is_dead(&state, info) && !state.doomed.contains(index));
        dead.map(|(_, info)| info.stored).sum::<u64>() > much
    }

    /// Returns true if nothing points to an object, and nothing will.
    pub(crate) fn is_dead(&self, state: &State, info: &ObjectInfo) -> bool {
        let end = if info.key.is_copies { state.next_copies } else { state.counted };
        info.live == 0
            && (Some(info.key.epoch) != self.epoch || info.key.sequence < end)
            && !state.snapshots.pins.has_object(info.key)
            && !state.deduplication.is_pinned(info.key)
    }

    /// Returns the objects to which nothing points.
    fn dead(&self, state: &State) -> Vec<u32> {
        let dead = state.content.objects.iter().filter(|(_, info)| {
            self.is_dead(state, info) || canary::has(Bug::DeletedBeforeCheckpoint) && info.live == 0
        });
        dead.map(|(index, _)| index).collect()
    }

    /// Returns true if anything is behind the newest checkpoint.
    pub(crate) fn is_behind(&self) -> bool {
        let state = self.state.borrow();
        state.behind() > 0 || state.header_bytes > 0
    }

    /// Makes a checkpoint unless nothing is behind the newest one, and deletes what is left to be.
    pub(crate) async fn checkpoint_if_behind(&self) -> Result<(), VolumeError> {
        let _upkeep = self.upkeep.lock().await;
        if self.is_behind() {
            self.checkpoint_kept().await?;
        } else if self.has_doomed() {
            self.look().await?;
        }
        self.delete().await
    }

    /// Makes a checkpoint unless nothing is behind the newest one.
    pub(crate) async fn checkpoint_alone(&self) -> Result<(), VolumeError> {
        let _upkeep = self.upkeep.lock().await;
        if self.is_behind() { self.checkpoint_kept().await } else { Ok(()) }
    }

    /// Makes a checkpoint, and deletes what it does not need.
    pub(crate) async fn checkpoint(&self) -> Result<(), VolumeError> {
        let _upkeep = self.upkeep.lock().await;
        self.checkpoint_kept().await?;
        self.delete().await
    }

    /// Makes a checkpoint, for a caller that keeps others from upkeep.
    pub(crate) async fn checkpoint_kept(&self) -> Result<(), VolumeError> {
        let mut attempt = Attempt::default();
        let made = self.write_checkpoint(&mut attempt).await;
        if made.is_err() {
            let mut state = self.state.borrow_mut();
            for region in &attempt.regions {
                state.content.map.mark_changed(*region);
            }
            // Nothing names them. A try to delete them comes with the next checkpoint.
            state.doomed_parts.extend(attempt.parts);
        }
        made
    }

    /// Puts the body of a snapshot as a part of a checkpoint.
    pub(crate) async fn put_body(
        &self,
        checkpoint: CheckpointKey,
        body: Bytes,
    ) -> Result<PartKey, VolumeError> {
        let mut attempt = Attempt::default();
        let put = self.put_part(checkpoint, body, &mut attempt).await;
        if put.is_err() {
            self.state.borrow_mut().doomed_parts.extend(attempt.parts);
        }
        put
    }

    async fn write_checkpoint(&self, attempt: &mut Attempt) -> Result<(), VolumeError> {
        let epoch = self.epoch.expect("it is open for writing");
        let (covered, dead, header_bytes, mut regions, mut number) = {
            let state = self.state.borrow();
            let dead = self.dead(&state);
            let ours = state.checkpoint.filter(|key| key.epoch == epoch);
            let number = ours.map_or(0, |key| key.number + 1);
            let covered = [state.counted, state.next_copies];
            (covered, dead, state.header_bytes, state.regions.clone(), number)
        };
        let before: BTreeSet<PartKey> = regions.values().map(|place| place.part).collect();
        let mut part =
            Part { checkpoint: CheckpointKey { epoch, number }, bytes: Vec::new(), regions: Vec::new() };
        let mut put_bytes = 0;
        loop {
            let region = self.state.borrow_mut().content.map.take_changed();
            if let Some(region) = region {
                attempt.regions.push(region);
                match encode_region(&self.state.borrow().content, region) {
                    Some(bytes) => {
                        part.regions.push((region, part.bytes.len() as u32, bytes.len() as u32));
                        part.bytes.extend(bytes);
                    }
                    None => drop(regions.remove(&region)),
                }
            }
            if part.bytes.len() >= PART_BYTES || region.is_none() && !part.regions.is_empty() {
                put_bytes += part.bytes.len() as u64;
                let bytes = Bytes::from(std::mem::take(&mut part.bytes));
                let key = self.put_part(part.checkpoint, bytes, attempt).await?;
                for (region, offset, bytes) in part.regions.drain(..) {
                    regions.insert(region, RegionPlace { part: key, offset, bytes });
                }
            }
            if region.is_none() {
                break;
            }
            turn().await;
            self.check_open()?;
        }
        if canary::has(Bug::PartsBeforeRoot) {
            let needed: BTreeSet<PartKey> = regions.values().map(|place| place.part).collect();
            for part in before.difference(&needed) {
                self.calls.delete(&self.volume.part(*part)).await?;
            }
        }
        let (key, body) = loop {
            let key = CheckpointKey { epoch, number };
            let body = {
                let content = &self.state.borrow().content;
                encode_root(self.volume, key, covered, content, ObjectsListed::All, &regions)
            };
            put_bytes += body.len() as u64;
            let body = self.put_part(part.checkpoint, body, attempt).await?;
            self.check_open()?;
            let root = [body.checkpoint.epoch, body.checkpoint.number, u64::from(body.part)];
            let bytes = record::encode(&RootRecord { body: root });
            let name = self.volume.checkpoint(key);
            // From now on a root may name them, though its create fails.
            attempt.parts.clear();
            match self.calls.create(&name, &bytes).await {
                Ok(()) => {
                    if self.calls.get(&name, None).await? != bytes {
                        return Err(VolumeError::damaged(&name, "the store gives back another content"));
                    }
                    put_bytes += bytes.len() as u64;
                    break (key, body);
                }
                // An earlier one of ours that was believed not to be there. It is good, but older.
                Err(error) if error.kind == StoreErrorKind::Exists => {
                    number += 1;
                    self.state.borrow_mut().doomed_parts.insert(body);
                }
                Err(error) => return Err(error.into()),
            }
        };
        self.look().await?;
        let needed: BTreeSet<PartKey> = regions.values().map(|place| place.part).collect();
        {
            let mut state = self.state.borrow_mut();
            state.checkpoint = Some(key);
            state.checkpointed = covered;
            state.found_behind = 0;
            state.regions = regions;
            state.header_bytes = state.header_bytes.saturating_sub(header_bytes);
            state.statistics.checkpoints += 1;
            state.statistics.checkpoint_bytes += put_bytes;
            let dead = if canary::has(Bug::DeadAtEnd) { self.dead(&state) } else { dead };
            state.doomed.extend(dead);
            let dropped = before.difference(&needed).filter(|part| !state.snapshots.pins.has_part(**part));
            let dropped: Vec<PartKey> = dropped.copied().collect();
            state.doomed_parts.extend(dropped);
            let old_body = state.body.replace(body);
            state.doomed_parts.extend(old_body);
            state.count_snapshot_bytes();
        }
        attempt.regions.clear();
        Ok(())
    }

    /// Puts a part of a checkpoint, under the next number that is free.
    async fn put_part(
        &self,
        checkpoint: CheckpointKey,
        bytes: Bytes,
        attempt: &mut Attempt,
    ) -> Result<PartKey, VolumeError> {
        loop {
            let number = {
                let mut state = self.state.borrow_mut();
                state.next_part += 1;
                state.next_part
            };
            let key = PartKey { checkpoint, part: number };
            attempt.parts.push(key);
            match self.calls.create(&self.volume.part(key), &bytes).await {
                Ok(()) => return Ok(key),
                // Another one: a root may name it.
                Err(error) if error.kind == StoreErrorKind::Exists => drop(attempt.parts.pop()),
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn has_doomed(&self) -> bool {
        let state = self.state.borrow();
        !state.doomed.is_empty() || !state.doomed_parts.is_empty()
    }

    /// Deletes what an earlier try left.
    async fn delete_left(&self) -> Result<(), VolumeError> {
        let _upkeep = self.upkeep.lock().await;
        self.look().await?;
        self.delete().await
    }

    /// Deletes objects and parts that the newest checkpoint does not need. The next one goes on where it fails.
    pub(crate) async fn delete(&self) -> Result<(), VolumeError> {
        loop {
            self.check_open()?;
            let some: Vec<u32> = self.state.borrow().doomed.iter().copied().take(DELETES_AT_ONCE).collect();
            if some.is_empty() {
                break;
            }
            let deleted = some.iter().map(async |index| {
                let key = self.state.borrow().content.objects.get(*index).map(|info| info.key);
                match key {
                    Some(key) => self.calls.delete(&self.volume.object(key)).await,
                    None => Ok(()),
                }
            });
            for (index, deleted) in some.iter().zip(join_all(deleted).await) {
                deleted?;
                let mut state = self.state.borrow_mut();
                state.doomed.remove(index);
                state.content.objects.remove(*index);
                state.statistics.deleted += 1;
            }
        }
        loop {
            self.check_open()?;
            let Some(part) = self.state.borrow().doomed_parts.first().copied() else { return Ok(()) };
            self.calls.delete(&self.volume.part(part)).await?;
            self.state.borrow_mut().doomed_parts.remove(&part);
        }
    }

    /// Moves what is live of some objects, if that is due. Returns true if it was.
    async fn clean(&self) -> Result<bool, VolumeError> {
        let _upkeep = self.upkeep.lock().await;
        let victims = self.victims();
        if victims.is_empty() {
            return Ok(false);
        }
        let mut copies = Copies::new(self.compression, self.state.borrow().deduplication.is_on());
        for (index, info) in victims {
            match self.copy_live(index, info, &mut copies).await {
                Ok(()) => {}
                // It stays as it is, and the others are cleaned.
                Err(VolumeError::Damaged { .. } | VolumeError::NewerFormat { .. }) => {
                    self.state.borrow_mut().damaged.insert(index);
                }
                Err(error) => return Err(error),
            }
            if copies.bytes() >= self.settings.object_bytes {
                break;
            }
        }
        if copies.is_empty() {
            return Ok(false);
        }
        self.put_copies(copies).await?;
        Ok(true)
    }

    /// Puts an object of copies, and lets it count, for a caller that keeps others from upkeep.
    pub(crate) async fn put_copies(&self, copies: Copies) -> Result<(), VolumeError> {
        let epoch = self.epoch.expect("it is open for writing");
        loop {
            let (sequence, bytes, taken_at) = {
                let state = self.state.borrow();
                (state.next_copies, state.content.bytes, state.content.taken_at)
            };
            let key = ObjectKey { is_copies: true, epoch, sequence };
            let (sources, references) = copies.tables(key);
            let mut header = Header {
                volume: self.volume,
                key,
                group: 0,
                place: 0,
                ends: false,
                taken_at,
                bytes,
                counted: 0,
                chunks: copies.chunks.entries.clone(),
                zeroes: Vec::new(),
                sources,
                references,
            };
            let object = Bytes::from(header.encode(&copies.chunks.bytes));
            let created = self.calls.create(&self.volume.object(header.key), &object).await;
            let mut state = self.state.borrow_mut();
            match created {
                Ok(()) => {
                    state.next_copies += 1;
                    let stored = object.len() as u64;
                    let index = state.content.apply_copies(&header, stored);
                    state.deduplication.learn(&header, index, copies.fingerprints.into_iter());
                    state.header_bytes += header.header_bytes();
                    state.statistics.copied_bytes += object.len() as u64;
                    return Ok(());
                }
                // An earlier one of ours. A host that finds it takes from it what is not elsewhere by then.
                Err(error) if error.kind == StoreErrorKind::Exists => state.next_copies += 1,
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Returns objects to be cleaned now, the best first; none if it is not worth it.
    fn victims(&self) -> Vec<(u32, ObjectInfo)> {
        let state = self.state.borrow();
        let content = &state.content;
        // As below, without a look at each object: this is asked after each group.
        let all = content.objects.alive();
        let many = self.settings.objects_min + 4 * (all.stored / self.settings.object_bytes);
        let has_all = state.damaged.is_empty();
        if has_all && all.live * 100 >= all.pages * self.settings.clean_below && all.objects <= many {
            return Vec::new();
        }
        let alive: Vec<_> = content
            .objects
            .iter()
            .filter(|(index, info)| info.live > 0 && !state.damaged.contains(index))
            // Moving what a snapshot needs gives no space back.
            .filter(|(_, info)| !state.snapshots.pins.has_object(info.key))
            .filter(|(_, info)| !state.deduplication.is_pinned(info.key))
            .map(|(index, info)| (index, *info))
            .collect();
        let pages: u64 = alive.iter().map(|(_, info)| u64::from(info.pages)).sum();
        let live: u64 = alive.iter().map(|(_, info)| u64::from(info.live.min(info.pages))).sum();
        let stored: u64 = alive.iter().map(|(_, info)| info.stored).sum();
        let mut victims = alive;
        if live * 100 < pages * self.settings.clean_below {
            victims.retain(|(_, info)| info.live < info.pages);
            victims.sort_by_key(|(_, info)| u64::from(info.live) * 1_000_000 / u64::from(info.pages));
        } else if victims.len() as u64 > self.settings.objects_min + 4 * (stored / self.settings.object_bytes)
        {
            // Of about one size, of which there are most: one that was joined already is not copied again for each few that are new.
            let tier = |info: &ObjectInfo| info.stored.max(1).ilog2() / 3;
            let mut tiers: BTreeMap<u32, usize> = BTreeMap::new();
            // Those with many references stay: each of them would be copied.
            let is_small = |info: &ObjectInfo| info.stored < self.settings.object_bytes / 2;
            victims.retain(|(_, info)| is_small(info) && info.live <= info.pages);
            for (_, info) in &victims {
                *tiers.entry(tier(info)).or_default() += 1;
            }
            let largest = tiers.into_iter().rev().max_by_key(|(_, count)| *count);
            let Some((chosen, 2..)) = largest else { return Vec::new() };
            victims.retain(|(_, info)| tier(info) == chosen);
            victims.sort_by_key(|(_, info)| info.stored);
        } else {
            return Vec::new();
        }
        victims.truncate(VICTIMS_MAX);
        victims
    }
}

/// A checkpoint that is being made.
#[derive(Default)]
struct Attempt {
    /// Regions that were taken from the map.
    regions: Vec<u64>,
    /// Parts that may be in the store, and that no root names.
    parts: Vec<PartKey>,
}

/// A part of a checkpoint that is being made.
struct Part {
    checkpoint: CheckpointKey,
    bytes: Vec<u8>,
    /// Regions, each with its offset and bytes.
    regions: Vec<(u64, u32, u32)>,
}

impl State {
    /// Returns the number of objects behind the newest checkpoint.
    fn behind(&self) -> u64 {
        self.found_behind + self.counted - self.checkpointed[0] + (self.next_copies - self.checkpointed[1])
    }
}
