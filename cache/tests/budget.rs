//! The write budget of a pool in use, over days: promotions keep within it, guests never notice, whatever shard they are on.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::rc::Rc;

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::{BlockDevice, Buffer, Host, Memory, PAGE};
use cache::{
    Admission, BudgetStatistics, Cache, CachedDisk, DiskId, DiskSettings, DriveWrites, Mode, PoolId,
    RecoveryContext, SessionIds, Shape, format,
};

const SEGMENT: u64 = 128 << 10;
const FLASH_BYTES: u64 = 132 * SEGMENT;
const DISK_BYTES: u64 = 64 << 20;
/// Size of the bucket of so small a device with almost no budget.
const BUCKET_BYTES_MIN: u64 = 1 << 20;
const SECOND: u64 = 1_000_000_000;
const SEED: u64 = 1;
/// Minutes.
const DAY: u64 = 24 * 60;

type Env = (Memory, Rc<Memory>, LocalHost);
type Pool = Cache<Env>;
type Disk = CachedDisk<Env>;

/// A pool of one device that two shards use, and a disk on each: one is read, the other one written in write-back.
struct Scene {
    host: LocalHost,
    pools: [Rc<Pool>; 2],
    read: Rc<Disk>,
    written: Rc<Disk>,
    drawn: u64,
}

impl Scene {
    async fn new(host: &LocalHost, admission: Admission) -> Self {
        let flash = Rc::new(Memory::new(FLASH_BYTES));
        let shape = Shape { segment_bytes: SEGMENT, region_bytes: 1 << 20 };
        format(&flash, PoolId([3; 16]), Some(shape)).await.unwrap();
        let marks = SessionIds { new: 1, known: vec![0], epoch: None };
        let first = Cache::open(vec![Rc::clone(&flash)], host.clone(), &marks).await.unwrap().cache;
        let second = Cache::join(&first.shared(), vec![flash], host.clone()).await.unwrap();
        let settings = |number, mode| DiskSettings {
            mode,
            admission,
            reserve_bytes: 16 * SEGMENT,
            limit_bytes: 64 * SEGMENT,
            ram_bytes: 64 * PAGE,
            block_bytes: PAGE as u32,
            ..DiskSettings::plain(DiskId(number))
        };
        let backing = || (Memory::new(DISK_BYTES), RecoveryContext::none(DISK_BYTES));
        let ((one, past), (other, no_past)) = (backing(), backing());
        let read = first.attach(settings(1, Mode::WriteThrough), one, past).await.unwrap();
        let written = second.attach(settings(2, Mode::WriteBack), other, no_past).await.unwrap();
        Self { host: host.clone(), pools: [first, second], read, written, drawn: 0 }
    }

    /// Each minute a guest reads so many pages here and there, ten at a time, and another one writes one of a few.
    async fn work(&mut self, minutes: u64, pages: u64) {
        for minute in 0..minutes {
            for read in 0..pages {
                self.drawn =
                    self.drawn.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                let page = (self.drawn >> 33) % (DISK_BYTES / PAGE);
                self.read.read(page * PAGE, Buffer::zeroed(PAGE as usize)).await.1.unwrap();
                if read % 10 == 9 {
                    self.host.sleep(SECOND).await;
                }
            }
            let page = minute * 7 % 64;
            self.written.write(page * PAGE, Buffer::zeroed(PAGE as usize)).await.1.unwrap();
            self.host.sleep((60 - pages / 10) * SECOND).await;
        }
    }

    fn written_bytes(&self) -> u64 {
        self.pools[0].pool_statistics().devices[0].written_bytes
    }

    fn budget(&self) -> Option<BudgetStatistics> {
        self.pools[1].pool_statistics().devices[0].budget
    }

    /// Returns totals: bytes written, pages promoted, and pages held back.
    fn figures(&self) -> [u64; 3] {
        let counts = self.read.statistics().counts;
        [self.written_bytes(), counts.promotions, counts.promotions_held_back]
    }

    fn since(&self, before: [u64; 3]) -> [u64; 3] {
        let now = self.figures();
        std::array::from_fn(|at| now[at] - before[at])
    }
}

fn run<T>(work: impl AsyncFnOnce(LocalHost) -> T) -> T {
    // Chance decides which batches are let in, and once in some seventy days one spends the last of a budget: pressure is 1 for a moment then.
    println!("seed {SEED}");
    let executor = Executor::new(VirtualTime::new(), Order::Seeded(SEED));
    let host = executor.host();
    executor.run(work(host)).unwrap()
}

#[test]
fn what_is_written_in_a_day_keeps_within_the_budget_and_guests_writes_are_never_held_back() {
    run(async |host| {
        let mut scene = Scene::new(&host, Admission::Always).await;
        let begin = scene.figures();
        scene.work(DAY / 4, 200).await;
        let [bytes, _, held_back] = scene.since(begin);
        assert!(bytes > 20 * FLASH_BYTES / 4 && held_back == 0, "{bytes} and {held_back}");
        assert_eq!((scene.budget(), scene.pools[0].write_pressure().to_bits()), (None, 0));

        // Ten times a day. What guests write, and what that has written, takes three.
        scene.pools[0].set_write_budget(DriveWrites::from_thousandths(10_000));
        let budget = scene.budget().unwrap();
        let bucket_bytes = 10 * FLASH_BYTES / 24;
        assert!(budget.bytes_a_day == 10 * FLASH_BYTES && budget.share > 0.99, "{budget:?}");
        for day in 0..2 {
            let (begin, acknowledged) = (scene.figures(), scene.written.statistics().counts.writes_back);
            scene.work(DAY, 200).await;
            let [bytes, promoted, held_back] = scene.since(begin);
            assert!(bytes <= 10 * FLASH_BYTES + bucket_bytes, "day {day}: {bytes}");
            assert!(bytes >= 95 * FLASH_BYTES / 10, "day {day}: {bytes} is far below the budget");
            assert!(promoted > 1000 && held_back > promoted, "day {day}: {promoted} and {held_back}");
            assert_eq!(scene.written.statistics().counts.writes_back - acknowledged, DAY);
            let pressure = scene.pools[1].write_pressure();
            assert!((0.5..1.0).contains(&pressure), "{pressure}");
        }
        assert!(
            scene.read.statistics().counts.rejections >= scene.figures()[2],
            "they are among the rejected"
        );

        // Less than guests write: only promotions wait.
        scene.pools[1].set_write_budget(DriveWrites::from_thousandths(1000));
        scene.work(DAY / 2, 200).await;
        let (begin, acknowledged) = (scene.figures(), scene.written.statistics().counts.writes_back);
        scene.work(DAY / 2, 200).await;
        let [bytes, promoted, held_back] = scene.since(begin);
        assert!(promoted == 0 && held_back > 100_000 && bytes > FLASH_BYTES, "{:?}", scene.since(begin));
        assert_eq!(scene.written.statistics().counts.writes_back - acknowledged, DAY / 2);
        assert_eq!(scene.pools[0].write_pressure().to_bits(), 1.0_f32.to_bits());

        scene.pools[1].set_write_budget(None);
        let begin = scene.figures();
        scene.work(60, 200).await;
        assert_eq!((scene.since(begin)[2], scene.budget()), (0, None));
        assert!(scene.since(begin)[1] > 1000, "{:?}", scene.since(begin));
    });
}

#[test]
fn a_flash_that_fills_for_the_first_time_keeps_within_the_budget_too() {
    run(async |host| {
        let mut scene = Scene::new(&host, Admission::Adaptive).await;
        scene.pools[0].set_write_budget(DriveWrites::from_thousandths(1));
        let begin = scene.figures();
        scene.work(10, 500).await;
        let [bytes, promoted, held_back] = scene.since(begin);
        assert!(promoted > 50 && held_back > promoted, "{promoted} and {held_back}");
        assert!(bytes <= BUCKET_BYTES_MIN, "{bytes}");
        assert!(scene.pools[0].pool_statistics().segments_free > 100, "there was room for more");
    });
}

#[test]
fn what_is_appended_again_counts_as_written_by_its_disk() {
    run(async |host| {
        let mut scene = Scene::new(&host, Admission::Always).await;
        scene.work(DAY / 4, 200).await;
        let counts = scene.read.statistics().counts;
        assert!(counts.reappends > 1000, "{counts:?}");
        let bytes = (counts.promotions + counts.reappends) * PAGE;
        // Headers of batches, and summaries.
        assert!((bytes..bytes * 3 / 2).contains(&counts.flash_write_bytes), "{counts:?}");
    });
}
