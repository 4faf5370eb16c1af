//! Stories of disks in consistent write-back: rings that are full, too small or hang, changes that the log does not take, and other orders
//! of destage before and after.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::cell::Cell;
use std::pin::pin;
use std::rc::Rc;

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::faulty::{Faults, Faulty};
use block::{BlockDevice, BlockError, Buffer, ByteRange, Geometry, Host, Memory, Operation, PAGE};
use cache::types::canary::{self, Bug};
use cache::{
    Cache, CachedDisk, ConsistencyStatistics, DestageOrder, DirtyBound, DiskId, DiskSettings, Mode, PoolId,
    RecoveryContext, SessionIds, Shape,
};
use futures_util::future::{Either, select};
use redo::{RedoRing, RingError, RingId, RingOwner, recover};

type Env = (Faulty<LocalHost>, Faulty<LocalHost>, LocalHost);
type Disk = CachedDisk<Env>;

const POOL: PoolId = PoolId([1; 16]);
const OWNER: RingOwner = RingOwner { pool: POOL.0, disk: 1 };
const SEGMENT: u64 = 128 << 10;
/// The last page is cut by the end of the disk.
const SIZE: u64 = 256 * PAGE - 512;
const SECOND: u64 = 1_000_000_000;

struct Bench {
    host: LocalHost,
    cache: Rc<Cache<Env>>,
    disk: Rc<Disk>,
    backing: Faults,
    flash: Faults,
    ring: Faults,
}

fn settings(disk: u32, destage_order: DestageOrder) -> DiskSettings {
    DiskSettings {
        mode: Mode::WriteBack,
        reserve_bytes: 16 * SEGMENT,
        limit_bytes: 20 * SEGMENT,
        ram_bytes: 16 * PAGE,
        dirty_limit_bytes: Some(100 * PAGE),
        destage_order,
        ..DiskSettings::plain(DiskId(disk))
    }
}

/// Runs a story of a disk with a new ring of so many pages, which it does not have yet.
fn story(order: DestageOrder, ring_pages: u64, run: &impl AsyncFn(&Bench)) {
    let executor = Executor::new(VirtualTime::new(), Order::Seeded(1));
    let geometry = Geometry { physical_block: 512, unmaps: true, ..Geometry::plain(SIZE) };
    let backing = Faults::new(Memory::with_geometry(geometry), 1);
    let flash = Faults::new(Memory::new((128 << 10) + 38 * SEGMENT), 1);
    let ring = Faults::new(Memory::new((32 << 10) + ring_pages * PAGE), 1);
    let host = executor.host();
    let ran = executor.run(async {
        let device = flash.reopen(host.clone());
        let shape = Shape { segment_bytes: SEGMENT, region_bytes: 64 * PAGE };
        cache::format(&device, POOL, Some(shape)).await.unwrap();
        let sessions = SessionIds { new: 1, known: vec![0], epoch: None };
        let cache = Cache::open(vec![device], host.clone(), &sessions).await.unwrap().cache;
        let past = RecoveryContext::none(SIZE);
        let disk = cache.attach(settings(1, order), backing.reopen(host.clone()), past).await.unwrap();
        RedoRing::create(ring.reopen(host.clone()), RingId([2; 16]), OWNER).await.unwrap();
        let (host, backing, flash, ring) = (host.clone(), backing.clone(), flash.clone(), ring.clone());
        for device in [&backing, &flash, &ring] {
            device.delay(1_000, 100_000);
        }
        run(&Bench { host, cache, disk, backing, flash, ring }).await;
    });
    assert!(ran.is_some(), "everything waits for something that never happens");
}

impl Bench {
    async fn hand_over(&self) {
        let ring = RedoRing::open(self.ring.reopen(self.host.clone())).await.unwrap();
        let host = self.host.clone();
        self.disk.set_redo_ring(ring, Rc::new(move || host.now()));
    }

    async fn write(&self, page: u64, pages: u64, byte: u8) {
        self.disk.write(page * PAGE, Buffer::copy_of(&vec![byte; (pages * PAGE) as usize])).await.1.unwrap();
    }

    fn consistency(&self) -> ConsistencyStatistics {
        self.disk.consistency().unwrap()
    }

    /// Waits until something is so, and at most a minute.
    async fn wait(&self, what: &str, is_so: impl Fn() -> bool) {
        for _ in 0..6_000 {
            if is_so() {
                return;
            }
            self.host.sleep(SECOND / 100).await;
        }
        panic!("{what}: {:?}", self.disk.consistency());
    }

    async fn wait_for_promise(&self) {
        self.wait("no group counts", || self.consistency().taken_at.is_some()).await;
    }

    /// Waits until groups that count have everything.
    async fn wait_for_group(&self) {
        let is_covered = |state: ConsistencyStatistics| (state.fresh_bytes, state.uncovered_ns) == (0, 0);
        self.wait("it is not covered", || is_covered(self.consistency())).await;
    }

    /// Returns the byte that fills a page of the backing.
    fn on_backing(&self, page: u64) -> u8 {
        let mut bytes = [0; 512];
        self.backing.peek(page * PAGE, &mut bytes);
        bytes[0]
    }
}

/// A guest overwrites what a group has whose ring hangs; meanwhile another disk needs the flash that reclaim frees.
fn hang_while_another_disk_writes() -> bool {
    let ended = std::cell::Cell::new(false);
    story(DestageOrder::Consistent, 400, &async |bench: &Bench| {
        bench.hand_over().await;
        bench.wait_for_promise().await;
        let backing = Faults::new(Memory::new(2048 * PAGE), 3);
        let limit_bytes = 36 * SEGMENT;
        let settings = DiskSettings { limit_bytes, ..settings(2, DestageOrder::Address) };
        let device = backing.reopen(bench.host.clone());
        let past = RecoveryContext::none(2048 * PAGE);
        let other = bench.cache.attach(settings, device, past).await.unwrap();
        bench.write(0, 40, 1).await;
        bench.ring.hang();
        // The group begins.
        bench.host.sleep(SECOND).await;
        // All of them, so that nothing is live in their segments, and no reclaim moves them.
        bench.write(0, 40, 2).await;
        let writes = async {
            for round in 0..400_u64 {
                let bytes = Buffer::copy_of(&vec![round as u8; 16 * PAGE as usize]);
                other.write(round % 128 * 16 * PAGE, bytes).await.1?;
            }
            Ok::<_, BlockError>(())
        };
        let (writes, time) = (pin!(writes), pin!(bench.host.sleep(100 * SECOND)));
        ended.set(matches!(select(writes, time).await, Either::Left((Ok(()), _))));
        bench.ring.release();
        bench.wait("no group counts", || bench.consistency().fresh_bytes == 0).await;
    });
    ended.get()
}

#[test]
fn a_ring_that_hangs_does_not_hold_up_other_disks() {
    assert!(hang_while_another_disk_writes());
    canary::plant(Some(Bug::KeptForRing));
    let ended = hang_while_another_disk_writes();
    canary::plant(None);
    assert!(!ended, "it does not find versions that are kept for ever");
}

/// Grows a disk whose last page is dirty. Returns whether that could be prepared within a time.
fn grow_while_the_ring_promises() -> bool {
    let ended = std::cell::Cell::new(false);
    story(DestageOrder::Consistent, 400, &async |bench: &Bench| {
        bench.hand_over().await;
        bench.wait_for_promise().await;
        bench.write(3, 4, 1).await;
        let end = SIZE / PAGE * PAGE;
        bench.disk.write(end, Buffer::copy_of(&[5; 3584])).await.1.unwrap();
        let (growing, time) = (pin!(bench.disk.prepare_to_grow()), pin!(bench.host.sleep(20 * SECOND)));
        if let Either::Left((growing, _)) = select(growing, time).await {
            assert_eq!((bench.on_backing(SIZE / PAGE), bench.consistency().taken_at), (5, None));
            drop(growing.unwrap());
            ended.set(true);
            // It begins again behind that.
            bench.wait_for_promise().await;
        }
    });
    ended.get()
}

#[test]
fn a_change_that_the_log_does_not_take_has_the_ring_made_void() {
    assert!(grow_while_the_ring_promises());
    canary::plant(Some(Bug::GateWithoutHold));
    let ended = grow_while_the_ring_promises();
    canary::plant(None);
    assert!(!ended, "it does not find that nothing makes the ring void");
}

#[test]
fn guests_go_on_after_the_flash_failed_with_nothing_dirty() {
    for is_late in [false, true] {
        story(DestageOrder::Consistent, 400, &async |bench: &Bench| {
            if !is_late {
                bench.hand_over().await;
                bench.wait_for_promise().await;
            }
            bench.flash.fail_often(Operation::Write, 1000);
            bench.flash.fail_often(Operation::Read, 1000);
            bench.flash.fail_often(Operation::Flush, 1000);
            let write = pin!(bench.write(3, 1, 7));
            let handed_over = pin!(async {
                bench.host.sleep(3 * SECOND).await;
                if is_late {
                    bench.hand_over().await;
                }
                std::future::pending::<()>().await;
            });
            select(write, handed_over).await;
            bench.write(4, 1, 8).await;
            assert_eq!([3, 4].map(|page| bench.on_backing(page)), [7, 8]);
            assert_eq!(bench.consistency().taken_at, None);
        });
    }
}

#[test]
fn a_ring_that_promises_nothing_holds_nothing_back_until_what_is_dirty_fits_a_group() {
    story(DestageOrder::Address, 30, &async |bench: &Bench| {
        bench.backing.hang();
        bench.write(0, 40, 1).await;
        assert_eq!(bench.disk.consistency(), None);
        let consistent = settings(1, DestageOrder::Consistent);
        bench.cache.reconfigure(&bench.disk, consistent).unwrap();
        bench.hand_over().await;
        bench.host.sleep(2 * SECOND).await;
        let before = bench.consistency();
        assert_eq!((before.taken_at, before.fresh_bytes), (None, 0), "nothing is in a journal");
        assert!(before.uncovered_ns >= SECOND);
        bench.backing.release();
        bench.wait_for_promise().await;
        bench.wait_for_group().await;
        assert_eq!(bench.consistency().failure, None);
        let room = bench.disk.statistics().dirty_room;
        assert_eq!((room.limit_bytes, room.bound), (13 * PAGE, DirtyBound::Ring));
    });
}

#[test]
fn a_ring_is_not_believed_once_the_order_was_another() {
    story(DestageOrder::Consistent, 400, &async |bench: &Bench| {
        bench.hand_over().await;
        bench.wait_for_promise().await;
        bench.write(0, 30, 1).await;
        assert!(bench.disk.leave_redo_ring().await.is_err(), "the order needs it");
        bench.wait_for_group().await;
        // A copy of a ring that promises something.
        let mut bytes = vec![0; 408 * PAGE as usize];
        bench.ring.peek(0, &mut bytes);
        bench.cache.reconfigure(&bench.disk, settings(1, DestageOrder::Address)).unwrap();
        bench.disk.leave_redo_ring().await.unwrap();
        assert_eq!(bench.disk.consistency(), None);
        bench.disk.leave_redo_ring().await.unwrap();
        bench.write(0, 30, 2).await;
        bench.disk.destage_all().await.unwrap();
        assert_eq!(bench.on_backing(0), 2, "no ring holds anything back");
        bench.disk.resume();
        let stale = Memory::new(408 * PAGE);
        stale.poke(0, &bytes);
        let stale = Faults::new(stale, 4);
        let ring = RedoRing::open(stale.reopen(bench.host.clone())).await.unwrap();
        assert!(ring.taken_at().is_some());
        bench.disk.set_redo_ring(ring, Rc::new(|| 0));
        bench.wait("it is believed", || bench.consistency().taken_at.is_none()).await;
        bench.cache.reconfigure(&bench.disk, settings(1, DestageOrder::Consistent)).unwrap();
        bench.wait_for_promise().await;
        let device = bench.backing.handle(bench.host.clone());
        let ring = RedoRing::open(stale.handle(bench.host.clone())).await.unwrap();
        recover(&ring, &device).await.unwrap();
        assert_eq!(bench.on_backing(0), 2);
    });
}

#[test]
fn a_group_has_the_time_of_a_clock_that_was_set_after_the_ring_was_handed_over() {
    story(DestageOrder::Consistent, 408, &async |bench| {
        let ring = RedoRing::open(bench.ring.reopen(bench.host.clone())).await.unwrap();
        let clock = Rc::new(Cell::new(SECOND));
        let ours = Rc::clone(&clock);
        bench.disk.set_redo_ring(ring, Rc::new(move || ours.get()));
        bench.wait_for_promise().await;
        for time in [1_000 * SECOND, 2 * SECOND] {
            clock.set(time);
            bench.write(0, 1, 1).await;
            bench.wait_for_group().await;
            assert_eq!(bench.consistency().taken_at, Some(time));
        }
    });
}

/// Makes a ring void, which fails, and has it used again. Returns what a recovery finds in a page of an earlier group, which was not destaged.
fn recover_after_a_failed_void() -> u8 {
    let found = std::cell::Cell::new(0);
    story(DestageOrder::Consistent, 400, &async |bench: &Bench| {
        bench.hand_over().await;
        bench.wait_for_promise().await;
        bench.backing.hang();
        bench.write(0, 4, 1).await;
        bench.wait_for_group().await;
        bench.ring.fail_after(Operation::Write, 0);
        bench.cache.reconfigure(&bench.disk, settings(1, DestageOrder::Address)).unwrap();
        bench.wait("it is void", || bench.consistency().failure.is_some()).await;
        bench.cache.reconfigure(&bench.disk, settings(1, DestageOrder::Consistent)).unwrap();
        bench.ring.land_late();
        bench.write(8, 1, 2).await;
        bench.wait_for_group().await;
        bench.wait_for_promise().await;
        let backing = Faults::new(Memory::new(256 * PAGE), 5);
        let ring = RedoRing::open(bench.ring.handle(bench.host.clone())).await.unwrap();
        recover(&ring, &backing.reopen(bench.host.clone())).await.unwrap();
        let of_page = |page| {
            let mut bytes = [0; 512];
            backing.peek(page * PAGE, &mut bytes);
            bytes[0]
        };
        assert_eq!(of_page(8), 2);
        found.set(of_page(0));
        bench.backing.release();
    });
    found.get()
}

#[test]
fn a_ring_that_failed_to_become_void_gets_everything_dirty_once_more() {
    assert_eq!(recover_after_a_failed_void(), 1);
    canary::plant(Some(Bug::JournaledInVoidRing));
    let found = recover_after_a_failed_void();
    canary::plant(None);
    assert_eq!(found, 0, "it does not find that the ring lacks what is dirty");
}

#[test]
fn a_group_that_is_too_large_ends_the_promise_until_one_counts_again() {
    story(DestageOrder::Consistent, 20, &async |bench: &Bench| {
        bench.hand_over().await;
        bench.wait_for_promise().await;
        bench.backing.delay(SECOND / 10, SECOND / 5);
        bench.write(0, 60, 1).await;
        let is_too_large = || matches!(bench.consistency().failure, Some(RingError::TooLarge { .. }));
        bench.wait("it fits", is_too_large).await;
        bench.wait("it promises something", || bench.consistency().taken_at.is_none()).await;
        assert!(is_too_large(), "it is said");
        bench.wait_for_promise().await;
        assert_eq!(bench.consistency().failure, None);
        assert_eq!(bench.on_backing(59), 1);
    });
}

/// Fills a ring of 20 pages with groups of one page each, all of which are overwritten before destage has brought any to the backing.
async fn fill(bench: &Bench) {
    bench.hand_over().await;
    bench.wait_for_promise().await;
    bench.backing.hang();
    let is_full = || matches!(bench.consistency().failure, Some(RingError::NoRoom { .. }));
    for page in 0..7 {
        bench.write(page, 1, 1).await;
        bench.wait("it is not covered", || bench.consistency().fresh_bytes == 0 || is_full()).await;
    }
    assert!(is_full(), "{:?}", bench.consistency());
    for page in 0..7 {
        bench.write(page, 1, 2).await;
    }
}

#[test]
fn a_full_ring_whose_pages_were_all_overwritten_is_replayed() {
    story(DestageOrder::Consistent, 20, &async |bench: &Bench| {
        fill(bench).await;
        let taken_at = bench.consistency().taken_at;
        bench.backing.release();
        bench.wait("it is not replayed", || bench.consistency().replays > 0).await;
        assert!(taken_at.is_some() && bench.consistency().taken_at >= taken_at, "the promise stays");
        bench.wait_for_group().await;
        bench.wait("it is not destaged", || (0..7).all(|page| bench.on_backing(page) == 2)).await;
    });
}

#[test]
fn damaged_groups_in_a_full_ring_end_the_promise_and_not_the_service() {
    story(DestageOrder::Consistent, 20, &async |bench: &Bench| {
        fill(bench).await;
        bench.ring.make_unreadable(ByteRange::new(32 << 10, (32 << 10) + 20 * PAGE));
        bench.backing.release();
        let is_damaged = || matches!(bench.consistency().failure, Some(RingError::GroupDamaged { .. }));
        bench.wait("it is whole", is_damaged).await;
        bench.wait_for_promise().await;
        bench.wait("it is not destaged", || (0..7).all(|page| bench.on_backing(page) == 2)).await;
        assert_eq!((bench.consistency().replays, bench.consistency().failure), (0, None));
    });
}

#[test]
fn a_replay_waits_for_a_backing_that_refuses_and_guests_go_on_meanwhile() {
    story(DestageOrder::Consistent, 20, &async |bench: &Bench| {
        fill(bench).await;
        bench.backing.refuse_behind(0, 28);
        bench.backing.release();
        bench.host.sleep(5 * SECOND).await;
        bench.write(0, 1, 3).await;
        let found = bench.consistency();
        assert!(
            found.taken_at.is_some() && matches!(found.failure, Some(RingError::Backing(_))),
            "{found:?}"
        );
        bench.backing.fail_no_more();
        bench.wait_for_group().await;
        assert_eq!(bench.consistency().failure, None);
    });
}

/// Writes a page every half second while the ring hangs, for ten seconds. Returns how many writes ended, and how many were waiting then.
fn write_while_the_ring_hangs(consistent_age_max_ns: Option<u64>) -> [u64; 2] {
    let ended = std::cell::Cell::new([0, 0]);
    story(DestageOrder::Consistent, 400, &async |bench: &Bench| {
        let limited = DiskSettings { consistent_age_max_ns, ..settings(1, DestageOrder::Consistent) };
        bench.cache.reconfigure(&bench.disk, limited).unwrap();
        bench.hand_over().await;
        bench.wait_for_promise().await;
        bench.ring.hang();
        let written = std::cell::Cell::new(0);
        let writes = async {
            for page in 0..20 {
                bench.host.sleep(SECOND / 2).await;
                bench.write(page, 1, 7).await;
                written.set(written.get() + 1);
            }
        };
        let mut writes = pin!(writes);
        let time = pin!(bench.host.sleep(11 * SECOND));
        if let Either::Left(_) = select(writes.as_mut(), time).await {
            ended.set([written.get(), 0]);
        } else {
            ended.set([written.get(), 1]);
            assert!(bench.consistency().uncovered_ns >= 4 * SECOND);
            bench.ring.release();
            writes.await;
        }
        bench.ring.release();
        bench.wait_for_group().await;
    });
    ended.get()
}

#[test]
fn writers_wait_once_a_write_is_in_no_group_for_as_long_as_the_limit_allows() {
    assert_eq!(write_while_the_ring_hangs(None), [20, 0]);
    assert_eq!(
        write_while_the_ring_hangs(Some(4 * SECOND)),
        [8, 1],
        "the ninth comes four seconds after the first"
    );
    canary::plant(Some(Bug::AgeNotLimited));
    let unlimited = write_while_the_ring_hangs(Some(4 * SECOND));
    canary::plant(None);
    assert_eq!(unlimited, [20, 0]);
}

#[test]
fn a_ring_that_is_full_while_a_disk_is_quiesced_holds_no_writer_back_for_its_age() {
    story(DestageOrder::Consistent, 400, &async |bench: &Bench| {
        let limited =
            DiskSettings { consistent_age_max_ns: Some(2 * SECOND), ..settings(1, DestageOrder::Consistent) };
        bench.cache.reconfigure(&bench.disk, limited).unwrap();
        bench.hand_over().await;
        bench.wait_for_promise().await;
        bench.disk.quiesce().await.unwrap();
        assert!(bench.consistency().backing_as_of.is_some());
        // Its group is needed as long as nothing is destaged.
        bench.write(0, 40, 1).await;
        bench.wait_for_group().await;
        for round in 0..60 {
            bench.write(60, 20, round).await;
            bench.host.sleep(SECOND).await;
        }
        assert_eq!(bench.consistency().backing_as_of, None);
        assert!(bench.disk.quiesce_ended().await.contains("full"));
        bench.disk.destage_all().await.unwrap();
        assert_eq!([0, 60].map(|page| bench.on_backing(page)), [1, 59]);
    });
}
