//! Summaries: the content of a sealed segment, as runs of neighbours, so that recovery and reclaim read a summary instead of headers, and a
//! hundred gibibytes of flash cost seconds instead of minutes.
//!
//! A segment keeps room for the summary of the worst case, no two pages of which are neighbours. The first page of the summary records how
//! much of it is used.
//!
//! ```text
//! 32  48  the head, as in a batch header: `place` is the page's own, `sequence` its number in the summary, `durable` the
//!         end of the last batch
//! 80  4   runs on this page      84  4   pages of the whole summary
//! 88      per run: first page (8: 48 bits page, 8 bits zero, 8 bits kind), sequence (8), place of the first page's data
//!         in the segment, or what the entry of a range has in its place (4), pages (4), then for each page the plain CRC-32C of its content (4); none for a range
//! ```
//! Checksums here are *plain*, as in the index. The seed in a batch's header guards against misplaced
//! batches; a summary is guarded by its own checksum.

use super::PoolId;
use super::batch::{Entry, EntryKind, HEAD_BYTES, Head};
use super::checksum::unseeded;
use super::codec::{Decoder, Encoder, FRAME_BYTES, FrameError};
use crate::types::limits::PAGE_BYTES;
use crate::types::units::{PageNumber, SegmentOwner, Sequence};

const MAGIC: [u8; 8] = *b"FBYSUMRY";
const COUNTS_BYTES: usize = 8;
const RUN_BYTES: usize = 24;
const CHECKSUM_BYTES: usize = 4;
/// Bytes of a page that hold runs.
const ROOM: usize = PAGE_BYTES - FRAME_BYTES - HEAD_BYTES - COUNTS_BYTES;

/// Pages that one page of a summary describes at least: with a run for each page, and the rest unused.
pub const LINES_PER_PAGE: usize = (ROOM - RUN_BYTES - CHECKSUM_BYTES + 1) / (RUN_BYTES + CHECKSUM_BYTES);

/// One page of a segment and its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SummaryEntry {
    /// The page of the disk; of a `forget`, the first page of the region.
    pub page: PageNumber,
    /// Meaning of the entry.
    pub kind: EntryKind,
    /// The version of the content.
    pub sequence: Sequence,
    /// Plain checksum of the data page.
    pub checksum: u32,
    /// Place of the data, in pages from the start of the segment.
    pub place: u32,
}

impl SummaryEntry {
    /// Creates the summary entry of an entry of a batch.
    pub fn of_entry(entry: &Entry, owner: SegmentOwner) -> Self {
        let Entry { page, kind, sequence, seeded_checksum, place } = *entry;
        Self { page, kind, sequence, checksum: unseeded(seeded_checksum, owner, page, sequence), place }
    }

    /// Returns true if `next` continues a run that `self` is at the end of.
    fn continues(&self, next: &Self) -> bool {
        self.kind == next.kind
            && self.sequence == next.sequence
            && self.page.0 + 1 == next.page.0
            && self.place + 1 == next.place
    }
}

/// Neighbours on the disk and in the segment, of one kind and sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SummaryRun {
    /// The first page of the disk.
    pub page: PageNumber,
    /// Meaning of the run.
    pub kind: EntryKind,
    /// The version of the content.
    pub sequence: Sequence,
    /// Place of the first page's data, in pages from the start of the segment.
    pub place: u32,
    /// Place of the run's first checksum in [`Content::checksums`].
    first: usize,
    /// Pages.
    pub pages: usize,
}

/// Content of a segment, in the order in which it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// The runs.
    pub runs: Vec<SummaryRun>,
    checksums: Vec<u32>,
    /// Runs that are ranges.
    ranges: usize,
    /// End of the last batch, in pages from the start of the segment.
    pub end: u32,
}

impl Content {
    /// Returns the checksums of a run, one a page; none of a range.
    pub fn checksums(&self, run: &SummaryRun) -> &[u32] {
        let count = if run.kind.is_range() { 0 } else { run.pages };
        &self.checksums[run.first..run.first + count]
    }

    /// Adds an entry of a batch behind all others.
    pub fn push_entry(&mut self, entry: &Entry, owner: SegmentOwner) {
        if entry.kind.is_range() {
            let Entry { page, kind, sequence, seeded_checksum: pages, place } = *entry;
            self.push_range(kind, page, sequence, pages, place);
        } else if entry.kind.has_data() {
            self.push(&SummaryEntry::of_entry(entry, owner));
        } else {
            // The field of the checksum holds something else.
            let Entry { page, kind, sequence, seeded_checksum: checksum, .. } = *entry;
            self.push(&SummaryEntry { page, kind, sequence, checksum, place: 0 });
        }
    }

    /// Adds a range of pages behind all others, which has no data. `place` is that of its entry.
    pub fn push_range(
        &mut self,
        kind: EntryKind,
        page: PageNumber,
        sequence: Sequence,
        pages: u32,
        place: u32,
    ) {
        let first = self.checksums.len();
        self.runs.push(SummaryRun { page, kind, sequence, place, first, pages: pages as usize });
        self.ranges += 1;
    }

    /// Returns the number of entries that the summary has to have room for.
    pub fn entries(&self) -> usize {
        self.checksums.len() + self.ranges
    }

    /// Returns true if something of it must not go before something durable stands for it.
    pub fn has_mutations(&self) -> bool {
        self.runs.iter().any(|run| run.kind.is_mutation())
    }

    /// Adds a page behind all others.
    pub fn push(&mut self, line: &SummaryEntry) {
        let SummaryEntry { page, kind, sequence, checksum, place } = *line;
        let last = self.runs.last().filter(|run| !run.kind.is_range()).map(|run| SummaryEntry {
            page: PageNumber(run.page.0 + run.pages as u64 - 1),
            kind: run.kind,
            sequence: run.sequence,
            checksum: 0,
            place: run.place + run.pages as u32 - 1,
        });
        match (last, self.runs.last_mut()) {
            (Some(last), Some(run)) if last.continues(line) => run.pages += 1,
            _ => {
                let first = self.checksums.len();
                self.runs.push(SummaryRun { page, kind, sequence, place, first, pages: 1 });
            }
        }
        self.checksums.push(checksum);
    }

    /// Returns every page, in the order in which they were written; not those that ranges speak of.
    pub fn lines(&self) -> impl Iterator<Item = SummaryEntry> + '_ {
        self.runs.iter().flat_map(|run| {
            (0u32..).zip(self.checksums(run)).map(|(at, &checksum)| SummaryEntry {
                page: PageNumber(run.page.0 + u64::from(at)),
                kind: run.kind,
                sequence: run.sequence,
                checksum,
                place: run.place + at,
            })
        })
    }

    /// Returns the number of pages described.
    pub fn pages(&self) -> usize {
        self.checksums.len()
    }

    /// Encodes the summary as pages one after another. `head` is that of the first page.
    pub fn encode(&self, pool: PoolId, head: &Head) -> Vec<u8> {
        let plan = self.plan();
        let mut bytes = vec![0; plan.len() * PAGE_BYTES];
        for (number, (page, runs)) in bytes.chunks_exact_mut(PAGE_BYTES).zip(&plan).enumerate() {
            let head = Head {
                place: head.place + number as u32,
                sequence: Sequence(number as u64),
                durable: self.end,
                ..*head
            };
            let mut encoder = Encoder::new(page, MAGIC, pool);
            head.encode(&mut encoder, 0);
            encoder.u32(runs.len() as u32);
            encoder.u32(plan.len() as u32);
            for run in runs {
                encoder.u64(run.page.0 | (run.kind as u64) << 56);
                encoder.u64(run.sequence.0);
                encoder.u32(run.place);
                encoder.u32(run.pages as u32);
                self.checksums(run).iter().for_each(|checksum| encoder.u32(*checksum));
            }
            encoder.finish();
        }
        bytes
    }

    /// Distributes the runs, cut where a page ends, to the pages of the summary. At least one page.
    fn plan(&self) -> Vec<Vec<SummaryRun>> {
        let mut pages = vec![Vec::new()];
        let mut left = ROOM;
        for run in &self.runs {
            let mut rest = *run;
            if run.kind.is_range() {
                if left < RUN_BYTES {
                    pages.push(Vec::new());
                    left = ROOM;
                }
                left -= RUN_BYTES;
                pages.last_mut().expect("there is a page").push(rest);
                rest.pages = 0;
            }
            while rest.pages > 0 {
                if left < RUN_BYTES + CHECKSUM_BYTES {
                    pages.push(Vec::new());
                    left = ROOM;
                }
                let now = rest.pages.min((left - RUN_BYTES) / CHECKSUM_BYTES);
                left -= RUN_BYTES + now * CHECKSUM_BYTES;
                pages.last_mut().expect("there is a page").push(SummaryRun { pages: now, ..rest });
                rest = SummaryRun {
                    page: PageNumber(rest.page.0 + now as u64),
                    place: rest.place + now as u32,
                    first: rest.first + now,
                    pages: rest.pages - now,
                    ..rest
                };
            }
        }
        pages
    }

    /// Adds one page of a summary. Returns the head, and how many pages the whole summary has.
    ///
    /// # Errors
    /// If the page is no page of a summary of this pool, with the reason. Earlier pages stay.
    pub fn decode_page(&mut self, page: &[u8], pool: PoolId) -> Result<(Head, u32), FrameError> {
        let mut decoder = Decoder::of_pool(page, MAGIC, pool)?;
        let (head, _) = Head::decode(&mut decoder)?;
        let (runs, pages) = (decoder.u32() as usize, decoder.u32());
        let mut left = ROOM;
        for _ in 0..runs {
            left = left.checked_sub(RUN_BYTES).ok_or(FrameError::Field("runs"))?;
            let packed = decoder.u64();
            let kind = EntryKind::from_number((packed >> 56) as u8).ok_or(FrameError::Field("kind"))?;
            let run = SummaryRun {
                page: PageNumber(packed & ((1 << 48) - 1)),
                kind,
                sequence: Sequence(decoder.u64()),
                place: decoder.u32(),
                pages: decoder.u32() as usize,
                first: self.checksums.len(),
            };
            let checksums = if run.kind.is_range() { 0 } else { run.pages };
            let bytes = checksums.checked_mul(CHECKSUM_BYTES).and_then(|bytes| left.checked_sub(bytes));
            left = bytes.filter(|_| run.pages > 0).ok_or(FrameError::Field("pages"))?;
            self.checksums.extend((0..checksums).map(|_| decoder.u32()));
            self.ranges += usize::from(run.kind.is_range());
            self.runs.push(run);
        }
        self.end = head.durable;
        Ok((head, pages))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::types::units::{DiskId, SegmentNumber};

    const POOL: PoolId = PoolId([3; 16]);

    fn head() -> Head {
        Head {
            owner: DiskId(3).into(),
            segment: SegmentNumber(4),
            generation: Sequence(5),
            place: 1000,
            sequence: Sequence(0),
            durable: 0,
        }
    }

    fn decode(bytes: &[u8]) -> Content {
        let mut content = Content::default();
        for (number, page) in bytes.chunks_exact(PAGE_BYTES).enumerate() {
            let (head, pages) = content.decode_page(page, POOL).unwrap();
            assert_eq!((head.place, head.sequence), (1000 + number as u32, Sequence(number as u64)));
            assert_eq!(pages as usize, bytes.len() / PAGE_BYTES);
        }
        content
    }

    proptest! {
        #[test]
        fn a_summary_reads_back_as_it_was(
            runs in proptest::collection::vec((0..1u64 << 40, 0..3u64, 1..600usize), 0..60),
        ) {
            let mut content = Content { end: 77, ..Content::default() };
            let mut place = 1;
            for (page, sequence, pages) in runs {
                for at in 0..pages as u64 {
                    content.push(&SummaryEntry {
                        page: PageNumber(page + at), kind: EntryKind::Fill, sequence: Sequence(sequence),
                        checksum: (page + at) as u32, place,
                    });
                    place += 1;
                }
                place += 1;
                if sequence == 1 {
                    content.push_range(EntryKind::Zeroes, PageNumber(page), Sequence(9), u32::MAX, 1);
                }
            }
            let back = decode(&content.encode(POOL, &head()));
            prop_assert!(back.lines().eq(content.lines()));
            let ranges = |content: &Content| -> Vec<(PageNumber, usize, u32)> {
                let runs = content.runs.iter().filter(|run| run.kind.is_range());
                runs.map(|run| (run.page, run.pages, run.place)).collect()
            };
            prop_assert_eq!(ranges(&back), ranges(&content));
            prop_assert_eq!(back.entries(), content.entries());
            prop_assert_eq!(back.end, 77);
        }

        #[test]
        fn arbitrary_bytes_are_refused_without_a_panic(page in proptest::collection::vec(any::<u8>(), PAGE_BYTES)) {
            prop_assert!(Content::default().decode_page(&page, POOL).is_err());
        }
    }

    #[test]
    fn the_worst_case_fits_in_the_pages_that_are_kept_for_it() {
        for lines in [1, LINES_PER_PAGE, LINES_PER_PAGE + 1, 8000] {
            for step in [1u64, 2, 3] {
                let mut content = Content::default();
                for at in 0..lines as u64 {
                    // A break after each `step` pages: runs of one are the worst case, others must not be worse.
                    let page = PageNumber(at + at / step * 5);
                    let (sequence, place) = (Sequence(at / step), at as u32);
                    content.push(&SummaryEntry { page, kind: EntryKind::Fill, sequence, checksum: 1, place });
                }
                let pages = content.encode(POOL, &head()).len() / PAGE_BYTES;
                assert!(
                    pages <= lines.div_ceil(LINES_PER_PAGE),
                    "{lines} lines in runs of {step}: {pages} pages"
                );
            }
        }
    }

    #[test]
    fn a_segment_without_content_has_a_summary_of_one_page() {
        let bytes = Content::default().encode(POOL, &head());
        assert_eq!(bytes.len(), PAGE_BYTES);
        assert_eq!(decode(&bytes).pages(), 0);
    }
}
