//! Cost of safety: the time of a start until all cached content is known again, and the cost of the first write into a region, which waits
//! for the region's intent.

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::file::{Access, Cache, Lock, OpenOptions};
use block::{BlockDevice, Buffer, FileDevice, Host, Memory, Ring};
use cache::{DiskSettings, LoadProgress, LoadStatistics, Mode, Shape};

use crate::rig::Rig;

/// Segments and regions of a pool of 100 GB: a start reads one summary for each segment.
const SHAPE: Shape = Shape { segment_bytes: 32 << 20, region_bytes: 64 << 20 };
/// Size of the disk in flash sizes, so that half of it can be cached: the bits of all its pages are read as well.
const DISK_PER_FLASH: u64 = 2;
const RAM: u64 = 16 << 20;

/// Fills a cache, opens it again and prints the time of that.
pub(crate) fn recovery(block_bytes: u32, flash_bytes: u64, file: Option<&Path>) {
    let backing_bytes = DISK_PER_FLASH * flash_bytes;
    let recovered = match file {
        None => {
            let flash = Memory::new(flash_bytes);
            let executor = || Executor::new(VirtualTime::new(), Order::Fifo);
            fill(&executor(), flash.clone(), block_bytes);
            start(&executor(), flash, backing_bytes, block_bytes, |_| {})
        }
        Some(path) => {
            let first = on_ring(path, Some(flash_bytes));
            fill(&first.0, first.1, block_bytes);
            drop(first.0);
            let second = on_ring(path, None);
            start(&second.0, second.1, backing_bytes, block_bytes, |_| {})
        }
    };
    recovered.print("recovery", block_bytes);
}

fn fill<F: BlockDevice>(executor: &Executor, flash: F, block_bytes: u32) {
    let host = executor.host();
    executor.run(async {
        let bytes = flash.geometry().size / 10 * 9;
        let backing = Memory::new(DISK_PER_FLASH * flash.geometry().size);
        let rig = Rig::with_shape(host, flash, backing, block_bytes, RAM, Some(SHAPE)).await;
        rig.warm_up(bytes, (block_bytes as usize).max(64 << 10)).await;
        // RAM evicts pages that a slow flash does not accept in time.
        while rig.disk.statistics().cached_bytes < bytes / 10 * 9 {
            rig.warm_up(bytes, 64 << 10).await;
        }
        rig.stop().await;
    });
}

/// Time of a start.
struct Recovered {
    /// From the pool's first byte to the last page known.
    took: Duration,
    /// The part that grows with the content; the other one opens the pool, with some writes that are flushed.
    loading: Duration,
    load: LoadStatistics,
}

impl Recovered {
    fn print(&self, measurement: &str, block_bytes: u32) {
        let Self { took, loading, load } = self;
        assert_eq!(load.state, LoadProgress::Done, "what was on flash is known again");
        println!(
            "{{\"measurement\":\"{measurement}\",\"block_bytes\":{block_bytes},\"pages\":{},\"nanos\":{},\"load_nanos\":{}}}",
            load.pages_kept,
            took.as_nanos(),
            loading.as_nanos()
        );
    }
}

fn start<F: BlockDevice>(
    executor: &Executor,
    flash: F,
    backing_bytes: u64,
    block_bytes: u32,
    change: impl FnOnce(&mut DiskSettings),
) -> Recovered {
    let host = executor.host();
    let started = executor.run(async {
        let backing = Memory::new(backing_bytes);
        let started = Instant::now();
        let rig = Rig::attach(host, flash, backing, block_bytes, RAM, change).await;
        let opened = Instant::now();
        let load = rig.disk.loaded().await;
        Recovered { took: started.elapsed(), loading: opened.elapsed(), load }
    });
    started.expect("nothing waits")
}

/// Writes random pages in write-back until so many bytes are dirty, ends as by a kill, and prints the time until the next start knows them
/// again: guests wait for so long.
pub(crate) fn dirty_recovery(dirty_bytes: u64, file: Option<&Path>) {
    let (flash_bytes, backing_bytes) = (dirty_bytes * 10, DIRTY_AREAS * dirty_bytes);
    let change = |settings: &mut DiskSettings| to_write_back(settings, dirty_bytes);
    let recovered = match file {
        None => {
            let flash = Memory::new(flash_bytes);
            let executor = || Executor::new(VirtualTime::new(), Order::Fifo);
            make_dirty(&executor(), flash.clone(), dirty_bytes);
            start(&executor(), flash, backing_bytes, DIRTY_BLOCK, change)
        }
        Some(path) => {
            let first = on_ring(path, Some(flash_bytes));
            make_dirty(&first.0, first.1, dirty_bytes);
            drop(first.0);
            let second = on_ring(path, None);
            start(&second.0, second.1, backing_bytes, DIRTY_BLOCK, change)
        }
    };
    recovered.print("dirty-recovery", DIRTY_BLOCK);
}

/// Number of concurrent writes of guests.
const WRITERS: u64 = 32;

fn make_dirty<F: BlockDevice>(executor: &Executor, flash: F, dirty_bytes: u64) {
    let host = executor.host();
    executor.run(async {
        let backing = Memory::new(DIRTY_AREAS * dirty_bytes);
        let rig = Rig::with_settings(host.clone(), flash, backing, DIRTY_BLOCK, RAM, |settings| {
            to_write_back(settings, dirty_bytes);
        })
        .await;
        let pages = dirty_bytes / PAGE;
        let running = Rc::new(Cell::new(WRITERS));
        for writer in 0..WRITERS {
            let (disk, running) = (Rc::clone(&rig.disk), Rc::clone(&running));
            host.spawn(async move {
                for number in (writer..pages).step_by(WRITERS as usize) {
                    // An odd stride reaches each page of the area once, in an order without locality.
                    let page = number.wrapping_mul(0x9e37_79b9) % (DIRTY_AREAS * pages).next_power_of_two();
                    let page = page % (DIRTY_AREAS * pages);
                    disk.write(page * PAGE, Buffer::zeroed(PAGE as usize)).await.1.expect("nothing fails");
                }
                running.set(running.get() - 1);
            });
        }
        while running.get() > 0 {
            host.sleep(1_000_000).await;
        }
    });
}

/// Size of the disk in sizes of the dirty data.
const DIRTY_AREAS: u64 = 2;
const PAGE: u64 = 4096;
const DIRTY_BLOCK: u32 = 4096;

fn to_write_back(settings: &mut DiskSettings, dirty_bytes: u64) {
    settings.mode = Mode::WriteBack;
    settings.reserve_bytes = settings.limit_bytes / 16 * 15;
    // Above the dirty data, so that no writer is throttled.
    settings.dirty_limit_bytes = Some(dirty_bytes / 8 * 17);
    settings.destage_rate_max = 1;
}

/// Writes into regions that are closed, and once more into each, and prints the cost of both.
pub(crate) fn intents(path: &Path, regions: u64) {
    let (executor, flash) = on_ring(path, Some(1 << 30));
    let host: LocalHost = executor.host();
    executor.run(async {
        let shape = Shape { segment_bytes: 1 << 20, ..SHAPE };
        let rig = Rig::with_shape(host, flash, Memory::new(1 << 40), 4096, RAM, Some(shape)).await;
        for which in ["first", "later"] {
            let mut micros = Vec::new();
            for region in 0..regions {
                let started = Instant::now();
                rig.write(region * shape.region_bytes, 4096).await;
                micros.push(started.elapsed().as_micros());
            }
            micros.sort_unstable();
            let at = |hundredth: usize| micros[(micros.len() - 1) * hundredth / 100];
            println!(
                "{{\"measurement\":\"intents\",\"which\":\"{which}\",\"regions\":{regions},\"p50\":{},\"p99\":{}}}",
                at(50),
                at(99)
            );
        }
    });
}

/// Opens a file of the pool, created if a size is given.
fn on_ring(path: &Path, create: Option<u64>) -> (Executor, FileDevice) {
    if create.is_some() && path.exists() {
        std::fs::remove_file(path).expect("the pool's file can be replaced");
    }
    let ring = Ring::new(256).expect("io_uring is available");
    let executor = Executor::new(ring.clone(), Order::Fifo);
    let options = OpenOptions { access: Access::ReadWrite, cache: Cache::Direct, lock: Lock::None, create };
    let file = FileDevice::open(&ring, path, options).expect("the pool's file can be opened");
    (executor, file)
}
