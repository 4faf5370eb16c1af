//! The parts together: what one of them does to the others.

#![expect(clippy::single_range_in_vec_init, reason = "runs of pages, of which there may be one")]

use std::sync::atomic::AtomicU64;

use block::PAGE;

use super::*;
use crate::state::write_intent_bitmap::words_for;

const REGION_PAGES: u32 = 64;
const DISK_BYTES: u64 = 4 * REGION_PAGES as u64 * PAGE;

/// Returns a disk of four regions.
fn disk() -> Coherence {
    let words: Box<[AtomicU64]> = (0..words_for(DISK_BYTES)).map(|_| AtomicU64::new(0)).collect();
    Coherence::new(Rc::new(words), REGION_PAGES, DISK_BYTES)
}

fn range(pages: Range<u64>) -> ByteRange {
    ByteRange::new(pages.start * PAGE, pages.end * PAGE)
}

/// A change of pages that succeeds, with its intents.
fn change(disk: &Coherence, pages: Range<u64>) {
    let mutation = begin(disk, pages);
    disk.finish_mutation(&mutation);
}

fn begin(disk: &Coherence, pages: Range<u64>) -> MutationNumber {
    let mutation = disk.begin_mutation(&range(pages.clone()));
    disk.touch(pages.clone());
    if let Err(closed) = disk.claim_regions(&range(pages.clone())) {
        disk.open_regions(&closed);
        disk.claim_regions(&range(pages)).expect("they are open");
    }
    mutation
}

#[test]
fn regions_are_claimed_together_or_not_at_all() {
    let disk = disk();
    disk.open_regions(&[1]);
    assert!(disk.idle_regions().is_empty(), "it was opened just now");
    assert_eq!(disk.claim_regions(&range(60..140)), Err(vec![0, 2]));
    assert_eq!(disk.idle_regions(), [1], "nothing was claimed");
    disk.open_regions(&[0, 2]);
    assert_eq!(disk.claim_regions(&range(60..140)), Ok(()));
    assert!(disk.idle_regions().is_empty(), "all of it was claimed");
}

#[test]
fn a_region_is_closed_at_rest_and_its_bits_go_with_it() {
    let disk = disk();
    change(&disk, 3..5);
    change(&disk, 70..71);
    assert!(disk.idle_regions().is_empty(), "they were changed since the last look");
    let in_flight = disk.begin_mutation(&range(71..72));
    assert_eq!(disk.idle_regions(), [0], "a change of the other is in flight");
    let closed = disk.close_idle(vec![0, 1]);
    assert_eq!(closed, ClosedRegions { regions: vec![0], are_all_closed: false });
    assert_eq!(disk.touched_runs(), [70..71]);
    disk.finish_mutation(&in_flight);
    assert_eq!(disk.idle_regions(), [1]);
    assert!(disk.close_idle(vec![1]).are_all_closed);
    assert!(disk.touched_in(1).is_none());
}

#[test]
fn a_region_that_was_changed_since_it_was_found_idle_stays_open() {
    let disk = disk();
    change(&disk, 3..5);
    disk.idle_regions();
    let idle = disk.idle_regions();
    assert_eq!(idle, [0]);
    change(&disk, 4..6);
    assert!(disk.close_idle(idle).regions.is_empty());
    assert_eq!(disk.touched_runs(), [3..6]);
}

#[test]
fn a_region_with_a_failed_change_stays_open_and_its_range_enters_no_more() {
    let disk = disk();
    let failed = begin(&disk, 3..5);
    disk.distrust_mutation(&failed);
    disk.idle_regions();
    assert!(disk.idle_regions().is_empty());
    assert!(disk.distrusts(&range(4..5)) && !disk.distrusts(&range(5..6)) && disk.distrusts_anything());
    let fill = disk.begin_fill(&range(2..6));
    assert!(!disk.finish_fill(&fill));
}

#[test]
fn before_the_backing_was_flushed_a_lost_connection_may_have_taken_writes_anywhere() {
    let disk = disk();
    assert!(!disk.observe_epoch(0) && disk.observe_epoch(1) && !disk.observe_epoch(1));
    let lost = disk.lose_connection(true);
    assert_eq!((lost.is_anywhere, lost.ranges.len()), (true, 4));
    assert_eq!(disk.touched_runs(), [0..4 * u64::from(REGION_PAGES)]);
}

#[test]
fn a_lost_connection_takes_open_regions_and_fills_under_way_once_the_backing_was_flushed() {
    let disk = disk();
    disk.settle_backing();
    change(&disk, 70..71);
    let fill = disk.begin_fill(&range(0..1));
    let lost = disk.lose_connection(true);
    assert_eq!(lost, LostWrites { ranges: vec![range(64..128)], is_anywhere: false });
    assert_eq!(disk.touched_runs(), [64..128]);
    assert!(!disk.finish_fill(&fill), "it may have read either side of the loss");
    assert!(disk.lose_connection(false).is_anywhere, "nothing says which regions are open without intents");
}

#[test]
fn a_bit_goes_once_its_batch_is_committed_and_the_page_is_still_there() {
    let disk = disk();
    disk.touch(10..14);
    let at = |page: u64| (PageNumber(page), FlashPage(page as u32));
    disk.record_appended(1, [at(10), at(11)].into_iter());
    disk.record_appended(2, [at(12)].into_iter());
    disk.commit_up_to(0, |_, _| true);
    assert_eq!(disk.touched_runs(), [10..14]);
    disk.commit_up_to(1, |page, flash| page.0 == 10 && flash.0 == 10);
    assert_eq!(disk.touched_runs(), [11..14], "page 11 is elsewhere by now");
    disk.commit_up_to(2, |_, _| true);
    assert_eq!(disk.touched_runs(), [11..12, 13..14]);
}

#[test]
fn what_a_start_found_open_is_open_and_bits_are_as_it_believes() {
    let open: BTreeSet<_> = [Intent::Region(1), Intent::DirtyData].into_iter().collect();
    for (belief, runs) in [(RecoveryTrust::ByPage, vec![70..71]), (RecoveryTrust::ByRegion, vec![64..128])] {
        let disk = disk();
        disk.touch(70..71);
        disk.touch(130..131);
        disk.restore(&open, &belief);
        assert_eq!(disk.touched_runs(), runs, "{belief:?}");
        assert!(!disk.is_touched_without_intent(PageNumber(70)) && disk.is_touched(PageNumber(70)));
        assert_eq!(disk.claim_regions(&range(64..65)), Ok(()));
        assert_eq!(disk.claim_regions(&range(0..1)), Err(vec![0]));
    }
    let disk = disk();
    disk.restore(&[Intent::AllRegions].into_iter().collect(), &RecoveryTrust::ByPage);
    assert_eq!(disk.claim_regions(&range(0..256)), Ok(()));
}

#[test]
fn what_is_touched_where_no_region_is_open_has_no_intent_yet() {
    let disk = disk();
    disk.touch(5..6);
    assert!(disk.is_touched_without_intent(PageNumber(5)));
    disk.open_regions(&[0]);
    assert!(!disk.is_touched_without_intent(PageNumber(5)));
}
