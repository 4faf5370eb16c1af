//! Scrubs by a timer, and the record of the last one in `DIR/learned`, which restarts keep.
//!
//! ```text
//!   last one, or first attachment ── interval ──> due ── backing in trouble, or much to destage? wait ──> scrub ──> recorded
//! ```
//! A lost record costs time only: the next scrub is due an interval later.

use std::path::PathBuf;
use std::pin::pin;
use std::rc::{Rc, Weak};
use std::time::Duration;

use base::blocking_pool::BlockingPool;
use base::bounded;
use base::moment::nanos_since_1970;
use block::Host;
use block::executor::LocalHost;
use futures_util::future::select;
use serde::{Deserialize, Serialize};

use super::disk::Disk;
use super::scrub::{LastScrub, ScrubTimes, begin};
use super::{Shard, learned};

/// Most bytes that a scrub by the timer reads in a second: 16 MiB.
const TIMER_RATE: u64 = 16 << 20;
/// Longest time between two looks at the clock, which may be set, in nanoseconds.
const CHECK_NS: u64 = 60_000_000_000;
/// Shortest time between two.
const CHECK_NS_MIN: u64 = 10_000_000;
/// Time after which a scrub that failed is started again, in nanoseconds, unless the interval is shorter.
const RETRY_NS: u64 = 3_600_000_000_000;
/// Bytes of a larger file are no record.
const RECORD_BYTES_MAX: u64 = 4 << 10;

/// Record of the scrubs of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct ScrubRecord {
    /// Time of the first attachment, in nanoseconds since 1970.
    since: u64,
    last: Option<LastScrub>,
}

impl ScrubRecord {
    /// Returns the time at which the next scrub is due, in nanoseconds since 1970. A clock that was set back does not put it off.
    fn due(&self, interval: Duration, now: u64) -> u64 {
        let last = self.last.map_or(self.since, |last| last.ended_at).min(now);
        last.saturating_add(u64::try_from(interval.as_nanos()).unwrap_or(u64::MAX))
    }
}

impl Shard {
    /// Starts the scrubs of a disk by the timer.
    pub(super) fn keep_scrubbing(&self, name: &str, disk: &Rc<Disk>) {
        let file = self.scrub_file(disk.cached.settings().id.0);
        let (host, name, disk) = (self.host.clone(), name.to_owned(), Rc::downgrade(disk));
        self.host.spawn(file.keep_scrubbing(host, name, disk));
    }

    /// Removes the record of a disk that is gone for good.
    pub(super) async fn forget_scrubs(&self, id: u32) {
        self.scrub_file(id).remove().await;
    }

    fn scrub_file(&self, id: u32) -> ScrubFile {
        ScrubFile { path: self.places.scrubbed(id), blocking: self.blocking.clone() }
    }
}

/// The file with the record of a disk's scrubs.
struct ScrubFile {
    path: PathBuf,
    blocking: BlockingPool,
}

impl ScrubFile {
    /// Removes it, for a disk that is gone for good.
    async fn remove(&self) {
        let path = self.path.clone();
        drop(self.blocking.run(move || std::fs::remove_file(path)).await);
    }

    async fn read(&self) -> Option<ScrubRecord> {
        let path = self.path.clone();
        let bytes = self.blocking.run(move || bounded::read(&path, RECORD_BYTES_MAX)).await.ok()?.ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    async fn write(&self, name: &str, record: &ScrubRecord) {
        let bytes = serde_json::to_vec(record).expect("plain data");
        let path = self.path.clone();
        if let Ok(Err(error)) = self.blocking.run(move || learned::write(&path, &bytes)).await {
            tracing::warn!(
                "Cannot record the last scrub of disk '{name}' in {}: {error}",
                self.path.display()
            );
        }
    }

    /// Scrubs the backing of a disk whenever that is due, and records each scrub, as long as the disk is attached here. Keeps neither the disk nor
    /// its backing meanwhile.
    async fn keep_scrubbing(self, host: LocalHost, name: String, disk: Weak<Disk>) {
        let served = || disk.upgrade().filter(|disk| !disk.leaving.get());
        if !served().is_some_and(|disk| disk.cached.backing().scrub_ability().is_able()) {
            return;
        }
        let known = self.read().await;
        let mut record = known.unwrap_or_else(|| ScrubRecord { since: nanos_since_1970(), last: None });
        let (mut is_saved, mut not_before) = (known.is_some(), 0);
        loop {
            let Some(disk) = served() else { return };
            let ScrubTimes { last, .. } = disk.scrub.times.get();
            if last.is_some() && last != record.last {
                record.last = last;
                is_saved = false;
            }
            let interval = disk.cached.backing().scrub_interval();
            let now = nanos_since_1970();
            let next_at = interval.map(|interval| record.due(interval, now));
            disk.scrub.times.set(ScrubTimes { last: record.last, next_at });
            let is_due = next_at.is_some_and(|next_at| next_at <= now) && host.now() >= not_before;
            if is_due && !is_busy(&disk) {
                let interval = interval.map_or(RETRY_NS, |interval| interval.as_nanos() as u64);
                not_before = host.now() + RETRY_NS.min(interval);
                begin(&name, &disk, &host, TIMER_RATE);
            }
            let ended = Rc::clone(&disk.scrub.ended);
            drop(disk);
            if !is_saved {
                is_saved = true;
                self.write(&name, &record).await;
                continue;
            }
            let left = next_at.map_or(CHECK_NS, |next_at| next_at.saturating_sub(now));
            let nap = host.sleep(left.clamp(CHECK_NS_MIN, CHECK_NS));
            select(pin!(ended.notified()), pin!(nap)).await;
        }
    }
}

/// Returns true if a scrub would be in the way: the backing fails, or takes less than guests write.
fn is_busy(disk: &Disk) -> bool {
    let statistics = disk.cached.statistics();
    let is_behind = statistics.dirty_bytes > statistics.dirty_limit_bytes / 2;
    disk.cached.backing().trouble().is_some() || is_behind
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scrub_is_due_an_interval_after_the_last_one_or_the_first_attachment_whatever_the_clock_does() {
        let interval = Duration::from_secs(1_000);
        let step = interval.as_nanos() as u64;
        let new = ScrubRecord { since: 100, last: None };
        assert_eq!(new.due(interval, 200), 100 + step);
        let last = LastScrub { ended_at: 5 * step, stored_bytes: 1, damaged_bytes: 0 };
        let scrubbed = ScrubRecord { last: Some(last), ..new };
        assert_eq!(scrubbed.due(interval, 5 * step + 7), 6 * step);
        assert_eq!(scrubbed.due(interval, 2 * step), 3 * step, "the clock was set back");
        let text = serde_json::to_vec(&scrubbed).expect("plain data");
        assert_eq!(serde_json::from_slice::<ScrubRecord>(&text).ok(), Some(scrubbed));
    }
}
