//! What disks counted and measured, as documents: in all, since they were attached, or in a window of time; and histograms.

use std::time::Duration;

use cache::{DirectionHistograms, DiskCounts, Histogram, Histograms, Latency, LatencyCounts, LatencySummary};
use serde_json::{Map, Value, json};

use super::{head, merge};
use crate::counted::{Counted, ratio};
use crate::moment::Moment;
use crate::registry::DiskView;
use crate::shard::DiskReport;
use crate::totals::Total;
use crate::windows::Windowed;

/// Counters, ratios and latencies of a disk in a window, missing where that is not known; how it stands now, missing where it
/// is not served; and what it counted in all.
pub(crate) fn statistics(view: &DiskView, windowed: Option<&Windowed>) -> Value {
    let mut disk = head(view);
    disk.insert("total".to_owned(), view.total.as_ref().map_or(Value::Null, total));
    if let Some(Windowed { window, seconds, counted }) = windowed {
        disk.insert("window".to_owned(), window.name().into());
        disk.insert("window_seconds".to_owned(), (*seconds).into());
        add_counted(&mut disk, counted);
    }
    if let Ok(report) = &view.report {
        merge(&mut disk, at_present(report));
    }
    Value::Object(disk)
}

/// How a disk stands now.
fn at_present(report: &DiskReport) -> Value {
    let DiskReport { statistics, .. } = report;
    json!({
        "cached_bytes": statistics.cached_bytes,
        "dirty_bytes": statistics.dirty_bytes,
        "dirty_zeroes_bytes": statistics.dirty_zeroes_bytes,
        "dirty_limit_bytes": statistics.dirty_limit_bytes,
        "lost_bytes": statistics.lost_bytes,
        "ram_bytes": statistics.ram_bytes,
        "flash_bytes": statistics.flash_bytes,
        "index_bytes": statistics.index_bytes,
        "blocks_max": statistics.blocks_max,
        "blocks_cached": statistics.blocks_cached,
        "destage_bytes_per_second": statistics.destage_bytes_per_second,
        "dirty_for_seconds": statistics.dirty_for_seconds,
        "backing_retries": report.backing_retries,
    })
}

/// Every counter, and what follows from them.
fn add_counted(document: &mut Map<String, Value>, counted: &Counted) {
    let counts = &counted.counts;
    for (name, value) in counts.named() {
        document.insert(name.to_owned(), value.into());
    }
    let latencies: Map<_, _> =
        counted.latencies().map(|(name, measured)| (name.to_owned(), latency(measured))).collect();
    let more = json!({
        "hit_ratio": counted.hit_ratio(),
        "evict_blocks_per_op": ratio(counts.evictions, counts.reclaims),
        "flash_write_amplification": ratio(counts.flash_write_bytes, wanted_on_flash(counts)),
        "latency_us": latencies,
    });
    merge(document, more);
}

/// Bytes that were to come to flash: what earned it, and what guests wrote in write-back.
fn wanted_on_flash(counts: &DiskCounts) -> u64 {
    counts.promotions * block::PAGE + counts.write_back_bytes
}

fn latency(measured: &LatencyCounts) -> Value {
    let LatencySummary { count, mean, p50, p95, p99, p999, max } = measured.summary();
    json!({ "count": count, "mean": mean, "p50": p50, "p95": p95, "p99": p99, "p999": p999, "max": max })
}

/// What a disk counted since it was added, or since what was kept of it was lost.
fn total(total: &Total) -> Value {
    let mut all = Map::new();
    add_counted(&mut all, &total.counted);
    all.insert("since".to_owned(), total.since.to_string().into());
    Value::Object(all)
}

/// The histograms of a disk since it was attached.
pub(crate) fn histograms(name: &str, report: &DiskReport) -> Value {
    let Histograms { reads, writes, latencies } = &*report.statistics.histograms;
    let pair = |of: fn(&DirectionHistograms) -> &Histogram| {
        let (read, write) = (of(reads), of(writes));
        json!({ "unit": read.unit(), "read": classes(read), "write": classes(write) })
    };
    let mut latency = Map::from_iter([("unit".to_owned(), latencies[0].unit().into())]);
    for ((_, name), measured) in Latency::ALL.iter().zip(latencies) {
        latency.insert((*name).to_owned(), classes(measured));
    }
    json!({
        "name": name,
        "since": began(report.attached_for).to_string(),
        "size": pair(|direction| &direction.size),
        "latency": latency,
        "seek": pair(|direction| &direction.seek),
        "outstanding": pair(|direction| &direction.outstanding),
        "interarrival": pair(|direction| &direction.interarrival),
    })
}

fn began(ago: Duration) -> Moment {
    Moment(Moment::now().0.saturating_sub(ago.as_secs()))
}

/// The classes of a histogram with their largest values, `null` for the last, which has none.
fn classes(histogram: &Histogram) -> Value {
    histogram.classes().map(|(upto, count)| json!({ "upto": upto, "count": count })).collect()
}
