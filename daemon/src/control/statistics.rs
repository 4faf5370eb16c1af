//! Requests about what disks counted and measured.

use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use serde::Deserialize;
use serde_json::Value;

use super::answer::{Failure, Name, Reply, document};
use crate::api;
use crate::problem::Problem;
use crate::registry::{DiskView, Registry};
use crate::windows::Window;

type Shared = State<Arc<Registry>>;

/// What statistics are asked with.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    /// `5m`, `1h`, `1d`, `total` or `start`.
    window: Option<String>,
}

type Question = Result<Query<Asked>, QueryRejection>;

/// All disks.
pub(super) async fn all(State(registry): Shared, asked: Question) -> Reply {
    let window = window(asked)?;
    let disks = registry.disks().await;
    Ok(document("disks", disks.iter().map(|view| one_of(&registry, view, window)).collect::<Vec<Value>>()))
}

/// One disk.
pub(super) async fn one(State(registry): Shared, Name(name): Name, asked: Question) -> Reply {
    let window = window(asked)?;
    let view = registry.disk(&name).await?;
    Ok(document("disks", vec![one_of(&registry, &view, window)]))
}

/// The histograms of one disk.
pub(super) async fn histograms(State(registry): Shared, Name(name): Name) -> Reply {
    let view = registry.disk(&name).await?;
    match &view.report {
        Ok(report) => Ok(document("histograms", api::histograms(&name, report))),
        Err(reason) => Err(Problem::unavailable(format!(
            "Cannot show the histograms of disk '{name}', which begin when it is attached: {reason}; see `forebay disk list`"
        ))
        .into()),
    }
}

fn one_of(registry: &Registry, view: &DiskView, window: Window) -> Value {
    api::statistics(view, registry.windowed(view, window).as_ref())
}

fn window(asked: Question) -> Result<Window, Failure> {
    let Query(Asked { window }) = asked.map_err(|rejection| {
        let what = rejection.body_text();
        Problem::invalid(format!("Cannot read the request: {what}; `window` is all that it may ask for"))
    })?;
    Ok(window.map_or(Ok(Window::default()), |name| Window::parse(&name))?)
}
