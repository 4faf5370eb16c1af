//! Figures of a disk over time, in columns, one entry for each step.

use serde::Serialize;
use utoipa::ToSchema;

/// Recent history of a disk, in columns of the same length, the oldest step first. Times without a step are unknown; the last step may not
/// be over.
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = History)]
pub struct DiskHistory {
    pub name: String,
    /// `5m`, `1d` or `7d`.
    pub span: &'static str,
    /// Length of a step.
    pub step_seconds: u64,
    /// Time of this answer by the host's clock, in seconds since 1970.
    pub now: u64,
    /// End of each step, in seconds since 1970; `now` for one that is not over.
    pub time: Vec<u64>,
    /// Seconds of a step that were counted: fewer than its length if the disk was not served all the time. Rates are counts divided by
    /// these.
    pub seconds: Vec<f64>,
    pub reads: Vec<u64>,
    pub read_hits_ram: Vec<u64>,
    pub read_hits_flash: Vec<u64>,
    /// Full hits divided by reads; null without reads.
    pub hit_ratio: Vec<Option<f64>>,
    pub writes: Vec<u64>,
    pub read_bytes: Vec<u64>,
    pub write_bytes: Vec<u64>,
    /// Mean time of a read in microseconds; null without reads.
    pub read_latency_us: Vec<Option<f64>>,
    /// Mean time of a write in microseconds; null without writes.
    pub write_latency_us: Vec<Option<f64>>,
    /// Percentiles 50, 95 and 99 of the time of a read in microseconds; null without reads.
    pub read_p50_us: Vec<Option<f64>>,
    pub read_p95_us: Vec<Option<f64>>,
    pub read_p99_us: Vec<Option<f64>>,
    /// The same percentiles of writes.
    pub write_p50_us: Vec<Option<f64>>,
    pub write_p95_us: Vec<Option<f64>>,
    pub write_p99_us: Vec<Option<f64>>,
    pub backing_reads: Vec<u64>,
    pub backing_writes: Vec<u64>,
    pub backing_read_bytes: Vec<u64>,
    pub backing_write_bytes: Vec<u64>,
    pub destage_bytes: Vec<u64>,
    pub flash_write_bytes: Vec<u64>,
    /// Bytes at the end of the step.
    pub cached_bytes: Vec<u64>,
    /// Bytes at the end of the step.
    pub dirty_bytes: Vec<u64>,
    /// Maximum of dirty bytes, sampled every five seconds.
    pub dirty_bytes_max: Vec<u64>,
    /// Bytes at the end of the step.
    pub dirty_limit_bytes: Vec<u64>,
}
