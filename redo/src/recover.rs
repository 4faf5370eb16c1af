//! Recovery: the groups of a ring applied to the backing, after the flash that wrote them was lost.
//!
//! Groups are applied in order, all of them, whatever destage had applied before: so it may end anywhere and be repeated. Everything is read and
//! checked first, so that a ring that cannot be applied as a whole changes nothing. A page that is damaged in the ring is listed, and all
//! else is applied: its content on the backing is that of some time before.

use std::collections::BTreeSet;
use std::ops::Range;

use block::{BlockDevice, Buffer, ByteRange, PAGE, Unmap};

use super::canary::{self, Bug};
use super::directory::{CutSummary, GroupRecord};
use super::ring::{CHUNK_PAGES, RedoRing, RingError, is_damage};
use super::table::Entry;

/// Result of a recovery, or of a look at what it would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// The time as of which the backing holds the disk then, in nanoseconds since 1970.
    pub taken_at: u64,
    /// Number of groups.
    pub groups: u64,
    /// Bytes of content that are written to the backing.
    pub content_bytes: u64,
    /// Bytes that are made zeroes.
    pub zeroed_bytes: u64,
    /// Pages whose content as of that time is in no group and not on the backing, in order.
    pub lost: Vec<Range<u64>>,
}

/// Returns what [`recover`] would do; changes nothing. Reads and checks all of the ring.
///
/// # Errors
/// As [`recover`].
pub async fn verify<D: BlockDevice>(ring: &RedoRing<D>, size_bytes: u64) -> Result<Recovery, RingError> {
    check_alone(ring)?;
    Ok(plan(ring, size_bytes, None).await?.recovery)
}

/// Brings a backing to the time of the ring's last group, durably. The ring gets a higher epoch before anything is changed: the flash that wrote
/// it is out of date. At the end the ring promises nothing.
///
/// # Errors
/// `OfSet` if the ring is one of a consistency set ([`super::recover_set()`]).
/// If the ring promises nothing, a group cannot be read, or a change lies behind the end of the backing: then nothing was changed. If ring
/// or backing fail: then it may be repeated.
pub async fn recover<D: BlockDevice, B: BlockDevice>(
    ring: &RedoRing<D>,
    backing: &B,
) -> Result<Recovery, RingError> {
    check_alone(ring)?;
    let plan = plan(ring, backing.geometry().size, None).await?;
    let skipped = if canary::has(Bug::LastGroupOnly) { plan.groups.len().saturating_sub(1) } else { 0 };
    // Before the first write: a page may have an older version for a moment, which the flash takes for the one that it destaged.
    ring.begin_recovery().await?;
    for (group, entries) in plan.groups.iter().skip(skipped) {
        apply(ring, backing, group, entries).await?;
    }
    backing.flush().await.map_err(RingError::Backing)?;
    ring.void().await?;
    Ok(plan.recovery)
}

/// The groups to apply, with their tables, and what comes of it.
pub(crate) struct Plan {
    pub(crate) groups: Vec<(GroupRecord, Vec<Entry>)>,
    pub(crate) recovery: Recovery,
}

fn check_alone<D: BlockDevice>(ring: &RedoRing<D>) -> Result<(), RingError> {
    if ring.set().is_some() { Err(RingError::OfSet) } else { Ok(()) }
}

/// Reads and checks the groups of a ring, up to that of a cut if one is given.
pub(crate) async fn plan<D: BlockDevice>(
    ring: &RedoRing<D>,
    size_bytes: u64,
    target: Option<CutSummary>,
) -> Result<Plan, RingError> {
    let taken_at =
        target.map(|target| target.taken_at).or(ring.taken_at()).ok_or(RingError::NotConsistent)?;
    let end = target.map(|target| target.number).filter(|_| !canary::has(Bug::AboveTarget));
    let mut groups = Vec::new();
    let mut recovery = Recovery { taken_at, ..Recovery::default() };
    let mut lost = BTreeSet::new();
    for group in ring.records().into_iter().filter(|group| end.is_none_or(|end| group.number <= end)) {
        let entries = entries_within(ring, &group, size_bytes).await?;
        recovery.groups += 1;
        for run in runs(&entries) {
            let mut damaged = Vec::new();
            read_run(ring, &group, run, &mut |page, bytes| match bytes {
                Some(_) => recovery.content_bytes += PAGE,
                None => damaged.push(page),
            })
            .await?;
            lost.retain(|page| run.iter().all(|entry| pages_of(entry).start != *page));
            lost.extend(damaged);
        }
        for entry in &entries {
            match entry {
                Entry::Content { .. } => {}
                Entry::Zeroes(pages, _) => {
                    recovery.zeroed_bytes += (pages.end - pages.start) * PAGE;
                    lost.retain(|page| !pages.contains(page));
                }
                Entry::Lost(pages) => lost.extend(pages.clone()),
            }
        }
        groups.push((group, entries));
    }
    recovery.lost = joined(&lost);
    Ok(Plan { groups, recovery })
}

/// Returns the table of a group, whose changes have to lie within a backing of this size.
pub(crate) async fn entries_within<D: BlockDevice>(
    ring: &RedoRing<D>,
    group: &GroupRecord,
    size_bytes: u64,
) -> Result<Vec<Entry>, RingError> {
    let entries = ring.table(group).await?;
    let end = entries.iter().map(|entry| pages_of(entry).end).max().unwrap_or(0);
    if end > size_bytes.div_ceil(PAGE) {
        return Err(RingError::BehindEnd { end: end * PAGE, size_bytes });
    }
    Ok(entries)
}

/// Brings all of a group to the backing.
pub(crate) async fn apply<D: BlockDevice, B: BlockDevice>(
    ring: &RedoRing<D>,
    backing: &B,
    group: &GroupRecord,
    entries: &[Entry],
) -> Result<(), RingError> {
    for entry in entries {
        if let Entry::Zeroes(pages, unmap) = entry {
            apply_zeroes(backing, pages, *unmap).await?;
        }
    }
    for run in runs(entries) {
        apply_run(ring, backing, group, run).await?;
    }
    Ok(())
}

/// Makes pages of the backing zeroes.
pub(crate) async fn apply_zeroes<B: BlockDevice>(
    backing: &B,
    pages: &Range<u64>,
    unmap: Unmap,
) -> Result<(), RingError> {
    let geometry = backing.geometry();
    let range = ByteRange::new(pages.start * PAGE, (pages.end * PAGE).min(geometry.size));
    let unmap = if geometry.unmaps { unmap } else { Unmap::Forbidden };
    backing.write_zeroes(range, unmap).await.map_err(RingError::Backing)
}

/// Brings a run of content of a group to the backing. Returns the pages that the ring has no more.
pub(crate) async fn apply_run<D: BlockDevice, B: BlockDevice>(
    ring: &RedoRing<D>,
    backing: &B,
    group: &GroupRecord,
    run: &[Entry],
) -> Result<Vec<u64>, RingError> {
    let size = backing.geometry().size;
    let (mut pages, mut damaged) = (Vec::<(u64, Box<[u8]>)>::with_capacity(run.len()), Vec::new());
    read_run(ring, group, run, &mut |page, bytes| match bytes {
        Some(bytes) => pages.push((page, bytes.into())),
        None => damaged.push(page),
    })
    .await?;
    for stretch in pages.chunk_by(|(one, _), (next, _)| one + 1 == *next) {
        let start = stretch[0].0 * PAGE;
        let mut bytes: Vec<u8> = stretch.iter().flat_map(|(_, bytes)| bytes.iter().copied()).collect();
        bytes.truncate((size - start) as usize);
        let (_, written) = backing.write(start, Buffer::copy_of(&bytes)).await;
        written.map_err(RingError::Backing)?;
    }
    Ok(damaged)
}

/// Returns the stretches of content whose slots follow each other, of a size that is read at once.
fn runs(entries: &[Entry]) -> impl Iterator<Item = &[Entry]> {
    let follows = |one: &Entry, next: &Entry| match (one, next) {
        (Entry::Content { slot: one, .. }, Entry::Content { slot: next, .. }) => one + 1 == *next,
        _ => false,
    };
    let is_content = |run: &&[Entry]| matches!(run[0], Entry::Content { .. });
    entries.chunk_by(follows).filter(is_content).flat_map(|run| run.chunks(CHUNK_PAGES))
}

/// Reads a run of content, and gives each page with its bytes, or without if the ring has them no more.
async fn read_run<D: BlockDevice>(
    ring: &RedoRing<D>,
    group: &GroupRecord,
    run: &[Entry],
    take: &mut dyn FnMut(u64, Option<&[u8]>),
) -> Result<(), RingError> {
    let Some(Entry::Content { slot, .. }) = run.first() else { return Ok(()) };
    let (bytes, result) = ring.content(group, *slot, run.len() as u64).await;
    match result {
        Ok(()) => {
            for (entry, bytes) in run.iter().zip(bytes.chunks_exact(PAGE as usize)) {
                give(entry, bytes, take);
            }
        }
        // Each page alone: most of them can be read.
        Err(error) if is_damage(&error) && run.len() > 1 => {
            for entry in run {
                Box::pin(read_run(ring, group, std::slice::from_ref(entry), take)).await?;
            }
        }
        Err(error) if is_damage(&error) => take(pages_of(&run[0]).start, None),
        Err(error) => return Err(RingError::Storage(error)),
    }
    Ok(())
}

fn give(entry: &Entry, bytes: &[u8], take: &mut dyn FnMut(u64, Option<&[u8]>)) {
    if let Entry::Content { page, checksum, .. } = entry {
        take(*page, Some(bytes).filter(|bytes| crc32c::crc32c(bytes) == *checksum));
    }
}

pub(crate) fn pages_of(entry: &Entry) -> Range<u64> {
    match entry {
        Entry::Content { page, .. } => *page..page + 1,
        Entry::Zeroes(pages, _) | Entry::Lost(pages) => pages.clone(),
    }
}

pub(crate) fn joined(pages: &BTreeSet<u64>) -> Vec<Range<u64>> {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    for page in pages {
        match ranges.last_mut() {
            Some(last) if last.end == *page => last.end += 1,
            _ => ranges.push(*page..page + 1),
        }
    }
    ranges
}
