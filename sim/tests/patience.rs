//! A backing that fails, hangs, goes and comes back, behind a device that gives it time, as the daemon has it: hits go on, in
//! write-back writes go on, the rest waits for the retry time and is then an error, and nothing is lost.
#![cfg(not(feature = "canary"))]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::pin::pin;
use std::rc::Rc;

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::faulty::{Faults, Faulty};
use block::patient::{Hang, Patient};
use block::{BlockDevice, Buffer, ErrorKind, Host, Memory, Operation, PAGE};
use cache::{Cache, CachedDisk, DiskId, DiskSettings, Marks, Mode, Past, PoolId, Shape};
use futures_util::future::{Either, select};

type Disk = CachedDisk<Patient<Faulty<LocalHost>, LocalHost>, Faulty<LocalHost>, LocalHost>;

const SIZE: u64 = 2 << 20;
const SEGMENT: u64 = 32 << 10;
const SECOND: u64 = 1_000_000_000;
const RETRY: u64 = 25 * SECOND;

/// Two disks of one pool, the backing of one of which is in trouble.
struct Bench {
    host: LocalHost,
    cache: Rc<Cache<Faulty<LocalHost>, LocalHost>>,
    disk: Rc<Disk>,
    other: Rc<Disk>,
    backing: Faults,
}

fn settings(id: u32, mode: Mode) -> DiskSettings {
    DiskSettings {
        mode,
        reserve_bytes: 16 * SEGMENT,
        limit_bytes: 16 * SEGMENT,
        ram_bytes: 16 * PAGE,
        dirty_limit_bytes: Some(8 * PAGE),
        ..DiskSettings::plain(DiskId(id))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "closures read better by value")]
fn run(mode: Mode, story: impl AsyncFn(&Bench)) {
    for seed in 0..8 {
        let executor = Executor::new(VirtualTime::new(), Order::Seeded(seed));
        let host = executor.host();
        let [backing, spared] = [1, 2].map(|more| Faults::new(Memory::new(SIZE), seed + more));
        let flash = Faults::new(Memory::new((128 << 10) + 60 * SEGMENT), seed);
        let ran = executor.run(async {
            let device = flash.reopen(host.clone());
            let shape = Shape { segment_bytes: SEGMENT, region_bytes: 256 << 10 };
            cache::format(&device, PoolId([1; 16]), Some(shape)).await.unwrap();
            let marks = Marks { new: 1, known: vec![0], epoch: None };
            let cache = Cache::open(vec![device], host.clone(), &marks).await.unwrap().cache;
            let attach = async |id: u32, faults: &Faults| {
                let beneath = faults.reopen(host.clone());
                let patient = Patient::new(beneath, host.clone(), "b".to_owned(), Hang::GivenUp, Some(RETRY));
                let disk = cache.attach(settings(id, mode), patient, Past::none(SIZE)).await.unwrap();
                disk.loaded().await;
                disk
            };
            let (disk, other) = (attach(1, &backing).await, attach(2, &spared).await);
            let (host, backing) = (host.clone(), backing.clone());
            story(&Bench { host, cache: Rc::clone(&cache), disk, other, backing }).await;
        });
        assert!(ran.is_some(), "seed {seed}: everything waits");
    }
}

impl Bench {
    /// How a read of a page ended, and how long it took.
    async fn read(&self, disk: &Disk, page: u64) -> (Result<u8, ErrorKind>, u64) {
        let started = self.host.now();
        let (buffer, result) = disk.read(page * PAGE, Buffer::zeroed(PAGE as usize)).await;
        (result.map(|()| buffer[0]).map_err(|error| error.kind), self.host.now() - started)
    }

    async fn write(&self, page: u64, byte: u8) -> Result<(), ErrorKind> {
        let (_, result) = self.disk.write(page * PAGE, Buffer::copy_of(&[byte; PAGE as usize])).await;
        result.map_err(|error| error.kind)
    }

    fn home(&self, page: u64) -> u8 {
        let mut bytes = [0; PAGE as usize];
        self.backing.peek(page * PAGE, &mut bytes);
        bytes[0]
    }

    /// Nothing of the backing is answered but errors: reads, for what changes is answered in ways of its own.
    fn break_reads(&self) {
        self.backing.fail_often(Operation::Read, 1000);
    }
}

#[test]
fn hits_go_on_and_misses_wait_for_a_backing_that_fails_and_are_errors_after_the_retry_time() {
    run(Mode::WriteThrough, async |bench| {
        bench.write(1, 1).await.unwrap();
        bench.break_reads();
        assert_eq!(bench.read(&bench.disk, 1).await, (Ok(1), 0), "a hit");
        let (missed, took) = bench.read(&bench.disk, 100).await;
        assert_eq!(missed, Err(ErrorKind::Io));
        assert!(took > RETRY - SECOND && took < RETRY + SECOND, "{took}");
        assert_eq!(bench.read(&bench.other, 100).await, (Ok(0), 0), "the other disk notices nothing");
        // The rest of the page would have to be read.
        let part = bench.disk.write(200 * PAGE, Buffer::zeroed(512)).await.1;
        assert!(part.is_ok(), "in write-through it is the backing that takes a part of a page");
        bench.backing.fail_no_more();
        assert_eq!(bench.read(&bench.disk, 100).await.0, Ok(0));
    });
}

#[test]
fn in_write_back_writes_go_on_while_the_backing_hangs_up_to_the_dirty_limit_and_nothing_is_lost() {
    run(Mode::WriteBack, async |bench| {
        // What earlier processes left at the backing is flushed there first: until then guests' flushes wait for it.
        bench.host.sleep(SECOND).await;
        bench.backing.hang();
        for page in 0..6 {
            bench.write(page, 7).await.unwrap();
        }
        assert!(bench.host.now() < RETRY, "none of them waited for the backing");
        bench.disk.flush().await.unwrap();
        assert_eq!(bench.read(&bench.disk, 5).await.0, Ok(7));
        assert_eq!(bench.read(&bench.disk, 100).await.0, Err(ErrorKind::Io), "a miss");
        let part = bench.disk.write(200 * PAGE, Buffer::zeroed(512)).await.1;
        assert!(part.is_err(), "a part of a page that is nowhere in the cache");
        assert_eq!(bench.read(&bench.other, 100).await.0, Ok(0), "the other disk notices nothing");
        bench.host.sleep(3 * RETRY).await;
        assert_eq!(bench.disk.statistics().dirty_bytes, 6 * PAGE, "destage was tried, and nothing is lost");
        bench.backing.release();
        bench.disk.start_destage();
        bench.host.sleep(2 * RETRY).await;
        assert_eq!(bench.disk.statistics().dirty_bytes, 0);
        assert_eq!([0, 5].map(|page| bench.home(page)), [7, 7]);
        bench.disk.flush().await.unwrap();
    });
}

#[test]
fn a_flush_waits_for_a_backing_that_hangs_since_before_it_was_asked_what_earlier_processes_left_there() {
    run(Mode::WriteBack, async |bench| {
        bench.backing.hang();
        bench.write(3, 7).await.unwrap();
        {
            let (flush, long) = (pin!(bench.disk.flush()), pin!(bench.host.sleep(2 * RETRY)));
            assert!(matches!(select(flush, long).await, Either::Right(_)), "nobody knows what is durable");
        }
        bench.backing.release();
        bench.disk.flush().await.unwrap();
    });
}

#[test]
fn what_is_written_anew_while_an_older_destage_hangs_is_what_comes_home() {
    run(Mode::WriteBack, async |bench| {
        bench.backing.hang();
        bench.write(3, 1).await.unwrap();
        bench.disk.start_destage();
        bench.host.sleep(RETRY + 2 * SECOND).await;
        assert!(bench.disk.backing().has_left_requests(), "the system still has the older version");
        bench.write(3, 2).await.unwrap();
        bench.disk.start_destage();
        bench.host.sleep(2 * SECOND).await;
        bench.backing.release();
        bench.host.sleep(2 * RETRY).await;
        assert_eq!((bench.home(3), bench.disk.statistics().dirty_bytes), (2, 0));
        assert_eq!(bench.read(&bench.disk, 3).await.0, Ok(2));
    });
}

#[test]
fn a_flush_that_was_never_sent_to_a_failing_backing_does_not_have_later_ones_fail() {
    run(Mode::WriteThrough, async |bench| {
        bench.write(1, 1).await.unwrap();
        bench.break_reads();
        bench.read(&bench.disk, 100).await.0.unwrap_err();
        assert_eq!(bench.disk.flush().await.unwrap_err().kind, ErrorKind::Untried);
        bench.backing.fail_no_more();
        bench.disk.flush().await.unwrap();
        bench.backing.fail_after(Operation::Flush, 0);
        bench.disk.flush().await.unwrap_err();
        bench.disk.flush().await.unwrap_err();
    });
}

#[test]
fn a_disk_is_at_rest_once_what_destage_asked_of_the_backing_was_answered_or_given_up_and_known_to_be() {
    run(Mode::WriteBack, async |bench| {
        bench.backing.hang();
        bench.write(3, 1).await.unwrap();
        bench.disk.start_destage();
        bench.host.sleep(SECOND).await;
        // As a move does it, which holds the guests for so long and no longer.
        let too_late = pin!(bench.host.sleep(SECOND / 2));
        let Either::Right(_) = select(pin!(bench.disk.stop_destaging()), too_late).await else {
            panic!("the backing has a write of which nobody knows what becomes of it");
        };
        assert!(
            !bench.disk.backing().has_left_requests(),
            "it is not given up yet, so nothing else tells of it"
        );
        let at_rest = bench.disk.stop_destaging().await;
        assert!(bench.disk.backing().has_left_requests(), "the disk must not be released");
        drop(at_rest);
        bench.backing.release();
        bench.host.sleep(RETRY).await;
        assert_eq!((bench.home(3), bench.disk.statistics().dirty_bytes), (1, 0));
    });
}

#[test]
fn destage_gives_the_backing_nothing_while_its_disk_is_at_rest_nor_after_it_was_released() {
    run(Mode::WriteBack, async |bench| {
        let at_rest = bench.disk.stop_destaging().await;
        bench.write(3, 1).await.unwrap();
        bench.disk.start_destage();
        bench.host.sleep(SECOND).await;
        assert_eq!((bench.home(3), bench.disk.statistics().dirty_bytes), (0, PAGE));
        drop(at_rest);
        bench.host.sleep(2 * SECOND).await;
        assert_eq!((bench.home(3), bench.disk.statistics().dirty_bytes), (1, 0));
        let at_rest = bench.disk.stop_destaging().await;
        bench.write(3, 2).await.unwrap();
        bench.disk.start_destage();
        bench.host.sleep(SECOND).await;
        bench.cache.release(at_rest).await;
        bench.host.sleep(RETRY).await;
        assert_eq!(bench.home(3), 1, "it may be on another shard by now");
    });
}
