//! `forebay volume check` and `scrub`: what a volume needs is read, and checksums are compared.
//!
//! ```text
//!   check: reads beside every host, and changes nothing
//!   scrub: by the daemon that has the volume open, else opened for that time; garbage is deleted as well
//! ```

use std::time::Duration;

use ::volume::{CheckReport, Mark, Owner, Volume, VolumeSettings};
use api::ScrubDisk;
use base::error::{Error, Result};
use base::moment::{Moment, nanos_since_1970};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};

use super::super::client;
use super::super::disk::path_of;
use super::{SECOND_NS, StoreAccess, print, with_stores};
use crate::backing::{SCRUB_RATE, check_free, command_owner, refused_volume, scrub_volume};
use crate::cli::{StoreOptions, VolumeOne, VolumeScrub};
use crate::client::{Client, Pause};
use crate::documents;
use crate::output::{self, list, number, size, text};
use crate::places::host_name;
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
    let disk = served_disk(&client, volume);
    let report = match (disk, *stop) {
        (Some(disk), true) => return stop_scrub(&client, &disk, volume, store),
        (None, true) => {
            return Err(Error::conflict(format!(
                "Cannot stop a scrub of volume {volume}: no daemon that answers here has it open for writing"
            )));
        }
        (Some(disk), false) => scrub_by_daemon(&client, &disk, volume, rate.map(|rate| rate.0))?,
        (None, false) => scrub_alone(volume, store, rate.map_or(SCRUB_RATE, |rate| rate.0))?,
    };
    judge(volume, store, "volume-scrub", report)
}

/// Returns the name of the disk from which the daemon serves a volume for writing. None if there is none, or no daemon.
fn served_disk(client: &Client, volume: &VolumeName) -> Option<String> {
    let document = client.get("/v1/disks").ok()?;
    let backing = format!("volume:{volume}");
    let mut disks = list(&document["disks"]).iter();
    // One that is not served has no connections.
    let is_served = |disk: &&Value| {
        disk["backing"] == backing.as_str() && disk["read_only"] == false && !disk["connections"].is_null()
    };
    disks.find(is_served).map(|disk| text(&disk["name"]))
}

fn stop_scrub(client: &Client, disk: &str, volume: &VolumeName, store: &StoreOptions) -> Result<()> {
    client.delete(&format!("{}/scrub", path_of(disk)?))?;
    let text = format!("No scrub of volume {volume} runs any more\n");
    print(store, "volume", json!({ "volume": volume.to_string() }), &text)
}

fn scrub_by_daemon(client: &Client, disk: &str, volume: &VolumeName, rate: Option<u64>) -> Result<Value> {
    let path = path_of(disk)?;
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
        document = client.get(&path)?;
    }
}

/// Scrubs a volume that nobody has open.
fn scrub_alone(volume: &VolumeName, store: &StoreOptions, rate: u64) -> Result<Value> {
    let bar = progress_bar();
    let result = with_stores(store, async |access| scrub_opened(access, volume, rate, &bar).await);
    bar.finish_and_clear();
    let report = documents::scrub_report(&result?);
    Ok(serde_json::to_value(report).expect("plain data"))
}

async fn scrub_opened(
    access: &StoreAccess,
    volume: &VolumeName,
    rate: u64,
    bar: &ProgressBar,
) -> Result<crate::backing::ScrubResult> {
    let refused = |error| refused_volume(volume, &error);
    let client = access.client(volume)?;
    access.stores.probe(&volume.store, &client).await?;
    let summary = ::volume::peek(&client, &access.host, &volume.name).await.map_err(refused)?;
    check_free(volume, &summary.mark, None)?;
    let owner = Owner {
        id: command_owner(),
        host: host_name(),
        // If another host takes it meanwhile, that one has it.
        after: Some(summary.epochs),
    };
    let settings = VolumeSettings { wall_time: nanos_since_1970, ..VolumeSettings::default() };
    let opened = Volume::open(client, access.host.clone(), &volume.name, &owner, settings).await;
    let opened = opened.map_err(refused)?;
    let scrubbed =
        scrub_volume(&opened, &access.host, rate, &|done, all| show_progress(bar, done, all)).await;
    let closed = opened.close().await;
    // Its content is as it was: a host that has a part of it on flash may go on with that.
    let mark = Mark { host: None, ..summary.mark };
    let marks = opened.marks().expect("it is open for writing");
    let released = marks.replace(&mark).await;
    let result = scrubbed.map_err(refused)?;
    closed.map_err(refused)?;
    released.map_err(refused)?;
    Ok(result)
}

fn check_document(report: &CheckReport) -> Value {
    let as_of = (report.taken_at > 0).then(|| Moment(report.taken_at / SECOND_NS).to_string());
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
        "as_of": as_of,
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
        report["delete_error"] = "the store refuses".into();
        assert!(show_report(&report).contains("cannot be deleted: the store refuses"));
    }
}
