//! Flash hits on a real file with the disks spread over shards, each a thread with its own ring, as the daemon has them.

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use block::executor::{Executor, LocalHost, Order};
use block::file::{self, Access, Handle, Lock, OpenOptions};
use block::{BlockDevice, Buffer, FileDevice, Host, Memory, Ring};
use cache::{Cache, CachedDisk, DiskId, DiskSettings, PoolId, RecoveryContext, SessionIds, SharedPool};

use crate::rig::random;

const SIZE: u64 = 512 << 20;
/// Bytes that are read of all disks together: on flash, and much more than RAM holds.
const AREA: u64 = 384 << 20;

/// Load of the measurement.
#[derive(Clone, Copy)]
pub(crate) struct ShardLoad {
    pub(crate) shards: u32,
    pub(crate) disks: u32,
    /// Requests in flight, of all disks together.
    pub(crate) depth: u32,
    pub(crate) seconds: u64,
}

type Env = (Memory, FileDevice, LocalHost);
type Disk = CachedDisk<Env>;

/// Handles that the other shards get from the one that opened the pool.
type Place = (SharedPool, Handle);

/// Does random 4 KiB reads of cached pages, `depth` in flight, for a while.
pub(crate) fn flash_hits(path: &Path, load: ShardLoad) {
    assert!(
        load.shards >= 1 && load.disks >= load.shards && load.depth >= load.disks,
        "each shard has a load"
    );
    if path.exists() {
        std::fs::remove_file(path).expect("the pool's file can be replaced");
    }
    let (done, warm) = (Arc::new(AtomicU64::new(0)), Arc::new(Barrier::new(load.shards as usize)));
    let mut places = Vec::new();
    let mut threads = Vec::new();
    for number in (0..load.shards).rev() {
        let (done, warm) = (Arc::clone(&done), Arc::clone(&warm));
        let path = path.to_owned();
        if number > 0 {
            let (give, place) = channel();
            places.push(give);
            threads.push(std::thread::spawn(move || {
                on_shard(load, number, &done, &warm, async |ring, host| join(&ring, host, &place).await);
            }));
        } else {
            let places = std::mem::take(&mut places);
            on_shard(load, number, &done, &warm, async |ring, host| {
                let (cache, device) = open(&ring, host, &path).await;
                for place in &places {
                    let handle = device.handle();
                    place.send((cache.shared(), handle)).expect("the thread waits for it");
                }
                cache
            });
        }
    }
    for thread in threads {
        thread.join().expect("no shard panics");
    }
    let iops = done.load(Ordering::Relaxed) / load.seconds;
    let ShardLoad { shards, disks, depth, .. } = load;
    println!(
        "{{\"measurement\":\"shards\",\"shards\":{shards},\"disks\":{disks},\"depth\":{depth},\"iops\":{iops}}}"
    );
}

async fn open(ring: &Ring, host: LocalHost, path: &Path) -> (Rc<Cache<Env>>, FileDevice) {
    let options = OpenOptions {
        access: Access::ReadWrite,
        cache: file::Cache::Direct,
        lock: Lock::None,
        create: Some(SIZE),
    };
    let device = FileDevice::open(ring, path, options).expect("the pool's file can be made");
    cache::format(&device, PoolId([1; 16]), None).await.expect("the pool's device takes a format");
    let own = FileDevice::from_handle(ring, device.handle());
    let marks = SessionIds { new: 1, known: vec![0], epoch: None };
    let cache::Opened { cache, .. } =
        Cache::open(vec![own], host, &marks).await.expect("it was formatted just now");
    (cache, device)
}

async fn join(ring: &Ring, host: LocalHost, place: &Receiver<Place>) -> Rc<Cache<Env>> {
    let (pool, handle) = place.recv().expect("the first shard opens the pool");
    let joined = Cache::join(&pool, vec![FileDevice::from_handle(ring, handle)], host).await;
    joined.expect("it is the same device")
}

/// Runs one shard: attaches its disks, fills the cache, and reads when all shards are ready.
fn on_shard(
    load: ShardLoad,
    number: u32,
    done: &AtomicU64,
    warm: &Barrier,
    enter: impl AsyncFnOnce(Ring, LocalHost) -> Rc<Cache<Env>>,
) {
    let ring = Ring::new(256).expect("io_uring is available");
    let executor = Executor::new(ring.clone(), Order::Fifo);
    let host = executor.host();
    let disks = executor.run(async {
        let cache = enter(ring, host.clone()).await;
        let mut disks = Vec::new();
        for disk in (0..load.disks).filter(|disk| disk % load.shards == number) {
            disks.push(attach(&cache, disk).await);
        }
        for disk in &disks {
            warm_up(disk, &host, AREA / u64::from(load.disks)).await;
        }
        (cache, disks)
    });
    let (_cache, disks) = disks.expect("a ring never stalls");
    warm.wait();
    executor.run(read(load, &disks, &host, done));
}

async fn attach(cache: &Rc<Cache<Env>>, number: u32) -> Rc<Disk> {
    let settings = DiskSettings {
        block_bytes: 4096,
        reserve_bytes: cache.reserve_bytes_min(),
        limit_bytes: cache.usable_bytes(),
        ram_bytes: 1 << 20,
        ..DiskSettings::plain(DiskId(number + 1))
    };
    let backing = Memory::new(1 << 32);
    let past = RecoveryContext::none(backing.geometry().size);
    cache.attach(settings, backing, past).await.expect("the settings fit")
}

/// Reads until nearly all is on flash. RAM evicts pages that flash does not accept in time, so some need another pass.
async fn warm_up(disk: &Disk, host: &LocalHost, area: u64) {
    while disk.statistics().cached_bytes < area / 100 * 99 {
        for request in 0..area / (64 << 10) {
            let (_, result) = disk.read(request * (64 << 10), Buffer::zeroed(64 << 10)).await;
            result.expect("the devices do not fail");
            host.sleep(200_000).await;
        }
    }
}

async fn read(load: ShardLoad, disks: &[Rc<Disk>], host: &LocalHost, done: &AtomicU64) {
    let (read, running) = (Rc::new(Cell::new(0u64)), Rc::new(Cell::new(0)));
    let pages = AREA / u64::from(load.disks) / 4096;
    let started = Instant::now();
    for (number, disk) in (0u64..).zip(disks) {
        for worker in 0..load.depth / load.disks {
            running.set(running.get() + 1);
            let (disk, read, running) = (Rc::clone(disk), Rc::clone(&read), Rc::clone(&running));
            host.spawn(async move {
                let mut state = (number << 32) + u64::from(worker) + 1;
                while started.elapsed() < Duration::from_secs(load.seconds) {
                    let page = random(&mut state) % pages;
                    let (_, result) = disk.read(page * 4096, Buffer::zeroed(4096)).await;
                    result.expect("the devices do not fail");
                    read.set(read.get() + 1);
                }
                running.set(running.get() - 1);
            });
        }
    }
    while running.get() > 0 {
        host.sleep(1_000_000).await;
    }
    done.fetch_add(read.get(), Ordering::Relaxed);
}
