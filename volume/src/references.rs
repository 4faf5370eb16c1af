//! References: pages whose content another page's chunk has. Pure.
//!
//! A reference names a place in an object, and no page: content at a place never changes, so it stays good while the object is there,
//! whatever becomes of the page that was written first.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use block::PAGE;
use block::sealed::Numbers;

use super::chunk::{CHUNK_BYTES_MAX, CHUNK_PAGES};
use super::fingerprints::Fingerprint;
use super::map::Location;
use super::names::ObjectKey;
use super::object::ChunkEntry;

/// Bytes of a reference in the table of an object.
pub(crate) const REFERENCE_BYTES: usize = 48;

/// Bytes of RAM that a page takes in a set of pages, about.
const BYTES_PER_PAGE: u64 = 16;

/// Neighbours that refer to neighbours in one chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    /// The first page that refers.
    pub(crate) page: u64,
    pub(crate) pages: u32,
    /// Place of its content among the pages of the chunk.
    pub(crate) index: u32,
    /// Object that has the chunk.
    pub(crate) object: ObjectKey,
    pub(crate) offset: u32,
    pub(crate) stored: u32,
    pub(crate) chunk_pages: u32,
}

impl Reference {
    /// Creates the reference of one page to a place in an object.
    pub(crate) fn new(page: u64, object: ObjectKey, place: Location) -> Self {
        Self {
            page,
            pages: 1,
            index: u32::from(place.index),
            object,
            offset: place.offset,
            stored: u32::from(place.stored),
            chunk_pages: place.chunk_pages() as u32,
        }
    }

    /// Returns its pages.
    pub(crate) fn range(&self) -> Range<u64> {
        self.page..self.page + u64::from(self.pages)
    }

    /// Returns the place of its first page, in the object with this index.
    pub(crate) fn location(&self, object: u32) -> Location {
        let (stored, index, pages) = (self.stored as u16, self.index as u8, self.chunk_pages as u8);
        Location { object, offset: self.offset, stored, index, pages }.as_reference()
    }

    /// Returns true if another one goes on where this one ends.
    pub(crate) fn goes_on_with(&self, next: &Self) -> bool {
        (self.object, self.offset) == (next.object, next.offset)
            && self.range().end == next.page
            && self.index + self.pages == next.index
    }

    /// Appends what [`Self::decode`] reads.
    pub(crate) fn encode(&self, to: &mut Vec<u8>) {
        to.extend(self.page.to_le_bytes());
        for number in [self.pages, self.index] {
            to.extend(number.to_le_bytes());
        }
        for number in [self.object.epoch, self.object.sequence] {
            to.extend(number.to_le_bytes());
        }
        for number in [u32::from(self.object.is_copies), self.offset, self.stored, self.chunk_pages] {
            to.extend(number.to_le_bytes());
        }
    }

    /// Reads one; none if it cannot be.
    pub(crate) fn decode(fields: &mut Numbers<'_>) -> Option<Self> {
        let page = fields.u64();
        let [pages, index] = [0; 2].map(|_| fields.u32());
        let [epoch, sequence] = [0; 2].map(|_| fields.u64());
        let [is_copies, offset, stored, chunk_pages] = [0; 4].map(|_| fields.u32());
        let object = ObjectKey { is_copies: is_copies == 1, epoch, sequence };
        let is_possible = pages > 0
            && u64::from(chunk_pages) <= CHUNK_PAGES
            && index.checked_add(pages)? <= chunk_pages
            && stored as usize <= CHUNK_BYTES_MAX
            && page < u64::MAX / PAGE / 2;
        is_possible.then_some(Self { page, pages, index, object, offset, stored, chunk_pages })
    }
}

/// Pages of an object that is being made, and those that refer instead of being a part of it.
pub(crate) struct Duplicates {
    object: ObjectKey,
    /// Chunk and place in it of each page that the object has.
    own: BTreeMap<Fingerprint, (usize, u8)>,
    referring: Vec<(u64, Target)>,
}

enum Target {
    /// A chunk of the object, which may not be complete, and the place in it.
    Own(usize, u8),
    Other(ObjectKey, Location),
}

impl Duplicates {
    /// Creates those of an object without pages.
    pub(crate) fn new(object: ObjectKey) -> Self {
        Self { object, own: BTreeMap::new(), referring: Vec::new() }
    }

    /// Returns true if a page need not be stored: another one of the object has its content, or `find` knows where that is.
    pub(crate) fn is_duplicate(
        &mut self,
        page: u64,
        fingerprint: Fingerprint,
        find: impl FnOnce(Fingerprint) -> Option<(ObjectKey, Location)>,
    ) -> bool {
        let target = match self.own.get(&fingerprint) {
            Some((chunk, index)) => Target::Own(*chunk, *index),
            None => match find(fingerprint) {
                Some((object, location)) => Target::Other(object, location),
                None => return false,
            },
        };
        self.referring.push((page, target));
        true
    }

    /// Records that a page became a part of a chunk.
    pub(crate) fn add(&mut self, fingerprint: Fingerprint, chunk: usize, index: u8) {
        self.own.insert(fingerprint, (chunk, index));
    }

    /// Returns the references of the object, once its chunks are known, and the places of its own pages.
    pub(crate) fn finish(
        self,
        chunks: &[ChunkEntry],
    ) -> (Vec<Reference>, impl Iterator<Item = (Fingerprint, usize, u8)> + use<>) {
        let Self { object, own, referring } = self;
        let references = referring.into_iter().map(|(page, target)| match target {
            Target::Own(chunk, index) => {
                Reference::new(page, object, chunks[chunk].location(0).at(u64::from(index)))
            }
            Target::Other(object, location) => Reference::new(page, object, location),
        });
        let mut joined: Vec<Reference> = Vec::new();
        for reference in references {
            match joined.last_mut() {
                Some(last) if last.goes_on_with(&reference) => last.pages += 1,
                _ => joined.push(reference),
            }
        }
        (joined, own.into_iter().map(|(fingerprint, (chunk, index))| (fingerprint, chunk, index)))
    }
}

/// Pages that refer, by the object to which they do. The map says where in it.
#[derive(Default)]
pub(crate) struct ReferringPages {
    by_object: BTreeMap<u32, BTreeSet<u64>>,
    pages: u64,
}

impl ReferringPages {
    pub(crate) fn add(&mut self, object: u32, page: u64) {
        self.pages += u64::from(self.by_object.entry(object).or_default().insert(page));
    }

    pub(crate) fn remove(&mut self, object: u32, page: u64) {
        if let Some(pages) = self.by_object.get_mut(&object) {
            self.pages -= u64::from(pages.remove(&page));
            if pages.is_empty() {
                self.by_object.remove(&object);
            }
        }
    }

    /// Returns the number of pages that refer.
    pub(crate) fn count(&self) -> u64 {
        self.pages
    }

    /// Returns the bytes of RAM taken, about.
    pub(crate) fn bytes(&self) -> u64 {
        self.pages * BYTES_PER_PAGE
    }

    /// Returns the pages that refer to an object, in order.
    pub(crate) fn of(&self, object: u32) -> impl Iterator<Item = u64> {
        self.by_object.get(&object).into_iter().flatten().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OTHER: ObjectKey = ObjectKey { is_copies: true, epoch: 2, sequence: 9 };
    const OWN: ObjectKey = ObjectKey { is_copies: false, epoch: 3, sequence: 1 };

    fn place(index: u8) -> Location {
        Location { object: 4, offset: 500, stored: 90, index, pages: 8 }
    }

    #[test]
    fn a_reference_reads_back_unless_it_cannot_be() {
        let good = Reference { pages: 3, ..Reference::new(77, OTHER, place(5)) };
        let encoded = |reference: &Reference| {
            let mut bytes = Vec::new();
            reference.encode(&mut bytes);
            assert_eq!(bytes.len(), REFERENCE_BYTES);
            bytes
        };
        assert_eq!(Reference::decode(&mut Numbers(&encoded(&good))), Some(good));
        let bad = [
            Reference { pages: 0, ..good },
            Reference { pages: 4, ..good },
            Reference { index: u32::MAX, ..good },
            Reference { chunk_pages: 9, ..good },
            Reference { stored: 40_000, ..good },
            Reference { page: u64::MAX, ..good },
        ];
        for reference in bad {
            assert_eq!(Reference::decode(&mut Numbers(&encoded(&reference))), None, "{reference:?}");
        }
    }

    #[test]
    fn neighbours_that_refer_to_neighbours_are_joined_and_content_of_the_object_itself_comes_first() {
        let mut duplicates = Duplicates::new(OWN);
        let content = |value: u8| Fingerprint::of(&[value]);
        let unknown = |_| None;
        assert!(!duplicates.is_duplicate(10, content(1), unknown));
        duplicates.add(content(1), 0, 0);
        assert!(!duplicates.is_duplicate(11, content(2), unknown));
        duplicates.add(content(2), 0, 1);
        for (page, value) in [(12, 1), (13, 2), (14, 2)] {
            assert!(duplicates.is_duplicate(page, content(value), |_| panic!("it is known")));
        }
        for (page, index) in [(15, 3), (16, 4), (18, 5)] {
            assert!(duplicates.is_duplicate(page, content(9), |_| Some((OTHER, place(index)))));
        }
        let chunks = [ChunkEntry { page: 10, pages: 2, offset: 40, stored: 60 }];
        let (references, own) = duplicates.finish(&chunks);
        let chunk = |index| chunks[0].location(0).at(index);
        let expected = [
            Reference { pages: 2, ..Reference::new(12, OWN, chunk(0)) },
            Reference::new(14, OWN, chunk(1)),
            Reference { pages: 2, ..Reference::new(15, OTHER, place(3)) },
            Reference::new(18, OTHER, place(5)),
        ];
        assert_eq!(references, expected);
        let mut own: Vec<_> = own.collect();
        own.sort_by_key(|(_, _, index)| *index);
        assert_eq!(own, [(content(1), 0, 0), (content(2), 0, 1)]);
    }

    #[test]
    fn pages_that_refer_are_found_by_object() {
        let mut pages = ReferringPages::default();
        for (object, page) in [(1, 5), (2, 7), (1, 3), (1, 5)] {
            pages.add(object, page);
        }
        pages.remove(2, 7);
        pages.remove(2, 7);
        assert_eq!((pages.of(1).collect::<Vec<_>>(), pages.of(2).count()), (vec![3, 5], 0));
        assert_eq!(pages.bytes(), 32);
    }
}
