//! The content of a volume, read from its store: the newest checkpoint, and the objects behind it.
//!
//! ```text
//! newest epoch that started ── its newest checkpoint, or the one from which it started ── objects of the tail ── its own, until one is missing
//! ```
//! Of an epoch that is over, what counts ends where the next one to start found its end: that is in the record of its start. What lands
//! later does not count.

use std::collections::BTreeMap;

use block::{Host, turn};
use bytes::Bytes;
use futures_util::future::join_all;

use super::calls::Calls;
use super::canary::{self, Bug};
use super::checkpoint::{RegionPlace, Root, decode_region, decode_root};
use super::clones::void;
use super::content::Content;
use super::epoch::last_without_gap;
use super::error::VolumeError;
use super::inherited::Inherited;
use super::mark::Mark;
use super::names::{CheckpointKey, ObjectKey, PartKey, VolumeId};
use super::object::{HEADER_READ_BYTES, Header};
use super::record::{self, RootRecord, SnapshotRecord, StartRecord, TailRecord, VolumeRecord};
use super::store::{Store, StoreError, StoreErrorKind};

/// Headers, or parts of a checkpoint, that are read at once.
const READS_AT_ONCE: u64 = 16;

/// Loads beside a host that writes, after which an object counts as missing.
const LOADS: u32 = 12;

/// Openings by other hosts during one read, after which that fails.
pub(crate) const OPENINGS: u32 = 16;

/// Returns the error of a read that others overtake again and again.
pub(crate) fn opened_again(volume: VolumeId) -> VolumeError {
    let reason = "hosts open the volume again and again; try again later";
    StoreError::new(StoreErrorKind::Unreachable, volume.epochs(), reason).into()
}

/// Returns the error of a read that the host that writes overtakes again and again.
fn overtaken(volume: VolumeId) -> VolumeError {
    let reason = "the host that has the volume open changes it faster than it is read; try again later";
    StoreError::new(StoreErrorKind::Unreachable, volume.epochs(), reason).into()
}

/// A volume as its store has it.
pub(crate) struct Loaded {
    pub(crate) content: Content,
    pub(crate) checkpoint: Option<CheckpointKey>,
    pub(crate) regions: BTreeMap<u64, RegionPlace>,
    /// Body of the checkpoint.
    pub(crate) body: Option<PartKey>,
    /// Stretches that count behind the checkpoint, in order.
    pub(crate) tail: Vec<TailRecord>,
    /// Bytes of headers behind the checkpoint.
    pub(crate) header_bytes: u64,
    /// The newest epoch that started, and the mark with which it did.
    pub(crate) start: Option<(u64, Mark)>,
    /// The mark that the volume bears, from [`load_newest`].
    pub(crate) mark: Mark,
    /// Snapshots of the volume.
    pub(crate) snapshots: Vec<SnapshotRecord>,
}

impl Loaded {
    fn new(content: Content) -> Self {
        Self {
            content,
            checkpoint: None,
            regions: BTreeMap::new(),
            body: None,
            tail: Vec::new(),
            header_bytes: 0,
            start: None,
            mark: Mark::default(),
            snapshots: Vec::new(),
        }
    }
}

/// Loads the content as of the last group, beside a host that may write it.
///
/// # Errors
/// As those of [`load`], if they come again.
pub(crate) async fn load_newest<S: Store, H: Host>(
    calls: &Calls<S, H>,
    volume: VolumeId,
) -> Result<Loaded, VolumeError> {
    let (mut losses, mut openings) = (0, 0);
    loop {
        let newest = calls.newest_epoch(volume).await?;
        match load(calls, volume, newest).await {
            // Perhaps it was deleted after a checkpoint that this did not see yet.
            Err(error) if error.is_missing_or_damaged() && losses < LOADS => losses += 1,
            Err(error) => return Err(error),
            Ok(loaded) => {
                let started = loaded.start.as_ref().map(|(epoch, _)| *epoch);
                let mark = calls.mark_since(volume, loaded.start.clone()).await;
                // After all was read.
                if calls.is_newest(volume, newest, started).await? {
                    if !is_overtaken(calls, volume, &loaded).await? {
                        return Ok(Loaded { mark: mark?, ..loaded });
                    }
                    losses += 1;
                    if losses >= LOADS {
                        return Err(overtaken(volume));
                    }
                    continue;
                }
                if openings >= OPENINGS {
                    return Err(opened_again(volume));
                }
                openings += 1;
            }
        }
    }
}

/// Returns true if the host that writes made a checkpoint with groups or copies that this content lacks, and deleted some of their objects. They
/// may have been gone before they were read: so many of them in a row that their end was taken for that of the volume. If all are there, the
/// content is merely as of an earlier group.
async fn is_overtaken<S: Store, H: Host>(
    calls: &Calls<S, H>,
    volume: VolumeId,
    loaded: &Loaded,
) -> Result<bool, VolumeError> {
    if canary::has(Bug::RootOnce) {
        return Ok(false);
    }
    let Some((epoch, _)) = loaded.start else { return Ok(false) };
    let first = match loaded.checkpoint {
        Some(key) if key.epoch == epoch => key.number + 1,
        _ => 0,
    };
    let exists = async |number| calls.exists(&volume.checkpoint(CheckpointKey { epoch, number })).await;
    let Some(number) = last_without_gap(first, exists).await? else { return Ok(false) };
    let root = match read_root(calls, volume, CheckpointKey { epoch, number }).await {
        Ok((root, _)) => root,
        // There is one behind it by now; or it is damaged, which the next load finds.
        Err(error) if error.is_missing_or_damaged() => return Ok(true),
        Err(error) => return Err(error),
    };
    let read = loaded.tail.last().map_or([0; 2], |tail| [tail.data[1], tail.copies[1]]);
    for (is_copies, (read, covered)) in [false, true].into_iter().zip(read.into_iter().zip(root.covered)) {
        for at in (read..covered).step_by(READS_AT_ONCE as usize) {
            let some = at..(at + READS_AT_ONCE).min(covered);
            let key = |sequence| ObjectKey { is_copies, epoch, sequence };
            let found = some.map(async |sequence| calls.exists(&volume.object(key(sequence))).await);
            for is_there in join_all(found).await {
                if !is_there? {
                    return Ok(true);
                }
            }
        }
    }
    Ok(false)
}

/// Loads the content as of the end of the epochs up to `newest`.
pub(crate) async fn load<S: Store, H: Host>(
    calls: &Calls<S, H>,
    volume: VolumeId,
    newest: u64,
) -> Result<Loaded, VolumeError> {
    let start = calls.newest_start::<StartRecord>(volume, 1..=newest).await?;
    let Some((epoch, start)) = start else {
        return Ok(Loaded::new(read_record(calls, volume).await?.content()));
    };
    let key = |number| CheckpointKey { epoch, number };
    let own = last_without_gap(0, async |number| calls.exists(&volume.checkpoint(key(number))).await).await?;
    let (checkpoint, tail) = match own {
        Some(number) => (Some(key(number)), Vec::new()),
        None => (start.checkpoint.map(|[epoch, number]| CheckpointKey { epoch, number }), start.tail),
    };
    let mut content = Content { bytes: start.bytes, ..Content::default() };
    if checkpoint.is_none() {
        content.inherited = read_record(calls, volume).await?.content().inherited;
    }
    let snapshots = calls.table_since(volume, epoch, start.snapshots).await?;
    let start = Some((epoch, start.mark));
    let mut loaded = Loaded { checkpoint, tail, start, snapshots, ..Loaded::new(content) };
    let mut covered = [0; 2];
    if let Some(key) = checkpoint {
        let (root, body) = read_root(calls, volume, key).await?;
        loaded.body = Some(body);
        (loaded.content, loaded.regions) = (root.content, root.regions);
        if own.is_some() {
            covered = root.covered;
        }
        read_regions(calls, volume, &mut loaded).await?;
    }
    for tail in loaded.tail.clone() {
        replay(calls, volume, &mut loaded, tail, true).await?;
    }
    let own = TailRecord { epoch, data: [covered[0], u64::MAX], copies: [covered[1], u64::MAX] };
    let own = replay(calls, volume, &mut loaded, own, false).await?;
    loaded.tail.push(own);
    Ok(loaded)
}

/// Reads the root of a checkpoint.
pub(crate) async fn read_root<S: Store, H: Host>(
    calls: &Calls<S, H>,
    volume: VolumeId,
    key: CheckpointKey,
) -> Result<(Root, PartKey), VolumeError> {
    let name = volume.checkpoint(key);
    let RootRecord { body: [epoch, number, part] } = record::decode(&name, &calls.get(&name, None).await?)?;
    let part = u32::try_from(part).map_err(|_| VolumeError::damaged(&name, "its body cannot be"))?;
    let body = PartKey { checkpoint: CheckpointKey { epoch, number }, part };
    let name = volume.part(body);
    let bytes = calls.get(&name, None).await?;
    Ok((decode_root(&name, &bytes, volume, key)?, body))
}

/// Reads the body of a snapshot.
pub(crate) async fn read_body<S: Store, H: Host>(
    calls: &Calls<S, H>,
    volume: VolumeId,
    body: PartKey,
) -> Result<Root, VolumeError> {
    let name = volume.part(body);
    let bytes = calls.get(&name, None).await?;
    decode_root(&name, &bytes, volume, body.checkpoint)
}

/// Loads the content of a snapshot.
pub(crate) async fn load_snapshot<S: Store, H: Host>(
    calls: &Calls<S, H>,
    volume: VolumeId,
    body: PartKey,
) -> Result<Loaded, VolumeError> {
    let root = read_body(calls, volume, body).await?;
    let mut loaded = Loaded { regions: root.regions, body: Some(body), ..Loaded::new(root.content) };
    read_regions(calls, volume, &mut loaded).await?;
    Ok(loaded)
}

/// Reads the regions of a checkpoint into the map.
async fn read_regions<S: Store, H: Host>(
    calls: &Calls<S, H>,
    volume: VolumeId,
    loaded: &mut Loaded,
) -> Result<(), VolumeError> {
    let mut by_part: BTreeMap<PartKey, Vec<(u64, RegionPlace)>> = BTreeMap::new();
    for (region, place) in &loaded.regions {
        by_part.entry(place.part).or_default().push((*region, *place));
    }
    let parts: Vec<_> = by_part.into_iter().collect();
    for some in parts.chunks(READS_AT_ONCE as usize) {
        let read = some.iter().map(async |(part, _)| calls.get(&volume.part(*part), None).await);
        for ((part, regions), bytes) in some.iter().zip(join_all(read).await) {
            let bytes = bytes?;
            for (region, place) in regions {
                let within = place.offset as usize..place.offset as usize + place.bytes as usize;
                let decoded =
                    bytes.get(within).and_then(|bytes| decode_region(bytes, *region, &mut loaded.content));
                decoded.ok_or_else(|| {
                    VolumeError::damaged(&volume.part(*part), format!("region {region} is not whole"))
                })?;
                turn().await;
            }
        }
    }
    loaded.content.map.forget_changes();
    Ok(())
}

/// Reads the header of an object; none if there is no such object.
pub(crate) async fn read_header<S: Store, H: Host>(
    calls: &Calls<S, H>,
    volume: VolumeId,
    key: ObjectKey,
) -> Result<Option<Header>, VolumeError> {
    let name = volume.object(key);
    let Some(mut bytes) = calls.find(&name, Some(0..HEADER_READ_BYTES)).await? else { return Ok(None) };
    if let Some(needed) = Header::bytes_of(&bytes).filter(|needed| *needed > bytes.len() as u64) {
        bytes = calls.get(&name, Some(0..needed)).await?;
    }
    Header::decode(&bytes, volume, key).map(Some)
}

/// Applies what counts of a stretch of objects. Returns the stretch that counts: with the end that it has, if that is not fixed.
async fn replay<S: Store, H: Host>(
    calls: &Calls<S, H>,
    volume: VolumeId,
    loaded: &mut Loaded,
    tail: TailRecord,
    is_fixed: bool,
) -> Result<TailRecord, VolumeError> {
    let is_fixed = is_fixed && !canary::has(Bug::OpenEnd);
    let mut found = tail;
    for (is_copies, range) in [(false, &mut found.data), (true, &mut found.copies)] {
        let [start, end] = *range;
        let end = if is_fixed { end } else { u64::MAX };
        let mut counted = start;
        let mut group: Vec<Header> = Vec::new();
        let mut at = start;
        'objects: while at < end {
            let some = at..(at + READS_AT_ONCE).min(end);
            let key = |sequence| ObjectKey { is_copies, epoch: tail.epoch, sequence };
            let headers = join_all(some.map(|sequence| read_header(calls, volume, key(sequence)))).await;
            for header in headers {
                let Some(header) = header? else {
                    if !is_fixed && !is_copies {
                        check_end(calls, volume, key(at)).await?;
                    }
                    break 'objects;
                };
                turn().await;
                at += 1;
                loaded.header_bytes += header.header_bytes();
                let stored = header.stored_bytes();
                if is_copies {
                    loaded.content.apply_copies(&header, stored);
                    counted = at;
                    continue;
                }
                // Those of a group that was abandoned count for nothing; they are in the table to be deleted.
                loaded.content.add(&header, stored);
                if group.last().is_some_and(|last| last.group != header.group) {
                    group.clear();
                }
                let ends = header.ends || canary::has(Bug::GroupWithoutEnd);
                group.push(header);
                if ends {
                    if group.iter().enumerate().all(|(place, header)| header.place as usize == place) {
                        add_targets(calls, volume, loaded, &tail, &group).await?;
                        for header in &group {
                            loaded.content.apply(header, header.stored_bytes()).map_err(|target| {
                                let reason = format!("it refers to {}, which is gone", volume.object(target));
                                VolumeError::damaged(&volume.object(header.key), reason)
                            })?;
                        }
                        counted = at;
                    }
                    group.clear();
                }
            }
        }
        if !is_fixed {
            range[1] = counted;
        } else if counted < end && at < end {
            let key = ObjectKey { is_copies, epoch: tail.epoch, sequence: at };
            return Err(VolumeError::damaged(
                &volume.object(key),
                "it is missing, and an epoch that is over has it",
            ));
        }
    }
    Ok(found)
}

/// Adds objects of copies to which a group refers: they are behind the checkpoint as well, and their turn to be applied comes later. They
/// were there before the group referred to them.
async fn add_targets<S: Store, H: Host>(
    calls: &Calls<S, H>,
    volume: VolumeId,
    loaded: &mut Loaded,
    tail: &TailRecord,
    group: &[Header],
) -> Result<(), VolumeError> {
    let [start, end] = tail.copies;
    for reference in group.iter().flat_map(|header| &header.references) {
        let target = reference.object;
        let is_behind =
            target.is_copies && target.epoch == tail.epoch && (start..end).contains(&target.sequence);
        if !is_behind || canary::has(Bug::UnknownCopies) || loaded.content.objects.index_of(target).is_some()
        {
            continue;
        }
        if let Some(header) = read_header(calls, volume, target).await? {
            loaded.content.add(&header, header.stored_bytes());
        }
    }
    Ok(())
}

/// Fails if an object that is missing was there: one behind it says that what lies before counted. Objects on their way together can be
/// there without the first of them. That one of the newest group is lost cannot be seen: no later object says that it counted.
async fn check_end<S: Store, H: Host>(
    calls: &Calls<S, H>,
    volume: VolumeId,
    missing: ObjectKey,
) -> Result<(), VolumeError> {
    let key = |sequence| ObjectKey { sequence, ..missing };
    let mut first = missing.sequence + 1;
    loop {
        let some = first..first + READS_AT_ONCE;
        let mut is_any = false;
        for header in join_all(some.map(|sequence| read_header(calls, volume, key(sequence)))).await {
            let Some(header) = header? else { continue };
            if header.counted > missing.sequence {
                let reason = "it is missing, and a later one needs it";
                return Err(VolumeError::damaged(&volume.object(missing), reason));
            }
            is_any = true;
        }
        if !is_any {
            return Ok(());
        }
        first += READS_AT_ONCE;
    }
}

/// Reads the record to which the name of a volume leads.
pub(crate) async fn find_volume<S: Store, H: Host>(
    calls: &Calls<S, H>,
    name: &str,
) -> Result<(VolumeId, VolumeRecord), VolumeError> {
    let pointer = super::names::pointer(name)?;
    let found: Option<Bytes> = calls.find(&pointer, None).await?;
    let bytes = found.ok_or_else(|| VolumeError::NotFound { name: name.to_owned() })?;
    let record: record::PointerRecord = record::decode(&pointer, &bytes)?;
    let damaged = || VolumeError::damaged(&pointer, "it names no volume");
    let volume = VolumeId::parse(&record.volume).ok_or_else(damaged)?;
    Ok((volume, read_record(calls, volume).await?))
}

/// Reads the record of a volume.
///
/// # Errors
/// `Damaged` as well if there is none, though a name leads to it.
pub(crate) async fn read_record<S: Store, H: Host>(
    calls: &Calls<S, H>,
    volume: VolumeId,
) -> Result<VolumeRecord, VolumeError> {
    let name = volume.volume();
    let found = calls.find(&name, None).await?;
    let missing = || {
        VolumeError::damaged(
            &name,
            "it is missing: the volume was created or deleted in part, delete it again",
        )
    };
    let found = found.ok_or_else(missing)?;
    if found == void() {
        return Err(VolumeError::damaged(&name, "the volume was never completed: delete it"));
    }
    record::decode(&name, &found)
}

impl VolumeRecord {
    /// Returns the content of the volume as it was created.
    pub(crate) fn content(&self) -> Content {
        let inherited = if self.parent.is_some() { self.bytes } else { 0 };
        Content { bytes: self.bytes, inherited: Inherited::new(inherited), ..Content::default() }
    }
}
