//! Read: cached pages from RAM and flash, the rest from the backing, which enters RAM before the read returns.
//!
//! Each page is decided once, at the start: a page that is cached then is answered from the cache and never from the backing (rule I3), so
//! that a read that spans cached and absent pages cannot mix in data that a joined backing read returned under the cached ones. The
//! exception is a copy that flash cannot return intact: if it is clean, the backing has the same or something newer. If it is dirty, the
//! guest gets an error, and never an older version.
//!
//! A second exception is a read of which everything is cached and clean, if the backing answers sooner than flash (`state/read_balance.rs`):
//! it is answered by one read of the backing alone, so nothing is mixed. Flash answers it after all if the backing fails or takes too long.
//!
//! A read of pages that are being written waits for the write, once, if written data enters the cache: reading it from a slow backing would
//! cost more, and could not be cached.

use std::ops::Range;
use std::pin::pin;

use block::{BlockDevice, BlockError, Buffer, ByteRange, ErrorKind, Host, Operation, Outcome, PAGE};
use futures_util::future::{Either, join, join_all, select};
use smallvec::SmallVec;

use super::ctx::Ctx;
use super::disk_cache::DiskCache;
use super::flash_run::{FlashRun, Page};
use super::reconnect::{is_same, notice};
use crate::state::learned::{ArrivalClass, By, History};
use crate::state::ram::PromotionState;
use crate::state::ram_hit::RamHit;
use crate::types::canary::{self, Bug};
use crate::types::env::Env;
use crate::types::limits::PAGE_BYTES;
use crate::types::settings::ReadBalancing;
use crate::types::stats::count;
use crate::types::units::{FlashPage, PageNumber, pages_touched};

/// Source of the answer to a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// From RAM alone.
    Ram,
    /// All of it is known to be zeroes, which are not stored.
    Zeroes,
    /// From flash, or from flash and RAM.
    Flash,
    /// A part was cached.
    Partial,
    /// Nothing was cached.
    Miss,
    /// Past the cache.
    Bypass,
    /// From the backing, though flash has it, because the backing was faster.
    Balanced,
}

/// Reads `range`, which the caller has checked, into `buffer`. Fetched pages enter the cache with the class `arrival`.
pub(crate) async fn read<E: Env>(
    ctx: &Ctx<E>,
    range: ByteRange,
    arrival: ArrivalClass,
    mut buffer: Buffer,
) -> (Outcome, Answer) {
    for _ in 0..TRIES {
        let (outcome, answer) = read_once(ctx, range, arrival, buffer).await;
        let moved =
            outcome.1.as_ref().is_err_and(|error| error.kind == ErrorKind::Corrupt && error.range.is_none());
        if !moved {
            return (outcome, answer);
        }
        buffer = outcome.0;
    }
    ((buffer, Err(damaged(&range))), Answer::Flash)
}

/// Tries of reading dirty pages that flash did not return: they were moved meanwhile, or they are damaged.
const TRIES: usize = 3;

async fn read_once<E: Env>(
    ctx @ Ctx { cache, locks, .. }: &Ctx<E>,
    range: ByteRange,
    arrival: ArrivalClass,
    mut buffer: Buffer,
) -> (Outcome, Answer) {
    notice(ctx);
    let row = cache.settings.borrow().mode.row();
    let is_dirty = || cache.catalog.is_dirty_within(&(range.start / PAGE..range.end.div_ceil(PAGE)));
    if !row.reads_hit && !is_dirty() && !is_entering(cache, &range) {
        return (fetch_past(ctx, range, buffer).await, Answer::Bypass);
    }
    // Most requests are of one page, and most cached reads need no plan.
    let page = PageNumber(range.start / PAGE);
    if page.range().contains(&range) {
        let is_hit = {
            let (mut ram, policy) = (cache.ram.borrow_mut(), cache.policy.borrow());
            RamHit::copy(&mut ram, &policy, &range, page, &mut buffer)
        };
        if is_hit {
            return ((buffer, Ok(())), Answer::Ram);
        }
        if range.len() == PAGE
            && let Some(located) = cache.on_flash(page)
            && !is_backing_due(cache)
        {
            let run = FlashRun::of(cache, page, located);
            return (read_one_run(ctx, run, range, buffer).await, Answer::Flash);
        }
    }
    let mut plan = Plan::decide(cache, &range, &mut buffer);
    if plan.is_hit_on_flash() && is_backing_due(cache) && may_come_from_backing(ctx, &range) {
        plan.flash.clear();
        if read_balanced(ctx, range, &mut buffer).await {
            return ((buffer, Ok(())), Answer::Balanced);
        }
        plan = Plan::decide(cache, &range, &mut buffer);
    }
    if !plan.absent.is_empty() && is_entering(cache, &range) {
        // Pages that are being written will be in RAM in a moment, and could not be filled now. A write on its way to the log also carries
        // the rest of its pages, maybe from before the backing lost that: no read may overtake it. Wait once, however busy the range is;
        // then plan everything again. Nothing is pinned meanwhile: a backing that hangs must not keep reclaim from its segments.
        plan.flash.clear();
        drop(locks.acquire(range.widened(PAGE)).await);
        plan = Plan::decide(cache, &range, &mut buffer);
    }
    if plan.lost {
        return ((buffer, Err(damaged(&range))), Answer::Flash);
    }
    if plan.flash.is_empty() && plan.absent.is_empty() {
        let answer = if plan.zeroes_only { Answer::Zeroes } else { Answer::Ram };
        return ((buffer, Ok(())), answer);
    }
    if let Some(run) = plan.take_one_run(&range) {
        return (read_one_run(ctx, run, range, buffer).await, Answer::Flash);
    }
    if plan.absent.is_empty() {
        return (read_cached(ctx, plan, range, buffer).await, Answer::Flash);
    }
    let fill = fill(ctx, &range, arrival);
    if !plan.cached_any && fill == FillPermission::Refused {
        return (fetch_past(ctx, range, buffer).await, Answer::Bypass);
    }
    if !plan.cached_any && range.is_aligned(PAGE) {
        return (fetch_whole(ctx, range, buffer, fill).await, Answer::Miss);
    }
    let answer = if plan.cached_any { Answer::Partial } else { Answer::Miss };
    (read_mixed(ctx, plan, range, buffer, fill).await, answer)
}

/// Returns true if a write to the range enters the cache, whatever the mode became meanwhile.
fn is_entering<E: Env>(cache: &DiskCache<E>, range: &ByteRange) -> bool {
    let enters = cache.settings.borrow().mode.row().writes_enter || !cache.back.commits.is_empty();
    enters && cache.coherence.is_mutating(range)
}

/// Returns true if the backing should answer the next hit on flash; otherwise that is counted as answered by flash.
fn is_backing_due<E: Env>(cache: &DiskCache<E>) -> bool {
    if cache.settings.borrow().read_balance == ReadBalancing::Off {
        return false;
    }
    let mut balance = cache.read_balance.borrow_mut();
    let is_due = balance.is_due(cache.pool.host.recently());
    if !is_due {
        balance.pass();
    }
    is_due
}

/// Returns true if the backing has what the cache has of this range, all of which is cached: none of it is dirty, no change of it is under way,
/// none failed, and no older one may still land.
fn may_come_from_backing<E: Env>(Ctx { cache, backing, .. }: &Ctx<E>, range: &ByteRange) -> bool {
    let is_dirty = cache.catalog.is_dirty_within(&(range.start / PAGE..range.end.div_ceil(PAGE)))
        && !canary::has(Bug::BalancedOverDirty);
    !is_dirty
        && !backing.has_unanswered()
        && !cache.coherence.is_mutating(range)
        && !cache.coherence.distrusts(range)
}

/// Reads a range from the backing that is cached, in place of flash. Returns false if the backing failed, took too long, or lost its
/// connection meanwhile; then what is still cached has to answer.
async fn read_balanced<E: Env>(
    ctx @ Ctx { cache, .. }: &Ctx<E>,
    range: ByteRange,
    buffer: &mut Buffer,
) -> bool {
    let (host, epoch) = (&cache.pool.host, cache.coherence.epoch());
    let patience = cache.read_balance.borrow().patience_ns(range.len());
    cache.read_balance.borrow_mut().take(host.recently());
    // Not the buffer of the guest: a read that is given up keeps its own.
    let read = fetch_past(ctx, range, Buffer::zeroed(range.len() as usize));
    let (read, late) = (pin!(read), pin!(host.sleep(patience)));
    let Either::Left(((bytes, Ok(())), _)) = select(read, late).await else {
        cache.read_balance.borrow_mut().give_up(host.now());
        return false;
    };
    if !is_same(ctx, epoch) {
        return false;
    }
    buffer.copy_from_slice(&bytes);
    for page in pages_touched(&range) {
        if let Some(located) = cache.on_flash(page) {
            note_use(cache, page, located.flash);
        }
    }
    true
}

/// Returns the error for pages whose newest version was on flash alone, and cannot be read any more.
fn damaged(range: &ByteRange) -> BlockError {
    BlockError::new(ErrorKind::Corrupt, Operation::Read, *range)
        .because("flash cannot read data that the backing does not have yet")
}

/// Most requests have one run of either kind at most, for which nothing is allocated.
type FlashRuns<'a, E> = SmallVec<[FlashRun<'a, E>; 1]>;
type PageRuns = SmallVec<[Range<u64>; 1]>;

/// Source of each page of a request.
struct Plan<'a, E: Env> {
    /// Runs of neighbours on flash, each dropped when it has been read: a backing that hangs must not keep reclaim from their segments.
    flash: FlashRuns<'a, E>,
    /// Runs of pages that are not cached.
    absent: PageRuns,
    cached_any: bool,
    /// True if the backing is known to have zeroes for all of these pages.
    zeroes_only: bool,
    /// Some page was damaged before the backing had it.
    lost: bool,
}

impl<'a, E: Env> Plan<'a, E> {
    /// Decides every page and copies those in RAM.
    fn decide(cache: &'a DiskCache<E>, range: &ByteRange, buffer: &mut Buffer) -> Self {
        let mut plan = Self {
            flash: FlashRuns::new(),
            absent: PageRuns::new(),
            cached_any: false,
            zeroes_only: true,
            lost: false,
        };
        let mut ram = cache.ram.borrow_mut();
        let any_dirty = !cache.catalog.is_clean();
        let policy = cache.policy.borrow();
        for page in pages_touched(range) {
            // Nothing else is cached of such a page.
            if cache.catalog.is_remembered_zeroes(page) {
                copy_page(buffer, range, page, &[0; PAGE_BYTES]);
                plan.cached_any = true;
                continue;
            }
            plan.zeroes_only = false;
            if RamHit::copy(&mut ram, &policy, range, page, buffer) {
                plan.cached_any = true;
            } else if let Some(located) = cache.on_flash(page) {
                plan.cached_any = true;
                let begun = FlashRun::join_or_begin(plan.flash.last_mut(), cache, page, located);
                plan.flash.extend(begun);
            } else if any_dirty && cache.catalog.is_dirty_zeroes(page) {
                copy_page(buffer, range, page, &[0; PAGE_BYTES]);
                plan.cached_any = true;
            } else {
                // The backing has an older version of pages that were lost with the flash.
                plan.lost |= any_dirty && cache.catalog.is_dirty_or_lost(page);
                plan.add_absent(page);
            }
        }
        plan
    }

    fn add_absent(&mut self, page: PageNumber) {
        match self.absent.last_mut() {
            Some(run) if run.end == page.0 => run.end += 1,
            _ => self.absent.push(page.0..page.0 + 1),
        }
    }

    /// Returns true if everything is cached, and some of it has to be read from flash.
    fn is_hit_on_flash(&self) -> bool {
        self.absent.is_empty() && !self.flash.is_empty() && !self.lost
    }

    /// Returns the run that fills the whole buffer as it is with one read of flash, if there is one.
    fn take_one_run(&mut self, range: &ByteRange) -> Option<FlashRun<'a, E>> {
        let [run] = &*self.flash else { return None };
        let is_all = range.is_aligned(PAGE) && range.len() == run.bytes() as u64;
        if is_all { self.flash.pop() } else { None }
    }
}

/// Returns whether pages that this miss fetches may enter the cache, with the class `arrival`: if the mode fills, the read is not part of a
/// sequential run that is longer than the cutoff, and no other cache of this host has them.
fn fill<E: Env>(
    Ctx { cache, backing, .. }: &Ctx<E>,
    range: &ByteRange,
    arrival: ArrivalClass,
) -> FillPermission {
    let run = cache.missed_reads.borrow_mut().run_length(range);
    let settings = cache.settings.borrow();
    let enters = settings.sequential_cutoff.of_reads(settings.admission).is_none_or(|most| run <= most);
    let fills = settings.mode.row().reads_fill
        && enters
        && !cache.coherence.distrusts(range)
        && !backing.is_cached_below(*range);
    if fills { FillPermission::Allowed(arrival) } else { FillPermission::Refused }
}

/// Answers with one read of flash.
async fn read_one_run<E: Env>(
    ctx @ Ctx { cache, .. }: &Ctx<E>,
    run: FlashRun<'_, E>,
    range: ByteRange,
    buffer: Buffer,
) -> Outcome {
    let checked = run.read(cache, buffer).await;
    let lost: Vec<_> = checked.pages().filter_map(|page| take_notice(cache, &page)).collect();
    let buffer = checked.into_bytes();
    if lost.is_empty() { (buffer, Ok(())) } else { replace_lost(ctx, range, buffer, lost).await }
}

/// Answers a read of which everything is cached, some of it on flash.
async fn read_cached<E: Env>(
    ctx @ Ctx { cache, .. }: &Ctx<E>,
    plan: Plan<'_, E>,
    range: ByteRange,
    mut buffer: Buffer,
) -> Outcome {
    let lost = read_runs(cache, plan.flash, &range, &mut buffer).await;
    if lost.is_empty() { (buffer, Ok(())) } else { replace_lost(ctx, range, buffer, lost).await }
}

/// Reads pages that flash did not return from the backing, if it has them.
async fn replace_lost<E: Env>(
    ctx @ Ctx { cache, .. }: &Ctx<E>,
    range: ByteRange,
    buffer: Buffer,
    lost: Vec<LostPage>,
) -> Outcome {
    let lost = match all_clean(cache, &range, lost) {
        Ok(lost) => lost,
        Err(error) => return (buffer, Err(error)),
    };
    let result = fetch(ctx, &lost, FillPermission::Allowed(ArrivalClass::with(By::Read, &range))).await;
    finish(&range, buffer, &lost, result)
}

/// Returns the pages that flash could not return, if the backing has all of them. For dirty ones, an error: without a place if they were
/// moved meanwhile, so that another lookup is worthwhile.
fn all_clean<E: Env>(
    cache: &DiskCache<E>,
    range: &ByteRange,
    lost: Vec<LostPage>,
) -> Result<Vec<Range<u64>>, BlockError> {
    let needed = |lost: &&LostPage| cache.catalog.is_dirty_within(&(lost.page.0..lost.page.0 + 1));
    let there =
        |lost: &LostPage| cache.on_flash(lost.page).is_some_and(|located| located.flash == lost.flash);
    if lost.iter().filter(needed).any(there) {
        // Destage finds out whether it is lost for good.
        lost.iter().filter(needed).for_each(|lost| cache.back.destage.want(lost.page.0..lost.page.0 + 1));
        return Err(damaged(range));
    }
    if lost.iter().any(|lost| needed(&lost)) {
        return Err(BlockError::anywhere(ErrorKind::Corrupt, Operation::Read));
    }
    let mut runs: Vec<Range<u64>> = Vec::new();
    for LostPage { page, .. } in lost {
        match runs.last_mut() {
            Some(run) if run.end == page.0 => run.end += 1,
            _ => runs.push(page.0..page.0 + 1),
        }
    }
    Ok(runs)
}

/// A page that flash could not give back, and where it should have been.
struct LostPage {
    page: PageNumber,
    flash: FlashPage,
}

/// Reads a range some of which has to be read from the backing.
async fn read_mixed<E: Env>(
    ctx @ Ctx { cache, .. }: &Ctx<E>,
    plan: Plan<'_, E>,
    range: ByteRange,
    mut buffer: Buffer,
    fill: FillPermission,
) -> Outcome {
    let (lost, fetched) =
        join(read_runs(cache, plan.flash, &range, &mut buffer), fetch(ctx, &plan.absent, fill)).await;
    let (buffer, result) = finish(&range, buffer, &plan.absent, fetched);
    if lost.is_empty() || result.is_err() {
        return (buffer, result);
    }
    let lost = match all_clean(cache, &range, lost) {
        Ok(lost) => lost,
        Err(error) => return (buffer, Err(error)),
    };
    let result = fetch(ctx, &lost, fill).await;
    finish(&range, buffer, &lost, result)
}

/// Copies fetched pages into the answer.
fn finish(
    range: &ByteRange,
    mut buffer: Buffer,
    pages: &[Range<u64>],
    fetched: Result<BackingRead, BlockError>,
) -> Outcome {
    let fetched = match fetched {
        Ok(fetched) => fetched,
        Err(error) => return (buffer, Err(error)),
    };
    for page in pages.iter().cloned().flatten().map(PageNumber) {
        let at = (page.offset() - fetched.start) as usize;
        let end = (at + PAGE_BYTES).min(fetched.bytes.len());
        copy_page(&mut buffer, range, page, &fetched.bytes[at..end]);
    }
    (buffer, Ok(()))
}

/// Reads runs of flash into the answer, all at once. Returns the pages that flash could not give back.
async fn read_runs<E: Env>(
    cache: &DiskCache<E>,
    runs: FlashRuns<'_, E>,
    range: &ByteRange,
    buffer: &mut Buffer,
) -> Vec<LostPage> {
    let reads = runs.into_iter().map(async |run| {
        let buffer = Buffer::zeroed(run.bytes());
        run.read(cache, buffer).await
    });
    let mut lost = Vec::new();
    for checked in join_all(reads).await {
        for page in checked.pages() {
            if let Ok(bytes) = page.content {
                copy_page(buffer, range, page.number, bytes);
            }
            lost.extend(take_notice(cache, &page));
        }
    }
    lost
}

/// Handles the result of reading a page from flash. If it is damaged, the index forgets that copy.
fn take_notice<E: Env>(cache: &DiskCache<E>, page: &Page<'_>) -> Option<LostPage> {
    let Page { number, flash, content } = *page;
    if let Ok(bytes) = content {
        warm_up(cache, number, flash, bytes);
        return None;
    }
    cache.drop_damaged(number, flash);
    Some(LostPage { page: number, flash })
}

/// Flash hits of a block before its pages go to RAM as well: a page that is hit once or twice is served well from
/// flash, and copying it would push out what RAM is for.
const HEAT_FOR_RAM: u8 = 2;

/// Fraction of RAM's blocks: a block used twice within as many accesses will be used again before it has left RAM. The page then takes room
/// twice: with a sixteenth RAM answers a tenth more, and 0.006 less of the gap is closed (docs/dev/notes/hit-ratio.md).
const SOON_PART_OF_RAM: u64 = 64;

/// Records a hit on flash. A page of a hot block goes to RAM as well, if its copy is still current, and its history predicts another use
/// before it has left RAM.
fn warm_up<E: Env>(cache: &DiskCache<E>, page: PageNumber, flash: FlashPage, bytes: &[u8]) {
    if cache.pool.is_failed() {
        return;
    }
    let Some(before) = note_use(cache, page, flash).filter(|before| before.heat() >= HEAT_FOR_RAM) else {
        return;
    };
    let soon = cache.ram.borrow().capacity() as u64 / u64::from(cache.block_pages()) / SOON_PART_OF_RAM;
    if cache.policy.borrow().comes_within(before, soon) {
        let history = cache.catalog.history(page);
        cache.enter(page, bytes, cache.pool.draw_sequence(), PromotionState::OnFlash, history);
    }
}

/// Records the use of a page on flash, if its copy is still there. Returns its history before.
fn note_use<E: Env>(cache: &DiskCache<E>, page: PageNumber, flash: FlashPage) -> Option<History> {
    let several = cache.block_pages() > 1;
    let used = |history| {
        let policy = cache.policy.borrow();
        if several { policy.visited(history) } else { policy.used(history, By::Read) }.warmer()
    };
    cache.catalog.use_if_at(page, flash, used)
}

/// Permission for fetched pages to enter the cache.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FillPermission {
    /// They may, with this class.
    Allowed(ArrivalClass),
    Refused,
}

/// Content from the backing: one contiguous range that covers all wanted pages.
struct BackingRead {
    start: u64,
    bytes: Buffer,
}

/// Reads pages from the backing in one request, from the first to the last of them, and lets the wanted ones enter RAM, if nothing changed
/// meanwhile.
async fn fetch<E: Env>(
    ctx @ Ctx { cache, .. }: &Ctx<E>,
    pages: &[Range<u64>],
    fill: FillPermission,
) -> Result<BackingRead, BlockError> {
    let (Some(first), Some(last)) = (pages.first(), pages.last()) else {
        return Ok(BackingRead { start: 0, bytes: Buffer::zeroed(0) });
    };
    let size = cache.size();
    let range = ByteRange::new(first.start * PAGE, (last.end * PAGE).min(size));
    let buffer = Buffer::zeroed(range.len() as usize);
    let (bytes, result) = fetch_into(ctx, range, pages, fill, buffer).await;
    result.map(|()| BackingRead { start: range.start, bytes })
}

/// Reads whole pages of which nothing is cached, and which may enter: the content of the backing is the answer.
async fn fetch_whole<E: Env>(
    ctx: &Ctx<E>,
    range: ByteRange,
    buffer: Buffer,
    fill: FillPermission,
) -> Outcome {
    let pages = range.start / PAGE..range.end / PAGE;
    fetch_into(ctx, range, &[pages], fill, buffer).await
}

/// Reads `range` from the backing into a buffer of its length, and lets those pages of it that are named enter RAM, if nothing
/// changed meanwhile.
async fn fetch_into<E: Env>(
    ctx @ Ctx { cache, .. }: &Ctx<E>,
    range: ByteRange,
    pages: &[Range<u64>],
    fill: FillPermission,
    buffer: Buffer,
) -> Outcome {
    // The fill begins, and its sequence is drawn, before the backing is asked (rules I1 and I3).
    let sequence = cache.pool.draw_sequence();
    let filling = ActiveFill::begin(cache, &range);
    let (bytes, result) = fetch_past(ctx, range, buffer).await;
    // Poisons this fill too, if the connection was lost in between.
    notice(ctx);
    let may_enter = filling.finish();
    let FillPermission::Allowed(arrival) = fill else { return (bytes, result) };
    if result.is_err() {
        return (bytes, result);
    }
    if may_enter {
        for run in pages {
            let at = (run.start * PAGE - range.start) as usize;
            let end = ((run.end * PAGE).min(range.end) - range.start) as usize;
            cache.enter_absent(run.start * PAGE, &bytes[at..end], sequence, arrival);
        }
    } else {
        count(&cache.counters.fills_discarded, 1);
    }
    (bytes, Ok(()))
}

/// A fill under way; cancelled if the read is dropped.
struct ActiveFill<'a, E: Env> {
    cache: &'a DiskCache<E>,
    number: Option<crate::state::fills::FillNumber>,
}

impl<'a, E: Env> ActiveFill<'a, E> {
    fn begin(cache: &'a DiskCache<E>, range: &ByteRange) -> Self {
        Self { cache, number: Some(cache.coherence.begin_fill(range)) }
    }

    /// Returns true if the fill may enter; nothing may be awaited between this and the entry.
    fn finish(mut self) -> bool {
        let number = self.number.take().expect("finished once");
        self.cache.coherence.finish_fill(&number)
    }
}

impl<E: Env> Drop for ActiveFill<'_, E> {
    fn drop(&mut self) {
        if let Some(number) = self.number.take() {
            self.cache.coherence.finish_fill(&number);
        }
    }
}

/// Reads straight from the backing into the answer, and leaves the cache alone.
async fn fetch_past<E: Env>(
    Ctx { cache, backing, .. }: &Ctx<E>,
    range: ByteRange,
    buffer: Buffer,
) -> Outcome {
    cache.back.destage.record_guest_wait(cache.pool.host.now());
    let (buffer, result) = backing.read(range.start, buffer).await;
    count(&cache.counters.backing_reads, 1);
    count(&cache.counters.backing_read_bytes, range.len());
    if result.is_err() {
        count(&cache.counters.backing_errors, 1);
    }
    (buffer, result)
}

/// Copies the requested part of a page. `bytes` start at the page's start.
fn copy_page(buffer: &mut [u8], range: &ByteRange, page: PageNumber, bytes: &[u8]) {
    let part = page.range().intersection(range);
    let (to, from) = ((part.start - range.start) as usize, (part.start - page.offset()) as usize);
    let len = part.len() as usize;
    buffer[to..to + len].copy_from_slice(&bytes[from..from + len]);
}
