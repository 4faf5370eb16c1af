//! A cached disk: the same face as the device that it wraps.

use std::rc::{Rc, Weak};

use block::{
    BlockDevice, BlockError, Buffer, ByteRange, Extent, Geometry, Host, Operation, Outcome, RangeLock, Unmap,
};

use crate::journeys::disk_cache::DiskCache;
use crate::journeys::flush::FlushGate;
use crate::journeys::read::Answer;
use crate::journeys::void::make_void;
use crate::journeys::{quiet, read, write, zeroes};
use crate::words::settings::DiskSettings;
use crate::words::stats::{DiskStatistics, Latency, LoadStatistics, Tally, count, ratio};

/// How often regions are looked at, to close those that nothing changed since the last look: nanoseconds. A power cut
/// costs the content of the regions that were written in the last minute. Looking more often would cost a guest that
/// writes all over its disk an intent for each write, and flash the wear of it.
const LOOK_INTERVAL_NS: u64 = 30_000_000_000;

/// How long it takes until a backing that failed its first flush is asked for another: nanoseconds.
const SETTLE_RETRY_NS: u64 = 1_000_000_000;

/// Has the backing settle, until it has or the disk is gone.
pub(super) async fn settle<B: BlockDevice, F: BlockDevice, H: Host>(disk: Weak<CachedDisk<B, F, H>>) {
    while let Some(disk) = disk.upgrade().filter(|disk| !disk.cache.leaving.get()) {
        if disk.settle_backing().await {
            return;
        }
        let host = disk.cache.pool.host.clone();
        drop(disk);
        host.sleep(SETTLE_RETRY_NS).await;
    }
}

/// Closes regions that came to rest, until the disk is gone.
pub(super) async fn look_after<B: BlockDevice, F: BlockDevice, H: Host>(disk: Weak<CachedDisk<B, F, H>>) {
    loop {
        let Some(host) = disk.upgrade().map(|disk| disk.cache.pool.host.clone()) else { return };
        host.sleep(LOOK_INTERVAL_NS).await;
        match disk.upgrade() {
            Some(disk) if !disk.cache.leaving.get() => disk.close_idle_regions().await,
            _ => return,
        }
    }
}

/// A disk whose requests go through the cache.
///
/// Guarantees, as far as the modes without write-back go: a write is acknowledged when the backing has it; a read that
/// starts after that sees it; overlapping writes take effect one after another; after a failed write its range is read
/// from the backing for good.
pub struct CachedDisk<B, F: BlockDevice, H: Host> {
    pub(super) cache: Rc<DiskCache<F, H>>,
    backing: B,
    locks: RangeLock,
    flushes: FlushGate,
}

impl<B: BlockDevice, F: BlockDevice, H: Host> CachedDisk<B, F, H> {
    pub(super) fn new(cache: Rc<DiskCache<F, H>>, backing: B) -> Self {
        let flushes = FlushGate::new(backing.epoch());
        Self { cache, backing, locks: RangeLock::new(), flushes }
    }

    /// The device behind the cache.
    pub fn backing(&self) -> &B {
        &self.backing
    }

    /// How the disk is cached.
    pub fn settings(&self) -> DiskSettings {
        *self.cache.settings.borrow()
    }

    /// Counters, latencies and what the cache holds. Takes constant time.
    pub fn statistics(&self) -> DiskStatistics {
        let cache = &self.cache;
        let counts = cache.counters.snapshot();
        let settings = cache.settings.borrow();
        let (index, ram) = (cache.index.borrow(), cache.ram.borrow());
        let held = u64::from(cache.pool.segments().held(cache.id));
        let hits = counts.read_hits_ram + counts.read_hits_flash;
        DiskStatistics {
            counts,
            hit_ratio: ratio(hits, counts.reads),
            cached_bytes: index.pages() * block::PAGE,
            flash_bytes: held * cache.pool.layout().segment_bytes(),
            ram_bytes: ram.len() as u64 * block::PAGE,
            blocks_max: settings.limit_bytes / u64::from(settings.block_bytes),
            blocks_cached: index.blocks(),
            index_bytes: index.bytes() + cache.policy.borrow().bytes(),
            load: cache.load.borrow().clone(),
            latencies: Latency::ALL.map(|(what, _)| cache.latencies.summary(what)),
        }
    }

    /// Drops everything that is cached of this disk, durably: it does not come back at the next start either. Guests go
    /// on; they read from the backing.
    ///
    /// # Errors
    /// If the flash failed, and that could not be remembered elsewhere: it may come back.
    pub async fn evict(&self) -> Result<(), BlockError> {
        make_void(&self.cache).await
    }

    /// Ready when what was cached before is known again, or known to be void; or when the disk leaves before that, with the
    /// state `Running`.
    pub async fn loaded(&self) -> LoadStatistics {
        let done = self.cache.loaded.notified();
        if self.cache.is_loading() && !self.cache.leaving.get() {
            done.await;
        }
        self.cache.load.borrow().clone()
    }

    /// True if another shard can take the disk up by what flash and the bits of touched pages say: what was cached before
    /// is known, and no failure has to be remembered. A failed write leaves its range out of the cache, and a failed flush
    /// has all later ones fail; both are known here only.
    pub fn is_fit_to_move(&self) -> bool {
        let pool_is_fit = !self.cache.pool.is_failed() && self.cache.flash_void.get().is_none();
        let nothing_failed = !self.cache.fills.borrow().distrusts_anything() && !self.flushes.has_failed();
        pool_is_fit && nothing_failed && !self.cache.is_loading()
    }

    /// What was counted and measured so far.
    pub fn tally(&self) -> Tally {
        Tally::of(&self.cache.counters, &self.cache.latencies)
    }

    /// Counts on from what was counted on another shard.
    pub fn count_on(&self, tally: &Tally) {
        tally.add_to(&self.cache.counters, &self.cache.latencies);
    }

    /// Waits for the flush that is running, which may be one of our own, and begins no other. True if none ever failed: then
    /// the disk can be released, for there is no failure that would have to go along. Else flushes go on as before.
    pub async fn stop_flushing(&self) -> bool {
        self.flushes.stop().await
    }

    async fn settle_backing(&self) -> bool {
        quiet::settle_backing(&self.cache, &self.backing, &self.flushes).await
    }

    pub(super) async fn close_idle_regions(&self) {
        quiet::close_idle(&self.cache, &self.backing, &self.flushes).await;
    }

    fn check(&self, operation: Operation, offset: u64, length: u64) -> Result<ByteRange, BlockError> {
        self.geometry().check(operation, offset, length)
    }

    fn count_read(&self, range: &ByteRange, answer: Answer, started: u64) {
        let counters = &self.cache.counters;
        let (latency, counter) = match answer {
            Answer::Ram => (Latency::ReadHitRam, &counters.read_hits_ram),
            Answer::Flash => (Latency::ReadHitFlash, &counters.read_hits_flash),
            Answer::Partial => (Latency::ReadMiss, &counters.read_partial_hits),
            Answer::Miss => (Latency::ReadMiss, &counters.read_misses),
            Answer::Bypass => (Latency::ReadMiss, &counters.reads_bypassed),
        };
        count(&counters.reads, 1);
        count(&counters.read_bytes, range.len());
        count(counter, 1);
        self.record(latency, started);
    }

    fn count_write(&self, range: &ByteRange, started: u64) {
        count(&self.cache.counters.writes, 1);
        count(&self.cache.counters.write_bytes, range.len());
        self.record(Latency::Write, started);
    }

    fn record(&self, what: Latency, started: u64) {
        self.cache.latencies.record(what, self.cache.pool.host.now() - started);
    }
}

impl<B: BlockDevice, F: BlockDevice, H: Host> BlockDevice for CachedDisk<B, F, H> {
    fn geometry(&self) -> Geometry {
        let geometry = self.backing.geometry();
        Geometry { read_only: geometry.read_only || self.cache.settings.borrow().read_only, ..geometry }
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        let range = match self.check(Operation::Read, offset, buffer.len() as u64) {
            Ok(range) if range.is_empty() => return (buffer, Ok(())),
            Ok(range) => range,
            Err(error) => return (buffer, Err(error)),
        };
        let started = self.cache.pool.host.now();
        let (outcome, answer) = read::read(&self.cache, &self.backing, &self.locks, range, buffer).await;
        if outcome.1.is_ok() {
            self.count_read(&range, answer, started);
        }
        outcome
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        let range = match self.check(Operation::Write, offset, buffer.len() as u64) {
            Ok(range) if range.is_empty() => return (buffer, Ok(())),
            Ok(range) => range,
            Err(error) => return (buffer, Err(error)),
        };
        let started = self.cache.pool.host.now();
        let outcome = write::write(&self.cache, &self.backing, &self.locks, range, buffer).await;
        if outcome.1.is_ok() {
            self.count_write(&range, started);
        }
        outcome
    }

    async fn flush(&self) -> Result<(), BlockError> {
        let started = self.cache.pool.host.now();
        let result = self.flushes.flush(&self.backing).await;
        count(&self.cache.counters.flushes, 1);
        if result.is_err() {
            count(&self.cache.counters.backing_errors, 1);
        }
        self.record(Latency::Flush, started);
        result
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        let range = self.check(Operation::WriteZeroes, range.start, range.len())?;
        if range.is_empty() {
            return Ok(());
        }
        let started = self.cache.pool.host.now();
        zeroes::write_zeroes(&self.cache, &self.backing, &self.locks, range, unmap).await?;
        self.count_write(&range, started);
        Ok(())
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        let range = self.check(Operation::Discard, range.start, range.len())?;
        count(&self.cache.counters.discards, 1);
        if range.is_empty() {
            return Ok(());
        }
        zeroes::discard(&self.cache, &self.backing, &self.locks, range).await
    }

    async fn extents(&self, range: ByteRange) -> Result<Vec<Extent>, BlockError> {
        self.backing.extents(range).await
    }
}
