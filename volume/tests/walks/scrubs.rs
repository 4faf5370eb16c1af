//! Stories of scrubs: what only snapshots have, and repairs from elsewhere.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::{BlockDevice, Buffer, ByteRange, ErrorKind, Host, PAGE};
use futures_util::future::LocalBoxFuture;
use volume::{Rescue, Rescued, ScrubReport, VolumeError, VolumeOptions};

use crate::store::{HostStore, MILLISECOND, Objects};
use crate::stories::{MIB, SECOND, busy, check, content, open, read, reopen, settings, story, write};
use crate::{Disk, owner, seeds};

async fn scrub(disk: &Disk) -> ScrubReport {
    disk.scrub(&mut |_, _| {}, async |_| {}, None).await.unwrap()
}

/// Damage of an object of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Harm {
    Content,
    Lost,
    Map,
    /// No read of it is answered.
    Hidden,
}

#[test]
fn a_scrub_reads_what_only_a_snapshot_has_and_finds_the_damage_that_a_check_finds() {
    for harm in [Harm::Content, Harm::Lost, Harm::Map, Harm::Hidden] {
        story(async |objects, host| {
            let disk = open(objects, host, busy()).await.unwrap();
            for page in 0..40 {
                write(&disk, page, 100 + page).await.unwrap();
            }
            disk.flush().await.unwrap();
            let of_snapshot = [objects.named("/data/"), objects.named("/copies/")].concat();
            disk.snapshot("one").await.unwrap();
            let parts = objects.named("/map/");
            for round in 1..4 {
                for page in 0..40 {
                    write(&disk, page, 1_000 * round + page).await.unwrap();
                }
                disk.flush().await.unwrap();
                host.sleep(30 * SECOND).await;
            }
            let disk = reopen(disk, objects, host).await.unwrap();
            let report = scrub(&disk).await;
            assert_eq!((report.found.damaged, report.found.whole_bytes), (Vec::new(), 40 * PAGE));
            assert!(report.found.snapshot_bytes >= 40 * PAGE, "{}", report.found.snapshot_bytes);
            let names = objects.names();
            let bad = match harm {
                // The body of the snapshot, and a part with its region.
                Harm::Map => {
                    let mut parts = parts.into_iter().filter(|name| names.contains(name));
                    let is_part = |name: &String| name.rsplit('/').next().unwrap().matches('.').count() == 2;
                    parts.rfind(is_part).unwrap()
                }
                _ => of_snapshot.into_iter().find(|name| names.contains(name)).unwrap(),
            };
            match harm {
                Harm::Lost => objects.remove(&bad),
                Harm::Hidden => hide(objects, &bad),
                _ => objects.damage(&bad, objects.bytes_of(&bad).len() - 1),
            }
            let found = scrub(&disk).await.found;
            let [damaged] = &found.damaged[..] else { panic!("{harm:?}: {found:?}") };
            assert_eq!((damaged.name.as_str(), found.whole_bytes), ("disk@one", 40 * PAGE), "{harm:?}");
            assert!(damaged.reason.contains(&bad), "{damaged:?}");
            let checked = check(objects, host).await.unwrap();
            let of_check: Vec<_> =
                checked.damaged.iter().map(|damaged| (&damaged.name, &damaged.ranges)).collect();
            assert_eq!(of_check, [(&damaged.name, &damaged.ranges)], "{harm:?}");
            *objects.silent.borrow_mut() = None;
            disk.delete_snapshot("one").await.unwrap();
            assert_eq!(scrub(&disk).await.found.damaged, []);
            drop(open(objects, host, settings()).await.unwrap());
        });
    }
}

/// Returns true for the name of a part of a checkpoint.
fn is_part(name: &str) -> bool {
    name.rsplit('/').next().is_some_and(|name| name.matches('.').count() == 2)
}

/// Answers the same for all pages.
struct Same<F: Fn(u64) -> Option<Rescued>>(F);

impl<F: Fn(u64) -> Option<Rescued>> Rescue for Same<F> {
    fn page(&self, page: u64) -> LocalBoxFuture<'_, Option<Rescued>> {
        Box::pin(async move { self.0(page) })
    }
}

/// Lets the store answer no read of an object.
fn hide(objects: &Objects, name: &str) {
    *objects.silent.borrow_mut() = Some(Box::leak(name.to_owned().into_boxed_str()));
}

/// Pages of the disk of a walk.
const PAGES: u64 = 64;
/// Seeds that are walked.
const SEEDS: u64 = 40;

/// A cache of a host with write-back, and with the versions of all pages.
struct HostCache {
    host: LocalHost,
    disk: Rc<Disk>,
    /// The value of each page that was written.
    values: RefCell<BTreeMap<u64, u64>>,
    dirty: RefCell<BTreeSet<u64>>,
    /// Pages of which it keeps no clean content.
    uncached: BTreeSet<u64>,
    deduplicates: bool,
}

impl HostCache {
    fn below(&self, end: u64) -> u64 {
        self.host.random() % end
    }

    /// Writes some neighbours.
    fn write(&self) {
        let first = self.below(PAGES);
        for page in first..(first + 1 + self.below(12)).min(PAGES) {
            let value = if self.deduplicates { self.below(40) } else { self.host.random() >> 32 };
            self.values.borrow_mut().insert(page, value + 1);
            self.dirty.borrow_mut().insert(page);
        }
    }

    /// Brings what is dirty to the disk.
    async fn destage(&self) {
        let written: Vec<(u64, u64)> = {
            let values = self.values.borrow();
            self.dirty.borrow().iter().map(|page| (*page, values[page])).collect()
        };
        for (page, value) in &written {
            write(&self.disk, *page, *value).await.unwrap();
        }
        self.disk.flush().await.unwrap();
        for (page, value) in written {
            if self.values.borrow()[&page] == value {
                self.dirty.borrow_mut().remove(&page);
            }
        }
    }

    /// Returns the first page that is neither as it was written nor known to be lost, and reported.
    async fn first_wrong(&self, disk: &Disk, reported: &BTreeSet<u64>) -> Option<String> {
        let values = self.values.borrow().clone();
        for (page, value) in values {
            let found = read(disk, page).await;
            let is_lost = found.as_ref().is_err_and(|error| error.kind == ErrorKind::Corrupt);
            if !(found == Ok(content(value, 1))
                || is_lost && self.uncached.contains(&page) && reported.contains(&page))
            {
                let found = found.map(|found| found[..8].to_vec());
                return Some(format!(
                    "page {page} is {found:?}, and was written as {:?}",
                    &content(value, 1)[..8]
                ));
            }
        }
        None
    }
}

impl Rescue for HostCache {
    fn page(&self, page: u64) -> LocalBoxFuture<'_, Option<Rescued>> {
        Box::pin(async move {
            let value = self.values.borrow().get(&page).copied();
            self.host.sleep(self.below(400) * MILLISECOND).await;
            if self.dirty.borrow().contains(&page) {
                return Some(Rescued::Replaced);
            }
            let is_same = self.values.borrow().get(&page).copied() == value;
            let value = value.filter(|_| is_same && !self.uncached.contains(&page))?;
            Some(Rescued::Content(Buffer::copy_of(&content(value, 1))))
        })
    }
}

/// Returns the pages that a report has as lost under names that begin like this.
fn reported(report: &ScrubReport, names: &str) -> BTreeSet<u64> {
    let damaged = report.found.damaged.iter().filter(|damaged| damaged.name.starts_with(names));
    damaged
        .flat_map(|damaged| &damaged.ranges)
        .flat_map(|range| range.start / PAGE..range.end / PAGE)
        .collect()
}

/// Returns what is wrong with a report of a snapshot that had these values: a page that cannot be read, and that the report has as lost neither
/// there nor for the disk.
async fn wrong_of_snapshot(
    store: HostStore,
    report: &ScrubReport,
    values: &BTreeMap<u64, u64>,
) -> Option<String> {
    let (own, of_disk) = (reported(report, "disk@"), reported(report, "volumes/"));
    let host = store.host.clone();
    let snapshot = match Disk::open_snapshot(store, host, "disk", "one", busy()).await {
        Ok(snapshot) => snapshot,
        Err(_) if own.len() as u64 == MIB / PAGE => return None,
        Err(error) => return Some(format!("the snapshot cannot be opened, which is not reported: {error}")),
    };
    for (page, value) in values {
        let found = read(&snapshot, *page).await;
        let is_reported = match found {
            // Of an object with a damaged header all counts as lost, though reads need only its chunks.
            Ok(found) => found == content(*value, 1),
            Err(_) => own.contains(page) || of_disk.contains(page),
        };
        if !is_reported {
            return Some(format!("page {page} of the snapshot is otherwise than the report says"));
        }
    }
    None
}

/// Damages or removes some objects with content. Returns how many.
fn harm(objects: &Objects, host: &LocalHost) -> u64 {
    let mut all = [objects.named("/data/"), objects.named("/copies/")].concat();
    // Roots are counted: one that is missing ends them.
    all.extend(objects.named("/map/").into_iter().filter(|name| is_part(name)));
    let mut harmed = 0;
    for name in all {
        match host.random() % 8 {
            0 => objects.remove(&name),
            1 => {
                // Behind the format: a newer one is refused, not taken for damage.
                let first = if is_part(&name) { 12 } else { 0 };
                let len = objects.bytes_of(&name).len() as u64;
                objects.damage(&name, (first + host.random() % (len - first)) as usize);
            }
            _ => continue,
        }
        harmed += 1;
    }
    harmed
}

/// Walks a seed: a host scrubs and repairs a damaged volume while its guest writes, and another one goes on without its cache. Returns the
/// first page that is wrong. Adds the pages that were repaired.
fn walk(seed: u64, repaired: &Cell<u64>) -> Option<String> {
    let executor = Executor::new(VirtualTime::new(), Order::Seeded(seed));
    let host = executor.host();
    let ran = executor.run(async {
        let objects = Rc::new(Objects::default());
        let deduplicates = seed.is_multiple_of(3);
        let options = VolumeOptions { deduplicate: deduplicates, ..VolumeOptions::default() };
        volume::create(&HostStore::new(&objects, &host), &host, "disk", MIB, options).await.unwrap();
        let (mut values, mut of_snapshot) = (BTreeMap::new(), None);
        for round in 0..3 {
            let disk = Rc::new(open(&objects, &host, busy()).await.map_err(|error| error.to_string())?);
            let uncached = (0..PAGES).filter(|_| host.random().is_multiple_of(9)).collect();
            let dirty = RefCell::default();
            let values_before = RefCell::new(std::mem::take(&mut values));
            let (clock, ours) = (host.clone(), Rc::clone(&disk));
            let cache = Rc::new(HostCache {
                host: clock,
                disk: ours,
                values: values_before,
                dirty,
                uncached,
                deduplicates,
            });
            // What an earlier round lost is written again.
            cache.dirty.borrow_mut().extend(cache.values.borrow().keys());
            for _ in 0..=cache.below(4) {
                (0..=cache.below(6)).for_each(|_| cache.write());
                cache.destage().await;
                host.sleep(cache.below(3) * SECOND).await;
            }
            if round == 1 && cache.below(2) == 0 {
                disk.snapshot("one").await.unwrap();
                of_snapshot = Some(cache.values.borrow().clone());
                cache.write();
                cache.destage().await;
            }
            harm(&objects, &host);
            let is_over = Rc::new(Cell::new(false));
            let (guest, over) = (Rc::clone(&cache), Rc::clone(&is_over));
            let writing = host.to_its_end(async move {
                while !over.get() {
                    guest.write();
                    guest.destage().await;
                    guest.host.sleep(guest.below(60) * MILLISECOND).await;
                }
            });
            let scrub = async {
                let report = disk.scrub(&mut |_, _| {}, async |_| {}, Some(&*cache)).await;
                is_over.set(true);
                report
            };
            let (report, ()) = futures_util::future::join(scrub, writing).await;
            let report = report.map_err(|error| error.to_string())?;
            repaired.set(repaired.get() + report.repaired_bytes / PAGE);
            cache.destage().await;
            // The flash of its host is lost.
            let other = open(&objects, &host, busy())
                .await
                .map_err(|error| format!("it cannot be opened: {error}"))?;
            if let Some(wrong) = cache.first_wrong(&other, &reported(&report, "volumes/")).await {
                return Err(format!("round {round}: {wrong}; {report:?}"));
            }
            if let Some(values) = &of_snapshot
                && let Some(wrong) = wrong_of_snapshot(HostStore::new(&objects, &host), &report, values).await
            {
                return Err(format!("round {round}: {wrong}; {report:?}"));
            }
            values = cache.values.take();
        }
        Ok::<_, String>(())
    });
    ran.unwrap_or_else(|| Err("everything waits for something that never happens".to_owned())).err()
}

#[test]
fn what_was_lost_is_repaired_from_a_cache_and_loses_against_whatever_a_guest_writes_meanwhile() {
    let repaired = Cell::new(0);
    for seed in seeds(SEEDS) {
        if let Some(violation) = walk(seed, &repaired) {
            panic!("seed {seed}: {violation}");
        }
    }
    assert!(repaired.get() > 0, "nothing was repaired");
    #[cfg(debug_assertions)]
    {
        volume::plant(Some(volume::Bug::RepairOfNewer));
        let found = (0..SEEDS).find_map(|seed| {
            let walked = std::panic::catch_unwind(|| walk(seed, &Cell::default()));
            Some((seed, walked.unwrap_or_else(|_| Some("an assertion failed".to_owned()))?))
        });
        volume::plant(None);
        let (seed, violation) = found.expect("the planted bug is not found");
        println!("seed {seed}: {violation}");
    }
}

#[test]
fn what_is_lost_of_the_map_is_written_again_and_another_host_opens_the_volume() {
    let harms = [Harm::Content, Harm::Lost, Harm::Hidden];
    for (harm, object) in
        harms.into_iter().flat_map(|harm| ["cold", "body", "root"].map(|object| (harm, object)))
    {
        // An unreadable root stays in the way of all that count roots.
        if (harm, object) == (Harm::Hidden, "root") {
            continue;
        }
        story(async |objects, host| {
            let disk = open(objects, host, busy()).await.unwrap();
            for page in [0, 1, COLD] {
                write(&disk, page, 100 + page).await.unwrap();
            }
            disk.flush().await.unwrap();
            let disk = reopen(disk, objects, host).await.unwrap();
            let cold = objects
                .named("/map/")
                .into_iter()
                .rfind(|name| is_part(name) && objects.bytes_of(name)[..8] != *b"FBVOLMAP")
                .unwrap();
            for round in 1..4 {
                write(&disk, 0, 100 * round).await.unwrap();
                disk.flush().await.unwrap();
                assert!(scrub(&disk).await.repair_failure.is_none());
            }
            let names = objects.named("/map/");
            let is_body = |name: &&String| is_part(name) && objects.bytes_of(name)[..8] == *b"FBVOLMAP";
            let bad = match object {
                "cold" => &cold,
                "body" => names.iter().rfind(is_body).unwrap(),
                _ => names.iter().rfind(|name| !is_part(name)).unwrap(),
            };
            assert!(names.contains(bad), "{bad} of {names:?}");
            match harm {
                Harm::Lost => objects.remove(bad),
                Harm::Hidden => hide(objects, bad),
                _ => objects.damage(bad, objects.bytes_of(bad).len() - 1),
            }
            let report = scrub(&disk).await;
            assert_eq!(
                (&report.found.damaged[..], report.repair_failure),
                (&[][..], None),
                "{harm:?} {object}"
            );
            assert!(report.repaired_bytes > 0, "{harm:?} {object}");
            assert_eq!(scrub(&disk).await.repaired_bytes, 0, "{harm:?} {object}");
            // Its host dies.
            let other = open(objects, host, busy()).await.unwrap();
            for (page, value) in [(0, 300), (1, 101), (COLD, 100 + COLD)] {
                assert_eq!(read(&other, page).await.unwrap(), content(value, 1), "{harm:?} {object} {page}");
            }
        });
    }
}

/// A page of another region than the first.
const COLD: u64 = 5_000;

#[test]
fn an_object_that_cannot_be_read_is_repaired_and_what_is_behind_it_is_read() {
    for has_cache in [true, false] {
        story(async |objects, host| {
            let disk = open(objects, host, settings()).await.unwrap();
            for page in 0..32 {
                write(&disk, page * 10, page).await.unwrap();
            }
            disk.flush().await.unwrap();
            let data = objects.named("/data/");
            hide(objects, &data[0]);
            objects.remove(&data[2]);
            let cache = Same(|page| Some(Rescued::Content(Buffer::copy_of(&content(page / 10, 1)))));
            let rescue = has_cache.then_some(&cache as &dyn Rescue);
            let report = disk.scrub(&mut |_, _| {}, async |_| {}, rescue).await.unwrap();
            if has_cache {
                assert_eq!((report.found.damaged, report.repair_failure), (Vec::new(), None));
                assert_eq!((report.repaired_bytes, report.found.whole_bytes), (16 * PAGE, 32 * PAGE));
                for page in 0..32 {
                    assert_eq!(read(&disk, page * 10).await.unwrap(), content(page, 1));
                }
            } else {
                let [hidden, lost] = &report.found.damaged[..] else { panic!("{report:?}") };
                assert!(hidden.reason.starts_with("it cannot be read: "), "{hidden:?}");
                assert_eq!((&hidden.name, &lost.name), (&data[0], &data[2]));
            }
            hide(objects, "volumes/");
            let scrubbed = disk.scrub(&mut |_, _| {}, async |_| {}, None).await;
            assert!(matches!(scrubbed, Err(VolumeError::Store(_))), "{scrubbed:?}");
        });
    }
}

#[test]
fn what_is_found_is_repaired_before_all_is_read() {
    story(async |objects, host| {
        let disk = open(objects, host, settings()).await.unwrap();
        for page in 0..32 {
            write(&disk, page, page).await.unwrap();
        }
        disk.flush().await.unwrap();
        objects.remove(&objects.named("/data/")[0]);
        let asked = Cell::new(0);
        let cache = Same(|page| {
            asked.set(asked.get() + 1);
            Some(Rescued::Content(Buffer::copy_of(&content(page, 1))))
        });
        let mut progress = |_, _| {
            // The store goes away in the middle.
            if asked.get() > 0 {
                hide(objects, "volumes/");
            }
        };
        assert!(disk.scrub(&mut progress, async |_| {}, Some(&cache)).await.is_err());
        *objects.silent.borrow_mut() = None;
        assert_eq!(read(&disk, 0).await.unwrap(), content(0, 1));
    });
}

#[test]
fn a_report_outlives_a_store_that_goes_away_while_maps_of_snapshots_are_read() {
    story(async |objects, host| {
        let disk = open(objects, host, settings()).await.unwrap();
        write(&disk, 1, 1).await.unwrap();
        disk.flush().await.unwrap();
        disk.snapshot("one").await.unwrap();
        let mut progress = |done, all| {
            if done == all {
                hide(objects, "volumes/");
            }
        };
        let report = disk.scrub(&mut progress, async |_| {}, None).await.unwrap();
        assert_eq!(report.found.whole_bytes, PAGE);
        assert!(matches!(report.repair_failure, Some(VolumeError::Store(_))), "{report:?}");
    });
}

#[test]
fn what_is_replaced_for_the_disk_is_reported_of_its_snapshot() {
    story(async |objects, host| {
        let disk = open(objects, host, settings()).await.unwrap();
        write(&disk, 3, 1).await.unwrap();
        disk.flush().await.unwrap();
        disk.snapshot("one").await.unwrap();
        objects.remove(&objects.named("/data/")[0]);
        let report = disk.scrub(&mut |_, _| {}, async |_| {}, Some(&Same(|_| Some(Rescued::Replaced)))).await;
        let report = report.unwrap();
        let [damaged] = &report.found.damaged[..] else { panic!("{report:?}") };
        assert_eq!((damaged.name.as_str(), report.replaced_bytes), ("disk@one", PAGE));
        assert_eq!(damaged.ranges, [ByteRange::at(3 * PAGE, PAGE)]);
    });
}

/// Opens a volume that deduplicates.
async fn open_deduplicating(objects: &Rc<Objects>, host: &LocalHost) -> Rc<Disk> {
    let store = HostStore::new(objects, host);
    let options = VolumeOptions { deduplicate: true, ..VolumeOptions::default() };
    volume::create(&store, host, "other", MIB, options).await.unwrap();
    Rc::new(Disk::open(store, host.clone(), "other", &owner(), settings()).await.unwrap())
}

#[test]
fn a_repair_does_not_wait_for_a_group_that_was_abandoned() {
    story(async |objects, host| {
        let disk = open_deduplicating(objects, host).await;
        write(&disk, 0, 1).await.unwrap();
        disk.flush().await.unwrap();
        // More than one object, so that the first is put.
        for page in 10..30 {
            write(&disk, page, page).await.unwrap();
        }
        disk.abandon_group();
        host.sleep(20 * SECOND).await;
        objects.remove(&objects.named("/data/")[0]);
        let cache = Same(|_| Some(Rescued::Content(Buffer::copy_of(&content(1, 1)))));
        let before = host.now();
        let report = disk.scrub(&mut |_, _| {}, async |_| {}, Some(&cache)).await.unwrap();
        assert_eq!(report.repaired_bytes, PAGE);
        let took = host.now() - before;
        assert!(took < 20 * SECOND, "it took {} s", took / SECOND);
    });
}

#[test]
fn a_page_that_may_come_to_refer_to_what_is_lost_is_not_replaced() {
    story(async |objects, host| {
        let disk = open_deduplicating(objects, host).await;
        write(&disk, 0, 1).await.unwrap();
        write(&disk, 1, 2).await.unwrap();
        disk.flush().await.unwrap();
        // Page 1 becomes a reference to page 0, in an object that does not get there.
        objects.is_late.set(Some(|name| name.contains("/data/")));
        write(&disk, 1, 1).await.unwrap();
        let ours = Rc::clone(&disk);
        host.spawn(async move { drop(ours.flush().await) });
        host.sleep(10 * SECOND).await;
        objects.remove(&objects.named("/data/")[0]);
        let report = disk.scrub(&mut |_, _| {}, async |_| {}, Some(&Same(|_| None))).await.unwrap();
        assert_eq!(reported(&report, "volumes/"), BTreeSet::from([0, 1]));
        assert_eq!(report.replaced_bytes, 0);
    });
}
