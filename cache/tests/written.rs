//! The bytes that the pool reports as written to a device are those that the device received, for any purpose and on
//! any shard.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::cell::Cell;
use std::rc::Rc;

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::{BlockDevice, BlockError, Buffer, ByteRange, Geometry, Host, Memory, Outcome, PAGE, Unmap};
use cache::{
    Cache, CachedDisk, DiskId, DiskSettings, MemberNumber, Mode, PoolId, PoolStatistics, RecoveryContext,
    Shape, format,
};

const SEGMENT: u64 = 32 << 10;
const FLASH_BYTES: u64 = (128 << 10) + 76 * SEGMENT;
const DISK_BYTES: u64 = 4 << 20;

/// Memory that counts what is written to it, by whichever handle.
#[derive(Clone)]
struct Scale {
    memory: Rc<Memory>,
    written: Rc<Cell<u64>>,
}

impl Scale {
    fn new() -> Self {
        Self { memory: Rc::new(Memory::new(FLASH_BYTES)), written: Rc::default() }
    }
}

impl BlockDevice for Scale {
    fn geometry(&self) -> Geometry {
        self.memory.geometry()
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.memory.read(offset, buffer).await
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.written.set(self.written.get() + buffer.len() as u64);
        self.memory.write(offset, buffer).await
    }

    async fn flush(&self) -> Result<(), BlockError> {
        self.memory.flush().await
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        self.memory.write_zeroes(range, unmap).await
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        self.memory.discard(range).await
    }

    fn wants_discards(&self) -> bool {
        true
    }
}

type Env = (Memory, Scale, LocalHost);
type Pool = Cache<Env>;

/// Makes a disk of a shard write, read, destage and evict, more than once around its share of the flash.
async fn work(pool: &Rc<Pool>, host: &LocalHost, number: u32, mode: Mode) -> Rc<CachedDisk<Env>> {
    let settings = DiskSettings {
        mode,
        reserve_bytes: 16 * SEGMENT,
        limit_bytes: 24 * SEGMENT,
        ram_bytes: 64 * PAGE,
        ..DiskSettings::plain(DiskId(number))
    };
    let disk =
        pool.attach(settings, Memory::new(DISK_BYTES), RecoveryContext::none(DISK_BYTES)).await.unwrap();
    for round in 0..3 {
        for page in 0..DISK_BYTES / PAGE / 4 {
            disk.write(page * PAGE, Buffer::zeroed(PAGE as usize)).await.1.unwrap();
            disk.read((page + round * 32) * PAGE, Buffer::zeroed(PAGE as usize)).await.1.unwrap();
        }
        disk.flush().await.unwrap();
        host.sleep(40_000_000_000).await;
    }
    disk
}

fn written(statistics: &PoolStatistics) -> Vec<u64> {
    statistics.devices.iter().map(|device| device.written_bytes).collect()
}

#[test]
fn all_that_a_pool_writes_to_each_device_is_counted_on_whichever_shard() {
    let executor = Executor::new(VirtualTime::new(), Order::Fifo);
    let host = executor.host();
    let scales = [(); 2].map(|()| Scale::new());
    let shape = Shape { segment_bytes: SEGMENT, region_bytes: 256 << 10 };
    executor
        .run(async {
            format(&scales[0], PoolId([3; 16]), Some(shape)).await.unwrap();
            let made = scales[0].written.take();
            assert!(made > 0);
            let marks = cache::SessionIds { new: 1, known: vec![0], epoch: None };
            let first = Cache::open(vec![scales[0].clone()], host.clone(), &marks).await.unwrap().cache;
            let second = Cache::join(&first.shared(), vec![scales[0].clone()], host.clone()).await.unwrap();
            assert_eq!(written(&second.pool_statistics()), [scales[0].written.get()], "a start writes too");

            let number = first.add_device(scales[1].clone()).await.unwrap();
            second.know_device(number, scales[1].clone()).unwrap();
            first.use_device(number).unwrap();
            let mut seen = scales.each_ref().map(|scale| scale.written.get());
            assert_eq!(written(&first.pool_statistics()), seen, "so does entering a pool");

            let one = work(&first, &host, 1, Mode::WriteBack).await;
            let other = work(&second, &host, 2, Mode::WriteThrough).await;
            let of_disks =
                one.statistics().counts.flash_write_bytes + other.statistics().counts.flash_write_bytes;
            first.detach(&one).await;
            second.detach(&other).await;
            let before: u64 = seen.iter().sum();
            seen = scales.each_ref().map(|scale| scale.written.get());
            for pool in [&first, &second] {
                assert_eq!(written(&pool.pool_statistics()), seen);
            }
            assert!(one.statistics().counts.reclaims > 0, "{:?}", one.statistics());
            assert!(seen.iter().sum::<u64>() - before > of_disks, "tables and notes are nobody's");

            first.take_out_device(MemberNumber(0)).unwrap();
            while first.pool_statistics().devices.len() > 1 {
                host.sleep(1_000_000).await;
            }
            assert_eq!(written(&second.pool_statistics()), [scales[1].written.get()]);
            first.leave(7).await.unwrap();
            assert_eq!(written(&first.pool_statistics()), [scales[1].written.get()]);
        })
        .unwrap();
}
