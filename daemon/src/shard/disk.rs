//! A disk on its shard: backing, cache and door, from attaching to detaching.
//!
//! Attaching: (1) open and lock the backing, (2) put the cache in front, (3) listen. Detaching goes the other way and
//! lets every request end first. Nothing is remembered here.

use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use std::rc::{Rc, Weak};

use block::executor::LocalHost;
use block::file::Access;
use block::nbd::Target;
use block::{BlockDevice, FileDevice, Host};
use cache::{CacheError, CachedDisk, DiskId, DiskSettings, DiskStatistics};
use tokio::sync::Notify;

use super::{Shard, ShardHandle};
use crate::backing::{Backing, Identity, Images, Location, Opening, look_at_export};
use crate::door::Door;
use crate::keys::{PoolBounds, Values};
use crate::problem::{Answer, Problem};
use crate::units::Size;

/// How often a backing is looked at, to see whether it shrank: nanoseconds.
const WATCH_INTERVAL_NS: u64 = 5_000_000_000;

type Cached = CachedDisk<Backing, FileDevice, LocalHost>;

/// A disk that is served.
pub(super) struct Disk {
    cached: Rc<Cached>,
    door: Door<Rc<Cached>>,
    identity: Identity,
    /// Why it is no longer what was attached.
    failure: RefCell<Option<String>>,
    /// Set when it begins to be detached.
    leaving: Cell<bool>,
    /// Told when it is detached.
    gone: Notify,
}

/// What is to be attached.
#[derive(Clone, Debug)]
pub(crate) struct Attaching {
    pub(crate) name: String,
    pub(crate) id: u32,
    pub(crate) location: Location,
    pub(crate) access: Access,
    pub(crate) values: Values,
    pub(crate) socket: PathBuf,
}

/// What is to be changed.
#[derive(Clone, Debug)]
pub(crate) struct Reconfiguring {
    pub(crate) name: String,
    pub(crate) values: Values,
}

/// How a served disk stands.
#[derive(Clone, Debug)]
pub(crate) struct DiskReport {
    pub(crate) settings: DiskSettings,
    pub(crate) size_bytes: u64,
    pub(crate) identity: Identity,
    /// Why its backing goes through the page cache of the host, if it does.
    pub(crate) fallback: Option<String>,
    pub(crate) failure: Option<String>,
    pub(crate) connections: u64,
    pub(crate) statistics: DiskStatistics,
}

impl ShardHandle {
    /// Looks at an export of an NBD server, and leaves it again.
    ///
    /// # Errors
    /// If it cannot be reached, or is no disk that can be served.
    pub(crate) async fn look_at_export(
        &self,
        target: Target,
        access: Access,
        images: Images,
    ) -> Answer<Identity> {
        self.call(move |shard| async move {
            look_at_export(&shard.ring, &shard.host, &target, access, images).await
        })
        .await?
    }

    /// Starts serving a disk.
    ///
    /// # Errors
    /// Whatever stands in the way; then nothing is left behind.
    pub(crate) async fn attach(&self, disk: Attaching) -> Answer<()> {
        self.call(move |shard| async move { shard.attach(disk).await }).await?
    }

    /// Changes how a disk is cached.
    ///
    /// # Errors
    /// If it cannot be so; then nothing has changed.
    pub(crate) async fn reconfigure(&self, change: Reconfiguring) -> Answer<()> {
        self.call(move |shard| async move { shard.reconfigure(&change) }).await?
    }

    /// Stops serving a disk: lets requests in flight end, makes what was written durable, gives the backing back. Takes as
    /// long as the backing does.
    ///
    /// # Errors
    /// If the last flush failed. The disk is detached all the same.
    pub(crate) async fn detach(&self, name: String) -> Answer<()> {
        self.call(move |shard| async move { shard.detach(&name).await }).await?
    }

    /// Every disk that is attached, with how it stands.
    pub(crate) async fn disks(&self) -> Answer<Vec<(String, DiskReport)>> {
        self.call(|shard| async move {
            let disks = shard.disks.borrow();
            disks.iter().map(|(name, disk)| (name.clone(), disk.report())).collect()
        })
        .await
    }

    /// How one disk stands; none if it is not attached.
    pub(crate) async fn disk_report(&self, name: String) -> Answer<Option<DiskReport>> {
        self.call(move |shard| async move { shard.disk(&name).map(|disk| disk.report()) }).await
    }
}

impl Shard {
    async fn attach(self: Rc<Self>, disk: Attaching) -> Answer<()> {
        let Attaching { name, id, location, access, values, socket } = disk;
        assert!(self.disk(&name).is_none(), "the registry attaches a disk once");
        let opening = Opening { location, access, retry_ns: values.retry_ns() };
        let backing = Backing::open(&self.ring, &self.host, &opening).await?;
        let identity = backing.identity();
        let settings = self.settings(&values, DiskId(id), backing.geometry().size, access)?;
        let cached = self
            .cache()
            .attach(settings, backing)
            .map_err(|error| explain(&name, &error, settings.reserve_bytes))?;
        let door = match Door::open(&self.ring, &self.host, socket, &name, Rc::clone(&cached)) {
            Ok(door) => door,
            Err(problem) => {
                self.cache().detach(&cached).await;
                return Err(problem);
            }
        };
        let disk = Rc::new(Disk {
            cached,
            door,
            identity,
            failure: RefCell::default(),
            leaving: Cell::new(false),
            gone: Notify::new(),
        });
        self.host.spawn(watch(name.clone(), Rc::downgrade(&disk), self.host.clone()));
        self.disks.borrow_mut().insert(name, disk);
        Ok(())
    }

    fn reconfigure(&self, change: &Reconfiguring) -> Answer<()> {
        let disk = self.disk(&change.name).ok_or_else(|| not_attached(&change.name))?;
        let before = disk.cached.settings();
        let geometry = disk.cached.backing().geometry();
        let access = if before.read_only { Access::ReadOnly } else { Access::ReadWrite };
        let settings = self.settings(&change.values, before.id, geometry.size, access)?;
        self.cache()
            .reconfigure(&disk.cached, settings)
            .map_err(|error| explain(&change.name, &error, settings.reserve_bytes))?;
        disk.cached.backing().set_retry_ns(change.values.retry_ns());
        Ok(())
    }

    async fn detach(&self, name: &str) -> Answer<()> {
        let disk = self.disk(name).ok_or_else(|| not_attached(name))?;
        let gone = disk.gone.notified();
        if disk.leaving.replace(true) {
            gone.await;
            return Ok(());
        }
        disk.door.close().await;
        let flushed = if disk.cached.geometry().read_only { Ok(()) } else { disk.cached.flush().await };
        self.cache().detach(&disk.cached).await;
        self.disks.borrow_mut().remove(name);
        disk.gone.notify_waiters();
        flushed.map_err(|error| {
            Problem::failed(format!(
                "Disk '{name}' is no longer served, but the last flush of its backing failed ({error}): what guests \
                 wrote last may not be durable; check the backing"
            ))
        })
    }

    /// What the cache is to do for a disk of `disk_bytes`.
    fn settings(&self, values: &Values, id: DiskId, disk_bytes: u64, access: Access) -> Answer<DiskSettings> {
        let cache = self.cache();
        let bounds =
            PoolBounds { reserve_bytes_min: cache.reserve_bytes_min(), usable_bytes: cache.usable_bytes() };
        let settings = values.settings(id, disk_bytes, bounds)?;
        Ok(DiskSettings { read_only: access == Access::ReadOnly, ..settings })
    }
}

impl Disk {
    fn report(&self) -> DiskReport {
        DiskReport {
            settings: self.cached.settings(),
            size_bytes: self.cached.geometry().size,
            identity: self.identity.clone(),
            fallback: self.cached.backing().fallback_reason().map(str::to_owned),
            failure: self.failure.borrow().clone(),
            connections: self.door.connections(),
            statistics: self.cached.statistics(),
        }
    }

    /// Looks at the backing once.
    async fn check(&self, name: &str) {
        let expected = self.cached.geometry().size;
        let failure = match self.cached.backing().current_size().await {
            Ok(size) if size >= expected => return,
            Ok(size) => format!(
                "the backing shrank from {expected} to {size} bytes; give it its size back, then remove the disk and add it again"
            ),
            Err(error) => format!("the size of the backing cannot be read: {error}"),
        };
        if self.failure.borrow().is_none() {
            tracing::error!("Disk '{name}' failed: {failure}");
        }
        self.failure.replace(Some(failure));
    }
}

/// Looks at the backing of a disk from time to time, until the disk is gone.
async fn watch(name: String, disk: Weak<Disk>, host: LocalHost) {
    loop {
        host.sleep(WATCH_INTERVAL_NS).await;
        let Some(disk) = disk.upgrade() else { return };
        disk.check(&name).await;
    }
}

fn not_attached(name: &str) -> Problem {
    Problem::unavailable(format!(
        "Disk '{name}' is not being served now; see `forebay disk list` for the reason"
    ))
}

/// The cache's words with the disk's name and sizes as people read them.
fn explain(name: &str, error: &CacheError, reserve_bytes: u64) -> Problem {
    match error {
        CacheError::ReservationTooLarge { free_bytes, pool_bytes, .. } => Problem::conflict(format!(
            "A reservation of {} for disk '{name}' does not fit: {} of the pool's {} are not reserved yet; reserve less, \
             or lower the reservation of another disk",
            Size(reserve_bytes),
            Size(*free_bytes),
            Size(*pool_bytes)
        )),
        other => Problem::invalid(format!("Cannot cache disk '{name}': {other}")),
    }
}
