//! The job that changes a guest over from one node to another while it runs.
//!
//! ```text
//!   blockdev-mirror ──> ready ──> job-complete ──> concluded ──> job-dismiss
//! ```
//! The reasons why both ends may be one file are in [`super`]. QEMU keeps a job that ended until it is dismissed, so that its outcome is
//! not lost with a connection.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::graph::array;
use crate::qmp::Qmp;
use base::error::{Error, Result};

/// Time limit of a job. Nothing is copied; it waits for requests of the guest at most, and those may wait a minute for a Forebay that is
/// being restarted.
const JOB_TIME_MAX: Duration = Duration::from_mins(2);
/// Time limit of a job that is asked to end, before it is forced: longer than QEMU waits for a lost connection.
const END_TIME_MAX: Duration = Duration::from_secs(90);
/// Interval between checks of a job without events.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Size of the chunks in which requests wait for each other, in bytes. A multiple of every page and of every block of a disk.
const GRANULARITY: u64 = 64 << 10;

/// Change of a device from one node to another.
pub(super) struct ChangeOver<'a> {
    /// Name of the job; its filter is called `NAME-m`.
    pub(super) job: &'a str,
    /// Node that the device uses.
    pub(super) root: &'a str,
    /// Node that is replaced: the root, or one below it.
    pub(super) from: &'a str,
    /// Node that takes its place.
    pub(super) to: &'a str,
}

impl ChangeOver<'_> {
    /// Runs the change-over.
    ///
    /// # Errors
    /// The first failure. The job may still be there; [`end`] removes it.
    pub(super) fn run(&self, qmp: &mut Qmp) -> Result<()> {
        let mut arguments = json!({
            "job-id": self.job,
            "device": self.root,
            "target": self.to,
            "sync": "none",
            "copy-mode": "write-blocking",
            "granularity": GRANULARITY,
            "filter-node-name": format!("{}-m", self.job),
            // An error at the new end ends the job; the guest continues at the old one.
            "on-source-error": "report",
            "on-target-error": "report",
            "auto-dismiss": false,
        });
        if self.root != self.from {
            arguments["replaces"] = self.from.into();
        }
        qmp.execute("blockdev-mirror", &arguments)?;
        self.reaches(qmp, "ready")?;
        qmp.execute("job-complete", &json!({ "id": self.job }))?;
        self.reaches(qmp, "concluded")?;
        qmp.execute("job-dismiss", &json!({ "id": self.job }))?;
        Ok(())
    }

    fn reaches(&self, qmp: &mut Qmp, status: &str) -> Result<()> {
        let job = wait(qmp, self.job, &[status, "concluded"], JOB_TIME_MAX)?;
        let failed = |what: String| {
            Error::failed(format!(
                "Cannot change the guest over from node {} to {}: {what}",
                self.from, self.to
            ))
        };
        match job {
            Some(job) if job["error"].is_string() => {
                Err(failed(format!("QEMU's job ended with '{}'", job["error"].as_str().unwrap_or_default())))
            }
            Some(job) if job["status"] == status => Ok(()),
            Some(_) => Err(failed("QEMU's job was cancelled".to_owned())),
            None => Err(failed(format!("QEMU's job did not become {status} in time; see what its disks do"))),
        }
    }
}

/// Ends the job of this name, if there is one: asks it to end, which lets running requests finish, and forces it only when that takes too
/// long.
///
/// # Errors
/// If QEMU refuses.
pub(super) fn end(qmp: &mut Qmp, name: &str) -> Result<()> {
    let Some(job) = query_job(qmp, name)? else { return Ok(()) };
    if job["status"] != "concluded" {
        // A job that is just ending by itself refuses, and is found ended by the next check.
        let asked = qmp.execute("block-job-cancel", &json!({ "device": name, "force": false }));
        if wait(qmp, name, &["concluded"], END_TIME_MAX)?.is_none() {
            asked?;
            qmp.execute("job-cancel", &json!({ "id": name }))?;
            wait(qmp, name, &["concluded"], END_TIME_MAX)?;
        }
    }
    qmp.execute("job-dismiss", &json!({ "id": name }))?;
    Ok(())
}

/// Waits until the job has one of `statuses`; returns none if that takes too long, or the job is gone.
fn wait(qmp: &mut Qmp, name: &str, statuses: &[&str], time: Duration) -> Result<Option<Value>> {
    let deadline = Instant::now() + time;
    while let Some(job) = query_job(qmp, name)? {
        if statuses.iter().any(|status| job["status"] == *status) {
            return Ok(Some(job));
        }
        if Instant::now() > deadline {
            break;
        }
        // Any event is a reason to check again.
        qmp.event(POLL_INTERVAL)?;
    }
    Ok(None)
}

fn query_job(qmp: &mut Qmp, name: &str) -> Result<Option<Value>> {
    let jobs = qmp.execute("query-jobs", &json!({}))?;
    Ok(array(&jobs).find(|job| job["id"] == name).cloned())
}
