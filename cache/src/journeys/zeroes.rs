//! Write-zeroes and discard: both change the backing to zeroes, at once or by destage, and leave nothing of the range cached.
//!
//! A discard either becomes zeroes on whole pages or is ignored (rule I10), never something in between: content that
//! may come back later would break the promise that what one read showed every later read shows.

use std::rc::Rc;

use block::{BlockDevice, BlockError, ByteRange, Host, PAGE, RangeLock, Unmap};

use super::disk_cache::DiskCache;
use super::mutation::Mutation;
use super::write::{Way, Wish, decide, go_without};
use super::write_back::zeroes_back;
use crate::words::stats::count;

/// Makes `range`, which the caller has checked, read as zeroes.
pub(crate) async fn write_zeroes<B: BlockDevice, F: BlockDevice, H: Host>(
    cache: &Rc<DiskCache<F, H>>,
    backing: &B,
    locks: &RangeLock,
    range: ByteRange,
    unmap: Unmap,
) -> Result<(), BlockError> {
    // Zeroes that are to keep their storage go to the backing, which alone can see to that.
    let wish = if unmap == Unmap::Allowed { Wish::AsTheModeSays } else { Wish::Through };
    // The two pages at its ends, of which the rest stays as it is.
    let turn = match decide(cache, backing, locks, range, 2, wish).await? {
        Way::Back(decided) => match zeroes_back(cache, backing, locks, decided, range).await {
            Err(error) => go_without(cache, backing, locks, range, error).await?,
            Ok(()) => return Ok(()),
        },
        Way::Through(turn) => turn,
    };
    let mutation = Mutation::begin(cache, turn).await?;
    count(&cache.counters.backing_writes, 1);
    let result = backing.write_zeroes(range, unmap).await;
    match &result {
        Ok(()) => mutation.succeed(),
        Err(_) => count(&cache.counters.backing_errors, 1),
    }
    result
}

/// Gives up the content of the whole pages in `range`, if the backing frees storage for it.
pub(crate) async fn discard<B: BlockDevice, F: BlockDevice, H: Host>(
    cache: &Rc<DiskCache<F, H>>,
    backing: &B,
    locks: &RangeLock,
    range: ByteRange,
) -> Result<(), BlockError> {
    let pages = range.narrowed(PAGE);
    if pages.is_empty() || !backing.geometry().unmaps {
        return Ok(());
    }
    write_zeroes(cache, backing, locks, pages, Unmap::Allowed).await
}
