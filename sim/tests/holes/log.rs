//! The log: of several versions of a page, the newest counts, if segments are reclaimed, torn, half written or reused.

use block::{BlockDevice, PAGE};
use cache::format::batch::EntryKind;
use cache::format::note::Intent;
use cache::types::units::{DiskId, SegmentOwner};
use cache::{LoadProgress, Mode};

use crate::on_flash::layout;
use crate::rig::{ENDS, End, P, PAGES, Rig, story};

#[test]
fn a1_the_segment_of_the_newest_copy_is_not_reclaimed_before_that_of_an_older_one() {
    for others in (0..200).step_by(13) {
        let rig = Rig::new(others);
        rig.live(End::Kill, async |life| {
            life.shorten_log();
            // A has the first version, and its neighbours there are hot. B, which has the second, is cold.
            life.cache_pages(0..8, 1).await;
            life.cache_pages(P..P + 1, 2).await;
            assert!(rig.versions(P).len() >= 2);
            for _ in 0..others {
                life.read_others(1).await;
                life.see(P + 1).await;
                life.see(P - 1).await;
            }
        });
        assert_eq!(rig.settles(&[P - 1, P, P + 1]), [1, 2, 1], "{others} others");
    }
}

#[test]
fn a1_a_segment_without_known_pages_waits_for_older_ones_of_its_disk() {
    // Nothing that B holds is indexed any more: its copy of the page rotted, and the rest was overwritten.
    for others in (0..240).step_by(13) {
        let rig = Rig::new(others);
        rig.live(End::Kill, async |life| {
            life.shorten_log();
            life.cache_pages(0..8, 1).await;
            life.cache_pages(P..P + 1, 2).await;
            let newest = rig.newest(P).unwrap();
            rig.flash.rot(&block::ByteRange::at(newest.data_at, PAGE), 1);
            assert_eq!(life.see(P).await, 2);
            for page in 0..PAGES {
                let in_b = rig.newest(page).is_some_and(|version| version.segment == newest.segment);
                if in_b && page != P {
                    life.write(page, 0).await;
                }
            }
            for _ in 0..others {
                life.read_others(1).await;
                life.see(P + 1).await;
            }
        });
        assert_eq!(rig.settles(&[P, P + 1]), [2, 1], "{others} others");
    }
}

#[test]
fn a4_an_open_intent_outlives_the_segment_of_its_note() {
    story(|rig| {
        rig.live(End::PowerCut, async |life| {
            life.cache_pages(0..8, 1).await;
            let first = rig.segments_of(SegmentOwner::Notes);
            life.fail_to_write().await;
            // Notes of other regions fill one segment after another.
            for round in 0..4 {
                for region in 1..8 {
                    life.write(region * 64, round).await;
                }
                life.rest().await;
            }
            assert_ne!(rig.segments_of(SegmentOwner::Notes), first, "the first segment of notes is gone");
            assert_eq!(rig.open_intents(), [Intent::Region(0)].into());
            rig.backing.land_late();
        });
        rig.settles_old_new_or_torn();
    });
}

#[test]
fn a5_no_summary_vouches_for_pages_that_a_power_cut_took() {
    // Region 0 is closed, and its version on the backing is cached again: nobody flushes the log for it.
    for operations in 1..60 {
        let rig = Rig::new(operations);
        rig.live(End::PowerCut, async |life| {
            life.cache_pages(0..8, 1).await;
            life.set_mode(Mode::WriteAround);
            life.write_pages(0..8, 2).await;
            life.rest().await;
            rig.light_fuse(operations);
            for page in 0..8 {
                life.see(page).await;
            }
            life.read_others(100).await;
        });
        assert_eq!(rig.lying_summaries(), [], "cut at operation {operations}");
        assert_eq!(rig.settles(&[0, 3, 7]), [2, 2, 2]);
    }
}

#[test]
fn a7_a_damaged_header_of_a_flushed_batch_is_not_taken_for_the_end() {
    for end in [End::Kill, End::PowerCut] {
        story(|rig| {
            rig.live(end, async |life| {
                life.write_around_what_is_cached().await;
                life.rest().await;
            });
            // The note that invalidates the first version is the last that was written, and the segment is still open.
            let forget = *rig.versions(P).last().unwrap();
            assert_eq!(forget.kind, EntryKind::Forget);
            let newest = *rig.segments_of(DiskId(1)).last().unwrap();
            assert_eq!((forget.segment, rig.summary(newest)), (newest.0, None));
            rig.flash.rot(&block::ByteRange::at(forget.header_at, PAGE), 1);
            rig.live(End::Stop, async |life| {
                assert!(matches!(life.loaded().await, LoadProgress::Cold(_)), "nothing older is believed");
                assert_eq!(life.settled(&[P, P + 1]).await, [2, 1]);
            });
        });
    }
}

#[test]
fn a7_a_damaged_header_of_the_last_batch_before_a_kill_never_shows_an_older_version() {
    story(|rig| {
        rig.live(End::Kill, async |life| {
            life.cache_pages(0..8, 1).await;
            life.write(P, 2).await;
            life.push_out().await;
        });
        // Nothing was flushed since, so flash looks the same as without this batch.
        let newest = rig.newest(P).unwrap();
        assert_eq!(newest.byte, 2);
        let batches = rig.batches(*rig.segments_of(DiskId(1)).last().unwrap());
        for (at, ..) in batches.iter().filter(|(at, ..)| *at >= newest.header_at) {
            rig.flash.rot(&block::ByteRange::at(*at, PAGE), 1);
        }
        rig.live(End::Stop, async |life| assert_eq!(life.settled(&[P, P + 1]).await, [2, 1]));
    });
}

#[test]
fn a7_a_damaged_intent_is_not_taken_for_the_end_of_the_notes() {
    for end in [End::Kill, End::PowerCut] {
        story(|rig| {
            rig.live(end, async |life| {
                life.write_around_what_is_cached().await;
                life.disk.flush().await.unwrap();
            });
            assert_eq!(rig.open_intents(), [Intent::Region(0)].into());
            let notes = rig.batches(*rig.segments_of(SegmentOwner::Notes).last().unwrap());
            let (at, ..) = notes.iter().rfind(|(_, _, entries)| !entries.is_empty()).unwrap();
            rig.flash.rot(&block::ByteRange::at(*at, PAGE), 1);
            assert_eq!(rig.settles(&[P, P + 1]), [2, 1], "after {end:?}");
        });
    }
}

#[test]
fn a8_a_batch_that_was_unreadable_at_one_start_does_not_appear_at_a_later_one() {
    story(|rig| {
        rig.live(End::Kill, async |life| {
            life.cache_pages(0..8, 1).await;
            life.write(P, 2).await;
            life.push_out().await;
        });
        let newest = *rig.segments_of(DiskId(1)).last().unwrap();
        let Some((at, ..)) = rig.batches(newest).pop() else { return };
        let mut ghost = [0; PAGE as usize];
        rig.flash.peek(at, &mut ghost);
        rig.poke_flash(at, &[0x5a; PAGE as usize]);
        rig.live(End::Kill, async |life| {
            life.loaded().await;
            for page in [P, P + 1] {
                assert_eq!(life.see(page).await, rig.home(page));
            }
            life.write(P, 3).await;
            life.push_out().await;
        });
        rig.poke_flash(at, &ghost);
        assert_eq!(rig.settles(&[P, P + 1]), [3, 1]);
    });
}

#[test]
fn a9_an_earlier_life_of_a_segment_does_not_come_back_when_the_first_batch_of_the_next_is_torn() {
    for operations in 1..60 {
        let rig = Rig::new(operations);
        rig.live(End::PowerCut, async |life| {
            life.shorten_log();
            life.write_around_what_is_cached().await;
            life.rest().await;
            life.read_others(250).await;
            assert!(life.counts().reclaims > 20, "segments are used for the second time");
            rig.light_fuse(operations);
            life.read_others(200).await;
        });
        assert_eq!(rig.settles(&[P, P + 1]), [2, 1], "cut at operation {operations}");
    }
}

#[test]
fn a9_a_summary_of_an_earlier_life_is_not_believed() {
    // Every segment was used more than once, and the last one has no summary of its present generation yet.
    for end in ENDS {
        story(|rig| {
            rig.live(end, async |life| {
                life.shorten_log();
                life.write_around_what_is_cached().await;
                life.rest().await;
                life.read_others(300 + rig.seed).await;
                assert!(life.counts().reclaims > 20);
            });
            assert_eq!(rig.settles(&[P, P + 1]), [2, 1]);
        });
    }
}

#[test]
fn a_power_cut_while_a_summary_is_written_costs_no_flushed_content() {
    let mut torn = 0;
    for operations in 1..60 {
        let rig = Rig::new(operations);
        rig.live(End::PowerCut, async |life| {
            life.cache_pages(0..8, 1).await;
            rig.light_fuse(operations);
            life.read_others(100).await;
        });
        let newest = rig.segments_of(DiskId(1)).last().copied();
        torn += u64::from(newest.is_some_and(|life| {
            let full = rig.batches(life).last().is_some_and(|(_, head, entries)| {
                head.place + 1 + entries.len() as u32 >= layout().batch_pages()
            });
            full && rig.summary(life).is_none()
        }));
        rig.live(End::Stop, async |life| {
            assert_eq!(life.loaded().await, LoadProgress::Done, "cut at operation {operations}");
            let seen = life.settled(&[0, P, 7]).await;
            assert_eq!(seen, [1, 1, 1]);
        });
    }
    assert!(torn > 0, "no cut came between a full segment and its summary");
}
