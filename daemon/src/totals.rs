//! Totals of a disk: what it counted since it was added, across restarts of the daemon. `DIR/totals.json`.
//!
//! ```text
//!   total = before (earlier attachments) + seen (the present one, as it stood when somebody looked last)
//! ```
//! Figures for people, nothing that the product relies on: the file is written every minute and at a clean stop, and a kill
//! or a power cut costs what was counted since. One that cannot be read is no reason not to start; totals begin anew
//! then, and say since when. Percentiles cannot be added up, so latencies have count and mean only.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use cache::{DiskCounts, DiskStatistics, Latency, LatencySummary};
use serde::{Deserialize, Serialize};

use crate::durable;
use crate::moment::Moment;
use crate::problem::{Answer, Problem};

/// Version of the file.
const SCHEMA: u64 = 1;
const FILE_NAME: &str = "totals.json";

/// What one disk counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Total {
    /// When counting began.
    pub(crate) since: Moment,
    counts: BTreeMap<String, u64>,
    latencies: BTreeMap<String, Measured>,
}

/// Latencies of one class, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) count: u64,
    sum_ns: u64,
}

/// The totals of all disks, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    disks: BTreeMap<u32, Entry>,
}

#[derive(Debug)]
struct Entry {
    before: Total,
    /// Which attachment was seen last, and what it had counted.
    seen: Option<(u64, Total)>,
}

#[derive(Serialize, Deserialize)]
struct Document {
    schema: u64,
    disks: BTreeMap<u32, Total>,
}

impl Total {
    fn new(since: Moment) -> Self {
        Self { since, counts: BTreeMap::new(), latencies: BTreeMap::new() }
    }

    fn of(since: Moment, statistics: &DiskStatistics) -> Self {
        let counts = statistics.counts.named().map(|(name, count)| (name.to_owned(), count));
        let latencies = Latency::ALL.iter().zip(&statistics.latencies);
        let latencies = latencies.map(|((_, name), summary)| ((*name).to_owned(), Measured::of(summary)));
        Self { since, counts: counts.collect(), latencies: latencies.collect() }
    }

    fn add(&mut self, other: &Self) {
        for (name, count) in &other.counts {
            *self.counts.entry(name.clone()).or_default() += count;
        }
        for (name, more) in &other.latencies {
            let measured = self.latencies.entry(name.clone()).or_default();
            measured.count += more.count;
            measured.sum_ns += more.sum_ns;
        }
    }

    /// A counter by its name.
    pub(crate) fn count(&self, name: &str) -> u64 {
        self.counts.get(name).copied().unwrap_or(0)
    }

    /// Every counter with its name.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&'static str, u64)> {
        DiskCounts::default().named().map(|(name, _)| (name, self.count(name)))
    }

    /// Every class of latencies with its name.
    pub(crate) fn latencies(&self) -> impl Iterator<Item = (&'static str, Measured)> {
        Latency::ALL.iter().map(|(_, name)| (*name, self.latencies.get(*name).copied().unwrap_or_default()))
    }
}

impl Measured {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        clippy::cast_possible_truncation,
        reason = "a sum for a mean; counts stay far below 2^52, and a mean is not negative"
    )]
    fn of(summary: &LatencySummary) -> Self {
        Self { count: summary.count, sum_ns: (summary.mean * 1_000.0 * summary.count as f64) as u64 }
    }

    /// In microseconds; 0 if nothing was measured, as in other documents.
    #[expect(clippy::cast_precision_loss, reason = "a mean for people")]
    pub(crate) fn mean_us(self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum_ns as f64 / 1_000.0 / self.count as f64 }
    }
}

impl Totals {
    /// Reads what is kept in `dir`, and why it could not be read, if so: then there is nothing, and the next save replaces
    /// what is there.
    pub(crate) fn load(dir: &Path) -> (Self, Option<String>) {
        let read = || -> Result<Self, String> {
            let text = match fs::read(dir.join(FILE_NAME)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
                text => text.map_err(|error| error.to_string())?,
            };
            let document: Document = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
            if document.schema != SCHEMA {
                return Err(format!("it has schema {}, and this Forebay knows {SCHEMA}", document.schema));
            }
            let entries = document.disks.into_iter().map(|(id, before)| (id, Entry { before, seen: None }));
            Ok(Self { disks: entries.collect() })
        };
        match read() {
            Ok(totals) => (totals, None),
            Err(reason) => {
                let path = dir.join(FILE_NAME);
                (Self::default(), Some(format!("Cannot read {}: {reason}", path.display())))
            }
        }
    }

    /// What is to be written now, of these disks only.
    pub(crate) fn text(&self, disks: &[u32]) -> Vec<u8> {
        let kept = self.disks.iter().filter(|(id, _)| disks.contains(id));
        let disks = kept.map(|(id, entry)| (*id, entry.total())).collect();
        serde_json::to_vec_pretty(&Document { schema: SCHEMA, disks }).expect("plain data with text keys")
    }

    /// Makes a [`Self::text`] what is kept in `dir`, durably.
    ///
    /// # Errors
    /// What the system said; then what was kept before may be what is kept.
    pub(crate) fn save(dir: &Path, text: &[u8]) -> Answer<()> {
        durable::replace(dir, FILE_NAME, text).map_err(|not| {
            Problem::failed(format!(
                "Cannot save {}: {}; make room or repair its file system, or a restart forgets what disks counted",
                dir.join(FILE_NAME).display(),
                not.error
            ))
        })
    }

    /// Begins to count for a disk, if nothing was counted yet.
    pub(crate) fn begin(&mut self, id: u32, now: Moment) {
        self.disks.entry(id).or_insert_with(|| Entry { before: Total::new(now), seen: None });
    }

    /// Takes what a disk has counted since it was attached. Each attachment has a number of its own, for its counters begin
    /// at zero.
    pub(crate) fn see(&mut self, id: u32, attachment: u64, statistics: &DiskStatistics) {
        let Some(entry) = self.disks.get_mut(&id) else { return };
        if let Some((_, last)) = entry.seen.take_if(|(seen, _)| *seen != attachment) {
            entry.before.add(&last);
        }
        entry.seen = Some((attachment, Total::of(entry.before.since, statistics)));
    }

    /// What a disk counted in all, as it was seen last.
    pub(crate) fn of(&self, id: u32) -> Option<Total> {
        self.disks.get(&id).map(Entry::total)
    }
}

impl Entry {
    fn total(&self) -> Total {
        let mut total = self.before.clone();
        if let Some((_, seen)) = &self.seen {
            total.add(seen);
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TempDir;

    fn counted(reads: u64, mean_us: f64) -> DiskStatistics {
        let mut statistics = DiskStatistics::default();
        statistics.counts.reads = reads;
        statistics.latencies[Latency::ReadMiss as usize] =
            LatencySummary { count: reads, mean: mean_us, ..LatencySummary::default() };
        statistics
    }

    fn misses(total: &Total) -> Measured {
        total.latencies().find(|(name, _)| *name == "read_miss").expect("it is one of them").1
    }

    #[test]
    fn attachments_add_up_and_each_counts_once_however_often_it_is_seen() {
        let mut totals = Totals::default();
        totals.begin(1, Moment(7));
        totals.see(1, 10, &counted(5, 100.0));
        totals.see(1, 10, &counted(6, 100.0));
        totals.see(1, 11, &counted(2, 500.0));
        totals.begin(1, Moment(9));
        let total = totals.of(1).expect("it was begun");
        assert_eq!((total.since, total.count("reads"), total.count("writes")), (Moment(7), 8, 0));
        assert_eq!(misses(&total).count, 8);
        assert!((misses(&total).mean_us() - 200.0).abs() < 0.001, "(6 * 100 + 2 * 500) / 8");
        assert_eq!(totals.of(2), None);
    }

    #[test]
    fn what_was_kept_goes_on_and_disks_that_are_gone_are_forgotten() {
        let dir = TempDir::new();
        let mut totals = Totals::default();
        for id in [1, 2] {
            totals.begin(id, Moment(7));
            totals.see(id, 10, &counted(5, 100.0));
        }
        Totals::save(dir.path(), &totals.text(&[1])).expect("the folder is ours");
        let (mut loaded, problem) = Totals::load(dir.path());
        assert_eq!((problem, loaded.of(2)), (None, None));
        assert_eq!(loaded.of(1), totals.of(1));
        loaded.see(1, 10, &counted(1, 100.0));
        assert_eq!(
            loaded.of(1).map(|total| total.count("reads")),
            Some(6),
            "the number is of another process"
        );
    }

    #[test]
    fn what_cannot_be_read_is_said_and_replaced() {
        let dir = TempDir::new();
        assert!(matches!(Totals::load(dir.path()), (_, None)), "none yet is nothing to complain of");
        for (text, reason) in [("{\"schema\":1", "EOF"), ("{\"schema\":9,\"disks\":{}}", "schema 9")] {
            fs::write(dir.path().join(FILE_NAME), text).expect("the folder is ours");
            let (totals, problem) = Totals::load(dir.path());
            assert!(totals.disks.is_empty());
            assert!(problem.is_some_and(|said| said.contains(FILE_NAME) && said.contains(reason)), "{text}");
        }
        Totals::save(dir.path(), &Totals::default().text(&[])).expect("the folder is ours");
        assert_eq!(Totals::load(dir.path()).1, None);
    }

    #[test]
    fn totals_that_cannot_be_saved_are_an_error_with_the_path() {
        let dir = TempDir::new();
        let problem = Totals::save(&dir.path().join("missing"), b"{}").unwrap_err();
        assert!(problem.message.contains("missing/totals.json"), "{problem}");
    }
}
