//! Stories of snapshots and clones: a host falls asleep or dies at each request, another one acts meanwhile.

use std::cell::Cell;
use std::rc::Rc;

use block::executor::LocalHost;
use block::{BlockDevice, Buffer, ByteRange, ErrorKind, Host, PAGE, Unmap};
use volume::{CollectReport, DeviceBase, StoreErrorKind, Volume, VolumeError, VolumeOptions, VolumeSettings};

use crate::store::{Health, HostStore, Objects};
use crate::stories::{MIB, SECOND, busy, create, holds, is_zero, settings, story, write};
use crate::{Disk, owner};

/// Requests after which hosts fall asleep, in stories of each.
const REQUESTS: u64 = 45;

async fn open_by(store: &HostStore, name: &str, settings: VolumeSettings) -> Result<Disk, VolumeError> {
    Volume::open(store.clone(), store.host.clone(), name, &owner(), settings).await
}

async fn open(objects: &Rc<Objects>, host: &LocalHost, name: &str) -> Result<Disk, VolumeError> {
    open_by(&HostStore::new(objects, host), name, busy()).await
}

async fn open_snapshot(store: &HostStore, name: &str, snapshot: &str) -> Result<Disk, VolumeError> {
    Volume::open_snapshot(store.clone(), store.host.clone(), name, snapshot, settings()).await
}

async fn create_clone(
    store: &HostStore,
    name: &str,
    snapshot: &str,
    new_name: &str,
) -> Result<volume::VolumeId, VolumeError> {
    volume::create_clone(store, &store.host, name, snapshot, new_name, VolumeOptions::default()).await
}

async fn delete(store: &HostStore, name: &str) -> Result<(), VolumeError> {
    volume::delete(store, &store.host, name, &mut |_| {}).await
}

async fn names_of(store: &HostStore, name: &str) -> Vec<String> {
    let listed = volume::snapshots(store, &store.host, name).await.unwrap();
    listed.into_iter().map(|snapshot| snapshot.name).collect()
}

/// Writes pages 0 to 40 with values from `first` on, and flushes.
async fn fill(disk: &Disk, first: u64) {
    for page in 0..40 {
        write(disk, page, first + page).await.unwrap();
    }
    disk.flush().await.unwrap();
}

/// Overwrites all again and again, so that cleaning and deletes have something to do.
async fn churn(disk: &Disk, host: &LocalHost) {
    for round in 1..8 {
        fill(disk, 1_000 * round).await;
        host.sleep(5 * SECOND).await;
    }
}

async fn assert_filled(disk: &Disk, first: u64, what: &str) {
    for page in 0..40 {
        assert!(holds(disk, page, first + page).await, "page {page} of {what}");
    }
}

#[test]
fn a_snapshot_reads_as_it_was_whatever_is_written_and_cleaned_since() {
    story(async |objects, host| {
        let store = HostStore::new(objects, host);
        let disk = open(objects, host, "disk").await.unwrap();
        fill(&disk, 100).await;
        // Not flushed yet.
        write(&disk, 3, 9_999).await.unwrap();
        let taken = disk.snapshot("one").await.unwrap();
        assert_eq!((taken.name.as_str(), taken.bytes, taken.is_going), ("one", 64 * MIB, false));
        let again = disk.snapshot("one").await;
        assert!(matches!(again, Err(VolumeError::SnapshotExists { .. })), "{again:?}");
        assert!(matches!(disk.snapshot("../x").await, Err(VolumeError::BadName { .. })));
        churn(&disk, host).await;
        disk.resize(MIB).await.unwrap();
        disk.snapshot("two").await.unwrap();
        disk.resize(64 * MIB).await.unwrap();
        churn(&disk, host).await;
        for round in 0..2 {
            let reader = open_snapshot(&store, "disk", "one").await.unwrap();
            assert!(holds(&reader, 3, 9_999).await && holds(&reader, 4, 104).await, "round {round}");
            assert!(holds(&reader, 39, 139).await && reader.geometry().size == 64 * MIB);
            assert_eq!(reader.snapshot_id(), Some(taken.id));
            assert_eq!(write(&reader, 1, 1).await.unwrap_err().kind, ErrorKind::ReadOnly);
            let reader = open_snapshot(&store, "disk", "two").await.unwrap();
            assert_eq!(reader.geometry().size, MIB);
            assert_filled(&reader, 7_000, "two").await;
            // Another host goes on.
            let other = open(objects, host, "disk").await.unwrap();
            assert_eq!(other.snapshots().len(), 2);
            churn(&other, host).await;
            other.close().await.unwrap();
        }
        let report = volume::check(&store, host, "disk", &mut |_, _| {}).await.unwrap();
        assert!(report.damaged.is_empty() && report.snapshot_bytes >= 60 * PAGE, "{report:?}");
        let refused = delete(&store, "disk").await;
        assert_eq!(refused, Err(VolumeError::HasSnapshots { name: "disk".to_owned(), count: 2 }));
    });
}

#[test]
fn what_only_a_snapshot_needs_is_deleted_with_it() {
    story(async |objects, host| {
        let disk = open(objects, host, "disk").await.unwrap();
        let stored = || objects.stored("/data/") + objects.stored("/copies/");
        for round in 0..4 {
            churn(&disk, host).await;
            disk.snapshot(&format!("s{round}")).await.unwrap();
        }
        churn(&disk, host).await;
        host.sleep(60 * SECOND).await;
        let with = stored();
        let parts = objects.named("/map/").len();
        let kept = |disk: &Disk| (disk.statistics().snapshots, disk.statistics().snapshot_bytes);
        let (snapshots, bytes) = kept(&disk);
        assert!(snapshots == 4 && (3 * 40 * PAGE..with).contains(&bytes), "{bytes} of {with}");
        let disk = open(objects, host, "disk").await.unwrap();
        assert_eq!(kept(&disk), (4, bytes));
        assert!(with > 4 * 40 * PAGE, "{with} bytes with four snapshots");
        for round in 0..4 {
            disk.delete_snapshot(&format!("s{round}")).await.unwrap();
        }
        assert_eq!(kept(&disk), (0, 0));
        churn(&disk, host).await;
        disk.close().await.unwrap();
        host.sleep(60 * SECOND).await;
        assert!(stored() < 3 * 40 * PAGE, "{} bytes are left of {with}", stored());
        let left: Vec<_> =
            objects.named("/map/").into_iter().filter(|name| name.matches('.').count() == 2).collect();
        assert!(left.len() <= 4, "{left:?} of {parts}");
        let missing = disk.delete_snapshot("s0").await;
        assert!(missing.is_err());
    });
}

/// Lets a host fall asleep at each of its requests while it takes a snapshot. It dies, or wakes after another one took over.
fn snapshot_cut(wakes: bool) {
    let outcomes = [Cell::new(0), Cell::new(0)];
    for requests in 0..REQUESTS {
        story(async |objects, host| {
            let store = HostStore::new(objects, host);
            let disk = Rc::new(open_by(&store, "disk", settings()).await.unwrap());
            fill(&disk, 100).await;
            write(&disk, 50, 7).await.unwrap();
            store.sleeps_after.set(Some(requests));
            let ours = Rc::clone(&disk);
            let taking = host.to_its_end(async move { ours.snapshot("one").await });
            host.sleep(30 * SECOND).await;
            let is_over = store.health.get() == Health::Awake;
            let other = open(objects, host, "disk").await.unwrap();
            let taken = if wakes || is_over {
                store.health.set(Health::Awake);
                Some(taking.await)
            } else {
                store.health.set(Health::Dead);
                None
            };
            churn(&other, host).await;
            let store = HostStore::new(objects, host);
            let listed = names_of(&store, "disk").await;
            assert_eq!(listed, other.snapshots().into_iter().map(|one| one.name).collect::<Vec<_>>());
            if matches!(taken, Some(Ok(_))) {
                assert_eq!(listed, ["one"], "it was confirmed, after {requests} requests");
            }
            outcomes[listed.len()].set(outcomes[listed.len()].get() + 1);
            if !listed.is_empty() {
                let reader = open_snapshot(&store, "disk", "one").await.unwrap();
                assert_filled(&reader, 100, "the snapshot").await;
                assert!(holds(&reader, 50, 7).await);
                other.delete_snapshot("one").await.unwrap();
            }
            other.snapshot("one").await.unwrap();
            assert_filled(&open_snapshot(&store, "disk", "one").await.unwrap(), 7_000, "the next one").await;
        });
    }
    let outcomes = outcomes.map(Cell::into_inner);
    assert!(outcomes.iter().all(|count| *count > 2), "{outcomes:?}");
}

#[test]
fn a_host_that_dies_at_any_request_of_a_snapshot_leaves_all_of_it_or_none() {
    snapshot_cut(false);
}

#[test]
fn a_host_that_is_overtaken_at_any_request_of_a_snapshot_confirms_none_that_the_other_has_not() {
    snapshot_cut(true);
}

#[test]
fn a_host_that_dies_at_any_request_of_deleting_a_snapshot_leaves_it_to_the_next_one() {
    let outcomes = [Cell::new(0), Cell::new(0)];
    for requests in 0..REQUESTS {
        story(async |objects, host| {
            let store = HostStore::new(objects, host);
            let disk = Rc::new(open_by(&store, "disk", settings()).await.unwrap());
            fill(&disk, 100).await;
            disk.snapshot("one").await.unwrap();
            fill(&disk, 200).await;
            disk.snapshot("two").await.unwrap();
            store.sleeps_after.set(Some(requests));
            let ours = Rc::clone(&disk);
            host.spawn(async move { drop(ours.delete_snapshot("one").await) });
            host.sleep(30 * SECOND).await;
            store.health.set(Health::Dead);
            let other = open(objects, host, "disk").await.unwrap();
            churn(&other, host).await;
            let is_there = other.snapshots().len() - 1;
            outcomes[is_there].set(outcomes[is_there].get() + 1);
            let store = HostStore::new(objects, host);
            if is_there == 1 {
                assert_filled(&open_snapshot(&store, "disk", "one").await.unwrap(), 100, "one").await;
                other.delete_snapshot("one").await.unwrap();
            }
            assert_filled(&open_snapshot(&store, "disk", "two").await.unwrap(), 200, "two").await;
            assert_eq!(names_of(&store, "disk").await, ["two"]);
        });
    }
    let outcomes = outcomes.map(Cell::into_inner);
    assert!(outcomes.iter().all(|count| *count > 2), "{outcomes:?}");
}

/// Lets one host create a clone while another one deletes the snapshot. One of them falls asleep at each of its requests until the other one
/// is done. Returns the numbers of clones created and snapshots deleted; asserts that never both are.
fn clone_against_delete(creator_sleeps: bool, dies: bool) -> [u64; 2] {
    let outcomes = [Cell::new(0), Cell::new(0)];
    for requests in 0..REQUESTS {
        story(async |objects, host| {
            let (deleter, creator) = (HostStore::new(objects, host), HostStore::new(objects, host));
            let disk = Rc::new(open_by(&deleter, "disk", busy()).await.unwrap());
            fill(&disk, 100).await;
            disk.snapshot("one").await.unwrap();
            churn(&disk, host).await;
            let first = if creator_sleeps { &creator } else { &deleter };
            let ours = Rc::clone(&disk);
            let deletes = async move || ours.delete_snapshot("one").await;
            let ours = creator.clone();
            let creates = async move || create_clone(&ours, "disk", "one", "copy").await;
            first.sleeps_after.set(Some(requests));
            let health = Rc::clone(&first.health);
            let wake = async || {
                if dies && health.get() == Health::Asleep {
                    health.set(Health::Dead);
                    return true;
                }
                health.set(Health::Awake);
                false
            };
            let (mut created, mut deleted) = (None, None);
            if creator_sleeps {
                let creating = host.to_its_end(async move { creates().await });
                host.sleep(30 * SECOND).await;
                deleted = Some(deletes().await);
                if !wake().await {
                    created = Some(creating.await);
                }
            } else {
                let deleting = host.to_its_end(async move { deletes().await });
                host.sleep(30 * SECOND).await;
                created = Some(creates().await);
                if !wake().await {
                    deleted = Some(deleting.await);
                }
            }
            let is_created = matches!(created, Some(Ok(_)));
            let is_deleted = matches!(deleted, Some(Ok(())));
            assert!(!(is_created && is_deleted), "both, after {requests} requests");
            outcomes[0].set(outcomes[0].get() + u64::from(is_created));
            outcomes[1].set(outcomes[1].get() + u64::from(is_deleted));
            drop(disk);
            let disk = open(objects, host, "disk").await.unwrap();
            churn(&disk, host).await;
            let store = HostStore::new(objects, host);
            if is_created {
                let clone = open(objects, host, "copy").await.unwrap();
                assert_filled(&clone, 100, "the clone").await;
                let refused = disk.delete_snapshot("one").await;
                assert!(matches!(refused, Err(VolumeError::HasClones { .. })), "{refused:?}");
            }
            // Whatever is left of it goes, and then the snapshot does.
            if !objects.named("names/copy").is_empty() {
                delete(&store, "copy").await.unwrap();
            }
            match disk.delete_snapshot("one").await {
                Ok(()) => assert!(!is_deleted),
                other => assert!(matches!(other, Err(VolumeError::SnapshotNotFound { .. })), "{other:?}"),
            }
            // A creator that comes later leaves a flag of a snapshot that is gone, and releases it.
            if !creator_sleeps {
                assert_eq!(objects.named("/clones/"), Vec::<String>::new());
            }
            assert_eq!(names_of(&store, "disk").await, Vec::<String>::new());
        });
    }
    outcomes.map(Cell::into_inner)
}

#[test]
fn a_clone_is_created_or_its_snapshot_deleted_and_never_both() {
    for (creator_sleeps, dies) in [(true, false), (false, false), (true, true), (false, true)] {
        let [created, deleted] = clone_against_delete(creator_sleeps, dies);
        println!("creator sleeps: {creator_sleeps}, dies: {dies}: {created} created, {deleted} deleted");
        assert!(created > 2 || dies);
        assert!(deleted > 2);
    }
}

#[cfg(debug_assertions)]
#[test]
fn stories_find_bugs_of_snapshots_and_clones_that_are_planted() {
    use volume::Bug;
    for (bug, creator_sleeps) in
        [(Bug::NoSecondLook, true), (Bug::NotGoingFirst, false), (Bug::NoCloneFlag, false)]
    {
        volume::plant(Some(bug));
        let found = std::panic::catch_unwind(|| clone_against_delete(creator_sleeps, false));
        volume::plant(None);
        assert!(found.is_err(), "{bug:?} is not found");
    }
    volume::plant(Some(Bug::NoLookAfterTable));
    let found = std::panic::catch_unwind(|| snapshot_cut(true));
    volume::plant(None);
    assert!(found.is_err(), "a snapshot that is confirmed too late is not found");
    volume::plant(Some(Bug::DoubtForgotten));
    let found =
        std::panic::catch_unwind(a_snapshot_whose_author_got_an_error_stays_if_a_clone_of_it_was_created);
    volume::plant(None);
    assert!(found.is_err(), "a table in doubt that is forgotten is not found");
    volume::plant(Some(Bug::DoubtfulTable));
    let found = std::panic::catch_unwind(a_snapshot_that_came_too_late_is_not_cloned);
    volume::plant(None);
    assert!(found.is_err(), "a table in doubt is not found");
}

#[test]
fn a_delete_that_put_nothing_leaves_the_snapshot_as_it_was() {
    story(async |objects, host| {
        let store = HostStore::new(objects, host);
        let disk = open_by(&store, "disk", busy()).await.unwrap();
        fill(&disk, 100).await;
        disk.snapshot("one").await.unwrap();
        *objects.silent.borrow_mut() = Some("/epoch/");
        assert!(disk.delete_snapshot("one").await.is_err());
        *objects.silent.borrow_mut() = None;
        disk.snapshot("two").await.unwrap();
        create_clone(&store, "disk", "one", "copy").await.unwrap();
    });
}

#[test]
fn a_snapshot_whose_author_got_an_error_stays_if_a_clone_of_it_was_created() {
    story(async |objects, host| {
        let store = HostStore::new(objects, host);
        let disk = open_by(&store, "disk", busy()).await.unwrap();
        fill(&disk, 100).await;
        *objects.unheard.borrow_mut() = Some("/snapshots/");
        assert!(disk.snapshot("one").await.is_err());
        *objects.unheard.borrow_mut() = None;
        assert_eq!(names_of(&store, "disk").await, ["one"]);
        create_clone(&store, "disk", "one", "copy").await.unwrap();
        // The next table must not lose it.
        fill(&disk, 200).await;
        disk.snapshot("two").await.unwrap();
        churn(&disk, host).await;
        disk.close().await.unwrap();
        host.sleep(60 * SECOND).await;
        assert_eq!(names_of(&store, "disk").await, ["one", "two"]);
        assert_filled(&open(objects, host, "copy").await.unwrap(), 100, "the clone").await;
    });
}

#[test]
fn a_snapshot_that_came_too_late_is_not_cloned() {
    story(async |objects, host| {
        let (first, second) = (HostStore::new(objects, host), HostStore::new(objects, host));
        let disk = Rc::new(open_by(&first, "disk", busy()).await.unwrap());
        fill(&disk, 100).await;
        *first.sleeps_at.borrow_mut() = Some("/snapshots/".to_owned());
        let ours = Rc::clone(&disk);
        let taking = host.to_its_end(async move { ours.snapshot("one").await });
        host.sleep(30 * SECOND).await;
        // It looked for snapshots, and sleeps before it starts.
        *second.sleeps_at.borrow_mut() = Some("/start/00000002".to_owned());
        let ours = second.clone();
        let opening = host.to_its_end(async move { open_by(&ours, "disk", busy()).await });
        host.sleep(30 * SECOND).await;
        first.health.set(Health::Awake);
        let taken = taking.await;
        assert!(matches!(taken, Err(VolumeError::Fenced { epoch: 2 })), "{taken:?}");
        let creator = HostStore::new(objects, host);
        let created = create_clone(&creator, "disk", "one", "copy").await;
        assert!(matches!(created, Err(VolumeError::Undecided { .. })), "{created:?}");
        second.health.set(Health::Awake);
        let disk = opening.await.unwrap();
        assert_eq!(disk.snapshots(), []);
        let created = create_clone(&creator, "disk", "one", "copy").await;
        assert!(matches!(created, Err(VolumeError::SnapshotNotFound { .. })), "{created:?}");
    });
}

#[test]
fn a_clone_that_is_deleted_in_part_lets_its_snapshot_go_once_it_is_deleted_again() {
    for requests in 0..REQUESTS {
        story(async |objects, host| {
            let disk = open(objects, host, "disk").await.unwrap();
            fill(&disk, 100).await;
            disk.snapshot("one").await.unwrap();
            let store = HostStore::new(objects, host);
            create_clone(&store, "disk", "one", "copy").await.unwrap();
            let clone = open(objects, host, "copy").await.unwrap();
            fill(&clone, 200).await;
            drop(clone);
            let deleter = HostStore::new(objects, host);
            deleter.sleeps_after.set(Some(requests));
            let ours = deleter.clone();
            host.spawn(async move { drop(delete(&ours, "copy").await) });
            host.sleep(60 * SECOND).await;
            deleter.health.set(Health::Dead);
            if !objects.named("names/copy").is_empty() {
                delete(&store, "copy").await.unwrap();
            }
            disk.delete_snapshot("one").await.unwrap();
            delete(&store, "disk").await.unwrap();
        });
    }
}

#[test]
fn a_volume_is_not_deleted_under_a_snapshot_that_is_taken_meanwhile() {
    let refused = Cell::new(0);
    for opens in [false, true] {
        for requests in 0..REQUESTS {
            story(async |objects, host| {
                let disk = open(objects, host, "disk").await.unwrap();
                fill(&disk, 100).await;
                let deleter = HostStore::new(objects, host);
                deleter.sleeps_after.set(Some(requests));
                let ours = deleter.clone();
                let deleting = host.to_its_end(async move { delete(&ours, "disk").await });
                host.sleep(60 * SECOND).await;
                let store = HostStore::new(objects, host);
                let taken = if opens {
                    match open(objects, host, "disk").await {
                        Ok(disk) => disk.snapshot("one").await.is_ok(),
                        Err(_) => false,
                    }
                } else {
                    disk.snapshot("one").await.is_ok()
                };
                deleter.health.set(Health::Awake);
                let deleted = deleting.await;
                if taken {
                    refused.set(refused.get() + 1);
                    assert!(
                        matches!(deleted, Err(VolumeError::HasSnapshots { .. })),
                        "{requests}: {deleted:?}"
                    );
                    assert_filled(&open_snapshot(&store, "disk", "one").await.unwrap(), 100, "it").await;
                    assert_filled(&open(objects, host, "disk").await.unwrap(), 100, "the volume").await;
                } else {
                    assert_eq!(deleted, Ok(()), "{requests}");
                }
            });
        }
    }
    assert!(refused.get() > 4, "{}", refused.get());
}

#[test]
fn a_clone_shows_its_snapshot_but_for_what_it_wrote_cleared_and_cut_off() {
    for round in 0..3 {
        story(async |objects, host| {
            let store = HostStore::new(objects, host);
            let disk = open(objects, host, "disk").await.unwrap();
            fill(&disk, 100).await;
            write(&disk, 10_000, 5).await.unwrap();
            write(&disk, 12_000, 6).await.unwrap();
            disk.snapshot("one").await.unwrap();
            let id = create_clone(&store, "disk", "one", "copy").await.unwrap();
            let again = create_clone(&store, "disk", "one", "copy").await;
            assert_eq!(again, Err(VolumeError::Exists { name: "copy".to_owned() }));
            churn(&disk, host).await;
            let mut clone = open(objects, host, "copy").await.unwrap();
            assert_eq!((clone.id(), clone.geometry().size), (id, 64 * MIB));
            let parent = volume::peek(&store, host, "copy").await.unwrap().parent.unwrap();
            assert_eq!((parent.volume.as_str(), parent.snapshot.as_str()), ("disk", "one"));
            assert_filled(&clone, 100, "the clone").await;
            write(&clone, 2, 777).await.unwrap();
            clone.discard(ByteRange::at(4 * PAGE, 2 * PAGE)).await.unwrap();
            clone.write_zeroes(ByteRange::at(8 * PAGE, PAGE), Unmap::Allowed).await.unwrap();
            clone.write(9 * PAGE, Buffer::zeroed(PAGE as usize)).await.1.unwrap();
            // Over what was cleared, and cleared again.
            write(&clone, 5, 555).await.unwrap();
            clone.flush().await.unwrap();
            clone.discard(ByteRange::at(5 * PAGE, PAGE)).await.unwrap();
            // What lies behind the end is lost, though the disk becomes larger again.
            clone.resize(44 * MIB).await.unwrap();
            clone.resize(128 * MIB).await.unwrap();
            let shown = clone.statistics().inherited_bytes;
            match round {
                0 => {}
                1 => clone.close().await.unwrap(),
                _ => churn_elsewhere(&clone, host).await,
            }
            if round > 0 {
                drop(clone);
                clone = open(objects, host, "copy").await.unwrap();
            }
            assert_eq!(clone.geometry().size, 128 * MIB);
            // Pages 2, 4, 5, 8 and 9 were written or cleared.
            assert_eq!(shown, 44 * MIB - 5 * PAGE);
            let churned = if round < 2 { 0 } else { 40 * PAGE };
            assert_eq!(clone.statistics().inherited_bytes, shown - churned, "round {round}");
            assert!(
                holds(&clone, 2, 777).await && holds(&clone, 3, 103).await && holds(&clone, 6, 106).await
            );
            for page in [4, 5, 8, 9, 12_000, 20_000] {
                assert!(is_zero(&clone, page).await, "page {page}, round {round}");
            }
            assert!(holds(&clone, 10_000, 5).await);
            let extents = clone.extents(ByteRange::new(0, 128 * MIB)).await.unwrap();
            let data: Vec<_> = extents
                .iter()
                .filter(|extent| extent.allocated)
                .map(|extent| (extent.range.start / PAGE, extent.range.end / PAGE))
                .filter(|(start, _)| *start < 1_000 || *start == 10_000)
                .collect();
            assert_eq!(data, [(0, 4), (6, 8), (10, 40), (10_000, 10_001)], "round {round}");
            let report = volume::check(&store, host, "copy", &mut |_, _| {}).await.unwrap();
            assert_eq!((report.damaged.as_slice(), report.inherited_bytes), (&[][..], 36 * PAGE));
            // A snapshot of the clone, and a clone of that.
            clone.snapshot("two").await.unwrap();
            churn(&clone, host).await;
            create_clone(&store, "copy", "two", "second").await.unwrap();
            let second = open(objects, host, "second").await.unwrap();
            assert!(
                holds(&second, 2, 777).await && holds(&second, 3, 103).await && is_zero(&second, 5).await
            );
            let reader = open_snapshot(&store, "copy", "two").await.unwrap();
            assert!(
                holds(&reader, 2, 777).await && holds(&reader, 3, 103).await && is_zero(&reader, 5).await
            );
            // Another device has the same content.
            let base = Rc::new(DeviceBase(Rc::new(open_snapshot(&store, "disk", "one").await.unwrap())));
            let (host, owner) = (host.clone(), owner());
            let other = Volume::open_on(store.clone(), host, "copy", &owner, settings(), Some(base)).await;
            let other = other.unwrap();
            assert!(holds(&other, 10_000, 5).await);
            let refused = disk.delete_snapshot("one").await.unwrap_err();
            assert!(refused.to_string().contains("copy"), "{refused}");
        });
    }
}

/// Writes other pages, so that checkpoints are made.
async fn churn_elsewhere(disk: &Disk, host: &LocalHost) {
    for round in 0..20 {
        for page in 0..40 {
            write(disk, 5_000 + page, 100 * round + page).await.unwrap();
        }
        disk.flush().await.unwrap();
        host.sleep(2 * SECOND).await;
    }
    assert!(disk.statistics().checkpoints > 0);
}

#[test]
fn a_chain_of_clones_has_a_limit_and_can_be_deleted_from_its_end() {
    story(async |objects, host| {
        let store = HostStore::new(objects, host);
        let disk = open(objects, host, "disk").await.unwrap();
        write(&disk, 0, 1).await.unwrap();
        disk.snapshot("s").await.unwrap();
        let mut names = vec!["disk".to_owned()];
        for depth in 1..=8 {
            let name = format!("c{depth}");
            create_clone(&store, names.last().unwrap(), "s", &name).await.unwrap();
            let clone = open(objects, host, &name).await.unwrap();
            write(&clone, depth, 1 + depth).await.unwrap();
            clone.snapshot("s").await.unwrap();
            for page in 0..=depth {
                assert!(holds(&clone, page, 1 + page).await, "page {page} at depth {depth}");
            }
            names.push(name);
        }
        let error = create_clone(&store, "c8", "s", "c9").await.unwrap_err();
        assert!(matches!(error, VolumeError::TooManyParents { most: 8, .. }), "{error}");
        while let Some(name) = names.pop() {
            let volume = open(objects, host, &name).await.unwrap();
            assert!(matches!(delete(&store, &name).await, Err(VolumeError::HasSnapshots { count: 1, .. })));
            volume.delete_snapshot("s").await.unwrap();
            volume.close().await.unwrap();
            delete(&store, &name).await.unwrap();
        }
        let left: Vec<_> = objects.names().into_iter().filter(|name| !name.contains("/epoch/")).collect();
        assert_eq!(left, Vec::<String>::new());
    });
}

#[test]
fn all_is_kept_while_the_body_of_a_snapshot_cannot_be_read() {
    story(async |objects, host| {
        let store = HostStore::new(objects, host);
        let disk = open(objects, host, "disk").await.unwrap();
        fill(&disk, 100).await;
        let before = objects.named("/map/");
        disk.snapshot("one").await.unwrap();
        churn(&disk, host).await;
        disk.close().await.unwrap();
        drop(disk);
        host.sleep(30 * SECOND).await;
        let disk = open(objects, host, "disk").await.unwrap();
        let record = objects.named("/snapshots/").pop().unwrap();
        let text = String::from_utf8(objects.bytes_of(&record).to_vec()).unwrap();
        let body = text.split("\"body\":[").nth(1).unwrap().split(']').next().unwrap();
        let numbers: Vec<u64> = body.split(',').map(|number| number.parse().unwrap()).collect();
        let part = format!("{:08}.{:08}.{:06}", numbers[0], numbers[1], numbers[2]);
        let name = objects.named(&part).pop().unwrap();
        assert!(!before.contains(&name));
        let whole = objects.bytes_of(&name);
        objects.damage(&name, 30);
        drop(disk);
        let disk = open(objects, host, "disk").await.unwrap();
        let report = volume::check(&store, host, "disk", &mut |_, _| {}).await.unwrap();
        assert_eq!(report.damaged.len(), 1, "{:?}", report.damaged);
        assert_eq!(report.damaged[0].name, "disk@one");
        churn(&disk, host).await;
        assert_eq!(disk.collect().await, Ok(CollectReport::default()));
        objects.put(&name, whole);
        assert_filled(&open_snapshot(&store, "disk", "one").await.unwrap(), 100, "the snapshot").await;
        disk.delete_snapshot("one").await.unwrap();
    });
}

#[test]
fn a_store_that_refuses_a_snapshot_leaves_none_and_a_later_one_is_taken() {
    story(async |objects, host| {
        let disk = open(objects, host, "disk").await.unwrap();
        fill(&disk, 100).await;
        for part in ["/data/", "/map/", "/snapshots/"] {
            write(&disk, 1, 1).await.unwrap();
            *objects.refuses.borrow_mut() = Some((part, StoreErrorKind::Full));
            let error = disk.snapshot("one").await.unwrap_err();
            assert!(error.to_string().contains("it is refused"), "{error}");
            *objects.refuses.borrow_mut() = None;
            assert_eq!(disk.snapshots(), []);
            host.sleep(10 * SECOND).await;
        }
        disk.snapshot("one").await.unwrap();
        let parts = objects.named("/map/").len();
        disk.delete_snapshot("one").await.unwrap();
        assert!(objects.named("/map/").len() < parts);
        create(objects, host, "other", MIB).await.unwrap();
    });
}
