//! RAM of all disks, for people.

use serde_json::Value;

use crate::output::{self, list, size, text};

/// Returns the budget in a line.
pub(super) fn budget(ram: &Value) -> String {
    let Some(setting) = ram["setting"].as_str() else {
        return "off: each disk has its own".to_owned();
    };
    let at_present = size(&ram["budget_bytes"]);
    if setting == at_present {
        return format!("{setting} for all disks together");
    }
    format!("{setting} for all disks together, at present {at_present}")
}

/// Returns a table of the disks, with the RAM of each and the reason; empty if RAM is not divided.
pub(super) fn show(ram: &Value) -> String {
    let row = |disk: &Value| {
        vec![
            text(&disk["name"]),
            size(&disk["ram_bytes"]),
            size(&disk["ram_bytes_min"]),
            size(&disk["ram_bytes_max"]),
            text(&disk["reason"]),
        ]
    };
    let rows: Vec<Vec<String>> = list(&ram["disks"]).iter().map(row).collect();
    output::further_table(&["RAM OF", "SHARE", "MIN", "MAX", "WHY"], &rows)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ram_is_shown_with_the_reason_for_each_share() {
        let disks = json!([
            { "name": "web", "ram_bytes": 12 << 20, "ram_bytes_min": 1 << 20, "ram_bytes_max": null, "reason": "grows" },
            { "name": "db", "ram_bytes": 4 << 20, "ram_bytes_min": 2 << 20, "ram_bytes_max": 8 << 20, "reason": "at ram-min" },
        ]);
        let ram = json!({ "setting": "16MiB", "budget_bytes": 16 << 20, "disks": disks });
        assert_eq!(budget(&ram), "16MiB for all disks together");
        let shown = show(&ram);
        let lines: Vec<Vec<&str>> = shown.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[2], ["web", "12MiB", "1MiB", "-", "grows"], "{shown}");
        assert_eq!(lines[3], ["db", "4MiB", "2MiB", "8MiB", "at", "ram-min"], "{shown}");
        let auto = json!({ "setting": "auto", "budget_bytes": 1_u64 << 30, "disks": [] });
        assert_eq!(
            (budget(&auto).as_str(), show(&auto).as_str()),
            ("auto for all disks together, at present 1GiB", "")
        );
        assert_eq!(
            (budget(&Value::Null).as_str(), show(&Value::Null).as_str()),
            ("off: each disk has its own", "")
        );
    }
}
