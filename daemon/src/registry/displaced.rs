//! A pool with a file or device that is not at its path any more while it is open: deleted, moved, replaced,
//! its node removed.
//!
//! ```text
//!   every 5 s:   other storage at a path, or none ──> event, health ──> all dirty data is destaged at full speed
//!   at a stop:   the same check ──> nothing becomes dirty any more, all is destaged ──> the stop as usual
//! ```
//! The open file still works, but the next start will not find it: data that only this pool has is lost when
//! the process ends. So a stop destages first, for as long as that makes progress, and fails if something is
//! left.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use base::error::Error;
use base::patience::within;
use base::units::Size;
use block::file::Placement;
use telemetry::events::{self, Kind};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::{Registry, lock};
use crate::shard::Destage;
use crate::supervisor;

/// Time between checks of the paths of the pool.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);
/// Time that one check may take at a stop.
const CHECK_TIME_MAX: Duration = Duration::from_secs(2);
/// Time for which a stop continues to destage without progress.
const STALL_TIME_MAX: Duration = Duration::from_secs(30);
/// Time between checks of the progress at a stop.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

impl Registry {
    /// Checks the paths of the pool for as long as the daemon runs.
    pub(super) async fn watch_placements(self: Arc<Self>) {
        loop {
            sleep(CHECK_INTERVAL).await;
            self.check_placements().await;
            if lock(&self.pool).is_displaced() {
                self.start_destage_of_all().await;
            }
        }
    }

    /// Compares the files at the paths of the pool with the open ones, and reports changes. Blocks on the
    /// file system.
    async fn check_placements(&self) {
        let placed = lock(&self.pool).placed();
        for (path, storage) in placed {
            let wanted = path.clone();
            let looking = tokio::task::spawn_blocking(move || Placement::of(&storage, &wanted));
            // A file that cannot be examined may be unchanged.
            let Ok(found) = looking.await.expect("looking at a file does not panic") else { continue };
            let has_changed = lock(&self.pool).set_placement(&path, found);
            if has_changed {
                self.report_placement(&path, found).await;
            }
        }
    }

    async fn report_placement(&self, path: &Path, found: Placement) {
        let shown = path.display();
        if found == Placement::InPlace {
            events::of_host(Kind::PoolInPlace, format!("{shown} is the pool's again"));
            return;
        }
        let dirty = self.dirty_disks().await;
        let left = match dirty.as_slice() {
            [] => "Nothing in it is dirty".to_owned(),
            some => format!("Dirty data is destaged at once: {}", some.join(", ")),
        };
        let displaced = displaced_text(path, found);
        events::of_host(
            Kind::PoolDisplaced,
            format!(
                "{displaced}. Guests continue with the open one, which the next start will not find. {left}"
            ),
        );
    }

    /// Returns disks with dirty data, and the amount.
    async fn dirty_disks(&self) -> Vec<String> {
        let reports = self.shards.disks_as_far_as_known().await;
        let dirty = reports.into_iter().filter_map(|(name, report)| {
            let statistics = report.ok()?.statistics;
            let bytes = statistics.dirty_bytes + statistics.dirty_zeroes_bytes;
            (bytes > 0).then(|| format!("disk '{name}' {}", Size(bytes)))
        });
        dirty.collect()
    }

    async fn start_destage_of_all(&self) {
        for name in self.shards.attached() {
            // A disk that was just removed has nothing to destage, and one whose shard does not answer is
            // asked again.
            drop(self.shards.destage(name, Destage::Hurry).await);
        }
    }

    /// Destages everything, and keeps it clean, if the next start would not find the pool. Ends when nothing
    /// is dirty, or when there was no progress for a while: [`Registry::stop`] reports what is left.
    pub(crate) async fn destage_displaced(&self) {
        // A file system that hangs must not delay a stop.
        if within(CHECK_TIME_MAX, self.check_placements()).await.is_err() {
            tracing::warn!("The paths of the pool cannot be checked within {} s", CHECK_TIME_MAX.as_secs());
        }
        if !lock(&self.pool).is_displaced() {
            return;
        }
        let mut destaging = JoinSet::new();
        for name in self.shards.attached() {
            let shards = self.shards.clone();
            destaging.spawn(async move { shards.destage_for_good(name).await });
        }
        let (mut least, mut stalled) = (u64::MAX, Duration::ZERO);
        while !destaging.is_empty() {
            supervisor::notify_destaging(STALL_TIME_MAX);
            match within(PROGRESS_INTERVAL, destaging.join_next()).await {
                Ok(Some(Ok(Err(problem)))) => tracing::error!("{problem}"),
                Ok(_) => {}
                Err(_) => {
                    let left = self.dirty_bytes().await;
                    stalled = if left < least { Duration::ZERO } else { stalled + PROGRESS_INTERVAL };
                    least = least.min(left);
                    if stalled >= STALL_TIME_MAX {
                        return;
                    }
                }
            }
        }
    }

    async fn dirty_bytes(&self) -> u64 {
        let reports = self.shards.disks_as_far_as_known().await;
        let statistics = reports.into_values().filter_map(|report| Some(report.ok()?.statistics));
        statistics.map(|disk| disk.dirty_bytes + disk.dirty_zeroes_bytes).sum()
    }

    /// Returns a problem for dirty data of these disks that a stop leaves in a pool which the next start will
    /// not find.
    pub(crate) fn left_behind(&self, disks: &[&str]) -> Option<Error> {
        let displaced = lock(&self.pool).displaced();
        if disks.is_empty() || displaced.is_empty() {
            return None;
        }
        let paths: Vec<String> = displaced.iter().map(|(path, found)| displaced_text(path, *found)).collect();
        let disks: Vec<String> = disks.iter().map(|name| format!("'{name}'")).collect();
        Some(Error::failed(format!(
            "Cannot destage everything of {} before the end: the last writes of guests are in a pool that the next start will not find. {}. If \
             it was moved, move it back before the next start; if it was deleted, that data is lost",
            disks.join(", "),
            paths.join(". ")
        )))
    }

    /// Returns the same problem for all disks, for a stop that ends before they are detached.
    pub(crate) fn left_behind_by_all(&self) -> Option<Error> {
        let state = self.state();
        self.left_behind(&state.unsaved())
    }
}

/// Returns a text on the file at a path of the pool.
pub(crate) fn displaced_text(path: &Path, found: Placement) -> String {
    let what = match found {
        Placement::InPlace => "is in its place",
        Placement::Gone => "is not there any more: it was deleted or moved, or its device is gone",
        Placement::Replaced => "is another file or device now: the pool's was deleted, moved or replaced",
    };
    format!("{} {what}", path.display())
}
