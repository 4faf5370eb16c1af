//! Leave: a device that failed, or is to be taken out, leaves the pool; guests go on.
//!
//! ```text
//! 1. nothing new goes to it                       (segments.rs, as soon as it failed or was asked for)
//! 2. each disk with content there: a segment with a second copy goes on with that (second_copies.rs); else all
//!    cached data of the disk is invalidated, durably
//! 3. notes about regions go on elsewhere
//! 4. nothing is left there: the others no longer list it (membership.rs)
//! ```
//! All of a disk's content goes, also that on other devices: a newer version, or a `forget`, may have been on this one,
//! and without it an older version elsewhere would reappear at the next start (rule I8). The dropped pages are clean,
//! so that costs hits and nothing else; dirty pages are destaged first, and the reclaimer is woken when that is done. A crash
//! before 4 leaves a pool of which a device is missing, or one that is whole.

use std::rc::Rc;

use block::BlockError;

use super::disk_cache::DiskCache;
use super::disks::Disks;
use super::invalidate::invalidate_disk;
use super::second_copies;
use super::settle_log::has_lost_dirty;
use crate::storage::pool::Pool;
use crate::storage::shared::LeaveReason;
use crate::types::env::Env;
use crate::types::units::{DiskId, MemberNumber};

/// Performs this shard's part of removing all devices that are to leave. To be called again when the reclaimer is woken.
pub(crate) async fn leave<E: Env>(pool: &Rc<Pool<E>>, disks: &Disks<E>) {
    for member in pool.shared.all_leaving() {
        if let Err(error) = leave_device(pool, disks, member).await {
            tracing::error!(%error, device = %member, "A device cannot leave the pool as long as the others fail as well");
        }
    }
    pool.drop_former_devices();
    if pool.shared.all_leaving().is_empty() {
        disks.borrow().values().for_each(|cache| cache.back.destage.end_device_leave());
    }
}

async fn leave_device<E: Env>(
    pool: &Rc<Pool<E>>,
    disks: &Disks<E>,
    member: MemberNumber,
) -> Result<(), BlockError> {
    if pool.shared.leaving(member) == Some(LeaveReason::Failed) {
        pool.record_out().await?;
        heal(pool, disks, member).await?;
    }
    let has_notes = || pool.segments().has_notes_on(member);
    let there = pool.segments().disks_on(member);
    invalidate_disks(pool, disks, there).await?;
    if has_notes() && pool.move_notes().await.is_err() {
        // The other devices are full, and notes cannot wait for room: this shard invalidates everything that it can.
        let everywhere = pool.segments().owners();
        invalidate_disks(pool, disks, everywhere).await?;
        if has_notes() {
            pool.move_notes().await?;
        }
    }
    // Invalidated segments are free once no reader uses them and the table is written, here and on other shards.
    pool.release_member(member).await
}

async fn invalidate_disks<E: Env>(
    pool: &Pool<E>,
    disks: &Disks<E>,
    owners: impl IntoIterator<Item = DiskId>,
) -> Result<(), BlockError> {
    for disk in owners {
        let cache = disks.borrow().get(&disk).cloned();
        match cache {
            // The rest of it has two copies, or is being written.
            Some(cache) if is_mirrored_whole(pool, &cache) => {}
            Some(cache) if cache.may_hold_dirty() => wait_for_destage(pool, &cache),
            // If the flash fails altogether, that is remembered elsewhere.
            Some(cache) => invalidate_disk(&cache).await?,
            None => disown_detached(pool, disk).await?,
        }
    }
    Ok(())
}

/// Replaces the lost copies of a device that failed by second ones.
async fn heal<E: Env>(pool: &Pool<E>, disks: &Disks<E>, member: MemberNumber) -> Result<(), BlockError> {
    let there = pool.segments().disks_on(member);
    for disk in there {
        let cache = disks.borrow().get(&disk).cloned();
        match cache {
            // Its index is not loaded yet; it is notified when it is.
            Some(cache) if cache.is_loading() => {}
            Some(cache) => second_copies::go_on_without(&cache, member).await?,
            None => second_copies::go_on_detached(pool, disk, member).await?,
        }
    }
    Ok(())
}

/// Requests that dirty data be destaged first. If a part of it was on a device that failed, stops the disk.
fn wait_for_destage<E: Env>(pool: &Pool<E>, cache: &DiskCache<E>) {
    if has_lost_dirty(pool, cache) {
        cache.stop("A device of the pool failed, and with it data that the backing does not have".to_owned());
    } else {
        cache.back.destage.begin_device_leave();
    }
}

/// Returns true if all segments of a disk on a device that failed are to go on with their second copies, sooner or later: an open segment,
/// or one being reclaimed, cannot at the moment, and asks again when it can.
fn is_mirrored_whole<E: Env>(pool: &Pool<E>, cache: &DiskCache<E>) -> bool {
    let members = pool.shared.all_leaving();
    let is_failed = |member: &MemberNumber| pool.shared.leaving(*member) == Some(LeaveReason::Failed);
    let segments = pool.segments();
    members.iter().all(is_failed)
        && members.iter().all(|member| segments.has_copies_of_all(*member, cache.id))
}

/// Invalidates the cached data of a disk that is attached nowhere; a disk that is attached on another shard is left to that one.
async fn disown_detached<E: Env>(pool: &Pool<E>, disk: DiskId) -> Result<(), BlockError> {
    let disowned = {
        let mut segments = pool.segments();
        if segments.owner_shard(disk).is_some() || segments.is_dirty(disk) {
            return Ok(());
        }
        segments.disown(disk)
    };
    pool.free_disowned(disowned).await
}
