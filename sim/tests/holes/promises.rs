//! Promises to guests and operators around an end: flush after a restart, flash that leaves and returns, data that was discarded on
//! purpose, disks that share a pool.

use std::rc::Rc;

use block::faulty::Faults;
use block::{BlockDevice, Buffer, ByteRange, Geometry, Host, Memory, Operation, PAGE};
use cache::format::batch::EntryKind;
use cache::{CacheError, DirtyData, DiskId, DiskSettings, LoadProgress, Mode, RecoveryContext};

use crate::dirty::{self, Fuse, cut_everywhere};
use crate::guest::{Guest, sectors};
use crate::rig::{ENDS, End, HELD, Life, P, PAGES, REGION_PAGES, Rig, SEGMENT, see, settings, story};

#[test]
fn a16_a_read_over_a_cached_and_an_absent_page_keeps_to_what_it_decided_at_its_start() {
    story(|rig| {
        rig.live(End::Stop, async |life| {
            life.cache_pages(P..P + 1, 1).await;
            let disk = Rc::clone(&life.disk);
            let read = life
                .hold(&rig.backing, async move {
                    drop(disk.read((P - 1) * PAGE, Buffer::zeroed(3 * PAGE as usize)).await);
                })
                .await;
            life.write(P, 2).await;
            life.write(P + 1, 2).await;
            life.disk.evict().await.unwrap();
            life.host.sleep(2 * HELD).await;
            assert!(read.get());
            assert_eq!((life.see(P).await, life.see(P + 1).await), (2, 2));
        });
        assert_eq!(rig.settles(&[P, P + 1]), [2, 2]);
    });
}

#[test]
fn a26_a_flush_after_a_restart_covers_what_was_acknowledged_before_it() {
    story(|rig| {
        rig.live(End::Kill, async |life| life.write(P, 1).await);
        rig.live(End::PowerCut, async |life| life.disk.flush().await.unwrap());
        assert_eq!(rig.settles(&[P]), [1]);
    });
}

#[test]
fn a26_in_write_back_such_a_flush_asks_the_backing_for_what_it_was_given_before_the_restart() {
    story(|rig| {
        rig.live(End::Kill, async |life| life.write(P, 1).await);
        rig.mode.set(Mode::WriteBack);
        rig.live(End::Stop, async |life| {
            life.disk.flush().await.unwrap();
            // The far end restarts: no data of an acknowledged flush is lost.
            rig.backing.lose_volatile();
            assert_eq!(life.see(P).await, 1);
        });
        assert_eq!(rig.settles(&[P]), [1]);
    });
}

#[test]
fn a31_flash_that_was_away_while_the_disk_went_on_is_not_believed_when_it_returns() {
    for end in ENDS {
        story(|rig| {
            rig.live(end, async |life| {
                life.cache_pages(0..8, 1).await;
                rig.flash.fail_after(Operation::Write, 0);
                life.write(P, 2).await;
                assert!(life.cache.pool_statistics().failed);
                assert!(rig.void.get(), "remembered before the backing was changed");
                life.write(P + 1, 2).await;
                life.disk.flush().await.unwrap();
            });
            rig.live(End::Kill, async |life| {
                assert!(matches!(life.loaded().await, LoadProgress::Cold(_)));
                assert_eq!((life.see(P).await, life.see(P + 1).await), (2, 2));
            });
            // By now the knowledge is on flash alone.
            assert_eq!(rig.settles(&[P, P + 1, 1]), [2, 2, 1]);
        });
    }
}

#[test]
fn a31_a_write_is_refused_if_the_loss_of_flash_cannot_be_remembered() {
    story(|rig| {
        rig.live(End::Kill, async |life| {
            life.cache_pages(0..8, 1).await;
            rig.forgetful.set(true);
            rig.flash.fail_after(Operation::Write, 0);
            let result = life.disk.write(P * PAGE, Buffer::copy_of(&[2; PAGE as usize])).await.1;
            assert!(result.is_err());
            assert_eq!(rig.home(P), 1, "the backing was not changed");
        });
        assert_eq!(rig.settles(&[P]), [1]);
    });
}

#[test]
fn b37_a_reader_of_a_segment_never_sees_what_another_disk_writes_there_later() {
    story(|rig| {
        rig.live(End::Kill, async |life| {
            life.cache_pages(0..8, 1).await;
            let geometry = Geometry::plain(PAGES * PAGE);
            let other = Faults::new(Memory::with_geometry(geometry), 1);
            let settings = DiskSettings { id: DiskId(2), limit_bytes: 16 * SEGMENT, ..settings() };
            let backing = other.reopen(life.host.clone());
            let second =
                life.cache.attach(settings, backing, RecoveryContext::none(PAGES * PAGE)).await.unwrap();
            let (disk, home) = (Rc::clone(&life.disk), rig.versions(P).pop().unwrap().segment);
            let reader = life
                .hold(&rig.flash, async move {
                    let (bytes, result) = disk.read(P * PAGE, Buffer::zeroed(PAGE as usize)).await;
                    result.unwrap();
                    assert!(bytes.iter().all(|byte| *byte == 1));
                })
                .await;
            // The first disk is evicted, and the second one needs all the flash.
            let disk = Rc::clone(&life.disk);
            life.host.spawn(async move { disk.evict().await.unwrap() });
            for page in 0..200 {
                second.write(page * PAGE, Buffer::copy_of(&[9; PAGE as usize])).await.1.unwrap();
                life.host.sleep(HELD / 200).await;
            }
            life.host.sleep(2 * HELD).await;
            assert!(reader.get());
            assert_eq!(life.see(P).await, 1);
            for page in 200..400 {
                second.write(page * PAGE, Buffer::copy_of(&[9; PAGE as usize])).await.1.unwrap();
                life.host.sleep(1000).await;
            }
            let owners: Vec<_> = rig.segments_of(DiskId(2)).into_iter().map(|(segment, _)| segment).collect();
            assert!(!owners.is_empty() && home.0 < 44);
        });
        assert_eq!(rig.settles(&[P]), [1]);
    });
}

#[test]
fn a38_requests_of_a_dead_process_land_before_the_next_one_and_harm_nothing() {
    story(|rig| {
        rig.live(End::Kill, async |life| {
            life.cache_pages(0..8, 1).await;
            // Batches, notes and writes of the backing, all of them under way.
            rig.flash.delay(HELD, 3 * HELD);
            rig.backing.delay(HELD, 3 * HELD);
            for page in [P, P + 1, 70, 130, 200] {
                let disk = Rc::clone(&life.disk);
                life.host.spawn(async move {
                    drop(disk.write(page * PAGE, Buffer::copy_of(&[2; PAGE as usize])).await);
                });
            }
            life.host.sleep(rig.seed * HELD / 4).await;
        });
        let before: Vec<_> = rig.segments_of(DiskId(1));
        rig.live(End::Kill, async |life| {
            life.loaded().await;
            life.push_out().await;
        });
        // Later entries are in segments of their own.
        let term = before.last().unwrap().1.term();
        for life in rig.segments_of(DiskId(1)).into_iter().filter(|life| life.1.term() > term) {
            assert!(!before.iter().any(|(_, generation)| *generation == life.1));
        }
        for life in rig.segments_of(DiskId(1)).into_iter().filter(|life| before.contains(life)) {
            assert!(rig.batches(life).iter().all(|(_, head, _)| head.sequence.term() <= term));
        }
        rig.live(End::Stop, async |life| drop(life.settled(&[P, P + 1, 70, 130, 200]).await));
    });
}

#[test]
fn b40_what_was_evicted_does_not_come_back_though_the_backing_was_restored() {
    for end in ENDS {
        story(|rig| {
            rig.live(end, async |life| {
                life.cache_pages(0..8, 1).await;
                life.disk.evict().await.unwrap();
            });
            restore(rig, 7);
            assert_eq!(rig.settles(&[P]), [7], "{end:?}");
        });
    }
}

#[test]
fn b40_evicting_is_cut_at_every_write_and_leaves_all_or_nothing() {
    for end in [End::Kill, End::PowerCut] {
        for operations in 1..12 {
            let rig = Rig::new(operations);
            let answered = std::cell::Cell::new(false);
            rig.live(end, async |life| {
                life.cache_pages(0..8, 1).await;
                life.cache_pages(P..P + 1, 2).await;
                rig.light_fuse(operations);
                life.disk.evict().await.unwrap();
                answered.set(true);
                life.host.sleep(HELD).await;
            });
            if answered.get() {
                restore(&rig, 7);
            }
            let expected = if answered.get() { 7 } else { 2 };
            assert_eq!(rig.settles(&[P]), [expected], "{end:?} at {operations}");
        }
    }
}

/// Restores page 3 of the backing from a copy, while no process runs.
fn restore(rig: &Rig, byte: u8) {
    rig.between(async |host| {
        let device = rig.backing.reopen(host);
        device.write(P * PAGE, Buffer::copy_of(&[byte; PAGE as usize])).await.1.unwrap();
        device.flush().await.unwrap();
    });
}

#[test]
fn b40_a_disk_that_was_removed_leaves_nothing_to_one_with_its_number() {
    for end in ENDS {
        story(|rig| {
            rig.live(end, async |life| {
                life.cache_pages(0..8, 1).await;
                life.cache.remove(&life.disk, DirtyData::Refuse).await.unwrap();
                assert_eq!(life.cache.owners(), []);
                if end == End::Stop {
                    // Attached again, because the end of the scenario detaches.
                    life.cache.disown(DiskId(1), DirtyData::Refuse).await.unwrap();
                }
            });
            restore(rig, 7);
            rig.live(End::Kill, async |life| {
                life.loaded().await;
                assert_eq!(life.disk.statistics().load.pages_kept, 0);
                assert_eq!(life.see(P).await, 7);
            });
        });
    }
}

#[test]
fn b40_a_disk_that_is_attached_cannot_be_disowned() {
    Rig::new(1).live(End::Stop, async |life| {
        life.cache_pages(0..8, 1).await;
        assert!(matches!(
            life.cache.disown(DiskId(1), DirtyData::Refuse).await,
            Err(CacheError::DiskAttached(_))
        ));
        assert_eq!(life.see(P).await, 1);
    });
}

#[test]
fn b41_each_page_of_a_run_is_verified_by_itself() {
    story(|rig| {
        rig.live(End::Kill, async |life| {
            life.write_around_what_is_cached().await;
        });
        rig.live(End::Stop, async |life| {
            life.loaded().await;
            for page in 0..8 {
                assert_eq!(life.see(page).await, if page == P { 2 } else { 1 });
            }
            assert_eq!((life.counts().checksum_errors, life.counts().read_hits_flash), (0, 7));
        });
    });
}

#[test]
fn b43_notes_and_forgets_find_room_when_flash_is_full() {
    story(|rig| {
        rig.live(End::Kill, async |life| {
            let other = Faults::new(Memory::new(PAGES * PAGE), 1).reopen(life.host.clone());
            let all = DiskSettings { id: DiskId(2), limit_bytes: 100 * SEGMENT, ..settings() };
            let second = life.cache.attach(all, other, RecoveryContext::none(PAGES * PAGE)).await.unwrap();
            life.change(DiskSettings { limit_bytes: 100 * SEGMENT, ..settings() });
            life.cache_pages(0..8, 1).await;
            for page in 0..300 {
                see(&second, page).await;
                life.read_others(1).await;
                see(&second, page.saturating_sub(60)).await;
            }
            let statistics = life.cache.pool_statistics();
            assert!(statistics.segments_free <= 4, "full but for what is kept back: {statistics:?}");
            life.set_mode(Mode::WriteAround);
            for round in 0..3 {
                for region in 0..PAGES / REGION_PAGES {
                    life.write(region * REGION_PAGES + P, 10 + round).await;
                }
                life.rest().await;
                assert!(rig.open_intents().is_empty(), "every region came to rest");
            }
            assert!(rig.versions(P).iter().any(|version| version.kind == EntryKind::Forget));
        });
        assert_eq!(rig.settles(&[P, P + 1]), [12, 1]);
    });
}

#[test]
fn c25_a_kill_costs_just_the_pages_that_were_changed_and_a_power_cut_their_regions() {
    for end in ENDS {
        story(|rig| {
            let cached = std::cell::Cell::new(0);
            rig.live(end, async |life| {
                life.cache_pages(0..8, 1).await;
                life.cache_pages(64..72, 1).await;
                life.set_mode(Mode::PassThrough);
                life.host.sleep(HELD).await;
                cached.set(life.disk.statistics().cached_bytes / PAGE);
                life.write_pages(2..5, 2).await;
                life.disk.flush().await.unwrap();
            });
            rig.live(End::Stop, async |life| {
                life.loaded().await;
                let lost = cached.get() - life.disk.statistics().load.pages_kept;
                assert_eq!(lost, if end == End::PowerCut { 8 } else { 3 }, "{end:?}");
                assert_eq!(life.settled(&[1, 2, 4, 5, 64]).await, [1, 2, 2, 1, 1]);
            });
        });
    }
}

#[test]
fn c25_a_page_that_was_written_and_reached_the_log_is_kept_through_a_kill() {
    story(|rig| {
        rig.live(End::Kill, async |life| {
            life.cache_pages(0..8, 1).await;
            life.write(P, 2).await;
            life.push_out().await;
        });
        rig.live(End::Stop, async |life| {
            assert!(life.pages_on_flash().await.contains(&P));
            assert_eq!(life.settled(&[P, P + 1]).await, [2, 1]);
        });
    });
}

/// Rewrites a page that is on flash, which then becomes cold in RAM, so that the new version is on its way to flash when the process is
/// killed.
pub(crate) fn a_written_page_is_promoted_once_more() {
    for round in 0..4 {
        cut_everywhere(End::Kill, round, &async |life: &Life<'_>, guest: &Guest, fuse: Fuse| {
            guest.write(&life.disk, sectors(dirty::P)).await;
            life.push_out().await;
            life.rest().await;
            guest.write(&life.disk, sectors(dirty::P)).await;
            fuse.light(life.rig);
            life.push_out().await;
        });
    }
}

#[test]
fn c25_what_was_written_and_is_on_its_way_to_the_log_is_not_the_older_version_after_a_kill() {
    a_written_page_is_promoted_once_more();
}

#[test]
fn damage_to_a_page_on_flash_is_noticed_after_a_restart_as_well() {
    story(|rig| {
        rig.live(End::Stop, async |life| life.cache_pages(0..8, 1).await);
        let at = rig.newest(P).unwrap().data_at;
        rig.flash.rot(&ByteRange::at(at, PAGE), 1);
        rig.live(End::Stop, async |life| {
            life.loaded().await;
            assert_eq!(life.see(P).await, 1);
            assert_eq!(life.counts().checksum_errors, 1);
        });
    });
}
