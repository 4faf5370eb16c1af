//! Notes in memory: the open intents of all disks of a pool, and how much of them is durable.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard};

use tokio::sync::Mutex as AsyncMutex;

use super::lock::lock;
use crate::format::note::{Intent, Note};
use crate::types::units::{DiskId, SegmentNumber, Sequence};

/// The open intents of all disks of a pool.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenIntents(BTreeSet<(DiskId, Intent)>);

/// Notes about all disks of a pool, and the segment that they are written to.
pub(super) struct Notes {
    state: Mutex<NoteState>,
    pub(super) writer: AsyncMutex<Option<NoteWriter>>,
}

/// Notes in memory, and how much of them is durable.
#[derive(Default)]
pub(super) struct NoteState {
    /// Open intents, on flash or on their way there.
    pub(super) open: OpenIntents,
    /// Notes that are not on flash yet, in order.
    pending: Vec<Note>,
    /// Number of notes ever requested, and of those that are durable.
    asked: u64,
    pub(super) durable: u64,
}

/// The segment that notes are written to.
pub(super) struct NoteWriter {
    pub(super) segment: SegmentNumber,
    pub(super) generation: Sequence,
    pub(super) next: u32,
    /// Pages that are known to be flushed.
    pub(super) durable: u32,
}

impl Notes {
    /// Returns the notes that a start found. Nothing is written before they are taken over into a new segment.
    pub(super) fn new(open: OpenIntents) -> Self {
        let state = NoteState { open, ..NoteState::default() };
        Self { state: Mutex::new(state), writer: AsyncMutex::new(None) }
    }

    /// Locks the notes in memory, for a moment.
    pub(super) fn state(&self) -> MutexGuard<'_, NoteState> {
        lock(&self.state)
    }

    /// Returns true if some disk may have data that its backing lacks.
    pub(super) fn any_dirty(&self) -> bool {
        self.state().open.dirty_disks().next().is_some()
    }

    /// Returns the disks that may have data that their backings lack.
    pub(super) fn dirty_disks(&self) -> Vec<DiskId> {
        self.state().open.dirty_disks().collect()
    }
}

impl NoteState {
    /// Opens intents. Returns the ticket that has to be durable for them, also if others requested all of them before: their notes may
    /// still be on their way. No test can detect whether those get a ticket, because the writer's lock is fair: the earlier caller holds
    /// it, or is queued before them.
    pub(super) fn open(&mut self, disk: DiskId, intents: &[Intent]) -> u64 {
        let has_all_regions = self.open.has(disk, Intent::AllRegions);
        for intent in intents.iter().filter(|intent| !has_all_regions || **intent == Intent::DirtyData) {
            if self.open.0.insert((disk, *intent)) {
                self.ask(Note::Open(disk, *intent));
            }
        }
        self.asked
    }

    /// Closes intents, in the same way.
    pub(super) fn close(&mut self, disk: DiskId, intents: impl IntoIterator<Item = Intent>) -> u64 {
        for intent in intents {
            if self.open.0.remove(&(disk, intent)) {
                self.ask(Note::Close(disk, intent));
            }
        }
        self.asked
    }

    fn ask(&mut self, note: Note) {
        self.pending.push(note);
        self.asked += 1;
    }

    /// Returns the number of notes that are durable, and of those still to be written.
    pub(super) fn standing(&self) -> (u64, usize) {
        (self.durable, self.pending.len())
    }

    /// Takes out the first `count` notes that are to be written, with how many are durable once they are.
    pub(super) fn take_pending(&mut self, count: usize) -> (Vec<Note>, u64) {
        // Notes that other shards have requested since may not fit.
        let later = self.pending.split_off(count);
        let covers = self.asked - later.len() as u64;
        (std::mem::replace(&mut self.pending, later), covers)
    }

    /// Returns all open intents, as at most `most` notes, with the number of notes that are durable once these are written. Pending notes
    /// are part of them, or are no longer needed.
    pub(super) fn take_all(&mut self, most: usize) -> (Vec<Note>, u64) {
        self.open.make_fit(most);
        self.pending.clear();
        (self.open.0.iter().map(|(disk, intent)| Note::Open(*disk, *intent)).collect(), self.asked)
    }
}

impl OpenIntents {
    /// Adds the intents that another segment of notes lists.
    pub(super) fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// Returns true if an intent of a disk is open.
    pub(super) fn has(&self, disk: DiskId, intent: Intent) -> bool {
        self.0.contains(&(disk, intent))
    }

    /// Returns the open intents of a disk.
    pub(super) fn of(&self, disk: DiskId) -> impl Iterator<Item = Intent> {
        self.0.range((disk, Intent::Region(0))..=(disk, Intent::AllRegions)).map(|(_, intent)| *intent)
    }

    /// Returns the disks that may have data that their backings lack.
    pub(super) fn dirty_disks(&self) -> impl Iterator<Item = DiskId> {
        self.0.iter().filter(|(_, intent)| *intent == Intent::DirtyData).map(|(disk, _)| *disk)
    }

    /// Applies a note of a segment.
    pub(super) fn apply(&mut self, note: Note) {
        match note {
            Note::Open(disk, intent) => _ = self.0.insert((disk, intent)),
            Note::Close(disk, intent) => _ = self.0.remove(&(disk, intent)),
            Note::Complete => {}
        }
    }

    /// Replaces the notes of the disks with most open regions by one note for all regions each, until at most `most` are left.
    fn make_fit(&mut self, most: usize) {
        let open = &mut self.0;
        while open.len() > most.max(1) {
            let mut counts = BTreeMap::<DiskId, usize>::new();
            for (disk, _) in open.iter().filter(|(_, intent)| *intent != Intent::DirtyData) {
                *counts.entry(*disk).or_default() += 1;
            }
            let Some((disk, _)) =
                counts.into_iter().max_by_key(|(_, count)| *count).filter(|(_, count)| *count > 1)
            else {
                return;
            };
            open.retain(|(other, intent)| *other != disk || *intent == Intent::DirtyData);
            open.insert((disk, Intent::AllRegions));
        }
    }
}
