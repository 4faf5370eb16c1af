//! Bytes that Forebay wrote to each device of the pool since the device was added, across restarts: `DIR/wear.json`.
//!
//! ```text
//!   written = before (earlier runs) + seen (this one, at the last snapshot)
//!   lately  = written - its value a day ago;        a mark is kept every hour for that
//! ```
//! Figures for people; the product does not rely on them: a kill or a power cut costs the counts since the file was saved, a minute at
//! most. An unreadable file does not prevent a start; counting then begins at zero, and states since when.
//!
//! After a stop of more than a day, *lately* begins after the stop, because earlier writes are no measure of the present rate. The
//! calendar's clock may be set, and a host without a clock of its own starts in the past: marks in the future are not used until their
//! time, and are kept.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use base::error::{Error, Result};
use base::moment::Moment;
use base::store::Store;
use base::store::format::{self, FileFormat};
use serde::{Deserialize, Serialize};

use super::estimate::{DAY, Lately};
use super::worries::Worry;

const NAMES: &[&str] = &["wear.json"];
const FORMAT: FileFormat = FileFormat { name: NAMES[0], schema: 2, checked_since: 2 };
/// Interval between marks, in seconds.
const MARK_INTERVAL: u64 = 60 * 60;
/// Maximum of a time that counts as lately: a day, and the time until the next mark, in seconds.
const LATELY_MAX: u64 = DAY + MARK_INTERVAL;
/// Maximum number of marks: more than follow each other in a day, and those of some wrong clocks.
const MARKS_MAX: usize = 100;

/// Bytes written to the devices of one pool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Book {
    /// Identity of the pool.
    pool: String,
    devices: BTreeMap<u32, Page>,
}

/// Bytes written to a device.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Page {
    since: Moment,
    before: u64,
    seen: u64,
    /// Bytes written in all by then, in the order of the calendar.
    marks: Vec<(Moment, u64)>,
    /// Worries that were reported and are not over.
    told: BTreeSet<String>,
    /// All its drives have answered once.
    has_answered: bool,
}

#[derive(Serialize, Deserialize)]
struct BookDocument {
    schema: u64,
    pool: String,
    devices: BTreeMap<u32, StoredWear>,
}

#[derive(Serialize, Deserialize)]
struct StoredWear {
    since: Moment,
    written_bytes: u64,
    marks: Vec<(Moment, u64)>,
    /// Worries by their names.
    told: BTreeSet<String>,
    #[serde(default)]
    has_answered: bool,
}

impl Book {
    /// Reads the book of a pool in `dir`. If it cannot be read, returns an empty one and the reason, and the file is set aside. A book of
    /// another pool is dropped with its file.
    pub fn load(dir: &Path, pool: &str) -> (Self, Option<String>) {
        let (kept, unread) = FORMAT.load_or_set_aside(dir, |_, document| {
            serde_json::from_value::<Option<BookDocument>>(document).map_err(|error| error.to_string())
        });
        let devices = kept.filter(|kept| kept.pool == pool).map_or_else(BTreeMap::new, |kept| {
            kept.devices.into_iter().map(|(number, kept)| (number, kept.into())).collect()
        });
        (Self { pool: pool.to_owned(), devices }, unread)
    }

    /// Returns the text to keep now.
    pub fn text(&self) -> Vec<u8> {
        let devices = self.devices.iter().map(|(number, page)| (*number, page.into())).collect();
        format::text(&BookDocument { schema: FORMAT.schema, pool: self.pool.clone(), devices })
    }

    /// Writes a [`Self::text`] durably.
    ///
    /// # Errors
    /// The error of the system; the file may then have the earlier content.
    pub async fn save(store: &Store, text: Vec<u8>) -> Result<()> {
        store.replace(NAMES, text).await.map_err(|not| {
            Error::failed(format!(
                "Cannot save {}: {}; make room or repair its file system, or a restart loses the count of bytes written to the flash",
                store.dir().join(FORMAT.name).display(),
                not.error
            ))
        })
    }

    /// Takes the bytes that this run wrote to each device of the pool so far; others are dropped, because numbers are never used again.
    pub fn see(&mut self, written: &BTreeMap<u32, u64>, now: Moment) {
        self.devices.retain(|number, _| written.contains_key(number));
        for (number, bytes) in written {
            let page = self.devices.entry(*number).or_insert_with(|| Page::new(now));
            // Snapshots overtake each other.
            page.seen = page.seen.max(*bytes);
            page.mark(now);
        }
    }

    /// Returns the bytes written to a device in all, and the time at which counting began; none if the device is unknown.
    pub fn written(&self, number: u32) -> Option<(u64, Moment)> {
        self.devices.get(&number).map(|page| (page.written(), page.since))
    }

    /// Returns the bytes written to a device lately.
    pub fn lately(&self, number: u32, now: Moment) -> Option<Lately> {
        self.devices.get(&number)?.lately(now)
    }

    /// Records that all drives below a device have answered.
    pub fn note_answer(&mut self, number: u32) {
        if let Some(page) = self.devices.get_mut(&number) {
            page.has_answered = true;
        }
    }

    /// Returns true if all drives below a device have answered once, in this run or before.
    pub fn has_answered(&self, number: u32) -> bool {
        self.devices.get(&number).is_some_and(|page| page.has_answered)
    }

    /// Takes the present worries about a device, and a test for which of the other reported worries are still open. Returns true if there
    /// is a new one to report.
    pub fn tell(&mut self, number: u32, worries: &[Worry], is_open: impl Fn(&str) -> bool) -> bool {
        let Some(page) = self.devices.get_mut(&number) else { return false };
        let is_now = |id: &str| worries.iter().any(|worry| worry.id == id);
        page.told.retain(|id| is_now(id) || is_open(id));
        let before = page.told.len();
        page.told.extend(worries.iter().map(|worry| worry.id.clone()));
        page.told.len() > before
    }
}

impl Page {
    fn new(now: Moment) -> Self {
        let marks = vec![(now, 0)];
        Self { since: now, before: 0, seen: 0, marks, told: BTreeSet::new(), has_answered: false }
    }

    fn written(&self) -> u64 {
        self.before.saturating_add(self.seen)
    }

    /// Adds a mark if the last one is an hour old, and drops those that are of no use.
    fn mark(&mut self, now: Moment) {
        let written = self.written();
        self.marks.retain(|(_, bytes)| *bytes <= written);
        let past = self.past(now).len();
        if self.marks[..past].last().is_none_or(|(last, _)| now.0 - last.0 >= MARK_INTERVAL) {
            self.marks.insert(past, (now, written));
        }
        let before_a_day = self.past(now).iter().rposition(|(at, _)| now.0 - at.0 >= DAY);
        self.marks.drain(..before_a_day.unwrap_or(0));
        // Marks that are farthest in the future are dropped first.
        self.marks.truncate(MARKS_MAX);
    }

    /// Returns the marks up to now.
    fn past(&self, now: Moment) -> &[(Moment, u64)] {
        &self.marks[..self.marks.partition_point(|(at, _)| at.0 <= now.0)]
    }

    fn lately(&self, now: Moment) -> Option<Lately> {
        let past = self.past(now);
        let a_day_ago = past.iter().rposition(|(at, _)| now.0 - at.0 >= DAY).unwrap_or(0);
        let (at, bytes) = match *past.get(a_day_ago..)? {
            [before, after, ..] if after.0.0 - before.0.0 > DAY => after,
            [first, ..] => first,
            [] => return None,
        };
        // Marks that are farther apart were left before a shorter stop: the bytes since then are of today.
        let seconds = (now.0 - at.0).min(LATELY_MAX);
        Some(Lately { bytes: self.written().saturating_sub(bytes), seconds })
    }
}

impl From<&Page> for StoredWear {
    fn from(page: &Page) -> Self {
        let Page { since, marks, told, has_answered, .. } = page.clone();
        Self { since, written_bytes: page.written(), marks, told, has_answered }
    }
}

impl From<StoredWear> for Page {
    fn from(kept: StoredWear) -> Self {
        let StoredWear { since, written_bytes, mut marks, told, has_answered } = kept;
        marks.sort_unstable_by_key(|(at, bytes)| (at.0, *bytes));
        Self { since, before: written_bytes, seen: 0, marks, told, has_answered }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use base::testing::{TempDir, run};

    use super::*;

    fn save(dir: &Path, text: Vec<u8>) -> Result<()> {
        run(Book::save(&Store::start(dir)?, text))
    }

    const HOUR: u64 = 60 * 60;
    const BEGIN: u64 = 1_000_000;

    fn book() -> Book {
        Book { pool: "p".to_owned(), devices: BTreeMap::new() }
    }

    fn see(book: &mut Book, bytes: u64, at: u64) {
        book.see(&BTreeMap::from([(0, bytes)]), Moment(BEGIN + at));
    }

    fn tell(book: &mut Book, worries: &[&str], others_are_open: bool) -> bool {
        let worry = |id: &&str| Worry { id: (*id).to_owned(), text: String::new() };
        book.tell(0, &worries.iter().map(worry).collect::<Vec<_>>(), |_| others_are_open)
    }

    fn lately(book: &Book, at: u64) -> Option<(u64, u64)> {
        book.lately(0, Moment(BEGIN + at)).map(|lately| (lately.bytes, lately.seconds))
    }

    #[test]
    fn lately_is_all_there_is_and_later_on_the_last_day() {
        let mut book = book();
        assert_eq!(lately(&book, 0), None, "it was never seen");
        see(&mut book, 10, 0);
        assert_eq!(lately(&book, 0), Some((10, 0)));
        for hour in 1..=100 {
            see(&mut book, 10 * (hour + 1), hour * HOUR);
        }
        assert_eq!(lately(&book, 100 * HOUR), Some((240, DAY)), "10 an hour");
        assert_eq!(lately(&book, 100 * HOUR + 600), Some((240, DAY + 600)));
        assert!(book.devices[&0].marks.len() <= 26, "marks do not pile up");
        assert_eq!(book.written(0), Some((1010, Moment(BEGIN))));
    }

    #[test]
    fn what_was_written_goes_on_after_a_restart_and_lately_begins_after_a_long_stop() {
        let dir = TempDir::new();
        let mut first = book();
        see(&mut first, 100, 0);
        see(&mut first, 400, 2 * HOUR);
        assert!(tell(&mut first, &["rating"], false));
        assert!(!first.has_answered(0));
        first.note_answer(0);
        save(dir.path(), first.text()).expect("the folder is ours");
        let (mut second, problem) = Book::load(dir.path(), "p");
        assert_eq!(problem, None);
        assert_eq!(second.written(0), Some((400, Moment(BEGIN))));
        assert!(!tell(&mut second, &["rating"], false), "it was said before the restart");
        assert!(second.has_answered(0) && !second.has_answered(1));
        see(&mut second, 50, 3 * HOUR);
        assert_eq!(second.written(0), Some((450, Moment(BEGIN))));
        assert_eq!(lately(&second, 3 * HOUR), Some((450, 3 * HOUR)));
        see(&mut second, 60, 900 * HOUR);
        assert_eq!(lately(&second, 900 * HOUR), Some((0, 0)), "what was before the stop is of another time");
        see(&mut second, 70, 901 * HOUR);
        assert_eq!(
            lately(&second, 901 * HOUR),
            Some((10, HOUR)),
            "and the days that are left are not settled"
        );
        for hour in 902..=925 {
            see(&mut second, 70, hour * HOUR);
        }
        assert_eq!(lately(&second, 925 * HOUR), Some((0, DAY)));
    }

    #[test]
    fn a_stop_of_less_than_a_day_is_a_part_of_the_day() {
        let mut book = book();
        see(&mut book, 100, 0);
        see(&mut book, 200, 20 * HOUR);
        see(&mut book, 250, 40 * HOUR);
        assert_eq!(lately(&book, 40 * HOUR), Some((250, LATELY_MAX)), "rather too much than too little");
    }

    #[test]
    fn a_clock_that_is_wrong_for_a_while_costs_no_mark_and_no_byte() {
        let mut book = book();
        see(&mut book, 100, 50 * HOUR);
        see(&mut book, 200, 51 * HOUR);
        assert_eq!(lately(&book, 0), None, "marks of the future say nothing");
        see(&mut book, 300, 0);
        assert_eq!(lately(&book, 0), Some((0, 0)));
        see(&mut book, 350, HOUR);
        assert_eq!(lately(&book, HOUR), Some((50, HOUR)));
        assert_eq!(book.written(0).map(|(bytes, _)| bytes), Some(350));
        // A host without a clock of its own gets the time a little later.
        see(&mut book, 360, 52 * HOUR);
        assert_eq!(lately(&book, 52 * HOUR), Some((360, 2 * HOUR)), "the marks of before are of use again");
        see(&mut book, 380, 75 * HOUR);
        assert_eq!(lately(&book, 75 * HOUR), Some((180, DAY)));
    }

    #[test]
    fn clocks_that_are_wrong_again_and_again_pile_up_no_marks() {
        let mut book = book();
        for day in 0..1000 {
            see(&mut book, day, (2000 - day) * DAY);
        }
        assert_eq!(book.devices[&0].marks.len(), MARKS_MAX);
        assert_eq!(lately(&book, 1001 * DAY), Some((0, 0)), "the present is kept");
    }

    #[test]
    fn devices_that_left_and_other_pools_are_forgotten() {
        let dir = TempDir::new();
        let mut book = book();
        book.see(&BTreeMap::from([(0, 5), (1, 7)]), Moment(BEGIN));
        book.see(&BTreeMap::from([(1, 8), (2, 1)]), Moment(BEGIN + 1));
        let written = |number| book.written(number).map(|(bytes, since)| (bytes, since.0 - BEGIN));
        assert_eq!([0, 1, 2].map(written), [None, Some((8, 0)), Some((1, 1))]);
        save(dir.path(), book.text()).expect("the folder is ours");
        let (other, problem) = Book::load(dir.path(), "q");
        assert_eq!((other.written(1), problem), (None, None));
    }

    #[test]
    fn each_worry_is_told_once_each_time_it_comes_up() {
        let mut book = book();
        assert!(!tell(&mut book, &["a"], false), "of a device that is not there");
        see(&mut book, 1, 0);
        for (worries, others_are_open, is_new) in [
            (&[][..], false, false),
            (&["a"], false, true),
            (&["a"], false, false),
            (&["a", "b"], false, true),
            (&["b"], true, false),
            (&["a"], true, false),
            (&["b"], false, false),
            (&["a", "b"], false, true),
        ] {
            assert_eq!(tell(&mut book, worries, others_are_open), is_new, "{worries:?}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_said_and_set_aside() {
        let dir = TempDir::new();
        assert!(matches!(Book::load(dir.path(), "p"), (_, None)), "none yet is nothing to complain of");
        for (text, reason) in [
            ("{\"schema\":1", "EOF"),
            ("{\"schema\":8}", "schema 8"),
            ("{\"schema\":9,\"pool\":\"p\",\"devices\":{}}", "schema 9"),
            ("{\"schema\":1,\"pool\":\"p\",\"devices\":{\"0\":{\"since\":-1}}}", "-1"),
        ] {
            fs::write(dir.path().join(FORMAT.name), text).expect("the folder is ours");
            let (book, problem) = Book::load(dir.path(), "p");
            assert!(book.devices.is_empty());
            let said = problem.expect("it cannot be read");
            assert!(said.contains(FORMAT.name) && said.contains(reason), "{said}");
            let (_, aside) = said.split_once("It is kept as ").expect("nothing is lost");
            assert_eq!(fs::read_to_string(aside).expect("it was renamed"), text);
        }
        save(dir.path(), book().text()).expect("the folder is ours");
        assert_eq!(Book::load(dir.path(), "p").1, None);
        let problem = save(&dir.path().join("missing"), b"{}".into()).unwrap_err();
        assert!(problem.message.contains("missing/wear.json"), "{problem}");
    }

    #[test]
    fn figures_that_make_no_sense_are_taken_as_they_are() {
        let dir = TempDir::new();
        let text = format!(
            r#"{{"schema":1,"pool":"p","devices":{{"0":{{"since":{max},"written_bytes":{max},"marks":[],"told":[]}},
                "1":{{"since":0,"written_bytes":1,"marks":[[5,{max}],[3,0],[{max},1]],"told":["x"]}}}}}}"#,
            max = u64::MAX
        );
        fs::write(dir.path().join(FORMAT.name), text).expect("the folder is ours");
        let (mut book, problem) = Book::load(dir.path(), "p");
        assert_eq!((problem, book.lately(0, Moment(9))), (None, None));
        book.see(&BTreeMap::from([(0, 5), (1, 5)]), Moment(9));
        assert_eq!(book.written(0).map(|(bytes, _)| bytes), Some(u64::MAX));
        assert_eq!(book.lately(1, Moment(9)), Some(Lately { bytes: 6, seconds: 6 }));
        book.see(&BTreeMap::from([(0, 5), (1, 5)]), Moment(u64::MAX));
        assert!(book.lately(1, Moment(u64::MAX)).is_some());
    }
}
