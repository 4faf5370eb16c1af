//! Advice on a trace: the same curve that disks have, fed with its requests, and a simulation of the served
//! policy at the advised size.
//!
//! The first reading takes a few MB whatever the length of the trace. For the simulation it is read once
//! more, into memory, unless it is too long or not a regular file: then hit ratios of blocks are those of the
//! curve, and writes to flash are unknown.

use std::fs;
use std::panic::resume_unwind;
use std::path::Path;
use std::thread;

use advice::{
    self, Advice, AdviceInput, Basis, Latencies, LatencyEstimate, Outline, Plan, RequestCounts,
    SimulatedHits, Source,
};
use base::error::Result;
use block::{ByteRange, PAGE};
use cache::{Admission, Curve, Curves, Use};
use hitsim::served::{self, RamShare, Served, Serving, Writes};
use hitsim::{Conditions, Counted, Workload};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use trace::{Gauge, Info, Kind, Request, Trace};

use super::super::traces::ReadProgress;
use crate::cli::Advise;
use crate::replay::unreadable;

/// Block sizes that are simulated, in bytes.
const BLOCKS: [u32; 4] = [4 << 10, 16 << 10, 64 << 10, 256 << 10];

/// The most page accesses of a trace that is simulated: half a minute for each size of blocks, and 128 MB.
const SIMULATED_MAX: u64 = 8 << 20;

/// Time of the curve's clock for each page, in nanoseconds. A trace may have no times, or run for weeks, and
/// all of it is to count equally: at this rate no page is skipped for arriving too fast, and counts decay by
/// half only after a billion pages.
const PAGE_NS: u64 = 40_000;

/// Mask of page numbers. Pages of a device begin far from those of another; the curve takes what fits its
/// addresses.
const PAGES_MASK: u64 = (1 << 51) - 1;

/// Result of one reading of a trace.
struct TraceStatistics {
    curves: Curves,
    info: Info,
    accesses: u64,
    recorded: Option<LatencyEstimate>,
    recorded_writes: Option<LatencyEstimate>,
}

pub(super) fn advice(options: &Advise, path: &Path) -> Result<Advice> {
    let learned = learn(options, path)?;
    let name = path.display().to_string();
    let mut known = known(options, &learned, &name);
    let outline = Outline::from_input(&known);
    let simulated = outline.simulated_at().map(|plan| simulate(options, path, &learned, plan));
    match &simulated {
        Some(Ok(simulated)) => known.simulated = simulated,
        Some(Err(reason)) => known.unsimulated = Some(reason),
        None => {}
    }
    Ok(advice::advise_on(&known, &outline))
}

fn learn(options: &Advise, path: &Path) -> Result<TraceStatistics> {
    let mut trace = Trace::open(path, &options.options.into()).map_err(unreadable)?;
    let mut progress = ReadProgress::for_file(path);
    let (mut gauge, mut curve, mut accesses) = (Gauge::new(), Curve::new(), 0);
    let (mut reads, mut writes) = (MeanLatency::default(), MeanLatency::default());
    while let Some(request) = trace.next() {
        let request = request.map_err(unreadable)?;
        gauge.add(&request);
        accesses += observe(&mut curve, &request, accesses);
        match request.kind {
            Kind::Write => writes.add(request.latency_us),
            Kind::Read | Kind::Unknown => reads.add(request.latency_us),
        }
        progress.update(trace.progress());
    }
    progress.end();
    Ok(TraceStatistics {
        curves: curve.curves(),
        info: gauge.finish(&trace),
        accesses,
        recorded: reads.took(),
        recorded_writes: writes.took(),
    })
}

/// Feeds a request to a curve. Returns the number of its pages.
fn observe(curve: &mut Curve, request: &Request, before: u64) -> u64 {
    let pages = trace::blocks(request, PAGE);
    let (first, count) = (pages.start & PAGES_MASK, pages.end - pages.start);
    let usage = if request.kind == Kind::Write { Use::Write } else { Use::Read };
    curve.observe(&ByteRange::at(first * PAGE, count * PAGE), usage, before.saturating_mul(PAGE_NS));
    count
}

/// Mean of latencies.
#[derive(Default)]
struct MeanLatency {
    sum_us: u128,
    count: u64,
}

impl MeanLatency {
    fn add(&mut self, latency_us: Option<u64>) {
        if let Some(latency_us) = latency_us {
            self.sum_us += u128::from(latency_us);
            self.count += 1;
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a mean for people")]
    fn took(&self) -> Option<LatencyEstimate> {
        let us = self.sum_us as f64 / self.count.max(1) as f64;
        (self.count > 0).then_some(LatencyEstimate { us, basis: Basis::Recorded, count: self.count })
    }
}

fn known<'a>(options: &Advise, learned: &'a TraceStatistics, name: &'a str) -> AdviceInput<'a> {
    let TraceStatistics { curves, info, recorded, recorded_writes, .. } = learned;
    let survey = &info.survey;
    let given = |micros: Option<f64>| micros.map(LatencyEstimate::given);
    AdviceInput {
        source: Source::Trace,
        name,
        curves,
        asked: RequestCounts {
            // Requests without a direction count as reads, as in replay and simulation.
            reads: survey.requests - survey.writes,
            writes: survey.writes,
            has_directions: survey.unknown() == 0,
            sequential: Some(info.sequential),
            hits: None,
            partial_hits: 0,
            seconds: survey.span_us().map(|micros| micros / 1_000_000),
            flash_write_bytes: None,
        },
        latencies: Latencies {
            ram: Some(LatencyEstimate::RAM),
            flash: given(options.flash_us).or(Some(LatencyEstimate::FLASH)),
            miss: given(options.miss_us).or(*recorded).or(Some(LatencyEstimate::MISS)),
            write: *recorded_writes,
        },
        present: None,
        pool: None,
        simulated: &[],
        unsimulated: None,
        disk_bytes: survey.end,
        wanted: options.hit_ratio,
    }
}

/// Simulates the served policy at the planned size, or returns the reason for which it cannot be.
fn simulate(
    options: &Advise,
    path: &Path,
    learned: &TraceStatistics,
    plan: &Plan,
) -> Result<Vec<SimulatedHits>, String> {
    if learned.accesses > SIMULATED_MAX {
        return Err(format!(
            "the trace touches more than {SIMULATED_MAX} pages, too many to be simulated in passing"
        ));
    }
    if !fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        return Err("what is no regular file cannot be read twice, so it is not simulated".to_owned());
    }
    let trace = Trace::open(path, &options.options.into()).map_err(|error| error.to_string())?;
    let workload = Workload::collect(trace).map_err(|error| error.to_string())?;
    let serving = Serving {
        admission: Admission::default(),
        ram: RamShare::Bytes(plan.ram_bytes),
        sequential_cutoff: Conditions::default().sequential_cutoff,
        writes: Writes::AsTheyAre,
    };
    let bar = progress(workload.requests() * BLOCKS.len() as u64);
    let serve = &|block_bytes| {
        let update = |done| bar.inc(done);
        served::serve(&workload, &serving, Counted::Requests, plan.cache_bytes(), block_bytes, &update)
    };
    // One thread for each: the largest take as long as the smallest.
    let results: Vec<Result<Served, String>> = thread::scope(|scope| {
        let threads = BLOCKS.map(|block_bytes| scope.spawn(move || serve(block_bytes)));
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    bar.finish_and_clear();
    let of = |(served, block_bytes): (Result<Served, String>, u32)| {
        let Served { counts, index_bytes, .. } = served
            .map_err(|reason| format!("the served policy cannot be simulated with so little: {reason}"))?;
        Ok(SimulatedHits {
            block_bytes: block_bytes.into(),
            reads: counts.reads,
            ram_hits: counts.read_hits_ram,
            flash_hits: counts.read_hits_flash,
            partial_hits: counts.read_partial_hits,
            bypassed: counts.reads_bypassed,
            flash_write_bytes: counts.flash_write_bytes,
            index_bytes,
        })
    };
    results.into_iter().zip(BLOCKS).map(of).collect()
}

/// Returns a progress bar, which is drawn on a terminal only.
fn progress(work: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(work), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("  simulating {bar:20} {percent}%  {eta} left");
    bar.with_style(style.expect("the template is a constant that follows its rules"))
}
