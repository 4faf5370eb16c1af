//! Requests for counters and measurements of disks.

use api::{
    CurveDocument, HistogramsDocument, HistoryDocument, ReportDocument, Statistics, StatisticsDocument,
};
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::Response;
use base::error::Error;
use base::moment::Moment;
use serde::Deserialize;
use telemetry::series::Span;
use telemetry::series::Window;
use utoipa::IntoParams;

use super::SharedRegistry;
use super::answer::{ErrorResponse, Name, Reply, large};
use crate::documents;
use crate::registry::{DiskView, Registry};

/// Approximate size of a disk's statistics as text, in bytes.
const DISK_BYTES: usize = 5 << 10;

/// Parameters of statistics.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct StatisticsParameters {
    /// `5m`, `1h`, `1d`, `total` or `start`.
    #[param(pattern = "^(5m|1h|1d|total|start)$")]
    window: Option<String>,
}

type StatisticsQuery = Result<Query<StatisticsParameters>, QueryRejection>;

/// Parameters of history.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct HistoryParameters {
    /// `5m`, `1d` or `7d`.
    #[param(pattern = "^(5m|1d|7d)$")]
    span: Option<String>,
}

/// Statistics of all disks.
#[utoipa::path(
    get,
    path = "/v1/stats",
    tag = "statistics",
    params(StatisticsParameters),
    responses((status = OK, description = "Statistics of all disks", body = StatisticsDocument))
)]
pub(super) async fn all(
    State(registry): SharedRegistry,
    asked: StatisticsQuery,
) -> Result<Response, ErrorResponse> {
    let window = window(asked)?;
    let disks = registry.disks().await;
    let all = disks.iter().map(|view| one_of(&registry, view, window)).collect();
    Ok(large(&StatisticsDocument::of(all), disks.len() * DISK_BYTES))
}

/// Statistics of one disk.
#[utoipa::path(
    get,
    path = "/v1/stats/{name}",
    tag = "statistics",
    params(("name" = String, Path, description = "Name of the disk", example = "vm-1", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$"), StatisticsParameters),
    responses((status = OK, description = "Statistics of the disk", body = StatisticsDocument))
)]
pub(super) async fn one(
    State(registry): SharedRegistry,
    Name(name): Name,
    asked: StatisticsQuery,
) -> Reply<StatisticsDocument> {
    let window = window(asked)?;
    let view = registry.disk(&name).await?;
    Ok(Json(StatisticsDocument::of(vec![one_of(&registry, &view, window)])))
}

/// The histograms of one disk, since it was attached.
#[utoipa::path(
    get,
    path = "/v1/disks/{name}/histograms",
    tag = "statistics",
    params(("name" = String, Path, description = "Name of the disk", example = "vm-1", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$")),
    responses((status = OK, description = "The histograms of the disk", body = HistogramsDocument))
)]
pub(super) async fn histograms(
    State(registry): SharedRegistry,
    Name(name): Name,
) -> Reply<HistogramsDocument> {
    let view = registry.disk(&name).await?;
    match &view.report {
        Ok(report) => Ok(Json(HistogramsDocument::of(documents::disk_histograms(&name, report)))),
        Err(reason) => Err(Error::unavailable(format!(
            "Cannot show the histograms of disk '{name}', which begin when it is attached: {reason}; see `forebay disk list`"
        ))
        .into()),
    }
}

/// Predicted effect of other cache sizes on one disk, from samples since it was attached.
#[utoipa::path(
    get,
    path = "/v1/disks/{name}/curve",
    tag = "statistics",
    params(("name" = String, Path, description = "Name of the disk", example = "vm-1", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$")),
    responses((status = OK, description = "Hit ratios by the size of the cache", body = CurveDocument))
)]
pub(super) async fn curve(State(registry): SharedRegistry, Name(name): Name) -> Reply<CurveDocument> {
    let view = registry.disk(&name).await?;
    let report = view.report.map_err(|reason| {
        Error::unavailable(format!(
            "Cannot show the curve of disk '{name}', which begins when it is attached: {reason}; see `forebay disk list`"
        ))
    })?;
    let (curves, ram_bytes) = registry.curves(&name).await?;
    Ok(Json(CurveDocument::of(documents::disk_curve(&name, &report, &curves, ram_bytes))))
}

/// Before and after: the effect of the cache on one disk, since it was added.
#[utoipa::path(
    get,
    path = "/v1/disks/{name}/report",
    tag = "statistics",
    params(("name" = String, Path, description = "Name of the disk", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$")),
    responses((status = OK, description = "What the cache does for the disk", body = ReportDocument))
)]
pub(super) async fn report(State(registry): SharedRegistry, Name(name): Name) -> Reply<ReportDocument> {
    let view = registry.disk(&name).await?;
    let (total, comparison) = registry.compare(view.record.id).ok_or_else(|| {
        Error::unavailable(format!("Cannot report on disk '{name}': it is being added or removed; try again"))
    })?;
    let dirty_bytes = view.report.ok().map(|report| report.statistics.dirty_bytes);
    Ok(Json(ReportDocument::of(documents::disk_gain(&name, &total, &comparison, dirty_bytes))))
}

/// Recent history of one disk, step by step; a day of it by default.
#[utoipa::path(
    get,
    path = "/v1/history/{name}",
    tag = "statistics",
    params(("name" = String, Path, description = "Name of the disk", example = "vm-1", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$"), HistoryParameters),
    responses((status = OK, description = "What the disk did", body = HistoryDocument))
)]
pub(super) async fn history(
    State(registry): SharedRegistry,
    Name(name): Name,
    asked: Result<Query<HistoryParameters>, QueryRejection>,
) -> Reply<HistoryDocument> {
    let Query(HistoryParameters { span }) = asked.map_err(|rejection| unreadable(&rejection, "span"))?;
    let span = span.map_or(Ok(Span::default()), |name| Span::parse(&name))?;
    let steps = registry.history(&name, span).await?;
    Ok(Json(HistoryDocument::of(documents::disk_history(&name, span, Moment::now(), &steps))))
}

fn one_of(registry: &Registry, view: &DiskView, window: Window) -> Statistics {
    documents::statistics(view, registry.windowed(view, window).as_ref())
}

fn window(asked: StatisticsQuery) -> Result<Window, ErrorResponse> {
    let Query(StatisticsParameters { window }) =
        asked.map_err(|rejection| unreadable(&rejection, "window"))?;
    Ok(window.map_or(Ok(Window::default()), |name| Window::parse(&name))?)
}

fn unreadable(rejection: &QueryRejection, key: &str) -> Error {
    let what = rejection.body_text();
    Error::invalid(format!("Cannot read the request: {what}; `{key}` is all that it may ask for"))
}
