//! A volume: a disk as a log of objects in an object store. Opening it for writing ends the right of every other host to change it.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base::blocking_pool::BlockingPool;
use base::error::{Error, Result};
use base::moment::nanos_since_1970;
use block::executor::LocalHost;
use block::file::Access;
use block::patient::HangPolicy;
use block::{Aligned, BlockDevice, BlockError, Buffer, ByteRange, Extent, Geometry, Host, Outcome, Unmap};
use futures_util::future::{Either, select};
use objects::Client;
use volume::{Mark, Marks, Owner, Volume, VolumeError, VolumeSettings};

use super::HandOff;
use crate::backing::device::Opening;
use crate::backing::probe::{Images, image_in_export};
use crate::backing::storage::Storage;
use crate::backing::{Ability, Capabilities, Identity};
use crate::backing_identity::{Appearance, Attributes, CannotMark, DirtyMark};
use crate::places::host_name;
use crate::stores::{Stores, VolumeName, cannot_use};

/// Longest time for the checkpoint of a volume that is closed, in nanoseconds: without it, the next open takes longer.
const CLOSE_NS: u64 = 3_000_000_000;
/// Longest time for the note that nobody has it open, in nanoseconds. A stop of the daemon has 8 s for all.
const RELEASE_NS: u64 = 3_000_000_000;
/// Tries of that note.
const RELEASE_TRIES: u32 = 3;
/// Longest time for another change of its mark.
const CHANGE_TIME: Duration = Duration::from_secs(20);

/// The disk that opens a volume.
#[derive(Clone, Debug)]
pub(crate) struct VolumeUser {
    /// Identity of its pool.
    pub(crate) pool: String,
    /// Its number.
    pub(crate) disk: u32,
    /// True if flash may have newer data of it.
    pub(crate) may_be_dirty: bool,
}

impl VolumeUser {
    /// Returns the words by which a volume knows it again. A host without its pool has no identity but its name.
    fn id(&self) -> String {
        let Self { pool, disk, .. } = self;
        if pool.bytes().all(|digit| digit == b'0') {
            format!("{pool} {disk} {}", host_name())
        } else {
            format!("{pool} {disk}")
        }
    }
}

/// An open volume.
pub(in crate::backing) struct OpenVolume {
    device: Aligned<Volume<Client, LocalHost>>,
    attributes: Arc<VolumeAttributes>,
    host: LocalHost,
}

impl Drop for OpenVolume {
    /// A disk that could not be attached leaves the volume to others.
    fn drop(&mut self) {
        if self.lost().is_none() {
            let attributes = Arc::clone(&self.attributes);
            self.host.spawn(async move { attributes.release().await });
        }
    }
}

impl OpenVolume {
    fn volume(&self) -> &Volume<Client, LocalHost> {
        self.device.inner()
    }
}

impl Storage for OpenVolume {
    fn identity(&self) -> Identity {
        Identity::Remote(self.attributes.id.clone())
    }

    async fn current_size(&self) -> Result<u64, BlockError> {
        Ok(self.device.geometry().size)
    }

    fn set_size(&self, _bytes: u64) {}

    fn unit(&self) -> u64 {
        self.device.geometry().alignment
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            fence: Ability::unless(self.lost()),
            guest_move: Ability::unable(
                "its format is Forebay's own, so QEMU cannot have it open; a running guest can only be moved with a file or device",
            ),
            shard_move: Ability::unable("its map stays with the thread that opened it"),
            resize: Ability::unable("it has the size with which it was created"),
            ..Capabilities::from_geometry(&self.device.geometry())
        }
    }

    fn attributes(&self, _location: &super::Location) -> Arc<dyn Attributes> {
        Arc::<VolumeAttributes>::clone(&self.attributes)
    }

    fn lost(&self) -> Option<String> {
        let epoch = self.volume().fenced()?;
        Some(format!(
            "another host opened the volume (epoch {epoch}); what this one's flash has and the volume lacks is lost to it. \
             Remove the disk here, or stop the other one and add it again"
        ))
    }

    async fn rest(&self) -> Result<(), BlockError> {
        let error = BlockError::anywhere(block::ErrorKind::Unsupported, block::Operation::Open);
        Err(error.because("a volume stays with the thread that opened it"))
    }

    fn hand_off(&self) -> HandOff {
        unreachable!("it never comes to rest")
    }

    fn hang(&self) -> HangPolicy {
        HangPolicy::GivenUp
    }

    async fn close(&self, host: &LocalHost) {
        let close = std::pin::pin!(self.volume().close());
        match select(close, std::pin::pin!(host.sleep(CLOSE_NS))).await {
            Either::Left((Ok(()), _)) => {}
            Either::Left((Err(problem), _)) => {
                tracing::debug!("The next open of a volume takes longer: {problem}");
            }
            Either::Right(_) => tracing::debug!("The next open of a volume takes longer"),
        }
        // Nothing of it goes on, also if that took too long.
        self.volume().end();
        if self.lost().is_some() {
            return;
        }
        let release = std::pin::pin!(self.attributes.release());
        if let Either::Right(_) = select(release, std::pin::pin!(host.sleep(RELEASE_NS))).await {
            tracing::warn!(
                "The store did not take the note that a volume is closed: another host will find it open"
            );
        }
    }
}

impl BlockDevice for OpenVolume {
    fn geometry(&self) -> Geometry {
        self.device.geometry()
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.device.read(offset, buffer).await
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.device.write(offset, buffer).await
    }

    async fn flush(&self) -> Result<(), BlockError> {
        self.device.flush().await
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        self.device.write_zeroes(range, unmap).await
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        self.device.discard(range).await
    }

    fn abandon_group(&self) {
        self.device.abandon_group();
    }

    async fn extents(&self, range: ByteRange) -> Result<Vec<Extent>, BlockError> {
        self.device.extents(range).await
    }
}

/// Marks of an open volume, for any thread.
struct VolumeAttributes {
    /// Identity among all stores.
    id: String,
    bytes: u64,
    /// True if this disk opened it before, and nobody else since.
    is_unchanged: bool,
    state: Mutex<MarkState>,
}

struct MarkState {
    mark: Mark,
    /// None if it is open for reading alone, or was released.
    marks: Option<Marks<Client>>,
}

impl VolumeAttributes {
    fn state(&self) -> MutexGuard<'_, MarkState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the mark, durably. Blocks.
    fn change(&self, change: impl FnOnce(&mut Mark)) -> Result<(), String> {
        let mut state = self.state();
        let MarkState { mark, marks } = &mut *state;
        let Some(marks) = marks else { return Err("the volume is not open for writing".to_owned()) };
        let mut changed = mark.clone();
        change(&mut changed);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let change = async {
            let mut tries = 0;
            loop {
                match marks.replace(&changed).await {
                    Ok(()) => return Ok(()),
                    Err(VolumeError::Store(error)) if error.kind.is_transient() && tries < 5 => {
                        tokio::time::sleep(Duration::from_millis(100 << tries)).await;
                        tries += 1;
                    }
                    Err(error) => return Err(error.to_string()),
                }
            }
        };
        let limited = runtime.block_on(async { tokio::time::timeout(CHANGE_TIME, change).await });
        limited.unwrap_or_else(|_| Err("the store gave no answer".to_owned()))?;
        *mark = changed;
        Ok(())
    }

    /// Says that no host has it open, unless that was done before. Afterwards its marks cannot be changed.
    async fn release(&self) {
        // What changes them now is the end of an attachment that failed: nobody waits for a store on this thread.
        let Ok(mut state) = self.state.try_lock() else { return };
        let Some(marks) = state.marks.take() else { return };
        let mark = Mark { host: None, ..state.mark.clone() };
        drop(state);
        for _ in 1..RELEASE_TRIES {
            if marks.replace(&mark).await.is_ok() {
                return;
            }
        }
        if let Err(problem) = marks.replace(&mark).await {
            tracing::warn!("A volume stays marked as open: {problem}");
        }
    }
}

impl Attributes for VolumeAttributes {
    fn appearance(&self) -> io::Result<Appearance> {
        let mark = self.state().mark.clone();
        Ok(Appearance {
            bytes: Some(self.bytes),
            image: Some(self.id.clone()),
            unchanged: Some(self.is_unchanged),
            session: mark.session,
            dirty: mark.dirty.map(|text| DirtyMark::parse(&text)),
            ..Appearance::default()
        })
    }

    fn check_marks(&self) -> Result<(), CannotMark> {
        Ok(())
    }

    fn set_session(&self, session: &str) -> Result<(), CannotMark> {
        self.change(|mark| mark.session = Some(session.to_owned())).map_err(CannotMark)
    }

    fn set_dirty_mark(&self, dirty: &DirtyMark) -> Result<(), CannotMark> {
        self.change(|mark| mark.dirty = Some(dirty.to_string())).map_err(CannotMark)
    }

    fn remove_dirty_mark(&self, dirty: &DirtyMark) -> io::Result<()> {
        if self.state().mark.dirty.as_ref() != Some(&dirty.to_string()) {
            return Ok(());
        }
        self.change(|mark| mark.dirty = None).map_err(io::Error::other)
    }
}

/// Returns the error for a volume that cannot be used.
pub(crate) fn refused(name: &VolumeName, error: &VolumeError) -> Error {
    let message = format!("Cannot use volume {name}: {error}");
    match error {
        VolumeError::Store(error) => {
            let of_store = cannot_use(&name.store, error);
            Error { message, ..of_store }
        }
        VolumeError::NotFound { .. } => Error::missing(message),
        VolumeError::Exists { .. } | VolumeError::Fenced { .. } => Error::conflict(message),
        VolumeError::Damaged { .. } | VolumeError::Closed => Error::failed(message),
        VolumeError::BadName { .. } | VolumeError::BadSize { .. } | VolumeError::NewerFormat { .. } => {
            Error::invalid(message)
        }
    }
}

/// Refuses a volume that another host has open, or of which another one has newer data.
///
/// # Errors
/// A conflict, with what to do.
pub(crate) fn check_free(name: &VolumeName, mark: &Mark, owner: Option<&str>) -> Result<()> {
    if owner.is_some() && mark.owner.as_deref() == owner {
        return Ok(());
    }
    let advice = format!(
        "Remove the disk there first. If that host is dead, or its flash lost: `forebay volume fence {name}` ends its right to the volume, \
         which is then as of its last group"
    );
    let dirty = mark.dirty.as_ref().map(|dirty| DirtyMark::parse(dirty));
    let reason = match (&mark.host, &dirty) {
        (Some(host), None) => format!("host '{host}' has it open"),
        (Some(host), Some(dirty)) => {
            format!(
                "host '{host}' has it open, as disk '{}', and may have newer data of it on its flash",
                dirty.name
            )
        }
        (None, Some(dirty)) => {
            format!(
                "newer data of it is on the flash of pool {}, as disk '{}' of another Forebay",
                dirty.pool, dirty.name
            )
        }
        (None, None) => return Ok(()),
    };
    Err(Error::conflict(format!("Cannot use volume {name}: {reason}. {advice}")))
}

/// Returns the client of a store, whose first use may block.
async fn client_of(stores: &Stores, blocking: &BlockingPool, name: &VolumeName) -> Result<Client> {
    let (stores, store) = (stores.clone(), name.store.clone());
    blocking.run(move || stores.client(&store)).await?
}

/// Probes a volume: that it exists, and holds a raw disk.
pub(super) async fn probe_volume(
    stores: &Stores,
    blocking: &BlockingPool,
    host: &LocalHost,
    name: &VolumeName,
    images: Images,
) -> Result<Identity> {
    let client = client_of(stores, blocking, name).await?;
    let summary = volume::peek(&client, host, &name.name).await.map_err(|error| refused(name, &error))?;
    if images == Images::Refused {
        let settings = VolumeSettings::default();
        let opened = Volume::open_read_only(client, host.clone(), &name.name, settings).await;
        let opened = Aligned::new(opened.map_err(|error| refused(name, &error))?);
        let read = async |at: u64| {
            let (bytes, read) = opened.read(at, Buffer::zeroed(512)).await;
            read.map(|()| bytes).map_err(|error| Error::failed(format!("Cannot use volume {name}: {error}")))
        };
        let (first, last) = (read(0).await?, read(opened.geometry().size - 512).await?);
        let sector = |bytes: &Buffer| <[u8; 512]>::try_from(&bytes[..]).expect("a sector");
        if let Some(reason) = image_in_export(&sector(&first), &sector(&last)) {
            return Err(Error::invalid(format!("Cannot use volume {name}: {reason}")));
        }
    }
    Ok(Identity::Remote(id_of(summary.id)))
}

fn id_of(id: volume::VolumeId) -> String {
    format!("volume:{id}")
}

/// Opens a volume for a disk.
pub(super) async fn open_volume(
    host: &LocalHost,
    blocking: &BlockingPool,
    name: &VolumeName,
    opening: &Opening,
) -> Result<OpenVolume> {
    let client = client_of(&opening.stores, blocking, name).await?;
    if opening.access == Access::ReadWrite {
        // Before the volume is looked at: what is found there is to hold when it is opened.
        opening.stores.probe(&name.store, &client).await?;
    }
    let settings = VolumeSettings { wall_time: nanos_since_1970, ..VolumeSettings::default() };
    let summary = volume::peek(&client, host, &name.name).await.map_err(|error| refused(name, &error))?;
    let is_writable = opening.access == Access::ReadWrite;
    let opened = match &opening.user {
        Some(user) if is_writable => {
            let id = user.id();
            check_free(name, &summary.mark, Some(&id))?;
            if user.may_be_dirty && summary.mark.owner.as_ref() != Some(&id) {
                return Err(Error::conflict(format!(
                    "Cannot use volume {name}: another host opened it since this one did, so the dirty data on this one's flash is out of \
                     date. `forebay disk remove NAME --discard-dirty` discards it"
                )));
            }
            let owner = Owner { id, host: host_name(), after: Some(summary.epochs) };
            Volume::open(client, host.clone(), &name.name, &owner, settings).await
        }
        _ => Volume::open_read_only(client, host.clone(), &name.name, settings).await,
    };
    let opened = opened.map_err(|error| refused(name, &error))?;
    let mark = opened.mark().clone();
    let attributes = VolumeAttributes {
        id: id_of(opened.id()),
        bytes: opened.geometry().size,
        // The session goes when another owner opens it. A host that reads alone knows of no change while it has no owner.
        is_unchanged: mark.session.is_some()
            && if is_writable { summary.mark.owner == mark.owner } else { mark.host.is_none() },
        state: Mutex::new(MarkState { mark, marks: opened.marks() }),
    };
    Ok(OpenVolume { device: Aligned::new(opened), attributes: Arc::new(attributes), host: host.clone() })
}
