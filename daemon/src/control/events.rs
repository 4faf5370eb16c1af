//! Requests for events.

use std::time::Duration;

use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use serde::Deserialize;
use serde_json::Value;

use super::answer::{Reply, document};
use crate::events::{self, Event};
use crate::problem::Problem;

/// The longest that a request waits for an event, in seconds.
const WAIT_MAX: u64 = 30;

/// What is asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    /// Only events behind the one with this id.
    #[serde(default)]
    after: u64,
    /// Wait so many seconds for one, at most 30.
    #[serde(default)]
    wait: u64,
}

pub(super) async fn list(asked: Result<Query<Asked>, QueryRejection>) -> Reply {
    let Query(Asked { after, wait }) = asked.map_err(|rejection| {
        let what = rejection.body_text();
        Problem::invalid(format!("Cannot list events: {what}; ask as in /v1/events?after=7&wait=30"))
    })?;
    let events = events::after(after, Duration::from_secs(wait.min(WAIT_MAX))).await;
    Ok(document("events", events.iter().map(Event::document).collect::<Vec<Value>>()))
}
