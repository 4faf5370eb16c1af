//! `forebay pool`: the flash of this host.

use std::path::Path;
use std::time::Duration;

use indicatif::ProgressBar;
use serde_json::Value;

use super::{client, read_and_print};
use crate::api::AddDevice;
use crate::cli::{Pool, PoolAdd, PoolRemove, PoolReplace};
use crate::client::{Client, Pause};
use crate::output::{self, list, number, percent, size, text, yes_or_no};
use crate::places::absolute;
use crate::problem::{Answer, Problem, ProblemKind};

pub(super) fn run(command: Pool) -> Answer<()> {
    match command {
        Pool::Show(reading) => read_and_print(&reading, "/v1/pool", show),
        Pool::Add(options) => add(options),
        Pool::Remove(options) => remove(&options),
        Pool::Replace(options) => replace(options),
    }
}

fn add(options: PoolAdd) -> Answer<()> {
    // Made absolute here: the daemon has another working directory.
    let path = absolute(&options.device)?;
    let size_bytes = options.size.map(|size| size.0);
    let request = AddDevice { path: path.clone(), size_bytes, erase: options.erase };
    let document = client(&options.daemon)?.post("/v1/pool/devices", &request)?;
    let pool = &document["pool"];
    output::print(&format!(
        "{} is a device of the pool, which has {} now\n",
        path.display(),
        size(&pool["size_bytes"])
    ))
}

/// The new one first: there is no moment at which the pool has less than before.
fn replace(options: PoolReplace) -> Answer<()> {
    let (old, new) = (absolute(&options.old)?, absolute(&options.new)?);
    let client = client(&options.daemon)?;
    let size_bytes = options.size.map(|size| size.0);
    // Looked for before anything is changed. One that failed may have left by itself.
    let before = client.get("/v1/pool")?;
    let device = list(&before["pool"]["devices"]).iter().find(|device| is_at(device, &old)).cloned();
    let has_failed = || list(&before["pool"]["devices_failed"]).iter().any(|path| is(path, &old));
    if device.is_none() && !has_failed() && old.exists() {
        let reason = format!("{}; to add a device: forebay pool add {}", none_of(&before), new.display());
        return Err(Problem::missing(format!("Cannot replace {} in the pool: {reason}", old.display())));
    }
    client.post("/v1/pool/devices", &AddDevice { path: new.clone(), size_bytes, erase: options.erase })?;
    if let Some(device) = device {
        let left = client.delete(&format!("/v1/pool/devices/{}", device["number"]));
        // Gone by itself meanwhile, because it failed.
        left.map(drop)
            .or_else(|problem| if problem.kind == ProblemKind::Missing { Ok(()) } else { Err(problem) })?;
    }
    output::print(&format!("{} is a device of the pool in the place of {}\n", new.display(), old.display()))?;
    if options.wait { wait_for_copies(&client) } else { Ok(()) }
}

/// How often it is looked how many segments lack a second copy.
const LOOK_INTERVAL: Duration = Duration::from_millis(200);

fn wait_for_copies(client: &Client) -> Answer<()> {
    let bar = ProgressBar::new(0).with_message("second copies");
    let mut most = 0;
    loop {
        let document = client.get("/v1/pool")?;
        let left = document["pool"]["segments_uncopied"].as_u64().unwrap_or(0);
        if left == 0 {
            bar.finish_and_clear();
            return output::print("Everything that is to have a second copy has one\n");
        }
        most = most.max(left);
        bar.set_length(most);
        bar.set_position(most - left);
        if client.pause(LOOK_INTERVAL) == Pause::Interrupted {
            return Err(Problem::failed("Stopped waiting; second copies are made all the same".to_owned()));
        }
    }
}

fn none_of(document: &Value) -> String {
    let paths: Vec<String> =
        list(&document["pool"]["devices"]).iter().map(|device| text(&device["path"])).collect();
    let paths = if paths.is_empty() { "none".to_owned() } else { paths.join(", ") };
    format!("it is none of its devices, which are {paths}")
}

fn remove(options: &PoolRemove) -> Answer<()> {
    let path = absolute(&options.device)?;
    let client = client(&options.daemon)?;
    let document = client.get("/v1/pool")?;
    let devices = list(&document["pool"]["devices"]);
    let device = devices.iter().find(|device| is_at(device, &path)).ok_or_else(|| {
        let reason = none_of(&document);
        Problem::missing(format!("Cannot take {} out of the pool: {reason}", path.display()))
    })?;
    let document = client.delete(&format!("/v1/pool/devices/{}", device["number"]))?;
    output::print(&format!(
        "{} is no longer a device of the pool, which has {} now\n",
        text(&device["path"]),
        size(&document["pool"]["size_bytes"])
    ))
}

/// True if a device is what is at `path`, however it is named.
fn is_at(device: &Value, path: &Path) -> bool {
    is(&device["path"], path)
}

fn is(listed: &Value, path: &Path) -> bool {
    let Some(listed) = listed.as_str().map(Path::new) else { return false };
    listed == path || matches!((listed.canonicalize(), path.canonicalize()), (Ok(one), Ok(two)) if one == two)
}

fn show(document: &Value) -> String {
    let pool = &document["pool"];
    let mut shown = vec![
        ("path", text(&pool["path"])),
        ("id", text(&pool["id"])),
        ("state", text(&pool["state"])),
        ("size", size(&pool["size_bytes"])),
        ("usable", size(&pool["usable_bytes"])),
        ("reserved", size(&pool["reserved_bytes"])),
        ("segment", size(&pool["segment_bytes"])),
        ("segments", format!("{}, {} free", number(&pool["segments"]), number(&pool["segments_free"]))),
        ("disks", number(&pool["disks"])),
    ];
    if pool["segments_uncopied"].as_u64().is_some_and(|left| left > 0) {
        let left = number(&pool["segments_uncopied"]);
        shown.push(("mirror", format!("{left} segments lack their second copy, which is being made")));
    }
    for shard in list(&pool["shards"]) {
        shown.push(("shard", self::shard(shard)));
    }
    if let Some(reason) = pool["page_cache_reason"].as_str() {
        shown.push(("page cache", format!("used, because {reason}")));
    }
    shown.extend(list(&pool["warnings"]).iter().map(|warning| ("warning", text(warning))));
    let mut shown = output::pairs(&shown);
    let rows: Vec<Vec<String>> = list(&pool["devices"]).iter().map(row).collect();
    if !rows.is_empty() {
        shown.push_str(&output::table(
            &["DEVICE", "NUMBER", "STATE", "SIZE", "SEGMENTS", "FREE", "DISCARDS"],
            &rows,
        ));
    }
    shown
}

fn row(device: &Value) -> Vec<String> {
    vec![
        text(&device["path"]),
        number(&device["number"]),
        text(&device["state"]),
        size(&device["size_bytes"]),
        number(&device["segments"]),
        number(&device["segments_free"]),
        yes_or_no(&device["discards"]),
    ]
}

fn shard(shard: &Value) -> String {
    let share = cache::words::stats::ratio(nanos(shard, "busy_ns"), nanos(shard, "age_ns"));
    let (shard, disks) = (number(&shard["shard"]), number(&shard["disks"]));
    let noun = if disks == "1" { "disk" } else { "disks" };
    format!("{shard}: {disks} {noun}, busy {} of its time", percent(&share.into()))
}

fn nanos(shard: &Value, key: &str) -> u64 {
    shard[key].as_u64().unwrap_or(0)
}
