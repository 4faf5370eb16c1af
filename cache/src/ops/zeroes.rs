//! Write-zeroes and discard: both change the backing, at once or by destage, and leave no content of the range cached. Zeroes that
//! must keep their storage keep it on the way through the log too.
//!
//! A discard either becomes zeroes on whole pages or is ignored (rule I10), never something in between: content that may reappear later
//! would break the guarantee that later reads return the same as earlier ones.

use block::{BlockDevice, BlockError, ByteRange, PAGE, Unmap};

use super::ctx::Ctx;
use super::mutation::Mutation;
use super::reconnect::is_same;
use super::write::{RoutePreference, WriteRoute, decide, go_without};
use super::write_back::zeroes_back;
use crate::types::env::Env;
use crate::types::stats::count;

/// Makes `range`, which the caller has checked, read as zeroes.
pub(crate) async fn write_zeroes<E: Env>(
    ctx @ Ctx { cache, backing, .. }: &Ctx<E>,
    range: ByteRange,
    unmap: Unmap,
) -> Result<(), BlockError> {
    // Zeroes that are to keep their storage go to the backing, which alone can see to that.
    let preference = if unmap == Unmap::Allowed { RoutePreference::ByMode } else { RoutePreference::Through };
    // The two pages at its ends, of which the rest stays as it is.
    let turn = match decide(ctx, range, 2, preference).await? {
        WriteRoute::Back(decided) => match zeroes_back(ctx, decided, range, unmap).await {
            Err(error) => go_without(ctx, range, error).await?,
            Ok(()) => return Ok(()),
        },
        WriteRoute::Through(turn) => turn,
    };
    let epoch = cache.coherence.epoch();
    let mutation = Mutation::begin(cache, turn).await?;
    count(&cache.counters.backing_writes, 1);
    let result = backing.write_zeroes(range, unmap).await;
    match &result {
        Ok(()) => {
            let enters = cache.settings.borrow().mode.row().writes_enter;
            let whole = range.narrowed(PAGE);
            if enters && !whole.is_empty() && is_same(ctx, epoch) && !cache.coherence.distrusts(&range) {
                cache.remember_zeroes(whole.start / PAGE..whole.end / PAGE);
            }
            mutation.succeed();
        }
        Err(_) => count(&cache.counters.backing_errors, 1),
    }
    result
}

/// Gives up the content of the whole pages in `range`, if the backing frees storage for it.
///
/// In write-back the range becomes zeroes, and destage deallocates its storage at the backing. A backing that does not promise zeroes gets
/// the discard itself, after dirty data was destaged: all later reads return what it returns then.
pub(crate) async fn discard<E: Env>(
    ctx @ Ctx { cache, backing, .. }: &Ctx<E>,
    range: ByteRange,
) -> Result<(), BlockError> {
    let pages = range.narrowed(PAGE);
    let geometry = backing.geometry();
    if pages.is_empty() || !geometry.discards {
        return Ok(());
    }
    if !geometry.unmaps && cache.consistent.promises() {
        // It would go past the ring, and a discard may be ignored.
        return Ok(());
    }
    let preference = if geometry.unmaps { RoutePreference::ByMode } else { RoutePreference::NotBack };
    let turn = match decide(ctx, pages, 0, preference).await? {
        WriteRoute::Back(decided) => match zeroes_back(ctx, decided, pages, Unmap::Allowed).await {
            Err(error) => go_without(ctx, pages, error).await?,
            Ok(()) => return Ok(()),
        },
        WriteRoute::Through(turn) => turn,
    };
    let mutation = Mutation::begin(cache, turn).await?;
    count(&cache.counters.backing_writes, 1);
    // Zeroes where they are promised: later reads are then the same in every mode (rule I10).
    let result = if geometry.unmaps {
        backing.write_zeroes(pages, Unmap::Allowed).await
    } else {
        backing.discard(pages).await
    };
    match &result {
        Ok(()) => mutation.succeed(),
        Err(_) => count(&cache.counters.backing_errors, 1),
    }
    result
}
