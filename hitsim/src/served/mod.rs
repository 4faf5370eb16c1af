//! The policy that serves disks: the very code of the crate `cache`, with its log, its reclaim and its RAM, on devices that
//! keep no data. There is no second implementation that could say something else.
//!
//! Requests are issued one after another, each as a whole, however accesses are counted: what a disk learns from the size of requests it
//! learns here too. Only what is more than half of its RAM comes in pieces of that: where traces are simulated, RAM can be as small as 16
//! pages, and a real one has room for many requests. Between them everything behind the cache (promotion, reclaim, notes) does all that it
//! has to do, at a speed that no flash has: a real one that is slower than its guests loses some promotions. The clock
//! goes on by the same time for each access, whatever a trace says. One seed, so that a run repeats exactly.

mod devices;
mod division;

use std::rc::Rc;

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::{BlockDevice, Buffer, ByteRange, Host, PAGE};
use cache::{
    Admission, Belief, Cache, CachedDisk, DiskCounts, DiskId, DiskSettings, DriveWrites, Marks, Past, PoolId,
    SequentialCutoff,
};

use crate::workload::{Asked, Counted, Workload};
use devices::{Sparse, Zeroes};
pub use division::{Division, RamShare};

type Env = (Zeroes, Sparse, LocalHost);
type Disk = CachedDisk<Env>;

/// Accesses between two reports of progress.
const REPORT_EVERY: u64 = 16_384;

/// The time between two accesses, in nanoseconds: longer than reclaim rests when it finds nothing to gain.
pub const ACCESS_NS: u64 = 60_000_000;

/// The time after a piece of a request: nothing, save that what is behind the cache ends its work.
const PIECE_NS: u64 = 1_000;

/// Decides the order of tasks behind the cache.
const SEED: u64 = 1;

/// What is done with a trace's writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Writes {
    /// They are writes: what is on flash of a page is void once a guest overwrites it, and the new version has to earn flash
    /// anew.
    #[default]
    AsTheyAre,
    /// They are writes of all pages that they touch, as a guest sends them whose partitions begin at a page: what overwriting costs, and
    /// not what it costs that the rest of a page is not known.
    OfWholePages,
    /// They count as reads, as in papers.
    AsReads,
}

/// How a disk is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Serving {
    /// What may enter flash.
    pub admission: Admission,
    /// RAM of the disk.
    pub ram: RamShare,
    /// As in [`DiskSettings`].
    pub sequential_cutoff: SequentialCutoff,
    /// What is done with writes.
    pub writes: Writes,
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Served {
    /// Accesses whose pages were all cached when their request came.
    pub hits: u64,
    /// The disk's own counters, in which a request counts as one.
    pub counts: DiskCounts,
    /// How the cache was divided.
    pub division: Division,
    /// Pages that were cached in the end, in RAM and on flash.
    pub pages: u64,
    /// Bytes of index and policy in the end.
    pub index_bytes: u64,
}

impl Served {
    /// Pages of data written to flash: promoted while it filled, promoted later, and appended again when their segment was
    /// reclaimed.
    pub fn flash_pages_written(&self) -> u64 {
        self.counts.promotions + self.counts.reappends
    }
}

/// Serves a whole workload with a cache of `size_bytes`. `progress` is told how many accesses were done since it was told last.
///
/// # Errors
/// If there cannot be such a cache, or if it failed: a sentence.
pub fn serve(
    workload: &Workload,
    serving: &Serving,
    counted: Counted,
    size_bytes: u64,
    block_bytes: u32,
    progress: &dyn Fn(u64),
) -> Result<Served, String> {
    serve_within(workload, serving, counted, size_bytes, block_bytes, None, progress)
}

/// As [`serve`], with a write budget of the flash: drive writes of its device in a day of [`ACCESS_NS`] for each access.
///
/// # Errors
/// As [`serve`].
pub fn serve_within(
    workload: &Workload,
    serving: &Serving,
    counted: Counted,
    size_bytes: u64,
    block_bytes: u32,
    write_budget: Option<DriveWrites>,
    progress: &dyn Fn(u64),
) -> Result<Served, String> {
    let division = Division::of(size_bytes, serving.ram, serving.admission)?;
    let executor = Executor::new(VirtualTime::new(), Order::Seeded(SEED));
    let host = executor.host();
    let served = executor.run(async {
        let (cache, disk) = attach(&host, serving, &division, workload.disk_bytes(), block_bytes).await?;
        cache.set_write_budget(write_budget);
        let (mut done, mut hits) = (0, 0);
        for asked in workload.asked() {
            let mut accesses = 0;
            for access in asked.accesses(counted, block_bytes) {
                accesses += 1;
                hits += u64::from(disk.has(&access));
            }
            // Time passes only when nothing else can run: so whatever is behind the cache ends its work first.
            for piece in asked.pieces(division.ram_bytes / PAGE / 2 * PAGE) {
                ask(&disk, piece, serving.writes).await?;
                host.sleep(PIECE_NS).await;
            }
            host.sleep(accesses * ACCESS_NS).await;
            done += accesses;
            if done >= REPORT_EVERY {
                progress(std::mem::take(&mut done));
            }
        }
        progress(done);
        let statistics = disk.statistics();
        Ok(Served {
            hits,
            counts: statistics.counts,
            division,
            pages: (statistics.cached_bytes + statistics.ram_bytes) / PAGE,
            index_bytes: statistics.index_bytes,
        })
    });
    served
        .unwrap_or_else(|| Err("The cache waits for something that never happens: this is a bug".to_owned()))
}

async fn attach(
    host: &LocalHost,
    serving: &Serving,
    division: &Division,
    disk_bytes: u64,
    block_bytes: u32,
) -> Result<(Rc<Cache<Env>>, Rc<Disk>), String> {
    let flash = Sparse::new(division.device_bytes);
    cache::format(&flash, PoolId([1; 16]), Some(division.shape())).await.map_err(text)?;
    let marks = Marks { new: 1, known: vec![0, 1], epoch: None };
    let opened = Cache::open(vec![flash], host.clone(), &marks).await.map_err(text)?;
    let cache = opened.cache;
    let settings = DiskSettings {
        block_bytes,
        reserve_bytes: cache.reserve_bytes_min(),
        limit_bytes: cache.usable_bytes(),
        ram_bytes: division.ram_bytes,
        admission: serving.admission,
        sequential_cutoff: serving.sequential_cutoff,
        ..DiskSettings::plain(DiskId(1))
    };
    let past = Past { belief: Belief::ByPage, ..Past::none(disk_bytes) };
    let disk = cache.attach(settings, Zeroes::new(disk_bytes), past).await.map_err(text)?;
    disk.loaded().await;
    host.sleep(1).await;
    Ok((cache, disk))
}

/// A write is as long as it was: a part of a page that is not cached is not kept, as its rest is not known. All else is in whole
/// pages, which are what is fetched.
async fn ask(disk: &Disk, Asked { pages, exact, is_write }: Asked, writes: Writes) -> Result<(), String> {
    let written = match writes {
        Writes::AsTheyAre => Some(exact),
        Writes::OfWholePages => Some(pages),
        Writes::AsReads => None,
    };
    let (_, result) = match written.filter(|_| is_write) {
        Some(range) => disk.write(range.start, zeroes(range)).await,
        None => disk.read(pages.start, zeroes(pages)).await,
    };
    result.map_err(text)
}

fn zeroes(range: ByteRange) -> Buffer {
    Buffer::zeroed(range.len() as usize)
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
