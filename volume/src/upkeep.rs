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

use block::{Host, PAGE, turn};
use bytes::Bytes;
use futures_util::future::join_all;

use super::calls::REST_NS_MAX;
use super::canary::{self, Bug};
use super::checkpoint::{RegionPlace, encode_region, encode_root};
use super::chunk;
use super::error::VolumeError;
use super::names::{CheckpointKey, ObjectKey, PartKey};
use super::object::{Chunks, Header, Source};
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
            // What fails is tried again with a group after a rest.
            while ours.usable(block::Operation::Write).is_ok() {
                let done = if ours.is_checkpoint_due() {
                    ours.checkpoint().await.map(|()| true)
                } else {
                    ours.clean().await
                };
                let mut state = ours.state.borrow_mut();
                match done {
                    Ok(true) => state.upkeep_failure = None,
                    Ok(false) => break,
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
    fn is_dead(&self, state: &State, info: &ObjectInfo) -> bool {
        let end = if info.key.is_copies { state.next_copies } else { state.counted };
        info.live == 0 && (Some(info.key.epoch) != self.epoch || info.key.sequence < end)
    }

    /// Returns the objects to which nothing points.
    fn dead(&self, state: &State) -> Vec<u32> {
        let dead = state.content.objects.iter().filter(|(_, info)| {
            self.is_dead(state, info) || canary::has(Bug::DeletedBeforeCheckpoint) && info.live == 0
        });
        dead.map(|(index, _)| index).collect()
    }

    /// Makes a checkpoint unless nothing is behind the newest one.
    pub(crate) async fn checkpoint_if_behind(&self) -> Result<(), VolumeError> {
        let is_behind = {
            let state = self.state.borrow();
            state.behind() > 0 || state.header_bytes > 0
        };
        if is_behind { self.checkpoint().await } else { Ok(()) }
    }

    /// Makes a checkpoint, and deletes what it does not need.
    async fn checkpoint(&self) -> Result<(), VolumeError> {
        let _upkeep = self.upkeep.lock().await;
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
                let key = self.put_part(&mut part, attempt).await?;
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
            part.bytes =
                encode_root(self.volume, key, covered, &self.state.borrow().content, &regions).to_vec();
            put_bytes += part.bytes.len() as u64;
            let body = self.put_part(&mut part, attempt).await?;
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
            state.doomed_parts.extend(before.difference(&needed));
            let old_body = state.body.replace(body);
            state.doomed_parts.extend(old_body);
        }
        attempt.regions.clear();
        self.delete().await
    }

    /// Puts a part of a checkpoint, under the next number that is free.
    async fn put_part(&self, part: &mut Part, attempt: &mut Attempt) -> Result<PartKey, VolumeError> {
        let bytes = Bytes::from(std::mem::take(&mut part.bytes));
        loop {
            let number = {
                let mut state = self.state.borrow_mut();
                state.next_part += 1;
                state.next_part
            };
            let key = PartKey { checkpoint: part.checkpoint, part: number };
            attempt.parts.push(key);
            match self.calls.create(&self.volume.part(key), &bytes).await {
                Ok(()) => return Ok(key),
                // Another one: a root may name it.
                Err(error) if error.kind == StoreErrorKind::Exists => drop(attempt.parts.pop()),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Deletes objects and parts that the newest checkpoint does not need. The next one goes on where it fails.
    async fn delete(&self) -> Result<(), VolumeError> {
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
        let (mut chunks, mut sources, mut pages) = (Chunks::default(), Vec::new(), 0);
        for (index, info) in victims {
            match self.copy_live(index, info, &mut chunks, &mut sources).await {
                Ok(copied) => pages += copied,
                // It stays as it is, and the others are cleaned.
                Err(VolumeError::Damaged { .. } | VolumeError::NewerFormat { .. }) => {
                    self.state.borrow_mut().damaged.insert(index);
                }
                Err(error) => return Err(error),
            }
            if chunks.bytes.len() as u64 >= self.settings.object_bytes {
                break;
            }
        }
        if pages == 0 {
            return Ok(false);
        }
        let epoch = self.epoch.expect("it is open for writing");
        loop {
            let (sequence, bytes, taken_at) = {
                let state = self.state.borrow();
                (state.next_copies, state.content.bytes, state.content.taken_at)
            };
            let mut header = Header {
                volume: self.volume,
                key: ObjectKey { is_copies: true, epoch, sequence },
                group: 0,
                place: 0,
                ends: false,
                taken_at,
                bytes,
                counted: 0,
                chunks: chunks.entries.clone(),
                zeroes: Vec::new(),
                sources: sources.clone(),
            };
            let object = Bytes::from(header.encode(&chunks.bytes));
            let created = self.calls.create(&self.volume.object(header.key), &object).await;
            let mut state = self.state.borrow_mut();
            match created {
                Ok(()) => {
                    state.next_copies += 1;
                    state.content.apply_copies(&header, object.len() as u64);
                    state.header_bytes += header.header_bytes();
                    state.statistics.copied_bytes += object.len() as u64;
                    return Ok(true);
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
        if has_all
            && content.map.mapped() * 100 >= all.pages * self.settings.clean_below
            && all.objects <= many
        {
            return Vec::new();
        }
        let alive: Vec<_> = content
            .objects
            .iter()
            .filter(|(index, info)| info.live > 0 && !state.damaged.contains(index))
            .map(|(index, info)| (index, *info))
            .collect();
        let pages: u64 = alive.iter().map(|(_, info)| u64::from(info.pages)).sum();
        let live: u64 = alive.iter().map(|(_, info)| u64::from(info.live)).sum();
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
            victims.retain(|(_, info)| info.stored < self.settings.object_bytes / 2);
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

    /// Appends chunks with what is live of an object. Returns the number of their pages.
    async fn copy_live(
        &self,
        index: u32,
        info: ObjectInfo,
        chunks: &mut Chunks,
        sources: &mut Vec<Source>,
    ) -> Result<u64, VolumeError> {
        let name = self.volume.object(info.key);
        let missing = || VolumeError::damaged(&name, "it is missing, and the map needs it");
        let bytes = self.calls.find(&name, None).await?.ok_or_else(missing)?;
        let header = Header::decode(&bytes, self.volume, info.key)?;
        let mut copied = 0;
        for entry in &header.chunks {
            let location = entry.location(index);
            let is_live = |page: &u64| {
                let at = location.at(page - entry.page);
                self.state.borrow().content.map.get(*page) == Some(at)
            };
            let live: Vec<u64> = entry.range().filter(is_live).collect();
            if live.is_empty() {
                continue;
            }
            let within = location.bytes();
            let stored = bytes.get(within.start as usize..within.end as usize);
            let plain = stored.and_then(|stored| chunk::open(stored, entry.page, u64::from(entry.pages)));
            let Some(plain) = plain else {
                // It stays where it is: a read says so, and a guest that has another copy can write that.
                self.state.borrow_mut().damaged.insert(index);
                continue;
            };
            for run in live.chunk_by(|one, next| one + 1 == *next) {
                let at = ((run[0] - entry.page) * PAGE) as usize;
                chunks.append(self.compression, run[0], &plain[at..at + run.len() * PAGE as usize]);
                sources.push(Source { object: info.key, offset: entry.offset, page: entry.page });
                copied += run.len() as u64;
            }
            turn().await;
        }
        Ok(copied)
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
