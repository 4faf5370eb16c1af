//! What the control socket says: the JSON documents that `--json` prints, and what changes are asked with.
//!
//! Every document has `"schema": 1` and one fixed key beside it. Keys are those of the documentation; none is ever
//! missing, what is not known is `null`.

mod statistics;

use std::collections::BTreeMap;
use std::path::PathBuf;

use block::ByteRange;
use cache::{DeviceState, DeviceStatistics, Load, MemberNumber};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::places::Places;
use crate::registry::{DiskView, PoolView};
use crate::shard::{DiskReport, PoolReport, Quietness, ShardReport};
use crate::state::{GuestRecord, Stage};
pub(crate) use statistics::{histograms, statistics};

/// Version of all documents.
const SCHEMA: u64 = 1;

/// Asks for a new disk.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AddDisk {
    /// Its name.
    pub(crate) name: String,
    /// Where its data lives; a path must be absolute.
    pub(crate) backing: String,
    /// Refuse writes.
    #[serde(default)]
    pub(crate) read_only: bool,
    /// Serve a file that looks like an image as the bytes that it is.
    #[serde(default)]
    pub(crate) raw_anyway: bool,
    /// Keys and values; those that are left out have their defaults.
    #[serde(default)]
    pub(crate) settings: BTreeMap<String, String>,
    /// The running guest whose QEMU has it open; then it is served beside that QEMU until it is taken over.
    #[serde(default)]
    pub(crate) guest: Option<Guest>,
}

/// A running guest whose disk is to be moved.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Guest {
    /// Its QEMU's QMP socket, absolute.
    pub(crate) qmp: PathBuf,
    /// The device as the user named it.
    pub(crate) device: String,
    /// How its QEMU has the disk open. Kept and given back as it is.
    pub(crate) original: Value,
}

/// Asks for one more device of the pool.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AddDevice {
    /// The file or device; absolute.
    pub(crate) path: PathBuf,
    /// Make a file of so many bytes there.
    #[serde(default)]
    pub(crate) size_bytes: Option<u64>,
    /// The id of what it holds and may be erased.
    #[serde(default)]
    pub(crate) erase: Option<String>,
}

/// Asks for changes to a disk.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetDisk {
    /// Keys and values.
    pub(crate) settings: BTreeMap<String, String>,
}

/// Asks for a disk to be kept from becoming dirty.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct QuiesceDisk {
    /// For how long, from when nothing is dirty.
    pub(crate) seconds: u64,
}

/// How a disk is removed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RemoveDisk {
    /// What its backing does not have is given up.
    #[serde(default)]
    pub(crate) lose_dirty: bool,
}

/// A failure, as RFC 9457 has it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ProblemDocument {
    /// Always `about:blank`: the status says what kind it is.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// The status in words.
    pub(crate) title: String,
    /// The status in digits.
    pub(crate) status: u16,
    /// What was tried, and what to do next.
    pub(crate) detail: String,
}

/// `{"schema":1,"<key>":<content>}`.
pub(crate) fn document(key: &str, content: impl Into<Value>) -> Value {
    let mut document = Map::new();
    document.insert("schema".to_owned(), SCHEMA.into());
    document.insert(key.to_owned(), content.into());
    Value::Object(document)
}

/// A disk in a list: what it is and how it stands.
pub(crate) fn disk_summary(view: &DiskView, places: &Places) -> Value {
    let mut disk = head(view);
    let report = view.report.as_ref().ok();
    let more = json!({
        "reason": reason(view),
        "backing": view.record.backing,
        "backing_state": report.map(backing_state),
        "read_only": view.record.read_only,
        "nbd_socket": places.nbd_socket(&view.record.name),
        "connections": report.map(|report| report.connections),
        "shard": report.map(|report| report.shard),
    });
    merge(&mut disk, more);
    merge(&mut disk, dirt(view));
    Value::Object(disk)
}

/// Whether the backing does what it is asked for.
fn backing_state(report: &DiskReport) -> Value {
    let trouble = report.trouble.as_ref();
    json!({
        "state": if trouble.is_some() { "failing" } else { "good" },
        "for_seconds": trouble.map(|trouble| trouble.for_ns / 1_000_000_000),
        "reason": trouble.map(|trouble| &trouble.reason),
    })
}

/// What of a disk its backing does not have.
fn dirt(view: &DiskView) -> Value {
    let report = view.report.as_ref().ok();
    let statistics = report.map(|report| &report.statistics);
    json!({
        "dirty_bytes": statistics.map(|statistics| statistics.dirty_bytes),
        "dirty_zeroes_bytes": statistics.map(|statistics| statistics.dirty_zeroes_bytes),
        "dirty_limit_bytes": statistics.map(|statistics| statistics.dirty_limit_bytes),
        "dirty_for_seconds": statistics.map(|statistics| statistics.dirty_for_seconds),
        "depends_on_pool": view.record.unsaved_in.is_some(),
        "mirrored": statistics.map(|statistics| statistics.mirrored),
        "segments_uncopied": statistics.map(|statistics| statistics.segments_uncopied),
        "lost_bytes": statistics.map(|statistics| statistics.lost_bytes),
        "quiet": report.map(|report| quiet(&report.quiet)),
    })
}

/// Whether a disk is kept from becoming dirty.
fn quiet(quietness: &Quietness) -> Value {
    let (state, seconds_left, reason) = match quietness {
        Quietness::No => ("no", None, None),
        Quietness::Coming => ("coming", None, None),
        Quietness::Quiet { seconds_left } => ("quiet", Some(seconds_left), None),
        Quietness::Failed(reason) => ("failed", None, Some(reason)),
    };
    json!({ "state": state, "seconds_left": seconds_left, "reason": reason })
}

/// What flash lost of a disk before the backing had it.
pub(crate) fn lost(view: &DiskView, ranges: &[ByteRange]) -> Value {
    let listed: u64 = ranges.iter().map(ByteRange::len).sum();
    let bytes = view.report.as_ref().map_or(listed, |report| report.statistics.lost_bytes);
    let range = |range: &ByteRange| json!({ "start": range.start, "length": range.len() });
    json!({
        "name": view.record.name,
        "lost_bytes": bytes,
        "ranges": ranges.iter().map(range).collect::<Vec<_>>(),
    })
}

/// A disk by itself: as in a list, with its keys and its statistics.
pub(crate) fn disk_full(view: &DiskView, places: &Places) -> Value {
    let mut disk = disk_summary(view, places);
    let settings: Map<_, _> =
        view.record.settings.named().into_iter().map(|(key, text)| (key.to_owned(), text.into())).collect();
    disk["settings"] = Value::Object(settings);
    let fallback = view.report.as_ref().ok().and_then(|report| report.fallback.clone());
    disk["page_cache_reason"] = fallback.into();
    disk["guest"] = guest(view);
    disk["load"] = load(view);
    disk["statistics"] = statistics(view, view.since_attached().as_ref());
    disk
}

/// The same, and how its requests are spread.
pub(crate) fn disk_with_histograms(view: &DiskView, places: &Places) -> Value {
    let mut disk = disk_full(view, places);
    let report = view.report.as_ref().ok();
    disk["histograms"] = report.map_or(Value::Null, |report| histograms(&view.record.name, report));
    disk
}

/// The pool, and the threads that use it.
pub(crate) fn pool(view: &PoolView) -> Value {
    let PoolView { report: PoolReport { statistics, reserve_bytes_min }, in_use, shards } = view;
    let (state, reason) = standing_of_pool(view);
    let fallback = in_use.devices.iter().find_map(|device| device.fallback.as_ref());
    let shard = |shard: &ShardReport| {
        let ShardReport { number, disks, busy_ns, age_ns } = shard;
        json!({ "shard": number, "disks": disks, "busy_ns": busy_ns, "age_ns": age_ns })
    };
    json!({
        "path": in_use.path(),
        "id": statistics.id,
        "can_mirror": statistics.can_mirror,
        "notes_mirrored": statistics.notes_mirrored,
        "segments_uncopied": statistics.segments_uncopied,
        "state": state,
        "reason": reason,
        "size_bytes": statistics.size_bytes,
        "usable_bytes": statistics.usable_bytes,
        "reserved_bytes": statistics.reserved_bytes,
        "segment_bytes": statistics.segment_bytes,
        "segments": statistics.segments,
        "segments_free": statistics.segments_free,
        "reserve_bytes_min": reserve_bytes_min,
        "disks": statistics.disks,
        "page_cache_reason": fallback,
        "devices": devices(view),
        "devices_lost": in_use.lost().iter().map(|lost| &lost.path).collect::<Vec<_>>(),
        "warnings": in_use.warnings(),
        "shards": shards.iter().map(shard).collect::<Vec<Value>>(),
    })
}

/// In which state the pool is, and why if there is a reason.
pub(crate) fn standing_of_pool(view: &PoolView) -> (&'static str, Option<&str>) {
    match (&view.in_use.missing, view.report.statistics.failed) {
        (Some(reason), _) => ("missing", Some(reason)),
        (None, true) => ("failed", None),
        (None, false) => ("serving", None),
    }
}

/// The devices of the pool; none of one that is missing.
fn devices(view: &PoolView) -> Vec<Value> {
    let PoolView { report: PoolReport { statistics, .. }, in_use, .. } = view;
    if in_use.missing.is_some() {
        return Vec::new();
    }
    let device = |device: &DeviceStatistics| {
        let state = match device.state {
            _ if statistics.failed => "failed",
            DeviceState::Used => "used",
            DeviceState::Failed => "failed",
            DeviceState::Leaving => "leaving",
        };
        let known = in_use.device(MemberNumber(device.number));
        json!({
            "path": known.map(|known| &known.path),
            "number": device.number,
            "state": state,
            "size_bytes": device.size_bytes,
            "segments": device.segments,
            "segments_free": device.segments_free,
            "discards": device.discards,
            "page_cache_reason": known.and_then(|known| known.fallback.as_ref()),
        })
    };
    statistics.devices.iter().map(device).collect()
}

/// What every description of a disk begins with.
fn head(view: &DiskView) -> Map<String, Value> {
    let report = view.report.as_ref().ok();
    let settings = report.map(|report| report.settings);
    let [(_, mode), ..] = view.record.settings_now().named();
    let head = json!({
        "name": view.record.name,
        "mode": mode,
        "state": state(view),
        "size_bytes": report.map(|report| report.size_bytes),
        "block_bytes": settings.map(|settings| settings.block_bytes),
        "reserve_bytes": settings.map(|settings| settings.reserve_bytes),
        "limit_bytes": settings.map(|settings| settings.limit_bytes),
    });
    let Value::Object(head) = head else { unreachable!("the macro was given an object") };
    head
}

/// The running guest that a disk was taken from, `null` for others.
fn guest(view: &DiskView) -> Value {
    let Some(GuestRecord { qmp, device, original, .. }) = &view.record.guest else { return Value::Null };
    let storage = view.report.as_ref().ok().and_then(|report| report.identity.local());
    json!({
        "qmp": qmp,
        "device": device,
        "original": original,
        // What QEMU calls the disk: short enough for it, and never used for another disk.
        "node": format!("forebay-{}", view.record.id),
        "storage": storage.map(|storage| {
            json!({ "device": storage.device, "inode": storage.inode, "rdev": storage.rdev })
        }),
    })
}

/// What became of what was cached before the disk was attached, `null` while it is not.
fn load(view: &DiskView) -> Value {
    let Ok(report) = &view.report else { return Value::Null };
    let load = &report.statistics.load;
    let (state, reason) = match &load.state {
        Load::Running => ("loading", None),
        Load::Done => ("done", None),
        Load::Cold(reason) => ("cold", Some(reason)),
    };
    json!({
        "state": state,
        "reason": reason,
        "pages_kept": load.pages_kept,
        "kept_bytes": load.pages_kept * block::PAGE,
        "pages_dropped": load.pages_dropped,
        "dropped_bytes": load.pages_dropped * block::PAGE,
        "pages_compared": load.pages_compared,
        "took_us": load.took_us,
    })
}

/// In which state a disk is, and why if there is a reason.
pub(crate) fn standing_of_disk(view: &DiskView) -> (&'static str, Option<&str>) {
    (state(view), reason(view))
}

fn state(view: &DiskView) -> &'static str {
    if view.leaving {
        return "removing";
    }
    match &view.report {
        Ok(DiskReport { failure: Some(_), .. }) => "failed",
        Ok(report) if report.statistics.stopped.is_some() => "stopped",
        Ok(_) => match view.record.guest.as_ref().map(|guest| guest.stage) {
            Some(Stage::Attaching) => "attaching",
            Some(Stage::Detaching) => "detaching",
            Some(Stage::Attached) | None => "serving",
        },
        Err(_) => "waiting",
    }
}

fn reason(view: &DiskView) -> Option<&str> {
    match &view.report {
        Ok(report) => report.failure.as_deref().or(report.statistics.stopped.as_deref()),
        Err(reason) => Some(reason),
    }
}

fn merge(into: &mut Map<String, Value>, more: Value) {
    let Value::Object(more) = more else { unreachable!("only objects are merged") };
    into.extend(more);
}
