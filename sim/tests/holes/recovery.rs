//! Recovery: every start is cut at every write, flash is damaged where a start looks first, and what is found twice is the
//! same.

use block::{BlockDevice, ByteRange, PAGE};
use cache::bytes::table::NOTES;
use cache::{Load, Mode, PoolContent};

use crate::on_flash::{at, layout};
use crate::rig::{ENDS, End, Life, P, Rig, TORN, story};

/// Old and new, closed and open, on flash and on the backing only.
async fn leave_something(life: &Life<'_>) {
    life.cache_pages(0..8, 1).await;
    life.cache_pages(64..72, 1).await;
    life.set_mode(Mode::WriteAround);
    // Region 0 is closed and page 3 void; region 1 is open, and its page 67 changed.
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
            // One run of the log, of which the second page stays as it is.
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
            assert_eq!(life.loaded().await, Load::Done);
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

/// Damages a stretch of flash between two processes. Right answers or none from flash, and never old ones.
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
            let (segment, _) = *rig.segments_of(NOTES).last().unwrap();
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
