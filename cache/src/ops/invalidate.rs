//! Invalidation of the cached data of a disk, so that no later start brings it back.
//!
//! The segment table on flash records it for all segments at once: a crash leaves all of the content or nothing, and never an older version
//! of a page without the newer one. If the flash failed, the owner of the disk records it elsewhere (rule I14): a flash that returns must
//! not be trusted.

use block::{BlockError, ErrorKind, Operation};

use super::disk_cache::DiskCache;
use crate::types::env::Env;

/// Drops everything that is cached, durably. New content may enter at once.
///
/// # Errors
/// If something is dirty, which the caller sees to; or if the flash failed, and that could not be remembered.
pub(crate) async fn invalidate_disk<E: Env>(cache: &DiskCache<E>) -> Result<(), BlockError> {
    // Looked at under the lock of the log: nothing becomes dirty in between.
    let is_unwanted = || !cache.may_hold_dirty();
    let Some(disowned) = cache.log.give_up(is_unwanted, || cache.disown()).await else {
        let error = BlockError::anywhere(ErrorKind::Io, Operation::Discard);
        return Err(error.because("flash holds what the backing does not have"));
    };
    if cache.pool.free_disowned(disowned).await.is_err() {
        return remember_elsewhere(cache).await;
    }
    Ok(())
}

/// Makes sure that no later start trusts the content of the failed flash.
///
/// # Errors
/// If that could not be remembered: then the backing must not be changed.
pub(crate) async fn remember_elsewhere<E: Env>(cache: &DiskCache<E>) -> Result<(), BlockError> {
    if cache.may_hold_dirty() {
        // The disk stops: should the flash return, it has the acknowledged data.
        cache.stop("The flash failed, and with it data that the backing does not have".to_owned());
        return cache.check_alive(Operation::Write);
    }
    let remember = || async {
        (cache.flash_lost)().await.map_err(|reason| {
            BlockError::anywhere(ErrorKind::Io, Operation::Write)
                .because(format!("the flash failed, and that could not be remembered: {reason}"))
        })
    };
    cache.flash_void.get_or_try_init(remember).await.copied()
}
