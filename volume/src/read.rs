//! Reads: chunks of the store, checked and decompressed, and what is in memory.
//!
//! ```text
//! a read ── read ahead, if it follows another one (read_ahead.rs) ── bytes that are there or on their way (read_buffer.rs), or one request
//! ```
//! Whatever is there or on its way is found by the map, as of the read. What fails on its way, or is damaged, is asked for again by the read.

use std::ops::Range;
use std::pin::pin;
use std::rc::Rc;

use block::{BlockError, Buffer, ByteRange, ErrorKind, Host, Operation, PAGE};
use futures_util::future::{Either, join, join_all, select};

use super::chunk;
use super::content::Content;
use super::error::block_error;
use super::group::{Extent, Layer};
use super::map::Location;
use super::range_map::RangeMap;
use super::read_buffer::{PendingRange, RANGE_BYTES_MAX, ReadBuffer, StoredRange};
use super::state::Shared;
use super::store::{Store, StoreErrorKind};

/// Bytes between two chunks of an object that are read rather than asked for twice.
const GAP_BYTES: u64 = 64 << 10;
/// Bytes of one request to the store, at most, unless a chunk is larger.
const REQUEST_BYTES: u64 = RANGE_BYTES_MAX;
/// Tries of a read whose object cleaning deleted meanwhile.
const TRIES: u32 = 4;

/// Pages of one chunk that are wanted.
#[derive(Clone)]
struct Wanted {
    pages: Range<u64>,
    location: Location,
    /// First page of the chunk; for pages that refer to it, the one that it would have.
    first: u64,
}

/// Content of chunks, each with the pages for which it was read.
type Chunks = Vec<(Wanted, Vec<u8>)>;

/// A request to the store that reads ahead.
struct AheadRequest {
    object: u32,
    bytes: Range<u64>,
    /// Bytes of these that are not between chunks.
    wanted: u64,
    pages: Range<u64>,
}

impl AheadRequest {
    /// Makes it read a chunk behind its own as well, for pages before `end`. Returns false if that is for another request.
    fn extend(&mut self, chunk: &Range<u64>, end: u64) -> bool {
        let wanted = self.wanted + (chunk.end - chunk.start);
        let len = chunk.end.saturating_sub(self.bytes.start);
        if self.bytes.start <= chunk.start && chunk.end <= self.bytes.end {
            self.pages.end = end;
            return true;
        }
        // What lies between chunks takes room in the buffer: at most as much as they do.
        let is_near = self.bytes.end <= chunk.start && chunk.start <= self.bytes.end + GAP_BYTES;
        if !is_near || len > REQUEST_BYTES || len > 2 * wanted {
            return false;
        }
        (self.bytes.end, self.wanted, self.pages.end) = (chunk.end, wanted, end);
        true
    }
}

impl<S: Store, H: Host> Shared<S, H> {
    /// Returns what pages are, in order and without gaps.
    pub(crate) fn extents_of(&self, pages: &Range<u64>) -> RangeMap<Extent> {
        let state = self.state.borrow();
        let mut found = RangeMap::default();
        found.insert(pages.clone(), Extent::Zeroes);
        let inherited = &state.content.inherited;
        found.insert(inherited.within(pages), Extent::Inherited);
        inherited.zeroes(pages).for_each(|pages| found.insert(pages, Extent::Zeroes));
        for run in state.content.map.runs(pages.clone()) {
            let first = run.location.first_page(run.pages.start);
            found.insert(run.pages, Extent::Stored(run.location.at(0), first));
        }
        let mut add = |layer: &Layer| {
            for (range, extent) in layer.extents.touching(pages) {
                let within = range.start.max(pages.start)..range.end.min(pages.end);
                found.insert(within, extent.clone());
            }
        };
        for group in state.closing.iter().chain([&state.open]) {
            group.sealed.iter().for_each(|layer| add(&layer.borrow()));
            add(&group.open);
        }
        found
    }

    /// Returns true if all of these pages come from the snapshot of which it is a clone.
    pub(crate) fn is_inherited(&self, pages: &Range<u64>) -> bool {
        let state = self.state.borrow();
        let Content { inherited, map, .. } = &state.content;
        let is_changed = |layer: &Layer| layer.extents.touching(pages).next().is_some();
        self.base.is_some()
            && inherited.within(pages) == *pages
            && inherited.zeroes(pages).next().is_none()
            && map.runs(pages.clone()).next().is_none()
            && !state.closing.iter().chain([&state.open]).any(|group| {
                group.sealed.iter().any(|layer| is_changed(&layer.borrow())) || is_changed(&group.open)
            })
    }

    /// Reads a range in whole pages into a buffer as long.
    pub(crate) async fn read_into(
        shared: &Rc<Self>,
        range: ByteRange,
        buffer: &mut Buffer,
    ) -> Result<(), BlockError> {
        let pages = range.start / PAGE..range.end / PAGE;
        Self::read_ahead(shared, &pages);
        let mut tries = 0;
        loop {
            match shared.read_once(&pages, buffer).await {
                Err(error) if error.kind == ErrorKind::Gone && tries < TRIES => {
                    shared.usable(Operation::Read)?;
                    tries += 1;
                }
                // Nobody deletes what the map of a writer needs: it is lost.
                Err(error) if error.kind == ErrorKind::Gone && shared.epoch.is_some() => {
                    shared.usable(Operation::Read)?;
                    return Err(BlockError { kind: ErrorKind::Corrupt, ..error });
                }
                result => return result,
            }
        }
    }

    /// Asks for what lies behind a read, if it follows another one, and for what it needs itself.
    fn read_ahead(shared: &Rc<Self>, pages: &Range<u64>) {
        let is_late = || {
            let state = shared.state.borrow();
            let runs = state.content.map.runs(pages.clone());
            let buffer = shared.read_buffer.borrow();
            let mut found = runs.filter_map(|run| buffer.find(run.location.object, &run.location.bytes()));
            found.any(|range| range.is_pending())
        };
        let ahead = shared.read_streams.borrow_mut().observe(pages, is_late());
        let Some(ahead) = ahead else { return };
        let disk_end = shared.state.borrow().bytes / PAGE;
        let end = ahead.pages.end.min(disk_end);
        let mut at = ahead.pages.start;
        while at < end {
            let window = at..end.min(at + ahead.window);
            let reached = Self::ask_ahead(shared, &window);
            at = reached;
            if reached < window.end {
                shared.read_streams.borrow_mut().cut(&ahead, reached);
                return;
            }
        }
    }

    /// Asks for a window. Returns the page behind what is there or on its way then.
    fn ask_ahead(shared: &Rc<Self>, window: &Range<u64>) -> u64 {
        let (requests, mut reached) = shared.requests_ahead(window);
        for AheadRequest { object, bytes, pages, .. } in requests {
            let Some(key) = shared.state.borrow().content.objects.get(object).map(|info| info.key) else {
                continue;
            };
            let Some(pending) = ReadBuffer::add_ahead(&shared.read_buffer, object, bytes, pages.end) else {
                reached = reached.min(pages.start);
                continue;
            };
            let (ours, name) = (Rc::clone(shared), shared.volume.object(key));
            shared.calls.host.spawn(async move { ours.fetch(pending, &name).await });
        }
        reached
    }

    /// Returns the requests for what is neither there nor on its way of some pages, as many as may be, and the page behind that.
    fn requests_ahead(&self, pages: &Range<u64>) -> (Vec<AheadRequest>, u64) {
        let extents = self.extents_of(pages);
        let buffer = self.read_buffer.borrow();
        let room = buffer.room();
        let mut requests: Vec<AheadRequest> = Vec::new();
        for (range, extent) in extents.iter() {
            let Extent::Stored(location, _) = extent else { continue };
            let bytes = location.bytes();
            if buffer.find(location.object, &bytes).is_some() {
                continue;
            }
            // Pages of several objects take turns on a disk that was written at random.
            let last = requests.iter_mut().rfind(|request| request.object == location.object);
            if last.is_some_and(|last| last.extend(&bytes, range.end)) {
                continue;
            }
            if requests.len() == room {
                return (requests, range.start);
            }
            let wanted = bytes.end - bytes.start;
            requests.push(AheadRequest { object: location.object, bytes, wanted, pages: range });
        }
        (requests, pages.end)
    }

    /// Reads a range ahead. It fails without a second try, and when the use of the volume ends.
    async fn fetch(&self, pending: PendingRange, name: &str) {
        let read = pin!(self.calls.store.get(name, Some(pending.bytes())));
        let is_over = pin!(self.until(|state| (state.is_closed || state.fenced.is_some()).then_some(())));
        if let Either::Left((Ok(bytes), _)) = select(read, is_over).await {
            pending.complete(&bytes);
        }
    }

    async fn read_once(&self, pages: &Range<u64>, buffer: &mut Buffer) -> Result<(), BlockError> {
        let place = |range: &Range<u64>| {
            ((range.start - pages.start) * PAGE) as usize..((range.end - pages.start) * PAGE) as usize
        };
        let (mut wanted, mut inherited): (Vec<Wanted>, Vec<Range<u64>>) = Default::default();
        for (range, extent) in self.extents_of(pages).iter() {
            match extent {
                Extent::Zeroes => buffer[place(&range)].fill(0),
                Extent::Inherited => inherited.push(range),
                Extent::Memory(content, base) => {
                    let at = ((range.start - base) * PAGE) as usize;
                    let bytes = place(&range);
                    let content = &content[at..at + bytes.len()];
                    buffer[bytes].copy_from_slice(content);
                }
                Extent::Stored(location, first) => {
                    wanted.push(Wanted { pages: range, location: *location, first: *first });
                }
            }
        }
        for (range, read) in
            join_all(inherited.into_iter().map(async |pages| self.read_base(pages).await)).await
        {
            buffer[place(&range)].copy_from_slice(&read?);
        }
        let (held, direct) = self.find_held(wanted);
        let (direct, (held, failed)) = join(self.read_direct(direct), self.read_held(held)).await;
        let mut read = direct?;
        read.extend(held);
        if !failed.is_empty() {
            self.usable(Operation::Read)?;
            read.extend(self.read_direct(failed).await?);
        }
        for (wanted, content) in read {
            let at = (wanted.pages.start.wrapping_sub(wanted.first) * PAGE) as usize;
            let bytes = place(&wanted.pages);
            let content = &content[at..at + bytes.len()];
            buffer[bytes].copy_from_slice(content);
        }
        Ok(())
    }

    /// Divides chunks into those that are there or on their way, and others.
    fn find_held(&self, wanted: Vec<Wanted>) -> (Vec<(Wanted, Rc<StoredRange>)>, Vec<Wanted>) {
        let (mut held, mut direct) = (Vec::new(), Vec::new());
        let state = self.state.borrow();
        let buffer = self.read_buffer.borrow();
        for wanted in wanted {
            let Location { object, .. } = wanted.location;
            // Of an object that was deleted, content is not there any more.
            let is_known = state.content.objects.get(object).is_some();
            match buffer.find(object, &wanted.location.bytes()).filter(|_| is_known) {
                Some(range) => held.push((wanted, range)),
                None => direct.push(wanted),
            }
        }
        (held, direct)
    }

    /// Waits for chunks. Returns their content, and those that failed or are damaged.
    async fn read_held(&self, held: Vec<(Wanted, Rc<StoredRange>)>) -> (Chunks, Vec<Wanted>) {
        let (mut read, mut failed) = (Vec::with_capacity(held.len()), Vec::new());
        for (wanted, range) in held {
            let stored = range.part(&wanted.location.bytes()).await;
            let content = stored.and_then(|stored| open(&wanted, &stored));
            let mut buffer = self.read_buffer.borrow_mut();
            if let Some(content) = content {
                buffer.record_read(&range, wanted.pages.end - 1);
                read.push((wanted, content));
            } else {
                buffer.drop_range(&range);
                failed.push(wanted);
            }
        }
        (read, failed)
    }

    /// Reads chunks by requests of their own. Returns their content.
    async fn read_direct(&self, wanted: Vec<Wanted>) -> Result<Chunks, BlockError> {
        let requests = joined(&wanted);
        let read = requests.iter().map(async |request| self.read_request(request).await);
        let mut chunks = Vec::with_capacity(wanted.len());
        for (request, contents) in requests.iter().zip(join_all(read).await) {
            chunks.extend(request.iter().cloned().zip(contents?));
        }
        Ok(chunks)
    }

    /// Reads pages of the snapshot below.
    async fn read_base(&self, pages: Range<u64>) -> (Range<u64>, Result<Buffer, BlockError>) {
        let Some(base) = &self.base else {
            let error = BlockError::anywhere(ErrorKind::Io, Operation::Read);
            return (pages, Err(error.because("the snapshot below the clone is not open")));
        };
        let buffer = Buffer::zeroed(((pages.end - pages.start) * PAGE) as usize);
        let (buffer, read) = base.read(pages.start * PAGE, buffer).await;
        (pages, read.map(|()| buffer))
    }

    /// Reads the chunks of one request, which are of one object. Returns the content of each.
    async fn read_request(&self, request: &[Wanted]) -> Result<Vec<Vec<u8>>, BlockError> {
        let object = request[0].location.object;
        let deleted =
            || BlockError::anywhere(ErrorKind::Gone, Operation::Read).because("its object was deleted");
        let key = self.state.borrow().content.objects.get(object).map(|info| info.key).ok_or_else(deleted)?;
        let start = request[0].location.bytes().start;
        let end = request[request.len() - 1].location.bytes().end;
        let name = self.volume.object(key);
        // Others that want the same wait for it.
        let pending = ReadBuffer::add(&self.read_buffer, object, start..end);
        let read = self.calls.get(&name, Some(start..end)).await;
        let bytes = read.map_err(|error| match error.kind {
            StoreErrorKind::NotFound => {
                self.state.borrow_mut().deduplication.avoid(object);
                deleted().because(error)
            }
            _ => block_error(&error, Operation::Read),
        })?;
        pending.complete(&bytes);
        let part = |wanted: &Wanted| {
            let within = wanted.location.bytes();
            bytes.get((within.start - start) as usize..(within.end - start) as usize)
        };
        let damaged = |wanted: &Wanted| {
            let range = ByteRange::new(wanted.pages.start * PAGE, wanted.pages.end * PAGE);
            self.state.borrow_mut().deduplication.avoid(object);
            let reason = format!("object {name} is damaged at byte {}", wanted.location.offset);
            BlockError::new(ErrorKind::Corrupt, Operation::Read, range).because(reason)
        };
        let opened = |wanted: &Wanted| part(wanted).and_then(|stored| open(wanted, stored));
        request.iter().map(|wanted| opened(wanted).ok_or_else(|| damaged(wanted))).collect()
    }
}

/// Returns the content of a chunk as it is stored; none if it is damaged.
fn open(wanted: &Wanted, stored: &[u8]) -> Option<Vec<u8>> {
    let first = Some(wanted.first).filter(|_| !wanted.location.is_reference());
    chunk::open(stored, first, wanted.location.chunk_pages())
}

/// Returns requests to the store: neighbours in one object are read together.
fn joined(wanted: &[Wanted]) -> Vec<&[Wanted]> {
    let goes_on = |one: &Wanted, next: &Wanted, start: u64| {
        let (one, next) = (one.location, next.location);
        one.object == next.object
            && next.offset >= one.offset
            && next.bytes().start <= one.bytes().end + GAP_BYTES
            && next.bytes().end - start <= REQUEST_BYTES
    };
    let mut requests = Vec::new();
    let mut first = 0;
    for at in 1..=wanted.len() {
        let start = wanted[first].location.bytes().start;
        if at == wanted.len() || !goes_on(&wanted[at - 1], &wanted[at], start) {
            requests.push(&wanted[first..at]);
            first = at;
        }
    }
    requests
}
