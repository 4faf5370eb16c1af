//! Second copies: writes of guests survive the loss of a device, and get another second copy afterwards.
//!
//! ```text
//!   a device fails:  its first copies ──> the second ones take their place in the index and in the table
//!                    its second copies ──> dropped
//!   a device joins:  each closed segment that has one copy, newest first ── copied ── flushed ── table
//! ```
//! A copy is read again before it counts: of a segment whose summary rotted no copy is made. An unreadable copy is
//! retried for some seconds; then it is left out, so that it does not block other copies, and its dirty data
//! is destaged at once.
//!
//! Clean pages have one copy: those of a first copy that is lost are forgotten. Their entries stay in the second copy, as the newest of
//! their pages, so that nothing older reappears; there they fail their checksum, and the backing is read.

use std::collections::BTreeMap;
use std::pin::pin;
use std::rc::Rc;

use block::{BlockError, Host, Operation};
use futures_util::future::select;

use super::disk_cache::DiskCache;
use super::vacate::vacate;
use crate::state::segments::{RemainingCopy, Segments};
use crate::storage::copies::{CopyResult, Gaps};
use crate::storage::pool::Pool;
use crate::storage::reading::{SegmentGeneration, Unreadable};
use crate::types::canary::{self, Bug};
use crate::types::env::Env;
use crate::types::stats::count;
use crate::types::units::{DiskId, MemberNumber, SegmentNumber, SegmentOwner, Sequence};

/// Rest after a copy could not be made: nanoseconds.
const RETRY_NS: u64 = 1_000_000_000;
/// The longest rest, as a power of two of the shortest: about a minute.
const REST_LOG2_MAX: u32 = 6;
/// Failed reads of a segment after which it is left out.
const FAILED_READS_MAX: u32 = 5;

/// Failed reads by segment and its generation. Segments that could be read are not in it.
type FailedReads = BTreeMap<(SegmentNumber, Sequence), u32>;

/// Continues with the other copies of segments on a device that failed.
pub(super) async fn go_on_without<E: Env>(
    cache: &DiskCache<E>,
    member: MemberNumber,
) -> Result<(), BlockError> {
    // The open segment is closed first: the next one has two copies again, if there are two devices.
    cache.log.close_torn().await?;
    if cache.leaving.get() {
        // Its segments are handled once more when it is attached nowhere.
        return Ok(());
    }
    if replace(cache, member) {
        // Crash before: the next start does the same.
        cache.pool.persist_table().await?;
    }
    Ok(())
}

/// Replaces first copies in one step, so that the index never points to an empty place. Returns true if anything changed.
fn replace<E: Env>(cache: &DiskCache<E>, member: MemberNumber) -> bool {
    let Apart { moved, changed } = take_apart(&mut cache.pool.segments(), member, cache.id);
    if !moved.is_empty() {
        cache.catalog.relocate_to_copies(&moved);
    }
    changed
}

/// Result for the segments that a device had a copy of.
struct Apart {
    /// First copies, and the second ones that took their places.
    moved: BTreeMap<SegmentNumber, SegmentNumber>,
    /// True if the table has to be written.
    changed: bool,
}

/// Promotes second copies to first ones, and drops second ones. Both under one lock: another shard may choose any of them for reclaim at
/// any moment.
fn take_apart(segments: &mut Segments, member: MemberNumber, disk: DiskId) -> Apart {
    let mut apart = Apart { moved: BTreeMap::new(), changed: false };
    for (segment, left) in segments.torn_by(member, disk) {
        match left {
            RemainingCopy::Second => drop(apart.moved.insert(segment, segments.promote_second(segment))),
            RemainingCopy::First => segments.drop_second(segment),
            RemainingCopy::Nothing => continue,
        }
        apart.changed = true;
    }
    apart
}

/// As [`go_on_without`], for a disk that is attached nowhere.
pub(super) async fn go_on_detached<E: Env>(
    pool: &Pool<E>,
    disk: DiskId,
    member: MemberNumber,
) -> Result<(), BlockError> {
    let changed = {
        let mut segments = pool.segments();
        segments.owner_shard(disk).is_none() && take_apart(&mut segments, member, disk).changed
    };
    if changed { pool.persist_table().await } else { Ok(()) }
}

/// Destages dirty data at once after damage to one copy: the next start cannot read a segment whose only copy is damaged, and stops the
/// disk if it may hold dirty data. Until then everything is known. The rest is up to the administrator: evicting drops the cached data.
fn destage_all<E: Env>(cache: &DiskCache<E>, damage: &str) {
    tracing::error!(
        disk = %cache.id,
        "{damage}, and it has no second copy. Dirty data is being destaged. Evict the disk (forebay disk evict) \
         before the next start, which could not read what it holds"
    );
    cache.back.destage.request_all();
}

/// Makes missing second copies, and moves segments away from where a device is about to end, until the disk leaves.
pub(crate) async fn run<E: Env>(cache: Rc<DiskCache<E>>) {
    while !cache.leaving.get() {
        cache.second_wanted.notified().await;
        vacate(&cache).await;
        let (mut failed_reads, mut failures) = (FailedReads::new(), 0_u32);
        while !cache.leaving.get() && !cache.pool.is_failed() && lacks_second(&cache) {
            vacate(&cache).await;
            if make_one(&cache, &mut failed_reads).await {
                failures = 0;
            } else {
                failures += 1;
                rest(&cache, failures).await;
            }
        }
    }
}

/// Rests after a copy could not be made. Each try may write a segment, so repeated failures are retried less and less often; but any change
/// meanwhile, for example that the disk leaves, ends the longer part of a rest.
async fn rest<E: Env>(cache: &DiskCache<E>, failures: u32) {
    let host = &cache.pool.host;
    host.sleep(RETRY_NS).await;
    let times_longer = failures.saturating_sub(FAILED_READS_MAX).min(REST_LOG2_MAX);
    if times_longer > 0 {
        let longer = pin!(host.sleep((RETRY_NS << times_longer) - RETRY_NS));
        select(longer, pin!(cache.second_wanted.notified())).await;
    }
}

/// Returns true if some content of a disk has one copy, and is to have two.
pub(super) fn lacks_second<E: Env>(cache: &DiskCache<E>) -> bool {
    let is_usable = !cache.is_loading() && !cache.back.stop.is_set();
    let segments = cache.pool.segments();
    is_usable && (segments.lacks_second(cache.id).is_some() || segments.is_unrecorded(cache.id))
}

/// Makes one missing second copy. Returns true if one was made, or none is needed any more and the table records that.
async fn make_one<E: Env>(cache: &DiskCache<E>, failed_reads: &mut FailedReads) -> bool {
    // Later writes have two.
    if cache.log.close_torn().await.is_err() {
        return false;
    }
    let pool = &cache.pool;
    let chosen = {
        let mut segments = pool.segments();
        let first = segments.lacks_second(cache.id);
        let life = first.and_then(|first| segments.life(first));
        first.zip(life).map(|(first, life)| (first, life, segments.start_second(first)))
    };
    let Some((first, life, second)) = chosen else {
        return pool.persist_table().await.is_ok();
    };
    let Some(second) = second else {
        if pool.segments().has_room(cache.id) {
            return false;
        }
        pool.wait_for_room(cache.id).await;
        return true;
    };
    let _pin = pool.pin_segment(first);
    if canary::has(Bug::HalfCopyNamed) {
        let is_wanted = pool.segments().complete_second(first, life, second);
        if is_wanted {
            return pool.persist_table().await.is_ok()
                && pool.copy_segment(first, second, Gaps::AreAwaited).await.is_ok();
        }
        return true;
    }
    match copy(cache, SegmentCopy { first, life, second }, failed_reads).await {
        CopyOutcome::Copy if pool.segments().complete_second(first, life, second) => {
            return pool.persist_table().await.is_ok();
        }
        // The first one is gone, and has no owner any more.
        CopyOutcome::Copy => pool.announce_room(),
        CopyOutcome::Nothing => {
            pool.segments().give_up_second(second);
            return false;
        }
        CopyOutcome::Damage(damage) => {
            pool.segments().give_up_second(second);
            pool.segments().note_damaged(first);
            destage_all(cache, &damage.of(first));
        }
    }
    true
}

/// A segment that is copied.
#[derive(Clone, Copy)]
struct SegmentCopy {
    first: SegmentNumber,
    life: (SegmentOwner, Sequence),
    second: SegmentNumber,
}

/// Result of a copy.
enum CopyOutcome {
    Copy,
    /// It is to be tried again.
    Nothing,
    /// There is nothing whole to be copied.
    Damage(Unreadable),
}

async fn copy<E: Env>(
    cache: &DiskCache<E>,
    SegmentCopy { first, life, second }: SegmentCopy,
    failed_reads: &mut FailedReads,
) -> CopyOutcome {
    let pool = &cache.pool;
    let key = (first, life.1);
    let failed = failed_reads.get(&key).copied().unwrap_or(0);
    let gaps = if failed < FAILED_READS_MAX { Gaps::AreAwaited } else { Gaps::AreLeft };
    let CopyResult { bytes, pages_left_out } = match pool.copy_segment(first, second, gaps).await {
        Ok(copied) => copied,
        Err(error) if error.operation == Operation::Read => {
            failed_reads.insert(key, failed + 1);
            // One copy is not enough for a segment that can be read only now and then.
            cache.back.destage.request_all();
            return CopyOutcome::Nothing;
        }
        Err(_) => return CopyOutcome::Nothing,
    };
    count(&cache.counters.flash_write_bytes, bytes);
    if pages_left_out > 0 {
        // One copy of them may be read at most from now on, and perhaps none. Destage finds out.
        count(&cache.counters.flash_errors, u64::from(pages_left_out));
        cache.back.destage.request_all();
    }
    // A page that rotted in the first copy must not be copied as valid.
    let alone = |segment| SegmentGeneration { segment, second: None, owner: life.0, generation: life.1 };
    match pool.reader().contained(alone(second), None).await {
        Ok(_) => {
            failed_reads.remove(&key);
            CopyOutcome::Copy
        }
        Err(Unreadable::Device) => CopyOutcome::Nothing,
        // The first one is whole if the pages left out can be read again by now.
        Err(_) if pages_left_out > 0 && pool.reader().contained(alone(first), None).await.is_ok() => {
            failed_reads.remove(&key);
            CopyOutcome::Nothing
        }
        Err(damage) => CopyOutcome::Damage(damage),
    }
}
