//! The frame around everything that changes the backing: what makes writes and the cache agree.
//!
//! ```text
//! 1. wait for overlapping mutations (rule I2)
//! 2. hide the cached pages and poison the fills under way (rules I3, I11)
//! 3. change the backing                                       <- the journey's own step
//! 4. known good: the range may be cached again; anything else: it stays uncached for good
//! ```
//! Steps 2 and 4 are this type's birth and death, so that a journey that is dropped halfway counts as a failure: its
//! request may still land at any time.

use std::rc::Rc;

use block::{BlockDevice, ByteRange, Host, PAGE, RangeGuard, RangeLock};

use super::disk_cache::DiskCache;
use crate::knowledge::fills::MutationNumber;
use crate::words::stats::count;
use crate::words::units::Sequence;

pub(crate) struct Mutation<F: BlockDevice, H: Host> {
    cache: Rc<DiskCache<F, H>>,
    number: MutationNumber,
    succeeded: bool,
    /// Drawn on acceptance (rule I1).
    pub(crate) sequence: Sequence,
    /// True if every page of the range was cached before.
    pub(crate) was_cached: bool,
    /// Released last, when the range is either trusted again or distrusted.
    _guard: RangeGuard,
}

/// The right to mutate a range; nothing was hidden yet.
pub(crate) struct Turn {
    guard: RangeGuard,
    range: ByteRange,
}

impl Turn {
    /// Step 1: waits until no earlier mutation shares a page with the range, or a physical block of the backing, which
    /// the backing would read, change and write as a whole.
    pub(crate) async fn wait<F: BlockDevice, H: Host>(
        cache: &DiskCache<F, H>,
        locks: &RangeLock,
        physical_block: u64,
        range: ByteRange,
    ) -> Self {
        let unit = range.widened(PAGE.max(physical_block));
        if locks.is_contended(&unit) {
            count(&cache.counters.overlaps_serialised, 1);
        }
        Self { guard: locks.acquire(unit).await, range }
    }
}

impl<F: BlockDevice, H: Host> Mutation<F, H> {
    /// Step 2.
    pub(crate) fn begin(cache: &Rc<DiskCache<F, H>>, turn: Turn) -> Self {
        let number = cache.fills.borrow_mut().begin_mutation(&turn.range);
        let was_cached = cache.drop_pages(&turn.range);
        let sequence = cache.pool.draw_sequence();
        Self { cache: Rc::clone(cache), number, succeeded: false, sequence, was_cached, _guard: turn.guard }
    }

    /// Step 4, if the backing said that the whole change is done.
    pub(crate) fn succeed(mut self) {
        self.succeeded = true;
    }
}

impl<F: BlockDevice, H: Host> Drop for Mutation<F, H> {
    fn drop(&mut self) {
        let mut fills = self.cache.fills.borrow_mut();
        if self.succeeded {
            fills.finish_mutation(&self.number);
        } else {
            fills.distrust_mutation(&self.number);
        }
    }
}
