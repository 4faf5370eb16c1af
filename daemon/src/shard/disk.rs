//! A disk on its shard: backing, cache and doors, from attachment to detachment.
//!
//! Attachment: (1) open and lock the backing, (2) put the cache in front, (3) listen. Detachment is the
//! reverse, after every request has ended. The durable records of the disk are in `registry` and, for its
//! backing, in `backing_identity`, which is consulted and updated at both ends.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use base::error::{Error, Result};
use base::units::Size;
use block::executor::LocalHost;
use block::file::{Access, Lock};
use block::{BlockDevice, Host, PAGE, RateLimited, RateLimiter};
use cache::{
    AtRest, CacheError, CachedDisk, DirtyData, DiskId, DiskSettings, LoadProgress, RecoveryContext,
    RecoveryTrust, check_disk_bytes,
};
use telemetry::events::{self, Kind};
use telemetry::series::lifetime::Meter;
use tokio::sync::Notify;

use super::destage::{Quiesce, destage_all, holds_dirty};
use super::dirty_marker::UnsavedPools;
use super::flash::Flash;
use super::learned::LearnedFile;
use super::reconfigure::ReconfigureRequest;
use super::redo_ring::{DiskRing, RECOVER_ADVICE, RingPlace, RingUser, needs_ring};
use super::scrub::Scrub;
use super::served::Served;
use super::sizes::choose_sector;
use super::standing::DisplacedBacking;
use super::watching::BackingFailure;
use super::{DiskReport, SetMembership, Shard, ShardHandle};
use crate::backing::{
    Ability, Backing, Capabilities, Identity, Images, Location, MonitoredBacking, Opening, VolumeUser,
    probe_on_ring,
};
use crate::backing_identity::{self, Appearance, BackingHistory, CannotMark, Sizes};
use crate::door::{ConnectedGuest, Doors, Entrances};
use crate::holds::HoldTime;
use crate::keys::{PoolBounds, Values};
use crate::recording::{RecordedDisk, recorder};

/// Number of attachments so far, on all shards.
static ATTACHMENTS: AtomicU64 = AtomicU64::new(0);

/// The environment of the cache of each shard.
pub(super) type Env = (Backing, Flash, LocalHost);
pub(super) type Cached = CachedDisk<Env>;
/// The same while destage has no request at the backing.
pub(super) type CachedAtRest<'a> = AtRest<'a, Env>;

/// A disk that is served.
pub(super) struct Disk {
    /// See [`DiskReport::attachment`].
    pub(super) attachment: u64,
    pub(super) attached: Instant,
    pub(super) meter: RefCell<Meter>,
    pub(super) cached: Rc<Cached>,
    pub(super) doors: Doors,
    /// Limits of its guests' requests.
    pub(super) limiter: Rc<RateLimiter<LocalHost>>,
    pub(super) location: Location,
    pub(super) history: Rc<BackingHistory>,
    pub(super) learned: Rc<LearnedFile>,
    pub(super) identity: Identity,
    pub(super) quiesce: Quiesce,
    pub(super) scrub: Scrub,
    /// Ability of its backing to keep its content when the host is off.
    pub(super) persistence: Ability,
    /// Place of its backing, if not at its path.
    pub(super) displaced: RefCell<Option<DisplacedBacking>>,
    /// Place of its redo ring.
    pub(super) ring: RefCell<Option<RingPlace>>,
    /// Reason for which it no longer matches the attachment.
    pub(super) failure: RefCell<Option<BackingFailure>>,
    /// State for the checks by the monitor.
    pub(super) monitored: Arc<MonitoredBacking>,
    /// Set while a check that the monitor requested has not ended.
    pub(super) is_checking: Cell<bool>,
    /// Set when its detachment or its move to another shard begins.
    pub(super) leaving: Cell<bool>,
    /// Its use by clones, if it serves a snapshot.
    pub(super) served: Served,
    /// Notified when it is detached.
    pub(super) gone: Notify,
}

/// Parameters of an attachment.
#[derive(Clone, Debug)]
pub(crate) struct AttachRequest {
    pub(crate) name: String,
    pub(crate) id: u32,
    pub(crate) location: Location,
    pub(crate) access: Access,
    pub(crate) lock: Lock,
    pub(crate) values: Values,
    /// The size when it was served last.
    pub(crate) size_bytes_before: Option<u64>,
    /// The sector size for guests then.
    pub(crate) sector_bytes_before: Option<u64>,
    /// Time for which it is to be kept clean, as was requested before.
    pub(crate) hold: Option<HoldTime>,
    /// Pool that may hold dirty data for its backing.
    pub(crate) unsaved: UnsavedPools,
    pub(crate) set: Option<SetMembership>,
    pub(crate) entrances: Entrances,
}

/// A disk that is not attached and keeps its share of the pool.
#[derive(Clone, Debug)]
pub(crate) struct AbsentDisk {
    pub(crate) name: String,
    pub(crate) id: u32,
    pub(crate) values: Values,
    /// The size when it was served last.
    pub(crate) size_bytes: u64,
}

/// Trust in the cached data of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    /// As the record of its backing permits.
    AsJudged,
    /// Complete: every cached page was compared with the backing, and is equal.
    Compared,
    /// Dirty data only, by the operator's confirmation, whatever the record.
    Accepted,
}

/// A backing that is open and locked for an attachment.
pub(super) struct OpenedBacking {
    pub(super) backing: Backing,
    persistence: Ability,
    pub(super) history: Rc<BackingHistory>,
    pub(super) found: Appearance,
    /// Redo ring of the disk, if its order of destage is consistent.
    ring: Option<DiskRing>,
}

impl OpenedBacking {
    /// Returns the trust that its record permits.
    pub(super) async fn recovery_context(&self) -> RecoveryContext {
        self.history.recovery_context(&self.found).await
    }
}

/// Treatment of a disk's cached data at its detachment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DetachPolicy {
    /// Stays on flash for the next attachment.
    Kept,
    /// Dropped; dirty data is destaged first, unless it may be discarded.
    Dropped(DirtyData),
    /// Dropped, and users of the disk are disconnected: no record of the attachment is left.
    Undone,
}

impl DetachPolicy {
    /// Returns true if a detachment with this treatment is refused while the disk is mapped.
    fn is_refused_if_mapped(self) -> bool {
        matches!(self, Self::Dropped(_))
    }
}

/// Result of a detachment.
#[derive(Clone, Debug)]
pub(crate) struct DetachReport {
    /// Report after its last request; none if it was detached elsewhere.
    pub(crate) last: Option<DiskReport>,
    /// Error if acknowledged writes may not be durable. It is detached in either case.
    pub(crate) flushed: Result<()>,
    /// True if the backing is complete.
    pub(crate) is_destaged: bool,
    /// Dirty bytes that are left on flash.
    pub(crate) dirty_bytes: u64,
}

impl ShardHandle {
    /// Probes a backing that is not a file or device of this host, and closes it again.
    ///
    /// # Errors
    /// If it cannot be reached, or cannot be served as a disk.
    pub(super) async fn probe_backing(
        &self,
        location: Location,
        access: Access,
        images: Images,
    ) -> Result<Identity> {
        self.call(move |shard| async move {
            let stores = &shard.places.stores;
            probe_on_ring(&shard.ring, &shard.host, &shard.blocking, stores, &location, access, images).await
        })
        .await?
    }

    /// Attaches a disk.
    ///
    /// # Errors
    /// Any failure; then nothing is left behind.
    pub(super) async fn attach(&self, disk: AttachRequest) -> Result<()> {
        self.call(move |shard| async move { shard.attach(disk).await }).await?
    }

    /// Keeps the reservation of a disk that is not attached, instead of the one that was kept before.
    ///
    /// # Errors
    /// If the other disks leave too little; then nothing has changed.
    pub(super) async fn keep_share(&self, disk: AbsentDisk) -> Result<()> {
        self.call(move |shard| async move {
            let AbsentDisk { name, id, values, size_bytes } = disk;
            let settings = shard.settings(&values, DiskId(id), size_bytes, Access::ReadWrite)?;
            let kept = shard.cache().keep_share(&settings, size_bytes);
            kept.map_err(|error| explain(&name, &error, settings.reserve_bytes))
        })
        .await?
    }

    /// Returns the guests of a disk; none if it is not on this shard.
    pub(super) async fn guests(&self, name: String) -> Result<Vec<ConnectedGuest>> {
        self.ask(move |shard| shard.disk(&name).map(|disk| disk.doors.guests()).unwrap_or_default()).await
    }

    /// Creates the sockets of a disk again whose files are gone.
    ///
    /// # Errors
    /// If one cannot be created, or the disk is not on this shard.
    pub(super) async fn renew_sockets(&self, name: String) -> Result<()> {
        self.call(move |shard| async move {
            let disk = shard.disk(&name).ok_or_else(|| not_attached(&name))?;
            // The sockets of a disk that is being detached are closed already.
            if disk.leaving.get() { Ok(()) } else { disk.doors.renew_sockets().await }
        })
        .await?
    }

    /// Detaches a disk: lets requests in flight end, makes acknowledged writes durable, closes the backing.
    /// Takes as long as the backing does.
    ///
    /// # Errors
    /// If it is not attached; or if it was to be removed and its backing fails while it is destaged: then it
    /// is served as before.
    pub(super) async fn detach(&self, name: String, content: DetachPolicy) -> Result<DetachReport> {
        self.call(move |shard| async move { shard.detach(&name, content).await }).await?
    }

    /// Drops the cached data of a disk durably, whether it is attached or not.
    ///
    /// # Errors
    /// If it may return at the next start.
    pub(super) async fn evict(&self, name: String, id: u32) -> Result<()> {
        self.call(move |shard| async move {
            match shard.disk(&name) {
                Some(disk) => evict(&disk.cached, &name).await,
                None => match shard.cache().disown(DiskId(id), DirtyData::Refuse).await {
                    Err(CacheError::HoldsDirty(_)) => Err(holds_dirty(&name)),
                    outcome => outcome.map_err(|error| may_come_back(&name, &error)),
                },
            }
        })
        .await?
    }

    /// Returns every attached disk, with its report.
    pub(super) async fn disks(&self) -> Result<Vec<(String, DiskReport)>> {
        self.ask(Shard::disk_reports).await
    }

    /// Returns the report of one disk; none if it is not attached.
    pub(super) async fn disk_report(&self, name: String) -> Result<Option<DiskReport>> {
        self.ask(move |shard| shard.disk(&name).map(|disk| disk.report(shard.number, shard.host.now()))).await
    }
}

impl ShardHandle {
    /// Takes over a disk that was open beside a QEMU: locks the image, then caches by `change`.
    ///
    /// # Errors
    /// A conflict as long as that QEMU has the image open; then nothing has changed.
    pub(super) async fn take_over(&self, change: ReconfigureRequest) -> Result<()> {
        self.call(move |shard| async move { shard.take_over(&change).await }).await?
    }

    /// Prepares a disk for being opened by a QEMU beside us: from `change` on, which must not cache, nothing
    /// of it is cached, and the backing has all writes of guests. The lock stays.
    ///
    /// # Errors
    /// If the backing failed the flush.
    pub(super) async fn withdraw(&self, change: ReconfigureRequest) -> Result<()> {
        self.call(move |shard| async move { shard.withdraw(&change).await }).await?
    }

    /// Unlocks the image of a disk that was withdrawn.
    ///
    /// # Errors
    /// The error of the system; then nothing has changed.
    pub(super) async fn release_lock(&self, name: String) -> Result<()> {
        self.call(move |shard| async move { shard.release_lock(&name) }).await?
    }
}

impl Shard {
    pub(super) fn disk_reports(&self) -> Vec<(String, DiskReport)> {
        let disks = self.disks.borrow();
        let report = |disk: &Rc<Disk>| disk.report(self.number, self.host.now());
        disks.iter().map(|(name, disk)| (name.clone(), report(disk))).collect()
    }

    async fn take_over(&self, change: &ReconfigureRequest) -> Result<()> {
        let disk = self.disk(&change.name).ok_or_else(|| not_attached(&change.name))?;
        let backing = disk.cached.backing();
        if backing.lock() != Lock::Image {
            backing.take_image_lock(&disk.location)?;
        }
        // Nothing that was cached before the image was shared is trusted, and nothing is cached before the
        // change.
        evict(&disk.cached, &change.name).await?;
        self.reconfigure(change).await
    }

    async fn withdraw(&self, change: &ReconfigureRequest) -> Result<()> {
        let disk = self.disk(&change.name).ok_or_else(|| not_attached(&change.name))?;
        // Its QEMU opens the file at the path.
        disk.check_in_place(&change.name, "give back", &self.host).await?;
        self.reconfigure(change).await?;
        destage_all(&disk, &change.name).await?;
        let evicted = evict(&disk.cached, &change.name).await;
        disk.cached.resume();
        evicted?;
        // This flushes writes that guests sent to the backing meanwhile. If it fails, their own flush must
        // still report that.
        disk.cached.flush_for_ourselves().await.map_err(|error| {
            Error::failed(format!(
                "Cannot make the writes of guests to disk '{}' durable: {error}; check its backing",
                change.name
            ))
        })
    }

    fn release_lock(&self, name: &str) -> Result<()> {
        let disk = self.disk(name).ok_or_else(|| not_attached(name))?;
        let backing = disk.cached.backing();
        if backing.lock() == Lock::Beside { Ok(()) } else { backing.give_up_image_lock(&disk.location) }
    }

    async fn attach(self: Rc<Self>, disk: AttachRequest) -> Result<()> {
        let opened = self.open_backing(&disk).await?;
        let trust = self.compare_if_touched(&disk, &opened).await;
        let (name, made) = (disk.name.clone(), opened.ring.as_ref().and_then(DiskRing::made_place));
        let attached = Rc::clone(&self).attach_opened(disk, opened, trust).await;
        if let (Err(_), Some(place)) = (&attached, made) {
            self.remove_ring(&name, &place).await;
        }
        attached
    }

    /// Opens and locks the backing of a disk that is to be attached, and reads its record. Changes nothing.
    pub(super) async fn open_backing(&self, disk: &AttachRequest) -> Result<OpenedBacking> {
        let AttachRequest { name, id, location, access, lock, values, size_bytes_before, unsaved, .. } = disk;
        assert!(self.disk(name).is_none(), "the registry attaches a disk once");
        let (location, access, lock) = (location.clone(), *access, *lock);
        let helpers = self.places.helpers();
        let stores = self.places.stores.clone();
        let may_be_dirty = unsaved.held_by.is_some();
        let user = Some(VolumeUser { pool: self.cache().id(), disk: *id, may_be_dirty });
        let opening = Opening { location, access, lock, retry_ns: values.retry_ns(), helpers, stores, user };
        let backing = Backing::open(&self.ring, &self.host, &self.blocking, &opening).await?;
        check_durability(name, values, &backing)?;
        let persistence = self.persistence(&opening.location, &backing).await;
        let sizes = Sizes { remembered: *size_bytes_before, backing: backing.geometry().size };
        if let Some(before) = sizes.remembered.filter(|before| sizes.backing < *before) {
            return Err(shrunk(name, before, sizes.backing));
        }
        check_disk_bytes(sizes.remembered.unwrap_or(sizes.backing), values.block_bytes())
            .map_err(|error| explain(name, &error, 0))?;
        let attributes = backing.attributes(&opening.location);
        let (history, found) = BackingHistory::open(
            &self.blocking,
            (&self.places, &self.remembered),
            *id,
            sizes,
            self.mark.get(),
            attributes,
        )
        .await?;
        let history = Rc::new(history);
        // The size that guests saw last: growth of the backing is a step of its own.
        backing.set_size(history.disk_bytes());
        self.check_unsaved(name, *id, &opening.location, unsaved, &found, &history).await?;
        let found = Appearance { bytes: Some(sizes.backing), ..found };
        let user = RingUser {
            name,
            id: *id,
            values,
            location: &opening.location,
            disk_bytes: history.disk_bytes(),
            may_be_dirty: unsaved.held_by.is_some(),
        };
        let has_ring = access == Access::ReadWrite && needs_ring(values, &opening.location);
        let ring = match (has_ring, self.goes_without.get()) {
            (false, _) => None,
            (true, false) => Some(self.open_ring(&user).await?),
            (true, true) => {
                self.void_ring_before(&user).await?;
                None
            }
        };
        Ok(OpenedBacking { backing, persistence, history, found, ring })
    }

    /// Attaches a disk to its open backing.
    pub(super) async fn attach_opened(
        self: Rc<Self>,
        disk: AttachRequest,
        opened: OpenedBacking,
        trust: Trust,
    ) -> Result<()> {
        let past = opened.recovery_context().await;
        let AttachRequest {
            name,
            id,
            location,
            access,
            lock,
            values,
            sector_bytes_before,
            hold,
            set,
            entrances,
            ..
        } = disk;
        let OpenedBacking { backing, persistence, history, ring, .. } = opened;
        let identity = backing.identity();
        let size = history.disk_bytes();
        let settings = self.settings(&values, DiskId(id), size, access)?;
        let sector = choose_sector(&name, &settings, sector_bytes_before, backing.geometry().sector);
        let settings = DiskSettings { sector_bytes: Some(sector), ..settings };
        let belief = belief_at(past.belief, trust, lock, &backing, &history);
        let past = self.without_records(RecoveryContext { belief, ..past });
        let learned = Rc::new(self.learned_file(id));
        let learned_before = learned.read(&name, self.cache().learned_shape(&settings)).await;
        let attached = self.cache().attach(settings, backing, past).await;
        let cached = attached.map_err(|error| explain(&name, &error, settings.reserve_bytes))?;
        if let Some(state) = learned_before {
            cached.restore_learned(state);
        }
        let flash_failed = self.cache().has_failed();
        let begun = match history.begin(size, access, flash_failed).await {
            Ok(()) if access == Access::ReadWrite => self.mark(&name, &values, &cached, &history).await,
            Err(problem) if self.unrecorded.get() => {
                tracing::warn!("Serving disk '{name}' without a record of that: {problem}");
                Ok(())
            }
            begun => begun,
        };
        if let Err(problem) = begun {
            self.cache().detach(&cached).await;
            history.close();
            return Err(problem);
        }
        let limiter = Rc::new(RateLimiter::new(self.host.clone(), values.rate_limits()));
        let device = RecordedDisk::new(Rc::clone(&cached), recorder(&name));
        let device = RateLimited::new(device, Rc::clone(&limiter));
        let opened = Doors::open(&self.ring, &self.host, &self.directory, entrances, &name, device).await;
        // Before any request of a guest: the first one is served only after this task has ended its run.
        let begun = |doors| Ok((doors, self.begin_groups((&cached, &name), ring, set.as_ref())?));
        let (doors, ring_place) = match opened.and_then(begun) {
            Ok(begun) => begun,
            Err(problem) => {
                self.cache().detach(&cached).await;
                history.close();
                return Err(problem);
            }
        };
        let monitored = self.monitor_backing(&name, &cached, &history);
        let disk = Disk {
            attachment: ATTACHMENTS.fetch_add(1, Ordering::Relaxed),
            attached: Instant::now(),
            meter: RefCell::new(Meter::new(settings.mode)),
            cached,
            doors,
            limiter,
            location,
            history,
            learned,
            identity,
            quiesce: Quiesce::default(),
            scrub: Scrub::default(),
            persistence,
            displaced: RefCell::default(),
            ring: RefCell::new(ring_place),
            failure: RefCell::default(),
            monitored,
            is_checking: Cell::new(false),
            leaving: Cell::new(false),
            served: Served::default(),
            gone: Notify::new(),
        };
        let disk = self.enter(name.clone(), disk);
        let limitations = disk.capabilities().limitations();
        if !limitations.is_empty() {
            let limited = format!("The backing of disk '{name}' promises less: {}", limitations.join("; "));
            events::of_disk(Kind::BackingLimited, &name, limited);
        }
        if let Some(time) = hold {
            // Before any request of a guest, as above.
            disk.continue_quiesce(name, &self.host, time);
        }
        Ok(())
    }

    /// Returns the trust of a disk that continues without flash: if DIR cannot be written, flash has no data
    /// that would have to be recorded as invalid.
    fn without_records(&self, past: RecoveryContext) -> RecoveryContext {
        if !self.unrecorded.get() {
            return past;
        }
        RecoveryContext { flash_lost: Rc::new(|| Box::pin(std::future::ready(Ok(())))), ..past }
    }

    /// Returns whether a backing keeps its content when the host is off.
    async fn persistence(&self, location: &Location, backing: &Backing) -> Ability {
        let (location, identity) = (location.clone(), backing.identity());
        let volatility = self.blocking.run(move || location.volatility(&identity)).await;
        let gone = |reason| format!("{reason}: its content is gone once the host stops");
        Ability::unless(volatility.ok().flatten().map(gone))
    }

    /// Adds a disk to this shard, which then drives its tasks.
    pub(super) fn enter(&self, name: String, disk: Disk) -> Rc<Disk> {
        let disk = Rc::new(disk);
        self.host.spawn(report_recovery(name.clone(), Rc::clone(&disk)));
        let learned = Rc::clone(&disk.learned);
        self.host.spawn(learned.keep_saving(self.host.clone(), name.clone(), Rc::downgrade(&disk)));
        self.keep_scrubbing(&name, &disk);
        self.serve_snapshot(&name, &disk);
        let before = self.disks.borrow_mut().insert(name, Rc::clone(&disk));
        // If it returned from a failed move, its former state.
        drop(before);
        disk
    }

    async fn detach(&self, name: &str, content: DetachPolicy) -> Result<DetachReport> {
        let disk = self.disk(name).ok_or_else(|| not_attached(name))?;
        let may_be_dirty = disk.cached.settings().mode.row().writes_back || disk.cached.holds_dirty();
        // Before anything is destaged for it.
        disk.check_unmapped(name, content)?;
        if content == DetachPolicy::Dropped(DirtyData::Refuse) {
            disk.check_removable(name, may_be_dirty, &self.host).await?;
        } else {
            // The operator sees no more of the later steps than the next start does.
            disk.observe_path(name, &self.host).await;
        }
        if content == DetachPolicy::Dropped(DirtyData::Refuse) && may_be_dirty {
            // While guests are still connected: they do not notice a failure. From then on nothing becomes
            // dirty.
            destage_all(&disk, name).await?;
        }
        // It may have been mapped since; then it is served as before.
        disk.check_unmapped(name, content).inspect_err(|_| {
            disk.cached.resume();
        })?;
        let gone = disk.gone.notified();
        if disk.leaving.replace(true) {
            gone.await;
            return Ok(DetachReport { last: None, flushed: Ok(()), is_destaged: false, dirty_bytes: 0 });
        }
        disk.scrub.stop("the disk was detached");
        disk.doors.close().await;
        self.end_snapshot(&disk).await;
        let is_given_up = matches!(content, DetachPolicy::Dropped(DirtyData::Discard) | DetachPolicy::Undone);
        let needs_flush = !is_given_up && !disk.cached.geometry().read_only;
        let flushed = if needs_flush { disk.cached.flush().await } else { Ok(()) };
        let is_destaged = !disk.cached.holds_dirty();
        let statistics = disk.cached.statistics();
        let dirty_bytes = statistics.dirty_bytes + statistics.dirty_zeroes_bytes;
        let dropped = match content {
            DetachPolicy::Kept => {
                self.let_rest(&disk, name, is_destaged).await;
                Ok(())
            }
            DetachPolicy::Dropped(what_is_dirty) => self.drop_content(&disk, name, what_is_dirty).await,
            DetachPolicy::Undone => self.drop_content(&disk, name, DirtyData::Discard).await,
        };
        disk.history.close();
        disk.quiesce.end();
        disk.cached.backing().close(&self.host).await;
        self.disks.borrow_mut().remove(name);
        disk.gone.notify_waiters();
        dropped?;
        let last = Some(disk.report(self.number, self.host.now()));
        let flushed = flushed.map_err(|error| last_flush_failed(name, &error));
        Ok(DetachReport { last, flushed, is_destaged, dirty_bytes })
    }

    /// Detaches a disk from the cache that will be attached again.
    async fn let_rest(&self, disk: &Disk, name: &str, is_destaged: bool) {
        let learned = LearnedFile::state_at_stop(&self.host, &disk.cached).await;
        self.cache().detach(&disk.cached).await;
        if is_destaged && !disk.is_in_set() && self.void_ring(disk, name).await {
            // Before the file is examined the last time, which this changes.
            disk.history.unmark(self.mark_of(name, disk.cached.settings().id.0)).await;
        }
        let geometry = disk.cached.geometry();
        let access = if geometry.read_only { Access::ReadOnly } else { Access::ReadWrite };
        if let Err(problem) = disk.history.end(geometry.size, access).await {
            tracing::warn!("The cached data of disk '{name}' is trusted less at the next start: {problem}");
        }
        disk.learned.write_at_stop(&self.host, name, learned).await;
    }

    /// Drops the cached data of a disk. If there is dirty data after all, it is only detached, as if it were attached again later.
    async fn drop_content(&self, disk: &Disk, name: &str, what_is_dirty: DirtyData) -> Result<()> {
        let is_destaged = !disk.cached.holds_dirty();
        if self.cache().remove(&disk.cached, what_is_dirty).await.is_err() {
            self.let_rest(disk, name, is_destaged).await;
            return Err(holds_dirty(name));
        }
        let promises = disk.cached.consistency().is_some_and(|state| state.taken_at.is_some());
        if promises && !is_destaged && disk.ring.borrow().is_some() {
            // Its ring still brings the backing to the time of the last group, which ends the mark.
            tracing::info!("The backing of disk '{name}' keeps its dirty mark: {RECOVER_ADVICE}");
        } else {
            let is_void = self.void_ring(disk, name).await;
            let place = disk.ring.take().filter(|_| is_void);
            if let Some(place) = place {
                self.remove_ring(name, &place).await;
            }
            disk.history.unmark(self.mark_of(name, disk.cached.settings().id.0)).await;
        }
        disk.learned.remove().await;
        // Its number is never used again: remaining data is not trusted.
        drop(self.forget_identity(disk.cached.settings().id.0).await);
        Ok(())
    }

    pub(super) async fn forget_identity(&self, id: u32) -> Result<()> {
        self.learned_file(id).remove().await;
        self.forget_scrubs(id).await;
        BackingHistory::forget(&self.blocking, &self.places, &self.remembered, id).await
    }

    pub(super) fn learned_file(&self, id: u32) -> LearnedFile {
        LearnedFile::new(&self.places, &self.blocking, id)
    }

    /// Returns the cache settings of a disk of `disk_bytes`.
    pub(super) fn settings(
        &self,
        values: &Values,
        id: DiskId,
        disk_bytes: u64,
        access: Access,
    ) -> Result<DiskSettings> {
        let cache = self.cache();
        let bounds =
            PoolBounds { reserve_bytes_min: cache.reserve_bytes_min(), usable_bytes: cache.usable_bytes() };
        // The placeholder of flash has its own bounds, which do not matter to users.
        let given = if self.goes_without.get() { values.without_flash() } else { values.clone() };
        let settings = given.settings(id, disk_bytes, bounds)?;
        Ok(DiskSettings { read_only: access == Access::ReadOnly, ..settings })
    }
}

/// Returns the trust in what is cached, where the record of the backing permits `judged`.
fn belief_at(
    judged: RecoveryTrust,
    trust: Trust,
    lock: Lock,
    backing: &Backing,
    history: &BackingHistory,
) -> RecoveryTrust {
    match judged {
        RecoveryTrust::Nothing(reason) if trust == Trust::Accepted => RecoveryTrust::DirtyOnly(reason),
        RecoveryTrust::Nothing(_) if trust == Trust::Compared => history.expected().belief,
        believed if lock == Lock::Beside => backing_identity::beside_qemu(believed),
        // What guests wrote there without a flush went with the process.
        RecoveryTrust::ByPage if backing.geometry().atomic_flushes => RecoveryTrust::ByRegion,
        believed if !backing.capabilities().fence.is_able() => backing_identity::unguarded(believed),
        believed => believed,
    }
}

impl Disk {
    /// Refuses to remove a disk that is mapped as a block device of this host.
    fn check_unmapped(&self, name: &str, content: DetachPolicy) -> Result<()> {
        if content.is_refused_if_mapped() && self.doors.are_used_by_kernel() {
            return Err(Error::conflict(format!(
                "Cannot remove disk '{name}': it is mapped as a block device of this host. First run `forebay unmap {name}`"
            )));
        }
        Ok(())
    }

    /// Returns the capabilities of the backing, as they were found when it was opened.
    pub(super) fn capabilities(&self) -> Capabilities {
        let capabilities = self.cached.backing().capabilities();
        let cannot_mark = self.history.cannot_mark().map(|CannotMark(reason)| reason.clone());
        Capabilities {
            dirty_marker: capabilities.dirty_marker.and(Ability::unless(cannot_mark)),
            persistence: self.persistence.clone(),
            ..capabilities
        }
    }
}

/// Refuses write-back in front of a backing without durable flushes: destage would end, and destaged data could still be lost.
pub(super) fn check_durability(name: &str, values: &Values, backing: &Backing) -> Result<()> {
    if !values.writes_back() || backing.capabilities().flush.is_able() {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "Cannot write back on disk '{name}': the server of its backing offers no flush, so nothing that is destaged would ever be \
         known to be durable there. Use write-through, or a server that offers NBD_CMD_FLUSH"
    )))
}

/// Drops the cached data of a disk, durably.
async fn evict(cached: &Cached, name: &str) -> Result<()> {
    cached.evict().await.map_err(|error| may_come_back(name, &error))
}

fn may_come_back(name: &str, error: &dyn std::fmt::Display) -> Error {
    Error::failed(format!(
        "The dropped data of disk '{name}' may return at the next start: {error}; make room in DIR, and try again"
    ))
}

/// Logs, once it is known, how much of the earlier cache was recovered.
async fn report_recovery(name: String, disk: Rc<Disk>) {
    let load = disk.cached.loaded().await;
    match load.state {
        LoadProgress::Running => {}
        LoadProgress::Cold(reason) => {
            let cold = format!("Disk '{name}' starts with an empty cache: {reason}");
            events::of_disk(Kind::CacheCold, &name, cold);
        }
        LoadProgress::Done => {
            let back = format!(
                "Disk '{name}' has {} of its cache back after {} ms; {} may have changed and is not trusted",
                Size(load.pages_kept * PAGE),
                load.took_us / 1000,
                Size(load.pages_dropped * PAGE)
            );
            events::of_disk(Kind::CacheRecovered, &name, back);
        }
    }
}

/// Returns the problem of a backing that shrank: guests would find the end of their disk missing, and continue to write.
fn shrunk(name: &str, before: u64, size: u64) -> Error {
    Error::unavailable(format!(
        "Cannot serve disk '{name}': its backing has {size} bytes and had {before} when it was served last; check that it \
         is the right file and whole, give it its size back, or remove the disk and add it again"
    ))
}

fn last_flush_failed(name: &str, error: &dyn std::fmt::Display) -> Error {
    Error::failed(format!(
        "Disk '{name}' is no longer served, but the last flush of its backing failed ({error}): the last writes of guests \
         may not be durable; check the backing"
    ))
}

pub(super) fn not_attached(name: &str) -> Error {
    Error::unavailable(format!(
        "Disk '{name}' is not being served now; see `forebay disk list` for the reason"
    ))
}

/// Returns the cache's message with the disk's name, and sizes in units for people.
pub(super) fn explain(name: &str, error: &CacheError, reserve_bytes: u64) -> Error {
    match error {
        CacheError::ReservationTooLarge {
            free_bytes, pool_bytes, for_dirty_bytes, minimum_bytes, ..
        } => {
            let dirty = match for_dirty_bytes {
                0 => String::new(),
                bytes => format!(
                    " {} are kept for the dirty data of other disks, until it is destaged (forebay disk list shows whose).",
                    Size(*bytes)
                ),
            };
            let least = Size(*minimum_bytes);
            let less = if reserve_bytes > *minimum_bytes {
                format!("Reserve less ({least} is the least)")
            } else {
                format!("No disk of this pool reserves less than {least}")
            };
            Error::conflict(format!(
                "A reservation of {} for disk '{name}' does not fit: {} of the pool's {} are not reserved yet.{dirty} {less}; lower the \
                 reservation of another disk; or add flash, which has room for one more disk in every {least}: forebay pool add FILE \
                 --size SIZE",
                Size(reserve_bytes),
                Size(*free_bytes),
                Size(*pool_bytes)
            ))
        }
        CacheError::HoldsDirty(_) => Error::unavailable(format!(
            "Cannot serve disk '{name}': {error}. Restore its own backing; or, if this is it, compare it with the cached data and serve \
             it: forebay disk accept {name}; or discard that data: forebay disk remove {name} --discard-dirty"
        )),
        other => Error::invalid(format!("Cannot cache disk '{name}': {other}")),
    }
}
