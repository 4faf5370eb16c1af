//! Samples of disks, and their time series: every few seconds, and on request. Totals are written every
//! minute, time series every few minutes, both at the end.
//!
//! Requests do not wait for writes; a file system that is full or hangs loses figures and nothing else.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use base::error::{Error, Result};
use base::moment::Moment;
use base::patience::within;
use cache::Curves;
use telemetry::counted::Counted;
use telemetry::events::{self, Kind};
use telemetry::series::file::{self, EarlierWindows};
use telemetry::series::lifetime::Comparison;
use telemetry::series::{HistoryStep, Presence, SampleTime, Span, Window, WindowCounters};
use telemetry::totals::{DiskSample, Total, Totals};

use super::{DiskView, Registry, known, lock};
use crate::shard::DiskReport;
use crate::state::State;

/// Time between writes of totals, which a kill loses at most.
const SAVE_INTERVAL: Duration = Duration::from_mins(1);
/// Intervals of totals between writes of time series, which are larger. A kill loses the time of counts in
/// them, not the counts.
const SAVES_PER_SERIES: u32 = 5;
/// Time that the end of the process waits for time series to be written.
pub(super) const STOP_TIME_MAX: Duration = Duration::from_secs(3);
/// Files of time series that are written together; bounds memory.
const FILES_AT_ONCE: usize = 16;

impl Registry {
    /// Begins counting for disks without totals.
    pub(super) fn begin_totals(&self) {
        let (disks, time) = (self.state().disks, self.time());
        let mut totals = lock(&self.totals);
        for disk in disks {
            totals.begin(disk.id, time);
        }
    }

    /// Continues the stored time series of disks, and removes those of removed disks.
    pub(super) fn load_series(&self) {
        let (state, dir, time) = (self.state(), &self.places.dir, self.time());
        let gone = |id: &u32| state.had_disk(*id) && state.disks.iter().all(|disk| disk.id != *id);
        for id in file::kept(dir).into_iter().filter(gone) {
            log_if_not_removed(id, file::remove(dir, id));
        }
        let (mut earlier, unread) = EarlierWindows::load(dir, time.now);
        if let Some(reason) = unread {
            events::of_host(
                Kind::TotalsReset,
                format!("{reason}. The recent counters of disks restart from zero"),
            );
        }
        for disk in &state.disks {
            let mut found = file::load(dir, disk.id, time.now, &mut earlier);
            for complaint in found.complaints.drain(..) {
                events::of_disk(Kind::HistoryUnread, &disk.name, complaint);
            }
            lock(&self.totals).resume(disk.id, found, time);
        }
    }

    fn time(&self) -> SampleTime {
        SampleTime::new(Moment::now(), self.started.elapsed())
    }

    /// Adds the present counters of a disk.
    pub(super) fn observe(&self, report: &DiskReport) {
        let DiskReport { attachment, attached_for, passed, statistics, .. } = report;
        let (attachment, attached_for) = (*attachment, *attached_for);
        let look = DiskSample { attachment, attached_for, passed, statistics };
        let mut totals = lock(&self.totals);
        // Time is read while the lock is held, so that it does not go back.
        totals.sample(report.settings.id.0, look, self.time());
    }

    /// Returns the total counters of a disk, as of its last sample.
    pub(super) fn total(&self, id: u32) -> Option<Total> {
        lock(&self.totals).of(id)
    }

    /// Returns counters of a disk with the cache and without, with its total counters at the same moment;
    /// none while it is being attached or detached.
    pub(crate) fn compare(&self, id: u32) -> Option<(Total, Comparison)> {
        lock(&self.totals).compare(id)
    }

    /// Returns predictions of a disk for other sizes of caches, and the bytes of RAM that they take.
    ///
    /// # Errors
    /// If there is none of this name, or it is not served.
    pub(crate) async fn curves(&self, name: &str) -> Result<(Curves, u64)> {
        known(&self.state(), name)?;
        self.shards.curves(name.to_owned()).await
    }

    /// Returns the counters of a disk in a window; none while it is being attached or detached, nor since its
    /// attachment if it is not attached.
    pub(crate) fn windowed(&self, view: &DiskView, window: Window) -> Option<WindowCounters> {
        match (window, view.total.as_ref()) {
            (Window::Start, _) => view.since_attached(),
            (_, None) => None,
            (Window::Last(recent), Some(total)) => {
                lock(&self.totals).window(view.record.id, recent, self.time(), total)
            }
            (Window::Total, Some(total)) => {
                let seconds = Moment::now().0.saturating_sub(total.since.0);
                Some(WindowCounters { window, seconds, counted: total.counted.clone() })
            }
        }
    }

    /// Returns the history of a disk up to now, the oldest step first.
    ///
    /// # Errors
    /// If there is none of this name.
    pub(crate) async fn history(&self, name: &str, span: Span) -> Result<Vec<HistoryStep>> {
        let id = known(&self.state(), name)?.id;
        // Earlier history is available also if its thread does not answer now.
        if let Ok(Some(report)) = self.shards.disk_report(name.to_owned()).await {
            self.observe(&report);
        }
        Ok(lock(&self.totals).steps(id, span, Moment::now()).unwrap_or_default())
    }

    /// Takes a sample of every disk, every [`telemetry::series::SAMPLE_INTERVAL`].
    pub(super) fn sample(&self, reports: &BTreeMap<String, Result<DiskReport>>) {
        let ids = |state: &State| -> Vec<_> {
            state.disks.iter().map(|disk| (disk.id, disk.name.clone())).collect()
        };
        for (id, name) in self.remembered.read(ids) {
            let presence = match reports.get(&name) {
                Some(Ok(report)) => {
                    self.observe(report);
                    continue;
                }
                Some(Err(_)) => Presence::Silent,
                None => Presence::Away,
            };
            lock(&self.totals).pass(id, presence, self.time());
        }
    }

    /// Adds the present counters of all disks.
    pub(super) async fn see_all(&self) {
        let reports = self.shards.disks_as_far_as_known().await;
        reports.values().flatten().for_each(|report| self.observe(report));
    }

    /// Writes total counters of disks, as of their last samples. If that fails, a restart loses the counts
    /// since the last write; it is logged once.
    pub(super) async fn save_totals(&self) {
        let mut said = self.saving.lock().await;
        let disks: Vec<u32> = self.state().disks.iter().map(|disk| disk.id).collect();
        let text = lock(&self.totals).text(&disks);
        let problem = Totals::save(self.store(), text).await.err();
        if let Some(problem) = problem.as_ref().filter(|problem| said.as_ref() != Some(*problem)) {
            events::of_host(Kind::TotalsUnsaved, problem.message.clone());
        }
        *said = problem;
    }

    /// Writes the time series of disks that changed. If that fails, a restart loses the changes; it is logged
    /// once.
    pub(super) async fn save_series(self: &Arc<Self>) {
        // The writer holds it to the end, also if the caller stops waiting.
        let said = Arc::clone(&self.saving_series).lock_owned().await;
        let registry = Arc::clone(self);
        let writing = tokio::task::spawn_blocking(move || (registry.write_series(), said));
        let (first, mut said) = writing.await.expect("writing files does not panic");
        if let Some(problem) = first.as_ref().filter(|_| said.is_none()) {
            events::of_host(Kind::HistoryUnsaved, problem.message.clone());
        }
        *said = first;
    }

    /// Writes the files, and returns the first failure.
    fn write_series(&self) -> Option<Error> {
        let mut first = None;
        let ids: Vec<u32> = self.state().disks.iter().map(|disk| disk.id).collect();
        for ids in ids.chunks(FILES_AT_ONCE) {
            // Locked for one disk at a time.
            let take = |id: &u32| {
                let mut totals = lock(&self.totals);
                totals.take_unsaved(*id, self.time()).map(|bytes| (*id, bytes))
            };
            let files: Vec<_> = ids.iter().filter_map(take).collect();
            for (id, written) in file::save(&self.places.dir, &files) {
                if let Err(problem) = written {
                    lock(&self.totals).not_saved(id);
                    first.get_or_insert(problem);
                }
            }
        }
        if first.is_none()
            && let Err(error) = file::remove_earlier_windows(&self.places.dir)
        {
            tracing::warn!(
                "Cannot remove windows.bin, which is taken over: {error}; the next minutes try again"
            );
        }
        first
    }

    /// Writes as [`Self::save_series`], at the end of the process, which waits for a moment only: there is a
    /// file for each disk, and none of them is worth an end that is not clean.
    pub(super) async fn save_series_in_time(self: &Arc<Self>) {
        if within(STOP_TIME_MAX, self.save_series()).await.is_err() {
            tracing::warn!(
                "The history of disks of the last minutes may not be kept: writing it takes longer than {} s",
                STOP_TIME_MAX.as_secs()
            );
        }
    }

    /// Removes the totals and the history of a removed disk.
    pub(super) async fn forget_series(&self, id: u32) {
        // No write follows from here on.
        let _saving = self.saving_series.lock().await;
        lock(&self.totals).forget(id);
        let dir = self.places.dir.clone();
        let removing = tokio::task::spawn_blocking(move || file::remove(&dir, id));
        log_if_not_removed(id, removing.await.expect("removing a file does not panic"));
    }

    /// Writes totals every minute and time series every few minutes, as long as the registry exists.
    pub(crate) async fn keep_totals(registry: Weak<Self>) {
        // Files that were migrated, or renamed as damaged, are soon written again.
        if let Some(registry) = registry.upgrade() {
            registry.save_series().await;
        }
        for save in (1..=SAVES_PER_SERIES).cycle() {
            tokio::time::sleep(SAVE_INTERVAL).await;
            let Some(registry) = registry.upgrade() else { return };
            registry.save_totals().await;
            if save == SAVES_PER_SERIES {
                registry.save_series().await;
            }
        }
    }
}

impl DiskView {
    /// Returns the counters of the disk since it was attached; none if it is not.
    pub(crate) fn since_attached(&self) -> Option<WindowCounters> {
        let report = self.report.as_ref().ok()?;
        let (seconds, counted) = (report.attached_for.as_secs(), Counted::of(&report.statistics));
        Some(WindowCounters { window: Window::Start, seconds, counted })
    }
}

fn log_if_not_removed(id: u32, removed: std::io::Result<()>) {
    if let Err(error) = removed {
        tracing::warn!(
            "Cannot remove the history of disk number {id}, which was removed: {error}; the next start tries again"
        );
    }
}
