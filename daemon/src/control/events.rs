//! Requests for events.

use std::time::Duration;

use api::EventsDocument;
use axum::Json;
use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use base::error::Error;
use serde::Deserialize;
use telemetry::events;
use utoipa::IntoParams;

use super::answer::Reply;
use crate::documents;

/// The longest time that a request waits for an event, in seconds.
const WAIT_MAX: u64 = 30;

/// Parameters of events.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct EventParameters {
    /// Only events after the one with this id.
    #[serde(default)]
    after: u64,
    /// Seconds to wait for an event, at most 30.
    #[serde(default)]
    wait: u64,
}

/// Events, the oldest first.
#[utoipa::path(
    get,
    path = "/v1/events",
    tag = "host",
    params(EventParameters),
    responses((status = OK, description = "The events that are asked for", body = EventsDocument))
)]
pub(super) async fn list(asked: Result<Query<EventParameters>, QueryRejection>) -> Reply<EventsDocument> {
    let Query(EventParameters { after, wait }) = asked.map_err(|rejection| {
        let what = rejection.body_text();
        Error::invalid(format!("Cannot list events: {what}; ask as in /v1/events?after=7&wait=30"))
    })?;
    let events = events::after(after, Duration::from_secs(wait.min(WAIT_MAX))).await;
    Ok(Json(EventsDocument::of(events.iter().map(documents::event).collect())))
}
