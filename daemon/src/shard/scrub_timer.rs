//! Scrubs by a timer, and the record of the last one in `DIR/learned`, which restarts keep.
//!
//! ```text
//!   last one, or first attachment ── interval ──> due ── backing in trouble, much to destage, or another scrub? wait ──> scrub ──> recorded
//! ```
//! A lost record costs time only: the next scrub is due an interval later.

use std::cell::RefCell;
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
use super::scrub::{LastScrub, ScrubEnd, ScrubTimes, begin};
use super::{Shard, learned};

/// Most bytes that a scrub by the timer reads in a second: 16 MiB.
const TIMER_RATE: u64 = 16 << 20;
/// Longest time between two looks at the clock, which may be set, in nanoseconds.
const CHECK_NS: u64 = 60_000_000_000;
/// Shortest time between two.
const CHECK_NS_MIN: u64 = 10_000_000;
/// Time after an attachment without scrubs, in nanoseconds, unless the interval is shorter: hosts have much to read then.
const START_NS: u64 = 600_000_000_000;
/// Time between the end of a scrub that failed and the next one, in nanoseconds, unless the interval is shorter. Each further failure doubles
/// it, because a scrub begins with the first object.
const RETRY_NS: u64 = 3_600_000_000_000;
/// Longest such time, and the time after a scrub that was stopped.
const RETRY_NS_MAX: u64 = 24 * RETRY_NS;
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
    /// Returns the time at which the next scrub of the disk with this number is due, in nanoseconds since 1970. The first one is due within the
    /// second half of an interval, because many disks may be attached at once.
    fn due(&self, interval: u64, id: u32) -> u64 {
        let wait = match self.last {
            Some(_) => interval,
            None => interval / 2 + ((u128::from(interval / 2) * u128::from(spread(id))) >> 32) as u64,
        };
        self.last.map_or(self.since, |last| last.ended_at).saturating_add(wait)
    }

    /// Sets a time that is ahead of `now` to it: the clock was ahead when it was recorded. Returns true if there was one. Its scrub is
    /// then due an interval from now.
    fn bring_back(&mut self, now: u64) -> bool {
        let recorded = self.last.as_mut().map_or(&mut self.since, |last| &mut last.ended_at);
        let is_ahead = *recorded > now;
        *recorded = now.min(*recorded);
        is_ahead
    }
}

/// Returns a number below 2^32 that is spread evenly over those of disks, which count from 1: Knuth's multiplicative hash.
fn spread(id: u32) -> u32 {
    id.wrapping_mul(0x9E37_79B9)
}

/// Time before which no scrub by the timer begins, and the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ScrubPause {
    /// Time of the shard, in nanoseconds.
    until: u64,
    reason: &'static str,
    /// Scrubs that failed one after another.
    failures: u32,
}

impl ScrubPause {
    /// Begins with the attachment.
    fn new(now: u64, interval: u64) -> Self {
        let until = now.saturating_add(START_NS.min(interval));
        Self { until, reason: "the disk was attached a short time ago", failures: 0 }
    }

    /// Returns the pause after the end of a scrub.
    fn after(self, end: ScrubEnd, now: u64, interval: u64) -> Self {
        let (failures, wait, reason) = match end {
            ScrubEnd::Done => (0, 0, ""),
            ScrubEnd::Stopped => (self.failures, RETRY_NS_MAX, "the last one was stopped"),
            ScrubEnd::Failed => {
                let wait = RETRY_NS.saturating_mul(1 << self.failures.min(16)).min(RETRY_NS_MAX);
                (self.failures.saturating_add(1), wait, "the last one failed")
            }
        };
        Self { until: now.saturating_add(wait.min(interval)), reason, failures }
    }
}

/// The disk of a shard that the timer scrubbed last: one at a time is scrubbed.
#[derive(Clone, Default)]
pub(super) struct ScrubTurn(Rc<RefCell<Weak<Disk>>>);

impl ScrubTurn {
    fn is_taken(&self) -> bool {
        self.0.borrow().upgrade().is_some_and(|disk| disk.scrub.is_running())
    }

    fn take(&self, disk: &Rc<Disk>) {
        self.0.replace(Rc::downgrade(disk));
    }
}

impl Shard {
    /// Starts the scrubs of a disk by the timer.
    pub(super) fn keep_scrubbing(&self, name: &str, disk: &Rc<Disk>) {
        let id = disk.cached.settings().id.0;
        let timer = ScrubTimer {
            file: self.scrub_file(id),
            host: self.host.clone(),
            name: name.to_owned(),
            id,
            turn: self.timed_scrub.clone(),
        };
        self.host.spawn(timer.run(Rc::downgrade(disk)));
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
}

/// The timer of a disk.
struct ScrubTimer {
    file: ScrubFile,
    host: LocalHost,
    name: String,
    id: u32,
    turn: ScrubTurn,
}

impl ScrubTimer {
    /// Scrubs the backing of a disk whenever that is due, and records each scrub, as long as the disk is attached here. Keeps neither the disk nor
    /// its backing meanwhile.
    async fn run(self, disk: Weak<Disk>) {
        let served = || disk.upgrade().filter(|disk| !disk.leaving.get());
        let interval_of = |disk: &Disk| disk.cached.backing().scrub_interval().map(nanos);
        let Some(first) = served().filter(|disk| disk.cached.backing().scrub_ability().is_able()) else {
            return;
        };
        let mut pause = ScrubPause::new(self.host.now(), interval_of(&first).unwrap_or(u64::MAX));
        drop(first);
        let known = self.file.read().await;
        let mut record = known.unwrap_or_else(|| ScrubRecord { since: nanos_since_1970(), last: None });
        let mut is_saved = known.is_some();
        loop {
            let Some(disk) = served() else { return };
            let interval = interval_of(&disk);
            if let Some(end) = disk.scrub.end.take() {
                pause = pause.after(end, self.host.now(), interval.unwrap_or(u64::MAX));
            }
            let ScrubTimes { last, .. } = disk.scrub.times.get();
            if last.is_some() && last != record.last {
                record.last = last;
                is_saved = false;
            }
            let now = nanos_since_1970();
            is_saved &= !record.bring_back(now);
            let next_at = interval.map(|interval| record.due(interval, self.id));
            let is_due = next_at.is_some_and(|next_at| next_at <= now) && !disk.scrub.is_running();
            let waits = is_due.then(|| self.hindrance(&disk, &pause)).flatten();
            if is_due && waits.is_none() {
                self.turn.take(&disk);
                begin(&self.name, &disk, &self.host, TIMER_RATE);
            }
            disk.scrub.times.set(ScrubTimes { last: record.last, next_at, waits });
            let (is_running, ended) = (disk.scrub.is_running(), Rc::clone(&disk.scrub.ended));
            drop(disk);
            if !is_saved {
                is_saved = true;
                self.file.write(&self.name, &record).await;
                // It may have ended meanwhile.
                continue;
            }
            if is_running {
                ended.notified().await;
                continue;
            }
            let left = match next_at {
                // What it waits for may end at any time.
                Some(_) if is_due => {
                    let paused = pause.until.saturating_sub(self.host.now());
                    if paused > 0 { paused } else { interval.unwrap_or(CHECK_NS) }
                }
                Some(next_at) => next_at.saturating_sub(now),
                None => CHECK_NS,
            };
            let nap = self.host.sleep(left.clamp(CHECK_NS_MIN, CHECK_NS));
            select(pin!(ended.notified()), pin!(nap)).await;
        }
    }

    /// Returns the reason why a scrub that is due has to wait.
    fn hindrance(&self, disk: &Disk, pause: &ScrubPause) -> Option<&'static str> {
        if self.host.now() < pause.until {
            Some(pause.reason)
        } else if is_busy(disk) {
            Some("the store fails, or takes less than guests write")
        } else {
            self.turn.is_taken().then_some("another disk is being scrubbed")
        }
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
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

    const STEP: u64 = 1_000_000_000_000;

    fn record(since: u64, ended_at: Option<u64>) -> ScrubRecord {
        let last = |ended_at| LastScrub { ended_at, stored_bytes: 1, damaged_bytes: 0, repaired_bytes: 0 };
        ScrubRecord { since, last: ended_at.map(last) }
    }

    #[test]
    fn a_scrub_is_due_an_interval_after_the_last_one() {
        let scrubbed = record(100, Some(5 * STEP));
        assert_eq!(scrubbed.due(STEP, 1), 6 * STEP);
        assert_eq!(scrubbed.due(u64::MAX, 1), u64::MAX);
        let text = serde_json::to_vec(&scrubbed).expect("plain data");
        assert_eq!(serde_json::from_slice::<ScrubRecord>(&text).ok(), Some(scrubbed));
        let older = br#"{"since":100,"last":{"ended_at":5000000000000,"stored_bytes":1,"damaged_bytes":0}}"#;
        assert_eq!(
            serde_json::from_slice::<ScrubRecord>(older).ok(),
            Some(scrubbed),
            "without repaired bytes"
        );
    }

    #[test]
    fn the_first_scrubs_of_disks_are_spread_over_half_an_interval() {
        let mut due: Vec<u64> = (1..=16).map(|id| record(100, None).due(STEP, id) - 100).collect();
        due.sort_unstable();
        assert!(due[0] >= STEP / 2 && due[15] <= STEP, "{due:?}");
        assert!(due.windows(2).all(|two| two[1] - two[0] >= STEP / 64), "{due:?}");
    }

    #[test]
    fn a_clock_that_was_ahead_puts_a_scrub_off_by_one_interval_at_most() {
        for ahead in [record(90 * STEP, None), record(0, Some(90 * STEP))] {
            let mut record = ahead;
            assert!(record.bring_back(2 * STEP), "the clock was set back");
            let mut now = 2 * STEP;
            while record.due(STEP, 1) > now {
                now += STEP / 10;
                assert!(!record.bring_back(now), "once");
            }
            assert!(now <= 3 * STEP, "{now}");
        }
        assert!(!record(STEP, Some(2 * STEP)).bring_back(2 * STEP));
    }

    #[test]
    fn a_scrub_that_fails_or_was_stopped_leaves_the_store_alone_for_a_while() {
        let week = 7 * RETRY_NS_MAX;
        let mut pause = ScrubPause::new(5, week);
        assert_eq!(pause.until, 5 + START_NS);
        for hours in [1, 2, 4, 8, 16, 24, 24] {
            pause = pause.after(ScrubEnd::Failed, STEP, week);
            assert_eq!(pause.until, STEP + hours * RETRY_NS);
        }
        pause = pause.after(ScrubEnd::Done, STEP, week);
        assert_eq!(pause, ScrubPause { until: STEP, reason: "", failures: 0 });
        assert_eq!(pause.after(ScrubEnd::Stopped, STEP, week).until, STEP + RETRY_NS_MAX);
        assert_eq!(pause.after(ScrubEnd::Failed, STEP, 7).until, STEP + 7, "the interval is shorter");
    }
}
