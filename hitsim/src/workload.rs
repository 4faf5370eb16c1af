//! Trace in memory, reduced to what hit ratios need: the pages of each request, in order.
//!
//! A trace is read once; all sizes, blocks and policies work on this form: 16 bytes for each request. Accesses are to pages; the exact
//! range of a write in its first and last page is kept too, as a disk cannot cache a page of which it knows a part. Addresses are
//! compacted: stretches of 1 MiB without accesses are left out, so that an address near 2^64 costs no more than any other. Neighbours stay
//! neighbours.

use std::collections::HashMap;

use block::{ByteRange, PAGE};
use trace::{Kind, Request, SECTOR};

use crate::rule::{Effect, Writes};

/// Reason why a trace cannot be simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// It has no accesses.
    #[error("It asks for nothing: no request was found")]
    Empty,
    /// It has more accesses than are counted.
    #[error(
        "It touches more than {ACCESSES_MAX} pages, each counted as often as it is touched: take a part of it"
    )]
    TooLong,
    /// It has more distinct pages than a disk.
    #[error("It touches stretches of more than 8 TiB in all: take a part of it")]
    TooWide,
}

/// Reason why there is no workload.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The trace could not be read.
    #[error(transparent)]
    Trace(#[from] trace::Error),
    /// It was read, and cannot be simulated.
    #[error(transparent)]
    Unfit(#[from] Unfit),
}

/// Maximum number of accesses of a trace, so that memory is bounded for any trace: 8 GiB for its requests if each is one access, 16 GiB
/// while they are read. Positions of accesses have 32 bits.
pub const ACCESSES_MAX: u64 = 1 << 29;

/// Unit in which addresses are compacted: a block of the largest size.
const STRETCH_PAGES: u64 = (1 << 20) / PAGE;
/// Maximum number of stretches: 8 TiB, half of what a cached disk of 4 KiB blocks may have.
const STRETCHES_MAX: u64 = 8 << 20;

/// Number of pages that are counted at once: 32 MiB of bits.
const COUNTED_PAGES: u64 = 1 << 28;
/// Number of ranges that are collected before they are merged.
const RUNS_MIN: usize = 1 << 12;

/// Request in pages, with the untouched parts of the first and the last of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PageSpan {
    page: u64,
    pages: u32,
    /// Sectors of the first page before it, fewer than a page has.
    sectors_before: u8,
    /// Sectors of the last page after it, likewise.
    sectors_behind: u8,
    kind: Kind,
}

// Traces have hundreds of millions of requests.
const _: () = assert!(size_of::<PageSpan>() == 16, "the docs say how much memory a request takes");

/// Requests of a trace, in compacted addresses.
#[derive(Clone, Debug)]
pub struct Workload {
    requests: Vec<PageSpan>,
    /// End of the last stretch after compaction.
    pages: u64,
    footprint: u64,
    accesses: u64,
}

/// Accesses in order, each to a block.
#[derive(Clone, Debug, Default)]
pub struct Accesses {
    /// Blocks, numbered in the order of their first accesses.
    pub blocks: Vec<u32>,
    /// Number of distinct blocks: all numbers are below it.
    pub distinct: u32,
}

/// One request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TraceRequest {
    /// Whole pages.
    pub(crate) pages: ByteRange,
    /// Exact range of the request, in sectors: in all of these pages, and perhaps not all of the first and the last.
    pub(crate) exact: ByteRange,
    pub(crate) is_write: bool,
}

/// Unit of an access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counted {
    /// The part of a request in one block. The default, as in papers.
    #[default]
    Blocks,
    /// A request, which hits if all of its blocks do.
    Requests,
}

impl Workload {
    /// Reads all requests of a trace. Their accesses are to whole pages.
    ///
    /// # Errors
    /// The first error of the trace, or the reason why it is unfit.
    pub fn collect(trace: impl IntoIterator<Item = Result<Request, trace::Error>>) -> Result<Self, Error> {
        let mut requests = Vec::new();
        let mut accesses = 0;
        for request in trace {
            let request = request?;
            let touched = trace::blocks(&request, PAGE);
            let pages = touched.end - touched.start;
            // Disks begin at a multiple of the largest block, so that their blocks are aligned as on the disk.
            let first = touched.start - request.offset / PAGE;
            let page = touched.start - first % STRETCH_PAGES;
            accesses += pages;
            if accesses > ACCESSES_MAX {
                return Err(Unfit::TooLong.into());
            }
            requests.push(PageSpan {
                page,
                pages: pages as u32,
                sectors_before: (request.offset % PAGE / SECTOR) as u8,
                sectors_behind: (request.end().wrapping_neg() % PAGE / SECTOR) as u8,
                kind: request.kind,
            });
        }
        if requests.is_empty() {
            return Err(Unfit::Empty.into());
        }
        requests.shrink_to_fit();
        let pages = move_together(&mut requests)?;
        let mut workload = Self { requests, pages, footprint: 0, accesses };
        workload.footprint = workload.count_footprint();
        Ok(workload)
    }

    /// Returns the number of distinct 4 KiB pages.
    pub fn footprint_pages(&self) -> u64 {
        self.footprint
    }

    /// Returns the number of requests.
    pub fn requests(&self) -> u64 {
        self.requests.len() as u64
    }

    /// Returns the number of touched pages, each counted as often as it is touched.
    pub fn page_accesses(&self) -> u64 {
        self.accesses
    }

    /// Returns the number of writes; `None` if the trace has no directions.
    pub fn writes(&self) -> Option<u64> {
        let is_said = self.requests.iter().any(|request| request.kind != Kind::Unknown);
        is_said.then(|| self.requests.iter().filter(|request| request.kind == Kind::Write).count() as u64)
    }

    /// Returns the number of accesses with blocks of so many bytes.
    pub fn count(&self, counted: Counted, block_bytes: u32) -> u64 {
        match counted {
            Counted::Requests => self.requests(),
            Counted::Blocks => {
                self.requests.iter().map(|request| request.blocks(block_bytes).count() as u64).sum()
            }
        }
    }

    /// Returns every access to a block of so many bytes, in order.
    pub fn accesses(&self, block_bytes: u32) -> Accesses {
        let mut numbers: HashMap<u64, u32> = HashMap::new();
        let mut blocks = Vec::with_capacity(self.count(Counted::Blocks, block_bytes) as usize);
        for block in self.requests.iter().flat_map(|request| request.blocks(block_bytes)) {
            let next = numbers.len() as u32;
            blocks.push(*numbers.entry(block).or_insert(next));
        }
        Accesses { blocks, distinct: numbers.len() as u32 }
    }

    /// Returns the effect of each access to a block of so many bytes, in the order of [`Self::accesses`]; none if all of them read.
    pub fn effects(&self, block_bytes: u32, writes: Writes) -> Vec<Effect> {
        if writes == Writes::AsReads || self.writes().is_none_or(|writes| writes == 0) {
            return Vec::new();
        }
        let block = u64::from(block_bytes);
        let of = |request: &PageSpan| {
            let is_write = request.kind == Kind::Write;
            let (blocks, exact) = (request.blocks(block_bytes), request.exact());
            // Even of whole pages, a block of several pages can be written in part.
            let exact = if writes == Writes::OfWholePages { exact.widened(PAGE) } else { exact };
            blocks.map(move |at| match exact.contains(&ByteRange::at(at * block, block)) {
                _ if !is_write => Effect::Reads,
                true => Effect::Replaces,
                false => Effect::Patches,
            })
        };
        self.requests.iter().flat_map(of).collect()
    }

    /// Returns the number of blocks of each request.
    pub(crate) fn blocks_of_requests(&self, block_bytes: u32) -> impl Iterator<Item = usize> + '_ {
        self.requests.iter().map(move |request| request.blocks(block_bytes).count())
    }

    /// Returns every request, with its place on the disk.
    pub(crate) fn asked(&self) -> impl Iterator<Item = TraceRequest> + '_ {
        self.requests.iter().map(|request| TraceRequest {
            pages: ByteRange::new(request.page * PAGE, request.end() * PAGE),
            exact: request.exact(),
            is_write: request.kind == Kind::Write,
        })
    }

    /// Returns the size of a disk with all touched pages.
    pub(crate) fn disk_bytes(&self) -> u64 {
        self.pages * PAGE
    }

    fn count_footprint(&self) -> u64 {
        // A bit for each page, for a part of the disk at a time.
        let part = self.pages.min(COUNTED_PAGES);
        let mut bits = vec![0_u64; part.div_ceil(64) as usize];
        let mut footprint = 0;
        for start in (0..self.pages).step_by(COUNTED_PAGES as usize) {
            bits.fill(0);
            for request in &self.requests {
                for page in request.page.max(start)..request.end().min(start + part) {
                    bits[((page - start) / 64) as usize] |= 1 << ((page - start) % 64);
                }
            }
            footprint += bits.iter().map(|bits| u64::from(bits.count_ones())).sum::<u64>();
        }
        footprint
    }
}

impl TraceRequest {
    /// Returns the same in pieces of at most `bytes`, a multiple of a page.
    pub(crate) fn pieces(self, bytes: u64) -> impl Iterator<Item = Self> {
        let Self { pages, exact, is_write } = self;
        (pages.start..pages.end).step_by(bytes as usize).map(move |start| {
            let piece = ByteRange::new(start, (start + bytes).min(pages.end));
            Self { pages: piece, exact: exact.intersection(&piece), is_write }
        })
    }

    /// Returns the accesses: one for each touched block, or one for all.
    pub(crate) fn accesses(
        &self,
        counted: Counted,
        block_bytes: u32,
    ) -> impl Iterator<Item = ByteRange> + use<> {
        let pages = self.pages;
        let unit = match counted {
            Counted::Blocks => u64::from(block_bytes),
            // No request is longer than the distance of its end.
            Counted::Requests => pages.end.next_power_of_two(),
        };
        (pages.start / unit..pages.end.div_ceil(unit))
            .map(move |at| pages.intersection(&ByteRange::at(at * unit, unit)))
    }
}

impl PageSpan {
    fn end(&self) -> u64 {
        self.page + u64::from(self.pages)
    }

    /// Returns its bytes.
    fn exact(&self) -> ByteRange {
        ByteRange::new(
            self.page * PAGE + u64::from(self.sectors_before) * SECTOR,
            self.end() * PAGE - u64::from(self.sectors_behind) * SECTOR,
        )
    }

    fn blocks(&self, block_bytes: u32) -> std::ops::Range<u64> {
        let block_pages = u64::from(block_bytes) / PAGE;
        self.page / block_pages..self.end().div_ceil(block_pages)
    }

    fn stretches(&self) -> std::ops::Range<u64> {
        self.page / STRETCH_PAGES..self.end().div_ceil(STRETCH_PAGES)
    }
}

/// Ranges that are merged where they touch or overlap, so that memory depends on the separate ones.
#[derive(Default)]
struct Runs {
    /// Sorted and separate, up to the end of `merged`.
    runs: Vec<std::ops::Range<u64>>,
    merged: usize,
}

impl Runs {
    fn add(&mut self, run: std::ops::Range<u64>) {
        if self.runs.last().is_some_and(|last| last.start <= run.start && run.end <= last.end) {
            return;
        }
        self.runs.push(run);
        if self.runs.len() > 2 * self.merged + RUNS_MIN {
            self.merge();
        }
    }

    fn merge(&mut self) {
        self.runs.sort_unstable_by_key(|run| run.start);
        self.runs.dedup_by(|run, last| {
            let touches = run.start <= last.end;
            if touches {
                last.end = last.end.max(run.end);
            }
            touches
        });
        self.merged = self.runs.len();
    }
}

/// Leaves out the stretches without accesses. Returns the end of the last one, in pages.
fn move_together(requests: &mut [PageSpan]) -> Result<u64, Unfit> {
    let mut used = Runs::default();
    for request in requests.iter() {
        used.add(request.stretches());
    }
    used.merge();
    // Runs of used stretches, with the number of used ones before each.
    let mut before = 0;
    let with_count = used.runs.into_iter().map(|run| {
        let length = run.end - run.start;
        before += length;
        (run, before - length)
    });
    let runs: Vec<(std::ops::Range<u64>, u64)> = with_count.collect();
    let stretches = runs.last().map_or(0, |(run, before)| before + (run.end - run.start));
    if stretches > STRETCHES_MAX {
        return Err(Unfit::TooWide);
    }
    for request in requests {
        let stretch = request.page / STRETCH_PAGES;
        let at = runs.partition_point(|(run, _)| run.start <= stretch) - 1;
        let (run, before) = &runs[at];
        request.page = (before + (stretch - run.start)) * STRETCH_PAGES + request.page % STRETCH_PAGES;
    }
    Ok(stretches * STRETCH_PAGES)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns reads of so many bytes from these offsets on.
    fn workload(reads: &[(u64, u32)]) -> Result<Workload, Unfit> {
        let read = |(offset, length)| Request { kind: Kind::Read, offset, length, ..Request::default() };
        collect(reads.iter().copied().map(read))
    }

    fn collect(requests: impl IntoIterator<Item = Request>) -> Result<Workload, Unfit> {
        Workload::collect(requests.into_iter().map(Ok)).map_err(|error| match error {
            Error::Unfit(unfit) => unfit,
            Error::Trace(error) => panic!("no trace was read: {error}"),
        })
    }

    #[test]
    fn requests_are_accesses_to_every_block_that_they_touch() {
        let workload = workload(&[(0, 8192), (3584, 1024), (20 << 12, 512)]).unwrap();
        assert_eq!((workload.requests(), workload.page_accesses(), workload.footprint_pages()), (3, 5, 3));
        let Accesses { blocks, distinct } = workload.accesses(4096);
        assert_eq!((blocks, distinct), (vec![0, 1, 0, 1, 2], 3));
        assert_eq!(workload.accesses(65536).blocks, [0, 0, 1]);
        assert_eq!(workload.accesses(4096).blocks.capacity(), 5, "just what is needed");
        assert_eq!(workload.count(Counted::Blocks, 4096), 5);
        assert_eq!(workload.count(Counted::Requests, 4096), 3);
    }

    #[test]
    fn requests_are_one_access_or_one_to_each_block() {
        let workload = workload(&[(60 << 10, 12 << 10)]).unwrap();
        let ranges = |counted, block_bytes| -> Vec<(u64, u64)> {
            let accesses = workload.asked().flat_map(|asked| asked.accesses(counted, block_bytes));
            accesses.map(|range| (range.start >> 10, range.end >> 10)).collect()
        };
        assert_eq!(ranges(Counted::Blocks, 4096), [(60, 64), (64, 68), (68, 72)]);
        assert_eq!(ranges(Counted::Blocks, 65536), [(60, 64), (64, 72)]);
        assert_eq!(ranges(Counted::Requests, 4096), [(60, 72)]);
    }

    #[test]
    fn what_a_request_covers_of_its_pages_is_known_to_the_sector() {
        let workload = workload(&[(3584, 1024), (512, 512), (64 << 10, 4608), (0, 4096)]).unwrap();
        let exact: Vec<_> = workload.asked().map(|asked| (asked.exact.start, asked.exact.end)).collect();
        assert_eq!(exact, [(3584, 4608), (512, 1024), (65536, 70144), (0, 4096)]);
        let pages: Vec<_> = workload.asked().map(|asked| (asked.pages.start, asked.pages.end)).collect();
        assert_eq!(
            pages,
            [(0, 8192), (0, 4096), (65536, 73728), (0, 4096)],
            "accesses are to whole pages all the same"
        );
    }

    #[test]
    fn writes_are_counted_only_where_the_trace_says_what_writes() {
        let of_kinds = |kinds: &[Kind]| {
            let requests =
                kinds.iter().map(|kind| Request { kind: *kind, length: 4096, ..Request::default() });
            collect(requests).unwrap().writes()
        };
        assert_eq!(of_kinds(&[Kind::Unknown, Kind::Unknown]), None);
        assert_eq!(of_kinds(&[Kind::Read, Kind::Read]), Some(0));
        assert_eq!(of_kinds(&[Kind::Unknown, Kind::Write, Kind::Read]), Some(1));
    }

    #[test]
    fn what_nobody_touches_takes_no_room_and_neighbours_stay_neighbours() {
        let far = (1 << 63) - 4096;
        let workload =
            workload(&[(far, 8192), (1 << 40, 4096), (far + 8192, 4096), (5 << 20, 1 << 20)]).unwrap();
        let starts: Vec<u64> = workload.asked().map(|asked| asked.pages.start).collect();
        assert_eq!(starts, [(3 << 20) - 4096, 1 << 20, (3 << 20) + 4096, 0]);
        assert_eq!(workload.disk_bytes(), 4 << 20);
        assert_eq!(workload.footprint_pages(), 3 + 1 + 256);
    }

    #[test]
    fn what_cannot_be_is_refused_with_its_reason() {
        assert_eq!(workload(&[]).unwrap_err(), Unfit::Empty);
        // Each touches the end of one stretch and the start of the next.
        let scattered: Vec<(u64, u32)> =
            (0..=STRETCHES_MAX / 2).map(|at| ((at << 21) + (1 << 20) - 4096, 8192)).collect();
        assert_eq!(workload(&scattered).unwrap_err(), Unfit::TooWide);
        assert_eq!(workload(&scattered[1..]).unwrap().disk_bytes(), 8 << 40);
        let read = Request { length: 32 << 20, ..Request::default() };
        let most = (ACCESSES_MAX / (32 << 8)) as usize;
        assert_eq!(collect(std::iter::repeat_n(read, most)).unwrap().page_accesses(), ACCESSES_MAX);
        assert_eq!(collect(std::iter::repeat_n(read, most + 1)).unwrap_err(), Unfit::TooLong);
        assert_eq!(
            Unfit::TooLong.to_string(),
            "It touches more than 536870912 pages, each counted as often as it is touched: take a part of it"
        );
    }

    #[test]
    fn disks_of_one_trace_are_apart_and_their_blocks_cut_as_on_the_disk() {
        let on = |device, offset| Request { device, offset, length: 65536, ..Request::default() };
        let workload = collect([on(0, 0), on(7, 0), on(7, 65536)]).unwrap();
        assert_eq!(workload.accesses(65536).blocks, [0, 1, 2]);
        assert_eq!(workload.footprint_pages(), 48);
    }
}
