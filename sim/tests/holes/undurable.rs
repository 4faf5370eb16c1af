//! The end of a log that is not durable: its fate when a flush fails, or its device does.

use std::future::ready;
use std::rc::Rc;

use block::{BlockDevice, Buffer, ByteRange, Host, Operation, PAGE, Unmap};
use cache::{DeviceState, DiskId, DiskSettings, Mode, Redundancy};

use crate::rig::{End, Life, Rig, story};

/// Time in nanoseconds after which a log is idle.
const RESTED: u64 = 300_000_000;

#[test]
fn a_flush_of_a_log_at_rest_that_fails_while_a_guest_writes_is_known_to_all_later_ones() {
    story(|rig| {
        rig.live(End::Kill, async |life| {
            life.write_back(24).await;
            life.write(3, 1).await;
            life.disk.flush().await.unwrap();
            rig.flash.delay(1000, 1000);
            rig.flash.fail_after(Operation::Flush, 0);
            let before = rig.flash.counts().flushes;
            while rig.flash.counts().flushes == before {
                life.host.sleep(100).await;
            }
            // The header is written, its flush is in flight; this wakes the tasks that wait for it.
            let written = life.disk.write(4 * PAGE, Buffer::zeroed(PAGE as usize)).await.1;
            let flushed = life.disk.flush().await;
            assert!(
                flushed.is_err(),
                "written: {written:?}; a flush that failed said so to nobody, seed {}",
                rig.seed
            );
        });
    });
}

/// Returns the number of headers without entries in the log of the disk.
fn headers_without_entries(rig: &Rig) -> usize {
    let lives = rig.segments_of(DiskId(1)).into_iter();
    lives.map(|life| rig.batches(life).iter().filter(|(_, _, entries)| entries.is_empty()).count()).sum()
}

#[test]
fn a_guest_that_flushes_often_and_writes_nothing_does_not_keep_the_log_from_saying_what_was_flushed() {
    let rig = Rig::new(1);
    rig.live(End::Kill, async |life| {
        life.write_back(24).await;
        life.write(3, 1).await;
        for _ in 0..30 {
            life.disk.flush().await.unwrap();
            life.host.sleep(RESTED / 30).await;
        }
        assert_eq!(headers_without_entries(&rig), 1);
    });
}

/// Prepares a disk that is not mirrored, on two devices. Everything is destaged, and the log continues in a segment of the second one, of
/// which only the record of that is needed: it is not durable.
async fn go_on_second(life: &Life<'_>) {
    let rig = life.rig;
    life.write_pages(0..64, 1).await;
    life.disk.flush().await.unwrap();
    life.write_back(24).await;
    life.change(DiskSettings { redundancy: Redundancy::None, ..life.disk.settings() });
    let number = life.cache.add_device(rig.second.handle(life.host.clone())).await.unwrap();
    life.cache.use_device(number).unwrap();
    let first = life.cache.pool_statistics().devices[0].segments;
    let is_on_second =
        || rig.segments_of(DiskId(1)).pop().is_some_and(|(segment, _)| u64::from(segment.0) >= first);
    for page in 100..200 {
        life.write(page, 2).await;
        if is_on_second() {
            // The data is made durable before the destage; the record of the destage is not.
            life.disk.start_destage();
            life.until_clean().await;
            if is_on_second() {
                return;
            }
        }
    }
    panic!("never on the second device, seed {}", rig.seed);
}

fn go_away(rig: &Rig) {
    for operation in [Operation::Write, Operation::Flush] {
        rig.second.fail_often(operation, 1000);
    }
}

fn states(life: &Life<'_>) -> Vec<DeviceState> {
    life.cache.pool_statistics().devices.iter().map(|device| device.state).collect()
}

#[test]
fn zeroes_that_were_not_durable_on_a_device_that_failed_come_home_and_the_device_leaves() {
    for end in [End::Kill, End::PowerCut] {
        story(|rig| {
            rig.live(end, async |life| {
                go_on_second(life).await;
                life.disk.write_zeroes(ByteRange::at(3 * PAGE, 2 * PAGE), Unmap::Allowed).await.unwrap();
                assert!(life.is_dirty() && rig.home(3) == 1);
                go_away(rig);
                life.write(10, 7).await;
                // Only the device that is to leave requires it.
                life.host.sleep(5_000_000_000).await;
                assert!(!life.is_dirty(), "seed {}", rig.seed);
                assert_eq!(states(life), [DeviceState::Used]);
                life.disk.flush().await.unwrap();
                life.write(4, 9).await;
                life.disk.flush().await.unwrap();
                rig.second.fail_no_more();
            });
            rig.named.set([true, false, false]);
            assert_eq!(rig.settles(&[3, 4, 5, 10]), [0, 9, 1, 7]);
        });
    }
}

#[test]
fn a_flush_does_not_vouch_for_what_was_in_a_segment_that_could_not_be_closed() {
    story(|rig| {
        rig.live(End::Kill, async |life| {
            go_on_second(life).await;
            rig.second.fail_often(Operation::Flush, 1000);
            // Until the segment is full and another one is taken.
            let owned = rig.segments_of(DiskId(1)).len();
            let mut page = 0;
            while rig.segments_of(DiskId(1)).len() == owned {
                life.disk.write_zeroes(ByteRange::at(page * PAGE, PAGE), Unmap::Allowed).await.unwrap();
                page += 1;
            }
            while life.disk.flush().await.is_err() {
                life.host.sleep(1000).await;
            }
            let home: Vec<u8> = (0..page).map(|page| rig.home(page)).collect();
            assert!(
                home.iter().take(page as usize - 1).all(|byte| *byte == 0),
                "{home:?}, seed {}",
                rig.seed
            );
        });
    });
}

#[test]
fn guests_write_on_while_a_device_leaves_with_a_log_that_says_what_is_home() {
    for end in [End::Kill, End::PowerCut] {
        story(|rig| {
            rig.live(end, async |life| {
                go_on_second(life).await;
                let settings = life.disk.settings();
                life.change(DiskSettings { mode: Mode::WriteThrough, ..settings });
                // The backing is slow, so that the device does not leave at once.
                rig.backing.delay(50_000, 50_000);
                go_away(rig);
                for page in 100..110 {
                    life.write(page, 5).await;
                }
                assert!(life.disk.is_fit_to_move(), "a range is not trusted any more, seed {}", rig.seed);
                life.disk.flush().await.unwrap();
                rig.second.fail_no_more();
                rig.mode.set(Mode::WriteThrough);
            });
            rig.named.set([true, false, false]);
            assert_eq!(rig.settles(&[3, 100, 109]), [1, 5, 5]);
        });
    }
}

#[test]
fn a_log_of_which_one_copy_is_left_goes_on_once_it_can_be_remembered_that_the_other_is_out() {
    for end in [End::Kill, End::PowerCut] {
        story(|rig| {
            rig.live(end, async |life| {
                life.write_back(24).await;
                let number = life.cache.add_device(rig.second.handle(life.host.clone())).await.unwrap();
                life.cache.use_device(number).unwrap();
                // The open segment has one copy, and is closed now.
                life.host.sleep(5_000_000_000).await;
                // Destage makes the log durable once, and gets no further.
                rig.backing.hang();
                life.write(3, 1).await;
                life.disk.flush().await.unwrap();
                life.host.sleep(1_000_000_000).await;
                let statistics = life.disk.statistics();
                assert!(statistics.mirrored && statistics.segments_uncopied == 0);
                let forgetful = Rc::clone(&rig.forgetful);
                let told =
                    move || if forgetful.get() { Err("the folder is full".to_owned()) } else { Ok(()) };
                life.cache.set_witness(Rc::new(move |_| Box::pin(ready(told())))).await.unwrap();
                rig.forgetful.set(true);
                life.write(4, 1).await;
                go_away(rig);
                for page in 4..8 {
                    let written = life.disk.write(page * PAGE, Buffer::zeroed(PAGE as usize)).await.1;
                    assert!(written.is_err(), "nobody knows that the other device is out");
                }
                assert!(life.disk.flush().await.is_err(), "seed {}", rig.seed);
                rig.forgetful.set(false);
                life.host.sleep(5_000_000_000).await;
                life.disk.flush().await.unwrap();
                life.write(5, 2).await;
                life.disk.flush().await.unwrap();
                assert_eq!([3, 4, 5].map(|page| rig.home(page)), [0; 3], "all of it is on flash alone");
                rig.second.fail_no_more();
            });
            rig.named.set([true, false, false]);
            assert_eq!(rig.settles(&[3, 4, 5]), [1, 1, 2]);
        });
    }
}
