//! Events that show only as a difference between two snapshots of the statistics: a backing that begins to fail or becomes slow, counted
//! errors, writers that are throttled for long.
//!
//! Pure: snapshots and the time are input, events are output. An event that repeats is reported once an hour with its number, and a
//! condition that may be transient once it has lasted.

use std::collections::BTreeMap;
use std::time::Duration;

use base::units::Size;

use super::slowness::{ConditionChange, Flapping, Pace, Slowness, Waits};
use super::{Kind, News};

/// Interval between reports of an error that repeats.
const REPEAT_INTERVAL: Duration = Duration::from_hours(1);
/// Time for which writers are throttled before that is reported.
const BEHIND_TIME: Duration = Duration::from_secs(30);
/// Length of a pause in the throttling that does not count as its end.
const BREATH: Duration = Duration::from_secs(10);
/// Time for which second copies may be missing: those of the newest writes always are.
const ONE_COPY_TIME: Duration = Duration::from_secs(5);
/// Time for which no group may reach a redo ring before that is reported.
const RING_TIME: Duration = Duration::from_secs(10);

/// Time for which a condition of a backing lasts before that is reported.
const WARNING_TIME: Duration = Duration::from_secs(10);

/// Snapshot of a disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiskSnapshot {
    /// Number of the attachment; counters begin at zero with each.
    pub attachment: u64,
    /// Failure of its backing.
    pub trouble: Option<String>,
    /// Reason why the backing has no room for writes.
    pub full: Option<String>,
    /// Waiting times of its backing.
    pub waits: Waits,
    /// Reason why the disk answers with errors only.
    pub stopped: Option<String>,
    /// Reason why it is lost to this host, if another one took over its backing.
    pub fenced: Option<String>,
    /// Bytes that are dirty.
    pub dirty_bytes: u64,
    /// Dirty limit in bytes.
    pub dirty_limit_bytes: u64,
    /// Time for which writers were throttled, in nanoseconds.
    pub throttled_ns: u64,
    /// Pages of flash with a wrong checksum.
    pub checksum_errors: u64,
    /// Failed requests to flash.
    pub flash_errors: u64,
    /// Failed requests to the backing.
    pub backing_errors: u64,
    /// Queues of guests that are no longer served.
    pub broken_queues: u64,
    /// Bytes lost before they were destaged.
    pub lost_bytes: u64,
    /// Segments that should have two copies and have one.
    pub segments_uncopied: u64,
    /// Reason why no group reaches its redo ring.
    pub ring_failure: Option<String>,
    /// Conditions of its backing that need attention: sentences by names.
    pub backing_warnings: BTreeMap<&'static str, String>,
}

/// Snapshot of all disks. Disks that are not served are not in it.
#[derive(Clone, Debug, Default)]
pub struct WatchSnapshot {
    /// Time since an arbitrary moment, the same for all snapshots.
    pub at: Duration,
    /// Disks by their names.
    pub disks: BTreeMap<String, DiskSnapshot>,
    /// Disks whose shard did not answer, with the message to report.
    pub silent: BTreeMap<String, String>,
    /// True if all of the flash failed; none if the shard that knows it did not answer.
    pub pool_failed: Option<bool>,
    /// True if the storage of the pool has no room for a write; none if the shard that knows it did not answer.
    pub pool_lacks_space: Option<bool>,
}

/// Detector of events, with the last snapshot and the reports made.
#[derive(Debug, Default)]
pub struct Watcher {
    disks: BTreeMap<String, WatchedDisk>,
    silent: Option<String>,
    pool_failed: bool,
    pool_lacks_space: bool,
}

/// Memory of a disk.
#[derive(Debug, Default)]
struct WatchedDisk {
    last: DiskSnapshot,
    trouble: Flapping,
    full: Flapping,
    slowness: Slowness,
    checksum_errors: Repeating,
    flash_errors: Repeating,
    backing_errors: Repeating,
    broken_queues: Repeating,
    behind: Lasting,
    one_copy: Lasting,
    ring: Lasting,
    backing_warnings: BTreeMap<&'static str, Lasting>,
}

/// Counter whose rises are reported.
#[derive(Debug, Default)]
struct Repeating {
    told_at: Option<Duration>,
    untold: u64,
}

impl Repeating {
    /// Returns the number of occurrences to report now.
    fn count(&mut self, now: Duration, more: u64) -> Option<u64> {
        self.untold += more;
        let is_time = self.told_at.is_none_or(|told| now >= told + REPEAT_INTERVAL);
        if self.untold == 0 || !is_time {
            return None;
        }
        self.told_at = Some(now);
        Some(std::mem::take(&mut self.untold))
    }
}

/// Condition that is reported once it has lasted, and when it is over.
#[derive(Debug, Default)]
struct Lasting {
    since: Option<Duration>,
    seen_at: Duration,
    is_told: bool,
}

/// Change of the condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    None,
    Lasts,
    IsOver,
}

impl Lasting {
    /// Takes the present state of the condition. A pause shorter than `breath` does not count.
    fn see(&mut self, now: Duration, is_so: bool, time: Duration, breath: Duration) -> Turn {
        if is_so {
            let since = *self.since.get_or_insert(now);
            self.seen_at = now;
            if !self.is_told && now >= since + time {
                self.is_told = true;
                return Turn::Lasts;
            }
        } else if self.since.is_some() && now >= self.seen_at + breath {
            self.since = None;
            if std::mem::take(&mut self.is_told) {
                return Turn::IsOver;
            }
        }
        Turn::None
    }
}

impl Watcher {
    /// Takes a snapshot, and returns the new events.
    pub fn look(&mut self, look: &WatchSnapshot) -> Vec<News> {
        let mut news = Vec::new();
        self.look_at_shards(look, &mut news);
        let pool_failed = look.pool_failed.unwrap_or(self.pool_failed);
        if pool_failed && !self.pool_failed {
            news.push(failed_pool());
            let dirty = look.disks.iter().filter(|(_, disk)| disk.dirty_bytes > 0);
            news.extend(dirty.map(|(name, disk)| at_risk(name, disk.dirty_bytes)));
        }
        self.pool_failed = pool_failed;
        self.look_at_space(look, &mut news);
        for (name, disk) in &look.disks {
            let watched = self.disks.entry(name.clone()).or_default();
            watched.look(name, look.at, disk, &mut news);
        }
        self.disks.retain(|name, _| look.disks.contains_key(name) || look.silent.contains_key(name));
        news
    }

    fn look_at_space(&mut self, look: &WatchSnapshot, news: &mut Vec<News>) {
        let lacks_space = look.pool_lacks_space.unwrap_or(self.pool_lacks_space);
        match (self.pool_lacks_space, lacks_space) {
            (false, true) => news.push(of_host(
                Kind::PoolNoSpace,
                "The storage of the pool has no room for a write (its file system, thin volume or quota is full): writes to flash wait \
                 until there is. Make room there",
            )),
            (true, false) => {
                news.push(of_host(Kind::PoolHasSpace, "The storage of the pool has room again"));
            }
            _ => {}
        }
        self.pool_lacks_space = lacks_space;
    }

    fn look_at_shards(&mut self, look: &WatchSnapshot, news: &mut Vec<News>) {
        let silent = look.silent.iter().next();
        match (&self.silent, silent) {
            (None, Some((name, message))) => {
                news.push(of_disk(Kind::ShardUnresponsive, name, message.clone()));
                self.silent = Some(name.clone());
            }
            (Some(before), None) => {
                let message = "The shard that did not answer does so again".to_owned();
                news.push(of_disk(Kind::ShardAnswers, before, message));
                self.silent = None;
            }
            _ => {}
        }
    }
}

impl WatchedDisk {
    fn look(&mut self, name: &str, now: Duration, disk: &DiskSnapshot, news: &mut Vec<News>) {
        if disk.attachment != self.last.attachment {
            self.last = DiskSnapshot { attachment: disk.attachment, ..DiskSnapshot::default() };
        }
        news.extend(self.backing(name, now, disk));
        news.extend(self.room(name, now, disk));
        news.extend(self.pace(name, now, disk));
        if let Some(reason) = &disk.fenced {
            // It stopped for that.
            if self.last.fenced.is_none() {
                let dirty = Size(disk.dirty_bytes);
                let message = format!(
                    "Disk '{name}' answers nothing but errors, with {dirty} of dirty data. The backing is lost to this host: {reason}"
                );
                news.push(of_disk(Kind::DiskFenced, name, message));
            }
        } else if let Some(reason) = disk.stopped.as_ref().filter(|_| self.last.stopped.is_none()) {
            news.push(of_disk(Kind::DiskStopped, name, format!("Disk '{name}' stopped: {reason}")));
        }
        self.errors(name, now, disk, news);
        let lost = disk.lost_bytes.saturating_sub(self.last.lost_bytes);
        if lost > 0 {
            let (lost, all) = (Size(lost), Size(disk.lost_bytes));
            let message =
                format!("{lost} of disk '{name}' are lost: flash does not give them back, {all} in all");
            news.push(of_disk(Kind::DataLost, name, message));
        }
        news.extend(self.destage(name, now, disk));
        news.extend(self.copies(name, now, disk));
        news.extend(self.consistency(name, now, disk));
        self.warnings(name, now, disk, news);
        self.last = disk.clone();
    }

    fn backing(&mut self, name: &str, now: Duration, disk: &DiskSnapshot) -> Option<News> {
        match self.trouble.see(now, disk.trouble.is_some()) {
            ConditionChange::None => None,
            ConditionChange::Began => {
                let reason = disk.trouble.as_deref().unwrap_or_default();
                let message = format!("The backing of disk '{name}' fails: {reason}");
                Some(of_disk(Kind::BackingFailing, name, message))
            }
            ConditionChange::Over => {
                Some(of_disk(Kind::BackingBack, name, format!("The backing of disk '{name}' works again")))
            }
        }
    }

    fn room(&mut self, name: &str, now: Duration, disk: &DiskSnapshot) -> Option<News> {
        match self.full.see(now, disk.full.is_some()) {
            ConditionChange::None => None,
            ConditionChange::Began => {
                let reason = disk.full.as_deref().unwrap_or_default();
                let message = format!("The backing of disk '{name}' has no room: {reason}");
                Some(of_disk(Kind::BackingFull, name, message))
            }
            ConditionChange::Over => {
                let message = format!("The backing of disk '{name}' accepts writes again");
                Some(of_disk(Kind::BackingHasRoom, name, message))
            }
        }
    }

    fn pace(&mut self, name: &str, now: Duration, disk: &DiskSnapshot) -> Option<News> {
        match self.slowness.see(now, disk.waits) {
            Pace::Same => None,
            Pace::Slow { millis, over, usual } => {
                let usual = usual.map(|usual| format!(", {usual:.1} ms was usual")).unwrap_or_default();
                let message = format!(
                    "The backing of disk '{name}' is slow: a request took {millis:.0} ms in the last {} s{usual}",
                    over.as_secs()
                );
                Some(of_disk(Kind::BackingSlow, name, message))
            }
            Pace::AsUsual { millis } => {
                let message = format!(
                    "The backing of disk '{name}' is not slow any more: a request takes {millis:.1} ms"
                );
                Some(of_disk(Kind::BackingAsUsual, name, message))
            }
        }
    }

    fn errors(&mut self, name: &str, now: Duration, disk: &DiskSnapshot, news: &mut Vec<News>) {
        let Self { last, checksum_errors, flash_errors, backing_errors, broken_queues, .. } = self;
        let more = |now: u64, before: u64| now.saturating_sub(before);
        let counted = checksum_errors.count(now, more(disk.checksum_errors, last.checksum_errors));
        news.extend(counted.map(|count| {
            let message =
                format!("{count} pages of disk '{name}' came back from flash with a wrong checksum");
            of_disk(Kind::ChecksumErrors, name, message)
        }));
        let counted = flash_errors.count(now, more(disk.flash_errors, last.flash_errors));
        news.extend(counted.map(|count| {
            of_disk(Kind::FlashErrors, name, format!("Flash failed {count} requests for disk '{name}'"))
        }));
        // A backing without room does not fail; that it has none is an event of its own.
        let is_full = disk.full.is_some() || last.full.is_some();
        let more_errors = if is_full { 0 } else { more(disk.backing_errors, last.backing_errors) };
        let counted = backing_errors.count(now, more_errors);
        news.extend(counted.map(|count| {
            let message = format!("The backing of disk '{name}' failed {count} requests");
            of_disk(Kind::BackingErrors, name, message)
        }));
        let counted = broken_queues.count(now, more(disk.broken_queues, last.broken_queues));
        news.extend(counted.map(|count| {
            let message = format!(
                "A guest of disk '{name}' waits for ever: {count} of its queues are not served any more; the log says why"
            );
            of_disk(Kind::QueueBroken, name, message)
        }));
    }

    fn destage(&mut self, name: &str, now: Duration, disk: &DiskSnapshot) -> Option<News> {
        let is_behind = disk.throttled_ns > self.last.throttled_ns;
        match self.behind.see(now, is_behind, BEHIND_TIME, BREATH) {
            Turn::None => None,
            Turn::Lasts => {
                let (dirty, limit) = (Size(disk.dirty_bytes), Size(disk.dirty_limit_bytes));
                let message = format!(
                    "Destage of disk '{name}' is behind: {dirty} of {limit} are dirty, and writers are held back since {} s",
                    BEHIND_TIME.as_secs()
                );
                Some(of_disk(Kind::DestageBehind, name, message))
            }
            Turn::IsOver => {
                let message = format!("Writers of disk '{name}' are not held back any more");
                Some(of_disk(Kind::DestageCaughtUp, name, message))
            }
        }
    }

    fn copies(&mut self, name: &str, now: Duration, disk: &DiskSnapshot) -> Option<News> {
        match self.one_copy.see(now, disk.segments_uncopied > 0, ONE_COPY_TIME, Duration::ZERO) {
            Turn::None => None,
            Turn::Lasts => {
                let message = format!(
                    "{} segments of disk '{name}' are on one device only, and were to be on two",
                    disk.segments_uncopied
                );
                Some(of_disk(Kind::OneCopyOnly, name, message))
            }
            Turn::IsOver => {
                let message = format!("Disk '{name}' has all its second copies");
                Some(of_disk(Kind::SecondCopiesComplete, name, message))
            }
        }
    }

    fn warnings(&mut self, name: &str, now: Duration, disk: &DiskSnapshot, news: &mut Vec<News>) {
        for condition in disk.backing_warnings.keys() {
            self.backing_warnings.entry(condition).or_default();
        }
        for (condition, lasting) in &mut self.backing_warnings {
            let text = disk.backing_warnings.get(condition);
            match lasting.see(now, text.is_some(), WARNING_TIME, BREATH) {
                Turn::None => {}
                Turn::Lasts => {
                    let text = text.map_or("", String::as_str);
                    let message =
                        format!("The backing of disk '{name}' needs attention ({condition}): {text}");
                    news.push(of_disk(Kind::BackingWarning, name, message));
                }
                Turn::IsOver => {
                    let message =
                        format!("The backing of disk '{name}' needs no attention any more ({condition})");
                    news.push(of_disk(Kind::BackingWarningOver, name, message));
                }
            }
        }
    }

    fn consistency(&mut self, name: &str, now: Duration, disk: &DiskSnapshot) -> Option<News> {
        match self.ring.see(now, disk.ring_failure.is_some(), RING_TIME, Duration::ZERO) {
            Turn::None => None,
            Turn::Lasts => {
                let reason = disk.ring_failure.as_deref().unwrap_or_default();
                let message = format!(
                    "No group of disk '{name}' has reached its redo ring for {} s: {reason}",
                    RING_TIME.as_secs()
                );
                Some(of_disk(Kind::ConsistentStuck, name, message))
            }
            Turn::IsOver => {
                let message = format!("Groups of disk '{name}' reach its redo ring again");
                Some(of_disk(Kind::ConsistentAgain, name, message))
            }
        }
    }
}

fn of_disk(kind: Kind, name: &str, message: String) -> News {
    News { kind, disk: Some(name.to_owned()), message }
}

fn of_host(kind: Kind, message: &str) -> News {
    News { kind, disk: None, message: message.to_owned() }
}

fn failed_pool() -> News {
    let message = "The flash failed. Disks go on without it".to_owned();
    News { kind: Kind::PoolFailed, disk: None, message }
}

fn at_risk(name: &str, dirty_bytes: u64) -> News {
    let message = format!(
        "The flash failed while it had {} of disk '{name}' that the backing does not have",
        Size(dirty_bytes)
    );
    of_disk(Kind::DirtyAtRisk, name, message)
}

#[cfg(test)]
#[path = "watcher_tests.rs"]
mod tests;
