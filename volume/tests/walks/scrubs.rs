//! Stories of scrubs: what only snapshots have, and repairs from elsewhere.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::{BlockDevice, Buffer, ErrorKind, Host, PAGE};
use futures_util::future::LocalBoxFuture;
use volume::{Rescue, Rescued, ScrubReport, VolumeOptions};

use crate::store::{HostStore, MILLISECOND, Objects};
use crate::stories::{MIB, SECOND, busy, check, content, open, read, reopen, settings, story, write};
use crate::{Disk, seeds};

async fn scrub(disk: &Disk) -> ScrubReport {
    disk.scrub(&mut |_, _| {}, async |_| {}, None).await.unwrap()
}

/// Damage of an object of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Harm {
    Content,
    Lost,
    Map,
}

#[test]
fn a_scrub_reads_what_only_a_snapshot_has_and_finds_the_damage_that_a_check_finds() {
    for harm in [Harm::Content, Harm::Lost, Harm::Map] {
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
            if harm == Harm::Lost {
                objects.remove(&bad);
            } else {
                objects.damage(&bad, objects.bytes_of(&bad).len() - 1);
            }
            let found = scrub(&disk).await.found;
            let [damaged] = &found.damaged[..] else { panic!("{harm:?}: {found:?}") };
            assert_eq!((damaged.name.as_str(), found.whole_bytes), ("disk@one", 40 * PAGE), "{harm:?}");
            assert!(damaged.reason.contains(&bad), "{damaged:?}");
            let checked = check(objects, host).await.unwrap();
            let of_check: Vec<_> =
                checked.damaged.iter().map(|damaged| (&damaged.name, &damaged.ranges)).collect();
            assert_eq!(of_check, [(&damaged.name, &damaged.ranges)], "{harm:?}");
            disk.delete_snapshot("one").await.unwrap();
            assert_eq!(scrub(&disk).await.found.damaged, []);
            drop(open(objects, host, settings()).await.unwrap());
        });
    }
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

    /// Returns the first page that is neither as it was written nor known to be lost.
    async fn first_wrong(&self, disk: &Disk) -> Option<String> {
        let values = self.values.borrow().clone();
        for (page, value) in values {
            let found = read(disk, page).await;
            let is_lost = found.as_ref().is_err_and(|error| error.kind == ErrorKind::Corrupt);
            if !(found == Ok(content(value, 1)) || is_lost && self.uncached.contains(&page)) {
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

/// Damages or removes some objects with content. Returns how many.
fn harm(objects: &Objects, host: &LocalHost) -> u64 {
    let all = [objects.named("/data/"), objects.named("/copies/")].concat();
    let mut harmed = 0;
    for name in all {
        match host.random() % 8 {
            0 => objects.remove(&name),
            1 => objects.damage(&name, (host.random() % objects.bytes_of(&name).len() as u64) as usize),
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
        let mut values = BTreeMap::new();
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
            if let Some(wrong) = cache.first_wrong(&other).await {
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
