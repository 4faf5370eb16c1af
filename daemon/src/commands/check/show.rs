//! Results of a check, for people and for programs.

use base::units::Size;
use block::PAGE;
use cache::{CheckedDisk, CheckedPool, IgnoredDevice};
use serde_json::{Value, json};

use super::{CheckOutcome, Names, Verdict, named};
use crate::output;

/// Returns one pool of the document.
pub(super) fn json(verdict: &Verdict) -> Value {
    let Verdict { paths, outcome } = verdict;
    let (pool, names) = match outcome {
        CheckOutcome::Checked(pool, names) => (pool, names),
        CheckOutcome::Refused(state, reason) => {
            return json!({ "path": paths[0], "paths": paths, "state": state, "reason": reason });
        }
    };
    let ignored =
        |IgnoredDevice { place, reason }: &IgnoredDevice| json!({ "path": paths[*place], "reason": reason });
    json!({
        "path": paths[0],
        "paths": paths,
        "devices": pool.devices,
        "devices_missing": pool.devices_missing,
        "ignored": pool.ignored.iter().map(ignored).collect::<Vec<_>>(),
        "state": state(pool),
        "reason": pool.dropped,
        "id": pool.id.to_string(),
        "size_bytes": pool.size_bytes,
        "segment_bytes": pool.segment_bytes,
        "segments": pool.segments,
        "segments_free": pool.segments_free,
        "segments_void": pool.segments_void,
        "segments_notes": pool.segments_notes,
        "damage": pool.damage,
        "disks": pool.disks.iter().map(|disk| disk_json(disk, names)).collect::<Vec<_>>(),
    })
}

fn disk_json(disk: &CheckedDisk, names: &Names) -> Value {
    json!({
        "number": disk.id.0,
        "name": name(disk, names),
        "cold": disk.cold,
        "segments": disk.segments,
        "pages_kept": disk.pages_kept,
        "kept_bytes": disk.pages_kept * PAGE,
        "pages_dirty": disk.pages_dirty,
        "dirty_bytes": disk.pages_dirty * PAGE,
        "pages_dropped": disk.pages_dropped,
        "versions_forgotten": disk.versions_forgotten,
        "pages_verified": disk.pages_verified,
        "pages_damaged": disk.pages_damaged,
        "pages_kept_damaged": disk.pages_kept_damaged,
        "pages_unfinished": disk.pages_unfinished,
        "regions_open": disk.regions_open,
        "damage": disk.damage,
    })
}

/// Returns the text for a pool; none for a device without a pool, which the error names.
pub(super) fn text(verdict: &Verdict) -> Option<String> {
    let Verdict { paths, outcome } = verdict;
    let CheckOutcome::Checked(pool, names) = outcome else { return None };
    let owned: u64 = pool.disks.iter().map(|disk| disk.segments).sum();
    let found = match state(pool) {
        "whole" => "whole: every checksum holds".to_owned(),
        "incomplete" => {
            format!("incomplete: {} of {} devices were not named", pool.devices_missing, pool.devices)
        }
        other => other.to_owned(),
    };
    let mut shown = vec![
        ("pool", named(paths)),
        ("id", pool.id.to_string()),
        ("state", found),
        ("size", Size(pool.size_bytes).to_string()),
        ("segments", segments(pool, owned)),
    ];
    shown.extend(pool.ignored.iter().map(|IgnoredDevice { place, reason }| {
        ("ignored", format!("{}: {reason}", paths[*place].display()))
    }));
    if let Some(reason) = pool.dropped {
        shown.push(("at start", format!("nothing is recovered: {reason}")));
    }
    let is_complete = pool.devices_missing == 0;
    shown.extend(pool.damage.iter().filter(|_| is_complete).map(|what| ("damage", what.clone())));
    for disk in pool.disks.iter().filter(|_| is_complete) {
        shown.extend(disk.damage.iter().map(|what| ("damage", format!("{}: {what}", label(disk, names)))));
    }
    let mut text = output::pairs(&shown);
    if !pool.disks.is_empty() {
        let rows: Vec<Vec<String>> = pool.disks.iter().map(|disk| row(disk, names)).collect();
        let headings = [
            "DISK",
            "COMES BACK",
            "DIRTY",
            "DROPPED",
            "OPEN REGIONS",
            "VERIFIED",
            "DAMAGED",
            "UNFINISHED",
            "AT START",
        ];
        text.push_str(&output::table(&headings, &rows));
    }
    Some(text)
}

/// Returns the state in a word for programs.
fn state(pool: &CheckedPool) -> &'static str {
    // Data on missing devices looks damaged.
    if pool.devices_missing > 0 {
        "incomplete"
    } else if pool.is_whole() {
        "whole"
    } else {
        "damaged"
    }
}

fn segments(pool: &CheckedPool, owned: u64) -> String {
    format!(
        "{} of {}: {owned} of disks, {} of notes, {} void, {} free",
        pool.segments,
        Size(pool.segment_bytes),
        pool.segments_notes,
        pool.segments_void,
        pool.segments_free
    )
}

fn row(disk: &CheckedDisk, names: &Names) -> Vec<String> {
    let size = |pages: u64| Size(pages * PAGE).to_string();
    vec![
        label(disk, names),
        size(disk.pages_kept),
        size(disk.pages_dirty),
        size(disk.pages_dropped),
        disk.regions_open.map_or_else(|| "all".to_owned(), |open| open.to_string()),
        size(disk.pages_verified),
        size(disk.pages_damaged),
        size(disk.pages_unfinished),
        disk.cold.as_ref().map_or_else(|| "warm".to_owned(), |reason| format!("cold: {reason}")),
    ]
}

fn label(disk: &CheckedDisk, names: &Names) -> String {
    name(disk, names).map_or_else(|| format!("number {}", disk.id), str::to_owned)
}

fn name<'a>(disk: &CheckedDisk, names: &'a Names) -> Option<&'a str> {
    names.iter().find(|(number, _)| *number == disk.id.0).map(|(_, name)| name.as_str())
}
