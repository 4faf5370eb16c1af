//! Epochs: each start for writing takes a number of its own, which ends the right of all earlier ones to confirm anything.

use std::ops::RangeInclusive;

use block::Host;
use bytes::Bytes;

use super::calls::Calls;
use super::canary::{self, Bug};
use super::error::VolumeError;
use super::names::{CheckpointKey, VolumeId};
use super::record::{self, EpochRecord};
use super::store::{Store, StoreErrorKind};

/// Tries to take an epoch while others take theirs.
const TRIES: u32 = 16;

/// Returns the largest number for which `exists` is true, of those from `first` on without a gap; none if the first is not.
pub(crate) async fn last_without_gap(
    first: u64,
    exists: impl AsyncFn(u64) -> Result<bool, VolumeError>,
) -> Result<Option<u64>, VolumeError> {
    if !exists(first).await? {
        return Ok(None);
    }
    // `known` exists. First in steps twice as large each time, then between the last two.
    let (mut known, mut step) = (first, 1);
    while exists(known + step).await? {
        known += step;
        step *= 2;
    }
    let mut missing = known + step;
    while known + 1 < missing {
        let middle = known + (missing - known) / 2;
        if exists(middle).await? {
            known = middle;
        } else {
            missing = middle;
        }
    }
    Ok(Some(known))
}

impl<S: Store, H: Host> Calls<S, H> {
    /// Returns true if there is such an object.
    pub(crate) async fn exists(&self, name: &str) -> Result<bool, VolumeError> {
        Ok(self.find(name, Some(0..1)).await?.is_some())
    }

    /// Returns the newest epoch of a volume; 0 before the first.
    pub(crate) async fn newest_epoch(&self, volume: VolumeId) -> Result<u64, VolumeError> {
        let newest = last_without_gap(1, async |epoch| self.exists(&volume.epoch(epoch)).await).await?;
        Ok(newest.unwrap_or(0))
    }

    /// Takes the next epoch of a volume, although another host may have the one before; or the one behind `after`, if nobody has that.
    pub(crate) async fn take_epoch(&self, volume: VolumeId, after: Option<u64>) -> Result<u64, VolumeError> {
        let mut newest = match after {
            Some(after) => after,
            None => self.newest_epoch(volume).await?,
        };
        let bytes = record::encode(&EpochRecord { nonce: self.host.random() });
        let mut tries = 0;
        loop {
            match self.create(&volume.epoch(newest + 1), &bytes).await {
                Ok(()) => return Ok(newest + 1),
                Err(error) if error.kind == StoreErrorKind::Exists && after.is_some() => {
                    return Err(VolumeError::Fenced { epoch: newest + 1 });
                }
                Err(error) if error.kind == StoreErrorKind::Exists && tries < TRIES => {
                    newest += 1;
                    tries += 1;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Fails if an epoch after this one was taken.
    pub(crate) async fn check_epoch(&self, volume: VolumeId, epoch: u64) -> Result<(), VolumeError> {
        if canary::has(Bug::NoLook) {
            return Ok(());
        }
        if self.exists(&volume.epoch(epoch + 1)).await? {
            return Err(VolumeError::Fenced { epoch: epoch + 1 });
        }
        Ok(())
    }

    /// Returns true if no host has opened the volume since `newest` was the newest epoch and `started` the newest one that started. Otherwise
    /// that host may have deleted what was read meanwhile, records of starts as well.
    pub(crate) async fn is_newest(
        &self,
        volume: VolumeId,
        newest: u64,
        started: Option<u64>,
    ) -> Result<bool, VolumeError> {
        if canary::has(Bug::ReadOnce) {
            return Ok(true);
        }
        // First: one of them may start meanwhile, and make a checkpoint at once.
        let lost = self.lost_start(volume, newest, started).await?;
        for epoch in started.map_or(1, |epoch| epoch + 1)..=newest {
            if self.exists(&volume.start(epoch)).await? {
                return Ok(false);
            }
        }
        if self.exists(&volume.epoch(newest + 1)).await? {
            return Ok(false);
        }
        lost.map_or(Ok(true), Err)
    }

    /// Returns the damage if an epoch up to `newest` has a checkpoint, though none after `started` was found to have started. Either it did
    /// meanwhile, or the record of that was deleted by a later one that started; or it is lost, and the volume would be taken for an older
    /// one, or an empty one. A host that deletes records of earlier starts has made a checkpoint, whose root stays as long as its own start.
    pub(crate) async fn lost_start(
        &self,
        volume: VolumeId,
        newest: u64,
        started: Option<u64>,
    ) -> Result<Option<VolumeError>, VolumeError> {
        for epoch in started.map_or(1, |epoch| epoch + 1)..=newest {
            if self.exists(&volume.checkpoint(CheckpointKey { epoch, number: 0 })).await? {
                let reason = "it is missing, and its host made a checkpoint";
                return Ok(Some(VolumeError::damaged(&volume.start(epoch), reason)));
            }
        }
        Ok(None)
    }

    /// Returns the newest of these epochs that started, and its record.
    pub(crate) async fn newest_start<T: serde::de::DeserializeOwned>(
        &self,
        volume: VolumeId,
        epochs: RangeInclusive<u64>,
    ) -> Result<Option<(u64, T)>, VolumeError> {
        for epoch in epochs.rev() {
            let name = volume.start(epoch);
            let found: Option<Bytes> = self.find(&name, None).await?;
            if let Some(bytes) = found {
                return Ok(Some((epoch, record::decode(&name, &bytes)?)));
            }
        }
        Ok(None)
    }
}
