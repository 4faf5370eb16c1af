//! Figures of a disk over time, in columns, one entry for each step.

use serde::Serialize;
use utoipa::ToSchema;

/// Course of a disk lately, in columns of the same length, the oldest step first. Of times for which there is no step nothing
/// is known; the last step may not be over.
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = History)]
pub struct DiskHistory {
    pub name: String,
    /// `5m`, `1d` or `7d`.
    pub span: &'static str,
    /// The length of a step.
    pub step_seconds: u64,
    /// When this was told, by the host's clock, in seconds since 1970.
    pub now: u64,
    /// When each step ends, in seconds since 1970; `now` for one that is not over.
    pub time: Vec<u64>,
    /// Seconds of a step that were counted: fewer than its length if the disk was not served all the time. Rates are what was
    /// counted by these.
    pub seconds: Vec<f64>,
    pub reads: Vec<u64>,
    pub read_hits_ram: Vec<u64>,
    pub read_hits_flash: Vec<u64>,
    /// Full hits of all reads; null without reads.
    pub hit_ratio: Vec<Option<f64>>,
    pub writes: Vec<u64>,
    pub read_bytes: Vec<u64>,
    pub write_bytes: Vec<u64>,
    /// Microseconds that a read took on average; null without reads.
    pub read_latency_us: Vec<Option<f64>>,
    /// Microseconds that a write took on average; null without writes.
    pub write_latency_us: Vec<Option<f64>>,
    /// Microseconds that half, 95 and 99 of a hundred reads took at most; null without reads.
    pub read_p50_us: Vec<Option<f64>>,
    pub read_p95_us: Vec<Option<f64>>,
    pub read_p99_us: Vec<Option<f64>>,
    /// The same of writes.
    pub write_p50_us: Vec<Option<f64>>,
    pub write_p95_us: Vec<Option<f64>>,
    pub write_p99_us: Vec<Option<f64>>,
    pub backing_reads: Vec<u64>,
    pub backing_writes: Vec<u64>,
    pub backing_read_bytes: Vec<u64>,
    pub backing_write_bytes: Vec<u64>,
    pub destage_bytes: Vec<u64>,
    pub flash_write_bytes: Vec<u64>,
    /// At the end of the step.
    pub cached_bytes: Vec<u64>,
    /// At the end of the step.
    pub dirty_bytes: Vec<u64>,
    /// The most that was dirty, looked at every five seconds.
    pub dirty_bytes_max: Vec<u64>,
    /// At the end of the step.
    pub dirty_limit_bytes: Vec<u64>,
}
