//! Scrubs and checks: objects are read again, and the checksums of their content compared.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use block::{ByteRange, Host, PAGE, turn};

use super::calls::Calls;
use super::check::has_run;
use super::checkpoint::is_whole_region;
use super::chunk;
use super::content::Content;
use super::error::VolumeError;
use super::garbage::CollectReport;
use super::load::{load_snapshot, read_body};
use super::manage::CheckReport;
use super::map::{Location, Run};
use super::map_scrub::MapScrub;
use super::names::{ObjectKey, PartKey, VolumeId};
use super::object::{ChunkEntry, Header};
use super::objects::ObjectInfo;
use super::record::SnapshotRecord;
use super::repair::{Repaired, Rescue};
use super::state::Shared;
use super::store::{Store, StoreError};
use super::volume::Volume;

/// Least time between two repairs while objects are read, in nanoseconds.
const REPAIR_REST_NS: u64 = 60_000_000_000;

/// An object that is missing or damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedObject {
    /// Its name. Of content that only a snapshot has: the volume and the snapshot, joined with '@'.
    pub name: String,
    /// Its damage.
    pub reason: String,
    /// Bytes of the disk that have their content there, in order. They cannot be read.
    pub ranges: Vec<ByteRange>,
    /// True if a snapshot of the volume has that content, and the disk does not: its reads are whole.
    pub is_of_snapshot: bool,
}

impl DamagedObject {
    /// Returns the damage of all of a snapshot with this name.
    pub(crate) fn snapshot(name: String, bytes: u64, reason: String) -> Self {
        Self { name, reason, ranges: vec![ByteRange::new(0, bytes)], is_of_snapshot: true }
    }

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
    /// Bytes of the disk that were lost and were written again, from elsewhere, and bytes of its map. What snapshots have is not.
    pub repaired_bytes: u64,
    /// Bytes of the disk that were lost, and of which the volume gets newer content.
    pub replaced_bytes: u64,
    /// Reason why not all could be repaired that `rescue` or RAM has, if so; why no checkpoint could be made then; or why not all snapshots were
    /// read.
    pub repair_failure: Option<VolumeError>,
    /// Garbage that was deleted, or the reason why not all could be.
    pub collected: Result<CollectReport, VolumeError>,
}

/// Pages of the disk that a report has as lost: the first of each range, and the one behind it.
struct Reported(BTreeMap<u64, u64>);

impl Reported {
    fn new(damaged: &[DamagedObject]) -> Self {
        let ranges = damaged.iter().flat_map(|damaged| &damaged.ranges);
        Self(ranges.map(|range| (range.start / PAGE, range.end.div_ceil(PAGE))).collect())
    }

    /// Returns true if it has all pages of a run.
    fn has(&self, run: &Run) -> bool {
        run.pages.clone().all(|page| self.has_page(page))
    }

    fn has_page(&self, page: u64) -> bool {
        self.0.range(..=page).next_back().is_some_and(|(_, end)| page < *end)
    }
}

/// Damage of an object.
struct Finding {
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

/// Damage that was found, by object.
#[derive(Default)]
pub(crate) struct Findings(BTreeMap<ObjectKey, Finding>);

impl Findings {
    /// Reads an object and compares its checksums. What is wrong once may have been wrong on its way, so it is read twice then. `has_all` says
    /// whether all pages of the map that lie in it lie in its chunks.
    pub(crate) async fn examine<S: Store, H: Host>(
        &mut self,
        calls: &Calls<S, H>,
        volume: VolumeId,
        key: ObjectKey,
        has_all: impl Fn(&Header) -> bool,
    ) -> Result<(), StoreError> {
        if find_damage(calls, volume, key, &has_all).await?.is_some()
            && let Some(finding) = find_damage(calls, volume, key, &has_all).await?
        {
            self.0.insert(key, finding);
        }
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes what others found.
    fn append(&mut self, mut others: Self) {
        self.0.append(&mut others.0);
    }

    /// Returns true if nothing of an object is whole.
    fn has_none(&self, key: ObjectKey) -> bool {
        self.0.get(&key).is_some_and(|finding| finding.whole.is_empty())
    }

    /// Returns true if an object is damaged.
    pub(crate) fn has(&self, key: ObjectKey) -> bool {
        self.0.contains_key(&key)
    }

    /// Returns the objects of which something is damaged that the map needs.
    pub(crate) fn damage(&self, volume: VolumeId, content: &Content) -> Vec<DamagedObject> {
        self.damage_but(volume, content, &BTreeSet::new())
    }

    /// Returns the same without some pages.
    fn damage_but(
        &self,
        volume: VolumeId,
        content: &Content,
        replaced: &BTreeSet<u64>,
    ) -> Vec<DamagedObject> {
        let object = |(key, ranges)| {
            let (name, reason) = (volume.object(key), self.0[&key].reason.clone());
            DamagedObject { name, reason, ranges, is_of_snapshot: false }
        };
        self.lost(content, |_| true, replaced).into_iter().map(object).collect()
    }

    /// Returns the same of a snapshot with this name, but for what `is_known` says is reported elsewhere.
    pub(crate) fn damage_of_snapshot(
        &self,
        (volume, name): (VolumeId, &str),
        content: &Content,
        is_known: impl Fn(&Run) -> bool,
    ) -> Vec<DamagedObject> {
        let object = |(key, ranges)| {
            let reason = format!("object {}: {}", volume.object(key), self.0[&key].reason);
            DamagedObject { name: name.to_owned(), reason, ranges, is_of_snapshot: true }
        };
        self.lost(content, |run| !is_known(run), &BTreeSet::new()).into_iter().map(object).collect()
    }

    /// Returns the bytes of the disk that are lost, of those runs of its map that are wanted, without some pages.
    fn lost(
        &self,
        content: &Content,
        is_wanted: impl Fn(&Run) -> bool,
        replaced: &BTreeSet<u64>,
    ) -> BTreeMap<ObjectKey, Vec<ByteRange>> {
        let mut ranges: BTreeMap<ObjectKey, Vec<ByteRange>> = BTreeMap::new();
        for (key, run) in self.lost_runs(content).into_iter().filter(|(_, run)| is_wanted(run)) {
            for page in run.pages.filter(|page| !replaced.contains(page)) {
                push_joined(ranges.entry(key).or_default(), ByteRange::at(page * PAGE, PAGE));
            }
        }
        ranges
    }

    /// Returns the runs of a map that are lost, each with its object.
    pub(crate) fn lost_runs(&self, content: &Content) -> Vec<(ObjectKey, Run)> {
        let live = self.live(content);
        if live.is_empty() {
            return Vec::new();
        }
        let runs = content.map.runs(0..content.bytes.div_ceil(PAGE));
        let lost = runs.filter_map(|run| {
            let (key, finding) = live.get(&run.location.object)?;
            (!finding.has(&run)).then_some((*key, run))
        });
        lost.collect()
    }

    /// Returns the damaged objects that a map needs, by index. Most findings are objects that were deleted meanwhile: then the map need not be
    /// visited.
    fn live(&self, content: &Content) -> HashMap<u32, (ObjectKey, &Finding)> {
        let live = self.0.iter().filter_map(|(key, finding)| {
            let index = content.objects.index_of(*key)?;
            let is_live = content.objects.get(index).is_some_and(|info| info.live > 0);
            is_live.then_some((index, (*key, finding)))
        });
        live.collect()
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
    let finding = |reason: String, whole| Ok(Some(Finding { reason, whole }));
    let bytes = match calls.read_or_lose(volume, &name).await? {
        Ok(bytes) => bytes,
        Err(reason) => return finding(reason, HashMap::new()),
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

impl<S: Store, H: Host> Shared<S, H> {
    /// Returns the damage of what only snapshots have: of objects that are damaged, and of the maps of snapshots, which are read. Waits for
    /// `pause` with the bytes of each part of a map. What lies where the disk has it as well is left to the report of that, if it is in there.
    async fn damage_of_snapshots(
        &self,
        findings: &Findings,
        of_disk: &Reported,
        damaged: &mut Vec<DamagedObject>,
        pause: &impl AsyncFn(u64),
    ) -> Result<(), VolumeError> {
        let table = self.state.borrow().snapshots.table.clone();
        let mut whole_regions = BTreeSet::new();
        for snapshot in table {
            self.check_open()?;
            let read = self.damage_of_snapshot(&snapshot, findings, of_disk, &mut whole_regions, pause);
            let found = match read.await {
                Ok(found) => found,
                Err(error) => {
                    let reason = self.calls.loss(self.volume, error).await?;
                    vec![DamagedObject::snapshot(self.name_of(&snapshot), snapshot.bytes, reason)]
                }
            };
            // It may be deleted meanwhile.
            let state = self.state.borrow();
            let is_it = |found: &SnapshotRecord| found.body == snapshot.body && !found.is_going;
            if state.snapshots.table.iter().any(is_it) {
                damaged.extend(found);
            }
        }
        Ok(())
    }

    fn name_of(&self, snapshot: &SnapshotRecord) -> String {
        format!("{}@{}", self.name, snapshot.name)
    }

    /// Returns the damage of what a snapshot has and the disk has not.
    ///
    /// # Errors
    /// `Damaged` if its map is; if the store fails.
    async fn damage_of_snapshot(
        &self,
        snapshot: &SnapshotRecord,
        findings: &Findings,
        of_disk: &Reported,
        whole_regions: &mut BTreeSet<(PartKey, u32)>,
        pause: &impl AsyncFn(u64),
    ) -> Result<Vec<DamagedObject>, VolumeError> {
        let root = read_body(&self.calls, self.volume, snapshot.body()).await?;
        let mut by_part: BTreeMap<PartKey, Vec<(u32, u32)>> = BTreeMap::new();
        for place in
            root.regions.values().filter(|place| !whole_regions.contains(&(place.part, place.offset)))
        {
            by_part.entry(place.part).or_default().push((place.offset, place.bytes));
        }
        for (part, regions) in by_part {
            let name = self.volume.part(part);
            let bytes = self.calls.get(&name, None).await?;
            for (offset, len) in regions {
                let region = bytes.get(offset as usize..).and_then(|rest| rest.get(..len as usize));
                if !region.is_some_and(is_whole_region) {
                    return Err(VolumeError::damaged(
                        &name,
                        format!("the region at byte {offset} is not whole"),
                    ));
                }
                whole_regions.insert((part, offset));
                turn().await;
            }
            pause(bytes.len() as u64).await;
        }
        if !root.content.objects.iter().any(|(_, info)| findings.has(info.key)) {
            return Ok(Vec::new());
        }
        let content = load_snapshot(&self.calls, self.volume, snapshot.body()).await?.content;
        let state = self.state.borrow();
        let is_known = |run: &Run| of_disk.has(run) && has_run(&state.content, &content, run);
        Ok(findings.damage_of_snapshot((self.volume, &self.name_of(snapshot)), &content, is_known))
    }
}

impl<S: Store, H: Host> Volume<S, H> {
    /// Reads all objects that it and its snapshots need and compares their checksums, then deletes garbage, as [`Self::collect`] does. Guests go
    /// on. Content that they write meanwhile is not read; neither is what a clone shows of its parent's snapshot, which a scrub of the parent
    /// reads. The map of a snapshot is loaded only if something is damaged that it may need. What the disk lost and `rescue` has is written
    /// again, from time to time while objects are read; so is what is lost of its map, which is read first. An object that cannot be read
    /// while the store answers other requests counts as lost.
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
        rescue: Option<&dyn Rescue>,
    ) -> Result<ScrubReport, VolumeError> {
        let shared = &self.0;
        shared.epoch.ok_or(VolumeError::ReadOnly)?;
        // An open reads what is behind the newest checkpoint, also where nothing of it is live. Without this one, less is scrubbed.
        let ours = Rc::clone(shared);
        drop(shared.calls.host.to_its_end(async move { ours.checkpoint_alone().await }).await);
        let needed: Vec<(u32, ObjectInfo)> = {
            let state = shared.state.borrow();
            let needed = state.content.objects.iter().filter(|(_, info)| state.is_needed(info));
            needed.map(|(index, info)| (index, *info)).collect()
        };
        let parts = shared.map_parts();
        let stored_bytes = needed.iter().map(|(_, info)| info.stored).sum::<u64>() + parts.bytes();
        let mut done = 0;
        progress(done, stored_bytes);
        let step = |bytes| {
            done += bytes;
            progress(done, stored_bytes);
        };
        let map = Shared::scrub_map(shared, &parts, &pause, step).await?;
        let (mut findings, mut fresh) = (Findings::default(), Findings::default());
        let (mut repaired, mut repaired_at) = (Repaired::default(), None);
        for (index, info) in &needed {
            shared.check_open()?;
            let is_needed = {
                let state = shared.state.borrow();
                state.content.objects.get(*index).is_some_and(|info| state.is_needed(info))
            };
            if is_needed {
                let has_all = |header: &Header| has_all(&shared.state.borrow().content, *index, header);
                fresh.examine(&shared.calls, shared.volume, info.key, has_all).await?;
                if fresh.has(info.key) {
                    let mut state = shared.state.borrow_mut();
                    // No page that is written from now on refers to it.
                    state.deduplication.avoid(*index);
                    if fresh.has_none(info.key) {
                        state.damaged.insert(*index);
                    }
                }
                pause(info.stored).await;
            }
            // What a cache has may be evicted, and the scrub may end, before all is read. A repair visits the map, so it is not one for each object.
            let now = shared.calls.host.now();
            if !fresh.is_empty() && repaired_at.is_none_or(|at| now.saturating_sub(at) >= REPAIR_REST_NS) {
                shared.look().await?;
                // The last repair has what this one leaves.
                drop(Shared::repair(shared, &fresh, rescue, &mut repaired).await);
                findings.append(std::mem::take(&mut fresh));
                repaired_at = Some(shared.calls.host.now());
            }
            done += info.stored;
            progress(done, stored_bytes);
        }
        findings.append(fresh);
        let MapScrub { damaged: of_map, repaired_bytes: map_bytes, failure: mut repair_failure } = map;
        if !findings.is_empty() {
            // A host that took it over deletes what this one needed.
            shared.look().await?;
            let failure = Shared::repair(shared, &findings, rescue, &mut repaired).await.err();
            repair_failure = repair_failure.or(failure);
            shared.check_open()?;
        }
        let mut found = {
            // As it is by now: cleaning may have moved some content and deleted where it was.
            let state = shared.state.borrow();
            let content = &state.content;
            let only_kept = needed.iter().map(|(_, info)| info);
            let only_kept = only_kept.filter(|info| info.live == 0 && !findings.has(info.key));
            CheckReport {
                bytes: content.bytes,
                taken_at: content.taken_at,
                objects: needed.len() as u64 + parts.count(),
                stored_bytes,
                mapped_bytes: content.map.mapped() * PAGE,
                snapshot_bytes: only_kept.map(|info| u64::from(info.pages) * PAGE).sum(),
                damaged: findings.damage_but(shared.volume, content, &repaired.replaced),
                ..CheckReport::default()
            }
        };
        found.count_whole();
        // What was repaired for the disk, or is replaced there, is still lost to its snapshots.
        let (of_disk, mut of_snapshots) = (Reported::new(&found.damaged), Vec::new());
        let read = shared.damage_of_snapshots(&findings, &of_disk, &mut of_snapshots, &pause).await;
        shared.check_open()?;
        if !of_snapshots.is_empty() {
            shared.look().await?;
        }
        // What was found counts, though not all could be read.
        repair_failure = repair_failure.or(read.err());
        found.damaged.extend(of_map);
        found.damaged.extend(of_snapshots);
        shared.check_open()?;
        repaired.ever_replaced.extend(&repaired.replaced);
        // Newer content that was on its way may never have come.
        repaired.ever_replaced.retain(|page| !of_disk.has_page(*page));
        Ok(ScrubReport {
            found,
            repaired_bytes: repaired.pages * PAGE + map_bytes,
            replaced_bytes: repaired.ever_replaced.len() as u64 * PAGE,
            repair_failure,
            collected: self.collect().await,
        })
    }
}
