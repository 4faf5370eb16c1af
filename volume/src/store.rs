//! The interface of an object store: names with immutable content.

use std::future::Future;
use std::ops::Range;

use bytes::Bytes;
use thiserror::Error;

/// Longest answer of one list, in names.
pub const LIST_NAMES_MAX: usize = 1000;

/// Reason why a store did not do what was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreErrorKind {
    /// There is no object of this name.
    NotFound,
    /// There is an object of this name already.
    Exists,
    /// The store refuses this user, or this operation: credentials, rights, read-only, clock of the host.
    Denied,
    /// Quota or space is used up.
    Full,
    /// The store gave no answer in time, cannot be reached, or says that it is overloaded. The request may have been done, or be done later.
    Unreachable,
    /// The store answered what it must not.
    Invalid,
}

impl StoreErrorKind {
    /// Returns true if the same request may succeed later without anybody's help.
    pub fn is_transient(self) -> bool {
        self == Self::Unreachable
    }
}

/// An error of a store, for an object.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{name}: {reason}")]
pub struct StoreError {
    /// Kind of the error.
    pub kind: StoreErrorKind,
    /// Name of the object, or prefix of a list.
    pub name: String,
    /// The store's words, or ours, with what to do if that is known.
    pub reason: String,
}

impl StoreError {
    /// Creates an error.
    pub fn new(kind: StoreErrorKind, name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { kind, name: name.into(), reason: reason.into() }
    }
}

/// An object in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name, from the root of the store.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
}

/// An object store, from one thread. Names are relative to the place that its address names, with `/` between their parts.
///
/// Contract:
/// - An object that was created is there for every later request of any client, as a whole, until it is deleted.
/// - `create` is exclusive: of several for one name exactly one succeeds.
/// - After `Unreachable` a request may have been done, and may be done until it is known to have ended otherwise. An implementation may
///   repeat requests by itself, so `Exists` may mean that an earlier try of the same call succeeded.
/// - Dropping a future does not undo its request.
pub trait Store: 'static {
    /// Returns the content of an object, or a part of it: `range` in bytes, cut at its end.
    fn get(&self, name: &str, range: Option<Range<u64>>) -> impl Future<Output = Result<Bytes, StoreError>>;

    /// Creates an object that does not exist. Durable when it returns.
    fn create(&self, name: &str, bytes: Bytes) -> impl Future<Output = Result<(), StoreError>>;

    /// Deletes an object. One that is not there is no error.
    fn delete(&self, name: &str) -> impl Future<Output = Result<(), StoreError>>;

    /// Returns objects whose names begin with `prefix` and sort behind `after`, in order, [`LIST_NAMES_MAX`] at most. It may lag behind.
    fn list(
        &self,
        prefix: &str,
        after: Option<&str>,
    ) -> impl Future<Output = Result<Vec<Listed>, StoreError>>;
}
