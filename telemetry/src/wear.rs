//! Wear of the flash: bytes written to each device of the pool, the rating and the own figures of its drive, and the time that it lasts at
//! the present rate.
//!
//! ```text
//!   cache counts ──> book (DIR/wear.json) ──┐          pool set write-budget ──> cache, which limits promotions
//!   pool set rated-tbw ─────────────────────┼──> estimate ──> pool show, /metrics, the page, event
//!   sysfs ──> drives ──> smartctl ──────────┘
//! ```
//! Figures and a warning; nothing relies on them: an unknown figure is shown as unknown, with the reason, and nothing waits for a drive.
//! Called by `registry/wear.rs`.

mod ask;
mod book;
mod budget;
mod drives;
mod estimate;
mod rated;
mod single_flight;
mod smart;
mod worries;

use std::collections::{BTreeMap, BTreeSet};

pub use ask::{Asker, Smartctl};
use base::error::{Error, Result, hint};
use base::moment::Moment;
use base::units::RamBudget;
use base::wrap::hanging;

pub use book::Book;
pub use budget::WriteBudget;
pub use drives::{Drive, below, parts_below};
pub use estimate::{Estimate, Known, Lately, Source};
pub use rated::{Decimal, Rating};
pub use single_flight::{OpenQuery, SingleFlight};
pub use smart::Figures;

/// Keys of the pool, with their purpose.
pub const KEYS: [(&str, &str); 3] = [
    (
        "ram",
        "RAM of all disks together, divided among them by the time that it saves: 8GiB; auto = a quarter of the memory that the host has \
         available; off = each disk has its own. Disks whose key ram is not auto keep that, as a part of it. Default: off",
    ),
    (
        "rated-tbw",
        "rated endurance of a drive, as its data sheet has it: 600TB (1 TB is 1,000,000,000,000 bytes); unknown forgets it",
    ),
    (
        "write-budget",
        "drive writes a day, of each device of the pool: 0.5 lets half of its size be written in a day, and holds promotions back \
         beyond that, guests' writes never; none or 0 = no budget. Default: none",
    ),
];
/// Returns every key of the pool with its purpose, for the help and the manual page.
pub fn table() -> String {
    KEYS.map(|(name, about)| hanging(&format!("  {name:17}  "), about, 21)).concat()
}

/// Change of the pool: at least one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// New rating of the drive.
    pub rating: Option<Rating>,
    /// New write budget.
    pub write_budget: Option<WriteBudget>,
    /// New RAM of all disks together.
    pub ram: Option<RamBudget>,
}

/// Parses the keys and values to set.
///
/// # Errors
/// Names the unknown key, or the invalid value.
pub fn change(settings: &BTreeMap<String, String>) -> Result<Change> {
    let mut change = Change { rating: None, write_budget: None, ram: None };
    for (key, text) in settings {
        let refuse = |message| Error::invalid(format!("Cannot set {key}={text}: {message}"));
        match key.as_str() {
            "rated-tbw" => change.rating = Some(text.parse().map_err(refuse)?),
            "write-budget" => change.write_budget = Some(text.parse().map_err(refuse)?),
            "ram" => change.ram = Some(text.parse().map_err(refuse)?),
            key => {
                let hint = hint(key, &KEYS.map(|(name, _)| name));
                return Err(Error::invalid(format!("Unknown key '{key}' of the pool: {hint}")));
            }
        }
    }
    if settings.is_empty() {
        return Err(Error::invalid("Nothing to set: give a key and a value, such as rated-tbw=600TB"));
    }
    Ok(change)
}

/// Drive with its figures, or the reason why they are not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The drive.
    pub drive: Drive,
    /// Figures of the drive, or the reason why there are none.
    pub figures: Result<Figures, String>,
    /// Time since which the drive has given no newer figures, and the reason, if so.
    pub old: Option<(Moment, String)>,
}

/// Drives below a device of the pool, or the reason why they are not known.
pub type Below = Result<Vec<Asked>, String>;

/// Difference in bytes by which the figures of drives may be below those that Forebay counted, because some count in whole GiB.
const DOUBTED_FROM: u64 = 1 << 30;

/// Drops the bytes written that the only drive reports if Forebay alone wrote more by its count from before the query: then the unit is
/// another one than assumed. With several drives, none has to get all of it.
pub fn doubt(asked: &mut [Asked], counted_bytes: u64) {
    let [Asked { figures: Ok(figures), .. }] = asked else { return };
    let is_wrong = |said: &u64| said.saturating_add(DOUBTED_FROM) < counted_bytes;
    if let Some(said) = figures.written_bytes.take_if(|said| is_wrong(said)) {
        figures.doubted_written_bytes = Some(said);
    }
}

/// Returns the drives found at a moment, with earlier figures for drives that give none now.
///
/// # Errors
/// Reason why the drives are not known, neither now nor before.
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

/// Returns the other devices that are on some of these drives, by number.
pub fn beside(all: &BTreeMap<u32, Below>, number: u32, drives: &BTreeSet<&str>) -> Vec<u32> {
    let is_on = |below: &Below| {
        self::drives(Some(below)).iter().any(|asked| drives.contains(asked.drive.name.as_str()))
    };
    all.iter().filter(|(other, below)| **other != number && is_on(below)).map(|(other, _)| *other).collect()
}

/// Wear of a device of the pool.
#[derive(Clone, Debug, PartialEq)]
pub struct Worn {
    /// Bytes that Forebay wrote to it, and the time at which counting began.
    pub counted: (u64, Moment),
    /// Bytes that it wrote lately; none at first.
    pub lately: Option<Lately>,
    /// Bytes that the drive is rated for, according to the user.
    pub rated_bytes: Option<u64>,
    /// Drives below it; none before the first query.
    pub below: Option<Below>,
    /// All drives below it have answered once.
    pub has_answered: bool,
    /// Conclusions from all of this.
    pub estimate: Estimate,
}

/// Wear of the devices of the pool, by number.
pub type AllWorn = BTreeMap<u32, Worn>;

impl Worn {
    /// Returns the wear of a device of `size_bytes`, from its counts in `book` and the figures of all drives.
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
        // A stripe is written at the rate of all of it; its smallest drive wears first.
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

    /// Returns the warning for an operator, with the next thing to do, if there is one.
    pub fn warning(&self, path: &str) -> Option<String> {
        let worries = &self.estimate.worries;
        let advice = format!("Replace it in time: forebay pool replace {path} NEW");
        let texts: Vec<&str> = worries.iter().map(|worry| worry.text.as_str()).collect();
        (!worries.is_empty()).then(|| format!("{path} wears out: {}. {advice}", texts.join("; ")))
    }

    /// Returns true if a worry that was reported before may still hold, though it is not among the present ones.
    pub fn leaves_open(&self, worry: &str) -> bool {
        // Drives that have answered once would show more than the counts of Forebay; others are not waited for.
        let is_known = self.all_answered() || (self.below.is_some() && !self.has_answered);
        match worry {
            worries::DAYS_LEFT => self.estimate.is_between || !is_known,
            worries::RATING => !is_known,
            _ => !self.all_answered(),
        }
    }

    /// Returns true if all drives below it are known and answered the last query.
    pub fn all_answered(&self) -> bool {
        let has_answered = |asked: &Asked| asked.figures.is_ok() && asked.old.is_none();
        matches!(&self.below, Some(Ok(drives)) if drives.iter().all(has_answered))
    }

    /// Returns the known drives below it.
    pub fn drives(&self) -> &[Asked] {
        drives(self.below.as_ref())
    }

    /// Returns the reason why no drive below it is known, if so.
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
