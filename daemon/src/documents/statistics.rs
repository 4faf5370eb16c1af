//! Documents of counters and latencies.

use api::statistics::{AtPresent, Figures, InWindow, Latency, Total};
use api::{Counts, Latencies, Listed, Statistics};
use base::units::ratio;
use cache::{DiskCounts, LatencyCounts, LatencySummary};
use telemetry::counted::Counted;
use telemetry::series::WindowCounters;
use telemetry::totals;

use super::disk::{dirty_limit, head};
use crate::registry::DiskView;
use crate::shard::DiskReport;

/// Returns the document of a disk's counters, in a window if there is one.
pub(crate) fn statistics(view: &DiskView, windowed: Option<&WindowCounters>) -> Statistics {
    Statistics {
        head: head(view),
        total: view.total.as_ref().map(total),
        in_window: windowed.map(in_window),
        at_present: view.report.as_ref().ok().map(|report| at_present(view, report)),
    }
}

fn in_window(windowed: &WindowCounters) -> InWindow {
    let WindowCounters { window, seconds, counted } = windowed;
    InWindow { window: window.name(), window_seconds: *seconds, figures: figures(counted) }
}

fn at_present(view: &DiskView, report: &DiskReport) -> AtPresent {
    let statistics = &report.statistics;
    let ram_bytes_max = report.settings.ram_bytes;
    AtPresent {
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
        requests_delayed: report.delays.requests,
        request_delay_ns: report.delays.nanos,
        broken_queues: report.broken_queues(),
    }
}

fn figures(counted: &Counted) -> Figures {
    let counts = &counted.counts;
    let latencies = counted.latencies().map(|(name, measured)| (name, latency(measured)));
    Figures {
        counts: Counts(Listed(counts.named().collect())),
        hit_ratio: counted.hit_ratio(),
        evict_blocks_per_op: ratio(counts.evictions, counts.reclaims),
        flash_write_amplification: ratio(counts.flash_write_bytes, wanted_on_flash(counts)),
        flash_write_bytes_per_hit: ratio(counts.flash_write_bytes, counted.hits()),
        latency_us: Latencies(Listed(latencies.collect())),
    }
}

/// Returns mean and percentiles of latencies.
pub(super) fn latency(measured: &LatencyCounts) -> Latency {
    let LatencySummary { count, mean, p50, p95, p99, p999, max } = measured.summary();
    Latency { count, mean, p50, p95, p99, p999, max }
}

fn total(total: &totals::Total) -> Total {
    Total { figures: figures(&total.counted), since: total.since.to_string() }
}

/// Returns the bytes that were to be written to flash: promotions, and writes of guests in write-back.
fn wanted_on_flash(counts: &DiskCounts) -> u64 {
    counts.promotions * block::PAGE + counts.write_back_bytes
}
