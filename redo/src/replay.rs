//! Replay: the newest versions that the groups of a ring have are brought to the backing, so that the ring is empty again, while the flash
//! that wrote them is alive and guests go on.
//!
//! It is the way out of a ring that is full of groups of which each is needed for a page that was overwritten since: destage brings only
//! versions to the backing that a group has, and no further group fits. The promise stays: backing and ring are the disk as of the same time,
//! only that afterwards the backing has all of it.
//!
//! **Why it is right.** What the ring has of a page last is called its newest version here; flash may have a newer one.
//! 1. *Only the newest version of each page is written.* A page that is clean on flash has it on the backing already: destage brought that
//!    version, or a later group would have a newer one. Guests may read clean pages from the backing, and find the same before, during and
//!    after the write, also if the write is torn. So older versions must not be written, not even for a moment.
//! 2. *A dirty page is read from flash.* Whatever the backing has of it is seen by a recovery only, which has the groups until they are
//!    released, and writes the same.
//! 3. *Destage in flight writes the same.* It takes only the newest version of a page, if a group that counts has that; so it is the newest
//!    one of the ring, and it stays that while no group is written: the replay holds the ring. Two writes of the same content may end
//!    in any order.
//! 4. *An unanswered write could be of an older version*, and land on the newest one. So there must be none at the backing: before, and at the
//!    flush. A caller whose backing leaves a write of the replay unanswered sends nothing newer of any page until it cannot land any more.
//! 5. *A group whose directory failed may count or not.* The directory is made durable first: then it counts, and its versions may be written.
//! 6. *Released is what a flush covers*, over the connection that wrote. The release is durable before the room is used again. A crash in
//!    between leaves the groups, and they are applied again.
//!
//! 7. *A group of a set may not count.* Those that do not are dropped from the directory first; their pages are dirty on flash, which a
//!    recovery does not have, so the backing keeps what the groups before had of them. As long as it is not known whether the last group
//!    counts, there is no replay: the backing may have a part of it already.
//!
//! A page whose newest version is damaged in the ring is skipped and listed, as one that flash lost. The ring knows nothing of it afterwards:
//! a caller that has it dirty puts it into the next group.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use block::{BlockDevice, BlockError, ErrorKind, Operation, PAGE, Unmap};

use super::canary::{self, Bug};
use super::recover::{apply, apply_run, apply_zeroes, entries_within, joined};
use super::ring::{CHUNK_PAGES, RedoRing, RingError};
use super::table::Entry;

/// Result of a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// Number of groups that were released.
    pub groups: u64,
    /// Bytes of content that were written to the backing.
    pub content_bytes: u64,
    /// Bytes that were made zeroes.
    pub zeroed_bytes: u64,
    /// Pages whose newest version the ring does not have, though a group names them: damaged there, or lost by flash before. In order.
    pub skipped: Vec<Range<u64>>,
}

/// Brings the newest versions of the ring to the backing, and releases all groups, durably. `flush` has to make durable what the
/// backing was given since the call, as [`BlockDevice::flush`] does. `go_on` is called before each request to the backing: an error ends
/// the replay. No request of another version may be in flight at the backing.
///
/// # Errors
/// `Unresolved`, `GroupDamaged` or `BehindEnd` before anything was changed. `Abandoned` with the error of `go_on`, `Storage` if the ring failed, `Backing`
/// if the backing did, has unanswered writes, or lost its connection: then all groups are still there, and the call may be repeated.
pub async fn replay<D: BlockDevice, B: BlockDevice>(
    ring: &RedoRing<D>,
    backing: &B,
    flush: impl AsyncFnOnce() -> Result<(), BlockError>,
    go_on: impl Fn() -> Result<(), BlockError>,
) -> Result<Replay, RingError> {
    let changing = ring.begin().await?;
    let result = replay_alone(ring, backing, flush, go_on).await;
    changing.end();
    result
}

async fn replay_alone<D: BlockDevice, B: BlockDevice>(
    ring: &RedoRing<D>,
    backing: &B,
    flush: impl AsyncFnOnce() -> Result<(), BlockError>,
    go_on: impl Fn() -> Result<(), BlockError>,
) -> Result<Replay, RingError> {
    if ring.is_unresolved() && !canary::has(Bug::ReplayAboveConfirmed) {
        return Err(RingError::Unresolved);
    }
    ring.settle_groups().await?;
    let groups = ring.records();
    let mut newest = NewestVersions::default();
    for (at, group) in groups.iter().enumerate() {
        let entries = entries_within(ring, group, backing.geometry().size).await?;
        if canary::has(Bug::ReplayOlder) {
            apply(ring, backing, group, &entries).await?;
        }
        for entry in &entries {
            newest.put(at, entry);
        }
    }
    let connection = backing.epoch();
    check_answered(backing)?;
    let mut replay = Replay { groups: groups.len() as u64, ..Replay::default() };
    let mut skipped = BTreeSet::new();
    for step in newest.steps() {
        go_on().map_err(RingError::Abandoned)?;
        match step {
            Step::Zeroes(pages, unmap) => {
                apply_zeroes(backing, &pages, unmap).await?;
                replay.zeroed_bytes += (pages.end - pages.start) * PAGE;
            }
            Step::Lost(pages) => skipped.extend(pages),
            Step::Content(group, run) => {
                let damaged = apply_run(ring, backing, &groups[group], &run).await?;
                replay.content_bytes += (run.len() - damaged.len()) as u64 * PAGE;
                skipped.extend(damaged);
            }
        }
    }
    if !groups.is_empty() && !canary::has(Bug::ReplayNotFlushed) {
        flush().await.map_err(RingError::Backing)?;
    }
    check_answered(backing)?;
    if backing.epoch() != connection {
        return Err(RingError::Backing(
            BlockError::anywhere(ErrorKind::Io, Operation::Flush).because("the backing lost its connection"),
        ));
    }
    ring.release_all().await?;
    replay.skipped = joined(&skipped);
    Ok(replay)
}

fn check_answered<B: BlockDevice>(backing: &B) -> Result<(), RingError> {
    if !backing.has_unanswered() {
        return Ok(());
    }
    Err(RingError::Backing(
        BlockError::anywhere(ErrorKind::Unanswered, Operation::Write)
            .because("the backing did not answer an earlier write, which may still be done"),
    ))
}

/// The newest version of each page in the groups of a ring: end and version, by first page.
#[derive(Default)]
struct NewestVersions(BTreeMap<u64, (u64, Version)>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    /// Of one page: the place of its group, its slot there and its checksum.
    Content(usize, u32, u32),
    Zeroes(Unmap),
    Lost,
}

/// A request to the backing.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    Zeroes(Range<u64>, Unmap),
    Lost(Range<u64>),
    /// The place of a group, and entries of it whose pages and slots follow each other.
    Content(usize, Vec<Entry>),
}

impl NewestVersions {
    /// Adds an entry of a group that is newer than those before.
    fn put(&mut self, group: usize, entry: &Entry) {
        match entry {
            Entry::Content { page, slot, checksum } => {
                self.replace(*page..*page + 1, Version::Content(group, *slot, *checksum));
            }
            Entry::Zeroes(pages, unmap) => self.replace(pages.clone(), Version::Zeroes(*unmap)),
            Entry::Lost(pages) => self.replace(pages.clone(), Version::Lost),
        }
    }

    fn replace(&mut self, pages: Range<u64>, version: Version) {
        if pages.is_empty() {
            return;
        }
        let overlapping = |(start, (end, version)): (&u64, &(u64, Version))| (*start, *end, *version);
        while let Some((start, end, before)) = self.0.range(..pages.end).next_back().map(overlapping)
            && end > pages.start
        {
            self.0.remove(&start);
            if start < pages.start {
                self.0.insert(start, (pages.start, before));
            }
            if end > pages.end {
                self.0.insert(pages.end, (end, before));
            }
        }
        self.0.insert(pages.start, (pages.end, version));
    }

    /// Returns the requests that bring all of it to the backing, by address.
    fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        for (start, (end, version)) in &self.0 {
            match *version {
                Version::Zeroes(unmap) => steps.push(Step::Zeroes(*start..*end, unmap)),
                Version::Lost => steps.push(Step::Lost(*start..*end)),
                Version::Content(group, slot, checksum) => {
                    let entry = Entry::Content { page: *start, slot, checksum };
                    match steps.last_mut() {
                        Some(Step::Content(of, run)) if *of == group && is_next(run, *start, slot) => {
                            run.push(entry);
                        }
                        _ => steps.push(Step::Content(group, vec![entry])),
                    }
                }
            }
        }
        steps
    }
}

/// Returns true if a page and its slot follow those of a run, which may be longer.
fn is_next(run: &[Entry], page: u64, slot: u32) -> bool {
    let follows = |last: &Entry| matches!(last, Entry::Content { page: one, slot: at, .. } if (one + 1, at + 1) == (page, slot));
    run.len() < CHUNK_PAGES && run.last().is_some_and(follows)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PAGES: u64 = 24;

    fn entry() -> impl Strategy<Value = Entry> {
        let range = (0..PAGES, 1..6_u64).prop_map(|(start, pages)| start..(start + pages).min(PAGES));
        prop_oneof![
            3 => (0..PAGES, 0..9_u32).prop_map(|(page, slot)| Entry::Content { page, slot, checksum: slot }),
            1 => range.clone().prop_map(|pages| Entry::Zeroes(pages, Unmap::Allowed)),
            1 => range.clone().prop_map(|pages| Entry::Zeroes(pages, Unmap::Forbidden)),
            1 => range.prop_map(Entry::Lost),
        ]
    }

    proptest! {
        #[test]
        fn each_page_has_one_step_which_is_of_its_newest_version(
            groups in proptest::collection::vec(proptest::collection::vec(entry(), 0..8), 0..8),
        ) {
            let mut newest = NewestVersions::default();
            let mut model: BTreeMap<u64, (usize, Entry)> = BTreeMap::new();
            for (at, group) in groups.iter().enumerate() {
                for entry in group {
                    newest.put(at, entry);
                    model.extend(super::super::recover::pages_of(entry).map(|page| (page, (at, entry.clone()))));
                }
            }
            let mut next = 0;
            let mut found = BTreeSet::new();
            for step in newest.steps() {
                let (pages, group) = match &step {
                    Step::Zeroes(pages, _) | Step::Lost(pages) => (pages.clone(), None),
                    Step::Content(group, run) => {
                        let Some(Entry::Content { page, .. }) = run.first() else { unreachable!("content") };
                        (*page..page + run.len() as u64, Some(*group))
                    }
                };
                prop_assert!(pages.start >= next && !pages.is_empty());
                next = pages.end;
                for (at, page) in pages.enumerate() {
                    let (of, entry) = &model[&page];
                    let is_right = match (&step, entry) {
                        (Step::Zeroes(_, unmap), Entry::Zeroes(_, wanted)) => unmap == wanted,
                        (Step::Lost(_), Entry::Lost(_)) => true,
                        (Step::Content(_, run), Entry::Content { .. }) => run[at] == *entry && group == Some(*of),
                        _ => false,
                    };
                    prop_assert!(is_right, "page {page}: {step:?}, not {entry:?}");
                    found.insert(page);
                }
            }
            prop_assert_eq!(found.len(), model.len());
        }
    }
}
