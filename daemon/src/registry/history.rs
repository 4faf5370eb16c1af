//! What disks did, step by step: fed whenever somebody looks at a disk, written every minute and at the end, as totals are.
//!
//! Writing waits for nobody's request and holds up none; a file system that is full or hangs costs history and nothing else.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::{Registry, known, lock};
use crate::events::{self, Kind};
use crate::history::{self, Look, Span, Standing, Step, Sums, Unsaved};
use crate::moment::Moment;
use crate::patience::within;
use crate::problem::{Answer, Problem};
use crate::shard::DiskReport;

/// How long the end of the process waits until what disks did is written.
const STOP_TIME_MAX: Duration = Duration::from_secs(1);

impl Registry {
    /// Goes on from what is kept of disks, and removes what is kept of those that were removed.
    pub(super) fn load_histories(&self) {
        let (state, dir, now) = (self.state(), &self.places.dir, Moment::now());
        let gone = |id: &u32| state.had_disk(*id) && state.disks.iter().all(|disk| disk.id != *id);
        for id in history::kept(dir).into_iter().filter(gone) {
            log_if_not_removed(id, history::remove(dir, id));
        }
        for disk in &state.disks {
            let mut found = history::load(dir, disk.id, now);
            for complaint in found.complaints.drain(..) {
                events::of_disk(Kind::HistoryUnread, &disk.name, complaint);
            }
            let total = self.sums(disk.id);
            let measured = lock(&self.totals).measured(disk.id).unwrap_or_default();
            let mut histories = lock(&self.histories);
            histories.resume(disk.id, found, self.started.elapsed(), &total);
            histories.measure(disk.id, now, measured);
        }
    }

    /// Begins the history of a new disk.
    pub(super) fn begin_history(&self, id: u32) {
        let total = self.sums(id);
        let mut histories = lock(&self.histories);
        histories.begin(id, self.started.elapsed(), &total);
        let measured = lock(&self.totals).measured(id).unwrap_or_default();
        histories.measure(id, Moment::now(), measured);
    }

    /// Takes what is known of a disk that is served. Its totals have to know it already.
    pub(super) fn go_on_with_history(&self, report: &DiskReport) {
        self.sample_history(report.settings.id.0, Look::Served(Standing::of(&report.statistics)));
    }

    /// Has time go on for disks that are not served, or do not answer.
    pub(super) fn pass_time_without(&self, reports: &BTreeMap<String, Answer<DiskReport>>) {
        for disk in self.state().disks {
            match reports.get(&disk.name) {
                Some(Ok(_)) => {}
                Some(Err(_)) => self.sample_history(disk.id, Look::Silent),
                None => self.sample_history(disk.id, Look::Away),
            }
        }
    }

    fn sample_history(&self, id: u32, look: Look) {
        let mut histories = lock(&self.histories);
        // Read while nobody else feeds histories, so that neither totals nor time go back.
        let now = Moment::now();
        histories.sample(id, now, self.started.elapsed(), &self.sums(id), look);
        let measured = lock(&self.totals).measured(id).unwrap_or_default();
        histories.measure(id, now, measured);
    }

    fn sums(&self, id: u32) -> Sums {
        lock(&self.totals).sums(id).unwrap_or_default()
    }

    /// What a disk did up to now, the oldest step first.
    ///
    /// # Errors
    /// If there is none of this name.
    pub(crate) async fn history(&self, name: &str, span: Span) -> Answer<Vec<Step>> {
        let id = known(&self.state(), name)?.id;
        // What a disk did before is known also if its thread does not answer now.
        if let Ok(Some(report)) = self.shards.disk_report(name.to_owned()).await {
            self.see_and_follow(&report);
        }
        Ok(lock(&self.histories).last(id, span, Moment::now()).unwrap_or_default())
    }

    /// Writes what disks did since it was written last. If that fails, a restart forgets it; the log says so, once.
    pub(super) async fn save_histories(&self) {
        // Held by whoever writes, to the end, also if nobody waits for that any more.
        let said = Arc::clone(&self.saving_histories).lock_owned().await;
        let (unsaved, dir) = (lock(&self.histories).take_unsaved(), self.places.dir.clone());
        let save = move |unsaved: Unsaved| (unsaved.id(), history::save(&dir, &unsaved).err());
        let writing =
            tokio::task::spawn_blocking(move || (unsaved.into_iter().map(save).collect::<Vec<_>>(), said));
        let (outcomes, mut said) = writing.await.expect("writing files does not panic");
        let mut failed = outcomes.into_iter().filter_map(|(id, problem)| Some((id, problem?))).peekable();
        let first: Option<Problem> = failed.peek().map(|(_, problem)| problem.clone());
        failed.for_each(|(id, _)| lock(&self.histories).not_saved(id));
        if let Some(problem) = first.as_ref().filter(|_| said.is_none()) {
            events::of_host(Kind::HistoryUnsaved, problem.message.clone());
        }
        *said = first;
    }

    /// As [`Self::save_histories`], at the end of the process, which waits no longer than for a moment: there is a file for each
    /// disk, and none of them is worth an end that is not clean.
    pub(super) async fn save_histories_in_time(&self) {
        if within(STOP_TIME_MAX, self.save_histories()).await.is_err() {
            tracing::warn!(
                "What disks did in the last minute may not be kept: writing it takes longer than {} s",
                STOP_TIME_MAX.as_secs()
            );
        }
    }

    /// Forgets what a disk did that was removed.
    pub(super) async fn forget_history(&self, id: u32) {
        // Nobody writes it any more behind this.
        let _saving = self.saving_histories.lock().await;
        lock(&self.histories).forget(id);
        let dir = self.places.dir.clone();
        let removing = tokio::task::spawn_blocking(move || history::remove(&dir, id));
        log_if_not_removed(id, removing.await.expect("removing a file does not panic"));
    }
}

fn log_if_not_removed(id: u32, removed: std::io::Result<()>) {
    if let Err(error) = removed {
        tracing::warn!(
            "Cannot remove the history of disk number {id}, which was removed: {error}; the next start tries again"
        );
    }
}
