//! What disks counted and measured, as documents: in all, since they were attached, or in a window of time.

use cache::{DiskCounts, LatencyCounts, LatencySummary};
use serde::Serialize;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;
use utoipa::{PartialSchema, ToSchema};

use super::disk::{Head, dirty_limit};
use super::listed::{Listed, schema_of};
use crate::counted::{Counted, ratio};
use crate::registry::DiskView;
use crate::series::Windowed;
use crate::shard::DiskReport;
use crate::totals;

/// Counters, ratios and latencies of a disk in a window, missing where that is not known; how it stands now, missing where it
/// is not served; and what it counted in all.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Statistics {
    #[serde(flatten)]
    head: Head,
    total: Option<Total>,
    #[serde(flatten)]
    #[schema(value_type = InWindow)]
    in_window: Option<InWindow>,
    #[serde(flatten)]
    #[schema(value_type = AtPresent)]
    at_present: Option<AtPresent>,
}

/// What was counted in a window of time.
#[derive(Debug, Serialize, ToSchema)]
struct InWindow {
    /// `5m`, `1h`, `1d`, `total` or `start`: since the disk was attached.
    #[schema(required = false)]
    window: &'static str,
    /// How far it reaches back: less than its name says after a start, and up to one step more later.
    #[schema(required = false)]
    window_seconds: u64,
    #[serde(flatten)]
    figures: Figures,
}

/// How a disk stands now.
#[derive(Debug, Serialize, ToSchema)]
struct AtPresent {
    #[schema(required = false)]
    cached_bytes: u64,
    #[schema(required = false)]
    dirty_bytes: u64,
    #[schema(required = false)]
    dirty_zeroes_bytes: u64,
    #[schema(required = false)]
    dirty_limit_bytes: u64,
    #[schema(required = false)]
    lost_bytes: u64,
    #[schema(required = false)]
    ram_bytes: u64,
    /// The most that the disk may have cached: flash up to its limit, and RAM.
    #[schema(required = false)]
    cache_bytes_max: u64,
    /// What half of that would have, predicted; not known before the first read.
    hit_ratio_at_half: Option<f64>,
    /// What twice as much would have.
    hit_ratio_at_double: Option<f64>,
    #[schema(required = false)]
    flash_bytes: u64,
    #[schema(required = false)]
    index_bytes: u64,
    #[schema(required = false)]
    blocks_max: u64,
    #[schema(required = false)]
    blocks_cached: u64,
    #[schema(required = false)]
    destage_bytes_per_second: u64,
    #[schema(required = false)]
    dirty_for_seconds: u64,
    #[schema(required = false)]
    backing_retries: u64,
    #[schema(required = false)]
    broken_queues: u64,
}

/// Every counter, and what follows from them.
#[derive(Debug, Serialize, ToSchema)]
struct Figures {
    #[serde(flatten)]
    counts: Counts,
    /// Full hits of all reads.
    hit_ratio: Option<f64>,
    evict_blocks_per_op: Option<f64>,
    /// Bytes written to flash for each that was to come there: of pages that earned it, and that guests wrote in write-back.
    flash_write_amplification: Option<f64>,
    /// Bytes written to flash for each read that was answered from the cache, whatever they were written for.
    flash_write_bytes_per_hit: Option<f64>,
    #[schema(required = false)]
    latency_us: Latencies,
}

/// Each counter by its name.
#[derive(Debug, Serialize)]
struct Counts(Listed<u64>);

/// Each class of latencies by its name, in microseconds.
#[derive(Debug, Serialize)]
struct Latencies(Listed<Latency>);

/// Latencies of one class, in microseconds.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Latency {
    pub(super) count: u64,
    pub(super) mean: f64,
    p50: f64,
    p95: f64,
    p99: f64,
    p999: f64,
    max: f64,
}

/// What a disk counted since it was added, or since what was kept of it was lost.
#[derive(Debug, Serialize, ToSchema)]
struct Total {
    #[serde(flatten)]
    figures: Figures,
    /// When counting began, in UTC.
    since: String,
}

impl Statistics {
    pub(crate) fn of(view: &DiskView, windowed: Option<&Windowed>) -> Self {
        Self {
            head: Head::of(view),
            total: view.total.as_ref().map(Total::of),
            in_window: windowed.map(InWindow::of),
            at_present: view.report.as_ref().ok().map(|report| AtPresent::of(view, report)),
        }
    }
}

impl InWindow {
    fn of(windowed: &Windowed) -> Self {
        let Windowed { window, seconds, counted } = windowed;
        Self { window: window.name(), window_seconds: *seconds, figures: Figures::of(counted) }
    }
}

impl AtPresent {
    fn of(view: &DiskView, report: &DiskReport) -> Self {
        let statistics = &report.statistics;
        let ram_bytes_max = report.settings.ram_bytes;
        Self {
            cached_bytes: statistics.cached_bytes,
            dirty_bytes: statistics.dirty_bytes,
            dirty_zeroes_bytes: statistics.dirty_zeroes_bytes,
            dirty_limit_bytes: dirty_limit(view, report),
            lost_bytes: statistics.lost_bytes,
            ram_bytes: statistics.ram_bytes,
            cache_bytes_max: if view.is_pool_missing { ram_bytes_max } else { statistics.cache_bytes_max },
            hit_ratio_at_half: statistics.hit_ratio_at_half,
            hit_ratio_at_double: statistics.hit_ratio_at_double,
            flash_bytes: statistics.flash_bytes,
            index_bytes: statistics.index_bytes,
            blocks_max: statistics.blocks_max,
            blocks_cached: statistics.blocks_cached,
            destage_bytes_per_second: statistics.destage_bytes_per_second,
            dirty_for_seconds: statistics.dirty_for_seconds,
            backing_retries: report.backing_retries,
            broken_queues: report.broken_queues(),
        }
    }
}

impl Figures {
    fn of(counted: &Counted) -> Self {
        let counts = &counted.counts;
        let latencies = counted.latencies().map(|(name, measured)| (name, Latency::of(measured)));
        Self {
            counts: Counts(Listed(counts.named().collect())),
            hit_ratio: counted.hit_ratio(),
            evict_blocks_per_op: ratio(counts.evictions, counts.reclaims),
            flash_write_amplification: ratio(counts.flash_write_bytes, wanted_on_flash(counts)),
            flash_write_bytes_per_hit: ratio(counts.flash_write_bytes, counted.hits()),
            latency_us: Latencies(Listed(latencies.collect())),
        }
    }
}

impl Latency {
    pub(super) fn of(measured: &LatencyCounts) -> Self {
        let LatencySummary { count, mean, p50, p95, p99, p999, max } = measured.summary();
        Self { count, mean, p50, p95, p99, p999, max }
    }
}

impl Total {
    fn of(total: &totals::Total) -> Self {
        Self { figures: Figures::of(&total.counted), since: total.since.to_string() }
    }
}

/// Bytes that were to come to flash: what earned it, and what guests wrote in write-back.
fn wanted_on_flash(counts: &DiskCounts) -> u64 {
    counts.promotions * block::PAGE + counts.write_back_bytes
}

impl PartialSchema for Counts {
    fn schema() -> RefOr<Schema> {
        schema_of::<u64>(DiskCounts::default().named().map(|(name, _)| name))
    }
}

impl ToSchema for Counts {}

impl PartialSchema for Latencies {
    fn schema() -> RefOr<Schema> {
        schema_of::<Latency>(cache::Latency::ALL.iter().map(|(_, name)| *name))
    }
}

impl ToSchema for Latencies {}
