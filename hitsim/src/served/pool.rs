//! Several disks on one pool, each with a trace of its own, and the division of its flash among them.
//!
//! ```text
//!   trace of each disk ──> interleaved in proportion to its length ──> served one request after another
//!                                        every round: reads and curves of each disk ──> caller ──> targets of flash
//! ```
//! Traces are recordings of other times and lengths: each is spread evenly over the whole run, so that all of them begin and end together,
//! and a trace with more requests is a disk with a higher rate.

use std::collections::BTreeMap;
use std::rc::Rc;

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::{Host, PAGE};
use cache::{
    Admission, Cache, Curves, DiskId, DiskSettings, PoolId, RecoveryContext, RecoveryTrust, SessionIds,
};

use super::devices::{Sparse, Zeroes};
use super::division::{Division, RamShare};
use super::{ACCESS_NS, Disk, Env, PIECE_NS, SEED, ask, text};
use crate::policies::{Access, Lru};
use crate::rule::{Effect, WriteThrough, Writes};
use crate::tally::{Recorded, Tally};
use crate::workload::{Counted, TraceRequest, Workload};

/// Bytes of a block.
const BLOCK_BYTES: u32 = PAGE as u32;

/// Pool that several disks share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedPool {
    /// Bytes of RAM and flash of all disks together.
    pub size_bytes: u64,
    /// RAM of each disk in bytes.
    pub ram_bytes: u64,
    /// Admission of each disk.
    pub admission: Admission,
    /// Number of rounds over the whole run.
    pub rounds: u64,
}

/// Use of flash by several disks.
pub enum FlashUse<'a> {
    /// Each disk has an equal part, whatever the others need.
    EqualParts,
    /// The oldest content of all disks goes first.
    OldestFirst,
    /// The function gets the figures of all disks in each round, and returns the flash in bytes that each is to have.
    Targets(&'a dyn Fn(&PoolFigures) -> Vec<u64>),
}

/// Figures of a round.
pub struct PoolFigures {
    /// Flash that disks may have together, in bytes.
    pub usable_bytes: u64,
    /// Figures of the disks, in their order.
    pub disks: Vec<DiskFigures>,
}

/// Figures of a disk in a round.
pub struct DiskFigures {
    /// Reads since the last round.
    pub reads: u64,
    /// Curves of the disk.
    pub curves: Curves,
    /// RAM of the disk in bytes.
    pub ram_bytes: u64,
    /// Flash in bytes that is reserved for it.
    pub reserve_bytes: u64,
    /// Flash in bytes that it was to have in the last round; none in the first.
    pub target_bytes: Option<u64>,
}

/// Result of a disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolDisk {
    /// Counts of accesses to its blocks.
    pub tally: Tally,
    /// Flash that it was to have at the end, in bytes; 0 without targets.
    pub target_bytes: u64,
    /// Flash that it held at the end, in bytes.
    pub held_bytes: u64,
    /// Rounds in which it had lost flash that is reserved for it.
    pub rounds_below_reserve: u64,
}

/// Order of the requests of several traces: numbers of the traces, each spread evenly over the whole.
struct Interleaved {
    totals: Vec<u64>,
    done: Vec<u64>,
}

impl Interleaved {
    fn new(workloads: &[&Workload]) -> Self {
        let totals: Vec<u64> = workloads.iter().map(|workload| workload.requests()).collect();
        Self { done: vec![0; totals.len()], totals }
    }
}

impl Iterator for Interleaved {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        // The middle of the next request of each trace, as a part of the run: (done + 1/2) / total.
        let key = |at: usize| (u128::from(2 * self.done[at] + 1), u128::from(self.totals[at]));
        let open = (0..self.totals.len()).filter(|at| self.done[*at] < self.totals[*at]);
        let next = open.min_by(|one, other| {
            let ((one, of_one), (other, of_other)) = (key(*one), key(*other));
            (one * of_other).cmp(&(other * of_one))
        })?;
        self.done[next] += 1;
        Some(next)
    }
}

/// Serves all workloads on one pool, each as a disk.
///
/// # Errors
/// If such a pool is impossible, or if it failed: a sentence.
pub fn serve(
    workloads: &[&Workload],
    pool: &SharedPool,
    flash: &FlashUse<'_>,
) -> Result<Vec<PoolDisk>, String> {
    let executor = Executor::new(VirtualTime::new(), Order::Seeded(SEED));
    let host = executor.host();
    let served = executor.run(async {
        let mut run = PoolRun::start(&host, workloads, pool, flash).await?;
        let requests: u64 = workloads.iter().map(|workload| workload.requests()).sum();
        let round = requests.div_ceil(pool.rounds.max(1)).max(1);
        let mut asked: Vec<_> = workloads.iter().map(|workload| workload.asked()).collect();
        for (number, at) in (1..).zip(Interleaved::new(workloads)) {
            let request = asked[at].next().expect("the order has as many of each as there are");
            run.disks[at].serve(&host, &request).await?;
            if number % round == 0 {
                run.round();
            }
        }
        Ok(run.disks.iter().map(ServedDisk::result).collect())
    });
    served
        .unwrap_or_else(|| Err("The cache waits for something that never happens: this is a bug".to_owned()))
}

struct PoolRun<'a> {
    cache: Rc<Cache<Env>>,
    disks: Vec<ServedDisk>,
    flash: &'a FlashUse<'a>,
}

struct ServedDisk {
    disk: Rc<Disk>,
    ram_bytes: u64,
    reserve_bytes: u64,
    tally: Tally,
    /// Reads up to the last round.
    reads_before: u64,
    target_bytes: Option<u64>,
    /// The most of its reservation that it held so far.
    reserve_held_bytes: u64,
    rounds_below_reserve: u64,
}

impl<'a> PoolRun<'a> {
    async fn start(
        host: &LocalHost,
        workloads: &[&Workload],
        pool: &SharedPool,
        flash: &'a FlashUse<'a>,
    ) -> Result<Self, String> {
        let disks = workloads.len() as u64;
        let all_ram = RamShare::Bytes(pool.ram_bytes * disks);
        let division = Division::of_disks(pool.size_bytes, all_ram, pool.admission, disks)?;
        let device = Sparse::new(division.device_bytes);
        cache::format(&device, PoolId([1; 16]), Some(division.shape())).await.map_err(text)?;
        let marks = SessionIds { new: 1, known: vec![0, 1], epoch: None };
        let cache = Cache::open(vec![device], host.clone(), &marks).await.map_err(text)?.cache;
        let reserve_bytes = cache.reserve_bytes_min();
        let limit_bytes = match flash {
            FlashUse::EqualParts => (cache.usable_bytes() / disks).max(reserve_bytes),
            FlashUse::OldestFirst | FlashUse::Targets(_) => cache.usable_bytes(),
        };
        let mut served = Vec::new();
        for (number, workload) in (1..).zip(workloads) {
            let settings = DiskSettings {
                block_bytes: BLOCK_BYTES,
                reserve_bytes,
                limit_bytes,
                ram_bytes: pool.ram_bytes,
                admission: pool.admission,
                ..DiskSettings::plain(DiskId(number))
            };
            let bytes = workload.disk_bytes();
            let past = RecoveryContext { belief: RecoveryTrust::ByPage, ..RecoveryContext::none(bytes) };
            let disk = cache.attach(settings, Zeroes::new(bytes), past).await.map_err(text)?;
            disk.loaded().await;
            served.push(ServedDisk {
                disk,
                ram_bytes: pool.ram_bytes,
                reserve_bytes,
                tally: Tally::default(),
                reads_before: 0,
                target_bytes: None,
                reserve_held_bytes: 0,
                rounds_below_reserve: 0,
            });
        }
        host.sleep(1).await;
        Ok(Self { cache, disks: served, flash })
    }

    /// Ends a round: the caller divides the flash once more.
    fn round(&mut self) {
        self.disks.iter_mut().for_each(ServedDisk::check_reserve);
        let FlashUse::Targets(divide) = self.flash else { return };
        let disks = self.disks.iter_mut().map(ServedDisk::figures).collect();
        let targets = divide(&PoolFigures { usable_bytes: self.cache.usable_bytes(), disks });
        let by_disk: BTreeMap<DiskId, u64> = (1..).map(DiskId).zip(targets.iter().copied()).collect();
        self.cache.set_flash_targets(&by_disk);
        for (disk, target) in self.disks.iter_mut().zip(targets) {
            disk.target_bytes = Some(target);
        }
    }
}

impl ServedDisk {
    async fn serve(&mut self, host: &LocalHost, request: &TraceRequest) -> Result<(), String> {
        let is_read = !request.is_write;
        let mut accesses = 0;
        for access in request.accesses(Counted::Blocks, BLOCK_BYTES) {
            accesses += 1;
            self.tally.record(Recorded { is_hit: self.disk.has(&access), is_read });
        }
        for piece in request.pieces(self.ram_bytes / PAGE / 2 * PAGE) {
            ask(&self.disk, piece, Writes::AsTheyAre).await?;
            host.sleep(PIECE_NS).await;
        }
        host.sleep(accesses * ACCESS_NS).await;
        Ok(())
    }

    fn held_bytes(&self) -> u64 {
        self.disk.statistics().flash_bytes
    }

    fn check_reserve(&mut self) {
        let held = self.held_bytes().min(self.reserve_bytes);
        self.rounds_below_reserve += u64::from(held < self.reserve_held_bytes);
        self.reserve_held_bytes = self.reserve_held_bytes.max(held);
    }

    fn figures(&mut self) -> DiskFigures {
        let reads = self.tally.reads - self.reads_before;
        self.reads_before = self.tally.reads;
        DiskFigures {
            reads,
            curves: self.disk.curves(),
            ram_bytes: self.ram_bytes,
            reserve_bytes: self.reserve_bytes,
            target_bytes: self.target_bytes,
        }
    }

    fn result(&self) -> PoolDisk {
        PoolDisk {
            tally: self.tally,
            target_bytes: self.target_bytes.unwrap_or(0),
            held_bytes: self.held_bytes(),
            rounds_below_reserve: self.rounds_below_reserve,
        }
    }
}

/// Returns the counts of each disk with one LRU of `size_bytes` for all of them, or with one for each that has an equal part of it.
/// Requests come in the same order as for [`serve`], writes follow the same rule.
pub fn lru(workloads: &[&Workload], size_bytes: u64, ram_bytes: u64, is_shared: bool) -> Vec<Tally> {
    let traces: Vec<_> = workloads
        .iter()
        .map(|workload| (workload.accesses(BLOCK_BYTES), workload.effects(BLOCK_BYTES, Writes::AsTheyAre)))
        .collect();
    let (disks, of_size) = (workloads.len(), |bytes: u64| (bytes / PAGE) as usize);
    let make = |blocks: u32, parts: usize, disks: usize| {
        let policy = Lru::new((of_size(size_bytes) / parts).max(1), blocks);
        WriteThrough::new(Box::new(policy), of_size(ram_bytes) * disks, blocks)
    };
    let all_blocks = traces.iter().map(|(accesses, _)| accesses.distinct).sum();
    let mut caches: Vec<WriteThrough<'_>> = if is_shared {
        vec![make(all_blocks, 1, disks)]
    } else {
        traces.iter().map(|(accesses, _)| make(accesses.distinct, disks, 1)).collect()
    };
    let starts: Vec<u32> = traces
        .iter()
        .scan(0, |next, (accesses, _)| {
            let start = *next;
            *next += if is_shared { accesses.distinct } else { 0 };
            Some(start)
        })
        .collect();
    let mut counts: Vec<_> =
        workloads.iter().map(|workload| workload.blocks_of_requests(BLOCK_BYTES)).collect();
    let mut reached = vec![0_usize; disks];
    let mut tallies = vec![Tally::default(); disks];
    for at in Interleaved::new(workloads) {
        let count = counts[at].next().expect("the order has as many of each as there are");
        let (accesses, effects) = &traces[at];
        for access in reached[at]..reached[at] + count {
            let effect = effects.get(access).copied().unwrap_or(Effect::Reads);
            let cache = &mut caches[if is_shared { 0 } else { at }];
            let is_hit = cache.access(starts[at] + accesses.blocks[access], effect) == Access::Hit;
            tallies[at].record(Recorded { is_hit, is_read: effect == Effect::Reads });
        }
        reached[at] += count;
    }
    tallies
}

#[cfg(test)]
mod tests {
    use trace::{Kind, Request};

    use super::*;

    const MIB: u64 = 1 << 20;

    /// Returns reads of pages.
    fn reads(pages: impl IntoIterator<Item = u64>) -> Workload {
        let read = |page| Request {
            kind: Kind::Read,
            offset: page * PAGE,
            length: PAGE as u32,
            ..Request::default()
        };
        Workload::collect(pages.into_iter().map(read).map(Ok)).expect("a small trace")
    }

    /// Returns a disk that reads the same 6 MiB again and again, and one that never reads a page twice.
    fn loop_and_stream() -> [Workload; 2] {
        [reads((0..8).flat_map(|_| 0..6 * MIB / PAGE)), reads(0..12 * MIB / PAGE)]
    }

    #[test]
    fn requests_of_all_traces_are_spread_over_the_whole_run() {
        let workloads = [reads(0..2), reads(0..6), reads(0..1)];
        let order: Vec<usize> = Interleaved::new(&workloads.each_ref()).collect();
        assert_eq!(order, [1, 0, 1, 1, 2, 1, 0, 1, 1]);
    }

    #[test]
    fn targets_decide_where_flash_goes_and_no_disk_loses_its_reservation() {
        let workloads = loop_and_stream();
        let pool = SharedPool {
            size_bytes: 10 * MIB,
            ram_bytes: 128 << 10,
            admission: Admission::Always,
            rounds: 40,
        };
        let served = |flash: &FlashUse<'_>| serve(&workloads.each_ref(), &pool, flash).expect("it fits");
        let to_the_first = |figures: &PoolFigures| {
            let [first, second] = &figures.disks[..] else { panic!("there are two disks") };
            assert!(first.reads > 0 && second.reads > 0 && first.reserve_bytes > 0);
            vec![figures.usable_bytes - second.reserve_bytes, second.reserve_bytes]
        };
        let (equal, targets) = (served(&FlashUse::EqualParts), served(&FlashUse::Targets(&to_the_first)));
        assert!(targets[0].tally.read_misses < equal[0].tally.read_misses / 2, "{equal:?} {targets:?}");
        assert!(
            targets[0].held_bytes > equal[0].held_bytes && equal[0].held_bytes == equal[1].held_bytes,
            "{equal:?} {targets:?}"
        );
        for disk in equal.iter().chain(&targets) {
            assert_eq!((disk.tally.reads, disk.rounds_below_reserve), (disk.tally.accesses, 0));
        }
        assert_eq!(targets[1].tally.read_misses, targets[1].tally.reads, "nothing is read twice");
    }

    #[test]
    fn one_lru_for_all_and_equal_parts_see_the_same_requests() {
        let workloads = loop_and_stream();
        for (is_shared, misses) in [(false, [1, 1]), (true, [1, 1])] {
            let tallies = lru(&workloads.each_ref(), 64 * MIB, MIB, is_shared);
            let footprints = workloads.each_ref().map(Workload::footprint_pages);
            for ((tally, workload), (pages, times)) in
                tallies.iter().zip(&workloads).zip(footprints.into_iter().zip(misses))
            {
                assert_eq!((tally.accesses, tally.read_misses), (workload.requests(), pages * times));
            }
        }
        let half = |is_shared| lru(&workloads.each_ref(), 14 * MIB, MIB, is_shared)[0].read_misses;
        assert_eq!(half(false), 6 * MIB / PAGE, "its part of 7 MiB holds all that it reads again");
    }
}
