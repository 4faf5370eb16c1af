//! Management operations with dirty data on flash, each cut at every write, flush and discard of every device: afterwards everything is as
//! before or as after, and no guest data is lost. Changes of a disk's size have a file of their own: `growing.rs`.

use block::{BlockDevice, Host, Unmap};
use cache::{Cache, DeviceState, DirtyData, MemberNumber, Mode, PoolContent, PoolId, SessionIds};

use crate::dirty::{Fuse, cut_everywhere};
use crate::guest::{Guest, sectors};
use crate::rig::{End, Env, HELD, Life, POOL, Rig, SHAPE, bytes_of};

const ENDS: [End; 2] = [End::Kill, End::PowerCut];
const SECOND: MemberNumber = MemberNumber(1);
/// Another pool than that of the rig.
const OTHER: PoolId = PoolId([2; 16]);

/// Leaves whole pages, a part of a page and zeroes dirty; all but one page of it flushed.
async fn leave_dirty(life: &Life<'_>, guest: &Guest) {
    guest.write(&life.disk, sectors(0..64)).await;
    life.write_back(24).await;
    guest.write(&life.disk, sectors(8..24)).await;
    guest.write(&life.disk, sectors(30..33)).await;
    guest.zero(&life.disk, sectors(40..56)).await;
    guest.flush(&life.disk).await;
    guest.write(&life.disk, sectors(16..24)).await;
}

/// Cuts an operation everywhere. Returns its number of writes, flushes and discards.
fn cut(operation: &impl AsyncFn(&Life<'_>, &Guest)) -> Vec<u64> {
    let story = async |life: &Life<'_>, guest: &Guest, fuse: Fuse| {
        leave_dirty(life, guest).await;
        fuse.light(life.rig);
        operation(life, guest).await;
    };
    ENDS.iter().map(|end| cut_everywhere(*end, 0, &story) - 1).collect()
}

#[test]
fn leaving_write_back_is_cut_everywhere() {
    let operations = cut(&async |life: &Life<'_>, guest: &Guest| {
        life.rig.mode.set(Mode::WriteThrough);
        life.set_mode(Mode::WriteThrough);
        guest.write(&life.disk, sectors(12..20)).await;
        life.until_clean().await;
        guest.flush(&life.disk).await;
    });
    assert!(operations.iter().all(|operations| *operations > 8), "{operations:?}");
}

#[test]
fn entering_write_back_is_cut_everywhere() {
    for end in ENDS {
        let operations = cut_everywhere(end, 0, &async |life: &Life<'_>, guest: &Guest, fuse: Fuse| {
            guest.write(&life.disk, sectors(0..64)).await;
            life.loaded().await;
            fuse.light(life.rig);
            life.write_back(24).await;
            // Flash marks the disk as dirty before the first of it is there.
            guest.write(&life.disk, sectors(8..24)).await;
            guest.flush(&life.disk).await;
        });
        assert!(operations > 6, "superblock, note, table and batch: {operations}");
    }
}

#[test]
fn evicting_is_cut_everywhere_and_brings_home_first() {
    let operations = cut(&async |life: &Life<'_>, _: &Guest| life.disk.evict().await.unwrap());
    assert!(operations.iter().all(|operations| *operations > 6), "{operations:?}");
}

#[test]
fn removing_a_disk_is_cut_everywhere_and_brings_home_first() {
    let operations = cut(&async |life: &Life<'_>, _: &Guest| {
        assert!(life.cache.remove(&life.disk, DirtyData::Refuse).await.is_err(), "something is dirty");
        life.disk.quiesce().await.unwrap();
        life.cache.remove(&life.disk, DirtyData::Refuse).await.unwrap();
        assert_eq!(life.cache.owners(), []);
    });
    assert!(operations.iter().all(|operations| *operations > 8), "{operations:?}");
}

/// Discards dirty data, which ends at the given operation. Returns true if it completed before, and the remaining data.
fn give_up(end: End, operations: u64, round: u64) -> (bool, Vec<u8>) {
    let rig = Rig::new(operations + 1000 * round);
    let told = rig.live_until(end, None, async |life| {
        life.write_pages(0..8, 1).await;
        life.write_back(24).await;
        // Too little for destage to begin by itself.
        life.write(3, 2).await;
        life.disk.write_zeroes(bytes_of(0..1), Unmap::Allowed).await.unwrap();
        life.disk.flush().await.unwrap();
        rig.light_fuse(operations);
        life.cache.remove(&life.disk, DirtyData::Discard).await.unwrap();
    });
    (told, rig.settles(&[0, 1, 3]))
}

#[test]
fn giving_up_what_is_dirty_is_cut_everywhere_and_loses_all_or_nothing() {
    for end in ENDS {
        let mut kept = 0;
        for round in 0..16 {
            for operations in 1.. {
                let (told, left) = give_up(end, operations, round);
                let (all, nothing) = (left == [0, 1, 2], left == [1, 1, 1]);
                assert!(all || nothing, "{end:?} at {operations}: {left:?}");
                assert!(!told || nothing, "it was said to be lost");
                kept += u64::from(all);
                if told {
                    break;
                }
            }
        }
        assert!(kept > 0, "an end that comes early enough loses nothing");
    }
}

async fn add_second(life: &Life<'_>) {
    let number = life.cache.add_device(life.rig.second.handle(life.host.clone())).await.unwrap();
    assert_eq!(number, SECOND);
    life.cache.use_device(number).unwrap();
}

fn states(life: &Life<'_>) -> Vec<DeviceState> {
    life.cache.pool_statistics().devices.iter().map(|device| device.state).collect()
}

#[test]
fn adding_a_device_is_cut_everywhere() {
    let operations = cut(&async |life: &Life<'_>, guest: &Guest| {
        add_second(life).await;
        assert_eq!(states(life), [DeviceState::Used; 2]);
        guest.write(&life.disk, sectors(0..64)).await;
        guest.flush(&life.disk).await;
    });
    assert!(operations.iter().all(|operations| *operations > 8), "{operations:?}");
}

#[test]
fn taking_out_a_device_is_cut_everywhere_and_brings_home_first() {
    for end in ENDS {
        let operations = cut_everywhere(end, 0, &async |life: &Life<'_>, guest: &Guest, fuse: Fuse| {
            life.loaded().await;
            add_second(life).await;
            life.read_others(60).await;
            leave_dirty(life, guest).await;
            fuse.light(life.rig);
            life.cache.take_out_device(SECOND).unwrap();
            guest.write(&life.disk, sectors(20..28)).await;
            while states(life) != [DeviceState::Used] {
                life.host.sleep(HELD / 100).await;
            }
        });
        assert!(operations > 10, "destage, tables and superblocks: {operations}");
    }
}

#[test]
fn formatting_is_cut_everywhere_and_leaves_the_old_pool_the_new_one_or_none() {
    for end in ENDS {
        let mut seen = [0; 3];
        for operations in 1.. {
            let rig = Rig::new(operations);
            rig.live(End::Kill, async |life| {
                life.write_pages(0..8, 1).await;
                life.write_back(24).await;
                life.write_pages(0..4, 2).await;
                life.disk.flush().await.unwrap();
            });
            let told = rig.act_until(end, operations, async |host| {
                cache::format(&rig.flash.reopen(host), OTHER, Some(SHAPE)).await.unwrap();
            });
            let found = what_is_there(&rig);
            assert!(!told || found == Found::New, "{end:?} at {operations}: {found:?}");
            seen[found as usize] += 1;
            if found == Found::Old {
                assert_eq!(rig.settles(&[0, 3, 4]), [2, 2, 1], "{end:?} at {operations}");
            }
            if told {
                break;
            }
        }
        assert!(seen.iter().all(|times| *times > 0), "each of them is met: {seen:?}");
    }
}

/// Findings of a start on a device that was being formatted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Old,
    None,
    New,
}

fn what_is_there(rig: &Rig) -> Found {
    let found = std::cell::Cell::new(Found::None);
    rig.between(async |host| {
        let marks = SessionIds { new: 1, known: [0, 1].into(), epoch: None };
        let Ok(opened) = Cache::<Env>::open(vec![rig.flash.reopen(host.clone())], host, &marks).await else {
            return;
        };
        let id = opened.cache.pool_statistics().id;
        if id == POOL.to_string() {
            assert!(matches!(opened.content, PoolContent::Kept { .. }), "{:?}", opened.content);
            found.set(Found::Old);
        } else {
            assert_eq!((id, opened.cache.owners().len()), (OTHER.to_string(), 0));
            found.set(Found::New);
        }
    });
    found.get()
}
