//! Metrics of wear: of the devices of the pool, their write budgets, and the drives that they are on.

use serde_json::{Value, json};

use super::text::{Family, MetricType};
use super::{KeyMetric, from_rows};

/// Key of a counter that restarts with the daemon, as Prometheus expects it: it treats a counter that falls
/// as reset, so the persistent counter is not exported.
const SINCE_START: &str = "written_bytes_since_start";

/// Keys of the wear of a device.
const OF_DEVICE: [(&str, &str, &str, MetricType, f64); 4] = [
    (
        SINCE_START,
        "forebay_device_written_bytes_total",
        "Everything that Forebay wrote to the device since it was started.",
        MetricType::Counter,
        1.0,
    ),
    (
        "rated_bytes",
        "forebay_device_rated_bytes",
        "Rated endurance of the drive, if that is set.",
        MetricType::Gauge,
        1.0,
    ),
    (
        "used_percent",
        "forebay_device_life_used_ratio",
        "Share of its life that is used: of the rating, or as the drive reports.",
        MetricType::Gauge,
        0.01,
    ),
    (
        "days_left",
        "forebay_device_life_left_seconds",
        "How long it lasts at the present rate of writing.",
        MetricType::Gauge,
        86_400.0,
    ),
];

/// Keys of the write budget of a device.
const OF_BUDGET: [(&str, &str, &str, MetricType, f64); 3] = [
    (
        "bytes_per_day",
        "forebay_device_write_budget_bytes",
        "Bytes that may be written to the device in a day, if there is a write budget.",
        MetricType::Gauge,
        1.0,
    ),
    (
        "pressure",
        "forebay_device_write_budget_pressure_ratio",
        "How far spending is ahead of the write budget: 0 not at all, 1 by all that may be spent ahead.",
        MetricType::Gauge,
        1.0,
    ),
    (
        "promoted_batches_ratio",
        "forebay_device_write_budget_promoted_batches_ratio",
        "Share of batches of promotions that the write budget admits.",
        MetricType::Gauge,
        1.0,
    ),
];

/// Keys of a drive.
const OF_DRIVE: [(&str, &str, &str, MetricType, f64); 6] = [
    (
        "written_bytes",
        "forebay_drive_written_bytes_total",
        "Bytes that hosts wrote to the drive in all, as it reports.",
        MetricType::Counter,
        1.0,
    ),
    (
        "percentage_used",
        "forebay_drive_life_used_ratio",
        "Share of its life that is used, as it reports.",
        MetricType::Gauge,
        0.01,
    ),
    ("spare_percent", "forebay_drive_spare_ratio", "Spare blocks that are left.", MetricType::Gauge, 0.01),
    (
        "critical_warning",
        "forebay_drive_critical_warning",
        "Critical warnings of NVMe, a bit each.",
        MetricType::Gauge,
        1.0,
    ),
    ("passed", "forebay_drive_passed", "1 if the drive passes its own check.", MetricType::Gauge, 1.0),
    (
        "media_errors",
        "forebay_drive_media_errors_total",
        "Errors that the drive could not correct.",
        MetricType::Counter,
        1.0,
    ),
];

pub(super) fn rows_of_devices() -> [KeyMetric; OF_DEVICE.len()] {
    OF_DEVICE.map(row)
}

pub(super) fn rows_of_budgets() -> [KeyMetric; OF_BUDGET.len()] {
    OF_BUDGET.map(row)
}

pub(super) fn rows_of_drives() -> [KeyMetric; OF_DRIVE.len()] {
    OF_DRIVE.map(row)
}

fn row((key, name, help, kind, scale): (&'static str, &str, &str, MetricType, f64)) -> KeyMetric {
    KeyMetric { key, name: name.to_owned(), help: help.to_owned(), kind, scale }
}

/// Returns the families of some devices of the pool.
pub(super) fn families(devices: &[&Value]) -> Vec<Family> {
    let text = |document: &Value, key: &str| document[key].as_str().unwrap_or_default().to_owned();
    let of_devices = devices.iter().map(|device| {
        let wear = with(&device["wear"], "device", &device["path"]);
        with(&wear, SINCE_START, &device[SINCE_START])
    });
    let of_devices: Vec<Value> = of_devices.collect();
    let of_budgets: Vec<Value> =
        devices.iter().map(|device| with(&device["budget"], "device", &device["path"])).collect();
    let of_drives = devices.iter().flat_map(|device| {
        let drives = device["wear"]["drives"].as_array().into_iter().flatten();
        drives.map(|drive| with(drive, "device", &device["path"]))
    });
    let of_drives: Vec<Value> = of_drives.collect();
    let mut families =
        from_rows(&rows_of_devices(), &each(&of_devices), &|wear| vec![("device", text(wear, "device"))]);
    families.extend(from_rows(&rows_of_budgets(), &each(&of_budgets), &|budget| {
        vec![("device", text(budget, "device"))]
    }));
    families.extend(from_rows(&rows_of_drives(), &each(&of_drives), &|drive| {
        vec![("device", text(drive, "device")), ("drive", text(drive, "name"))]
    }));
    families
}

fn each(documents: &[Value]) -> Vec<&Value> {
    documents.iter().collect()
}

/// Returns a document with one more key.
fn with(document: &Value, key: &str, value: &Value) -> Value {
    let mut all = document.as_object().cloned().unwrap_or_default();
    all.insert(key.to_owned(), value.clone());
    json!(all)
}

#[cfg(test)]
mod tests {
    use super::super::text::text;
    use super::*;

    #[test]
    fn wear_has_base_units_and_what_is_not_known_has_no_value() {
        let drive = json!({ "name": "nvme0n1", "percentage_used": 9, "media_errors": 2, "passed": true, "spare_percent": null });
        let devices = [
            json!({ "path": "/dev/a", "written_bytes_since_start": 7, "wear": { "written_bytes": 9, "rated_bytes": null, "used_percent": 12.5,
                "days_left": 2, "drives": [drive] },
                "budget": { "bytes_per_day": 500, "pressure": 0.5, "promoted_batches_ratio": 1.0 } }),
            json!({ "path": "/dev/b", "wear": null, "budget": null }),
        ];
        let text = text(&families(&each(&devices)));
        for line in [
            "forebay_device_written_bytes_total{device=\"/dev/a\"} 7",
            "forebay_device_life_used_ratio{device=\"/dev/a\"} 0.125",
            "forebay_device_life_left_seconds{device=\"/dev/a\"} 172800",
            "forebay_device_write_budget_bytes{device=\"/dev/a\"} 500",
            "forebay_device_write_budget_pressure_ratio{device=\"/dev/a\"} 0.5",
            "forebay_drive_life_used_ratio{device=\"/dev/a\",drive=\"nvme0n1\"} 0.09",
            "forebay_drive_media_errors_total{device=\"/dev/a\",drive=\"nvme0n1\"} 2",
            "forebay_drive_passed{device=\"/dev/a\",drive=\"nvme0n1\"} 1",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is missing:\n{text}");
        }
        assert!(!text.contains("/dev/b") && !text.contains("rated_bytes{") && !text.contains("spare_ratio{"));
    }
}
