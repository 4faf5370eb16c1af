//! Commit: in write-back, writes of guests go to the log, as many as are queued in one batch (group commit).
//!
//! ```text
//!   writers ──> queue ──> one batch: header and pages ── written ──> index, dirty, RAM ──> acknowledged
//! ```
//! Written data survives the process; only a flush makes it survive a power cut. Acknowledged data is indexed in the very
//! step in which the log is free for the next batch, so that nothing older of a page is ever appended behind it.

use std::ops::Range;
use std::pin::pin;
use std::rc::Rc;

use block::{BlockError, ByteRange, ErrorKind, Host, Operation, PAGE, Unmap};
use futures_util::future::{Either, select};
use smallvec::SmallVec;
use tokio::sync::oneshot;

use super::back::Writer;
use super::commit_queue::LogContent;
use super::disk_cache::DiskCache;
use super::promote::record_places;
use crate::state::fills::MutationNumber;
use crate::state::index::FlashLocation;
use crate::state::learned::{ArrivalClass, By};
use crate::state::ram::PromotionState;
use crate::state::segments::SegmentPurpose;
use crate::storage::log::{Appender, Batch, WrittenBatch};
use crate::storage::pool::{NoSegment, Pool};
use crate::types::canary::{self, Bug};
use crate::types::env::Env;
use crate::types::limits::{PAGE_BYTES, ROOM_WAIT_NS};
use crate::types::stats::count;
use crate::types::units::PageNumber;

/// Guards that a write keeps until it has ended: overlapping writes wait for it, and no fill enters that began before.
pub(super) struct WriteGuards<E: Env, G> {
    pub(super) _writer: Writer<E>,
    pub(super) _poison: Poison<E>,
    /// A [`block::RangeGuard`], or a share in the one of all parts of a change.
    pub(super) _guard: G,
}

/// A mutation that the backing never sees: when it ends, the content of the backing is unchanged.
pub(super) struct Poison<E: Env> {
    pub(super) cache: Rc<DiskCache<E>>,
    pub(super) number: MutationNumber,
}

impl<E: Env> Drop for Poison<E> {
    fn drop(&mut self) {
        self.cache.coherence.finish_mutation(&self.number);
    }
}

/// A log in which nothing is written for so long is at rest: nanoseconds.
const REST_NS: u64 = 100_000_000;

/// Commits for one disk until it leaves.
pub(crate) async fn run<E: Env>(cache: Rc<DiskCache<E>>) {
    let _end = End(&cache);
    while !cache.leaving.get() {
        rest(&cache).await;
        while !cache.back.commits.is_empty() {
            if let Err(error) = commit_batch(&cache).await {
                cache.back.commits.fail_all(&error);
            }
        }
    }
}

/// Fails all queued writes when the commit task ends, also if the executor drops it: writes in the queue keep the disk alive.
struct End<'a, E: Env>(&'a DiskCache<E>);

impl<E: Env> Drop for End<'_, E> {
    fn drop(&mut self) {
        drop(self.0.back.commits.take());
    }
}

/// Waits until there may be something to commit. Once the log is at rest, it records on flash how much of it was flushed: otherwise damage
/// to the last batch would look, after a power cut, like the end of a log that was never flushed (rule I6).
async fn rest<E: Env>(cache: &Rc<DiskCache<E>>) {
    let host = &cache.pool.host;
    let rested = host.now() + REST_NS;
    while cache.log.durable_marker_pending() && !cache.pool.is_failed() {
        let (queued, resting) = (pin!(cache.back.commits.woken()), pin!(host.sleep_until(rested)));
        if let Either::Left(_) = select(queued, resting).await {
            if cache.leaving.get() || !cache.back.commits.is_empty() {
                return;
            }
            // A guest flushed earlier writes: that is no reason to rest for longer.
            continue;
        }
        if cache.log.write_durable_marker().await.is_err() {
            // The flash failed. The next writer gets the error.
            break;
        }
        // No writer waits for this flush: the next header contains the same. But it is never cancelled: its failure may be reported once
        // only, and concerns every client (rule I5).
        let ours = Rc::clone(cache);
        host.spawn(async move { drop(ours.log.make_durable().await) });
        return;
    }
    cache.back.commits.woken().await;
}

async fn commit_batch<E: Env>(cache: &DiskCache<E>) -> Result<(), BlockError> {
    cache.check_alive(Operation::Write)?;
    let appender = match cache.log.begin_within(SegmentPurpose::GuestWrite, ROOM_WAIT_NS).await {
        Ok(appender) => appender,
        Err(no_segment) => return Err(refusal(no_segment)),
    };
    if cache.back.commits.is_empty() {
        // The disk stopped meanwhile.
        return Ok(());
    }
    let (parts, pages) = plan(cache, appender.room());
    let batch = gather(cache, &appender, &parts, pages);
    if canary::has(Bug::AckBeforeWrite) {
        settle_early(cache, &parts);
    }
    let outcome = appender.write(batch).await;
    let written = match (outcome, cache.pool.notice_failure()) {
        (Ok(written), false) => written,
        // Another device takes it, if there is one.
        (Err(_), false) => return Ok(()),
        // If another task found out meanwhile: a disk that had nothing dirty at that time is recorded as one whose flash is not trusted.
        (outcome, true) => {
            count(&cache.counters.flash_errors, 1);
            return Err(outcome.err().unwrap_or_else(Pool::<E>::gone));
        }
    };
    // If it stopped meanwhile, those in the queue are others.
    cache.check_alive(Operation::Write)?;
    settle(cache, &parts, &written);
    Ok(())
}

/// Returns the batch of these parts of the writes in the queue.
fn gather<E: Env>(
    cache: &DiskCache<E>,
    appender: &Appender<'_, E>,
    parts: &[Range<usize>],
    pages: usize,
) -> Batch {
    let mut batch = appender.batch(pages);
    for (pending, part) in cache.back.commits.borrow().iter().zip(parts) {
        match &pending.change {
            LogContent::Zeroes(unmap) => appender.add_zeroes(&mut batch, &pending.pages, *unmap),
            LogContent::Content(bytes) => {
                for at in part.clone() {
                    let page = PageNumber(pending.pages.start + at as u64);
                    let content = &bytes[at * PAGE_BYTES..(at + 1) * PAGE_BYTES];
                    appender.add_dirty(&mut batch, page, pending.sequence, content);
                }
            }
        }
    }
    batch
}

/// Returns the part of each write, from the first on, that goes into a batch with room for `room` entries, and the number of data pages of
/// all parts.
fn plan<E: Env>(cache: &DiskCache<E>, room: usize) -> (Vec<Range<usize>>, usize) {
    let (mut left, mut pages) = (room, 0);
    let mut parts = Vec::new();
    for pending in &*cache.back.commits.borrow() {
        if left == 0 {
            break;
        }
        let part = match &pending.change {
            LogContent::Zeroes(_) => 0..1,
            LogContent::Content(bytes) => {
                let part = pending.done..(bytes.len() / PAGE_BYTES).min(pending.done + left);
                pages += part.len();
                part
            }
        };
        left -= part.len();
        parts.push(part);
    }
    (parts, pages)
}

/// Updates the index for what is in the log, and acknowledges the writes that are there as a whole.
fn settle<E: Env>(cache: &DiskCache<E>, parts: &[Range<usize>], written: &WrittenBatch) {
    cache.back.record_dirty_batch(written.number);
    let mut located = written.located.iter();
    for part in parts {
        let mut queue = cache.back.commits.borrow_mut();
        let Some(pending) = queue.front_mut() else { break };
        let is_whole = match &pending.change {
            LogContent::Zeroes(unmap) => {
                cache.enter_zeroes(&pending.pages, *unmap);
                true
            }
            LogContent::Content(bytes) => {
                let places: SmallVec<[(PageNumber, FlashLocation); 1]> = part
                    .clone()
                    .map(|at| PageNumber(pending.pages.start + at as u64))
                    .zip(located.by_ref().copied())
                    .collect();
                cache.keep_versions(&places_of(&places));
                record_places(cache, written.number, &places, |extent| cache.catalog.insert_dirty(extent));
                cache.note_fresh();
                let pages = &pending.pages;
                let arrival =
                    ArrivalClass::with(By::Write, &ByteRange::new(pages.start * PAGE, pages.end * PAGE));
                for (at, (page, _)) in part.clone().zip(&places) {
                    let content = &bytes[at * PAGE_BYTES..(at + 1) * PAGE_BYTES];
                    let history = cache.note_rewritten(*page, arrival);
                    cache.enter(*page, content, pending.sequence, PromotionState::OnFlash, history);
                }
                pending.done = part.end;
                pending.done == bytes.len() / PAGE_BYTES
            }
        };
        if is_whole {
            let pending = queue.pop_front().expect("it is the first one");
            drop(queue);
            pending.end(Ok(()));
        }
    }
    cache.observe_dirty();
}

/// Returns the pages of places that follow each other.
fn places_of(places: &[(PageNumber, FlashLocation)]) -> Range<u64> {
    places.first().map_or(0..0, |(first, _)| first.0..first.0 + places.len() as u64)
}

/// Plants the bug of acknowledging before anything is written.
fn settle_early<E: Env>(cache: &DiskCache<E>, parts: &[Range<usize>]) {
    let mut queue = cache.back.commits.borrow_mut();
    for pending in queue.iter_mut().take(parts.len()) {
        let (unheard, _) = oneshot::channel();
        let acknowledge = std::mem::replace(&mut pending.acknowledge, unheard);
        drop(acknowledge.send((LogContent::Zeroes(Unmap::Forbidden), Ok(()))));
    }
}

/// Returns the error for a log that cannot be appended to.
fn refusal(reason: NoSegment) -> BlockError {
    let error = |kind| BlockError::anywhere(kind, Operation::Write);
    match reason {
        NoSegment::Failed => error(ErrorKind::Io).because("the flash failed"),
        NoSegment::Leaving => error(ErrorKind::Io).because("the disk is being detached, or stopped"),
        NoSegment::Exhausted => error(ErrorKind::NoSpace).because("no segment of the pool is free"),
    }
}
