//! Flush: everything acknowledged before it arrived is durable when it completes.
//!
//! What was acknowledged when the log had it is made durable there, and what was acknowledged when the backing had it, there:
//! the mode does not matter, because it may have been another one when the write came. In write-back the backing is not
//! asked if guests gave it nothing since the last flush of it. The first flush of a process always asks: an earlier process may
//! have acknowledged writes that no flush has covered.

use block::{BlockError, Operation};
use futures_util::future::join;

use super::ctx::Ctx;
use super::flush_gate::Asker;
use super::settle_log::flush_log;
use crate::words::env::Env;

/// Makes durable what was acknowledged before this call.
///
/// # Errors
/// If the flash, the backing or an earlier flush of it failed, or the disk stopped.
pub(crate) async fn flush<E: Env>(
    Ctx { cache, backing, flushes, .. }: &Ctx<E>,
    asker: Asker,
) -> Result<(), BlockError> {
    cache.check_alive(Operation::Flush)?;
    let log = async {
        if cache.back.has_dirty_behind(cache.log.durable()) { flush_log(cache).await } else { Ok(()) }
    };
    let through = cache.back.backing_changes_to_flush();
    // A later flush of our own may have succeeded, so that nothing is left to be flushed, and something to be told.
    let asks = through.is_some() || !cache.settings.borrow().mode.row().writes_back || flushes.has_untold();
    let backing = async { if asks { flushes.flush_for(backing, asker).await } else { Ok(()) } };
    let (log, backing) = join(log, backing).await;
    if let (Ok(()), Some(through)) = (&backing, through) {
        cache.back.record_backing_flushed(through);
    }
    if cache.log.is_unsaid() {
        // Whoever commits says so on flash, once there is nothing else to do.
        cache.back.commits.wake();
    }
    log.and(backing)
}
