//! Changes on their way to the store: layers of ranges, in groups.

use std::cell::RefCell;
use std::rc::Rc;

use block::{Buffer, PAGE};

use super::chunk::{CHUNK_PAGES, Compression};
use super::fingerprints::Fingerprint;
use super::map::Location;
use super::names::ObjectKey;
use super::object::{Chunks, Header};
use super::range_map::RangeMap;
use super::references::Duplicates;

/// Content of a range of pages.
#[derive(Clone)]
pub(crate) enum Extent {
    /// Content in memory: a buffer, and the page at its start.
    Memory(Rc<Buffer>, u64),
    /// Zeroes.
    Zeroes,
    /// Content of the snapshot below a clone.
    Inherited,
    /// A chunk in the store: the place of its first page, and that page. For pages that refer to it, the one that it would have.
    Stored(Location, u64),
}

impl Extent {
    /// Returns the content of a page in memory.
    fn page(&self, page: u64) -> Option<&[u8]> {
        let Self::Memory(buffer, base) = self else { return None };
        let at = ((page - base) * PAGE) as usize;
        Some(&buffer[at..at + PAGE as usize])
    }
}

/// Changes that become one object.
#[derive(Default)]
pub(crate) struct Layer {
    pub(crate) extents: RangeMap<Extent>,
    /// Bytes of memory that its changes had.
    pub(crate) bytes: u64,
    /// Header of its object, once that is in the store.
    pub(crate) header: Option<Header>,
}

/// A layer that a task and its group share.
pub(crate) type SharedLayer = Rc<RefCell<Layer>>;

/// Changes that become durable together.
pub(crate) struct Group {
    pub(crate) number: u64,
    /// Layers whose objects are on their way or there, in order.
    pub(crate) sealed: Vec<SharedLayer>,
    /// Changes that have no object yet.
    pub(crate) open: Layer,
    /// Time of the group, in nanoseconds since 1970.
    pub(crate) taken_at: u64,
    /// Sequence behind its last object, once it is closed.
    pub(crate) end: Option<u64>,
    /// True if the size of the disk changes with it.
    pub(crate) resizes: bool,
}

impl Group {
    /// Creates a group without changes.
    pub(crate) fn new(number: u64) -> Self {
        Self { number, sealed: Vec::new(), open: Layer::default(), taken_at: 0, end: None, resizes: false }
    }

    /// Returns true if nothing has to become durable.
    pub(crate) fn is_empty(&self) -> bool {
        self.sealed.is_empty() && self.open.extents.is_empty() && !self.resizes
    }
}

/// Content of an object that is being made from a layer, chunk after chunk.
pub(crate) struct Encoding {
    /// Ranges that are not encoded yet, the last one first.
    left: Vec<(std::ops::Range<u64>, Extent)>,
    compression: Compression,
    pub(crate) chunks: Chunks,
    pub(crate) zeroes: Vec<std::ops::Range<u64>>,
    /// Pages that were written with zeroes as their content.
    pub(crate) zero_pages: u64,
    /// None if the volume does not deduplicate.
    pub(crate) duplicates: Option<Duplicates>,
    plain: Vec<u8>,
    plain_at: u64,
}

impl Encoding {
    pub(crate) fn new(layer: &Layer, compression: Compression, duplicates: Option<Duplicates>) -> Self {
        let mut left: Vec<_> = layer.extents.iter().map(|(range, extent)| (range, extent.clone())).collect();
        left.reverse();
        Self {
            left,
            compression,
            chunks: Chunks::default(),
            zeroes: Vec::new(),
            zero_pages: 0,
            duplicates,
            plain: Vec::new(),
            plain_at: 0,
        }
    }

    /// Encodes some of what is left, about `pages`. Returns false once all is. If the volume deduplicates, `find` returns where content lies
    /// to which the object may refer.
    pub(crate) fn step(
        &mut self,
        pages: u64,
        find: impl Fn(Fingerprint) -> Option<(ObjectKey, Location)>,
    ) -> bool {
        let mut taken = 0;
        while taken < pages {
            let Some((range, extent)) = self.left.pop() else {
                self.end_chunk();
                return false;
            };
            let Extent::Memory(..) = extent else {
                self.end_chunk();
                self.add_zeroes(range);
                continue;
            };
            let end = range.end.min(range.start + pages);
            for page in range.start..end {
                self.add_page(page, extent.page(page).expect("it is in memory"), &find);
            }
            taken += end - range.start;
            if end < range.end {
                self.left.push((end..range.end, extent));
            }
        }
        true
    }

    fn add_page(
        &mut self,
        page: u64,
        content: &[u8],
        find: impl Fn(Fingerprint) -> Option<(ObjectKey, Location)>,
    ) {
        let follows = self.plain_at + self.plain.len() as u64 / PAGE == page;
        if !follows || page.is_multiple_of(CHUNK_PAGES) {
            self.end_chunk();
        }
        if is_zero(content) {
            self.end_chunk();
            self.zero_pages += 1;
            self.add_zeroes(page..page + 1);
            return;
        }
        let fingerprint = self.duplicates.is_some().then(|| Fingerprint::of(content));
        if let Some((duplicates, fingerprint)) = self.duplicates.as_mut().zip(fingerprint) {
            if duplicates.is_duplicate(page, fingerprint, find) {
                self.end_chunk();
                return;
            }
            let index = self.plain.len() as u64 / PAGE;
            duplicates.add(fingerprint, self.chunks.entries.len(), index as u8);
        }
        if self.plain.is_empty() {
            self.plain_at = page;
        }
        self.plain.extend(content);
    }

    fn add_zeroes(&mut self, range: std::ops::Range<u64>) {
        match self.zeroes.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => self.zeroes.push(range),
        }
    }

    fn end_chunk(&mut self) {
        if !self.plain.is_empty() {
            self.chunks.append(self.compression, self.plain_at, &self.plain);
            self.plain.clear();
        }
    }
}

fn is_zero(content: &[u8]) -> bool {
    // Whole words: a page of zeroes is compared in a fraction of the time that it takes to compress it.
    content.as_chunks::<16>().0.iter().all(|word| u128::from_ne_bytes(*word) == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_share_a_chunk_within_32_kib_and_zeroes_take_none() {
        let mut layer = Layer::default();
        let buffer = |value: u8, pages: usize| Rc::new(Buffer::copy_of(&vec![value; pages * PAGE as usize]));
        layer.extents.insert(6..12, Extent::Memory(buffer(1, 6), 6));
        layer.extents.insert(12..14, Extent::Memory(buffer(2, 2), 12));
        layer.extents.insert(14..15, Extent::Memory(buffer(0, 1), 14));
        layer.extents.insert(15..40, Extent::Zeroes);
        layer.extents.insert(40..41, Extent::Memory(buffer(3, 1), 40));
        layer.extents.insert(9..10, Extent::Memory(buffer(4, 1), 9));
        for step in [1, 3, 100] {
            let mut encoding = Encoding::new(&layer, Compression::Lz4, None);
            while encoding.step(step, |_| None) {}
            let chunks: Vec<_> =
                encoding.chunks.entries.iter().map(super::super::object::ChunkEntry::range).collect();
            assert_eq!(chunks, [6..8, 8..14, 40..41], "in steps of {step}");
            assert_eq!(encoding.zeroes, vec![14..40]);
            assert_eq!(encoding.zero_pages, 1);
        }
    }
}
