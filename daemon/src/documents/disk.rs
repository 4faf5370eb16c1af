//! Documents of a disk.

use std::path::Path;

use api::disk::{
    BackingState, Capability, Condition, Dirt, Door, Head, LoadState, Loaded, LostRange, QuiesceInfo,
    QuiesceState, RunningGuest, Storage,
};
use api::{Disk, DiskInList, DiskState, Listed, Lost, Remark, Settings};
use block::ByteRange;
use cache::LoadProgress;
use doors::DoorCounters;

use super::statistics::statistics;
use crate::backing::{Capabilities, NamedAbility};
use crate::door::DoorKind;
use crate::places::Places;
use crate::registry::DiskView;
use crate::remarks;
use crate::shard::{DiskReport, QuiesceStatus};
use crate::state::{GuestRecord, Stage};

/// Returns the state of a disk, with its reason if there is one.
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

/// Returns the common start of all descriptions of a disk.
pub(super) fn head(view: &DiskView) -> Head {
    let report = view.report.as_ref().ok();
    let settings = report.map(|report| report.settings);
    let with_pool = report.filter(|_| !view.is_pool_missing);
    let [(_, mode), ..] = view.record.settings_now().named();
    Head {
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

/// Returns how many bytes may be dirty: none without the pool.
pub(super) fn dirty_limit(view: &DiskView, report: &DiskReport) -> u64 {
    if view.is_pool_missing { 0 } else { report.statistics.dirty_limit_bytes }
}

/// Returns the description of a disk in a list.
pub(crate) fn disk_in_list(view: &DiskView, places: &Places) -> DiskInList {
    let report = view.report.as_ref().ok();
    let (_, reason) = standing_of_disk(view);
    DiskInList {
        head: head(view),
        number: view.record.id,
        reason: reason.map(str::to_owned),
        backing: view.record.backing.clone(),
        backing_state: report.map(backing_state),
        read_only: view.record.read_only,
        serial: doors::serial_number(&view.record.name),
        nbd_socket: places.socket(DoorKind::Nbd, &view.record.name).display().to_string(),
        nbd_uri: places.uri_of(&view.record.name),
        vhost_socket: places.socket(DoorKind::VhostUser, &view.record.name).display().to_string(),
        connections: report.map(DiskReport::connections),
        doors: doors_of(view, places),
        shard: report.map(|report| report.shard),
        dirt: dirt(view),
    }
}

/// Returns the doors that are open, or those that will be.
fn doors_of(view: &DiskView, places: &Places) -> Vec<Door> {
    let name = &view.record.name;
    let uri = places.uri_of(name);
    let door = |kind: DoorKind, path: &Path, counters: Option<&DoorCounters>| {
        let network = kind.over_network().zip(uri.clone());
        // Without an address over TCP, there are no clients from there.
        let local = |counters: &DoorCounters| counters.connections - counters.network_connections;
        let at_socket = Door {
            kind: kind.key(),
            title: kind.title(),
            address: path.display().to_string(),
            connections: counters.map(local),
            kernel_connections: counters.map(|counters| counters.kernel_connections),
            broken_queues: counters.map(|counters| counters.broken_queues),
        };
        let over_network = network.map(|((kind, title), address)| Door {
            kind,
            title,
            address,
            connections: counters.map(|counters| counters.network_connections),
            kernel_connections: counters.map(|_| 0),
            broken_queues: counters.map(|_| 0),
        });
        [at_socket].into_iter().chain(over_network)
    };
    let Ok(report) = &view.report else {
        let kinds = DoorKind::ALL.into_iter().filter(|kind| kind.is_for_clients());
        return kinds.flat_map(|kind| door(kind, &places.socket(kind, name), None)).collect();
    };
    let open = report.doors.iter();
    let open = open.filter_map(|open| Some(door(open.socket.kind, open.address()?, Some(&open.counters))));
    open.flatten().collect()
}

fn backing_state(report: &DiskReport) -> BackingState {
    match (&report.trouble, &report.displaced) {
        (None, None) => BackingState { state: Condition::Good, for_seconds: None, reason: None },
        (None, Some(displaced)) => BackingState {
            state: if displaced.is_replaced { Condition::Replaced } else { Condition::Missing },
            for_seconds: None,
            reason: Some(displaced.reason.clone()),
        },
        (Some(trouble), _) => BackingState {
            state: Condition::Failing,
            for_seconds: Some(trouble.for_ns / 1_000_000_000),
            reason: Some(trouble.reason.clone()),
        },
    }
}

fn dirt(view: &DiskView) -> Dirt {
    let report = view.report.as_ref().ok();
    let statistics = report.map(|report| &report.statistics);
    Dirt {
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
        quiesce: report.map(|report| quiesce(&report.quiesce, report.quiesce_number)),
    }
}

fn quiesce(status: &QuiesceStatus, number: u64) -> QuiesceInfo {
    let (state, seconds_left, reason) = match status {
        QuiesceStatus::No => (QuiesceState::None, None, None),
        QuiesceStatus::Destaging => (QuiesceState::Destaging, None, None),
        QuiesceStatus::Quiesced { seconds_left } => (QuiesceState::Quiesced, Some(*seconds_left), None),
        QuiesceStatus::Failed(reason) => (QuiesceState::Failed, None, Some(reason.clone())),
    };
    QuiesceInfo { state, number, seconds_left, reason }
}

/// Returns the full description of a disk.
pub(crate) fn disk(view: &DiskView, places: &Places) -> Disk {
    let report = view.report.as_ref().ok();
    let abilities = report.map(|report| &report.capabilities);
    Disk {
        summary: disk_in_list(view, places),
        settings: Settings(Listed(view.record.settings.named().into())),
        backing_limitations: abilities.map(Capabilities::limitations).unwrap_or_default(),
        backing_capabilities: abilities.map(capabilities).unwrap_or_default(),
        sector_bytes: view.sector_bytes(),
        remarks: report.map(|report| remarks_on(view, report)).unwrap_or_default(),
        page_cache_reason: abilities.and_then(|all| all.direct_io.reason()).map(str::to_owned),
        guest: view.record.guest.as_ref().map(|guest| running_guest(guest, view)),
        load: report.map(loaded),
        statistics: statistics(view, view.since_attached().as_ref()),
    }
}

fn remarks_on(view: &DiskView, report: &DiskReport) -> Vec<Remark> {
    let (name, values) = (&view.record.name, &view.record.settings);
    if view.is_pool_missing {
        return remarks::without_pool(values);
    }
    remarks::of_disk(name, values, report, view.not_mirrored.as_deref())
}

fn capabilities(all: &Capabilities) -> Vec<Capability> {
    let capability = |named: NamedAbility<'_>| Capability {
        name: named.name,
        title: named.title,
        able: named.ability.is_able(),
        reason: named.ability.reason().map(str::to_owned),
    };
    all.named().map(capability).into()
}

fn running_guest(guest: &GuestRecord, view: &DiskView) -> RunningGuest {
    let GuestRecord { qmp, device, original, .. } = guest;
    let storage = view.report.as_ref().ok().and_then(|report| report.identity.local());
    RunningGuest {
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

fn loaded(report: &DiskReport) -> Loaded {
    let load = &report.statistics.load;
    let (state, reason) = match &load.state {
        LoadProgress::Running => (LoadState::Loading, None),
        LoadProgress::Done => (LoadState::Done, None),
        LoadProgress::Cold(reason) => (LoadState::Cold, Some(reason.clone())),
    };
    Loaded {
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

/// Returns the data of a disk that flash lost.
pub(crate) fn lost(view: &DiskView, ranges: &[ByteRange]) -> Lost {
    let listed: u64 = ranges.iter().map(ByteRange::len).sum();
    let range = |range: &ByteRange| LostRange { start: range.start, length: range.len() };
    Lost {
        name: view.record.name.clone(),
        bytes: view.report.as_ref().map_or(listed, |report| report.statistics.lost_bytes),
        ranges: ranges.iter().map(range).collect(),
    }
}
