//! Estimate of a device's wear, and of the time that it lasts at the present rate: pure.
//!
//! ```text
//!   left      = rated - written   or, if that is less, by the used part of its life that the drive reports:
//!               written * (100 - used %) / used %;  of the rating if the drive does not report the bytes written
//!   days left = left / written in a day
//! ```
//! *Written* is the figure of the drive if it has one, because others may write to it too; otherwise the count of Forebay. The rate is that
//! of Forebay's writes to the drive, through all devices of the pool that are on it. An unknown figure is none, never a guess.

use super::smart::Figures;
use super::worries::{self, Worry};

const HOUR: u64 = 60 * 60;
pub(crate) const DAY: u64 = 24 * HOUR;
/// Time below which bytes written are no measure of a day, in seconds.
const JUDGED_FROM: u64 = HOUR;
/// Drives report the used part of their life in whole hundredths: fewer are too coarse for an estimate.
const USED_JUDGED_FROM: u64 = 5;

/// Bytes written lately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lately {
    /// Bytes.
    pub bytes: u64,
    /// Time in which they were written, in seconds.
    pub seconds: u64,
}

/// Known facts about a device of the pool.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known<'a> {
    /// Bytes that Forebay counted in all.
    pub counted_bytes: u64,
    /// Bytes that Forebay counted lately.
    pub lately: Option<Lately>,
    /// Both figures of each other device of the pool that is on the same drive.
    pub beside: &'a [(u64, Option<Lately>)],
    /// Bytes that the drive is rated for, according to the user.
    pub rated_bytes: Option<u64>,
    /// Size of the drive in bytes.
    pub drive_bytes: u64,
    /// Figures of the drives below, with their names.
    pub figures: &'a [(&'a str, &'a Figures)],
}

/// Source of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Reported by the drive.
    Drive,
    /// Counted by Forebay.
    Counted,
    /// Derived from the rating that the user gave.
    Rating,
}

/// Estimate of the wear of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Bytes that Forebay writes in a day; none before it is known.
    pub bytes_per_day: Option<u64>,
    /// Writes of Forebay to the drive in a day, in drive sizes.
    pub drive_writes_per_day: Option<f64>,
    /// Bytes written to the drive in all, and the source of that figure.
    pub written: (u64, Source),
    /// Used part of its life in hundredths, and the source of that figure.
    pub used_percent: Option<(f64, Source)>,
    /// Days that are left at the present rate, and the source. None also if nothing is written.
    pub days_left: Option<(u64, Source)>,
    /// Findings that need action.
    pub worries: Vec<Worry>,
    /// True if it is open whether too few days are left: counted for too short a time, or between both limits.
    pub is_between: bool,
}

impl Estimate {
    /// Returns the estimate for these facts.
    pub fn of(known: &Known<'_>) -> Self {
        let bytes_per_day = known.lately.and_then(Lately::per_day);
        let written = written(known);
        let used_percent = used_percent(known, written.0);
        let beside = known.beside.iter().map(|(_, lately)| *lately);
        let per_day_beside = beside.clone().filter_map(|lately| lately?.per_day());
        let drive_per_day = bytes_per_day.map(|bytes| per_day_beside.fold(bytes, u64::saturating_add));
        let days_left = left(known, written.0)
            .and_then(|(bytes, source)| days(bytes, drive_per_day).map(|days| (days, source)));
        // A cache that fills writes more in its first hours than later.
        let is_settled = std::iter::once(known.lately)
            .chain(beside)
            .all(|lately| lately.is_some_and(|lately| lately.seconds >= DAY));
        let days = days_left.map(|(days, _)| days).filter(|_| is_settled);
        let of_drives = known.figures.iter().flat_map(|(name, figures)| worries::of_drive(name, figures));
        let of_rating = by_rating(known, written.0).and_then(worries::of_rating);
        Self {
            bytes_per_day,
            drive_writes_per_day: drive_per_day
                .filter(|_| known.drive_bytes > 0)
                .map(|bytes| part(bytes, known.drive_bytes)),
            written,
            used_percent,
            days_left,
            worries: of_drives.chain(of_rating).chain(days.and_then(worries::of_days)).collect(),
            is_between: !is_settled || days.is_some_and(worries::is_between),
        }
    }
}

impl Lately {
    /// Returns bytes a day; none if the time was too short.
    fn per_day(self) -> Option<u64> {
        let bytes = u128::from(self.bytes) * u128::from(DAY) / u128::from(self.seconds.max(1));
        (self.seconds >= JUDGED_FROM).then(|| u64::try_from(bytes).unwrap_or(u64::MAX))
    }
}

/// Returns the bytes written in all. Of several drives, the one with most writes fails first.
fn written(known: &Known<'_>) -> (u64, Source) {
    let said = known.figures.iter().filter_map(|(_, figures)| figures.written_bytes).max();
    let counted =
        || known.beside.iter().fold(known.counted_bytes, |sum, (bytes, _)| sum.saturating_add(*bytes));
    said.map_or_else(|| (counted(), Source::Counted), |bytes| (bytes, Source::Drive))
}

fn used_percent(known: &Known<'_>, written_bytes: u64) -> Option<(f64, Source)> {
    let by_rating = by_rating(known, written_bytes).map(|percent| (percent, Source::Rating));
    let by_drive = known.figures.iter().filter_map(|(_, figures)| figures.percentage_used).max();
    let by_drive =
        by_drive.map(|percent| (f64::from(u8::try_from(percent).unwrap_or(u8::MAX)), Source::Drive));
    // The worse of both: either is a reason.
    match (by_rating, by_drive) {
        (Some(one), Some(other)) => Some(if one.0 > other.0 { one } else { other }),
        (one, other) => one.or(other),
    }
}

/// Returns the hundredths of the rating that are written.
fn by_rating(known: &Known<'_>, written_bytes: u64) -> Option<f64> {
    known.rated_bytes.map(|rated| 100.0 * part(written_bytes, rated))
}

/// Returns the bytes that may still be written, by the rating or by the drive itself, whichever is less.
fn left(known: &Known<'_>, written_bytes: u64) -> Option<(u64, Source)> {
    let by_rating = known.rated_bytes.map(|rated| (rated.saturating_sub(written_bytes), Source::Rating));
    let by_drive = known.figures.iter().filter_map(|(_, figures)| left_by_drive(figures, known.rated_bytes));
    by_rating.into_iter().chain(by_drive.map(|bytes| (bytes, Source::Drive))).min_by_key(|(bytes, _)| *bytes)
}

/// Returns the bytes that may still be written according to the used part that a drive reports. The count of Forebay is no measure of that,
/// because others may have written before.
fn left_by_drive(figures: &Figures, rated_bytes: Option<u64>) -> Option<u64> {
    let used = figures.percentage_used.filter(|used| *used >= USED_JUDGED_FROM)?;
    let (bytes, percent) = match figures.written_bytes {
        Some(written) => (written, used),
        None => (rated_bytes?, 100),
    };
    let left = u128::from(bytes) * u128::from(100_u64.saturating_sub(used)) / u128::from(percent);
    u64::try_from(left).ok()
}

/// Returns the days that so many bytes last; none if it is not known, or nothing is written.
fn days(bytes: u64, per_day: Option<u64>) -> Option<u64> {
    bytes.checked_div(per_day?)
}

#[expect(clippy::cast_precision_loss, reason = "a ratio for people")]
fn part(some: u64, all: u64) -> f64 {
    some as f64 / all.max(1) as f64
}

#[cfg(test)]
#[path = "estimate_tests.rs"]
mod tests;
