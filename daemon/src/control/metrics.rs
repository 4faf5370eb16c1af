//! What is counted, for Prometheus.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use super::answer::Failure;
use crate::registry::Registry;
use crate::{api, metrics};

/// The version of the text format.
const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

pub(super) async fn show(State(registry): State<Arc<Registry>>) -> Result<Response, Failure> {
    let pool = api::pool(&registry.pool().await?);
    let disks = registry.disks().await;
    let disks: Vec<_> = disks.iter().map(|view| api::disk_with_histograms(view, registry.places())).collect();
    Ok(([(header::CONTENT_TYPE, CONTENT_TYPE)], metrics::text(&disks, &pool)).into_response())
}
