//! Snapshots that disks of this host serve: what clones have in common is cached once, by such a disk, and not once for each of them.
//!
//! ```text
//!   a clone misses ── its volume has nothing of its own there ── a disk that serves the parent's snapshot, on any shard ── its cache
//!                                                            └── the store, if there is no such disk, or it fails
//! ```
//! The content of a snapshot never changes, so each reader gets the same.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use block::{Buffer, Outcome};
use futures_util::future::BoxFuture;

/// A disk that serves a snapshot, for any thread.
pub(crate) trait SnapshotReader: fmt::Debug + Send + Sync {
    /// Fills a buffer from `offset`, in bytes, through the cache of the disk. Returns none if it serves it no more.
    fn read(&self, offset: u64, buffer: Buffer) -> BoxFuture<'static, Option<Outcome>>;
}

/// Disks that serve a snapshot, by its identity.
type Readers = BTreeMap<String, Vec<Arc<dyn SnapshotReader>>>;

/// The snapshots that disks of this host serve. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct ServedSnapshots(Arc<Mutex<Readers>>);

impl ServedSnapshots {
    fn change<T>(&self, change: impl FnOnce(&mut Readers) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds a disk that serves the snapshot with this identity.
    pub(crate) fn add(&self, id: &str, reader: Arc<dyn SnapshotReader>) {
        self.change(|served| served.entry(id.to_owned()).or_default().push(reader));
    }

    /// Removes a disk that was added.
    pub(crate) fn remove(&self, id: &str, reader: &Arc<dyn SnapshotReader>) {
        self.change(|served| {
            let Some(readers) = served.get_mut(id) else { return };
            readers.retain(|other| !Arc::ptr_eq(other, reader));
            if readers.is_empty() {
                served.remove(id);
            }
        });
    }

    /// Returns a disk that serves the snapshot with this identity.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<dyn SnapshotReader>> {
        self.change(|served| served.get(id).and_then(|readers| readers.first()).map(Arc::clone))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Nothing;

    impl SnapshotReader for Nothing {
        fn read(&self, _offset: u64, _buffer: Buffer) -> BoxFuture<'static, Option<Outcome>> {
            Box::pin(async { None })
        }
    }

    #[test]
    fn a_disk_is_found_until_it_is_removed_and_others_of_the_same_snapshot_stay() {
        let served = ServedSnapshots::default();
        let disks: [Arc<dyn SnapshotReader>; 2] = [Arc::new(Nothing), Arc::new(Nothing)];
        for disk in &disks {
            served.add("a", Arc::clone(disk));
        }
        assert!(served.find("b").is_none());
        served.clone().remove("a", &disks[0]);
        served.remove("a", &disks[0]);
        assert!(served.find("a").is_some_and(|found| Arc::ptr_eq(&found, &disks[1])));
        served.remove("a", &disks[1]);
        assert!(served.find("a").is_none());
    }
}
