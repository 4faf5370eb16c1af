//! Destage: dirty data on flash is written to the backing, in the order of addresses (rule I9).
//!
//! ```text
//! 1. some runs of dirty pages are chosen, where each page is on flash is remembered, and the log is made durable
//! 2. those that are still there are read, from RAM or flash, and written to the backing, several at once
//! 3. flush of the backing, submitted after that, over the same connection
//! 4. under the lock of the log: `destaged` for those pages that are still where they were ── written
//! 5. they are clean
//! ```
//! A crash before 4 leaves everything dirty. Without the flush in 1, a power cut could erase the log entry of a page and leave the backing
//! changed: an older copy on flash would count as clean, and differ from that. Guests never wait for any of it: a page that is written
//! meanwhile goes to another place in the log, and stays dirty. A page has one destage in flight at most, because a round ends before the
//! next one begins.
//!
//! **A backing that fails** does not get requests again and again: a round ends with the first request that failed after its retry time, or
//! after some that were refused at once. The next round continues behind that, so that one bad place does not keep anything else from being
//! destaged.
//!
//! An entry `Home` (destaged) covers all that stands before it in the log. So one entry can cover everything from the first page to the
//! last one, as long as nothing in between is still dirty.

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use block::{BlockDevice, BlockError, Buffer, ByteRange, ErrorKind, Host, Operation, PAGE, Unmap};
use futures_util::future::join_all;

use super::ctx::Ctx;
use super::disk_cache::DiskCache;
use super::flash_run::{Fault, FlashRun};
use super::lost::{self, DamagedPage};
use super::reconnect::{is_same, notice};
use super::settle_log::settle_log;
use crate::format::batch::EntryKind;
use crate::state::catalog::ALL_PAGES;
use crate::state::dirty::{Dirty, DirtyRun};
use crate::state::index::FlashLocation;
use crate::state::ranges::Ranges;
use crate::state::segments::SegmentPurpose;
use crate::storage::pool::NoSegment;
use crate::types::canary::{self, Bug};
use crate::types::env::Env;
use crate::types::limits::{DESTAGE_PAGES_MAX, PAGE_BYTES, ROOM_WAIT_NS, ZEROES_PAGES_MAX};
use crate::types::stats::{Latency, count};
use crate::types::units::{FlashPage, PageNumber, Sequence};

/// Requests of a round that the backing may refuse at once (no room, no permission): then others would be refused as well.
const REFUSALS_MAX: u32 = 8;

/// Tries of a note that failed with its device, on other devices.
const NOTE_TRIES_MAX: u32 = 8;

/// Size of a round.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    /// Pages at most.
    pub(super) pages: u64,
    /// Requests to the backing at once.
    pub(super) width: usize,
}

/// The runs that a round destages.
struct Choice {
    runs: Vec<DirtyRun>,
    /// Address from which the next round continues.
    next: u64,
    /// True if these runs are all dirty pages, except stuck ones.
    is_all: bool,
}

/// Result of abandoning flash after everything was destaged.
enum AbandonResult {
    Behind,
    /// The backing was not given all.
    NotAll,
    /// It is left, but the segments cannot be freed.
    NotFreed,
}

/// Result of a round.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RoundResult {
    /// Bytes that were written to the backing.
    pub(super) bytes: u64,
    /// Runs that the backing was given.
    pub(super) runs: usize,
    /// Mean duration of a request to the backing, in nanoseconds, if the round used the full width.
    pub(super) request_nanos: Option<u64>,
    /// Something could not be.
    pub(super) failed: bool,
    /// Nothing of what is dirty may be destaged now: no group of the redo ring has it.
    pub(super) chose_nothing: bool,
    /// The address to go on from.
    pub(super) next: u64,
}

impl RoundResult {
    /// Returns true if there was nothing that could be tried.
    pub(super) fn is_nothing(&self) -> bool {
        self.runs == 0 && !self.failed
    }
}

/// Place of a page's content when it was read for the backing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PageLocation {
    page: u64,
    flash: FlashPage,
    generation: Sequence,
}

/// Versions that the backing is given.
#[derive(Clone, Copy)]
pub(super) enum GivenVersions<'a> {
    /// Those that are still where they were, by page.
    At(&'a [PageLocation]),
    /// Those of the group on its way: as of its beginning, where that is.
    OfGroup,
}

/// Pages that the backing has received.
#[derive(Default)]
pub(super) struct DestagedPages {
    places: Vec<PageLocation>,
    zeroes: Vec<Range<u64>>,
    /// Pages that it did not receive because flash cannot return them.
    pub(super) damaged: Vec<DamagedPage>,
    pub(super) failed: bool,
    /// Ends of the first and the last run that the backing failed, by address.
    failed_ends: Option<[u64; 2]>,
    /// Requests with data, and their total duration in nanoseconds.
    requests: u64,
    nanos: u64,
}

impl DestagedPages {
    /// Returns the bytes with content.
    pub(super) fn bytes(&self) -> u64 {
        self.places.len() as u64 * PAGE
    }

    /// Returns true if the backing failed a request.
    pub(super) fn has_backing_failed(&self) -> bool {
        self.failed_ends.is_some()
    }

    fn add(&mut self, other: Self) {
        self.failed_ends = match (self.failed_ends, other.failed_ends) {
            (Some([first, last]), Some([a, b])) => Some([first.min(a), last.max(b)]),
            (ours, theirs) => ours.or(theirs),
        };
        self.places.extend(other.places);
        self.zeroes.extend(other.zeroes);
        self.damaged.extend(other.damaged);
        self.failed |= other.failed;
        self.requests += other.requests;
        self.nanos += other.nanos;
    }
}

/// Runs one round, from the address `from` on, or for the pages that are waited for.
pub(super) async fn round<E: Env>(
    ctx @ Ctx { cache, backing, flushes, .. }: &Ctx<E>,
    from: u64,
    size: Size,
) -> RoundResult {
    let _destaging = cache.back.destage.lock().await;
    if cache.leaving.get() {
        // The disk was released meanwhile, and the backing belongs to another shard.
        return RoundResult { next: from, ..RoundResult::default() };
    }
    if cache.stays_paused() {
        return RoundResult { next: from, ..RoundResult::default() };
    }
    notice(ctx);
    if !backing.has_unanswered() {
        // No unanswered request can land any more.
        cache.back.destage.clear_stuck();
    }
    let epoch = cache.coherence.epoch();
    let Choice { runs, next, is_all } = choose(cache, from, size.pages);
    let chose_nothing = runs.is_empty();
    let known = places_of(cache, &runs);
    if let Err(error) = settle(cache).await {
        cache.back.destage.record_failure(cache.pool.host.now(), &error);
        return RoundResult { failed: true, next, ..RoundResult::default() };
    }
    let refusals = Cell::new(REFUSALS_MAX);
    let mut all = give_all(ctx, &runs, GivenVersions::At(&known), size.width, &refusals).await;
    let next = all.failed_ends.filter(|_| refusals.get() == 0).map_or(next, |[first, last]| {
        // With one request at a time everything before the last one was tried.
        if size.width == 1 { last } else { first }
    });
    if lost::give_up(cache, &all.damaged, SegmentPurpose::LogRecord).await.is_none() {
        all.failed = true;
        cache.back.destage.record_failure(cache.pool.host.now(), &log_full());
    }
    let bytes = all.bytes();
    let runs = all.places.len() + all.zeroes.len();
    let request_nanos = (all.requests >= size.width as u64).then(|| all.nanos / all.requests);
    let mut achieved = RoundResult { bytes, runs, request_nanos, failed: all.failed, chose_nothing, next };
    if all.places.is_empty() && all.zeroes.is_empty() {
        return achieved;
    }
    count(&cache.counters.destage_bytes, bytes);
    let flushed = if canary::has(Bug::HomeBeforeFlush) { Ok(()) } else { flushes.flush(backing).await };
    if flushed.is_err() || !is_same(ctx, epoch) {
        let error = flushed.err().unwrap_or_else(connection_lost);
        cache.back.destage.record_failure(cache.pool.host.now(), &error);
        achieved.failed = true;
        return achieved;
    }
    let is_all = is_all && !cache.consistent.promises();
    let completed = complete_destage(cache, all, is_all).await;
    cache.release_groups();
    if completed.is_none() {
        achieved.failed = true;
        cache.back.destage.record_failure(cache.pool.host.now(), &log_full());
    }
    achieved
}

pub(super) fn log_full() -> BlockError {
    BlockError::anywhere(ErrorKind::Io, Operation::Write)
        .because("the log on flash does not take the record of destage")
}

pub(super) fn connection_lost() -> BlockError {
    BlockError::anywhere(ErrorKind::Io, Operation::Flush).because("the backing lost its connection")
}

/// Chooses the pages of the next round.
fn choose<E: Env>(cache: &DiskCache<E>, from: u64, pages: u64) -> Choice {
    cache.catalog.with_dirty(|dirty| choose_of(cache, dirty, from, pages))
}

fn choose_of<E: Env>(cache: &DiskCache<E>, dirty: &Dirty, from: u64, pages: u64) -> Choice {
    // In consistent write-back the backing gets only what a group has (R3 of docs/dev/redo-ring.md).
    let may_go = |pages| {
        let parts = cache.back.destage.without_stuck(pages);
        let journaled = || {
            cache.catalog.with_journal(|journal| {
                let mut journaled = Ranges::default();
                let of_parts = parts.iter().map(|part| journal.journaled(part));
                of_parts.for_each(|some| some.iter().for_each(|range| journaled.insert(range)));
                journaled
            })
        };
        if canary::has(Bug::AheadOfGroup) { parts } else { journaled().unwrap_or(parts) }
    };
    let take = |runs: &mut Vec<DirtyRun>, left: &mut u64, run: DirtyRun| {
        let (all, zeroes) = match run {
            DirtyRun::Pages(pages) => (pages, None),
            DirtyRun::Zeroes(pages, unmap) => {
                (pages.start..pages.end.min(pages.start + ZEROES_PAGES_MAX), Some(unmap))
            }
        };
        let end = all.end;
        for part in may_go(all).iter() {
            *left = left.saturating_sub(if zeroes.is_some() { 1 } else { part.end - part.start });
            runs.push(zeroes.map_or_else(
                || DirtyRun::Pages(part.clone()),
                |unmap| DirtyRun::Zeroes(part.clone(), unmap),
            ));
        }
        end
    };
    let (mut runs, mut left) = (Vec::new(), pages);
    let wanted = cache.back.destage.take_wanted();
    for run in wanted_runs(dirty, &wanted) {
        take(&mut runs, &mut left, run);
    }
    if !runs.is_empty() {
        cache.back.destage.record_wanted_taken();
        return Choice { runs, next: from, is_all: wanted.iter().eq([ALL_PAGES]) };
    }
    // From the start once more if there is nothing up to the end: a round without work means that there is none.
    for start in [from, 0] {
        let mut at = start;
        while let Some(run) = dirty.next_run(at, left.min(DESTAGE_PAGES_MAX)) {
            at = take(&mut runs, &mut left, run);
            if left == 0 {
                return Choice { runs, next: at, is_all: false };
            }
        }
        if !runs.is_empty() {
            return Choice { runs, next: 0, is_all: start == 0 };
        }
    }
    Choice { runs, next: 0, is_all: true }
}

/// Returns the places of the content of chosen pages, in order.
fn places_of<E: Env>(cache: &DiskCache<E>, runs: &[DirtyRun]) -> Vec<PageLocation> {
    let pages = runs.iter().filter_map(|run| match run {
        DirtyRun::Pages(pages) => Some(pages.clone()),
        DirtyRun::Zeroes(..) => None,
    });
    let mut places: Vec<PageLocation> =
        pages.flatten().filter_map(|page| Some(place_of(cache, page)?.0)).collect();
    places.sort_unstable_by_key(|place| place.page);
    places
}

/// Returns the place of the content of a dirty page, in this generation of its segment.
fn place_of<E: Env>(cache: &DiskCache<E>, page: u64) -> Option<(PageLocation, FlashLocation)> {
    let located = cache.catalog.locate(PageNumber(page))?;
    place_at(cache, page, located).filter(|_| cache.catalog.is_dirty(PageNumber(page)))
}

fn place_at<E: Env>(
    cache: &DiskCache<E>,
    page: u64,
    located: FlashLocation,
) -> Option<(PageLocation, FlashLocation)> {
    let generation = cache.generation_at(located.flash)?;
    Some((PageLocation { page, flash: located.flash, generation }, located))
}

/// Makes the log entries of dirty data durable, or has no later start trust them.
async fn settle<E: Env>(cache: &DiskCache<E>) -> Result<(), BlockError> {
    let is_durable = !cache.back.has_dirty_behind(cache.log.durable());
    if is_durable || canary::has(Bug::BackingBeforeLog) {
        return Ok(());
    }
    settle_log(cache).await
}

/// Returns the dirty runs within the pages that are waited for.
fn wanted_runs(dirty: &Dirty, wanted: &Ranges) -> Vec<DirtyRun> {
    let mut runs = Vec::new();
    let mut at = 0;
    for range in wanted.iter() {
        // A run may reach beyond the wanted pages. No page is sent twice at a time: the second request could be the unanswered one, and
        // land after something newer.
        at = range.start.max(at);
        while let Some(run) = dirty.next_run(at, DESTAGE_PAGES_MAX) {
            // Zeroes in parts, as the round takes them: a round that reports that it took all must leave none out.
            let run = match run {
                DirtyRun::Zeroes(pages, unmap) => {
                    DirtyRun::Zeroes(pages.start..pages.end.min(pages.start + ZEROES_PAGES_MAX), unmap)
                }
                pages @ DirtyRun::Pages(_) => pages,
            };
            let (DirtyRun::Pages(pages) | DirtyRun::Zeroes(pages, _)) = &run;
            if pages.start >= range.end {
                break;
            }
            at = pages.end;
            runs.push(run);
        }
    }
    runs
}

/// Writes these runs to the backing: one after another in each of several stretches. Neighbours are mostly on one spindle, would wait for
/// each other there, and guests for all of them. No more are begun after [`REFUSALS_MAX`] refusals.
pub(super) async fn give_all<E: Env>(
    ctx: &Ctx<E>,
    runs: &[DirtyRun],
    versions: GivenVersions<'_>,
    width: usize,
    refusals: &Cell<u32>,
) -> DestagedPages {
    let stretches = runs.chunks(runs.len().div_ceil(width).max(1));
    let stretches = stretches.map(async |stretch| {
        let mut given = DestagedPages::default();
        for run in stretch {
            if refusals.get() == 0 {
                break;
            }
            given.add(give(ctx, run.clone(), versions, refusals).await);
        }
        given
    });
    let mut all = DestagedPages::default();
    for given in join_all(stretches).await {
        all.add(given);
    }
    all
}

/// Records that the backing took some of the group.
fn record_progress<E: Env>(cache: &DiskCache<E>) {
    let now = cache.pool.host.now();
    cache.consistent.progress_at.set(now);
    if !cache.back.destage.is_failing() {
        // Those who wait for destage are not to give up: it goes on.
        cache.back.destage.record_destaged(now);
    }
}

/// Gives the backing one run.
async fn give<E: Env>(
    ctx @ Ctx { cache, backing, locks, .. }: &Ctx<E>,
    run: DirtyRun,
    versions: GivenVersions<'_>,
    refusals: &Cell<u32>,
) -> DestagedPages {
    let (DirtyRun::Pages(pages) | DirtyRun::Zeroes(pages, _)) = &run;
    let range = ByteRange::new(pages.start * PAGE, (pages.end * PAGE).min(cache.size()));
    // Where the backing reads, changes and writes more than a page as a whole, nothing else may change the rest of it.
    let unit = backing.geometry().physical_block;
    let _guard = if unit > PAGE { Some(locks.acquire(range.widened(unit)).await) } else { None };
    match run {
        DirtyRun::Zeroes(pages, unmap) => give_zeroes(ctx, pages, range, unmap, refusals).await,
        DirtyRun::Pages(pages) => give_pages(ctx, pages, versions, refusals).await,
    }
}

async fn give_zeroes<E: Env>(
    ctx @ Ctx { cache, backing, .. }: &Ctx<E>,
    pages: Range<u64>,
    range: ByteRange,
    unmap: Unmap,
    refusals: &Cell<u32>,
) -> DestagedPages {
    let unmap = if backing.geometry().unmaps { unmap } else { Unmap::Forbidden };
    count(&cache.counters.backing_writes, 1);
    match backing.write_zeroes(range, unmap).await {
        Ok(()) => DestagedPages { zeroes: vec![pages], ..DestagedPages::default() },
        Err(error) => fail(ctx, &pages, &error, refusals),
    }
}

async fn give_pages<E: Env>(
    ctx @ Ctx { cache, backing, .. }: &Ctx<E>,
    pages: Range<u64>,
    versions: GivenVersions<'_>,
    refusals: &Cell<u32>,
) -> DestagedPages {
    let DestageRead { mut content, places, damaged, failed } = fetch(cache, &pages, versions).await;
    if let (GivenVersions::OfGroup, true) = (versions, failed || !damaged.is_empty()) {
        // There will be no such group.
        refusals.set(0);
        return DestagedPages { damaged, failed, ..DestagedPages::default() };
    }
    let mut given = DestagedPages { damaged, failed, ..DestagedPages::default() };
    let wanted = pages.end - pages.start;
    for run in places.chunk_by(|a, b| a.page + 1 == b.page) {
        let start = run[0].page * PAGE;
        let end = (start + run.len() as u64 * PAGE).min(cache.size());
        let bytes = if run.len() as u64 == wanted && end - start == content.len() as u64 {
            std::mem::replace(&mut content, Buffer::zeroed(0))
        } else {
            let at = (start - pages.start * PAGE) as usize;
            Buffer::copy_of(&content[at..at + (end - start) as usize])
        };
        let started = cache.pool.host.now();
        count(&cache.counters.backing_writes, 1);
        count(&cache.counters.backing_write_bytes, bytes.len() as u64);
        let (_, result) = backing.write(start, bytes).await;
        let took = cache.pool.host.now() - started;
        cache.latencies.record(Latency::Destage, took);
        given.requests += 1;
        given.nanos += took;
        match result {
            Ok(()) => {
                given.places.extend_from_slice(run);
                if let GivenVersions::OfGroup = versions {
                    record_progress(cache);
                }
            }
            Err(error) => {
                given.add(fail(ctx, &(run[0].page..end.div_ceil(PAGE)), &error, refusals));
                if refusals.get() == 0 {
                    break;
                }
            }
        }
    }
    given
}

/// Records a request that the backing failed. Its pages stay dirty, and are tried again. If the outcome of the request is unknown, nothing
/// newer is sent after it while it may land: it could overwrite that.
fn fail<E: Env>(
    Ctx { cache, backing, .. }: &Ctx<E>,
    pages: &Range<u64>,
    error: &BlockError,
    refusals: &Cell<u32>,
) -> DestagedPages {
    count(&cache.counters.backing_errors, 1);
    // It may have ended meanwhile: then no later event would report it.
    if error.kind == ErrorKind::Unanswered && backing.has_unanswered() && !canary::has(Bug::NewerBeforeLate) {
        cache.back.destage.record_stuck(pages.clone());
    }
    // The daemon reports this once, by the name of the disk; here it is every request.
    tracing::debug!(disk = %cache.id, %error, "Destage failed; its data stays on flash");
    cache.back.destage.record_failure(cache.pool.host.now(), error);
    let left = if is_refusal(error.kind) { refusals.get().saturating_sub(1) } else { 0 };
    refusals.set(left);
    DestagedPages { failed: true, failed_ends: Some([pages.end; 2]), ..DestagedPages::default() }
}

/// Returns true if the backing refused this request at once. All other errors are reported after the retry time, and concern the whole
/// backing.
fn is_refusal(kind: ErrorKind) -> bool {
    use ErrorKind::{Corrupt, InvalidRequest, NoSpace, ReadOnly, Unsupported};
    matches!(kind, NoSpace | ReadOnly | InvalidRequest | Unsupported | Corrupt)
}

/// Content to write to the backing.
struct DestageRead {
    content: Buffer,
    /// Places it was read from, by page.
    places: Vec<PageLocation>,
    /// Pages that flash cannot return any more.
    damaged: Vec<DamagedPage>,
    /// Flash failed some of it, and may give it back another time.
    failed: bool,
}

/// Reads the content of those pages that are still dirty and at their known, durable places, or of all in the versions of a group; returns
/// it with the places.
async fn fetch<E: Env>(cache: &DiskCache<E>, pages: &Range<u64>, versions: GivenVersions<'_>) -> DestageRead {
    let mut content = Buffer::zeroed((pages.end - pages.start) as usize * PAGE_BYTES);
    let mut put = |page: PageNumber, bytes: &[u8]| {
        let at = (page.0 - pages.start) as usize * PAGE_BYTES;
        content[at..at + PAGE_BYTES].copy_from_slice(bytes);
    };
    let (mut places, mut wanted, mut runs) = (Vec::new(), Vec::new(), Vec::new());
    let (mut damaged, mut failed) = (Vec::new(), false);
    for page in pages.clone() {
        let found = match versions {
            // It may be clean by now, or zeroes, or elsewhere, where the power may still take it.
            GivenVersions::At(known) => place_of(cache, page).filter(|(place, _)| {
                let at = known.binary_search_by_key(&page, |known| known.page);
                at.is_ok_and(|at| known[at] == *place)
            }),
            GivenVersions::OfGroup => {
                let found = cache.version_of_group(page).and_then(|located| place_at(cache, page, located));
                failed |= found.is_none();
                found
            }
        };
        let Some((place, located)) = found else { continue };
        let page = PageNumber(page);
        if cache.with_ram(page, located, |bytes| put(page, bytes)).is_some() {
            places.push(place);
        } else {
            FlashRun::add(&mut runs, cache, page, located);
            wanted.push(place);
        }
    }
    let mut wanted = wanted.into_iter();
    for run in runs {
        let buffer = Buffer::zeroed(run.bytes());
        let checked = run.read(cache, buffer).await;
        for (page, place) in checked.pages().zip(wanted.by_ref()) {
            match page.content {
                Ok(bytes) => {
                    put(page.number, bytes);
                    places.push(place);
                }
                Err(Fault::Content) => damaged.push(DamagedPage::at(cache, page.number, page.flash)),
                Err(Fault::Device) => failed = true,
            }
        }
    }
    places.sort_unstable_by_key(|place| place.page);
    DestageRead { content, places, damaged, failed }
}

/// Records in the log the durable content of the backing, for pages that are unchanged; and marks them clean. `is_all` if the round took on
/// all that was dirty.
pub(super) async fn complete_destage<E: Env>(
    cache: &Rc<DiskCache<E>>,
    given: DestagedPages,
    is_all: bool,
) -> Option<()> {
    let mut given = given;
    let mut is_first = true;
    let mut tries = 0;
    while is_first || !given.places.is_empty() || !given.zeroes.is_empty() {
        is_first = false;
        tries += 1;
        let appender = match cache.log.try_begin(SegmentPurpose::LogRecord).await {
            Ok(appender) => appender,
            // Nothing can be appended, and reclaim has no room to make any: a device took it along.
            Err(NoSegment::Exhausted) if cache.pool.lacks_room() => {
                return match leave_instead(cache, &given).await {
                    AbandonResult::Behind => Some(()),
                    // A partial result is not enough. The next round takes all; if that fails too, the waiting tasks get the error.
                    AbandonResult::NotAll if !is_all => {
                        cache.back.destage.want(ALL_PAGES);
                        Some(())
                    }
                    AbandonResult::NotAll | AbandonResult::NotFreed => None,
                };
            }
            Err(NoSegment::Exhausted) => {
                match cache.log.begin_within(SegmentPurpose::LogRecord, ROOM_WAIT_NS).await {
                    Ok(appender) => appender,
                    // A device that took the room along may have failed meanwhile.
                    Err(NoSegment::Exhausted) if cache.pool.lacks_room() => continue,
                    // The waiting tasks get the error, and the next round tries again.
                    Err(_) => return None,
                }
            }
            Err(_) => return None,
        };
        let destaged = still_there(cache, &given);
        let ranges = joined(cache, &destaged);
        let now = &ranges[..ranges.len().min(appender.room())];
        if now.is_empty() {
            return Some(());
        }
        let mut batch = appender.batch(0);
        for range in now {
            appender.add_range(&mut batch, EntryKind::Destaged, range);
        }
        let written = match appender.write(batch).await {
            Ok(written) => written,
            // Another device takes it, if there is one: a failure of flash must not be reported as one of the backing.
            Err(_) if !cache.pool.notice_failure() && tries < NOTE_TRIES_MAX => continue,
            Err(_) => return None,
        };
        tries = 0;
        cache.back.record_destaged_batch(written.number);
        let end = now[now.len() - 1].end;
        // Looked at before the batch was written, under the lock of the log: nothing can have replaced any of it since.
        for pages in destaged.within(0..end) {
            cache.catalog.mark_destaged(&pages);
        }
        count(&cache.counters.destages, destaged.within(0..end).map(|pages| pages.end - pages.start).sum());
        given.places.retain(|place| place.page >= end);
        given.zeroes.retain(|pages| pages.end > end);
        cache.observe_dirty();
        cache.back.destage.record_destaged(cache.pool.host.now());
    }
    Some(())
}

/// Gives up everything that flash holds of the disk, if the backing has been given all that it lacked.
async fn leave_instead<E: Env>(cache: &Rc<DiskCache<E>>, given: &DestagedPages) -> AbandonResult {
    let is_unwanted = || {
        let destaged = still_there(cache, given);
        cache.catalog.with_dirty(|dirty| dirty.all_within(&ALL_PAGES).all(|page| destaged.contains(page)))
    };
    let disown = || {
        // From here on nothing is dirty, and a start would find it so only once the table is durable (rule I12).
        cache.back.set_given_up(true);
        cache.forget_dirty();
        cache.disown()
    };
    let Some(disowned) = cache.log.give_up(is_unwanted, disown).await else { return AbandonResult::NotAll };
    cache.back.destage.record_destaged(cache.pool.host.now());
    if cache.pool.free_disowned(disowned).await.is_ok() {
        cache.back.set_given_up(false);
        AbandonResult::Behind
    } else {
        AbandonResult::NotFreed
    }
}

/// Returns the pages that nothing has replaced since they were read for the backing.
fn still_there<E: Env>(cache: &DiskCache<E>, given: &DestagedPages) -> Ranges {
    let mut destaged = Ranges::default();
    for place in &given.places {
        let flash = cache.catalog.locate(PageNumber(place.page)).map(|located| located.flash);
        let same = flash == Some(place.flash) && cache.generation_at(place.flash) == Some(place.generation);
        let same = same || canary::has(Bug::HomeOfAnother) && flash.is_some();
        if same && cache.catalog.is_dirty(PageNumber(place.page)) {
            destaged.insert(place.page..place.page + 1);
        } else {
            count(&cache.counters.destages_superseded, 1);
        }
    }
    for pages in &given.zeroes {
        cache.catalog.with_dirty(|dirty| {
            dirty.zeroes().within(pages.clone()).for_each(|part| destaged.insert(part));
        });
    }
    destaged
}

/// Returns the ranges that cover these pages and nothing else that is dirty, as few as can be.
fn joined<E: Env>(cache: &DiskCache<E>, destaged: &Ranges) -> Vec<Range<u64>> {
    let mut joined: Vec<Range<u64>> = Vec::new();
    for range in destaged.iter() {
        match joined.last_mut() {
            Some(last)
                if u32::try_from(range.end - last.start).is_ok()
                    && !cache.catalog.is_dirty_within(&(last.end..range.start)) =>
            {
                last.end = range.end;
            }
            _ => joined.push(range),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_zeroes_that_somebody_waits_for_are_chosen_in_parts_that_a_round_takes_on() {
        let mut dirty = Dirty::default();
        dirty.add_zeroes(5..2 * ZEROES_PAGES_MAX + 9, Unmap::Allowed);
        dirty.add_page(2 * ZEROES_PAGES_MAX + 9);
        let mut wanted = Ranges::default();
        wanted.insert(ALL_PAGES);
        let part = |start, end| DirtyRun::Zeroes(start..end, Unmap::Allowed);
        let (one, two) = (ZEROES_PAGES_MAX + 5, 2 * ZEROES_PAGES_MAX + 5);
        let page = DirtyRun::Pages(two + 4..two + 5);
        assert_eq!(
            wanted_runs(&dirty, &wanted),
            [part(5, one), part(one, two), part(two, two + 4), page],
            "a run that is cut by the round is not all of it"
        );
        wanted.remove(&(7..u64::MAX));
        assert_eq!(wanted_runs(&dirty, &wanted), [part(5, one)], "as far as one request reaches");
    }
}
