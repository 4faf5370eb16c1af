//! Second copies while data cannot be read: the source of a copy, or a new copy. Nothing else waits for it, dirty data is destaged
//! meanwhile, and the same segment is not written over and over.

use block::{ByteRange, Host, Operation, PAGE};
use cache::{DiskSettings, Mode};

use crate::guest::{Guest, USED_PAGES, sectors};
use crate::on_flash;
use crate::rig::{End, Life, Rig, SEGMENT};
use crate::two_copies::{COPIED_NS, add, is_copied, roomy, see_all, wait_until_copied};

/// Longer than an unreadable source of a copy is waited for, in nanoseconds.
const READ_TRIES_NS: u64 = 10_000_000_000;

/// Returns settings with which all guest data stays dirty, and copies have room.
fn kept_dirty() -> DiskSettings {
    DiskSettings { reserve_bytes: 32 * SEGMENT, ..roomy() }
}

/// Returns the same settings, but with destage.
fn coming_home() -> DiskSettings {
    DiskSettings { destage_rate_max: 0, ..kept_dirty() }
}

/// Prepares a disk whose data is all dirty and on one device.
async fn all_dirty_on_one(life: &Life<'_>, guest: &Guest) {
    life.loaded().await;
    life.rig.mode.set(Mode::WriteBack);
    life.change(kept_dirty());
    for page in 0..USED_PAGES {
        guest.write(&life.disk, sectors(page * 8..page * 8 + 8)).await;
    }
    guest.flush(&life.disk).await;
}

/// A summary rots while the process runs, before there is a second copy of its segment.
#[test]
fn a_segment_whose_summary_rotted_is_not_copied_and_evicting_its_disk_mends_that() {
    let (rig, guest) = (Rig::mirrored(1), Guest::new());
    rig.named.set([true, false, false]);
    rig.live(End::Kill, async |life| {
        all_dirty_on_one(life, &guest).await;
        let damaged = rig.versions(3).pop().unwrap().segment;
        let summary_at = on_flash::at(on_flash::layout().summary_start(damaged));
        rig.flash.rot(&ByteRange::at(summary_at, PAGE), 1);
        assert!(life.is_dirty());

        life.change(coming_home());
        add(life, 1).await;
        life.until_clean().await;
        life.host.sleep(COPIED_NS).await;
        let disk = life.disk.statistics();
        assert_eq!((disk.mirrored, disk.segments_uncopied, disk.lost_bytes), (true, 1, 0));
        see_all(life, &guest, "while one segment is damaged").await;
        // As the log message advises.
        life.disk.evict().await.unwrap();
        assert!(guest.write(&life.disk, sectors(8..20)).await);
        wait_until_copied(life).await;
    });
    guest.end(End::Kill);
    rig.named.set([true, true, false]);
    rig.live(End::Stop, async |life| {
        life.loaded().await;
        assert_eq!(life.disk.statistics().stopped, None, "what was damaged is gone");
        see_all(life, &guest, "after it").await;
    });
}

/// Prepares a disk whose data is all dirty and on one device; a part of it cannot be read when another device is added.
async fn add_beside_unreadable(
    life: &Life<'_>,
    guest: &Guest,
    unreadable: impl Fn(&on_flash::Version) -> u64,
) {
    all_dirty_on_one(life, guest).await;
    let rig = life.rig;
    // RAM has it no more, and its segment is not the last to be copied: the newest are copied first.
    let version = rig.versions(12).pop().unwrap();
    rig.flash.make_unreadable(ByteRange::at(unreadable(&version), PAGE));
    add(life, 1).await;
}

/// Waits until everything is destaged.
async fn come_home(life: &Life<'_>) {
    life.change(coming_home());
    life.host.sleep(READ_TRIES_NS).await;
}

#[test]
fn a_page_that_cannot_be_read_keeps_no_other_from_being_copied() {
    let (rig, guest) = (Rig::mirrored(1), Guest::new());
    rig.named.set([true, false, false]);
    rig.live(End::Kill, async |life| {
        add_beside_unreadable(life, &guest, |version| version.data_at).await;
        come_home(life).await;
        wait_until_copied(life).await;
        let disk = life.disk.statistics();
        assert_eq!((disk.dirty_bytes, disk.lost_bytes), (PAGE, 0), "it may come back: {disk:?}");
        assert!(disk.counts.flash_errors > 0);
        assert!(guest.write(&life.disk, sectors(12 * 8..13 * 8)).await);
        see_all(life, &guest, "written anew").await;
    });
    guest.end(End::Kill);
    rig.named.set([false, true, false]);
    rig.live(End::Stop, async |life| {
        life.loaded().await;
        see_all(life, &guest, "from the other device").await;
    });
}

/// Each attempt writes a segment.
#[test]
fn copies_that_cannot_be_read_back_are_tried_less_and_less_often() {
    const MINUTE: u64 = 60_000_000_000;
    let (rig, guest) = (Rig::mirrored(1), Guest::new());
    rig.named.set([true, false, false]);
    rig.live(End::Kill, async |life| {
        all_dirty_on_one(life, &guest).await;
        life.change(coming_home());
        rig.second.fail_often(Operation::Read, 1000);
        add(life, 1).await;
        // Data that is destaged meanwhile is also written to flash.
        life.until_clean().await;
        let before = life.disk.statistics().counts.flash_write_bytes;
        life.host.sleep(3 * MINUTE).await;
        let tries = (life.disk.statistics().counts.flash_write_bytes - before) / SEGMENT;
        assert!((5..15).contains(&tries), "{tries} in three minutes, and one a second would be 180");
        assert!(!is_copied(life));
        rig.second.fail_no_more();
        // The longest pause is over by then.
        life.host.sleep(2 * MINUTE).await;
        wait_until_copied(life).await;
        see_all(life, &guest, "copied at last").await;
    });
}

fn summary_of(version: &on_flash::Version) -> u64 {
    on_flash::at(on_flash::layout().summary_start(version.segment))
}

#[test]
fn a_segment_whose_summary_cannot_be_read_comes_home_and_keeps_no_other_from_being_copied() {
    let (rig, guest) = (Rig::mirrored(1), Guest::new());
    rig.named.set([true, false, false]);
    rig.live(End::Stop, async |life| {
        add_beside_unreadable(life, &guest, summary_of).await;
        come_home(life).await;
        let disk = life.disk.statistics();
        assert_eq!((disk.segments_uncopied, disk.dirty_bytes, disk.lost_bytes), (1, 0, 0), "{disk:?}");
        see_all(life, &guest, "while one segment is damaged").await;
    });
}

#[test]
fn what_cannot_be_read_for_some_seconds_is_copied_whole_then() {
    for unreadable in [|version: &on_flash::Version| version.data_at, summary_of] {
        let (rig, guest) = (Rig::mirrored(1), Guest::new());
        rig.named.set([true, false, false]);
        rig.live(End::Kill, async |life| {
            add_beside_unreadable(life, &guest, unreadable).await;
            life.host.sleep(READ_TRIES_NS / 4).await;
            assert!(!is_copied(life), "it is waited for");
            rig.flash.fail_no_more();
            life.host.sleep(READ_TRIES_NS / 4).await;
            wait_until_copied(life).await;
            assert!(life.is_dirty(), "or the backing could give it back too");
        });
        guest.end(End::Kill);
        rig.named.set([false, true, false]);
        rig.live(End::Stop, async |life| {
            life.loaded().await;
            see_all(life, &guest, "from the other device").await;
        });
    }
}
