//! Stories of volumes that deduplicate.

use std::rc::Rc;

use block::executor::LocalHost;
use block::{BlockDevice, Buffer, ByteRange, ErrorKind, Host, PAGE};
use volume::{StoreErrorKind, Volume, VolumeError, VolumeOptions, VolumeSettings};

use crate::store::{Health, HostStore, Objects};
use crate::stories::{MIB, SECOND, busy, content, holds, settings, story, write};
use crate::{Disk, owner};

const NAME: &str = "twins";

async fn create(objects: &Rc<Objects>, host: &LocalHost) {
    let options = VolumeOptions { deduplicate: true, ..VolumeOptions::default() };
    volume::create(&HostStore::new(objects, host), host, NAME, 64 * MIB, options).await.unwrap();
}

async fn open(
    objects: &Rc<Objects>,
    host: &LocalHost,
    settings: VolumeSettings,
) -> Result<Disk, VolumeError> {
    Volume::open(HostStore::new(objects, host), host.clone(), NAME, &owner(), settings).await
}

/// Opens the volume again after what is on its way has ended.
async fn reopen(disk: Disk, objects: &Rc<Objects>, host: &LocalHost, settings: VolumeSettings) -> Disk {
    disk.close().await.unwrap();
    host.sleep(60 * SECOND).await;
    open(objects, host, settings).await.unwrap()
}

async fn check(objects: &Rc<Objects>, host: &LocalHost) -> volume::CheckReport {
    volume::check(&HostStore::new(objects, host), host, NAME, &mut |_, _| {}).await.unwrap()
}

/// Writes `pages` pages that are those of a file, and different from each other.
async fn write_file(disk: &Disk, page: u64, pages: u64) {
    disk.write(page * PAGE, Buffer::copy_of(&content(9, pages))).await.1.unwrap();
}

/// Panics unless the file lies at a page.
async fn assert_file(disk: &Disk, page: u64, pages: u64) {
    let (found, read) = disk.read(page * PAGE, Buffer::zeroed((pages * PAGE) as usize)).await;
    read.unwrap();
    assert!(found[..] == content(9, pages)[..], "the file at page {page}");
}

fn stored(objects: &Objects) -> u64 {
    objects.stored("/data/") + objects.stored("/copies/")
}

#[test]
fn a_copy_of_a_file_takes_a_few_bytes_wherever_it_lies() {
    story(async |objects, host| {
        create(objects, host).await;
        let disk = open(objects, host, settings()).await.unwrap();
        write_file(&disk, 16, 64).await;
        disk.flush().await.unwrap();
        let before = disk.statistics();
        assert_eq!((before.deduplicated_bytes, before.index_bytes), (0, (64 << 20) / 224 * 224));
        // Below its place, above it, and twice in one object.
        for page in [3, 1_001, 9_002, 9_066] {
            write_file(&disk, page, 64).await;
        }
        disk.flush().await.unwrap();
        let after = disk.statistics();
        assert_eq!(after.deduplicated_bytes, 4 * 64 * PAGE);
        assert_eq!((after.referring_bytes, after.deduplicates, after.zero_bytes), (256 * PAGE, true, 0));
        assert!(after.put_bytes - before.put_bytes < 40 * 64, "{}", after.put_bytes - before.put_bytes);
        // Page 16 lies under the copy at page 3.
        for is_again in [false, true] {
            let disk = open(objects, host, settings()).await.unwrap();
            assert_eq!(disk.statistics().referring_bytes, 256 * PAGE, "it is of all of the disk");
            for page in [3, 1_001, 9_002, 9_066] {
                assert_file(&disk, page, 64).await;
            }
            let report = check(objects, host).await;
            assert_eq!(report.damaged, []);
            assert_eq!((report.whole_bytes, report.mapped_bytes), (269 * PAGE, 269 * PAGE));
            // Again, from a checkpoint.
            if !is_again {
                drop(reopen(disk, objects, host, settings()).await);
            }
        }
    });
}

#[test]
fn a_volume_without_the_option_or_an_index_refers_to_nothing() {
    story(async |objects, host| {
        create(objects, host).await;
        let settings = VolumeSettings { index_bytes: 0, ..settings() };
        let plain = crate::stories::open(objects, host, settings).await.unwrap();
        for disk in [plain, open(objects, host, settings).await.unwrap()] {
            for page in [0, 100] {
                write_file(&disk, page, 8).await;
                disk.flush().await.unwrap();
            }
            let statistics = disk.statistics();
            assert_eq!((statistics.deduplicated_bytes, statistics.index_bytes), (0, 0));
            assert!(statistics.put_bytes > 16 * PAGE);
        }
    });
}

#[test]
fn cleaning_moves_what_others_refer_to_and_keeps_each_content_once() {
    story(async |objects, host| {
        create(objects, host).await;
        let busy = VolumeSettings { object_bytes: 64 * PAGE, clean_below: 95, ..busy() };
        let disk = open(objects, host, busy).await.unwrap();
        write_file(&disk, 0, 64).await;
        disk.flush().await.unwrap();
        let first = objects.named("/data/")[0].clone();
        for page in [1_000, 2_000, 3_001] {
            write_file(&disk, page, 16).await;
            disk.flush().await.unwrap();
        }
        // The pages for which it was written are gone, and a quarter of the content is live three times.
        disk.discard(ByteRange::at(0, 64 * PAGE)).await.unwrap();
        disk.flush().await.unwrap();
        host.sleep(60 * SECOND).await;
        for value in 0..400 {
            write(&disk, 5_000 + value % 64, 1_000 + value).await.unwrap();
            if value % 16 == 15 {
                disk.flush().await.unwrap();
                host.sleep(20 * SECOND).await;
            }
        }
        assert!(objects.named(&first).is_empty(), "it was not cleaned");
        assert!(!objects.named("/copies/").is_empty());
        assert!(stored(objects) < (16 + 3 * 64) * PAGE, "{} KiB are stored", stored(objects) >> 10);
        // What cleaning moved is known to the index.
        let before = disk.statistics().deduplicated_bytes;
        write_file(&disk, 4_000, 16).await;
        disk.flush().await.unwrap();
        assert_eq!(disk.statistics().deduplicated_bytes - before, 16 * PAGE);
        let disk = reopen(disk, objects, host, busy).await;
        for page in [1_000, 2_000, 3_001, 4_000] {
            assert_file(&disk, page, 16).await;
        }
        assert_eq!(check(objects, host).await.damaged, []);
    });
}

#[test]
fn damage_costs_the_pages_that_refer_too_and_content_that_was_not_readable_is_stored_again() {
    for is_lost in [false, true] {
        story(async |objects, host| {
            create(objects, host).await;
            let disk = open(objects, host, settings()).await.unwrap();
            write_file(&disk, 0, 8).await;
            disk.flush().await.unwrap();
            for page in [101, 300] {
                write_file(&disk, page, 8).await;
            }
            disk.flush().await.unwrap();
            disk.close().await.unwrap();
            host.sleep(60 * SECOND).await;
            let disk = open(objects, host, settings()).await.unwrap();
            let first = objects.named("/data/")[0].clone();
            let whole = objects.bytes_of(&first);
            write(&disk, 500, 77).await.unwrap();
            disk.flush().await.unwrap();
            if is_lost {
                objects.remove(&first);
            } else {
                objects.damage(&first, whole.len() - 9);
            }
            let report = check(objects, host).await;
            assert_eq!((report.damaged.len(), report.whole_bytes), (1, PAGE));
            assert_eq!((&report.damaged[0].name, report.damaged[0].bytes()), (&first, 24 * PAGE));
            for page in [0, 101, 300] {
                let (_, read) = disk.read(page * PAGE, Buffer::zeroed(8 * PAGE as usize)).await;
                assert_eq!(read.unwrap_err().kind, ErrorKind::Corrupt);
            }
        });
        story(async |objects, host| {
            create(objects, host).await;
            let disk = open(objects, host, settings()).await.unwrap();
            write_file(&disk, 0, 8).await;
            disk.flush().await.unwrap();
            let first = objects.named("/data/")[0].clone();
            if is_lost {
                objects.remove(&first);
            } else {
                objects.damage(&first, objects.bytes_of(&first).len() - 9);
            }
            let (_, read) = disk.read(0, Buffer::zeroed(PAGE as usize)).await;
            assert_eq!(read.unwrap_err().kind, ErrorKind::Corrupt);
            for page in [0, 100] {
                write_file(&disk, page, 8).await;
                disk.flush().await.unwrap();
            }
            for page in [0, 100] {
                assert_file(&disk, page, 8).await;
            }
            assert_eq!(disk.statistics().deduplicated_bytes, 8 * PAGE, "one refers to the other");
        });
    }
}

/// Lets a host abandon a group that refers to what is dead by then, and die. Returns true if the next host reads all pages.
fn is_readable_after_an_abandoned_group() -> bool {
    let result = std::cell::Cell::new(false);
    story(async |objects, host| {
        create(objects, host).await;
        let settings = VolumeSettings { object_bytes: 4 * PAGE, ..settings() };
        let store = HostStore::new(objects, host);
        let health = Rc::clone(&store.health);
        let disk = Volume::open(store, host.clone(), NAME, &owner(), settings).await.unwrap();
        write(&disk, 1, 1).await.unwrap();
        disk.flush().await.unwrap();
        // Group 2 overwrites the page. While it is on its way, an object of group 3 refers to the content.
        *objects.refuses.borrow_mut() = Some(("/data/00000001.000000000001", StoreErrorKind::Full));
        write(&disk, 1, 2).await.unwrap();
        disk.flush().await.unwrap_err();
        for page in 50..54 {
            write(&disk, page, 1).await.unwrap();
        }
        *objects.refuses.borrow_mut() = Some(("/data/00000001.000000000003", StoreErrorKind::Full));
        // That it is full seals it.
        write(&disk, 60, 3).await.unwrap();
        host.sleep(60 * SECOND).await;
        assert_eq!(objects.named("/data/").len(), 3);
        assert_eq!(disk.statistics().deduplicated_bytes, 4 * PAGE);
        // Group 2 counts, so that nothing that counts has the content; group 3 is closed, and abandoned.
        assert_eq!(disk.flush().await.unwrap_err().kind, ErrorKind::NoSpace);
        assert_eq!(disk.statistics().groups, 2);
        disk.abandon_group();
        disk.close().await.unwrap();
        // Its end gets there all the same, as that of a host that died might have.
        *objects.refuses.borrow_mut() = None;
        host.sleep(60 * SECOND).await;
        health.set(Health::Dead);
        let disk = open(objects, host, settings).await.unwrap();
        let mut is_good = holds(&disk, 1, 2).await;
        for page in 50..54 {
            let (found, read) = disk.read(page * PAGE, Buffer::zeroed(PAGE as usize)).await;
            let is_expected = found[..] == content(1, 1)[..] || found.iter().all(|byte| *byte == 0);
            is_good &= read.is_ok() && is_expected;
        }
        result.set(is_good);
    });
    result.get()
}

#[test]
fn what_an_abandoned_group_refers_to_is_kept_while_it_may_count() {
    assert!(is_readable_after_an_abandoned_group());
    #[cfg(debug_assertions)]
    {
        volume::plant(Some(volume::Bug::PinsEndWithGroup));
        let is_readable = is_readable_after_an_abandoned_group();
        volume::plant(None);
        assert!(!is_readable, "the planted bug is not found");
    }
}

#[test]
fn overwriting_with_few_contents_keeps_what_is_stored_below_what_is_mapped() {
    story(async |objects, host| {
        create(objects, host).await;
        let settings = VolumeSettings { object_bytes: 64 * PAGE, checkpoint_bytes: 20_000, ..settings() };
        let disk = open(objects, host, settings).await.unwrap();
        let mut values = vec![0; 4_096];
        for round in 0..24_000 {
            let page = host.random() % 4_096;
            let value = 1 + host.random() % 1_500;
            write(&disk, page, value).await.unwrap();
            values[page as usize] = value;
            if round % 64 == 0 {
                disk.flush().await.unwrap();
            }
            if round % 256 == 0 {
                host.sleep(2 * SECOND).await;
            }
        }
        disk.flush().await.unwrap();
        host.sleep(600 * SECOND).await;
        let statistics = disk.statistics();
        let mapped = statistics.mapped_bytes;
        println!(
            "few contents: put {} KiB of {} KiB, copied {} KiB; stored {} KiB of {} KiB mapped",
            statistics.put_bytes >> 10,
            statistics.written_bytes >> 10,
            statistics.copied_bytes >> 10,
            stored(objects) >> 10,
            mapped >> 10,
        );
        assert!(stored(objects) < mapped, "{} KiB are stored", stored(objects) >> 10);
        let disk = reopen(disk, objects, host, settings).await;
        for (page, value) in (0..).zip(values) {
            let expected = if value == 0 { vec![0; PAGE as usize] } else { content(value, 1) };
            assert!(crate::stories::read(&disk, page).await.unwrap() == expected, "page {page}");
        }
        assert_eq!(check(objects, host).await.damaged, []);
    });
}
