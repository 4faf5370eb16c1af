//! Content of a volume: the map, the objects to which it points, and the size. Changed by groups and copies alone, live as in a replay.

use std::ops::Range;

use block::PAGE;

use super::canary::{self, Bug};
use super::map::{Location, Map};
use super::object::Header;
use super::objects::Objects;

/// The content of a volume as of a group.
#[derive(Default)]
pub(crate) struct Content {
    pub(crate) map: Map,
    pub(crate) objects: Objects,
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
        self.objects.gain(location.object);
        if let Some(before) = self.map.set(page, location) {
            self.objects.lose(before.object);
        }
    }

    pub(crate) fn clear(&mut self, pages: &Range<u64>) {
        let Self { map, objects, .. } = self;
        map.clear(pages, |before| objects.lose(before.object));
    }

    /// Sets the size. What lies behind it is gone.
    pub(crate) fn resize(&mut self, bytes: u64) {
        if bytes < self.bytes {
            self.clear(&(bytes / PAGE..u64::MAX / PAGE));
        }
        self.bytes = bytes;
    }

    /// Applies an object of a group that counts.
    pub(crate) fn apply(&mut self, header: &Header, stored: u64) {
        let object = self.add(header, stored);
        header.zeroes.iter().for_each(|pages| self.clear(pages));
        for chunk in &header.chunks {
            let location = chunk.location(object);
            for (index, page) in chunk.range().enumerate() {
                self.set(page, location.at(index as u64));
            }
        }
        self.resize(header.bytes);
        self.taken_at = self.taken_at.max(header.taken_at);
    }

    /// Applies an object of copies: to those pages that still are where they were copied from.
    pub(crate) fn apply_copies(&mut self, header: &Header, stored: u64) {
        let object = self.add(header, stored);
        for (chunk, source) in header.chunks.iter().zip(&header.sources) {
            let Some(from) = self.objects.index_of(source.object) else { continue };
            let location = chunk.location(object);
            for (index, page) in chunk.range().enumerate() {
                let is_there = |at: Location| {
                    (at.object, at.offset) == (from, source.offset)
                        && source.page + u64::from(at.index) == page
                };
                if self.map.get(page).is_some_and(is_there) || canary::has(Bug::UnconditionalCopies) {
                    self.set(page, location.at(index as u64));
                }
            }
        }
    }
}
