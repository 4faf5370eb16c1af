//! Growth of a disk whose last page is cut by its end, interrupted at every write, flush and discard of every device: afterwards it has the
//! old size or the new one, no guest data is lost, and behind the old end nothing is read but the content of the backing.

use std::cell::Cell;
use std::rc::Rc;

use block::{BlockDevice, Buffer, Host, Operation, PAGE, SECTOR};

use crate::guest::{Guest, USED_PAGES, judge, sectors};
use crate::rig::{End, HELD, Life, Rig};

const ENDS: [End; 2] = [End::Kill, End::PowerCut];
/// End of the disk, in sectors: in the middle of a page, and later of another one.
const OLD: u64 = 163;
const NEW: u64 = 213;
/// Sectors that the guest uses.
const ALL: u64 = USED_PAGES * PAGE / SECTOR;

/// Grows the disk, as the daemon does.
async fn grow(life: &Life<'_>, to: u64) {
    let growing = life.disk.prepare_to_grow().await.unwrap();
    life.rig.disk_bytes.set(Some(to * SECTOR));
    life.disk.grow(growing, to * SECTOR, life.rig.bits());
}

/// Returns a disk that ends at [`OLD`], on a longer backing with content behind it.
fn short(seed: u64) -> (Rig, Guest) {
    let (rig, guest) = (Rig::new(seed), Guest::new());
    rig.disk_bytes.set(Some(OLD * SECTOR));
    guest.find(&rig, sectors(OLD..ALL));
    (rig, guest)
}

/// Grows it to the end of the guest's sectors: no content was invented on the way.
fn judge_to_the_last(rig: &Rig, guest: &Guest, context: &str) {
    judge(rig, guest, context);
    rig.live(End::Kill, async |life| {
        life.loaded().await;
        if rig.disk_bytes.get() < Some(ALL * SECTOR) {
            grow(life, ALL).await;
        }
    });
    guest.end(End::Kill);
    judge(rig, guest, context);
}

/// Interrupts the growth of a disk everywhere. Returns its number of writes, flushes and discards.
fn cut_growth(end: End, prepare: &impl AsyncFn(&Life<'_>, &Guest)) -> u64 {
    let mut sizes = [0, 0];
    for operations in 1..200 {
        let (rig, guest) = short(operations);
        let told = rig.live_until(end, None, async |life| {
            prepare(life, &guest).await;
            rig.light_fuse(operations);
            grow(life, NEW).await;
            assert_eq!(life.disk.geometry().size, NEW * SECTOR);
            guest.write(&life.disk, sectors(OLD - 1..OLD + 1)).await;
            guest.write(&life.disk, sectors(NEW - 5..NEW)).await;
            guest.flush(&life.disk).await;
        });
        guest.end(end);
        sizes[usize::from(rig.disk_bytes.get() == Some(NEW * SECTOR))] += 1;
        judge_to_the_last(&rig, &guest, &format!("{end:?} at operation {operations}"));
        if told {
            assert!(sizes.iter().all(|times| *times > 0), "the old size and the new one are met: {sizes:?}");
            return operations - 1;
        }
    }
    panic!("the growth never comes to its end");
}

/// Leaves the page at the end clean on flash and in RAM.
async fn leave_clean(life: &Life<'_>, guest: &Guest) {
    guest.write(&life.disk, sectors(0..OLD)).await;
    life.write_back(24).await;
    guest.write(&life.disk, sectors(150..OLD)).await;
    guest.flush(&life.disk).await;
    life.disk.start_destage();
    life.until_clean().await;
    guest.flush(&life.disk).await;
}

/// Leaves it dirty on flash, whole and in part.
async fn leave_dirty(life: &Life<'_>, guest: &Guest) {
    guest.write(&life.disk, sectors(0..OLD)).await;
    life.write_back(24).await;
    guest.write(&life.disk, sectors(150..OLD)).await;
    guest.flush(&life.disk).await;
    guest.write(&life.disk, sectors(161..162)).await;
}

#[test]
fn growing_is_cut_everywhere_with_the_last_page_clean() {
    for end in ENDS {
        let operations = cut_growth(end, &leave_clean);
        assert!(operations > 4, "an intent is written before the size is another: {operations}");
    }
}

#[test]
fn growing_is_cut_everywhere_with_the_last_page_dirty() {
    for end in ENDS {
        let operations = cut_growth(end, &leave_dirty);
        assert!(operations > 6, "the page comes home first: {operations}");
    }
}

#[test]
fn growing_is_cut_everywhere_in_write_through() {
    for end in ENDS {
        cut_growth(end, &async |life: &Life<'_>, guest: &Guest| {
            guest.write(&life.disk, sectors(0..OLD)).await;
            // The growth itself then has to record that flash may have another version of the page.
            life.rest().await;
        });
    }
}

#[test]
fn a_page_that_the_end_cut_is_cached_again_whole() {
    let (rig, guest) = short(1);
    rig.live(End::Stop, async |life| {
        leave_clean(life, &guest).await;
        grow(life, NEW).await;
        let cut_page = OLD * SECTOR / PAGE;
        let first = life.content(cut_page).await;
        let before = life.counts().backing_reads;
        assert_eq!(life.content(cut_page).await, first);
        assert_eq!(life.counts().backing_reads, before, "it is cached");
    });
    judge_to_the_last(&rig, &guest, "after a stop");
}

#[test]
fn a_write_to_the_page_that_the_end_cuts_waits_until_the_disk_has_grown_or_will_not() {
    for grows in [true, false] {
        let (rig, guest) = short(2);
        rig.live(End::Kill, async |life| {
            life.write_back(24).await;
            guest.write(&life.disk, sectors(0..OLD)).await;
            let (bytes, _) = life.disk.read((OLD - 1) * SECTOR, Buffer::zeroed(SECTOR as usize)).await;
            let growing = life.disk.prepare_to_grow().await.unwrap();
            let disk = Rc::clone(&life.disk);
            let write = async move {
                // The same content, so that the model need not know of it.
                disk.write((OLD - 1) * SECTOR, bytes).await.1.unwrap();
            };
            let written = Rc::new(Cell::new(false));
            let told = Rc::clone(&written);
            life.host.spawn(async move {
                write.await;
                told.set(true);
            });
            life.host.sleep(HELD).await;
            assert!(!written.get(), "nobody knows yet where the page ends");
            if grows {
                rig.disk_bytes.set(Some(NEW * SECTOR));
                life.disk.grow(growing, NEW * SECTOR, rig.bits());
            } else {
                drop(growing);
            }
            life.host.sleep(HELD).await;
            assert!(written.get());
            let size = if grows { NEW } else { OLD } * SECTOR;
            assert_eq!(life.disk.geometry().size, size);
            let (_, behind) = life.disk.read(size, Buffer::zeroed(SECTOR as usize)).await;
            assert!(behind.is_err(), "the backing goes on, and the disk does not");
        });
        guest.end(End::Kill);
        judge_to_the_last(&rig, &guest, if grows { "it grew" } else { "it did not grow" });
    }
}

#[test]
fn a_size_of_which_nobody_knows_whether_it_is_remembered_invents_nothing_if_it_is() {
    for (end, writes_back, is_remembered) in
        ENDS.into_iter().flat_map(|end| [(end, true, true), (end, true, false), (end, false, true)])
    {
        let (rig, guest) = short(4);
        rig.live(end, async |life| {
            if writes_back {
                leave_dirty(life, &guest).await;
            } else {
                guest.write(&life.disk, sectors(0..OLD)).await;
            }
            life.disk.prepare_to_grow().await.unwrap().distrust();
            assert_eq!(life.disk.geometry().size, OLD * SECTOR);
            // Once the whole page up to the end of the disk, and once a part: neither enters, not even when idle.
            for range in [160..OLD, 161..162] {
                guest.write(&life.disk, sectors(range)).await;
                let (_, read) = life.disk.read(160 * SECTOR, Buffer::zeroed(3 * SECTOR as usize)).await;
                read.unwrap();
                guest.flush(&life.disk).await;
                // Content of RAM is promoted to flash.
                for page in (0..18).chain(0..18) {
                    life.content(page).await;
                    life.host.sleep(1000).await;
                }
                life.rest().await;
            }
            if is_remembered {
                rig.disk_bytes.set(Some(NEW * SECTOR));
            }
        });
        guest.end(end);
        let context = format!("{end:?}, written back: {writes_back}, remembered: {is_remembered}");
        judge_to_the_last(&rig, &guest, &context);
    }
}

#[test]
fn a_disk_whose_last_page_does_not_come_home_does_not_grow_and_goes_on() {
    let (rig, guest) = short(3);
    rig.live(End::Kill, async |life| {
        life.write_back(24).await;
        // Every attempt to destage fails.
        rig.backing.fail_often(Operation::Write, 1000);
        guest.write(&life.disk, sectors(150..OLD)).await;
        assert!(life.is_dirty());
        let refused = life.disk.prepare_to_grow().await.err().expect("its last page is not home");
        assert!(refused.to_string().contains("does not take the dirty data"), "{refused}");
        assert_eq!(life.disk.geometry().size, OLD * SECTOR);
        rig.backing.fail_no_more();
        guest.write(&life.disk, sectors(160..OLD)).await;
    });
    guest.end(End::Kill);
    judge_to_the_last(&rig, &guest, "its backing failed");
}
