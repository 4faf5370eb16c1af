//! The pool's side of a shard: looking at a device, making a pool of it, opening it.

use std::io;
use std::path::{Path, PathBuf};

use block::FileDevice;
use block::Host;
use block::file::{Access, Cache as PageCache, Handle, Identity, Lock, OpenError, OpenOptions};
use cache::{Cache, Identified, Marks, PoolContent, PoolId, PoolStatistics, SharedPool};

use super::flash::Flash;
use super::{Shard, ShardHandle};
use crate::problem::{Answer, Problem};

/// What a file or device that may become the pool holds.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// Which storage it is, so that it is not also taken for a backing.
    pub(crate) identity: Identity,
    /// Why it is used through the page cache, if it is.
    pub(crate) fallback: Option<String>,
    /// What is on it.
    pub(crate) content: Identified,
}

/// How the pool stands.
#[derive(Clone, Debug)]
pub(crate) struct PoolReport {
    pub(crate) statistics: PoolStatistics,
    pub(crate) reserve_bytes_min: u64,
}

impl ShardHandle {
    /// Opens and locks the device for a pool and says what it holds; makes a file of `create` bytes first if asked to.
    /// It stays open for [`ShardHandle::format_pool`] and [`ShardHandle::open_pool`].
    pub(super) async fn look_at_pool(&self, path: PathBuf, create: Option<u64>) -> Answer<Found> {
        self.call(move |shard| async move { shard.look_at_pool(&path, create).await }).await?
    }

    /// Makes an empty pool of the device that was looked at, whatever it held.
    pub(super) async fn format_pool(&self, id: PoolId) -> Answer<()> {
        self.call(move |shard| async move {
            let flash = shard.flash.take().expect("a pool is looked at before it is formatted");
            let formatted = cache::format(&flash, id, None).await;
            shard.flash.replace(Some(flash));
            formatted.map_err(|error| Problem::failed(format!("Cannot make the pool: {error}")))
        })
        .await?
    }

    /// Opens the pool on the device that was looked at. What it holds of other disks than these is given back.
    pub(super) async fn open_pool(&self, marks: Marks, disks: Vec<u32>) -> Answer<PoolContent> {
        self.call(move |shard| async move {
            let flash = shard.flash.take().expect("a pool is looked at before it is opened");
            let failed = |error| Problem::failed(format!("Cannot open the pool: {error}"));
            let handle = flash.handle().map_err(|error| no_handle(&error))?;
            let (cache, content) =
                Cache::open(Flash::Device(flash), shard.host.clone(), &marks).await.map_err(failed)?;
            shard.flash.replace(Some(FileDevice::from_handle(&shard.ring, handle)));
            for owner in cache.owners() {
                if !disks.contains(&owner.0) {
                    cache.disown(owner).await.map_err(failed)?;
                }
            }
            shard.mark.set(marks.new);
            assert!(shard.cache.set(cache).is_ok(), "a shard has one pool");
            Ok(content)
        })
        .await?
    }

    /// What another shard needs to join the pool.
    pub(super) async fn share_pool(&self) -> Answer<SharedFlash> {
        self.call(|shard| async move { shard.share_pool() }).await?
    }

    /// Joins the pool that another shard opened.
    pub(super) async fn join_pool(&self, flash: SharedFlash) -> Answer<()> {
        self.call(move |shard| async move { shard.join_pool(flash).await }).await?
    }

    /// Goes on without a pool: every disk is served as if the flash had failed.
    pub(super) async fn go_without_pool(&self) -> Answer<()> {
        self.call(move |shard| async move {
            drop(shard.flash.take());
            let (flash, marks) = (Flash::missing(), Marks { new: 0, known: vec![0] });
            let failed = |error| Problem::failed(format!("Cannot go on without a pool: {error}"));
            cache::format(&flash, PoolId([0; 16]), None).await.map_err(failed)?;
            let (cache, _) = Cache::open(flash, shard.host.clone(), &marks).await.map_err(failed)?;
            cache.give_up_flash();
            assert!(shard.cache.set(cache).is_ok(), "a shard has one pool");
            Ok(())
        })
        .await?
    }

    /// Leaves a mark on the pool, which nobody uses any more until it is opened anew.
    ///
    /// # Errors
    /// If the flash failed.
    pub(super) async fn leave_pool(&self, mark: u64) -> Answer<()> {
        self.call(move |shard| async move {
            let left = shard.cache().leave(mark).await;
            left.map_err(|error| Problem::failed(format!("Cannot mark the pool as left: {error}")))
        })
        .await?
    }

    /// A mark for a start that nobody else draws.
    pub(super) async fn draw_mark(&self) -> Answer<u64> {
        self.call(|shard| async move { shard.host.random() }).await
    }

    /// A new identity for a pool.
    pub(super) async fn draw_pool_id(&self) -> Answer<PoolId> {
        self.call(|shard| async move {
            let number = u128::from(shard.host.random()) << 64 | u128::from(shard.host.random());
            PoolId(number.to_le_bytes())
        })
        .await
    }

    /// How the pool stands.
    pub(super) async fn pool_report(&self) -> Answer<PoolReport> {
        self.ask(|shard| {
            let cache = shard.cache();
            PoolReport { statistics: cache.pool_statistics(), reserve_bytes_min: cache.reserve_bytes_min() }
        })
        .await
    }
}

/// An open pool on its way to another shard.
pub(super) struct SharedFlash {
    pool: SharedPool,
    /// The very file that is open, for it is locked against being opened again.
    device: Handle,
    mark: u64,
}

fn no_handle(error: &std::io::Error) -> Problem {
    Problem::failed(format!(
        "Cannot use the pool on several shards: {error}; allow more open files (`LimitNOFILE=` of the service)"
    ))
}

impl Shard {
    fn share_pool(&self) -> Answer<SharedFlash> {
        let flash = self.flash.borrow();
        let flash = flash.as_ref().expect("the shard that opened the pool has a device left to share");
        let device = flash.handle().map_err(|error| no_handle(&error))?;
        Ok(SharedFlash { pool: self.cache().shared(), device, mark: self.mark.get() })
    }

    async fn join_pool(&self, flash: SharedFlash) -> Answer<()> {
        let SharedFlash { pool, device, mark } = flash;
        let device = Flash::Device(FileDevice::from_handle(&self.ring, device));
        let joined = Cache::join(&pool, device, self.host.clone()).await;
        let cache = joined
            .map_err(|error| Problem::failed(format!("Cannot use the pool on another shard: {error}")))?;
        self.mark.set(mark);
        assert!(self.cache.set(cache).is_ok(), "a shard has one pool");
        Ok(())
    }

    async fn look_at_pool(&self, path: &Path, create: Option<u64>) -> Answer<Found> {
        // Whatever was looked at before is given back first, so that it can be looked at again.
        drop(self.flash.take());
        let open = |lock, create| {
            let options = OpenOptions { access: Access::ReadWrite, cache: PageCache::Direct, lock, create };
            FileDevice::open(&self.ring, path, options).map_err(|error| {
                let message = format!("Cannot use {} as the pool: {error}", path.display());
                match error {
                    OpenError::Held { .. } => Problem::conflict(message),
                    OpenError::System { source, .. } if source.kind() != io::ErrorKind::PermissionDenied => {
                        Problem::unavailable(message)
                    }
                    _ => Problem::failed(message),
                }
            })
        };
        if create.is_none() {
            // A guest's disk that looks blank is no pool to be. Whoever serves it holds these locks.
            drop(open(Lock::Image, None)?);
        }
        let flash = open(Lock::Exclusive, create)?;
        let content = cache::identify(&flash).await.map_err(|error| {
            let path = path.display();
            Problem::unavailable(format!("Cannot read {path} to see whether it is a pool: {error}"))
        })?;
        let found = Found {
            identity: flash.identity(),
            fallback: flash.fallback_reason().map(str::to_owned),
            content,
        };
        self.flash.replace(Some(flash));
        Ok(found)
    }
}
