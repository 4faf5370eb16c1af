//! Victims: which segment of a disk goes, and which go after it.

use block::{BlockDevice, Host};

use super::disk_cache::DiskCache;
use crate::knowledge::order::Order;
use crate::words::units::{PageNumber, SegmentNumber, Sequence};

/// The segment that goes now, if that was settled and it may, or else the cheapest: out of order, if it is not the oldest.
pub(super) fn take_next<F: BlockDevice, H: Host>(
    cache: &DiskCache<F, H>,
    oldest: SegmentNumber,
) -> Option<(SegmentNumber, Sequence)> {
    let costs = |order: &Order, segment, page| cost(cache, order, segment, page);
    let mut order = cache.order.borrow_mut();
    let next = order.take_next(oldest).or_else(|| order.cheaper_than(oldest, costs));
    next.filter(|(segment, _)| *segment != oldest)
}

/// Settles which segment goes after those of which that is settled.
pub(super) fn settle_next<F: BlockDevice, H: Host>(cache: &DiskCache<F, H>) -> Option<SegmentNumber> {
    let oldest = cache.pool.segments().oldest_of(cache.id)?;
    let costs = |order: &Order, segment, page| cost(cache, order, segment, page);
    cache.order.borrow_mut().settle_next(oldest, costs)
}

/// How dear it is to lose a page with a segment: from 0, not at all; 1 is a page that is written again.
fn cost<F: BlockDevice, H: Host>(
    cache: &DiskCache<F, H>,
    order: &Order,
    segment: SegmentNumber,
    page: PageNumber,
) -> f64 {
    let known = cache.index.borrow().get_with_history(page);
    let layout = cache.pool.layout();
    let Some((_, history)) = known.filter(|(located, _)| layout.segment_of(located.flash) == segment) else {
        return 0.0;
    };
    let must_stay = order.shadows(page) > 0 || cache.dirty.borrow().has_page(page.0);
    if must_stay { 1.0 } else { f64::from(cache.policy.borrow().cost(history)) }
}
