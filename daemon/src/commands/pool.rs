//! `forebay pool`: the flash of this host.

mod flash;
mod ram;
mod resize;
mod wear;

use std::path::Path;
use std::time::Duration;

use api::AddDevice;
use base::error::{Error, ErrorKind, Result};
use indicatif::ProgressBar;
use serde_json::Value;

use super::{client, print_change, read_and_print};
use crate::cli::{AddDeviceOptions, PoolAdd, PoolCommand, PoolRemove, PoolReplace};
use crate::client::{Client, Pause};
use crate::output::{self, list, number, percent, size, text, yes_or_no};
use crate::places::absolute;

pub(super) fn run(command: PoolCommand) -> Result<()> {
    match command {
        PoolCommand::Show(reading) => read_and_print(&reading, "/v1/pool", show),
        PoolCommand::Add(options) => add(options),
        PoolCommand::Remove(options) => remove(&options),
        PoolCommand::Replace(options) => replace(options),
        PoolCommand::Resize(options) => resize::resize(&options),
        PoolCommand::Set(options) => wear::set(options),
    }
}

fn add(options: PoolAdd) -> Result<()> {
    // Made absolute here: the daemon has another working directory.
    let path = absolute(&options.device)?;
    let document = add_device(&client(&options.reading.daemon)?, &path, options.taking, None)?;
    let has = size(&document["pool"]["size_bytes"]);
    let mut said = format!("{} is a device of the pool, which has {has} now\n", path.display());
    if let Some(reason) = document["pool"]["not_mirrored_reason"].as_str() {
        said.push_str(reason);
        said.push('\n');
    }
    print_change(&options.reading, &document, &said)
}

fn add_device(
    client: &Client,
    path: &Path,
    taking: AddDeviceOptions,
    replacing: Option<u32>,
) -> Result<Value> {
    let AddDeviceOptions { size, erase, same_drive } = taking;
    let size_bytes = size.map(|size| size.0);
    let request = AddDevice { path: path.to_owned(), size_bytes, erase, same_drive, replacing };
    client.post("/v1/pool/devices", &request)
}

/// Adds the new device first, so that the pool never has less flash than before.
fn replace(options: PoolReplace) -> Result<()> {
    let (old, new) = (absolute(&options.old)?, absolute(&options.new)?);
    let client = client(&options.reading.daemon)?;
    // Looked up before anything is changed. A device that failed may have been removed automatically.
    let before = client.get("/v1/pool")?;
    let device = list(&before["pool"]["devices"]).iter().find(|device| is_at(device, &old)).cloned();
    let was_lost = || list(&before["pool"]["devices_lost"]).iter().any(|path| is(path, &old));
    if device.is_none() && !was_lost() {
        let reason = format!("{}; to add a device: forebay pool add {}", none_of(&before), new.display());
        return Err(Error::missing(format!("Cannot replace {} in the pool: {reason}", old.display())));
    }
    let number = device.as_ref().and_then(|device| device["number"].as_u64());
    let replacing = number.and_then(|number| u32::try_from(number).ok());
    add_device(&client, &new, options.taking, replacing)?;
    if let Some(device) = device {
        match client.delete(&format!("/v1/pool/devices/{}", device["number"])) {
            Ok(_) => {}
            // Removed automatically meanwhile, because it failed.
            Err(problem) if problem.kind == ErrorKind::Missing => {}
            Err(Error { kind, message }) => {
                let message = format!("{} was added to the pool; {message}", new.display());
                return Err(Error { kind, message });
            }
        }
    }
    if options.reading.json {
        if options.wait {
            wait_for_copies(&client)?;
        }
        return output::print(&format!("{}\n", client.get("/v1/pool")?));
    }
    output::print(&format!("{} is a device of the pool in the place of {}\n", new.display(), old.display()))?;
    if let Some(reason) = client.get("/v1/pool")?["pool"]["not_mirrored_reason"].as_str() {
        output::print(&format!("{reason}\n"))?;
    }
    if options.wait {
        wait_for_copies(&client)?;
        output::print("Everything that is to have a second copy has one\n")?;
    }
    Ok(())
}

/// Time between polls of the missing second copies.
const LOOK_INTERVAL: Duration = Duration::from_millis(200);

fn wait_for_copies(client: &Client) -> Result<()> {
    let bar = ProgressBar::new(0).with_message("second copies");
    let mut most = 0;
    loop {
        let document = client.get("/v1/pool")?;
        let left = copies_left(&document["pool"]);
        if left == 0 {
            bar.finish_and_clear();
            return check_mirrored(client, &document["pool"]);
        }
        most = most.max(left);
        bar.set_length(most);
        bar.set_position(most - left);
        if client.pause(LOOK_INTERVAL) == Pause::Interrupted {
            return Err(Error::failed("Stopped waiting; second copies are made all the same".to_owned()));
        }
    }
}

/// Returns the number of second copies that are missing. That of the notes, which record what is dirty, is
/// one of them.
fn copies_left(pool: &Value) -> u64 {
    let notes_lack_one = pool["can_mirror"] == true && pool["notes_mirrored"] != true;
    pool["segments_uncopied"].as_u64().unwrap_or(0) + u64::from(notes_lack_one)
}

/// Refuses if second copies are not made for disks that should have them: then none of them counts as
/// missing.
fn check_mirrored(client: &Client, pool: &Value) -> Result<()> {
    let mut single = Vec::new();
    for disk in list(&client.get("/v1/disks")?["disks"]) {
        let may_be_dirty = match disk["dirty_bytes"].as_u64() {
            Some(bytes) => bytes > 0,
            None => disk["depends_on_pool"] == true,
        };
        if disk["mirrored"] == true || disk["mode"] != "write-back" && !may_be_dirty {
            continue;
        }
        let name = text(&disk["name"]);
        match client.get(&format!("/v1/disks/{name}")) {
            Ok(full) if full["disk"]["settings"]["redundancy"] == "mirror" => {
                single.push(format!("'{name}'"));
            }
            Ok(_) => {}
            // Removed meanwhile.
            Err(problem) if problem.kind == ErrorKind::Missing => {}
            Err(problem) => return Err(problem),
        }
    }
    if single.is_empty() {
        return Ok(());
    }
    let reason = if pool["can_mirror"] == true {
        "they are made once it is served: `forebay disk list` shows why it is not"
    } else {
        "the pool has no two devices that are large enough: `forebay pool show` lists them"
    };
    let noun = if single.len() == 1 { "disk" } else { "disks" };
    Err(Error::failed(format!("No second copies are made of {noun} {}; {reason}", single.join(", "))))
}

fn none_of(document: &Value) -> String {
    let named = |paths: Vec<String>| if paths.is_empty() { "none".to_owned() } else { paths.join(", ") };
    let pool = &document["pool"];
    let paths = named(list(&pool["devices"]).iter().map(|device| text(&device["path"])).collect());
    let lost = list(&pool["devices_lost"]).iter().map(text).collect::<Vec<_>>();
    let former = if lost.is_empty() { String::new() } else { format!("; it lost {}", named(lost)) };
    format!("it is none of its devices, which are {paths}{former}")
}

fn remove(options: &PoolRemove) -> Result<()> {
    let path = absolute(&options.device)?;
    let client = client(&options.reading.daemon)?;
    let document = client.get("/v1/pool")?;
    let devices = list(&document["pool"]["devices"]);
    let device = devices.iter().find(|device| is_at(device, &path)).ok_or_else(|| {
        let reason = none_of(&document);
        Error::missing(format!("Cannot take {} out of the pool: {reason}", path.display()))
    })?;
    let document = client.delete(&format!("/v1/pool/devices/{}", device["number"]))?;
    let has = size(&document["pool"]["size_bytes"]);
    let said = format!("{} is no longer a device of the pool, which has {has} now\n", text(&device["path"]));
    print_change(&options.reading, &document, &said)
}

/// Returns true if a device is the one at `path`, under any name.
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
        ("write budget", wear::budget(&pool["write_budget"])),
        ("RAM", ram::budget(&pool["ram"])),
    ];
    if let Some(reason) = pool["not_mirrored_reason"].as_str() {
        shown.push(("mirror", reason.to_owned()));
    }
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
    shown.push_str(&flash::show(&pool["flash"]));
    shown.push_str(&ram::show(&pool["ram"]));
    shown.push_str(&resize::show(list(&pool["devices"])));
    shown.push_str(&wear::show(list(&pool["devices"])));
    shown.push_str(&wear::show_budgets(list(&pool["devices"])));
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
    let share = cache::types::stats::ratio(nanos(shard, "busy_ns"), nanos(shard, "age_ns"));
    let (shard, disks) = (number(&shard["shard"]), number(&shard["disks"]));
    let noun = if disks == "1" { "disk" } else { "disks" };
    format!("{shard}: {disks} {noun}, busy {} of its time", percent(&share.into()))
}

fn nanos(shard: &Value, key: &str) -> u64 {
    shard[key].as_u64().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn notes_that_stand_on_one_device_are_waited_for_where_two_could_have_them() {
        let pool = |can_mirror, notes_mirrored, uncopied: u64| json!({ "can_mirror": can_mirror, "notes_mirrored": notes_mirrored, "segments_uncopied": uncopied });
        assert_eq!(copies_left(&pool(true, true, 0)), 0);
        assert_eq!(copies_left(&pool(true, false, 0)), 1);
        assert_eq!(copies_left(&pool(true, false, 3)), 4);
        assert_eq!(copies_left(&pool(false, false, 0)), 0, "there is nowhere to wait for");
    }
}
