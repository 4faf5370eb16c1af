//! Stories of groups that the writer abandons: nothing of them becomes a part of the next one.

use std::cell::Cell;
use std::rc::Rc;

use block::executor::LocalHost;
use block::{BlockDevice, ErrorKind, Host, PAGE};
use volume::{StoreErrorKind, Volume, VolumeSettings};

use crate::Disk;
use crate::store::{Health, HostStore, Objects};
use crate::stories::{MIB, SECOND, holds, open, read, settings, story, write};

/// Returns settings with which each page becomes an object, one after another.
fn narrow() -> VolumeSettings {
    VolumeSettings { object_bytes: PAGE, puts_at_once: 1, ..settings() }
}

/// Opens the volume by a host that falls asleep then.
async fn open_asleep(objects: &Rc<Objects>, host: &LocalHost) -> (Rc<Disk>, Rc<Cell<Health>>) {
    let store = HostStore::new(objects, host);
    let health = Rc::clone(&store.health);
    let disk = Volume::open(store, host.clone(), "disk", &crate::owner(), narrow()).await.unwrap();
    health.set(Health::Asleep);
    (Rc::new(disk), health)
}

#[test]
fn groups_that_are_abandoned_while_the_store_refuses_leave_few_objects_on_their_way() {
    story(async |objects, host| {
        let settings = VolumeSettings { puts_at_once: 2, ..settings() };
        let disk = open(objects, host, settings).await.unwrap();
        *objects.refuses.borrow_mut() = Some(("volumes/", StoreErrorKind::Full));
        for round in 0..20 {
            write(&disk, 1, round).await.unwrap();
            assert_eq!(disk.flush().await.unwrap_err().kind, ErrorKind::NoSpace);
            disk.abandon_group();
            assert!(!holds(&disk, 1, round).await, "it is dropped");
        }
        *objects.refuses.borrow_mut() = None;
        host.sleep(60 * SECOND).await;
        assert!(objects.named("/data/").len() <= 2, "{:?}", objects.named("/data/"));
        write(&disk, 2, 5).await.unwrap();
        disk.flush().await.unwrap();
        drop(disk);
        let disk = open(objects, host, settings).await.unwrap();
        assert!(holds(&disk, 2, 5).await);
    });
}

#[test]
fn a_write_that_waits_while_its_group_is_abandoned_is_no_part_of_the_next_one() {
    story(async |objects, host| {
        let (disk, health) = open_asleep(objects, host).await;
        // The first one is on its way, the second one is in memory, and the third one waits.
        write(&disk, 1, 1).await.unwrap();
        write(&disk, 2, 2).await.unwrap();
        let waits = Rc::clone(&disk);
        let waiting = host.to_its_end(async move { write(&waits, 3, 3).await });
        host.sleep(SECOND).await;
        disk.abandon_group();
        health.set(Health::Awake);
        assert!(waiting.await.unwrap_err().to_string().contains("abandoned"));
        write(&disk, 4, 4).await.unwrap();
        disk.flush().await.unwrap();
        let zeroes = vec![0; PAGE as usize];
        for page in 1..4 {
            assert_eq!(read(&disk, page).await.unwrap(), zeroes, "page {page}");
        }
        drop(disk);
        let disk = open(objects, host, narrow()).await.unwrap();
        assert!(holds(&disk, 4, 4).await);
        assert_eq!(read(&disk, 3).await.unwrap(), zeroes);
    });
}

#[test]
fn a_flush_that_waits_while_its_group_is_abandoned_makes_nothing_of_the_next_one_durable() {
    story(async |objects, host| {
        let (disk, health) = open_asleep(objects, host).await;
        // The first one is on its way, so there is no room for the end of the group.
        write(&disk, 1, 1).await.unwrap();
        write(&disk, 2, 2).await.unwrap();
        let flushed = Rc::clone(&disk);
        let flushing = host.to_its_end(async move { flushed.flush().await });
        host.sleep(SECOND).await;
        disk.abandon_group();
        write(&disk, 4, 4).await.unwrap();
        health.set(Health::Awake);
        assert!(flushing.await.unwrap_err().to_string().contains("abandoned"));
        host.sleep(10 * SECOND).await;
        drop(disk);
        let disk = open(objects, host, narrow()).await.unwrap();
        let zeroes = vec![0; PAGE as usize];
        for page in [1, 2, 4] {
            assert_eq!(read(&disk, page).await.unwrap(), zeroes, "page {page}");
        }
    });
}

#[test]
fn a_size_that_is_abandoned_with_its_group_is_not_that_of_the_next_one() {
    story(async |objects, host| {
        let disk = open(objects, host, settings()).await.unwrap();
        *objects.refuses.borrow_mut() = Some(("volumes/", StoreErrorKind::Full));
        disk.resize(8 * MIB).await.unwrap_err();
        assert_eq!((disk.geometry().size, disk.durable_bytes()), (8 * MIB, 64 * MIB));
        disk.abandon_group();
        assert_eq!(disk.geometry().size, 64 * MIB);
        *objects.refuses.borrow_mut() = None;
        host.sleep(10 * SECOND).await;
        let last = 64 * MIB / PAGE - 1;
        write(&disk, last, 3).await.unwrap();
        disk.flush().await.unwrap();
        drop(disk);
        let disk = open(objects, host, settings()).await.unwrap();
        assert!(disk.geometry().size == 64 * MIB && holds(&disk, last, 3).await);
    });
}
