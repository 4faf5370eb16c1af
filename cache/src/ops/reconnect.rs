//! Reconnect: the backing lost its connection, and may have lost writes with it that it had acknowledged and that no flush
//! covered.
//!
//! Such writes are all in open regions, once the backing was flushed after those of earlier processes. Cached pages there may therefore be
//! newer than the backing: they are dropped from RAM and index, and count as touched, so that no later start trusts them either. After a
//! power cut or a reconnect guests would otherwise read data that the backing has lost (rule I11). Fills under way may have read either
//! side of the loss and do not enter (rule I3).

use block::BlockDevice;

use super::ctx::Ctx;
use crate::state::coherence::LostWrites;
use crate::types::env::Env;

/// Checks whether the backing may have lost anything, before anything cached is relied on.
pub(crate) fn notice<E: Env>(Ctx { cache, backing, .. }: &Ctx<E>) {
    if !cache.coherence.observe_epoch(backing.epoch()) {
        return;
    }
    tracing::warn!(disk = %cache.id, "The backing lost its connection: the cached data of recent writes is dropped");
    // Once the flash failed, the backing is changed without intents.
    let LostWrites { ranges, is_anywhere } = cache.coherence.lose_connection(!cache.pool.is_failed());
    if is_anywhere {
        // There is no durable record that older log entries of pages in a closed region are not to be trusted.
        cache.catalog.require_age_order();
    }
    for range in ranges {
        cache.note_gone(&cache.drop_pages(&range));
    }
}

/// Checks in the same way, and returns true if nothing was lost since `epoch`.
pub(crate) fn is_same<E: Env>(ctx @ Ctx { cache, .. }: &Ctx<E>, epoch: u64) -> bool {
    notice(ctx);
    cache.coherence.epoch() == epoch
}
