//! The snapshot below a clone, on this host: read through a disk that serves it, if there is one, so that clones share what is cached of it.

use std::cell::Cell;
use std::pin::pin;
use std::rc::Rc;

use block::executor::LocalHost;
use block::{BlockError, Buffer, ByteRange, ErrorKind, Extent, Host, Operation, Outcome};
use futures_util::future::{Either, LocalBoxFuture, select};
use objects::Client;
use tokio::sync::OnceCell;
use volume::{Base, Parent, VolumeError, VolumeSettings, open_parent};

use crate::served_snapshots::ServedSnapshots;
use crate::stores::VolumeName;

/// Longest time for a read by a disk that serves the snapshot, in nanoseconds: its thread may hang, and the store answers all the same.
const PATIENCE_NS: u64 = 2_000_000_000;
/// Time for which no such disk is asked after that.
const PAUSE_NS: u64 = 10_000_000_000;

/// The snapshot below a clone.
pub(super) struct ParentSnapshot {
    parent: Parent,
    /// Identity of its content among all stores.
    id: String,
    served: ServedSnapshots,
    client: Client,
    host: LocalHost,
    /// Name of the clone.
    clone: String,
    settings: VolumeSettings,
    /// Time before which no disk is asked.
    paused_until: Cell<u64>,
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
            id: content_id(&name.store, &parent.id, parent.taken_at),
            parent,
            served: served.clone(),
            client: client.clone(),
            host: host.clone(),
            clone: name.name.clone(),
            settings,
            paused_until: Cell::new(0),
            in_store: OnceCell::new(),
        }
    }

    /// Returns true if a disk of this host is read for it at present.
    pub(super) fn is_served(&self) -> bool {
        self.host.recently() >= self.paused_until.get() && self.served.find(&self.id).is_some()
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

    /// Reads through a disk that serves the snapshot; none if there is none, or it does not answer.
    async fn read_served(&self, offset: u64, len: usize) -> Option<Buffer> {
        if !self.is_served() {
            return None;
        }
        let reader = self.served.find(&self.id)?;
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

/// Returns the identity of a snapshot's content. The time distinguishes it from another one whose numbers are the same, in a store that was
/// restored from a copy.
pub(super) fn content_id(store: &str, id: &dyn std::fmt::Display, taken_at: u64) -> String {
    format!("{store}/{id}.{taken_at:x}")
}

impl Base for ParentSnapshot {
    fn read(&self, offset: u64, buffer: Buffer) -> LocalBoxFuture<'_, Outcome> {
        Box::pin(async move {
            if let Some(found) = self.read_served(offset, buffer.len()).await {
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
