//! What is counted, for Prometheus.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::answer::Failure;
use crate::api::{Disk, DiskHistograms, Pool};
use crate::metrics;
use crate::places::Places;
use crate::registry::{DiskView, Registry};

/// The version of the text format.
const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// What is counted, for Prometheus.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "host",
    responses((status = OK, description = "Metrics as text", body = String, content_type = "text/plain"))
)]
pub(super) async fn show(State(registry): State<Arc<Registry>>) -> Result<Response, Failure> {
    let pool = json!(Pool::of(&registry.pool().await?));
    let disks = registry.disks().await;
    let disks: Vec<_> = disks.iter().map(|view| with_histograms(view, registry.places())).collect();
    Ok(([(header::CONTENT_TYPE, CONTENT_TYPE)], metrics::text(&disks, &pool)).into_response())
}

/// A disk by itself, and how its requests are spread.
fn with_histograms(view: &DiskView, places: &Places) -> Value {
    let mut disk = json!(Disk::of(view, places));
    let report = view.report.as_ref().ok();
    disk["histograms"] = json!(report.map(|report| DiskHistograms::of(&view.record.name, report)));
    disk
}
