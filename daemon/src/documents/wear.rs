//! Documents of wear and write budgets.

use api::wear::{Budget, By, Drive, Wear};
use base::units::ratio;
use cache::BudgetStatistics;

use telemetry::wear::{Asked, Estimate, Figures, Lately, Source, Worn};

/// Returns the document of a device's write budget.
pub(super) fn budget(budget: BudgetStatistics, worn: Option<&Worn>) -> Budget {
    let BudgetStatistics { bytes_a_day, pressure, share } = budget;
    let lately = worn.and_then(|worn| worn.lately);
    let written_bytes = lately.map(|Lately { bytes, .. }| bytes);
    Budget {
        bytes_per_day: bytes_a_day,
        written_bytes,
        written_seconds: lately.map(|Lately { seconds, .. }| seconds),
        used_ratio: written_bytes.and_then(|bytes| ratio(bytes, bytes_a_day)),
        pressure,
        promoted_batches_ratio: share,
    }
}

/// Returns the document of the wear of a device.
pub(super) fn wear(worn: &Worn) -> Wear {
    let Worn { counted: (written_bytes, since), rated_bytes, estimate, .. } = worn;
    let Estimate { bytes_per_day, drive_writes_per_day, written, used_percent, days_left, worries, .. } =
        estimate;
    Wear {
        written_bytes: *written_bytes,
        counted_since: since.to_string(),
        written_bytes_per_day: *bytes_per_day,
        drive_writes_per_day: *drive_writes_per_day,
        drive_written_bytes: (written.1 == Source::Drive).then_some(written.0),
        rated_bytes: *rated_bytes,
        used_percent: used_percent.map(|(percent, _)| percent),
        used_percent_by: used_percent.map(|(_, source)| worked_out_by(source)),
        days_left: days_left.map(|(days, _)| days),
        days_left_by: days_left.map(|(_, source)| worked_out_by(source)),
        worries: worries.iter().map(|worry| worry.text.clone()).collect(),
        drives_reason: worn.why_no_drives().map(str::to_owned),
        drives: worn.drives().iter().map(drive).collect(),
    }
}

fn worked_out_by(source: Source) -> By {
    match source {
        Source::Drive => By::Drive,
        Source::Counted | Source::Rating => By::Rating,
    }
}

fn drive(asked: &Asked) -> Drive {
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
    Drive {
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
