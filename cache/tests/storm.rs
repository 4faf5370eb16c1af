//! A storm of discards, as a guest that deletes many files makes one: reads go on, the log stays within its room, and discards wait for
//! destage instead of being refused.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::cell::Cell;
use std::rc::Rc;

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::{BlockDevice, BlockError, Buffer, ByteRange, Geometry, Host, Memory, Outcome, PAGE, Unmap};
use cache::{
    Cache, CachedDisk, DiskId, DiskSettings, Mode, PoolId, RecoveryContext, SessionIds, Shape, format,
};

const SEGMENT: u64 = 128 << 10;
const FLASH_BYTES: u64 = 132 * SEGMENT;
const LIMIT_BYTES: u64 = 32 * SEGMENT;
const DISK_BYTES: u64 = 96 << 20;
const MILLISECOND: u64 = 1_000_000;
/// A request of the backing, and one of flash: nanoseconds.
const BACKING_TAKES: u64 = 5 * MILLISECOND;
const FLASH_TAKES: u64 = 50_000;
/// Zero ranges that may be dirty: an eighth of what flash has room for.
const UNKNOWN_MAX: u64 = LIMIT_BYTES / PAGE / 8;
/// Every other page of so many: many more ranges than that, as none touches another.
const DISCARDED_PAGES: u64 = 20_000;
const DISCARDERS: u64 = 32;
/// A page of which nothing is discarded, and which is cached.
const CACHED: u64 = DISCARDED_PAGES + 8;

/// Memory of which each request takes some time.
struct Slow {
    memory: Rc<Memory>,
    host: LocalHost,
    takes: u64,
}

impl Slow {
    fn new(host: &LocalHost, memory: &Rc<Memory>, takes: u64) -> Self {
        Self { memory: Rc::clone(memory), host: host.clone(), takes }
    }
}

impl BlockDevice for Slow {
    fn geometry(&self) -> Geometry {
        Geometry { unmaps: true, ..self.memory.geometry() }
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.host.sleep(self.takes).await;
        self.memory.read(offset, buffer).await
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.host.sleep(self.takes).await;
        self.memory.write(offset, buffer).await
    }

    async fn flush(&self) -> Result<(), BlockError> {
        self.host.sleep(self.takes).await;
        self.memory.flush().await
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        self.host.sleep(self.takes).await;
        self.memory.write_zeroes(range, unmap).await
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        self.host.sleep(self.takes).await;
        self.memory.discard(range).await
    }
}

type Disk = CachedDisk<(Slow, Slow, LocalHost)>;

/// Reads a page, of which every byte is to be the same. Returns that, and how long it took.
async fn read(disk: &Disk, host: &LocalHost, page: u64) -> (u8, u64) {
    let started = host.now();
    let (bytes, result) = disk.read(page * PAGE, Buffer::zeroed(PAGE as usize)).await;
    result.unwrap();
    assert!(bytes.iter().all(|byte| *byte == bytes[0]), "page {page}");
    (bytes[0], host.now() - started)
}

async fn write(disk: &Disk, page: u64, byte: u8) {
    disk.write(page * PAGE, Buffer::copy_of(&[byte; PAGE as usize])).await.1.unwrap();
}

/// Starts some tasks that discard every other page, each as soon as its last one was done. Returns the count of discards done.
fn break_loose(disk: &Rc<Disk>, host: &LocalHost) -> Rc<Cell<u64>> {
    let done = Rc::<Cell<u64>>::default();
    for first in 0..DISCARDERS {
        let (disk, done) = (Rc::clone(disk), Rc::clone(&done));
        host.spawn(async move {
            for page in (2 * first..DISCARDED_PAGES).step_by(2 * DISCARDERS as usize) {
                disk.discard(ByteRange::new(page * PAGE, (page + 1) * PAGE)).await.unwrap();
                done.set(done.get() + 1);
            }
        });
    }
    done
}

#[test]
fn a_storm_of_discards_neither_stalls_reads_nor_grows_the_log_without_bound() {
    let executor = Executor::new(VirtualTime::new(), Order::Fifo);
    let host = executor.host();
    let [flash, backing] = [FLASH_BYTES, DISK_BYTES].map(|bytes| Rc::new(Memory::new(bytes)));
    executor
        .run(async {
            let shape = Shape { segment_bytes: SEGMENT, region_bytes: 1 << 20 };
            format(&flash, PoolId([3; 16]), Some(shape)).await.unwrap();
            let marks = SessionIds { new: 1, known: vec![0], epoch: None };
            let devices = vec![Slow::new(&host, &flash, FLASH_TAKES)];
            let pool = Cache::open(devices, host.clone(), &marks).await.unwrap().cache;
            let settings = DiskSettings {
                mode: Mode::WriteBack,
                reserve_bytes: 16 * SEGMENT,
                limit_bytes: LIMIT_BYTES,
                ram_bytes: 64 * PAGE,
                ..DiskSettings::plain(DiskId(1))
            };
            let slow = Slow::new(&host, &backing, BACKING_TAKES);
            let disk = pool.attach(settings, slow, RecoveryContext::none(DISK_BYTES)).await.unwrap();
            disk.loaded().await;
            // What is discarded is dirty in part, and has neighbours that stay.
            for page in 0..64 {
                write(&disk, page, 7).await;
            }
            read(&disk, &host, CACHED).await;

            let done = break_loose(&disk, &host);
            let (mut most_unknown, mut most_flash, mut absent) = (0, 0, CACHED + 100);
            while done.get() < DISCARDED_PAGES / 2 {
                assert!(read(&disk, &host, CACHED).await.1 <= MILLISECOND, "a hit does not wait");
                let missed = read(&disk, &host, absent).await.1;
                assert!(missed <= 4 * BACKING_TAKES, "a miss waits for the backing: {missed} ns");
                absent = CACHED + 100 + (absent + 1) % 1000;
                let statistics = disk.statistics();
                most_flash = most_flash.max(statistics.flash_bytes);
                most_unknown = most_unknown.max(statistics.dirty_zeroes_bytes / PAGE);
                host.sleep(20 * MILLISECOND).await;
            }
            // Reclaim has one beside it while it moves what stays.
            assert!(most_flash <= LIMIT_BYTES + SEGMENT, "{most_flash} bytes of flash");
            assert!(
                (UNKNOWN_MAX..=UNKNOWN_MAX + DISCARDERS).contains(&most_unknown),
                "{most_unknown} ranges at most"
            );
            // Beside a guest that reads, destage goes gently, and flushes the backing for each round.
            assert!(host.now() < DISCARDED_PAGES / 2 * 3 * BACKING_TAKES, "{} ns", host.now());
            disk.flush().await.unwrap();
            while disk.statistics().dirty_bytes + disk.statistics().dirty_zeroes_bytes > 0 {
                host.sleep(100 * MILLISECOND).await;
            }
            for page in 0..64 {
                let byte = read(&disk, &host, page).await.0;
                assert!(byte == 7 || byte == 0 && page % 2 == 0, "page {page} holds {byte}");
            }
            pool.detach(&disk).await;
        })
        .unwrap();
}
