//! A shard's part in adding and removing devices of the pool.
//!
//! ```text
//!   open and identify it ──> add it on one shard ──> every other shard gets its own handle ──> use it
//!            └─────────────> close it
//! ```
//! Decides nothing: the registry decides on additions, and records them.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use base::error::{Error, Result};
use block::FileDevice;
use block::file::{Access, Cache as PageCache, Handle, Lock, OpenError, OpenOptions};
use cache::{CacheError, MemberNumber, SizeBounds};
use nix::errno::Errno;
use nix::fcntl::{FallocateFlags, fallocate};
use telemetry::wear;

use super::flash::{DeviceHandle, Flash, OpenDevice};
use super::pool::DeviceProbe;
use super::{Shard, ShardHandle};

impl ShardHandle {
    /// Opens and locks a device and identifies its content; with `create`, first makes a file of this many
    /// bytes. It stays open until it is used or closed again.
    pub(super) async fn probe_device(&self, path: PathBuf, create: Option<u64>) -> Result<DeviceProbe> {
        self.call(move |shard| async move { shard.probe_device(path, create).await }).await?
    }

    /// Closes this shard's devices that are not in its cache: those that were opened and are not to be used,
    /// and those that all shards have by now.
    pub(super) async fn release_devices(&self) -> Result<()> {
        self.call(|shard| async move { shard.looked_at.borrow_mut().clear() }).await
    }

    /// Adds an open device to the pool, whatever it held.
    ///
    /// # Errors
    /// If it cannot be added, or failed; then it does not belong.
    pub(super) async fn add_device(&self, path: PathBuf) -> Result<MemberNumber> {
        self.call(move |shard| async move { shard.add_device(&path).await }).await?
    }

    /// Returns a handle for other shards of a device that was added here.
    pub(super) async fn share_device(&self, path: PathBuf) -> Result<DeviceHandle> {
        self.call(move |shard| async move {
            let looked_at = shard.looked_at.borrow();
            looked_at.get(&path).expect("a device is added before it is shared").handle()
        })
        .await
    }

    /// Gives this shard its handle of a device that another one added.
    pub(super) async fn know_device(&self, number: MemberNumber, device: DeviceHandle) -> Result<()> {
        self.call(move |shard| async move {
            let device = Flash::Device(OpenDevice::from_handle(&shard.ring, device));
            shard.cache().know_device(number, device).map_err(|error| refused(&error))
        })
        .await?
    }

    /// Begins to use a device that all shards have.
    pub(super) async fn use_device(&self, number: MemberNumber) -> Result<()> {
        self.call(
            move |shard| async move { shard.cache().use_device(number).map_err(|error| refused(&error)) },
        )
        .await?
    }

    /// Begins to remove a device from the pool.
    ///
    /// # Errors
    /// If the pool needs it; then nothing has changed.
    pub(super) async fn take_out_device(&self, number: MemberNumber) -> Result<()> {
        self.call(move |shard| async move {
            shard.cache().take_out_device(number).map_err(|error| refused(&error))
        })
        .await?
    }
}

/// Present storage of a device of the pool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeviceStorage {
    /// Its size in bytes, however much of it the pool uses.
    pub(crate) size_bytes: u64,
    /// True for a file, which can grow as long as there is space.
    pub(crate) is_file: bool,
}

/// A change of the file of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileChange {
    /// Extends it to this many bytes, whose storage is allocated.
    Extend(u64),
    /// Truncates it there.
    Cut(u64),
}

/// Changes of the size of a device.
impl ShardHandle {
    /// Returns the present storage of a device.
    pub(super) async fn device_storage(&self, number: MemberNumber) -> Result<DeviceStorage> {
        self.call(move |shard| async move { shard.device_storage(number).await }).await?
    }

    /// Returns the least and the most that the pool can use of a device.
    pub(super) async fn size_bounds(&self, number: MemberNumber) -> Result<SizeBounds> {
        self.call(
            move |shard| async move { shard.cache().size_bounds(number).map_err(|error| refused(&error)) },
        )
        .await?
    }

    /// Extends or truncates the file of a device. The caller explains errors of the system.
    pub(super) async fn change_file(
        &self,
        number: MemberNumber,
        change: FileChange,
    ) -> Result<io::Result<()>> {
        self.call(move |shard| async move {
            let device = shard.device_handle(number)?;
            OpenDevice::change_file(device, &shard.blocking, move |file| match change {
                FileChange::Extend(bytes) => extend(file, bytes),
                FileChange::Cut(bytes) => file.set_len(bytes),
            })
            .await
        })
        .await?
    }

    /// Sets the end up to which this shard's handle of a device reaches.
    pub(super) async fn reach(&self, number: MemberNumber, size_bytes: u64) -> Result<()> {
        self.call(move |shard| async move {
            let reach = |flash: &Flash| {
                if let Some(open) = flash.device() {
                    open.device().set_size(size_bytes);
                }
            };
            shard.cache().on_device(number, reach).ok_or_else(|| gone(number))
        })
        .await?
    }

    /// Extends the pool on a device, up to an end that every shard's handle reaches.
    pub(super) async fn grow_device(&self, number: MemberNumber, size_bytes: u64) -> Result<()> {
        self.call(move |shard| async move {
            shard.cache().grow_device(number, size_bytes).await.map_err(|error| refused(&error))
        })
        .await?
    }

    /// Reads the sizes of the devices again.
    pub(super) async fn know_sizes(&self) -> Result<()> {
        self.call(|shard| async move { shard.cache().know_sizes() }).await
    }

    /// Begins to use the new part of a device.
    pub(super) async fn use_grown(&self, number: MemberNumber) -> Result<()> {
        self.call(
            move |shard| async move { shard.cache().use_grown(number).map_err(|error| refused(&error)) },
        )
        .await?
    }

    /// Makes a device smaller, which may take long.
    pub(super) async fn shrink_device(&self, number: MemberNumber, size_bytes: u64) -> Result<()> {
        self.call(move |shard| async move {
            shard.cache().shrink_device(number, size_bytes).await.map_err(|error| refused(&error))
        })
        .await?
    }

    /// Cancels a resize that makes a device smaller. Returns false if there is none.
    pub(super) async fn cancel_shrink(&self, number: MemberNumber) -> Result<bool> {
        self.call(move |shard| async move { shard.cache().cancel_shrink(number) }).await
    }
}

fn gone(number: MemberNumber) -> Error {
    Error::conflict(format!("Device {number} is no longer open"))
}

/// Allocates the storage of a file up to this many bytes, or only extends it if the file system cannot
/// allocate.
fn extend(file: &File, bytes: u64) -> io::Result<()> {
    let length = i64::try_from(bytes).map_err(io::Error::other)?;
    match fallocate(file, FallocateFlags::empty(), 0, length) {
        Ok(()) => Ok(()),
        Err(Errno::EOPNOTSUPP) => file.set_len(bytes),
        Err(error) => Err(error.into()),
    }
}

impl Shard {
    fn device_handle(&self, number: MemberNumber) -> Result<DeviceHandle> {
        let handle = |flash: &Flash| flash.device().map(OpenDevice::handle);
        self.cache().on_device(number, handle).flatten().ok_or_else(|| gone(number))
    }

    async fn device_storage(&self, number: MemberNumber) -> Result<DeviceStorage> {
        // A separate handle, so that a smaller size has no effect on the pool's own one.
        let open = OpenDevice::from_handle(&self.ring, self.device_handle(number)?);
        let is_file = !open.device().is_block_device();
        let size_bytes = open.device().current_size().await.map_err(|error| {
            Error::unavailable(format!("Cannot read the size of device {number} of the pool: {error}"))
        })?;
        Ok(DeviceStorage { size_bytes, is_file })
    }

    async fn probe_device(&self, path: PathBuf, create: Option<u64>) -> Result<DeviceProbe> {
        // An earlier opening is closed first, so that it can be opened again.
        self.looked_at.borrow_mut().remove(&path);
        if create.is_none() {
            // A guest's disk that looks blank must not become a pool. A server of it holds these locks.
            drop(self.open_device(&path, Lock::Image, None).await?);
        }
        let device = self.open_device(&path, Lock::Exclusive, create).await?;
        let content = cache::identify(&device).await.map_err(|error| {
            let path = path.display();
            Error::unavailable(format!("Cannot read {path} to see whether it is a pool: {error}"))
        })?;
        let (identity, fallback) = (device.identity(), device.fallback_reason().map(str::to_owned));
        let open = OpenDevice::new(device, self.blocking.clone());
        let place = path.clone();
        let drives = self.blocking.run(move || wear::parts_below(&place)).await?.unwrap_or_default();
        let found = DeviceProbe { identity, fallback, content, openness: open.openness(), drives };
        self.looked_at.borrow_mut().insert(path, open);
        Ok(found)
    }

    /// Opens a device on another thread: guests are served on this one.
    async fn open_device(&self, path: &Path, lock: Lock, create: Option<u64>) -> Result<FileDevice> {
        let options = OpenOptions { access: Access::ReadWrite, cache: PageCache::Direct, lock, create };
        let wanted = path.to_owned();
        let opened = self.blocking.run(move || Handle::open(&wanted, options)).await?;
        let handle = opened.map_err(|error| {
            let message = format!("Cannot use {} as the pool: {error}", path.display());
            match error {
                OpenError::Held { .. } => Error::conflict(message),
                OpenError::System { source, .. } if source.kind() != io::ErrorKind::PermissionDenied => {
                    Error::unavailable(message)
                }
                _ => Error::failed(message),
            }
        })?;
        Ok(FileDevice::from_handle(&self.ring, handle))
    }

    async fn add_device(&self, path: &Path) -> Result<MemberNumber> {
        let open = self.take_probed(path);
        let spare = OpenDevice::from_handle(&self.ring, open.handle());
        let cache = Rc::clone(self.cache());
        let numbers =
            || cache.pool_statistics().devices.into_iter().map(|device| MemberNumber(device.number));
        let before: Vec<MemberNumber> = numbers().collect();
        let number = match cache.add_device(Flash::Device(open)).await {
            Ok(number) => number,
            // It failed halfway, and belongs to the pool anyway. Devices are added one after another.
            Err(error) => numbers().find(|number| !before.contains(number)).ok_or_else(|| refused(&error))?,
        };
        self.looked_at.borrow_mut().insert(path.to_owned(), spare);
        Ok(number)
    }
}

/// Messages of the cache are for people as they are.
fn refused(error: &CacheError) -> Error {
    match error {
        CacheError::Flash(_) => Error::failed(error.to_string()),
        _ => Error::conflict(error.to_string()),
    }
}
