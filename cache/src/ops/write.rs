//! Write: which way it takes; and the way through the cache: to the backing, then into RAM, then acknowledged. Nothing is awaited
//! between the last two.

use block::{BlockDevice, BlockError, Buffer, ByteRange, ErrorKind, Host, Operation, Outcome, PAGE};

use super::back;
use super::covering;
use super::ctx::Ctx;
use super::destage_wait::{Patience, check_stays, wait_clean, wait_until};
use super::disk_cache::DiskCache;
use super::mutation::{Mutation, MutationPermit};
use super::reconnect::is_same;
use super::throttle;
use super::write_back::{WriteBackPermit, write_back};
use crate::state::learned::{ArrivalClass, By};
use crate::state::ram::PromotionState;
use crate::storage::full_storage::out_of_space;
use crate::types::canary::{self, Bug};
use crate::types::env::Env;
use crate::types::limits::SPACE_WAIT_NS;
use crate::types::stats::count;
use crate::types::units::{PageNumber, pages_cut};

/// Route of a change.
pub(super) enum WriteRoute<E: Env> {
    /// To the log.
    Back(WriteBackPermit<E>),
    /// To the backing.
    Through(MutationPermit),
}

/// Writes `buffer` to `range`, which the caller has checked.
pub(crate) async fn write<E: Env>(
    ctx @ Ctx { cache, .. }: &Ctx<E>,
    range: ByteRange,
    buffer: Buffer,
) -> Outcome {
    let was_cached = cache.has_all(&range);
    let sequential = !was_cached && is_sequential(cache, &range);
    let preference = if sequential { RoutePreference::Through } else { RoutePreference::ByMode };
    let pages = range.end.div_ceil(PAGE) - range.start / PAGE;
    match decide(ctx, range, pages, preference).await {
        Err(error) => (buffer, Err(error)),
        Ok(WriteRoute::Through(turn)) => through(ctx, turn, range, buffer, sequential).await,
        Ok(WriteRoute::Back(decided)) => {
            count_write(cache, true, was_cached);
            let (buffer, result) = write_back(ctx, decided, range, buffer).await;
            let Err(error) = result else { return (buffer, Ok(())) };
            match go_without(ctx, range, error).await {
                Ok(turn) => through(ctx, turn, range, buffer, sequential).await,
                Err(error) => (buffer, Err(error)),
            }
        }
    }
}

/// Writes to the backing first.
async fn through<E: Env>(
    ctx @ Ctx { cache, backing, .. }: &Ctx<E>,
    turn: MutationPermit,
    range: ByteRange,
    buffer: Buffer,
    sequential: bool,
) -> Outcome {
    // Before anything is awaited: cached pages beside the range may be lost with a connection as well (rule I11).
    let epoch = cache.coherence.epoch();
    let edges = Edges::take(cache, &range);
    let mut mutation = match Mutation::begin(cache, turn).await {
        Ok(mutation) => mutation,
        Err(error) => return (buffer, Err(error)),
    };
    let keeps = cache.settings.borrow().mode.row().writes_enter;
    let enters = keeps && (mutation.was_cached || !sequential);
    count(&cache.counters.backing_writes, 1);
    count(&cache.counters.backing_write_bytes, range.len());
    count_write(cache, enters, mutation.was_cached);
    cache.back.destage.record_guest_wait(cache.pool.host.now());
    let (buffer, result) = backing.write(range.start, buffer).await;
    match &result {
        Ok(()) => {
            let kept = is_same(ctx, epoch);
            if enters && kept && !cache.coherence.distrusts(&range) {
                enter(cache, &range, &buffer, &edges, &mut mutation);
            }
            // Acknowledged from here on: the backing has it, and no cached page differs.
            mutation.succeed();
        }
        Err(_) => count(&cache.counters.backing_errors, 1),
    }
    (buffer, result)
}

/// Takes the right to make a change at the backing that the log did not take, if the log failed or is full of data that cannot go, and no
/// write of a guest is lost with it.
///
/// # Errors
/// The error of the log, if that is not so; or the error of the backing, if it does not take dirty data.
pub(super) async fn go_without<E: Env>(
    ctx @ Ctx { cache, .. }: &Ctx<E>,
    range: ByteRange,
    error: BlockError,
) -> Result<MutationPermit, BlockError> {
    if error.kind == ErrorKind::Unanswered && cache.pool.shared.lacks_space() {
        // It may still be in the queue, and goes nowhere else meanwhile. Guests see a full disk.
        return Err(BlockError { kind: ErrorKind::NoSpace, ..error });
    }
    let log_failed = cache.pool.is_failed() || error.kind == ErrorKind::NoSpace;
    if !log_failed || cache.check_alive(Operation::Write).is_err() || cache.leaving.get() {
        return Err(error);
    }
    match decide(ctx, range, 0, RoutePreference::NotBack).await {
        Ok(WriteRoute::Through(turn)) => Ok(turn),
        Ok(WriteRoute::Back(_)) => Err(error),
        // The log is full because of this.
        Err(cause) => Err(cause),
    }
}

/// Returns true if a write that misses is part of a long sequential run of such writes.
fn is_sequential<E: Env>(cache: &DiskCache<E>, range: &ByteRange) -> bool {
    let cutoff = cache.settings.borrow().sequential_cutoff;
    let run = cache.missed_writes.borrow_mut().run_length(range);
    cutoff.of_writes().is_some_and(|most| run > most)
}

/// Preferred route of a change, beside the mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RoutePreference {
    ByMode,
    /// To the backing, if nothing is in the way.
    Through,
    /// To the backing: the log does not take it.
    NotBack,
}

/// Decides the route of a change, and waits until nothing blocks it: earlier changes of the same pages, and their dirty data if it is to go
/// to the backing (rule I12). `adds` are the pages that become dirty otherwise.
///
/// # Errors
/// If dirty data cannot be destaged within the retry time, or the disk stopped.
pub(super) async fn decide<E: Env>(
    Ctx { cache, backing, locks, .. }: &Ctx<E>,
    range: ByteRange,
    adds: u64,
    preference: RoutePreference,
) -> Result<WriteRoute<E>, BlockError> {
    let pages = range.start / PAGE..range.end.div_ceil(PAGE);
    let since = cache.pool.host.recently();
    // Released once the change has its turn: consistent write-back begins again behind that.
    let mut hold = None;
    loop {
        let promises = cache.consistent.promises() && !canary::has(Bug::BypassOverRing);
        let preference = match preference {
            RoutePreference::Through if promises => RoutePreference::ByMode,
            other => other,
        };
        if cache.pool.shared.has_long_lacked_space()
            && cache.writes_back()
            && preference == RoutePreference::ByMode
        {
            let error = out_of_space(SPACE_WAIT_NS);
            return Err(BlockError { kind: ErrorKind::NoSpace, ..error });
        }
        let mut writer = None;
        // A replacement for lost content goes where that was, in every mode: so it is not lost any more.
        let replaces_lost = || cache.catalog.is_lost_within(&pages);
        let writes_back = || {
            preference != RoutePreference::NotBack
                && (cache.writes_back() || cache.can_write_back() && replaces_lost())
        };
        if writes_back() {
            let limit = cache.dirty_limit();
            if adds <= throttle::largest(limit) || replaces_lost() || promises {
                // Before the turn: destage may need it.
                covering::admit(cache, adds, since).await?;
                writer = Some(throttle::admit(cache, adds, limit, since).await?);
            }
        }
        let turn = MutationPermit::wait(cache, locks, backing.geometry().physical_block, range).await;
        cache.check_alive(Operation::Write)?;
        check_stays(cache)?;
        let dirty = cache.catalog.is_dirty_within(&pages);
        let may = writes_back() && !cache.coherence.distrusts(&range);
        let wanted = dirty && !canary::has(Bug::BypassOverDirty) || preference == RoutePreference::ByMode;
        if let Some(writer) = writer.take_if(|_| may && wanted) {
            return Ok(WriteRoute::Back(WriteBackPermit { guard: turn.into_guard(), writer }));
        }
        drop(writer);
        if cache.consistent.promises() && !canary::has(Bug::BypassOverRing) {
            drop(turn);
            let takes_it = || writes_back() && !cache.coherence.distrusts(&range);
            let is_never_taken = preference == RoutePreference::NotBack || cache.coherence.distrusts(&range);
            if is_never_taken && hold.is_none() && !canary::has(Bug::GateWithoutHold) {
                // Nothing else would have everything destaged, and the ring made void.
                hold = Some(back::hold(cache));
            }
            cache.consistent.wake();
            let may_go_on = || takes_it() || !cache.consistent.promises();
            wait_until(cache, Patience::Guest { since }, may_go_on).await?;
            continue;
        }
        if !dirty || canary::has(Bug::BypassOverDirty) {
            return Ok(WriteRoute::Through(turn));
        }
        drop(turn);
        wait_clean(cache, since, &pages).await?;
        if replaces_lost()
            && (preference == RoutePreference::NotBack
                || !cache.can_write_back()
                || cache.coherence.distrusts(&range))
        {
            let lost = BlockError::new(ErrorKind::Corrupt, Operation::Write, range);
            return Err(lost
                .because("flash lost data that the backing does not have, and takes nothing in its place"));
        }
    }
}

fn count_write<E: Env>(cache: &DiskCache<E>, enters: bool, was_cached: bool) {
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
    fn take<E: Env>(cache: &DiskCache<E>, range: &ByteRange) -> Self {
        let ram = cache.ram.borrow();
        let edges = pages_cut(range).filter_map(|page| Some((page, ram.peek(page)?.into())));
        Self { pages: edges.collect() }
    }
}

fn enter<E: Env>(
    cache: &DiskCache<E>,
    range: &ByteRange,
    bytes: &[u8],
    edges: &Edges,
    mutation: &mut Mutation<E>,
) {
    let Mutation { sequence, overwritten, .. } = mutation;
    let (whole, arrival) = (range.narrowed(PAGE), ArrivalClass::with(By::Write, range));
    for page in (whole.start / PAGE..whole.end / PAGE).map(PageNumber) {
        let at = (page.offset() - range.start) as usize;
        let content = &bytes[at..at + PAGE as usize];
        if !cache.is_remembered_as_zeroes(page, content) {
            let history = cache.new_version(page, arrival, overwritten);
            cache.enter(page, content, *sequence, PromotionState::New, history);
        }
    }
    for (page, before) in &edges.pages {
        let mut content = before.clone();
        let part = page.range().intersection(range);
        let (to, from) = ((part.start - page.offset()) as usize, (part.start - range.start) as usize);
        let len = part.len() as usize;
        content[to..to + len].copy_from_slice(&bytes[from..from + len]);
        let history = cache.new_version(*page, arrival, overwritten);
        cache.enter(*page, &content, *sequence, PromotionState::New, history);
    }
}
