//! Reference policies against examples worked by hand, and against naive models with a different implementation.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;
use crate::rule::Effect;

const BLOCKS: u32 = 24;

/// Returns `H` for each hit and `.` for each miss.
fn play(reference: Reference, capacity: usize, accesses: &[u32]) -> String {
    let next = next_uses(accesses, &[], BLOCKS, 1);
    let mut policy = reference.make(capacity, BLOCKS, &next);
    let mut answers = String::new();
    for block in accesses {
        answers.push(if policy.access(*block) == Access::Hit { 'H' } else { '.' });
        assert!(policy.len() <= capacity, "{reference} holds {} of {capacity}", policy.len());
    }
    answers
}

fn misses(answers: &str) -> usize {
    answers.chars().filter(|answer| *answer == '.').count()
}

#[test]
fn fifo_gives_up_what_came_first_and_lru_what_was_used_least_recently() {
    let accesses = [0, 1, 2, 0, 3, 0, 1];
    assert_eq!(play(Reference::Fifo, 3, &accesses), "...H...", "3 pushes 0 out, and 0 pushes 1 out");
    assert_eq!(play(Reference::Lru, 3, &accesses), "...H.H.", "3 pushes 1 out");
}

#[test]
fn clock_passes_once_over_what_was_used() {
    assert_eq!(play(Reference::Clock, 3, &[0, 1, 2, 0, 3, 0, 1, 2]), "...H.H..");
}

#[test]
fn sieve_keeps_the_place_of_its_hand() {
    // As in figure 1 of the paper, reduced: 3 passes over 0 and evicts 1; 4 continues at 2, though 0 is older.
    assert_eq!(play(Reference::Sieve, 3, &[0, 1, 2, 0, 3, 4, 0, 2]), "...H..H.");
}

#[test]
fn two_q_takes_in_for_good_what_comes_back_after_it_left() {
    // 0 is evicted for 4, is remembered, and stays after its return: new blocks push each other out.
    assert_eq!(play(Reference::TwoQ, 4, &[0, 1, 2, 3, 4, 0, 5, 6, 7, 8, 0]), "..........H");
}

#[test]
fn arc_keeps_what_was_used_twice_through_a_scan() {
    assert_eq!(play(Reference::Arc, 3, &[0, 0, 1, 1, 2, 3, 4, 5, 6, 0, 1]), ".H.H.....HH");
}

#[test]
fn arc_gives_room_to_what_it_remembers() {
    // 0 and 1 are used twice; 2 is evicted for 3 and returns: the target of T1 becomes 1, so 0 is evicted, then 1, and 3 stays.
    let mut arc = Arc::new(3, BLOCKS);
    let answers: Vec<Access> = [0, 0, 1, 1, 2, 3, 2, 4].map(|block| arc.access(block)).into();
    assert_eq!(answers.iter().filter(|answer| **answer == Access::Hit).count(), 2);
    assert_eq!(arc.len(), 3);
    assert_eq!(arc.access(3), Access::Hit);
}

#[test]
fn lirs_keeps_a_loop_that_is_larger_than_the_cache() {
    // LRU has no hit at all; LIRS keeps all but one place.
    let accesses: Vec<u32> = (0..8).cycle().take(80).collect();
    assert_eq!(misses(&play(Reference::Lru, 6, &accesses)), 80);
    assert_eq!(misses(&play(Reference::Lirs, 6, &accesses)), 8 + 9 * 3);
}

#[test]
fn s3_fifo_takes_single_uses_out_of_the_small_queue() {
    // 0 and 1 are used often enough to move to the main queue; a scan passes.
    let mut accesses = vec![0, 1, 0, 1, 0, 1];
    accesses.extend(2..20);
    accesses.extend([0, 1]);
    assert!(play(Reference::S3Fifo, 10, &accesses).ends_with("HH"));
    assert!(play(Reference::Lru, 10, &accesses).ends_with(".."));
}

#[test]
fn clock2q_plus_counts_no_use_within_the_correlation_window() {
    // 40 blocks: a small queue of 4, and a window of the 2 newest of them.
    for (admissions, is_counted) in [(0, false), (1, false), (2, true)] {
        let mut policy = Reference::ClockTwoQPlus.make(40, 41, &[]);
        policy.access(0);
        (1..=admissions).for_each(|block| assert_eq!(policy.access(block), Access::Miss));
        assert_eq!(policy.access(0), Access::Hit);
        (admissions + 1..41).for_each(|block| assert_eq!(policy.access(block), Access::Miss));
        assert_eq!(policy.holds(0), is_counted, "used again after {admissions} admissions");
    }
}

#[test]
fn w_tinylfu_admits_by_how_often_blocks_were_used() {
    let mut accesses = [0, 1, 2, 3].repeat(4);
    accesses.extend(4..20);
    accesses.extend([1, 2, 3]);
    for window in [1, 20] {
        assert!(play(Reference::WTinyLfu(window), 5, &accesses).ends_with("HHH"), "{window}");
    }
}

#[test]
fn belady_gives_up_what_is_used_last() {
    // The example of most textbooks: three frames, nine faults.
    let accesses = [7, 0, 1, 2, 0, 3, 0, 4, 2, 3, 0, 3, 2, 1, 2, 0, 1, 7, 0, 1];
    assert_eq!(misses(&play(Reference::Belady, 3, &accesses)), 9);
    assert_eq!(misses(&play(Reference::Lru, 3, &accesses)), 12);
    assert_eq!(misses(&play(Reference::Fifo, 3, &accesses)), 15);
}

#[test]
fn next_uses_of_two_passes_are_those_of_the_same_accesses_twice() {
    let (accesses, effects) =
        ([0, 1, 0, 2, 1], [Effect::Reads, Effect::Replaces, Effect::Patches, Effect::Reads, Effect::Reads]);
    let twice = next_uses(&accesses.repeat(2), &effects.repeat(2), 3, 1);
    assert_eq!(next_uses(&accesses, &effects, 3, 2), twice);
    assert_eq!(twice[..5], [5, 4, 5, 8, u32::MAX], "1 is replaced at the front of the second pass");
}

#[test]
fn names_are_read_as_they_are_printed_and_others_refused() {
    for reference in Reference::ALL.into_iter().chain([Reference::WTinyLfu(7)]) {
        assert_eq!(reference.to_string().parse(), Ok(reference));
    }
    assert_eq!("w-tinylfu".parse(), Ok(Reference::WTinyLfu(1)));
    for wrong in ["", "LRU", "lru-2", "w-tinylfu:0", "w-tinylfu:100", "w-tinylfu:-1"] {
        assert!(wrong.parse::<Reference>().unwrap_err().contains("belady"), "{wrong}");
    }
}

/// Plays a policy in the simplest form: cached blocks in order, the next one to evict last.
fn naive(reference: Reference, capacity: usize, accesses: &[u32]) -> String {
    let mut cached: VecDeque<(u32, bool)> = VecDeque::new();
    // Counted from the back, so that insertions at the front do not move it.
    let mut hand = 0;
    let mut answers = String::new();
    for (now, block) in accesses.iter().enumerate() {
        let found = cached.iter().position(|(other, _)| other == block);
        answers.push(if found.is_some() { 'H' } else { '.' });
        if let Some(at) = found {
            cached[at].1 = true;
            if reference == Reference::Lru {
                let used = cached.remove(at).unwrap();
                cached.push_front(used);
            }
            continue;
        }
        if cached.len() == capacity {
            match reference {
                Reference::Clock => {
                    while cached.back().unwrap().1 {
                        let (again, _) = cached.pop_back().unwrap();
                        cached.push_front((again, false));
                    }
                    cached.pop_back();
                }
                Reference::Sieve => loop {
                    hand %= capacity;
                    let at = capacity - 1 - hand;
                    if !std::mem::take(&mut cached[at].1) {
                        cached.remove(at);
                        // Behind the newest it starts over, before the new block has its place there.
                        hand %= capacity - usize::from(capacity > 1);
                        break;
                    }
                    hand += 1;
                },
                Reference::Belady => {
                    let rest = &accesses[now..];
                    let next =
                        |block: u32| rest.iter().position(|other| *other == block).unwrap_or(usize::MAX);
                    let last = (0..capacity).max_by_key(|at| next(cached[*at].0)).unwrap();
                    cached.remove(last);
                }
                _ => {
                    cached.pop_back();
                }
            }
        }
        cached.push_front((*block, false));
    }
    answers
}

/// Plays ARC with plain queues, most recent first.
#[expect(clippy::cast_precision_loss, reason = "lists of a few blocks")]
fn naive_arc(capacity: usize, accesses: &[u32]) -> String {
    let mut lists: [VecDeque<u32>; 4] = Default::default();
    let mut target = 0.0_f64;
    let mut answers = String::new();
    let replace = |lists: &mut [VecDeque<u32>; 4], target: f64, in_b2: bool| {
        let length = lists[0].len() as f64;
        let from =
            usize::from(!(length > 0.0 && (length > target || in_b2 && length.total_cmp(&target).is_eq())));
        if let Some(block) = lists[from].pop_back() {
            lists[from + 2].push_front(block);
        }
    };
    for &block in accesses {
        let found = lists.iter().position(|list| list.contains(&block));
        answers.push(if matches!(found, Some(0 | 1)) { 'H' } else { '.' });
        let len = |lists: &[VecDeque<u32>; 4], at: usize| lists[at].len();
        match found {
            Some(at @ (2 | 3)) => {
                let (own, other) = (len(&lists, at) as f64, len(&lists, 5 - at) as f64);
                let step = (other / own).max(1.0) * if at == 2 { 1.0 } else { -1.0 };
                target = (target + step).clamp(0.0, capacity as f64);
                replace(&mut lists, target, at == 3);
            }
            Some(_) => {}
            None if len(&lists, 0) + len(&lists, 2) == capacity => {
                if len(&lists, 0) < capacity {
                    lists[2].pop_back();
                    replace(&mut lists, target, false);
                } else {
                    lists[0].pop_back();
                }
            }
            None => {
                let all: usize = lists.iter().map(VecDeque::len).sum();
                if all >= capacity {
                    if all == 2 * capacity {
                        lists[3].pop_back();
                    }
                    replace(&mut lists, target, false);
                }
            }
        }
        for list in &mut lists {
            list.retain(|other| *other != block);
        }
        lists[usize::from(found.is_some())].push_front(block);
    }
    answers
}

fn accesses() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(prop_oneof![0..BLOCKS, 0..BLOCKS / 4], 1..300)
}

proptest! {
    #[test]
    fn policies_do_what_naive_models_do(capacity in 1_usize..16, accesses in accesses()) {
        for reference in [Reference::Fifo, Reference::Lru, Reference::Clock, Reference::Sieve] {
            prop_assert_eq!(play(reference, capacity, &accesses), naive(reference, capacity, &accesses), "{}", reference);
        }
        prop_assert_eq!(play(Reference::Arc, capacity, &accesses), naive_arc(capacity, &accesses));
        let best = misses(&play(Reference::Belady, capacity, &accesses));
        prop_assert_eq!(best, misses(&naive(Reference::Belady, capacity, &accesses)));
    }

    #[test]
    fn policies_hold_what_hits_and_nothing_that_was_invalidated(
        capacity in 1_usize..30,
        accesses in prop::collection::vec((0..BLOCKS, prop::bool::weighted(0.2)), 1..300),
    ) {
        let blocks: Vec<u32> = accesses.iter().map(|(block, _)| *block).collect();
        let effect = |(_, is_invalidated): &(u32, bool)| if *is_invalidated { Effect::Patches } else { Effect::Reads };
        let next = next_uses(&blocks, &accesses.iter().map(effect).collect::<Vec<_>>(), BLOCKS, 1);
        for reference in Reference::ALL {
            let mut policy = reference.make(capacity, BLOCKS, &next);
            for &(block, is_invalidated) in &accesses {
                let was_held = policy.holds(block);
                if is_invalidated {
                    policy.invalidate(block);
                } else {
                    prop_assert_eq!(policy.access(block) == Access::Hit, was_held, "{} {}", reference, block);
                }
                prop_assert_eq!(policy.holds(block), !is_invalidated, "{} {}", reference, block);
                let held = (0..BLOCKS).filter(|block| policy.holds(*block)).count();
                prop_assert_eq!(held, policy.len(), "{}", reference);
                prop_assert!(held <= capacity, "{} holds {} of {}", reference, held, capacity);
            }
        }
    }

    #[test]
    fn no_policy_beats_belady_or_misses_what_never_left(capacity in 1_usize..30, accesses in accesses()) {
        let best = misses(&play(Reference::Belady, capacity, &accesses));
        let mut distinct = accesses.clone();
        distinct.sort_unstable();
        distinct.dedup();
        for reference in Reference::ALL {
            let missed = misses(&play(reference, capacity, &accesses));
            prop_assert!(missed >= best, "{} missed {} times, and {} are possible", reference, missed, best);
            prop_assert!(missed >= distinct.len());
            if capacity >= BLOCKS as usize {
                prop_assert_eq!(missed, distinct.len(), "{}", reference);
            }
        }
    }
}
