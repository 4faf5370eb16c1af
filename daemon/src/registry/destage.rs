//! What a disk has in its pool and not in its backing: remembered before there can be any, brought home when somebody asks.
//!
//! `state.json` says of each disk which pool may hold such data. It is noted before the disk begins to write back, and goes
//! with a stop that left nothing, as soon as the disk has ended, or with the disk. A disk that has such a note is served with that
//! very pool or not at all: with any other its guests would find old data.
//!
//! ```text
//!   a disk at a stop:  everything is in the backing, durably ── flash says so ── mark taken off the backing ── record of the backing
//!                      ── note taken back
//! ```
//! A kill or a power cut before the last step leaves a disk that waits for its pool without need. After it a start without the pool
//! serves what the backing has, which is everything, and remembers that what the pool has is void.

use std::collections::BTreeMap;
use std::time::Duration;

use base::problem::{Answer, Problem};
use block::ByteRange;

use super::{DiskView, Registry, being_removed, known, lock};
use crate::events::{self, Kind};
use crate::holds::{self, HoldTime};
use crate::pool::MissingCause;
use crate::shard::{Destage, DiskReport, Quietness};
use crate::state::DiskRecord;

/// The longest that a disk is kept quiet at once, in seconds.
const QUIET_SECONDS_MAX: u64 = holds::SECONDS_MAX;
/// Lost ranges that are listed.
const LOST_MAX: usize = 10_000;

impl Registry {
    /// Remembers that the pool may come to hold data that the backing of a disk does not have; without a pool there will be
    /// none. To be called before the disk writes back, by whoever holds its lock.
    ///
    /// # Errors
    /// If it cannot be remembered; then the disk must not write back.
    pub(super) async fn note_unsaved(&self, name: &str) -> Answer<()> {
        if lock(&self.pool).missing.is_some() {
            return Ok(());
        }
        let name = name.to_owned();
        let noting = self.remembered.change(move |state| {
            state.note_unsaved(&name);
            Ok(())
        });
        noting.await
    }

    /// Notes that the backing of a disk that has ended has everything. Without its pool nobody knows that. To be called by whoever holds
    /// the lock of the disk.
    pub(super) async fn note_saved(&self, name: &str) {
        if lock(&self.pool).missing.is_some() {
            return;
        }
        let saved = name.to_owned();
        let noting = self.remembered.change(move |state| {
            state.note_saved(&saved);
            Ok(())
        });
        if let Err(problem) = noting.await {
            tracing::warn!(
                "The next start serves disk '{name}' with its pool only, though its backing has everything: {problem}"
            );
        }
    }

    /// Refuses to give up data that is in a pool which is not in use.
    pub(super) fn check_pool_is_here(&self, record: &DiskRecord) -> Answer<()> {
        let state = self.state();
        let cause = lock(&self.pool).missing.as_ref().map(|missing| missing.cause);
        let in_use = state.pool.as_ref().filter(|_| cause.is_none());
        match &record.unsaved_in {
            Some(pool) if cause == Some(MissingCause::Dir) => Err(Problem::conflict(format!(
                "Cannot forget what is cached of disk '{}': pool {pool} may hold data that its backing does not have, and is not \
                 in use because {} took no writes when the daemon started. Nothing of it is lost: make room there or repair \
                 that file system, and restart the daemon",
                record.name,
                self.places.dir.display()
            ))),
            Some(pool) if in_use.is_none_or(|in_use| in_use.id != *pool) => Err(Problem::conflict(format!(
                "Cannot forget what is cached of disk '{name}': pool {pool} may hold data that its backing does not have, and \
                 is not in use now (`forebay pool show` says why). Bring that pool back, or give that data up: forebay disk \
                 remove {name} --lose-dirty",
                name = record.name
            ))),
            _ => Ok(()),
        }
    }

    /// Has everything that is dirty of a disk destaged at full speed, or not any more.
    ///
    /// # Errors
    /// If there is none of this name, or it is not served.
    pub(crate) async fn destage(&self, name: &str, asked: Destage) -> Answer<DiskView> {
        known(&self.state(), name)?;
        self.shards.destage(name.to_owned(), asked).await?;
        self.disk(name).await
    }

    /// Begins to bring home everything of a disk, and to keep it so for so many seconds from then on. Its report says how far
    /// that is.
    ///
    /// # Errors
    /// If there is none of this name, or it is not served, or is being removed.
    pub(crate) async fn quiesce(&self, name: &str, seconds: u64) -> Answer<DiskView> {
        let id = known(&self.state(), name)?.id;
        if self.is_being_removed(name) {
            return Err(being_removed(name));
        }
        if !(1..=QUIET_SECONDS_MAX).contains(&seconds) {
            return Err(Problem::invalid(format!(
                "Cannot keep disk '{name}' quiet for {seconds} s: from 1 to {QUIET_SECONDS_MAX}"
            )));
        }
        let number = self.shards.quiesce(name.to_owned(), seconds).await?;
        // Before anybody is told: whoever copies the backing then may rely on it, whatever ends the daemon.
        if let Err(problem) = self.holds.remember(id, seconds, number).await {
            self.shards.resume(name.to_owned(), Some(number)).await?;
            return Err(problem);
        }
        let mut view = self.disk(name).await?;
        if let Ok(report) = &mut view.report {
            // That of this request, whoever asked for the same since.
            report.quiet_number = number;
        }
        Ok(view)
    }

    /// Ends what [`Self::quiesce`] began; if a number is given, only if it is still that one that counts, and not one that
    /// somebody else asked for since.
    ///
    /// # Errors
    /// If there is none of this name, or it is not served.
    pub(crate) async fn resume(&self, name: &str, number: Option<u64>) -> Answer<DiskView> {
        let id = known(&self.state(), name)?.id;
        let counted = if self.shards.is_attached(name) || !self.holds.has(id) {
            self.shards.resume(name.to_owned(), number).await?
        } else {
            // It waits for its backing, and would be quiet once it is served.
            false
        };
        if counted || number.is_none() {
            self.holds.forget(id, number.unwrap_or(u64::MAX)).await.map_err(|problem| {
                Problem::failed(format!(
                    "Disk '{name}' goes on as before, and a restart would keep it quiet again: {}",
                    problem.message
                ))
            })?;
        }
        self.disk(name).await
    }

    /// Says so, and forgets it, if the time of a hold was over before its disk is served again.
    pub(super) async fn forget_hold_that_is_over(&self, name: &str, id: u32, hold: Option<HoldTime>) {
        if hold != Some(HoldTime::Left(Duration::ZERO)) {
            return;
        }
        let over = format!(
            "Disk '{name}' was to be quiet for a time that was over before it was served again: it writes back again"
        );
        events::of_disk(Kind::QuiesceOver, name, over);
        log_unsaved(name, self.holds.forget(id, 0).await);
    }

    /// Remembers of each hold when it ends, and forgets those that are over, as disks report them.
    pub(super) async fn follow_holds(&self, reports: &BTreeMap<String, Answer<DiskReport>>) {
        if self.holds.is_empty() {
            return;
        }
        for (name, report) in reports {
            if let Ok(report) = report {
                self.follow_hold(name, report).await;
            }
        }
    }

    /// Remembers when the hold of a disk that is quiet ends. To be called before anybody is told that it is quiet, so that a kill right
    /// after that does not begin the time again.
    pub(super) async fn remember_end_of_hold(&self, name: &str, report: &DiskReport) {
        if self.holds.has(report.settings.id.0) && matches!(report.quiet, Quietness::Quiet { .. }) {
            self.follow_hold(name, report).await;
        }
    }

    async fn follow_hold(&self, name: &str, report: &DiskReport) {
        let (id, number) = (report.settings.id.0, report.quiet_number);
        let followed = match &report.quiet {
            Quietness::Coming => Ok(()),
            Quietness::Quiet { seconds_left } => {
                self.holds.note_end(id, number, Duration::from_secs(*seconds_left)).await
            }
            Quietness::No | Quietness::Failed(_) => self.holds.forget(id, number).await,
        };
        log_unsaved(name, followed);
    }

    /// The bytes of a disk that flash lost before the backing had them, the first ones if there are many.
    ///
    /// # Errors
    /// If there is none of this name, or it is not served.
    pub(crate) async fn lost(&self, name: &str) -> Answer<Vec<ByteRange>> {
        known(&self.state(), name)?;
        self.shards.lost(name.to_owned(), LOST_MAX).await
    }
}

fn log_unsaved(name: &str, saved: Answer<()>) {
    if let Err(problem) = saved {
        tracing::warn!("A restart may keep disk '{name}' quiet for longer than was asked for: {problem}");
    }
}
