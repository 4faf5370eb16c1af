//! The mark of a volume: the host that has it open, and its words on data that is elsewhere. It belongs to the newest epoch
//! that started; a host that was overtaken changes nothing of it.
//!
//! Each change is an object of its own, counted within the epoch, with all of it: nothing that lands late can undo a later one.

use std::cell::Cell;

use block::Host;
use serde::{Deserialize, Serialize};

use super::calls::Calls;
use super::epoch::last_without_gap;
use super::error::VolumeError;
use super::names::VolumeId;
use super::record;
use super::store::{Store, StoreErrorKind};

/// Mark that the last host to open a volume for writing left with it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Mark {
    /// The disk that opened it, in words of its user; the same after a restart.
    pub owner: Option<String>,
    /// Host that has it open; none once it was closed.
    pub host: Option<String>,
    /// Session of its user, in words of that one. Kept when the same owner opens it again, and gone when another does.
    pub session: Option<String>,
    /// Says that newer data is elsewhere, in words of its user.
    pub dirty: Option<String>,
}

/// The host that opens a volume for writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The same after a restart, and of no other.
    pub id: String,
    /// Name of the host, for people.
    pub host: String,
    /// Newest epoch that it knows: if another host took a later one meanwhile, the volume is not opened. None: whatever it is.
    pub after: Option<u64>,
}

/// The marks of an open volume.
pub struct Marks<S> {
    store: S,
    volume: VolumeId,
    epoch: u64,
    next: Cell<u64>,
}

impl<S: Store, H: Host> Calls<S, H> {
    /// Returns the mark that a volume bears, of which the newest epoch that started did so with a mark.
    pub(crate) async fn mark_since(
        &self,
        volume: VolumeId,
        start: Option<(u64, Mark)>,
    ) -> Result<Mark, VolumeError> {
        let Some((epoch, mark)) = start else { return Ok(Mark::default()) };
        let exists = async |number| self.exists(&volume.mark(epoch, number)).await;
        let Some(last) = last_without_gap(0, exists).await? else { return Ok(mark) };
        let name = volume.mark(epoch, last);
        record::decode(&name, &self.get(&name, None).await?)
    }
}

impl Mark {
    /// Returns the mark with which this owner goes on.
    pub(crate) fn taken_by(self, owner: &Owner) -> Self {
        let is_same = self.owner.as_ref() == Some(&owner.id);
        Self {
            owner: Some(owner.id.clone()),
            host: Some(owner.host.clone()),
            session: self.session.filter(|_| is_same),
            dirty: self.dirty,
        }
    }
}

impl<S: Store> Marks<S> {
    pub(crate) fn new(store: S, volume: VolumeId, epoch: u64) -> Self {
        Self { store, volume, epoch, next: Cell::new(0) }
    }

    async fn check_epoch(&self) -> Result<(), VolumeError> {
        match self.store.get(&self.volume.epoch(self.epoch + 1), Some(0..1)).await {
            Err(error) if error.kind == StoreErrorKind::NotFound => Ok(()),
            Err(error) => Err(error.into()),
            Ok(_) => Err(VolumeError::Fenced { epoch: self.epoch + 1 }),
        }
    }

    /// Replaces the mark, durably.
    ///
    /// # Errors
    /// If the store fails: then it may be replaced. If another host took the volume over: that one may not have read it.
    pub async fn replace(&self, mark: &Mark) -> Result<(), VolumeError> {
        let bytes = record::encode(mark);
        loop {
            let name = self.volume.mark(self.epoch, self.next.get());
            let created = self.store.create(&name, bytes.clone()).await;
            if let Err(error) = &created
                && error.kind != StoreErrorKind::Exists
            {
                return Err(error.clone().into());
            }
            self.next.set(self.next.get() + 1);
            // One that exists may be an earlier one of ours, or this one, which the client of the store tried twice: once more costs nothing.
            if created.is_ok() {
                // A host that took it over either has read this, or is seen here.
                return self.check_epoch().await;
            }
        }
    }
}
