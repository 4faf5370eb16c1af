//! Scrubs of the map: the newest checkpoint is read again, and what is lost of it is written again.
//!
//! ```text
//! root, body, parts ── whole, as an open needs them? ── regions of a lost part count as changed ── a checkpoint, to its end
//! ```
//! A checkpoint writes only regions that changed, so a part stays as long as one of its regions does. The host has the map in RAM and would not
//! notice that a part is lost; nobody else could open the volume. Until the new root is there, the one before counts, as if nothing had been done.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use block::{Host, turn};

use super::checkpoint::{RegionPlace, is_whole_region};
use super::error::VolumeError;
use super::load::read_root;
use super::names::{CheckpointKey, PartKey};
use super::record::{self, RootRecord};
use super::scrub::DamagedObject;
use super::state::Shared;
use super::store::{Store, StoreError};

/// Regions of the newest checkpoint, by the part that has them.
pub(crate) struct MapParts(BTreeMap<PartKey, Vec<RegionPlace>>);

impl MapParts {
    /// Returns the bytes of the regions.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.values().map(|places| bytes_of(places)).sum()
    }

    /// Returns the number of parts.
    pub(crate) fn count(&self) -> u64 {
        self.0.len() as u64
    }
}

fn bytes_of(places: &[RegionPlace]) -> u64 {
    places.iter().map(|place| u64::from(place.bytes)).sum()
}

/// Result of a scrub of the map.
#[derive(Default)]
pub(crate) struct MapScrub {
    /// Objects that are lost and could not be written again. It costs no content while the host runs.
    pub(crate) damaged: Vec<DamagedObject>,
    /// Bytes that were lost and were written again.
    pub(crate) repaired_bytes: u64,
    /// Reason why they could not be.
    pub(crate) failure: Option<VolumeError>,
}

/// Losses of the newest checkpoint.
#[derive(Default)]
struct LostMap {
    parts: BTreeSet<PartKey>,
    /// The checkpoint whose root or body is lost.
    root: Option<CheckpointKey>,
    objects: Vec<DamagedObject>,
    bytes: u64,
}

impl LostMap {
    fn add(&mut self, name: String, reason: String, bytes: u64) {
        self.objects.push(DamagedObject { name, reason, ranges: Vec::new(), is_of_snapshot: false });
        self.bytes += bytes;
    }
}

impl<S: Store, H: Host> Shared<S, H> {
    /// Returns the parts of the newest checkpoint.
    pub(crate) fn map_parts(&self) -> MapParts {
        let mut parts: BTreeMap<PartKey, Vec<RegionPlace>> = BTreeMap::new();
        for place in self.state.borrow().regions.values() {
            parts.entry(place.part).or_default().push(*place);
        }
        MapParts(parts)
    }

    /// Reads the newest checkpoint. Writes what is lost of it again. Waits for `pause` with the bytes of each part, then gives them to `step`.
    ///
    /// # Errors
    /// If it was closed or overtaken, or the store does not answer.
    pub(crate) async fn scrub_map(
        shared: &Rc<Self>,
        parts: &MapParts,
        pause: &impl AsyncFn(u64),
        mut step: impl FnMut(u64),
    ) -> Result<MapScrub, VolumeError> {
        let mut lost = LostMap::default();
        let key = shared.state.borrow().checkpoint;
        if let Some(key) = key {
            // What is wrong once may have been wrong on its way. It may be overtaken by a newer one as well, which deletes it.
            let mut reason = shared.root_damage(key).await?;
            if reason.is_some() {
                reason = shared.root_damage(key).await?;
            }
            if let Some(reason) = reason.filter(|_| shared.state.borrow().checkpoint == Some(key)) {
                lost.add(shared.volume.checkpoint(key), reason, 0);
                lost.root = Some(key);
            }
        }
        for (part, places) in &parts.0 {
            shared.check_open()?;
            let is_needed = || shared.state.borrow().regions.values().any(|place| place.part == *part);
            let mut reason = None;
            if is_needed() {
                reason = shared.part_damage(*part, places).await?;
                if reason.is_some() {
                    reason = shared.part_damage(*part, places).await?;
                }
            }
            let bytes = bytes_of(places);
            if let Some(reason) = reason.filter(|_| is_needed()) {
                lost.add(shared.volume.part(*part), reason, bytes);
                lost.parts.insert(*part);
            }
            pause(bytes).await;
            step(bytes);
        }
        if lost.objects.is_empty() {
            return Ok(MapScrub::default());
        }
        // A host that took it over deletes what this one needed.
        shared.look().await?;
        let LostMap { parts, root, objects, bytes } = lost;
        let ours = Rc::clone(shared);
        let rewrite = async move { ours.rewrite_map(&parts, root).await };
        match shared.calls.host.to_its_end(rewrite).await {
            Ok(body_bytes) => Ok(MapScrub { repaired_bytes: bytes + body_bytes, ..MapScrub::default() }),
            Err(error) => {
                shared.check_open()?;
                Ok(MapScrub { damaged: objects, repaired_bytes: 0, failure: Some(error) })
            }
        }
    }

    /// Returns what is wrong with the root of a checkpoint, or with its body.
    async fn root_damage(&self, key: CheckpointKey) -> Result<Option<String>, VolumeError> {
        match read_root(&self.calls, self.volume, key).await {
            Ok(_) => Ok(None),
            Err(error) => self.calls.loss(self.volume, error).await.map(Some),
        }
    }

    /// Returns what is wrong with a part that has these regions.
    async fn part_damage(&self, part: PartKey, places: &[RegionPlace]) -> Result<Option<String>, StoreError> {
        let bytes = match self.calls.read_or_lose(self.volume, &self.volume.part(part)).await? {
            Ok(bytes) => bytes,
            Err(reason) => return Ok(Some(reason)),
        };
        for place in places {
            let region = bytes.get(place.offset as usize..).and_then(|rest| rest.get(..place.bytes as usize));
            if !region.is_some_and(is_whole_region) {
                return Ok(Some(format!("the region at byte {} is not whole", place.offset)));
            }
            turn().await;
        }
        Ok(None)
    }

    /// Makes a checkpoint that needs neither these parts nor the root. Returns the bytes of the root, if that was lost.
    async fn rewrite_map(
        &self,
        lost: &BTreeSet<PartKey>,
        root: Option<CheckpointKey>,
    ) -> Result<u64, VolumeError> {
        let _upkeep = self.upkeep.lock().await;
        let before = {
            let mut state = self.state.borrow_mut();
            let state = &mut *state;
            for (region, _) in state.regions.iter().filter(|(_, place)| lost.contains(&place.part)) {
                state.content.map.mark_changed(*region);
            }
            state.statistics.checkpoint_bytes
        };
        let counted = match root.filter(|key| Some(key.epoch) == self.epoch) {
            Some(key) => self.restore_root(key).await,
            None => Ok(()),
        };
        self.checkpoint_kept().await?;
        counted?;
        let after = self.state.borrow().statistics.checkpoint_bytes;
        Ok(if root.is_some() && lost.is_empty() { after - before } else { 0 })
    }

    /// Creates a root of this epoch again if it is missing: they are counted up to the first that is, and an older one would be taken for the
    /// newest.
    async fn restore_root(&self, key: CheckpointKey) -> Result<(), VolumeError> {
        let body = {
            let state = self.state.borrow();
            state.body.filter(|_| state.checkpoint == Some(key))
        };
        let name = self.volume.checkpoint(key);
        if let Some(body) = body
            && !self.calls.exists(&name).await?
        {
            let root = [body.checkpoint.epoch, body.checkpoint.number, u64::from(body.part)];
            self.calls.create(&name, &record::encode(&RootRecord { body: root })).await?;
        }
        Ok(())
    }
}
