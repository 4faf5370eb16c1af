//! Destage on request, holds that keep a disk quiesced also over a restart of the daemon, and data that flash
//! lost.

use std::collections::BTreeMap;
use std::time::Duration;

use base::error::{Error, Result};
use block::ByteRange;
use telemetry::events::{self, Kind};

use super::{DiskView, Registry, being_removed, known};
use crate::holds::{self, HoldTime};
use crate::shard::{Destage, DiskReport, QuiesceStatus, QuiescedWrites};

/// The longest time of one hold, in seconds.
const QUIET_SECONDS_MAX: u64 = holds::SECONDS_MAX;
/// The most lost ranges that are listed.
const LOST_MAX: usize = 10_000;

impl Registry {
    /// Destages the dirty data of a disk at full speed, or ends that.
    ///
    /// # Errors
    /// If there is none of this name, or it is not served.
    pub(crate) async fn destage(&self, name: &str, asked: Destage) -> Result<DiskView> {
        known(&self.state(), name)?;
        self.shards.destage(name.to_owned(), asked).await?;
        self.disk(name).await
    }

    /// Begins to make the backing of a disk complete, and to keep it so for this many seconds from then on.
    /// Its report has the progress.
    ///
    /// # Errors
    /// If there is none of this name, or it is not served, or is being removed.
    pub(crate) async fn quiesce(&self, name: &str, seconds: u64, writes: QuiescedWrites) -> Result<DiskView> {
        let id = known(&self.state(), name)?.id;
        if self.is_being_removed(name) {
            return Err(being_removed(name));
        }
        if !(1..=QUIET_SECONDS_MAX).contains(&seconds) {
            return Err(Error::invalid(format!(
                "Cannot quiesce disk '{name}' for {seconds} s: give from 1 to {QUIET_SECONDS_MAX}"
            )));
        }
        let number = self.shards.quiesce(name.to_owned(), seconds, writes).await?;
        // Before the answer: a copy of the backing may rely on it, however the daemon ends.
        if let Err(problem) = self.holds.remember(id, seconds, number).await {
            self.shards.resume(name.to_owned(), Some(number)).await?;
            return Err(problem);
        }
        let mut view = self.disk(name).await?;
        if let Ok(report) = &mut view.report {
            // The number of this request, whatever later requests there were.
            report.quiesce_number = number;
        }
        Ok(view)
    }

    /// Ends the hold of [`Self::quiesce`]; if a number is given, only if that is still the number of the
    /// hold, and not that of a later request.
    ///
    /// # Errors
    /// If there is none of this name, or it is not served.
    pub(crate) async fn resume(&self, name: &str, number: Option<u64>) -> Result<DiskView> {
        let id = known(&self.state(), name)?.id;
        let counted = if self.shards.is_attached(name) || !self.holds.has(id) {
            self.shards.resume(name.to_owned(), number).await?
        } else {
            // It waits for its backing, and would be kept clean once it is served.
            false
        };
        if counted || number.is_none() {
            self.holds.forget(id, number.unwrap_or(u64::MAX)).await.map_err(|problem| {
                Error::failed(format!(
                    "Disk '{name}' is resumed, but a restart would quiesce it again: {}",
                    problem.message
                ))
            })?;
        }
        self.disk(name).await
    }

    /// Logs and removes a hold whose time was over before its disk is served again.
    pub(super) async fn forget_hold_that_is_over(&self, name: &str, id: u32, hold: Option<HoldTime>) {
        if hold != Some(HoldTime::Left(Duration::ZERO)) {
            return;
        }
        let over = format!(
            "The time for which disk '{name}' was quiesced ended before it was served again: it writes back again"
        );
        events::of_disk(Kind::QuiesceOver, name, over);
        log_unsaved(name, self.holds.forget(id, 0).await);
    }

    /// Records the end of each hold, and removes those that are over, as disks report them.
    pub(super) async fn follow_holds(&self, reports: &BTreeMap<String, Result<DiskReport>>) {
        if self.holds.is_empty() {
            return;
        }
        for (name, report) in reports {
            if let Ok(report) = report {
                self.follow_hold(name, report).await;
            }
        }
    }

    /// Records the end of a quiesced disk's hold. Must be called before the disk is reported as quiesced, so
    /// that a kill right after that does not restart the time.
    pub(super) async fn remember_end_of_hold(&self, name: &str, report: &DiskReport) {
        if self.holds.has(report.settings.id.0) && matches!(report.quiesce, QuiesceStatus::Quiesced { .. }) {
            self.follow_hold(name, report).await;
        }
    }

    async fn follow_hold(&self, name: &str, report: &DiskReport) {
        let (id, number) = (report.settings.id.0, report.quiesce_number);
        let followed = match &report.quiesce {
            QuiesceStatus::Destaging => Ok(()),
            QuiesceStatus::Quiesced { seconds_left } => {
                self.holds.note_end(id, number, Duration::from_secs(*seconds_left)).await
            }
            QuiesceStatus::No | QuiesceStatus::Failed(_) | QuiesceStatus::Ended(_) => {
                self.holds.forget(id, number).await
            }
        };
        log_unsaved(name, followed);
    }

    /// Returns the bytes of a disk that flash lost before the backing had them, the first ranges if there are
    /// many.
    ///
    /// # Errors
    /// If there is none of this name, or it is not served.
    pub(crate) async fn lost(&self, name: &str) -> Result<Vec<ByteRange>> {
        known(&self.state(), name)?;
        self.shards.lost(name.to_owned(), LOST_MAX).await
    }
}

fn log_unsaved(name: &str, saved: Result<()>) {
    if let Err(problem) = saved {
        tracing::warn!("A restart may quiesce disk '{name}' for longer than requested: {problem}");
    }
}
