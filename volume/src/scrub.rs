//! Scrubs and checks: objects are read again, and the checksums of their content compared.

use std::collections::{BTreeMap, HashMap, HashSet};

use block::{ByteRange, Host, PAGE, turn};

use super::calls::Calls;
use super::chunk;
use super::content::Content;
use super::error::VolumeError;
use super::garbage::CollectReport;
use super::manage::CheckReport;
use super::map::{Location, Run};
use super::names::{ObjectKey, VolumeId};
use super::object::{ChunkEntry, Header};
use super::objects::ObjectInfo;
use super::store::{Store, StoreError};
use super::volume::Volume;

/// An object that is missing or damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedObject {
    /// Its name. Of content that only a snapshot has: the volume and the snapshot, joined with '@'.
    pub name: String,
    /// Its damage.
    pub reason: String,
    /// Bytes of the disk that have their content there, in order. They cannot be read.
    pub ranges: Vec<ByteRange>,
}

impl DamagedObject {
    /// Returns the bytes of the disk that it costs.
    pub fn bytes(&self) -> u64 {
        self.ranges.iter().map(ByteRange::len).sum()
    }
}

/// Result of a scrub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScrubReport {
    /// Objects as they were found. None counts as an orphan: those are deleted.
    pub found: CheckReport,
    /// Garbage that was deleted, or the reason why not all could be.
    pub collected: Result<CollectReport, VolumeError>,
}

/// Damage of an object.
struct Finding {
    key: ObjectKey,
    reason: String,
    /// The chunks that are whole, by their offsets.
    whole: HashMap<u32, ChunkEntry>,
}

impl Finding {
    /// Returns true if the content of pages that lie in the object is whole. A page that lies where no chunk is has lost it as well.
    fn has(&self, run: &Run) -> bool {
        let location = run.location;
        let Some(chunk) = self.whole.get(&location.offset) else { return false };
        place(chunk, location.object) == place_of(location)
            && (location.is_reference() || location.first_page(run.pages.start) == chunk.page)
    }
}

/// Returns the place of a chunk, as pages that refer to it have it.
fn place(chunk: &ChunkEntry, object: u32) -> Location {
    chunk.location(object).as_reference()
}

/// Returns the place of the chunk in which a page lies.
fn place_of(location: Location) -> Location {
    Location { index: 0, ..location }.as_reference()
}

/// Returns true if all pages that lie in an object lie where it has a chunk.
pub(crate) fn has_all(content: &Content, index: u32, header: &Header) -> bool {
    let live = content.objects.get(index).map_or(0, |info| u64::from(info.live));
    let own = header.chunks.iter().map(|chunk| {
        let location = chunk.location(index);
        let is_there = |page: &u64| content.map.get(*page) == Some(location.at(page - chunk.page));
        chunk.range().filter(is_there).count() as u64
    });
    let places: HashSet<Location> = header.chunks.iter().map(|chunk| place(chunk, index)).collect();
    let referring = content.referring.of(index).filter_map(|page| content.map.get(page));
    own.sum::<u64>() + referring.filter(|at| places.contains(&place_of(*at))).count() as u64 >= live
}

/// Damage that was found, by the index of the object.
#[derive(Default)]
pub(crate) struct Findings(BTreeMap<u32, Finding>);

impl Findings {
    /// Reads an object and compares its checksums. What is wrong once may have been wrong on its way, so it is read twice then. `has_all` says
    /// whether all pages of the map that lie in it lie in its chunks.
    pub(crate) async fn examine<S: Store, H: Host>(
        &mut self,
        calls: &Calls<S, H>,
        volume: VolumeId,
        (index, info): (u32, &ObjectInfo),
        has_all: impl Fn(&Header) -> bool,
    ) -> Result<(), StoreError> {
        if find_damage(calls, volume, info.key, &has_all).await?.is_some()
            && let Some(finding) = find_damage(calls, volume, info.key, &has_all).await?
        {
            self.0.insert(index, finding);
        }
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the objects of which something is damaged that the map needs.
    pub(crate) fn damage(&self, volume: VolumeId, content: &Content) -> Vec<DamagedObject> {
        // Most findings are objects that were deleted meanwhile: nothing points to them, and the map is not looked through.
        let is_live = |index: &u32| content.objects.get(*index).is_some_and(|info| info.live > 0);
        if !self.0.keys().any(is_live) {
            return Vec::new();
        }
        let mut ranges: BTreeMap<u32, Vec<ByteRange>> = BTreeMap::new();
        for run in content.map.runs(0..content.bytes.div_ceil(PAGE)) {
            let Some(finding) = self.0.get(&run.location.object) else { continue };
            if finding.has(&run) {
                continue;
            }
            let ranges = ranges.entry(run.location.object).or_default();
            push_joined(ranges, ByteRange::new(run.pages.start * PAGE, run.pages.end * PAGE));
        }
        let object = |(index, ranges)| {
            let Finding { key, reason, .. } = &self.0[&index];
            DamagedObject { name: volume.object(*key), reason: reason.clone(), ranges }
        };
        ranges.into_iter().map(object).collect()
    }
}

/// Appends a range, to the last one if it goes on there.
pub(crate) fn push_joined(ranges: &mut Vec<ByteRange>, range: ByteRange) {
    match ranges.last_mut() {
        Some(last) if last.end == range.start => last.end = range.end,
        _ => ranges.push(range),
    }
}

async fn find_damage<S: Store, H: Host>(
    calls: &Calls<S, H>,
    volume: VolumeId,
    key: ObjectKey,
    has_all: &impl Fn(&Header) -> bool,
) -> Result<Option<Finding>, StoreError> {
    let name = volume.object(key);
    let finding = |reason: String, whole| Ok(Some(Finding { key, reason, whole }));
    let Some(bytes) = calls.find(&name, None).await? else {
        return finding("it is missing".to_owned(), HashMap::new());
    };
    let header = match Header::decode(&bytes, volume, key) {
        Ok(header) => header,
        Err(error) => return finding(error.to_string(), HashMap::new()),
    };
    let mut whole = HashMap::new();
    for entry in &header.chunks {
        let within = entry.location(0).bytes();
        let stored = bytes.get(within.start as usize..within.end as usize);
        let opened = stored.and_then(|stored| chunk::open(stored, Some(entry.page), u64::from(entry.pages)));
        if opened.is_some() {
            whole.insert(entry.offset, *entry);
        }
        turn().await;
    }
    if whole.len() == header.chunks.len() && has_all(&header) {
        return Ok(None);
    }
    finding("the checksum of content is wrong".to_owned(), whole)
}

impl<S: Store, H: Host> Volume<S, H> {
    /// Reads all objects that it needs and compares their checksums, then deletes garbage, as [`Self::collect`] does. Guests go on. Content
    /// that they write meanwhile is not read; neither is what only snapshots have, nor what a clone shows of its parent's snapshot. For that,
    /// the maps of these snapshots would have to be in RAM as well: [`check`](super::check()) reads it.
    ///
    /// Gives `progress` the bytes that were read and the bytes in all, after each object. Then it waits for `pause`, with the bytes of that
    /// object, by which a caller limits the rate.
    ///
    /// # Errors
    /// If it is open for reading alone, was closed or overtaken, or the store fails while objects are read.
    pub async fn scrub(
        &self,
        progress: &mut dyn FnMut(u64, u64),
        pause: impl AsyncFn(u64),
    ) -> Result<ScrubReport, VolumeError> {
        let shared = &self.0;
        shared.epoch.ok_or(VolumeError::ReadOnly)?;
        let needed: Vec<(u32, ObjectInfo)> = {
            let state = shared.state.borrow();
            let live = state.content.objects.iter().filter(|(_, info)| info.live > 0);
            live.map(|(index, info)| (index, *info)).collect()
        };
        let stored_bytes = needed.iter().map(|(_, info)| info.stored).sum();
        let (mut findings, mut done) = (Findings::default(), 0);
        progress(done, stored_bytes);
        for (index, info) in &needed {
            shared.check_open()?;
            let is_live = {
                let state = shared.state.borrow();
                state.content.objects.get(*index).is_some_and(|info| info.live > 0)
            };
            if is_live {
                let has_all = |header: &Header| has_all(&shared.state.borrow().content, *index, header);
                findings.examine(&shared.calls, shared.volume, (*index, info), has_all).await?;
                pause(info.stored).await;
            }
            done += info.stored;
            progress(done, stored_bytes);
        }
        if !findings.is_empty() {
            // A host that took it over deletes what this one needed.
            shared.look().await?;
        }
        let mut found = {
            // As it is by now: cleaning may have moved some content and deleted where it was.
            let state = shared.state.borrow();
            let content = &state.content;
            CheckReport {
                bytes: content.bytes,
                taken_at: content.taken_at,
                objects: needed.len() as u64,
                stored_bytes,
                mapped_bytes: content.map.mapped() * PAGE,
                damaged: findings.damage(shared.volume, content),
                ..CheckReport::default()
            }
        };
        found.count_whole();
        shared.check_open()?;
        Ok(ScrubReport { found, collected: self.collect().await })
    }
}
