//! The health check: whether everything is served, for monitoring.

use std::time::Duration;

use api::DiskState;
use axum::extract::State;
use base::error::Error;
use base::patience::within;
use base::units::Size;

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
        let (state, reason) = documents::standing_of_disk(&disk);
        let report = disk.report.as_ref().ok();
        let trouble =
            report.and_then(|report| report.trouble.as_ref()).map(|trouble| trouble.reason.as_str());
        let lost_bytes = report.map_or(0, |report| report.statistics.lost_bytes);
        let Some(how) = fault(state, trouble.is_some(), lost_bytes) else { continue };
        let reason = reason.or(trouble).map_or_else(
            || {
                if lost_bytes > 0 {
                    format!("see forebay disk show {} --lost", disk.record.name)
                } else {
                    "see the log".to_owned()
                }
            },
            str::to_owned,
        );
        wrong.push(format!("disk '{}' {how}: {reason}", disk.record.name));
    }
    wrong
}

/// Returns the fault of a disk, as the end of a sentence that begins with its name; none if all is well with it.
fn fault(state: DiskState, is_failing: bool, lost_bytes: u64) -> Option<String> {
    match state {
        DiskState::Failed => Some("failed".to_owned()),
        DiskState::Stopped => Some("stopped".to_owned()),
        DiskState::Waiting => Some("waits".to_owned()),
        DiskState::Serving if is_failing => Some("is failing".to_owned()),
        DiskState::Serving if lost_bytes > 0 => Some(format!(
            "lost {} of dirty data with flash, and reads of it fail until it is written again",
            Size(lost_bytes)
        )),
        DiskState::Serving | DiskState::Removing | DiskState::Attaching | DiskState::Detaching => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_that_serves_is_at_fault_if_it_fails_or_has_lost_data() {
        assert_eq!(fault(DiskState::Serving, false, 0), None);
        assert_eq!(fault(DiskState::Serving, true, 0).as_deref(), Some("is failing"));
        let lost = fault(DiskState::Serving, false, 4096).expect("data is lost");
        assert!(lost.starts_with("lost 4KiB of dirty data"), "{lost}");
        assert_eq!(fault(DiskState::Waiting, false, 0).as_deref(), Some("waits"));
        assert_eq!(fault(DiskState::Attaching, false, 0), None);
    }
}
