//! Rows as comma-separated values.

use crate::run::Row;

/// Rows with their headings. Ratios have six digits.
pub fn csv(rows: &[Row]) -> String {
    let mut lines =
        vec!["policy,size_bytes,block_bytes,accesses,misses,miss_ratio,flash_writes_per_access".to_owned()];
    lines.extend(rows.iter().map(|row| {
        format!(
            "{},{},{},{},{},{:.6},{:.6}",
            row.point.policy,
            row.point.size_bytes,
            row.point.block_bytes,
            row.accesses,
            row.misses,
            row.miss_ratio(),
            row.flash_writes_per_access()
        )
    }));
    lines.join("\n") + "\n"
}
