//! Ahead: along with what survives of a segment goes what survives of those that go next, until the open segment is full.
//!
//! ```text
//!   a segment goes ── what survives of it leaves room in the segment to which it is appended
//!   the cheapest others, one after another ── settled to go next ── what they hold that is worth most fills that room
//!   their turn comes ── little is left to be appended again
//! ```
//! So what survives and what is new stand in segments of their own. What survived once lives longer than what came just now, and a
//! segment whose pages die at about the same time costs little to reclaim (Rosenblum and Ousterhout: "The Design and Implementation of
//! a Log-Structured File System", ACM TOCS 10(1), 1992, section 3). It takes no second open segment: recovery relies on there being one.
//!
//! Nothing goes here, and nothing is promised: clean pages get a second copy at the end of the log, as if they were promoted,
//! and a crash leaves both. Whether their segment may go is judged at its turn, by the same rules as ever (rule I8).

use block::{BlockDevice, Host};

use super::disk_cache::DiskCache;
use super::out_of_order::cost;
use super::reclaim::{Survivor, survivors_max};
use crate::bytes::summary::Content;
use crate::knowledge::order::Order;
use crate::words::units::{SegmentNumber, Sequence};

/// Segments that are settled to go next, at most, when one goes.
const SEGMENTS_MAX: usize = 4;

/// What survives of a segment, and behind it what survives of those that go next, as much as there is room for.
pub(super) async fn fill_up<F: BlockDevice, H: Host>(
    cache: &DiskCache<F, H>,
    victim: SegmentNumber,
    mut survivors: Vec<Survivor>,
) -> Vec<Survivor> {
    if cache.order.borrow().has_next() {
        return survivors;
    }
    for _ in 0..SEGMENTS_MAX {
        let room = room_behind(cache, survivors.len());
        if room == 0 || survivors.is_empty() || !may_fill_up(cache, victim) {
            break;
        }
        let Some(next) = settle_next(cache) else { break };
        let Some(content) = cache.pool.read_summary(next).await else { break };
        survivors.extend(worth_most(cache, next, &content, room.min(survivors_max(&cache.pool) as usize)));
    }
    survivors
}

/// Not where room is made for something else: for guests' writes, or because a limit was lowered. Nor with a segment that was to go next
/// itself: if each took along what survives of another, none would be gained.
fn may_fill_up<F: BlockDevice, H: Host>(cache: &DiskCache<F, H>, victim: SegmentNumber) -> bool {
    cache.policy.borrow().learns()
        && cache.order.borrow().moved_of(victim).is_none()
        && cache.back.queue.borrow().is_empty()
        && cache.may_promote()
        && !cache.leaving.get()
        && !cache.pool.segments().exceeds_limit(cache.id)
}

/// Pages that fit behind so many in the segment in which these end.
fn room_behind<F: BlockDevice, H: Host>(cache: &DiskCache<F, H>, survivors: usize) -> usize {
    let (left, whole) = cache.log.pages_left();
    match survivors.checked_sub(left) {
        None => left - survivors,
        Some(rest) => rest.next_multiple_of(whole) - rest,
    }
}

fn settle_next<F: BlockDevice, H: Host>(cache: &DiskCache<F, H>) -> Option<SegmentNumber> {
    let oldest = cache.pool.segments().oldest_of(cache.id)?;
    let costs = |order: &Order, segment, page| cost(cache, order, segment, page);
    cache.order.borrow_mut().settle_next(oldest, costs)
}

/// The clean pages of a segment that are to survive, at most so many, those that are worth most.
fn worth_most<F: BlockDevice, H: Host>(
    cache: &DiskCache<F, H>,
    segment: SegmentNumber,
    content: &Content,
    most: usize,
) -> Vec<Survivor> {
    let start = cache.pool.layout().segment_start(segment);
    let mut warm: Vec<(f32, Survivor)> = Vec::new();
    for line in content.lines().filter(|line| line.kind.has_data()) {
        let flash = start.plus(line.place);
        let known = cache.index.borrow().get_with_history(line.page);
        let Some((_, history)) = known.filter(|(located, _)| located.flash == flash) else { continue };
        if cache.dirty.borrow().has_page(line.page.0) {
            continue;
        }
        if let Some(worth) = cache.policy.borrow().keeps(history) {
            let (page, sequence) = (line.page, line.sequence);
            warm.push((worth, Survivor { page, sequence, flash, history, is_ahead: true }));
        }
    }
    warm.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    warm.truncate(most);
    cache.order.borrow_mut().note_moved(segment, warm.len());
    let survivors: Vec<Survivor> = warm.into_iter().map(|(_, survivor)| survivor).collect();
    for survivor in &survivors {
        survivor.cool_down(cache);
    }
    survivors
}

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
