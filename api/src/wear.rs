//! Documents about the wear of a device of the pool, and about its write budget.

use serde::Serialize;
use utoipa::ToSchema;

/// Wear of a device of the pool, and the time that it lasts. Decimal figures of drives are bytes here, too.
#[derive(Debug, Serialize, ToSchema)]
pub struct Wear {
    /// Everything that Forebay wrote to it since `counted_since`.
    pub written_bytes: u64,
    /// When Forebay began to count, in UTC.
    #[schema(format = DateTime)]
    pub counted_since: String,
    /// Bytes that Forebay writes in a day, by the last day, or by what there is of it once that is an hour.
    pub written_bytes_per_day: Option<u64>,
    /// Writes of Forebay to the drive in a day, through all devices of the pool that are on it, as a part of the drive.
    pub drive_writes_per_day: Option<f64>,
    /// Bytes written to the drive in all by whomever, as it says itself.
    pub drive_written_bytes: Option<u64>,
    /// Bytes that the drive is rated for, as set by the key `rated-tbw`.
    pub rated_bytes: Option<u64>,
    /// Used part of its life, in hundredths: of the rating or by the drive's own reckoning, whichever is more.
    pub used_percent: Option<f64>,
    pub used_percent_by: Option<By>,
    /// Days that it lasts at the present rate. Null also if nothing is written.
    pub days_left: Option<u64>,
    pub days_left_by: Option<By>,
    /// Findings that are bad enough to do something about.
    pub worries: Vec<String>,
    /// Why it is not known which drives it is on, if so.
    pub drives_reason: Option<String>,
    pub drives: Vec<Drive>,
}

/// Where a figure is from.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = WearSource)]
pub enum By {
    /// The drive's own figures.
    Drive,
    /// The rating, and what was written of it.
    Rating,
}

/// A drive that a device of the pool is on, and what it says of itself. What it does not say is null.
#[derive(Debug, Serialize, ToSchema)]
pub struct Drive {
    /// Name that the kernel has for it.
    pub name: String,
    pub size_bytes: Option<u64>,
    /// Why there are no figures, or no newer ones, if so.
    pub reason: Option<String>,
    /// Moment from which on there are no newer ones, in UTC, if the figures are older.
    #[schema(format = DateTime)]
    pub old_since: Option<String>,
    pub model: Option<String>,
    /// Used part of its life, in hundredths, by its maker's reckoning.
    pub percentage_used: Option<u64>,
    /// Bytes that hosts wrote to it in all.
    pub written_bytes: Option<u64>,
    /// The same as it says, if that counts as not said: Forebay alone wrote more.
    pub doubted_written_bytes: Option<u64>,
    /// Spare blocks that are left, in hundredths.
    pub spare_percent: Option<u64>,
    pub spare_threshold_percent: Option<u64>,
    /// Critical warnings of `NVMe`, a bit each.
    pub critical_warning: Option<u64>,
    /// Result of its own check: true if it passes.
    pub passed: Option<bool>,
    /// Errors that it could not correct.
    pub media_errors: Option<u64>,
}

/// The write budget of a device of the pool, and what is spent of it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WriteBudget)]
pub struct Budget {
    /// Bytes that may be written in a day.
    pub bytes_per_day: u64,
    /// Bytes that Forebay wrote in the last day, or since it began to count; null as long as that is not known.
    pub written_bytes: Option<u64>,
    /// Length of that time, in seconds: up to an hour more than a day.
    pub written_seconds: Option<u64>,
    /// `written_bytes` as a part of what may be written in a day.
    pub used_ratio: Option<f64>,
    /// Lead of spending over the budget: 0 none, 1 all that may be spent ahead.
    pub pressure: f32,
    /// The share of batches of promotions that is let in at present. Of pages it may be less: a batch that is turned down costs all
    /// pages that were looked at for it.
    pub promoted_batches_ratio: f32,
}
