//! Reading the content of a segment: its summary, or else the headers of its batches in order.
//!
//! The newest segment of an owner may lack its summary: it was being written when the process ended. Its batches are read from the front to
//! the first missing one. If a later header shows that the missing one was flushed, that is not the end but damage (rule I6): it must be
//! reported, and no older content may take the place of what was lost.
//!
//! Of two copies, either will do, batch by batch: power may have gone while they differed.

use block::{BlockDevice, Buffer};

use super::flash::Flash;
use crate::format::PoolId;
use crate::format::batch::{self, Entry, EntryKind, Head};
use crate::format::checksum::{page_checksum, seeded};
use crate::format::layout::Layout;
use crate::format::summary::{Content, SummaryRun};
use crate::state::replay::TailDamage;
use crate::state::segments::Segments;
use crate::types::limits::{BATCH_PAGES_MAX, PAGE_BYTES};
use crate::types::units::{FlashPage, SegmentNumber, SegmentOwner, Sequence};

/// A segment to read, with its generation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SegmentGeneration {
    pub(crate) segment: SegmentNumber,
    /// Its second copy.
    pub(crate) second: Option<SegmentNumber>,
    pub(crate) owner: SegmentOwner,
    pub(crate) generation: Sequence,
}

/// Reason why the content of a segment cannot be determined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// The device failed to read.
    Device,
    /// It has no whole summary.
    NoSummary,
    /// A batch that was flushed is not there.
    Damaged {
        /// Place of the damage, in pages from the start of the segment.
        place: u32,
    },
}

/// Content of a segment, as far as it can be determined.
pub(crate) struct SegmentContent {
    pub(crate) content: Content,
    /// The bits of each `forget`, in order.
    pub(crate) forgets: Vec<Buffer>,
    /// Pages from the start of the segment that are known to have been flushed.
    pub(crate) durable: u32,
    /// True if it has a summary, in each of its copies.
    pub(crate) has_summary: bool,
}

/// Content of the headers of a segment.
pub(crate) struct Headers {
    pub(crate) content: Content,
    /// Pages from the start of the segment that they record as flushed.
    pub(crate) durable: u32,
}

/// A batch according to its header.
struct DecodedBatch {
    /// In pages from the start of the segment, as `end`.
    start: u32,
    end: u32,
    durable: u32,
    entries: Vec<Entry>,
}

/// Pages of a summary that are read first: enough for most.
const FIRST_READ_PAGES: u32 = 16;
/// Pages of a segment that are read at once in the search for headers.
const CHUNK_PAGES: u32 = 512;
/// Distance behind a missing header in which others are searched: the next four batches, if all have the largest size.
const NEXT_HEADER_PAGES: u32 = 4 * (BATCH_PAGES_MAX as u32 + 1);

/// Reads segments of one pool.
pub(crate) struct Reader<F> {
    pub(crate) flash: Flash<F>,
    pub(crate) layout: Layout,
    pub(crate) pool: PoolId,
}

impl<F: BlockDevice> Reader<F> {
    /// Returns the content of a segment of a disk's log. Only the newest may lack its summary, and `newest` limits the possible damage to
    /// its end.
    pub(crate) async fn contained(
        &self,
        wanted: SegmentGeneration,
        newest: Option<TailDamage>,
    ) -> Result<SegmentContent, Unreadable> {
        let (content, durable, has_summary) = match (self.summary(wanted).await, newest) {
            (Err(Unreadable::NoSummary), Some(tail)) => {
                let Headers { content, durable } = self.headers(wanted, tail).await?;
                (content, durable, false)
            }
            (outcome, newest) => {
                let content = outcome?;
                let end = content.end;
                // The process may have ended while it wrote the summary of the last one.
                (content, end, newest.is_none() || !self.lacks_summary(wanted).await)
            }
        };
        let mut forgets = Vec::new();
        for line in content.lines().filter(|line| line.kind == EntryKind::Forget) {
            forgets.push(self.page(wanted, line.place, line.checksum).await?);
        }
        Ok(SegmentContent { content, forgets, durable, has_summary })
    }

    /// Reads a page of a segment with this checksum.
    async fn page(&self, wanted: SegmentGeneration, place: u32, checksum: u32) -> Result<Buffer, Unreadable> {
        let mut failure = Unreadable::Damaged { place };
        for segment in wanted.copies() {
            match self.read(self.layout.segment_start(segment).plus(place), 1).await {
                Ok(bytes) if page_checksum(&bytes) == checksum => return Ok(bytes),
                Ok(_) => {}
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    /// Returns the content of a closed segment from its summary.
    pub(crate) async fn summary(&self, wanted: SegmentGeneration) -> Result<Content, Unreadable> {
        let mut failure = None;
        for segment in wanted.copies() {
            match self.summary_in(wanted, segment).await {
                Ok(content) => return Ok(content),
                // A missing summary is reported before an unreadable one: its headers may be readable.
                Err(error) if failure != Some(Unreadable::NoSummary) => failure = Some(error),
                Err(_) => {}
            }
        }
        Err(failure.expect("there is one copy at least"))
    }

    /// Returns true if a copy of a closed segment has no summary. Its content is in the other one, for as long as that exists.
    async fn lacks_summary(&self, wanted: SegmentGeneration) -> bool {
        for segment in wanted.copies() {
            if self.summary_in(wanted, segment).await == Err(Unreadable::NoSummary) {
                return true;
            }
        }
        false
    }

    async fn summary_in(
        &self,
        wanted: SegmentGeneration,
        segment: SegmentNumber,
    ) -> Result<Content, Unreadable> {
        let start = self.layout.summary_start(segment);
        let first_pages = self.layout.summary_pages().min(FIRST_READ_PAGES);
        let mut bytes = self.read(start, first_pages).await?;
        let mut content = Content::default();
        let mut at = 0;
        let mut pages = 1;
        while at < pages {
            if at == first_pages {
                bytes = self.read(start.plus(at), pages - at).await?;
            }
            let within = if at < first_pages { at } else { at - first_pages } as usize * PAGE_BYTES;
            let decoded = content.decode_page(&bytes[within..within + PAGE_BYTES], self.pool);
            let (head, said) = decoded.map_err(|_| Unreadable::NoSummary)?;
            let place = self.layout.batch_pages() + at;
            if !wanted.is_of(&head, place) || said > self.layout.summary_pages() || at > 0 && said != pages {
                return Err(Unreadable::NoSummary);
            }
            pages = said;
            at += 1;
        }
        let outside = |run: &SummaryRun| run.place as usize + run.pages > self.layout.batch_pages() as usize;
        if content.runs.iter().any(|run| !run.kind.is_range() && outside(run)) {
            return Err(Unreadable::NoSummary);
        }
        Ok(content)
    }

    /// Returns the content of the headers of a segment, up to the first batch that is incomplete. An unflushed batch may have its header
    /// and lack its data: writes of guests are verified here, and other pages when they are read.
    pub(crate) async fn headers(
        &self,
        wanted: SegmentGeneration,
        tail: TailDamage,
    ) -> Result<Headers, Unreadable> {
        let mut window: Windows = wanted.copies().map(Window::of).collect();
        let mut batches: Vec<DecodedBatch> = Vec::new();
        let mut end = 0;
        while end < self.layout.batch_pages() {
            let Some(batch) = self.header(wanted, &mut window, end).await? else { break };
            end = batch.end;
            batches.push(batch);
        }
        let durable = batches.iter().map(|batch| batch.durable).max().unwrap_or(0);
        let mut content = Content::default();
        let mut whole = 0;
        for batch in &batches {
            if batch.start >= durable && !self.is_whole(wanted, batch).await? {
                break;
            }
            batch.entries.iter().for_each(|entry| content.push_entry(entry, wanted.owner));
            whole = batch.end;
        }
        if whole < self.layout.batch_pages() {
            self.check_tail(wanted, &mut window, whole, tail).await?;
        }
        content.end = whole;
        Ok(Headers { content, durable })
    }

    /// Reads the batch at a place, according to its header.
    async fn header(
        &self,
        wanted: SegmentGeneration,
        windows: &mut Windows,
        place: u32,
    ) -> Result<Option<DecodedBatch>, Unreadable> {
        let mut failure = None;
        for window in windows {
            if !window.has(place) {
                let pages = (self.layout.batch_pages() - place).min(CHUNK_PAGES);
                match self.read(self.layout.segment_start(window.segment).plus(place), pages).await {
                    Ok(bytes) => (window.first, window.bytes) = (place, bytes),
                    Err(error) => {
                        failure = Some(error);
                        continue;
                    }
                }
            }
            if let Some(batch) = self.decode(wanted, window.page(place), place) {
                return Ok(Some(batch));
            }
        }
        failure.map_or(Ok(None), Err)
    }

    /// Decodes the batch of a header at a place, if it is one.
    fn decode(&self, wanted: SegmentGeneration, page: &[u8], place: u32) -> Option<DecodedBatch> {
        let (head, entries) = batch::decode_header(page, self.pool).ok()?;
        let data = entries.iter().filter(|entry| entry.kind.has_data()).count() as u32;
        let end = place + 1 + data;
        let inside = |place: u32| place < self.layout.batch_pages();
        if !wanted.is_of(&head, place)
            || end > self.layout.batch_pages()
            || !entries.iter().all(|entry| inside(entry.place))
        {
            return None;
        }
        Some(DecodedBatch { start: place, end, durable: head.durable, entries })
    }

    /// Returns true if a page is the header of a batch of this generation.
    pub(crate) fn is_header(&self, wanted: SegmentGeneration, page: &[u8], place: u32) -> bool {
        self.decode(wanted, page, place).is_some()
    }

    /// Returns true if writes of guests in a batch are there, in one copy as a whole.
    async fn is_whole(&self, wanted: SegmentGeneration, batch: &DecodedBatch) -> Result<bool, Unreadable> {
        let mut failure = None;
        for segment in wanted.copies() {
            match self.is_whole_in(wanted, segment, batch).await {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(error) => failure = Some(error),
            }
        }
        failure.map_or(Ok(false), Err)
    }

    async fn is_whole_in(
        &self,
        wanted: SegmentGeneration,
        segment: SegmentNumber,
        batch: &DecodedBatch,
    ) -> Result<bool, Unreadable> {
        let written = || batch.entries.iter().filter(|entry| entry.kind == EntryKind::Write);
        let Some(first) = written().map(|entry| entry.place).min() else { return Ok(true) };
        let start = self.layout.segment_start(segment).plus(first);
        let bytes = self.read(start, batch.end - first).await?;
        let holds = |entry: &Entry| {
            let at = (entry.place - first) as usize * PAGE_BYTES;
            let Entry { page, sequence, seeded_checksum, .. } = *entry;
            seeded(page_checksum(&bytes[at..at + PAGE_BYTES]), wanted.owner, page, sequence)
                == seeded_checksum
        };
        Ok(written().all(holds))
    }

    /// Checks for proof that the end is none: a header behind it, or the record of the process that wrote it.
    async fn check_tail(
        &self,
        wanted: SegmentGeneration,
        window: &mut Windows,
        end: u32,
        tail: TailDamage,
    ) -> Result<(), Unreadable> {
        let written = match tail {
            TailDamage::NotFlushed => false,
            TailDamage::Written(known) if known.generation == wanted.generation && known.place > end => {
                return Err(Unreadable::Damaged { place: end });
            }
            TailDamage::Written(_) => true,
        };
        let last = (end + NEXT_HEADER_PAGES).min(self.layout.batch_pages());
        for place in end + 1..last {
            let batch = self.header(wanted, window, place).await?;
            if batch.is_some_and(|batch| batch.durable > end || written) {
                return Err(Unreadable::Damaged { place: end });
            }
        }
        Ok(())
    }

    /// Reads pages of the pool.
    pub(crate) async fn read(&self, first: FlashPage, pages: u32) -> Result<Buffer, Unreadable> {
        let buffer = Buffer::zeroed(pages as usize * PAGE_BYTES);
        let (buffer, result) = self.flash.read(first, buffer).await;
        result.map(|()| buffer).map_err(|_| Unreadable::Device)
    }
}

impl Unreadable {
    /// Returns the message for a segment.
    pub(crate) fn of(&self, segment: SegmentNumber) -> String {
        let segment = segment.0;
        match self {
            Self::Device => format!("Segment {segment} of the pool cannot be read"),
            Self::NoSummary => format!("The summary of segment {segment} of the pool is damaged"),
            Self::Damaged { place } => format!("Segment {segment} of the pool is damaged at page {place}"),
        }
    }
}

impl SegmentGeneration {
    /// Returns a segment in its present generation; none if it is free, and none of a second copy, which is read with the first.
    pub(crate) fn of(segments: &Segments, segment: SegmentNumber) -> Option<Self> {
        let (owner, generation) = segments.life(segment)?;
        Some(Self { segment, second: segments.second(segment), owner, generation })
    }

    /// Returns the segments of an owner, newest first.
    pub(crate) fn all_of(segments: &Segments, owner: impl Into<SegmentOwner>) -> Vec<Self> {
        let owned = segments.owned_by(owner).into_iter();
        owned.filter_map(|(segment, _)| Self::of(segments, segment)).collect()
    }

    /// Returns true if a header belongs to this segment. A generation is used once in the life of a pool, so it identifies the segment; the
    /// segment number in a header is that of the first of two copies, which may be gone.
    fn is_of(&self, head: &Head, place: u32) -> bool {
        (head.owner, head.generation, head.place) == (self.owner, self.generation, place)
    }

    /// Returns its copies.
    fn copies(&self) -> impl Iterator<Item = SegmentNumber> + use<> {
        [Some(self.segment), self.second].into_iter().flatten()
    }
}

/// A stretch of a segment that was read, of each of its copies.
type Windows = Vec<Window>;

struct Window {
    segment: SegmentNumber,
    first: u32,
    bytes: Buffer,
}

impl Window {
    fn of(segment: SegmentNumber) -> Self {
        Self { segment, first: 0, bytes: Buffer::zeroed(0) }
    }

    fn has(&self, place: u32) -> bool {
        place >= self.first && ((place - self.first + 1) as usize * PAGE_BYTES) <= self.bytes.len()
    }

    fn page(&self, place: u32) -> &[u8] {
        let at = (place - self.first) as usize * PAGE_BYTES;
        &self.bytes[at..at + PAGE_BYTES]
    }
}
