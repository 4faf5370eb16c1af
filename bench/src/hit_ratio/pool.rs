//! Eight disks on one pool at once: flash in equal parts, by age alone, and divided by what it saves, beside an LRU.
//!
//! The division is that of the daemon (`advice/src/division.rs`), with the curves that the disks learn on the way. RAM is equal for all of
//! them. The judged figure is the time that reads wait for their backings: misses of reads, each as long as its backing takes.

use std::path::Path;
use std::time::Instant;

use advice::division::{AnswerTimes, Demand, divide};
use block::PAGE;
use cache::Admission;
use hitsim::served::pool::{DiskFigures, FlashUse, PoolDisk, PoolFigures, SharedPool, lru, serve};
use hitsim::{Tally, Workload};

use super::{FIELD, Part, SOURCES, Source, collect, open, read};

/// Traces, each of which is a disk.
const TRACES: [&str; 8] =
    ["cp_w92sample", "arc_OLTP", "tencent_537", "tencent_211", "tencent_379", "mysql", "web2", "hplajw"];
/// Sizes of the pool, in hundredths of the footprints of all traces.
const SIZES: [u64; 2] = [10, 20];
/// Part of that which is RAM: one of so many.
const RAM_PARTS: u64 = 20;
/// Rounds of a run, in each of which at most a sixteenth of the flash moves.
const ROUNDS: u64 = 200;
/// Reads that curves need to be judged by, as in the daemon.
const CURVE_USES_MIN: f64 = 200.0;
/// Times of answers from RAM and flash in nanoseconds.
const RAM_NS: f64 = 5e3;
const FLASH_NS: f64 = 1e5;
/// Times of backings in nanoseconds: the disks have them in turn.
const BACKINGS: [(&str, [f64; 2]); 2] =
    [("each backing takes 1 ms", [1e6, 1e6]), ("backings take 8 ms and 1 ms in turn", [8e6, 1e6])];
/// Judged: backing time beside equal parts.
const RATIO_MAX: f64 = 0.87;

struct Trace {
    name: &'static str,
    workload: Workload,
}

/// Simulates, and prints Markdown. Traces that are absent are named and left out.
///
/// # Errors
/// If fewer than two traces are there, or one is damaged: a sentence.
pub(super) fn report(folder: &Path, quick: bool) -> Result<(), String> {
    let started = Instant::now();
    let all = || SOURCES.iter().chain(&FIELD);
    let sources = TRACES.iter().filter_map(|name| all().find(|source| source.known_as == *name));
    let is_taken = |source: &&Source| source.part == Part::Small || !quick;
    let (found, absent): (Vec<&Source>, Vec<&Source>) =
        sources.filter(is_taken).partition(|source| folder.join(source.file).exists());
    if !absent.is_empty() {
        let names: Vec<&str> = absent.iter().map(|source| source.file).collect();
        println!("Absent, and left out: {}.\n", names.join(", "));
    }
    if found.len() < 2 {
        return Err(format!(
            "Cannot simulate a pool of several disks: {} has {} of the traces",
            folder.display(),
            found.len()
        ));
    }
    let mut traces = Vec::new();
    for source in found {
        let workload = collect(&read(open(folder, source)?)?)?;
        traces.push(Trace { name: source.known_as, workload });
    }
    let sizes = SIZES.iter().map(|size| {
        let of_size = OfSize::simulate(&traces, *size)?;
        eprintln!("{size} %: {} s", started.elapsed().as_secs());
        Ok(of_size)
    });
    let sizes: Vec<OfSize> = sizes.collect::<Result<_, String>>()?;
    for (at, (about, _)) in BACKINGS.iter().enumerate() {
        println!("\n## {} disks, {about}\n", traces.len());
        println!(
            "| pool | division | time of backings, s | beside equal parts | rounds below a reservation |"
        );
        println!("|---|---|---|---|---|");
        for size in &sizes {
            size.print(at);
        }
    }
    println!("\n## Misses of reads, and flash at the end where {}\n", BACKINGS[0].0);
    println!("| pool | trace | reads | equal parts | divided | one LRU | flash held, MiB | share, MiB |");
    println!("|---|---|---|---|---|---|---|---|");
    for size in &sizes {
        size.print_disks(&traces);
    }
    println!("\nAll of it took {} s.", started.elapsed().as_secs());
    Ok(())
}

/// Results of one size of the pool.
struct OfSize {
    /// Size in hundredths of the footprints.
    size: u64,
    equal: Vec<PoolDisk>,
    oldest: Vec<PoolDisk>,
    /// For each of [`BACKINGS`].
    divided: Vec<Vec<PoolDisk>>,
    lru_equal: Vec<Tally>,
    lru_shared: Vec<Tally>,
}

impl OfSize {
    fn simulate(traces: &[Trace], size: u64) -> Result<Self, String> {
        let workloads: Vec<&Workload> = traces.iter().map(|trace| &trace.workload).collect();
        let footprint: u64 = workloads.iter().map(|workload| workload.footprint_pages() * PAGE).sum();
        let size_bytes = footprint / 100 * size;
        let ram_bytes = size_bytes / RAM_PARTS / traces.len() as u64 / PAGE * PAGE;
        let pool = SharedPool { size_bytes, ram_bytes, admission: Admission::default(), rounds: ROUNDS };
        let served = |flash: &FlashUse<'_>| serve(&workloads, &pool, flash);
        let divided = |(_, backings): &(&str, [f64; 2])| {
            let by_benefit = |figures: &PoolFigures| {
                let disks = figures.disks.iter().enumerate();
                let demands: Vec<_> =
                    disks.map(|(at, disk)| demand(disk, figures, times(backings, at))).collect();
                divide(figures.usable_bytes, &demands).into_iter().map(|share| share.bytes).collect()
            };
            served(&FlashUse::Targets(&by_benefit))
        };
        Ok(Self {
            size,
            equal: served(&FlashUse::EqualParts)?,
            oldest: served(&FlashUse::OldestFirst)?,
            divided: BACKINGS.iter().map(divided).collect::<Result<_, _>>()?,
            lru_equal: lru(&workloads, size_bytes, ram_bytes, false),
            lru_shared: lru(&workloads, size_bytes, ram_bytes, true),
        })
    }

    /// Prints the rows of one of [`BACKINGS`].
    fn print(&self, at: usize) {
        let backings = &BACKINGS[at].1;
        let of_equal = seconds(&tallies(&self.equal), backings);
        let row = |name: &str, tallies: &[Tally], below: Option<&[PoolDisk]>| {
            let below = below.map(|disks| disks.iter().map(|disk| disk.rounds_below_reserve).sum::<u64>());
            let below = below.map_or_else(|| "-".to_owned(), |rounds| rounds.to_string());
            let seconds = seconds(tallies, backings);
            println!("| {} % | {name} | {seconds:.1} | {:.3} | {below} |", self.size, seconds / of_equal);
            seconds
        };
        row("served, equal parts", &tallies(&self.equal), Some(&self.equal));
        row("served, the oldest first", &tallies(&self.oldest), Some(&self.oldest));
        let divided =
            row("served, divided by what it saves", &tallies(&self.divided[at]), Some(&self.divided[at]));
        row("LRU, equal parts", &self.lru_equal, None);
        let shared = row("one LRU for all", &self.lru_shared, None);
        let verdict = |is_met: bool| if is_met { "met" } else { "not met" };
        eprintln!(
            "{} %, {}: at most {RATIO_MAX} of equal parts: {}; not above one LRU for all: {}",
            self.size,
            BACKINGS[at].0,
            verdict(divided <= RATIO_MAX * of_equal),
            verdict(divided <= shared)
        );
    }

    fn print_disks(&self, traces: &[Trace]) {
        for (at, trace) in traces.iter().enumerate() {
            let (equal, divided) = (&self.equal[at], &self.divided[0][at]);
            println!(
                "| {} % | {} | {} | {:.3} | {:.3} | {:.3} | {} | {} |",
                self.size,
                trace.name,
                equal.tally.reads,
                equal.tally.read_miss_ratio(),
                divided.tally.read_miss_ratio(),
                self.lru_shared[at].read_miss_ratio(),
                divided.held_bytes >> 20,
                divided.target_bytes >> 20
            );
        }
    }
}

fn tallies(disks: &[PoolDisk]) -> Vec<Tally> {
    disks.iter().map(|disk| disk.tally).collect()
}

/// Returns the times of answers of the disk with this number.
fn times(backings: &[f64; 2], at: usize) -> AnswerTimes {
    AnswerTimes { ram: RAM_NS, flash: FLASH_NS, backing: backings[at % 2] }
}

/// Returns the time that reads of all disks wait for their backings, in seconds.
fn seconds(tallies: &[Tally], backings: &[f64; 2]) -> f64 {
    let of = |(at, tally): (usize, &Tally)| times_of(tally.read_misses, times(backings, at).backing);
    tallies.iter().enumerate().map(of).sum::<f64>() / 1e9
}

/// Returns the demand of a disk, as the daemon has it.
fn demand<'a>(
    disk: &'a DiskFigures,
    figures: &PoolFigures,
    times: AnswerTimes,
) -> Demand<impl Fn(u64) -> f64 + use<'a>> {
    let is_known = disk.curves.reads.uses() >= CURVE_USES_MIN;
    Demand {
        now_bytes: disk.target_bytes.unwrap_or(figures.usable_bytes / figures.disks.len() as u64),
        bytes_min: disk.reserve_bytes,
        bytes_max: figures.usable_bytes,
        reads: times_of(disk.reads, 1.0),
        saved_ns: is_known.then(|| times.saved_by_flash(&disk.curves, disk.ram_bytes)),
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of requests stay far below 2^52")]
fn times_of(count: u64, each: f64) -> f64 {
    count as f64 * each
}
