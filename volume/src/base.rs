//! The device below a clone: what it reads where it has no content of its own. Its content never changes.

use std::rc::Rc;

use block::{BlockDevice, BlockError, Buffer, ByteRange, Extent, Host, Outcome};
use futures_util::future::LocalBoxFuture;

use super::calls::Calls;
use super::clones::PARENTS_MAX;
use super::error::VolumeError;
use super::load::{find_volume, load_snapshot, read_record};
use super::mark::Mark;
use super::names::SnapshotId;
use super::record::{ParentRecord, VolumeRecord};
use super::settings::VolumeSettings;
use super::snapshots::{Parent, body_of};
use super::store::Store;
use super::volume::{Opening, Volume};

/// A device that never changes, below a clone: the snapshot of which it is one.
pub trait Base {
    /// Fills a buffer from `offset`, in bytes. Offset and length are whole pages, within the size of the snapshot.
    fn read(&self, offset: u64, buffer: Buffer) -> LocalBoxFuture<'_, Outcome>;

    /// Returns the parts of a range that hold data, in order and without gaps.
    fn extents(&self, range: ByteRange) -> LocalBoxFuture<'_, Result<Vec<Extent>, BlockError>>;
}

/// Any block device as a base.
pub struct DeviceBase<D>(pub Rc<D>);

impl<D: BlockDevice> Base for DeviceBase<D> {
    fn read(&self, offset: u64, buffer: Buffer) -> LocalBoxFuture<'_, Outcome> {
        Box::pin(self.0.read(offset, buffer))
    }

    fn extents(&self, range: ByteRange) -> LocalBoxFuture<'_, Result<Vec<Extent>, BlockError>> {
        Box::pin(self.0.extents(range))
    }
}

/// Opens the snapshot of which a volume is a clone, and those through which that one reads; none if it is no clone.
///
/// # Errors
/// If the store fails, or an object is damaged.
pub(crate) async fn open_base<S: Store + Clone, H: Host>(
    calls: &Calls<S, H>,
    record: &VolumeRecord,
    settings: VolumeSettings,
) -> Result<Option<Rc<dyn Base>>, VolumeError> {
    let mut chain: Vec<(String, SnapshotId, [u64; 3], VolumeRecord)> = Vec::new();
    let mut parent = record.parent.clone();
    while let Some(above) = parent.take() {
        let damaged =
            |reason: &str| VolumeError::damaged(&format!("record of clone '{}'", record.name), reason);
        let id = above.id().ok_or_else(|| damaged("its parent cannot be"))?;
        if chain.len() >= PARENTS_MAX as usize {
            return Err(damaged("it has too many parents"));
        }
        let record = read_record(calls, id.volume()).await?;
        parent.clone_from(&record.parent);
        chain.push((above.name, id, above.body, record));
    }
    let mut base: Option<Rc<dyn Base>> = None;
    for (name, id, body, record) in chain.into_iter().rev() {
        let loaded = load_snapshot(calls, id.volume(), body_of(body)).await?;
        let opening = Opening { name, volume: id.volume(), epoch: None, snapshot: Some(id) };
        let opened = Volume::of(calls.clone(), opening, settings, (&record, base), loaded, Mark::default());
        base = Some(Rc::new(DeviceBase(Rc::new(opened))));
    }
    Ok(base)
}

/// Opens the snapshot of which a volume is a clone, for reading, and says which one it is; none if it is no clone.
///
/// # Errors
/// If there is no such volume, the store fails, or an object is damaged.
pub async fn open_parent<S: Store + Clone, H: Host>(
    store: &S,
    host: &H,
    name: &str,
    settings: VolumeSettings,
) -> Result<Option<(Parent, Rc<dyn Base>)>, VolumeError> {
    let calls = Calls { store: store.clone(), host: host.clone() };
    let (_, record) = find_volume(&calls, name).await?;
    let base = open_base(&calls, &record, settings).await?;
    Ok(record.parent.as_ref().and_then(ParentRecord::parent).zip(base))
}
