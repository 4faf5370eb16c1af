//! Reading what a segment holds: its summary, or else the headers of its batches in order.
//!
//! The newest segment of an owner may lack its summary: it was being written when the process ended. Its batches are
//! read from the front to the first that is not there. If a later one says that the missing one was flushed, that is not
//! the end but damage (rule I6): somebody must be told, and nothing older may be taken for what was lost.

use block::{BlockDevice, Buffer};

use crate::bytes::PoolId;
use crate::bytes::batch::{self, Head, Kind};
use crate::bytes::checksum::page_checksum;
use crate::bytes::layout::Layout;
use crate::bytes::summary::{Content, Line};
use crate::knowledge::replay::Tail;
use crate::words::limits::{BATCH_PAGES_MAX, PAGE_BYTES};
use crate::words::units::{DiskId, FlashPage, SegmentNumber, Sequence};

/// Which segment is to be read, in which life.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub(crate) segment: SegmentNumber,
    pub(crate) owner: DiskId,
    pub(crate) generation: Sequence,
}

/// Why what a segment holds cannot be known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// The device failed to read.
    Device,
    /// It has no whole summary.
    NoSummary,
    /// A batch that was flushed is not there.
    Damaged {
        /// Where, in pages from the start of the segment.
        place: u32,
    },
}

/// What a segment holds, as far as it can be known.
pub(crate) struct Contained {
    pub(crate) content: Content,
    /// The bits of each `forget`, in order.
    pub(crate) forgets: Vec<Buffer>,
    /// Pages from the start of the segment that are known to have been flushed.
    pub(crate) durable: u32,
    /// Whether it has a summary.
    pub(crate) has_summary: bool,
}

/// What the headers of a segment say.
pub(crate) struct Headers {
    pub(crate) content: Content,
    /// Pages from the start of the segment that they say were flushed.
    pub(crate) durable: u32,
}

/// Pages of a summary that are read first: enough for most.
const FIRST_READ_PAGES: u32 = 16;
/// Pages of a segment that are read at once while looking for headers.
const CHUNK_PAGES: u32 = 512;
/// How far behind a missing header others are looked for: the next four batches, if all are as large as they can be.
const NEXT_HEADER_PAGES: u32 = 4 * (BATCH_PAGES_MAX as u32 + 1);

/// Reads segments of one pool.
pub(crate) struct Reader<'a, F> {
    pub(crate) flash: &'a F,
    pub(crate) layout: Layout,
    pub(crate) pool: PoolId,
}

impl<F: BlockDevice> Reader<'_, F> {
    /// All that is to be known of a segment of a disk's log. Only the newest may lack its summary, and this says what may
    /// have become of its end.
    pub(crate) async fn contained(
        &self,
        wanted: Wanted,
        newest: Option<Tail>,
    ) -> Result<Contained, Unreadable> {
        let (content, durable, has_summary) = match (self.summary(wanted).await, newest) {
            (Err(Unreadable::NoSummary), Some(tail)) => {
                let Headers { content, durable } = self.headers(wanted, tail).await?;
                (content, durable, false)
            }
            (outcome, _) => {
                let content = outcome?;
                let end = content.end;
                (content, end, true)
            }
        };
        let mut forgets = Vec::new();
        for line in content.lines().filter(|line| line.kind == Kind::Forget) {
            let bits = self.read(self.layout.segment_start(wanted.segment).plus(line.place), 1).await?;
            if page_checksum(&bits) != line.checksum {
                return Err(Unreadable::Damaged { place: line.place });
            }
            forgets.push(bits);
        }
        Ok(Contained { content, forgets, durable, has_summary })
    }

    /// What the summary of a closed segment says.
    pub(crate) async fn summary(&self, wanted: Wanted) -> Result<Content, Unreadable> {
        let start = self.layout.summary_start(wanted.segment);
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
        if content.runs.iter().any(|run| run.place as usize + run.pages > self.layout.batch_pages() as usize)
        {
            return Err(Unreadable::NoSummary);
        }
        Ok(content)
    }

    /// What the headers of a segment say, up to the first that is not there.
    pub(crate) async fn headers(&self, wanted: Wanted, tail: Tail) -> Result<Headers, Unreadable> {
        let mut content = Content::default();
        let mut durable = 0;
        let mut window = Window { first: 0, bytes: Buffer::zeroed(0) };
        let mut place = 0;
        while place < self.layout.batch_pages() {
            let Some((head, lines, end)) = self.header(wanted, &mut window, place).await? else {
                self.check_tail(wanted, &mut window, place, tail).await?;
                break;
            };
            for line in &lines {
                content.push(line);
            }
            durable = durable.max(head.durable);
            place = end;
        }
        content.end = place;
        Ok(Headers { content, durable })
    }

    /// The header at a place, with its lines and where its batch ends.
    async fn header(
        &self,
        wanted: Wanted,
        window: &mut Window,
        place: u32,
    ) -> Result<Option<(Head, Vec<Line>, u32)>, Unreadable> {
        if !window.has(place) {
            let pages = (self.layout.batch_pages() - place).min(CHUNK_PAGES);
            let start = self.layout.segment_start(wanted.segment).plus(place);
            *window = Window { first: place, bytes: self.read(start, pages).await? };
        }
        let Ok((head, entries)) = batch::decode_header(window.page(place), self.pool) else {
            return Ok(None);
        };
        let data =
            entries.iter().filter(|entry| !matches!(entry.kind, Kind::Intent | Kind::Quiet)).count() as u32;
        let end = place + 1 + data;
        let inside = |place: u32| place < self.layout.batch_pages();
        if !wanted.is_of(&head, place)
            || end > self.layout.batch_pages()
            || !entries.iter().all(|entry| inside(entry.place))
        {
            return Ok(None);
        }
        let lines = entries.iter().map(|entry| match entry.kind {
            // What stands in the place of a checksum is not one.
            Kind::Intent | Kind::Quiet => Line {
                page: entry.page,
                kind: entry.kind,
                sequence: entry.sequence,
                checksum: entry.seeded_checksum,
                place: 0,
            },
            _ => Line::of_entry(entry, wanted.owner),
        });
        Ok(Some((head, lines.collect(), end)))
    }

    /// Looks whether a header behind the end says that the end is none.
    async fn check_tail(
        &self,
        wanted: Wanted,
        window: &mut Window,
        end: u32,
        tail: Tail,
    ) -> Result<(), Unreadable> {
        let last = (end + NEXT_HEADER_PAGES).min(self.layout.batch_pages());
        for place in end + 1..last {
            let header = self.header(wanted, window, place).await?;
            if header.is_some_and(|(head, ..)| head.durable > end || tail == Tail::Written) {
                return Err(Unreadable::Damaged { place: end });
            }
        }
        Ok(())
    }

    /// Reads pages of the pool.
    pub(crate) async fn read(&self, first: FlashPage, pages: u32) -> Result<Buffer, Unreadable> {
        let buffer = Buffer::zeroed(pages as usize * PAGE_BYTES);
        let (buffer, result) = self.flash.read(first.offset(), buffer).await;
        result.map(|()| buffer).map_err(|_| Unreadable::Device)
    }
}

impl Unreadable {
    /// What is to be said of a segment.
    pub(crate) fn of(&self, segment: SegmentNumber) -> String {
        let segment = segment.0;
        match self {
            Self::Device => format!("Segment {segment} of the pool cannot be read"),
            Self::NoSummary => format!("The summary of segment {segment} of the pool is damaged"),
            Self::Damaged { place } => format!("Segment {segment} of the pool is damaged at page {place}"),
        }
    }
}

impl Wanted {
    fn is_of(&self, head: &Head, place: u32) -> bool {
        (head.segment, head.disk, head.generation, head.place)
            == (self.segment, self.owner, self.generation, place)
    }
}

/// A stretch of a segment that was read.
struct Window {
    first: u32,
    bytes: Buffer,
}

impl Window {
    fn has(&self, place: u32) -> bool {
        place >= self.first && ((place - self.first + 1) as usize * PAGE_BYTES) <= self.bytes.len()
    }

    fn page(&self, place: u32) -> &[u8] {
        let at = (place - self.first) as usize * PAGE_BYTES;
        &self.bytes[at..at + PAGE_BYTES]
    }
}
