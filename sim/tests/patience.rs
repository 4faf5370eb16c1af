//! Backing that fails, hangs, disappears and returns, behind the retry layer, as in the daemon: hits continue, in write-back writes
//! continue, other requests wait for the retry time and then fail, and nothing is lost.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::pin::pin;
use std::rc::Rc;

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::faulty::{Faults, Faulty};
use block::patient::{HangPolicy, RetryDevice};
use block::{BlockDevice, Buffer, ErrorKind, Host, Memory, Operation, PAGE};
use cache::{Cache, CachedDisk, DiskId, DiskSettings, Mode, PoolId, RecoveryContext, SessionIds, Shape};
use futures_util::future::{Either, select};

type Env = (RetryDevice<Faulty<LocalHost>, LocalHost>, Faulty<LocalHost>, LocalHost);
type Disk = CachedDisk<Env>;

const SIZE: u64 = 2 << 20;
const SEGMENT: u64 = 32 << 10;
const SECOND: u64 = 1_000_000_000;
const RETRY: u64 = 25 * SECOND;

/// Two disks of one pool; the backing of one of them has a failure.
struct Bench {
    host: LocalHost,
    cache: Rc<Cache<Env>>,
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
            let marks = SessionIds { new: 1, known: vec![0], epoch: None };
            let cache = Cache::open(vec![device], host.clone(), &marks).await.unwrap().cache;
            let attach = async |id: u32, faults: &Faults| {
                let beneath = faults.reopen(host.clone());
                let patient =
                    RetryDevice::new(beneath, host.clone(), "b".to_owned(), HangPolicy::GivenUp, Some(RETRY));
                let disk =
                    cache.attach(settings(id, mode), patient, RecoveryContext::none(SIZE)).await.unwrap();
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
    /// Reads a page, and returns the result and the time that it took.
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

    /// Makes the backing answer reads with errors only; changes are covered by other functions.
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
        // Data of earlier processes at the backing is flushed there first: until then guests' flushes wait for it.
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
        // As a move does it, which freezes the guests for so long and no longer.
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

/// Error numbers of Linux.
const EIO: i32 = 5;
const ENOSPC: i32 = 28;
/// Number of scattered pages that reach the dirty limit of the bench.
const LIMIT_PAGES: u64 = 16;

impl Bench {
    fn set_retry(&self, retry_ns: Option<u64>) {
        self.disk.backing().set_retry_ns(retry_ns);
        let settings = DiskSettings { retry_ns, ..self.disk.settings() };
        self.cache.reconfigure(&self.disk, settings).unwrap();
    }

    /// Fills the dirty limit, without adjacent pages: each is a request of destage.
    async fn reach_the_limit(&self) {
        for number in 0..LIMIT_PAGES {
            self.write(number * 8, 7).await.unwrap();
        }
        assert_eq!(self.disk.statistics().dirty_limit_bytes, LIMIT_PAGES * PAGE);
    }

    /// Writes without room, and returns the result and the time that it took.
    async fn write_more(&self) -> (Result<(), ErrorKind>, u64) {
        let started = self.host.now();
        (self.write(300, 9).await, self.host.now() - started)
    }

    async fn all_is_home(&self) {
        self.host.sleep(40 * SECOND).await;
        assert_eq!(self.disk.statistics().dirty_bytes, 0, "destage goes on by itself");
        for number in 0..LIMIT_PAGES {
            assert_eq!(self.home(number * 8), 7, "page {}", number * 8);
        }
        assert_eq!(self.disk.statistics().destage_failure, None);
    }
}

#[test]
fn at_the_dirty_limit_a_write_waits_for_the_retry_time_whatever_a_dead_backing_does() {
    for hangs in [false, true] {
        run(Mode::WriteBack, async |bench| {
            bench.host.sleep(SECOND).await;
            bench.set_retry(Some(2 * SECOND));
            if hangs {
                bench.backing.hang();
            } else {
                bench.backing.refuse_behind(0, EIO);
            }
            bench.reach_the_limit().await;
            for _ in 0..3 {
                let (result, took) = bench.write_more().await;
                assert_eq!(result, Err(ErrorKind::Io), "hangs: {hangs}");
                assert!(took < 2 * SECOND + SECOND / 2, "hangs: {hangs}, {took}");
            }
            assert_eq!(bench.disk.statistics().dirty_bytes, LIMIT_PAGES * PAGE, "nothing is lost");
            bench.backing.release();
            bench.backing.fail_no_more();
            bench.all_is_home().await;
            assert_eq!(bench.write_more().await.0, Ok(()));
        });
    }
}

#[test]
fn destage_probes_a_backing_that_fails_with_one_request_at_a_time() {
    run(Mode::WriteBack, async |bench| {
        bench.host.sleep(SECOND).await;
        bench.set_retry(Some(2 * SECOND));
        bench.backing.refuse_behind(0, EIO);
        bench.reach_the_limit().await;
        bench.disk.start_destage();
        bench.host.sleep(5 * SECOND).await;
        let before = bench.backing.counts().writes;
        bench.host.sleep(60 * SECOND).await;
        // Each request is sent again every half second for two seconds, and the next one comes a second later.
        let sent = bench.backing.counts().writes - before;
        assert!((20..=140).contains(&sent), "{sent} in a minute");
        bench.backing.fail_no_more();
        bench.all_is_home().await;
    });
}

#[test]
fn without_room_below_a_disk_a_write_at_the_dirty_limit_is_told_so_and_destage_goes_on_once_there_is_room() {
    run(Mode::WriteBack, async |bench| {
        bench.host.sleep(SECOND).await;
        bench.set_retry(Some(2 * SECOND));
        bench.backing.refuse_behind(0, ENOSPC);
        bench.reach_the_limit().await;
        let (result, took) = bench.write_more().await;
        assert_eq!(result, Err(ErrorKind::NoSpace));
        assert!(took < 2 * SECOND + SECOND / 2, "{took}");
        let failure = bench.disk.statistics().destage_failure.expect("destage fails");
        assert_eq!(failure.kind, ErrorKind::NoSpace);
        assert!(failure.reason.contains("No space left on device"), "{}", failure.reason);
        // A caller that requests a complete destage gets the error soon, and does not wait for the guests' retry time.
        bench.set_retry(None);
        let started = bench.host.now();
        assert_eq!(bench.disk.quiesce().await.unwrap_err().kind, ErrorKind::NoSpace);
        assert!(bench.host.now() < started + 5 * SECOND);
        // A write that waits for ever continues with freed room.
        {
            let (write, long) = (pin!(bench.write_more()), pin!(bench.host.sleep(600 * SECOND)));
            assert!(matches!(select(write, long).await, Either::Right(_)), "retry-time=wait");
        }
        bench.backing.fail_no_more();
        bench.all_is_home().await;
        assert_eq!(bench.write_more().await.0, Ok(()), "who gave up left nothing behind");
    });
}

#[test]
fn what_finds_room_below_a_full_disk_comes_home_beside_what_does_not() {
    run(Mode::WriteBack, async |bench| {
        bench.host.sleep(SECOND).await;
        bench.backing.refuse_behind(24 * PAGE, ENOSPC);
        bench.reach_the_limit().await;
        bench.disk.start_destage();
        bench.host.sleep(20 * SECOND).await;
        assert_eq!([0, 8, 16, 24].map(|page| bench.home(page)), [7, 7, 7, 0]);
        assert_eq!(bench.disk.statistics().dirty_bytes, (LIMIT_PAGES - 3) * PAGE);
        bench.backing.fail_no_more();
        bench.all_is_home().await;
    });
}

#[test]
fn a_retry_time_and_a_dirty_limit_that_are_changed_hold_for_writes_that_wait_already() {
    run(Mode::WriteBack, async |bench| {
        bench.host.sleep(SECOND).await;
        bench.set_retry(None);
        bench.backing.hang();
        bench.reach_the_limit().await;
        let started = bench.host.now();
        let shorten = async {
            bench.host.sleep(60 * SECOND).await;
            bench.set_retry(Some(SECOND));
        };
        let ((result, _), ()) = futures_util::future::join(bench.write_more(), shorten).await;
        assert_eq!(result, Err(ErrorKind::Io));
        assert!(bench.host.now() < started + 61 * SECOND);
        bench.set_retry(Some(25 * SECOND));
        let raise = async {
            bench.host.sleep(SECOND).await;
            let settings = DiskSettings { dirty_limit_bytes: Some(32 * PAGE), ..bench.disk.settings() };
            bench.cache.reconfigure(&bench.disk, settings).unwrap();
        };
        let ((result, took), ()) = futures_util::future::join(bench.write_more(), raise).await;
        assert_eq!(result, Ok(()), "after {took}");
        assert!(took < 2 * SECOND, "{took}");
    });
}

#[test]
fn a_process_that_is_stopped_for_longer_than_the_retry_time_fails_nothing() {
    let time = VirtualTime::new();
    let executor = Executor::new(time.clone(), Order::Seeded(1));
    let host = executor.host();
    let faults = Faults::new(Memory::new(SIZE), 1);
    faults.delay(SECOND, SECOND);
    let ran = executor.run(async {
        let beneath = faults.reopen(host.clone());
        let retry = Some(2 * SECOND);
        let patient = RetryDevice::new(beneath, host.clone(), "b".to_owned(), HangPolicy::GivenUp, retry);
        for waits in [false, true] {
            let stop = async {
                host.sleep(SECOND / 2).await;
                if waits { time.stop_next_wait_for(60 * SECOND) } else { time.stop_for(60 * SECOND) }
            };
            let write = patient.write(0, Buffer::zeroed(PAGE as usize));
            let ((_, result), ()) = futures_util::future::join(write, stop).await;
            result.expect("the device answered in time");
        }
        assert!(!patient.has_left_requests());
    });
    assert!(ran.is_some());
}
