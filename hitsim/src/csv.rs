//! Rows as comma-separated values.

use crate::run::Row;

const HEADINGS: &str = "policy,size_bytes,block_bytes,accesses,misses,miss_ratio,flash_writes_per_access,reads,read_misses,admitted_pages,\
    first_fill_pages,reappended_pages,overwritten_unread_pages,turnover1_accesses,turnover1_misses,turnover2_accesses,turnover2_misses,\
    again_accesses,again_misses,again_reads,again_read_misses";

/// Returns rows with their headings. Ratios have six digits. A value is empty where it does not exist: a policy from a paper has no log, a
/// cache that never fills has no turnover, and a single pass has no second one.
pub fn csv(rows: &[Row]) -> String {
    let mut lines = vec![HEADINGS.to_owned()];
    lines.extend(rows.iter().map(line));
    lines.join("\n") + "\n"
}

fn line(row: &Row) -> String {
    let layout = row.served.map(|layout| {
        [
            layout.admitted_pages,
            layout.first_fill_pages,
            layout.reappended_pages,
            layout.overwritten_unread_pages,
        ]
    });
    let turnovers = row.turnovers.map(|[one, two]| [one.accesses, one.misses, two.accesses, two.misses]);
    let again = row.again.map(|again| [again.accesses, again.misses, again.reads, again.read_misses]);
    let optional = [layout, turnovers, again].map(|values| match values {
        Some(values) => values.map(|value| value.to_string()).join(","),
        None => ",,,".to_owned(),
    });
    format!(
        "{},{},{},{},{},{:.6},{:.6},{},{},{}",
        row.point.policy,
        row.point.size_bytes,
        row.point.block_bytes,
        row.tally.accesses,
        row.tally.misses,
        row.miss_ratio(),
        row.flash_writes_per_access(),
        row.tally.reads,
        row.tally.read_misses,
        optional.join(",")
    )
}
