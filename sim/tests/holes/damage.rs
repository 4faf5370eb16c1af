//! Damage to dirty data: flash does not return a page that a guest wrote in write-back. It is an error for that page alone, listed at once
//! and stored, and never an older version.

use block::{BlockDevice, Buffer, ByteRange, Host, Operation, PAGE};
use cache::format::batch::EntryKind;
use cache::{DiskSettings, Mode};

use crate::on_flash::Version;
use crate::rig::{ENDS, End, Life, P, story};

/// Longer than the pause of destage after a failure, in nanoseconds.
const RETRIED: u64 = 3_000_000_000;

fn page(number: u64) -> ByteRange {
    ByteRange::at(number * PAGE, PAGE)
}

impl Life<'_> {
    /// Writes 1 to the backing in pages 0 to 7, and 2 to flash alone in some of them. Destage pauses until it is resumed.
    async fn write_back_pages(&self, pages: std::ops::Range<u64>) {
        self.loaded().await;
        self.write_pages(0..8, 1).await;
        self.disk.flush().await.unwrap();
        self.set_mode(Mode::WriteBack);
        // The first page is destaged, and then none for more than an hour.
        self.destage_at(1);
        self.write(0, 2).await;
        self.disk.start_destage();
        self.host.sleep(RETRIED).await;
        assert_eq!(self.rig.home(0), 2);
        self.write_pages(pages, 2).await;
    }

    fn destage_at(&self, destage_rate_max: u64) {
        self.change(DiskSettings { destage_rate_max, ..self.disk.settings() });
    }

    /// Runs destage as far as it can.
    async fn destage(&self) {
        self.destage_at(0);
        self.disk.start_destage();
        self.host.sleep(RETRIED).await;
    }

    /// Returns the newest version of a page that is dirty on flash.
    fn newest(&self, page: u64) -> Version {
        self.rig.versions(page).pop().filter(|version| version.kind == EntryKind::Write).unwrap()
    }

    /// Overwrites a sector of a page's newest version on flash.
    fn damage(&self, page: u64) {
        self.rig.flash.rot(&ByteRange::at(self.newest(page).data_at, PAGE), 1);
    }

    async fn read_fails(&self, page: u64) -> bool {
        self.disk.read(page * PAGE, Buffer::zeroed(PAGE as usize)).await.1.is_err()
    }
}

#[test]
fn destage_lists_a_damaged_dirty_page_as_lost_at_once_and_brings_the_others_home() {
    for end in ENDS {
        story(|rig| {
            rig.live(end, async |life| {
                life.write_back_pages(2..6).await;
                life.disk.flush().await.unwrap();
                life.push_out().await;
                life.damage(P);
                life.destage().await;
                assert_eq!(life.disk.lost(9), [page(P)]);
                assert_eq!(life.disk.statistics().dirty_bytes, 0, "the others are home");
                assert_eq!([2, P, 4, 5, 6].map(|page| rig.home(page)), [2, 1, 2, 2, 1]);
                assert!(life.read_fails(P).await, "never the older version");
                life.disk.flush().await.unwrap();
            });
            rig.live(End::Stop, async |life| {
                life.loaded().await;
                assert_eq!(life.disk.lost(9), [page(P)], "remembered, after {end:?}");
                assert!(life.read_fails(P).await);
                life.set_mode(Mode::WriteBack);
                life.write(P, 3).await;
                assert!(life.disk.lost(9).is_empty(), "written anew");
                assert_eq!(life.settled(&[P, 4]).await, [3, 2]);
            });
        });
    }
}

#[test]
fn a_guest_that_reads_a_damaged_dirty_page_has_it_listed() {
    story(|rig| {
        rig.live(End::Stop, async |life| {
            life.write_back_pages(P..P + 1).await;
            life.push_out().await;
            life.damage(P);
            life.destage_at(0);
            assert!(life.read_fails(P).await);
            life.host.sleep(RETRIED).await;
            assert_eq!(life.disk.lost(9), [page(P)]);
        });
    });
}

#[test]
fn reclaim_appends_a_damaged_dirty_page_from_ram() {
    story(|rig| {
        rig.live(End::Kill, async |life| {
            life.shorten_log();
            life.write_back_pages(P..P + 1).await;
            let before = life.newest(P);
            life.damage(P);
            for _ in 0..200 {
                life.read_others(1).await;
                assert_eq!(life.see(P).await, 2, "RAM has it");
            }
            let after = life.newest(P);
            assert_ne!((before.segment, before.generation), (after.segment, after.generation), "reclaimed");
        });
        rig.live(End::Stop, async |life| {
            life.loaded().await;
            assert!(life.disk.lost(9).is_empty());
            assert_eq!(life.settled(&[P, P + 1]).await, [2, 1]);
        });
    });
}

#[test]
fn a_page_that_flash_fails_to_read_for_a_while_is_not_lost() {
    story(|rig| {
        rig.live(End::Stop, async |life| {
            life.write_back_pages(2..6).await;
            life.push_out().await;
            rig.flash.fail_often(Operation::Read, 1000);
            life.destage().await;
            assert!(life.read_fails(P).await);
            assert!(life.disk.lost(9).is_empty(), "the device may come to its senses");
            rig.flash.fail_no_more();
            life.host.sleep(RETRIED).await;
            assert_eq!(life.disk.statistics().dirty_bytes, 0);
            assert_eq!(life.settled(&[2, P, 6]).await, [2, 2, 1]);
        });
    });
}

#[test]
fn a_page_that_flash_gives_back_the_second_time_comes_home() {
    story(|rig| {
        rig.live(End::Stop, async |life| {
            life.write_back_pages(2..6).await;
            life.push_out().await;
            rig.flash.fail_after(Operation::Read, 0);
            assert_eq!(life.see(P).await, 2);
            rig.flash.fail_after(Operation::Read, 0);
            life.destage().await;
            assert_eq!(life.disk.statistics().dirty_bytes, 0);
            assert_eq!(life.counts().flash_errors, 2);
        });
    });
}

#[test]
fn destage_notices_a_higher_rate_while_it_rests_for_a_lower_one() {
    story(|rig| {
        rig.live(End::Stop, async |life| {
            life.write_back_pages(2..5).await;
            assert_eq!(life.disk.statistics().dirty_bytes, 3 * PAGE);
            life.destage_at(PAGE);
            life.disk.start_destage();
            life.host.sleep(2 * RETRIED).await;
            assert_eq!(life.disk.statistics().dirty_bytes, 0, "a page a second");
        });
    });
}
