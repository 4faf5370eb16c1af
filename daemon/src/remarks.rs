//! Remarks on the keys of a disk: those without effect, or with less than they promise, with the reason and
//! the command that changes that; and the risk of write-back.

use api::Remark;
use base::units::Size;
use cache::{DirtyBound, Mode};

use crate::keys::{KEYS, RAM_BYTES_DEFAULT, Values};
use crate::shard::DiskReport;

/// Keys with an effect in write-back only.
const OF_WRITE_BACK: [&str; 9] = [
    "dirty-limit",
    "destage-rate-min",
    "destage-rate-max",
    "destage-order",
    "ring",
    "ring-size",
    "consistent-age-max",
    "consistency-set",
    "redundancy",
];
/// Keys with an effect only where something is cached.
const OF_CACHING: [&str; 8] =
    ["reserve", "limit", "ram", "ram-min", "ram-max", "admission", "sequential-cutoff", "read-balance"];

/// Returns the remarks on a disk that is served, in the order of its keys. `not_mirrored` is the reason for
/// which two devices are no mirror.
pub(crate) fn of_disk(
    name: &str,
    values: &Values,
    report: &DiskReport,
    not_mirrored: Option<&str>,
) -> Vec<Remark> {
    let mut remarks: Vec<Remark> = of_mode(values, report, not_mirrored).into_iter().collect();
    let set = without_effect(values, report.settings.mode);
    remarks.extend(set.into_iter().map(|(key, value)| Remark {
        key,
        text: format!("{key} {value} has no effect in {}", report.settings.mode),
    }));
    remarks.extend(of_ram(values, report));
    remarks.extend(of_limit(name, values, report));
    if report.settings.mode == Mode::WriteBack {
        remarks.extend(of_dirty_limit(name, values, report));
        remarks.extend(of_redundancy(values, report));
    }
    remarks.sort_by_key(|remark| KEYS.iter().position(|key| key.name == remark.key));
    remarks
}

/// Returns the remarks on a disk that is served without the pool, so without write-back.
pub(crate) fn without_pool(values: &Values) -> Vec<Remark> {
    let text = "write-back, in effect off, because the pool is missing: every write goes to the backing first; see \
                `forebay pool show`";
    let remark = Remark { key: "mode", text: text.to_owned() };
    values.writes_back().then_some(remark).into_iter().collect()
}

/// Returns the RAM that the disk has at present, if the pool divides RAM, or the host had too little at the start.
fn of_ram(values: &Values, report: &DiskReport) -> Option<Remark> {
    let ram = report.settings.ram_bytes;
    let differs = values.fixed_ram().is_none() && ram != RAM_BYTES_DEFAULT;
    differs.then(|| Remark {
        key: "ram",
        text: format!("auto, at present {}; see `forebay pool show`", Size(ram)),
    })
}

/// Returns the risk of write-back, in one sentence.
fn of_mode(values: &Values, report: &DiskReport, not_mirrored: Option<&str>) -> Option<Remark> {
    if !values.writes_back() || report.settings.mode != Mode::WriteBack {
        return None;
    }
    let most = Size(report.statistics.dirty_limit_bytes);
    let text = if let (true, Some(reason)) = (report.statistics.mirrored, not_mirrored) {
        format!("write-back, {reason}: losing that drive loses up to {most} of acknowledged writes")
    } else if report.statistics.mirrored {
        format!(
            "write-back on two devices: losing one of them loses nothing, losing both loses up to {most} of acknowledged writes"
        )
    } else {
        format!("write-back on one device: losing this SSD loses up to {most} of acknowledged writes")
    };
    Some(Remark { key: "mode", text })
}

/// Returns keys that were set and have no effect in this mode.
fn without_effect(values: &Values, mode: Mode) -> Vec<(&'static str, String)> {
    let idle: &[&str] = match mode {
        Mode::WriteBack => &[],
        Mode::WriteThrough | Mode::WriteAround => &OF_WRITE_BACK,
        Mode::PassThrough => &[&OF_WRITE_BACK[..], &OF_CACHING[..]].concat(),
    };
    let is_set = |(name, value): &(&str, String)| {
        idle.contains(name) && KEYS.iter().any(|key| key.name == *name && key.default != value)
    };
    values.named().into_iter().filter(is_set).collect()
}

fn of_limit(name: &str, values: &Values, report: &DiskReport) -> Option<Remark> {
    let wanted = report.settings.limit_bytes;
    let has = report.statistics.cache_bytes_max.saturating_sub(report.settings.ram_bytes);
    (values.has_limit() && has < wanted).then(|| Remark {
        key: "limit",
        text: format!(
            "limit {}, in effect {}, because the pool has no more for disk '{name}': forebay pool add DEVICE",
            Size(wanted),
            Size(has)
        ),
    })
}

fn of_dirty_limit(name: &str, values: &Values, report: &DiskReport) -> Option<Remark> {
    let room = report.statistics.dirty_room;
    let part = if report.statistics.mirrored { "an eighth" } else { "a quarter" };
    let needed = Size(room.reserve_bytes_wanted.div_ceil(1 << 20) << 20);
    let set = values.named().into_iter().find(|(key, _)| *key == "dirty-limit").map(|(_, value)| value);
    let has = report.statistics.cache_bytes_max.saturating_sub(report.settings.ram_bytes);
    let because = match room.bound {
        DirtyBound::Nothing => return of_least_dirty_limit(&set?, room.limit_bytes),
        DirtyBound::Reserve if needed.0 > has => format!(
            "that takes {needed} of flash, and this disk can have {} at most: forebay pool add DEVICE, or lower dirty-limit",
            Size(has)
        ),
        DirtyBound::Reserve => format!(
            "the reservation is {} and {part} of it may be dirty: forebay disk set {name} reserve={needed}, or reserve=auto",
            Size(report.settings.reserve_bytes)
        ),
        DirtyBound::Ring => format!(
            "half of the redo ring is to take everything that is dirty; for a larger one: forebay disk set {name} destage-order=address, \
             then destage-order=consistent ring-size=SIZE"
        ),
        DirtyBound::Limit => format!(
            "limit is {} and {part} of it may be dirty: forebay disk set {name} limit={needed}",
            Size(report.settings.limit_bytes)
        ),
        DirtyBound::Pool => format!(
            "that takes {needed} of flash, and other disks leave {}: forebay pool add DEVICE, or lower the reserve of another \
             disk",
            Size(room.reserve_bytes)
        ),
    };
    let wanted = match set {
        Some(value) if value == "auto" => format!("auto ({})", Size(room.wanted_bytes)),
        _ => Size(room.wanted_bytes).to_string(),
    };
    let text = format!("dirty-limit {wanted}, in effect {}, because {because}", Size(room.limit_bytes));
    Some(Remark { key: "dirty-limit", text })
}

/// Returns a remark on a limit below the least possible one.
fn of_least_dirty_limit(set: &str, least: u64) -> Option<Remark> {
    let wanted = set.parse::<Size>().ok().filter(|wanted| wanted.0 < least)?;
    let text = format!("dirty-limit {wanted}, in effect {}, because that is the least", Size(least));
    Some(Remark { key: "dirty-limit", text })
}

fn of_redundancy(values: &Values, report: &DiskReport) -> Option<Remark> {
    let wanted = values.named().into_iter().any(|(key, value)| key == "redundancy" && value == "mirror");
    (wanted && !report.statistics.mirrored).then(|| Remark {
        key: "redundancy",
        text: "redundancy mirror, in effect none, because the pool has no two devices that are large enough: forebay pool add \
               DEVICE"
            .to_owned(),
    })
}
