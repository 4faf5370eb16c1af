//! Polls disks and pool every second, for all consumers: windows of time and history, every few seconds,
//! events from reports, devices that left the pool, sockets. Starts checks of backings. Ends abandoned
//! recordings.
//!
//! As long as no shard does anything, none is asked except for samples of its disks: the last report holds. A
//! shard that does not answer delays no other, and its counts are in the window in which it answers again.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use base::error::Result;
use base::patience::within;
use block::patient::{Cause, Trouble};
use cache::Latency;
use telemetry::events::Waits;
use telemetry::events::watcher::{DiskSnapshot, WatchSnapshot, Watcher};
use telemetry::events::{self, Kind};
use telemetry::series::SAMPLE_INTERVAL;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use super::{Registry, lock};
use crate::backing::Location;
use crate::door::DoorSocket;
use crate::recording;
use crate::shard::{DiskReport, HostReport, ReportMoment, failure_of};

/// Time that a file system has to report its free space.
const ROOM_TIME_MAX: Duration = Duration::from_secs(2);
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Time between checks of backings.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);
/// Time between probes of object stores. Each transfers about 16 MiB.
const PROBE_INTERVAL: Duration = Duration::from_hours(1);

impl Registry {
    /// Returns the free space below a disk, for the end of a message; an empty text if its file system does
    /// not report it.
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

    /// Polls as long as the registry is in use.
    pub(crate) async fn watch(registry: Weak<Self>) {
        let Some(mut ticks) = registry.upgrade().map(|registry| registry.ticks(POLL_INTERVAL)) else {
            return;
        };
        let (mut watcher, mut look, mut last) =
            (Watcher::default(), WatchSnapshot::default(), LastReport::default());
        let mut next_sample = Duration::ZERO;
        loop {
            // The intended time: with the time of the answer, steps of windows would appear and vanish.
            let at = ticks.tick().await.into_std();
            let Some(registry) = registry.upgrade() else { return };
            look.at = at.saturating_duration_since(registry.started);
            recording::end_silent();
            let is_sampled = look.at >= next_sample;
            if is_sampled {
                next_sample = look.at + SAMPLE_INTERVAL;
            }
            if is_sampled || registry.may_have_changed(&last) {
                last = registry.take_report(&mut look, is_sampled).await;
            }
            for mut news in watcher.look(&look) {
                if news.kind == Kind::BackingFull {
                    news.message.push_str(&registry.room_of(news.disk.as_deref()).await);
                }
                events::report(news);
            }
        }
    }

    /// Returns true if a report may differ from the last one.
    fn may_have_changed(&self, last: &LastReport) -> bool {
        // The report has the remaining time of a hold.
        last.is_device_leaving || !self.holds.is_empty() || !self.shards.have_rested_since(&last.moment)
    }

    /// Asks all shards once, and passes their reports to the consumers.
    async fn take_report(&self, look: &mut WatchSnapshot, is_sampled: bool) -> LastReport {
        let HostReport { disks, pool, moment } = self.shards.report().await;
        self.follow_holds(&disks).await;
        if is_sampled {
            self.sample(&disks);
        }
        // A shard that does not answer was asked for its disks as well.
        let pool = pool.map(|report| report.statistics);
        let is_device_leaving = pool.as_ref().is_some_and(|pool| self.note_devices(pool));
        // The placeholder of a missing pool failed on purpose.
        let is_missing = lock(&self.pool).missing.is_some();
        look.pool_failed = pool.as_ref().map(|pool| pool.failed && !is_missing);
        look.pool_lacks_space = pool.map(|pool| pool.lacks_space);
        let sockets;
        (look.disks, look.silent, sockets) = observe_all(disks);
        *lock(&self.sockets) = Arc::new(sockets);
        LastReport { moment, is_device_leaving }
    }

    /// Starts checks of the backings of all disks every few seconds, as long as the registry is in use.
    pub(crate) async fn watch_backings(registry: Weak<Self>) {
        let Some(mut ticks) = registry.upgrade().map(|registry| registry.ticks(CHECK_INTERVAL)) else {
            return;
        };
        loop {
            ticks.tick().await;
            let Some(shards) = registry.upgrade().map(|registry| registry.shards.clone()) else { return };
            // In a task of its own: failure to create a thread is a panic, and the next pass tries again.
            drop(tokio::spawn(async move { shards.check_backings().await }).await);
        }
    }

    /// Probes the object stores of volumes each hour, as long as the registry is in use.
    pub(crate) async fn watch_stores(registry: Weak<Self>) {
        let Some(mut ticks) = registry.upgrade().map(|registry| registry.ticks(PROBE_INTERVAL)) else {
            return;
        };
        loop {
            ticks.tick().await;
            let Some(stores) = registry.upgrade().map(|registry| registry.places().stores.clone()) else {
                return;
            };
            stores.probe_again().await;
        }
    }

    /// Returns ticks of a period, which coincide with those of other periods where they can.
    pub(super) fn ticks(&self, period: Duration) -> Interval {
        let mut ticks = interval_at(Instant::from_std(self.started) + period, period);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        ticks
    }
}

/// State of the last report.
#[derive(Default)]
struct LastReport {
    moment: ReportMoment,
    /// True if a device of the pool has left and its record is still to be removed.
    is_device_leaving: bool,
}

/// The sockets of disks, by their names.
pub(super) type Sockets = Vec<(String, Vec<DoorSocket>)>;

/// Returns the disks that answered, the reasons for which others did not, and the sockets of the former.
fn observe_all(
    reports: BTreeMap<String, Result<DiskReport>>,
) -> (BTreeMap<String, DiskSnapshot>, BTreeMap<String, String>, Sockets) {
    let (mut disks, mut silent, mut sockets) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
    for (name, report) in reports {
        match report {
            Ok(mut report) => {
                let doors = std::mem::take(&mut report.doors);
                let broken_queues = doors.iter().map(|door| door.counters.broken_queues).sum();
                sockets.push((name.clone(), doors.into_iter().map(|door| door.socket).collect()));
                disks.insert(name, DiskSnapshot { broken_queues, ..observe_disk(report) });
            }
            Err(problem) => drop(silent.insert(name, problem.message)),
        }
    }
    (disks, silent, sockets)
}

fn observe_disk(report: DiskReport) -> DiskSnapshot {
    let waits = waits(&report);
    let DiskReport { attachment, lost, trouble, statistics, consistency, details, .. } = report;
    let counts = &statistics.counts;
    DiskSnapshot {
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
        lost_bytes: statistics.lost_bytes,
        segments_uncopied: statistics.segments_uncopied,
        ring_failure: consistency
            .filter(|(_, ring)| ring.is_some())
            .and_then(|(state, _)| failure_of(&state)),
        stopped: statistics.stopped,
        fenced: lost,
        backing_warnings: details.warnings.into_iter().map(|warning| (warning.name, warning.text)).collect(),
        ..DiskSnapshot::default()
    }
}

fn is_full(trouble: &Trouble) -> bool {
    trouble.cause == Cause::NoSpace
}

/// Returns the waits for the backing: misses, destage, and writes unless flash acknowledges them.
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
