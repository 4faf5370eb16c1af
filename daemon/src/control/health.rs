//! Whether everything is served: for whoever watches over hosts.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;

use super::answer::Failure;
use crate::api;
use crate::problem::Problem;
use crate::registry::Registry;

/// How long disks and pool may take to say how they are.
const TIME_MAX: Duration = Duration::from_secs(5);

/// `ok`, or a problem with everything that is not.
pub(super) async fn show(State(registry): State<Arc<Registry>>) -> Result<&'static str, Failure> {
    let Ok(wrong) = tokio::time::timeout(TIME_MAX, what_is_wrong(&registry)).await else {
        let message = format!("Disks do not say within {} s how they are; see the log", TIME_MAX.as_secs());
        return Err(Problem::unavailable(message).into());
    };
    if wrong.is_empty() {
        return Ok("ok\n");
    }
    Err(Problem::unavailable(format!("Not all is well: {}", wrong.join("; "))).into())
}

async fn what_is_wrong(registry: &Registry) -> Vec<String> {
    let mut wrong = Vec::new();
    match registry.pool().await {
        Err(problem) => wrong.push(problem.message),
        Ok(pool) => match api::standing_of_pool(&pool) {
            ("serving", _) => {}
            (state, Some(reason)) => wrong.push(format!("the pool is {state}: {reason}")),
            (state, None) => wrong.push(format!("the pool is {state}; see `forebay pool show`")),
        },
    }
    for disk in registry.disks().await {
        if let (state @ ("failed" | "stopped" | "waiting"), reason) = api::standing_of_disk(&disk) {
            let reason = reason.unwrap_or("see the log");
            let how = if state == "waiting" { "waits" } else { state };
            wrong.push(format!("disk '{}' {how}: {reason}", disk.record.name));
        }
    }
    wrong
}
