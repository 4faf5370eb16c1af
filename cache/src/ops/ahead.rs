//! Ahead: survivors of a segment share batches with survivors of the segments that go next, until the open segment is full.
//!
//! ```text
//!   a segment goes ── its survivors leave room in the segment to which they are appended
//!   the cheapest others, one after another ── settled to go next ── their most valuable pages fill that room
//!   it is their turn ── little is left to be appended again
//! ```
//! Survivors and new pages therefore stand in segments of their own. A page that survived once lives longer than a new one, and a
//! segment whose pages die at about the same time costs little to reclaim (Rosenblum and Ousterhout: "The Design and Implementation of
//! a Log-Structured File System", ACM TOCS 10(1), 1992, section 3). It takes no second open segment: recovery relies on there being one.
//!
//! Nothing goes here, and nothing is promised: clean pages get a second copy at the end of the log, as if they were promoted,
//! and a crash leaves both. Whether their segment may go is judged at its turn, by the same rules as ever (rule I8).

use super::disk_cache::DiskCache;
use super::survivors::{Survivor, has_leisure, survivors_max};
use crate::format::summary::Content;
use crate::storage::pool::Pin;
use crate::types::canary::{self, Bug};
use crate::types::env::Env;
use crate::types::limits::BATCH_PAGES_MAX;
use crate::types::units::SegmentNumber;

/// Segments that are settled to go next, at most, when one goes.
const SEGMENTS_MAX: usize = 4;
/// Pages that are moved ahead, at most, when one segment is reclaimed: it is free only when they are copied, and writers that need room
/// wait for it.
const PAGES_MAX: usize = 4 * BATCH_PAGES_MAX;

/// Returns the survivors of a segment, and behind them those of the segments that are reclaimed next, as far as there is room. Holds their
/// segments: otherwise the disk could be emptied meanwhile, and other data could be written to the same places. The caller keeps the result
/// until all is appended.
pub(super) async fn fill_up<E: Env>(
    cache: &DiskCache<E>,
    victim: SegmentNumber,
    mut survivors: Vec<Survivor>,
) -> (Vec<Survivor>, Vec<Pin<'_, E>>) {
    let mut pins = Vec::new();
    let (has_next, was_next) = (cache.catalog.has_next(), cache.catalog.moved_ahead(victim).is_some());
    // If each segment that goes next took survivors of another, none would be gained.
    if !cache.policy.borrow().learns() || survivors.is_empty() || has_next || was_next {
        return (survivors, pins);
    }
    let own = survivors.len();
    for _ in 0..SEGMENTS_MAX {
        let room = room_ahead(own, survivors.len(), cache.log.pages_left());
        if room == 0 || !has_leisure(cache) {
            break;
        }
        let Some(next) = settle_next(cache) else { break };
        if !canary::has(Bug::AheadNotHeld) {
            pins.push(cache.pool.pin_segment(next));
        }
        let life = cache.pool.segments().life(next);
        let Some(content) = cache.pool.read_summary(next).await else { break };
        if cache.pool.segments().life(next) != life {
            break;
        }
        survivors.extend(worth_most(cache, next, &content, room.min(survivors_max(&cache.pool) as usize)));
    }
    (survivors, pins)
}

/// Settles which segment goes after those of which that is settled.
fn settle_next<E: Env>(cache: &DiskCache<E>) -> Option<SegmentNumber> {
    let oldest = cache.pool.segments().oldest_of(cache.id)?;
    cache.catalog.settle_next(oldest, |history| cache.policy.borrow().cost(history))
}

/// Returns the number of pages that may still go ahead, behind `survivors` pages of which the first `own` do not: as many as fit, and no
/// more than [`PAGES_MAX`] in all.
fn room_ahead(own: usize, survivors: usize, room: (usize, usize)) -> usize {
    room_behind(survivors, room).min(PAGES_MAX.saturating_sub(survivors - own))
}

/// Returns the number of pages that fit behind `survivors` in the segment in which these end, if the open one has room for `left` and a new
/// one for `whole`.
fn room_behind(survivors: usize, (left, whole): (usize, usize)) -> usize {
    match survivors.checked_sub(left) {
        None => left - survivors,
        Some(rest) => rest.next_multiple_of(whole) - rest,
    }
}

/// Returns at most `most` clean pages of a segment that are to survive: those that are worth most.
fn worth_most<E: Env>(
    cache: &DiskCache<E>,
    segment: SegmentNumber,
    content: &Content,
    most: usize,
) -> Vec<Survivor> {
    let start = cache.pool.layout().segment_start(segment);
    let mut warm: Vec<(f32, Survivor)> = Vec::new();
    for line in content.lines().filter(|line| line.kind.has_data()) {
        let flash = start.plus(line.place);
        let known = cache.catalog.locate_with_history(line.page);
        let Some((located, history)) = known.filter(|(located, _)| located.flash == flash) else { continue };
        if cache.catalog.is_dirty(line.page) {
            continue;
        }
        if let Some(worth) = cache.policy.borrow().keeps(history) {
            let (page, sequence) = (line.page, line.sequence);
            warm.push((worth, Survivor { page, sequence, located, history, is_ahead: true }));
        }
    }
    warm.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    warm.truncate(most);
    warm.into_iter().map(|(_, survivor)| survivor).collect()
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;
    use crate::format::batch::EntryKind;
    use crate::format::summary::SummaryEntry;
    use crate::ops::commit_queue::{LogContent, QueuedWrite};
    use crate::ops::range_tombstones;
    use crate::ops::survivors::append_again;
    use crate::ops::testing::run;
    use crate::state::catalog::FlashExtent;
    use crate::state::learned::History;
    use crate::state::segments::SegmentPurpose;
    use crate::types::limits::PAGE_BYTES;
    use crate::types::stats::LoadProgress;
    use crate::types::units::{PageNumber, Sequence};

    #[test]
    fn what_goes_ahead_is_clean_and_worth_most() {
        run(async |cache, _| {
            let segment = SegmentNumber(5);
            let start = cache.pool.layout().segment_start(segment);
            let mut content = Content::default();
            // By page: how warm it is.
            for (page, heat) in [(1, 2), (2, 9), (3, 0), (4, 1), (5, 3), (6, 4)] {
                let (number, place) = (PageNumber(page), page as u32);
                let kind = if page == 6 { EntryKind::Write } else { EntryKind::Fill };
                content.push(&SummaryEntry {
                    page: number,
                    kind,
                    sequence: Sequence(page),
                    checksum: 7,
                    place,
                });
                // Of page 5 there is a newer version elsewhere.
                let flash = start.plus(if page == 5 { 100 } else { place });
                let extent = FlashExtent { first: number, flash, checksums: &[7] };
                cache.catalog.append_record().append(segment, std::iter::once((kind, number)));
                if page == 2 {
                    cache.catalog.insert_dirty(extent);
                } else {
                    cache.catalog.insert_clean(extent);
                }
                cache.catalog.set_history(number, History::default().with_heat(heat));
            }
            let chosen = |most| {
                let chosen = worth_most(&cache, segment, &content, most);
                assert!(chosen.iter().all(|survivor| survivor.is_ahead && survivor.is_current(&cache)));
                chosen.iter().map(|survivor| (survivor.page.0, survivor.sequence.0)).collect::<Vec<_>>()
            };
            assert_eq!(chosen(9), [(6, 6), (1, 1), (4, 4)], "not what is dirty, elsewhere, or of no worth");
            assert_eq!(chosen(2), [(6, 6), (1, 1)]);
            assert_eq!(chosen(0), []);
        });
    }

    #[test]
    fn what_goes_ahead_never_takes_another_segment() {
        run(async |cache, _| {
            let room = async || cache.log.begin_in_open().await.map(|appender| appender.room());
            assert_eq!((room().await, cache.log.pages_left()), (None, (0, 6)), "none is open");
            for (pages, left) in [(1, Some(4)), (4, None)] {
                let appender = cache.log.try_begin(SegmentPurpose::Survivors).await.expect("there is room");
                let mut batch = appender.batch(pages);
                for page in 0..pages as u64 {
                    appender.add(&mut batch, PageNumber(page), Sequence(1), &[1; PAGE_BYTES]);
                }
                appender.write(batch).await.expect("nothing fails");
                assert_eq!(room().await, left);
            }
            assert_eq!(cache.pool.segments().held(cache.id), 1, "it is full, and no other was taken");
            cache.log.close().await.expect("nothing fails");
            assert_eq!(room().await, None);
        });
    }

    #[test]
    fn what_goes_ahead_gives_way_to_what_a_guest_writes() {
        run(async |cache, _| {
            cache.coherence.settle_backing();
            cache.load.borrow_mut().state = LoadProgress::Done;
            let sequence = Sequence(1);
            let appender = cache.log.try_begin(SegmentPurpose::Survivors).await.expect("there is room");
            let mut batch = appender.batch(2);
            for page in [3, 4] {
                appender.add(&mut batch, PageNumber(page), sequence, &[1; PAGE_BYTES]);
            }
            let located = appender.write(batch).await.expect("nothing fails").located;
            let survivors = [(3, false), (4, true)].map(|(page, is_ahead)| {
                let (page, located) = (PageNumber(page), located[usize::from(is_ahead)]);
                let checksums = &[located.checksum];
                cache.catalog.insert_clean(FlashExtent { first: page, flash: located.flash, checksums });
                Survivor { page, sequence, located, history: History::default(), is_ahead }
            });
            let _pin = cache.pool.pin(located[0].flash);
            let copy = async |survivors: &[Survivor]| {
                append_again(
                    &cache,
                    survivors,
                    &mut range_tombstones::RangeTombstones::from_content(Some(&Content::default())),
                )
                .await;
                (cache.counters.reappends.get(), cache.counters.reappends_ahead.get())
            };
            let (acknowledge, _acknowledged) = oneshot::channel();
            let (pages, change) = (0..1, LogContent::Zeroes(block::Unmap::Allowed));
            let queued = QueuedWrite { pages, change, sequence, done: 0, acknowledge, _kept: Box::new(()) };
            cache.back.commits.push(queued);
            assert!(!has_leisure(&cache));
            assert_eq!(copy(&survivors[1..]).await, (0, 0), "it is not even read");
            drop(cache.back.commits.take());
            assert!(has_leisure(&cache));
            assert_eq!(copy(&survivors[1..]).await, (1, 1));
        });
    }

    #[test]
    fn there_is_room_up_to_the_end_of_the_segment_in_which_survivors_end() {
        assert_eq!(room_behind(3, (10, 62)), 7, "in the open one");
        assert_eq!(room_behind(10, (10, 62)), 0, "just full");
        assert_eq!(room_behind(11, (10, 62)), 61, "in the one behind it");
        assert_eq!(room_behind(46, (0, 62)), 16, "none is open");
        assert_eq!(room_behind(62, (0, 62)), 0);
    }

    #[test]
    fn what_goes_ahead_ends_after_so_many_batches_in_segments_that_have_room_for_more() {
        let large = (16_000, 16_000);
        assert_eq!(room_ahead(300, 300, large), PAGES_MAX, "what must survive does not count");
        assert_eq!(room_ahead(300, 300 + PAGES_MAX - 1, large), 1);
        assert_eq!(room_ahead(300, 300 + PAGES_MAX, large), 0);
        assert_eq!(room_ahead(3, 3, (10, 62)), 7, "the segment's end comes first");
    }
}
