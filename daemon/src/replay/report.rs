//! What a replay saw, for people and as a document.

use hdrhistogram::Histogram;
use serde_json::{Value, json};

use super::{Outcome, Plan, Side};
use crate::output;
use crate::units::Size;

/// Reads that the cache answered in full, and all reads, before or after a replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ratio {
    pub(crate) hits: u64,
    pub(crate) reads: u64,
}

impl Ratio {
    /// What the daemon says of a disk.
    pub(crate) fn of(statistics: &Value) -> Self {
        let count = |key: &str| statistics[key].as_u64().unwrap_or(0);
        Self { hits: count("read_hits_ram") + count("read_hits_flash"), reads: count("reads") }
    }

    /// The share of hits among the reads since `earlier`; `None` without reads.
    #[expect(clippy::cast_precision_loss, reason = "a ratio for people; counts stay far below 2^52")]
    fn since(self, earlier: Self) -> Option<f64> {
        let reads = self.reads.saturating_sub(earlier.reads);
        (reads > 0).then(|| self.hits.saturating_sub(earlier.hits) as f64 / reads as f64)
    }
}

/// The content of the document that `--json` prints, under `replay`.
pub(crate) fn json(plan: &Plan, outcome: &Outcome, before: Ratio, after: Ratio) -> Value {
    json!({
        "trace": plan.trace.display().to_string(),
        "disk": plan.disk,
        "requests": outcome.reads.requests + outcome.writes.requests,
        "reads": outcome.reads.requests,
        "writes": outcome.writes.requests,
        "read_bytes": outcome.reads.bytes,
        "write_bytes": outcome.writes.bytes,
        "left_out": plan.survey.left_out,
        "wrapped": outcome.wrapped,
        "reads_checked": outcome.checked,
        "mismatches": outcome.mismatches,
        "errors": outcome.errors,
        "seconds": outcome.elapsed.as_secs_f64(),
        "behind_max_seconds": outcome.behind_max.as_secs_f64(),
        "hit_ratio": after.since(before),
        "latency_us": { "read": latency(&outcome.reads), "write": latency(&outcome.writes) },
    })
}

fn latency(Side { latency_us, .. }: &Side) -> Value {
    let at = |quantile| latency_us.value_at_quantile(quantile);
    json!({
        "count": latency_us.len(),
        "mean": latency_us.mean(),
        "p50": at(0.5),
        "p95": at(0.95),
        "p99": at(0.99),
        "p999": at(0.999),
        "max": latency_us.max(),
    })
}

/// The same for people.
#[expect(clippy::cast_precision_loss, reason = "a rate for people")]
pub(crate) fn table(plan: &Plan, outcome: &Outcome, before: Ratio, after: Ratio) -> String {
    let requests = outcome.reads.requests + outcome.writes.requests;
    let seconds = outcome.elapsed.as_secs_f64();
    let ratio = after.since(before).map_or_else(|| "-".to_owned(), |ratio| format!("{:.1}%", ratio * 100.0));
    let mut pairs = vec![
        (
            "requests",
            format!("{requests} in {seconds:.1} s, {:.0} a second", requests as f64 / seconds.max(0.001)),
        ),
        ("reads", count(&outcome.reads)),
        ("writes", count(&outcome.writes)),
        ("left out", format!("{} records that read or write nothing", plan.survey.left_out)),
        ("mapped into the disk", outcome.wrapped.to_string()),
        ("reads answered by the cache", ratio),
        ("reads checked", outcome.checked.to_string()),
        ("wrong content", outcome.mismatches.to_string()),
        ("errors", outcome.errors.to_string()),
    ];
    if !outcome.behind_max.is_zero() {
        pairs.push(("late by at most", format!("{:.3} s", outcome.behind_max.as_secs_f64())));
    }
    let rows = [("read", &outcome.reads), ("write", &outcome.writes)]
        .map(|(name, side)| row(name, &side.latency_us));
    let headings = ["LATENCY", "COUNT", "MEAN", "P50", "P95", "P99", "P99.9", "MAX"];
    format!("{}\n{}", output::pairs(&pairs), output::table(&headings, &rows))
}

fn count(side: &Side) -> String {
    format!("{}, {}", side.requests, Size(side.bytes))
}

fn row(name: &str, latency_us: &Histogram<u64>) -> Vec<String> {
    let mut row = vec![name.to_owned(), latency_us.len().to_string()];
    if latency_us.is_empty() {
        row.extend(["-"; 6].map(str::to_owned));
        return row;
    }
    row.push(format!("{:.0} us", latency_us.mean()));
    row.extend(
        [0.5, 0.95, 0.99, 0.999].map(|quantile| format!("{} us", latency_us.value_at_quantile(quantile))),
    );
    row.push(format!("{} us", latency_us.max()));
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hit_ratio_is_that_of_the_replay_alone() {
        let before = Ratio { hits: 100, reads: 100 };
        assert_eq!(Ratio { hits: 101, reads: 104 }.since(before), Some(0.25));
        assert_eq!(before.since(before), None);
        let statistics = json!({ "read_hits_ram": 1, "read_hits_flash": 2, "reads": 4 });
        assert_eq!(Ratio::of(&statistics), Ratio { hits: 3, reads: 4 });
    }
}
