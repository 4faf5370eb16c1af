//! Ranges of zeroes in a segment that is reclaimed: the log repeats all that are still dirty, in as many batches as necessary.

use block::{BlockDevice, ByteRange, Host, PAGE, Unmap};
use cache::format::batch::EntryKind;
use cache::types::units::{DiskId, SegmentNumber, Sequence};
use futures_util::future::join_all;

use crate::guest::{Guest, judge, sectors};
use crate::on_flash::layout;
use crate::rig::{End, HELD, Life, Rig};

/// Number of ranges that the guest discards: as many as a new segment takes in one batch.
const RANGES: u64 = 6;

/// Returns the open segment of the disk.
fn open_segment(rig: &Rig) -> (SegmentNumber, Sequence) {
    rig.segments_of(DiskId(1)).pop().expect("the log has begun")
}

/// Returns the number of pages of a segment that hold headers or data.
fn used_pages(rig: &Rig, life: (SegmentNumber, Sequence)) -> u32 {
    let batches = rig.batches(life);
    let entries = batches.iter().flat_map(|(_, _, entries)| entries);
    (batches.len() + entries.filter(|entry| entry.kind.has_data()).count()) as u32
}

/// Returns the number of the guest's ranges in a segment.
fn ranges_in(rig: &Rig, life: (SegmentNumber, Sequence)) -> usize {
    let is_range = |entry: &&cache::format::batch::Entry| {
        entry.kind == EntryKind::Zeroes && entry.page.0 < 2 * RANGES && entry.page.0.is_multiple_of(2)
    };
    rig.batches(life).iter().map(|(_, _, entries)| entries.iter().filter(is_range).count()).sum()
}

/// Continues the log until the open segment has room for exactly so many entries.
async fn leave_room(life: &Life<'_>, room: u32) {
    let wanted = layout().batch_pages() - 1 - room;
    for page in (100..400).step_by(8) {
        let used = used_pages(life.rig, open_segment(life.rig));
        match wanted.checked_sub(used) {
            Some(0) => return,
            // A header without data.
            Some(1) => {
                let range = ByteRange::at(page * PAGE, PAGE);
                life.disk.write_zeroes(range, Unmap::Allowed).await.unwrap();
            }
            Some(left) => life.write_pages(page..page + u64::from(left) - 1, 1).await,
            // Until the next segment is taken.
            None => life.write(page, 1).await,
        }
    }
    panic!("the open segment never has room for {room}, seed {}", life.rig.seed);
}

/// A guest discards pages that do not touch, as fstrim does, and the backing gets none of it. All entries are in the oldest segment, which
/// is reclaimed because the disk gets a lower limit.
async fn trim_and_reclaim(life: &Life<'_>, guest: &Guest, room: u32) {
    let rig = life.rig;
    life.write_back(30).await;
    let trims = (0..RANGES).map(|range| guest.zero(&life.disk, sectors(range * 16..range * 16 + 8)));
    assert!(join_all(trims).await.into_iter().all(|done| done));
    guest.flush(&life.disk).await;
    let victim = open_segment(rig);
    assert!(ranges_in(rig, victim) > room as usize, "the open segment will not have room for all");
    life.read_others(110).await;
    leave_room(life, room).await;
    assert_eq!(rig.segments_of(DiskId(1))[0], victim, "it is the oldest");
    let before = life.counts().reclaims;
    life.write_back(16).await;
    life.host.sleep(HELD).await;
    assert!(life.counts().reclaims > before, "the oldest segments went");
    // They are free once the table is written, for the next segment.
    life.push_out().await;
    assert!(!rig.segments_of(DiskId(1)).contains(&victim), "it was reclaimed");
    let dirty = life.disk.statistics().dirty_zeroes_bytes;
    assert!(dirty >= RANGES * PAGE, "the backing has none of it: {dirty}");
}

pub(crate) fn a_segment_with_ranges_goes() {
    for room in 1..5 {
        for end in [End::Kill, End::PowerCut] {
            for seed in 0..4 {
                let (rig, guest) = (Rig::new(seed), Guest::new());
                guest.find(&rig, sectors(0..256));
                rig.live(end, async |life| trim_and_reclaim(life, &guest, room).await);
                guest.end(end);
                judge(&rig, &guest, &format!("room for {room}, {end:?}"));
            }
        }
    }
}

#[test]
fn a10_all_ranges_of_a_segment_are_repeated_before_it_goes_however_little_room_the_open_one_has() {
    a_segment_with_ranges_goes();
}
