//! Metrics for Prometheus.

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::SharedRegistry;
use super::answer::ErrorResponse;
use crate::documents;
use crate::metrics::{self, DiskMetrics, LatencyDistribution};
use crate::places::Places;
use crate::registry::DiskView;

/// The version of the text format.
const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Metrics for Prometheus.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "host",
    responses((status = OK, description = "Metrics as text", body = String, content_type = "text/plain"))
)]
pub(super) async fn show(State(registry): SharedRegistry) -> Result<Response, ErrorResponse> {
    let pool = json!(documents::pool(&registry.pool().await?));
    let disks = registry.disks().await;
    let disks: Vec<_> = disks.into_iter().map(|view| described(view, registry.places())).collect();
    Ok(([(header::CONTENT_TYPE, CONTENT_TYPE)], metrics::text(&disks, &pool)).into_response())
}

/// Returns a disk's document with its latencies.
fn described(view: DiskView, places: &Places) -> DiskMetrics {
    // Total counters have no metrics: Prometheus continues across restarts by itself.
    let view = DiskView { total: None, ..view };
    let latencies = view.report.as_ref().ok().map(|report| {
        let statistics = &report.statistics;
        let spread = |at: usize| {
            LatencyDistribution::from_counts(&statistics.histograms.latencies[at], &statistics.latencies[at])
        };
        std::array::from_fn(spread)
    });
    DiskMetrics { document: json!(documents::disk(&view, places)), latencies }
}
