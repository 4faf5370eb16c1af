//! Totals of a disk: what it counted since it was added, across restarts of the daemon. `DIR/totals.json`.
//!
//! ```text
//!   total = before (earlier attachments) + seen (the present one, as it stood when somebody looked last)
//! ```
//! Figures for people, nothing that the product relies on: the file is written every minute and at a clean stop, and a kill
//! or a power cut costs what was counted since. One that cannot be read is no reason not to start; totals begin anew
//! then, and say since when. Windows of time are differences of totals.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use cache::DiskStatistics;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::counted::{Counted, Kept};
use crate::course::{Comparison, Course, KeptCourse, Passed};
use crate::history::{Measured, Sums};
use crate::moment::Moment;
use crate::problem::{Answer, Problem};
use crate::store::Store;
use crate::store::format::{self, FileFormat};
use crate::windows::{self, Keeping, KeptWindows, Recent, Windowed, Windows};

const NAMES: &[&str] = &["totals.json"];
const FORMAT: FileFormat = FileFormat { name: NAMES[0], schema: 2, checked_since: 2 };
/// The largest number in the file: an exbibyte, or thirty years in nanoseconds. What is larger was damaged, and adding it to
/// others would run over.
const NUMBER_MAX: u64 = 1 << 60;
/// The largest of those that stand in lists, of which very many are added up.
const NUMBER_IN_LIST_MAX: u64 = 1 << 53;

/// What one disk counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Total {
    /// When counting began.
    pub(crate) since: Moment,
    pub(crate) counted: Counted,
}

/// The totals of all disks, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    disks: BTreeMap<u32, Entry>,
}

#[derive(Debug)]
struct Entry {
    before: Total,
    seen: Option<Seen>,
    course: Course,
    windows: Windows,
}

/// A look at a disk that is attached: everything of the same moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look<'a> {
    pub(crate) attachment: u64,
    pub(crate) attached_for: Duration,
    /// What was counted in pass-through since it was attached.
    pub(crate) passed: &'a Passed,
    pub(crate) statistics: &'a DiskStatistics,
}

/// The attachment that was seen last, and what it had counted.
#[derive(Debug)]
struct Seen {
    attachment: u64,
    counted: Counted,
    progress: u64,
}

#[derive(Serialize, Deserialize)]
struct TotalsDocument {
    schema: u64,
    disks: BTreeMap<u32, KeptTotal>,
}

/// A total in the file.
#[derive(Serialize, Deserialize)]
struct KeptTotal {
    since: Moment,
    #[serde(flatten)]
    counted: Kept,
    /// None from versions that did not keep it. Read by itself, so that one that is not understood costs no totals.
    course: Option<Value>,
}

impl Total {
    fn new(since: Moment) -> Self {
        Self { since, counted: Counted::default() }
    }
}

impl Totals {
    /// Reads what is kept in `dir`, and what could not be read of it, if so: then there is nothing, and what is there is set aside.
    /// Windows go on at zero, the start of whoever asks.
    pub(crate) fn load(dir: &Path) -> (Self, Vec<String>) {
        let (mut totals, unread) = Self::load_totals(dir);
        let (kept, unread_windows) = windows::load(dir, Moment::now());
        totals.disks.iter_mut().for_each(|(id, entry)| entry.resume_windows(*id, &kept));
        let unread = unread.map(|reason| format!("{reason}. What disks counted in all begins anew"));
        let unread_windows =
            unread_windows.map(|reason| format!("{reason}. What disks counted lately begins anew"));
        (totals, unread.into_iter().chain(unread_windows).collect())
    }

    fn load_totals(dir: &Path) -> (Self, Option<String>) {
        FORMAT.load_or_set_aside(dir, |_, document| {
            if !is_believable(&document, NUMBER_MAX) {
                return Err("it has numbers that no disk ever counts".to_owned());
            }
            let document: TotalsDocument =
                serde_json::from_value(document).map_err(|error| error.to_string())?;
            let entries = document.disks.into_iter().map(|(id, kept)| (id, Entry::from(kept)));
            Ok(Self { disks: entries.collect() })
        })
    }

    /// What is to be written now, of these disks only.
    pub(crate) fn text(&self, disks: &[u32]) -> Vec<u8> {
        let kept = self.disks.iter().filter(|(id, _)| disks.contains(id));
        let disks = kept.map(|(id, entry)| (*id, KeptTotal::from(entry))).collect();
        format::text(&TotalsDocument { schema: FORMAT.schema, disks })
    }

    /// The windows that are to be written now, of these disks only: behind a [`Self::text`] of the same moment.
    pub(crate) fn windows(&self, disks: &[u32], age: Duration, now: Moment) -> Keeping {
        let kept: Vec<_> = self.disks.iter().filter(|(id, _)| disks.contains(id)).collect();
        let mut keeping = Keeping::new(age, now, kept.len());
        for (id, entry) in kept {
            let Total { since, counted } = entry.total();
            keeping.add(*id, since, &counted, &entry.windows);
        }
        keeping
    }

    /// Makes a [`Self::text`] what is kept, durably.
    ///
    /// # Errors
    /// The error of the system; then what was kept before may be what is kept.
    pub(crate) async fn save(store: &Store, text: Vec<u8>) -> Answer<()> {
        store.replace(NAMES, text).await.map_err(|not| {
            Problem::failed(format!(
                "Cannot save {}: {}; make room or repair its file system, or a restart forgets what disks counted",
                store.dir().join(FORMAT.name).display(),
                not.error
            ))
        })
    }

    /// Begins to count for a disk, if nothing was counted yet. `age` is the time since the start, by a clock that is not set.
    pub(crate) fn begin(&mut self, id: u32, now: Moment, age: Duration) {
        self.disks.entry(id).or_insert_with(|| {
            let course = Course::new(now, Counted::default());
            Entry::new(Total::new(now), course, age)
        });
    }

    /// Takes what a disk has counted since it was attached. Each attachment has a number of its own, greater than those
    /// before, for its counters begin at zero. Older news than what are known are ignored: answers overtake each other, and
    /// of a disk that moves between shards both tell for a moment.
    pub(crate) fn see(&mut self, id: u32, look: Look<'_>) {
        let Some(entry) = self.disks.get_mut(&id) else { return };
        let counted = Counted::of(look.statistics);
        let new = Seen { attachment: look.attachment, progress: counted.progress(), counted };
        if let Some(last) = &entry.seen {
            if (new.attachment, new.progress) < (last.attachment, last.progress) {
                return;
            }
            if new.attachment > last.attachment {
                entry.before.counted.add(&last.counted);
                entry.course.end_attachment(&entry.before.counted.counts);
            }
        }
        let mut total = entry.before.counted.counts;
        total.add(&new.counted.counts);
        entry.course.see(look.attached_for, look.passed, &total);
        entry.seen = Some(new);
    }

    /// Lets windows go on, every [`crate::windows::SAMPLE_INTERVAL`].
    pub(crate) fn sample(&mut self, age: Duration) {
        for entry in self.disks.values_mut() {
            let total = entry.total();
            entry.windows.sample(age, &total.counted);
        }
    }

    /// Forgets a disk that was removed; its number is never used again.
    pub(crate) fn forget(&mut self, id: u32) {
        self.disks.remove(&id);
    }

    /// What a disk counted in all, as it was seen last.
    pub(crate) fn of(&self, id: u32) -> Option<Total> {
        self.disks.get(&id).map(Entry::total)
    }

    /// What a disk did with the cache and without, beside what it counted in all at the same moment.
    pub(crate) fn compare(&self, id: u32) -> Option<(Total, Comparison)> {
        self.disks.get(&id).map(|entry| {
            let total = entry.total();
            let comparison = entry.course.compare(&total.counted);
            (total, comparison)
        })
    }

    /// The sums of what a disk counted in all, as it was seen last.
    pub(crate) fn sums(&self, id: u32) -> Option<Sums> {
        self.disks.get(&id).map(|Entry { before, seen, .. }| {
            let before = Sums::of(&before.counted);
            seen.as_ref().map_or(before, |seen| before.and(&Sums::of(&seen.counted)))
        })
    }

    /// The latencies that a disk measured in all, as it was seen last.
    pub(crate) fn measured(&self, id: u32) -> Option<Measured> {
        self.disks.get(&id).map(|Entry { before, seen, .. }| {
            let mut measured = Measured::default();
            measured.add(&before.counted);
            if let Some(seen) = seen {
                measured.add(&seen.counted);
            }
            measured
        })
    }

    /// What a disk counted lately, if `total` is what it counted in all.
    pub(crate) fn last(&self, id: u32, recent: Recent, age: Duration, total: &Total) -> Option<Windowed> {
        self.disks.get(&id).map(|entry| entry.windows.last(recent, age, &total.counted))
    }
}

impl Entry {
    fn new(before: Total, course: Course, age: Duration) -> Self {
        let windows = Windows::new(age, &before.counted);
        Self { before, seen: None, course, windows }
    }

    fn resume_windows(&mut self, id: u32, kept: &KeptWindows) {
        let Total { since, counted } = &self.before;
        if let Some(windows) = kept.resume(id, *since, counted) {
            self.windows = windows;
        }
    }

    fn total(&self) -> Total {
        let mut total = self.before.clone();
        if let Some(Seen { counted, .. }) = &self.seen {
            total.counted.add(counted);
        }
        total
    }
}

impl From<&Entry> for KeptTotal {
    fn from(entry: &Entry) -> Self {
        let Total { since, counted } = entry.total();
        Self {
            since,
            counted: Kept::from(&counted),
            course: serde_json::to_value(KeptCourse::from(&entry.course)).ok(),
        }
    }
}

impl From<KeptTotal> for Entry {
    fn from(kept: KeptTotal) -> Self {
        let before = Total { since: kept.since, counted: kept.counted.into() };
        let course = kept.course.and_then(|course| serde_json::from_value::<KeptCourse>(course).ok());
        let course = match course {
            Some(course) => course.resume(&before.counted.counts),
            None => Course::new(Moment::now(), before.counted.clone()),
        };
        Self::new(before, course, Duration::ZERO)
    }
}

/// False if there is a number in it that cannot be.
fn is_believable(value: &Value, most: u64) -> bool {
    match value {
        Value::Number(number) => number.as_u64().is_none_or(|number| number <= most),
        Value::Array(all) => all.iter().all(|value| is_believable(value, NUMBER_IN_LIST_MAX)),
        Value::Object(all) => all.values().all(|value| is_believable(value, NUMBER_MAX)),
        Value::Null | Value::Bool(_) | Value::String(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use cache::{Latency, LatencySummary};

    use super::*;
    use crate::testing::{TempDir, run};

    fn save(dir: &Path, text: Vec<u8>) -> Answer<()> {
        run(Totals::save(&Store::start(dir)?, text))
    }

    /// A disk that missed so often, each time for so long.
    fn counted(reads: u64, micros: u64) -> DiskStatistics {
        let mut statistics = DiskStatistics::default();
        statistics.counts.reads = reads;
        let latencies = cache::Latencies::default();
        (0..reads).for_each(|_| latencies.record(Latency::ReadMiss, micros * 1_000));
        statistics.latencies = latencies.snapshot();
        statistics
    }

    fn see(totals: &mut Totals, id: u32, attachment: u64, statistics: &DiskStatistics) {
        let attached_for = Duration::from_secs(statistics.counts.reads);
        totals.see(id, Look { attachment, attached_for, passed: &Passed::default(), statistics });
    }

    fn misses(total: &Total) -> LatencySummary {
        total.counted.latencies[Latency::ReadMiss as usize].summary()
    }

    fn reads(totals: &Totals, id: u32) -> Option<u64> {
        totals.of(id).map(|total| total.counted.counts.reads)
    }

    #[test]
    fn attachments_add_up_and_each_counts_once_however_often_it_is_seen() {
        let mut totals = Totals::default();
        totals.begin(1, Moment(7), Duration::ZERO);
        see(&mut totals, 1, 10, &counted(5, 100));
        see(&mut totals, 1, 10, &counted(6, 100));
        see(&mut totals, 1, 11, &counted(2, 500));
        totals.begin(1, Moment(9), Duration::ZERO);
        let total = totals.of(1).expect("it was begun");
        let counts = &total.counted.counts;
        assert_eq!((total.since, counts.reads, counts.writes), (Moment(7), 8, 0));
        assert_eq!(totals.sums(1), Some(Sums::of(&total.counted)));
        let misses = misses(&total);
        assert_eq!(misses.count, 8);
        assert!((misses.mean - 200.0).abs() < 0.001, "(6 * 100 + 2 * 500) / 8");
        assert!((misses.p50 / 100.0 - 1.0).abs() < 0.02 && (misses.p99 / 500.0 - 1.0).abs() < 0.02);
        assert_eq!(totals.of(2), None);
    }

    #[test]
    fn older_news_change_nothing() {
        let mut totals = Totals::default();
        totals.begin(1, Moment(7), Duration::ZERO);
        see(&mut totals, 1, 10, &counted(5, 100));
        see(&mut totals, 1, 11, &counted(4, 100));
        for (attachment, count) in [(11, 3), (10, 5), (10, 9)] {
            see(&mut totals, 1, attachment, &counted(count, 100));
            assert_eq!(reads(&totals, 1), Some(9), "attachment {attachment} with {count}");
        }
        see(&mut totals, 1, 11, &counted(6, 100));
        assert_eq!(reads(&totals, 1), Some(11));
    }

    #[test]
    fn windows_go_on_from_one_attachment_to_the_next() {
        let (mut totals, age) = (Totals::default(), Duration::from_secs);
        totals.begin(1, Moment(7), age(100));
        see(&mut totals, 1, 10, &counted(5, 100));
        totals.sample(age(110));
        see(&mut totals, 1, 11, &counted(2, 100));
        totals.sample(age(120));
        let lately = |now| {
            let total = totals.of(1).expect("it was begun");
            let windowed = totals.last(1, Recent::FiveMinutes, age(now), &total).expect("it was begun");
            (windowed.seconds, windowed.counted.counts.reads)
        };
        assert_eq!(lately(130), (30, 7));
        see(&mut totals, 1, 11, &counted(3, 100));
        totals.sample(age(415));
        let total = totals.of(1).expect("it was begun");
        let windowed = totals.last(1, Recent::FiveMinutes, age(415), &total).expect("it was begun");
        assert_eq!(
            (windowed.seconds, windowed.counted.counts.reads),
            (305, 3),
            "what came until 110 is forgotten"
        );
    }

    #[test]
    fn what_was_kept_goes_on_and_disks_that_are_gone_are_forgotten() {
        let dir = TempDir::new();
        let mut totals = Totals::default();
        for id in [1, 2] {
            totals.begin(id, Moment(7), Duration::ZERO);
            see(&mut totals, id, 10, &counted(5, 100));
        }
        save(dir.path(), totals.text(&[1])).expect("the folder is ours");
        let (mut loaded, problems) = Totals::load(dir.path());
        assert_eq!((problems.len(), loaded.of(2)), (0, None));
        assert_eq!(loaded.of(1), totals.of(1));
        let total = loaded.of(1).expect("it was kept");
        let lately = loaded.last(1, Recent::Day, Duration::from_secs(3), &total).expect("it was kept");
        assert_eq!((lately.seconds, lately.counted), (3, Counted::default()), "it was before the start");
        see(&mut loaded, 1, 10, &counted(1, 100));
        assert_eq!(reads(&loaded, 1), Some(6), "the number is of another process");
    }

    #[test]
    fn windows_go_on_with_the_totals_that_they_belong_to() {
        let dir = TempDir::new();
        let (mut totals, age) = (Totals::default(), Duration::from_mins(1));
        totals.begin(1, Moment(7), Duration::ZERO);
        see(&mut totals, 1, 10, &counted(5, 100));
        totals.sample(age);
        save(dir.path(), totals.text(&[1])).expect("the folder is ours");
        windows::save(dir.path(), totals.windows(&[1], age, Moment::now())).expect("the folder is ours");
        let lately = |totals: &Totals| {
            let total = totals.of(1).expect("it was kept");
            let windowed = totals.last(1, Recent::Day, Duration::ZERO, &total).expect("it was kept");
            windowed.counted.counts.reads
        };
        let (mut loaded, problems) = Totals::load(dir.path());
        assert_eq!((problems.len(), lately(&loaded)), (0, 5), "it was a minute before the start");
        see(&mut loaded, 1, 0, &counted(2, 100));
        assert_eq!(lately(&loaded), 7);
        // Totals that were lost are others, and windows are differences of totals.
        fs::remove_file(dir.path().join(FORMAT.name)).expect("the folder is ours");
        let (mut anew, _) = Totals::load(dir.path());
        anew.begin(1, Moment(8), Duration::ZERO);
        assert_eq!(lately(&anew), 0);
    }

    #[test]
    fn latencies_of_an_older_file_begin_anew() {
        let dir = TempDir::new();
        let text = r#"{"schema":1,"disks":{"3":{"since":7,"counts":{"reads":2,"gone":1},
            "latencies":{"read_miss":{"count":2,"sum_ns":5000}}}}}"#;
        fs::write(dir.path().join(FORMAT.name), text).expect("the folder is ours");
        let (totals, problems) = Totals::load(dir.path());
        assert_eq!((problems.len(), reads(&totals, 3)), (0, Some(2)));
        assert_eq!(misses(&totals.of(3).expect("it was kept")), LatencySummary::default());
    }

    #[test]
    fn of_an_older_file_only_what_comes_is_compared() {
        let dir = TempDir::new();
        let text = r#"{"schema":1,"disks":{"3":{"since":7,"counts":{"reads":2},"latencies":{}}}}"#;
        fs::write(dir.path().join(FORMAT.name), text).expect("the folder is ours");
        let (mut totals, problems) = Totals::load(dir.path());
        assert!(problems.is_empty(), "{problems:?}");
        see(&mut totals, 3, 1, &counted(5, 100));
        let (total, comparison) = totals.compare(3).expect("it was kept");
        assert_eq!((total.counted.counts.reads, comparison.cached.counted.counts.reads), (7, 5));
        assert!(comparison.since.0 > 7, "when it began to be kept apart");
    }

    #[test]
    fn what_is_compared_goes_on_after_a_restart() {
        let dir = TempDir::new();
        let mut totals = Totals::default();
        totals.begin(1, Moment(7), Duration::ZERO);
        let statistics = counted(5, 100);
        let passed = Passed { counted: Counted::of(&counted(3, 100)), time: Duration::from_secs(2) };
        let look = Look {
            attachment: 4,
            attached_for: Duration::from_secs(9),
            passed: &passed,
            statistics: &statistics,
        };
        totals.see(1, look);
        save(dir.path(), totals.text(&[1])).expect("the folder is ours");
        let (mut loaded, problems) = Totals::load(dir.path());
        assert_eq!((problems.len(), loaded.compare(1)), (0, totals.compare(1)));
        loaded.see(1, Look { attachment: 0, ..look });
        let (total, comparison) = loaded.compare(1).expect("it was kept");
        let reads = |side: &crate::course::Side| (side.counted.counts.reads, side.time.as_secs());
        assert_eq!(total.counted.counts.reads, 10);
        assert_eq!((reads(&comparison.passed), reads(&comparison.cached)), ((6, 4), (4, 14)));
        // Seen again, it counts once.
        loaded.see(1, Look { attachment: 0, ..look });
        assert_eq!(loaded.compare(1).expect("it was kept").1, comparison);
    }

    #[test]
    fn what_cannot_be_read_is_said_and_set_aside() {
        let dir = TempDir::new();
        assert!(Totals::load(dir.path()).1.is_empty(), "none yet is nothing to complain of");
        let huge = r#"{"schema":1,"disks":{"3":{"since":7,"counts":{"reads":18446744073709551611,"writes":9},"latencies":{}}}}"#;
        for (text, reason) in [
            ("{\"schema\":1", "EOF"),
            ("{\"schema\":9,\"disks\":{}}", "schema 9"),
            ("{\"schema\":8}", "schema 8"),
            ("[]", "no schema"),
            (huge, "no disk ever counts"),
        ] {
            fs::write(dir.path().join(FORMAT.name), text).expect("the folder is ours");
            let (totals, problems) = Totals::load(dir.path());
            assert!(totals.disks.is_empty() && problems.len() == 1, "{problems:?}");
            assert!(problems[0].contains(FORMAT.name) && problems[0].contains(reason), "{problems:?}");
            let (_, aside) = problems[0].split_once("It is kept as ").expect("nothing is lost");
            let (aside, _) = aside.split_once(". What").expect("it says what becomes of it");
            assert_eq!(fs::read_to_string(aside).expect("it was renamed"), text);
        }
        save(dir.path(), Totals::default().text(&[])).expect("the folder is ours");
        assert!(Totals::load(dir.path()).1.is_empty());
    }

    #[test]
    fn totals_that_cannot_be_saved_are_an_error_with_the_path() {
        let dir = TempDir::new();
        let problem = save(&dir.path().join("missing"), b"{}".into()).unwrap_err();
        assert!(problem.message.contains("missing/totals.json"), "{problem}");
    }
}
