//! Counters and latencies of disks: in all, since they were attached, or in a window of time.

use serde::Serialize;
use utoipa::ToSchema;

use crate::disk::Head;
use crate::listed::{Counts, Latencies};

/// Counters, ratios and latencies of a disk in a window, missing where they are not known; its present state, missing while it is not
/// served; and its total counts.
#[derive(Debug, Serialize, ToSchema)]
pub struct Statistics {
    #[serde(flatten)]
    pub head: Head,
    pub total: Option<Total>,
    #[serde(flatten)]
    #[schema(value_type = InWindow)]
    pub in_window: Option<InWindow>,
    #[serde(flatten)]
    #[schema(value_type = AtPresent)]
    pub at_present: Option<AtPresent>,
}

/// Figures of a window of time.
#[derive(Debug, Serialize, ToSchema)]
pub struct InWindow {
    /// `5m`, `1h`, `1d`, `total` or `start`: since the disk was attached.
    #[schema(required = false)]
    pub window: &'static str,
    /// Length of the window in seconds: less than its name has after a start, and up to one step more later.
    #[schema(required = false)]
    pub window_seconds: u64,
    #[serde(flatten)]
    pub figures: Figures,
}

/// Present state of a disk.
#[derive(Debug, Serialize, ToSchema)]
pub struct AtPresent {
    #[schema(required = false)]
    pub cached_bytes: u64,
    #[schema(required = false)]
    pub dirty_bytes: u64,
    #[schema(required = false)]
    pub dirty_zeroes_bytes: u64,
    #[schema(required = false)]
    pub dirty_limit_bytes: u64,
    #[schema(required = false)]
    pub lost_bytes: u64,
    #[schema(required = false)]
    pub ram_bytes: u64,
    /// Maximum that the disk may have cached: flash up to its limit, and RAM.
    #[schema(required = false)]
    pub cache_bytes_max: u64,
    /// Predicted hit ratio of half of that; null before the first read.
    pub hit_ratio_at_half: Option<f64>,
    /// Predicted hit ratio of twice as much.
    pub hit_ratio_at_double: Option<f64>,
    #[schema(required = false)]
    pub flash_bytes: u64,
    #[schema(required = false)]
    pub index_bytes: u64,
    #[schema(required = false)]
    pub blocks_max: u64,
    #[schema(required = false)]
    pub blocks_cached: u64,
    #[schema(required = false)]
    pub destage_bytes_per_second: u64,
    #[schema(required = false)]
    pub dirty_for_seconds: u64,
    #[schema(required = false)]
    pub backing_retries: u64,
    /// Requests that waited to stay within `iops-max` and `bandwidth-max`, since the disk was attached.
    #[schema(required = false)]
    pub requests_delayed: u64,
    /// Sum of these waiting times, in nanoseconds. Latencies do not include it.
    #[schema(required = false)]
    pub request_delay_ns: u64,
    #[schema(required = false)]
    pub broken_queues: u64,
}

/// All counters, and figures derived from them.
#[derive(Debug, Serialize, ToSchema)]
pub struct Figures {
    #[serde(flatten)]
    pub counts: Counts,
    /// Full hits divided by reads.
    pub hit_ratio: Option<f64>,
    pub evict_blocks_per_op: Option<f64>,
    /// Bytes written to flash for each byte meant for it: promoted pages, and writes of guests in write-back.
    pub flash_write_amplification: Option<f64>,
    /// Bytes written to flash for each read that the cache answered, whatever their purpose.
    pub flash_write_bytes_per_hit: Option<f64>,
    #[schema(required = false)]
    pub latency_us: Latencies,
}

/// Latencies of one class, in microseconds.
#[derive(Debug, Serialize, ToSchema)]
pub struct Latency {
    pub count: u64,
    pub mean: f64,
    pub p50: f64,
    pub p95: f64,
    pub p99: f64,
    pub p999: f64,
    pub max: f64,
}

/// Figures of a disk since it was added, or since its earlier counts were lost.
#[derive(Debug, Serialize, ToSchema)]
pub struct Total {
    #[serde(flatten)]
    pub figures: Figures,
    /// Time at which counting began, in UTC.
    pub since: String,
}
