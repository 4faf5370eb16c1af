//! The health check: whether everything is served, for monitoring.

use std::sync::Arc;
use std::time::Duration;

use api::{DiskState, PoolState};
use axum::extract::State;
use base::patience::within;
use base::problem::Problem;

use super::answer::Failure;
use crate::documents;
use crate::registry::{Registry, displaced_text};

/// Time that disks and pool may take to report their state.
const TIME_MAX: Duration = Duration::from_secs(5);

/// Health: `ok`, or a problem that names every fault.
#[utoipa::path(
    get,
    path = "/healthz",
    tag = "host",
    responses((status = OK, description = "All is well", body = String, content_type = "text/plain"))
)]
pub(super) async fn show(State(registry): State<Arc<Registry>>) -> Result<&'static str, Failure> {
    let Ok(wrong) = within(TIME_MAX, what_is_wrong(&registry)).await else {
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
        Ok(pool) => match documents::standing_of_pool(&pool) {
            (PoolState::Serving, _) => {
                let displaced = pool.in_use.displaced();
                wrong.extend(
                    pool.report.statistics.lacks_space.then(|| "the pool's storage is full".to_owned()),
                );
                let shared = pool.in_use.shared_drive().filter(|shared| !shared.is_accepted);
                let shared = shared.filter(|_| registry.has_mirrored_disk());
                wrong.extend(shared.map(|shared| shared.warning()));
                wrong.extend(displaced.iter().map(|(path, found)| displaced_text(path, *found)));
            }
            (PoolState::Missing, reason) => {
                wrong.push(format!("the pool is missing: {}", reason.unwrap_or("see the log")));
            }
            (PoolState::Failed, _) => {
                wrong.push("the flash of the pool failed; see `forebay pool show`".to_owned());
            }
        },
    }
    for disk in registry.disks().await {
        let (state, reason) = documents::standing_of_disk(&disk);
        let trouble = disk.report.as_ref().ok().and_then(|report| report.trouble.as_ref());
        let trouble = trouble.map(|trouble| trouble.reason.as_str());
        let how = match state {
            DiskState::Failed => "failed",
            DiskState::Stopped => "stopped",
            DiskState::Waiting => "waits",
            DiskState::Serving if trouble.is_some() => "is failing",
            DiskState::Serving | DiskState::Removing | DiskState::Attaching | DiskState::Detaching => {
                continue;
            }
        };
        let reason = reason.or(trouble).unwrap_or("see the log");
        wrong.push(format!("disk '{}' {how}: {reason}", disk.record.name));
    }
    wrong
}
