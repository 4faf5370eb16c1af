//! Reads of what RAM has, which wait for nothing: found, noted, given, counted, several together.
//!
//! ```text
//!   ranges that are wanted ── find: which RAM has all of, and where ── learn and count ── give: page after page ── count
//!                                             └─ the first pages come into the processor's caches meanwhile ─┘
//! ```
//! A hit in RAM costs about as much as fetching its page from memory, and finding it there. What several are looked for one right after
//! another, the processor does side by side; and while one page is copied the next ones are fetched. Nothing is awaited
//! between finding and giving, so what was found is there.

use block::{BlockDevice, ByteRange, Host, Operation, PAGE, Wanted, prefetch};
use smallvec::SmallVec;

use super::disk_cache::DiskCache;
use super::reconnect::notice;
use crate::knowledge::learned::By;
use crate::knowledge::ram::Spot;
use crate::words::units::{PageNumber, pages_touched};

/// So many pages are being fetched into the processor's caches while one is given.
const AHEAD: usize = 2;

/// Most of what is wanted together has no more pages, and nothing is allocated.
const PIECES: usize = 16;

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
    /// and have to be by [`AtHand::give`].
    pub(crate) fn find<B: BlockDevice, F: BlockDevice, H: Host>(
        cache: &DiskCache<F, H>,
        backing: &B,
        wanted: &mut [Wanted],
        sound: impl Fn(&ByteRange) -> bool,
    ) -> Self {
        let mut found = Self::default();
        let unknown =
            cache.may_hold_dirty() && (cache.is_loading() || cache.check_alive(Operation::Read).is_err());
        if unknown || !cache.settings.borrow().mode.row().reads_hit {
            return found;
        }
        notice(cache, backing);
        let ram = cache.ram.borrow();
        for (place, read) in wanted.iter_mut().enumerate().filter(|(_, read)| sound(&read.range)) {
            let before = found.pieces.len();
            read.given = pages_touched(&read.range).all(|page| match ram.find(page) {
                Some(spot) => {
                    let (start, end) = part_of(&read.range, page);
                    found.pieces.push(Piece { place, spot, start, end });
                    true
                }
                None => false,
            });
            if !read.given {
                found.pieces.truncate(before);
            }
        }
        found
    }

    /// Has the processor fetch what is given first, if there is something to be done meanwhile.
    pub(crate) fn fetch_first<F: BlockDevice, H: Host>(&self, cache: &DiskCache<F, H>) {
        if self.pieces.len() > 1 {
            let ram = cache.ram.borrow();
            for piece in self.pieces.iter().take(AHEAD) {
                prefetch(piece.of(ram.bytes_at(piece.spot)));
            }
        }
    }

    /// Gives what was found, with the place of its range. Nothing was awaited since.
    pub(crate) fn give<F: BlockDevice, H: Host>(
        self,
        cache: &DiskCache<F, H>,
        take: &mut dyn FnMut(usize, &[u8]),
    ) {
        let (mut ram, policy) = (cache.ram.borrow_mut(), cache.policy.borrow());
        for (at, piece) in self.pieces.iter().enumerate() {
            if let Some(ahead) = self.pieces.get(at + AHEAD) {
                prefetch(ahead.of(ram.bytes_at(ahead.spot)));
            }
            let page = ram.read_at(piece.spot, |history| policy.used(history, By::Read));
            take(piece.place, piece.of(page));
        }
    }
}

impl Piece {
    fn of<'a>(&self, page: &'a [u8]) -> &'a [u8] {
        &page[usize::from(self.start)..usize::from(self.end)]
    }
}

/// Which bytes of a page `range` has.
fn part_of(range: &ByteRange, page: PageNumber) -> (u16, u16) {
    let part = page.range().intersection(range);
    ((part.start - page.offset()) as u16, (part.end - page.offset()) as u16)
}

/// Has the processor fetch what RAM has of the first page of `range`; what follows it is fetched soon enough once the first is read.
/// Nobody has checked the range: there is no disk that has a page at the largest addresses, and none is looked at that RAM does not have.
pub(crate) fn prefetch_first_page<F: BlockDevice, H: Host>(cache: &DiskCache<F, H>, range: &ByteRange) {
    let page = PageNumber(range.start / PAGE);
    let ram = cache.ram.borrow();
    if let Some(spot) = ram.find(page) {
        let (start, end) = part_of(range, page);
        prefetch(&ram.bytes_at(spot)[usize::from(start)..usize::from(end)]);
    }
}
