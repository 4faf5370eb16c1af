//! Copies that cleaning makes of the live pages of objects, each content once.
//!
//! Pages for which a chunk was written are copied in runs, as before. Where only pages of other places refer to content, the first of them
//! gets a chunk of its own, and the others refer to that.

use std::collections::BTreeMap;

use block::{Host, PAGE, turn};

use super::chunk::{self, Compression};
use super::error::VolumeError;
use super::fingerprints::Fingerprint;
use super::map::Location;
use super::names::ObjectKey;
use super::object::{Chunks, Header, SOURCE_ENTRY_BYTES, Source};
use super::objects::ObjectInfo;
use super::references::{REFERENCE_BYTES, Reference};
use super::state::Shared;
use super::store::Store;

/// An object of copies that is being made.
pub(crate) struct Copies {
    pub(crate) chunks: Chunks,
    /// One for each chunk.
    sources: Vec<Source>,
    /// References to these chunks, each with its source.
    references: Vec<(Reference, Source)>,
    /// Fingerprints of its pages, each with its chunk and the place there. Empty if the volume does not deduplicate.
    pub(crate) fingerprints: Vec<(Fingerprint, usize, u8)>,
    compression: Compression,
    deduplicates: bool,
}

/// A live page of a chunk.
#[derive(Clone, Copy)]
pub(crate) struct LivePage {
    pub(crate) page: u64,
    /// Place in the chunk.
    pub(crate) index: u64,
}

impl Copies {
    pub(crate) fn new(compression: Compression, deduplicates: bool) -> Self {
        Self {
            chunks: Chunks::default(),
            sources: Vec::new(),
            references: Vec::new(),
            fingerprints: Vec::new(),
            compression,
            deduplicates,
        }
    }

    /// Returns true if it has nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.chunks.entries.is_empty()
    }

    /// Returns the bytes that its object takes, about.
    pub(crate) fn bytes(&self) -> u64 {
        (self.chunks.bytes.len() + self.references.len() * (REFERENCE_BYTES + SOURCE_ENTRY_BYTES)) as u64
    }

    /// Returns the sources and the references of the object with this name.
    pub(crate) fn tables(&self, object: ObjectKey) -> (Vec<Source>, Vec<Reference>) {
        let references = self.references.iter();
        let references = references.map(|(reference, _)| Reference { object, ..*reference }).collect();
        let sources = self.sources.iter().chain(self.references.iter().map(|(_, source)| source));
        (sources.copied().collect(), references)
    }

    /// Appends live pages of a chunk with this content, of which those come first for which it was written.
    pub(crate) fn append_chunk(
        &mut self,
        (object, offset): (ObjectKey, u32),
        live: &[LivePage],
        plain: &[u8],
    ) {
        let source = |live: LivePage| Source { object, offset, page: live.page.wrapping_sub(live.index) };
        // The chunk that has the content of each place by now, and the place there.
        let mut carried: BTreeMap<u64, (usize, u64)> = BTreeMap::new();
        let mut left = live;
        while let Some(first) = left.first() {
            let chunk = self.chunks.entries.len();
            if let Some((chunk, index)) = carried.get(&first.index) {
                let place = self.chunks.entries[*chunk].location(0).at(*index);
                self.refer(Reference::new(first.page, object, place), source(*first));
                left = &left[1..];
                continue;
            }
            let mut pages = 0;
            while let Some(next) = left.get(pages as usize)
                && (next.page, next.index) == (first.page + pages, first.index + pages)
                && !carried.contains_key(&next.index)
            {
                carried.insert(next.index, (chunk, pages));
                pages += 1;
            }
            let content = &plain[(first.index * PAGE) as usize..((first.index + pages) * PAGE) as usize];
            self.chunks.append(self.compression, first.page, content);
            if self.deduplicates {
                let contents = (0..).zip(content.chunks_exact(PAGE as usize));
                self.fingerprints.extend(contents.map(|(at, page)| (Fingerprint::of(page), chunk, at)));
            }
            self.sources.push(source(*first));
            left = &left[pages as usize..];
        }
    }

    fn refer(&mut self, reference: Reference, source: Source) {
        match self.references.last_mut() {
            Some((last, from)) if last.goes_on_with(&reference) => {
                // A run of one chunk is made of a run of one chunk.
                debug_assert_eq!(*from, source);
                last.pages += 1;
            }
            _ => self.references.push((reference, source)),
        }
    }
}

impl<S: Store, H: Host> Shared<S, H> {
    /// Appends what is live of an object.
    ///
    /// # Errors
    /// `Damaged` if it is missing, or its header is damaged. A damaged chunk stays where it is.
    pub(crate) async fn copy_live(
        &self,
        index: u32,
        info: ObjectInfo,
        copies: &mut Copies,
    ) -> Result<(), VolumeError> {
        let name = self.volume.object(info.key);
        let missing = || VolumeError::damaged(&name, "it is missing, and the map needs it");
        let bytes = self.calls.find(&name, None).await?.ok_or_else(missing)?;
        let header = Header::decode(&bytes, self.volume, info.key)?;
        let mut referring: BTreeMap<u32, Vec<(u64, Location)>> = BTreeMap::new();
        {
            let content = &self.state.borrow().content;
            for page in content.referring.of(index) {
                let location = content.map.get(page).expect("it refers");
                referring.entry(location.offset).or_default().push((page, location));
            }
        }
        for entry in &header.chunks {
            let location = entry.location(index);
            let live: Vec<LivePage> = {
                let state = self.state.borrow();
                let is_live = |page: u64, at: Location| state.content.map.get(page) == Some(at);
                let own = entry.range().zip(0..).filter(|(page, at)| is_live(*page, location.at(*at)));
                let own = own.map(|(page, index)| LivePage { page, index });
                let others = referring.get(&entry.offset).into_iter().flatten();
                let is_it = |at: &Location| {
                    at.bytes() == location.bytes() && at.chunk_pages() == location.chunk_pages()
                };
                let others = others.filter(|(page, at)| is_live(*page, *at) && is_it(at));
                let others = others.map(|(page, at)| LivePage { page: *page, index: u64::from(at.index) });
                own.chain(others).collect()
            };
            if live.is_empty() {
                continue;
            }
            let within = location.bytes();
            let stored = bytes.get(within.start as usize..within.end as usize);
            let plain =
                stored.and_then(|stored| chunk::open(stored, Some(entry.page), u64::from(entry.pages)));
            let Some(plain) = plain else {
                // It stays where it is: a read says so, and a guest that has another copy can write that.
                self.state.borrow_mut().damaged.insert(index);
                continue;
            };
            copies.append_chunk((info.key, entry.offset), &live, &plain);
            turn().await;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_content_is_copied_once_and_first_for_the_pages_for_which_it_was_written() {
        let object = ObjectKey { is_copies: false, epoch: 1, sequence: 2 };
        let plain: Vec<u8> = (0..8_u8).flat_map(|value| [value; PAGE as usize]).collect();
        let live = [(10, 0), (11, 1), (13, 3), (3, 1), (4, 2), (5, 3), (90, 2), (91, 3), (92, 5), (93, 6)];
        let live = live.map(|(page, index)| LivePage { page, index });
        let mut copies = Copies::new(Compression::None, true);
        copies.append_chunk((object, 64), &live, &plain);
        let chunks: Vec<_> = copies.chunks.entries.iter().map(|chunk| (chunk.page, chunk.pages)).collect();
        assert_eq!(chunks, [(10, 2), (13, 1), (4, 1), (92, 2)]);
        let own = ObjectKey { is_copies: true, epoch: 1, sequence: 0 };
        let (sources, references) = copies.tables(own);
        let source = |page: u64| Source { object, offset: 64, page };
        let before_zero = 3_u64.wrapping_sub(1);
        let pages = [10, 10, 2, 87, before_zero, 2, 88, 88];
        assert_eq!(sources, pages.map(source));
        let referring: Vec<_> =
            references.iter().map(|reference| (reference.page, reference.pages, reference.offset)).collect();
        let offset = |chunk: usize| copies.chunks.entries[chunk].offset;
        let expected = [(3, 1, offset(0)), (5, 1, offset(1)), (90, 1, offset(2)), (91, 1, offset(1))];
        assert_eq!(referring, expected);
        assert!(references.iter().all(|reference| reference.object == own));
        let places: Vec<_> = copies.fingerprints.iter().map(|(_, chunk, at)| (*chunk, *at)).collect();
        assert_eq!(places, [(0, 0), (0, 1), (1, 0), (2, 0), (3, 0), (3, 1)]);
    }
}
