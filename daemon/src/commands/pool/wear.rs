//! Wear of the pool's flash, for people: rated endurance of its drives, and write budgets. Figures of drives
//! are in decimal units, as in their data sheets.

use api::SetPool;
use base::error::{Error, Result};
use serde_json::Value;
use telemetry::wear::Decimal;

use super::{client, is_at, none_of, print_change, ram};
use crate::cli::PoolSet;
use crate::output::{self, list, number, percent, text};
use crate::places::absolute;

pub(super) fn set(options: PoolSet) -> Result<()> {
    let client = client(&options.reading.daemon)?;
    let device = match &options.device {
        None => None,
        Some(device) => {
            let path = absolute(device)?;
            let document = client.get("/v1/pool")?;
            let found = list(&document["pool"]["devices"]).iter().find(|device| is_at(device, &path));
            let number = found.and_then(|device| u32::try_from(device["number"].as_u64()?).ok());
            Some(number.ok_or_else(|| {
                let reason = none_of(&document);
                Error::missing(format!("Cannot change {} in the pool: {reason}", path.display()))
            })?)
        }
    };
    let request = SetPool { settings: options.settings.into_iter().collect(), device };
    let is_set = |key: &str| request.settings.contains_key(key);
    let (rates, limits, divides) = (is_set("rated-tbw"), is_set("write-budget"), is_set("ram"));
    let document = client.patch("/v1/pool", &request)?;
    let mut said = String::new();
    if rates {
        said.push_str(&ratings(&document, device));
    }
    if limits {
        said.extend(["Write budget: ", &budget(&document["pool"]["write_budget"]), "\n"]);
    }
    if divides {
        said.extend(["RAM: ", &ram::budget(&document["pool"]["ram"]), "\n"]);
    }
    print_change(&options.reading, &document, &said)
}

/// Returns the ratings of the selected devices.
fn ratings(document: &Value, device: Option<u32>) -> String {
    let devices = list(&document["pool"]["devices"]).iter();
    let meant = devices.filter(|listed| device.is_none_or(|device| listed["number"] == device));
    let lines = meant.map(|device| {
        let rated = &device["wear"]["rated_bytes"];
        match rated.as_u64() {
            Some(_) => format!("{} is rated for {}\n", text(&device["path"]), decimal(rated)),
            None => format!("The rated endurance of {} is not known\n", text(&device["path"])),
        }
    });
    lines.collect()
}

/// Returns the drive writes per day of a budget.
pub(super) fn budget(drive_writes: &Value) -> String {
    match drive_writes.as_f64() {
        Some(times) => format!("{times} drive writes a day of each device"),
        None => "none".to_owned(),
    }
}

/// Returns a table of devices that have a write budget, and its use.
pub(super) fn show_budgets(devices: &[Value]) -> String {
    let limited = devices.iter().filter(|device| !device["budget"].is_null());
    let row = |device: &Value| {
        let budget = &device["budget"];
        vec![
            text(&device["path"]),
            decimal(&budget["bytes_per_day"]),
            decimal(&budget["written_bytes"]),
            percent(&budget["used_ratio"]),
            percent(&budget["promoted_batches_ratio"]),
        ]
    };
    let rows: Vec<Vec<String>> = limited.map(row).collect();
    output::further_table(&["BUDGET OF", "A DAY", "LAST DAY", "USED", "PROMOTIONS"], &rows)
}

/// Returns a table of devices, with the wear of their drives.
pub(super) fn show(devices: &[Value]) -> String {
    let known: Vec<&Value> = devices.iter().filter(|device| !device["wear"].is_null()).collect();
    if known.is_empty() {
        return String::new();
    }
    let rows: Vec<Vec<String>> = known.iter().map(|device| row(device)).collect();
    let mut shown = String::from("\n");
    shown.push_str(&output::table(
        &["WEAR OF", "WRITTEN", "SINCE", "A DAY", "DRIVES A DAY", "RATED", "USED", "DAYS LEFT"],
        &rows,
    ));
    for device in known {
        for line in drives(&device["wear"]) {
            shown.extend([&text(&device["path"]), ": ", &line, "\n"]);
        }
    }
    shown
}

fn row(device: &Value) -> Vec<String> {
    let wear = &device["wear"];
    let since = text(&wear["counted_since"]);
    vec![
        text(&device["path"]),
        decimal(&wear["written_bytes"]),
        since.split('T').next().unwrap_or(&since).to_owned(),
        decimal(&wear["written_bytes_per_day"]),
        wear["drive_writes_per_day"].as_f64().map_or_else(|| "-".to_owned(), |times| format!("{times:.2}")),
        decimal(&wear["rated_bytes"]),
        wear["used_percent"].as_f64().map_or_else(|| "-".to_owned(), |percent| format!("{percent:.1}%")),
        number(&wear["days_left"]),
    ]
}

/// Returns the drives' own reports, a line each, or the reason for which there are none.
fn drives(wear: &Value) -> Vec<String> {
    if let Some(reason) = wear["drives_reason"].as_str() {
        return vec![format!("its drive is not known, because {reason}")];
    }
    list(&wear["drives"]).iter().map(drive).collect()
}

fn drive(drive: &Value) -> String {
    let name = text(&drive["name"]);
    let reason = drive["reason"].as_str();
    let old = drive["old_since"].as_str().zip(reason);
    if let (None, Some(reason)) = (old, reason) {
        return format!("on {name}, of which no SMART figures are known: {reason}");
    }
    let of = |key: &str| drive[key].as_u64();
    let model = drive["model"].as_str().map(|model| format!(" ({model})")).unwrap_or_default();
    let said = [
        of("percentage_used").map(|percent| format!("{percent}% of its life used")),
        of("written_bytes").map(|bytes| format!("{} written in all", Decimal(bytes))),
        of("doubted_written_bytes").map(|bytes| {
            format!("{} written in all, which is not trusted: it is less than Forebay wrote", Decimal(bytes))
        }),
        of("spare_percent").map(|percent| format!("{percent}% of its spare left")),
        of("media_errors").filter(|errors| *errors > 0).map(|errors| format!("{errors} errors of its flash")),
        of("critical_warning").filter(|bits| *bits > 0).map(|bits| format!("critical warning {bits:#x}")),
        (drive["passed"] == false).then(|| "fails its own check".to_owned()),
        old.map(|(since, reason)| format!("no newer figures since {since}: {reason}")),
    ];
    let said: Vec<String> = said.into_iter().flatten().collect();
    let said = if said.is_empty() { "passes its own check".to_owned() } else { said.join(", ") };
    format!("on {name}{model}: {said}")
}

/// Returns a number of bytes in decimal units.
fn decimal(value: &Value) -> String {
    value.as_u64().map_or_else(|| "-".to_owned(), |bytes| Decimal(bytes).to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn wear_is_shown_with_what_is_known_and_why_the_rest_is_not() {
        let wear = json!({
            "written_bytes": 12_300_000_000_000_u64, "counted_since": "2026-11-21T17:15:09Z",
            "written_bytes_per_day": 80_100_000_000_u64, "drive_writes_per_day": 0.08, "rated_bytes": 600_000_000_000_000_u64,
            "used_percent": 9.04, "days_left": 7334, "drives_reason": null,
            "drives": [
                { "name": "nvme0n1", "reason": null, "model": "Example", "percentage_used": 9, "spare_percent": 98,
                  "media_errors": 0, "critical_warning": 8, "passed": true },
                { "name": "sdb", "reason": "smartctl is not installed" },
                { "name": "sdc", "reason": "denied", "old_since": "2026-11-21T18:00:00Z", "percentage_used": 3,
                  "doubted_written_bytes": 5_000_000 }
            ]
        });
        let new = json!({ "written_bytes": 0, "counted_since": "2026-11-21T17:15:09Z", "drives_reason": "it is on loop0" });
        let devices = [
            json!({ "path": "/dev/a", "wear": wear }),
            json!({ "path": "b", "wear": new }),
            json!({ "wear": null }),
        ];
        let shown = show(&devices);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines.len(), 8, "{shown}");
        let cells = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(
            cells(lines[2]),
            ["/dev/a", "12.3TB", "2026-11-21", "80.1GB", "0.08", "600TB", "9.0%", "7334"]
        );
        assert_eq!(cells(lines[3]), ["b", "0", "bytes", "2026-11-21", "-", "-", "-", "-", "-"]);
        assert_eq!(
            lines[4],
            "/dev/a: on nvme0n1 (Example): 9% of its life used, 98% of its spare left, critical warning 0x8"
        );
        assert!(lines[5].contains("sdb") && lines[5].contains("not installed"), "{shown}");
        assert_eq!(
            lines[6],
            "/dev/a: on sdc: 3% of its life used, 5MB written in all, which is not trusted: it is less than Forebay wrote, \
             no newer figures since 2026-11-21T18:00:00Z: denied"
        );
        assert!(lines[7].contains("b: its drive is not known, because it is on loop0"), "{shown}");
        assert_eq!(show(&[]), "");
    }

    #[test]
    fn budgets_are_shown_with_what_is_spent_of_them() {
        let devices = [
            json!({ "path": "/dev/a", "budget": { "bytes_per_day": 500_000_000_000_u64, "written_bytes": 125_000_000_000_u64,
                "used_ratio": 0.25, "pressure": 0.75, "promoted_batches_ratio": 0.5 } }),
            json!({ "path": "/dev/b", "budget": { "bytes_per_day": 1_000_000_u64, "written_bytes": null, "used_ratio": null,
                "pressure": 0.5, "promoted_batches_ratio": 1.0 } }),
            json!({ "path": "/dev/c", "budget": null }),
        ];
        let shown = show_budgets(&devices);
        let lines: Vec<Vec<&str>> = shown.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[2], ["/dev/a", "500GB", "125GB", "25.0%", "50.0%"], "{shown}");
        assert_eq!(lines[3], ["/dev/b", "1MB", "-", "-", "100.0%"], "{shown}");
        assert_eq!((lines.len(), show_budgets(&devices[2..])), (4, String::new()));
        assert_eq!(budget(&json!(0.5)), "0.5 drive writes a day of each device");
        assert_eq!(budget(&Value::Null), "none");
    }
}
