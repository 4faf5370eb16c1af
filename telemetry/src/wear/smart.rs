//! Figures of a drive about itself, parsed from the JSON of `smartctl`: pure.
//!
//! Every value with the right name and type is taken, and others count as absent: drives, versions of smartctl and adapters report
//! different values. The figures are only shown and used for warnings.

use serde_json::Value;

/// Figures of a drive; none if the drive does not report them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Name of the model, by its maker.
    pub model: Option<String>,
    /// Used part of its life in hundredths, by its maker's estimate; may exceed 100.
    pub percentage_used: Option<u64>,
    /// Bytes that hosts wrote to it in all.
    pub written_bytes: Option<u64>,
    /// Bytes that hosts wrote according to the drive, if that is impossible; it then counts as absent.
    pub doubted_written_bytes: Option<u64>,
    /// Spare blocks left, in hundredths.
    pub spare_percent: Option<u64>,
    /// Spare blocks below which the maker advises replacement, in hundredths.
    pub spare_threshold_percent: Option<u64>,
    /// Critical warnings of `NVMe`, a bit each; 0 if all is well.
    pub critical_warning: Option<u64>,
    /// Result of its own check: true if it passes.
    pub passed: Option<bool>,
    /// Errors of the flash that it could not correct.
    pub media_errors: Option<u64>,
}

/// `NVMe` counts written data in thousands of 512 bytes.
const DATA_UNIT: u64 = 512_000;

/// ATA attributes for the part of the life that is left, as their normalised value, under smartctl's names; the better ones first.
const LIFE_LEFT: [&str; 6] = [
    "Percent_Lifetime_Remain",
    "SSD_Life_Left",
    "Remaining_Lifetime_Perc",
    "Media_Wearout_Indicator",
    "Wear_Leveling_Count",
    "Perc_Rated_Life_Remain",
];

/// ATA attributes for bytes written, and the unit of their raw value; none for logical sectors.
///
/// `Total_LBAs_Written` is smartctl's name for attribute 241 of all drives that its database does not know. According to its maintainer,
/// the unit varies, even between firmware versions; it is most likely a logical sector and never a physical one; and the device statistics
/// are to be preferred (issues 251 and 296 of smartmontools). They are preferred here, and a figure that is too small is doubted.
const WRITTEN: [(&str, Option<u64>); 8] = [
    ("Total_LBAs_Written", None),
    ("Lifetime_Writes_GiB", Some(1 << 30)),
    ("Host_Writes_GiB", Some(1 << 30)),
    ("Total_Writes_GiB", Some(1 << 30)),
    ("Host_Writes_32MiB", Some(32 << 20)),
    ("Total_Writes_32MiB", Some(32 << 20)),
    ("Host_Writes_MiB", Some(1 << 20)),
    ("Total_Host_Sector_Write", None),
];

/// Page of the ATA device statistics, and the offset of the number of logical sectors that hosts wrote.
const GENERAL_STATISTICS: u64 = 1;
const SECTORS_WRITTEN: u64 = 24;

/// ATA attributes for errors that could not be corrected.
const ERRORS: [&str; 2] = ["Reported_Uncorrect", "Offline_Uncorrectable"];

/// Parses the output of smartctl.
///
/// # Errors
/// Reason why there are no figures, for people.
pub(crate) fn parse(text: &[u8]) -> Result<Figures, String> {
    let document: Value =
        serde_json::from_slice(text).map_err(|_| "smartctl printed something that is no JSON".to_owned())?;
    let figures = Figures {
        model: document["model_name"].as_str().or(document["scsi_model_name"].as_str()).map(tidy),
        ..nvme(&document)
    };
    let ata = ata(&document);
    let figures = Figures {
        percentage_used: percent(&document["endurance_used"]["current_percent"])
            .or(figures.percentage_used)
            .or(ata.percentage_used)
            .or(percent(&document["scsi_percentage_used_endurance_indicator"])),
        written_bytes: figures.written_bytes.or(ata.written_bytes),
        spare_percent: figures.spare_percent.or(percent(&document["spare_available"]["current_percent"])),
        spare_threshold_percent: figures
            .spare_threshold_percent
            .or(percent(&document["spare_available"]["threshold_percent"])),
        media_errors: figures.media_errors.or(ata.media_errors),
        passed: document["smart_status"]["passed"].as_bool(),
        ..figures
    };
    let says_something = Figures { model: None, ..figures.clone() } != Figures::default();
    if says_something { Ok(figures) } else { Err(why_nothing(&document)) }
}

fn nvme(document: &Value) -> Figures {
    let log = &document["nvme_smart_health_information_log"];
    Figures {
        percentage_used: percent(&log["percentage_used"]),
        written_bytes: log["data_units_written"].as_u64().and_then(|units| units.checked_mul(DATA_UNIT)),
        spare_percent: percent(&log["available_spare"]),
        spare_threshold_percent: percent(&log["available_spare_threshold"]),
        critical_warning: log["critical_warning"].as_u64(),
        media_errors: log["media_errors"].as_u64(),
        ..Figures::default()
    }
}

fn ata(document: &Value) -> Figures {
    let none = Vec::new();
    let attributes = document["ata_smart_attributes"]["table"].as_array().unwrap_or(&none);
    let named = |name: &str| attributes.iter().find(|attribute| attribute["name"] == name);
    let raw = |name: &str| named(name)?["raw"]["value"].as_u64();
    let sector = document["logical_block_size"].as_u64().filter(|bytes| *bytes > 0).unwrap_or(512);
    let left = LIFE_LEFT.iter().find_map(|name| named(name)?["value"].as_u64());
    let written = || WRITTEN.iter().find_map(|(name, unit)| raw(name)?.checked_mul(unit.unwrap_or(sector)));
    let sectors = statistic(document, GENERAL_STATISTICS, SECTORS_WRITTEN);
    Figures {
        // Normalised values begin at 100, whatever their maximum.
        percentage_used: left.filter(|left| *left <= 100).map(|left| 100 - left),
        written_bytes: sectors.and_then(|sectors| sectors.checked_mul(sector)).or_else(written),
        media_errors: ERRORS.iter().find_map(|name| raw(name)),
        ..Figures::default()
    }
}

/// Returns a value of a page of the ATA device statistics, if the drive marks it as valid.
fn statistic(document: &Value, page: u64, offset: u64) -> Option<u64> {
    let pages = document["ata_device_statistics"]["pages"].as_array()?;
    let page = pages.iter().find(|listed| listed["number"] == page)?;
    let entries = page["table"].as_array()?;
    let entry =
        entries.iter().find(|listed| listed["offset"] == offset && listed["flags"]["valid"] == true)?;
    entry["value"].as_u64()
}

/// Returns a percentage; none if the value cannot be one. Those of `NVMe` may be up to 255.
fn percent(value: &Value) -> Option<u64> {
    value.as_u64().filter(|percent| *percent <= 255)
}

/// Returns the reason that smartctl gave instead of figures.
fn why_nothing(document: &Value) -> String {
    let none = Vec::new();
    let messages = document["smartctl"]["messages"].as_array().unwrap_or(&none);
    let is_error = |message: &&Value| message["severity"] == "error";
    let message = messages.iter().find(is_error).or(messages.first());
    match message.and_then(|message| message["string"].as_str()) {
        Some(said) => format!("smartctl reported: {}", tidy(said)),
        None => "the drive gives no such figures".to_owned(),
    }
}

/// Returns text of a drive or a tool, fit for one line.
fn tidy(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect();
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parsed(document: &Value) -> Result<Figures, String> {
        parse(document.to_string().as_bytes())
    }

    #[test]
    fn an_nvme_drive_says_all_of_it() {
        let document = json!({
            "smartctl": { "exit_status": 0 },
            "model_name": "Example 990 ",
            "smart_status": { "passed": true },
            "nvme_smart_health_information_log": {
                "critical_warning": 4, "available_spare": 97, "available_spare_threshold": 10,
                "percentage_used": 103, "data_units_written": 2_000_000, "media_errors": 3
            }
        });
        let expected = Figures {
            model: Some("Example 990".to_owned()),
            percentage_used: Some(103),
            written_bytes: Some(1_024_000_000_000),
            doubted_written_bytes: None,
            spare_percent: Some(97),
            spare_threshold_percent: Some(10),
            critical_warning: Some(4),
            passed: Some(true),
            media_errors: Some(3),
        };
        assert_eq!(parsed(&document), Ok(expected));
    }

    #[test]
    fn ata_drives_say_it_by_attributes_of_several_names() {
        for (name, value, raw, used, written) in [
            ("Wear_Leveling_Count", 91, 120, Some(9), None),
            ("Percent_Lifetime_Remain", 60, 40, Some(40), None),
            ("Media_Wearout_Indicator", 100, 0, Some(0), None),
            ("Wear_Leveling_Count", 200, 0, None, None),
            ("Total_LBAs_Written", 99, 1_000, None, Some(4_096_000)),
            ("Host_Writes_32MiB", 100, 3, None, Some(96 << 20)),
            ("Lifetime_Writes_GiB", 100, 2, None, Some(2 << 30)),
        ] {
            let attribute = json!({ "id": 1, "name": name, "value": value, "raw": { "value": raw } });
            let document = json!({
                "logical_block_size": 4096, "smart_status": { "passed": true },
                "ata_smart_attributes": { "table": [attribute] }
            });
            let figures = parsed(&document).expect("the status is there");
            assert_eq!((figures.percentage_used, figures.written_bytes), (used, written), "{name}");
        }
    }

    #[test]
    fn device_statistics_that_are_valid_go_before_attributes() {
        let written = |valid: bool, offset: u64| {
            let entry = json!({ "offset": offset, "value": 3_000_000, "flags": { "valid": valid } });
            let attribute = json!({ "name": "Total_LBAs_Written", "value": 99, "raw": { "value": 7 } });
            let document = json!({
                "ata_smart_attributes": { "table": [attribute] },
                "ata_device_statistics": { "pages": [{ "number": 0 }, { "number": 1, "table": [7, entry] }] }
            });
            parsed(&document).expect("there are figures").written_bytes
        };
        assert_eq!(written(true, 24), Some(3_000_000 * 512));
        assert_eq!([written(false, 24), written(true, 40)], [Some(7 * 512); 2]);
    }

    #[test]
    fn newer_smartctl_says_the_same_of_all_kinds_of_drives() {
        let document = json!({
            "scsi_model_name": "SAS", "endurance_used": { "current_percent": 12 },
            "spare_available": { "current_percent": 88, "threshold_percent": 5 }
        });
        let figures = parsed(&document).expect("there are figures");
        assert_eq!((figures.percentage_used, figures.spare_percent), (Some(12), Some(88)));
        assert_eq!((figures.spare_threshold_percent, figures.model.as_deref()), (Some(5), Some("SAS")));
        let older = json!({ "scsi_percentage_used_endurance_indicator": 7 });
        assert_eq!(parsed(&older).map(|figures| figures.percentage_used), Ok(Some(7)));
    }

    #[test]
    fn what_smartctl_says_instead_of_figures_is_the_reason() {
        let refused = json!({ "smartctl": { "exit_status": 2, "messages": [
            { "string": "A hint", "severity": "information" },
            { "string": "Smartctl open device: /dev/sda failed:\nPermission denied", "severity": "error" }
        ] } });
        let reason = parsed(&refused).unwrap_err();
        assert_eq!(reason, "smartctl reported: Smartctl open device: /dev/sda failed: Permission denied");
        assert!(parsed(&json!({ "model_name": "QEMU" })).unwrap_err().contains("no such figures"));
    }

    #[test]
    fn garbage_is_no_figure() {
        for text in [&b""[..], b"\xff\xfe", b"{", b"no JSON", b"null", b"[]", b"7", b"{}", b"\"x\""] {
            assert!(parse(text).is_err(), "{text:?}");
        }
        let wrong = json!({
            "model_name": 7, "smart_status": "passed", "endurance_used": { "current_percent": -1 },
            "ata_smart_attributes": { "table": [7, { "name": [], "raw": { "value": "x" } }] },
            "nvme_smart_health_information_log": { "percentage_used": "9", "data_units_written": u64::MAX,
                "available_spare": 1_000_000, "critical_warning": null, "media_errors": 1.5 }
        });
        assert!(parsed(&wrong).is_err(), "{:?}", parsed(&wrong));
    }
}
