//! Reads that RAM answers without waiting, several together.
//!
//! ```text
//!   ranges ── find: those that are whole in RAM             ──> for each: learn, give page by page, count
//!                                                             └─ the processor fetches the next page meanwhile ─┘
//! ```
//! A hit costs about as much as finding its page and fetching it from memory. The processor finds several hits side by
//! side. It fetches some thirty cache lines at a time and drops further hints, so a page is fetched in four parts with
//! other work in between. Nothing is awaited between finding and giving, so the found pages are still there.

use block::{ByteRange, Operation, PAGE, WantedRange, prefetch};
use smallvec::SmallVec;

use super::ctx::Ctx;
use super::disk_cache::DiskCache;
use super::reconnect::notice;
use crate::state::ram_hit::RamHit;
use crate::types::env::Env;
use crate::types::units::{PageNumber, pages_touched};

/// Parts in which a page is fetched into the processor's caches.
const PARTS: usize = 4;

/// Pages of one request of doors, at most, apart from those across the borders of their ranges; nothing is allocated for so many.
const PIECES: usize = 64;

/// The part of one page that a read takes.
#[derive(Clone, Copy)]
struct PageRead {
    /// The place of the range among those that are wanted.
    place: usize,
    hit: RamHit,
}

/// Places in RAM of the wanted pages, in order.
#[derive(Default)]
pub(crate) struct CachedReads {
    pieces: SmallVec<[PageRead; PIECES]>,
}

impl CachedReads {
    /// Finds those of `wanted` that are `sound`, and that RAM has all of, if the disk answers reads from RAM now. Marks these as given; the
    /// caller has to give them by [`CachedReads::give`], once.
    pub(crate) fn find<E: Env>(
        &mut self,
        ctx @ Ctx { cache, .. }: &Ctx<E>,
        wanted: &mut [WantedRange],
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
        notice(ctx);
        let ram = cache.ram.borrow();
        for (place, read) in wanted.iter_mut().enumerate().filter(|(_, read)| sound(&read.range)) {
            let before = self.pieces.len();
            read.given = pages_touched(&read.range).all(|page| {
                let hit = RamHit::find(&ram, &read.range, page);
                hit.map(|hit| self.pieces.push(PageRead { place, hit })).is_some()
            });
            if !read.given {
                self.pieces.truncate(before);
            }
        }
    }

    /// Returns true if RAM has none of the wanted ranges as a whole.
    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Prefetches into the processor's cache the pages that are given first, while `meanwhile` runs.
    pub(crate) fn fetch_first<E: Env, T>(&self, cache: &DiskCache<E>, meanwhile: impl FnOnce() -> T) -> T {
        if self.pieces.len() == 1 {
            // It is copied sooner than it is fetched.
            return meanwhile();
        }
        (0..PARTS / 2).for_each(|part| self.fetch(cache, 0, part));
        let done = meanwhile();
        (PARTS / 2..PARTS).for_each(|part| self.fetch(cache, 0, part));
        done
    }

    /// Gives the pages that were found of `wanted`. Nothing may have been awaited since. `before` and `after` are called beside each range.
    pub(crate) fn give<E: Env>(
        &self,
        cache: &DiskCache<E>,
        wanted: &[WantedRange],
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
            take(place, piece.hit.read(&mut ram, &cache.policy.borrow()));
            drop(ram);
            self.fetch(cache, next, 2);
            if place_of(next) != Some(place) {
                after(&wanted[place].range);
            }
            self.fetch(cache, next, 3);
        }
    }

    /// Prefetches a part of the page at `at`, if there is one.
    fn fetch<E: Env>(&self, cache: &DiskCache<E>, at: usize, part: usize) {
        if let Some(piece) = self.pieces.get(at) {
            let ram = cache.ram.borrow();
            let bytes = piece.hit.peek(&ram);
            prefetch(&bytes[bytes.len() * part / PARTS..bytes.len() * (part + 1) / PARTS]);
        }
    }
}

/// Prefetches the first page of `range` from RAM into the processor's cache; the processor fetches what follows soon enough once the first
/// page is read. The range is unchecked: no disk has a page at the largest addresses, and the function touches no page that RAM does not
/// have.
pub(crate) fn prefetch_first_page<E: Env>(cache: &DiskCache<E>, range: &ByteRange) {
    let ram = cache.ram.borrow();
    if let Some(hit) = RamHit::find(&ram, range, PageNumber(range.start / PAGE)) {
        prefetch(hit.peek(&ram));
    }
}
