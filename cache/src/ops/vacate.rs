//! Vacate: moves segments away from where a device is about to end, or has reclaim take them; guests go on.
//!
//! ```text
//! 1. nothing new goes there                                              (storage/resize.rs)
//! 2. each disk, on its shard: its open segment is closed; each closed one is copied to a place that stays, flushed; the index points
//!    there; the table records it; the old place is free once no reader uses it
//! 3. a disk that is attached nowhere: the same, without an index; notes: another segment takes them over
//! 4. no place is left for a copy: reclaim makes room as for any writer, so cold pages go and warm ones are appended again
//! ```
//! Dirty data is not destaged for that, and always has its required copies.

use std::rc::Rc;

use block::{Host, Operation};

use super::disk_cache::DiskCache;
use crate::storage::pool::Pool;
use crate::storage::resize::SegmentMove;
use crate::types::canary::{self, Bug};
use crate::types::env::Env;
use crate::types::error::CacheError;
use crate::types::stats::count;
use crate::types::units::{DiskId, MemberNumber, SegmentNumber, SegmentOwner, Sequence};

/// Rest after a segment could not be moved, and between checks of the segments that are left: nanoseconds.
const REST_NS: u64 = 20_000_000;
/// Failed reads of segments to be moved after which the device keeps its size.
const FAILED_READS_MAX: u32 = 20;

/// Makes a device of the pool smaller, durably. Nothing counts behind its new end when this returns.
///
/// # Errors
/// `Settings` if there is no such device or the pool needs more, if it was cancelled, or if something there cannot be read; `FlashFailed`,
/// `Flash`. Then the device has the size that it had.
pub(crate) async fn shrink_device<E: Env>(
    pool: &Rc<Pool<E>>,
    number: MemberNumber,
    device_bytes: u64,
) -> Result<(), CacheError> {
    let shrinking = pool.begin_shrink(number, device_bytes)?;
    loop {
        if let Some(reason) = shrinking.stopped() {
            return Err(CacheError::Settings(format!("Device {number} keeps its size: {reason}")));
        }
        if shrinking.left() == 0 && shrinking.finish().await? {
            return Ok(());
        }
        let has_notes = pool.segments().has_notes_to_move();
        if has_notes && let Err(error) = pool.move_notes().await {
            tracing::debug!(%error, "Notes wait for room to move to");
        }
        let disks = pool.segments().disks_to_move();
        for disk in disks {
            move_detached(pool, disk, number).await;
        }
        pool.wake_all();
        shrinking.eased_within(REST_NS).await;
    }
}

/// Returns true if a disk has something where a device is about to end.
pub(super) fn has_to_move<E: Env>(cache: &DiskCache<E>) -> bool {
    !cache.leaving.get() && !cache.is_loading() && cache.pool.segments().has_to_move(cache.id)
}

/// Moves the closed segments of a disk away from where a device is about to end.
pub(super) async fn vacate<E: Env>(cache: &DiskCache<E>) {
    let pool = &cache.pool;
    let mut failed_reads = 0;
    while has_to_move(cache) && !pool.is_failed() {
        if cache.log.close_behind_end().await.is_err() {
            return;
        }
        let chosen = choose(pool, cache.id);
        let Some((from, life, to)) = chosen else {
            // The remaining segments are being reclaimed, or have just been opened. The task that handles them wakes this again.
            return;
        };
        let Some(to) = to else {
            if pool.segments().has_room(cache.id) {
                pool.host.sleep(REST_NS).await;
            } else {
                pool.wait_for_room(cache.id).await;
            }
            continue;
        };
        if !move_one(cache, SegmentMove { from, life, to }, &mut failed_reads).await {
            pool.host.sleep(REST_NS).await;
        }
    }
}

/// The next segment to move, its owner and generation, and the place for it if there is one.
type NextMove = (SegmentNumber, (SegmentOwner, Sequence), Option<SegmentNumber>);

fn choose<E: Env>(pool: &Pool<E>, disk: DiskId) -> Option<NextMove> {
    let mut segments = pool.segments();
    let (from, life) = segments.next_to_move(disk)?;
    Some((from, life, segments.start_move(from)))
}

/// Moves one segment. Returns false if that is to be tried again.
async fn move_one<E: Env>(cache: &DiskCache<E>, moving: SegmentMove, failed_reads: &mut u32) -> bool {
    let pool = &cache.pool;
    let SegmentMove { from, life, to } = moving;
    let pin = pool.pin_segment(from);
    let content = pool.read_summary(from).await;
    let is_early = canary::has(Bug::HalfMoveNamed);
    if !is_early {
        match pool.copy_to_move(moving).await {
            Ok(bytes) => count(&cache.counters.flash_write_bytes, bytes),
            Err(error) => {
                pool.segments().give_up_move(to);
                *failed_reads += u32::from(error.operation == Operation::Read);
                if *failed_reads > FAILED_READS_MAX
                    && let Some(shrink) = pool.shared.shrink()
                {
                    pool.shared
                        .stop_shrink(shrink.member, &format!("what is to move cannot be read: {error}"));
                }
                return false;
            }
        }
    }
    // Their bits go by where pages were written.
    cache.clear_proven();
    {
        // In one step, so that the index never points to an empty place.
        let mut segments = pool.segments();
        let live = segments.live(from);
        if cache.leaving.get() {
            segments.give_up_move(to);
            return false;
        }
        if !segments.complete_move(from, life, to) {
            return true;
        }
        drop(segments);
        cache.catalog.relocate_segment((from, to), live, content.as_ref());
    }
    // Readers of the old place go on until they are done.
    drop(pin);
    cache.catalog.check_in_debug();
    if is_early {
        let named = pool.persist_table().await;
        return named.is_ok() && pool.copy_to_move(moving).await.is_ok();
    }
    pool.free_disowned(vec![from]).await.is_ok()
}

/// Moves one segment of a disk that is attached nowhere. One that is attached on any shard is its business.
async fn move_detached<E: Env>(pool: &Pool<E>, disk: DiskId, member: MemberNumber) {
    if pool.segments().owner_shard(disk).is_some() {
        return;
    }
    let Some((from, life, to)) = choose(pool, disk) else { return };
    let Some(to) = to else {
        if !pool.segments().has_room(disk) {
            pool.ask_for_room(disk);
        }
        return;
    };
    let moving = SegmentMove { from, life, to };
    if let Err(error) = pool.copy_to_move(moving).await {
        pool.segments().give_up_move(to);
        if error.operation == Operation::Read {
            let reason = format!("what is cached of a disk that is not served cannot be read: {error}");
            pool.shared.stop_shrink(member, &reason);
        }
        return;
    }
    let is_moved = {
        let mut segments = pool.segments();
        if segments.owner_shard(disk).is_some() {
            segments.give_up_move(to);
            false
        } else {
            segments.complete_move(from, life, to)
        }
    };
    if is_moved && let Err(error) = pool.free_disowned(vec![from]).await {
        tracing::debug!(%error, "The flash failed while a segment moved");
    }
}
