//! Notes about regions, for all disks of a pool in segments of their own: which regions of which disks have an open intent
//! (rule I11).
//!
//! ```text
//!   open:   intent ──> batch without data ──> flush ──> the backing may be changed
//!   quiet:  quiet ───> batch without data ──> flush
//!   the segment is full, or has many batches, or the pool is opened:
//!       next segment, table durable ── all that is open ── flush ── `complete` ── flush ── the old one free, table durable
//! ```
//! Writers of guests wait for intents, so notes have segments that nobody else takes, and never wait for room. Notes
//! that come together share a batch and a flush. Being apart from the logs of disks, notes are known as soon as the pool
//! is open, and no reclaim has to carry them along.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use block::{BlockDevice, BlockError, Buffer, Host};
use tokio::sync::Mutex;

use super::pool::Pool;
use super::reading::{Reader, Unreadable, Wanted};
use crate::bytes::batch::{self, Entry, Head, Kind};
use crate::bytes::layout::ENTRIES_PER_PAGE;
use crate::bytes::table::NOTES;
use crate::knowledge::regions::EVERYTHING;
use crate::knowledge::segments::{Purpose, Segments};
use crate::words::limits::{NOTE_BATCHES_MAX, PAGE_BYTES};
use crate::words::units::{DiskId, PageNumber, SegmentNumber, Sequence};

/// A region of a disk.
pub(crate) type Region = (DiskId, u32);

/// Stands in a segment behind all that was open when it was begun: from here on it says all, and before it nothing.
const COMPLETE: (Kind, Region) = (Kind::Quiet, (NOTES, EVERYTHING));

pub(crate) struct Notes {
    /// Regions with an open intent, on flash or on its way there.
    open: RefCell<BTreeSet<Region>>,
    /// Notes that are not on flash yet, in order.
    pending: RefCell<Vec<(Kind, Region)>>,
    /// Notes that were ever asked for, and how many of them are durable.
    asked: Cell<u64>,
    durable: Cell<u64>,
    writer: Mutex<Option<Writer>>,
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
    pub(crate) fn new(open: BTreeSet<Region>) -> Self {
        Self {
            open: RefCell::new(open),
            pending: RefCell::default(),
            asked: Cell::new(0),
            durable: Cell::new(0),
            writer: Mutex::new(None),
        }
    }

    /// The regions of a disk with an open intent.
    pub(crate) fn open_regions(&self, disk: DiskId) -> Vec<u32> {
        self.open.borrow().range((disk, 0)..=(disk, u32::MAX)).map(|(_, region)| *region).collect()
    }

    /// Opens regions. Once this returns, that is durable.
    pub(crate) async fn open<F: BlockDevice, H: Host>(
        &self,
        pool: &Pool<F, H>,
        disk: DiskId,
        regions: &[u32],
    ) -> Result<(), BlockError> {
        let everything = self.open.borrow().contains(&(disk, EVERYTHING));
        for region in regions.iter().filter(|_| !everything) {
            if self.open.borrow_mut().insert((disk, *region)) {
                self.ask(Kind::Intent, (disk, *region));
            }
        }
        self.write(pool).await
    }

    /// Closes regions. What that relies on is durable. If this is lost, the regions count as open.
    pub(crate) async fn quiet<F: BlockDevice, H: Host>(
        &self,
        pool: &Pool<F, H>,
        disk: DiskId,
        regions: &[u32],
    ) -> Result<(), BlockError> {
        for region in regions {
            if self.open.borrow_mut().remove(&(disk, *region)) {
                self.ask(Kind::Quiet, (disk, *region));
            }
        }
        self.write(pool).await
    }

    /// Starts a new segment with all that is open, and gives up all earlier ones.
    pub(crate) async fn take_over<F: BlockDevice, H: Host>(
        &self,
        pool: &Pool<F, H>,
    ) -> Result<(), BlockError> {
        let mut writer = self.writer.lock().await;
        self.start_segment(pool, &mut writer).await
    }

    fn ask(&self, kind: Kind, region: Region) {
        self.pending.borrow_mut().push((kind, region));
        self.asked.set(self.asked.get() + 1);
    }

    /// Makes durable what was asked for before this call.
    async fn write<F: BlockDevice, H: Host>(&self, pool: &Pool<F, H>) -> Result<(), BlockError> {
        let ticket = self.asked.get();
        let mut writer = self.writer.lock().await;
        if self.durable.get() >= ticket {
            return Ok(());
        }
        let needed = self.pending.borrow().len().div_ceil(ENTRIES_PER_PAGE) as u32;
        // One more page for the header that says that they are durable.
        let needed = needed + 1;
        // Taken out: if this is dropped halfway, the next one starts a new segment with all that is open.
        let Some(mut open) = writer.take().filter(|open| open.next + needed <= pages_for_notes(pool)) else {
            return self.start_segment(pool, &mut writer).await;
        };
        let (pending, covers) = (self.pending.take(), self.asked.get());
        open.append(pool, &pending).await?;
        open.flush(pool).await?;
        // Without this header, damage to what was just written would look like the end of the notes (rule I6).
        open.append(pool, &[]).await?;
        self.durable.set(covers);
        *writer = Some(open);
        Ok(())
    }

    async fn start_segment<F: BlockDevice, H: Host>(
        &self,
        pool: &Pool<F, H>,
        writer: &mut Option<Writer>,
    ) -> Result<(), BlockError> {
        let before = pool.segments.borrow().owned_by(NOTES);
        let taken = pool.take_segment(NOTES, Purpose::Notes).await;
        let (segment, generation) = taken.map_err(|_| Pool::<F, H>::gone())?;
        let mut next = Writer { segment, generation, next: 0, durable: 0 };
        self.make_fit(pages_for_notes(pool) as usize / 2 * ENTRIES_PER_PAGE);
        // What is pending is part of what is open now, or no longer needs to be said.
        self.pending.take();
        let covers = self.asked.get();
        let all: Vec<_> = self.open.borrow().iter().map(|region| (Kind::Intent, *region)).collect();
        // Crash before `complete`: the earlier segment is still owned, and is what counts.
        next.append(pool, &all).await?;
        next.flush(pool).await?;
        next.append(pool, &[COMPLETE]).await?;
        next.flush(pool).await?;
        for (segment, _) in before {
            pool.segments.borrow_mut().retire_notes(segment);
        }
        // Durable, so that damage to the new one is never taken for a crash before it was complete.
        pool.persist_table().await?;
        self.durable.set(covers);
        *writer = Some(next);
        pool.announce_room();
        Ok(())
    }

    /// Lets one note stand for all regions of the disks that have most of them open, until so many notes are left.
    fn make_fit(&self, most: usize) {
        let mut open = self.open.borrow_mut();
        while open.len() > most.max(1) {
            let mut counts = BTreeMap::<DiskId, usize>::new();
            open.iter().for_each(|(disk, _)| *counts.entry(*disk).or_default() += 1);
            let Some((disk, _)) =
                counts.into_iter().max_by_key(|(_, count)| *count).filter(|(_, count)| *count > 1)
            else {
                return;
            };
            open.retain(|(other, _)| *other != disk);
            open.insert((disk, EVERYTHING));
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
        pool.flush().await?;
        self.durable = self.next;
        Ok(())
    }

    /// Appends notes, at least one batch.
    async fn append<F: BlockDevice, H: Host>(
        &mut self,
        pool: &Pool<F, H>,
        notes: &[(Kind, Region)],
    ) -> Result<(), BlockError> {
        let durable = self.durable;
        let mut rest = notes;
        loop {
            let (now, later) = rest.split_at(rest.len().min(ENTRIES_PER_PAGE));
            let entry = |(kind, (disk, region)): &(Kind, Region)| Entry {
                page: PageNumber(u64::from(*region)),
                kind: *kind,
                sequence: pool.draw_sequence(),
                seeded_checksum: disk.0,
                place: 0,
            };
            let entries: Vec<Entry> = now.iter().map(entry).collect();
            let head = Head {
                disk: NOTES,
                segment: self.segment,
                generation: self.generation,
                place: self.next,
                sequence: pool.draw_sequence(),
                durable,
            };
            let mut page = Buffer::zeroed(PAGE_BYTES);
            batch::encode_header(&mut page, pool.id(), &head, &entries);
            let place = pool.layout().segment_start(self.segment).plus(self.next);
            self.next += 1;
            pool.write(place, page).await?;
            rest = later;
            if rest.is_empty() {
                return Ok(());
            }
        }
    }
}

/// Reads the notes of a pool: the regions with an open intent. Gives up the segments that do not count.
///
/// # Errors
/// If some cannot be read; then every region of every disk may have one.
pub(crate) async fn read_all<F: BlockDevice>(
    reader: &Reader<'_, F>,
    segments: &mut Segments,
) -> Result<BTreeSet<Region>, Unreadable> {
    let owned = segments.owned_by(NOTES);
    if owned.is_empty() && segments.owners().is_empty() {
        // Made, and never opened.
        return Ok(BTreeSet::new());
    }
    let mut found = Err(Unreadable::NoSummary);
    for (segment, generation) in &owned {
        let wanted = Wanted { segment: *segment, owner: NOTES, generation: *generation };
        if let Some(open) = read_segment(reader, wanted).await? {
            found = Ok((*segment, open));
            break;
        }
        // Nothing was written after the crash that left it incomplete.
    }
    let (counts, open) = found?;
    for (segment, _) in owned.into_iter().filter(|(segment, _)| *segment != counts) {
        segments.retire_notes(segment);
    }
    Ok(open)
}

/// What a segment says; none if it was never complete.
async fn read_segment<F: BlockDevice>(
    reader: &Reader<'_, F>,
    wanted: Wanted,
) -> Result<Option<BTreeSet<Region>>, Unreadable> {
    let mut open = BTreeSet::new();
    let mut complete = false;
    for line in reader.headers(wanted).await?.content.lines() {
        let region = (DiskId(line.checksum), line.page.0 as u32);
        complete |= (line.kind, region) == COMPLETE;
        match line.kind {
            Kind::Intent => drop(open.insert(region)),
            _ => drop(open.remove(&region)),
        }
    }
    Ok(complete.then_some(open))
}
