//! The served policy: the code of the crate `cache` itself, with its log, its reclaim and its RAM, on devices without data. There is no
//! second implementation that could differ.
//!
//! Requests are issued one after another, each as a whole, however accesses are counted: a disk learns from the size of requests here too.
//! Only a request larger than half of the RAM is split into pieces of that size: in simulations RAM can be as small as 16 pages, and real
//! RAM has room for many requests. Between requests all background work (promotion, reclaim, notes) completes, at a speed that no flash
//! has: a real one that is slower than its guests loses some promotions. The clock advances by the same time for each access, whatever
//! times a trace has. There is one seed, so that a run repeats exactly.

mod devices;
mod division;
pub mod pool;

use std::collections::HashSet;
use std::rc::Rc;

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::{BlockDevice, Buffer, ByteRange, Host, PAGE};
use cache::types::units::PageNumber;
use cache::{
    Admission, Cache, CachedDisk, DiskCounts, DiskId, DiskSettings, PoolId, RecoveryContext, RecoveryTrust,
    SequentialCutoff, SessionIds,
};

pub use crate::rule::Writes;
use crate::tally::{Course, Recorded, Tallies, Tally};
use crate::workload::{Counted, TraceRequest, Workload};
use devices::{Sparse, Zeroes};
pub use division::{Division, RamShare};

type Env = (Zeroes, Sparse, LocalHost);
type Disk = CachedDisk<Env>;

/// Number of accesses between two reports of progress.
const REPORT_EVERY: u64 = 16_384;

/// Time between two accesses, in nanoseconds: longer than the pause of reclaim when there is nothing to gain.
pub const ACCESS_NS: u64 = 60_000_000;

/// Time after a piece of a request in nanoseconds, in which the background work ends.
const PIECE_NS: u64 = 1_000;

/// Seed of the order of background tasks.
const SEED: u64 = 1;

/// Settings of a served disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Serving {
    /// Admission to flash.
    pub admission: Admission,
    /// RAM of the disk.
    pub ram: RamShare,
    /// As in [`DiskSettings`].
    pub sequential_cutoff: SequentialCutoff,
    /// Treatment of writes.
    pub writes: Writes,
}

/// Results of serving a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Served {
    /// Counts of the first pass: an access is a hit if its pages were all cached before its request.
    pub first: Tally,
    /// Counts of the last pass, if there are several.
    pub again: Option<Tally>,
    /// Counts of the two turnovers after the first fill.
    pub turns: [Tally; 2],
    /// The disk's own counters of the first pass, in which a request counts as one.
    pub counts: DiskCounts,
    /// Pages promoted before the first segment was reclaimed.
    pub first_fill_pages: u64,
    /// Pages written to flash in the first pass that a guest overwrote before they were read from there. A lower bound: a copy counts as
    /// read if an earlier one of the same content was, and the page went from RAM to flash again.
    pub overwritten_unread_pages: u64,
    /// Division of the cache.
    pub division: Division,
    /// Pages that were cached at the end, in RAM and on flash.
    pub pages: u64,
    /// Bytes of index and policy at the end.
    pub index_bytes: u64,
}

impl Served {
    /// Returns the accesses of the first pass that were hits.
    pub fn hits(&self) -> u64 {
        self.first.accesses - self.first.misses
    }

    /// Returns the pages of data written to flash: promoted in the first fill, promoted later, and appended again by reclaim.
    pub fn flash_pages_written(&self) -> u64 {
        self.counts.promotions + self.counts.reappends
    }
}

/// Serves a whole workload with a cache of `size_bytes`. `progress` gets the number of accesses since its last call.
///
/// # Errors
/// If such a cache is impossible, or if it failed: a sentence.
pub fn serve(
    workload: &Workload,
    serving: &Serving,
    counted: Counted,
    size_bytes: u64,
    block_bytes: u32,
    progress: &dyn Fn(u64),
) -> Result<Served, String> {
    serve_along(workload, serving, counted, size_bytes, block_bytes, &Course::default(), progress)
}

/// Does the same as [`serve`], along a course.
///
/// # Errors
/// As [`serve`].
pub fn serve_along(
    workload: &Workload,
    serving: &Serving,
    counted: Counted,
    size_bytes: u64,
    block_bytes: u32,
    course: &Course,
    progress: &dyn Fn(u64),
) -> Result<Served, String> {
    let division = Division::of(size_bytes, serving.ram, serving.admission)?;
    let executor = Executor::new(VirtualTime::new(), Order::Seeded(SEED));
    let host = executor.host();
    let served = executor.run(async {
        let (cache, disk) = attach(&host, serving, &division, workload.disk_bytes(), block_bytes).await?;
        cache.set_write_budget(course.write_budget);
        let mut run =
            Run { disk: &disk, host: &host, serving, division: &division, course, fate: Fate::default() };
        let mut tallies = Tallies::default();
        let mut first_pass = None;
        for pass in 0..course.passes.max(1) {
            if pass > 0 {
                tallies.next_pass();
            }
            run.pass(workload, counted, block_bytes, &mut tallies, progress).await?;
            first_pass.get_or_insert_with(|| (disk.counts(), run.fate.overwritten_unread));
        }
        let statistics = disk.statistics();
        let (counts, overwritten_unread_pages) = first_pass.expect("there is a first pass");
        let Tallies { first, again, turns } = tallies;
        Ok(Served {
            first,
            again,
            turns,
            counts,
            first_fill_pages: run.fate.first_fill.unwrap_or(u64::MAX).min(counts.promotions),
            overwritten_unread_pages,
            division,
            pages: (statistics.cached_bytes + statistics.ram_bytes) / PAGE,
            index_bytes: statistics.index_bytes,
        })
    });
    served
        .unwrap_or_else(|| Err("The cache waits for something that never happens: this is a bug".to_owned()))
}

/// Disk that serves a workload.
struct Run<'a> {
    disk: &'a Disk,
    host: &'a LocalHost,
    serving: &'a Serving,
    division: &'a Division,
    course: &'a Course,
    fate: Fate,
}

impl Run<'_> {
    async fn pass(
        &mut self,
        workload: &Workload,
        counted: Counted,
        block_bytes: u32,
        tallies: &mut Tallies,
        progress: &dyn Fn(u64),
    ) -> Result<(), String> {
        let writes = self.serving.writes;
        let overwrites = writes != Writes::AsReads && workload.writes().is_some_and(|writes| writes > 0);
        let mut done = 0;
        for asked in workload.asked() {
            let is_read = writes == Writes::AsReads || !asked.is_write;
            let mut accesses = 0;
            for access in asked.accesses(counted, block_bytes) {
                accesses += 1;
                let is_hit = self.disk.has(&access);
                tallies.record(Recorded { is_hit, is_read }, self.course.turnovers);
            }
            if overwrites {
                self.fate.observe(self.disk, &asked);
            }
            // Time passes only when nothing else can run: so all background work ends first.
            for piece in asked.pieces(self.division.ram_bytes / PAGE / 2 * PAGE) {
                ask(self.disk, piece, writes).await?;
                self.host.sleep(PIECE_NS).await;
            }
            self.host.sleep(accesses * ACCESS_NS).await;
            self.fate.observe_fill(self.disk);
            done += accesses;
            if done >= REPORT_EVERY {
                progress(std::mem::take(&mut done));
            }
        }
        progress(done);
        Ok(())
    }
}

/// Fate of pages on flash.
#[derive(Default)]
struct Fate {
    /// Pages on flash that were read from there since a guest wrote them. A reclaimed page is removed at its next access; if it was in RAM
    /// and was written to flash again before that, it stays, though that copy was not read.
    read: HashSet<PageNumber>,
    overwritten_unread: u64,
    /// Pages promoted before the first segment was reclaimed.
    first_fill: Option<u64>,
}

impl Fate {
    /// Records a request before it is issued.
    fn observe(&mut self, disk: &Disk, asked: &TraceRequest) {
        for page in (asked.pages.start / PAGE..asked.pages.end / PAGE).map(PageNumber) {
            if !disk.has_on_flash(page) {
                self.read.remove(&page);
            } else if asked.is_write {
                self.overwritten_unread += u64::from(!self.read.remove(&page));
            } else if !disk.has_in_ram(page) {
                self.read.insert(page);
            }
        }
    }

    fn observe_fill(&mut self, disk: &Disk) {
        if self.first_fill.is_none() {
            let counts = disk.counts();
            self.first_fill = (counts.reclaims > 0).then_some(counts.promotions);
        }
    }
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
    let marks = SessionIds { new: 1, known: vec![0, 1], epoch: None };
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
    let past = RecoveryContext { belief: RecoveryTrust::ByPage, ..RecoveryContext::none(disk_bytes) };
    let disk = cache.attach(settings, Zeroes::new(disk_bytes), past).await.map_err(text)?;
    disk.loaded().await;
    host.sleep(1).await;
    Ok((cache, disk))
}

/// Issues a request. A write has its exact length: a part of a page that is not cached is not kept, as its rest is not known. All other
/// requests are in whole pages, as they are fetched.
async fn ask(
    disk: &Disk,
    TraceRequest { pages, exact, is_write }: TraceRequest,
    writes: Writes,
) -> Result<(), String> {
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
