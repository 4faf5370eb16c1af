//! Reads: chunks of the store, checked and decompressed, and what is in memory.

use block::{BlockError, Buffer, ByteRange, ErrorKind, Host, Operation, PAGE};
use futures_util::future::join_all;
use std::ops::Range;

use super::chunk;
use super::content::Content;
use super::error::block_error;
use super::group::{Extent, Layer};
use super::map::Location;
use super::range_map::RangeMap;
use super::state::Shared;
use super::store::{Store, StoreErrorKind};

/// Bytes between two chunks of an object that are read rather than asked for twice.
const GAP_BYTES: u64 = 64 << 10;
/// Bytes of one request to the store, at most, unless a chunk is larger.
const REQUEST_BYTES: u64 = 4 << 20;
/// Tries of a read whose object cleaning deleted meanwhile.
const TRIES: u32 = 4;

/// Pages of one chunk that are wanted.
struct Wanted {
    pages: Range<u64>,
    location: Location,
    /// First page of the chunk; for pages that refer to it, the one that it would have.
    first: u64,
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
    pub(crate) async fn read_into(&self, range: ByteRange, buffer: &mut Buffer) -> Result<(), BlockError> {
        let pages = range.start / PAGE..range.end / PAGE;
        let mut tries = 0;
        loop {
            match self.read_once(&pages, buffer).await {
                Err(error) if error.kind == ErrorKind::Gone && tries < TRIES => {
                    self.usable(Operation::Read)?;
                    tries += 1;
                }
                // Nobody deletes what the map of a writer needs: it is lost.
                Err(error) if error.kind == ErrorKind::Gone && self.epoch.is_some() => {
                    self.usable(Operation::Read)?;
                    return Err(BlockError { kind: ErrorKind::Corrupt, ..error });
                }
                result => return result,
            }
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
        let requests = joined(&wanted);
        let read = requests.iter().map(async |request| self.read_request(request).await);
        for (request, chunks) in requests.iter().zip(join_all(read).await) {
            for (wanted, content) in request.iter().zip(chunks?) {
                let at = (wanted.pages.start.wrapping_sub(wanted.first) * PAGE) as usize;
                let bytes = place(&wanted.pages);
                let content = &content[at..at + bytes.len()];
                buffer[bytes].copy_from_slice(content);
            }
        }
        Ok(())
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
        let read = self.calls.get(&name, Some(start..end)).await;
        let bytes = read.map_err(|error| match error.kind {
            StoreErrorKind::NotFound => {
                self.state.borrow_mut().deduplication.avoid(object);
                deleted().because(error)
            }
            _ => block_error(&error, Operation::Read),
        })?;
        let open = |wanted: &Wanted| {
            let within = wanted.location.bytes();
            let stored = bytes.get((within.start - start) as usize..(within.end - start) as usize)?;
            let first = Some(wanted.first).filter(|_| !wanted.location.is_reference());
            chunk::open(stored, first, wanted.location.chunk_pages())
        };
        let damaged = |wanted: &Wanted| {
            let range = ByteRange::new(wanted.pages.start * PAGE, wanted.pages.end * PAGE);
            self.state.borrow_mut().deduplication.avoid(object);
            let reason = format!("object {name} is damaged at byte {}", wanted.location.offset);
            BlockError::new(ErrorKind::Corrupt, Operation::Read, range).because(reason)
        };
        request.iter().map(|wanted| open(wanted).ok_or_else(|| damaged(wanted))).collect()
    }
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
