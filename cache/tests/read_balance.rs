//! Reads of clean blocks on flash, divided between flash and a backing, in virtual time.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::{BlockDevice, BlockError, Buffer, ByteRange, Geometry, Host, Memory, Outcome, PAGE, Unmap};
use cache::{
    Cache, CachedDisk, DiskCounts, DiskId, DiskSettings, Mode, PoolId, ReadBalancing, RecoveryContext,
    SessionIds, Shape, format,
};
use futures_util::future::join_all;

const SEGMENT: u64 = 1 << 20;
const FLASH_BYTES: u64 = 132 * SEGMENT;
const DISK_BYTES: u64 = 32 << 20;
const MICRO: u64 = 1_000;
/// Passes over the disk until all of it has to be on flash.
const PASSES_MAX: usize = 10;
const SECOND: u64 = 1_000_000_000;

/// A device that serves so many reads at once, each in the same time; everything else at once.
struct Queued {
    inner: Memory,
    host: LocalHost,
    read_ns: Cell<u64>,
    /// When each channel is free again.
    channels: RefCell<Vec<u64>>,
    hangs: Cell<bool>,
}

impl Queued {
    fn new(bytes: u64, host: &LocalHost, channels: usize) -> Rc<Self> {
        Rc::new(Self {
            inner: Memory::new(bytes),
            host: host.clone(),
            read_ns: Cell::new(0),
            channels: RefCell::new(vec![0; channels]),
            hangs: Cell::new(false),
        })
    }
}

impl BlockDevice for Queued {
    fn geometry(&self) -> Geometry {
        self.inner.geometry()
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        if self.hangs.get() {
            std::future::pending::<()>().await;
        }
        let done = {
            let mut channels = self.channels.borrow_mut();
            let next = channels.iter_mut().min().unwrap();
            *next = self.host.now().max(*next) + self.read_ns.get();
            *next
        };
        self.host.sleep_until(done).await;
        self.inner.read(offset, buffer).await
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.inner.write(offset, buffer).await
    }

    async fn flush(&self) -> Result<(), BlockError> {
        self.inner.flush().await
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        self.inner.write_zeroes(range, unmap).await
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        self.inner.discard(range).await
    }
}

type Env = (Rc<Queued>, Rc<Queued>, LocalHost);

/// A disk of which all is on flash.
struct CachedOnFlash {
    host: LocalHost,
    flash: Rc<Queued>,
    backing: Rc<Queued>,
    pool: Rc<Cache<Env>>,
    disk: Rc<CachedDisk<Env>>,
}

/// Time that a read of either device takes, with nothing before it.
#[derive(Clone, Copy)]
struct Speed {
    flash_us: u64,
    backing_us: u64,
}

impl CachedOnFlash {
    async fn new(host: &LocalHost, balancing: ReadBalancing, channels: [usize; 2]) -> Self {
        let [flash, backing] = [(FLASH_BYTES, channels[0]), (DISK_BYTES, channels[1])]
            .map(|(bytes, channels)| Queued::new(bytes, host, channels));
        for page in 0..DISK_BYTES / PAGE {
            backing.inner.poke(page * PAGE, &(page + 1).to_le_bytes());
        }
        let shape = Shape { segment_bytes: SEGMENT, region_bytes: 1 << 20 };
        format(&flash, PoolId([3; 16]), Some(shape)).await.unwrap();
        let marks = SessionIds { new: 1, known: vec![0], epoch: None };
        let pool = Cache::open(vec![Rc::clone(&flash)], host.clone(), &marks).await.unwrap().cache;
        let settings = DiskSettings {
            mode: Mode::WriteThrough,
            reserve_bytes: 96 * SEGMENT,
            limit_bytes: 96 * SEGMENT,
            ram_bytes: 64 * PAGE,
            block_bytes: PAGE as u32,
            read_balance: balancing,
            ..DiskSettings::plain(DiskId(1))
        };
        let disk =
            pool.attach(settings, Rc::clone(&backing), RecoveryContext::none(DISK_BYTES)).await.unwrap();
        let scene = Self { host: host.clone(), flash, backing, pool, disk };
        for _ in 0..PASSES_MAX {
            let before = scene.disk.statistics().counts;
            for page in 0..DISK_BYTES / PAGE {
                scene.read(page).await;
                // Flash takes in what left RAM meanwhile.
                host.sleep(100 * MICRO).await;
            }
            if scene.disk.statistics().counts.since(&before).read_misses == 0 {
                return scene;
            }
        }
        panic!(
            "flash has not all of the disk after {PASSES_MAX} passes: {:?}",
            scene.disk.statistics().counts
        );
    }

    async fn read(&self, page: u64) {
        let (buffer, result) = self.disk.read(page * PAGE, Buffer::zeroed(PAGE as usize)).await;
        result.unwrap();
        assert_eq!(buffer[..8], (page + 1).to_le_bytes(), "page {page}");
    }

    /// Lets clients read at random places one after another, so many reads each. Returns reads a second, and what was counted.
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    async fn load(&self, speed: Speed, clients: u64, reads: u64) -> (f64, DiskCounts) {
        self.flash.read_ns.set(speed.flash_us * MICRO);
        self.backing.read_ns.set(speed.backing_us * MICRO);
        let (begun, before) = (self.host.now(), self.disk.statistics().counts);
        let client = async |number: u64| {
            let mut drawn = number + 1;
            for _ in 0..reads {
                drawn = drawn.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                self.read((drawn >> 33) % (DISK_BYTES / PAGE)).await;
            }
        };
        join_all((0..clients).map(client)).await;
        let seconds = (self.host.now() - begun) as f64 / SECOND as f64;
        ((clients * reads) as f64 / seconds, self.disk.statistics().counts.since(&before))
    }
}

fn run<T>(work: impl AsyncFnOnce(LocalHost) -> T) -> T {
    let executor = Executor::new(VirtualTime::new(), Order::Fifo);
    let host = executor.host();
    executor.run(work(host)).unwrap()
}

/// Returns reads a second with flash alone, and with reads divided.
fn compare(speed: Speed, channels: [usize; 2], clients: u64, reads: u64) -> [f64; 2] {
    [ReadBalancing::Off, ReadBalancing::Auto].map(|balancing| {
        run(async |host| {
            let scene = CachedOnFlash::new(&host, balancing, channels).await;
            // The first part finds the share.
            scene.load(speed, clients, reads / 4).await;
            let (rate, counts) = scene.load(speed, clients, reads).await;
            assert!(counts.read_misses == 0 && counts.read_partial_hits == 0, "{counts:?}");
            assert_eq!(counts.reads_bypassed, 0, "{counts:?}");
            if balancing == ReadBalancing::Off {
                assert_eq!(counts.reads_balanced, 0);
            }
            rate
        })
    })
}

#[test]
fn flash_that_is_asked_for_twice_what_it_can_serves_more_with_its_backing() {
    // 16 clients keep both of a flash of four channels and a backing of three busy, which are as fast.
    let [alone, divided] = compare(Speed { flash_us: 100, backing_us: 100 }, [4, 3], 16, 4_000);
    assert!(divided > 1.3 * alone, "{divided:.0} beside {alone:.0}: {:.2}", divided / alone);
}

#[test]
fn a_backing_that_is_faster_answers_and_a_slow_one_costs_nothing() {
    let [alone, divided] = compare(Speed { flash_us: 120, backing_us: 40 }, [4, 4], 1, 40_000);
    assert!(divided > 2.0 * alone, "{divided:.0} beside {alone:.0}");
    for clients in [1, 16] {
        let [alone, divided] = compare(Speed { flash_us: 100, backing_us: 8_000 }, [4, 4], clients, 40_000);
        assert!(divided > 0.99 * alone, "{divided:.0} beside {alone:.0} with {clients} clients");
    }
}

#[test]
fn dirty_blocks_are_never_read_from_the_backing() {
    run(async |host| {
        let scene = CachedOnFlash::new(&host, ReadBalancing::Auto, [4, 4]).await;
        let settings =
            DiskSettings { mode: Mode::WriteBack, destage_rate_max: PAGE, ..scene.disk.settings() };
        scene.pool.reconfigure(&scene.disk, settings).unwrap();
        let (_, counts) = scene.load(Speed { flash_us: 500, backing_us: 10 }, 1, 4_000).await;
        assert!(counts.reads_balanced > 1_000, "{counts:?}");
        // More than RAM has.
        let dirty = 100..400;
        for number in dirty.clone() {
            let mut page = Buffer::zeroed(PAGE as usize);
            page[..8].copy_from_slice(&(number + 1u64).to_le_bytes());
            scene.disk.write(number * PAGE, page).await.1.unwrap();
            // What the backing has would be seen.
            scene.backing.inner.poke(number * PAGE, &0u64.to_le_bytes());
        }
        let before = scene.disk.statistics().counts;
        for page in dirty.clone().chain(dirty) {
            scene.read(page).await;
            scene.read(1_000 + page).await;
        }
        let counts = scene.disk.statistics().counts.since(&before);
        assert!(counts.reads_balanced > 300, "{counts:?}");
        assert!(counts.read_hits_flash - counts.reads_balanced >= 300, "{counts:?}");
        assert!(counts.destages < 100, "{counts:?}");
    });
}

#[test]
fn a_backing_that_hangs_keeps_no_read_of_what_flash_has() {
    run(async |host| {
        let scene = CachedOnFlash::new(&host, ReadBalancing::Auto, [4, 4]).await;
        let speed = Speed { flash_us: 500, backing_us: 10 };
        scene.load(speed, 1, 4_000).await;
        scene.backing.hangs.set(true);
        let begun = host.now();
        let (_, counts) = scene.load(speed, 1, 1_000).await;
        // One read finds out, after 5 ms.
        assert!(counts.reads_balanced == 0 && counts.backing_errors == 0, "{counts:?}");
        assert!(host.now() - begun < 1_000 * 510 * MICRO, "{} us", (host.now() - begun) / MICRO);
        // Once it answers again, that is found out by single reads.
        scene.backing.hangs.set(false);
        let mut rounds = 0;
        while scene.load(speed, 1, 200).await.1.reads_balanced < 100 {
            host.sleep(10 * SECOND).await;
            rounds += 1;
            assert!(rounds < 60, "ten minutes later");
        }
    });
}
