//! Settling the end of a log whose device failed: which parts of it are missed, and whether everything else can go on.

use block::BlockError;

use super::disk_cache::DiskCache;
use crate::state::catalog::ALL_PAGES;
use crate::storage::pool::Pool;
use crate::storage::shared::LeaveReason;
use crate::types::env::Env;
use crate::types::units::PageNumber;

/// Makes the log durable. If its end was on a device that failed, and held nothing dirty, makes later starts distrust the rest of the log
/// instead: once that device is durably out, the table names a part of the log that does not exist. So a caller whose next step relies on
/// the log, because it changes the backing or other segments, can go on.
///
/// # Errors
/// If neither can be.
pub(super) async fn settle_log<E: Env>(cache: &DiskCache<E>) -> Result<(), BlockError> {
    let Err(error) = cache.log.make_durable().await else { return Ok(()) };
    if cache.pool.notice_failure() || has_lost_dirty(&cache.pool, cache) {
        return Err(error);
    }
    cache.pool.record_out().await
}

/// Makes durable that what was destaged is not dirty any more: in the log, or by a table without the segments that were given up instead.
///
/// # Errors
/// As [`settle_log`].
pub(super) async fn settle_destaged<E: Env>(cache: &DiskCache<E>) -> Result<(), BlockError> {
    if cache.back.is_given_up() {
        // It covers what was given up before.
        cache.pool.persist_table().await?;
    }
    settle_log(cache).await
}

/// Makes the log durable for a flush of a guest. The part of it on a failed device is not missed if nothing in it was dirty. The log
/// entries of dirty zeroes are not located, so as long as there are any, the whole log is needed.
///
/// # Errors
/// If something that the backing does not have is not durable.
pub(super) async fn flush_log<E: Env>(cache: &DiskCache<E>) -> Result<(), BlockError> {
    let has_zeroes = cache.catalog.dirty_zero_ranges() > 0;
    if has_zeroes { cache.log.make_durable().await } else { settle_log(cache).await }
}

/// Returns true if some dirty data was on a device that failed.
pub(super) fn has_lost_dirty<E: Env>(pool: &Pool<E>, cache: &DiskCache<E>) -> bool {
    let flash = pool.reader().flash;
    let segments = pool.segments();
    let has_failed = |page: u64| {
        let located = cache.catalog.locate(PageNumber(page))?;
        let segment = pool.layout().segment_of(located.flash);
        let has_second = segments.second(segment).is_some();
        let (member, _) = flash.device_of(segment)?;
        (!has_second && pool.shared.leaving(member.number) == Some(LeaveReason::Failed)).then_some(())
    };
    cache.catalog.with_dirty(|dirty| dirty.pages_within(ALL_PAGES).any(|page| has_failed(page).is_some()))
}
