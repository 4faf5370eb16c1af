//! A block that a guest overwrites on its way to the backing is the same block afterwards: its history is kept, exactly.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::rc::Rc;

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::{BlockDevice, Buffer, Host, Memory, PAGE};
use cache::{
    Admission, Cache, CachedDisk, DiskId, DiskSettings, PoolId, RecoveryContext, SessionIds, Shape, format,
};

const SEGMENT: u64 = 32 << 10;
const FLASH_BYTES: u64 = (128 << 10) + 20 * SEGMENT;
const DISK_BYTES: u64 = 4 << 20;
const RAM_PAGES: u64 = 16;

struct Scene {
    host: LocalHost,
    disk: Rc<CachedDisk<(Memory, Memory, LocalHost)>>,
    /// Pages from here on were not read yet.
    fresh: u64,
}

impl Scene {
    /// Creates a disk on flash that is full of what was read once, where what was used so often may enter.
    async fn new(host: LocalHost, times: u32) -> Self {
        let flash = Memory::new(FLASH_BYTES);
        let shape = Shape { segment_bytes: SEGMENT, region_bytes: 256 << 10 };
        format(&flash, PoolId([1; 16]), Some(shape)).await.unwrap();
        let marks = SessionIds { new: 1, known: vec![0], epoch: None };
        let pool = Cache::open(vec![flash], host.clone(), &marks).await.unwrap().cache;
        let settings = DiskSettings {
            reserve_bytes: 16 * SEGMENT,
            limit_bytes: 16 * SEGMENT,
            ram_bytes: RAM_PAGES * PAGE,
            block_bytes: PAGE as u32,
            admission: Admission::Repeated(times),
            ..DiskSettings::plain(DiskId(1))
        };
        let disk =
            pool.attach(settings, Memory::new(DISK_BYTES), RecoveryContext::none(DISK_BYTES)).await.unwrap();
        let mut scene = Self { host, disk, fresh: 8 };
        scene.push_through_ram(200).await;
        assert!(scene.disk.statistics().counts.rejections > 0, "flash is full");
        scene
    }

    async fn read(&self, page: u64) {
        self.disk.read(page * PAGE, Buffer::zeroed(PAGE as usize)).await.1.unwrap();
        self.host.sleep(1_000).await;
    }

    /// Writes so many bytes at the start of a page.
    async fn write(&self, page: u64, bytes: u64) {
        self.disk.write(page * PAGE, Buffer::zeroed(bytes as usize)).await.1.unwrap();
        self.host.sleep(1_000).await;
    }

    /// Reads pages that are not read again, which evict the content of RAM.
    async fn push_through_ram(&mut self, pages: u64) {
        for page in self.fresh..self.fresh + pages {
            self.read(page).await;
        }
        self.fresh += pages;
        self.host.sleep(1_000_000_000).await;
    }

    /// Returns true if a page is cached after four times what RAM holds has gone through it: it entered flash, or waits
    /// for it.
    async fn keeps(&mut self, page: u64) -> bool {
        self.push_through_ram(4 * RAM_PAGES).await;
        let misses = |scene: &Self| scene.disk.statistics().counts.read_misses;
        let before = misses(self);
        self.read(page).await;
        misses(self) == before
    }
}

fn run(times: u32, story: impl AsyncFn(Scene)) {
    let executor = Executor::new(VirtualTime::new(), Order::Fifo);
    let host = executor.host();
    executor.run(async { story(Scene::new(host, times).await).await }).expect("nothing waits for ever");
}

#[test]
fn each_overwrite_counts_as_a_use() {
    for (writes, enters) in [(3, false), (4, true), (9, true)] {
        run(4, async |mut scene| {
            for _ in 0..writes {
                scene.write(1, PAGE).await;
            }
            assert_eq!(scene.keeps(1).await, enters, "{writes} writes, four to enter");
        });
    }
}

#[test]
fn a_version_that_is_not_kept_is_remembered() {
    run(2, async |mut scene| {
        let (known, stranger) = (9, 1);
        // The former is on flash. The new version of both is known only in part, so it cannot be cached.
        for page in [known, stranger] {
            scene.write(page, 512).await;
        }
        let misses = scene.disk.statistics().counts.read_misses;
        for page in [known, stranger] {
            scene.read(page).await;
        }
        assert_eq!(scene.disk.statistics().counts.read_misses, misses + 2);
        assert!(!scene.keeps(stranger).await);
        assert!(scene.keeps(known).await, "it was used before it was overwritten");
    });
}
