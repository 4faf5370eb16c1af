//! Many points of one trace: each a policy with a size and a block, spread over the cores.
//!
//! Points share the trace and nothing else. The dear ones go first, so that no core is left with a long one in the end. What
//! comes out does not depend on how many cores there are.

use std::fmt;
use std::num::NonZero;
use std::str::FromStr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use block::PAGE;
use cache::{Admission, SequentialCutoff};

use crate::policies::{Access, Reference, next_uses};
use crate::served::{self, Division, RamShare, Served, Serving, Writes};
use crate::workload::{Accesses, Counted, Workload};

/// A policy that can be simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The one that serves disks, with an admission.
    Served(Admission),
    /// One of a paper.
    Reference(Reference),
}

/// What is simulated once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Which policy.
    pub policy: Policy,
    /// Bytes of the cache, RAM and flash together.
    pub size_bytes: u64,
    /// Bytes of a block: a power of two, 4 KiB to 1 MiB.
    pub block_bytes: u32,
}

/// What holds for all points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conditions {
    /// What is one access.
    pub counted: Counted,
    /// RAM of a served disk.
    pub ram: RamShare,
    /// Of a served disk.
    pub sequential_cutoff: SequentialCutoff,
    /// What a served disk does with writes. To other policies they are what reads are.
    pub writes: Writes,
}

/// RAM that a disk gets by default. A test of the daemon keeps them equal.
const DISK_RAM_BYTES: u64 = 32 << 20;

impl Default for Conditions {
    /// As a disk is served out of the box, each block an access.
    fn default() -> Self {
        Self {
            counted: Counted::Blocks,
            ram: RamShare::Usual { bytes_max: DISK_RAM_BYTES },
            sequential_cutoff: SequentialCutoff::Auto,
            writes: Writes::AsTheyAre,
        }
    }
}

/// What came of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// The point.
    pub point: Point,
    /// Accesses.
    pub accesses: u64,
    /// How many of them were no hits.
    pub misses: u64,
    /// Bytes of data written to flash: of a served disk those promoted and appended again, of others what missed. Without
    /// headers and summaries.
    pub flash_data_bytes: u64,
    /// Of a served disk all bytes that it wrote to flash, and how the cache was divided.
    pub served: Option<Layout>,
}

/// What only a served disk has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// How the cache was divided.
    pub division: Division,
    /// Bytes written to flash, with headers and summaries.
    pub flash_bytes: u64,
    /// Pages appended again when their segment was reclaimed.
    pub reappended_pages: u64,
    /// Bytes of RAM for index and policy, in the end.
    pub index_bytes: u64,
}

/// A point that could not be simulated, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The point.
    pub point: Point,
    /// A sentence.
    pub reason: String,
}

/// What came of all points, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// What was simulated.
    pub rows: Vec<Row>,
    /// What could not be.
    pub left_out: Vec<LeftOut>,
}

/// How much work a served access is, in accesses of other policies: for progress, and for what goes first.
const SERVED_WEIGHT: u64 = 40;

/// Accesses between two reports of progress.
const REPORT_EVERY: usize = 65_536;

impl Row {
    /// Misses of all accesses.
    #[expect(clippy::cast_precision_loss, reason = "counts of accesses are 32 bits")]
    pub fn miss_ratio(&self) -> f64 {
        self.misses as f64 / self.accesses as f64
    }

    /// Blocks' worth of data that are written to flash, for each access.
    #[expect(clippy::cast_precision_loss, reason = "a ratio for people; bytes stay far below 2^52")]
    pub fn flash_writes_per_access(&self) -> f64 {
        self.flash_data_bytes as f64 / f64::from(self.point.block_bytes) / self.accesses as f64
    }
}

/// The work that points are, in the unit in which [`run`] reports progress.
pub fn work(workload: &Workload, conditions: &Conditions, points: &[Point]) -> u64 {
    points.iter().map(|point| weight(point) * workload.count(conditions.counted, point.block_bytes)).sum()
}

fn weight(point: &Point) -> u64 {
    if matches!(point.policy, Policy::Served(_)) { SERVED_WEIGHT } else { 1 }
}

/// Simulates all points. `progress` is told how much work was done since it was told last, by any thread.
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

/// All points of one size of blocks.
struct OneBlockSize<'a> {
    workload: &'a Workload,
    conditions: &'a Conditions,
    block_bytes: u32,
    /// Of use to reference policies only: none if there are no such points.
    accesses: Accesses,
    next_uses: Vec<u32>,
}

impl<'a> OneBlockSize<'a> {
    fn new(
        workload: &'a Workload,
        conditions: &'a Conditions,
        points: &[Point],
        own: &[usize],
        block_bytes: u32,
    ) -> Self {
        let has = |wanted: fn(&Policy) -> bool| own.iter().any(|at| wanted(&points[*at].policy));
        let accesses = if has(|policy| matches!(policy, Policy::Reference(_))) {
            workload.accesses(block_bytes)
        } else {
            Accesses { blocks: Vec::new(), distinct: 0 }
        };
        let next_uses = if has(|policy| *policy == Policy::Reference(Reference::Belady)) {
            next_uses(&accesses.blocks, accesses.distinct)
        } else {
            Vec::new()
        };
        Self { workload, conditions, block_bytes, accesses, next_uses }
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
        let Conditions { counted, ram, sequential_cutoff, writes } = *self.conditions;
        let serving = Serving { admission, ram, sequential_cutoff, writes };
        let report = |done| progress(done * SERVED_WEIGHT);
        let accesses = self.workload.count(counted, self.block_bytes);
        let served =
            served::serve(self.workload, &serving, counted, point.size_bytes, self.block_bytes, &report)
                .inspect_err(|_| report(accesses))?;
        let Served { counts, division, index_bytes, .. } = served;
        Ok(Row {
            point: *point,
            accesses,
            misses: accesses - served.hits,
            flash_data_bytes: served.flash_pages_written() * PAGE,
            served: Some(Layout {
                division,
                flash_bytes: counts.flash_write_bytes,
                reappended_pages: counts.reappends,
                index_bytes,
            }),
        })
    }

    fn refer(&self, point: &Point, reference: Reference, progress: &dyn Fn(u64)) -> Result<Row, String> {
        let Accesses { blocks, distinct } = &self.accesses;
        let whole = self.conditions.counted == Counted::Requests;
        let accesses = self.workload.count(self.conditions.counted, self.block_bytes);
        // What is larger than everything keeps everything.
        let capacity = (point.size_bytes / u64::from(self.block_bytes)).min(u64::from(*distinct)) as usize;
        if capacity == 0 {
            progress(accesses);
            return Err(format!("{} bytes hold no block of {}", point.size_bytes, self.block_bytes));
        }
        let mut policy = reference.make(capacity, *distinct, &self.next_uses);
        let (mut blocks_missed, mut requests_missed) = (0_u64, 0_u64);
        if whole {
            let mut rest = blocks.as_slice();
            for count in self.workload.blocks_of_requests(self.block_bytes) {
                let (own, later) = rest.split_at(count);
                rest = later;
                let missed = own.iter().filter(|block| policy.access(**block) == Access::Miss).count() as u64;
                blocks_missed += missed;
                requests_missed += u64::from(missed > 0);
            }
            progress(accesses);
        } else {
            for part in blocks.chunks(REPORT_EVERY) {
                blocks_missed +=
                    part.iter().filter(|block| policy.access(**block) == Access::Miss).count() as u64;
                progress(part.len() as u64);
            }
        }
        Ok(Row {
            point: *point,
            accesses,
            misses: if whole { requests_missed } else { blocks_missed },
            flash_data_bytes: policy.written().unwrap_or(blocks_missed) * u64::from(self.block_bytes),
            served: None,
        })
    }
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
