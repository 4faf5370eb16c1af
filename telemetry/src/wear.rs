//! How worn the flash is: what is written to each device of the pool, what its drive is rated for and says of itself, and how
//! long it lasts at the present rate.
//!
//! ```text
//!   cache counts ──> book (DIR/wear.json) ──┐          pool set write-budget ──> cache, which holds promotions back
//!   pool set rated-tbw ─────────────────────┼──> estimate ──> pool show, /metrics, the page, event
//!   sysfs ──> drives ──> smartctl ──────────┘
//! ```
//! Figures and a warning, nothing that is relied on: whatever cannot be known is said to be unknown, with the reason, and nobody
//! waits for a drive. Asked for by `registry/wear.rs`.

mod ask;
mod book;
mod budget;
mod drives;
mod estimate;
mod once;
mod rated;
mod smart;
mod worries;

use std::collections::{BTreeMap, BTreeSet};

pub use ask::{Asker, Smartctl};
use base::moment::Moment;
use base::problem::{Answer, Problem, hint};

pub use book::Book;
pub use budget::WriteBudget;
pub use drives::{Drive, below, parts_below};
pub use estimate::{Estimate, Known, Lately, Source};
pub use once::{Asking, Once};
pub use rated::{Decimal, Rating};
pub use smart::Figures;

/// Keys of the pool, with what they are for.
pub const KEYS: [(&str, &str); 2] = [
    (
        "rated-tbw",
        "what a drive is rated for, as its data sheet has it: 600TB (1 TB is 1,000,000,000,000 bytes); unknown forgets it",
    ),
    (
        "write-budget",
        "drive writes a day, of each device of the pool: 0.5 lets half of its size be written in a day, and holds promotions back \
         beyond that, guests' writes never; none or 0 = no budget. Default: none",
    ),
];
/// Keys of the pool that are named in the plans and have no effect yet.
const NOT_YET: [&str; 1] = ["ram"];

/// Every key of the pool with what it is for, one a line.
pub fn table() -> String {
    KEYS.map(|(name, about)| format!("  {name:18} {about}\n")).concat()
}

/// Change of the pool: at least one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// New rating of the drive.
    pub rating: Option<Rating>,
    /// New write budget.
    pub write_budget: Option<WriteBudget>,
}

/// The keys and values that are to be set.
///
/// # Errors
/// Names the key that is unknown, or the value that cannot be.
pub fn change(settings: &BTreeMap<String, String>) -> Answer<Change> {
    let mut change = Change { rating: None, write_budget: None };
    for (key, text) in settings {
        let refuse = |message| Problem::invalid(format!("Cannot set {key}={text}: {message}"));
        match key.as_str() {
            "rated-tbw" => change.rating = Some(text.parse().map_err(refuse)?),
            "write-budget" => change.write_budget = Some(text.parse().map_err(refuse)?),
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
    if settings.is_empty() {
        return Err(Problem::invalid("Nothing to set: give a key and a value, such as rated-tbw=600TB"));
    }
    Ok(change)
}

/// A drive, and what it says of itself or why that is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The drive.
    pub drive: Drive,
    /// Its figures, or why there are none.
    pub figures: Result<Figures, String>,
    /// Moment from which on it has given no newer ones, and the reason, if so.
    pub old: Option<(Moment, String)>,
}

/// The drives below a device of the pool, or why they are not known.
pub type Below = Result<Vec<Asked>, String>;

/// Bytes by which the figures of drives may be below those that Forebay counted, for some count in whole GiB.
const DOUBTED_FROM: u64 = 1 << 30;

/// Drops what the only drive says was written if Forebay alone, by its count of before it was asked, wrote more: then the unit
/// is another one than was thought. Of several drives none has to get all of it.
pub fn doubt(asked: &mut [Asked], counted_bytes: u64) {
    let [Asked { figures: Ok(figures), .. }] = asked else { return };
    let is_wrong = |said: &u64| said.saturating_add(DOUBTED_FROM) < counted_bytes;
    if let Some(said) = figures.written_bytes.take_if(|said| is_wrong(said)) {
        figures.doubted_written_bytes = Some(said);
    }
}

/// Returns what was found at a moment, with the figures of before for drives that give none now.
///
/// # Errors
/// Why it is not known which drives there are, now and before.
pub fn or_before(found: Below, before: Option<&Below>, now: Moment) -> Below {
    let Some(Ok(before)) = before else { return found };
    let kept = |known: &Asked, reason: String| {
        let since = known.old.as_ref().map_or(now, |(since, _)| *since);
        Asked { old: Some((since, reason)), ..known.clone() }
    };
    let known =
        |drive: &Drive| before.iter().find(|known| known.drive.name == drive.name && known.figures.is_ok());
    match found {
        Err(reason) if before.iter().any(|known| known.figures.is_ok()) => {
            Ok(before.iter().map(|known| kept(known, reason.clone())).collect())
        }
        Err(reason) => Err(reason),
        Ok(asked) => {
            let or_kept = |asked: Asked| match (&asked.figures, known(&asked.drive)) {
                (Err(reason), Some(known)) => kept(known, reason.clone()),
                _ => asked,
            };
            Ok(asked.into_iter().map(or_kept).collect())
        }
    }
}

/// The other devices that are on some of these drives, by number.
pub fn beside(all: &BTreeMap<u32, Below>, number: u32, drives: &BTreeSet<&str>) -> Vec<u32> {
    let is_on = |below: &Below| {
        self::drives(Some(below)).iter().any(|asked| drives.contains(asked.drive.name.as_str()))
    };
    all.iter().filter(|(other, below)| **other != number && is_on(below)).map(|(other, _)| *other).collect()
}

/// Wear of one device of the pool.
#[derive(Clone, Debug, PartialEq)]
pub struct Worn {
    /// Bytes that Forebay wrote to it, and the moment from which on it counted.
    pub counted: (u64, Moment),
    /// Part of that which it wrote lately; none in the first moment.
    pub lately: Option<Lately>,
    /// Bytes that the drive is rated for, as the user says.
    pub rated_bytes: Option<u64>,
    /// None as long as nobody has looked.
    pub below: Option<Below>,
    /// All drives below it have answered once.
    pub has_answered: bool,
    /// Conclusions from all of this.
    pub estimate: Estimate,
}

/// Wear of the devices of the pool, by number.
pub type AllWorn = BTreeMap<u32, Worn>;

impl Worn {
    /// Puts together what is known of a device of `size_bytes`, `book` having seen it, and of all drives.
    pub fn of(
        book: &Book,
        number: u32,
        now: Moment,
        size_bytes: u64,
        rated_bytes: Option<u64>,
        all: &BTreeMap<u32, Below>,
    ) -> Option<Self> {
        let (counted, lately) = (book.written(number)?, book.lately(number, now));
        let below = all.get(&number).cloned();
        let drives = drives(below.as_ref());
        let figures = drives.iter().filter_map(|asked| {
            asked.figures.as_ref().ok().map(|figures| (asked.drive.name.as_str(), figures))
        });
        let figures: Vec<_> = figures.collect();
        // A stripe is written at the rate of all of it; the smallest drive of it wears first.
        let names = drives.iter().map(|asked| asked.drive.name.as_str()).collect();
        let beside = beside(all, number, &names).into_iter();
        let beside = beside.filter_map(|other| Some((book.written(other)?.0, book.lately(other, now))));
        let beside: Vec<_> = beside.collect();
        let drive_bytes = drives.iter().filter_map(|asked| asked.drive.size_bytes).min();
        let estimate = Estimate::of(&Known {
            counted_bytes: counted.0,
            lately,
            beside: &beside,
            rated_bytes,
            drive_bytes: drive_bytes.unwrap_or(size_bytes),
            figures: &figures,
        });
        let has_answered = book.has_answered(number);
        Some(Self { counted, lately, rated_bytes, below, has_answered, estimate })
    }

    /// Returns the warning that an operator must get of it, with the next thing to do, if there is something.
    pub fn warning(&self, path: &str) -> Option<String> {
        let worries = &self.estimate.worries;
        let advice = format!("Put another one in its place in time: forebay pool replace {path} NEW");
        let texts: Vec<&str> = worries.iter().map(|worry| worry.text.as_str()).collect();
        (!worries.is_empty()).then(|| format!("{path} wears out: {}. {advice}", texts.join("; ")))
    }

    /// True if a worry that was told before is not over for all that is known, though it is not among those of now.
    pub fn leaves_open(&self, worry: &str) -> bool {
        // Drives that have answered once would say more than what Forebay counted; others are not waited for.
        let is_known = self.all_answered() || (self.below.is_some() && !self.has_answered);
        match worry {
            worries::DAYS_LEFT => self.estimate.is_between || !is_known,
            worries::RATING => !is_known,
            _ => !self.all_answered(),
        }
    }

    /// True if all drives below it are known and have answered when they were asked last.
    pub fn all_answered(&self) -> bool {
        let has_answered = |asked: &Asked| asked.figures.is_ok() && asked.old.is_none();
        matches!(&self.below, Some(Ok(drives)) if drives.iter().all(has_answered))
    }

    /// The drives that are known to be below it.
    pub fn drives(&self) -> &[Asked] {
        drives(self.below.as_ref())
    }

    /// Why no drive is known to be below it, if so.
    pub fn why_no_drives(&self) -> Option<&str> {
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
#[path = "wear/wear_tests.rs"]
mod tests;
