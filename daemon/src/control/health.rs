//! The health check: whether everything is served, for monitoring.

use std::time::Duration;

use axum::extract::State;
use base::error::Error;
use base::patience::within;

use super::SharedRegistry;
use super::answer::ErrorResponse;
use crate::documents;
use crate::registry::Registry;

/// Time that disks and pool may take to report their state.
const TIME_MAX: Duration = Duration::from_secs(5);

/// Health: `ok`, or a problem that names every fault.
#[utoipa::path(
    get,
    path = "/healthz",
    tag = "host",
    responses((status = OK, description = "All is well", body = String, content_type = "text/plain"))
)]
pub(super) async fn show(State(registry): SharedRegistry) -> Result<&'static str, ErrorResponse> {
    let Ok(wrong) = within(TIME_MAX, what_is_wrong(&registry)).await else {
        let message = format!("Disks do not report their state within {} s; see the log", TIME_MAX.as_secs());
        return Err(Error::unavailable(message).into());
    };
    if wrong.is_empty() {
        return Ok("ok\n");
    }
    Err(Error::unavailable(format!("Not all is well: {}", wrong.join("; "))).into())
}

async fn what_is_wrong(registry: &Registry) -> Vec<String> {
    let mut wrong = Vec::new();
    match registry.pool().await {
        Err(problem) => wrong.push(problem.message),
        Ok(pool) => wrong.extend(documents::faults_of_pool(&pool)),
    }
    for disk in registry.disks().await {
        if let Some(fault) = documents::fault_of_disk(&disk) {
            wrong.push(format!("disk '{}' {}: {}", disk.record.name, fault.how, fault.reason));
        }
    }
    wrong
}
