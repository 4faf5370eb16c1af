//! Documents of a disk.

use std::path::Path;

use api::disk::{
    BackingProperty, BackingState, BackingValue, Capability, Condition, ConsistencySetInfo, DamagedObject,
    Dirt, Door, Head, LastScrub, LoadState, Loaded, LostRange, QuiesceInfo, QuiesceState, RunningGuest,
    ScrubInfo, ScrubReport, ScrubState, Storage,
};
use api::{Disk, DiskInList, DiskState, Listed, Lost, Remark, Settings};
use base::units::Size;
use block::ByteRange;
use cache::LoadProgress;
use doors::DoorCounters;

use super::moment;
use super::statistics::statistics;
use crate::backing::{BackingWarning, Capabilities, NamedAbility, Property, PropertyValue, ScrubResult};
use crate::door::DoorKind;
use crate::places::Places;
use crate::registry::DiskView;
use crate::remarks;
use crate::shard::{DiskReport, QuiesceStatus, ScrubStatus, ScrubTimes, failure_of, waiting};
use crate::state::{GuestRecord, Stage};

const SECOND_NS: u64 = 1_000_000_000;

/// Fault of a disk that an administrator has to mend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DiskFault {
    /// End of a sentence that begins with the disk.
    pub(crate) how: &'static str,
    pub(crate) reason: String,
}

/// Returns the fault of a disk; none if all is well with it.
pub(crate) fn fault_of_disk(view: &DiskView) -> Option<DiskFault> {
    let report = view.report.as_ref().ok();
    let warning = report.and_then(|report| report.details.warnings.iter().find(|warning| warning.is_fault));
    let backing = report.map(backing_state).map(|backing| match (backing.state, warning) {
        // It has a next step.
        (Condition::Failing, Some(BackingWarning { text, .. })) => {
            let reasons = backing.reason.iter().chain([text]).map(String::as_str).collect::<Vec<_>>();
            BackingState { reason: Some(reasons.join("; ")), ..backing }
        }
        _ => backing,
    });
    let lost_bytes = report.map_or(0, |report| report.statistics.lost_bytes);
    let fault = fault(&view.record.name, state(view), reason(view), backing, lost_bytes);
    let attention = |warning: &BackingWarning| DiskFault {
        how: "has a backing that needs attention",
        reason: warning.text.clone(),
    };
    // A disk that is not served has none of these.
    fault.or_else(|| warning.map(attention))
}

fn fault(
    name: &str,
    state: DiskState,
    reason: Option<&str>,
    backing: Option<BackingState>,
    lost_bytes: u64,
) -> Option<DiskFault> {
    let not_served = match state {
        DiskState::Failed => Some("failed"),
        DiskState::Stopped => Some("stopped"),
        DiskState::Waiting => Some("waits"),
        DiskState::Serving | DiskState::Removing | DiskState::Attaching | DiskState::Detaching => None,
    };
    if let Some(how) = not_served {
        return Some(DiskFault { how, reason: reason.unwrap_or("see the log").to_owned() });
    }
    let of_backing = backing.filter(|_| matches!(state, DiskState::Serving)).and_then(|backing| {
        let how = match backing.state {
            Condition::Good => return None,
            Condition::Failing => "is failing",
            Condition::Replaced => "is replaced",
            Condition::Missing => "is missing",
        };
        let reason = backing.reason.unwrap_or_else(|| "see the log".to_owned());
        let since = backing.for_seconds.map(|seconds| format!("its backing has failed for {seconds} s: "));
        Some(DiskFault { how, reason: since.unwrap_or_default() + &reason })
    });
    let of_flash = (lost_bytes > 0).then(|| DiskFault {
        how: "lost data",
        reason: format!("flash lost {} of it, see `forebay disk show {name} --lost`", Size(lost_bytes)),
    });
    of_backing.or(of_flash)
}

/// Returns the reason why a disk is not served, if it is not.
fn reason(view: &DiskView) -> Option<&str> {
    match &view.report {
        Ok(report) => report.failure.as_deref().or(report.statistics.stopped.as_deref()),
        Err(reason) => Some(reason.as_str()),
    }
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
    DiskInList {
        head: head(view),
        number: view.record.id,
        reason: reason(view).map(str::to_owned),
        fault: fault_of_disk(view).map(|fault| fault.reason),
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
    let consistency = report.and_then(|report| report.consistency.as_ref());
    let ring = consistency.filter(|(_, place)| place.is_some());
    let promised = consistency.and_then(|(state, _)| Some((state.taken_at?, state.uncovered_ns)));
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
        quiesce: report.map(quiesce),
        consistent_as_of: promised.and_then(|(taken_at, _)| moment(taken_at)),
        consistent_age_seconds: promised.map(|(_, uncovered_ns)| uncovered_ns / SECOND_NS),
        ring_path: ring.and_then(|(_, place)| place.clone()),
        ring_used_bytes: ring.map(|(state, _)| state.ring_bytes[0]),
        ring_bytes: ring.map(|(state, _)| state.ring_bytes[1]),
        ring_error: ring.and_then(|(state, _)| failure_of(state)),
        consistency_set: ring.and_then(|(state, _)| state.set).map(|set| ConsistencySetInfo {
            name: view.record.settings.consistency_set().unwrap_or_default().to_owned(),
            members: set.members,
            promising: set.promising,
            waits_for: set.waits_for.map(waiting),
        }),
    }
}

fn quiesce(report: &DiskReport) -> QuiesceInfo {
    let (state, seconds_left, reason) = match &report.quiesce {
        QuiesceStatus::No => (QuiesceState::None, None, None),
        QuiesceStatus::Destaging => (QuiesceState::Destaging, None, None),
        QuiesceStatus::Quiesced { seconds_left } => (QuiesceState::Quiesced, Some(*seconds_left), None),
        QuiesceStatus::Failed(reason) => (QuiesceState::Failed, None, Some(reason.clone())),
        QuiesceStatus::Ended(reason) => (QuiesceState::Ended, None, Some(reason.clone())),
    };
    let as_of = report.consistency.as_ref().and_then(|(state, _)| state.backing_as_of);
    let backing_as_of = as_of.and_then(moment);
    QuiesceInfo { state, number: report.quiesce_number, seconds_left, backing_as_of, reason }
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
        backing_properties: report.map(properties).unwrap_or_default(),
        backing_warnings: report.map(warnings_of_backing).unwrap_or_default(),
        sector_bytes: view.sector_bytes(),
        remarks: report.map(|report| remarks_on(view, report)).unwrap_or_default(),
        page_cache_reason: abilities.and_then(|all| all.direct_io.reason()).map(str::to_owned),
        guest: view.record.guest.as_ref().map(|guest| running_guest(guest, view)),
        scrub: report.map(|report| scrub(&report.scrub, &report.scrub_times)),
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

fn properties(report: &DiskReport) -> Vec<BackingProperty> {
    let property = |Property { name, title, value }: &Property| {
        let (unit, value) = match value {
            PropertyValue::Bytes(bytes) => ("bytes", BackingValue::Number(*bytes)),
            PropertyValue::Count(count) => ("count", BackingValue::Number(*count)),
            PropertyValue::Ratio(ratio) => ("ratio", BackingValue::Ratio(*ratio)),
            PropertyValue::Text(text) => ("text", BackingValue::Text(text.clone())),
        };
        BackingProperty { name, title, unit, value }
    };
    report.details.properties.iter().map(property).collect()
}

fn warnings_of_backing(report: &DiskReport) -> Vec<String> {
    let text = |warning: &BackingWarning| warning.text.clone();
    report.details.warnings.iter().map(text).collect()
}

fn scrub(status: &ScrubStatus, times: &ScrubTimes) -> ScrubInfo {
    let last = times.last.map(|last| LastScrub {
        ended_at: moment(last.ended_at),
        stored_bytes: last.stored_bytes,
        damaged_bytes: last.damaged_bytes,
        repaired_bytes: last.repaired_bytes,
    });
    let none = ScrubInfo {
        state: ScrubState::None,
        done_bytes: None,
        all_bytes: None,
        reason: None,
        report: None,
        last,
        next_at: times.next_at.and_then(moment),
        waits: times.waits.map(str::to_owned),
    };
    match status {
        ScrubStatus::None => none,
        ScrubStatus::Running(done, all) => {
            ScrubInfo { state: ScrubState::Running, done_bytes: Some(*done), all_bytes: Some(*all), ..none }
        }
        ScrubStatus::Done(result) => {
            ScrubInfo { state: ScrubState::Done, report: Some(scrub_report(result)), ..none }
        }
        ScrubStatus::Failed(reason) => {
            ScrubInfo { state: ScrubState::Failed, reason: Some(reason.clone()), ..none }
        }
    }
}

/// Returns the document of the result of a scrub.
pub(crate) fn scrub_report(result: &ScrubResult) -> ScrubReport {
    let damaged = result.damaged.iter().map(|part| DamagedObject {
        object: part.object.clone(),
        reason: part.reason.clone(),
        bytes: part.ranges.iter().map(ByteRange::len).sum(),
        ranges: part.ranges.iter().map(lost_range).collect(),
    });
    let deleted = result.deleted.as_ref().ok();
    ScrubReport {
        bytes: result.bytes,
        as_of: moment(result.taken_at),
        objects: result.objects,
        stored_bytes: result.stored_bytes,
        mapped_bytes: result.mapped_bytes,
        whole_bytes: result.whole_bytes,
        repaired_bytes: result.repaired_bytes,
        replaced_bytes: result.replaced_bytes,
        repair_error: result.repair_error.clone(),
        deleted: deleted.map(|(objects, _)| *objects),
        deleted_bytes: deleted.map(|(_, bytes)| *bytes),
        delete_error: result.deleted.as_ref().err().cloned(),
        damaged: damaged.collect(),
    }
}

fn lost_range(range: &ByteRange) -> LostRange {
    LostRange { start: range.start, length: range.len() }
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
    Lost {
        name: view.record.name.clone(),
        bytes: view.report.as_ref().map_or(listed, |report| report.statistics.lost_bytes),
        ranges: ranges.iter().map(lost_range).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_is_at_fault_if_it_is_not_served_its_backing_is_not_as_it_should_be_or_flash_lost_data() {
        let of = |state, condition, lost_bytes| {
            let for_seconds = matches!(condition, Condition::Failing).then_some(7);
            let backing = BackingState { state: condition, for_seconds, reason: Some("why".to_owned()) };
            fault("a", state, Some("no pool"), Some(backing), lost_bytes)
                .map(|DiskFault { how, reason }| format!("{how}: {reason}"))
        };
        let serving = |condition| of(DiskState::Serving, condition, 0);
        assert_eq!(serving(Condition::Good), None);
        let failing = serving(Condition::Failing);
        assert_eq!(failing.as_deref(), Some("is failing: its backing has failed for 7 s: why"));
        assert_eq!(serving(Condition::Replaced).as_deref(), Some("is replaced: why"));
        assert_eq!(serving(Condition::Missing).as_deref(), Some("is missing: why"));
        for (state, how) in
            [(DiskState::Failed, "failed"), (DiskState::Stopped, "stopped"), (DiskState::Waiting, "waits")]
        {
            assert_eq!(of(state, Condition::Good, 4096), Some(format!("{how}: no pool")));
        }
        for state in [DiskState::Removing, DiskState::Attaching, DiskState::Detaching] {
            assert_eq!(of(state, Condition::Missing, 0), None, "it changes just now");
        }
        let lost = of(DiskState::Serving, Condition::Good, 4096).expect("data is lost");
        assert_eq!(lost, "lost data: flash lost 4KiB of it, see `forebay disk show a --lost`");
    }
}
