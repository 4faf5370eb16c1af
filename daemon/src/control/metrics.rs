//! What is counted, for Prometheus.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::answer::Failure;
use crate::api::{Disk, DiskHistograms, Pool};
use crate::metrics;
use crate::registry::{DiskView, Registry};

/// The version of the text format.
const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Everything that is counted, in the text format of Prometheus.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "host",
    responses((status = OK, description = "All metrics", body = String, content_type = "text/plain"))
)]
pub(super) async fn show(State(registry): State<Arc<Registry>>) -> Result<Response, Failure> {
    let pool = json!(Pool::of(&registry.pool().await?));
    let disks: Vec<_> = registry.disks().await.iter().map(|view| with_histograms(&registry, view)).collect();
    Ok(([(header::CONTENT_TYPE, CONTENT_TYPE)], metrics::text(&disks, &pool)).into_response())
}

/// What `disk show` prints, and how requests are spread while the disk is attached.
fn with_histograms(registry: &Registry, view: &DiskView) -> Value {
    let mut disk = json!(Disk::of(view, registry.places()));
    let report = view.report.as_ref().ok();
    disk["histograms"] = json!(report.map(|report| DiskHistograms::of(&view.record.name, report)));
    disk
}
