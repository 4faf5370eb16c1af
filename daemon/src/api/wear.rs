//! What is said of the wear of a device of the pool, and of how much may be written to it.

use cache::BudgetStatistics;
use serde::Serialize;
use utoipa::ToSchema;

use crate::counted::ratio;
use crate::wear::{Asked, Estimate, Figures, Lately, Source, Worn};

/// How worn a device of the pool is, and how long it lasts. Decimal figures of drives are bytes here, too.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Wear {
    /// Everything that Forebay wrote to it since `counted_since`.
    written_bytes: u64,
    /// When Forebay began to count, in UTC.
    #[schema(format = DateTime)]
    counted_since: String,
    /// What Forebay writes in a day, by the last day, or by what there is of it once that is an hour.
    written_bytes_per_day: Option<u64>,
    /// What Forebay writes to the drive in a day, through all devices of the pool that are on it, as a part of the drive.
    drive_writes_per_day: Option<f64>,
    /// What was written to the drive in all by whomever, as it says itself.
    drive_written_bytes: Option<u64>,
    /// What the drive is rated for, as set by the key `rated-tbw`.
    rated_bytes: Option<u64>,
    /// How much of its life is used, in hundredths: of the rating or by the drive's own reckoning, whichever is more.
    used_percent: Option<f64>,
    used_percent_by: Option<By>,
    /// How long it lasts at the present rate. Null also if nothing is written.
    days_left: Option<u64>,
    days_left_by: Option<By>,
    /// What is bad enough to do something about.
    worries: Vec<String>,
    /// Why it is not known which drives it is on, if so.
    drives_reason: Option<String>,
    drives: Vec<Drive>,
}

/// Where a figure is from.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = WearSource)]
enum By {
    /// The drive's own figures.
    Drive,
    /// The rating, and what was written of it.
    Rating,
}

/// A drive that a device of the pool is on, and what it says of itself. What it does not say is null.
#[derive(Debug, Serialize, ToSchema)]
struct Drive {
    /// What the kernel calls it.
    name: String,
    size_bytes: Option<u64>,
    /// Why there are no figures, or no newer ones, if so.
    reason: Option<String>,
    /// Since when there are no newer ones, in UTC, if the figures are older.
    #[schema(format = DateTime)]
    old_since: Option<String>,
    model: Option<String>,
    /// How much of its life is used, by its maker's reckoning.
    percentage_used: Option<u64>,
    /// What hosts wrote to it in all.
    written_bytes: Option<u64>,
    /// The same as it says, if that counts as not said: Forebay alone wrote more.
    doubted_written_bytes: Option<u64>,
    /// Spare blocks that are left, in hundredths.
    spare_percent: Option<u64>,
    spare_threshold_percent: Option<u64>,
    /// Critical warnings of `NVMe`, a bit each.
    critical_warning: Option<u64>,
    /// Whether it passes its own check.
    passed: Option<bool>,
    /// Errors that it could not correct.
    media_errors: Option<u64>,
}

/// The write budget of a device of the pool, and what is spent of it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WriteBudget)]
pub(super) struct Budget {
    /// What may be written in a day.
    bytes_per_day: u64,
    /// What Forebay wrote in the last day, or since it began to count; null as long as that is not known.
    written_bytes: Option<u64>,
    /// How long that is: up to an hour more than a day.
    written_seconds: Option<u64>,
    /// `written_bytes` as a part of what may be written in a day.
    used_ratio: Option<f64>,
    /// How far spending is ahead of the budget: 0 not at all, 1 by all that may be spent ahead.
    pressure: f32,
    /// The share of batches of promotions that is let in at present. Of pages it may be less: a batch that is turned down costs all
    /// pages that were looked at for it.
    promoted_batches_ratio: f32,
}

impl Budget {
    pub(super) fn of(budget: BudgetStatistics, worn: Option<&Worn>) -> Self {
        let BudgetStatistics { bytes_a_day, pressure, share } = budget;
        let lately = worn.and_then(|worn| worn.lately);
        let written_bytes = lately.map(|Lately { bytes, .. }| bytes);
        Self {
            bytes_per_day: bytes_a_day,
            written_bytes,
            written_seconds: lately.map(|Lately { seconds, .. }| seconds),
            used_ratio: written_bytes.and_then(|bytes| ratio(bytes, bytes_a_day)),
            pressure,
            promoted_batches_ratio: share,
        }
    }
}

impl Wear {
    pub(super) fn of(worn: &Worn) -> Self {
        let Worn { counted: (written_bytes, since), rated_bytes, estimate, .. } = worn;
        let Estimate {
            bytes_per_day, drive_writes_per_day, written, used_percent, days_left, worries, ..
        } = estimate;
        Self {
            written_bytes: *written_bytes,
            counted_since: since.to_string(),
            written_bytes_per_day: *bytes_per_day,
            drive_writes_per_day: *drive_writes_per_day,
            drive_written_bytes: (written.1 == Source::Drive).then_some(written.0),
            rated_bytes: *rated_bytes,
            used_percent: used_percent.map(|(percent, _)| percent),
            used_percent_by: used_percent.map(|(_, source)| By::of(source)),
            days_left: days_left.map(|(days, _)| days),
            days_left_by: days_left.map(|(_, source)| By::of(source)),
            worries: worries.iter().map(|worry| worry.text.clone()).collect(),
            drives_reason: worn.why_no_drives().map(str::to_owned),
            drives: worn.drives().iter().map(Drive::of).collect(),
        }
    }
}

impl By {
    fn of(source: Source) -> Self {
        match source {
            Source::Drive => Self::Drive,
            Source::Counted | Source::Rating => Self::Rating,
        }
    }
}

impl Drive {
    fn of(asked: &Asked) -> Self {
        let Figures {
            model,
            percentage_used,
            written_bytes,
            doubted_written_bytes,
            spare_percent,
            spare_threshold_percent,
            critical_warning,
            passed,
            media_errors,
        } = asked.figures.clone().unwrap_or_default();
        Self {
            name: asked.drive.name.clone(),
            size_bytes: asked.drive.size_bytes,
            reason: asked.figures.as_ref().err().or(asked.old.as_ref().map(|(_, reason)| reason)).cloned(),
            old_since: asked.old.as_ref().map(|(since, _)| since.to_string()),
            model,
            percentage_used,
            written_bytes,
            doubted_written_bytes,
            spare_percent,
            spare_threshold_percent,
            critical_warning,
            passed,
            media_errors,
        }
    }
}
