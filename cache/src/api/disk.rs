//! A cached disk: the same face as the device that it wraps.

use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::rc::{Rc, Weak};

use block::{
    BlockDevice, BlockError, Buffer, ByteRange, ErrorKind, Extent, Geometry, Host, Operation, Outcome, Unmap,
    WantedRange,
};
use futures_util::future::select;
use redo::RedoRing;
use smallvec::SmallVec;
use tokio::sync::MutexGuard;

use super::counting::{RequestTimes, latency_of};
use crate::ops::back::{self, Hold};
use crate::ops::cached_copy::{CachedCopy, cached_copy};
use crate::ops::cached_reads::{CachedReads, prefetch_first_page};
use crate::ops::consistency_set::{self, ConsistencySet};
use crate::ops::consistent_state::{ConsistencyStatistics, WallClock};
use crate::ops::ctx::Ctx;
use crate::ops::disk_cache::DiskCache;
use crate::ops::flush;
use crate::ops::flush_gate::{Asker, FlushGate};
use crate::ops::grow::{self, DiskGrowth};
use crate::ops::invalidate::invalidate_disk;
use crate::ops::learned_state::LearnedState;
use crate::ops::pace::{self, Next};
use crate::ops::pause::{self, PauseRequest};
use crate::ops::read::Answer;
use crate::ops::{close_intents, consistent, extents, learned_state, read, write, zeroes};
use crate::state::curve::{Curves, Use};
use crate::state::learned::By;
use crate::state::write_intent_bitmap::SharedBits;
use crate::types::env::Env;
use crate::types::histograms::InFlight;
use crate::types::settings::{DiskSettings, Mode};
use crate::types::stats::{DiskCounts, DiskStatistics, Latency, LoadStatistics, Tally, count, ratio};
use crate::types::units::{PageNumber, SECOND_NS};

/// Interval between checks of open regions, which close those without a change since the last check: nanoseconds. A power cut costs the
/// content of the regions that were written in the last minute. Shorter intervals would cost a guest that writes all over its disk an
/// intent for each write, and flash the wear of it.
const LOOK_INTERVAL_NS: u64 = 30_000_000_000;

/// Reads that doors request together from RAM, at most; nothing is allocated for so many.
const TOGETHER: usize = 8;

/// A prediction is reused for a second, as long as reads have grown by less than this part.
const PREDICTED_PART: u64 = 64;

/// Delay before a backing that failed its first flush gets another one: nanoseconds.
const SETTLE_RETRY_NS: u64 = 1_000_000_000;

/// Settles the backing, until it succeeds or the disk is gone.
pub(super) async fn settle<E: Env>(disk: Weak<CachedDisk<E>>) {
    while let Some(disk) = disk.upgrade().filter(|disk| !disk.ctx.cache.leaving.get()) {
        if disk.settle_backing().await {
            return;
        }
        let host = disk.ctx.cache.pool.host.clone();
        drop(disk);
        host.sleep(SETTLE_RETRY_NS).await;
    }
}

/// Closes regions without recent changes, until the disk is gone.
pub(super) async fn look_after<E: Env>(disk: Weak<CachedDisk<E>>) {
    loop {
        let Some(host) = disk.upgrade().map(|disk| disk.ctx.cache.pool.host.clone()) else { return };
        host.sleep(LOOK_INTERVAL_NS).await;
        match disk.upgrade() {
            Some(disk) if !disk.ctx.cache.leaving.get() => disk.close_idle_regions().await,
            _ => return,
        }
    }
}

/// Writes groups of consistent write-back until the disk is gone.
pub(super) async fn write_groups<E: Env>(disk: Weak<CachedDisk<E>>) {
    while let Some(ours) = disk.upgrade().filter(|disk| !disk.ctx.cache.leaving.get()) {
        let rest = consistent::step(&ours.ctx).await;
        let cache = Rc::clone(&ours.ctx.cache);
        drop(ours);
        let woken = cache.consistent.woken();
        match rest {
            None => woken.await,
            Some(nanos) => _ = select(pin!(woken), pin!(cache.pool.host.sleep(nanos))).await,
        }
    }
}

/// Destages until the disk is gone.
pub(super) async fn destage<E: Env>(disk: Weak<CachedDisk<E>>) {
    let mut from = 0;
    while let Some(ours) = disk.upgrade().filter(|disk| !disk.ctx.cache.leaving.get()) {
        let next = pace::step(&ours.ctx, &mut from).await;
        let cache = Rc::clone(&ours.ctx.cache);
        drop(ours);
        let (wanted, changed) = (cache.back.destage.woken(), cache.back.destage.pace_changed());
        match next {
            Next::Wanted => wanted.await,
            Next::Within(pause) => {
                select(pin!(wanted), pin!(cache.pool.host.sleep(pause))).await;
            }
            Next::After(pause) => {
                select(pin!(changed), pin!(cache.pool.host.sleep(pause))).await;
            }
        }
    }
}

/// A disk whose requests go through the cache.
///
/// Guarantees: a write is acknowledged when the backing has it, or in write-back the log on flash; a read that starts after that sees it;
/// overlapping writes take effect one after another; after a write that the backing failed its range is read from the backing for good.
/// Dirty data is served from flash in every mode, or reads of it fail.
pub struct CachedDisk<E: Env> {
    pub(super) ctx: Ctx<E>,
    /// Held between [`CachedDisk::quiesce`] and [`CachedDisk::resume`].
    quiesced: RefCell<Option<Hold<E>>>,
    /// The end of the last second that was counted as active.
    pub(super) active_until: Cell<u64>,
    predicted: Cell<Option<LastPrediction>>,
    pub(super) measured: Cell<RequestTimes>,
}

/// The last prediction.
#[derive(Clone, Copy)]
struct LastPrediction {
    at: u64,
    /// Number of reads at that time; `cache_bytes_max` is the size that it is for.
    reads: u64,
    cache_bytes_max: u64,
    hit_ratios: [Option<f64>; 2],
}

/// A disk of which destage has no request at the backing, and sends none as long as this guard lives: to be released.
pub struct AtRest<'a, E: Env> {
    pub(super) disk: &'a CachedDisk<E>,
    pub(super) destaging: MutexGuard<'a, ()>,
}

/// The flushes of a disk, none of which runs as long as this guard lives.
pub struct HeldFlushes<'a> {
    gate: &'a FlushGate,
    _running: MutexGuard<'a, ()>,
}

impl HeldFlushes<'_> {
    /// Ends flushes for good if none ever failed: then the disk can be released, because there is no failure to carry over. Returns false
    /// otherwise, and flushes go on.
    pub fn stop(self) -> bool {
        self.gate.stop()
    }
}

impl<E: Env> CachedDisk<E> {
    pub(super) fn new(cache: Rc<DiskCache<E>>, backing: E::Backing) -> Self {
        Self {
            ctx: Ctx::new(cache, backing),
            quiesced: RefCell::default(),
            active_until: Cell::default(),
            predicted: Cell::default(),
            measured: Cell::default(),
        }
    }

    /// Returns the read, write or flush that ended last. A caller that awaited one has its times here until the next `.await`, without
    /// reading a clock: that would cost a hit in RAM a hundredth of its time, each time.
    pub fn measured(&self) -> RequestTimes {
        self.measured.get()
    }

    /// Returns the device behind the cache.
    pub fn backing(&self) -> &E::Backing {
        &self.ctx.backing
    }

    /// Returns true if all pages that share a byte with `range` are cached. Touches nothing.
    pub fn has(&self, range: &ByteRange) -> bool {
        self.ctx.cache.has_all(range)
    }

    /// Returns true if a page is in RAM. Touches nothing: for simulations.
    pub fn has_in_ram(&self, page: PageNumber) -> bool {
        self.ctx.cache.ram.borrow().contains(page)
    }

    /// Returns true if flash has a copy of a page. Touches nothing: for simulations.
    pub fn has_on_flash(&self, page: PageNumber) -> bool {
        self.ctx.cache.on_flash(page).is_some()
    }

    /// Returns what RAM or flash has of the page with this number, for a backing that lost it. Never reads the backing, and counts as no use of the page.
    pub async fn cached_copy(&self, page: u64) -> CachedCopy {
        cached_copy(&self.ctx, PageNumber(page)).await
    }

    /// Returns the settings of the disk's cache.
    pub fn settings(&self) -> DiskSettings {
        *self.ctx.cache.settings.borrow()
    }

    /// Compares the parts of the catalog with each other. Visits every cached page: for simulations and tests.
    ///
    /// # Panics
    /// If they do not agree.
    pub fn check_catalog(&self) {
        self.ctx.cache.catalog.check();
    }

    /// Returns the counters alone, as in [`Self::statistics`], without predicting hit ratios.
    pub fn counts(&self) -> DiskCounts {
        self.ctx.cache.counters.snapshot()
    }

    /// Returns counters, latencies and the content of the cache in numbers. Takes constant time.
    pub fn statistics(&self) -> DiskStatistics {
        let cache = &self.ctx.cache;
        let counts = self.counts();
        let settings = cache.settings.borrow();
        let (catalog, ram) = (cache.catalog.counts(), cache.ram.borrow());
        let (held, mirrored, uncopied) = {
            let segments = cache.pool.segments();
            let held = u64::from(segments.held(cache.id));
            (held, segments.is_mirrored(cache.id), segments.uncopied(cache.id))
        };
        let dirty_room = cache.dirty_room();
        let usable_bytes = u64::from(cache.pool.segments().usable()) * cache.pool.layout().segment_bytes();
        let cache_bytes_max = settings.limit_bytes.min(usable_bytes) + settings.ram_bytes;
        let [hit_ratio_at_half, hit_ratio_at_double] = self.predicted(cache_bytes_max, counts.reads);
        let hits = counts.read_hits_ram + counts.read_hits_flash;
        DiskStatistics {
            counts,
            hit_ratio: ratio(hits, counts.reads),
            cached_bytes: catalog.pages * block::PAGE,
            flash_bytes: held * cache.pool.layout().segment_bytes(),
            ram_bytes: ram.len() as u64 * block::PAGE,
            cache_bytes_max,
            hit_ratio_at_half,
            hit_ratio_at_double,
            dirty_bytes: catalog.dirty_pages * block::PAGE,
            dirty_zeroes_bytes: catalog.dirty_zero_pages * block::PAGE,
            dirty_limit_bytes: dirty_room.limit_bytes,
            dirty_room,
            lost_bytes: catalog.lost_pages * block::PAGE,
            mirrored,
            segments_uncopied: uncopied,
            destage_bytes_per_second: if catalog.is_clean { 0 } else { cache.back.destage.rate() },
            dirty_for_seconds: cache.back.destage.dirty_for(cache.pool.host.now()) / SECOND_NS,
            destage_failure: cache.back.destage.failure_statistics(cache.pool.host.now()),
            stopped: cache.back.stop.get(),
            blocks_max: settings.limit_bytes / u64::from(settings.block_bytes),
            blocks_cached: catalog.blocks,
            index_bytes: catalog.bytes + cache.policy.borrow().bytes(),
            load: cache.load.borrow().clone(),
            latencies: cache.latencies.snapshot(),
            histograms: Box::new(cache.requests.snapshot(&cache.latencies)),
        }
    }

    /// Returns the hit ratios at half and at twice this size. A result less than a second old is returned again unless it would differ
    /// much: computing it takes longer than all the rest of [`Self::statistics`], which may be called ten times a second.
    fn predicted(&self, cache_bytes_max: u64, reads: u64) -> [Option<f64>; 2] {
        let now = self.ctx.cache.pool.host.now();
        let is_good = |known: &LastPrediction| {
            let more = reads - known.reads;
            known.cache_bytes_max == cache_bytes_max
                && (more == 0 || now < known.at + SECOND_NS && more < known.reads / PREDICTED_PART)
        };
        if let Some(known) = self.predicted.get().filter(is_good) {
            return known.hit_ratios;
        }
        let hit_ratios = self.ctx.cache.curve.borrow().hit_ratios([cache_bytes_max / 2, cache_bytes_max * 2]);
        self.predicted.set(Some(LastPrediction { at: now, reads, cache_bytes_max, hit_ratios }));
        hit_ratios
    }

    /// Drops everything that is cached of this disk, durably: it does not return at the next start either. Dirty data is destaged first.
    /// Guests go on; they read from the backing.
    ///
    /// # Errors
    /// If destage fails; or if the flash failed, and that could not be remembered elsewhere: its content may return.
    pub async fn evict(&self) -> Result<(), BlockError> {
        let clean = back::hold(&self.ctx.cache);
        clean.clean().await?;
        invalidate_disk(&self.ctx.cache).await
    }

    /// Returns true while destage has requests at the backing, or is about to record their completion in the log.
    pub fn is_destaging(&self) -> bool {
        self.ctx.cache.back.destage.is_in_flight()
    }

    /// Hands over the redo ring of a disk whose order of destage is consistent: a new one, or the one of its last process. `wall_clock`
    /// gives the times of groups, for people. It is read as each group begins, because it may be set at any time.
    ///
    /// A disk that was attached in consistent order destages nothing until then, and no write goes past the log; so a ring that promises
    /// something is believed. Otherwise, and if it promises nothing, it is made void first, and nothing is held back until everything that is
    /// dirty fits into a group.
    ///
    /// Does nothing if the backing has [`Geometry::atomic_flushes`]: it gets the groups itself, in any order of destage. See
    /// [`CachedDisk::set_wall_clock`].
    pub fn set_redo_ring(self: &Rc<Self>, ring: RedoRing<E::Backing>, wall_clock: WallClock) {
        if self.ctx.cache.consistent.set_ring(ring, wall_clock) {
            self.ctx.cache.pool.host.spawn(write_groups(Rc::downgrade(self)));
        }
    }

    /// Sets the clock for people that gives the times of groups, for a disk whose backing has [`Geometry::atomic_flushes`]. Until then all of
    /// them are 0; to be called once the disk is attached, before anything is awaited.
    pub fn set_wall_clock(&self, wall_clock: WallClock) {
        self.ctx.cache.consistent.set_wall_clock(wall_clock);
    }

    /// Ends the use of the redo ring, after [`crate::Cache::reconfigure`] chose another order of destage. Waits until the ring promises
    /// nothing, durably; then the disk drops it, and its storage may be removed. Does nothing without a ring. Another one may be handed over
    /// later.
    ///
    /// # Errors
    /// `InvalidRequest` if the order of destage is consistent; or if the ring fails for long, the disk stopped or leaves: then the ring stays.
    pub async fn leave_redo_ring(&self) -> Result<(), BlockError> {
        consistent::leave_ring(&self.ctx.cache).await
    }

    /// Returns the redo ring, to be made void once the disk is detached and clean; none without one.
    pub fn redo_ring(&self) -> Option<Rc<RedoRing<E::Backing>>> {
        self.ctx.cache.consistent.ring()
    }

    /// Has the disk belong to a consistency set: from its next group on, its groups count only together with those of the other disks of the
    /// set, which live on the same shard. To be called before [`CachedDisk::set_redo_ring`] if the ring was part of the set before, because
    /// only the whole set knows whether its last group counts; otherwise at any time.
    ///
    /// # Errors
    /// `InvalidRequest` if the disk belongs to another set, or its backing has [`Geometry::atomic_flushes`]: it gets groups without a ring.
    pub fn join_set(&self, set: &Rc<ConsistencySet<E>>) -> Result<(), BlockError> {
        let cache = &self.ctx.cache;
        let refused = |reason: &str| {
            Err(BlockError::anywhere(ErrorKind::InvalidRequest, Operation::Write).because(reason))
        };
        if self.ctx.backing.geometry().atomic_flushes {
            return refused(
                "a backing with atomic flushes gets groups by itself, so its disk joins no consistency set",
            );
        }
        let is_other = |ours| !std::ptr::addr_eq(Rc::as_ptr(&ours), Rc::as_ptr(set));
        if cache.consistent.set().is_some_and(is_other) {
            return refused("the disk belongs to another consistency set, which it has to leave first");
        }
        let ours = Rc::clone(set);
        cache.consistent.join_set(ours);
        set.join(cache);
        Ok(())
    }

    /// Has the disk leave its consistency set: its ring goes on alone, durably, and keeps what it promises. Waits for a cut that is on its
    /// way. The caller lowers [`ConsistencySet::set_expected`] afterwards. Does nothing without a set.
    ///
    /// # Errors
    /// If the ring fails; then the disk is still a member, and the call may be repeated.
    pub async fn leave_set(&self) -> Result<(), BlockError> {
        consistency_set::leave(&self.ctx.cache).await
    }

    /// Returns the state of consistent write-back; none without a ring, unless the backing gets the groups itself.
    pub fn consistency(&self) -> Option<ConsistencyStatistics> {
        self.ctx.cache.consistency_statistics()
    }

    /// Starts to destage everything that is dirty at full speed, once; guests go on. [`CachedDisk::statistics`] shows the progress.
    pub fn start_destage(&self) {
        self.ctx.cache.back.destage.request_all();
    }

    /// Destages the same as fast as the backing can, whatever [`DiskSettings::destage_rate_max`] is, until nothing is dirty: for flash that
    /// is about to be lost.
    pub fn hurry_destage(&self) {
        self.ctx.cache.back.destage.hurry();
    }

    /// Withdraws the request to destage everything.
    pub fn stop_destage(&self) {
        self.ctx.cache.back.destage.cancel_request();
    }

    /// Makes the backing complete for a backup or a snapshot of it, until [`CachedDisk::resume`]: it durably holds all data that was
    /// acknowledged before the call.
    ///
    /// In consistent write-back the backing is the disk as of one time from then on, which [`CachedDisk::consistency`] has, and guests go on
    /// writing back. That ends early if a request has to wait for destage, as at the dirty limit ([`CachedDisk::quiesce_ended`]). In any
    /// other case nothing becomes dirty, as after [`CachedDisk::destage_all`].
    ///
    /// # Errors
    /// If destage, a flush or the redo ring fails; then the call has no effect, save that it ends an earlier one.
    pub async fn quiesce(self: &Rc<Self>) -> Result<(), BlockError> {
        if !self.ctx.cache.wants_consistency() {
            return self.destage_all().await;
        }
        let request = PauseRequest::new(&self.ctx.cache);
        pause::catch_up(&self.ctx.cache).await?;
        let (ours, turn) = (Rc::clone(self), request.turn());
        // The caller may drop this wait, and a replay that is dropped halfway would end the use of the ring.
        self.ctx.cache.pool.host.to_its_end(async move { pause::pause(&ours.ctx, turn).await }).await
    }

    /// Runs `work` while the backing is the disk as of one time, durably, for a snapshot of it: with all data that was acknowledged before the
    /// call, or as of the time of a [`CachedDisk::quiesce`] that has not ended. Returns that time as well, in nanoseconds since 1970, if it is
    /// known.
    ///
    /// In consistent write-back to a backing with [`Geometry::atomic_flushes`], guests go on writing back, and the next group waits for the
    /// end of `work`. In any other case nothing becomes dirty until then, and writes of guests go to the backing.
    ///
    /// # Errors
    /// If destage or a flush fails, or the last group did; then `work` did not begin.
    pub async fn with_settled_backing<T: 'static>(
        self: &Rc<Self>,
        work: impl Future<Output = T> + 'static,
    ) -> Result<(T, Option<u64>), BlockError> {
        let cache = &self.ctx.cache;
        if !cache.wants_consistency() || !cache.consistent.is_to_backing() {
            let hold = back::hold(cache);
            hold.clean().await?;
            self.flush_for_ourselves().await?;
            let held = async move {
                let done = work.await;
                drop(hold);
                done
            };
            return Ok((cache.pool.host.to_its_end(held).await, None));
        }
        if !self.is_paused() {
            pause::catch_up(cache).await?;
        }
        let ours = Rc::clone(self);
        let between = async move { pause::between_groups(&ours.ctx, work).await };
        let (done, as_of) = cache.pool.host.to_its_end(between).await?;
        Ok((done, Some(as_of)))
    }

    /// Waits until a [`CachedDisk::quiesce`] ends before it is resumed, and returns the reason: destage goes on, so the backing is a mix.
    pub async fn quiesce_ended(&self) -> String {
        self.ctx.cache.consistent.pause.ended().await
    }

    /// Destages everything, and lets nothing become dirty until [`CachedDisk::resume`]: writes of guests go to the backing meanwhile. Once
    /// this returns, the backing durably holds all data that was acknowledged before.
    ///
    /// # Errors
    /// If destage or a flush fails; then the call has no effect.
    pub async fn destage_all(self: &Rc<Self>) -> Result<(), BlockError> {
        let hold = back::hold(&self.ctx.cache);
        hold.clean().await?;
        self.flush_for_ourselves().await?;
        // The end of an earlier pause is not that of this hold.
        pause::resume(&self.ctx.cache);
        self.quiesced.replace(Some(hold));
        Ok(())
    }

    /// Flushes as for a guest, on behalf of the daemon: a failure that guests have to see is reported to them all the same.
    ///
    /// # Errors
    /// As a flush; also if an earlier one failed and guests have not seen that yet.
    pub async fn flush_for_ourselves(self: &Rc<Self>) -> Result<(), BlockError> {
        let ours = Rc::clone(self);
        let flushed = async move {
            ours.ready(Operation::Flush).await?;
            flush::flush(&ours.ctx, Asker::Ourselves).await
        };
        // The caller may drop this wait, and a flush that fails concerns every client.
        self.ctx.cache.pool.host.to_its_end(flushed).await
    }

    /// Ends a [`CachedDisk::quiesce`] or [`CachedDisk::destage_all`]. Returns true if there was one.
    pub fn resume(&self) -> bool {
        let was_paused = pause::resume(&self.ctx.cache);
        self.quiesced.take().is_some() || was_paused
    }

    /// Returns true while the backing is the disk as of one time, and guests go on writing back.
    pub fn is_paused(&self) -> bool {
        self.ctx.cache.consistent.pause.as_of().is_some()
    }

    /// Returns true between [`CachedDisk::quiesce`] or [`CachedDisk::destage_all`] and [`CachedDisk::resume`].
    pub fn is_quiesced(&self) -> bool {
        self.quiesced.borrow().is_some() || self.is_paused()
    }

    /// Returns the bytes that flash lost before the backing had them: reads of them fail until they are written again. At most `most`
    /// ranges.
    pub fn lost(&self, most: usize) -> Vec<ByteRange> {
        let size = self.ctx.cache.size();
        let bytes = |pages: std::ops::Range<u64>| {
            ByteRange::new(pages.start * block::PAGE, (pages.end * block::PAGE).min(size))
        };
        self.ctx.cache.catalog.with_dirty(|dirty| dirty.lost().iter().take(most).map(bytes).collect())
    }

    /// Prepares the disk for [`Self::grow`], while guests go on: the page that the disk's end cuts is destaged, and dropped durably from
    /// the cache. As long as the returned guard lives, that page is neither cached nor written. Nothing needs to be undone if the disk does
    /// not grow after all.
    ///
    /// # Errors
    /// If that page cannot be destaged, or the disk stopped; or if the flash failed and that cannot be remembered.
    pub async fn prepare_to_grow(&self) -> Result<DiskGrowth<E>, BlockError> {
        self.ready(Operation::Write).await?;
        grow::prepare(&self.ctx).await
    }

    /// The disk has `disk_bytes` from now on, which its backing has, and which is remembered durably for the next start.
    /// `touched` are bits that begin with those that it has, in the same memory. In one step; no request has to wait for it.
    pub fn grow(&self, growing: DiskGrowth<E>, disk_bytes: u64, touched: Rc<dyn SharedBits>) {
        assert!(disk_bytes <= self.ctx.backing.geometry().size, "a disk ends with its backing at the latest");
        grow::grow(&self.ctx.cache, growing, disk_bytes, touched);
    }

    /// Stops the disk for good: every later request is an error, and its segments on flash stay as they are. For a backing that others may
    /// have changed.
    pub fn stop(&self, reason: String) {
        self.ctx.cache.stop(reason);
    }

    /// Returns true if flash may hold something that the backing does not have.
    pub fn holds_dirty(&self) -> bool {
        !self.ctx.cache.is_clean()
    }

    /// Waits until it is known what is dirty. Then the disk answers, if it has not stopped.
    async fn ready(&self, operation: Operation) -> Result<(), BlockError> {
        if self.ctx.cache.may_hold_dirty() {
            let known = back::wait_until_known(&self.ctx.cache).await;
            return known.map_err(|error| BlockError { operation, ..error });
        }
        Ok(())
    }

    /// Waits until previously cached content is loaded or invalidated; or until the disk leaves before that, with the state `Running`.
    pub async fn loaded(&self) -> LoadStatistics {
        let done = self.ctx.cache.loaded.notified();
        if self.ctx.cache.is_loading() && !self.ctx.cache.leaving.get() {
            done.await;
        }
        self.ctx.cache.load.borrow().clone()
    }

    /// Returns true if another shard can attach the disk from flash and the touched-page bits: previously cached content is loaded, and
    /// there is no failure to remember. A failed write leaves its range out of the cache, and a failed flush has all later ones fail; both
    /// are known here only.
    pub fn is_fit_to_move(&self) -> bool {
        let pool_is_fit = !self.ctx.cache.pool.is_failed() && self.ctx.cache.flash_void.get().is_none();
        let nothing_failed = !self.ctx.cache.coherence.distrusts_anything() && !self.ctx.flushes.has_failed();
        // Lost connections cost content: noticed here, or nowhere.
        let loss_is_noticed = self.ctx.cache.coherence.epoch() == self.ctx.backing.epoch();
        pool_is_fit && nothing_failed && loss_is_noticed && !self.ctx.cache.is_loading()
    }

    /// Returns counters and latencies so far.
    pub fn tally(&self) -> Tally {
        Tally::of(&self.ctx.cache.counters, &self.ctx.cache.latencies, &self.ctx.cache.requests)
    }

    /// Returns the predicted results of caches of other sizes, from recent requests of guests: in every mode, since the disk was attached,
    /// carried from shard to shard.
    pub fn curves(&self) -> Curves {
        self.ctx.cache.curve.borrow().curves()
    }

    /// Returns the bytes of RAM that this takes.
    pub fn curve_bytes(&self) -> u64 {
        self.ctx.cache.curve.borrow().bytes()
    }

    /// Returns what was learned of the disk, as bytes for [`LearnedState::decode`]: the worth of its blocks, ghosts, and the curve. About 2
    /// bytes for each block that the cache can hold, 3 for each on flash, and up to a mebibyte; of a cache of more than 33 million blocks
    /// the curve alone. None if the disk is detached meanwhile. Takes steps of about a millisecond, between which guests are served, and
    /// ends by itself; can be dropped at any time. Holds what is cached, and not the backing.
    pub fn save_learned(&self) -> impl Future<Output = Option<Vec<u8>>> + use<E> {
        let cache = Rc::clone(&self.ctx.cache);
        async move { learned_state::save(&cache).await }
    }

    /// Goes on with learned state, if the disk's content on flash counts. To be called once it is attached, before anything is awaited.
    pub fn restore_learned(&self, state: LearnedState) {
        learned_state::restore(&self.ctx.cache, state);
        self.predicted.set(None);
    }

    /// Adds the counters and latencies of another shard.
    pub fn count_on(&self, tally: &Tally) {
        tally.add_to(&self.ctx.cache.counters, &self.ctx.cache.latencies, &self.ctx.cache.requests);
    }

    /// Waits for the flush that is running, which may be one of our own, and lets no other begin as long as the returned guard lives.
    pub async fn hold_flushes(&self) -> HeldFlushes<'_> {
        HeldFlushes { gate: &self.ctx.flushes, _running: self.ctx.flushes.hold().await }
    }

    /// Waits for destage requests at the backing, and lets no more be sent as long as the returned guard lives. The code that gives up on
    /// an unanswered request must know about it by then.
    pub async fn stop_destaging(&self) -> AtRest<'_, E> {
        AtRest { disk: self, destaging: self.ctx.cache.back.destage.lock().await }
    }

    async fn settle_backing(&self) -> bool {
        close_intents::settle_backing(&self.ctx).await
    }

    pub(super) async fn close_idle_regions(&self) {
        close_intents::close_idle(&self.ctx).await;
        if !self.ctx.cache.pool.is_failed() {
            back::mark_clean(&self.ctx.cache).await;
        }
    }

    fn check(&self, operation: Operation, offset: u64, length: u64) -> Result<ByteRange, BlockError> {
        let refused = |_: &BlockError| _ = self.end(self.ctx.cache.pool.host.now());
        self.geometry().check(operation, offset, length).inspect_err(refused)
    }
}

impl<E: Env> BlockDevice for CachedDisk<E> {
    fn geometry(&self) -> Geometry {
        let geometry = self.ctx.backing.geometry();
        let settings = self.ctx.cache.settings.borrow();
        let read_only = geometry.read_only || settings.read_only;
        let sector = settings.sector_bytes.unwrap_or(geometry.sector);
        // What flash has is durable whatever the backing does.
        Geometry { size: self.ctx.cache.size(), read_only, sector, atomic_flushes: false, ..geometry }
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        let range = match self.check(Operation::Read, offset, buffer.len() as u64) {
            Ok(range) if range.is_empty() => return (buffer, Ok(())),
            Ok(range) => range,
            Err(error) => return (buffer, Err(error)),
        };
        let started = self.ctx.cache.pool.host.now();
        let _in_flight = self.ctx.cache.requests.reads.arrive(&range, started);
        if let Err(error) = self.ready(Operation::Read).await {
            self.end(started);
            return (buffer, Err(error));
        }
        let in_long_run = self.ctx.cache.missed_reads.borrow().goes_on_long(range.start);
        let arrival = self.ctx.cache.note_access(&range, By::Read, in_long_run);
        let (outcome, answer) = read::read(&self.ctx, range, arrival, buffer).await;
        if outcome.1.is_ok() {
            let ended = self.record(latency_of(answer), started);
            self.count_read(&range, answer, ended);
            self.balance_reads(&range, answer, self.measured.get());
        } else {
            self.end(started);
        }
        outcome
    }

    fn try_read_cached(&self, wanted: &mut [WantedRange], take: &mut dyn FnMut(usize, &[u8])) {
        let (cache, geometry) = (&self.ctx.cache, self.geometry());
        let is_sound = |range: &ByteRange| {
            !range.is_empty() && geometry.check(Operation::Read, range.start, range.len()).is_ok()
        };
        let mut found = CachedReads::default();
        found.find(&self.ctx, wanted, is_sound);
        if found.is_empty() {
            return;
        }
        // Work that this thread has done since the last reading of the clock counts as a part of their latency.
        let started = cache.pool.host.recently();
        let given = || wanted.iter().filter(|read| read.given).map(|read| &read.range);
        let arrive = |range| cache.requests.reads.arrive(range, started);
        let in_flight: SmallVec<[InFlight<'_>; TOGETHER]> =
            found.fetch_first(cache, || given().map(arrive).collect());
        let learn = |range: &ByteRange| _ = cache.note_access(range, By::Read, false);
        found.give(cache, wanted, take, learn, |range| self.count_read(range, Answer::Ram, started));
        let RequestTimes { came, ended } = self.end(started);
        in_flight.iter().for_each(|_| cache.latencies.record(Latency::ReadHitRam, ended - came));
    }

    fn prefetch(&self, range: ByteRange) {
        prefetch_first_page(&self.ctx.cache, &range);
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        let range = match self.check(Operation::Write, offset, buffer.len() as u64) {
            Ok(range) if range.is_empty() => return (buffer, Ok(())),
            Ok(range) => range,
            Err(error) => return (buffer, Err(error)),
        };
        let started = self.ctx.cache.pool.host.now();
        let _in_flight = self.ctx.cache.requests.writes.arrive(&range, started);
        if let Err(error) = self.ready(Operation::Write).await {
            self.end(started);
            return (buffer, Err(error));
        }
        self.ctx.cache.note_access(&range, By::Write, false);
        let outcome = write::write(&self.ctx, range, buffer).await;
        if outcome.1.is_ok() {
            let now = self.count_write(&range, started);
            // Written around it, nothing enters the cache.
            if self.ctx.cache.settings.borrow().mode != Mode::WriteAround {
                self.ctx.cache.curve.borrow_mut().observe(&range, Use::Write, now);
            }
        } else {
            self.end(started);
        }
        outcome
    }

    async fn flush(&self) -> Result<(), BlockError> {
        let started = self.ctx.cache.pool.host.now();
        let result = match self.ready(Operation::Flush).await {
            // Large futures are on the heap: otherwise each request of a door would have room for them.
            Ok(()) => Box::pin(flush::flush(&self.ctx, Asker::Guest)).await,
            error => error,
        };
        count(&self.ctx.cache.counters.flushes, 1);
        if result.is_err() {
            count(&self.ctx.cache.counters.backing_errors, 1);
        }
        self.record(Latency::Flush, started);
        result
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        let range = self.check(Operation::WriteZeroes, range.start, range.len())?;
        if range.is_empty() {
            return Ok(());
        }
        let started = self.ctx.cache.pool.host.now();
        let _in_flight = self.ctx.cache.requests.writes.arrive(&range, started);
        let done = match self.ready(Operation::WriteZeroes).await {
            Ok(()) => Box::pin(zeroes::write_zeroes(&self.ctx, range, unmap)).await,
            error => error,
        };
        if done.is_err() {
            self.end(started);
            return done;
        }
        // Zeroes are not cached, so the curve does not hear of them.
        self.count_write(&range, started);
        Ok(())
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        let range = self.check(Operation::Discard, range.start, range.len())?;
        count(&self.ctx.cache.counters.discards, 1);
        if range.is_empty() {
            return Ok(());
        }
        self.ready(Operation::Discard).await?;
        Box::pin(zeroes::discard(&self.ctx, range)).await
    }

    async fn extents(&self, range: ByteRange) -> Result<Vec<Extent>, BlockError> {
        let range = self.check(Operation::Read, range.start, range.len())?;
        self.ready(Operation::Read).await?;
        extents::extents(&self.ctx, range).await
    }
}
