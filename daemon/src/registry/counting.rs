//! What disks counted in all: seen whenever somebody looks, written every minute and at the end.

use std::sync::Weak;
use std::time::Duration;

use super::{Registry, lock};
use crate::events::{self, Kind};
use crate::moment::Moment;
use crate::problem::Answer;
use crate::shard::DiskReport;
use crate::totals::{Total, Totals};

/// How often totals are written: what a kill costs of them.
const SAVE_INTERVAL: Duration = Duration::from_mins(1);

impl Registry {
    /// Begins to count for disks for which nothing is kept.
    pub(super) fn begin_totals(&self) {
        let (disks, now) = (self.state().disks, Moment::now());
        let mut totals = lock(&self.totals);
        for disk in disks {
            totals.begin(disk.id, now);
        }
    }

    /// Takes what a disk counts now.
    pub(super) fn see(&self, report: &DiskReport) {
        lock(&self.totals).see(report.settings.id.0, report.attachment, &report.statistics);
    }

    /// What a disk counted in all, as it was seen last.
    pub(super) fn total(&self, id: u32) -> Option<Total> {
        lock(&self.totals).of(id)
    }

    /// Writes what disks counted in all, as they stand now. If that fails, a restart forgets what was counted since it was
    /// written last; the log says so, once.
    pub(super) async fn save_totals(&self) {
        let mut said = self.saving.lock().await;
        let problem = self.write_totals().await.err();
        if let Some(problem) = problem.as_ref().filter(|problem| said.as_ref() != Some(*problem)) {
            events::of_host(Kind::TotalsUnsaved, problem.message.clone());
        }
        *said = problem;
    }

    async fn write_totals(&self) -> Answer<()> {
        self.shards.disks().await?.iter().for_each(|(_, report)| self.see(report));
        let disks: Vec<u32> = self.state().disks.iter().map(|disk| disk.id).collect();
        let (text, dir) = (lock(&self.totals).text(&disks), self.places.dir.clone());
        let writing = tokio::task::spawn_blocking(move || Totals::save(&dir, &text));
        writing.await.expect("writing a file does not panic")
    }

    /// Writes totals every minute, as long as the registry is there.
    pub(crate) async fn keep_totals(registry: Weak<Self>) {
        loop {
            tokio::time::sleep(SAVE_INTERVAL).await;
            let Some(registry) = registry.upgrade() else { return };
            registry.save_totals().await;
        }
    }
}
