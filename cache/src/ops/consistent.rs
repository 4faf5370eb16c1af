//! Consistent write-back: the backing gets nothing but what a group of the redo ring has, so that without the flash it is an older disk
//! and not a mix of old and new.
//!
//! ```text
//! enter:  writes go to the log only ── direct changes end ── nothing is on its way to the backing ── flush of the backing ── first group
//! group:  what is fresh becomes the group, in one step ── log durable ── content read from flash or RAM ── ring ── it counts
//! leave:  nothing is dirty ── ring void, durably ── changes of guests may go to the backing
//! ```
//! While the ring promises anything, one gate holds back every change that would go to the backing past the log (`write.rs`): it waits until
//! the ring is void, as a writer waits at the dirty limit. Destage takes only versions that a group has (`destage.rs`).
//!
//! **A version that is overwritten while its group is on its way** stays on flash until the group has ended: its place is kept here, and its
//! segment pinned. A group waits for nothing but flash and ring, so reclaim, which waits for pins, goes on.

use std::ops::Range;
use std::rc::Rc;

use block::{BlockDevice, BlockError, Buffer, ByteRange, ErrorKind, Host, Operation};
use redo::{Change, GroupContent, RedoRing, RingError};

use super::consistent_state::{ConsistencyStatistics, KeptVersion};
use super::ctx::Ctx;
use super::disk_cache::DiskCache;
use super::flash_run::{Fault, FlashRun};
use super::settle_log::settle_log;
use crate::state::catalog::ALL_PAGES;
use crate::state::dirty::{Dirty, DirtyRun};
use crate::state::journal::Journal;
use crate::types::canary::{self, Bug};
use crate::types::env::Env;
use crate::types::limits::{DESTAGE_PAGES_MAX, PAGE_BYTES};
use crate::types::settings::DestageOrder;
use crate::types::units::{PageNumber, SECOND_NS};

/// Pages after which a group begins: 64 MiB.
const GROUP_PAGES: u64 = 16_384;
/// Age of the oldest fresh page after which a group begins, in nanoseconds.
const GROUP_AGE_NS: u64 = SECOND_NS;
/// Rest after a group that failed, in nanoseconds.
const RETRY_NS: u64 = SECOND_NS / 4;

impl<E: Env> DiskCache<E> {
    /// Keeps the present versions of pages on flash if the group on its way has them: they are about to be overwritten. To be called in the
    /// step in which that happens.
    pub(super) fn keep_versions(&self, pages: &Range<u64>) {
        let of_group = |writing: &Dirty| writing.pages_within(pages.clone()).collect::<Vec<_>>();
        let Some(Some(overwritten)) = self.catalog.with_journal(|journal| journal.writing().map(of_group))
        else {
            return;
        };
        let mut kept = self.consistent.kept.borrow_mut();
        for page in overwritten {
            if let Some(located) = self.catalog.locate(PageNumber(page)) {
                let keep = || KeptVersion { located, _pin: self.pool.pin_owned(located.flash) };
                kept.entry(page).or_insert_with(keep);
            }
        }
    }

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

    /// Returns the state of consistent write-back; none in another order.
    pub(crate) fn consistency_statistics(&self) -> Option<ConsistencyStatistics> {
        let ring = self.consistent.ring()?;
        let fresh = self.catalog.with_journal(|journal| {
            let writing = journal.writing().map_or(0, Dirty::pages);
            (journal.fresh().pages() + writing) * PAGE_BYTES as u64
        });
        Some(ConsistencyStatistics {
            taken_at: ring.taken_at(),
            fresh_bytes: fresh.unwrap_or(0),
            ring_bytes: [ring.used_bytes(), ring.room_bytes()],
            failure: self.consistent.failure.borrow().clone(),
        })
    }

    /// Returns true if the disk is to be in consistent write-back now.
    fn wants_consistency(&self) -> bool {
        let settings = self.settings.borrow();
        settings.destage_order == DestageOrder::Consistent
            && settings.mode.row().writes_back
            && !self.back.destage.is_held()
            && !self.pool.is_failed()
            && self.flash_void.get().is_none()
    }
}

/// Enters or leaves consistent write-back, or writes a group, if it is time to. Returns the nanoseconds until the next step; none for the
/// next wake-up.
pub(crate) async fn step<E: Env>(ctx @ Ctx { cache, .. }: &Ctx<E>) -> Option<u64> {
    let state = &cache.consistent;
    let ring = state.ring()?;
    if cache.is_loading() || cache.back.stop.is_set() {
        return None;
    }
    if !cache.wants_consistency() {
        if !state.promises() {
            return None;
        }
        if !cache.back.throttle.has_writers() && !cache.catalog.can_destage(ALL_PAGES) {
            return void(cache, ring).await;
        }
        state.is_wanted.set(true);
    } else if !state.is_entered.get() {
        if let Err(error) = enter(ctx).await {
            return Some(failed(cache, RingError::Backing(error)));
        }
        return write_group(cache, ring).await;
    }
    let (is_fresh, pages) =
        cache.catalog.with_journal(|journal| (!journal.fresh().is_empty(), journal.fresh().pages()))?;
    if !is_fresh {
        state.is_wanted.set(false);
        return (!cache.wants_consistency()).then_some(RETRY_NS);
    }
    let now = cache.pool.host.now();
    let due = state.fresh_since.get().unwrap_or(now) + GROUP_AGE_NS;
    let is_much = pages >= GROUP_PAGES || pages * 4 >= cache.dirty_limit();
    if state.is_wanted.get() || is_much || now >= due {
        write_group(cache, ring).await
    } else {
        Some(due - now)
    }
}

/// Ends all ways to the backing but destage, and makes durable what went there. `promises` holds from the beginning.
async fn enter<E: Env>(Ctx { cache, backing, locks, flushes }: &Ctx<E>) -> Result<(), BlockError> {
    let was_promising = cache.consistent.promises.replace(true);
    let flushed = async {
        let _ended = locks.acquire(ByteRange::new(0, u64::MAX)).await;
        let _destaging = cache.back.destage.lock().await;
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
        flushes.flush(backing).await
    };
    let flushed = flushed.await;
    if flushed.is_ok() {
        cache.consistent.is_entered.set(true);
    } else if !was_promising {
        cache.catalog.keep_journal(false);
        cache.consistent.promises.set(false);
        cache.back.destage.wake_all();
    }
    flushed
}

/// Makes the ring void; everything is on the backing, flushed.
async fn void<E: Env>(cache: &Rc<DiskCache<E>>, ring: Rc<RedoRing<E::Backing>>) -> Option<u64> {
    let _changing = cache.consistent.lock().await;
    if cache.leaving.get() {
        return None;
    }
    let voided = cache.pool.host.to_its_end(async move { ring.void().await }).await;
    if let Err(error) = voided {
        return Some(failed(cache, error));
    }
    // In one step with this check: something may have become dirty meanwhile, by a writer that had passed the gate.
    if cache.back.throttle.has_writers() || cache.catalog.can_destage(ALL_PAGES) {
        cache.consistent.is_entered.set(false);
        return Some(0);
    }
    cache.consistent.is_entered.set(false);
    cache.consistent.promises.set(false);
    cache.consistent.failure.replace(None);
    cache.catalog.keep_journal(false);
    cache.back.destage.wake_all();
    None
}

/// Writes a group of all that is fresh now.
async fn write_group<E: Env>(cache: &Rc<DiskCache<E>>, ring: Rc<RedoRing<E::Backing>>) -> Option<u64> {
    let _changing = cache.consistent.lock().await;
    if cache.leaving.get() {
        return None;
    }
    let state = &cache.consistent;
    state.is_wanted.set(false);
    state.fresh_since.set(None);
    let taken_at = cache.pool.host.now() + state.clock_offset.get();
    let changes = cache.catalog.with_journal_mut(|journal| {
        journal.begin_group();
        changes_of(journal.writing().expect("it has just begun"))
    })?;
    let ours = Rc::clone(cache);
    let written = async move {
        if !canary::has(Bug::GroupBeforeLog) {
            settle_log(&ours).await.map_err(RingError::Abandoned)?;
        }
        let content = async |pages: &[u64]| content(&ours, pages).await;
        ring.write_group(taken_at, &changes, content).await
    };
    // A group that is dropped halfway would end the use of the ring.
    let written = cache.pool.host.to_its_end(written).await;
    cache.catalog.with_journal_mut(|journal| match written {
        Ok(number) => journal.complete_group(number),
        Err(_) => journal.abandon_group(),
    });
    state.kept.take();
    match written {
        Ok(_) => {
            state.failure.replace(None);
            cache.release_groups();
            tail_first(cache);
        }
        Err(error) => {
            state.fresh_since.set(Some(cache.pool.host.now()));
            return Some(failed(cache, error));
        }
    }
    cache.back.destage.wake_all();
    Some(0)
}

/// Has the first group destaged first once the ring is half full.
fn tail_first<E: Env>(cache: &DiskCache<E>) {
    let Some(ring) = cache.consistent.ring() else { return };
    if ring.used_bytes() * 2 > ring.room_bytes()
        && let Some(Some(page)) = cache.catalog.with_journal(Journal::first_page)
    {
        cache.back.destage.want(page..page + DESTAGE_PAGES_MAX);
    }
}

/// Records a failure. Returns the rest until the next step.
fn failed<E: Env>(cache: &DiskCache<E>, error: RingError) -> u64 {
    if matches!(error, RingError::NoRoom { .. }) {
        // What makes room is destage.
        tail_first(cache);
    } else {
        tracing::debug!(disk = %cache.id, %error, "A group of the redo ring failed; its data stays on flash");
    }
    cache.consistent.failure.replace(Some(error));
    RETRY_NS
}

fn changes_of(writing: &Dirty) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut at = 0;
    while let Some(run) = writing.next_run(at, GROUP_PAGES) {
        match run {
            DirtyRun::Pages(pages) => {
                at = pages.end;
                changes.extend(pages.map(Change::Content));
            }
            DirtyRun::Zeroes(pages, unmap) => {
                at = pages.end;
                changes.push(Change::Zeroes(pages, unmap));
            }
        }
    }
    changes.extend(writing.lost().iter().map(Change::Lost));
    changes
}

/// Reads pages of the group on its way, as of its beginning.
async fn content<E: Env>(cache: &DiskCache<E>, pages: &[u64]) -> Result<GroupContent, BlockError> {
    let gone = || BlockError::anywhere(ErrorKind::Io, Operation::Read).because("the flash failed");
    let mut bytes = Buffer::zeroed(pages.len() * PAGE_BYTES);
    let (mut runs, mut wanted, mut damaged) = (Vec::new(), Vec::new(), Vec::new());
    if cache.pool.notice_failure() {
        return Err(gone());
    }
    for (at, page) in pages.iter().map(|page| PageNumber(*page)).enumerate() {
        let kept = cache.consistent.kept.borrow().get(&page.0).map(|kept| kept.located);
        let kept = kept.filter(|_| !canary::has(Bug::GroupOfNewest));
        let Some(located) = kept.or_else(|| cache.catalog.locate(page)) else {
            damaged.push(at);
            continue;
        };
        let place = &mut bytes[at * PAGE_BYTES..(at + 1) * PAGE_BYTES];
        if cache.with_ram(page, located, |content| place.copy_from_slice(content)).is_none() {
            FlashRun::add(&mut runs, cache, page, located);
            wanted.push(at);
        }
    }
    let mut wanted = wanted.into_iter();
    for run in runs {
        let buffer = Buffer::zeroed(run.bytes());
        let read = run.read(cache, buffer).await;
        for (page, at) in read.pages().zip(wanted.by_ref()) {
            match page.content {
                Ok(content) => bytes[at * PAGE_BYTES..(at + 1) * PAGE_BYTES].copy_from_slice(content),
                Err(Fault::Content) => damaged.push(at),
                Err(Fault::Device) => return Err(gone()),
            }
        }
    }
    if cache.pool.notice_failure() { Err(gone()) } else { Ok(GroupContent { bytes, damaged }) }
}
