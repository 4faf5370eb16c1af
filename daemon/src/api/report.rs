//! Before and after, as a document: what a disk does with the cache, beside what it did without.
//!
//! "Without" is measured if the disk ran in pass-through for long enough, reads and writes apart. Else it is concluded for
//! reads: had there been no cache, every read would have taken as long as those did that went to the backing. That is a little
//! hard on the cache, for without it the backing would have been busier, and too kind where large reads bypassed it. For
//! writes and requests a second nothing is concluded. The document says which it is.

use cache::{Histograms, Latency as Latencies, LatencyCounts};
use serde::Serialize;
use utoipa::ToSchema;

use super::histograms::Class;
use super::statistics::Latency;
use crate::counted::{Counted, ratio};
use crate::series::lifetime::{self, Comparison, READS_MIN, Side, VARIATION_MAX, Warmth};
use crate::totals::Total;

/// Requests in pass-through from which on they say how long requests take without the cache: ten are above the 99th
/// percentile then.
const REQUESTS_MIN: u64 = 1_000;
/// Seconds with requests from which on they say how many there are in a second, with the cache and without.
const ACTIVE_SECONDS_MIN: u64 = 60;

const READS: [Latencies; 3] = [Latencies::ReadHitRam, Latencies::ReadHitFlash, Latencies::ReadMiss];

/// What the cache did for a disk.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Report)]
pub(crate) struct DiskGain {
    name: String,
    /// When counting began, in UTC.
    since: String,
    /// Reads in all, in pass-through too; so are the ratios.
    reads: u64,
    hit_ratio: Option<f64>,
    hit_ratio_ram: Option<f64>,
    hit_ratio_flash: Option<f64>,
    /// When it began to be kept apart what is with the cache and what without, in UTC.
    compared_since: String,
    without: WithOrWithout,
    with: WithOrWithout,
    /// So many reads, or writes, in pass-through measure how long they take without the cache.
    requests_min: u64,
    /// So many active seconds, with the cache or in pass-through, measure how many there are in a second.
    active_seconds_min: u64,
    saved: Saved,
    /// How many times faster the mean read is with the cache.
    times_faster: Option<f64>,
    /// How many times faster the mean write is with the cache.
    writes_times_faster: Option<f64>,
    /// Reads that `without.read_mean_us` is of.
    measured_backing_reads: u64,
    flash_write_bytes: u64,
    /// What is still to be written to the backing; not known of a disk that is not served.
    dirty_bytes: Option<u64>,
    /// How reads were answered over time since the disk is cached, the last step up to now.
    hit_ratio_over_time: Vec<RatioStep>,
    warm_up: WarmUp,
}

/// How the disk did with the cache, or without.
#[derive(Debug, Serialize, ToSchema)]
struct WithOrWithout {
    reads_are: Source,
    writes_are: Source,
    /// How long the disk was served so.
    seconds: u64,
    /// Seconds of it in which a read or a write was answered.
    active_seconds: u64,
    reads: u64,
    writes: u64,
    /// In pass-through, only what the backing does not have is answered by the cache.
    read_hits_ram: u64,
    read_hits_flash: u64,
    hit_ratio: Option<f64>,
    /// Reads and writes per active second.
    iops: Option<f64>,
    /// The most reads and writes a second over a minute.
    iops_busiest_minute: Option<f64>,
    read_mean_us: Option<f64>,
    latency_us: Times,
    /// Requests that the backing got; without the cache: would have got of the same requests of guests.
    backing_reads: u64,
    backing_read_bytes: u64,
    backing_writes: u64,
    backing_write_bytes: u64,
}

/// Where figures come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum Source {
    /// From requests that were answered so.
    Measured,
    /// From reads that went to the backing although there was a cache.
    Concluded,
    /// There are none, or too few.
    Unknown,
}

/// How long requests took; null where that is not known.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ReportTimes)]
struct Times {
    read: Option<Measured>,
    write: Option<Measured>,
}

/// How long requests took, in microseconds.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ReportLatency)]
struct Measured {
    #[serde(flatten)]
    latency: Latency,
    /// In the classes of vscsiStats, whose bounds are at most 1.6 % off here.
    classes: Vec<Class>,
}

/// What the backing was spared; negative if it got more.
#[derive(Debug, Serialize, ToSchema)]
#[expect(clippy::struct_field_names, reason = "keys that stand elsewhere too")]
struct Saved {
    backing_reads: i64,
    backing_read_bytes: i64,
    backing_writes: i64,
    backing_write_bytes: i64,
}

/// How reads were answered in a step of time.
#[derive(Debug, Serialize, ToSchema)]
struct RatioStep {
    /// Seconds for which the disk had been cached.
    from_seconds: u64,
    to_seconds: u64,
    reads: u64,
    read_hits_ram: u64,
    read_hits_flash: u64,
    hit_ratio: Option<f64>,
}

/// Whether and since when the disk is warm: from the first of three successive steps on whose hit ratios vary by less than
/// `variation_max`, if no later three are better by more than that.
#[derive(Debug, Serialize, ToSchema)]
struct WarmUp {
    state: WarmUpState,
    /// How long the disk had been cached by then.
    seconds: Option<u64>,
    /// Hit ratio of those three steps.
    hit_ratio: Option<f64>,
    /// How far the hit ratios of the last three steps are from each other, while it warms up.
    variation: Option<f64>,
    variation_max: f64,
    /// Steps with fewer reads are joined with the next.
    reads_min: u64,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum WarmUpState {
    Warm,
    Warming,
    TooFewReads,
}

impl DiskGain {
    /// Of a disk that counted so much in all, of which so much is compared, and of which so much is dirty.
    pub(crate) fn of(name: &str, total: &Total, comparison: &Comparison, dirty_bytes: Option<u64>) -> Self {
        let counts = &total.counted.counts;
        let with = WithOrWithout::with(comparison);
        let without = WithOrWithout::without(comparison);
        let mean = |times: &Option<Measured>| times.as_ref().map(|times| times.latency.mean);
        let writes = [&without, &with].map(|side| mean(&side.latency_us.write));
        Self {
            name: name.to_owned(),
            since: total.since.to_string(),
            reads: counts.reads,
            hit_ratio: total.counted.hit_ratio(),
            hit_ratio_ram: ratio(counts.read_hits_ram, counts.reads),
            hit_ratio_flash: ratio(counts.read_hits_flash, counts.reads),
            compared_since: comparison.since.to_string(),
            saved: Saved::of(&without, &with),
            times_faster: times_faster([without.read_mean_us, with.read_mean_us]),
            writes_times_faster: times_faster(writes),
            measured_backing_reads: without.latency_us.read.as_ref().map_or(0, |read| read.latency.count),
            without,
            with,
            requests_min: REQUESTS_MIN,
            active_seconds_min: ACTIVE_SECONDS_MIN,
            flash_write_bytes: counts.flash_write_bytes,
            dirty_bytes,
            hit_ratio_over_time: comparison.steps.iter().map(RatioStep::of).collect(),
            warm_up: WarmUp::of(lifetime::warmth(&comparison.steps)),
        }
    }
}

impl WithOrWithout {
    fn with(Comparison { passed, cached, .. }: &Comparison) -> Self {
        let counts = &cached.counted.counts;
        // Destage that goes on in pass-through writes what guests wrote before.
        let destages = passed.counted.latencies[Latencies::Destage as usize].count();
        let reads = reads(&cached.counted);
        let writes = &cached.counted.latencies[Latencies::Write as usize];
        Self {
            reads_are: Source::of(&reads),
            writes_are: Source::of(writes),
            backing_reads: counts.backing_reads,
            backing_read_bytes: counts.backing_read_bytes,
            backing_writes: counts.backing_writes + destages,
            backing_write_bytes: counts.backing_write_bytes + passed.counted.counts.destage_bytes,
            ..Self::beside(cached, &reads, writes)
        }
    }

    fn without(Comparison { passed, cached, .. }: &Comparison) -> Self {
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
        Self {
            reads_are: match Source::of(&reads) {
                Source::Measured if !is_measured => Source::Concluded,
                source => source,
            },
            writes_are: Source::of(writes),
            backing_reads: asked.reads,
            backing_read_bytes: asked.read_bytes,
            backing_writes: asked.writes,
            backing_write_bytes: asked.write_bytes,
            ..Self::beside(passed, &reads, writes)
        }
    }

    /// What is the same on both sides.
    fn beside(side: &Side, reads: &LatencyCounts, writes: &LatencyCounts) -> Self {
        let counts = &side.counted.counts;
        let enough_time = counts.active_seconds >= ACTIVE_SECONDS_MIN;
        let times = Times { read: Measured::of(reads), write: Measured::of(writes) };
        Self {
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
}

/// All reads together, whatever answered them.
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

impl Source {
    fn of(measured: &LatencyCounts) -> Self {
        if measured.count() > 0 { Self::Measured } else { Self::Unknown }
    }
}

impl Measured {
    fn of(measured: &LatencyCounts) -> Option<Self> {
        (measured.count() > 0).then(|| Self { latency: Latency::of(measured), classes: classes(measured) })
    }
}

/// The classes that histograms of latencies have, with how many requests each has here.
fn classes(measured: &LatencyCounts) -> Vec<Class> {
    let mut below = 0;
    let mut class = |upto: Option<i64>| {
        // Bounds are positive, and far below what overflows.
        let within = upto.map_or(measured.count(), |micros| measured.within(micros.unsigned_abs() * 1_000));
        let count = within - below;
        below = within;
        Class { upto, count }
    };
    let histograms = Histograms::default();
    histograms.latencies[0].classes().map(|(upto, _)| class(upto)).collect()
}

impl Saved {
    fn of(without: &WithOrWithout, with: &WithOrWithout) -> Self {
        let saved =
            |count: fn(&WithOrWithout) -> u64| count(without).cast_signed() - count(with).cast_signed();
        Self {
            backing_reads: saved(|side| side.backing_reads),
            backing_read_bytes: saved(|side| side.backing_read_bytes),
            backing_writes: saved(|side| side.backing_writes),
            backing_write_bytes: saved(|side| side.backing_write_bytes),
        }
    }
}

impl RatioStep {
    fn of(step: &lifetime::RatioSpan) -> Self {
        Self {
            from_seconds: step.from,
            to_seconds: step.to,
            reads: step.reads,
            read_hits_ram: step.hits_ram,
            read_hits_flash: step.hits_flash,
            hit_ratio: step.hit_ratio(),
        }
    }
}

impl WarmUp {
    fn of(warmth: Warmth) -> Self {
        let warm_up = |state| Self {
            state,
            seconds: None,
            hit_ratio: None,
            variation: None,
            variation_max: VARIATION_MAX,
            reads_min: READS_MIN,
        };
        match warmth {
            Warmth::Warm { after, hit_ratio } => {
                Self { seconds: Some(after), hit_ratio: Some(hit_ratio), ..warm_up(WarmUpState::Warm) }
            }
            Warmth::Warming { variation } => {
                Self { variation: Some(variation), ..warm_up(WarmUpState::Warming) }
            }
            Warmth::TooFewReads => warm_up(WarmUpState::TooFewReads),
        }
    }
}

#[cfg(test)]
mod tests;
