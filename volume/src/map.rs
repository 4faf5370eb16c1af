//! The map of a volume: where each page lies in the store. Pure.
//!
//! All of it is in RAM: 12 bytes a page in leaves of 512 pages, so 3 GiB for each TiB that is written. It becomes durable by regions.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::chunk::CHUNK_PAGES;

/// Pages of a leaf: 2 MiB of the disk.
const LEAF_PAGES: u64 = 512;
/// Pages of a region, which a checkpoint writes as a whole: 16 MiB of the disk.
pub(crate) const REGION_PAGES: u64 = 8 * LEAF_PAGES;

/// Bit of the pages of a location that makes it a reference.
const REFERENCE: u8 = 0x80;

/// Place of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Location {
    /// Its object, in the table of objects.
    pub(crate) object: u32,
    /// Byte of the object at which its chunk begins.
    pub(crate) offset: u32,
    /// Bytes that its chunk takes.
    pub(crate) stored: u16,
    /// Place among the pages of its chunk.
    pub(crate) index: u8,
    /// Pages of its chunk. With [`REFERENCE`], the chunk was not written for this page, and names another first page than its place says.
    pub(crate) pages: u8,
}

impl Location {
    const NONE: Self = Self { object: u32::MAX, offset: 0, stored: 0, index: 0, pages: 0 };

    /// Returns the place of another page of the same chunk.
    pub(crate) fn at(self, index: u64) -> Self {
        debug_assert!(index < self.chunk_pages());
        Self { index: index as u8, ..self }
    }

    /// Returns the place of the page so many further in the same chunk.
    pub(crate) fn further(self, pages: u64) -> Self {
        self.at(u64::from(self.index) + pages)
    }

    /// Returns the pages of its chunk.
    pub(crate) fn chunk_pages(self) -> u64 {
        u64::from(self.pages & !REFERENCE)
    }

    /// Returns true if the chunk was written for another page.
    pub(crate) fn is_reference(self) -> bool {
        self.pages & REFERENCE != 0
    }

    /// Returns the same place, for a page for which it was not written.
    pub(crate) fn as_reference(self) -> Self {
        Self { pages: self.pages | REFERENCE, ..self }
    }

    /// Returns the first page that its chunk would have, if it were written for the page that lies here. Wraps for a reference.
    pub(crate) fn first_page(self, page: u64) -> u64 {
        page.wrapping_sub(u64::from(self.index))
    }

    /// Returns true if the other page lies in the same chunk.
    pub(crate) fn is_same_chunk(self, other: Self) -> bool {
        (self.object, self.offset) == (other.object, other.offset)
    }

    /// Returns the bytes of its object that its chunk takes.
    pub(crate) fn bytes(self) -> Range<u64> {
        u64::from(self.offset)..u64::from(self.offset) + u64::from(self.stored)
    }
}

struct Leaf {
    locations: [Location; LEAF_PAGES as usize],
    used: u16,
}

/// A run of pages in one chunk, or in none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) pages: Range<u64>,
    /// Place of the first page.
    pub(crate) location: Location,
}

/// The map of a volume.
#[derive(Default)]
pub(crate) struct Map {
    leaves: BTreeMap<u64, Box<Leaf>>,
    mapped: u64,
    /// Regions that changed since they were taken.
    changed: BTreeSet<u64>,
}

impl Map {
    /// Returns the place of a page; none if it is zeroes.
    pub(crate) fn get(&self, page: u64) -> Option<Location> {
        let leaf = self.leaves.get(&(page / LEAF_PAGES))?;
        let location = leaf.locations[(page % LEAF_PAGES) as usize];
        (location != Location::NONE).then_some(location)
    }

    /// Sets the place of a page. Returns the place before.
    pub(crate) fn set(&mut self, page: u64, location: Location) -> Option<Location> {
        let empty = || Box::new(Leaf { locations: [Location::NONE; LEAF_PAGES as usize], used: 0 });
        let leaf = self.leaves.entry(page / LEAF_PAGES).or_insert_with(empty);
        let place = &mut leaf.locations[(page % LEAF_PAGES) as usize];
        let before = std::mem::replace(place, location);
        self.changed.insert(page / REGION_PAGES);
        if before == Location::NONE {
            leaf.used += 1;
            self.mapped += 1;
            return None;
        }
        Some(before)
    }

    /// Makes pages zeroes. Gives `freed` the pages that had a place, and that.
    pub(crate) fn clear(&mut self, pages: &Range<u64>, mut freed: impl FnMut(u64, Location)) {
        if pages.is_empty() {
            return;
        }
        let touched: Vec<u64> = self
            .leaves
            .range(pages.start / LEAF_PAGES..=(pages.end - 1) / LEAF_PAGES)
            .map(|(at, _)| *at)
            .collect();
        for at in touched {
            let leaf = self.leaves.get_mut(&at).expect("it was found");
            let start = pages.start.max(at * LEAF_PAGES) - at * LEAF_PAGES;
            let end = pages.end.min((at + 1) * LEAF_PAGES) - at * LEAF_PAGES;
            for (page, place) in
                (at * LEAF_PAGES + start..).zip(&mut leaf.locations[start as usize..end as usize])
            {
                let before = std::mem::replace(place, Location::NONE);
                if before != Location::NONE {
                    leaf.used -= 1;
                    self.mapped -= 1;
                    self.changed.insert(at * LEAF_PAGES / REGION_PAGES);
                    freed(page, before);
                }
            }
            if leaf.used == 0 {
                self.leaves.remove(&at);
            }
        }
    }

    /// Returns the number of pages that have a place.
    pub(crate) fn mapped(&self) -> u64 {
        self.mapped
    }

    /// Returns the bytes of RAM taken, about.
    pub(crate) fn bytes(&self) -> u64 {
        self.leaves.len() as u64 * (size_of::<Leaf>() + 32) as u64
    }

    /// Returns the pages within `pages` that have a place, in runs of one chunk each.
    pub(crate) fn runs(&self, pages: Range<u64>) -> impl Iterator<Item = Run> {
        let leaves = self.leaves.range(pages.start / LEAF_PAGES..pages.end.div_ceil(LEAF_PAGES));
        let places = leaves.flat_map(move |(at, leaf)| {
            let first = at * LEAF_PAGES;
            let start = pages.start.max(first);
            let within = (start - first) as usize..(pages.end.min(first + LEAF_PAGES) - first) as usize;
            (start..).zip(leaf.locations[within].iter().copied())
        });
        let mut places = places.filter(|(_, location)| *location != Location::NONE).peekable();
        std::iter::from_fn(move || {
            let (first, location) = places.next()?;
            let mut end = first + 1;
            let goes_on = |(page, next): &(u64, Location), end| {
                *page == end
                    && next.is_same_chunk(location)
                    && next.is_reference() == location.is_reference()
                    && u64::from(next.index) == u64::from(location.index) + (end - first)
            };
            while places.next_if(|next| goes_on(next, end)).is_some() {
                end += 1;
            }
            debug_assert!(end - first <= CHUNK_PAGES);
            Some(Run { pages: first..end, location })
        })
    }

    /// Takes the number of a region that changed since it was taken; none if none did.
    pub(crate) fn take_changed(&mut self) -> Option<u64> {
        self.changed.pop_first()
    }

    /// Records that a region is to be taken again.
    pub(crate) fn mark_changed(&mut self, region: u64) {
        self.changed.insert(region);
    }

    /// Records that nothing has changed.
    pub(crate) fn forget_changes(&mut self) {
        self.changed.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn location(object: u32, index: u8) -> Location {
        Location { object, offset: 64, stored: 90, index, pages: 8 }
    }

    #[test]
    fn pages_are_found_replaced_and_cleared_across_leaves() {
        let mut map = Map::default();
        for page in 510..518 {
            assert_eq!(map.set(page, location(1, (page - 510) as u8)), None);
        }
        assert_eq!(map.set(512, location(2, 0)), Some(location(1, 2)));
        let runs: Vec<_> = map.runs(0..10_000).collect();
        let run = |pages, location| Run { pages, location };
        let all =
            [run(510..512, location(1, 0)), run(512..513, location(2, 0)), run(513..518, location(1, 3))];
        assert_eq!(runs, all);
        let mut freed = Vec::new();
        map.clear(&(511..515), |page, location| freed.push((page, location.object)));
        assert_eq!((freed, map.mapped()), (vec![(511, 1), (512, 2), (513, 1), (514, 1)], 4));
        assert_eq!((map.get(511), map.get(515)), (None, Some(location(1, 5))));
        map.clear(&(0..u64::MAX), |_, _| {});
        assert_eq!((map.mapped(), map.bytes()), (0, 0));
    }

    #[test]
    fn a_reference_ends_a_run_of_the_same_chunk() {
        let mut map = Map::default();
        let reference = |index| location(1, index).as_reference();
        for (page, location) in [(2, location(1, 0)), (3, reference(1)), (4, reference(2)), (5, reference(4))]
        {
            map.set(page, location);
        }
        let runs: Vec<_> = map.runs(0..100).map(|run| (run.pages, run.location)).collect();
        assert_eq!(runs, [(2..3, location(1, 0)), (3..5, reference(1)), (5..6, reference(4))]);
        assert_eq!((reference(1).chunk_pages(), reference(3).further(2)), (8, reference(5)));
        assert_eq!(reference(3).first_page(1).wrapping_add(3), 1);
    }

    #[test]
    fn a_region_that_changed_is_taken_once() {
        let mut map = Map::default();
        map.set(1, location(1, 0));
        map.set(3 * REGION_PAGES, location(1, 1));
        assert_eq!([map.take_changed(), map.take_changed(), map.take_changed()], [Some(0), Some(3), None]);
        map.clear(&(0..9), |_, _| {});
        map.clear(&(REGION_PAGES..2 * REGION_PAGES), |_, _| {});
        assert_eq!([map.take_changed(), map.take_changed()], [Some(0), None]);
    }
}
