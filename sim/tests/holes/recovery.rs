//! Recovery: every start is cut at every write, flash is damaged where a start reads first, and repeated reads agree.

use block::{BlockDevice, ByteRange, PAGE};
use cache::types::units::SegmentOwner;
use cache::{LoadProgress, Mode, PoolContent};

use crate::guest::{Guest, judge, sectors};
use crate::on_flash::{at, layout};
use crate::rig::{ENDS, End, HELD, Life, P, Rig, TORN, story};

/// Leaves old and new data, closed and open, on flash and on the backing only.
async fn leave_something(life: &Life<'_>) {
    life.cache_pages(0..8, 1).await;
    life.cache_pages(64..72, 1).await;
    life.set_mode(Mode::WriteAround);
    // Region 0 is closed and page 3 invalid; region 1 is open, and its page 67 changed.
    life.write(3, 2).await;
    life.rest().await;
    life.write(67, 2).await;
    life.disk.flush().await.unwrap();
    life.set_mode(Mode::WriteThrough);
    life.write(68, 2).await;
    life.disk.flush().await.unwrap();
    life.push_out().await;
}

const ASKED: [u64; 5] = [2, 3, 66, 67, 68];
const ANSWERS: [u8; 5] = [1, 2, 1, 2, 2];

#[test]
fn a_start_that_is_cut_at_any_write_is_repeated_and_gives_the_same_answer() {
    for before in [End::Kill, End::PowerCut] {
        for cut in [End::Kill, End::PowerCut] {
            let mut cuts = 0;
            loop {
                let rig = Rig::new(cuts);
                rig.live(before, leave_something);
                cuts += 1;
                let told = rig.live_until(cut, Some(cuts), async |life| drop(life.loaded().await));
                // Cut once more, one write earlier or later.
                rig.live_until(cut, Some((cuts * 7) % 9 + 1), async |life| drop(life.loaded().await));
                rig.live(End::Stop, async |life| {
                    assert!(matches!(life.content, PoolContent::Kept { .. }), "{:?}", life.content);
                    assert_eq!(life.settled(&ASKED).await, ANSWERS, "{before:?}, {cut:?} at {cuts}");
                });
                if told {
                    break;
                }
            }
            assert!(cuts > 5, "a start writes superblock, notes and table");
        }
    }
}

#[test]
fn what_is_dirty_is_not_taken_for_an_older_clean_version_that_looked_the_same() {
    story(|rig| {
        rig.samples.set(64);
        rig.live(End::Kill, async |life| {
            // One run of the log, whose second page stays unchanged.
            life.cache_pages(P..P + 2, 1).await;
            life.write_back(24).await;
            life.write(P, 2).await;
            life.disk.start_destage();
            life.until_clean().await;
            assert_eq!(rig.home(P), 2);
            life.write(P, 1).await;
            life.disk.flush().await.unwrap();
            life.write(P + 8, 1).await;
            life.disk.flush().await.unwrap();
            assert_eq!(rig.home(P), 2, "the last version is on flash only");
        });
        rig.live(End::Stop, async |life| {
            assert_eq!(life.loaded().await, LoadProgress::Done);
            life.until_clean().await;
            assert_eq!(life.settled(&[P, P + 1, P + 8]).await, [1, 1, 1]);
        });
    });
}

#[test]
fn a_second_start_finds_what_the_first_one_found() {
    for before in ENDS {
        let found = |starts: u64| {
            let rig = Rig::new(7);
            rig.live(before, leave_something);
            for _ in 1..starts {
                rig.live(End::Kill, async |life| drop(life.loaded().await));
            }
            let found = std::cell::RefCell::new(Vec::new());
            rig.live(End::Stop, async |life| drop(found.replace(life.pages_on_flash().await)));
            found.into_inner()
        };
        let once = found(1);
        assert!(once.len() > 8, "{before:?}: {once:?}");
        assert_eq!(found(2), once, "{before:?}");
        assert_eq!(found(3), once, "{before:?}");
    }
}

/// Damages a range of flash between two processes. Flash gives right answers or none, and never old ones.
fn damage(before: End, range: &ByteRange, what: &str) -> PoolContent {
    let rig = Rig::new(range.start);
    rig.live(before, leave_something);
    rig.flash.rot(range, 1);
    let content = std::cell::Cell::new(PoolContent::Dropped(""));
    rig.live(End::Kill, async |life| {
        content.set(life.content);
        life.loaded().await;
        assert_eq!(life.see(3).await, 2, "{before:?}, {what}");
    });
    rig.live(End::Stop, async |life| {
        assert_eq!(life.settled(&ASKED).await, ANSWERS, "{before:?}, {what}");
    });
    content.get()
}

#[test]
fn a_damaged_copy_of_the_superblock_is_never_taken_for_an_older_pool() {
    for before in ENDS {
        let contents = [0, 1].map(|slot| damage(before, &ByteRange::at(slot * PAGE, PAGE), "superblock"));
        let dropped = contents.iter().filter(|content| matches!(content, PoolContent::Dropped(_))).count();
        assert_eq!(dropped, 1, "the current copy is one of them: {contents:?}");
    }
}

#[test]
fn a_damaged_copy_of_the_segment_table_is_never_taken_for_an_older_one() {
    for before in ENDS {
        for slot in 0..2 {
            let range = ByteRange::at(layout().table_slot(slot), layout().table_bytes() as u64);
            damage(before, &range, "table");
        }
    }
}

#[test]
fn damaged_notes_never_close_a_region_that_is_open() {
    for before in ENDS {
        for page in 0..u64::from(layout().batch_pages()) {
            let rig = Rig::new(page);
            rig.live(before, leave_something);
            let (segment, _) = *rig.segments_of(SegmentOwner::Notes).last().unwrap();
            let here = at(layout().segment_start(segment)) + page * PAGE;
            // Damage to one sector, and to the whole page.
            for sectors in [1, 64] {
                let rig = Rig::new(page);
                rig.live(before, leave_something);
                rig.flash.rot(&ByteRange::at(here, PAGE), sectors);
                rig.live(End::Stop, async |life| {
                    assert_eq!(life.settled(&ASKED).await, ANSWERS, "{before:?}, page {page} of notes");
                });
            }
        }
    }
}

/// A guest's write is acknowledged from flash, and the next start ends while it rewrites the notes. Then all notes since they were complete
/// rot, with their proof, and a guest reads while the disk is loaded. Returns true if the new notes list the open regions.
fn notes_rot_in_a_start_that_ends_at(end: End, cut: u64) -> (bool, bool) {
    let (rig, guest) = (Rig::new(cut), Guest::new());
    rig.live(End::Kill, async |life| {
        life.write_back(24).await;
        guest.write(&life.disk, sectors(0..8)).await;
        guest.flush(&life.disk).await;
    });
    guest.end(End::Kill);
    let complete = *rig.segments_of(SegmentOwner::Notes).last().unwrap();
    let is_told = rig.live_until(end, Some(cut), async |life| drop(life.loaded().await));
    guest.end(end);
    let owned = rig.segments_of(SegmentOwner::Notes);
    let begun = rig.batches(*owned.last().unwrap());
    if owned[0] != complete || owned.len() < 2 || begun.len() != 1 {
        return (false, is_told);
    }
    let notes = rig.batches(complete);
    assert_eq!(notes.iter().filter(|(_, _, entries)| entries.is_empty()).count(), 2, "two that prove");
    for (at, ..) in &notes[1..] {
        rig.flash.rot(&ByteRange::at(*at, PAGE), 1);
    }
    rig.live(End::Kill, async |life| {
        rig.flash.delay(HELD, HELD);
        let seen = guest.read(&life.disk).await;
        seen.unwrap_or_else(|what| panic!("{end:?} at {cut}: {what}"));
        rig.flash.delay(0, 0);
    });
    guest.end(End::Kill);
    judge(&rig, &guest, &format!("{end:?} at {cut}"));
    (true, is_told)
}

pub(crate) fn notes_rot_while_their_successor_is_unfinished() {
    for end in [End::Kill, End::PowerCut] {
        let ends = (1..).map(|cut| notes_rot_in_a_start_that_ends_at(end, cut));
        let met = ends.take_while(|(_, is_told)| !is_told).filter(|(is_met, _)| *is_met).count();
        assert!(met > 0, "{end:?}: no start ended between the first batch and the last of its notes");
    }
}

#[test]
fn a_start_counts_what_was_open_when_notes_were_begun_that_it_finds_unfinished() {
    notes_rot_while_their_successor_is_unfinished();
}

#[test]
fn damage_anywhere_in_the_log_never_brings_back_an_older_version() {
    for before in [End::Stop, End::PowerCut] {
        let rig = Rig::new(1);
        rig.live(before, leave_something);
        for (segment, _) in rig.segments_of(cache::DiskId(1)) {
            for page in 0..8 {
                let rig = Rig::new(1);
                rig.live(before, leave_something);
                let here = at(layout().segment_start(segment)) + page * PAGE;
                rig.flash.rot(&ByteRange::at(here, PAGE), 1);
                rig.live(End::Stop, async |life| {
                    let seen = life.settled(&ASKED).await;
                    assert_eq!(seen, ANSWERS, "{before:?}, page {page} of segment {}", segment.0);
                });
            }
        }
    }
}

#[test]
fn c30_after_a_power_cut_each_page_is_as_flushed_or_later_and_stays_so() {
    crate::rig::story(|rig| {
        rig.live(End::PowerCut, async |life| {
            life.write(3, 1).await;
            life.disk.flush().await.unwrap();
            life.write(3, 2).await;
            life.push_out().await;
            life.write(3, 3).await;
        });
        let first = std::cell::Cell::new(0);
        rig.live(End::PowerCut, async |life| {
            let seen = life.settled(&[3]).await[0];
            assert!([1, 2, 3, TORN].contains(&seen));
            first.set(seen);
        });
        rig.live(End::Stop, async |life| assert_eq!(life.settled(&[3]).await, [first.get()]));
    });
}
