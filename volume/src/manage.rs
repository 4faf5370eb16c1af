//! Volumes as wholes: created, listed, checked and deleted.

use std::collections::HashSet;

use block::{Host, PAGE};
use futures_util::future::join_all;

use super::calls::Calls;
use super::check::{check_inherited, check_snapshots};
use super::chunk::Compression;
use super::clones::Settle;
use super::error::VolumeError;
use super::load::{OPENINGS, find_volume, load_newest, opened_again};
use super::mark::{Mark, Owner};
use super::names::{ObjectKey, POINTERS, SnapshotId, VolumeId, pointer};
use super::record::{self, ParentRecord, PointerRecord, StartRecord, VolumeRecord};
use super::scrub::{DamagedObject, Findings, has_all};
use super::settings::VolumeSettings;
use super::snapshots::Parent;
use super::store::{LIST_NAMES_MAX, Listed, Store, StoreErrorKind};
use super::volume::Volume;

const MIB: u64 = 1 << 20;
/// Size of the largest volume, in bytes.
const BYTES_MAX: u64 = 64 << 40;
/// Requests to the store at once.
const REQUESTS_AT_ONCE: usize = 8;

/// Options of a new volume.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VolumeOptions {
    /// Compression of its content.
    pub compression: Compression,
    /// Content that is in the store already is not stored again. Each host that has it open for writing needs RAM for an index.
    pub deduplicate: bool,
}

/// A volume in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VolumeSummary {
    /// Name.
    pub name: String,
    /// Identity.
    pub id: VolumeId,
    /// Size of the disk in bytes, when it was last opened for writing.
    pub bytes: u64,
    /// Compression.
    pub compression: Compression,
    /// True if it deduplicates.
    pub deduplicate: bool,
    /// Number of times that it was opened for writing.
    pub epochs: u64,
    /// Mark of the last host that opened it for writing.
    pub mark: Mark,
    /// The snapshot of which it is a clone, if it is one.
    pub parent: Option<Parent>,
}

/// Result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Size of the disk in bytes.
    pub bytes: u64,
    /// Time of its last group, in nanoseconds since 1970; 0 if there is none.
    pub taken_at: u64,
    /// Objects with content that it needs; of a scrub, with the parts of its map.
    pub objects: u64,
    /// Bytes of these.
    pub stored_bytes: u64,
    /// Bytes of the disk that have content.
    pub mapped_bytes: u64,
    /// Bytes of the disk that were read and are whole.
    pub whole_bytes: u64,
    /// Bytes that a clone shows of its parent's snapshot, and that were read and are whole.
    pub inherited_bytes: u64,
    /// Bytes that only snapshots have, and that were read and are whole; of a scrub, all that is in objects of which the disk needs nothing.
    /// Content that a snapshot of a clone shows of the clone's parent is not read, unless the clone still shows it.
    pub snapshot_bytes: u64,
    /// Objects that are missing or damaged. Content that only snapshots have, and what a clone shows of its parent, has the name of the volume
    /// and the snapshot, joined with '@', instead of that of an object, and the bytes of that snapshot.
    pub damaged: Vec<DamagedObject>,
    /// Objects that nothing needs, without those of the newest host, which may be about to need them.
    pub orphans: u64,
    /// Bytes of these.
    pub orphan_bytes: u64,
}

impl CheckReport {
    /// Counts what is whole: all content but what the damaged objects cost.
    pub(crate) fn count_whole(&mut self) {
        let lost: u64 = self.damaged.iter().map(DamagedObject::bytes).sum();
        self.whole_bytes = self.mapped_bytes - lost;
    }
}

/// Creates a volume of so many bytes. It reads as zeroes.
///
/// # Errors
/// If the name or the size cannot be, there is one of this name, or the store fails.
pub async fn create<S: Store + Clone, H: Host>(
    store: &S,
    host: &H,
    name: &str,
    bytes: u64,
    options: VolumeOptions,
) -> Result<VolumeId, VolumeError> {
    let calls = Calls { store: store.clone(), host: host.clone() };
    let at = pointer(name)?;
    check_size(bytes)?;
    if calls.exists(&at).await? {
        return Err(VolumeError::Exists { name: name.to_owned() });
    }
    let volume = VolumeId::from_random(|| host.random());
    let compression = options.compression.name().to_owned();
    let deduplicate = options.deduplicate;
    let record = VolumeRecord { name: name.to_owned(), bytes, compression, deduplicate, parent: None };
    calls.create(&volume.volume(), &record::encode(&record)).await?;
    let named = record::encode(&PointerRecord { volume: volume.to_string(), parent: None });
    match calls.create(&at, &named).await {
        Ok(()) => Ok(volume),
        Err(error) if error.kind == StoreErrorKind::Exists => {
            calls.delete(&volume.volume()).await?;
            Err(VolumeError::Exists { name: name.to_owned() })
        }
        Err(error) => Err(error.into()),
    }
}

/// Fails if a volume cannot have this size.
pub(crate) fn check_size(bytes: u64) -> Result<(), VolumeError> {
    let is_possible = (MIB..=BYTES_MAX).contains(&bytes) && bytes.is_multiple_of(MIB);
    if is_possible { Ok(()) } else { Err(VolumeError::BadSize { bytes }) }
}

/// Returns the volumes of a store, by name. One that is damaged is in the list with the reason.
///
/// # Errors
/// If the store fails.
pub async fn list<S: Store + Clone, H: Host>(
    store: &S,
    host: &H,
) -> Result<Vec<(String, Result<VolumeSummary, VolumeError>)>, VolumeError> {
    let calls = Calls { store: store.clone(), host: host.clone() };
    let names = list_all(&calls, POINTERS).await?;
    let names: Vec<_> = names.iter().filter_map(|listed| listed.name.strip_prefix(POINTERS)).collect();
    let mut volumes = Vec::new();
    for some in names.chunks(REQUESTS_AT_ONCE) {
        let found = join_all(some.iter().map(async |name| summary(&calls, name).await)).await;
        volumes.extend(some.iter().map(|name| (*name).to_owned()).zip(found));
    }
    // One that was deleted meanwhile.
    volumes.retain(|(_, found)| !matches!(found, Err(VolumeError::NotFound { .. })));
    Ok(volumes)
}

async fn summary<S: Store, H: Host>(calls: &Calls<S, H>, name: &str) -> Result<VolumeSummary, VolumeError> {
    let (id, record) = find_volume(calls, name).await?;
    for _ in 0..OPENINGS {
        let epochs = calls.newest_epoch(id).await?;
        let start = calls.newest_start::<StartRecord>(id, 1..=epochs).await?;
        let started = start.as_ref().map(|(epoch, _)| *epoch);
        let bytes = start.as_ref().map_or(record.bytes, |(_, start)| start.bytes);
        let mark = calls.mark_since(id, start.map(|(epoch, start)| (epoch, start.mark))).await;
        if calls.is_newest(id, epochs, started).await? {
            return Ok(VolumeSummary {
                name: name.to_owned(),
                id,
                bytes,
                compression: Compression::parse(&record.compression).unwrap_or_default(),
                deduplicate: record.deduplicate,
                epochs,
                mark: mark?,
                parent: record.parent.as_ref().and_then(ParentRecord::parent),
            });
        }
    }
    Err(opened_again(id))
}

/// Returns what is known of a volume without its map.
///
/// # Errors
/// If there is none, or the store fails.
pub async fn peek<S: Store + Clone, H: Host>(
    store: &S,
    host: &H,
    name: &str,
) -> Result<VolumeSummary, VolumeError> {
    summary(&Calls { store: store.clone(), host: host.clone() }, name).await
}

/// Fences off every host that has a volume open, and removes its mark: the next host goes on from the last group that counts. Returns the mark
/// that it had.
///
/// # Errors
/// If there is none, the store fails, or its map is damaged.
pub async fn fence<S: Store + Clone, H: Host>(store: &S, host: &H, name: &str) -> Result<Mark, VolumeError> {
    let before = peek(store, host, name).await?.mark;
    let owner = Owner { id: format!("fence {:016x}", host.random()), host: String::new(), after: None };
    let opened = Volume::open(store.clone(), host.clone(), name, &owner, VolumeSettings::default()).await?;
    let marks = opened.marks().expect("it is open for writing");
    marks.replace(&Mark::default()).await?;
    Ok(before)
}

/// Deletes a volume with everything that it holds but the numbers of its epochs, by which a host that has it open for writing finds that
/// it cannot confirm anything any more. Gives `progress` the number of objects that were deleted, again and again.
///
/// A name can be given again. The store may do a delete late of which it gave no answer, so a new volume can lose its name then, and not its
/// content.
///
/// # Errors
/// If there is none, or it has snapshots. If the store fails: then some of it is left, and deleting it again goes on. It is usable no more.
pub async fn delete<S: Store + Clone, H: Host>(
    store: &S,
    host: &H,
    name: &str,
    progress: &mut dyn FnMut(u64),
) -> Result<(), VolumeError> {
    let calls = Calls { store: store.clone(), host: host.clone() };
    let at = pointer(name)?;
    let found =
        calls.find(&at, None).await?.ok_or_else(|| VolumeError::NotFound { name: name.to_owned() })?;
    let record: PointerRecord = record::decode(&at, &found)?;
    let damaged = || VolumeError::damaged(&at, "it names no volume");
    let volume = VolumeId::parse(&record.volume).ok_or_else(damaged)?;
    end_use(&calls, volume, name).await?;
    let mut deleted = 1;
    let epochs = volume.epochs();
    let objects = list_all(&calls, &volume.prefix()).await?;
    let objects: Vec<_> = objects.iter().filter(|object| !object.name.starts_with(&epochs)).collect();
    for some in objects.chunks(REQUESTS_AT_ONCE) {
        let results = join_all(some.iter().map(async |object| calls.delete(&object.name).await)).await;
        results.into_iter().collect::<Result<(), _>>()?;
        deleted += some.len() as u64;
        progress(deleted);
    }
    // Its name last, for it says of which snapshot it was a clone.
    if let Some(parent) = &record.parent
        && let Some(id) = parent.id()
    {
        calls.release(id, parent.flag).await?;
    }
    calls.delete(&at).await?;
    Ok(())
}

/// Deletes the record of a volume and takes an epoch, so that nobody uses it any more.
///
/// # Errors
/// If it has snapshots. Of a volume that was deleted in part already: if there are clones of them. If the store fails.
async fn end_use<S: Store, H: Host>(
    calls: &Calls<S, H>,
    volume: VolumeId,
    name: &str,
) -> Result<(), VolumeError> {
    let check = async || {
        let table = calls.newest_table(volume).await?.snapshots;
        if table.is_empty() {
            return Ok(());
        }
        Err(VolumeError::HasSnapshots { name: name.to_owned(), count: table.len() })
    };
    let Some(record) = calls.find(&volume.volume(), None).await? else {
        // It was deleted in part, or never completed.
        for snapshot in calls.newest_table(volume).await?.snapshots {
            let id = SnapshotId::of_body(volume, snapshot.body());
            let clones = calls.clones_of(id, Settle::Yes).await?;
            if !clones.is_empty() {
                let (volume, snapshot) = (name.to_owned(), snapshot.name);
                return Err(VolumeError::HasClones { volume, snapshot, clones });
            }
        }
        calls.take_epoch(volume, None).await?;
        return Ok(());
    };
    // Before anybody is fenced off: it may be in use. Then so that no host that has it open takes one meanwhile.
    check().await?;
    let fenced = calls.take_epoch(volume, None).await?;
    check().await?;
    // Its record first: a host that takes an epoch from now on finds that there is none, and not a volume of which a part is left. Then an
    // epoch, for hosts that have it open. Epochs stay, a few bytes each: a host that slept meanwhile looks for them.
    calls.delete(&volume.volume()).await?;
    if calls.take_epoch(volume, None).await? == fenced + 1 {
        return Ok(());
    }
    // Another host took one between, and may have taken a snapshot.
    let checked = check().await;
    if checked.is_err() {
        calls.create(&volume.volume(), &record).await?;
    }
    checked
}

/// Reads a volume as of its last group and checks all of it, with what a clone shows of its parent, and with its snapshots. Changes nothing. Gives
/// `progress` bytes that were read and bytes in all.
///
/// # Errors
/// If there is none, its map cannot be read, or the store fails.
pub async fn check<S: Store + Clone, H: Host>(
    store: &S,
    host: &H,
    name: &str,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<CheckReport, VolumeError> {
    let calls = Calls { store: store.clone(), host: host.clone() };
    let (volume, record) = find_volume(&calls, name).await?;
    // Before the content, so that none of a host that writes counts as an orphan for being newer.
    let mut listed = Vec::new();
    for kind in ["data/", "copies/"] {
        listed.extend(list_all(&calls, &format!("{}{kind}", volume.prefix())).await?);
    }
    let loaded = load_newest(&calls, volume).await?;
    let content = &loaded.content;
    let needed: Vec<_> = content.objects.iter().filter(|(_, info)| info.live > 0).collect();
    let mut report = CheckReport {
        bytes: content.bytes,
        taken_at: content.taken_at,
        objects: needed.len() as u64,
        stored_bytes: needed.iter().map(|(_, info)| info.stored).sum(),
        mapped_bytes: content.map.mapped() * PAGE,
        ..CheckReport::default()
    };
    let (mut findings, mut done) = (Findings::default(), 0);
    for (index, info) in &needed {
        findings.examine(&calls, volume, info.key, |header| has_all(content, *index, header)).await?;
        done += info.stored;
        progress(done, report.stored_bytes);
    }
    report.damaged = findings.damage(volume, content);
    report.count_whole();
    if !report.damaged.is_empty() {
        // A host that writes it may have moved what they had, and deleted them.
        let newer = load_newest(&calls, volume).await?;
        let needed = newer.content.objects.iter().filter(|(_, info)| info.live > 0);
        let needed: HashSet<String> = needed.map(|(_, info)| volume.object(info.key)).collect();
        report.damaged.retain(|object| needed.contains(&object.name));
    }
    check_inherited(&calls, &record, content, &mut report).await?;
    check_snapshots(&calls, (name, volume), content, findings, &mut report).await?;
    let known: HashSet<String> = content.objects.iter().map(|(_, info)| volume.object(info.key)).collect();
    // Those of the newest host may belong to a group that is on its way.
    let ends = loaded.tail.last().map(|tail| {
        [(false, tail.data[1]), (true, tail.copies[1])]
            .map(|(is_copies, sequence)| volume.object(ObjectKey { is_copies, epoch: tail.epoch, sequence }))
    });
    let [data_end, copies_end] = ends.unwrap_or_default();
    listed.retain(|object| {
        let end = if object.name.starts_with(&format!("{}copies/", volume.prefix())) {
            &copies_end
        } else {
            &data_end
        };
        object.name < *end && !known.contains(&object.name)
    });
    for object in listed {
        if calls.exists(&object.name).await? {
            report.orphans += 1;
            report.orphan_bytes += object.bytes;
        }
    }
    Ok(report)
}

/// Returns all objects whose names begin with a prefix.
async fn list_all<S: Store, H: Host>(calls: &Calls<S, H>, prefix: &str) -> Result<Vec<Listed>, VolumeError> {
    let mut all: Vec<Listed> = Vec::new();
    loop {
        let some = calls.list(prefix, all.last().map(|listed| listed.name.as_str())).await?;
        let is_last = some.len() < LIST_NAMES_MAX;
        all.extend(some);
        if is_last {
            return Ok(all);
        }
    }
}
