//! How worn the flash is: what is written to each device of the pool, what its drive is rated for and says of itself, and how
//! long it lasts at the present rate.
//!
//! ```text
//!   cache counts ──> book (DIR/wear.json) ──┐
//!   pool set rated-tbw ─────────────────────┼──> estimate ──> pool show, /metrics, the page, event
//!   sysfs ──> drives ──> smartctl ──────────┘
//! ```
//! Figures and a warning, nothing that is relied on: whatever cannot be known is said to be unknown, with the reason, and nobody
//! waits for a drive. Asked for by `registry/wear.rs`.

mod ask;
mod book;
mod drives;
mod estimate;
mod rated;
mod smart;
mod worries;

use std::collections::BTreeMap;

pub(crate) use ask::{Asker, Smartctl};
pub(crate) use book::Book;
pub(crate) use drives::{Drive, below};
pub(crate) use estimate::{Estimate, Known, Source};
pub(crate) use rated::{Decimal, Rating};
pub(crate) use smart::Figures;

use crate::moment::Moment;
use crate::problem::{Answer, Problem, hint};

/// Keys of the pool, with what they are for.
pub(crate) const KEYS: [(&str, &str); 1] = [(
    "rated-tbw",
    "what a drive is rated for, as its data sheet has it: 600TB (1 TB is 1,000,000,000,000 bytes); unknown forgets it",
)];
/// Keys of the pool that are named in the plans and have no effect yet.
const NOT_YET: [&str; 2] = ["ram", "write-budget"];

/// Every key of the pool with what it is for, one a line.
pub(crate) fn table() -> String {
    KEYS.map(|(name, about)| format!("  {name:18} {about}\n")).concat()
}

/// The rating among keys and values that are to be set.
///
/// # Errors
/// Names the key that is unknown, or the value that cannot be.
pub(crate) fn rating(settings: &BTreeMap<String, String>) -> Answer<Rating> {
    let mut rating = None;
    for (key, text) in settings {
        match key.as_str() {
            "rated-tbw" => {
                let parsed = text
                    .parse()
                    .map_err(|message| Problem::invalid(format!("Cannot set {key}={text}: {message}")))?;
                rating = Some(parsed);
            }
            key if NOT_YET.contains(&key) => {
                let message = format!("Cannot set {key}={text}: '{key}' is not available yet; leave it out");
                return Err(Problem::invalid(message));
            }
            key => {
                let hint = hint(key, &KEYS.map(|(name, _)| name));
                return Err(Problem::invalid(format!("Unknown key '{key}' of the pool: {hint}")));
            }
        }
    }
    rating.ok_or_else(|| Problem::invalid("Nothing to set: give a key and a value, such as rated-tbw=600TB"))
}

/// A drive, and what it says of itself or why that is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) drive: Drive,
    pub(crate) figures: Result<Figures, String>,
}

/// The drives below a device of the pool, or why they are not known.
pub(crate) type Below = Result<Vec<Asked>, String>;

/// How worn one device of the pool is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Worn {
    /// What Forebay wrote to it, and since when.
    pub(crate) counted: (u64, Moment),
    /// What the user says that its drive is rated for.
    pub(crate) rated_bytes: Option<u64>,
    /// None as long as nobody has looked.
    pub(crate) below: Option<Below>,
    pub(crate) estimate: Estimate,
}

/// How worn the devices of the pool are, by number.
pub(crate) type AllWorn = BTreeMap<u32, Worn>;

impl Worn {
    /// Puts together what is known of a device of `size_bytes`, `book` having seen it.
    pub(crate) fn of(
        book: &Book,
        number: u32,
        now: Moment,
        size_bytes: u64,
        rated_bytes: Option<u64>,
        below: Option<Below>,
    ) -> Option<Self> {
        let counted = book.written(number)?;
        let drives = drives(below.as_ref());
        let figures = drives.iter().filter_map(|asked| {
            asked.figures.as_ref().ok().map(|figures| (asked.drive.name.as_str(), figures))
        });
        let figures: Vec<_> = figures.collect();
        // A stripe is written at the rate of all of it; the smallest drive of it wears first.
        let drive_bytes = drives.iter().filter_map(|asked| asked.drive.size_bytes).min();
        let estimate = Estimate::of(&Known {
            counted_bytes: counted.0,
            lately: book.lately(number, now),
            rated_bytes,
            drive_bytes: drive_bytes.unwrap_or(size_bytes),
            figures: &figures,
        });
        Some(Self { counted, rated_bytes, below, estimate })
    }

    /// What an operator must know of it, with what to do, if there is something.
    pub(crate) fn warning(&self, path: &str) -> Option<String> {
        let worries = &self.estimate.worries;
        let advice = format!("Put another one in its place in time: forebay pool replace {path} NEW");
        let texts: Vec<&str> = worries.iter().map(|worry| worry.text.as_str()).collect();
        (!worries.is_empty()).then(|| format!("{path} wears out: {}. {advice}", texts.join("; ")))
    }

    /// True if a worry that was told before is not over for all that is known, though it is not among those of now.
    pub(crate) fn leaves_open(&self, worry: &str) -> bool {
        match worry {
            worries::DAYS_LEFT => self.estimate.is_between || self.below.is_none(),
            worries::RATING => self.below.is_none(),
            _ => !matches!(&self.below, Some(Ok(drives)) if drives.iter().all(|asked| asked.figures.is_ok())),
        }
    }

    /// The drives that are known to be below it.
    pub(crate) fn drives(&self) -> &[Asked] {
        drives(self.below.as_ref())
    }

    /// Why no drive is known to be below it, if so.
    pub(crate) fn why_no_drives(&self) -> Option<&str> {
        match &self.below {
            None => Some("it was not asked yet, or has not answered yet"),
            Some(Err(reason)) => Some(reason),
            Some(Ok(_)) => None,
        }
    }
}

fn drives(below: Option<&Below>) -> &[Asked] {
    below.and_then(|below| below.as_deref().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worn(below: Option<Below>) -> Worn {
        let mut book = Book::default();
        book.see(&BTreeMap::from([(0, 90)]), Moment(7));
        Worn::of(&book, 0, Moment(7), 1000, Some(100), below).expect("it was seen")
    }

    fn drive(name: &str, figures: Result<Figures, String>) -> Asked {
        Asked { drive: Drive { name: name.to_owned(), size_bytes: Some(500) }, figures }
    }

    #[test]
    fn what_drives_say_and_what_was_counted_are_one_warning_with_what_to_do() {
        let used = Figures { percentage_used: Some(85), ..Figures::default() };
        let worn = worn(Some(Ok(vec![drive("sda", Ok(used)), drive("sdb", Err("denied".to_owned()))])));
        let warning = worn.warning("/dev/md0").expect("there is something");
        for part in [
            "/dev/md0 wears out",
            "85 % of the life of sda",
            "90 % of what it is rated",
            "replace /dev/md0 NEW",
        ] {
            assert!(warning.contains(part), "{part}: {warning}");
        }
        assert_eq!((worn.drives().len(), worn.why_no_drives()), (2, None));
    }

    #[test]
    fn what_was_told_stays_open_as_long_as_it_is_not_known_to_be_over() {
        let open = |below| {
            let worn = worn(below);
            ["days-left", "rating", "sda life"].map(|worry| worn.leaves_open(worry))
        };
        assert_eq!(open(None), [true; 3], "nobody has looked since the start");
        let answered = drive("sda", Ok(Figures::default()));
        assert_eq!(
            open(Some(Ok(vec![answered.clone()]))),
            [true, false, false],
            "too young for its days to be known"
        );
        let silent = drive("sdb", Err("it did not answer".to_owned()));
        assert_eq!(open(Some(Ok(vec![answered, silent]))), [true, false, true]);
        assert_eq!(open(Some(Err("it is on loop0".to_owned()))), [true, false, true]);
    }
}
