//! Flush: everything acknowledged before it arrived is durable when it completes.
//!
//! A flush makes durable in the log what was acknowledged when the log had it, and on the backing what was acknowledged when the backing
//! had it. The current mode does not matter, because it may have been another one when the write arrived. In write-back the backing is not
//! flushed if guests sent it nothing since its last flush. The first flush of a process always flushes it: an earlier process may have
//! acknowledged writes that no flush has covered.

use block::{BlockError, Operation};
use futures_util::future::join;

use super::ctx::Ctx;
use super::flush_gate::Asker;
use super::settle_log::flush_log;
use crate::types::env::Env;

/// Makes everything durable that was acknowledged before this call.
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
    // A later flush of our own may have succeeded: then nothing is left to be flushed, but an error to be reported.
    let asks =
        through.is_some() || !cache.settings.borrow().mode.row().writes_back || flushes.has_unreported();
    let backing = async { if asks { flushes.flush_for(backing, asker).await } else { Ok(()) } };
    let (log, backing) = join(log, backing).await;
    if let (Ok(()), Some(through)) = (&backing, through) {
        cache.back.record_backing_flushed(through);
    }
    if cache.log.durable_marker_pending() {
        // The commit task records it on flash, once it has nothing else to do.
        cache.back.commits.wake();
    }
    log.and(backing)
}
