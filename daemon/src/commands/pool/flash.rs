//! Flash that disks share, for people.

use serde_json::Value;

use crate::output::{self, list, size, text};

/// Returns a table of the disks, with the flash that each is to have and the reason; empty if flash is not divided.
pub(super) fn show(flash: &Value) -> String {
    let row = |disk: &Value| {
        vec![
            text(&disk["name"]),
            size(&disk["flash_bytes"]),
            size(&disk["flash_bytes_held"]),
            size(&disk["flash_bytes_min"]),
            size(&disk["flash_bytes_max"]),
            text(&disk["reason"]),
        ]
    };
    let rows: Vec<Vec<String>> = list(flash).iter().map(row).collect();
    output::further_table(&["FLASH OF", "SHARE", "HELD", "RESERVE", "LIMIT", "WHY"], &rows)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn flash_is_shown_with_the_reason_for_each_share() {
        let flash = json!([{
            "name": "web", "flash_bytes": 12 << 20, "flash_bytes_held": 14 << 20, "flash_bytes_min": 1 << 20,
            "flash_bytes_max": 64 << 20, "reason": "at its reserve"
        }]);
        let shown = show(&flash);
        let last: Vec<&str> = shown.lines().last().unwrap_or_default().split_whitespace().collect();
        assert_eq!(last, ["web", "12MiB", "14MiB", "1MiB", "64MiB", "at", "its", "reserve"], "{shown}");
        assert_eq!((show(&json!([])).as_str(), show(&Value::Null).as_str()), ("", ""));
    }
}
