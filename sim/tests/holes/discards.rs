//! Scenarios of free segments that are discarded: a part of them then has old content, a part zeroes.

use std::cell::Cell;
use std::rc::Rc;

use block::{ByteRange, Host, Operation};
use cache::{DeviceState, DiskId, MemberNumber};

use crate::on_flash::layout;
use crate::rig::{ENDS, End, Life, Rig, see, story};

/// Page with two versions.
const P: u64 = 3;
const SECOND: MemberNumber = MemberNumber(1);

/// Writes two versions of a page to segments of their own, with nothing open.
async fn two_versions(life: &Life<'_>) {
    life.cache_pages(0..8, 1).await;
    life.read_others(60).await;
    life.write(P, 2).await;
    life.push_out().await;
    life.rest().await;
    assert_eq!(life.rig.newest(P).map(|version| version.byte), Some(2));
}

/// Evicts the disk, and waits until its segments are discarded.
async fn evict(life: &Life<'_>) {
    let before = life.rig.flash.counts().discards;
    life.disk.evict().await.unwrap();
    life.host.sleep(1_000_000).await;
    assert!(life.rig.flash.counts().discards > before, "it was discarded");
}

fn discards(life: &Life<'_>) -> bool {
    life.cache.pool_statistics().devices[0].discards
}

#[test]
fn content_that_was_dropped_is_discarded_at_every_moment_of_it_and_nothing_old_comes_back() {
    for end in [End::Kill, End::PowerCut] {
        let mut told = false;
        for operations in 1..100 {
            let rig = Rig::new(operations);
            told = rig.live_until(end, None, async |life| {
                two_versions(life).await;
                rig.light_fuse(operations);
                life.disk.evict().await.unwrap();
                life.host.sleep(50_000).await;
            });
            rig.live(end, async |life| assert_eq!(life.settled(&[P, P + 1]).await, [2, 1]));
            rig.live(End::Stop, async |life| assert_eq!(life.settled(&[P, P + 1]).await, [2, 1]));
            if told {
                assert!(operations > 6, "three tables and a discard, each made durable");
                break;
            }
        }
        assert!(told, "the story never comes to its end");
    }
}

#[test]
fn an_older_table_that_is_believed_because_the_newer_one_is_damaged_names_nothing_that_was_discarded() {
    for end in ENDS {
        for slot in 0..2 {
            story(|rig| {
                rig.live(end, async |life| {
                    two_versions(life).await;
                    evict(life).await;
                });
                let table = ByteRange::at(layout().table_slot(slot), layout().table_bytes() as u64);
                rig.flash.rot(&table, 40);
                // Were it named, the newer version could be lost and the older one be there.
                assert!(rig.segments_of(DiskId(1)).is_empty());
                rig.live(End::Kill, async |life| {
                    life.loaded().await;
                    assert_eq!(life.see(P).await, 2);
                });
                assert_eq!(rig.settles(&[P, P + 1]), [2, 1]);
            });
        }
    }
}

#[test]
fn what_is_free_at_a_start_is_discarded_and_what_is_owned_stays() {
    for end in ENDS {
        story(|rig| {
            rig.live(end, async |life| two_versions(life).await);
            let before = rig.flash.counts().discards;
            rig.live(End::Stop, async |life| {
                life.host.sleep(1_000_000).await;
                assert!(rig.flash.counts().discards > before);
                assert!(!life.pages_on_flash().await.is_empty());
                assert_eq!(life.counts().checksum_errors, 0);
                assert_eq!(life.settled(&[P, P + 1]).await, [2, 1]);
            });
        });
    }
}

#[test]
fn a_discard_that_hangs_holds_up_nobody_but_a_device_that_is_to_leave() {
    story(|rig| {
        rig.live(End::Stop, async |life| {
            life.host.sleep(1_000_000).await;
            let number = life.cache.add_device(rig.second.handle(life.host.clone())).await.unwrap();
            rig.flash.hang_discards();
            rig.second.hang_discards();
            life.cache.use_device(number).unwrap();
            life.read_others(40).await;
            life.disk.evict().await.unwrap();
            let before = life.counts().promotions;
            // More than fits without reclaiming, on both devices.
            life.read_others(600).await;
            assert!(life.counts().promotions > before + 200);
            life.cache_pages(0..8, 1).await;
            let hanging = [&rig.flash, &rig.second].map(|flash| flash.counts().discards);

            life.cache.take_out_device(SECOND).unwrap();
            life.rest().await;
            let devices = life.cache.pool_statistics().devices;
            assert_eq!(devices.len(), 2, "it may still be discarded: {devices:?}");
            assert_eq!(devices[1].state, DeviceState::Leaving);
            assert_eq!(
                [&rig.flash, &rig.second].map(|flash| flash.counts().discards),
                hanging,
                "one at a time"
            );
            rig.flash.release();
            rig.second.release();
            life.host.sleep(1_000_000).await;
            assert_eq!(life.cache.pool_statistics().devices.len(), 1);
            life.write(P, 2).await;
        });
        assert_eq!(rig.settles(&[P, P + 1]), [2, 1]);
    });
}

#[test]
fn a_device_that_refuses_a_discard_is_not_asked_again_and_goes_on_otherwise() {
    story(|rig| {
        rig.live(End::Stop, async |life| {
            life.host.sleep(1_000_000).await;
            assert!(discards(life));
            two_versions(life).await;
            rig.flash.fail_after(Operation::Discard, 0);
            evict(life).await;
            let before = rig.flash.counts();
            assert!(!discards(life));
            life.cache_pages(0..8, 4).await;
            life.disk.evict().await.unwrap();
            life.host.sleep(1_000_000).await;
            assert_eq!(rig.flash.counts().discards, before.discards);
            assert!(!life.cache.pool_statistics().failed);
            let statistics = life.cache.pool_statistics();
            assert_eq!(statistics.segments_free + 1, statistics.segments, "all but the notes came back");
        });
        rig.live(End::Stop, async |life| {
            life.host.sleep(1_000_000).await;
            assert!(discards(life), "another start tries again");
            assert_eq!(life.settled(&[P, P + 1]).await, [4, 4]);
        });
    });
}

#[test]
fn what_reclaim_frees_is_written_again_and_not_discarded() {
    story(|rig| {
        rig.live(End::Stop, async |life| {
            life.shorten_log();
            life.host.sleep(1_000_000).await;
            let before = rig.flash.counts().discards;
            life.read_others(400).await;
            assert!(life.counts().reclaims > 10);
            assert_eq!(rig.flash.counts().discards, before);
        });
    });
}

#[test]
fn nothing_that_a_guest_still_reads_is_discarded() {
    story(|rig| {
        rig.live(End::Stop, async |life| {
            life.cache_pages(0..8, 1).await;
            let disk = Rc::clone(&life.disk);
            let reading = life
                .hold(&rig.flash, async move {
                    assert_eq!(see(&disk, P).await, 1);
                })
                .await;
            let before = rig.flash.counts().discards;
            let (disk, evicted) = (Rc::clone(&life.disk), Rc::new(Cell::new(false)));
            let done = Rc::clone(&evicted);
            life.host.spawn(async move {
                disk.evict().await.unwrap();
                done.set(true);
            });
            life.host.sleep(100_000).await;
            assert!(!reading.get() && !evicted.get(), "the reader holds a segment");
            assert_eq!(rig.flash.counts().discards, before);
            life.host.sleep(10_000_000).await;
            assert!(reading.get() && evicted.get());
            assert!(rig.flash.counts().discards > before);
        });
    });
}

#[test]
fn a_pool_that_is_left_waits_for_its_last_discard_and_begins_no_other() {
    story(|rig| {
        rig.live(End::Kill, async |life| {
            life.host.sleep(1_000_000).await;
            two_versions(life).await;
            rig.flash.hang_discards();
            life.disk.evict().await.unwrap();
            life.host.sleep(1_000_000).await;
            let before = rig.flash.counts().discards;
            life.cache.detach(&life.disk).await;
            let (cache, left) = (Rc::clone(&life.cache), Rc::new(Cell::new(false)));
            let done = Rc::clone(&left);
            life.host.spawn(async move {
                cache.leave(7).await.unwrap();
                done.set(true);
            });
            life.host.sleep(1_000_000).await;
            assert!(!left.get());
            rig.flash.release();
            life.host.sleep(1_000_000).await;
            assert!(left.get());
            assert_eq!(rig.flash.counts().discards, before);
        });
        assert_eq!(rig.settles(&[P, P + 1]), [2, 1]);
    });
}
