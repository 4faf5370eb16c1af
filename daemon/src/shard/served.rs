//! A disk that serves a snapshot, as the clones of that read it, from their own shards.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use block::{BlockDevice, Buffer, Outcome};
use futures_util::future::BoxFuture;
use tokio::sync::{RwLock, mpsc, oneshot};

use super::disk::Disk;
use super::{Job, Shard};
use crate::served_snapshots::SnapshotReader;

/// A disk of a shard that serves a snapshot.
struct ServedDisk {
    /// Jobs of its shard; the shard may end meanwhile.
    jobs: mpsc::WeakSender<Job>,
    name: String,
    attachment: u64,
}

impl fmt::Debug for ServedDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "disk '{}'", self.name)
    }
}

impl SnapshotReader for ServedDisk {
    fn read(&self, offset: u64, buffer: Buffer) -> BoxFuture<'static, Option<Outcome>> {
        let (jobs, name, attachment) = (self.jobs.clone(), self.name.clone(), self.attachment);
        Box::pin(async move {
            let (answer, outcome) = oneshot::channel();
            let job: Job = Box::new(move |shard| {
                Box::pin(async move {
                    drop(answer.send(shard.read_snapshot(&name, attachment, offset, buffer).await));
                })
            });
            jobs.upgrade()?.send(job).await.ok()?;
            outcome.await.ok().flatten()
        })
    }
}

/// Use of a disk by clones; none if it serves no snapshot.
#[derive(Default)]
pub(super) struct Served {
    /// Identity of its snapshot, and its entry among those that disks of the host serve.
    entry: RefCell<Option<(String, Arc<dyn SnapshotReader>)>>,
    /// Held by clones that read it, and by its detachment.
    readers: RwLock<()>,
}

impl Shard {
    /// Lets clones on this host read a disk, if it serves a snapshot.
    pub(super) fn serve_snapshot(&self, name: &str, disk: &Disk) {
        let Some(id) = disk.cached.backing().snapshot_id() else { return };
        let (jobs, name) = (self.jobs.clone(), name.to_owned());
        let reader: Arc<dyn SnapshotReader> =
            Arc::new(ServedDisk { jobs, name, attachment: disk.attachment });
        self.places.stores.served_snapshots().add(&id, Arc::clone(&reader));
        disk.served.entry.replace(Some((id, reader)));
    }

    /// Ends that, and waits until none is reading.
    pub(super) async fn end_snapshot(&self, disk: &Disk) {
        let Some((id, reader)) = disk.served.entry.take() else { return };
        self.places.stores.served_snapshots().remove(&id, &reader);
        drop(disk.served.readers.write().await);
    }

    async fn read_snapshot(
        self: Rc<Self>,
        name: &str,
        attachment: u64,
        offset: u64,
        buffer: Buffer,
    ) -> Option<Outcome> {
        let disk = self.disk(name).filter(|disk| disk.attachment == attachment)?;
        let _reading = disk.served.readers.read().await;
        // Nobody begins to read it while it is detached.
        let is_served = disk.served.entry.borrow().is_some();
        if is_served { Some(disk.cached.read(offset, buffer).await) } else { None }
    }
}
