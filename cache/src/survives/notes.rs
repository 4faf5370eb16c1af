//! Notes about regions, for all disks of a pool in segments of their own: the open intents of all disks (rule I11).
//!
//! ```text
//!   open:   intent ──> batch without data ──> flush ──> headers that prove it ──> the backing may be changed
//!   quiet:  quiet ───> batch without data ──> flush ──> headers that prove it
//!   the segment is full, or has many batches, or the pool is opened:
//!       next segment, table durable ── all that is open ── flush ── `complete` ── flush ── the old one free, table durable
//! ```
//! Writers of guests wait for intents, so notes have segments that nobody else takes, and never wait for room. Notes
//! that come together share a batch and a flush. Being apart from the logs of disks, notes are known as soon as the pool
//! is open, and no reclaim has to carry them along.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use block::{BlockDevice, BlockError, Buffer, Host};
use tokio::sync::Mutex as AsyncMutex;

use super::pool::Pool;
use super::reading::{Reader, Unreadable, Wanted};
use super::shared::lock;
use crate::bytes::batch::{self, Entry, Head};
use crate::bytes::layout::ENTRIES_PER_PAGE;
use crate::bytes::note::{Intent, Note};
use crate::knowledge::replay::Tail;
use crate::knowledge::segments::{SegmentPurpose, Segments};
use crate::words::canary::{self, Bug};
use crate::words::limits::{MEMBERS_MAX, NOTE_BATCHES_MAX, PAGE_BYTES};
use crate::words::units::{DiskId, SegmentNumber, SegmentOwner, Sequence};

/// The open intents of all disks of a pool.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenIntents(BTreeSet<(DiskId, Intent)>);

/// Headers without notes behind what was flushed. Two, for pages beside each other are lost together more often than others:
/// as long as one of three is left, it is known that there was something.
const PROOF_PAGES: u32 = 2;

pub(crate) struct Notes {
    book: Mutex<Book>,
    writer: AsyncMutex<Option<Writer>>,
}

/// What is noted, and how much of it is durable.
#[derive(Default)]
struct Book {
    /// Open intents, on flash or on their way there.
    open: OpenIntents,
    /// Notes that are not on flash yet, in order.
    pending: Vec<Note>,
    /// Notes that were ever asked for, and how many of them are durable.
    asked: u64,
    durable: u64,
}

/// The segment that notes are written to.
struct Writer {
    segment: SegmentNumber,
    generation: Sequence,
    next: u32,
    /// Pages that are known to be flushed.
    durable: u32,
}

impl Notes {
    /// Nothing is written before [`Self::take_over`].
    pub(crate) fn new(open: OpenIntents) -> Self {
        let book = Book { open, ..Book::default() };
        Self { book: Mutex::new(book), writer: AsyncMutex::new(None) }
    }

    /// Returns the open intents of a disk.
    pub(crate) fn open_intents_of(&self, disk: DiskId) -> BTreeSet<Intent> {
        lock(&self.book).open.of(disk).collect()
    }

    /// Returns true if some disk may have data that its backing lacks.
    pub(crate) fn any_dirty(&self) -> bool {
        lock(&self.book).open.dirty_disks().next().is_some()
    }

    /// Returns the disks that may have data that their backings lack.
    pub(super) fn dirty_disks(&self) -> Vec<DiskId> {
        lock(&self.book).open.dirty_disks().collect()
    }

    /// Opens intents. Once this returns, that is durable.
    pub(crate) async fn open<F: BlockDevice, H: Host>(
        &self,
        pool: &Pool<F, H>,
        disk: DiskId,
        intents: &[Intent],
    ) -> Result<(), BlockError> {
        let ticket = lock(&self.book).open(disk, intents);
        self.write(pool, ticket).await
    }

    /// Closes intents. What that relies on is durable. If this is lost, the intents count as open.
    pub(crate) async fn close<F: BlockDevice, H: Host>(
        &self,
        pool: &Pool<F, H>,
        disk: DiskId,
        intents: impl IntoIterator<Item = Intent>,
    ) -> Result<(), BlockError> {
        let ticket = lock(&self.book).close(disk, intents);
        self.write(pool, ticket).await
    }

    /// Starts a new segment with all that is open, and gives up all earlier ones.
    pub(crate) async fn take_over<F: BlockDevice, H: Host>(
        &self,
        pool: &Pool<F, H>,
    ) -> Result<(), BlockError> {
        let mut writer = self.writer.lock().await;
        self.start_segment(pool, &mut writer).await
    }

    /// Goes on elsewhere, because the device that has the notes is to leave.
    pub(crate) async fn move_on<F: BlockDevice, H: Host>(&self, pool: &Pool<F, H>) -> Result<(), BlockError> {
        let mut writer = self.writer.lock().await;
        *writer = None;
        self.start_segment(pool, &mut writer).await
    }

    /// Goes on where there are two copies, if there is one and two can be had.
    pub(crate) async fn copy<F: BlockDevice, H: Host>(&self, pool: &Pool<F, H>) -> Result<(), BlockError> {
        let mut writer = self.writer.lock().await;
        match &*writer {
            Some(open) if pool.lacks_copy(SegmentOwner::Notes, open.segment) => {
                *writer = None;
                self.start_segment(pool, &mut writer).await
            }
            _ => Ok(()),
        }
    }

    /// Makes the first `ticket` notes durable.
    async fn write<F: BlockDevice, H: Host>(&self, pool: &Pool<F, H>, ticket: u64) -> Result<(), BlockError> {
        let mut writer = self.writer.lock().await;
        let mut outcome = self.write_pending(pool, &mut writer, ticket).await;
        for _ in 0..MEMBERS_MAX {
            if outcome.is_ok() || pool.is_failed() {
                break;
            }
            // The device that had the notes failed, and there are others: all that is open is written anew.
            outcome = self.write_pending(pool, &mut writer, ticket).await;
        }
        outcome
    }

    async fn write_pending<F: BlockDevice, H: Host>(
        &self,
        pool: &Pool<F, H>,
        writer: &mut Option<Writer>,
        ticket: u64,
    ) -> Result<(), BlockError> {
        let (durable, waiting) = lock(&self.book).standing();
        if durable >= ticket {
            return Ok(());
        }
        let needed = waiting.div_ceil(ENTRIES_PER_PAGE) as u32 + PROOF_PAGES;
        // Taken out: if this is dropped halfway, the next one starts a new segment with all that is open.
        let fits = |open: &Writer| {
            open.next + needed <= pages_for_notes(pool) && !pool.lacks_copy(SegmentOwner::Notes, open.segment)
        };
        let Some(mut open) = writer.take().filter(fits) else {
            return self.start_segment(pool, writer).await;
        };
        let (pending, covers) = lock(&self.book).take_pending(waiting);
        open.append(pool, &pending).await?;
        open.flush(pool).await?;
        open.prove(pool).await?;
        lock(&self.book).durable = covers;
        *writer = Some(open);
        Ok(())
    }

    async fn start_segment<F: BlockDevice, H: Host>(
        &self,
        pool: &Pool<F, H>,
        writer: &mut Option<Writer>,
    ) -> Result<(), BlockError> {
        let before = pool.segments().owned_by(SegmentOwner::Notes);
        let taken = pool.take_segment(SegmentOwner::Notes, SegmentPurpose::Notes).await;
        let (segment, generation) = taken.map_err(|_| Pool::<F, H>::gone())?;
        let mut next = Writer { segment, generation, next: 0, durable: 0 };
        let (all, covers) = lock(&self.book).take_all(pages_for_notes(pool) as usize / 2 * ENTRIES_PER_PAGE);
        // Crash before `complete`: the earlier segment is still owned, and is what counts.
        next.append(pool, &all).await?;
        next.flush(pool).await?;
        next.append(pool, &[Note::Complete]).await?;
        next.flush(pool).await?;
        for (segment, _) in before {
            pool.segments().give_up(segment);
        }
        // Durable, so that damage to the new one is never taken for a crash before it was complete.
        pool.persist_table().await?;
        lock(&self.book).durable = covers;
        *writer = Some(next);
        pool.note_freed();
        Ok(())
    }
}

impl Book {
    /// Opens intents. Returns the ticket of what has to be durable for it, also if others asked for all of it before: their
    /// notes may still be on their way. No test can tell whether those get a ticket, because the writer's lock is fair: whoever
    /// asked before holds it, or stands before them.
    fn open(&mut self, disk: DiskId, intents: &[Intent]) -> u64 {
        let has_all_regions = self.open.has(disk, Intent::AllRegions);
        for intent in intents.iter().filter(|intent| !has_all_regions || **intent == Intent::DirtyData) {
            if self.open.0.insert((disk, *intent)) {
                self.ask(Note::Open(disk, *intent));
            }
        }
        self.asked
    }

    /// Closes intents, in the same way.
    fn close(&mut self, disk: DiskId, intents: impl IntoIterator<Item = Intent>) -> u64 {
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

    /// How many notes are durable, and how many are still to be written.
    fn standing(&self) -> (u64, usize) {
        (self.durable, self.pending.len())
    }

    /// Takes out the first `count` notes that are to be written, with how many are durable once they are.
    fn take_pending(&mut self, count: usize) -> (Vec<Note>, u64) {
        // Those that other shards have asked for since may not fit.
        let later = self.pending.split_off(count);
        let covers = self.asked - later.len() as u64;
        (std::mem::replace(&mut self.pending, later), covers)
    }

    /// All that is open, as at most so many notes, with how many are durable once that is written. What is pending is part
    /// of it, or no longer needs to be said.
    fn take_all(&mut self, most: usize) -> (Vec<Note>, u64) {
        self.open.make_fit(most);
        self.pending.clear();
        (self.open.0.iter().map(|(disk, intent)| Note::Open(*disk, *intent)).collect(), self.asked)
    }
}

impl OpenIntents {
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

    /// Applies what a note of a segment says.
    fn apply(&mut self, note: Note) {
        match note {
            Note::Open(disk, intent) => _ = self.0.insert((disk, intent)),
            Note::Close(disk, intent) => _ = self.0.remove(&(disk, intent)),
            Note::Complete => {}
        }
    }

    /// Lets one note stand for all regions of the disks that have most of them open, until so many notes are left.
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

/// Pages of a segment that notes use: all of them are read at each start.
fn pages_for_notes<F: BlockDevice, H: Host>(pool: &Pool<F, H>) -> u32 {
    pool.layout().batch_pages().min(NOTE_BATCHES_MAX)
}

impl Writer {
    /// Makes durable what was appended.
    async fn flush<F: BlockDevice, H: Host>(&mut self, pool: &Pool<F, H>) -> Result<(), BlockError> {
        pool.flush_segment(self.segment).await?;
        self.durable = self.next;
        Ok(())
    }

    /// Appends notes.
    async fn append<F: BlockDevice, H: Host>(
        &mut self,
        pool: &Pool<F, H>,
        notes: &[Note],
    ) -> Result<(), BlockError> {
        self.write(pool, notes.chunks(ENTRIES_PER_PAGE)).await
    }

    /// Says that what was flushed is durable. Without that, damage to the last of it would look like the end of the notes
    /// (rule I6).
    async fn prove<F: BlockDevice, H: Host>(&mut self, pool: &Pool<F, H>) -> Result<(), BlockError> {
        self.write(pool, [[].as_slice(); PROOF_PAGES as usize].into_iter()).await
    }

    /// Appends pages of notes, one batch each.
    async fn write<'a, F: BlockDevice, H: Host>(
        &mut self,
        pool: &Pool<F, H>,
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
/// The newest complete segment counts. A newer one that the end left incomplete lists what was open when it was begun: all of that
/// counts as open as well, because the end of the complete one may be damaged beyond what its proofs show. That adds at most
/// intents whose opener was never told that they are durable.
///
/// # Errors
/// If some cannot be read; then every intent of every disk may be open.
pub(crate) async fn read_all<F: BlockDevice>(
    reader: &Reader<F>,
    segments: &mut Segments,
) -> Result<OpenIntents, Unreadable> {
    let owned = Wanted::all_of(segments, SegmentOwner::Notes);
    if owned.is_empty() && segments.owners().is_empty() {
        // Made, and never opened.
        return Ok(OpenIntents::default());
    }
    let mut found = Err(Unreadable::NoSummary);
    let mut open = OpenIntents::default();
    for wanted in &owned {
        let said = read_segment(reader, *wanted).await?;
        if said.is_complete {
            open.0.extend(said.open.0);
            found = Ok(wanted.segment);
            break;
        }
        // Nothing was written after the crash that left it incomplete.
        if !canary::has(Bug::UnfinishedNotesIgnored) {
            open.0.extend(said.open.0);
        }
    }
    let counts = found?;
    for earlier in owned.into_iter().filter(|wanted| wanted.segment != counts) {
        segments.give_up(earlier.segment);
    }
    Ok(open)
}

/// What a segment of notes says.
struct Said {
    open: OpenIntents,
    /// Whether it says all that was open when it was begun.
    is_complete: bool,
}

/// Reads what a segment says.
async fn read_segment<F: BlockDevice>(reader: &Reader<F>, wanted: Wanted) -> Result<Said, Unreadable> {
    let mut said = Said { open: OpenIntents::default(), is_complete: false };
    let content = reader.headers(wanted, Tail::NotFlushed).await?.content;
    for note in content.lines().filter_map(|line| Note::from_line(&line)) {
        said.is_complete |= note == Note::Complete;
        said.open.apply(note);
    }
    Ok(said)
}
