//! The cache of one shard: its place at a pool, and the disks that are attached here.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use block::{Arena, BlockDevice, Geometry, Host, PAGE};

use super::disk::{self, AtRest, CachedDisk};
use crate::format::members::Member;
use crate::format::owner;
use crate::ops::disk_cache::DiskCache;
use crate::ops::disks::Disks;
use crate::ops::invalidate::invalidate_disk;
use crate::ops::learned_state::LearnedShape;
use crate::ops::load::{self, RecoveryContext};
use crate::ops::reclaim;
use crate::ops::vacate;
use crate::ops::{commit, promote, second_copies};
use crate::state::holders::Share;
use crate::state::segments::Segments;
use crate::storage::check::DiskExpectation;
use crate::storage::comparison::{Comparison, compare};
use crate::storage::discards;
use crate::storage::pool::{Pool, Witness};
use crate::storage::shared::{LeaveReason, SharedPool};
use crate::storage::start::{IgnoredDevice, PoolContent, SessionIds, StartedPool, join, start};
use crate::types::env::Env;
use crate::types::error::CacheError;
use crate::types::limits::{
    BLOCK_BYTES_MAX, BLOCK_BYTES_MIN, DISK_BLOCKS_MAX, DISK_BYTES_MAX, DISK_REGIONS_MAX, DISKS_MAX,
    RAM_BYTES_MAX, RAM_BYTES_MIN, RESERVE_SEGMENTS_MIN,
};
use crate::types::settings::{DiskSettings, DriveWrites, Redundancy};
use crate::types::stats::{DeviceState, DeviceStatistics, PoolStatistics, ShrinkStatistics, SizeBounds};
use crate::types::units::{DiskId, MemberNumber, SegmentOwner};

/// A pool that is open, and those of its disks that are attached on this shard.
///
/// Shards share a pool: one opens it with [`Cache::open`], the others join it with [`Cache::join`]. A disk is attached on
/// one of them, and only its own shard may be asked to change or detach it.
pub struct Cache<E: Env> {
    pool: Rc<Pool<E>>,
    disks: Rc<Disks<E>>,
}

/// A pool that was opened.
pub struct Opened<E: Env> {
    /// The pool, with no disk attached.
    pub cache: Rc<Cache<E>>,
    /// Trust in the content that the pool held.
    pub content: PoolContent,
    /// Devices that were named and do not belong to it.
    pub ignored: Vec<IgnoredDevice>,
}

/// Policy for dirty data when a disk is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirtyData {
    /// The disk is kept as long as it has dirty data.
    Refuse,
    /// It is lost.
    Discard,
}

impl<E: Env> Cache<E> {
    /// Opens the pool on its devices, in any order, and reports whether the content that it held is trusted. [`format`](crate::format())
    /// makes a pool of one device; [`Cache::add_device`] adds others.
    ///
    /// A missing device of the pool makes all of the pool's content untrusted. The pool continues without that device, which no longer
    /// belongs to it even if it returns.
    ///
    /// # Errors
    /// `NotAPool`, without having changed anything, or `Flash`.
    pub async fn open(
        devices: Vec<E::Flash>,
        host: E::Host,
        marks: &SessionIds,
    ) -> Result<Opened<E>, CacheError> {
        let StartedPool { pool, content, ignored } = start(devices, host, marks).await?;
        Ok(Opened { cache: Self::over(pool), content, ignored })
    }

    /// Takes a place at a pool that another shard opened. `devices` are handles of this shard's own on the same devices.
    ///
    /// # Errors
    /// `NotAPool` if they are others, or `Flash`.
    pub async fn join(
        shared: &SharedPool,
        devices: Vec<E::Flash>,
        host: E::Host,
    ) -> Result<Rc<Self>, CacheError> {
        Ok(Self::over(join(shared, devices, host).await?))
    }

    /// Makes a device one of the pool, whatever its content. No other program may have it open: one that left the pool is added again only
    /// when all handles of it are dropped. To be followed by [`Cache::know_device`] on every other shard, and then by
    /// [`Cache::use_device`]; until then nothing is put there. From the moment on at which this returns, the pool is to be opened with this
    /// device.
    ///
    /// # Errors
    /// `TooSmall`, `Settings`, `FlashFailed`, or `Flash`. If it failed while the device was being entered, it may have become
    /// one all the same: then [`Cache::pool_statistics`] lists it.
    pub async fn add_device(&self, device: E::Flash) -> Result<MemberNumber, CacheError> {
        self.pool.add_device(device).await
    }

    /// Gives this shard its own handle of a device that another shard added.
    ///
    /// # Errors
    /// `Settings` if there is no such device.
    pub fn know_device(&self, number: MemberNumber, device: E::Flash) -> Result<(), CacheError> {
        self.pool.know_device(number, device)
    }

    /// Starts to put content on a device that every shard already knows. To be called once, on one shard.
    ///
    /// # Errors
    /// `Settings` if there is no such device.
    pub fn use_device(&self, number: MemberNumber) -> Result<(), CacheError> {
        self.pool.use_device(number)
    }

    /// Returns the fewest and the most bytes that the pool can use of a device as it stands now, however large that is.
    ///
    /// # Errors
    /// `Settings` if there is no such device.
    pub fn size_bounds(&self, number: MemberNumber) -> Result<SizeBounds, CacheError> {
        let (least_bytes, most_bytes) = (self.pool.smallest_bytes(number)?, self.pool.largest_bytes(number)?);
        Ok(SizeBounds { least_bytes, most_bytes })
    }

    /// Makes a larger size of a device durable, in bytes: no smaller than before, and all handles of it reach that far. To be followed by
    /// [`Cache::know_sizes`] on every other shard, and then by [`Cache::use_grown`]; until then its new part stays empty.
    ///
    /// # Errors
    /// `Settings` if there is no such device or it is too large, `FlashFailed`, or `Flash`.
    pub async fn grow_device(&self, number: MemberNumber, device_bytes: u64) -> Result<(), CacheError> {
        self.pool.grow_device(number, device_bytes).await
    }

    /// Updates the sizes of devices after one of them grew or became smaller on another shard.
    pub fn know_sizes(&self) {
        self.pool.know_sizes();
    }

    /// Starts to put content on the new part of a device that every shard already knows.
    ///
    /// # Errors
    /// `Settings` if there is no such device.
    pub fn use_grown(&self, number: MemberNumber) -> Result<(), CacheError> {
        self.pool.use_grown(number)
    }

    /// Makes a device smaller: content behind its new end moves, or is dropped if it is clean and cold. When this returns, that is durable,
    /// and the device may be cut there. To be followed by [`Cache::know_sizes`] on every other shard. If it is dropped, or ends with an
    /// error, the device has the size that it had, unless that was on its way to be durable.
    ///
    /// # Errors
    /// `Settings` if there is no such device, if the pool needs more of it, or if it was cancelled; `TooSmall`, `FlashFailed`, or
    /// `Flash`.
    pub async fn shrink_device(&self, number: MemberNumber, device_bytes: u64) -> Result<(), CacheError> {
        vacate::shrink_device(&self.pool, number, device_bytes).await
    }

    /// Cancels the shrinking of a device, which keeps its size. Returns false if it is not being made smaller.
    pub fn cancel_shrink(&self, number: MemberNumber) -> bool {
        self.pool.shared.stop_shrink(number, "it was cancelled")
    }

    /// Runs something on this shard's handle of a device; none if it has none.
    pub fn on_device<T>(&self, number: MemberNumber, run: impl FnOnce(&E::Flash) -> T) -> Option<T> {
        self.pool.on_device(number, run)
    }

    /// Starts to remove a device from the pool, while guests go on. Content of disks that have some there is dropped. The device has left
    /// when [`Cache::pool_statistics`] does not list it any more. It is free for other uses once all handles of it are dropped: until then
    /// the cache may still erase its superblock.
    ///
    /// # Errors
    /// `Settings` if there is no such device, if it is the only one, or if the others have less than is reserved.
    pub fn take_out_device(&self, number: MemberNumber) -> Result<(), CacheError> {
        self.pool.take_out(number)
    }

    /// Registers a witness that durably remembers the epoch of the pool's list of devices elsewhere, whenever a device that failed is
    /// struck off; writes that needed that device are acknowledged afterwards. [`SessionIds::epoch`] gives the epoch back. To be called
    /// before a disk is attached: this call informs the witness of devices that failed, or were missing, while the pool was opened.
    ///
    /// # Errors
    /// `Flash` if it cannot remember that.
    pub async fn set_witness(&self, witness: Witness) -> Result<(), CacheError> {
        self.pool.witness.replace(Some(witness));
        Ok(self.pool.record_out().await?)
    }

    /// Sets the bytes of flash that disks are to have of what they share: while the pool is full, the disk that is furthest beyond its own
    /// gives room first. Disks without one are as before: their oldest content goes when it is the oldest of all. Reservations, limits and
    /// dirty data go before. Holds for all shards, and until the next call or start.
    pub fn set_flash_targets(&self, targets: &BTreeMap<DiskId, u64>) {
        self.pool.segments().set_targets(targets);
    }

    /// Sets the write budget of each device, in drive writes a day, on all shards; none for no budget. All writes count, but only
    /// promotions are held back. Holds until the pool is closed.
    pub fn set_write_budget(&self, drive_writes: Option<DriveWrites>) {
        self.pool.set_write_budget(drive_writes);
    }

    /// Returns how far spending is ahead of the write budget, on the device where it is highest: 0 if not at all or without a budget, 1 if
    /// nothing is left.
    pub fn write_pressure(&self) -> f32 {
        self.pool.write_pressure()
    }

    fn over(pool: Rc<Pool<E>>) -> Rc<Self> {
        let disks = Rc::new(Disks::default());
        pool.host.spawn(reclaim::run(Rc::clone(&pool), Rc::clone(&disks)));
        pool.host.spawn(discards::run(Rc::clone(&pool)));
        Rc::new(Self { pool, disks })
    }

    /// Returns the pool, for another shard to join.
    pub fn shared(&self) -> SharedPool {
        SharedPool(Arc::clone(&self.pool.shared))
    }

    /// Treats the flash as failed: it is neither written nor trusted any more, and disks go on without it.
    pub fn give_up_flash(&self) {
        self.pool.give_up();
    }

    /// Returns the disks that hold content, attached or not.
    pub fn owners(&self) -> Vec<DiskId> {
        self.pool.segments().owners()
    }

    /// Releases the segments of a disk that is not attached and will not be.
    ///
    /// # Errors
    /// `DiskAttached`, `Flash`, or `HoldsDirty` if its backing does not have everything, unless the caller explicitly discards dirty data.
    pub async fn disown(&self, disk: DiskId, what_is_dirty: DirtyData) -> Result<(), CacheError> {
        let intents = self.pool.open_intents_of(disk);
        let disowned = {
            let mut segments = self.pool.segments();
            if segments.owner_shard(disk).is_some() {
                return Err(CacheError::DiskAttached(disk));
            }
            if segments.is_dirty(disk) && what_is_dirty == DirtyData::Refuse {
                return Err(CacheError::HoldsDirty(format!("of disk {disk}, which is not attached")));
            }
            segments.disown(disk)
        };
        self.pool.free_disowned(disowned).await?;
        self.pool.segments().forget(disk);
        self.pool.close_intents(disk, intents).await?;
        Ok(())
    }

    /// Compares clean cached pages of a disk that is not attached with a backing: up to `pages_max` pages, until the clock reads
    /// `until_ns`. Changes nothing.
    ///
    /// # Errors
    /// Why the log of the disk cannot be read, as a sentence without its end.
    pub async fn compare(
        &self,
        disk: DiskId,
        expected: DiskExpectation,
        backing: &E::Backing,
        pages_max: usize,
        until_ns: u64,
    ) -> Result<Comparison, String> {
        compare(&self.pool, disk, expected, backing, pages_max, until_ns).await
    }

    /// Returns the least reservation of a disk of this pool, in bytes: sixteen segments.
    pub fn reserve_bytes_min(&self) -> u64 {
        u64::from(RESERVE_SEGMENTS_MIN) * self.pool.layout().segment_bytes()
    }

    /// Returns the flash that all disks can use together, in bytes.
    pub fn usable_bytes(&self) -> u64 {
        u64::from(self.pool.segments().usable()) * self.pool.layout().segment_bytes()
    }

    /// Returns the shape of a disk with these settings, for [`LearnedState::decode`](crate::LearnedState::decode).
    pub fn learned_shape(&self, settings: &DiskSettings) -> LearnedShape {
        LearnedShape::new(&self.pool, settings)
    }

    /// Puts a disk in front of its backing. The content of the backing is not touched. Loads previously cached content while guests are
    /// already served, as far as `past` trusts it.
    ///
    /// # Errors
    /// `Settings` for impossible settings, `ReservationTooLarge`, `DiskAttached`; `Flash` if untrusted content could not be invalidated,
    /// neither on flash nor elsewhere; `HoldsDirty` if flash has data that belongs to the backing of this disk, and it is not known that
    /// this is that backing. Nothing has changed then.
    pub async fn attach(
        &self,
        settings: DiskSettings,
        backing: E::Backing,
        past: RecoveryContext,
    ) -> Result<Rc<CachedDisk<E>>, CacheError> {
        let RecoveryContext { belief, disk_bytes, touched, samples, granted, flash_lost } = past;
        let granted = if granted { settings.reserve_bytes } else { 0 };
        let size = served_size(&backing.geometry(), disk_bytes)?;
        check_memory(settings.ram_bytes)?;
        self.take_share(&settings, granted, &Geometry { size, ..backing.geometry() })?;
        let cache = Rc::new(DiskCache::new(Rc::clone(&self.pool), settings, size, touched, flash_lost));
        cache.coherence.observe_epoch(backing.epoch());
        self.disks.borrow_mut().insert(cache.id, Rc::clone(&cache));
        if let Err(error) = load::take_up(&cache, &belief).await {
            self.pool.segments().set_owner_shard(cache.id, None);
            self.disks.borrow_mut().remove(&cache.id);
            return Err(error);
        }
        let gets_groups = backing.geometry().atomic_flushes;
        if gets_groups {
            cache.use_backing_for_groups();
        }
        {
            let mut segments = self.pool.segments();
            segments.set_writes_back(cache.id, settings.mode.row().writes_back);
            segments.set_mirrored(cache.id, settings.redundancy == Redundancy::Mirror);
        }
        let disk = Rc::new(CachedDisk::new(Rc::clone(&cache), backing));
        self.pool.host.spawn(promote::run(Rc::clone(&cache)));
        self.pool.host.spawn(commit::run(Rc::clone(&cache)));
        self.pool.host.spawn(second_copies::run(cache));
        self.pool.host.spawn(disk::destage(Rc::downgrade(&disk)));
        if gets_groups {
            self.pool.host.spawn(disk::write_groups(Rc::downgrade(&disk)));
        }
        // If a device is to leave, the disk's content there goes.
        self.pool.slot.wake();
        self.pool.host.spawn(disk::settle(Rc::downgrade(&disk)));
        self.pool.host.spawn(disk::look_after(Rc::downgrade(&disk)));
        if disk.ctx.cache.is_loading() {
            let disk = Rc::clone(&disk);
            let tail = belief.tail(disk.ctx.cache.coherence.log_end());
            let first = disk.ctx.cache.back.is_marked_dirty().then(|| self.pool.shared.dirty_first.enter());
            self.pool.host.spawn(async move {
                load::load(&disk.ctx, tail, samples).await;
                drop(first);
            });
        }
        Ok(disk)
    }

    /// Keeps the share of a disk of `disk_bytes` that is not attached, as [`Cache::attach`] would grant it: no other disk can reserve that
    /// flash, nor evict cached data of this disk up to its reservation. Holds until the disk is attached, or given up by [`Cache::disown`].
    ///
    /// # Errors
    /// `Settings` for impossible settings, `ReservationTooLarge`, `DiskAttached`. Then nothing has changed.
    pub fn keep_share(&self, settings: &DiskSettings, disk_bytes: u64) -> Result<(), CacheError> {
        let mut segments = self.pool.segments();
        self.set_share(&mut segments, settings, 0, &Geometry::plain(disk_bytes))
    }

    /// Gives a disk its place on this shard, and its share of the pool.
    fn take_share(
        &self,
        settings: &DiskSettings,
        granted_bytes: u64,
        backing: &Geometry,
    ) -> Result<(), CacheError> {
        let mut segments = self.pool.segments();
        if segments.attached() >= DISKS_MAX {
            return Err(CacheError::Settings(format!("A pool serves at most {DISKS_MAX} disks")));
        }
        self.set_share(&mut segments, settings, granted_bytes, backing)?;
        segments.set_owner_shard(settings.id, Some(self.pool.slot.shard));
        Ok(())
    }

    fn set_share(
        &self,
        segments: &mut Segments,
        settings: &DiskSettings,
        granted_bytes: u64,
        backing: &Geometry,
    ) -> Result<(), CacheError> {
        if segments.owner_shard(settings.id).is_some() {
            return Err(CacheError::DiskAttached(settings.id));
        }
        let share = self.check(segments, settings, granted_bytes, backing)?;
        segments.set_share(settings.id, share);
        Ok(())
    }

    /// Changes how a disk is cached, while guests go on.
    ///
    /// # Errors
    /// As [`Cache::attach`]; then nothing has changed.
    pub fn reconfigure(&self, disk: &CachedDisk<E>, settings: DiskSettings) -> Result<(), CacheError> {
        if settings.id != disk.ctx.cache.id {
            return Err(CacheError::Settings("A disk's number cannot be changed".to_owned()));
        }
        if disk.ctx.cache.leaving.get() {
            // Its reservation is given back, or will be: nothing would give it back a second time.
            return Err(CacheError::Settings(format!("Disk {} was detached: attach it again", settings.id)));
        }
        if settings.ram_bytes != disk.settings().ram_bytes {
            check_memory(settings.ram_bytes)?;
        }
        {
            let mut segments = self.pool.segments();
            let granted = disk.settings().reserve_bytes;
            let share = self.check(&segments, &settings, granted, &disk.geometry())?;
            if settings.reserve_bytes < granted {
                let reserve_bytes = u64::from(share.reserve) * self.pool.layout().segment_bytes();
                disk.ctx.cache.check_dirty_fits(&segments, reserve_bytes)?;
            }
            segments.set_share(settings.id, share);
        }
        disk.ctx.cache.reconfigure(&settings);
        // A lowered limit is met by reclaiming; a raised one lets waiting promotions go on.
        self.pool.slot.wake();
        self.pool.announce_room();
        Ok(())
    }

    /// Checks that a disk can be cached as it is once it has `disk_bytes`.
    ///
    /// # Errors
    /// `Settings` if it has too many blocks then.
    pub fn check_size(&self, disk: &CachedDisk<E>, disk_bytes: u64) -> Result<(), CacheError> {
        let settings = disk.settings();
        let larger = Geometry { size: disk_bytes, ..disk.geometry() };
        self.check(&self.pool.segments(), &settings, settings.reserve_bytes, &larger).map(drop)
    }

    /// Stops caching for a disk and keeps its cached data on flash, for when it is attached again. The caller guarantees that no request is
    /// in flight and that none will follow.
    pub async fn detach(&self, disk: &CachedDisk<E>) {
        // Twice: the first pass finds regions that were changed since the last one. A crash is no worse than without.
        disk.close_idle_regions().await;
        disk.close_idle_regions().await;
        // First of all, so that a round of destage does not wait for room meanwhile.
        self.start_leaving(&disk.ctx.cache);
        self.release(disk.stop_destaging().await).await;
    }

    /// As [`Cache::detach`], for a disk that another shard attaches at once: its open regions stay open, so that neither its backing nor
    /// much of its flash has to be written first. The content of its RAM is lost.
    ///
    /// Attach it again with the same backing, opened and locked without a break, and with the same touched-page bits, trusted by page.
    /// Failures are not carried over: see [`CachedDisk::is_fit_to_move`]. Once destage is at rest, the caller guarantees that the backing
    /// has no request left whose outcome is unknown: it would land after a request of the shard that attaches the disk next.
    pub async fn release(&self, at_rest: AtRest<'_, E>) {
        let AtRest { disk, destaging } = at_rest;
        let cache = &disk.ctx.cache;
        self.start_leaving(cache);
        // The load may still read and close its segments, which another shard could free.
        drop(cache.loading.lock().await);
        // A group reads its segments, and the next shard opens the ring.
        drop(cache.consistent.lock().await);
        // A segment that is being emptied would look empty as soon as its content is forgotten here, and be given away.
        let _reclaiming = cache.reclaiming.lock().await;
        // Waits for a batch that is being written. A failure concerns the flash, and the next start finds the durable part.
        drop(cache.log.close().await);
        cache.clear_proven();
        // First of all: from here on it is not known what is dirty, until the disk is loaded again.
        self.pool.segments().set_indexed(cache.id, false);
        cache.forget_dirty();
        cache.forget_at_once();
        self.pool.segments().set_owner_shard(cache.id, None);
        self.disks.borrow_mut().remove(&cache.id);
        // If a device is to leave, the disk's content there is left to the next shard.
        self.pool.slot.wake();
        // A round that waited for its turn finds that the disk left.
        drop(destaging);
    }

    /// Changes the identity of a pool whose disks are all detached, so that a copy of the device that was made before can be distinguished
    /// from it. Nothing else may be done with the pool afterwards.
    ///
    /// # Errors
    /// `Settings` while disks are attached, or `Flash`.
    pub async fn leave(&self, mark: u64) -> Result<(), CacheError> {
        if self.pool.segments().attached() > 0 {
            return Err(CacheError::Settings("A pool is left once all disks are detached".to_owned()));
        }
        Ok(self.pool.leave(mark).await?)
    }

    /// Removes a disk for good: all its flash and RAM become free. The caller guarantees that no request is in flight and that none will
    /// follow.
    ///
    /// # Errors
    /// `HoldsDirty` if its backing does not have everything, unless the caller explicitly discards dirty data; then nothing has changed.
    pub async fn remove(&self, disk: &CachedDisk<E>, what_is_dirty: DirtyData) -> Result<(), CacheError> {
        let cache = &disk.ctx.cache;
        if disk.holds_dirty() && what_is_dirty == DirtyData::Refuse {
            let bytes = disk.statistics().dirty_bytes;
            return Err(CacheError::HoldsDirty(format!(
                "{bytes} bytes of disk {}: destage it first",
                cache.id
            )));
        }
        self.start_leaving(cache);
        drop(cache.back.destage.lock().await);
        cache.give_up_dirty();
        // If the flash failed, this disk is not opened at the next start, and numbers are never used again.
        drop(invalidate_disk(cache).await);
        self.disks.borrow_mut().remove(&cache.id);
        self.pool.segments().forget(cache.id);
        let intents = self.pool.open_intents_of(cache.id);
        drop(self.pool.close_intents(cache.id, intents).await);
        Ok(())
    }

    fn start_leaving(&self, cache: &DiskCache<E>) {
        cache.leaving.set(true);
        // Nothing will be loaded any more.
        cache.loaded.notify_waiters();
        self.pool.start_leaving(cache.id);
        cache.promotion_wanted.notify_one();
        cache.second_wanted.notify_one();
        cache.consistent.wake();
        cache.back.leave();
    }

    /// Returns the identity of the pool, 32 hexadecimal digits.
    pub fn id(&self) -> String {
        self.pool.id().to_string()
    }

    /// Returns true once all of the flash failed; disks go on without it.
    pub fn has_failed(&self) -> bool {
        self.pool.shared.is_failed()
    }

    /// Returns the state of the pool, with the disks of all shards. Takes as long as listing disks and devices, independent of their size.
    pub fn pool_statistics(&self) -> PoolStatistics {
        let superblock = self.pool.shared.superblock();
        let shrink = self.pool.shared.shrink();
        let segments = self.pool.segments();
        let layout = self.pool.layout();
        let device = |member: Member| DeviceStatistics {
            number: member.number.0,
            size_bytes: member.device_bytes,
            segments: u64::from(member.segments()),
            segments_free: u64::from(segments.space().free_on(member.number)),
            discards: segments.space().discards(member.number),
            written_bytes: self.pool.shared.meters.of(member.number).bytes(),
            budget: self.pool.budget(member),
            shrinking: shrink.as_ref().filter(|shrink| shrink.member == member.number).map(|shrink| {
                ShrinkStatistics {
                    size_bytes: shrink.device_bytes,
                    segments: u64::from(shrink.segments),
                    segments_left: u64::from(segments.space().not_retired(member.number)),
                }
            }),
            state: match self.pool.shared.leaving(member.number) {
                None => DeviceState::Used,
                Some(LeaveReason::Failed) => DeviceState::Failed,
                Some(LeaveReason::TakenOut) => DeviceState::Leaving,
            },
        };
        let out = self.pool.shared.out();
        let out = out.into_iter().filter(|member| superblock.members.get(member.number).is_none());
        let devices = superblock.members.iter().chain(out).map(device).collect();
        PoolStatistics {
            id: self.id(),
            size_bytes: superblock.members.iter().map(|member| member.device_bytes).sum(),
            segment_bytes: layout.segment_bytes(),
            segments: u64::from(segments.space().count()),
            segments_free: u64::from(segments.free_count()),
            usable_bytes: u64::from(segments.usable()) * layout.segment_bytes(),
            reserved_bytes: u64::from(segments.reserved()) * layout.segment_bytes(),
            absent_reserved_bytes: u64::from(segments.reserved_by_absent()) * layout.segment_bytes(),
            disks: segments.attached() as u64,
            failed: self.has_failed(),
            lacks_space: self.pool.shared.lacks_space(),
            segments_uncopied: segments.all_uncopied(),
            can_mirror: segments.space().can_pair(),
            notes_mirrored: segments.uncopied(SegmentOwner::Notes) == 0
                && segments.is_mirrored(SegmentOwner::Notes),
            devices,
        }
    }

    /// Checks settings against the pool and the disk's backing, and returns their sizes in segments. A reservation that was granted is not
    /// refused when the pool has become smaller.
    fn check(
        &self,
        segments: &Segments,
        settings: &DiskSettings,
        granted_bytes: u64,
        backing: &Geometry,
    ) -> Result<Share, CacheError> {
        let refuse = |message: String| Err(CacheError::Settings(message));
        if settings.id.0 >= owner::DISK_NUMBERS_END {
            return refuse(format!("A disk cannot have the number {}, which stands for none", settings.id));
        }
        let DiskSettings { id, block_bytes, reserve_bytes, limit_bytes, ram_bytes, .. } = *settings;
        if !block_bytes.is_power_of_two() || !(BLOCK_BYTES_MIN..=BLOCK_BYTES_MAX).contains(&block_bytes) {
            return refuse(format!(
                "A block of {block_bytes} bytes cannot be: a power of two from 4 KiB to 1 MiB"
            ));
        }
        check_disk_bytes(backing.size, block_bytes)?;
        if backing.size.div_ceil(u64::from(self.pool.layout().region_pages()) * PAGE) > DISK_REGIONS_MAX {
            return refuse(format!(
                "A disk of {} bytes is too large for a pool as small as this one",
                backing.size
            ));
        }
        if backing.alignment != block::SECTOR {
            return refuse(format!("The backing takes requests of {} bytes only", backing.alignment));
        }
        if !(RAM_BYTES_MIN..=RAM_BYTES_MAX).contains(&ram_bytes) {
            return refuse(format!(
                "{ram_bytes} bytes of RAM cannot be: from {RAM_BYTES_MIN} to {RAM_BYTES_MAX}"
            ));
        }
        let segment_bytes = self.pool.layout().segment_bytes();
        let minimum = self.reserve_bytes_min();
        if reserve_bytes < minimum {
            return refuse(format!(
                "A reservation of {reserve_bytes} bytes is too small: at least {minimum} here"
            ));
        }
        if limit_bytes < reserve_bytes {
            return refuse(format!(
                "A limit of {limit_bytes} bytes is below the reservation of {reserve_bytes}"
            ));
        }
        let reserve = reserve_bytes.div_ceil(segment_bytes);
        let free = segments.usable().saturating_sub(segments.reserved_by_others(id));
        if reserve > u64::from(free) && reserve_bytes > granted_bytes {
            return Err(CacheError::ReservationTooLarge {
                disk: id,
                wanted_bytes: reserve_bytes,
                free_bytes: u64::from(free) * segment_bytes,
                pool_bytes: u64::from(segments.usable()) * segment_bytes,
                for_dirty_bytes: u64::from(segments.dirty_beyond_reserve(id)) * segment_bytes,
                minimum_bytes: minimum,
            });
        }
        let limit = (limit_bytes / segment_bytes).clamp(reserve, u64::from(u32::MAX));
        Ok(Share { reserve: reserve as u32, limit: limit as u32 })
    }
}

/// Refuses a disk that is larger than any may be. To be asked before anything is made whose size follows from that of the disk.
///
/// # Errors
/// `Settings` with the limit that it exceeds.
pub fn check_disk_bytes(disk_bytes: u64, block_bytes: u32) -> Result<(), CacheError> {
    if disk_bytes > DISK_BYTES_MAX {
        return Err(CacheError::Settings(format!(
            "A disk of {disk_bytes} bytes is too large: at most {DISK_BYTES_MAX} (256 TiB) can be served"
        )));
    }
    if disk_bytes.div_ceil(u64::from(block_bytes)) > DISK_BLOCKS_MAX {
        return Err(CacheError::Settings(format!(
            "A disk of {disk_bytes} bytes has too many blocks of {block_bytes} bytes: take larger blocks"
        )));
    }
    Ok(())
}

/// Checks that RAM of this size can be mapped. RAM is mapped as a whole, which ends the process if the system refuses. That happens where
/// the addresses of a process are limited, or where untouched memory counts (`vm.overcommit_memory = 2`).
fn check_memory(ram_bytes: u64) -> Result<(), CacheError> {
    // A size beyond all bounds is refused for that.
    if ram_bytes > RAM_BYTES_MAX || usize::try_from(ram_bytes).is_ok_and(Arena::can_be) {
        return Ok(());
    }
    Err(CacheError::Settings(format!(
        "The system has no {ram_bytes} bytes of memory for RAM: choose less, or give it more"
    )))
}

/// Returns the size of a disk that was served before, maybe when its backing was smaller.
fn served_size(backing: &Geometry, before: Option<u64>) -> Result<u64, CacheError> {
    match before {
        Some(before) if before > backing.size => Err(CacheError::Settings(format!(
            "A disk of {before} bytes does not fit on its backing of {}: give it its size back",
            backing.size
        ))),
        before => Ok(before.unwrap_or(backing.size)),
    }
}
