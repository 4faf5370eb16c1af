//! `DIR/holds.json`: the disks that `disk quiesce` keeps clean, and the ends of these holds, across restarts.
//!
//! ```text
//!   quiesce:  the shard holds the disk ── recorded durably, without an end ── answer
//!   clean:    its end is known: recorded          a crash before that holds the disk for the whole time once more
//!   start:    a recorded hold applies from the first request on, for the remaining time
//!   resume, time over, failure, removal:          record removed
//! ```
//! A backup copies the backing meanwhile, so a hold that lasts too long costs speed, and a lost hold costs
//! the backup. The remaining time is measured by the monotonic clock as long as the host was not booted; then
//! by the calendar, and is never more than the requested time, however clocks were changed.

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, SystemTime};

use base::error::Result;
use base::store::format::{self, FileFormat};
use base::store::{Store, StoredFile, StoredValue};
use serde::{Deserialize, Serialize};

/// The longest time of a hold, in seconds.
pub(crate) const SECONDS_MAX: u64 = 24 * 60 * 60;
const FORMAT: FileFormat = FileFormat { name: HoldsDocument::NAMES[0], schema: 2, checked_since: 2 };
/// The most by which an end may differ from the stored one: reports are in whole seconds.
const SAME_END_MS: u64 = 2_000;

/// The holds of this host, by the numbers of their disks.
pub(crate) struct Holds(StoredFile<HoldsDocument>);

/// A hold of one disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Hold {
    /// Requested duration in seconds, from when everything is destaged.
    seconds: u64,
    /// Its end; none until everything is destaged.
    ends: Option<End>,
    /// Number of its request in this process; 0 if it is of an earlier process.
    #[serde(skip)]
    number: u64,
}

/// A time by two clocks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct End {
    /// Milliseconds since 1970.
    calendar_ms: u64,
    /// The boot of the host that `uptime_ms` counts from.
    boot: String,
    /// Milliseconds since then, suspended time included.
    uptime_ms: u64,
}

/// The content of the file.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HoldsDocument {
    schema: u64,
    holds: BTreeMap<u32, Hold>,
}

impl StoredValue for HoldsDocument {
    const NAMES: &'static [&'static str] = &["holds.json"];

    fn text(&self) -> Vec<u8> {
        format::text(self)
    }
}

/// Time for which a disk is to be kept clean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HoldTime {
    /// From when everything is destaged.
    OnceHome(Duration),
    /// From now on.
    Left(Duration),
}

/// The present time by two clocks.
#[derive(Clone, Debug)]
struct Now(End);

impl Now {
    fn of_host() -> Self {
        let uptime = fs::read_to_string("/proc/uptime").unwrap_or_default();
        let uptime = uptime.split(' ').next().and_then(|seconds| seconds.parse::<f64>().ok());
        // Without a monotonic clock, the calendar counts.
        let boot = uptime.and_then(|_| fs::read_to_string("/proc/sys/kernel/random/boot_id").ok());
        let boot = boot.unwrap_or_default();
        Self(End {
            calendar_ms: millis(SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default()),
            boot: boot.trim().to_owned(),
            uptime_ms: millis(Duration::try_from_secs_f64(uptime.unwrap_or(0.0)).unwrap_or_default()),
        })
    }

    fn after(&self, time: Duration) -> End {
        let ms = millis(time);
        let Self(End { calendar_ms, boot, uptime_ms }) = self;
        End { calendar_ms: calendar_ms + ms, boot: boot.clone(), uptime_ms: uptime_ms + ms }
    }
}

impl End {
    fn left(&self, Now(now): &Now) -> Duration {
        let same_boot = self.boot == now.boot && !self.boot.is_empty();
        let (end, now) =
            if same_boot { (self.uptime_ms, now.uptime_ms) } else { (self.calendar_ms, now.calendar_ms) };
        Duration::from_millis(end.saturating_sub(now))
    }
}

impl Hold {
    fn time(&self, now: &Now) -> HoldTime {
        // The file may have more than a request can have.
        let asked = Duration::from_secs(self.seconds.min(SECONDS_MAX));
        match &self.ends {
            None => HoldTime::OnceHome(asked),
            Some(end) => HoldTime::Left(end.left(now).min(asked)),
        }
    }
}

impl Holds {
    /// Reads the file. If it cannot be read, returns the reason as well; then it is renamed.
    pub(crate) fn load(store: &Store) -> (Self, Option<String>) {
        let (found, unread) = FORMAT.load_or_set_aside(store.dir(), |_, document| {
            serde_json::from_value::<Option<HoldsDocument>>(document).map_err(|error| error.to_string())
        });
        let holds = found.map(|found| found.holds).unwrap_or_default();
        (Self(StoredFile::new(store, HoldsDocument { schema: FORMAT.schema, holds })), unread)
    }

    /// Returns the result of `of` for the holds.
    fn read<T>(&self, of: impl FnOnce(&BTreeMap<u32, Hold>) -> T) -> T {
        self.0.read(|document| of(&document.holds))
    }

    /// Returns the remaining time for which a disk is to be kept clean, if it is.
    pub(crate) fn time_of(&self, disk: u32) -> Option<HoldTime> {
        let hold = self.read(|holds| holds.get(&disk).cloned())?;
        Some(hold.time(&Now::of_host()))
    }

    /// Returns true if a disk is to be kept clean.
    pub(crate) fn has(&self, disk: u32) -> bool {
        self.read(|holds| holds.contains_key(&disk))
    }

    /// Returns true if there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.read(BTreeMap::is_empty)
    }

    /// Stores, durably, that a disk is to be kept clean for this many seconds once everything is destaged.
    /// `number` is that of the request.
    ///
    /// # Errors
    /// If it cannot be stored; then the stored holds are as before.
    pub(crate) async fn remember(&self, disk: u32, seconds: u64, number: u64) -> Result<()> {
        self.change(move |kept| drop(kept.insert(disk, Hold { seconds, ends: None, number }))).await
    }

    /// Removes, durably, the hold of a disk, if there is one and it is not of a later request than `number`.
    ///
    /// # Errors
    /// If the change cannot be stored; then a restart holds the disk for the remaining time.
    pub(crate) async fn forget(&self, disk: u32, number: u64) -> Result<()> {
        if !self.has(disk) {
            return Ok(());
        }
        self.change(move |kept| kept.retain(|id, hold| *id != disk || hold.number > number)).await
    }

    /// Stores the end of a disk's hold, as its shard reports it for the request `number`.
    ///
    /// # Errors
    /// If it cannot be stored; then a restart holds the disk for longer.
    pub(crate) async fn note_end(&self, disk: u32, number: u64, left: Duration) -> Result<()> {
        let end = Now::of_host().after(left);
        let is_new = |hold: &Hold| {
            let known = hold.ends.as_ref().map(|known| known.uptime_ms.abs_diff(end.uptime_ms));
            hold.number <= number && known.is_none_or(|apart| apart > SAME_END_MS)
        };
        if !self.read(|holds| holds.get(&disk).is_some_and(is_new)) {
            return Ok(());
        }
        self.change(move |kept| {
            if let Some(hold) = kept.get_mut(&disk).filter(|hold| hold.number <= number) {
                hold.ends = Some(end);
            }
        })
        .await
    }

    async fn change(&self, change: impl FnOnce(&mut BTreeMap<u32, Hold>) + Send + 'static) -> Result<()> {
        let changing = self.0.change(move |document| {
            change(&mut document.holds);
            Ok(())
        });
        changing.await
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use base::testing::{self, TempDir};

    use super::*;

    const HOUR: Duration = Duration::from_hours(1);

    fn now(calendar_s: u64, boot: &str, uptime_s: u64) -> Now {
        Now(End { calendar_ms: calendar_s * 1000, boot: boot.to_owned(), uptime_ms: uptime_s * 1000 })
    }

    fn run(work: impl Future<Output = Result<()>>) {
        testing::run(work).expect("the folder is ours");
    }

    fn load(dir: &TempDir) -> (Holds, Option<String>) {
        Holds::load(&Store::start(dir.path()).expect("there are threads"))
    }

    #[test]
    fn what_is_left_of_a_hold_does_not_follow_a_clock_that_is_set_and_survives_a_reboot() {
        let began = now(1_000_000, "one", 500);
        let hold = Hold { seconds: 3600, ends: Some(began.after(HOUR)), number: 1 };
        let left = |now: Now| match hold.time(&now) {
            HoldTime::Left(left) => left.as_secs(),
            HoldTime::OnceHome(_) => panic!("its end is known"),
        };
        assert_eq!(left(now(1_000_600, "one", 1100)), 3000);
        assert_eq!(left(now(9_000_000, "one", 1100)), 3000, "the clock was set forwards");
        assert_eq!(left(now(0, "one", 1100)), 3000, "the clock was set back");
        assert_eq!(left(now(1_000_600, "two", 20)), 3000, "the host was booted");
        assert_eq!(left(now(0, "two", 20)), 3600, "never more than was asked for");
        assert_eq!(left(now(1_003_600, "two", 20)), 0);
        assert_eq!(left(now(1_000_600, "one", 4100)), 0);
    }

    #[test]
    fn holds_are_found_by_the_next_process_and_last_for_all_of_their_time_until_their_end_is_known() {
        let dir = TempDir::new();
        let (holds, unread) = load(&dir);
        assert!(unread.is_none() && holds.is_empty());
        run(async { holds.remember(7, 600, 3).await });
        let (again, unread) = load(&dir);
        assert_eq!((again.time_of(7), unread), (Some(HoldTime::OnceHome(Duration::from_mins(10))), None));
        run(async { holds.note_end(7, 3, Duration::from_secs(500)).await });
        let (again, _) = load(&dir);
        let left = again.time_of(7);
        assert!(matches!(left, Some(HoldTime::Left(left)) if left <= Duration::from_secs(500)), "{left:?}");
        run(async { again.forget(7, 0).await });
        assert!(load(&dir).0.is_empty());
    }

    #[test]
    fn the_end_of_an_earlier_request_neither_ends_nor_shortens_a_later_one() {
        let dir = TempDir::new();
        let (holds, _) = load(&dir);
        run(async { holds.remember(7, 600, 5).await });
        run(async { holds.note_end(7, 4, Duration::from_secs(1)).await });
        run(async { holds.forget(7, 4).await });
        assert_eq!(holds.time_of(7), Some(HoldTime::OnceHome(Duration::from_mins(10))));
        run(async { holds.forget(7, 5).await });
        assert_eq!(holds.time_of(7), None);
    }

    #[test]
    fn a_hold_of_a_file_that_claims_more_than_a_day_lasts_a_day() {
        let dir = TempDir::new();
        let (holds, _) = load(&dir);
        run(async { holds.remember(7, u64::MAX, 5).await });
        let (again, unread) = load(&dir);
        assert_eq!(unread, None);
        assert_eq!(again.time_of(7), Some(HoldTime::OnceHome(Duration::from_secs(SECONDS_MAX))));
    }

    #[test]
    fn holds_that_cannot_be_read_are_set_aside_and_said() {
        let dir = TempDir::new();
        for text in ["{", "{\"schema\": 3, \"holds\": {}}"] {
            fs::write(dir.path().join(FORMAT.name), text).expect("the folder is ours");
            let (holds, unread) = load(&dir);
            assert!(holds.is_empty() && unread.is_some_and(|reason| reason.contains("holds.json")));
        }
    }
}
