//! Segments taken, closed, reclaimed and given back, by one device and by two.

use super::*;
use crate::format::layout::Shape;

const A: DiskId = DiskId(1);
const B: DiskId = DiskId(2);
const DEVICE: u64 = 44 * (32 << 10);

fn pool() -> Segments {
    let shape = Shape { segment_bytes: 32 << 10, region_bytes: 1 << 20 };
    let layout = Layout::for_first(DEVICE, shape).unwrap();
    let members = Members::one(DEVICE, layout.segments_on(DEVICE));
    let mut segments = Segments::new(layout, &members, Sequence::first_of(1), &[]);
    segments.set_share(A, Share { reserve: 16, limit: 24 });
    segments.set_share(B, Share { reserve: 16, limit: 40 });
    segments.set_indexed(A, true);
    segments.set_indexed(B, true);
    segments
}

fn fill(segments: &mut Segments, disk: DiskId, count: u32) {
    for _ in 0..count {
        let (segment, _) = segments.take(disk, SegmentPurpose::Promotion).expect("there is room");
        let first = segments.layout.segment_start(segment).plus(1);
        segments.pages_known(first, 1);
        segments.seal(segment);
    }
}

fn reclaim(segments: &mut Segments, disk: DiskId) -> DiskId {
    let victim = segments.choose_victim(disk).expect("something can go");
    let owner = segments.life(victim).and_then(|(owner, _)| owner.disk()).unwrap();
    let page = segments.layout.segment_start(victim).plus(1);
    segments.pages_forgotten([page]);
    segments.free(victim);
    owner
}

#[test]
fn the_last_segments_are_for_survivors_only() {
    let mut segments = pool();
    let free = segments.free_count();
    fill(&mut segments, B, free - KEPT_BACK_SEGMENTS);
    assert_eq!(segments.take(B, SegmentPurpose::Promotion), None);
    assert!(segments.take(B, SegmentPurpose::Survivors).is_some());
}

#[test]
fn a_disk_at_its_limit_gives_up_its_own_oldest() {
    let mut segments = pool();
    fill(&mut segments, B, 4);
    fill(&mut segments, A, 24);
    assert!(!segments.has_room(A));
    assert_eq!(reclaim(&mut segments, A), A);
    assert!(segments.has_room(A));
}

#[test]
fn a_disk_below_its_reservation_takes_from_whoever_holds_more_than_reserved() {
    let mut segments = pool();
    let free = segments.free_count();
    fill(&mut segments, B, free - KEPT_BACK_SEGMENTS);
    for _ in 0..16 {
        assert_eq!(reclaim(&mut segments, A), B);
        fill(&mut segments, A, 1);
    }
    assert!(segments.held(B) >= 16);
}

#[test]
fn the_disk_that_is_furthest_beyond_its_target_gives_room_but_never_what_is_reserved() {
    let mut segments = pool();
    for disk in [A, B] {
        segments.set_share(disk, Share { reserve: 4, limit: 40 });
    }
    let segment_bytes = segments.layout.segment_bytes();
    let free = segments.free_count();
    fill(&mut segments, A, 10);
    fill(&mut segments, B, free - KEPT_BACK_SEGMENTS - 10);
    let targets = |a: u64, b: u64| BTreeMap::from([(A, a * segment_bytes), (B, b * segment_bytes)]);
    assert_eq!(reclaim(&mut segments, B), A, "without targets the oldest goes");
    segments.set_targets(&targets(9, 12));
    assert_eq!(reclaim(&mut segments, B), B);
    assert_eq!(reclaim(&mut segments, A), B);
    segments.set_targets(&targets(0, 40));
    for _ in 0..5 {
        assert_eq!(reclaim(&mut segments, B), A);
    }
    assert_eq!(segments.held(A), 4);
    assert_eq!(reclaim(&mut segments, B), B, "the rest is reserved");
    fill(&mut segments, A, 2);
    segments.set_targets(&targets(30, 30));
    let oldest = segments.sealed[0];
    assert_eq!(segments.choose_victim(A), Some(oldest), "nobody is beyond: the oldest, as without");
    segments.set_targets(&BTreeMap::new());
    assert_eq!(segments.holders[&A].target, None);
}

#[test]
fn the_very_last_segments_are_for_notes_only() {
    let mut segments = pool();
    while segments.take(B, SegmentPurpose::Survivors).is_some() {}
    assert_eq!(segments.free_count(), NOTE_SEGMENTS);
    assert!(segments.take(SegmentOwner::Notes, SegmentPurpose::Notes).is_some());
    assert_eq!(segments.take(B, SegmentPurpose::Survivors), None);
    assert!(segments.take(SegmentOwner::Notes, SegmentPurpose::Notes).is_some());
}

#[test]
fn a_disks_oldest_segment_goes_first_if_nothing_points_to_it() {
    let mut segments = pool();
    let (empty, _) = segments.take(A, SegmentPurpose::Promotion).unwrap();
    fill(&mut segments, B, 20);
    segments.seal(empty);
    assert_eq!(segments.choose_victim(B), Some(empty));
}

#[test]
fn a_newer_segment_never_goes_before_an_older_one_of_the_same_disk() {
    let mut segments = pool();
    fill(&mut segments, B, 20);
    let oldest = segments.sealed[0];
    let (empty, _) = segments.take(B, SegmentPurpose::Promotion).unwrap();
    segments.seal(empty);
    assert_eq!(segments.choose_victim(B), Some(oldest));
}

fn own(segments: &Segments, disk: DiskId) -> Vec<SegmentNumber> {
    let is_own = |segment: &&SegmentNumber| segments.lines[segment.0 as usize].is_of(disk);
    segments.sealed.iter().filter(is_own).copied().collect()
}

#[test]
fn what_is_exchanged_or_put_back_stays_in_order_of_its_disk() {
    let mut segments = pool();
    for _ in 0..4 {
        fill(&mut segments, A, 1);
        fill(&mut segments, B, 2);
    }
    let (before, others) = (own(&segments, B), own(&segments, A));
    for chosen in 1..before.len() {
        let victim = segments.choose_victim(B).unwrap();
        assert_eq!(segments.life(victim).unwrap().0, B.into());
        let life = segments.life(before[chosen]).unwrap();
        assert!(segments.exchange(victim, before[chosen], life));
        let mut left = before.clone();
        left.remove(chosen);
        assert_eq!(own(&segments, B), left, "the oldest is there again, and the other one is not");
        segments.put_back(before[chosen]);
        assert_eq!((own(&segments, B), own(&segments, A)), (before.clone(), others.clone()));
    }
}

#[test]
fn only_a_closed_segment_of_the_same_disk_is_taken_for_the_oldest() {
    let mut segments = pool();
    fill(&mut segments, B, 6);
    fill(&mut segments, A, 1);
    let (open, _) = segments.take(B, SegmentPurpose::Promotion).unwrap();
    let (closed, foreign) = (own(&segments, B), own(&segments, A)[0]);
    segments.note_damaged(closed[2]);
    let victim = segments.choose_victim(B).unwrap();
    for other in [closed[2], foreign, open, victim] {
        let life = segments.life(other).unwrap();
        assert!(!segments.exchange(victim, other, life), "{other:?}");
    }
    let earlier = (B.into(), Sequence::first_of(1));
    assert!(!segments.exchange(victim, closed[3], earlier), "it is in another life by now");
    let life = segments.life(closed[3]).unwrap();
    assert!(segments.exchange(victim, closed[3], life));
    assert_eq!(segments.choose_victim(B), Some(victim));
}

#[test]
fn what_a_table_says_is_closed_again_oldest_first() {
    let mut before = pool();
    fill(&mut before, B, 6);
    let victim = before.choose_victim(B).unwrap();
    before.pages_forgotten([before.layout.segment_start(victim).plus(1)]);
    before.free(victim);
    fill(&mut before, A, 3);
    before.disown(A);
    let expected: Vec<_> = before.sealed.iter().copied().collect();
    let table: Vec<_> = before.lives().collect();
    let members = Members::one(DEVICE, before.space.count());
    let after = Segments::new(before.layout, &members, Sequence::first_of(2), &table);
    assert_eq!(after.sealed, expected);
    assert_eq!((after.held(B), after.held(A), after.owned_by(SegmentOwner::Invalid).len()), (5, 0, 0));
    assert_eq!(after.free_count(), after.space.count() - 5);
    assert_eq!(after.owners(), [B]);
}

/// Returns a second device as large as the first.
fn equal(segments: &Segments) -> Member {
    let count = segments.space.count();
    Member::new(MemberNumber(1), SegmentNumber(count), count, DEVICE)
}

fn second(segments: &Segments) -> Member {
    let first = SegmentNumber(segments.space.count());
    Member::new(MemberNumber(1), first, segments.space.count() / 2, DEVICE)
}

#[test]
fn a_device_that_is_not_used_any_more_is_empty_once_its_owners_were_disowned() {
    let mut segments = pool();
    let member = second(&segments);
    segments.add_device(member);
    fill(&mut segments, B, 6);
    segments.stop_using(member.number);
    let usable = segments.usable();
    fill(&mut segments, A, 6);
    assert_eq!(segments.disks_on(member.number), [B].into());
    assert!(!segments.is_empty(member.number));
    let pages: Vec<_> = segments
        .owned_by(B)
        .into_iter()
        .map(|(segment, _)| segments.layout.segment_start(segment).plus(1))
        .collect();
    segments.pages_forgotten(pages);
    for segment in segments.disown(B) {
        segments.free(segment);
    }
    assert!(segments.is_empty(member.number));
    segments.remove_device(member.number);
    assert_eq!(segments.usable(), usable);
}

#[test]
fn each_purpose_leaves_the_last_segments_to_those_that_others_wait_for() {
    use SegmentPurpose::{GuestWrite, LogRecord, Notes, Promotion, Survivors};
    let mut segments = pool();
    let take = |segments: &mut Segments, purpose| {
        let owner = if purpose == Notes { SegmentOwner::Notes } else { B.into() };
        segments.take(owner, purpose).is_some()
    };
    while take(&mut segments, GuestWrite) {}
    assert_eq!(segments.free_count(), KEPT_BACK_SEGMENTS);
    assert_eq!([Promotion, LogRecord].map(|purpose| take(&mut segments, purpose)), [false; 2]);
    while take(&mut segments, Survivors) {}
    assert_eq!(segments.free_count(), NOTE_SEGMENTS);
    while take(&mut segments, Notes) {}
    assert_eq!(segments.free_count(), 0);
}

#[test]
fn a_disks_limit_bounds_what_it_takes_but_not_survivors() {
    let mut segments = pool();
    segments.set_share(B, Share { reserve: 0, limit: 2 });
    fill(&mut segments, B, 2);
    for purpose in [SegmentPurpose::Promotion, SegmentPurpose::GuestWrite, SegmentPurpose::LogRecord] {
        assert_eq!(segments.take(B, purpose), None, "{purpose:?}");
    }
    assert!(segments.take(B, SegmentPurpose::Survivors).is_some());
}

#[test]
fn generations_never_repeat() {
    let mut segments = pool();
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..100 {
        let (segment, generation) = segments.take(A, SegmentPurpose::Survivors).unwrap();
        assert!(seen.insert(generation));
        segments.seal(segment);
        let victim = segments.choose_victim(A).unwrap();
        segments.free(victim);
    }
}

#[test]
#[should_panic(expected = "still in use")]
fn a_segment_that_an_index_points_to_is_not_freed() {
    let mut segments = pool();
    fill(&mut segments, A, 1);
    let victim = segments.choose_victim(A).unwrap();
    segments.free(victim);
}

#[test]
fn a_shard_that_ended_leaves_its_segments_to_whoever_needs_them() {
    let mut segments = pool();
    segments.set_owner_shard(A, Some(ShardNumber(0)));
    segments.set_owner_shard(B, Some(ShardNumber(1)));
    fill(&mut segments, A, 3);
    segments.abandon(ShardNumber(0));
    assert_eq!(
        (segments.owner_shard(A), segments.owner_shard(B), segments.attached()),
        (None, Some(ShardNumber(1)), 1)
    );
    let victim = segments.choose_victim(A).unwrap();
    segments.free(victim);
    assert_eq!(segments.held(A), 2);
}

#[test]
fn what_is_promised_to_disks_that_are_not_attached_is_counted_apart() {
    let mut segments = pool();
    let promised = segments.reserved();
    assert_eq!(segments.reserved_by_absent(), promised, "nobody is attached");
    segments.set_owner_shard(A, Some(ShardNumber(0)));
    assert_eq!(segments.reserved_by_absent(), segments.reserved_by_others(A));
    segments.set_owner_shard(B, Some(ShardNumber(1)));
    assert_eq!(segments.reserved_by_absent(), 0);
    segments.set_owner_shard(A, None);
    assert_eq!(segments.reserved_by_absent(), segments.reserved_by_others(B));
}

#[test]
fn only_an_attached_disk_is_asked_to_meet_a_lowered_limit() {
    let mut segments = pool();
    fill(&mut segments, A, 20);
    segments.set_share(A, Share { reserve: 16, limit: 18 });
    assert_eq!(segments.over_limit(), None);
    segments.set_owner_shard(A, Some(ShardNumber(0)));
    assert_eq!(segments.over_limit(), Some(A));
    segments.set_share(A, Share { reserve: 16, limit: 20 });
    assert_eq!(segments.over_limit(), None);
}

#[test]
fn copies_count_once_the_table_says_all_that_makes_them_enough() {
    let mut segments = pool();
    fill(&mut segments, A, 2);
    let member = equal(&segments);
    segments.add_device(member);
    segments.set_mirrored(A, true);
    segments.set_writes_back(A, true);
    assert_eq!(segments.uncopied(A), 2);
    // One is freed, and the other one copied.
    reclaim(&mut segments, A);
    let first = segments.lacks_second(A).expect("one has a single copy");
    let life = segments.life(first).unwrap();
    let copy = segments.start_second(first).expect("there is room");
    segments.start_recording();
    assert!(segments.complete_second(first, life, copy));
    assert_eq!((segments.lacks_second(A), segments.uncopied(A)), (None, 2));
    // The content of that table was taken before the copy was complete.
    segments.recorded();
    assert_eq!((segments.is_unrecorded(A), segments.uncopied(A)), (true, 1));
    segments.start_recording();
    // This write fails; the next table records it.
    segments.start_recording();
    segments.recorded();
    assert_eq!((segments.is_unrecorded(A), segments.uncopied(A)), (false, 0));
}

#[test]
fn notes_have_one_copy_where_there_is_no_room_for_two() {
    let mut segments = pool();
    // What a smaller device leaves: one has no free segment, the other some.
    while segments.take(B, SegmentPurpose::Survivors).is_some() {}
    while segments.take(SegmentOwner::Notes, SegmentPurpose::Notes).is_some() {}
    let member = equal(&segments);
    segments.add_device(member);
    assert!(segments.is_mirrored(SegmentOwner::Notes));
    let held = segments.owned_by(SegmentOwner::Notes).len();
    assert!(segments.take(SegmentOwner::Notes, SegmentPurpose::Notes).is_some());
    assert_eq!(segments.owned_by(SegmentOwner::Notes).len(), held + 1, "no second copy");
    segments.set_mirrored(A, true);
    segments.set_writes_back(A, true);
    assert_eq!(segments.take(A, SegmentPurpose::Survivors), None, "others wait");
}

#[test]
fn segments_with_one_copy_are_counted_as_they_change() {
    let mut segments = pool();
    let check = |segments: &Segments, expected: u32, what: &str| {
        for owner in [A.into(), B.into(), SegmentOwner::Notes] {
            let counted = segments.holder(owner).map_or(0, |holder| holder.singles);
            assert_eq!(counted as usize, segments.count_singles(owner), "{what}");
        }
        assert_eq!(segments.holders[&A].singles, expected, "{what}");
    };
    fill(&mut segments, A, 4);
    fill(&mut segments, B, 1);
    check(&segments, 4, "one device");
    let member = equal(&segments);
    segments.add_device(member);
    segments.set_mirrored(A, true);
    segments.set_writes_back(A, true);
    let copy_one = |segments: &mut Segments| {
        let first = segments.lacks_second(A).expect("one has a single copy");
        let life = segments.life(first).unwrap();
        let copy = segments.start_second(first).expect("there is room");
        assert!(segments.complete_second(first, life, copy));
        (first, copy)
    };
    let (newest, _) = copy_one(&mut segments);
    check(&segments, 3, "copied");
    fill(&mut segments, A, 2);
    check(&segments, 3, "taken in pairs");
    segments.drop_second(newest);
    check(&segments, 4, "a second copy is lost");
    let (first, copy) = copy_one(&mut segments);
    assert_eq!((first, segments.promote_second(first)), (newest, copy));
    check(&segments, 4, "a first copy is lost");
    let unwanted = segments.start_second(copy).expect("there is room");
    segments.give_up_second(unwanted);
    check(&segments, 4, "a copy is given up");
    reclaim(&mut segments, A);
    check(&segments, 3, "one with a single copy is freed");
    let table: Vec<_> = segments.lives().collect();
    let members = Members::one(DEVICE, segments.layout.segments_on(DEVICE));
    let alone = Segments::new(segments.layout, &members, Sequence::first_of(2), &table);
    check(&alone, alone.held(A), "without the other device");
    let members = members.with(member).expect("there is room");
    check(&Segments::new(segments.layout, &members, Sequence::first_of(2), &table), 3, "after a start");
    for segment in segments.disown(A) {
        check(&segments, 0, "disowned");
        let pages = segments.live(segment);
        let first = segments.layout.segment_start(segment).plus(1);
        segments.pages_forgotten(vec![first; pages as usize]);
        segments.free(segment);
    }
    fill(&mut segments, A, 1);
    check(&segments, 0, "in a pair again");
}

#[test]
fn what_is_kept_for_dirty_data_counts_as_reserved_until_it_is_given_back_and_leaves_room_for_others() {
    let mut segments = pool();
    let (usable, spare) = (segments.usable(), 16);
    assert_eq!((segments.kept_by(A), segments.reserved_by_others(B)), (16, 16));
    // The limit of A bounds it: what is dirty is a part of what the disk has.
    assert_eq!(segments.keepable(A), 24.min((usable - 16).saturating_sub(spare)).max(16));
    segments.keep_for_dirty(A, 20);
    assert_eq!((segments.kept_by(A), segments.reserved_by_others(B)), (20, 20));
    assert_eq!((segments.dirty_beyond_reserve(B), segments.dirty_beyond_reserve(A)), (4, 0));
    // Less than the reservation is no more than that.
    segments.keep_for_dirty(A, 3);
    assert_eq!((segments.kept_by(A), segments.reserved_by_others(B)), (16, 16));
    segments.keep_for_dirty(A, 20);
    // What is reserved by word counts for what is dirty. More than all together have would be divided among them.
    segments.set_share(A, Share { reserve: 20, limit: 24 });
    assert_eq!((segments.kept_by(A), segments.dirty_beyond_reserve(B)), (20, 0));
}
