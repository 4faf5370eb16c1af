//! Consistent write-back: the backing gets nothing but what a group of the redo ring has, so that without the flash it is an older disk
//! and not a mix of old and new.
//!
//! ```text
//! take over: a ring that promises something is believed if nothing went past it ── else it is void, durably, and nothing is held back
//! enter:  what is dirty fits a group ── writes go to the log only ── direct changes end ── nothing is on its way to the backing
//!         ── flush of the backing ── first group
//! group:  what is fresh becomes the group, in one step ── log durable ── content read from flash or RAM ── ring ── it counts
//! leave:  nothing is dirty ── ring void, durably ── changes of guests may go to the backing
//! ```
//! While the ring promises anything, one gate holds back every change that would go to the backing past the log (`write.rs`): it waits until
//! the ring is void, as a writer waits at the dirty limit. Destage takes only versions that a group has (`destage.rs`). Another order of
//! destage ends the promise at once, whatever is dirty: it is also the way out if the backing refuses something for good.
//!
//! **A version that is overwritten while its group is on its way** stays on flash for a while (`kept_versions.rs`). What helps a ring that takes
//! no group is in `ring_replay.rs`.
//!
//! **A backing with atomic flushes needs no ring**: groups go there, whatever the order of destage is (`backing_group.rs`). "Void" means then
//! that nothing is dirty and no group is on its way.

use std::pin::pin;
use std::rc::Rc;

use block::{BlockDevice, BlockError, ByteRange, ErrorKind, Host, Operation, RangeGuard};
use futures_util::future::{Either, select};
use redo::{RedoRing, RingError};
use tokio::sync::MutexGuard;

use super::backing_group;
use super::consistent_state::{ConsistencyStatistics, GroupTarget};
use super::covering::is_half;
use super::ctx::Ctx;
use super::disk_cache::DiskCache;
use super::group_content::{changes_of, content};
use super::kept_versions::KEPT_NS;
use super::ring_promise::{RETRY_NS, end_promise, failed, make_void, tail_first};
use super::ring_replay::handle_failure;
use super::set_link::{SetLink, SetWait};
use super::settle_log::settle_log;
use crate::state::catalog::ALL_PAGES;
use crate::state::dirty::Dirty;
use crate::state::journal::Journal;
use crate::types::canary::{self, Bug};
use crate::types::env::Env;
use crate::types::limits::PAGE_BYTES;
use crate::types::settings::DestageOrder;
use crate::types::units::SECOND_NS;

/// Pages after which a group begins: 64 MiB.
const GROUP_PAGES: u64 = 16_384;
/// Age of the oldest fresh page after which a group begins, in nanoseconds.
const GROUP_AGE_NS: u64 = SECOND_NS;
/// Longest wait for a ring that is to be left, in nanoseconds.
const LEAVE_NS: u64 = 30 * SECOND_NS;

/// Acknowledged writes that are in no group that counts.
pub(super) struct Uncovered {
    /// Pages with content.
    pub(super) pages: u64,
    /// Time of the oldest write.
    pub(super) since: Option<u64>,
}

impl<E: Env> DiskCache<E> {
    /// Records that something became fresh.
    pub(super) fn note_fresh(&self) {
        if self.consistent.promises() && self.consistent.fresh_since.get().is_none() {
            self.consistent.fresh_since.set(Some(self.pool.host.now()));
            self.consistent.wake();
        }
    }

    /// Gives the ring the room of groups that are not needed any more.
    pub(super) fn release_groups(&self) {
        let needed = self.catalog.with_journal(Journal::first_needed);
        if let (Some(needed), Some(ring)) = (needed, self.consistent.ring()) {
            ring.release_before(needed.unwrap_or(u64::MAX));
        }
    }

    /// Begins a group of all that is fresh; none without a journal. To be called under the lock of groups, as what ends it.
    pub(super) fn begin_group(&self) -> Option<Dirty> {
        let state = &self.consistent;
        let group = self.catalog.with_journal_mut(|journal| {
            journal.begin_group();
            journal.writing().expect("it has just begun").clone()
        })?;
        state.groups_begun.set(state.groups_begun.get() + 1);
        state.is_wanted.set(false);
        state.writing_since.set(state.fresh_since.take());
        Some(group)
    }

    /// Records that the group on its way counts, which has so many pages and took so many nanoseconds.
    pub(super) fn count_group(&self, number: u64, pages: u64, took: u64) {
        let state = &self.consistent;
        self.catalog.with_journal_mut(|journal| journal.complete_group(number));
        drop(state.kept.take());
        state.writing_since.take();
        state.failure.replace(None);
        state.used_when_full.set(None);
        state.counted.set(state.groups_begun.get());
        state.progress_at.set(self.pool.host.now());
        state.record_rate(pages, took);
    }

    /// Records that the group on its way does not count: what it has is fresh again.
    pub(super) fn abandon_group(&self) {
        let state = &self.consistent;
        self.catalog.with_journal_mut(Journal::abandon_group);
        drop(state.kept.take());
        let since = state.writing_since.take();
        // The older of the two.
        state.fresh_since.set(since.or(state.fresh_since.get()));
    }

    /// Returns the state of consistent write-back; none while its groups have no place to go.
    pub(crate) fn consistency_statistics(&self) -> Option<ConsistencyStatistics> {
        let state = &self.consistent;
        let ring_bytes = match state.target()? {
            GroupTarget::Ring(ring) => [ring.used_bytes(), ring.room_bytes()],
            GroupTarget::Backing => [0; 2],
        };
        let Uncovered { pages, since } = self
            .uncovered()
            .unwrap_or_else(|| Uncovered { pages: 0, since: self.back.destage.dirty_since() });
        Some(ConsistencyStatistics {
            taken_at: state.taken_at(),
            uncovered_ns: since.map_or(0, |since| self.pool.host.now().saturating_sub(since)),
            fresh_bytes: pages * PAGE_BYTES as u64,
            ring_bytes,
            backing_as_of: state.pause.as_of(),
            replays: state.replays.get(),
            failure: state.failure.borrow().clone(),
            set: state.set().map(|set| set.statistics()),
        })
    }

    /// Returns what no group has that counts; none without a journal.
    pub(super) fn uncovered(&self) -> Option<Uncovered> {
        let state = &self.consistent;
        self.catalog.with_journal(|journal| {
            let sets =
                [(Some(journal.fresh()), &state.fresh_since), (journal.writing(), &state.writing_since)];
            let pages = sets.iter().filter_map(|(set, _)| *set).map(Dirty::pages).sum();
            let is_empty = |set: Option<&Dirty>| set.is_none_or(Dirty::is_empty);
            let since =
                sets.into_iter().filter(|(set, _)| !is_empty(*set)).filter_map(|(_, since)| since.get());
            Uncovered { pages, since: since.min() }
        })
    }

    /// Returns the age of the oldest fresh page after which a group begins, in nanoseconds.
    pub(super) fn group_age(&self) -> u64 {
        let longest = self.settings.borrow().consistent_age_max_ns;
        longest.map_or(GROUP_AGE_NS, |longest| GROUP_AGE_NS.min(longest / 4))
    }

    /// Returns true if groups may go there: they still do, and the disk is not being detached.
    pub(super) fn may_use(&self, target: &GroupTarget<E>) -> bool {
        self.consistent.is_target(target) && !self.leaving.get()
    }

    /// Returns true if the order of destage is the consistent one: as set, or because the backing gets groups.
    pub(super) fn has_consistent_order(&self) -> bool {
        self.consistent.is_to_backing() || self.settings.borrow().destage_order == DestageOrder::Consistent
    }

    /// Has groups go to the backing, which has atomic flushes. To be called once it is known whether flash may hold dirty data, and before
    /// that is loaded.
    pub(crate) fn use_backing_for_groups(&self) {
        let may_lack = self.back.is_marked_dirty();
        self.consistent.use_backing(may_lack);
        self.catalog.keep_journal(may_lack);
    }

    /// Returns true if the disk is to be in consistent write-back now.
    pub(crate) fn wants_consistency(&self) -> bool {
        self.has_consistent_order()
            && self.settings.borrow().mode.row().writes_back
            && !self.back.destage.is_held()
            && !self.pool.is_failed()
            && self.flash_void.get().is_none()
    }

    /// Returns true if the promise may end: it is not wanted, and everything is destaged or the order of destage is another one.
    fn may_void(&self) -> bool {
        !self.wants_consistency() && (!self.has_consistent_order() || self.is_destaged())
    }

    /// Returns true if nothing is dirty that destage can bring to the backing, and nothing is about to become so.
    fn is_destaged(&self) -> bool {
        !self.back.throttle.has_writers() && !self.catalog.can_destage(ALL_PAGES)
    }
}

/// Enters or leaves consistent write-back, or writes a group, if it is time to. Returns the nanoseconds until the next step; none for the
/// next wake-up.
pub(crate) async fn step<E: Env>(ctx @ Ctx { cache, .. }: &Ctx<E>) -> Option<u64> {
    let state = &cache.consistent;
    let target = state.target()?;
    if let GroupTarget::Ring(ring) = &target
        && let Some(error) = state.cut_failure.take()
    {
        return handle_failure(ctx, ring, error).await;
    }
    let now = cache.pool.host.now();
    if now < state.retry_at.get() {
        return Some(state.retry_at.get() - now);
    }
    if let GroupTarget::Ring(ring) = &target
        && !state.is_taken_over.get()
    {
        return take_over(cache, Rc::clone(ring)).await;
    }
    if cache.is_loading() || cache.back.stop.is_set() {
        return None;
    }
    if !cache.wants_consistency() {
        if !state.promises() {
            return None;
        }
        if cache.may_void() {
            return void(ctx, target).await;
        }
        state.is_wanted.set(true);
    }
    // A group that fails at the backing must not take along what went there before.
    if !state.is_entered.get() && (cache.wants_consistency() || state.is_to_backing()) {
        if let GroupTarget::Ring(ring) = &target
            && !state.promises()
            && !fits(cache, ring)
        {
            // It is above the dirty limit, so destage works.
            return Some(RETRY_NS);
        }
        if let Err(error) = enter(ctx).await {
            return Some(failed(cache, RingError::Backing(error)));
        }
        state.is_wanted.set(true);
    }
    let (is_fresh, pages) =
        cache.catalog.with_journal(|journal| (!journal.fresh().is_empty(), journal.fresh().pages()))?;
    // The first group counts also if nothing is dirty: something is promised from then on.
    let is_first = cache.wants_consistency() && state.taken_at().is_none();
    let set = state.set().filter(|_| !state.is_to_backing());
    let is_changed = set.as_ref().is_some_and(|set| set.is_changed());
    if !is_fresh && !is_first && !is_changed {
        state.is_wanted.set(false);
        return (!cache.wants_consistency()).then_some(RETRY_NS);
    }
    let now = cache.pool.host.now();
    if state.fresh_since.get().is_none() && (is_fresh || is_first) {
        state.fresh_since.set(Some(now));
    }
    if let GroupTarget::Backing = target {
        if cache.stays_paused() {
            return None;
        }
        let rest = backing_group::rest(cache, now);
        if rest > 0 {
            return Some(rest);
        }
    }
    let due = state.fresh_since.get().unwrap_or(now) + cache.group_age();
    let is_much = pages >= GROUP_PAGES || pages * 4 >= cache.dirty_limit() || is_half(cache, pages);
    if !state.is_wanted.get() && !is_much && !is_changed && now < due {
        return Some(due - now);
    }
    if let Some(set) = set {
        return cut(cache, &*set).await;
    }
    match (write_group(ctx, &target).await, target) {
        (Ok(()), _) => Some(0),
        (Err(error), GroupTarget::Ring(ring)) => handle_failure(ctx, &ring, error).await,
        (Err(error), GroupTarget::Backing) => Some(failed(cache, error)),
    }
}

/// Brings all members of the set of a disk to a cut. Returns the nanoseconds until the next step.
async fn cut<E: Env>(cache: &DiskCache<E>, set: &dyn SetLink) -> Option<u64> {
    let rest = set.rest(cache.pool.host.now());
    if rest > 0 {
        return Some(rest);
    }
    match set.cut(cache.id).await {
        Ok(()) => Some(0),
        // A failure of its own ring is handled at once.
        Err(_) if cache.consistent.cut_failure.borrow().is_some() => Some(0),
        Err(wait) => {
            if wait != SetWait::Disk(cache.id) {
                cache.consistent.failure.replace(Some(wait.failure()));
            }
            Some(RETRY_NS)
        }
    }
}

/// Takes over a ring: it is believed if nothing can have changed the backing past it. Else it is made void, and nothing is held back.
async fn take_over<E: Env>(cache: &Rc<DiskCache<E>>, ring: Rc<RedoRing<E::Backing>>) -> Option<u64> {
    let state = &cache.consistent;
    let _changing = state.lock().await;
    if !cache.may_use(&GroupTarget::Ring(Rc::clone(&ring))) {
        return Some(RETRY_NS);
    }
    if ring.taken_at().is_none() || !state.promises() {
        let ours = Rc::clone(&ring);
        // One copy of its directory may say something else.
        let voided =
            async move { if ours.taken_at().is_some() { ours.void().await } else { ours.settle().await } };
        if let Err(error) = cache.pool.host.to_its_end(voided).await {
            return Some(failed(cache, error));
        }
        end_promise(cache);
    } else if state.set().is_none() && ring.set().is_some() {
        let left = cache.pool.host.to_its_end(async move { ring.leave_set().await });
        if let Err(error) = left.await {
            return Some(failed(cache, error));
        }
    }
    state.is_taken_over.set(true);
    cache.back.destage.wake_all();
    Some(0)
}

/// Returns true if everything that is dirty fits into an empty ring as a group.
fn fits<E: Env>(cache: &DiskCache<E>, ring: &RedoRing<E::Backing>) -> bool {
    cache.catalog.with_dirty(|dirty| {
        let ranges = dirty.zeroes_within(ALL_PAGES).count() + dirty.lost().len();
        ring.fits_when_empty(dirty.pages() as usize + ranges, dirty.pages())
    })
}

/// Ends all ways to the backing but destage, and makes durable what went there. `promises` holds from the beginning.
async fn enter<E: Env>(ctx @ Ctx { cache, backing, flushes, .. }: &Ctx<E>) -> Result<(), BlockError> {
    let state = &cache.consistent;
    let was_promising = state.promises.replace(true);
    state.is_entering.set(!was_promising);
    let flushed = async {
        let _ended = end_changes(ctx).await;
        if cache.leaving.get() {
            // The backing may belong to another shard by now.
            return Err(
                BlockError::anywhere(ErrorKind::Gone, Operation::Flush).because("the disk is being detached")
            );
        }
        if backing.has_unanswered() {
            return Err(BlockError::anywhere(ErrorKind::Unanswered, Operation::Write)
                .because("the backing did not answer an earlier write, which may still be done"));
        }
        if !was_promising {
            cache.catalog.keep_journal(true);
        }
        let is_fresh = cache.catalog.with_journal(|journal| !journal.fresh().is_empty()) == Some(true);
        if is_fresh && state.fresh_since.get().is_none() {
            state.fresh_since.set(cache.back.destage.dirty_since());
        }
        let through = cache.back.backing_changes_to_flush();
        flushes.flush(backing).await?;
        if let Some(through) = through.filter(|_| state.is_to_backing()) {
            // A flush of a guest would wait for a whole group.
            cache.back.record_backing_flushed(through);
        }
        Ok(())
    };
    let flushed = flushed.await;
    state.is_entering.set(false);
    if flushed.is_ok() {
        state.is_entered.set(true);
        cache.back.destage.wake_waiters();
    } else if !was_promising {
        end_promise(cache);
    }
    flushed
}

/// Waits until nothing changes the backing, and lets nothing as long as the guards live.
async fn end_changes<E: Env>(Ctx { cache, locks, .. }: &Ctx<E>) -> (RangeGuard, MutexGuard<'_, ()>) {
    loop {
        let ended = locks.acquire(ByteRange::new(0, u64::MAX)).await;
        if let Some(destaging) = cache.back.destage.try_lock() {
            return (ended, destaging);
        }
        // A round may wait for a range, if blocks of the backing are larger than pages. Writes that hold a range may need the room that
        // it makes.
        drop(ended);
        drop(cache.back.destage.lock().await);
    }
}

/// Makes the ring void: everything is on the backing, flushed, or the order of destage is another one. If groups go to the backing, ends the
/// promise.
async fn void<E: Env>(ctx @ Ctx { cache, .. }: &Ctx<E>, target: GroupTarget<E>) -> Option<u64> {
    let _changing = cache.consistent.lock().await;
    if !cache.may_use(&target) {
        return Some(RETRY_NS);
    }
    if !cache.may_void() {
        // It is wanted again since, and statistics may have said what the ring promises.
        return Some(0);
    }
    match target {
        GroupTarget::Ring(ring) => {
            if let Err(error) = make_void(cache, ring).await {
                return Some(failed(cache, error));
            }
        }
        GroupTarget::Backing => {
            if let Err(error) = backing_group::settle(ctx).await {
                return Some(failed(cache, RingError::Backing(error)));
            }
            if !cache.is_destaged() {
                return Some(0);
            }
            end_promise(cache);
        }
    }
    cache.consistent.failure.replace(None);
    // It may be wanted again.
    Some(0)
}

/// Stops using a ring, in another order of destage than the consistent one: waits until it promises nothing.
pub(crate) async fn leave_ring<E: Env>(cache: &DiskCache<E>) -> Result<(), BlockError> {
    let state = &cache.consistent;
    let end = cache.pool.host.now() + LEAVE_NS;
    let promises = || state.ring().is_some() && (state.promises() || !state.is_taken_over.get());
    let error = |kind, reason: String| BlockError::anywhere(kind, Operation::Write).because(reason);
    loop {
        let progress = cache.back.destage.progress();
        if state.is_to_backing() {
            return Ok(());
        }
        if cache.has_consistent_order() {
            let reason = "the order of destage is consistent, which needs the redo ring".to_owned();
            return Err(error(ErrorKind::InvalidRequest, reason));
        }
        if !promises() {
            let _changing = state.lock().await;
            if !promises() && !cache.has_consistent_order() {
                state.drop_ring();
                return Ok(());
            }
            continue;
        }
        cache.check_alive(Operation::Write)?;
        if cache.leaving.get() {
            return Err(error(ErrorKind::Gone, "the disk is being detached".to_owned()));
        }
        if cache.pool.host.now() >= end {
            let failure = state.failure.borrow().as_ref().map_or_else(String::new, ToString::to_string);
            return Err(error(
                ErrorKind::Io,
                format!("the redo ring was not made void for that long. {failure}"),
            ));
        }
        state.wake();
        select(pin!(progress), pin!(cache.pool.host.sleep_until(end))).await;
    }
}

/// Writes a group of all that is fresh now.
async fn write_group<E: Env>(
    ctx @ Ctx { cache, .. }: &Ctx<E>,
    target: &GroupTarget<E>,
) -> Result<(), RingError> {
    let state = &cache.consistent;
    // In the order in which a disk that is detached takes the two.
    let _destaging = match target {
        GroupTarget::Ring(_) => None,
        GroupTarget::Backing => Some(cache.back.destage.lock().await),
    };
    let _changing = state.lock().await;
    let gone =
        || BlockError::anywhere(ErrorKind::Gone, Operation::Read).because("the disk is being detached");
    if !cache.may_use(target) {
        return Err(RingError::Abandoned(gone()));
    }
    if state.set().is_some() && !state.is_to_backing() {
        // It joined a set while this waited for its turn.
        return Ok(());
    }
    if let GroupTarget::Backing = target
        && cache.stays_paused()
    {
        // The pause began while this waited for its turn.
        return Ok(());
    }
    let began = cache.pool.host.now();
    let taken_at = state.wall_time();
    let group = cache.begin_group().ok_or_else(|| RingError::Abandoned(gone()))?;
    let written = match target {
        GroupTarget::Ring(ring) => {
            let changes = changes_of(&group);
            let (ours, to) = (Rc::clone(cache), Rc::clone(ring));
            let written = async move {
                make_log_durable(&ours).await?;
                to.write_group(taken_at, &changes, async |pages| content(&ours, pages).await).await
            };
            // A group that is dropped halfway would end the use of the ring.
            let written = keep_for_a_while(cache, cache.pool.host.to_its_end(written)).await;
            written.map(|number| (number, None))
        }
        GroupTarget::Backing => {
            let written = async {
                make_log_durable(cache).await?;
                backing_group::write(ctx, &group).await
            };
            let written = keep_for_a_while(cache, written).await;
            written.map(|given| (state.groups_begun.get(), Some(given)))
        }
    };
    let (number, given) = written.inspect_err(|_| cache.abandon_group())?;
    let took = cache.pool.host.now() - began;
    cache.count_group(number, group.pages(), took);
    match target {
        GroupTarget::Ring(ring) => {
            cache.release_groups();
            tail_first(cache, ring);
        }
        GroupTarget::Backing => {
            state.set_confirmed(Some(taken_at));
            if let Some(given) = given {
                backing_group::complete(cache, given, took).await;
            }
        }
    }
    cache.back.destage.wake_all();
    Ok(())
}

/// Makes the log durable up to the beginning of the group on its way.
pub(super) async fn make_log_durable<E: Env>(cache: &DiskCache<E>) -> Result<(), RingError> {
    if canary::has(Bug::GroupBeforeLog) {
        return Ok(());
    }
    settle_log(cache).await.map_err(RingError::Abandoned)
}

/// Waits until the group on its way is written, and keeps versions for it for a while.
pub(super) async fn keep_for_a_while<E: Env, T>(cache: &DiskCache<E>, written: impl Future<Output = T>) -> T {
    let mut written = pin!(written);
    match select(written.as_mut(), pin!(cache.pool.host.sleep(KEPT_NS))).await {
        Either::Left((written, _)) => written,
        Either::Right(_) => {
            if !canary::has(Bug::KeptForRing) {
                cache.consistent.kept.borrow_mut().give_up();
            }
            written.await
        }
    }
}
