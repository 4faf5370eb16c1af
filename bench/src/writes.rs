//! Random 4 KiB writes with a flush after every so many: through the interface of a cache in write-back, on a real file, and on such a file
//! itself. The same loop does both, so their difference is the cost of the cache.
//!
//! The file is written from end to end before either uses it: the first write into a reserved place costs a file system additional work,
//! which a log that has wrapped once no longer has. That cost can be measured, too.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use block::executor::{Executor, LocalHost, Order};
use block::file::{Access, Cache, Lock, OpenOptions};
use block::{BlockDevice, Buffer, FileDevice, Host, Memory, Ring};
use cache::{Mode, PoolId, Shape};
use clap::ValueEnum;
use nix::fcntl::{FallocateFlags, fallocate};

use crate::rig::{Rig, random};

/// Size that has room for the dirty data of any of these measurements, so that no writer is throttled.
const SIZE: u64 = 2560 << 20;
const DIRTY_LIMIT: u64 = 600 << 20;
const REGION_BYTES: u64 = 64 << 20;
const PAGE: u64 = 4096;
/// Default of the daemon's disks.
const BLOCK_BYTES: u32 = 65_536;
/// See [`BLOCK_BYTES`].
const RAM: u64 = 32 << 20;

/// Writer of the requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Writer {
    /// The cache, with its log in the file.
    Cache,
    /// The loop alone.
    File,
}

/// State of the file at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Storage {
    /// Written from end to end.
    Written,
    /// Reserved, as the daemon creates pool files.
    Reserved,
}

/// Load of writes.
#[derive(Clone, Copy)]
pub(crate) struct WriteLoad {
    pub(crate) storage: Storage,
    /// Writes in flight.
    pub(crate) depth: u32,
    /// Number of writes between flushes.
    pub(crate) flush_every: u64,
    /// Size of the area of random writes in bytes.
    pub(crate) area: u64,
    /// End of the load.
    pub(crate) end: WritesEnd,
    /// Bytes of a segment of the log.
    pub(crate) segment_bytes: u64,
}

/// End of a load.
#[derive(Clone, Copy)]
pub(crate) enum WritesEnd {
    After(Duration),
    Writes(u64),
}

/// Results of a load.
struct WriteResults {
    writes: u64,
    took: Duration,
    /// Microseconds of each write, sorted.
    micros: Vec<u64>,
}

/// Runs a load and prints its figures.
pub(crate) fn run(path: &Path, writer: Writer, load: WriteLoad) {
    lay_out(path, load.storage);
    let ring = Ring::new(256).expect("io_uring is available");
    let executor = Executor::new(ring.clone(), Order::Fifo);
    let host = executor.host();
    let options =
        OpenOptions { access: Access::ReadWrite, cache: Cache::Direct, lock: Lock::None, create: None };
    let file = FileDevice::open(&ring, path, options).expect("it was made just now");
    let direct = file.is_direct();
    executor.run(async {
        let (done, flash_bytes) = match writer {
            Writer::File => {
                let done = write(Rc::new(file), &host, load).await;
                let bytes = done.writes * PAGE;
                (done, bytes)
            }
            Writer::Cache => {
                let shape = Shape { segment_bytes: load.segment_bytes, region_bytes: REGION_BYTES };
                cache::format(&file, PoolId([1; 16]), Some(shape)).await.expect("the file takes a format");
                let rig = Rig::attach(host.clone(), file, Memory::new(1 << 40), BLOCK_BYTES, RAM, |settings| {
                    settings.mode = Mode::WriteBack;
                    settings.reserve_bytes = settings.limit_bytes / 16 * 15;
                    settings.dirty_limit_bytes = Some(DIRTY_LIMIT);
                    // The cost of destage for guests is measured elsewhere.
                    settings.destage_rate_max = 1 << 20;
                })
                .await;
                rig.disk.loaded().await;
                // The first write records that the disk is dirty, and takes the first segment.
                rig.write(0, 4096).await;
                let before = rig.disk.statistics().counts.flash_write_bytes;
                let done = write(Rc::clone(&rig.disk), &host, load).await;
                let counts = rig.disk.statistics().counts;
                assert_eq!(counts.writes_back, counts.writes, "none went past flash");
                (done, counts.flash_write_bytes - before)
            }
        };
        let at = |thousandth: usize| done.micros[(done.micros.len() - 1) * thousandth / 1000];
        println!(
            "{{\"measurement\":\"writes\",\"writer\":\"{writer:?}\",\"direct\":{direct},\"depth\":{},\"writes\":{},\"nanos\":{},\
             \"iops\":{},\"p50\":{},\"p99\":{},\"flash_bytes\":{flash_bytes},\"bytes\":{}}}",
            load.depth,
            done.writes,
            done.took.as_nanos(),
            u128::from(done.writes) * 1_000_000_000 / done.took.as_nanos().max(1),
            at(500),
            at(990),
            done.writes * PAGE
        );
    });
}

/// Runs the load, and flushes once more at the end.
async fn write<D: BlockDevice + 'static>(device: Rc<D>, host: &LocalHost, load: WriteLoad) -> WriteResults {
    let (begun, running) = (Rc::new(Cell::new(0u64)), Rc::new(Cell::new(load.depth)));
    let micros = Rc::new(RefCell::new(Vec::new()));
    let started = Instant::now();
    let goes_on = move |begun: u64| match load.end {
        WritesEnd::After(time) => started.elapsed() < time,
        WritesEnd::Writes(count) => begun < count,
    };
    for worker in 0..load.depth {
        let (device, begun, running, micros) =
            (Rc::clone(&device), Rc::clone(&begun), Rc::clone(&running), Rc::clone(&micros));
        host.spawn(async move {
            let mut state = u64::from(worker) + 1;
            let mut buffer = Buffer::copy_of(&[worker as u8 | 1; PAGE as usize]);
            while goes_on(begun.get()) {
                let number = begun.get() + 1;
                begun.set(number);
                let place = random(&mut state) % (load.area / PAGE) * PAGE;
                let before = Instant::now();
                let (back, result) = device.write(place, buffer).await;
                result.expect("the devices do not fail");
                micros.borrow_mut().push(before.elapsed().as_micros() as u64);
                buffer = back;
                if number.is_multiple_of(load.flush_every) {
                    device.flush().await.expect("the devices do not fail");
                }
            }
            running.set(running.get() - 1);
        });
    }
    while running.get() > 0 {
        host.sleep(200_000).await;
    }
    device.flush().await.expect("the devices do not fail");
    let took = started.elapsed();
    let mut micros = micros.take();
    micros.sort_unstable();
    WriteResults { writes: begun.get(), took, micros }
}

/// Creates the file; a written one is left as an earlier run made it.
fn lay_out(path: &Path, storage: Storage) {
    const CHUNK: usize = 4 << 20;
    let is_there = path.metadata().is_ok_and(|file| file.len() == SIZE);
    if is_there && storage == Storage::Written {
        return;
    }
    if is_there {
        std::fs::remove_file(path).expect("the pool's file can be replaced");
    }
    let mut file = File::create(path).expect("the pool's file can be made");
    if storage == Storage::Reserved {
        let reserved = fallocate(&file, FallocateFlags::empty(), 0, SIZE.cast_signed());
        reserved.expect("there is room for the pool's file");
    } else {
        let chunk = vec![0; CHUNK];
        for _ in 0..SIZE / CHUNK as u64 {
            file.write_all(&chunk).expect("there is room for the pool's file");
        }
    }
    file.sync_all().expect("the pool's file can be written");
}
