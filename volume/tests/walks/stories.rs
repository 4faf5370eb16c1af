//! Stories: one volume, a store without faults but those that the story needs.

use std::cell::Cell;
use std::rc::Rc;

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::sealed::seal;
use block::{BlockDevice, BlockError, Buffer, ByteRange, ErrorKind, Host, PAGE, Unmap};
use volume::{StoreErrorKind, Volume, VolumeError, VolumeOptions, VolumeSettings};

use super::store::{Health, HostStore, MILLISECOND, Objects};
use super::{Disk, owner};

pub(crate) const MIB: u64 = 1 << 20;
pub(crate) const SECOND: u64 = 1_000 * MILLISECOND;

pub(crate) fn settings() -> VolumeSettings {
    VolumeSettings { object_bytes: 8 * PAGE, wall_time: || 1, ..VolumeSettings::default() }
}

/// Settings with which checkpoints and cleaning are frequent.
pub(crate) fn busy() -> VolumeSettings {
    VolumeSettings { checkpoint_bytes: 1_000, objects_min: 4, ..settings() }
}

/// Plays a story on a store with a volume `disk` of 64 MiB.
pub(crate) fn story(play: impl AsyncFnOnce(&Rc<Objects>, &LocalHost)) {
    let executor = Executor::new(VirtualTime::new(), Order::Seeded(7));
    let host = executor.host();
    let ran = executor.run(async {
        let objects = Rc::new(Objects::default());
        create(&objects, &host, "disk", 64 * MIB).await.unwrap();
        play(&objects, &host).await;
    });
    ran.expect("the story comes to its end");
}

pub(crate) async fn create(
    objects: &Rc<Objects>,
    host: &LocalHost,
    name: &str,
    bytes: u64,
) -> Result<volume::VolumeId, VolumeError> {
    volume::create(&HostStore::new(objects, host), host, name, bytes, VolumeOptions::default()).await
}

pub(crate) async fn open(
    objects: &Rc<Objects>,
    host: &LocalHost,
    settings: VolumeSettings,
) -> Result<Disk, VolumeError> {
    Volume::open(HostStore::new(objects, host), host.clone(), "disk", &owner(), settings).await
}

pub(crate) async fn check(
    objects: &Rc<Objects>,
    host: &LocalHost,
) -> Result<volume::CheckReport, VolumeError> {
    volume::check(&HostStore::new(objects, host), host, "disk", &mut |_, _| {}).await
}

/// Returns pages that compress badly, different for each value.
pub(crate) fn content(value: u64, pages: u64) -> Vec<u8> {
    let words = 0..pages * PAGE / 8;
    let word = |at: u64| (value << 32 | at).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    words.flat_map(|at| (word(at).wrapping_mul(0xbf58_476d_1ce4_e5b9)).to_le_bytes()).collect()
}

pub(crate) async fn write(disk: &Disk, page: u64, value: u64) -> Result<(), BlockError> {
    disk.write(page * PAGE, Buffer::copy_of(&content(value, 1))).await.1
}

pub(crate) async fn read(disk: &Disk, page: u64) -> Result<Vec<u8>, BlockError> {
    let (buffer, read) = disk.read(page * PAGE, Buffer::zeroed(PAGE as usize)).await;
    read.map(|()| buffer.to_vec())
}

pub(crate) async fn holds(disk: &Disk, page: u64, value: u64) -> bool {
    read(disk, page).await.unwrap() == content(value, 1)
}

pub(crate) async fn is_zero(disk: &Disk, page: u64) -> bool {
    read(disk, page).await.unwrap().iter().all(|byte| *byte == 0)
}

#[test]
fn a_flush_ends_though_the_guest_goes_on_writing() {
    story(async |objects, host| {
        let disk = Rc::new(open(objects, host, settings()).await.unwrap());
        let is_over = Rc::new(Cell::new(false));
        let (writer, over, clock) = (Rc::clone(&disk), Rc::clone(&is_over), host.clone());
        host.spawn(async move {
            for at in 0..1_000_000 {
                if over.get() || write(&writer, at % 100, at).await.is_err() {
                    return;
                }
                clock.sleep(MILLISECOND).await;
            }
        });
        host.sleep(10 * MILLISECOND).await;
        let before = host.now();
        disk.flush().await.unwrap();
        let took = host.now() - before;
        is_over.set(true);
        assert!(took < 30 * SECOND, "it took {} s", took / SECOND);
    });
}

#[test]
fn a_host_whose_volume_is_deleted_meanwhile_confirms_nothing() {
    story(async |objects, host| {
        let store = HostStore::new(objects, host);
        let disk = Volume::open(store.clone(), host.clone(), "disk", &owner(), settings()).await.unwrap();
        write(&disk, 1, 1).await.unwrap();
        disk.flush().await.unwrap();
        store.health.set(Health::Asleep);
        volume::delete(&HostStore::new(objects, host), host, "disk", &mut |_| {}).await.unwrap();
        store.health.set(Health::Awake);
        write(&disk, 2, 2).await.ok();
        assert_eq!(disk.flush().await.map_err(|error| error.kind), Err(ErrorKind::Gone));
    });
}

#[test]
fn a_volume_that_is_deleted_in_part_is_not_an_empty_one() {
    // Each part of a name stands for a moment: the host that deletes falls asleep when it first asks for it.
    for moment in ["/data/", "/epoch/00000002", "/epoch/00000001", "/start/", "/volume", "/map/", "names/"] {
        story(async |objects, host| {
            let disk = open(objects, host, settings()).await.unwrap();
            for page in 0..20 {
                write(&disk, page, page).await.unwrap();
            }
            disk.flush().await.unwrap();
            disk.close().await.unwrap();
            let deleter = HostStore::new(objects, host);
            *deleter.sleeps_at.borrow_mut() = Some(moment.to_owned());
            let (store, clock) = (deleter.clone(), host.clone());
            host.spawn(async move {
                drop(volume::delete(&store, &clock, "disk", &mut |_| {}).await);
            });
            host.sleep(30 * SECOND).await;
            if let Ok(disk) = open(objects, host, settings()).await {
                assert!(holds(&disk, 3, 3).await, "at {moment}: it is empty");
                // It was not deleted yet. The one that deletes goes on.
                deleter.health.set(Health::Awake);
                host.sleep(60 * SECOND).await;
                write(&disk, 2, 2).await.ok();
                assert!(disk.flush().await.is_err(), "at {moment}");
                return;
            }
            // Deleting it again goes on.
            deleter.health.set(Health::Dead);
            host.sleep(30 * SECOND).await;
            if !objects.named("names/").is_empty() {
                volume::delete(&HostStore::new(objects, host), host, "disk", &mut |_| {}).await.unwrap();
            }
            let left: Vec<_> = objects.names().into_iter().filter(|name| !name.contains("/epoch/")).collect();
            assert!(left.is_empty(), "at {moment}: {left:?}");
            create(objects, host, "disk", MIB).await.unwrap();
        });
    }
}

#[test]
fn a_close_that_nobody_waits_for_loses_no_region_of_the_map() {
    for after in [1, 20, 60, 120, 200, 400] {
        story(async |objects, host| {
            let disk = open(objects, host, settings()).await.unwrap();
            for page in 0..24 {
                write(&disk, page * 1_000 % 16_000, page).await.unwrap();
            }
            disk.flush().await.unwrap();
            let mut closing = Box::pin(disk.close());
            let nap = host.sleep(after * MILLISECOND);
            futures_util::future::select(&mut closing, std::pin::pin!(nap)).await;
            drop(closing);
            drop(disk.close().await);
            host.sleep(60 * SECOND).await;
            let again = open(objects, host, settings()).await.unwrap();
            for page in 8..24 {
                assert!(holds(&again, page * 1_000 % 16_000, page).await, "page {page} after {after} ms");
            }
        });
    }
}

#[test]
fn a_size_that_no_flush_confirmed_does_not_come_back_and_what_lay_behind_it_is_as_it_was() {
    story(async |objects, host| {
        let store = HostStore::new(objects, host);
        let disk = Volume::open(store.clone(), host.clone(), "disk", &owner(), settings()).await.unwrap();
        write(&disk, 10_000, 5).await.unwrap();
        disk.flush().await.unwrap();
        *objects.refuses.borrow_mut() = Some(("/data/", StoreErrorKind::Full));
        let error = disk.resize(MIB).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::NoSpace);
        disk.close().await.unwrap();
        store.health.set(Health::Dead);
        host.sleep(60 * SECOND).await;
        *objects.refuses.borrow_mut() = None;
        let disk = open(objects, host, settings()).await.unwrap();
        let size = disk.geometry().size;
        disk.resize(64 * MIB).await.unwrap();
        if size == MIB {
            assert!(is_zero(&disk, 10_000).await, "it is back");
        } else {
            assert!(holds(&disk, 10_000, 5).await);
        }
    });
}

#[test]
fn a_write_that_waits_while_the_disk_becomes_smaller_is_not_there_when_it_is_larger_again() {
    story(async |objects, host| {
        let settings = VolumeSettings { object_bytes: PAGE, puts_at_once: 1, ..settings() };
        let disk = Rc::new(open(objects, host, settings).await.unwrap());
        write(&disk, 1, 1).await.unwrap();
        write(&disk, 2, 2).await.unwrap();
        let behind = Rc::clone(&disk);
        host.spawn(async move {
            drop(write(&behind, 10_000, 5).await);
        });
        host.sleep(1).await;
        disk.resize(MIB).await.unwrap();
        disk.flush().await.unwrap();
        disk.resize(64 * MIB).await.unwrap();
        assert!(is_zero(&disk, 10_000).await);
        assert!(holds(&disk, 2, 2).await);
    });
}

#[test]
fn sizes_that_cannot_be_are_refused() {
    story(async |objects, host| {
        let disk = open(objects, host, settings()).await.unwrap();
        for bytes in [0, PAGE, MIB + PAGE, (64 << 40) + MIB, u64::MAX] {
            let error = disk.resize(bytes).await.expect_err("it cannot be");
            assert_eq!(error.kind, ErrorKind::InvalidRequest, "{bytes}");
            let refused = create(objects, host, "other", bytes).await;
            assert_eq!(refused, Err(VolumeError::BadSize { bytes }));
        }
        assert_eq!(disk.geometry().size, 64 * MIB);
        disk.resize(64 << 40).await.unwrap();
        disk.write_zeroes(ByteRange::new(0, 64 << 40), Unmap::Allowed).await.unwrap();
        let last = (64 << 40) / PAGE - 1;
        write(&disk, last, 9).await.unwrap();
        disk.close().await.unwrap();
        drop(disk);
        for name in ["", "..", "a/b", "-a"] {
            assert!(matches!(create(objects, host, name, MIB).await, Err(VolumeError::BadName { .. })));
        }
    });
}

#[test]
fn cleaning_goes_on_beside_objects_that_are_missing_or_damaged() {
    for damage in 0..3 {
        story(async |objects, host| {
            let disk = open(objects, host, busy()).await.unwrap();
            for page in 0..64 {
                write(&disk, page, page).await.unwrap();
            }
            disk.flush().await.unwrap();
            host.sleep(30 * SECOND).await;
            let bad = objects.named("/data/")[2].clone();
            match damage {
                0 => objects.remove(&bad),
                1 => objects.damage(&bad, 40),
                _ => objects.damage(&bad, objects.bytes_of(&bad).len() - 9),
            }
            // A page of it is left.
            for round in 0..40 {
                for at in 0..64 {
                    let page = host.random() % 64;
                    if page % 8 == 0 {
                        continue;
                    }
                    write(&disk, page, 1_000 * round + page).await.unwrap();
                    if at % 5 == 0 {
                        disk.flush().await.unwrap();
                    }
                }
                host.sleep(20 * SECOND).await;
            }
            let stored = objects.stored("/data/") + objects.stored("/copies/");
            assert!(stored < 64 * PAGE * 2, "{} KiB are stored with damage {damage}", stored >> 10);
        });
    }
}

#[test]
fn a_check_beside_a_writer_reports_no_damage_that_is_none() {
    story(async |objects, host| {
        let disk = open(objects, host, busy()).await.unwrap();
        for page in 0..64 {
            write(&disk, page, page).await.unwrap();
        }
        disk.flush().await.unwrap();
        let checker = HostStore::new(objects, host);
        let health = Rc::clone(&checker.health);
        let (sleepy, clock) = (checker.clone(), host.clone());
        let checking = host.to_its_end(async move {
            let mut progress = |_, _| health.set(Health::Asleep);
            volume::check(&sleepy, &clock, "disk", &mut progress).await
        });
        let health = Rc::clone(&checker.health);
        let clock = host.clone();
        let writing = async {
            host.sleep(20 * SECOND).await;
            for round in 1..20 {
                for page in 0..64 {
                    write(&disk, page, 100 * round + page).await.unwrap();
                }
                disk.flush().await.unwrap();
            }
            clock.sleep(60 * SECOND).await;
            for _ in 0..10_000 {
                health.set(Health::Awake);
                clock.sleep(SECOND).await;
            }
        };
        let (report, ()) = futures_util::future::join(checking, writing).await;
        let report = report.unwrap();
        assert_eq!((report.damaged, report.orphans), (Vec::new(), 0));
    });
}

/// Returns true if a reader that sleeps through deletes of many objects in a row has what was written meanwhile.
fn is_newest_read() -> bool {
    let is_newest = Cell::new(false);
    story(async |objects, host| {
        let disk = open(objects, host, busy()).await.unwrap();
        let write_round = async |round: u64| {
            for page in 0..64 {
                write(&disk, page, 100 * round + page).await.unwrap();
            }
            disk.flush().await.unwrap();
        };
        for round in 0..6 {
            write_round(round).await;
        }
        host.sleep(30 * SECOND).await;
        write_round(6).await;
        let reader = HostStore::new(objects, host);
        *reader.sleeps_at.borrow_mut() = Some("/data/".to_owned());
        let (store, clock) = (reader.clone(), host.clone());
        let opening = host.to_its_end(async move {
            Volume::open_read_only(store, clock, "disk", busy()).await.map_err(|error| error.to_string())
        });
        let writing = async {
            host.sleep(10 * SECOND).await;
            assert_eq!(reader.health.get(), Health::Asleep, "it reads headers");
            for round in 7..30 {
                write_round(round).await;
                host.sleep(5 * SECOND).await;
            }
            reader.health.set(Health::Awake);
        };
        let (opened, ()) = futures_util::future::join(opening, writing).await;
        let opened = opened.unwrap();
        is_newest.set(read(&opened, 3).await.is_ok_and(|found| found == content(100 * 29 + 3, 1)));
    });
    is_newest.get()
}

#[test]
fn a_reader_that_sleeps_through_deletes_reads_what_is_newest() {
    assert!(is_newest_read());
    #[cfg(debug_assertions)]
    {
        volume::plant(Some(volume::Bug::RootOnce));
        let is_newest = is_newest_read();
        volume::plant(None);
        assert!(!is_newest, "the planted bug is not found");
    }
}

#[test]
fn a_reader_takes_what_it_read_though_a_checkpoint_covers_more_if_nothing_of_that_was_deleted() {
    story(async |objects, host| {
        let often = VolumeSettings { checkpoint_bytes: 1_000, objects_min: 10_000, ..settings() };
        let disk = open(objects, host, often).await.unwrap();
        write(&disk, 0, 1).await.unwrap();
        disk.flush().await.unwrap();
        let reader = HostStore::new(objects, host);
        *reader.sleeps_at.borrow_mut() = Some("/marks/".to_owned());
        let (store, clock) = (reader.clone(), host.clone());
        let opening = host.to_its_end(async move {
            Volume::open_read_only(store, clock, "disk", settings()).await.unwrap()
        });
        let writing = async {
            host.sleep(20 * SECOND).await;
            assert_eq!(reader.health.get(), Health::Asleep, "it read all headers");
            let before = objects.named("/map/").len();
            for page in 1..60 {
                write(&disk, 10 * page, 1).await.unwrap();
                disk.flush().await.unwrap();
            }
            host.sleep(20 * SECOND).await;
            assert!(objects.named("/map/").len() > before, "there is a checkpoint");
            assert_eq!(objects.named("/data/").len(), 60);
            reader.health.set(Health::Awake);
        };
        let (opened, ()) = futures_util::future::join(opening, writing).await;
        assert!(holds(&opened, 0, 1).await && is_zero(&opened, 10).await);
    });
}

#[test]
fn a_host_that_sleeps_while_it_opens_finds_that_another_one_has_the_volume() {
    for moment in ["/start/00000002", "/start/00000001", "/map/00000001.00000000."] {
        story(async |objects, host| {
            let disk = open(objects, host, busy()).await.unwrap();
            for page in 0..40 {
                write(&disk, page, page).await.unwrap();
            }
            disk.flush().await.unwrap();
            disk.close().await.unwrap();
            let sleeper = HostStore::new(objects, host);
            *sleeper.sleeps_at.borrow_mut() = Some(moment.to_owned());
            let (store, clock) = (sleeper.clone(), host.clone());
            let opening = host.to_its_end(async move {
                Volume::open(store, clock, "disk", &owner(), busy()).await.map(|_| ())
            });
            host.sleep(30 * SECOND).await;
            let disk = open(objects, host, busy()).await.unwrap();
            for round in 1..30 {
                for page in 0..40 {
                    write(&disk, page, 100 * round + page).await.unwrap();
                }
                disk.flush().await.unwrap();
                host.sleep(5 * SECOND).await;
            }
            sleeper.health.set(Health::Awake);
            let opened = opening.await;
            assert!(matches!(opened, Err(VolumeError::Fenced { .. })), "asleep at {moment}: {opened:?}");
        });
    }
}

#[test]
fn a_store_that_refuses_deletes_does_not_make_a_checkpoint_of_each_group() {
    story(async |objects, host| {
        objects.keeps.set(true);
        let disk = open(objects, host, settings()).await.unwrap();
        for group in 0..300 {
            for page in 0..8 {
                write(&disk, page * 4_096 / 2, 10 * group + page).await.unwrap();
            }
            disk.flush().await.unwrap();
        }
        host.sleep(60 * SECOND).await;
        let checkpoints = disk.statistics().checkpoints;
        assert!((1..60).contains(&checkpoints), "{checkpoints} checkpoints");
        println!("{checkpoints} checkpoints of 300 groups");
        let before = objects.named("/data/").len();
        objects.keeps.set(false);
        for group in 0..100 {
            for page in 0..8 {
                write(&disk, page * 4_096 / 2, 10 * group + page).await.unwrap();
            }
            disk.flush().await.unwrap();
        }
        host.sleep(60 * SECOND).await;
        let left = objects.named("/data/").len();
        assert!(left < before / 3, "{left} objects are left of {before}");
        // Of parts, those that the newest checkpoint needs.
        let parts = objects.named("/map/").iter().filter(|name| name.matches('.').count() == 2).count();
        assert!(parts <= 8, "{parts} parts");
    });
}

#[test]
fn an_open_after_many_that_changed_little_reads_few_objects() {
    story(async |objects, host| {
        let (mut copied, mut put) = (0, 0);
        for round in 0..100 {
            let disk = open(objects, host, VolumeSettings::default()).await.unwrap();
            for group in 0..20 {
                write(&disk, 20 * round + group, round).await.unwrap();
                disk.flush().await.unwrap();
            }
            let statistics = disk.statistics();
            copied += statistics.copied_bytes;
            put += statistics.put_bytes;
        }
        assert!(copied < 3 * put, "{copied} bytes were copied of {put}");
        let before = objects.gets.get();
        let disk = open(objects, host, VolumeSettings::default()).await.unwrap();
        let read = objects.gets.get() - before;
        println!("{read} reads to open, {copied} bytes copied of {put}");
        assert!(read < 800, "{read} reads");
        assert!(holds(&disk, 1_983, 99).await);
    });
}

#[test]
fn groups_of_one_page_are_joined_without_being_copied_again_and_again() {
    story(async |objects, host| {
        let disk = open(objects, host, VolumeSettings::default()).await.unwrap();
        for page in 0..4_000 {
            write(&disk, page, page).await.unwrap();
            disk.flush().await.unwrap();
        }
        let statistics = disk.statistics();
        let (copied, put) = (statistics.copied_bytes, statistics.put_bytes);
        println!("one page a group: {copied} bytes copied of {put}");
        assert!(copied < 3 * put, "{copied} of {put}");
        let objects = objects.named("/data/").len() + objects.named("/copies/").len();
        println!("{objects} objects");
    });
}

/// Opens the volume again after what is on its way has ended.
pub(crate) async fn reopen(disk: Disk, objects: &Rc<Objects>, host: &LocalHost) -> Result<Disk, VolumeError> {
    disk.close().await.unwrap();
    host.sleep(60 * SECOND).await;
    open(objects, host, settings()).await
}

/// Writes 32 pages that are no neighbours.
pub(crate) async fn write_apart(disk: &Disk) {
    for page in 0..32 {
        write(disk, page * 10, page).await.unwrap();
    }
    disk.flush().await.unwrap();
}

fn damage_of(error: &VolumeError) -> &str {
    let VolumeError::Damaged { name, .. } = error else { panic!("{error:?}") };
    name
}

#[test]
fn a_damaged_chunk_or_a_lost_object_costs_its_pages_alone_and_a_check_reports_it() {
    for is_lost in [false, true] {
        story(async |objects, host| {
            let disk = open(objects, host, settings()).await.unwrap();
            write_apart(&disk).await;
            // The map is in a checkpoint: one behind it that is lost would be the end of what was written.
            let disk = reopen(disk, objects, host).await.unwrap();
            let bad = objects.named("/data/")[1].clone();
            let report = check(objects, host).await.unwrap();
            assert_eq!((report.damaged.len(), report.whole_bytes), (0, 32 * PAGE));
            if is_lost {
                objects.remove(&bad);
            } else {
                objects.damage(&bad, objects.bytes_of(&bad).len() - 1);
            }
            let mut lost = 0;
            for page in 0..32 {
                match read(&disk, page * 10).await {
                    Ok(found) => assert_eq!(found, content(page, 1)),
                    Err(error) => {
                        assert_eq!(error.kind, ErrorKind::Corrupt);
                        assert!(error.to_string().contains(&bad), "{error}");
                        lost += 1;
                    }
                }
            }
            assert_eq!(lost, if is_lost { 8 } else { 1 });
            let report = check(objects, host).await.unwrap();
            assert_eq!(report.whole_bytes, (32 - lost) * PAGE);
            let [damaged] = &report.damaged[..] else { panic!("{report:?}") };
            assert_eq!((&damaged.name, damaged.bytes()), (&bad, lost * PAGE), "{damaged:?}");
            // A write makes it whole again.
            for page in 0..32 {
                write(&disk, page * 10, 100 + page).await.unwrap();
            }
            disk.flush().await.unwrap();
            assert_eq!(check(objects, host).await.unwrap().damaged, []);
        });
    }
}

/// Returns a record with a changed line, and a right checksum.
fn record_with(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let text = std::str::from_utf8(bytes).unwrap();
    let line = text.lines().next().unwrap().replace(from, to);
    format!("{line}\ncrc32c {:08x}\n", crc32c::crc32c(line.as_bytes())).into_bytes()
}

/// Returns an object with content, or the root of a checkpoint, with another format and a right checksum.
fn binary_of_format(bytes: &[u8], format: u32, is_root: bool) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[8..12].copy_from_slice(&format.to_le_bytes());
    let len = u32::from_le_bytes(bytes[88..92].try_into().unwrap()) as usize;
    let len = if is_root { bytes.len() } else { len };
    seal(&mut bytes[..len]);
    bytes
}

#[test]
fn an_open_names_the_object_that_is_newer_or_cut() {
    let body = "/map/00000001.00000000.000002";
    for part in ["names/", "/volume", "/start/00000001", "/data/", "/map/00000001.00000000", body] {
        story(async |objects, host| {
            let disk = open(objects, host, settings()).await.unwrap();
            write(&disk, 1, 1).await.unwrap();
            disk.flush().await.unwrap();
            if part.starts_with("/map/") {
                disk.close().await.unwrap();
            }
            drop(disk);
            host.sleep(10 * SECOND).await;
            let named = objects.named(part);
            let is_it = |name: &&String| part == "/data/" || part == body || name.matches('.').count() < 2;
            let name = named.iter().find(is_it).unwrap();
            let whole = objects.bytes_of(name);
            let newer = match part {
                "/data/" => binary_of_format(&whole, 2, false),
                _ if part == body => binary_of_format(&whole, 2, true),
                _ => record_with(&whole, "\"format\":1", "\"format\":2"),
            };
            objects.put(name, newer);
            let error = open(objects, host, settings()).await.map(|_| ()).unwrap_err();
            let newer = VolumeError::NewerFormat { name: name.clone(), format: 2, known: 1 };
            assert_eq!(error, newer, "{part}");
            objects.put(name, whole.slice(..whole.len() / 2));
            if part != "/data/" {
                let error = open(objects, host, settings()).await.map(|_| ()).unwrap_err();
                assert_eq!(damage_of(&error), name, "{part}");
            }
            objects.put(name, whole);
            assert!(holds(&open(objects, host, settings()).await.unwrap(), 1, 1).await);
        });
    }
}

#[test]
fn an_object_that_is_lost_early_in_a_large_group_is_said() {
    story(async |objects, host| {
        let settings = VolumeSettings { object_bytes: PAGE, ..settings() };
        let disk = open(objects, host, settings).await.unwrap();
        for page in 0..40 {
            write(&disk, page, 1 + page).await.unwrap();
        }
        disk.flush().await.unwrap();
        write(&disk, 50, 1).await.unwrap();
        disk.flush().await.unwrap();
        drop(disk);
        let named = objects.named("/data/");
        objects.remove(&named[1]);
        let error = open(objects, host, settings).await.map(|_| ()).unwrap_err();
        assert_eq!(damage_of(&error), &named[1]);
    });
}

#[test]
fn an_object_that_is_lost_among_those_that_counted_is_said_and_does_not_end_the_log() {
    story(async |objects, host| {
        let disk = open(objects, host, settings()).await.unwrap();
        for page in 0..3 {
            write(&disk, page, 1 + page).await.unwrap();
            disk.flush().await.unwrap();
        }
        drop(disk);
        let named = objects.named("/data/");
        assert_eq!(named.len(), 3, "an object each");
        let whole = objects.bytes_of(&named[1]);
        objects.remove(&named[1]);
        let error = open(objects, host, settings()).await.map(|_| ()).unwrap_err();
        assert_eq!(damage_of(&error), &named[1]);
        objects.put(&named[1], whole);
        assert!(holds(&open(objects, host, settings()).await.unwrap(), 2, 3).await);
    });
}

#[test]
fn a_list_has_damaged_volumes_with_the_reason_and_names_are_taken_once() {
    story(async |objects, host| {
        create(objects, host, "a", MIB).await.unwrap();
        create(objects, host, "b", 2 * MIB).await.unwrap();
        let again = create(objects, host, "b", MIB).await;
        assert_eq!(again, Err(VolumeError::Exists { name: "b".to_owned() }));
        objects.put("names/a", "{}");
        let store = HostStore::new(objects, host);
        let listed = volume::list(&store, host).await.unwrap();
        let names: Vec<_> = listed.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a", "b", "disk"]);
        assert_eq!(damage_of(listed[0].1.as_ref().unwrap_err()), "names/a");
        let summary = listed[1].1.as_ref().unwrap();
        assert_eq!((summary.bytes, summary.epochs), (2 * MIB, 0));
        // Both at once: one of them has it, and nothing of the other is left.
        let both =
            futures_util::future::join(create(objects, host, "c", MIB), create(objects, host, "c", MIB));
        let both = both.await;
        assert!(both.0.is_ok() != both.1.is_ok(), "{both:?}");
        assert_eq!(objects.named("/volume").len(), 4);
        let missing = Volume::open(store, host.clone(), "none", &owner(), settings()).await.map(|_| ());
        assert_eq!(missing, Err(VolumeError::NotFound { name: "none".to_owned() }));
    });
}

#[test]
fn a_full_store_fails_flushes_until_there_is_room_and_loses_nothing() {
    for (kind, expected) in
        [(StoreErrorKind::Full, ErrorKind::NoSpace), (StoreErrorKind::Denied, ErrorKind::ReadOnly)]
    {
        story(async |objects, host| {
            let disk = open(objects, host, settings()).await.unwrap();
            write(&disk, 0, 7).await.unwrap();
            disk.flush().await.unwrap();
            *objects.refuses.borrow_mut() = Some(("volumes/", kind));
            for page in 1..12 {
                write(&disk, page, page).await.unwrap();
            }
            let error = disk.flush().await.unwrap_err();
            assert_eq!(error.kind, expected);
            assert!(error.to_string().contains("it is refused"), "{error}");
            assert!(disk.statistics().failure.is_some());
            write(&disk, 20, 20).await.unwrap();
            assert!(disk.flush().await.is_err());
            assert!(holds(&disk, 5, 5).await && holds(&disk, 0, 7).await);
            *objects.refuses.borrow_mut() = None;
            host.sleep(10 * SECOND).await;
            disk.flush().await.unwrap();
            assert_eq!(disk.statistics().failure, None);
            drop(disk);
            let disk = open(objects, host, settings()).await.unwrap();
            for page in (1..12).chain([20]) {
                assert!(holds(&disk, page, page).await, "page {page}");
            }
        });
    }
}

#[test]
fn pages_of_zeroes_take_no_space_and_discards_give_it_back() {
    story(async |objects, host| {
        let disk = open(objects, host, settings()).await.unwrap();
        let zeroes = Buffer::zeroed(MIB as usize);
        disk.write(0, zeroes).await.1.unwrap();
        disk.flush().await.unwrap();
        assert_eq!(disk.statistics().mapped_bytes, 0);
        assert!(objects.stored("/data/") < 8_000, "{}", objects.stored("/data/"));
        for page in 0..256 {
            write(&disk, page, page).await.unwrap();
        }
        disk.flush().await.unwrap();
        assert_eq!(disk.statistics().mapped_bytes, MIB);
        disk.discard(ByteRange::new(0, MIB - PAGE)).await.unwrap();
        disk.flush().await.unwrap();
        host.sleep(60 * SECOND).await;
        assert_eq!(disk.statistics().mapped_bytes, PAGE);
        assert!(is_zero(&disk, 254).await && holds(&disk, 255, 255).await);
        assert!(objects.stored("/data/") < 16 * PAGE * 8, "{}", objects.stored("/data/"));
        // Small ones without a flush become objects too.
        let before = objects.named("/data/").len();
        for at in 0..4_000 {
            disk.discard(ByteRange::at(at * 2 * PAGE, PAGE)).await.unwrap();
        }
        assert!(objects.named("/data/").len() > before);
    });
}

#[test]
fn overwriting_keeps_what_is_stored_bounded() {
    story(async |objects, host| {
        let settings = VolumeSettings { object_bytes: 64 * PAGE, checkpoint_bytes: 20_000, ..settings() };
        let disk = open(objects, host, settings).await.unwrap();
        let pages = 64 * MIB / PAGE * 7 / 10;
        for page in 0..pages {
            write(&disk, page, page).await.unwrap();
        }
        disk.flush().await.unwrap();
        let before = disk.statistics();
        for value in 0..4 * pages {
            write(&disk, host.random() % pages, value).await.unwrap();
            if value % 64 == 0 {
                disk.flush().await.unwrap();
            }
            // The guest leaves cleaning some time, of which real hosts have more for each byte.
            if value % 256 == 0 {
                host.sleep(2 * SECOND).await;
            }
        }
        disk.flush().await.unwrap();
        host.sleep(600 * SECOND).await;
        let after = disk.statistics();
        let put = after.put_bytes - before.put_bytes;
        let copied = after.copied_bytes - before.copied_bytes;
        let checkpoints = after.checkpoint_bytes - before.checkpoint_bytes;
        let written = after.written_bytes - before.written_bytes;
        let hundredths = |bytes: u64| bytes * 100 / written;
        let live = pages * PAGE;
        let stored = objects.stored("/data/") + objects.stored("/copies/");
        println!(
            "uniform overwrites: of written bytes, hundredths: put {}, copied {}, checkpoints {}; stored {} of live; \
             roots and parts {} KiB of {} names",
            hundredths(put),
            hundredths(copied),
            hundredths(checkpoints),
            stored * 100 / live,
            objects.stored("/map/") >> 10,
            objects.named("/map/").len(),
        );
        assert!(hundredths(put) < 110);
        assert!(hundredths(put + copied + checkpoints) < 330);
        assert!(stored * 100 / live < 175);
    });
}

#[test]
fn an_open_after_a_clean_close_reads_few_objects() {
    story(async |objects, host| {
        let disk = open(objects, host, settings()).await.unwrap();
        for page in 0..2_000 {
            write(&disk, page * 8, page).await.unwrap();
        }
        disk.flush().await.unwrap();
        disk.close().await.unwrap();
        host.sleep(60 * SECOND).await;
        let before = objects.gets.get();
        let disk = open(objects, host, settings()).await.unwrap();
        let gets = objects.gets.get() - before;
        println!("{gets} reads to open after a clean close");
        assert!(gets < 70, "{gets} reads, of 250 objects");
        assert!(holds(&disk, 1_999 * 8, 1_999).await);
    });
}

#[test]
fn a_disk_changes_its_size_with_its_content() {
    story(async |objects, host| {
        let disk = open(objects, host, settings()).await.unwrap();
        write(&disk, 300, 3).await.unwrap();
        write(&disk, 10, 1).await.unwrap();
        disk.resize(MIB).await.unwrap();
        assert_eq!(disk.geometry().size, MIB);
        assert_eq!(read(&disk, 300).await.map_err(|error| error.kind), Err(ErrorKind::InvalidRequest));
        let disk = reopen(disk, objects, host).await.unwrap();
        assert_eq!(disk.geometry().size, MIB);
        disk.resize(128 * MIB).await.unwrap();
        write(&disk, 20_000, 2).await.unwrap();
        disk.flush().await.unwrap();
        drop(disk);
        let disk = open(objects, host, settings()).await.unwrap();
        assert_eq!(disk.geometry().size, 128 * MIB);
        assert!(holds(&disk, 10, 1).await && holds(&disk, 20_000, 2).await && is_zero(&disk, 300).await);
    });
}

#[test]
fn a_reader_refuses_changes_and_a_host_that_is_overtaken_says_so() {
    story(async |objects, host| {
        let first = open(objects, host, settings()).await.unwrap();
        write(&first, 1, 1).await.unwrap();
        first.flush().await.unwrap();
        let store = HostStore::new(objects, host);
        let reader = Volume::open_read_only(store, host.clone(), "disk", settings()).await.unwrap();
        assert!(reader.geometry().read_only && holds(&reader, 1, 1).await);
        assert_eq!(write(&reader, 1, 2).await.unwrap_err().kind, ErrorKind::ReadOnly);
        assert_eq!(reader.resize(MIB).await.unwrap_err().kind, ErrorKind::ReadOnly);
        reader.flush().await.unwrap();
        reader.close().await.unwrap();
        assert_eq!(read(&reader, 1).await.unwrap_err().kind, ErrorKind::Gone);
        write(&first, 2, 2).await.unwrap();
        let second = open(objects, host, settings()).await.unwrap();
        let error = first.flush().await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Gone);
        assert!(error.to_string().contains("Another host opened the volume (epoch 2)"), "{error}");
        assert_eq!(first.fenced(), Some(2));
        for error in [write(&first, 1, 1).await.unwrap_err(), read(&first, 1).await.unwrap_err()] {
            assert_eq!(error.kind, ErrorKind::Gone);
            assert!(error.to_string().contains("epoch 2"), "{error}");
        }
        assert!(is_zero(&second, 2).await || holds(&second, 2, 2).await);
        // One at rest finds out by itself.
        let third = open(objects, host, settings()).await.unwrap();
        host.sleep(30 * SECOND).await;
        assert_eq!((second.fenced(), third.fenced()), (Some(3), None));
    });
}

/// Returns the number of hosts, of two that create a volume at once, to which it is said that they did.
fn created_at_once() -> usize {
    let created = Cell::new(0);
    story(async |objects, host| {
        let both = [create(objects, host, "twice", MIB), create(objects, host, "twice", MIB)];
        let both = futures_util::future::join_all(both).await;
        created.set(both.iter().filter(|created| created.is_ok()).count());
    });
    created.get()
}

#[test]
fn of_two_hosts_that_create_a_volume_at_once_one_has_it() {
    assert_eq!(created_at_once(), 1);
    #[cfg(debug_assertions)]
    {
        volume::plant(Some(volume::Bug::ExistsIsOurs));
        let created = created_at_once();
        volume::plant(None);
        assert_eq!(created, 2, "the planted bug is not found");
    }
}
