//! `forebay volume check` and `scrub`: what a volume needs is read, and checksums are compared.
//!
//! ```text
//!   check: reads beside every host, and changes nothing
//!   scrub: by the daemon that has the volume open, else opened for that time; garbage is deleted as well
//! ```

use std::time::Duration;

use ::volume::CheckReport;
use api::ScrubDisk;
use base::error::{Error, Result};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};

use super::super::client;
use super::access::{Route, route, served_disk, with_opened, with_stores};
use super::print;
use crate::backing::{SCRUB_RATE, refused_volume, scrub_volume};
use crate::cli::{StoreOptions, VolumeOne, VolumeScrub};
use crate::client::{Client, Pause};
use crate::documents;
use crate::output::{self, list, number, size, text};
use crate::stores::VolumeName;

/// Time between looks at the progress of a scrub.
const LOOK_INTERVAL: Duration = Duration::from_millis(200);
/// Ranges of a damaged object that are listed for people.
const RANGES_MAX: usize = 4;

pub(super) fn check(volume: &VolumeName, store: &StoreOptions) -> Result<()> {
    let bar = progress_bar();
    let report = with_stores(store, async |access| {
        let client = access.client(volume)?;
        let mut progress = |done, all| show_progress(&bar, done, all);
        let checked = ::volume::check(&client, &access.host, &volume.name, &mut progress).await;
        checked.map_err(|error| refused_volume(volume, &error))
    });
    bar.finish_and_clear();
    let document = check_document(&report?);
    judge(volume, store, "volume-check", document)
}

pub(super) fn scrub(options: &VolumeScrub) -> Result<()> {
    let VolumeScrub { one: VolumeOne { volume, store }, rate, stop, daemon } = options;
    let client = client(daemon)?;
    // If the daemon does not answer, the volume says whether one has it.
    let path = served_disk(&client, volume).unwrap_or_default();
    let report = match (path, *stop) {
        (Some(path), true) => return stop_scrub(&client, &path, volume, store),
        (None, true) => {
            return Err(Error::conflict(format!(
                "Cannot stop a scrub of volume {volume}: no daemon that answers here has it open for writing"
            )));
        }
        (Some(path), false) => scrub_by_daemon(&client, &path, volume, rate.map(|rate| rate.0))?,
        (None, false) => scrub_alone(&client, volume, store, rate.map_or(SCRUB_RATE, |rate| rate.0))?,
    };
    judge(volume, store, "volume-scrub", report)
}

fn stop_scrub(client: &Client, path: &str, volume: &VolumeName, store: &StoreOptions) -> Result<()> {
    client.delete(&format!("{path}/scrub"))?;
    let text = format!("No scrub of volume {volume} runs any more\n");
    print(store, "volume", json!({ "volume": volume.to_string() }), &text)
}

fn scrub_by_daemon(client: &Client, path: &str, volume: &VolumeName, rate: Option<u64>) -> Result<Value> {
    let bar = progress_bar();
    let mut document = client.post(&format!("{path}/scrub"), &ScrubDisk { bytes_per_second: rate })?;
    loop {
        let scrub = &document["disk"]["scrub"];
        let state = scrub["state"].as_str().unwrap_or_default();
        if state != "running" {
            bar.finish_and_clear();
            if state == "done" {
                return Ok(scrub["report"].clone());
            }
            let reason = scrub["reason"].as_str().unwrap_or("the disk was attached again meanwhile");
            return Err(Error::failed(format!("The scrub of volume {volume} ended early: {reason}")));
        }
        let bytes = |key: &str| scrub[key].as_u64().unwrap_or_default();
        show_progress(&bar, bytes("done_bytes"), bytes("all_bytes"));
        if client.pause(LOOK_INTERVAL) == Pause::Interrupted {
            bar.finish_and_clear();
            return Err(Error::failed(format!(
                "The scrub of volume {volume} goes on. `forebay volume scrub {volume}` shows it again; with --stop it ends"
            )));
        }
        document = client.get(path)?;
    }
}

/// Scrubs a volume that nobody has open.
fn scrub_alone(client: &Client, volume: &VolumeName, store: &StoreOptions, rate: u64) -> Result<Value> {
    let bar = progress_bar();
    let result = with_stores(store, async |access| {
        let found = match route(access, volume, client).await? {
            Route::Here(found) => found,
            Route::Daemon(_) => {
                return Err(Error::conflict(format!(
                    "Cannot scrub volume {volume}: a disk of the daemon opened it just now; try again"
                )));
            }
        };
        with_opened(access, volume, &found, async |opened| {
            let progress = |done, all| show_progress(&bar, done, all);
            let scrubbed = scrub_volume(opened, &access.host, rate, &progress, None).await;
            scrubbed.map_err(|error| refused_volume(volume, &error))
        })
        .await
    });
    bar.finish_and_clear();
    let report = documents::scrub_report(&result?);
    Ok(serde_json::to_value(report).expect("plain data"))
}

fn check_document(report: &CheckReport) -> Value {
    let damaged = report.damaged.iter().map(|object| {
        let ranges = object.ranges.iter().map(|range| json!({ "start": range.start, "length": range.len() }));
        json!({
            "object": object.name,
            "reason": object.reason,
            "bytes": object.bytes(),
            "ranges": ranges.collect::<Vec<_>>(),
        })
    });
    json!({
        "bytes": report.bytes,
        "as_of": documents::moment(report.taken_at),
        "objects": report.objects,
        "stored_bytes": report.stored_bytes,
        "mapped_bytes": report.mapped_bytes,
        "whole_bytes": report.whole_bytes,
        "orphans": report.orphans,
        "orphan_bytes": report.orphan_bytes,
        "damaged": damaged.collect::<Vec<_>>(),
    })
}

/// Prints the report of a check or a scrub, and fails if anything is damaged.
fn judge(volume: &VolumeName, store: &StoreOptions, kind: &str, mut report: Value) -> Result<()> {
    report["volume"] = volume.to_string().into();
    let shown = show_report(&report);
    let is_damaged = !list(&report["damaged"]).is_empty();
    print(store, kind, report, &shown)?;
    if is_damaged {
        return Err(Error::failed(format!(
            "Volume {volume} is damaged: restore what is lost from a backup, or write it again"
        )));
    }
    Ok(())
}

fn show_report(report: &Value) -> String {
    let of_objects = |bytes: &str, objects: &str| {
        format!("{} in {} objects", size(&report[bytes]), number(&report[objects]))
    };
    let mut pairs = vec![
        ("volume", text(&report["volume"])),
        ("size", size(&report["bytes"])),
        ("as of", report["as_of"].as_str().unwrap_or("its creation").to_owned()),
        ("content", size(&report["mapped_bytes"])),
        ("stored", of_objects("stored_bytes", "objects")),
    ];
    pairs.push(match report["delete_error"].as_str() {
        Some(reason) => ("not needed", format!("cannot be deleted: {reason}")),
        None if report["deleted"].is_null() => ("not needed", of_objects("orphan_bytes", "orphans")),
        None => ("deleted", of_objects("deleted_bytes", "deleted")),
    });
    let bytes = |key: &str| report[key].as_u64().unwrap_or_default();
    if bytes("repaired_bytes") + bytes("replaced_bytes") > 0 {
        pairs.push((
            "repaired",
            format!(
                "{} from the cache of the host; {} that guests replaced",
                size(&report["repaired_bytes"]),
                size(&report["replaced_bytes"])
            ),
        ));
    }
    if let Some(reason) = report["repair_error"].as_str() {
        pairs.push(("not repaired", reason.to_owned()));
    }
    let damaged = list(&report["damaged"]);
    pairs.push((
        "damaged",
        if damaged.is_empty() { "nothing".to_owned() } else { format!("{} objects", damaged.len()) },
    ));
    pairs.extend(damaged.iter().map(|object| ("", show_damaged(object))));
    output::pairs(&pairs)
}

fn show_damaged(object: &Value) -> String {
    let ranges = list(&object["ranges"]);
    let some = ranges.iter().take(RANGES_MAX).map(|range| {
        let start = range["start"].as_u64().unwrap_or_default();
        format!("{start}+{}", number(&range["length"]))
    });
    let mut some: Vec<String> = some.collect();
    if ranges.len() > RANGES_MAX {
        some.push(format!("{} more, see --json", ranges.len() - RANGES_MAX));
    }
    format!(
        "{}: {}; {} of the disk, at bytes {}",
        text(&object["object"]),
        text(&object["reason"]),
        size(&object["bytes"]),
        some.join(", ")
    )
}

/// Returns a bar for progress in bytes, shown on a terminal only.
fn progress_bar() -> ProgressBar {
    let template =
        "  reading {bar:20} {binary_bytes}/{binary_total_bytes}  {binary_bytes_per_sec}  {eta} left";
    let style = ProgressStyle::with_template(template).expect("a constant that follows its rules");
    ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr()).with_style(style)
}

fn show_progress(bar: &ProgressBar, done: u64, all: u64) {
    bar.set_length(all);
    bar.set_position(done);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_shows_what_is_damaged_with_the_first_ranges() {
        let range = |start: u64| json!({ "start": start, "length": 4096 });
        let ranges: Vec<Value> = (0..6).map(|at| range(at * 8192)).collect();
        let damaged =
            json!([{ "object": "data/1", "reason": "it is missing", "bytes": 24576, "ranges": ranges }]);
        let mut report = json!({
            "volume": "cold/a", "bytes": 1 << 30, "as_of": null, "objects": 3, "stored_bytes": 300, "mapped_bytes": 1 << 20,
            "orphans": 2, "orphan_bytes": 20, "damaged": damaged,
        });
        let shown = show_report(&report);
        for part in [
            "its creation",
            "in 3 objects",
            "in 2 objects",
            "1 objects",
            "it is missing",
            "at bytes 0+4096, 8192+4096",
            "2 more",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        report["damaged"] = json!([]);
        report["deleted"] = 7.into();
        report["deleted_bytes"] = 70.into();
        let shown = show_report(&report);
        assert!(shown.contains("nothing") && shown.contains("in 7 objects"), "{shown}");
        assert!(!shown.contains("repaired"), "{shown}");
        report["repaired_bytes"] = 8192.into();
        report["replaced_bytes"] = 0.into();
        assert!(show_report(&report).contains("8KiB from the cache"), "{}", show_report(&report));
        report["delete_error"] = "the store refuses".into();
        assert!(show_report(&report).contains("cannot be deleted: the store refuses"));
    }
}
