//! Looks at the statistics of disks and pool every second, for events that show nowhere else.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use cache::Latency;

use super::Registry;
use crate::events;
use crate::events::Waits;
use crate::events::watcher::{DiskLook, Look, Watcher};
use crate::shard::DiskReport;

const LOOK_INTERVAL: Duration = Duration::from_secs(1);

impl Registry {
    /// Reports what the watcher finds, as long as the registry is in use.
    pub(crate) async fn watch_statistics(registry: Weak<Self>) {
        let started = Instant::now();
        let mut watcher = Watcher::default();
        loop {
            tokio::time::sleep(LOOK_INTERVAL).await;
            let Some(registry) = registry.upgrade() else { return };
            let look = registry.look_around(started).await;
            watcher.look(&look).into_iter().for_each(events::report);
        }
    }

    async fn look_around(self: Arc<Self>, started: Instant) -> Look {
        let (mut disks, mut silent) = (BTreeMap::new(), BTreeMap::new());
        for (name, report) in self.shards.disks_as_far_as_known().await {
            match report {
                Ok(report) => {
                    disks.insert(name, look_at(report));
                }
                Err(problem) => {
                    silent.insert(name, problem.message);
                }
            }
        }
        // A shard that does not answer was asked for its disks as well.
        let pool_failed = self.shards.pool_report().await.ok().map(|report| report.statistics.failed);
        Look { at: started.elapsed(), disks, silent, pool_failed }
    }
}

fn look_at(report: DiskReport) -> DiskLook {
    let waits = waits(&report);
    let DiskReport { attachment, trouble, statistics, .. } = report;
    let counts = &statistics.counts;
    DiskLook {
        attachment,
        trouble: trouble.map(|trouble| trouble.reason),
        waits,
        dirty_bytes: statistics.dirty_bytes + statistics.dirty_zeroes_bytes,
        dirty_limit_bytes: statistics.dirty_limit_bytes,
        throttled_ns: counts.throttled_ns,
        checksum_errors: counts.checksum_errors,
        flash_errors: counts.flash_errors,
        backing_errors: counts.backing_errors,
        lost_bytes: statistics.lost_bytes,
        segments_uncopied: statistics.segments_uncopied,
        stopped: statistics.stopped,
    }
}

/// What was waited for the backing: what missed, what was destaged, and writes unless flash acknowledges them.
fn waits(report: &DiskReport) -> Waits {
    let through = (!report.settings.mode.row().writes_back).then_some(Latency::Write);
    let kinds = [Some(Latency::ReadMiss), Some(Latency::Destage), through].into_iter().flatten();
    kinds.map(|kind| &report.statistics.latencies[kind as usize]).fold(Waits::default(), |sum, measured| {
        Waits { requests: sum.requests + measured.count(), ns: sum.ns + measured.sum_ns() }
    })
}
