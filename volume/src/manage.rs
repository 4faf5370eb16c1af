//! Volumes as wholes: created, listed, checked and deleted.

use std::collections::HashSet;

use block::{Host, PAGE};
use futures_util::future::join_all;

use super::calls::Calls;
use super::chunk::{self, Compression};
use super::error::VolumeError;
use super::load::{find_volume, load_newest};
use super::mark::{Mark, Owner};
use super::names::{ObjectKey, POINTERS, VolumeId, pointer};
use super::object::Header;
use super::record::{self, PointerRecord, StartRecord, VolumeRecord};
use super::settings::VolumeSettings;
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
    /// Number of times that it was opened for writing.
    pub epochs: u64,
    /// Mark of the last host that opened it for writing.
    pub mark: Mark,
}

/// Result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Size of the disk in bytes.
    pub bytes: u64,
    /// Time of its last group, in nanoseconds since 1970; 0 if there is none.
    pub taken_at: u64,
    /// Objects with content that it needs.
    pub objects: u64,
    /// Bytes of these.
    pub stored_bytes: u64,
    /// Bytes of the disk that have content.
    pub mapped_bytes: u64,
    /// Bytes of the disk that were read and are whole.
    pub whole_bytes: u64,
    /// Objects that are missing or damaged, each with what is wrong and the bytes of the disk that it costs.
    pub damaged: Vec<(String, String, u64)>,
    /// Objects that nothing needs, without those of the newest host, which may be about to need them.
    pub orphans: u64,
    /// Bytes of these.
    pub orphan_bytes: u64,
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
    let record = VolumeRecord { name: name.to_owned(), bytes, compression };
    calls.create(&volume.volume(), &record::encode(&record)).await?;
    let named = record::encode(&PointerRecord { volume: volume.to_string() });
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
    let epochs = calls.newest_epoch(id).await?;
    let start = calls.newest_start::<StartRecord>(id, 1..=epochs).await?;
    Ok(VolumeSummary {
        name: name.to_owned(),
        id,
        bytes: start.as_ref().map_or(record.bytes, |(_, start)| start.bytes),
        compression: Compression::parse(&record.compression).unwrap_or_default(),
        epochs,
        mark: calls.mark_since(id, start.map(|(epoch, start)| (epoch, start.mark))).await?,
    })
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
/// If there is none, or the store fails: then some of it is left, and deleting it again goes on. It is usable no more.
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
    // Its record first: a host that takes an epoch from now on finds that there is none, and not a volume of which a part is left. Then an
    // epoch, for hosts that have it open. Epochs stay, a few bytes each: a host that slept meanwhile looks for them.
    calls.delete(&volume.volume()).await?;
    calls.take_epoch(volume, None).await?;
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
    calls.delete(&at).await?;
    Ok(())
}

/// Reads a volume as of its last group and checks all of it. Changes nothing. Gives `progress` bytes that were read and bytes in all.
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
    let (volume, _) = find_volume(&calls, name).await?;
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
    let mut done = 0;
    for (index, info) in &needed {
        let name = volume.object(info.key);
        let checked = async {
            let missing = || VolumeError::damaged(&name, "it is missing");
            let bytes = calls.find(&name, None).await?.ok_or_else(missing)?;
            let header = Header::decode(&bytes, volume, info.key)?;
            let (mut whole, mut lost) = (0, 0);
            for entry in &header.chunks {
                let location = entry.location(*index);
                let is_live = |page: &u64| content.map.get(*page) == Some(location.at(page - entry.page));
                let live = entry.range().filter(is_live).count() as u64;
                let within = location.bytes();
                let stored = bytes.get(within.start as usize..within.end as usize);
                let opened =
                    stored.and_then(|stored| chunk::open(stored, entry.page, u64::from(entry.pages)));
                if opened.is_some() { whole += live } else { lost += live }
            }
            Ok::<_, VolumeError>((whole, lost))
        };
        match checked.await {
            Ok((whole, lost)) => {
                report.whole_bytes += whole * PAGE;
                if lost > 0 {
                    report.damaged.push((name, "the checksum of content is wrong".to_owned(), lost * PAGE));
                }
            }
            Err(VolumeError::Store(error)) if error.kind != StoreErrorKind::NotFound => {
                return Err(error.into());
            }
            Err(error) => report.damaged.push((name, error.to_string(), u64::from(info.live) * PAGE)),
        }
        done += info.stored;
        progress(done, report.stored_bytes);
    }
    if !report.damaged.is_empty() {
        // A host that writes it may have moved what they had, and deleted them.
        let newer = load_newest(&calls, volume).await?;
        let needed = newer.content.objects.iter().filter(|(_, info)| info.live > 0);
        let needed: HashSet<String> = needed.map(|(_, info)| volume.object(info.key)).collect();
        report.damaged.retain(|(name, ..)| needed.contains(name));
    }
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
