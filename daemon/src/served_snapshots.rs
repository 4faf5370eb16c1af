//! Snapshots that disks of this host serve: what clones have in common is cached once, by such a disk, and not once for each of them.
//!
//! ```text
//!   a clone misses ── its volume has nothing of its own there ── a disk that serves the parent's snapshot, on any shard ── its cache
//!                                                            └── the store, if there is no such disk, or it fails
//! ```
//! The content of a snapshot never changes, so each reader gets the same.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};

use block::{Buffer, Host, Outcome};
use futures_util::future::{BoxFuture, Either, select};

/// Longest time for a read by a disk that serves a snapshot, in nanoseconds: its thread may hang, and the store answers all the same.
const PATIENCE_NS: u64 = 2_000_000_000;
/// Time for which no such disk is asked after that.
const PAUSE_NS: u64 = 10_000_000_000;

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

/// Reads of one snapshot through whichever disk serves it, which nobody waits for long.
pub(crate) struct PatientReader<H> {
    id: String,
    served: ServedSnapshots,
    host: H,
    /// Time before which no disk is asked.
    paused_until: Cell<u64>,
}

impl<H: Host> PatientReader<H> {
    /// Creates it for the snapshot with this identity.
    pub(crate) fn new(id: String, served: &ServedSnapshots, host: &H) -> Self {
        Self { id, served: served.clone(), host: host.clone(), paused_until: Cell::new(0) }
    }

    /// Returns true if a disk is asked at present.
    pub(crate) fn is_served(&self) -> bool {
        self.reader().is_some()
    }

    fn reader(&self) -> Option<Arc<dyn SnapshotReader>> {
        let is_paused = self.host.recently() < self.paused_until.get();
        if is_paused { None } else { self.served.find(&self.id) }
    }

    /// Reads so many bytes from `offset` through a disk that serves the snapshot; none if there is none, or it does not answer.
    pub(crate) async fn read(&self, offset: u64, len: usize) -> Option<Buffer> {
        let reader = self.reader()?;
        let late = pin!(self.host.sleep(PATIENCE_NS));
        match select(reader.read(offset, Buffer::zeroed(len)), late).await {
            Either::Left((Some((buffer, Ok(()))), _)) => Some(buffer),
            // It is being detached.
            Either::Left((None, _)) => None,
            // It has trouble of its own.
            Either::Left((Some(_), _)) | Either::Right(_) => {
                self.paused_until.set(self.host.now() + PAUSE_NS);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use block::executor::{Executor, Order, VirtualTime};
    use block::{BlockError, ErrorKind, Operation};

    use super::*;

    /// A disk that answers with ones, with an error, or never.
    #[derive(Clone, Copy, Debug)]
    enum FakeDisk {
        Answers,
        Fails,
        Hangs,
    }

    impl SnapshotReader for FakeDisk {
        fn read(&self, _offset: u64, mut buffer: Buffer) -> BoxFuture<'static, Option<Outcome>> {
            let disk = *self;
            Box::pin(async move {
                match disk {
                    Self::Answers => {
                        buffer.fill(1);
                        Some((buffer, Ok(())))
                    }
                    Self::Fails => Some((buffer, Err(BlockError::anywhere(ErrorKind::Io, Operation::Read)))),
                    Self::Hangs => std::future::pending().await,
                }
            })
        }
    }

    #[test]
    fn a_disk_that_hangs_or_fails_is_not_waited_for_and_not_asked_for_a_while() {
        for (disk, waits) in [(FakeDisk::Hangs, PATIENCE_NS), (FakeDisk::Fails, 0)] {
            let executor = Executor::new(VirtualTime::new(), Order::Fifo);
            let host = executor.host();
            let ran = executor.run(async {
                let served = ServedSnapshots::default();
                let reader = PatientReader::new("a".to_owned(), &served, &host);
                assert!(!reader.is_served() && reader.read(0, 512).await.is_none());
                let bad: Arc<dyn SnapshotReader> = Arc::new(disk);
                served.add("a", Arc::clone(&bad));
                let started = host.now();
                assert!(reader.is_served() && reader.read(0, 512).await.is_none());
                assert_eq!((host.now() - started, reader.is_served()), (waits, false), "{disk:?}");
                served.remove("a", &bad);
                served.add("a", Arc::new(FakeDisk::Answers));
                assert!(reader.read(0, 512).await.is_none(), "it pauses");
                host.sleep(PAUSE_NS).await;
                let read = reader.read(0, 512).await.expect("it is asked again");
                assert!(read.iter().all(|byte| *byte == 1));
            });
            ran.expect("nothing waits for ever");
        }
    }

    #[test]
    fn a_disk_is_found_until_it_is_removed_and_others_of_the_same_snapshot_stay() {
        let served = ServedSnapshots::default();
        let disks: [Arc<dyn SnapshotReader>; 2] = [Arc::new(FakeDisk::Answers), Arc::new(FakeDisk::Answers)];
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
