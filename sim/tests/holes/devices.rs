//! Scenarios of devices that are added to a pool, leave it, fail or are missing.

use std::cell::Cell;
use std::rc::Rc;

use block::{BlockDevice, Host, Operation};
use cache::{DeviceState, DiskSettings, MemberNumber, PoolContent};

use crate::rig::{ENDS, End, Life, Rig, story};

/// Page with two versions.
const P: u64 = 3;
const SECOND: MemberNumber = MemberNumber(1);

async fn add_second(life: &Life<'_>) {
    let number = life.cache.add_device(life.rig.second.handle(life.host.clone())).await.unwrap();
    assert_eq!(number, SECOND);
    life.cache.use_device(number).unwrap();
}

/// Adds the second device and writes content to both: an older version of a page is on the first, and the newer one somewhere.
async fn fill_both(life: &Life<'_>) {
    life.cache_pages(0..8, 1).await;
    add_second(life).await;
    life.read_others(100).await;
    life.write(P, 2).await;
    life.push_out().await;
    life.rest().await;
    let devices = life.cache.pool_statistics().devices;
    assert!(devices.iter().all(|device| device.segments_free < device.segments), "{devices:?}");
}

fn states(life: &Life<'_>) -> Vec<DeviceState> {
    life.cache.pool_statistics().devices.iter().map(|device| device.state).collect()
}

#[test]
fn content_on_several_devices_comes_back() {
    for end in ENDS {
        story(|rig| {
            rig.live(end, async |life| {
                fill_both(life).await;
            });
            rig.live(End::Stop, async |life| {
                assert!(matches!(life.content, PoolContent::Kept { .. }));
                assert!(!life.pages_on_flash().await.is_empty());
                assert_eq!(life.settled(&[P, P + 1]).await, [2, 1]);
            });
        });
    }
}

#[test]
fn a33_a_pool_of_which_a_device_is_missing_believes_nothing_and_never_takes_it_back() {
    for end in ENDS {
        story(|rig| {
            rig.live(end, async |life| {
                fill_both(life).await;
            });
            rig.named.set([true, false, false]);
            rig.live(end, async |life| {
                assert!(matches!(life.content, PoolContent::Dropped(_)));
                assert_eq!(life.settled(&[P, P + 1]).await, [2, 1]);
                life.cache_pages(0..8, 3).await;
            });
            rig.named.set([true, true, false]);
            rig.live(End::Stop, async |life| {
                assert!(matches!(life.content, PoolContent::Kept { .. }));
                assert_eq!(states(life), [DeviceState::Used]);
                assert_eq!(life.settled(&[P, P + 1]).await, [3, 3]);
            });
        });
    }
}

#[test]
fn a1_a_newer_version_that_goes_with_its_device_does_not_uncover_an_older_one() {
    for end in ENDS {
        for leaver in [MemberNumber(0), SECOND] {
            story(|rig| {
                rig.live(end, async |life| {
                    fill_both(life).await;
                    // The rest is smaller than the granted flash if the large one leaves.
                    let mut settings = life.disk.settings();
                    settings.reserve_bytes = life.cache.reserve_bytes_min();
                    life.change(settings);
                    life.cache.take_out_device(leaver).unwrap();
                    life.host.sleep(1_000_000).await;
                    assert_eq!(states(life), [DeviceState::Used], "it has left");
                    assert_eq!(life.see(P).await, 2);
                });
                rig.live(End::Stop, async |life| {
                    assert!(matches!(life.content, PoolContent::Kept { .. }));
                    assert_eq!(life.settled(&[P, P + 1]).await, [2, 1]);
                });
            });
        }
    }
}

#[test]
fn a_device_that_fails_leaves_and_guests_go_on_with_the_other_one() {
    for end in ENDS {
        for failing in [Operation::Write, Operation::Flush] {
            story(|rig| {
                rig.live(end, async |life| {
                    fill_both(life).await;
                    rig.second.fail_after(failing, 0);
                    life.write_pages(0..64, 4).await;
                    life.read_others(100).await;
                    life.write(P, 5).await;
                    life.rest().await;
                    life.rest().await;
                    assert_eq!(states(life), [DeviceState::Used]);
                    let before = life.counts().promotions;
                    life.read_others(40).await;
                    assert!(life.counts().promotions > before, "the other one is used");
                    rig.second.fail_no_more();
                });
                assert!(!rig.void.get(), "nothing had to be remembered elsewhere");
                rig.live(End::Stop, async |life| {
                    assert_eq!(states(life), [DeviceState::Used]);
                    assert_eq!(life.settled(&[P, P + 1]).await, [5, 4]);
                });
            });
        }
    }
}

/// Runs a scenario whose process ends at each write and flush of flash, until it completes.
fn cut_everywhere(before: &impl AsyncFn(&Life<'_>), cut: &impl AsyncFn(&Life<'_>), answers: &[u8]) {
    for end in [End::Kill, End::PowerCut] {
        for operations in 1..200 {
            let rig = Rig::new(operations);
            let told = rig.live_until(end, None, async |life| {
                before(life).await;
                life.disk.flush().await.unwrap();
                rig.light_fuse(operations);
                cut(life).await;
            });
            rig.live(end, async |life| assert_eq!(life.settled(&[P, P + 1]).await, answers));
            rig.live(End::Stop, async |life| assert_eq!(life.settled(&[P, P + 1]).await, answers));
            if told {
                break;
            }
            assert!(operations < 199, "the story never comes to its end");
        }
    }
}

#[test]
fn a_device_that_is_being_added_is_cut_at_every_write_and_belongs_to_the_pool_or_does_not() {
    cut_everywhere(
        &async |life: &Life<'_>| {
            life.cache_pages(0..8, 1).await;
            life.write(P, 2).await;
            life.push_out().await;
        },
        &add_second,
        &[2, 1],
    );
}

#[test]
fn a_device_that_leaves_is_cut_at_every_write_and_no_older_version_comes_back() {
    cut_everywhere(
        &fill_both,
        &async |life: &Life<'_>| {
            life.cache.take_out_device(SECOND).unwrap();
            life.host.sleep(10_000_000).await;
        },
        &[2, 1],
    );
}

#[test]
fn a_device_that_hangs_while_it_is_added_holds_up_nobody() {
    story(|rig| {
        rig.live(End::Stop, async |life| {
            rig.second.hang();
            let (cache, handle) = (Rc::clone(&life.cache), rig.second.handle(life.host.clone()));
            let added = Rc::new(Cell::new(false));
            let done = Rc::clone(&added);
            life.host.spawn(async move {
                let number = cache.add_device(handle).await.unwrap();
                cache.use_device(number).unwrap();
                done.set(true);
            });
            life.host.sleep(1_000_000).await;
            // New segments, of content and of notes, and regions that are closed.
            life.cache_pages(0..8, 1).await;
            for page in 0..512 {
                life.write(page, 2).await;
            }
            life.read_others(100).await;
            life.rest().await;
            assert!(!added.get() && life.counts().promotions > 100);
            assert_eq!(states(life), [DeviceState::Used]);
            rig.second.release();
            life.host.sleep(1_000_000).await;
            assert!(added.get());
            assert_eq!(states(life), [DeviceState::Used; 2]);
        });
    });
}

#[test]
fn the_last_device_stays_and_so_does_one_without_which_reservations_do_not_fit() {
    let rig = Rig::new(1);
    rig.live(End::Stop, async |life| {
        let refuse = |number| life.cache.take_out_device(number).unwrap_err().to_string();
        assert!(refuse(MemberNumber(0)).contains("the last one"));
        assert!(refuse(MemberNumber(7)).contains("no device 7"));
        add_second(life).await;
        let settings = life.disk.settings();
        life.change(DiskSettings { reserve_bytes: settings.reserve_bytes * 2, ..settings });
        assert!(refuse(MemberNumber(0)).contains("reserved for disks"));
        life.change(settings);
        assert!(life.cache.take_out_device(MemberNumber(0)).is_ok());
        assert!(refuse(SECOND).contains("the last one"), "the other one is on its way");
    });
}
