//! What is said of a disk: what it is, how it stands, how it is cached.

use std::path::Path;

use block::ByteRange;
use cache::Load;
use doors::DoorCounters;
use serde::Serialize;
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;
use utoipa::{PartialSchema, ToSchema};

use super::listed::{Listed, schema_of};
use super::statistics::Statistics;
use crate::door::DoorKind;
use crate::keys::KEYS;
use crate::places::Places;
use crate::registry::DiskView;
use crate::remarks::{self, Remark};
use crate::shard::{DiskReport, Quietness};
use crate::state::{GuestRecord, Stage};

/// In which state a disk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DiskState {
    /// Guests are served.
    Serving,
    /// It is not served yet: `reason` says why. It is tried again.
    Waiting,
    /// It answers nothing but errors, because of its backing: `reason` says why.
    Failed,
    /// It answers nothing but errors, because what only flash has cannot be read.
    Stopped,
    /// What its backing does not have is brought home, then it goes.
    Removing,
    /// On its way from a running QEMU.
    Attaching,
    /// On its way back to a running QEMU.
    Detaching,
}

/// What every description of a disk begins with.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Head {
    name: String,
    /// `write-through`, `write-back`, `write-around` or `pass-through`.
    mode: String,
    state: DiskState,
    size_bytes: Option<u64>,
    block_bytes: Option<u32>,
    /// Flash that is kept for it; null while it is not served, or without the pool.
    reserve_bytes: Option<u64>,
    /// Flash that it never exceeds; null while it is not served, or without the pool.
    limit_bytes: Option<u64>,
}

/// A disk in a list: what it is and how it stands.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DiskInList {
    #[serde(flatten)]
    head: Head,
    /// Why it is not served, if it is not.
    reason: Option<String>,
    /// Where its data lives.
    backing: String,
    backing_state: Option<BackingState>,
    read_only: bool,
    /// The serial number that guests see: the name, or a shorter form of it.
    serial: String,
    /// Where guests and tools connect over NBD.
    nbd_socket: String,
    /// Where clients on other hosts connect over NBD, if it is served over TCP: `nbds` with TLS.
    nbd_uri: Option<String>,
    /// Where guests on this host connect over vhost-user.
    vhost_socket: String,
    connections: Option<u64>,
    /// The ways to the disk that are open, or will be once it is served.
    doors: Vec<Door>,
    /// The thread that serves it.
    shard: Option<u32>,
    #[serde(flatten)]
    dirt: Dirt,
}

/// A way to a disk.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DiskDoor)]
struct Door {
    /// The protocol: `nbd`, `nbd-tcp` or `vhost-user`. Later versions may know more.
    #[schema(example = "nbd")]
    kind: &'static str,
    /// Name of the protocol for people.
    #[schema(example = "NBD")]
    title: &'static str,
    /// Path of the socket, or URI.
    #[schema(example = "/run/forebay/nbd/vm-1.sock")]
    address: String,
    /// Clients that are connected there; null while the disk is not served.
    connections: Option<u64>,
    /// Queues of guests that are not served any more; null while the disk is not served.
    broken_queues: Option<u64>,
}

/// Whether the backing does what it is asked for.
#[derive(Debug, Serialize, ToSchema)]
struct BackingState {
    state: Condition,
    /// Since when it is failing.
    for_seconds: Option<u64>,
    reason: Option<String>,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum Condition {
    Good,
    Failing,
    /// Another file or device is at its path; guests go on with the one that was opened.
    Replaced,
    /// Nothing is at its path; guests go on with the one that was opened.
    Missing,
}

/// What of a disk its backing does not have.
#[derive(Debug, Serialize, ToSchema)]
struct Dirt {
    dirty_bytes: Option<u64>,
    dirty_zeroes_bytes: Option<u64>,
    dirty_limit_bytes: Option<u64>,
    dirty_for_seconds: Option<u64>,
    /// Why destage fails, if it does.
    destage_error: Option<String>,
    /// The disk is not served without the pool.
    depends_on_pool: bool,
    /// Two devices have what the backing does not have, or are to.
    mirrored: Option<bool>,
    /// Reason for which these two are no mirror: devices of the pool share a drive.
    not_mirrored_reason: Option<String>,
    segments_uncopied: Option<u64>,
    /// What flash lost before the backing had it.
    lost_bytes: Option<u64>,
    quiet: Option<Quiet>,
}

/// Whether a disk is kept from becoming dirty.
#[derive(Debug, Serialize, ToSchema)]
struct Quiet {
    state: QuietState,
    /// Of the request that counts: `resume` can be told to end that one only.
    number: u64,
    seconds_left: Option<u64>,
    reason: Option<String>,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum QuietState {
    No,
    Coming,
    Quiet,
    Failed,
}

/// A disk by itself: as in a list, with its keys and its statistics.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Disk {
    #[serde(flatten)]
    summary: DiskInList,
    settings: Settings,
    /// What its backing cannot promise: that what it took is durable, or outlives the host. Empty for most, and while it is not served.
    backing_limitations: Vec<String>,
    /// The sector size in bytes that guests are shown when they connect; none of a disk that was never served.
    sector_bytes: Option<u64>,
    /// Keys that have no effect, or less than they say, and the risk of write-back.
    remarks: Vec<Remark>,
    /// Why its backing goes through the page cache of the host, if it does.
    page_cache_reason: Option<String>,
    guest: Option<RunningGuest>,
    load: Option<Loaded>,
    statistics: Statistics,
}

/// The keys of a disk, as they are set.
#[derive(Debug, Serialize)]
struct Settings(Listed<String>);

/// The running guest that a disk was taken from.
#[derive(Debug, Serialize, ToSchema)]
struct RunningGuest {
    qmp: String,
    device: String,
    /// How its QEMU had the disk open.
    original: Value,
    /// What QEMU calls the disk: short enough for it, and never used for another disk.
    node: String,
    storage: Option<Storage>,
}

/// Which file or device it is on this host.
#[derive(Debug, Serialize, ToSchema)]
struct Storage {
    device: u64,
    inode: u64,
    rdev: u64,
}

/// What became of what was cached before the disk was attached.
#[derive(Debug, Serialize, ToSchema)]
struct Loaded {
    state: LoadState,
    /// Why nothing is cached again, if so.
    reason: Option<String>,
    pages_kept: u64,
    kept_bytes: u64,
    pages_dropped: u64,
    dropped_bytes: u64,
    pages_compared: u64,
    took_us: u64,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum LoadState {
    Loading,
    Done,
    Cold,
}

/// What flash lost of a disk before the backing had it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Lost {
    name: String,
    #[serde(rename = "lost_bytes")]
    bytes: u64,
    ranges: Vec<LostRange>,
}

/// Bytes of a disk that cannot be read until they are written anew.
#[derive(Debug, Serialize, ToSchema)]
struct LostRange {
    start: u64,
    length: u64,
}

/// In which state a disk is, and why if there is a reason.
pub(crate) fn standing_of_disk(view: &DiskView) -> (DiskState, Option<&str>) {
    let reason = match &view.report {
        Ok(report) => report.failure.as_deref().or(report.statistics.stopped.as_deref()),
        Err(reason) => Some(reason.as_str()),
    };
    (state(view), reason)
}

fn state(view: &DiskView) -> DiskState {
    if view.leaving {
        return DiskState::Removing;
    }
    match &view.report {
        Ok(DiskReport { failure: Some(_), .. }) => DiskState::Failed,
        Ok(report) if report.statistics.stopped.is_some() => DiskState::Stopped,
        Ok(_) => match view.record.guest.as_ref().map(|guest| guest.stage) {
            Some(Stage::Attaching) => DiskState::Attaching,
            Some(Stage::Detaching) => DiskState::Detaching,
            Some(Stage::Attached) | None => DiskState::Serving,
        },
        Err(_) => DiskState::Waiting,
    }
}

impl Head {
    pub(super) fn of(view: &DiskView) -> Self {
        let report = view.report.as_ref().ok();
        let settings = report.map(|report| report.settings);
        let with_pool = report.filter(|_| !view.is_pool_missing);
        let [(_, mode), ..] = view.record.settings_now().named();
        Self {
            name: view.record.name.clone(),
            mode,
            state: state(view),
            size_bytes: report.map(|report| report.size_bytes),
            block_bytes: settings.map(|settings| settings.block_bytes),
            reserve_bytes: with_pool.map(|report| {
                let in_write_back = report.settings.mode.row().writes_back;
                let kept = report.statistics.dirty_room.reserve_bytes;
                if in_write_back { kept } else { report.settings.reserve_bytes }
            }),
            limit_bytes: with_pool.map(|report| report.settings.limit_bytes),
        }
    }
}

/// Returns how many bytes flash may have that the backing does not have: none without the pool.
pub(super) fn dirty_limit(view: &DiskView, report: &DiskReport) -> u64 {
    if view.is_pool_missing { 0 } else { report.statistics.dirty_limit_bytes }
}

impl DiskInList {
    pub(crate) fn of(view: &DiskView, places: &Places) -> Self {
        let report = view.report.as_ref().ok();
        let (_, reason) = standing_of_disk(view);
        Self {
            head: Head::of(view),
            reason: reason.map(str::to_owned),
            backing: view.record.backing.clone(),
            backing_state: report.map(BackingState::of),
            read_only: view.record.read_only,
            serial: doors::serial_number(&view.record.name),
            nbd_socket: places.socket(DoorKind::Nbd, &view.record.name).display().to_string(),
            nbd_uri: places.uri_of(&view.record.name),
            vhost_socket: places.socket(DoorKind::VhostUser, &view.record.name).display().to_string(),
            connections: report.map(DiskReport::connections),
            doors: Door::all_of(view, places),
            shard: report.map(|report| report.shard),
            dirt: Dirt::of(view),
        }
    }
}

impl Door {
    /// Returns the doors that are open, or those that will be.
    fn all_of(view: &DiskView, places: &Places) -> Vec<Self> {
        let name = &view.record.name;
        let uri = places.uri_of(name);
        let door = |kind: DoorKind, path: &Path, counters: Option<&DoorCounters>| {
            let network = kind.over_network().zip(uri.clone());
            // Without an address over TCP, nobody comes from there.
            let local = |counters: &DoorCounters| counters.connections - counters.network_connections;
            let at_socket = Self {
                kind: kind.key(),
                title: kind.title(),
                address: path.display().to_string(),
                connections: counters.map(local),
                broken_queues: counters.map(|counters| counters.broken_queues),
            };
            let over_network = network.map(|((kind, title), address)| Self {
                kind,
                title,
                address,
                connections: counters.map(|counters| counters.network_connections),
                broken_queues: counters.map(|_| 0),
            });
            [at_socket].into_iter().chain(over_network)
        };
        match &view.report {
            Ok(report) => {
                let open = report.doors.iter();
                open.flat_map(|open| door(open.socket.kind, &open.socket.path, Some(&open.counters)))
                    .collect()
            }
            Err(_) => DoorKind::ALL
                .into_iter()
                .flat_map(|kind| door(kind, &places.socket(kind, name), None))
                .collect(),
        }
    }
}

impl BackingState {
    fn of(report: &DiskReport) -> Self {
        match (&report.trouble, &report.displaced) {
            (None, None) => Self { state: Condition::Good, for_seconds: None, reason: None },
            (None, Some(displaced)) => Self {
                state: if displaced.is_replaced { Condition::Replaced } else { Condition::Missing },
                for_seconds: None,
                reason: Some(displaced.reason.clone()),
            },
            (Some(trouble), _) => Self {
                state: Condition::Failing,
                for_seconds: Some(trouble.for_ns / 1_000_000_000),
                reason: Some(trouble.reason.clone()),
            },
        }
    }
}

impl Dirt {
    fn of(view: &DiskView) -> Self {
        let report = view.report.as_ref().ok();
        let statistics = report.map(|report| &report.statistics);
        Self {
            dirty_bytes: statistics.map(|statistics| statistics.dirty_bytes),
            dirty_zeroes_bytes: statistics.map(|statistics| statistics.dirty_zeroes_bytes),
            dirty_limit_bytes: report.map(|report| dirty_limit(view, report)),
            dirty_for_seconds: statistics.map(|statistics| statistics.dirty_for_seconds),
            destage_error: statistics
                .and_then(|statistics| statistics.destage_failure.as_ref())
                .map(|failure| failure.reason.clone()),
            depends_on_pool: view.record.unsaved_in.is_some(),
            mirrored: statistics.map(|statistics| statistics.mirrored),
            not_mirrored_reason: statistics
                .filter(|statistics| statistics.mirrored)
                .and_then(|_| view.not_mirrored.clone()),
            segments_uncopied: statistics.map(|statistics| statistics.segments_uncopied),
            lost_bytes: statistics.map(|statistics| statistics.lost_bytes),
            quiet: report.map(|report| Quiet::of(&report.quiet, report.quiet_number)),
        }
    }
}

impl Quiet {
    fn of(quietness: &Quietness, number: u64) -> Self {
        let (state, seconds_left, reason) = match quietness {
            Quietness::No => (QuietState::No, None, None),
            Quietness::Coming => (QuietState::Coming, None, None),
            Quietness::Quiet { seconds_left } => (QuietState::Quiet, Some(*seconds_left), None),
            Quietness::Failed(reason) => (QuietState::Failed, None, Some(reason.clone())),
        };
        Self { state, number, seconds_left, reason }
    }
}

impl Disk {
    pub(crate) fn of(view: &DiskView, places: &Places) -> Self {
        Self {
            summary: DiskInList::of(view, places),
            settings: Settings(Listed(view.record.settings.named().into())),
            backing_limitations: view
                .report
                .as_ref()
                .map_or_else(|_| Vec::new(), |report| report.limitations.clone()),
            sector_bytes: view.sector_bytes(),
            remarks: view.report.as_ref().map_or_else(
                |_| Vec::new(),
                |report| {
                    if view.is_pool_missing {
                        remarks::without_pool(&view.record.settings)
                    } else {
                        remarks::of_disk(
                            &view.record.name,
                            &view.record.settings,
                            report,
                            view.not_mirrored.as_deref(),
                        )
                    }
                },
            ),
            page_cache_reason: view.report.as_ref().ok().and_then(|report| report.fallback.clone()),
            guest: view.record.guest.as_ref().map(|guest| RunningGuest::of(guest, view)),
            load: view.report.as_ref().ok().map(Loaded::of),
            statistics: Statistics::of(view, view.since_attached().as_ref()),
        }
    }
}

impl PartialSchema for Settings {
    fn schema() -> RefOr<Schema> {
        schema_of::<String>(KEYS.iter().map(|key| key.name))
    }
}

impl ToSchema for Settings {}

impl RunningGuest {
    fn of(guest: &GuestRecord, view: &DiskView) -> Self {
        let GuestRecord { qmp, device, original, .. } = guest;
        let storage = view.report.as_ref().ok().and_then(|report| report.identity.local());
        Self {
            qmp: qmp.display().to_string(),
            device: device.clone(),
            original: original.clone(),
            node: format!("forebay-{}", view.record.id),
            storage: storage.map(|storage| Storage {
                device: storage.device,
                inode: storage.inode,
                rdev: storage.rdev,
            }),
        }
    }
}

impl Loaded {
    fn of(report: &DiskReport) -> Self {
        let load = &report.statistics.load;
        let (state, reason) = match &load.state {
            Load::Running => (LoadState::Loading, None),
            Load::Done => (LoadState::Done, None),
            Load::Cold(reason) => (LoadState::Cold, Some(reason.clone())),
        };
        Self {
            state,
            reason,
            pages_kept: load.pages_kept,
            kept_bytes: load.pages_kept * block::PAGE,
            pages_dropped: load.pages_dropped,
            dropped_bytes: load.pages_dropped * block::PAGE,
            pages_compared: load.pages_compared,
            took_us: load.took_us,
        }
    }
}

impl Lost {
    pub(crate) fn of(view: &DiskView, ranges: &[ByteRange]) -> Self {
        let listed: u64 = ranges.iter().map(ByteRange::len).sum();
        let range = |range: &ByteRange| LostRange { start: range.start, length: range.len() };
        Self {
            name: view.record.name.clone(),
            bytes: view.report.as_ref().map_or(listed, |report| report.statistics.lost_bytes),
            ranges: ranges.iter().map(range).collect(),
        }
    }
}
