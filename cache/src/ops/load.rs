//! Load: rebuilds the index of data that was cached before the process began, while guests are served from the backing.
//!
//! ```text
//!   segments, newest first:  summary (of the newest also headers) ── pages not indexed yet enter a new index
//!   samples are compared with the backing, if it may have changed
//!   pages that may have changed behind the log leave it ── the disk takes the index over, in one step
//! ```
//! [`Replay`] decides between versions of a page. If any of the log cannot be read, none of it is trusted:
//! the lost part might have contained `forget`.

use std::pin::pin;
use std::rc::Rc;
use std::sync::atomic::AtomicU64;

use block::{BlockDevice, BlockError, Buffer, Host, PAGE};
use futures_util::future::{join_all, select};

use super::back;
use super::ctx::Ctx;
use super::disk_cache::DiskCache;
use super::invalidate::invalidate_disk;
use super::learned_state;
use crate::format::checksum::page_checksum;
use crate::format::note::Intent;
use crate::format::summary::{Content, SummaryRun};
use crate::state::catalog::LoadedSegment;
use crate::state::replay::{RecoveryTrust, Replay, TailDamage};
use crate::state::write_intent_bitmap::{SharedBits, words_for};
use crate::storage::log::encode_summary;
use crate::storage::pool::FlashLost;
use crate::storage::reading::{SegmentContent, SegmentGeneration, Unreadable};
use crate::types::canary::{self, Bug};
use crate::types::env::Env;
use crate::types::error::CacheError;
use crate::types::limits::PAGE_BYTES;
use crate::types::stats::{LoadProgress, LoadStatistics, count};
use crate::types::units::PageNumber;

/// Recovery context of a disk when it is attached: the state of its previously cached data.
#[derive(Clone)]
pub struct RecoveryContext {
    /// Trust in the cached data.
    pub belief: RecoveryTrust,
    /// Size of the disk when it was last served, in bytes, if its backing may have grown since: the disk gets that size, and may
    /// [grow](crate::CachedDisk::grow). None: as large as its backing.
    pub disk_bytes: Option<u64>,
    /// A bit for each page of the disk, in memory that outlives the process if there is any.
    pub touched: Rc<dyn SharedBits>,
    /// Number of cached pages that are compared with the backing before any is trusted: 0 if the backing is known to be unchanged.
    pub samples: usize,
    /// True if its reservation was granted before. Then it is attached also when devices that left the pool took the room for it along:
    /// every disk keeps its part of the rest.
    pub granted: bool,
    /// Callback that durably records, elsewhere than on flash, that the disk's content on flash is void (rule I14). Called before a write
    /// without intent is sent to the backing, because the flash failed.
    pub flash_lost: FlashLost,
}

impl RecoveryContext {
    /// Returns the context of a new disk, for a pool that is not opened again, as in tests and measurements: nothing is remembered beyond
    /// the process.
    pub fn none(disk_bytes: u64) -> Self {
        let words: Box<[AtomicU64]> = (0..words_for(disk_bytes)).map(|_| AtomicU64::new(0)).collect();
        Self {
            belief: RecoveryTrust::Nothing("the disk is new".to_owned()),
            disk_bytes: None,
            touched: Rc::new(words),
            samples: 0,
            granted: false,
            flash_lost: Rc::new(|| Box::pin(std::future::ready(Ok(())))),
        }
    }
}

/// Segments that are read at once.
const READ_AHEAD: usize = 16;
/// Tries of reading a segment that the device fails to read, if the disk needs it, and the wait between them: nanoseconds.
const TRIES: usize = 5;
const RETRY_NS: u64 = 200_000_000;
/// Interval between checks whether a reclaim turn has ended: nanoseconds.
const TURN_NS: u64 = 1_000_000;
/// Backing reads of samples at once.
const SAMPLES_AT_ONCE: usize = 8;
/// Pages at the start of a disk that are preferred as samples: partition tables and superblocks change with every mount
/// and every repair.
const SAMPLED_START_PAGES: u64 = 1024;

/// State of the load.
struct LogLoader<'a, E: Env> {
    cache: &'a DiskCache<E>,
    /// Possible damage at the end of the log.
    tail: TailDamage,
    replay: Replay,
    /// Segments that were read.
    segments: Vec<LoadedSegment>,
    samples: Samples,
}

/// Restores the state that the previous process left: the open regions, and the pages that may have changed behind the log. Untrusted
/// content is invalidated, durably, before the first request.
///
/// # Errors
/// `Flash` if the invalidation could be made durable neither on flash nor elsewhere; `HoldsDirty` if it is not known that this is the
/// backing that the dirty data belongs to.
pub(crate) async fn take_up<E: Env>(cache: &DiskCache<E>, belief: &RecoveryTrust) -> Result<(), CacheError> {
    let has_dirty = cache.pool.open_intents_of(cache.id).contains(&Intent::DirtyData);
    if let (RecoveryTrust::Nothing(reason), true) = (belief, has_dirty) {
        return Err(CacheError::HoldsDirty(reason.clone()));
    }
    let reason = match belief {
        RecoveryTrust::DirtyOnly(_) if has_dirty => {
            // Clean cached data is void from now on: closing the regions records that for good.
            cache.pool.open_intents(cache.id, &[Intent::AllRegions]).await?;
            None
        }
        RecoveryTrust::Nothing(reason)
        | RecoveryTrust::DirtyOnly(reason)
        | RecoveryTrust::Invalidated(reason) => Some(reason),
        RecoveryTrust::ByPage | RecoveryTrust::ByRegion => None,
    };
    cache.coherence.restore(&cache.pool.open_intents_of(cache.id), belief);
    cache.back.set_marked_dirty(has_dirty);
    if let Some(reason) = reason {
        cache.load.borrow_mut().state = LoadProgress::Cold(reason.clone());
        invalidate_disk(cache).await?;
        cache.start_using_flash();
        back::mark_clean(cache).await;
    }
    Ok(())
}

/// Loads previously cached content, and lets the disk use its flash from then on. Ends early if the disk leaves.
pub(crate) async fn load<E: Env>(ctx @ Ctx { cache, .. }: &Ctx<E>, tail: TailDamage, samples: usize) {
    let _loading = cache.loading.lock().await;
    if cache.leaving.get() {
        return;
    }
    let started = cache.pool.host.now();
    while !load_once(ctx, tail, samples, started).await {}
}

/// Returns whether that was all: dirty data is loaded again if the block size changed meanwhile.
async fn load_once<E: Env>(
    Ctx { cache, backing, .. }: &Ctx<E>,
    tail: TailDamage,
    samples: usize,
    started: u64,
) -> bool {
    let ticket = cache.load_ticket.get();
    cache.restart_counting();
    let mut loading = LogLoader {
        cache,
        tail,
        replay: Replay::new(cache.block_pages(), cache.pool.layout().region_pages(), cache.pool.id().salt()),
        segments: Vec::new(),
        samples: Samples { most: samples, start: Vec::new(), elsewhere: Vec::new(), seen: 0 },
    };
    let read = match loading.read_all().await {
        Ok(()) => loading.compare(backing).await,
        Err(reason) => Err(reason),
    };
    let cancelled = || cache.leaving.get() || cache.load_ticket.get() != ticket;
    let state = match read {
        _ if cache.leaving.get() => return true,
        _ if cancelled() && cache.back.is_marked_dirty() => return false,
        _ if cancelled() => {
            LoadProgress::Cold("It was evicted, or its block size changed, while it was loaded".to_owned())
        }
        Ok(()) => {
            loading.hand_over();
            if canary::has(Bug::DropInMemory) {
                cache.coherence.untouch(0..u64::from(u32::MAX).min(cache.size() / PAGE));
            }
            LoadProgress::Done
        }
        Err(reason) if cache.back.is_marked_dirty() => {
            drop(loading);
            // It is unknown which pages are dirty, so none can be served.
            cache.stop(reason.clone());
            LoadProgress::Cold(reason)
        }
        Err(reason) => {
            drop(loading);
            tracing::warn!(disk = %cache.id, reason, "The cached data of the disk is dropped");
            if let Err(error) = invalidate_disk(cache).await {
                tracing::error!(disk = %cache.id, %error, "Dropped data may return at the next start");
            }
            LoadProgress::Cold(reason)
        }
    };
    let took_us = (cache.pool.host.now() - started) / 1000;
    let before = cache.load.borrow().clone();
    cache.load.replace(LoadStatistics { state, took_us, ..before });
    if cache.back.stop.is_set() {
        // Its segments stay as they are.
        cache.loaded.notify_waiters();
        return true;
    }
    cache.start_using_flash();
    cache.observe_dirty();
    // Writers that wait because they cannot go past the log have a log again.
    cache.back.destage.wake_waiters();
    cache.consistent.wake();
    learned_state::take_histories(cache).await;
    true
}

impl<E: Env> LogLoader<'_, E> {
    async fn read_all(&mut self) -> Result<(), String> {
        let cache = self.cache;
        self.let_turns_end().await;
        let wanted = cache.pool.all_wanted(cache.id);
        for (number, window) in wanted.chunks(READ_AHEAD).enumerate() {
            if !self.let_others_load_first().await {
                return Ok(());
            }
            let still = |wanted: &&SegmentGeneration| {
                cache.pool.segments().is_sealed(wanted.segment, (wanted.owner, wanted.generation))
            };
            // Reclaim can take only the oldest segments meanwhile, with clean content that is not indexed yet.
            let window: Vec<_> = window.iter().filter(still).copied().collect();
            let newest = |at: usize| (number == 0 && at == 0).then_some(self.tail);
            let reads = (0usize..).zip(&window).map(|(at, wanted)| self.read(*wanted, newest(at)));
            for (wanted, read) in window.iter().zip(join_all(reads).await) {
                if cache.leaving.get() {
                    return Ok(());
                }
                let contained = read.map_err(|error| error.of(wanted.segment))?;
                self.enter(*wanted, contained);
            }
        }
        Ok(())
    }

    /// Waits for the end of a reclaim turn that began before the disk was attached here, if something may be dirty: the segment is returned
    /// then, and its dirty data must not be missing from the load. No other turn begins before that.
    async fn let_turns_end(&self) {
        let Self { cache, .. } = self;
        let waits = || {
            let segments = cache.pool.segments();
            segments.is_dirty(cache.id) && segments.is_being_reclaimed(cache.id)
        };
        while !cache.leaving.get() && waits() {
            cache.pool.host.sleep(TURN_NS).await;
        }
    }

    /// Waits while disks are loaded whose guests wait for that. False if the disk leaves.
    async fn let_others_load_first(&self) -> bool {
        let cache = self.cache;
        let mut left = pin!(cache.loaded.notified());
        left.as_mut().enable();
        if !cache.back.is_marked_dirty() && !cache.leaving.get() {
            select(pin!(cache.pool.shared.dirty_first.passed()), left).await;
        }
        !cache.leaving.get()
    }

    /// Returns the content of a segment. The newest may lack its summary, which is written now: nothing is appended to it any more.
    async fn read(
        &self,
        wanted: SegmentGeneration,
        newest: Option<TailDamage>,
    ) -> Result<SegmentContent, Unreadable> {
        let pool = &self.cache.pool;
        let _pin = pool.pin_segment(wanted.segment);
        let mut contained = pool.reader().contained(wanted, newest).await;
        for _ in 0..TRIES {
            // Content that only flash has is worth another try.
            if !self.cache.back.is_marked_dirty() || !matches!(contained, Err(Unreadable::Device)) {
                break;
            }
            pool.host.sleep(RETRY_NS).await;
            contained = pool.reader().contained(wanted, newest).await;
        }
        let contained = contained?;
        if !contained.has_summary {
            self.seal(wanted, &contained.content).await.map_err(|_| Unreadable::Device)?;
        }
        Ok(contained)
    }

    /// Writes the summary that a segment lacks. Data first, as ever (rule I6).
    async fn seal(&self, wanted: SegmentGeneration, content: &Content) -> Result<(), BlockError> {
        let pool = &self.cache.pool;
        // A batch that was read from one copy only must be on both before it is used: that device may be the next to fail (rule I13).
        if !canary::has(Bug::EndsDiffer) {
            pool.make_equal(wanted, content).await?;
        }
        pool.flush_segment(wanted.segment).await?;
        let summary = encode_summary(pool, wanted.owner, wanted.segment, wanted.generation, content);
        let start = pool.layout().summary_start(wanted.segment);
        let bytes = pool.write(start, Buffer::copy_of(&summary)).await?;
        count(&self.cache.counters.flash_write_bytes, bytes);
        // As the log does when it closes a segment: before the next one is taken.
        pool.flush_segment(wanted.segment).await
    }

    /// Replays a segment.
    fn enter(&mut self, wanted: SegmentGeneration, contained: SegmentContent) {
        let cache = self.cache;
        let start = cache.pool.layout().segment_start(wanted.segment);
        let samples = &mut self.samples;
        let SegmentContent { content, forgets, .. } = contained;
        let is_touched = |page| cache.coherence.is_touched(page);
        let offer = |run: &SummaryRun, checksums: &[u32]| samples.offer(run, checksums, &cache.pool.host);
        let entered = self.replay.enter(start, &content, forgets, is_touched, offer);
        cache.load.borrow_mut().pages_dropped = self.replay.counts.dropped;
        let life = (wanted.segment, wanted.generation);
        cache.catalog.count_loaded(life, &content, &self.replay.dead);
        let SegmentGeneration { segment, generation, .. } = wanted;
        self.segments.push(LoadedSegment { segment, generation, entered });
    }

    /// Compares samples with the backing.
    async fn compare(&mut self, backing: &E::Backing) -> Result<(), String> {
        let whole_pages = self.cache.size() / PAGE;
        let samples = self.samples.take();
        let mut compared = 0;
        for some in samples.chunks(SAMPLES_AT_ONCE) {
            if self.cache.leaving.get() {
                return Ok(());
            }
            let current = |&&(page, checksum): &&(PageNumber, u32)| {
                let known = self.replay.index.get(page).is_some_and(|located| located.checksum == checksum);
                // The checksum may be that of a dirty version that looks like an older, clean one.
                let is_clean = !self.replay.dirty.has_page(page.0);
                known && is_clean && page.0 < whole_pages && !self.cache.coherence.is_touched(page)
            };
            let some: Vec<_> = some.iter().filter(current).collect();
            let reads = some.iter().map(|(page, _)| backing.read(page.offset(), Buffer::zeroed(PAGE_BYTES)));
            for ((page, checksum), (bytes, result)) in some.iter().zip(join_all(reads).await) {
                // A guest that wrote meanwhile has set the bit before its write was sent.
                if result.is_err() || self.cache.coherence.is_touched(*page) {
                    continue;
                }
                compared += 1;
                if page_checksum(&bytes) != *checksum {
                    return Err(format!(
                        "The backing was changed while Forebay did not run: page {} differs from the cached one",
                        page.0
                    ));
                }
            }
        }
        self.cache.load.borrow_mut().pages_compared = compared;
        Ok(())
    }

    /// Gives the index to the disk. In one step: pages that are touched or reclaimed at this moment leave it first.
    fn hand_over(self) {
        let Self { cache, replay, segments, .. } = self;
        let dropped =
            cache.catalog.take_over(replay.index, replay.dirty, &segments, cache.coherence.touched_runs());
        let mut load = cache.load.borrow_mut();
        load.pages_kept = cache.catalog.counts().pages;
        load.pages_dropped += dropped;
    }
}

/// Pages that are compared with the backing: from the start of the disk, and chosen by chance.
struct Samples {
    most: usize,
    start: Vec<(PageNumber, u32)>,
    elsewhere: Vec<(PageNumber, u32)>,
    seen: u64,
}

impl Samples {
    /// Considers a run that entered the index: its first page may become a sample, each run as likely as any other (Vitter, 1985, algorithm
    /// R).
    fn offer(&mut self, run: &SummaryRun, checksums: &[u32], host: &impl Host) {
        if self.most == 0 {
            return;
        }
        let sample = (run.page, checksums[0]);
        if run.page.0 < SAMPLED_START_PAGES && self.start.len() < self.most / 2 {
            self.start.push(sample);
            return;
        }
        self.seen += 1;
        if self.elsewhere.len() < self.most {
            self.elsewhere.push(sample);
        } else if let Some(kept) = self.elsewhere.get_mut((host.random() % self.seen) as usize) {
            *kept = sample;
        }
    }

    fn take(&mut self) -> Vec<(PageNumber, u32)> {
        let mut samples = std::mem::take(&mut self.start);
        samples.append(&mut self.elsewhere);
        samples
    }
}
