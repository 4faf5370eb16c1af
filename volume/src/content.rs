//! Content of a volume: the map, the objects to which it points, and the size. Changed by groups and copies alone, live as in a replay.

use std::ops::Range;

use block::PAGE;

use super::canary::{self, Bug};
use super::inherited::Inherited;
use super::map::{Location, Map, REGION_PAGES};
use super::names::ObjectKey;
use super::object::Header;
use super::objects::Objects;
use super::references::ReferringPages;

/// The content of a volume as of a group.
#[derive(Default)]
pub(crate) struct Content {
    pub(crate) map: Map,
    pub(crate) objects: Objects,
    /// Pages that show the snapshot below, if the volume is a clone.
    pub(crate) inherited: Inherited,
    /// Pages of the map that would show the snapshot below otherwise.
    pub(crate) covering: u64,
    /// Pages of the map that refer to what was written for others.
    pub(crate) referring: ReferringPages,
    /// Size of the disk in bytes.
    pub(crate) bytes: u64,
    /// Time of the last group, in nanoseconds since 1970; 0 before the first.
    pub(crate) taken_at: u64,
}

impl Content {
    /// Adds an object to the table. Returns its index.
    pub(crate) fn add(&mut self, header: &Header, stored: u64) -> u32 {
        let pages = header.chunks.iter().map(|chunk| chunk.pages).sum();
        self.objects.add(header.key, stored, pages)
    }

    pub(crate) fn set(&mut self, page: u64, location: Location) {
        if counts_as_live(location) {
            self.objects.gain(location.object);
        }
        let Self { map, objects, referring, inherited, covering, .. } = self;
        match map.set(page, location) {
            Some(before) => lose(objects, referring, page, before),
            None => *covering += u64::from(inherited.shows(page)),
        }
        if location.is_reference() {
            referring.add(location.object, page);
        }
    }

    pub(crate) fn clear(&mut self, pages: &Range<u64>) {
        let Self { map, objects, referring, inherited, covering, .. } = self;
        map.clear(pages, |page, before| {
            lose(objects, referring, page, before);
            *covering -= u64::from(inherited.shows(page));
        });
        let hidden = inherited.hide(pages);
        (hidden.start / REGION_PAGES..hidden.end.div_ceil(REGION_PAGES)).for_each(|at| map.mark_changed(at));
    }

    /// Sets the size. What lies behind it is gone.
    pub(crate) fn resize(&mut self, bytes: u64) {
        if bytes < self.bytes {
            self.clear(&(bytes / PAGE..u64::MAX / PAGE));
        }
        self.inherited.shrink(bytes);
        self.bytes = bytes;
    }

    /// Returns the number of pages that show the snapshot below.
    pub(crate) fn inherited_pages(&self) -> u64 {
        self.inherited.shown().saturating_sub(self.covering)
    }

    /// Applies an object of a group that counts.
    ///
    /// # Errors
    /// The object to which it refers, if that is not in the table. Some of it is applied then.
    pub(crate) fn apply(&mut self, header: &Header, stored: u64) -> Result<(), ObjectKey> {
        let object = self.add(header, stored);
        header.zeroes.iter().for_each(|pages| self.clear(pages));
        for chunk in &header.chunks {
            let location = chunk.location(object);
            for (index, page) in chunk.range().enumerate() {
                self.set(page, location.at(index as u64));
            }
        }
        for reference in &header.references {
            let target = self.objects.index_of(reference.object).ok_or(reference.object)?;
            let location = reference.location(target);
            for (at, page) in reference.range().enumerate() {
                let place = location.further(at as u64);
                // A page that was written with the content that it had stays where it is.
                if self.map.get(page).map(Location::as_reference) != Some(place) {
                    self.set(page, place);
                }
            }
        }
        self.resize(header.bytes);
        self.taken_at = self.taken_at.max(header.taken_at);
        Ok(())
    }

    /// Applies an object of copies: to those pages that still are where they were copied from. Returns its index.
    pub(crate) fn apply_copies(&mut self, header: &Header, stored: u64) -> u32 {
        let object = self.add(header, stored);
        let chunks = header.chunks.iter().map(|chunk| (chunk.range(), chunk.location(object)));
        let references = header.references.iter();
        let references = references.map(|reference| (reference.range(), reference.location(object)));
        for ((pages, location), source) in chunks.chain(references).zip(&header.sources) {
            let Some(from) = self.objects.index_of(source.object) else { continue };
            for (index, page) in pages.enumerate() {
                let is_there = |at: Location| {
                    (at.object, at.offset) == (from, source.offset) && source.page == at.first_page(page)
                };
                if self.map.get(page).is_some_and(is_there) || canary::has(Bug::UnconditionalCopies) {
                    self.set(page, location.further(index as u64));
                }
            }
        }
        object
    }
}

/// Records that a page does not lie at a place any more.
fn lose(objects: &mut Objects, referring: &mut ReferringPages, page: u64, before: Location) {
    if counts_as_live(before) {
        objects.lose(before.object);
    }
    if before.is_reference() {
        referring.remove(before.object, page);
    }
}

fn counts_as_live(location: Location) -> bool {
    !(location.is_reference() && canary::has(Bug::UncountedReferences))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::VolumeId;
    use crate::object::{ChunkEntry, Source};
    use crate::references::Reference;

    fn key(is_copies: bool, sequence: u64) -> ObjectKey {
        ObjectKey { is_copies, epoch: 1, sequence }
    }

    /// Returns an object with a chunk of eight pages, or without one.
    fn header(key: ObjectKey, chunk: Option<u64>, references: Vec<Reference>) -> Header {
        let chunk = chunk.map(|page| ChunkEntry { page, pages: 8, offset: 200, stored: 90 });
        Header {
            volume: VolumeId([5; 16]),
            key,
            group: 0,
            place: 0,
            ends: true,
            taken_at: 0,
            bytes: 1 << 30,
            counted: 0,
            chunks: chunk.into_iter().collect(),
            zeroes: Vec::new(),
            sources: Vec::new(),
            references,
        }
    }

    fn reference(page: u64, pages: u32, object: ObjectKey, index: u8) -> Reference {
        let place = Location { object: 0, offset: 200, stored: 90, index, pages: 8 };
        Reference { pages, ..Reference::new(page, object, place) }
    }

    fn live(content: &Content, object: ObjectKey) -> Option<u32> {
        let index = content.objects.index_of(object)?;
        content.objects.get(index).map(|info| info.live)
    }

    #[test]
    fn references_keep_an_object_live_until_they_are_copied_overwritten_or_cut_off() {
        let mut content = Content::default();
        let [first, second, copied] = [key(false, 0), key(false, 1), key(true, 0)];
        let missing = header(second, None, vec![reference(2, 1, first, 4)]);
        assert_eq!(content.apply(&missing, 300), Err(first));
        content.apply(&header(first, Some(40), Vec::new()), 300).expect("it refers to nothing");
        let index = content.objects.index_of(first).expect("it is known");
        // One of them lies there already, and one below the place of its content in the chunk.
        let references =
            vec![reference(41, 1, first, 1), reference(2, 3, first, 4), reference(900, 1, first, 4)];
        content.apply(&header(second, None, references), 300).expect("it is known");
        assert_eq!(live(&content, first), Some(12));
        assert_eq!(content.referring.of(index).collect::<Vec<_>>(), [2, 3, 4, 900]);
        content.clear(&(40..48));
        content.clear(&(3..4));
        assert_eq!((live(&content, first), content.referring.of(index).count()), (Some(3), 3));
        // A copy counts for pages that refer there still, and for those alone.
        let mut copies = header(copied, Some(2), vec![reference(900, 2, copied, 2)]);
        let source = |page: u64| Source { object: first, offset: 200, page };
        copies.sources = vec![source(2_u64.wrapping_sub(4)), source(896)];
        let moved = content.apply_copies(&copies, 300);
        assert_eq!((live(&content, first), live(&content, copied)), (Some(0), Some(3)));
        assert_eq!(content.referring.of(moved).collect::<Vec<_>>(), [900]);
        let place = |page| content.map.get(page).map(|at| (at.object, at.index, at.is_reference()));
        assert_eq!([place(2), place(3), place(4)], [Some((moved, 0, false)), None, Some((moved, 2, false))]);
        assert_eq!([place(900), place(901)], [Some((moved, 2, true)), None]);
        content.resize(100 * PAGE);
        assert_eq!((live(&content, copied), content.referring.of(moved).count()), (Some(2), 0));
    }
}
