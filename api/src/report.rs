//! Comparison of a disk with the cache and without. Each side has the source of its figures.

use serde::Serialize;
use utoipa::ToSchema;

use crate::histograms::Class;
use crate::statistics::Latency;

/// Effect of the cache on a disk.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Report)]
pub struct DiskGain {
    pub name: String,
    /// Time at which counting began, in UTC.
    pub since: String,
    /// Reads in all, also in pass-through; the ratios cover the same reads.
    pub reads: u64,
    pub hit_ratio: Option<f64>,
    pub hit_ratio_ram: Option<f64>,
    pub hit_ratio_flash: Option<f64>,
    /// Time from which on figures with the cache and without are kept apart, in UTC.
    pub compared_since: String,
    pub without: WithOrWithout,
    pub with: WithOrWithout,
    /// Minimum of reads, or writes, in pass-through for a latency without the cache.
    pub requests_min: u64,
    /// Minimum of active seconds, with the cache or in pass-through, for a rate of requests.
    pub active_seconds_min: u64,
    pub saved: Saved,
    /// Factor by which the mean read is faster with the cache.
    pub times_faster: Option<f64>,
    /// Factor by which the mean write is faster with the cache.
    pub writes_times_faster: Option<f64>,
    /// Number of reads in `without.read_mean_us`.
    pub measured_backing_reads: u64,
    pub flash_write_bytes: u64,
    /// Dirty bytes; null of a disk that is not served.
    pub dirty_bytes: Option<u64>,
    /// Answers to reads over time since the disk is cached, up to now.
    pub hit_ratio_over_time: Vec<RatioStep>,
    pub warm_up: WarmUp,
}

/// Figures of the disk with the cache, or without.
#[derive(Debug, Serialize, ToSchema)]
pub struct WithOrWithout {
    pub reads_are: Source,
    pub writes_are: Source,
    /// Time for which the disk was served in this way, in seconds.
    pub seconds: u64,
    /// Seconds of it in which a read or a write was answered.
    pub active_seconds: u64,
    pub reads: u64,
    pub writes: u64,
    /// Reads that RAM answered. In pass-through, only dirty data is answered by the cache.
    pub read_hits_ram: u64,
    pub read_hits_flash: u64,
    pub hit_ratio: Option<f64>,
    /// Reads and writes per active second.
    pub iops: Option<f64>,
    /// Highest rate of reads and writes a second over a minute.
    pub iops_busiest_minute: Option<f64>,
    pub read_mean_us: Option<f64>,
    pub latency_us: Times,
    /// Requests to the backing; without the cache: those that the same requests of guests would have caused.
    pub backing_reads: u64,
    pub backing_read_bytes: u64,
    pub backing_writes: u64,
    pub backing_write_bytes: u64,
}

/// Source of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// Requests that were answered in this way.
    Measured,
    /// Reads that the backing answered although there was a cache.
    Concluded,
    /// There are none, or too few.
    Unknown,
}

/// Latencies of requests; null where they are not known.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ReportTimes)]
pub struct Times {
    pub read: Option<Measured>,
    pub write: Option<Measured>,
}

/// Measured latencies, in microseconds.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ReportLatency)]
pub struct Measured {
    #[serde(flatten)]
    pub latency: Latency,
    /// In the classes of vscsiStats, whose bounds are off by at most 1.6 % here.
    pub classes: Vec<Class>,
}

/// Requests and bytes that the cache saved the backing; negative if it got more.
#[derive(Debug, Serialize, ToSchema)]
pub struct Saved {
    pub backing_reads: i64,
    pub backing_read_bytes: i64,
    pub backing_writes: i64,
    pub backing_write_bytes: i64,
}

/// Answers to reads in a step of time.
#[derive(Debug, Serialize, ToSchema)]
pub struct RatioStep {
    /// Begin of the step, in seconds for which the disk had been cached.
    pub from_seconds: u64,
    pub to_seconds: u64,
    pub reads: u64,
    pub read_hits_ram: u64,
    pub read_hits_flash: u64,
    pub hit_ratio: Option<f64>,
}

/// Warm-up state. The disk is warm from the first of three successive steps whose hit ratios vary by less than `variation_max`, if no later
/// three are better by more than that.
#[derive(Debug, Serialize, ToSchema)]
pub struct WarmUp {
    pub state: WarmUpState,
    /// Time for which the disk had been cached by then, in seconds.
    pub seconds: Option<u64>,
    /// Hit ratio of those three steps.
    pub hit_ratio: Option<f64>,
    /// Distance of the hit ratios of the last three steps, during the warm-up.
    pub variation: Option<f64>,
    pub variation_max: f64,
    /// Steps with fewer reads are joined with the next.
    pub reads_min: u64,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WarmUpState {
    Warm,
    Warming,
    TooFewReads,
}
