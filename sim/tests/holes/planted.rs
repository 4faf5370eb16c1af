//! Canaries that scenarios must find: bugs that do harm at moments which random walks hardly ever reach. Needs debug assertions.
#![cfg(debug_assertions)]

use cache::types::canary::{Bug, plant};

/// Bugs, each with the scenario that fails with it.
const FOUND_BY: [(Bug, fn()); 23] = [
    (Bug::CloseWithoutFlush, crate::intents::a_region_comes_to_rest_before_the_power_goes),
    (Bug::EarlyClear, crate::promises::a_written_page_is_promoted_once_more),
    (Bug::ReuseBeforeDurable, || drop(crate::dirty::a_superseded_version_is_reclaimed())),
    (Bug::BackingBeforeLog, crate::back::a_power_cut_at_every_operation),
    (Bug::StaleBelieved, crate::two_copies::every_cut_at_every_operation),
    (Bug::AckOneCopy, crate::two_copies::every_cut_at_every_operation),
    (Bug::OutUnrecorded, crate::two_copies::every_cut_at_every_operation),
    (Bug::EndsDiffer, crate::two_copies::every_cut_at_every_operation),
    (Bug::CopyCountsEarly, crate::two_copies::every_cut_at_every_operation),
    (Bug::HalfCopyNamed, crate::two_copies::every_cut_at_every_operation),
    (Bug::HalfMoveNamed, crate::resizing::a_device_becomes_smaller_before_the_power_goes),
    (Bug::CopyOverNamed, crate::resizing::several_disks_move_into_what_reclaim_just_freed),
    (Bug::OneCopyFreed, crate::two_copies::every_cut_at_every_operation),
    (Bug::ShadowedDropped, crate::out_of_order::a_cold_page_with_a_shadow),
    (Bug::OutOfOrderBeforeDurable, crate::out_of_order::a_cold_page_with_a_shadow),
    (Bug::DamageOutOfOrder, crate::out_of_order::a_damaged_page_with_a_shadow),
    (Bug::AheadNotHeld, crate::ahead::all_is_written_anew_while_pages_go_ahead),
    (Bug::FlushCoversLater, crate::overlapping::a_change_completes_while_a_flush_is_in_flight),
    (Bug::CleanBeforeLog, crate::apart::a_disk_is_noted_clean_before_the_power_goes),
    (Bug::RangesSaidOnce, crate::ranges::a_segment_with_ranges_goes),
    (Bug::OverlapsPass, crate::overlapping::changes_of_one_page_overlap),
    (Bug::NewerBeforeLate, crate::late::a_write_of_destage_lands_after_something_newer_was_written),
    (Bug::UnfinishedNotesIgnored, crate::recovery::notes_rot_while_their_successor_is_unfinished),
];

#[test]
fn stories_find_every_planted_bug_that_is_left_to_them() {
    assert_eq!(FOUND_BY.map(|(bug, _)| bug), Bug::IN_STORIES);
    let blind: Vec<Bug> =
        FOUND_BY.iter().filter(|(bug, story)| !is_found(*bug, *story)).map(|(bug, _)| *bug).collect();
    assert!(blind.is_empty(), "stories are blind: {blind:?}");
}

/// Messages of checks: flash is overwritten where the table names it; a guest reads an illegal value, or another one once the cache is
/// evicted; of two copies, a start after a cut is refused, stops the disk or shows an error though one device has all promised data. Other
/// failures of a scenario prove nothing about its checks.
const VERDICTS: [&str; 4] = ["the table names", "legal are", "changed by evicting", "} at operation "];

/// Returns true if the checks of a scenario fail with the bug planted.
fn is_found(bug: Bug, story: fn()) -> bool {
    let told = std::thread::spawn(move || {
        plant(Some(bug));
        story();
    });
    let Err(found) = told.join() else { return false };
    let said = found.downcast_ref::<String>().map_or("a panic", String::as_str);
    println!("{bug:?}: {said}");
    VERDICTS.iter().any(|verdict| said.contains(verdict))
}
