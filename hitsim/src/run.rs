//! Simulation of many points of one trace: each a policy with a size and a block, distributed over the cores.
//!
//! Points share only the trace. The most expensive ones run first, so that no core is left with a long one at the end. The results do not
//! depend on the number of cores.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::num::NonZero;
use std::str::FromStr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use block::PAGE;
use cache::{Admission, SequentialCutoff};

use crate::policies::{Access, Reference, next_uses};
use crate::rule::{Effect, WriteThrough, Writes};
use crate::served::{self, Division, RamShare, Served, Serving};
use crate::tally::{Course, Recorded, Tallies, Tally, Turnovers};
use crate::workload::{Accesses, Counted, Workload};

/// Policy to simulate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The served one, with an admission.
    Served(Admission),
    /// One of a paper.
    Reference(Reference),
}

/// Parameters of one simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Policy of the cache.
    pub policy: Policy,
    /// Bytes of the cache, RAM and flash together.
    pub size_bytes: u64,
    /// Bytes of a block: a power of two, 4 KiB to 1 MiB.
    pub block_bytes: u32,
}

/// Conditions of all points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conditions {
    /// Unit of an access.
    pub counted: Counted,
    /// RAM of a served disk; and the RAM of other policies where writes are writes, for them always that of a disk with defaults, even
    /// beside a served disk with less RAM because only hits count.
    pub ram: RamShare,
    /// Sequential cutoff of a served disk.
    pub sequential_cutoff: SequentialCutoff,
    /// Treatment of writes, for all policies alike.
    pub writes: Writes,
    /// Number of passes over the trace, one after the other: at least one.
    pub passes: u32,
}

/// Default RAM of a disk. A test of the daemon keeps them equal.
const DISK_RAM_BYTES: u64 = 32 << 20;

impl Default for Conditions {
    /// Defaults of a disk, with each block as an access.
    fn default() -> Self {
        Self {
            counted: Counted::Blocks,
            ram: RamShare::Usual { bytes_max: DISK_RAM_BYTES },
            sequential_cutoff: SequentialCutoff::Auto,
            writes: Writes::AsTheyAre,
            passes: 1,
        }
    }
}

/// Result of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// The point.
    pub point: Point,
    /// Counts of the first pass.
    pub tally: Tally,
    /// Bytes of data written to flash in the first pass: of a served disk those promoted and appended again, of others the blocks that
    /// entered, and new versions of cached ones. Without headers and summaries.
    pub flash_data_bytes: u64,
    /// Counts of the two turnovers after the first fill, if the cache fills and accesses are to blocks; a later one may be cut off by the
    /// end of the trace, or empty.
    pub turnovers: Option<[Tally; 2]>,
    /// Counts of the last pass, if there are several.
    pub again: Option<Tally>,
    /// Figures that only a served disk has.
    pub served: Option<Layout>,
}

/// Figures that only a served disk has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Division of the cache.
    pub division: Division,
    /// Bytes written to flash, with headers and summaries.
    pub flash_bytes: u64,
    /// Pages that were admitted to flash, including those of the first fill.
    pub admitted_pages: u64,
    /// Pages of these that were admitted before the first segment was reclaimed.
    pub first_fill_pages: u64,
    /// Pages appended again when their segment was reclaimed.
    pub reappended_pages: u64,
    /// Pages on flash that a guest overwrote before they were read from there: a lower bound, see [`Served`].
    pub overwritten_unread_pages: u64,
    /// Bytes of RAM for index and policy, at the end.
    pub index_bytes: u64,
}

/// Point that could not be simulated, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The point.
    pub point: Point,
    /// Reason, as a sentence.
    pub reason: String,
}

/// Results of all points, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Simulated points.
    pub rows: Vec<Row>,
    /// Points that could not be simulated.
    pub left_out: Vec<LeftOut>,
}

/// Cost of a served access, in accesses of other policies: for progress, and for the order of points.
const SERVED_WEIGHT: u64 = 40;

/// Number of accesses between two reports of progress.
const REPORT_EVERY: usize = 65_536;

impl Row {
    /// Returns the misses of all accesses.
    pub fn miss_ratio(&self) -> f64 {
        self.tally.miss_ratio()
    }

    /// Returns the misses of reads alone; not a number if nothing was read.
    pub fn read_miss_ratio(&self) -> f64 {
        self.tally.read_miss_ratio()
    }

    /// Returns the data written to flash, in blocks, for each access.
    #[expect(clippy::cast_precision_loss, reason = "a ratio for people; bytes stay far below 2^52")]
    pub fn flash_writes_per_access(&self) -> f64 {
        self.flash_data_bytes as f64 / f64::from(self.point.block_bytes) / self.tally.accesses as f64
    }
}

/// Returns the cost of points, in the unit in which [`run`] reports progress.
pub fn work(workload: &Workload, conditions: &Conditions, points: &[Point]) -> u64 {
    let passes = u64::from(conditions.passes.max(1));
    let of = |point: &Point| weight(point) * workload.count(conditions.counted, point.block_bytes);
    passes * points.iter().map(of).sum::<u64>()
}

fn weight(point: &Point) -> u64 {
    if matches!(point.policy, Policy::Served(_)) { SERVED_WEIGHT } else { 1 }
}

/// Simulates all points. `progress` gets the cost of the work since its last call, from any thread.
pub fn run(
    workload: &Workload,
    conditions: &Conditions,
    points: &[Point],
    progress: &(dyn Fn(u64) + Sync),
) -> Outcome {
    let mut block_sizes: Vec<u32> = points.iter().map(|point| point.block_bytes).collect();
    block_sizes.sort_unstable();
    block_sizes.dedup();
    let mut results: Vec<(usize, Result<Row, String>)> = Vec::new();
    for block_bytes in block_sizes {
        let own: Vec<usize> = (0..points.len()).filter(|at| points[*at].block_bytes == block_bytes).collect();
        let points_of_it = OneBlockSize::new(workload, conditions, points, &own, block_bytes);
        results.extend(points_of_it.run(points, own, progress));
    }
    results.sort_unstable_by_key(|(at, _)| *at);
    let mut outcome = Outcome::default();
    for (at, result) in results {
        match result {
            Ok(row) => outcome.rows.push(row),
            Err(reason) => outcome.left_out.push(LeftOut { point: points[at], reason }),
        }
    }
    outcome
}

/// Points of one block size.
struct OneBlockSize<'a> {
    workload: &'a Workload,
    conditions: &'a Conditions,
    block_bytes: u32,
    /// None if requests are counted, and there is no policy from a paper.
    accesses: Accesses,
    /// None if all accesses read, or there are none.
    effects: Vec<Effect>,
    /// Used by Belady only: none if there is no such point.
    next_uses: Vec<u32>,
    /// Turnovers for each size in bytes.
    turnovers: HashMap<u64, Option<Turnovers>>,
}

impl<'a> OneBlockSize<'a> {
    fn new(
        workload: &'a Workload,
        conditions: &'a Conditions,
        points: &[Point],
        own: &[usize],
        block_bytes: u32,
    ) -> Self {
        let policies = || own.iter().map(|at| points[*at].policy);
        let has_references = policies().any(|policy| matches!(policy, Policy::Reference(_)));
        let (accesses, effects) = if has_references || conditions.counted == Counted::Blocks {
            (workload.accesses(block_bytes), workload.effects(block_bytes, conditions.writes))
        } else {
            Default::default()
        };
        let next_uses = if policies().any(|policy| policy == Policy::Reference(Reference::Belady)) {
            next_uses(&accesses.blocks, &effects, accesses.distinct, conditions.passes.max(1))
        } else {
            Vec::new()
        };
        let turnovers = HashMap::new();
        let mut of = Self { workload, conditions, block_bytes, accesses, effects, next_uses, turnovers };
        if conditions.counted == Counted::Blocks {
            let sizes: BTreeSet<u64> = own.iter().map(|at| points[*at].size_bytes).collect();
            of.turnovers =
                sizes.into_iter().map(|size_bytes| (size_bytes, of.turnovers_of(size_bytes))).collect();
        }
        of
    }

    /// Returns the number of blocks that a cache holds, and those of them in RAM. A cache larger than the footprint keeps everything.
    fn capacities(&self, size_bytes: u64) -> [usize; 2] {
        let all = u64::from(self.accesses.distinct);
        let ram_bytes = self.conditions.ram.pages(size_bytes, Admission::Adaptive).saturating_mul(PAGE);
        [size_bytes, ram_bytes].map(|bytes| (bytes / u64::from(self.block_bytes)).min(all) as usize)
    }

    fn turnovers_of(&self, size_bytes: u64) -> Option<Turnovers> {
        let Accesses { blocks, distinct } = &self.accesses;
        let capacities = self.capacities(size_bytes);
        // A cache that holds everything has no choice.
        if capacities[0] == 0 || capacities[0] == *distinct as usize {
            return None;
        }
        Turnovers::of(blocks, &self.effects, *distinct, capacities)
    }

    fn turnovers(&self, size_bytes: u64) -> Option<Turnovers> {
        self.turnovers.get(&size_bytes).copied().flatten()
    }

    fn run(
        &self,
        points: &[Point],
        mut own: Vec<usize>,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Vec<(usize, Result<Row, String>)> {
        // Largest first: they take longest.
        own.sort_by_key(|at| std::cmp::Reverse((weight(&points[*at]), points[*at].size_bytes)));
        let results = Mutex::new(Vec::with_capacity(own.len()));
        let next = AtomicUsize::new(0);
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        thread::scope(|scope| {
            for _ in 0..cores.min(own.len()) {
                scope.spawn(|| {
                    while let Some(at) = own.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let result = self.simulate(&points[*at], progress);
                        results.lock().expect("no thread panics with it").push((*at, result));
                    }
                });
            }
        });
        results.into_inner().expect("no thread panicked with it")
    }

    fn simulate(&self, point: &Point, progress: &dyn Fn(u64)) -> Result<Row, String> {
        match point.policy {
            Policy::Reference(reference) => self.refer(point, reference, progress),
            Policy::Served(admission) => self.serve(point, admission, progress),
        }
    }

    fn serve(&self, point: &Point, admission: Admission, progress: &dyn Fn(u64)) -> Result<Row, String> {
        let Conditions { counted, ram, sequential_cutoff, writes, passes } = *self.conditions;
        let serving = Serving { admission, ram, sequential_cutoff, writes };
        let report = |done| progress(done * SERVED_WEIGHT);
        let accesses = self.workload.count(counted, self.block_bytes) * u64::from(passes.max(1));
        let turnovers = self.turnovers(point.size_bytes);
        let course = Course { passes, turnovers, ..Course::default() };
        let served = served::serve_along(
            self.workload,
            &serving,
            counted,
            point.size_bytes,
            self.block_bytes,
            &course,
            &report,
        )
        .inspect_err(|_| report(accesses))?;
        let Served { first, again, turns, counts, division, index_bytes, .. } = served;
        let tallies = Tallies { first, again, turns };
        let layout = Layout {
            division,
            flash_bytes: counts.flash_write_bytes,
            admitted_pages: counts.promotions,
            first_fill_pages: served.first_fill_pages,
            reappended_pages: counts.reappends,
            overwritten_unread_pages: served.overwritten_unread_pages,
            index_bytes,
        };
        Ok(row(*point, tallies, turnovers, served.flash_pages_written() * PAGE, Some(layout)))
    }

    fn refer(&self, point: &Point, reference: Reference, progress: &dyn Fn(u64)) -> Result<Row, String> {
        let Accesses { distinct, .. } = &self.accesses;
        let [capacity, ram] = self.capacities(point.size_bytes);
        let passes = self.conditions.passes.max(1);
        if capacity == 0 {
            progress(u64::from(passes) * self.workload.count(self.conditions.counted, self.block_bytes));
            return Err(format!("{} bytes hold no block of {}", point.size_bytes, self.block_bytes));
        }
        let turnovers = self.turnovers(point.size_bytes);
        let policy = reference.make(capacity, *distinct, &self.next_uses);
        let mut cache = WriteThrough::new(policy, ram, *distinct);
        let (mut tallies, mut written) = (Tallies::default(), None);
        for pass in 0..passes {
            if pass > 0 {
                tallies.next_pass();
            }
            match self.conditions.counted {
                Counted::Blocks => self.pass_by_blocks(&mut cache, &mut tallies, turnovers, progress),
                Counted::Requests => self.pass_by_requests(&mut cache, &mut tallies, progress),
            }
            written.get_or_insert_with(|| cache.written());
        }
        let written = written.expect("there is a first pass") * u64::from(self.block_bytes);
        Ok(row(*point, tallies, turnovers, written, None))
    }

    fn effect(&self, at: usize) -> Effect {
        self.effects.get(at).copied().unwrap_or_default()
    }

    fn pass_by_blocks(
        &self,
        cache: &mut WriteThrough<'_>,
        tallies: &mut Tallies,
        turnovers: Option<Turnovers>,
        progress: &dyn Fn(u64),
    ) {
        for (at, block) in self.accesses.blocks.iter().enumerate() {
            let effect = self.effect(at);
            let is_hit = cache.access(*block, effect) == Access::Hit;
            tallies.record(Recorded { is_hit, is_read: effect == Effect::Reads }, turnovers);
            if at % REPORT_EVERY == REPORT_EVERY - 1 {
                progress(REPORT_EVERY as u64);
            }
        }
        progress((self.accesses.blocks.len() % REPORT_EVERY) as u64);
    }

    fn pass_by_requests(&self, cache: &mut WriteThrough<'_>, tallies: &mut Tallies, progress: &dyn Fn(u64)) {
        let mut at = 0;
        for count in self.workload.blocks_of_requests(self.block_bytes) {
            let (mut is_hit, is_read) = (true, self.effect(at) == Effect::Reads);
            for at in at..at + count {
                is_hit &= cache.access(self.accesses.blocks[at], self.effect(at)) == Access::Hit;
            }
            at += count;
            tallies.record(Recorded { is_hit, is_read }, None);
        }
        progress(self.workload.requests());
    }
}

fn row(
    point: Point,
    tallies: Tallies,
    turnovers: Option<Turnovers>,
    flash_data_bytes: u64,
    served: Option<Layout>,
) -> Row {
    let Tallies { first, again, turns } = tallies;
    let turnovers = turnovers.map(|_| turns);
    Row { point, tally: first, flash_data_bytes, turnovers, again, served }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Served(Admission::Adaptive) => f.write_str("served"),
            Self::Served(admission) => write!(f, "served:{admission}"),
            Self::Reference(reference) => reference.fmt(f),
        }
    }
}

impl FromStr for Policy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix("served") {
            Some("") => Ok(Self::Served(Admission::Adaptive)),
            Some(rest) if rest.starts_with(':') => rest[1..].parse().map(Self::Served),
            _ => text.parse().map(Self::Reference),
        }
    }
}
