//! Looks at disks and pool every second, once for all who want to know: windows of time and history, every few seconds, and
//! events that show nowhere else. Ends recordings that nobody takes any more.
//!
//! A shard that does not answer holds up no other, and what its disks count meanwhile is in the window in which it answers
//! again.

use std::collections::BTreeMap;
use std::sync::Weak;
use std::time::Duration;

use base::patience::within;
use base::problem::Answer;
use block::patient::{Cause, Trouble};
use cache::Latency;
use telemetry::events::Waits;
use telemetry::events::watcher::{DiskLook, Look, Watcher};
use telemetry::events::{self, Kind};
use telemetry::series::SAMPLE_INTERVAL;
use tokio::time::MissedTickBehavior;

use super::{Registry, lock};
use crate::backing::Location;
use crate::recording;
use crate::shard::DiskReport;

/// How long a file system is asked how full it is.
const ROOM_TIME_MAX: Duration = Duration::from_secs(2);
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

impl Registry {
    /// Returns what is full below a disk, for the end of a message; nothing if its file system does not say.
    async fn room_of(&self, disk: Option<&str>) -> String {
        let backing = disk.and_then(|name| self.state().disk(name).map(|record| record.backing.clone()));
        let Some(location) = backing.and_then(|backing| Location::parse(&backing).ok()) else {
            return String::new();
        };
        let shown = location.shown();
        let looking = tokio::task::spawn_blocking(move || location.room());
        match within(ROOM_TIME_MAX, looking).await {
            Ok(Ok(Some(room))) => format!("; {room}"),
            _ => format!("; it is {shown}"),
        }
    }

    /// Looks, as long as the registry is in use.
    pub(crate) async fn watch(registry: Weak<Self>) {
        let mut ticks = tokio::time::interval(LOOK_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut watcher = Watcher::default();
        let mut next_sample = Duration::ZERO;
        loop {
            // The moment that was meant: how soon disks answer would have steps of windows come and go.
            let at = ticks.tick().await.into_std();
            let Some(registry) = registry.upgrade() else { return };
            let at = at.saturating_duration_since(registry.started);
            recording::end_silent();
            let reports = registry.shards.disks_as_far_as_known().await;
            registry.follow_holds(&reports).await;
            if at >= next_sample {
                next_sample = at + SAMPLE_INTERVAL;
                registry.sample(&reports);
            }
            // A shard that does not answer was asked for its disks as well.
            let pool = registry.shards.pool_report().await.ok().map(|report| report.statistics);
            // What stands in for a pool that is missing failed on purpose.
            let is_missing = lock(&registry.pool).missing.is_some();
            let pool_failed = pool.as_ref().map(|pool| pool.failed && !is_missing);
            let pool_lacks_space = pool.map(|pool| pool.lacks_space);
            let (disks, silent) = look_at_all(reports);
            let look = Look { at, disks, silent, pool_failed, pool_lacks_space };
            for mut news in watcher.look(&look) {
                if news.kind == Kind::BackingFull {
                    news.message.push_str(&registry.room_of(news.disk.as_deref()).await);
                }
                events::report(news);
            }
        }
    }
}

/// The disks that answered, and why others did not.
fn look_at_all(
    reports: BTreeMap<String, Answer<DiskReport>>,
) -> (BTreeMap<String, DiskLook>, BTreeMap<String, String>) {
    let (mut disks, mut silent) = (BTreeMap::new(), BTreeMap::new());
    for (name, report) in reports {
        match report {
            Ok(report) => drop(disks.insert(name, look_at(report))),
            Err(problem) => drop(silent.insert(name, problem.message)),
        }
    }
    (disks, silent)
}

fn look_at(report: DiskReport) -> DiskLook {
    let waits = waits(&report);
    let broken_queues = report.broken_queues();
    let DiskReport { attachment, trouble, statistics, .. } = report;
    let counts = &statistics.counts;
    DiskLook {
        attachment,
        trouble: trouble.as_ref().filter(|trouble| !is_full(trouble)).map(|trouble| trouble.reason.clone()),
        full: trouble.filter(is_full).map(|trouble| trouble.reason),
        waits,
        dirty_bytes: statistics.dirty_bytes + statistics.dirty_zeroes_bytes,
        dirty_limit_bytes: statistics.dirty_limit_bytes,
        throttled_ns: counts.throttled_ns,
        checksum_errors: counts.checksum_errors,
        flash_errors: counts.flash_errors,
        backing_errors: counts.backing_errors,
        broken_queues,
        lost_bytes: statistics.lost_bytes,
        segments_uncopied: statistics.segments_uncopied,
        stopped: statistics.stopped,
    }
}

fn is_full(trouble: &Trouble) -> bool {
    trouble.cause == Cause::NoSpace
}

/// What was waited for the backing: what missed, what was destaged, and writes unless flash acknowledges them.
fn waits(report: &DiskReport) -> Waits {
    let DiskReport { settings, statistics, .. } = report;
    let through = (!settings.mode.row().writes_back).then_some(Latency::Write);
    let kinds = [Some(Latency::ReadMiss), Some(Latency::Destage), through].into_iter().flatten();
    let measured = kinds.map(|kind| &statistics.latencies[kind as usize]);
    let bytes = statistics.counts.backing_read_bytes + statistics.counts.backing_write_bytes;
    measured.fold(Waits { bytes, ..Waits::default() }, |sum, measured| Waits {
        requests: sum.requests + measured.count(),
        ns: sum.ns + measured.sum_ns(),
        ..sum
    })
}
