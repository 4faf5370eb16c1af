//! Checking a pool that is not in use: what a start would find in it, and whether every checksum holds. Changes nothing.
//!
//! The code that starts a pool and loads a disk decides which content is trusted ([`examine`], [`Reader`], [`Replay`]). The check also
//! reads every data page, which a start leaves to later reads.
//!
//! No backing is compared: a start that does not know whether a backing was changed compares samples, and may drop content that this check
//! reports as kept.

use std::collections::BTreeSet;
use std::rc::Rc;

use block::{BlockDevice, Buffer};
use futures_util::future::join_all;

use super::flash::Flash;
use super::note_state::OpenIntents;
use super::reading::{Reader, SegmentContent, SegmentGeneration};
use super::start::{IgnoredDevice, PoolExamination, SessionIds, USED_SINCE, examine};
use crate::format::PoolId;
use crate::format::checksum::page_checksum;
use crate::format::note::Intent;
use crate::format::summary::SummaryEntry;
use crate::format::superblock::{SLOTS, Superblock};
use crate::format::table::TableEntry;
use crate::state::replay::{Bits, RecoveryTrust, Replay};
use crate::state::segments::Segments;
use crate::state::write_intent_bitmap::{self, SharedBits};
use crate::types::error::CacheError;
use crate::types::limits::PAGE_BYTES;
use crate::types::units::{DiskId, MemberNumber, PageNumber, SegmentNumber, SegmentOwner, Sequence};

/// Information about a pool beside the content of its devices.
pub struct Knowledge<'a> {
    /// Session ids of the next opener of the pool. None: it counts as the last one to have used the pool.
    pub marks: Option<&'a SessionIds>,
    /// Returns the expectation for a disk, from its number and the mark of the last start.
    pub expected: &'a dyn Fn(DiskId, u64) -> DiskExpectation,
}

/// Trust in the content of a disk at its next start.
pub struct DiskExpectation {
    /// As when it is attached.
    pub belief: RecoveryTrust,
    /// The bits that the last process left. Without them [`RecoveryTrust::ByPage`] is as [`RecoveryTrust::ByRegion`].
    pub touched: Option<Rc<dyn SharedBits>>,
}

/// Progress of a check, in bytes of owned segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes that were verified.
    pub done: u64,
    /// Bytes in all.
    pub total: u64,
}

/// Result for a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedPool {
    /// The pool.
    pub id: PoolId,
    /// Bytes of its devices that it uses.
    pub size_bytes: u64,
    /// Devices that it has.
    pub devices: u64,
    /// Those of them that were not named.
    pub devices_missing: u64,
    /// Devices that were named and do not belong to it.
    pub ignored: Vec<IgnoredDevice>,
    /// Bytes of a segment.
    pub segment_bytes: u64,
    /// Segments in all.
    pub segments: u64,
    /// Segments without an owner.
    pub segments_free: u64,
    /// Segments whose content is void.
    pub segments_void: u64,
    /// Segments with notes about regions.
    pub segments_notes: u64,
    /// The mark of the last start.
    pub mark: u64,
    /// Reason why a start would trust none of the content, if so.
    pub dropped: Option<&'static str>,
    /// Damage to parts that belong to no disk. A copy whose write was cut by a power loss looks like a damaged one.
    pub damage: Vec<String>,
    /// The disks that own segments, by number.
    pub disks: Vec<CheckedDisk>,
}

/// Result for one disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedDisk {
    /// Its number.
    pub id: DiskId,
    /// Segments that it owns.
    pub segments: u64,
    /// Reason why it would start with an empty cache, if so.
    pub cold: Option<String>,
    /// Pages that a start would load. The damaged ones among them would be found when they are read, and read from the backing.
    pub pages_kept: u64,
    /// Pages that a start would load and that are dirty.
    pub pages_dirty: u64,
    /// Pages that would not, because the backing may have changed behind them.
    pub pages_dropped: u64,
    /// Versions of pages that the log itself invalidates.
    pub versions_forgotten: u64,
    /// Data pages whose checksum was recomputed, older versions included.
    pub pages_verified: u64,
    /// Data pages that fail theirs, or cannot be read.
    pub pages_damaged: u64,
    /// Damaged pages that a start would load.
    pub pages_kept_damaged: u64,
    /// Pages at the end of the log that were being written when the process ended, and never were whole.
    pub pages_unfinished: u64,
    /// Regions with an open intent; none if every region has one.
    pub regions_open: Option<u64>,
    /// Parts of the log that cannot be read.
    pub damage: Vec<String>,
}

impl CheckedPool {
    /// Returns true if every checksum holds, except for pages that were being written at the end.
    pub fn is_whole(&self) -> bool {
        self.damage.is_empty() && self.disks.iter().all(CheckedDisk::is_whole)
    }
}

impl CheckedDisk {
    /// Returns true if every checksum holds, except for pages that were being written at the end.
    pub fn is_whole(&self) -> bool {
        self.damage.is_empty() && self.pages_damaged == 0
    }
}

/// Data pages that are read at once.
const CHUNK_PAGES: u32 = 128;
/// Reads at once.
const READS_AT_ONCE: usize = 8;

/// Verifies the pool on devices that are not written meanwhile. Changes nothing.
///
/// # Errors
/// `NotAPool`; [`identify`](crate::identify) returns what it is. `Flash` if even the superblocks, tables or notes cannot be read.
pub async fn check<F: BlockDevice>(
    devices: Vec<F>,
    known: &Knowledge<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<CheckedPool, CacheError> {
    let examined = examine(devices, known.marks).await?;
    let superblock = examined.superblock;
    let mut pool = describe(&examined);
    pool.damage.extend(superblock_damage(&examined.flash).await?);
    pool.damage.extend(content_damage(&examined));
    let (lives, open_intents) = content_of(&examined);
    // Its generations are not drawn from.
    let start = Sequence::first_of(superblock.term);
    let segments = Segments::new(superblock.layout, &superblock.members, start, &lives);
    let owned: u64 = segments.owners().iter().map(|disk| u64::from(segments.held(*disk))).sum();
    let mut checker = Checker {
        reader: Reader { flash: examined.flash, layout: superblock.layout, pool: superblock.pool },
        segments,
        open_intents,
        dropped: pool.dropped,
        progress,
        done: Progress { done: 0, total: owned * superblock.layout.segment_bytes() },
    };
    for disk in checker.segments.owners() {
        let expected = (known.expected)(disk, superblock.mark);
        pool.disks.push(checker.check(disk, expected).await);
    }
    Ok(pool)
}

fn describe<F: BlockDevice>(examined: &PoolExamination<F>) -> CheckedPool {
    let layout = examined.superblock.layout;
    let members = || examined.superblock.members.iter();
    let (lives, _) = content_of(examined);
    let count = |is: &dyn Fn(&TableEntry) -> bool| lives.iter().filter(|life| is(life)).count() as u64;
    let owned_by = |owner| move |life: &TableEntry| life.is_some_and(|life| life.0 == owner);
    CheckedPool {
        id: examined.superblock.pool,
        size_bytes: members().map(|member| member.device_bytes).sum(),
        devices: members().count() as u64,
        devices_missing: examined.missing.len() as u64,
        ignored: examined.ignored.clone(),
        segment_bytes: layout.segment_bytes(),
        segments: members().map(|member| u64::from(member.segments())).sum(),
        segments_free: count(&|life| life.is_none()),
        segments_void: count(&owned_by(SegmentOwner::Invalid)),
        segments_notes: count(&owned_by(SegmentOwner::Notes)),
        mark: examined.superblock.mark,
        dropped: examined.content.as_ref().err().copied(),
        damage: Vec::new(),
        disks: Vec::new(),
    }
}

/// Returns owners and open intents; where nothing is trusted, those of the newest table, to verify all the same.
fn content_of<F>(examined: &PoolExamination<F>) -> (Vec<TableEntry>, OpenIntents) {
    if let Ok(content) = &examined.content {
        return content.clone();
    }
    let newest = examined.tables.iter().flatten().flatten().max_by_key(|(turn, _)| *turn);
    (newest.map_or_else(Vec::new, |(_, lives)| lives.clone()), OpenIntents::default())
}

/// Names a device in a message, if there are others.
fn of_device(count: usize, number: MemberNumber) -> String {
    if count > 1 { format!(" of device {number}") } else { String::new() }
}

/// Copies of the superblock that are not whole.
async fn superblock_damage<F: BlockDevice>(flash: &Flash<F>) -> Result<Vec<String>, CacheError> {
    let mut damage = Vec::new();
    let count = flash.devices().count();
    for (member, device) in flash.devices() {
        for (slot, name) in SLOTS.into_iter().zip(["first", "second"]) {
            let (page, result) = device.read(slot, Buffer::zeroed(PAGE_BYTES)).await;
            result?;
            if Superblock::decode(&page).is_err() {
                let device = of_device(count, member.number);
                damage.push(format!("The {name} copy of the superblock{device} is not whole"));
            }
        }
    }
    Ok(damage)
}

fn content_damage<F: BlockDevice>(examined: &PoolExamination<F>) -> Vec<String> {
    let mut damage = Vec::new();
    let count = examined.flash.devices().count();
    for ((member, _), tables) in examined.flash.devices().zip(&examined.tables) {
        let slots = tables.iter().zip(["first", "second"]);
        for (_, name) in slots.filter(|(table, _)| table.is_none()) {
            let device = of_device(count, member.number);
            damage.push(format!("The {name} copy of the segment table{device} is not whole"));
        }
    }
    // Use of the pool by another host is no damage.
    damage.extend(
        examined.content.as_ref().err().filter(|reason| **reason != USED_SINCE).map(|r| (*r).to_owned()),
    );
    damage
}

struct Checker<'a, F> {
    reader: Reader<F>,
    segments: Segments,
    open_intents: OpenIntents,
    dropped: Option<&'static str>,
    progress: &'a mut dyn FnMut(Progress),
    done: Progress,
}

/// The pages that the backing may have changed behind the log.
pub(super) struct DistrustedPages {
    pub(super) region_pages: u64,
    pub(super) open: BTreeSet<Intent>,
    pub(super) expected: DiskExpectation,
}

impl<F: BlockDevice> Checker<'_, F> {
    async fn check(&mut self, id: DiskId, expected: DiskExpectation) -> CheckedDisk {
        let open: BTreeSet<Intent> = self.open_intents.of(id).collect();
        let cold = match &expected.belief {
            _ if self.dropped.is_some() => self.dropped.map(str::to_owned),
            RecoveryTrust::Nothing(reason) | RecoveryTrust::Invalidated(reason) => Some(reason.clone()),
            RecoveryTrust::DirtyOnly(_) | RecoveryTrust::ByPage | RecoveryTrust::ByRegion => None,
        };
        let mut disk = CheckedDisk {
            id,
            segments: 0,
            cold,
            pages_kept: 0,
            pages_dirty: 0,
            pages_dropped: 0,
            versions_forgotten: 0,
            pages_verified: 0,
            pages_damaged: 0,
            pages_kept_damaged: 0,
            pages_unfinished: 0,
            regions_open: (!open.contains(&Intent::AllRegions)).then_some(open.len() as u64),
            damage: Vec::new(),
        };
        let layout = self.reader.layout;
        let distrusted = DistrustedPages { region_pages: u64::from(layout.region_pages()), open, expected };
        let end = distrusted
            .expected
            .touched
            .clone()
            .map(|bits| write_intent_bitmap::log_end(&*bits))
            .unwrap_or_default();
        let mut replay = Replay::new(1, layout.region_pages(), self.reader.pool.salt());
        for wanted in SegmentGeneration::all_of(&self.segments, id) {
            let segment = wanted.segment;
            let newest = (disk.segments == 0).then(|| distrusted.expected.belief.tail(end));
            match self.reader.contained(wanted, newest).await {
                Ok(contained) => self.enter(&mut disk, &mut replay, &distrusted, segment, contained).await,
                Err(error) => {
                    disk.damage.push(error.of(segment));
                    // As a start would: if any of the log cannot be read, none of it is trusted.
                    disk.cold.get_or_insert_with(|| error.of(segment));
                }
            }
            disk.segments += 1;
            self.done.done += layout.segment_bytes();
            (self.progress)(self.done);
        }
        if disk.cold.is_some() {
            return CheckedDisk {
                pages_kept: 0,
                pages_dirty: 0,
                pages_dropped: 0,
                pages_kept_damaged: 0,
                ..disk
            };
        }
        disk.pages_kept = replay.index.pages();
        disk.pages_dirty = replay.dirty.pages();
        disk.pages_dropped = replay.counts.dropped;
        disk.versions_forgotten = replay.counts.forgotten;
        disk
    }

    /// Replays a segment and verifies its pages.
    async fn enter(
        &self,
        disk: &mut CheckedDisk,
        replay: &mut Replay,
        distrusted: &DistrustedPages,
        segment: SegmentNumber,
        contained: SegmentContent,
    ) {
        let SegmentContent { content, forgets, durable, .. } = contained;
        let start = self.reader.layout.segment_start(segment);
        replay.enter(start, &content, forgets, |page| distrusted.has(page), |_, _| {});
        let lines: Vec<SummaryEntry> = content.lines().filter(|line| line.kind.has_data()).collect();
        disk.pages_verified += lines.len() as u64;
        for line in bad_lines(&self.reader, segment, &lines).await {
            if line.place >= durable {
                disk.pages_unfinished += 1;
                continue;
            }
            disk.pages_damaged += 1;
            // Nothing older can take its place: the index has the newest entry of the page.
            let known = replay.index.get(line.page);
            let would_come_back = known.is_some_and(|known| known.flash == start.plus(line.place));
            disk.pages_kept_damaged += u64::from(would_come_back);
        }
    }
}

impl DistrustedPages {
    pub(super) fn has(&self, page: PageNumber) -> bool {
        let region = (page.0 / self.region_pages) as u32;
        let open =
            [Intent::Region(region), Intent::AllRegions].iter().any(|intent| self.open.contains(intent));
        match (self.expected.belief.bits(open), &self.expected.touched) {
            (Bits::Cleared, _) => false,
            (Bits::Kept, Some(bits)) => write_intent_bitmap::is_set(&**bits, page),
            (Bits::Kept, None) | (Bits::Set, _) => true,
        }
    }
}

/// Reads every entry's page and returns those whose checksum fails.
async fn bad_lines<F: BlockDevice>(
    reader: &Reader<F>,
    segment: SegmentNumber,
    lines: &[SummaryEntry],
) -> Vec<SummaryEntry> {
    let chunks: Vec<&[SummaryEntry]> =
        lines.chunk_by(|a, b| a.place / CHUNK_PAGES == b.place / CHUNK_PAGES).collect();
    let mut bad = Vec::new();
    for some in chunks.chunks(READS_AT_ONCE) {
        let found = join_all(some.iter().map(|lines| bad_in_chunk(reader, segment, lines))).await;
        bad.extend(found.into_iter().flatten());
    }
    bad
}

async fn bad_in_chunk<F: BlockDevice>(
    reader: &Reader<F>,
    segment: SegmentNumber,
    lines: &[SummaryEntry],
) -> Vec<SummaryEntry> {
    let start = reader.layout.segment_start(segment);
    let places = || lines.iter().map(|line| line.place);
    let (Some(first), Some(last)) = (places().min(), places().max()) else { return Vec::new() };
    let mut bad = Vec::new();
    match reader.read(start.plus(first), last - first + 1).await {
        Ok(bytes) => {
            let page =
                |line: &SummaryEntry| &bytes[(line.place - first) as usize * PAGE_BYTES..][..PAGE_BYTES];
            bad.extend(lines.iter().filter(|line| page_checksum(page(line)) != line.checksum));
        }
        // Some of it can be read, perhaps.
        Err(_) => {
            for line in lines {
                let page = reader.read(start.plus(line.place), 1).await;
                if page.is_ok_and(|page| page_checksum(&page) == line.checksum) {
                    continue;
                }
                bad.push(*line);
            }
        }
    }
    bad
}
