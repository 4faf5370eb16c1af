//! Documents about the wear of a device of the pool, and about its write budget.

use serde::Serialize;
use utoipa::ToSchema;

/// Wear of a device of the pool, and the time that it lasts. Decimal figures of drives are in bytes here, too.
#[derive(Debug, Serialize, ToSchema)]
pub struct Wear {
    /// Bytes that Forebay wrote to it since `counted_since`.
    pub written_bytes: u64,
    /// Time at which Forebay began to count, in UTC.
    #[schema(format = DateTime)]
    pub counted_since: String,
    /// Bytes that Forebay writes in a day, from the last day, or from the known part of it once that is an hour.
    pub written_bytes_per_day: Option<u64>,
    /// Writes of Forebay to the drive in a day, through all devices of the pool that are on it, in drive sizes.
    pub drive_writes_per_day: Option<f64>,
    /// Bytes written to the drive in all, by its own report.
    pub drive_written_bytes: Option<u64>,
    /// Bytes that the drive is rated for, as set by the key `rated-tbw`.
    pub rated_bytes: Option<u64>,
    /// Used part of its life in hundredths: of the rating or by the drive's own estimate, whichever is more.
    pub used_percent: Option<f64>,
    pub used_percent_by: Option<By>,
    /// Days that it lasts at the present rate. Null also if nothing is written.
    pub days_left: Option<u64>,
    pub days_left_by: Option<By>,
    /// Findings that need action.
    pub worries: Vec<String>,
    /// Reason why its drives are not known, if so.
    pub drives_reason: Option<String>,
    pub drives: Vec<Drive>,
}

/// Source of a figure.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = WearSource)]
pub enum By {
    /// Figures of the drive.
    Drive,
    /// The rating, and the bytes written.
    Rating,
}

/// Drive below a device of the pool, with its own figures. Null if it does not report one.
#[derive(Debug, Serialize, ToSchema)]
pub struct Drive {
    /// Name of the drive in the kernel.
    pub name: String,
    pub size_bytes: Option<u64>,
    /// Reason why there are no figures, or no newer ones, if so.
    pub reason: Option<String>,
    /// Time since which there are no newer ones, in UTC, if the figures are older.
    #[schema(format = DateTime)]
    pub old_since: Option<String>,
    pub model: Option<String>,
    /// Used part of its life in hundredths, by its maker's estimate.
    pub percentage_used: Option<u64>,
    /// Bytes that hosts wrote to it in all.
    pub written_bytes: Option<u64>,
    /// The same by its own report, if that is not used because Forebay alone wrote more.
    pub doubted_written_bytes: Option<u64>,
    /// Spare blocks left, in hundredths.
    pub spare_percent: Option<u64>,
    pub spare_threshold_percent: Option<u64>,
    /// Critical warnings of `NVMe`, a bit each.
    pub critical_warning: Option<u64>,
    /// Result of its own check: true if it passes.
    pub passed: Option<bool>,
    /// Errors that it could not correct.
    pub media_errors: Option<u64>,
}

/// Write budget of a device of the pool, and its use.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WriteBudget)]
pub struct Budget {
    /// Bytes that may be written in a day.
    pub bytes_per_day: u64,
    /// Bytes that Forebay wrote in the last day, or since it began to count; null until that is known.
    pub written_bytes: Option<u64>,
    /// Length of that time, in seconds: up to an hour more than a day.
    pub written_seconds: Option<u64>,
    /// `written_bytes` divided by the bytes that may be written in a day.
    pub used_ratio: Option<f64>,
    /// Lead of the writes over the budget: 0 none, 1 the maximum that may be spent ahead.
    pub pressure: f32,
    /// Share of batches of promotions that is admitted at present. For pages it may be less: a refused batch costs all pages that were read
    /// for it.
    pub promoted_batches_ratio: f32,
}
