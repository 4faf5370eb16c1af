//! Reads that follow each other: beside everything else in walks, and in stories of requests, errors and ends.

use std::cell::Cell;
use std::rc::Rc;

use block::executor::LocalHost;
use block::{BlockDevice, Buffer, ErrorKind, Host, PAGE};
use futures_util::future::{join_all, select};
use volume::{Volume, VolumeOptions, VolumeSettings};

use crate::store::{Health, HostStore, MILLISECOND, Objects};
use crate::stories::{MIB, SECOND, busy, content, create, open, settings, story};
use crate::{Disk, History, PAGES, Writer, page_at, value_of};

/// Reads neighbours in sequence while their guest changes them, several readers at once, of which some stop waiting now and then. Each page
/// is to have a content that it had during the read.
pub(crate) fn read_in_sequence(writer: &Writer, history: &Rc<History>, host: &LocalHost) {
    for _ in 0..=host.random() % 2 {
        let (disk, is_current) = (Rc::clone(&writer.disk), Rc::clone(&writer.is_current));
        let (history, host) = (Rc::clone(history), host.clone());
        host.clone().spawn(async move {
            for _ in 0..8 {
                let first = (host.random() % (PAGES as u64 / 8) * 8) as usize;
                let len = [1, 1, 2, 4][(host.random() % 4) as usize];
                for page in (first..first + 8).step_by(len) {
                    let from = history.states.borrow().len() - 1;
                    let read = disk.read(page_at(page) * PAGE, Buffer::zeroed(len * PAGE as usize));
                    let patience = if host.random().is_multiple_of(4) { 50 } else { 100_000 };
                    let (mut read, mut rest) = (Box::pin(read), Box::pin(host.sleep(patience * MILLISECOND)));
                    let (bytes, result) = match select(&mut read, &mut rest).await {
                        futures_util::future::Either::Left((outcome, _)) => outcome,
                        futures_util::future::Either::Right(_) => continue,
                    };
                    if !is_current.get() {
                        return;
                    }
                    if result.is_err() {
                        continue;
                    }
                    history.reads.set(history.reads.get() + 1);
                    let states = history.states.borrow();
                    for (at, bytes) in (page..).zip(bytes.chunks(PAGE as usize)) {
                        let value = value_of(bytes);
                        if !states[from..].iter().any(|state| state[at] == value) {
                            let expected: Vec<u64> = states[from..].iter().map(|state| state[at]).collect();
                            let what = format!("page {at} reads {value} instead of one of {expected:?}");
                            history.violate(what);
                        }
                    }
                }
                host.sleep(host.random() % (2_000 * MILLISECOND)).await;
            }
        });
    }
}

/// Returns a store with a disk that has content in its first `pages`, written by one flush, in objects of 8 MiB.
async fn written(objects: &Rc<Objects>, host: &LocalHost, pages: u64) {
    let disk = open(objects, host, VolumeSettings::default()).await.unwrap();
    for page in (0..pages).step_by(256) {
        let len = 256.min(pages - page);
        disk.write(page * PAGE, Buffer::copy_of(&content(page, len))).await.1.unwrap();
    }
    disk.flush().await.unwrap();
    disk.close().await.unwrap();
}

async fn open_reader(store: &HostStore, read_ahead_bytes: u64) -> Disk {
    let settings = VolumeSettings { read_ahead_bytes, ..settings() };
    Volume::open_read_only(store.clone(), store.host.clone(), "disk", settings).await.unwrap()
}

/// Reads pages. Returns their content, and the requests and bytes of the store that this took.
async fn counted(objects: &Objects, disk: &Disk, reads: &[(u64, u64)]) -> (Vec<Vec<u8>>, u64, u64) {
    let before = (objects.gets.get(), objects.got_bytes.get());
    let mut read = Vec::new();
    for (page, len) in reads {
        let (buffer, result) = disk.read(page * PAGE, Buffer::zeroed((len * PAGE) as usize)).await;
        result.unwrap();
        read.push(buffer.to_vec());
    }
    (read, objects.gets.get() - before.0, objects.got_bytes.get() - before.1)
}

#[test]
fn pieces_of_128_kib_take_a_seventh_of_the_requests_and_pages_fewer_still() {
    const BYTES: u64 = 32 * MIB;
    story(async |objects, host| {
        written(objects, host, BYTES / PAGE).await;
        let store = HostStore::new(objects, host);
        for (len, most) in [(1, 60), (32, 44), (256, 44)] {
            // A window takes one request, and one more where an object ends.
            let reads: Vec<(u64, u64)> =
                (0..BYTES / PAGE).step_by(len).map(|page| (page, len as u64)).collect();
            let plain = counted(objects, &open_reader(&store, 0).await, &reads).await;
            let ahead = counted(objects, &open_reader(&store, 8 * MIB).await, &reads).await;
            println!("{len} pages: {} and {} requests, {} and {} bytes", plain.1, ahead.1, plain.2, ahead.2);
            assert!(plain.0 == ahead.0, "the content differs");
            assert!(plain.1 >= reads.len() as u64 && ahead.1 <= most, "{} requests", ahead.1);
            assert!(ahead.2 <= BYTES + BYTES / 64, "{} bytes", ahead.2);
        }
    });
}

#[test]
fn several_readers_at_once_have_windows_of_their_own() {
    const BYTES: u64 = 8 * MIB;
    story(async |objects, host| {
        written(objects, host, 4 * BYTES / PAGE).await;
        let store = HostStore::new(objects, host);
        let disk = open_reader(&store, 8 * MIB).await;
        let before = objects.gets.get();
        let readers = (0..4).map(async |reader: u64| {
            for at in 0..BYTES / PAGE / 8 {
                let page = reader * BYTES / PAGE + at * 8;
                let (buffer, read) = disk.read(page * PAGE, Buffer::zeroed(8 * PAGE as usize)).await;
                read.unwrap();
                let first = page / 256 * 256;
                let whole = content(first, 256);
                assert_eq!(buffer[..], whole[((page - first) * PAGE) as usize..][..8 * PAGE as usize]);
            }
        });
        join_all(readers).await;
        let requests = objects.gets.get() - before;
        assert!(requests <= 100, "{requests} requests for 1024 reads");
        assert!(disk.statistics().map_bytes <= 9 * MIB);
    });
}

#[test]
fn random_reads_take_the_requests_and_bytes_that_they_took() {
    story(async |objects, host| {
        written(objects, host, 8_000).await;
        let store = HostStore::new(objects, host);
        // No two are neighbours.
        let reads: Vec<(u64, u64)> = (0..300).map(|at| (at * 4_327 % 4_000 * 2, 1)).collect();
        let plain = counted(objects, &open_reader(&store, 0).await, &reads).await;
        let ahead = counted(objects, &open_reader(&store, 8 * MIB).await, &reads).await;
        assert!(plain == ahead && plain.1 == 300, "{} and {} requests", plain.1, ahead.1);
    });
}

#[test]
fn a_disk_that_was_written_at_random_takes_no_more_requests_in_sequence() {
    const PAGES: u64 = 600;
    story(async |objects, host| {
        let disk = open(objects, host, VolumeSettings { objects_min: 10_000, ..settings() }).await.unwrap();
        for at in 0..PAGES {
            let page = at * 7 % PAGES;
            disk.write(page * PAGE, Buffer::copy_of(&content(page, 1))).await.1.unwrap();
            if at % 40 == 39 {
                disk.flush().await.unwrap();
            }
        }
        disk.flush().await.unwrap();
        disk.close().await.unwrap();
        let store = HostStore::new(objects, host);
        let reads: Vec<(u64, u64)> = (0..PAGES).map(|page| (page, 1)).collect();
        let clock = host.now();
        let plain = counted(objects, &open_reader(&store, 0).await, &reads).await;
        let plain_ns = host.now() - clock;
        let clock = host.now();
        let ahead = counted(objects, &open_reader(&store, MIB).await, &reads).await;
        let ahead_ns = host.now() - clock;
        println!(
            "{} and {} requests, {} and {} ms",
            plain.1,
            ahead.1,
            plain_ns / 1_000_000,
            ahead_ns / 1_000_000
        );
        assert!(plain.0 == ahead.0, "the content differs");
        assert!(ahead.1 <= plain.1 && ahead_ns * 4 < plain_ns);
    });
}

#[test]
fn a_clone_that_is_read_in_sequence_reads_its_snapshot_ahead() {
    story(async |objects, host| {
        written(objects, host, 2_000).await;
        let disk = open(objects, host, settings()).await.unwrap();
        disk.snapshot("golden").await.unwrap();
        disk.close().await.unwrap();
        let store = HostStore::new(objects, host);
        volume::create_clone(&store, host, "disk", "golden", "clone", VolumeOptions::default())
            .await
            .unwrap();
        let clone = Volume::open_read_only(store, host.clone(), "clone", settings()).await.unwrap();
        let reads: Vec<(u64, u64)> = (0..2_000).map(|page| (page, 1)).collect();
        let (read, requests, _) = counted(objects, &clone, &reads).await;
        assert!(
            (0..256).all(|page| content(0, 256)[page * PAGE as usize..][..PAGE as usize] == read[page][..])
        );
        assert!(requests <= 25, "{requests} requests");
    });
}

#[test]
fn reads_of_bytes_that_are_on_their_way_share_a_request_and_one_that_nobody_waits_for_hangs_none() {
    for dropped in [false, true] {
        story(async |objects, host| {
            written(objects, host, 512).await;
            let store = HostStore::new(objects, host);
            let disk = Rc::new(open_reader(&store, 8 * MIB).await);
            let before = objects.gets.get();
            let mut first = Box::pin(disk.read(5 * PAGE, Buffer::zeroed(PAGE as usize)));
            let nap = Box::pin(host.sleep(1));
            assert!(matches!(select(&mut first, nap).await, futures_util::future::Either::Right(_)));
            let others = join_all([1, 7, 3].map(async |page: u64| {
                disk.read(page * PAGE, Buffer::zeroed(PAGE as usize)).await.1.unwrap();
            }));
            if dropped {
                drop(first);
                others.await;
                assert_eq!(objects.gets.get() - before, 2, "one of the others asked");
            } else {
                let (one, _) = futures_util::future::join(first, others).await;
                one.1.unwrap();
                assert_eq!(objects.gets.get() - before, 1);
            }
        });
    }
}

#[test]
fn the_end_of_a_volume_ends_what_is_read_ahead() {
    story(async |objects, host| {
        written(objects, host, 2_000).await;
        let store = HostStore::new(objects, host);
        let disk = Rc::new(open_reader(&store, 8 * MIB).await);
        let reads: Vec<(u64, u64)> = (0..18).map(|page| (page, 1)).collect();
        counted(objects, &disk, &reads).await;
        // What the next read asks for stays on its way.
        store.health.set(Health::Asleep);
        let outcome = Rc::new(Cell::new(None));
        let (reader, result) = (Rc::clone(&disk), Rc::clone(&outcome));
        host.spawn(async move {
            for page in 18.. {
                let (_, read) = reader.read(page * PAGE, Buffer::zeroed(PAGE as usize)).await;
                if let Err(error) = read {
                    result.set(Some(error.kind));
                    return;
                }
            }
        });
        host.sleep(10 * SECOND).await;
        assert_eq!(outcome.get(), None);
        disk.end();
        host.sleep(MILLISECOND).await;
        assert_eq!(outcome.get(), Some(ErrorKind::Gone));
        assert!(Rc::strong_count(&store.health) > 1);
        drop(disk);
        host.sleep(MILLISECOND).await;
        assert_eq!(Rc::strong_count(&store.health), 1, "a request is still waited for");
    });
}

/// Reads pages one after the other. Returns the kinds of errors.
async fn errors(disk: &Disk, pages: u64) -> Vec<Option<ErrorKind>> {
    let mut errors = Vec::new();
    for page in 0..pages {
        let (_, read) = disk.read(page * PAGE, Buffer::zeroed(PAGE as usize)).await;
        errors.push(read.err().map(|error| error.kind));
    }
    errors
}

#[test]
fn damage_and_lost_objects_have_the_errors_that_they_have_without_reading_ahead() {
    for loses in [false, true] {
        story(async |objects, host| {
            written(objects, host, 4_000).await;
            let name = objects.named("/data/").swap_remove(1);
            let bytes = objects.bytes_of(&name);
            if loses {
                objects.remove(&name);
            } else {
                for at in [bytes.len() / 4, bytes.len() / 2] {
                    objects.damage(&name, at);
                }
            }
            let store = HostStore::new(objects, host);
            let plain = errors(&open_reader(&store, 0).await, 4_000).await;
            let disk = open_reader(&store, 8 * MIB).await;
            let ahead = errors(&disk, 4_000).await;
            assert!(plain == ahead && plain.iter().any(Option::is_some) && plain.iter().any(Option::is_none));
            objects.put(&name, bytes);
            assert!(errors(&disk, 4_000).await.iter().all(Option::is_none), "it is as it was");
        });
    }
}

#[test]
fn a_reader_in_sequence_beside_cleaning_finds_what_was_written_last() {
    const PAGES: u64 = 64;
    story(async |objects, host| {
        create(objects, host, "other", MIB).await.unwrap();
        let disk = Rc::new(open(objects, host, busy()).await.unwrap());
        let mut values = [0; PAGES as usize];
        let mut read = 0;
        for round in 1..120 {
            for page in (0..PAGES).filter(|page| round == 1 || host.random() % 8 == page % 8) {
                values[page as usize] = 1_000 * round + page;
                let bytes = content(values[page as usize], 1);
                disk.write(page * PAGE, Buffer::copy_of(&bytes)).await.1.unwrap();
            }
            disk.flush().await.unwrap();
            for page in 0..PAGES {
                let (bytes, result) = disk.read(page * PAGE, Buffer::zeroed(PAGE as usize)).await;
                result.unwrap();
                assert!(bytes[..] == content(values[page as usize], 1), "page {page} in round {round}");
                read += 1;
            }
        }
        let statistics = disk.statistics();
        assert!(statistics.deleted > 50 && statistics.copied_bytes > 0, "{statistics:?}");
        println!("{read} reads, {} requests", objects.gets.get());
    });
}
