//! A shard's operations on the pool: formatting a device, opening a pool on all of its devices, joining it.
//! Single devices are opened, added and removed in `devices.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;

use base::error::{Error, Result};
use block::Host;
use block::file::Identity;
use cache::{
    Cache, CacheError, DirtyData, DiskId, DriveWrites, Identified, IgnoredDevice, Opened, PoolContent,
    PoolId, PoolStatistics, SessionIds, SharedPool,
};
use telemetry::events::{self, Kind};

use super::disk::Env;
use super::flash::{DeviceHandle, Flash, OpenDevice, Openness};
use super::{Shard, ShardHandle};

/// A file or device that may become one of the pool.
#[derive(Clone, Debug)]
pub(crate) struct DeviceProbe {
    /// Identity of its storage, so that it is not also used as a backing.
    pub(crate) identity: Identity,
    /// Reason for which it is used through the page cache, if it is.
    pub(crate) fallback: Option<String>,
    /// Its content.
    pub(crate) content: Identified,
    /// Shows whether it is still open.
    pub(crate) openness: Openness,
    /// The drives that it is on, by name; empty if they are unknown.
    pub(crate) drives: BTreeSet<String>,
}

/// Result of opening a pool.
#[derive(Clone, Debug)]
pub(crate) struct OpenedPool {
    /// Trust in its content.
    pub(crate) content: PoolContent,
    /// Devices that do not belong to it, with the reasons.
    pub(crate) ignored: Vec<(PathBuf, String)>,
}

/// Owners of a pool's content.
#[derive(Clone, Debug, Default)]
pub(crate) struct Owners {
    /// The existing disks.
    pub(crate) disks: Vec<u32>,
    /// Disks that were removed with their dirty data.
    pub(crate) given_up: Vec<u32>,
}

/// State of the pool.
#[derive(Clone, Debug)]
pub(crate) struct PoolReport {
    pub(crate) statistics: PoolStatistics,
    pub(crate) reserve_bytes_min: u64,
}

impl ShardHandle {
    /// Makes an empty pool of an open device, whatever it held. Returns its new content.
    pub(super) async fn format_pool(&self, path: PathBuf, id: PoolId) -> Result<Identified> {
        self.call(move |shard| async move {
            let open = shard.take_probed(&path);
            let made = match cache::format(open.device(), id, None).await {
                Ok(()) => cache::identify(open.device()).await.map_err(CacheError::from),
                Err(error) => Err(error),
            };
            shard.looked_at.borrow_mut().insert(path, open);
            made.map_err(|error| Error::failed(format!("Cannot make the pool: {error}")))
        })
        .await?
    }

    /// Opens the pool on open devices. Its data of other disks is freed, unless it is dirty and may not be
    /// discarded: then it stays, and takes space.
    ///
    /// # Errors
    /// `Unavailable` if it has dirty data, and may not be whole; then nothing has changed.
    pub(super) async fn open_pool(
        &self,
        paths: Vec<PathBuf>,
        marks: SessionIds,
        owners: Owners,
    ) -> Result<OpenedPool> {
        self.call(move |shard| async move {
            let mut devices = Vec::new();
            for path in &paths {
                let open = shard.take_probed(path);
                let spare = OpenDevice::from_handle(&shard.ring, open.handle());
                shard.looked_at.borrow_mut().insert(path.clone(), spare);
                devices.push(Flash::Device(open));
            }
            let failed = |error| match error {
                CacheError::HoldsDirty(_) => Error::unavailable(format!("Cannot open the pool: {error}")),
                _ => Error::failed(format!("Cannot open the pool: {error}")),
            };
            let Opened { cache, content, ignored } =
                Cache::open(devices, shard.host.clone(), &marks).await.map_err(failed)?;
            let named = |IgnoredDevice { place, reason }: IgnoredDevice| (paths[place].clone(), reason);
            let ignored: Vec<_> = ignored.into_iter().map(named).collect();
            // Only devices of the pool are shared with other shards, not others that were opened.
            let is_used =
                |path: &PathBuf| paths.contains(path) && !ignored.iter().any(|(other, _)| other == path);
            shard.looked_at.borrow_mut().retain(|path, _| is_used(path));
            let strangers = cache.owners().into_iter().filter(|owner| !owners.disks.contains(&owner.0));
            for owner in strangers {
                give_back(&cache, owner, &owners.given_up).await.map_err(failed)?;
            }
            shard.mark.set(marks.new);
            shard.let_witness(&cache).await?;
            assert!(shard.cache.set(cache).is_ok(), "a shard has one pool");
            Ok(OpenedPool { content, ignored })
        })
        .await?
    }

    /// Invalidates, durably on flash, a pool's data of some disks, on open devices. Nothing else of it
    /// changes, and it is not used.
    ///
    /// # Errors
    /// If it cannot be done, or one of the disks has dirty data there.
    pub(super) async fn invalidate_content(
        &self,
        paths: Vec<PathBuf>,
        marks: SessionIds,
        disks: Vec<u32>,
    ) -> Result<()> {
        self.call(move |shard| async move {
            let failed = |error| {
                Error::failed(format!("Cannot discard the data that the pool holds of disks: {error}"))
            };
            let devices = paths.iter().map(|path| Flash::Device(shard.take_probed(path))).collect();
            let opened = Cache::<Env>::open(devices, shard.host.clone(), &marks).await.map_err(failed)?;
            for owner in opened.cache.owners().into_iter().filter(|owner| disks.contains(&owner.0)) {
                opened.cache.disown(owner, DirtyData::Refuse).await.map_err(failed)?;
            }
            opened.cache.leave(marks.new).await.map_err(failed)
        })
        .await?
    }

    /// Continues without records in DIR, which cannot be written.
    pub(super) async fn go_on_unrecorded(&self) -> Result<()> {
        self.call(|shard| async move { shard.unrecorded.set(true) }).await
    }

    /// Returns the parts with which another shard can join the pool.
    pub(super) async fn share_pool(&self) -> Result<SharedFlash> {
        self.call(|shard| async move { shard.share_pool() }).await
    }

    /// Joins the pool that another shard opened.
    pub(super) async fn join_pool(&self, flash: SharedFlash) -> Result<()> {
        self.call(move |shard| async move { shard.join_pool(flash).await }).await?
    }

    /// Continues without a pool: every disk is served as if the flash had failed.
    pub(super) async fn go_without_pool(&self) -> Result<()> {
        self.call(move |shard| async move {
            shard.looked_at.borrow_mut().clear();
            shard.goes_without.set(true);
            if let Some(cache) = shard.cache.get() {
                // Another shard could not join the pool.
                cache.give_up_flash();
                return Ok(());
            }
            let (flash, marks) = (Flash::missing(), SessionIds { new: 0, known: vec![0], epoch: None });
            let failed = |error| Error::failed(format!("Cannot go on without a pool: {error}"));
            cache::format(&flash, PoolId([0; 16]), None).await.map_err(failed)?;
            let opened = Cache::open(vec![flash], shard.host.clone(), &marks).await.map_err(failed)?;
            let cache = opened.cache;
            cache.give_up_flash();
            assert!(shard.cache.set(cache).is_ok(), "a shard has one pool");
            Ok(())
        })
        .await?
    }

    /// Writes a mark to the pool, which is not used any more until it is opened again.
    ///
    /// # Errors
    /// If the flash failed.
    pub(super) async fn leave_pool(&self, mark: u64) -> Result<()> {
        self.call(move |shard| async move {
            let left = shard.cache().leave(mark).await;
            left.map_err(|error| Error::failed(format!("Cannot mark the pool as left: {error}")))
        })
        .await?
    }

    /// Returns a unique mark for a start.
    pub(super) async fn draw_mark(&self) -> Result<u64> {
        self.call(|shard| async move { shard.host.random() }).await
    }

    /// Returns a new identity for a pool.
    pub(super) async fn draw_pool_id(&self) -> Result<PoolId> {
        self.call(|shard| async move {
            let number = u128::from(shard.host.random()) << 64 | u128::from(shard.host.random());
            PoolId(number.to_le_bytes())
        })
        .await
    }

    /// Sets the write budget of each device of the pool for a day, on all shards.
    pub(super) async fn set_write_budget(&self, drive_writes: Option<DriveWrites>) -> Result<()> {
        self.ask(move |shard| shard.cache().set_write_budget(drive_writes)).await
    }

    /// Sets the bytes of flash that disks are to have of what they share, on all shards.
    pub(super) async fn set_flash_targets(&self, targets: BTreeMap<DiskId, u64>) -> Result<()> {
        self.ask(move |shard| shard.cache().set_flash_targets(&targets)).await
    }

    /// Returns the state of the pool.
    pub(super) async fn pool_report(&self) -> Result<PoolReport> {
        self.ask(Shard::pool_report).await
    }
}

impl Shard {
    pub(super) fn pool_report(&self) -> PoolReport {
        let cache = self.cache();
        PoolReport { statistics: cache.pool_statistics(), reserve_bytes_min: cache.reserve_bytes_min() }
    }
}

/// Frees the pool's data of a disk that is not recorded.
async fn give_back(cache: &Cache<Env>, owner: DiskId, given_up: &[u32]) -> Result<(), CacheError> {
    let what_is_dirty = if given_up.contains(&owner.0) { DirtyData::Discard } else { DirtyData::Refuse };
    match cache.disown(owner, what_is_dirty).await {
        Err(CacheError::HoldsDirty(_)) => {
            let stranger = format!(
                "The pool holds data that no backing has, of disk number {owner}, which state.json does not list. It stays \
                 there; restore the state.json that lists the disk"
            );
            events::of_host(Kind::PoolOrphanData, stranger);
            Ok(())
        }
        outcome => outcome,
    }
}

/// An open pool that another shard is to join.
pub(super) struct SharedFlash {
    pool: SharedPool,
    /// Handles of the open files, for they are locked against being opened again.
    devices: Vec<DeviceHandle>,
    mark: u64,
}

impl Shard {
    /// Takes a device that was opened before.
    pub(super) fn take_probed(&self, path: &std::path::Path) -> OpenDevice {
        self.looked_at.borrow_mut().remove(path).expect("a device is looked at before it is used")
    }

    /// Makes this host's record the witness of devices that are removed from the pool's list.
    async fn let_witness(&self, cache: &Cache<Env>) -> Result<()> {
        let (host, pool) = (self.remembered.clone(), cache.id());
        let witness: cache::Witness = Rc::new(move |epoch| {
            let (host, pool) = (host.clone(), pool.clone());
            Box::pin(async move {
                let remembering = host.change(move |host| {
                    host.raise_least_epoch(&pool, epoch);
                    Ok(())
                });
                remembering.await.map_err(|problem| problem.message)
            })
        });
        let failed = |error| {
            Error::failed(format!(
                "Cannot remember which devices of the pool are out, and not use it before: {error}"
            ))
        };
        cache.set_witness(witness).await.map_err(failed)
    }

    fn share_pool(&self) -> SharedFlash {
        let devices = self.looked_at.borrow().values().map(OpenDevice::handle).collect();
        SharedFlash { pool: self.cache().shared(), devices, mark: self.mark.get() }
    }

    async fn join_pool(&self, flash: SharedFlash) -> Result<()> {
        let SharedFlash { pool, devices, mark } = flash;
        let own = |handle| Flash::Device(OpenDevice::from_handle(&self.ring, handle));
        let devices = devices.into_iter().map(own).collect();
        let joined = Cache::join(&pool, devices, self.host.clone()).await;
        let cache = joined
            .map_err(|error| Error::failed(format!("Cannot use the pool on another shard: {error}")))?;
        self.mark.set(mark);
        self.let_witness(&cache).await?;
        assert!(self.cache.set(cache).is_ok(), "a shard has one pool");
        Ok(())
    }
}
