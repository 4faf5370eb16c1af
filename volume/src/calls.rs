//! Requests to a store, repeated where that is safe.

use std::cell::Cell;
use std::ops::Range;

use block::Host;
use bytes::Bytes;

use super::canary::{self, Bug};
use super::error::VolumeError;
use super::names::VolumeId;
use super::store::{Listed, Store, StoreError, StoreErrorKind};

/// Tries of a request for which a caller waits.
const TRIES: u32 = 6;
/// Rest after the first try that failed, in nanoseconds; twice as long after each further one.
const FIRST_REST_NS: u64 = 100_000_000;
/// Longest rest between tries, in nanoseconds.
pub(crate) const REST_NS_MAX: u64 = 5_000_000_000;

/// A store, with the clock by which requests are repeated.
#[derive(Clone)]
pub(crate) struct Calls<S, H> {
    pub(crate) store: S,
    pub(crate) host: H,
}

/// Returns the rest after so many tries that failed, in nanoseconds.
pub(crate) fn rest_after(tries: u32) -> u64 {
    (FIRST_REST_NS << tries.min(16)).min(REST_NS_MAX)
}

impl<S: Store, H: Host> Calls<S, H> {
    async fn repeat<T>(&self, request: impl AsyncFn() -> Result<T, StoreError>) -> Result<T, StoreError> {
        let mut tries = 0;
        loop {
            match request().await {
                Err(error) if error.kind.is_transient() && tries + 1 < TRIES => {
                    self.host.sleep(rest_after(tries)).await;
                    tries += 1;
                }
                result => return result,
            }
        }
    }

    /// Returns the content of an object, or a part of it.
    pub(crate) async fn get(&self, name: &str, range: Option<Range<u64>>) -> Result<Bytes, StoreError> {
        self.repeat(async || self.store.get(name, range.clone()).await).await
    }

    /// Returns the content of an object; none if there is no such object.
    pub(crate) async fn find(
        &self,
        name: &str,
        range: Option<Range<u64>>,
    ) -> Result<Option<Bytes>, StoreError> {
        match self.get(name, range).await {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind == StoreErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the content of an object, or the reason why it is lost.
    ///
    /// # Errors
    /// If the store does not answer other requests for the volume either.
    pub(crate) async fn read_or_lose(
        &self,
        volume: VolumeId,
        name: &str,
    ) -> Result<Result<Bytes, String>, StoreError> {
        match self.get(name, None).await {
            Ok(bytes) => Ok(Ok(bytes)),
            Err(error) => self.reason_of_loss(volume, error).await.map(Err),
        }
    }

    /// Returns the reason why what could not be loaded is lost.
    ///
    /// # Errors
    /// As [`Self::read_or_lose`]; or the error, if it says nothing of an object.
    pub(crate) async fn loss(&self, volume: VolumeId, error: VolumeError) -> Result<String, VolumeError> {
        match error {
            error if error.is_of_object() => Ok(error.to_string()),
            VolumeError::Store(error) => {
                let name = error.name.clone();
                Ok(format!("object {name}: {}", self.reason_of_loss(volume, error).await?))
            }
            error => Err(error),
        }
    }

    /// Returns the reason why an object is lost whose read failed. One that cannot be read while the store answers others is: a bad sector
    /// below it, or a gateway that fails for one name, would keep a scrub from all the others.
    ///
    /// # Errors
    /// That of the read, if the store does not answer another one either.
    pub(crate) async fn reason_of_loss(
        &self,
        volume: VolumeId,
        error: StoreError,
    ) -> Result<String, StoreError> {
        if error.kind == StoreErrorKind::NotFound {
            return Ok("it is missing".to_owned());
        }
        match self.find(&volume.epoch(1), Some(0..1)).await {
            Ok(_) => Ok(format!("it cannot be read: {}", error.reason)),
            Err(_) => Err(error),
        }
    }

    /// Lists as a store does.
    pub(crate) async fn list(&self, prefix: &str, after: Option<&str>) -> Result<Vec<Listed>, StoreError> {
        self.repeat(async || self.store.list(prefix, after).await).await
    }

    /// Deletes an object.
    pub(crate) async fn delete(&self, name: &str) -> Result<(), StoreError> {
        self.repeat(async || self.store.delete(name).await).await
    }

    /// Creates an object whose content no other writer would give it. An earlier try that was done counts: the content is read back.
    ///
    /// # Errors
    /// `Exists` if it has another content.
    pub(crate) async fn create(&self, name: &str, bytes: &Bytes) -> Result<(), StoreError> {
        self.repeat(async || self.create_once(name, bytes).await).await
    }

    /// Creates an object as [`Self::create`] does. Records whether a try got no answer, so that it may be there though this fails.
    pub(crate) async fn create_watched(
        &self,
        name: &str,
        bytes: &Bytes,
        is_unanswered: &mut bool,
    ) -> Result<(), StoreError> {
        let unanswered = Cell::new(false);
        let created = self
            .repeat(async || {
                let created = self.create_once(name, bytes).await;
                unanswered
                    .set(unanswered.get() || created.as_ref().is_err_and(|error| error.kind.is_transient()));
                created
            })
            .await;
        *is_unanswered = unanswered.get();
        created
    }

    /// Tries once to create an object as [`Self::create`] does.
    pub(crate) async fn create_once(&self, name: &str, bytes: &Bytes) -> Result<(), StoreError> {
        let exists = match self.store.create(name, bytes.clone()).await {
            Err(error) if error.kind == StoreErrorKind::Exists => error,
            result => return result,
        };
        if canary::has(Bug::ExistsIsOurs) {
            return Ok(());
        }
        let found = self.store.get(name, None).await?;
        if found == *bytes { Ok(()) } else { Err(exists) }
    }
}
