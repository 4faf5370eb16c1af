//! Reports of before and after: a disk with the cache, compared with the same disk without.
//!
//! "Without" is measured if the disk ran in pass-through for long enough, reads and writes apart. Else it is
//! derived for reads: without a cache, every read would have taken as long as the reads that went to the
//! backing. That slightly understates the gain, for without the cache the backing would have been busier, and
//! overstates it where large reads bypassed the cache. Nothing is derived for writes and requests a second.
//! The document states which of the two it is.

use api::DiskGain;
use api::histograms::Class;
use api::report::{Measured, RatioStep, Saved, Source, Times, WarmUp, WarmUpState, WithOrWithout};
use base::units::ratio;
use cache::{Histograms, Latency as Latencies, LatencyCounts};
use telemetry::counted::Counted;
use telemetry::series::lifetime::{self, Comparison, READS_MIN, Side, VARIATION_MAX, Warmth};
use telemetry::totals::Total;

use super::statistics::latency;

/// Requests in pass-through from which on their latencies count as those without the cache: ten are above the
/// 99th percentile then.
const REQUESTS_MIN: u64 = 1_000;

/// Seconds with requests from which on requests a second are reported, with the cache and without.
const ACTIVE_SECONDS_MIN: u64 = 60;

const READS: [Latencies; 3] = [Latencies::ReadHitRam, Latencies::ReadHitFlash, Latencies::ReadMiss];

/// Returns the document of a disk with these total counters, those to be compared, and its dirty bytes.
pub(crate) fn disk_gain(
    name: &str,
    total: &Total,
    comparison: &Comparison,
    dirty_bytes: Option<u64>,
) -> DiskGain {
    let counts = &total.counted.counts;
    let with = with_cache(comparison);
    let without = without_cache(comparison);
    let mean = |times: &Option<Measured>| times.as_ref().map(|times| times.latency.mean);
    let writes = [&without, &with].map(|side| mean(&side.latency_us.write));
    DiskGain {
        name: name.to_owned(),
        since: total.since.to_string(),
        reads: counts.reads,
        hit_ratio: total.counted.hit_ratio(),
        hit_ratio_ram: ratio(counts.read_hits_ram, counts.reads),
        hit_ratio_flash: ratio(counts.read_hits_flash, counts.reads),
        compared_since: comparison.since.to_string(),
        saved: saved(&without, &with),
        times_faster: times_faster([without.read_mean_us, with.read_mean_us]),
        writes_times_faster: times_faster(writes),
        measured_backing_reads: without.latency_us.read.as_ref().map_or(0, |read| read.latency.count),
        without,
        with,
        requests_min: REQUESTS_MIN,
        active_seconds_min: ACTIVE_SECONDS_MIN,
        flash_write_bytes: counts.flash_write_bytes,
        dirty_bytes,
        hit_ratio_over_time: comparison.steps.iter().map(ratio_step).collect(),
        warm_up: warm_up(lifetime::warmth(&comparison.steps)),
    }
}

fn with_cache(Comparison { passed, cached, .. }: &Comparison) -> WithOrWithout {
    let counts = &cached.counted.counts;
    // Destage in pass-through writes data from before.
    let destages = passed.counted.latencies[Latencies::Destage as usize].count();
    let reads = reads(&cached.counted);
    let writes = &cached.counted.latencies[Latencies::Write as usize];
    WithOrWithout {
        reads_are: source(&reads),
        writes_are: source(writes),
        backing_reads: counts.backing_reads,
        backing_read_bytes: counts.backing_read_bytes,
        backing_writes: counts.backing_writes + destages,
        backing_write_bytes: counts.backing_write_bytes + passed.counted.counts.destage_bytes,
        ..one_side(cached, &reads, writes)
    }
}

fn without_cache(Comparison { passed, cached, .. }: &Comparison) -> WithOrWithout {
    let [mut reads, misses] =
        [passed, cached].map(|side| side.counted.latencies[Latencies::ReadMiss as usize].clone());
    let is_measured = reads.count() >= REQUESTS_MIN;
    if !is_measured {
        reads.add(&misses);
    }
    let writes = &passed.counted.latencies[Latencies::Write as usize];
    let nothing = LatencyCounts::default();
    let writes = if writes.count() >= REQUESTS_MIN { writes } else { &nothing };
    let asked = &cached.counted.counts;
    WithOrWithout {
        reads_are: match source(&reads) {
            Source::Measured if !is_measured => Source::Concluded,
            source => source,
        },
        writes_are: source(writes),
        backing_reads: asked.reads,
        backing_read_bytes: asked.read_bytes,
        backing_writes: asked.writes,
        backing_write_bytes: asked.write_bytes,
        ..one_side(passed, &reads, writes)
    }
}

/// Returns the figures that both sides have.
fn one_side(side: &Side, reads: &LatencyCounts, writes: &LatencyCounts) -> WithOrWithout {
    let counts = &side.counted.counts;
    let enough_time = counts.active_seconds >= ACTIVE_SECONDS_MIN;
    let times = Times { read: measured_times(reads), write: measured_times(writes) };
    WithOrWithout {
        reads_are: Source::Unknown,
        writes_are: Source::Unknown,
        seconds: side.time.as_secs(),
        active_seconds: counts.active_seconds,
        reads: counts.reads,
        writes: counts.writes,
        read_hits_ram: counts.read_hits_ram,
        read_hits_flash: counts.read_hits_flash,
        hit_ratio: side.counted.hit_ratio(),
        iops: ratio(counts.reads + counts.writes, counts.active_seconds).filter(|_| enough_time),
        iops_busiest_minute: side.busiest.per_second().filter(|_| enough_time),
        read_mean_us: times.read.as_ref().map(|read| read.latency.mean),
        latency_us: times,
        backing_reads: 0,
        backing_read_bytes: 0,
        backing_writes: 0,
        backing_write_bytes: 0,
    }
}

/// Returns the latencies of all reads, however they were answered.
fn reads(counted: &Counted) -> LatencyCounts {
    let mut all = LatencyCounts::default();
    for class in READS {
        all.add(&counted.latencies[class as usize]);
    }
    all
}

fn times_faster([without, with]: [Option<f64>; 2]) -> Option<f64> {
    Some(without? / with.filter(|with| *with > 0.0)?)
}

fn source(measured: &LatencyCounts) -> Source {
    if measured.count() > 0 { Source::Measured } else { Source::Unknown }
}

fn measured_times(measured: &LatencyCounts) -> Option<Measured> {
    (measured.count() > 0).then(|| Measured { latency: latency(measured), classes: classes(measured) })
}

/// Returns the classes of latency histograms, with the number of requests in each.
fn classes(measured: &LatencyCounts) -> Vec<Class> {
    let mut below = 0;
    let mut class = |upto: Option<i64>| {
        // Bounds are positive, and far below an overflow.
        let within = upto.map_or(measured.count(), |micros| measured.within(micros.unsigned_abs() * 1_000));
        let count = within - below;
        below = within;
        Class { upto, count }
    };
    let histograms = Histograms::default();
    histograms.latencies[0].classes().map(|(upto, _)| class(upto)).collect()
}

fn saved(without: &WithOrWithout, with: &WithOrWithout) -> Saved {
    let saved = |count: fn(&WithOrWithout) -> u64| count(without).cast_signed() - count(with).cast_signed();
    Saved {
        backing_reads: saved(|side| side.backing_reads),
        backing_read_bytes: saved(|side| side.backing_read_bytes),
        backing_writes: saved(|side| side.backing_writes),
        backing_write_bytes: saved(|side| side.backing_write_bytes),
    }
}

fn ratio_step(step: &lifetime::RatioSpan) -> RatioStep {
    RatioStep {
        from_seconds: step.from,
        to_seconds: step.to,
        reads: step.reads,
        read_hits_ram: step.hits_ram,
        read_hits_flash: step.hits_flash,
        hit_ratio: step.hit_ratio(),
    }
}

fn warm_up(warmth: Warmth) -> WarmUp {
    let warm_up = |state| WarmUp {
        state,
        seconds: None,
        hit_ratio: None,
        variation: None,
        variation_max: VARIATION_MAX,
        reads_min: READS_MIN,
    };
    match warmth {
        Warmth::Warm { after, hit_ratio } => {
            WarmUp { seconds: Some(after), hit_ratio: Some(hit_ratio), ..warm_up(WarmUpState::Warm) }
        }
        Warmth::Warming { variation } => {
            WarmUp { variation: Some(variation), ..warm_up(WarmUpState::Warming) }
        }
        Warmth::TooFewReads => warm_up(WarmUpState::TooFewReads),
    }
}

#[cfg(test)]
mod tests;
