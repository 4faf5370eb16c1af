//! The index beside a plain map, and what it costs.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
enum Op {
    Insert(u64, u32, usize),
    InsertAbsent(u64, u32, usize),
    Remove(u64, u64),
    RemoveIfAt(u64, u32),
    RemoveOnFlash(u32),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        4 => (0..600u64, 1..5000u32, 1..40usize).prop_map(|(page, flash, count)| Op::Insert(page, flash, count)),
        4 => (0..600u64, 1..5000u32, 1..40usize).prop_map(|(page, flash, count)| Op::InsertAbsent(page, flash, count)),
        4 => (0..600u64, prop_oneof![1..2u64, 0..300u64]).prop_map(|(page, count)| Op::Remove(page, count)),
        1 => (0..600u64, 1..5000u32).prop_map(|(page, flash)| Op::RemoveIfAt(page, flash)),
        1 => (1..5000u32).prop_map(Op::RemoveOnFlash),
    ]
}

#[test]
fn whatever_takes_out_many_blocks_does_so_by_their_number() {
    for block_pages in [1, 16] {
        let mut index = Index::new(block_pages, 7);
        for block in (0..5_000u64).rev() {
            index.insert_run(PageNumber(block * u64::from(block_pages)), FlashPage(block as u32 + 1), &[1]);
        }
        let removed = index.remove(0..u64::MAX, |page| page.0 % 3 == 0);
        assert!(removed.is_sorted_by_key(|gone| gone.page) && removed.len() > 3_000);
        let moved = index.rearrange(|_, flash| (flash.0 % 2 == 0).then_some(flash));
        assert!(moved.is_sorted_by_key(|gone| gone.page) && !moved.is_empty());
        let removed = index.remove_on_flash(0..u32::MAX);
        assert!(removed.is_sorted_by_key(|gone| gone.page) && !removed.is_empty());
        assert_eq!((index.pages(), index.blocks()), (0, 0));
    }
}

fn gone(page: u64, flash: u32) -> RemovedPage {
    RemovedPage { page: PageNumber(page), flash: FlashPage(flash) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn the_index_agrees_with_a_plain_map(
        shift in prop_oneof![Just(0), 0..9u32],
        ops in proptest::collection::vec(op(), 1..120),
    ) {
        let mut index = Index::new(1 << shift, 7);
        let mut model: BTreeMap<u64, u32> = BTreeMap::new();
        for op in ops {
            match op {
                Op::Insert(page, flash, count) => {
                    let checksums: Vec<u32> = (0..count as u32).map(|at| flash + at).collect();
                    let mut replaced = index.insert_run(PageNumber(page), FlashPage(flash), &checksums);
                    let mut expected = Vec::new();
                    for at in 0..count {
                        let page = page + at as u64;
                        let old = model.insert(page, flash + at as u32);
                        expected.extend(old.map(|flash| gone(page, flash)));
                    }
                    replaced.sort_unstable_by_key(|gone| gone.page);
                    prop_assert_eq!(replaced.into_vec(), expected);
                }
                Op::InsertAbsent(page, flash, count) => {
                    let checksums: Vec<u32> = (0..count as u32).map(|at| flash + at).collect();
                    // Every ninth page is not wanted.
                    let wanted = |page: PageNumber| page.0 % 9 != 4;
                    let entered = index.insert_absent(PageNumber(page), FlashPage(flash), &checksums, wanted);
                    let before = model.len();
                    for (page, flash) in (page..page + count as u64).zip(flash..) {
                        if wanted(PageNumber(page)) {
                            model.entry(page).or_insert(flash);
                        }
                    }
                    prop_assert_eq!(entered as usize, model.len() - before);
                }
                Op::Remove(page, count) => {
                    let goes = |key: u64| (page..page + count).contains(&key) && key % 7 != 3;
                    let mut removed = index.remove(page..page + count, |page| !goes(page.0)).into_vec();
                    removed.sort_unstable_by_key(|gone| gone.page);
                    let expected = model.iter().filter(|(page, _)| goes(**page));
                    prop_assert_eq!(removed, expected.map(|(page, flash)| gone(*page, *flash)).collect::<Vec<_>>());
                    model.retain(|key, _| !goes(*key));
                }
                Op::RemoveIfAt(page, flash) => {
                    let there = model.get(&page) == Some(&flash);
                    prop_assert_eq!(index.remove_if_at(PageNumber(page), FlashPage(flash)), there);
                    if there {
                        model.remove(&page);
                    }
                }
                Op::RemoveOnFlash(start) => {
                    let mut removed = index.remove_on_flash(start..start + 500);
                    removed.sort_unstable_by_key(|gone| gone.page);
                    let there = model.iter().filter(|(_, flash)| (start..start + 500).contains(flash));
                    let expected = there.map(|(page, flash)| gone(*page, *flash));
                    prop_assert_eq!(removed, expected.collect::<Vec<_>>());
                    model.retain(|_, flash| !(start..start + 500).contains(flash));
                }
            }
            prop_assert_eq!(index.pages(), model.len() as u64);
            if let Blocks::MultiPage(multi_page) = &index.blocks {
                multi_page.check();
            }
            for page in 0..650 {
                let found = index.get(PageNumber(page)).map(|located| (located.flash.0, located.checksum));
                prop_assert_eq!(found, model.get(&page).map(|&flash| (flash, flash)));
                let with_history = index.get_with_history(PageNumber(page)).map(|(located, _)| located);
                prop_assert_eq!(with_history, index.get(PageNumber(page)));
            }
        }
    }
}

#[test]
fn a_history_is_updated_by_what_is_known_and_kept_where_the_block_is() {
    for block_pages in [1, 16] {
        let mut index = Index::new(block_pages, 7);
        index.insert_run(PageNumber(32), FlashPage(7), &[1]);
        let warm = History::default().warmer();
        assert_eq!(index.update_history(PageNumber(32), History::warmer), warm);
        assert_eq!(index.update_history(PageNumber(32), History::warmer), warm.warmer());
        assert_eq!(index.history(PageNumber(32)), warm.warmer());
        assert_eq!(index.get_with_history(PageNumber(32)).map(|(_, history)| history), Some(warm.warmer()));
        let of_nothing = index.update_history(PageNumber(64), History::warmer);
        assert_eq!((of_nothing, index.history(PageNumber(64))), (warm, History::default()));
    }
}

#[test]
fn memory_stays_within_the_budget_at_4_kib_blocks() {
    let mut index = Index::new(1, 7);
    for blocks in [100_000u64, 229_377, 500_000] {
        for page in index.blocks()..blocks {
            index.insert_run(PageNumber(page * 37), FlashPage(1 + page as u32), &[page as u32]);
        }
        // Policy, ghosts and samples take the rest of 28.
        assert!(index.bytes() <= 21 * blocks, "{} bytes for {blocks} blocks", index.bytes());
    }
}

#[test]
fn memory_stays_within_the_budget_at_64_kib_blocks() {
    let mut index = Index::new(16, 7);
    for block in 0..60_000u64 {
        index.insert_run(PageNumber(block * 16), FlashPage(block as u32 * 16), &[1; 16]);
    }
    assert!(index.bytes() * 1000 <= 2 * 60_000 * 65_536, "{} bytes for 60,000 blocks", index.bytes());
}

#[test]
fn pages_that_were_written_one_by_one_cost_their_checksum_and_the_bits_of_an_address_and_their_block_some_thirty_bytes()
 {
    let mut index = Index::new(16, 7);
    let pages = 16 * 20_000u64;
    for at in 0..pages {
        // In an order in which no neighbours are written one after another, and each block grows page by page.
        let page = at * 48_271 % pages;
        index.insert_run(PageNumber(page), FlashPage(1 + at as u32), &[at as u32]);
    }
    assert_eq!(index.pages(), pages);
    let bytes_per_block = index.bytes() / index.blocks();
    // Of 320,000 pages: 19 bits.
    assert!(bytes_per_block <= 16 * 4 + 16 * 19 / 8 + 32, "{bytes_per_block}");
}

#[test]
fn what_is_left_of_overwritten_blocks_costs_little_more_than_their_checksums() {
    let mut index = Index::new(16, 7);
    let (blocks, mut next) = (20_000u64, 1 << 27);
    for block in 0..blocks {
        index.insert_run(PageNumber(block * 16), FlashPage(next), &[1; 16]);
        next += 16;
    }
    for at in 0..blocks * 16 / 3 {
        index.insert_run(PageNumber(at * 48_271 % (blocks * 16)), FlashPage(next), &[2]);
        next += 1;
    }
    let bytes_per_block = index.bytes() / index.blocks();
    // Of 16 pages five have addresses of 28 bits, and the rest has one.
    assert!(bytes_per_block <= 16 * 4 + 2 + 6 * 28 / 8 + 32, "{bytes_per_block}");
}

#[test]
fn a_history_goes_with_its_block_and_those_drawn_are_of_blocks_that_are_there() {
    let mut index = Index::new(4, 7);
    let hot = History::default().with_heat(2);
    index.set_history(PageNumber(1), hot);
    assert_eq!(index.history(PageNumber(1)), History::default(), "an unknown block has none");
    index.insert_run(PageNumber(1), FlashPage(7), &[1]);
    index.set_history(PageNumber(2), hot);
    assert_eq!(index.use_if_at(PageNumber(1), FlashPage(8), History::warmer), None);
    assert_eq!(index.use_if_at(PageNumber(1), FlashPage(7), History::warmer), Some(hot));
    assert_eq!(index.history(PageNumber(0)).heat(), 3);
    let mut dice = Dice::new();
    let drawn: Vec<_> = (0..20_000).filter_map(|_| index.draw(&mut dice)).collect();
    assert!(drawn.len() > 5 && drawn.iter().all(|history| history.heat() == 3), "{}", drawn.len());
    index.remove(1..2, |_| false);
    assert_eq!(index.history(PageNumber(1)), History::default());
    assert!((0..20_000).all(|_| index.draw(&mut dice).is_none()));
}
