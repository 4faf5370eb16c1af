//! What disks counted in all, and lately: seen whenever somebody looks, and every few seconds; written every minute and at the
//! end. Every few seconds their history goes on with it (`history.rs`).

use std::collections::BTreeMap;
use std::sync::Weak;
use std::time::Duration;

use cache::Curves;

use super::{DiskView, Registry, known, lock};
use crate::counted::Counted;
use crate::course::Comparison;
use crate::events::{self, Kind};
use crate::moment::Moment;
use crate::problem::Answer;
use crate::shard::DiskReport;
use crate::totals::{Look, Total, Totals};
use crate::windows::{self, Window, Windowed};

/// How often totals are written: what a kill costs of them.
const SAVE_INTERVAL: Duration = Duration::from_mins(1);
/// How often windows are written, which are larger: in so many of these. What a kill costs is when something was counted in
/// them, and not that it was.
const SAVES_PER_WINDOWS: u32 = 5;

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    Totals,
    TotalsAndWindows,
}

impl Registry {
    /// Begins to count for disks for which nothing is kept.
    pub(super) fn begin_totals(&self) {
        let (disks, now) = (self.state().disks, Moment::now());
        let mut totals = lock(&self.totals);
        for disk in disks {
            totals.begin(disk.id, now, self.started.elapsed());
        }
    }

    /// Takes what a disk counts now.
    pub(super) fn see(&self, report: &DiskReport) {
        let DiskReport { attachment, attached_for, passed, statistics, .. } = report;
        let (attachment, attached_for) = (*attachment, *attached_for);
        lock(&self.totals).see(report.settings.id.0, Look { attachment, attached_for, passed, statistics });
    }

    /// The same, and has history go on: every few seconds, when somebody asks for it, and at the end.
    pub(super) fn see_and_follow(&self, report: &DiskReport) {
        self.see(report);
        self.go_on_with_history(report);
    }

    /// What a disk counted in all, as it was seen last.
    pub(super) fn total(&self, id: u32) -> Option<Total> {
        lock(&self.totals).of(id)
    }

    /// What a disk did with the cache and without, beside what it counted in all at the same moment; none in the moment in which
    /// it comes or goes.
    pub(crate) fn compare(&self, id: u32) -> Option<(Total, Comparison)> {
        lock(&self.totals).compare(id)
    }

    /// What caches of other sizes would do for a disk, and the bytes of RAM that knowing it takes.
    ///
    /// # Errors
    /// If there is none of this name, or it is not served.
    pub(crate) async fn curves(&self, name: &str) -> Answer<(Curves, u64)> {
        known(&self.state(), name)?;
        self.shards.curves(name.to_owned()).await
    }

    /// What a disk counted in a window; none in the moment in which it comes or goes, nor since it was attached, if it is not.
    pub(crate) fn windowed(&self, view: &DiskView, window: Window) -> Option<Windowed> {
        match (window, view.total.as_ref()) {
            (Window::Start, _) => view.since_attached(),
            (_, None) => None,
            (Window::Last(recent), Some(total)) => {
                lock(&self.totals).last(view.record.id, recent, self.started.elapsed(), total)
            }
            (Window::Total, Some(total)) => {
                let seconds = Moment::now().0.saturating_sub(total.since.0);
                Some(Windowed { window, seconds, counted: total.counted.clone() })
            }
        }
    }

    /// Has windows of time and history go on, every [`crate::windows::SAMPLE_INTERVAL`].
    pub(super) fn sample(&self, at: Duration, reports: &BTreeMap<String, Answer<DiskReport>>) {
        reports.values().flatten().for_each(|report| self.see_and_follow(report));
        self.pass_time_without(reports);
        lock(&self.totals).sample(at);
    }

    /// Takes what all disks count now.
    pub(super) async fn see_all(&self) {
        self.shards
            .disks_as_far_as_known()
            .await
            .values()
            .flatten()
            .for_each(|report| self.see_and_follow(report));
    }

    /// Writes what disks counted in all, as it was seen last. If that fails, a restart forgets what was counted since it was
    /// written last; the log says so, once.
    pub(super) async fn save_totals(&self, what: Written) {
        let mut said = self.saving.lock().await;
        let problem = self.write_totals(what).await.err();
        if let Some(problem) = problem.as_ref().filter(|problem| said.as_ref() != Some(*problem)) {
            events::of_host(Kind::TotalsUnsaved, problem.message.clone());
        }
        *said = problem;
    }

    async fn write_totals(&self, what: Written) -> Answer<()> {
        let disks: Vec<u32> = self.state().disks.iter().map(|disk| disk.id).collect();
        let (text, keeping) = {
            let totals = lock(&self.totals);
            let windows = || totals.windows(&disks, self.started.elapsed(), Moment::now());
            (totals.text(&disks), (what == Written::TotalsAndWindows).then(windows))
        };
        // In this order: windows are never ahead of totals.
        Totals::save(self.store(), text).await?;
        let Some(keeping) = keeping else { return Ok(()) };
        let dir = self.places.dir.clone();
        let write = move || windows::save(&dir, keeping);
        tokio::task::spawn_blocking(write).await.expect("writing a file does not panic")
    }

    /// Writes totals and histories every minute and windows every few, as long as the registry is there.
    pub(crate) async fn keep_totals(registry: Weak<Self>) {
        for save in (1..=SAVES_PER_WINDOWS).cycle() {
            tokio::time::sleep(SAVE_INTERVAL).await;
            let Some(registry) = registry.upgrade() else { return };
            let has_windows = save == SAVES_PER_WINDOWS;
            registry.save_totals(if has_windows { Written::TotalsAndWindows } else { Written::Totals }).await;
            registry.save_histories().await;
        }
    }
}

impl DiskView {
    /// What the disk counted since it was attached; none if it is not.
    pub(crate) fn since_attached(&self) -> Option<Windowed> {
        let report = self.report.as_ref().ok()?;
        let (seconds, counted) = (report.attached_for.as_secs(), Counted::of(&report.statistics));
        Some(Windowed { window: Window::Start, seconds, counted })
    }
}
