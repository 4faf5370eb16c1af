//! The end of a log that is not durable: what becomes of it when a flush fails, or its device does.

use block::{BlockDevice, Buffer, Host, Operation, PAGE};
use cache::DiskId;

use crate::rig::{End, Rig, story};

/// Longer than it takes until a log is at rest: nanoseconds.
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
            // The header is written, its flush is under way; this wakes whoever waits for it.
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

/// How many headers without entries the log of the disk has.
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
