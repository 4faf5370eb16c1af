//! The snapshot below a clone, on this host: read through a disk that serves it, if there is one, so that clones share what is cached of it.

use std::rc::Rc;

use block::executor::LocalHost;
use block::{BlockError, Buffer, ByteRange, ErrorKind, Extent, Operation, Outcome};
use futures_util::future::LocalBoxFuture;
use objects::Client;
use tokio::sync::OnceCell;
use volume::{Base, Parent, SnapshotId, VolumeError, VolumeSettings, open_parent};

use crate::served_snapshots::{PatientReader, ServedSnapshots};
use crate::stores::VolumeName;

/// The snapshot below a clone.
pub(super) struct ParentSnapshot {
    parent: Parent,
    /// A disk of this host that serves it.
    served: PatientReader<LocalHost>,
    client: Client,
    host: LocalHost,
    /// Name of the clone.
    clone: String,
    settings: VolumeSettings,
    /// The snapshot in the store, opened when it is first needed: a disk that serves it has its map already.
    in_store: OnceCell<Rc<dyn Base>>,
}

impl ParentSnapshot {
    /// Creates it for a clone of this snapshot.
    pub(super) fn new(
        (name, parent): (&VolumeName, Parent),
        served: &ServedSnapshots,
        (client, host): (&Client, &LocalHost),
        settings: VolumeSettings,
    ) -> Self {
        Self {
            served: PatientReader::new(
                served_id(&name.store, &content_id(&parent.id, parent.taken_at)),
                served,
                host,
            ),
            parent,
            client: client.clone(),
            host: host.clone(),
            clone: name.name.clone(),
            settings,
            in_store: OnceCell::new(),
        }
    }

    /// Returns its name.
    pub(super) fn name(&self) -> String {
        // A clone is in the store of its parent.
        format!("{}@{}", self.parent.volume, self.parent.snapshot)
    }

    /// Returns true if a disk of this host is read for it at present.
    pub(super) fn is_served(&self) -> bool {
        self.served.is_served()
    }

    /// Returns the snapshot in the store.
    async fn in_store(&self) -> Result<&Rc<dyn Base>, BlockError> {
        let open = async {
            let opened = open_parent(&self.client, &self.host, &self.clone, self.settings).await?;
            // The name may be that of another volume by now.
            let ours = opened.filter(|(parent, _)| *parent == self.parent);
            ours.map(|(_, snapshot)| snapshot).ok_or(VolumeError::Closed)
        };
        let failed = |error: VolumeError| {
            BlockError::anywhere(ErrorKind::Io, Operation::Read)
                .because(format!("the snapshot below it cannot be opened: {error}"))
        };
        self.in_store.get_or_try_init(|| open).await.map_err(failed)
    }
}

/// Returns the identity of a snapshot's content. The time distinguishes it from another one whose numbers are the same, in a store that was
/// restored from a copy.
pub(super) fn content_id(id: &SnapshotId, taken_at: u64) -> String {
    format!("{id}.{taken_at:x}")
}

/// Returns the identity by which clones find the disk that serves content of a store.
pub(super) fn served_id(store: &str, content: &str) -> String {
    format!("{store}/{content}")
}

impl Base for ParentSnapshot {
    fn read(&self, offset: u64, buffer: Buffer) -> LocalBoxFuture<'_, Outcome> {
        Box::pin(async move {
            if let Some(found) = self.served.read(offset, buffer.len()).await {
                return (found, Ok(()));
            }
            match self.in_store().await {
                Ok(snapshot) => snapshot.read(offset, buffer).await,
                Err(error) => (buffer, Err(error)),
            }
        })
    }

    fn extents(&self, range: ByteRange) -> LocalBoxFuture<'_, Result<Vec<Extent>, BlockError>> {
        Box::pin(async move { self.in_store().await?.extents(range).await })
    }
}
