//! The RAM tier, page by page.

use super::*;
use crate::types::limits::PAGE_BYTES;

fn page_of(byte: u8) -> [u8; PAGE_BYTES] {
    [byte; PAGE_BYTES]
}

fn put(ram: &mut Ram, page: u64) -> Option<EvictedPage> {
    ram.insert(
        PageNumber(page),
        &page_of(page as u8),
        Sequence(page),
        PromotionState::New,
        History::default(),
    )
}

fn read(ram: &mut Ram, page: u64) {
    let spot = ram.find(PageNumber(page)).expect("RAM has it");
    assert_eq!(ram.read_at(spot, History::warmer), page_of(page as u8));
}

#[test]
fn the_least_recently_used_page_leaves_first() {
    let mut ram = Ram::new(3);
    for page in 0..3 {
        assert_eq!(put(&mut ram, page), None);
    }
    read(&mut ram, 0);
    let evicted = put(&mut ram, 3).unwrap();
    assert_eq!((evicted.page, evicted.history.heat()), (PageNumber(1), 0));
    assert_eq!(ram.history(PageNumber(0)).map(History::heat), Some(1));
    assert_eq!(ram.len(), 3);
    assert_eq!(ram.peek(PageNumber(1)), None);
    assert_eq!(ram.peek(PageNumber(3)), Some(&page_of(3)[..]));
}

#[test]
fn a_short_page_is_followed_by_zeroes_also_in_a_used_slot() {
    let mut ram = Ram::new(1);
    put(&mut ram, 7);
    ram.insert(PageNumber(1), &[1; 512], Sequence(1), PromotionState::New, History::default());
    let bytes = ram.peek(PageNumber(1)).unwrap();
    assert!(bytes[..512].iter().all(|&byte| byte == 1) && bytes[512..].iter().all(|&byte| byte == 0));
}

#[test]
fn everything_is_given_up_when_it_is_cleared() {
    let mut ram = Ram::new(4);
    for _ in 0..2 {
        (0..8).for_each(|page| _ = put(&mut ram, page));
        let moving = ram.consider(4, 4, |_, _| true);
        assert_eq!((moving, ram.stage(1).len()), (0, 1));
        ram.clear();
        assert_eq!((ram.len(), ram.capacity(), ram.waiting(), ram.moving), (0, 4, 0, 0));
        assert!((0..8).all(|page| ram.peek(PageNumber(page)).is_none()));
    }
}

#[test]
fn the_pages_that_fit_are_kept_with_another_size() {
    let mut ram = Ram::new(600);
    (0..600).for_each(|page| assert_eq!(put(&mut ram, page), None));
    read(&mut ram, 3);
    let evicted: Vec<u64> = ram.resize(100).into_iter().map(|evicted| evicted.page.0).collect();
    assert_eq!(evicted, (0..501).filter(|page| *page != 3).collect::<Vec<_>>(), "coldest first");
    let kept: Vec<u64> = (501..600).chain([3]).collect();
    assert_eq!((ram.len(), ram.capacity()), (100, 100));
    assert!(kept.iter().all(|page| ram.peek(PageNumber(*page)) == Some(&page_of(*page as u8)[..])));
    assert_eq!(ram.resize(3000), []);
    assert!(kept.iter().all(|page| ram.peek(PageNumber(*page)) == Some(&page_of(*page as u8)[..])));
    (1000..3900).for_each(|page| assert_eq!(put(&mut ram, page), None));
    let next: Vec<u64> =
        (0..100).map(|page| put(&mut ram, 5000 + page).expect("it is full").page.0).collect();
    assert_eq!(next, kept, "in the order of their last use");
}

#[test]
fn a_smaller_size_also_drops_what_waits_for_flash_or_is_on_its_way_there() {
    let mut ram = Ram::new(8);
    (0..8).for_each(|page| assert_eq!(put(&mut ram, page), None));
    consider(&mut ram, |_| true);
    let offered = ram.stage(3);
    assert_eq!(ram.resize(2).len(), 6);
    assert_eq!((ram.len(), ram.waiting() + ram.moving), (2, 2));
    assert!(
        offered
            .iter()
            .all(|offered| { ram.settle(offered, PromotionState::OnFlash) == ram.contains(offered.page) })
    );
    (10..20).for_each(|page| _ = put(&mut ram, page));
    assert_eq!(ram.len(), 2);
}

/// Considers everything.
fn consider(ram: &mut Ram, admits: impl Fn(u64) -> bool) -> u64 {
    ram.consider(ram.capacity(), usize::MAX, |page, _| admits(page.0))
}

fn pages(offered: &[PromotionOffer]) -> Vec<u64> {
    offered.iter().map(|offered| offered.page.0).collect()
}

#[test]
fn what_earned_flash_waits_and_stays_readable_and_is_not_evicted_until_settled() {
    let mut ram = Ram::new(4);
    for page in [3, 0, 1, 2] {
        put(&mut ram, page);
    }
    assert_eq!(consider(&mut ram, |page| page != 1), 1);
    assert_eq!(ram.waiting(), 3);
    let offered = ram.stage(2);
    assert_eq!((pages(&offered), ram.waiting()), (vec![0, 3], 1), "the first come, by page");
    assert_eq!(put(&mut ram, 9).unwrap().page, PageNumber(1), "refused");
    assert!(ram.settle(&offered[0], PromotionState::OnFlash));
    assert!(!ram.settle(&offered[0], PromotionState::OnFlash), "settled once");
    assert_eq!(put(&mut ram, 10).unwrap().page, PageNumber(0), "flash has it");
    assert!([2, 3].iter().all(|page| ram.contains(PageNumber(*page))));
}

#[test]
fn only_what_is_beyond_the_warm_is_considered_and_not_more_than_may_wait() {
    let mut ram = Ram::new(8);
    (0..8).for_each(|page| assert_eq!(put(&mut ram, page), None));
    let mut asked = Vec::new();
    let refused = ram.consider(4, 2, |page, _| {
        asked.push(page.0);
        page.0 != 0
    });
    assert_eq!((asked, refused, ram.waiting()), (vec![0, 1, 2], 1, 2), "3 finds no place");
    let offered = ram.stage(8);
    assert_eq!((ram.consider(4, 2, |_, _| true), ram.waiting()), (0, 0), "two are on their way");
    assert!(offered.iter().all(|offered| ram.settle(offered, PromotionState::OnFlash)));
    assert_eq!((ram.consider(4, 2, |_, _| true), ram.waiting()), (0, 1), "3 has not been refused");
    assert_eq!(pages(&ram.stage(8)), [3]);
}

#[test]
fn a_page_that_was_replaced_on_its_way_is_not_believed() {
    let mut ram = Ram::new(4);
    put(&mut ram, 0);
    put(&mut ram, 1);
    consider(&mut ram, |_| true);
    let offered = ram.stage(4);
    ram.insert(PageNumber(0), &page_of(9), Sequence(99), PromotionState::New, History::default());
    ram.remove(1..2);
    assert!(!ram.settle(&offered[0], PromotionState::OnFlash), "another version is here now");
    assert!(!ram.settle(&offered[1], PromotionState::OnFlash), "gone");
    consider(&mut ram, |_| true);
    assert_eq!(pages(&ram.stage(4)), [0], "the other version has earned it too");
}

#[test]
fn when_everything_is_on_its_way_the_newcomer_is_given_up() {
    let mut ram = Ram::new(2);
    (0..2).for_each(|page| assert_eq!(put(&mut ram, page), None));
    consider(&mut ram, |_| true);
    assert_eq!(ram.stage(1).len(), 1);
    assert_eq!(put(&mut ram, 5).unwrap().page, PageNumber(5), "one is on its way, and one waits");
    assert!(ram.contains(PageNumber(0)) && ram.contains(PageNumber(1)));
    ram.give_up_waiting();
    assert_eq!(put(&mut ram, 6).unwrap().page, PageNumber(1), "it waits for nothing");
}

#[test]
fn whatever_is_used_again_is_warm_and_considered_anew() {
    let mut ram = Ram::new(4);
    (0..3).for_each(|page| assert_eq!(put(&mut ram, page), None));
    assert_eq!(consider(&mut ram, |page| page > 0), 1);
    let on_its_way = ram.stage(1);
    for page in 0..3 {
        read(&mut ram, page);
    }
    assert_eq!(ram.waiting(), 0, "2 does not wait any more");
    assert_eq!(consider(&mut ram, |_| true), 0);
    assert_eq!(pages(&ram.stage(4)), [0, 2]);
    assert!(ram.settle(&on_its_way[0], PromotionState::OnFlash), "used, and still the same");
}

#[test]
fn what_flash_has_is_given_up_first_and_of_that_what_came_first() {
    let mut ram = Ram::new(6);
    (0..6).for_each(|page| assert_eq!(put(&mut ram, page), None));
    assert_eq!(consider(&mut ram, |page| page >= 3), 3);
    let offered = ram.stage(2);
    assert!(offered.iter().all(|offered| ram.settle(offered, PromotionState::OnFlash)));
    let later = ram.stage(1);
    assert!(ram.settle(&later[0], PromotionState::OnFlash));
    let given_up: Vec<_> = (10..15).map(|page| put(&mut ram, page).unwrap().page.0).collect();
    assert_eq!(given_up, [3, 4, 5, 0, 1]);
}

#[test]
fn what_lost_its_copy_on_flash_is_considered_again_at_once_or_once_it_is_used() {
    let mut ram = Ram::new(4);
    put(&mut ram, 0);
    put(&mut ram, 1);
    consider(&mut ram, |_| true);
    for offered in ram.stage(4) {
        assert!(ram.settle(&offered, PromotionState::OnFlash));
    }
    ram.lost_on_flash(PageNumber(0), PromotionState::New);
    ram.lost_on_flash(PageNumber(1), PromotionState::Rejected);
    consider(&mut ram, |_| true);
    assert_eq!(pages(&ram.stage(4)), [0]);
    read(&mut ram, 1);
    consider(&mut ram, |_| true);
    assert_eq!(pages(&ram.stage(4)), [1]);
}

#[test]
fn removing_a_range_larger_than_the_tier_looks_only_at_what_is_here() {
    let mut ram = Ram::new(8);
    for page in 0..8 {
        put(&mut ram, page * 1000);
    }
    assert_eq!(ram.remove(1000..u64::MAX), 7);
    assert_eq!(ram.len(), 1);
}
