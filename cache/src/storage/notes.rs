//! Notes about regions, for all disks of a pool in segments of their own: the open intents of all disks (rule I11).
//!
//! ```text
//!   open:   intent ──> batch without data ──> flush ──> headers that prove it ──> the backing may be changed
//!   quiet:  quiet ───> batch without data ──> flush ──> headers that prove it
//!   the segment is full, or has many batches, or the pool is opened:
//!       next segment, table durable ── all that is open ── flush ── `complete` ── flush ── the old one free, table durable
//! ```
//! Writers of guests wait for intents, so notes have segments of their own, and never wait for room. Notes
//! that arrive together share a batch and a flush. Being apart from the logs of disks, notes are known as soon as the pool
//! is open, and no reclaim has to carry them along.

use std::collections::BTreeSet;

use block::{BlockDevice, BlockError, Buffer};

use super::note_state::{NoteWriter, OpenIntents};
use super::pool::Pool;
use super::reading::{Reader, SegmentGeneration, Unreadable};
use crate::format::batch::{self, ENTRIES_PER_PAGE, Entry, Head};
use crate::format::note::{Intent, Note};
use crate::state::replay::TailDamage;
use crate::state::segments::{SegmentPurpose, Segments};
use crate::types::canary::{self, Bug};
use crate::types::env::Env;
use crate::types::limits::{MEMBERS_MAX, NOTE_BATCHES_MAX, PAGE_BYTES};
use crate::types::units::{DiskId, SegmentOwner};

/// Headers without notes behind the flushed ones. Two, for pages beside each other are lost together more often than others: as long as one
/// of three is left, it is known that there was something.
const PROOF_PAGES: u32 = 2;

impl<E: Env> Pool<E> {
    /// Returns the open intents of a disk.
    pub(crate) fn open_intents_of(&self, disk: DiskId) -> BTreeSet<Intent> {
        self.shared.notes.state().open.of(disk).collect()
    }

    /// Opens intents of a disk. Durable once this returns.
    pub(crate) async fn open_intents(&self, disk: DiskId, intents: &[Intent]) -> Result<(), BlockError> {
        let ticket = self.shared.notes.state().open(disk, intents);
        self.write_notes(ticket).await
    }

    /// Closes intents of a disk. The data that this relies on is durable. If this is lost, the intents count as open.
    pub(crate) async fn close_intents(
        &self,
        disk: DiskId,
        intents: impl IntoIterator<Item = Intent>,
    ) -> Result<(), BlockError> {
        let ticket = self.shared.notes.state().close(disk, intents);
        self.write_notes(ticket).await
    }

    /// Starts a new segment of notes with all open intents, and releases all earlier ones.
    pub(super) async fn take_over_notes(&self) -> Result<(), BlockError> {
        let mut writer = self.shared.notes.writer.lock().await;
        self.start_note_segment(&mut writer).await
    }

    /// Moves notes to another device, because theirs is to leave.
    pub(crate) async fn move_notes(&self) -> Result<(), BlockError> {
        let mut writer = self.shared.notes.writer.lock().await;
        *writer = None;
        self.start_note_segment(&mut writer).await
    }

    /// Copies notes to a second device, if there is one.
    pub(crate) async fn copy_notes(&self) -> Result<(), BlockError> {
        // Asked for often, and guests wait for notes: their writer is kept for this only if there is something to do.
        if !self.segments().notes_lack_copy() {
            return Ok(());
        }
        let mut writer = self.shared.notes.writer.lock().await;
        match &*writer {
            Some(open) if self.lacks_copy(SegmentOwner::Notes, open.segment) => {
                *writer = None;
                self.start_note_segment(&mut writer).await
            }
            _ => Ok(()),
        }
    }

    /// Makes the first `ticket` notes durable.
    async fn write_notes(&self, ticket: u64) -> Result<(), BlockError> {
        let mut writer = self.shared.notes.writer.lock().await;
        let mut outcome = self.write_pending_notes(&mut writer, ticket).await;
        for _ in 0..MEMBERS_MAX {
            if outcome.is_ok() || self.is_failed() {
                break;
            }
            // The device that had the notes failed, and there are others: all open intents are written again.
            outcome = self.write_pending_notes(&mut writer, ticket).await;
        }
        outcome
    }

    async fn write_pending_notes(
        &self,
        writer: &mut Option<NoteWriter>,
        ticket: u64,
    ) -> Result<(), BlockError> {
        let notes = &self.shared.notes;
        let (durable, waiting) = notes.state().standing();
        if durable >= ticket {
            return Ok(());
        }
        let needed = waiting.div_ceil(ENTRIES_PER_PAGE) as u32 + PROOF_PAGES;
        // Taken out: if this is dropped halfway, the next one starts a new segment with all that is open.
        let fits = |open: &NoteWriter| {
            open.next + needed <= pages_for_notes(self) && !self.lacks_copy(SegmentOwner::Notes, open.segment)
        };
        let Some(mut open) = writer.take().filter(fits) else {
            return self.start_note_segment(writer).await;
        };
        let (pending, covers) = notes.state().take_pending(waiting);
        open.append(self, &pending).await?;
        open.flush(self).await?;
        open.prove(self).await?;
        notes.state().durable = covers;
        *writer = Some(open);
        Ok(())
    }

    async fn start_note_segment(&self, writer: &mut Option<NoteWriter>) -> Result<(), BlockError> {
        let notes = &self.shared.notes;
        let before = self.segments().owned_by(SegmentOwner::Notes);
        let taken = self.take_segment(SegmentOwner::Notes, SegmentPurpose::Notes).await;
        let (segment, generation) = taken.map_err(|_| Self::gone())?;
        let mut next = NoteWriter { segment, generation, next: 0, durable: 0 };
        let (all, covers) = notes.state().take_all(pages_for_notes(self) as usize / 2 * ENTRIES_PER_PAGE);
        // Crash before `complete`: the earlier segment is still owned, and counts.
        next.append(self, &all).await?;
        next.flush(self).await?;
        next.append(self, &[Note::Complete]).await?;
        next.flush(self).await?;
        for (segment, _) in before {
            self.segments().give_up(segment);
        }
        // Durable, so that damage to the new one is never taken for a crash before it was complete.
        self.persist_table().await?;
        notes.state().durable = covers;
        *writer = Some(next);
        self.note_freed();
        Ok(())
    }
}

/// Returns the number of pages of a segment that notes use: all of them are read at each start.
fn pages_for_notes<E: Env>(pool: &Pool<E>) -> u32 {
    pool.layout().batch_pages().min(NOTE_BATCHES_MAX)
}

impl NoteWriter {
    /// Makes all appended notes durable.
    async fn flush<E: Env>(&mut self, pool: &Pool<E>) -> Result<(), BlockError> {
        pool.flush_segment(self.segment).await?;
        self.durable = self.next;
        Ok(())
    }

    /// Appends notes.
    async fn append<E: Env>(&mut self, pool: &Pool<E>, notes: &[Note]) -> Result<(), BlockError> {
        self.write(pool, notes.chunks(ENTRIES_PER_PAGE)).await
    }

    /// Records that flushed notes are durable. Without that, damage to the last of them would look like the end of the notes (rule I6).
    async fn prove<E: Env>(&mut self, pool: &Pool<E>) -> Result<(), BlockError> {
        self.write(pool, [[].as_slice(); PROOF_PAGES as usize].into_iter()).await
    }

    /// Appends pages of notes, one batch each.
    async fn write<'a, E: Env>(
        &mut self,
        pool: &Pool<E>,
        pages: impl ExactSizeIterator<Item = &'a [Note]>,
    ) -> Result<(), BlockError> {
        if pages.len() == 0 {
            return Ok(());
        }
        let first = pool.layout().segment_start(self.segment).plus(self.next);
        let mut bytes = Buffer::zeroed(pages.len() * PAGE_BYTES);
        for (page, notes) in bytes.chunks_exact_mut(PAGE_BYTES).zip(pages) {
            let entries: Vec<Entry> = notes.iter().map(|note| note.to_entry(pool.draw_sequence())).collect();
            let head = Head {
                owner: SegmentOwner::Notes,
                segment: self.segment,
                generation: self.generation,
                place: self.next,
                sequence: pool.draw_sequence(),
                durable: self.durable,
            };
            batch::encode_header(page, pool.id(), &head, &entries);
            self.next += 1;
        }
        pool.write(first, bytes).await.map(drop)
    }
}

/// Reads the notes of a pool: the open intents. Gives up the segments that do not count.
///
/// The newest complete segment counts. A newer, incomplete one lists the intents that were open when it was begun: all of these count as
/// open as well, because the end of the complete one may be damaged beyond what its proofs show. That adds at most intents whose opener has
/// not seen them durable.
///
/// # Errors
/// If some cannot be read; then every intent of every disk may be open.
pub(crate) async fn read_all<F: BlockDevice>(
    reader: &Reader<F>,
    segments: &mut Segments,
) -> Result<OpenIntents, Unreadable> {
    let owned = SegmentGeneration::all_of(segments, SegmentOwner::Notes);
    if owned.is_empty() && segments.owners().is_empty() {
        // Made, and never opened.
        return Ok(OpenIntents::default());
    }
    let mut found = Err(Unreadable::NoSummary);
    let mut open = OpenIntents::default();
    for wanted in &owned {
        let said = read_segment(reader, *wanted).await?;
        if said.is_complete {
            open.extend(said.open);
            found = Ok(wanted.segment);
            break;
        }
        // Nothing was written after the crash that left it incomplete.
        if !canary::has(Bug::UnfinishedNotesIgnored) {
            open.extend(said.open);
        }
    }
    let counts = found?;
    for earlier in owned.into_iter().filter(|wanted| wanted.segment != counts) {
        segments.give_up(earlier.segment);
    }
    Ok(open)
}

/// Content of a segment of notes.
struct SegmentNotes {
    open: OpenIntents,
    /// True if it contains all intents that were open when it was begun.
    is_complete: bool,
}

/// Reads the notes of a segment.
async fn read_segment<F: BlockDevice>(
    reader: &Reader<F>,
    wanted: SegmentGeneration,
) -> Result<SegmentNotes, Unreadable> {
    let mut said = SegmentNotes { open: OpenIntents::default(), is_complete: false };
    let content = reader.headers(wanted, TailDamage::NotFlushed).await?.content;
    for note in content.lines().filter_map(|line| Note::from_line(&line)) {
        said.is_complete |= note == Note::Complete;
        said.open.apply(note);
    }
    Ok(said)
}
