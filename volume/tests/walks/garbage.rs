//! Stories of scrubs, and of garbage: whatever is deleted is needed by nobody, and what nobody needs is deleted.

use std::rc::Rc;

use block::executor::LocalHost;
use block::{BlockDevice, ByteRange, Host, PAGE};
use volume::{CollectReport, Mark, StoreErrorKind, Volume, VolumeError, VolumeOptions, VolumeSettings};

use crate::store::{Health, HostStore, MILLISECOND, Objects};
use crate::stories::{
    SECOND, busy, check, content, holds, open, read, reopen, settings, story, write, write_apart,
};
use crate::{Disk, owner};

/// Writes pages again and again, each round with other content.
async fn write_rounds(disk: &Disk, rounds: std::ops::Range<u64>) {
    for round in rounds {
        for page in 0..40 {
            write(disk, page, 100 * round + page).await.unwrap();
        }
        disk.flush().await.unwrap();
    }
}

async fn holds_round(disk: &Disk, round: u64) -> bool {
    for page in 0..40 {
        let expected = content(100 * round + page, 1);
        if read(disk, page).await.ok() != Some(expected) {
            return false;
        }
    }
    true
}

async fn open_by(objects: &Rc<Objects>, host: &LocalHost) -> (Disk, HostStore) {
    let store = HostStore::new(objects, host);
    (Volume::open(store.clone(), host.clone(), "disk", &owner(), busy()).await.unwrap(), store)
}

#[test]
fn a_volume_whose_newest_start_is_lost_is_damaged_and_not_empty() {
    story(async |objects, host| {
        for rounds in [0..3, 3..6, 6..9] {
            let (disk, _) = open_by(objects, host).await;
            write_rounds(&disk, rounds).await;
            disk.close().await.unwrap();
            disk.collect().await.unwrap_err();
        }
        let (disk, store) = open_by(objects, host).await;
        write_rounds(&disk, 9..12).await;
        host.sleep(60 * SECOND).await;
        disk.collect().await.unwrap();
        let starts = objects.named("/start/");
        objects.remove(&starts[0]);
        assert_eq!(starts.len(), 1);
        drop(disk);
        let refused = Volume::open(store.clone(), host.clone(), "disk", &owner(), settings()).await;
        assert!(matches!(refused.err(), Some(VolumeError::Damaged { name, .. }) if name == starts[0]));
        let refused = Volume::open_read_only(store.clone(), host.clone(), "disk", settings()).await;
        assert!(matches!(refused.err(), Some(VolumeError::Damaged { .. })));
        assert!(matches!(volume::snapshots(&store, host, "disk").await, Err(VolumeError::Damaged { .. })));
        assert!(matches!(volume::peek(&store, host, "disk").await, Err(VolumeError::Damaged { .. })));
    });
}

#[test]
fn what_earlier_hosts_left_behind_is_deleted_and_the_rest_stays() {
    story(async |objects, host| {
        for round in 0..4 {
            let (disk, store) = open_by(objects, host).await;
            if round > 0 {
                assert!(holds_round(&disk, 3 * round - 1).await);
            }
            disk.marks().unwrap().replace(&Mark::default()).await.unwrap();
            write_rounds(&disk, 3 * round..3 * round + 3).await;
            // It dies with a group on its way, and in the middle of a checkpoint.
            for page in 0..20 {
                write(&disk, page, 9_000 + page).await.unwrap();
            }
            host.sleep(30 * MILLISECOND).await;
            store.health.set(Health::Dead);
            host.sleep(60 * SECOND).await;
        }
        let disk = open(objects, host, busy()).await.unwrap();
        host.sleep(60 * SECOND).await;
        let before = objects.names();
        assert!(check(objects, host).await.unwrap().orphans > 0, "{before:?}");
        let collected = disk.collect().await.unwrap();
        let after = objects.names();
        let gone = before.iter().filter(|name| !after.contains(name));
        assert!(collected.objects > 10 && collected.objects >= gone.count() as u64, "{collected:?}");
        assert!(holds_round(&disk, 11).await);
        let report = check(objects, host).await.unwrap();
        assert_eq!((report.orphans, report.damaged), (0, Vec::new()));
        let epochs = after.iter().filter(|name| name.contains("/epoch/")).count();
        assert_eq!((epochs, objects.named("/start/").len(), objects.named("/marks/").len()), (5, 1, 0));
        let is_root = |name: &&String| name.rsplit('/').next().unwrap().matches('.').count() == 1;
        let roots = objects.named("/map/").iter().filter(is_root).count();
        assert!(objects.named("/map/").len() - roots <= 2, "{:?}", objects.named("/map/"));
        assert!(objects.named("/map/").iter().all(|name| name.contains("/map/00000005.")));
        assert_eq!(disk.collect().await, Ok(CollectReport::default()));
        let disk = reopen(disk, objects, host).await.unwrap();
        assert!(holds_round(&disk, 11).await);
    });
}

#[test]
fn garbage_of_an_open_volume_is_deleted_and_what_may_still_count_is_not() {
    story(async |objects, host| {
        let disk = open(objects, host, busy()).await.unwrap();
        write_rounds(&disk, 0..3).await;
        host.sleep(60 * SECOND).await;
        let first = objects.named("/data/")[0].clone();
        let folder = first.split("data/").next().unwrap().to_owned();
        // Late creates of objects that were deleted, and names of nobody.
        let [dead, unknown, strange] =
            ["data/00000001.000000000000", "data/00000001.000000900000", "data/README"]
                .map(|name| folder.clone() + name);
        assert_ne!(first, dead, "cleaning deleted it");
        for name in [&dead, &unknown, &strange] {
            objects.put(name, vec![1, 2, 3]);
        }
        let collected = disk.collect().await.unwrap();
        assert_eq!(collected, CollectReport { objects: 1, bytes: 3 });
        let names = objects.names();
        assert!(!names.contains(&dead) && names.contains(&unknown) && names.contains(&strange));
        objects.keeps.set(true);
        objects.put(&dead, vec![1, 2, 3]);
        let refused = disk.collect().await.unwrap_err();
        assert!(
            matches!(&refused, VolumeError::Store(error) if error.kind == StoreErrorKind::Denied),
            "{refused}"
        );
    });
}

/// A root of a checkpoint whose create gives no answer and lands after garbage was deleted.
fn opens_after_a_late_root() -> bool {
    let opened = std::cell::Cell::new(false);
    story(async |objects, host| {
        let (disk, store) = open_by(objects, host).await;
        write_rounds(&disk, 0..1).await;
        host.sleep(60 * SECOND).await;
        disk.collect().await.unwrap();
        objects.is_late.set(Some(|name| name.contains("/map/") && name.matches('.').count() == 1));
        write_rounds(&disk, 1..4).await;
        host.sleep(60 * SECOND).await;
        assert!(disk.statistics().upkeep_failure.is_some());
        disk.collect().await.unwrap();
        store.health.set(Health::Dead);
        host.sleep(60 * SECOND).await;
        objects.is_late.set(None);
        assert!(objects.land() > 0, "a root landed");
        opened.set(match open(objects, host, busy()).await {
            Ok(disk) => holds_round(&disk, 3).await,
            Err(_) => false,
        });
    });
    opened.get()
}

#[test]
fn a_root_that_lands_after_garbage_was_deleted_has_its_parts() {
    assert!(opens_after_a_late_root());
    #[cfg(debug_assertions)]
    {
        volume::plant(Some(volume::Bug::CollectedAttempt));
        let opened = opens_after_a_late_root();
        volume::plant(None);
        assert!(!opened, "the planted bug is not found");
    }
}

/// Moments of a reader: it falls asleep when it asks for one of these.
const MOMENTS: [&str; 5] =
    ["/epoch/00000003", "/start/00000002", "/map/00000002.00000000", "/map/00000002.", "/data/00000002"];

/// Returns true if a reader that sleeps while others write and delete garbage finds the newest content.
fn finds_the_newest(moment: &'static str) -> bool {
    let found = std::cell::Cell::new(false);
    story(async |objects, host| {
        let disk = open(objects, host, busy()).await.unwrap();
        write_rounds(&disk, 0..2).await;
        let mut disk = reopen(disk, objects, host).await.unwrap();
        write_rounds(&disk, 2..3).await;
        host.sleep(60 * SECOND).await;
        let reader = HostStore::new(objects, host);
        *reader.sleeps_at.borrow_mut() = Some(moment.to_owned());
        let (store, clock) = (reader.clone(), host.clone());
        let reading = host.to_its_end(async move {
            match Volume::open_read_only(store, clock, "disk", settings()).await {
                Ok(disk) => holds_round(&disk, 8).await,
                Err(_) => false,
            }
        });
        host.sleep(20 * SECOND).await;
        for round in 3..9 {
            disk = reopen(disk, objects, host).await.unwrap();
            write_rounds(&disk, round..round + 1).await;
            disk.collect().await.unwrap();
        }
        reader.health.set(Health::Awake);
        found.set(reading.await);
    });
    found.get()
}

#[test]
fn a_reader_that_sleeps_while_garbage_is_deleted_finds_the_newest_content() {
    for moment in MOMENTS {
        assert!(finds_the_newest(moment), "asleep at {moment}");
    }
    #[cfg(debug_assertions)]
    {
        volume::plant(Some(volume::Bug::ReadOnce));
        let missed = MOMENTS.iter().filter(|moment| !finds_the_newest(moment)).count();
        volume::plant(None);
        assert!(missed > 0, "the planted bug is not found");
    }
}

/// Returns true if one that sleeps while others open the volume and delete garbage finds a snapshot, which it lists or clones.
fn finds_the_snapshot(moment: &'static str, is_clone: bool) -> bool {
    let found = std::cell::Cell::new(false);
    story(async |objects, host| {
        let disk = open(objects, host, busy()).await.unwrap();
        write_rounds(&disk, 0..2).await;
        disk.snapshot("one").await.unwrap();
        let mut disk = reopen(disk, objects, host).await.unwrap();
        let reader = HostStore::new(objects, host);
        *reader.sleeps_at.borrow_mut() = Some(moment.to_owned());
        let (store, clock) = (reader.clone(), host.clone());
        let reading = host.to_its_end(async move {
            if is_clone {
                let options = VolumeOptions::default();
                let created = volume::create_clone(&store, &clock, "disk", "one", "clone", options).await;
                return created.map(|_| ()).map_err(|error| error.to_string());
            }
            let listed =
                volume::snapshots(&store, &clock, "disk").await.map_err(|error| error.to_string())?;
            let is_listed = listed.iter().any(|snapshot| snapshot.name == "one");
            is_listed.then_some(()).ok_or(format!("{listed:?}"))
        });
        host.sleep(20 * SECOND).await;
        for round in 2..8 {
            disk = reopen(disk, objects, host).await.unwrap();
            write_rounds(&disk, round..round + 1).await;
            if round == 4 {
                disk.snapshot("two").await.unwrap();
            }
            disk.collect().await.unwrap();
        }
        assert_eq!(objects.named("/start/").len(), 1);
        reader.health.set(Health::Awake);
        let is_found = reading.await.is_ok();
        let store = HostStore::new(objects, host);
        let snapshot = Volume::open_snapshot(store.clone(), host.clone(), "disk", "one", settings()).await;
        assert!(holds_round(&snapshot.unwrap(), 1).await, "a snapshot lost content");
        if is_clone && is_found {
            let clone = Volume::open(store, host.clone(), "clone", &owner(), busy()).await.unwrap();
            assert!(holds_round(&clone, 1).await, "a clone lost content");
        }
        found.set(is_found);
    });
    found.get()
}

#[test]
fn one_that_sleeps_while_garbage_is_deleted_finds_the_snapshots_that_there_are() {
    let moments = ["/epoch/00000002", "/epoch/00000003", "/start/00000002", "/snapshots/"];
    let all: Vec<_> = moments.into_iter().flat_map(|moment| [(moment, false), (moment, true)]).collect();
    for (moment, is_clone) in &all {
        assert!(finds_the_snapshot(moment, *is_clone), "asleep at {moment}, it clones: {is_clone}");
    }
    #[cfg(debug_assertions)]
    {
        volume::plant(Some(volume::Bug::ReadOnce));
        let missed = all.iter().filter(|(moment, is_clone)| !finds_the_snapshot(moment, *is_clone)).count();
        volume::plant(None);
        assert!(missed > 1, "the planted bug is not found");
    }
}

#[test]
fn a_scrub_beside_guests_finds_the_ranges_that_damage_costs() {
    for is_lost in [false, true] {
        story(async |objects, host| {
            let disk = open(objects, host, settings()).await.unwrap();
            write_apart(&disk).await;
            let mut steps = Vec::new();
            let report =
                disk.scrub(&mut |done, all| steps.push((done, all)), async |_| {}, None).await.unwrap();
            assert_eq!((report.found.damaged, report.found.whole_bytes), (Vec::new(), 32 * PAGE));
            assert!(steps.is_sorted() && steps[0].0 == 0, "{steps:?}");
            assert_eq!(steps.last().map(|(done, all)| done == all), Some(true));
            let bad = objects.named("/data/")[1].clone();
            if is_lost {
                objects.remove(&bad);
            } else {
                objects.damage(&bad, objects.bytes_of(&bad).len() - 1);
            }
            let pauses = std::cell::Cell::new(0);
            let pause = async |bytes| {
                assert!(bytes > 0);
                pauses.set(pauses.get() + 1);
                // A guest writes what would be lost, and something new.
                if pauses.get() == 1 {
                    write(&disk, 80, 7).await.unwrap();
                    write(&disk, 5, 7).await.unwrap();
                    disk.flush().await.unwrap();
                }
            };
            let report = disk.scrub(&mut |_, _| {}, pause, None).await.unwrap();
            assert_eq!((pauses.get(), report.found.objects), (5, 5));
            let [damaged] = &report.found.damaged[..] else { panic!("{report:?}") };
            let pages = if is_lost { 9..16 } else { 15..16 };
            let ranges: Vec<_> = pages.map(|page| ByteRange::at(page * 10 * PAGE, PAGE)).collect();
            assert_eq!((&damaged.name, &damaged.ranges), (&bad, &ranges));
            assert!(report.collected.is_ok());
        });
    }
}

#[test]
fn a_scrub_that_cannot_delete_garbage_says_what_it_read_and_a_reader_scrubs_nothing() {
    story(async |objects, host| {
        let disk = open(objects, host, settings()).await.unwrap();
        write(&disk, 1, 1).await.unwrap();
        disk.flush().await.unwrap();
        let disk = reopen(disk, objects, host).await.unwrap();
        objects.keeps.set(true);
        let report = disk.scrub(&mut |_, _| {}, async |_| {}, None).await.unwrap();
        assert_eq!(report.found.whole_bytes, PAGE);
        assert!(matches!(report.collected, Err(VolumeError::Store(_))), "{report:?}");
        let store = HostStore::new(objects, host);
        let reader = Volume::open_read_only(store, host.clone(), "disk", settings()).await.unwrap();
        let scrubbed = reader.scrub(&mut |_, _| {}, async |_| {}, None).await;
        assert_eq!(
            (scrubbed, reader.collect().await),
            (Err(VolumeError::ReadOnly), Err(VolumeError::ReadOnly))
        );
        let other = open(objects, host, VolumeSettings { look_ns: 60 * SECOND, ..settings() }).await.unwrap();
        assert!(matches!(disk.collect().await, Err(VolumeError::Fenced { epoch: 3 })));
        assert!(holds(&other, 1, 1).await);
    });
}
