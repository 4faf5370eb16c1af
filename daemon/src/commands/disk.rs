//! `forebay disk`: adding, showing, changing and removing disks.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::Path;

use api::{AddDisk, RemoveDisk, SetDisk};
use base::error::{Error, ErrorKind, Result};
use base::names;
use block::SECTOR;
use serde_json::Value;

use super::accept;
use super::destage::{self, QuiesceOwner};
use super::recover;
use super::stats::time;
use super::{client, map, print_change, read_and_print};
use crate::backing::Location;
use crate::cli::{DiskAdd, DiskCommand, DiskName, DiskRemove, DiskResize, DiskSet, DiskShow, Reading};
use crate::connect::{self, Connect, ConnectClient, ConnectDocument, DiskAddresses, Door};
use crate::output::{self, list, number, percent, size, text};

pub(super) fn run(command: DiskCommand) -> Result<()> {
    match command {
        DiskCommand::Add(options) => add(*options),
        DiskCommand::List(reading) => read_and_print(&reading, "/v1/disks", show_list),
        DiskCommand::Show(options) => show(&options),
        DiskCommand::Set(options) => set(options),
        DiskCommand::Resize(options) => resize(&options),
        DiskCommand::Evict(options) => evict(&options),
        DiskCommand::Destage(options) => destage::destage(&options),
        DiskCommand::Quiesce(options) => destage::quiesce(&options),
        DiskCommand::Accept(options) => accept::accept(&options),
        DiskCommand::Resume(options) => destage::resume(&options),
        DiskCommand::Remove(options) => remove(&options),
        DiskCommand::Recover(options) => recover::run(&options),
    }
}

fn add(options: DiskAdd) -> Result<()> {
    let DiskAdd { name, backing, read_only, force_raw, reading, .. } = options;
    // Made absolute here: the daemon has another working directory.
    let backing = Location::parse(&backing)?.to_string();
    let given = [
        ("mode", options.mode),
        ("block-size", options.block_size),
        ("reserve", options.reserve),
        ("limit", options.limit),
        ("dirty-limit", options.dirty_limit),
        ("destage-rate-min", options.destage_rate_min),
        ("destage-rate-max", options.destage_rate_max),
        ("destage-order", options.destage_order),
        ("ring", options.ring),
        ("redundancy", options.redundancy),
        ("allow-unmarked", options.allow_unmarked.then(|| "yes".to_owned())),
        ("sector-size", options.sector_size),
        ("socket-owner", options.socket_owner),
        ("socket-group", options.socket_group),
        ("socket-mode", options.socket_mode),
    ];
    let given = given.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    let settings = unique_settings(given.chain(options.settings))?;
    let request = AddDisk { name, backing, read_only, force_raw, settings, guest: None };
    let document = client(&reading.daemon)?.post("/v1/disks", &request)?;
    let disk = &document["disk"];
    let said = format!(
        "Serving disk '{name}' ({size}, {mode}) at {socket}\n{remarks}`forebay disk show {name} --connect` shows how guests reach it\n",
        name = text(&disk["name"]),
        size = size(&disk["size_bytes"]),
        mode = text(&disk["mode"]),
        socket = text(&disk["nbd_socket"]),
        remarks = remarks(disk, |_| true),
    );
    let notes = limitations(disk)
        .map(|limitation| format!("Note: its backing promises less than others: {limitation}\n"));
    let said = said + &notes.collect::<String>();
    print_change(&reading, &document, &said)
}

/// Returns the limitations of the backing of a disk.
fn limitations(disk: &Value) -> impl Iterator<Item = String> {
    disk["backing_limitations"].as_array().into_iter().flatten().map(text)
}

/// Returns keys with their values, if each is given once.
///
/// # Errors
/// Names the key that is given twice: which value is meant is unknown.
fn unique_settings(given: impl IntoIterator<Item = (String, String)>) -> Result<BTreeMap<String, String>> {
    let mut settings = BTreeMap::new();
    for (key, value) in given {
        if let Some(other) = settings.insert(key.clone(), value.clone()) {
            let twice = format!("Cannot set {key} to both {other} and {value}: give it once");
            return Err(Error::invalid(twice));
        }
    }
    Ok(settings)
}

/// Returns the remarks on keys, one a line.
fn remarks(disk: &Value, is_wanted: impl Fn(&str) -> bool) -> String {
    let wanted =
        list(&disk["remarks"]).iter().filter(|remark| remark["key"].as_str().is_some_and(&is_wanted));
    wanted.flat_map(|remark| [text(&remark["text"]), "\n".to_owned()]).collect()
}

fn set(options: DiskSet) -> Result<()> {
    let path = path_of(&options.name)?;
    let settings = unique_settings(options.settings)?;
    let keys: Vec<String> = settings.keys().cloned().collect();
    let client = client(&options.reading.daemon)?;
    let drop_cached = options.yes || asks_to_drop(&client, &path, &options.name, &settings)?;
    let document = client.patch(&path, &SetDisk { settings, drop_cached })?;
    print_change(&options.reading, &document, &changed(&document["disk"], &keys))?;
    if document["disk"]["settings"]["mode"] != "write-back" && keys.iter().any(|key| key == "mode") {
        let disk = &document["disk"];
        if options.reading.json {
            return if options.wait { destage::wait_until_destaged(&client, &options.name) } else { Ok(()) };
        }
        return destage::after_write_back(&client, &options.name, disk, options.wait);
    }
    Ok(())
}

/// Returns the values that keys of a disk have since a change, with the remarks on them.
pub(super) fn changed(disk: &Value, keys: &[String]) -> String {
    let now = &disk["settings"];
    let shown: Vec<String> = keys.iter().map(|key| format!("{key}={}", text(&now[key.as_str()]))).collect();
    // A change of the mode affects every key.
    let changes_mode = keys.iter().any(|key| key == "mode");
    let remarks = remarks(disk, |key| changes_mode || keys.iter().any(|changed| changed == key));
    format!("Disk '{}' now has {}\n{remarks}", text(&disk["name"]), shown.join(" "))
}

/// Returns what is cached on flash of a disk, as text, if another block size would drop it.
pub(super) fn dropped(disk: &Value, settings: &BTreeMap<String, String>) -> Option<String> {
    let wanted = settings.get("block-size")?;
    let cached = &disk["statistics"]["cached_bytes"];
    let is_same = disk["settings"]["block-size"] == wanted.as_str();
    (!is_same && cached.as_u64() > Some(0)).then(|| size(cached))
}

/// Asks at the terminal whether another block size may drop the cache. Returns false if nothing would be
/// dropped, and if there is no terminal: then the daemon refuses.
fn asks_to_drop(
    client: &crate::client::Client,
    path: &str,
    name: &str,
    settings: &BTreeMap<String, String>,
) -> Result<bool> {
    if !settings.contains_key("block-size") || !std::io::stdin().is_terminal() {
        return Ok(false);
    }
    let Some(dropped) = dropped(&client.get(path)?["disk"], settings) else { return Ok(false) };
    let what = format!("Another block size drops the cached data of disk '{name}' on flash: {dropped}");
    accept::confirm(&format!("{what}.\nChange it? [y/N] "))?;
    Ok(true)
}

fn resize(options: &DiskResize) -> Result<()> {
    let path = format!("{}/resize", path_of(&options.name)?);
    let client = client(&options.reading.daemon)?;
    let document = client.post(&path, &())?;
    let of_mapped = map::resized(&client, &options.name, &document["resized"]["size_bytes"])?;
    if options.reading.json {
        return output::print(&format!("{document}\n"));
    }
    let resized = &document["resized"];
    let (name, now, before) =
        (&options.name, size(&resized["size_bytes"]), size(&resized["size_bytes_before"]));
    if resized["size_bytes"] == resized["size_bytes_before"] {
        return output::print(&format!("Disk '{name}' has {now}, as its backing: there is nothing to do\n"));
    }
    output::print(&format!(
        "Disk '{name}' has {now} now and had {before}\n\
         Guests of its vhost-user socket see that by themselves, those of its NBD socket when they connect again\n{of_mapped}"
    ))
}

fn evict(options: &DiskName) -> Result<()> {
    let path = format!("{}/evict", path_of(&options.name)?);
    let client = client(&options.reading.daemon)?;
    let quiesce = destage::quiesce_for_change(&client, &options.name)?;
    let evicted = client.post(&path, &());
    destage::end_quiesce(&client, &options.name, quiesce)?;
    let said =
        format!("Nothing is cached of disk '{}' any more, and no restart brings it back\n", options.name);
    print_change(&options.reading, &evicted?, &said)
}

fn remove(options: &DiskRemove) -> Result<()> {
    let path = path_of(&options.name)?;
    let client = client(&options.reading.daemon)?;
    let DiskRemove { discard_dirty, force, .. } = *options;
    // Removal of a disk in use is refused: do not destage it for that.
    let is_in_use = || -> Result<bool> { Ok(client.get(&path)?["disk"]["connections"].as_u64() > Some(0)) };
    let quiesce = if discard_dirty || (!force && is_in_use()?) {
        QuiesceOwner::NotOurs
    } else {
        destage::quiesce_for_change(&client, &options.name)?
    };
    let removed = client.delete_with(&path, &RemoveDisk { discard_dirty, force });
    if removed.as_ref().is_err_and(|problem| problem.kind == ErrorKind::Conflict) {
        destage::end_quiesce(&client, &options.name, quiesce)?;
    }
    let document = removed?;
    let content =
        if discard_dirty { "its backing has what was destaged" } else { "its backing keeps its content" };
    print_change(
        &options.reading,
        &document,
        &format!("Disk '{}' is no longer served; {content}\n", options.name),
    )
}

fn show(options: &DiskShow) -> Result<()> {
    let path = path_of(&options.name)?;
    if options.lost {
        return read_and_print(&options.reading, &format!("{path}/lost"), show_lost);
    }
    if let Some(client) = options.connect {
        return show_connect(&options.reading, &path, client, options.door);
    }
    read_and_print(&options.reading, &path, show_one)
}

pub(super) fn path_of(name: &str) -> Result<String> {
    names::check(name)?;
    Ok(format!("/v1/disks/{name}"))
}

fn show_list(document: &Value) -> String {
    let rows: Vec<Vec<String>> = list(&document["disks"])
        .iter()
        .map(|disk| {
            vec![
                text(&disk["name"]),
                text(&disk["mode"]),
                state(disk).to_owned(),
                size(&disk["size_bytes"]),
                size(&disk["block_bytes"]),
                size(&disk["reserve_bytes"]),
                size(&disk["limit_bytes"]),
                size(&disk["dirty_bytes"]),
                number(&disk["connections"]),
                text(&disk["backing"]),
            ]
        })
        .collect();
    if rows.is_empty() {
        return "No disks yet: `forebay disk add NAME --backing PATH` adds one\n".to_owned();
    }
    let headings =
        ["NAME", "MODE", "STATE", "SIZE", "BLOCK", "RESERVE", "LIMIT", "DIRTY", "GUESTS", "BACKING"];
    let mut shown = output::table(&headings, &rows);
    // Not in a column: the longest of them would widen it for all.
    let reasons = list(&document["disks"]).iter().filter_map(|disk| {
        Some(format!("\n{} is {}: {}\n", text(&disk["name"]), state(disk), reason(disk)?))
    });
    shown.extend(reasons);
    shown
}

fn show_one(document: &Value) -> String {
    let disk = &document["disk"];
    let (settings, statistics) = (&disk["settings"], &disk["statistics"]);
    let mut shown = vec![
        ("name", text(&disk["name"])),
        (
            "state",
            reason(disk).map_or_else(|| state(disk).to_owned(), |why| format!("{}: {why}", state(disk))),
        ),
        ("backing", text(&disk["backing"])),
        ("size", size(&disk["size_bytes"])),
        ("read-only", if disk["read_only"] == true { "yes" } else { "no" }.to_owned()),
    ];
    for key in crate::keys::KEYS {
        shown.push((key.name, text(&settings[key.name])));
    }
    shown.extend([
        ("reserved flash", size(&disk["reserve_bytes"])),
        ("flash at most", size(&disk["limit_bytes"])),
        ("cached on flash", size(&statistics["cached_bytes"])),
        ("cached in RAM", size(&statistics["ram_bytes"])),
        ("hit ratio", percent(&statistics["hit_ratio"])),
        ("dirty", dirty(disk)),
    ]);
    shown.extend(consistent(disk).map(|said| ("consistent", said)));
    let is_limited = ["iops-max", "bandwidth-max"].iter().any(|key| settings[*key] != "off");
    if is_limited || statistics["requests_delayed"].as_u64().is_some_and(|delayed| delayed > 0) {
        shown.push(("delayed by limits", delays(statistics)));
    }
    let doors: Vec<(String, &Value)> =
        list(&disk["doors"]).iter().map(|door| (door_name(door), door)).collect();
    shown.extend(doors.iter().map(|(name, door)| (&**name, text(&door["address"]))));
    shown.extend([("guests", guests(disk)), ("serial number", text(&disk["serial"]))]);
    shown.extend(load(&disk["load"]).map(|said| ("from last time", said)));
    shown.extend(properties(disk));
    shown.extend(scrub(disk).map(|said| ("scrub", said)));
    shown.extend(inabilities(disk));
    if let Some(reason) = disk["backing_state"]["reason"].as_str() {
        let since = disk["backing_state"]["for_seconds"].as_u64();
        let since = since.map_or(String::new(), |seconds| format!(" since {seconds} s"));
        shown.push(("backing state", format!("{}{since}: {reason}", text(&disk["backing_state"]["state"]))));
    }
    shown.extend(list(&disk["backing_warnings"]).iter().map(|warning| ("needs attention", text(warning))));
    shown.extend(limitations(disk).map(|limitation| ("backing promises less", limitation)));
    if let Some(sector) = disk["sector_bytes"].as_u64() {
        shown.push(("sectors", format!("{sector} bytes, as guests see them")));
    }
    if let Some(reason) = disk["page_cache_reason"].as_str() {
        shown.push(("page cache", format!("used, because {reason}")));
    }
    let remarks = remarks(disk, |_| true);
    let gap = if remarks.is_empty() { "" } else { "\n" };
    format!("{}{gap}{remarks}", output::pairs(&shown))
}

/// Returns the number of requests that limits delayed since the disk was attached, and their time.
pub(super) fn delays(statistics: &Value) -> String {
    match (statistics["requests_delayed"].as_u64(), statistics["request_delay_ns"].as_f64()) {
        (Some(0), _) => "nothing".to_owned(),
        (Some(requests), Some(nanos)) => {
            let micros = nanos / 1_000.0;
            #[expect(clippy::cast_precision_loss, reason = "a mean for people")]
            let mean = micros / requests as f64;
            format!("{requests} requests, {} all together, {} on average", time(micros), time(mean))
        }
        _ => text(&Value::Null),
    }
}

/// Returns the properties of a disk's backing that only its kind has.
fn properties(disk: &Value) -> impl Iterator<Item = (&str, String)> {
    list(&disk["backing_properties"]).iter().filter_map(|property| {
        let value = &property["value"];
        let shown = match (property["unit"].as_str()?, value.as_f64()) {
            ("bytes", _) => size(value),
            ("ratio", Some(ratio)) => show_ratio(ratio),
            ("count", _) => number(value),
            _ => text(value),
        };
        Some((property["title"].as_str()?, shown))
    })
}

/// Returns a ratio, and what it saves if that is anything.
fn show_ratio(ratio: f64) -> String {
    let saved = (100.0 * (1.0 - 1.0 / ratio)).round();
    if saved > 0.0 { format!("{ratio:.2}x, saves {saved} %") } else { format!("{ratio:.2}x") }
}

/// Returns the state of the scrubs of a disk's backing, if it has any.
fn scrub(disk: &Value) -> Option<String> {
    let (scrub, last) = (&disk["scrub"], &disk["scrub"]["last"]);
    let mut said = Vec::new();
    match scrub["state"].as_str()? {
        "running" => {
            said.push(format!("{} of {} read", size(&scrub["done_bytes"]), size(&scrub["all_bytes"])));
        }
        "failed" => said.push(format!("ended early: {}", text(&scrub["reason"]))),
        _ => {}
    }
    if let Some(ended_at) = last["ended_at"].as_str() {
        let damaged = match last["damaged_bytes"].as_u64() {
            Some(0) => "nothing damaged".to_owned(),
            _ => format!("{} DAMAGED, see `forebay volume check`", size(&last["damaged_bytes"])),
        };
        let repaired = match last["repaired_bytes"].as_u64() {
            None | Some(0) => String::new(),
            Some(_) => format!("{} repaired, ", size(&last["repaired_bytes"])),
        };
        said.push(format!("last {ended_at}: {} read, {repaired}{damaged}", size(&last["stored_bytes"])));
    }
    said.extend(scrub["next_at"].as_str().map(|next_at| format!("next {next_at}")));
    said.extend(scrub["waits"].as_str().map(|waits| format!("it waits, because {waits}")));
    (!said.is_empty()).then(|| said.join("; "))
}

/// Capabilities whose absence other lines report.
const TOLD_ELSEWHERE: [&str; 3] = ["flush", "persistence", "direct-io"];

/// Returns the unsupported capabilities of a disk's backing, with the reasons.
fn inabilities(disk: &Value) -> impl Iterator<Item = (&str, String)> {
    let all = list(&disk["backing_capabilities"]).iter().filter(|capability| capability["able"] == false);
    let others = all.filter(|capability| !TOLD_ELSEWHERE.iter().any(|name| capability["name"] == *name));
    others.filter_map(|capability| Some((capability["title"].as_str()?, text(&capability["reason"]))))
}

/// Returns the name of a frontend in words: that of its protocol, and that it is a socket of this host if it
/// is one.
fn door_name(door: &Value) -> String {
    let is_socket = door["address"].as_str().is_some_and(|address| {
        address.starts_with('/')
            && Path::new(address).extension().is_some_and(|extension| extension == "sock")
    });
    format!("{}{}", text(&door["title"]), if is_socket { " socket" } else { "" })
}

/// Returns the number of guests, with their frontends.
fn guests(disk: &Value) -> String {
    let used = list(&disk["doors"]).iter().filter(|door| door["connections"].as_u64() > Some(0));
    let used: Vec<String> =
        used.map(|door| format!("{} over {}", number(&door["connections"]), text(&door["title"]))).collect();
    let all = number(&disk["connections"]);
    if used.is_empty() { all } else { format!("{all}: {}", used.join(", ")) }
}

/// Remark on a disk whose second copies are not possible.
const NOT_MIRRORED: &str =
    "NOT mirrored, because the pool has no two devices for that: see `forebay pool show`";

/// Returns the amount of dirty data, and its age.
fn dirty(disk: &Value) -> String {
    let mut said = Vec::new();
    said.push(match disk["dirty_bytes"].as_u64() {
        None => return text(&Value::Null),
        Some(0) if disk["dirty_zeroes_bytes"] == 0 => "nothing".to_owned(),
        Some(_) => format!(
            "{} and {} of zeroes, for {} s",
            size(&disk["dirty_bytes"]),
            size(&disk["dirty_zeroes_bytes"]),
            number(&disk["dirty_for_seconds"])
        ),
    });
    if disk["mode"] == "write-back" {
        said.push(format!("at most {}", size(&disk["dirty_limit_bytes"])));
    }
    match disk["segments_uncopied"].as_u64() {
        _ if disk["mirrored"] != true => {
            let wanted = disk["mode"] == "write-back" && disk["settings"]["redundancy"] == "mirror";
            said.extend(wanted.then(|| NOT_MIRRORED.to_owned()));
        }
        _ if disk["not_mirrored_reason"].is_string() => said.push(text(&disk["not_mirrored_reason"])),
        Some(0) => said.push("mirrored".to_owned()),
        _ => said.push(format!("{} segments lack a second copy", number(&disk["segments_uncopied"]))),
    }
    if disk["lost_bytes"].as_u64().is_some_and(|lost| lost > 0) {
        let name = text(&disk["name"]);
        said.push(format!("{} LOST, see `disk show {name} --lost`", size(&disk["lost_bytes"])));
    }
    let quiesce = &disk["quiesce"];
    said.extend(match quiesce["state"].as_str() {
        Some("destaging") => Some("being destaged".to_owned()),
        Some("quiesced") => Some(format!("quiesced for {} s", number(&quiesce["seconds_left"]))),
        Some("failed") => Some(format!("could not be quiesced: {}", text(&quiesce["reason"]))),
        _ => None,
    });
    said.join("; ")
}

/// Returns the time as of which losing all flash would leave a disk in consistent write-back, and the fill of its redo ring.
fn consistent(disk: &Value) -> Option<String> {
    let ring = disk["ring_path"].as_str();
    let mut said = vec![match disk["consistent_as_of"].as_str() {
        None if ring.is_none() => return None,
        None => "not yet: without its flash, the backing is a mix".to_owned(),
        Some(time) => format!("as of {time}, {} s old", number(&disk["consistent_age_seconds"])),
    }];
    said.extend(ring.map(|ring| {
        format!("{} of {} used in {ring}", size(&disk["ring_used_bytes"]), size(&disk["ring_bytes"]))
    }));
    let set = &disk["consistency_set"];
    if set.is_object() {
        let (name, promising, members) =
            (text(&set["name"]), number(&set["promising"]), number(&set["members"]));
        said.push(format!("of one time with set '{name}' ({promising} of {members} disks)"));
    }
    said.extend(match (set["waits_for"].as_str(), disk["ring_error"].as_str()) {
        (Some(reason), _) => Some(format!("WAITS: {reason}")),
        (None, error) => error.map(|error| format!("STUCK: {error}")),
    });
    Some(said.join("; "))
}

fn show_lost(document: &Value) -> String {
    let lost = &document["lost"];
    let ranges = list(&lost["ranges"]);
    if ranges.is_empty() {
        return format!("Nothing of disk '{}' was lost\n", text(&lost["name"]));
    }
    let rows: Vec<Vec<String>> =
        ranges.iter().map(|range| vec![number(&range["start"]), number(&range["length"])]).collect();
    output::table(&["START", "LENGTH"], &rows)
}

/// Returns the recovery of the cache when the disk was attached.
fn load(load: &Value) -> Option<String> {
    let kept = || format!("{} is back", size(&load["kept_bytes"]));
    Some(match load["state"].as_str()? {
        "loading" => "it is being loaded".to_owned(),
        "cold" => format!("nothing: {}", text(&load["reason"])),
        _ if load["dropped_bytes"] == 0 => kept(),
        _ => format!("{}, {} may have changed and is not trusted", kept(), size(&load["dropped_bytes"])),
    })
}

/// Shows how clients connect. Composed here, for a document too: connection lines depend on the client,
/// not on the daemon.
fn show_connect(
    reading: &Reading,
    path: &str,
    asked: Option<ConnectClient>,
    door: Option<Door>,
) -> Result<()> {
    let document = client(&reading.daemon)?.get(path)?;
    let disk = &document["disk"];
    let (name, nbd, vhost_user) =
        (text(&disk["name"]), text(&disk["nbd_socket"]), text(&disk["vhost_socket"]));
    let read_only = disk["read_only"] == true;
    let nbd_uri = disk["nbd_uri"].as_str();
    let qemu = connect::installed::qemu();
    // Unknown for a disk that was never served.
    let sector_bytes = disk["sector_bytes"].as_u64().unwrap_or(SECTOR);
    let doors = DiskAddresses {
        name: &name,
        read_only,
        sector_bytes,
        nbd: &nbd,
        nbd_uri,
        vhost_user: &vhost_user,
        qemu,
    };
    if reading.json {
        let connect = Connect::at_doors(&doors, |form| {
            asked.is_none_or(|client| form.name == client) && door.is_none_or(|door| form.door == door)
        });
        let document = serde_json::to_string(&ConnectDocument::of(connect)).expect("plain data");
        return output::print(&format!("{document}\n"));
    }
    let lines = match (asked, door) {
        (None, None) => connect::overview(&doors)?,
        (client, door) => connect::answer(&doors, client.unwrap_or(ConnectClient::Qemu), door)?,
    };
    output::print(&lines)
}

/// Returns the state of a disk in one word: a fault of its backing takes precedence over "serving".
pub(super) fn state(disk: &Value) -> &str {
    match (disk["state"].as_str(), disk["backing_state"]["state"].as_str()) {
        (Some("serving"), Some(backing)) if backing != "good" => backing,
        (state, _) => state.unwrap_or(output::NOTHING),
    }
}

/// Returns the reason for which a disk is not served normally, if there is one.
fn reason(disk: &Value) -> Option<String> {
    let backing = &disk["backing_state"];
    let of_backing = || {
        let reason = backing["reason"].as_str()?;
        let since = backing["for_seconds"].as_u64().filter(|_| backing["state"] == "failing");
        Some(since.map_or_else(
            || reason.to_owned(),
            |seconds| format!("its backing has failed for {seconds} s: {reason}"),
        ))
    };
    disk["reason"].as_str().map(str::to_owned).or_else(of_backing)
}
