//! Reads of what RAM has, which wait for nothing: found, noted, given, counted, several together.
//!
//! ```text
//!   ranges that are wanted ── find: which RAM has all of, and where ──> for each: learn, give page by page, count
//!                                                                       └─ the next page comes into the processor's caches meanwhile ─┘
//! ```
//! A hit in RAM costs about as much as fetching its page from memory, and finding it there. What several are looked for one right after
//! another, the processor does side by side; and while one is worked on, the next page is fetched. In four parts, between which something else is done:
//! a processor fetches some thirty lines at a time, and forgets what else it is asked for. Nothing is awaited
//! between finding and giving, so what was found is there.

use block::{BlockDevice, ByteRange, Host, Operation, PAGE, Wanted, prefetch};
use smallvec::SmallVec;

use super::disk_cache::DiskCache;
use super::reconnect::notice;
use crate::knowledge::learned::By;
use crate::knowledge::ram::{Ram, Spot};
use crate::words::units::{PageNumber, pages_touched};

/// A page is fetched into the processor's caches in so many parts.
const PARTS: usize = 4;

/// What doors ask for together has no more pages, but for what lies across their borders: nothing is allocated.
const PIECES: usize = 64;

/// What is given of one page.
#[derive(Clone, Copy)]
struct Piece {
    /// The place of the range among those that are wanted.
    place: usize,
    spot: Spot,
    /// Bytes within the page.
    start: u16,
    end: u16,
}

/// Where RAM has what is wanted, in order.
#[derive(Default)]
pub(crate) struct AtHand {
    pieces: SmallVec<[Piece; PIECES]>,
}

impl AtHand {
    /// Finds those of `wanted` that are `sound`, and that RAM has all of, if the disk answers reads from RAM now. These are said to be given,
    /// and have to be by [`AtHand::give`]. Once.
    pub(crate) fn find<B: BlockDevice, F: BlockDevice, H: Host>(
        &mut self,
        cache: &DiskCache<F, H>,
        backing: &B,
        wanted: &mut [Wanted],
        sound: impl Fn(&ByteRange) -> bool,
    ) {
        for read in &mut *wanted {
            read.given = false;
        }
        let unknown =
            cache.may_hold_dirty() && (cache.is_loading() || cache.check_alive(Operation::Read).is_err());
        if unknown || !cache.settings.borrow().mode.row().reads_hit {
            return;
        }
        notice(cache, backing);
        let ram = cache.ram.borrow();
        for (place, read) in wanted.iter_mut().enumerate().filter(|(_, read)| sound(&read.range)) {
            let before = self.pieces.len();
            read.given = pages_touched(&read.range).all(|page| {
                let piece = Piece::find(&ram, place, &read.range, page);
                piece.map(|piece| self.pieces.push(piece)).is_some()
            });
            if !read.given {
                self.pieces.truncate(before);
            }
        }
    }

    /// True if RAM has nothing of what is wanted, or not all.
    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Has the processor fetch what is given first, while something else is done that `meanwhile` does.
    pub(crate) fn fetch_first<F: BlockDevice, H: Host, T>(
        &self,
        cache: &DiskCache<F, H>,
        meanwhile: impl FnOnce() -> T,
    ) -> T {
        if self.pieces.len() == 1 {
            // It is copied sooner than it is fetched.
            return meanwhile();
        }
        (0..PARTS / 2).for_each(|part| self.fetch(cache, 0, part));
        let done = meanwhile();
        (PARTS / 2..PARTS).for_each(|part| self.fetch(cache, 0, part));
        done
    }

    /// Gives what was found of `wanted`. Nothing was awaited since. What `before` and `after` do with each range is done beside it.
    pub(crate) fn give<F: BlockDevice, H: Host>(
        &self,
        cache: &DiskCache<F, H>,
        wanted: &[Wanted],
        take: &mut dyn FnMut(usize, &[u8]),
        before: impl Fn(&ByteRange),
        after: impl Fn(&ByteRange),
    ) {
        let place_of = |at: usize| self.pieces.get(at).map(|piece| piece.place);
        for (at, piece) in self.pieces.iter().enumerate() {
            let (place, next) = (piece.place, at + 1);
            self.fetch(cache, next, 0);
            if at == 0 || place_of(at - 1) != Some(place) {
                before(&wanted[place].range);
            }
            self.fetch(cache, next, 1);
            let mut ram = cache.ram.borrow_mut();
            let page = ram.read_at(piece.spot, |history| cache.policy.borrow().used(history, By::Read));
            take(place, piece.of(page));
            drop(ram);
            self.fetch(cache, next, 2);
            if place_of(next) != Some(place) {
                after(&wanted[place].range);
            }
            self.fetch(cache, next, 3);
        }
    }

    /// Has the processor fetch a part of what is given there, if there is something.
    fn fetch<F: BlockDevice, H: Host>(&self, cache: &DiskCache<F, H>, at: usize, part: usize) {
        if let Some(piece) = self.pieces.get(at) {
            let ram = cache.ram.borrow();
            let bytes = piece.of(ram.bytes_at(piece.spot));
            prefetch(&bytes[bytes.len() * part / PARTS..bytes.len() * (part + 1) / PARTS]);
        }
    }
}

impl Piece {
    /// What RAM has of a page for `range`, which has bytes of it or is empty.
    fn find(ram: &Ram, place: usize, range: &ByteRange, page: PageNumber) -> Option<Self> {
        let spot = ram.find(page)?;
        let part = page.range().intersection(range);
        let (start, end) = ((part.start - page.offset()) as u16, (part.end - page.offset()) as u16);
        Some(Self { place, spot, start, end })
    }

    fn of<'a>(&self, page: &'a [u8]) -> &'a [u8] {
        &page[usize::from(self.start)..usize::from(self.end)]
    }
}

/// Has the processor fetch what RAM has of the first page of `range`; what follows it is fetched soon enough once the first is read.
/// Nobody has checked the range: there is no disk that has a page at the largest addresses, and none is looked at that RAM does not have.
pub(crate) fn prefetch_first_page<F: BlockDevice, H: Host>(cache: &DiskCache<F, H>, range: &ByteRange) {
    let ram = cache.ram.borrow();
    if let Some(piece) = Piece::find(&ram, 0, range, PageNumber(range.start / PAGE)) {
        prefetch(piece.of(ram.bytes_at(piece.spot)));
    }
}
