//! A shard's side of a device that comes to the pool or leaves it.
//!
//! ```text
//!   look at it ──> add it on one shard ──> every other shard gets its own handle ──> use it
//!       └────────> let it go
//! ```
//! Decides nothing: what may be added, and what is remembered of it, is the business of the registry.

use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use base::problem::{Answer, Problem};
use block::FileDevice;
use block::file::{Access, Cache as PageCache, Handle, Lock, OpenError, OpenOptions};
use cache::{CacheError, MemberNumber};
use telemetry::wear;

use super::flash::{DeviceHandle, Flash, OpenDevice};
use super::pool::Found;
use super::{Shard, ShardHandle};

impl ShardHandle {
    /// Opens and locks a device and says what it holds; makes a file of `create` bytes first if asked to. It stays open
    /// until it is used or let go.
    pub(super) async fn look_at_device(&self, path: PathBuf, create: Option<u64>) -> Answer<Found> {
        self.call(move |shard| async move { shard.look_at_device(path, create).await }).await?
    }

    /// Closes what this shard has open of devices beside its cache: those that were looked at and are not to be used, and
    /// those that all shards have by now.
    pub(super) async fn let_go_of_devices(&self) -> Answer<()> {
        self.call(|shard| async move { shard.looked_at.borrow_mut().clear() }).await
    }

    /// Makes a device that was looked at one of the pool, whatever it held.
    ///
    /// # Errors
    /// If it cannot be one, or failed; then it is none.
    pub(super) async fn add_device(&self, path: PathBuf) -> Answer<MemberNumber> {
        self.call(move |shard| async move { shard.add_device(&path).await }).await?
    }

    /// What another shard needs to know a device that was added here.
    pub(super) async fn share_device(&self, path: PathBuf) -> Answer<DeviceHandle> {
        self.call(move |shard| async move {
            let looked_at = shard.looked_at.borrow();
            looked_at.get(&path).expect("a device is added before it is shared").handle()
        })
        .await
    }

    /// Gives this shard its handle of a device that another one added.
    pub(super) async fn know_device(&self, number: MemberNumber, device: DeviceHandle) -> Answer<()> {
        self.call(move |shard| async move {
            let device = Flash::Device(OpenDevice::from_handle(&shard.ring, device));
            shard.cache().know_device(number, device).map_err(|error| refused(&error))
        })
        .await?
    }

    /// Starts to put content on a device that all shards know.
    pub(super) async fn use_device(&self, number: MemberNumber) -> Answer<()> {
        self.call(
            move |shard| async move { shard.cache().use_device(number).map_err(|error| refused(&error)) },
        )
        .await?
    }

    /// Has a device leave the pool.
    ///
    /// # Errors
    /// If the pool cannot do without it; then nothing has changed.
    pub(super) async fn take_out_device(&self, number: MemberNumber) -> Answer<()> {
        self.call(move |shard| async move {
            shard.cache().take_out_device(number).map_err(|error| refused(&error))
        })
        .await?
    }
}

impl Shard {
    async fn look_at_device(&self, path: PathBuf, create: Option<u64>) -> Answer<Found> {
        // What was looked at before is given back first, so that it can be looked at again.
        self.looked_at.borrow_mut().remove(&path);
        if create.is_none() {
            // A guest's disk that looks blank is no pool to be. Whoever serves it holds these locks.
            drop(self.open_device(&path, Lock::Image, None).await?);
        }
        let device = self.open_device(&path, Lock::Exclusive, create).await?;
        let content = cache::identify(&device).await.map_err(|error| {
            let path = path.display();
            Problem::unavailable(format!("Cannot read {path} to see whether it is a pool: {error}"))
        })?;
        let (identity, fallback) = (device.identity(), device.fallback_reason().map(str::to_owned));
        let open = OpenDevice::new(device, self.aside.clone());
        let place = path.clone();
        let drives = self.aside.run(move || wear::parts_below(&place)).await?.unwrap_or_default();
        let found = Found { identity, fallback, content, openness: open.openness(), drives };
        self.looked_at.borrow_mut().insert(path, open);
        Ok(found)
    }

    /// Opens a device aside from the shard: guests are served here.
    async fn open_device(&self, path: &Path, lock: Lock, create: Option<u64>) -> Answer<FileDevice> {
        let options = OpenOptions { access: Access::ReadWrite, cache: PageCache::Direct, lock, create };
        let wanted = path.to_owned();
        let opened = self.aside.run(move || Handle::open(&wanted, options)).await?;
        let handle = opened.map_err(|error| {
            let message = format!("Cannot use {} as the pool: {error}", path.display());
            match error {
                OpenError::Held { .. } => Problem::conflict(message),
                OpenError::System { source, .. } if source.kind() != io::ErrorKind::PermissionDenied => {
                    Problem::unavailable(message)
                }
                _ => Problem::failed(message),
            }
        })?;
        Ok(FileDevice::from_handle(&self.ring, handle))
    }

    async fn add_device(&self, path: &Path) -> Answer<MemberNumber> {
        let open = self.take_looked_at(path);
        let spare = OpenDevice::from_handle(&self.ring, open.handle());
        let cache = Rc::clone(self.cache());
        let numbers =
            || cache.pool_statistics().devices.into_iter().map(|device| MemberNumber(device.number));
        let before: Vec<MemberNumber> = numbers().collect();
        let number = match cache.add_device(Flash::Device(open)).await {
            Ok(number) => number,
            // It failed in the middle, and is one of the pool all the same. Devices are added one after another.
            Err(error) => numbers().find(|number| !before.contains(number)).ok_or_else(|| refused(&error))?,
        };
        self.looked_at.borrow_mut().insert(path.to_owned(), spare);
        Ok(number)
    }
}

/// What the cache says is for people as it is.
fn refused(error: &CacheError) -> Problem {
    match error {
        CacheError::Flash(_) => Problem::failed(error.to_string()),
        _ => Problem::conflict(error.to_string()),
    }
}
