//! Totals of a disk: its counts since it was added, across restarts of the daemon. `DIR/totals.json`.
//!
//! ```text
//!   total = before (earlier attachments) + seen (the present one, at the last sample)
//! ```
//! Figures for people; the product does not rely on them: the file is written every minute and at a clean stop, and a kill or a power cut
//! costs the counts since the last write. An unreadable file does not prevent a start; totals then begin at zero, and state since when.
//! Each sample of a disk arrives here, and goes on to its time series (`series`).

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use base::error::{Error, Result};
use base::moment::Moment;
use base::store::Store;
use base::store::format::{self, FileFormat};
use cache::DiskStatistics;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::counted::{Counted, StoredCounters};
use crate::series::file::StoredSeries;
use crate::series::lifetime::{Comparison, KeptLifetime, Lifetime, Passed};
use crate::series::{Gauges, HistoryStep, Presence, Recent, SampleTime, Series, Span, WindowCounters};

const NAMES: &[&str] = &["totals.json"];
const FORMAT: FileFormat = FileFormat { name: NAMES[0], schema: 2, checked_since: 2 };
/// Maximum of a number in the file: an exbibyte, or thirty years in nanoseconds. A larger one is damaged, and adding it to others would
/// overflow.
const NUMBER_MAX: u64 = 1 << 60;
/// Maximum of a number in a list, of which very many are added up.
const NUMBER_IN_LIST_MAX: u64 = 1 << 53;

/// Counters and latencies of one disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Total {
    /// Time at which counting began.
    pub since: Moment,
    /// Counters and latencies.
    pub counted: Counted,
}

/// Totals of all disks, by number.
#[derive(Debug, Default)]
pub struct Totals {
    disks: BTreeMap<u32, Entry>,
}

#[derive(Debug)]
struct Entry {
    before: Total,
    seen: Option<LastAttachment>,
    series: Series,
}

/// Snapshot of an attached disk, all of the same moment.
#[derive(Clone, Copy, Debug)]
pub struct DiskSample<'a> {
    /// Number of the attachment.
    pub attachment: u64,
    /// Time since the disk was attached.
    pub attached_for: Duration,
    /// Counters of pass-through since it was attached.
    pub passed: &'a Passed,
    /// Statistics since it was attached.
    pub statistics: &'a DiskStatistics,
}

/// The attachment that was seen last, and its counts.
#[derive(Debug)]
struct LastAttachment {
    attachment: u64,
    counted: Counted,
    progress: u64,
}

#[derive(Serialize, Deserialize)]
struct TotalsDocument {
    schema: u64,
    disks: BTreeMap<u32, KeptTotal>,
}

/// Total in the file.
#[derive(Serialize, Deserialize)]
struct KeptTotal {
    since: Moment,
    #[serde(flatten)]
    counted: StoredCounters,
    /// None from versions that did not keep it. Parsed apart, so that one that is not understood does not cost the totals.
    course: Option<Value>,
}

impl Total {
    fn new(since: Moment) -> Self {
        Self { since, counted: Counted::default() }
    }
}

impl Totals {
    /// Reads the totals in `dir`. If they cannot be read, returns empty totals and the reason, and the file is set aside.
    pub fn load(dir: &Path, time: SampleTime) -> (Self, Option<String>) {
        let (totals, unread) = Self::load_totals(dir, time);
        (totals, unread.map(|reason| format!("{reason}. The totals of disks restart from zero")))
    }

    fn load_totals(dir: &Path, time: SampleTime) -> (Self, Option<String>) {
        FORMAT.load_or_set_aside(dir, |_, document| {
            if !is_believable(&document, NUMBER_MAX) {
                return Err("it has numbers that no disk ever counts".to_owned());
            }
            let document: TotalsDocument =
                serde_json::from_value(document).map_err(|error| error.to_string())?;
            let entries = document.disks.into_iter().map(|(id, kept)| (id, Entry::resume(kept, time)));
            Ok(Self { disks: entries.collect() })
        })
    }

    /// Returns the text to write now, of these disks only.
    pub fn text(&self, disks: &[u32]) -> Vec<u8> {
        let kept = self.disks.iter().filter(|(id, _)| disks.contains(id));
        let disks = kept.map(|(id, entry)| (*id, KeptTotal::from(entry))).collect();
        format::text(&TotalsDocument { schema: FORMAT.schema, disks })
    }

    /// Writes a [`Self::text`] durably.
    ///
    /// # Errors
    /// The error of the system; the file may then have the earlier content.
    pub async fn save(store: &Store, text: Vec<u8>) -> Result<()> {
        store.replace(NAMES, text).await.map_err(|not| {
            Error::failed(format!(
                "Cannot save {}: {}; make room or repair its file system, or a restart loses the counters of disks",
                store.dir().join(FORMAT.name).display(),
                not.error
            ))
        })
    }

    /// Begins to count for a disk, unless it has counts.
    pub fn begin(&mut self, id: u32, time: SampleTime) {
        self.disks.entry(id).or_insert_with(|| {
            let lifetime = Lifetime::new(time.now, Counted::default());
            Entry::new(Total::new(time.now), lifetime, time)
        });
    }

    /// Continues the time series of a disk from its file.
    pub fn resume(&mut self, id: u32, found: StoredSeries, time: SampleTime) {
        let Some(Entry { before, series, .. }) = self.disks.get_mut(&id) else { return };
        // Both files were written, one after the other: the later one has the counts of the disk. Totals that begin at zero stay there.
        let counted = before.counted.progress();
        let later = found.total(before.since).filter(|total| counted > 0 && total.progress() > counted);
        if let Some(total) = later {
            before.counted = total.clone();
        }
        series.resume(found, before.since, &before.counted, time);
    }

    /// Takes a sample of a disk that is served: its counts since it was attached. Each attachment has a number of its own, greater than
    /// those before, because its counters begin at zero. A sample older than the known ones is ignored: answers overtake each other, and
    /// for a moment both shards report a disk that moves between them.
    pub fn sample(&mut self, id: u32, look: DiskSample<'_>, time: SampleTime) {
        let Some(entry) = self.disks.get_mut(&id) else { return };
        entry.turn(time);
        let counted = Counted::of(look.statistics);
        let new = LastAttachment { attachment: look.attachment, progress: counted.progress(), counted };
        if let Some(last) = &entry.seen {
            if (new.attachment, new.progress) < (last.attachment, last.progress) {
                return;
            }
            if new.attachment > last.attachment {
                entry.before.counted.add(&last.counted);
                entry.series.lifetime.end_attachment(&entry.before.counted.counts);
            }
        }
        let mut total = entry.before.counted.counts;
        total.add(&new.counted.counts);
        entry.series.lifetime.see(look.attached_for, look.passed, &total);
        entry.seen = Some(new);
        entry.series.pass(time, Presence::Served(Gauges::of(look.statistics)));
    }

    /// Takes a sample of a disk that is not served, or does not answer.
    pub fn pass(&mut self, id: u32, presence: Presence, time: SampleTime) {
        if let Some(entry) = self.disks.get_mut(&id) {
            entry.turn(time);
            entry.series.pass(time, presence);
        }
    }

    /// Forgets a disk that was removed; its number is never used again.
    pub fn forget(&mut self, id: u32) {
        self.disks.remove(&id);
    }

    /// Returns the total counts of a disk at its last sample.
    pub fn of(&self, id: u32) -> Option<Total> {
        self.disks.get(&id).map(Entry::total)
    }

    /// Returns the figures of a disk with the cache and without, beside its total counts at the same moment.
    pub fn compare(&self, id: u32) -> Option<(Total, Comparison)> {
        self.disks.get(&id).map(|entry| {
            let total = entry.total();
            let comparison = entry.series.lifetime.compare(&total.counted);
            (total, comparison)
        })
    }

    /// Returns the counts of a disk in a recent window, if `total` is its total.
    pub fn window(&self, id: u32, recent: Recent, time: SampleTime, total: &Total) -> Option<WindowCounters> {
        self.disks.get(&id).map(|entry| entry.series.window(recent, time, &total.counted))
    }

    /// Returns the steps of a disk, the oldest first; none if the disk is not known. The last step is not over.
    pub fn steps(&self, id: u32, span: Span, now: Moment) -> Option<Vec<HistoryStep>> {
        self.disks.get(&id).map(|entry| entry.series.steps(span, now, &entry.total().counted))
    }

    /// Returns the content of the file of a disk's time series, if the file lacks something. It counts as written from then on, until
    /// [`Self::not_saved`] is called.
    pub fn take_unsaved(&mut self, id: u32, time: SampleTime) -> Option<Vec<u8>> {
        let entry = self.disks.get_mut(&id)?;
        let Total { since, counted } = entry.total();
        entry.series.take_unsaved(id, since, &counted, time)
    }

    /// Requests that the file of a disk's time series is written the next time.
    pub fn not_saved(&mut self, id: u32) {
        if let Some(entry) = self.disks.get_mut(&id) {
            entry.series.not_saved();
        }
    }
}

impl Entry {
    fn new(before: Total, lifetime: Lifetime, time: SampleTime) -> Self {
        let series = Series::new(time, &before.counted, lifetime);
        Self { before, seen: None, series }
    }

    fn resume(kept: KeptTotal, time: SampleTime) -> Self {
        let before = Total { since: kept.since, counted: kept.counted.into() };
        let lifetime = kept.course.and_then(|kept| serde_json::from_value::<KeptLifetime>(kept).ok());
        let lifetime = match lifetime {
            Some(lifetime) => lifetime.resume(&before.counted.counts),
            None => Lifetime::new(time.now, before.counted.clone()),
        };
        Self::new(before, lifetime, time)
    }

    /// Ends the steps that are over, with the total of the sample before.
    fn turn(&mut self, time: SampleTime) {
        if self.series.is_due(time) {
            let total = self.total();
            self.series.turn(time, &total.counted);
        }
    }

    fn total(&self) -> Total {
        let mut total = self.before.clone();
        if let Some(LastAttachment { counted, .. }) = &self.seen {
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
            counted: StoredCounters::from(&counted),
            course: serde_json::to_value(KeptLifetime::from(&entry.series.lifetime)).ok(),
        }
    }
}

/// Returns false if the value has an impossible number.
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

    use base::testing::{TempDir, run};
    use cache::{Latency, LatencySummary};

    use super::*;
    use crate::series::file;

    fn save(dir: &Path, text: Vec<u8>) -> Result<()> {
        run(Totals::save(&Store::start(dir)?, text))
    }

    /// Returns the statistics of a disk with so many missed reads, each of this length.
    fn counted(reads: u64, micros: u64) -> DiskStatistics {
        let mut statistics = DiskStatistics::default();
        statistics.counts.reads = reads;
        let latencies = cache::Latencies::default();
        (0..reads).for_each(|_| latencies.record(Latency::ReadMiss, micros * 1_000));
        statistics.latencies = latencies.snapshot();
        statistics
    }

    /// Returns the moment so many seconds after the start.
    fn at(seconds: u64) -> SampleTime {
        SampleTime::new(Moment(1_800_000_000 + seconds), Duration::from_secs(seconds))
    }

    fn see_at(totals: &mut Totals, id: u32, attachment: u64, statistics: &DiskStatistics, time: SampleTime) {
        let attached_for = Duration::from_secs(statistics.counts.reads);
        totals.sample(
            id,
            DiskSample { attachment, attached_for, passed: &Passed::default(), statistics },
            time,
        );
    }

    fn see(totals: &mut Totals, id: u32, attachment: u64, statistics: &DiskStatistics) {
        see_at(totals, id, attachment, statistics, at(0));
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
        totals.begin(1, at(0));
        see(&mut totals, 1, 10, &counted(5, 100));
        see(&mut totals, 1, 10, &counted(6, 100));
        see(&mut totals, 1, 11, &counted(2, 500));
        totals.begin(1, at(9));
        let total = totals.of(1).expect("it was begun");
        let counts = &total.counted.counts;
        assert_eq!((total.since, counts.reads, counts.writes), (at(0).now, 8, 0));
        let misses = misses(&total);
        assert_eq!(misses.count, 8);
        assert!((misses.mean - 200.0).abs() < 0.001, "(6 * 100 + 2 * 500) / 8");
        assert!((misses.p50 / 100.0 - 1.0).abs() < 0.02 && (misses.p99 / 500.0 - 1.0).abs() < 0.02);
        assert_eq!(totals.of(2), None);
    }

    #[test]
    fn older_news_change_nothing() {
        let mut totals = Totals::default();
        totals.begin(1, at(0));
        see(&mut totals, 1, 10, &counted(5, 100));
        see(&mut totals, 1, 11, &counted(4, 100));
        for (attachment, count) in [(11, 3), (10, 5), (10, 9)] {
            see(&mut totals, 1, attachment, &counted(count, 100));
            assert_eq!(reads(&totals, 1), Some(9), "attachment {attachment} with {count}");
        }
        see(&mut totals, 1, 11, &counted(6, 100));
        assert_eq!(reads(&totals, 1), Some(11));
    }

    fn lately(totals: &Totals, recent: Recent, second: u64) -> (u64, u64) {
        let total = totals.of(1).expect("it was begun");
        let windowed = totals.window(1, recent, at(second), &total).expect("it was begun");
        (windowed.seconds, windowed.counted.counts.reads)
    }

    #[test]
    fn windows_and_steps_go_on_from_one_attachment_to_the_next() {
        let mut totals = Totals::default();
        totals.begin(1, at(100));
        see_at(&mut totals, 1, 10, &counted(5, 100), at(110));
        see_at(&mut totals, 1, 11, &counted(2, 100), at(120));
        assert_eq!(lately(&totals, Recent::FiveMinutes, 130), (30, 7));
        see_at(&mut totals, 1, 11, &counted(3, 100), at(415));
        assert_eq!(lately(&totals, Recent::FiveMinutes, 415), (305, 3), "what came until 110 is forgotten");
        let steps = totals.steps(1, Span::Week, at(415).now).expect("it was begun");
        let steps: Vec<_> = steps.iter().map(|step| (step.sums.reads, step.covered_ms)).collect();
        assert_eq!(steps, [(7, 20_000), (1, 295_000)]);
        totals.pass(1, Presence::Away, at(900));
        assert_eq!(lately(&totals, Recent::FiveMinutes, 900), (485, 0));
        assert_eq!(totals.steps(2, Span::Week, at(0).now), None);
    }

    #[test]
    fn a_total_that_was_written_later_with_the_series_is_what_the_disk_has_counted() {
        let dir = TempDir::new();
        let mut totals = Totals::default();
        totals.begin(1, at(0));
        see_at(&mut totals, 1, 10, &counted(5, 100), at(10));
        save(dir.path(), totals.text(&[1])).expect("the folder is ours");
        see_at(&mut totals, 1, 10, &counted(9, 100), at(20));
        let bytes = totals.take_unsaved(1, at(20)).expect("it was served");
        for (_, saved) in file::save(dir.path(), &[(1, bytes)]) {
            saved.expect("the folder is ours");
        }
        let (mut loaded, _) = Totals::load(dir.path(), at(30));
        let found = file::load(dir.path(), 1, at(30).now, &mut file::EarlierWindows::default());
        assert_eq!(reads(&loaded, 1), Some(5));
        loaded.resume(1, found, at(30));
        assert_eq!((reads(&loaded, 1), lately(&loaded, Recent::Hour, 30)), (Some(9), (30, 9)));
        assert_eq!(misses(&loaded.of(1).expect("it was kept")).count, 9);
    }

    #[test]
    fn what_was_kept_goes_on_and_disks_that_are_gone_are_forgotten() {
        let dir = TempDir::new();
        let mut totals = Totals::default();
        for id in [1, 2] {
            totals.begin(id, at(0));
            see(&mut totals, id, 10, &counted(5, 100));
        }
        save(dir.path(), totals.text(&[1])).expect("the folder is ours");
        let (mut loaded, problems) = Totals::load(dir.path(), at(0));
        assert_eq!((problems, loaded.of(2)), (None, None));
        assert_eq!(loaded.of(1), totals.of(1));
        assert_eq!(lately(&loaded, Recent::Day, 3), (3, 0), "it was before the start");
        see(&mut loaded, 1, 10, &counted(1, 100));
        assert_eq!(reads(&loaded, 1), Some(6), "the number is of another process");
    }

    #[test]
    fn latencies_of_an_older_file_begin_anew() {
        let dir = TempDir::new();
        let text = r#"{"schema":1,"disks":{"3":{"since":7,"counts":{"reads":2,"gone":1},
            "latencies":{"read_miss":{"count":2,"sum_ns":5000}}}}}"#;
        fs::write(dir.path().join(FORMAT.name), text).expect("the folder is ours");
        let (totals, problems) = Totals::load(dir.path(), at(0));
        assert_eq!((problems, reads(&totals, 3)), (None, Some(2)));
        assert_eq!(misses(&totals.of(3).expect("it was kept")), LatencySummary::default());
    }

    #[test]
    fn of_an_older_file_only_what_comes_is_compared() {
        let dir = TempDir::new();
        let text = r#"{"schema":1,"disks":{"3":{"since":7,"counts":{"reads":2},"latencies":{}}}}"#;
        fs::write(dir.path().join(FORMAT.name), text).expect("the folder is ours");
        let (mut totals, problems) = Totals::load(dir.path(), at(0));
        assert_eq!(problems, None);
        see(&mut totals, 3, 1, &counted(5, 100));
        let (total, comparison) = totals.compare(3).expect("it was kept");
        assert_eq!((total.counted.counts.reads, comparison.cached.counted.counts.reads), (7, 5));
        assert!(comparison.since.0 > 7, "when it began to be kept apart");
    }

    #[test]
    fn what_is_compared_goes_on_after_a_restart() {
        let dir = TempDir::new();
        let mut totals = Totals::default();
        totals.begin(1, at(0));
        let statistics = counted(5, 100);
        let passed = Passed { counted: Counted::of(&counted(3, 100)), time: Duration::from_secs(2) };
        let look = DiskSample {
            attachment: 4,
            attached_for: Duration::from_secs(9),
            passed: &passed,
            statistics: &statistics,
        };
        totals.sample(1, look, at(9));
        save(dir.path(), totals.text(&[1])).expect("the folder is ours");
        let (mut loaded, problems) = Totals::load(dir.path(), at(0));
        assert_eq!((problems, loaded.compare(1)), (None, totals.compare(1)));
        loaded.sample(1, DiskSample { attachment: 0, ..look }, at(9));
        let (total, comparison) = loaded.compare(1).expect("it was kept");
        let reads = |side: &crate::series::lifetime::Side| (side.counted.counts.reads, side.time.as_secs());
        assert_eq!(total.counted.counts.reads, 10);
        assert_eq!((reads(&comparison.passed), reads(&comparison.cached)), ((6, 4), (4, 14)));
        // Seen again, it counts once.
        loaded.sample(1, DiskSample { attachment: 0, ..look }, at(9));
        assert_eq!(loaded.compare(1).expect("it was kept").1, comparison);
    }

    #[test]
    fn what_cannot_be_read_is_said_and_set_aside() {
        let dir = TempDir::new();
        assert!(Totals::load(dir.path(), at(0)).1.is_none(), "none yet is nothing to complain of");
        let huge = r#"{"schema":1,"disks":{"3":{"since":7,"counts":{"reads":18446744073709551611,"writes":9},"latencies":{}}}}"#;
        for (text, reason) in [
            ("{\"schema\":1", "EOF"),
            ("{\"schema\":9,\"disks\":{}}", "schema 9"),
            ("{\"schema\":8}", "schema 8"),
            ("[]", "no schema"),
            (huge, "no disk ever counts"),
        ] {
            fs::write(dir.path().join(FORMAT.name), text).expect("the folder is ours");
            let (totals, problems) = Totals::load(dir.path(), at(0));
            let problem = problems.expect("it cannot be read");
            assert!(totals.disks.is_empty());
            assert!(problem.contains(FORMAT.name) && problem.contains(reason), "{problem}");
            let (_, aside) = problem.split_once("It is kept as ").expect("nothing is lost");
            let (aside, _) = aside.split_once(". The totals").expect("it says what becomes of it");
            assert_eq!(fs::read_to_string(aside).expect("it was renamed"), text);
        }
        save(dir.path(), Totals::default().text(&[])).expect("the folder is ours");
        assert!(Totals::load(dir.path(), at(0)).1.is_none());
    }

    #[test]
    fn totals_that_cannot_be_saved_are_an_error_with_the_path() {
        let dir = TempDir::new();
        let problem = save(&dir.path().join("missing"), b"{}".into()).unwrap_err();
        assert!(problem.message.contains("missing/totals.json"), "{problem}");
    }
}
