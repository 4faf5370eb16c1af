//! Write: which way it takes; and the way through the cache: to the backing first, acknowledged when the backing has it, into
//! RAM behind that.

use std::rc::Rc;

use block::{
    BlockDevice, BlockError, Buffer, ByteRange, ErrorKind, Host, Operation, Outcome, PAGE, RangeLock,
};

use super::back::wait_clean;
use super::disk_cache::DiskCache;
use super::mutation::{Mutation, Turn};
use super::reconnect::is_same;
use super::throttle;
use super::write_back::{Decided, write_back};
use crate::knowledge::ram::Standing;
use crate::words::canary::{self, Bug};
use crate::words::stats::count;
use crate::words::units::{PageNumber, Sequence};

/// Which way a change takes.
pub(super) enum Way<F: BlockDevice, H: Host> {
    /// To the log.
    Back(Decided<F, H>),
    /// To the backing.
    Through(Turn),
}

/// Writes `buffer` to `range`, which the caller has checked.
pub(crate) async fn write<B: BlockDevice, F: BlockDevice, H: Host>(
    cache: &Rc<DiskCache<F, H>>,
    backing: &B,
    locks: &RangeLock,
    range: ByteRange,
    buffer: Buffer,
) -> Outcome {
    let sequential = is_sequential(cache, &range);
    let wish = if sequential { Wish::Through } else { Wish::AsTheModeSays };
    let pages = range.end.div_ceil(PAGE) - range.start / PAGE;
    let turn = match decide(cache, backing, locks, range, pages, wish).await {
        Err(error) => return (buffer, Err(error)),
        Ok(Way::Through(turn)) => return through(cache, backing, turn, range, buffer, sequential).await,
        Ok(Way::Back(decided)) => {
            let was_cached = cache.has_all(&range);
            count_write(cache, true, was_cached);
            let (buffer, result) = write_back(cache, backing, locks, decided, range, buffer).await;
            // Nothing that guests wrote is lost with a flash that failed, or is full of what cannot go: the disk goes on without.
            match &result {
                Err(error) if can_go_without(cache, error) => {}
                _ => return (buffer, result),
            }
            match decide(cache, backing, locks, range, pages, Wish::NotBack).await {
                Ok(Way::Through(turn)) => (buffer, turn),
                Ok(Way::Back(_)) | Err(_) => return (buffer, result),
            }
        }
    };
    let (buffer, turn) = turn;
    through(cache, backing, turn, range, buffer, sequential).await
}

/// Writes to the backing first.
async fn through<B: BlockDevice, F: BlockDevice, H: Host>(
    cache: &Rc<DiskCache<F, H>>,
    backing: &B,
    turn: Turn,
    range: ByteRange,
    buffer: Buffer,
    sequential: bool,
) -> Outcome {
    let edges = Edges::take(cache, &range);
    let mutation = match Mutation::begin(cache, turn).await {
        Ok(mutation) => mutation,
        Err(error) => return (buffer, Err(error)),
    };
    let keeps = cache.settings.borrow().mode.row().writes_enter;
    let enters = keeps && (mutation.was_cached || !sequential);
    let epoch = cache.backing_epoch.get();
    count(&cache.counters.backing_writes, 1);
    count(&cache.counters.backing_write_bytes, range.len());
    count_write(cache, enters, mutation.was_cached);
    cache.back.guest_waited.set(cache.pool.host.now());
    let (buffer, result) = backing.write(range.start, buffer).await;
    match &result {
        Ok(()) => {
            let kept = is_same(cache, backing, epoch);
            if enters && kept && !cache.fills.borrow().distrusts(&range) {
                enter(cache, &range, &buffer, &edges, mutation.sequence);
            }
            // Acknowledged from here on: the backing has it, and no cached page says otherwise.
            mutation.succeed();
        }
        Err(_) => count(&cache.counters.backing_errors, 1),
    }
    (buffer, result)
}

/// Whether the backing can take what the log did not.
pub(super) fn can_go_without<F: BlockDevice, H: Host>(cache: &DiskCache<F, H>, error: &BlockError) -> bool {
    let log_failed = cache.pool.is_failed() || error.kind == ErrorKind::NoSpace;
    log_failed && cache.check_alive(Operation::Write).is_ok() && !cache.leaving.get()
}

/// Whether a write is part of a long sequential run of misses.
fn is_sequential<F: BlockDevice, H: Host>(cache: &DiskCache<F, H>, range: &ByteRange) -> bool {
    let cutoff = cache.settings.borrow().sequential_cutoff_bytes;
    let run = if cache.has_all(range) { 0 } else { cache.missed_writes.borrow_mut().run_length(range) };
    cutoff > 0 && run > cutoff
}

/// What is wanted of a change, beside what the mode says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    AsTheModeSays,
    /// To the backing, if nothing is in the way.
    Through,
    /// To the backing: the log does not take it.
    NotBack,
}

/// Decides which way a change takes, and waits until nothing is in its way: earlier changes of the same pages, and what is
/// dirty of them if it is to go to the backing (rule I12). `adds` are the pages that become dirty otherwise.
///
/// # Errors
/// If what is dirty cannot be destaged, or the disk stopped.
pub(super) async fn decide<B: BlockDevice, F: BlockDevice, H: Host>(
    cache: &Rc<DiskCache<F, H>>,
    backing: &B,
    locks: &RangeLock,
    range: ByteRange,
    adds: u64,
    wish: Wish,
) -> Result<Way<F, H>, BlockError> {
    let pages = range.start / PAGE..range.end.div_ceil(PAGE);
    loop {
        let mut writer = None;
        // What stands in for lost content goes where that was, in every mode: so it is not lost any more.
        let replaces_lost = || cache.dirty.borrow().lost().overlaps(&pages);
        let writes_back =
            || wish != Wish::NotBack && (cache.writes_back() || cache.can_write_back() && replaces_lost());
        if writes_back() && (adds <= throttle::largest(cache) || replaces_lost()) {
            // Before the turn: destage may need it.
            writer = Some(throttle::admit(cache, adds).await?);
        }
        let turn = Turn::wait(cache, locks, backing.geometry().physical_block, range).await;
        cache.check_alive(Operation::Write)?;
        let dirty = cache.dirty.borrow().overlaps(&pages);
        let may = writes_back() && !cache.fills.borrow().distrusts(&range);
        let wanted = dirty && !canary::has(Bug::BypassOverDirty) || wish == Wish::AsTheModeSays;
        if let Some(writer) = writer.take_if(|_| may && wanted) {
            return Ok(Way::Back(Decided { guard: turn.into_guard(), writer }));
        }
        drop(writer);
        if !dirty || canary::has(Bug::BypassOverDirty) {
            return Ok(Way::Through(turn));
        }
        drop(turn);
        wait_clean(cache, &pages).await?;
        if replaces_lost()
            && (wish == Wish::NotBack || !cache.can_write_back() || cache.fills.borrow().distrusts(&range))
        {
            let lost = BlockError::new(ErrorKind::Corrupt, Operation::Write, range);
            return Err(
                lost.because("flash lost what the backing does not have, and takes nothing in its place")
            );
        }
    }
}

fn count_write<F: BlockDevice, H: Host>(cache: &DiskCache<F, H>, enters: bool, was_cached: bool) {
    let counter = match (enters, was_cached) {
        (false, _) => &cache.counters.writes_bypassed,
        (true, true) => &cache.counters.write_hits,
        (true, false) => &cache.counters.write_misses,
    };
    count(counter, 1);
}

/// Copies of the pages that the write covers only in part, if RAM had them: the rest of such a page stays as it was,
/// so it can stay cached.
struct Edges {
    pages: Vec<(PageNumber, Box<[u8]>)>,
}

impl Edges {
    fn take<F: BlockDevice, H: Host>(cache: &DiskCache<F, H>, range: &ByteRange) -> Self {
        let whole = range.narrowed(PAGE);
        let first = PageNumber(range.start / PAGE);
        let last = PageNumber((range.end - 1) / PAGE);
        let ram = cache.ram.borrow();
        let partial = |page: &PageNumber| whole.intersection(&page.range()).is_empty();
        let mut pages = Vec::new();
        for page in [first, last].iter().take(if first == last { 1 } else { 2 }).filter(|page| partial(page))
        {
            pages.extend(ram.peek(*page).map(|bytes| (*page, bytes.into())));
        }
        Self { pages }
    }
}

fn enter<F: BlockDevice, H: Host>(
    cache: &DiskCache<F, H>,
    range: &ByteRange,
    bytes: &[u8],
    edges: &Edges,
    sequence: Sequence,
) {
    let whole = range.narrowed(PAGE);
    for page in (whole.start / PAGE..whole.end / PAGE).map(PageNumber) {
        let at = (page.offset() - range.start) as usize;
        cache.enter(page, &bytes[at..at + PAGE as usize], sequence, Standing::New);
    }
    for (page, before) in &edges.pages {
        let mut content = before.clone();
        let part = page.range().intersection(range);
        let (to, from) = ((part.start - page.offset()) as usize, (part.start - range.start) as usize);
        let len = part.len() as usize;
        content[to..to + len].copy_from_slice(&bytes[from..from + len]);
        cache.enter(*page, &content, sequence, Standing::New);
    }
}
